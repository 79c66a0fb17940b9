/* The axes of a sweep: their values, and whether those can be. */
#ifndef TEG_TOOLS_TEG_SWEEP_AXIS_H
#define TEG_TOOLS_TEG_SWEEP_AXIS_H

#include "tools/teg/sweep/sweep.h"

enum {
    SWEEP_KEY_SIZE = 96
};

/* Each says what is wrong and returns an exit status. */

/* One more axis, without values. */
int sweep_axis_new(struct sweep_plan *plan, enum sweep_kind kind,
                   const char *key, struct sweep_axis **axis);
/* "KEY=VALUES" of `option` cut apart, the key behind `prefix`. */
int sweep_split(const char *option, const char *text, const char *prefix,
                char key[SWEEP_KEY_SIZE], const char **values);
/* One of "KEY=VALUES", as `option` has it; its key has `prefix` before it. */
int sweep_axis_new_keyed(struct sweep_plan *plan, enum sweep_kind kind,
                         const char *option, const char *prefix,
                         const char *text);
/* Copies the value. */
int sweep_axis_add(struct sweep_axis *axis, const char *value);
/* Once the plan has its GPUs: keys and values that none of them takes. */
int sweep_axes_check(const struct sweep_plan *plan);

#endif
