#include "sim/engine/dispatch.h"

#include <stdio.h>

enum {
    FRACTION = 256, /* of a cycle between two blocks */
};

/* ---- reading --------------------------------------------------------------- */

teg_status sim_dispatch_init(struct sim_dispatch *p,
                             const struct sim_engine_setup *setup,
                             struct teg_launch *launch, struct sim_chip *chip,
                             struct sim_sm *sm, struct sim_cgas *cgas,
                             struct teg_diag *d)
{
    uint64_t cluster = teg_kernel_cluster(launch->kernel);

    *p = (struct sim_dispatch){
        .setup = setup,
        .launch = launch,
        .chip = chip,
        .sm = sm,
        .cgas = cgas,
        .cluster =
            cluster > 1 && cluster <= SIM_CGA_MAX ? (uint32_t)cluster : 1,
    };
    if (cluster <= SIM_CGA_MAX)
        return TEG_OK;
    return teg_fail(d, TEG_LIMIT, "",
                    "expected clusters of at most %d blocks, found %ux%ux%u",
                    SIM_CGA_MAX, launch->kernel->cluster[0],
                    launch->kernel->cluster[1], launch->kernel->cluster[2]);
}

void sim_dispatch_release(struct sim_dispatch *p)
{
    for (uint32_t i = 0; i < p->waiting; i++)
        teg_block_free(p->next[i]);
    teg_block_free(p->ahead);
    p->waiting = 0;
    p->ahead = NULL;
}

static teg_status too_many_warps(const struct sim_dispatch *p,
                                 const struct teg_block *block,
                                 struct teg_diag *d)
{
    const uint32_t *at = teg_block_position(block);
    char where[96];

    snprintf(where, sizeof where, "block %u,%u,%u", at[0], at[1], at[2]);
    return teg_fail(d, TEG_LIMIT, where,
                    "expected at most %u warps, which is what an SM of %s "
                    "holds, found %u",
                    p->setup->gpu->sm.warps_max, p->setup->gpu->name,
                    teg_block_warps(block));
}

/* Into p->ahead, unless there is one. */
static teg_status read_block(struct sim_dispatch *p, struct teg_diag *d)
{
    if (p->ahead != NULL || p->exhausted)
        return TEG_OK;
    TRY(p->launch->next(p->launch->self, &p->ahead, d));
    if (p->ahead == NULL) {
        p->exhausted = 1;
        return TEG_OK;
    }
    if (teg_block_warps(p->ahead) > p->setup->gpu->sm.warps_max)
        return too_many_warps(p, p->ahead, d);
    return sim_chip_update(p->chip, p->setup->sms, d);
}

static int of_one_cluster(const struct sim_dispatch *p,
                          const struct teg_block *a, const struct teg_block *b)
{
    const uint32_t *size = p->launch->kernel->cluster;
    const uint32_t *at = teg_block_position(a), *bt = teg_block_position(b);

    for (int i = 0; i < 3; i++) {
        if (at[i] / size[i] != bt[i] / size[i])
            return 0;
    }
    return 1;
}

/* Reads the blocks of the next cluster unless they are waiting. */
static teg_status read_cluster(struct sim_dispatch *p, struct teg_diag *d)
{
    if (p->waiting != 0)
        return TEG_OK;
    do {
        TRY(read_block(p, d));
        if (p->ahead == NULL ||
            (p->waiting != 0 && !of_one_cluster(p, p->next[0], p->ahead)))
            return TEG_OK;
        p->next[p->waiting++] = p->ahead;
        p->ahead = NULL;
    } while (p->waiting < p->cluster);
    return TEG_OK;
}

/* ---- placing --------------------------------------------------------------- */

/* Of the largest block that waits. */
static uint32_t warps_of(const struct sim_dispatch *p)
{
    uint32_t warps = 0;

    for (uint32_t i = 0; i < p->waiting; i++)
        if (teg_block_warps(p->next[i]) > warps)
            warps = teg_block_warps(p->next[i]);
    return warps;
}

static int has_room(const struct sim_dispatch *p, uint32_t sm, uint32_t warps,
                    uint32_t blocks)
{
    return blocks <= p->setup->blocks_per_sm &&
           sim_sm_has_room(&p->sm[sm], warps * blocks,
                           p->setup->blocks_per_sm - blocks + 1);
}

/* The SM of the SMs first to end - 1, from the one whose turn it is, that has
 * room for a block, or `end`. */
static uint32_t find_room(const struct sim_dispatch *p, uint32_t first,
                          uint32_t end)
{
    uint32_t count = end - first, warps = warps_of(p);
    uint32_t turn =
        p->next_sm >= first && p->next_sm < end ? p->next_sm - first : 0;

    for (uint32_t i = 0; i < count; i++) {
        uint32_t sm = first + (turn + i) % count;

        if (has_room(p, sm, warps, 1))
            return sm;
    }
    return end;
}

/* The first SM of a group, of those that are simulated. */
static uint32_t first_of(const struct sim_dispatch *p, uint32_t group)
{
    const struct teg_gpu *gpu = p->setup->gpu;
    uint32_t first =
        (group * gpu->chip.sms + gpu->chip.gpcs - 1) / gpu->chip.gpcs;

    return first < p->setup->sms ? first : p->setup->sms;
}

static uint32_t places_in(const struct sim_dispatch *p, uint32_t first,
                          uint32_t end)
{
    uint32_t places = 0, warps = warps_of(p);

    for (uint32_t sm = first; sm < end && places < p->waiting; sm++) {
        for (uint32_t more = 1; more <= p->waiting; more++)
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
    uint32_t turn = p->next_sm * groups / p->setup->gpu->chip.sms;

    for (uint32_t i = 0; i < groups; i++) {
        *first = first_of(p, (turn + i) % groups);
        *end = first_of(p, (turn + i) % groups + 1);
        if (places_in(p, *first, *end) >= p->waiting)
            return 1;
    }
    return 0;
}

/* Between two blocks, in fractions of a cycle. */
static uint64_t dispatch_interval(const struct sim_dispatch *p)
{
    return (uint64_t)(p->setup->gpu->chip.dispatch_interval * FRACTION + 0.5);
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
    p->hand_out_from += passed * dispatch_interval(p);
    return sim_chip_update(p->chip, p->setup->sms, d);
}

/* Of the block in its cluster, as %cluster_ctarank counts: along x first. */
static uint32_t rank_of(const struct sim_dispatch *p,
                        const struct teg_block *block)
{
    const uint32_t *size = p->launch->kernel->cluster;
    const uint32_t *at = teg_block_position(block);

    return at[0] % size[0] +
           size[0] * (at[1] % size[1] + size[1] * (at[2] % size[2]));
}

/* The first that waits goes to `sm`, as one of the `size` blocks of cluster
 * `number`. */
static teg_status place(struct sim_dispatch *p, uint32_t sm, uint32_t number,
                        uint32_t size, uint64_t now, struct teg_diag *d)
{
    struct teg_block *block;
    uint32_t resident;

    TRY(exchange(p, &p->next[0], sm, now, d));
    p->hand_out_from = teg_max(p->hand_out_from, now * FRACTION);
    block = p->next[0];
    p->waiting--;
    for (uint32_t i = 0; i < p->waiting; i++)
        p->next[i] = p->next[i + 1];
    TRY(sim_sm_place(&p->sm[sm], block, p->handed_out++,
                     (p->hand_out_from + FRACTION - 1) / FRACTION, &resident,
                     d));
    p->hand_out_from += dispatch_interval(p);
    p->next_sm = (sm + 1) % p->setup->sms;
    if (p->cluster > 1)
        sim_cga_join(p->cgas, number, rank_of(p, block) % size, size,
                     &p->sm[sm], resident);
    return TEG_OK;
}

static teg_status place_all(struct sim_dispatch *p, uint32_t first,
                            uint32_t end, uint64_t now, struct teg_diag *d)
{
    uint32_t number = 0;

    if (p->cluster > 1)
        TRY(sim_cgas_add(p->cgas, &number, d));
    for (uint32_t size = p->waiting; p->waiting != 0;)
        TRY(place(p, find_room(p, first, end), number, size, now, d));
    return TEG_OK;
}

teg_status sim_dispatch(struct sim_dispatch *p, uint64_t now,
                        struct teg_diag *d)
{
    for (;;) {
        uint32_t first = 0, end = p->setup->sms;

        TRY(read_cluster(p, d));
        if (p->waiting == 0)
            return TEG_OK;
        if (p->cluster == 1 ? find_room(p, first, end) == end
                            : !find_group(p, &first, &end))
            return TEG_OK;
        TRY(place_all(p, first, end, now, d));
    }
}
