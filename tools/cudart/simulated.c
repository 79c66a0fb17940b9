#include "tools/cudart/simulated.h"

#include <stdlib.h>

#include "sim/alone.h"
#include "sim/memory/memory.h"
#include "sim/sample/sample.h"

struct simulated {
    const struct teg_gpu *gpu;
    unsigned jobs;
    struct sim_memory *memory; /* owned; NULL: all is cold */
};

struct simulated *simulated_new(const struct teg_gpu *gpu, unsigned jobs)
{
    struct simulated *s = calloc(1, sizeof *s);

    if (s != NULL)
        *s = (struct simulated){.gpu = gpu, .jobs = jobs};
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

teg_status simulated_launch(struct simulated *s, const char *path,
                            struct sim_program_kernel *alone,
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
        status = replay(s, trace, &after, out, d);
    if (trace != NULL)
        teg_trace_close(trace);
    if (status == TEG_OK) {
        sim_memory_free(s->memory);
        s->memory = after;
        sim_alone(out, s->gpu, alone);
    }
    free(out);
    return status;
}
