#include "sim/engine/fetch.h"

#include <stdlib.h>

#include "isa/base/minmax.h"
#include "sim/engine/level.h"

enum {
    SCHEDULERS_MAX = 4,
    CODE_BIT = 40, /* of a line: from here on, whose */
};

struct sim_fetch {
    const struct teg_gpu *gpu; /* borrowed */
    unsigned line_log2;
    /* What earlier launches have left of each program. */
    enum kept {
        KEPT_NONE,
        KEPT_L1,
        KEPT_L0, /* nobody waits */
    } * kept;    /* owned, [codes] */
    uint32_t codes;
    struct sim_level l0[SCHEDULERS_MAX], l1;
};

static int make(const struct teg_gpu *gpu, uint32_t bytes,
                struct sim_level *level)
{
    return sim_level_init(level, bytes, gpu->fetch.line_bytes, gpu->fetch.ways);
}

teg_status sim_fetch_new(const struct teg_gpu *gpu, struct sim_fetch **fetch,
                         struct teg_diag *d)
{
    struct sim_fetch *f;
    int made;

    *fetch = NULL;
    if (gpu->fetch.l0_bytes == 0)
        return TEG_OK;
    f = calloc(1, sizeof *f);
    if (f == NULL)
        return teg_fail_memory(d);
    f->gpu = gpu;
    f->line_log2 = (unsigned)__builtin_ctz(gpu->fetch.line_bytes);
    made = make(gpu, gpu->fetch.l1_bytes, &f->l1);
    for (uint32_t s = 0; s < gpu->sm.schedulers; s++)
        made = made && make(gpu, gpu->fetch.l0_bytes, &f->l0[s]);
    if (!made) {
        sim_fetch_free(f);
        return teg_fail_memory(d);
    }
    *fetch = f;
    return TEG_OK;
}

void sim_fetch_free(struct sim_fetch *f)
{
    if (f == NULL)
        return;
    for (uint32_t s = 0; s < SCHEDULERS_MAX; s++)
        sim_level_release(&f->l0[s]);
    sim_level_release(&f->l1);
    free(f->kept);
    free(f);
}

uint64_t sim_fetch_line(const struct sim_fetch *f, uint32_t code, uint64_t pc)
{
    return (uint64_t)code << CODE_BIT | pc >> f->line_log2;
}

/* Whether a cache of `bytes` has kept the program from an earlier launch: it
 * is in one piece, so that it fits its sets if it fits at all. */
static int keeps(const struct teg_gpu *gpu, uint32_t bytes, uint64_t last)
{
    return !gpu->fetch.cold &&
           last / gpu->fetch.line_bytes < bytes / gpu->fetch.line_bytes;
}

int sim_fetch_keeps(const struct teg_gpu *gpu, uint64_t last)
{
    return gpu->fetch.l0_bytes == 0 || keeps(gpu, gpu->fetch.l0_bytes, last);
}

teg_status sim_fetch_reach(struct sim_fetch *f, uint32_t code, uint64_t last,
                           struct teg_diag *d)
{
    if (code >= f->codes) {
        enum kept *kept = realloc(f->kept, (code + 1) * sizeof *kept);

        if (kept == NULL)
            return teg_fail_memory(d);
        for (uint32_t i = f->codes; i <= code; i++)
            kept[i] = KEPT_NONE;
        f->kept = kept;
        f->codes = code + 1;
    }
    f->kept[code] =
        keeps(f->gpu, f->gpu->fetch.l1_bytes, last) ? KEPT_L1 : KEPT_NONE;
    if (sim_fetch_keeps(f->gpu, last))
        f->kept[code] = KEPT_L0;
    return TEG_OK;
}

static enum kept kept_of(const struct sim_fetch *f, uint64_t line)
{
    return line >> CODE_BIT < f->codes ? f->kept[line >> CODE_BIT] : KEPT_NONE;
}

/* The cycle a line that the scheduler's cache misses arrives there. */
static uint64_t arrival(struct sim_fetch *f, uint64_t line, uint64_t now)
{
    uint64_t near = f->gpu->fetch.l1_latency, far = f->gpu->fetch.miss_latency;
    int missed;

    if (kept_of(f, line) != KEPT_NONE)
        return now + near;
    if (f->l1.cache == NULL)
        return now + far;
    return sim_level_bring(&f->l1, line, now, far - near, &missed) + near;
}

/* Returns when the line is there; `*missed` if it was not even on its way. */
static uint64_t bring(struct sim_fetch *f, struct sim_level *l0, uint64_t line,
                      uint64_t now, int *missed)
{
    struct sim_cache_result found = sim_level_look_up(l0, line);
    uint64_t ready;

    *missed = found.hits == 0;
    if (!*missed)
        return found.ready;
    ready = arrival(f, line, now);
    sim_cache_fill(l0->cache, found.frame, ready);
    return ready;
}

uint64_t sim_fetch_at(struct sim_fetch *f, uint32_t scheduler, uint64_t line,
                      uint64_t now)
{
    struct sim_level *l0 = &f->l0[scheduler];
    uint32_t ahead = f->gpu->fetch.lines_ahead;
    int missed, next_missed;
    uint64_t ready;

    if (kept_of(f, line) == KEPT_L0)
        return now;
    ready = bring(f, l0, line, now, &missed);

    /* Of a line that is there the next ones have been asked for, but one. */
    for (uint32_t i = missed ? 1 : ahead; i != 0 && i <= ahead; i++)
        bring(f, l0, line + i, now, &next_missed);
    return teg_max(ready, now);
}
