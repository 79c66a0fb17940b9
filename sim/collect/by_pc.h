/*
 * What every static instruction cost: the sums of sim/collect/statistics.h,
 * instruction by instruction, and for whose results it waited.
 *
 * A wait for operands is charged to the instruction that wrote, last before in
 * the same warp, the operand that came last.
 */
#ifndef TEG_SIM_COLLECT_BY_PC_H
#define TEG_SIM_COLLECT_BY_PC_H

#include "sim/events.h"

/* Warp-cycles one instruction waited for another one's result. */
struct by_pc_producer {
    uint32_t inst; /* index into the program, if cycles are not 0 */
    uint64_t cycles;
};

struct by_pc_row {
    uint64_t issued;            /* warp instructions */
    uint64_t lanes;             /* active, summed */
    uint64_t stall[TEG_STALLS]; /* warp-cycles before its issue */
    uint64_t requests;          /* to global and local memory */
    /* What memory made of them: counters.def. */
#define REQUEST(type, field, ...) type field;
#include "sim/collect/counters.def"
    /* shared memory */
    uint64_t shared_requests, passes, groups;
    uint64_t constant_requests, constant_addresses;
    /* Whom it waited for, in the order of the program. */
    struct by_pc_producer *producer; /* owned, [producers] */
    uint32_t producers;
};

struct by_pc_warp;

struct by_pc {
    const struct teg_program *program; /* borrowed, once started */
    struct by_pc_row *row;             /* owned, [count], as in the program */
    uint32_t count, capacity;
    int failed; /* out of memory: what follows was not counted */
    /* Private: who wrote which register of which resident warp. */
    struct by_pc_warp *warp; /* owned, [warps] */
    uint32_t warps, warps_per_sm;
    uint16_t dense[TEG_REG_COUNT]; /* number + 1 of a register; 0: not seen */
    uint16_t registers;            /* seen */
};

void by_pc_init(struct by_pc *b);
void by_pc_release(struct by_pc *b);
struct sim_listener by_pc_listener(struct by_pc *b);

/* After a sample (sim/sample/sample.h): every sum times `factor`. */
void by_pc_scale(struct by_pc *b, double factor);

/* Warp-cycles before its issue, all reasons together. */
uint64_t by_pc_stalled(const struct by_pc_row *row);
/* Index of the row before which warps waited longest; `b->count`: nobody
 * waited. */
uint32_t by_pc_most_stalled(const struct by_pc *b);
/* The producer waited for longest; its cycles are 0 if there is none. */
struct by_pc_producer by_pc_longest(const struct by_pc_row *row);
/* A row's place among the others. */
struct by_pc_rank {
    uint64_t stalled;
    uint32_t issued, index; /* of the row */
};

/* Fills `rank` ([b->count]), most stalled first, ties as in the program; returns
 * how many of them were issued: they come first. */
uint32_t by_pc_rank(const struct by_pc *b, struct by_pc_rank *rank);

#endif
