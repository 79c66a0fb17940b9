#include "sim/collect/sm_load.h"

#include <stdlib.h>
#include <string.h>

void sm_load_init(struct sm_load *l)
{
    *l = (struct sm_load){.bin_cycles = 1};
}

void sm_load_release(struct sm_load *l)
{
    free(l->issued);
    *l = (struct sm_load){0};
}

static void on_start(void *self, const struct teg_gpu *gpu,
                     const struct teg_program *program, uint32_t sms)
{
    struct sm_load *l = self;

    (void)gpu;
    (void)program;
    sm_load_release(l);
    sm_load_init(l);
    l->issued = calloc((size_t)sms * SM_LOAD_BINS, sizeof *l->issued);
    l->failed = l->issued == NULL;
    l->sms = l->failed ? 0 : sms;
}

/* Neighbours together, in all rows. */
static void widen(struct sm_load *l)
{
    for (uint32_t sm = 0; sm < l->sms; sm++) {
        uint64_t *bin = l->issued + (size_t)sm * SM_LOAD_BINS;

        for (uint32_t i = 0; i < SM_LOAD_BINS / 2; i++)
            bin[i] = bin[2 * i] + bin[2 * i + 1];
        memset(bin + SM_LOAD_BINS / 2, 0, SM_LOAD_BINS / 2 * sizeof *bin);
    }
    l->bin_log2++;
    l->bin_cycles *= 2;
}

static void on_issue(void *self, const struct sim_issue *e)
{
    struct sm_load *l = self;

    if (e->sm >= l->sms)
        return;
    while (e->cycle >> l->bin_log2 >= SM_LOAD_BINS)
        widen(l);
    l->issued[(size_t)e->sm * SM_LOAD_BINS + (e->cycle >> l->bin_log2)]++;
}

static void *split(void *self)
{
    const struct sm_load *whole = self;
    struct sm_load *part = malloc(sizeof *part);

    if (part == NULL)
        return NULL;
    sm_load_init(part);
    part->sms = whole->sms;
    part->issued =
        calloc((size_t)part->sms * SM_LOAD_BINS + 1, sizeof *part->issued);
    if (part->issued == NULL) {
        free(part);
        return NULL;
    }
    return part;
}

static void join(void *self, void *other)
{
    struct sm_load *l = self, *part = other;

    while (l->bin_log2 < part->bin_log2)
        widen(l);
    while (part->bin_log2 < l->bin_log2)
        widen(part);
    for (size_t i = 0; i < (size_t)l->sms * SM_LOAD_BINS; i++)
        l->issued[i] += part->issued[i];
    sm_load_release(part);
    free(part);
}

static void on_finish(void *self, uint64_t cycles)
{
    struct sm_load *l = self;

    l->end = cycles;
    while (cycles > 0 && (cycles - 1) >> l->bin_log2 >= SM_LOAD_BINS)
        widen(l);
}

struct sim_listener sm_load_listener(struct sm_load *l)
{
    return (struct sim_listener){.self = l,
                                 .on_start = on_start,
                                 .on_issue = on_issue,
                                 .on_finish = on_finish,
                                 .split = split,
                                 .join = join};
}

uint32_t sm_load_bins(const struct sm_load *l)
{
    return (uint32_t)((l->end + l->bin_cycles - 1) / l->bin_cycles);
}

uint64_t sm_load_width(const struct sm_load *l, uint32_t bin)
{
    uint64_t from = bin * l->bin_cycles;

    return from + l->bin_cycles > l->end ? l->end - from : l->bin_cycles;
}

uint64_t sm_load_at(const struct sm_load *l, uint32_t sm, uint32_t bin)
{
    return l->issued[(size_t)sm * SM_LOAD_BINS + bin];
}
