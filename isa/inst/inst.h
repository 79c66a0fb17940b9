/*
 * Static instructions and the program of a kernel.
 *
 * A static instruction is what does not change from one execution to the
 * next: operation class, registers, memory descriptor, position.  A dynamic
 * one (traces/block/cursor.h) adds the active mask and the lanes' addresses.
 */
#ifndef TEG_ISA_INST_INST_H
#define TEG_ISA_INST_INST_H

#include "isa/base/status.h"
#include "isa/inst/fence.h"
#include "isa/inst/group.h"
#include "isa/inst/op_class.h"
#include "isa/inst/tensor.h"

enum {
    TEG_LANES = 32, /* threads of a warp */
    TEG_INST_DST_MAX = 4,
    TEG_INST_SRC_MAX = 8,
    TEG_PROGRAM_FILES = 4096, /* source files, and chains of calls, of one
                                program */
};

/*
 * One numbering for everything an instruction can depend on.  The zero
 * register (RZ), the true predicate (PT) and their uniform kin are never
 * listed: they carry no dependence.
 */
enum teg_register {
    TEG_REG_R = 0,    /* R0..R254 (GT200: R0..R127) */
    TEG_REG_P = 256,  /* P0..P6 */
    TEG_REG_UR = 264, /* UR0..UR254 */
    TEG_REG_UP = 520, /* UP0..UP6 */
    TEG_REG_A = 528,  /* A1..A4, address registers of GT200 */
    TEG_REG_C = 536,  /* C0..C3, condition codes of GT200 */
    /* Stand-ins where a trace does not list the real register (NVBit records
     * neither predicates nor, often, uniform registers): the last predicate
     * or uniform result of the warp. */
    TEG_REG_ANY_P = 544,
    TEG_REG_ANY_UR = 545,
    TEG_REG_COUNT = 546,
};

/* `count` consecutive registers from `first`. */
struct teg_regs {
    uint16_t first;
    uint16_t count;
};

enum teg_space {
    SPACE_NONE, /* touches no memory that is timed by address */
    SPACE_GLOBAL,
    SPACE_SHARED,
    SPACE_LOCAL,
    SPACE_CONST,
    SPACE_TEXTURE,
    SPACE_GENERIC, /* global, shared or local: the address decides */
};

enum teg_inst_flag {
    INST_LOAD = 1 << 0,      /* reads memory into registers */
    INST_STORE = 1 << 1,     /* writes memory */
    INST_ATOMIC = 1 << 2,    /* reads and writes memory */
    INST_OPERAND = 1 << 3,   /* arithmetic that reads one operand from memory
                               (GT200: g[...]) */
    INST_BARRIER = 1 << 4,   /* waits for the other warps of its block */
    INST_ARRIVE = 1 << 5,    /* arrives at the barrier without waiting */
    INST_EXIT = 1 << 6,      /* ends its active lanes */
    INST_BRANCH = 1 << 7,    /* may change the path */
    INST_BYPASS_L1 = 1 << 8, /* memory access that does not look into L1 */
    INST_UNKNOWN = 1 << 9,   /* mnemonic is in no table: default class */
    INST_SETS_P = 1 << 10,   /* writes predicates */
    INST_READS_P = 1 << 11,  /* reads a predicate whatever its guard */
    INST_CLUSTER = 1 << 12,  /* INST_BARRIER, INST_ARRIVE: of its cluster of
                                blocks, which waits for those that arrived */
    INST_INDEXED = 1 << 13,  /* constant load whose lanes' addresses the trace
                               has: bank << 32 | byte of the bank */
    INST_GRID = 1 << 14,     /* of launches that depend on each other: a fence
                                waits for the one before, anything else lets
                                the next one come */
};

/* What else an execution has in a trace: values.def. */
enum teg_values {
#define VALUES(NAME, count, help) VALUES_##NAME,
#include "isa/inst/values.def"
#undef VALUES
    TEG_VALUES
};

enum {
    TEG_VALUES_MAX = 10, /* records */
    /* Of VALUES_TEXELS: the bit of the format that says that texels are
     * filtered, and how many a lane touches at most. */
    TEG_TEXEL_FILTER_BIT = 8,
    TEG_REDUCED_FLOAT_BIT = 8, /* of the elements of VALUES_REDUCED */
    TEG_TEXELS_MAX = 8,
};

/* The compiler's scheduling hints of Kepler and later. */
struct teg_control {
    uint8_t known; /* 0: the trace has none */
    uint8_t stall; /* cycles before the same warp may issue, 0..15 */
    uint8_t yield;
    uint8_t write_barrier; /* 0..5, 7 = none */
    uint8_t read_barrier;  /* 0..5, 7 = none */
    uint8_t wait_mask;     /* bit i: wait for dependence barrier i */
};

struct teg_inst {
    uint64_t pc;      /* bytes from the kernel's start */
    uint8_t op_class; /* enum teg_op_class */
    uint8_t space;    /* enum teg_space */
    uint16_t width;   /* bytes per lane of a memory access, else 0 */
    uint16_t flags;   /* enum teg_inst_flag */
    uint8_t atomic;   /* enum teg_atomic; set from the text by teg_program_add
                         unless it is known */
    uint8_t dst_count, src_count;
    uint8_t values;  /* enum teg_values */
    uint8_t records; /* of each execution with an active lane: addresses, then
                        values; set by teg_program_add */
    struct teg_regs dst[TEG_INST_DST_MAX];
    struct teg_regs src[TEG_INST_SRC_MAX];
    struct teg_control control;
    /* Set from the text by teg_program_add: */
    struct teg_group group;
    uint8_t fence;     /* enum teg_fence */
    uint32_t sleep_ns; /* for so long its warp sleeps */
    struct teg_tensor tensor;
    uint32_t line;         /* source line, 0 = unknown */
    uint32_t file;         /* offset of its file's name in the program's pool,
                              0 = unknown; set by teg_program_set_file */
    uint32_t call;         /* offset of the calls that it was inlined for, the
                              nearest first ("a.cu:5 < b.cu:9"), 0 = none;
                              set by teg_program_set_call */
    uint32_t text;         /* offset of its text in the program's pool */
    uint64_t nearby;       /* what the thread's other stores write beside
                              (isa/inst/nearby.h) */
    uint32_t record_index; /* of its first record, counted over the program;
                              set by teg_program_add */
};

/*
 * The static instructions of one kernel.  A reader may append while blocks
 * are read; an instruction, once added, keeps its index and never changes.
 */
struct teg_program {
    struct teg_inst *inst; /* owned, [count] */
    uint32_t count, capacity;
    uint32_t record_count; /* of all instructions together */
    char *text; /* owned pool of NUL-terminated strings; offset 0 is "" */
    uint32_t text_size, text_capacity;
    uint32_t *file; /* owned: offsets of the source files' names, ascending */
    uint32_t file_count;
    uint32_t *call; /* owned: offsets of the chains of calls, ascending */
    uint32_t call_count;
};

/* Appends a copy of `inst` of no known file, with `text` ("LDG.E.64 R4, [R2]", or just the
 * mnemonic; no NUL inside) as its text, printable (isa/base/printable.h).
 * `*index` is its place. */
teg_status teg_program_add(struct teg_program *p, const struct teg_inst *inst,
                           const char *text, uint32_t *index,
                           struct teg_diag *d);
/* Gives an instruction that nobody has executed yet another text, and what that
 * says of groups. */
teg_status teg_program_set_text(struct teg_program *p, uint32_t index,
                                const char *text, struct teg_diag *d);
const char *teg_program_text(const struct teg_program *p,
                             const struct teg_inst *inst);
/* The instruction of that index comes from that file; one too many is not
 * kept. */
teg_status teg_program_set_file(struct teg_program *p, uint32_t index,
                                const char *name, struct teg_diag *d);
/* "" if it is not known. */
const char *teg_program_file(const struct teg_program *p,
                             const struct teg_inst *inst);
/* The instruction of that index was inlined for that chain of calls; one too
 * many is not kept. */
teg_status teg_program_set_call(struct teg_program *p, uint32_t index,
                                const char *chain, struct teg_diag *d);
/* "" if it was not inlined, or nobody knows. */
const char *teg_program_call(const struct teg_program *p,
                             const struct teg_inst *inst);
/* The mnemonic with its modifiers in such a text: behind a guard ("@!P0 "), up
 * to the next blank. */
const char *teg_text_mnemonic(const char *text, size_t *length);
/* Whether that is `mnemonic`, with whatever modifiers behind it. */
int teg_text_is(const char *text, const char *mnemonic);
/* Whether an instruction of it has such values. */
int teg_program_has(const struct teg_program *p, enum teg_values values);
/* Deep copy; `*to` must be zeroed or released. */
teg_status teg_program_copy(struct teg_program *to,
                            const struct teg_program *from, struct teg_diag *d);
void teg_program_release(struct teg_program *p);

/* Whether values are those of one thread's copy of ranges of global memory. */
static inline int teg_values_are_copy(uint8_t values)
{
    return values == VALUES_BULK || values == VALUES_TENSOR ||
           values == VALUES_REDUCED;
}

/* Whether other warps of its block or cluster wait for it, or it for them. */
static inline int teg_inst_meets_others(const struct teg_inst *inst)
{
    return (inst->flags & (INST_BARRIER | INST_ARRIVE)) != 0 ||
           (inst->group.does & GROUP_MEETS) != 0;
}

/* True when the class or a shared operand makes `inst` carry addresses. */
static inline int teg_inst_has_addresses(const struct teg_inst *inst)
{
    if (inst->space == SPACE_CONST)
        return (inst->flags & INST_INDEXED) != 0;
    return inst->space != SPACE_NONE && inst->space != SPACE_TEXTURE;
}

/* Whether executions are accesses of the warp's own to memory: by addresses, or
 * to texels that the trace has. */
static inline int teg_inst_is_access(const struct teg_inst *inst)
{
    return teg_inst_has_addresses(inst) || inst->values == VALUES_TEXELS;
}

/* Records of values of each execution. */
static inline uint32_t teg_inst_values(const struct teg_inst *inst)
{
    static const uint8_t count[] = {
#define VALUES(NAME, count, help) count,
#include "isa/inst/values.def"
#undef VALUES
    };

    return count[inst->values];
}

#endif
