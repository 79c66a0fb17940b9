/*
 * DRAM: channels, each a bus that moves bytes one after the other.
 *
 * Models: the bandwidth that is reached, divided among channels that are
 * chosen by address, or by the L2 slice they are behind, so that skew shows;
 * writes that a channel gathers and sends in one batch, which costs it a turn of
 * the bus if it has read since the last one; where there is no L2, what a channel
 * takes of stores; rows, of which a channel opens one after the other, while its
 * bus moves bytes of others: of reads each bank keeps the last one, and those that
 * the controller holds are taken together with others of their row (first ready,
 * first come first served; Rixner et al., ISCA 2000); of a batch of writes each is
 * opened once; what else a read waits for, a bank that is busy or refreshed, by
 * chance: as long as its address says, exponentially distributed.
 * Leaves out: refresh itself; that gathered bytes are ever read back.
 */
#ifndef TEG_SIM_MEMORY_DRAM_H
#define TEG_SIM_MEMORY_DRAM_H

#include "sim/events.h"
#include "sim/memory/divisor.h"
#include "sim/memory/slices.h"
#include "sim/memory/way.h"

/* Skew is seen over so many bytes a channel: accesses may camp on one channel
 * after the other and be even in the end. */
enum {
    SIM_SKEW_BYTES = 64 * 1024
};

enum {
    SIM_BANKS_MAX = 64,
    SIM_DRAM_QUEUE_MAX = 64,
    SIM_BATCH_ROWS = 64,  /* places for the rows of a batch of writes */
    SIM_DELAYS = 64,      /* quantiles of what a read waits for by chance */
    SIM_DELAY_BYTES = 512 /* of addresses that wait alike */
};

struct sim_channel {
    struct sim_queue bus;
    struct sim_queue stores; /* on their way in, where there is no L2 */
    uint64_t moved;          /* bytes, since skew was last seen to */
    uint32_t unwritten;      /* bytes */
    int reading;             /* what it did last */
    struct sim_queue opener; /* of rows */
    uint32_t unopened;       /* rows of what is unwritten */
};

/* Rows by number and one, 0: none. */
struct sim_rows {
    uint32_t open[SIM_BANKS_MAX];       /* to read, by bank */
    uint32_t asked[SIM_DRAM_QUEUE_MAX]; /* of the latest reads, in a ring */
    uint32_t next;                      /* place in the ring */
    uint32_t batched[SIM_BATCH_ROWS];   /* of what is unwritten */
};

struct sim_dram {
    const struct teg_gpu *gpu;   /* borrowed; outlives it */
    struct sim_channel *channel; /* owned, [channels] */
    uint32_t channels;
    uint32_t slices; /* of L2 a channel has for its own; 0: none */
    struct sim_divisor by_channels, by_interleave;
    struct sim_slices place;
    uint64_t rate, store_rate; /* of a channel */
    uint64_t turnaround_ticks;
    int32_t delay[SIM_DELAYS];  /* cycles beyond `latency`; 0 in the mean */
    struct sim_rows *rows;      /* owned, [channels]; NULL: they cost nothing */
    struct sim_divisor by_rows; /* bytes of a row in every channel */
    uint64_t row_ticks;
    uint64_t in_turn; /* what-if dram.spread: transactions so far */
    uint64_t moved;   /* bytes, all channels together */
    uint64_t recent;  /* bytes of them since skew was last seen to */
    uint64_t busiest; /* bytes of the busiest channel each time before */
};

/* Returns 0 out of memory. */
int sim_dram_init(struct sim_dram *dram, const struct teg_gpu *gpu);
void sim_dram_release(struct sim_dram *dram);

/* Cycles by which a read may be there before dram.latency, by chance. */
uint32_t sim_dram_sooner(const struct teg_gpu *gpu);

/* What the channels of `before` have gathered, they have. */
void sim_dram_carry(struct sim_dram *dram, const struct sim_dram *before);

/* Others take `share` (0 to 0.95) of the bandwidth from now on. */
void sim_dram_leave(struct sim_dram *dram, double share);

/* Moves `bytes` to the chip. */
void sim_dram_read(struct sim_dram *dram, struct sim_way *w, uint64_t address,
                   uint32_t bytes, struct sim_request *r);
/* Hands the channel `bytes` of a line that had to go; whoever needs its frame
 * waits for it. */
void sim_dram_write(struct sim_dram *dram, struct sim_way *w, uint64_t address,
                    uint32_t bytes, struct sim_request *r);
/* Takes what an SM stores, where there is no L2. */
void sim_dram_store(struct sim_dram *dram, struct sim_way *w, uint64_t address,
                    uint32_t bytes, struct sim_request *r);

/* Bytes of the busiest channel, each time that SIM_SKEW_BYTES a channel have been
 * moved, and of all channels together. */
void sim_dram_bytes(const struct sim_dram *dram, uint64_t *most, uint64_t *sum);

#endif
