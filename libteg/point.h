/*
 * One replay: a launch, a GPU, and what is changed of both.
 */
#ifndef TEG_LIBTEG_POINT_H
#define TEG_LIBTEG_POINT_H

#include "include/teg/replay.h"
#include "libteg/result.h"
#include "libteg/source.h"

/* How every replay of a launch is done. */
struct manner {
    uint32_t threads, sms, warps; /* as in struct teg_simulation_options */
    enum teg_sampling sampling;
    teg_progress *progress; /* may be NULL */
    void *progress_self;
    const char *what_ifs; /* borrowed, joined by commas; "" for none */
    int walk;             /* without a clock */
};

/* The first of the words that commas join, [*length], without the blanks around
 * it; moves `*list` behind it.  NULL if there is none. */
const char *point_next_word(const char **list, size_t *length);

/*
 * Replays the launch of `source` with the changes that `text` lists
 * (teg_replay_sweep says how).  After TEG_INTERRUPTED `*result` is what there
 * was so far; after another failure NULL.
 */
teg_status point_run(struct source *source, const struct manner *manner,
                     const struct teg_gpu *gpu, const char *text,
                     struct teg_result **result, struct teg_diag *d);

#endif
