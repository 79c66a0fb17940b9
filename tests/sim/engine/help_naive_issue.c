#include "tests/sim/engine/help_naive_state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/sim/engine/help_naive_copy.h"
#include "tests/sim/engine/help_naive_tensor.h"
#include "tests/sim/engine/help_naive_texture.h"

static uint64_t ceil_div(double x)
{
    uint64_t whole = (uint64_t)x;

    return whole + (x > (double)whole);
}

static void do_deed(struct block *b, struct deed deed)
{
    if (b->deeds == DEEDS_MAX)
        abort();
    b->deed[b->deeds++] = deed;
}

/* Lines of a copy from its byte `*n` of `bytes` on, byte by byte. */
static void plan_copy(struct sim_plan *plan, const struct teg_gpu *gpu,
                      const struct teg_inst *inst, const uint64_t *value,
                      uint64_t *n, uint64_t bytes)
{
    const enum teg_values kind = (enum teg_values)inst->values;
    int old_rule = gpu->memory.coalescing == COALESCING_CC10 ||
                   gpu->memory.coalescing == COALESCING_CC12;
    uint32_t units = 0;

    memset(plan, 0, sizeof *plan);
    plan->groups = 1;
    plan->request.space = SPACE_GLOBAL;
    plan->request.is_store = (inst->flags & INST_STORE) != 0;
    plan->request.is_atomic = (inst->flags & INST_ATOMIC) != 0;
    plan->request.is_float = kind == VALUES_REDUCED && value[9] / 256 % 2 == 1;
    plan->request.is_copy = plan->request.is_bulk = 1;
    if (plan->request.is_float)
        units = value[9] % 256 == 8 ? 2 * gpu->l2.atomic_doubles
                                    : gpu->l2.atomic_units;
    while (*n < bytes) {
        struct sim_transaction *t = &plan->transaction[plan->count];
        uint32_t filled[4] = {0}, words[4] = {0}, updates = 0, steps = 1;
        uint64_t last_word = UINT64_MAX;
        uint64_t at = naive_copied(value, kind, *n), next = at;

        if (plan->count == 64)
            return;
        plan->count++;
        t->address = at / 128 * 128;
        do {
            if (next / 4 != last_word)
                words[next % 128 / 32]++;
            last_word = next / 4;
            filled[next++ % 128 / 32]++;
        } while (++*n < bytes && naive_copied(value, kind, *n) == next &&
                 next / 128 * 128 == t->address);
        while (!old_rule && gpu->l2.atomic_units != 0 &&
               steps * gpu->l2.atomic_units <
                   words[0] + words[1] + words[2] + words[3])
            steps++;
        for (int s = 0; s < 4 && !old_rule; s++) {
            uint32_t begun = words[s] != 0;

            while (units != 0 && begun * units < words[s])
                begun++;
            updates += begun;
        }
        if (updates > 1 && plan->request.is_atomic &&
            gpu->l2.atomic_sector_interval > 0)
            t->updates = (uint8_t)updates;
        else if (plan->request.is_atomic && gpu->l2.atomic_sector_interval > 0)
            t->steps = 1;
        else if (plan->request.is_atomic)
            t->steps = (uint8_t)steps;
        for (int s = 0; s < 4; s++) {
            t->bytes = (uint16_t)(t->bytes + (filled[s] != 0 ? 32 : 0));
            t->sectors |= (uint8_t)((filled[s] != 0) << s);
            t->partial |= (uint8_t)((filled[s] != 0 && filled[s] != 32) << s);
        }
    }
}

/* When a bulk copy of the warp is done. */
static uint64_t copy_done(struct naive *n, uint32_t sm, uint64_t begin,
                          const uint64_t *value, const struct teg_inst *inst,
                          uint64_t latency)
{
    const enum teg_values kind = (enum teg_values)inst->values;
    uint64_t at = 0, end = naive_copied_bytes(value, kind), done = 0;
    int is_store = (inst->flags & INST_STORE) != 0;
    struct sim_plan plan;
    double lines = 0;

    while (at != end) {
        uint64_t turns =
            (uint64_t)(lines *
                       naive_256ths(n->gpu->memory.transaction_interval));

        plan_copy(&plan, n->gpu, inst, value, &at, end);
        done = naive_max(done,
                         naive_memory_issue(n->memory, sm, begin + turns, &plan,
                                            inst->flags | INST_BYPASS_L1));
        lines += plan.count;
    }
    if (!is_store && done != 0)
        done += n->gpu->memory.copy_latency;
    return is_store ? done + latency : naive_max(done, begin + latency);
}

/* What the instruction takes where it is. */
struct cost {
    uint64_t begin, latency;
    uint64_t busy, done; /* its instance; its result */
    uint64_t same_warp;  /* cycles till the warp may issue again */
    uint64_t lines;      /* cycles of the unit of lines */
    uint64_t kept;       /* its block stays until then; 0: until done */
};

/* Values beside the addresses: every lane's, and those of the first lane. */
struct values {
    struct teg_access all[TEG_VALUES_MAX];
    uint64_t first[TEG_VALUES_MAX];
};

static void read_values(struct warp *w, const struct teg_inst *inst,
                        struct values *v)
{
    memset(v->first, 0, sizeof v->first);
    for (uint32_t i = 0; w->cursor.mask != 0 && i < teg_inst_values(inst);
         i++) {
        teg_cursor_value(&w->cursor, &v->all[i]);
        for (uint32_t l = TEG_LANES; l-- != 0;) {
            if (w->cursor.mask >> l & 1)
                v->first[i] = teg_access_lane(&v->all[i], l);
        }
    }
}

static uint64_t latency_of(const struct teg_gpu *gpu,
                           const struct teg_inst *inst,
                           const struct teg_timing *t)
{
    if ((inst->flags & INST_OPERAND) == 0 || gpu->shared.operand_latency == 0)
        return t->latency;
    return inst->op_class == CLASS_MOV ? gpu->timing[CLASS_LDS].latency
                                       : gpu->shared.operand_latency;
}

static void cost_of_shared(const struct naive *n, const struct sim_plan *plan,
                           struct cost *c)
{
    const struct teg_gpu *gpu = n->gpu;
    double hold = gpu->shared.pass_interval;
    double wait = gpu->shared.conflict_latency;
    double extra = plan->request.passes > plan->request.groups
                       ? plan->request.passes - plan->request.groups
                       : 0;

    if (plan->request.is_atomic && gpu->shared.atomic_interval > 0)
        hold = wait = gpu->shared.atomic_interval;
    c->busy =
        naive_max(c->busy, ceil_div(plan->request.passes * naive_256ths(hold)));
    c->done += (uint64_t)(extra * naive_256ths(wait) + 0.5);
    if (extra > 0 && gpu->shared.conflict_holds_warp)
        c->same_warp = naive_max(c->same_warp, c->done - n->now);
}

static void cost_of_constant(const struct naive *n, const struct sim_plan *plan,
                             struct cost *c)
{
    double each = naive_256ths(n->gpu->constant.distinct_interval);

    c->busy = naive_max(c->busy, ceil_div(plan->request.passes * each));
    c->done += (uint64_t)((plan->request.passes - 1) * each + 0.5);
}

/* A copy to shared memory writes there, too: later by what it conflicts. */
static uint64_t shared_side(const struct naive *n, const struct teg_inst *inst,
                            const struct teg_access *to, struct cost *c)
{
    const struct teg_gpu *gpu = n->gpu;
    struct teg_inst store = *inst;
    struct sim_plan side = {0};
    double further;
    uint64_t later;

    store.space = SPACE_SHARED;
    store.flags = INST_STORE;
    naive_plan_make(&side, gpu, &store, to, &n->of->windows);
    further = (double)side.request.passes - side.request.groups;
    c->busy =
        naive_max(c->busy, ceil_div(side.request.passes *
                                    naive_256ths(gpu->shared.pass_interval)));
    if (further <= 0)
        return 0;
    later =
        (uint64_t)(further * naive_256ths(gpu->shared.conflict_latency) + 0.5);
    if (gpu->shared.conflict_holds_warp)
        c->same_warp =
            naive_max(c->same_warp, c->begin + c->latency + later - n->now);
    return later;
}

/* Lines one after the other, bytes of lanes, of the pipe to L1. */
static void cost_of_pipe(const struct naive *n, const struct sim_plan *plan,
                         struct cost *c)
{
    const struct teg_gpu *gpu = n->gpu;
    double turns = plan->count > plan->groups
                       ? (double)(plan->count - plan->groups) + 1
                       : (double)(plan->count != 0);
    double bytes = gpu->memory.lane_bytes_per_cycle;

    c->lines = plan->request.l1_lines;
    if (c->lines == 0)
        c->lines =
            ceil_div(turns * naive_256ths(gpu->memory.transaction_interval));
    if (gpu->tag_unit == TEG_NO_UNIT)
        c->busy = naive_max(c->busy, c->lines);
    if (bytes > 0)
        c->busy =
            naive_max(c->busy, ceil_div(plan->request.useful_bytes *
                                        floor(65536 / bytes + 0.5) / 65536));
}

static void cost_of_atomic(const struct naive *n, const struct sim_plan *plan,
                           struct cost *c)
{
    const struct teg_gpu *gpu = n->gpu;
    double each = plan->request.is_float && gpu->l2.atomic_float_interval > 0
                      ? gpu->l2.atomic_float_interval
                      : gpu->l2.atomic_interval;
    double update = 0;

    if (plan->request.is_float && plan->request.atomic_conflicts != 0 &&
        gpu->l2.atomic_float_word_interval > 0)
        each = gpu->l2.atomic_float_word_interval;
    if (gpu->l2.atomic_sector_interval > 0) {
        update = gpu->l2.atomic_sector_interval;
        if (plan->request.is_float && gpu->l2.atomic_float_interval > update)
            update = gpu->l2.atomic_float_interval;
    }
    if (plan->request.most_updates + plan->request.most_steps <= 1 ||
        gpu->l2.bytes == 0 || gpu->l1.always_hits)
        return;
    c->done =
        naive_max(c->done, n->now + 1) +
        ceil_div(plan->request.most_updates * naive_256ths(update) +
                 plan->request.most_steps * naive_256ths(each) -
                 naive_256ths(plan->request.most_updates != 0 ? update : each));
}

static void cost_of_memory(struct naive *n, uint32_t sm_number,
                           const struct teg_inst *inst, struct sim_plan *plan,
                           const struct values *v, struct cost *c)
{
    const struct teg_gpu *gpu = n->gpu;
    uint64_t memory;

    plan->request.is_copy = inst->op_class == CLASS_LDGSTS;
    memory =
        naive_memory_issue(n->memory, sm_number, c->begin, plan, inst->flags);
    cost_of_pipe(n, plan, c);
    if (inst->values == VALUES_SHARED)
        memory += shared_side(n, inst, &v->all[0], c);
    if (plan->request.l1_passes > 1) {
        double each = naive_256ths(gpu->l1.bank_interval);
        double held = plan->request.l1_passes * each;
        double lane = naive_256ths(gpu->l1.lane_interval);
        double words = plan->request.useful_bytes / 4;

        if (words < plan->request.active)
            words = plan->request.active;
        if (lane > 0 && words * lane < held)
            held = words * lane;
        c->busy = naive_max(c->busy, ceil_div(held));
        if (held > each)
            memory = naive_max(memory, c->begin + gpu->l1.latency +
                                           ceil_div(held - each));
    }
    cost_of_atomic(n, plan, c);
    if (gpu->memory.transactions_hold_warp)
        c->same_warp = naive_max(c->same_warp, c->begin + c->busy - n->now);
    if (plan->request.is_store && !plan->request.is_atomic) {
        c->done = memory + c->latency;
        c->kept =
            naive_max(plan->request.kept_until + c->latency, c->begin + 1);
    } else {
        c->done = naive_max(memory, c->done);
    }
}

/* An asynchronous store: what stays in the block as a store there. */
static void cost_of_send(struct naive *n, uint32_t sm_number, struct warp *w,
                         const struct values *v, struct cost *c)
{
    naive_send_plan(n, w, v->first[1], &v->all[0]);
    cost_of_shared(n, &w->plan, c);
    c->done = naive_send_done(n, sm_number, w, c->begin, c->done);
}

/* A load ends what a warp's stores may join. */
static void set_stored(struct warp *w, struct sim_plan *plan)
{
    if (!plan->request.is_store && !plan->request.is_atomic && plan->count != 0)
        w->stored.count = 0;
    plan->request.stored = &w->stored;
}

static struct cost cost_of(struct naive *n, uint32_t sm_number, struct warp *w,
                           const struct values *v, uint32_t scheduler,
                           const struct instance *instance)
{
    const struct teg_inst *inst = naive_head(n, w);
    const struct teg_timing t = naive_timing(n->gpu, inst);
    struct sim_plan *plan =
        teg_inst_has_addresses(inst) ? naive_plan_of(n, sm_number, w) : NULL;
    struct cost c = {
        /* What is before it in the instance's queues goes first. */
        .begin = naive_max(n->now, instance->free_at),
        .latency = latency_of(n->gpu, inst, &t),
        .busy = t.interval,
        .same_warp = t.same_warp,
    };

    c.done = c.begin + c.latency;
    if (plan != NULL && sim_request_goes_out(&plan->request))
        set_stored(w, plan);
    if (plan != NULL && plan->request.space == SPACE_SHARED)
        cost_of_shared(n, plan, &c);
    else if (plan != NULL && plan->request.space == SPACE_CONST)
        cost_of_constant(n, plan, &c);
    else if (plan != NULL)
        cost_of_memory(n, sm_number, inst, plan, v, &c);
    else if (teg_values_are_copy(inst->values) && w->cursor.mask != 0 &&
             naive_copied_bytes(v->first, (enum teg_values)inst->values) != 0)
        c.done = copy_done(n, sm_number, c.begin, v->first, inst, c.latency);
    else if (inst->values == VALUES_BULK && w->cursor.mask != 0)
        c.done = naive_copy_across(n, sm_number, w, v->first, c.begin, c.done);
    if (inst->values == VALUES_PRODUCT && w->cursor.mask != 0)
        c.done = naive_product_done(n->gpu, &t, v->first[0], c.begin,
                                    &n->sm[sm_number].cores_free);
    if (teg_values_are_copy(inst->values) && w->cursor.mask != 0)
        naive_copy_lines(n, &n->sm[sm_number], v->first);
    if (naive_factor_parts(n->gpu, inst) != 0) {
        uint64_t tail = c.latency - c.busy;
        uint64_t until = naive_through_stage(
            n, &n->sm[sm_number], naive_stage(n, &n->sm[sm_number], scheduler),
            c.begin, naive_factor_parts(n->gpu, inst));

        c.busy = naive_max(c.busy, until - c.begin);
        c.done = naive_max(c.done, c.begin + c.busy + tail);
        n->sm[sm_number].sums[scheduler] =
            (struct sums){.until = c.begin + c.busy, .cycles = c.busy};
        for (uint8_t i = 0; i < inst->dst_count; i++)
            n->sm[sm_number].sums[scheduler].sums += inst->dst[i].count;
    }
    if (inst->values == VALUES_TEXELS && w->cursor.mask != 0) {
        c.busy =
            naive_texture_plan(&w->plan, n->gpu, inst, w->cursor.mask, v->all);
        set_stored(w, &w->plan);
        c.done = naive_texture_done(n, sm_number, &w->plan, inst, c.begin,
                                    c.latency);
        if (inst->flags & INST_STORE)
            c.kept =
                naive_max(w->plan.request.kept_until + c.latency, c.begin + 1);
    }
    c.done += naive_constants_later(n, &n->sm[sm_number], w, c.begin);
    if (inst->values == VALUES_SENT && w->cursor.mask != 0)
        cost_of_send(n, sm_number, w, v, &c);
    c.done = naive_max(c.done, c.begin + 1);
    if (plan != NULL)
        c.done = naive_remote_done(n, sm_number, w, c.begin, c.done, c.latency);
    return c;
}

/* Something comes to the mbarrier of an address that may be another block's;
 * across the network not before its latency is over. */
static void tell(struct naive *n, struct block *b, uint64_t address,
                 int64_t arrivals, int64_t bytes, const struct cost *c,
                 int crosses)
{
    uint64_t rank = address >> 24;
    uint64_t least = c->begin + naive_max(n->gpu->shared.remote_latency, 1);

    if (address == UINT64_MAX)
        return;
    if (rank != 0 && !n->of->in_clusters)
        return;
    if (rank != 0)
        b = naive_block_behind(n, b, (uint32_t)rank);
    if (b != NULL)
        do_deed(b,
                (struct deed){address & 0xffffff,
                              crosses || rank != 0 ? naive_max(c->done, least)
                                                   : c->done,
                              0, arrivals, bytes});
}

/* What the instruction does to mbarriers, and when. */
static void do_deeds(struct naive *n, const struct warp *w, struct block *b,
                     const struct values *v, const struct cost *c)
{
    const struct teg_inst *inst = naive_head(n, w);
    const uint64_t *value = v->first;
    uint32_t mask = w->cursor.mask;
    struct cost followed = *c;
    int copies = teg_values_are_copy(inst->values) && mask != 0 &&
                 value[3] != UINT64_MAX;
    int several = copies && n->of->in_clusters && value[3] >> 32 != 0;

    if (inst->values == VALUES_INIT && mask != 0)
        do_deed(b, (struct deed){value[0], n->now, 1, (int64_t)value[1], 0});
    if (copies && !several)
        tell(n, b, value[3] % (UINT64_C(1) << 32), 0, -(int64_t)value[2], c, 0);
    for (uint64_t r = 0; several && r < 16; r++) {
        if (value[3] >> 32 >> r & 1)
            tell(n, b, (r << 24) + value[3] % (UINT64_C(1) << 32), 0,
                 -(int64_t)value[2] * (value[3] >> 48 >> r & 1 ? 2 : 1), c, 1);
    }
    if (inst->group.does & GROUP_FOLLOWS)
        followed.done = naive_max(c->done, w->joined[inst->group.kind]);
    for (uint32_t l = 0; l < TEG_LANES; l++) {
        if (inst->values == VALUES_ARRIVE && (mask >> l & 1))
            tell(n, b, teg_access_lane(&v->all[0], l),
                 (int64_t)teg_access_lane(&v->all[1], l),
                 (int64_t)teg_access_lane(&v->all[2], l), &followed, 0);
        if (inst->values == VALUES_SENT && (mask >> l & 1))
            tell(n, b, teg_access_lane(&v->all[2], l), 0,
                 -(int64_t)teg_access_lane(&v->all[1], l), c, 1);
    }
}

static void occupy(struct naive *n, struct sm *sm, const struct teg_inst *inst,
                   uint32_t scheduler, struct instance *instance,
                   const struct cost *c)
{
    const struct teg_gpu *gpu = n->gpu;
    uint64_t since;

    if (sm->lines != 0 && instance == naive_stage(n, sm, scheduler)) {
        uint64_t until =
            naive_through_stage(n, sm, instance, c->begin, c->busy * 256);

        naive_give(instance, scheduler, c->begin, until - c->begin, c->done);
    } else {
        naive_give(instance, scheduler, c->begin, c->busy, c->done);
    }
    /* A shared operand is read while the instruction is in its unit. */
    if ((inst->flags & INST_OPERAND) && gpu->operand_unit != TEG_NO_UNIT) {
        uint64_t until = instance->free_at;

        naive_find_instance(n, sm, gpu->operand_unit, scheduler, &since)
            ->free_at = until;
    }
    if (c->lines != 0 && gpu->tag_unit != TEG_NO_UNIT)
        sm->unit[gpu->tag_unit][0].free_at = n->now + c->lines;
}

/* Whom the warp's later instructions wait for. */
static void leave_results(const struct naive *n, struct warp *w,
                          const struct teg_inst *inst, const struct cost *c)
{
    uint32_t fence = naive_fence_cycles(n, inst);

    for (uint8_t i = 0; i < inst->dst_count; i++) {
        for (uint32_t r = 0; r < inst->dst[i].count; r++) {
            w->ready[inst->dst[i].first + r] = c->done;
            w->stall[inst->dst[i].first + r] = naive_stall_of(inst);
        }
    }
    naive_note_result(n, w, inst, c->done);
    if ((teg_inst_has_addresses(inst) || inst->values == VALUES_TEXELS) &&
        (inst->group.does & GROUP_JOINS) == 0) {
        w->accessed = naive_max(w->accessed, c->done);
        if (inst->space == SPACE_SHARED)
            w->shared_accessed = naive_max(w->shared_accessed, c->done);
    }
    w->fence_end = w->cursor.mask != 0 && fence != 0 ? n->now + fence : 0;
    w->stall_until = 0;
    if (naive_by_control(n, inst)) {
        if (!naive_flushes(inst))
            naive_hold(w, inst->control.read_barrier, c->begin + c->busy,
                       naive_stall_of(inst));
        w->stall_until =
            n->now + (inst->control.stall != 0 ? inst->control.stall : 1);
        if (inst->control.yield && inst->control.stall == 0)
            w->stall_until =
                naive_max(w->stall_until, n->now + n->gpu->sm.pause_interval);
        if (inst->control.yield && inst->control.stall == 1)
            w->stall_until =
                naive_max(w->stall_until, n->now + n->gpu->sm.yield_interval);
    }
}

static void park(struct naive *n, struct sm *sm, struct warp *w,
                 const struct teg_inst *inst, uint32_t mask,
                 const uint64_t *value)
{
    if ((inst->flags & INST_CLUSTER) && mask != 0) {
        naive_come_to_cluster(n, sm, w, inst->flags, mask);
    } else if ((inst->flags & INST_BARRIER) && mask != 0) {
        w->parked = 1;
        w->named = (uint32_t)value[0];
        naive_count_arrival(n, sm);
    } else if (inst->values == VALUES_TEST && mask != 0 && value[1] != 2) {
        w->asks = 1;
        w->asked_mbarrier = value[0];
        w->asked_parity = value[1];
        w->answer_takes = n->gpu->timing[inst->op_class].latency;
        w->phase_asked_at = n->now;
        w->answer_at = UINT64_MAX;
    } else if ((inst->group.does & GROUP_MEETS) && mask != 0) {
        w->waits_for_group = 1;
    } else if (inst->values == VALUES_AWAITED && mask != 0) {
        w->awaited = value[0];
    }
}

/* When the lane that sleeps longest wakes up; 0: none sleeps. */
static uint64_t wakes(const struct naive *n, const struct warp *w,
                      const struct teg_inst *inst, const struct values *v)
{
    uint64_t ns = inst->sleep_ns;

    for (uint32_t l = 0; l < TEG_LANES && inst->values == VALUES_SLEEP; l++) {
        if (w->cursor.mask >> l & 1)
            ns = naive_max(ns, teg_access_lane(&v->all[0], l));
    }
    if (ns > 1000000)
        ns = 1000000;
    if (ns == 0 || w->cursor.mask == 0)
        return 0;
    return n->now +
           (uint64_t)ceil((double)ns * n->gpu->chip.sm_clock_mhz / 1e3);
}

/* The warp goes to its next instruction. */
static void go_on(struct naive *n, struct sm *sm, struct warp *w,
                  const struct teg_inst *inst, const uint64_t *value)
{
    struct block *b = &sm->block[w->block];
    uint32_t mask = w->cursor.mask;

    w->waits_for_grid = 0;
    if ((inst->flags & INST_GRID) && mask != 0) {
        if (inst->op_class == CLASS_MEMBAR)
            w->waits_for_grid = 1;
        else
            naive_let(n, b);
    }
    if ((inst->flags & INST_EXIT) && mask != 0)
        w->exited = 1;
    if (!teg_cursor_next(&w->cursor)) {
        naive_pay_product(n, sm, w);
        w->finished = 1;
        if (!w->exited)
            b->missing++;
        if (naive_awaits(w->of->program))
            naive_tell(n, w, teg_block_position(b->block)[0], 0, n->now,
                       n->now);
        b->done = naive_max(b->done, n->now + 1);
    } else {
        park(n, sm, w, inst, mask, value);
    }
    if (inst->values == VALUES_BARRIER && mask != 0) {
        if (inst->flags & INST_ARRIVE)
            naive_count_arrival(n, sm);
        b->named[value[0]].threads += (uint32_t)__builtin_popcount(mask);
        b->named[value[0]].wanted = (uint32_t)value[1];
        naive_release_named(n, sm, w->block, (uint32_t)value[0]);
    }
    if (inst->op_class == CLASS_CONVERGE)
        w->branch = n->gpu->sm.converge_interval;
    if (teg_op_class_is_branch(inst->op_class) && !w->finished &&
        naive_head(n, w) != inst + 1)
        w->branch = naive_max(w->branch, n->gpu->sm.taken_interval);
}

static void begin_fetch(struct sm *sm, struct warp *w,
                        const struct teg_inst *inst, uint32_t scheduler,
                        uint32_t line_bytes)
{
    if (sm->fetch == NULL || w->fetched)
        return;
    w->fetched = 1;
    w->line = inst->pc / line_bytes;
    naive_fetch_at(sm->fetch, scheduler, &w->of->code, inst->pc, w->from);
}

static void fetch_next(struct naive *n, struct sm *sm, struct warp *w,
                       uint32_t scheduler)
{
    uint64_t pc, line_bytes = n->gpu->fetch.line_bytes;

    w->instruction_at = 0;
    if (sm->fetch == NULL || w->finished)
        return;
    pc = naive_head(n, w)->pc;
    if (pc / line_bytes == w->line)
        return;
    w->line = pc / line_bytes;
    w->instruction_at =
        naive_fetch_at(sm->fetch, scheduler, &w->of->code, pc, n->now);
}

void naive_issue(struct naive *n, struct sm *sm, uint32_t sm_number,
                 struct warp *w, uint32_t scheduler, struct instance *instance)
{
    const struct teg_inst *inst = naive_head(n, w);
    struct naive_warp *out = &n->result->warp[w->number];
    struct block *b = &sm->block[w->block];
    struct values v;
    struct cost c;

    n->of = w->of;
    naive_memory_turn_to(n->memory, w->of->number);
    if (teg_inst_has_addresses(inst)) /* which lie before the values */
        naive_plan_of(n, sm_number, w);
    read_values(w, inst, &v);
    c = cost_of(n, sm_number, w, &v, scheduler, instance);
    do_deeds(n, w, b, &v, &c);
    if (naive_awaits(w->of->program) &&
        (inst->flags & (INST_STORE | INST_ATOMIC)) &&
        (inst->flags & INST_BYPASS_L1) &&
        (inst->space == SPACE_GLOBAL || inst->space == SPACE_GENERIC)) {
        w->tells++;
        if (w->cursor.mask != 0)
            naive_tell(n, w, teg_block_position(b->block)[0], w->tells, c.done,
                       c.begin);
    }
    occupy(n, sm, inst, scheduler, instance, &c);
    leave_results(n, w, inst, &c);
    if (n->gpu->sm.register_stall && naive_by_control(n, inst))
        w->stall_until +=
            naive_slots_late(n, sm, scheduler) * n->gpu->sm.issue_period;
    out->issue[out->issues++] =
        (struct naive_issue){n->now, w->cursor.inst, sm_number};
    b->done = naive_max(b->done, c.kept != 0 ? c.kept : c.done);
    n->cycles = naive_max(n->cycles, c.done);

    begin_fetch(sm, w, inst, scheduler, n->gpu->fetch.line_bytes);
    w->issued_now = 1;
    w->last_issue = n->now;
    w->same_warp = naive_by_control(n, inst) ? 0 : c.same_warp;
    w->branch = 0;
    w->start = w->barrier_end = w->met_at = 0;
    w->planned = w->asked_operand = 0;
    w->operand_at = 0;
    w->sleep_end = wakes(n, w, inst, &v);
    if (inst->op_class == CLASS_GMMA)
        naive_note_product(n, sm, w);
    go_on(n, sm, w, inst, v.first);
    fetch_next(n, sm, w, scheduler);
    naive_release_group(n, sm, w);
    naive_release_barrier(n, sm, w->block);
    naive_release_cluster(n, b->cluster);
}
