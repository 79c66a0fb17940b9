/*
 * The most instructions that are in flight at once in one unit of one SM: issued
 * and not done.
 *
 * Who ends soon is kept by the cycle in which he does, others in no order, who
 * are looked through when the first of them ends.  Those that have ended are only
 * taken out when it matters: when there would be more than there ever were.
 */
#ifndef TEG_SIM_COLLECT_IN_FLIGHT_H
#define TEG_SIM_COLLECT_IN_FLIGHT_H

#include <stddef.h>
#include <stdint.h>

enum {
    IN_FLIGHT_SOON = 256, /* cycles: a power of two, and of 64 */
};

/* Zeroed, nothing is in flight. */
struct in_flight {
    uint64_t from;        /* who ended by then has been taken out */
    uint64_t *later;      /* owned, [laters]: ends */
    uint64_t first_later; /* the earliest of them, or earlier */
    size_t laters, capacity;
    uint32_t count; /* not taken out */
    /* Of the others, by cycle % IN_FLIGHT_SOON: how many end, and a bit each
     * where any do. */
    uint32_t ends[IN_FLIGHT_SOON];
    uint64_t any[IN_FLIGHT_SOON / 64];
};

/* One that nothing was entered in is not touched. */
void in_flight_release(struct in_flight *f);

/* Takes out who has ended by cycle `now`. */
void in_flight_retire(struct in_flight *f, uint64_t now);
/* Enters one that ends in cycle `done`: in one of IN_FLIGHT_SOON behind f->from,
 * or later.  The latter returns 0 out of memory. */
static inline void in_flight_add_soon(struct in_flight *f, uint64_t done)
{
    f->ends[done % IN_FLIGHT_SOON]++;
    f->any[done % IN_FLIGHT_SOON / 64] |= 1ull << done % 64;
}
int in_flight_add_later(struct in_flight *f, uint64_t done);

/* One is issued in cycle `now`, not before those so far, and is in flight until
 * cycle `done`; `*most` becomes how many then are, if it was less.  Returns 0 out
 * of memory. */
static inline int in_flight_enter(struct in_flight *f, uint64_t now,
                                  uint64_t done, uint32_t *most)
{
    if (f->count >= *most)
        in_flight_retire(f, now);
    if (f->count >= *most)
        *most = f->count + 1;
    if (done <= now)
        return 1;
    if (done - f->from > IN_FLIGHT_SOON)
        in_flight_retire(f, now);
    f->count++;
    if (done - f->from > IN_FLIGHT_SOON)
        return in_flight_add_later(f, done);
    in_flight_add_soon(f, done);
    return 1;
}

#endif
