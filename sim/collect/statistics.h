/*
 * What a simulation (or a walk through the trace without a clock) found out
 * about one kernel: plain sums, no ratios.  Text, JSON, CSV and the analytical
 * models all read this struct.
 */
#ifndef TEG_SIM_COLLECT_STATISTICS_H
#define TEG_SIM_COLLECT_STATISTICS_H

#include "config/occupancy.h"
#include "isa/base/name.h"
#include "sim/collect/bins.h"
#include "sim/events.h"

enum {
    TEG_DEPENDENCE_MAX = 32,
};

/* Of one functional unit, summed over its instances and SMs. */
struct teg_unit_statistics {
    uint64_t issued;      /* warp instructions */
    uint64_t busy_cycles; /* instance-cycles inside an initiation interval */
    uint64_t load_cycles; /* sum over instructions of their execution
                              latency: the integral of the load */
    uint32_t peak_load;   /* most instructions in flight at once in one SM */
    uint32_t instances;   /* in the SMs that were simulated */
    /* The same over time, in bins of timeline_bin_cycles. */
    uint64_t busy_bin[TEG_TIMELINE_BINS];
    uint64_t load_bin[TEG_TIMELINE_BINS];
};

struct teg_class_statistics {
    uint64_t issued; /* warp instructions */
    uint64_t lanes;  /* active lanes, summed */
};

struct teg_memory_statistics {
    uint64_t global_requests; /* global and local, with an active lane */
    uint64_t global_loads, global_stores, global_atomics;
    uint64_t coalesced_requests; /* in the sense of sim_request.coalesced */
    uint64_t coalesced_transactions, uncoalesced_transactions;
    uint64_t transactions, bytes, useful_bytes;
    uint64_t load_bytes, store_bytes; /* of `bytes` */
    uint64_t shared_requests, shared_passes, shared_groups;
    uint64_t l1_sectors, l1_hits, l2_sectors, l2_hits;
    uint64_t dram_bytes;
    uint64_t independent_loads; /* global loads issued while the warp's
                                   previous global load's result had not been
                                   read: MWP-CWP's #Ind_mem_req */
    /* Groups of global requests that a warp issues before the first use of a
     * loaded value; a store is in the open group or one of its own.  Requests
     * per group are the throughput model's MSTR. */
    uint64_t access_groups;
};

struct teg_statistics {
    /* kernel */
    char name[TEG_NAME_MAX];
    uint32_t grid[3], block[3];
    uint32_t registers, shared_bytes, isa;
    uint64_t blocks;               /* executed */
    uint64_t warps;                /* executed */
    uint64_t warp_instructions;    /* executed, predicated-off ones included */
    uint64_t thread_instructions;  /* active lanes, summed */
    uint64_t barriers;             /* executed by warps */
    uint64_t unknown_instructions; /* of warp_instructions: default class */
    uint32_t unknown_opcodes;      /* distinct */
    char unknown_first[64];        /* one of them */
    struct teg_class_statistics class_[TEG_CLASSES];
    /* Warp instructions by the distance to the instruction before them in the
     * program that makes an operand, memory accesses aside; [0]: none within
     * TEG_DEPENDENCE_MAX.  What a loop's last round made is not seen. */
    uint64_t dependence[TEG_DEPENDENCE_MAX];
    struct teg_memory_statistics memory;

    /* chip */
    struct teg_occupancy occupancy;
    uint32_t sms;        /* simulated */
    uint32_t active_sms; /* that ran at least one block */

    /* time; 0 when the trace was only walked */
    int simulated;
    uint64_t cycles; /* of the whole launch */
    uint64_t resident_warp_cycles;
    uint64_t stall[TEG_STALLS]; /* warp-cycles */
    uint64_t channel_bytes_max; /* of the busiest DRAM channel */
    uint64_t channel_bytes_sum;
    uint32_t channels;

    uint32_t unit_count;
    uint64_t timeline_bin_cycles; /* width of a bin, a power of two */
    struct teg_unit_statistics unit[TEG_MAX_UNITS];
};

/*
 * The collector that fills it.  Listens to everything; `s` must outlive it.
 * After on_finish the statistics are complete but for the kernel's facts and
 * the occupancy, which the caller of the simulation fills in.
 */
struct collect_statistics;

teg_status collect_statistics_new(struct teg_statistics *s,
                                  struct collect_statistics **c,
                                  struct teg_diag *d);
void collect_statistics_free(struct collect_statistics *c);
struct sim_listener collect_statistics_listener(struct collect_statistics *c);
/* TEG_MEMORY if a sample had to be dropped since `new`. */
teg_status collect_statistics_check(const struct collect_statistics *c,
                                    struct teg_diag *d);

#endif
