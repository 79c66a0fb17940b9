#include "sim/engine/deadlock.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    WHERE_MAX = 96
};

static void say_where(const struct sim_resident *b, char where[WHERE_MAX])
{
    const uint32_t *at = teg_block_position(b->block);

    snprintf(where, WHERE_MAX, "block %u,%u,%u", at[0], at[1], at[2]);
}

static uint64_t pc_of(const struct sim_warp *w)
{
    return w->grid->ops.program->inst[w->cursor.inst].pc;
}

/* The first warp of the block that is parked so; NULL if there is none. */
static const struct sim_warp *find_parked(const struct sim_sm *sm,
                                          const struct sim_resident *b,
                                          enum sim_parked how)
{
    for (uint64_t rest = b->slots; rest != 0; rest &= rest - 1) {
        const struct sim_warp *w = &sm->warp[__builtin_ctzll(rest)];

        if (w->parked == how)
            return w;
    }
    return NULL;
}

/* The first that ended without EXIT; NULL if there is none. */
static const struct sim_warp *find_missing(const struct sim_sm *sm,
                                           const struct sim_resident *b)
{
    for (uint64_t rest = b->slots; rest != 0; rest &= rest - 1) {
        const struct sim_warp *w = &sm->warp[__builtin_ctzll(rest)];

        if (!w->parked && !w->exited)
            return w;
    }
    return NULL;
}

static teg_status phase_never_ends(const struct sim_resident *b,
                                   const struct sim_warp *w, const char *where,
                                   struct teg_diag *d)
{
    const struct sim_mbarrier *m = &b->mbarriers.at[w->waits_at];

    return teg_fail(d, TEG_DEADLOCK, where,
                    "deadlock: warp %u waits before pc 0x%" PRIx64
                    " for phase %u of the mbarrier at 0x%" PRIx64
                    " of shared memory, to which %" PRId64
                    " arrivals and %" PRId64 " bytes never come",
                    teg_block_warp_id(b->block, w->stream), pc_of(w),
                    w->waits_phase, m->address, m->left, m->bytes);
}

static teg_status barrier_never_opens(const struct sim_resident *b,
                                      const struct sim_warp *w,
                                      const char *where, struct teg_diag *d)
{
    const struct sim_barrier *barrier = &b->barrier[w->waits_at];

    return teg_fail(d, TEG_DEADLOCK, where,
                    "deadlock: warp %u waits at barrier %u before pc 0x%" PRIx64
                    " for %u threads, but only %u come",
                    teg_block_warp_id(b->block, w->stream), w->waits_at,
                    pc_of(w), barrier->wanted, barrier->threads);
}

/* TEG_OK if the block is not what hangs. */
static teg_status block_deadlock(const struct sim_sm *sm,
                                 const struct sim_resident *b,
                                 struct teg_diag *d)
{
    const struct sim_warp *waits, *ended;
    char where[WHERE_MAX];

    say_where(b, where);
    waits = find_parked(sm, b, SIM_PARKED_PHASE);
    if (waits != NULL)
        return phase_never_ends(b, waits, where, d);
    waits = find_parked(sm, b, SIM_PARKED_BARRIER);
    if (waits != NULL && b->barrier[waits->waits_at].wanted != 0)
        return barrier_never_opens(b, waits, where, d);
    ended = find_missing(sm, b);
    if (waits == NULL || ended == NULL)
        return TEG_OK;
    return teg_fail(
        d, TEG_DEADLOCK, where,
        "deadlock: warp %u waits at the barrier before pc 0x%" PRIx64
        ", but warp %u ends at pc 0x%" PRIx64
        " without EXIT and never reaches it",
        teg_block_warp_id(b->block, waits->stream), pc_of(waits),
        teg_block_warp_id(b->block, ended->stream), pc_of(ended));
}

/* TEG_OK if none of the block's warps waits for its cluster. */
static teg_status cluster_deadlock(const struct sim_sm *sm,
                                   const struct sim_resident *b,
                                   struct teg_diag *d)
{
    const struct sim_warp *waits = find_parked(sm, b, SIM_PARKED_CGA);
    char where[WHERE_MAX];

    if (waits == NULL)
        return TEG_OK;
    say_where(b, where);
    return teg_fail(d, TEG_DEADLOCK, where,
                    "deadlock: warp %u waits at its cluster's barrier before "
                    "pc 0x%" PRIx64 ", to which others never come",
                    teg_block_warp_id(b->block, waits->stream), pc_of(waits));
}

static teg_status group_is_short(const struct sim_resident *b,
                                 const struct sim_warp *w, struct teg_diag *d)
{
    char where[WHERE_MAX];

    say_where(b, where);
    return teg_fail(d, TEG_DEADLOCK, where,
                    "deadlock: warp %u waits before pc 0x%" PRIx64
                    ", and its warp group is short of one: a product is of all "
                    "four warps",
                    w->warp_id, pc_of(w));
}

/* TEG_OK if none of the block's warp groups has begun a product that one of its
 * warps never comes to. */
static teg_status product_deadlock(const struct sim_sm *sm,
                                   const struct sim_resident *b,
                                   struct teg_diag *d)
{
    uint64_t owed = sm->owed & b->slots;

    return owed != 0 ? group_is_short(b, &sm->warp[__builtin_ctzll(owed)], d)
                     : TEG_OK;
}

/* TEG_OK if none of its warps waits for its group. */
static teg_status group_deadlock(const struct sim_sm *sm,
                                 const struct sim_resident *b,
                                 struct teg_diag *d)
{
    const struct sim_warp *waits = find_parked(sm, b, SIM_PARKED_GROUP);

    return waits != NULL ? group_is_short(b, waits, d) : TEG_OK;
}

static teg_status each_block(const struct sim_sm *sm, uint32_t sms,
                             teg_status (*look)(const struct sim_sm *sm,
                                                const struct sim_resident *b,
                                                struct teg_diag *d),
                             struct teg_diag *d)
{
    for (uint32_t s = 0; s < sms; s++) {
        for (uint32_t i = 0; i < sim_sm_places(&sm[s]); i++) {
            const struct sim_resident *b = &sm[s].resident[i];

            if (b->block != NULL && b->live != 0)
                TRY(look(&sm[s], b, d));
        }
    }
    return TEG_OK;
}

teg_status sim_deadlock(const struct sim_sm *sm, uint32_t sms,
                        struct teg_diag *d)
{
    uint32_t first = 0;

    TRY(each_block(sm, sms, product_deadlock, d));
    TRY(each_block(sm, sms, block_deadlock, d));
    TRY(each_block(sm, sms, cluster_deadlock, d));
    TRY(each_block(sm, sms, group_deadlock, d));
    while (first + 1 < sms && sm[first].blocks == 0)
        first++;
    return teg_fail(d, TEG_DEADLOCK, "", "SM %u: no warp can go on",
                    sm[first].number);
}
