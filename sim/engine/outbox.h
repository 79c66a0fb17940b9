/*
 * What blocks of a cluster tell mbarriers of each other.
 *
 * Models: arrivals at an mbarrier of another block, and bytes that have come
 * for one, are there `shared.remote_latency` after its unit has begun with the instruction,
 * or when that is done if that is later.  (PTX ISA, mbarrier, "remote"; how
 * long it takes is inferred: as long as a load from there)
 * Leaves out: what such a message holds of the network's ports.
 *
 * An SM that runs ahead writes letters, which are delivered between windows, in
 * the order of SMs: no window is longer than their way.
 */
#ifndef TEG_SIM_ENGINE_OUTBOX_H
#define TEG_SIM_ENGINE_OUTBOX_H

#include <stdint.h>

struct sim_resident;
struct sim_sm;
struct sim_times;

enum {
    /* Of addresses in values (isa/inst/values.def): from this bit on, how many
     * ranks behind its own the block is. */
    SIM_BEHIND_BIT = 24,
    /* In an mbarrier of several blocks: from this bit on, which. */
    SIM_BLOCKS_AT = 32,
    SIM_TWICE_AT = 48, /* which of them hear of two copies */
};

static inline uint32_t sim_behind(uint64_t address)
{
    return (uint32_t)(address >> SIM_BEHIND_BIT);
}

/* What an instruction tells an mbarrier. */
struct sim_news {
    uint64_t address; /* of the mbarrier, as values have it */
    int64_t arrivals, bytes;
    int64_t leaving; /* arrivals fewer from the next phase on */
};

struct sim_letter {
    struct sim_sm *to;    /* borrowed */
    uint32_t resident;    /* there */
    struct sim_news news; /* with the mbarrier's address there */
    uint64_t done;  /* cycle; SIM_OPEN and more: the pending entry tells */
    uint64_t floor; /* and not before this cycle */
};

struct sim_outbox {
    struct sim_letter *letter; /* owned, [count] */
    uint32_t count, capacity;
};

/* Zeroed is empty. */
void sim_outbox_release(struct sim_outbox *o);

/* Writes a letter; `t` says when the instruction is done.  To a block that has
 * left, or is not there, nothing is sent; a block by itself, whose instruction
 * is not open, hears at once. */
void sim_outbox_send(struct sim_sm *sm, const struct sim_resident *b,
                     const struct sim_news *news, const struct sim_times *t);

/* Enters into letters what pending entries, all ended, have to tell. */
void sim_outbox_close(struct sim_sm *sm);

/* Between windows: all SMs' letters arrive. */
void sim_outbox_deliver(struct sim_sm *sm, uint32_t sms);

#endif
