/* Bits: moves, logic, shifts, permutations, fields and counts; also of the
 * uniform datapath, whose operands are the same in every lane. */
#include "traces/emulate/core/operand.h"

/* 75:72 of MOV chooses lanes of each four: all of them in what compilers
 * make. */
EXEC(mov)
{
    int is_wide = op->d != NULL && op->d->count == 2;
    uint32_t low[EMU_LANES];

    if (emu_bits(op, 8, 0) == 0x002 && emu_bits(op, 11, 0) != 0x402 &&
        emu_bits(op, 75, 72) != 15) {
        emu_refuse(w, op);
        return;
    }
    if (!is_wide) {
        emu_write(w, op->d, 0, mask, emu_row(w, op->b, 0));
        return;
    }
    memcpy(low, emu_row(w, op->b, 0), sizeof low);
    emu_write(w, op->d, 1, mask, emu_row(w, op->b, 1));
    emu_write(w, op->d, 0, mask, low);
}

EXEC(sel)
{
    unsigned words = op->d != NULL && op->d->count == 2 ? 2 : 1;
    uint32_t which[EMU_LANES], out[2][EMU_LANES];

    emu_spread(emu_predicate(w, op->p), which);
    for (unsigned i = 0; i < words; i++) {
        const uint32_t *a = emu_row(w, op->a, i);
        const uint32_t *b = emu_row(w, op->b, i);

        LANES out[i][l] = (a[l] & which[l]) | (b[l] & ~which[l]);
    }
    for (unsigned i = 0; i < words; i++)
        emu_write(w, op->d, i, mask, out[i]);
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

/* The predicate is "some bit is set", and with .PAND the one read besides;
 * without, or that one.  (lop3.and and lop3.or of PTX become these.) */
EXEC(lop3)
{
    uint32_t out[EMU_LANES], term[8];
    const uint32_t *row[3];

    emu_sources(w, op, row);
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
        emu_write_predicate(w, op->u, mask,
                            emu_bit(op, 80) ? some & p : some | p);
    }
}

EXEC(plop3)
{
    uint32_t a = emu_predicate(w, op->p), b = emu_predicate(w, op->q);
    uint32_t c = emu_predicate(w, op->r);
    unsigned table = emu_bits(op, 76, 72) << 3 | emu_bits(op, 66, 64);

    if (op->a != NULL) { /* signs of words, and the table in one piece */
        a = emu_signs(emu_row(w, op->a, 0));
        b = emu_signs(emu_row(w, op->b, 0));
        c = emu_signs(emu_row(w, op->c, 0));
        table = emu_bits(op, 79, 72);
    }
    emu_write_predicate(w, op->u, mask, lut(table, a, b, c));
    emu_write_predicate(w, op->v, mask, lut(emu_bits(op, 23, 16), a, b, c));
}

/* {C, A} shifted by B, whose amounts are at most 64. */
static uint32_t funnel(const struct emu_op *op, uint32_t low, uint32_t high,
                       uint32_t amount)
{
    int is_signed = emu_bits(op, 74, 73) == 0;
    int right = emu_bit(op, 76), upper = emu_bit(op, 80);
    uint64_t v = (uint64_t)high << 32 | low;

    if (emu_bit(op, 75))
        amount &= 63;
    if (right && is_signed)
        v = (uint64_t)((int64_t)v >> (amount < 64 ? amount : 63));
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

    emu_sources(w, op, row);
    /* types: 0 S64, 1 U64, 2 S32, 3 U32 */
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

    emu_sources(w, op, row);
    if (mode == 0 && op->b != NULL && op->b->kind != SASS_REGISTER) {
        permute_all(row[1][0], row[0], row[2], out);
        emu_write(w, op->d, 0, mask, out);
        return;
    }
    LANES out[l] = permute(mode, row[0][l], row[1][l], row[2][l]);
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

/* Whether more is named than the predicates there are: what that gives is not
 * known. */
static int names_others(const struct emu_op *op, uint32_t most)
{
    return emu_bits(op, 63, 32) > most;
}

/* Predicates as bits of a register's byte, for the lanes each their own. */
EXEC(p2r)
{
    uint32_t out[EMU_LANES];
    const uint32_t *a = emu_row(w, op->a, 0);
    uint32_t which = emu_bits(op, 39, 32), shift = 8 * emu_bits(op, 77, 76);

    if (names_others(op, 0x7f)) {
        emu_refuse(w, op);
        return;
    }
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

    if (names_others(op, 0xff)) { /* PT stays */
        emu_refuse(w, op);
        return;
    }
    for (unsigned i = 0; i < 7; i++) {
        uint32_t bits = 0;

        if ((which >> i & 1) == 0)
            continue;
        LANES bits |= (a[l] >> shift >> i & 1) << l;
        w->p[i] = (w->p[i] & ~mask) | (bits & mask);
    }
}

/* The same of a warp's one set of uniform predicates. */
EXEC(up2ur)
{
    uint32_t out[EMU_LANES];
    const uint32_t *a = emu_row(w, op->a, 0);
    uint32_t which = emu_bits(op, 39, 32), shift = 8 * emu_bits(op, 77, 76);
    uint32_t bits = 0;

    if (names_others(op, 0x7f)) {
        emu_refuse(w, op);
        return;
    }
    for (unsigned i = 0; i < 7; i++)
        bits |= (uint32_t)(w->up[i] & 1) << i;
    LANES out[l] = (a[l] & ~(which << shift)) | (bits & which) << shift;
    emu_write(w, op->d, 0, mask, out);
}

EXEC(ur2up)
{
    uint32_t which = emu_bits(op, 39, 32), shift = 8 * emu_bits(op, 77, 76);
    uint32_t bits = emu_row(w, op->a, 0)[0] >> shift;

    if (names_others(op, 0xff)) { /* UPT stays */
        emu_refuse(w, op);
        return;
    }
    for (unsigned i = 0; mask != 0 && i < 7; i++) {
        if (which >> i & 1)
            w->up[i] = bits >> i & 1;
    }
}

/* Halves of a thread's register for return addresses, in which compilers also
 * keep what another register has no room for. */
EXEC(rpcmov)
{
    uint32_t *half = w->rpc[emu_bit(op, 31)];
    const uint32_t *from = emu_row(w, op->b, 0);

    if (op->d != NULL) {
        emu_write(w, op->d, 0, mask, half);
        return;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);

        half[l] = from[l];
    }
}

const struct emu_row_of EMU_TABLE(logic)[] = {
    {"RPCMOV", rpcmov}, {"MOV", mov},     {"UMOV", mov},    {"SEL", sel},
    {"USEL", sel},      {"LOP3", lop3},   {"ULOP3", lop3},  {"PLOP3", plop3},
    {"UPLOP3", plop3},  {"SHF", shf},     {"USHF", shf},    {"PRMT", prmt},
    {"UPRMT", prmt},    {"POPC", popc},   {"UPOPC", popc},  {"BREV", brev},
    {"UBREV", brev},    {"FLO", flo},     {"UFLO", flo},    {"SGXT", sgxt},
    {"USGXT", sgxt},    {"BMSK", bmsk},   {"UBMSK", bmsk},  {"P2R", p2r},
    {"R2P", r2p},       {"UP2UR", up2ur}, {"UR2UP", ur2up}, {0},
};
