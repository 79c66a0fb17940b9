/*
 * Kernel sketches: a kernel written in a few lines of text, expanded into a
 * trace.  The language is described in docs/sketch.md.
 *
 *     sketch 1
 *     kernel "axpy"
 *     isa sm_70
 *     grid 80
 *     block 256
 *     LDG.E R4, [R2 : 0x10000000 + 4*gtid]
 *     FFMA  R4, R4, R5, R6
 *     STG.E [R2 : 0x10000000 + 4*gtid], R4
 *     EXIT
 *
 * Blocks are expanded one at a time, in grid order with x fastest; memory is
 * what one block takes.
 */
#ifndef TEG_TRACES_SKETCH_SKETCH_H
#define TEG_TRACES_SKETCH_SKETCH_H

#include "traces/block/cursor.h"

/* Instructions (and rounds of loops) a warp may execute unless options say
 * otherwise. */
#define TEG_SKETCH_STEPS_MAX 100000000u

struct teg_sketch_options {
    const char *const *set; /* [set_count] "NAME=VALUE": values for `param`s */
    uint32_t set_count;
    uint64_t steps_max; /* 0: TEG_SKETCH_STEPS_MAX */
};

struct teg_sketch_param {
    char name[64];
    int64_t value;
    int64_t fallback; /* as the sketch gives it */
};

struct teg_sketch;

/* True if the first word that is no comment is `sketch`. */
int teg_sketch_recognise(const uint8_t *bytes, size_t size);

/* Reads and checks a sketch; `options` may be NULL. */
teg_status teg_sketch_open(const char *path,
                           const struct teg_sketch_options *options,
                           struct teg_sketch **s, struct teg_diag *d);
/* The same from memory, which is copied; `name` stands for the file. */
teg_status teg_sketch_parse(const char *name, const char *text, size_t size,
                            const struct teg_sketch_options *options,
                            struct teg_sketch **s, struct teg_diag *d);
void teg_sketch_close(struct teg_sketch *s);

/* Name, shape, resources and program.  Borrowed. */
const struct teg_kernel *teg_sketch_kernel(const struct teg_sketch *s);
/* The parameters in the order in which they are written.  Borrowed. */
const struct teg_sketch_param *teg_sketch_params(const struct teg_sketch *s,
                                                 uint32_t *count);

/* Opens the launch at its first block; can be done again and again, also
 * while other launches of the same sketch are open. */
teg_status teg_sketch_launch(const struct teg_sketch *s,
                             struct teg_launch *launch, struct teg_diag *d);

#endif
