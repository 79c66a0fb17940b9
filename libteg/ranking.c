/* The what-ifs by what they gain: a sweep over all of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/gpu.h"
#include "libteg/replay.h"

enum {
    NAME_SIZE = 64,
    ALL_SIZE = 1024 /* the names of the fixed ones, joined */
};

struct ranked {
    char name[NAME_SIZE];
    uint64_t cycles;
    uint32_t place; /* in the order in which they were listed */
};

struct teg_ranking {
    uint64_t baseline;
    uint32_t count;
    struct ranked *item; /* owned, [count] */
    teg_status status;   /* of the sweep's first fault */
    struct teg_diag fault;
};

static void add(struct teg_ranking *r, const char *prefix, const char *name)
{
    struct ranked *item = &r->item[r->count];

    snprintf(item->name, sizeof item->name, "%s%s", prefix, name);
    item->place = r->count++;
}

/* "all", each what-if there is, and every unit doubled. */
static teg_status list(struct teg_ranking *r, const struct teg_gpu *gpu,
                       char all[ALL_SIZE], struct teg_diag *d)
{
    size_t used = 0;

    r->item = calloc(1 + teg_whatif_count() + gpu->unit_count, sizeof *r->item);
    if (r->item == NULL)
        return teg_fail_memory(d);
    add(r, "", "all");
    for (uint32_t i = 0; i < teg_whatif_count(); i++) {
        add(r, "", teg_whatif_name(i));
        used += (size_t)snprintf(all + used, ALL_SIZE - used, "%s%s",
                                 used > 0 ? "," : "", teg_whatif_name(i));
        if (used >= ALL_SIZE)
            return teg_fail(d, TEG_LIMIT, "what-if", "too many");
    }
    for (uint32_t i = 0; i < gpu->unit_count; i++)
        add(r, "double:", gpu->unit[i].name);
    return TEG_OK;
}

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
    return (x->place > y->place) - (x->place < y->place);
}

static teg_status measure(struct teg_ranking *r, struct teg_replay *replay,
                          const struct teg_gpu *gpu, uint32_t workers,
                          struct teg_diag *d)
{
    char all[ALL_SIZE] = "";
    const char **point;
    teg_status status;

    TRY(list(r, gpu, all, d));
    point = calloc(r->count + 1, sizeof *point);
    if (point == NULL)
        return teg_fail_memory(d);
    point[0] = "";
    point[1] = all;
    for (uint32_t i = 1; i < r->count; i++)
        point[i + 1] = r->item[i].name;
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
