#include "tests/sim/engine/help_naive_state.h"

/* Since when fewer than the queue holds of what scheduler `s` ever gave the
 * instance wait in front of it. */
static uint64_t queue_open_since(const struct instance *i, uint32_t queue,
                                 uint32_t s)
{
    uint32_t later = 0;

    for (uint32_t k = i->issued; k-- > 0;) {
        later += i->by[k] == s;
        if (i->by[k] == s && later == queue)
            return i->begun[k];
    }
    return 0;
}

/* Since when the instance can take something.  It has a place as soon as
 * fewer than `capacity` of all it ever took are still in flight: when the
 * capacity-th latest of them is done. */
static uint64_t instance_open_since(const struct naive *n, uint32_t unit,
                                    const struct instance *i, uint32_t s)
{
    uint32_t capacity = n->gpu->unit[unit].capacity;

    if (n->gpu->unit[unit].queue != 0)
        return queue_open_since(i, n->gpu->unit[unit].queue, s);
    /* Who went in last mostly is among the latest. */
    for (uint32_t k = i->issued; capacity != 0 && k-- > 0;) {
        uint32_t later = 0;

        for (uint32_t j = i->issued; later < capacity && j-- > 0;)
            later +=
                i->done[j] > i->done[k] || (i->done[j] == i->done[k] && j > k);
        if (later == capacity - 1)
            return naive_max(i->free_at, i->done[k]);
    }
    return i->free_at;
}

struct instance *naive_find_instance(struct naive *n, struct sm *sm,
                                     uint32_t unit, uint32_t scheduler,
                                     uint64_t *since)
{
    const struct teg_unit *u = &n->gpu->unit[unit];
    uint32_t first = u->scope == UNIT_SCOPE_SM ? 0 : scheduler * u->count;
    struct instance *best = NULL;

    for (uint32_t i = first; i < first + u->count; i++) {
        uint64_t open =
            instance_open_since(n, unit, &sm->unit[unit][i], scheduler);

        if (best == NULL || open < *since) {
            best = &sm->unit[unit][i];
            *since = open;
        }
    }
    return best;
}

/* Does it need the unit of lines besides its own? */
static int looks_up_lines(const struct naive *n, const struct teg_inst *inst)
{
    return n->gpu->tag_unit != TEG_NO_UNIT && teg_inst_has_addresses(inst) &&
           (inst->flags & INST_OPERAND) == 0 && inst->space != SPACE_SHARED &&
           inst->space != SPACE_CONST;
}

/* The instance that takes the warp's next instruction now, or NULL. */
struct instance *naive_open_instance(struct naive *n, struct sm *sm,
                                     const struct warp *w, uint32_t scheduler)
{
    const struct teg_inst *inst = naive_head(n, w);
    const struct teg_timing *t = &n->gpu->timing[inst->op_class];
    uint64_t since;

    if ((inst->flags & INST_OPERAND) && n->gpu->operand_unit != TEG_NO_UNIT) {
        naive_find_instance(n, sm, n->gpu->operand_unit, scheduler, &since);
        if (since > n->now)
            return NULL;
    }
    if (looks_up_lines(n, inst) &&
        sm->unit[n->gpu->tag_unit][0].free_at > n->now)
        return NULL;
    for (uint8_t i = 0; i < t->unit_count; i++) {
        struct instance *found =
            naive_find_instance(n, sm, t->unit[i], scheduler, &since);

        if (since <= n->now)
            return found;
    }
    return NULL;
}

/* Does the memory pipeline take it now? */
int naive_memory_takes(struct naive *n, uint32_t sm_number, struct warp *w)
{
    const struct sim_plan *plan;

    if (!teg_inst_has_addresses(naive_head(n, w)) ||
        n->gpu->memory.in_flight_bytes == 0)
        return 1;
    plan = naive_plan_of(n, sm_number, w);
    return plan == NULL || plan->count == 0 ||
           naive_memory_ready_at(n->memory, sm_number, n->now,
                                 plan->request.bytes) <= n->now;
}

struct sim_plan *naive_plan_of(struct naive *n, uint32_t sm, struct warp *w)
{
    n->of = w->of;
    if (!w->planned) {
        w->planned = 1;
        w->has_plan = teg_cursor_access(&w->cursor, &w->access);
        w->remote = 0;
        if (w->has_plan && !naive_remote_plan(n, w, &w->access))
            naive_plan_make(&w->plan, n->gpu, naive_head(n, w), &w->access,
                            &n->of->windows);
        if (w->has_plan)
            sim_plan_place(&w->plan, sm, w->block);
    }
    return w->has_plan ? &w->plan : NULL;
}

void naive_give(struct instance *i, uint32_t scheduler, uint64_t begin,
                uint64_t busy, uint64_t done)
{
    i->free_at = begin + busy;
    i->by[i->issued] = scheduler;
    i->begun[i->issued] = begin;
    i->done[i->issued++] = done;
}

/* Is it an instance that all schedulers have in common? */
int naive_is_shared(const struct naive *n, const struct sm *sm,
                    const struct instance *instance)
{
    size_t unit = (size_t)(instance - sm->unit[0]) / INSTANCES_MAX;

    return n->gpu->unit[unit].scope == UNIT_SCOPE_SM;
}
