/*
 * Barriers in shared memory, as SYNCS and what copies tell them share them.
 *
 * The 64 bits of such a barrier, as code that makes one writes them: the count
 * of arrivals of a phase, negative, in bits 20:1; the same of arrivals still
 * to come in bits 62:43; bit 63 turns over with each phase.  Bytes still to
 * come are kept in bits 42:21 here.  A phase ends when neither is left.
 */
#ifndef TEG_TRACES_EMULATE_OPS_MBARRIER_H
#define TEG_TRACES_EMULATE_OPS_MBARRIER_H

#include "traces/emulate/core/access.h"
#include "traces/emulate/core/barriers.h"
#include "traces/emulate/core/values.h"

enum {
    MBARRIER_COUNT_BITS = 20,
    MBARRIER_BYTES_BITS = 22,
    MBARRIER_BYTES_AT = 21,
    MBARRIER_LEFT_AT = 43,
    MBARRIER_PHASE_AT = 63
};

static inline uint64_t emu_field(uint64_t word, unsigned at, unsigned bits)
{
    return word >> at & ((UINT64_C(1) << bits) - 1);
}

static inline void emu_set_field(uint64_t *word, unsigned at, unsigned bits,
                                 uint64_t v)
{
    uint64_t ones = ((UINT64_C(1) << bits) - 1) << at;

    *word = (*word & ~ones) | (v << at & ones);
}

/* Where a shared address lies in generic space.  `anywhere`: it has the rank of
 * a block of the cluster, else it is the block's own. */
static inline uint64_t emu_shared_generic(const struct emu_warp *w, uint64_t at,
                                          int anywhere)
{
    if (!anywhere)
        at = (at & (EMU_WINDOW_BYTES - 1)) | (uint64_t)w->block->rank
                                                 << EMU_RANK_BIT;
    return EMU_SHARED_WINDOW + (uint32_t)at;
}

static inline uint64_t *emu_mbarrier_at(struct emu_warp *w,
                                        const struct emu_op *op, int lane,
                                        uint64_t at, int anywhere)
{
    return emu_generic(w, op, lane, emu_shared_generic(w, at, anywhere), 8,
                       EMU_UPDATE);
}

/* Adds arrivals and expected bytes, and ends the phase if that was all. */
static inline void emu_mbarrier_note(struct emu_warp *w, uint64_t *barrier,
                                     unsigned arrivals, int64_t bytes)
{
    uint64_t word = *barrier,
             left = emu_field(word, MBARRIER_LEFT_AT, MBARRIER_COUNT_BITS);

    left = (left + arrivals) & ((1u << MBARRIER_COUNT_BITS) - 1);
    emu_set_field(&word, MBARRIER_LEFT_AT, MBARRIER_COUNT_BITS, left);
    emu_set_field(&word, MBARRIER_BYTES_AT, MBARRIER_BYTES_BITS,
                  emu_field(word, MBARRIER_BYTES_AT, MBARRIER_BYTES_BITS) +
                      (uint64_t)bytes);
    if (left == 0 &&
        emu_field(word, MBARRIER_BYTES_AT, MBARRIER_BYTES_BITS) == 0) {
        emu_set_field(&word, MBARRIER_LEFT_AT, MBARRIER_COUNT_BITS,
                      emu_field(word, 1, MBARRIER_COUNT_BITS));
        word ^= UINT64_C(1) << MBARRIER_PHASE_AT;
        emu_tell_who_awaits(w, barrier);
    }
    *barrier = word;
    w->block->gang->progress++;
}

/* ---- uniform registers and ranks, as copies have them ----------------------- */

static inline uint64_t emu_uniform_at(const struct emu_warp *w, unsigned number)
{
    return number < EMU_NO_UNIFORM ? w->r[EMU_UNIFORM_ROW + number][0] : 0;
}

static inline uint64_t emu_uniform_pair(const struct emu_warp *w,
                                        unsigned number)
{
    return emu_uniform_at(w, number) | emu_uniform_at(w, number + 1) << 32;
}

static inline uint64_t emu_with_rank(uint64_t at, unsigned rank)
{
    return (at & (EMU_WINDOW_BYTES - 1)) | (uint64_t)rank << EMU_RANK_BIT;
}

/* The mbarrier that hears of a copy, as traces have it (isa/inst/values.def);
 * `ranks`: those of each of these blocks, 0: that of the address. */
static inline uint64_t emu_mbarrier_value(const struct emu_block *b,
                                          uint64_t at, uint32_t ranks)
{
    uint64_t value =
        ranks != 0 ? emu_shared_offset(at) : emu_cluster_offset(b, at);

    for (; ranks != 0; ranks &= ranks - 1)
        value |= UINT64_C(1)
                 << (32 + emu_rank_behind(b, (uint64_t)__builtin_ctz(ranks)
                                                 << EMU_RANK_BIT));
    return value;
}

/* And of those blocks the ones whose mbarriers hear of two copies. */
static inline uint64_t emu_mbarrier_twice(const struct emu_block *b,
                                          uint32_t ranks)
{
    uint64_t value = emu_mbarrier_value(b, 0, ranks);

    return ranks != 0 ? value >> 32 << 48 : 0;
}

/* .LDGSTSBAR: arrives when the thread's copies are there, which they are: an
 * arrival (71:70, from sm_100 on 77:76, is 1, .noinc), or what A0T1 has announced
 * (2). */
static inline void emu_arrive_copies(struct emu_warp *w,
                                     const struct emu_op *op, uint32_t mask)
{
    unsigned counts =
        op->cc >= 100 ? emu_bits(op, 77, 76) : emu_bits(op, 71, 70);
    unsigned arrivals = counts == 1;
    int64_t bytes = counts == 2 ? -1 : 0;
    uint64_t at[EMU_LANES];

    if (counts != 1 && counts != 2) {
        emu_fault(w, op, -1, TEG_LIMIT, "this form is not emulated");
        return;
    }
    emu_addresses(w, op->m, at);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint64_t *barrier;

        if (at[l] != at[__builtin_ctz(mask)]) {
            emu_fault(w, op, l, TEG_LIMIT,
                      "lanes that arrive at several mbarriers are not "
                      "emulated");
            return;
        }
        barrier = emu_mbarrier_at(w, op, l, at[l], 0);
        if (barrier == NULL)
            return;
        emu_value(w, 0, l, emu_shared_offset(at[l]));
        emu_value(w, 1, l, arrivals);
        emu_value(w, 2, l, (uint64_t)bytes);
        emu_mbarrier_note(w, barrier, arrivals, bytes);
    }
}

#endif
