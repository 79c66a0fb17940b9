/* Several launches beside each other (include/teg/replay.h). */
#include "sim/together.h"

#include <stdlib.h>

#include "libteg/replay.h"

/* What is under way. */
struct play {
    const struct teg_beside *beside; /* borrowed, [launches] */
    uint32_t launches;
    struct teg_launch *launch; /* owned, [launches] */
    struct teg_result **result;
    struct teg_together *chip; /* owned */
};

static void on_begun(void *self, uint32_t launch, uint64_t cycle)
{
    const struct play *p = self;

    if (p->beside[launch].begun != NULL)
        *p->beside[launch].begun = cycle;
}

/* One launch of a replay is open at a time, and it is as it is. */
static teg_status check(const struct play *p, uint32_t i, struct teg_diag *d)
{
    const struct teg_replay *r = p->beside[i].replay;

    if (r->manner.what_ifs[0] != '\0' || r->manner.sms != 0 ||
        r->manner.warps != 0)
        return teg_fail(d, TEG_LIMIT, r->name,
                        "expected a launch without what-ifs or limits beside "
                        "others");
    for (uint32_t k = 0; k < i; k++) {
        if (p->beside[k].replay == r)
            return teg_fail(d, TEG_LIMIT, r->name,
                            "expected a replay of its own for each launch, "
                            "found that of launch %u for launch %u",
                            k, i);
    }
    return TEG_OK;
}

static teg_status open_launch(struct play *p, uint32_t i,
                              const struct teg_gpu *gpu, uint32_t *l1_bytes,
                              struct teg_diag *d)
{
    TRY(check(p, i, d));
    TRY(source_open(&p->beside[i].replay->source, &p->launch[i], d));
    TRY(teg_together_room(p->launch[i].kernel, gpu, l1_bytes, d));
    p->result[i] = calloc(1, sizeof *p->result[i]);
    if (p->result[i] == NULL)
        return teg_fail_memory(d);
    return teg_gpu_copy(gpu, &p->result[i]->gpu, d);
}

static teg_status add(struct play *p, uint32_t i, struct teg_diag *d)
{
    const struct teg_together_launch launch = {
        .launch = &p->launch[i],
        .code = i,
        .priority = p->beside[i].priority,
        .from = p->beside[i].from,
        .primary = SIM_NO_LAUNCH,
        .statistics = &p->result[i]->s,
    };

    return teg_together_add(p->chip, &launch, d);
}

static teg_status run(struct play *p, const struct teg_gpu *gpu,
                      struct teg_diag *d)
{
    const struct manner *manner = &p->beside[0].replay->manner;
    struct teg_together_setup setup = {
        .gpu = gpu,
        .l1_bytes = UINT32_MAX,
        .threads = manner->threads,
        .news = {p, on_begun, NULL},
        .progress = manner->progress,
        .progress_self = manner->progress_self,
    };
    uint64_t now = 0;

    TRY(teg_gpu_check(gpu, d));
    for (uint32_t i = 0; i < p->launches; i++)
        TRY(open_launch(p, i, gpu, &setup.l1_bytes, d));
    TRY(teg_together_new(&setup, &p->chip, d));
    for (uint32_t i = 0; i < p->launches; i++)
        TRY(add(p, i, d));
    while (now != UINT64_MAX)
        TRY(teg_together_advance(p->chip, UINT64_MAX, &now, d));
    for (uint32_t i = 0; i < p->launches; i++)
        TRY(teg_result_keep_notes(p->result[i], &p->launch[i].kernel->notes,
                                  d));
    return TEG_OK;
}

teg_status teg_replay_together(const struct teg_beside *beside,
                               uint32_t launches, const struct teg_gpu *gpu,
                               struct teg_result **result, struct teg_diag *d)
{
    struct play p = {
        .beside = beside,
        .launches = launches,
        .launch = calloc((size_t)launches + 1, sizeof *p.launch),
        .result = result,
    };
    teg_status status = p.launch != NULL ? TEG_OK : teg_fail_memory(d);

    for (uint32_t i = 0; i < launches; i++)
        result[i] = NULL;
    if (status == TEG_OK && launches != 0)
        status = run(&p, gpu, d);
    teg_together_free(p.chip);
    for (uint32_t i = 0; p.launch != NULL && i < launches; i++)
        launch_end(&p.launch[i]);
    free(p.launch);
    for (uint32_t i = 0; status != TEG_OK && i < launches; i++) {
        teg_result_free(result[i]);
        result[i] = NULL;
    }
    return status;
}
