#include "sim/sample/recall.h"

#include <stdlib.h>

#include "config/gpu.h"
#include "isa/base/minmax.h"
#include "sim/engine/engine.h"

struct known {
    uint64_t kind, cycles;
    struct sim_passed passed;
    uint32_t number;
};

struct teg_recall {
    struct known *known; /* owned, [count] */
    uint32_t count, room;
};

struct teg_recall *teg_recall_new(void)
{
    return calloc(1, sizeof(struct teg_recall));
}

void teg_recall_free(struct teg_recall *r)
{
    if (r == NULL)
        return;
    free(r->known);
    free(r);
}

static uint64_t apart(uint64_t a, uint64_t b)
{
    return a > b ? a - b : b - a;
}

static int takes_as_long(const struct known *k, const struct sim_passed *p,
                         const struct teg_gpu *gpu)
{
    uint64_t dram =
        apart(k->passed.read, p->read) + apart(k->passed.written, p->written);
    double moves = (double)(dram + apart(k->passed.far, p->far));
    double all = (double)(k->passed.read + k->passed.written + k->passed.far);
    double rate = gpu->dram.bandwidth_gbs * 1e3 / gpu->chip.sm_clock_mhz;
    double time = rate > 0 ? (double)dram * TEG_SECTOR_BYTES / rate : 0;
    double sms = (double)teg_max(p->sms, 1);

    time +=
        (double)apart(k->passed.pages, p->pages) / sms * gpu->tlb.miss_latency;
    time +=
        (double)apart(k->passed.regions, p->regions) * gpu->tlb.walk_latency;
    return time <= TEG_RECALL_TIME * (double)k->cycles &&
           (moves <= TEG_RECALL_ASKED * (double)p->asked ||
            moves <= TEG_RECALL_MOVED * all);
}

static uint32_t find(const struct teg_recall *r, uint64_t kind,
                     const struct sim_passed *p, const struct teg_gpu *gpu)
{
    for (uint32_t i = 0; i < r->count; i++) {
        if (r->known[i].kind == kind && takes_as_long(&r->known[i], p, gpu))
            return r->known[i].number;
    }
    return TEG_RECALL_NONE;
}

static teg_status pass(teg_sample_open *open, void *self,
                       const struct teg_gpu *gpu, struct sim_memory *memory,
                       struct sim_passed *passed, struct teg_diag *d)
{
    struct teg_launch launch;
    teg_status status;

    TRY(open(self, &launch, d));
    status = sim_engine_pass(&launch, gpu, memory, passed, d);
    if (launch.close != NULL)
        launch.close(launch.self);
    return status;
}

teg_status teg_recall_ask(const struct teg_recall *r, uint64_t kind,
                          teg_sample_open *open, void *self,
                          const struct teg_gpu *gpu,
                          const struct sim_memory *before,
                          struct teg_recalled *found, struct teg_diag *d)
{
    struct sim_memory *memory;
    teg_status status;

    *found = (struct teg_recalled){.number = TEG_RECALL_NONE};
    TRY(sim_memory_new_behind(before, gpu, &memory, d));
    status = pass(open, self, gpu, memory, &found->passed, d);
    if (status == TEG_OK)
        found->number = find(r, kind, &found->passed, gpu);
    if (found->number != TEG_RECALL_NONE)
        found->after = memory;
    else
        sim_memory_free(memory);
    return status;
}

teg_status teg_recall_add(struct teg_recall *r, uint64_t kind,
                          const struct teg_recalled *asked, uint64_t cycles,
                          uint32_t number, struct teg_diag *d)
{
    if (r->count == r->room) {
        uint32_t room = r->room * 2 + 16;
        struct known *known = realloc(r->known, room * sizeof *known);

        if (known == NULL)
            return teg_fail_memory(d);
        r->known = known;
        r->room = room;
    }
    r->known[r->count++] = (struct known){.kind = kind,
                                          .cycles = cycles,
                                          .passed = asked->passed,
                                          .number = number};
    return TEG_OK;
}
