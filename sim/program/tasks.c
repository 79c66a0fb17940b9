/*
 * From a score to tasks: what comes after what.
 *
 * Models: a task comes after the one before it in its stream; what is behind a
 * wait after the latest record of the event before it (or, where there is
 * none, the first after it); the default stream of a host after all that its
 * blocking streams have, and these after it; nodes of a graph as its edges
 * say.  (NVIDIA, CUDA C++ Programming Guide: Streams, Events, CUDA Graphs)
 */
#include "sim/program/tasks.h"

#include <stdlib.h>
#include <string.h>

/* What further tasks of a stream come after. */
struct state {
    uint32_t after;  /* the last that they have to; or TEG_SCORE_NONE */
    uint32_t *loose; /* owned, [count]: put in since what gathers them all */
    uint32_t count, capacity;
    int fresh;      /* the default stream has not waited for it since */
    uint32_t queue; /* from 1; 0: nothing has been put in */
};

struct event {
    uint32_t number;
    uint32_t first, latest; /* tasks; or TEG_SCORE_NONE */
};

struct sim_tasks {
    struct sim_program *p;
    const struct teg_score *score;
    const struct sim_program_options *options;
    struct state *stream; /* owned, [streams] */
    uint32_t streams, stream_capacity;
    uint32_t used;       /* streams that something was put into */
    struct event *event; /* owned, [events]: by number */
    uint32_t events, event_capacity;
    uint32_t *late; /* owned, [lates]: edges to events recorded later, and */
    uint32_t *late_event; /* owned: whose they are */
    uint32_t lates, late_capacity;
    uint32_t *of_node; /* owned: task of each node of the graph */
    uint32_t node_capacity;
    uint32_t last;         /* task */
    uint32_t *last_queued; /* owned, [queues] */
    uint32_t queues;
    struct teg_diag *d;
};

/* ---- room ----------------------------------------------------------------- */

static teg_status reserve(void **array, uint32_t count, uint32_t *capacity,
                          size_t size, struct teg_diag *d)
{
    uint32_t more = 2 * *capacity + 64;
    void *room;

    if (count < *capacity)
        return TEG_OK;
    room = realloc(*array, more * size);
    if (room == NULL)
        return teg_fail_memory(d);
    *array = room;
    *capacity = more;
    return TEG_OK;
}

static teg_status add_edge(struct sim_tasks *b, uint32_t task,
                           enum sim_wait why, int from_start)
{
    struct sim_program *p = b->p;

    if (task == TEG_SCORE_NONE)
        return TEG_OK;
    if (p->edges == SIM_PROGRAM_EDGES_MAX)
        return teg_fail(b->d, TEG_LIMIT, "",
                        "expected at most %d times that a launch or copy "
                        "comes after another, found more",
                        SIM_PROGRAM_EDGES_MAX);
    TRY(reserve((void **)&p->edge, p->edges, &p->edge_capacity, sizeof *p->edge,
                b->d));
    p->edge[p->edges++] =
        (struct sim_program_edge){task, (uint8_t)why, (uint8_t)from_start};
    p->task[p->tasks - 1].froms++;
    return TEG_OK;
}

static teg_status note_late(struct sim_tasks *b, uint32_t event)
{
    if (b->lates == b->late_capacity) {
        uint32_t capacity = b->late_capacity;

        TRY(reserve((void **)&b->late, b->lates, &capacity, sizeof *b->late,
                    b->d));
        TRY(reserve((void **)&b->late_event, b->lates, &b->late_capacity,
                    sizeof *b->late_event, b->d));
    }
    b->late[b->lates] = b->p->edges - 1;
    b->late_event[b->lates++] = event;
    return TEG_OK;
}

/* ---- tasks ---------------------------------------------------------------- */

static enum sim_task_kind kind_of(enum teg_score_kind kind)
{
    static const uint8_t kinds[TEG_SCORE_KINDS] = {
        [TEG_SCORE_LAUNCH] = SIM_TASK_LAUNCH,
        [TEG_SCORE_COPY_TO_DEVICE] = SIM_TASK_TO_DEVICE,
        [TEG_SCORE_COPY_FROM_DEVICE] = SIM_TASK_FROM_DEVICE,
        [TEG_SCORE_COPY_ON_DEVICE] = SIM_TASK_ON_DEVICE,
        [TEG_SCORE_COPY_PEER] = SIM_TASK_PEER,
        [TEG_SCORE_SET] = SIM_TASK_SET,
        [TEG_SCORE_PAGES_TO_DEVICE] = SIM_TASK_TO_DEVICE,
        [TEG_SCORE_PREFETCH_TO_DEVICE] = SIM_TASK_TO_DEVICE,
        [TEG_SCORE_PREFETCH_TO_HOST] = SIM_TASK_FROM_DEVICE,
        [TEG_SCORE_HOST] = SIM_TASK_HOST,
        [TEG_SCORE_ALLOCATE] = SIM_TASK_MARK,
        [TEG_SCORE_FREE] = SIM_TASK_MARK,
        [TEG_SCORE_RECORD] = SIM_TASK_MARK,
        [TEG_SCORE_WAIT] = SIM_TASK_MARK,
        [TEG_SCORE_SYNCHRONIZE] = SIM_TASK_MARK,
        [TEG_SCORE_GRAPH] = SIM_TASK_MARK,
        [TEG_SCORE_NOTHING] = SIM_TASK_MARK,
    };

    return kinds[kind];
}

/* Memory of the device, at its address. */
static int writes(enum teg_score_kind kind)
{
    return kind == TEG_SCORE_COPY_TO_DEVICE ||
           kind == TEG_SCORE_COPY_ON_DEVICE || kind == TEG_SCORE_SET;
}

/* The driver moves those as it likes best. */
static int is_prefetch(enum teg_score_kind kind)
{
    return kind == TEG_SCORE_PREFETCH_TO_DEVICE ||
           kind == TEG_SCORE_PREFETCH_TO_HOST;
}

static teg_status new_task(struct sim_tasks *b, const struct teg_score_entry *e,
                           uint32_t stream, uint32_t entry, uint32_t node)
{
    struct sim_program *p = b->p;

    if (p->tasks == SIM_PROGRAM_TASKS_MAX)
        return teg_fail(b->d, TEG_LIMIT, "",
                        "expected at most %d launches and copies, those of "
                        "graphs counted as often as these are launched",
                        SIM_PROGRAM_TASKS_MAX);
    TRY(reserve((void **)&p->task, p->tasks, &p->task_capacity, sizeof *p->task,
                b->d));
    p->task[p->tasks] = (struct sim_program_task){
        .kind = (uint8_t)kind_of(e->kind),
        .pinned = e->pinned || is_prefetch(e->kind),
        .faults = e->kind == TEG_SCORE_PAGES_TO_DEVICE,
        .dependent = e->dependent,
        .in_graph = node != TEG_SCORE_NONE || b->options->one_graph,
        .records = e->kind == TEG_SCORE_RECORD,
        .timed = e->kind == TEG_SCORE_RECORD && !e->untimed,
        .kernel = e->number,
        .primary = TEG_SCORE_NONE,
        .stream = stream,
        .entry = entry,
        .node = node,
        .bytes = (double)e->bytes,
        .address = writes(e->kind) ? e->address : 0,
        .us = e->us,
        .from = p->edges,
        .because = TEG_SCORE_NONE,
    };
    p->tasks++;
    if (b->options->serial && p->tasks > 1)
        TRY(add_edge(b, p->tasks - 2, SIM_WAIT_STREAM, 0));
    return TEG_OK;
}

/* The newest task comes after `task`: programmatically dependent, where its
 * source can say when that lets it, after its start.  That of the first that
 * it depends on so; after others, when they have ended. */
static teg_status after_early(struct sim_tasks *b, uint32_t task)
{
    struct sim_program_task *t = &b->p->task[b->p->tasks - 1];
    int early = t->kind == SIM_TASK_LAUNCH && t->primary == TEG_SCORE_NONE &&
                task != TEG_SCORE_NONE && b->options->source != NULL &&
                !b->options->infinite_chip && !b->options->serial &&
                b->p->task[task].kind == SIM_TASK_LAUNCH;

    if (early)
        t->primary = task;
    return add_edge(b, task, SIM_WAIT_STREAM, early);
}

static teg_status after_task(struct sim_tasks *b, uint32_t task)
{
    return b->p->task[b->p->tasks - 1].dependent == 1
               ? after_early(b, task)
               : add_edge(b, task, SIM_WAIT_STREAM, 0);
}

static teg_status after_all(struct sim_tasks *b, const struct state *s)
{
    for (uint32_t i = 0; i < s->count; i++)
        TRY(add_edge(b, s->loose[i], SIM_WAIT_STREAM, 0));
    return s->count == 0 ? after_task(b, s->after) : TEG_OK;
}

static int is_default(const struct sim_tasks *b, uint32_t stream)
{
    return b->score->stream[stream].name == 0;
}

/* Streams that the default stream of their host waits for, and it for them. */
static teg_status after_default_rules(struct sim_tasks *b, uint32_t stream)
{
    const struct teg_score_stream *all = b->score->stream;

    if (all[stream].nonblocking || b->options->infinite_streams)
        return TEG_OK;
    for (uint32_t i = 0; i < b->score->streams; i++) {
        struct state *s = &b->stream[i];

        if (i == stream || all[i].host != all[stream].host ||
            all[i].nonblocking)
            continue;
        if (is_default(b, i))
            TRY(add_edge(b, s->after, SIM_WAIT_STREAM, 0));
        else if (is_default(b, stream) && s->fresh)
            TRY(after_all(b, s));
        if (is_default(b, stream))
            s->fresh = 0;
    }
    return TEG_OK;
}

/* Streams have queues in the order in which they are used first; those beyond
 * the chip's queues share one with another. */
static teg_status after_queue(struct sim_tasks *b, uint32_t stream)
{
    struct state *s = &b->stream[stream];
    uint32_t *last, before;

    if (s->queue == 0)
        s->queue = 1 + b->used++ % b->queues;
    last = &b->last_queued[s->queue - 1];
    before = *last;
    *last = b->p->tasks - 1;
    if (b->options->infinite_streams || before == TEG_SCORE_NONE ||
        b->p->task[before].stream == stream)
        return TEG_OK;
    return add_edge(b, before, SIM_WAIT_QUEUE, 1);
}

/* The task comes next in its stream; one that gathers, after all that has been
 * put there. */
static teg_status put(struct sim_tasks *b, uint32_t stream, int gathers)
{
    struct state *s = &b->stream[stream];
    uint32_t task = b->p->tasks - 1;

    TRY(after_default_rules(b, stream));
    if (gathers || !b->options->infinite_streams)
        TRY(after_all(b, s));
    else
        TRY(add_edge(b, s->after, SIM_WAIT_STREAM, 0));
    TRY(after_queue(b, stream));
    s->fresh = 1;
    if (gathers || !b->options->infinite_streams) {
        s->count = 0;
        s->after = task;
        return TEG_OK;
    }
    TRY(reserve((void **)&s->loose, s->count, &s->capacity, sizeof *s->loose,
                b->d));
    s->loose[s->count++] = task;
    return TEG_OK;
}

/* ---- events --------------------------------------------------------------- */

static int compare_events(const void *a, const void *b)
{
    const struct event *x = a, *y = b;

    return x->number < y->number ? -1 : x->number > y->number;
}

static struct event *find_event(const struct sim_tasks *b, uint32_t number)
{
    const struct event key = {.number = number};

    return b->events != 0 ? bsearch(&key, b->event, b->events, sizeof *b->event,
                                    compare_events)
                          : NULL;
}

/* The event, a new one where nobody has heard of it. */
static teg_status make_event(struct sim_tasks *b, uint32_t number,
                             struct event **event)
{
    uint32_t at = b->events;

    *event = find_event(b, number);
    if (*event != NULL)
        return TEG_OK;
    TRY(reserve((void **)&b->event, b->events, &b->event_capacity,
                sizeof *b->event, b->d));
    for (; at > 0 && b->event[at - 1].number > number; at--)
        b->event[at] = b->event[at - 1];
    b->event[at] = (struct event){number, TEG_SCORE_NONE, TEG_SCORE_NONE};
    b->events++;
    *event = &b->event[at];
    return TEG_OK;
}

static teg_status record(struct sim_tasks *b, uint32_t number)
{
    struct event *e;

    TRY(make_event(b, number, &e));
    e->latest = b->p->tasks - 1;
    if (e->first == TEG_SCORE_NONE)
        e->first = e->latest;
    return TEG_OK;
}

/* The task comes after the event. */
static teg_status after_event(struct sim_tasks *b, uint32_t number)
{
    const struct event *e = find_event(b, number);

    if (e == NULL)
        return TEG_OK;
    if (e->latest != TEG_SCORE_NONE)
        return add_edge(b, e->latest, SIM_WAIT_EVENT, 0);
    TRY(add_edge(b, 0, SIM_WAIT_EVENT, 0));
    return note_late(b, number);
}

static void note_events(struct sim_tasks *b,
                        const struct teg_score_entry *entry, size_t entries)
{
    for (size_t i = 0; i < entries; i++) {
        if (entry[i].kind == TEG_SCORE_RECORD)
            b->event[b->events++] =
                (struct event){entry[i].number, TEG_SCORE_NONE, TEG_SCORE_NONE};
    }
}

static teg_status find_events(struct sim_tasks *b)
{
    const struct teg_score *s = b->score;
    size_t most = s->entries;
    uint32_t kept = 0;

    for (uint32_t g = 0; g < s->graphs; g++)
        most += s->graph[g].nodes;
    b->event = malloc((most + 1) * sizeof *b->event);
    if (b->event == NULL || most > UINT32_MAX)
        return teg_fail_memory(b->d);
    b->event_capacity = (uint32_t)(most + 1);
    note_events(b, s->entry, s->entries);
    for (uint32_t g = 0; g < s->graphs; g++)
        note_events(b, s->graph[g].node, s->graph[g].nodes);
    qsort(b->event, b->events, sizeof *b->event, compare_events);
    for (uint32_t i = 0; i < b->events; i++) {
        if (kept == 0 || b->event[kept - 1].number != b->event[i].number)
            b->event[kept++] = b->event[i];
    }
    b->events = kept;
    return TEG_OK;
}

/* ---- entries -------------------------------------------------------------- */

static teg_status new_call(struct sim_tasks *b, const struct teg_score_entry *e,
                           struct sim_program_call **call)
{
    struct sim_program *p = b->p;

    TRY(reserve((void **)&p->call, p->calls, &p->call_capacity, sizeof *p->call,
                b->d));
    *call = &p->call[p->calls++];
    **call = (struct sim_program_call){.host = e->host,
                                       .entry = e->place,
                                       .task = p->tasks,
                                       .wait = TEG_SCORE_NONE,
                                       .before = e->host_us};
    if (e->host >= p->hosts)
        p->hosts = e->host + 1;
    return TEG_OK;
}

static int is_copy(enum teg_score_kind kind)
{
    return kind == TEG_SCORE_COPY_TO_DEVICE ||
           kind == TEG_SCORE_COPY_FROM_DEVICE;
}

/* Part of the one before it in the stream: launched with it. */
static int is_fused(const struct sim_tasks *b, const struct teg_score_entry *e,
                    uint32_t stream)
{
    uint32_t before = b->stream[stream].after;

    return e->kind == TEG_SCORE_LAUNCH && e->number == b->options->fused[1] &&
           before != TEG_SCORE_NONE &&
           b->p->task[before].kind == SIM_TASK_LAUNCH &&
           b->p->task[before].kernel == b->options->fused[0];
}

/* Launches, copies, sets: one task for each time. */
static teg_status add_operation(struct sim_tasks *b,
                                const struct teg_score_entry *e)
{
    struct sim_program_call *call;

    for (uint32_t i = 0; i < e->times; i++) {
        int fused = is_fused(b, e, e->stream);

        TRY(new_call(b, e, &call));
        if (i != 0)
            call->before = 0;
        call->busy = !fused && e->kind != TEG_SCORE_PAGES_TO_DEVICE;
        call->late = e->kind == TEG_SCORE_PAGES_TO_DEVICE;
        call->tasks = 1;
        if (is_copy(e->kind) && !(e->async && e->pinned))
            call->wait = call->task;
        TRY(new_task(b, e, e->stream, e->place, TEG_SCORE_NONE));
        if (fused)
            b->p->task[b->p->tasks - 1].dependent = 2;
        TRY(put(b, e->stream, 0));
    }
    return TEG_OK;
}

/* Rows of the copy before. */
static teg_status add_part(struct sim_tasks *b, const struct teg_score_entry *e)
{
    struct sim_program *p = b->p;

    if (p->tasks == 0 || p->task[p->tasks - 1].kind != kind_of(e->kind))
        return add_operation(b, e);
    p->task[p->tasks - 1].bytes += (double)e->bytes;
    return TEG_OK;
}

static teg_status add_mark(struct sim_tasks *b, const struct teg_score_entry *e)
{
    struct sim_program_call *call;

    TRY(new_call(b, e, &call));
    call->tasks = 1;
    TRY(new_task(b, e, e->stream, e->place, TEG_SCORE_NONE));
    if (e->kind == TEG_SCORE_WAIT)
        TRY(after_event(b, e->number));
    TRY(put(b, e->stream, 1));
    return e->kind == TEG_SCORE_RECORD ? record(b, e->number) : TEG_OK;
}

/* The host waits for a stream, an event, or all its streams. */
static teg_status add_wait(struct sim_tasks *b, const struct teg_score_entry *e)
{
    struct sim_program_call *call;
    int all = e->stream == TEG_SCORE_NONE || e->kind == TEG_SCORE_FREE;

    TRY(new_call(b, e, &call));
    call->tasks = 1;
    call->wait = call->task;
    TRY(new_task(b, e, all ? 0 : e->stream, e->place, TEG_SCORE_NONE));
    if (e->kind == TEG_SCORE_SYNCHRONIZE && e->number != TEG_SCORE_NONE)
        return after_event(b, e->number);
    for (uint32_t i = 0; i < b->score->streams; i++) {
        if (all ? b->score->stream[i].host == e->host : i == e->stream)
            TRY(after_all(b, &b->stream[i]));
    }
    return TEG_OK;
}

/* What takes no place: the host's own time before it is all there is. */
static teg_status add_nothing(struct sim_tasks *b,
                              const struct teg_score_entry *e)
{
    struct sim_program_call *call;

    return e->host_us > 0 ? new_call(b, e, &call) : TEG_OK;
}

/* ---- graphs --------------------------------------------------------------- */

/* The nodes that come before it, the beginning where there is none. */
static teg_status after_nodes(struct sim_tasks *b,
                              const struct teg_score_graph *g,
                              const struct teg_score_entry *node,
                              uint32_t begin)
{
    for (uint32_t i = 0; i < node->afters; i++) {
        uint32_t edge = node->after + i, task = b->of_node[g->edge[edge]];

        TRY(g->early != NULL && g->early[edge]
                ? after_early(b, task)
                : add_edge(b, task, SIM_WAIT_STREAM, 0));
    }
    return node->afters == 0 ? add_edge(b, begin, SIM_WAIT_STREAM, 0) : TEG_OK;
}

/* A node that is launched several times is a chain; one that is a part is the
 * one before it. */
static teg_status add_node(struct sim_tasks *b, const struct teg_score_entry *e,
                           const struct teg_score_graph *g, uint32_t n,
                           uint32_t begin)
{
    const struct teg_score_entry *node = &g->node[n];

    for (uint32_t i = 0; i < node->times; i++) {
        TRY(new_task(b, node, e->stream, e->place, n));
        if (i == 0)
            TRY(after_nodes(b, g, node, begin));
        else
            TRY(add_edge(b, b->p->tasks - 2, SIM_WAIT_STREAM, 0));
    }
    b->of_node[n] = b->p->tasks - 1;
    return node->kind == TEG_SCORE_RECORD ? record(b, node->number) : TEG_OK;
}

/* Nodes go in by sweeps over all of them in the order they are listed, each as
 * soon as those it comes after are in: what the sweeps are, without doing them,
 * for a list in reverse has as many as nodes. */
struct sweeps {
    uint32_t *of, *followed, *stack, *order; /* [nodes] each, in one piece */
};

/* The sweep of `root` and of all before it: the latest of theirs, one more
 * behind a node that is listed later.  There is no circle (the reader). */
static void find_sweep(struct sweeps *s, const struct teg_score_graph *g,
                       uint32_t root)
{
    uint32_t depth = 0;

    if (s->of[root] != 0)
        return;
    s->stack[depth++] = root;
    while (depth != 0) {
        uint32_t n = s->stack[depth - 1], latest = 1;
        const uint32_t *after = &g->edge[g->node[n].after];

        while (s->followed[n] < g->node[n].afters &&
               s->of[after[s->followed[n]]] != 0)
            s->followed[n]++;
        if (s->followed[n] < g->node[n].afters) {
            s->stack[depth++] = after[s->followed[n]];
            continue;
        }
        for (uint32_t i = 0; i < g->node[n].afters; i++) {
            uint32_t sweep = s->of[after[i]] + (after[i] > n);

            latest = sweep > latest ? sweep : latest;
        }
        s->of[n] = latest;
        depth--;
    }
}

static void order_nodes(struct sweeps *s, const struct teg_score_graph *g)
{
    uint32_t *next = s->followed, sum = 0;

    for (uint32_t n = 0; n < g->nodes; n++)
        find_sweep(s, g, n);
    memset(next, 0, (g->nodes + 1) * sizeof *next);
    for (uint32_t n = 0; n < g->nodes; n++)
        next[s->of[n]]++;
    for (uint32_t i = 0; i <= g->nodes; i++) {
        uint32_t count = next[i];

        next[i] = sum;
        sum += count;
    }
    for (uint32_t n = 0; n < g->nodes; n++)
        s->order[next[s->of[n]]++] = n;
}

static teg_status add_nodes(struct sim_tasks *b,
                            const struct teg_score_entry *e, uint32_t begin)
{
    const struct teg_score_graph *g = &b->score->graph[e->number];
    size_t room = (size_t)g->nodes + 1;
    uint32_t *all = calloc(4 * room, sizeof *all);
    struct sweeps s = {all, all + room, all + 2 * room, all + 3 * room};
    teg_status status = TEG_OK;

    if (all == NULL)
        return teg_fail_memory(b->d);
    order_nodes(&s, g);
    for (uint32_t i = 0; i < g->nodes && status == TEG_OK; i++) {
        uint32_t n = s.order[i];

        if (g->node[n].part && n > 0) {
            b->of_node[n] = b->of_node[n - 1];
            b->p->task[b->of_node[n]].bytes += (double)g->node[n].bytes;
            continue;
        }
        status = add_node(b, e, g, n, begin);
    }
    free(all);
    return status;
}

/* The end of a graph comes after the nodes that no other does. */
static teg_status end_graph(struct sim_tasks *b,
                            const struct teg_score_entry *e, uint32_t begin)
{
    const struct teg_score_graph *g = &b->score->graph[e->number];
    uint8_t *followed = calloc(g->nodes + 1, 1);
    teg_status status = followed != NULL ? TEG_OK : teg_fail_memory(b->d);

    for (uint32_t n = 0; status == TEG_OK && n < g->nodes; n++) {
        for (uint32_t i = 0; i < g->node[n].afters; i++)
            followed[g->edge[g->node[n].after + i]] = 1;
    }
    if (status == TEG_OK)
        status = new_task(b, e, e->stream, e->place, TEG_SCORE_NONE);
    for (uint32_t n = 0; status == TEG_OK && n < g->nodes; n++) {
        if (!followed[n])
            status = add_edge(b, b->of_node[n], SIM_WAIT_STREAM, 0);
    }
    if (status == TEG_OK && g->nodes == 0)
        status = add_edge(b, begin, SIM_WAIT_STREAM, 0);
    free(followed);
    return status;
}

static teg_status launch_graph(struct sim_tasks *b,
                               const struct teg_score_entry *e)
{
    const struct teg_score_graph *g = &b->score->graph[e->number];
    struct state *s = &b->stream[e->stream];
    uint32_t begin;

    while (b->node_capacity < g->nodes + 1)
        TRY(reserve((void **)&b->of_node, b->node_capacity, &b->node_capacity,
                    sizeof *b->of_node, b->d));
    memset(b->of_node, 0xff, (g->nodes + 1) * sizeof *b->of_node);
    TRY(new_task(b, e, e->stream, e->place, TEG_SCORE_NONE));
    TRY(put(b, e->stream, 1));
    begin = b->p->tasks - 1;
    b->p->task[begin].in_graph = 1;
    b->p->task[begin].begins = 1;
    TRY(add_nodes(b, e, begin));
    TRY(end_graph(b, e, begin));
    s->count = 0;
    s->after = b->p->tasks - 1;
    return TEG_OK;
}

static teg_status add_graph(struct sim_tasks *b,
                            const struct teg_score_entry *e)
{
    for (uint32_t i = 0; i < e->times; i++) {
        struct sim_program_call *call;
        uint32_t place = b->p->calls;

        TRY(new_call(b, e, &call));
        if (i != 0)
            call->before = 0;
        call->graph = 1;
        TRY(launch_graph(b, e));
        call = &b->p->call[place];
        call->tasks = b->p->tasks - call->task;
    }
    return TEG_OK;
}

/* ---- all of it ------------------------------------------------------------ */

static teg_status add_entry(struct sim_tasks *b,
                            const struct teg_score_entry *e)
{
    switch ((enum teg_score_kind)e->kind) {
    case TEG_SCORE_LAUNCH:
    case TEG_SCORE_COPY_TO_DEVICE:
    case TEG_SCORE_COPY_FROM_DEVICE:
    case TEG_SCORE_COPY_ON_DEVICE:
    case TEG_SCORE_COPY_PEER:
    case TEG_SCORE_SET:
    case TEG_SCORE_PAGES_TO_DEVICE:
    case TEG_SCORE_PREFETCH_TO_DEVICE:
    case TEG_SCORE_PREFETCH_TO_HOST:
    case TEG_SCORE_HOST:
        return e->part ? add_part(b, e) : add_operation(b, e);
    case TEG_SCORE_RECORD:
    case TEG_SCORE_WAIT:
        return add_mark(b, e);
    case TEG_SCORE_SYNCHRONIZE:
        return add_wait(b, e);
    case TEG_SCORE_FREE:
        return e->async ? add_nothing(b, e) : add_wait(b, e);
    case TEG_SCORE_GRAPH:
        return add_graph(b, e);
    case TEG_SCORE_ALLOCATE:
    case TEG_SCORE_NOTHING:
    case TEG_SCORE_KINDS:
        break;
    }
    return add_nothing(b, e);
}

/* Streams that the score has got since. */
static teg_status find_streams(struct sim_tasks *b)
{
    for (; b->streams < b->score->streams; b->streams++) {
        TRY(reserve((void **)&b->stream, b->streams, &b->stream_capacity,
                    sizeof *b->stream, b->d));
        b->stream[b->streams] = (struct state){.after = TEG_SCORE_NONE};
    }
    return TEG_OK;
}

teg_status sim_tasks_add(struct sim_tasks *b,
                         const struct teg_score_entry *entry,
                         struct teg_diag *d)
{
    b->d = d;
    TRY(find_streams(b));
    return add_entry(b, entry);
}

teg_status sim_tasks_new(struct sim_program *program,
                         const struct teg_score *score,
                         const struct teg_gpu *gpu,
                         const struct sim_program_options *options,
                         struct sim_tasks **tasks, struct teg_diag *d)
{
    struct sim_tasks *b = calloc(1, sizeof *b);

    *tasks = NULL;
    if (b == NULL)
        return teg_fail_memory(d);
    *b = (struct sim_tasks){.p = program,
                            .score = score,
                            .options = options,
                            .queues = gpu->launch.queues};
    b->last_queued = malloc(b->queues * sizeof *b->last_queued);
    if (b->last_queued == NULL) {
        free(b);
        return teg_fail_memory(d);
    }
    memset(b->last_queued, 0xff, b->queues * sizeof *b->last_queued);
    *tasks = b;
    return TEG_OK;
}

void sim_tasks_free(struct sim_tasks *b)
{
    if (b == NULL)
        return;
    for (uint32_t i = 0; i < b->streams; i++)
        free(b->stream[i].loose);
    free(b->stream);
    free(b->last_queued);
    free(b->event);
    free(b->late);
    free(b->late_event);
    free(b->of_node);
    free(b);
}

uint32_t sim_tasks_event(const struct sim_tasks *b, uint32_t number)
{
    const struct event *e = find_event(b, number);

    return e != NULL ? e->latest : TEG_SCORE_NONE;
}

static teg_status build(struct sim_tasks *b, struct teg_diag *d)
{
    const struct teg_score *s = b->score;

    b->d = d;
    TRY(find_events(b));
    for (size_t i = 0; i < s->entries; i++)
        TRY(sim_tasks_add(b, &s->entry[i], d));
    for (uint32_t i = 0; i < b->lates; i++)
        b->p->edge[b->late[i]].task = find_event(b, b->late_event[i])->first;
    return TEG_OK;
}

struct sim_program_options sim_program_plain(void)
{
    return (struct sim_program_options){
        .fused = {TEG_SCORE_NONE, TEG_SCORE_NONE}, .without = TEG_SCORE_NONE};
}

teg_status sim_program_init(struct sim_program *program,
                            const struct teg_score *score,
                            const struct teg_gpu *gpu,
                            const struct sim_program_options *options,
                            struct teg_diag *d)
{
    struct sim_tasks *b;
    teg_status status;

    *program = (struct sim_program){0};
    TRY(sim_tasks_new(program, score, gpu, options, &b, d));
    status = build(b, d);
    sim_tasks_free(b);
    if (status != TEG_OK)
        sim_program_release(program);
    return status;
}

void sim_program_release(struct sim_program *p)
{
    free(p->task);
    free(p->edge);
    free(p->call);
    *p = (struct sim_program){0};
}
