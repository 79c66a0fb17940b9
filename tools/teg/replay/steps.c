#include "tools/teg/replay/steps.h"

#include <stdlib.h>

/* Launches of a kernel so far, and where its latest step is. */
struct seen {
    uint64_t launches;
    uint32_t step;
};

struct order {
    struct step *step; /* owned by the caller */
    uint32_t count;
    struct seen *seen; /* owned, [kernels] */
    size_t written;    /* where what comes before the next step begins */
};

static void add(struct order *o, uint32_t kernel, uint32_t launches, size_t at,
                bool later)
{
    o->seen[kernel].step = o->count;
    o->step[o->count++] = (struct step){.kernel = kernel,
                                        .launches = launches,
                                        .later = later,
                                        .from = o->written,
                                        .to = at};
    o->written = at + 1;
}

/* `launches` of the kernel, which are the trace's step `at`. */
static void launch(struct order *o, uint32_t kernel, uint32_t launches,
                   size_t at)
{
    struct seen *seen = &o->seen[kernel];

    if (seen->launches == 0)
        add(o, kernel, 1, at, false);
    else if (seen->launches == 1)
        add(o, kernel, launches, at, true);
    else
        o->step[seen->step].launches += launches;
    if (seen->launches == 0 && launches > 1)
        add(o, kernel, launches - 1, at, true);
    seen->launches += launches;
}

static void walk(struct order *o, const struct teg_trace *trace)
{
    uint32_t kernels = teg_trace_kernels(trace);
    size_t count;
    const struct teg_step *step = teg_trace_steps(trace, &count);

    for (uint32_t i = 0; count == 0 && i < kernels; i++)
        launch(o, i, teg_trace_kernel_launches(trace, i), 0);
    for (size_t i = 0; i < count; i++) {
        if (step[i].launches != 0)
            launch(o, step[i].kernel, step[i].launches, i);
    }
}

uint32_t steps_of(const struct teg_trace *trace, struct step **steps)
{
    uint32_t kernels = teg_trace_kernels(trace);
    struct order o = {.step = calloc(2 * (size_t)kernels, sizeof *o.step),
                      .seen = calloc(kernels, sizeof *o.seen)};

    if (o.step != NULL && o.seen != NULL)
        walk(&o, trace);
    free(o.seen);
    if (o.count == 0) {
        free(o.step);
        o.step = NULL;
    }
    *steps = o.step;
    return o.count;
}
