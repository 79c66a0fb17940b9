/* The launches of a trace for a play that simulates them together: several of
 * one kernel may be open at a time. */
#include "tools/teg/program/program.h"

#include <stdlib.h>
#include <string.h>

#include "traces/store.h"

/* A kernel's blocks, open or not. */
struct opening {
    uint32_t kernel; /* of the trace */
    int busy;
    struct teg_trace *trace; /* owned: one of its own */
    struct teg_store *store; /* owned */
    struct teg_launch inner; /* owned while busy */
    struct opening *next;    /* owned */
};

static void opening_free(struct opening *o)
{
    if (o == NULL)
        return;
    teg_store_free(o->store);
    teg_trace_close(o->trace);
    free(o);
}

void timed_launches_release(struct timed *p)
{
    while (p->openings != NULL) {
        struct opening *next = p->openings->next;

        opening_free(p->openings);
        p->openings = next;
    }
}

static teg_status opening_new(struct timed *p, uint32_t kernel,
                              struct opening **opening, struct teg_diag *d)
{
    struct opening *o = calloc(1, sizeof *o);
    uint32_t number;
    teg_status status;

    *opening = NULL;
    if (o == NULL)
        return teg_fail_memory(d);
    o->kernel = kernel;
    status = teg_trace_reopen(p->job.trace, kernel, &o->trace, &number, d);
    if (status == TEG_OK)
        status =
            teg_store_new(o->trace, number, TEG_STORE_BUDGET, &o->store, d);
    if (status != TEG_OK) {
        opening_free(o);
        return status;
    }
    o->next = p->openings;
    p->openings = *opening = o;
    return TEG_OK;
}

static teg_status next_block(void *self, struct teg_block **block,
                             struct teg_diag *d)
{
    struct opening *o = self;

    return o->inner.next(o->inner.self, block, d);
}

static void give_back(void *self)
{
    struct opening *o = self;

    if (o->inner.close != NULL)
        o->inner.close(o->inner.self);
    o->busy = 0;
}

static teg_status open_launch(void *self, uint32_t kernel,
                              struct teg_launch *launch, struct teg_diag *d)
{
    struct timed *p = self;
    struct opening *o = p->openings;

    while (o != NULL && (o->busy || o->kernel != kernel / 2))
        o = o->next;
    if (o == NULL)
        TRY(opening_new(p, kernel / 2, &o, d));
    TRY(teg_store_launch(o->store, &o->inner, d));
    o->busy = 1;
    *launch = o->inner;
    launch->self = o;
    launch->next = next_block;
    launch->close = give_back;
    return TEG_OK;
}

/* Launches of the same symbol have their instructions in common. */
static uint32_t code_of(void *self, uint32_t kernel)
{
    const struct timed *p = self;
    uint32_t first = 0;

    while (strcmp(p->kernel[first].name != NULL ? p->kernel[first].name : "",
                  p->kernel[kernel].name != NULL ? p->kernel[kernel].name
                                                 : "") != 0)
        first++;
    return first;
}

static int on_progress(void *self, uint64_t blocks, uint64_t cycle)
{
    (void)self;
    (void)blocks;
    (void)cycle;
    return interrupted();
}

struct sim_program_source timed_launches(struct timed *p)
{
    return (struct sim_program_source){
        .self = p,
        .kernels = p->kernels,
        .open = open_launch,
        .code = code_of,
        .cold = p->job.caches == CACHES_COLD,
        .threads = p->jobs,
        .progress = on_progress,
    };
}
