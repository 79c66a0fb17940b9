#include "tools/teg/replay/steps.h"

#include <stdlib.h>

#include "sim/sample/past.h"

/* Launches of a kernel behind what has happened since the one before them. */
struct later {
    struct teg_past since;
    uint32_t kernel, launches;
    size_t at;   /* the step of the trace that the first of them is */
    bool itself; /* they are behind others of that step */
};

/* Of a kernel: the later launch that stands for all of them. */
struct chosen {
    uint32_t all; /* later launches */
    uint32_t most;
    size_t at;
    bool itself;
};

struct order {
    const struct teg_step *did; /* [count] */
    size_t count;
    struct later *later; /* owned, [laters] */
    size_t laters;
    struct chosen *chosen; /* owned, [kernels] */
    struct step *step;     /* owned by the caller */
    uint32_t steps;
    size_t written; /* where what comes before the next step begins */
};

static void add_later(struct order *o, struct later l)
{
    o->later[o->laters++] = l;
    o->chosen[l.kernel].all += l.launches;
}

static void happen(struct teg_past *past, const struct teg_step *did)
{
    if (did->launches != 0)
        teg_past_add(past, TEG_PAST_LAUNCH, did->kernel, did->launches);
    else if (did->rests)
        teg_past_add(past, TEG_PAST_REST, 0, 0);
    else
        teg_past_add(past, TEG_PAST_WRITE, did->address, did->bytes);
}

/* `last`: of each kernel what had happened by its latest launch; no count: none. */
static void find_laters(struct order *o, struct teg_past *last)
{
    struct teg_past past = {0};

    for (size_t i = 0; i < o->count; i++) {
        const struct teg_step *did = &o->did[i];
        bool again = did->launches != 0 && last[did->kernel].count != 0;

        if (again)
            add_later(o, (struct later){
                             .since = teg_past_since(past, last[did->kernel]),
                             .kernel = did->kernel,
                             .launches = 1,
                             .at = i});
        if (did->launches > 1)
            add_later(o, (struct later){.kernel = did->kernel,
                                        .launches = did->launches - 1,
                                        .at = i,
                                        .itself = again});
        happen(&past, did);
        if (did->launches != 0)
            last[did->kernel] = past;
    }
}

static int compare_laters(const void *a, const void *b)
{
    const struct later *x = a, *y = b;
    int past = teg_past_compare(x->since, y->since);

    if (x->kernel != y->kernel)
        return x->kernel < y->kernel ? -1 : 1;
    if (past != 0)
        return past;
    return x->at == y->at ? 0 : x->at < y->at ? -1 : 1;
}

/* The first of those that are behind what most of the kernel's are behind. */
static void choose(struct order *o)
{
    qsort(o->later, o->laters, sizeof *o->later, compare_laters);
    for (size_t i = 0, next; i < o->laters; i = next) {
        const struct later *first = &o->later[i];
        struct chosen *c = &o->chosen[first->kernel];
        uint32_t launches = 0;

        for (next = i; next < o->laters; next++) {
            const struct later *l = &o->later[next];

            if (l->kernel != first->kernel ||
                teg_past_compare(l->since, first->since) != 0)
                break;
            launches += l->launches;
        }
        if (launches > c->most || (launches == c->most && first->at < c->at)) {
            c->most = launches;
            c->at = first->at;
            c->itself = first->itself;
        }
    }
}

static void add(struct order *o, struct step step, size_t at)
{
    step.from = o->written;
    step.to = at;
    o->step[o->steps++] = step;
    o->written = at + 1;
}

static void add_steps(struct order *o, struct teg_past *last)
{
    for (size_t i = 0; i < o->count; i++) {
        uint32_t kernel = o->did[i].kernel;
        const struct chosen *c = &o->chosen[kernel];

        if (o->did[i].launches == 0)
            continue;
        if (last[kernel].count != 0)
            add(o, (struct step){.kernel = kernel, .launches = 1}, i);
        last[kernel].count = 0;
        if (c->all != 0 && c->at == i)
            add(o,
                (struct step){.kernel = kernel,
                              .launches = c->all,
                              .later = true,
                              .itself = c->itself},
                i);
    }
}

/* Kernels of a trace that says nothing of steps run one after the other. */
static struct teg_step *plain_steps(const struct teg_trace *trace)
{
    uint32_t kernels = teg_trace_kernels(trace);
    struct teg_step *step = calloc(kernels, sizeof *step);

    for (uint32_t i = 0; step != NULL && i < kernels; i++)
        step[i] = (struct teg_step){
            .kernel = i, .launches = teg_trace_kernel_launches(trace, i)};
    return step;
}

uint32_t steps_of(const struct teg_trace *trace, struct step **steps)
{
    uint32_t kernels = teg_trace_kernels(trace);
    struct teg_past *last = calloc(kernels, sizeof *last);
    struct teg_step *plain = NULL;
    struct order o = {.chosen = calloc(kernels, sizeof *o.chosen),
                      .step = calloc(2 * (size_t)kernels, sizeof *o.step)};

    o.did = teg_trace_steps(trace, &o.count);
    if (o.count == 0) {
        o.did = plain = plain_steps(trace);
        o.count = plain != NULL ? kernels : 0;
    }
    o.later = calloc(2 * o.count, sizeof *o.later);
    if (o.chosen != NULL && o.step != NULL && o.later != NULL && last != NULL) {
        find_laters(&o, last);
        choose(&o);
        add_steps(&o, last);
    }
    /* Nothing is written, or runs besides, where nobody says so. */
    for (uint32_t i = 0; plain != NULL && i < o.steps; i++)
        o.step[i].from = o.step[i].to = 0;
    free(last);
    free(plain);
    free(o.chosen);
    free(o.later);
    if (o.steps == 0) {
        free(o.step);
        o.step = NULL;
    }
    *steps = o.step;
    return o.steps;
}
