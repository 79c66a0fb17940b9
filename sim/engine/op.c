#include "sim/engine/op.h"

#include "sim/engine/operands.h"

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
    free(ops->pool);
    *ops = (struct sim_ops){0};
}

static int reserve_pool(struct sim_ops *ops, uint32_t more)
{
    uint32_t capacity = ops->pool_capacity * 2 + 256;
    uint16_t *pool;

    if (ops->pool_capacity - ops->pool_size >= more)
        return 1;
    if (capacity < ops->pool_size + more)
        capacity = ops->pool_size + more;
    pool = realloc(ops->pool, capacity * sizeof *pool);
    if (pool == NULL)
        return 0;
    ops->pool = pool;
    ops->pool_capacity = capacity;
    return 1;
}

static void add_register(struct sim_ops *ops, uint32_t number)
{
    uint16_t *dense = &ops->dense[number];

    if (*dense == 0)
        *dense = ++ops->registers;
    ops->pool[ops->pool_size++] = (uint16_t)(*dense - 1);
}

static uint16_t add_registers(struct sim_ops *ops, const struct teg_regs *regs,
                              uint8_t count)
{
    uint32_t before = ops->pool_size;

    for (uint8_t i = 0; i < count; i++) {
        for (uint16_t r = 0; r < regs[i].count; r++)
            add_register(ops, (uint32_t)regs[i].first + r);
    }
    return (uint16_t)(ops->pool_size - before);
}

/* Adds the register of a dependence barrier; 7 means none. */
static uint8_t add_barrier(struct sim_ops *ops, uint8_t barrier, uint8_t kind)
{
    if (barrier >= SIM_BARRIERS)
        return 0;
    add_register(ops, TEG_REG_COUNT + barrier * SIM_RESULT_KINDS + kind);
    return 1;
}

static uint16_t add_waits(struct sim_ops *ops, uint8_t wait_mask)
{
    uint32_t before = ops->pool_size;

    for (uint8_t b = 0; b < SIM_BARRIERS; b++) {
        for (uint8_t kind = 0; (wait_mask >> b & 1) && kind < SIM_RESULT_KINDS;
             kind++)
            add_barrier(ops, b, kind);
    }
    return (uint16_t)(ops->pool_size - before);
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

/* Finds the kind among those seen, or adds it.  There are at most as many as
 * classes with different units, twice over for shared operands. */
static uint8_t find_ports(struct sim_ops *ops, const struct sim_ports *p)
{
    uint32_t i = 0;

    while (i < ops->ports_count && memcmp(&ops->ports[i], p, sizeof *p) != 0)
        i++;
    if (i == ops->ports_count && i < SIM_PORTS_MAX)
        ops->ports[ops->ports_count++] = *p;
    return (uint8_t)(i < SIM_PORTS_MAX ? i : 0);
}

/* The compiler knows the latencies: an instruction waits for the dependence
 * barriers it names, and the warp for the stall count. */
static void use_control(struct sim_ops *ops, struct sim_op *op,
                        const struct teg_inst *inst)
{
    op->same_warp = inst->control.stall != 0 ? inst->control.stall : 1;
    op->src_count = add_waits(ops, inst->control.wait_mask);
}

/* A move from shared memory is how GT200 loads from it: lds.  Arithmetic
 * takes longer.  (Lai 2013, 3.2.2.4: 38 cycles; 3.2.3.3: 74) */
static void fill_operand(struct sim_op *op, const struct teg_gpu *gpu)
{
    int moves = op->op_class == CLASS_MOV;

    op->result = RESULT_SHORT;
    if (gpu->shared.operand_latency != 0)
        op->latency = moves ? gpu->timing[CLASS_LDS].latency
                            : gpu->shared.operand_latency;
}

static void fill(struct sim_ops *ops, struct sim_op *op,
                 const struct teg_inst *inst)
{
    const struct teg_timing *t = &ops->gpu->timing[inst->op_class];
    int operand = (inst->flags & INST_OPERAND) != 0;
    struct sim_ports ports = {
        .unit_count = t->unit_count,
        .unit = {t->unit[0], t->unit_count > 1 ? t->unit[1] : 0},
        .operand_unit = operand ? ops->gpu->operand_unit : TEG_NO_UNIT,
    };

    *op = (struct sim_op){
        .latency = t->latency,
        .interval = t->interval,
        .same_warp = t->same_warp != 0 ? t->same_warp : 1,
        .op_class = inst->op_class,
        .ports = find_ports(ops, &ports),
        .result = (uint8_t)teg_op_class_facts(inst->op_class)->kind,
        .throttle = (uint8_t)throttle_of(inst),
        .has_addresses = teg_inst_has_addresses(inst) != 0,
        .flags = inst->flags,
        .registers = ops->pool_size,
    };
    if (operand)
        fill_operand(op, ops->gpu);
    op->by_control =
        ops->gpu->sm.dependences == DEPENDENCES_CONTROL && inst->control.known;
    if (op->by_control)
        use_control(ops, op, inst);
    else
        op->src_count = add_registers(ops, inst->src, inst->src_count);
    op->dst_count = add_registers(ops, inst->dst, inst->dst_count);
    if (op->by_control) {
        op->done_count =
            add_barrier(ops, inst->control.write_barrier, op->result);
        op->read_count =
            add_barrier(ops, inst->control.read_barrier, op->result);
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

static uint32_t count_registers(const struct teg_inst *inst)
{
    uint32_t n = SIM_BARRIERS * SIM_RESULT_KINDS + 2;

    for (uint8_t i = 0; i < inst->src_count; i++)
        n += inst->src[i].count;
    for (uint8_t i = 0; i < inst->dst_count; i++)
        n += inst->dst[i].count;
    return n;
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

        if (!reserve_pool(ops, count_registers(inst)))
            return teg_fail_memory(d);
        fill(ops, &ops->op[ops->count], inst);
        note_store(ops, &ops->op[ops->count]);
        fill_operand_cycles(ops, ops->count);
    }
    return TEG_OK;
}
