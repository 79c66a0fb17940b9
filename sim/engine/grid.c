#include "sim/engine/grid.h"

#include <stdio.h>
#include <stdlib.h>

teg_status sim_grid_init(struct sim_grid *g, struct teg_launch *launch,
                         const struct teg_gpu *gpu, uint32_t sms,
                         struct sim_port_kinds *ports, struct teg_diag *d)
{
    uint64_t cluster = teg_kernel_cluster(launch->kernel);

    g->launch = launch;
    g->windows = sim_windows_of(launch->kernel, gpu);
    sim_ops_init(&g->ops, gpu, &launch->kernel->program, ports);
    g->cluster = cluster > 1 && cluster <= SIM_CGA_MAX ? (uint32_t)cluster : 1;
    g->on_sm = calloc(sms, sizeof *g->on_sm);
    if (g->on_sm == NULL)
        return teg_fail_memory(d);
    if (cluster <= SIM_CGA_MAX)
        return TEG_OK;
    return teg_fail(d, TEG_LIMIT, "",
                    "expected clusters of at most %d blocks, found %ux%ux%u",
                    SIM_CGA_MAX, launch->kernel->cluster[0],
                    launch->kernel->cluster[1], launch->kernel->cluster[2]);
}

void sim_grid_release(struct sim_grid *g)
{
    for (uint32_t i = 0; i < g->waiting; i++)
        teg_block_free(g->next[i]);
    teg_block_free(g->ahead);
    g->waiting = 0;
    g->ahead = NULL;
    free(g->on_sm);
    g->on_sm = NULL;
    sim_ops_release(&g->ops);
    sim_ears_release(&g->ears);
    teg_number_map_release(&g->board.at);
}

/* ---- reading -------------------------------------------------------------- */

static teg_status too_many_warps(const struct sim_grid *g,
                                 const struct teg_block *block,
                                 struct teg_diag *d)
{
    const uint32_t *at = teg_block_position(block);
    char where[96];

    snprintf(where, sizeof where, "block %u,%u,%u", at[0], at[1], at[2]);
    return teg_fail(d, TEG_LIMIT, where,
                    "expected at most %u warps, which is what an SM of %s "
                    "holds, found %u",
                    g->ops.gpu->sm.warps_max, g->ops.gpu->name,
                    teg_block_warps(block));
}

/* Into g->ahead, unless there is one. */
static teg_status read_block(struct sim_grid *g, struct teg_diag *d)
{
    if (g->ahead != NULL || g->exhausted)
        return TEG_OK;
    TRY(g->launch->next(g->launch->self, &g->ahead, d));
    if (g->ahead == NULL) {
        g->exhausted = 1;
        return TEG_OK;
    }
    if (teg_block_warps(g->ahead) > g->ops.gpu->sm.warps_max)
        return too_many_warps(g, g->ahead, d);
    return sim_ops_update(&g->ops, d);
}

static int of_one_cluster(const struct sim_grid *g, const struct teg_block *a,
                          const struct teg_block *b)
{
    const uint32_t *size = g->launch->kernel->cluster;
    const uint32_t *at = teg_block_position(a), *bt = teg_block_position(b);

    for (int i = 0; i < 3; i++) {
        if (at[i] / size[i] != bt[i] / size[i])
            return 0;
    }
    return 1;
}

teg_status sim_grid_read(struct sim_grid *g, struct teg_diag *d)
{
    if (g->waiting != 0)
        return TEG_OK;
    do {
        TRY(read_block(g, d));
        if (g->ahead == NULL ||
            (g->waiting != 0 && !of_one_cluster(g, g->next[0], g->ahead)))
            return TEG_OK;
        g->next[g->waiting++] = g->ahead;
        g->ahead = NULL;
    } while (g->waiting < g->cluster);
    return TEG_OK;
}

uint32_t sim_grid_warps(const struct sim_grid *g)
{
    uint32_t warps = 0;

    for (uint32_t i = 0; i < g->waiting; i++)
        if (teg_block_warps(g->next[i]) > warps)
            warps = teg_block_warps(g->next[i]);
    return warps;
}

uint32_t sim_grid_rank(const struct sim_grid *g, const struct teg_block *block)
{
    const uint32_t *size = g->launch->kernel->cluster;
    const uint32_t *at = teg_block_position(block);

    return at[0] % size[0] +
           size[0] * (at[1] % size[1] + size[1] * (at[2] % size[2]));
}
