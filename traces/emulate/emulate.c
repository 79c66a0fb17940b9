#include "traces/emulate/emulate.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/block.h"
#include "traces/emulate/calls.h"
#include "traces/emulate/warp.h"

/*
 * Divergence.  Each lane has its own pc; the lanes at one pc form a group.  A
 * group runs until it blocks, ends or diverges, never less: uniform registers
 * are the warp's, and compilers use them anew in each arm of a branch.  Then
 * the group with the lowest pc goes on, which is the one that others wait for.
 * BSSY adds lanes to a convergence barrier, BSYNC waits until all of them that
 * live have come.  A group that branches backwards again and again makes room
 * for others, so that a lane may wait in a loop for what another lane does.
 */
enum {
    INST_BYTES = TEG_SASS_BYTES,
    SPINS_MAX = 512,
    INSTS_MAX = 100000000,
    SM90_RESERVED_SHARED = 0x400,
    STACK_MARGIN = 1024, /* bytes of local memory beyond the frame */
    BANK0_MIN = 0x210,
    THREADS_MAX = 1024,
    RETURN_REGISTER = 20, /* and the next: where a called function returns */
};

enum emu_control {
    CONTROL_NONE,
    CONTROL_BRA,
    CONTROL_CALL,
    CONTROL_CALL_ABS,
    CONTROL_JUMP, /* to a register: BRX, RET, CALL */
    CONTROL_EXIT,
    CONTROL_BSSY,
    CONTROL_BSYNC,
    CONTROL_BREAK,
    CONTROL_WARPSYNC,
    CONTROL_BAR,
};

static const struct {
    const char *name;
    enum emu_control control;
} controls[] = {
    {"BRA", CONTROL_BRA},           {"CALL.REL", CONTROL_CALL},
    {"CALL.ABS", CONTROL_CALL_ABS}, {"RET.REL", CONTROL_JUMP},
    {"BRX", CONTROL_JUMP},          {"EXIT", CONTROL_EXIT},
    {"BSSY", CONTROL_BSSY},         {"BSYNC", CONTROL_BSYNC},
    {"BREAK", CONTROL_BREAK},       {"WARPSYNC", CONTROL_WARPSYNC},
    {"BAR", CONTROL_BAR},
};

struct emulation {
    const struct teg_cubin_kernel *code; /* borrowed */
    struct teg_kernel kernel;
    struct emu_op *op; /* owned, [ops] */
    uint32_t ops;
    struct emu_block block;
    uint8_t *bank0;                    /* owned */
    struct emu_module own;             /* where none was given */
    struct teg_block_builder **stream; /* owned, [warps]: each warp's trace */
    struct teg_block_builder *whole;
    uint64_t next, blocks, insts_max;
    uint64_t from, to; /* blocks to record */
    int records;       /* this block */
    uint64_t *warp_insts;
};

/* ---- faults ------------------------------------------------------------------ */

void emu_fault(struct emu_warp *w, const struct emu_op *op, int lane,
               teg_status status, const char *format, ...)
{
    struct emu_block *b = w->block;
    char what[256], who[24] = "", text[TEG_SASS_TEXT];
    va_list arguments;

    if (b->status != TEG_OK)
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (lane >= 0)
        snprintf(who, sizeof who, " lane %d", lane);
    teg_sass_text(&op->sass, text);
    b->status = status;
    if (b->d == NULL)
        return;
    snprintf(b->d->where, sizeof b->d->where,
             "kernel %.128s block %u,%u,%u warp %u%s pc 0x%llx", b->kernel,
             b->position[0], b->position[1], b->position[2], w->number, who,
             (unsigned long long)op->sass.pc);
    b->d->status = status;
    snprintf(b->d->what, sizeof b->d->what, "%.140s: %s", text, what);
}

/* ---- preparing ----------------------------------------------------------------- */

static emu_exec find_exec(const char *name)
{
    static const struct emu_row_of *const rooms[] = {
        emu_int_ops, emu_float_ops, emu_memory_ops, emu_warp_ops};

    for (size_t r = 0; r < sizeof rooms / sizeof rooms[0]; r++) {
        for (const struct emu_row_of *row = rooms[r]; row->name != NULL;
             row++) {
            if (strcmp(row->name, name) == 0)
                return row->exec;
        }
    }
    return NULL;
}

static enum emu_control find_control(const char *name)
{
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        if (strcmp(controls[i].name, name) == 0)
            return controls[i].control;
    }
    return CONTROL_NONE;
}

static const struct teg_sass_operand *second_address(const struct teg_sass *s)
{
    int seen = 0;

    for (uint8_t i = 0; i < s->operand_count; i++) {
        if (s->operand[i].kind == SASS_ADDRESS && seen++ == 1)
            return &s->operand[i];
    }
    return NULL;
}

static void prepare(struct emu_op *op, const uint8_t *bytes, uint64_t pc,
                    uint32_t cc)
{
    const struct teg_sass *s = &op->sass;

    *op = (struct emu_op){0};
    if (!teg_sass_decode(&op->sass, bytes, pc, cc))
        return;
    op->exec = find_exec(s->name);
    op->control = (uint8_t)find_control(s->name);
    op->a = teg_sass_operand(s, 'a');
    op->b = teg_sass_operand(s, 'b');
    op->c = teg_sass_operand(s, 'c');
    op->d = teg_sass_operand(s, 'd');
    op->u = teg_sass_operand(s, 'u');
    op->v = teg_sass_operand(s, 'v');
    op->p = teg_sass_operand(s, 'p');
    op->q = teg_sass_operand(s, 'q');
    op->r = teg_sass_operand(s, 'r');
    op->m = teg_sass_operand(s, 'm');
    op->t = teg_sass_operand(s, 't');
    op->m2 = second_address(s);
    if (strcmp(s->name, "UMOV") == 0 && op->b == NULL)
        op->b = &s->operand[s->operand_count - 1]; /* its immediate */
}

static teg_status prepare_code(struct emulation *e, uint32_t cc,
                               struct teg_diag *d)
{
    e->ops = (uint32_t)(e->code->code.size / INST_BYTES);
    e->op = calloc((size_t)e->ops + 1, sizeof *e->op);
    if (e->op == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < e->ops; i++) {
        struct emu_op *op = &e->op[i];
        struct teg_inst inst = {0};
        char text[TEG_SASS_TEXT];

        prepare(op, e->code->code.data + (size_t)i * INST_BYTES,
                (uint64_t)i * INST_BYTES, cc);
        teg_sass_inst(&op->sass, &inst);
        teg_sass_text(&op->sass, text);
        op->access = teg_inst_has_addresses(&inst) != 0;
        TRY(teg_program_add(&e->kernel.program, &inst, text, &op->inst, d));
    }
    return TEG_OK;
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

/* Bank 0: launch facts, windows, parameters.  (CUDA 13 layout as compiled
 * code reads it) */
static teg_status make_bank0(struct emulation *e,
                             const struct emu_launch_facts *f,
                             struct teg_diag *d)
{
    uint64_t size = e->code->constant0.size;
    uint64_t end = (uint64_t)e->code->param_base + f->param_bytes;

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
        put32(e->bank0, 4 * i, f->block[i]);
        put32(e->bank0, 12 + 4 * i, f->grid[i]);
    }
    put64(e->bank0, 0x18, EMU_SHARED_WINDOW);
    put64(e->bank0, 0x20, EMU_LOCAL_WINDOW);
    put32(e->bank0, 0x28, (uint32_t)e->block.local_bytes);
    put32(e->bank0, 0x2c, f->dynamic_shared);
    memcpy(e->bank0 + e->code->param_base, f->params, f->param_bytes);
    e->block.bank[0].data = e->bank0;
    e->block.bank[0].size = size;
    return TEG_OK;
}

/* Bank 2 is the compiler's, 3 the module's constants, 4 addresses. */
static teg_status make_banks(struct emulation *e, const struct teg_cubin *cubin,
                             const struct emu_launch_facts *f,
                             struct teg_diag *d)
{
    struct emu_block *b = &e->block;

    b->module = f->module;
    if (b->module == NULL) {
        TRY(emu_module_init(&e->own, cubin, b->device, d));
        b->module = &e->own;
    }
    b->bank[2].data = e->code->constant2.data;
    b->bank[2].size = e->code->constant2.size;
    for (unsigned i = 3; i < EMU_BANKS; i++)
        b->bank[i].data = emu_module_bank(b->module, i, &b->bank[i].size);
    return TEG_OK;
}

/* ---- control flow ------------------------------------------------------------------ */

static uint32_t lanes_in(const struct emu_warp *w, enum emu_lane_state state)
{
    uint32_t found = 0;

    for (int l = 0; l < EMU_LANES; l++)
        found |= (uint32_t)(w->state[l] == state) << l;
    return found & w->exists;
}

static uint32_t living(const struct emu_warp *w)
{
    return w->exists & ~lanes_in(w, LANE_EXITED);
}

static void set_state(struct emu_warp *w, uint32_t mask,
                      enum emu_lane_state state)
{
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        w->state[__builtin_ctz(rest)] = (uint8_t)state;
}

static void set_pc(struct emu_warp *w, uint32_t mask, uint64_t pc)
{
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        w->pc[__builtin_ctz(rest)] = pc;
}

/* Lanes waiting at convergence barrier `number`, or at WARPSYNC. */
static uint32_t waiting_at(const struct emu_warp *w, uint8_t number)
{
    uint32_t waiting = lanes_in(w, LANE_AT_BSYNC), found = 0;

    for (uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        found |= (uint32_t)(w->waits_at[l] == number) << l;
    }
    return found;
}

/* Lets go on who waits for nobody any more. */
static void release_converged(struct emu_warp *w)
{
    uint32_t alive = living(w), synced = waiting_at(w, EMU_AT_WARPSYNC);

    for (uint8_t b = 0; b < EMU_CONVERGENCE; b++) {
        uint32_t waiting = waiting_at(w, b);

        if (waiting == 0 || (w->convergence[b] & alive & ~waiting) != 0)
            continue;
        set_state(w, waiting, LANE_RUNS);
        w->convergence[b] = 0;
    }
    for (uint32_t rest = synced; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        if ((w->waits_for[l] & alive & ~synced) == 0)
            w->state[l] = LANE_RUNS;
    }
}

static uint32_t block_threads_alive(const struct emu_block *b)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < b->warps; i++)
        n += (uint32_t)__builtin_popcount(living(&b->warp[i]));
    return n;
}

/* The barrier opens when as many threads have come as are expected, or all
 * that live. */
static void release_block_barrier(struct emu_block *b, uint8_t number)
{
    uint32_t wanted = b->barrier[number].expected;
    uint32_t votes = b->barrier[number].votes;

    if (wanted == 0)
        wanted = block_threads_alive(b);
    if (b->barrier[number].arrived == 0 || b->barrier[number].arrived < wanted)
        return;
    if (b->barrier[number].how == 1)
        votes = votes == b->barrier[number].arrived;
    else if (b->barrier[number].how == 2)
        votes = votes != 0;
    for (uint32_t i = 0; i < b->warps; i++) {
        struct emu_warp *w = &b->warp[i];
        uint32_t waiting = lanes_in(w, LANE_AT_BARRIER);

        for (uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
            int l = __builtin_ctz(rest);

            if (w->waits_at[l] != number)
                continue;
            w->state[l] = LANE_RUNS;
            w->barrier_result = votes;
        }
    }
    memset(&b->barrier[number], 0, sizeof b->barrier[number]);
}

static void release_block_barriers(struct emu_block *b)
{
    for (uint8_t i = 0; i < EMU_NAMED_BARRIERS; i++)
        release_block_barrier(b, i);
}

static void arrive(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    struct emu_block *b = w->block;
    unsigned code = emu_bits(op, 11, 0), mode = emu_bits(op, 79, 77);
    int id_given = code == 0xb1d || code == 0x91d;
    int count_given = code == 0xb1d || code == 0x51d;
    uint32_t id = id_given ? emu_bits(op, 57, 54) : emu_scalar(w, op, op->b);
    uint32_t count =
        count_given ? emu_bits(op, 53, 42) : emu_scalar(w, op, op->b);
    uint8_t number = (uint8_t)(id & (EMU_NAMED_BARRIERS - 1));

    if (mask == 0)
        return;
    if (mode == 4)
        number = 0, count = 0;
    b->barrier[number].arrived += (uint32_t)__builtin_popcount(mask);
    b->barrier[number].expected = count;
    if (mode == 2) {
        b->barrier[number].how = (uint8_t)emu_bits(op, 75, 74);
        b->barrier[number].votes +=
            (uint32_t)__builtin_popcount(mask & emu_predicate(w, op->p));
    }
    if (mode != 1) {
        set_state(w, mask, LANE_AT_BARRIER);
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
            w->waits_at[__builtin_ctz(rest)] = number;
    }
    release_block_barrier(b, number);
}

/* .DIV branches if the active lanes are not those of a uniform register,
 * .CONV if they are. */
static uint32_t taken_lanes(struct emu_warp *w, const struct emu_op *op,
                            uint32_t mask)
{
    unsigned how = emu_bits(op, 33, 32);
    uint32_t lanes;

    mask &= emu_predicate(w, op->p);
    if (emu_bits(op, 11, 0) != 0x947 || !emu_bit(op, 91) || how < 2)
        return mask;
    lanes = emu_scalar(w, op, op->a);
    if (emu_bit(op, 30))
        lanes = ~lanes;
    lanes &= living(w);
    return (mask == lanes) == (how == 3) ? mask : 0;
}

static void jump(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t base[EMU_LANES], fixed = 0;

    if (op->t != NULL && op->t->kind == SASS_TARGET)
        fixed = (uint64_t)op->t->value;
    else if (op->t != NULL)
        fixed = op->sass.pc + INST_BYTES + (uint64_t)op->t->value;
    emu_int64(w, op, op->a, 0, base);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        w->pc[l] = fixed + (op->a != NULL ? base[l] : 0);
    }
}

/* A call to an address: of code of this kernel, or of a function outside it,
 * which is carried out for lane after lane. */
static void call_absolute(struct emu_warp *w, const struct emu_op *op,
                          uint32_t mask)
{
    uint64_t base[EMU_LANES] = {0};

    if (op->a != NULL)
        emu_int64(w, op, op->a, 0, base);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        const char *name;

        w->pc[l] = base[l] + (op->t != NULL ? (uint64_t)op->t->value : 0);
        name = emu_module_outside(w->block->module, w->pc[l]);
        if (name == NULL)
            continue;
        emu_call(w, op, l, name);
        w->pc[l] = (uint64_t)w->r[RETURN_REGISTER + 1][l] << 32 |
                   w->r[RETURN_REGISTER][l];
    }
}

static void sync_warp(struct emu_warp *w, const struct emu_op *op,
                      uint32_t mask)
{
    uint32_t wanted = EMU_ALL;

    if (emu_bits(op, 11, 0) == 0x348)
        wanted = emu_scalar(w, op, op->b != NULL ? op->b : op->a);
    else if (op->sass.cc < 90)
        wanted = emu_bits(op, 63, 32);
    set_state(w, mask, LANE_AT_BSYNC);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        w->waits_at[__builtin_ctz(rest)] = EMU_AT_WARPSYNC;
        w->waits_for[__builtin_ctz(rest)] = wanted;
    }
    release_converged(w);
}

/* Executes a control instruction; the lanes' pcs stand behind it already.
 * Returns the lanes it did something for, which is what a trace shows. */
static uint32_t run_control(struct emu_warp *w, const struct emu_op *op,
                            uint32_t mask)
{
    unsigned number = emu_bits(op, 19, 16);

    switch ((enum emu_control)op->control) {
    case CONTROL_BRA:
        mask = taken_lanes(w, op, mask);
        set_pc(w, mask, (uint64_t)op->t->value);
        w->spins += mask != 0 && op->t->value <= (int64_t)op->sass.pc;
        break;
    case CONTROL_CALL:
        mask &= emu_predicate(w, op->p);
        jump(w, op, mask);
        break;
    case CONTROL_CALL_ABS:
        mask &= emu_predicate(w, op->p);
        call_absolute(w, op, mask);
        break;
    case CONTROL_JUMP:
        mask &= emu_predicate(w, op->p);
        jump(w, op, mask);
        break;
    case CONTROL_EXIT:
        mask &= emu_predicate(w, op->p);
        set_state(w, mask, LANE_EXITED);
        release_converged(w);
        release_block_barriers(w->block);
        break;
    case CONTROL_BSSY:
        w->convergence[number] |= mask;
        break;
    case CONTROL_BSYNC:
        set_state(w, mask, LANE_AT_BSYNC);
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
            w->waits_at[__builtin_ctz(rest)] = (uint8_t)number;
        release_converged(w);
        break;
    case CONTROL_BREAK:
        w->convergence[number] &= ~mask;
        release_converged(w);
        break;
    case CONTROL_WARPSYNC:
        sync_warp(w, op, mask);
        break;
    case CONTROL_BAR:
        arrive(w, op, mask);
        break;
    case CONTROL_NONE:
        break;
    }
    return mask;
}

/* ---- running -------------------------------------------------------------------------- */

static uint32_t guard_lanes(const struct emu_warp *w, const struct teg_sass *s)
{
    uint32_t lanes;

    if (s->guard_uniform)
        lanes = s->guard == TEG_SASS_PT || w->up[s->guard & 7] ? EMU_ALL : 0;
    else
        lanes = s->guard == TEG_SASS_PT ? EMU_ALL : w->p[s->guard & 7];
    return s->guard_negated ? ~lanes : lanes;
}

static uint32_t lanes_at_pc(const struct emu_warp *w, uint32_t runnable,
                            uint64_t pc)
{
    uint32_t found = 0;

    for (uint32_t rest = runnable; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        found |= (uint32_t)(w->pc[l] == pc) << l;
    }
    return found;
}

/* If everybody who runs spins, those who wait at a convergence barrier are what
 * they spin for: they go on alone, as the hardware lets them for a YIELD. */
static void stop_spinning(struct emu_warp *w, uint32_t runnable, uint64_t pc)
{
    w->spins = 0;
    if (lanes_at_pc(w, runnable, pc) == runnable)
        set_state(w, lanes_in(w, LANE_AT_BSYNC), LANE_RUNS);
}

/* The pc of the group to run: the lowest; the highest after too long a spin,
 * for the others are what it spins for. */
static uint64_t choose_pc(struct emu_warp *w, uint32_t runnable)
{
    int highest = w->spins > SPINS_MAX;
    uint64_t pc = w->pc[__builtin_ctz(runnable)];

    for (uint32_t rest = runnable; rest != 0; rest &= rest - 1) {
        uint64_t other = w->pc[__builtin_ctz(rest)];

        if (highest ? other > pc : other < pc)
            pc = other;
    }
    if (highest)
        stop_spinning(w, runnable, pc);
    return pc;
}

static void record(struct emulation *e, const struct emu_warp *w,
                   const struct emu_op *op, uint32_t mask)
{
    teg_block_builder_inst(e->stream[w->number], op->inst, mask, w->address);
}

/* Whether other lanes may join after the instruction: who waited goes on. */
static int may_join(const struct emu_op *op)
{
    return op->control == CONTROL_BSYNC || op->control == CONTROL_WARPSYNC ||
           op->control == CONTROL_BAR || op->control == CONTROL_BREAK;
}

/* Executes one instruction for the lanes of `group`; returns whether the
 * groups have to be formed anew. */
static int step(struct emulation *e, struct emu_warp *w, uint32_t group)
{
    uint64_t pc = w->pc[__builtin_ctz(group)];
    const struct emu_op *op;
    uint32_t mask;

    if (pc % INST_BYTES != 0 || pc / INST_BYTES >= e->ops) {
        op = &e->op[e->ops != 0 ? e->ops - 1 : 0];
        emu_fault(w, op, -1, TEG_LIMIT, "pc 0x%llx is outside the kernel",
                  (unsigned long long)pc);
        return 1;
    }
    op = &e->op[pc / INST_BYTES];
    w->active = group;
    mask = group & guard_lanes(w, &op->sass);
    set_pc(w, group, pc + INST_BYTES);
    if (op->exec == NULL && op->control == CONTROL_NONE) {
        emu_fault(w, op, -1, TEG_LIMIT, "this instruction is not emulated");
        return 1;
    }
    if (op->control != CONTROL_NONE)
        mask = run_control(w, op, mask);
    else if (mask != 0)
        op->exec(w, op, mask);
    if (e->records)
        record(e, w, op, mask);
    if (++w->executed > e->insts_max)
        emu_fault(w, op, -1, TEG_LIMIT,
                  "more than %llu instructions in one warp: an endless loop?",
                  (unsigned long long)e->insts_max);
    return may_join(op);
}

/* Runs the warp until none of its lanes can go on; returns whether one did. */
static int run_warp(struct emulation *e, struct emu_warp *w)
{
    uint32_t runnable = lanes_in(w, LANE_RUNS), group;
    int some = runnable != 0;

    while (runnable != 0 && e->block.status == TEG_OK) {
        uint64_t pc = choose_pc(w, runnable);

        group = lanes_at_pc(w, runnable, pc);
        /* Until it blocks, ends or diverges. */
        while (group != 0 && e->block.status == TEG_OK) {
            uint32_t before = group;
            uint64_t next;

            if (step(e, w, group))
                break;
            group &= lanes_in(w, LANE_RUNS);
            next = group != 0 ? w->pc[__builtin_ctz(group)] : 0;
            if (group != before || w->spins > SPINS_MAX ||
                lanes_at_pc(w, group, next) != group)
                break;
        }
        runnable = lanes_in(w, LANE_RUNS);
    }
    return some;
}

static void start_warp(struct emulation *e, struct emu_warp *w, uint32_t number)
{
    uint32_t threads = e->block.dim[0] * e->block.dim[1] * e->block.dim[2];
    uint32_t left = threads - number * EMU_LANES;

    memset(w, 0, sizeof *w);
    w->block = &e->block;
    w->number = number;
    w->exists = left >= EMU_LANES ? EMU_ALL : (1u << left) - 1;
    w->p[7] = EMU_ALL;
    w->up[7] = 1;
    set_state(w, ~w->exists, LANE_EXITED);
}

static void report_stuck(struct emulation *e)
{
    for (uint32_t i = 0; i < e->block.warps; i++) {
        struct emu_warp *w = &e->block.warp[i];
        uint32_t alive = living(w);

        if (alive == 0)
            continue;
        emu_fault(w,
                  &e->op[w->pc[__builtin_ctz(alive)] / INST_BYTES -
                         (w->pc[__builtin_ctz(alive)] != 0)],
                  __builtin_ctz(alive), TEG_DEADLOCK,
                  "waits for threads that never come");
        return;
    }
}

static void run_block(struct emulation *e)
{
    int some = 1;

    for (uint32_t i = 0; i < e->block.warps; i++) {
        start_warp(e, &e->block.warp[i], i);
        if (!e->records)
            continue;
        teg_block_builder_begin(e->stream[i], e->block.position);
        teg_block_builder_warp(e->stream[i], i);
    }
    memset(e->block.barrier, 0, sizeof e->block.barrier);
    memset(e->block.shared, 0, e->block.shared_bytes);
    while (some && e->block.status == TEG_OK) {
        some = 0;
        for (uint32_t i = 0; i < e->block.warps && e->block.status == TEG_OK;
             i++)
            some |= run_warp(e, &e->block.warp[i]);
    }
    if (e->block.status == TEG_OK && block_threads_alive(&e->block) != 0)
        report_stuck(e);
}

/* ---- the trace of a block -------------------------------------------------------------- */

/* Warps ran interleaved, each into a builder of its own; the block has their
 * streams one after the other. */
static teg_status join_streams(struct emulation *e, struct teg_block **block,
                               struct teg_diag *d)
{
    const uint8_t *bytes;
    size_t size;

    teg_block_builder_begin(e->whole, e->block.position);
    for (uint32_t i = 0; i < e->block.warps; i++) {
        struct teg_block *one;
        struct teg_cursor c;
        struct teg_access a;

        TRY(teg_block_builder_end(e->stream[i], &bytes, &size, d));
        TRY(teg_block_open(&e->kernel.program, bytes, size, e->kernel.name, 0,
                           &one, d));
        teg_block_builder_warp(e->whole, i);
        teg_cursor_init(&c, one, 0);
        while (teg_cursor_next(&c)) {
            uint32_t inst = c.inst, mask = c.mask;

            if (teg_cursor_access(&c, &a))
                teg_block_builder_access(e->whole, inst, &a);
            else
                teg_block_builder_inst(e->whole, inst, mask, NULL);
        }
        teg_block_free(one);
    }
    TRY(teg_block_builder_end(e->whole, &bytes, &size, d));
    return teg_block_open(&e->kernel.program, bytes, size, e->kernel.name, 0,
                          block, d);
}

/* Runs the next block. */
static teg_status run_next(struct emulation *e, struct teg_diag *d)
{
    uint64_t n = e->next++;

    e->block.position[0] = (uint32_t)(n % e->block.grid[0]);
    e->block.position[1] = (uint32_t)(n / e->block.grid[0] % e->block.grid[1]);
    e->block.position[2] = (uint32_t)(n / e->block.grid[0] / e->block.grid[1]);
    e->block.status = TEG_OK;
    e->block.d = d;
    e->records = n >= e->from && n < e->to;
    run_block(e);
    for (uint32_t i = 0; e->warp_insts != NULL && i < e->block.warps; i++)
        *e->warp_insts += e->block.warp[i].executed;
    return e->block.status;
}

static teg_status next(void *self, struct teg_block **block, struct teg_diag *d)
{
    struct emulation *e = self;

    *block = NULL;
    while (e->next != e->blocks) {
        TRY(run_next(e, d));
        if (e->records)
            return join_streams(e, block, d);
    }
    return TEG_OK;
}

static void close_launch(void *self)
{
    struct emulation *e = self;

    for (uint32_t i = 0; e->stream != NULL && i < e->block.warps; i++)
        teg_block_builder_free(e->stream[i]);
    teg_block_builder_free(e->whole);
    free(e->stream);
    free(e->op);
    free(e->bank0);
    emu_module_release(&e->own);
    free(e->block.shared);
    free(e->block.local);
    free(e->block.warp);
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

static teg_status fill_kernel(struct emulation *e,
                              const struct teg_cubin *cubin,
                              const struct emu_launch_facts *f,
                              struct teg_diag *d)
{
    struct teg_kernel *k = &e->kernel;

    k->name = strdup(e->code->name);
    if (k->name == NULL)
        return teg_fail_memory(d);
    memcpy(k->grid, f->grid, sizeof k->grid);
    memcpy(k->block, f->block, sizeof k->block);
    k->registers = e->code->registers;
    k->shared_bytes = (uint32_t)e->block.shared_bytes;
    k->isa = cubin->sm;
    k->shared_base = EMU_SHARED_WINDOW;
    k->local_base = EMU_LOCAL_WINDOW;
    e->block.kernel = k->name;
    e->block.cc = cubin->sm;
    return TEG_OK;
}

static teg_status make_block(struct emulation *e, const struct teg_cubin *cubin,
                             const struct emu_launch_facts *f,
                             struct teg_diag *d)
{
    struct emu_block *b = &e->block;
    uint32_t threads = f->block[0] * f->block[1] * f->block[2];
    uint64_t fixed = e->code->shared_bytes;

    /* The first 1024 bytes are the system's, static variables come behind. */
    if (cubin->sm >= 90)
        fixed += SM90_RESERVED_SHARED;
    memcpy(b->grid, f->grid, sizeof b->grid);
    memcpy(b->dim, f->block, sizeof b->dim);
    b->shared_bytes = fixed + f->dynamic_shared;
    b->local_bytes =
        (e->code->local_bytes + STACK_MARGIN + 15) / 16 * (uint64_t)16;
    b->warps = (threads + EMU_LANES - 1) / EMU_LANES;
    b->warp = malloc(b->warps * sizeof *b->warp);
    b->shared = calloc(1, b->shared_bytes + 16);
    b->local = calloc(b->warps * EMU_LANES, b->local_bytes);
    e->stream = calloc(b->warps, sizeof(struct teg_block_builder *));
    if (b->warp == NULL || b->shared == NULL || b->local == NULL ||
        e->stream == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < b->warps; i++)
        TRY(teg_block_builder_new(&e->kernel.program, &e->stream[i], d));
    return teg_block_builder_new(&e->kernel.program, &e->whole, d);
}

static teg_status open_emulation(struct emulation *e,
                                 const struct teg_cubin *cubin,
                                 struct emu_device *device,
                                 const struct emu_launch_facts *f,
                                 struct teg_diag *d)
{
    if (!teg_sass_supports(cubin->sm))
        return teg_fail(d, TEG_LIMIT, cubin->path,
                        "code for sm_%u is not emulated", cubin->sm);
    TRY(check_facts(f, e->code->name, d));
    e->block.device = device;
    TRY(make_block(e, cubin, f, d));
    TRY(fill_kernel(e, cubin, f, d));
    TRY(prepare_code(e, cubin->sm, d));
    TRY(make_bank0(e, f, d));
    TRY(make_banks(e, cubin, f, d));
    e->blocks = (uint64_t)f->grid[0] * f->grid[1] * f->grid[2];
    e->from = f->from;
    e->to = f->to != 0 ? f->to : e->blocks;
    e->warp_insts = f->warp_insts;
    e->block.outlet = f->outlet;
    e->insts_max = f->insts_max != 0 ? f->insts_max : INSTS_MAX;
    return TEG_OK;
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
