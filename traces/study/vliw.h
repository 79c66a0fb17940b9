/*
 * How well a launch would fill a five-slot VLIW core, and which way its stores
 * would go.  (Zhang, Hu, Li and Peng 2011, "Performance and Power Analysis of
 * ATI GPU: A Statistical Approach", IV: Radeon HD 5870)
 *
 * Models: a thread processor issues bundles of up to five operations, four on
 * the ALUs x, y, z, w and one on t, which alone computes special functions and
 * conversions and otherwise takes what finds no ALU free.  Operations of a
 * clause - between memory instructions, barriers and branches - go, in their
 * order, into the first bundle behind those that write their sources which has
 * a slot free; an operation may overwrite what an operation of its own bundle
 * still reads.  The packing ratio is the share of slots filled.  A store goes
 * through the fast path unless it is atomic or narrower than 32 bits.
 * Time: bundles alone, evenly on the SIMD engines, 16 thread processors each, of
 * which each issues one a cycle (20 engines at 850 MHz: a Radeon HD 5870); and
 * what stores take by either path, where somebody says how fast these are.
 * Power: p for each slot of x, y, z, w filled, and a multiple of it for t,
 * upon a base.
 * Leaves out: doubles (two or four slots on the real chip), banks of the
 * register file, constants per bundle, and that the code was compiled for
 * another machine.
 */
#ifndef TEG_TRACES_STUDY_VLIW_H
#define TEG_TRACES_STUDY_VLIW_H

#include "traces/block/cursor.h"

enum {
    VLIW_SLOTS = 5,
    VLIW_ALUS = 4,             /* x, y, z, w */
    VLIW_CLAUSE_BUNDLES = 128, /* of a clause at most */
};

/* Of the warps of a launch; a warp instruction counts once. */
struct teg_vliw {
    uint64_t operations, bundles, clauses;
    uint64_t alu_slots, t_slots;         /* filled */
    uint64_t filled[VLIW_SLOTS + 1];     /* bundles with so many slots filled */
    uint64_t fetches, writes;            /* global memory, warp instructions */
    uint64_t fast_bytes, complete_bytes; /* written to global memory */
};

struct teg_vliw_power {
    double base_watts; /* P0 */
    double slot_watts; /* p: an ALU busy in every bundle */
    double t_ratio;    /* what t costs over an ALU: 2 as the text is read
                          here, 3 if "twice more" is meant literally (IV.C) */
};

struct teg_vliw_machine {
    double simds, processors; /* SIMD engines, thread processors of each */
    double clock_mhz;
    double fast_gbs, complete_gbs; /* of the paths of stores; 0: not known */
};

/* The one that the source measured; its clock is the vendor's. */
extern const struct teg_vliw_machine teg_vliw_hd5870;

/* Walks all blocks of `launch`, which it leaves open and at its end. */
teg_status teg_vliw_collect(struct teg_launch *launch, struct teg_vliw *v,
                            struct teg_diag *d);

/* Filled slots over all slots, 0 without bundles. */
double teg_vliw_packing(const struct teg_vliw *v);
/* base + p x (ALU slots + ratio x t slots) / bundles */
double teg_vliw_watts(const struct teg_vliw *v, const struct teg_vliw_power *p);
/* Microseconds that the bundles take at least. */
double teg_vliw_bundles_us(const struct teg_vliw *v,
                           const struct teg_vliw_machine *m);
/* Those of the stores, NAN if a path that they take is not known. */
double teg_vliw_stores_us(const struct teg_vliw *v,
                          const struct teg_vliw_machine *m);

#endif
