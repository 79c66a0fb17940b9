/* Entry points of cuSPARSE: from one format to another, entries in order. */
#include "tools/cusparse/convert.h"

enum {
    ROOM_LEAST = 8,
};

int convert_rows_of(const struct sparse *s, const struct sparse_rows *a,
                    void *rows, int wide, int64_t base)
{
    struct sparse_move m = {
        .a = *a,
        .major = rows,
        .wide = wide,
        .base = base,
        .lane_bits = sparse_lanes(a->nnz, a->rows),
    };
    struct sparse_grid grid = {.items = a->nnz > 0 ? a->rows : 0,
                               .lane_bits = m.lane_bits};

    return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_rows_of", 0, &grid, &m);
}

int convert_offsets_of(const struct sparse *s, const void *rows, int wide,
                       int64_t base, int64_t nnz, int64_t row_count,
                       void *offsets, int wide_offsets, int64_t offsets_base)
{
    struct sparse_move m = {
        .a = {.major = rows,
              .wide = wide,
              .base = base,
              .nnz = nnz,
              .rows = row_count},
        .offsets = offsets,
        .wide_offsets = wide_offsets,
        .base = offsets_base,
    };
    struct sparse_grid grid = sparse_each(nnz + 1);

    return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_offsets_of", 0, &grid,
                         &m);
}

void turned_init(struct turned *t, int64_t rows, int64_t nnz,
                 struct sparse_room *room)
{
    *t = (struct turned){0};
    t->offsets = sparse_part(room, (uint64_t)(rows + 1) * sizeof *t->offsets);
    t->minor = sparse_part(room, (uint64_t)nnz * sizeof *t->minor);
    t->row_of = sparse_part(room, (uint64_t)nnz * sizeof *t->row_of);
    sorter_init(&t->sorter, nnz, room);
}

int turned_make(const struct sparse *s, struct turned *t,
                const struct sparse_rows *a, enum sparse_view view,
                int64_t rows)
{
    struct sorter *o = &t->sorter;
    struct sparse_grid grid = sparse_each(a->nnz);
    struct sparse_move m = {.a = *a, .n = a->nnz, .minor = t->minor};
    const void *keys = view == VIEW_ACROSS ? a->minor : a->major;

    if (view == VIEW_ACROSS)
        NEED(convert_rows_of(s, a, t->row_of, 0, 0));
    /* keys of other widths or bases are made first */
    if (a->wide || a->base != 0) {
        struct sparse_move k = {.a = *a, .n = a->nnz, .minor = o->keys[o->at]};

        k.a.minor = keys;
        NEED(sparse_launch(s, KERNELS_MOVE, "teg_cusparse_keys", 0, &grid, &k));
        keys = NULL;
    }
    NEED(sorter_sort(s, o, keys, (uint64_t)(rows > 0 ? rows - 1 : 0), 0));
    NEED(convert_offsets_of(s, o->keys[o->at], 0, 0, a->nnz, rows, t->offsets,
                            0, 0));
    t->order = m.order = o->order[o->at];
    m.row_of = view == VIEW_ACROSS ? t->row_of : NULL;
    return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_reorder", 0, &grid, &m);
}

/* ---- formats -------------------------------------------------------------------------- */

CALL(cusparseXcsr2coo, const struct sparse *s, const int *offsets, int nnz,
     int rows, int *to, int base)
{
    struct sparse_rows a = {
        .offsets = offsets, .nnz = nnz, .rows = rows, .base = base};

    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    return nnz < 0 || rows < 0 ? (int)SPARSE_INVALID_VALUE
                               : convert_rows_of(s, &a, to, 0, base);
}

CALL(cusparseXcoo2csr, const struct sparse *s, const int *from, int nnz,
     int rows, int *offsets, int base)
{
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    return nnz < 0 || rows < 0 ? (int)SPARSE_INVALID_VALUE
                               : convert_offsets_of(s, from, 0, base, nnz, rows,
                                                    offsets, 0, base);
}

CALL(cusparseCsr2cscEx2_bufferSize, const struct sparse *s, int rows,
     int columns, int nnz, const void *values, const int *offsets,
     const int *minor, void *to_values, int *to_offsets, int *to_minor,
     int type, int action, int base, int algorithm, size_t *bytes)
{
    struct sparse_room room = {0};
    struct sorter sorter;

    (void)rows, (void)columns, (void)values, (void)offsets, (void)minor;
    (void)to_values, (void)to_offsets, (void)to_minor, (void)type, (void)action;
    (void)base, (void)algorithm;
    if (s == NULL || bytes == NULL || nnz < 0)
        return s == NULL ? SPARSE_NOT_INITIALIZED : SPARSE_INVALID_VALUE;
    sparse_part(&room, (uint64_t)nnz * sizeof(unsigned));
    sorter_init(&sorter, nnz, &room);
    *bytes = room.bytes + ROOM_LEAST;
    return SPARSE_SUCCESS;
}

CALL(cusparseCsr2cscEx2, const struct sparse *s, int rows, int columns, int nnz,
     const void *values, const int *offsets, const int *minor, void *to_values,
     int *to_offsets, int *to_minor, int type, int action, int base,
     int algorithm, void *buffer)
{
    const struct type_facts *t = type_of(type);
    struct sparse_room room = {.at = buffer};
    struct sparse_rows a = {.offsets = offsets,
                            .minor = minor,
                            .values = values,
                            .rows = rows,
                            .nnz = nnz,
                            .base = base};
    struct sparse_grid grid = sparse_each(nnz);
    struct sparse_move m = {.a = a, .minor = to_minor, .n = nnz, .base = base};
    struct sorter sorter;
    unsigned *row_of;

    (void)algorithm;
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (rows < 0 || columns < 0 || nnz < 0 || t == NULL || buffer == NULL)
        return SPARSE_INVALID_VALUE;
    row_of = sparse_part(&room, (uint64_t)nnz * sizeof *row_of);
    sorter_init(&sorter, nnz, &room);
    NEED(convert_rows_of(s, &a, row_of, 0, 0));
    /* with their base, which they all have */
    NEED(sorter_sort(s, &sorter, minor, (uint64_t)columns, 0));
    NEED(convert_offsets_of(s, sorter.keys[sorter.at], 0, base, nnz, columns,
                            to_offsets, 0, base));
    m.order = sorter.order[sorter.at];
    m.row_of = row_of;
    m.values = action != 0 ? to_values : NULL;
    m.bytes = t->bytes;
    return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_reorder", 0, &grid, &m);
}

/* ---- entries in order -------------------------------------------------------------------- */

CALL(cusparseCreateIdentityPermutation, const struct sparse *s, int n, int *p)
{
    struct sparse_move m = {.minor = p, .n = n};
    struct sparse_grid grid = sparse_each(n);

    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_identity", 0, &grid,
                         &m);
}

/* What is in order goes where it was: of copies. */
struct sort_room {
    int *first, *second, *numbers; /* copies, [nnz] */
    struct sorter sorter;
};

static size_t sort_room(struct sort_room *r, int64_t nnz, void *buffer)
{
    struct sparse_room room = {.at = buffer};
    uint64_t bytes = (uint64_t)nnz * sizeof *r->first;

    r->first = sparse_part(&room, bytes);
    r->second = sparse_part(&room, bytes);
    r->numbers = sparse_part(&room, bytes);
    sorter_init(&r->sorter, nnz, &room);
    return room.bytes + ROOM_LEAST;
}

CALL(cusparseXcoosort_bufferSizeExt, const struct sparse *s, int rows,
     int columns, int nnz, const int *first, const int *second, size_t *bytes)
{
    struct sort_room r;

    (void)rows, (void)columns, (void)first, (void)second;
    if (s == NULL || bytes == NULL || nnz < 0)
        return s == NULL ? SPARSE_NOT_INITIALIZED : SPARSE_INVALID_VALUE;
    *bytes = sort_room(&r, nnz, NULL);
    return SPARSE_SUCCESS;
}

/* By `first`, and where that is equal by `second`, in place; so are the numbers,
 * if there are any. `is_own`: what `first` has is in r->first and not the
 * program's. */
static int sort_entries(const struct sparse *s, struct sort_room *r, int most,
                        int *first, int *second, int *numbers, int is_own)
{
    int64_t nnz = r->sorter.n;
    size_t bytes = (size_t)nnz * sizeof *first;
    struct sparse_grid grid = sparse_each(nnz);
    struct sparse_move m = {
        .a = {.major = r->first, .minor = r->second, .values = r->numbers},
        .major = is_own ? NULL : first,
        .minor = second,
        .values = numbers,
        .n = nnz,
        .bytes = sizeof *numbers,
    };

    if (!is_own)
        NEED(sparse_copy(s, r->first, first, bytes));
    NEED(sparse_copy(s, r->second, second, bytes));
    if (numbers != NULL)
        NEED(sparse_copy(s, r->numbers, numbers, bytes));
    NEED(sorter_sort(s, &r->sorter, r->second, (uint64_t)most, 0));
    NEED(sorter_take(s, &r->sorter, r->first, 0, 0));
    NEED(sorter_sort(s, &r->sorter, NULL, (uint64_t)most, 1));
    m.order = r->sorter.order[r->sorter.at];
    return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_reorder", 0, &grid, &m);
}

CALL(cusparseXcoosortByRow, const struct sparse *s, int rows, int columns,
     int nnz, int *first, int *second, int *numbers, void *buffer)
{
    struct sort_room r;

    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (rows < 0 || columns < 0 || nnz < 0 || buffer == NULL)
        return SPARSE_INVALID_VALUE;
    sort_room(&r, nnz, buffer);
    return sort_entries(s, &r, rows > columns ? rows : columns, first, second,
                        numbers, 0);
}

CALL(cusparseXcoosortByColumn, const struct sparse *s, int rows, int columns,
     int nnz, int *first, int *second, int *numbers, void *buffer)
{
    return cusparseXcoosortByRow(s, columns, rows, nnz, second, first, numbers,
                                 buffer);
}

CALL(cusparseXcsrsort_bufferSizeExt, const struct sparse *s, int rows,
     int columns, int nnz, const int *offsets, const int *minor, size_t *bytes)
{
    return cusparseXcoosort_bufferSizeExt(s, rows, columns, nnz, offsets, minor,
                                          bytes);
}
ALSO(cusparseXcsrsort_bufferSizeExt, cusparseXcscsort_bufferSizeExt);

CALL(cusparseXcsrsort, const struct sparse *s, int rows, int columns, int nnz,
     const struct matdescr *d, const int *offsets, int *minor, int *numbers,
     void *buffer)
{
    struct sparse_rows a = {.offsets = offsets, .nnz = nnz, .rows = rows};
    struct sort_room r;

    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (rows < 0 || columns < 0 || nnz < 0 || d == NULL || buffer == NULL)
        return SPARSE_INVALID_VALUE;
    a.base = d->base;
    sort_room(&r, nnz, buffer);
    NEED(convert_rows_of(s, &a, r.first, 0, 0));
    return sort_entries(s, &r, rows > columns ? rows : columns, NULL, minor,
                        numbers, 1);
}

CALL(cusparseXcscsort, const struct sparse *s, int rows, int columns, int nnz,
     const struct matdescr *d, const int *offsets, int *minor, int *numbers,
     void *buffer)
{
    return cusparseXcsrsort(s, columns, rows, nnz, d, offsets, minor, numbers,
                            buffer);
}

/* ---- dense matrices ------------------------------------------------------------------------ */

static int check_dense(const struct sparse *s, const struct spmat *a,
                       const struct dnmat *b)
{
    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    return a == NULL || b == NULL || a->rows != b->rows ||
                   a->columns != b->columns || a->type != b->type
               ? SPARSE_INVALID_VALUE
               : SPARSE_SUCCESS;
}

CALL(cusparseSparseToDense_bufferSize, const struct sparse *s,
     const struct spmat *a, const struct dnmat *b, int algorithm, size_t *bytes)
{
    (void)algorithm;
    NEED(check_dense(s, a, b));
    if (bytes == NULL)
        return SPARSE_INVALID_VALUE;
    *bytes = ROOM_LEAST;
    return SPARSE_SUCCESS;
}

CALL(cusparseSparseToDense, const struct sparse *s, const struct spmat *a,
     struct dnmat *b, int algorithm, void *buffer)
{
    struct sparse_move m = {0};
    struct sparse_grid grid = {0};
    size_t bytes;

    (void)algorithm, (void)buffer;
    NEED(check_dense(s, a, b));
    m.bytes = type_of(a->type)->bytes;
    bytes = (size_t)m.bytes;
    if (b->rows == 0 || b->columns == 0)
        return SPARSE_SUCCESS;
    if (cudaMemset2DAsync(
            b->values, (size_t)b->ld * bytes, 0,
            bytes * (size_t)(b->order == SPARSE_BY_ROWS ? b->columns : b->rows),
            (size_t)(b->order == SPARSE_BY_ROWS ? b->rows : b->columns),
            s->stream) != 0)
        return SPARSE_EXECUTION_FAILED;
    m.dense = sparse_dense(b, a->format == SPARSE_CSC ? SPARSE_T : SPARSE_N);
    if (sparse_view(&m.a, a, SPARSE_N) == VIEW_ENTRIES) {
        m.wide = m.a.wide;
        grid = sparse_each(m.a.nnz);
        return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_coo_to_dense", 0,
                             &grid, &m);
    }
    grid.lane_bits = m.lane_bits = sparse_lanes(m.a.nnz, m.a.rows);
    grid.items = m.a.nnz > 0 ? m.a.rows : 0;
    return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_to_dense", 0, &grid,
                         &m);
}

/* Where rows (of CSC columns) begin, of 64 bits, and what finds that out. */
struct dense_room {
    int64_t majors;
    int64_t *offsets;
    void *sums;
};

static size_t dense_room(struct dense_room *r, const struct spmat *a,
                         void *buffer)
{
    struct sparse_room room = {.at = buffer};

    r->majors = a->format == SPARSE_CSC ? a->columns : a->rows;
    r->offsets =
        sparse_part(&room, (uint64_t)(r->majors + 1) * sizeof *r->offsets);
    r->sums = sparse_part(&room, scan_bytes(r->majors + 1));
    return room.bytes;
}

CALL(cusparseDenseToSparse_bufferSize, const struct sparse *s,
     const struct dnmat *a, const struct spmat *b, int algorithm, size_t *bytes)
{
    struct dense_room r;

    (void)algorithm;
    NEED(check_dense(s, b, a));
    if (bytes == NULL)
        return SPARSE_INVALID_VALUE;
    *bytes = dense_room(&r, b, NULL);
    return SPARSE_SUCCESS;
}

/* How the dense matrix is gone through: a warp has a row whose elements lie side
 * by side, else a thread has one. */
static struct sparse_move dense_move(const struct dnmat *a,
                                     const struct spmat *b,
                                     const struct dense_room *r)
{
    const struct type_facts *t = type_of(a->type);
    struct sparse_move m = {
        .dense = sparse_dense(a, b->format == SPARSE_CSC ? SPARSE_T : SPARSE_N),
        .offsets = r->offsets,
        .majors = r->majors,
        .n = b->format == SPARSE_CSC ? b->rows : b->columns,
        .base = b->base,
        .wide = b->index == SPARSE_64,
        .bytes = t->bytes,
        .is_real = t->is_real,
    };

    m.lane_bits = m.dense.column == 1 ? 5 : 0;
    return m;
}

/* As the program has them. */
static int give_offsets(const struct sparse *s, struct spmat *b,
                        const struct dense_room *r)
{
    struct sparse_move m = {
        .a = {.offsets = r->offsets},
        .offsets = b->first,
        .wide_offsets = b->first_index == SPARSE_64,
        .n = r->majors + 1,
        .base = b->base,
    };
    struct sparse_grid grid = sparse_each(m.n);

    b->filled = b->first;
    return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_offsets", 0, &grid, &m);
}

CALL(cusparseDenseToSparse_analysis, const struct sparse *s,
     const struct dnmat *a, struct spmat *b, int algorithm, void *buffer)
{
    struct dense_room r;
    struct sparse_move m;
    struct sparse_grid grid;

    (void)algorithm;
    NEED(check_dense(s, b, a));
    if (buffer == NULL)
        return SPARSE_INVALID_VALUE;
    dense_room(&r, b, buffer);
    m = dense_move(a, b, &r);
    grid = (struct sparse_grid){.items = r.majors, .lane_bits = m.lane_bits};
    b->nnz = 0;
    b->filled = NULL;
    if (r.majors == 0)
        return SPARSE_SUCCESS;
    NEED(sparse_launch(s, KERNELS_MOVE, "teg_cusparse_count_dense", 0, &grid,
                       &m));
    NEED(scan(s, r.offsets, r.majors + 1, 1, r.sums));
    if (b->format != SPARSE_COO && b->first != NULL)
        NEED(give_offsets(s, b, &r));
    return sparse_fetch(s, &b->nnz, r.offsets + r.majors, sizeof b->nnz);
}

CALL(cusparseDenseToSparse_convert, const struct sparse *s,
     const struct dnmat *a, struct spmat *b, int algorithm, void *buffer)
{
    struct dense_room r;
    struct sparse_move m;
    struct sparse_grid grid;

    (void)algorithm;
    NEED(check_dense(s, b, a));
    if (buffer == NULL)
        return SPARSE_INVALID_VALUE;
    dense_room(&r, b, buffer);
    m = dense_move(a, b, &r);
    m.a.offsets = r.offsets;
    m.major = b->format == SPARSE_COO ? b->first : NULL;
    m.minor = b->second;
    m.values = b->values;
    grid = (struct sparse_grid){.items = r.majors, .lane_bits = m.lane_bits};
    if (b->format != SPARSE_COO && b->first != b->filled)
        NEED(give_offsets(s, b, &r));
    return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_from_dense", 0, &grid,
                         &m);
}

/* Of rows (0) or columns (1) of a matrix by columns. */
static int nnz(const struct sparse *s, int along, int rows, int columns,
               const struct matdescr *d, int type, const void *a, int ld,
               int *counts, int *total)
{
    const struct type_facts *t = type_of(type);
    int *sum;
    struct sparse_move m = {
        .dense = {(void *)a, along == 0 ? 1 : ld, along == 0 ? ld : 1, 0},
        .offsets = counts,
        .majors = along == 0 ? rows : columns,
        .n = along == 0 ? columns : rows,
        .lane_bits = along == 0 ? 0 : 5,
        .bytes = t->bytes,
        .is_real = t->is_real,
    };
    struct sparse_grid grid = {.items = m.majors, .lane_bits = m.lane_bits};

    if (s == NULL)
        return SPARSE_NOT_INITIALIZED;
    if (along < 0 || along > 1 || rows < 0 || columns < 0 || d == NULL ||
        ld < rows || counts == NULL || total == NULL)
        return SPARSE_INVALID_VALUE;
    sum = s->scalars_on_device ? total : s->sum;
    m.values = sum;
    NEED(sparse_clear(s, sum, sizeof *sum));
    NEED(sparse_launch(s, KERNELS_MOVE, "teg_cusparse_nnz", 0, &grid, &m));
    return s->scalars_on_device ? SPARSE_SUCCESS
                                : sparse_fetch(s, total, sum, sizeof *total);
}

#define COUNTS(name, type)                                                  \
    CALL(name, const struct sparse *s, int along, int rows, int columns,    \
         const struct matdescr *d, const void *a, int ld, int *counts,      \
         int *total)                                                        \
    {                                                                       \
        return nnz(s, along, rows, columns, d, type, a, ld, counts, total); \
    }
COUNTS(cusparseSnnz, DATA_32F)
COUNTS(cusparseDnnz, DATA_64F)
COUNTS(cusparseCnnz, DATA_C_32F)
COUNTS(cusparseZnnz, DATA_C_64F)
