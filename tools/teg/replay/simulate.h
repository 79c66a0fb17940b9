/*
 * One replay of one kernel as `teg run` and `teg whatif` do it: a copy of the
 * GPU, what-ifs applied, progress on the terminal, Ctrl-C ends it early.
 */
#ifndef TEG_TOOLS_TEG_REPLAY_SIMULATE_H
#define TEG_TOOLS_TEG_REPLAY_SIMULATE_H

#include "config/start.h"
#include "sim/sample/warm_up.h"
#include "tools/teg/replay/job.h"
#include "traces/store.h"

/* Which launches are simulated only in part. */
enum sampling {
    SAMPLING_NEVER,
    SAMPLING_BY_SIZE, /* those of many waves and many instructions */
    SAMPLING_OFTEN,   /* likewise, where a launch is replayed some ten times:
                         a tenth of the instructions */
    SAMPLING_LONG,    /* those of many waves */
};

struct replay_options {
    enum sampling sampling;              /* listeners hear the sample */
    uint32_t sms, warps_per_sm;          /* 0: all */
    uint32_t threads;                    /* of the host; 0: 1 */
    const struct opt_list *what_ifs;     /* names, possibly joined by commas;
                                        NULL: none */
    const char *label;                   /* for the progress line; NULL: none */
    const struct sim_listener *listener; /* besides the statistics, or NULL */
    uint32_t listeners;                  /* how many */
    /* All that is asked of a launch that is simulated whole. */
    bool cycles_only;
    struct teg_store *store; /* of the launch, or NULL: from the trace */
    /* With --caches carry: which of the job's launches it is, and what those
     * before it have left; NULL: they are simulated for this one alone. */
    uint32_t place;
    struct carried *carried;
    /* What it finds in caches, whatever the job says; borrowed.  NULL: as the
     * job says. */
    const struct sim_memory *before;
    bool keep_before; /* the replay has it then, for others of the launch */
    bool keep_after;  /* likewise what it leaves, if it is simulated whole and
                         --caches is cold */
    /* What the launch has left when it ran just before, borrowed; NULL: whoever finds
     * that in caches runs it once more. */
    const struct sim_memory *warm;
    /* What is known of the launch's blocks as they are: filled by whoever needs it
     * first, the caller's to free.  NULL: each replay finds out for itself. */
    struct teg_sample_facts **facts;
};

/* The launch that was simulated instead of one that is like it. */
struct replay_represented {
    bool used;
    const char *trace;  /* borrowed: its path, as given */
    uint32_t kernel;    /* its number there, from 1 */
    bool identical;     /* exact */
    double similarity;  /* 0 to 1 */
    double error_bound; /* of the cycles, relative */
};

struct replay {
    struct teg_gpu *gpu;      /* owned: as simulated, what-ifs applied */
    struct teg_launch launch; /* owned: kernel facts and notes live here */
    struct teg_statistics *s; /* owned */
    struct teg_sample sample; /* `used` if `s` is of a part, scaled */
    struct replay_represented represented;
    bool recalled; /* an earlier launch stands for it (recalls.h) */
    bool changed;  /* what-ifs have made other blocks of the launch's */
    /* Owned: of its blocks as they are, if it needed them and nobody gave any. */
    struct teg_sample_facts *facts;
    uint32_t cluster_kernels;  /* simulated once, this one counted; 0 is 1 */
    uint32_t launches;         /* identical ones this stands for; 0 is 1 */
    enum caches caches;        /* what it found there */
    bool later;                /* carry: not the first launch of its kernel */
    struct sim_memory *before; /* owned; NULL: cold, or not kept */
    struct sim_memory *after;  /* owned; NULL: not kept */
    enum teg_measured_by measured_by; /* --as-measured */
    double start_us;                  /* of that, the mean of `launches` */
    bool incomplete; /* interrupted; `s` holds what there was */
    double seconds;  /* wall clock of the simulation */
};

/*
 * Replays launch `kernel` of the job's trace.  On EXIT_DONE and on
 * EXIT_INTERRUPTED `r` holds a result, to be released; otherwise nothing, and
 * the fault has been said.
 */
int replay_init(struct replay *r, const struct job *job, uint32_t kernel,
                const struct replay_options *options);
/* Keeps what it wants of one replay, and may take `before` and `after` from it; anything
 * but EXIT_DONE ends the list. */
typedef int (*replay_visit)(void *self, struct replay *r, uint32_t kernel);
/* "3 of 5 launches ...", if an earlier one stands for any; else "". */
void replay_recalled_text(uint64_t recalled, uint64_t launches, char *out,
                          size_t size);
/*
 * Replays every launch that the job chose, in their order, each finding what
 * those before it have left.  `place`, `carried` and `label` of the options
 * are its own.  EXIT_DONE, or what ended it: EXIT_INTERRUPTED after Ctrl-C,
 * whose partial result is not visited.
 */
int replay_each(const struct job *job, const struct replay_options *options,
                replay_visit visit, void *self);
/* What the tool of --as-measured sees besides launch `kernel` of the trace, of
 * which the first is the process's. */
void replay_add_start(struct replay *r, const struct job *job, uint32_t kernel);
/* Warp instructions below which a launch is simulated in full. */
uint64_t sampling_instructions_min(enum sampling sampling);
/* Of one launch, its start included. */
double replay_as_measured_us(const struct replay *r);
/* At least 1. */
uint32_t replay_launches(const struct replay *r);
/* Closes what the statistics are no longer of; a report needs it open. */
void replay_close_launch(struct replay *r);
/* What it found and has left there. */
void replay_forget_caches(struct replay *r);
void replay_release(struct replay *r);

#endif
