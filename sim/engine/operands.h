/*
 * Reading operands from the register file.
 *
 * Models: registers lie in banks, of which each is read once a slot for all
 * lanes.  An instruction's operands queue at their banks, and its scheduler
 * issues nothing until what the banks have left fits sm.register_window less
 * one slot: with a window of one until everything has been read; with more, a
 * bank that is asked twice does no harm if the next instruction spares it.
 * An operand that the compiler marked `.reuse` stands by for the same place of
 * the next instruction, if that is the same warp's.  (Lai 2013, Table 4.1;
 * Huerta 2025, 4)  A warp group's product reads its sums, one register after
 * the other (PTX ISA: wgmma's are registers), and others' reads beside it take
 * as much longer as that leaves them of the banks.
 * Leaves out: what goes through queues (memory, special functions), a warp's
 * products unless sm.register_products, and the factors of a group's; who waits
 * for a write.
 */
#ifndef TEG_SIM_ENGINE_OPERANDS_H
#define TEG_SIM_ENGINE_OPERANDS_H

#include "config/gpu.h"
#include "isa/inst/inst.h"

enum {
    SIM_FRACTION = 256, /* of a cycle, for intervals that are not whole */
    SIM_OPERANDS_MAX = 8,
    SIM_BANKS_MAX = 4
};

/* Registers that stand by, by place among the operands of the text; NONE. */
struct sim_kept {
    uint16_t reg[SIM_OPERANDS_MAX];
};

extern const struct sim_kept sim_kept_none;

/* What `inst`, as its text says, leaves standing by. */
struct sim_kept sim_kept_after(const char *text);

/* Fills how often each bank is read for the operands of `inst`.  `before` is
 * what stands by.  Where registers can stand by nothing is known of an
 * instruction without control codes, which reads none. */
void sim_operand_reads(const struct teg_gpu *gpu, const struct teg_inst *inst,
                       const char *text, const struct sim_kept *before,
                       uint8_t reads[SIM_BANKS_MAX]);

/* 1/SIM_FRACTION slots that a read takes beside a product which reads so many
 * sums in so many cycles, a register of one bank each. */
uint32_t sim_sums_price(enum teg_register_banks rule, uint32_t sums,
                        uint64_t cycles);

#endif
