/*
 * What runs between launches that are simulated, and is not: launches of which is
 * known what they take, copies, sets, waits of the host.  They leave what they have
 * touched in L2 and translations all the same.
 *
 * They are only noted, and done when somebody wants to know what caches hold: then
 * the latest launch of each trace passes L2 and translations without a clock
 * (sim_engine_pass), those that came before others that ask for four times what L2
 * holds left out.
 *
 *     teg_skipped_write(s, address, bytes);
 *     teg_skipped_launch(s, 3);
 *     status = teg_skipped_do(s, open, self, &memory, d);
 */
#ifndef TEG_SIM_SAMPLE_SKIPPED_H
#define TEG_SIM_SAMPLE_SKIPPED_H

#include "sim/memory/memory.h"
#include "sim/sample/sample.h"

struct teg_skipped;

/* Opens the launch of trace `number` at its first block. */
typedef teg_status teg_skipped_open(void *self, uint32_t number,
                                    struct teg_launch *launch,
                                    struct teg_diag *d);

/* `gpu` is borrowed and outlives it.  NULL: no memory. */
struct teg_skipped *teg_skipped_new(const struct teg_gpu *gpu);
void teg_skipped_free(struct teg_skipped *s);
/* Something that is not a kernel has written `bytes` from `address` on; the host waits
 * for the device; a launch of trace `number` has run.  Without memory for it, it is
 * forgotten. */
void teg_skipped_write(struct teg_skipped *s, uint64_t address, uint64_t bytes);
void teg_skipped_rest(struct teg_skipped *s);
void teg_skipped_launch(struct teg_skipped *s, uint32_t number);
/* Does to `*memory`, what caches hold (NULL: nothing; owned by the caller, who gets
 * another for it), what has been noted, and forgets it. */
teg_status teg_skipped_do(struct teg_skipped *s, teg_skipped_open *open,
                          void *self, struct sim_memory **memory,
                          struct teg_diag *d);

#endif
