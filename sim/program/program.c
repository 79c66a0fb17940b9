#include "sim/program/program.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"
#include "sim/program/play.h"

enum {
    TASK_READY,
    TASK_ENDS,
    HOST_GOES_ON,
};

/* ---- happenings ----------------------------------------------------------- */

static int before(const struct happening *a, const struct happening *b)
{
    return a->at < b->at || (a->at == b->at && a->sequence < b->sequence);
}

static teg_status push(struct play *y, double at, int what, uint32_t number)
{
    struct happening h = {at, y->sequence++, (uint8_t)what, number};
    uint32_t i = y->heaped;

    if (y->heaped == y->heap_capacity) {
        uint32_t capacity = 2 * y->heap_capacity + 64;
        struct happening *more = realloc(y->heap, capacity * sizeof *more);

        if (more == NULL)
            return teg_fail_memory(y->d);
        y->heap = more;
        y->heap_capacity = capacity;
    }
    for (; i > 0 && before(&h, &y->heap[(i - 1) / 2]); i = (i - 1) / 2)
        y->heap[i] = y->heap[(i - 1) / 2];
    y->heap[i] = h;
    y->heaped++;
    return TEG_OK;
}

static struct happening pop(struct play *y)
{
    struct happening top = y->heap[0], last = y->heap[--y->heaped];
    uint32_t i = 0;

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= y->heaped)
            break;
        if (child + 1 < y->heaped &&
            before(&y->heap[child + 1], &y->heap[child]))
            child++;
        if (!before(&y->heap[child], &last))
            break;
        y->heap[i] = y->heap[child];
        i = child;
    }
    y->heap[i] = last;
    return top;
}

/* ---- what comes after what ------------------------------------------------ */

/* From where an idle stream records an event until a launch that is called
 * next begins. */
static double events_us(const struct teg_gpu *g)
{
    return g->start.events_us > 0 ? g->start.events_us : g->launch.host_us;
}

/* The record of an event that nothing in its stream came before, for long. */
static int is_idle_record(const struct sim_program_task *task)
{
    return task->kind == SIM_TASK_MARK && task->records &&
           task->why == SIM_WAIT_CALL && !task->in_graph;
}

/* Between the end of `before` and the start of `task`. */
static double gap(const struct play *y, const struct sim_program_task *task,
                  const struct sim_program_task *before)
{
    const struct teg_gpu *g = y->gpu;
    /* What is touched first is part of the launch. */
    if (before->faults)
        return 0;
    if (task->kind == SIM_TASK_LAUNCH && is_idle_record(before))
        return y->options->no_gaps ? 0 : events_us(g);
    if ((task->kind != SIM_TASK_LAUNCH && !task->begins && !task->faults) ||
        task->dependent > 1 || y->options->no_gaps)
        return 0;
    /* The first nodes of a graph begin with it. */
    if (before->begins && before->entry == task->entry)
        return 0;
    return task->dependent                   ? g->launch.dependent_gap_us
           : task->in_graph && !task->begins ? g->launch.graph_gap_us
           : task->kind == SIM_TASK_LAUNCH && before->timed
               ? g->launch.gap_us + g->launch.record_us
               : g->launch.gap_us;
}

/* One of the things the task waits for is there, from `at` on. */
static teg_status arrive(struct play *y, uint32_t task, double at, int why,
                         uint32_t because)
{
    struct sim_program_task *t = &y->p->task[task];

    if (at >= t->ready) {
        t->ready = at;
        t->why = (uint8_t)why;
        t->because = because;
    }
    return --y->task[task].left == 0 ? push(y, t->ready, TASK_READY, task)
                                     : TEG_OK;
}

static teg_status tell(struct play *y, uint32_t task, int from_start)
{
    const struct sim_program_task *t = &y->p->task[task];

    for (uint32_t i = y->task[task].first; i != TEG_SCORE_NONE;
         i = y->edge[i].next) {
        const struct sim_program_edge *e = &y->p->edge[i];
        uint32_t to = y->edge[i].owner;
        double at;

        if (e->from_start != from_start)
            continue;
        at = from_start ? t->start : t->end + gap(y, &y->p->task[to], t);
        TRY(arrive(y, to, at, e->why, task));
    }
    return TEG_OK;
}

static teg_status begin(struct play *y, uint32_t task, double now)
{
    struct sim_program_task *t = &y->p->task[task];

    t->start = now;
    y->task[task].begun = 1;
    if (t->kind != SIM_TASK_MARK && y->running++ == 0)
        y->busy_from = now;
    return tell(y, task, 1);
}

static teg_status end(struct play *y, uint32_t task, double now)
{
    struct sim_program_task *t = &y->p->task[task];
    uint32_t call = y->task[task].waiter;

    t->end = now;
    y->task[task].done = 1;
    y->unfinished--;
    if (t->kind != SIM_TASK_MARK && --y->running == 0)
        y->result->busy_us += now - y->busy_from;
    if (t->kind == SIM_TASK_LAUNCH)
        y->result->launch_us += t->end - t->start;
    else if (t->kind != SIM_TASK_MARK && t->kind != SIM_TASK_HOST)
        y->result->copy_us += t->end - t->start;
    y->on_floor -= y->task[task].on_floor;
    if (t->address != 0)
        y->floor->kind->written(y->floor, t->address, (uint64_t)t->bytes);
    if (now >= y->result->us) {
        y->result->us = now;
        y->result->last = task;
    }
    if (call != TEG_SCORE_NONE && y->host[y->p->call[call].host].waits == call)
        TRY(push(y, now + (y->options->no_gaps ? 0 : y->gpu->launch.sync_us),
                 HOST_GOES_ON, y->p->call[call].host));
    return tell(y, task, 0);
}

/* ---- what tasks do -------------------------------------------------------- */

static void note(struct play *y, uint32_t task, double at, uint32_t after,
                 int ended)
{
    if (y->reports == y->report_capacity) {
        uint32_t capacity = 2 * y->report_capacity + 64;
        struct play_report *more = realloc(y->report, capacity * sizeof *more);

        y->failed |= more == NULL;
        if (more == NULL)
            return;
        y->report = more;
        y->report_capacity = capacity;
    }
    y->report[y->reports++] =
        (struct play_report){task, after, at, (uint8_t)ended};
}

static void on_start(void *self, uint32_t task, double at, uint32_t after)
{
    note(self, task, at, after, 0);
}

static void on_end(void *self, uint32_t task, double at)
{
    note(self, task, at, TEG_SCORE_NONE, 1);
}

/* One that began later than it might have waited for another's place, or for
 * the launch that it depends on to let it. */
static teg_status take_reports(struct play *y)
{
    for (uint32_t i = 0; i < y->reports; i++) {
        const struct play_report r = y->report[i];
        struct sim_program_task *t = &y->p->task[r.task];

        if (r.ended) {
            TRY(end(y, r.task, r.at));
            continue;
        }
        if (r.at > t->ready && r.after != TEG_SCORE_NONE) {
            t->why = r.after == t->primary        ? SIM_WAIT_STREAM
                     : t->kind == SIM_TASK_LAUNCH ? SIM_WAIT_SPACE
                                                  : SIM_WAIT_COPY;
            t->because = r.after;
        }
        TRY(begin(y, r.task, r.at));
    }
    y->reports = 0;
    return y->failed ? teg_fail_memory(y->d) : TEG_OK;
}

static double launch_us(const struct play *y, const struct sim_program_task *t)
{
    if (t->kernel == y->options->without)
        return 0;
    return t->us >= 0 ? t->us : y->kernel[t->kernel].us;
}

static teg_status fixed(struct play *y, uint32_t task, double us)
{
    TRY(begin(y, task, y->now));
    return us > 0 ? push(y, y->now + us, TASK_ENDS, task)
                  : end(y, task, y->now);
}

static teg_status start_launch(struct play *y, uint32_t task)
{
    const struct sim_program_task *t = &y->p->task[task];
    const struct sim_program_kernel *k = &y->kernel[t->kernel];
    double us = launch_us(y, t);

    if (us <= 0 || k->blocks == 0)
        return fixed(y, task, us);
    y->result->beside += y->on_floor++ != 0 || t->dependent == 1;
    y->task[task].on_floor = 1;
    return y->floor->kind->add(
        y->floor,
        &(struct sim_floor_launch){
            .task = task,
            .number = t->kernel,
            .kernel = k,
            .us = us,
            .priority = y->score->stream[t->stream].priority,
            .primary = t->primary,
            .l1_bytes = t->l1_bytes,
        },
        y->now, y->d);
}

static teg_status start_copy(struct play *y, uint32_t task)
{
    if (y->options->without_copies)
        return fixed(y, task, 0);
    TRY(sim_link_add(&y->link, task, &y->p->task[task], y->now, y->d));
    y->floor->kind->copies(y->floor, sim_link_dram_share(&y->link));
    return TEG_OK;
}

static teg_status start_task(struct play *y, uint32_t task)
{
    const struct sim_program_task *t = &y->p->task[task];

    switch ((enum sim_task_kind)t->kind) {
    case SIM_TASK_LAUNCH:
        return start_launch(y, task);
    case SIM_TASK_HOST:
        return fixed(y, task, t->us > 0 ? t->us : 0);
    case SIM_TASK_MARK:
    case SIM_TASK_KINDS:
        return fixed(y, task, 0);
    case SIM_TASK_TO_DEVICE:
    case SIM_TASK_FROM_DEVICE:
    case SIM_TASK_ON_DEVICE:
    case SIM_TASK_PEER:
    case SIM_TASK_SET:
        break;
    }
    return start_copy(y, task);
}

/* ---- hosts ---------------------------------------------------------------- */

static double call_us(const struct play *y, const struct sim_program_call *c)
{
    const struct teg_gpu *g = y->gpu;

    if (y->options->no_gaps)
        return 0;
    /* As nodes of graphs, launches cost the host nothing each. */
    if (y->options->one_graph && c->busy)
        return 0;
    return c->graph ? g->launch.graph_host_us : c->busy ? g->launch.host_us : 0;
}

/* What is put in may begin the latency of a launch later; the record of an
 * event a little sooner than a launch would; another mark, at once. */
static double lead(const struct play *y, const struct sim_program_call *c,
                   uint32_t task)
{
    double latency = y->gpu->launch.latency_us;

    if (y->options->no_gaps)
        return 0;
    if (c->busy || c->late || (c->graph && task == c->task))
        return latency;
    return y->p->task[task].records && !c->graph
               ? fmax(latency - events_us(y->gpu), 0)
               : 0;
}

static teg_status put_in(struct play *y, const struct sim_program_call *c)
{
    for (uint32_t task = c->task; task < c->task + c->tasks; task++)
        TRY(arrive(y, task, c->start + lead(y, c, task), SIM_WAIT_CALL,
                   TEG_SCORE_NONE));
    return TEG_OK;
}

/* A host without a further call is done; of a play that is live it has none
 * yet, and says so when its time comes. */
static teg_status on_to_next(struct play *y, const struct play_host *h,
                             uint32_t number)
{
    return h->next < h->calls || y->live ? push(y, h->now, HOST_GOES_ON, number)
                                         : TEG_OK;
}

/* The host's next call, which begins as soon as what it does before is done.
 */
static teg_status make_call(struct play *y, struct play_host *h,
                            uint32_t number)
{
    struct sim_program_call *c = &y->p->call[h->call[h->next]];

    if (c->before > 0 && !h->prepared) {
        h->prepared = 1;
        h->now += c->before;
        return push(y, h->now, HOST_GOES_ON, number);
    }
    h->prepared = 0;
    c->start = h->now;
    TRY(put_in(y, c));
    h->now += call_us(y, c);
    if (c->wait != TEG_SCORE_NONE && !y->task[c->wait].done) {
        h->waits = h->call[h->next];
        return TEG_OK;
    }
    c->end = h->now;
    h->next++;
    return on_to_next(y, h, number);
}

static teg_status go_on(struct play *y, uint32_t number)
{
    struct play_host *h = &y->host[number];

    if (h->waits != TEG_SCORE_NONE) {
        h->now = fmax(h->now, y->now);
        y->p->call[h->waits].end = h->now;
        h->waits = TEG_SCORE_NONE;
        h->next++;
        if (h->now > y->result->us) {
            y->result->us = h->now;
            y->result->last = TEG_SCORE_NONE;
        }
        return on_to_next(y, h, number);
    }
    if (h->next < h->calls)
        return make_call(y, h, number);
    y->starved = 1;
    return TEG_OK;
}

teg_status play_go_on(struct play *y, uint32_t number)
{
    y->starved = 0;
    TRY(make_call(y, &y->host[number], number));
    return play_run(y);
}

/* ---- who waits for whom --------------------------------------------------- */

static void describe(const struct play *y, uint32_t task, char *out,
                     size_t size)
{
    const struct sim_program_task *t = &y->p->task[task];
    const char *word = sim_task_name(t->kind);

    for (size_t i = 0; i < y->score->entries; i++) {
        if (y->score->entry[i].place == t->entry)
            word = teg_score_word(y->score->entry[i].kind);
    }
    snprintf(out, size, "order[%" PRIu32 "] (%s, stream %" PRId64 ")", t->entry,
             word, y->score->stream[t->stream].name);
}

/* The task that it still waits for; NONE: its call, of `*call`. */
static uint32_t holder_of(const struct play *y, uint32_t task)
{
    const struct sim_program_task *t = &y->p->task[task];

    for (uint32_t i = 0; i < t->froms; i++) {
        const struct sim_program_edge *e = &y->p->edge[t->from + i];

        if (e->from_start ? !y->task[e->task].begun : !y->task[e->task].done)
            return e->task;
    }
    return TEG_SCORE_NONE;
}

/* The task that the host of the call of `task` waits for. */
static uint32_t held_host(const struct play *y, uint32_t task)
{
    for (uint32_t i = 0; i < y->p->calls; i++) {
        const struct sim_program_call *c = &y->p->call[i];

        if (task >= c->task && task < c->task + c->tasks) {
            uint32_t waits = y->host[c->host].waits;

            return waits != TEG_SCORE_NONE ? y->p->call[waits].wait
                                           : TEG_SCORE_NONE;
        }
    }
    return TEG_SCORE_NONE;
}

static uint32_t first_held(const struct play *y)
{
    for (uint32_t h = 0; h < y->p->hosts; h++) {
        if (y->host[h].waits != TEG_SCORE_NONE)
            return y->p->call[y->host[h].waits].wait;
    }
    for (uint32_t i = 0; i < y->p->tasks; i++) {
        if (!y->task[i].done)
            return i;
    }
    return 0;
}

teg_status play_fail_deadlock(const struct play *y)
{
    enum {
        LINKS = 6
    };
    uint32_t task = first_held(y), seen[2 * LINKS + 64];
    uint32_t count = 0;
    char what[900] = "nothing goes on: ", one[96];

    /* Along what it waits for until that comes round. */
    while (count < LINKS) {
        uint32_t next = holder_of(y, task);
        int host = next == TEG_SCORE_NONE, again = 0;
        size_t used = strlen(what);

        if (host)
            next = held_host(y, task);
        describe(y, task, one, sizeof one);
        snprintf(what + used, sizeof what - used, "%s%s waits for %s",
                 count != 0 ? "; " : "", one,
                 next == TEG_SCORE_NONE ? "nothing known"
                 : host                 ? "the host, which waits for "
                                        : "");
        if (next == TEG_SCORE_NONE)
            break;
        used = strlen(what);
        describe(y, next, one, sizeof one);
        snprintf(what + used, sizeof what - used, "%s", one);
        seen[count++] = task;
        for (uint32_t i = 0; i < count; i++)
            again |= seen[i] == next;
        if (again)
            break;
        task = next;
    }
    return teg_fail(y->d, TEG_DEADLOCK, "", "%s", what);
}

/* ---- the play ------------------------------------------------------------- */

static teg_status happen(struct play *y, const struct happening *h)
{
    if (h->what == TASK_READY)
        return start_task(y, h->number);
    return h->what == TASK_ENDS ? end(y, h->number, y->now)
                                : go_on(y, h->number);
}

/* All that happens at this moment, or until a host has no call. */
static teg_status go_through_moment(struct play *y)
{
    y->under_way = 1;
    TRY(take_reports(y));
    while (y->heaped != 0 && y->heap[0].at <= y->now && !y->starved) {
        struct happening h = pop(y);

        TRY(happen(y, &h));
        TRY(take_reports(y));
    }
    y->under_way = y->starved;
    return TEG_OK;
}

static teg_status next_moment(struct play *y, double at)
{
    y->now = at;
    TRY(y->floor->kind->advance(y->floor, at, y->d));
    sim_link_advance(&y->link, at);
    y->floor->kind->copies(y->floor, sim_link_dram_share(&y->link));
    return go_through_moment(y);
}

teg_status play_run(struct play *y)
{
    if (y->under_way)
        TRY(go_through_moment(y));
    while (!y->starved) {
        double at = y->heaped != 0 ? y->heap[0].at : HUGE_VAL;

        at = fmin(at, sim_link_next(&y->link));
        TRY(y->floor->kind->next(y->floor, at, &at, y->d));
        if (!isfinite(at))
            break;
        TRY(next_moment(y, fmax(at, y->now)));
    }
    return TEG_OK;
}

/* What the task comes after is told of it, or has been there before. */
static teg_status take_edges(struct play *y, uint32_t task)
{
    const struct sim_program_task *t = &y->p->task[task];

    for (uint32_t i = t->from; i < t->from + t->froms; i++) {
        const struct sim_program_edge *e = &y->p->edge[i];
        const struct sim_program_task *from = &y->p->task[e->task];
        struct play_task *before = &y->task[e->task];

        y->edge[i] = (struct play_edge){task, TEG_SCORE_NONE};
        if (e->from_start ? before->begun : before->done) {
            TRY(arrive(y, task,
                       e->from_start ? from->start
                                     : from->end + gap(y, t, from),
                       e->why, e->task));
            continue;
        }
        if (before->last != TEG_SCORE_NONE)
            y->edge[before->last].next = i;
        else
            before->first = i;
        before->last = i;
    }
    return TEG_OK;
}

static teg_status make_room(struct play *y)
{
    const struct sim_program *p = y->p;

    while (y->task_capacity < p->tasks) {
        struct play_task *more = teg_array_room(
            y->task, y->task_capacity, &y->task_capacity, sizeof *more);

        if (more == NULL)
            return teg_fail_memory(y->d);
        y->task = more;
    }
    while (y->edge_capacity < p->edges) {
        struct play_edge *more = teg_array_room(
            y->edge, y->edge_capacity, &y->edge_capacity, sizeof *more);

        if (more == NULL)
            return teg_fail_memory(y->d);
        y->edge = more;
    }
    return TEG_OK;
}

static teg_status take_tasks(struct play *y)
{
    struct sim_program *p = y->p;
    const uint32_t first = y->tasks;

    TRY(make_room(y));
    for (uint32_t t = first; t < p->tasks; t++) {
        struct sim_program_task *task = &p->task[t];

        y->task[t] = (struct play_task){.left = task->froms + 1,
                                        .first = TEG_SCORE_NONE,
                                        .last = TEG_SCORE_NONE,
                                        .waiter = TEG_SCORE_NONE};
        task->ready = task->start = task->end = 0;
        task->why = SIM_WAIT_START;
        task->because = TEG_SCORE_NONE;
    }
    for (uint32_t t = first; t < p->tasks; t++)
        TRY(take_edges(y, t));
    y->unfinished += p->tasks - first;
    y->tasks = p->tasks;
    y->edges = p->edges;
    return TEG_OK;
}

/* Hosts that the program has got since begin at once. */
static teg_status take_hosts(struct play *y)
{
    struct play_host *more;

    if (y->hosts == y->p->hosts)
        return TEG_OK;
    more = realloc(y->host, y->p->hosts * sizeof *more);
    if (more == NULL)
        return teg_fail_memory(y->d);
    y->host = more;
    for (; y->hosts < y->p->hosts; y->hosts++)
        y->host[y->hosts] = (struct play_host){.waits = TEG_SCORE_NONE};
    return TEG_OK;
}

static teg_status take_calls(struct play *y)
{
    const struct sim_program *p = y->p;

    TRY(take_hosts(y));
    for (; y->calls < p->calls; y->calls++) {
        const struct sim_program_call *c = &p->call[y->calls];
        struct play_host *h = &y->host[c->host];
        uint32_t *room =
            teg_array_room(h->call, h->calls, &h->capacity, sizeof *room);

        if (room == NULL)
            return teg_fail_memory(y->d);
        h->call = room;
        h->call[h->calls++] = y->calls;
        if (c->wait != TEG_SCORE_NONE)
            y->task[c->wait].waiter = y->calls;
    }
    return TEG_OK;
}

teg_status play_take(struct play *y)
{
    TRY(take_tasks(y));
    return take_calls(y);
}

teg_status play_init(struct play *y)
{
    const struct sim_floor_news news = {y, on_start, on_end, y->options->watch};

    *y->result = (struct sim_program_result){.last = TEG_SCORE_NONE};
    sim_link_init(&y->link, y->gpu, y->options->infinite_chip);
    y->link.self = y;
    y->link.started = on_start;
    y->link.ended = on_end;
    return y->options->source != NULL && !y->options->infinite_chip
               ? sim_floor_exact(y->gpu, y->options->source, &news, &y->floor,
                                 y->d)
               : sim_floor_estimated(y->gpu, y->options->infinite_chip, &news,
                                     &y->floor, y->d);
}

void play_release(struct play *y)
{
    if (y->floor != NULL)
        y->floor->kind->free(y->floor);
    sim_link_release(&y->link);
    free(y->heap);
    free(y->task);
    free(y->edge);
    free(y->report);
    for (uint32_t h = 0; h < y->hosts; h++)
        free(y->host[h].call);
    free(y->host);
}

teg_status play_begin_host(struct play *y, uint32_t host)
{
    return push(y, 0, HOST_GOES_ON, host);
}

static teg_status play_all(struct play *y)
{
    TRY(play_init(y));
    TRY(play_take(y));
    for (uint32_t h = 0; h < y->hosts; h++) {
        if (y->host[h].calls != 0)
            TRY(play_begin_host(y, h));
    }
    TRY(play_run(y));
    return y->unfinished == 0 ? TEG_OK : play_fail_deadlock(y);
}

teg_status sim_program_play(struct sim_program *program,
                            const struct teg_score *score,
                            const struct sim_program_kernel *kernel,
                            const struct teg_gpu *gpu,
                            const struct sim_program_options *options,
                            struct sim_program_result *result,
                            struct teg_diag *d)
{
    struct play y = {.p = program,
                     .score = score,
                     .kernel = kernel,
                     .gpu = gpu,
                     .options = options,
                     .result = result,
                     .d = d};
    teg_status status = play_all(&y);

    play_release(&y);
    return status;
}

/* ---- names ---------------------------------------------------------------- */

const char *sim_wait_name(enum sim_wait why)
{
    static const char *const names[SIM_WAITS] = {
        [SIM_WAIT_START] = "start",   [SIM_WAIT_CALL] = "host",
        [SIM_WAIT_STREAM] = "stream", [SIM_WAIT_EVENT] = "event",
        [SIM_WAIT_SPACE] = "space",   [SIM_WAIT_COPY] = "copy engine",
        [SIM_WAIT_QUEUE] = "queue",
    };

    return names[why];
}

const char *sim_task_name(enum sim_task_kind kind)
{
    static const char *const names[SIM_TASK_KINDS] = {
        [SIM_TASK_LAUNCH] = "launch",
        [SIM_TASK_TO_DEVICE] = "host-to-device",
        [SIM_TASK_FROM_DEVICE] = "device-to-host",
        [SIM_TASK_ON_DEVICE] = "device-to-device",
        [SIM_TASK_PEER] = "peer-to-peer",
        [SIM_TASK_SET] = "set",
        [SIM_TASK_HOST] = "host",
        [SIM_TASK_MARK] = "mark",
    };

    return names[kind];
}

const char *sim_task_word(const struct sim_program_task *task)
{
    return task->faults ? "pages-to-device" : sim_task_name(task->kind);
}
