/*
 * Hopper's barriers in shared memory and the bulk copies that report to them.
 *
 * The 64 bits of such a barrier, as code that makes one writes them: the count
 * of arrivals of a phase, negative, in bits 20:1; the same of arrivals still
 * to come in bits 62:43; bit 63 turns over with each phase.  Bytes still to
 * come are kept in bits 42:21 here.  A phase ends when neither is left.
 * Copies are carried out at once.
 */
#include "traces/emulate/operand.h"

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

static uint64_t *barrier_at(struct emu_warp *w, const struct emu_op *op,
                            int lane, uint64_t at)
{
    return emu_generic(w, op, lane,
                       EMU_SHARED_WINDOW + (at & (EMU_WINDOW_BYTES - 1)), 8);
}

/* Adds arrivals and expected bytes, and ends the phase if that was all. */
static void note(uint64_t *barrier, unsigned arrivals, int64_t bytes)
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
}

/* .EXCH: the uniform register's 64 bits for what stands there. */
static void exchange(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    unsigned number = emu_bits(op, 29, 24);
    uint64_t at = (uint64_t)(op->m != NULL ? op->m->value : 0);
    uint64_t old[EMU_LANES], *barrier;

    at += number < TEG_SASS_URZ ? w->r[EMU_UNIFORM_ROW + number][0] : 0;
    barrier = barrier_at(w, op, __builtin_ctz(mask), at);
    if (barrier == NULL)
        return;
    LANES old[l] = *barrier;
    *barrier =
        (uint64_t)emu_row(w, op->b, 1)[0] << 32 | emu_row(w, op->b, 0)[0];
    emu_write64(w, op->d, mask, old);
}

EXEC(syncs)
{
    uint64_t at[EMU_LANES], state[EMU_LANES] = {0};
    const uint32_t *b = emu_row(w, op->b, 0);
    int checks = emu_bits(op, 11, 0) == 0x5a7;
    uint32_t ended = 0;

    if (emu_bits(op, 11, 0) == 0x5b2) {
        exchange(w, op, mask);
        return;
    }
    emu_addresses(w, op->m, at);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint64_t *barrier = barrier_at(w, op, l, at[l]);

        if (barrier == NULL)
            return;
        state[l] = *barrier;
        if (checks)
            ended |= (uint32_t)(*barrier >> PHASE_AT != b[l] >> 31) << l;
        else
            note(barrier, 1, emu_bit(op, 84) ? 0 : (int64_t)b[l]);
    }
    if (checks)
        emu_write_predicate(w, op->u, mask, ended);
    else
        emu_write64(w, op->d, mask, state);
}

static uint64_t uniform_at(const struct emu_warp *w, unsigned number)
{
    return number < TEG_SASS_URZ ? w->r[EMU_UNIFORM_ROW + number][0] : 0;
}

/* [to, barrier], [from], 16-byte pieces: global to shared memory, by one
 * thread. */
EXEC(ublkcp)
{
    unsigned to = emu_bits(op, 37, 32), from = emu_bits(op, 29, 24);
    uint64_t source = uniform_at(w, from) | uniform_at(w, from + 1) << 32;
    uint64_t target =
        EMU_SHARED_WINDOW + (uniform_at(w, to) & (EMU_WINDOW_BYTES - 1));
    uint32_t pieces = emu_row(w, op->c, 0)[0];
    int lane = __builtin_ctz(mask);
    uint64_t *barrier = barrier_at(w, op, lane, uniform_at(w, to + 1));

    if (barrier == NULL)
        return;
    for (uint32_t i = 0; i < pieces; i++) {
        const void *f = emu_generic(w, op, lane, source + 16 * i, 16);
        void *t =
            f != NULL ? emu_generic(w, op, lane, target + 16 * i, 16) : NULL;

        if (t == NULL)
            return;
        memcpy(t, f, 16);
    }
    note(barrier, 0, -(int64_t)pieces * 16);
}

const struct emu_row_of EMU_TABLE(async)[] = {
    {"SYNCS", syncs},
    {"UBLKCP", ublkcp},
    {0},
};
