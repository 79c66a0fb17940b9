/*
 * What lanes want of lines: they come one after the other, and each line is a
 * transaction of the plan, in the order in which lanes come to want it, of the
 * sectors that have a wanted word.
 */
#ifndef TEG_SIM_MEMORY_WANTED_H
#define TEG_SIM_MEMORY_WANTED_H

#include <assert.h>

#include "sim/memory/line.h"
#include "sim/memory/plan.h"

enum {
    SIM_WORD_BYTES = 4,
};

/* The words of each transaction's line that lanes want. */
struct sim_wanted {
    struct sim_plan *plan;
    int rising; /* so far each line was above the one before */
    uint32_t words[SIM_TRANSACTIONS_MAX];
};

static inline void sim_wanted_begin(struct sim_wanted *w, struct sim_plan *plan)
{
    w->plan = plan;
    w->rising = 1;
}

/* Marks words of `line`, a new transaction if need be.  Lines mostly come in
 * rising order, and then a line above the last is new without a search. */
static inline void sim_wanted_mark(struct sim_wanted *w, uint64_t line,
                                   uint32_t words)
{
    struct sim_plan *plan = w->plan;
    uint32_t i = plan->count;

    if (i != 0 && (!w->rising || plan->transaction[i - 1].address >= line)) {
        while (i-- > 0) {
            if (plan->transaction[i].address == line) {
                w->words[i] |= words;
                return;
            }
        }
        w->rising = 0;
    }
    assert(plan->count < SIM_TRANSACTIONS_MAX);
    w->words[plan->count] = words;
    plan->transaction[plan->count++] =
        (struct sim_transaction){.address = line};
}

static inline uint32_t sim_word_mask(uint64_t from, uint64_t to)
{
    uint32_t first = (uint32_t)(from % TEG_LINE_BYTES / SIM_WORD_BYTES);
    uint32_t last = (uint32_t)(to % TEG_LINE_BYTES / SIM_WORD_BYTES);

    return (2u << last) - (1u << first);
}

static inline void sim_wanted_bytes(struct sim_wanted *w, uint64_t from,
                                    uint64_t bytes)
{
    uint64_t to = from + bytes - 1;

    while (from / TEG_LINE_BYTES != to / TEG_LINE_BYTES) {
        uint64_t line = from - from % TEG_LINE_BYTES;

        sim_wanted_mark(w, line, sim_word_mask(from, TEG_LINE_BYTES - 1));
        from = line + TEG_LINE_BYTES;
    }
    sim_wanted_mark(w, from - from % TEG_LINE_BYTES, sim_word_mask(from, to));
}

/* The word of byte `at` is written by another request, if its line is one of the
 * plan's. */
static inline void sim_wanted_fill(struct sim_wanted *w, uint64_t at)
{
    uint64_t line = at - at % TEG_LINE_BYTES;

    for (uint32_t i = 0; i < w->plan->count; i++) {
        if (w->plan->transaction[i].address == line)
            w->words[i] |= sim_word_mask(at, at);
    }
}

/* Bits 0, 8, 16 and 24 side by side. */
static inline uint32_t sim_every_eighth(uint32_t bits)
{
    return (bits & 0x01010101u) * 0x10204080u >> 28;
}

/* The sectors of eight words each that have any. */
static inline uint32_t sim_sectors_with(uint32_t words)
{
    words |= words >> 4;
    words |= words >> 2;
    return sim_every_eighth(words | words >> 1);
}

/* Enters the sectors and bytes of all transactions. */
static inline void sim_wanted_end(const struct sim_wanted *w)
{
    for (uint32_t i = 0; i < w->plan->count; i++) {
        struct sim_transaction *t = &w->plan->transaction[i];

        t->sectors = (uint8_t)sim_sectors_with(w->words[i]);
        t->partial = (uint8_t)(t->sectors & sim_sectors_with(~w->words[i]));
        t->bytes = (uint16_t)sim_sectors_bytes(t->sectors);
        w->plan->request.bytes += t->bytes;
    }
}

#endif
