#include "sim/memory/atomic.h"

#include <string.h>

#include "isa/base/minmax.h"
#include "isa/inst/atomic.h"
#include "sim/memory/banks.h"
#include "sim/memory/lanes.h"

enum {
    CHAINS = 64, /* a power of two */
    NONE = 255,
    LINE_WORDS = TEG_LINE_BYTES / SIM_ATOMIC_WORD_BYTES,
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

/* What a transaction asks of its slice. */
struct share {
    uint32_t words; /* to be updated, a word for each lane that wants it */
    uint32_t most;  /* lanes at one of them */
};

static uint8_t steps_of(const struct share *s, const struct teg_gpu *gpu)
{
    uint32_t units = gpu->l2.atomic_units;
    uint32_t turns = units != 0 ? (s->words + units - 1) / units : 1;

    return (uint8_t)teg_max(teg_max(s->most, turns), 1);
}

static void add_place(struct share *s, uint32_t lanes, uint32_t words)
{
    s->words += lanes * words;
    s->most = (uint32_t)teg_max(s->most, lanes);
}

/* Lanes' bytes are side by side, but who wants the word of another still
 * waits for it: the first transaction has all of them. */
static void share_ideal(const struct sim_plan *plan, uint32_t words,
                        int conflicts, struct share *share)
{
    struct share all = {0};

    for (uint32_t p = 0; p < plan->places.count; p++)
        add_place(&all, conflicts ? plan->places.lanes[p] : 1, words);
    for (uint32_t i = 0; i < plan->count; i++) {
        share[i].words = i + 1 < plan->count
                             ? (uint32_t)teg_min(all.words, LINE_WORDS)
                             : all.words;
        all.words -= share[i].words;
    }
    share[0].most = all.most;
}

/* Transactions are lines, in the order in which lanes come to want them. */
static void share_lines(const struct sim_plan *plan, uint32_t words,
                        int conflicts, struct share *share)
{
    for (uint32_t p = 0; p < plan->places.count; p++) {
        uint64_t line =
            plan->places.address[p] - plan->places.address[p] % TEG_LINE_BYTES;
        uint32_t i = 0;

        while (plan->transaction[i].address != line)
            i++;
        add_place(&share[i], conflicts ? plan->places.lanes[p] : 1, words);
    }
}

uint8_t sim_atomic_line_steps(const struct teg_gpu *gpu, uint32_t words)
{
    uint32_t rule = gpu->memory.coalescing;
    int has_steps = rule != COALESCING_CC10 && rule != COALESCING_CC12;
    const struct share share = {has_steps ? words : 0, 1};

    return steps_of(&share, gpu);
}

void sim_atomic_steps(struct sim_plan *plan, const struct teg_gpu *gpu,
                      const struct teg_inst *inst)
{
    uint32_t rule = gpu->memory.coalescing;
    int conflicts = gpu->memory.atomic_conflicts != 0;
    uint32_t width = inst->width < 16 ? inst->width : 16;
    uint32_t words = (uint32_t)teg_max(width / SIM_ATOMIC_WORD_BYTES, 1);
    struct share share[SIM_LINES_MAX] = {0};

    if (rule == COALESCING_IDEAL)
        share_ideal(plan, words, conflicts, share);
    else if (rule == COALESCING_SECTORS || rule == COALESCING_LINES)
        share_lines(plan, words, conflicts, share);
    for (uint32_t i = 0; i < plan->count; i++) {
        plan->transaction[i].steps = steps_of(&share[i], gpu);
        plan->request.atomic_steps += plan->transaction[i].steps;
        plan->request.atomic_depth = (uint8_t)teg_max(
            plan->request.atomic_depth, plan->transaction[i].steps);
    }
}
