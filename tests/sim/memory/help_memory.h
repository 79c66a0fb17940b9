/*
 * A small memory whose cycles can be worked out by hand: 64 lines of L2 in 16
 * sets, 40 cycles away, before one DRAM channel at 100; no L1, nothing limits
 * rates.
 */
#ifndef TEG_TESTS_HELP_MEMORY_H
#define TEG_TESTS_HELP_MEMORY_H

#include "sim/memory/memory.h"

enum help_access {
    HELP_LOAD,
    HELP_STORE,
    HELP_ATOMIC
};

void help_memory_gpu(struct teg_gpu *gpu);
/* Fails the test out of memory. */
struct sim_memory *help_memory_open(const struct teg_gpu *gpu, uint32_t sms);

/* A plan of one transaction: `sectors` of one line. */
struct sim_plan help_memory_plan(uint64_t line, uint32_t sectors,
                                 enum help_access access);
/* Issues one whole line in cycle `now`; how long it takes. */
uint64_t help_memory_line(struct sim_memory *m, uint32_t sm, uint64_t line,
                          enum help_access access, uint64_t now);

#endif
