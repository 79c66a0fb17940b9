#include "tools/cudart/simulated.h"

#include <stdlib.h>
#include <string.h>

#include "sim/alone.h"
#include "sim/memory/memory.h"
#include "sim/sample/past.h"
#include "sim/sample/recall.h"
#include "sim/sample/sample.h"
#include "sim/sample/skipped.h"

/* A launch behind what had happened since the one before it. */
struct behind {
    struct teg_past since;
    struct timeline_launch took;
    struct behind *next;
};

struct trace {
    char *path; /* owned */
    uint64_t likeness;
    struct teg_past
        before;            /* when it was launched last, that launch included */
    struct behind *behind; /* owned */
};

struct simulated {
    const struct teg_gpu *gpu;
    const char *what_ifs; /* NULL: none */
    unsigned jobs;
    struct sim_memory *memory;   /* owned; NULL: all is cold */
    struct teg_recall *recall;   /* owned */
    struct teg_skipped *skipped; /* owned; what is not in `memory` yet */
    struct teg_past past;
    struct trace *trace; /* owned, [traces] */
    uint32_t traces, trace_room;
    struct sim_program_kernel
        *result; /* owned, [count]: what stands for others */
    uint32_t count, room;
};

struct simulated *simulated_new(const struct teg_gpu *gpu, const char *what_ifs,
                                unsigned jobs)
{
    struct simulated *s = calloc(1, sizeof *s);

    if (s == NULL)
        return NULL;
    *s = (struct simulated){.gpu = gpu,
                            .what_ifs = what_ifs,
                            .jobs = jobs,
                            .recall = teg_recall_new(),
                            .skipped = teg_skipped_new(gpu)};
    if (s->recall == NULL || s->skipped == NULL) {
        teg_recall_free(s->recall);
        teg_skipped_free(s->skipped);
        free(s);
        return NULL;
    }
    return s;
}

void simulated_write(struct simulated *s, uint64_t address, uint64_t bytes)
{
    teg_past_add(&s->past, TEG_PAST_WRITE, address, bytes);
    teg_skipped_write(s->skipped, address, bytes);
}

void simulated_rest(struct simulated *s)
{
    teg_past_add(&s->past, TEG_PAST_REST, 0, 0);
    teg_skipped_rest(s->skipped);
}

/* ---- launches --------------------------------------------------------------------- */

uint32_t simulated_trace(struct simulated *s, const char *path,
                         uint64_t likeness)
{
    struct trace t = {.likeness = likeness};

    if (s->traces == s->trace_room) {
        uint32_t room = s->trace_room * 2 + 16;
        struct trace *more = realloc(s->trace, room * sizeof *more);

        if (more == NULL)
            return UINT32_MAX;
        s->trace = more;
        s->trace_room = room;
    }
    t.path = strdup(path);
    if (t.path == NULL)
        return UINT32_MAX;
    s->trace[s->traces] = t;
    return s->traces++;
}

static teg_status open_launch(void *self, struct teg_launch *launch,
                              struct teg_diag *d)
{
    return teg_trace_launch(self, 0, launch, d);
}

/* A launch as what-ifs would have it, and the chip. */
struct changed {
    const struct simulated *s;
    struct teg_trace *trace;
    struct teg_gpu *gpu; /* owned; NULL: the chip as it is */
};

static teg_status open_changed(void *self, struct teg_launch *launch,
                               struct teg_diag *d)
{
    struct changed *c = self;
    teg_status status;

    TRY(teg_trace_launch(c->trace, 0, launch, d));
    if (c->s->what_ifs == NULL)
        return TEG_OK;
    teg_gpu_free(c->gpu);
    c->gpu = NULL;
    status = teg_gpu_copy(c->s->gpu, &c->gpu, d);
    if (status == TEG_OK)
        status = teg_whatif_apply(c->s->what_ifs, c->gpu, launch, d);
    if (status != TEG_OK && launch->close != NULL)
        launch->close(launch->self);
    return status;
}

/* A part of the launch if that says enough, else all of it. */
static teg_status replay_on(struct simulated *s, const struct teg_gpu *gpu,
                            struct changed *c, struct sim_memory **after,
                            struct teg_statistics *out, struct teg_diag *d)
{
    const struct teg_simulation_options options = {
        .threads = s->jobs, .before = s->memory, .after = after};
    struct teg_sample_facts *facts = NULL;
    struct teg_sample sample = {0};
    struct teg_launch launch;
    teg_status status = teg_sample_simulate(open_changed, c, gpu, &options,
                                            TEG_SAMPLE_INSTRUCTIONS_MIN, &facts,
                                            out, &sample, d);

    teg_sample_facts_free(facts);
    if (status != TEG_OK || sample.used)
        return status;
    TRY(open_changed(c, &launch, d));
    status = teg_simulate(&launch, gpu, &options, out, d);
    if (launch.close != NULL)
        launch.close(launch.self);
    return status;
}

static teg_status replay(struct simulated *s, struct teg_trace *trace,
                         struct sim_program_kernel *alone,
                         struct sim_memory **after, struct teg_statistics *out,
                         struct teg_diag *d)
{
    struct changed first = {.s = s, .trace = trace}, again = first;
    const struct teg_gpu *gpu = s->gpu;
    struct teg_launch launch;
    teg_status status;

    if (s->what_ifs != NULL) {
        TRY(open_changed(&first, &launch, d));
        if (launch.close != NULL)
            launch.close(launch.self);
        gpu = first.gpu;
    }
    status = replay_on(s, gpu, &again, after, out, d);
    if (status == TEG_OK)
        sim_alone(out, gpu, alone);
    teg_gpu_free(first.gpu);
    teg_gpu_free(again.gpu);
    return status;
}

static teg_status add_result(struct simulated *s, uint64_t likeness,
                             const struct teg_recalled *asked, uint64_t cycles,
                             const struct sim_program_kernel *result,
                             struct teg_diag *d)
{
    if (s->count == s->room) {
        uint32_t room = s->room * 2 + 16;
        struct sim_program_kernel *more =
            realloc(s->result, room * sizeof *more);

        if (more == NULL)
            return teg_fail_memory(d);
        s->result = more;
        s->room = room;
    }
    s->result[s->count] = *result;
    return teg_recall_add(s->recall, likeness, asked, cycles, s->count++, d);
}

static teg_status recall_or_replay(struct simulated *s, struct teg_trace *trace,
                                   uint64_t likeness,
                                   struct sim_program_kernel *alone,
                                   struct sim_memory **after,
                                   struct teg_statistics *out,
                                   struct teg_diag *d)
{
    struct teg_recalled found;

    TRY(teg_recall_ask(s->recall, likeness, open_launch, trace, s->gpu,
                       s->memory, &found, d));
    if (found.number != TEG_RECALL_NONE) {
        *after = found.after;
        *alone = s->result[found.number];
        return TEG_OK;
    }
    TRY(replay(s, trace, alone, after, out, d));
    return add_result(s, likeness, &found, out->cycles, alone, d);
}

static teg_status simulate(struct simulated *s, const struct trace *t,
                           struct sim_program_kernel *alone, struct teg_diag *d)
{
    struct teg_statistics *out = calloc(1, sizeof *out);
    struct sim_memory *after = NULL;
    struct teg_trace *trace = NULL;
    teg_status status;

    if (out == NULL)
        return teg_fail_memory(d);
    status = teg_trace_open(t->path, NULL, &trace, d);
    if (status == TEG_OK)
        status = recall_or_replay(s, trace, t->likeness, alone, &after, out, d);
    if (trace != NULL)
        teg_trace_close(trace);
    if (status == TEG_OK) {
        sim_memory_free(s->memory);
        s->memory = after;
    } else {
        sim_memory_free(after);
    }
    free(out);
    return status;
}

struct opened {
    struct teg_trace *trace;
    struct teg_launch launch;
};

static teg_status next_block(void *self, struct teg_block **block,
                             struct teg_diag *d)
{
    struct opened *o = self;

    return o->launch.next(o->launch.self, block, d);
}

static void close_opened(void *self)
{
    struct opened *o = self;

    if (o->launch.close != NULL)
        o->launch.close(o->launch.self);
    teg_trace_close(o->trace);
    free(o);
}

/* The launch closes its trace. */
static teg_status open_trace(void *self, uint32_t number,
                             struct teg_launch *launch, struct teg_diag *d)
{
    const struct simulated *s = self;
    struct opened *o = calloc(1, sizeof *o);
    teg_status status;

    if (o == NULL)
        return teg_fail_memory(d);
    status = teg_trace_open(s->trace[number].path, NULL, &o->trace, d);
    if (status == TEG_OK)
        status = teg_trace_launch(o->trace, 0, &o->launch, d);
    if (status != TEG_OK) {
        if (o->trace != NULL)
            teg_trace_close(o->trace);
        free(o);
        return status;
    }
    *launch = o->launch;
    launch->self = o;
    launch->next = next_block;
    launch->close = close_opened;
    return TEG_OK;
}

teg_status simulated_launch(struct simulated *s, uint32_t trace,
                            struct timeline_launch **took, struct teg_diag *d)
{
    struct trace *t = &s->trace[trace];
    const struct teg_past before = teg_past_since(s->past, t->before);
    struct behind *b = t->behind;
    teg_status status;

    while (b != NULL && teg_past_compare(b->since, before) != 0)
        b = b->next;
    teg_past_add(&s->past, TEG_PAST_LAUNCH, trace, 1);
    t->before = s->past;
    if (b != NULL) {
        teg_skipped_launch(s->skipped, trace);
        *took = &b->took;
        return TEG_OK;
    }
    b = calloc(1, sizeof *b);
    if (b == NULL)
        return teg_fail_memory(d);
    status = teg_skipped_do(s->skipped, open_trace, s, &s->memory, d);
    if (status == TEG_OK)
        status = simulate(s, t, &b->took.kernel, d);
    if (status != TEG_OK) {
        free(b);
        return status;
    }
    b->since = before;
    b->next = t->behind;
    t->behind = b;
    *took = &b->took;
    return TEG_OK;
}
