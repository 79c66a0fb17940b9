#include "sim/memory/dram.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/mix.h"
#include "sim/memory/interleave.h"

/* Of a channel. */
static uint64_t rate_of(const struct teg_gpu *gpu, double share)
{
    double cycle_bytes = teg_gpu_dram_gbs(gpu) * 1e3 / gpu->chip.sm_clock_mhz;

    return sim_rate_of(cycle_bytes * share / gpu->dram.channels);
}

/* Returns 0 out of memory. */
static int make_rows(struct sim_dram *dram)
{
    const struct teg_gpu *gpu = dram->gpu;

    dram->row_ticks =
        sim_ticks_of(gpu->dram.row_ns * gpu->chip.sm_clock_mhz / 1000);
    if (gpu->dram.row_bytes == 0 || dram->row_ticks == 0)
        return 1;
    dram->by_rows =
        sim_divisor_of((uint64_t)gpu->dram.row_bytes * dram->channels);
    dram->rows = calloc(dram->channels, sizeof *dram->rows);
    return dram->rows != NULL;
}

/* Cycles that chance takes of a read in the mean; no read is sooner than what L2
 * has. */
static double mean_delay(const struct teg_gpu *gpu)
{
    double nearest = gpu->dram.latency - teg_gpu_halves_apart(gpu) / 2.0;
    double least = gpu->l2.bytes != 0 ? gpu->l2.latency : 0;

    return fmax(0, fmin(gpu->dram.delay_ns * gpu->chip.sm_clock_mhz / 1000,
                        nearest - least));
}

uint32_t sim_dram_sooner(const struct teg_gpu *gpu)
{
    return (uint32_t)ceil(mean_delay(gpu));
}

/* Quantiles of an exponential distribution less their mean, in whole cycles:
 * what rounding leaves of a sum goes to the longest. */
static void set_delays(struct sim_dram *dram)
{
    double mean = mean_delay(dram->gpu);
    int32_t sum = 0;

    for (int i = 0; i < SIM_DELAYS; i++) {
        dram->delay[i] =
            (int32_t)lround(-mean * (log((i + 0.5) / SIM_DELAYS) + 1));
        sum += dram->delay[i];
    }
    for (int i = 0; sum != 0; i = (i + 1) % SIM_DELAYS) {
        int one = sum > 0 ? 1 : -1;

        dram->delay[i] -= one;
        sum -= one;
    }
}

int sim_dram_init(struct sim_dram *dram, const struct teg_gpu *gpu)
{
    *dram = (struct sim_dram){
        .gpu = gpu,
        .channel = calloc(gpu->dram.channels, sizeof *dram->channel),
        .channels = gpu->dram.channels,
        .by_channels = sim_divisor_of(gpu->dram.channels),
        .by_interleave = sim_divisor_of(gpu->dram.interleave_bytes),
        .place = sim_slices_of(gpu),
        .slices = gpu->dram.of_slices && gpu->l2.bytes != 0
                      ? gpu->l2.slices / gpu->dram.channels
                      : 0,
        .rate = rate_of(gpu, 1),
        .store_rate = sim_rate_of(gpu->dram.store_bytes_per_cycle),
        .turnaround_ticks = sim_ticks_of(gpu->dram.turnaround),
    };
    set_delays(dram);
    return dram->channel != NULL && make_rows(dram);
}

void sim_dram_release(struct sim_dram *dram)
{
    free(dram->rows);
    free(dram->channel);
    *dram = (struct sim_dram){0};
}

void sim_dram_leave(struct sim_dram *dram, double share)
{
    dram->rate = rate_of(dram->gpu, 1 - share);
}

void sim_dram_carry(struct sim_dram *dram, const struct sim_dram *before)
{
    for (uint32_t i = 0; i < dram->channels; i++) {
        dram->channel[i].unwritten = before->channel[i].unwritten;
        dram->channel[i].reading = before->channel[i].reading;
        if (dram->rows != NULL)
            dram->channel[i].unopened = before->channel[i].unopened;
    }
}

static struct sim_channel *channel_of(struct sim_dram *dram, uint64_t address)
{
    const struct teg_gpu *gpu = dram->gpu;

    if (gpu->dram.spread)
        return &dram->channel[sim_remainder(dram->in_turn++,
                                            &dram->by_channels)];
    if (dram->slices != 0)
        return &dram->channel[sim_slice_of(&dram->place,
                                           address / TEG_LINE_BYTES)
                                  .slice /
                              dram->slices];
    return &dram->channel[sim_interleave(
        sim_quotient(address, &dram->by_interleave), &dram->by_channels,
        gpu->dram.hash)];
}

static uint64_t most_moved(const struct sim_dram *dram)
{
    uint64_t most = 0;

    for (uint32_t i = 0; i < dram->channels; i++)
        most = teg_max(most, dram->channel[i].moved);
    return most;
}

static void count(struct sim_dram *dram, struct sim_channel *c, uint32_t bytes)
{
    c->moved += bytes;
    dram->moved += bytes;
    dram->recent += bytes;
    if (dram->recent < (uint64_t)SIM_SKEW_BYTES * dram->channels)
        return;
    dram->busiest += most_moved(dram);
    dram->recent = 0;
    for (uint32_t i = 0; i < dram->channels; i++)
        dram->channel[i].moved = 0;
}

static struct sim_rows *rows_of(const struct sim_dram *dram,
                                const struct sim_channel *c)
{
    return &dram->rows[c - dram->channel];
}

/* Rows by number and one. */
static uint32_t row_of(const struct sim_dram *dram, uint64_t address)
{
    return (uint32_t)sim_quotient(address, &dram->by_rows) + 1;
}

/* Has `place`, of so many, the row?  It has now.  Neighboring rows are apart, and
 * so are those whose numbers differ by a power of two. */
static int has_row(uint32_t *place, uint32_t places, uint32_t row)
{
    uint32_t *at = &place[(row ^ row >> 4 ^ row >> 8 ^ row >> 12) % places];
    int has = *at == row;

    *at = row;
    return has;
}

/* Whether the row of a read is open: its bank opened it last, or it is that of one
 * of the reads before it that the controller holds and takes together. */
static int is_open(const struct sim_dram *dram, struct sim_rows *rows,
                   uint32_t row)
{
    uint32_t queue = dram->gpu->dram.queue;
    int open = has_row(rows->open, dram->gpu->dram.banks, row);

    if (!open && queue != 0) {
        /* All places, whatever the queue: vectors. */
        for (uint32_t i = 0; i < SIM_DRAM_QUEUE_MAX; i++)
            open |= rows->asked[i] == row;
    }
    if (queue != 0) {
        rows->asked[rows->next] = row;
        rows->next = rows->next + 1 == queue ? 0 : rows->next + 1;
    }
    return open;
}

/* Takes its time of the channel's bus, as soon as that is free, and meanwhile of
 * what opens rows if its own is not open. */
static void move(struct sim_dram *dram, struct sim_channel *c,
                 struct sim_way *w, uint64_t address, uint32_t bytes,
                 struct sim_request *r)
{
    uint64_t moved, opened = 0;

    r->dram_bytes += bytes;
    count(dram, c, bytes);
    moved = sim_queue_wait(&c->bus, sim_way_at(w),
                           sim_bytes_ticks(dram->rate, bytes));
    if (dram->rows != NULL &&
        !is_open(dram, rows_of(dram, c), row_of(dram, address)))
        opened = sim_queue_wait(&c->opener, sim_way_at(w), dram->row_ticks);
    w->waited += teg_max(moved, opened);
    w->latency = dram->gpu->dram.latency;
}

/* Which of the delays. */
static uint32_t chance_of(uint64_t address)
{
    return (uint32_t)(teg_mix(address / SIM_DELAY_BYTES) % SIM_DELAYS);
}

void sim_dram_read(struct sim_dram *dram, struct sim_way *w, uint64_t address,
                   uint32_t bytes, struct sim_request *r)
{
    struct sim_channel *c = channel_of(dram, address);

    c->reading = 1;
    move(dram, c, w, address, bytes, r);
    w->latency += (uint64_t)(int64_t)dram->delay[chance_of(address)];
}

void sim_dram_store(struct sim_dram *dram, struct sim_way *w, uint64_t address,
                    uint32_t bytes, struct sim_request *r)
{
    struct sim_channel *c = channel_of(dram, address);

    w->waited += sim_queue_wait(&c->stores, sim_way_at(w),
                                sim_bytes_ticks(dram->store_rate, bytes));
    move(dram, c, w, address, bytes, r);
}

/* Sends what the channel has gathered. */
static void write_batch(struct sim_dram *dram, struct sim_channel *c,
                        struct sim_way *w)
{
    uint64_t ticks = sim_bytes_ticks(dram->rate, c->unwritten), moved;
    uint64_t opened = 0;

    if (c->reading)
        ticks += dram->turnaround_ticks;
    moved = sim_queue_wait(&c->bus, sim_way_at(w), ticks);
    if (c->unopened != 0) {
        opened = sim_queue_wait(&c->opener, sim_way_at(w),
                                c->unopened * dram->row_ticks);
        memset(rows_of(dram, c)->batched, 0, sizeof dram->rows->batched);
    }
    w->waited += teg_max(moved, opened);
    c->reading = 0;
    c->unwritten = 0;
    c->unopened = 0;
}

void sim_dram_write(struct sim_dram *dram, struct sim_way *w, uint64_t address,
                    uint32_t bytes, struct sim_request *r)
{
    struct sim_channel *c = channel_of(dram, address);

    r->dram_bytes += bytes;
    count(dram, c, bytes);
    c->unwritten += bytes;
    if (dram->rows != NULL && !has_row(rows_of(dram, c)->batched,
                                       SIM_BATCH_ROWS, row_of(dram, address)))
        c->unopened++;
    if (c->unwritten >= dram->gpu->dram.write_batch_bytes)
        write_batch(dram, c, w);
}

void sim_dram_bytes(const struct sim_dram *dram, uint64_t *most, uint64_t *sum)
{
    *most = dram->busiest + most_moved(dram);
    *sum = dram->moved;
}
