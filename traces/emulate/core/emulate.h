/*
 * The functional emulator: runs a kernel of a cubin, warp by warp, and hands
 * its blocks out as a launch, so that whatever reads traces can read a kernel.
 *
 * Models: 32 lanes, predicates, divergence with convergence barriers, uniform
 * registers, shared, global, local and constant memory, barriers, shuffles,
 * votes, atomics, textures and surfaces, matrix products, clusters of blocks and
 * cooperative grids.  Results are those of one block (cluster) after the other,
 * in grid order, for any number of threads; the warps of one take turns, and
 * all of a grid if the order says so; blocks that take work from a counter, or
 * poll for what others write, meet (share.h).
 * What is left out (docs/emulator.md) ends a kernel that
 * uses it with the instruction's name.
 */
#ifndef TEG_TRACES_EMULATE_CORE_EMULATE_H
#define TEG_TRACES_EMULATE_CORE_EMULATE_H

#include "isa/binary/cubin.h"
#include "traces/block/cursor.h"
#include "traces/emulate/core/device.h"
#include "traces/emulate/core/module.h"
#include "traces/emulate/core/texture.h"

/* As on a GPU unless told: what a launch's malloc hands out at most, and the
 * stack of a thread beyond its kernel's frame. */
#define EMU_HEAP_BYTES  0x800000u
#define EMU_STACK_BYTES 0x400u

/* What PTX leaves undefined: undefined.def. */
enum emu_undefined {
#define UNDEFINED(name, says) EMU_##name,
#include "traces/emulate/core/undefined.def"
#undef UNDEFINED
    EMU_UNDEFINED
};

extern const char *const emu_undefined_says[EMU_UNDEFINED];

/* How the warps of a block take turns. */
enum emu_turns {
    EMU_TO_BARRIERS, /* until it waits for others, at first a little each */
    EMU_BY_STEPS,    /* an instruction each, as if side by side */
    EMU_BY_SEED,     /* some instructions each, as many as a seed says */
};

/* All 0: warps to barriers, blocks one after the other, but those whose code takes
 * work from a counter, polls or tries again to swap a word of global memory, as
 * share.h says, and warps by steps whose code
 * tries again to swap a word of shared memory: how often one fails is then as
 * often as others of the block come between. */
struct emu_order {
    enum emu_turns turns;
    uint64_t seed;
    int grid;  /* blocks take turns, too: all of a grid that has no more than
                 EMU_TURNS_MAX warps, else as without an order */
    int apart; /* blocks one after the other whatever the code has */
    uint64_t swaps_max; /* of warps that try again to swap words of global memory,
                          those of a launch that others fail; 0: EMU_SWAPS_MAX */
};

enum {
    EMU_TURNS_MAX = 32768, /* memory */
    EMU_HELD_WARPS = 8192, /* by a GPU at once, where none is known: 128 SMs */
    /* Where many warps swap one word a GPU tries as often as they are, for each that
     * succeeds: some ten seconds here. */
    EMU_SWAPS_MAX = 1 << 22
};

/* The kind of the note that a trace has whose blocks took turns. */
#define EMU_NOTE_TURNS "blocks-in-turns"
#define EMU_NOTE_STEPS "warps-in-turns"

/* "steps", "grid", "blocks" (apart), or a number, the seed; 0 if the text is none
 * of these. */
int emu_order_parse(struct emu_order *order, const char *text);

/* What a launch gets, and ends with a fault that says where its warps are. */
struct emu_limit {
    uint64_t insts;   /* of a warp in its block; 0: 100 million */
    uint32_t seconds; /* of the launch, by its clock; 0: any */
};

/* "100", millions of instructions; "30s", seconds; or both, "100,30s". 0 if the
 * text is none of these. */
int emu_limit_parse(struct emu_limit *limit, const char *text);

/* Where the text of a kernel's printf goes. */
struct emu_outlet {
    void (*print)(void *self, const char *text, size_t length);
    void *self;
};

/* What a thread puts into a stream of the device's, to be done when its grid has
 * ended at the earliest: a launch, or without a kernel a copy of `bytes`, or
 * without `from` a set to `value`. */
struct emu_child {
    const struct teg_cubin_kernel *kernel; /* of the same cubin */
    uint32_t grid[3], block[3], shared;
    const uint8_t *params; /* as facts have them; gone after the call */
    uint64_t to, from, bytes;
    uint8_t value;
    uint64_t stream; /* as the thread names it: EMU_STREAM_* or one it made */
    uint64_t
        parent; /* number of the thread's block, which the stream 0 is of */
};

enum {
    EMU_STREAM_OF_BLOCK = 0,
    EMU_STREAM_TAIL = 3, /* when all else of the grid's has ended */
    EMU_STREAM_ALONE = 4 /* behind nothing but the grid ("fire and forget") */
};

/* What a kernel asks of the host's side, in the order of its blocks.  A member
 * that is NULL: the call is a fault.  Each returns 0 if it cannot be done. */
struct emu_requests {
    int (*add_child)(void *self, const struct emu_child *child);
    int (*set_condition)(void *self, uint64_t handle, uint32_t value);
    /* As the runtime's functions: an attribute of the device by its number, and
     * how many blocks of the kernel an SM holds. */
    int (*attribute)(void *self, int number, int *value);
    int (*occupancy)(void *self, const struct teg_cubin_kernel *kernel,
                     uint32_t threads, uint64_t dynamic, int *blocks);
    void *self;
};

struct emu_launch_facts {
    uint32_t grid[3], block[3];
    uint32_t cluster[3]; /* blocks; 0: as the kernel says, else none */
    int cooperative; /* all blocks run at once and may wait for each other */
    uint32_t dynamic_shared; /* bytes */
    uint32_t carveout;       /* as of a struct teg_kernel */
    uint64_t heap_bytes;     /* 0: EMU_HEAP_BYTES */
    uint64_t stack_bytes;    /* 0: EMU_STACK_BYTES */
    const uint8_t *params;   /* the kernel's parameters as laid out in its
                                constant bank, param_bytes of them */
    size_t param_bytes;
    uint64_t held_blocks; /* by the GPU at once; 0: not known */
    unsigned jobs;        /* threads that run blocks; 0 is 1 */
    /* A launch that seems to have fewer thread instructions, by its first
     * block, runs on one thread. */
    uint64_t alone_up_to;
    int plain; /* without this machine's vectors, for tests */
    struct emu_limit limit;
    /* Seconds from some moment on, for that limit; any thread asks, now and
     * then. */
    double (*clock)(void);
    struct emu_order order;
    /* The module on `device` that keeps variables from launch to launch;
     * borrowed.  NULL: one of this launch's own. */
    const struct emu_module *module;
    const struct emu_textures *textures; /* borrowed; NULL: no handles */
    struct emu_outlet outlet; /* for printf; none: its text is lost */
    struct emu_requests requests;
    /* All blocks run, cluster after cluster; those are handed out whose number
     * in grid order is at least `from` and less than `to`.  `to` 0: all. */
    uint64_t from, to;
    uint64_t *warp_insts;   /* what was executed is added here; may be NULL */
    uint64_t *thread_insts; /* the same by active lanes; may be NULL */
    /* How often the kernel did what is undefined is added here, by
     * enum emu_undefined; may be NULL. */
    uint64_t *undefined;
    /* Set if the kernel printed, allocated, freed or asked; may be NULL. */
    int *calls;
    /* Hears of each block that is done, in their order; NULL: nobody does. */
    void (*block_done)(void *self);
    void *block_done_self;
};

/* True for a generation whose code is run: all that are decoded but those with
 * tensor memory (sm_100 to sm_110). */
int emu_supports(uint32_t cc);

/*
 * Prepares `kernel`, one of `cubin`'s (both borrowed, outliving the launch) on
 * `device` (borrowed).  Global variables of the module are allocated on the
 * device.  `launch->close` ends it.  Each block runs when it is asked for;
 * its faults (an access out of bounds, an instruction that is not emulated,
 * an endless loop) name kernel, block, warp, lane, pc and instruction.
 */
teg_status emu_launch(const struct teg_cubin *cubin,
                      const struct teg_cubin_kernel *kernel,
                      struct emu_device *device,
                      const struct emu_launch_facts *facts,
                      struct teg_launch *launch, struct teg_diag *d);

#endif
