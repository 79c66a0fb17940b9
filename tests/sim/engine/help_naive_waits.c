#include <stdlib.h>

#include "tests/sim/engine/help_naive_state.h"

int naive_by_control(const struct naive *n, const struct teg_inst *inst)
{
    return n->gpu->sm.dependences == DEPENDENCES_CONTROL && inst->control.known;
}

int naive_flushes(const struct teg_inst *inst)
{
    return inst->group.kind == GROUP_BULK &&
           (inst->group.does & GROUP_COMMITS) != 0;
}

/* The dependence barrier it holds until it is done. */
static uint8_t barrier_of(const struct teg_inst *inst)
{
    return naive_flushes(inst) ? inst->control.read_barrier
                               : inst->control.write_barrier;
}

/* What waiting for the instruction's result is called. */
int naive_stall_of(const struct teg_inst *inst)
{
    if (naive_flushes(inst) || (inst->group.kind == GROUP_COPIES &&
                                (inst->group.does & GROUP_COMMITS) != 0))
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

void naive_hold(struct warp *w, uint8_t barrier, uint64_t until, int stall)
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
    return barrier_of(inst) < BARRIERS ? barrier_of(inst) : TEG_GROUP_ANY;
}

static void count(struct warp *w, uint8_t kind, uint8_t number, uint64_t until,
                  int stall)
{
    w->counted[w->counted_count++] =
        (struct counted){kind, number, {until, stall}};
}

/* The instruction's result, or the group it commits, is there at `done`. */
void naive_note_result(const struct naive *n, struct warp *w,
                       const struct teg_inst *inst, uint64_t done)
{
    const struct teg_group *g = &inst->group;
    int stall = naive_stall_of(inst), control = naive_by_control(n, inst);

    if ((g->does & GROUP_JOINS) != 0)
        w->joined[g->kind] = naive_max(w->joined[g->kind], done);
    if ((g->does & GROUP_COMMITS) != 0)
        done = naive_max(done, w->joined[g->kind]);
    if (control && barrier_of(inst) < BARRIERS) {
        naive_hold(w, barrier_of(inst), done, stall);
        count(w, GROUP_COPIES, barrier_of(inst), done, stall);
    }
    if ((g->does & GROUP_COMMITS) == 0)
        return;
    if (g->kind == GROUP_PRODUCTS)
        count(w, GROUP_PRODUCTS, number_of(inst), done, stall);
    else if (!control)
        count(w, GROUP_COPIES, number_of(inst), done, stall);
}

static int barrier_over(const struct naive *n, const struct warp *w,
                        int barrier, int stall)
{
    for (uint32_t i = 0; i < w->held_count[barrier]; i++) {
        if (w->held[barrier][i].stall == stall &&
            !naive_over(n, w->held[barrier][i].until))
            return 0;
    }
    return 1;
}

/* Are all groups but the newest over?  The wait has the name of the one that
 * is there last. */
static int groups_over(const struct naive *n, const struct warp *w, int stall)
{
    const struct teg_inst *inst = naive_head(n, w);
    const struct teg_group *g = &inst->group;
    uint8_t number = number_of(inst);
    int newest = g->open == TEG_GROUP_OPEN_UNSAID ? 0 : g->open;
    uint64_t last = 0;
    int name = -1;

    if ((g->does & GROUP_WAITS) == 0)
        return 1;
    if (naive_by_control(n, inst) && g->kind == GROUP_COPIES && newest == 0 &&
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
    return name != stall || naive_over(n, last);
}

static int results_over(const struct naive *n, const struct warp *w, int stall)
{
    const struct teg_inst *inst = naive_head(n, w);

    if (stall == STALL_WAIT && !naive_over(n, w->stall_until))
        return 0;
    if (!groups_over(n, w, stall))
        return 0;
    if (naive_by_control(n, inst)) {
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
            if (w->stall[reg] == stall && !naive_over(n, w->ready[reg]))
                return 0;
        }
    }
    return 1;
}

uint32_t naive_fence_cycles(const struct naive *n, const struct teg_inst *inst)
{
    switch (inst->fence) {
    case FENCE_BLOCK:
        return n->gpu->fence.block_latency;
    case FENCE_GPU:
        return n->gpu->fence.gpu_latency;
    case FENCE_SYSTEM:
        return n->gpu->fence.system_latency;
    case FENCE_ASYNC:
        return n->gpu->fence.async_latency;
    default:
        return 0;
    }
}

static int fence_open(const struct naive *n, const struct warp *w)
{
    return naive_fence_cycles(n, naive_head(n, w)) == 0 ||
           w->cursor.mask == 0 ||
           naive_over(n, naive_head(n, w)->fence == FENCE_ASYNC
                             ? w->shared_accessed
                             : w->accessed);
}

/* The deeds of the mbarrier that are over, from the earliest to the last, as
 * often as phases end. */
uint64_t naive_phase_end(const struct naive *n, const struct block *b,
                         uint64_t mbarrier, uint64_t parity)
{
    int64_t count = 0, left = 0, bytes = 0, phases = 0;
    uint64_t from = 0, end = 0;

    for (;;) {
        uint64_t next = UINT64_MAX;

        for (uint32_t i = 0; i < b->deeds; i++) {
            const struct deed *e = &b->deed[i];

            if (e->mbarrier == mbarrier && e->cycle >= from && e->cycle < next)
                next = e->cycle;
        }
        if (next == UINT64_MAX || !naive_over(n, next))
            return (phases & 1) != (int64_t)parity ? end : UINT64_MAX;
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
            end = next;
            left = count;
        }
        from = next + 1;
    }
}

void naive_tell(struct naive *n, const struct warp *w, uint32_t place,
                uint32_t count, uint64_t done, uint64_t begin)
{
    const struct teg_gpu *gpu = n->gpu;
    uint64_t way = gpu->l2.bytes != 0 && gpu->l2.latency < gpu->dram.latency
                       ? gpu->l2.latency
                       : gpu->dram.latency;

    if (n->tolds == TOLD_MAX)
        abort();
    n->told[n->tolds++] =
        (struct told){w->of->number,
                      ((uint64_t)place + 1) * 4294967296 +
                          (uint64_t)w->stream * 67108864 + count,
                      naive_max(done, begin + way)};
}

int naive_is_told(const struct naive *n, const struct warp *w)
{
    for (uint32_t i = 0; i < n->tolds; i++) {
        const struct told *t = &n->told[i];

        if (t->launch == w->of->number && t->name == w->awaited)
            return naive_over(n, t->seen);
    }
    for (uint32_t i = 0; i < n->tolds; i++) {
        const struct told *t = &n->told[i];

        if (t->launch == w->of->number &&
            t->name == w->awaited - w->awaited % 67108864)
            return naive_over(n, t->seen);
    }
    return 0;
}

/* The reason it may not even be asked, or -1. */
int naive_held(const struct naive *n, const struct warp *w)
{
    if (!naive_over(n, w->start))
        return STALL_DISPATCH;
    if (w->parked || w->waits_for_cluster || !naive_over(n, w->barrier_end))
        return STALL_BARRIER;
    if (w->same_warp != 0 && !naive_over(n, w->last_issue + w->same_warp))
        return STALL_SAME_WARP;
    if (w->branch != 0 && !naive_over(n, w->last_issue + w->branch))
        return STALL_BRANCHING;
    if (!naive_over(n, w->instruction_at))
        return STALL_NO_INSTRUCTION;
    if (w->waits_for_grid && (!w->of->is_free || !naive_over(n, w->of->seen)))
        return STALL_MEMBAR;
    if (!naive_over(n, w->fence_end) || !fence_open(n, w))
        return STALL_MEMBAR;
    if (!naive_over(n, w->sleep_end))
        return STALL_SLEEPING;
    for (int stall = STALL_LONG; stall <= STALL_GMMA; stall++) {
        if ((stall == STALL_LONG && (w->asks || w->awaited != 0)) ||
            (stall == STALL_GMMA &&
             (w->waits_for_group || !naive_over(n, w->met_at))) ||
            !results_over(n, w, stall))
            return stall;
    }
    return naive_over(n, w->operand_at) ? -1 : STALL_IMC_MISS;
}

int naive_throttle(const struct teg_inst *inst)
{
    if (inst->space == SPACE_TEXTURE)
        return STALL_TEX_THROTTLE;
    if (inst->space == SPACE_GLOBAL || inst->space == SPACE_LOCAL ||
        inst->space == SPACE_GENERIC)
        return STALL_LG_THROTTLE;
    if (inst->space == SPACE_SHARED ||
        teg_op_class_facts(inst->op_class)->kind == RESULT_SHORT)
        return STALL_MIO_THROTTLE;
    return STALL_MATH_THROTTLE;
}
