/*
 * Inside the emulator: a warp's state, a prepared instruction, and how an
 * instruction reads its operands and writes its results.
 *
 * Registers are rows of 32 lanes.  An instruction's function computes all 32
 * lanes of a row, active or not, and writes those of `mask`; so its loops are
 * plain and the compiler turns them into vector code.
 */
#ifndef TEG_TRACES_EMULATE_WARP_H
#define TEG_TRACES_EMULATE_WARP_H

#include "isa/sass.h"
#include "traces/emulate/device.h"
#include "traces/emulate/emulate.h"

enum {
    EMU_LANES = 32,
    EMU_REGISTERS = 256,
    EMU_UNIFORMS = 64,
    EMU_CONVERGENCE = 16,
    EMU_BANKS = 5,
    EMU_NAMED_BARRIERS = 16,
    EMU_AT_WARPSYNC = 255, /* in waits_at */
};

#define EMU_ALL           0xffffffffu
#define EMU_SHARED_WINDOW 0x7e0000000000u
#define EMU_LOCAL_WINDOW  0x7d0000000000u
#define EMU_WINDOW_BYTES  0x1000000u
/* What a kernel's malloc hands out at most, as a GPU does unless told. */
#define EMU_HEAP_BYTES 0x800000u

enum emu_lane_state {
    LANE_RUNS,
    LANE_AT_BSYNC,
    LANE_AT_BARRIER,
    LANE_EXITED,
};

struct emu_warp;
struct emu_op;

/* Executes `op` for the lanes of `mask` (guard applied, maybe none). */
typedef void (*emu_exec)(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask);

/* An instruction, looked up once. */
struct emu_op {
    struct teg_sass sass;
    emu_exec exec;   /* NULL: not emulated */
    uint32_t inst;   /* index in the traced program */
    uint8_t access;  /* carries addresses */
    uint8_t control; /* enum emu_control of emulate.c, 0: none */
    const struct teg_sass_operand *a, *b, *c, *d, *u, *v, *p, *q, *r, *m, *m2,
        *t;
};

struct emu_block;

struct emu_warp {
    struct emu_block *block;
    uint32_t number; /* in the block */
    uint32_t exists; /* lanes that are threads */
    uint64_t pc[EMU_LANES];
    uint8_t state[EMU_LANES];      /* enum emu_lane_state */
    uint8_t waits_at[EMU_LANES];   /* convergence or block barrier */
    uint32_t waits_for[EMU_LANES]; /* lanes, at WARPSYNC */
    uint32_t convergence[EMU_CONVERGENCE];
    uint32_t r[EMU_REGISTERS][EMU_LANES];
    uint32_t p[8]; /* predicates, a bit per lane; p[7] all ones */
    uint32_t ur[EMU_UNIFORMS];
    uint8_t up[8];
    uint32_t barrier_result; /* of BAR.RED */
    uint64_t executed;

    /* The instruction being executed. */
    uint32_t active; /* lanes at its pc */
    uint32_t spins;  /* backward branches since another group last ran */
    uint64_t address[EMU_LANES]; /* of the access it makes, for the trace */
};

/* What runs at once, and the fault that ended it. */
struct emu_block {
    const char *kernel; /* name, for messages */
    struct emu_device *device;
    const struct emu_module *module;
    struct emu_outlet outlet;
    uint64_t heap_used; /* bytes, by malloc */
    uint32_t cc;
    uint32_t grid[3], dim[3], position[3];
    struct teg_cubin_const {
        const uint8_t *data;
        uint64_t size;
    } bank[EMU_BANKS];
    uint8_t *shared; /* [shared_bytes] */
    uint64_t shared_bytes;
    uint8_t *local; /* [threads][local_bytes] */
    uint64_t local_bytes;
    struct emu_warp *warp; /* [warps] */
    uint32_t warps;
    struct {
        uint32_t arrived;  /* threads */
        uint32_t expected; /* given by the instruction, 0: all that live */
        uint32_t votes;    /* threads whose predicate held, of BAR.RED */
        uint8_t how;       /* of BAR.RED: 0 POPC, 1 AND, 2 OR */
    } barrier[EMU_NAMED_BARRIERS];
    teg_status status; /* not TEG_OK after a fault */
    struct teg_diag *d;
};

/* Notes a fault of `lane` (-1: of the warp); the first one stays. */
void emu_fault(struct emu_warp *w, const struct emu_op *op, int lane,
               teg_status status, const char *format, ...) TEG_PRINTF(5, 6);

/* ---- operands -------------------------------------------------------------- */

/* Bits hi..lo of the instruction. */
static inline uint32_t emu_bits(const struct emu_op *op, unsigned hi,
                                unsigned lo)
{
    uint64_t word = op->sass.word[lo / 64] >> (lo % 64);

    return (uint32_t)(word & ((UINT64_C(1) << (hi - lo + 1)) - 1));
}

static inline int emu_bit(const struct emu_op *op, unsigned n)
{
    return (int)(op->sass.word[n / 64] >> (n % 64) & 1);
}

/* The operand's `word`-th 32 bits in every lane, without negation and the
 * like: a register's own row, or `room` filled. */
const uint32_t *emu_row(struct emu_warp *w, const struct emu_op *op,
                        const struct teg_sass_operand *o, unsigned word,
                        uint32_t room[EMU_LANES]);
/* The same with integer negation or inversion applied. */
const uint32_t *emu_int(struct emu_warp *w, const struct emu_op *op,
                        const struct teg_sass_operand *o,
                        uint32_t room[EMU_LANES]);
/* The same with floating-point absolute value and negation applied. */
const float *emu_float(struct emu_warp *w, const struct emu_op *op,
                       const struct teg_sass_operand *o, float room[EMU_LANES]);
void emu_double(struct emu_warp *w, const struct emu_op *op,
                const struct teg_sass_operand *o, double room[EMU_LANES]);
/* 64-bit integers; a 32-bit immediate is extended as `is_signed` says. */
void emu_int64(struct emu_warp *w, const struct emu_op *op,
               const struct teg_sass_operand *o, int is_signed,
               uint64_t room[EMU_LANES]);
/* The lanes in which the predicate holds; all if there is none. */
uint32_t emu_predicate(const struct emu_warp *w,
                       const struct teg_sass_operand *o);
/* The lane value the operand has in uniform instructions. */
uint32_t emu_scalar(struct emu_warp *w, const struct emu_op *op,
                    const struct teg_sass_operand *o);

/* Write `value` to the lanes of `mask`; `word` 1 is the register after.
 * Uniform destinations take the lowest lane of the mask. */
void emu_write(struct emu_warp *w, const struct teg_sass_operand *o,
               unsigned word, uint32_t mask, const uint32_t value[EMU_LANES]);
void emu_write64(struct emu_warp *w, const struct teg_sass_operand *o,
                 uint32_t mask, const uint64_t value[EMU_LANES]);
void emu_write_predicate(struct emu_warp *w, const struct teg_sass_operand *o,
                         uint32_t mask, uint32_t value);

/* Host pointer of `bytes` at a generic address; a fault and NULL if there are
 * none. */
void *emu_generic(struct emu_warp *w, const struct emu_op *op, int lane,
                  uint64_t at, unsigned bytes);

/* The rooms of functions. */
extern const struct emu_row_of {
    const char *name;
    emu_exec exec;
} emu_int_ops[], emu_float_ops[], emu_memory_ops[], emu_warp_ops[];

#endif
