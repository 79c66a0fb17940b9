/*
 * Expands a parsed sketch: the instructions of one block after the other.
 *
 * Leaves out: what the hardware adds for divergence; branch instructions are
 * those the sketch writes.
 */
#ifndef TEG_TRACES_SKETCH_EXPAND_H
#define TEG_TRACES_SKETCH_EXPAND_H

#include "traces/block/block.h"
#include "traces/sketch/plan.h"

struct sketch_expander;

/* Parses the text anew, so that each expander has its own values.  `name`,
 * `text` and `options` are borrowed; they outlive the expander. */
teg_status sketch_expander_new(const char *name, const char *text, size_t size,
                               const struct teg_sketch_options *options,
                               struct sketch_expander **x, struct teg_diag *d);
void sketch_expander_free(struct sketch_expander *x);
struct teg_kernel *sketch_expander_kernel(struct sketch_expander *x);
/* NULL after the last block. */
teg_status sketch_expander_next(struct sketch_expander *x,
                                struct teg_block **block, struct teg_diag *d);

#endif
