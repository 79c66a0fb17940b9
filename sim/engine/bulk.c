#include "sim/engine/bulk.h"

#include "sim/engine/cga.h"
#include "sim/engine/counter.h"
#include "sim/engine/sm.h"

enum { /* values of a copy */
    SHARED,
    GLOBAL,
    BYTES,
    MBARRIER,
    ROW,  /* of a copy by tensor map: bytes */
    ROWS, /* in each further dimension, and their stride */
    ELEMENT = ROWS + SIM_BOX_DIMENSIONS, /* of a reduction */
};

enum {
    STRIDE_BITS = 48,
    ELEMENT_BYTES = 1 << TEG_REDUCED_FLOAT_BIT, /* and that bit */
};

#define NONE UINT64_MAX /* as a value */

/* Of the pieces of a copy that are settled. */
struct sum {
    struct sim_request request;
    uint64_t done;
};

/* A piece that is not the last: its end is worked out now, or with the
 * others. */
static void end_piece(struct sim_sm *sm, uint32_t slot, uint64_t now,
                      struct sim_plan *plan, struct sum *sum, int open)
{
    const struct sim_issue part = {
        .cycle = now, .slot = slot, .request = &plan->request};
    struct sim_pending *p;

    if (!open) {
        sum->done =
            teg_max(sum->done, sim_memory_end(sm->chip->memory, sm->misses,
                                              &plan->request));
        sim_request_add(&sum->request, &plan->request);
        return;
    }
    p = sim_pending_add(&sm->pending, &part, sm->misses);
    if (p != NULL)
        p->head.is_part = 1;
}

static struct sim_times times_of(const struct sim_op *op, uint64_t start)
{
    int is_store = (op->flags & INST_STORE) != 0;

    return (struct sim_times){
        .start = start,
        .busy = op->interval,
        .done = teg_max(start + op->latency, start + 1),
        .same_warp = op->same_warp,
        .floor = is_store ? start + 1 : start + teg_max(op->latency, 1),
        .extra = is_store ? op->latency : 0,
    };
}

/* The last one: its end is the copy's. */
static void end_copy(struct sim_sm *sm, struct sim_plan *plan,
                     const struct sum *sum, struct sim_times *t)
{
    uint64_t done;

    if (t->open) {
        t->done = SIM_OPEN + sm->pending.used;
        return;
    }
    done = sim_memory_end(sm->chip->memory, sm->misses, &plan->request);
    sim_request_add(&plan->request, &sum->request);
    t->done = sim_times_end(teg_max(sum->done, done), t->floor, t->extra);
}

/* A copy from shared memory to that of another block: its lines cross the
 * network one after the other.  Inside the block's own it takes its latency. */
static struct sim_plan *send_copy(struct sim_sm *sm, struct sim_warp *w,
                                  const struct sim_values *v,
                                  struct sim_plan *plan, struct sim_times *t)
{
    uint32_t blocks = w->grid->windows.blocks;
    uint32_t behind =
        blocks > 1 ? sim_behind(sim_value_first(v, SHARED)) % blocks : 0;
    struct sum none = {0};

    if (behind == 0 || sim_value_first(v, BYTES) == 0)
        return NULL;
    *plan = (struct sim_plan){
        .request = {.space = SPACE_SHARED, .active = 1},
        .remotes = 1,
        .remote = {{.behind = behind,
                    .bytes = (uint32_t)sim_value_first(v, BYTES),
                    .sent = 1}},
    };
    plan->request.remote_bytes = plan->remote[0].bytes;
    sim_lsu_find_remotes(sm, w, plan);
    t->open = sim_lsu_begin(sm, w, plan, INST_BYPASS_L1, t->start);
    end_copy(sm, plan, &none, t);
    return plan;
}

/* Blocks of the cluster that the copy goes to. */
static uint32_t blocks_of(const struct sim_values *v)
{
    uint64_t mbarrier = sim_value_first(v, MBARRIER);

    if (mbarrier == NONE || mbarrier >> SIM_BLOCKS_AT == 0)
        return 1;
    return (uint32_t)__builtin_popcountll(mbarrier >> SIM_BLOCKS_AT);
}

int sim_bulk_box(const struct sim_values *v, uint8_t values,
                 struct sim_box *box)
{
    uint64_t from = sim_value_first(v, GLOBAL);

    *box = sim_box_of_range(from, sim_value_first(v, BYTES));
    if (from == NONE)
        box->rows = 0;
    if (values == VALUES_BULK || from == NONE)
        return box->rows != 0;
    box->row = sim_value_first(v, ROW);
    box->rows = box->row != 0;
    for (uint32_t i = 0; i < SIM_BOX_DIMENSIONS; i++) {
        uint64_t rows = sim_value_first(v, ROWS + i);

        box->count[i] = (uint32_t)(rows >> STRIDE_BITS);
        box->stride[i] = rows & ((UINT64_C(1) << STRIDE_BITS) - 1);
        box->rows *= box->count[i];
    }
    if (values == VALUES_REDUCED) {
        uint64_t element = sim_value_first(v, ELEMENT);

        box->element = (uint32_t)(element & (ELEMENT_BYTES - 1));
        box->is_float = (element & ELEMENT_BYTES) != 0;
    }
    return box->rows != 0;
}

/* The copy's lines go through the data stage, once for every block that they
 * are for. */
static void pass_stage(struct sim_sm *sm, const struct sim_values *v)
{
    if (sim_value_first(v, SHARED) != NONE)
        sim_stage_copy(sm, sim_value_first(v, BYTES) * blocks_of(v));
}

struct sim_plan *sim_bulk_issue(struct sim_sm *sm, uint32_t slot,
                                const struct sim_values *v, uint64_t now,
                                uint64_t start, struct sim_times *t)
{
    struct sim_warp *w = &sm->warp[slot];
    const struct sim_op *op = sim_warp_op(w);
    struct sim_plan *plan = &sm->plan[sm->chip->may_refuse ? slot : 0];
    uint64_t turns = 0;
    struct sum sum = {0};
    struct sim_box box;

    *t = times_of(op, start);
    pass_stage(sm, v);
    if (!sim_bulk_box(v, op->values, &box))
        return op->values == VALUES_BULK ? send_copy(sm, w, v, plan, t) : NULL;
    if ((op->flags & INST_STORE) == 0)
        t->extra = sm->chip->gpu->memory.copy_latency;
    for (;;) {
        int more = sim_plan_bulk(plan, sm->chip->gpu, op->flags, &box);

        t->open = sim_lsu_begin(sm, w, plan, op->flags | INST_BYPASS_L1,
                                start + turns / SIM_FRACTION);
        if (!more)
            break;
        end_piece(sm, slot, now, plan, &sum, t->open);
        turns += plan->count * sm->chip->transaction_interval;
    }
    end_copy(sm, plan, &sum, t);
    return plan;
}

/* Lets the mbarrier know, or that of each block that a copy goes to. */
static void tell_blocks(struct sim_sm *sm, const struct sim_resident *b,
                        uint64_t mbarrier, uint64_t bytes,
                        const struct sim_times *t)
{
    uint64_t blocks = mbarrier >> SIM_BLOCKS_AT & 0xffff;
    uint64_t twice = mbarrier >> SIM_TWICE_AT;
    struct sim_news news = {0};

    for (blocks = blocks != 0 ? blocks : 1; blocks != 0; blocks &= blocks - 1) {
        uint32_t behind = (uint32_t)__builtin_ctzll(blocks);

        news.address =
            (mbarrier & UINT32_MAX) + ((uint64_t)behind << SIM_BEHIND_BIT);
        news.bytes = -(int64_t)(bytes * (1 + (twice >> behind & 1)));
        sim_outbox_send(sm, b, &news, t);
    }
}

void sim_bulk_tell(struct sim_sm *sm, const struct sim_warp *w,
                   const struct sim_values *v, const struct sim_times *t)
{
    struct sim_resident *b = &sm->resident[w->resident];
    uint64_t mbarrier = sim_value_first(v, MBARRIER);
    const struct sim_news news = {
        .address = mbarrier & UINT32_MAX,
        .bytes = -(int64_t)sim_value_first(v, BYTES),
    };
    struct sim_mbarrier_note note;

    if (mbarrier == NONE)
        return;
    if (b->cga.number != SIM_NO_CGA && sim_behind(mbarrier) != 0) {
        tell_blocks(sm, b, mbarrier, sim_value_first(v, BYTES), t);
        return;
    }
    note = sim_mbarrier_come(sm, b, &news, t->done, t->open);
    if (t->open)
        sim_pending_at(&sm->pending, (uint32_t)(t->done - SIM_OPEN))->note =
            note;
}
