/*
 * Traces without a GPU: a kernel of a cubin is run on the functional emulator
 * and written as a trace.
 *
 *     struct teg_emulation *e;
 *
 *     if (teg_emulation_new("saxpy.cubin", NULL, &e, &d) == TEG_OK) {
 *         teg_emulation_set_grid(e, 64, 1, 1);
 *         teg_emulation_set_block(e, 256, 1, 1);
 *         teg_emulation_add_argument(e, "i32:16384", &d);
 *         teg_emulation_add_argument(e, "buf:f32:16384:iota", &d);
 *         teg_emulation_write(e, "saxpy.tegt", &d);
 *     }
 *     teg_emulation_free(e);
 *
 * An emulation is used by one thread at a time.
 */
#ifndef TEG_PUBLIC_EMULATE_H
#define TEG_PUBLIC_EMULATE_H

#include "status.h"

TEG_BEGIN

struct teg_emulation;

/* Of `kernel` (symbol, or its name as in the source) of the cubin; NULL: the
 * only one.  TEG_UNKNOWN if there is none such, or several. */
TEG_API teg_status teg_emulation_new(const char *cubin, const char *kernel,
                                     struct teg_emulation **emulation,
                                     struct teg_diag *d);
TEG_API void teg_emulation_free(struct teg_emulation *emulation); /* or NULL */

/* Blocks of the grid, threads of a block; 1 each unless set. */
TEG_API void teg_emulation_set_grid(struct teg_emulation *emulation, uint32_t x,
                                    uint32_t y, uint32_t z);
TEG_API void teg_emulation_set_block(struct teg_emulation *emulation,
                                     uint32_t x, uint32_t y, uint32_t z);
/* Dynamic shared memory of a block, bytes. */
TEG_API void teg_emulation_set_shared(struct teg_emulation *emulation,
                                      uint32_t bytes);
/* Threads of the host that run blocks; the trace is the same for any. */
TEG_API void teg_emulation_set_threads(struct teg_emulation *emulation,
                                       uint32_t threads);
/* The next argument, as for `teg trace --arg`: "i32:-5" "u64:0x10" "f32:0.5",
 * or a buffer, "buf:TYPE:COUNT:FILL" with FILL zeros, iota,
 * random[,seed=N] or file=PATH.  What is wrong with it teg_emulation_write
 * says. */
TEG_API teg_status teg_emulation_add_argument(struct teg_emulation *emulation,
                                              const char *text,
                                              struct teg_diag *d);
/* Runs the kernel, buffers filled anew, and writes its trace to `path`, a
 * .tegt, which is replaced in one step.  Faults of the kernel (an access out
 * of bounds, an instruction that is not emulated) name the place. */
TEG_API teg_status teg_emulation_write(struct teg_emulation *emulation,
                                       const char *path, struct teg_diag *d);

TEG_END

#endif
