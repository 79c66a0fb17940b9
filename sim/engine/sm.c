#include "sim/engine/sm.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    FRACTION = 256, /* of a cycle, for intervals that are not whole */
    KIND_BITS = 2,
};

#define NO_LINE UINT64_MAX

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The first issue slot at or after `cycle`. */
static uint64_t slot_from(const struct sim_sm *sm, uint64_t cycle)
{
    uint64_t period = sm->chip->gpu->sm.issue_period;

    if (period == 1 || cycle == SIM_NEVER)
        return cycle;
    return (cycle + period - 1) / period * period;
}

/* ---- making and clearing ------------------------------------------------- */

static uint64_t fraction_of(double cycles)
{
    return (uint64_t)(cycles * FRACTION + 0.5);
}

static uint64_t lane_byte_interval(const struct teg_gpu *gpu)
{
    double rate = gpu->memory.lane_bytes_per_cycle;

    return rate > 0 ? (uint64_t)(65536 / rate + 0.5) : 0;
}

void sim_chip_init(struct sim_chip *chip, const struct teg_gpu *gpu,
                   const struct teg_kernel *kernel)
{
    *chip = (struct sim_chip){
        .gpu = gpu,
        .windows = {kernel->shared_base, kernel->local_base},
        .policy = sim_policy_of(gpu->sm.policy),
        .takes_turns = sim_policy_takes_turns(gpu->sm.policy),
        .pass_interval = fraction_of(gpu->shared.pass_interval),
        .conflict_latency = fraction_of(gpu->shared.conflict_latency),
        .transaction_interval = fraction_of(gpu->memory.transaction_interval),
        .l1_bank_interval = fraction_of(gpu->l1.bank_interval),
        .lane_byte_interval = lane_byte_interval(gpu),
    };
    sim_ops_init(&chip->ops, gpu, &kernel->program);
    for (uint32_t u = 0; u < gpu->unit_count; u++) {
        const struct teg_unit *unit = &gpu->unit[u];
        uint32_t n = unit->count *
                     (unit->scope == UNIT_SCOPE_SM ? 1 : gpu->sm.schedulers);

        chip->unit_first[u] = chip->unit_instances;
        chip->unit_entry[u] = chip->unit_entries;
        chip->unit_instances += n;
        chip->unit_entries += n * unit->capacity;
    }
}

/* Whether memory can refuse a request that has been worked out. */
static int may_refuse(const struct teg_gpu *gpu)
{
    return gpu->memory.in_flight_bytes != 0;
}

teg_status sim_sm_init(struct sim_sm *sm, struct sim_chip *chip,
                       uint32_t number, struct teg_diag *d)
{
    const struct teg_gpu *gpu = chip->gpu;
    uint32_t warps = gpu->sm.warps_max;

    *sm = (struct sim_sm){
        .chip = chip,
        .number = number,
        .wake = SIM_NEVER,
        .next_block_end = SIM_NEVER,
        .free_slots = warps == 64 ? UINT64_MAX : (1ull << warps) - 1,
    };
    for (uint32_t s = 0; s < gpu->sm.schedulers; s++) {
        sm->scheduler[s].next_ready = SIM_NEVER;
        sm->scheduler[s].wake = SIM_NEVER;
        sm->scheduler[s].last = SIM_NO_WARP;
    }
    sm->warp = calloc(warps, sizeof *sm->warp);
    sm->plan = malloc((may_refuse(gpu) ? warps : 1) * sizeof *sm->plan);
    sm->block = calloc(gpu->sm.blocks_max, sizeof *sm->block);
    sm->unit_free = calloc(chip->unit_instances + 1u, sizeof *sm->unit_free);
    sm->unit_done = calloc(chip->unit_entries + 1u, sizeof *sm->unit_done);
    sm->misses = malloc(sizeof *sm->misses);
    sim_pending_clear(&sm->pending);
    if (sm->warp == NULL || sm->plan == NULL || sm->block == NULL ||
        sm->unit_free == NULL || sm->unit_done == NULL || sm->misses == NULL) {
        sim_sm_release(sm);
        return teg_fail_memory(d);
    }
    return sim_fetch_new(gpu, &sm->fetch, d);
}

void sim_sm_release(struct sim_sm *sm)
{
    const struct teg_gpu *gpu = sm->chip != NULL ? sm->chip->gpu : NULL;

    for (uint32_t w = 0; sm->warp != NULL && w < gpu->sm.warps_max; w++)
        free(sm->warp[w].register_ready);
    for (uint32_t b = 0; sm->block != NULL && b < gpu->sm.blocks_max; b++)
        teg_block_free(sm->block[b].block);
    free(sm->warp);
    free(sm->plan);
    free(sm->block);
    free(sm->unit_free);
    free(sm->unit_done);
    free(sm->misses);
    sim_fetch_free(sm->fetch);
    sim_pending_release(&sm->pending);
    *sm = (struct sim_sm){0};
}

/* ---- a warp's next instruction ------------------------------------------- */

static const struct sim_op *next_op(const struct sim_sm *sm,
                                    const struct sim_warp *w)
{
    return &sm->chip->ops.op[w->cursor.inst];
}

/* When the operands of the warp's next instruction are there, by the kind of
 * instruction that makes them. */
static void find_operands(struct sim_sm *sm, struct sim_warp *w)
{
    const struct sim_op *op = next_op(sm, w);
    const uint16_t *src = sm->chip->ops.pool + op->registers;
    uint64_t end[1 << KIND_BITS] = {0};

    for (uint16_t i = 0; i < op->src_count; i++) {
        uint64_t ready = w->register_ready[src[i]];
        uint64_t kind = ready & ((1 << KIND_BITS) - 1);

        end[kind] = max_u64(end[kind], ready >> KIND_BITS);
    }
    for (int k = 0; k < 3; k++)
        w->result_end[k] = slot_from(sm, end[k]);
    w->result_end[RESULT_FIXED] =
        max_u64(w->result_end[RESULT_FIXED], w->stall_end);
}

static uint64_t ready_at(const struct sim_warp *w)
{
    uint64_t own = max_u64(max_u64(w->start_end, w->barrier_end),
                           max_u64(w->same_warp_end, w->fetch_end));

    return max_u64(
        max_u64(own, w->result_end[RESULT_FIXED]),
        max_u64(w->result_end[RESULT_SHORT], w->result_end[RESULT_LONG]));
}

static struct sim_scheduler *scheduler_of(struct sim_sm *sm, uint32_t slot)
{
    return &sm->scheduler[slot % sm->chip->gpu->sm.schedulers];
}

static uint32_t index_of(const struct sim_sm *sm, uint32_t slot)
{
    return slot / sm->chip->gpu->sm.schedulers;
}

/* Lets the scheduler know from when on the warp can be considered. */
static void await(struct sim_sm *sm, uint32_t slot)
{
    struct sim_scheduler *s = scheduler_of(sm, slot);
    uint32_t i = index_of(sm, slot);

    s->ready_at[i] = ready_at(&sm->warp[slot]);
    s->waiting |= 1ull << i;
    s->next_ready = min_u64(s->next_ready, s->ready_at[i]);
    s->wake = min_u64(s->wake, s->ready_at[i]);
}

/* ---- blocks -------------------------------------------------------------- */

int sim_sm_has_room(const struct sim_sm *sm, uint32_t warps,
                    uint32_t blocks_max)
{
    return sm->blocks < blocks_max &&
           (uint32_t)__builtin_popcountll(sm->free_slots) >= warps;
}

static teg_status start_warp(struct sim_sm *sm, uint32_t slot, uint32_t block,
                             uint32_t stream, uint64_t at, struct teg_diag *d)
{
    struct sim_chip *chip = sm->chip;
    struct sim_warp *w = &sm->warp[slot];
    struct sim_resident *b = &sm->block[block];
    uint64_t *registers = w->register_ready;
    uint32_t capacity = w->register_capacity;
    struct sim_scheduler *s = scheduler_of(sm, slot);

    if (chip->ops.registers > capacity) {
        capacity = chip->ops.registers;
        registers = realloc(registers, capacity * sizeof *registers);
        if (registers == NULL)
            return teg_fail_memory(d);
    }
    if (chip->ops.registers != 0)
        memset(registers, 0, chip->ops.registers * sizeof *registers);
    *w = (struct sim_warp){
        .register_ready = registers,
        .register_capacity = capacity,
        .block = block,
        .stream = stream,
        .after = UINT32_MAX,
        .line = NO_LINE,
        .warp_id = teg_block_warp_id(b->block, stream),
        .arrived = at,
        .start_end = slot_from(sm, at + chip->gpu->chip.dispatch_latency),
    };
    s->age[index_of(sm, slot)] = chip->warps_started++;
    teg_cursor_init(&w->cursor, b->block, stream);
    if (!teg_cursor_next(&w->cursor))
        return TEG_OK; /* an empty stream: the warp never existed */
    b->live++;
    s->alive |= 1ull << index_of(sm, slot);
    find_operands(sm, w);
    await(sm, slot);
    return TEG_OK;
}

static void block_may_end(struct sim_sm *sm, struct sim_resident *b,
                          uint64_t now)
{
    if (b->live != 0)
        return;
    b->done = max_u64(b->done, now);
    if (b->open == 0)
        sm->next_block_end = min_u64(sm->next_block_end, b->done);
}

teg_status sim_sm_place(struct sim_sm *sm, struct teg_block *block,
                        uint64_t number, uint64_t at, struct teg_diag *d)
{
    const struct sim_chip *chip = sm->chip;
    uint32_t warps = teg_block_warps(block), place = 0;
    struct sim_resident *b;
    teg_status status = TEG_OK;

    while (sm->block[place].block != NULL)
        place++;
    b = &sm->block[place];
    *b = (struct sim_resident){.block = block, .number = number, .done = at};
    sm->blocks++;
    for (uint32_t stream = 0; stream < warps && status == TEG_OK; stream++) {
        uint32_t slot = (uint32_t)__builtin_ctzll(sm->free_slots);

        sm->free_slots &= sm->free_slots - 1;
        b->slots |= 1ull << slot;
        status = start_warp(sm, slot, place, stream, at, d);
    }
    block_may_end(sm, b, at + 1);
    for (uint32_t i = 0; i < chip->listeners; i++) {
        if (chip->listener[i].on_block_start != NULL)
            chip->listener[i].on_block_start(chip->listener[i].self, at,
                                             sm->number, number, warps);
    }
    for (uint32_t s = 0; s < chip->gpu->sm.schedulers; s++)
        sm->wake = min_u64(sm->wake, sm->scheduler[s].wake);
    return status;
}

uint32_t sim_sm_retire(struct sim_sm *sm, uint64_t now)
{
    const struct sim_chip *chip = sm->chip;
    uint32_t ended = 0;

    if (sm->next_block_end > now)
        return 0;
    sm->next_block_end = SIM_NEVER;
    for (uint32_t i = 0; i < chip->gpu->sm.blocks_max; i++) {
        struct sim_resident *b = &sm->block[i];

        if (b->block == NULL || b->live != 0 || b->open != 0)
            continue;
        if (b->done > now) {
            sm->next_block_end = min_u64(sm->next_block_end, b->done);
            continue;
        }
        for (uint32_t l = 0; l < chip->listeners; l++) {
            if (chip->listener[l].on_block_end != NULL)
                chip->listener[l].on_block_end(chip->listener[l].self, b->done,
                                               sm->number, b->number);
        }
        sm->free_slots |= b->slots;
        teg_block_free(b->block);
        *b = (struct sim_resident){0};
        sm->blocks--;
        ended++;
    }
    return ended;
}

/* ---- barriers ------------------------------------------------------------ */

/* Releases the block's barrier if all who will come have come. */
static void barrier_may_open(struct sim_sm *sm, struct sim_resident *b,
                             uint64_t now)
{
    uint64_t open =
        slot_from(sm, now + max_u64(sm->chip->gpu->sm.barrier_latency, 1));

    if (b->arrived == 0 || b->arrived != b->live + b->missing)
        return;
    b->arrived = 0;
    for (uint64_t rest = b->slots; rest != 0; rest &= rest - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(rest);
        struct sim_warp *w = &sm->warp[slot];

        if (!w->parked)
            continue;
        w->parked = 0;
        w->barrier_end = open;
        await(sm, slot);
    }
}

/* ---- units --------------------------------------------------------------- */

struct unit_choice {
    uint64_t ready; /* cycle it takes the instruction */
    uint32_t instance;
    uint8_t unit;
};

/* When an instance with a capacity has a place: the earliest completion. */
static uint64_t place_ready(const struct sim_sm *sm, uint8_t unit,
                            uint32_t instance, uint32_t *entry)
{
    uint32_t capacity = sm->chip->gpu->unit[unit].capacity;
    uint32_t first = sm->chip->unit_entry[unit] +
                     (instance - sm->chip->unit_first[unit]) * capacity;

    *entry = first;
    for (uint32_t e = first; e < first + capacity; e++) {
        if (sm->unit_done[e] < sm->unit_done[*entry])
            *entry = e;
    }
    return sm->unit_done[*entry];
}

/* The instance of `unit` open to scheduler `s` that is free first. */
static inline struct unit_choice choose_instance(const struct sim_sm *sm,
                                                 uint8_t unit, uint32_t s)
{
    const struct teg_unit *facts = &sm->chip->gpu->unit[unit];
    uint32_t first = sm->chip->unit_first[unit] +
                     (facts->scope == UNIT_SCOPE_SM ? 0 : s * facts->count);
    struct unit_choice best = {SIM_NEVER, first, unit};

    if (facts->count == 1 && facts->capacity == 0)
        return (struct unit_choice){sm->unit_free[first], first, unit};
    for (uint32_t i = first; i < first + facts->count; i++) {
        uint64_t ready = sm->unit_free[i];
        uint32_t entry;

        if (facts->capacity != 0)
            ready = max_u64(ready, place_ready(sm, unit, i, &entry));
        if (ready < best.ready)
            best = (struct unit_choice){ready, i, unit};
    }
    return best;
}

/* The first unit in the class's order that is free by `now`, else the one
 * that is free first.  (Lai 2013, 3.2.2.1: float multiply goes to SP or SFU) */
static struct unit_choice choose_unit(const struct sim_sm *sm,
                                      const struct sim_ports *p, uint32_t s,
                                      uint64_t now)
{
    struct unit_choice best = choose_instance(sm, p->unit[0], s);

    if (p->unit_count > 1 && best.ready > now) {
        struct unit_choice other = choose_instance(sm, p->unit[1], s);

        if (other.ready < best.ready)
            best = other;
    }
    if (p->operand_unit != TEG_NO_UNIT)
        best.ready =
            max_u64(best.ready, choose_instance(sm, p->operand_unit, s).ready);
    return best;
}

struct issue_times {
    uint64_t busy;      /* cycles the unit is taken */
    uint64_t done;      /* cycle the result is usable */
    uint64_t same_warp; /* cycles until the warp may issue again */
    /* Of a request to memory: done is the later of floor and of what memory
     * says, plus extra. */
    uint64_t floor, extra;
};

static void take_unit(struct sim_sm *sm, const struct sim_ports *p,
                      const struct unit_choice *u, uint32_t s, uint64_t now,
                      const struct issue_times *t)
{
    uint32_t entry;

    sm->unit_free[u->instance] = now + t->busy;
    if (sm->chip->gpu->unit[u->unit].capacity != 0) {
        place_ready(sm, u->unit, u->instance, &entry);
        sm->unit_done[entry] = t->done;
    }
    if (p->operand_unit != TEG_NO_UNIT)
        sm->unit_free[choose_instance(sm, p->operand_unit, s).instance] =
            now + t->busy;
}

/* ---- memory -------------------------------------------------------------- */

/* Works out the warp's request once.  Returns NULL if it makes none. */
static struct sim_plan *plan_of(struct sim_sm *sm, uint32_t slot)
{
    struct sim_warp *w = &sm->warp[slot];
    struct sim_plan *plan = &sm->plan[may_refuse(sm->chip->gpu) ? slot : 0];
    struct teg_access access;

    if (w->planned)
        return plan;
    if (!teg_cursor_access(&w->cursor, &access))
        return NULL;
    sim_plan_make(plan, sm->chip->gpu,
                  &sm->chip->ops.program->inst[w->cursor.inst], &access,
                  &sm->chip->windows);
    sim_plan_place(plan, sm->number, w->block);
    w->planned = 1;
    return plan;
}

static uint64_t whole_up(uint64_t fraction)
{
    return (fraction + FRACTION - 1) / FRACTION;
}

/* A shared-memory request needs one pass per conflict group; every further
 * one lengthens the latency and keeps the unit.  (Lai 2013, 3.2.3.3) */
static struct issue_times shared_times(const struct sim_chip *chip,
                                       const struct sim_op *op,
                                       const struct sim_request *r,
                                       uint64_t now)
{
    uint64_t extra = r->passes > r->groups ? r->passes - r->groups : 0;
    uint64_t latency =
        op->latency +
        (extra * chip->conflict_latency + FRACTION / 2) / FRACTION;
    int holds = extra != 0 && chip->gpu->shared.conflict_holds_warp;

    return (struct issue_times){
        .busy =
            max_u64(op->interval, whole_up(r->passes * chip->pass_interval)),
        .done = now + latency,
        .same_warp = max_u64(op->same_warp, holds ? latency : 0),
    };
}

/* Begins the request; `done` is left to finish_times. */
static struct issue_times global_times(struct sim_sm *sm, uint32_t slot,
                                       const struct sim_op *op,
                                       struct sim_plan *plan, uint64_t now)
{
    const struct sim_warp *w = &sm->warp[slot];
    const struct sim_request *r = &plan->request;
    uint64_t turns = r->l1_lines != 0 ? (uint64_t)r->l1_lines * FRACTION
                                      : sim_plan_turns(plan) *
                                            sm->chip->transaction_interval;
    uint64_t moves = r->useful_bytes * sm->chip->lane_byte_interval;
    int holds = sm->chip->gpu->memory.transactions_hold_warp != 0;
    int is_posted = r->is_store && !r->is_atomic;
    struct issue_times t = {
        .busy = max_u64(max_u64(op->interval, (moves + 65535) / 65536),
                        whole_up(turns)),
        .floor = is_posted ? now + 1 : now + max_u64(op->latency, 1),
        .extra = is_posted ? op->latency : 0,
    };

    /* No load is there before its last pass through L1's banks. */
    if (r->l1_passes > 1) {
        uint64_t interval = sm->chip->l1_bank_interval;

        t.busy = max_u64(t.busy, whole_up(r->l1_passes * interval));
        t.floor = max_u64(t.floor, now + sm->chip->gpu->l1.latency +
                                       whole_up((r->l1_passes - 1) * interval));
    }
    t.same_warp = max_u64(op->same_warp, holds ? t.busy : 0);
    sm->misses->of = (struct sim_request_of){sm->block[w->block].number,
                                             w->stream, w->block};
    sim_memory_begin(sm->chip->memory, sm->number, now, plan, op->flags,
                     sm->misses);
    return t;
}

static uint64_t end_of(uint64_t result, uint64_t floor, uint64_t extra)
{
    return max_u64(result + extra, floor);
}

/* Whether the request that was begun has to wait for its turn in the memory
 * that SMs share; else ends it. */
static int finish_times(struct sim_sm *sm, struct issue_times *t,
                        struct sim_plan *plan)
{
    uint64_t result;

    if (sm->chip->runs_ahead && sm->misses->count != 0) {
        t->done = SIM_OPEN + sm->pending.used;
        return 1;
    }
    result = sim_memory_end(sm->chip->memory, sm->misses, &plan->request);
    t->done = end_of(result, t->floor, t->extra);
    return 0;
}

/* Returns whether the end is still open. */
static int find_times(struct sim_sm *sm, uint32_t slot, const struct sim_op *op,
                      struct sim_plan *plan, uint64_t now,
                      struct issue_times *t)
{
    if (plan != NULL && plan->request.space != SPACE_SHARED) {
        *t = global_times(sm, slot, op, plan, now);
        return finish_times(sm, t, plan);
    }
    if (plan != NULL)
        *t = shared_times(sm->chip, op, &plan->request, now);
    else
        *t = (struct issue_times){.busy = op->interval,
                                  .done = now + op->latency,
                                  .same_warp = op->same_warp};
    t->done = max_u64(t->done, now + 1);
    return 0;
}

/* ---- issuing ------------------------------------------------------------- */

static void count_until(uint64_t *at, uint64_t end, uint32_t *cycles)
{
    if (end > *at) {
        *cycles = (uint32_t)(end - *at);
        *at = end;
    }
}

/* Splits the cycles since the warp's last issue by reason, in the order of
 * sim/stalls.def. */
static void account(const struct sim_warp *w, const struct sim_op *op,
                    uint64_t now, uint32_t stall[TEG_STALLS])
{
    uint64_t at = w->arrived;

    memset(stall, 0, TEG_STALLS * sizeof *stall);
    count_until(&at, w->start_end, &stall[STALL_DISPATCH]);
    count_until(&at, w->barrier_end, &stall[STALL_BARRIER]);
    count_until(&at, w->same_warp_end, &stall[STALL_SAME_WARP]);
    count_until(&at, w->fetch_end, &stall[STALL_NO_INSTRUCTION]);
    count_until(&at, w->result_end[RESULT_LONG], &stall[STALL_LONG]);
    count_until(&at, w->result_end[RESULT_SHORT], &stall[STALL_SHORT]);
    count_until(&at, w->result_end[RESULT_FIXED], &stall[STALL_WAIT]);
    stall[op->throttle] = (uint32_t)w->blocked;
    stall[STALL_NOT_SELECTED] = (uint32_t)(now - at - w->blocked);
}

static void tell(const struct sim_sm *sm, const struct sim_issue *e)
{
    for (uint32_t i = 0; i < sm->chip->listeners; i++) {
        if (sm->listener[i].on_issue != NULL)
            sm->listener[i].on_issue(sm->listener[i].self, e);
    }
}

/* Announces the instruction, or, behind an open one, leaves it pending. */
static void announce(struct sim_sm *sm, uint32_t slot, const struct sim_op *op,
                     uint8_t unit, uint64_t now, const struct issue_times *t,
                     const struct sim_plan *plan, int open)
{
    const struct sim_warp *w = &sm->warp[slot];
    struct sim_issue e;
    struct sim_pending *pending;

    e.cycle = now;
    e.done = t->done;
    e.arrived = w->arrived;
    e.sm = sm->number;
    e.scheduler = slot % sm->chip->gpu->sm.schedulers;
    e.slot = slot;
    e.block = sm->block[w->block].number;
    e.stream = w->stream;
    e.warp_id = w->warp_id;
    e.inst = w->cursor.inst;
    e.mask = w->cursor.mask;
    e.op_class = op->op_class;
    e.unit = unit;
    e.busy = (uint32_t)t->busy;
    e.request = plan != NULL ? &plan->request : NULL;
    account(w, op, now, e.stall);
    if (!open && sm->pending.used == 0) {
        tell(sm, &e);
        return;
    }
    pending = sim_pending_add(&sm->pending, &e, open ? sm->misses : NULL);
    if (pending != NULL && open) {
        pending->floor = t->floor;
        pending->extra = t->extra;
    }
}

static int is_open(uint64_t ready)
{
    return ready >> KIND_BITS >= SIM_OPEN;
}

static uint32_t place_of_pending(uint64_t ready)
{
    return (uint32_t)((ready >> KIND_BITS) - SIM_OPEN);
}

/* A barrier counts every instruction that set it: the last one done counts.
 * Behind the entry that stands for it are those that held it before. */
static void hold_barrier(struct sim_sm *sm, struct sim_warp *w,
                         uint16_t barrier, uint64_t value)
{
    uint64_t *held = &w->register_ready[barrier];
    struct sim_pending *pending;

    if (!is_open(value) && !is_open(*held)) {
        *held = max_u64(*held, value);
        return;
    }
    pending = sim_pending_at(&sm->pending,
                             place_of_pending(is_open(value) ? value : *held));
    if (!is_open(value)) {
        pending->held = max_u64(pending->held, value);
        return;
    }
    if (is_open(*held))
        pending->holder = place_of_pending(*held);
    else
        pending->held = *held;
    *held = value;
}

static void write_results(struct sim_sm *sm, struct sim_warp *w,
                          const struct sim_op *op, uint64_t now,
                          const struct issue_times *t)
{
    const uint16_t *dst = sm->chip->ops.pool + op->registers + op->src_count;
    uint64_t done = t->done << KIND_BITS | op->result;

    for (uint16_t i = 0; i < op->dst_count; i++)
        w->register_ready[*dst++] = done;
    if (op->done_count != 0)
        hold_barrier(sm, w, *dst++, done);
    /* The operands have been read when the unit has taken the instruction. */
    if (op->read_count != 0)
        hold_barrier(sm, w, *dst, (now + t->busy) << KIND_BITS | op->result);
}

/* The warp has no instruction left. */
static void finish_warp(struct sim_sm *sm, uint32_t slot, uint64_t now)
{
    struct sim_warp *w = &sm->warp[slot];
    struct sim_resident *b = &sm->block[w->block];

    scheduler_of(sm, slot)->alive &= ~(1ull << index_of(sm, slot));
    b->live--;
    b->missing += !w->exited;
    barrier_may_open(sm, b, now);
    block_may_end(sm, b, now + 1);
}

/* After a taken branch the warp's instructions come from elsewhere, and it
 * waits until they do. */
static void fetch_elsewhere(struct sim_sm *sm, struct sim_warp *w,
                            const struct sim_op *op, uint32_t branch,
                            uint64_t now)
{
    uint64_t from = now + sm->chip->gpu->sm.taken_interval;

    if (op->op_class == CLASS_BRANCH && w->cursor.inst != branch + 1)
        w->same_warp_end = max_u64(w->same_warp_end, slot_from(sm, from));
}

/* The warp's first instruction comes while its block is being set up; one in
 * another line than the last when that line is there. */
static void fetch_next(struct sim_sm *sm, uint32_t slot, uint64_t now)
{
    const struct teg_inst *inst = sm->chip->ops.program->inst;
    struct sim_warp *w = &sm->warp[slot];
    uint32_t s = slot % sm->chip->gpu->sm.schedulers;
    uint64_t line = sim_fetch_line(sm->fetch, inst[w->cursor.inst].pc);

    w->fetch_end = line != w->line
                       ? slot_from(sm, sim_fetch_at(sm->fetch, s, line, now))
                       : 0;
    w->line = line;
}

/* Steps the warp to its next instruction, which may have to wait for the
 * block's barrier. */
static void go_on(struct sim_sm *sm, uint32_t slot, const struct sim_op *op,
                  uint64_t same_warp, uint64_t now)
{
    struct sim_warp *w = &sm->warp[slot];
    struct sim_resident *b = &sm->block[w->block];
    uint32_t mask = w->cursor.mask, inst = w->cursor.inst;

    if (sm->fetch != NULL && w->line == NO_LINE)
        fetch_next(sm, slot, w->arrived);
    w->arrived = now + 1;
    w->start_end = w->barrier_end = 0;
    w->same_warp_end = op->by_control ? 0 : slot_from(sm, now + same_warp);
    w->stall_end = op->by_control ? slot_from(sm, now + op->same_warp) : 0;
    w->blocked = 0;
    w->planned = 0;
    w->exited |= (op->flags & INST_EXIT) != 0 && mask != 0;
    if (!teg_cursor_next(&w->cursor)) {
        finish_warp(sm, slot, now);
        return;
    }
    fetch_elsewhere(sm, w, op, inst, now);
    if (sm->fetch != NULL)
        fetch_next(sm, slot, now);
    find_operands(sm, w);
    if ((op->flags & INST_BARRIER) == 0 || mask == 0) {
        await(sm, slot);
        return;
    }
    w->parked = 1;
    b->arrived++;
    barrier_may_open(sm, b, now);
}

/* The scheduler issues one instruction each issue slot, and none while the
 * operands of the last one are still being read. */
static void read_operands(struct sim_sm *sm, uint32_t slot,
                          const struct sim_op *op, uint64_t now)
{
    struct sim_scheduler *s = scheduler_of(sm, slot);
    struct sim_warp *w = &sm->warp[slot];
    int follows =
        s->last == (int)index_of(sm, slot) && w->after == w->cursor.inst;
    uint32_t cycles = follows ? op->operand_cycles_after : op->operand_cycles;

    s->reads_until = now + (uint64_t)cycles * sm->chip->gpu->sm.issue_period;
    s->last = (int)index_of(sm, slot);
    w->after = w->cursor.inst + 1;
}

static void issue(struct sim_sm *sm, uint32_t slot, uint64_t now)
{
    struct sim_warp *w = &sm->warp[slot];
    const struct sim_op *op = next_op(sm, w);
    uint32_t s = slot % sm->chip->gpu->sm.schedulers;
    struct sim_plan *plan = op->has_addresses ? plan_of(sm, slot) : NULL;
    struct issue_times t;
    int open = find_times(sm, slot, op, plan, now, &t);
    const struct sim_ports *ports = &sm->chip->ops.ports[op->ports];
    struct unit_choice unit = choose_unit(sm, ports, s, now);
    struct sim_resident *b = &sm->block[w->block];

    read_operands(sm, slot, op, now);

    take_unit(sm, ports, &unit, s, now, &t);
    announce(sm, slot, op, unit.unit, now, &t, plan, open);
    if (sm->pending.failed)
        return;
    write_results(sm, w, op, now, &t);
    if (open) {
        b->open++;
    } else {
        b->done = max_u64(b->done, t.done);
        sm->cycles = max_u64(sm->cycles, t.done);
    }
    go_on(sm, slot, op, t.same_warp, now);
}

/* ---- a scheduler's cycle ------------------------------------------------- */

/* Takes note of who is refused from now on, and charges those who no longer
 * are with the cycles they were. */
static void set_refused(struct sim_sm *sm, uint32_t number, uint64_t refused,
                        uint64_t now)
{
    struct sim_scheduler *s = &sm->scheduler[number];
    uint32_t schedulers = sm->chip->gpu->sm.schedulers;

    for (uint64_t rest = s->refused & ~refused; rest != 0; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(rest);

        sm->warp[i * schedulers + number].blocked += now - s->refused_since[i];
    }
    for (uint64_t rest = refused & ~s->refused; rest != 0; rest &= rest - 1)
        s->refused_since[__builtin_ctzll(rest)] = now;
    s->refused = refused;
}

static uint8_t ports_of(const struct sim_sm *sm, uint32_t slot)
{
    return next_op(sm, &sm->warp[slot])->ports;
}

/* Moves the waiting whose time has come to the ready. */
static void collect_ready(struct sim_sm *sm, uint32_t number, uint64_t now)
{
    struct sim_scheduler *s = &sm->scheduler[number];
    uint32_t schedulers = sm->chip->gpu->sm.schedulers;
    uint64_t next = SIM_NEVER, come = 0;

    if (s->next_ready > now)
        return;
    for (uint64_t rest = s->waiting; rest != 0; rest &= rest - 1) {
        uint32_t i = (uint32_t)__builtin_ctzll(rest);

        if (s->ready_at[i] > now) {
            next = min_u64(next, s->ready_at[i]);
            continue;
        }
        come |= 1ull << i;
        s->by_ports[ports_of(sm, i * schedulers + number)] |= 1ull << i;
    }
    s->ready |= come;
    s->waiting &= ~come;
    s->next_ready = next;
}

/* The ready warps whose units take nothing now; `*open` is the first cycle one
 * of them does. */
static uint64_t find_refused(const struct sim_sm *sm, uint32_t number,
                             uint64_t now, uint64_t *open)
{
    const struct sim_scheduler *s = &sm->scheduler[number];
    const struct sim_ops *ops = &sm->chip->ops;
    uint64_t refused = 0;

    for (uint32_t p = 0; p < ops->ports_count; p++) {
        uint64_t ready;

        if (s->by_ports[p] == 0)
            continue;
        ready = choose_unit(sm, &ops->ports[p], number, now).ready;
        if (ready > now) {
            refused |= s->by_ports[p];
            *open = min_u64(*open, ready);
        }
    }
    return refused;
}

/* The cycle at which the memory pipeline takes the warp's next instruction, as
 * far as can be told now. */
static uint64_t memory_ready_at(struct sim_sm *sm, uint32_t slot, uint64_t now)
{
    const struct sim_plan *plan;

    if (!next_op(sm, &sm->warp[slot])->has_addresses ||
        !may_refuse(sm->chip->gpu))
        return now;
    plan = plan_of(sm, slot);
    if (plan == NULL || plan->count == 0)
        return now;
    return sim_memory_ready_at(sm->chip->memory, sm->number, now,
                               plan->request.bytes);
}

/* Issues from at most one warp; sets when to come back.  A warp is refused by
 * its units whether or not it would have been chosen, and by the memory
 * pipeline when it is. */
static void visit(struct sim_sm *sm, uint32_t number, uint64_t now)
{
    struct sim_scheduler *s = &sm->scheduler[number];
    uint32_t schedulers = sm->chip->gpu->sm.schedulers;
    struct sim_choice choice;
    uint64_t refused, open = SIM_NEVER;
    int i, chosen = SIM_NO_WARP;

    collect_ready(sm, number, now);
    refused = find_refused(sm, number, now, &open);
    choice = (struct sim_choice){
        .candidates = s->ready & ~refused,
        .alive = s->alive,
        .turn = now / sm->chip->gpu->sm.issue_period,
        .last = s->last,
        .age = s->age,
    };
    while (choice.candidates != 0 && chosen == SIM_NO_WARP &&
           (i = sm->chip->policy(&choice)) != SIM_NO_WARP) {
        uint64_t at =
            memory_ready_at(sm, (uint32_t)i * schedulers + number, now);

        choice.candidates &= ~(1ull << i);
        if (at <= now) {
            chosen = i;
        } else {
            refused |= 1ull << i;
            open = min_u64(open, at);
        }
    }
    set_refused(sm, number, refused, now);
    s->wake = slot_from(sm, open);
    if (chosen != SIM_NO_WARP) {
        uint32_t slot = (uint32_t)chosen * schedulers + number;

        s->ready &= ~(1ull << chosen);
        s->by_ports[ports_of(sm, slot)] &= ~(1ull << chosen);
        issue(sm, slot, now);
    }
    if (choice.candidates != 0 || (sm->chip->takes_turns && s->ready != 0))
        s->wake = min_u64(s->wake, now + sm->chip->gpu->sm.issue_period);
    s->wake = max_u64(min_u64(s->wake, s->next_ready), s->reads_until);
}

/* Lets every scheduler that has something to do in cycle `now` do it. */
static void step(struct sim_sm *sm, uint64_t now)
{
    uint32_t schedulers = sm->chip->gpu->sm.schedulers;

    sm->wake = SIM_NEVER;
    for (uint32_t s = 0; s < schedulers; s++) {
        struct sim_scheduler *scheduler = &sm->scheduler[s];

        if (scheduler->wake > now)
            continue;
        if (scheduler->reads_until > now)
            scheduler->wake = scheduler->reads_until;
        else
            visit(sm, s, now);
    }
    for (uint32_t s = 0; s < schedulers; s++)
        sm->wake = min_u64(sm->wake, sm->scheduler[s].wake);
}

void sim_sm_run(struct sim_sm *sm, uint64_t until)
{
    while (sm->wake < until && !sm->pending.failed)
        step(sm, sm->wake);
}

/* ---- results that come later ----------------------------------------------- */

/* What is to be had of an open instruction goes where its entry stood for it:
 * not to registers that others have written since. */
static void write_open_results(struct sim_sm *sm, struct sim_pending *p,
                               uint32_t place)
{
    const struct sim_op *op = &sm->chip->ops.op[p->issue.inst];
    const uint16_t *dst = sm->chip->ops.pool + op->registers + op->src_count;
    uint64_t *ready = sm->warp[p->issue.slot].register_ready;
    uint64_t stood = (SIM_OPEN + place) << KIND_BITS | op->result;
    uint64_t done = p->issue.done << KIND_BITS | op->result;

    for (uint16_t i = 0; i < op->dst_count; i++, dst++) {
        if (ready[*dst] == stood)
            ready[*dst] = done;
    }
    if (op->done_count == 0)
        return;
    p->held = max_u64(p->held, done);
    if (p->holder != SIM_NO_PENDING)
        p->held =
            max_u64(p->held, sim_pending_at(&sm->pending, p->holder)->held);
    if (ready[*dst] == stood)
        ready[*dst] = p->held;
}

static void close_pending(struct sim_sm *sm, struct sim_pending *p,
                          uint32_t place)
{
    struct sim_resident *b = &sm->block[sm->warp[p->issue.slot].block];
    uint64_t done = end_of(p->result, p->floor, p->extra);

    p->issue.done = done;
    write_open_results(sm, p, place);
    b->done = max_u64(b->done, done);
    sm->cycles = max_u64(sm->cycles, done);
    if (--b->open == 0 && b->live == 0)
        sm->next_block_end = min_u64(sm->next_block_end, b->done);
}

/* Warps that found an operand open look again. */
static void look_again(struct sim_sm *sm)
{
    uint32_t schedulers = sm->chip->gpu->sm.schedulers;

    for (uint32_t s = 0; s < schedulers; s++) {
        for (uint64_t rest = sm->scheduler[s].alive; rest != 0;
             rest &= rest - 1) {
            uint32_t slot = (uint32_t)__builtin_ctzll(rest) * schedulers + s;
            struct sim_warp *w = &sm->warp[slot];

            if (ready_at(w) < SIM_OPEN)
                continue;
            find_operands(sm, w);
            if (!w->parked)
                await(sm, slot);
        }
        sm->wake = min_u64(sm->wake, sm->scheduler[s].wake);
    }
}

void sim_sm_settle(struct sim_sm *sm)
{
    struct sim_pending_list *o = &sm->pending;

    if (o->used == 0)
        return;
    for (uint32_t place = 0; place < o->used;) {
        struct sim_pending *p = sim_pending_at(o, place);

        if (p->open)
            close_pending(sm, p, place);
        p->issue.request = p->has_request ? &p->request : NULL;
        tell(sm, &p->issue);
        place += p->bytes;
    }
    sim_pending_clear(o);
    look_again(sm);
}

/* ---- when nothing can happen any more ------------------------------------ */

static uint64_t pc_of(const struct sim_sm *sm, const struct sim_warp *w)
{
    return sm->chip->ops.program->inst[w->cursor.inst].pc;
}

teg_status sim_sm_deadlock(const struct sim_sm *sm, struct teg_diag *d)
{
    for (uint32_t i = 0; i < sm->chip->gpu->sm.blocks_max; i++) {
        const struct sim_resident *b = &sm->block[i];
        const struct sim_warp *waits = NULL, *ended = NULL;
        const uint32_t *at;
        char where[96];

        if (b->block == NULL || b->live == 0)
            continue;
        for (uint64_t rest = b->slots; rest != 0; rest &= rest - 1) {
            const struct sim_warp *w = &sm->warp[__builtin_ctzll(rest)];

            if (w->parked && waits == NULL)
                waits = w;
            if (!w->parked && !w->exited && ended == NULL)
                ended = w;
        }
        if (waits == NULL || ended == NULL)
            continue;
        at = teg_block_position(b->block);
        snprintf(where, sizeof where, "block %u,%u,%u", at[0], at[1], at[2]);
        return teg_fail(
            d, TEG_DEADLOCK, where,
            "deadlock: warp %u waits at the barrier before pc 0x%" PRIx64
            ", but warp %u ends at pc 0x%" PRIx64
            " without EXIT and never reaches it",
            teg_block_warp_id(b->block, waits->stream), pc_of(sm, waits),
            teg_block_warp_id(b->block, ended->stream), pc_of(sm, ended));
    }
    return teg_fail(d, TEG_DEADLOCK, "", "SM %u: no warp can go on",
                    sm->number);
}
