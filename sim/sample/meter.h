/*
 * How many warp instructions have been issued by a cycle: a listener that
 * counts them in bins of time, on as many host threads as the engine likes.
 */
#ifndef TEG_SIM_SAMPLE_METER_H
#define TEG_SIM_SAMPLE_METER_H

#include "sim/events.h"

enum {
    METER_BIN_CYCLES = 64, /* within a bin they are taken to be even */
};

struct sample_meter {
    uint64_t *bin; /* owned, [count]; after sample_meter_sum: up to its end */
    uint64_t count;
    int failed; /* out of memory: some are not counted */
};

/* `m` is zeroed and outlives the simulation. */
struct sim_listener sample_meter_listener(struct sample_meter *m);
/* Once after the simulation, before the question below. */
void sample_meter_sum(struct sample_meter *m);
/* Instructions issued before `cycle`. */
double sample_meter_at(const struct sample_meter *m, uint64_t cycle);
/* Leaves it zeroed. */
void sample_meter_release(struct sample_meter *m);

#endif
