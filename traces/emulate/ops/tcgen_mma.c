/*
 * Products of tcgen05 (sm_100 to sm_110), issued by one thread: M rows of A by N
 * columns of B, which lie in shared memory as descriptors say, A perhaps in
 * tensor memory, added into tensor memory.  With .2CTA a pair of blocks makes
 * one: each has half of the rows of A and of D, and half of the columns of B.
 *
 * Models: the whole product when it is issued.  Until a commit is heard of
 * nobody may look, so that is what the hardware gives.
 * Descriptors are those of the PTX ISA ("Instruction Descriptor", "Matrix
 * Descriptor"), layouts its "Data Path Layout" A, B, D and F, of .ws E and G;
 * where metadata, scales of pairs of 64 rows and A's two copies there lie is as
 * CUTLASS's fragments of tensor memory have it.
 * Sums are formed in double precision and rounded once, to nearest even; the PTX
 * ISA leaves order and precision of sums open, the hardware cuts terms to a
 * common exponent.  Integers are exact.
 * What a product keeps of a factor for the next one changes nothing.
 * Leaves out: sparse products of 64 rows a block, .ws with a mask of columns or A of
 * fewer than 128 rows in tensor memory, .ashift, depths of 96 (sm_103).
 */
#include <math.h>

#include "isa/inst/product.h"
#include "isa/inst/tensor.h"
#include "traces/emulate/core/half.h"
#include "traces/emulate/core/tensor_memory.h"
#include "traces/emulate/core/values.h"
#include "traces/emulate/ops/mbarrier.h"
#include "traces/emulate/ops/sparse.h"
#include "traces/emulate/ops/tile.h"

enum {
    ROWS_MAX = EMU_TENSOR_LANES,
    COLUMNS_MAX = 256,
    DEPTH_MAX = 128,
    STORED_MAX = 64,   /* of a row of A */
    SUBPARTITION = 32, /* lanes */
    BLOCKS = 2,        /* of a pair */
};

/* ---- numbers ------------------------------------------------------------------ */

enum element {
    HALF,
    BF16,
    TF32,
    E4M3,
    E5M2,
    E2M3, /* sixteen in 16 bytes, of which they fill the first 12, or 8 */
    E3M2,
    E2M1,
    E2M1_PACKED, /* 32 in 16 bytes */
    SIGNED,
    UNSIGNED,
    NO_ELEMENT,
};

/* Bits in shared memory, and how many of them are in 16 bytes. */
static const struct {
    uint8_t bits, each;
} stored[] = {
    [HALF] = {16, 8},   [BF16] = {16, 8},     [TF32] = {32, 4},
    [E4M3] = {8, 16},   [E5M2] = {8, 16},     [E2M3] = {6, 16},
    [E3M2] = {6, 16},   [E2M1] = {4, 16},     [E2M1_PACKED] = {4, 32},
    [SIGNED] = {8, 16}, [UNSIGNED] = {8, 16},
};

static double value_of(uint32_t v, enum element type)
{
    switch (type) {
    case HALF:
        return (double)half_value(v);
    case BF16:
        return (double)bf16_value(v);
    case TF32: /* the lower bits do not count */
        return (double)float_of(v & 0xffffe000);
    case E4M3:
        return (double)e4m3_value(v);
    case E5M2:
        return (double)e5m2_value(v);
    case E2M3:
        return small_float_value(v, 2, 3);
    case E3M2:
        return small_float_value(v, 3, 2);
    case E2M1:
    case E2M1_PACKED:
        return small_float_value(v, 2, 1);
    case SIGNED:
        return (double)(int8_t)v;
    default:
        return (double)(uint8_t)v;
    }
}

/* Bits `at` to at + bits - 1 of 16 bytes. */
static uint32_t bits_at(const uint8_t *chunk, unsigned at, unsigned bits)
{
    uint64_t v = 0;
    unsigned first = at / 8, last = (at + bits - 1) / 8;

    memcpy(&v, chunk + first, last - first + 1);
    return (uint32_t)(v >> at % 8 & ((UINT64_C(1) << bits) - 1));
}

/* ---- what is multiplied -------------------------------------------------------- */

enum kind {
    KIND_FLOAT, /* kind::f16 and tf32 */
    KIND_INTEGER,
    KIND_SMALL, /* f8f6f4 */
    KIND_SMALL_SCALED,
    KIND_FOUR_SCALED,
};

enum sums {
    SUMS_HALF,
    SUMS_FLOAT,
    SUMS_INTEGER,
};

struct product {
    enum kind kind;
    enum element a, b;
    enum sums sums;
    int pair; /* of blocks */
    int saturates;
    unsigned rows; /* of each block */
    unsigned columns, depth;
    unsigned stacks;   /* parts of the columns one below the other */
    int is_stationary; /* .ws */
    int is_sparse;     /* half of A's columns are there */
    uint32_t metadata; /* where it says which */
    unsigned selector;
    double keeps;              /* factor of what is there */
    int scatters;              /* sixteen rows in each 32 lanes */
    double sign;               /* of the products */
    int turns_a, turns_b;      /* elements of one K are side by side */
    unsigned scales;           /* of a row; 0: none */
    unsigned first_a, first_b; /* byte of the first scale */
    int scales_e4m3;
    uint32_t scale_a, scale_b;                   /* where they are */
    uint32_t d;                                  /* where the sums are */
    int adds;                                    /* to what is there */
    uint32_t off[BLOCKS][EMU_TENSOR_LANES / 32]; /* lanes that stay */
};

static enum element small_element(uint32_t code)
{
    static const uint8_t elements[8] = {E4M3, E5M2, NO_ELEMENT, E2M3,
                                        E3M2, E2M1, NO_ELEMENT, NO_ELEMENT};

    return (enum element)elements[code];
}

static enum element element_of(enum kind kind, uint32_t code)
{
    switch (kind) {
    case KIND_FLOAT:
        return code <= 2 ? (enum element)(HALF + code) : NO_ELEMENT;
    case KIND_INTEGER:
        return code == 0 ? UNSIGNED : code == 1 ? SIGNED : NO_ELEMENT;
    case KIND_FOUR_SCALED:
        return code == 1 ? E2M1_PACKED : NO_ELEMENT;
    default:
        return small_element(code);
    }
}

static int is_scaled(enum kind kind)
{
    return kind == KIND_SMALL_SCALED || kind == KIND_FOUR_SCALED;
}

/* Elements of one K side by side: not of fewer than 8 bits. */
static int may_turn(enum element e)
{
    return e <= E5M2 || e == SIGNED || e == UNSIGNED;
}

static unsigned depth_of(const struct product *p)
{
    unsigned depth = p->a == TF32                  ? 8
                     : p->kind == KIND_FLOAT       ? 16
                     : p->kind == KIND_FOUR_SCALED ? 64
                                                   : 32;

    return p->is_sparse ? 2 * depth : depth;
}

/* Of a row of A. */
static unsigned stored_depth(const struct product *p)
{
    return p->is_sparse ? p->depth / 2 : p->depth;
}

/* Shapes that the PTX ISA has. */
static int has_shape(const struct product *p, uint32_t m)
{
    uint32_t step = p->pair || (m == 128 && !is_scaled(p->kind)) ? 16 : 8;

    if (p->is_stationary)
        return (m == 32 || m == 64 || m == 128) &&
               (p->columns == 64 || p->columns == 128 ||
                (p->columns == 256 && !p->is_sparse));
    if (p->columns == 0 || p->columns > COLUMNS_MAX || p->columns % step != 0)
        return 0;
    if (p->pair)
        return m == 128 || m == 256;
    return m == 128 || (m == 64 && !is_scaled(p->kind));
}

/* Sums of 16 bits are of halves and of small floats, of integers integers. */
static int has_types(const struct product *p, uint32_t format)
{
    if (p->a == NO_ELEMENT || p->b == NO_ELEMENT ||
        (p->turns_a && !may_turn(p->a)) || (p->turns_b && !may_turn(p->b)))
        return 0;
    if (p->kind == KIND_FLOAT && (p->a == TF32) != (p->b == TF32))
        return 0;
    if (is_scaled(p->kind))
        return 1;
    if (p->kind == KIND_INTEGER)
        return format == SUMS_INTEGER;
    return format == SUMS_FLOAT || (format == SUMS_HALF && p->a != BF16 &&
                                    p->b != BF16 && p->a != TF32);
}

/* What the instruction descriptor says; 0 after a fault. */
static int read_descriptor(struct emu_warp *w, const struct emu_op *op,
                           uint32_t desc, struct product *p)
{
    uint32_t m = (desc >> 24 & 0x1f) << 4, format = desc >> 4 & 3;
    int scaled = is_scaled(p->kind);

    p->a = element_of(p->kind, desc >> 7 & 7);
    p->b =
        element_of(p->kind, desc >> 10 & (p->kind == KIND_FOUR_SCALED ? 3 : 7));
    p->sums = scaled ? SUMS_FLOAT : (enum sums)format;
    p->saturates = p->kind == KIND_INTEGER && (desc >> 3 & 1);
    p->sign = ((desc >> 13 ^ desc >> 14) & 1) != 0 ? -1 : 1;
    p->turns_a = desc >> 15 & 1;
    p->turns_b = desc >> 16 & 1;
    p->columns = (desc >> 17 & 0x3f) << 3;
    p->rows = p->pair ? m / 2 : m;
    p->stacks = p->is_stationary      ? EMU_TENSOR_LANES / (m != 0 ? m : 1)
                : p->pair && m == 128 ? 2
                                      : 1;
    p->scatters = !p->pair && !p->is_stationary && m == 64;
    p->is_sparse = desc >> 2 & 1;
    p->selector = desc & 3;
    p->depth = depth_of(p);
    if (scaled) {
        p->first_b = desc >> 4 & 3;
        p->first_a = desc >> 29 & 3;
        p->scales_e4m3 = !(desc >> 23 & 1);
    }
    if (p->is_sparse && p->rows == 64 && !p->is_stationary) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  "sparse products of 64 rows are not emulated");
        return 0;
    }
    if (p->kind == KIND_FOUR_SCALED && desc >> 31) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  "products of a depth of 96 are not emulated");
        return 0;
    }
    if (has_shape(p, m) && has_types(p, format))
        return 1;
    emu_fault(
        w, op, -1, TEG_LIMIT,
        "the instruction descriptor 0x%08x, of %u rows and %u columns, is "
        "none of a product of this kind",
        desc, m, p->columns);
    return 0;
}

/* ---- factors ---------------------------------------------------------------------- */

/* [row][k], of one block, and of B [k][column]; of a sparse A what is stored, and
 * which columns it is. */
struct factors {
    double a[ROWS_MAX][STORED_MAX];
    uint8_t column[ROWS_MAX][STORED_MAX];
    double b[DEPTH_MAX][COLUMNS_MAX];
};

static unsigned column_of(const struct product *p, const struct factors *f,
                          unsigned row, unsigned k)
{
    return p->is_sparse ? f->column[row][k] : k;
}

static int tile_of(struct emu_warp *w, const struct emu_op *op, uint64_t desc,
                   int is_transposed, unsigned bits, struct emu_tile *t)
{
    static const uint8_t swizzles[8] = {
        [0] = 1, [1] = 8, [2] = 8, [4] = 4, [6] = 2};
    unsigned layout = (unsigned)(desc >> 61);

    *t = (struct emu_tile){
        .start = (uint32_t)(desc & 0x3fff) << 4,
        .leading = (uint32_t)(desc >> 16 & 0x3fff) << 4,
        .stride = (uint32_t)(desc >> 32 & 0x3fff) << 4,
        .swizzle = swizzles[layout],
        .is_transposed = is_transposed,
        .by_pairs = layout == 1,
    };
    if ((desc >> 49 & 7) != 0 || (desc >> 52 & 1) != 0) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  "a descriptor with a base offset or an absolute leading "
                  "address is not emulated");
        return 0;
    }
    if (t->swizzle != 0 && (desc >> 46 & 7) == 1 &&
        (!t->by_pairs || (is_transposed && bits == 32)))
        return 1;
    emu_fault(w, op, -1, TEG_LIMIT,
              "0x%016llx is no descriptor of such a factor",
              (unsigned long long)desc);
    return 0;
}

static const uint8_t *chunk_of(struct emu_warp *w, const struct emu_op *op,
                               const struct emu_block *b, uint32_t at)
{
    return emu_generic(
        w, op, -1, EMU_SHARED_WINDOW + at + ((uint64_t)b->rank << EMU_RANK_BIT),
        EMU_TILE_CHUNK, EMU_READ);
}

/* Elements of `rows` rows of a factor in a block's shared memory, element
 * (row, k) to out[row * row_step + k * k_step]; 0 after a fault. */
static int read_tile(struct emu_warp *w, const struct emu_op *op,
                     const struct emu_block *b, const struct emu_tile *t,
                     enum element type, unsigned rows, unsigned depth,
                     double *out, size_t row_step, size_t k_step)
{
    uint32_t each = stored[type].each, bits = stored[type].bits;
    uint32_t along = t->is_transposed ? each : 1,
             across = t->is_transposed ? 1 : each;

    for (uint32_t row = 0; row < rows; row += along) {
        for (uint32_t k = 0; k < depth; k += across) {
            const uint8_t *chunk =
                chunk_of(w, op, b, emu_tile_chunk(t, row, k, each));
            double *to = out + row * row_step + k * k_step;
            size_t step = t->is_transposed ? row_step : k_step;

            if (chunk == NULL)
                return 0;
            for (uint32_t i = 0; i < each; i++)
                to[i * step] = value_of(bits_at(chunk, bits * i, bits), type);
        }
    }
    return 1;
}

/* Which lane has a block's row of A and D. */
static unsigned lane_of_row(const struct product *p, unsigned row)
{
    return p->scatters ? row / 16 * SUBPARTITION + row % 16 : row;
}

/* Where parts of the columns stand one below the other, what their rows have in
 * common is there for each part: 1, or 0 after a fault. */
static int copies_agree(struct emu_warp *w, const struct emu_op *op,
                        const struct emu_block *b, uint32_t column,
                        uint32_t columns, unsigned copies, const char *what)
{
    unsigned lanes = EMU_TENSOR_LANES / copies;

    for (unsigned lane = lanes; lane < EMU_TENSOR_LANES; lane++) {
        if (memcmp(b->tensor->cell[lane] + column,
                   b->tensor->cell[lane % lanes] + column,
                   columns * sizeof(uint32_t)) == 0)
            continue;
        emu_fault(w, op, -1, TEG_LIMIT,
                  "%s differs between lanes %u and %u of tensor memory: copies "
                  "that differ are not emulated",
                  what, lane % lanes, lane);
        return 0;
    }
    return 1;
}

/* A in tensor memory: as many elements side by side as a column holds, small
 * floats of fewer bits in bytes: of 6 the lower, of 4 the middle ones. */
static int read_tensor_a(struct emu_warp *w, const struct emu_op *op,
                         const struct emu_block *b, const struct product *p,
                         uint32_t at, struct factors *f)
{
    unsigned bits = p->a == E2M1_PACKED     ? 4
                    : stored[p->a].bits < 8 ? 8
                                            : stored[p->a].bits;
    unsigned each = 32 / bits, shift = p->a == E2M1 ? 2 : 0;
    uint32_t column = emu_tensor_column(at), lane = emu_tensor_lane(at);

    unsigned copies = p->stacks, depth = stored_depth(p);

    if ((p->is_stationary && p->stacks > 1) || p->turns_a ||
        (lane != 0 && !(p->scatters && lane == 16))) {
        emu_refuse(w, op);
        return 0;
    }
    if (!emu_tensor_check(w, op, b, lane,
                          copies > 1 ? EMU_TENSOR_LANES
                                     : lane_of_row(p, p->rows - 1) + 1,
                          column, depth / each) ||
        !copies_agree(w, op, b, column, depth / each, copies, "A"))
        return 0;
    for (unsigned row = 0; row < p->rows; row++) {
        const uint32_t *cell = b->tensor->cell[lane + lane_of_row(p, row)];

        for (unsigned k = 0; k < depth; k++) {
            uint32_t v = cell[column + k / each] >> bits * (k % each);

            if (bits < 32)
                v &= (1u << bits) - 1;
            v >>= shift;
            if (stored[p->a].bits < bits)
                v &= (1u << stored[p->a].bits) - 1;
            f->a[row][k] = value_of(v, p->a);
        }
    }
    return 1;
}

/* ---- metadata ---------------------------------------------------------------------- */

/* Columns of A that four bits of metadata tell of: two of tf32, two pairs of four of
 * 4-bit floats that lie packed, four of others. */
static unsigned chunk_of_columns(const struct product *p)
{
    return p->a == TF32 ? 2 : p->a == E2M1_PACKED ? 8 : 4;
}

/* The four bits of metadata of a chunk of a row of A.  Of 32 and 16 bits sixteen rows have sixteen lanes, a word of
 * which has four chunks of a row and of the one eight further; a row's other
 * four are eight lanes further.  Of 8 bits a lane has its row's in two columns. */
static uint32_t metadata_of(const struct emu_block *b, const struct product *p,
                            unsigned row, unsigned chunk)
{
    uint32_t column = emu_tensor_column(p->metadata);
    unsigned lane;

    if (p->kind != KIND_FLOAT)
        return b->tensor->cell[row][column + chunk / 8] >> 4 * (chunk % 8) & 15;
    lane = row / 16 * 16 + chunk / 4 * 8 + row % 8;
    return b->tensor->cell[lane][column + p->selector] >>
               (row / 8 % 2 * 16 + chunk % 4 * 4) &
           15;
}

/* Whether the metadata is where it may be: 1, or 0 after a fault. */
static int check_metadata(struct emu_warp *w, const struct emu_op *op,
                          const struct emu_block *b, const struct product *p)
{
    uint32_t column = emu_tensor_column(p->metadata);
    uint32_t columns = p->kind == KIND_FLOAT ? 1 : 2;

    if (emu_tensor_lane(p->metadata) != 0 || column % 2 != 0 ||
        p->selector > (p->kind == KIND_FLOAT)) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  "metadata at lane %u, column %u with selector %u is not "
                  "emulated",
                  emu_tensor_lane(p->metadata), column, p->selector);
        return 0;
    }
    column += p->selector;
    return emu_tensor_check(w, op, b, 0, EMU_TENSOR_LANES, column, columns) &&
           copies_agree(w, op, b, column, columns, p->stacks, "metadata");
}

/* Whether all that a chunk stores, but for zeros, has a column. */
static int has_columns(const double *a, const uint8_t *column, unsigned count)
{
    for (unsigned i = 0; i < count; i++) {
        if (column[i] == EMU_SPARSE_NOWHERE && a[i] != 0)
            return 0;
    }
    return 1;
}

/* Which columns the stored elements of each row are.  What is not stored meets
 * nothing, not even an infinity. */
static int find_columns(struct emu_warp *w, const struct emu_op *op,
                        const struct emu_block *b, const struct product *p,
                        struct factors *f)
{
    unsigned wide = chunk_of_columns(p);

    if (!p->is_sparse)
        return 1;
    if (!check_metadata(w, op, b, p))
        return 0;
    for (unsigned row = 0; row < p->rows; row++) {
        for (unsigned c = 0; c < p->depth / wide; c++) {
            uint32_t bits = metadata_of(b, p, row, c);
            uint8_t *column = &f->column[row][wide / 2 * c];

            emu_sparse_chunk(bits, wide, wide * c, 1, column);
            if (has_columns(&f->a[row][wide / 2 * c], column, wide / 2))
                continue;
            emu_fault(w, op, -1, TEG_LIMIT,
                      "metadata 0x%x of row %u, columns %u to %u, names no %s",
                      bits, row, wide * c, wide * c + wide - 1,
                      wide == 2 ? "column" : "two columns in their order");
            return 0;
        }
    }
    return 1;
}

/* ---- scales ------------------------------------------------------------------------ */

/* Scales of row r lie in the r / 32-th column, lane r mod 32 of each
 * subpartition of 32 lanes; of A the subpartition of the row itself is read, of B
 * the first.  Where the halves of the columns stand one below the other, so do
 * their scales. */
static uint32_t scales_word(const struct emu_block *b, uint32_t at,
                            unsigned row, unsigned subpartition)
{
    unsigned lane = subpartition * SUBPARTITION + row % SUBPARTITION;

    return b->tensor->cell[lane][emu_tensor_column(at) + row / SUBPARTITION];
}

static double scale_of(const struct product *p, uint32_t word, unsigned byte)
{
    return scale_value(word >> 8 * (byte & 3) & 0xff, p->scales_e4m3);
}

/* Factors of a block by its scales. */
static int apply_scales(struct emu_warp *w, const struct emu_op *op,
                        const struct emu_block *b, const struct product *p,
                        struct factors *f)
{
    unsigned each, half = p->columns / p->stacks;

    if (p->scales == 0)
        return 1;
    if (p->first_a + p->scales > 4 || p->first_b + p->scales > 4) {
        emu_refuse(w, op);
        return 0;
    }
    if (!emu_tensor_check(w, op, b, 0, EMU_TENSOR_LANES,
                          emu_tensor_column(p->scale_a),
                          (p->rows + SUBPARTITION - 1) / SUBPARTITION) ||
        !emu_tensor_check(w, op, b, 0, EMU_TENSOR_LANES,
                          emu_tensor_column(p->scale_b),
                          (half + SUBPARTITION - 1) / SUBPARTITION))
        return 0;
    each = p->depth / p->scales;
    for (unsigned row = 0; row < p->rows; row++) {
        uint32_t word = scales_word(b, p->scale_a, row, row / SUBPARTITION);

        for (unsigned k = 0; k < stored_depth(p); k++)
            f->a[row][k] *=
                scale_of(p, word, p->first_a + column_of(p, f, row, k) / each);
    }
    for (unsigned n = 0; n < p->columns; n++) {
        uint32_t word = scales_word(b, p->scale_b, n % half, n / half * 2);

        for (unsigned k = 0; k < p->depth; k++)
            f->b[k][n] *= scale_of(p, word, p->first_b + k / each);
    }
    return 1;
}

/* ---- sums -------------------------------------------------------------------------- */

static double read_sum(uint32_t v, enum sums sums)
{
    return sums == SUMS_INTEGER ? (double)(int32_t)v
           : sums == SUMS_HALF  ? (double)half_value(v & 0xffff)
                                : (double)float_of(v);
}

/* Beyond 32 bits an integer is cut, or the nearest that fits. */
static uint32_t sum_bits(double sum, const struct product *p)
{
    if (p->sums == SUMS_HALF)
        return half_bits(sum);
    if (p->sums == SUMS_FLOAT)
        return float_bits((float)sum);
    if (p->saturates)
        return (uint32_t)(int32_t)fmin(fmax(sum, INT32_MIN), INT32_MAX);
    return (uint32_t)(int64_t)sum;
}

/* The rows of one block; `number` is its place in the pair. */
static void add_rows(struct emu_block *b, unsigned number,
                     const struct product *p, const struct factors *f)
{
    uint32_t first = emu_tensor_column(p->d), lane = emu_tensor_lane(p->d);
    unsigned part = p->columns / p->stacks;

    for (unsigned row = 0; row < p->rows; row++) {
        double sum[COLUMNS_MAX] = {0};

        for (unsigned k = 0; k < stored_depth(p); k++) {
            unsigned column = column_of(p, f, row, k);
            const double *from = f->b[column % DEPTH_MAX];
            double a = p->sign * f->a[row][k];

            if (column == EMU_SPARSE_NOWHERE)
                continue;
            for (unsigned n = 0; n < p->columns; n++)
                sum[n] += a * from[n];
        }
        for (unsigned n = 0; n < p->columns; n++) {
            unsigned at = lane + lane_of_row(p, row) +
                          n / part * (EMU_TENSOR_LANES / p->stacks);
            uint32_t *cell = &b->tensor->cell[at][first + n % part];

            if (p->off[number][at / 32] >> at % 32 & 1)
                continue;
            if (p->adds)
                sum[n] += p->keeps * read_sum(*cell, p->sums);
            *cell = sum_bits(sum[n], p);
        }
    }
}

static int check_sums(struct emu_warp *w, const struct emu_op *op,
                      const struct emu_block *b, const struct product *p)
{
    uint32_t lane = emu_tensor_lane(p->d), column = emu_tensor_column(p->d);
    unsigned lanes =
        p->stacks > 1 ? EMU_TENSOR_LANES : lane_of_row(p, p->rows - 1) + 1;

    if (lane != 0 && !(p->scatters && lane == 16)) {
        emu_fault(
            w, op, -1, TEG_LIMIT,
            "lane %u of tensor memory: sums of %u rows do not begin there",
            lane, p->rows);
        return 0;
    }
    return emu_tensor_check(w, op, b, lane, lanes, column,
                            p->columns / p->stacks);
}

/* ---- the instructions ----------------------------------------------------------------- */

static enum teg_tensor_type type_of(const struct product *p)
{
    switch (p->kind) {
    case KIND_FLOAT:
        return p->a == TF32           ? TENSOR_TF32
               : p->sums == SUMS_HALF ? TENSOR_F16
                                      : TENSOR_F16_F32;
    case KIND_INTEGER:
        return TENSOR_S8;
    case KIND_SMALL_SCALED:
        return TENSOR_F8_SCALED;
    case KIND_FOUR_SCALED:
        return TENSOR_F4_SCALED;
    default:
        return p->a > E5M2 || p->b > E5M2 ? TENSOR_F6
               : p->sums == SUMS_HALF     ? TENSOR_F8
                                          : TENSOR_F8_F32;
    }
}

/* The blocks that take part, the even one of a pair first; how many. */
static unsigned blocks_of(struct emu_warp *w, const struct emu_op *op,
                          const struct product *p,
                          struct emu_block *block[BLOCKS])
{
    struct emu_block *peer;

    block[0] = w->block;
    if (!p->pair)
        return 1;
    peer = emu_tensor_peer(w, op);
    if (peer == NULL)
        return 0;
    block[w->block->rank % 2] = w->block;
    block[1 - w->block->rank % 2] = peer;
    return BLOCKS;
}

/* B of all blocks, side by side. */
static int read_b(struct emu_warp *w, const struct emu_op *op,
                  struct emu_block *const block[BLOCKS], unsigned blocks,
                  const struct product *p, uint64_t desc, struct factors *f)
{
    struct emu_tile tile;
    unsigned own = p->columns / blocks;

    if (!tile_of(w, op, desc, p->turns_b, stored[p->b].bits, &tile))
        return 0;
    if (p->is_sparse && !p->turns_b && tile.swizzle == 2) {
        emu_fault(w, op, -1, TEG_LIMIT,
                  "columns of 64 bytes with a swizzle of 32 are not emulated");
        return 0;
    }
    for (unsigned i = 0; i < blocks; i++) {
        if (!read_tile(w, op, block[i], &tile, p->b, own, p->depth,
                       &f->b[0][i * own], 1, COLUMNS_MAX))
            return 0;
    }
    return 1;
}

static int has_tensor_a(const struct emu_op *op)
{
    return emu_bits(op, 11, 8) == 0x9 || emu_bits(op, 11, 8) == 0xf;
}

static int read_a(struct emu_warp *w, const struct emu_op *op,
                  const struct emu_block *b, const struct product *p,
                  struct factors *f)
{
    unsigned number = emu_uniform_bits(op, 29, 24);
    struct emu_tile tile;

    if (has_tensor_a(op))
        return read_tensor_a(w, op, b, p, (uint32_t)emu_uniform_at(w, number),
                             f);
    return tile_of(w, op, emu_uniform_pair(w, number), p->turns_a,
                   stored[p->a].bits, &tile) &&
           read_tile(w, op, b, &tile, p->a, p->rows, stored_depth(p),
                     &f->a[0][0], STORED_MAX, 1);
}

static void read_mask(const struct emu_warp *w, const struct emu_op *op,
                      struct product *p)
{
    unsigned number = emu_uniform_bits(op, 53, 48);

    for (unsigned i = 0; i < 4 * (p->pair ? 2u : 1u) && number < EMU_NO_UNIFORM;
         i++)
        p->off[i / 4][i % 4] = (uint32_t)emu_uniform_at(w, number + i);
}

/* .ASHIFT, and of .WS a mask of columns and how far B may be shifted. */
static int is_left_out(const struct emu_warp *w, const struct emu_op *op,
                       const struct product *p)
{
    uint32_t desc =
        (uint32_t)emu_uniform_at(w, emu_uniform_bits(op, 45, 40) + 1);

    if (teg_sass_modifier(&op->sass, "ashift") == 1)
        return 1;
    return p->is_stationary &&
           (emu_uniform_bits(op, 53, 48) < EMU_NO_UNIFORM || desc >> 30 != 0);
}

static void multiply(struct emu_warp *w, const struct emu_op *op,
                     enum kind kind, unsigned scales)
{
    unsigned e = emu_uniform_bits(op, 45, 40);
    struct product p = {.kind = kind,
                        .pair = emu_bit(op, 85),
                        .scales = scales,
                        .is_stationary = !is_scaled(kind) && emu_bit(op, 83),
                        .keeps = 1};
    struct emu_block *block[BLOCKS];
    struct factors f;
    unsigned blocks;

    if (is_left_out(w, op, &p)) {
        emu_refuse(w, op);
        return;
    }
    if (!read_descriptor(w, op, (uint32_t)emu_uniform_at(w, e + 1), &p))
        return;
    if (!is_scaled(kind))
        p.keeps = ldexp(1, -(int)emu_bits(op, 78, 75));
    p.metadata = (uint32_t)emu_uniform_at(w, e);
    p.d = (uint32_t)emu_uniform_at(w, emu_uniform_bits(op, 69, 64));
    p.adds = emu_predicate(w, op->p) != 0;
    if (scales != 0) {
        unsigned at = emu_uniform_bits(op, 53, 48);

        p.scale_a = (uint32_t)emu_uniform_at(w, at);
        p.scale_b = (uint32_t)emu_uniform_at(w, at + 1);
    } else {
        read_mask(w, op, &p);
    }
    blocks = blocks_of(w, op, &p, block);
    if (blocks == 0)
        return;
    for (unsigned i = 0; i < blocks; i++) {
        if (!check_sums(w, op, block[i], &p))
            return;
    }
    emu_value_all(w, 0,
                  teg_product_value(&(struct teg_product){
                      .rows = (uint16_t)p.rows,
                      .columns = (uint16_t)p.columns,
                      .depth = (uint16_t)stored_depth(&p),
                      .type = (uint8_t)type_of(&p),
                      .pair = (uint8_t)p.pair,
                      .a_in_tensor_memory = (uint8_t)has_tensor_a(op),
                  }));
    for (unsigned i = 0; i < blocks; i++) {
        /* Scales differ by block. */
        if ((i == 0 || p.scales != 0) &&
            !read_b(w, op, block, blocks, &p,
                    emu_uniform_pair(w, emu_uniform_bits(op, 37, 32)), &f))
            return;
        if (!read_a(w, op, block[i], &p, &f) ||
            !find_columns(w, op, block[i], &p, &f) ||
            !apply_scales(w, op, block[i], &p, &f))
            return;
        add_rows(block[i], i, &p, &f);
    }
    w->block->gang->progress++;
}

EXEC(utchmma)
{
    (void)mask;
    multiply(w, op, KIND_FLOAT, 0);
}

EXEC(utcimma)
{
    (void)mask;
    multiply(w, op, KIND_INTEGER, 0);
}

/* 0xdea and 0xfea have scales. */
EXEC(utcqmma)
{
    int scaled = emu_bits(op, 11, 8) >= 0xd;

    (void)mask;
    multiply(w, op, scaled ? KIND_SMALL_SCALED : KIND_SMALL, scaled);
}

EXEC(utcomma)
{
    (void)mask;
    multiply(w, op, KIND_FOUR_SCALED, emu_bit(op, 62) ? 2 : 4);
}

const struct emu_row_of EMU_TABLE(tcgen_mma)[] = {
    {"UTCHMMA", utchmma},
    {"UTCIMMA", utcimma},
    {"UTCQMMA", utcqmma},
    {"UTCOMMA", utcomma},
    {0},
};
