/*
 * What a launch finds in caches: --caches.
 *
 *   cold   nothing, as under a profiler that flushes them before each launch
 *   warm   what the same launch has left that ran just before
 *   carry  what the launches and copies of its list before it have left
 *
 * What nobody says is settled by what would be measured: a program that ran in
 * order, as `teg exec` records it, is seen by nsys and events with its caches
 * as they are, by ncu with flushed ones.
 *
 * L2 with what of it is dirty, translations and writes that DRAM's channels
 * gather outlive a kernel; L1 does not (sim/memory/memory.h).
 */
#ifndef TEG_TOOLS_TEG_REPLAY_CACHES_H
#define TEG_TOOLS_TEG_REPLAY_CACHES_H

#include "tools/teg/cli/options.h"

struct job;
struct recalls;
struct sim_memory;
struct teg_skipped;

enum caches {
    CACHES_COLD,
    CACHES_WARM,
    CACHES_CARRY,
    CACHES_UNSAID /* none of `caches_names`: job_open_trace settles it */
};

extern const char *const caches_names[]; /* NULL-terminated */

/* clang-format off */
#define CACHES_OPTION(caches, usual)                                           \
    {"caches", 0, OPT_CHOICE, &(caches), "HOW",                                \
     "what a launch finds in L2 and TLBs: cold, warm: as if it had just run "  \
     "once, or carry: what the launches and copies before it in a list have "  \
     "left; carry simulates every launch up to the last one chosen; default: " \
     usual,                                                                    \
     caches_names}
/* Of those whose `caches` begin as CACHES_UNSAID. */
#define CACHES_BY_LIST                                                         \
    "carry for what `teg exec` wrote, but cold with --as-measured ncu or "     \
    "--similar; cold for other traces"
/* clang-format on */

/* Of a list that is replayed in order; all zeros: nothing has run. */
struct carried {
    struct sim_memory *memory; /* owned; NULL: cold */
    uint32_t next;             /* step of the job that comes next */
    bool written;              /* what comes before that has been done */
    struct recalls *recalls;   /* owned; NULL: nothing stands for others yet */
    struct teg_skipped *skipped; /* owned; NULL: nothing has been */
};

void carried_release(struct carried *c);
/* What comes before step `step` of the job and is none leaves its traces, unless it
 * has; exit status. */
int carried_skip(struct carried *c, const struct job *job, uint32_t step);

#endif
