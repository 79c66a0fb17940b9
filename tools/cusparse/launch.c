#include "tools/cusparse/sparse.h"

#include <stdio.h>
#include <string.h>

#include "tools/vendor/launch.h"

enum {
    BLOCKS_MOST = 1 << 16, /* of threads that go round */
    ALIGNMENT = 256,
};

/* Made by tools/make_kernels.sh. */
VENDOR_FATBIN(product, "tools/cusparse/kernels/product.fatbin")
VENDOR_FATBIN(move, "tools/cusparse/kernels/move.fatbin")
VENDOR_FATBIN(solve, "tools/cusparse/kernels/solve.fatbin")

/* ---- types ------------------------------------------------------------------------ */

const struct type_facts *type_of(int data)
{
    static const struct type_facts types[] = {
        {DATA_32F, 4, 's', DATA_32F, 4, "32F", 1},
        {DATA_64F, 8, 'd', DATA_64F, 8, "64F", 1},
        {DATA_16F, 2, 'h', DATA_32F, 4, "16F", 1},
        {DATA_16BF, 2, 'b', DATA_32F, 4, "16BF", 1},
        {DATA_C_32F, 8, 'c', DATA_C_32F, 8, "C_32F", 0},
        {DATA_C_64F, 16, 'z', DATA_C_64F, 16, "C_64F", 0},
        {DATA_8I, 1, 0, DATA_32I, 4, "8I", 0},
        {DATA_32I, 4, 0, DATA_32I, 4, "32I", 0},
    };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i].data == data)
            return &types[i];
    }
    return NULL;
}

/* ---- launches ----------------------------------------------------------------------- */

int sparse_launch(const struct sparse *s, enum sparse_kernels file,
                  const char *name, char letter, const struct sparse_grid *grid,
                  void *args)
{
    static const char whose[] =
        "teg's own kernels (teg_cusparse_...) stand for the library's; their "
        "times are their own, within a quarter of its published ones for "
        "products with a vector (docs/exec.md)";
    static struct vendor_file files[KERNELS] = {
        [KERNELS_PRODUCT] = {.library = "cuSPARSE", .fatbin = product_fatbin},
        [KERNELS_MOVE] = {.library = "cuSPARSE", .fatbin = move_fatbin},
        [KERNELS_SOLVE] = {.library = "cuSPARSE", .fatbin = solve_fatbin},
    };
    int64_t blocks = ((grid->items << grid->lane_bits) + SPARSE_THREADS - 1) /
                     SPARSE_THREADS;
    struct vendor_grid g = {.x = (unsigned)blocks,
                            .y = grid->y > 0 ? (unsigned)grid->y : 1,
                            .z = grid->z > 0 ? (unsigned)grid->z : 1,
                            .threads = SPARSE_THREADS};
    char typed[64];

    if (grid->items <= 0)
        return SPARSE_SUCCESS;
    if (blocks > INT32_MAX)
        return SPARSE_INSUFFICIENT_RESOURCES;
    snprintf(typed, sizeof typed, letter != 0 ? "%s_%c" : "%s", name, letter);
    switch (vendor_launch(&files[file], whose, typed, &g, s->stream, args)) {
    case VENDOR_OK:
        return SPARSE_SUCCESS;
    case VENDOR_NO_CODE:
        return SPARSE_ARCH_MISMATCH;
    default:
        return SPARSE_EXECUTION_FAILED;
    }
}

struct sparse_grid sparse_each(int64_t items)
{
    int64_t most = (int64_t)BLOCKS_MOST * SPARSE_THREADS;

    return (struct sparse_grid){.items = items < most ? items : most};
}

struct sparse_scale sparse_scale(const struct sparse *s, const void *value,
                                 const struct type_facts *type)
{
    struct sparse_scale scale = {0};

    if (value != NULL && s->scalars_on_device)
        scale.at = value;
    else if (value != NULL)
        memcpy(&scale.value, value, (size_t)type->sum_bytes);
    return scale;
}

int sparse_lanes(int64_t entries, int64_t rows)
{
    int bits = 1;

    while (bits < 5 && entries >= rows << (bits + 1))
        bits++;
    return bits;
}

int sparse_clear(const struct sparse *s, void *at, size_t bytes)
{
    return bytes == 0 || cudaMemsetAsync(at, 0, bytes, s->stream) == 0
               ? SPARSE_SUCCESS
               : SPARSE_EXECUTION_FAILED;
}

int sparse_fetch(const struct sparse *s, void *to, const void *from,
                 size_t bytes)
{
    return cudaMemcpyAsync(to, from, bytes, COPY_DEVICE_TO_HOST, s->stream) ==
                       0 &&
                   cudaStreamSynchronize(s->stream) == 0
               ? SPARSE_SUCCESS
               : SPARSE_EXECUTION_FAILED;
}

int sparse_copy(const struct sparse *s, void *to, const void *from,
                size_t bytes)
{
    return bytes == 0 || cudaMemcpyAsync(to, from, bytes, COPY_DEVICE_TO_DEVICE,
                                         s->stream) == 0
               ? SPARSE_SUCCESS
               : SPARSE_EXECUTION_FAILED;
}

void *sparse_part(struct sparse_room *r, uint64_t bytes)
{
    char *at = r->at != NULL ? r->at + r->bytes : NULL;

    r->bytes += (bytes + ALIGNMENT - 1) & ~(uint64_t)(ALIGNMENT - 1);
    return at;
}

/* ---- matrices as kernels see them ------------------------------------------------------ */

enum sparse_view sparse_view(struct sparse_rows *r, const struct spmat *m,
                             int op)
{
    int turned = op != SPARSE_N;

    *r = (struct sparse_rows){
        .values = m->values,
        .rows = m->format == SPARSE_CSC ? m->columns : m->rows,
        .nnz = m->nnz,
        .base = m->base,
        .offsets_step = m->first_batch,
        .entries_step = m->batch,
        .wide_offsets = m->first_index == SPARSE_64,
        .wide = m->index == SPARSE_64,
        .conjugate = op == SPARSE_C,
    };
    if (m->format == SPARSE_COO) {
        r->rows = turned ? m->columns : m->rows;
        r->major = turned ? m->second : m->first;
        r->minor = turned ? m->first : m->second;
        return VIEW_ENTRIES;
    }
    r->offsets = m->first;
    r->minor = m->second;
    return turned == (m->format == SPARSE_CSC) ? VIEW_ROWS : VIEW_ACROSS;
}

struct sparse_dense sparse_dense(const struct dnmat *m, int op)
{
    int by_rows = (m->order == SPARSE_BY_ROWS) == (op == SPARSE_N);

    return (struct sparse_dense){
        .values = m->values,
        .row = by_rows ? m->ld : 1,
        .column = by_rows ? 1 : m->ld,
        .batch = m->batch,
    };
}
