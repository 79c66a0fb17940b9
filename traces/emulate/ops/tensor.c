/*
 * Copies by tensor map between global and shared memory, carried out at once.
 *
 * A copy's uniform registers, from the first of its operand on: where in
 * shared memory the box stands, for a load the mbarrier that hears of it, and
 * the box's coordinates in the tensor, the innermost first.  A prefetch has
 * coordinates alone.  The box stands there row by row, rows that are shorter
 * than a swizzle's pattern as far apart as that is long (CUDA C++ Programming
 * Guide, "TMA swizzle"), and each 16 bytes where the pattern puts them: the
 * bits of the address above the pattern's row are added to those of the piece
 * without carry.  Outside the tensor nothing is read or written; a load fills
 * with 0 or NaN, and its mbarrier hears of the whole box.
 *
 * A copy by im2col has pixels one after the other, of each some channels: W first,
 * then H, D and N, in the part of the image that the map says; the filter's offsets
 * are added then.  One by gather4 has four rows of a matrix that coordinates name.
 * (PTX ISA, "Tensor", im2col and tile::gather4)
 *
 * Leaves out: im2col::w and interleaved layouts, which are faults; what type tf32
 * rounds off and types .ftz make 0, which is copied as it is.
 */
#include "traces/emulate/core/reduce.h"
#include "traces/emulate/core/tensor_map.h"
#include "traces/emulate/core/values.h"
#include "traces/emulate/ops/mbarrier.h"

enum {
    PIECE = 16, /* bytes that a swizzle moves together */
    BOX_ALIGNMENT = 128,
    ROW_MAX = 256 * 8,   /* bytes */
    STRIDE_BITS = 48,    /* of a dimension's value in a trace: its stride */
    REDUCED_ELEMENT = 9, /* value of a reduction */
};

enum how {
    HOW_TILE,
    HOW_IM2COL,
    HOW_GATHER, /* and scatter */
    HOW_OTHER,
};

enum {
    GATHERED = 4, /* rows */
};

/* The box that a copy is of. */
struct box {
    struct emu_tensor_map map;
    enum how how;
    int64_t at[EMU_MAP_RANKS]; /* coordinates of its first element */
    int64_t gathered[GATHERED];
    uint32_t offset[EMU_MAP_SPACES]; /* im2col: of the filter */
    uint32_t count[EMU_MAP_RANKS];   /* elements that are copied */
    uint32_t row_bytes;              /* in shared memory */
    uint32_t pitch;
    uint32_t rows;
};

/* Which way, and what a copy does to what was there. */
enum move {
    MOVE_IN,
    MOVE_OUT,
    MOVE_REDUCE,
};

/* ---- the box ----------------------------------------------------------------- */

/* Reads the map that the pair of uniform registers names; 0 after a fault. */
static int read_map(struct emu_warp *w, const struct emu_op *op, int lane,
                    struct emu_tensor_map *m)
{
    uint64_t at = emu_uniform_pair(w, emu_uniform_bits(op, 29, 24));
    uint8_t object[EMU_MAP_BYTES];
    struct teg_diag d = {0};

    if (at % EMU_MAP_ALIGNMENT != 0) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "expected a tensor map at a multiple of %d, found 0x%llx",
                  EMU_MAP_ALIGNMENT, (unsigned long long)at);
        return 0;
    }
    for (unsigned i = 0; i < EMU_MAP_BYTES; i += PIECE) {
        const void *from =
            emu_access_at(w, op, lane, EMU_GENERIC, at + i, PIECE, EMU_READ);

        if (from == NULL)
            return 0;
        memcpy(object + i, from, PIECE);
    }
    if (emu_map_read(m, object, &d) == TEG_OK)
        return 1;
    emu_fault(w, op, lane, TEG_LIMIT, "the tensor map at 0x%llx: %s",
              (unsigned long long)at, d.what);
    return 0;
}

/* Bits 84:82, of stores 83:82, before sm_100 bit 82. */
static enum how how_of(const struct emu_op *op)
{
    int stores = strcmp(op->sass.name, "UTMASTG") == 0;
    unsigned v = op->cc < 100 ? (unsigned)emu_bit(op, 82)
                              : emu_bits(op, stores ? 83 : 84, 82);

    return v == 0                    ? HOW_TILE
           : v == 1                  ? HOW_IM2COL
           : v == (stores ? 2u : 4u) ? HOW_GATHER
                                     : HOW_OTHER;
}

/* What the instruction and the map must agree on; 0 after a fault. */
static int check_box(struct emu_warp *w, const struct emu_op *op, int lane,
                     const struct emu_tensor_map *m)
{
    unsigned rank = emu_bits(op, 81, 79) + 1;

    if (m->rank != rank) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "expected a tensor map of %u dimensions, found %u", rank,
                  m->rank);
        return 0;
    }
    if ((how_of(op) == HOW_IM2COL) != (m->pixels != 0)) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "expected a tensor map %s, found one %s",
                  m->pixels != 0 ? "of tiles" : "of im2col",
                  m->pixels != 0 ? "of im2col" : "of tiles");
        return 0;
    }
    if (how_of(op) == HOW_GATHER && (m->rank != 2 || m->box[1] != 1)) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "expected a tensor map of boxes of one row, found %u rows",
                  m->box[1]);
        return 0;
    }
    if (how_of(op) == HOW_OTHER) {
        char name[TEG_SASS_TEXT]; /* .W, .W128 */

        teg_sass_opcode(&op->sass, name);
        emu_fault(w, op, lane, TEG_LIMIT, "%s is not emulated", name);
        return 0;
    }
    if (m->interleave != 0) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "interleaved tensors are not emulated");
        return 0;
    }
    return 1;
}

/* Offsets of the filter: 16 bits each, or 8, or 5. */
static void read_offsets(const struct emu_warp *w, const struct emu_op *op,
                         struct box *b)
{
    uint32_t offsets = op->c != NULL ? emu_row(w, op->c, 0)[0] & 0xffff : 0;
    unsigned bits = b->map.rank == 3 ? 16 : b->map.rank == 4 ? 8 : 5;

    for (uint32_t i = 0; i + 2 < b->map.rank; i++)
        b->offset[i] = offsets >> bits * i & ((1u << bits) - 1);
}

/* A coordinate of the innermost dimension in units; 0 after a fault. */
static int to_units(struct emu_warp *w, const struct emu_op *op, int lane,
                    const struct emu_tensor_map *m, int64_t *at)
{
    uint32_t unit = emu_map_unit(m);

    if (*at % unit != 0) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "expected a coordinate that is a multiple of %u elements of "
                  "%s, found %lld",
                  unit, emu_map_type_name(m->type), (long long)*at);
        return 0;
    }
    *at /= unit;
    return 1;
}

/* The box at the coordinates that stand in registers from `first` on; 0 after
 * a fault. */
static int read_box(struct emu_warp *w, const struct emu_op *op, int lane,
                    unsigned first, struct box *b)
{
    const struct emu_tensor_map *m = &b->map;
    uint32_t pattern;

    if (!read_map(w, op, lane, &b->map) || !check_box(w, op, lane, m))
        return 0;
    emu_map_count_units(&b->map);
    b->rows = 1;
    for (uint32_t i = 0; i < m->rank; i++) {
        uint32_t step = i == 0 ? 1 : m->step[i];

        b->at[i] = (int32_t)emu_uniform_at(w, first + i);
        if (i == 0 && !to_units(w, op, lane, m, &b->at[0]))
            return 0;
        b->count[i] = (m->box[i] + step - 1) / step;
        if (i != 0)
            b->rows *= b->count[i];
    }
    b->how = how_of(op);
    if (b->how == HOW_IM2COL) {
        b->rows = m->pixels;
        memset(b->offset, 0, sizeof b->offset);
        if (strcmp(op->sass.name, "UTMALDG") == 0 ||
            strcmp(op->sass.name, "UTMAPF") == 0)
            read_offsets(w, op, b);
    }
    if (b->how == HOW_GATHER) {
        b->rows = GATHERED;
        for (unsigned i = 0; i < GATHERED; i++)
            b->gathered[i] = (int32_t)emu_uniform_at(w, first + 1 + i);
    }
    pattern = emu_map_swizzle_bytes(m);
    b->row_bytes = b->count[0] * emu_map_shared(m);
    b->pitch = b->row_bytes < pattern ? pattern : b->row_bytes;
    return 1;
}

/* What an mbarrier hears of: the whole box, without the room behind units.  (What
 * CUTLASS's products of 6-bit numbers wait for) */
static int64_t heard_bytes(const struct box *b)
{
    return (int64_t)b->rows * b->count[0] * emu_map_element(&b->map);
}

/* What of a row lies in the tensor. */
struct run {
    uint64_t global; /* address of its first byte there */
    uint32_t from;   /* bytes of the row before it */
    uint32_t bytes;  /* in global memory */
};

/* Coordinates [from, to) of the box in dimension `i` are in the tensor, by
 * their number in the box. */
static void inside(const struct box *b, uint32_t i, uint32_t *from,
                   uint32_t *to)
{
    int64_t step = i == 0 ? 1 : b->map.step[i];
    int64_t before = b->at[i] < 0 ? (-b->at[i] + step - 1) / step : 0;
    int64_t left = (int64_t)b->map.size[i] - b->at[i];
    int64_t end = left > 0 ? (left + step - 1) / step : 0;

    end = end < b->count[i] ? end : b->count[i];
    *from = (uint32_t)(before < end ? before : end);
    *to = (uint32_t)end;
}

/* Where the row is in dimensions from the second on. */
static void coordinates(const struct box *b, uint32_t row,
                        int64_t at[EMU_MAP_RANKS])
{
    const struct emu_tensor_map *m = &b->map;

    for (uint32_t i = 1; i < m->rank; i++) {
        at[i] = b->at[i] + (int64_t)(row % b->count[i]) * m->step[i];
        row /= b->count[i];
    }
    if (b->how == HOW_GATHER)
        at[1] = b->gathered[row % GATHERED];
}

/* The `row`-th pixel behind the first: those of a line, then of the next one. */
static void pixel(const struct box *b, uint32_t row, int64_t at[EMU_MAP_RANKS])
{
    const struct emu_tensor_map *m = &b->map;
    int64_t more = row;

    for (uint32_t i = 1; i + 1 < m->rank; i++) {
        int64_t step = m->step[i], low = m->lower[i - 1];
        int64_t end = (int64_t)m->size[i] + m->upper[i - 1];
        int64_t line = end > low ? (end - low + step - 1) / step : 1;
        int64_t left = end > b->at[i] ? (end - b->at[i] + step - 1) / step : 1;

        at[i] = b->at[i] + more * step;
        if (more < left) {
            more = 0;
        } else {
            at[i] = low + (more - left) % line * step;
            more = 1 + (more - left) / line;
        }
        at[i] += b->offset[i - 1];
    }
    at[m->rank - 1] = b->at[m->rank - 1] + more;
}

static struct run run_of(const struct box *b, uint32_t row)
{
    const struct emu_tensor_map *m = &b->map;
    uint32_t element = emu_map_element(m), from, to;
    int64_t at[EMU_MAP_RANKS];
    struct run run = {.global = m->address};

    if (b->how == HOW_IM2COL)
        pixel(b, row, at);
    else
        coordinates(b, row, at);
    for (uint32_t i = 1; i < m->rank; i++) {
        if (at[i] < 0 || at[i] >= (int64_t)m->size[i])
            return run;
        run.global += (uint64_t)at[i] * m->stride[i];
    }
    inside(b, 0, &from, &to);
    run.from = from * emu_map_shared(m);
    run.bytes = (to - from) * element;
    run.global += (uint64_t)(b->at[0] + from) * element;
    return run;
}

/* ---- rows -------------------------------------------------------------------- */

/* A row between shared memory, at generic address `at`, and `row`; 0 after a
 * fault. */
static int move_shared(struct emu_warp *w, const struct emu_op *op, int lane,
                       const struct box *b, uint64_t at, uint8_t *row, int load)
{
    for (uint32_t i = 0; i < b->row_bytes; i += PIECE) {
        uint8_t *shared =
            emu_generic(w, op, lane, emu_map_swizzled(&b->map, at + i), PIECE,
                        load ? EMU_WRITE : EMU_READ);
        uint32_t half = emu_map_flips(&b->map, at + i) ? PIECE / 2 : 0;

        if (shared == NULL)
            return 0;
        for (uint32_t k = 0; k < PIECE; k += PIECE / 2)
            memcpy(load ? shared + (k ^ half) : row + i + k,
                   load ? row + i + k : shared + (k ^ half), PIECE / 2);
    }
    return 1;
}

/* What can be accessed at once at `at` of `left` bytes. */
static uint32_t step_at(uint64_t at, uint32_t left)
{
    uint32_t bytes = PIECE;

    while (at % bytes != 0 || bytes > left)
        bytes /= 2;
    return bytes;
}

static int load_run(struct emu_warp *w, const struct emu_op *op, int lane,
                    const struct run *run, uint8_t *row)
{
    for (uint32_t i = 0, n; i < run->bytes; i += n) {
        const void *from;

        n = step_at(run->global + i, run->bytes - i);
        from = emu_global(w, op, lane, run->global + i, n, EMU_READ);
        if (from == NULL)
            return 0;
        memcpy(row + run->from + i, from, n);
    }
    return 1;
}

/* Units that stand one behind the other from `first` of the row on get their
 * room behind them. */
static void spread(const struct box *b, const struct run *run, uint8_t *row)
{
    uint32_t bytes = emu_map_element(&b->map), apart = emu_map_shared(&b->map);
    uint8_t *first = row + run->from;

    for (uint32_t i = run->bytes / bytes; apart != bytes && i-- != 0;) {
        memmove(first + i * apart, first + i * bytes, bytes);
        memset(first + i * apart + bytes, 0, apart - bytes);
    }
}

static int store_run(struct emu_warp *w, const struct emu_op *op, int lane,
                     const struct run *run, const uint8_t *row)
{
    for (uint32_t i = 0, n; i < run->bytes; i += n) {
        void *to;

        n = step_at(run->global + i, run->bytes - i);
        to = emu_global(w, op, lane, run->global + i, n, EMU_WRITE);
        if (to == NULL)
            return 0;
        memcpy(to, row + run->from + i, n);
    }
    return 1;
}

static int reduce_run(struct emu_warp *w, const struct emu_op *op, int lane,
                      const struct box *b, const struct run *run,
                      const uint8_t *row)
{
    enum emu_reduction reduction = (enum emu_reduction)emu_bits(op, 89, 87);
    uint32_t n = emu_map_element(&b->map);

    for (uint32_t i = 0; i < run->bytes; i += n) {
        uint64_t old = 0, v = 0;
        void *to = emu_global(w, op, lane, run->global + i, n, EMU_UPDATE);

        if (to == NULL)
            return 0;
        memcpy(&old, to, n);
        memcpy(&v, row + run->from + i, n);
        v = emu_reduced(reduction, b->map.type, old, v);
        memcpy(to, &v, n);
    }
    return 1;
}

/* What stands in shared memory for elements outside: the NaN that the hardware
 * makes of floats. */
static void fill(const struct box *b, uint8_t *row)
{
    uint32_t n = emu_map_element(&b->map);
    uint64_t nan;

    memset(row, 0, b->row_bytes);
    if (!b->map.fills_nan)
        return;
    nan = UINT64_MAX >> 1 >> (64 - 8 * n);
    for (uint32_t i = 0; i < b->row_bytes; i += n)
        memcpy(row + i, &nan, n);
}

/* The whole box, standing at generic address `at`; 0 after a fault. */
static int move_box(struct emu_warp *w, const struct emu_op *op, int lane,
                    const struct box *b, uint64_t at, enum move move)
{
    uint8_t row[ROW_MAX];

    for (uint32_t r = 0; r < b->rows; r++, at += b->pitch) {
        struct run run = run_of(b, r);

        if (move == MOVE_IN) {
            fill(b, row);
            if (!load_run(w, op, lane, &run, row))
                return 0;
            spread(b, &run, row);
        }
        if (!move_shared(w, op, lane, b, at, row, move == MOVE_IN))
            return 0;
        if (move == MOVE_OUT && !store_run(w, op, lane, &run, row))
            return 0;
        if (move == MOVE_REDUCE && !reduce_run(w, op, lane, b, &run, row))
            return 0;
    }
    return 1;
}

/* ---- for the trace ------------------------------------------------------------- */

/* Rows that are not at equal distances are told as if they were, from the first in
 * memory to the last. */
static void note_rows(struct emu_warp *w, const struct box *b)
{
    uint64_t first = UINT64_MAX, last = 0, rows = 0, bytes = 0, apart = 0;

    for (uint32_t r = 0; r < b->rows; r++) {
        struct run run = run_of(b, r);

        if (run.bytes == 0)
            continue;
        bytes = run.bytes;
        first = run.global < first ? run.global : first;
        last = run.global > last ? run.global : last;
        rows++;
    }
    if (rows > 1)
        apart = (last - first) / (rows - 1);
    emu_value_all(w, 1, rows != 0 ? first : UINT64_MAX);
    emu_value_all(w, 4, bytes);
    emu_value_all(w, 5, rows << STRIDE_BITS | apart);
    for (uint32_t i = 2; i < EMU_MAP_RANKS; i++)
        emu_value_all(w, 4 + i, rows != 0 ? UINT64_C(1) << STRIDE_BITS : 0);
}

/* Ranks of blocks whose mbarriers hear of a copy to several. */
struct hearers {
    uint32_t ranks, twice; /* of these those that hear of two */
};

/* Values of TENSOR (isa/inst/values.def). */
static void note_values(struct emu_warp *w, const struct box *b,
                        uint64_t shared, uint64_t barrier,
                        struct hearers hearers)
{
    const struct emu_tensor_map *m = &b->map;
    uint64_t base = m->address, bytes = 0;
    uint64_t dim[EMU_MAP_RANKS] = {0};
    uint32_t inside_all = 1;

    for (uint32_t i = 0; i < EMU_MAP_RANKS; i++) {
        uint32_t from = 0, to = 1, step;

        if (i < m->rank) {
            inside(b, i, &from, &to);
            step = i == 0 ? 1 : m->step[i];
            base += (uint64_t)(b->at[i] + (int64_t)from * step) * m->stride[i];
            dim[i] = step * m->stride[i];
        }
        inside_all = inside_all && to > from;
        if (i == 0)
            bytes = (uint64_t)(to - from) * emu_map_element(m);
        dim[i] |= (uint64_t)(to - from) << STRIDE_BITS;
    }
    emu_value_all(
        w, 0, shared != UINT64_MAX ? emu_shared_offset(shared) : UINT64_MAX);
    emu_value_all(w, 1, inside_all ? base : UINT64_MAX);
    emu_value_all(w, 2, (uint64_t)heard_bytes(b));
    emu_value_all(w, 3,
                  barrier != UINT64_MAX
                      ? emu_mbarrier_value(w->block, barrier, hearers.ranks) |
                            emu_mbarrier_twice(w->block, hearers.twice)
                      : UINT64_MAX);
    if (b->how != HOW_TILE) {
        note_rows(w, b);
        return;
    }
    emu_value_all(w, 4, inside_all ? bytes : 0);
    for (uint32_t i = 1; i < EMU_MAP_RANKS; i++)
        emu_value_all(w, 4 + i, inside_all ? dim[i] : 0);
}

/* ---- instructions ---------------------------------------------------------------- */

static int check_place(struct emu_warp *w, const struct emu_op *op, int lane,
                       uint64_t shared)
{
    if (shared % BOX_ALIGNMENT == 0)
        return 1;
    emu_fault(w, op, lane, TEG_LIMIT,
              "expected shared memory at a multiple of %d, found 0x%llx",
              BOX_ALIGNMENT, (unsigned long long)emu_shared_offset(shared));
    return 0;
}

/* Into one block's shared memory, whose mbarrier hears of it. */
static int load_into(struct emu_warp *w, const struct emu_op *op, int lane,
                     const struct box *b, uint64_t shared, uint64_t barrier)
{
    uint64_t *word = emu_mbarrier_at(w, op, lane, barrier, 1);

    if (word == NULL ||
        !move_box(w, op, lane, b, emu_shared_generic(w, shared, 1), MOVE_IN))
        return 0;
    emu_mbarrier_note(w, word, 0, -heard_bytes(b));
    return 1;
}

/* The block whose mbarrier hears of what a copy to several brings to `rank`:
 * itself.  With .2CTA that is the one of its pair that is the first or second
 * there as the block is in whose memory the named mbarrier lies. */
static unsigned who_hears(unsigned rank, uint64_t barrier, int pairs)
{
    return pairs ? (rank & ~1u) | (barrier >> EMU_RANK_BIT & 1) : rank;
}

/* Of all `ranks` who hear, and who of two copies. */
static struct hearers hearers_of(uint32_t ranks, uint64_t barrier, int pairs)
{
    struct hearers h = {0};

    for (; ranks != 0; ranks &= ranks - 1) {
        uint32_t bit =
            1u << who_hears((unsigned)__builtin_ctz(ranks), barrier, pairs);

        h.twice |= h.ranks & bit;
        h.ranks |= bit;
    }
    return h;
}

/* .MULTICAST: the upper half of a register names the blocks of the cluster. */
EXEC(utmaldg)
{
    int pairs = teg_sass_modifier(&op->sass, "cta2") == 1;
    unsigned first = emu_uniform_bits(op, 37, 32);
    uint64_t shared = emu_uniform_at(w, first);
    uint64_t barrier = emu_uniform_at(w, first + 1);
    int lane = __builtin_ctz(mask);
    uint32_t ranks = 0;
    struct box b;

    if (!read_box(w, op, lane, first + 2, &b) ||
        !check_place(w, op, lane, shared))
        return;
    if (teg_sass_modifier(&op->sass, "multicast") == 1)
        ranks = emu_row(w, op->c, 0)[0] >> 16;
    note_values(w, &b, shared, barrier, hearers_of(ranks, barrier, pairs));
    if (ranks == 0) {
        load_into(w, op, lane, &b, shared, barrier);
        return;
    }
    for (uint32_t rest = ranks; rest != 0; rest &= rest - 1) {
        unsigned rank = (unsigned)__builtin_ctz(rest);

        if (!load_into(w, op, lane, &b, emu_with_rank(shared, rank),
                       emu_with_rank(barrier, who_hears(rank, barrier, pairs))))
            return;
    }
}

static void store(struct emu_warp *w, const struct emu_op *op, int lane,
                  enum move move)
{
    unsigned first = emu_uniform_bits(op, 37, 32);
    uint64_t shared = emu_uniform_at(w, first);
    enum emu_reduction reduction = (enum emu_reduction)emu_bits(op, 89, 87);
    struct box b;

    if (!read_box(w, op, lane, first + 1, &b) ||
        !check_place(w, op, lane, shared))
        return;
    if (move == MOVE_REDUCE && !emu_reduces(reduction, b.map.type)) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "elements of type %s cannot be reduced so",
                  emu_map_type_name(b.map.type));
        return;
    }
    if (emu_map_shared(&b.map) != emu_map_element(&b.map)) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "stores of elements of type %s are not emulated",
                  emu_map_type_name(b.map.type));
        return;
    }
    note_values(w, &b, shared, UINT64_MAX, (struct hearers){0});
    if (move == MOVE_REDUCE)
        emu_value_all(w, REDUCED_ELEMENT,
                      emu_map_element(&b.map) |
                          (uint64_t)emu_map_is_float(b.map.type)
                              << TEG_REDUCED_FLOAT_BIT);
    move_box(w, op, lane, &b, emu_shared_generic(w, shared, 0), move);
}

EXEC(utmastg)
{
    store(w, op, __builtin_ctz(mask), MOVE_OUT);
}

EXEC(utmaredg)
{
    store(w, op, __builtin_ctz(mask), MOVE_REDUCE);
}

/* Into the L2 cache. */
EXEC(utmapf)
{
    struct box b;

    if (read_box(w, op, __builtin_ctz(mask), emu_uniform_bits(op, 37, 32), &b))
        note_values(w, &b, UINT64_MAX, UINT64_MAX, (struct hearers){0});
}

/* What a copy reads of its map is always what memory holds here. */
EXEC(utmacctl)
{
    (void)w, (void)op, (void)mask;
}

const struct emu_row_of EMU_TABLE(tensor)[] = {
    {"UTMALDG", utmaldg}, {"UTMASTG", utmastg},   {"UTMAREDG", utmaredg},
    {"UTMAPF", utmapf},   {"UTMACCTL", utmacctl}, {0},
};
