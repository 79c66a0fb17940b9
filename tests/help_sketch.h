/* Sketches in tests: expanded into text that can be compared. */
#ifndef TEG_TESTS_HELP_SKETCH_H
#define TEG_TESTS_HELP_SKETCH_H

#include "traces/sketch/sketch.h"

/* A head for sketches whose launch shape does not matter: one warp of sm_70,
 * 1024 bytes of shared memory; its five lines come before `body`. */
#define HELP_SKETCH_HEAD "sketch 1\nisa sm_70\ngrid 1\nblock 32\nshared 1024\n"

enum {
    HELP_SKETCH_HEAD_LINES = 5
};

/*
 * Expands `text` completely; fails the test if that cannot be.  Each block is
 * "x,y,z", each of its warps " wN:", each instruction " I" with its index,
 * "/mask" unless all 32 lanes are active, and "@address" of each active lane
 * as "@first" or "@first+stride" when they are so spaced, else all of them.
 * The caller frees.
 */
char *help_sketch_expand(const char *text);
char *help_sketch_expand_with(const char *text, const char *set);

/* Parses and expands at most `blocks` blocks, keeping nothing; `steps_max` as
 * in the options. */
teg_status help_sketch_try(const char *text, size_t size, uint64_t blocks,
                           uint64_t steps_max, struct teg_diag *d);

#endif
