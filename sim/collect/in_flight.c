#include "sim/collect/in_flight.h"

#include <stdlib.h>

#include "isa/base/array.h"
#include "isa/base/minmax.h"

void in_flight_release(struct in_flight *f)
{
    if (f->later == NULL)
        return;
    free(f->later);
    *f = (struct in_flight){0};
}

int in_flight_add_later(struct in_flight *f, uint64_t done)
{
    uint64_t *later =
        teg_array_room(f->later, f->laters, &f->capacity, sizeof *later);

    if (later == NULL)
        return 0;
    f->first_later = f->laters != 0 ? teg_min(f->first_later, done) : done;
    f->later = later;
    f->later[f->laters++] = done;
    return 1;
}

/* Those kept by cycle, of the cycles behind f->from up to `now`. */
static void retire_soon(struct in_flight *f, uint64_t now)
{
    uint64_t last = teg_min(now, f->from + IN_FLIGHT_SOON);

    for (uint64_t at = f->from + 1; at <= last; at = (at | 63) + 1) {
        uint64_t *any = &f->any[at % IN_FLIGHT_SOON / 64];
        uint64_t upto = teg_min(last - at + at % 64, (uint64_t)63);
        uint64_t mask = (2ull << upto) - (1ull << at % 64);

        for (uint64_t rest = *any & mask; rest != 0; rest &= rest - 1) {
            uint32_t *ends = &f->ends[(at & ~63ull) % IN_FLIGHT_SOON +
                                      (uint64_t)__builtin_ctzll(rest)];

            f->count -= *ends;
            *ends = 0;
        }
        *any &= ~mask;
    }
}

/* Who ends soon by now is kept by cycle. */
static void look_through_later(struct in_flight *f)
{
    size_t kept = 0;

    f->first_later = UINT64_MAX;
    for (size_t i = 0; i < f->laters; i++) {
        uint64_t done = f->later[i];

        if (done <= f->from) {
            f->count--;
        } else if (done - f->from <= IN_FLIGHT_SOON) {
            in_flight_add_soon(f, done);
        } else {
            f->later[kept++] = done;
            f->first_later = teg_min(f->first_later, done);
        }
    }
    f->laters = kept;
}

void in_flight_retire(struct in_flight *f, uint64_t now)
{
    retire_soon(f, now);
    f->from = now;
    if (f->laters != 0 && f->first_later <= now)
        look_through_later(f);
}
