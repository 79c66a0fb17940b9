/* A program's time line for Perfetto: its streams, its host, the link, its SMs. */
#include "tools/teg/program/program.h"

#include <inttypes.h>

enum {
    PID_STREAMS = 1,
    PID_HOST,
    PID_COPIES,
    PID_SMS,
};

static json_t *event(const char *name, int pid, json_int_t tid, double from,
                     double to)
{
    return json_pack("{s:s, s:s, s:i, s:I, s:f, s:f}", "ph", "X", "name", name,
                     "pid", pid, "tid", tid, "ts", from, "dur", to - from);
}

static json_t *named(const char *what, int pid, json_int_t tid,
                     const char *name)
{
    return json_pack("{s:s, s:s, s:i, s:I, s:{s:s}}", "ph", "M", "name", what,
                     "pid", pid, "tid", tid, "args", "name", name);
}

static void add_names(const struct timed *p, json_t *events)
{
    char name[64];

    json_array_append_new(events,
                          named("process_name", PID_STREAMS, 0, "streams"));
    json_array_append_new(events, named("process_name", PID_HOST, 0, "host"));
    json_array_append_new(events,
                          named("process_name", PID_COPIES, 0, "copies"));
    for (uint32_t i = 0; i < p->score->streams; i++) {
        snprintf(name, sizeof name, "stream %" PRId64,
                 p->score->stream[i].name);
        json_array_append_new(events,
                              named("thread_name", PID_STREAMS, i, name));
    }
    for (int kind = SIM_TASK_TO_DEVICE; kind <= SIM_TASK_SET; kind++)
        json_array_append_new(events,
                              named("thread_name", PID_COPIES, kind,
                                    sim_task_name((enum sim_task_kind)kind)));
}

static void add_task(const struct timed *p, uint32_t i, json_t *events)
{
    const struct sim_program_task *t = &p->tasks.task[i];
    char name[TEG_NAME_MAX];
    json_t *e;

    if (t->kind == SIM_TASK_MARK)
        return;
    timed_task_title(p, i, name);
    e = event(name, PID_STREAMS, t->stream, t->start, t->end);
    json_object_set_new(e, "args",
                        json_pack("{s:i, s:s, s:f}", "entry", (int)t->entry,
                                  "waited for", sim_wait_name(t->why), "bytes",
                                  t->bytes));
    json_array_append_new(events, e);
    if (t->kind != SIM_TASK_LAUNCH && t->kind != SIM_TASK_HOST)
        json_array_append_new(
            events, event(name, PID_COPIES, t->kind, t->start, t->end));
}

static void add_call(const struct timed *p, const struct sim_program_call *c,
                     json_t *events)
{
    const char *name = c->wait != TEG_SCORE_NONE ? "waits"
                       : c->graph                ? "launches a graph"
                                                 : "calls";

    (void)p;
    if (c->end > c->start)
        json_array_append_new(events,
                              event(name, PID_HOST, c->host, c->start, c->end));
}

enum {
    LANES = 32, /* of an SM: launches beside each other */
};

/* A lane of an SM shows one launch at a time: those beside each other have
 * several. */
static void add_places(const struct timed *p, json_t *events)
{
    const struct timed_places *on = &p->on;
    double until[LANES] = {0};
    uint32_t lanes = 0;
    char name[TEG_NAME_MAX];

    json_array_append_new(events, named("process_name", PID_SMS, 0, "SMs"));
    for (size_t i = 0; i < on->places; i++) {
        const struct timed_place *a = &on->place[i];
        uint32_t lane = 0;

        if (i == 0 || on->place[i - 1].sm != a->sm)
            lanes = 0;
        while (lane < lanes && until[lane] > a->from)
            lane++;
        if (lane == LANES)
            continue;
        until[lane] = a->to;
        if (lane == lanes) {
            snprintf(name, sizeof name, "SM %" PRIu32 "%s", a->sm,
                     lane == 0 ? "" : ", beside");
            json_array_append_new(
                events, named("thread_name", PID_SMS,
                              (json_int_t)a->sm * LANES + lane, name));
            lanes++;
        }
        json_array_append_new(
            events, event(timed_task_title(p, a->task, name), PID_SMS,
                          (json_int_t)a->sm * LANES + lane, a->from, a->to));
    }
}

int timed_write_timeline(const struct timed *p)
{
    json_t *events = json_array();

    add_names(p, events);
    for (uint32_t i = 0; i < p->tasks.tasks; i++)
        add_task(p, i, events);
    for (uint32_t i = 0; i < p->tasks.calls; i++)
        add_call(p, &p->tasks.call[i], events);
    add_places(p, events);
    return output_json(p->timeline,
                       json_pack("{s:{s:s, s:I}, s:o}", "otherData", "made_by",
                                 "teg " TEG_VERSION, "sm_intervals_left_out",
                                 (json_int_t)p->on.left_out, "traceEvents",
                                 events));
}
