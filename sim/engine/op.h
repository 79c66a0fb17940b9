/*
 * Static instructions as the engine needs them: timing looked up, and what they
 * wait for and leave behind as counters of a warp (counter.h), which are
 * numbered densely over the registers and dependence barriers that occur in
 * the program.
 */
#ifndef TEG_SIM_ENGINE_OP_H
#define TEG_SIM_ENGINE_OP_H

#include "sim/engine/operands.h"
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

/* How an instruction comes to a constant whose place it names itself. */
enum sim_constant_use {
    SIM_CONSTANT_NONE, /* it names none, or they are always there */
    SIM_CONSTANT_OPERAND,
    SIM_CONSTANT_LOAD,
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
                         so that the wait can be named; of a history its
                         first */
    uint8_t kind;     /* enum sim_wait_kind */
    uint8_t down_to;  /* other than 0 of a history only */
};

/* A counter, or history, that an instruction holds until its result is there.
 */
struct sim_hold {
    uint16_t counter;
    uint8_t stall; /* enum teg_stall that waiting for it is */
    uint8_t is_history;
};

enum {
    /* A dependence barrier, its history, that of a group, and what joins
     * groups; or what a fence waits for. */
    SIM_HOLDS_MAX = 4,
};

struct sim_op {
    uint32_t latency, interval, same_warp;
    uint32_t fence_latency; /* the warp waits so long behind a fence */
    uint32_t sleep;         /* it sleeps so long behind it */
    uint32_t factors; /* 1/SIM_FRACTION cycle: of the data stage, for what a
                         product reads of shared memory */
    uint8_t op_class;
    uint8_t ports;    /* index into sim_port_kinds.at */
    uint8_t result;   /* enum teg_stall that waiting for its result is */
    uint8_t throttle; /* enum teg_stall when refused by its unit */
    uint8_t has_addresses;
    uint8_t values;       /* enum teg_values */
    uint8_t by_control;   /* the compiler says what it waits for, and how long
                           the warp then does: same_warp is its stall count */
    uint8_t constant_use; /* enum sim_constant_use */
    uint16_t flags;       /* enum teg_inst_flag */
    uint16_t wait_count;  /* what it waits for */
    uint16_t dst_count;   /* registers written */
    uint8_t hold_count;   /* held until the result is there */
    uint8_t read_count; /* dependence barriers set until the operands have been
                            read */
    uint8_t commits;    /* a group: what it holds is held until that is done */
    uint8_t follows;    /* its mbarrier hears when what has joined is done */
    uint8_t meets;      /* the warps of its group: warpgroup.h */
    uint8_t multiplies; /* with them */
    uint8_t tells;      /* may be what another block's load awaits: board.h */
    uint16_t joined;    /* of either: of which this counter is held */
    /* Of each bank of registers: after another instruction, and right after
     * the one before it in the program. */
    uint8_t reads[SIM_BANKS_MAX], reads_after[SIM_BANKS_MAX];
    uint8_t has_reads; /* of any bank, at least after another instruction */
    uint8_t is_plain;  /* writes registers after its latency, and that is all:
                          see sim_issue */
    uint64_t constant; /* bank << 32 | byte */
    uint32_t waits;    /* first of them in sim_ops.wait */
    uint32_t holds;    /* likewise, in sim_ops.hold */
    uint32_t counters; /* likewise, in sim_ops.counter: of the registers it
                          writes, of the barrier it sets until it has read */
};

/* The kinds of ports that instructions of any program on the chip need: what
 * schedulers sort warps by. */
struct sim_port_kinds {
    struct sim_ports at[SIM_PORTS_MAX]; /* [count] */
    uint32_t count;
};

/* Grows with the program. */
struct sim_ops {
    const struct teg_gpu *gpu;         /* borrowed */
    const struct teg_program *program; /* borrowed */
    struct sim_port_kinds *ports;      /* borrowed; of the chip */
    struct sim_op *op;                 /* owned, [count] */
    uint32_t count, capacity;
    uint64_t last_pc;      /* the highest of them */
    struct sim_wait *wait; /* owned, [waits] */
    uint32_t waits, wait_capacity;
    struct sim_hold *hold; /* owned, [holds] */
    uint32_t holds, hold_capacity;
    uint16_t *counter; /* owned, [counters] */
    uint32_t counters, counter_capacity;
    /* Counter of each register, the first of each barrier, + 1; 0 = not seen
     * yet. */
    uint16_t of_register[TEG_REG_COUNT], of_barrier[SIM_BARRIERS];
    /* Likewise of what has joined a group that is not committed yet and of all
     * before it; and of histories. */
    uint16_t of_joined[TEG_GROUP_KINDS];
    uint16_t of_history[TEG_GROUP_KINDS][TEG_GROUP_NUMBERS + 1];
    /* Likewise, of all accesses to memory and of those to shared memory; 0 as
     * long as no fence waits for them. */
    uint16_t of_accesses, of_shared;
    uint16_t counters_per_warp; /* seen */
    int has_atomics;            /* of global memory, perhaps */
    int awaits;                 /* blocks tell each other: board.h */
    int groups;                 /* its warps meet or multiply: warpgroup.h */
    /* Fewest cycles until what a store to memory leaves in a register or
     * barrier is there; UINT32_MAX: no store does. */
    uint32_t store_latency_min;
};

void sim_ops_init(struct sim_ops *ops, const struct teg_gpu *gpu,
                  const struct teg_program *program,
                  struct sim_port_kinds *ports);
void sim_ops_release(struct sim_ops *ops);
/* Takes in what the program has grown by. */
teg_status sim_ops_update(struct sim_ops *ops, struct teg_diag *d);

#endif
