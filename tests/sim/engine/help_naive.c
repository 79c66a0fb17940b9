#include "tests/sim/engine/help_naive.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/fetch.h"
#include "tests/sim/engine/help_naive_tensor.h"
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
    ISSUES_MAX = 1024,
    BARRIERS = 6,
    DEEDS_MAX = 1024,
};

struct instance {
    uint64_t free_at;
    /* of everything ever issued to it */
    uint64_t done[ISSUES_MAX], begun[ISSUES_MAX];
    uint32_t by[ISSUES_MAX]; /* scheduler */
    uint32_t issued;
};

struct warp {
    int resident, finished, parked, exited, planned;
    int waits_for_cluster;
    uint32_t came; /* phases of its cluster's barrier it has arrived in */
    uint32_t lanes_came;
    struct teg_cursor cursor;
    struct sim_plan plan;
    int has_plan;
    uint32_t block, stream, number; /* place in the SM; in the block; result */
    uint64_t age;
    uint64_t from;  /* resident since */
    uint64_t start; /* may issue from */
    uint64_t barrier_end, last_issue, same_warp;
    uint64_t issue_end; /* next slot of its scheduler */
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
    uint64_t line, instruction_at; /* of the program; the next is there */
    uint64_t stall_until;          /* by the compiler's stall count */
    /* The phase it has asked for: its mbarrier, its parity. */
    int asks;
    uint64_t asked_mbarrier, asked_parity;
    uint32_t named; /* barrier, while parked */
    int refused;
    int reason; /* of the last slot */
    int issued_now, issued_any, fetched;
    uint32_t last_inst;
};

struct cluster {
    uint32_t phases; /* that have ended */
    int somebody;    /* has arrived since */
    uint64_t open;
};

/* Something that happens to an mbarrier in a cycle. */
struct deed {
    uint64_t mbarrier, cycle;
    int makes; /* it, for `arrivals` a phase */
    int64_t arrivals, bytes;
};

struct block {
    struct teg_block *block;
    uint32_t cluster;
    uint32_t warps, missing;
    uint64_t done;
    struct deed deed[DEEDS_MAX];
    uint32_t deeds;
    struct {
        uint32_t threads, wanted; /* that have come */
    } named[16];
};

struct sm {
    struct warp warp[WARPS_MAX];
    struct block block[BLOCKS_MAX];
    struct instance unit[TEG_MAX_UNITS][INSTANCES_MAX];
    int last[4];         /* slot issued last, by scheduler */
    uint32_t first;      /* scheduler that is asked first */
    uint64_t reading[4]; /* operands, until */
    struct sim_fetch *fetch;
};

struct naive {
    const struct teg_gpu *gpu;
    const struct teg_program *program;
    struct sim_windows windows;
    struct naive_memory *memory;
    struct sm *sm;
    struct cluster cluster[CLUSTERS_MAX];
    struct naive_result *result;
    uint64_t warps_started, cycles, now;
};

static uint64_t max_u64(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Is something that ends at `end` over, seen from the slots? */
static int over(const struct naive *n, uint64_t end)
{
    uint64_t period = n->gpu->sm.issue_period;

    while (end % period != 0)
        end++;
    return end <= n->now;
}

static const struct teg_inst *head(const struct naive *n, const struct warp *w)
{
    return &n->program->inst[w->cursor.inst];
}

static int by_control(const struct naive *n, const struct teg_inst *inst)
{
    return n->gpu->sm.dependences == DEPENDENCES_CONTROL && inst->control.known;
}

/* What waiting for the instruction's result is called. */
static int stall_of(const struct teg_inst *inst)
{
    if (inst->group.kind == GROUP_COPIES &&
        (inst->group.does & GROUP_COMMITS) != 0)
        return STALL_LONG;
    if (inst->op_class == CLASS_GMMA)
        return STALL_GMMA;
    if ((inst->flags & INST_OPERAND) != 0)
        return STALL_SHORT;
    switch (teg_op_class_facts(inst->op_class)->kind) {
    case RESULT_LONG:
        return STALL_LONG;
    case RESULT_SHORT:
        return STALL_SHORT;
    default:
        return STALL_WAIT;
    }
}

static void hold(struct warp *w, uint8_t barrier, uint64_t until, int stall)
{
    if (barrier < BARRIERS)
        w->held[barrier][w->held_count[barrier]++] =
            (struct held){until, stall};
}

/* Who waits for groups of a number in DEPBAR or sets the barrier of that number;
 * without control codes there is one row for all. */
static uint8_t number_of(const struct teg_inst *inst)
{
    if (inst->group.kind == GROUP_PRODUCTS)
        return inst->group.number;
    if (!inst->control.known)
        return TEG_GROUP_ANY;
    if ((inst->group.does & GROUP_WAITS) != 0)
        return inst->group.number;
    return inst->control.write_barrier < BARRIERS ? inst->control.write_barrier
                                                  : TEG_GROUP_ANY;
}

static void count(struct warp *w, uint8_t kind, uint8_t number, uint64_t until,
                  int stall)
{
    w->counted[w->counted_count++] =
        (struct counted){kind, number, {until, stall}};
}

/* The instruction's result, or the group it commits, is there at `done`. */
static void note_result(const struct naive *n, struct warp *w,
                        const struct teg_inst *inst, uint64_t done)
{
    const struct teg_group *g = &inst->group;
    int stall = stall_of(inst), control = by_control(n, inst);

    if ((g->does & GROUP_JOINS) != 0)
        w->joined[g->kind] = max_u64(w->joined[g->kind], done);
    if ((g->does & GROUP_COMMITS) != 0)
        done = max_u64(done, w->joined[g->kind]);
    if (control && inst->control.write_barrier < BARRIERS) {
        hold(w, inst->control.write_barrier, done, stall);
        count(w, GROUP_COPIES, inst->control.write_barrier, done, stall);
    }
    if ((g->does & GROUP_COMMITS) != 0 && !(control && g->kind == GROUP_COPIES))
        count(w, g->kind, number_of(inst), done, stall);
}

static int barrier_over(const struct naive *n, const struct warp *w,
                        int barrier, int stall)
{
    for (uint32_t i = 0; i < w->held_count[barrier]; i++) {
        if (w->held[barrier][i].stall == stall &&
            !over(n, w->held[barrier][i].until))
            return 0;
    }
    return 1;
}

/* Are all groups but the newest over?  The wait has the name of the one that
 * is there last. */
static int groups_over(const struct naive *n, const struct warp *w, int stall)
{
    const struct teg_inst *inst = head(n, w);
    const struct teg_group *g = &inst->group;
    uint8_t number = number_of(inst);
    int newest = g->open == TEG_GROUP_OPEN_UNSAID ? 0 : g->open;
    uint64_t last = 0;
    int name = -1;

    if ((g->does & GROUP_WAITS) == 0)
        return 1;
    if (by_control(n, inst) && g->kind == GROUP_COPIES && newest == 0 &&
        number < BARRIERS)
        return barrier_over(n, w, number, stall);
    for (uint32_t i = w->counted_count; i-- > 0;) {
        const struct counted *c = &w->counted[i];

        if (c->kind != g->kind || c->number != number || newest-- > 0)
            continue;
        newest = 0;
        if (c->held.until > last ||
            (c->held.until == last && c->held.stall > name)) {
            last = c->held.until;
            name = c->held.stall;
        }
    }
    return name != stall || over(n, last);
}

static int results_over(const struct naive *n, const struct warp *w, int stall)
{
    const struct teg_inst *inst = head(n, w);

    if (stall == STALL_WAIT && !over(n, w->stall_until))
        return 0;
    if (!groups_over(n, w, stall))
        return 0;
    if (by_control(n, inst)) {
        int mask = inst->control.wait_mask | inst->group.barriers;

        for (int b = 0; b < BARRIERS; b++) {
            if ((mask >> b & 1) && !barrier_over(n, w, b, stall))
                return 0;
        }
        return 1;
    }
    for (uint8_t i = 0; i < inst->src_count; i++) {
        for (uint32_t r = 0; r < inst->src[i].count; r++) {
            uint32_t reg = inst->src[i].first + r;

            /* A product adds to what one before it leaves. */
            if (inst->op_class == CLASS_GMMA && w->stall[reg] == STALL_GMMA)
                continue;
            if (w->stall[reg] == stall && !over(n, w->ready[reg]))
                return 0;
        }
    }
    return 1;
}

static uint32_t fence_cycles(const struct naive *n, const struct teg_inst *inst)
{
    switch (inst->fence) {
    case FENCE_BLOCK:
        return n->gpu->fence.block_latency;
    case FENCE_GPU:
        return n->gpu->fence.gpu_latency;
    case FENCE_SYSTEM:
        return n->gpu->fence.system_latency;
    default:
        return 0;
    }
}

static int fence_open(const struct naive *n, const struct warp *w)
{
    return fence_cycles(n, head(n, w)) == 0 || w->cursor.mask == 0 ||
           over(n, w->accessed);
}

/* The deeds of the mbarrier that are over, from the earliest to the last, as
 * often as phases end: has one of that parity just ended? */
static int phase_is_over(const struct naive *n, const struct block *b,
                         uint64_t mbarrier, uint64_t parity)
{
    int64_t count = 0, left = 0, bytes = 0, phases = 0;
    uint64_t from = 0;

    for (;;) {
        uint64_t next = UINT64_MAX;

        for (uint32_t i = 0; i < b->deeds; i++) {
            const struct deed *e = &b->deed[i];

            if (e->mbarrier == mbarrier && e->cycle >= from && e->cycle < next)
                next = e->cycle;
        }
        if (next == UINT64_MAX || !over(n, next))
            return (phases & 1) != (int64_t)parity;
        for (uint32_t i = 0; i < b->deeds; i++) {
            const struct deed *e = &b->deed[i];

            if (e->mbarrier != mbarrier || e->cycle != next)
                continue;
            if (e->makes)
                count = left = e->arrivals;
            left -= e->makes ? 0 : e->arrivals;
            bytes += e->bytes;
        }
        if (count != 0 && left == 0 && bytes == 0) {
            phases++;
            left = count;
        }
        from = next + 1;
    }
}

/* The reason it may not even be asked, or -1. */
static int held(const struct naive *n, const struct warp *w)
{
    if (!over(n, w->start))
        return STALL_DISPATCH;
    if (w->parked || w->waits_for_cluster || !over(n, w->barrier_end))
        return STALL_BARRIER;
    if (w->same_warp != 0 && !over(n, w->last_issue + w->same_warp))
        return STALL_SAME_WARP;
    if (!over(n, w->instruction_at))
        return STALL_NO_INSTRUCTION;
    if (!over(n, w->fence_end) || !fence_open(n, w))
        return STALL_MEMBAR;
    for (int stall = STALL_LONG; stall <= STALL_GMMA; stall++) {
        if ((stall == STALL_LONG && w->asks) || !results_over(n, w, stall))
            return stall;
    }
    return -1;
}

static int throttle(const struct teg_inst *inst)
{
    if (inst->space == SPACE_GLOBAL || inst->space == SPACE_LOCAL ||
        inst->space == SPACE_GENERIC)
        return STALL_LG_THROTTLE;
    if (inst->space == SPACE_SHARED ||
        teg_op_class_facts(inst->op_class)->kind == RESULT_SHORT)
        return STALL_MIO_THROTTLE;
    return STALL_MATH_THROTTLE;
}

/* Since when fewer than the queue holds of what scheduler `s` ever gave the
 * instance wait in front of it. */
static uint64_t queue_open_since(const struct instance *i, uint32_t queue,
                                 uint32_t s)
{
    uint32_t later = 0;

    for (uint32_t k = i->issued; k-- > 0;) {
        later += i->by[k] == s;
        if (i->by[k] == s && later == queue)
            return i->begun[k];
    }
    return 0;
}

/* Since when the instance can take something.  It has a place as soon as
 * fewer than `capacity` of all it ever took are still in flight: when the
 * capacity-th latest of them is done. */
static uint64_t instance_open_since(const struct naive *n, uint32_t unit,
                                    const struct instance *i, uint32_t s)
{
    uint32_t capacity = n->gpu->unit[unit].capacity;

    if (n->gpu->unit[unit].queue != 0)
        return queue_open_since(i, n->gpu->unit[unit].queue, s);
    for (uint32_t k = 0; capacity != 0 && k < i->issued; k++) {
        uint32_t later = 0;

        for (uint32_t j = 0; j < i->issued; j++)
            later +=
                i->done[j] > i->done[k] || (i->done[j] == i->done[k] && j > k);
        if (later == capacity - 1)
            return max_u64(i->free_at, i->done[k]);
    }
    return i->free_at;
}

static struct instance *find_instance(struct naive *n, struct sm *sm,
                                      uint32_t unit, uint32_t scheduler,
                                      uint64_t *since)
{
    const struct teg_unit *u = &n->gpu->unit[unit];
    uint32_t first = u->scope == UNIT_SCOPE_SM ? 0 : scheduler * u->count;
    struct instance *best = NULL;

    for (uint32_t i = first; i < first + u->count; i++) {
        uint64_t open =
            instance_open_since(n, unit, &sm->unit[unit][i], scheduler);

        if (best == NULL || open < *since) {
            best = &sm->unit[unit][i];
            *since = open;
        }
    }
    return best;
}

static struct sim_plan *plan_of(struct naive *n, uint32_t sm, struct warp *w)
{
    struct teg_access a;

    if (!w->planned) {
        w->planned = 1;
        w->has_plan = teg_cursor_access(&w->cursor, &a);
        if (w->has_plan)
            naive_plan_make(&w->plan, n->gpu, head(n, w), &a, &n->windows);
        if (w->has_plan)
            sim_plan_place(&w->plan, sm, w->block);
    }
    return w->has_plan ? &w->plan : NULL;
}

/* Ends the phase of a cluster's barrier if every warp that is left has come. */
static void release_cluster(struct naive *n, uint32_t number)
{
    struct cluster *c = &n->cluster[number];

    if (!c->somebody)
        return;
    for (int go = 0; go < 2; go++) {
        for (uint32_t s = 0; s < n->gpu->chip.sms; s++) {
            struct sm *sm = &n->sm[s];

            for (uint32_t i = 0; i < WARPS_MAX; i++) {
                struct warp *w = &sm->warp[i];

                if (!w->resident || w->finished ||
                    sm->block[w->block].cluster != number)
                    continue;
                if (!go && w->came <= c->phases)
                    return;
                if (go && w->waits_for_cluster) {
                    w->waits_for_cluster = 0;
                    w->barrier_end = c->open;
                }
            }
        }
        c->open = n->now + max_u64(n->gpu->sm.cluster_barrier_latency, 1);
    }
    c->phases++;
    c->somebody = 0;
}

static void come_to_cluster(struct naive *n, struct sm *sm, struct warp *w,
                            uint16_t flags, uint32_t lanes)
{
    struct cluster *c = &n->cluster[sm->block[w->block].cluster];

    if (flags & INST_ARRIVE) {
        if (w->lanes_came != 0 && (lanes & w->lanes_came) == 0) {
            w->lanes_came |= lanes;
        } else {
            w->lanes_came = lanes;
            if (w->came <= c->phases)
                w->came = c->phases + 1;
            c->somebody = 1;
        }
    }
    if ((flags & INST_BARRIER) && w->came > c->phases)
        w->waits_for_cluster = 1;
    else if (flags & INST_BARRIER)
        w->barrier_end = c->open;
}

static uint64_t ceil_div(double x)
{
    uint64_t whole = (uint64_t)x;

    return whole + (x > (double)whole);
}

static double in_256ths(double x)
{
    return (double)(uint64_t)(x * 256 + 0.5) / 256;
}

static void give(struct instance *i, uint32_t scheduler, uint64_t begin,
                 uint64_t busy, uint64_t done)
{
    i->free_at = begin + busy;
    i->by[i->issued] = scheduler;
    i->begun[i->issued] = begin;
    i->done[i->issued++] = done;
}

static void do_deed(struct block *b, struct deed deed)
{
    if (b->deeds == DEEDS_MAX)
        abort();
    b->deed[b->deeds++] = deed;
}

/* Opens the named barrier if its threads have come. */
static void release_named(struct naive *n, struct sm *sm, uint32_t block,
                          uint32_t named)
{
    struct block *b = &sm->block[block];

    if (b->named[named].wanted == 0 ||
        b->named[named].threads < b->named[named].wanted)
        return;
    b->named[named].threads = b->named[named].wanted = 0;
    for (uint32_t i = 0; i < WARPS_MAX; i++) {
        struct warp *w = &sm->warp[i];

        if (w->resident && w->block == block && !w->finished && w->parked &&
            w->named == named) {
            w->parked = 0;
            w->barrier_end = n->now + max_u64(n->gpu->sm.barrier_latency, 1);
        }
    }
}

/* Lines of a bulk copy from `*at` on, byte by byte. */
static void plan_copy(struct sim_plan *plan, int is_store, uint64_t *at,
                      uint64_t end)
{
    memset(plan, 0, sizeof *plan);
    plan->groups = 1;
    plan->request.space = SPACE_GLOBAL;
    plan->request.is_store = (uint8_t)is_store;
    while (*at < end) {
        struct sim_transaction *t = &plan->transaction[plan->count];
        uint32_t filled[4] = {0};

        if (plan->count == SIM_TRANSACTIONS_MAX)
            return;
        plan->count++;
        t->address = *at / 128 * 128;
        for (; *at < end && *at / 128 * 128 == t->address; ++*at)
            filled[*at % 128 / 32]++;
        for (int s = 0; s < 4; s++) {
            t->bytes += filled[s] != 0 ? 32 : 0;
            t->sectors |= (uint8_t)((filled[s] != 0) << s);
            t->partial |= (uint8_t)((filled[s] != 0 && filled[s] != 32) << s);
        }
    }
}

/* When a bulk copy of the warp is done. */
static uint64_t copy_done(struct naive *n, uint32_t sm, uint64_t begin,
                          const uint64_t *value, const struct teg_inst *inst,
                          uint64_t latency)
{
    uint64_t at = value[1], end = value[1] + value[2], done = 0;
    int is_store = (inst->flags & INST_STORE) != 0;
    struct sim_plan plan;
    double lines = 0;

    while (at != end) {
        uint64_t turns =
            (uint64_t)(lines * in_256ths(n->gpu->memory.transaction_interval));

        plan_copy(&plan, is_store, &at, end);
        done = max_u64(done,
                       naive_memory_issue(n->memory, sm, begin + turns, &plan,
                                          inst->flags | INST_BYPASS_L1));
        lines += plan.count;
    }
    return is_store ? done + latency : max_u64(done, begin + latency);
}

static void release_barrier(struct naive *n, struct sm *sm, uint32_t block)
{
    uint32_t live = 0, parked = 0;

    for (uint32_t i = 0; i < WARPS_MAX; i++) {
        const struct warp *w = &sm->warp[i];

        if (!w->resident || w->block != block)
            continue;
        live += !w->finished;
        parked += !w->finished && w->parked && w->named == 0;
    }
    if (parked == 0 || parked != live + sm->block[block].missing)
        return;
    for (uint32_t i = 0; i < WARPS_MAX; i++) {
        struct warp *w = &sm->warp[i];

        if (w->resident && w->block == block && !w->finished && w->parked &&
            w->named == 0) {
            w->parked = 0;
            w->barrier_end = n->now + max_u64(n->gpu->sm.barrier_latency, 1);
        }
    }
}

static void issue(struct naive *n, struct sm *sm, uint32_t sm_number,
                  struct warp *w, uint32_t scheduler, struct instance *instance)
{
    const struct teg_gpu *gpu = n->gpu;
    const struct teg_inst *inst = head(n, w);
    const struct teg_timing timing = naive_timing(gpu, inst), *t = &timing;
    int operand = (inst->flags & INST_OPERAND) != 0;
    int moves = operand && inst->op_class == CLASS_MOV;
    uint64_t latency = !operand || gpu->shared.operand_latency == 0 ? t->latency
                       : moves ? gpu->timing[CLASS_LDS].latency
                               : gpu->shared.operand_latency;
    /* What is before it in the instance's queues goes first. */
    uint64_t begin = max_u64(n->now, instance->free_at), lines = 0;
    uint64_t busy = t->interval, done = begin + latency;
    struct sim_plan *plan =
        teg_inst_has_addresses(inst) ? plan_of(n, sm_number, w) : NULL;
    struct naive_warp *out = &n->result->warp[w->number];
    uint32_t mask = w->cursor.mask;
    uint64_t same_warp = t->same_warp;
    struct block *b = &sm->block[w->block];
    struct teg_access values[TEG_VALUES_MAX];
    uint64_t value[TEG_VALUES_MAX] = {0};

    for (uint32_t v = 0; mask != 0 && v < teg_inst_values(inst); v++) {
        teg_cursor_value(&w->cursor, &values[v]);
        for (uint32_t l = TEG_LANES; l-- != 0;)
            value[v] =
                mask >> l & 1 ? teg_access_lane(&values[v], l) : value[v];
    }

    if (plan != NULL && plan->request.space == SPACE_SHARED) {
        double extra = plan->request.passes > plan->request.groups
                           ? plan->request.passes - plan->request.groups
                           : 0;

        double hold = gpu->shared.pass_interval;
        double wait = gpu->shared.conflict_latency;

        if (plan->request.is_atomic && gpu->shared.atomic_interval > 0)
            hold = wait = gpu->shared.atomic_interval;
        busy = max_u64(busy, ceil_div(plan->request.passes * in_256ths(hold)));
        done += (uint64_t)(extra * in_256ths(wait) + 0.5);
        if (extra > 0 && gpu->shared.conflict_holds_warp)
            same_warp = max_u64(same_warp, done - n->now);
    } else if (plan != NULL && plan->request.space == SPACE_CONST) {
        double each = in_256ths(gpu->constant.distinct_interval);

        busy = max_u64(busy, ceil_div(plan->request.passes * each));
        done += (uint64_t)((plan->request.passes - 1) * each + 0.5);
    } else if (plan != NULL) {
        uint64_t memory =
            naive_memory_issue(n->memory, sm_number, begin, plan, inst->flags);
        struct sim_plan side = {0};
        double further;

        double turns = plan->count > plan->groups
                           ? (double)(plan->count - plan->groups) + 1
                           : (double)(plan->count != 0);

        lines = plan->request.l1_lines;
        if (lines == 0)
            lines =
                ceil_div(turns * in_256ths(gpu->memory.transaction_interval));
        if (gpu->tag_unit == TEG_NO_UNIT)
            busy = max_u64(busy, lines);
        if (gpu->memory.lane_bytes_per_cycle > 0)
            busy = max_u64(
                busy,
                ceil_div(plan->request.useful_bytes *
                         floor(65536 / gpu->memory.lane_bytes_per_cycle + 0.5) /
                         65536));
        if (inst->values == VALUES_SHARED) {
            struct teg_inst store = *inst;

            store.space = SPACE_SHARED;
            store.flags = INST_STORE;
            naive_plan_make(&side, gpu, &store, &values[0], &n->windows);
        }
        further = (double)side.request.passes - side.request.groups;
        busy = max_u64(busy, ceil_div(side.request.passes *
                                      in_256ths(gpu->shared.pass_interval)));
        if (further > 0) {
            uint64_t later =
                (uint64_t)(further * in_256ths(gpu->shared.conflict_latency) +
                           0.5);

            memory += later;
            if (gpu->shared.conflict_holds_warp)
                same_warp =
                    max_u64(same_warp, begin + latency + later - n->now);
        }
        if (plan->request.l1_passes > 1) {
            double each = in_256ths(gpu->l1.bank_interval);
            double passes = plan->request.l1_passes;

            busy = max_u64(busy, ceil_div(passes * each));
            memory = max_u64(memory, begin + gpu->l1.latency +
                                         ceil_div((passes - 1) * each));
        }
        if (plan->request.atomic_depth > 1 && gpu->l2.bytes != 0 &&
            !gpu->l1.always_hits) {
            double each =
                plan->request.is_float && gpu->l2.atomic_float_interval > 0
                    ? gpu->l2.atomic_float_interval
                    : gpu->l2.atomic_interval;

            done = max_u64(done, n->now + 1) +
                   ceil_div((plan->request.atomic_depth - 1) * in_256ths(each));
        }
        if (gpu->memory.transactions_hold_warp)
            same_warp = max_u64(same_warp, begin + busy - n->now);
        done = plan->request.is_store && !plan->request.is_atomic
                   ? memory + latency
                   : max_u64(memory, done);
    } else if (inst->values == VALUES_BULK && mask != 0 &&
               value[1] != UINT64_MAX) {
        done = copy_done(n, sm_number, begin, value, inst, latency);
    }
    done = max_u64(done, begin + 1);
    if (inst->values == VALUES_INIT && mask != 0)
        do_deed(b, (struct deed){value[0], n->now, 1, (int64_t)value[1], 0});
    if (inst->values == VALUES_BULK && mask != 0)
        do_deed(b, (struct deed){value[3], done, 0, 0, -(int64_t)value[2]});
    for (uint32_t l = 0; inst->values == VALUES_ARRIVE && l < TEG_LANES; l++) {
        if (mask >> l & 1)
            do_deed(b, (struct deed){teg_access_lane(&values[0], l), done, 0,
                                     (int64_t)teg_access_lane(&values[1], l),
                                     (int64_t)teg_access_lane(&values[2], l)});
    }
    if (operand && gpu->operand_unit != TEG_NO_UNIT) {
        uint64_t since;

        give(instance, scheduler, begin, busy, done);
        find_instance(n, sm, gpu->operand_unit, scheduler, &since)->free_at =
            begin + busy;
    } else {
        give(instance, scheduler, begin, busy, done);
    }
    if (lines != 0 && gpu->tag_unit != TEG_NO_UNIT)
        sm->unit[gpu->tag_unit][0].free_at = n->now + lines;
    for (uint8_t i = 0; i < inst->dst_count; i++) {
        for (uint32_t r = 0; r < inst->dst[i].count; r++) {
            w->ready[inst->dst[i].first + r] = done;
            w->stall[inst->dst[i].first + r] = stall_of(inst);
        }
    }
    note_result(n, w, inst, done);
    if (teg_inst_has_addresses(inst) && (inst->group.does & GROUP_JOINS) == 0)
        w->accessed = max_u64(w->accessed, done);
    w->fence_end = mask != 0 && fence_cycles(n, inst) != 0
                       ? n->now + fence_cycles(n, inst)
                       : 0;
    w->stall_until = 0;
    if (by_control(n, inst)) {
        hold(w, inst->control.read_barrier, begin + busy, stall_of(inst));
        w->stall_until =
            n->now + (inst->control.stall != 0 ? inst->control.stall : 1);
    }
    out->issue[out->issues++] =
        (struct naive_issue){n->now, w->cursor.inst, sm_number};
    sm->block[w->block].done = max_u64(sm->block[w->block].done, done);
    n->cycles = max_u64(n->cycles, done);

    if (sm->fetch != NULL && !w->fetched) {
        w->fetched = 1;
        w->line = sim_fetch_line(sm->fetch, inst->pc);
        sim_fetch_at(sm->fetch, scheduler, w->line, w->from);
    }
    w->issued_now = 1;
    w->last_issue = n->now;
    w->same_warp = by_control(n, inst) ? 0 : same_warp;
    w->start = w->barrier_end = 0;
    w->planned = 0;
    if ((inst->flags & INST_EXIT) && mask != 0)
        w->exited = 1;
    if (!teg_cursor_next(&w->cursor)) {
        w->finished = 1;
        if (!w->exited)
            sm->block[w->block].missing++;
        sm->block[w->block].done =
            max_u64(sm->block[w->block].done, n->now + 1);
    } else if ((inst->flags & INST_CLUSTER) && mask != 0) {
        come_to_cluster(n, sm, w, inst->flags, mask);
    } else if ((inst->flags & INST_BARRIER) && mask != 0) {
        w->parked = 1;
        w->named = (uint32_t)value[0];
    } else if (inst->values == VALUES_TEST && mask != 0 && value[1] != 2) {
        w->asks = 1;
        w->asked_mbarrier = value[0];
        w->asked_parity = value[1];
    }
    if (inst->values == VALUES_BARRIER && mask != 0) {
        b->named[value[0]].threads += (uint32_t)__builtin_popcount(mask);
        b->named[value[0]].wanted = (uint32_t)value[1];
        release_named(n, sm, w->block, (uint32_t)value[0]);
    }
    if (inst->op_class == CLASS_BRANCH && !w->finished &&
        head(n, w) != inst + 1)
        w->same_warp = max_u64(w->same_warp, gpu->sm.taken_interval);
    w->instruction_at = 0;
    if (sm->fetch != NULL && !w->finished &&
        sim_fetch_line(sm->fetch, head(n, w)->pc) != w->line) {
        w->line = sim_fetch_line(sm->fetch, head(n, w)->pc);
        w->instruction_at = sim_fetch_at(sm->fetch, scheduler, w->line, n->now);
    }
    release_barrier(n, sm, w->block);
    release_cluster(n, sm->block[w->block].cluster);
}

/* Does it need the unit of lines besides its own? */
static int looks_up_lines(const struct naive *n, const struct teg_inst *inst)
{
    return n->gpu->tag_unit != TEG_NO_UNIT && teg_inst_has_addresses(inst) &&
           (inst->flags & INST_OPERAND) == 0 && inst->space != SPACE_SHARED;
}

/* The instance that takes the warp's next instruction now, or NULL. */
static struct instance *open_instance(struct naive *n, struct sm *sm,
                                      const struct warp *w, uint32_t scheduler)
{
    const struct teg_inst *inst = head(n, w);
    const struct teg_timing *t = &n->gpu->timing[inst->op_class];
    uint64_t since;

    if ((inst->flags & INST_OPERAND) && n->gpu->operand_unit != TEG_NO_UNIT) {
        find_instance(n, sm, n->gpu->operand_unit, scheduler, &since);
        if (since > n->now)
            return NULL;
    }
    if (looks_up_lines(n, inst) &&
        sm->unit[n->gpu->tag_unit][0].free_at > n->now)
        return NULL;
    for (uint8_t i = 0; i < t->unit_count; i++) {
        struct instance *found =
            find_instance(n, sm, t->unit[i], scheduler, &since);

        if (since <= n->now)
            return found;
    }
    return NULL;
}

/* Does the memory pipeline take it now? */
static int memory_takes(struct naive *n, uint32_t sm_number, struct warp *w)
{
    const struct sim_plan *plan;

    if (!teg_inst_has_addresses(head(n, w)) ||
        n->gpu->memory.in_flight_bytes == 0)
        return 1;
    plan = plan_of(n, sm_number, w);
    return plan == NULL || plan->count == 0 ||
           naive_memory_ready_at(n->memory, sm_number, n->now,
                                 plan->request.bytes) <= n->now;
}

static int is_candidate(const struct naive *n, const struct warp *w)
{
    return w->resident && !w->finished && w->from <= n->now &&
           held(n, w) == -1 && !w->refused;
}

/* Does the warp that issued last go on? */
static int greedy(const struct naive *n, const struct warp *last)
{
    switch (n->gpu->sm.policy) {
    case POLICY_GTO:
    case POLICY_GTY:
        return last != NULL && is_candidate(n, last);
    case POLICY_GLRI: /* unless a slot has gone by */
        return last != NULL && is_candidate(n, last) &&
               last->issue_end == n->now;
    default:
        return 0;
    }
}

static int goes_before(const struct naive *n, const struct warp *a,
                       const struct warp *b)
{
    switch (n->gpu->sm.policy) {
    case POLICY_GTY:
        return a->age > b->age;
    case POLICY_LRI:
    case POLICY_GLRI:
        if (!a->issued_any || !b->issued_any)
            return !a->issued_any && b->issued_any;
        return a->last_issue < b->last_issue;
    default:
        return a->age < b->age;
    }
}

/* The scheduler's slots are scheduler, scheduler + schedulers, ... */
static struct warp *choose(struct naive *n, struct sm *sm, uint32_t scheduler)
{
    uint32_t step = n->gpu->sm.schedulers, count = n->gpu->sm.warps_max / step;
    struct warp *best = NULL, *last = NULL;
    uint32_t alive = 0, turn;

    if (sm->last[scheduler] >= 0)
        last = &sm->warp[sm->last[scheduler]];
    switch (n->gpu->sm.policy) {
    case POLICY_LRR:
        for (uint32_t i = 1; i <= count; i++) {
            uint32_t from =
                last != NULL ? (uint32_t)(last - sm->warp) / step : count - 1;
            struct warp *w = &sm->warp[(from + i) % count * step + scheduler];

            if (is_candidate(n, w))
                return w;
        }
        return NULL;
    case POLICY_STRICT:
        for (uint32_t i = 0; i < count; i++) {
            const struct warp *w = &sm->warp[i * step + scheduler];

            alive += w->resident && !w->finished;
        }
        if (alive == 0)
            return NULL;
        turn = (uint32_t)(n->now / n->gpu->sm.issue_period % alive);
        for (uint32_t i = 0; i < count; i++) {
            struct warp *w = &sm->warp[i * step + scheduler];

            if (!w->resident || w->finished)
                continue;
            if (turn-- == 0)
                return is_candidate(n, w) ? w : NULL;
        }
        return NULL;
    default:
        break;
    }
    if (greedy(n, last))
        return last;
    for (uint32_t i = 0; i < count; i++) {
        struct warp *w = &sm->warp[i * step + scheduler];

        if (!is_candidate(n, w))
            continue;
        if (best == NULL || goes_before(n, w, best))
            best = w;
    }
    return best;
}

/* "R4" of "R4.reuse" or "-R4" in the text's place; -1. */
static int text_register(const char *text, int place, int *reuse)
{
    char part[64];
    const char *at = strchr(text, ' ');

    for (; at != NULL && place > 0; place--) {
        at = strchr(at + 1, ',');
    }
    if (at == NULL)
        return -1;
    snprintf(part, sizeof part, "%.40s", at + 1);
    part[strcspn(part, ",")] = '\0';
    *reuse = strstr(part, ".reuse") != NULL;
    at = strchr(part, 'R');
    return at != NULL && at[1] >= '0' && at[1] <= '9' ? atoi(at + 1) : -1;
}

static uint64_t cycles_to_read(const struct naive *n, const struct sm *sm,
                               uint32_t scheduler, const struct warp *w)
{
    const struct teg_inst *inst = head(n, w), *before = inst - 1;
    int bank[4] = {0}, most = 1, four, seen[TEG_REG_P] = {0};
    int follows = sm->last[scheduler] == (int)(w - sm->warp) &&
                  w->cursor.inst != 0 && w->issued_any &&
                  w->last_inst == w->cursor.inst - 1;

    four = n->gpu->sm.register_banks == REGISTER_BANKS_KEPLER;
    if (n->gpu->sm.register_banks == REGISTER_BANKS_NONE ||
        teg_op_class_facts(inst->op_class)->kind != RESULT_FIXED ||
        (inst->op_class >= CLASS_HMMA && inst->op_class <= CLASS_GMMA) ||
        teg_inst_has_addresses(inst) ||
        (n->gpu->sm.register_reuse && !inst->control.known))
        return 1;
    for (uint8_t i = 0; i < inst->src_count; i++) {
        int kept = 0;

        for (int place = 0; place < 8; place++) {
            int reuse = 0, r, unused;

            r = follows && n->gpu->sm.register_reuse && before->control.known
                    ? text_register(teg_program_text(n->program, before), place,
                                    &reuse)
                    : -1;
            kept |= r == inst->src[i].first && reuse &&
                    text_register(teg_program_text(n->program, inst), place,
                                  &unused) == r;
        }
        for (int r = inst->src[i].first;
             !kept && r < TEG_REG_P &&
             r < inst->src[i].first + inst->src[i].count;
             r++) {
            int b = four ? (r & 1) | (r & 4) >> 1 : r & 1;

            if (!seen[r]++ && ++bank[b] > most)
                most = bank[b];
        }
    }
    return (uint64_t)most;
}

/* Is it an instance that all schedulers have in common? */
static int is_shared(const struct naive *n, const struct sm *sm,
                     const struct instance *instance)
{
    size_t unit = (size_t)(instance - sm->unit[0]) / INSTANCES_MAX;

    return n->gpu->unit[unit].scope == UNIT_SCOPE_SM;
}

static void schedule(struct naive *n, uint32_t sm_number, uint32_t scheduler)
{
    struct sm *sm = &n->sm[sm_number];
    uint32_t step = n->gpu->sm.schedulers;
    struct instance *instance;
    struct warp *w;

    if (n->now < sm->reading[scheduler])
        return;
    for (uint32_t i = scheduler; i < n->gpu->sm.warps_max; i += step) {
        w = &sm->warp[i];
        w->refused = 0;
        w->refused =
            is_candidate(n, w) && open_instance(n, sm, w, scheduler) == NULL;
    }
    while ((w = choose(n, sm, scheduler)) != NULL) {
        if (memory_takes(n, sm_number, w)) {
            uint64_t cycles = cycles_to_read(n, sm, scheduler, w);

            sm->reading[scheduler] = n->now + cycles * n->gpu->sm.issue_period;
            w->issue_end = sm->reading[scheduler];
            w->issued_any = 1;
            w->last_inst = w->cursor.inst;
            instance = open_instance(n, sm, w, scheduler);
            if (is_shared(n, sm, instance))
                sm->first = (scheduler + 1) % step;
            issue(n, sm, sm_number, w, scheduler, instance);
            sm->last[scheduler] = (int)(w - sm->warp);
            return;
        }
        w->refused = 1;
    }
}

/* Every resident warp's cycle gets its reason. */
static void account(struct naive *n, struct sm *sm)
{
    int slot = n->now % n->gpu->sm.issue_period == 0;

    for (uint32_t i = 0; i < n->gpu->sm.warps_max; i++) {
        struct warp *w = &sm->warp[i];
        int reason;

        if (!w->resident || w->from > n->now)
            continue;
        if (w->issued_now) {
            w->issued_now = 0;
            continue;
        }
        if (w->finished)
            continue;
        reason = held(n, w);
        if (reason == -1 && slot)
            reason = w->refused ? throttle(head(n, w)) : STALL_NOT_SELECTED;
        else if (reason == -1)
            reason = w->reason;
        w->reason = reason;
        n->result->warp[w->number].stall[reason]++;
    }
}

static uint32_t retire(struct naive *n, struct sm *sm)
{
    uint32_t ended = 0;

    for (uint32_t b = 0; b < BLOCKS_MAX; b++) {
        uint32_t live = 0;

        if (sm->block[b].block == NULL)
            continue;
        for (uint32_t i = 0; i < WARPS_MAX; i++)
            live += sm->warp[i].resident && sm->warp[i].block == b &&
                    !sm->warp[i].finished;
        if (live != 0 || sm->block[b].done > n->now)
            continue;
        for (uint32_t i = 0; i < WARPS_MAX; i++) {
            if (sm->warp[i].resident && sm->warp[i].block == b)
                sm->warp[i].resident = 0;
        }
        teg_block_free(sm->block[b].block);
        sm->block[b].block = NULL;
        ended++;
    }
    return ended;
}

static uint32_t free_places(const struct naive *n, const struct sm *sm,
                            uint32_t warps, uint32_t blocks_per_sm)
{
    uint32_t resident = 0, free_slots = 0;

    for (uint32_t i = 0; i < BLOCKS_MAX; i++)
        resident += sm->block[i].block != NULL;
    for (uint32_t i = 0; i < n->gpu->sm.warps_max; i++)
        free_slots += !sm->warp[i].resident;
    if (resident >= blocks_per_sm)
        return 0;
    return free_slots / warps < blocks_per_sm - resident
               ? free_slots / warps
               : blocks_per_sm - resident;
}

static int place(struct naive *n, struct sm *sm, struct teg_block *block,
                 uint64_t number, uint64_t at, uint32_t blocks_per_sm,
                 uint32_t warps_per_block, uint32_t cluster)
{
    uint32_t b = 0, slot = 0;

    if (free_places(n, sm, teg_block_warps(block), blocks_per_sm) == 0)
        return 0;
    while (sm->block[b].block != NULL)
        b++;
    sm->block[b].block = block;
    sm->block[b].cluster = cluster;
    sm->block[b].done = at + 1;
    sm->block[b].missing = sm->block[b].deeds = 0;
    memset(sm->block[b].named, 0, sizeof sm->block[b].named);
    for (uint32_t s = 0; s < teg_block_warps(block); s++) {
        struct warp *w;

        while (sm->warp[slot].resident)
            slot++;
        w = &sm->warp[slot];
        memset(w, 0, sizeof *w);
        w->resident = 1;
        w->block = b;
        w->stream = s;
        w->number = (uint32_t)number * warps_per_block + s;
        w->age = n->warps_started++;
        w->from = at;
        w->start = at + n->gpu->chip.dispatch_latency;
        teg_cursor_init(&w->cursor, block, s);
        w->finished = !teg_cursor_next(&w->cursor);
    }
    return 1;
}

struct handing {
    struct teg_block *next[CLUSTER_MAX];
    uint32_t waiting, turn, clusters;
    uint32_t blocks_per_sm, warps_per_block;
    uint64_t handed_out;
    double from;
    int all_read;
};

/* Hands out the next cluster, or the next block where there are none; returns
 * 0 if there is none or no room. */
static int hand_out(struct naive *n, struct handing *h,
                    struct teg_launch *launch)
{
    const struct teg_gpu *gpu = n->gpu;
    uint32_t size = launch->kernel->cluster[0], sms = gpu->chip.sms;
    uint32_t groups = size > 1 ? gpu->chip.gpcs : 1, group;
    struct teg_diag d;

    if (size == 0)
        size = 1;
    while (h->waiting < size && !h->all_read) {
        if (h->waiting != 0 && (h->handed_out + h->waiting) % size == 0)
            break;
        if (launch->next(launch->self, &h->next[h->waiting], &d) != TEG_OK)
            abort();
        h->all_read = h->next[h->waiting] == NULL;
        h->waiting += !h->all_read;
    }
    if (h->waiting == 0)
        return 0;
    for (uint32_t g = 0;; g++) {
        uint32_t places = 0;

        if (g == groups)
            return 0;
        group = (h->turn * groups / sms + g) % groups;
        for (uint32_t i = 0; i < sms; i++) {
            if (i * groups / sms == group)
                places += free_places(n, &n->sm[i], h->warps_per_block,
                                      h->blocks_per_sm);
        }
        if (places >= h->waiting)
            break;
    }
    for (uint32_t b = 0; b < h->waiting; b++) {
        uint32_t first = 0, count = 0, i = 0, at;

        for (uint32_t s = sms; s-- > 0;) {
            if (s * groups / sms == group) {
                first = s;
                count++;
            }
        }
        h->from = fmax(h->from, (double)n->now);
        do {
            at = h->turn * groups / sms == group
                     ? first + (h->turn - first + i) % count
                     : first + i % count;
            i++;
        } while (!place(n, &n->sm[at], h->next[b], h->handed_out,
                        (uint64_t)ceil(h->from), h->blocks_per_sm,
                        h->warps_per_block, (uint32_t)h->handed_out / size));
        h->handed_out++;
        h->from += in_256ths(gpu->chip.dispatch_interval);
        h->turn = (at + 1) % sms;
    }
    h->waiting = 0;
    return 1;
}

/* Those who have asked for a phase look whether it is over. */
static void listen(struct naive *n, struct sm *sm)
{
    for (uint32_t i = 0; i < n->gpu->sm.warps_max; i++) {
        struct warp *w = &sm->warp[i];

        if (w->resident && !w->finished && w->asks)
            w->asks = !phase_is_over(n, &sm->block[w->block], w->asked_mbarrier,
                                     w->asked_parity);
    }
}

int naive_run(struct teg_launch *launch, const struct teg_gpu *gpu,
              uint32_t blocks_per_sm, uint32_t warps_per_block, uint64_t limit,
              struct naive_result *result)
{
    struct naive n = {
        .gpu = gpu,
        .program = &launch->kernel->program,
        .windows = {launch->kernel->shared_base, launch->kernel->local_base},
        .sm = calloc(gpu->chip.sms, sizeof *n.sm),
        .result = result,
    };
    struct handing h = {.blocks_per_sm = blocks_per_sm,
                        .warps_per_block = warps_per_block};
    uint64_t ended = 0;
    int dispatch = 1;
    struct teg_diag d;

    memset(result, 0, sizeof *result);
    n.memory = naive_memory_new(gpu, gpu->chip.sms, 0);
    for (uint32_t i = 0; i < gpu->chip.sms; i++) {
        for (int s = 0; s < 4; s++)
            n.sm[i].last[s] = -1;
        if (sim_fetch_new(gpu, &n.sm[i].fetch, &d) != TEG_OK)
            abort();
    }
    for (n.now = 0; n.now < limit; n.now++) {
        for (uint32_t i = 0; i < gpu->chip.sms; i++) {
            uint32_t gone = retire(&n, &n.sm[i]);

            ended += gone;
            dispatch |= gone != 0;
        }
        while (dispatch && hand_out(&n, &h, launch))
            ;
        dispatch = 0;
        if (ended == h.handed_out && h.all_read)
            break;
        for (uint32_t i = 0; i < gpu->chip.sms; i++) {
            listen(&n, &n.sm[i]);
            if (n.now % gpu->sm.issue_period == 0) {
                uint32_t first = n.sm[i].first;

                for (uint32_t s = 0; s < gpu->sm.schedulers; s++)
                    schedule(&n, i, (first + s) % gpu->sm.schedulers);
            }
            account(&n, &n.sm[i]);
        }
    }
    for (uint32_t i = 0; i < gpu->chip.sms; i++) {
        for (uint32_t b = 0; b < BLOCKS_MAX; b++)
            teg_block_free(n.sm[i].block[b].block);
        sim_fetch_free(n.sm[i].fetch);
    }
    result->cycles = n.cycles;
    for (uint32_t i = 0; i < h.waiting; i++)
        teg_block_free(h.next[i]);
    naive_memory_free(n.memory);
    free(n.sm);
    return n.now < limit;
}
