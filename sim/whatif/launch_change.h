/*
 * What of a launch the points of a sweep change: registers, shared memory
 * and carve-out of its kernel, and how many warps and SMs run it.
 */
#ifndef TEG_SIM_WHATIF_LAUNCH_CHANGE_H
#define TEG_SIM_WHATIF_LAUNCH_CHANGE_H

#include "sim/teg.h"

enum {
    LAUNCH_REGISTERS,
    LAUNCH_SHARED,
    LAUNCH_CARVEOUT, /* percent */
    LAUNCH_WARPS,
    LAUNCH_SMS,
    LAUNCH_KEYS
};

struct launch_change {
    uint32_t value[LAUNCH_KEYS];
    uint8_t given[LAUNCH_KEYS];
};

/* "launch.registers"; `i` is below LAUNCH_KEYS. */
const char *launch_change_key(uint32_t i);

/* TEG_UNKNOWN with the nearest key, or TEG_CONFIG with the range. */
teg_status launch_change_set(struct launch_change *c, const char *key,
                             const char *text, struct teg_diag *d);

/* Changes the kernel of a launch just opened... */
void launch_change_apply(const struct launch_change *c,
                         struct teg_launch *launch);
/* ... and how it is simulated. */
void launch_change_limit(const struct launch_change *c,
                         struct teg_simulation_options *options);

#endif
