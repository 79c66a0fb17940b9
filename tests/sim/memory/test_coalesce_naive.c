/* Coalescing and bank conflicts against the rules applied byte by byte:
 * random addresses in every shape, random rules. */
#include "sim/memory/coalesce.h"

#include "isa/inst/atomic.h"

#include <string.h>

#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "tests/sim/memory/help_naive_coalesce.h"

enum {
    TESTS = 10,
    PER_TEST = HELP_ROUNDS(20000),
    SHARED_BASE = 1 << 30,
    LOCAL_BASE = 1 << 29,
};

static int one_in(uint64_t *state, uint32_t n)
{
    return help_below(state, n) == 0;
}

static void random_rules(struct teg_gpu *gpu, uint64_t *state)
{
    help_gpu_plain(gpu);
    gpu->chip.compute_capability = one_in(state, 2) ? 13 : 70;
    gpu->memory.coalescing = help_below(state, COALESCING_IDEAL + 1);
    gpu->l1.bytes = one_in(state, 4) ? 0 : 4096;
    gpu->l1.banks = one_in(state, 2) ? 32 : 1u << help_below(state, 7);
    if (one_in(state, 5))
        gpu->l1.banks = 0;
    gpu->l2.atomic_units = one_in(state, 2) ? 0 : 1 + help_below(state, 9);
    gpu->l2.atomic_sector_interval = help_below(state, 2);
    gpu->l2.atomic_doubles = (uint32_t)help_below(state, 5);
    gpu->l2.atomic_interval = help_below(state, 3);
    gpu->l2.atomic_vector_sectors =
        1 + (uint32_t)help_below(state, 4) * one_in(state, 2);
    gpu->memory.atomic_conflicts = !one_in(state, 5);
    gpu->shared.atomic_interval = help_below(state, 3);
    gpu->l1.tag_banks = one_in(state, 5) ? 0 : 1u << help_below(state, 6);
    gpu->shared.packs_pairs = help_below(state, 2);
    if (one_in(state, 3))
        return; /* 32 banks of 4 bytes, which has short cuts of its own */
    gpu->shared.banks = one_in(state, 2) ? 32 : 1u << help_below(state, 8);
    gpu->shared.bank_bytes = one_in(state, 2) ? 4 : 1u << help_below(state, 6);
    gpu->shared.group = one_in(state, 2) ? 16 : 32;
    gpu->shared.broadcast = help_below(state, BROADCAST_IDEAL + 1);
    gpu->shared.passes_128 = 1 + help_below(state, 8);
}

static struct teg_inst random_inst(uint64_t *state)
{
    static const uint8_t spaces[] = {SPACE_GLOBAL, SPACE_GLOBAL,  SPACE_SHARED,
                                     SPACE_LOCAL,  SPACE_GENERIC, SPACE_CONST};
    static const uint16_t flags[] = {INST_LOAD,
                                     INST_LOAD,
                                     INST_LOAD,
                                     INST_LOAD | INST_BYPASS_L1,
                                     INST_STORE,
                                     INST_STORE | INST_BYPASS_L1,
                                     INST_ATOMIC,
                                     INST_STORE | INST_ATOMIC,
                                     INST_LOAD | INST_ATOMIC};

    return (struct teg_inst){
        .op_class = one_in(state, 8) ? CLASS_LDSM : CLASS_LDS,
        .space = spaces[help_below(state, sizeof spaces)],
        .flags = flags[help_below(state, sizeof flags / sizeof flags[0])],
        .atomic = (uint8_t)help_below(state, ATOMIC_COUNT + 1),
        /* 0 where a trace does not tell */
        .width = (uint16_t)(one_in(state, 20) ? 0 : 1u << help_below(state, 6)),
        .nearby = one_in(state, 3)   ? help_random(state) & help_random(state)
                  : one_in(state, 2) ? UINT64_MAX << help_below(state, 64)
                                     : 0,
    };
}

static uint32_t random_mask(uint64_t *state)
{
    switch (help_below(state, 5)) {
    case 0:
        return 1u << help_below(state, 32);
    case 1:
        return 0xffffu << 16 * help_below(state, 2);
    case 2:
        return (uint32_t)help_random(state) | 1;
    default:
        return UINT32_MAX;
    }
}

/* Lanes ask for the same two by two, but for one of them now and then. */
static void pair_up(struct teg_access *a, uint32_t apart, uint64_t *state)
{
    a->shape = SHAPE_LIST;
    for (uint32_t l = 0; l < TEG_LANES; l++) {
        if (l & apart)
            a->lane[l] = a->lane[l ^ apart];
    }
    if (one_in(state, 3))
        a->lane[help_below(state, TEG_LANES)] += 16;
}

/* Elements aligned to their size, but for a few. */
static struct teg_access random_access(const struct teg_inst *inst,
                                       uint64_t *state)
{
    static const uint64_t bases[] = {1 << 20,
                                     SHARED_BASE,
                                     LOCAL_BASE,
                                     SHARED_BASE - 4096,
                                     LOCAL_BASE + (1 << 24),
                                     1ull << 45};
    uint64_t width = inst->width != 0 && !one_in(state, 8) ? inst->width : 1;
    uint32_t range = 1u << (2 + help_below(state, 12));
    struct teg_access a = {
        .shape = (enum teg_shape)help_below(state, SHAPE_LIST + 1),
        .mask = random_mask(state),
        .base = bases[help_below(state, 6)] +
                width * help_below(state, one_in(state, 2) ? 4 : 256),
        .stride = (int32_t)width * ((int32_t)help_below(state, 40) - 4),
        .pitch = (int32_t)width * ((int32_t)help_below(state, 300) - 40),
        .group_log2 = 1 + help_below(state, 4),
    };

    if (one_in(state, 2))
        a.stride = (int32_t)width << help_below(state, 8);
    if (one_in(state, 4))
        a.stride = (int32_t)width;
    if (one_in(state, 4)) { /* rows of a tile */
        a.group_log2 = 4;
        a.stride = one_in(state, 2) ? 0 : (int32_t)width;
        a.pitch = (int32_t)width * (4 << help_below(state, 6));
    }
    for (uint32_t l = 0; l < TEG_LANES; l++)
        a.lane[l] = a.base + width * help_below(state, range);
    if (one_in(state, 6))
        pair_up(&a, 1u << help_below(state, 3), state);
    return a;
}

static void compare_transactions(const struct sim_plan *fast,
                                 const struct sim_plan *naive, uint64_t seed)
{
    for (uint32_t i = 0; i < fast->count; i++) {
        const struct sim_transaction *a = &fast->transaction[i];
        const struct sim_transaction *b = &naive->transaction[i];

        ck_assert_msg(a->address == b->address && a->bytes == b->bytes &&
                          a->sectors == b->sectors &&
                          a->partial == b->partial &&
                          a->updates == b->updates && a->steps == b->steps &&
                          a->packets == b->packets,
                      "seed %llu transaction %u: %#llx, %u bytes, sectors %x, "
                      "in part %x, %u steps; naive %#llx, %u, %x, %x, %u",
                      (unsigned long long)seed, i,
                      (unsigned long long)a->address, a->bytes, a->sectors,
                      a->partial, a->steps, (unsigned long long)b->address,
                      b->bytes, b->sectors, b->partial, b->steps);
    }
}

#define SAME(field)                                                           \
    ck_assert_msg(fast.field == naive.field, "seed %llu: %s is %u, naive %u", \
                  (unsigned long long)seed, #field, (unsigned)fast.field,     \
                  (unsigned)naive.field)

/* What was asked for before: much the same, elsewhere. */
static void ask_before(struct sim_known *known, const struct teg_gpu *gpu,
                       const struct teg_inst *inst, const struct teg_access *a,
                       const struct sim_windows *windows, uint64_t *state)
{
    for (uint32_t i = help_below(state, 4); i != 0; i--) {
        struct teg_access before = *a;
        struct teg_inst other = one_in(state, 3) ? random_inst(state) : *inst;
        struct sim_plan plan;

        before.base += 4ull << help_below(state, 14);
        if (one_in(state, 4))
            before.pitch += 4;
        if (one_in(state, 4))
            before.mask &= (uint32_t)help_random(state);
        if (before.mask == 0)
            continue;
        sim_plan_make_as_known(&plan, gpu, &other, &before, windows, known);
    }
}

static void run_one(uint64_t seed)
{
    static const struct sim_windows windows = {SHARED_BASE, LOCAL_BASE, 1};
    uint64_t state = seed * 2654435761u + 1;
    struct teg_inst inst = random_inst(&state);
    struct sim_known known = {0};
    struct sim_plan fast, naive;
    struct teg_access a;
    struct teg_gpu gpu;

    random_rules(&gpu, &state);
    /* No chip before Blackwell has it. */
    if (inst.width == 32 && (gpu.memory.coalescing == COALESCING_CC10 ||
                             gpu.memory.coalescing == COALESCING_CC12))
        inst.width = 16;
    a = random_access(&inst, &state);
    ask_before(&known, &gpu, &inst, &a, &windows, &state);
    sim_plan_make_as_known(&fast, &gpu, &inst, &a, &windows, &known);
    naive_plan_make(&naive, &gpu, &inst, &a, &windows);
    SAME(request.space);
    SAME(request.is_store);
    SAME(request.is_atomic);
    SAME(request.is_float);
    SAME(request.atomic_conflicts);
    SAME(request.atomic_steps);
    SAME(request.most_updates);
    SAME(request.most_steps);
    SAME(request.active);
    SAME(request.passes);
    SAME(request.groups);
    SAME(count);
    SAME(groups);
    compare_transactions(&fast, &naive, seed);
    SAME(request.transactions);
    SAME(request.bytes);
    SAME(request.useful_bytes);
    SAME(request.l1_passes);
    SAME(request.l1_lines);
    SAME(request.coalesced);
}

START_TEST(plans_agree_on_every_transaction_and_pass)
{
    for (uint64_t i = 0; i < PER_TEST; i++)
        run_one((uint64_t)_i * PER_TEST + i + 1);
}
END_TEST

HELP_MAIN("sim/memory/coalesce against the naive rules", 60,
          {plans_agree_on_every_transaction_and_pass, TESTS})
