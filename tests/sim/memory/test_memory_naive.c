/* The memory that packs, remembers and looks up against the one that does
 * none of it: on random descriptions, from chips without a cache to those with
 * halves, every cycle, every hit and every byte of random requests. */
#include "sim/memory/memory.h"
#include "sim/memory/merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/param.h"
#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "tests/sim/memory/help_naive_memory.h"

enum {
    TESTS = 16,
    PER_TEST = HELP_ROUNDS(1000), /* descriptions */
    AT_ONCE = 6,                  /* requests begun before the first is ended */
    LINE = 128,
    SMS_MAX = 40,
};

/* ---- descriptions --------------------------------------------------------- */

static int one_in(uint64_t *state, uint32_t n)
{
    return help_below(state, n) == 0;
}

/* 1 to `most`, each power of two as often as the next. */
static uint32_t up_to(uint64_t *state, uint32_t most)
{
    uint32_t bits = 0;
    uint64_t value;

    while (bits < 31 && most >> bits > 1)
        bits++;
    value = 1u << help_below(state, bits + 1);
    value += help_below(state, (uint32_t)value);
    return value > most ? most : (uint32_t)value;
}

static uint32_t power_of_two(uint64_t *state, uint32_t least, uint32_t most)
{
    uint32_t value = least;

    while (value < most && !one_in(state, 3))
        value *= 2;
    return value;
}

/* 0 or up to `most`; whole, or with a fraction. */
static double real(uint64_t *state, uint32_t most)
{
    uint32_t value = up_to(state, most);

    switch (help_below(state, 4)) {
    case 0:
        return 0;
    case 1:
        return value;
    case 2:
        return value / 4.0;
    default:
        return value / (1 + help_below(state, 97) / 97.0);
    }
}

static void random_memory(struct teg_gpu *gpu, uint64_t *state)
{
    gpu->memory.coalescing = help_below(state, COALESCING_IDEAL + 1);
    gpu->memory.transaction_interval = real(state, 64);
    gpu->memory.transaction_latency = one_in(state, 3) ? real(state, 256) : 0;
    gpu->memory.request_interval = one_in(state, 2) ? real(state, 16) : 0;
    gpu->memory.in_flight_bytes =
        one_in(state, 3) ? up_to(state, one_in(state, 8) ? 16777216 : 8192) : 0;
    gpu->memory.cluster_bytes_per_cycle =
        real(state, one_in(state, 8) ? 65536 : 128);
    gpu->memory.warp_bytes_per_cycle = one_in(state, 4) ? real(state, 128) : 0;
    gpu->memory.copy_out_bytes_per_cycle =
        one_in(state, 4) ? real(state, 128) : 0;
    gpu->memory.store_interval = one_in(state, 4) ? real(state, 16) : 0;
    gpu->memory.store_lines =
        one_in(state, 2) ? 1 + (uint32_t)real(state, 30) : 0;
    gpu->memory.copy_line_interval = one_in(state, 4) ? real(state, 16) : 0;
}

static uint32_t random_ways(uint64_t *state)
{
    return one_in(state, 50) ? up_to(state, 1024) : up_to(state, 8);
}

static uint32_t random_bytes(uint64_t *state, uint32_t ways, uint32_t slices)
{
    return LINE * ways * slices * up_to(state, ways * slices < 64 ? 16 : 2);
}

static void random_l1(struct teg_gpu *gpu, uint64_t *state)
{
    gpu->l1.ways = random_ways(state);
    gpu->l1.hash = help_below(state, 2);
    gpu->l1.in_order = help_below(state, 2);
    gpu->l1.latency = help_below(state, 60);
    gpu->l1.always_hits = one_in(state, 20);
    if (one_in(state, 3))
        return;
    gpu->l1.bytes = random_bytes(state, gpu->l1.ways, 1);
}

static void random_l2(struct teg_gpu *gpu, uint64_t *state)
{
    gpu->l2.ways = random_ways(state);
    gpu->l2.slices = up_to(state, one_in(state, 20) ? 1024 : 8);
    gpu->l2.latency = gpu->l1.latency + help_below(state, 300);
    gpu->l2.bytes_per_cycle = real(state, one_in(state, 20) ? 1048576 : 512);
    gpu->l2.fill_interval = one_in(state, 2) ? real(state, 8) : 0;
    gpu->l2.far_passes_near = one_in(state, 2);
    gpu->l2.partial_interval = one_in(state, 2) ? real(state, 16) : 0;
    gpu->l2.partial_joined = one_in(state, 2) ? up_to(state, 256) : 0;
    gpu->l2.sector_interval = one_in(state, 2) ? real(state, 16) : 0;
    gpu->l2.repeat_interval = one_in(state, 2) ? real(state, 8) : 0;
    gpu->l2.join_lines = one_in(state, 2) ? up_to(state, 64) : 0;
    gpu->l2.completes_sectors = one_in(state, 2);
    gpu->l1.merged_sectors = one_in(state, 2) ? up_to(state, 32) : 0;
    gpu->l2.fetch_bytes = 32u << help_below(state, 3);
    gpu->l2.dirty_share = one_in(state, 2) ? real(state, 1) : 1;
    gpu->l2.writes_resting = one_in(state, 2);
    gpu->l2.atomic_interval = real(state, one_in(state, 20) ? 1024 : 32);
    gpu->l2.atomic_float_word_interval = one_in(state, 2) ? real(state, 32) : 0;
    gpu->l2.atomic_float_interval = one_in(state, 2) ? real(state, 32) : 0;
    if (one_in(state, 4))
        return;
    gpu->l2.bytes = random_bytes(state, gpu->l2.ways, gpu->l2.slices);
    gpu->l2.far_bytes_per_cycle = real(state, 256);
    if (one_in(state, 2) || gpu->l2.slices % 2 != 0)
        return;
    gpu->l2.half_sms = up_to(state, 8);
    gpu->l2.far_latency = gpu->l2.latency + help_below(state, 200);
}

static void random_tlb(struct teg_gpu *gpu, uint64_t *state)
{
    gpu->tlb.page_bytes = power_of_two(state, 4096, 1u << 30);
    gpu->tlb.walk_bytes = power_of_two(state, 4096, 1u << 30);
    gpu->tlb.miss_latency = real(state, one_in(state, 8) ? 10000 : 100);
    gpu->tlb.walk_latency = one_in(state, 2) ? up_to(state, 100000) : 0;
    if (one_in(state, 2))
        gpu->tlb.entries = up_to(state, one_in(state, 20) ? 4096 : 16);
}

static void random_dram(struct teg_gpu *gpu, uint64_t *state)
{
    uint32_t least = gpu->l1.latency;

    if (gpu->l2.latency > least)
        least = gpu->l2.latency;
    if (gpu->l2.far_latency > least)
        least = gpu->l2.far_latency;
    gpu->dram.channels = up_to(state, one_in(state, 20) ? 1024 : 12);
    gpu->dram.interleave_bytes = power_of_two(state, 32, 65536);
    gpu->dram.bandwidth_gbs = real(state, one_in(state, 8) ? 1000000 : 1000);
    gpu->dram.reached_gbs =
        one_in(state, 2) ? 0 : gpu->dram.bandwidth_gbs / (1 + real(state, 4));
    gpu->dram.store_bytes_per_cycle = one_in(state, 2) ? real(state, 64) : 0;
    gpu->dram.turnaround = real(state, one_in(state, 8) ? 10000 : 100);
    gpu->dram.write_batch_bytes =
        one_in(state, 3) ? 0 : up_to(state, one_in(state, 20) ? 1048576 : 4096);
    gpu->dram.latency = least + help_below(state, 400);
    gpu->dram.hash = help_below(state, 2);
    gpu->dram.spread = one_in(state, 8);
    /* Of no draw: what else a seed gives stays. */
    gpu->dram.of_slices =
        gpu->l2.slices % gpu->dram.channels == 0 && gpu->dram.latency % 2 == 0;
    if (gpu->l2.slices % gpu->dram.channels == 0 && gpu->l2.far_latency == 0 &&
        gpu->dram.latency % 3 != 0)
        gpu->l2.piece_bytes = gpu->l2.slices / gpu->dram.channels * 128 *
                              (1 + gpu->dram.latency % 9);
    if (gpu->dram.latency % 4 != 0)
        gpu->l2.half_bytes = 128 * (1 + gpu->dram.latency % 7);
    if (gpu->dram.latency % 6 < 4)
        gpu->dram.delay_ns = gpu->dram.latency % 11 * 2.5;
    gpu->l2.atomic_bytes = 128u << gpu->dram.latency % 3;
    if (gpu->dram.latency % 5 < 2)
        gpu->l2.atomic_sector_interval = 1 + gpu->dram.latency % 37 / 8.0;
}

/* There are textures if they have a rate, which the memory does not look at. */
static void random_textures(struct teg_gpu *gpu, uint64_t seed)
{
    uint64_t own = seed, *state = &own;

    gpu->texture.quad_interval = one_in(state, 3);
    gpu->texture.l1_ways = random_ways(state);
    if (one_in(state, 2))
        gpu->texture.l1_bytes = random_bytes(state, gpu->texture.l1_ways, 1);
    gpu->timing[CLASS_TEX].latency = help_below(state, 300);
}

static void random_gpu(struct teg_gpu *gpu, uint64_t *state)
{
    struct teg_diag d;

    help_gpu_plain(gpu);
    gpu->chip.sm_clock_mhz = 500 + 1000 * real(state, 2);
    gpu->chip.sms = up_to(state, SMS_MAX);
    gpu->chip.gpcs = up_to(state, gpu->chip.sms);
    gpu->chip.sms_per_tpc = up_to(state, 3);
    gpu->chip.sms_per_cluster =
        up_to(state, gpu->chip.sms < 8 ? gpu->chip.sms : 8);
    gpu->chip.cluster_numbering = one_in(state, 2);
    random_memory(gpu, state);
    random_l1(gpu, state);
    random_l2(gpu, state);
    random_tlb(gpu, state);
    random_dram(gpu, state);
    random_textures(gpu, *state);
    ck_assert_msg(teg_gpu_check(gpu, &d) == TEG_OK, "%s", d.what);
}

/* ---- requests ------------------------------------------------------------- */

/* What a kernel touches: lines at equal distances. */
struct footprint {
    uint64_t base;
    uint32_t lines, favorites; /* which it touches more often */
    uint64_t apart;            /* bytes */
};

static struct footprint random_footprint(uint64_t *state)
{
    struct footprint f = {
        .base = (uint64_t)help_below(state, 1u << 20) * LINE *
                (one_in(state, 2) ? 1 : 65536),
        .lines = up_to(state, 8192),
        .apart = (uint64_t)LINE * (one_in(state, 2) ? 1 : up_to(state, 32768)),
    };

    f.favorites = up_to(state, f.lines);
    return f;
}

static uint64_t random_line(const struct footprint *f, uint64_t *state)
{
    return f->base +
           f->apart *
               help_below(state, one_in(state, 2) ? f->lines : f->favorites);
}

static int has_line(const struct sim_plan *plan, uint64_t line)
{
    for (uint32_t i = 0; i < plan->count; i++) {
        if (plan->transaction[i].address == line)
            return 1;
    }
    return 0;
}

/* A transaction as the rule makes them. */
static struct sim_transaction random_transaction(uint32_t rule, uint64_t line,
                                                 uint64_t *state)
{
    struct sim_transaction t = {.address = line, .bytes = LINE, .sectors = 15};

    if (rule == COALESCING_CC10 || rule == COALESCING_CC12) {
        t.bytes = (uint16_t)(32 << help_below(state, 3));
        t.address += help_below(state, LINE / t.bytes) * t.bytes;
        t.sectors = 0;
    } else if (rule != COALESCING_LINES && !one_in(state, 3)) {
        t.sectors = (uint8_t)(1 + help_below(state, 15));
        t.bytes = (uint16_t)(__builtin_popcount(t.sectors) * TEG_SECTOR_BYTES);
        t.parts = (uint8_t)(t.sectors & help_below(state, 16));
        t.partial = (uint8_t)(t.parts & help_below(state, 16));
    }
    return t;
}

static void random_plan(struct sim_plan *plan, const struct teg_gpu *gpu,
                        const struct footprint *f, uint64_t *state)
{
    uint32_t rule = gpu->memory.coalescing, kind = help_below(state, 8);
    int halves = rule == COALESCING_CC10 || rule == COALESCING_CC12;
    uint32_t wanted = one_in(state, 2) ? 1 : 1 + help_below(state, 32);
    uint64_t line = random_line(f, state);
    int in_row = one_in(state, 2);

    if (one_in(state, 64))
        wanted = SIM_TRANSACTIONS_MAX;
    plan->count = plan->remotes = 0;
    plan->groups = halves ? 1 + help_below(state, 2) : 1;
    plan->request = (struct sim_request){
        .space = SPACE_GLOBAL,
        .is_store = kind < 3,
        .is_atomic = kind == 2 || kind == 3,
        .is_float = help_below(state, 2) != 0,
    };
    for (; plan->count < wanted;) {
        struct sim_transaction t = random_transaction(rule, line, state);

        if (!halves && has_line(plan, line))
            break;
        if (plan->request.is_atomic)
            t.steps = (uint8_t)help_below(state, one_in(state, 2) ? 4 : 129);
        if (plan->request.is_atomic && gpu->l2.atomic_sector_interval > 0)
            t.updates = (uint8_t)help_below(state, 17);
        plan->transaction[plan->count++] = t;
        plan->request.bytes += t.bytes;
        line = in_row ? line + LINE : random_line(f, state);
    }
    plan->request.transactions = plan->count;
    /* In some kernels every other line is a texture's. */
    if (!plan->request.is_atomic && gpu->texture.quad_interval != 0 &&
        plan->transaction[0].address / LINE % 2 != 0)
        plan->request.space = SPACE_TEXTURE;
}

static uint64_t random_pause(uint64_t *state)
{
    switch (help_below(state, 6)) {
    case 0:
    case 1:
        return 0;
    case 2:
    case 3:
        return help_below(state, 8);
    case 4:
        return help_below(state, 300);
    default:
        return one_in(state, 8) ? help_below(state, 100000)
                                : help_below(state, 3000);
    }
}

/* ---- both ----------------------------------------------------------------- */

enum {
    WARPS = 3,
    FAST = 0, /* of both */
    NAIVE,
};

struct issued {
    uint64_t now;
    uint32_t sm, flags, warp;
    struct sim_plan plan;
};

struct both {
    uint64_t seed;
    struct teg_gpu gpu;
    uint32_t l1_bytes;
    struct sim_stored stored[2][WARPS]; /* of the fast and the naive one */
    struct sim_memory *fast;
    struct naive_memory *naive;
    uint32_t requests;
    struct footprint footprint;
    uint64_t state, kernel_state; /* of requests; of what lies between */
    /* the leader that goes on, and how many follow it still */
    const struct sim_plan *leading;
    struct sim_follower_request follower;
    uint32_t followers;
};

static void print_keys(const struct teg_gpu *gpu)
{
    struct teg_gpu plain;
    uint32_t n;
    const struct param *p = params(&n);
    char text[64];

    help_gpu_plain(&plain);
    for (uint32_t i = 0; i < n; i++) {
        if (param_get(&p[i], gpu) != param_get(&p[i], &plain))
            printf("  %s = %s\n", p[i].key, param_format(&p[i], gpu, text));
    }
}

static void print_request(const struct sim_request *r, uint64_t result)
{
    printf(" cycle %llu, L1 %u of %u, L2 %u of %u, DRAM %u\n",
           (unsigned long long)result, r->l1_hits, r->l1_sectors, r->l2_hits,
           r->l2_sectors, r->dram_bytes);
}

static void disagree(const struct both *b, const struct issued *i,
                     uint64_t fast, const struct sim_request *naive_request,
                     uint64_t naive)
{
    const struct sim_request *r = &i->plan.request;

    printf("seed %llu, request %u; L1 has %u bytes of\n",
           (unsigned long long)b->seed, b->requests, b->l1_bytes);
    print_keys(&b->gpu);
    printf("SM %u in cycle %llu: %s%s%s, %u groups\n", i->sm,
           (unsigned long long)i->now, r->is_store ? "store " : "",
           r->is_atomic ? "atomic " : "",
           i->flags & INST_BYPASS_L1 ? "past L1" : "", i->plan.groups);
    for (uint32_t t = 0; t < i->plan.count; t++)
        printf("  %#llx: %u bytes, sectors %x, in part %x\n",
               (unsigned long long)i->plan.transaction[t].address,
               i->plan.transaction[t].bytes, i->plan.transaction[t].sectors,
               i->plan.transaction[t].partial);
    printf("memory:");
    print_request(r, fast);
    printf("naive: ");
    print_request(naive_request, naive);
    fflush(stdout);
    ck_abort_msg("seed %llu: the memories disagree",
                 (unsigned long long)b->seed);
}

/* The warp is going to ask one of them. */
static void set_stored(struct both *b, uint32_t which, uint32_t warp,
                       struct sim_plan *plan)
{
    plan->request.stored = &b->stored[which][warp];
    if (!plan->request.is_store)
        plan->request.stored->count = 0;
}

/* What the fast memory has made of `i` against what the naive one does. */
static void compare(struct both *b, const struct issued *i, uint64_t fast)
{
    struct sim_plan plan = i->plan;
    const struct sim_request *a = &i->plan.request, *c = &plan.request;
    uint64_t naive, most[2], sum[2];

    plan.request.l1_sectors = plan.request.l1_hits = 0;
    plan.request.l2_sectors = plan.request.l2_hits = 0;
    plan.request.l2_joined = 0;
    plan.request.dram_bytes = 0;
    set_stored(b, NAIVE, i->warp, &plan);
    naive = naive_memory_issue(b->naive, i->sm, i->now, &plan, i->flags);
    if (fast != naive ||
        (a->is_store && !a->is_atomic && a->kept_until != c->kept_until) ||
        a->l1_sectors != c->l1_sectors || a->l1_hits != c->l1_hits ||
        a->l2_sectors != c->l2_sectors || a->l2_hits != c->l2_hits ||
        a->dram_bytes != c->dram_bytes)
        disagree(b, i, fast, c, naive);
    b->requests++;
    sim_memory_channel_bytes(b->fast, &most[0], &sum[0]);
    naive_memory_channel_bytes(b->naive, &most[1], &sum[1]);
    ck_assert_msg(most[0] == most[1] && sum[0] == sum[1],
                  "seed %llu: channels have moved %llu and %llu bytes",
                  (unsigned long long)b->seed, (unsigned long long)sum[0],
                  (unsigned long long)sum[1]);
    ck_assert_uint_eq(sim_memory_atomic_cycles(b->fast),
                      naive_memory_atomic_cycles(b->naive));
}

static void random_issue(struct issued *i, struct both *b)
{
    i->sm = help_below(&b->state, b->gpu.chip.sms);
    i->flags = one_in(&b->state, 8) ? INST_BYPASS_L1 : 0;
    random_plan(&i->plan, &b->gpu, &b->footprint, &b->state);
    i->plan.request.is_bulk = one_in(&b->state, 2) ? 1 : 0;
    i->warp = help_below(&b->state, WARPS);
    i->plan.request.atomic_conflicts =
        i->plan.request.is_atomic ? (uint16_t)help_below(&b->state, 2) : 0;
}

/* One request after the other; some wait until they may be issued. */
static uint64_t issue_one(struct both *b, uint64_t now)
{
    struct issued i;
    uint64_t ready, fast;

    random_issue(&i, b);
    ready = sim_memory_ready_at(b->fast, i.sm, now, i.plan.request.bytes);
    ck_assert_msg(ready == naive_memory_ready_at(b->naive, i.sm, now,
                                                 i.plan.request.bytes),
                  "seed %llu request %u: ready at %llu",
                  (unsigned long long)b->seed, b->requests,
                  (unsigned long long)ready);
    i.now = one_in(&b->state, 4) ? now : ready;
    b->leading = &i.plan;
    set_stored(b, FAST, i.warp, &i.plan);
    fast = sim_memory_issue(b->fast, i.sm, i.now, &i.plan, i.flags);
    compare(b, &i, fast);
    return i.now;
}

static int goes_beyond(const struct sim_misses *e)
{
    for (uint32_t i = 0; i < e->count; i++) {
        if (e->miss[i].sectors != 0)
            return 1;
    }
    return 0;
}

/* Several are begun before they are ended, in the order of issue. */
static uint64_t issue_some(struct both *b, uint64_t now)
{
    static struct issued i[AT_ONCE];
    static struct sim_misses e[AT_ONCE];
    uint64_t fast[AT_ONCE];
    uint32_t n = 1 + help_below(&b->state, AT_ONCE);

    for (uint32_t k = 0; k < n; k++) {
        random_issue(&i[k], b);
        i[k].now = now += one_in(&b->state, 2) ? help_below(&b->state, 5) : 0;
        set_stored(b, FAST, i[k].warp, &i[k].plan);
        sim_memory_begin(b->fast, i[k].sm, now, &i[k].plan, i[k].flags, &e[k]);
        if (!sim_misses_open(&e[k]))
            fast[k] = sim_memory_end(b->fast, &e[k], &i[k].plan.request);
    }
    for (uint32_t k = 0; k < n; k++) {
        const struct sim_request *r = &i[k].plan.request;

        b->leading = &i[k].plan;
        if (sim_misses_open(&e[k]))
            fast[k] = sim_memory_end(b->fast, &e[k], &i[k].plan.request);
        compare(b, &i[k], fast[k]);
        if (goes_beyond(&e[k]) && (!r->is_store || r->is_atomic))
            ck_assert_uint_ge(fast[k] - i[k].now,
                              sim_memory_lookahead(&b->gpu));
    }
    return now;
}

/* ---- followers ------------------------------------------------------------ */

static uint32_t begin(void *self, const struct sim_request_of *of)
{
    (void)self;
    (void)of;
    return 0;
}

static void lead(void *self, const struct sim_misses *leader)
{
    struct both *b = self;

    b->followers = help_below(&b->state, 4);
    b->follower.leader = leader;
}

static int next(void *self, uint64_t now, struct sim_follower_request *r)
{
    struct both *b = self;

    if (b->followers == 0)
        return 0;
    b->followers--;
    b->follower.cycle = now - help_below(&b->state, now < 9 ? 1 : 9);
    b->follower.sm = b->gpu.chip.sms + help_below(&b->state, 9);
    random_plan(&b->follower.plan, &b->gpu, &b->footprint, &b->state);
    *r = b->follower;
    return 1;
}

static void served(void *self, const struct sim_request *r)
{
    struct both *b = self;
    struct sim_follower_request *f = &b->follower;
    const struct sim_request *naive = &f->plan.request;

    naive_memory_follow(b->naive, f->sm, f->cycle, &f->plan, b->leading,
                        f->leader);
    ck_assert_msg(
        r->l2_sectors == naive->l2_sectors && r->l2_hits == naive->l2_hits &&
            r->dram_bytes == naive->dram_bytes,
        "seed %llu request %u: a follower finds %u of %u in L2",
        (unsigned long long)b->seed, b->requests, r->l2_hits, r->l2_sectors);
}

/* ---- kernels -------------------------------------------------------------- */

static uint32_t random_l1_room(uint64_t *state)
{
    return one_in(state, 3) ? LINE * up_to(state, 64) : 0;
}

/* Something is copied to the footprint's lines, or nothing; then another kernel
 * begins on both. */
static void next_kernel(struct both *b)
{
    uint64_t to = random_line(&b->footprint, &b->kernel_state);
    uint64_t address = to + help_below(&b->kernel_state, LINE);
    uint32_t bytes = one_in(&b->kernel_state, 2)
                         ? help_below(&b->kernel_state, 9 * LINE)
                         : 0;
    struct sim_memory *before = b->fast;
    struct teg_diag d;

    sim_memory_write(before, address, bytes);
    naive_memory_write(b->naive, address, bytes);
    if (one_in(&b->kernel_state, 3)) {
        sim_memory_rest(before);
        naive_memory_rest(b->naive);
    }
    b->l1_bytes = random_l1_room(&b->kernel_state);
    ck_assert(sim_memory_new(&b->gpu, b->gpu.chip.sms, b->l1_bytes, &b->fast,
                             &d) == TEG_OK);
    ck_assert(sim_memory_carry(b->fast, before, &d) == TEG_OK);
    sim_memory_free(before);
    naive_memory_next_kernel(b->naive, b->l1_bytes);
}

/* What became of the leader's own is compared where it was issued. */
static void led(void *self, const struct sim_request *r)
{
    (void)self;
    (void)r;
}

static void run_one(uint64_t seed)
{
    struct both b = {
        .seed = seed, .state = seed * 2654435761u + 1, .kernel_state = seed};
    const struct sim_followers followers = {&b, begin, lead, next, served, led};
    uint64_t now = 0;
    struct teg_diag d;
    uint32_t requests;
    int follows;

    random_gpu(&b.gpu, &b.state);
    b.footprint = random_footprint(&b.state);
    requests = up_to(&b.state, 300);
    b.l1_bytes = random_l1_room(&b.state);
    ck_assert(sim_memory_new(&b.gpu, b.gpu.chip.sms, b.l1_bytes, &b.fast, &d) ==
              TEG_OK);
    b.naive = naive_memory_new(&b.gpu, b.gpu.chip.sms, b.l1_bytes);
    follows = one_in(&b.state, 3);
    if (follows)
        sim_memory_lead(b.fast, &followers);
    while (b.requests < requests) {
        if (one_in(&b.kernel_state, 100)) {
            next_kernel(&b);
            now = 0;
        }
        if (follows)
            sim_memory_lead(b.fast, &followers);
        if (b.gpu.memory.in_flight_bytes == 0 && one_in(&b.state, 2))
            now = issue_some(&b, now);
        else
            now = issue_one(&b, now);
        now += random_pause(&b.state);
    }
    sim_memory_free(b.fast);
    naive_memory_free(b.naive);
}

START_TEST(memories_agree_on_every_cycle_and_byte)
{
    for (uint64_t i = 0; i < PER_TEST; i++)
        run_one((uint64_t)_i * PER_TEST + i + 1);
}
END_TEST

HELP_MAIN("sim/memory against the naive memory", 120,
          {memories_agree_on_every_cycle_and_byte, TESTS})
