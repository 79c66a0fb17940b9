/*
 * A transaction: what coalescing makes of lanes' accesses.
 */
#ifndef TEG_SIM_MEMORY_TRANSACTION_H
#define TEG_SIM_MEMORY_TRANSACTION_H

#include <stdint.h>

struct sim_transaction {
    uint64_t address; /* of its first byte; of the line, where lines count */
    uint16_t bytes;   /* moved */
    uint8_t sectors;  /* bit i: the line's sector i is wanted (lines only) */
    uint8_t parts;    /* bit i: not every word of it is (lines only) */
    uint8_t partial;  /* those that the thread's other stores do not fill */
    /* Of an atomic, one after the other in its slice: updates of sectors, and
     * steps; both 0: a step. */
    uint8_t updates, steps;
    /* Of an atomic: what it is on its way out of the SM, one after the other: a
     * sector, and it again for each further lane at its busiest word. */
    uint8_t packets;
};

#endif
