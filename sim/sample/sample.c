#include "sim/sample/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/inst/values.h"
#include "sim/sample/facts.h"
#include "sim/sample/led.h"
#include "sim/sample/lines.h"
#include "sim/sample/listen.h"
#include "sim/sample/meter.h"
#include "sim/sample/scale.h"
#include "sim/sample/whole_waves.h"
#include "traces/block/block.h"

enum {
    WAVES_WANTED = 14,
    WAVES_LEAST = 5,   /* once the L2 is full */
    BLOCKS_TRIED = 64, /* for how long a block is */
};

/* How often the L2's size has to come in before what it writes is steady. */
static const double l2_turns = 1.5;
/* Share of the lines that are written, below which writing does not matter. */
static const double written_least = 0.05;
/* Of what DRAM reaches, what launches may have moved that end with batches in the
 * channels' queues. */
static const double dram_most = 1.05;
/* Of the pace: what later waves may do that none of the first shows (blocks that
 * the dispatcher hands out as fast as they end, HeCBench's bscan on a T4: 1.6 %). */
static const double pace_later = 0.02;
/* A bound that says next to nothing. */
static const double bound_most = 0.25;

double teg_sample_scale(const struct teg_sample *sample)
{
    return sample->used ? (double)sample->instructions /
                              (double)sample->instructions_simulated
                        : 1;
}

struct sampling {
    const struct teg_gpu *gpu;
    const struct teg_sample_facts *facts;
    const struct teg_simulation_options *asked;
    uint32_t sms; /* of the whole chip, as asked for */
    uint32_t blocks_per_sm;
    int whole_waves; /* the last one takes its share of the others' time */
    /* The sample. */
    int at_start;         /* its waves are the grid's first, not spread */
    uint64_t wave;        /* blocks */
    uint64_t waves, rest; /* simulated: whole waves, blocks beyond */
    uint64_t filled;      /* waves until the L2 is full of written lines */
    uint64_t sampled;     /* waves * wave + rest */
    /* The launch that hands it out. */
    struct teg_launch from;
    uint64_t read, handed_out;
    uint64_t *number;                 /* owned, [sampled]: in the grid */
    uint64_t kind_work[SAMPLE_KINDS]; /* sampled */
    /* What was seen. */
    uint64_t *end_cycle; /* in `number`'s memory, [sampled]: in their order */
    struct sample_meter issued;
    uint64_t *begun;  /* ... [sampled]: cycle of a block's start */
    uint64_t longest; /* cycles of a block */
    uint64_t ended, work_ended;
    uint64_t steady; /* wave from whose end on the pace holds */
};

/* ---- the plan -------------------------------------------------------------
 */

static uint64_t places(const struct sampling *p)
{
    return (uint64_t)p->sms * p->blocks_per_sm;
}

static void take_waves(struct sampling *p, uint64_t waves)
{
    uint64_t whole = p->facts->blocks / places(p);

    p->wave = places(p);
    p->waves = waves < whole ? waves : whole;
    p->rest = p->whole_waves ? 0 : p->facts->blocks % places(p);
    p->sampled = p->waves * p->wave + p->rest;
}

static double budget(const struct sampling *p)
{
    return TEG_SAMPLE_SHARE * (double)p->facts->blocks;
}

/* Waves of the whole chip until written lines leave the L2 as fast as they come
 * in; 0 where that does not matter: nothing is written, or it never fills. */
static uint64_t waves_to_fill(const struct sampling *p)
{
    const struct teg_sample_facts *f = p->facts;
    double bytes = f->first_lines * TEG_LINE_BYTES;

    if (f->written_lines < written_least * f->lines ||
        bytes < (double)p->gpu->l2.bytes)
        return 0;
    return (uint64_t)ceil(l2_turns * (double)p->gpu->l2.bytes / bytes *
                          (double)f->blocks / (double)places(p));
}

/*
 * Waves that fill the L2 and some more.  Blocks that are alike are the grid's
 * first, so that they find in the caches what blocks before them left there;
 * others are taken from all over the grid.  Returns 0 if that is too much, or
 * not enough: unlike blocks that share lines.
 */
static int plan(struct sampling *p)
{
    uint64_t fill = waves_to_fill(p), least = fill + WAVES_LEAST;
    uint64_t most = (uint64_t)(budget(p) / (double)places(p));
    uint64_t enough = fill + 2 * WAVES_WANTED;

    if (!sample_kinds_alike(&p->facts->kinds) &&
        sample_facts_share_lines(p->facts))
        return 0;
    /* the last, unfinished wave comes on top */
    if (most < least + 1)
        return 0;
    p->at_start = sample_kinds_alike(&p->facts->kinds);
    take_waves(p, most > enough ? enough : most - 1);
    p->filled = fill;
    return 1;
}

/* Whether block `i` of the grid is simulated: the waves begin evenly spread,
 * or stand at the start; the rest lies at the end. */
static int chosen(const struct sampling *p, uint64_t i)
{
    uint64_t blocks = p->facts->blocks;
    uint64_t last = blocks - p->rest - p->wave; /* where a wave may begin */
    uint64_t w = p->waves > 1 && last > 0 ? i * (p->waves - 1) / last : 0;

    if (i >= blocks - p->rest)
        return 1;
    if (p->at_start)
        return i < p->waves * p->wave;
    /* Rounding may have found the wave after. */
    for (uint64_t k = w + 1 < p->waves ? w + 1 : p->waves - 1;; k--) {
        uint64_t begin = p->waves > 1 ? k * last / (p->waves - 1) : 0;

        if (i >= begin)
            return i < begin + p->wave;
        if (k == 0)
            return 0;
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
        if (i < p->facts->blocks && p->handed_out < p->sampled &&
            chosen(p, i)) {
            p->number[p->handed_out++] = i;
            p->kind_work[p->facts->kind_of[i]] += p->facts->work[i];
            return TEG_OK;
        }
        teg_block_free(*block);
    }
}

static void on_block_start(void *self, uint64_t cycle, uint32_t sm,
                           uint64_t block, uint32_t warps)
{
    struct sampling *p = self;

    (void)sm;
    (void)warps;
    if (block < p->sampled)
        p->begun[block] = cycle;
}

static void on_block_end(void *self, uint64_t cycle, uint32_t sm,
                         uint64_t block)
{
    struct sampling *p = self;

    (void)sm;
    if (p->ended == p->sampled)
        return;
    p->work_ended += p->facts->work[p->number[block]];
    p->end_cycle[p->ended++] = cycle;
    if (cycle - p->begun[block] > p->longest)
        p->longest = cycle - p->begun[block];
}

/* In blocks of the whole launch. */
static int on_progress(void *self, uint64_t blocks, uint64_t cycle)
{
    const struct sampling *p = self;
    double share = (double)blocks / (double)p->sampled;

    return p->asked->progress(p->asked->progress_self,
                              (uint64_t)(share * (double)p->facts->blocks),
                              cycle);
}

static teg_status run_sample(struct sampling *p,
                             const struct teg_simulation_options *options,
                             struct teg_statistics *s, struct teg_diag *d)
{
    const struct sim_listener listener[] = {
        {.self = p,
         .on_block_start = on_block_start,
         .on_block_end = on_block_end},
        sample_meter_listener(&p->issued),
    };
    struct teg_simulation_options own = *options;
    struct sim_listener *all;
    struct teg_launch launch = {
        .kernel = p->from.kernel, .self = p, .next = next_sampled};
    teg_status status;

    p->asked = options;
    if (options->progress != NULL) {
        own.progress = on_progress;
        own.progress_self = p;
    }
    p->number = calloc(3 * p->sampled, sizeof *p->number);
    all = sample_listen(&own, listener, sizeof listener / sizeof listener[0]);
    if (p->number == NULL || all == NULL) {
        free(all);
        return teg_fail_memory(d);
    }
    p->end_cycle = p->number + p->sampled;
    p->begun = p->end_cycle + p->sampled;
    status = teg_simulate(&launch, p->gpu, &own, s, d);
    free(all);
    if (status == TEG_OK && p->issued.failed)
        status = teg_fail_memory(d);
    sample_meter_sum(&p->issued);
    return status;
}

/* ---- what it says of the whole --------------------------------------------
 */

/* Cycles per warp instruction issued between the ends of waves a and b, from 1:
 * of blocks in flight too, since long ones end late but work all the time. */
static double pace(const struct sampling *p, uint64_t a, uint64_t b)
{
    uint64_t from = p->end_cycle[a * p->wave - 1];
    uint64_t to = p->end_cycle[b * p->wave - 1];
    double work =
        sample_meter_at(&p->issued, to) - sample_meter_at(&p->issued, from);

    return work > 0 ? (double)(to - from) / work : HUGE_VAL;
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

/* Intervals between waves that a mean is taken of, at least. */
static uint64_t intervals_least(const struct sampling *p)
{
    return p->waves - p->filled > WAVES_WANTED ? 5 : 3;
}

/* The wave after which nothing but noise is left: caches have filled.  The
 * one that leaves the least marginal standard error (MSER; White 1997), in the
 * first two thirds. */
static uint64_t find_steady(const struct sampling *p)
{
    uint64_t earliest = p->filled > 1 ? p->filled : 1, best = earliest;
    double least = HUGE_VAL;

    for (uint64_t a = earliest; a + 1 < p->waves; a++) {
        double n = (double)(p->waves - 1 - a), error = scatter(p, a) / (n * n);

        if (a > earliest && (p->waves - 1 - a < intervals_least(p) ||
                             a > earliest + 2 * (p->waves - earliest) / 3))
            break;
        if (error < least) {
            least = error;
            best = a;
        }
    }
    return best;
}

/* Two-sided 95 % of Student's t for the mean of `n` values. */
static double student(uint64_t n)
{
    static const double t[] = {12.7, 12.7, 12.7, 4.30, 3.18, 2.78,
                               2.57, 2.45, 2.36, 2.31, 2.26, 2.23};

    return n < sizeof t / sizeof t[0] ? t[n] : 2.2;
}

/* Of the steady pace, absolute. */
static double pace_error(const struct sampling *p)
{
    uint64_t first = p->steady, last = p->waves - 1;
    uint64_t middle = (first + last) / 2;
    double n = (double)(last - first), drift;
    double error =
        n > 1 ? student(last - first) * sqrt(scatter(p, first) / (n - 1) / n)
              : pace(p, first, last);

    drift = middle > first
                ? fabs(pace(p, middle, last) - pace(p, first, middle)) / 2
                : 0;
    if (!sample_kinds_alike(&p->facts->kinds)) {
        double steady = pace(p, find_steady(p), last);

        error += fabs(steady - pace(p, first, last));
    }
    return drift > error ? drift : error;
}

static double unseen_share(const struct sampling *p)
{
    const struct sample_kinds *k = &p->facts->kinds;
    uint64_t unseen = 0;

    for (uint32_t i = 0; i < k->count; i++)
        unseen += p->kind_work[i] == 0 ? k->kind[i].instructions : 0;
    return (double)unseen / (double)p->facts->kinds.instructions;
}

/* Lines that none touched before, per warp instruction: how much that differs
 * between what the pace was taken of and what it stands for. */
static double first_touches_differ(const struct sampling *p)
{
    const struct teg_sample_facts *f = p->facts;
    double first = 0, rest = f->first_lines;
    uint64_t work = 0, left = f->kinds.instructions;
    uint64_t from = p->at_start ? p->steady * p->wave : 0;

    for (uint64_t i = 0; i < p->handed_out; i++) {
        uint64_t block = p->number[i];

        rest -= (double)f->first[block];
        left -= f->work[block];
        if (i >= from && i < p->waves * p->wave) {
            first += (double)f->first[block];
            work += f->work[block];
        }
    }
    if (work == 0 || left == 0)
        return 0;
    return fabs(rest / (double)left - first / (double)work);
}

/* Cycles per warp instruction by which the pace may change with the share of
 * first touches: they take the DRAM's time, or its latency instead of that of
 * the L2. */
static double first_touch_error(const struct sampling *p)
{
    const struct teg_gpu *gpu = p->gpu;
    const struct teg_sample_facts *f = p->facts;
    double gbs = teg_gpu_dram_gbs(gpu);
    double bytes = gbs * 1e3 / gpu->chip.sm_clock_mhz;
    double differ = first_touches_differ(p);
    double moved = bytes > 0 ? differ * TEG_LINE_BYTES / bytes : 0;
    double longer = gpu->l2.latency > 0
                        ? (double)gpu->dram.latency / gpu->l2.latency - 1
                        : 0;
    double lines = f->lines / (double)f->kinds.instructions;
    double waited =
        lines > 0 && longer > 0
            ? differ / lines * longer * pace(p, p->steady, p->waves - 1)
            : 0;

    return moved > waited ? moved : waited;
}

/* Whether the L2 behaves in the sample's last waves as in most of the launch:
 * written lines go to the DRAM only when it is full, which the whole launch
 * may reach and the sample not. */
static int l2_settled(const struct sampling *p, const struct teg_statistics *s)
{
    const struct teg_memory_statistics *m = &s->memory;
    double bytes = p->gpu->l2.bytes;
    double filled = (double)(m->l2_sectors - m->l2_hits) * TEG_SECTOR_BYTES;
    double whole =
        filled * (double)p->facts->kinds.instructions / (double)p->work_ended;

    return (double)m->store_bytes < written_least * (double)m->bytes ||
           filled >= l2_turns * bytes * 0.9 || whole < bytes;
}

/* Whether DRAM moves as much as it is said to in the cycles that come out.  What
 * has to be written leaves L2 when others need its place, and waits in the
 * channels' queues, which a sample need not have felt. */
static int dram_keeps_up(const struct sampling *p,
                         const struct teg_statistics *s)
{
    const struct teg_gpu *gpu = p->gpu;
    double gbs = teg_gpu_dram_gbs(gpu);
    double most = gbs * 1e3 / gpu->chip.sm_clock_mhz * (double)s->cycles;

    return gbs == 0 || (double)s->memory.dram_bytes <= most * dram_most;
}

static void scale_statistics(const struct sampling *p, struct teg_statistics *s)
{
    const struct teg_sample_facts *f = p->facts;

    s->blocks = f->blocks;
    s->warps =
        (uint64_t)((double)s->warps * (double)f->blocks / (double)p->sampled +
                   0.5);
    sample_scale(s, (double)f->kinds.instructions / (double)p->work_ended,
                 f->kinds.instructions);
}

/* Cycles at the end in which SMs run dry one after the other: a quarter of a
 * wave of equal blocks, and what a single long one among them takes longer; half
 * of the longest block of others. */
static double end_error(const struct sampling *p, double mean)
{
    double wave =
        mean * (double)p->work_ended / (double)p->sampled * (double)p->wave;

    if (sample_kinds_alike(&p->facts->kinds))
        return wave / 4 + wave * sample_kinds_lonely(&p->facts->kinds);
    return wave / 4 > (double)p->longest / 2 ? wave / 4
                                             : (double)p->longest / 2;
}

static void extrapolate(const struct sampling *p, struct teg_statistics *s,
                        struct teg_sample *sample)
{
    double left = (double)(p->facts->kinds.instructions - p->work_ended);
    double mean = pace(p, p->steady, p->waves - 1);
    double cycles = (double)s->cycles + left * mean;
    double error =
        left * (pace_error(p) + pace_later * mean + first_touch_error(p));

    sample->waves_simulated = (uint32_t)p->waves;
    sample->sms_simulated = p->sms;
    sample->blocks_simulated = p->sampled;
    sample->instructions_simulated = p->work_ended;
    sample->error_bound =
        (error + end_error(p, mean)) / cycles + unseen_share(p);
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
    uint32_t warps = teg_kernel_warps_per_block(kernel);
    struct teg_occupancy o;

    TRY(teg_kernel_occupancy(kernel, p->gpu, &o, d));
    p->blocks_per_sm = o.blocks_per_sm;
    if (options->warps_per_sm != 0 && warps != 0 &&
        options->warps_per_sm / warps < p->blocks_per_sm)
        p->blocks_per_sm = options->warps_per_sm / warps;
    p->sms = p->gpu->chip.sms;
    if (options->sms != 0 && options->sms < p->sms)
        p->sms = options->sms;
    return TEG_OK;
}

/* Waves of the whole grid. */
static double waves_of(const struct sampling *p, uint64_t blocks)
{
    return places(p) != 0 ? (double)blocks / (double)places(p) : 0;
}

/* Waves of a grid of which the whole chip may run as many as it takes. */
static double waves_for_whole(void)
{
    return (WAVES_LEAST + 1) / TEG_SAMPLE_SHARE;
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

/* The first waves on the whole chip, if that is little enough. */
static teg_status sample_waves(struct sampling *p, teg_sample_open *open,
                               void *self,
                               const struct teg_simulation_options *options,
                               struct teg_sample_facts **facts,
                               struct teg_statistics *s,
                               struct teg_sample *sample, struct teg_diag *d)
{
    if (*facts == NULL)
        TRY(sample_facts_look(open, self, options, facts, d));
    p->facts = *facts;
    /* A trace may hold fewer blocks than its grid. */
    sample->waves = waves_of(p, p->facts->blocks);
    if (sample->waves < waves_for_whole() || !plan(p))
        return TEG_OK;
    TRY(measure(p, open, self, options, s, d));
    if (!l2_settled(p, s))
        return TEG_OK;
    sample->blocks = p->facts->blocks;
    sample->instructions = p->facts->kinds.instructions;
    sample->kinds = p->facts->kinds.count;
    /* Waves of other blocks are no warm-up. */
    p->steady = sample_kinds_alike(&p->facts->kinds) ? find_steady(p)
                : p->filled > 1                      ? p->filled
                                                     : 1;
    extrapolate(p, s, sample);
    sample->used = sample->error_bound <= bound_most && dram_keeps_up(p, s);
    return TEG_OK;
}

/* All of it, behind a few SMs. */
static teg_status lead(struct sampling *p, teg_sample_open *open, void *self,
                       const struct teg_simulation_options *options,
                       struct teg_statistics *s, struct teg_sample *sample,
                       struct teg_diag *d)
{
    struct teg_launch launch, part;
    struct whole_waves waves;
    teg_status status;

    TRY(open(self, &launch, d));
    whole_waves_init(&waves, &launch,
                     whole_waves_blocks(teg_kernel_blocks(launch.kernel),
                                        p->sms, p->blocks_per_sm, 1),
                     &part);
    status = sample_led(p->whole_waves ? &part : &launch, p->gpu, p->sms,
                        p->blocks_per_sm, options, s, sample, d);
    if (status == TEG_OK && p->whole_waves) {
        status = whole_waves_finish(&waves, s, d);
        sample->blocks += waves.rest;
        sample->instructions += waves.rest_work;
    }
    if (launch.close != NULL)
        launch.close(launch.self);
    sample->waves = waves_of(p, sample->blocks);
    sample->used = status == TEG_OK && sample->error_bound <= bound_most &&
                   sample->waves >= TEG_SAMPLE_WAVES_MIN;
    return status;
}

/* Finds how many waves the launch has, and unless `instructions` is NULL, from
 * its first blocks, how many warp instructions, about. */
static teg_status measure_up(struct sampling *p, teg_sample_open *open,
                             void *self,
                             const struct teg_simulation_options *options,
                             double *waves, double *instructions,
                             struct teg_diag *d)
{
    struct teg_launch launch;
    uint64_t work = 0, tried = 0;
    teg_status status;

    TRY(open(self, &launch, d));
    status = find_places(p, launch.kernel, options, d);
    /* Blocks of a cluster do not stand for themselves, nor do those that wait
     * for others. */
    *waves = teg_kernel_cluster(launch.kernel) > 1 ||
                     teg_program_awaits(&launch.kernel->program)
                 ? 0
                 : waves_of(p, teg_kernel_blocks(launch.kernel));
    while (status == TEG_OK && instructions != NULL && tried < BLOCKS_TRIED &&
           *waves >= TEG_SAMPLE_WAVES_MIN) {
        struct teg_block *block = NULL;

        status = launch.next(launch.self, &block, d);
        if (block == NULL)
            break;
        work += sample_block_work(block);
        tried++;
        teg_block_free(block);
    }
    if (tried != 0)
        *instructions = (double)work / (double)tried *
                        (double)teg_kernel_blocks(launch.kernel);
    if (launch.close != NULL)
        launch.close(launch.self);
    return status;
}

teg_status teg_sample_look(teg_sample_open *open, void *self,
                           const struct teg_gpu *gpu,
                           const struct teg_simulation_options *options,
                           struct teg_sample_facts **facts, struct teg_diag *d)
{
    struct sampling p = {.gpu = gpu};
    double waves;

    TRY(measure_up(&p, open, self, options, &waves, NULL, d));
    return waves >= waves_for_whole()
               ? sample_facts_look(open, self, options, facts, d)
               : TEG_OK;
}

static teg_status sample_launch(struct sampling *p, teg_sample_open *open,
                                void *self,
                                const struct teg_simulation_options *options,
                                uint64_t instructions_min,
                                struct teg_sample_facts **facts,
                                struct teg_statistics *s,
                                struct teg_sample *sample, struct teg_diag *d)
{
    double waves, instructions = 0;

    TRY(measure_up(p, open, self, options, &waves,
                   instructions_min != 0 ? &instructions : NULL, d));
    if (waves < TEG_SAMPLE_WAVES_MIN || instructions < (double)instructions_min)
        return TEG_OK;
    if (waves >= waves_for_whole())
        TRY(sample_waves(p, open, self, options, facts, s, sample, d));
    /* Followers of a single block are less in step with it than is known. */
    if (!sample->used &&
        (uint64_t)sample_leading_sms(p->gpu, p->sms) * p->blocks_per_sm > 1)
        TRY(lead(p, open, self, options, s, sample, d));
    return TEG_OK;
}

teg_status teg_sample_simulate(teg_sample_open *open, void *self,
                               const struct teg_gpu *gpu,
                               const struct teg_simulation_options *options,
                               uint64_t instructions_min,
                               struct teg_sample_facts **facts,
                               struct teg_statistics *s,
                               struct teg_sample *sample, struct teg_diag *d)
{
    static const struct teg_simulation_options none = {0};
    struct sampling *p = calloc(1, sizeof *p);
    teg_status status;

    struct teg_gpu *other = NULL;

    *sample = (struct teg_sample){0};
    if (p != NULL && gpu->chip.whole_waves)
        other = malloc(sizeof *other);
    if (p == NULL || (gpu->chip.whole_waves && other == NULL)) {
        free(p);
        return teg_fail_memory(d);
    }
    /* Waves are a matter of what is sampled then, not of the chip. */
    if (other != NULL) {
        *other = *gpu;
        other->chip.whole_waves = 0;
        p->whole_waves = 1;
    }
    p->gpu = other != NULL ? other : gpu;
    options = options != NULL ? options : &none;
    status = sample_launch(p, open, self, options, instructions_min, facts, s,
                           sample, d);
    sample_meter_release(&p->issued);
    free(p->number);
    free(p);
    free(other);
    return status;
}
