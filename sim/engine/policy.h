/*
 * Which of its ready warps a scheduler issues from.
 *
 * A scheduler knows its warps by index, 0 .. 63, in the order of their slots.
 */
#ifndef TEG_SIM_ENGINE_POLICY_H
#define TEG_SIM_ENGINE_POLICY_H

#include "config/gpu.h"

enum {
    SIM_WARPS_MAX = 64,
    SIM_NO_WARP = -1
};

struct sim_choice {
    uint64_t candidates; /* ready, and not yet refused in this cycle */
    uint64_t alive;      /* unfinished */
    uint64_t turn;       /* number of this issue slot since cycle 0 */
    int last;            /* issued last, SIM_NO_WARP before the first */
    const uint64_t *age; /* [64]; smaller is older */
    /* [64]: of the first warp of each warp's block */
    const uint64_t *block_age;
    /* [64]: first slot after the warp's last issue, 0 before its first */
    const uint64_t *free_from;
    uint64_t now; /* cycle of this issue slot */
};

typedef int (*sim_policy)(const struct sim_choice *c);

/* Returns the function of `policy`.  It picks one of the candidates, or
 * SIM_NO_WARP when it would rather issue nothing. */
sim_policy sim_policy_of(enum teg_policy policy);
/* Whether the choice depends on `turn`, so that no slot may be skipped while
 * a warp is ready. */
int sim_policy_takes_turns(enum teg_policy policy);

#endif
