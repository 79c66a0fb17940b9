#include "sim/memory/levels.h"

#include "sim/memory/line.h"

/* The leader's miss for the transaction that stands where transaction `i` of
 * `count` does; NULL if its L1 settled that.  `*at` is where to look first. */
static const struct sim_miss *miss_beside(const struct sim_misses *leader,
                                          uint32_t i, uint32_t count,
                                          uint32_t *at)
{
    uint32_t wanted = i * leader->transactions / count;

    while (*at < leader->count && leader->miss[*at].transaction < wanted)
        (*at)++;
    return *at < leader->count && leader->miss[*at].transaction == wanted
               ? &leader->miss[*at]
               : NULL;
}

static void follow(struct sim_memory *m, struct sim_follower_request *f)
{
    struct sim_plan *plan = &f->plan;
    int posted = plan->request.is_store && !plan->request.is_atomic;
    uint32_t at = 0;

    for (uint32_t t = 0; t < plan->count; t++) {
        const struct sim_transaction *own = &plan->transaction[t];
        const struct sim_miss *miss =
            miss_beside(f->leader, t, plan->count, &at);
        uint32_t sectors = own->sectors != 0 ? own->sectors : SIM_ALL_SECTORS;
        struct sim_way w = {.start =
                                sim_start_of(m, f->cycle, sim_turn_of(plan, t)),
                            .updates = own->updates,
                            .steps = own->steps,
                            .packets = own->packets};

        if (miss == NULL)
            continue;
        if (posted && !(miss->flags & SIM_MISS_JOINED))
            w.partial = own->partial;
        if (miss->flags & (SIM_MISS_HIT | SIM_MISS_MERGED))
            sectors &= miss->sectors;
        w.partial &= (uint8_t)sectors;
        w.torn = posted ? own->partial & (uint8_t)sectors : 0;
        if (m->translation.tlb != NULL)
            sim_translation_await_region(&m->translation, &w, own->address,
                                         posted);
        sim_visit_shared(m, f->sm, &w, own->address,
                         sim_expect_shared(m, own->address), sectors,
                         own->sectors != 0 ? sim_sectors_bytes(sectors)
                                           : own->bytes,
                         &plan->request);
    }
    m->followers->served(m->followers->self, &plan->request);
}

void sim_memory_lead(struct sim_memory *m,
                     const struct sim_followers *followers)
{
    m->followers = followers;
}

void sim_followers_serve(struct sim_memory *m, const struct sim_misses *leader)
{
    const struct sim_followers *f = m->followers;

    f->lead(f->self, leader);
    while (f->next(f->self, leader->now, &m->follower))
        follow(m, &m->follower);
}
