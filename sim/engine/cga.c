#include "sim/engine/cga.h"

#include <stdlib.h>

void sim_cgas_release(struct sim_cgas *c)
{
    free(c->cga);
    *c = (struct sim_cgas){0};
}

teg_status sim_cgas_add(struct sim_cgas *c, uint32_t *number,
                        struct teg_diag *d)
{
    uint32_t n = 0;

    while (n < c->count && c->cga[n].blocks != 0)
        n++;
    if (n == c->capacity) {
        uint32_t capacity = 2 * c->capacity + 16;
        struct sim_cga *cga = realloc(c->cga, capacity * sizeof *cga);

        if (cga == NULL)
            return teg_fail_memory(d);
        c->cga = cga;
        c->capacity = capacity;
    }
    if (n == c->count)
        c->count++;
    c->cga[n].blocks = 0;
    *number = n;
    return TEG_OK;
}

void sim_cga_join(struct sim_cgas *c, uint32_t number, uint32_t rank,
                  uint32_t size, struct sim_sm *sm, uint32_t resident)
{
    struct sim_cga *g = &c->cga[number];

    g->size = size;
    g->place[rank] = (struct sim_cga_place){sm, resident};
    sm->resident[resident].cga.rank = rank;

    g->block[g->blocks++] = (struct sim_cga_block){sm->number, resident};
    sm->resident[resident].cga.number = number;
}

uint32_t sim_cga_sm(const struct sim_cgas *c, const struct sim_resident *b,
                    uint32_t behind)
{
    const struct sim_cga *g = &c->cga[b->cga.number];

    return g->place[(b->cga.rank + behind) % g->size].sm->number;
}

int sim_cga_find(const struct sim_cgas *c, const struct sim_resident *b,
                 uint32_t behind, struct sim_sm **sm, uint32_t *resident)
{
    const struct sim_resident *found;
    const struct sim_cga *g;
    uint32_t rank;

    if (b->cga.number == SIM_NO_CGA)
        return 0;
    g = &c->cga[b->cga.number];
    rank = (b->cga.rank + behind) % g->size;
    *sm = g->place[rank].sm;
    *resident = g->place[rank].resident;
    found = &(*sm)->resident[*resident];
    return found->block != NULL && found->cga.number == b->cga.number &&
           found->cga.rank == rank;
}

/* ---- a phase ends -------------------------------------------------------- */

static void open_block(struct sim_sm *sm, struct sim_resident *b, uint64_t at)
{
    b->cga.phase++;
    b->cga.open = at;
    b->cga.arrived = 0;
    b->cga.expected -= b->cga.gone;
    b->cga.gone = 0;
    for (uint64_t rest = b->slots; rest != 0; rest &= rest - 1) {
        struct sim_warp *w = &sm->warp[__builtin_ctzll(rest)];

        if (w->parked != SIM_PARKED_CGA)
            continue;
        w->parked = SIM_NOT_PARKED;
        sim_warp_hold(w, STALL_BARRIER, at);
        sim_sm_await(sm, w);
        sm->wake = teg_min(sm->wake, sm->scheduler[w->scheduler].wake);
    }
}

static uint64_t latency_of(const struct sim_sm *sm)
{
    return teg_max(sm->chip->gpu->sm.cluster_barrier_latency, 1);
}

static void may_open_alone(struct sim_sm *sm, struct sim_resident *b)
{
    if (b->cga.number == SIM_NO_CGA && b->cga.arrived != 0 &&
        b->cga.arrived == b->cga.expected)
        open_block(sm, b, b->cga.last + latency_of(sm));
}

/* ---- what warps do ------------------------------------------------------- */

void sim_cga_arrive(struct sim_sm *sm, struct sim_warp *w, uint32_t lanes,
                    uint64_t now)
{
    struct sim_resident *b = &sm->resident[w->resident];

    if (w->cga_lanes != 0 && (w->cga_lanes & lanes) == 0) {
        w->cga_lanes |= lanes;
        return;
    }
    w->cga_lanes = lanes;
    if (w->cga_phase > b->cga.phase)
        return;
    w->cga_phase = b->cga.phase + 1;
    b->cga.arrived++;
    b->cga.last = now;
    may_open_alone(sm, b);
}

int sim_cga_wait(struct sim_sm *sm, struct sim_warp *w)
{
    const struct sim_resident *b = &sm->resident[w->resident];

    if (w->cga_phase > b->cga.phase) {
        w->parked = SIM_PARKED_CGA;
        return 1;
    }
    sim_warp_hold(w, STALL_BARRIER, b->cga.open);
    return 0;
}

void sim_cga_leave(struct sim_sm *sm, const struct sim_warp *w, uint64_t now)
{
    struct sim_resident *b = &sm->resident[w->resident];

    if (w->cga_phase > b->cga.phase) {
        b->cga.gone++;
        return;
    }
    b->cga.expected--;
    b->cga.last = now;
    may_open_alone(sm, b);
}

/* ---- between windows ----------------------------------------------------- */

/* Blocks that have left have nobody to wait for or to be waited for. */
static void forget_left(struct sim_cga *g, struct sim_sm *sm, uint32_t number)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < g->blocks; i++) {
        const struct sim_resident *b =
            &sm[g->block[i].sm].resident[g->block[i].resident];

        if (b->block != NULL && b->cga.number == number)
            g->block[kept++] = g->block[i];
    }
    g->blocks = kept;
}

static void may_open(const struct sim_cga *g, struct sim_sm *sm)
{
    uint64_t last = 0;
    uint32_t arrived = 0, expected = 0;

    for (uint32_t i = 0; i < g->blocks; i++) {
        const struct sim_resident *b =
            &sm[g->block[i].sm].resident[g->block[i].resident];

        arrived += b->cga.arrived;
        expected += b->cga.expected;
        last = teg_max(last, b->cga.last);
    }
    if (arrived == 0 || arrived != expected)
        return;
    for (uint32_t i = 0; i < g->blocks; i++) {
        struct sim_sm *of = &sm[g->block[i].sm];

        open_block(of, &of->resident[g->block[i].resident],
                   last + latency_of(of));
    }
}

void sim_cgas_settle(struct sim_cgas *c, struct sim_sm *sm)
{
    for (uint32_t n = 0; n < c->count; n++) {
        if (c->cga[n].blocks == 0)
            continue;
        forget_left(&c->cga[n], sm, n);
        may_open(&c->cga[n], sm);
    }
}
