#include "traces/emulate/core/flow.h"

#include <stdio.h>
#include <string.h>

#include "isa/base/mix.h"
#include "traces/block/block.h"
#include "traces/emulate/core/barriers.h"
#include "traces/emulate/core/control.h"
#include "traces/emulate/core/lanes.h"
#include "traces/emulate/core/operand.h"
#include "traces/emulate/core/tensor_memory.h"
#include "traces/emulate/core/told.h"

/*
 * Divergence.  Each lane has its own pc; the lanes at one pc form a group.  A
 * group runs until it blocks, ends or diverges, never less: uniform registers
 * are the warp's, and compilers use them anew in each arm of a branch.  Then
 * the group with the lowest pc goes on, which is the one that others wait for.
 * BSSY has lanes meet at a convergence barrier, BSYNC waits until all of them
 * that live have come.  Of one barrier each lane knows whom it meets: arms of a
 * branch use the same one for themselves.  A group that branches backwards again
 * and again makes room for others, so that a lane may wait in a loop for what
 * another lane does.
 *
 * While a group runs its pc is a variable of the loop; the lanes' own are
 * written when it ends.
 *
 * Where warps are interleaved one may have to pause anywhere.  It goes on with
 * the group that ran, for the reason above.
 */
enum {
    SPINS_MAX = 512,
    TURN_MAX = 64,      /* instructions, of an order by seed */
    ASK_EVERY = 100000, /* instructions, for the time */
    /* Instructions that a warp could have executed while a load that polls is
     * under way: some 300 to 600 cycles, of which it issues in one of ten or
     * twenty where others do as well. */
    LOOK_TIME = 32,
};

/* .U.ANY: one lane takes all along.  .DIV branches if the lanes that execute it
 * are not those of a uniform register (without one: not all), .CONV if they are.
 * Those of .DIV its guard leaves out go along: compilers guard it with "my mask
 * is as everybody's" (R2UR's predicate). */
static uint32_t taken_lanes(struct emu_warp *w, const struct emu_op *op,
                            uint32_t group, uint32_t mask)
{
    unsigned how = emu_bits(op, 33, 32);
    uint32_t lanes;

    mask &= emu_predicate(w, op->p) & emu_predicate(w, op->z);
    if (emu_bits(op, 11, 0) == 0x947 && !emu_bit(op, 91) && how == 1 &&
        emu_bit(op, 84))
        return mask != 0 ? group : 0;
    if (emu_bits(op, 11, 0) != 0x947 || how < 2)
        return mask;
    lanes = emu_bit(op, 91) ? emu_scalar(w, op->a) : EMU_ALL;
    if (emu_bit(op, 91) && emu_bit(op, 30))
        lanes = ~lanes;
    lanes &= emu_living(w);
    if (how == 2)
        return mask != lanes ? group : 0;
    return mask == lanes ? mask : 0;
}

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
 * hardware lets them.  Or those who wait at a WARPSYNC.EXCLUSIVE until nobody
 * runs: they go on next, before anybody else comes there. */
static void stop_spinning(struct emu_warp *w, uint32_t runnable, uint64_t pc)
{
    uint32_t exclusive;

    w->spins = 0;
    if (emu_lanes_at_pc(w, runnable, pc) != runnable)
        return;
    if (!w->block->in_turn)
        w->way = w->yields ? WAY_POLL : WAY_GIVE;
    if (w->yields)
        emu_release_bsync(w);
    w->yields = 0;
    exclusive = emu_release_exclusive(w);
    if (exclusive != 0)
        w->paused =
            emu_lanes_at_pc(w, exclusive, w->pc[__builtin_ctz(exclusive)]);
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

static void add_to_trace(const struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask)
{
    teg_block_builder_turn(w->trace, w->number);
    if (op->access && w->stride != 0 && mask == EMU_ALL)
        teg_block_builder_line(w->trace, op->inst, w->address[0], w->stride);
    else
        teg_block_builder_inst(w->trace, op->inst, mask, w->address);
    for (unsigned v = 0; mask != 0 && v < op->values; v++)
        teg_block_builder_value(w->trace, w->value[v]);
}

static inline void record(const struct emu_warp *w, const struct emu_op *op,
                          uint32_t mask)
{
    if (w->trace != NULL)
        add_to_trace(w, op, mask);
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

    uint64_t functions = b->ops - b->own_ops;

    if (pc % TEG_SASS_BYTES == 0 && pc / TEG_SASS_BYTES < b->own_ops)
        return &b->op[pc / TEG_SASS_BYTES];
    if (pc % TEG_SASS_BYTES == 0 && pc >= EMU_FUNCTIONS &&
        (pc - EMU_FUNCTIONS) / TEG_SASS_BYTES < functions)
        return &b->op[b->own_ops + (pc - EMU_FUNCTIONS) / TEG_SASS_BYTES];
    emu_fault(w, &b->op[b->own_ops != 0 ? b->own_ops - 1 : 0], -1, TEG_LIMIT,
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
        *pc += TEG_SASS_BYTES;
        return GOES_ON;
    }
    if (taken == group && w->spins <= SPINS_MAX) {
        *pc = target;
        return GOES_ON;
    }
    emu_set_pc(w, group & ~taken, *pc + TEG_SASS_BYTES);
    emu_set_pc(w, taken, target);
    return ENDS;
}

/* As if the group had not come there yet. */
static enum after try_again(struct emu_warp *w, const struct emu_op *op,
                            uint32_t group, uint32_t mask)
{
    w->tries_again = 0;
    w->issued--;
    w->lanes_executed -= (uint64_t)__builtin_popcount(mask);
    emu_set_pc(w, group, op->pc);
    return ENDS;
}

/* Whether warps stand in front of their swaps, still. */
static int swaps_in_turn(const struct emu_warp *w)
{
    const struct emu_gang *g = w->block->gang;

    return g->swaps < g->order.swaps_max;
}

/* A swap takes as long as a load that polls, or by chance up to twice that: SMs' ways
 * to L2 differ, and what is queued there, so who comes first in a round of those who
 * try again is another one in the next.  In one order for ever each round's lowest
 * would win, and a maximum that 8,192 warps raise would take fifty times as long as
 * on an H200. */
static void note_swap(struct emu_warp *w)
{
    uint64_t *swaps = &w->block->gang->swaps;

    if (swaps_in_turn(w))
        w->waited += LOOK_TIME + teg_mix(*swaps) % LOOK_TIME;
    else
        w->undefined[EMU_SWAPS_APART]++;
    ++*swaps;
    w->asks_until = w->executed + SPINS_MAX;
}

/* In front of a fetch: the warp gets on when it is the next to take work. */
static enum after stand(struct emu_warp *w, const struct emu_op *op,
                        uint32_t group, uint32_t mask)
{
    w->fetch = FETCH_STANDS;
    w->paused = group;
    w->way = WAY_GIVE;
    return try_again(w, op, group, mask);
}

/* Every other control instruction; `*pc` is where the group goes on. */
static enum after control(struct emu_warp *w, const struct emu_op *op,
                          uint32_t group, uint32_t mask, uint64_t *pc)
{
    uint32_t did;

    emu_set_pc(w, group, *pc + TEG_SASS_BYTES);
    did = emu_control_run(w, op, mask);
    if (w->tries_again)
        return try_again(w, op, group, mask);
    record(w, op, did);
    if (may_join(op) || w->way != WAY_KEEP || w->steps_back ||
        (group & w->in[LANE_RUNS]) != group)
        return ENDS;
    *pc = w->pc[__builtin_ctz(group)];
    return emu_lanes_at_pc(w, group, *pc) == group ? GOES_ON : ENDS;
}

/* An instruction that is no control instruction. */
static inline enum after carry_out(struct emu_warp *w, const struct emu_op *op,
                                   uint32_t mask, uint64_t *pc)
{
    if (mask != 0 && op->exec != NULL)
        op->exec(w, op, mask);
    else if (mask != 0)
        emu_refuse(w, op);
    if (op->tells | op->awaits)
        emu_told_note(w, op, mask);
    record(w, op, mask);
    *pc += TEG_SASS_BYTES;
    return GOES_ON;
}

/* Where blocks meet: in front of what they meet by. */
static enum after meet(struct emu_warp *w, const struct emu_op *op,
                       uint32_t group, uint32_t mask, uint64_t *pc)
{
    int goes_on = w->fetch == FETCH_MAY ||
                  (op->control == CONTROL_SWAP && !swaps_in_turn(w));

    if (mask != 0 && !goes_on)
        return stand(w, op, group, mask);
    w->fetch = FETCH_NONE;
    if (mask != 0 && op->control == CONTROL_LOOK)
        w->waited += LOOK_TIME;
    if (mask != 0 && op->control == CONTROL_SWAP)
        note_swap(w);
    return carry_out(w, op, mask, pc);
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
        return carry_out(w, op, mask, pc);
    case CONTROL_FETCH:
    case CONTROL_LOOK:
    case CONTROL_SWAP:
        return meet(w, op, group, mask, pc);
    case CONTROL_ASK:
        w->asks_until = w->executed + SPINS_MAX;
        return carry_out(w, op, mask, pc);
    case CONTROL_BRA:
        return branch(w, op, group, mask, pc);
    case CONTROL_BSSY:
        emu_meet(w, emu_bits(op, 19, 16), mask);
        record(w, op, mask);
        *pc += TEG_SASS_BYTES;
        return GOES_ON;
    default:
        return control(w, op, group, mask, pc);
    }
}

/* The warp has executed as much as it may: in its turn, or at all.  Returns
 * whether the former. */
static int pauses(struct emu_warp *w, const struct emu_op *op, uint32_t group)
{
    uint64_t most = w->block->limit.insts;

    if (w->executed > most) {
        char what[96];

        snprintf(what, sizeof what,
                 "more than %llu instructions in one warp: an endless loop?",
                 (unsigned long long)most);
        emu_fault_waiting(w, op, -1, TEG_LIMIT, what);
        return 0;
    }
    w->paused = group;
    /* A turn may be a part of a loop that waits. */
    w->way = w->has_told || w->executed - w->polled > SPINS_MAX ? WAY_GIVE
                                                                : WAY_POLL;
    return 1;
}

/* Runs the group at `pc` until it blocks, ends or diverges, or the warp's turn
 * is over. */
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
        if (++w->executed > w->until && pauses(w, op, group))
            break;
    }
    emu_set_pc(w, group, pc);
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
    if (g->idle > w->block->limit.insts) {
        char what[192];

        snprintf(what, sizeof what,
                 "waits for what no thread does: more than %llu instructions "
                 "while nobody went on%s",
                 (unsigned long long)w->block->limit.insts,
                 g->order.grid ? ""
                               : " (a block that comes later may do it: "
                                 "--interleave=grid)");
        emu_fault_waiting(w, emu_last_op(w), -1, TEG_DEADLOCK, what);
    }
}

/* The launch may have taken the seconds that it gets. The clock is asked every
 * few milliseconds: who runs for ever comes by, for a group ends after so many
 * branches backwards. */
static void mind_time(struct emu_warp *w)
{
    const struct emu_block *b = w->block;
    char what[96];

    if (b->limit.seconds == 0 || b->gang->unasked < ASK_EVERY)
        return;
    b->gang->unasked = 0;
    if (b->clock() - b->began <= b->limit.seconds)
        return;
    snprintf(what, sizeof what,
             "more than %u seconds in one launch: an endless loop?",
             (unsigned)b->limit.seconds);
    emu_fault_waiting(w, emu_last_op(w), -1, TEG_LIMIT, what);
}

/* Runs the group whose turn it is. */
static void run_some(struct emu_warp *w, uint32_t runnable)
{
    uint32_t group = w->paused;
    uint64_t pc;

    if (group != 0) {
        w->paused = 0;
        run_group(w, group, w->pc[__builtin_ctz(group)]);
        return;
    }
    pc = choose_pc(w, runnable);
    if (w->way == WAY_KEEP)
        run_group(w, emu_lanes_at_pc(w, runnable, pc), pc);
}

/* How a warp's turn went. */
enum turn {
    TURN_NONE, /* none of its lanes can go on */
    TURN_OVER, /* it went on: to a barrier, a fetch, its end or that of the turn */
    TURN_SPUN, /* it went round a loop again and again, or yielded */
    TURN_VAIN, /* and asked there for what others do */
};

static enum turn turn_of(const struct emu_warp *w)
{
    if (w->way == WAY_KEEP || w->fetch == FETCH_STANDS ||
        w->executed > w->until)
        return TURN_OVER;
    return w->tried != 0 || w->executed <= w->asks_until ? TURN_VAIN
                                                         : TURN_SPUN;
}

/* Runs the warp until none of its lanes can go on, or others should. */
static enum turn run_warp(struct emu_warp *w)
{
    enum turn turn;
    uint32_t runnable = w->in[LANE_RUNS];
    uint64_t before = w->executed;

    if (runnable == 0)
        return TURN_NONE;
    w->has_told = 0;
    while (runnable != 0 && w->block->status == TEG_OK) {
        uint64_t from = w->executed;

        mind_time(w);
        run_some(w, runnable);
        w->block->gang->unasked += w->executed - from + 1;
        runnable = w->in[LANE_RUNS];
        if (runnable == 0)
            runnable = emu_release_exclusive(w);
        if (runnable == 0)
            runnable = emu_release_unbound(w);
        if (runnable == 0)
            runnable = emu_release_lone(w);
        if (w->way != WAY_KEEP)
            break;
    }
    note_progress(w, w->executed - before);
    turn = turn_of(w);
    w->way = WAY_KEEP;
    return turn;
}

static void start_warp(struct emu_block *b, struct emu_warp *w, uint32_t number,
                       uint64_t clock)
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
    w->until = b->limit.insts;
    w->turn = b->limit.insts;
    w->waited = clock;
    w->in[LANE_RUNS] = w->exists;
    w->in[LANE_EXITED] = ~w->exists;
}

static void report_stuck(struct emu_block *b)
{
    for (uint32_t i = 0; i < b->warps; i++) {
        struct emu_warp *w = &b->warp[i];

        if (emu_living(w) == 0)
            continue;
        emu_fault_waiting(w, emu_last_op(w), __builtin_ctz(emu_living(w)),
                          TEG_DEADLOCK, "waits for threads that never come");
        return;
    }
}

void emu_block_begin(struct emu_block *b, uint64_t clock)
{
    b->alive = b->dim[0] * b->dim[1] * b->dim[2];
    b->missing = b->alive * b->cluster_blocks;
    for (uint32_t i = 0; i < b->warps; i++)
        start_warp(b, &b->warp[i], i, clock);
    b->met = 0;
    memset(b->barrier, 0, sizeof b->barrier);
    memset(b->shared, 0, b->shared_bytes);
    if (b->tensor != NULL)
        emu_tensor_begin(b);
    if (b->records)
        teg_block_builder_begin(b->trace, b->position);
    for (uint32_t i = 0; i < b->warps && b->records; i++) {
        teg_block_builder_warp(b->trace, i);
        b->warp[i].trace = b->trace;
    }
}

/* How many instructions the warp's next turn has, as a point at which it
 * ends. */
static uint64_t end_of_turn(struct emu_gang *g, struct emu_warp *w)
{
    uint64_t most = w->block->limit.insts, turn = 1;

    if (g->order.turns == EMU_TO_BARRIERS) {
        turn = w->turn;
        w->turn = turn < most ? turn * 2 : turn;
    }
    if (g->order.turns == EMU_BY_SEED) {
        /* xorshift64* */
        g->random ^= g->random >> 12;
        g->random ^= g->random << 25;
        g->random ^= g->random >> 27;
        turn = 1 + (g->random * 0x2545f4914f6cdd1du >> 32) % TURN_MAX;
    }
    /* The turn ends when one more has been executed. */
    turn += w->executed - 1;
    return turn < most ? turn : most;
}

/* Warps in turn, each recorded by itself. */
static void run_interleaved(struct emu_gang *g)
{
    int some = 1;

    while (some) {
        some = 0;
        for (uint32_t k = 0; k < g->blocks; k++) {
            struct emu_block *b = &g->block[k];

            for (uint32_t i = 0; i < b->warps; i++) {
                b->warp[i].until = end_of_turn(g, &b->warp[i]);
                some |= run_warp(&b->warp[i]) != TURN_NONE;
                if (b->status != TEG_OK)
                    return;
            }
        }
    }
}

/* A turn of each warp of the block that may have one; what they came to is
 * noted in `came`. */
static void run_round(struct emu_block *b, int came[TURN_VAIN + 1])
{
    for (uint32_t i = 0; i < b->warps && b->status == TEG_OK; i++) {
        struct emu_warp *w = &b->warp[i];
        enum turn turn;

        if (w->fetch == FETCH_STANDS)
            continue;
        w->until = end_of_turn(b->gang, w);
        turn = run_warp(w);
        w->in_vain = turn == TURN_VAIN;
        came[turn] = 1;
    }
}

int emu_cluster_run(struct emu_block *first)
{
    int ran = 0, goes_on = 1;

    while (goes_on) {
        int came[TURN_VAIN + 1] = {0};

        for (uint32_t k = 0; k < first->cluster_blocks; k++) {
            run_round(&first[k], came);
            if (first[k].status != TEG_OK)
                return 1;
        }
        ran |= came[TURN_OVER] || came[TURN_SPUN] || came[TURN_VAIN];
        goes_on = came[TURN_OVER] && !came[TURN_SPUN];
    }
    return ran;
}

teg_status emu_block_end(struct emu_block *b)
{
    if (b->alive != 0)
        report_stuck(b);
    else
        emu_tensor_end(b);
    return b->status;
}

static void run_in_turn(struct emu_block *b)
{
    for (uint32_t i = 0; i < b->warps && b->status == TEG_OK; i++)
        run_warp(&b->warp[i]);
}

teg_status emu_gang_run(struct emu_gang *g)
{
    g->idle = 0;
    for (uint32_t k = 0; k < g->blocks; k++)
        emu_block_begin(&g->block[k], 0);
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
        if (g->block[k].alive != 0)
            return emu_block_end(&g->block[k]);
    }
    for (uint32_t k = 0; k < g->blocks; k++)
        TRY(emu_block_end(&g->block[k]));
    return TEG_OK;
}
