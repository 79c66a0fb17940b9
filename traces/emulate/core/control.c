#include "traces/emulate/core/control.h"

#include <string.h>

#include "traces/emulate/core/barriers.h"
#include "traces/emulate/core/calls.h"
#include "traces/emulate/core/lanes.h"
#include "traces/emulate/core/operand.h"
#include "traces/emulate/core/values.h"

enum {
    RETURN_REGISTER = 20, /* and the next: where a called function returns */
};

static const struct {
    const char *name;
    enum emu_control control;
} controls[] = {
    {"BRA", CONTROL_BRA},
    {"CALL.REL", CONTROL_CALL},
    {"CALL.ABS", CONTROL_CALL_ABS},
    {"RET.REL", CONTROL_JUMP},
    {"RET.ABS", CONTROL_JUMP_ABS},
    {"BRX", CONTROL_JUMP},
    {"BRXU", CONTROL_JUMP},
    {"EXIT", CONTROL_EXIT},
    {"BSSY", CONTROL_BSSY},
    {"BSYNC", CONTROL_BSYNC},
    {"BREAK", CONTROL_BREAK},
    {"ENDCOLLECTIVE", CONTROL_PART},
    {"WARPSYNC", CONTROL_WARPSYNC},
    {"BAR", CONTROL_BAR},
    {"SYNCS", CONTROL_POLL},
    {"YIELD", CONTROL_YIELD},
    {"NANOSLEEP", CONTROL_SLEEP},
    {"UCGABAR_ARV", CONTROL_CLUSTER_ARRIVE},
    {"UCGABAR_WAIT", CONTROL_CLUSTER_WAIT},
    {"WARPGROUP", CONTROL_PRODUCTS},
};

uint8_t emu_control_of(const char *name)
{
    for (size_t i = 0; i < sizeof controls / sizeof controls[0]; i++) {
        if (strcmp(controls[i].name, name) == 0)
            return (uint8_t)controls[i].control;
    }
    return CONTROL_NONE;
}

/* The group waits for what others do: another group of the warp, if one can
 * run, or else other warps. */
static void poll(struct emu_warp *w)
{
    const struct emu_block *b = w->block;

    w->yields = 1;
    w->polled = w->executed;
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

/* The lanes of `fails` asked for a phase that has not ended.  .TRYWAIT (72)
 * waits a while before it says so: as long as others do something, and not at
 * all where lanes of its own could. */
static void await(struct emu_warp *w, const struct emu_op *op, uint32_t fails)
{
    uint64_t now = w->block->gang->progress + 1;
    int waits = fails != 0 && emu_bit(op, 72) && w->tried != now &&
                w->in[LANE_RUNS] == w->active;

    w->way = fails != 0 ? WAY_POLL : WAY_KEEP;
    w->tries_again = waits;
    w->tried = waits ? now : 0;
}

/* .DEPBAR.LE gsb0, N: a warp group's products but the last N are done when all
 * its warps have come to them, so that one may say for all that their tiles have
 * been read. */
static void await_products(struct emu_warp *w, const struct emu_op *op)
{
    enum {
        GROUP = 4 /* warps */
    };
    const struct emu_block *b = w->block;
    uint64_t pending = emu_bits(op, 79, 72);
    uint32_t first = w->number / GROUP * GROUP;
    int behind = 0;

    for (uint32_t i = first; i < first + GROUP && i < b->warps; i++)
        behind |= emu_living(&b->warp[i]) != 0 &&
                  b->warp[i].products + pending < w->products;
    if (!emu_bit(op, 80) || !behind)
        return;
    w->tries_again = 1;
    w->way = WAY_POLL;
    w->executed++; /* that it waits for nobody is noticed */
    w->asks_until = w->executed;
}

/* Nobody waits here; the trace says for how long. */
static void note_sleep(struct emu_warp *w, const struct emu_op *op)
{
    const uint32_t *ns = emu_row(w, op->b, 0);

    LANES emu_value(w, 0, l, ns[l]);
}

static void jump(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t base[EMU_LANES], fixed = 0;

    if (op->t != NULL && op->t->kind == SASS_TARGET)
        fixed = (uint64_t)op->t->value;
    else if (op->t != NULL)
        fixed = op->pc + TEG_SASS_BYTES + (uint64_t)op->t->value;
    emu_int64(w, op->a, 0, base);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        w->pc[l] = fixed + (op->a != NULL ? base[l] : 0);
    }
}

static void jump_absolute(struct emu_warp *w, const struct emu_op *op,
                          uint32_t mask)
{
    uint64_t base[EMU_LANES];

    emu_int64(w, op->a, 0, base);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        w->pc[l] = base[l] + (op->t != NULL ? (uint64_t)op->t->value : 0);
    }
}

/* Buffers found last may be gone. */
static void forget_buffers(struct emu_gang *g)
{
    for (uint32_t i = 0; i < g->blocks; i++)
        memset(g->block[i].near, 0, sizeof g->block[i].near);
}

/* A call to an address: of code of this kernel or of a function of its cubin,
 * or of one outside it, which is carried out for lane after lane. */
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
        if (w->pc[l] == 0) {
            emu_fault(w, op, l, TEG_LIMIT, "a call to address 0");
            return;
        }
        name = emu_module_outside(w->block->module, w->pc[l]);
        if (name == NULL)
            continue;
        emu_call(w, op, l, name);
        forget_buffers(w->block->gang);
        w->pc[l] = (uint64_t)w->r[RETURN_REGISTER + 1][l] << 32 |
                   w->r[RETURN_REGISTER][l];
    }
}

/* .EXCLUSIVE and .COLLECTIVE let lanes of one mask go on only when those of
 * another wait: what follows, to a barrier, is done by the lanes of one mask
 * together and by nobody else, as a vote of a part of the warp is. */
static int is_exclusive(const struct emu_op *op)
{
    return op->cc < 90 ? emu_bit(op, 86) : emu_bits(op, 86, 85) != 0;
}

/* Lanes that come together to a WARPSYNC and name nobody else go on together,
 * of whatever masks.  (What a vote behind it has of other masks' lanes, compiled
 * code takes away; where it must not have any, there is .EXCLUSIVE.) */
static int names_others(const struct emu_warp *w, uint32_t mask,
                        const uint32_t *wanted)
{
    uint32_t named = 0;

    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        named |= wanted[__builtin_ctz(rest)];
    return (named & emu_living(w) & ~mask) != 0;
}

static void sync_warp(struct emu_warp *w, const struct emu_op *op,
                      uint32_t mask)
{
    const uint32_t *wanted = NULL;
    uint32_t given = op->cc < 90 ? emu_bits(op, 63, 32) : EMU_ALL;

    if (emu_bits(op, 11, 0) == 0x348)
        wanted = emu_row(w, op->b != NULL ? op->b : op->a, 0);
    if (wanted != NULL && !is_exclusive(op) && !names_others(w, mask, wanted))
        return;
    emu_set_state(w, mask, LANE_AT_BSYNC);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        w->waits_at[l] = is_exclusive(op) ? EMU_AT_EXCLUSIVE : EMU_AT_WARPSYNC;
        w->waits_for[l] = wanted != NULL ? wanted[l] : given;
        w->goes_to[l] =
            is_exclusive(op) && op->t != NULL && op->t->kind == SASS_TARGET
                ? (uint64_t)op->t->value
                : 0;
    }
    emu_release_converged(w);
}

uint32_t emu_control_run(struct emu_warp *w, const struct emu_op *op,
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
    case CONTROL_JUMP_ABS:
        mask &= emu_predicate(w, op->p);
        jump_absolute(w, op, mask);
        break;
    case CONTROL_EXIT:
        mask &= emu_predicate(w, op->p);
        emu_leave(w, mask);
        break;
    case CONTROL_BSYNC:
        emu_set_state(w, mask, LANE_AT_BSYNC);
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            int l = __builtin_ctz(rest);

            w->waits_at[l] = (uint8_t)number;
            w->waits_for[l] =
                op->cc >= 100 && emu_bits(op, 73, 72) == 0 ? EMU_MAY_LEAVE : 0;
        }
        emu_release_converged(w);
        break;
    case CONTROL_BREAK:
        emu_part(w, number, mask);
        emu_release_converged(w);
        break;
    case CONTROL_WARPSYNC:
        sync_warp(w, op, mask);
        break;
    case CONTROL_PART:
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
            int l = __builtin_ctz(rest);

            w->pc[l] = w->goes_to[l] != 0 ? w->goes_to[l] : w->pc[l];
            w->goes_to[l] = 0;
        }
        break;
    case CONTROL_BAR:
        emu_barrier_arrive(w, op, mask);
        break;
    case CONTROL_POLL:
        if (mask != 0)
            op->exec(w, op, mask);
        if (emu_bits(op, 11, 0) == 0x5a7 && op->u != NULL)
            await(w, op, mask & ~emu_predicate(w, op->u));
        break;
    case CONTROL_YIELD:
        poll(w);
        break;
    case CONTROL_SLEEP:
        note_sleep(w, op);
        poll(w);
        break;
    case CONTROL_CLUSTER_ARRIVE:
        emu_cluster_arrive(w, op, mask);
        break;
    case CONTROL_CLUSTER_WAIT:
        emu_cluster_wait(w, op, mask);
        break;
    case CONTROL_PRODUCTS:
        await_products(w, op);
        break;
    case CONTROL_NONE:
    case CONTROL_BRA:
    case CONTROL_BSSY:
    case CONTROL_FETCH:
    case CONTROL_LOOK:
    case CONTROL_SWAP:
    case CONTROL_ASK:
        break;
    }
    return mask;
}
