/*
 * Static instructions as the engine needs them: timing looked up, and what they
 * wait for and leave behind as counters of a warp (counter.h), which are
 * numbered densely over the registers and dependence barriers that occur in
 * the program.
 */
#ifndef TEG_SIM_ENGINE_OP_H
#define TEG_SIM_ENGINE_OP_H

#include "sim/events.h"

/* The units an instruction needs: many instructions, few kinds. */
struct sim_ports {
    uint8_t unit_count, unit[2]; /* one of these, the first free one */
    uint8_t second;              /* and this one, or TEG_NO_UNIT */
};

enum {
    /* A class's units, alone, with the one of shared operands, with the one
     * of lines. */
    SIM_PORTS_MAX = 3 * TEG_CLASSES,
    SIM_BARRIERS = 6, /* of the compiler's, for dependences */
};

enum sim_wait_kind {
#define WAIT(NAME, name) SIM_WAIT_##NAME,
#include "sim/engine/waits.def"
#undef WAIT
    SIM_WAITS
};

/* One thing an instruction waits for: until not more than `down_to` of what a
 * counter counts are open. */
struct sim_wait {
    uint16_t counter; /* index into sim_warp.counter; of a barrier, the first
                         of one for each stall that is a wait for a result,
                         so that the wait can be named */
    uint8_t kind;     /* enum sim_wait_kind */
    uint8_t down_to;  /* the kinds there are know 0 only */
};

struct sim_op {
    uint32_t latency, interval, same_warp;
    uint8_t op_class;
    uint8_t ports;    /* index into sim_ops.ports */
    uint8_t result;   /* enum teg_stall that waiting for its result is */
    uint8_t throttle; /* enum teg_stall when refused by its unit */
    uint8_t has_addresses;
    uint8_t by_control;  /* the compiler says what it waits for, and how long
                           the warp then does: same_warp is its stall count */
    uint16_t flags;      /* enum teg_inst_flag */
    uint16_t wait_count; /* what it waits for */
    uint16_t dst_count;  /* registers written */
    uint8_t done_count;  /* dependence barriers set until the result is there */
    uint8_t read_count;  /* ... until the operands have been read */
    /* Cycles that reading its operands takes: after another instruction, and
     * right after the one before it in the program. */
    uint8_t operand_cycles, operand_cycles_after;
    uint32_t waits;    /* first of them in sim_ops.wait */
    uint32_t counters; /* likewise, in sim_ops.counter: of the registers it
                          writes, of the barriers it sets */
};

/* Grows with the program. */
struct sim_ops {
    const struct teg_gpu *gpu;         /* borrowed */
    const struct teg_program *program; /* borrowed */
    struct sim_op *op;                 /* owned, [count] */
    uint32_t count, capacity;
    struct sim_wait *wait; /* owned, [waits] */
    uint32_t waits, wait_capacity;
    uint16_t *counter; /* owned, [counters] */
    uint32_t counters, counter_capacity;
    struct sim_ports ports[SIM_PORTS_MAX];
    uint32_t ports_count;
    /* Counter of each register, the first of each barrier, + 1; 0 = not seen
     * yet. */
    uint16_t of_register[TEG_REG_COUNT], of_barrier[SIM_BARRIERS];
    uint16_t counters_per_warp; /* seen */
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
