/*
 * The words of memory that an SM's global atomics update: how many, and how
 * often the one that is updated most.
 *
 * Words fall into a fixed number of buckets; those side by side, and those in
 * rows of equal length, into different ones.  A bucket with one word knows it
 * exactly, and sums over SMs are the same in any order; a bucket with several
 * counts as two and says nothing of its busiest.
 */
#ifndef TEG_SIM_ENGINE_HOT_WORDS_H
#define TEG_SIM_ENGINE_HOT_WORDS_H

#include "sim/memory/plan.h"

enum {
    SIM_HOT_BUCKETS = 1021, /* a prime: rows of any other length spread */
};

struct sim_hot_words { /* zeroed: none */
    struct sim_hot_bucket {
        uint64_t word; /* number + 1; 0: none; UINT64_MAX: several */
        uint64_t lanes;
    } bucket[SIM_HOT_BUCKETS];
};

void sim_hot_words_add(struct sim_hot_words *h, const struct sim_places *p);
/* Adds what another SM has. */
void sim_hot_words_join(struct sim_hot_words *h,
                        const struct sim_hot_words *other);
/* Different words, at least; lanes that updated one of them, at most. */
void sim_hot_words_count(const struct sim_hot_words *h, uint64_t *words,
                         uint64_t *most);

#endif
