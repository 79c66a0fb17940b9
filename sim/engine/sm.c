#include "sim/engine/sm.h"

#include "sim/engine/cga.h"

#include <stdlib.h>
#include <string.h>

/* ---- making and clearing ------------------------------------------------- */

void sim_sm_init(struct sim_sm *sm, struct sim_chip *chip, uint32_t number)
{
    uint32_t warps = chip->gpu->sm.warps_max;

    sm->chip = chip;
    sm->number = number;
    sm->wake = SIM_NEVER;
    sm->next_block_end = SIM_NEVER;
    sm->free_slots = warps == 64 ? UINT64_MAX : (1ull << warps) - 1;
    sim_pending_clear(&sm->pending);
}

/* What only an SM with blocks needs, as the first of them comes. */
static teg_status begin(struct sim_sm *sm, struct teg_diag *d)
{
    const struct sim_chip *chip = sm->chip;
    const struct teg_gpu *gpu = chip->gpu;
    uint32_t warps = gpu->sm.warps_max;

    sm->scheduler = calloc(gpu->sm.schedulers, sizeof *sm->scheduler);
    if (sm->scheduler == NULL)
        return teg_fail_memory(d);
    for (uint32_t s = 0; s < gpu->sm.schedulers; s++) {
        sm->scheduler[s].heard = chip->heard;
        sm->scheduler[s].next_ready = SIM_NEVER;
        sm->scheduler[s].next_far = SIM_NEVER;
        sm->scheduler[s].wake = SIM_NEVER;
        sm->scheduler[s].choice =
            (struct sim_choice){.last = SIM_NO_WARP,
                                .age = sm->scheduler[s].age,
                                .block_age = sm->scheduler[s].block_age,
                                .free_from = sm->scheduler[s].free_from};
    }
    sm->warp = calloc(warps, sizeof *sm->warp);
    sm->plan = malloc((chip->may_refuse ? warps : 1) * sizeof *sm->plan);
    sm->resident = calloc(gpu->sm.blocks_max, sizeof *sm->resident);
    sm->misses = malloc(sizeof *sm->misses);
    sm->has_begun = sim_units_init(&sm->units, chip) && sm->warp != NULL &&
                    sm->plan != NULL && sm->resident != NULL &&
                    sm->misses != NULL;
    return sm->has_begun ? TEG_OK : teg_fail_memory(d);
}

void sim_sm_release(struct sim_sm *sm)
{
    const struct teg_gpu *gpu;

    if (sm->chip == NULL)
        return;
    gpu = sm->chip->gpu;
    for (uint32_t w = 0; sm->warp != NULL && w < gpu->sm.warps_max; w++)
        free(sm->warp[w].counter);
    for (uint32_t b = 0; sm->resident != NULL && b < gpu->sm.blocks_max; b++) {
        teg_block_free(sm->resident[b].block);
        free(sm->resident[b].mbarriers.at);
    }
    free(sm->warp);
    free(sm->scheduler);
    free(sm->plan);
    free(sm->resident);
    free(sm->misses);
    sim_units_release(&sm->units);
    sim_fetch_free(sm->fetch);
    sim_constants_free(sm->constants);
    sim_pending_release(&sm->pending);
    free(sm->follows.at);
    sim_outbox_release(&sm->outbox);
    free(sm->tellings.at);
    sm->chip = NULL;
}

/* ---- placing ------------------------------------------------------------- */

int sim_sm_has_room(const struct sim_sm *sm, const struct sim_grid *grid,
                    uint32_t warps, uint32_t blocks)
{
    const struct teg_gpu *gpu = sm->chip->gpu;
    const struct teg_block_needs *needs = &grid->needs;

    return grid->on_sm[sm->number] + blocks <= grid->blocks_per_sm &&
           sm->blocks + blocks <= gpu->sm.blocks_max &&
           (uint32_t)__builtin_popcountll(sm->free_slots) >= warps * blocks &&
           sm->registers + needs->registers * blocks <= gpu->sm.registers &&
           sm->shared_bytes + needs->shared_bytes * blocks <=
               gpu->sm.shared_bytes;
}

/* What a block takes besides warp slots, or gives back. */
static void take(struct sim_sm *sm, struct sim_grid *grid)
{
    grid->on_sm[sm->number]++;
    sm->blocks++;
    sm->registers += grid->needs.registers;
    sm->shared_bytes += grid->needs.shared_bytes;
}

static void give_back(struct sim_sm *sm, struct sim_grid *grid)
{
    grid->on_sm[sm->number]--;
    sm->full_of = 0;
    sm->blocks--;
    sm->registers -= grid->needs.registers;
    sm->shared_bytes -= grid->needs.shared_bytes;
}

/* Counters at 0, as many as the program so far needs. */
static teg_status clear_counters(struct sim_warp *w, uint32_t count,
                                 struct teg_diag *d)
{
    if (count > w->counter_capacity) {
        uint64_t *counter = realloc(w->counter, count * sizeof *counter);

        if (counter == NULL)
            return teg_fail_memory(d);
        w->counter = counter;
        w->counter_capacity = count;
    }
    if (count != 0)
        memset(w->counter, 0, count * sizeof *w->counter);
    return TEG_OK;
}

static teg_status start_warp(struct sim_sm *sm, uint32_t slot,
                             uint32_t resident, uint32_t stream, uint64_t at,
                             struct teg_diag *d)
{
    struct sim_chip *chip = sm->chip;
    struct sim_warp *w = &sm->warp[slot];
    struct sim_resident *b = &sm->resident[resident];
    uint32_t schedulers = chip->gpu->sm.schedulers;
    struct sim_scheduler *s = &sm->scheduler[slot % schedulers];

    TRY(clear_counters(w, b->grid->ops.counters_per_warp, d));
    *w = (struct sim_warp){
        .grid = b->grid,
        .counter = w->counter,
        .counter_capacity = w->counter_capacity,
        .resident = resident,
        .scheduler = slot % schedulers,
        .index = slot / schedulers,
        .stream = stream,
        .after = UINT32_MAX,
        .line = SIM_NO_LINE,
        .warp_id = teg_block_warp_id(b->block, stream),
        .arrived = at,
    };
    sim_warp_hold(w, STALL_DISPATCH,
                  at + chip->gpu->chip.dispatch_latency +
                      (uint64_t)stream *
                          chip->gpu->chip.dispatch_warp_interval);
    s->turn[w->index].blocked = 0;
    s->age[w->index] = chip->warps_started++;
    s->block_age[w->index] = s->age[w->index] - stream;
    s->free_from[w->index] = 0;
    teg_cursor_init(&w->cursor, b->block, stream);
    if (!teg_cursor_next(&w->cursor)) {
        if (b->grid->ops.awaits)
            sim_board_leave(sm, w, at);
        return TEG_OK; /* an empty stream: the warp never existed */
    }
    b->live++;
    s->choice.alive |= 1ull << w->index;
    sim_warp_find_waits(w, sim_warp_op(w));
    sim_sm_await(sm, w);
    return TEG_OK;
}

static void announce_start(const struct sim_sm *sm,
                           const struct sim_resident *b, uint64_t at)
{
    const struct sim_ears *ears = &b->grid->ears;

    for (uint32_t i = 0; i < ears->listeners; i++) {
        const struct sim_listener *l = &ears->listener[i];

        if (l->on_block_start != NULL)
            l->on_block_start(l->self, at, sm->number, b->number,
                              teg_block_warps(b->block));
    }
}

static void wake_with_schedulers(struct sim_sm *sm)
{
    for (uint32_t s = 0; s < sm->chip->gpu->sm.schedulers; s++)
        sm->wake = teg_min(sm->wake, sm->scheduler[s].wake);
}

/* Caches of what blocks bring along: an SM without blocks has none, and
 * instructions that were not known before may be the first to need one. */
static teg_status open_caches(struct sim_sm *sm, const struct sim_grid *grid,
                              struct teg_diag *d)
{
    const struct teg_gpu *gpu = sm->chip->gpu;
    uint64_t last = grid->ops.last_pc;

    if (sm->constants == NULL)
        TRY(sim_constants_new(gpu, sm->chip->finds_cold, &sm->constants, d));
    if (sm->fetch == NULL && !sim_fetch_keeps(gpu, last))
        TRY(sim_fetch_new(gpu, &sm->fetch, d));
    if (sm->fetch != NULL)
        TRY(sim_fetch_reach(sm->fetch, grid->code, last, d));
    return TEG_OK;
}

teg_status sim_sm_place(struct sim_sm *sm, struct sim_grid *grid,
                        struct teg_block *block, uint64_t number, uint64_t at,
                        uint32_t *place, struct teg_diag *d)
{
    uint32_t warps = teg_block_warps(block), resident = 0;
    struct sim_resident *b;
    teg_status status = sm->has_begun ? TEG_OK : begin(sm, d);

    if (status != TEG_OK) {
        teg_block_free(block);
        return status;
    }
    while (sm->resident[resident].block != NULL)
        resident++;
    b = &sm->resident[resident];
    *b = (struct sim_resident){.block = block,
                               .grid = grid,
                               .number = number,
                               .place =
                                   teg_grid_number(grid->launch->kernel->grid,
                                                   teg_block_position(block)),
                               .done = at,
                               .mbarriers = b->mbarriers};
    b->cga.number = SIM_NO_CGA;
    *place = resident;
    take(sm, grid);
    status = open_caches(sm, grid, d);
    for (uint32_t stream = 0; stream < warps && status == TEG_OK; stream++) {
        uint32_t slot = (uint32_t)__builtin_ctzll(sm->free_slots);

        sm->free_slots &= sm->free_slots - 1;
        b->slots |= 1ull << slot;
        status = start_warp(sm, slot, resident, stream, at, d);
    }
    b->cga.expected = b->live;
    b->empty = b->live == 0;
    if (b->empty)
        sim_sm_block_done(sm, b, at + 1);
    announce_start(sm, b, at);
    wake_with_schedulers(sm);
    return status;
}

/* ---- retiring ------------------------------------------------------------ */

static void retire(struct sim_sm *sm, struct sim_resident *b)
{
    const struct sim_ears *ears = &b->grid->ears;

    for (uint32_t i = 0; i < ears->listeners; i++) {
        const struct sim_listener *l = &ears->listener[i];

        if (l->on_block_end != NULL)
            l->on_block_end(l->self, b->done, sm->number, b->number);
    }
    sm->free_slots |= b->slots;
    teg_block_free(b->block);
    b->mbarriers.count = 0;
    b->grid->ended++;
    b->grid->released =
        teg_max(b->grid->released, b->lets ? b->lets_from : b->done);
    if (!b->empty)
        b->grid->cycles = teg_max(b->grid->cycles, teg_max(b->done, b->left));
    give_back(sm, b->grid);
    *b = (struct sim_resident){.mbarriers = b->mbarriers};
}

uint32_t sim_sm_retire(struct sim_sm *sm, uint64_t now)
{
    uint32_t ended = 0;

    if (sm->next_block_end > now)
        return 0;
    sm->next_block_end = SIM_NEVER;
    for (uint32_t i = 0; i < sm->chip->gpu->sm.blocks_max; i++) {
        struct sim_resident *b = &sm->resident[i];

        if (b->block == NULL || b->live != 0 || b->open != 0)
            continue;
        if (b->done > now) {
            sm->next_block_end = teg_min(sm->next_block_end, b->done);
            continue;
        }
        retire(sm, b);
        ended++;
    }
    return ended;
}

/* ---- running ------------------------------------------------------------- */

/* Lets every scheduler that has something to do in cycle `now` do it.  The
 * first to look takes a unit that several want. */
static void step(struct sim_sm *sm, uint64_t now)
{
    uint32_t count = sm->chip->gpu->sm.schedulers, first = sm->first_scheduler;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t s = first + i < count ? first + i : first + i - count;
        struct sim_scheduler *scheduler = &sm->scheduler[s];

        if (scheduler->wake > now)
            continue;
        if (scheduler->reads_until > now)
            scheduler->wake = scheduler->reads_until;
        else
            sim_scheduler_visit(sm, s, now);
    }
    sm->wake = SIM_NEVER;
    wake_with_schedulers(sm);
}

void sim_sm_run(struct sim_sm *sm, uint64_t until)
{
    while (sm->wake < until && !sm->pending.failed)
        step(sm, sm->wake);
}
