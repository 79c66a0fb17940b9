#include "sim/engine/op.h"

#include "sim/engine/operands.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

void sim_ops_init(struct sim_ops *ops, const struct teg_gpu *gpu,
                  const struct teg_program *program)
{
    *ops = (struct sim_ops){
        .gpu = gpu, .program = program, .store_latency_min = UINT32_MAX};
}

void sim_ops_release(struct sim_ops *ops)
{
    free(ops->op);
    free(ops->wait);
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

static uint16_t counter_of_register(struct sim_ops *ops, uint32_t reg)
{
    uint16_t *counter = &ops->of_register[reg];

    if (*counter == 0)
        *counter = ++ops->counters_per_warp;
    return (uint16_t)(*counter - 1);
}

/* The first of a barrier's counters. */
static uint16_t counter_of_barrier(struct sim_ops *ops, uint8_t barrier)
{
    uint16_t *counter = &ops->of_barrier[barrier];

    if (*counter == 0) {
        *counter = ops->counters_per_warp + 1;
        ops->counters_per_warp += TEG_STALL_RESULTS;
    }
    return (uint16_t)(*counter - 1);
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

/* 7 means none. */
static uint8_t add_set(struct sim_ops *ops, const struct sim_op *op,
                       uint8_t barrier)
{
    if (barrier >= SIM_BARRIERS)
        return 0;
    ops->counter[ops->counters++] =
        (uint16_t)(counter_of_barrier(ops, barrier) + op->result -
                   TEG_STALL_RESULT_FIRST);
    return 1;
}

/* ---- waits --------------------------------------------------------------- */

static void add_wait(struct sim_ops *ops, struct sim_op *op,
                     enum sim_wait_kind kind, uint16_t counter)
{
    ops->wait[ops->waits++] =
        (struct sim_wait){.counter = counter, .kind = (uint8_t)kind};
    op->wait_count++;
}

/* Hardware that tracks registers looks at those that are read. */
static void add_scoreboard_waits(struct sim_ops *ops, struct sim_op *op,
                                 const struct teg_inst *inst)
{
    for (uint8_t i = 0; i < inst->src_count && !op->by_control; i++) {
        for (uint16_t r = 0; r < inst->src[i].count; r++)
            add_wait(
                ops, op, SIM_WAIT_SCOREBOARD,
                counter_of_register(ops, (uint32_t)inst->src[i].first + r));
    }
}

/* Else the compiler names the barriers. */
static void add_barrier_waits(struct sim_ops *ops, struct sim_op *op,
                              const struct teg_inst *inst)
{
    for (uint8_t b = 0; b < SIM_BARRIERS && op->by_control; b++) {
        if (inst->control.wait_mask >> b & 1)
            add_wait(ops, op, SIM_WAIT_BARRIER, counter_of_barrier(ops, b));
    }
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
    case SPACE_TEXTURE:
        return STALL_LG_THROTTLE;
    case SPACE_SHARED:
        return STALL_MIO_THROTTLE;
    default:
        return teg_op_class_facts(inst->op_class)->kind == RESULT_SHORT
                   ? STALL_MIO_THROTTLE
                   : STALL_MATH_THROTTLE;
    }
}

/* Finds the kind among those seen, or adds it. */
static uint8_t find_ports(struct sim_ops *ops, const struct sim_ports *p)
{
    uint32_t i = 0;

    while (i < ops->ports_count && memcmp(&ops->ports[i], p, sizeof *p) != 0)
        i++;
    if (i == ops->ports_count) {
        assert(i < SIM_PORTS_MAX);
        ops->ports[ops->ports_count++] = *p;
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

/* What an instruction takes besides its own unit. */
static uint8_t second_unit(const struct teg_gpu *gpu,
                           const struct teg_inst *inst)
{
    if ((inst->flags & INST_OPERAND) != 0)
        return gpu->operand_unit;
    return teg_inst_has_addresses(inst) && inst->space != SPACE_SHARED
               ? gpu->tag_unit
               : TEG_NO_UNIT;
}

static void fill(struct sim_ops *ops, struct sim_op *op,
                 const struct teg_inst *inst)
{
    const struct teg_timing *t = &ops->gpu->timing[inst->op_class];
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
        .ports = find_ports(ops, &ports),
        .result = (uint8_t)result_of(inst),
        .throttle = (uint8_t)throttle_of(inst),
        .has_addresses = teg_inst_has_addresses(inst) != 0,
        .flags = inst->flags,
        .by_control = ops->gpu->sm.dependences == DEPENDENCES_CONTROL &&
                      inst->control.known,
        .waits = ops->waits,
        .counters = ops->counters,
    };
    if (operand)
        fill_operand(op, ops->gpu);
    add_waits(ops, op, inst);
    add_written(ops, op, inst);
    if (op->by_control) {
        op->same_warp = inst->control.stall != 0 ? inst->control.stall : 1;
        op->done_count = add_set(ops, op, inst->control.write_barrier);
        op->read_count = add_set(ops, op, inst->control.read_barrier);
    }
}

static void note_store(struct sim_ops *ops, const struct sim_op *op)
{
    if (op->has_addresses && (op->flags & INST_STORE) != 0 &&
        op->dst_count + op->done_count != 0 &&
        op->latency < ops->store_latency_min)
        ops->store_latency_min = op->latency;
}

static void fill_operand_cycles(struct sim_ops *ops, uint32_t index)
{
    const struct teg_program *p = ops->program;
    const struct teg_inst *inst = &p->inst[index], *before = inst - 1;
    const char *text = teg_program_text(p, inst);
    struct sim_kept kept = sim_kept_none;
    struct sim_op *op = &ops->op[index];

    op->operand_cycles =
        sim_operand_cycles(ops->gpu, inst, text, &sim_kept_none);
    if (ops->gpu->sm.register_reuse && index != 0 && before->control.known)
        kept = sim_kept_after(teg_program_text(p, before));
    op->operand_cycles_after = sim_operand_cycles(ops->gpu, inst, text, &kept);
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
    uint32_t waits = SIM_BARRIERS + count_registers(inst->src, inst->src_count);
    uint32_t counters = 2 + count_registers(inst->dst, inst->dst_count);
    struct sim_wait *wait = reserve(ops->wait, ops->waits, waits,
                                    &ops->wait_capacity, sizeof *wait);
    uint16_t *counter;

    if (wait == NULL)
        return teg_fail_memory(d);
    ops->wait = wait;
    counter = reserve(ops->counter, ops->counters, counters,
                      &ops->counter_capacity, sizeof *counter);
    if (counter == NULL)
        return teg_fail_memory(d);
    ops->counter = counter;
    return TEG_OK;
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
    for (; ops->count < p->count; ops->count++) {
        const struct teg_inst *inst = &p->inst[ops->count];

        TRY(reserve_all(ops, inst, d));
        fill(ops, &ops->op[ops->count], inst);
        note_store(ops, &ops->op[ops->count]);
        fill_operand_cycles(ops, ops->count);
    }
    return TEG_OK;
}
