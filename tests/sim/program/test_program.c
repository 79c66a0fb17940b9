/* Scores played in time, against times worked out by hand. */
#include "sim/program/program.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_launch.h"

enum {
    ENTRIES_MAX = 64,
};

static struct teg_gpu gpu;
static struct sim_program_kernel kernel[4];
static struct teg_score score;
static struct sim_program tasks;
static struct sim_program_result result;
static struct sim_program_options options;
static struct teg_diag d;

/* Four SMs of four blocks; calls of 1 us, 5 us to the first block, gaps of 2
 * (1 in graphs), 3 until the host goes on; a link of 1 GB/s. */
static void setup(void)
{
    uint32_t stream;

    memset(&gpu, 0, sizeof gpu);
    gpu.chip.sms = 4;
    gpu.sm.warps_max = 16;
    gpu.sm.threads_max = 512;
    gpu.sm.blocks_max = 4;
    gpu.sm.registers = 65536;
    gpu.sm.shared_bytes = 1024;
    gpu.launch.host_us = 1;
    gpu.launch.latency_us = 5;
    gpu.launch.sync_us = 3;
    gpu.launch.gap_us = 2;
    gpu.launch.graph_gap_us = 1;
    gpu.launch.graph_host_us = 4;
    gpu.launch.grids_max = 128;
    gpu.launch.queues = 8;
    gpu.link.to_device_gbs = 1;
    gpu.link.from_device_gbs = 1;
    gpu.link.pageable_gbs = 0.5;
    gpu.link.engines = 1;
    gpu.dram.bandwidth_gbs = 1000;
    memset(kernel, 0, sizeof kernel);
    for (int i = 0; i < 4; i++)
        kernel[i] = (struct sim_program_kernel){
            .us = 100, .blocks = 4, .blocks_per_sm = 4, .needs = {4, 1, 256}};
    memset(&score, 0, sizeof score);
    ck_assert_int_eq(teg_score_stream(&score, 0, 0, &stream, &d), TEG_OK);
    options = sim_program_plain();
}

static void teardown(void)
{
    sim_program_release(&tasks);
    teg_score_release(&score);
}

static struct teg_score_entry *add(int kind, uint32_t stream, uint32_t number)
{
    struct teg_score_entry e = {.kind = (uint8_t)kind,
                                .async = 1,
                                .pinned = 1,
                                .number = number,
                                .times = 1,
                                .us = -1,
                                .place = (uint32_t)score.entries};

    ck_assert_int_eq(teg_score_stream(&score, 0, stream, &e.stream, &d),
                     TEG_OK);
    ck_assert_int_eq(teg_score_add(&score, e, &d), TEG_OK);
    return &score.entry[score.entries - 1];
}

static void launch(uint32_t stream, uint32_t k)
{
    add(TEG_SCORE_LAUNCH, stream, k);
}

static void copy(int kind, uint32_t stream, uint64_t bytes)
{
    add(kind, stream, TEG_SCORE_NONE)->bytes = bytes;
}

static void synchronize(void)
{
    add(TEG_SCORE_SYNCHRONIZE, 0, TEG_SCORE_NONE)->stream = TEG_SCORE_NONE;
}

static teg_status play(void)
{
    teg_status status;

    sim_program_release(&tasks);
    status = sim_program_init(&tasks, &score, &gpu, &options, &d);
    if (status == TEG_OK)
        status = sim_program_play(&tasks, &score, kernel, &gpu, &options,
                                  &result, &d);
    return status;
}

/* When the task that is entry `entry` runs. */
static void expect(uint32_t entry, double start, double end)
{
    for (uint32_t i = 0; i < tasks.tasks; i++) {
        if (tasks.task[i].entry != entry)
            continue;
        ck_assert_msg(tasks.task[i].start > start - 1e-6 &&
                          tasks.task[i].start < start + 1e-6 &&
                          tasks.task[i].end > end - 1e-6 &&
                          tasks.task[i].end < end + 1e-6,
                      "entry %u: expected %g to %g, found %g to %g", entry,
                      start, end, tasks.task[i].start, tasks.task[i].end);
        return;
    }
    ck_abort_msg("entry %u has no task", entry);
}

static int why_of(uint32_t entry)
{
    for (uint32_t i = 0; i < tasks.tasks; i++) {
        if (tasks.task[i].entry == entry)
            return tasks.task[i].why;
    }
    return -1;
}

START_TEST(a_stream_runs_in_order)
{
    launch(0, 0);
    launch(0, 1);
    synchronize();
    launch(0, 0);
    ck_assert_int_eq(play(), TEG_OK);
    expect(0, 5, 105);
    expect(1, 107, 207); /* the gap behind the first */
    expect(3, 215, 315); /* 207, the host goes on at 210, 5 us later */
    ck_assert_int_eq(why_of(0), SIM_WAIT_CALL);
    ck_assert_int_eq(why_of(1), SIM_WAIT_STREAM);
    ck_assert_int_eq(why_of(3), SIM_WAIT_CALL);
    ck_assert_double_eq_tol(result.us, 315, 1e-6);
    ck_assert_double_eq_tol(result.launch_us, 300, 1e-6);
}
END_TEST

START_TEST(a_host_that_is_slow_holds_up)
{
    launch(0, 0);
    kernel[0].us = 0.5;
    add(TEG_SCORE_LAUNCH, 0, 0)->host_us = 20;
    ck_assert_int_eq(play(), TEG_OK);
    expect(0, 5, 5.5);
    expect(1, 26, 26.5);              /* called at 1 + 20 */
    ck_assert_int_eq(play(), TEG_OK); /* the score is as it was */
    expect(1, 26, 26.5);
}
END_TEST

/* One block on each SM: all four fit. */
START_TEST(small_launches_of_streams_run_beside_each_other)
{
    for (uint32_t s = 1; s <= 4; s++)
        launch(s, 0);
    ck_assert_int_eq(play(), TEG_OK);
    for (uint32_t s = 0; s < 4; s++)
        expect(s, 5 + s, 105 + s);
    options.serial = 1;
    ck_assert_int_eq(play(), TEG_OK);
    expect(3, 5 + 3 * 102, 105 + 3 * 102);
}
END_TEST

/* The first has all places: four to an SM, three waves of 16.  The next begins
 * as the last of them leaves places, not before. */
START_TEST(the_next_launch_fills_the_tail)
{
    kernel[0].blocks = 40; /* 16, 16 and 8: 33.3 us each */
    kernel[1].blocks = 8;
    launch(1, 0);
    launch(2, 1);
    ck_assert_int_eq(play(), TEG_OK);
    expect(0, 5, 105);
    expect(1, 5 + 200.0 / 3, 105 + 200.0 / 3);
    ck_assert_int_eq(why_of(1), SIM_WAIT_SPACE);
}
END_TEST

/* Both are in the first's way; the one that came first goes first, but for a
 * priority. */
START_TEST(priorities_go_first)
{
    kernel[0].blocks = 32; /* two waves, 50 us each */
    kernel[1].blocks = 16; /* one wave */
    launch(1, 0);
    launch(2, 1);
    launch(3, 1);
    ck_assert_int_eq(play(), TEG_OK);
    expect(0, 5, 105);
    expect(1, 105, 205);
    expect(2, 205, 305);
    score.stream[3].priority = -1;
    ck_assert_int_eq(play(), TEG_OK);
    expect(2, 55, 155); /* when the first wave of the first has ended */
    expect(0, 5, 205);  /* its second wave comes behind that */
    expect(1, 205, 305);
}
END_TEST

/* What an SM has no more of holds a launch up, whatever that is. */
START_TEST(every_resource_is_a_limit)
{
    static const struct teg_block_needs needs[] = {
        {16, 1, 1}, {1, 65536, 1}, {1, 1, 1024}};

    for (int i = 0; i < 3; i++) {
        kernel[0].needs = needs[i];
        kernel[0].blocks_per_sm = 1;
        kernel[1].needs = (struct teg_block_needs){1, 1, 1};
        launch(1, 0);
        launch(2, 1);
        ck_assert_int_eq(play(), TEG_OK);
        expect(0, 5, 105);
        expect(1, 105, 205);
        teardown();
        setup();
    }
    kernel[0].blocks = kernel[1].blocks = 4;
    gpu.launch.grids_max = 1;
    launch(1, 0);
    launch(2, 1);
    ck_assert_int_eq(play(), TEG_OK);
    expect(1, 105, 205);
}
END_TEST

/* Two that each would have all of the DRAM have half of it; one that takes
 * little of it is not slower. */
START_TEST(bandwidth_is_shared)
{
    kernel[0].use[SIM_USE_DRAM] = kernel[1].use[SIM_USE_DRAM] = 1;
    kernel[2].use[SIM_USE_DRAM] = 0.01;
    launch(1, 0);
    launch(2, 1);
    launch(3, 2);
    ck_assert_int_eq(play(), TEG_OK);
    expect(2, 7, 107);
    ck_assert_double_gt(tasks.task[0].end, 200);
    ck_assert_double_lt(tasks.task[0].end, 207);
    ck_assert_double_gt(tasks.task[1].end, 204);
    ck_assert_double_lt(tasks.task[1].end, 210);
}
END_TEST

START_TEST(events_order_streams)
{
    launch(1, 0);
    add(TEG_SCORE_RECORD, 1, 7);
    launch(1, 1);
    add(TEG_SCORE_WAIT, 2, 7);
    launch(2, 2);
    ck_assert_int_eq(play(), TEG_OK);
    expect(0, 5, 105);
    expect(2, 107, 207);
    expect(4, 107, 207); /* beside the one behind the record */
    /* An event that is recorded later is waited for all the same. */
    teardown();
    setup();
    add(TEG_SCORE_WAIT, 2, 7);
    launch(2, 2);
    launch(1, 0);
    add(TEG_SCORE_RECORD, 1, 7);
    ck_assert_int_eq(play(), TEG_OK);
    expect(2, 6, 106);
    expect(1, 108, 208);
}
END_TEST

/* Reading the time takes a while, where the stream has something to do. */
START_TEST(a_record_between_launches_holds_the_next_one_up)
{
    gpu.launch.record_us = 4;
    for (uint8_t untimed = 0; untimed < 2; untimed++) {
        launch(1, 0);
        add(TEG_SCORE_RECORD, 1, 7);
        score.entry[1].untimed = untimed;
        launch(1, 1);
        launch(1, 2);
        ck_assert_int_eq(play(), TEG_OK);
        expect(2, untimed ? 107 : 111, untimed ? 207 : 211);
        expect(3, untimed ? 209 : 213, untimed ? 309 : 313);
        teardown();
        setup();
        gpu.launch.record_us = 4;
    }
}
END_TEST

START_TEST(the_default_stream_waits_and_is_waited_for)
{
    launch(1, 0);
    launch(0, 1);
    launch(2, 2);
    launch(3, 3);
    score.stream[3].nonblocking = 1;
    ck_assert_int_eq(play(), TEG_OK);
    expect(0, 5, 105);
    expect(1, 107, 207);
    expect(2, 209, 309);
    expect(3, 8, 108);
}
END_TEST

/* 1000 bytes take a microsecond of a GB/s. */
START_TEST(copies_share_the_link)
{
    gpu.link.latency_us = 0.5;
    copy(TEG_SCORE_COPY_TO_DEVICE, 1, 10000);
    copy(TEG_SCORE_COPY_TO_DEVICE, 2, 10000);
    copy(TEG_SCORE_COPY_FROM_DEVICE, 3, 10000);
    ck_assert_int_eq(play(), TEG_OK);
    expect(0, 5, 15.5);
    expect(1, 15.5, 26); /* one engine */
    ck_assert_int_eq(why_of(1), SIM_WAIT_COPY);
    expect(2, 7, 17.5); /* the other direction */
    gpu.link.engines = 2;
    ck_assert_int_eq(play(), TEG_OK);
    /* 5 to 5.5 latency, 1000 bytes alone by 6.0 when the next comes (its
     * share counts from then), then half each. */
    ck_assert_double_gt(tasks.task[0].end, 23.9);
    ck_assert_double_lt(tasks.task[0].end, 25.1);
    ck_assert_double_gt(tasks.task[1].end, 25);
    ck_assert_double_lt(tasks.task[1].end, 26.6);
    gpu.link.engines = 1;
    gpu.link.both_gbs = 1;
    ck_assert_int_eq(play(), TEG_OK);
    ck_assert_double_gt(tasks.task[2].end, 26);
}
END_TEST

START_TEST(memory_that_is_not_pinned_holds_the_host)
{
    copy(TEG_SCORE_COPY_TO_DEVICE, 1, 10000);
    score.entry[0].pinned = 0;
    launch(2, 0);
    ck_assert_int_eq(play(), TEG_OK);
    expect(0, 5, 25); /* at half the speed */
    expect(1, 33, 133);
}
END_TEST

/* The first node without the gap of a node, others behind its. */
START_TEST(graphs_run_by_their_edges)
{
    static struct teg_score_entry node[4];
    static uint32_t edge[] = {0, 0, 1, 2};

    score.graph = calloc(1, sizeof *score.graph);
    ck_assert_ptr_nonnull(score.graph);
    score.graphs = 1;
    score.graph[0].node = calloc(4, sizeof *node);
    score.graph[0].edge = calloc(4, sizeof *edge);
    ck_assert_ptr_nonnull(score.graph[0].node);
    ck_assert_ptr_nonnull(score.graph[0].edge);
    memcpy(score.graph[0].edge, edge, sizeof edge);
    score.graph[0].nodes = 4;
    for (uint32_t i = 0; i < 4; i++)
        score.graph[0].node[i] =
            (struct teg_score_entry){.kind = TEG_SCORE_LAUNCH,
                                     .number = i,
                                     .times = 1,
                                     .us = -1,
                                     .after = i < 2    ? 0
                                              : i == 2 ? 1
                                                       : 2,
                                     .afters = i == 0   ? 0
                                               : i == 3 ? 2
                                                        : 1};
    kernel[1].us = 50;
    add(TEG_SCORE_GRAPH, 1, 0);
    launch(1, 0);
    ck_assert_int_eq(play(), TEG_OK);
    ck_assert_uint_eq(tasks.tasks, 7); /* a beginning, an end */
    ck_assert_double_eq_tol(tasks.task[1].start, 5, 1e-6);
    ck_assert_double_eq_tol(tasks.task[2].start, 106, 1e-6); /* behind 0 */
    ck_assert_double_eq_tol(tasks.task[2].end, 156, 1e-6);
    ck_assert_double_eq_tol(tasks.task[3].start, 106, 1e-6); /* likewise */
    ck_assert_double_eq_tol(tasks.task[4].start, 207, 1e-6); /* both */
    expect(1, 309, 409);
}
END_TEST

/* A graph of `nodes` launches without edges; there is room for `edges`. */
static struct teg_score_graph *add_graph(uint32_t nodes, uint32_t edges)
{
    struct teg_score_graph *g = calloc(1, sizeof *g);

    ck_assert_ptr_nonnull(g);
    *g = (struct teg_score_graph){.node = calloc(nodes, sizeof *g->node),
                                  .nodes = nodes,
                                  .edge = calloc(edges, sizeof *g->edge)};
    ck_assert(g->node != NULL && g->edge != NULL);
    for (uint32_t n = 0; n < nodes; n++)
        g->node[n] = (struct teg_score_entry){
            .kind = TEG_SCORE_LAUNCH, .times = 1, .us = -1};
    score.graph = g;
    score.graphs = 1;
    add(TEG_SCORE_GRAPH, 1, 0);
    return g;
}

/* Graphs one behind the other are no slower if all launches are nodes of graphs:
 * neither their ends nor events, in them or between them, wait for a gap. */
START_TEST(graphs_gain_nothing_from_graphs)
{
    struct teg_score_graph *g = add_graph(3, 2);

    g->edge[1] = 1;
    g->node[1].kind = TEG_SCORE_RECORD;
    for (uint32_t n = 1; n < 3; n++) {
        g->node[n].after = n - 1;
        g->node[n].afters = 1;
    }
    add(TEG_SCORE_RECORD, 1, 7);
    add(TEG_SCORE_GRAPH, 1, 0);
    gpu.launch.graph_host_us = 0;
    for (int graphs = 0; graphs < 2; graphs++) {
        options.one_graph = graphs;
        ck_assert_int_eq(play(), TEG_OK);
        ck_assert_double_eq_tol(result.us, 5 + 201 + 2 + 201, 1e-6);
    }
}
END_TEST

/* As sweeps over all nodes would put them in, done one after the other. */
static void check_sweeps(const struct teg_score_graph *g)
{
    uint8_t in[64] = {0};
    uint32_t at = 1; /* the beginning is no node */

    while (at <= g->nodes) {
        for (uint32_t n = 0; n < g->nodes; n++) {
            int ready = !in[n];

            for (uint32_t i = 0; i < g->node[n].afters; i++)
                ready &= in[g->edge[g->node[n].after + i]];
            if (!ready)
                continue;
            in[n] = 1;
            ck_assert_uint_eq(tasks.task[at++].node, n);
        }
    }
}

START_TEST(nodes_go_in_by_sweeps)
{
    enum {
        NODES = 40,
        EDGES = 3
    };
    uint32_t rank[NODES];
    struct teg_score_graph *g = add_graph(NODES, NODES * EDGES);
    uint64_t random = (uint64_t)_i + 1;

    for (uint32_t n = 0; n < NODES; n++)
        rank[n] = help_below(&random, 1000);
    for (uint32_t n = 0; n < NODES; n++) {
        g->node[n].after = n * EDGES;
        for (int i = 0; i < EDGES; i++) {
            uint32_t to = help_below(&random, NODES);

            if (rank[to] < rank[n])
                g->edge[n * EDGES + g->node[n].afters++] = to;
        }
    }
    ck_assert_int_eq(play(), TEG_OK);
    check_sweeps(g);
}
END_TEST

START_TEST(a_graph_listed_in_reverse_is_quick)
{
    const uint32_t nodes = 100000;
    struct teg_score_graph *g = add_graph(nodes, nodes);

    for (uint32_t n = 0; n + 1 < nodes; n++) {
        g->node[n].after = n;
        g->node[n].afters = 1;
        g->edge[n] = n + 1;
    }
    ck_assert_int_eq(play(), TEG_OK);
    ck_assert_uint_eq(tasks.task[1].node, nodes - 1);
    ck_assert_uint_eq(tasks.task[nodes].node, 0);
    ck_assert_double_eq_tol(result.us, 5 + nodes * 101.0 - 1, 1);
}
END_TEST

/* Two queues for three streams: the third's launch is behind the first's. */
START_TEST(streams_beyond_the_queues_wait)
{
    gpu.launch.queues = 2;
    launch(1, 0);
    launch(1, 0);
    launch(3, 1);
    ck_assert_int_eq(play(), TEG_OK);
    expect(1, 107, 207);
    expect(2, 7, 107); /* score streams 0, 1, 2: the default's queue */
    launch(1, 2);
    launch(5, 3);
    ck_assert_int_eq(play(), TEG_OK);
    expect(3, 209, 309);
    expect(4, 209, 309); /* stream 3 of the score is in the queue of 1 */
    ck_assert_int_eq(why_of(4), SIM_WAIT_QUEUE);
}
END_TEST

START_TEST(a_deadlock_says_who_waits_for_whom)
{
    add(TEG_SCORE_WAIT, 1, 2);
    add(TEG_SCORE_RECORD, 1, 1);
    add(TEG_SCORE_WAIT, 2, 1);
    add(TEG_SCORE_RECORD, 2, 2);
    ck_assert_int_eq(play(), TEG_DEADLOCK);
    ck_assert_msg(strstr(d.what, "order[0] (wait, stream 1) waits for order[3] "
                                 "(record, stream 2)") != NULL,
                  "%s", d.what);
    ck_assert_msg(strstr(d.what, "order[1] (record, stream 1) waits for "
                                 "order[0]") != NULL,
                  "%s", d.what);
    /* A host that waits for what it has not called yet. */
    teardown();
    setup();
    add(TEG_SCORE_SYNCHRONIZE, 0, 5);
    add(TEG_SCORE_RECORD, 1, 5);
    ck_assert_int_eq(play(), TEG_DEADLOCK);
    ck_assert_msg(strstr(d.what, "order[1] (record, stream 1) waits for the "
                                 "host, which waits for order[0]") != NULL,
                  "%s", d.what);
}
END_TEST

START_TEST(what_ifs_take_things_away)
{
    for (int i = 0; i < 3; i++)
        launch(1, (uint32_t)i);
    ck_assert_int_eq(play(), TEG_OK);
    ck_assert_double_eq_tol(result.us, 5 + 300 + 4, 1e-6);
    options.no_gaps = 1;
    ck_assert_int_eq(play(), TEG_OK);
    ck_assert_double_eq_tol(result.us, 300, 1e-6);
    options = sim_program_plain();
    options.infinite_streams = 1;
    ck_assert_int_eq(play(), TEG_OK);
    ck_assert_double_eq_tol(result.us, 107, 1e-6);
    options = sim_program_plain();
    options.one_graph = 1;
    ck_assert_int_eq(play(), TEG_OK);
    ck_assert_double_eq_tol(result.us, 5 + 300 + 2, 1e-6);
    options = sim_program_plain();
    options.fused[0] = 0;
    options.fused[1] = 1;
    ck_assert_int_eq(play(), TEG_OK);
    ck_assert_double_eq_tol(result.us, 5 + 300 + 2, 1e-6);
    options = sim_program_plain();
    options.without = 1;
    ck_assert_int_eq(play(), TEG_OK);
    ck_assert_double_eq_tol(result.us, 5 + 200 + 4, 1e-6);
}
END_TEST

/* On SMs without end each takes what it takes alone, however many waves it has
 * and whatever comes and ends beside it. */
START_TEST(sms_without_end_make_no_launch_faster)
{
    kernel[0].blocks = 160; /* ten waves */
    kernel[1].blocks = 48;  /* three */
    kernel[1].us = 50;
    options.infinite_chip = 1;
    launch(1, 0);
    launch(2, 1);
    launch(2, 1);
    ck_assert_int_eq(play(), TEG_OK);
    expect(0, 5, 105);
    expect(1, 6, 56);
    expect(2, 58, 108);
}
END_TEST

/* 2^31 blocks and as many beside them are few steps, and end as
 * fewer would. */
START_TEST(a_grid_is_as_large_as_it_likes)
{
    kernel[0].blocks = kernel[1].blocks = (uint64_t)INT32_MAX * UINT16_MAX;
    launch(1, 0);
    launch(2, 1);
    ck_assert_int_eq(play(), TEG_OK);
    expect(0, 5, 105);
    ck_assert_double_eq_tol(result.us, 205, 200.0 / 128);
    kernel[0].blocks = UINT64_MAX;
    ck_assert_int_eq(play(), TEG_OK);
    expect(0, 5, 105);
}
END_TEST

/* 20,000 launches, and as many beside them: no more than a second. */
START_TEST(a_large_program_is_quick)
{
    for (uint32_t i = 0; i < 20000; i++) {
        kernel[i % 4].blocks = 1000;
        launch(1 + i % 2, i % 4);
    }
    ck_assert_int_eq(play(), TEG_OK);
    ck_assert_double_gt(result.us, 100.0 * 10000);
    ck_assert_double_le(result.us, 102.0 * 20000 + 5);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim/program");
    TCase *tcase = tcase_create("program");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, a_stream_runs_in_order);
    tcase_add_test(tcase, a_host_that_is_slow_holds_up);
    tcase_add_test(tcase, small_launches_of_streams_run_beside_each_other);
    tcase_add_test(tcase, the_next_launch_fills_the_tail);
    tcase_add_test(tcase, priorities_go_first);
    tcase_add_test(tcase, every_resource_is_a_limit);
    tcase_add_test(tcase, bandwidth_is_shared);
    tcase_add_test(tcase, events_order_streams);
    tcase_add_test(tcase, a_record_between_launches_holds_the_next_one_up);
    tcase_add_test(tcase, the_default_stream_waits_and_is_waited_for);
    tcase_add_test(tcase, copies_share_the_link);
    tcase_add_test(tcase, memory_that_is_not_pinned_holds_the_host);
    tcase_add_test(tcase, graphs_run_by_their_edges);
    tcase_add_test(tcase, graphs_gain_nothing_from_graphs);
    tcase_add_loop_test(tcase, nodes_go_in_by_sweeps, 0, 20);
    tcase_add_test(tcase, a_graph_listed_in_reverse_is_quick);
    tcase_add_test(tcase, streams_beyond_the_queues_wait);
    tcase_add_test(tcase, a_deadlock_says_who_waits_for_whom);
    tcase_add_test(tcase, what_ifs_take_things_away);
    tcase_add_test(tcase, sms_without_end_make_no_launch_faster);
    tcase_add_test(tcase, a_grid_is_as_large_as_it_likes);
    tcase_add_test(tcase, a_large_program_is_quick);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
