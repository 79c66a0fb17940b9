/*
 * Passes through banks that were worked out before: kernels ask for the same
 * pattern again and again, only elsewhere.
 *
 * Which bank it begins in makes no difference to how many passes the busiest one
 * needs, where in a word it does.  Lists of addresses are not kept.
 */
#ifndef TEG_SIM_MEMORY_KNOWN_H
#define TEG_SIM_MEMORY_KNOWN_H

#include "traces/block/cursor.h"

enum {
    SIM_KNOWN = 64, /* patterns, a power of two: each has one place */
};

/* Of shared memory, or of L1. */
enum sim_known_where {
    SIM_KNOWN_SHARED = 1,
    SIM_KNOWN_L1,
};

struct sim_known_pattern {
    uint64_t key[3]; /* all 0: none */
    uint32_t passes, groups;
};

/* Zeroed, nothing is known.  Of one chip. */
struct sim_known {
    struct sim_known_pattern at[SIM_KNOWN];
};

/* Returns where the passes of access `a`, no list, of `width` bytes a lane, are
 * kept, of banks `word` bytes wide, a power of two up to 2^16; `kind`: whatever
 * else they depend on.  Unless `*is_known` the caller fills them in. */
static inline struct sim_known_pattern *sim_known_find(
    struct sim_known *known, enum sim_known_where where,
    const struct teg_access *a, uint32_t width, uint64_t word, uint32_t kind,
    int *is_known)
{
    uint64_t key[3] = {a->mask | (a->base & (word - 1)) << 32 |
                           (uint64_t)a->group_log2 << 48 |
                           (uint64_t)a->shape << 56 | (uint64_t)where << 60,
                       (uint32_t)a->stride | (uint64_t)(uint32_t)a->pitch << 32,
                       width | (uint64_t)kind << 32};
    uint64_t mixed = (key[0] ^ key[1] ^ key[2]) * 0x9e3779b97f4a7c15u;
    struct sim_known_pattern *p = &known->at[mixed >> 58];

    *is_known =
        p->key[0] == key[0] && p->key[1] == key[1] && p->key[2] == key[2];
    if (!*is_known)
        *p = (struct sim_known_pattern){.key = {key[0], key[1], key[2]}};
    return p;
}

#endif
