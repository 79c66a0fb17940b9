/*
 * A launch of a trace that is opened again and again, by one thread: the first
 * time straight from the file, then from memory if its blocks fit.
 */
#ifndef TEG_LIBTEG_SOURCE_H
#define TEG_LIBTEG_SOURCE_H

#include "sim/sample/sample.h"
#include "traces/store.h"

struct source {
    struct teg_trace *trace; /* owned: one of its own */
    uint32_t number;         /* of the launch in it */
    uint64_t budget;         /* bytes of blocks kept */
    struct teg_launch first; /* owned: opened, and not yet asked for */
    struct teg_store *store; /* owned; NULL until opened a second time */
    /* Owned; of the launch as it is, NULL until a part was simulated. */
    struct teg_sample_facts *facts;
};

/* Reopens the file of launch `kernel` of `trace`; `s->first` tells what is
 * known of it. */
teg_status source_init(struct source *s, const struct teg_trace *trace,
                       uint32_t kernel, uint64_t budget, struct teg_diag *d);
void source_release(struct source *s);
/* Opens the launch at its first block; the one before must be closed. */
teg_status source_open(struct source *s, struct teg_launch *launch,
                       struct teg_diag *d);

/* Closes what is open, and zeroes it. */
void launch_end(struct teg_launch *launch);

#endif
