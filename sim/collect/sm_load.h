/*
 * Warp instructions that each SM issued over time: which of them had work, and
 * when.  At most SM_LOAD_BINS bins, whose width doubles as the kernel goes on.
 */
#ifndef TEG_SIM_COLLECT_SM_LOAD_H
#define TEG_SIM_COLLECT_SM_LOAD_H

#include "sim/events.h"

enum {
    SM_LOAD_BINS = 128
};

struct sm_load {
    uint32_t sms;
    uint64_t *issued;    /* owned, [sms][SM_LOAD_BINS] */
    uint64_t bin_cycles; /* width; a power of two */
    uint64_t end;        /* of the launch */
    int failed;          /* out of memory: nothing was counted */
    unsigned bin_log2;   /* private */
};

void sm_load_init(struct sm_load *l);
void sm_load_release(struct sm_load *l);
struct sim_listener sm_load_listener(struct sm_load *l);

/* Bins up to l->end. */
uint32_t sm_load_bins(const struct sm_load *l);
/* Cycles of bin `bin`: bin_cycles, but for the last. */
uint64_t sm_load_width(const struct sm_load *l, uint32_t bin);
/* Of SM `sm`; `bin` below SM_LOAD_BINS. */
uint64_t sm_load_at(const struct sm_load *l, uint32_t sm, uint32_t bin);

#endif
