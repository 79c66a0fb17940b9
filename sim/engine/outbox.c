#include "sim/engine/outbox.h"

#include <stdlib.h>

#include "sim/engine/cga.h"
#include "sim/engine/lsu.h"
#include "sim/engine/sm.h"

enum {
    FIRST = 64,
};

void sim_outbox_release(struct sim_outbox *o)
{
    free(o->letter);
    *o = (struct sim_outbox){0};
}

/* NULL out of memory. */
static struct sim_letter *add(struct sim_sm *sm)
{
    struct sim_outbox *o = &sm->outbox;

    if (o->count == o->capacity) {
        uint32_t capacity = o->capacity != 0 ? 2 * o->capacity : FIRST;
        struct sim_letter *letter =
            realloc(o->letter, capacity * sizeof *letter);

        if (letter == NULL) {
            sm->pending.failed = 1;
            return NULL;
        }
        o->letter = letter;
        o->capacity = capacity;
    }
    return &o->letter[o->count++];
}

void sim_outbox_send(struct sim_sm *sm, const struct sim_resident *b,
                     const struct sim_news *news, const struct sim_times *t)
{
    const struct teg_gpu *gpu = sm->chip->gpu;
    struct sim_letter letter = {
        .to = sm,
        .resident = (uint32_t)(b - sm->resident),
        .news = *news,
        .done = t->done,
        .floor = t->start + teg_max(gpu->shared.remote_latency, 1),
    };
    struct sim_letter *kept;

    letter.news.address &= (1u << SIM_BEHIND_BIT) - 1;
    if (b->cga.number == SIM_NO_CGA && sim_behind(news->address) == 0) {
        sim_mbarrier_hear(sm, &sm->resident[letter.resident], &letter);
        return;
    }
    if (sim_behind(news->address) != 0 &&
        !sim_cga_find(sm->chip->cgas, b, sim_behind(news->address), &letter.to,
                      &letter.resident))
        return;
    kept = add(sm);
    if (kept != NULL)
        *kept = letter;
}

void sim_outbox_close(struct sim_sm *sm)
{
    for (uint32_t i = 0; i < sm->outbox.count; i++) {
        struct sim_letter *l = &sm->outbox.letter[i];

        if (l->done >= SIM_OPEN)
            l->done =
                sim_pending_at(&sm->pending, (uint32_t)(l->done - SIM_OPEN))
                    ->issue.done;
    }
}

void sim_outbox_deliver(struct sim_sm *sm, uint32_t sms)
{
    for (uint32_t i = 0; i < sms; i++) {
        for (uint32_t k = 0; k < sm[i].outbox.count; k++) {
            const struct sim_letter *l = &sm[i].outbox.letter[k];

            sim_mbarrier_hear(l->to, &l->to->resident[l->resident], l);
        }
        sm[i].outbox.count = 0;
    }
}
