#include "sim/memory/translation.h"

#include <stdlib.h>

#include "sim/memory/cache.h"
#include "sim/memory/interleave.h"

enum {
    FIRST_REGIONS = 64
};

int sim_translation_init(struct sim_translation *t, const struct teg_gpu *gpu,
                         uint32_t sms)
{
    *t = (struct sim_translation){
        .gpu = gpu,
        .sms = sms,
        .miss_ticks = sim_ticks_of(gpu->tlb.miss_latency),
    };
    if (gpu->tlb.entries == 0)
        return 1;
    t->tlb = sim_caches_new(sms, 1, gpu->tlb.entries);
    t->last = calloc(sms, sizeof *t->last);
    return t->tlb != NULL && t->last != NULL;
}

void sim_translation_release(struct sim_translation *t)
{
    sim_caches_free(t->tlb);
    free(t->last);
    free(t->walked.region);
    free(t->walked.ready);
    *t = (struct sim_translation){0};
}

static size_t slot_of(const struct sim_regions *r, uint64_t region)
{
    size_t i = sim_fold(region) & (r->capacity - 1);

    while (r->region[i] != 0 && r->region[i] != region + 1)
        i = (i + 1) & (r->capacity - 1);
    return i;
}

static int grow(struct sim_regions *r)
{
    size_t capacity = r->capacity != 0 ? 2 * r->capacity : FIRST_REGIONS;
    struct sim_regions grown = {calloc(capacity, sizeof *r->region),
                                malloc(capacity * sizeof *r->ready), r->count,
                                capacity};

    if (grown.region == NULL || grown.ready == NULL) {
        free(grown.region);
        free(grown.ready);
        return 0;
    }
    for (size_t i = 0; i < r->capacity; i++) {
        size_t to;

        if (r->region[i] == 0)
            continue;
        to = slot_of(&grown, r->region[i] - 1);
        grown.region[to] = r->region[i];
        grown.ready[to] = r->ready[i];
    }
    free(r->region);
    free(r->ready);
    *r = grown;
    return 1;
}

/* The tick at which the translations of the address's region are on the chip,
 * which the first touch fetches.  Out of memory is told at the end of the run,
 * since nobody who waits for an address can act on it. */
static uint64_t region_ready(struct sim_translation *t, uint64_t address,
                             uint64_t at)
{
    struct sim_regions *r = &t->walked;
    uint64_t region;
    size_t i;

    if (t->gpu->tlb.walk_latency == 0)
        return 0;
    region = address / t->gpu->tlb.walk_bytes;
    if (2 * r->count >= r->capacity && !grow(r)) {
        t->failed = 1;
        return 0;
    }
    i = slot_of(r, region);
    if (r->region[i] == 0) {
        r->region[i] = region + 1;
        r->ready[i] = at + (uint64_t)t->gpu->tlb.walk_latency * SIM_TICKS;
        r->count++;
    }
    return r->ready[i];
}

static int carry_regions(struct sim_regions *r, const struct sim_regions *from)
{
    for (size_t i = 0; i < from->capacity; i++) {
        size_t to;

        if (from->region[i] == 0)
            continue;
        if (2 * r->count >= r->capacity && !grow(r))
            return 0;
        to = slot_of(r, from->region[i] - 1);
        r->region[to] = from->region[i];
        r->ready[to] = 0;
        r->count++;
    }
    return 1;
}

/* SMs that only one of the two kernels steps have nothing to hand on, or get
 * nothing. */
int sim_translation_carry(struct sim_translation *t,
                          const struct sim_translation *before)
{
    if (t->tlb == NULL || before->tlb == NULL)
        return 1;
    for (uint32_t i = 0; i < t->sms && i < before->sms; i++) {
        sim_cache_carry(t->tlb[i], before->tlb[i]);
        t->last[i].page = before->last[i].page;
    }
    return carry_regions(&t->walked, &before->walked);
}

uint64_t sim_translation_look_up(struct sim_translation *t, uint32_t sm,
                                 uint64_t address, uint64_t at)
{
    uint64_t page = address / t->gpu->tlb.page_bytes;

    t->last[sm].page = page * t->gpu->tlb.page_bytes + 1;
    if (sim_cache_access(t->tlb[sm], 0, page, 1, 1, 0).hits == 0)
        at += t->miss_ticks;
    t->last[sm].ready = region_ready(t, address, at);
    return at;
}

void sim_translation_pass(struct sim_translation *t, uint32_t sm,
                          uint64_t address, struct sim_passed *p)
{
    uint64_t page, page_bytes = t->gpu->tlb.page_bytes;
    size_t regions = t->walked.count;

    if (t->tlb == NULL || (t->last[sm].page != 0 &&
                           address - (t->last[sm].page - 1) < page_bytes))
        return;
    page = address / page_bytes;
    t->last[sm].page = page * page_bytes + 1;
    p->pages += sim_cache_access(t->tlb[sm], 0, page, 1, 1, 0).hits == 0;
    region_ready(t, address, 0);
    p->regions += t->walked.count - regions;
}

void sim_translation_await_region(struct sim_translation *t, struct sim_way *w,
                                  uint64_t address, int posted)
{
    uint64_t ready = region_ready(t, address, w->start);

    if (!posted && ready > w->start)
        w->waited = ready - w->start;
}
