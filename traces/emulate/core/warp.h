/*
 * Inside the emulator: a warp's state, a prepared instruction, and how an
 * instruction reads its operands and writes its results.
 *
 * Registers are rows of 32 lanes, uniform registers too.  An instruction's
 * function computes all 32 lanes of a row, active or not, and writes those of
 * `mask`; so its loops are plain and the compiler turns them into vector code.
 * Where an operand stands is found once, when the kernel is prepared.
 */
#ifndef TEG_TRACES_EMULATE_CORE_WARP_H
#define TEG_TRACES_EMULATE_CORE_WARP_H

#include "isa/sass/sass.h"
#include "traces/emulate/core/device.h"
#include "traces/emulate/core/emulate.h"
#include "traces/emulate/core/view.h"

enum {
    EMU_LANES = 32,
    EMU_REGISTERS = 256,
    EMU_UNIFORMS = 128,
    EMU_NO_UNIFORM = 120, /* compilers use fewer; from here on none or URZ */
    EMU_ROWS = EMU_REGISTERS + EMU_UNIFORMS,
    EMU_UNIFORM_ROW = EMU_REGISTERS, /* of UR0 */
    EMU_CONVERGENCE = 16,
    EMU_BANKS = 5,
    EMU_NAMED_BARRIERS = 16,
    EMU_NEAR = 16,
    EMU_AT_WARPSYNC = 255, /* in waits_at */
    EMU_AT_EXCLUSIVE = 254,
    EMU_AT_CLUSTER = 253,
    EMU_MAY_LEAVE = 1,    /* in waits_for, at BSYNC */
    EMU_CLUSTER_MAX = 16, /* blocks */
    EMU_WIDEST = 16,      /* bytes that a load of shared memory reads at most */
    EMU_RANK_BIT = 24, /* of a shared address: from here on the block's rank */
};

#define EMU_ALL           0xffffffffu
#define EMU_SHARED_WINDOW 0x7e0000000000u
#define EMU_LOCAL_WINDOW  0x7d0000000000u
#define EMU_PARAM_WINDOW \
    0x7c0000000000u /* of bank 0: what generic pointers to
                                            parameters point to */
#define EMU_WINDOW_BYTES  0x1000000u
#define EMU_CLUSTER_BYTES (EMU_CLUSTER_MAX * EMU_WINDOW_BYTES)
#define EMU_GRID_WINDOW   0x7b0000000000u /* where cooperative grids meet */

/* A lane is in one of these. */
enum emu_lane_state {
    LANE_RUNS,
    LANE_AT_BSYNC,
    LANE_AT_BARRIER,
    LANE_EXITED,
    LANE_STATES
};

/* Whether a warp lets others run before it goes on. */
enum emu_way {
    WAY_KEEP,
    WAY_GIVE, /* it runs long */
    WAY_POLL, /* it waits for what others do */
};

/* Where blocks share what a counter deals out (share.h), a warp and the next
 * piece. */
enum emu_fetch {
    FETCH_NONE,   /* not there yet */
    FETCH_STANDS, /* in front of the instruction that takes it */
    FETCH_MAY,    /* and is the next to */
};

struct emu_warp;
struct emu_op;

/* Executes `op` for the lanes of `mask` (guard applied, never none). */
typedef void (*emu_exec)(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask);

/* An operand and where it stands: in `fixed`, rows that never change, else in
 * the warp's `row`. */
struct emu_operand {
    const uint32_t *fixed; /* borrowed, [words][EMU_LANES] */
    int64_t value;
    uint16_t flags; /* enum teg_sass_flag, as the fields below */
    uint16_t row;
    uint8_t kind, reg, count, select, ureg, scale, bank, suffix_value;
};

enum {
    EMU_OPERANDS = TEG_SASS_OPERANDS
};

/* An instruction, looked up once.  What a run needs stands first. */
struct emu_op {
    emu_exec exec; /* NULL: not emulated */
    const struct emu_operand *a, *b, *c, *d, *u, *v, *p, *q, *r, *z, *m, *m2,
        *t;
    uint64_t pc; /* bytes from the kernel's start */
    uint64_t word[2];
    uint32_t inst;   /* index in the traced program */
    uint8_t control; /* enum emu_control, 0: none */
    uint8_t access;  /* carries addresses */
    uint8_t values;  /* records of further values */
    uint8_t guard;   /* predicate; TEG_SASS_PT: none */
    uint8_t guard_negated, guard_uniform;
    uint8_t tells, awaits; /* other blocks: told.h */
    uint8_t meets;         /* enum emu_control where blocks meet: share.h */
    uint8_t cc;
    uint8_t operand_count;
    struct emu_operand operand[EMU_OPERANDS];
    struct teg_sass sass;
};

struct emu_block;
struct emu_tensor_memory;
struct emu_told;

struct emu_warp {
    /* What is looked at to see whose turn it is stands in one line. */
    struct emu_block *block;
    uint64_t executed; /* instructions that did not make lanes wait */
    uint64_t waited;   /* for others, and for its block to begin: emu_clock */
    enum emu_fetch fetch;
    int in_vain;                     /* so it asked when it last had a turn */
    uint32_t in[LANE_STATES];        /* lanes in each state */
    uint32_t number;                 /* in the block */
    uint32_t exists;                 /* lanes that are threads */
    struct teg_block_builder *trace; /* borrowed; NULL: none is wanted */
    uint32_t p[8]; /* predicates, a bit per lane; p[7] all ones */
    uint8_t up[8];
    uint64_t until;          /* of `executed`: then it is another warp's turn */
    uint64_t turn;           /* of them: the next one's, emu_turn_anew */
    uint64_t polled;         /* of them, when it last waited for others */
    uint32_t paused;         /* lanes of the group that ran when it was */
    uint64_t issued;         /* all of them */
    uint64_t lanes_executed; /* the same by lanes of the guard */
    uint64_t undefined[EMU_UNDEFINED]; /* how often the warp did that */
    /* The instruction being executed. */
    uint32_t active;        /* lanes at its pc */
    uint32_t spins;         /* backward branches since another group last ran */
    uint64_t pc[EMU_LANES]; /* of lanes outside the group that runs */
    uint8_t waits_at[EMU_LANES];   /* convergence or block barrier */
    uint32_t waits_for[EMU_LANES]; /* lanes, at WARPSYNC */
    uint64_t goes_to[EMU_LANES];   /* from ENDCOLLECTIVE */
    uint32_t meets[EMU_CONVERGENCE][EMU_LANES]; /* whom the lane meets there */
    enum emu_way way;
    int steps_back;          /* another group's turn */
    int yields;              /* said so since another group last ran */
    uint64_t seen;           /* the gang's progress when it last waited */
    uint32_t arrived;        /* lanes, in this phase of the cluster's barrier */
    uint32_t owes;           /* lanes that arrived there and did not wait yet */
    uint32_t barrier_result; /* of BAR.RED */
    uint64_t address[EMU_LANES]; /* of the access it makes, for the trace */
    int32_t stride;  /* not 0: all lanes' addresses, from address[0] on */
    int tries_again; /* at the instruction it has just executed */
    uint64_t tried;  /* the gang's progress then, + 1; 0: it has not */
    const uint64_t *awaits; /* mbarrier it asked in vain last, or NULL */
    int has_told;           /* one who asked so, in this turn */
    uint64_t products;      /* its rows of a warp group's: gsb0, so often */
    uint64_t asks_until;    /* by `executed`: what spins until then waits */
    uint32_t tells; /* stores and atomics executed that op->tells marks */
    uint64_t value[TEG_VALUES_MAX][EMU_LANES]; /* of the same, values.h */
    uint32_t rpc[2][EMU_LANES];                /* Rpc.LO and Rpc.HI */
    /* Registers, then uniform registers, whose lanes are all the same. */
    _Alignas(64) uint32_t r[EMU_ROWS][EMU_LANES];
};

/*
 * Behind a barrier of its block a warp's turns begin short and double.  What one warp reads
 * there and another overwrites much later is read first then, as on a GPU,
 * where warps go on side by side, though no barrier says so.
 */
enum {
    EMU_TURN_FIRST = 8, /* instructions */
};

static inline void emu_turn_anew(struct emu_warp *w)
{
    w->turn = EMU_TURN_FIRST;
    if (w->until > w->executed + w->turn)
        w->until = w->executed + w->turn;
}

/*
 * When a warp is where it is: the instructions it has executed and, where it
 * waited, as many as who it waited for had by then.  (Lamport, Time, clocks, and
 * the ordering of events, CACM 1978)
 */
static inline uint64_t emu_clock(const struct emu_warp *w)
{
    return w->executed + w->waited;
}

/* It has waited for what was done at that time. */
static inline void emu_wait_until(struct emu_warp *w, uint64_t clock)
{
    if (emu_clock(w) < clock)
        w->waited = clock - w->executed;
}

struct teg_block_builder;

/* The blocks that run at once: one, a cluster, or a whole grid.  Those
 * of a cluster stand side by side, by rank. */
struct emu_gang {
    struct emu_block *block; /* owned by whoever made the gang */
    uint32_t blocks;
    struct emu_order order;
    uint64_t random;       /* of the order by seed */
    uint64_t *heap_used;   /* bytes, by malloc in the launch; borrowed */
    uint64_t streams;      /* that its threads have made */
    struct emu_told *told; /* borrowed; NULL: no instruction tells or awaits */
    int called;            /* has printed, allocated, freed or asked */
    uint64_t progress;     /* times a warp did something but wait */
    uint64_t idle;         /* instructions since then */
    uint64_t unasked;      /* the same since the clock was asked */
    uint64_t swaps;        /* of warps that try again, where blocks meet */
};

/* A block, and the fault that ended it. */
struct emu_block {
    struct emu_gang *gang;     /* borrowed */
    struct emu_block *cluster; /* the first block of its cluster */
    uint32_t cluster_blocks, rank;
    uint32_t alive;   /* threads */
    uint32_t missing; /* in a cluster's first block: threads that have not come
                         to its barrier */
    uint64_t met;     /* there: when the last came */
    const struct teg_kernel *kernel; /* borrowed, for messages */
    const struct emu_op *op;         /* [ops] */
    uint32_t ops;
    uint32_t own_ops; /* of the kernel; those of functions come behind */
    uint32_t registers, uniforms; /* rows the code names */
    int has_tensor_memory;        /* the code names it */
    struct emu_limit limit;
    double (*clock)(void); /* for it */
    double began;          /* the launch, by that */
    struct emu_device *device;
    struct emu_view *view; /* borrowed; NULL: device memory itself */
    const struct emu_module *module;
    const struct emu_textures *textures; /* borrowed, may be NULL */
    struct emu_outlet outlet;
    struct emu_requests requests;
    struct emu_span near[EMU_NEAR]; /* buffers found last, by instruction */
    uint32_t cc;
    uint32_t grid[3], dim[3], position[3];
    struct teg_cubin_const {
        const uint8_t *data;
        uint64_t size;
    } bank[EMU_BANKS];
    uint8_t *shared; /* [shared_bytes] */
    uint64_t shared_bytes;
    struct emu_tensor_memory *tensor; /* NULL: the code names none */
    uint8_t *local;                   /* [threads][local_bytes] */
    uint64_t local_bytes;
    uint64_t heap_bytes;   /* that malloc hands out in a launch */
    struct emu_warp *warp; /* [warps] */
    uint32_t warps;
    struct {
        uint32_t arrived;  /* threads */
        uint32_t expected; /* given by the instruction, 0: all that live */
        uint32_t votes;    /* threads whose predicate held, of BAR.RED */
        uint8_t how;       /* of BAR.RED: 0 POPC, 1 AND, 2 OR */
        uint64_t met;      /* when the last of them came */
    } barrier[EMU_NAMED_BARRIERS];
    int records;                     /* whether this block is traced */
    int in_turn;                     /* each warp to its end before the next */
    struct teg_block_builder *trace; /* borrowed; a stream a warp, by number */
    teg_status status;               /* not TEG_OK after a fault */
    struct teg_diag *d;
};

/* Notes a fault of `lane` (-1: of the warp); the first one stays. */
void emu_fault(struct emu_warp *w, const struct emu_op *op, int lane,
               teg_status status, const char *format, ...) TEG_PRINTF(5, 6);

/* The fault of a warp that does not get on; says where the others stand that run
 * with it, for the reason is there as often. */
void emu_fault_waiting(struct emu_warp *w, const struct emu_op *op, int lane,
                       teg_status status, const char *what);

/* Where a warp that lives stands: the instruction its first living lane did
 * last. */
const struct emu_op *emu_last_op(const struct emu_warp *w);

/* The fault of an instruction that is not carried out: nothing like it is, this
 * form of it is not, or a field has a value nobody has named. */
void emu_refuse(struct emu_warp *w, const struct emu_op *op);

/* ---- functions ----------------------------------------------------------- */

/* Host pointer of `bytes` at a generic address for that use; a fault and NULL
 * if there are none. */
void *emu_generic(struct emu_warp *w, const struct emu_op *op, int lane,
                  uint64_t at, unsigned bytes, enum emu_use use);
/* The same of global memory, for that use. */
void *emu_global(struct emu_warp *w, const struct emu_op *op, int lane,
                 uint64_t at, unsigned bytes, enum emu_use use);

/* The rooms of functions, each compiled for the plain machine and, where the
 * compiler can, for one with AVX2 and FMA. */
struct emu_row_of {
    const char *name;
    emu_exec exec;
};

#ifdef EMU_VECTOR
#define EMU_TABLE(room) emu_##room##_ops_vector
#else
#define EMU_TABLE(room) emu_##room##_ops
#endif

extern const struct emu_row_of emu_int_ops[], emu_float_ops[], emu_half_ops[],
    emu_convert_ops[], emu_matrix_ops[], emu_async_ops[], emu_memory_ops[],
    emu_atomic_ops[], emu_logic_ops[], emu_texture_ops[], emu_gmma_ops[],
    emu_tensor_ops[], emu_warp_ops[], emu_tiles_ops[], emu_tcgen_ops[],
    emu_tcgen_mma_ops[];
extern const struct emu_row_of emu_int_ops_vector[], emu_float_ops_vector[],
    emu_half_ops_vector[], emu_convert_ops_vector[], emu_matrix_ops_vector[],
    emu_async_ops_vector[], emu_memory_ops_vector[], emu_atomic_ops_vector[],
    emu_logic_ops_vector[], emu_texture_ops_vector[], emu_gmma_ops_vector[],
    emu_tensor_ops_vector[], emu_warp_ops_vector[], emu_tiles_ops_vector[],
    emu_tcgen_ops_vector[], emu_tcgen_mma_ops_vector[];

/* Looks up the function of the instruction and where its operands stand but
 * for constants; `plain`: not the one with vectors.  What cannot be decoded
 * keeps no function. */
void emu_op_prepare(struct emu_op *op, const uint8_t *bytes, uint64_t pc,
                    uint32_t cc, int plain);

/* Whether any form of the operation has one. */
int emu_has_function(const char *name);

/* Words of immediates and constants, a row of lanes each. */
struct emu_fixed {
    uint32_t (*row)[EMU_LANES]; /* owned */
    size_t rows;
};

/* Gives every immediate and constant operand of the block's `ops` instructions
 * its rows. */
teg_status emu_fixed_init(struct emu_fixed *f, struct emu_op *op, uint32_t ops,
                          const struct emu_block *b, struct teg_diag *d);
void emu_fixed_release(struct emu_fixed *f);

#endif
