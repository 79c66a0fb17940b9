/*
 * How long warps take by themselves on a nominal machine, no chip's: one
 * instruction a cycle, in order, each once its registers are there.  A result
 * takes 5 cycles where the compiler knows how many, 25 inside an SM, 400 from
 * memory behind it; 35 where the warp has been at all of its lines lately.
 * Accesses to memory go one after the other, a pass of banks or a line a cycle.
 *
 * Models: that what a warp waits for follows from the order of its instructions,
 * from what they depend on, and from what it comes back to.
 * Leaves out: other warps, barriers, asynchronous copies, what others have
 * brought into a cache, and registers a trace does not list
 * (docs/dependences.md).
 */
#ifndef TEG_TRACES_STUDY_NOMINAL_H
#define TEG_TRACES_STUDY_NOMINAL_H

#include "isa/inst/inst.h"

enum {
    TEG_NOMINAL_LINES = 256, /* that a warp still has */
    TEG_NOMINAL_LINE = 128,  /* bytes */
};

/* Where the result of a load comes from. */
enum teg_nominal_source {
    NOMINAL_SM,    /* shared memory, or what is no load */
    NOMINAL_CACHE, /* lines it has, local memory */
    NOMINAL_MEMORY,
};

/* What an instruction does in memory. */
struct teg_nominal_access {
    enum teg_nominal_source source;
    uint32_t passes; /* 0: it has no part in memory */
};

/* Zeroed: no warp yet. */
struct teg_nominal {
    /* The clock goes on from warp to warp, so that what one has left in the
     * registers is over when the next begins. */
    uint64_t ready[TEG_REG_COUNT];
    uint64_t began, now, last_ready;
    uint64_t port; /* accesses begin from this cycle on */
    uint64_t warps, cycles, longest;
    uint64_t passes;                  /* of all accesses */
    uint64_t line[TEG_NOMINAL_LINES]; /* tags; the warp is part of them */
};

void teg_nominal_begin(struct teg_nominal *n);
/* True if the warp has the line of `address`, as it does from now on. */
int teg_nominal_has(struct teg_nominal *n, uint64_t address);
/* Where it comes from counts for an instruction whose result memory has. */
void teg_nominal_step(struct teg_nominal *n, const struct teg_inst *inst,
                      struct teg_nominal_access access);
void teg_nominal_end(struct teg_nominal *n);

/* Cycles of a warp, the mean; 0 without any. */
double teg_nominal_mean(const struct teg_nominal *n);

#endif
