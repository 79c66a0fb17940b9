/*
 * Copies over the link between host and device.
 *
 * Models: each direction has copy engines, which take copies in their order;
 * those that are under way share the direction's bandwidth, and both
 * directions what the link has; each takes some time besides its bytes.
 */
#ifndef TEG_SIM_PROGRAM_LINK_H
#define TEG_SIM_PROGRAM_LINK_H

#include "sim/program/program.h"

enum {
    SIM_LINK_WAYS = 4, /* to the device, from it, on it, to and from a peer */
};

struct sim_link_copy {
    uint32_t task;
    double bytes, most; /* left; bytes per us that it may have */
    double wait;        /* us before its bytes go */
    double rate;        /* now */
};

struct sim_link {
    const struct teg_gpu *gpu; /* borrowed */
    int infinite;
    struct way {
        double gbs; /* 0: no limit */
        uint32_t engines;
        struct sim_link_copy *copy; /* owned, [copies]: in their order, the
                                       first `active` under way */
        uint32_t copies, capacity, active;
        uint32_t last_ended;
    } way[SIM_LINK_WAYS];
    double now, rate; /* of all ways */
    void *self;
    void (*started)(void *self, uint32_t task, double now, uint32_t after);
    void (*ended)(void *self, uint32_t task, double now);
};

void sim_link_init(struct sim_link *link, const struct teg_gpu *gpu,
                   int infinite);
void sim_link_release(struct sim_link *link);
teg_status sim_link_add(struct sim_link *link, uint32_t task,
                        const struct sim_program_task *copy, double now,
                        struct teg_diag *d);
/* As sim_floor_next and sim_floor_advance. */
double sim_link_next(const struct sim_link *link);
void sim_link_advance(struct sim_link *link, double now);
/* Of the DRAM's bandwidth that copies have. */
double sim_link_dram_share(const struct sim_link *link);

#endif
