/*
 * The what-ifs ranked by gain: `teg whatif`, `teg run --ranking`, and the list
 * on a report page.
 *
 * The kernels are replayed as they are on all cores, which says what is most
 * promising, and which what-ifs change nothing (teg_whatif_is_idle); then the
 * others share the cores.  The trace is read once, before the
 * workers are forked, and its blocks are replayed from memory if they fit.
 */
#ifndef TEG_TOOLS_TEG_REPLAY_RANKING_H
#define TEG_TOOLS_TEG_REPLAY_RANKING_H

#include "tools/teg/replay/simulate.h"

enum {
    WHATIF_FIRST_MAX = 12
};

/* A trial of teg_whatif_trials. */
struct toggle {
    char name[TEG_WHATIF_NAME_SIZE];
    uint64_t cycles;
    uint32_t trial; /* its number there */
    bool done;
    bool idle; /* of all kernels so far: it changes nothing, and is not
                  simulated */
};

/* Trials that are measured first, by name, the most promising one first. */
struct trials {
    char name[WHATIF_FIRST_MAX][TEG_WHATIF_NAME_SIZE];
    uint32_t count;
    bool only; /* no others */
};

struct whatif {
    struct job job;
    uint32_t sms, warps_per_sm;
    enum sampling sampling;        /* of each replay alike */
    const struct opt_list *always; /* borrowed: what-ifs applied to every
                                      replay, the baseline's too; or NULL */
    /* What each replay finds in caches, borrowed; NULL: as the job says. */
    const struct sim_memory *before;
    /* What the one kernel leaves there as it is, borrowed; NULL: who finds its caches
     * warm runs it once more. */
    const struct sim_memory *warm;
    /* What is known of the one kernel's blocks, borrowed; NULL: nothing yet. */
    struct teg_sample_facts *known;
    const struct trials *first; /* borrowed; NULL: in the order of the table */
    const char *at;  /* borrowed, "FILE:LINE": what-ifs of that line only; NULL:
                       of all there is */
    bool one_launch; /* cycles are of one, not of all alike */
    /* Of a kernel as it is, what to measure first; NULL: as `first` says. */
    int (*promising)(const struct replay *replay, struct trials *t);
    bool live; /* on a terminal each is shown when it is known */
    /* Known before: it is not simulated again.  Afterwards 0: interrupted
     * before it was known. */
    uint64_t baseline_cycles;
    const struct replay *baseline; /* borrowed: the one known before, or NULL */
    /* Of any of the cycles, relative; 0: all of it was simulated. */
    double error_bound;
    struct toggle *toggle; /* owned */
    uint32_t count, done;
    bool incomplete;
    uint32_t jobs; /* workers; 0: one per core */
    /* Of a measurement under way. */
    uint32_t next;
    struct sim_memory *left; /* owned: what the baseline has left, for `warm` */
    struct teg_store **store;        /* owned, and so is each, [kernel_count] */
    struct teg_sample_facts **facts; /* likewise, but for `known` */
    const char *broken;        /* a what-if whose replay failed, or NULL */
    const struct toggle *best; /* of those done, but for "all" */
    bool terminal, shown;
    uint32_t lines; /* on the terminal, to be taken away again */
};

/* Replays the job's kernels as they are and once with each what-if; sorts the
 * toggles by gain.  `w->job` and the limits must be set.  After an interrupt
 * `done` toggles are known.  Free w->toggle. */
int whatif_measure(struct whatif *w);

/* The same of one launch that found caches as `before` (NULL: cold), whatever
 * the job says of them. */
int whatif_measure_one(struct whatif *w, uint32_t kernel,
                       const struct sim_memory *before);

/* `w` samples as `sampling` says, of a launch that `replay` has simulated so: by
 * size it takes samples of shorter ones, for it replays them some ten times.
 * `replay` is the baseline if it is what that would give. */
void whatif_follow(struct whatif *w, const struct replay *replay,
                   enum sampling sampling);

/* The `count` toggles that gain most, but for "all" and those that gain
 * nothing; returns how many there are. */
uint32_t whatif_best(const struct whatif *w, uint32_t count,
                     const struct toggle *best[]);

#endif
