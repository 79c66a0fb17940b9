/*
 * Banks, successive words in successive ones: what shared memory and L1's
 * data stage have in common.  A bank hands out one word at a time.
 */
#ifndef TEG_SIM_MEMORY_BANKS_H
#define TEG_SIM_MEMORY_BANKS_H

#include <stdint.h>

#include "sim/memory/lanes.h"

enum {
    SIM_BANKS_MAX = 128,
    /* That lanes ask for together: of 16 bytes each, wherever they begin. */
    SIM_BANK_WORDS_MAX = TEG_LANES * 5,
};

/* How many different ones of the `n` words the busiest of `banks` (a power of
 * two) has; `n` is not 0. */
uint32_t sim_busiest_bank(const uint64_t *word, uint32_t n, uint32_t banks);

#endif
