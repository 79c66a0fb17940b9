#include "sim/memory/atomic.h"

#include <string.h>

#include "isa/base/minmax.h"
#include "isa/inst/atomic.h"
#include "sim/memory/banks.h"
#include "sim/memory/lanes.h"

enum {
    CHAINS = 64, /* a power of two */
    NONE = 255,
};

/* The lanes of `mask` by the word of `bytes` at which their elements begin. */
static void gather(struct sim_places *p, const struct teg_access *a,
                   uint32_t mask, uint32_t bytes)
{
    uint8_t head[CHAINS], next[TEG_LANES];

    memset(head, NONE, sizeof head);
    p->count = 0;
    for (; mask != 0; mask &= mask - 1) {
        uint64_t word = teg_access_lane(a, sim_first_lane(mask)) / bytes;
        uint8_t *chain = &head[word % CHAINS], i = *chain;

        while (i != NONE && p->address[i] != word * bytes)
            i = next[i];
        if (i != NONE) {
            p->lanes[i]++;
            continue;
        }
        p->address[p->count] = word * bytes;
        p->lanes[p->count] = 1;
        next[p->count] = *chain;
        *chain = (uint8_t)p->count++;
    }
}

void sim_atomic_places(struct sim_plan *plan, const struct teg_inst *inst,
                       const struct teg_access *a)
{
    gather(&plan->places, a, a->mask, SIM_ATOMIC_WORD_BYTES);
    if (inst->atomic != ATOMIC_COUNT)
        plan->request.atomic_conflicts =
            (uint16_t)(plan->request.active - plan->places.count);
}

/* ---- shared memory -------------------------------------------------------- */

int sim_atomic_serializes(const struct teg_gpu *gpu,
                          const struct teg_inst *inst)
{
    return (inst->flags & INST_ATOMIC) != 0 && inst->atomic != ATOMIC_COUNT &&
           gpu->shared.atomic_interval > 0 && gpu->memory.atomic_conflicts;
}

/* A bank makes a pass for each lane that wants any word of it; with ideal
 * banks, a word does. */
uint32_t sim_atomic_passes(const struct teg_gpu *gpu,
                           const struct teg_access *a, uint32_t mask,
                           uint32_t words)
{
    int ideal = gpu->shared.broadcast == BROADCAST_IDEAL;
    struct sim_places p;
    uint32_t of_bank[SIM_BANKS_MAX] = {0}, most = 0;

    gather(&p, a, mask, gpu->shared.bank_bytes);
    for (uint32_t i = 0; i < p.count; i++) {
        uint64_t word = p.address[i] / gpu->shared.bank_bytes;

        for (uint32_t w = 0; w < words && !ideal; w++) {
            uint32_t *passes = &of_bank[(word + w) % gpu->shared.banks];

            *passes += p.lanes[i];
            most = (uint32_t)teg_max(most, *passes);
        }
        if (ideal)
            most = (uint32_t)teg_max(most, p.lanes[i]);
    }
    return most;
}

/* ---- L2 ------------------------------------------------------------------- */

enum {
    SECTOR_WORDS = TEG_SECTOR_BYTES / SIM_ATOMIC_WORD_BYTES,
    DOUBLE_WORDS = 2,
    VECTOR_BYTES = 16,
};

/* What a transaction asks of its slice, sector by sector. */
struct share {
    uint32_t words[SIM_SECTORS]; /* one for each lane that wants it */
    uint32_t lanes[SIM_SECTORS]; /* at one of them, at most */
    uint32_t most;               /* of them */
};

/* Which element an atomic has, and how it is dealt with. */
struct element {
    uint32_t words;
    uint32_t at_once; /* words of a sector; 0: all */
    uint32_t sectors; /* at once */
    int by_sectors;
};

static struct element element_of(const struct teg_gpu *gpu, int is_float,
                                 int is_double, uint32_t bytes)
{
    struct element e = {
        .words = (uint32_t)teg_max(bytes / SIM_ATOMIC_WORD_BYTES, 1),
        .sectors = bytes == VECTOR_BYTES ? gpu->l2.atomic_vector_sectors : 1,
        .by_sectors = gpu->l2.atomic_sector_interval > 0};

    if (is_float)
        e.at_once = is_double ? gpu->l2.atomic_doubles * DOUBLE_WORDS
                              : gpu->l2.atomic_units;
    return e;
}

static uint32_t turns(uint32_t words, uint32_t at_once)
{
    return at_once != 0 ? (words + at_once - 1) / at_once : words != 0;
}

/* One sector after the other is updated, and meanwhile words for their further
 * lanes; in one sector that is a step for each lane at the busiest word. */
static void by_sectors(const struct share *s, const struct element *e,
                       struct sim_transaction *t)
{
    uint32_t updates = 0, most = (uint32_t)teg_max(s->most, 1);

    for (uint32_t i = 0; i < SIM_SECTORS; i++)
        updates += turns(s->words[i], e->at_once);
    updates = turns(updates, e->sectors);
    t->updates = (uint8_t)(updates > 1 ? updates : 0);
    t->steps = (uint8_t)(most > t->updates ? most - t->updates : 0);
}

static void by_line(const struct share *s, uint32_t units,
                    struct sim_transaction *t)
{
    uint32_t words = 0;

    for (uint32_t i = 0; i < SIM_SECTORS; i++)
        words += s->words[i];
    t->updates = 0;
    t->steps = (uint8_t)teg_max(teg_max(s->most, 1), turns(words, units));
}

/* What it is on its way: a sector, and it again for each further lane. */
static uint8_t packets(const struct share *s)
{
    uint32_t all = 0;

    for (uint32_t i = 0; i < SIM_SECTORS; i++)
        all += s->lanes[i];
    return (uint8_t)all;
}

static void set_steps(struct sim_plan *plan, uint32_t i,
                      const struct teg_gpu *gpu, const struct element *e,
                      const struct share *share)
{
    struct sim_transaction *t = &plan->transaction[i];
    struct sim_request *r = &plan->request;

    if (e->by_sectors)
        by_sectors(share, e, t);
    else
        by_line(share, gpu->l2.atomic_units, t);
    /* Atomics that cost nothing are sent as stores are. */
    t->packets = gpu->l2.atomic_interval > 0 ? packets(share) : 1;
    r->atomic_steps += t->updates + t->steps;
    if (t->updates + t->steps > r->most_updates + r->most_steps) {
        r->most_updates = t->updates;
        r->most_steps = t->steps;
    }
}

static void add_place(struct share *s, uint32_t sector, uint32_t lanes,
                      uint32_t words)
{
    s->words[sector] += lanes * words;
    s->lanes[sector] = (uint32_t)teg_max(s->lanes[sector], lanes);
    s->most = (uint32_t)teg_max(s->most, lanes);
}

/* Lanes' bytes are side by side, but who wants the word of another still
 * waits for it: the first transaction has all of them. */
static void share_ideal(const struct sim_plan *plan, uint32_t words,
                        int conflicts, struct share *share)
{
    struct share all = {0};
    uint32_t *left = &all.words[0];

    for (uint32_t p = 0; p < plan->places.count; p++)
        add_place(&all, 0, conflicts ? plan->places.lanes[p] : 1, words);
    for (uint32_t i = 0; i < plan->count; i++) {
        for (uint32_t n = 0; n < SIM_SECTORS; n++) {
            int is_last = i + 1 == plan->count && n + 1 == SIM_SECTORS;

            share[i].words[n] =
                is_last ? *left : (uint32_t)teg_min(*left, SECTOR_WORDS);
            *left -= share[i].words[n];
            share[i].lanes[n] = share[i].words[n] != 0;
        }
    }
    share[0].most = share[0].lanes[0] = all.most;
}

/* Transactions are lines, in the order in which lanes come to want them. */
static void share_lines(const struct sim_plan *plan, uint32_t words,
                        int conflicts, struct share *share)
{
    for (uint32_t p = 0; p < plan->places.count; p++) {
        uint64_t within = plan->places.address[p] % TEG_LINE_BYTES;
        uint64_t line = plan->places.address[p] - within;
        uint32_t i = 0;

        while (plan->transaction[i].address != line)
            i++;
        add_place(&share[i], (uint32_t)(within / TEG_SECTOR_BYTES),
                  conflicts ? plan->places.lanes[p] : 1, words);
    }
}

void sim_atomic_line_steps(struct sim_plan *plan, const struct teg_gpu *gpu,
                           uint32_t i, uint64_t from, uint64_t to,
                           uint32_t bytes)
{
    uint32_t rule = gpu->memory.coalescing;
    int is_float = plan->request.is_float;
    struct element e = element_of(
        gpu, is_float,
        is_float && bytes == DOUBLE_WORDS * SIM_ATOMIC_WORD_BYTES, bytes);
    struct share share = {0};

    for (uint64_t at = from / SIM_ATOMIC_WORD_BYTES * SIM_ATOMIC_WORD_BYTES;
         at < to && rule != COALESCING_CC10 && rule != COALESCING_CC12;
         at += SIM_ATOMIC_WORD_BYTES)
        add_place(&share, (uint32_t)(at % TEG_LINE_BYTES / TEG_SECTOR_BYTES), 1,
                  1);
    set_steps(plan, i, gpu, &e, &share);
}

void sim_atomic_steps(struct sim_plan *plan, const struct teg_gpu *gpu,
                      const struct teg_inst *inst)
{
    uint32_t rule = gpu->memory.coalescing;
    int conflicts = gpu->memory.atomic_conflicts != 0;
    struct element e =
        element_of(gpu, plan->request.is_float, inst->atomic == ATOMIC_DOUBLE,
                   inst->width < VECTOR_BYTES ? inst->width : VECTOR_BYTES);
    struct share share[SIM_LINES_MAX] = {0};

    if (rule == COALESCING_IDEAL)
        share_ideal(plan, e.words, conflicts, share);
    else if (rule == COALESCING_SECTORS || rule == COALESCING_LINES)
        share_lines(plan, e.words, conflicts, share);
    for (uint32_t i = 0; i < plan->count; i++)
        set_steps(plan, i, gpu, &e, &share[i]);
}
