/* Scores played while they are written, against the same played as a whole. */
#include "sim/program/live.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_suite.h"

enum {
    KERNELS = 4,
    STREAMS = 5,
    EVENTS = 6,
    STEPS = 60,
    LATE_KERNELS = 4, /* that become known behind each entry */
};

static struct teg_gpu gpu;
static struct sim_program_kernel kernel[KERNELS];
static struct teg_diag d;

static void make_gpu(void)
{
    memset(&gpu, 0, sizeof gpu);
    gpu.chip.sms = 3;
    gpu.sm.warps_max = 16;
    gpu.sm.threads_max = 512;
    gpu.sm.blocks_max = 4;
    gpu.sm.registers = 65536;
    gpu.sm.shared_bytes = 1024;
    gpu.launch.host_us = 1.5;
    gpu.launch.latency_us = 5;
    gpu.launch.sync_us = 3;
    gpu.launch.gap_us = 2;
    gpu.launch.graph_gap_us = 1;
    gpu.launch.graph_host_us = 4;
    gpu.launch.grids_max = 3;
    gpu.launch.queues = 3;
    gpu.link.to_device_gbs = 1;
    gpu.link.from_device_gbs = 2;
    gpu.link.both_gbs = 2.5;
    gpu.link.pageable_gbs = 0.5;
    gpu.link.latency_us = 1;
    gpu.link.engines = 1;
    gpu.dram.bandwidth_gbs = 10;
    for (uint32_t i = 0; i < KERNELS; i++)
        kernel[i] = (struct sim_program_kernel){
            .us = 7 + 13 * i,
            .blocks = 1 + 9 * i,
            .blocks_per_sm = 4,
            .needs = {4 - i % 2, 1, 256},
            .use = {0.1 * i, 0.3, 0.2, 0.25 * i},
        };
}

static uint64_t next(uint64_t *seed)
{
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return *seed >> 33;
}

/* A node of the graph: a launch behind some of those before. */
static void make_graph(struct teg_score_graph *g, uint64_t *seed)
{
    uint32_t edges = 0;

    *g = (struct teg_score_graph){.nodes = 1 + (uint32_t)next(seed) % 5};
    g->node = calloc(g->nodes, sizeof *g->node);
    g->edge = calloc((size_t)g->nodes * g->nodes, sizeof *g->edge);
    ck_assert(g->node != NULL && g->edge != NULL);
    for (uint32_t n = 0; n < g->nodes; n++) {
        g->node[n] =
            (struct teg_score_entry){.kind = TEG_SCORE_LAUNCH,
                                     .async = 1,
                                     .number = (uint32_t)(next(seed) % KERNELS),
                                     .times = 1,
                                     .us = -1,
                                     .after = edges};
        for (uint32_t b = 0; b < n; b++) {
            if (next(seed) % 2 == 0)
                g->edge[edges++] = b;
        }
        g->node[n].afters = edges - g->node[n].after;
    }
}

/* Any call but a wait for an event that nobody has recorded. */
static struct teg_score_entry draw(uint64_t *seed, uint8_t *recorded,
                                   uint32_t place)
{
    static const uint8_t kinds[] = {
        TEG_SCORE_LAUNCH,
        TEG_SCORE_LAUNCH,
        TEG_SCORE_LAUNCH,
        TEG_SCORE_COPY_TO_DEVICE,
        TEG_SCORE_COPY_FROM_DEVICE,
        TEG_SCORE_COPY_ON_DEVICE,
        TEG_SCORE_SET,
        TEG_SCORE_RECORD,
        TEG_SCORE_RECORD,
        TEG_SCORE_WAIT,
        TEG_SCORE_SYNCHRONIZE,
        TEG_SCORE_GRAPH,
        TEG_SCORE_HOST,
        TEG_SCORE_FREE,
    };
    struct teg_score_entry e = {.kind = kinds[next(seed) % sizeof kinds],
                                .async = next(seed) % 4 != 0,
                                .pinned = next(seed) % 2,
                                .stream = (uint32_t)(next(seed) % STREAMS),
                                .number = TEG_SCORE_NONE,
                                .times = 1,
                                .us = -1,
                                .host_us = next(seed) % 5 == 0 ? 2.25 : 0,
                                .bytes = 1000 * (1 + next(seed) % 40),
                                .place = place};

    if (e.kind == TEG_SCORE_LAUNCH)
        e.number = (uint32_t)(next(seed) % KERNELS);
    else if (e.kind == TEG_SCORE_RECORD || e.kind == TEG_SCORE_WAIT)
        e.number = (uint32_t)(next(seed) % EVENTS);
    else if (e.kind == TEG_SCORE_GRAPH)
        e.number = 0;
    else if (e.kind == TEG_SCORE_SYNCHRONIZE && next(seed) % 2 == 0)
        e.stream = TEG_SCORE_NONE;
    if (e.kind == TEG_SCORE_RECORD)
        recorded[e.number] = 1;
    if (e.kind == TEG_SCORE_WAIT && !recorded[e.number])
        e.kind = TEG_SCORE_NOTHING;
    return e;
}

static void add_streams(struct teg_score *score)
{
    for (uint32_t i = 0; i < STREAMS; i++) {
        uint32_t stream;

        ck_assert_int_eq(teg_score_stream(score, 0, i, &stream, &d), TEG_OK);
        score->stream[stream].nonblocking = i == 3;
        score->stream[stream].priority = i == 2 ? -1 : 0;
    }
}

/* The whole, then the same entry by entry: each event when it was recorded
 * last, and the host where it is at the end. */
static void play_both(uint64_t seed)
{
    struct sim_program_options options = sim_program_plain();
    struct sim_program_result result;
    struct sim_program tasks;
    struct teg_score score = {0}, *own;
    const struct sim_program_kernel late = {.us = 1e9, .blocks = 1};
    struct sim_live *live;
    uint8_t recorded[EVENTS] = {0};
    double at[EVENTS] = {0}, us;
    uint32_t number;

    add_streams(&score);
    score.graph = calloc(1, sizeof *score.graph);
    score.graphs = 1;
    make_graph(score.graph, &seed);
    for (uint32_t i = 0; i < STEPS; i++)
        ck_assert_int_eq(teg_score_add(&score, draw(&seed, recorded, i), &d),
                         TEG_OK);
    /* all is over, and the host knows */
    ck_assert_int_eq(
        teg_score_add(&score,
                      (struct teg_score_entry){.kind = TEG_SCORE_SYNCHRONIZE,
                                               .stream = TEG_SCORE_NONE,
                                               .number = TEG_SCORE_NONE,
                                               .times = 1,
                                               .place = STEPS},
                      &d),
        TEG_OK);
    ck_assert_int_eq(sim_program_init(&tasks, &score, &gpu, &options, &d),
                     TEG_OK);
    ck_assert_int_eq(
        sim_program_play(&tasks, &score, kernel, &gpu, &options, &result, &d),
        TEG_OK);
    for (uint32_t i = 0; i < tasks.tasks; i++) {
        if (tasks.task[i].records)
            at[tasks.task[i].kernel] = tasks.task[i].end;
    }

    ck_assert_int_eq(sim_live_new(&gpu, &live, &d), TEG_OK);
    own = sim_live_score(live);
    add_streams(own);
    for (uint32_t i = 0; i < KERNELS; i++)
        ck_assert_int_eq(sim_live_kernel(live, &kernel[i], &number, &d),
                         TEG_OK);
    own->graph = score.graph;
    own->graphs = 1;
    for (size_t i = 0; i < score.entries; i++) {
        ck_assert_int_eq(sim_live_add(live, &score.entry[i], &d), TEG_OK);
        /* Kernels come as they are launched first, while launches of others run. */
        for (uint32_t k = 0; k < LATE_KERNELS; k++)
            ck_assert_int_eq(sim_live_kernel(live, &late, &number, &d), TEG_OK);
    }
    ck_assert_uint_eq(number, KERNELS + LATE_KERNELS * score.entries - 1);
    ck_assert(sim_live_idle(live, TEG_SCORE_NONE));
    ck_assert_msg(sim_live_host(live) == tasks.call[tasks.calls - 1].end,
                  "seed %llu: the host", (unsigned long long)seed);
    ck_assert_uint_eq(sim_live_beside(live), result.beside);
    for (uint32_t e = 0; e < EVENTS; e++) {
        ck_assert(sim_live_event(live, e, &us));
        ck_assert_msg(us == (recorded[e] ? at[e] : -1), "event %u", e);
    }
    own->graph = NULL;
    own->graphs = 0;
    sim_live_free(live);
    sim_program_release(&tasks);
    teg_score_release(&score);
}

START_TEST(a_live_play_is_the_whole_one)
{
    make_gpu();
    for (uint64_t seed = 1; seed <= HELP_ROUNDS(300); seed++)
        play_both(seed);
}
END_TEST

/* Two launches of one block each in two streams: the host knows of neither
 * until it waits. */
START_TEST(what_is_not_over_is_not_told)
{
    struct teg_score_entry launch = {.kind = TEG_SCORE_LAUNCH,
                                     .async = 1,
                                     .times = 1,
                                     .us = -1},
                           record = {.kind = TEG_SCORE_RECORD,
                                     .number = 1,
                                     .times = 1},
                           wait = {.kind = TEG_SCORE_SYNCHRONIZE,
                                   .number = 1,
                                   .stream = TEG_SCORE_NONE,
                                   .times = 1};
    struct sim_live *live;
    double us;
    uint32_t number;

    make_gpu();
    ck_assert_int_eq(sim_live_new(&gpu, &live, &d), TEG_OK);
    ck_assert_int_eq(sim_live_kernel(live, &kernel[0], &number, &d), TEG_OK);
    ck_assert(sim_live_event(live, 1, &us) && us == -1);
    ck_assert(sim_live_idle(live, 0));
    ck_assert_int_eq(sim_live_add(live, &launch, &d), TEG_OK);
    ck_assert_int_eq(sim_live_add(live, &record, &d), TEG_OK);
    ck_assert(!sim_live_event(live, 1, &us));
    ck_assert(!sim_live_idle(live, 0) && !sim_live_idle(live, TEG_SCORE_NONE));
    ck_assert(sim_live_host(live) == 1.5);
    ck_assert_int_eq(sim_live_add(live, &wait, &d), TEG_OK);
    ck_assert(sim_live_event(live, 1, &us) && us == 5 + 7);
    ck_assert(sim_live_idle(live, 0));
    ck_assert(sim_live_host(live) == 5 + 7 + 3);
    sim_live_free(live);
}
END_TEST

HELP_MAIN("sim/program/live", 60, {a_live_play_is_the_whole_one, 0},
          {what_is_not_over_is_not_told, 0})
