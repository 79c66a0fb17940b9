#include "sim/engine/op.h"

#include "config/tensor.h"
#include "isa/base/minmax.h"
#include "isa/inst/constant.h"
#include "isa/inst/values.h"
#include "sim/engine/counter.h"
#include "sim/engine/operands.h"
#include "sim/engine/sleep.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void sim_ops_init(struct sim_ops *ops, const struct teg_gpu *gpu,
                  const struct teg_program *program,
                  struct sim_port_kinds *ports)
{
    *ops = (struct sim_ops){
        .gpu = gpu,
        .program = program,
        .ports = ports,
        .counters_per_warp = 1, /* of accesses: others come as they are seen */
        .store_latency_min = UINT32_MAX};
}

void sim_ops_release(struct sim_ops *ops)
{
    free(ops->op);
    free(ops->wait);
    free(ops->hold);
    free(ops->counter);
    *ops = (struct sim_ops){0};
}

/* Returns `pool` with room for `more` after `*used`, or NULL. */
static void *reserve(void *pool, uint32_t used, uint32_t more,
                     uint32_t *capacity, size_t size)
{
    uint32_t wanted = *capacity * 2 + 256;

    if (*capacity - used >= more)
        return pool;
    if (wanted < used + more)
        wanted = used + more;
    pool = realloc(pool, wanted * size);
    if (pool != NULL)
        *capacity = wanted;
    return pool;
}

/* ---- counters ------------------------------------------------------------ */

/* The first of `count` counters, whose number + 1 is in `*seen`. */
static uint16_t counter_of(struct sim_ops *ops, uint16_t *seen, uint16_t count)
{
    if (*seen == 0) {
        *seen = ops->counters_per_warp + 1;
        ops->counters_per_warp += count;
    }
    return (uint16_t)(*seen - 1);
}

static uint16_t counter_of_register(struct sim_ops *ops, uint32_t reg)
{
    return counter_of(ops, &ops->of_register[reg], 1);
}

static uint16_t counter_of_barrier(struct sim_ops *ops, uint8_t barrier)
{
    return counter_of(ops, &ops->of_barrier[barrier], TEG_STALL_RESULTS);
}

static uint16_t counter_of_joined(struct sim_ops *ops, uint8_t kind)
{
    return counter_of(ops, &ops->of_joined[kind], 1);
}

static uint16_t counter_of_history(struct sim_ops *ops, uint8_t kind,
                                   uint8_t number)
{
    return counter_of(ops, &ops->of_history[kind][number],
                      SIM_HISTORY_COUNTERS);
}

static int is_by_control(const struct sim_ops *ops, const struct teg_inst *inst)
{
    return ops->gpu->sm.dependences == DEPENDENCES_CONTROL &&
           inst->control.known;
}

static void add_written(struct sim_ops *ops, struct sim_op *op,
                        const struct teg_inst *inst)
{
    for (uint8_t i = 0; i < inst->dst_count; i++) {
        const struct teg_regs *regs = &inst->dst[i];

        for (uint16_t r = 0; r < regs->count; r++)
            ops->counter[ops->counters++] =
                counter_of_register(ops, (uint32_t)regs->first + r);
        op->dst_count += regs->count;
    }
}

/* ---- what is held -------------------------------------------------------- */

static void add_hold(struct sim_ops *ops, struct sim_op *op, uint16_t counter,
                     enum teg_stall stall, int is_history)
{
    ops->hold[ops->holds++] = (struct sim_hold){
        .counter = counter,
        .stall = (uint8_t)stall,
        .is_history = is_history != 0,
    };
    op->hold_count++;
    assert(op->hold_count <= SIM_HOLDS_MAX);
}

/* 7 means none. */
static int is_barrier(uint8_t barrier)
{
    return barrier < SIM_BARRIERS;
}

static uint16_t counter_of_set(struct sim_ops *ops, const struct sim_op *op,
                               uint8_t barrier)
{
    return (uint16_t)(counter_of_barrier(ops, barrier) + op->result -
                      TEG_STALL_RESULT_FIRST);
}

static int commits(const struct teg_inst *inst)
{
    return (inst->group.does & GROUP_COMMITS) != 0;
}

/* The dependence barrier that the instruction counts up until it is done: who
 * commits bulk copies names it as one that reads. */
static uint8_t barrier_set_by(const struct teg_inst *inst)
{
    return inst->group.kind == GROUP_BULK && commits(inst)
               ? inst->control.read_barrier
               : inst->control.write_barrier;
}

/* A DEPBAR waits for groups of copies of both kinds. */
static uint8_t history_kind(const struct teg_inst *inst)
{
    return inst->group.kind == GROUP_BULK ? GROUP_COPIES : inst->group.kind;
}

/* The history that the instruction waits for or counts up.  Copies are counted
 * by the dependence barrier that the one who commits them sets; a trace without
 * control codes does not tell which, and that is all one. */
static uint8_t history_of(const struct teg_inst *inst)
{
    if (inst->group.kind == GROUP_PRODUCTS)
        return inst->group.number;
    if (!inst->control.known)
        return TEG_GROUP_ANY;
    if (commits(inst))
        return is_barrier(barrier_set_by(inst)) ? barrier_set_by(inst)
                                                : TEG_GROUP_ANY;
    return inst->group.number;
}

/* Where control codes say who counts up a dependence barrier, everyone who sets
 * it; else who commits a group. */
static void add_counted(struct sim_ops *ops, struct sim_op *op,
                        const struct teg_inst *inst)
{
    uint8_t kind = history_kind(inst), number = history_of(inst);
    uint8_t set = barrier_set_by(inst);

    if (op->by_control && is_barrier(set)) {
        add_hold(ops, op, counter_of_set(ops, op, set), op->result, 0);
        if (ops->of_history[GROUP_COPIES][set] != 0)
            add_hold(ops, op, counter_of_history(ops, GROUP_COPIES, set),
                     op->result, 1);
    }
    if (commits(inst) && (kind != GROUP_COPIES || !op->by_control))
        add_hold(ops, op, counter_of_history(ops, kind, number), op->result, 1);
}

static void add_held(struct sim_ops *ops, struct sim_op *op,
                     const struct teg_inst *inst)
{
    uint8_t kind = inst->group.kind;

    add_counted(ops, op, inst);
    if ((inst->group.does & (GROUP_JOINS | GROUP_COMMITS | GROUP_FOLLOWS)) != 0)
        op->joined = counter_of_joined(ops, kind);
    if ((inst->group.does & GROUP_JOINS) != 0)
        add_hold(ops, op, op->joined, op->result, 0);
    op->commits = commits(inst) != 0;
    op->follows = (inst->group.does & GROUP_FOLLOWS) != 0;
    op->multiplies = inst->op_class == CLASS_GMMA;
    op->meets = (inst->group.does & GROUP_MEETS) != 0;
}

/* What a fence waits for: not copies, which are no accesses of the warp's own.
 * (PTX ISA: cp.async) */
static void add_access(struct sim_ops *ops, struct sim_op *op,
                       const struct teg_inst *inst)
{
    if (!teg_inst_is_access(inst) || (inst->group.does & GROUP_JOINS) != 0)
        return;
    if (ops->of_accesses != 0)
        add_hold(ops, op, (uint16_t)(ops->of_accesses - 1), STALL_MEMBAR, 0);
    if (ops->of_shared != 0 && inst->space == SPACE_SHARED)
        add_hold(ops, op, (uint16_t)(ops->of_shared - 1), STALL_MEMBAR, 0);
}

/* ---- waits --------------------------------------------------------------- */

static void add_wait(struct sim_ops *ops, struct sim_op *op,
                     enum sim_wait_kind kind, uint16_t counter)
{
    ops->wait[ops->waits++] =
        (struct sim_wait){.counter = counter, .kind = (uint8_t)kind};
    op->wait_count++;
}

static void add_register_waits(struct sim_ops *ops, struct sim_op *op,
                               const struct teg_inst *inst,
                               enum sim_wait_kind kind)
{
    for (uint8_t i = 0; i < inst->src_count && !op->by_control; i++) {
        for (uint16_t r = 0; r < inst->src[i].count; r++)
            add_wait(
                ops, op, kind,
                counter_of_register(ops, (uint32_t)inst->src[i].first + r));
    }
}

/* Hardware that tracks registers looks at those that are read. */
static void add_scoreboard_waits(struct sim_ops *ops, struct sim_op *op,
                                 const struct teg_inst *inst)
{
    if (inst->op_class != CLASS_GMMA)
        add_register_waits(ops, op, inst, SIM_WAIT_SCOREBOARD);
}

/* Products of a warp group go one after the other through its accumulators.
 * Who needs one's result otherwise waits for its group. */
static void add_product_waits(struct sim_ops *ops, struct sim_op *op,
                              const struct teg_inst *inst)
{
    if (inst->op_class == CLASS_GMMA)
        add_register_waits(ops, op, inst, SIM_WAIT_PRODUCT);
}

/* Else the compiler names the barriers. */
static void add_barrier_waits(struct sim_ops *ops, struct sim_op *op,
                              const struct teg_inst *inst)
{
    for (uint8_t b = 0; b < SIM_BARRIERS && op->by_control; b++) {
        if ((inst->control.wait_mask | inst->group.barriers) >> b & 1)
            add_wait(ops, op, SIM_WAIT_BARRIER, counter_of_barrier(ops, b));
    }
}

/* Whoever waits until nothing counts up a dependence barrier need not know in
 * which order it was done. */
static int waits_for_all(const struct teg_inst *inst, int by_control)
{
    return by_control && inst->group.kind == GROUP_COPIES &&
           inst->group.open == 0 && is_barrier(inst->group.number);
}

static void add_group_waits(struct sim_ops *ops, struct sim_op *op,
                            const struct teg_inst *inst)
{
    const struct teg_group *g = &inst->group;

    if ((g->does & GROUP_WAITS) == 0)
        return;
    if (waits_for_all(inst, op->by_control)) {
        add_wait(ops, op, SIM_WAIT_BARRIER, counter_of_barrier(ops, g->number));
        return;
    }
    add_wait(ops, op, SIM_WAIT_GROUP,
             counter_of_history(ops, g->kind, history_of(inst)));
    if (g->open < TEG_GROUP_OPEN_UNSAID)
        ops->wait[ops->waits - 1].down_to = g->open;
}

static uint32_t fence_latency(const struct teg_gpu *gpu, uint8_t fence)
{
    const uint32_t latency[TEG_FENCES] = {
        [FENCE_BLOCK] = gpu->fence.block_latency,
        [FENCE_GPU] = gpu->fence.gpu_latency,
        [FENCE_SYSTEM] = gpu->fence.system_latency,
        [FENCE_ASYNC] = gpu->fence.async_latency,
    };

    return latency[fence];
}

static void add_fence_waits(struct sim_ops *ops, struct sim_op *op,
                            const struct teg_inst *inst)
{
    uint16_t of =
        inst->fence == FENCE_ASYNC ? ops->of_shared : ops->of_accesses;

    op->fence_latency = fence_latency(ops->gpu, inst->fence);
    if (op->fence_latency != 0)
        add_wait(ops, op, SIM_WAIT_FENCE, (uint16_t)(of - 1));
}

static void add_waits(struct sim_ops *ops, struct sim_op *op,
                      const struct teg_inst *inst)
{
#define WAIT(NAME, name) add_##name##_waits(ops, op, inst);
#include "sim/engine/waits.def"
#undef WAIT
}

/* ---- timing -------------------------------------------------------------- */

/* What Nsight Compute calls a wait for its result. */
static enum teg_stall result_of(const struct teg_inst *inst)
{
    static const enum teg_stall stall[] = {
        [RESULT_FIXED] = STALL_WAIT,
        [RESULT_SHORT] = STALL_SHORT,
        [RESULT_LONG] = STALL_LONG,
    };

    /* Who commits copies is done when they are. */
    if (inst->group.kind != GROUP_PRODUCTS && commits(inst))
        return STALL_LONG;
    if (inst->op_class == CLASS_GMMA)
        return STALL_GMMA;
    return (inst->flags & INST_OPERAND) != 0
               ? STALL_SHORT
               : stall[teg_op_class_facts(inst->op_class)->kind];
}

/* What Nsight Compute would call a refusal by the unit. */
static enum teg_stall throttle_of(const struct teg_inst *inst)
{
    switch (inst->space) {
    case SPACE_GLOBAL:
    case SPACE_LOCAL:
    case SPACE_GENERIC:
        return STALL_LG_THROTTLE;
    case SPACE_TEXTURE:
        return STALL_TEX_THROTTLE;
    case SPACE_SHARED:
        return STALL_MIO_THROTTLE;
    default:
        return teg_op_class_facts(inst->op_class)->kind == RESULT_SHORT
                   ? STALL_MIO_THROTTLE
                   : STALL_MATH_THROTTLE;
    }
}

/* Finds the kind among those seen, or adds it. */
static uint8_t find_ports(struct sim_port_kinds *kinds,
                          const struct sim_ports *p)
{
    uint32_t i = 0;

    while (i < kinds->count && memcmp(&kinds->at[i], p, sizeof *p) != 0)
        i++;
    if (i == kinds->count) {
        assert(i < SIM_PORTS_MAX);
        kinds->at[kinds->count++] = *p;
    }
    return (uint8_t)i;
}

/* A move from shared memory is how GT200 loads from it: lds.  Arithmetic
 * takes longer.  (Lai 2013, 3.2.2.4: 38 cycles; 3.2.3.3: 74) */
static void fill_operand(struct sim_op *op, const struct teg_gpu *gpu)
{
    int moves = op->op_class == CLASS_MOV;

    if (gpu->shared.operand_latency != 0)
        op->latency = moves ? gpu->timing[CLASS_LDS].latency
                            : gpu->shared.operand_latency;
}

/* Loads have a cache of their own; whatever else names a constant, uniform
 * loads (ULDC) among it, waits for an operand. */
static void fill_constant(struct sim_op *op, const struct sim_ops *ops,
                          const struct teg_inst *inst)
{
    if (ops->gpu->constant.l1_bytes == 0 || (inst->flags & INST_INDEXED) != 0 ||
        !teg_text_constant(teg_program_text(ops->program, inst), &op->constant))
        return;
    op->constant_use =
        inst->op_class == CLASS_LDC ? SIM_CONSTANT_LOAD : SIM_CONSTANT_OPERAND;
}

/* What an instruction takes besides its own unit; constants are no lines of
 * L1. */
static uint8_t second_unit(const struct teg_gpu *gpu,
                           const struct teg_inst *inst)
{
    if ((inst->flags & INST_OPERAND) != 0)
        return gpu->operand_unit;
    return teg_inst_has_addresses(inst) && inst->space != SPACE_SHARED &&
                   inst->space != SPACE_CONST
               ? gpu->tag_unit
               : TEG_NO_UNIT;
}

/* How long the compiler has the warp wait.  Who yields leaves the next cycle
 * to others, which a longer stall count does anyway; with a count of 0 it is
 * the code of a pause.  (Huerta25, 4) */
static uint32_t stall_of(const struct teg_gpu *gpu, const struct teg_control *c)
{
    uint32_t least = c->stall != 0 ? c->stall : 1, yields = 0;

    if (c->yield && c->stall == 0)
        yields = gpu->sm.pause_interval;
    if (c->yield && c->stall == 1)
        yields = gpu->sm.yield_interval;
    return yields > least ? yields : least;
}

/* Between tensor memory and registers: its class is of one. */
static uint32_t registers_moved(const struct teg_inst *inst)
{
    uint32_t most = 1;

    for (uint8_t i = 0; i < inst->dst_count; i++)
        most = inst->dst[i].count > most ? inst->dst[i].count : most;
    for (uint8_t i = 0; i < inst->src_count; i++)
        most = inst->src[i].count > most ? inst->src[i].count : most;
    return most;
}

/* Whether others, memory and what is held have no part in it, and the warp goes
 * on right behind it. */
static int is_plain(const struct sim_op *op)
{
    const uint16_t parts = INST_OPERAND | INST_BARRIER | INST_CLUSTER |
                           INST_ARRIVE | INST_EXIT | INST_GRID;

    return !op->has_addresses && op->values == VALUES_NONE &&
           (op->flags & parts) == 0 && !teg_op_class_is_branch(op->op_class) &&
           op->constant_use != SIM_CONSTANT_LOAD && op->fence_latency == 0 &&
           op->sleep == 0 && op->hold_count == 0 && op->read_count == 0 &&
           !op->commits && !op->follows && !op->meets &&
           !op->multiplies && !op->tells && op->factors == 0;
}

static void fill(struct sim_ops *ops, struct sim_op *op,
                 const struct teg_inst *inst)
{
    const struct teg_timing timing = tensor_timing(ops->gpu, inst),
                            *t = &timing;
    int operand = (inst->flags & INST_OPERAND) != 0;
    struct sim_ports ports = {
        .unit_count = t->unit_count,
        .unit = {t->unit[0], t->unit_count > 1 ? t->unit[1] : 0},
        .second = second_unit(ops->gpu, inst),
    };

    *op = (struct sim_op){
        .latency = t->latency,
        .interval = t->interval,
        .same_warp = t->same_warp != 0 ? t->same_warp : 1,
        .op_class = inst->op_class,
        .ports = find_ports(ops->ports, &ports),
        .result = (uint8_t)result_of(inst),
        .throttle = (uint8_t)throttle_of(inst),
        .has_addresses = teg_inst_has_addresses(inst) != 0,
        .values = inst->values,
        .flags = inst->flags,
        .tells = teg_values_tells(inst) != 0,
        .sleep = sim_sleep_cycles(ops->gpu, inst->sleep_ns),
        .by_control = is_by_control(ops, inst) != 0,
        .waits = ops->waits,
        .holds = ops->holds,
        .counters = ops->counters,
    };
    if (inst->op_class == CLASS_LDTM)
        op->interval *= registers_moved(inst);
    op->factors =
        (uint32_t)(tensor_factor_cycles(ops->gpu, inst) * SIM_FRACTION + 0.5);
    if (operand)
        fill_operand(op, ops->gpu);
    fill_constant(op, ops, inst);
    if (op->by_control)
        op->same_warp = stall_of(ops->gpu, &inst->control);
    add_waits(ops, op, inst);
    add_held(ops, op, inst);
    add_access(ops, op, inst);
    add_written(ops, op, inst);
    if (op->by_control && is_barrier(inst->control.read_barrier) &&
        !(inst->group.kind == GROUP_BULK && commits(inst))) {
        ops->counter[ops->counters++] =
            counter_of_set(ops, op, inst->control.read_barrier);
        op->read_count = 1;
    }
    op->is_plain = is_plain(op) != 0;
}

static void note_store(struct sim_ops *ops, const struct sim_op *op,
                       const struct teg_inst *inst)
{
    int goes_out = teg_inst_is_access(inst) || teg_values_are_copy(op->values);

    if (goes_out && (op->flags & INST_STORE) != 0 &&
        op->dst_count + op->hold_count != 0 &&
        op->latency < ops->store_latency_min)
        ops->store_latency_min = op->latency;
}

static void fill_operand_reads(struct sim_ops *ops, uint32_t index)
{
    const struct teg_program *p = ops->program;
    const struct teg_inst *inst = &p->inst[index], *before = inst - 1;
    const char *text = teg_program_text(p, inst);
    struct sim_kept kept = sim_kept_none;
    struct sim_op *op = &ops->op[index];

    sim_operand_reads(ops->gpu, inst, text, &sim_kept_none, op->reads);
    for (int b = 0; b < SIM_BANKS_MAX; b++)
        op->has_reads |= op->reads[b] != 0;
    if (ops->gpu->sm.register_reuse && index != 0 && before->control.known)
        kept = sim_kept_after(teg_program_text(p, before));
    sim_operand_reads(ops->gpu, inst, text, &kept, op->reads_after);
}

static uint32_t count_registers(const struct teg_regs *regs, uint8_t count)
{
    uint32_t n = 0;

    for (uint8_t i = 0; i < count; i++)
        n += regs[i].count;
    return n;
}

/* Makes room for all that one more instruction can need. */
static teg_status reserve_all(struct sim_ops *ops, const struct teg_inst *inst,
                              struct teg_diag *d)
{
    uint32_t waits =
        SIM_BARRIERS + 2 + count_registers(inst->src, inst->src_count);
    uint32_t counters = 1 + count_registers(inst->dst, inst->dst_count);
    struct sim_wait *wait = reserve(ops->wait, ops->waits, waits,
                                    &ops->wait_capacity, sizeof *wait);
    struct sim_hold *hold;
    uint16_t *counter;

    if (wait == NULL)
        return teg_fail_memory(d);
    ops->wait = wait;
    hold = reserve(ops->hold, ops->holds, SIM_HOLDS_MAX, &ops->hold_capacity,
                   sizeof *hold);
    if (hold == NULL)
        return teg_fail_memory(d);
    ops->hold = hold;
    counter = reserve(ops->counter, ops->counters, counters,
                      &ops->counter_capacity, sizeof *counter);
    if (counter == NULL)
        return teg_fail_memory(d);
    ops->counter = counter;
    return TEG_OK;
}

/* Who counts up a dependence barrier has to know that somebody waits until some
 * are left, and accesses that a fence waits for them all, wherever in the
 * program that is.  Returns whether instructions seen before are to be looked
 * at again, since a fence has come. */
static int number_waited(struct sim_ops *ops)
{
    uint16_t accesses = ops->of_accesses, shared = ops->of_shared;

    for (uint32_t i = ops->count; i < ops->program->count; i++) {
        const struct teg_inst *inst = &ops->program->inst[i];

        if ((inst->group.does & GROUP_WAITS) != 0 &&
            !waits_for_all(inst, is_by_control(ops, inst)))
            counter_of_history(ops, inst->group.kind, history_of(inst));
        if (fence_latency(ops->gpu, inst->fence) == 0)
            continue;
        if (inst->fence == FENCE_ASYNC)
            counter_of(ops, &ops->of_shared, 1);
        else
            ops->of_accesses = 1;
    }
    return ops->count != 0 &&
           (accesses != ops->of_accesses || shared != ops->of_shared);
}

teg_status sim_ops_update(struct sim_ops *ops, struct teg_diag *d)
{
    const struct teg_program *p = ops->program;

    if (p->count > ops->capacity) {
        uint32_t capacity = p->count + p->count / 2;
        struct sim_op *op = realloc(ops->op, capacity * sizeof *op);

        if (op == NULL)
            return teg_fail_memory(d);
        ops->op = op;
        ops->capacity = capacity;
    }
    if (number_waited(ops))
        ops->count = ops->waits = ops->holds = ops->counters = 0;
    for (; ops->count < p->count; ops->count++) {
        const struct teg_inst *inst = &p->inst[ops->count];

        TRY(reserve_all(ops, inst, d));
        fill(ops, &ops->op[ops->count], inst);
        ops->last_pc = teg_max(ops->last_pc, inst->pc);
        ops->has_atomics |=
            (inst->flags & INST_ATOMIC) != 0 &&
            (inst->space == SPACE_GLOBAL || inst->space == SPACE_GENERIC);
        ops->awaits |= inst->values == VALUES_AWAITED;
        ops->groups |= ops->op[ops->count].meets;
        ops->groups |= ops->op[ops->count].multiplies;
        note_store(ops, &ops->op[ops->count], inst);
        fill_operand_reads(ops, ops->count);
    }
    return TEG_OK;
}
