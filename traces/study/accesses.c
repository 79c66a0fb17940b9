#include "traces/study/accesses.h"

enum {
    BANKS = 32,
    WORD_BYTES = 4,
    SECTOR_BYTES = 32,
    LANES = 32,
    WORDS_MAX = 4, /* of a lane: 16 bytes */
};

/* Adds `value` unless it is there already. */
static uint32_t add_once(uint64_t *list, uint32_t count, uint64_t value)
{
    for (uint32_t i = 0; i < count; i++) {
        if (list[i] == value)
            return count;
    }
    list[count] = value;
    return count + 1;
}

/* The lanes `mask`: the words of the fullest bank. */
static uint32_t passes_of(const struct teg_access *access, uint32_t mask,
                          uint32_t width)
{
    uint64_t word[LANES * WORDS_MAX];
    uint32_t words = 0, most = 0;
    uint8_t of_bank[BANKS] = {0};

    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        uint64_t at = teg_access_lane(access, __builtin_ctz(rest));

        for (uint32_t b = 0; b < width; b += WORD_BYTES)
            words = add_once(word, words, (at + b) / WORD_BYTES);
    }
    for (uint32_t i = 0; i < words; i++) {
        uint8_t *n = &of_bank[word[i] % BANKS];

        ++*n;
        most = *n > most ? *n : most;
    }
    return most;
}

void teg_accesses_shared(struct teg_accesses *a,
                         const struct teg_access *access, uint32_t width)
{
    /* As many lanes at a time as fill the banks. */
    uint32_t lanes = width > WORD_BYTES ? LANES * WORD_BYTES / width : LANES;

    if (width == 0 || width > WORDS_MAX * WORD_BYTES)
        return;
    for (uint32_t first = 0; first < LANES; first += lanes) {
        uint32_t group = lanes == LANES ? UINT32_MAX : (1u << lanes) - 1;
        uint32_t mask = access->mask & (group << first);

        if (mask == 0)
            continue;
        a->passes += passes_of(access, mask, width);
        a->passes_least++;
    }
}

void teg_accesses_global(struct teg_accesses *a,
                         const struct teg_access *access, uint32_t width)
{
    uint64_t sector[2 * LANES];
    uint32_t count = 0, lanes = (uint32_t)__builtin_popcount(access->mask);
    uint32_t least = (lanes * width + SECTOR_BYTES - 1) / SECTOR_BYTES;

    if (width == 0 || width > SECTOR_BYTES)
        return;
    for (uint32_t rest = access->mask; rest != 0; rest &= rest - 1) {
        uint64_t at = teg_access_lane(access, __builtin_ctz(rest));

        count = add_once(sector, count, at / SECTOR_BYTES);
        count = add_once(sector, count, (at + width - 1) / SECTOR_BYTES);
    }
    a->sectors += count;
    /* Lanes that share words need fewer. */
    a->sectors_least += count < least ? count : least;
}

void teg_accesses_atomic(struct teg_accesses *a,
                         const struct teg_access *access)
{
    uint64_t word[LANES];
    uint32_t turns[LANES] = {0}, words = 0, most = 0;

    for (uint32_t rest = access->mask; rest != 0; rest &= rest - 1) {
        uint64_t at = teg_access_lane(access, __builtin_ctz(rest)) / WORD_BYTES;
        uint32_t i = 0;

        words = add_once(word, words, at);
        while (word[i] != at)
            i++;
        turns[i]++;
        most = turns[i] > most ? turns[i] : most;
    }
    a->atomic_turns += most;
}

static double degree(uint64_t asked, uint64_t least)
{
    return least != 0 ? (double)asked / (double)least : 1;
}

double teg_accesses_conflict_degree(const struct teg_accesses *a)
{
    return degree(a->passes, a->passes_least);
}

double teg_accesses_sector_degree(const struct teg_accesses *a)
{
    return degree(a->sectors, a->sectors_least);
}
