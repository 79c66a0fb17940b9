/*
 * Patterns of addresses that were worked out before: kernels ask for the same
 * again and again, only elsewhere.
 *
 * Which bank a pattern begins in makes no difference to how many passes the
 * busiest one needs, where in a word it does; which line it begins in none to
 * how its lines lie to each other, where in a line it does.  Lists of addresses
 * are not kept.
 */
#ifndef TEG_SIM_MEMORY_KNOWN_H
#define TEG_SIM_MEMORY_KNOWN_H

#include "sim/memory/transaction.h"
#include "traces/block/cursor.h"

enum {
    SIM_KNOWN_BITS = 6,          /* of how many patterns' passes are kept */
    SIM_KNOWN_LINES_BITS = 4,    /* likewise, lines */
    SIM_KNOWN_LINES = TEG_LANES, /* of a pattern, at most */
};

/* What its passes, or lines, depend on besides where it begins; all 0: none. */
struct sim_known_key {
    uint64_t part[3];
};

enum sim_known_what {
    SIM_KNOWN_SHARED = 1, /* passes of shared memory */
    SIM_KNOWN_L1,         /* of L1 */
    SIM_KNOWN_COALESCED,
};

/* Zeroed, nothing is known.  Of one chip.  Each pattern has one place. */
struct sim_known {
    struct sim_known_pattern {
        struct sim_known_key key;
        uint32_t passes, groups;
    } pattern[1 << SIM_KNOWN_BITS];
    struct sim_known_lines {
        struct sim_known_key key;
        uint32_t count;
        /* Addresses: from the beginning of the line that the pattern begins in. */
        struct sim_transaction line[SIM_KNOWN_LINES];
    } lines[1 << SIM_KNOWN_LINES_BITS];
};

/* The key of access `a`, no list, of `width` bytes a lane, to what begins anew
 * every `unit` bytes, a power of two up to 2^16; `kind`: whatever else counts. */
static inline struct sim_known_key sim_known_key_of(enum sim_known_what what,
                                                    const struct teg_access *a,
                                                    uint32_t width,
                                                    uint64_t unit,
                                                    uint32_t kind)
{
    return (struct sim_known_key){
        {a->mask | (a->base & (unit - 1)) << 32 |
             (uint64_t)a->group_log2 << 48 | (uint64_t)a->shape << 56 |
             (uint64_t)what << 60,
         (uint32_t)a->stride | (uint64_t)(uint32_t)a->pitch << 32,
         width | (uint64_t)kind << 32}};
}

static inline uint64_t sim_known_place(const struct sim_known_key *key,
                                       unsigned bits)
{
    return (key->part[0] ^ key->part[1] ^ key->part[2]) * 0x9e3779b97f4a7c15u >>
           (64 - bits);
}

/* Whether `kept` is of `key`; from now on it is. */
static inline int sim_known_is(struct sim_known_key *kept,
                               const struct sim_known_key *key)
{
    int is = kept->part[0] == key->part[0] && kept->part[1] == key->part[1] &&
             kept->part[2] == key->part[2];

    if (!is)
        *kept = *key;
    return is;
}

/* Returns where the passes that `key` stands for are kept.  Unless `*is_known`
 * the caller fills them in. */
static inline struct sim_known_pattern *sim_known_passes(
    struct sim_known *known, struct sim_known_key key, int *is_known)
{
    struct sim_known_pattern *p =
        &known->pattern[sim_known_place(&key, SIM_KNOWN_BITS)];

    *is_known = sim_known_is(&p->key, &key);
    return p;
}

/* Likewise lines. */
static inline struct sim_known_lines *sim_known_lines_of(
    struct sim_known *known, struct sim_known_key key, int *is_known)
{
    struct sim_known_lines *p =
        &known->lines[sim_known_place(&key, SIM_KNOWN_LINES_BITS)];

    *is_known = sim_known_is(&p->key, &key);
    return p;
}

#endif
