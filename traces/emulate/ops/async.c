/*
 * Hopper's barriers in shared memory and the bulk copies that report to them.
 *
 * The 64 bits of such a barrier, as code that makes one writes them: the count
 * of arrivals of a phase, negative, in bits 20:1; the same of arrivals still
 * to come in bits 62:43; bit 63 turns over with each phase.  Bytes still to
 * come are kept in bits 42:21 here.  A phase ends when neither is left.
 * Copies are carried out at once.
 */
#include "traces/emulate/core/access.h"
#include "traces/emulate/core/values.h"

enum {
    COUNT_BITS = 20,
    BYTES_BITS = 22,
    BYTES_AT = 21,
    LEFT_AT = 43,
    PHASE_AT = 63
};

static uint64_t field(uint64_t word, unsigned at, unsigned bits)
{
    return word >> at & ((UINT64_C(1) << bits) - 1);
}

static void set_field(uint64_t *word, unsigned at, unsigned bits, uint64_t v)
{
    uint64_t ones = ((UINT64_C(1) << bits) - 1) << at;

    *word = (*word & ~ones) | (v << at & ones);
}

/* Where a shared address lies in generic space.  `anywhere`: it has the rank of
 * a block of the cluster, else it is the block's own. */
static uint64_t generic_of(const struct emu_warp *w, uint64_t at, int anywhere)
{
    if (!anywhere)
        at = (at & (EMU_WINDOW_BYTES - 1)) | (uint64_t)w->block->rank
                                                 << EMU_RANK_BIT;
    return EMU_SHARED_WINDOW + (uint32_t)at;
}

static uint64_t *barrier_at(struct emu_warp *w, const struct emu_op *op,
                            int lane, uint64_t at, int anywhere)
{
    return emu_generic(w, op, lane, generic_of(w, at, anywhere), 8);
}

/* Adds arrivals and expected bytes, and ends the phase if that was all. */
static void note(struct emu_warp *w, uint64_t *barrier, unsigned arrivals,
                 int64_t bytes)
{
    uint64_t word = *barrier, left = field(word, LEFT_AT, COUNT_BITS);

    left = (left + arrivals) & ((1u << COUNT_BITS) - 1);
    set_field(&word, LEFT_AT, COUNT_BITS, left);
    set_field(&word, BYTES_AT, BYTES_BITS,
              field(word, BYTES_AT, BYTES_BITS) + (uint64_t)bytes);
    if (left == 0 && field(word, BYTES_AT, BYTES_BITS) == 0) {
        set_field(&word, LEFT_AT, COUNT_BITS, field(word, 1, COUNT_BITS));
        word ^= UINT64_C(1) << PHASE_AT;
    }
    *barrier = word;
    w->block->gang->progress++;
}

/* .EXCH: the uniform register's 64 bits for what stands there. */
static void exchange(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    unsigned number = emu_bits(op, 29, 24);
    uint64_t at = (uint64_t)(op->m != NULL ? op->m->value : 0);
    uint64_t old[EMU_LANES], *barrier;

    at += number < TEG_SASS_URZ ? w->r[EMU_UNIFORM_ROW + number][0] : 0;
    barrier = barrier_at(w, op, __builtin_ctz(mask), at, 0);
    if (barrier == NULL)
        return;
    LANES old[l] = *barrier;
    *barrier =
        (uint64_t)emu_row(w, op->b, 1)[0] << 32 | emu_row(w, op->b, 0)[0];
    w->block->gang->progress++;
    emu_value_all(w, 0, emu_shared_offset(at));
    emu_value_all(
        w, 1, (0 - field(*barrier, 1, COUNT_BITS)) & ((1u << COUNT_BITS) - 1));
    emu_write64(w, op->d, mask, old);
}

/* One thread's .ARRIVE with `count` in its register: how many arrivals and
 * bytes that is (86:84); .OPTOUT (75): it comes in no later phase either. */
static void arrive(struct emu_warp *w, uint64_t *barrier,
                   const struct emu_op *op, int lane, uint32_t count)
{
    static const struct {
        int8_t arrivals, bytes; /* 1: so many, of the register if `from` */
        int8_t from;
    } modes[8] = {
        [0] = {1, 1, 0},  /* expects bytes, and arrives */
        [1] = {1, 0, 0},  /* A1T0 */
        [3] = {0, 1, 0},  /* A0TR */
        [4] = {0, -1, 0}, /* A0TX: they have come */
        [5] = {1, 0, 1},  /* ART0 */
    };
    unsigned mode = emu_bits(op, 86, 84);
    unsigned arrivals =
        modes[mode].from ? count : (unsigned)modes[mode].arrivals;

    int64_t bytes = modes[mode].bytes * (int64_t)count;

    emu_value(w, 1, lane,
              arrivals | (emu_bit(op, 75) ? (uint64_t)arrivals << 32 : 0));
    emu_value(w, 2, lane, (uint64_t)bytes);
    if (emu_bit(op, 75))
        set_field(barrier, 1, COUNT_BITS,
                  field(*barrier, 1, COUNT_BITS) + arrivals);
    note(w, barrier, arrivals, bytes);
}

/* Whether the phase that the lane's `state` tells has ended, as a mask. */
static uint32_t check(struct emu_warp *w, int lane, uint64_t barrier,
                      uint32_t state)
{
    uint32_t parity = state >> 31, ended = barrier >> PHASE_AT != parity;

    emu_value(w, 1, lane, ended ? parity : 2);
    return ended << lane;
}

EXEC(syncs)
{
    uint64_t at[EMU_LANES], state[EMU_LANES] = {0};
    const uint32_t *b = emu_row(w, op->b, 0);
    unsigned code = emu_bits(op, 11, 0);
    int checks = code == 0x5a7;
    uint32_t ended = 0;

    if (code == 0x5b2) {
        exchange(w, op, mask);
        return;
    }
    emu_addresses(w, op->m, at);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        /* .RED (74): the barrier may be another block's. */
        uint64_t *barrier =
            barrier_at(w, op, l, at[l], code == 0x9a7 && emu_bit(op, 74));

        if (barrier == NULL)
            return;
        state[l] = *barrier;
        emu_value(w, 0, l, emu_shared_offset(at[l]));
        if (checks)
            ended |= check(w, l, *barrier, b[l]);
        else if (code == 0x9a7)
            arrive(w, barrier, op, l, b[l]);
    }
    if (checks)
        emu_write_predicate(w, op->u, mask, ended);
    else
        emu_write64(w, op->d, mask, state);
}

/* ---- copies ------------------------------------------------------------------ */

static uint64_t uniform_at(const struct emu_warp *w, unsigned number)
{
    return number < TEG_SASS_URZ ? w->r[EMU_UNIFORM_ROW + number][0] : 0;
}

static uint64_t uniform_pair(const struct emu_warp *w, unsigned number)
{
    return uniform_at(w, number) | uniform_at(w, number + 1) << 32;
}

enum {
    PIECE = 16, /* bytes */
};

/* Generic address `from` to `to`; 0 after a fault. */
static int copy_pieces(struct emu_warp *w, const struct emu_op *op, int lane,
                       uint64_t to, uint64_t from, uint32_t pieces)
{
    for (uint32_t i = 0; i < pieces; i++) {
        uint8_t piece[PIECE];
        const void *f = emu_generic(w, op, lane, from + PIECE * i, PIECE);
        void *t;

        if (f == NULL)
            return 0;
        memcpy(piece, f, PIECE);
        t = emu_generic(w, op, lane, to + PIECE * i, PIECE);
        if (t == NULL)
            return 0;
        memcpy(t, piece, PIECE);
    }
    return 1;
}

/* The copy into one block's shared memory and what its barrier hears of it. */
static int copy_in(struct emu_warp *w, const struct emu_op *op, int lane,
                   uint64_t to, uint64_t from, uint32_t pieces,
                   uint64_t barrier)
{
    uint64_t *b = barrier_at(w, op, lane, barrier, 1);

    if (b == NULL ||
        !copy_pieces(w, op, lane, generic_of(w, to, 1), from, pieces))
        return 0;
    note(w, b, 0, -(int64_t)pieces * PIECE);
    return 1;
}

static uint64_t with_rank(uint64_t at, unsigned rank)
{
    return (at & (EMU_WINDOW_BYTES - 1)) | (uint64_t)rank << EMU_RANK_BIT;
}

/* For the trace: where the block's own shared memory is read or written, from
 * or to where, and who hears of it; in a cluster nobody (values.h). */
static void note_copy(struct emu_warp *w, unsigned form, uint64_t shared,
                      uint64_t global, uint64_t bytes, uint64_t barrier)
{
    int heard = form != 2 && w->block->cluster_blocks == 1;

    emu_value_all(w, 0, emu_shared_offset(shared));
    emu_value_all(w, 1, global);
    emu_value_all(w, 2, bytes);
    emu_value_all(w, 3, heard ? emu_shared_offset(barrier) : ~UINT64_C(0));
}

/* [to, barrier], [from], 16-byte pieces in the lower half, and for .MULTICAST
 * the blocks of the cluster in the upper one: by one thread, carried out at
 * once.  75:73 tells which side is shared memory. */
EXEC(ublkcp)
{
    unsigned to = emu_bits(op, 37, 32), from = emu_bits(op, 29, 24);
    unsigned form = emu_bits(op, 75, 73);
    uint32_t count = emu_row(w, op->c, 0)[0], pieces = count & 0xffff;
    uint64_t target = uniform_at(w, to), barrier = uniform_at(w, to + 1);
    int lane = __builtin_ctz(mask);

    note_copy(w, form, form == 2 ? uniform_at(w, from) : target,
              form == 3   ? ~UINT64_C(0)
              : form == 2 ? uniform_pair(w, to)
                          : uniform_pair(w, from),
              (uint64_t)pieces * PIECE, barrier);
    if (form == 2) { /* .G.S: whoever waits for the group finds it done */
        copy_pieces(w, op, lane, uniform_pair(w, to),
                    generic_of(w, uniform_at(w, from), 0), pieces);
        return;
    }
    if (form == 3) { /* .S.S */
        copy_in(w, op, lane, target, generic_of(w, uniform_at(w, from), 0),
                pieces, barrier);
        return;
    }
    if (form == 1) {
        copy_in(w, op, lane, target, uniform_pair(w, from), pieces, barrier);
        return;
    }
    for (uint32_t rest = count >> 16; rest != 0; rest &= rest - 1) {
        unsigned rank = (unsigned)__builtin_ctz(rest);

        if (!copy_in(w, op, lane, with_rank(target, rank),
                     uniform_pair(w, from), pieces, with_rank(barrier, rank)))
            return;
    }
}

/* Stores into the cluster's shared memory and tells a barrier there: a register
 * pair of where and which barrier. */
EXEC(stas)
{
    static const unsigned words_of[8] = {[4] = 1, [5] = 2, [6] = 4};
    unsigned words = words_of[emu_bits(op, 75, 73)], reg = op->m->reg;

    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint64_t at = w->r[reg][l] + (uint64_t)op->m->value, *barrier;
        uint32_t value[4];
        void *to = emu_generic(w, op, l, generic_of(w, at, 1), 4 * words);

        if (to == NULL)
            return;
        for (unsigned i = 0; i < words; i++)
            value[i] = emu_row(w, op->b, i)[l];
        memcpy(to, value, 4 * (size_t)words);
        barrier = barrier_at(w, op, l, w->r[reg + 1][l], 1);
        if (barrier == NULL)
            return;
        note(w, barrier, 0, -(int64_t)(4 * words));
    }
}

EXEC(nothing)
{
    (void)w, (void)op, (void)mask;
}

const struct emu_row_of EMU_TABLE(async)[] = {
    {"SYNCS", syncs},    {"UBLKCP", ublkcp},
    {"UBLKPF", nothing}, /* into the L2 cache */
    {"STAS", stas},      {0},
};
