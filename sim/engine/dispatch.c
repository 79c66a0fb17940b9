#include "sim/engine/dispatch.h"

#include <stdlib.h>

#include "isa/base/array.h"

enum {
    FRACTION = 256, /* of a cycle between two blocks */
};

/* ---- whose turn it is ------------------------------------------------------ */

/* Whether the blocks of `a` go before those of `b`. */
static int goes_before(const struct sim_grid *a, const struct sim_grid *b)
{
    if (a->priority != b->priority)
        return a->priority > b->priority;
    return a->from != b->from ? a->from < b->from : a->number < b->number;
}

teg_status sim_dispatch_add(struct sim_dispatch *p, struct sim_grid *grid,
                            struct teg_diag *d)
{
    uint32_t at = p->count;
    struct sim_grid **come =
        teg_array_room(p->come, p->count, &p->capacity, sizeof *come);

    if (come == NULL)
        return teg_fail_memory(d);
    p->come = come;
    for (; at != 0 && goes_before(grid, p->come[at - 1]); at--)
        p->come[at] = p->come[at - 1];
    p->come[at] = grid;
    p->count++;
    grid->has_come = 1;
    return TEG_OK;
}

void sim_dispatch_remove(struct sim_dispatch *p, uint32_t at)
{
    p->count--;
    for (; at < p->count; at++)
        p->come[at] = p->come[at + 1];
}

void sim_dispatch_release(struct sim_dispatch *p)
{
    free(p->come);
    p->come = NULL;
    p->count = 0;
    p->capacity = 0;
}

/* ---- placing --------------------------------------------------------------- */

static int has_room(const struct sim_dispatch *p, uint32_t sm, uint32_t warps,
                    uint32_t blocks)
{
    return sim_sm_has_room(&p->sm[sm], p->grid, warps, blocks);
}

/* Whether SM `sm` has room for a block of so many warps.  One that has not has
 * none until a block leaves it. */
static int has_room_now(const struct sim_dispatch *p, uint32_t sm,
                        uint32_t warps)
{
    struct sim_sm *s = &p->sm[sm];

    if (s->full_of == p->grid->number + 1 && s->full_warps <= warps)
        return 0;
    if (has_room(p, sm, warps, 1))
        return 1;
    s->full_of = p->grid->number + 1;
    s->full_warps = warps;
    return 0;
}

/* The SM of the SMs first to end - 1, from the one whose turn it is, that has
 * room for a block, or `end`. */
static uint32_t find_room(const struct sim_dispatch *p, uint32_t first,
                          uint32_t end)
{
    uint32_t count = end - first, warps = sim_grid_warps(p->grid);
    uint32_t turn =
        p->next_sm >= first && p->next_sm < end ? p->next_sm - first : 0;

    for (uint32_t i = 0, sm = first + turn; i < count; i++) {
        if (has_room_now(p, sm, warps))
            return sm;
        sm = sm + 1 < end ? sm + 1 : first;
    }
    return end;
}

/* The first SM of a group, of those that are simulated. */
static uint32_t first_of(const struct sim_dispatch *p, uint32_t group)
{
    uint32_t first = teg_gpu_group_begin(p->setup->gpu, group);

    return first < p->setup->sms ? first : p->setup->sms;
}

static uint32_t places_in(const struct sim_dispatch *p, uint32_t first,
                          uint32_t end)
{
    uint32_t places = 0, warps = sim_grid_warps(p->grid);

    for (uint32_t sm = first; sm < end && places < p->grid->waiting; sm++) {
        for (uint32_t more = 1; more <= p->grid->waiting; more++)
            places += (uint32_t)has_room(p, sm, warps, more);
    }
    return places;
}

/* The group with room for all that wait, from the one whose turn it is on;
 * returns 0 if there is none. */
static int find_group(const struct sim_dispatch *p, uint32_t *first,
                      uint32_t *end)
{
    uint32_t groups = p->setup->gpu->chip.gpcs;
    uint32_t turn = teg_gpu_group_of(p->setup->gpu, p->next_sm);

    for (uint32_t i = 0; i < groups; i++) {
        *first = first_of(p, (turn + i) % groups);
        *end = first_of(p, (turn + i) % groups + 1);
        if (places_in(p, *first, *end) >= p->grid->waiting)
            return 1;
    }
    return 0;
}

/* Between two blocks, in fractions of a cycle. */
static uint64_t dispatch_interval(const struct sim_dispatch *p)
{
    return (uint64_t)(p->setup->gpu->chip.dispatch_interval * FRACTION + 0.5);
}

static teg_status expect(struct sim_dispatch *p, struct teg_diag *d)
{
    return sim_chip_expect(p->chip, &p->grid->ops, p->setup->sms, d);
}

/* Where SMs lead others, which block goes to one depends on when and where
 * there is room, and those that go to the others take their time. */
static teg_status exchange(struct sim_dispatch *p, struct teg_block **block,
                           uint32_t sm, uint64_t now, struct teg_diag *d)
{
    const struct sim_lead *lead = p->setup->lead;
    uint64_t passed;

    if (lead == NULL)
        return TEG_OK;
    TRY(lead->choose(lead->self, sm, now, block, &passed, d));
    TRY(sim_ops_update(&p->grid->ops, d));
    p->hand_out_from += passed * dispatch_interval(p);
    return expect(p, d);
}

/* The first that waits goes to `sm`, as one of the `size` blocks of cluster
 * `number`. */
static teg_status place(struct sim_dispatch *p, uint32_t sm, uint32_t number,
                        uint32_t size, uint64_t now, struct teg_diag *d)
{
    struct teg_block *block;
    uint32_t resident;

    TRY(exchange(p, &p->grid->next[0], sm, now, d));
    p->hand_out_from = teg_max(p->hand_out_from, now * FRACTION);
    block = p->grid->next[0];
    p->grid->waiting--;
    for (uint32_t i = 0; i < p->grid->waiting; i++)
        p->grid->next[i] = p->grid->next[i + 1];
    TRY(sim_sm_place(&p->sm[sm], p->grid, block, p->grid->handed_out++,
                     (p->hand_out_from + FRACTION - 1) / FRACTION, &resident,
                     d));
    p->hand_out_from += dispatch_interval(p);
    p->next_sm = (sm + 1) % p->setup->sms;
    if (p->grid->cluster > 1)
        sim_cga_join(p->cgas, number, sim_grid_rank(p->grid, block) % size,
                     size, &p->sm[sm], resident);
    return TEG_OK;
}

static teg_status place_all(struct sim_dispatch *p, uint32_t first,
                            uint32_t end, uint64_t now, struct teg_diag *d)
{
    uint32_t number = 0;

    if (p->grid->cluster > 1)
        TRY(sim_cgas_add(p->cgas, &number, d));
    for (uint32_t size = p->grid->waiting; p->grid->waiting != 0;)
        TRY(place(p, find_room(p, first, end), number, size, now, d));
    return TEG_OK;
}

/* Blocks of the grid whose turn it is, as long as there is room. */
static teg_status hand_out(struct sim_dispatch *p, uint64_t now,
                           struct teg_diag *d)
{
    for (;;) {
        uint32_t first = 0, end = p->setup->sms;

        TRY(sim_grid_read(p->grid, d));
        TRY(expect(p, d));
        if (p->grid->waiting == 0)
            return TEG_OK;
        if (p->grid->cluster == 1 ? find_room(p, first, end) == end
                                  : !find_group(p, &first, &end))
            return TEG_OK;
        TRY(place_all(p, first, end, now, d));
    }
}

teg_status sim_dispatch(struct sim_dispatch *p, uint64_t now,
                        struct teg_diag *d)
{
    uint32_t begun = 0;

    for (uint32_t i = 0; i < p->count; i++)
        begun += p->come[i]->handed_out != 0;
    for (uint32_t i = 0; i < p->count; i++) {
        struct sim_grid *grid = p->come[i];
        int is_new = grid->handed_out == 0;

        if (is_new && begun != 0 && begun >= p->setup->gpu->launch.grids_max)
            continue;
        p->grid = grid;
        TRY(hand_out(p, now, d));
        begun += is_new && grid->handed_out != 0;
        if (!sim_grid_is_over(grid))
            return TEG_OK;
    }
    return TEG_OK;
}
