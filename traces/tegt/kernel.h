/* The record of a kernel in a .tegt: launch facts, notes, program. */
#ifndef TEG_TRACES_TEGT_KERNEL_H
#define TEG_TRACES_TEGT_KERNEL_H

#include "isa/base/buffer.h"
#include "traces/base/kernel.h"

enum {
    TEGT_TEXT_MAX = 4096
}; /* of names and of instructions' text */

void tegt_put_kernel(struct teg_buffer *b, const struct teg_kernel *k);
/* Fills the zeroed `k` from a file of `version`; it is to be released even
 * after a failure. */
teg_status tegt_walk_kernel(struct teg_walk *w, uint32_t version,
                            struct teg_kernel *k, struct teg_diag *d);

#endif
