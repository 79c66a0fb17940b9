#include "traces/emulate/core/emulate.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/minmax.h"
#include "isa/base/printable.h"
#include "traces/emulate/core/control.h"
#include "traces/emulate/core/prepared.h"
#include "traces/emulate/core/tensor_memory.h"
#include "traces/emulate/core/workers.h"

const char *const emu_undefined_says[EMU_UNDEFINED] = {
#define UNDEFINED(name, says) says,
#include "traces/emulate/core/undefined.def"
#undef UNDEFINED
};

enum {
    INST_BYTES = TEG_SASS_BYTES,
    INSTS_MAX = 100000000,
    RESERVED_SHARED = 0x400, /* by the system; of sm_90, before the kernel's */
    RESERVED_AT = 0x124,     /* in bank 0: where it is before sm_90 */
    BANK0_MIN = 0x380,
    THREADS_MAX = 1024,
    MEETING_BYTES = 64,
    NO_PLACE = 0xffff,
};

/* Where bank 0 has what code asks of its launch, bytes.  From sm_100 on what is
 * said of clusters and of dynamic memory stands SR_CgaSize times 160 bytes
 * lower; that register is 0 here.  (As code compiled by CUDA 13 reads it) */
struct bank0_places {
    uint16_t block, grid, stack, dynamic, shared_window, local_window;
    uint16_t in_clusters, cluster, reciprocals, clusters, cluster_blocks;
    uint16_t meeting, sms;
    uint16_t not_own; /* how much of SR_SMEMSZ is the system's */
    uint16_t params;  /* where parameters lie in generic space */
};

static const struct bank0_places places_before_90 = {
    .block = 0x0,
    .grid = 0xc,
    .stack = 0x28,
    .dynamic = 0x2c,
    .shared_window = 0x18,
    .local_window = 0x20,
    .meeting = 0x8c,
    .sms = 0x10c,
    .not_own = 0x114,
    .params = NO_PLACE,
};

static const struct bank0_places places_90 = {
    .block = 0x0,
    .grid = 0xc,
    .stack = 0x28,
    .dynamic = 0x2c,
    .shared_window = 0x18,
    .local_window = 0x20,
    .in_clusters = 0x140,
    .cluster = 0x144,
    .reciprocals = 0x150,
    .clusters = 0x15c,
    .cluster_blocks = 0x188,
    .meeting = 0x44,
    .sms = 0x10c,
    .not_own = 0x114,
    .params = 0x198,
};

static const struct bank0_places places_100 = {
    .block = 0x360,
    .grid = 0x370,
    .stack = 0x37c,
    .dynamic = 0x2ac,
    .shared_window = NO_PLACE, /* code asks SR_SWINHI */
    .local_window = 0x2f8,
    .in_clusters = 0x36c,
    .cluster = 0x2a0,
    .reciprocals = 0x2b0,
    .clusters = 0x2c0,
    .cluster_blocks = 0x2cc,
    .meeting = 0x254,
    .sms = 0x2d0,
    .not_own = 0x16c,
    .params = 0x348,
};

static const struct bank0_places *places_of(uint32_t cc)
{
    return cc < 90 ? &places_before_90 : cc < 100 ? &places_90 : &places_100;
}

struct emulation {
    const struct teg_cubin_kernel *code; /* borrowed */
    struct teg_kernel kernel;
    struct emu_prepared prepared;
    struct emu_op *op; /* borrowed of it, [ops] */
    uint32_t ops;
    uint32_t number; /* of the kernel among its cubin's */
    struct emu_block block;
    uint32_t cluster[3]; /* 1 where there are none */
    int in_clusters;
    int is_cooperative;
    int is_gang; /* all blocks run at once */
    struct emu_order order;
    uint32_t places;     /* of clusters that share work, not 0: they do */
    int has_turns;       /* the notes say how its blocks took them */
    int steps;           /* nobody asked for them, the code's retries do */
    size_t code_notes;   /* of the kernel's, those that any launch has */
    int meets_in_shared; /* its warps, in the system's part */
    uint8_t meeting[MEETING_BYTES]; /* its blocks' barrier, device memory */
    uint8_t *bank0;                 /* owned */
    struct emu_module own;          /* where none was given */
    struct emu_fixed fixed;
    struct emu_workers *workers; /* owned */
    /* Borrowed, may be NULL. */
    uint64_t *warp_insts, *thread_insts, *undefined;
    void (*block_done)(void *self);
    void *block_done_self;
    int *calls;
};

/* ---- preparing ----------------------------------------------------------------- */

static uint32_t blocks_of_cluster(const struct emulation *e)
{
    return e->cluster[0] * e->cluster[1] * e->cluster[2];
}

static teg_status prepare_code(struct emulation *e,
                               const struct teg_cubin *cubin, int plain,
                               struct teg_diag *d)
{
    const struct emu_prepared *p = &e->prepared;
    teg_status status;

    e->number = (uint32_t)(e->code - cubin->kernel);
    status =
        emu_prepared_take(&e->prepared, e->block.module, e->number, plain, d);
    /* Lent until the launch is closed. */
    e->kernel.program = p->program;
    e->kernel.notes = p->notes;
    e->op = p->op;
    e->ops = p->linked.insts;
    e->block.own_ops = p->linked.own;
    e->block.registers = p->registers;
    e->block.uniforms = p->uniforms;
    e->block.has_tensor_memory = p->has_tensor_memory;
    return status;
}

/* ---- constant banks -------------------------------------------------------------- */

static void put32(uint8_t *bank, size_t offset, uint32_t v)
{
    memcpy(bank + offset, &v, sizeof v);
}

static void put64(uint8_t *bank, size_t offset, uint64_t v)
{
    memcpy(bank + offset, &v, sizeof v);
}

/* Whether there are clusters; the shape of one, its reciprocals, clusters of the grid, blocks of a
 * cluster.  (As code for sm_90 reads %cluster_nctaid and its kin) */
static void put_cluster(struct emulation *e, const struct emu_launch_facts *f)
{
    const struct bank0_places *at = places_of(e->block.cc);

    if (e->block.cc < 90)
        return;
    put32(e->bank0, at->in_clusters, (uint32_t)e->in_clusters);
    for (unsigned i = 0; i < 3; i++) {
        float each = 1.0f / (float)e->cluster[i];
        uint32_t bits;

        /* Multiplied and cut it must not fall short. */
        if ((double)each * e->cluster[i] < 1)
            each = nextafterf(each, 2);
        memcpy(&bits, &each, sizeof bits);
        put32(e->bank0, at->cluster + 4 * i, e->cluster[i]);
        put32(e->bank0, at->reciprocals + 4 * i, bits);
        put32(e->bank0, at->clusters + 4 * i, f->grid[i] / e->cluster[i]);
    }
    put32(e->bank0, at->cluster_blocks, blocks_of_cluster(e));
}

/* Where a cooperative grid's blocks meet: its address in %envreg1 and 2, the
 * higher half first. */
static void put_meeting(struct emulation *e)
{
    unsigned at = places_of(e->block.cc)->meeting;

    if (!e->is_cooperative)
        return;
    put32(e->bank0, at, (uint32_t)(EMU_GRID_WINDOW >> 32));
    put32(e->bank0, at + 4, (uint32_t)EMU_GRID_WINDOW);
}

/* Whether code of sm_80 to sm_89 asks where the system's part of shared memory
 * begins (%reserved_smem_offset_begin): warps of large tiles meet there. */
static int asks_for_reserved(const struct emulation *e)
{
    for (uint32_t i = 0; i < e->ops && e->block.cc >= 80 && e->block.cc < 90;
         i++) {
        for (uint8_t k = 0; k < e->op[i].operand_count; k++) {
            const struct emu_operand *o = &e->op[i].operand[k];

            if (o->kind == SASS_CONSTANT && o->bank == 0 &&
                o->value == RESERVED_AT)
                return 1;
        }
    }
    return 0;
}

/* It lies behind the kernel's own here, which begins at 0. */
static void put_reserved(struct emulation *e)
{
    uint64_t at = (e->block.shared_bytes + 127) / 128 * 128;

    e->meets_in_shared = asks_for_reserved(e);
    if (!e->meets_in_shared)
        return;
    put32(e->bank0, RESERVED_AT, (uint32_t)at);
    at += RESERVED_SHARED;
    put32(e->bank0, places_of(e->block.cc)->not_own,
          (uint32_t)(at - e->block.shared_bytes));
    e->block.shared_bytes = at;
}

/* Bank 0: launch facts, windows, parameters.  (CUDA 13 layout as compiled
 * code reads it) */
static teg_status make_bank0(struct emulation *e,
                             const struct emu_launch_facts *f,
                             struct teg_diag *d)
{
    uint64_t size = e->code->constant0.size;
    uint64_t end = (uint64_t)e->code->param_base + f->param_bytes;
    const struct bank0_places *at = places_of(e->block.cc);

    if (f->param_bytes < e->code->param_bytes)
        return teg_fail(d, TEG_LIMIT, e->kernel.name,
                        "expected %u bytes of parameters, found %zu",
                        e->code->param_bytes, f->param_bytes);
    size = size > end ? size : end;
    size = size > BANK0_MIN ? size : BANK0_MIN;
    e->bank0 = calloc(1, size + 16);
    if (e->bank0 == NULL)
        return teg_fail_memory(d);
    if (e->code->constant0.data != NULL)
        memcpy(e->bank0, e->code->constant0.data, e->code->constant0.size);
    for (unsigned i = 0; i < 3; i++) {
        put32(e->bank0, at->block + 4 * i, f->block[i]);
        put32(e->bank0, at->grid + 4 * i, f->grid[i]);
    }
    if (at->shared_window != NO_PLACE)
        put64(e->bank0, at->shared_window, EMU_SHARED_WINDOW);
    put64(e->bank0, at->local_window, EMU_LOCAL_WINDOW);
    put32(e->bank0, at->stack, (uint32_t)e->block.local_bytes);
    put32(e->bank0, at->dynamic, f->dynamic_shared);
    put_cluster(e, f);
    put_meeting(e);
    put_reserved(e);
    put32(e->bank0, at->sms, 1); /* every block runs on the first */
    if (e->block.cc >= 90) {
        put32(e->bank0, at->not_own, RESERVED_SHARED);
        put64(e->bank0, at->params, EMU_PARAM_WINDOW + e->code->param_base);
    }
    if (f->param_bytes != 0)
        memcpy(e->bank0 + e->code->param_base, f->params, f->param_bytes);
    e->block.bank[0].data = e->bank0;
    e->block.bank[0].size = size;
    return TEG_OK;
}

/* The launch's module, or one of its own. */
static teg_status set_module(struct emulation *e, const struct teg_cubin *cubin,
                             const struct emu_launch_facts *f,
                             struct teg_diag *d)
{
    e->block.module = f->module;
    if (f->module != NULL)
        return TEG_OK;
    TRY(emu_module_init(&e->own, cubin, e->block.device, d));
    e->block.module = &e->own;
    return TEG_OK;
}

/* Bank 2 is the compiler's, 3 the module's constants, 4 addresses. */
static void make_banks(struct emulation *e)
{
    struct emu_block *b = &e->block;

    b->bank[2].data = e->code->constant2.data;
    b->bank[2].size = e->code->constant2.size;
    for (unsigned i = 3; i < EMU_BANKS; i++)
        b->bank[i].data = emu_module_bank(b->module, i, &b->bank[i].size);
}

/* ---- handing out ------------------------------------------------------------------------- */

static teg_status next(void *self, struct teg_block **block, struct teg_diag *d)
{
    struct emulation *e = self;
    struct emu_result result;
    teg_status status = TEG_OK;
    int some;

    *block = NULL;
    while ((some = emu_workers_next(e->workers, &result, &status, d)) == 1) {
        if (e->warp_insts != NULL)
            *e->warp_insts += result.warp_insts;
        if (e->thread_insts != NULL)
            *e->thread_insts += result.thread_insts;
        for (int i = 0; e->undefined != NULL && i < EMU_UNDEFINED; i++)
            e->undefined[i] += result.undefined[i];
        if (e->calls != NULL)
            *e->calls |= result.called;
        if (e->block_done != NULL)
            e->block_done(e->block_done_self);
        *block = result.traced;
        if (*block != NULL)
            return TEG_OK;
    }
    return some == 0 ? TEG_OK : status;
}

/* What the kernel's trace had of it is the next launch's. */
static void take_code_back(struct emulation *e)
{
    e->prepared.program = e->kernel.program;
    if (e->has_turns)
        e->kernel.notes.count = e->code_notes;
    e->prepared.notes = e->kernel.notes;
    e->kernel.program = (struct teg_program){0};
    e->kernel.notes = (struct teg_notes){0};
    if (e->block.module != NULL)
        emu_prepared_give(&e->prepared, e->block.module, e->number);
}

static void close_launch(void *self)
{
    struct emulation *e = self;

    emu_workers_free(e->workers);
    if (e->is_cooperative)
        emu_device_remove(e->block.device, EMU_GRID_WINDOW);
    take_code_back(e);
    free(e->bank0);
    emu_module_release(&e->own);
    emu_fixed_release(&e->fixed);
    teg_kernel_release(&e->kernel);
    free(e);
}

/* ---- opening ------------------------------------------------------------------------------ */

static teg_status check_facts(const struct emu_launch_facts *f,
                              const char *name, struct teg_diag *d)
{
    uint64_t threads = (uint64_t)f->block[0] * f->block[1] * f->block[2];

    if (f->block[0] > THREADS_MAX || f->block[1] > THREADS_MAX ||
        f->block[2] > THREADS_MAX || threads == 0 || threads > THREADS_MAX)
        return teg_fail(d, TEG_LIMIT, name,
                        "expected a block of 1 to %d threads, found %ux%ux%u",
                        THREADS_MAX, f->block[0], f->block[1], f->block[2]);
    if (f->grid[0] == 0 || f->grid[1] == 0 || f->grid[2] == 0 ||
        f->grid[0] > INT32_MAX || f->grid[1] > 65535 || f->grid[2] > 65535)
        return teg_fail(d, TEG_LIMIT, name,
                        "expected a grid of 1 to 2147483647 x 65535 x 65535 "
                        "blocks, found %ux%ux%u",
                        f->grid[0], f->grid[1], f->grid[2]);
    return TEG_OK;
}

/* The launch's clusters, or the kernel's own. */
static teg_status set_cluster(struct emulation *e, uint32_t sm,
                              const struct emu_launch_facts *f,
                              struct teg_diag *d)
{
    const uint32_t *given = f->cluster[0] != 0 ? f->cluster : e->code->cluster;
    uint64_t blocks = 1;

    e->in_clusters = given[0] != 0;
    for (unsigned i = 0; i < 3; i++) {
        e->cluster[i] = given[i] != 0 ? given[i] : 1;
        if (f->grid[i] % e->cluster[i] != 0)
            return teg_fail(d, TEG_LIMIT, e->code->name,
                            "expected a grid that clusters of %ux%ux%u blocks "
                            "fill, found %ux%ux%u",
                            given[0], given[1], given[2], f->grid[0],
                            f->grid[1], f->grid[2]);
        blocks *= e->cluster[i];
    }
    if (blocks > EMU_CLUSTER_MAX)
        return teg_fail(d, TEG_LIMIT, e->code->name,
                        "expected a cluster of 1 to %d blocks, found %ux%ux%u",
                        EMU_CLUSTER_MAX, given[0], given[1], given[2]);
    if (e->in_clusters && sm < 90)
        return teg_fail(d, TEG_LIMIT, e->code->name,
                        "code for sm_%u has no clusters of blocks", sm);
    return TEG_OK;
}

static uint64_t blocks_of_grid(const struct emu_launch_facts *f)
{
    return (uint64_t)f->grid[0] * f->grid[1] * f->grid[2];
}

static int fits_in_turns(const struct emulation *e,
                         const struct emu_launch_facts *f)
{
    uint64_t blocks = blocks_of_grid(f);

    return blocks <= EMU_TURNS_MAX && blocks * e->block.warps <= EMU_TURNS_MAX;
}

/* Blocks that all run at once and meet. */
static teg_status meet(struct emulation *e, const struct emu_launch_facts *f,
                       struct teg_diag *d)
{
    if (!fits_in_turns(e, f))
        return teg_fail(d, TEG_LIMIT, e->code->name,
                        "expected at most %d warps in a cooperative grid, "
                        "found %llu blocks of %u",
                        EMU_TURNS_MAX, (unsigned long long)blocks_of_grid(f),
                        e->block.warps);
    put32(e->meeting, 0, MEETING_BYTES);
    TRY(emu_device_map(e->block.device, EMU_GRID_WINDOW, e->meeting,
                       MEETING_BYTES, d));
    e->is_cooperative = 1;
    return TEG_OK;
}

static teg_status fill_kernel(struct emulation *e,
                              const struct teg_cubin *cubin,
                              const struct emu_launch_facts *f,
                              struct teg_diag *d)
{
    struct teg_kernel *k = &e->kernel;

    k->name = teg_printable_copy(e->code->name);
    if (k->name == NULL)
        return teg_fail_memory(d);
    memcpy(k->grid, f->grid, sizeof k->grid);
    memcpy(k->block, f->block, sizeof k->block);
    if (e->in_clusters)
        memcpy(k->cluster, e->cluster, sizeof k->cluster);
    k->registers = e->code->registers;
    /* its own: a description adds what the system takes (sm.shared_reserved) */
    k->shared_bytes = (uint32_t)(e->code->shared_bytes + f->dynamic_shared);
    k->carveout = f->carveout;
    k->isa = cubin->sm;
    k->shared_base = EMU_SHARED_WINDOW;
    k->local_base = EMU_LOCAL_WINDOW;
    e->block.kernel = k;
    e->block.cc = cubin->sm;
    return TEG_OK;
}

static void describe_block(struct emulation *e, const struct teg_cubin *cubin,
                           const struct emu_launch_facts *f)
{
    struct emu_block *b = &e->block;
    uint32_t threads = f->block[0] * f->block[1] * f->block[2];
    uint64_t fixed = e->code->shared_bytes, stack;

    /* The first 1024 bytes are the system's, static variables come behind. */
    if (cubin->sm >= 90)
        fixed += RESERVED_SHARED;
    memcpy(b->grid, f->grid, sizeof b->grid);
    memcpy(b->dim, f->block, sizeof b->dim);
    b->shared_bytes = fixed + f->dynamic_shared;
    stack = f->stack_bytes != 0 ? f->stack_bytes : EMU_STACK_BYTES;
    b->local_bytes = (e->code->local_bytes + stack + 15) / 16 * 16;
    b->heap_bytes = f->heap_bytes != 0 ? f->heap_bytes : EMU_HEAP_BYTES;
    b->warps = (threads + EMU_LANES - 1) / EMU_LANES;
}

/* Without shared memory, barriers and loads past L1 no warp waits for another.
 * (Leaves out: one that asks by atomics alone.) */
static int runs_in_turn(const struct emulation *e)
{
    for (uint32_t i = 0; i < e->ops; i++) {
        const char *name = e->op[i].sass.name;

        if (name != NULL &&
            (strcmp(name, "BAR") == 0 || strcmp(name, "SYNCS") == 0))
            return 0;
    }
    return e->code->shared_bytes == 0 && !e->meets_in_shared &&
           !e->prepared.awaits && e->block.shared_bytes <= RESERVED_SHARED;
}

static teg_status hire(struct emulation *e, const struct emu_launch_facts *f,
                       struct teg_diag *d)
{
    struct emu_work work = {
        .like = &e->block,
        .kernel = &e->kernel,
        .from = f->from,
        .to = f->to != 0 ? f->to : UINT64_MAX,
        .jobs = f->jobs == 0 ? 1 : f->jobs,
        .alone_up_to = f->alone_up_to,
        .order = e->order,
        .places = e->places,
        .clears_local = e->code->local_bytes != 0 || e->code->stack_is_open,
        .awaits = e->prepared.awaits,
    };

    memcpy(work.cluster, e->cluster, sizeof work.cluster);
    memcpy(work.gang, e->is_gang ? f->grid : e->cluster, sizeof work.gang);
    return emu_workers_new(&e->workers, &work, d);
}

/* As many clusters as the GPU holds at once, if it is known, and memory does. */
static uint32_t places_for_clusters(const struct emulation *e,
                                    const struct emu_launch_facts *f)
{
    uint64_t blocks = f->held_blocks, size = blocks_of_cluster(e), clusters;

    if (e->is_cooperative)
        return (uint32_t)(blocks_of_grid(f) / size);
    if (blocks == 0)
        blocks = EMU_HELD_WARPS / e->block.warps;
    clusters = teg_min(blocks, EMU_TURNS_MAX / e->block.warps) / size;
    return (uint32_t)teg_min(teg_max(clusters, 1), blocks_of_grid(f) / size);
}

/* In which order the blocks and warps run. */
static void set_order(struct emulation *e, const struct emu_launch_facts *f)
{
    int by_grid = f->order.grid && fits_in_turns(e, f);
    /* A cooperative grid's warps take turns, all of them. */
    int meet = e->prepared.fetches ||
               ((e->prepared.polls || e->prepared.swaps) && !f->cooperative);
    int unasked;

    e->order = f->order;
    if (f->order.grid && !by_grid && meet)
        e->order = (struct emu_order){0};
    unasked = e->order.turns == EMU_TO_BARRIERS && !e->order.apart;
    if (meet && unasked && blocks_of_grid(f) * e->block.warps > 1)
        e->places = places_for_clusters(e, f);
    e->steps =
        e->prepared.retries && unasked && (e->places == 0 || e->prepared.swaps);
    if (e->steps)
        e->order.turns = EMU_BY_STEPS;
    if (e->order.swaps_max == 0)
        e->order.swaps_max = EMU_SWAPS_MAX;
    e->is_gang = (f->cooperative || by_grid) && e->places == 0;
}

/* Where blocks meet, warps stand in front of what they meet by.  The code is
 * that of launches in any order. */
static void set_meetings(struct emulation *e)
{
    for (uint32_t i = 0; i < e->ops; i++) {
        if (e->op[i].meets != CONTROL_NONE)
            e->op[i].control = e->places != 0 ? e->op[i].meets : CONTROL_NONE;
    }
}

/* What its blocks did, and who did it first. */
static const char *what_meets(const struct emulation *e)
{
    if (e->prepared.fetches)
        return "shared the work of a counter: the next piece went to";
    if (e->prepared.polls)
        return "went on to what they read of each other and write for it in "
               "turn, first";
    return "tried to swap words of global memory in turn, first";
}

/* Says in the trace what its blocks' order was. */
static void note_turns(struct emulation *e, const struct emu_launch_facts *f)
{
    unsigned long long blocks = blocks_of_grid(f),
                       at_once = (uint64_t)e->places * blocks_of_cluster(e);

    e->code_notes = e->kernel.notes.count;
    e->has_turns = e->places != 0 || (e->is_gang && f->order.grid) || e->steps;
    if (e->places != 0)
        teg_notes_add(&e->kernel.notes, EMU_NOTE_TURNS, e->code->name,
                      "its %llu blocks, %llu at once, %s the warp that had "
                      "come to it by the fewest instructions",
                      blocks, at_once, what_meets(e));
    if (e->steps)
        teg_notes_add(&e->kernel.notes, EMU_NOTE_STEPS, e->code->name,
                      "warps of a block were emulated side by side, an "
                      "instruction of each in turn, for its code tries again "
                      "to swap words of shared memory");
    else if (e->has_turns && e->places == 0)
        teg_notes_add(&e->kernel.notes, EMU_NOTE_TURNS, e->code->name,
                      "its %llu blocks were emulated side by side, an "
                      "instruction of each warp in turn",
                      blocks);
}

int emu_order_parse(struct emu_order *order, const char *text)
{
    enum {
        DIGITS_MAX = 19 /* that 64 bits hold whatever they are */
    };
    size_t length = strlen(text);

    *order = (struct emu_order){.turns = EMU_BY_STEPS};
    order->grid = strcmp(text, "grid") == 0;
    if (order->grid || strcmp(text, "steps") == 0)
        return 1;
    if (strcmp(text, "blocks") == 0) {
        *order = (struct emu_order){.apart = 1};
        return 1;
    }
    if (length == 0 || length > DIGITS_MAX ||
        strspn(text, "0123456789") != length)
        return 0;
    *order = (struct emu_order){.turns = EMU_BY_SEED,
                                .seed = strtoull(text, NULL, 10)};
    return 1;
}

/* Digits and what must stand behind them; NULL if it is not so, else what
 * follows. */
static const char *read_count(const char *text, uint32_t *count)
{
    enum {
        DIGITS_MAX = 9 /* that 32 bits hold whatever they are */
    };
    size_t digits = strspn(text, "0123456789");

    *count = (uint32_t)strtoul(text, NULL, 10);
    return digits <= DIGITS_MAX && *count != 0 ? text + digits : NULL;
}

int emu_limit_parse(struct emu_limit *limit, const char *text)
{
    enum {
        MILLION = 1000000
    };

    *limit = (struct emu_limit){0};
    for (;;) {
        uint32_t count;

        text = read_count(text, &count);
        if (text == NULL)
            return 0;
        if (*text == 's' && limit->seconds == 0) {
            limit->seconds = count;
            text++;
        } else if (*text != 's' && limit->insts == 0) {
            limit->insts = (uint64_t)count * MILLION;
        } else {
            return 0;
        }
        if (*text != ',')
            return *text == '\0';
        text++;
    }
}

int emu_supports(uint32_t cc)
{
    return teg_sass_supports(cc);
}

static teg_status open_emulation(struct emulation *e,
                                 const struct teg_cubin *cubin,
                                 struct emu_device *device,
                                 const struct emu_launch_facts *f,
                                 struct teg_diag *d)
{
    if (!emu_supports(cubin->sm)) {
        char known[TEG_SASS_TEXT];

        teg_sass_generations(known);
        return teg_fail(d, TEG_LIMIT, cubin->path,
                        "code for sm_%u is not emulated; that for %s is",
                        cubin->sm, known);
    }
    TRY(check_facts(f, e->code->name, d));
    TRY(set_cluster(e, cubin->sm, f, d));
    e->block.device = device;
    describe_block(e, cubin, f);
    if (f->cooperative)
        TRY(meet(e, f, d));
    TRY(fill_kernel(e, cubin, f, d));
    TRY(set_module(e, cubin, f, d));
    TRY(prepare_code(e, cubin, f->plain, d));
    set_order(e, f);
    set_meetings(e);
    note_turns(e, f);
    TRY(make_bank0(e, f, d));
    make_banks(e);
    e->warp_insts = f->warp_insts;
    e->thread_insts = f->thread_insts;
    e->block_done = f->block_done;
    e->block_done_self = f->block_done_self;
    e->undefined = f->undefined;
    e->calls = f->calls;
    e->block.outlet = f->outlet;
    e->block.requests = f->requests;
    e->block.textures = f->textures;
    e->block.limit = f->limit;
    if (f->limit.insts == 0)
        e->block.limit.insts = INSTS_MAX;
    e->block.clock = f->clock;
    e->block.began = f->clock != NULL ? f->clock() : 0;
    e->block.op = e->op;
    e->block.ops = e->ops;
    e->block.in_turn = runs_in_turn(e) && !e->is_gang && e->places == 0 &&
                       blocks_of_cluster(e) == 1 &&
                       e->order.turns == EMU_TO_BARRIERS;
    TRY(emu_fixed_init(&e->fixed, e->op, e->ops, &e->block, d));
    return hire(e, f, d);
}

teg_status emu_launch(const struct teg_cubin *cubin,
                      const struct teg_cubin_kernel *kernel,
                      struct emu_device *device,
                      const struct emu_launch_facts *facts,
                      struct teg_launch *launch, struct teg_diag *d)
{
    struct emulation *e = calloc(1, sizeof *e);
    teg_status status;

    if (e == NULL)
        return teg_fail_memory(d);
    e->code = kernel;
    status = open_emulation(e, cubin, device, facts, d);
    if (status != TEG_OK) {
        close_launch(e);
        return status;
    }
    *launch = (struct teg_launch){
        .kernel = &e->kernel,
        .self = e,
        .next = next,
        .close = close_launch,
    };
    return TEG_OK;
}
