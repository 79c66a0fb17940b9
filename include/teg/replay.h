/*
 * Replays: a launch on a GPU, as often as one likes, as it is or changed.
 *
 *     struct teg_replay *replay;
 *     struct teg_result *result;
 *
 *     if (teg_replay_new(trace, 0, &replay, &d) == TEG_OK) {
 *         if (teg_replay_run(replay, gpu, &result, &d) == TEG_OK)
 *             printf("%llu\n", (unsigned long long)teg_result_cycles(result));
 *         teg_result_free(result);
 *     }
 *     teg_replay_free(replay);
 *
 * A replay is used by one thread at a time; several, of one trace or of
 * several, run in several threads at once.  Results are the same for every
 * number of threads and workers.
 */
#ifndef TEG_PUBLIC_REPLAY_H
#define TEG_PUBLIC_REPLAY_H

#include "gpu.h"
#include "trace.h"

TEG_BEGIN

struct teg_replay;
struct teg_result; /* result.h */

/* Of launch `kernel` of the trace, from 0.  It opens the trace's file once
 * more: `trace` may be closed afterwards. */
TEG_API teg_status teg_replay_new(const struct teg_trace *trace,
                                  uint32_t kernel, struct teg_replay **replay,
                                  struct teg_diag *d);
TEG_API void teg_replay_free(struct teg_replay *replay); /* or NULL */

/* ---- what the trace says of the launch ------------------------------------ */

/* The kernel's symbol, "" if unknown; valid until the replay is freed. */
TEG_API const char *teg_replay_kernel(const struct teg_replay *replay);
TEG_API void teg_replay_grid(const struct teg_replay *replay,
                             uint32_t blocks[3]);
TEG_API void teg_replay_block(const struct teg_replay *replay,
                              uint32_t threads[3]);
/* Per thread; 0: unknown. */
TEG_API uint32_t teg_replay_registers(const struct teg_replay *replay);
/* Per block. */
TEG_API uint32_t teg_replay_shared_bytes(const struct teg_replay *replay);
/* 70 for sm_70; 0: unknown. */
TEG_API uint32_t teg_replay_isa(const struct teg_replay *replay);
/* Identical launches that this one stands for, at least 1. */
TEG_API uint32_t teg_replay_launches(const struct teg_replay *replay);

/* ---- how it is replayed ---------------------------------------------------- */

/* Threads of the host for one simulation, at most; 0: 1, as if not called. */
TEG_API void teg_replay_set_threads(struct teg_replay *replay,
                                    uint32_t threads);
/* Simulate only so many SMs, which then run the whole grid; 0: all. */
TEG_API void teg_replay_set_sms(struct teg_replay *replay, uint32_t sms);
/* At most so many resident warps per SM; 0: any. */
TEG_API void teg_replay_set_warps(struct teg_replay *replay, uint32_t warps);

enum teg_sampling {
    TEG_SAMPLING_NEVER,   /* every launch is simulated in full; as if not set */
    TEG_SAMPLING_BY_SIZE, /* in part if of many waves and instructions */
    TEG_SAMPLING_LONG,    /* in part if of many waves */
};

/* Whether a part may stand for the whole: teg_result_error_bound. */
TEG_API void teg_replay_set_sampling(struct teg_replay *replay,
                                     enum teg_sampling sampling);

/* Called now and then in the course of a simulation, in a sweep from several
 * threads at once; a return value other than 0 ends it with
 * TEG_INTERRUPTED. */
typedef int teg_progress(void *self, uint64_t blocks_done, uint64_t cycle);

TEG_API void teg_replay_set_progress(struct teg_replay *replay,
                                     teg_progress *progress, void *self);

/* Adds what-ifs, joined by commas, to all replays from now on.  Unknown names
 * are found when it is replayed, for "double:<unit>" depends on the GPU. */
TEG_API teg_status teg_replay_add_what_ifs(struct teg_replay *replay,
                                           const char *names,
                                           struct teg_diag *d);
/* As it is again. */
TEG_API void teg_replay_clear_what_ifs(struct teg_replay *replay);

/* The named what-ifs, [0, teg_whatif_count), each a line of what changes;
 * static, NULL beyond the end.  "double:<unit>" comes on top, for each
 * unit. */
TEG_API uint32_t teg_whatif_count(void);
TEG_API const char *teg_whatif_name(uint32_t i);
TEG_API const char *teg_whatif_help(uint32_t i);

/* ---- replaying ------------------------------------------------------------- */

/*
 * Simulates the launch.  Fails with TEG_LIMIT if a block fits no SM,
 * TEG_DEADLOCK if warps wait for something that can never happen, TEG_CONFIG
 * for a GPU that teg_gpu_check refuses, TEG_UNKNOWN for a what-if, or as the
 * trace's reader fails.  After TEG_INTERRUPTED `*result` holds what there was
 * so far, to be freed all the same.
 */
TEG_API teg_status teg_replay_run(struct teg_replay *replay,
                                  const struct teg_gpu *gpu,
                                  struct teg_result **result,
                                  struct teg_diag *d);
/* Walks the launch without a clock, which is far quicker: everything but
 * times, which is what most analytical models need. */
TEG_API teg_status teg_replay_walk(struct teg_replay *replay,
                                   const struct teg_gpu *gpu,
                                   struct teg_result **result,
                                   struct teg_diag *d);

/* ---- several at once ------------------------------------------------------- */

/* A launch beside others. */
struct teg_beside {
    struct teg_replay *replay; /* of its own, as it is: no what-ifs or limits */
    uint64_t from;             /* cycle of the chip in which it comes */
    int32_t priority;          /* the higher gets places for its blocks first */
    uint64_t *begun; /* where to say the cycle in which the first of its blocks
                        got one; may be NULL */
};

/*
 * Simulates the launches beside each other on one chip, in caches that are cold
 * at first.  `result[i]`, [launches], is what became of launch i, in its own
 * time since it began: its warps issued and stalled for as many cycles as they
 * were resident, and what all launches issued and stalled is what the chip did.
 * What the chip has of DRAM channels and atomics' slices is in none.  Threads
 * and progress are those of the first replay; none is sampled.  Fails as
 * teg_replay_run does, then without results.
 */
TEG_API teg_status teg_replay_together(const struct teg_beside *beside,
                                       uint32_t launches,
                                       const struct teg_gpu *gpu,
                                       struct teg_result **result,
                                       struct teg_diag *d);

/* ---- many replays ---------------------------------------------------------- */

/*
 * Called for each point as it ends, by one thread at a time, though not always
 * the same one.  `result` is valid until it returns; NULL: `fault` says why
 * there is none.  A return value other than 0 ends the sweep.
 */
typedef int teg_point_done(void *self, uint32_t point,
                           const struct teg_result *result,
                           const struct teg_diag *fault);

/*
 * Replays every point on `workers` threads (0: 1); each worker has its own
 * copy of the launch in memory.  A point is changes joined by commas: what-ifs
 * by name, values of the GPU's description, and of the launch:
 *
 *     "sm.warps_max=32,dram.channels=4"   "no-bank-conflicts"   ""
 *     "launch.registers=64" "launch.shared_bytes=0"
 *     "launch.warps=16" "launch.sms=4"    as teg_replay_set_warps, _sms
 *
 * A chip of fewer sm.warps_max has room for no more threads than those.  A
 * point that cannot be is a fault of that point.  TEG_INTERRUPTED if `done` or
 * the progress callback wished so.
 */
TEG_API teg_status teg_replay_sweep(struct teg_replay *replay,
                                    const struct teg_gpu *gpu,
                                    const char *const *point, uint32_t points,
                                    uint32_t workers, teg_point_done *done,
                                    void *self, struct teg_diag *d);

/* The what-ifs, each applied alone, every unit doubled, and all the fixed ones
 * together ("all"), by what they gain: fewest cycles first. */
struct teg_ranking;

TEG_API teg_status teg_replay_rank(struct teg_replay *replay,
                                   const struct teg_gpu *gpu, uint32_t workers,
                                   struct teg_ranking **ranking,
                                   struct teg_diag *d);
TEG_API void teg_ranking_free(struct teg_ranking *ranking); /* or NULL */
/* Cycles of the launch as it is. */
TEG_API uint64_t teg_ranking_baseline(const struct teg_ranking *ranking);
TEG_API uint32_t teg_ranking_count(const struct teg_ranking *ranking);
/* Of the one in place `i`, from 0; NULL and 0 beyond the end. */
TEG_API const char *teg_ranking_name(const struct teg_ranking *ranking,
                                     uint32_t i);
TEG_API uint64_t teg_ranking_cycles(const struct teg_ranking *ranking,
                                    uint32_t i);

TEG_END

#endif
