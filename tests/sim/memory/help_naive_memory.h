/*
 * The reference memory: docs/simulator.md, "Global memory", read aloud.  One
 * transaction after the other goes its whole way; what is kept lies in lists
 * searched from the front, least recently used is the smallest of stamps, and
 * nothing is worked out before it is needed.  It shares with sim/memory the
 * plan it is handed and nothing else, but for followers: of what their leader's
 * L1 has left to be fetched it takes the fast one's word.
 */
#ifndef TEG_TESTS_SIM_MEMORY_HELP_NAIVE_MEMORY_H
#define TEG_TESTS_SIM_MEMORY_HELP_NAIVE_MEMORY_H

#include "sim/memory/memory.h"

struct naive_memory;

/* These are sim_memory_new, _free, _ready_at, _issue and _channel_bytes;
 * out of memory ends the test. */
struct naive_memory *naive_memory_new(const struct teg_gpu *gpu, uint32_t sms,
                                      uint32_t l1_bytes);
void naive_memory_free(struct naive_memory *m);
uint64_t naive_memory_ready_at(struct naive_memory *m, uint32_t sm,
                               uint64_t now, uint32_t bytes);
uint64_t naive_memory_issue(struct naive_memory *m, uint32_t sm, uint64_t now,
                            struct sim_plan *plan, uint32_t inst_flags);
/* The planned request of follower `sm`, before its leader's goes on. */
void naive_memory_follow(struct naive_memory *m, uint32_t sm, uint64_t cycle,
                         struct sim_plan *plan, const struct sim_plan *leader,
                         const struct sim_misses *misses);
/* What comes next is of that launch, of several on the chip. */
void naive_memory_turn_to(struct naive_memory *m, uint32_t launch);
/* Another kernel begins: sim_memory_carry into a new memory. */
void naive_memory_next_kernel(struct naive_memory *m, uint32_t l1_bytes);
/* sim_memory_write. */
void naive_memory_write(struct naive_memory *m, uint64_t address,
                        uint64_t bytes);
/* sim_memory_rest. */
void naive_memory_rest(struct naive_memory *m);
uint64_t naive_memory_atomic_cycles(const struct naive_memory *m);
void naive_memory_channel_bytes(const struct naive_memory *m, uint64_t *most,
                                uint64_t *sum);

#endif
