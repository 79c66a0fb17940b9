#include "sim/engine/warp.h"

/* ---- waits --------------------------------------------------------------- */

static inline void wait_for_scoreboard(struct sim_warp *w, struct sim_wait wait)
{
    sim_warp_wait_until(w, w->counter[wait.counter]);
}

static inline void wait_for_barrier(struct sim_warp *w, struct sim_wait wait)
{
    for (uint32_t i = 0; i < TEG_STALL_RESULTS; i++)
        sim_warp_wait_until(w, w->counter[wait.counter + i]);
}

/* All that was counted up before the newest `down_to`: the last of them. */
static inline void wait_for_group(struct sim_warp *w, struct sim_wait wait)
{
    const uint64_t *entry = &w->counter[wait.counter + 1];
    uint64_t last = w->counter[wait.counter];

    for (uint32_t i = wait.down_to; i < SIM_HISTORY; i++)
        last = teg_max(last, entry[i]);
    sim_warp_wait_until(w, last);
}

static inline void wait_for_product(struct sim_warp *w, struct sim_wait wait)
{
    uint64_t counter = w->counter[wait.counter];

    if (sim_counter_stall(counter) != STALL_GMMA)
        sim_warp_wait_until(w, counter);
}

static inline void wait_for_fence(struct sim_warp *w, struct sim_wait wait)
{
    if (w->cursor.mask != 0)
        sim_warp_wait_until(w, w->counter[wait.counter]);
}

void sim_warp_wait_for(struct sim_warp *w, struct sim_wait wait)
{
    switch ((enum sim_wait_kind)wait.kind) {
#define WAIT(NAME, name)          \
    case SIM_WAIT_##NAME:         \
        wait_for_##name(w, wait); \
        break;
#include "sim/engine/waits.def"
#undef WAIT
    case SIM_WAITS:
        break;
    }
}
