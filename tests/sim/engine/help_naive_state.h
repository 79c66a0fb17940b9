/*
 * What the parts of the naive engine know of one another: warps, blocks, SMs,
 * and the few rules that more than one of them needs.
 */
#ifndef TEG_TESTS_SIM_ENGINE_HELP_NAIVE_STATE_H
#define TEG_TESTS_SIM_ENGINE_HELP_NAIVE_STATE_H

#include "sim/memory/merge.h"
#include "tests/sim/engine/help_naive.h"
#include "tests/sim/engine/help_naive_fetch.h"
#include "tests/sim/memory/help_naive_coalesce.h"
#include "tests/sim/memory/help_naive_memory.h"

enum {
    SMS_MAX = 4,
    WARPS_MAX = 64,
    BLOCKS_MAX = 32,
    CLUSTERS_MAX = 64,
    CLUSTER_MAX = 16,
    INSTANCES_MAX = 16
};
enum {
    ISSUES_MAX = 4096,
    BARRIERS = 6,
    DEEDS_MAX = 1024,
    TOLD_MAX = 8192,
    LINES_MAX = 64,
    SEEN_MAX = 4096, /* of a cache of constants */
};

struct instance {
    uint64_t free_at;
    /* of everything ever issued to it */
    uint64_t done[ISSUES_MAX], begun[ISSUES_MAX];
    uint32_t by[ISSUES_MAX]; /* scheduler */
    uint32_t issued;
};

/* A launch. */
struct naive_of {
    const struct teg_program *program;
    struct sim_windows windows;
    int in_clusters;
    uint32_t number;
    /* The launch before it has ended, or there is none; from then on what that
     * has written is seen. */
    int is_free;
    uint64_t seen;
    struct naive_code code;
};

struct warp {
    struct sim_stored stored; /* since its last load */
    struct naive_of *of;
    int resident, finished, parked, exited, planned;
    int waits_for_cluster, waits_for_grid;
    int waits_for_group; /* of four warps */
    int owes;            /* what another of them has begun to multiply */
    uint64_t met_at;
    uint32_t came; /* phases of its cluster's barrier it has arrived in */
    uint32_t lanes_came;
    struct teg_cursor cursor;
    struct sim_plan plan;
    struct teg_access access;
    int has_plan;
    /* Its request is for shared memory of the cluster: what lanes ask for. */
    int remote;
    struct teg_access asked;
    int asked_operand; /* for its next instruction's constant operand */
    uint64_t operand_at;
    uint32_t block, stream, number; /* place in the SM; in the block; result */
    uint64_t age;
    uint64_t from;  /* resident since */
    uint64_t start; /* may issue from */
    uint64_t barrier_end, last_issue, same_warp, branch;
    uint64_t ready[TEG_REG_COUNT];
    int stall[TEG_REG_COUNT];
    /* everything that ever counted up a dependence barrier */
    struct held {
        uint64_t until;
        int stall;
    } held[BARRIERS][NAIVE_ISSUES_MAX * 2];
    uint32_t held_count[BARRIERS];
    /* all that ever joined a group, committed or not, and what counted groups
     * by their number, in order */
    uint64_t joined[TEG_GROUP_KINDS];
    struct counted {
        uint8_t kind, number;
        struct held held;
    } counted[NAIVE_ISSUES_MAX * 2];
    uint32_t counted_count;
    uint64_t accessed, fence_end; /* all accesses done; behind the last fence */
    uint64_t sleep_end;
    uint64_t shared_accessed;      /* those to shared memory */
    uint64_t line, instruction_at; /* of the program; the next is there */
    uint64_t stall_until;          /* by the compiler's stall count */
    /* The phase it has asked for: its mbarrier, its parity. */
    int asks;
    uint64_t asked_mbarrier, asked_parity;
    uint64_t phase_asked_at, answer_takes;
    uint64_t answer_at; /* UINT64_MAX: not known */
    uint32_t named;     /* barrier, while parked */
    uint64_t awaited;   /* what another block writes; 0: nothing */
    uint32_t tells;
    int refused;
    int reason; /* of the last slot */
    int issued_now, issued_any, fetched;
    uint32_t last_inst;
};

struct cluster {
    uint32_t phases; /* that have ended */
    int somebody;    /* has arrived since */
    uint64_t open;
    uint32_t blocks;
    uint32_t sm[CLUSTER_MAX], place[CLUSTER_MAX]; /* where they are, by rank */
};

/* Something that happens to an mbarrier in a cycle. */
struct deed {
    uint64_t mbarrier, cycle;
    int makes; /* it, for `arrivals` a phase */
    int64_t arrivals, bytes;
};

/* What a warp of a launch has told, and from when it is seen. */
struct told {
    uint32_t launch;
    uint64_t name, seen;
};

struct block {
    struct teg_block *block;
    struct handing *of;
    uint32_t cluster, rank;
    uint32_t warps, missing;
    uint64_t done;
    int lets;
    struct deed deed[DEEDS_MAX];
    uint32_t deeds;
    struct {
        uint32_t threads, wanted; /* that have come */
    } named[16];
};

struct naive_constants {
    struct naive_line {
        uint64_t line, ready, used;
        uint32_t launch;
    } operands[4][LINES_MAX], loads[LINES_MAX], behind[LINES_MAX];
    uint64_t seen[SEEN_MAX]; /* lines that have been behind, if it was cold */
    uint32_t seen_count;
    int cold;
    uint64_t uses;
    int entered; /* the last line that was looked for, just now */
};

struct sm {
    uint64_t cores_free;  /* for the next product of tensor memory */
    uint64_t counts_from; /* the next arrival at a barrier */
    uint64_t products_from; /* another may begin, once nobody owes one */
    /* 256ths of a cycle of the data stage: lines of copies that have still to
     * pass; what others have taken beyond whole cycles. */
    uint64_t lines, parts;
    struct naive_constants constants;
    struct warp warp[WARPS_MAX];
    struct block block[BLOCKS_MAX];
    struct instance unit[TEG_MAX_UNITS][INSTANCES_MAX];
    int last[4];         /* slot issued last, by scheduler */
    uint32_t first;      /* scheduler that is asked first */
    uint32_t slots[4];   /* that could issue since a scheduler last did */
    uint32_t left[4][4]; /* operands to read, by scheduler and bank */
    int reading[4];      /* more of them than a scheduler goes on with */
    /* A product reads its sums until then: so many in so many cycles. */
    struct sums {
        uint64_t until, sums, cycles;
    } sums[4];
    struct naive_fetch *fetch; /* NULL: nobody waits for instructions */
};

struct naive {
    const struct teg_gpu *gpu;
    const struct naive_of *of; /* whose turn it is */
    struct naive_memory *memory;
    struct sm *sm;
    struct cluster cluster[CLUSTERS_MAX];
    uint32_t clusters;
    uint32_t turn;    /* SM that is asked first for a place */
    double hand_from; /* the next block may come */
    struct naive_result *result;
    uint64_t warps_started, cycles, now;
    uint64_t port_in[SMS_MAX], port_out[SMS_MAX]; /* ticks they are taken to */
    /* Of the request to the cluster's shared memory that is being looked at:
     * where addresses begin; bytes of an asynchronous store's lane. */
    uint64_t asked_from, sent_bytes;
    struct told told[TOLD_MAX];
    uint32_t tolds;
};

/* A launch's blocks on their way to the SMs. */
struct handing {
    struct naive_of of;
    struct naive_launch launch;
    struct teg_block *next[CLUSTER_MAX];
    uint32_t waiting;
    uint64_t handed_out, ended;
    int all_read;
    /* Blocks that have let others come or have ended, and when the last did. */
    uint64_t letting, let_at;
};

/* Do its loads see what other blocks write? */
static inline int naive_awaits(const struct teg_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->inst[i].values == VALUES_AWAITED)
            return 1;
    }
    return 0;
}

static inline uint64_t naive_max(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static inline const struct teg_inst *naive_head(const struct naive *n,
                                                const struct warp *w)
{
    (void)n;
    return &w->of->program->inst[w->cursor.inst];
}

/* A description's fraction of a cycle, as the engine keeps it. */
static inline double naive_256ths(double x)
{
    return (double)(uint64_t)(x * 256 + 0.5) / 256;
}

/* Is something that ends at `end` over, seen from the slots? */
static inline int naive_over(const struct naive *n, uint64_t end)
{
    uint64_t period = n->gpu->sm.issue_period;

    while (end % period != 0)
        end++;
    return end <= n->now;
}

/* help_naive_waits.c: the reason why the warp may not even be asked, or -1. */
int naive_held(const struct naive *n, const struct warp *w);
/* Commits bulk copies. */
int naive_flushes(const struct teg_inst *inst);
/* What waiting for the instruction's result is called; and for its unit. */
int naive_stall_of(const struct teg_inst *inst);
int naive_throttle(const struct teg_inst *inst);
int naive_by_control(const struct naive *n, const struct teg_inst *inst);
void naive_hold(struct warp *w, uint8_t barrier, uint64_t until, int stall);
/* The instruction's result, or the group it commits, is there at `done`. */
void naive_note_result(const struct naive *n, struct warp *w,
                       const struct teg_inst *inst, uint64_t done);
uint32_t naive_fence_cycles(const struct naive *n, const struct teg_inst *inst);
/* When a phase of that parity has ended at the mbarrier, if none has since;
 * UINT64_MAX: it has not. */
uint64_t naive_phase_end(const struct naive *n, const struct block *b,
                         uint64_t mbarrier, uint64_t parity);

/* The warp tells its `count`-th store or atomic past L1, or 0: that it ends. */
void naive_tell(struct naive *n, const struct warp *w, uint32_t place,
                uint32_t count, uint64_t done, uint64_t begin);
/* Is what it waits for seen? */
int naive_is_told(const struct naive *n, const struct warp *w);

/* help_naive_units.c: the instance that is open first, and since when. */
struct instance *naive_find_instance(struct naive *n, struct sm *sm,
                                     uint32_t unit, uint32_t scheduler,
                                     uint64_t *since);
/* The instance that takes the warp's next instruction now, or NULL. */
struct instance *naive_open_instance(struct naive *n, struct sm *sm,
                                     const struct warp *w, uint32_t scheduler);
/* Is it an instance that all schedulers have in common? */
int naive_is_shared(const struct naive *n, const struct sm *sm,
                    const struct instance *instance);
void naive_give(struct instance *i, uint32_t scheduler, uint64_t begin,
                uint64_t busy, uint64_t done);
/* What the warp's next instruction asks of memory, or NULL. */
struct sim_plan *naive_plan_of(struct naive *n, uint32_t sm, struct warp *w);
/* Does the memory pipeline take it now? */
int naive_memory_takes(struct naive *n, uint32_t sm_number, struct warp *w);

/* help_naive_stage.c: from when on the data stage is free again behind what
 * begins in `begin` and takes so many 256ths of a cycle; a copy of the values
 * is issued; what a warp's part of a product's factors takes. */
uint64_t naive_through_stage(const struct naive *n, struct sm *sm,
                             struct instance *stage, uint64_t begin,
                             uint64_t parts);
void naive_copy_lines(const struct naive *n, struct sm *sm,
                      const uint64_t *value);
uint64_t naive_factor_parts(const struct teg_gpu *gpu,
                            const struct teg_inst *inst);
struct instance *naive_stage(struct naive *n, struct sm *sm,
                             uint32_t scheduler);

/* help_naive_remote.c: makes the warp's plan that of what it asks of its own
 * block if it asks for shared memory of the cluster; returns whether. */
int naive_remote_plan(struct naive *n, struct warp *w,
                      const struct teg_access *a);
/* When it is done, if its own part begins in `begin` and is done at `own`. */
uint64_t naive_remote_done(struct naive *n, uint32_t sm, struct warp *w,
                           uint64_t begin, uint64_t own, uint64_t latency);

/* The same of an asynchronous store, and of a copy between shared memories. */
void naive_send_plan(struct naive *n, struct warp *w, uint64_t bytes,
                     const struct teg_access *to);
uint64_t naive_send_done(struct naive *n, uint32_t sm, struct warp *w,
                         uint64_t begin, uint64_t own);
uint64_t naive_copy_across(struct naive *n, uint32_t sm, struct warp *w,
                           const uint64_t *value, uint64_t begin, uint64_t own);
/* The block of the cluster so many ranks behind; NULL: it has left. */
struct block *naive_block_behind(struct naive *n, struct block *b,
                                 uint32_t rank_behind);

/* help_naive_barriers.c: ends the phase of a cluster's, a block's, a named
 * barrier if all it waits for have come. */
void naive_release_cluster(struct naive *n, uint32_t number);
void naive_count_arrival(struct naive *n, struct sm *sm);
void naive_release_barrier(struct naive *n, struct sm *sm, uint32_t block);
/* The warp has gone on, or ended: the others of its four may wait for it. */
void naive_release_group(struct naive *n, struct sm *sm, const struct warp *w);
/* Do the tensor cores take its next instruction?  The warp has issued it; it has
 * ended. */
int naive_cores_take(const struct naive *n, const struct sm *sm,
                     const struct warp *w);
void naive_note_product(struct naive *n, struct sm *sm, struct warp *w);
void naive_pay_product(struct naive *n, struct sm *sm, struct warp *w);
void naive_release_named(struct naive *n, struct sm *sm, uint32_t block,
                         uint32_t named);
void naive_come_to_cluster(struct naive *n, struct sm *sm, struct warp *w,
                           uint16_t flags, uint32_t lanes);

/* help_naive_constants.c: a warp that nothing else holds asks for the constant
 * operand of its next instruction, once. */
void naive_ask_for_operand(struct naive *n, struct sm *sm, struct warp *w,
                           uint32_t scheduler);
/* How much later constants make the load that begins now. */
uint64_t naive_constants_later(struct naive *n, struct sm *sm,
                               const struct warp *w, uint64_t begin);

/* help_naive_operands.c: the warp's next instruction queues its operands at
 * their banks; do as few wait there that the scheduler may go on; a slot goes
 * by. */
void naive_read(const struct naive *n, struct sm *sm, uint32_t scheduler,
                const struct warp *w);
int naive_reads_fit(const struct naive *n, const struct sm *sm,
                    uint32_t scheduler);
void naive_read_on(struct sm *sm);
/* Slots beyond the window that what waits there needs. */
uint32_t naive_slots_late(const struct naive *n, const struct sm *sm,
                          uint32_t scheduler);

/* help_naive_issue.c: the warp issues its next instruction. */
void naive_issue(struct naive *n, struct sm *sm, uint32_t sm_number,
                 struct warp *w, uint32_t scheduler, struct instance *instance);

/* help_naive_dispatch.c: takes away the blocks that have ended; returns how
 * many. */
uint32_t naive_retire(struct naive *n, struct sm *sm);
/* The block lets launches come that depend on its own. */
void naive_let(const struct naive *n, struct block *b);
/* Hands out the next cluster, or the next block where there are none; returns
 * 0 if there is none or no room. */
int naive_hand_out(struct naive *n, struct handing *h);

#endif
