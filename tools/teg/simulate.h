/*
 * One replay of one kernel as `teg run` and `teg whatif` do it: a copy of the
 * GPU, what-ifs applied, progress on the terminal, Ctrl-C ends it early.
 */
#ifndef TEG_TOOLS_SIMULATE_H
#define TEG_TOOLS_SIMULATE_H

#include "tools/teg/job.h"
#include "traces/cache.h"

struct replay_options {
    uint32_t sms, warps_per_sm;          /* 0: all */
    const struct opt_list *what_ifs;     /* names, possibly joined by commas;
                                        NULL: none */
    const char *label;                   /* for the progress line; NULL: none */
    const struct sim_listener *listener; /* besides the statistics, or NULL */
    uint32_t listeners;                  /* how many */
    struct teg_cache *cache; /* of the launch, or NULL: from the trace */
};

struct replay {
    struct teg_gpu *gpu;      /* owned: as simulated, what-ifs applied */
    struct teg_launch launch; /* owned: kernel facts and notes live here */
    struct teg_statistics *s; /* owned */
    uint32_t launches;        /* identical ones this stands for; 0 is 1 */
    bool incomplete;          /* interrupted; `s` holds what there was */
    double seconds;           /* wall clock of the simulation */
};

/*
 * Replays launch `kernel` of the job's trace.  On EXIT_DONE and on
 * EXIT_INTERRUPTED `r` holds a result, to be released; otherwise nothing, and
 * the fault has been said.
 */
int replay_init(struct replay *r, const struct job *job, uint32_t kernel,
                const struct replay_options *options);
/* At least 1. */
uint32_t replay_launches(const struct replay *r);
void replay_release(struct replay *r);

#endif
