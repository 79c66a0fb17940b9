#include "sim/sample/led.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"
#include "sim/engine/engine.h"
#include "sim/sample/follow.h"
#include "sim/sample/kinds.h"
#include "sim/sample/listen.h"
#include "sim/sample/scale.h"
#include "sim/sample/schedule.h"
#include "traces/block/block.h"

enum {
    /* An SM's next block is one of the next eight where its blocks end together
     * (matmul on V100, all SMs simulated: 67 % of them). */
    BURST_BLOCKS = 8,
    SMOOTH = 3, /* leaders that an interval is taken over */
    /* Leaders among which blocks are dealt where neighbors part: with 2, 4 and 8
     * matmul on an H100 is 5.7, 2.5 and 1.0 % too slow. */
    HAND = 8,
};

/* From how much more followers find than leaders on. */
static const double part_from = 0.05;
/* What comes of followers that keep in step with a single leading SM; of
 * several it is as that of the mean of so many (docs/sweep.md, what the bounds
 * have seen). */
static const double step_error = 0.06;
/* Where loads come back in order, an SM waits for the fullest of the slices that
 * they fill together (product of 2048 x 128 on A100: 8.7 % for five SMs). */
static const double step_error_in_order = 0.15;

/* A block that has been read. */
struct waiting {
    struct teg_block *block; /* owned */
    uint64_t work;           /* warp instructions */
};

/* Blocks in the order of the grid. */
struct row {
    struct waiting *at; /* owned, [capacity], the first at [begin] */
    size_t begin, count, capacity;
};

struct leader {
    uint64_t begun; /* cycle it got its place */
    double took;    /* cycles to its end */
    double work;    /* warp instructions */
};

/* Leaders that an SM gets one soon after the other. */
struct burst {
    uint64_t last;   /* cycle of the latest */
    uint32_t length; /* so far */
    struct row kept; /* blocks for those to come */
};

struct led {
    struct teg_launch *from; /* borrowed */
    const struct teg_simulation_options *asked;
    struct sample_followers *followers;
    uint32_t leading, sms;
    double dispatch_interval;
    double group;  /* blocks: a leader and its followers, on the average */
    uint64_t wave; /* leaders on the chip at once */
    /* The launch. */
    struct row ahead;       /* read, and with no place yet */
    struct row hand;        /* of these, who lead next */
    int parted;             /* neighbors follow different ones of a hand */
    struct waiting offered; /* the engine's: the first of those ahead */
    int exhausted;
    uint64_t blocks; /* read */
    size_t block_capacity;
    double *work; /* owned, [block_capacity]: warp instructions of each */
    struct sample_kinds kinds;
    uint64_t *sorted; /* owned, [window] */
    /* Leaders so far. */
    uint64_t leaders;
    size_t capacity;
    struct leader *leader; /* owned, [capacity] */
    uint64_t work_led;
    struct burst *burst; /* owned, [leading]: of each SM */
    /* Cycles from leader to leader, of late, and over which the last one's
     * followers are spread. */
    double last_interval, last_spread;
    uint64_t taken, passed; /* followers; of these, those placed */
};

/* ---- rows ------------------------------------------------------------------ */

static teg_status push(struct row *r, struct waiting w, struct teg_diag *d)
{
    struct waiting *at;

    if (r->begin + r->count == r->capacity && r->begin >= r->count &&
        r->begin != 0) {
        memmove(r->at, r->at + r->begin, r->count * sizeof *r->at);
        r->begin = 0;
    }
    at = teg_array_room(r->at, r->begin + r->count, &r->capacity, sizeof *at);
    if (at == NULL) {
        teg_block_free(w.block);
        return teg_fail_memory(d);
    }
    r->at = at;
    r->at[r->begin + r->count++] = w;
    return TEG_OK;
}

/* Takes block `i` out of the row. */
static struct waiting take(struct row *r, size_t i)
{
    struct waiting *first = r->at + r->begin, taken = first[i];

    memmove(first + 1, first, i * sizeof *first);
    r->begin++;
    r->count--;
    return taken;
}

static teg_status move_all(struct row *to, struct row *from, struct teg_diag *d)
{
    while (from->count != 0)
        TRY(push(to, take(from, 0), d));
    return TEG_OK;
}

/* The one that was taken last, from the front. */
static void put_back(struct row *r, struct waiting w)
{
    r->at[--r->begin] = w;
    r->count++;
}

/* ---- which block leads ----------------------------------------------------- */

static teg_status note_work(struct led *l, uint64_t work, struct teg_diag *d)
{
    double *room =
        teg_array_room(l->work, l->blocks, &l->block_capacity, sizeof *room);

    if (room == NULL)
        return teg_fail_memory(d);
    l->work = room;
    l->work[l->blocks++] = (double)work;
    return TEG_OK;
}

static teg_status read_ahead(struct led *l, size_t count, struct teg_diag *d)
{
    while (l->ahead.count < count && !l->exhausted) {
        struct waiting w;

        TRY(l->from->next(l->from->self, &w.block, d));
        if (w.block == NULL) {
            l->exhausted = 1;
            break;
        }
        sample_kind_of(&l->kinds, w.block, &w.work);
        TRY(note_work(l, w.work, d));
        TRY(push(&l->ahead, w, d));
    }
    return TEG_OK;
}

static int by_size(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* The fractional parts of the multiples of the golden ratio: evenly spread,
 * however many there are (Knuth, TAOCP 3, 6.4). */
static double golden(uint64_t i)
{
    double turn = (double)i * 0.6180339887498949;

    return turn - floor(turn);
}

/* Blocks among which a leader is chosen. */
static size_t window(const struct led *l)
{
    return (size_t)(l->group + 0.5);
}

/*
 * Which of a window of blocks from `begin` on leads, as leader `number`: the first
 * of those whose work has a rank among them.  Ranks take turns, so that leaders
 * have short and long blocks in the proportion of all.  Where blocks are alike it
 * is the very next.
 */
static size_t choose_ahead(const struct led *l, size_t begin, uint64_t number)
{
    const struct waiting *ahead = l->ahead.at + l->ahead.begin + begin;
    size_t left = l->ahead.count - begin, i = 0;
    size_t count = left < window(l) ? left : window(l);
    size_t rank = (size_t)(golden(number + 1) * (double)count);

    for (size_t c = 0; c < count; c++)
        l->sorted[c] = ahead[c].work;
    qsort(l->sorted, count, sizeof *l->sorted, by_size);
    while (ahead[i].work != l->sorted[rank])
        i++;
    return begin + i;
}

/* Whether neighbors go along with different leaders from now on. */
static int neighbors_part(struct led *l)
{
    l->parted |= sample_followers_find_more(l->followers) > part_from;
    return l->parted;
}

/* Who lead next: each as far from the one before as a group is large. */
static teg_status deal_leaders(struct led *l, struct teg_diag *d)
{
    uint64_t leaders = neighbors_part(l) ? HAND : 1;
    size_t step = window(l) - 1, begin = 0;

    TRY(read_ahead(l, leaders * window(l), d));
    for (uint64_t i = 0; i < leaders && begin < l->ahead.count; i++) {
        size_t at = choose_ahead(l, begin, l->leaders + i);

        TRY(push(&l->hand, take(&l->ahead, at), d));
        begin += step;
    }
    return TEG_OK;
}

/* Cycles from one leader's start to the next's, over the last wave. */
static double interval(const struct led *l, uint64_t cycle)
{
    uint64_t n = l->leaders < l->wave ? l->leaders : l->wave;

    return n != 0
               ? (double)(cycle - l->leader[l->leaders - n].begun) / (double)n
               : 0;
}

/* Whether leader `i` got its place in the same cycle as another: so it is
 * where all SMs of a chip are in lockstep. */
static int in_lockstep(const struct led *l, uint64_t i)
{
    return (i != 0 && l->leader[i].begun == l->leader[i - 1].begun) ||
           (i + 1 < l->leaders && l->leader[i].begun == l->leader[i + 1].begun);
}

/* Cycles until the next leader's start, as after the leader in the same place
 * of the last wave: blocks may come in bursts.  Of a wave of a few leaders it
 * is as between the latest. */
static double next_interval(const struct led *l)
{
    double least = l->dispatch_interval * l->group;
    uint64_t back = l->wave > SMOOTH ? l->wave : SMOOTH + 1;
    uint64_t i = l->leaders - back;
    double before;

    if (l->leaders < back + SMOOTH || in_lockstep(l, i))
        return least;
    before =
        (double)(l->leader[i + SMOOTH].begun - l->leader[i].begun) / SMOOTH;
    return before > least ? before : least;
}

/* Whether the SM's blocks end together: another leader gets its place there
 * before others on the chip get more than a few.  In the same cycle it is
 * lockstep, and all SMs get one each. */
static int goes_on(const struct led *l, const struct burst *b, uint64_t cycle)
{
    double since = (double)(cycle - b->last);

    return l->leaders >= l->wave && since > 0 &&
           since * l->group < BURST_BLOCKS * interval(l, cycle);
}

/* An SM whose blocks end together gets neighbours in the grid.  How many is
 * seen only later: as many as last time are kept for it. */
static teg_status note_burst(struct led *l, struct burst *b, uint64_t cycle,
                             struct teg_diag *d)
{
    uint32_t more = b->length != 0 ? b->length - 1 : 0;

    if (goes_on(l, b, cycle)) {
        b->length++;
    } else {
        b->length = 1;
        TRY(read_ahead(l, more + window(l), d));
        while (b->kept.count < more && l->ahead.count > 1)
            TRY(push(&b->kept, take(&l->ahead, 0), d));
    }
    b->last = cycle;
    return TEG_OK;
}

static teg_status note_leader(struct led *l, uint64_t cycle, uint64_t work,
                              struct teg_diag *d)
{
    struct leader *room =
        teg_array_room(l->leader, l->leaders, &l->capacity, sizeof *room);

    if (room == NULL)
        return teg_fail_memory(d);
    l->leader = room;
    l->leader[l->leaders++] =
        (struct leader){.begun = cycle, .work = (double)work};
    l->work_led += work;
    return TEG_OK;
}

/* Behind one leader: a group, and as many that were missing before. */
static uint32_t followers_max(const struct led *l)
{
    return (uint32_t)(2 * l->group);
}

/* The leader takes along as many of the blocks behind it in the grid as the other
 * SMs get before the next leader gets its own.  Neighbors go along with different
 * leaders of a hand, for on the chip they drift apart: if all that share a line
 * followed the same leader, it would be the first to ask for it more often than
 * its share.  From wave to wave that begins somewhere else in a group, so that
 * leaders do not stand in the same place of a grid's rows for ever; but waves in
 * lockstep begin where they do on the chip. */
static teg_status gather(struct led *l, struct teg_diag *d)
{
    double shift = l->leaders < l->wave || in_lockstep(l, l->leaders - l->wave)
                       ? 0
                       : (golden(l->leaders / l->wave) - 0.5) * l->group;
    double due =
        (double)(l->leaders + 1) * (l->group - 1) + shift - (double)l->taken;
    uint64_t count = due > 0 ? (uint64_t)due : 0;

    if (count > followers_max(l))
        count = followers_max(l);
    TRY(read_ahead(l, count * (l->hand.count + 1), d));
    for (uint64_t i = 0; i < count && l->ahead.count != 0; i++, l->taken++) {
        size_t leaders = l->hand.count + 1; /* this one and those to come */
        size_t at =
            i * l->hand.count + (size_t)(golden(l->taken) * (double)leaders);

        if (at >= l->ahead.count)
            at = l->ahead.count - 1;
        TRY(sample_followers_add(l->followers, take(&l->ahead, at).block, d));
    }
    return TEG_OK;
}

/* The next block of the grid, until it is known who gets it. */
static teg_status next_block(void *self, struct teg_block **block,
                             struct teg_diag *d)
{
    struct led *l = self;

    *block = NULL;
    TRY(read_ahead(l, 1, d));
    if (l->ahead.count == 0)
        TRY(move_all(&l->ahead, &l->hand, d));
    for (uint32_t i = 0; i < l->leading && l->ahead.count == 0; i++)
        TRY(move_all(&l->ahead, &l->burst[i].kept, d));
    if (l->ahead.count != 0) {
        l->offered = take(&l->ahead, 0);
        *block = l->offered.block;
    }
    return TEG_OK;
}

/* Whether the first of the row can take the place of a block of so many warps. */
static int fits(const struct row *r, uint32_t warps)
{
    return r->count != 0 && teg_block_warps(r->at[r->begin].block) == warps;
}

/* The block that leads next on the SM of burst `b`, of so many warps: one that
 * was kept for it, one of the hand, or the very next. */
static teg_status choose_leader(struct led *l, struct burst *b, uint32_t warps,
                                struct waiting *w, struct teg_diag *d)
{
    struct row *from = &b->kept;

    if (!fits(from, warps)) {
        if (l->hand.count == 0)
            TRY(deal_leaders(l, d));
        from = fits(&l->hand, warps) ? &l->hand : &l->ahead;
    }
    *w = take(from, 0);
    return TEG_OK;
}

static teg_status choose(void *self, uint32_t sm, uint64_t cycle,
                         struct teg_block **block, uint64_t *passed,
                         struct teg_diag *d)
{
    struct led *l = self;
    struct burst *b = &l->burst[sm];
    uint32_t warps = teg_block_warps(*block);
    struct waiting w;

    put_back(&l->ahead, l->offered);
    *block = NULL;
    TRY(note_burst(l, b, cycle, d));
    *passed = b->length > 1 ? 0 : l->taken - l->passed;
    l->passed += *passed;
    TRY(choose_leader(l, b, warps, &w, d));
    *block = w.block;
    TRY(gather(l, d));
    l->last_interval = interval(l, cycle);
    l->last_spread = next_interval(l);
    TRY(note_leader(l, cycle, w.work, d));
    return sample_followers_lead(l->followers, teg_block_warps(w.block),
                                 l->last_spread, d);
}

/* ---- the chip ------------------------------------------------------------- */

/* In whole clusters, or fewer than one. */
uint32_t sample_leading_sms(const struct teg_gpu *gpu, uint32_t sms)
{
    uint32_t cluster = gpu->chip.sms_per_cluster;
    uint32_t most = (uint32_t)(TEG_SAMPLE_SHARE * sms);

    if (most == 0)
        return sms > 1;
    return most < cluster ? most : most / cluster * cluster;
}

/* The SMs that lead are the chip's first ones and next to each other; if they are
 * not a whole cluster they have their share of it. */
static void scale_clusters(struct teg_gpu *gpu, uint32_t leading)
{
    uint32_t cluster = gpu->chip.sms_per_cluster;

    gpu->chip.cluster_numbering = CLUSTER_NUMBERING_ADJACENT;
    if (leading >= cluster)
        return;
    gpu->chip.sms_per_cluster = leading;
    gpu->memory.cluster_bytes_per_cycle *= (double)leading / cluster;
    gpu->memory.warp_bytes_per_cycle *= (double)leading / cluster;
    gpu->memory.copy_out_bytes_per_cycle *= (double)leading / cluster;
    gpu->memory.in_flight_bytes =
        gpu->memory.in_flight_bytes * leading / cluster;
}

static void on_block_end(void *self, uint64_t cycle, uint32_t sm,
                         uint64_t block)
{
    struct led *l = self;

    (void)sm;
    l->leader[block].took = (double)(cycle - l->leader[block].begun);
    sample_followers_end(l->followers, block);
}

static int on_progress(void *self, uint64_t blocks, uint64_t cycle)
{
    const struct led *l = self;

    return l->asked->progress(l->asked->progress_self,
                              (uint64_t)((double)blocks * l->group), cycle);
}

static teg_status simulate(struct led *l, const struct teg_gpu *gpu,
                           struct teg_statistics *s, struct teg_diag *d)
{
    const struct sim_listener listener[] = {
        {.self = l, .on_block_end = on_block_end},
    };
    struct teg_simulation_options own = *l->asked;
    const struct sim_lead lead = {.followers =
                                      sample_followers_of_memory(l->followers),
                                  .self = l,
                                  .choose = choose};
    struct teg_launch launch = {
        .kernel = l->from->kernel, .self = l, .next = next_block};
    struct sim_listener *all =
        sample_listen(&own, listener, sizeof listener / sizeof listener[0]);
    teg_status status;

    if (all == NULL)
        return teg_fail_memory(d);
    own.sms = l->leading;
    own.lead = &lead;
    if (own.progress != NULL) {
        own.progress = on_progress;
        own.progress_self = l;
    }
    status = teg_simulate(&launch, gpu, &own, s, d);
    free(all);
    return status;
}

static void release_row(struct row *r)
{
    for (size_t i = 0; i < r->count; i++)
        teg_block_free(r->at[r->begin + i].block);
    free(r->at);
}

static void release(struct led *l)
{
    release_row(&l->ahead);
    release_row(&l->hand);
    for (uint32_t i = 0; l->burst != NULL && i < l->leading; i++)
        release_row(&l->burst[i].kept);
    free(l->burst);
    free(l->sorted);
    free(l->work);
    free(l->leader);
    sample_followers_free(l->followers);
}

/* ---- what it says of the launch ------------------------------------------ */

/* What a block takes by its work: least squares over the leaders. */
struct line {
    double work, took; /* means */
    double slope;      /* cycles per warp instruction, not below 0 */
};

static struct line fit(const struct led *l)
{
    struct line f = {(double)l->work_led / (double)l->leaders, 0, 0};
    double xx = 0, xy = 0;

    for (uint64_t i = 0; i < l->leaders; i++)
        f.took += l->leader[i].took;
    f.took /= (double)l->leaders;
    for (uint64_t i = 0; i < l->leaders; i++) {
        double off = l->leader[i].work - f.work;

        xx += off * off;
        xy += off * (l->leader[i].took - f.took);
    }
    f.slope = xx > 0 && xy > 0 ? xy / xx : 0;
    return f;
}

static double fitted(const struct line *f, double work)
{
    return fmax(0, f->took + f->slope * (work - f->work));
}

/* 95 % of the mean of what leaders' blocks took, relative: of what their work
 * does not say, from the differences between neighbours, for all of the grid is
 * led. */
static double chance_error(const struct led *l, const struct line *f)
{
    double n = (double)l->leaders, sum = 0, before = 0;

    for (uint64_t i = 0; i < l->leaders; i++) {
        double rest = l->leader[i].took - fitted(f, l->leader[i].work);

        sum += i != 0 ? (rest - before) * (rest - before) : 0;
        before = rest;
    }
    return f->took > 0 && n > 1 ? 2 * sqrt(sum / 2 / (n - 1) / n) / f->took : 0;
}

/* Cycles by which SMs fall idle at the end more, or less, on the chip than
 * where leaders run: a long block that comes late may not have led. */
static teg_status idle_more(struct led *l, const struct line *f, double *cycles,
                            struct teg_diag *d)
{
    double *length = calloc(l->leaders, sizeof *length), all, led;
    uint64_t places = l->wave * l->sms / l->leading;
    teg_status status;

    *cycles = 0;
    if (length == NULL)
        return teg_fail_memory(d);
    for (uint64_t i = 0; i < l->leaders; i++)
        length[i] = fitted(f, l->leader[i].work);
    for (uint64_t i = 0; i < l->blocks; i++)
        l->work[i] = fitted(f, l->work[i]);
    status = sample_schedule_idle(l->work, l->blocks, places, &all, d);
    if (status == TEG_OK)
        status = sample_schedule_idle(length, l->leaders, l->wave, &led, d);
    free(length);
    if (status == TEG_OK)
        *cycles = fabs(all - led);
    return status;
}

/* Leaders find another share of their sectors in L2 than followers do, and wait
 * for the DRAM or do not, of the time that they wait for memory. */
static double share_error(const struct led *l, const struct teg_gpu *gpu,
                          const struct teg_statistics *s)
{
    double longer = gpu->dram.latency > gpu->l2.latency
                        ? 1 - (double)gpu->l2.latency / gpu->dram.latency
                        : 0;

    if (s->resident_warp_cycles == 0)
        return 0;
    return longer * (double)s->stall[STALL_LONG] /
           (double)s->resident_warp_cycles *
           fabs(sample_followers_find_more(l->followers));
}

/* What L2 and DRAM have done, for the whole launch. */
static void sum_memory(const struct led *l, struct teg_memory_statistics *m)
{
    struct sample_followed f = sample_followers_sum(l->followers);
    double share = (double)l->blocks / (double)(l->leaders + l->taken);

    m->l2_sectors =
        (uint64_t)((double)(m->l2_sectors + f.l2_sectors) * share + 0.5);
    m->l2_hits = (uint64_t)((double)(m->l2_hits + f.l2_hits) * share + 0.5);
    m->l2_joined =
        (uint64_t)((double)(m->l2_joined + f.l2_joined) * share + 0.5);
    m->dram_bytes =
        (uint64_t)((double)(m->dram_bytes + f.dram_bytes) * share + 0.5);
    m->atomic_slice_cycles =
        (uint64_t)((double)m->atomic_slice_cycles * share + 0.5);
}

static void scale(const struct led *l, struct teg_statistics *s)
{
    struct teg_memory_statistics whole = s->memory;
    uint64_t channel_most = s->channel_bytes_max;
    uint64_t channel_sum = s->channel_bytes_sum;

    sum_memory(l, &whole);
    s->warps =
        (uint64_t)((double)s->warps * (double)l->blocks / (double)l->leaders +
                   0.5);
    s->blocks = l->blocks;
    sample_scale(s, (double)l->kinds.instructions / (double)l->work_led,
                 l->kinds.instructions);
    s->memory.l2_sectors = whole.l2_sectors;
    s->memory.l2_hits = whole.l2_hits;
    s->memory.l2_joined = whole.l2_joined;
    s->memory.dram_bytes = whole.dram_bytes;
    s->memory.atomic_slice_cycles = whole.atomic_slice_cycles;
    s->channel_bytes_max = channel_most;
    s->channel_bytes_sum = channel_sum;
    for (uint32_t i = 0; i < s->unit_count; i++) {
        struct teg_unit_statistics *u = &s->unit[i];

        u->instances = (uint32_t)((uint64_t)u->instances * l->sms / l->leading);
    }
    s->sms = l->sms;
    s->active_sms = l->sms;
}

/* The last leader's followers end after it, and blocks that are too few to be
 * led after them. */
static teg_status finish(struct led *l, const struct teg_gpu *gpu,
                         struct teg_statistics *s, struct teg_sample *sample,
                         struct teg_diag *d)
{
    double left = (double)(l->blocks - l->leaders - l->taken) / l->group;
    double work = (double)l->work_led * l->group, idle = 0, cycles;
    struct line f;

    sample->blocks = l->blocks;
    if (l->leaders == 0)
        return TEG_OK;
    f = fit(l);
    if (!sample_kinds_alike(&l->kinds))
        TRY(idle_more(l, &f, &idle, d));
    else
        idle = sample_kinds_lonely(&l->kinds) * f.took;
    cycles = (double)s->cycles + l->last_spread + left * l->last_interval;
    s->cycles = (uint64_t)(cycles + 0.5);
    sample->sms_simulated = l->leading;
    sample->instructions = l->kinds.instructions;
    sample->kinds = l->kinds.count;
    sample->waves_simulated = (uint32_t)(l->leaders / l->wave);
    sample->blocks_simulated = l->leaders;
    sample->instructions_simulated = l->work_led;
    /* a quarter of a wave at the end, or what unlike blocks make of it */
    sample->error_bound =
        chance_error(l, &f) + share_error(l, gpu, s) +
        (gpu->l1.in_order ? step_error_in_order : step_error) /
            sqrt(l->leading) +
        fabs((double)l->kinds.instructions / work - 1) +
        (f.took / 4 + idle) / cycles;
    scale(l, s);
    return TEG_OK;
}

static teg_status prepare(struct led *l, const struct teg_gpu *gpu,
                          struct teg_diag *d)
{
    l->sorted = calloc(window(l) + 1, sizeof *l->sorted);
    l->burst = calloc(l->leading, sizeof *l->burst);
    if (l->sorted == NULL || l->burst == NULL)
        return teg_fail_memory(d);
    return sample_followers_new(gpu, l->from->kernel, l->leading,
                                followers_max(l), &l->followers, d);
}

teg_status sample_led(struct teg_launch *launch, const struct teg_gpu *gpu,
                      uint32_t sms, uint32_t blocks_per_sm,
                      const struct teg_simulation_options *options,
                      struct teg_statistics *s, struct teg_sample *sample,
                      struct teg_diag *d)
{
    uint32_t leading = sample_leading_sms(gpu, sms);
    struct led l = {.from = launch,
                    .leading = leading,
                    .sms = sms,
                    .dispatch_interval = gpu->chip.dispatch_interval,
                    .group = (double)sms / leading,
                    .wave = (uint64_t)leading * blocks_per_sm,
                    .asked = options};
    struct teg_gpu *part;
    teg_status status;

    TRY(teg_gpu_copy(gpu, &part, d));
    scale_clusters(part, leading);
    status = prepare(&l, part, d);
    if (status == TEG_OK)
        status = simulate(&l, part, s, d);
    if (status == TEG_OK)
        status = finish(&l, part, s, sample, d);
    release(&l);
    teg_gpu_free(part);
    return status;
}
