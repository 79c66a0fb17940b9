/* Entry points of cuDNN: activations, sums of tensors, pooling, softmax. */
#include "tools/cudnn/layers.h"

#include <limits.h>
#include <stdlib.h>

#include "tools/cudart/say.h"
#include "tools/cudnn/kernels/layers.h"

enum {
    OPERATIONS = 6, /* cudnnOpTensorOp_t */
};

/* ---- what they share ------------------------------------------------------------------- */

enum dnn_status layer_view_of(const struct dnn_tensor *t, const void *data,
                              struct layer_view *v, int *size)
{
    int missing;

    if (t == NULL || t->rank < 1 || t->rank > LAYER_SIDES)
        return t == NULL ? DNN_BAD_PARAM : DNN_NOT_SUPPORTED_SHAPE;
    missing = LAYER_SIDES - t->rank;
    *v = (struct layer_view){.data = (void *)data};
    for (int i = 0; i < LAYER_SIDES; i++) {
        int from = i < 2 ? i : i - missing;
        int is_there = i < 2 ? i < t->rank : from >= 2;

        v->stride[i] = is_there ? t->stride[from] : 0;
        if (size != NULL)
            size[i] = is_there ? t->size[from] : 1;
    }
    return DNN_SUCCESS;
}

/* As the others', where a size of 1 is repeated; 0: it does not fit. */
static int repeats(const struct dnn_tensor *t, const void *data,
                   const int *size, struct layer_view *v)
{
    int own[LAYER_SIDES];

    if (layer_view_of(t, data, v, own) != DNN_SUCCESS)
        return 0;
    for (int i = 0; i < LAYER_SIDES; i++) {
        if (own[i] == 1)
            v->stride[i] = 0;
        else if (own[i] != size[i])
            return 0;
    }
    return 1;
}

enum dnn_status layer_launch(const struct dnn *d, const char *what, int type,
                             const struct vendor_grid *grid, void *args)
{
    return dnn_launch_of(d, DNN_LAYERS, what, type, grid, args);
}

enum dnn_status layer_grid(const int *size, struct divisor *by,
                           struct vendor_grid *grid)
{
    long long all = 1;

    for (int i = 0; i < LAYER_SIDES; i++) {
        by[i] = divisor_of(size[i]);
        all *= size[i];
    }
    if (all > INT_MAX) {
        runtime_say("", "cuDNN: a layer of more than 2^31 elements is not "
                        "implemented");
        return DNN_NOT_SUPPORTED_SHAPE;
    }
    *grid = (struct vendor_grid){
        .x = (unsigned)((all + LAYER_THREADS - 1) / LAYER_THREADS),
        .y = 1,
        .z = 1,
        .threads = LAYER_THREADS};
    return DNN_SUCCESS;
}

/* ---- element by element ------------------------------------------------------------------ */

static int launch_points(const struct dnn *d, struct layer_points *p,
                         const struct dnn_tensor *y_is, void *y)
{
    struct vendor_grid grid;
    int size[LAYER_SIDES];
    enum dnn_status status = layer_view_of(y_is, y, &p->y, size);

    if (status == DNN_SUCCESS)
        status = layer_grid(size, p->size, &grid);
    if (status != DNN_SUCCESS)
        return (int)status;
    return (int)layer_launch(d, "points", y_is->type, &grid, p);
}

CALL(cudnnCreateActivationDescriptor, struct dnn_activation **out)
{
    if (out == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    *out = calloc(1, sizeof **out);
    if (*out == NULL)
        return DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    (*out)->beta = 1;
    return DNN_SUCCESS;
}

CALL(cudnnDestroyActivationDescriptor, struct dnn_activation *a)
{
    free(a);
    return DNN_SUCCESS;
}

CALL(cudnnSetActivationDescriptor, struct dnn_activation *a, int mode, int nan,
     double coefficient)
{
    if (a == NULL || mode < DNN_SIGMOID || mode > DNN_SWISH)
        return DNN_BAD_PARAM;
    a->mode = mode;
    a->nan = nan;
    a->coefficient = coefficient;
    return DNN_SUCCESS;
}

CALL(cudnnGetActivationDescriptor, const struct dnn_activation *a, int *mode,
     int *nan, double *coefficient)
{
    if (a == NULL || mode == NULL || nan == NULL || coefficient == NULL)
        return DNN_BAD_PARAM;
    *mode = a->mode;
    *nan = a->nan;
    *coefficient = a->coefficient;
    return DNN_SUCCESS;
}

CALL(cudnnSetActivationDescriptorSwishBeta, struct dnn_activation *a,
     double beta)
{
    if (a == NULL)
        return DNN_BAD_PARAM;
    a->beta = beta;
    return DNN_SUCCESS;
}

static struct layer_points of_activation(const struct dnn_activation *a,
                                         int point, double alpha, double beta)
{
    return (struct layer_points){.point = point,
                                 .activation = a->mode,
                                 .coefficient = a->coefficient,
                                 .swish = a->beta,
                                 .alpha = alpha,
                                 .beta = beta};
}

CALL(cudnnActivationForward, struct dnn *d, const struct dnn_activation *a,
     const void *alpha, const struct dnn_tensor *x_is, const void *x,
     const void *beta, const struct dnn_tensor *y_is, void *y)
{
    struct layer_points p;
    int size[LAYER_SIDES];

    if (d == NULL || a == NULL || alpha == NULL || beta == NULL ||
        x_is == NULL || y_is == NULL)
        return DNN_BAD_PARAM;
    p = of_activation(a, POINT_FORWARD, dnn_scale(alpha, x_is->type),
                      dnn_scale(beta, x_is->type));
    if (layer_view_of(y_is, y, &p.y, size) != DNN_SUCCESS ||
        !repeats(x_is, x, size, &p.a))
        return DNN_BAD_PARAM_SHAPE_MISMATCH;
    return launch_points(d, &p, y_is, y);
}

CALL(cudnnActivationBackward, struct dnn *d, const struct dnn_activation *a,
     const void *alpha, const struct dnn_tensor *y_is, const void *y,
     const struct dnn_tensor *g_is, const void *g,
     const struct dnn_tensor *x_is, const void *x, const void *beta,
     const struct dnn_tensor *out_is, void *out)
{
    struct layer_points p;
    int size[LAYER_SIDES];

    if (d == NULL || a == NULL || alpha == NULL || beta == NULL ||
        x_is == NULL || out_is == NULL)
        return DNN_BAD_PARAM;
    p = of_activation(a, POINT_BACKWARD, dnn_scale(alpha, x_is->type),
                      dnn_scale(beta, x_is->type));
    if (layer_view_of(out_is, out, &p.y, size) != DNN_SUCCESS ||
        !repeats(y_is, y, size, &p.a) || !repeats(g_is, g, size, &p.b) ||
        !repeats(x_is, x, size, &p.c))
        return DNN_BAD_PARAM_SHAPE_MISMATCH;
    return launch_points(d, &p, out_is, out);
}

/* c = alpha a + beta c, of a whose sides of 1 are repeated. */
CALL(cudnnAddTensor, struct dnn *d, const void *alpha,
     const struct dnn_tensor *a_is, const void *a, const void *beta,
     const struct dnn_tensor *c_is, void *c)
{
    struct layer_points p = {.point = POINT_COPY};
    int size[LAYER_SIDES];

    if (d == NULL || alpha == NULL || beta == NULL || a_is == NULL ||
        c_is == NULL || a_is->type != c_is->type)
        return DNN_BAD_PARAM;
    p.alpha = dnn_scale(alpha, c_is->type);
    p.beta = dnn_scale(beta, c_is->type);
    if (layer_view_of(c_is, c, &p.y, size) != DNN_SUCCESS ||
        !repeats(a_is, a, size, &p.a))
        return DNN_BAD_PARAM_SHAPE_MISMATCH;
    return launch_points(d, &p, c_is, c);
}
ALSO(cudnnAddTensor, cudnnTransformTensor);

CALL(cudnnSetTensor, struct dnn *d, const struct dnn_tensor *y_is, void *y,
     const void *value)
{
    struct layer_points p = {.point = POINT_SET};

    if (d == NULL || y_is == NULL || value == NULL)
        return DNN_BAD_PARAM;
    if (y_is->type != DNN_FLOAT && y_is->type != DNN_DOUBLE)
        return DNN_NOT_SUPPORTED_DATA_TYPE;
    p.alpha = dnn_scale(value, y_is->type);
    return launch_points(d, &p, y_is, y);
}

CALL(cudnnScaleTensor, struct dnn *d, const struct dnn_tensor *y_is, void *y,
     const void *alpha)
{
    static const double zero = 0;

    return cudnnAddTensor(d, alpha, y_is, y, &zero, y_is, y);
}

/* cudnnOpTensorDescriptor_t */
struct operation {
    int operation, type, nan;
};

CALL(cudnnCreateOpTensorDescriptor, struct operation **out)
{
    if (out == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    *out = calloc(1, sizeof **out);
    return *out != NULL ? DNN_SUCCESS
                        : DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

CALL(cudnnDestroyOpTensorDescriptor, struct operation *o)
{
    free(o);
    return DNN_SUCCESS;
}

CALL(cudnnSetOpTensorDescriptor, struct operation *o, int operation, int type,
     int nan)
{
    if (o == NULL || operation < 0 || operation >= OPERATIONS)
        return DNN_BAD_PARAM;
    *o = (struct operation){operation, type, nan};
    return DNN_SUCCESS;
}

CALL(cudnnOpTensor, struct dnn *d, const struct operation *o,
     const void *alpha_a, const struct dnn_tensor *a_is, const void *a,
     const void *alpha_b, const struct dnn_tensor *b_is, const void *b,
     const void *beta, const struct dnn_tensor *c_is, void *c)
{
    static const struct {
        int point, operands;
    } points[OPERATIONS] = {
        {POINT_ADD, 2},  {POINT_MULTIPLY, 2}, {POINT_LEAST, 2},
        {POINT_MOST, 2}, {POINT_ROOT, 1},     {POINT_NOT, 1},
    };
    struct layer_points p = {0};
    int size[LAYER_SIDES];

    if (d == NULL || o == NULL || alpha_a == NULL || beta == NULL ||
        c_is == NULL)
        return DNN_BAD_PARAM;
    p.point = points[o->operation].point;
    p.alpha = dnn_scale(alpha_a, c_is->type);
    p.beta = dnn_scale(beta, c_is->type);
    if (layer_view_of(c_is, c, &p.y, size) != DNN_SUCCESS ||
        !repeats(a_is, a, size, &p.a))
        return DNN_BAD_PARAM_SHAPE_MISMATCH;
    if (points[o->operation].operands == 2) {
        if (alpha_b == NULL || !repeats(b_is, b, size, &p.b))
            return DNN_BAD_PARAM_SHAPE_MISMATCH;
        p.alpha_b = dnn_scale(alpha_b, c_is->type);
    }
    return launch_points(d, &p, c_is, c);
}

/* ---- pooling -------------------------------------------------------------------------------- */

/* cudnnPoolingDescriptor_t */
struct pooling {
    int mode, nan, dims;
    int window[LAYER_SPACE], pad[LAYER_SPACE], step[LAYER_SPACE];
};

CALL(cudnnCreatePoolingDescriptor, struct pooling **out)
{
    if (out == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    *out = calloc(1, sizeof **out);
    return *out != NULL ? DNN_SUCCESS
                        : DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

CALL(cudnnDestroyPoolingDescriptor, struct pooling *p)
{
    free(p);
    return DNN_SUCCESS;
}

CALL(cudnnSetPoolingNdDescriptor, struct pooling *p, int mode, int nan,
     int dims, const int *window, const int *pad, const int *step)
{
    if (p == NULL || mode < 0 || mode > 3 || dims < 1 || dims > LAYER_SPACE ||
        window == NULL || pad == NULL || step == NULL)
        return DNN_BAD_PARAM;
    *p = (struct pooling){.mode = mode, .nan = nan, .dims = dims};
    for (int i = 0; i < dims; i++) {
        if (window[i] < 1 || pad[i] < 0 || step[i] < 1)
            return DNN_BAD_PARAM;
        p->window[i] = window[i];
        p->pad[i] = pad[i];
        p->step[i] = step[i];
    }
    return DNN_SUCCESS;
}

CALL(cudnnSetPooling2dDescriptor, struct pooling *p, int mode, int nan, int h,
     int w, int pad_h, int pad_w, int step_h, int step_w)
{
    const int window[] = {h, w}, pad[] = {pad_h, pad_w},
              step[] = {step_h, step_w};

    return cudnnSetPoolingNdDescriptor(p, mode, nan, 2, window, pad, step);
}

CALL(cudnnGetPoolingNdForwardOutputDim, const struct pooling *p,
     const struct dnn_tensor *x, int rank, int *size)
{
    if (p == NULL || x == NULL || size == NULL || rank != p->dims + 2 ||
        x->rank != rank)
        return DNN_BAD_PARAM;
    size[0] = x->size[0];
    size[1] = x->size[1];
    for (int i = 0; i < p->dims; i++)
        size[2 + i] =
            (x->size[2 + i] + 2 * p->pad[i] - p->window[i]) / p->step[i] + 1;
    return DNN_SUCCESS;
}

CALL(cudnnGetPooling2dForwardOutputDim, const struct pooling *p,
     const struct dnn_tensor *x, int *n, int *c, int *h, int *w)
{
    int size[4];
    int status = cudnnGetPoolingNdForwardOutputDim(p, x, 4, size);

    if (status == DNN_SUCCESS) {
        *n = size[0], *c = size[1];
        *h = size[2], *w = size[3];
    }
    return status;
}

static enum dnn_status pools_of(const struct pooling *p, double alpha,
                                double beta, const struct dnn_tensor *x_is,
                                const void *x, const struct dnn_tensor *y_is,
                                const void *y, struct layer_pools *out)
{
    static const int pools[] = {POOL_MOST, POOL_MEAN_ALL, POOL_MEAN_THERE,
                                POOL_MOST};
    int x_size[LAYER_SIDES], y_size[LAYER_SIDES];
    enum dnn_status status;

    *out = (struct layer_pools){
        .pool = pools[p->mode], .alpha = alpha, .beta = beta};
    status = layer_view_of(x_is, x, &out->x, x_size);
    if (status == DNN_SUCCESS)
        status = layer_view_of(y_is, y, &out->y, y_size);
    if (status != DNN_SUCCESS)
        return status;
    if (x_size[0] != y_size[0] || x_size[1] != y_size[1] ||
        x_is->rank != p->dims + 2 || y_is->rank != p->dims + 2 ||
        x_is->type != y_is->type)
        return DNN_BAD_PARAM_SHAPE_MISMATCH;
    for (int i = 0; i < LAYER_SPACE; i++) {
        int of = i - (LAYER_SPACE - p->dims);

        out->x_size[i] = x_size[2 + i];
        out->y_size[i] = y_size[2 + i];
        out->window[i] = of < 0 ? 1 : p->window[of];
        out->pad[i] = of < 0 ? 0 : p->pad[of];
        out->step[i] = of < 0 ? 1 : p->step[of];
    }
    return DNN_SUCCESS;
}

CALL(cudnnPoolingForward, struct dnn *d, const struct pooling *p,
     const void *alpha, const struct dnn_tensor *x_is, const void *x,
     const void *beta, const struct dnn_tensor *y_is, void *y)
{
    struct layer_pools args;
    struct vendor_grid grid;
    int size[LAYER_SIDES];
    enum dnn_status status;

    if (d == NULL || p == NULL || alpha == NULL || beta == NULL ||
        x_is == NULL || y_is == NULL)
        return DNN_BAD_PARAM;
    status = pools_of(p, dnn_scale(alpha, x_is->type),
                      dnn_scale(beta, x_is->type), x_is, x, y_is, y, &args);
    if (status == DNN_SUCCESS)
        status = layer_view_of(y_is, y, &args.y, size);
    if (status == DNN_SUCCESS)
        status = layer_grid(size, args.size, &grid);
    if (status != DNN_SUCCESS)
        return (int)status;
    return (int)layer_launch(d, "pool_forward", x_is->type, &grid, &args);
}

CALL(cudnnPoolingBackward, struct dnn *d, const struct pooling *p,
     const void *alpha, const struct dnn_tensor *y_is, const void *y,
     const struct dnn_tensor *g_is, const void *g,
     const struct dnn_tensor *x_is, const void *x, const void *beta,
     const struct dnn_tensor *out_is, void *out)
{
    struct layer_pools args;
    struct vendor_grid grid;
    int size[LAYER_SIDES];
    enum dnn_status status;

    if (d == NULL || p == NULL || alpha == NULL || beta == NULL ||
        x_is == NULL || y_is == NULL)
        return DNN_BAD_PARAM;
    status = pools_of(p, dnn_scale(alpha, x_is->type),
                      dnn_scale(beta, x_is->type), x_is, x, y_is, y, &args);
    if (status == DNN_SUCCESS)
        status = layer_view_of(g_is, g, &args.y_gradient, NULL);
    if (status == DNN_SUCCESS)
        status = layer_view_of(out_is, out, &args.x_gradient, size);
    if (status == DNN_SUCCESS)
        status = layer_grid(size, args.size, &grid);
    if (status != DNN_SUCCESS)
        return (int)status;
    return (int)layer_launch(d, "pool_backward", x_is->type, &grid, &args);
}

/* ---- softmax --------------------------------------------------------------------------------- */

enum { /* cudnnSoftmaxAlgorithm_t, cudnnSoftmaxMode_t */
    SOFTMAX_FAST = 0,
    SOFTMAX_LOG = 2,
    SOFTMAX_CHANNEL = 1,
};

static int launch_softmax(const struct dnn *d, const char *kernel,
                          int algorithm, int mode, int type,
                          struct layer_softmax *p)
{
    struct vendor_grid grid = {
        .x = (unsigned)p->size[0], .y = 1, .z = 1, .threads = LAYER_THREADS};

    p->by_pixel = mode == SOFTMAX_CHANNEL;
    p->logarithm = algorithm == SOFTMAX_LOG;
    p->keep = algorithm == SOFTMAX_FAST;
    if (p->by_pixel)
        grid.x *= (unsigned)(p->size[2] * p->size[3] * p->size[4]);
    return (int)layer_launch(d, kernel, type, &grid, p);
}

CALL(cudnnSoftmaxForward, struct dnn *d, int algorithm, int mode,
     const void *alpha, const struct dnn_tensor *x_is, const void *x,
     const void *beta, const struct dnn_tensor *y_is, void *y)
{
    struct layer_softmax p = {0};

    if (d == NULL || alpha == NULL || beta == NULL || x_is == NULL ||
        y_is == NULL || x_is->type != y_is->type ||
        layer_view_of(x_is, x, &p.y, p.size) != DNN_SUCCESS ||
        layer_view_of(y_is, y, &p.out, NULL) != DNN_SUCCESS)
        return DNN_BAD_PARAM;
    p.alpha = dnn_scale(alpha, x_is->type);
    p.beta = dnn_scale(beta, x_is->type);
    return launch_softmax(d, "softmax", algorithm, mode, x_is->type, &p);
}

CALL(cudnnSoftmaxBackward, struct dnn *d, int algorithm, int mode,
     const void *alpha, const struct dnn_tensor *y_is, const void *y,
     const struct dnn_tensor *g_is, const void *g, const void *beta,
     const struct dnn_tensor *out_is, void *out)
{
    struct layer_softmax p = {0};

    if (d == NULL || alpha == NULL || beta == NULL || y_is == NULL ||
        out_is == NULL || y_is->type != out_is->type ||
        layer_view_of(y_is, y, &p.y, p.size) != DNN_SUCCESS ||
        layer_view_of(g_is, g, &p.gradient, NULL) != DNN_SUCCESS ||
        layer_view_of(out_is, out, &p.out, NULL) != DNN_SUCCESS)
        return DNN_BAD_PARAM;
    p.alpha = dnn_scale(alpha, y_is->type);
    p.beta = dnn_scale(beta, y_is->type);
    return launch_softmax(d, "softmax_backward", algorithm, mode, y_is->type,
                          &p);
}
