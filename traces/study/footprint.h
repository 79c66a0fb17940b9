/*
 * How much of global memory a launch touches, and which word of it its atomics
 * ask for most, in memory that does not grow with the trace.
 *
 * Models: distinct sectors of 32 bytes by their hashes (Flajolet et al. 2007,
 * HyperLogLog, with 2^16 registers: a standard error of 0.4 %; up to 160,000
 * sectors by how many registers are still empty: less); atomics by counters that
 * words share by their hashes.
 * Leaves out: when something is touched, and so what a cache still has of it.
 */
#ifndef TEG_TRACES_STUDY_FOOTPRINT_H
#define TEG_TRACES_STUDY_FOOTPRINT_H

#include <stdint.h>

enum {
    TEG_FOOTPRINT_SLOTS = 1 << 16,
    TEG_FOOTPRINT_SECTOR = 32, /* bytes */
};

/* Zeroed: nothing touched. */
struct teg_footprint {
    uint8_t rank[TEG_FOOTPRINT_SLOTS];    /* of sectors */
    uint64_t atomic[TEG_FOOTPRINT_SLOTS]; /* lanes, by word */
};

/* Bytes `address` to `address + width - 1` are touched; width > 0. */
void teg_footprint_touch(struct teg_footprint *f, uint64_t address,
                         uint32_t width);
/* A lane's atomic on the word of 4 bytes at `address`. */
void teg_footprint_atomic(struct teg_footprint *f, uint64_t address);

/* Bytes of the sectors that were touched. */
double teg_footprint_bytes(const struct teg_footprint *f);
/* Atomics on the word that has most; more by what shares its counter, which is
 * a 2^16th of the others where they are spread. */
uint64_t teg_footprint_hottest(const struct teg_footprint *f);

#endif
