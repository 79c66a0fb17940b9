#include "sim/engine/engine.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "sim/engine/sm.h"

enum {
    PROGRESS_STEPS = 4096,
    FRACTION = 256, /* of a cycle between two blocks */
};

struct run {
    const struct sim_engine_setup *setup;
    struct teg_launch *launch;
    struct sim_chip chip;
    struct sim_sm *sm;      /* owned, [sms] */
    struct teg_block *next; /* owned: read, not placed yet */
    int exhausted;          /* no further block */
    uint64_t handed_out;    /* blocks */
    uint64_t ended;
    uint64_t hand_out_from; /* fraction of a cycle the next may be handed out */
    uint32_t turn;          /* SM to look at first */
};

static teg_status too_many_warps(const struct run *r, struct teg_diag *d)
{
    const uint32_t *at = teg_block_position(r->next);
    char where[96];

    snprintf(where, sizeof where, "block %u,%u,%u", at[0], at[1], at[2]);
    return teg_fail(d, TEG_LIMIT, where,
                    "expected at most %u warps, which is what an SM of %s "
                    "holds, found %u",
                    r->setup->gpu->sm.warps_max, r->setup->gpu->name,
                    teg_block_warps(r->next));
}

/* Reads the next block unless one is waiting. */
static teg_status fetch(struct run *r, struct teg_diag *d)
{
    if (r->next != NULL || r->exhausted)
        return TEG_OK;
    TRY(r->launch->next(r->launch->self, &r->next, d));
    if (r->next == NULL) {
        r->exhausted = 1;
        return TEG_OK;
    }
    if (teg_block_warps(r->next) > r->setup->gpu->sm.warps_max)
        return too_many_warps(r, d);
    return sim_ops_update(&r->chip.ops, d);
}

/* Returns an SM with room for the waiting block, the one after the last that
 * got a block first, or `sms`: the grid spreads before it stacks. */
static uint32_t find_room(const struct run *r)
{
    uint32_t sms = r->setup->sms;

    for (uint32_t i = 0; i < sms; i++) {
        uint32_t sm = (r->turn + i) % sms;

        if (sim_sm_has_room(&r->sm[sm], teg_block_warps(r->next),
                            r->setup->blocks_per_sm))
            return sm;
    }
    return sms;
}

/* Hands out blocks as long as there is room. */
static teg_status dispatch(struct run *r, uint64_t now, struct teg_diag *d)
{
    for (;;) {
        struct teg_block *block;
        uint32_t sm;

        TRY(fetch(r, d));
        if (r->next == NULL)
            return TEG_OK;
        sm = find_room(r);
        if (sm == r->setup->sms)
            return TEG_OK;
        if (r->hand_out_from < now * FRACTION)
            r->hand_out_from = now * FRACTION;
        block = r->next;
        r->next = NULL;
        TRY(sim_sm_place(&r->sm[sm], block, r->handed_out++,
                         (r->hand_out_from + FRACTION - 1) / FRACTION, d));
        r->hand_out_from +=
            (uint64_t)(r->setup->gpu->chip.dispatch_interval * FRACTION + 0.5);
        r->turn = (sm + 1) % r->setup->sms;
    }
}

static uint64_t earliest_wake(const struct run *r)
{
    uint64_t now = SIM_NEVER;

    for (uint32_t i = 0; i < r->setup->sms; i++) {
        if (r->sm[i].wake < now)
            now = r->sm[i].wake;
    }
    return now;
}

static teg_status report_deadlock(const struct run *r, struct teg_diag *d)
{
    for (uint32_t i = 0; i < r->setup->sms; i++) {
        if (r->sm[i].blocks != 0)
            return sim_sm_deadlock(&r->sm[i], d);
    }
    return teg_fail(d, TEG_DEADLOCK, "", "a block waits, but no SM has room");
}

/* One cycle of the chip, and which one comes next. */
static teg_status step(struct run *r, uint64_t *now, struct teg_diag *d)
{
    uint64_t ended = 0;

    for (uint32_t i = 0; i < r->setup->sms; i++)
        ended += sim_sm_retire(&r->sm[i], *now);
    r->ended += ended;
    if (ended != 0)
        TRY(dispatch(r, *now, d));
    for (uint32_t i = 0; i < r->setup->sms; i++) {
        if (r->sm[i].wake <= *now)
            sim_sm_step(&r->sm[i], *now);
    }
    *now = earliest_wake(r);
    return TEG_OK;
}

static teg_status run_clock(struct run *r, struct teg_diag *d)
{
    const struct sim_engine_setup *setup = r->setup;
    uint64_t now = 0, steps = 0;

    TRY(dispatch(r, 0, d));
    now = earliest_wake(r);
    while (now != SIM_NEVER) {
        TRY(step(r, &now, d));
        if (++steps % PROGRESS_STEPS == 0 && setup->progress != NULL &&
            setup->progress(setup->progress_self, r->ended, now))
            return teg_fail(d, TEG_INTERRUPTED, "",
                            "interrupted in cycle %" PRIu64 " after %" PRIu64
                            " blocks",
                            now, r->ended);
    }
    if (r->ended != r->handed_out || r->next != NULL)
        return report_deadlock(r, d);
    return TEG_OK;
}

static teg_status make_chip(struct run *r, struct teg_diag *d)
{
    const struct sim_engine_setup *setup = r->setup;

    sim_chip_init(&r->chip, setup->gpu, r->launch->kernel);
    r->chip.listener = setup->listener;
    r->chip.listeners = setup->listeners;
    TRY(sim_memory_new(setup->gpu, setup->sms, setup->l1_bytes, &r->chip.memory,
                       d));
    r->sm = calloc(setup->sms, sizeof *r->sm);
    if (r->sm == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < setup->sms; i++)
        TRY(sim_sm_init(&r->sm[i], &r->chip, i, d));
    return TEG_OK;
}

static void clear(struct run *r)
{
    for (uint32_t i = 0; r->sm != NULL && i < r->setup->sms; i++)
        sim_sm_release(&r->sm[i]);
    free(r->sm);
    teg_block_free(r->next);
    sim_memory_free(r->chip.memory);
    sim_ops_release(&r->chip.ops);
}

static void announce_start(const struct sim_listener *listener,
                           uint32_t listeners, const struct teg_gpu *gpu,
                           const struct teg_program *program, uint32_t sms)
{
    for (uint32_t i = 0; i < listeners; i++) {
        if (listener[i].on_start != NULL)
            listener[i].on_start(listener[i].self, gpu, program, sms);
    }
}

static void announce_finish(const struct sim_listener *listener,
                            uint32_t listeners, uint64_t cycles)
{
    for (uint32_t i = 0; i < listeners; i++) {
        if (listener[i].on_finish != NULL)
            listener[i].on_finish(listener[i].self, cycles);
    }
}

teg_status sim_engine_run(struct teg_launch *launch,
                          const struct sim_engine_setup *setup,
                          struct sim_engine_outcome *outcome,
                          struct teg_diag *d)
{
    struct run r = {.setup = setup, .launch = launch};
    teg_status status = make_chip(&r, d);

    *outcome = (struct sim_engine_outcome){0};
    if (status == TEG_OK) {
        announce_start(setup->listener, setup->listeners, setup->gpu,
                       &launch->kernel->program, setup->sms);
        status = run_clock(&r, d);
        outcome->cycles = r.chip.cycles;
        outcome->blocks = r.ended;
        sim_memory_channel_bytes(r.chip.memory, &outcome->channel_bytes_max,
                                 &outcome->channel_bytes_sum);
        announce_finish(setup->listener, setup->listeners, r.chip.cycles);
    }
    clear(&r);
    return status;
}

/* ---- without a clock ------------------------------------------------------ */

static void walk_inst(struct teg_cursor *c, const struct teg_gpu *gpu,
                      const struct teg_kernel *kernel,
                      const struct sim_listener *listener, uint32_t listeners,
                      struct sim_issue *e)
{
    const struct teg_inst *inst = &kernel->program.inst[c->inst];
    struct sim_windows windows = {kernel->shared_base, kernel->local_base};
    struct teg_access access;
    struct sim_plan plan;

    e->inst = c->inst;
    e->mask = c->mask;
    e->op_class = inst->op_class;
    e->unit = gpu->timing[inst->op_class].unit[0];
    if (teg_cursor_access(c, &access)) {
        sim_plan_make(&plan, gpu, inst, &access, &windows);
        e->request = &plan.request;
    }
    for (uint32_t i = 0; i < listeners; i++) {
        if (listener[i].on_issue != NULL)
            listener[i].on_issue(listener[i].self, e);
    }
    e->request = NULL;
}

static void walk_block(struct teg_block *block, uint64_t number,
                       const struct teg_gpu *gpu,
                       const struct teg_kernel *kernel,
                       const struct sim_listener *listener, uint32_t listeners)
{
    uint32_t warps = teg_block_warps(block);

    for (uint32_t i = 0; i < listeners; i++) {
        if (listener[i].on_block_start != NULL)
            listener[i].on_block_start(listener[i].self, 0, 0, number, warps);
    }
    for (uint32_t s = 0; s < warps; s++) {
        struct sim_issue e = {
            .slot = s % gpu->sm.warps_max,
            .block = number,
            .stream = s,
            .warp_id = teg_block_warp_id(block, s),
        };
        struct teg_cursor c;

        teg_cursor_init(&c, block, s);
        while (teg_cursor_next(&c))
            walk_inst(&c, gpu, kernel, listener, listeners, &e);
    }
}

teg_status sim_engine_walk(struct teg_launch *launch, const struct teg_gpu *gpu,
                           const struct sim_listener *listener,
                           uint32_t listeners, uint64_t *blocks,
                           struct teg_diag *d)
{
    *blocks = 0;
    announce_start(listener, listeners, gpu, &launch->kernel->program,
                   gpu->chip.sms);
    for (;;) {
        struct teg_block *block;

        TRY(launch->next(launch->self, &block, d));
        if (block == NULL)
            break;
        walk_block(block, (*blocks)++, gpu, launch->kernel, listener,
                   listeners);
        teg_block_free(block);
    }
    announce_finish(listener, listeners, 0);
    return TEG_OK;
}
