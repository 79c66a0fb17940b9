/*
 * What has happened to caches so far, as a number: of two stretches of a program whose
 * numbers and lengths are the same it is taken that the same has happened in them.
 */
#ifndef TEG_SIM_SAMPLE_PAST_H
#define TEG_SIM_SAMPLE_PAST_H

#include <stdint.h>

enum teg_happening {
    TEG_PAST_WRITE = 1, /* of an address and so many bytes */
    TEG_PAST_REST,      /* the host waits for the device */
    TEG_PAST_LAUNCH     /* of a trace's number, so many times */
};

/* All zeros: nothing yet. */
struct teg_past {
    uint64_t sum;
    uint64_t count;
};

void teg_past_add(struct teg_past *p, enum teg_happening what, uint64_t a,
                  uint64_t b);
/* What has happened since `then`, which was an earlier `now`. */
struct teg_past teg_past_since(struct teg_past now, struct teg_past then);
/* Negative, 0 or positive: an order. */
int teg_past_compare(struct teg_past a, struct teg_past b);

#endif
