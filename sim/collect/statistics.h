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

/* The members below that are counters are rows of counters.def, which says
 * what each means and is counted in. */
struct teg_unit_statistics { /* of all its instances */
#define PER_UNIT(type, field, shape, ...) type field shape;
#include "sim/collect/counters.def"
};

struct teg_class_statistics {
#define PER_CLASS(type, field, shape, ...) type field shape;
#include "sim/collect/counters.def"
};

struct teg_memory_statistics {
#define MEMORY(type, field, shape, ...) type field shape;
#include "sim/collect/counters.def"
};

struct teg_statistics {
    /* kernel */
    char name[TEG_NAME_MAX];
    uint32_t grid[3], block[3];
    uint32_t registers, shared_bytes, carveout, isa;
    char unknown_first[64]; /* one of the unknown opcodes */
#define KERNEL(type, field, shape, ...) type field shape;
#include "sim/collect/counters.def"
    struct teg_class_statistics class_[TEG_CLASSES];
    struct teg_memory_statistics memory;

    /* chip, and time: 0 when the trace was only walked */
    struct teg_occupancy occupancy;
    uint32_t channels;
    int simulated;
    /* What of the chip was felt (sim/engine/engine.h); of all SMs, whoever
     * listened; all bits of launches beside each other, whose it is not known. */
    uint32_t units_felt;
    uint64_t reading_cycles;
#define RUN(type, field, shape, ...) type field shape;
#include "sim/collect/counters.def"
#define PER_STALL(type, field, shape, ...) type field[TEG_STALLS];
#include "sim/collect/counters.def"

    uint32_t unit_count;
    uint64_t timeline_bin_cycles; /* width of a bin, a power of two */
    struct teg_unit_statistics unit[TEG_MAX_UNITS];
};

/* What the launch asked of an SM; threads that are not known: of a warp. */
static inline struct teg_block_asks teg_statistics_asks(
    const struct teg_statistics *s)
{
    uint32_t threads = s->block[0] * s->block[1] * s->block[2];

    return (struct teg_block_asks){
        .threads = threads != 0 ? threads : TEG_LANES,
        .registers = s->registers,
        .shared_bytes = s->shared_bytes,
        .carveout = s->carveout,
    };
}

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
/* The most registers that arithmetic reads of one bank, whatever stands by for
 * reuse; 0: what goes through queues or is a tensor product, which read
 * otherwise (sim/engine/operands.h). */
uint32_t collect_bank_ways(const struct teg_gpu *gpu,
                           const struct teg_inst *inst);
/* TEG_MEMORY if a sample had to be dropped since `new`. */
teg_status collect_statistics_check(const struct collect_statistics *c,
                                    struct teg_diag *d);

#endif
