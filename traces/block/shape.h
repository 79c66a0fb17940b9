/* The simplest shape that a warp's addresses have. */
#ifndef TEG_TRACES_BLOCK_SHAPE_H
#define TEG_TRACES_BLOCK_SHAPE_H

#include "isa/base/buffer.h"
#include "traces/block/predictor.h"

/* Fills `a`, whose mask is set, from the addresses of its lanes: the shape of
 * `before` if that will do, which may be NULL. */
void block_shape_fit(struct teg_access *a, const uint64_t lane[TEG_LANES],
                     const struct teg_predictor *before);
/* Whether that finds the shape that `a` has; 0 where it may. */
int block_shape_is_found(const struct teg_access *a,
                         const struct teg_predictor *before);
/* Appends what the shape needs; `lane` is for a list. */
void block_shape_put(struct teg_buffer *b, const struct teg_access *a,
                     const uint64_t lane[TEG_LANES]);

#endif
