#include "traces/emulate/core/flow.h"

#include <string.h>

#include "traces/block/block.h"
#include "traces/emulate/core/calls.h"
#include "traces/emulate/core/operand.h"

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
    CONTROL_POLL,  /* other warps may be what it waits for */
    CONTROL_YIELD, /* so may they here, and lanes of its own */
    CONTROL_CLUSTER_ARRIVE,
    CONTROL_CLUSTER_WAIT,
};

static const struct {
    const char *name;
    enum emu_control control;
} controls[] = {
    {"BRA", CONTROL_BRA},
    {"CALL.REL", CONTROL_CALL},
    {"CALL.ABS", CONTROL_CALL_ABS},
    {"RET.REL", CONTROL_JUMP},
    {"BRX", CONTROL_JUMP},
    {"EXIT", CONTROL_EXIT},
    {"BSSY", CONTROL_BSSY},
    {"BSYNC", CONTROL_BSYNC},
    {"BREAK", CONTROL_BREAK},
    {"WARPSYNC", CONTROL_WARPSYNC},
    {"BAR", CONTROL_BAR},
    {"SYNCS", CONTROL_POLL},
    {"YIELD", CONTROL_YIELD},
    {"NANOSLEEP", CONTROL_YIELD},
    {"UCGABAR_ARV", CONTROL_CLUSTER_ARRIVE},
    {"UCGABAR_WAIT", CONTROL_CLUSTER_WAIT},
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

/* Lets the lanes go on that wait at a barrier between warps; returns them. */
static uint32_t release_lanes(struct emu_warp *w, uint8_t number)
{
    uint32_t waiting = w->in[LANE_AT_BARRIER], found = 0;

    for (uint32_t rest = waiting; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        found |= (uint32_t)(w->waits_at[l] == number) << l;
    }
    set_state(w, found, LANE_RUNS);
    return found;
}

/* The barrier opens when as many threads have come as are expected, or all
 * that live. */
static void release_block_barrier(struct emu_block *b, uint8_t number)
{
    uint32_t wanted = b->barrier[number].expected;
    uint32_t votes = b->barrier[number].votes;

    if (wanted == 0)
        wanted = b->alive;
    if (b->barrier[number].arrived == 0 || b->barrier[number].arrived < wanted)
        return;
    if (b->barrier[number].how == 1)
        votes = votes == b->barrier[number].arrived;
    else if (b->barrier[number].how == 2)
        votes = votes != 0;
    for (uint32_t i = 0; i < b->warps; i++) {
        if (release_lanes(&b->warp[i], number) != 0)
            b->warp[i].barrier_result = votes;
    }
    memset(&b->barrier[number], 0, sizeof b->barrier[number]);
}

static void release_block_barriers(struct emu_block *b)
{
    for (uint8_t i = 0; i < EMU_NAMED_BARRIERS; i++)
        release_block_barrier(b, i);
}

/* Ends the phase of the cluster's barrier when all threads that live have
 * come. */
static void release_cluster_barrier(struct emu_block *first)
{
    if (first->missing != 0)
        return;
    for (uint32_t k = 0; k < first->cluster_blocks; k++) {
        struct emu_block *b = first + k;

        first->missing += b->alive;
        for (uint32_t i = 0; i < b->warps; i++) {
            b->warp[i].arrived = 0;
            release_lanes(&b->warp[i], EMU_AT_CLUSTER);
        }
    }
}

static void cluster_arrive(struct emu_warp *w, const struct emu_op *op,
                           uint32_t mask)
{
    struct emu_block *first = w->block->cluster;

    if (w->owes & mask)
        emu_fault(w, op, __builtin_ctz(w->owes & mask), TEG_DEADLOCK,
                  "comes to the cluster's barrier again without having waited "
                  "there");
    w->owes |= mask;
    w->arrived |= mask;
    first->missing -= (uint32_t)__builtin_popcount(mask);
    release_cluster_barrier(first);
}

static void cluster_wait(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask)
{
    uint32_t waits = mask & w->arrived;

    if (mask & ~w->owes)
        emu_fault(w, op, __builtin_ctz(mask & ~w->owes), TEG_DEADLOCK,
                  "waits at the cluster's barrier without having come there");
    w->owes &= ~mask;
    set_state(w, waits, LANE_AT_BARRIER);
    for (uint32_t rest = waits; rest != 0; rest &= rest - 1)
        w->waits_at[__builtin_ctz(rest)] = EMU_AT_CLUSTER;
}

/* The threads are gone: barriers wait for them no longer. */
static void leave(struct emu_warp *w, uint32_t mask)
{
    struct emu_block *b = w->block;

    set_state(w, mask, LANE_EXITED);
    b->alive -= (uint32_t)__builtin_popcount(mask);
    b->cluster->missing -= (uint32_t)__builtin_popcount(mask & ~w->arrived);
    release_converged(w);
    release_block_barriers(b);
    release_cluster_barrier(b->cluster);
}

/* The group waits for what others do: another group of the warp, if one can
 * run, or else other warps. */
static void poll(struct emu_warp *w)
{
    const struct emu_block *b = w->block;

    w->yields = 1;
    if (w->in[LANE_RUNS] != w->active) {
        w->steps_back = 1;
        return;
    }
    if (b->in_turn)
        return;
    if (w->seen != b->gang->progress) {
        w->seen = b->gang->progress;
        w->spins = 0;
    }
    w->way = WAY_POLL;
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

/* .U.ANY: one lane takes all along.  .DIV branches if the lanes that execute it are not those of a uniform
 * register, .CONV if they are.  Those of .DIV its guard leaves out go along:
 * compilers guard it with "my mask is as everybody's" (R2UR's predicate). */
static uint32_t taken_lanes(struct emu_warp *w, const struct emu_op *op,
                            uint32_t group, uint32_t mask)
{
    unsigned how = emu_bits(op, 33, 32);
    uint32_t lanes;

    mask &= emu_predicate(w, op->p);
    if (emu_bits(op, 11, 0) == 0x947 && !emu_bit(op, 91) && how == 1 &&
        emu_bit(op, 84))
        return mask != 0 ? group : 0;
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

/* Buffers found last may be gone. */
static void forget_buffers(struct emu_gang *g)
{
    for (uint32_t i = 0; i < g->blocks; i++)
        memset(g->block[i].near, 0, sizeof g->block[i].near);
}

/* A call to an address: of code of this kernel, or of a function outside it,
 * which is carried out for lane after lane. */
static void call_absolute(struct emu_warp *w, const struct emu_op *op,
                          uint32_t mask)
{
    uint64_t base[EMU_LANES] = {0};

    /* Debug and relocatable code; a linker puts the address in. */
    if (op->a == NULL) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  "a call from one section of code to another is not emulated "
                  "(compile without -G)");
        return;
    }
    emu_int64(w, op->a, 0, base);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        const char *name;

        w->pc[l] = base[l] + (op->t != NULL ? (uint64_t)op->t->value : 0);
        name = emu_module_outside(w->block->module, w->pc[l]);
        if (name == NULL)
            continue;
        emu_call(w, op, l, name);
        forget_buffers(w->block->gang);
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
        leave(w, mask);
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
            w->way = mask & ~emu_predicate(w, op->u) ? WAY_POLL : WAY_KEEP;
        break;
    case CONTROL_YIELD:
        poll(w);
        break;
    case CONTROL_CLUSTER_ARRIVE:
        cluster_arrive(w, op, mask);
        break;
    case CONTROL_CLUSTER_WAIT:
        cluster_wait(w, op, mask);
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

/* If everybody who runs spins, other warps may be what they spin for.  Or those
 * who wait at a convergence barrier: after a YIELD they go on alone, as the
 * hardware lets them. */
static void stop_spinning(struct emu_warp *w, uint32_t runnable, uint64_t pc)
{
    w->spins = 0;
    if (lanes_at_pc(w, runnable, pc) != runnable)
        return;
    if (!w->block->in_turn)
        w->way = w->yields ? WAY_POLL : WAY_GIVE;
    if (w->yields)
        set_state(w, w->in[LANE_AT_BSYNC], LANE_RUNS);
    w->yields = 0;
}

/* The pc of the group to run: the lowest; the highest after a YIELD or too long
 * a spin, for the others are what it spins for. */
static uint64_t choose_pc(struct emu_warp *w, uint32_t runnable)
{
    int spins = w->spins > SPINS_MAX, highest = spins || w->steps_back;
    uint64_t pc = w->pc[__builtin_ctz(runnable)];

    for (uint32_t rest = runnable; rest != 0; rest &= rest - 1) {
        uint64_t other = w->pc[__builtin_ctz(rest)];

        if (highest ? other > pc : other < pc)
            pc = other;
    }
    w->steps_back = 0;
    if (spins)
        stop_spinning(w, runnable, pc);
    return pc;
}

static void record(const struct emu_warp *w, const struct emu_op *op,
                   uint32_t mask)
{
    if (w->trace == NULL)
        return;
    if (op->access && w->stride != 0 && mask == EMU_ALL)
        teg_block_builder_line(w->trace, op->inst, w->address[0], w->stride);
    else
        teg_block_builder_inst(w->trace, op->inst, mask, w->address);
}

/* Whether other lanes may join after the instruction: who waited goes on. */
static int may_join(const struct emu_op *op)
{
    return op->control == CONTROL_BSYNC || op->control == CONTROL_WARPSYNC ||
           op->control == CONTROL_BAR || op->control == CONTROL_BREAK ||
           op->control == CONTROL_CLUSTER_ARRIVE ||
           op->control == CONTROL_CLUSTER_WAIT;
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
    if (may_join(op) || w->way != WAY_KEEP || w->steps_back ||
        (group & w->in[LANE_RUNS]) != group)
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
    w->issued++;
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

/* Where the warp stands: the instruction its first living lane did last. */
static const struct emu_op *last_op(const struct emu_warp *w)
{
    uint64_t pc = w->pc[__builtin_ctz(living(w))];

    return &w->block->op[pc / INST_BYTES - (pc != 0)];
}

/* Polling alone is no progress, and ends when it takes too long. */
static void note_progress(struct emu_warp *w, uint64_t insts)
{
    struct emu_gang *g = w->block->gang;

    if (w->way != WAY_POLL) {
        g->progress++;
        g->idle = 0;
        return;
    }
    g->idle += insts;
    if (g->idle > w->block->insts_max)
        emu_fault(w, last_op(w), -1, TEG_DEADLOCK,
                  "waits for what no thread does: more than %llu instructions "
                  "while nobody went on",
                  (unsigned long long)w->block->insts_max);
}

/* Runs the warp until none of its lanes can go on, or others should; returns
 * whether one did. */
static int run_warp(struct emu_warp *w)
{
    uint32_t runnable = w->in[LANE_RUNS];
    uint64_t before = w->executed;

    if (runnable == 0)
        return 0;
    while (runnable != 0 && w->block->status == TEG_OK) {
        uint64_t pc = choose_pc(w, runnable);

        if (w->way != WAY_KEEP)
            break;
        run_group(w, lanes_at_pc(w, runnable, pc), pc);
        runnable = w->in[LANE_RUNS];
        if (runnable == 0)
            runnable = release_exclusive(w);
        if (w->way != WAY_KEEP)
            break;
    }
    note_progress(w, w->executed - before);
    w->way = WAY_KEEP;
    return 1;
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

        if (living(w) == 0)
            continue;
        emu_fault(w, last_op(w), __builtin_ctz(living(w)), TEG_DEADLOCK,
                  "waits for threads that never come");
        return;
    }
}

static void start_block(struct emu_block *b)
{
    b->alive = b->dim[0] * b->dim[1] * b->dim[2];
    b->missing = b->alive * b->cluster_blocks;
    for (uint32_t i = 0; i < b->warps; i++)
        start_warp(b, &b->warp[i], i);
    memset(b->barrier, 0, sizeof b->barrier);
    memset(b->shared, 0, b->shared_bytes);
    for (uint32_t i = 0; i < b->warps && b->records && !b->in_turn; i++) {
        b->warp[i].trace = b->stream[i];
        teg_block_builder_begin(b->stream[i], b->position);
        teg_block_builder_warp(b->stream[i], i);
    }
}

/* Warps in turn from barrier to barrier, each recorded by itself. */
static void run_interleaved(struct emu_gang *g)
{
    int some = 1;

    while (some) {
        some = 0;
        for (uint32_t k = 0; k < g->blocks; k++) {
            struct emu_block *b = &g->block[k];

            for (uint32_t i = 0; i < b->warps; i++) {
                some |= run_warp(&b->warp[i]);
                if (b->status != TEG_OK)
                    return;
            }
        }
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

teg_status emu_gang_run(struct emu_gang *g)
{
    g->idle = 0;
    for (uint32_t k = 0; k < g->blocks; k++)
        start_block(&g->block[k]);
    if (g->block->in_turn)
        run_in_turn(g->block);
    else
        run_interleaved(g);
    for (uint32_t k = 0; k < g->blocks; k++) {
        struct emu_block *b = &g->block[k];

        if (b->status != TEG_OK)
            return b->status;
    }
    for (uint32_t k = 0; k < g->blocks; k++) {
        struct emu_block *b = &g->block[k];

        if (b->alive == 0)
            continue;
        report_stuck(b);
        return b->status;
    }
    return TEG_OK;
}
