/*
 * Test launches made from arrays: the smallest thing that can stand behind
 * struct teg_launch.
 *
 * A test writes down a program and, for every block and warp, which
 * instructions it executes with which mask and addresses; the helper builds
 * the blocks through the real builder.
 */
#ifndef TEG_TESTS_HELP_LAUNCH_H
#define TEG_TESTS_HELP_LAUNCH_H

#include "traces/block/cursor.h"

struct help_step {
    uint32_t inst;
    uint32_t mask;
    uint64_t base; /* LINE addresses, if the instruction has any */
    int32_t stride;
    /* Or one by one; overrides base and stride.  Behind the 32 stand the
     * further values of an instruction that has some: of lane 0, and `stride`
     * is from lane to lane; of texels
     * and sleep those of all lanes, 32 after 32. */
    const uint64_t *lane;
};

struct help_warp {
    const struct help_step *step;
    uint32_t steps;
};

struct help_launch {
    struct teg_kernel kernel; /* fill name (strdup), grid, block, ... */
    /* Streams of block b are warp[b * warps_per_block ...]. */
    const struct help_warp *warp;
    uint32_t blocks, warps_per_block;
    uint32_t next;
};

/* Fills `launch` from `h`, which must outlive it; can be called again to
 * start over. */
void help_launch_open(struct help_launch *h, struct teg_launch *launch);
void help_launch_release(struct help_launch *h);

/* `inst` as it stands with such a text, which says what it does with groups. */
uint32_t help_inst(struct teg_program *p, struct teg_inst inst,
                   const char *text);

/* A plain arithmetic instruction: `class`, one destination, up to three
 * sources (255 = none).  Returns its index. */
uint32_t help_arith(struct teg_program *p, enum teg_op_class class_,
                    uint16_t dst, uint16_t a, uint16_t b, uint16_t c);
/* The same with its operands in the text; bit i of `reuse` marks the i-th. */
uint32_t help_arith_reuse(struct teg_program *p, enum teg_op_class class_,
                          uint16_t dst, const uint16_t src[3], uint32_t reuse);
/* A memory instruction of `width` bytes a lane; `reg` is loaded or stored,
 * `address` the address register (255 = none). */
uint32_t help_memory(struct teg_program *p, enum teg_op_class class_,
                     enum teg_space space, uint16_t flags, uint16_t width,
                     uint16_t reg, uint16_t address);
/* One with further values. */
uint32_t help_values(struct teg_program *p, enum teg_op_class class_,
                     enum teg_space space, uint16_t flags,
                     enum teg_values values);
uint32_t help_exit(struct teg_program *p);
uint32_t help_barrier(struct teg_program *p);
/* The barrier of a cluster of blocks: to come to it, and to wait there. */
uint32_t help_cluster_arrive(struct teg_program *p);
uint32_t help_cluster_wait(struct teg_program *p);
/* PREEXIT and ACQBULK. */
uint32_t help_lets_grids(struct teg_program *p);
uint32_t help_waits_for_grid(struct teg_program *p);

/* xorshift64*: the same numbers on every machine. */
uint64_t help_random(uint64_t *state);
/* 0 .. n - 1 */
uint32_t help_below(uint64_t *state, uint32_t n);

#endif
