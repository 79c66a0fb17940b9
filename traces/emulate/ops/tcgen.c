/*
 * Tensor memory (sm_100 to sm_110): who takes and returns columns, what moves
 * between them and registers (LDTM, of which .STAT also has the least or
 * greatest of each lane's columns, STTM) or shared memory (UTCCP), and who
 * hears when products are done (UTCBAR).  ops/tcgen_mma.c has the products.
 *
 * All of it is carried out at once, in the order in which it is issued.
 *
 * Layouts are those of the PTX ISA (tcgen05, "Data Movement Shape"); of the
 * narrow ones element by element as CUTLASS's copy traits have them.
 */
#include "traces/emulate/core/tensor_memory.h"
#include "traces/emulate/core/values.h"
#include "traces/emulate/ops/extreme.h"
#include "traces/emulate/ops/mbarrier.h"
#include "traces/emulate/ops/tile.h"

/* ---- allocation ------------------------------------------------------------- */

/* The lowest place for `count` units in a row, at a multiple of `step`; the
 * number of units if there is none. */
static uint32_t find_units(uint32_t taken, uint32_t count, uint32_t step)
{
    uint32_t wanted = (1u << count) - 1, at = 0;

    while (at + count <= EMU_TENSOR_UNITS && (taken & wanted << at) != 0)
        at += step;
    return at + count <= EMU_TENSOR_UNITS ? at : EMU_TENSOR_UNITS;
}

static void mark_units(struct emu_tensor_memory *t, const struct emu_warp *w,
                       const struct emu_op *op, uint32_t place, uint32_t count)
{
    t->taken |= ((1u << count) - 1) << place;
    for (uint32_t u = place; u < place + count; u++) {
        t->taken_by[u] = op;
        t->taken_by_warp[u] = w->number;
    }
}

/* So many units as the register says, in both blocks of a pair with .2CTA. */
static void take_units(struct emu_warp *w, const struct emu_op *op,
                       uint32_t mask)
{
    uint32_t count = emu_row(w, op->b, 0)[0], place, out[EMU_LANES];
    struct emu_tensor_memory *own = w->block->tensor, *other = own;

    if (emu_bit(op, 85)) {
        struct emu_block *peer = emu_tensor_peer(w, op);

        if (peer == NULL)
            return;
        other = peer->tensor;
    }
    if (count == 0 || count > EMU_TENSOR_UNITS) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  "%u units of 32 columns: tensor memory has %d", count,
                  EMU_TENSOR_UNITS);
        return;
    }
    place = find_units(own->taken | other->taken, count,
                       emu_bit(op, 75) ? count : 1);
    LANES out[l] = place;
    if (place < EMU_TENSOR_UNITS) {
        mark_units(own, w, op, place, count);
        mark_units(other, w, op, place, count);
        w->block->gang->progress++;
    }
    emu_write(w, op->d, 0, mask, out);
    emu_write_predicate(w, op->u, mask, place < EMU_TENSOR_UNITS ? EMU_ALL : 0);
}

/* What the register has stays, or is added. */
EXEC(utcatomsws)
{
    struct emu_tensor_memory *t = w->block->tensor;
    uint32_t units = emu_row(w, op->b, 0)[0], out[EMU_LANES];

    if (emu_bits(op, 11, 0) == 0x5e3) {
        take_units(w, op, mask);
        return;
    }
    if (emu_bit(op, 85)) {
        emu_refuse(w, op);
        return;
    }
    LANES out[l] = t->taken;
    t->taken = emu_bit(op, 87) ? t->taken | units : t->taken & units;
    t->taken &= (1u << EMU_TENSOR_UNITS) - 1;
    w->block->gang->progress++;
    emu_write(w, op->d, 0, mask, out);
}

/* ---- registers ---------------------------------------------------------------- */

/* How an access of a warp lies: bits 87 and 82:81. */
enum shape {
    DP16_B128,
    DP16_B256,
    DP32_B32,
    DP16_B64,
    DP16_B32_FIRST, /* the lower half of the lanes, then the upper one */
    DP16_B32_LAST,
};

struct access {
    enum shape shape;
    unsigned registers; /* of a lane */
    uint32_t lane, column;
    int packs; /* halves of two columns side by side in a register */
};

enum {
    /* Of a lane: 512 columns, of which the wide shapes give a lane half. */
    REGISTERS_MAX = EMU_TENSOR_COLUMNS / 2,
};

/* Registers that cross a column once more. */
static unsigned each_of(enum shape shape)
{
    return shape == DP16_B256 ? 4 : shape == DP16_B128 ? 2 : 1;
}

/* Columns that each of them moves on by. */
static unsigned width_of(enum shape shape)
{
    static const uint8_t widths[] = {4, 8, 1, 2, 1, 1};

    return widths[shape];
}

static unsigned lanes_of(enum shape shape)
{
    return shape == DP32_B32 ? 32 : 16;
}

/* Where a lane's register `r` lies: which lane and column, of 32 bits. */
static void place_of(enum shape shape, unsigned l, unsigned r, unsigned *lane,
                     unsigned *column)
{
    unsigned again = r / each_of(shape);

    switch (shape) {
    case DP16_B256: /* as accumulators of mma */
        *lane = l / 4 + 8 * (r / 2 % 2);
        *column = 2 * (l % 4) + r % 2;
        break;
    case DP16_B128:
        *lane = l / 4 + 8 * (r % 2);
        *column = l % 4;
        break;
    case DP16_B64:
        *lane = l / 4 + 8 * (l % 2);
        *column = l / 2 % 2;
        break;
    case DP32_B32:
        *lane = l;
        *column = 0;
        break;
    default:
        *lane = l % 16;
        *column = 0;
        break;
    }
    *column += again * width_of(shape);
}

/* Lanes of the warp that take part. */
static uint32_t part_of(enum shape shape)
{
    return shape == DP16_B32_FIRST  ? 0xffffu
           : shape == DP16_B32_LAST ? 0xffff0000u
                                    : EMU_ALL;
}

/* Checks the access; 0 after a fault.  A warp has the 32 lanes that its number
 * in its group of four says.  Lanes go round: products of two blocks that were
 * right on a B200 begin the second's rows at 128 (gau-nernst/learn-cuda,
 * matmul_v5.cu). */
static int find_access(struct emu_warp *w, const struct emu_op *op,
                       uint32_t mask, unsigned reg, struct access *a)
{
    uint32_t at, columns;

    a->shape = (enum shape)(emu_bit(op, 87) << 2 | emu_bits(op, 82, 81));
    if (a->shape > DP16_B32_LAST) {
        emu_refuse(w, op);
        return 0;
    }
    a->registers = (1u << emu_bits(op, 85, 83)) * each_of(a->shape);
    a->packs = emu_bit(op, 80);
    at = (uint32_t)emu_uniform_at(w, op->m->ureg) + (uint32_t)op->m->value;
    a->lane = emu_tensor_lane(at) % EMU_TENSOR_LANES;
    a->column = emu_tensor_column(at);
    columns = a->registers / each_of(a->shape) * width_of(a->shape);
    if (mask != w->exists || mask != EMU_ALL ||
        (reg != TEG_SASS_RZ && reg + a->registers > TEG_SASS_RZ)) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  mask != EMU_ALL ? "expected all lanes of the warp"
                                  : "the registers leave the file");
        return 0;
    }
    if (a->lane / 32 != w->number % 4 || a->lane % lanes_of(a->shape) != 0) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  "lane %u of tensor memory: this warp has lanes %u to %u, and "
                  "an access begins at a multiple of %u",
                  a->lane, w->number % 4 * 32, w->number % 4 * 32 + 31,
                  lanes_of(a->shape));
        return 0;
    }
    return emu_tensor_check(w, op, w->block, a->lane, lanes_of(a->shape),
                            a->column, a->packs ? 2 * columns : columns);
}

/* The cell, or the two, of a register. */
static uint32_t *cell_of(struct emu_warp *w, const struct access *a, unsigned l,
                         unsigned r)
{
    unsigned lane, column;

    place_of(a->shape, l, r, &lane, &column);
    return &w->block->tensor
                ->cell[a->lane + lane][a->column + (a->packs ? 2 : 1) * column];
}

/* What a load that reduces (.STAT) makes of each lane's columns; 0 after a
 * refusal or a fault. */
static int find_extreme(struct emu_warp *w, const struct emu_op *op,
                        const struct access *a, struct emu_extreme *e)
{
    unsigned reg = emu_bits(op, 23, 16), result = emu_bits(op, 31, 24);

    *e = (struct emu_extreme){
        .type = (enum emu_extreme_type)emu_bits(op, 65, 64),
        .least = emu_bit(op, 67),
        .absolute = emu_bit(op, 66),
        .nan = emu_bit(op, 68),
    };
    if (!emu_extreme_is(e)) {
        emu_refuse(w, op);
        return 0;
    }
    if (result == TEG_SASS_RZ || reg == TEG_SASS_RZ || result < reg ||
        result >= reg + a->registers)
        return 1;
    emu_fault(w, op, -1, TEG_LIMIT,
              "R%u is one of the registers that are loaded: which of the two "
              "is written last is not known",
              result);
    return 0;
}

EXEC(ldtm)
{
    unsigned reg = emu_bits(op, 23, 16), result = TEG_SASS_RZ;
    struct emu_extreme e = {EMU_EXTREME_NONE, 0, 0, 0};
    struct access a;

    if (!find_access(w, op, mask, reg, &a))
        return;
    if (emu_bits(op, 11, 0) == 0x5ee) {
        result = emu_bits(op, 31, 24);
        if (!find_extreme(w, op, &a, &e))
            return;
    }
    for (uint32_t rest = part_of(a.shape); rest != 0; rest &= rest - 1) {
        unsigned l = (unsigned)__builtin_ctz(rest);
        uint32_t loaded[REGISTERS_MAX];

        for (unsigned r = 0; r < a.registers; r++) {
            const uint32_t *cell = cell_of(w, &a, l, r);

            loaded[r] = a.packs ? (cell[0] & 0xffff) | cell[1] << 16 : cell[0];
            if (reg != TEG_SASS_RZ)
                w->r[reg + r][l] = loaded[r];
        }
        if (result != TEG_SASS_RZ)
            w->r[result][l] = emu_extreme_of(&e, loaded, a.registers);
    }
}

EXEC(sttm)
{
    unsigned reg = emu_bits(op, 39, 32);
    struct access a;

    if (!find_access(w, op, mask, reg, &a))
        return;
    for (uint32_t rest = part_of(a.shape); rest != 0; rest &= rest - 1) {
        unsigned l = (unsigned)__builtin_ctz(rest);

        for (unsigned r = 0; r < a.registers; r++) {
            uint32_t *cell = cell_of(w, &a, l, r);
            uint32_t v = reg == TEG_SASS_RZ ? 0 : w->r[reg + r][l];

            cell[0] = a.packs ? v & 0xffff : v;
            if (a.packs)
                cell[1] = v >> 16;
        }
    }
    w->block->gang->progress++;
}

/* ---- copies from shared memory --------------------------------------------------- */

/* A copy's rows, as many as `rows`, of `chunks` of 16 bytes; and on which lanes
 * row r lands: lane r / part * apart + r % part, and again every `again`.  By
 * bits 88 and 84:83.  (PTX ISA, "Data Movement Shape"; lanes as CUTLASS's copy
 * traits have them) */
static const struct copy_shape {
    uint8_t rows, chunks, part, apart, again, times;
} copy_shapes[8] = {
    [0] = {128, 2, 128, 0, 0, 1}, /* 128dp256bit */
    [2] = {4, 2, 1, 32, 0, 1},    /* 4dp256bit */
    [3] = {128, 1, 128, 0, 0, 1}, /* 128dp128bit */
    [4] = {64, 1, 64, 0, 64, 2},  /* 2x64dp128bit_lw02_lw13 */
    [5] = {64, 1, 32, 64, 32, 2}, /* 2x64dp128bit_lw01_lw23 */
    [6] = {32, 1, 32, 0, 32, 4},  /* 4x32dp128bit */
};

/* The descriptor of what is copied; 0 after a fault. */
static int copied_tile(struct emu_warp *w, const struct emu_op *op,
                       uint64_t desc, struct emu_tile *t)
{
    static const uint8_t swizzles[8] = {[0] = 1, [2] = 8, [4] = 4, [6] = 2};

    *t = (struct emu_tile){
        .start = (uint32_t)(desc & 0x3fff) << 4,
        .leading = (uint32_t)(desc >> 16 & 0x3fff) << 4,
        .stride = (uint32_t)(desc >> 32 & 0x3fff) << 4,
        .swizzle = swizzles[desc >> 61],
    };
    if (t->swizzle != 0 && (desc >> 46 & 7) == 1 && (desc >> 49 & 15) == 0)
        return 1;
    emu_fault(w, op, -1, TEG_LIMIT,
              "0x%016llx is no descriptor of what may be copied",
              (unsigned long long)desc);
    return 0;
}

/* The block's own shared memory into its own tensor memory. */
static int copy_rows(struct emu_warp *w, const struct emu_op *op,
                     struct emu_block *b, const struct copy_shape *s,
                     const struct emu_tile *t, uint32_t at)
{
    uint32_t lane = emu_tensor_lane(at), column = emu_tensor_column(at);
    uint32_t last = lane + (s->rows - 1u) / s->part * s->apart +
                    (s->rows - 1u) % s->part + (s->times - 1u) * s->again;

    if (last >= EMU_TENSOR_LANES || (s->rows > 4 && lane != 0)) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  "lane %u of tensor memory: such a copy does not begin there",
                  lane);
        return 0;
    }
    if (!emu_tensor_check(w, op, b, lane, last - lane + 1, column,
                          4u * s->chunks))
        return 0;
    for (unsigned row = 0; row < s->rows; row++) {
        uint32_t to = lane + row / s->part * s->apart + row % s->part;

        for (unsigned c = 0; c < s->chunks; c++) {
            const void *from = emu_generic(
                w, op, -1,
                EMU_SHARED_WINDOW + ((uint64_t)b->rank << EMU_RANK_BIT) +
                    emu_tile_chunk(t, row, c, 1),
                EMU_TILE_CHUNK, EMU_READ);

            if (from == NULL)
                return 0;
            for (unsigned i = 0; i < s->times; i++)
                memcpy(&b->tensor->cell[to + i * s->again][column + 4 * c],
                       from, EMU_TILE_CHUNK);
        }
    }
    return 1;
}

/* With .2CTA both blocks of a pair copy, each its own.  Formats that spread
 * numbers (81:80) are refused: where the bits of 4 go no text says. */
EXEC(utccp)
{
    const struct copy_shape *s =
        &copy_shapes[emu_bit(op, 88) << 2 | emu_bits(op, 84, 83)];
    uint32_t at = (uint32_t)emu_uniform_at(w, emu_uniform_bits(op, 29, 24)) +
                  (uint32_t)op->m->value;
    struct emu_block *peer = NULL;
    struct emu_tile tile;

    (void)mask;
    if (s->rows == 0 || emu_bits(op, 81, 80) != 0) {
        emu_refuse(w, op);
        return;
    }
    if (!copied_tile(w, op, emu_uniform_pair(w, emu_uniform_bits(op, 37, 32)),
                     &tile))
        return;
    if (emu_bit(op, 85)) {
        peer = emu_tensor_peer(w, op);
        if (peer == NULL || !copy_rows(w, op, peer, s, &tile, at))
            return;
    }
    if (copy_rows(w, op, w->block, s, &tile, at))
        w->block->gang->progress++;
}

/* ---- commits -------------------------------------------------------------------- */

/* An arrival at one block's barrier. */
static int arrive(struct emu_warp *w, const struct emu_op *op, uint64_t at)
{
    uint64_t *barrier = emu_mbarrier_at(w, op, -1, at, 1);

    if (barrier == NULL)
        return 0;
    emu_mbarrier_note(w, barrier, 1, 0);
    return 1;
}

/* [the mbarrier], and with .MULTICAST the blocks of the cluster at whose place
 * of that offset it arrives. */
EXEC(utcbar)
{
    uint64_t at = emu_uniform_at(w, emu_uniform_bits(op, 29, 24));
    uint32_t blocks = 0;

    if (emu_bit(op, 75)) {
        blocks = emu_row(w, op->c, 0)[0] & 0xffff;
        if (blocks >> w->block->cluster_blocks != 0) {
            emu_fault(w, op, -1, TEG_LIMIT,
                      "blocks 0x%x of a cluster of %u blocks", blocks,
                      w->block->cluster_blocks);
            return;
        }
    }
    emu_value_all(w, 0, emu_mbarrier_value(w->block, at, blocks));
    /* Once, however many lanes stand here. */
    for (int l = 0; l < EMU_LANES; l++)
        emu_value(w, 1, l, l == __builtin_ctz(mask));
    emu_value_all(w, 2, 0);
    if (!emu_bit(op, 75)) {
        arrive(w, op, at);
        return;
    }
    for (uint32_t rest = blocks; rest != 0; rest &= rest - 1) {
        if (!arrive(w, op, emu_with_rank(at, (unsigned)__builtin_ctz(rest))))
            return;
    }
}

/* Its SM hands out no more columns to this block: the books say so. */
EXEC(uvirtcount)
{
    (void)w, (void)op, (void)mask;
}

const struct emu_row_of EMU_TABLE(tcgen)[] = {
    {"UTCATOMSWS", utcatomsws},
    {"LDTM", ldtm},
    {"STTM", sttm},
    {"UTCCP", utccp},
    {"UTCBAR", utcbar},
    {"UVIRTCOUNT", uvirtcount},
    {0},
};
