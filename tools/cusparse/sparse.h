/*
 * cuSPARSE for programs under `teg exec`: the public entry points that lead here
 * (tools/cudart/loader/patch.c) become launches of teg's own kernels
 * (kernels/).  What descriptors point to lies on the device and is not looked at
 * by the host, but for counts that a call gives back.  Numbers of the API, from
 * its documentation.
 */
#ifndef TEG_TOOLS_CUSPARSE_SPARSE_H
#define TEG_TOOLS_CUSPARSE_SPARSE_H

#include "tools/cudart/abi.h"
#include "tools/cusparse/kernels/sparse.h"

enum sparse_status {
#define STATUS(name, number, text) SPARSE_##name = number,
#include "tools/cusparse/status.def"
#undef STATUS
};

/* Goes on if the call succeeded. */
#define NEED(call)                     \
    do {                               \
        int status_ = (int)(call);     \
                                       \
        if (status_ != SPARSE_SUCCESS) \
            return status_;            \
    } while (0)

enum sparse_operation {
    SPARSE_N,
    SPARSE_T,
    SPARSE_C, /* with the other parts' signs changed */
};

enum sparse_format {
    SPARSE_CSR = 1,
    SPARSE_CSC = 2,
    SPARSE_COO = 3,
};

enum sparse_order {
    SPARSE_BY_COLUMNS = 1,
    SPARSE_BY_ROWS = 2,
};

enum sparse_index {
    SPARSE_32 = 2,
    SPARSE_64 = 3,
};

/* cudaDataType */
enum data_type {
    DATA_32F = 0,
    DATA_64F = 1,
    DATA_16F = 2,
    DATA_8I = 3,
    DATA_C_32F = 4,
    DATA_C_64F = 5,
    DATA_32I = 10,
    DATA_16BF = 14,
};

/* What cusparseCreate makes. */
struct sparse {
    void *stream; /* borrowed */
    int scalars_on_device;
    int *sum; /* own, on the device */
};

/* ---- descriptors: what they point to is the program's ----------------------------- */

struct spvec {
    int64_t size, nnz;
    void *indices, *values;
    int index, base, type;
};

struct dnvec {
    int64_t size;
    void *values;
    int type;
};

struct dnmat {
    int64_t rows, columns, ld;
    void *values;
    int type, order;
    int batches;
    int64_t batch;
};

struct spmat {
    enum sparse_format format;
    int64_t rows, columns, nnz;
    void *first;  /* offsets; rows of COO */
    void *second; /* columns; rows of CSC */
    void *values;
    int first_index, index, base, type;
    int batches;
    int64_t first_batch, batch;
    int upper, unit;    /* attributes */
    const void *filled; /* offsets that were written by an analysis */
};

/* Of a descriptor of before: cusparseMatDescr_t. */
struct matdescr {
    int type, upper, unit, base;
};

/* ---- types ------------------------------------------------------------------------ */

struct type_facts {
    int data, bytes;
    char letter; /* of its kernels; 0: there are none that compute */
    int sum, sum_bytes;
    const char *name;
    int is_real; /* zeros of either sign are one number of these bytes */
};

/* NULL: a type that is not known. */
const struct type_facts *type_of(int data);

/* ---- launches ----------------------------------------------------------------------- */

enum sparse_kernels {
    KERNELS_PRODUCT,
    KERNELS_MOVE,
    KERNELS_SOLVE,
    KERNELS,
};

/* Threads in x, a group of so many lanes for each of `items`. */
struct sparse_grid {
    int64_t items;
    int lane_bits;
    int64_t y, z; /* 0: 1 */
};

/* Launches a kernel of SPARSE_THREADS; `letter` of its type ends its name, 0:
 * none does.  Nothing if there are no items. */
int sparse_launch(const struct sparse *s, enum sparse_kernels file,
                  const char *name, char letter, const struct sparse_grid *grid,
                  void *args);
/* As many threads as there are items, up to what goes round several times. */
struct sparse_grid sparse_each(int64_t items);

/* A number by the handle's mode; NULL is 0. */
struct sparse_scale sparse_scale(const struct sparse *s, const void *value,
                                 const struct type_facts *type);

/* Bits of lanes for so many entries in so many rows. */
int sparse_lanes(int64_t entries, int64_t rows);

int sparse_clear(const struct sparse *s, void *at, size_t bytes);
/* To the host; waits. */
int sparse_fetch(const struct sparse *s, void *to, const void *from,
                 size_t bytes);
int sparse_copy(const struct sparse *s, void *to, const void *from,
                size_t bytes);

/* Parts of the memory that a program brings for a call, one after the other;
 * with NULL they are counted. */
struct sparse_room {
    char *at;
    size_t bytes;
};
void *sparse_part(struct sparse_room *r, uint64_t bytes);

/* ---- matrices as kernels see them ------------------------------------------------------ */

enum sparse_view {
    VIEW_ROWS,    /* of op(A), by offsets */
    VIEW_ACROSS,  /* its columns, by offsets */
    VIEW_ENTRIES, /* with row and column */
};
enum sparse_view sparse_view(struct sparse_rows *r, const struct spmat *m,
                             int op);

/* op(B) */
struct sparse_dense sparse_dense(const struct dnmat *m, int op);

/* What such calls need of the runtime; it is teg's. */
int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);
int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                    void *stream);
int cudaMemsetAsync(void *at, int value, size_t bytes, void *stream);
int cudaMemset2DAsync(void *at, size_t pitch, int value, size_t width,
                      size_t height, void *stream);
int cudaStreamSynchronize(void *stream);

#endif
