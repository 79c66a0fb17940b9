#include "sim/engine/deadlock.h"

#include <inttypes.h>
#include <stdio.h>

static uint64_t pc_of(const struct sim_sm *sm, const struct sim_warp *w)
{
    return sm->chip->ops.program->inst[w->cursor.inst].pc;
}

/* A warp that waits at the barrier, and one that never comes there; returns
 * whether there are both. */
static int find_pair(const struct sim_sm *sm, const struct sim_resident *b,
                     const struct sim_warp **waits,
                     const struct sim_warp **ended)
{
    *waits = *ended = NULL;
    for (uint64_t rest = b->slots; rest != 0; rest &= rest - 1) {
        const struct sim_warp *w = &sm->warp[__builtin_ctzll(rest)];

        if (w->parked && *waits == NULL)
            *waits = w;
        if (!w->parked && !w->exited && *ended == NULL)
            *ended = w;
    }
    return *waits != NULL && *ended != NULL;
}

teg_status sim_sm_deadlock(const struct sim_sm *sm, struct teg_diag *d)
{
    for (uint32_t i = 0; i < sm->chip->gpu->sm.blocks_max; i++) {
        const struct sim_resident *b = &sm->resident[i];
        const struct sim_warp *waits, *ended;
        const uint32_t *at;
        char where[96];

        if (b->block == NULL || b->live == 0 ||
            !find_pair(sm, b, &waits, &ended))
            continue;
        at = teg_block_position(b->block);
        snprintf(where, sizeof where, "block %u,%u,%u", at[0], at[1], at[2]);
        return teg_fail(
            d, TEG_DEADLOCK, where,
            "deadlock: warp %u waits at the barrier before pc 0x%" PRIx64
            ", but warp %u ends at pc 0x%" PRIx64
            " without EXIT and never reaches it",
            teg_block_warp_id(b->block, waits->stream), pc_of(sm, waits),
            teg_block_warp_id(b->block, ended->stream), pc_of(sm, ended));
    }
    return teg_fail(d, TEG_DEADLOCK, "", "SM %u: no warp can go on",
                    sm->number);
}
