/*
 * What the accesses of a launch's warps ask for beyond what their bytes need,
 * whatever the chip: passes of shared memory, in 32 banks of 4 bytes as all
 * chips since Fermi have them, and sectors of 32 bytes of global memory.
 *
 * Leaves out: matrices (LDSM), generic addresses, lanes of one word in another
 * pass; a chip may be kinder (Volta's wide stores) or less so (Tesla's 16 banks).
 */
#ifndef TEG_TRACES_STUDY_ACCESSES_H
#define TEG_TRACES_STUDY_ACCESSES_H

#include "traces/block/cursor.h"

struct teg_accesses {
    uint64_t passes, passes_least;
    uint64_t sectors, sectors_least;
    uint64_t atomic_turns; /* of warps' atomics on shared memory: the most lanes
                              at one word, summed up */
};

/* Adds one of `width` bytes a lane. */
void teg_accesses_shared(struct teg_accesses *a,
                         const struct teg_access *access, uint32_t width);
void teg_accesses_global(struct teg_accesses *a,
                         const struct teg_access *access, uint32_t width);
void teg_accesses_atomic(struct teg_accesses *a,
                         const struct teg_access *access);
/* What is asked for over what is needed; 1: no more, or nothing at all. */
double teg_accesses_conflict_degree(const struct teg_accesses *a);
double teg_accesses_sector_degree(const struct teg_accesses *a);

#endif
