/* Entry points of cuDNN: convolutions by their own descriptors. */
#include <stdlib.h>

#include "tools/cudart/say.h"
#include "tools/cudnn/convolution.h"
#include "tools/cudnn/layers.h"

/* cudnnConvolutionDescriptor_t */
struct conv_descriptor {
    int dims, mode, compute, math, groups, reorder;
    int pad[CONV_DIMS], stride[CONV_DIMS], dilation[CONV_DIMS];
};

/* cudnnConvolution...AlgoPerf_t: of all three kinds. */
struct conv_performance {
    int algorithm, status;
    float time; /* ms; none was measured */
    size_t memory;
    int determinism, math;
    int reserved[3];
};

/* One algorithm of each kind is there: its number in the API. */
static const int algorithms[] = {
    [CONV_FPROP] = 1, /* ..._FWD_ALGO_IMPLICIT_PRECOMP_GEMM */
    [CONV_DGRAD] = 1, /* ..._BWD_DATA_ALGO_1 */
    [CONV_WGRAD] = 1, /* ..._BWD_FILTER_ALGO_1 */
};
enum {
    DETERMINISTIC = 1,
    ALGORITHMS_MOST = 8,
};

/* ---- descriptors ---------------------------------------------------------------------- */

CALL(cudnnCreateConvolutionDescriptor, struct conv_descriptor **out)
{
    if (out == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    (*out)->groups = 1;
    return DNN_SUCCESS;
}

CALL(cudnnDestroyConvolutionDescriptor, struct conv_descriptor *v)
{
    free(v);
    return DNN_SUCCESS;
}

CALL(cudnnSetConvolutionNdDescriptor, struct conv_descriptor *v, int dims,
     const int *pad, const int *stride, const int *dilation, int mode,
     int compute)
{
    if (v == NULL || dims < 1 || dims > CONV_DIMS || pad == NULL ||
        stride == NULL || dilation == NULL ||
        (mode != DNN_CONVOLUTION && mode != DNN_CROSS_CORRELATION))
        return DNN_BAD_PARAM;
    for (int i = 0; i < dims; i++) {
        if (pad[i] < 0 || stride[i] < 1 || dilation[i] < 1)
            return DNN_BAD_PARAM;
    }
    v->dims = dims;
    v->mode = mode;
    v->compute = compute;
    for (int i = 0; i < dims; i++) {
        v->pad[i] = pad[i];
        v->stride[i] = stride[i];
        v->dilation[i] = dilation[i];
    }
    return DNN_SUCCESS;
}

CALL(cudnnSetConvolution2dDescriptor, struct conv_descriptor *v, int pad_h,
     int pad_w, int stride_h, int stride_w, int dilation_h, int dilation_w,
     int mode, int compute)
{
    const int pad[] = {pad_h, pad_w}, stride[] = {stride_h, stride_w},
              dilation[] = {dilation_h, dilation_w};

    return cudnnSetConvolutionNdDescriptor(v, 2, pad, stride, dilation, mode,
                                           compute);
}

CALL(cudnnGetConvolutionNdDescriptor, const struct conv_descriptor *v, int most,
     int *dims, int *pad, int *stride, int *dilation, int *mode, int *compute)
{
    if (v == NULL || pad == NULL || stride == NULL || dilation == NULL)
        return DNN_BAD_PARAM;
    if (dims != NULL)
        *dims = v->dims;
    if (mode != NULL)
        *mode = v->mode;
    if (compute != NULL)
        *compute = v->compute;
    for (int i = 0; i < most && i < v->dims; i++) {
        pad[i] = v->pad[i];
        stride[i] = v->stride[i];
        dilation[i] = v->dilation[i];
    }
    return DNN_SUCCESS;
}

CALL(cudnnGetConvolution2dDescriptor, const struct conv_descriptor *v,
     int *pad_h, int *pad_w, int *stride_h, int *stride_w, int *dilation_h,
     int *dilation_w, int *mode, int *compute)
{
    int pad[2], stride[2], dilation[2];

    if (v == NULL || v->dims != 2 || pad_h == NULL || pad_w == NULL ||
        stride_h == NULL || stride_w == NULL || dilation_h == NULL ||
        dilation_w == NULL)
        return DNN_BAD_PARAM;
    cudnnGetConvolutionNdDescriptor(v, 2, NULL, pad, stride, dilation, mode,
                                    compute);
    *pad_h = pad[0], *pad_w = pad[1];
    *stride_h = stride[0], *stride_w = stride[1];
    *dilation_h = dilation[0], *dilation_w = dilation[1];
    return DNN_SUCCESS;
}

/* A number of the descriptor's. */
#define SETTING(what, type, field)                                            \
    CALL(cudnnSetConvolution##what, struct conv_descriptor *v, type x)        \
    {                                                                         \
        if (v == NULL)                                                        \
            return DNN_BAD_PARAM;                                             \
        v->field = x;                                                         \
        return DNN_SUCCESS;                                                   \
    }                                                                         \
    CALL(cudnnGetConvolution##what, const struct conv_descriptor *v, type *x) \
    {                                                                         \
        if (v == NULL || x == NULL)                                           \
            return DNN_BAD_PARAM;                                             \
        *x = v->field;                                                        \
        return DNN_SUCCESS;                                                   \
    }

SETTING(MathType, int, math)
SETTING(GroupCount, int, groups)
SETTING(ReorderType, int, reorder)

CALL(cudnnGetConvolutionNdForwardOutputDim, const struct conv_descriptor *v,
     const struct dnn_tensor *x, const struct dnn_tensor *w, int rank,
     int *size)
{
    if (v == NULL || x == NULL || w == NULL || size == NULL ||
        rank != v->dims + 2 || x->rank != rank || w->rank != rank ||
        x->size[1] != w->size[1] * v->groups)
        return DNN_BAD_PARAM;
    size[0] = x->size[0];
    size[1] = w->size[0];
    for (int i = 0; i < v->dims; i++) {
        int reach = (w->size[2 + i] - 1) * v->dilation[i] + 1;

        size[2 + i] =
            (x->size[2 + i] + 2 * v->pad[i] - reach) / v->stride[i] + 1;
    }
    return DNN_SUCCESS;
}

CALL(cudnnGetConvolution2dForwardOutputDim, const struct conv_descriptor *v,
     const struct dnn_tensor *x, const struct dnn_tensor *w, int *n, int *c,
     int *h, int *wide)
{
    int size[4];
    int status = cudnnGetConvolutionNdForwardOutputDim(v, x, w, 4, size);

    if (status == DNN_SUCCESS) {
        *n = size[0], *c = size[1];
        *h = size[2], *wide = size[3];
    }
    return status;
}

/* ---- algorithms ----------------------------------------------------------------------- */

static struct convolution convolution_of(const char *name, enum conv_what what,
                                         const struct conv_descriptor *v,
                                         const struct dnn_tensor *x,
                                         const struct dnn_tensor *w,
                                         const struct dnn_tensor *y)
{
    struct convolution c = {
        .name = name,
        .what = what,
        .x = *x,
        .w = *w,
        .y = *y,
        .dims = v->dims,
        .groups = v->groups,
        .mode = v->mode,
        .tensor_cores = v->math != DNN_MATH_FMA,
        .alpha = 1,
    };

    for (int i = 0; i < v->dims; i++) {
        c.pad[i] = v->pad[i];
        c.stride[i] = v->stride[i];
        c.dilation[i] = v->dilation[i];
    }
    return c;
}

static int algorithms_of(const char *name, enum conv_what what,
                         const struct conv_descriptor *v,
                         const struct dnn_tensor *x, const struct dnn_tensor *w,
                         const struct dnn_tensor *y, int wanted, int *found,
                         struct conv_performance *out)
{
    struct convolution c;
    size_t bytes;
    int status;

    if (v == NULL || x == NULL || w == NULL || y == NULL || found == NULL ||
        out == NULL || wanted < 1)
        return DNN_BAD_PARAM;
    c = convolution_of(name, what, v, x, w, y);
    status = (int)conv_work_bytes(&c, &bytes);
    *found = status == DNN_SUCCESS;
    *out = (struct conv_performance){
        .algorithm = algorithms[what],
        .status = status,
        .memory = bytes,
        .determinism = DETERMINISTIC,
        .math = v->math,
    };
    return status;
}

static int work_bytes_of(const char *name, enum conv_what what,
                         const struct conv_descriptor *v,
                         const struct dnn_tensor *x, const struct dnn_tensor *w,
                         const struct dnn_tensor *y, size_t *bytes)
{
    struct convolution c;

    if (v == NULL || x == NULL || w == NULL || y == NULL || bytes == NULL)
        return DNN_BAD_PARAM;
    c = convolution_of(name, what, v, x, w, y);
    return (int)conv_work_bytes(&c, bytes);
}

/* For each kind: how many algorithms there are, which are for a convolution,
 * and how much work area one needs.  The tensors are in another order each. */
#define ALGORITHMS(kind, what, FIRST, SECOND, THIRD)                           \
    CALL(cudnnGetConvolution##kind##AlgorithmMaxCount, struct dnn *d,          \
         int *count)                                                           \
    {                                                                          \
        if (d == NULL || count == NULL)                                        \
            return DNN_BAD_PARAM;                                              \
        *count = ALGORITHMS_MOST;                                              \
        return DNN_SUCCESS;                                                    \
    }                                                                          \
    CALL(cudnnGetConvolution##kind##Algorithm_v7, struct dnn *d,               \
         const struct dnn_tensor *FIRST, const struct dnn_tensor *SECOND,      \
         const struct conv_descriptor *v, const struct dnn_tensor *THIRD,      \
         int wanted, int *found, struct conv_performance *out)                 \
    {                                                                          \
        (void)d;                                                               \
        return algorithms_of("cudnnGetConvolution" #kind "Algorithm_v7", what, \
                             v, x, w, y, wanted, found, out);                  \
    }                                                                          \
    ALSO(cudnnGetConvolution##kind##Algorithm_v7,                              \
         cudnnFindConvolution##kind##Algorithm);                               \
    CALL(cudnnFindConvolution##kind##AlgorithmEx, struct dnn *d,               \
         const struct dnn_tensor *FIRST, const void *first,                    \
         const struct dnn_tensor *SECOND, const void *second,                  \
         const struct conv_descriptor *v, const struct dnn_tensor *THIRD,      \
         void *third, int wanted, int *found, struct conv_performance *out,    \
         void *work, size_t work_bytes)                                        \
    {                                                                          \
        (void)first, (void)second, (void)third, (void)work, (void)work_bytes;  \
        return cudnnGetConvolution##kind##Algorithm_v7(                        \
            d, FIRST, SECOND, v, THIRD, wanted, found, out);                   \
    }                                                                          \
    CALL(cudnnGetConvolution##kind##WorkspaceSize, struct dnn *d,              \
         const struct dnn_tensor *FIRST, const struct dnn_tensor *SECOND,      \
         const struct conv_descriptor *v, const struct dnn_tensor *THIRD,      \
         int algorithm, size_t *bytes)                                         \
    {                                                                          \
        (void)d, (void)algorithm;                                              \
        return work_bytes_of("cudnnGetConvolution" #kind "WorkspaceSize",      \
                             what, v, x, w, y, bytes);                         \
    }

ALGORITHMS(Forward, CONV_FPROP, x, w, y)
ALGORITHMS(BackwardData, CONV_DGRAD, w, y, x)
ALGORITHMS(BackwardFilter, CONV_WGRAD, x, y, w)

/* ---- launches ------------------------------------------------------------------------- */

static int launch(struct dnn *d, struct convolution *c, const void *alpha,
                  const void *beta, const struct conv_data *data)
{
    if (d == NULL || alpha == NULL || beta == NULL || data->x == NULL ||
        data->w == NULL || data->y == NULL)
        return DNN_BAD_PARAM;
    c->alpha = dnn_scale(alpha, c->x.type);
    c->beta = dnn_scale(beta, c->x.type);
    return (int)conv_launch(d, c, data);
}

CALL(cudnnConvolutionForward, struct dnn *d, const void *alpha,
     const struct dnn_tensor *x_is, const void *x,
     const struct dnn_tensor *w_is, const void *w,
     const struct conv_descriptor *v, int algorithm, void *work,
     size_t work_bytes, const void *beta, const struct dnn_tensor *y_is,
     void *y)
{
    const struct conv_data data = {
        .x = x, .w = w, .y = y, .work = work, .work_bytes = work_bytes};
    struct convolution c;

    (void)algorithm;
    if (v == NULL || x_is == NULL || w_is == NULL || y_is == NULL)
        return DNN_BAD_PARAM;
    c = convolution_of("cudnnConvolutionForward", CONV_FPROP, v, x_is, w_is,
                       y_is);
    return launch(d, &c, alpha, beta, &data);
}

CALL(cudnnConvolutionBackwardData, struct dnn *d, const void *alpha,
     const struct dnn_tensor *w_is, const void *w,
     const struct dnn_tensor *y_is, const void *y,
     const struct conv_descriptor *v, int algorithm, void *work,
     size_t work_bytes, const void *beta, const struct dnn_tensor *x_is,
     void *x)
{
    const struct conv_data data = {
        .x = x, .w = w, .y = y, .work = work, .work_bytes = work_bytes};
    struct convolution c;

    (void)algorithm;
    if (v == NULL || x_is == NULL || w_is == NULL || y_is == NULL)
        return DNN_BAD_PARAM;
    c = convolution_of("cudnnConvolutionBackwardData", CONV_DGRAD, v, x_is,
                       w_is, y_is);
    return launch(d, &c, alpha, beta, &data);
}

CALL(cudnnConvolutionBackwardFilter, struct dnn *d, const void *alpha,
     const struct dnn_tensor *x_is, const void *x,
     const struct dnn_tensor *y_is, const void *y,
     const struct conv_descriptor *v, int algorithm, void *work,
     size_t work_bytes, const void *beta, const struct dnn_tensor *w_is,
     void *w)
{
    const struct conv_data data = {
        .x = x, .w = w, .y = y, .work = work, .work_bytes = work_bytes};
    struct convolution c;

    (void)algorithm;
    if (v == NULL || x_is == NULL || w_is == NULL || y_is == NULL)
        return DNN_BAD_PARAM;
    c = convolution_of("cudnnConvolutionBackwardFilter", CONV_WGRAD, v, x_is,
                       w_is, y_is);
    return launch(d, &c, alpha, beta, &data);
}

/* y = activation(alpha x * w + beta z + bias). */
CALL(cudnnConvolutionBiasActivationForward, struct dnn *d, const void *alpha,
     const struct dnn_tensor *x_is, const void *x,
     const struct dnn_tensor *w_is, const void *w,
     const struct conv_descriptor *v, int algorithm, void *work,
     size_t work_bytes, const void *beta, const struct dnn_tensor *z_is,
     const void *z, const struct dnn_tensor *bias_is, const void *bias,
     const struct dnn_activation *activation, const struct dnn_tensor *y_is,
     void *y)
{
    const struct conv_data data = {.x = x,
                                   .w = w,
                                   .y = y,
                                   .z = z,
                                   .bias = bias,
                                   .work = work,
                                   .work_bytes = work_bytes};
    struct convolution c;

    (void)algorithm;
    if (v == NULL || x_is == NULL || w_is == NULL || y_is == NULL ||
        bias_is == NULL || activation == NULL || beta == NULL)
        return DNN_BAD_PARAM;
    if (activation->mode != DNN_RELU && activation->mode != DNN_IDENTITY) {
        runtime_say("", "cudnnConvolutionBiasActivationForward: another "
                        "activation than ReLU is not implemented");
        return DNN_NOT_SUPPORTED;
    }
    if (dnn_scale(beta, x_is->type) != 0 &&
        (z_is == NULL || !dnn_is_like(z_is, y_is))) {
        runtime_say("", "cudnnConvolutionBiasActivationForward: a z of "
                        "another shape, layout or type than y is not "
                        "implemented");
        return DNN_NOT_SUPPORTED;
    }
    c = convolution_of("cudnnConvolutionBiasActivationForward", CONV_FPROP, v,
                       x_is, w_is, y_is);
    c.has_bias = bias != NULL;
    c.relu = activation->mode == DNN_RELU;
    return launch(d, &c, alpha, beta, &data);
}
