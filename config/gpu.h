/*
 * A GPU as the simulator sees it: plain data, filled and validated from a
 * description (config/<name>.cfg, docs/gpu-description.md), read by everyone,
 * changed by nobody but the what-ifs, which work on a copy.
 *
 * All cycles are cycles of chip.sm_clock_mhz.  Most functions stand in
 * include/teg/gpu.h, for users see them too.
 */
#ifndef TEG_CONFIG_GPU_H
#define TEG_CONFIG_GPU_H

#include "config/power.h"
#include "include/teg/gpu.h"
#include "isa/base/status.h"
#include "isa/inst/op_class.h"

enum {
    TEG_MAX_UNITS = 16,
    TEG_QUEUE_MAX = 64, /* of a unit, for a scheduler */
    TEG_NO_UNIT = 255,
    TEG_MAX_CARVEOUTS = 16,
    /* Of L1 and L2, on every chip described that has caches: Fermi to Hopper.
     * (CUDA programming guides; GPGPU-Sim's and Accel-Sim's configurations)
     * No keys: masks of four sectors and of 32 words are built on them. */
    TEG_LINE_BYTES = 128,
    TEG_SECTOR_BYTES = 32,
};

/* Which ready warp a scheduler issues from.  (Lai 2013, 3.5, names round
 * robin; the others are those of the literature.) */
enum teg_policy {
    POLICY_LRR,    /* loose round robin: the next warp in slot order that is
                      ready */
    POLICY_STRICT, /* strict round robin: only the next unfinished warp in
                      slot order */
    POLICY_GTO,    /* greedy, then oldest */
    POLICY_GTY,    /* greedy, then youngest */
    POLICY_OLDEST, /* oldest ready warp */
    POLICY_LRI,    /* least recently issued */
    POLICY_GLRI,   /* greedy, then least recently issued */
    POLICY_BLRI,   /* oldest block, in it least recently issued */
    POLICY_GBLRI,  /* greedy, then as POLICY_BLRI */
};

enum teg_dependences {
    DEPENDENCES_SCOREBOARD, /* hardware tracks source registers */
    DEPENDENCES_CONTROL,    /* the compiler's control codes, where known */
};

enum teg_register_scope {
    REGISTER_SCOPE_WARP,  /* registers are rounded per warp */
    REGISTER_SCOPE_BLOCK, /* registers are rounded per block */
};

/* How registers are dealt to banks.  (Huerta 2025, 4; Lai 2013, 4.2.3) */
enum teg_register_banks {
    REGISTER_BANKS_NONE,
    REGISTER_BANKS_PARITY, /* two: even and odd numbers */
    REGISTER_BANKS_KEPLER, /* four: parity, and which half of eight */
};

/* The bank of register R<reg>; no rule: all in one. */
static inline uint32_t teg_register_bank(enum teg_register_banks rule,
                                         uint32_t reg)
{
    if (rule == REGISTER_BANKS_KEPLER)
        return reg % 2 + (reg % 8 < 4 ? 0 : 2);
    return rule == REGISTER_BANKS_PARITY ? reg % 2 : 0;
}

enum teg_broadcast {
    BROADCAST_ANY,   /* every word of a pass reaches all lanes that want it */
    BROADCAST_ONE,   /* one word per pass may go to several lanes */
    BROADCAST_IDEAL, /* what-if: no conflicts at all */
};

/* Rules by compute capability (shared/hardware: CUDA programming guides). */
enum teg_coalescing {
    COALESCING_CC10,    /* half warp, strict order, else one per lane */
    COALESCING_CC12,    /* half warp, segments of 32/64/128 bytes, shrunk */
    COALESCING_LINES,   /* warp, distinct 128-byte lines (Fermi with L1) */
    COALESCING_SECTORS, /* warp, 32-byte sectors under 128-byte tags */
    COALESCING_IDEAL,   /* what-if: the bytes wanted, packed */
};

/* (Hong 2012, Eq. 48 and 3.11.1) */
enum teg_core_scaling {
    CORE_SCALING_LINEAR,
    CORE_SCALING_LOG,
};

enum teg_table7 {
    TABLE7_RESOLVED, /* power_use.def's first column */
    TABLE7_PRINTED,  /* its second */
};

/* Blocks go to SMs 0, 1, 2, ...: where SMs are numbered strided, one to each
 * cluster first. */
enum teg_cluster_numbering {
    CLUSTER_NUMBERING_ADJACENT, /* SM i is in cluster i / SMs per cluster */
    CLUSTER_NUMBERING_STRIDED,  /* in cluster i mod clusters */
};

enum teg_unit_scope {
    UNIT_SCOPE_SCHEDULER, /* one set for each scheduler */
    UNIT_SCOPE_SM,        /* one set for the SM */
};

/* A functional unit, or `count` equal ones. */
struct teg_unit {
    char name[16];
    enum teg_unit_scope scope;
    uint32_t count;    /* instances per scope */
    uint32_t capacity; /* warp instructions in flight per instance, 0: any */
    uint32_t queue;    /* that a scheduler may have waiting for an instance */
};

/* "1 per SM, capacity 0" */
void teg_unit_text(const struct teg_unit *unit, char *text, size_t size);

/* The three latencies of an operation class.  (Lai 2013, 3.2.2.1) */
struct teg_timing {
    uint8_t unit_count; /* 1 or 2 */
    uint8_t unit[2];    /* first free one is taken, in this order */
    uint32_t latency;   /* EL, cycles: issue until the result is usable */
    uint32_t interval;  /* ML, cycles until the unit takes the next */
    uint32_t same_warp; /* SL, cycles until the same warp may issue */
};

/* One value as the description gave it, for `teg gpus NAME`. */
struct teg_fact {
    char key[64];   /* "sm.warps_max", "timing.fadd" */
    char value[64]; /* "32", "sp 24 4 8" */
    char unit[16];
    char source[192]; /* "M Lai13 T3.1"; "" for a fallback */
    char where[96];   /* "gtx280.cfg:31"; "" for a fallback */
};

struct teg_gpu {
    char name[32];  /* "gtx280" */
    char title[96]; /* "GeForce GTX 280 (GT200)" */
    /* How far times were from measured ones, and of what: "44 launches of two
     * kernels: 9.4 % off in the mean"; "": no times were compared. */
    char compared[160];
    /* Traces of this compute capability x10 are replayed on this GPU unless
     * another is asked for; 0: of none. */
    uint32_t default_for;

#define GROUP(group)                                               struct {
#define NUMBER(group, field, type, min, max, fallback, unit, help) type field;
#define CHOICE(group, field, table, fallback, help)                uint32_t field;
#define END(group) \
    }              \
    group;
#include "config/params.def"
#undef GROUP
#undef NUMBER
#undef CHOICE
#undef END

    /* What the driver may set aside of l1.unified_bytes for shared memory,
     * bytes, rising. */
    uint32_t carveout_count;
    uint32_t carveout[TEG_MAX_CARVEOUTS];

    uint32_t unit_count;
    struct teg_unit unit[TEG_MAX_UNITS];
    /* Every class is filled: by its own row or its fallback's. */
    struct teg_timing timing[TEG_CLASSES];
    /* Unit whose port a memory operand of arithmetic also takes (GT200's
     * shared memory), index into `unit`, or TEG_NO_UNIT. */
    uint8_t operand_unit;
    /* Unit that looks up the lines of global and local accesses, besides the
     * class's own, which then only moves their data; or TEG_NO_UNIT. */
    uint8_t tag_unit;
    /* Slow-down of computation by class, 1 where the description says
     * nothing.  (Hong 2012, Table 6) */
    double m_factor[TEG_CLASSES];

    /* Components of the power model; none given: no power section. */
    struct teg_power_unit power_unit[TEG_POWER_UNITS];
    /* Components that a class accesses, 1 << enum teg_power_unit_id; 0:
     * teg_power_use_default. */
    uint32_t power_use[TEG_CLASSES];

    struct teg_fact *fact; /* owned, [fact_count], in the order of params.def */
    uint32_t fact_count;
};

/* The chip at another clock: what DRAM takes stays in time, which is its bandwidth,
 * its turns, and of its latency what lies behind L2 (all of it where there is
 * none); everything else stays in cycles. */
teg_status teg_gpu_set_clock(struct teg_gpu *gpu, const char *mhz,
                             struct teg_diag *d);

enum {
    TEG_GPU_PAIR_SIZE = 256 /* of a "KEY=VALUE", with the NUL */
};

/* teg_gpu_set of "KEY=VALUE", which ends where its line does. */
teg_status teg_gpu_set_pair(struct teg_gpu *gpu, const char *pair,
                            struct teg_diag *d);

/* teg_gpu_set as a sweep means it: a chip of fewer warps (sm.warps_max) has room
 * for no more threads than those, so who varies the one need not vary the
 * rest. */
teg_status teg_gpu_vary(struct teg_gpu *gpu, const char *key, const char *value,
                        struct teg_diag *d);

/* Clusters of SMs (TPCs), and the one that SM `sm` is of. */
static inline uint32_t teg_gpu_clusters(const struct teg_gpu *gpu)
{
    uint32_t each = gpu->chip.sms_per_cluster;

    return (gpu->chip.sms + each - 1) / each;
}

static inline uint32_t teg_gpu_cluster_of(const struct teg_gpu *gpu,
                                          uint32_t sm)
{
    return gpu->chip.cluster_numbering == CLUSTER_NUMBERING_STRIDED
               ? sm % teg_gpu_clusters(gpu)
               : sm / gpu->chip.sms_per_cluster;
}

static inline uint32_t teg_gpu_tpcs(const struct teg_gpu *gpu)
{
    uint32_t each = gpu->chip.sms_per_tpc;

    return (gpu->chip.sms + each - 1) / each;
}

/* Groups (GPCs) have SMs of successive numbers and whole TPCs, as many as one
 * another or one more.  The group that SM `sm` is of, and the first SM of a
 * group, or of what lies behind the last. */
static inline uint32_t teg_gpu_group_of(const struct teg_gpu *gpu, uint32_t sm)
{
    uint32_t tpc = sm / gpu->chip.sms_per_tpc;
    uint32_t group = tpc * gpu->chip.gpcs / teg_gpu_tpcs(gpu);

    return group < gpu->chip.gpcs ? group : gpu->chip.gpcs - 1;
}

static inline uint32_t teg_gpu_group_begin(const struct teg_gpu *gpu,
                                           uint32_t group)
{
    uint32_t groups = gpu->chip.gpcs;
    uint32_t tpc = (group * teg_gpu_tpcs(gpu) + groups - 1) / groups;
    uint32_t first = tpc * gpu->chip.sms_per_tpc;

    return first < gpu->chip.sms ? first : gpu->chip.sms;
}

/* What the steps of an atomic are of. */
enum teg_atomic_steps {
    STEPS_INTEGERS,
    STEPS_FLOATS,
    STEPS_FLOATS_ON_A_WORD, /* of several lanes */
    ATOMIC_STEPS,
};

/* Cycles that L2's farther half is beyond the nearer; 0 where it is one. */
static inline uint32_t teg_gpu_halves_apart(const struct teg_gpu *gpu)
{
    if (gpu->l2.bytes == 0 || gpu->l2.far_latency == 0)
        return 0;
    return gpu->l2.far_latency - gpu->l2.latency;
}

/* What DRAM reaches, GB/s; 0: no limit. */
static inline double teg_gpu_dram_gbs(const struct teg_gpu *gpu)
{
    return gpu->dram.reached_gbs > 0 ? gpu->dram.reached_gbs
                                     : gpu->dram.bandwidth_gbs;
}

/* Cycles that a slice of L2 takes for a step of atomics; 0 where they do not
 * come there. */
static inline double teg_gpu_atomic_interval(const struct teg_gpu *gpu,
                                             enum teg_atomic_steps of)
{
    if (gpu->l2.bytes == 0 || gpu->l1.always_hits)
        return 0;
    if (of == STEPS_FLOATS_ON_A_WORD && gpu->l2.atomic_float_word_interval > 0)
        return gpu->l2.atomic_float_word_interval;
    return of != STEPS_INTEGERS && gpu->l2.atomic_float_interval > 0
               ? gpu->l2.atomic_float_interval
               : gpu->l2.atomic_interval;
}

/* Cycles that it takes to update a sector, where atomics go by sectors; else 0:
 * all of a transaction is steps. */
static inline double teg_gpu_atomic_update(const struct teg_gpu *gpu,
                                           int is_float)
{
    double of_float = is_float ? gpu->l2.atomic_float_interval : 0;

    if (gpu->l2.bytes == 0 || gpu->l1.always_hits ||
        gpu->l2.atomic_sector_interval == 0)
        return 0;
    return of_float > gpu->l2.atomic_sector_interval
               ? of_float
               : gpu->l2.atomic_sector_interval;
}

/* As teg_gpu_load, with families and includes of the file from `directory`,
 * where it has none beside it. */
teg_status teg_gpu_load_beside(const char *path, const char *directory,
                               struct teg_gpu **gpu, struct teg_diag *d);

#endif
