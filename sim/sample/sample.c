#include "sim/sample/sample.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sample/lines.h"
#include "sim/sample/meter.h"
#include "sim/sample/scale.h"
#include "traces/block.h"

enum {
    WAVES_WANTED = 14, /* of a part of the chip */
    WAVES_LEAST = 6,
    WAVES_WHOLE = 5,      /* of the whole chip, at least, once the L2 is full */
    KINDS_MAX = 256,      /* told apart; further ones count as one */
    BLOCKS_PER_ASK = 256, /* while walking: to go on or not */
};

/* Share of the lines that blocks touch after another block did, beyond which
 * they are not left to a part of the chip with a part of the L2. */
static const double shared_most = 0.02;
/* What a part of the chip may be off by (docs/sweep.md's table). */
static const double scaling_error = 0.01;
/* Of the waves, that are worth simulating on the whole chip. */
static const double whole_most = 0.4;
/* How often the L2's size has to come in before what it writes is steady. */
static const double l2_turns = 1.5;
/* Share of the lines that are written, below which writing does not matter. */
static const double written_least = 0.05;
/* Share of the DRAM's and the L2's time up to which they are not what a part of
 * the chip waits for. */
static const double memory_idle = 0.4;
/* A bound that says next to nothing. */
static const double bound_most = 0.25;

struct kind {
    uint64_t signature;
    uint64_t instructions; /* warp instructions */
};

struct teg_sample_facts {
    uint64_t *work;    /* owned, [capacity]: warp instructions */
    float *first;      /* owned, [capacity]: lines touched by none before */
    uint16_t *kind_of; /* owned, [capacity] */
    uint64_t blocks, capacity;
    uint64_t instructions;
    double lines, first_lines; /* summed over the blocks */
    double written_lines;      /* of `lines` */
    struct kind kind[KINDS_MAX];
    uint32_t kinds;
};

struct sampling {
    const struct teg_gpu *gpu;
    const struct teg_sample_facts *facts;
    const struct teg_simulation_options *asked;
    uint32_t sms; /* of the whole chip, as asked for */
    uint32_t blocks_per_sm;
    /* The sample. */
    uint32_t scaled_sms;
    int at_start;         /* its waves are the grid's first, not spread */
    uint64_t wave;        /* blocks of the scaled chip */
    uint64_t waves, rest; /* simulated: whole waves, blocks beyond */
    uint64_t filled;      /* waves until the L2 is full of written lines */
    uint64_t sampled;     /* waves * wave + rest */
    /* The launch that hands it out. */
    struct teg_launch from;
    uint64_t read, handed_out;
    uint64_t *number;              /* owned, [sampled]: in the grid */
    uint64_t kind_work[KINDS_MAX]; /* sampled */
    /* What was seen. */
    uint64_t *end_cycle; /* in `number`'s memory, [sampled]: in their order */
    struct sample_meter issued;
    uint64_t *begun;  /* ... [sampled]: cycle of a block's start */
    uint64_t longest; /* cycles of a block */
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

static uint16_t find_kind(struct teg_sample_facts *f, uint64_t hash)
{
    uint32_t i = 0;

    while (i < f->kinds && f->kind[i].signature != hash)
        i++;
    if (i == f->kinds && f->kinds < KINDS_MAX)
        f->kind[f->kinds++].signature = hash;
    return (uint16_t)(i < KINDS_MAX ? i : KINDS_MAX - 1);
}

static int grow(struct teg_sample_facts *f)
{
    uint64_t capacity = f->capacity != 0 ? 2 * f->capacity : 1024;
    uint64_t *work = realloc(f->work, capacity * sizeof *work);
    uint16_t *kind_of;
    float *first;

    if (work == NULL)
        return 0;
    f->work = work;
    first = realloc(f->first, capacity * sizeof *first);
    if (first == NULL)
        return 0;
    f->first = first;
    kind_of = realloc(f->kind_of, capacity * sizeof *kind_of);
    if (kind_of == NULL)
        return 0;
    f->kind_of = kind_of;
    f->capacity = capacity;
    return 1;
}

static teg_status note_block(struct teg_sample_facts *f,
                             const struct teg_block *block,
                             const struct sample_touched *touched,
                             struct teg_diag *d)
{
    uint64_t work, hash = signature(block, &work);
    uint16_t kind = find_kind(f, hash);

    if (f->blocks == f->capacity && !grow(f))
        return teg_fail_memory(d);
    f->kind_of[f->blocks] = kind;
    f->first[f->blocks] = (float)touched->first;
    f->work[f->blocks++] = work;
    f->kind[kind].instructions += work;
    f->instructions += work;
    f->lines += touched->lines;
    f->first_lines += touched->first;
    f->written_lines += touched->written;
    return TEG_OK;
}

/* What the blocks of a launch are noted with. */
struct notes {
    struct teg_sample_facts *facts;
    struct sample_lines *lines;
    const struct teg_kernel *kernel;
    const struct teg_simulation_options *options;
};

static teg_status visit_block(void *self, struct teg_block *block,
                              struct teg_diag *d)
{
    const struct notes *n = self;
    const struct teg_simulation_options *o = n->options;
    struct sample_touched touched;

    sample_lines_block(n->lines, n->kernel, block, &touched);
    TRY(note_block(n->facts, block, &touched, d));
    if (n->facts->blocks % BLOCKS_PER_ASK == 0 && o->progress != NULL &&
        o->progress(o->progress_self, n->facts->blocks, 0) != 0)
        return teg_fail(d, TEG_INTERRUPTED, "", "interrupted");
    return TEG_OK;
}

void teg_sample_facts_free(struct teg_sample_facts *f)
{
    if (f == NULL)
        return;
    free(f->work);
    free(f->first);
    free(f->kind_of);
    free(f);
}

/* Nearly all work is that of equal blocks. */
static int homogeneous(const struct teg_sample_facts *f)
{
    for (uint32_t i = 0; i < f->kinds; i++) {
        if ((double)f->kind[i].instructions >= 0.9 * (double)f->instructions)
            return 1;
    }
    return 0;
}

static int shares_lines(const struct teg_sample_facts *f)
{
    return f->lines - f->first_lines > shared_most * f->lines;
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

/* SMs come in clusters; where the L2 has halves, in runs of 16 that belong to
 * one half and the other. */
static uint32_t whole_sms(const struct sampling *p)
{
    uint32_t cluster = p->gpu->chip.sms_per_cluster;

    return p->gpu->l2.near_bytes != 0 ? 16 * cluster : cluster;
}

/* At most `sms`, in whole clusters, down to half of it if channels and slices
 * then divide: address bits choose among theirs as they do on the chip. */
static uint32_t choose_sms(const struct sampling *p, double sms)
{
    uint32_t cluster = whole_sms(p);
    uint32_t most = sms < p->sms ? (uint32_t)sms / cluster * cluster : p->sms;

    for (uint32_t m = most; m >= cluster && 2 * m >= most; m -= cluster) {
        if (divides(p, m))
            return m;
    }
    return most;
}

static void take_waves(struct sampling *p, uint32_t sms, uint64_t waves)
{
    uint64_t whole = p->facts->blocks / places(p);

    p->scaled_sms = sms;
    p->wave = (uint64_t)sms * p->blocks_per_sm;
    p->waves = waves < whole ? waves : whole;
    p->rest = (p->facts->blocks % places(p)) * sms / p->sms;
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
    double bytes = f->first_lines * SAMPLE_LINE_BYTES;

    if (f->written_lines < written_least * f->lines ||
        bytes < (double)p->gpu->l2.bytes)
        return 0;
    return (uint64_t)ceil(l2_turns * (double)p->gpu->l2.bytes / bytes *
                          (double)f->blocks / (double)places(p));
}

/*
 * Waves on the whole chip: those that fill the L2 and some more.  Blocks that
 * are alike are the grid's first, so that they find in the caches what blocks
 * before them left there; others are taken from all over the grid.
 */
static int plan_whole(struct sampling *p)
{
    uint64_t fill = waves_to_fill(p), least = fill + WAVES_WHOLE;
    uint64_t most = (uint64_t)(budget(p) / (double)places(p));
    uint64_t enough = fill + 2 * WAVES_WANTED;
    double waves = (double)p->facts->blocks / (double)places(p);

    if (!homogeneous(p->facts) && shares_lines(p->facts))
        return 0;
    if ((double)least > whole_most * waves)
        return 0;
    p->at_start = homogeneous(p->facts);
    /* the last, unfinished wave comes on top */
    most = most > enough ? enough : most > 0 ? most - 1 : 0;
    take_waves(p, p->sms, most > least ? most : least);
    p->filled = fill;
    return 1;
}

static int fits_budget(const struct sampling *p)
{
    return (double)p->sampled <= budget(p);
}

/* As large a part of the chip as fits the share with the waves wanted. */
static int plan_part(struct sampling *p)
{
    uint32_t cluster = whole_sms(p);
    uint32_t waves = WAVES_WANTED + 1; /* the last one is not whole */
    double sms = budget(p) / (waves * (double)p->blocks_per_sm);
    uint64_t fitting;

    if (sms < cluster) {
        waves = WAVES_LEAST + 1;
        sms = budget(p) / (waves * (double)p->blocks_per_sm);
    }
    if (sms < cluster)
        return 0;
    p->at_start = 0;
    p->filled = 0;
    p->scaled_sms = choose_sms(p, sms);
    fitting = (uint64_t)(budget(p) / (double)p->scaled_sms / p->blocks_per_sm);
    take_waves(p, p->scaled_sms,
               fitting > 2 * WAVES_WANTED ? 2 * WAVES_WANTED : fitting - 1);
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

static uint32_t part(const struct sampling *p, uint32_t v)
{
    uint64_t scaled = ((uint64_t)v * p->scaled_sms + p->sms / 2) / p->sms;

    return scaled > 0 ? (uint32_t)scaled : 1;
}

/* The part of the chip that goes with the scaled SMs. */
static void scale_chip(const struct sampling *p, struct teg_gpu *gpu)
{
    double share = (double)p->scaled_sms / p->sms;
    uint32_t channels;
    uint64_t unit;

    gpu->chip.sms = p->scaled_sms;
    if (p->scaled_sms == p->sms)
        return;
    gpu->chip.dispatch_interval /= share;
    gpu->dram.bandwidth_gbs *= share;
    gpu->dram.reached_gbs *= share;
    channels = gpu->dram.channels;
    gpu->dram.channels = part(p, channels);
    /* A batch takes as long as it does on the chip. */
    gpu->dram.write_batch_bytes =
        (uint32_t)(gpu->dram.write_batch_bytes * share * channels /
                   gpu->dram.channels);
    gpu->l2.bytes_per_cycle *= share;
    gpu->l2.far_bytes_per_cycle *= share;
    gpu->l2.slices = part(p, gpu->l2.slices);
    unit = (uint64_t)gpu->l2.line_bytes * gpu->l2.ways * gpu->l2.slices;
    if (gpu->l2.bytes != 0) {
        uint64_t sets = part(p, gpu->l2.bytes) / unit;

        gpu->l2.bytes = (uint32_t)((sets > 0 ? sets : 1) * unit);
    }
    unit = (uint64_t)gpu->l2.line_bytes * gpu->l2.ways;
    if (gpu->l2.near_bytes != 0)
        gpu->l2.near_bytes =
            (uint32_t)(part(p, gpu->l2.near_bytes) / unit * unit);
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
    struct teg_launch launch = {
        .kernel = p->from.kernel, .self = p, .next = next_sampled};
    struct teg_gpu *gpu;
    teg_status status;

    own.sms = 0;
    p->asked = options;
    if (options->progress != NULL) {
        own.progress = on_progress;
        own.progress_self = p;
    }
    own.listener = listener;
    own.listener_count = sizeof listener / sizeof listener[0];
    p->number = calloc(3 * p->sampled, sizeof *p->number);
    if (p->number == NULL)
        return teg_fail_memory(d);
    p->end_cycle = p->number + p->sampled;
    p->begun = p->end_cycle + p->sampled;
    TRY(teg_gpu_copy(p->gpu, &gpu, d));
    scale_chip(p, gpu);
    p->l2_bytes = gpu->l2.bytes;
    status = teg_simulate(&launch, gpu, &own, s, d);
    teg_gpu_free(gpu);
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
    if (!homogeneous(p->facts)) {
        double steady = pace(p, find_steady(p), last);

        error += fabs(steady - pace(p, first, last));
    }
    return drift > error ? drift : error;
}

static double unseen_share(const struct sampling *p)
{
    const struct teg_sample_facts *f = p->facts;
    uint64_t unseen = 0;

    for (uint32_t i = 0; i < f->kinds; i++)
        unseen += p->kind_work[i] == 0 ? f->kind[i].instructions : 0;
    return (double)unseen / (double)f->instructions;
}

/* Lines that none touched before, per warp instruction: how much that differs
 * between what the pace was taken of and what it stands for. */
static double first_touches_differ(const struct sampling *p)
{
    const struct teg_sample_facts *f = p->facts;
    double first = 0, rest = f->first_lines;
    uint64_t work = 0, left = f->instructions;
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
    double gbs = gpu->dram.reached_gbs > 0 ? gpu->dram.reached_gbs
                                           : gpu->dram.bandwidth_gbs;
    double bytes = gbs * 1e3 / gpu->chip.sm_clock_mhz * p->scaled_sms / p->sms;
    double differ = first_touches_differ(p);
    double moved = bytes > 0 ? differ * SAMPLE_LINE_BYTES / bytes : 0;
    double longer = gpu->l2.latency > 0
                        ? (double)gpu->dram.latency / gpu->l2.latency - 1
                        : 0;
    double lines = f->lines / (double)f->instructions;
    double waited =
        lines > 0 && longer > 0
            ? differ / lines * longer * pace(p, p->steady, p->waves - 1)
            : 0;

    return moved > waited ? moved : waited;
}

/* Of a part of the chip, whose L2 holds a part of the lines that blocks share:
 * each may have come from the DRAM instead of the L2, for which warps waited
 * that much longer of the time that they waited for memory. */
static double chip_error(const struct sampling *p,
                         const struct teg_statistics *s)
{
    const struct teg_sample_facts *f = p->facts;
    const struct teg_gpu *gpu = p->gpu;
    double waited, shared, longer;

    if (p->scaled_sms == p->sms)
        return 0;
    if (!shares_lines(f) || s->resident_warp_cycles == 0)
        return scaling_error;
    waited = (double)(s->stall[STALL_LONG] + s->stall[STALL_LG_THROTTLE]) /
             (double)s->resident_warp_cycles;
    shared = (f->lines - f->first_lines) / f->lines;
    longer = gpu->dram.latency > gpu->l2.latency
                 ? 1 - (double)gpu->l2.latency / gpu->dram.latency
                 : 0;
    return scaling_error + waited * shared * longer;
}

/* Whether the sample's chip was waiting for something that parts of chips have
 * in the right proportion: channels and slices are few there, and which of
 * them blocks meet is another matter than on the whole chip. */
static int memory_idles(const struct sampling *p,
                        const struct teg_statistics *s)
{
    const struct teg_gpu *gpu = p->gpu;
    double gbs = gpu->dram.reached_gbs > 0 ? gpu->dram.reached_gbs
                                           : gpu->dram.bandwidth_gbs;
    double share = (double)p->scaled_sms / p->sms;
    double cycles = (double)s->cycles;
    double dram = gbs * 1e3 / gpu->chip.sm_clock_mhz * share * cycles;
    double l2 = gpu->l2.bytes_per_cycle * share * cycles;

    return (dram <= 0 || (double)s->memory.dram_bytes < memory_idle * dram) &&
           (l2 <= 0 || (double)s->memory.l2_sectors * gpu->l2.sector_bytes <
                           memory_idle * l2);
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
        filled * (double)p->facts->instructions * share / (double)p->work_ended;

    return (double)m->store_bytes < written_least * (double)m->bytes ||
           filled >= l2_turns * (double)p->l2_bytes * 0.9 ||
           whole < (double)p->l2_bytes;
}

static void scale_statistics(const struct sampling *p, struct teg_statistics *s)
{
    const struct teg_sample_facts *f = p->facts;

    s->blocks = f->blocks;
    s->warps =
        (uint64_t)((double)s->warps * (double)f->blocks / (double)p->sampled +
                   0.5);
    sample_scale(s, (double)f->instructions / (double)p->work_ended,
                 f->instructions);
    for (uint32_t i = 0; i < s->unit_count; i++) {
        struct teg_unit_statistics *u = &s->unit[i];

        u->instances =
            (uint32_t)((uint64_t)u->instances * p->sms / p->scaled_sms);
    }
    s->sms = p->sms;
    s->active_sms = p->sms;
}

/* Cycles at the end in which SMs run dry one after the other: a quarter of a
 * wave of equal blocks, half of the longest block of others. */
static double end_error(const struct sampling *p, double mean)
{
    double wave =
        mean * (double)p->work_ended / (double)p->sampled * (double)p->wave;

    if (homogeneous(p->facts))
        return wave / 4;
    return wave / 4 > (double)p->longest / 2 ? wave / 4
                                             : (double)p->longest / 2;
}

static void extrapolate(const struct sampling *p, struct teg_statistics *s,
                        struct teg_sample *sample)
{
    double share = (double)p->scaled_sms / p->sms;
    double left =
        (double)p->facts->instructions * share - (double)p->work_ended;
    double mean = pace(p, p->steady, p->waves - 1);
    double cycles = (double)s->cycles + left * mean;
    double error = left * (pace_error(p) + first_touch_error(p));

    sample->waves_simulated = (uint32_t)p->waves;
    sample->sms_simulated = p->scaled_sms;
    sample->blocks_simulated = p->sampled;
    sample->instructions_simulated = p->work_ended;
    sample->error_bound = (error + end_error(p, mean)) / cycles +
                          unseen_share(p) + chip_error(p, s);
    sample->used = sample->error_bound <= bound_most;
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

static int many_waves(const struct sampling *p, uint64_t blocks)
{
    return p->blocks_per_sm > 0 && blocks >= TEG_SAMPLE_WAVES_MIN * places(p);
}

/* Fills `*facts` if the launch has many waves, unless they are known. */
static teg_status look(struct sampling *p, teg_sample_open *open, void *self,
                       const struct teg_simulation_options *options,
                       struct teg_sample_facts **facts, struct teg_diag *d)
{
    struct sample_lines *lines = NULL;
    struct teg_launch launch;
    teg_status status;

    TRY(open(self, &launch, d));
    status = find_places(p, launch.kernel, options, d);
    if (status == TEG_OK && *facts == NULL &&
        many_waves(p, teg_kernel_blocks(launch.kernel))) {
        struct notes notes;

        *facts = calloc(1, sizeof **facts);
        lines = sample_lines_new();
        notes = (struct notes){*facts, lines, launch.kernel, options};
        status = *facts != NULL && lines != NULL
                     ? teg_launch_walk(&launch, visit_block, &notes, d)
                     : teg_fail_memory(d);
    }
    sample_lines_free(lines);
    if (launch.close != NULL)
        launch.close(launch.self);
    if (status != TEG_OK) {
        teg_sample_facts_free(*facts);
        *facts = NULL;
    }
    return status;
}

teg_status teg_sample_look(teg_sample_open *open, void *self,
                           const struct teg_gpu *gpu,
                           const struct teg_simulation_options *options,
                           struct teg_sample_facts **facts, struct teg_diag *d)
{
    struct sampling p = {.gpu = gpu};

    return look(&p, open, self, options, facts, d);
}

static void state(const struct sampling *p, struct teg_sample *sample)
{
    sample->blocks = p->facts->blocks;
    sample->instructions = p->facts->instructions;
    sample->kinds = p->facts->kinds;
    sample->waves = (double)p->facts->blocks / (double)places(p);
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

/* Simulates what is planned; `*holds` says whether it may stand for the
 * launch. */
static teg_status try_plan(struct sampling *p, teg_sample_open *open,
                           void *self,
                           const struct teg_simulation_options *options,
                           struct teg_statistics *s, struct teg_sample *sample,
                           struct teg_diag *d)
{
    TRY(measure(p, open, self, options, s, d));
    if (p->scaled_sms < p->sms ? !memory_idles(p, s) : !l2_settled(p, s))
        return TEG_OK;
    /* Waves of other blocks are no warm-up. */
    p->steady = homogeneous(p->facts) ? find_steady(p)
                : p->filled > 1       ? p->filled
                                      : 1;
    extrapolate(p, s, sample);
    return TEG_OK;
}

/* Back to before the simulation. */
static void forget(struct sampling *p)
{
    free(p->number);
    p->number = NULL;
    sample_meter_release(&p->issued);
    p->read = p->handed_out = p->ended = 0;
    p->work_ended = p->longest = 0;
    memset(p->kind_work, 0, sizeof p->kind_work);
}

/* The whole chip if that is within the share, else a part if memory is not
 * what matters, else the whole chip nevertheless. */
static teg_status sample_launch(struct sampling *p, teg_sample_open *open,
                                void *self,
                                const struct teg_simulation_options *options,
                                uint64_t instructions_min,
                                struct teg_statistics *s,
                                struct teg_sample *sample, struct teg_diag *d)
{
    int whole;

    if (p->facts == NULL || !many_waves(p, p->facts->blocks))
        return TEG_OK;
    state(p, sample);
    if (p->facts->instructions < instructions_min)
        return TEG_OK;
    whole = plan_whole(p);
    if (!whole || !fits_budget(p)) {
        if (plan_part(p))
            TRY(try_plan(p, open, self, options, s, sample, d));
        forget(p);
        whole = !sample->used && plan_whole(p);
    }
    return whole ? try_plan(p, open, self, options, s, sample, d) : TEG_OK;
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

    *sample = (struct teg_sample){0};
    if (p == NULL)
        return teg_fail_memory(d);
    p->gpu = gpu;
    options = options != NULL ? options : &none;
    status = look(p, open, self, options, facts, d);
    p->facts = *facts;
    if (status == TEG_OK)
        status = sample_launch(p, open, self, options, instructions_min, s,
                               sample, d);
    sample_meter_release(&p->issued);
    free(p->number);
    free(p);
    return status;
}
