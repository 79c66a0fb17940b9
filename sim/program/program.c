#include "sim/program/program.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/program/floor.h"
#include "sim/program/link.h"

/* Something at a time of its own. */
struct happening {
    double at;
    uint64_t sequence; /* of two at the same time the first comes first */
    uint8_t what;      /* enum */
    uint32_t number;   /* task, or host */
};

enum {
    TASK_READY,
    TASK_ENDS,
    HOST_GOES_ON,
};

struct host {
    uint32_t next;  /* call, in the host's own */
    uint32_t *call; /* owned, [calls] */
    uint32_t calls;
    uint32_t waits; /* call it is in, which waits; TEG_SCORE_NONE: none */
    double now;
    int prepared; /* has done what it does before its next call */
};

struct play {
    struct sim_program *p;
    const struct teg_score *score;
    const struct sim_program_kernel *kernel;
    const struct teg_gpu *gpu;
    const struct sim_program_options *options;
    struct sim_floor *floor; /* owned */
    struct sim_link link;
    struct happening *heap; /* owned */
    uint32_t heaped, heap_capacity;
    uint64_t sequence;
    /* Of each task. */
    uint32_t *left;        /* owned: edges, and its call, not there yet */
    uint8_t *begun, *done; /* owned */
    uint32_t *next_from;   /* owned, [tasks + 1]: first of its successors */
    uint32_t *successor;   /* owned: edges */
    uint32_t *owner;       /* owned: task whose edge it is */
    uint32_t *waiter;      /* owned: call that waits for it, or NONE */
    struct host *host;     /* owned */
    /* What started and ended while time went on. */
    struct report {
        uint32_t task, after;
        double at;
        uint8_t ended;
    } * report; /* owned */
    uint32_t reports, report_capacity;
    int failed; /* no memory in a callback */
    uint32_t unfinished;
    double now, busy_from;
    uint32_t running;
    struct sim_program_result *result;
    struct teg_diag *d;
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

/* Between the end of `before` and the start of `task`. */
static double gap(const struct play *y, const struct sim_program_task *task,
                  const struct sim_program_task *before)
{
    const struct teg_gpu *g = y->gpu;
    int begins = task->kind == SIM_TASK_MARK && task->in_graph;

    if ((task->kind != SIM_TASK_LAUNCH && !begins) || task->dependent > 1 ||
        y->options->no_gaps)
        return 0;
    /* The first nodes of a graph begin with it. */
    if (before->kind == SIM_TASK_MARK && before->in_graph &&
        before->entry == task->entry)
        return 0;
    return task->dependent             ? g->launch.dependent_gap_us
           : task->in_graph && !begins ? g->launch.graph_gap_us
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
    return --y->left[task] == 0 ? push(y, t->ready, TASK_READY, task) : TEG_OK;
}

static teg_status tell(struct play *y, uint32_t task, int from_start)
{
    const struct sim_program_task *t = &y->p->task[task];

    for (uint32_t i = y->next_from[task]; i < y->next_from[task + 1]; i++) {
        const struct sim_program_edge *e = &y->p->edge[y->successor[i]];
        uint32_t to = y->owner[i];
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
    y->begun[task] = 1;
    if (t->kind != SIM_TASK_MARK && y->running++ == 0)
        y->busy_from = now;
    return tell(y, task, 1);
}

static teg_status end(struct play *y, uint32_t task, double now)
{
    struct sim_program_task *t = &y->p->task[task];
    uint32_t call = y->waiter[task];

    t->end = now;
    y->done[task] = 1;
    y->unfinished--;
    if (t->kind != SIM_TASK_MARK && --y->running == 0)
        y->result->busy_us += now - y->busy_from;
    if (t->kind == SIM_TASK_LAUNCH)
        y->result->launch_us += t->end - t->start;
    else if (t->kind != SIM_TASK_MARK && t->kind != SIM_TASK_HOST)
        y->result->copy_us += t->end - t->start;
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
        struct report *more = realloc(y->report, capacity * sizeof *more);

        y->failed |= more == NULL;
        if (more == NULL)
            return;
        y->report = more;
        y->report_capacity = capacity;
    }
    y->report[y->reports++] = (struct report){task, after, at, (uint8_t)ended};
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
        const struct report r = y->report[i];
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
    return y->floor->kind->add(
        y->floor,
        &(struct sim_floor_launch){
            .task = task,
            .number = t->kernel,
            .kernel = k,
            .us = us,
            .priority = y->score->stream[t->stream].priority,
            .primary = t->primary,
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

/* What is put in may begin the latency of a launch later; a mark, at once. */
static teg_status put_in(struct play *y, const struct sim_program_call *c)
{
    double latency = y->options->no_gaps ? 0 : y->gpu->launch.latency_us;

    for (uint32_t i = 0; i < c->tasks; i++) {
        uint32_t task = c->task + i;
        int waits = c->busy || (c->graph && i == 0);

        TRY(arrive(y, task, c->start + (waits ? latency : 0), SIM_WAIT_CALL,
                   TEG_SCORE_NONE));
    }
    return TEG_OK;
}

/* The host's next call, which begins as soon as what it does before is done.
 */
static teg_status make_call(struct play *y, struct host *h, uint32_t number)
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
    if (c->wait != TEG_SCORE_NONE && !y->done[c->wait]) {
        h->waits = h->call[h->next];
        return TEG_OK;
    }
    c->end = h->now;
    h->next++;
    return h->next < h->calls ? push(y, h->now, HOST_GOES_ON, number) : TEG_OK;
}

static teg_status go_on(struct play *y, uint32_t number)
{
    struct host *h = &y->host[number];

    if (h->waits != TEG_SCORE_NONE) {
        h->now = fmax(h->now, y->now);
        y->p->call[h->waits].end = h->now;
        h->waits = TEG_SCORE_NONE;
        h->next++;
        if (h->now > y->result->us) {
            y->result->us = h->now;
            y->result->last = TEG_SCORE_NONE;
        }
        if (h->next < h->calls)
            return push(y, h->now, HOST_GOES_ON, number);
        return TEG_OK;
    }
    return h->next < h->calls ? make_call(y, h, number) : TEG_OK;
}

/* ---- who waits for whom --------------------------------------------------- */

static void describe(const struct play *y, uint32_t task, char *out,
                     size_t size)
{
    const struct sim_program_task *t = &y->p->task[task];
    const struct teg_score_entry *e = &y->score->entry[0];

    for (size_t i = 0; i < y->score->entries; i++) {
        if (y->score->entry[i].place == t->entry)
            e = &y->score->entry[i];
    }
    snprintf(out, size, "order[%" PRIu32 "] (%s, stream %" PRId64 ")", t->entry,
             teg_score_word(e->kind), y->score->stream[t->stream].name);
}

/* The task that it still waits for; NONE: its call, of `*call`. */
static uint32_t holder_of(const struct play *y, uint32_t task)
{
    const struct sim_program_task *t = &y->p->task[task];

    for (uint32_t i = 0; i < t->froms; i++) {
        const struct sim_program_edge *e = &y->p->edge[t->from + i];

        if (e->from_start ? !y->begun[e->task] : !y->done[e->task])
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
        if (!y->done[i])
            return i;
    }
    return 0;
}

static teg_status fail_deadlock(const struct play *y)
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

static teg_status next_moment(struct play *y, double at)
{
    y->now = at;
    TRY(y->floor->kind->advance(y->floor, at, y->d));
    sim_link_advance(&y->link, at);
    y->floor->kind->copies(y->floor, sim_link_dram_share(&y->link));
    TRY(take_reports(y));
    while (y->heaped != 0 && y->heap[0].at <= at) {
        struct happening h = pop(y);

        if (h.what == TASK_READY)
            TRY(start_task(y, h.number));
        else if (h.what == TASK_ENDS)
            TRY(end(y, h.number, at));
        else
            TRY(go_on(y, h.number));
        TRY(take_reports(y));
    }
    return TEG_OK;
}

static teg_status run(struct play *y)
{
    for (uint32_t h = 0; h < y->p->hosts; h++) {
        if (y->host[h].calls != 0)
            TRY(push(y, 0, HOST_GOES_ON, h));
    }
    for (;;) {
        double at = y->heaped != 0 ? y->heap[0].at : HUGE_VAL;

        at = fmin(at, sim_link_next(&y->link));
        TRY(y->floor->kind->next(y->floor, at, &at, y->d));
        if (!isfinite(at))
            break;
        TRY(next_moment(y, fmax(at, y->now)));
    }
    return y->unfinished == 0 ? TEG_OK : fail_deadlock(y);
}

static teg_status link_tasks(struct play *y)
{
    struct sim_program *p = y->p;
    uint32_t *at = calloc(p->tasks + 1, sizeof *at);

    if (at == NULL)
        return teg_fail_memory(y->d);
    for (uint32_t i = 0; i < p->edges; i++)
        y->next_from[p->edge[i].task + 1]++;
    for (uint32_t i = 0; i < p->tasks; i++)
        y->next_from[i + 1] += y->next_from[i];
    memcpy(at, y->next_from, p->tasks * sizeof *at);
    for (uint32_t t = 0; t < p->tasks; t++) {
        struct sim_program_task *task = &p->task[t];

        y->left[t] = task->froms + 1;
        task->ready = task->start = task->end = 0;
        task->why = SIM_WAIT_START;
        task->because = TEG_SCORE_NONE;
        for (uint32_t i = 0; i < task->froms; i++) {
            uint32_t from = p->edge[task->from + i].task;

            y->owner[at[from]] = t;
            y->successor[at[from]++] = task->from + i;
        }
    }
    free(at);
    return TEG_OK;
}

static teg_status share_calls(struct play *y)
{
    struct sim_program *p = y->p;

    memset(y->waiter, 0xff, (p->tasks + 1) * sizeof *y->waiter);
    for (uint32_t h = 0; h < p->hosts; h++) {
        y->host[h].waits = TEG_SCORE_NONE;
        y->host[h].call = malloc((p->calls + 1) * sizeof *y->host[h].call);
        if (y->host[h].call == NULL)
            return teg_fail_memory(y->d);
    }
    for (uint32_t i = 0; i < p->calls; i++) {
        struct host *h = &y->host[p->call[i].host];

        h->call[h->calls++] = i;
        if (p->call[i].wait != TEG_SCORE_NONE)
            y->waiter[p->call[i].wait] = i;
    }
    return TEG_OK;
}

static teg_status prepare(struct play *y)
{
    struct sim_program *p = y->p;
    const struct sim_floor_news news = {y, on_start, on_end, y->options->watch};
    const uint32_t tasks = p->tasks + 1;

    y->left = calloc(tasks, sizeof *y->left);
    y->begun = calloc(tasks, 1);
    y->done = calloc(tasks, 1);
    y->next_from = calloc(tasks + 1, sizeof *y->next_from);
    y->successor = calloc(p->edges + 1, sizeof *y->successor);
    y->owner = calloc(p->edges + 1, sizeof *y->owner);
    y->waiter = calloc(tasks, sizeof *y->waiter);
    y->host = calloc(p->hosts + 1, sizeof *y->host);
    if (y->left == NULL || y->begun == NULL || y->done == NULL ||
        y->next_from == NULL || y->successor == NULL || y->owner == NULL ||
        y->waiter == NULL || y->host == NULL)
        return teg_fail_memory(y->d);
    y->unfinished = p->tasks;
    TRY(link_tasks(y));
    TRY(share_calls(y));
    return y->options->source != NULL && !y->options->infinite_chip
               ? sim_floor_exact(y->gpu, y->options->source, &news, &y->floor,
                                 y->d)
               : sim_floor_estimated(y->gpu, y->options->infinite_chip, &news,
                                     &y->floor, y->d);
}

static void clear(struct play *y)
{
    if (y->floor != NULL)
        y->floor->kind->free(y->floor);
    sim_link_release(&y->link);
    free(y->heap);
    free(y->left);
    free(y->begun);
    free(y->done);
    free(y->next_from);
    free(y->successor);
    free(y->owner);
    free(y->waiter);
    free(y->report);
    for (uint32_t h = 0; y->host != NULL && h < y->p->hosts; h++)
        free(y->host[h].call);
    free(y->host);
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
    teg_status status;

    *result = (struct sim_program_result){.last = TEG_SCORE_NONE};
    sim_link_init(&y.link, gpu, options->infinite_chip);
    y.link.self = &y;
    y.link.started = on_start;
    y.link.ended = on_end;
    status = prepare(&y);
    if (status == TEG_OK)
        status = run(&y);
    clear(&y);
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
