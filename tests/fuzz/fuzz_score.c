/* Any JSON as a program's score, played on a V100 with made-up kernels: nothing
 * begins before what it comes after has ended, or it is refused. */
#include <jansson.h>
#include <stdlib.h>

#include "sim/program/program.h"
#include "tests/fuzz/common.h"
#include "traces/list/kernelsjson.h"
#include "traces/list/scorejson.h"

enum {
    KERNELS = 4,
    TASKS_MAX = 1 << 12, /* more take long and show no more */
};

/* What so many entries become, at the least. */
static uint64_t count(const struct teg_score_entry *entry, size_t entries,
                      const struct teg_score *s)
{
    uint64_t all = 0;

    for (size_t i = 0; i < entries; i++) {
        const struct teg_score_entry *e = &entry[i];
        const struct teg_score_graph *g =
            e->kind == TEG_SCORE_GRAPH ? &s->graph[e->number] : NULL;

        all += e->times *
               (g != NULL ? 1 + count(g->node, g->nodes, s) : (uint64_t)1);
    }
    return all;
}

static void hold(int fact)
{
    if (!fact)
        abort();
}

static void check(const struct sim_program *p,
                  const struct sim_program_result *r, int streams)
{
    for (uint32_t i = 0; i < p->tasks; i++) {
        const struct sim_program_task *t = &p->task[i];
        double room = 1e-9 * (1 + r->us);

        hold(t->start >= 0 && t->end >= t->start && t->end <= r->us + room);
        for (uint32_t k = t->from; streams && k < t->from + t->froms; k++) {
            const struct sim_program_edge *e = &p->edge[k];
            const struct sim_program_task *before = &p->task[e->task];

            hold(t->start + room >=
                 (e->from_start || t->dependent ? before->start : before->end));
        }
    }
}

static void play(const struct teg_score *score, const struct teg_gpu *gpu,
                 const struct sim_program_options *options)
{
    static const struct sim_program_kernel kernel[KERNELS] = {
        {.us = 1, .blocks = 1, .blocks_per_sm = 1, .needs = {1, 1, 0}},
        {.us = 30,
         .blocks = 1000,
         .blocks_per_sm = 2,
         .needs = {32, 32768, 0},
         .use = {0.5, 0.9, 0.1, 1}},
        {.us = 0.5, .blocks = 200, .blocks_per_sm = 16, .needs = {2, 0, 100}},
        {.us = 7},
    };
    struct sim_program program;
    struct sim_program_result result;
    struct teg_diag d;

    if (sim_program_init(&program, score, gpu, options, &d) != TEG_OK)
        return;
    if (sim_program_play(&program, score, kernel, gpu, options, &result, &d) ==
        TEG_OK)
        check(&program, &result, !options->no_gaps);
    sim_program_release(&program);
}

static void play_all(const struct teg_score *score)
{
    struct sim_program_options options = sim_program_plain();
    const struct teg_gpu *gpu = fuzz_chip();

    play(score, gpu, &options);
    options.serial = 1;
    play(score, gpu, &options);
    options = sim_program_plain();
    options.infinite_streams = options.infinite_chip = options.one_graph = 1;
    options.without = 1;
    play(score, gpu, &options);
    options = sim_program_plain();
    options.no_gaps = options.without_copies = 1;
    options.fused[0] = 0;
    options.fused[1] = 1;
    play(score, gpu, &options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    json_t *root = json_loadb((const char *)data, size, 0, NULL);
    struct teg_score score;
    struct teg_diag d;

    if (root == NULL)
        return 0;
    if (teg_scorejson_read("fuzz", root, TEG_KERNELSJSON_SCHEMA, KERNELS,
                           &score, &d) == TEG_OK &&
        count(score.entry, score.entries, &score) <= TASKS_MAX)
        play_all(&score);
    teg_score_release(&score);
    json_decref(root);
    return 0;
}
