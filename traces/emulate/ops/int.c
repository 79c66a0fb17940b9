/* Integer arithmetic and comparisons; also of the uniform datapath, whose
 * operands are the same in every lane. */
#include "traces/emulate/core/operand.h"

static uint32_t is_negated(const struct emu_operand *o)
{
    return o != NULL && (o->flags & SASS_NEGATE) != 0;
}

/* What turns a term of an addition into its complement where it is negated or
 * inverted. */
static uint32_t flip_of(const struct emu_operand *o)
{
    return o != NULL && (o->flags & (SASS_NEGATE | SASS_INVERT)) ? EMU_ALL : 0;
}

/* Adds predicates p and q as carries; returns the carry of every lane. */
static void add_carries(struct emu_warp *w, const struct emu_op *op,
                        uint32_t out[EMU_LANES], uint32_t carry[EMU_LANES])
{
    uint32_t p[EMU_LANES], q[EMU_LANES];

    emu_spread(emu_predicate(w, op->p), p);
    emu_spread(emu_predicate(w, op->q), q);
    LANES
    {
        uint32_t before = out[l];

        out[l] -= p[l];
        carry[l] += out[l] < before;
        before = out[l];
        out[l] -= q[l];
        carry[l] += out[l] < before;
    }
}

/* Carries out are predicates: the sum's bit 32, and whether it reached 2. */
EXEC(iadd3)
{
    const uint32_t *row[3];
    uint32_t out[EMU_LANES], carry[EMU_LANES];
    uint32_t fa = flip_of(op->a), fb = flip_of(op->b), fc = flip_of(op->c);
    uint32_t more = is_negated(op->a) + is_negated(op->b) + is_negated(op->c);
    int extended = emu_bit(op, 74);

    emu_sources(w, op, row);
    if (!extended && op->u == NULL && op->v == NULL) {
        LANES out[l] =
            (row[0][l] ^ fa) + (row[1][l] ^ fb) + (row[2][l] ^ fc) + more;
        emu_write(w, op->d, 0, mask, out);
        return;
    }
    LANES
    {
        uint32_t a = row[0][l] ^ fa, ab = a + (row[1][l] ^ fb);
        uint32_t abc = ab + (row[2][l] ^ fc);

        out[l] = abc + more;
        carry[l] = (uint32_t)(ab < a) + (abc < ab) + (out[l] < abc);
    }
    if (extended)
        add_carries(w, op, out, carry);
    emu_write(w, op->d, 0, mask, out);
    LANES out[l] = -(uint32_t)(carry[l] >= 1);
    emu_write_predicate(w, op->u, mask, emu_signs(out));
    LANES out[l] = -(uint32_t)(carry[l] >= 2);
    emu_write_predicate(w, op->v, mask, emu_signs(out));
}

/* Pairs of registers; carries out of their 64 bits as IADD3's of 32.  IADD.64.X
 * (74) adds a predicate. */
EXEC(add64)
{
    const struct emu_operand *const o[3] = {op->a, op->b, op->c};
    uint64_t sum[EMU_LANES] = {0}, word[EMU_LANES];
    uint32_t carry[EMU_LANES] = {0}, out[EMU_LANES];

    for (int i = 0; i < 3; i++) {
        uint64_t flip = flip_of(o[i]) != 0 ? UINT64_MAX : 0;
        uint64_t more = is_negated(o[i]);

        emu_int64(w, o[i], 1, word);
        LANES
        {
            uint64_t before = sum[l], term = word[l] ^ flip;

            sum[l] += term;
            carry[l] += sum[l] < before;
            before = sum[l];
            sum[l] += more;
            carry[l] += sum[l] < before;
        }
    }
    if (emu_bit(op, 74)) {
        uint32_t p = emu_predicate(w, op->p);

        LANES
        {
            sum[l] += p >> l & 1;
            carry[l] += sum[l] == 0 && (p >> l & 1);
        }
    }
    emu_write64(w, op->d, mask, sum);
    LANES out[l] = -(uint32_t)(carry[l] >= 1);
    emu_write_predicate(w, op->u, mask, emu_signs(out));
    LANES out[l] = -(uint32_t)(carry[l] >= 2);
    emu_write_predicate(w, op->v, mask, emu_signs(out));
}

/* Two terms; .64 (73) is of pairs, .X (74) adds a predicate. */
EXEC(iadd)
{
    const uint32_t *a = emu_row(w, op->a, 0), *b = emu_row(w, op->b, 0);
    uint32_t fa = flip_of(op->a), fb = flip_of(op->b);
    uint32_t more = is_negated(op->a) + is_negated(op->b), p = 0;
    uint32_t out[EMU_LANES], carry[EMU_LANES];

    if (emu_bit(op, 73)) {
        add64(w, op, mask);
        return;
    }
    if (emu_bit(op, 74))
        p = emu_predicate(w, op->p);
    LANES
    {
        uint64_t sum = (uint64_t)(a[l] ^ fa) + (b[l] ^ fb) + more;

        sum += p >> l & 1;
        out[l] = (uint32_t)sum;
        carry[l] = -(uint32_t)(sum >> 32 != 0);
    }
    emu_write(w, op->d, 0, mask, out);
    emu_write_predicate(w, op->u, mask, emu_signs(carry));
}

/* Sums of the halves of words. */
static uint32_t packed_sum(uint32_t a, uint32_t b)
{
    return ((a + b) & 0xffff) | ((a & 0xffff0000) + (b & 0xffff0000));
}

/* The operand's words with negation applied, to each half if they are two
 * numbers; in `room` if there is any. */
static const uint32_t *signed_row(const struct emu_warp *w,
                                  const struct emu_operand *o, int packed,
                                  uint32_t room[EMU_LANES])
{
    const uint32_t *row = emu_row(w, o, 0);

    if (!packed || !is_negated(o))
        return emu_int(w, o, room);
    LANES room[l] = packed_sum(~row[l], 0x00010001);
    return room;
}

/* add.sat.s32 */
static uint32_t saturated_sum(uint32_t a, uint32_t b)
{
    int64_t sum = (int64_t)(int32_t)a + (int32_t)b;

    return (uint32_t)(int32_t)(sum > INT32_MAX   ? INT32_MAX
                               : sum < INT32_MIN ? INT32_MIN
                                                 : sum);
}

static uint32_t bytes_sum(uint32_t a, uint32_t b)
{
    uint32_t low = (a & 0x7f7f7f7f) + (b & 0x7f7f7f7f);

    return low ^ ((a ^ b) & 0x80808080);
}

/* The operand's words with the bytes negated that its mark says. */
static const uint32_t *signed_bytes(const struct emu_warp *w,
                                    const struct emu_operand *o,
                                    uint32_t room[EMU_LANES])
{
    const uint32_t *row = emu_row(w, o, 0);

    if (!is_negated(o))
        return row;
    LANES room[l] = bytes_sum(~row[l], 0x01010101);
    return room;
}

/* Words, halves or bytes (on sm_120), whose signs make no difference unless the
 * sum is cut to their range (.ISAT): compilers cut words only, as add.sat.s32. */
EXEC(viadd)
{
    enum {
        S32 = 2,
        BYTES = 4
    };
    uint32_t room[2][EMU_LANES], out[EMU_LANES];
    unsigned form = op->cc >= 120 ? emu_bits(op, 75, 73) : emu_bits(op, 73, 73);
    int packed = form % 2 != 0, bytes = form >= BYTES;
    int cuts = op->cc >= 120 && emu_bit(op, 80);
    const uint32_t *a, *b;

    if (cuts && (form != S32 || is_negated(op->a) || is_negated(op->b))) {
        emu_refuse(w, op);
        return;
    }
    a = bytes ? signed_bytes(w, op->a, room[0])
              : signed_row(w, op->a, packed, room[0]);
    b = bytes ? signed_bytes(w, op->b, room[1])
              : signed_row(w, op->b, packed, room[1]);
    if (bytes)
        LANES out[l] = bytes_sum(a[l], b[l]);
    else if (packed)
        LANES out[l] = packed_sum(a[l], b[l]);
    else if (cuts)
        LANES out[l] = saturated_sum(a[l], b[l]);
    else
        LANES out[l] = a[l] + b[l];
    emu_write(w, op->d, 0, mask, out);
}

EXEC(imad)
{
    uint32_t room[EMU_LANES], out[EMU_LANES];
    const uint32_t *a = emu_row(w, op->a, 0);
    const uint32_t *b = emu_row(w, op->b, 0);
    const uint32_t *c = emu_int(w, op->c, room);

    LANES out[l] = a[l] * b[l] + c[l];
    if (emu_bit(op, 74)) {
        uint32_t p[EMU_LANES];

        emu_spread(emu_predicate(w, op->p), p);
        LANES out[l] -= p[l];
    }
    emu_write(w, op->d, 0, mask, out);
}

/* The 64-bit sum of IMAD.WIDE and IMAD.HI, and its carry if it is wanted. */
static uint32_t wide_sum(struct emu_warp *w, const struct emu_op *op,
                         uint64_t out[EMU_LANES])
{
    const uint32_t *a = emu_row(w, op->a, 0);
    const uint32_t *b = emu_row(w, op->b, 0);
    int is_signed = emu_bit(op, 73);
    int is_flipped =
        op->c != NULL && (op->c->flags & (SASS_INVERT | SASS_NEGATE)) != 0;
    uint64_t c[EMU_LANES], product[EMU_LANES], more[EMU_LANES];
    uint64_t flip = is_flipped ? UINT64_MAX : 0;
    uint32_t carry[EMU_LANES];

    emu_int64(w, op->c, is_signed, c);
    if (is_signed)
        LANES product[l] =
            (uint64_t)((int64_t)(int32_t)a[l] * (int64_t)(int32_t)b[l]);
    else
        LANES product[l] = (uint64_t)a[l] * b[l];
    if (!is_flipped && !emu_bit(op, 74) && op->u == NULL) {
        LANES out[l] = product[l] + c[l]; /* as addresses are formed */
        return 0;
    }
    LANES more[l] = is_flipped && is_negated(op->c);
    LANES out[l] = product[l] + (c[l] ^ flip);
    LANES carry[l] = -(uint32_t)(out[l] < product[l]);
    if (emu_bit(op, 74)) {
        uint32_t p = emu_predicate(w, op->p);

        LANES more[l] = p >> l & 1;
    }
    LANES out[l] += more[l];
    if (op->u == NULL)
        return 0;
    LANES carry[l] |= -(uint32_t)(out[l] < more[l]);
    return emu_signs(carry);
}

EXEC(imad_wide)
{
    uint64_t out[EMU_LANES];
    uint32_t carry = wide_sum(w, op, out);

    emu_write64(w, op->d, mask, out);
    emu_write_predicate(w, op->u, mask, carry);
}

EXEC(imad_hi)
{
    uint64_t sum[EMU_LANES];
    uint32_t out[EMU_LANES], carry = wide_sum(w, op, sum);

    LANES out[l] = (uint32_t)(sum[l] >> 32);
    emu_write(w, op->d, 0, mask, out);
    emu_write_predicate(w, op->u, mask, carry);
}

/* The term of LEA that is shifted by `n`; .HI takes the upper word of {C, A}
 * shifted. */
static void shifted_term(struct emu_warp *w, const struct emu_op *op,
                         uint32_t out[EMU_LANES])
{
    const uint32_t *row[3];
    unsigned n = emu_bits(op, 79, 75);
    int high = emu_bit(op, 80), sx32 = emu_bit(op, 73);

    emu_sources(w, op, row);
    if (!high)
        LANES out[l] = row[0][l] << n;
    else if (n == 0 && sx32)
        LANES out[l] = (uint32_t)((int32_t)row[0][l] >> 31);
    else if (n == 0)
        LANES out[l] = row[2][l];
    else if (sx32)
        LANES out[l] = (uint32_t)((int32_t)row[0][l] >> (32 - n));
    else
        LANES out[l] = row[2][l] << n | row[0][l] >> (32 - n);
}

/* A shifted term plus B. */
EXEC(lea)
{
    const uint32_t *b = emu_row(w, op->b, 0);
    uint32_t term[EMU_LANES], out[EMU_LANES], carry[EMU_LANES];
    uint32_t fa = flip_of(op->a), fb = flip_of(op->b);
    uint32_t more = is_negated(op->a) + is_negated(op->b);

    if (emu_bit(op, 80) && is_negated(op->a)) { /* of 64 bits, or of 32? */
        emu_refuse(w, op);
        return;
    }
    shifted_term(w, op, term);
    LANES
    {
        uint32_t a = term[l] ^ fa, ab = a + (b[l] ^ fb);

        out[l] = ab + more;
        carry[l] = (uint32_t)(ab < a) + (out[l] < ab);
    }
    if (emu_bit(op, 74)) {
        uint32_t p[EMU_LANES];

        emu_spread(emu_predicate(w, op->p), p);
        LANES
        {
            uint32_t before = out[l];

            out[l] -= p[l];
            carry[l] += out[l] < before;
        }
    }
    emu_write(w, op->d, 0, mask, out);
    if (op->u == NULL)
        return;
    LANES out[l] = -(uint32_t)(carry[l] != 0);
    emu_write_predicate(w, op->u, mask, emu_signs(out));
}

static uint32_t compare_lane(unsigned code, int is_signed, uint32_t a,
                             uint32_t b, int extended, uint32_t low)
{
    int less = is_signed ? (int32_t)a < (int32_t)b : a < b;
    int equal = a == b, greater = !less && !equal;

    if (extended) {
        switch (code) {
        case 2:
            return equal && low;
        case 5:
            return !equal || low;
        case 1:
        case 3:
            return less || (equal && low);
        case 4:
        case 6:
            return greater || (equal && low);
        }
    }
    return (code & 1 && less) || (code & 2 && equal) || (code & 4 && greater);
}

/* 0 AND, 1 OR, 2 XOR */
static uint32_t join(unsigned how, uint32_t a, uint32_t b)
{
    return how == 0 ? a & b : how == 1 ? a | b : a ^ b;
}

/* Compares of whole words: all bits of `yes` where it holds. */
static void compare_lanes(unsigned code, int is_signed, const uint32_t *a,
                          const uint32_t *b, uint32_t yes[EMU_LANES])
{
    uint32_t less = -(code & 1), equal = -(code >> 1 & 1);
    uint32_t greater = -(code >> 2 & 1), flip = is_signed ? 0 : 0x80000000u;

    LANES
    {
        int32_t x = (int32_t)(a[l] ^ flip), y = (int32_t)(b[l] ^ flip);

        yes[l] =
            (x < y ? less : 0) | (x == y ? equal : 0) | (x > y ? greater : 0);
    }
}

/* .64: pairs of registers. */
static uint32_t compare_pairs(const struct emu_warp *w, const struct emu_op *op)
{
    unsigned code = emu_bits(op, 78, 76);
    uint64_t a[EMU_LANES], b[EMU_LANES];
    uint64_t flip = emu_bit(op, 73) ? 0 : UINT64_C(1) << 63;
    uint32_t result = 0;

    emu_int64(w, op->a, 1, a);
    emu_int64(w, op->b, 1, b);
    LANES
    {
        int64_t x = (int64_t)(a[l] ^ flip), y = (int64_t)(b[l] ^ flip);
        unsigned found = x < y ? 1 : x == y ? 2 : 4;

        result |= (uint32_t)((code & found) != 0) << l;
    }
    return result;
}

EXEC(isetp)
{
    uint32_t result = 0;
    const uint32_t *a = emu_row(w, op->a, 0);
    const uint32_t *b = emu_row(w, op->b, 0);
    unsigned code = emu_bits(op, 78, 76), how = emu_bits(op, 75, 74);
    int is_signed = emu_bit(op, 73);
    uint32_t p = emu_predicate(w, op->p);

    if (op->cc >= 120 && emu_bit(op, 80)) {
        result = compare_pairs(w, op);
    } else if (emu_bit(op, 72)) {
        uint32_t low = emu_predicate(w, op->r);

        LANES result |=
            compare_lane(code, is_signed, a[l], b[l], 1, low >> l & 1) << l;
    } else {
        uint32_t yes[EMU_LANES];

        compare_lanes(code, is_signed, a, b, yes);
        result = emu_signs(yes);
    }
    emu_write_predicate(w, op->u, mask, join(how, result, p));
    emu_write_predicate(w, op->v, mask, join(how, ~result, p));
}

static uint32_t lesser(uint32_t a, uint32_t b, int is_signed, int want_min)
{
    int less = is_signed ? (int32_t)a < (int32_t)b : a < b;

    return less == (want_min != 0) ? a : b;
}

/* .64: predicates written and the second one read are unknown. */
static void imnmx64(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    uint64_t a[EMU_LANES], b[EMU_LANES], out[EMU_LANES];
    uint64_t flip = emu_bit(op, 73) ? 0 : UINT64_C(1) << 63;
    uint32_t p = emu_predicate(w, op->p);

    if (op->u != NULL || op->v != NULL || emu_predicate(w, op->q) != 0) {
        emu_refuse(w, op);
        return;
    }
    emu_int64(w, op->a, 1, a);
    emu_int64(w, op->b, 1, b);
    LANES
    {
        int less = (int64_t)(a[l] ^ flip) < (int64_t)(b[l] ^ flip);

        out[l] = less == (int)(p >> l & 1) ? a[l] : b[l];
    }
    emu_write64(w, op->d, mask, out);
}

EXEC(imnmx)
{
    uint32_t out[EMU_LANES], want_min[EMU_LANES];
    const uint32_t *a = emu_row(w, op->a, 0);
    const uint32_t *b = emu_row(w, op->b, 0);
    uint32_t flip = emu_bit(op, 73) ? 0 : 0x80000000u;

    if (op->cc >= 120 && emu_bit(op, 74)) {
        imnmx64(w, op, mask);
        return;
    }
    emu_spread(emu_predicate(w, op->p), want_min);
    LANES
    {
        int less = (int32_t)(a[l] ^ flip) < (int32_t)(b[l] ^ flip);

        out[l] = (less ? EMU_ALL : 0) == want_min[l] ? a[l] : b[l];
    }
    emu_write(w, op->d, 0, mask, out);
}

/* The lesser or greater of two words, or of each half. */
static uint32_t lesser_packed(uint32_t a, uint32_t b, int is_signed,
                              int want_min, int packed)
{
    uint32_t low, high;

    if (!packed)
        return lesser(a, b, is_signed, want_min);
    low = lesser(a << 16, b << 16, is_signed, want_min) >> 16;
    high = lesser(a & 0xffff0000, b & 0xffff0000, is_signed, want_min);
    return high | low;
}

/* Of the lanes of a packed minimum or maximum, those that take the first of the
 * two numbers, equal ones too, in their lower and upper halves.  (CUDA Math API,
 * __vibmax_s16x2) */
static void first_taken(const uint32_t *a, const uint32_t *b, int is_signed,
                        uint32_t want_min, uint32_t taken[2])
{
    taken[0] = taken[1] = 0;
    for (int l = 0; l < EMU_LANES; l++) {
        int least = want_min >> l & 1;
        uint32_t x = a[l] & 0xffff0000, y = b[l] & 0xffff0000;

        taken[0] |= (uint32_t)(lesser(a[l] << 16, b[l] << 16, is_signed,
                                      least) == a[l] << 16)
                    << l;
        taken[1] |= (uint32_t)(lesser(x, y, is_signed, least) == x) << l;
    }
}

/* Of four bytes, on sm_120. */
static void lesser_bytes(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask)
{
    const uint32_t *a = emu_row(w, op->a, 0), *b = emu_row(w, op->b, 0);
    uint32_t out[EMU_LANES] = {0}, p = emu_predicate(w, op->p);
    int is_signed = emu_bit(op, 72);

    if (emu_bit(op, 76)) { /* .RELU */
        emu_refuse(w, op);
        return;
    }
    LANES
    {
        for (int i = 0; i < 32; i += 8)
            out[l] |= lesser(a[l] >> i << 24, b[l] >> i << 24, is_signed,
                             p >> l & 1) >>
                      24 << i;
    }
    emu_write(w, op->d, 0, mask, out);
}

/* VIMNMX, and VIADDMNMX: min(a + b, c). */
EXEC(viaddmnmx)
{
    uint32_t room[3][EMU_LANES], out[EMU_LANES], taken[2];
    const uint32_t *row[3];
    uint32_t p = emu_predicate(w, op->p);
    int is_signed = emu_bit(op, 72), packed = emu_bit(op, 73);
    int add = op->c != NULL, bytes = op->cc >= 120 && emu_bit(op, 74);

    if (bytes) {
        lesser_bytes(w, op, mask);
        return;
    }
    if ((!packed && (op->u != NULL || op->v != NULL)) ||
        (emu_bit(op, 76) && !is_signed)) {
        emu_refuse(w, op);
        return;
    }
    row[0] = signed_row(w, op->a, packed, room[0]);
    row[1] = signed_row(w, op->b, packed, room[1]);
    row[2] = emu_row(w, op->c, 0);
    LANES
    {
        uint32_t a = row[0][l], b = row[1][l];

        if (add) {
            a = packed ? packed_sum(a, b) : a + b;
            b = row[2][l];
        }
        out[l] = lesser_packed(a, b, is_signed, p >> l & 1, packed);
        if (emu_bit(op, 76))
            out[l] = lesser_packed(out[l], 0, 1, 0, packed);
    }
    if (op->u != NULL || op->v != NULL) {
        first_taken(row[0], row[1], is_signed, p, taken);
        emu_write_predicate(w, op->u, mask, taken[0]);
        emu_write_predicate(w, op->v, mask, taken[1]);
    }
    emu_write(w, op->d, 0, mask, out);
}

EXEC(vimnmx3)
{
    uint32_t out[EMU_LANES], p = emu_predicate(w, op->p);
    const uint32_t *row[3];
    int is_signed = emu_bit(op, 72), packed = emu_bit(op, 73);

    if (emu_bit(op, 76) && !is_signed) {
        emu_refuse(w, op);
        return;
    }
    emu_sources(w, op, row);
    LANES
    {
        int least = p >> l & 1;

        out[l] = lesser_packed(row[0][l], row[1][l], is_signed, least, packed);
        out[l] = lesser_packed(out[l], row[2][l], is_signed, least, packed);
        if (emu_bit(op, 76))
            out[l] = lesser_packed(out[l], 0, 1, 0, packed);
    }
    emu_write(w, op->d, 0, mask, out);
}

EXEC(iabs)
{
    uint32_t out[EMU_LANES];
    const uint32_t *b = emu_row(w, op->b, 0);

    LANES out[l] = (int32_t)b[l] < 0 ? -b[l] : b[l];
    emu_write(w, op->d, 0, mask, out);
}

EXEC(vabsdiff)
{
    uint32_t out[EMU_LANES];
    const uint32_t *row[3];
    int is_signed = emu_bit(op, 73);

    if (op->u != NULL) {
        emu_refuse(w, op);
        return;
    }
    emu_sources(w, op, row);
    LANES
    {
        uint32_t a = row[0][l], b = row[1][l];

        out[l] =
            lesser(a, b, is_signed, 0) - lesser(a, b, is_signed, 1) + row[2][l];
    }
    emu_write(w, op->d, 0, mask, out);
}

/* Absolute differences of bytes, in place or summed up (.ACC). */
EXEC(vabsdiff4)
{
    uint32_t out[EMU_LANES];
    const uint32_t *row[3];
    int is_signed = emu_bit(op, 73), summed = emu_bit(op, 75);
    int keeps = op->c != NULL &&
                (op->c->kind != SASS_REGISTER || op->c->reg != TEG_SASS_RZ);

    if (op->u != NULL || (!summed && keeps)) {
        emu_refuse(w, op);
        return;
    }
    emu_sources(w, op, row);
    LANES
    {
        uint32_t sum = row[2][l], packed = 0;

        for (int i = 0; i < 4; i++) {
            uint32_t x = row[0][l] >> 8 * i & 255, y = row[1][l] >> 8 * i & 255;
            int a = is_signed ? (int8_t)x : (int)x;
            int b = is_signed ? (int8_t)y : (int)y;
            uint32_t apart = (uint32_t)(a > b ? a - b : b - a);

            sum += apart;
            packed |= (apart & 255) << 8 * i;
        }
        out[l] = summed ? sum : packed;
    }
    emu_write(w, op->d, 0, mask, out);
}

/* Dot product of bytes, or of 16-bit halves with bytes. */
EXEC(idp)
{
    uint32_t room[3][EMU_LANES], out[EMU_LANES];
    const uint32_t *a = emu_row(w, op->a, 0);
    const uint32_t *b = emu_row(w, op->b, 0);
    const uint32_t *c = emu_int(w, op->c, room[2]);
    int halves = emu_bit(op, 76), high = emu_bit(op, 77);
    int sa = emu_bit(op, 73), sb = emu_bit(op, 74);

    LANES
    {
        int64_t sum = 0;

        for (int i = 0; i < (halves ? 2 : 4); i++) {
            uint32_t x = halves ? a[l] >> 16 * i & 0xffff : a[l] >> 8 * i & 255;
            uint32_t y = b[l] >> 8 * (halves ? i + 2 * high : i) & 255;
            int64_t xs = sa ? (halves ? (int16_t)x : (int8_t)x) : (int64_t)x;

            sum += xs * (sb ? (int8_t)y : (int64_t)y);
        }
        out[l] = (uint32_t)sum + c[l];
    }
    emu_write(w, op->d, 0, mask, out);
}

const struct emu_row_of EMU_TABLE(int)[] = {
    {"IADD3", iadd3},
    {"UIADD3", iadd3},
    {"UIADD3.64", add64},
    {"IADD", iadd},
    {"VIADD", viadd},
    {"UVIADD", viadd},
    {"IMAD", imad},
    {"UIMAD", imad},
    {"IMAD.WIDE", imad_wide},
    {"UIMAD.WIDE", imad_wide},
    {"IMAD.HI", imad_hi},
    {"UIMAD.HI", imad_hi},
    {"LEA", lea},
    {"ULEA", lea},
    {"ISETP", isetp},
    {"UISETP", isetp},
    {"IMNMX", imnmx},
    {"UIMNMX", imnmx},
    {"VIMNMX", viaddmnmx},
    {"VIADDMNMX", viaddmnmx},
    {"UVIMNMX", viaddmnmx},
    {"VIMNMX3", vimnmx3},
    {"IABS", iabs},
    {"UIABS", iabs},
    {"VABSDIFF", vabsdiff},
    {"VABSDIFF4", vabsdiff4},
    {"IDP", idp},
    {0},
};
