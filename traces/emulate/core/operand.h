/*
 * How an instruction's function reads operands and writes results, a row of 32
 * lanes at a time.  All of it is inline: the functions are compiled for more
 * than one machine.
 */
#ifndef TEG_TRACES_EMULATE_CORE_OPERAND_H
#define TEG_TRACES_EMULATE_CORE_OPERAND_H

#include <string.h>
#ifdef __AVX2__
#include <immintrin.h>
#endif

#include "traces/emulate/core/warp.h"

#define LANES for (int l = 0; l < EMU_LANES; l++)
#define EXEC(name) \
    static void name(struct emu_warp *w, const struct emu_op *op, uint32_t mask)

/* All lanes 0, as many words as any operand has. */
extern const uint32_t emu_zeros[8][EMU_LANES];

/* Bits hi..lo of the instruction. */
static inline uint32_t emu_bits(const struct emu_op *op, unsigned hi,
                                unsigned lo)
{
    uint64_t word = op->word[lo / 64] >> (lo % 64);

    return (uint32_t)(word & ((UINT64_C(1) << (hi - lo + 1)) - 1));
}

static inline int emu_bit(const struct emu_op *op, unsigned n)
{
    return (int)(op->word[n / 64] >> (n % 64) & 1);
}

/* The uniform register in bits hi..lo, two more on top from sm_100 on;
 * TEG_SASS_URZ for URZ. */
static inline unsigned emu_uniform_bits(const struct emu_op *op, unsigned hi,
                                        unsigned lo)
{
    unsigned number = emu_bits(op, op->cc < 100 ? hi : hi + 2, lo);

    return op->cc < 100 && number == 63 ? TEG_SASS_URZ : number;
}

/* All bits of each lane whose bit of `mask` is set. */
static inline void emu_spread(uint32_t mask, uint32_t out[EMU_LANES])
{
    for (uint32_t l = 0; l < EMU_LANES; l++)
        out[l] = -(mask >> l & 1);
}

/* The lanes whose highest bit is set. */
static inline uint32_t emu_signs(const uint32_t v[EMU_LANES])
{
    uint32_t found = 0;

#ifdef __AVX2__
    for (unsigned i = 0; i < EMU_LANES / 8; i++) {
        __m256i eight = _mm256_loadu_si256((const __m256i *)(v + 8 * i));

        found |= (uint32_t)_mm256_movemask_ps(_mm256_castsi256_ps(eight))
                 << 8 * i;
    }
#else
    for (uint32_t l = 0; l < EMU_LANES; l++)
        found |= v[l] >> 31 << l;
#endif
    return found;
}

/* The operand's `word`-th 32 bits in every lane, without negation and the
 * like. */
static inline const uint32_t *emu_row(const struct emu_warp *w,
                                      const struct emu_operand *o,
                                      unsigned word)
{
    if (o == NULL)
        return emu_zeros[0];
    return o->fixed != NULL ? o->fixed + (size_t)word * EMU_LANES
                            : w->r[o->row + word];
}

/* The same with integer negation or inversion applied, in `room` if so. */
static inline const uint32_t *emu_int(const struct emu_warp *w,
                                      const struct emu_operand *o,
                                      uint32_t room[EMU_LANES])
{
    const uint32_t *row = emu_row(w, o, 0);
    uint32_t more;

    if (o == NULL || (o->flags & (SASS_NEGATE | SASS_INVERT)) == 0)
        return row;
    more = (o->flags & SASS_NEGATE) != 0;
    LANES room[l] = ~row[l] + more;
    return room;
}

/* The same with floating-point absolute value and negation applied, in `out`,
 * which is returned. */
static inline const float *emu_float(const struct emu_warp *w,
                                     const struct emu_operand *o,
                                     float out[EMU_LANES])
{
    uint32_t bits[EMU_LANES], keep = EMU_ALL, flip = 0;
    const uint32_t *row = emu_row(w, o, 0);

    if (o == NULL || (o->flags & (SASS_NEGATE | SASS_ABSOLUTE)) == 0) {
        memcpy(out, row, sizeof bits);
        return out;
    }
    if (o->flags & SASS_ABSOLUTE)
        keep = 0x7fffffff;
    if (o->flags & SASS_NEGATE)
        flip = 0x80000000;
    LANES bits[l] = (row[l] & keep) ^ flip;
    memcpy(out, bits, sizeof bits);
    return out;
}

static inline void emu_double(const struct emu_warp *w,
                              const struct emu_operand *o,
                              double out[EMU_LANES])
{
    const uint32_t *low = emu_row(w, o, 0), *high = emu_row(w, o, 1);
    uint64_t bits[EMU_LANES], keep = UINT64_MAX, flip = 0;

    /* An immediate is the upper half. */
    if (o != NULL && o->kind == SASS_IMMEDIATE) {
        high = low;
        low = emu_zeros[0];
    }
    if (o != NULL && (o->flags & SASS_ABSOLUTE))
        keep = UINT64_MAX >> 1;
    if (o != NULL && (o->flags & SASS_NEGATE))
        flip = UINT64_C(1) << 63;
    LANES bits[l] = (((uint64_t)high[l] << 32 | low[l]) & keep) ^ flip;
    memcpy(out, bits, sizeof bits);
}

/* The first words of a, b and c. */
static inline void emu_sources(const struct emu_warp *w,
                               const struct emu_op *op, const uint32_t *row[3])
{
    row[0] = emu_row(w, op->a, 0);
    row[1] = emu_row(w, op->b, 0);
    row[2] = emu_row(w, op->c, 0);
}

/* 64-bit integers; a 32-bit immediate is extended as `is_signed` says. */
static inline void emu_int64(const struct emu_warp *w,
                             const struct emu_operand *o, int is_signed,
                             uint64_t out[EMU_LANES])
{
    const uint32_t *low = emu_row(w, o, 0), *high = emu_row(w, o, 1);

    if (o != NULL && o->kind == SASS_IMMEDIATE && is_signed)
        LANES out[l] = (uint64_t)(int64_t)(int32_t)low[l];
    else
        LANES out[l] = (uint64_t)high[l] << 32 | low[l];
}

/* The value in uniform instructions and where lanes must agree. */
static inline uint32_t emu_scalar(const struct emu_warp *w,
                                  const struct emu_operand *o)
{
    return emu_row(w, o, 0)[w->active != 0 ? __builtin_ctz(w->active) : 0];
}

/* The lanes in which the predicate holds; all if there is none. */
static inline uint32_t emu_predicate(const struct emu_warp *w,
                                     const struct emu_operand *o)
{
    uint32_t value;

    if (o == NULL)
        return EMU_ALL;
    if (o->kind == SASS_UPREDICATE)
        value = o->reg == TEG_SASS_PT || w->up[o->reg & 7] ? EMU_ALL : 0;
    else
        value = w->p[o->reg & 7];
    return o->flags & SASS_NEGATE ? ~value : value;
}

/* Writes `value` to the lanes of `mask`; `word` 1 is the register after.
 * Uniform destinations take the lowest lane of the mask. */
static inline void emu_write(struct emu_warp *w, const struct emu_operand *o,
                             unsigned word, uint32_t mask,
                             const uint32_t value[EMU_LANES])
{
    uint32_t *row;

    if (o == NULL || mask == 0)
        return;
    row = w->r[o->row + word];
    if (o->kind == SASS_UNIFORM) {
        uint32_t one = value[__builtin_ctz(mask)];

        if (o->reg + word < EMU_NO_UNIFORM)
            LANES row[l] = one;
        return;
    }
    if (mask == EMU_ALL) {
        memmove(row, value, sizeof w->r[0]);
        return;
    }
    for (uint32_t l = 0; l < EMU_LANES; l++)
        row[l] = mask >> l & 1 ? value[l] : row[l];
}

static inline void emu_write_floats(struct emu_warp *w,
                                    const struct emu_operand *o, uint32_t mask,
                                    const float value[EMU_LANES])
{
    uint32_t bits[EMU_LANES];

    memcpy(bits, value, sizeof bits);
    emu_write(w, o, 0, mask, bits);
}

static inline void emu_write64(struct emu_warp *w, const struct emu_operand *o,
                               uint32_t mask, const uint64_t value[EMU_LANES])
{
    uint32_t low[EMU_LANES], high[EMU_LANES];

    LANES
    {
        low[l] = (uint32_t)value[l];
        high[l] = (uint32_t)(value[l] >> 32);
    }
    emu_write(w, o, 0, mask, low);
    emu_write(w, o, 1, mask, high);
}

static inline void emu_write_doubles(struct emu_warp *w,
                                     const struct emu_operand *o, uint32_t mask,
                                     const double value[EMU_LANES])
{
    uint64_t bits[EMU_LANES];

    memcpy(bits, value, sizeof bits);
    emu_write64(w, o, mask, bits);
}

static inline void emu_write_predicate(struct emu_warp *w,
                                       const struct emu_operand *o,
                                       uint32_t mask, uint32_t value)
{
    if (o == NULL || mask == 0)
        return;
    if (o->kind == SASS_UPREDICATE)
        w->up[o->reg & 7] = value >> __builtin_ctz(mask) & 1;
    else
        w->p[o->reg & 7] = (w->p[o->reg & 7] & ~mask) | (value & mask);
}

/* The address of every lane: (register << scale) + uniform register + offset.
 * A descriptor's uniform register is not part of it; a 32-bit register beside a
 * 64-bit uniform one is marked by `select`. */
static inline void emu_addresses(const struct emu_warp *w,
                                 const struct emu_operand *m,
                                 uint64_t at[EMU_LANES])
{
    int pair = m->count >= 2, wide = pair || m->select == 1;
    unsigned scale = m->scale;
    uint64_t more = (uint64_t)m->value;

    if (m->ureg < EMU_NO_UNIFORM && (m->flags & SASS_DESCRIPTOR) == 0) {
        more += w->r[EMU_UNIFORM_ROW + m->ureg][0];
        if (wide)
            more += (uint64_t)w->r[EMU_UNIFORM_ROW + m->ureg + 1][0] << 32;
    }
    if (m->reg < TEG_SASS_RZ && pair) {
        const uint32_t *low = w->r[m->reg], *high = w->r[m->reg + 1];

        LANES at[l] = (((uint64_t)high[l] << 32 | low[l]) << scale) + more;
    } else if (m->reg < TEG_SASS_RZ) {
        const uint32_t *low = w->r[m->reg];

        LANES at[l] = ((uint64_t)low[l] << scale) + more;
    } else {
        LANES at[l] = more;
    }
    if (!wide)
        LANES at[l] = (uint32_t)at[l];
}

#endif
