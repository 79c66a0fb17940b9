#include "sim/engine/issue.h"

#include "sim/engine/announce.h"
#include "sim/engine/barrier.h"
#include "sim/engine/bulk.h"
#include "sim/engine/cga.h"
#include "sim/engine/dependent.h"
#include "sim/engine/lsu.h"
#include "sim/engine/results.h"
#include "sim/engine/sleep.h"
#include "sim/engine/sm.h"
#include "sim/engine/stage.h"
#include "sim/engine/tcgen.h"
#include "sim/engine/texture.h"
#include "sim/engine/warpgroup.h"

#define INLINE inline __attribute__((always_inline))

/* ---- the instruction ----------------------------------------------------- */

/* What the banks have left fits the window by the returned cycle.  Right behind
 * the instruction before it in the program some operands need not be read. */
static uint64_t read_banks(struct sim_scheduler *s, const struct sim_warp *w,
                           const struct sim_op *op, uint64_t period,
                           uint64_t last, uint64_t now)
{
    int follows = s->choice.last == (int)w->index && w->after == w->cursor.inst;
    const uint8_t *reads = follows ? op->reads_after : op->reads;
    uint64_t price = now < s->sums_until ? s->sums_price : SIM_FRACTION;

    for (int b = 0; b < SIM_BANKS_MAX; b++) {
        s->bank_free[b] = teg_max(s->bank_free[b], now) +
                          reads[b] * price / SIM_FRACTION * period;
        last = teg_max(last, s->bank_free[b]);
    }
    return last;
}

/* The scheduler issues one instruction each issue slot, and none while more
 * operands wait to be read than fit the window (sim/engine/operands.h). */
static INLINE void read_operands(struct sim_sm *sm, struct sim_warp *w,
                                 const struct sim_op *op, uint64_t now)
{
    struct sim_scheduler *s = &sm->scheduler[w->scheduler];
    uint64_t period = sm->chip->period, ahead = sm->chip->window;
    uint64_t last = now + period + ahead;

    if (op->has_reads)
        last = read_banks(s, w, op, period, last, now);
    s->reading += s->reads_until - s->reads_from;
    s->reads_from = now + period;
    s->reads_until = last - ahead;
    s->choice.last = (int)w->index;
    s->free_from[w->index] = s->reads_until;
    w->after = w->cursor.inst + 1;
}

static INLINE struct sim_times latency_times(const struct sim_op *op,
                                             uint64_t latency, uint64_t start)
{
    return (struct sim_times){
        .start = start,
        .busy = op->interval,
        .done = start + teg_max(latency, 1),
        .same_warp = op->same_warp,
    };
}

/* Of what makes no request to memory. */
static struct sim_times own_times(struct sim_sm *sm, struct sim_warp *w,
                                  const struct sim_op *op, uint64_t start)
{
    uint64_t latency = op->latency;

    if (op->constant_use == SIM_CONSTANT_LOAD)
        latency += sim_lsu_constant_later(sm, w, op, start);
    return latency_times(op, latency, start);
}

/* A product of a warp group is no faster than its factors come through the data
 * stage.  All the while it reads its sums at the register banks in turn, and
 * others have what is left of them (sim/engine/operands.h). */
static void multiply(struct sim_sm *sm, const struct sim_warp *w,
                     const struct sim_op *op, struct sim_times *t)
{
    struct sim_scheduler *s = &sm->scheduler[w->scheduler];
    uint32_t stage = sim_stage_instance(sm, w->scheduler);
    uint64_t until = sim_stage_take(sm, stage, t->start, op->factors);

    t->busy = teg_max(t->busy, until - t->start);
    t->done = teg_max(t->done, t->start + t->busy + op->latency - op->interval);
    s->sums_until = t->start + t->busy;
    s->sums_price = sim_sums_price(sm->chip->gpu->sm.register_banks,
                                   op->dst_count, t->busy);
}

/* Returns the plan of its request to memory, or NULL if it makes none. */
static struct sim_plan *find_times(struct sim_sm *sm, uint32_t slot,
                                   const struct sim_values *v, uint64_t now,
                                   uint64_t start, struct sim_times *t)
{
    struct sim_warp *w = &sm->warp[slot];
    const struct sim_op *op = sim_warp_op(w);
    struct sim_plan *plan = op->has_addresses ? sim_lsu_plan(sm, slot) : NULL;

    if (plan != NULL)
        sim_lsu_issue(sm, w, plan, v, now, start, t);
    else if (teg_values_are_copy(op->values) && v != NULL)
        return sim_bulk_issue(sm, slot, v, now, start, t);
    else if (op->values == VALUES_SENT && v != NULL)
        return sim_lsu_send(sm, slot, v, now, start, t);
    else if (op->values == VALUES_TEXELS && v != NULL)
        return sim_texture_issue(sm, slot, v, start, t);
    else if (op->values == VALUES_PRODUCT && v != NULL)
        sim_tcgen_issue(sm, op, v, start, t);
    else
        *t = own_times(sm, w, op, start);
    if (op->factors != 0)
        multiply(sm, w, op, t);
    if (op->multiplies)
        sim_warpgroup_multiply(sm, w, now);
    return plan;
}

/* Units of the SM go round its schedulers: served in a fixed order, the last
 * one's warps would starve while there is more work than the unit can take. */
static void pass_on_unit(struct sim_sm *sm, uint8_t unit, uint32_t scheduler)
{
    uint32_t next = scheduler + 1;

    if (sm->chip->gpu->unit[unit].scope == UNIT_SCOPE_SM)
        sm->first_scheduler = next < sm->chip->gpu->sm.schedulers ? next : 0;
}

/* A shared operand is read while the instruction is in its unit, lines are
 * looked up from now on. */
static INLINE void take_units(struct sim_sm *sm, const struct sim_warp *w,
                              const struct sim_op *op, int plain,
                              const struct sim_unit_choice *unit,
                              const struct sim_times *t, uint64_t now)
{
    const struct sim_ports *ports = &sm->chip->ports.at[op->ports];
    uint64_t free_from = t->start + t->busy;

    if (sm->stage.copies != 0 &&
        unit->instance == sim_stage_instance(sm, w->scheduler))
        free_from = sim_stage_take(sm, unit->instance, t->start,
                                   t->busy * SIM_FRACTION);
    sim_units_take(&sm->units, unit, w->scheduler, t->start, free_from,
                   t->done);
    pass_on_unit(sm, unit->unit, w->scheduler);
    if (!plain)
        sim_units_take_second(&sm->units, ports, w->scheduler,
                              op->flags & INST_OPERAND ? free_from
                                                       : now + t->lines);
}

static void note_done(struct sim_sm *sm, struct sim_resident *b,
                      const struct sim_times *t)
{
    if (t->open) {
        b->open++;
        return;
    }
    b->done = teg_max(b->done, t->kept != 0 ? t->kept : t->done);
    b->left = teg_max(b->left, t->done);
    sm->cycles = teg_max(sm->cycles, t->done);
}

/* ---- what the warp does next --------------------------------------------- */

/* How much later than alone the warp's instruction, which its scheduler issued
 * last, has its operands, where the compiler's stall counts begin then. */
static INLINE uint64_t read_late(const struct sim_sm *sm,
                                 const struct sim_warp *w)
{
    const struct sim_scheduler *s = &sm->scheduler[w->scheduler];

    return sm->chip->gpu->sm.register_stall ? s->reads_until - s->reads_from
                                            : 0;
}

/* The compiler's stall count is a wait for what it knows the latency of. */
static void wait_for_itself(const struct sim_sm *sm, struct sim_warp *w,
                            const struct sim_op *op, uint64_t same_warp,
                            uint64_t now)
{
    if (op->by_control)
        sim_warp_hold(w, STALL_WAIT, now + op->same_warp + read_late(sm, w));
    else
        sim_warp_hold(w, STALL_SAME_WARP, now + same_warp);
}

/* Behind a fence until those it is for have seen what came before. */
static void wait_for_visibility(struct sim_warp *w, const struct sim_op *op,
                                uint64_t now)
{
    if (op->fence_latency != 0)
        sim_warp_hold(w, STALL_MEMBAR, now + op->fence_latency);
}

/* The lanes of a warp wake together, with the one that sleeps longest. */
static void wait_asleep(const struct sim_sm *sm, struct sim_warp *w,
                        const struct sim_op *op, const struct sim_values *v,
                        uint64_t now)
{
    uint64_t ns = 0;

    if (op->values == VALUES_SLEEP && v != NULL) {
        for (uint32_t rest = v->mask; rest != 0; rest &= rest - 1)
            ns = teg_max(ns, sim_value(v, 0, (uint32_t)__builtin_ctz(rest)));
        sim_warp_hold(w, STALL_SLEEPING,
                      now + sim_sleep_cycles(sm->chip->gpu, ns));
    } else if (op->sleep != 0) {
        sim_warp_hold(w, STALL_SLEEPING, now + op->sleep);
    }
}

/* After a taken branch the warp's instructions come from elsewhere, and it
 * waits until they do.  Where lanes meet it waits wherever it goes on. */
static void wait_for_branch(const struct sim_sm *sm, struct sim_warp *w,
                            const struct sim_op *op, uint32_t inst,
                            uint64_t now)
{
    const struct teg_gpu *gpu = sm->chip->gpu;

    if (op->op_class == CLASS_CONVERGE)
        sim_warp_hold(w, STALL_BRANCHING, now + gpu->sm.converge_interval);
    if (teg_op_class_is_branch(op->op_class) && w->cursor.inst != inst + 1)
        sim_warp_hold(w, STALL_BRANCHING, now + gpu->sm.taken_interval);
}

/* An instruction in another line than the warp's last comes when that line is
 * there. */
static void wait_for_line(struct sim_sm *sm, struct sim_warp *w, uint64_t now)
{
    const struct teg_inst *inst = w->grid->ops.program->inst;
    uint64_t line =
        sim_fetch_line(sm->fetch, w->grid->code, inst[w->cursor.inst].pc);

    if (line != w->line)
        sim_warp_hold(w, STALL_NO_INSTRUCTION,
                      sim_fetch_at(sm->fetch, w->scheduler, line, now));
    w->line = line;
}

/* The warp has no instruction left. */
static void finish(struct sim_sm *sm, struct sim_warp *w, uint64_t now)
{
    struct sim_resident *b = &sm->resident[w->resident];

    sm->scheduler[w->scheduler].choice.alive &= ~(1ull << w->index);
    b->live--;
    b->missing += !w->exited;
    sim_barrier_leave(sm, b, now);
    sim_cga_leave(sm, w, now);
    if (w->grid->ops.groups)
        sim_warpgroup_leave(sm, w, now);
    if (w->grid->ops.awaits)
        sim_board_leave(sm, w, now);
    if (b->live == 0)
        sim_sm_block_done(sm, b, now + 1);
}

/* What others in the block learn of the instruction. */
static void tell(struct sim_sm *sm, struct sim_warp *w, const struct sim_op *op,
                 const struct sim_values *v, const struct sim_times *t,
                 uint64_t now)
{
    switch (op->values) {
    case VALUES_BULK:
    case VALUES_TENSOR:
    case VALUES_REDUCED:
        sim_bulk_tell(sm, w, v, t);
        break;
    case VALUES_SENT:
        sim_mbarrier_sent(sm, w, v, t);
        break;
    case VALUES_INIT:
        sim_mbarrier_init(sm, w, v);
        break;
    case VALUES_ARRIVE:
        sim_mbarrier_arrive(sm, w, op, v, t);
        break;
    case VALUES_BARRIER:
        if ((op->flags & INST_ARRIVE) != 0)
            sim_barrier_pass(sm, w, v, now);
        break;
    default:
        break;
    }
}

/* What a barrier or an mbarrier of the warp's block or cluster, its warp group,
 * or a launch that depends on another, makes of it; whether it stays there
 * until others come. */
static int meet_others(struct sim_sm *sm, struct sim_warp *w,
                       const struct sim_op *op, const struct sim_values *v,
                       uint32_t lanes, uint64_t now)
{
    if (op->values == VALUES_TEST)
        return !sim_mbarrier_ask(sm, w, op, v, now);
    if (op->values == VALUES_AWAITED)
        return !sim_board_ask(sm, w, v);
    if ((op->flags & INST_GRID) != 0 && op->op_class == CLASS_MEMBAR)
        return sim_dependent_wait(w);
    if (op->meets) {
        sim_warpgroup_arrive(sm, w, now);
        return 1;
    }
    if ((op->flags & INST_CLUSTER) == 0) {
        if ((op->flags & INST_BARRIER) != 0)
            sim_barrier_arrive(sm, w, v, now);
        return (op->flags & INST_BARRIER) != 0;
    }
    if ((op->flags & INST_ARRIVE) != 0)
        sim_cga_arrive(sm, w, lanes, now);
    return (op->flags & INST_BARRIER) != 0 && sim_cga_wait(sm, w);
}

/* Steps the warp to its next instruction, and finds out what it waits for. */
static INLINE void go_on(struct sim_sm *sm, struct sim_warp *w,
                         const struct sim_op *op, int plain,
                         const struct sim_values *v, uint64_t same_warp,
                         uint64_t now)
{
    uint32_t inst = w->cursor.inst, lanes = w->cursor.mask;

    /* Its first line came while its block was being set up. */
    if (sm->fetch != NULL && w->line == SIM_NO_LINE)
        wait_for_line(sm, w, w->arrived);
    sm->scheduler[w->scheduler].turn[w->index].blocked = 0;
    if (!plain) {
        w->exited |= (op->flags & INST_EXIT) != 0 && lanes != 0;
        if ((op->flags & INST_GRID) != 0 && op->op_class != CLASS_MEMBAR &&
            lanes != 0)
            sim_dependent_let(sm, w, now);
    }
    if (!sim_warp_next(w, now)) {
        finish(sm, w, now);
        return;
    }
    wait_for_itself(sm, w, op, same_warp, now);
    if (!plain)
        wait_for_branch(sm, w, op, inst, now);
    if (!plain && lanes != 0)
        wait_for_visibility(w, op, now);
    if (!plain && lanes != 0)
        wait_asleep(sm, w, op, v, now);
    if (sm->fetch != NULL)
        wait_for_line(sm, w, now);
    sim_warp_find_waits(w, sim_warp_op(w));
    if (plain || lanes == 0 || !meet_others(sm, w, op, v, lanes, now))
        sim_sm_await(sm, w);
}

/* The instruction's values, or NULL if it has none; behind its addresses. */
static const struct sim_values *read_values(struct sim_sm *sm, uint32_t slot,
                                            const struct sim_op *op,
                                            struct sim_values *v)
{
    struct sim_warp *w = &sm->warp[slot];

    if (op->values == VALUES_NONE || w->cursor.mask == 0)
        return NULL;
    if (op->has_addresses)
        sim_lsu_plan(sm, slot);
    sim_values_read(v, &w->cursor);
    return v;
}

/* What is only asked of instructions that are not plain is left out of the code
 * for those that are. */
static INLINE void issue(struct sim_sm *sm, uint32_t slot,
                         const struct sim_op *op, int plain, uint64_t now)
{
    struct sim_warp *w = &sm->warp[slot];
    struct sim_values values;
    const struct sim_values *v =
        plain ? NULL : read_values(sm, slot, op, &values);
    struct sim_unit_choice unit =
        sim_units_of_ports(&sm->units, op->ports, w->scheduler, now);
    uint64_t start = sim_units_start(&sm->units, &unit, now);
    const struct sim_plan *plan = NULL;
    struct sim_times t;

    if (plain)
        t = latency_times(op, op->latency, start);
    else
        plan = find_times(sm, slot, v, now, start, &t);
    take_units(sm, w, op, plain, &unit, &t, now);
    if (!plain)
        sim_results_gather(sm, w, op, &t);
    read_operands(sm, w, op, now);
    if (plain)
        sim_announce_plain(sm, slot, op, unit.unit, now, t.start, t.done);
    else
        sim_announce_issue(sm, slot, op, unit.unit, now, &t, plan);
    if (sm->pending.failed)
        return;
    if (plain)
        sim_results_write_registers(w, op, t.done);
    else
        sim_results_write(sm, w, op, &t);
    note_done(sm, &sm->resident[w->resident], &t);
    if (v != NULL)
        tell(sm, w, op, v, &t, now);
    if (!plain && op->tells && w->grid->ops.awaits)
        sim_board_tell(sm, w, w->cursor.mask, &t);
    go_on(sm, w, op, plain, v, t.same_warp, now);
}

void sim_issue(struct sim_sm *sm, uint32_t slot, uint64_t now)
{
    const struct sim_op *op = sim_warp_op(&sm->warp[slot]);

    if (op->is_plain)
        issue(sm, slot, op, 1, now);
    else
        issue(sm, slot, op, 0, now);
}
