#include "traces/emulate/core/barriers.h"

#include "isa/base/minmax.h"
#include "traces/emulate/core/lanes.h"
#include "traces/emulate/core/operand.h"
#include "traces/emulate/core/values.h"

/* Of `lanes` those that wait at convergence barrier `number`, or at WARPSYNC. */
static uint32_t of_waiting_at(const struct emu_warp *w, uint32_t lanes,
                              uint8_t number)
{
    uint32_t found = 0;

    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        found |= (uint32_t)(w->waits_at[l] == number) << l;
    }
    return found;
}

static uint32_t waiting_at(const struct emu_warp *w, uint8_t number)
{
    return of_waiting_at(w, w->in[LANE_AT_BSYNC], number);
}

/* Of `lanes` those that wait at a WARPSYNC for the lanes `named`. */
static uint32_t waiting_for(const struct emu_warp *w, uint32_t lanes,
                            uint32_t named)
{
    uint32_t found = 0;

    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        found |= (uint32_t)(w->waits_for[l] == named) << l;
    }
    return found;
}

/* Of `lanes` those that meet `whom` at convergence barrier `number`. */
static uint32_t meeting(const struct emu_warp *w, unsigned number,
                        uint32_t lanes, uint32_t whom)
{
    uint32_t found = 0;

    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        found |= (uint32_t)(w->meets[number][l] == whom) << l;
    }
    return found;
}

static void set_meets(struct emu_warp *w, unsigned number, uint32_t lanes,
                      uint32_t whom)
{
    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1)
        w->meets[number][__builtin_ctz(rest)] = whom;
}

void emu_meet(struct emu_warp *w, unsigned number, uint32_t lanes)
{
    set_meets(w, number, lanes, lanes);
}

void emu_part(struct emu_warp *w, unsigned number, uint32_t lanes)
{
    for (uint32_t rest = lanes; rest != 0;) {
        uint32_t whom = w->meets[number][__builtin_ctz(rest)];
        uint32_t part = meeting(w, number, rest, whom);

        set_meets(w, number, meeting(w, number, whom, whom), whom & ~part);
        rest &= ~part;
    }
    set_meets(w, number, lanes, 0);
}

/* Of `lanes`, all that wait at convergence barrier `number`, those go on whom
 * nobody is missing. */
static void release_met(struct emu_warp *w, uint8_t number, uint32_t lanes)
{
    uint32_t alive = emu_living(w);

    for (uint32_t rest = lanes; rest != 0;) {
        uint32_t whom = w->meets[number][__builtin_ctz(rest)];
        uint32_t together = meeting(w, number, rest, whom);

        rest &= ~together;
        if ((whom & alive & ~together) != 0)
            continue;
        emu_set_state(w, together, LANE_RUNS);
        set_meets(w, number, together, 0);
    }
}

/* Of `lanes`, all that wait at a WARPSYNC: those who name the same lanes wait
 * for each other, wherever they are. */
static void release_named(struct emu_warp *w, uint32_t lanes)
{
    uint32_t alive = emu_living(w);

    for (uint32_t rest = lanes; rest != 0;) {
        uint32_t named = w->waits_for[__builtin_ctz(rest)];
        uint32_t together = waiting_for(w, rest, named);

        if ((named & alive & ~together) == 0)
            emu_set_state(w, together, LANE_RUNS);
        rest &= ~together;
    }
}

void emu_release_converged(struct emu_warp *w)
{
    for (uint32_t rest = w->in[LANE_AT_BSYNC]; rest != 0;) {
        uint8_t number = w->waits_at[__builtin_ctz(rest)];
        uint32_t lanes = of_waiting_at(w, rest, number);

        rest &= ~lanes;
        if (number < EMU_CONVERGENCE)
            release_met(w, number, lanes);
        else if (number == EMU_AT_WARPSYNC)
            release_named(w, lanes);
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
    emu_set_state(w, found, LANE_RUNS);
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
        struct emu_warp *w = &b->warp[i];

        if (release_lanes(w, number) == 0)
            continue;
        w->barrier_result = votes;
        emu_wait_until(w, b->barrier[number].met);
        if (b->gang->order.turns == EMU_TO_BARRIERS)
            emu_turn_anew(w);
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
            if (release_lanes(&b->warp[i], EMU_AT_CLUSTER) != 0)
                emu_wait_until(&b->warp[i], first->met);
        }
    }
}

void emu_cluster_arrive(struct emu_warp *w, const struct emu_op *op,
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
    first->met = teg_max(first->met, emu_clock(w));
    release_cluster_barrier(first);
}

void emu_cluster_wait(struct emu_warp *w, const struct emu_op *op,
                      uint32_t mask)
{
    uint32_t waits = mask & w->arrived;

    if (mask & ~w->owes)
        emu_fault(w, op, __builtin_ctz(mask & ~w->owes), TEG_DEADLOCK,
                  "waits at the cluster's barrier without having come there");
    w->owes &= ~mask;
    emu_set_state(w, waits, LANE_AT_BARRIER);
    for (uint32_t rest = waits; rest != 0; rest &= rest - 1)
        w->waits_at[__builtin_ctz(rest)] = EMU_AT_CLUSTER;
}

void emu_tell_who_awaits(struct emu_warp *w, const uint64_t *barrier)
{
    struct emu_block *first = w->block->cluster;

    if (w->block->in_turn)
        return;
    for (uint32_t k = 0; k < w->block->cluster_blocks; k++) {
        for (uint32_t i = 0; i < first[k].warps; i++) {
            struct emu_warp *other = &first[k].warp[i];

            if (other->awaits != barrier)
                continue;
            emu_wait_until(other, emu_clock(w));
            w->has_told = 1;
            w->until = w->executed;
        }
    }
}

void emu_leave(struct emu_warp *w, uint32_t mask)
{
    struct emu_block *b = w->block;

    emu_set_state(w, mask, LANE_EXITED);
    b->alive -= (uint32_t)__builtin_popcount(mask);
    b->cluster->missing -= (uint32_t)__builtin_popcount(mask & ~w->arrived);
    emu_release_converged(w);
    release_block_barriers(b);
    release_cluster_barrier(b->cluster);
}

void emu_barrier_arrive(struct emu_warp *w, const struct emu_op *op,
                        uint32_t mask)
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
    emu_value_all(w, 0, number);
    emu_value_all(w, 1, count);
    b->barrier[number].arrived += (uint32_t)__builtin_popcount(mask);
    b->barrier[number].expected = count;
    b->barrier[number].met = teg_max(b->barrier[number].met, emu_clock(w));
    if (mode == 2) {
        b->barrier[number].how = (uint8_t)emu_bits(op, 75, 74);
        b->barrier[number].votes +=
            (uint32_t)__builtin_popcount(mask & emu_predicate(w, op->p));
    }
    if (mode != 1) {
        emu_set_state(w, mask, LANE_AT_BARRIER);
        for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
            w->waits_at[__builtin_ctz(rest)] = number;
    }
    release_block_barrier(b, number);
}

uint32_t emu_release_exclusive(struct emu_warp *w)
{
    uint32_t waiting = waiting_at(w, EMU_AT_EXCLUSIVE), group = 0;

    for (uint32_t rest = waiting; rest != 0 && group == 0; rest &= rest - 1) {
        uint32_t mask = w->waits_for[__builtin_ctz(rest)];

        if ((mask & emu_living(w) & ~waiting) != 0)
            continue;
        for (uint32_t lanes = waiting; lanes != 0; lanes &= lanes - 1) {
            int l = __builtin_ctz(lanes);

            group |= (uint32_t)(w->waits_for[l] == mask) << l;
        }
    }
    for (uint32_t rest = group; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest), first = __builtin_ctz(group);

        if (w->goes_to[l] != 0 && w->goes_to[first] != 0)
            w->pc[l] = w->pc[first];
    }
    emu_set_state(w, group, LANE_RUNS);
    return group;
}

void emu_release_bsync(struct emu_warp *w)
{
    for (uint8_t b = 0; b < EMU_CONVERGENCE; b++) {
        uint32_t lanes = waiting_at(w, b);

        emu_part(w, b, lanes);
        emu_set_state(w, lanes, LANE_RUNS);
    }
}

uint32_t emu_release_unbound(struct emu_warp *w)
{
    uint32_t named = 0, found = 0;

    if (w->in[LANE_AT_BSYNC] != emu_living(w))
        return 0;
    for (uint32_t rest = waiting_at(w, EMU_AT_EXCLUSIVE); rest != 0;
         rest &= rest - 1)
        named |= w->waits_for[__builtin_ctz(rest)];
    for (uint8_t b = 0; b < EMU_CONVERGENCE; b++) {
        uint32_t may = waiting_for(w, waiting_at(w, b), EMU_MAY_LEAVE) & named;

        emu_part(w, b, may);
        found |= may;
    }
    emu_set_state(w, found, LANE_RUNS);
    return found;
}

/* numba's reduction, for one, syncs the whole warp in a branch that two lanes
 * take, and ends on every GPU since Volta. */
uint32_t emu_release_lone(struct emu_warp *w)
{
    uint32_t waiting = w->in[LANE_AT_BSYNC];
    uint32_t synced = waiting_at(w, EMU_AT_WARPSYNC), group;

    if (synced == 0 || waiting != emu_living(w))
        return 0;
    group = waiting_for(w, synced, w->waits_for[__builtin_ctz(synced)]);
    emu_set_state(w, group, LANE_RUNS);
    w->undefined[EMU_LONE_SYNCS]++;
    return group;
}
