#include "tools/cudart/simulated.h"

#include <stdlib.h>

#include "sim/alone.h"
#include "sim/memory/memory.h"
#include "sim/sample/recall.h"
#include "sim/sample/sample.h"

struct simulated {
    const struct teg_gpu *gpu;
    unsigned jobs;
    struct sim_memory *memory; /* owned; NULL: all is cold */
    struct teg_recall *recall; /* owned */
    struct sim_program_kernel
        *result; /* owned, [count]: what stands for others */
    uint32_t count, room;
};

struct simulated *simulated_new(const struct teg_gpu *gpu, unsigned jobs)
{
    struct simulated *s = calloc(1, sizeof *s);

    if (s == NULL)
        return NULL;
    *s = (struct simulated){
        .gpu = gpu, .jobs = jobs, .recall = teg_recall_new()};
    if (s->recall == NULL) {
        free(s);
        return NULL;
    }
    return s;
}

/* Without memory for it the next launch finds less in L2. */
void simulated_write(struct simulated *s, uint64_t address, uint64_t bytes)
{
    if (s->memory == NULL &&
        sim_memory_new(s->gpu, 1, 0, &s->memory, NULL) != TEG_OK)
        return;
    sim_memory_write(s->memory, address, bytes);
}

void simulated_rest(struct simulated *s)
{
    if (s->memory != NULL)
        sim_memory_rest(s->memory);
}

static teg_status open_launch(void *self, struct teg_launch *launch,
                              struct teg_diag *d)
{
    return teg_trace_launch(self, 0, launch, d);
}

/* A part of the launch if that says enough, else all of it. */
static teg_status replay(struct simulated *s, struct teg_trace *trace,
                         struct sim_memory **after, struct teg_statistics *out,
                         struct teg_diag *d)
{
    const struct teg_simulation_options options = {
        .threads = s->jobs, .before = s->memory, .after = after};
    struct teg_sample_facts *facts = NULL;
    struct teg_sample sample = {0};
    struct teg_launch launch;
    teg_status status = teg_sample_simulate(
        open_launch, trace, s->gpu, &options, TEG_SAMPLE_INSTRUCTIONS_MIN,
        &facts, out, &sample, d);

    teg_sample_facts_free(facts);
    if (status != TEG_OK || sample.used)
        return status;
    TRY(teg_trace_launch(trace, 0, &launch, d));
    status = teg_simulate(&launch, s->gpu, &options, out, d);
    if (launch.close != NULL)
        launch.close(launch.self);
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
    TRY(replay(s, trace, after, out, d));
    sim_alone(out, s->gpu, alone);
    return add_result(s, likeness, &found, out->cycles, alone, d);
}

teg_status simulated_launch(struct simulated *s, const char *path,
                            uint64_t likeness, struct sim_program_kernel *alone,
                            struct teg_diag *d)
{
    struct teg_statistics *out = calloc(1, sizeof *out);
    struct sim_memory *after = NULL;
    struct teg_trace *trace = NULL;
    teg_status status;

    if (out == NULL)
        return teg_fail_memory(d);
    status = teg_trace_open(path, NULL, &trace, d);
    if (status == TEG_OK)
        status = recall_or_replay(s, trace, likeness, alone, &after, out, d);
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
