/* Entry points of cuDNN: batch normalization, gradients of biases. */
#include <limits.h>

#include "tools/cudart/say.h"
#include "tools/cudnn/kernels/layers.h"
#include "tools/cudnn/layers.h"

enum { /* cudnnBatchNormMode_t, cudnnBatchNormOps_t */
    NORM_PER_ACTIVATION = 0,
    NORM_ALONE = 0,
    SLICES_MOST = 64,
    SLICE_LEAST = 1024, /* elements of a channel that are worth a block */
};

/* Parameters are floats, or doubles as the images are. */
static size_t sum_bytes(const struct dnn_tensor *x)
{
    return x->type == DNN_DOUBLE ? sizeof(double) : sizeof(float);
}

static unsigned channel_blocks(const struct layer_norm *p)
{
    return p->x.stride[1] == 1
               ? (unsigned)((p->size[1] + NORM_CHANNELS - 1) / NORM_CHANNELS)
               : (unsigned)p->size[1];
}

/* So many blocks of a channel that all SMs have some. */
static int slices_of(const struct layer_norm *p)
{
    long long all = (long long)p->size[0] * p->size[2] * p->size[3] *
                    p->size[4] / SLICE_LEAST;
    long long slices = vendor_device()->sms * 8 / channel_blocks(p);

    if (p->x.stride[1] == 1)
        all *= NORM_CHANNELS;
    slices = slices < all ? slices : all;
    slices = slices < SLICES_MOST ? slices : SLICES_MOST;
    return slices < 1 ? 1 : (int)slices;
}

static enum dnn_status norm_of(const char *name, int mode, int operations,
                               const struct dnn_tensor *x_is, const void *x,
                               struct layer_norm *p)
{
    enum dnn_status status;

    if (x_is == NULL)
        return DNN_BAD_PARAM;
    if (mode == NORM_PER_ACTIVATION || operations != NORM_ALONE) {
        runtime_say("", "%s: %s is not implemented", name,
                    mode == NORM_PER_ACTIVATION
                        ? "normalization of each activation"
                        : "an activation after it");
        return DNN_NOT_SUPPORTED;
    }
    *p = (struct layer_norm){0};
    status = layer_view_of(x_is, x, &p->x, p->size);
    if (status != DNN_SUCCESS)
        return status;
    if ((long long)p->size[0] * p->size[2] * p->size[3] * p->size[4] > INT_MAX)
        return DNN_NOT_SUPPORTED_SHAPE;
    p->slices = slices_of(p);
    return DNN_SUCCESS;
}

/* Two for each channel and slice, and an element of each channel. */
static size_t sums_bytes(const struct layer_norm *p,
                         const struct dnn_tensor *x_is)
{
    return ((size_t)p->slices * 2 + 1) * (size_t)p->size[1] * sum_bytes(x_is);
}

/* Pixels that follow each other evenly are counted as one side. */
static int has_even_pixels(const struct layer_norm *p,
                           const struct layer_view *v)
{
    const int *size = p->size;
    const long long *stride = v->stride;

    return v->data == NULL ||
           ((size[3] == 1 || stride[3] == stride[4] * size[4]) &&
            (size[2] == 1 || stride[2] == stride[4] * size[4] * size[3]) &&
            (size[4] > 1 || (size[2] == 1 && size[3] == 1)));
}

static void find_pixels(struct layer_norm *p)
{
    for (int i = 0; i < LAYER_SIDES; i++)
        p->by[i] = divisor_of(p->size[i]);
    p->even = has_even_pixels(p, &p->x) && has_even_pixels(p, &p->y) &&
              has_even_pixels(p, &p->out);
    if (p->even)
        p->by[4] = divisor_of(p->size[2] * p->size[3] * p->size[4]);
}

/* The two sums of every channel, and what is made of them. */
static int launch_both(const struct dnn *d, const char *second, int type,
                       struct layer_norm *p)
{
    const struct vendor_grid grid = {.x = channel_blocks(p),
                                     .y = (unsigned)p->slices,
                                     .z = 1,
                                     .threads = LAYER_THREADS};
    enum dnn_status status;

    find_pixels(p);
    status = layer_launch(d, "norm_sums", type, &grid, p);
    return status == DNN_SUCCESS ? (int)layer_launch(d, second, type, &grid, p)
                                 : (int)status;
}

/* ---- sizes ------------------------------------------------------------------------------- */

CALL(cudnnDeriveBNTensorDescriptor, struct dnn_tensor *out,
     const struct dnn_tensor *x, int mode)
{
    if (out == NULL || x == NULL || x->rank < 2)
        return DNN_BAD_PARAM;
    *out = (struct dnn_tensor){.type = x->type == DNN_DOUBLE ? DNN_DOUBLE
                                                             : DNN_FLOAT,
                               .rank = x->rank};
    for (int i = 0; i < x->rank; i++)
        out->size[i] =
            i == 1 || (i > 1 && mode == NORM_PER_ACTIVATION) ? x->size[i] : 1;
    dnn_pack(out, DNN_NCHW);
    return DNN_SUCCESS;
}

CALL(cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize, struct dnn *d,
     int mode, int operations, const struct dnn_tensor *x,
     const struct dnn_tensor *z, const struct dnn_tensor *y,
     const struct dnn_tensor *parameters, const struct dnn_activation *a,
     size_t *bytes)
{
    struct layer_norm p;
    enum dnn_status status;

    (void)d, (void)z, (void)y, (void)parameters, (void)a;
    if (bytes == NULL)
        return DNN_BAD_PARAM;
    status =
        norm_of("cudnnBatchNormalization...Ex", mode, operations, x, NULL, &p);
    *bytes = status == DNN_SUCCESS ? sums_bytes(&p, x) : 0;
    return (int)status;
}

CALL(cudnnGetBatchNormalizationBackwardExWorkspaceSize, struct dnn *d, int mode,
     int operations, const struct dnn_tensor *x, const struct dnn_tensor *y,
     const struct dnn_tensor *y_gradient, const struct dnn_tensor *z_gradient,
     const struct dnn_tensor *x_gradient, const struct dnn_tensor *parameters,
     const struct dnn_activation *a, size_t *bytes)
{
    (void)y_gradient, (void)x_gradient;
    return cudnnGetBatchNormalizationForwardTrainingExWorkspaceSize(
        d, mode, operations, x, z_gradient, y, parameters, a, bytes);
}

CALL(cudnnGetBatchNormalizationTrainingExReserveSpaceSize, struct dnn *d,
     int mode, int operations, const struct dnn_activation *a,
     const struct dnn_tensor *x, size_t *bytes)
{
    (void)d, (void)mode, (void)operations, (void)a, (void)x;
    if (bytes == NULL)
        return DNN_BAD_PARAM;
    *bytes = 0; /* nothing is kept beside the mean and the deviation */
    return DNN_SUCCESS;
}

/* ---- forward ------------------------------------------------------------------------------- */

CALL(cudnnBatchNormalizationForwardInference, struct dnn *d, int mode,
     const void *alpha, const void *beta, const struct dnn_tensor *x_is,
     const void *x, const struct dnn_tensor *y_is, void *y,
     const struct dnn_tensor *parameters, const void *scale, const void *bias,
     const void *mean, const void *variance, double epsilon)
{
    struct layer_norm p;
    struct vendor_grid grid;
    enum dnn_status status;

    (void)parameters;
    if (d == NULL || alpha == NULL || beta == NULL || scale == NULL ||
        bias == NULL || mean == NULL || variance == NULL)
        return DNN_BAD_PARAM;
    status = norm_of("cudnnBatchNormalizationForwardInference", mode,
                     NORM_ALONE, x_is, x, &p);
    if (status == DNN_SUCCESS)
        status = layer_view_of(y_is, y, &p.out, NULL);
    if (status != DNN_SUCCESS)
        return (int)status;
    p.scale = scale;
    p.bias = bias;
    p.mean = mean;
    p.inverse = variance;
    p.has_variance = 1;
    p.epsilon = epsilon;
    p.alpha = dnn_scale(alpha, x_is->type);
    p.beta = dnn_scale(beta, x_is->type);
    status = layer_grid(p.size, p.by, &grid);
    if (status != DNN_SUCCESS)
        return (int)status;
    return (int)layer_launch(d, "norm_inference", x_is->type, &grid, &p);
}

CALL(cudnnBatchNormalizationForwardTrainingEx, struct dnn *d, int mode,
     int operations, const void *alpha, const void *beta,
     const struct dnn_tensor *x_is, const void *x,
     const struct dnn_tensor *z_is, const void *z,
     const struct dnn_tensor *y_is, void *y,
     const struct dnn_tensor *parameters, const void *scale, const void *bias,
     double factor, void *running_mean, void *running_variance, double epsilon,
     void *mean, void *inverse, const struct dnn_activation *a, void *work,
     size_t work_bytes, void *reserve, size_t reserve_bytes)
{
    struct layer_norm p;
    enum dnn_status status;

    (void)z_is, (void)z, (void)parameters, (void)a, (void)reserve,
        (void)reserve_bytes;
    if (d == NULL || alpha == NULL || beta == NULL || scale == NULL ||
        bias == NULL)
        return DNN_BAD_PARAM;
    status = norm_of("cudnnBatchNormalizationForwardTrainingEx", mode,
                     operations, x_is, x, &p);
    if (status == DNN_SUCCESS)
        status = layer_view_of(y_is, y, &p.out, NULL);
    if (status == DNN_SUCCESS &&
        (work == NULL || work_bytes < sums_bytes(&p, x_is)))
        status = DNN_BAD_PARAM_SIZE_INSUFFICIENT;
    if (status != DNN_SUCCESS)
        return (int)status;
    p.sums = work;
    p.scale = scale;
    p.bias = bias;
    p.mean_out = mean;
    p.inverse_out = inverse;
    p.running_mean = running_mean;
    p.running_variance = running_variance;
    p.epsilon = epsilon;
    p.factor = factor;
    p.alpha = dnn_scale(alpha, x_is->type);
    p.beta = dnn_scale(beta, x_is->type);
    return launch_both(d, "norm_training", x_is->type, &p);
}

CALL(cudnnBatchNormalizationForwardTraining, struct dnn *d, int mode,
     const void *alpha, const void *beta, const struct dnn_tensor *x_is,
     const void *x, const struct dnn_tensor *y_is, void *y,
     const struct dnn_tensor *parameters, const void *scale, const void *bias,
     double factor, void *running_mean, void *running_variance, double epsilon,
     void *mean, void *inverse)
{
    if (d == NULL)
        return DNN_BAD_PARAM;
    return cudnnBatchNormalizationForwardTrainingEx(
        d, mode, NORM_ALONE, alpha, beta, x_is, x, NULL, NULL, y_is, y,
        parameters, scale, bias, factor, running_mean, running_variance,
        epsilon, mean, inverse, NULL, d->sums, d->sums_bytes, NULL, 0);
}

/* ---- backward ------------------------------------------------------------------------------- */

CALL(cudnnBatchNormalizationBackwardEx, struct dnn *d, int mode, int operations,
     const void *alpha, const void *beta, const void *alpha_of,
     const void *beta_of, const struct dnn_tensor *x_is, const void *x,
     const struct dnn_tensor *y_is, const void *y,
     const struct dnn_tensor *g_is, const void *g,
     const struct dnn_tensor *z_gradient_is, void *z_gradient,
     const struct dnn_tensor *out_is, void *out,
     const struct dnn_tensor *parameters, const void *scale, const void *bias,
     void *scale_gradient, void *bias_gradient, double epsilon,
     const void *mean, const void *inverse, const struct dnn_activation *a,
     void *work, size_t work_bytes, void *reserve, size_t reserve_bytes)
{
    struct layer_norm p;
    enum dnn_status status;

    (void)y_is, (void)y, (void)z_gradient_is, (void)z_gradient,
        (void)parameters, (void)bias, (void)a, (void)reserve,
        (void)reserve_bytes, (void)epsilon;
    if (d == NULL || alpha == NULL || beta == NULL || alpha_of == NULL ||
        beta_of == NULL || scale == NULL || scale_gradient == NULL ||
        bias_gradient == NULL)
        return DNN_BAD_PARAM;
    status = norm_of("cudnnBatchNormalizationBackwardEx", mode, operations,
                     x_is, x, &p);
    if (status == DNN_SUCCESS && (mean == NULL || inverse == NULL)) {
        runtime_say("", "cudnnBatchNormalizationBackward: without the saved "
                        "mean and deviation it is not implemented");
        status = DNN_NOT_SUPPORTED;
    }
    if (status == DNN_SUCCESS)
        status = layer_view_of(g_is, g, &p.y, NULL);
    if (status == DNN_SUCCESS)
        status = layer_view_of(out_is, out, &p.out, NULL);
    if (status == DNN_SUCCESS &&
        (work == NULL || work_bytes < sums_bytes(&p, x_is)))
        status = DNN_BAD_PARAM_SIZE_INSUFFICIENT;
    if (status != DNN_SUCCESS)
        return (int)status;
    p.sums = work;
    p.backward = 1;
    p.scale = scale;
    p.mean = mean;
    p.inverse = inverse;
    p.scale_gradient = scale_gradient;
    p.bias_gradient = bias_gradient;
    p.alpha = dnn_scale(alpha, x_is->type);
    p.beta = dnn_scale(beta, x_is->type);
    p.alpha_of = dnn_scale(alpha_of, x_is->type);
    p.beta_of = dnn_scale(beta_of, x_is->type);
    return launch_both(d, "norm_backward", x_is->type, &p);
}

CALL(cudnnBatchNormalizationBackward, struct dnn *d, int mode,
     const void *alpha, const void *beta, const void *alpha_of,
     const void *beta_of, const struct dnn_tensor *x_is, const void *x,
     const struct dnn_tensor *g_is, const void *g,
     const struct dnn_tensor *out_is, void *out,
     const struct dnn_tensor *parameters, const void *scale,
     void *scale_gradient, void *bias_gradient, double epsilon,
     const void *mean, const void *inverse)
{
    if (d == NULL)
        return DNN_BAD_PARAM;
    return cudnnBatchNormalizationBackwardEx(
        d, mode, NORM_ALONE, alpha, beta, alpha_of, beta_of, x_is, x, NULL,
        NULL, g_is, g, NULL, NULL, out_is, out, parameters, scale, NULL,
        scale_gradient, bias_gradient, epsilon, mean, inverse, NULL, d->sums,
        d->sums_bytes, NULL, 0);
}

CALL(cudnnConvolutionBackwardBias, struct dnn *d, const void *alpha,
     const struct dnn_tensor *g_is, const void *g, const void *beta,
     const struct dnn_tensor *b_is, void *b)
{
    struct layer_norm p = {.slices = 1, .bias_gradient = b};
    struct vendor_grid grid = {.y = 1, .z = 1, .threads = LAYER_THREADS};

    if (d == NULL || alpha == NULL || beta == NULL || g_is == NULL ||
        b_is == NULL || b == NULL ||
        layer_view_of(g_is, g, &p.x, p.size) != DNN_SUCCESS)
        return DNN_BAD_PARAM;
    p.alpha = dnn_scale(alpha, g_is->type);
    p.beta = dnn_scale(beta, g_is->type);
    find_pixels(&p);
    grid.x = channel_blocks(&p);
    return (int)layer_launch(d, "bias_gradient", g_is->type, &grid, &p);
}
