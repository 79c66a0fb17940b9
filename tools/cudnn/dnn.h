/*
 * cuDNN for programs under `teg exec`: the public entry points that lead here
 * (tools/cudart/loader/patch.c) become launches of teg's own kernels
 * (kernels/).  Numbers of the API, from its documentation.
 */
#ifndef TEG_TOOLS_CUDNN_DNN_H
#define TEG_TOOLS_CUDNN_DNN_H

#include "tools/cudart/abi.h"
#include "tools/vendor/launch.h"

enum dnn_status {
#define STATUS(name, number) DNN_##name = number,
#include "tools/cudnn/status.def"
#undef STATUS
};

/* cudnnDataType_t */
enum dnn_type {
    DNN_FLOAT = 0,
    DNN_DOUBLE = 1,
    DNN_HALF = 2,
    DNN_BFLOAT16 = 9,
};

/* cudnnTensorFormat_t */
enum dnn_format {
    DNN_NCHW,
    DNN_NHWC,
};

/* cudnnMathType_t */
enum dnn_math {
    DNN_MATH_DEFAULT,
    DNN_MATH_TENSOR,
    DNN_MATH_TENSOR_CONVERT,
    DNN_MATH_FMA, /* floats may not be rounded to TF32 */
};

/* cudnnConvolutionMode_t: of the first, filters are turned round. */
enum dnn_mode {
    DNN_CONVOLUTION,
    DNN_CROSS_CORRELATION,
};

enum {
    DNN_RANK_MAX = 8,
};

/* What cudnnCreate makes. */
struct dnn {
    void *stream; /* borrowed */
    void *sums;   /* on the device: of calls that get no work area */
    size_t sums_bytes;
    void *blas; /* cuBLAS's handle, once something wants its products */
};

/* A tensor or filter: elements along each dimension and from one to the next. */
struct dnn_tensor {
    int type, rank;
    int size[DNN_RANK_MAX];
    long long stride[DNN_RANK_MAX];
    int format; /* as a filter's is given */
};

/* Bytes of an element; 0: of a type that is not one of teg's. */
size_t dnn_bytes(int type);
const char *dnn_type_name(int type);

/* Dense strides in the order of a format. */
void dnn_pack(struct dnn_tensor *t, int format);

/* Whether elements of both lie alike. */
int dnn_is_like(const struct dnn_tensor *a, const struct dnn_tensor *b);

/* A scale as the API has it: a double where elements are, else a float. */
double dnn_scale(const void *value, int type);

/* Launches a kernel by its name; `args` is its one parameter. */
enum dnn_files {
    DNN_CONV,
    DNN_HOPPER,
    DNN_PLAIN,
    DNN_LAYERS,
    DNN_RNN,
    DNN_DROPOUT,
    DNN_FILES,
};
enum dnn_status dnn_launch(const struct dnn *d, enum dnn_files file,
                           const char *name, const struct vendor_grid *grid,
                           void *args);
/* The kernel for elements of a type, whose letter stands before `what`; a line
 * says if there is none. */
enum dnn_status dnn_launch_of(const struct dnn *d, enum dnn_files file,
                              const char *what, int type,
                              const struct vendor_grid *grid, void *args);

int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);

#endif
