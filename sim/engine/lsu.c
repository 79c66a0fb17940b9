#include "sim/engine/lsu.h"

#include "sim/engine/cga.h"
#include "sim/engine/counter.h"
#include "sim/engine/sm.h"
#include "sim/engine/values.h"
#include "sim/memory/atomic.h"
#include "sim/memory/l1_banks.h"
#include "sim/memory/remote.h"
#include "sim/memory/shared.h"

enum { /* values of an asynchronous store */
    WHERE,
    BYTES,
};

void sim_lsu_find_remotes(const struct sim_sm *sm, const struct sim_warp *w,
                          struct sim_plan *plan)
{
    for (uint32_t i = 0; i < plan->remotes; i++)
        plan->remote[i].behind = sim_cga_sm(
            sm->chip->cgas, &sm->resident[w->resident], plan->remote[i].behind);
}

struct sim_plan *sim_lsu_plan(struct sim_sm *sm, uint32_t slot)
{
    struct sim_warp *w = &sm->warp[slot];
    struct sim_plan *plan = &sm->plan[sm->chip->may_refuse ? slot : 0];
    struct teg_access access;

    if (w->planned)
        return plan;
    if (!teg_cursor_access(&w->cursor, &access))
        return NULL;
    sim_plan_make_as_known(plan, sm->chip->gpu,
                           &w->grid->ops.program->inst[w->cursor.inst], &access,
                           &w->grid->windows, sim_sm_known(sm));
    sim_plan_place(plan, sm->number, w->resident);
    sim_lsu_find_remotes(sm, w, plan);
    w->planned = 1;
    return plan;
}

uint64_t sim_lsu_ready_at(struct sim_sm *sm, uint32_t slot, uint64_t now)
{
    const struct sim_plan *plan;

    if (!sim_warp_op(&sm->warp[slot])->has_addresses)
        return now;
    plan = sim_lsu_plan(sm, slot);
    if (plan == NULL || plan->count == 0)
        return now;
    return sim_memory_ready_at(sm->chip->memory, sm->number, now,
                               plan->request.bytes);
}

/* ---- times --------------------------------------------------------------- */

static uint64_t whole_near(uint64_t fraction)
{
    return (fraction + SIM_FRACTION / 2) / SIM_FRACTION;
}

/* What its further passes make a request to shared memory later.  (Lai 2013,
 * 3.2.3.3) */
static uint64_t conflict_cycles(const struct sim_chip *chip,
                                const struct sim_request *r)
{
    uint64_t extra = r->passes > r->groups ? r->passes - r->groups : 0;

    return whole_near(extra * chip->shared[r->is_atomic].conflict_latency);
}

static uint64_t passes_busy(const struct sim_chip *chip,
                            const struct sim_request *r)
{
    return sim_whole_up(r->passes * chip->shared[r->is_atomic].interval);
}

static uint64_t conflict_holds(const struct sim_chip *chip,
                               const struct sim_request *r, uint64_t latency)
{
    int holds = r->passes > r->groups && chip->gpu->shared.conflict_holds_warp;

    return holds ? latency : 0;
}

static void shared_times(const struct sim_chip *chip, const struct sim_op *op,
                         const struct sim_request *r, uint64_t now,
                         struct sim_times *t)
{
    uint64_t latency = op->latency + conflict_cycles(chip, r);

    t->busy = teg_max(op->interval, passes_busy(chip, r));
    t->done = teg_max(t->start + latency, t->start + 1);
    t->same_warp = teg_max(op->same_warp,
                           conflict_holds(chip, r, t->start + latency - now));
}

static uint64_t constants_later(struct sim_sm *sm, struct sim_warp *w,
                                const uint64_t *address, uint32_t count,
                                uint64_t start)
{
    return sm->constants != NULL
               ? sim_constants_load(sm->constants, w->grid->number, address,
                                    count, start, &w->constants)
               : 0;
}

uint64_t sim_lsu_constant_later(struct sim_sm *sm, struct sim_warp *w,
                                const struct sim_op *op, uint64_t start)
{
    if (w->cursor.mask == 0)
        return 0;
    return constants_later(sm, w, &op->constant, 1, start);
}

/* A constant load goes to the lanes of one address after those of another, and
 * waits for all lines. */
static void constant_times(struct sim_sm *sm, struct sim_warp *w,
                           const struct sim_op *op, const struct sim_plan *plan,
                           struct sim_times *t)
{
    const struct sim_request *r = &plan->request;
    uint64_t interval = sm->chip->distinct_interval;
    uint64_t latency = op->latency + whole_near((r->passes - 1) * interval) +
                       constants_later(sm, w, plan->places.address,
                                       plan->places.count, t->start);

    t->busy = teg_max(op->interval, sim_whole_up(r->passes * interval));
    t->done = teg_max(t->start + latency, t->start + 1);
    t->same_warp = op->same_warp;
}

/* What a load's passes take in L1's banks, which lanes one after the other,
 * word by word, do not exceed.  (1/256 cycles) */
static uint64_t passes_held(const struct sim_chip *chip,
                            const struct sim_request *r)
{
    uint64_t words = teg_max(r->useful_bytes / SIM_L1_BANK_BYTES, r->active);
    uint64_t held = r->l1_passes * chip->l1_bank_interval;

    return chip->l1_lane_interval != 0
               ? teg_min(held, words * chip->l1_lane_interval)
               : held;
}

/* No load is there before its last pass through L1's banks. */
static void pass_l1_banks(const struct sim_chip *chip,
                          const struct sim_request *r, struct sim_times *t)
{
    uint64_t held;

    if (r->l1_passes <= 1)
        return;
    held = passes_held(chip, r);
    t->busy = teg_max(t->busy, sim_whole_up(held));
    if (held > chip->l1_bank_interval)
        t->floor =
            teg_max(t->floor, t->start + chip->gpu->l1.latency +
                                  sim_whole_up(held - chip->l1_bank_interval));
}

/* Cycles that looking up a request's lines takes. */
static uint64_t lookup_cycles(const struct sim_chip *chip,
                              const struct sim_plan *plan)
{
    uint32_t lines = plan->request.l1_lines;

    return lines != 0 ? lines
                      : sim_whole_up(sim_plan_turns(plan) *
                                     chip->transaction_interval);
}

/* What a slice does beyond the first comes on top of an atomic's own latency,
 * too, which was measured with one. */
static uint64_t further_steps(const struct sim_chip *chip,
                              const struct sim_request *r)
{
    uint64_t first;
    uint64_t held = sim_atomic_held(
        r->most_updates, r->most_steps, chip->atomic_update[r->is_float],
        chip->atomic_step[sim_request_steps(r)], &first);

    return sim_whole_up(held - first);
}

/* All but `done`, which is memory's to say. */
static void global_times(const struct sim_chip *chip, const struct sim_op *op,
                         const struct sim_plan *plan, uint64_t now,
                         struct sim_times *t)
{
    const struct sim_request *r = &plan->request;
    uint64_t moves = r->useful_bytes * chip->lane_byte_interval;
    int holds = chip->gpu->memory.transactions_hold_warp != 0;
    int is_posted = r->is_store && !r->is_atomic;

    t->lines = lookup_cycles(chip, plan);
    t->busy = teg_max(op->interval, (moves + 65535) / 65536);
    if (chip->gpu->tag_unit == TEG_NO_UNIT)
        t->busy = teg_max(t->busy, t->lines);
    t->floor =
        t->start +
        (is_posted ? 1 : teg_max(op->latency, 1) + further_steps(chip, r));
    t->extra = is_posted ? op->latency : 0;
    pass_l1_banks(chip, r, t);
    t->same_warp = teg_max(op->same_warp, holds ? t->start + t->busy - now : 0);
}

/* Of what the warp stores until it loads again, some may be sent as one. */
static void note_stored(struct sim_warp *w, struct sim_plan *plan)
{
    struct sim_request *r = &plan->request;

    if (!r->is_store && !r->is_atomic && !r->is_bulk && plan->count != 0)
        w->stored.count = 0;
    r->stored = &w->stored;
}

int sim_lsu_begin(struct sim_sm *sm, struct sim_warp *w, struct sim_plan *plan,
                  uint32_t flags, uint64_t at)
{
    note_stored(w, plan);
    sm->misses->of = (struct sim_request_of){
        .launch = w->grid->number,
        .block = sm->resident[w->resident].number,
        .stream = w->stream,
        .place = w->resident,
    };
    sim_memory_begin(sm->chip->memory, sm->number, at, plan, flags, sm->misses);
    return sm->chip->runs_ahead && sim_misses_open(sm->misses);
}

void sim_lsu_end(struct sim_sm *sm, struct sim_plan *plan, struct sim_times *t)
{
    if (t->open) {
        t->done = SIM_OPEN + sm->pending.used;
        return;
    }
    t->done = sim_times_end(
        sim_memory_end(sm->chip->memory, sm->misses, &plan->request), t->floor,
        t->extra);
    t->kept = sim_times_end(plan->request.kept_until, t->floor, t->extra);
}

/* What goes to other blocks' shared memory: its end is memory's to say. */
static void reach_remotes(struct sim_sm *sm, struct sim_warp *w,
                          const struct sim_op *op, struct sim_plan *plan,
                          struct sim_times *t)
{
    int is_posted = plan->request.is_store && !plan->request.is_atomic;

    t->floor = t->done;
    t->extra = is_posted ? op->latency : 0;
    t->open = sim_lsu_begin(sm, w, plan, op->flags, t->start);
    sim_lsu_end(sm, plan, t);
}

/* An asynchronous copy's passes into shared memory: they keep the unit, and
 * conflicts make it later, as those of a store. */
static void pass_shared_side(struct sim_sm *sm, const struct sim_warp *w,
                             const struct sim_op *op,
                             const struct sim_values *v, uint64_t now,
                             struct sim_times *t)
{
    const struct sim_chip *chip = sm->chip;
    struct teg_inst store = w->grid->ops.program->inst[w->cursor.inst];
    struct sim_plan side;
    uint64_t later, until = t->start - now;

    store.flags = INST_STORE;
    side.request = (struct sim_request){.is_store = 1};
    sim_shared_passes(&side, chip->gpu, &store, &v->value[0], sim_sm_known(sm));
    later = conflict_cycles(chip, &side.request);
    t->extra += later;
    t->busy = teg_max(t->busy, passes_busy(chip, &side.request));
    if (chip->gpu->memory.transactions_hold_warp)
        t->same_warp = teg_max(t->same_warp, until + t->busy);
    t->same_warp =
        teg_max(t->same_warp, conflict_holds(chip, &side.request,
                                             until + op->latency + later));
}

void sim_lsu_issue(struct sim_sm *sm, struct sim_warp *w, struct sim_plan *plan,
                   const struct sim_values *v, uint64_t now, uint64_t start,
                   struct sim_times *t)
{
    const struct sim_op *op = sim_warp_op(w);

    *t = (struct sim_times){.start = start};
    if (plan->request.space == SPACE_SHARED) {
        shared_times(sm->chip, op, &plan->request, now, t);
        if (plan->remotes != 0)
            reach_remotes(sm, w, op, plan, t);
        return;
    }
    if (plan->request.is_atomic && sm->chip->hot != NULL)
        sim_hot_words_add(&sm->chip->hot[sm->number], &plan->places);
    if (plan->request.space == SPACE_CONST) {
        constant_times(sm, w, op, plan, t);
        return;
    }
    global_times(sm->chip, op, plan, now, t);
    if (op->values == VALUES_SHARED && v != NULL)
        pass_shared_side(sm, w, op, v, now, t);
    plan->request.is_copy = op->op_class == CLASS_LDGSTS;
    t->open = sim_lsu_begin(sm, w, plan, op->flags, start);
    sim_lsu_end(sm, plan, t);
}

struct sim_plan *sim_lsu_send(struct sim_sm *sm, uint32_t slot,
                              const struct sim_values *v, uint64_t now,
                              uint64_t start, struct sim_times *t)
{
    struct sim_warp *w = &sm->warp[slot];
    const struct sim_op *op = sim_warp_op(w);
    struct sim_plan *plan = &sm->plan[sm->chip->may_refuse ? slot : 0];
    const struct sim_windows windows = {.blocks = w->grid->windows.blocks};
    struct teg_inst store = w->grid->ops.program->inst[w->cursor.inst];

    store.width = (uint16_t)sim_value_first(v, BYTES);
    store.flags = op->flags & INST_ATOMIC ? INST_ATOMIC : INST_STORE;
    *t = (struct sim_times){.start = start};
    sim_remote_plan(plan, sm->chip->gpu, &store, &v->value[WHERE], &windows);
    sim_lsu_find_remotes(sm, w, plan);
    shared_times(sm->chip, op, &plan->request, now, t);
    if (plan->remotes != 0)
        reach_remotes(sm, w, op, plan, t);
    return plan;
}
