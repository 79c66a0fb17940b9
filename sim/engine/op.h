/*
 * Static instructions as the engine needs them: timing looked up, registers
 * numbered densely over those that occur in the program.
 */
#ifndef TEG_SIM_ENGINE_OP_H
#define TEG_SIM_ENGINE_OP_H

#include "sim/events.h"

/* The units an instruction needs: many instructions, few kinds. */
struct sim_ports {
    uint8_t unit_count, unit[2]; /* one of these, the first free one */
    uint8_t operand_unit;        /* and this one, or TEG_NO_UNIT */
};

enum {
    SIM_PORTS_MAX = 64,
    /* The compiler's six dependence barriers are registers too, one for each
     * kind of producer so that a wait can be named. */
    SIM_BARRIERS = 6,
    SIM_RESULT_KINDS = 3,
    SIM_REGISTERS = TEG_REG_COUNT + SIM_BARRIERS * SIM_RESULT_KINDS,
};

struct sim_op {
    uint32_t latency, interval, same_warp;
    uint8_t op_class;
    uint8_t ports;    /* index into sim_ops.ports */
    uint8_t result;   /* enum teg_result_kind, for the stall's name */
    uint8_t throttle; /* enum teg_stall when refused by its unit */
    uint8_t has_addresses;
    uint8_t by_control; /* the compiler says what it waits for, and how long
                           the warp then does: same_warp is its stall count */
    uint16_t flags;     /* enum teg_inst_flag */
    uint16_t src_count, dst_count;
    uint8_t done_count; /* dependence barriers set until the result is there */
    uint8_t read_count; /* ... until the operands have been read */
    /* Cycles that reading its operands takes: after another instruction, and
     * right after the one before it in the program. */
    uint8_t operand_cycles, operand_cycles_after;
    uint32_t registers; /* in the pool: sources, destinations, barriers */
};

/* Grows with the program. */
struct sim_ops {
    const struct teg_gpu *gpu;         /* borrowed */
    const struct teg_program *program; /* borrowed */
    struct sim_op *op;                 /* owned, [count] */
    uint32_t count, capacity;
    uint16_t *pool; /* owned: dense register numbers */
    uint32_t pool_size, pool_capacity;
    struct sim_ports ports[SIM_PORTS_MAX];
    uint32_t ports_count;
    uint16_t dense[SIM_REGISTERS]; /* number + 1; 0 = not seen yet */
    uint16_t registers;            /* seen */
    /* Fewest cycles until what a store to memory leaves in a register or
     * barrier is there; UINT32_MAX: no store does. */
    uint32_t store_latency_min;
};

void sim_ops_init(struct sim_ops *ops, const struct teg_gpu *gpu,
                  const struct teg_program *program);
void sim_ops_release(struct sim_ops *ops);
/* Takes in what the program has grown by. */
teg_status sim_ops_update(struct sim_ops *ops, struct teg_diag *d);

#endif
