#include "sim/memory/banks.h"

enum {
    NONE = 255
};

/* Returns 1 if no bank has two different words.  The common case, without the
 * chains. */
static int no_conflict(const uint64_t *word, uint32_t n, uint32_t banks)
{
    uint64_t held[64], used = 0;

    if (banks > 64)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = (uint32_t)word[i] & (banks - 1);

        if ((used >> b & 1) && held[b] != word[i])
            return 0;
        held[b] = word[i];
        used |= 1ull << b;
    }
    return 1;
}

/* How many different words the busiest bank has.  Each bank's words form a
 * chain. */
uint32_t sim_busiest_bank(const uint64_t *word, uint32_t n, uint32_t banks)
{
    uint8_t head[SIM_BANKS_MAX], next[SIM_BANK_WORDS_MAX],
        length[SIM_BANKS_MAX];
    uint32_t most = 0;

    if (no_conflict(word, n, banks))
        return 1;
    for (uint32_t b = 0; b < banks; b++) {
        head[b] = NONE;
        length[b] = 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t b = (uint32_t)(word[i] % banks);
        uint8_t k = head[b];

        while (k != NONE && word[k] != word[i])
            k = next[k];
        if (k != NONE)
            continue;
        next[i] = head[b];
        head[b] = (uint8_t)i;
        if (++length[b] > most)
            most = length[b];
    }
    return most;
}
