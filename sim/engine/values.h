/* The further values of an execution (isa/inst/values.def), as issue needs
 * them: read once, before the warp steps on. */
#ifndef TEG_SIM_ENGINE_VALUES_H
#define TEG_SIM_ENGINE_VALUES_H

#include "traces/block/cursor.h"

struct sim_values {
    uint32_t mask; /* active lanes */
    struct teg_access value[TEG_VALUES_MAX];
};

static inline void sim_values_read(struct sim_values *v, struct teg_cursor *c)
{
    uint32_t n = 0;

    v->mask = c->mask;
    while (n < TEG_VALUES_MAX && teg_cursor_value(c, &v->value[n]))
        n++;
}

static inline uint64_t sim_value(const struct sim_values *v, uint32_t number,
                                 uint32_t lane)
{
    return teg_access_lane(&v->value[number], lane);
}

/* What one lane does for all: the first active one. */
static inline uint64_t sim_value_first(const struct sim_values *v,
                                       uint32_t number)
{
    return sim_value(v, number, (uint32_t)__builtin_ctz(v->mask));
}

#endif
