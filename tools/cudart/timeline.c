#define _GNU_SOURCE /* RTLD_DEFAULT, syscall */
#include "tools/cudart/timeline.h"
#include "sim/program/live.h"
#include "tools/cudart/program_time.h"
#include "tools/cudart/say.h"
#include "traces/list/scorejson.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct timeline {
    struct sim_live *live;          /* owned */
    struct teg_program_time *shown; /* to the program; NULL: to nobody */
    int depth;                      /* calls in calls */
    int host_counts;
    double left;    /* real time when the last call ended */
    double work;    /* microseconds of the host's own, besides */
    double pending; /* likewise, that delay the device with the next line */
    /* The latest entry, to which more rows or what a launch takes may come. */
    struct teg_score_entry held;
    int holds;
    /* The graph that is being launched. */
    struct teg_score_entry launched;
    struct teg_score_graph graph; /* owned */
    uint32_t edges;
    int in_graph;
    /* A launch that has no line, for the node that has its place. */
    uint32_t nameless; /* TEG_SCORE_NONE: there is none */
    int stopped;       /* by a fault, which has been said */
};

/* The machine's own clock, which the program does not see. */
static double real_us(void)
{
    struct timespec t = {0};

    syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

struct timeline *timeline_new(const struct teg_gpu *gpu)
{
    struct timeline *t = calloc(1, sizeof *t);
    struct teg_diag d;

    if (t == NULL)
        return NULL;
    *t = (struct timeline){.left = real_us(), .nameless = TEG_SCORE_NONE};
    t->work = t->left;
    t->shown = dlsym(RTLD_DEFAULT, TEG_PROGRAM_TIME);
    if (sim_live_new(gpu, &t->live, &d) == TEG_OK)
        return t;
    runtime_say_fault(&d);
    free(t);
    return NULL;
}

void timeline_count_host(struct timeline *t)
{
    if (t != NULL)
        t->host_counts = 1;
}

/* ---- what goes in ---------------------------------------------------------- */

/* A play that cannot go on leaves times as they are. */
static void check(struct timeline *t, teg_status status, struct teg_diag *d)
{
    if (status == TEG_OK || t->stopped)
        return;
    t->stopped = 1;
    runtime_say_fault(d);
    runtime_say("", "elapsed times stand still from here on");
}

static void add(struct timeline *t, const struct teg_score_entry *entry)
{
    struct teg_diag d;

    if (!t->stopped)
        check(t, sim_live_add(t->live, entry, &d), &d);
}

static void let_go(struct timeline *t)
{
    if (t->holds)
        add(t, &t->held);
    t->holds = 0;
}

/* Rows of the copy before go with it. */
static void take_entry(struct timeline *t, const struct teg_score_entry *entry)
{
    if (entry->part && t->holds && t->held.kind == entry->kind) {
        t->held.bytes += entry->bytes;
        return;
    }
    let_go(t);
    t->held = *entry;
    t->held.part = 0;
    t->holds = 1;
}

static void begin_graph(struct timeline *t, const struct teg_score_entry *entry)
{
    t->launched = *entry;
    t->launched.kind = TEG_SCORE_GRAPH;
    t->launched.number = 0;
    t->launched.async = 1;
    t->edges = 0;
    t->in_graph = 1;
}

/* The only graph that the score has while it is launched. */
static void end_graph(struct timeline *t)
{
    struct teg_score *score = sim_live_score(t->live);

    score->graph = &t->graph;
    score->graphs = 1;
    add(t, &t->launched);
    score->graph = NULL;
    score->graphs = 0;
    free(t->graph.node);
    free(t->graph.edge);
    free(t->graph.early);
    t->graph = (struct teg_score_graph){0};
    t->in_graph = 0;
}

/* The node of a launch that has no line does nothing but that. */
static teg_status take_node(struct timeline *t, const json_t *line,
                            struct teg_diag *d)
{
    struct teg_score_entry *node;

    TRY(teg_scorejson_node(line, sim_live_score(t->live), &t->graph, &t->edges,
                           d));
    node = &t->graph.node[t->graph.nodes - 1];
    if (t->nameless != TEG_SCORE_NONE && node->kind == TEG_SCORE_NOTHING) {
        node->kind = TEG_SCORE_LAUNCH;
        node->number = t->nameless;
        t->nameless = TEG_SCORE_NONE;
    }
    return TEG_OK;
}

/* Lines have words of their own for launches and for where graphs begin and
 * end.  `*kept`: as an entry has them. */
static teg_status read_line(struct timeline *t, const json_t *line,
                            json_t *kept, struct teg_diag *d)
{
    const char *what = json_string_value(json_object_get(line, "what"));
    int begins = what != NULL && strcmp(what, "graph-begin") == 0;
    struct teg_score_entry entry;

    if (what != NULL && strcmp(what, "graph-end") == 0) {
        end_graph(t);
        return TEG_OK;
    }
    if ((what == NULL &&
         json_object_set_new(kept, "kernel", json_integer(0)) != 0) ||
        (begins && json_object_set_new(
                       kept, "what",
                       json_string(teg_score_word(TEG_SCORE_NOTHING))) != 0))
        return teg_fail_memory(d);
    if (t->in_graph)
        return take_node(t, kept, d);
    TRY(teg_scorejson_entry(kept, sim_live_score(t->live), &entry, d));
    if (begins)
        begin_graph(t, &entry);
    else
        take_entry(t, &entry);
    return TEG_OK;
}

void timeline_line(struct timeline *t, const json_t *line)
{
    struct teg_diag d;
    json_t *kept;
    teg_status status;

    if (t == NULL || t->stopped)
        return;
    if (!json_is_true(json_object_get(line, "part")))
        let_go(t);
    kept = json_copy((json_t *)(uintptr_t)line);
    status = kept != NULL ? read_line(t, line, kept, &d) : teg_fail_memory(&d);
    json_decref(kept);
    check(t, status, &d);
}

/* ---- launches ---------------------------------------------------------------- */

static void add_nameless(struct timeline *t, uint32_t number, uint32_t process,
                         uint64_t stream)
{
    struct teg_score_entry entry = {.kind = TEG_SCORE_LAUNCH,
                                    .async = 1,
                                    .number = number,
                                    .times = 1,
                                    .host = process,
                                    .us = -1};
    struct teg_diag d;
    teg_status status;

    if (t->in_graph) {
        t->nameless = number;
        return;
    }
    let_go(t);
    status = teg_score_stream(sim_live_score(t->live), process, (int64_t)stream,
                              &entry.stream, &d);
    check(t, status, &d);
    if (status == TEG_OK)
        add(t, &entry);
}

void timeline_run(struct timeline *t, struct timeline_launch *launch,
                  int has_line, uint32_t process, uint64_t stream)
{
    struct teg_diag d;
    teg_status status = TEG_OK;

    if (t == NULL || t->stopped)
        return;
    if (launch->number == 0) {
        status = sim_live_kernel(t->live, &launch->kernel, &launch->number, &d);
        launch->number += status == TEG_OK;
    }
    check(t, status, &d);
    if (status != TEG_OK)
        return;
    if (!has_line)
        add_nameless(t, launch->number - 1, process, stream);
    else if (t->in_graph)
        t->graph.node[t->graph.nodes - 1].number = launch->number - 1;
    else
        t->held.number = launch->number - 1;
    if (!t->in_graph)
        let_go(t);
}

void timeline_stream(struct timeline *t, uint32_t process, uint64_t stream,
                     int priority, int nonblocking)
{
    struct teg_score *score;
    struct teg_diag d;
    uint32_t number;
    teg_status status;

    if (t == NULL)
        return;
    score = sim_live_score(t->live);
    status = teg_score_stream(score, process, (int64_t)stream, &number, &d);
    check(t, status, &d);
    if (status != TEG_OK)
        return;
    score->stream[number].priority = priority;
    score->stream[number].nonblocking = nonblocking != 0;
}

/* ---- the host's clock ------------------------------------------------------ */

static int64_t shown_ns(const struct timeline *t)
{
    return (int64_t)((sim_live_host(t->live) + t->pending + t->work) * 1e3);
}

void timeline_enter(struct timeline *t)
{
    if (t == NULL || t->depth++ > 0)
        return;
    *(t->host_counts ? &t->pending : &t->work) += real_us() - t->left;
    if (t->shown != NULL)
        atomic_store(&t->shown->frozen_ns, shown_ns(t));
}

void timeline_leave(struct timeline *t)
{
    if (t == NULL || --t->depth > 0)
        return;
    let_go(t);
    t->left = real_us();
    if (t->shown == NULL)
        return;
    atomic_store(&t->shown->shift_ns, shown_ns(t) - (int64_t)(t->left * 1e3));
    atomic_store(&t->shown->frozen_ns, 0);
}

double timeline_take_host_us(struct timeline *t)
{
    double us;

    if (t == NULL)
        return 0;
    us = t->pending;
    t->pending = 0;
    return us;
}

/* ---- questions --------------------------------------------------------------- */

int timeline_event_over(struct timeline *t, uint64_t event)
{
    double us;

    if (t == NULL || t->stopped)
        return 1;
    let_go(t);
    return sim_live_event(t->live, (uint32_t)event, &us);
}

int timeline_stream_over(struct timeline *t, uint32_t process, uint64_t stream)
{
    struct teg_diag d;
    uint32_t number;
    teg_status status;

    if (t == NULL || t->stopped)
        return 1;
    let_go(t);
    status = teg_score_stream(sim_live_score(t->live), process, (int64_t)stream,
                              &number, &d);
    check(t, status, &d);
    return status != TEG_OK || sim_live_idle(t->live, number);
}

double timeline_event(struct timeline *t, uint64_t event)
{
    double us;

    let_go(t);
    sim_live_event(t->live, (uint32_t)event, &us);
    return us;
}

uint64_t timeline_beside(const struct timeline *t)
{
    return t != NULL ? sim_live_beside(t->live) : 0;
}
