/* Integer arithmetic and logic, moves, predicates; also of the uniform
 * datapath, whose operands are the same in every lane. */
#include "traces/emulate/core/operand.h"

static void sources(struct emu_warp *w, const struct emu_op *op,
                    const uint32_t *row[3])
{
    row[0] = emu_row(w, op->a, 0);
    row[1] = emu_row(w, op->b, 0);
    row[2] = emu_row(w, op->c, 0);
}

EXEC(mov)
{
    emu_write(w, op->d, 0, mask, emu_row(w, op->b, 0));
}

EXEC(sel)
{
    uint32_t which[EMU_LANES], out[EMU_LANES];
    const uint32_t *a = emu_row(w, op->a, 0);
    const uint32_t *b = emu_row(w, op->b, 0);

    emu_spread(emu_predicate(w, op->p), which);
    LANES out[l] = (a[l] & which[l]) | (b[l] & ~which[l]);
    emu_write(w, op->d, 0, mask, out);
}

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

    sources(w, op, row);
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

EXEC(viadd)
{
    uint32_t room[2][EMU_LANES], out[EMU_LANES];
    const uint32_t *a = emu_int(w, op->a, room[0]);
    const uint32_t *b = emu_int(w, op->b, room[1]);

    if (emu_bit(op, 73))
        LANES out[l] = ((a[l] + b[l]) & 0xffff) |
                       ((a[l] & 0xffff0000) + (b[l] & 0xffff0000));
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
    uint64_t c[EMU_LANES], product[EMU_LANES], flip = 0, more = 0;
    uint32_t carry[EMU_LANES];

    emu_int64(w, op->c, is_signed, c);
    if (op->c != NULL && (op->c->flags & (SASS_INVERT | SASS_NEGATE))) {
        flip = UINT64_MAX;
        more = (op->c->flags & SASS_NEGATE) != 0;
    }
    if (is_signed)
        LANES product[l] =
            (uint64_t)((int64_t)(int32_t)a[l] * (int64_t)(int32_t)b[l]);
    else
        LANES product[l] = (uint64_t)a[l] * b[l];
    LANES out[l] = product[l] + (c[l] ^ flip) + more;
    if (emu_bit(op, 74)) {
        uint32_t p = emu_predicate(w, op->p);

        LANES out[l] += p >> l & 1;
    }
    if (op->u == NULL)
        return 0;
    LANES carry[l] = -(uint32_t)(out[l] < product[l]);
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

    sources(w, op, row);
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

static uint32_t lut(unsigned table, uint32_t a, uint32_t b, uint32_t c)
{
    uint32_t out = 0;

    for (unsigned i = 0; i < 8; i++) {
        if (table >> i & 1)
            out |= (i & 4 ? a : ~a) & (i & 2 ? b : ~b) & (i & 1 ? c : ~c);
    }
    return out;
}

/* A function of three bits as a sum modulo 2 of products: term[i] says in all
 * bits whether the product of the inputs in i (4 a, 2 b, 1 c) is one of them.
 * So every table costs the same few vector instructions. */
static void products_of(unsigned table, uint32_t term[8])
{
    for (unsigned i = 0; i < 8; i++)
        term[i] = -(uint32_t)(table >> i & 1);
    for (unsigned input = 1; input < 8; input *= 2) {
        for (unsigned i = 0; i < 8; i++) {
            if (i & input)
                term[i] ^= term[i ^ input];
        }
    }
}

EXEC(lop3)
{
    uint32_t out[EMU_LANES], term[8];
    const uint32_t *row[3];

    sources(w, op, row);
    products_of(emu_bits(op, 79, 72), term);
    LANES
    {
        uint32_t a = row[0][l], b = row[1][l], c = row[2][l];

        out[l] = term[0] ^ (term[4] & a) ^ (term[2] & b) ^ (term[1] & c) ^
                 (term[6] & a & b) ^ (term[5] & a & c) ^ (term[3] & b & c) ^
                 (term[7] & a & b & c);
    }
    emu_write(w, op->d, 0, mask, out);
    if (op->u != NULL) {
        uint32_t p = emu_predicate(w, op->p), some;

        LANES out[l] = -(uint32_t)(out[l] != 0);
        some = emu_signs(out);
        emu_write_predicate(w, op->u, mask, emu_bit(op, 80) ? some & p : some);
    }
}

EXEC(plop3)
{
    uint32_t a = emu_predicate(w, op->p), b = emu_predicate(w, op->q);
    uint32_t c = emu_predicate(w, op->r);
    unsigned table = emu_bits(op, 76, 72) << 3 | emu_bits(op, 66, 64);

    emu_write_predicate(w, op->u, mask, lut(table, a, b, c));
    emu_write_predicate(w, op->v, mask, lut(emu_bits(op, 23, 16), a, b, c));
}

/* {C, A} shifted by B.  Types: 0 S64, 1 U64, 2 S32, 3 U32. */
static uint32_t funnel(const struct emu_op *op, uint32_t low, uint32_t high,
                       uint32_t amount)
{
    unsigned type = emu_bits(op, 74, 73), limit = type < 2 ? 64 : 32;
    int right = emu_bit(op, 76), upper = emu_bit(op, 80);
    uint64_t v = (uint64_t)high << 32 | low;

    if (emu_bit(op, 75))
        amount &= limit - 1;
    else if (amount > limit)
        amount = limit;
    if (right && type == 0)
        v = (uint64_t)((int64_t)v >> (amount < 64 ? amount : 63));
    else if (right && type == 2)
        v = (uint64_t)(((int64_t)v) >> amount);
    else if (right)
        v = amount < 64 ? v >> amount : 0;
    else
        v = amount < 64 ? v << amount : 0;
    return upper ? (uint32_t)(v >> 32) : (uint32_t)v;
}

/* Shifts of {C, A} whose amounts are at most 32, in 32-bit lanes. */
static void funnel_words(const struct emu_op *op, const uint32_t *row[3],
                         uint32_t out[EMU_LANES])
{
    const uint32_t *low = row[0], *high = row[2];
    int right = emu_bit(op, 76), upper = emu_bit(op, 80);
    int is_signed = emu_bits(op, 74, 73) == 2;
    uint32_t n[EMU_LANES];

    if (emu_bit(op, 75))
        LANES n[l] = row[1][l] & 31;
    else
        LANES n[l] = row[1][l] > 32 ? 32 : row[1][l];
    if (right && upper && is_signed)
        LANES out[l] = (uint32_t)((int32_t)high[l] >> (n[l] > 31 ? 31 : n[l]));
    else if (right && upper)
        LANES out[l] = n[l] > 31 ? 0 : high[l] >> (n[l] & 31);
    else if (!right && !upper)
        LANES out[l] = n[l] > 31 ? 0 : low[l] << (n[l] & 31);
    else if (right)
        LANES out[l] = (uint32_t)(((uint64_t)high[l] << 32 | low[l]) >> n[l]);
    else
        LANES out[l] =
            (uint32_t)(((uint64_t)high[l] << 32 | low[l]) << n[l] >> 32);
}

EXEC(shf)
{
    uint32_t out[EMU_LANES];
    const uint32_t *row[3];

    sources(w, op, row);
    if (emu_bits(op, 74, 73) >= 2)
        funnel_words(op, row, out);
    else
        LANES out[l] = funnel(op, row[0][l], row[2][l], row[1][l]);
    emu_write(w, op->d, 0, mask, out);
}

/* Selector nibble: a byte of {C, A}, or its sign. */
static uint32_t permute(unsigned mode, uint32_t a, uint32_t b, uint32_t c)
{
    uint64_t bytes = (uint64_t)c << 32 | a;
    uint32_t out = 0;

    for (unsigned i = 0; i < 4; i++) {
        unsigned n = b >> 4 * i & 7, sign = b >> (4 * i + 3) & 1;
        unsigned s = b & 3, byte;

        switch (mode) {
        case 1: /* forward 4 extract */
            n = (b & 3) + i, sign = 0;
            break;
        case 2: /* backward */
            n = (8 + (b & 3) - i) & 7, sign = 0;
            break;
        case 3: /* replicate 8 */
            n = s, sign = 0;
            break;
        case 4: /* edge clamp left */
            n = i > s ? i : s, sign = 0;
            break;
        case 5: /* edge clamp right */
            n = i < s ? i : s, sign = 0;
            break;
        case 6: /* replicate 16 */
            n = (s & 1) * 2 + (i & 1), sign = 0;
            break;
        default:
            break;
        }
        byte = (unsigned)(bytes >> 8 * n) & 255;
        if (sign)
            byte = byte & 128 ? 255 : 0;
        out |= byte << 8 * i;
    }
    return out;
}

/* The same selection for all lanes. */
static void permute_all(uint32_t selector, const uint32_t *a, const uint32_t *c,
                        uint32_t out[EMU_LANES])
{
    LANES out[l] = 0;
    for (unsigned i = 0; i < 4; i++) {
        unsigned nibble = selector >> 4 * i & 15, shift = 8 * (nibble & 3);
        const uint32_t *from = nibble & 4 ? c : a;

        if (nibble & 8)
            LANES out[l] |= (from[l] >> shift & 128 ? 255u : 0) << 8 * i;
        else
            LANES out[l] |= (from[l] >> shift & 255) << 8 * i;
    }
}

EXEC(prmt)
{
    uint32_t out[EMU_LANES];
    const uint32_t *row[3];
    unsigned mode = emu_bits(op, 74, 72);

    sources(w, op, row);
    if (mode == 0 && op->b != NULL && op->b->kind != SASS_REGISTER) {
        permute_all(row[1][0], row[0], row[2], out);
        emu_write(w, op->d, 0, mask, out);
        return;
    }
    LANES out[l] = permute(mode, row[0][l], row[1][l], row[2][l]);
    emu_write(w, op->d, 0, mask, out);
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

EXEC(isetp)
{
    uint32_t result = 0;
    const uint32_t *a = emu_row(w, op->a, 0);
    const uint32_t *b = emu_row(w, op->b, 0);
    unsigned code = emu_bits(op, 78, 76), how = emu_bits(op, 75, 74);
    int is_signed = emu_bit(op, 73);
    uint32_t p = emu_predicate(w, op->p);

    if (emu_bit(op, 72)) {
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

EXEC(imnmx)
{
    uint32_t out[EMU_LANES], want_min[EMU_LANES];
    const uint32_t *a = emu_row(w, op->a, 0);
    const uint32_t *b = emu_row(w, op->b, 0);
    uint32_t flip = emu_bit(op, 73) ? 0 : 0x80000000u;

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

/* VIMNMX, and VIADDMNMX: min(a + b, c). */
EXEC(viaddmnmx)
{
    uint32_t room[3][EMU_LANES], out[EMU_LANES];
    const uint32_t *row[3];
    uint32_t p = emu_predicate(w, op->p);
    int is_signed = emu_bit(op, 72), packed = emu_bit(op, 73);
    int add = op->c != NULL;

    row[0] = emu_int(w, op->a, room[0]);
    row[1] = emu_int(w, op->b, room[1]);
    row[2] = emu_row(w, op->c, 0);
    LANES
    {
        uint32_t a = row[0][l], b = row[1][l];

        if (add) {
            a = packed
                    ? ((a + b) & 0xffff) | ((a & 0xffff0000) + (b & 0xffff0000))
                    : a + b;
            b = row[2][l];
        }
        out[l] = lesser_packed(a, b, is_signed, p >> l & 1, packed);
        if (emu_bit(op, 76))
            out[l] = lesser_packed(out[l], 0, 1, 0, packed);
    }
    emu_write(w, op->d, 0, mask, out);
}

EXEC(vimnmx3)
{
    uint32_t out[EMU_LANES], p = emu_predicate(w, op->p);
    const uint32_t *row[3];
    int is_signed = emu_bit(op, 72), packed = emu_bit(op, 73);

    sources(w, op, row);
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

    sources(w, op, row);
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

    sources(w, op, row);
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
    int halves = emu_bit(op, 76), high = emu_bit(op, 75);
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

EXEC(popc)
{
    uint32_t room[EMU_LANES], out[EMU_LANES];
    const uint32_t *b = emu_int(w, op->b, room);

    LANES out[l] = (uint32_t)__builtin_popcount(b[l]);
    emu_write(w, op->d, 0, mask, out);
}

EXEC(brev)
{
    uint32_t room[EMU_LANES], out[EMU_LANES];
    const uint32_t *b = emu_int(w, op->b, room);

    LANES
    {
        uint32_t v = b[l], reversed = 0;

        for (int i = 0; i < 32; i++)
            reversed |= (v >> i & 1) << (31 - i);
        out[l] = reversed;
    }
    emu_write(w, op->d, 0, mask, out);
}

/* Position of the highest bit, 0xffffffff if there is none. */
EXEC(flo)
{
    uint32_t room[EMU_LANES], out[EMU_LANES], found = 0;
    const uint32_t *b = emu_int(w, op->b, room);
    int is_signed = emu_bit(op, 73), shift = emu_bit(op, 74);

    LANES
    {
        uint32_t v = is_signed && (int32_t)b[l] < 0 ? ~b[l] : b[l];
        uint32_t at = v != 0 ? 31 - (uint32_t)__builtin_clz(v) : EMU_ALL;

        found |= (uint32_t)(v != 0) << l;
        out[l] = v != 0 && shift ? 31 - at : at;
    }
    emu_write(w, op->d, 0, mask, out);
    emu_write_predicate(w, op->u, mask, found);
}

EXEC(sgxt)
{
    uint32_t out[EMU_LANES];
    const uint32_t *a = emu_row(w, op->a, 0);
    const uint32_t *b = emu_row(w, op->b, 0);
    int is_signed = emu_bit(op, 73), wrap = emu_bit(op, 75);

    LANES
    {
        uint32_t n = wrap ? b[l] & 31 : b[l];

        if (n >= 32)
            out[l] = a[l];
        else if (n == 0)
            out[l] = 0;
        else if (is_signed)
            out[l] = (uint32_t)((int32_t)(a[l] << (32 - n)) >> (32 - n));
        else
            out[l] = a[l] & ((1u << n) - 1);
    }
    emu_write(w, op->d, 0, mask, out);
}

/* B ones from bit A up. */
EXEC(bmsk)
{
    uint32_t out[EMU_LANES];
    const uint32_t *a = emu_row(w, op->a, 0);
    const uint32_t *b = emu_row(w, op->b, 0);
    int wrap = emu_bit(op, 75);

    LANES
    {
        uint32_t at = wrap ? a[l] & 31 : a[l], n = wrap ? b[l] & 31 : b[l];
        uint64_t ones = n >= 32 ? EMU_ALL : (UINT64_C(1) << n) - 1;

        out[l] = at >= 32 ? 0 : (uint32_t)(ones << at);
    }
    emu_write(w, op->d, 0, mask, out);
}

/* Predicates as bits of a register's byte, for the lanes each their own. */
EXEC(p2r)
{
    uint32_t out[EMU_LANES];
    const uint32_t *a = emu_row(w, op->a, 0);
    uint32_t which = emu_bits(op, 39, 32), shift = 8 * emu_bits(op, 77, 76);

    LANES
    {
        uint32_t bits = 0;

        for (unsigned i = 0; i < 7; i++)
            bits |= (w->p[i] >> l & 1) << i;
        out[l] = (a[l] & ~(which << shift)) | (bits & which) << shift;
    }
    emu_write(w, op->d, 0, mask, out);
}

EXEC(r2p)
{
    const uint32_t *a = emu_row(w, op->a, 0);
    uint32_t which = emu_bits(op, 39, 32), shift = 8 * emu_bits(op, 77, 76);

    for (unsigned i = 0; i < 7; i++) {
        uint32_t bits = 0;

        if ((which >> i & 1) == 0)
            continue;
        LANES bits |= (a[l] >> shift >> i & 1) << l;
        w->p[i] = (w->p[i] & ~mask) | (bits & mask);
    }
}

const struct emu_row_of EMU_TABLE(int)[] = {
    {"MOV", mov},
    {"UMOV", mov},
    {"SEL", sel},
    {"USEL", sel},
    {"IADD3", iadd3},
    {"UIADD3", iadd3},
    {"VIADD", viadd},
    {"IMAD", imad},
    {"UIMAD", imad},
    {"IMAD.WIDE", imad_wide},
    {"UIMAD.WIDE", imad_wide},
    {"IMAD.HI", imad_hi},
    {"UIMAD.HI", imad_hi},
    {"LEA", lea},
    {"ULEA", lea},
    {"LOP3", lop3},
    {"ULOP3", lop3},
    {"PLOP3", plop3},
    {"UPLOP3", plop3},
    {"SHF", shf},
    {"USHF", shf},
    {"PRMT", prmt},
    {"UPRMT", prmt},
    {"ISETP", isetp},
    {"UISETP", isetp},
    {"IMNMX", imnmx},
    {"VIMNMX", viaddmnmx},
    {"VIADDMNMX", viaddmnmx},
    {"VIMNMX3", vimnmx3},
    {"IABS", iabs},
    {"VABSDIFF", vabsdiff},
    {"VABSDIFF4", vabsdiff4},
    {"IDP", idp},
    {"POPC", popc},
    {"UPOPC", popc},
    {"BREV", brev},
    {"UBREV", brev},
    {"FLO", flo},
    {"UFLO", flo},
    {"SGXT", sgxt},
    {"USGXT", sgxt},
    {"BMSK", bmsk},
    {"UBMSK", bmsk},
    {"P2R", p2r},
    {"R2P", r2p},
    {0},
};
