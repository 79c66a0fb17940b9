#include "sim/engine/warp.h"

/* ---- waits --------------------------------------------------------------- */

/* What is over when its stalls begin to count holds nothing, whatever slots it
 * is rounded up to: the instruction before was issued in one. */
static inline void wait_until(struct sim_warp *w, uint64_t counter)
{
    if (sim_counter_is_open(counter))
        w->waits_for_open = 1;
    else if (sim_counter_cycle(counter) >= w->arrived)
        sim_warp_hold(w, sim_counter_stall(counter),
                      sim_counter_cycle(counter));
}

static inline void wait_for_scoreboard(struct sim_warp *w, struct sim_wait wait)
{
    wait_until(w, w->counter[wait.counter]);
}

static inline void wait_for_barrier(struct sim_warp *w, struct sim_wait wait)
{
    for (uint32_t i = 0; i < TEG_STALL_RESULTS; i++)
        wait_until(w, w->counter[wait.counter + i]);
}

/* All that was counted up before the newest `down_to`: the last of them. */
static inline void wait_for_group(struct sim_warp *w, struct sim_wait wait)
{
    const uint64_t *entry = &w->counter[wait.counter + 1];
    uint64_t last = w->counter[wait.counter];

    for (uint32_t i = wait.down_to; i < SIM_HISTORY; i++)
        last = teg_max(last, entry[i]);
    wait_until(w, last);
}

static inline void wait_for_product(struct sim_warp *w, struct sim_wait wait)
{
    uint64_t counter = w->counter[wait.counter];

    if (sim_counter_stall(counter) != STALL_GMMA)
        wait_until(w, counter);
}

static inline void wait_for_fence(struct sim_warp *w, struct sim_wait wait)
{
    if (w->cursor.mask != 0)
        wait_until(w, w->counter[wait.counter]);
}

static inline void wait_for(struct sim_warp *w, struct sim_wait wait)
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

void sim_warp_find_waits(struct sim_warp *w)
{
    const struct sim_ops *ops = &w->grid->ops;
    const struct sim_op *op = sim_warp_op(w);
    const struct sim_wait *wait = ops->wait + op->waits;

    w->waits_for_open = 0;
    for (uint16_t i = 0; i < op->wait_count; i++) {
        /* Most are. */
        if (wait[i].kind == SIM_WAIT_SCOREBOARD)
            wait_for_scoreboard(w, wait[i]);
        else
            wait_for(w, wait[i]);
    }
}
