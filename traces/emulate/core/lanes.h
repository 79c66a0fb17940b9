/* The lanes of a warp: their states and program counters. */
#ifndef TEG_TRACES_EMULATE_CORE_LANES_H
#define TEG_TRACES_EMULATE_CORE_LANES_H

#include "traces/emulate/core/warp.h"

static inline uint32_t emu_living(const struct emu_warp *w)
{
    return w->exists & ~w->in[LANE_EXITED];
}

static inline void emu_set_state(struct emu_warp *w, uint32_t mask,
                                 enum emu_lane_state state)
{
    for (unsigned s = 0; s < LANE_STATES; s++)
        w->in[s] &= ~mask;
    w->in[state] |= mask;
}

static inline void emu_set_pc(struct emu_warp *w, uint32_t mask, uint64_t pc)
{
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        w->pc[__builtin_ctz(rest)] = pc;
}

static inline uint32_t emu_lanes_at_pc(const struct emu_warp *w, uint32_t lanes,
                                       uint64_t pc)
{
    uint32_t found = 0;

    for (uint32_t rest = lanes; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        found |= (uint32_t)(w->pc[l] == pc) << l;
    }
    return found;
}

#endif
