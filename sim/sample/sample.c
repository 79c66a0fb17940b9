#include "sim/sample/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "traces/block.h"

enum {
    WAVES_WANTED = 14, /* of the scaled chip */
    WAVES_LEAST = 6,
    KINDS_MAX = 256, /* told apart; further ones count as one */
};

struct kind {
    uint64_t signature;
    uint64_t instructions, sampled; /* warp instructions */
};

struct sampling {
    const struct teg_gpu *gpu;
    uint32_t sms; /* of the whole chip, as asked for */
    uint32_t blocks_per_sm;
    uint64_t *work;    /* owned, [blocks]: warp instructions */
    uint16_t *kind_of; /* owned, [blocks] */
    uint64_t blocks, capacity;
    uint64_t instructions;
    struct kind kind[KINDS_MAX];
    uint32_t kinds;
    /* The sample. */
    uint32_t scaled_sms;
    uint64_t wave;        /* blocks of the scaled chip */
    uint64_t waves, rest; /* simulated: whole waves, blocks beyond */
    uint64_t sampled;     /* waves * wave + rest */
    /* The launch that hands it out. */
    struct teg_launch from;
    uint64_t read, handed_out;
    uint64_t *sampled_work; /* owned, [sampled] */
    /* What was seen. */
    uint64_t *end_work, *end_cycle; /* owned, [sampled]: sums of work, cycles,
                                       in the order of the blocks' ends */
    uint64_t ended, work_ended;
    uint64_t l2_bytes; /* of the scaled chip */
    uint64_t steady;   /* wave from whose end on the pace holds */
};

/* ---- the walk -------------------------------------------------------------
 */

/* FNV-1a over what the warps execute. */
static uint64_t signature(const struct teg_block *block, uint64_t *work)
{
    uint64_t hash = 0xcbf29ce484222325u;

    *work = 0;
    for (uint32_t i = 0; i < teg_block_warps(block); i++) {
        uint64_t insts = teg_block_warp_insts(block, i);

        *work += insts;
        hash = (hash ^ insts) * 0x100000001b3u;
    }
    return hash;
}

static uint16_t find_kind(struct sampling *p, uint64_t hash)
{
    uint32_t i = 0;

    while (i < p->kinds && p->kind[i].signature != hash)
        i++;
    if (i == p->kinds && p->kinds < KINDS_MAX)
        p->kind[p->kinds++].signature = hash;
    return (uint16_t)(i < KINDS_MAX ? i : KINDS_MAX - 1);
}

static teg_status note_block(struct sampling *p, const struct teg_block *block,
                             struct teg_diag *d)
{
    uint64_t work, hash = signature(block, &work);
    uint16_t kind = find_kind(p, hash);

    if (p->blocks == p->capacity) {
        uint64_t capacity = p->capacity != 0 ? 2 * p->capacity : 1024;
        uint64_t *more = realloc(p->work, capacity * sizeof *more);
        uint16_t *kinds;

        if (more == NULL)
            return teg_fail_memory(d);
        p->work = more;
        kinds = realloc(p->kind_of, capacity * sizeof *kinds);
        if (kinds == NULL)
            return teg_fail_memory(d);
        p->kind_of = kinds;
        p->capacity = capacity;
    }
    p->kind_of[p->blocks] = kind;
    p->work[p->blocks++] = work;
    p->kind[kind].instructions += work;
    p->instructions += work;
    return TEG_OK;
}

static teg_status walk(struct sampling *p, struct teg_launch *launch,
                       struct teg_diag *d)
{
    for (;;) {
        struct teg_block *block;
        teg_status status;

        TRY(launch->next(launch->self, &block, d));
        if (block == NULL)
            return TEG_OK;
        status = note_block(p, block, d);
        teg_block_free(block);
        if (status != TEG_OK)
            return status;
    }
}

/* ---- the plan -------------------------------------------------------------
 */

static uint64_t places(const struct sampling *p)
{
    return (uint64_t)p->sms * p->blocks_per_sm;
}

/* Whether that part of the SMs goes with whole channels and slices. */
static int divides(const struct sampling *p, uint32_t sms)
{
    return (uint64_t)p->gpu->dram.channels * sms % p->sms == 0 &&
           (uint64_t)p->gpu->l2.slices * sms % p->sms == 0;
}

/* At most `sms`, in whole clusters, down to half of it if channels and slices
 * then divide: address bits choose among theirs as they do on the chip. */
static uint32_t choose_sms(const struct sampling *p, double sms)
{
    uint32_t cluster = p->gpu->chip.sms_per_cluster;
    uint32_t most = sms < p->sms ? (uint32_t)sms / cluster * cluster : p->sms;

    for (uint32_t m = most; m >= cluster && 2 * m >= most; m -= cluster) {
        if (divides(p, m))
            return m;
    }
    return most;
}

/* As large a part of the chip as fits the share with the waves wanted. */
static int plan(struct sampling *p)
{
    uint32_t cluster = p->gpu->chip.sms_per_cluster;
    double budget = TEG_SAMPLE_SHARE * (double)p->blocks;
    uint32_t waves = WAVES_WANTED + 1; /* the last one is not whole */
    double sms = budget / (waves * (double)p->blocks_per_sm);
    uint64_t whole = p->blocks / places(p);

    if (sms < cluster) {
        waves = WAVES_LEAST + 1;
        sms = budget / (waves * (double)p->blocks_per_sm);
    }
    if (sms < cluster)
        return 0;
    p->scaled_sms = choose_sms(p, sms);
    p->wave = (uint64_t)p->scaled_sms * p->blocks_per_sm;
    p->waves = (uint64_t)(budget / (double)p->wave) - 1;
    if (p->waves > 2 * WAVES_WANTED)
        p->waves = 2 * WAVES_WANTED;
    if (p->waves > whole)
        p->waves = whole;
    p->rest = (p->blocks % places(p)) * p->scaled_sms / p->sms;
    p->sampled = p->waves * p->wave + p->rest;
    return 1;
}

/* Whether block `i` of the grid is simulated: the waves begin evenly spread,
 * the rest lies at the end. */
static int chosen(const struct sampling *p, uint64_t i)
{
    uint64_t last = p->blocks - p->rest - p->wave; /* where a wave may begin */
    uint64_t w = p->waves > 1 && last > 0 ? i * (p->waves - 1) / last : 0;

    if (i >= p->blocks - p->rest)
        return 1;
    /* Rounding may have found the wave after. */
    for (uint64_t k = w + 1 < p->waves ? w + 1 : p->waves - 1;; k--) {
        uint64_t begin = p->waves > 1 ? k * last / (p->waves - 1) : 0;

        if (i >= begin)
            return i < begin + p->wave;
        if (k == 0)
            return 0;
    }
}

static uint32_t part(const struct sampling *p, uint32_t v)
{
    uint64_t scaled = ((uint64_t)v * p->scaled_sms + p->sms / 2) / p->sms;

    return scaled > 0 ? (uint32_t)scaled : 1;
}

/* The part of the chip that goes with the scaled SMs. */
static void scale_chip(const struct sampling *p, struct teg_gpu *gpu)
{
    double share = (double)p->scaled_sms / p->sms;
    uint64_t unit;

    gpu->chip.sms = p->scaled_sms;
    gpu->chip.dispatch_interval =
        (uint32_t)(gpu->chip.dispatch_interval / share + 0.5);
    gpu->dram.bandwidth_gbs *= share;
    gpu->dram.channels = part(p, gpu->dram.channels);
    gpu->l2.bytes_per_cycle *= share;
    gpu->l2.slices = part(p, gpu->l2.slices);
    unit = (uint64_t)gpu->l2.line_bytes * gpu->l2.ways * gpu->l2.slices;
    if (gpu->l2.bytes != 0) {
        uint64_t sets = part(p, gpu->l2.bytes) / unit;

        gpu->l2.bytes = (uint32_t)((sets > 0 ? sets : 1) * unit);
    }
}

/* ---- the simulation -------------------------------------------------------
 */

static teg_status next_sampled(void *self, struct teg_block **block,
                               struct teg_diag *d)
{
    struct sampling *p = self;

    for (;;) {
        uint64_t i = p->read;

        TRY(p->from.next(p->from.self, block, d));
        if (*block == NULL)
            return TEG_OK;
        p->read++;
        if (i < p->blocks && p->handed_out < p->sampled && chosen(p, i)) {
            p->sampled_work[p->handed_out++] = p->work[i];
            p->kind[p->kind_of[i]].sampled += p->work[i];
            return TEG_OK;
        }
        teg_block_free(*block);
    }
}

static void on_block_end(void *self, uint64_t cycle, uint32_t sm,
                         uint64_t block)
{
    struct sampling *p = self;

    (void)sm;
    if (p->ended == p->sampled)
        return;
    p->work_ended += p->sampled_work[block];
    p->end_work[p->ended] = p->work_ended;
    p->end_cycle[p->ended++] = cycle;
}

static teg_status run_sample(struct sampling *p,
                             const struct teg_simulation_options *options,
                             struct teg_statistics *s, struct teg_diag *d)
{
    struct sim_listener listener = {.self = p, .on_block_end = on_block_end};
    struct teg_simulation_options own = *options;
    struct teg_launch launch = {
        .kernel = p->from.kernel, .self = p, .next = next_sampled};
    struct teg_gpu *gpu;
    teg_status status;

    own.sms = 0;
    own.listener = &listener;
    own.listener_count = 1;
    p->sampled_work = calloc(3 * p->sampled, sizeof *p->sampled_work);
    if (p->sampled_work == NULL)
        return teg_fail_memory(d);
    p->end_work = p->sampled_work + p->sampled;
    p->end_cycle = p->end_work + p->sampled;
    TRY(teg_gpu_copy(p->gpu, &gpu, d));
    scale_chip(p, gpu);
    p->l2_bytes = gpu->l2.bytes;
    status = teg_simulate(&launch, gpu, &own, s, d);
    teg_gpu_free(gpu);
    return status;
}

/* ---- what it says of the whole --------------------------------------------
 */

/* Cycles per warp instruction between the ends of waves a and b, from 1. */
static double pace(const struct sampling *p, uint64_t a, uint64_t b)
{
    uint64_t i = a * p->wave - 1, j = b * p->wave - 1;

    return (double)(p->end_cycle[j] - p->end_cycle[i]) /
           (double)(p->end_work[j] - p->end_work[i]);
}

/* Sum of squared differences of the paces from wave `a` on to their mean. */
static double scatter(const struct sampling *p, uint64_t a)
{
    double mean = pace(p, a, p->waves - 1), sum = 0;

    for (uint64_t w = a; w + 1 < p->waves; w++) {
        double off = pace(p, w, w + 1) - mean;

        sum += off * off;
    }
    return sum;
}

/* Whether nearly all work is that of equal blocks. */
static int homogeneous(const struct sampling *p)
{
    for (uint32_t i = 0; i < p->kinds; i++) {
        if ((double)p->kind[i].instructions >= 0.9 * (double)p->instructions)
            return 1;
    }
    return 0;
}

/* The wave after which nothing but noise is left: caches have filled.  The
 * one that leaves the least marginal standard error (MSER; White 1997), in the
 * first two thirds. */
static uint64_t find_steady(const struct sampling *p)
{
    uint64_t best = 1;
    double least = HUGE_VAL;

    for (uint64_t a = 1; a <= 2 * p->waves / 3; a++) {
        double n = (double)(p->waves - 1 - a), error = scatter(p, a) / (n * n);

        if (error < least) {
            least = error;
            best = a;
        }
    }
    return best;
}

/* Of the steady pace, absolute. */
static double pace_error(const struct sampling *p)
{
    uint64_t first = p->steady, last = p->waves - 1;
    uint64_t middle = (first + last) / 2;
    double n = (double)(last - first), drift;
    double error = n > 1 ? 2 * sqrt(scatter(p, first) / (n - 1) / n)
                         : pace(p, first, last);

    drift = middle > first
                ? fabs(pace(p, middle, last) - pace(p, first, middle)) / 2
                : 0;
    if (!homogeneous(p)) {
        double steady = pace(p, find_steady(p), last);

        error += fabs(steady - pace(p, first, last));
    }
    return drift > error ? drift : error;
}

static double unseen_share(const struct sampling *p)
{
    uint64_t unseen = 0;

    for (uint32_t i = 0; i < p->kinds; i++)
        unseen += p->kind[i].sampled == 0 ? p->kind[i].instructions : 0;
    return (double)unseen / (double)p->instructions;
}

/* Whether the L2 behaves in the sample's last waves as in most of the launch:
 * written lines go to the DRAM only when it is full, which the whole launch
 * may reach and the sample not. */
static int l2_settled(const struct sampling *p, const struct teg_statistics *s)
{
    const struct teg_memory_statistics *m = &s->memory;
    double share = (double)p->scaled_sms / p->sms;
    double filled =
        (double)(m->l2_sectors - m->l2_hits) * p->gpu->l2.sector_bytes;
    double whole =
        filled * (double)p->instructions * share / (double)p->work_ended;

    return (double)m->store_bytes < 0.05 * (double)m->bytes ||
           filled >= 1.5 * (double)p->l2_bytes || whole < (double)p->l2_bytes;
}

static void scale_u64(uint64_t *v, double factor)
{
    *v = (uint64_t)((double)*v * factor + 0.5);
}

/* Every member of these structs is a sum. */
static void scale_sums(void *sums, size_t size, double factor)
{
    uint64_t *v = sums;

    for (size_t i = 0; i < size / sizeof *v; i++)
        scale_u64(&v[i], factor);
}

static void scale_statistics(const struct sampling *p, struct teg_statistics *s)
{
    double factor = (double)p->instructions / (double)p->work_ended;

    s->blocks = p->blocks;
    scale_u64(&s->warps, (double)p->blocks / (double)p->sampled);
    s->warp_instructions = p->instructions;
    scale_u64(&s->thread_instructions, factor);
    scale_u64(&s->barriers, factor);
    scale_u64(&s->unknown_instructions, factor);
    scale_sums(s->class_, sizeof s->class_, factor);
    scale_sums(&s->memory, sizeof s->memory, factor);
    scale_u64(&s->resident_warp_cycles, factor);
    scale_sums(s->stall, sizeof s->stall, factor);
    scale_u64(&s->channel_bytes_max, factor);
    scale_u64(&s->channel_bytes_sum, factor);
    for (uint32_t i = 0; i < s->unit_count; i++) {
        struct teg_unit_statistics *u = &s->unit[i];

        scale_u64(&u->issued, factor);
        scale_u64(&u->busy_cycles, factor);
        scale_u64(&u->load_cycles, factor);
        u->instances =
            (uint32_t)((uint64_t)u->instances * p->sms / p->scaled_sms);
    }
    s->sms = p->sms;
    s->active_sms = p->sms;
}

static void extrapolate(const struct sampling *p, struct teg_statistics *s,
                        struct teg_sample *sample)
{
    double share = (double)p->scaled_sms / p->sms;
    double left = (double)p->instructions * share - (double)p->work_ended;
    double mean = pace(p, p->steady, p->waves - 1);
    double cycles = (double)s->cycles + left * mean;
    double wave =
        mean * (double)p->work_ended / (double)p->sampled * (double)p->wave;

    sample->used = 1;
    sample->waves_simulated = (uint32_t)p->waves;
    sample->sms_simulated = p->scaled_sms;
    sample->blocks_simulated = p->sampled;
    sample->instructions_simulated = p->work_ended;
    sample->error_bound =
        (left * pace_error(p) + wave / 4) / cycles + unseen_share(p);
    s->cycles = (uint64_t)(cycles + 0.5);
    scale_statistics(p, s);
}

/* ---- all of it ------------------------------------------------------------
 */

static teg_status find_places(struct sampling *p,
                              const struct teg_kernel *kernel,
                              const struct teg_simulation_options *options,
                              struct teg_diag *d)
{
    uint32_t threads = teg_kernel_threads_per_block(kernel);
    uint32_t warps = (threads + TEG_LANES - 1) / TEG_LANES;
    struct teg_occupancy o;

    TRY(teg_occupancy(p->gpu, threads != 0 ? threads : TEG_LANES,
                      kernel->registers, kernel->shared_bytes, &o, d));
    p->blocks_per_sm = o.blocks_per_sm;
    if (options->warps_per_sm != 0 && warps != 0 &&
        options->warps_per_sm / warps < p->blocks_per_sm)
        p->blocks_per_sm = options->warps_per_sm / warps;
    p->sms = p->gpu->chip.sms;
    if (options->sms != 0 && options->sms < p->sms)
        p->sms = options->sms;
    return TEG_OK;
}

/* Leaves `sample->used` 0 if the launch is too small. */
static teg_status look(struct sampling *p, teg_sample_open *open, void *self,
                       const struct teg_simulation_options *options,
                       uint64_t instructions_min, struct teg_sample *sample,
                       int *worth, struct teg_diag *d)
{
    struct teg_launch launch;
    teg_status status;

    *worth = 0;
    TRY(open(self, &launch, d));
    status = find_places(p, launch.kernel, options, d);
    if (status == TEG_OK && p->blocks_per_sm > 0 &&
        teg_kernel_blocks(launch.kernel) >= TEG_SAMPLE_WAVES_MIN * places(p)) {
        status = walk(p, &launch, d);
        *worth = status == TEG_OK && p->instructions >= instructions_min &&
                 p->blocks >= TEG_SAMPLE_WAVES_MIN * places(p) && plan(p);
    }
    if (launch.close != NULL)
        launch.close(launch.self);
    sample->blocks = p->blocks;
    sample->instructions = p->instructions;
    sample->kinds = p->kinds;
    sample->waves =
        p->blocks_per_sm > 0 ? (double)p->blocks / (double)places(p) : 0;
    return status;
}

static teg_status measure(struct sampling *p, teg_sample_open *open, void *self,
                          const struct teg_simulation_options *options,
                          struct teg_statistics *s, struct teg_diag *d)
{
    teg_status status;

    TRY(open(self, &p->from, d));
    status = run_sample(p, options, s, d);
    if (p->from.close != NULL)
        p->from.close(p->from.self);
    return status;
}

teg_status teg_sample_simulate(teg_sample_open *open, void *self,
                               const struct teg_gpu *gpu,
                               const struct teg_simulation_options *options,
                               uint64_t instructions_min,
                               struct teg_statistics *s,
                               struct teg_sample *sample, struct teg_diag *d)
{
    static const struct teg_simulation_options none = {0};
    struct sampling *p = calloc(1, sizeof *p);
    int worth;
    teg_status status;

    *sample = (struct teg_sample){0};
    if (p == NULL)
        return teg_fail_memory(d);
    p->gpu = gpu;
    options = options != NULL ? options : &none;
    status = look(p, open, self, options, instructions_min, sample, &worth, d);
    if (status == TEG_OK && worth)
        status = measure(p, open, self, options, s, d);
    if (status == TEG_OK && worth && l2_settled(p, s)) {
        /* Waves of other blocks are no warm-up. */
        p->steady = homogeneous(p) ? find_steady(p) : 1;
        extrapolate(p, s, sample);
    }
    free(p->work);
    free(p->kind_of);
    free(p->sampled_work);
    free(p);
    return status;
}
