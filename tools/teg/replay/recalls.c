#include "tools/teg/replay/recalls.h"

#include <stdlib.h>

struct result {
    struct teg_statistics *s; /* owned */
    struct teg_sample sample;
};

struct recalls {
    struct teg_trace *trace; /* borrowed, as is the next */
    const struct teg_gpu *gpu;
    struct teg_recall *recall; /* owned */
    uint32_t *steps;           /* owned, [kernels]: of those that are alike, by
                                  the first of them */
    struct result *result;     /* owned, [count] */
    uint32_t count, room;
};

static uint32_t kind_of(const struct recalls *r, uint32_t kernel)
{
    return teg_trace_kernel_alike(r->trace, kernel);
}

struct recalls *recalls_new(const struct job *job)
{
    struct recalls *r = calloc(1, sizeof *r);

    if (r != NULL) {
        *r = (struct recalls){
            .trace = job->trace, .gpu = job->gpu, .recall = teg_recall_new()};
        r->steps = calloc(teg_trace_kernels(job->trace), sizeof *r->steps);
    }
    if (r == NULL || r->recall == NULL || r->steps == NULL) {
        recalls_free(r);
        say_memory();
        return NULL;
    }
    for (uint32_t i = 0; i < job->step_count; i++)
        r->steps[kind_of(r, job->steps[i].kernel)]++;
    return r;
}

void recalls_free(struct recalls *r)
{
    if (r == NULL)
        return;
    teg_recall_free(r->recall);
    for (uint32_t i = 0; i < r->count; i++)
        free(r->result[i].s);
    free(r->result);
    free(r->steps);
    free(r);
}

bool recalls_may(const struct recalls *r, uint32_t kernel)
{
    return r->steps[kind_of(r, kernel)] > 1;
}

struct opening {
    struct teg_trace *trace; /* borrowed */
    uint32_t kernel;
};

static teg_status open_launch(void *self, struct teg_launch *launch,
                              struct teg_diag *d)
{
    const struct opening *o = self;

    return teg_trace_launch(o->trace, o->kernel, launch, d);
}

int recalls_ask(const struct recalls *r, uint32_t kernel,
                const struct sim_memory *before, struct teg_recalled *found)
{
    struct opening opening = {r->trace, kernel};
    struct teg_diag d;

    return teg_recall_ask(r->recall, kind_of(r, kernel), open_launch, &opening,
                          r->gpu, before, found, &d) == TEG_OK
               ? EXIT_DONE
               : say_fault(&d);
}

static int grow(struct recalls *r)
{
    uint32_t room = r->room * 2 + 16;
    struct result *result = realloc(r->result, room * sizeof *result);

    if (result == NULL)
        return say_memory();
    r->result = result;
    r->room = room;
    return EXIT_DONE;
}

int recalls_add(struct recalls *r, uint32_t kernel,
                const struct teg_recalled *asked,
                const struct replay *simulated)
{
    struct teg_statistics *s = malloc(sizeof *s);
    struct teg_diag d;

    if (s == NULL || (r->count == r->room && grow(r) != EXIT_DONE)) {
        free(s);
        return say_memory();
    }
    *s = *simulated->s;
    r->result[r->count] = (struct result){s, simulated->sample};
    return teg_recall_add(r->recall, kind_of(r, kernel), asked, s->cycles,
                          r->count++, &d) == TEG_OK
               ? EXIT_DONE
               : say_fault(&d);
}

void recalls_fill(const struct recalls *r, uint32_t number, struct replay *of)
{
    *of->s = *r->result[number].s;
    of->sample = r->result[number].sample;
}
