#include "traces/emulate/flow.h"

#include <string.h>

#include "traces/block.h"
#include "traces/emulate/calls.h"
#include "traces/emulate/operand.h"

/*
 * Divergence.  Each lane has its own pc; the lanes at one pc form a group.  A
 * group runs until it blocks, ends or diverges, never less: uniform registers
 * are the warp's, and compilers use them anew in each arm of a branch.  Then
 * the group with the lowest pc goes on, which is the one that others wait for.
 * BSSY adds lanes to a convergence barrier, BSYNC waits until all of them that
 * live have come.  A group that branches backwards again and again makes room
 * for others, so that a lane may wait in a loop for what another lane does.
 *
 * While a group runs its pc is a variable of the loop; the lanes' own are
 * written when it ends.
 */
enum {
    INST_BYTES = TEG_SASS_BYTES,
    SPINS_MAX = 512,
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
    CONTROL_POLL, /* other warps may be what it waits for */
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
    {"BAR", CONTROL_BAR},           {"SYNCS", CONTROL_POLL},
};

uint8_t emu_flow_control(const char *name)
{
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        if (strcmp(controls[i].name, name) == 0)
            return (uint8_t)controls[i].control;
    }
    return CONTROL_NONE;
}

/* ---- lanes ------------------------------------------------------------------- */

static uint32_t living(const struct emu_warp *w)
{
    return w->exists & ~w->in[LANE_EXITED];
}

static void set_state(struct emu_warp *w, uint32_t mask,
                      enum emu_lane_state state)
{
    for (unsigned s = 0; s < LANE_STATES; s++)
        w->in[s] &= ~mask;
    w->in[state] |= mask;
}

static void set_pc(struct emu_warp *w, uint32_t mask, uint64_t pc)
{
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        w->pc[__builtin_ctz(rest)] = pc;
}

static uint32_t lanes_at_pc(const struct emu_warp *w, uint32_t lanes,
                            uint64_t pc)
{
    uint32_t found = 0;

    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        found |= (uint32_t)(w->pc[l] == pc) << l;
    }
    return found;
}

/* ---- barriers ------------------------------------------------------------------- */

/* Lanes waiting at convergence barrier `number`, or at WARPSYNC. */
static uint32_t waiting_at(const struct emu_warp *w, uint8_t number)
{
    uint32_t waiting = w->in[LANE_AT_BSYNC], found = 0;

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
            set_state(w, 1u << l, LANE_RUNS);
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
        uint32_t waiting = w->in[LANE_AT_BARRIER];

        for (uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
            int l = __builtin_ctz(rest);

            if (w->waits_at[l] != number)
                continue;
            set_state(w, 1u << l, LANE_RUNS);
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
    uint32_t id = id_given ? emu_bits(op, 57, 54) : emu_scalar(w, op->b);
    uint32_t count = count_given ? emu_bits(op, 53, 42) : emu_scalar(w, op->b);
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

/* .DIV branches if the lanes that execute it are not those of a uniform
 * register, .CONV if they are.  Those of .DIV its guard leaves out go along:
 * compilers guard it with "my mask is as everybody's" (R2UR's predicate). */
static uint32_t taken_lanes(struct emu_warp *w, const struct emu_op *op,
                            uint32_t group, uint32_t mask)
{
    unsigned how = emu_bits(op, 33, 32);
    uint32_t lanes;

    mask &= emu_predicate(w, op->p);
    if (emu_bits(op, 11, 0) != 0x947 || !emu_bit(op, 91) || how < 2)
        return mask;
    lanes = emu_scalar(w, op->a);
    if (emu_bit(op, 30))
        lanes = ~lanes;
    lanes &= living(w);
    if (how == 2)
        return mask != lanes ? group : 0;
    return mask == lanes ? mask : 0;
}

/* ---- control instructions ------------------------------------------------------- */

static void jump(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t base[EMU_LANES], fixed = 0;

    if (op->t != NULL && op->t->kind == SASS_TARGET)
        fixed = (uint64_t)op->t->value;
    else if (op->t != NULL)
        fixed = op->pc + INST_BYTES + (uint64_t)op->t->value;
    emu_int64(w, op->a, 0, base);
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
        emu_int64(w, op->a, 0, base);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        const char *name;

        w->pc[l] = base[l] + (op->t != NULL ? (uint64_t)op->t->value : 0);
        name = emu_module_outside(w->block->module, w->pc[l]);
        if (name == NULL)
            continue;
        emu_call(w, op, l, name);
        memset(w->block->near, 0, sizeof w->block->near);
        w->pc[l] = (uint64_t)w->r[RETURN_REGISTER + 1][l] << 32 |
                   w->r[RETURN_REGISTER][l];
    }
}

/* .EXCLUSIVE lets lanes of one mask go on only when those of another wait. */
static int is_exclusive(const struct emu_op *op)
{
    return op->cc < 90 ? emu_bit(op, 86) : emu_bits(op, 86, 85) == 1;
}

static void sync_warp(struct emu_warp *w, const struct emu_op *op,
                      uint32_t mask)
{
    const uint32_t *wanted = NULL;
    uint32_t given = op->cc < 90 ? emu_bits(op, 63, 32) : EMU_ALL;

    if (emu_bits(op, 11, 0) == 0x348)
        wanted = emu_row(w, op->b != NULL ? op->b : op->a, 0);
    set_state(w, mask, LANE_AT_BSYNC);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        w->waits_at[l] = is_exclusive(op) ? EMU_AT_EXCLUSIVE : EMU_AT_WARPSYNC;
        w->waits_for[l] = wanted != NULL ? wanted[l] : given;
    }
    release_converged(w);
}

/* Nobody runs: lets the first lanes go on that came to WARPSYNC.EXCLUSIVE with
 * the same mask and are all there.  Returns them. */
static uint32_t release_exclusive(struct emu_warp *w)
{
    uint32_t waiting = waiting_at(w, EMU_AT_EXCLUSIVE), group = 0;

    for (uint32_t rest = waiting; rest != 0 && group == 0; rest &= rest - 1) {
        uint32_t mask = w->waits_for[__builtin_ctz(rest)];

        if ((mask & living(w) & ~waiting) != 0)
            continue;
        for (uint32_t lanes = waiting; lanes != 0; lanes &= lanes - 1) {
            int l = __builtin_ctz(lanes);

            group |= (uint32_t)(w->waits_for[l] == mask) << l;
        }
    }
    set_state(w, group, LANE_RUNS);
    return group;
}

/* Executes a control instruction; the lanes' pcs stand behind it already.
 * Returns the lanes it did something for, which is what a trace shows. */
static uint32_t run_control(struct emu_warp *w, const struct emu_op *op,
                            uint32_t mask)
{
    unsigned number = emu_bits(op, 19, 16);

    switch ((enum emu_control)op->control) {
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
    case CONTROL_POLL:
        if (mask != 0)
            op->exec(w, op, mask);
        if (emu_bits(op, 11, 0) == 0x5a7 && op->u != NULL)
            w->polls = (mask & ~emu_predicate(w, op->u)) != 0;
        break;
    case CONTROL_NONE:
    case CONTROL_BRA:
    case CONTROL_BSSY:
        break;
    }
    return mask;
}

/* ---- running -------------------------------------------------------------------------- */

static uint32_t guard_lanes(const struct emu_warp *w, const struct emu_op *op)
{
    uint32_t lanes;

    if (op->guard_uniform)
        lanes = w->up[op->guard & 7] ? EMU_ALL : 0;
    else
        lanes = w->p[op->guard & 7];
    return op->guard_negated ? ~lanes : lanes;
}

/* If everybody who runs spins, those who wait at a convergence barrier are what
 * they spin for: they go on alone, as the hardware lets them for a YIELD. */
static void stop_spinning(struct emu_warp *w, uint32_t runnable, uint64_t pc)
{
    w->spins = 0;
    if (lanes_at_pc(w, runnable, pc) == runnable)
        set_state(w, w->in[LANE_AT_BSYNC], LANE_RUNS);
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

static void record(const struct emu_warp *w, const struct emu_op *op,
                   uint32_t mask)
{
    if (w->trace != NULL)
        teg_block_builder_inst(w->trace, op->inst, mask, w->address);
}

/* Whether other lanes may join after the instruction: who waited goes on. */
static int may_join(const struct emu_op *op)
{
    return op->control == CONTROL_BSYNC || op->control == CONTROL_WARPSYNC ||
           op->control == CONTROL_BAR || op->control == CONTROL_BREAK;
}

static const struct emu_op *op_at(struct emu_warp *w, uint64_t pc)
{
    const struct emu_block *b = w->block;

    if (pc % INST_BYTES == 0 && pc / INST_BYTES < b->ops)
        return &b->op[pc / INST_BYTES];
    emu_fault(w, &b->op[b->ops != 0 ? b->ops - 1 : 0], -1, TEG_LIMIT,
              "pc 0x%llx is outside the kernel", (unsigned long long)pc);
    return NULL;
}

/* What becomes of the group after an instruction. */
enum after {
    GOES_ON, /* all of it, at the pc */
    ENDS,    /* the groups have to be formed anew, from the lanes' pcs */
};

/* The branch: the group goes one way, or its lanes part. */
static enum after branch(struct emu_warp *w, const struct emu_op *op,
                         uint32_t group, uint32_t mask, uint64_t *pc)
{
    uint32_t taken = taken_lanes(w, op, group, mask);
    uint64_t target = (uint64_t)op->t->value;

    record(w, op, taken);
    w->spins += taken != 0 && target <= op->pc;
    if (taken == 0) {
        *pc += INST_BYTES;
        return GOES_ON;
    }
    if (taken == group && w->spins <= SPINS_MAX) {
        *pc = target;
        return GOES_ON;
    }
    set_pc(w, group & ~taken, *pc + INST_BYTES);
    set_pc(w, taken, target);
    return ENDS;
}

/* Every other control instruction; `*pc` is where the group goes on. */
static enum after control(struct emu_warp *w, const struct emu_op *op,
                          uint32_t group, uint32_t mask, uint64_t *pc)
{
    set_pc(w, group, *pc + INST_BYTES);
    record(w, op, run_control(w, op, mask));
    if (may_join(op) || w->polls || (group & w->in[LANE_RUNS]) != group)
        return ENDS;
    *pc = w->pc[__builtin_ctz(group)];
    return lanes_at_pc(w, group, *pc) == group ? GOES_ON : ENDS;
}

/* Executes one instruction for the lanes of `group`. */
static enum after step(struct emu_warp *w, const struct emu_op *op,
                       uint32_t group, uint64_t *pc)
{
    uint32_t mask = group;

    if (op->guard != TEG_SASS_PT || op->guard_negated)
        mask &= guard_lanes(w, op);
    w->lanes_executed += mask == EMU_ALL ? (uint64_t)EMU_LANES
                                         : (uint64_t)__builtin_popcount(mask);
    switch (op->control) {
    case CONTROL_NONE:
        if (mask != 0 && op->exec != NULL)
            op->exec(w, op, mask);
        else if (mask != 0)
            emu_fault(w, op, -1, TEG_LIMIT, "this instruction is not emulated");
        record(w, op, mask);
        *pc += INST_BYTES;
        return GOES_ON;
    case CONTROL_BRA:
        return branch(w, op, group, mask, pc);
    case CONTROL_BSSY:
        w->convergence[emu_bits(op, 19, 16)] |= mask;
        record(w, op, mask);
        *pc += INST_BYTES;
        return GOES_ON;
    default:
        return control(w, op, group, mask, pc);
    }
}

/* Runs the group at `pc` until it blocks, ends or diverges. */
static void run_group(struct emu_warp *w, uint32_t group, uint64_t pc)
{
    struct emu_block *b = w->block;

    w->active = group;
    while (b->status == TEG_OK) {
        const struct emu_op *op = op_at(w, pc);

        if (op == NULL)
            break;
        if (step(w, op, group, &pc) == ENDS)
            return;
        if (++w->executed > b->insts_max)
            emu_fault(w, op, -1, TEG_LIMIT,
                      "more than %llu instructions in one warp: an endless "
                      "loop?",
                      (unsigned long long)b->insts_max);
    }
    set_pc(w, group, pc);
}

/* Runs the warp until none of its lanes can go on; returns whether one did. */
static int run_warp(struct emu_warp *w)
{
    uint32_t runnable = w->in[LANE_RUNS];
    int some = runnable != 0;

    while (runnable != 0 && w->block->status == TEG_OK) {
        uint64_t pc = choose_pc(w, runnable);

        run_group(w, lanes_at_pc(w, runnable, pc), pc);
        runnable = w->in[LANE_RUNS];
        if (runnable == 0)
            runnable = release_exclusive(w);
        if (w->polls)
            break;
    }
    w->polls = 0;
    return some;
}

static void start_warp(struct emu_block *b, struct emu_warp *w, uint32_t number)
{
    uint32_t left = b->dim[0] * b->dim[1] * b->dim[2] - number * EMU_LANES;

    memset(w, 0, offsetof(struct emu_warp, r));
    memset(w->r, 0, b->registers * sizeof w->r[0]);
    memset(w->r[EMU_UNIFORM_ROW], 0, b->uniforms * sizeof w->r[0]);
    w->block = b;
    w->number = number;
    w->exists = left >= EMU_LANES ? EMU_ALL : (1u << left) - 1;
    w->p[7] = EMU_ALL;
    w->up[7] = 1;
    w->in[LANE_RUNS] = w->exists;
    w->in[LANE_EXITED] = ~w->exists;
}

static void report_stuck(struct emu_block *b)
{
    for (uint32_t i = 0; i < b->warps; i++) {
        struct emu_warp *w = &b->warp[i];
        uint32_t alive = living(w);

        if (alive == 0)
            continue;
        emu_fault(w,
                  &b->op[w->pc[__builtin_ctz(alive)] / INST_BYTES -
                         (w->pc[__builtin_ctz(alive)] != 0)],
                  __builtin_ctz(alive), TEG_DEADLOCK,
                  "waits for threads that never come");
        return;
    }
}

/* Warps in turn from barrier to barrier, each recorded by itself. */
static void run_interleaved(struct emu_block *b)
{
    int some = 1;

    for (uint32_t i = 0; i < b->warps && b->records; i++) {
        b->warp[i].trace = b->stream[i];
        teg_block_builder_begin(b->stream[i], b->position);
        teg_block_builder_warp(b->stream[i], i);
    }
    while (some && b->status == TEG_OK) {
        some = 0;
        for (uint32_t i = 0; i < b->warps && b->status == TEG_OK; i++)
            some |= run_warp(&b->warp[i]);
    }
}

static void run_in_turn(struct emu_block *b)
{
    if (b->records)
        teg_block_builder_begin(b->whole, b->position);
    for (uint32_t i = 0; i < b->warps && b->status == TEG_OK; i++) {
        if (b->records) {
            b->warp[i].trace = b->whole;
            teg_block_builder_warp(b->whole, i);
        }
        run_warp(&b->warp[i]);
    }
}

void emu_block_run(struct emu_block *b)
{
    for (uint32_t i = 0; i < b->warps; i++)
        start_warp(b, &b->warp[i], i);
    memset(b->barrier, 0, sizeof b->barrier);
    memset(b->shared, 0, b->shared_bytes);
    if (b->in_turn)
        run_in_turn(b);
    else
        run_interleaved(b);
    if (b->status == TEG_OK && block_threads_alive(b) != 0)
        report_stuck(b);
}
