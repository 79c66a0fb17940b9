/*
 * The words engine, memory and collectors share.
 *
 * The engine announces; collectors add into plain data.  Nothing is read
 * back, so removing every listener changes no cycle.
 */
#ifndef TEG_SIM_EVENTS_H
#define TEG_SIM_EVENTS_H

#include "config/gpu.h"
#include "isa/inst/inst.h"

enum teg_stall {
#define STALL(name, kind, letter, label, help) STALL_##name,
#include "sim/stalls.def"
#undef STALL
    TEG_STALLS
};

/* How the engine knows of a stall: sim/stalls.def. */
enum teg_stall_kind {
    STALL_KIND_EVENT,
    STALL_KIND_RESULT,
    STALL_KIND_LATE,
    STALL_KIND_READING,
    STALL_KIND_REFUSAL,
    STALL_KIND_REST,
};

/* The reasons that last until a cycle known beforehand: [0, TEG_STALL_WAITS). */
enum {
    TEG_STALL_WAITS = 0
#define STALL(name, kind, letter, label, help) \
    +(STALL_KIND_##kind <= STALL_KIND_LATE)
#include "sim/stalls.def"
#undef STALL
};

/* Some of them wait for what an earlier instruction makes:
 * TEG_STALL_RESULTS from TEG_STALL_RESULT_FIRST on. */
enum {
    TEG_STALL_RESULTS = 0
#define STALL(name, kind, letter, label, help) \
    +(STALL_KIND_##kind == STALL_KIND_RESULT)
#include "sim/stalls.def"
#undef STALL
};

enum {
    TEG_STALL_RESULT_FIRST = 0
#define STALL(name, kind, letter, label, help) \
    +(STALL_KIND_##kind < STALL_KIND_RESULT)
#include "sim/stalls.def"
#undef STALL
};

/* What the memory system made of one request (one executed instruction). */
struct sim_request {
    uint8_t space; /* enum teg_space, generic resolved */
    uint8_t is_store, is_atomic;
    uint8_t is_float; /* atomic on floating-point numbers */
    uint8_t is_copy;  /* from or to shared memory, not registers */
    uint8_t is_bulk;  /* a copy that no warp waits with (bulk, tensor) */
    uint16_t active;  /* lanes */
    /* Of an atomic: lanes whose word a lane before them wants, too; operations
     * one after the other in slices of L2, updates of sectors and steps; those
     * of the transaction that has most. */
    uint16_t atomic_conflicts;
    uint32_t atomic_steps;
    uint8_t most_updates, most_steps;
    /* shared memory and shared operands; of a constant load, the different
     * addresses of its lanes, and 1 */
    uint32_t passes; /* of all conflict groups together */
    uint32_t groups; /* conflict groups with an active lane; the
                               conflict degree is passes / groups */
    /* global and local memory */
    uint32_t transactions; /* what coalescing made of it */
    uint32_t bytes;        /* moved by those transactions */
    uint32_t useful_bytes; /* asked for by the lanes */
    uint32_t l1_passes;    /* of a load through L1's busiest bank; 0: no rule */
    uint32_t l1_lines; /* of a load in the busiest bank of tags; 0: no rule */
    uint32_t l1_sectors, l1_hits; /* looked up / found; 0 without a cache */
    uint32_t l2_sectors, l2_hits;
    uint32_t l2_repeated; /* of them: for less than their bytes' time, because
                             a slice was asked for them just before */
    uint32_t l2_joined;   /* sectors not looked up there, for another SM had
                             them under way already */
    uint32_t dram_bytes;
    uint32_t lines_out;    /* or parts of one, that warps store beyond their SM,
                              and packets of atomics */
    uint32_t remote_bytes; /* of shared memory, to other blocks of the cluster
                              or from there */
    uint64_t kept_until; /* cycle: a store's lines have a place on the SM's way
                            out, and its block may leave */
    struct sim_stored *stored; /* borrowed: its warp's (memory/merge.h); NULL:
                                  none that counts */
    uint8_t coalesced;         /* one transaction per conflict-free group: what
                               MWP-CWP calls coalesced */
};

/* What the steps of an atomic are of. */
static inline enum teg_atomic_steps sim_request_steps(
    const struct sim_request *r)
{
    if (!r->is_float)
        return STEPS_INTEGERS;
    return r->atomic_conflicts != 0 ? STEPS_FLOATS_ON_A_WORD : STEPS_FLOATS;
}

/* Whether it goes to global or local memory, and so to caches and DRAM. */
static inline int sim_request_goes_out(const struct sim_request *r)
{
    return r->space != SPACE_SHARED && r->space != SPACE_CONST;
}

/* Adds what was moved, looked up and found for `more` of the same request. */
static inline void sim_request_add(struct sim_request *r,
                                   const struct sim_request *more)
{
    r->active = (uint16_t)(r->active + (r->is_atomic ? more->active : 0));
    r->atomic_steps += more->atomic_steps;
    r->transactions += more->transactions;
    r->bytes += more->bytes;
    r->useful_bytes += more->useful_bytes;
    r->l1_sectors += more->l1_sectors;
    r->l1_hits += more->l1_hits;
    r->l2_sectors += more->l2_sectors;
    r->l2_hits += more->l2_hits;
    r->l2_repeated += more->l2_repeated;
    r->l2_joined += more->l2_joined;
    r->lines_out += more->lines_out;
    r->dram_bytes += more->dram_bytes;
}

/* What an instruction found in the caches of constants; lines. */
struct sim_constant_finds {
    uint16_t lookups;  /* in the first one */
    uint16_t hits;     /* of them; some may still have been under way */
    uint16_t l15_hits; /* of what missed there: in the L1.5 */
};

/* One warp instruction issued. */
struct sim_issue {
    uint64_t cycle;
    uint64_t done;    /* cycle its result is usable (issue + EL) */
    uint64_t arrived; /* cycle since when the stalls below count: the cycle
                          after the warp's last issue, or its block's start */
    uint32_t sm, scheduler;
    uint32_t slot;    /* warp slot of the SM */
    uint64_t block;   /* running number of the block in this launch */
    uint32_t stream;  /* of the warp in its block */
    uint32_t warp_id; /* of the warp in its block, as the trace names it */
    uint32_t inst;    /* index into the program */
    uint32_t mask;
    uint8_t op_class;
    uint8_t unit;        /* index into gpu->unit */
    uint8_t others;      /* SMs whose unit takes it, too: a product of a pair's
                            second */
    uint32_t interval;   /* ML, of its shape */
    uint32_t queued;     /* cycles until the unit begins with it */
    uint32_t busy;       /* then, that it is taken (ML, lengthened) */
    uint64_t operations; /* of a product of tensor memory; others' are in the
                            text of the instruction */
    uint32_t lines;      /* cycles from issue on that gpu->tag_unit is taken */
    uint32_t factors;    /* 1/256 cycle of the data stage, for what a product
                          reads in shared memory */
    uint32_t stall[TEG_STALLS]; /* cycles; they sum to cycle - arrived */
    struct sim_constant_finds constants;
    const struct sim_request *request; /* NULL: touched no memory */
};

/* A collector's ear.  Members may be NULL: not interested. */
struct sim_listener {
    void *self;
    /* Before the first cycle. `program` may grow as blocks arrive. */
    void (*on_start)(void *self, const struct teg_gpu *gpu,
                     const struct teg_program *program, uint32_t sms);
    void (*on_issue)(void *self, const struct sim_issue *issue);
    /* A block got its place; `warps` streams. */
    void (*on_block_start)(void *self, uint64_t cycle, uint32_t sm,
                           uint64_t block, uint32_t warps);
    void (*on_block_end)(void *self, uint64_t cycle, uint32_t sm,
                         uint64_t block);
    /* `cycles`: of the whole launch. */
    void (*on_finish)(void *self, uint64_t cycles);
    /* Both or neither: neither wants all instructions in the order of issue.
     * `split`, after on_start, returns a part to hear instructions of some SMs
     * on another host thread, or NULL out of memory; `join`, before on_finish,
     * adds what it heard and frees it.  An SM's instructions come in their
     * order and to one at a time, other SMs' meanwhile; blocks are announced
     * to the whole, with no regard to instructions. */
    void *(*split)(void *self);
    void (*join)(void *self, void *part);
};

struct teg_stall_facts {
    enum teg_stall_kind kind;
    char letter;
    const char *label, *help;
};

const struct teg_stall_facts *teg_stall_facts(enum teg_stall s);
const char *teg_stall_label(enum teg_stall s);
const char *teg_stall_help(enum teg_stall s);

static inline int teg_stall_is_result(enum teg_stall s)
{
    return (int)s >= TEG_STALL_RESULT_FIRST &&
           (int)s < TEG_STALL_RESULT_FIRST + TEG_STALL_RESULTS;
}

#endif
