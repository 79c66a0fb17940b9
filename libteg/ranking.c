/* The what-ifs by what they gain: a sweep over all of them. */
#include <stdlib.h>

#include "config/gpu.h"
#include "libteg/replay.h"
#include "sim/teg.h"

struct ranked {
    char name[TEG_WHATIF_NAME_SIZE];
    uint64_t cycles;
    uint32_t listed; /* in the order in which they were listed */
};

struct teg_ranking {
    uint64_t baseline;
    uint32_t count;
    struct ranked *item; /* owned, [count] */
    teg_status status;   /* of the sweep's first fault */
    struct teg_diag fault;
};

/* Point 0 is the launch as it is, point i what-if i - 1. */
static int done(void *self, uint32_t point, const struct teg_result *result,
                const struct teg_diag *fault)
{
    struct teg_ranking *r = self;

    if (result == NULL) {
        r->status = fault->status;
        r->fault = *fault;
        return 1;
    }
    if (point == 0)
        r->baseline = teg_result_cycles(result);
    else
        r->item[point - 1].cycles = teg_result_cycles(result);
    return 0;
}

static int by_gain(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    if (x->cycles != y->cycles)
        return (x->cycles > y->cycles) - (x->cycles < y->cycles);
    return (x->listed > y->listed) - (x->listed < y->listed);
}

static teg_status measure(struct teg_ranking *r, struct teg_replay *replay,
                          const struct teg_gpu *gpu, uint32_t workers,
                          struct teg_diag *d)
{
    const char **point;
    teg_status status;

    r->count = teg_whatif_trials(gpu);
    r->item = calloc(r->count, sizeof *r->item);
    point = calloc(r->count + 1, sizeof *point);
    if (r->item == NULL || point == NULL) {
        free(point);
        return teg_fail_memory(d);
    }
    point[0] = "";
    for (uint32_t i = 0; i < r->count; i++) {
        point[i + 1] = teg_whatif_trial(gpu, i, r->item[i].name);
        r->item[i].listed = i;
    }
    status =
        teg_replay_sweep(replay, gpu, point, r->count + 1, workers, done, r, d);
    free(point);
    if (r->status != TEG_OK && d != NULL)
        *d = r->fault;
    return r->status != TEG_OK ? r->status : status;
}

teg_status teg_replay_rank(struct teg_replay *replay, const struct teg_gpu *gpu,
                           uint32_t workers, struct teg_ranking **ranking,
                           struct teg_diag *d)
{
    struct teg_ranking *r = calloc(1, sizeof *r);
    teg_status status;

    *ranking = NULL;
    if (r == NULL)
        return teg_fail_memory(d);
    status = measure(r, replay, gpu, workers, d);
    if (status != TEG_OK) {
        teg_ranking_free(r);
        return status;
    }
    qsort(r->item, r->count, sizeof *r->item, by_gain);
    *ranking = r;
    return TEG_OK;
}

void teg_ranking_free(struct teg_ranking *ranking)
{
    if (ranking == NULL)
        return;
    free(ranking->item);
    free(ranking);
}

uint64_t teg_ranking_baseline(const struct teg_ranking *ranking)
{
    return ranking->baseline;
}

uint32_t teg_ranking_count(const struct teg_ranking *ranking)
{
    return ranking->count;
}

const char *teg_ranking_name(const struct teg_ranking *ranking, uint32_t i)
{
    return i < ranking->count ? ranking->item[i].name : NULL;
}

uint64_t teg_ranking_cycles(const struct teg_ranking *ranking, uint32_t i)
{
    return i < ranking->count ? ranking->item[i].cycles : 0;
}
