#include "sim/whatif/alike.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/memory/plan.h"
#include "traces/block/walks.h"

typedef teg_status look(void *self, struct teg_block *block, int *alike,
                        struct teg_diag *d);

/* `by_walks`: what has been seen of one block is known of those that walk alike. */
static teg_status look_at_all(struct teg_launch *launch, look *at, void *self,
                              int by_walks, int *alike, struct teg_diag *d)
{
    struct teg_block *before = NULL, *block;
    teg_status status = TEG_OK;

    for (*alike = 1; status == TEG_OK && *alike; before = block) {
        status = launch->next(launch->self, &block, d);
        if (status == TEG_OK && block != NULL &&
            !(by_walks && before != NULL &&
              teg_block_walk_alike(before, block)))
            status = at(self, block, alike, d);
        teg_block_free(before);
        if (block == NULL)
            return status;
    }
    teg_block_free(before);
    return status;
}

/* ---- blocks ---------------------------------------------------------------- */

struct rewriting {
    const struct teg_program *program;
    block_change *change;
    struct teg_block_builder *same, *changed; /* owned */
};

static void copy(struct teg_block *from, struct teg_block_builder *b)
{
    for (uint32_t i = 0; i < teg_block_warps(from); i++) {
        struct teg_cursor cursor;

        teg_block_builder_warp(b, teg_block_warp_id(from, i));
        teg_cursor_init(&cursor, from, i);
        while (teg_cursor_next(&cursor))
            teg_block_builder_copy(b, cursor.inst, &cursor);
    }
}

/* The builder makes one and the same of the same streams; whoever made the block has
 * perhaps made another. */
static teg_status look_at_block(void *self, struct teg_block *block, int *alike,
                                struct teg_diag *d)
{
    struct rewriting *r = self;
    const uint8_t *bytes, *changed;
    size_t size, changed_size;

    teg_block_builder_begin(r->changed, teg_block_position(block));
    TRY(r->change(block, r->program, r->changed, d));
    TRY(teg_block_builder_end(r->changed, &changed, &changed_size, d));
    bytes = teg_block_built(block, r->program, &size);
    if (bytes == NULL) {
        teg_block_builder_begin(r->same, teg_block_position(block));
        copy(block, r->same);
        TRY(teg_block_builder_end(r->same, &bytes, &size, d));
    }
    *alike = size == changed_size && memcmp(bytes, changed, size) == 0;
    return TEG_OK;
}

teg_status alike_blocks(block_change *change, struct teg_launch *launch,
                        int *alike, struct teg_diag *d)
{
    struct rewriting r = {&launch->kernel->program, change, NULL, NULL};
    teg_status status = teg_block_builder_new(r.program, &r.same, d);

    if (status == TEG_OK)
        status = teg_block_builder_new(r.program, &r.changed, d);
    if (status == TEG_OK)
        status = look_at_all(launch, look_at_block, &r,
                             block_change_goes_by_walks(change), alike, d);
    teg_block_builder_free(r.same);
    teg_block_builder_free(r.changed);
    return status;
}

/* ---- transactions ---------------------------------------------------------- */

struct planning {
    const struct teg_gpu *gpu, *changed;
    const struct teg_program *program;
    struct sim_windows windows;
    struct sim_plan plan, changed_plan;
};

/* Cycles that looking up lines takes (lsu.c). */
static double lookups(const struct teg_gpu *gpu, const struct sim_plan *plan)
{
    enum {
        FRACTION = 256 /* of a cycle: SIM_FRACTION */
    };
    double interval = round(gpu->memory.transaction_interval * FRACTION);

    return plan->request.l1_lines != 0
               ? plan->request.l1_lines
               : ceil(sim_plan_turns(plan) * interval / FRACTION);
}

static int same_transaction(const struct sim_transaction *a,
                            const struct sim_transaction *b)
{
    return a->address == b->address && a->bytes == b->bytes &&
           a->sectors == b->sectors && a->partial == b->partial &&
           a->updates == b->updates && a->steps == b->steps &&
           a->packets == b->packets;
}

static int same_plans(const struct planning *p)
{
    const struct sim_plan *a = &p->plan, *b = &p->changed_plan;

    if (a->count != b->count || a->groups != b->groups ||
        a->request.most_updates != b->request.most_updates ||
        a->request.most_steps != b->request.most_steps ||
        a->request.l1_passes > 1 || b->request.l1_passes > 1 ||
        lookups(p->gpu, a) != lookups(p->changed, b))
        return 0;
    for (uint32_t i = 0; i < a->count; i++) {
        if (!same_transaction(&a->transaction[i], &b->transaction[i]))
            return 0;
    }
    return 1;
}

static int look_at_access(struct planning *p, const struct teg_cursor *cursor,
                          const struct teg_access *access)
{
    const struct teg_inst *inst = &p->program->inst[cursor->inst];

    sim_plan_make(&p->plan, p->gpu, inst, access, &p->windows);
    if (!sim_request_goes_out(&p->plan.request))
        return 1;
    sim_plan_make(&p->changed_plan, p->changed, inst, access, &p->windows);
    return same_plans(p);
}

static teg_status look_at_accesses(void *self, struct teg_block *block,
                                   int *alike, struct teg_diag *d)
{
    struct planning *p = self;
    struct teg_access access;

    (void)d;
    for (uint32_t i = 0; *alike && i < teg_block_warps(block); i++) {
        struct teg_cursor cursor;

        teg_cursor_init(&cursor, block, i);
        while (*alike && teg_cursor_next(&cursor)) {
            if (teg_cursor_access(&cursor, &access))
                *alike = look_at_access(p, &cursor, &access);
        }
    }
    return TEG_OK;
}

teg_status alike_transactions(const struct teg_gpu *gpu,
                              const struct teg_gpu *changed,
                              struct teg_launch *launch, int *alike,
                              struct teg_diag *d)
{
    struct planning *p = calloc(1, sizeof *p);
    teg_status status;

    if (p == NULL)
        return teg_fail_memory(d);
    p->gpu = gpu;
    p->changed = changed;
    p->program = &launch->kernel->program;
    p->windows = sim_windows_of(launch->kernel, gpu);
    status = look_at_all(launch, look_at_accesses, p, 0, alike, d);
    free(p);
    return status;
}
