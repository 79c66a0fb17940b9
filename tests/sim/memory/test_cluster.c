/* The memory pipeline of a cluster: its port, and what may be outstanding.
 * 100 cycles to DRAM, no L2; worked out by hand. */
#include "sim/memory/cluster.h"

#include "tests/help_suite.h"
#include "tests/sim/memory/help_memory.h"

static struct teg_gpu gpu;
static struct sim_memory *memory;

/* Clusters of two SMs; each line has a channel of its own. */
static void setup(void)
{
    help_memory_gpu(&gpu);
    gpu.dram.channels = 16;
    gpu.dram.interleave_bytes = 128;
    gpu.l2.bytes = 0;
    gpu.chip.sms_per_cluster = 2;
}

static uint64_t load(uint32_t sm, uint64_t line, uint64_t now)
{
    return help_memory_line(memory, sm, line, HELP_LOAD, now);
}

/* 32 bytes a cycle: a line takes 4, of whichever SM of the cluster. */
START_TEST(sms_of_a_cluster_share_its_port)
{
    setup();
    gpu.memory.cluster_bytes_per_cycle = 32;
    memory = help_memory_open(&gpu, 3);
    ck_assert_uint_eq(load(0, 0, 0), 100);
    ck_assert_uint_eq(load(0, 1, 0), 104);
    ck_assert_uint_eq(load(1, 2, 0), 108);
    ck_assert_uint_eq(load(2, 3, 0), 100);
    ck_assert_uint_eq(load(1, 4, 11), 101);
    ck_assert_uint_eq(load(1, 5, 16), 100);
    sim_memory_free(memory);
}
END_TEST

/* Four SMs in two clusters: neighbors are in different ones, each second SM in
 * the same. */
START_TEST(strided_numbers_give_neighbors_ports_of_their_own)
{
    setup();
    gpu.chip.sms = 4;
    gpu.chip.cluster_numbering = CLUSTER_NUMBERING_STRIDED;
    gpu.memory.cluster_bytes_per_cycle = 32;
    memory = help_memory_open(&gpu, 4);
    ck_assert_uint_eq(load(0, 0, 0), 100);
    ck_assert_uint_eq(load(1, 1, 0), 100);
    ck_assert_uint_eq(load(2, 2, 0), 104);
    ck_assert_uint_eq(load(3, 3, 0), 104);
    sim_memory_free(memory);
}
END_TEST

/* A line of 128 bytes takes the port 4 cycles, one sector of it 1, but none
 * less than 3: stores, too. */
START_TEST(a_port_takes_a_request_at_a_time)
{
    struct sim_plan sector = help_memory_plan(7, 1, HELP_LOAD);
    struct sim_plan store = help_memory_plan(8, 1, HELP_STORE);

    setup();
    gpu.memory.cluster_bytes_per_cycle = 32;
    gpu.memory.request_interval = 3;
    memory = help_memory_open(&gpu, 2);
    ck_assert_uint_eq(load(0, 0, 0), 100);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 0, &sector, 0), 104);
    ck_assert_uint_eq(load(1, 2, 0), 107);
    sim_memory_issue(memory, 1, 0, &store, 0);
    ck_assert_uint_eq(load(0, 3, 13), 101);
    sim_memory_free(memory);
}
END_TEST

/* A line takes 4 cycles for a warp, 2 for a copy, but none of a copy's less than
 * 3, 8 for what a copy writes, and what a warp adds 5 however little, and for each
 * packet; what
 * is written has a way of its own. */
START_TEST(who_sends_has_a_rate)
{
    struct sim_plan in = help_memory_plan(1, 15, HELP_LOAD);
    struct sim_plan out = help_memory_plan(3, 15, HELP_STORE);
    struct sim_plan add = help_memory_plan(5, 1, HELP_ATOMIC);

    in.request.is_bulk = out.request.is_bulk = 1;
    setup();
    gpu.memory.cluster_bytes_per_cycle = 64;
    gpu.memory.warp_bytes_per_cycle = 32;
    gpu.memory.copy_out_bytes_per_cycle = 16;
    gpu.memory.copy_line_interval = 3;
    gpu.memory.store_interval = 5;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(load(0, 0, 0), 100);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 0, &in, 0), 104);
    ck_assert_uint_eq(load(0, 2, 0), 107);
    sim_memory_issue(memory, 0, 0, &out, 0);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 0, &add, 0), 108);
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 0, &add, 0), 113);
    add.transaction[0].packets = 3;
    sim_memory_issue(memory, 0, 0, &add, 0);
    add.transaction[0].packets = 1;
    ck_assert_uint_eq(sim_memory_issue(memory, 0, 0, &add, 0), 133);
    ck_assert_uint_eq(load(0, 4, 0), 111);
    sim_memory_free(memory);
}
END_TEST

/* Two lines of 128 bytes fit; a third waits until the first is back, which is
 * the earliest of those outstanding, whichever was asked for last. */
START_TEST(a_cluster_has_so_many_bytes_outstanding)
{
    setup();
    gpu.memory.in_flight_bytes = 256;
    memory = help_memory_open(&gpu, 4);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 0, 5, 128), 5);
    load(0, 0, 5);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 1, 8, 128), 8);
    load(1, 1, 8);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 0, 10, 32), 105);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 1, 104, 128), 105);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 1, 105, 128), 105);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 1, 105, 129), 108);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 1, 107, 129), 108);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 1, 108, 129), 108);
    /* another cluster has its own */
    load(2, 2, 200);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 0, 210, 256), 210);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 3, 210, 256), 300);
    sim_memory_free(memory);
}
END_TEST

/* More than the limit goes when nothing else is outstanding. */
START_TEST(a_request_larger_than_the_limit_goes_alone)
{
    setup();
    gpu.memory.in_flight_bytes = 256;
    memory = help_memory_open(&gpu, 2);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 0, 5, 4096), 5);
    load(0, 0, 5);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 0, 6, 4096), 105);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 0, 105, 4096), 105);
    sim_memory_free(memory);
}
END_TEST

/* The heap by itself: 200 ends in a scrambled order are retired in theirs. */
START_TEST(what_is_done_first_leaves_first)
{
    struct sim_clusters c;

    setup();
    gpu.memory.in_flight_bytes = 200;
    ck_assert(sim_clusters_init(&c, &gpu, 1));
    for (uint64_t i = 0; i < 200; i++)
        sim_clusters_remember(&c, 0, 1000 + i * 77 % 200, 1);
    for (uint64_t i = 0; i < 200; i++)
        ck_assert_uint_eq(sim_clusters_ready_at(&c, 0, 999 + i, 200), 1000 + i);
    ck_assert_uint_eq(sim_clusters_ready_at(&c, 0, 1199, 200), 1199);
    sim_clusters_release(&c);
    ck_assert_ptr_null(c.cluster);
    sim_clusters_release(&c);
}
END_TEST

/* A transaction passes the port when it leaves its SM, and waits for its
 * translation behind it: 9 cycles for the first, and the next finds the port
 * free. */
START_TEST(a_port_is_not_held_for_a_translation)
{
    setup();
    gpu.memory.cluster_bytes_per_cycle = 32;
    gpu.tlb.entries = 1;
    gpu.tlb.page_bytes = 4096;
    gpu.tlb.miss_latency = 9;
    memory = help_memory_open(&gpu, 1);
    ck_assert_uint_eq(load(0, 0, 0), 109);
    ck_assert_uint_eq(load(0, 1, 3), 101);
    ck_assert_uint_eq(load(0, 2, 8), 100);
    sim_memory_free(memory);
}
END_TEST

/* What L1 has counts, too, until it is there. */
START_TEST(hits_are_outstanding_for_their_latency)
{
    setup();
    gpu.l1.bytes = 128 * 4;
    gpu.l1.latency = 10;
    gpu.memory.in_flight_bytes = 128;
    memory = help_memory_open(&gpu, 1);
    load(0, 0, 0);
    ck_assert_uint_eq(load(0, 0, 1000), 10);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 0, 1009, 1), 1010);
    ck_assert_uint_eq(sim_memory_ready_at(memory, 0, 1010, 1), 1010);
    sim_memory_free(memory);
}
END_TEST

HELP_MAIN("sim/memory/cluster", 30, {sms_of_a_cluster_share_its_port, 0},
          {strided_numbers_give_neighbors_ports_of_their_own, 0},
          {a_port_takes_a_request_at_a_time, 0}, {who_sends_has_a_rate, 0},
          {a_cluster_has_so_many_bytes_outstanding, 0},
          {a_request_larger_than_the_limit_goes_alone, 0},
          {what_is_done_first_leaves_first, 0},
          {a_port_is_not_held_for_a_translation, 0},
          {hits_are_outstanding_for_their_latency, 0})
