#include "sim/teg.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/engine/engine.h"
#include "sim/sample/whole_waves.h"

static uint32_t min_u32(uint64_t a, uint32_t b)
{
    return a < b ? (uint32_t)a : b;
}

uint32_t teg_kernel_threads(const struct teg_kernel *k)
{
    uint32_t threads = teg_kernel_threads_per_block(k);

    return threads != 0 ? threads : TEG_LANES;
}

struct teg_block_asks teg_kernel_asks(const struct teg_kernel *k)
{
    return (struct teg_block_asks){
        .threads = teg_kernel_threads(k),
        .registers = k->registers,
        .shared_bytes = k->shared_bytes,
        .carveout = k->carveout,
    };
}

teg_status teg_kernel_occupancy(const struct teg_kernel *k,
                                const struct teg_gpu *gpu,
                                struct teg_occupancy *o, struct teg_diag *d)
{
    char name[TEG_NAME_MAX];
    const struct teg_block_asks asks = teg_kernel_asks(k);
    teg_status status = teg_occupancy(gpu, &asks, o, d);

    if (status != TEG_OK && d != NULL && d->where[0] == '\0')
        snprintf(d->where, sizeof d->where, "kernel %.200s",
                 teg_name_readable(k->name, NAME_PLAIN, name));
    return status;
}

/* The caller's wish for fewer warps than would fit. */
static teg_status limit_warps(const struct teg_kernel *k, uint32_t warps_max,
                              struct teg_occupancy *o, struct teg_diag *d)
{
    uint32_t warps = (teg_kernel_threads(k) + TEG_LANES - 1) / TEG_LANES;

    if (warps_max == 0 || o->warps_per_sm <= warps_max)
        return TEG_OK;
    if (warps_max < warps)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected room for a block of %u warps, found a limit "
                        "of %u warps",
                        warps, warps_max);
    o->blocks_per_sm = o->places = warps_max / warps;
    o->warps_per_sm = o->blocks_per_sm * warps;
    o->limit = OCCUPANCY_WARPS;
    return TEG_OK;
}

void teg_statistics_describe(struct teg_statistics *s,
                             const struct teg_kernel *k,
                             const struct teg_occupancy *o, uint32_t sms)
{
    uint64_t places = (uint64_t)o->blocks_per_sm * sms;

    snprintf(s->name, sizeof s->name, "%s", k->name != NULL ? k->name : "");
    memcpy(s->grid, k->grid, sizeof s->grid);
    memcpy(s->block, k->block, sizeof s->block);
    s->registers = k->registers;
    s->shared_bytes = k->shared_bytes;
    s->carveout = k->carveout;
    s->isa = k->isa;
    s->occupancy = *o;
    s->sms = sms;
    if (s->blocks != 0 && s->blocks < places) {
        uint64_t each = (s->blocks + sms - 1) / sms;

        s->occupancy.blocks_per_sm = min_u32(each, o->blocks_per_sm);
        s->occupancy.warps_per_sm =
            o->warps_per_sm / o->blocks_per_sm * s->occupancy.blocks_per_sm;
        if (s->occupancy.blocks_per_sm < o->blocks_per_sm)
            s->occupancy.limit = OCCUPANCY_GRID;
    }
}

/* `listener`: the statistics' and the caller's. */
static teg_status simulate(struct teg_launch *launch, const struct teg_gpu *gpu,
                           const struct teg_simulation_options *options,
                           const struct sim_listener *listener,
                           struct teg_statistics *s, struct teg_diag *d)
{
    struct sim_engine_outcome outcome;
    struct sim_engine_setup setup = {
        .gpu = gpu,
        .sms = min_u32(options->sms != 0 ? options->sms : gpu->chip.sms,
                       gpu->chip.sms),
        .listener = listener,
        .listeners = options->cycles_only ? 0 : 1 + options->listener_count,
        .threads = options->threads,
        .lead = options->lead,
        .before = options->before,
        .after = options->after,
        .progress = options->progress,
        .progress_self = options->progress_self,
    };
    struct teg_occupancy occupancy;
    teg_status status;

    TRY(teg_kernel_occupancy(launch->kernel, gpu, &occupancy, d));
    TRY(limit_warps(launch->kernel, options->warps_per_sm, &occupancy, d));
    setup.blocks_per_sm = occupancy.blocks_per_sm;
    setup.l1_bytes = occupancy.l1_bytes;
    status = sim_engine_run(launch, &setup, &outcome, d);
    s->simulated = 1;
    if (options->cycles_only)
        s->cycles = outcome.cycles;
    s->unmet_waits = outcome.unmet_waits;
    s->units_felt = outcome.units_felt;
    s->reading_cycles = outcome.reading_cycles;
    s->channel_bytes_max = outcome.channel_bytes_max;
    s->channel_bytes_sum = outcome.channel_bytes_sum;
    s->memory.atomic_words = outcome.atomic_words;
    s->memory.atomic_word_most = outcome.atomic_word_most;
    s->memory.atomic_slice_cycles = outcome.atomic_slice_cycles;
    teg_statistics_describe(s, launch->kernel, &occupancy, setup.sms);
    return status;
}

/* Of a part of the launch as of all of it. */
static teg_status simulate_waves(struct teg_launch *launch,
                                 const struct teg_gpu *gpu,
                                 const struct teg_simulation_options *options,
                                 const struct sim_listener *listener,
                                 struct teg_statistics *s, struct teg_diag *d)
{
    uint32_t sms = min_u32(options->sms != 0 ? options->sms : gpu->chip.sms,
                           gpu->chip.sms);
    const struct teg_kernel *k = launch->kernel;
    struct teg_occupancy occupancy;
    struct whole_waves waves;
    struct teg_launch part;

    TRY(teg_kernel_occupancy(k, gpu, &occupancy, d));
    TRY(limit_warps(k, options->warps_per_sm, &occupancy, d));
    whole_waves_init(&waves, launch,
                     whole_waves_blocks(teg_kernel_blocks(k), sms,
                                        occupancy.blocks_per_sm,
                                        (uint32_t)teg_kernel_cluster(k)),
                     &part);
    TRY(simulate(&part, gpu, options, listener, s, d));
    TRY(whole_waves_finish(&waves, s, d));
    teg_statistics_describe(s, k, &occupancy, sms);
    return TEG_OK;
}

static teg_status simulate_heard(struct teg_launch *launch,
                                 const struct teg_gpu *gpu,
                                 const struct teg_simulation_options *options,
                                 struct collect_statistics *c,
                                 struct teg_statistics *s, struct teg_diag *d)
{
    size_t count = options->listener_count;
    struct sim_listener *listener = calloc(1 + count, sizeof *listener);
    teg_status status;

    if (listener == NULL)
        return teg_fail_memory(d);
    listener[0] = collect_statistics_listener(c);
    if (count != 0)
        memcpy(listener + 1, options->listener, count * sizeof *listener);
    status = gpu->chip.whole_waves
                 ? simulate_waves(launch, gpu, options, listener, s, d)
                 : simulate(launch, gpu, options, listener, s, d);
    free(listener);
    return status != TEG_OK ? status : collect_statistics_check(c, d);
}

teg_status teg_simulate(struct teg_launch *launch, const struct teg_gpu *gpu,
                        const struct teg_simulation_options *options,
                        struct teg_statistics *s, struct teg_diag *d)
{
    static const struct teg_simulation_options none = {0};
    struct collect_statistics *c;
    teg_status status;

    memset(s, 0, sizeof *s);
    TRY(collect_statistics_new(s, &c, d));
    status =
        simulate_heard(launch, gpu, options != NULL ? options : &none, c, s, d);
    collect_statistics_free(c);
    return status;
}

static teg_status profile(struct teg_launch *launch, const struct teg_gpu *gpu,
                          struct collect_statistics *c,
                          struct teg_statistics *s, struct teg_diag *d)
{
    struct sim_listener listener = collect_statistics_listener(c);
    struct teg_occupancy occupancy;
    uint64_t blocks;

    TRY(teg_kernel_occupancy(launch->kernel, gpu, &occupancy, d));
    TRY(sim_engine_walk(launch, gpu, &listener, 1, &blocks, d));
    teg_statistics_describe(s, launch->kernel, &occupancy, gpu->chip.sms);
    s->active_sms = min_u32(s->blocks, gpu->chip.sms);
    return collect_statistics_check(c, d);
}

teg_status teg_profile(struct teg_launch *launch, const struct teg_gpu *gpu,
                       struct teg_statistics *s, struct teg_diag *d)
{
    struct collect_statistics *c;
    teg_status status;

    memset(s, 0, sizeof *s);
    TRY(collect_statistics_new(s, &c, d));
    status = profile(launch, gpu, c, s, d);
    collect_statistics_free(c);
    return status;
}
