/* The way of a request of several transactions, and of followers'.  100
 * cycles to DRAM, 40 to L2; worked out by hand. */
#include "sim/memory/memory.h"

#include <string.h>

#include "tests/help_suite.h"
#include "tests/sim/memory/help_memory.h"

static struct teg_gpu gpu;
static struct sim_memory *memory;

/* Whole lines 0, 1 ... count - 1, of which `groups` leave together. */
static struct sim_plan lines(uint32_t count, uint32_t groups,
                             enum help_access access)
{
    struct sim_plan plan = help_memory_plan(0, 15, access);

    plan.count = plan.request.transactions = count;
    plan.groups = groups;
    for (uint32_t i = 1; i < count; i++) {
        plan.transaction[i] = plan.transaction[0];
        plan.transaction[i].address = 128 * i;
    }
    return plan;
}

static uint64_t issue(struct sim_plan plan, uint64_t now)
{
    return sim_memory_issue(memory, 0, now, &plan, 0) - now;
}

/* Every second cycle a transaction leaves; a load is there with its last, a
 * store is accepted when its last has left. */
START_TEST(transactions_leave_one_after_the_other)
{
    help_memory_gpu(&gpu);
    gpu.memory.transaction_interval = 2;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(issue(lines(4, 1, HELP_LOAD), 0), 100 + 6);
    ck_assert_uint_eq(issue(lines(4, 1, HELP_LOAD), 1000), 40 + 6);
    ck_assert_uint_eq(issue(lines(4, 1, HELP_STORE), 2000), 6);
    ck_assert_uint_eq(issue(lines(4, 1, HELP_ATOMIC), 3000), 40 + 6);
    /* two half warps' first transactions go at once */
    ck_assert_uint_eq(issue(lines(4, 2, HELP_LOAD), 4000), 40 + 4);
    ck_assert_uint_eq(issue(lines(2, 2, HELP_LOAD), 5000), 40);
    sim_memory_free(memory);
}
END_TEST

/* Each transaction beyond the first is there 3 cycles later, which a store
 * does not wait for. */
START_TEST(further_transactions_take_longer)
{
    help_memory_gpu(&gpu);
    gpu.memory.transaction_interval = 0;
    gpu.memory.transaction_latency = 3;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(issue(lines(4, 1, HELP_LOAD), 0), 100 + 9);
    ck_assert_uint_eq(issue(lines(1, 1, HELP_LOAD), 1000), 40);
    ck_assert_uint_eq(issue(lines(4, 1, HELP_STORE), 2000), 0);
    /* so do those that L1 settles */
    sim_memory_free(memory);
    gpu.l1.bytes = 128 * 4;
    gpu.l1.latency = 10;
    memory = help_memory_open(&gpu, 1);
    issue(lines(4, 1, HELP_LOAD), 0);
    ck_assert_uint_eq(issue(lines(4, 1, HELP_LOAD), 1000), 10 + 9);
    sim_memory_free(memory);
}
END_TEST

/* A fraction of a cycle is kept: 40 bytes a cycle, 3.2 cycles a line. */
START_TEST(fractions_of_cycles_add_up)
{
    help_memory_gpu(&gpu);
    gpu.memory.transaction_interval = 0;
    gpu.memory.cluster_bytes_per_cycle = 40;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(issue(lines(2, 1, HELP_LOAD), 0), 104);
    ck_assert_uint_eq(issue(lines(6, 1, HELP_LOAD), 1000), 116);
    sim_memory_free(memory);
}
END_TEST

/* Without L2 everything comes from DRAM; transactions of old chips move bytes
 * and have no sectors. */
START_TEST(without_l2_bytes_move_as_coalesced)
{
    struct sim_plan plan = help_memory_plan(0, 0, HELP_LOAD);

    help_memory_gpu(&gpu);
    gpu.l2.bytes = 0;
    memory = help_memory_open(&gpu, 1);
    plan.transaction[0].bytes = 64;
    ck_assert_uint_eq(issue(plan, 0), 100);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 1000, &plan, 0), 1100);
    ck_assert_uint_eq(plan.request.dram_bytes, 64);
    ck_assert_uint_eq(plan.request.l2_sectors, 0);
    sim_memory_free(memory);
}
END_TEST

START_TEST(nothing_comes_before_the_nearer_of_l2_and_dram)
{
    help_memory_gpu(&gpu);
    ck_assert_uint_eq(sim_memory_lookahead(&gpu), 40);
    gpu.l2.latency = 400;
    ck_assert_uint_eq(sim_memory_lookahead(&gpu), 100);
    gpu.l2.latency = 40;
    gpu.l2.bytes = 0;
    ck_assert_uint_eq(sim_memory_lookahead(&gpu), 100);
}
END_TEST

/* An L1 of one line.  Sectors 1 to 3 of it come from DRAM by cycle 1100, sector
 * 0, from L2, by 1041; who then hits 0 and 3 waits for both, although a request
 * begun before either has ended puts another line in their place. */
START_TEST(a_hit_waits_for_every_fill_of_its_line_under_way)
{
    struct sim_plan plan[] = {help_memory_plan(0, 0x9, HELP_LOAD),
                              help_memory_plan(0, 0x9, HELP_LOAD),
                              help_memory_plan(7, 0xf, HELP_LOAD)};
    struct sim_plan first = help_memory_plan(0, 0x1, HELP_LOAD);
    struct sim_misses e[3] = {0};

    help_memory_gpu(&gpu);
    gpu.l1.bytes = 128;
    gpu.l1.ways = 1;
    gpu.l1.latency = 10;
    memory = help_memory_open(&gpu, 1);
    sim_memory_issue(memory, 0, 0, &first, INST_BYPASS_L1);
    ck_assert_uint_eq(issue(help_memory_plan(0, 0xe, HELP_LOAD), 1000), 100);
    for (uint32_t i = 0; i < 3; i++)
        sim_memory_begin(memory, 0, 1001, &plan[i], 0, &e[i]);
    ck_assert_uint_eq(plan[1].request.l1_hits, 2);
    ck_assert_uint_eq(sim_memory_end(memory, &e[0], &plan[0].request), 1100);
    ck_assert_uint_eq(sim_memory_end(memory, &e[1], &plan[1].request), 1100);
    ck_assert_uint_eq(sim_memory_end(memory, &e[2], &plan[2].request), 1101);
    sim_memory_free(memory);
}
END_TEST

/* ---- followers ------------------------------------------------------------ */

/* One follower, a cycle behind its leader, on SM 5, with lines 1000 further. */
struct shadow {
    struct sim_misses leader;
    struct sim_plan plan;
    uint32_t begun, led, served;
    int waiting;
    struct sim_request last, own;
};

static uint32_t shadow_begin(void *self, const struct sim_request_of *of)
{
    (void)of;
    return ((struct shadow *)self)->begun++;
}

static void shadow_lead(void *self, const struct sim_misses *leader)
{
    struct shadow *s = self;

    memcpy(&s->leader, leader, sim_misses_bytes(leader));
    s->waiting = 1;
    s->led++;
}

static int shadow_next(void *self, uint64_t now, struct sim_follower_request *r)
{
    struct shadow *s = self;

    if (!s->waiting)
        return 0;
    s->waiting = 0;
    *r = (struct sim_follower_request){&s->leader, now, 5, s->plan};
    return 1;
}

static void shadow_served(void *self, const struct sim_request *r)
{
    struct shadow *s = self;

    s->last = *r;
    s->served++;
}

static void shadow_led(void *self, const struct sim_request *r)
{
    struct shadow *s = self;

    s->own = *r;
}

static struct shadow shadow;
static const struct sim_followers followers = {
    &shadow, shadow_begin, shadow_lead, shadow_next, shadow_served, shadow_led};

/* Leader and follower have L1 of 4 lines; the follower's plan is the leader's
 * `count` lines, further on. */
static void lead(uint32_t count)
{
    memset(&shadow, 0, sizeof shadow);
    help_memory_gpu(&gpu);
    gpu.l1.bytes = 128 * 4;
    gpu.l1.latency = 10;
    memory = help_memory_open(&gpu, 1);
    sim_memory_lead(memory, &followers);
    shadow.plan = lines(count, 1, HELP_LOAD);
    for (uint32_t i = 0; i < count; i++)
        shadow.plan.transaction[i].address += 1000 * 128;
}

/* What the leader's L1 lacks a follower fetches for itself, and takes the
 * bytes' time of those behind; what L1 has settled it has, too. */
START_TEST(followers_fetch_what_their_leader_lacks)
{
    lead(2);
    issue(lines(1, 1, HELP_LOAD), 0); /* line 0: half of the follower's */
    ck_assert_uint_eq(shadow.served, 1);
    ck_assert_uint_eq(shadow.own.l2_sectors, 4);
    ck_assert_uint_eq(shadow.last.l2_sectors, 8);
    ck_assert_uint_eq(shadow.last.dram_bytes, 256);
    /* the leader has line 0, and goes on for line 1 */
    shadow.plan.transaction[0].address += 1000 * 128;
    shadow.plan.transaction[1].address += 1000 * 128;
    issue(lines(2, 1, HELP_LOAD), 1000);
    ck_assert_uint_eq(shadow.served, 2);
    ck_assert_uint_eq(shadow.last.l2_sectors, 4);
    ck_assert_uint_eq(shadow.last.dram_bytes, 128);
    /* all of it settled: nobody follows */
    issue(lines(2, 1, HELP_LOAD), 2000);
    ck_assert_uint_eq(shadow.begun, 3);
    ck_assert_uint_eq(shadow.led, 2);
    sim_memory_free(memory);
}
END_TEST

/* Of a line of which the leader's L1 has some sectors a follower's has, too. */
START_TEST(followers_have_the_sectors_their_leader_has)
{
    struct sim_plan some = help_memory_plan(0, 3, HELP_LOAD);

    lead(1);
    sim_memory_issue(memory, 0, 0, &some, 0);
    ck_assert_uint_eq(shadow.last.l2_sectors, 4);
    shadow.plan.transaction[0].address += 1000 * 128;
    issue(lines(1, 1, HELP_LOAD), 1000);
    ck_assert_uint_eq(shadow.last.l2_sectors, 2);
    ck_assert_uint_eq(shadow.last.dram_bytes, 64);
    sim_memory_free(memory);
}
END_TEST

/* A follower's bytes come before its leader's at DRAM: 16 bytes a cycle, 8
 * cycles a line. */
START_TEST(leaders_wait_for_their_followers_bytes)
{
    lead(2);
    sim_memory_free(memory);
    gpu.chip.sm_clock_mhz = 1000;
    gpu.dram.bandwidth_gbs = 16;
    gpu.memory.transaction_interval = 0;
    memory = help_memory_open(&gpu, 1);
    sim_memory_lead(memory, &followers);
    ck_assert_uint_eq(issue(lines(2, 1, HELP_LOAD), 0), 100 + 24);
    sim_memory_free(memory);
}
END_TEST

/* A follower's first touch of a region begins the walk, 50 cycles, which the
 * SMs that are stepped wait for. */
START_TEST(followers_walk_to_their_regions)
{
    struct sim_plan later = help_memory_plan(2000, 15, HELP_LOAD);

    lead(1);
    sim_memory_free(memory);
    gpu.tlb.entries = 4;
    gpu.tlb.page_bytes = gpu.tlb.walk_bytes = 4096;
    gpu.tlb.walk_latency = 50;
    memory = help_memory_open(&gpu, 1);
    sim_memory_lead(memory, &followers);
    shadow.plan = later;
    issue(lines(1, 1, HELP_LOAD), 0);
    sim_memory_lead(memory, NULL);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 20, &later, 0),
                      20 + 30 + 100);
    sim_memory_free(memory);
}
END_TEST

/* A slice of 32 bytes a cycle takes a line in 4 cycles, and one that a
 * follower fills in part in 8: 12 with the leader's. */
START_TEST(followers_write_in_part)
{
    lead(1);
    sim_memory_free(memory);
    gpu.l1.bytes = 0;
    gpu.l2.bytes_per_cycle = 32;
    gpu.l2.partial_interval = 1;
    memory = help_memory_open(&gpu, 1);
    help_memory_line(memory, 0, 5, HELP_LOAD, 0);
    sim_memory_lead(memory, &followers);
    shadow.plan = help_memory_plan(1000, 15, HELP_STORE);
    shadow.plan.transaction[0].partial = 15;
    issue(lines(1, 1, HELP_STORE), 1000);
    sim_memory_lead(memory, NULL);
    ck_assert_uint_eq(help_memory_line(memory, 0, 5, HELP_LOAD, 1000), 40 + 12);
    sim_memory_free(memory);
}
END_TEST

/* Without L2 a follower's miss moves the bytes of the sectors that are
 * missing. */
START_TEST(followers_move_what_is_missing)
{
    struct sim_plan some = help_memory_plan(0, 3, HELP_LOAD);

    lead(1);
    sim_memory_free(memory);
    gpu.l2.bytes = 0;
    memory = help_memory_open(&gpu, 1);
    sim_memory_lead(memory, &followers);
    sim_memory_issue(memory, 0, 0, &some, 0);
    ck_assert_uint_eq(shadow.last.dram_bytes, 128);
    issue(lines(1, 1, HELP_LOAD), 1000);
    ck_assert_uint_eq(shadow.last.dram_bytes, 64);
    sim_memory_free(memory);
}
END_TEST

/* A follower's store is let go while its region is walked to: its leader waits
 * 8 cycles for its bytes, not for the 50 of the walk. */
START_TEST(followers_stores_do_not_wait_for_walks)
{
    lead(1);
    sim_memory_free(memory);
    gpu.l1.bytes = gpu.l2.bytes = 0;
    gpu.chip.sm_clock_mhz = 1000;
    gpu.dram.bandwidth_gbs = 16;
    gpu.tlb.entries = 4;
    gpu.tlb.page_bytes = gpu.tlb.walk_bytes = 4096;
    gpu.tlb.walk_latency = 50;
    memory = help_memory_open(&gpu, 1);
    issue(lines(1, 1, HELP_LOAD), 0);
    sim_memory_lead(memory, &followers);
    shadow.plan = help_memory_plan(2000, 15, HELP_STORE);
    ck_assert_uint_eq(issue(lines(1, 1, HELP_LOAD), 1000), 108);
    shadow.plan = help_memory_plan(3000, 15, HELP_LOAD);
    ck_assert_uint_eq(issue(lines(1, 1, HELP_LOAD), 2000), 158);
    sim_memory_free(memory);
}
END_TEST

HELP_MAIN("sim/memory", 30, {transactions_leave_one_after_the_other, 0},
          {further_transactions_take_longer, 0},
          {fractions_of_cycles_add_up, 0},
          {without_l2_bytes_move_as_coalesced, 0},
          {nothing_comes_before_the_nearer_of_l2_and_dram, 0},
          {a_hit_waits_for_every_fill_of_its_line_under_way, 0},
          {followers_fetch_what_their_leader_lacks, 0},
          {followers_have_the_sectors_their_leader_has, 0},
          {leaders_wait_for_their_followers_bytes, 0},
          {followers_walk_to_their_regions, 0}, {followers_write_in_part, 0},
          {followers_move_what_is_missing, 0},
          {followers_stores_do_not_wait_for_walks, 0})
