/*
 * What our own tools and tests call: open a trace, load a GPU, simulate, read
 * the statistics, ask the models.  Users of the library see include/teg/
 * instead, which libteg/ makes of this.
 *
 *     struct teg_diag d;
 *     struct teg_gpu *gpu;
 *     struct teg_trace *trace;
 *     struct teg_launch launch;
 *     struct teg_statistics *s = calloc(1, sizeof *s);
 *
 *     if (teg_gpu_load("config/v100.cfg", &gpu, &d) == TEG_OK &&
 *         teg_trace_open("kernel.tegt", NULL, &trace, &d) == TEG_OK &&
 *         teg_trace_launch(trace, 0, &launch, &d) == TEG_OK &&
 *         teg_simulate(&launch, gpu, NULL, s, &d) == TEG_OK)
 *         ... s->cycles ...
 */
#ifndef TEG_SIM_TEG_H
#define TEG_SIM_TEG_H

#include "config/gpu.h"
#include "include/teg/version.h"
#include "sim/collect/statistics.h"
#include "sim/models/model.h"
#include "traces/trace.h"

struct sim_lead;
struct sim_memory;

struct teg_simulation_options {
    uint32_t sms;          /* simulate only this many SMs, which then run
                                the whole grid; 0 = all */
    uint32_t warps_per_sm; /* at most this many resident warps; 0 = any */
    uint32_t threads;      /* of the host, at most; 0 = 1.  Results are the
                                same for every number */
    /* The SMs lead others (sim/engine/engine.h); NULL: they are all there
     * are. */
    const struct sim_lead *lead;
    /* What the launch before left in L2, TLBs and channels (borrowed; NULL: all
     * is cold); and where to leave it in turn if the simulation succeeds, in
     * place of what is there, for the caller to free (sim/memory/memory.h);
     * NULL: nowhere.  It may outlive the GPU. */
    const struct sim_memory *before;
    struct sim_memory **after;
    /* Nobody hears anything: of the statistics only the cycles and what the
     * kernel says are filled in, in two thirds of the time.  A sample ignores it. */
    int cycles_only;
    /* More listeners besides the statistics; may be NULL. */
    const struct sim_listener *listener;
    uint32_t listener_count;
    /* Called now and then; a return value other than 0 stops the simulation
     * with TEG_INTERRUPTED and the statistics so far.  May be NULL. */
    int (*progress)(void *self, uint64_t blocks_done, uint64_t cycle);
    void *progress_self;
};

/*
 * Simulates the launch from its next block to its last and fills `s`
 * (kernel facts, occupancy and time included).  `options` may be NULL.
 * Fails with TEG_LIMIT if a block fits no SM, TEG_DEADLOCK if warps wait
 * for something that can never happen, or as the trace's reader fails.
 */
teg_status teg_simulate(struct teg_launch *launch, const struct teg_gpu *gpu,
                        const struct teg_simulation_options *options,
                        struct teg_statistics *s, struct teg_diag *d);

/* Threads of a block: one that the trace says nothing of is of a warp. */
uint32_t teg_kernel_threads(const struct teg_kernel *k);
/* What the launch asks of an SM. */
struct teg_block_asks teg_kernel_asks(const struct teg_kernel *k);
/* Of the kernel; says whose it is if it fits nowhere. */
teg_status teg_kernel_occupancy(const struct teg_kernel *k,
                                const struct teg_gpu *gpu,
                                struct teg_occupancy *o, struct teg_diag *d);
/* Fills in what the collector does not hear: the kernel, and where its blocks
 * may be, of `sms` SMs. */
void teg_statistics_describe(struct teg_statistics *s,
                             const struct teg_kernel *k,
                             const struct teg_occupancy *o, uint32_t sms);

/* Walks the launch without a clock: everything in `s` but the time. */
teg_status teg_profile(struct teg_launch *launch, const struct teg_gpu *gpu,
                       struct teg_statistics *s, struct teg_diag *d);

/* A named change to the GPU or to the instruction stream. */
struct teg_whatif {
    const char *name, *help;
};

/* All fixed ones; "double:<unit>" comes on top, for each unit. */
const struct teg_whatif *teg_whatifs(uint32_t *count);
/* Those that can be limited to the instructions of a source line:
 * "coalesced@transpose.cu:25", with the file's name or the end of its path. */
const struct teg_whatif *teg_whatifs_at_line(uint32_t *count);
/* The first name of `*names`, joined by commas, and its length; moves `*names`
 * behind it.  NULL when there is none left; empty ones are no names. */
const char *teg_whatif_next(const char **names, size_t *length);
/* Whether `name` ([length]) is one, or "double:" with a unit of `gpu`. */
int teg_whatif_known(const char *name, size_t length,
                     const struct teg_gpu *gpu);
/* Whether `names` has "warm-caches": nothing here changes, whoever simulates
 * does so once before (sim/sample/warm_up.h). */
int teg_whatif_warms(const char *names);
/* What a ranking tries, [0, teg_whatif_trials): "all", which is all fixed ones
 * together, each of them, and each unit doubled. */
enum {
    TEG_WHATIF_NAME_SIZE = 160
};

uint32_t teg_whatif_trials(const struct teg_gpu *gpu);
/* The trial's name; returns the what-ifs that it applies, joined by commas:
 * `name` itself, but for "all". */
const char *teg_whatif_trial(const struct teg_gpu *gpu, uint32_t i,
                             char name[TEG_WHATIF_NAME_SIZE]);
/*
 * Applies the what-ifs `names`, one or several joined by commas, to `*gpu` (a
 * copy of the caller's) and to `launch`, which is replaced by one that
 * transforms the blocks handed out and whose close also closes the original.
 * TEG_UNKNOWN, with the nearest known name, if there is none such, or no
 * instruction of its line; those before it have been applied then.
 */
teg_status teg_whatif_apply(const char *names, struct teg_gpu *gpu,
                            struct teg_launch *launch, struct teg_diag *d);

/* Whether a launch of which `gpu`, `kernel` and `s` are as it was simulated, all
 * of it and in cold caches or those it found, takes as many cycles with what-if
 * `name`: whatever that takes away was not there (sim/whatif/idle.h).  0 where
 * only a simulation can tell. */
int teg_whatif_is_idle(const char *name, const struct teg_gpu *gpu,
                       const struct teg_kernel *kernel,
                       const struct teg_statistics *s);
/* Whether it takes as many, or a sample of it says so, because what-if `name` finds
 * every block of `launch` as it would have it (sim/whatif/alike.h): a tenth of a
 * simulation's work if so, mostly next to none if not.  Uses the launch up. */
teg_status teg_whatif_is_alike(const char *name, const struct teg_gpu *gpu,
                               struct teg_launch *launch, int *alike,
                               struct teg_diag *d);

#endif
