/*
 * What kernels are given, by the host (tools/cusparse) and on the device.
 * Indices and offsets are of 32 bits or, where `wide`, of 64, and begin with
 * `base`; places in dense matrices are in elements.
 */
#ifndef TEG_TOOLS_CUSPARSE_KERNELS_SPARSE_H
#define TEG_TOOLS_CUSPARSE_KERNELS_SPARSE_H

enum {
    SPARSE_THREADS = 256,
    SPARSE_WARP = 32,
    SPARSE_LONG = 64, /* times its lanes: entries of a row that has more */
    SPARSE_CHUNK = 8, /* times a warp's lanes: entries of COO that it takes */
    SPARSE_SPMM_ENTRIES = 64, /* of COO, by a group of lanes */
    SPARSE_SPMM_HELD = 4,     /* columns that a lane sums up */
    SPARSE_SCAN_ITEMS = 8,    /* of a thread */
    SPARSE_SORT_ITEMS = 16,
    SPARSE_SORT_BITS = 8, /* of a pass */
    SPARSE_DIGITS = 1 << SPARSE_SORT_BITS,
    SPARSE_PARTS = 512, /* of a sum over a vector */
};

/* A number on the host or the device, of the type that sums have. */
struct sparse_scale {
    const void *at; /* NULL: the value here */
    union {
        float s[2];
        double d[2];
    } value;
};

/* Rows of a sparse matrix: entries by offsets or, of COO, with their row. */
struct sparse_rows {
    const void *offsets; /* [rows + 1] */
    const void *major;   /* COO: [nnz] */
    const void *minor;   /* [nnz] */
    const void *values;
    long long rows, nnz, base;
    long long offsets_step, entries_step; /* from one of a batch to the next */
    int wide_offsets, wide;
    int conjugate;
};

/* Element (i, j) at i * row + j * column. */
struct sparse_dense {
    void *values;
    long long row, column, batch;
};

/* c = alpha a b + beta c; of SDDMM a is what is computed, as many as `columns`
 * products each, of rows of b and columns of c. */
struct sparse_product {
    struct sparse_rows a;
    struct sparse_dense b, c;
    struct sparse_scale alpha, beta;
    float *work; /* sums where c has shorter ones: [batch][rows][columns] */
    long long rows, columns; /* c's */
    int lane_bits;           /* 2^this lanes a row */
    int conjugate_b, conjugate_c;
    int c_is_float; /* of products of halves */
};

/* A sparse vector and a dense one. */
struct sparse_vector {
    void *values; /* [n] */
    const void *indices;
    void *dense;
    void *parts, *result; /* sums */
    struct sparse_scale alpha, beta;
    long long n, dense_n, base;
    int wide, conjugate;
    int bytes; /* of an element */
    int result_is_double;
};

/* Indices and elements that move from place to place. */
struct sparse_move {
    struct sparse_rows a;
    struct sparse_dense dense;
    void *offsets, *major, *minor, *values; /* written, as a's are read */
    const unsigned *order;                  /* item i comes from order[i] */
    const unsigned *row_of;
    long long n, majors, base;
    int wide_offsets, wide;
    int lane_bits;
    int bytes;   /* of an element */
    int is_real; /* its parts: halves, floats, doubles or whole numbers */
};

/* One pass over keys of 32 bits, the order of what is equal kept. */
struct sparse_sort {
    const unsigned *keys, *order; /* order NULL: 0, 1, 2 ... */
    unsigned *to_keys, *to_order;
    unsigned *counts; /* [SPARSE_DIGITS][blocks] */
    unsigned n;
    int shift;
};

/* Sums of all before, in place. */
struct sparse_scan {
    void *items, *sums; /* [n], [blocks] */
    long long n;
};

/* Products of a row's entries with rows, one by one. */
struct sparse_expand {
    struct sparse_rows a, b;
    const unsigned *row_of; /* of a's entries */
    long long *first;       /* product of each of a's entries; [nnz + 1] */
    unsigned *rows, *columns;
    void *values;
    const unsigned *order; /* of products, by row and column */
    unsigned *place;       /* of each in its order among those that are left */
    unsigned *to_rows, *to_columns;
    void *to_values;
    void *minor; /* of the matrix that is made */
    struct sparse_scale alpha, beta;
    long long n, base;
    int lane_bits, wide;
};

/* Rows that wait for others: a triangle's solution, incomplete factors. */
struct sparse_solve {
    struct sparse_rows a;
    const unsigned *order; /* values' places; NULL: in order */
    void *factor;          /* a's values, written */
    struct sparse_dense b, c;
    struct sparse_scale alpha;
    unsigned *done; /* [tiles of columns][rows] */
    int *pivot;     /* the first row without one */
    long long columns;
    const double *boost_below; /* on the device; else the values behind them */
    const void *boost;
    double boost_below_value, boost_value[2];
    int boosts, boost_on_device;
    int upper, unit, conjugate_b;
};

/* c = alpha a + beta b, entries of both in order. */
struct sparse_sum {
    struct sparse_rows a, b;
    struct sparse_scale alpha, beta;
    void *offsets, *minor, *values;
    long long base;
};

#endif
