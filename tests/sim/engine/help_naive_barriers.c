#include "tests/sim/engine/help_naive_state.h"

/* Ends the phase of a cluster's barrier if every warp that is left has come. */
void naive_release_cluster(struct naive *n, uint32_t number)
{
    struct cluster *c = &n->cluster[number];

    if (!c->somebody)
        return;
    for (int go = 0; go < 2; go++) {
        for (uint32_t s = 0; s < n->gpu->chip.sms; s++) {
            struct sm *sm = &n->sm[s];

            for (uint32_t i = 0; i < WARPS_MAX; i++) {
                struct warp *w = &sm->warp[i];

                if (!w->resident || w->finished ||
                    sm->block[w->block].cluster != number)
                    continue;
                if (!go && w->came <= c->phases)
                    return;
                if (go && w->waits_for_cluster) {
                    w->waits_for_cluster = 0;
                    w->barrier_end = c->open;
                }
            }
        }
        c->open = n->now + naive_max(n->gpu->sm.cluster_barrier_latency, 1);
    }
    c->phases++;
    c->somebody = 0;
}

void naive_come_to_cluster(struct naive *n, struct sm *sm, struct warp *w,
                           uint16_t flags, uint32_t lanes)
{
    struct cluster *c = &n->cluster[sm->block[w->block].cluster];

    if (flags & INST_ARRIVE) {
        if (w->lanes_came != 0 && (lanes & w->lanes_came) == 0) {
            w->lanes_came |= lanes;
        } else {
            w->lanes_came = lanes;
            if (w->came <= c->phases)
                w->came = c->phases + 1;
            c->somebody = 1;
        }
    }
    if ((flags & INST_BARRIER) && w->came > c->phases)
        w->waits_for_cluster = 1;
    else if (flags & INST_BARRIER)
        w->barrier_end = c->open;
}

/* The SM counts one arrival after the other, at whatever barrier. */
void naive_count_arrival(struct naive *n, struct sm *sm)
{
    sm->counts_from =
        naive_max(sm->counts_from, n->now) + n->gpu->sm.barrier_interval;
}

static uint64_t opens(const struct naive *n, const struct sm *sm)
{
    return naive_max(sm->counts_from, n->now) +
           naive_max(n->gpu->sm.barrier_latency, 1);
}

/* Opens the named barrier if its threads have come. */
void naive_release_named(struct naive *n, struct sm *sm, uint32_t block,
                         uint32_t named)
{
    struct block *b = &sm->block[block];

    if (b->named[named].wanted == 0 ||
        b->named[named].threads < b->named[named].wanted)
        return;
    b->named[named].threads = b->named[named].wanted = 0;
    for (uint32_t i = 0; i < WARPS_MAX; i++) {
        struct warp *w = &sm->warp[i];

        if (w->resident && w->block == block && !w->finished && w->parked &&
            w->named == named) {
            w->parked = 0;
            w->barrier_end = opens(n, sm);
        }
    }
}

void naive_release_barrier(struct naive *n, struct sm *sm, uint32_t block)
{
    uint32_t live = 0, parked = 0;

    for (uint32_t i = 0; i < WARPS_MAX; i++) {
        const struct warp *w = &sm->warp[i];

        if (!w->resident || w->block != block)
            continue;
        live += !w->finished;
        parked += !w->finished && w->parked && w->named == 0;
    }
    if (parked == 0 || parked != live + sm->block[block].missing)
        return;
    for (uint32_t i = 0; i < WARPS_MAX; i++) {
        struct warp *w = &sm->warp[i];

        if (w->resident && w->block == block && !w->finished && w->parked &&
            w->named == 0) {
            w->parked = 0;
            w->barrier_end = opens(n, sm);
        }
    }
}
