/*
 * A program that calls cuDNN, linked with a library of its name whose functions
 * all fail: what it computes is teg's (tests/cli/cudnn.sh).  Argument: which
 * test; the exit status is 0 if it holds.  Everything is compared with its
 * definition, in doubles.
 */
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/cudnn.h"

/* The API's, of which only what is needed. */
size_t cudnnGetVersion(void);
const char *cudnnGetErrorString(int status);
int cudnnGetProperty(int which, int *value);
int cudnnCreateTensorDescriptor(void **t);
int cudnnDestroyTensorDescriptor(void *t);
int cudnnSetTensor4dDescriptor(void *t, int format, int type, int n, int c,
                               int h, int w);
int cudnnSetTensorNdDescriptor(void *t, int type, int rank, const int *size,
                               const int *stride);
int cudnnGetTensorSizeInBytes(void *t, size_t *bytes);
int cudnnCreateFilterDescriptor(void **t);
int cudnnDestroyFilterDescriptor(void *t);
int cudnnSetFilterNdDescriptor(void *t, int type, int format, int rank,
                               const int *size);
int cudnnCreateConvolutionDescriptor(void **v);
int cudnnDestroyConvolutionDescriptor(void *v);
int cudnnSetConvolutionNdDescriptor(void *v, int dims, const int *pad,
                                    const int *stride, const int *dilation,
                                    int mode, int compute);
int cudnnSetConvolutionGroupCount(void *v, int groups);
int cudnnSetConvolutionMathType(void *v, int math);
int cudnnGetConvolutionNdForwardOutputDim(void *v, void *x, void *w, int rank,
                                          int *size);
int cudnnGetConvolutionForwardWorkspaceSize(void *handle, void *x, void *w,
                                            void *v, void *y, int algorithm,
                                            size_t *bytes);
int cudnnGetConvolutionBackwardDataWorkspaceSize(void *handle, void *w, void *y,
                                                 void *v, void *x,
                                                 int algorithm, size_t *bytes);
int cudnnGetConvolutionBackwardFilterWorkspaceSize(void *handle, void *x,
                                                   void *y, void *v, void *w,
                                                   int algorithm,
                                                   size_t *bytes);
int cudnnConvolutionForward(void *handle, const void *alpha, void *x_is,
                            const void *x, void *w_is, const void *w, void *v,
                            int algorithm, void *work, size_t bytes,
                            const void *beta, void *y_is, void *y);
int cudnnConvolutionBackwardData(void *handle, const void *alpha, void *w_is,
                                 const void *w, void *y_is, const void *y,
                                 void *v, int algorithm, void *work,
                                 size_t bytes, const void *beta, void *x_is,
                                 void *x);
int cudnnConvolutionBackwardFilter(void *handle, const void *alpha, void *x_is,
                                   const void *x, void *y_is, const void *y,
                                   void *v, int algorithm, void *work,
                                   size_t bytes, const void *beta, void *w_is,
                                   void *w);
int cudnnConvolutionBackwardBias(void *handle, const void *alpha, void *y_is,
                                 const void *y, const void *beta, void *b_is,
                                 void *b);
int cudnnConvolutionBiasActivationForward(
    void *handle, const void *alpha, void *x_is, const void *x, void *w_is,
    const void *w, void *v, int algorithm, void *work, size_t bytes,
    const void *beta, void *z_is, const void *z, void *bias_is,
    const void *bias, void *activation, void *y_is, void *y);
int cudnnCreateActivationDescriptor(void **a);
int cudnnSetActivationDescriptor(void *a, int mode, int nan,
                                 double coefficient);
int cudnnActivationForward(void *handle, void *a, const void *alpha, void *x_is,
                           const void *x, const void *beta, void *y_is,
                           void *y);
int cudnnActivationBackward(void *handle, void *a, const void *alpha,
                            void *y_is, const void *y, void *g_is,
                            const void *g, void *x_is, const void *x,
                            const void *beta, void *out_is, void *out);
int cudnnAddTensor(void *handle, const void *alpha, void *a_is, const void *a,
                   const void *beta, void *c_is, void *c);
int cudnnScaleTensor(void *handle, void *y_is, void *y, const void *alpha);
int cudnnCreatePoolingDescriptor(void **p);
int cudnnSetPooling2dDescriptor(void *p, int mode, int nan, int h, int w,
                                int pad_h, int pad_w, int step_h, int step_w);
int cudnnGetPooling2dForwardOutputDim(void *p, void *x, int *n, int *c, int *h,
                                      int *w);
int cudnnPoolingForward(void *handle, void *p, const void *alpha, void *x_is,
                        const void *x, const void *beta, void *y_is, void *y);
int cudnnPoolingBackward(void *handle, void *p, const void *alpha, void *y_is,
                         const void *y, void *g_is, const void *g, void *x_is,
                         const void *x, const void *beta, void *out_is,
                         void *out);
int cudnnSoftmaxForward(void *handle, int algorithm, int mode,
                        const void *alpha, void *x_is, const void *x,
                        const void *beta, void *y_is, void *y);
int cudnnSoftmaxBackward(void *handle, int algorithm, int mode,
                         const void *alpha, void *y_is, const void *y,
                         void *g_is, const void *g, const void *beta,
                         void *out_is, void *out);
int cudnnBatchNormalizationForwardTraining(
    void *handle, int mode, const void *alpha, const void *beta, void *x_is,
    const void *x, void *y_is, void *y, void *parameters, const void *scale,
    const void *bias, double factor, void *mean, void *variance, double epsilon,
    void *saved_mean, void *saved_inverse);
int cudnnBatchNormalizationForwardInference(
    void *handle, int mode, const void *alpha, const void *beta, void *x_is,
    const void *x, void *y_is, void *y, void *parameters, const void *scale,
    const void *bias, const void *mean, const void *variance, double epsilon);
int cudnnBatchNormalizationBackward(void *handle, int mode, const void *alpha,
                                    const void *beta, const void *alpha_of,
                                    const void *beta_of, void *x_is,
                                    const void *x, void *g_is, const void *g,
                                    void *out_is, void *out, void *parameters,
                                    const void *scale, void *scale_gradient,
                                    void *bias_gradient, double epsilon,
                                    const void *mean, const void *inverse);
int cudnnDeriveBNTensorDescriptor(void *out, void *x, int mode);
int cudnnBackendCreateDescriptor(int type, void **d);
int cudnnBackendDestroyDescriptor(void *d);
int cudnnBackendSetAttribute(void *d, int name, int type, int64_t count,
                             const void *values);
int cudnnBackendGetAttribute(void *d, int name, int type, int64_t wanted,
                             int64_t *found, void *values);
int cudnnBackendFinalize(void *d);
int cudnnBackendExecute(void *handle, void *plan, void *pack);
int cudnnCTCLoss(void *handle);

enum {
    NCHW = 0,
    NHWC = 1,
    SIDES = 5,
    SPACE = 3,
    NOT_FINALIZED = 2004,
    NOT_SUPPORTED_PATTERN = 3001,
    NOT_SUPPORTED_TYPE = 3003,
};

static void *handle;

/* How exact sums of a type are, of those that may be rounded to TF32 too. */
static double exactness(int type, int rounds)
{
    switch (type) {
    case DOUBLE:
        return 1e-13;
    case FLOAT:
        return rounds ? 2e-3 : 1e-5;
    case HALF:
        return 2e-3;
    default:
        return 1.5e-2;
    }
}

/* ---- tensors ---------------------------------------------------------------------- */

/* Of image, channel and space; on the device and, in doubles, here. */
struct tensor {
    int type, rank, size[SIDES], all;
    long long stride[SIDES]; /* of the device's */
    double *x;               /* in the order of sides */
    void *device, *is;
};

static int place(const struct tensor *t, int i)
{
    long long at = 0;

    for (int d = t->rank - 1; d >= 0; d--) {
        at += i % t->size[d] * t->stride[d];
        i /= t->size[d];
    }
    return (int)at;
}

static void pack(struct tensor *t, int format)
{
    long long stride = 1;

    if (format == NHWC) {
        t->stride[1] = 1;
        stride = t->size[1];
    }
    for (int d = t->rank - 1; d >= 0; d--) {
        if (format == NHWC && d == 1)
            continue;
        t->stride[d] = stride;
        stride *= t->size[d];
    }
}

static void send(struct tensor *t)
{
    size_t bytes = bytes_of(t->type);
    char *copy = malloc((size_t)t->all * bytes);

    for (int i = 0; i < t->all; i++) {
        put(t->type, copy + (size_t)place(t, i) * bytes, t->x[i]);
        t->x[i] = get(t->type, copy + (size_t)place(t, i) * bytes);
    }
    cudaMemcpy(t->device, copy, (size_t)t->all * bytes, TO_DEVICE);
    free(copy);
}

/* Drawn numbers, as the type has them. */
static struct tensor tensor(int type, int format, int rank, const int *size)
{
    struct tensor t = {.type = type, .rank = rank, .all = 1};

    for (int d = 0; d < rank; d++) {
        t.size[d] = size[d];
        t.all *= size[d];
    }
    pack(&t, format);
    t.x = malloc((size_t)t.all * sizeof *t.x);
    for (int i = 0; i < t.all; i++)
        t.x[i] = drawn(1);
    cudaMalloc(&t.device, (size_t)t.all * bytes_of(type));
    send(&t);
    return t;
}

static void describe(struct tensor *t)
{
    int stride[SIDES];

    for (int d = 0; d < t->rank; d++)
        stride[d] = (int)t->stride[d];
    cudnnCreateTensorDescriptor(&t->is);
    cudnnSetTensorNdDescriptor(t->is, t->type, t->rank, t->size, stride);
}

static void drop(struct tensor *t)
{
    free(t->x);
    cudaFree(t->device);
}

/* The device's against those here: within `exact` of the largest. */
static int compare(const char *what, const struct tensor *t, double exact)
{
    size_t bytes = bytes_of(t->type);
    char *copy = malloc((size_t)t->all * bytes);
    double most = 0, worst = 0, got = 0, want = 0;

    cudaMemcpy(copy, t->device, (size_t)t->all * bytes, TO_HOST);
    for (int i = 0; i < t->all; i++) {
        double x = get(t->type, copy + (size_t)place(t, i) * bytes);

        most = fmax(most, fabs(t->x[i]));
        if (!(fabs(x - t->x[i]) <= worst)) {
            worst = fabs(x - t->x[i]);
            got = x;
            want = t->x[i];
        }
    }
    free(copy);
    return worst <= exact * fmax(most, 1) ? 0 : failed(what, got, want);
}

/* ---- convolutions -------------------------------------------------------------------- */

struct shape {
    int type, format, dims;
    int n, c, k, groups;
    int x[SPACE], w[SPACE], pad[SPACE], stride[SPACE], dilation[SPACE];
    int mode;  /* 1: as it is, 0: filters turned round */
    int exact; /* floats are not rounded */
};

/* What x and w are for each element of y; `what` 0, 1, 2: y, x, w is made. */
static void define(const struct shape *s, int what, const struct tensor *x,
                   const struct tensor *w, const struct tensor *y, double *out)
{
    int c_each = s->c / s->groups, k_each = s->k / s->groups;
    int taps = w->all / (s->k * c_each), pixels = y->all / (s->n * s->k);

    memset(out, 0,
           (size_t)(what == 0   ? y->all
                    : what == 1 ? x->all
                                : w->all) *
               sizeof *out);
    for (int i = 0; i < s->n * s->k * pixels; i++)
        for (int t = 0; t < taps; t++) {
            int n = i / pixels / s->k, k = i / pixels % s->k, left = i % pixels;
            int tap = t, at = 0, inside = 1, around = 1;

            for (int d = s->dims - 1; d >= 0; d--) {
                int p = left % y->size[2 + d], r = tap % s->w[d], q;

                left /= y->size[2 + d];
                tap /= s->w[d];
                if (s->mode == 0)
                    r = s->w[d] - 1 - r;
                q = p * s->stride[d] - s->pad[d] + r * s->dilation[d];
                inside = inside && q >= 0 && q < s->x[d];
                at += q * around;
                around *= s->x[d];
            }
            for (int c = 0; inside && c < c_each; c++) {
                int in = (n * s->c + k / k_each * c_each + c) * around + at;
                int f = (k * c_each + c) * taps + t;

                if (what == 0)
                    out[i] += x->x[in] * w->x[f];
                else if (what == 1)
                    out[in] += y->x[i] * w->x[f];
                else
                    out[f] += y->x[i] * x->x[in];
            }
        }
}

/* What a convolution is given, by either API. */
struct set {
    struct tensor x, w, y;
    void *v;
};

static struct set make(const struct shape *s)
{
    struct set set;
    int size[SIDES] = {s->n, s->c};

    for (int d = 0; d < s->dims; d++)
        size[2 + d] = s->x[d];
    set.x = tensor(s->type, s->format, s->dims + 2, size);
    describe(&set.x);
    size[0] = s->k, size[1] = s->c / s->groups;
    for (int d = 0; d < s->dims; d++)
        size[2 + d] = s->w[d];
    set.w = tensor(s->type, s->format, s->dims + 2, size);
    cudnnCreateFilterDescriptor(&set.w.is);
    cudnnSetFilterNdDescriptor(set.w.is, s->type, s->format, s->dims + 2, size);
    cudnnCreateConvolutionDescriptor(&set.v);
    cudnnSetConvolutionNdDescriptor(set.v, s->dims, s->pad, s->stride,
                                    s->dilation, s->mode,
                                    s->type == DOUBLE ? DOUBLE : FLOAT);
    cudnnSetConvolutionGroupCount(set.v, s->groups);
    if (s->exact)
        cudnnSetConvolutionMathType(set.v, FMA);
    if (cudnnGetConvolutionNdForwardOutputDim(set.v, set.x.is, set.w.is,
                                              s->dims + 2, size) != 0)
        exit(failed("a result's size", 1, 0));
    set.y = tensor(s->type, s->format, s->dims + 2, size);
    describe(&set.y);
    return set;
}

static void unmake(struct set *s)
{
    drop(&s->x);
    drop(&s->w);
    drop(&s->y);
    cudnnDestroyTensorDescriptor(s->x.is);
    cudnnDestroyTensorDescriptor(s->y.is);
    cudnnDestroyFilterDescriptor(s->w.is);
    cudnnDestroyConvolutionDescriptor(s->v);
}

/* out = alpha (what is defined) + beta out */
static int convolve(struct set *set, int what, const struct shape *s)
{
    struct tensor *const results[] = {&set->y, &set->x, &set->w};
    static const char *const names[] = {"forward", "by data", "by filter"};
    const double doubles[] = {1.5, -0.5};
    const float floats[] = {1.5f, -0.5f};
    const void *alpha = s->type == DOUBLE ? (const void *)&doubles[0]
                                          : (const void *)&floats[0];
    const void *beta = s->type == DOUBLE ? (const void *)&doubles[1]
                                         : (const void *)&floats[1];
    struct tensor *out = results[what];
    double *made = malloc((size_t)out->all * sizeof *made);
    void *work = NULL;
    size_t bytes = 1;
    int status;

    define(s, what, &set->x, &set->w, &set->y, made);
    status =
        what == 0
            ? cudnnGetConvolutionForwardWorkspaceSize(
                  handle, set->x.is, set->w.is, set->v, set->y.is, 1, &bytes)
        : what == 1
            ? cudnnGetConvolutionBackwardDataWorkspaceSize(
                  handle, set->w.is, set->y.is, set->v, set->x.is, 1, &bytes)
            : cudnnGetConvolutionBackwardFilterWorkspaceSize(
                  handle, set->x.is, set->y.is, set->v, set->w.is, 1, &bytes);
    if (status != 0)
        return failed("a work area", status, 0);
    if (bytes > 0)
        cudaMalloc(&work, bytes);
    status =
        what == 0
            ? cudnnConvolutionForward(handle, alpha, set->x.is, set->x.device,
                                      set->w.is, set->w.device, set->v, 1, work,
                                      bytes, beta, set->y.is, set->y.device)
        : what == 1 ? cudnnConvolutionBackwardData(
                          handle, alpha, set->w.is, set->w.device, set->y.is,
                          set->y.device, set->v, 1, work, bytes, beta,
                          set->x.is, set->x.device)
                    : cudnnConvolutionBackwardFilter(
                          handle, alpha, set->x.is, set->x.device, set->y.is,
                          set->y.device, set->v, 1, work, bytes, beta,
                          set->w.is, set->w.device);
    cudaFree(work);
    if (status != 0)
        return failed(names[what], status, 0);
    for (int i = 0; i < out->all; i++)
        out->x[i] = 1.5 * made[i] - 0.5 * out->x[i];
    free(made);
    return compare(names[what], out, exactness(s->type, !s->exact));
}

/* The first `count` of forward, by data and by filter. */
static int first_of(const struct shape *s, int count)
{
    int wrong = 0;

    for (int what = 0; what < count; what++) {
        struct set set = make(s);

        wrong |= convolve(&set, what, s);
        unmake(&set);
    }
    if (wrong)
        fprintf(stderr,
                "type %d, format %d, %d images, %d of %d channels to %d, "
                "%dx%dx%d by %dx%dx%d\n",
                s->type, s->format, s->n, s->groups, s->c, s->k, s->x[0],
                s->x[1], s->x[2], s->w[0], s->w[1], s->w[2]);
    return wrong;
}

static int all_three(const struct shape *s)
{
    return first_of(s, 3);
}

#define PLAIN {0, 0}, {1, 1}, {1, 1}, 1

static const struct shape shapes[] = {
    {FLOAT,
     NCHW,
     2,
     2,
     16,
     32,
     1,
     {14, 14},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     1,
     0},
    {FLOAT,
     NCHW,
     2,
     2,
     3,
     20,
     1,
     {33, 31},
     {7, 7},
     {3, 3},
     {2, 2},
     {1, 1},
     1,
     1},
    {FLOAT,
     NHWC,
     2,
     2,
     5,
     13,
     1,
     {14, 14},
     {3, 3},
     {1, 1},
     {2, 2},
     {1, 1},
     0,
     1},
    {FLOAT, NCHW, 2, 1, 130, 70, 1, {9, 7}, {1, 1}, PLAIN, 0},
    {HALF,
     NHWC,
     2,
     2,
     24,
     40,
     1,
     {17, 19},
     {3, 3},
     {1, 2},
     {2, 3},
     {2, 1},
     1,
     0},
    {HALF,
     NCHW,
     2,
     2,
     16,
     33,
     1,
     {12, 12},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     0,
     0},
    {HALF, NHWC, 2, 3, 32, 64, 4, {9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, 0},
    {HALF,
     NHWC,
     2,
     2,
     64,
     128,
     1,
     {15, 15},
     {1, 1},
     {0, 0},
     {2, 2},
     {1, 1},
     1,
     0},
    {BFLOAT16,
     NHWC,
     2,
     2,
     24,
     24,
     1,
     {8, 9},
     {3, 5},
     {1, 2},
     {2, 2},
     {2, 3},
     1,
     0},
    {DOUBLE, NCHW, 2, 2, 5, 6, 1, {9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, 0},
    /* By the definition: few channels of a group, many taps. */
    {FLOAT,
     NCHW,
     2,
     2,
     12,
     12,
     12,
     {9, 9},
     {3, 3},
     {1, 1},
     {2, 2},
     {1, 1},
     1,
     0},
    {HALF, NHWC, 2, 2, 12, 24, 4, {9, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 0, 0},
    {FLOAT, NCHW, 1, 2, 3, 4, 1, {90}, {40}, {7}, {3}, {1}, 1, 0},
    /* Lines and rooms. */
    {FLOAT, NCHW, 1, 2, 8, 16, 1, {150}, {9}, {4}, {2}, {1}, 1, 1},
    {HALF,
     NHWC,
     3,
     2,
     16,
     24,
     1,
     {5, 7, 6},
     {3, 3, 2},
     {1, 0, 1},
     {1, 2, 1},
     {1, 1, 2},
     1,
     0},
    {FLOAT,
     NCHW,
     3,
     1,
     4,
     8,
     1,
     {5, 6, 7},
     {2, 3, 3},
     {1, 1, 1},
     {2, 2, 2},
     {1, 1, 1},
     1,
     1},
    /* In slices: sums that a few tiles make. */
    {FLOAT,
     NCHW,
     2,
     4,
     256,
     512,
     1,
     {4, 4},
     {3, 3},
     {1, 1},
     {2, 2},
     {1, 1},
     1,
     1},
    {HALF,
     NHWC,
     2,
     4,
     64,
     64,
     1,
     {30, 30},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     1,
     0},
};

static int all_shapes(void)
{
    int wrong = 0;

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        wrong |= all_three(&shapes[i]);
    return wrong;
}

/* A type that other generations have other kernels for. */
static int some_shapes(void)
{
    static const int some[] = {1, 4, 8, 14};
    int wrong = 0;

    for (size_t i = 0; i < sizeof some / sizeof some[0]; i++)
        wrong |= all_three(&shapes[some[i]]);
    return wrong;
}

/* Those that Hopper's own kernels take, and some that they do not. */
static const struct shape hopper_shapes[] = {
    /* Pixels of several images in a tile; channels of four sizes of chunk. */
    {HALF,
     NHWC,
     2,
     3,
     64,
     72,
     1,
     {13, 11},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     1,
     0},
    {HALF,
     NCHW,
     2,
     2,
     96,
     40,
     1,
     {9, 14},
     {3, 2},
     {1, 0},
     {1, 1},
     {1, 1},
     1,
     0},
    {BFLOAT16,
     NCHW,
     2,
     2,
     48,
     33,
     1,
     {14, 13},
     {3, 3},
     {1, 2},
     {2, 3},
     {2, 1},
     0,
     0},
    {BFLOAT16,
     NHWC,
     2,
     2,
     24,
     16,
     1,
     {9, 9},
     {4, 3},
     {3, 2},
     {1, 1},
     {2, 2},
     0,
     0},
    {HALF,
     NCHW,
     2,
     2,
     3,
     16,
     1,
     {17, 12},
     {3, 3},
     {1, 1},
     {2, 2},
     {1, 1},
     1,
     0},
    /* Lines and rooms. */
    {HALF, NCHW, 1, 2, 32, 16, 1, {150}, {9}, {4}, {2}, {1}, 1, 0},
    {HALF,
     NCHW,
     3,
     2,
     16,
     24,
     1,
     {5, 7, 6},
     {3, 3, 2},
     {1, 0, 1},
     {1, 2, 1},
     {1, 1, 2},
     1,
     0},
    /* One tap: planes, and those that no map has. */
    {HALF, NCHW, 2, 3, 72, 80, 1, {8, 9}, {1, 1}, PLAIN, 0},
    {BFLOAT16, NCHW, 2, 2, 64, 96, 1, {7, 7}, {1, 1}, PLAIN, 0},
    /* Groups, of whole chunks and not. */
    {HALF,
     NHWC,
     2,
     2,
     128,
     48,
     2,
     {7, 8},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     1,
     0},
    {HALF,
     NCHW,
     2,
     2,
     128,
     128,
     2,
     {7, 8},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     1,
     0},
    {HALF, NHWC, 2, 2, 32, 32, 2, {7, 8}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 1, 0},
    /* A stride that no map has. */
    {HALF,
     NHWC,
     2,
     2,
     16,
     16,
     1,
     {20, 19},
     {3, 3},
     {1, 1},
     {9, 1},
     {1, 1},
     1,
     0},
    /* In slices, and, where SMs are few, in large tiles. */
    {HALF,
     NCHW,
     2,
     1,
     512,
     64,
     1,
     {7, 7},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     1,
     0},
    {HALF,
     NCHW,
     2,
     1,
     64,
     256,
     1,
     {16, 16},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     1,
     0},
    {BFLOAT16,
     NHWC,
     2,
     1,
     32,
     256,
     1,
     {16, 16},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     1,
     0},
    {HALF,
     NCHW,
     2,
     1,
     16,
     128,
     1,
     {24, 20},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     1,
     0},
    {BFLOAT16,
     NHWC,
     2,
     2,
     24,
     128,
     1,
     {15, 17},
     {3, 3},
     {1, 1},
     {1, 1},
     {1, 1},
     0,
     0},
    {HALF, NCHW, 2, 1, 64, 256, 1, {16, 16}, {1, 1}, PLAIN, 0},
};

/* A tensor that begins within 16 bytes: no map has it. */
static int unaligned(const struct shape *s)
{
    struct set set = make(s);
    void *whole = set.x.device, *larger;
    int wrong;

    cudaMalloc(&larger, (size_t)set.x.all * 2 + 16);
    set.x.device = (char *)larger + 2;
    send(&set.x);
    wrong = convolve(&set, 0, s);
    cudaFree(larger);
    set.x.device = whole;
    unmake(&set);
    return wrong;
}

static int hopper(void)
{
    int wrong = 0;

    for (size_t i = 0; i < sizeof hopper_shapes / sizeof hopper_shapes[0]; i++)
        wrong |= first_of(&hopper_shapes[i], 2);
    wrong |= unaligned(&hopper_shapes[0]);
    wrong |= unaligned(&hopper_shapes[7]);
    return wrong;
}

static int refused(const char *what, int status, int want)
{
    return status == want ? 0 : failed(what, status, want);
}

/* y = relu(alpha x * w + beta z + bias) */
static int fused_of(int format)
{
    const struct shape shape = {HALF,    format, 2,      2,      16,     32, 1,
                                {10, 9}, {3, 3}, {1, 1}, {1, 1}, {1, 1}, 1,  0};
    const float alpha = 0.5f, beta = 2;
    struct set s = make(&shape);
    struct tensor z = tensor(HALF, format, 4, s.y.size);
    struct tensor bias = tensor(HALF, NHWC, 4, (const int[]){1, 32, 1, 1});
    void *relu, *work;
    size_t bytes;
    int status, pixels = s.y.all / (2 * 32), wrong;

    describe(&z);
    describe(&bias);
    cudnnCreateActivationDescriptor(&relu);
    cudnnSetActivationDescriptor(relu, 1, 0, 0);
    define(&shape, 0, &s.x, &s.w, &s.y, s.y.x);
    for (int i = 0; i < s.y.all; i++)
        s.y.x[i] =
            fmax(0, 0.5 * s.y.x[i] + 2 * z.x[i] + bias.x[i / pixels % 32]);
    cudnnGetConvolutionForwardWorkspaceSize(handle, s.x.is, s.w.is, s.v, s.y.is,
                                            1, &bytes);
    cudaMalloc(&work, bytes + 1);
    status = cudnnConvolutionBiasActivationForward(
        handle, &alpha, s.x.is, s.x.device, s.w.is, s.w.device, s.v, 1, work,
        bytes, &beta, z.is, z.device, bias.is, bias.device, relu, s.y.is,
        s.y.device);
    wrong = status != 0 ? failed("fused", status, 0)
                        : compare("fused", &s.y, exactness(HALF, 0));
    /* a z that lies otherwise, and another activation */
    cudnnSetTensor4dDescriptor(z.is, !format, HALF, 2, 32, s.y.size[2],
                               s.y.size[3]);
    wrong |= refused("another layout",
                     cudnnConvolutionBiasActivationForward(
                         handle, &alpha, s.x.is, s.x.device, s.w.is, s.w.device,
                         s.v, 1, work, bytes, &beta, z.is, z.device, bias.is,
                         bias.device, relu, s.y.is, s.y.device),
                     NOT_SUPPORTED);
    cudnnSetActivationDescriptor(relu, 2, 0, 0);
    wrong |= refused("another activation",
                     cudnnConvolutionBiasActivationForward(
                         handle, &alpha, s.x.is, s.x.device, s.w.is, s.w.device,
                         s.v, 1, work, bytes, &beta, s.y.is, z.device, bias.is,
                         bias.device, relu, s.y.is, s.y.device),
                     NOT_SUPPORTED);
    cudaFree(work);
    unmake(&s);
    drop(&z);
    drop(&bias);
    return wrong;
}

static int fused(void)
{
    return fused_of(NHWC) | fused_of(NCHW);
}

/* ---- graphs ----------------------------------------------------------------------------- */

enum { /* names, types, descriptors of the API */
    T_HANDLE = 0,
    T_DATA = 1,
    T_BOOLEAN = 2,
    T_INT64 = 3,
    T_FLOAT = 4,
    T_POINTER = 6,
    T_MODE = 7,
    T_HEURISTIC = 8,
    T_NOTE = 11,
    T_POINTWISE = 14,
    T_DESCRIPTOR = 15,
};

static void *backend(int type)
{
    void *d = NULL;

    if (cudnnBackendCreateDescriptor(type, &d) != 0)
        exit(failed("a descriptor", type, 0));
    return d;
}

static void give(void *d, int name, int type, int count, const void *values)
{
    int status = cudnnBackendSetAttribute(d, name, type, count, values);

    if (status != 0)
        exit(failed("an attribute", status, 0));
}

static void *finished(void *d)
{
    int status = cudnnBackendFinalize(d);

    if (status != 0)
        exit(failed("finalizing", status, 0));
    return d;
}

static void *graph_tensor(const struct tensor *t, int64_t id, int is_virtual)
{
    void *d = backend(17);
    int64_t size[SIDES], stride[SIDES], alignment = 16;
    char virtual = (char)is_virtual;

    for (int i = 0; i < t->rank; i++) {
        size[i] = t->size[i];
        stride[i] = t->stride[i];
    }
    give(d, 901, T_DATA, 1, &t->type);
    give(d, 902, T_INT64, t->rank, size);
    give(d, 903, T_INT64, t->rank, stride);
    give(d, 906, T_INT64, 1, &id);
    give(d, 900, T_INT64, 1, &alignment);
    give(d, 907, T_BOOLEAN, 1, &virtual);
    return finished(d);
}

static void *pointwise(int mode, void *x, void *b, void *y)
{
    void *how = backend(0), *op = backend(13);
    int type = FLOAT;

    give(how, 0, T_POINTWISE, 1, &mode);
    give(how, 1, T_DATA, 1, &type);
    finished(how);
    give(op, 750, T_DESCRIPTOR, 1, &how);
    give(op, 751, T_DESCRIPTOR, 1, &x);
    if (b != NULL)
        give(op, 752, T_DESCRIPTOR, 1, &b);
    give(op, 753, T_DESCRIPTOR, 1, &y);
    cudnnBackendDestroyDescriptor(how); /* the operation holds it */
    return finished(op);
}

static int graph(void)
{
    static const struct shape shape = {FLOAT,  NHWC,   2,       2,      16,
                                       32,     1,      {10, 9}, {3, 3}, {1, 1},
                                       {1, 1}, {1, 1}, 1,       0};
    struct set s = make(&shape);
    struct tensor bias = tensor(FLOAT, NHWC, 4, (const int[]){1, 32, 1, 1});
    void *v = backend(1), *op[3], *graph = backend(15), *heuristics, *plan;
    void *x = graph_tensor(&s.x, 'x', 0), *w = graph_tensor(&s.w, 'w', 0);
    void *raw = graph_tensor(&s.y, 'r', 1), *sum = graph_tensor(&s.y, 's', 1);
    void *b = graph_tensor(&bias, 'b', 0), *y = graph_tensor(&s.y, 'y', 0);
    void *config[2] = {backend(3), backend(3)}, *engine = backend(2);
    void *pack = backend(16), *work, *pointers[4];
    int64_t two[] = {1, 1}, dims = 2, found = 0, bytes = 0;
    const int64_t ids[] = {'x', 'w', 'b', 'y'};
    int mode = 1, type = FLOAT, note = -1, status, pixels = 90;
    float one = 1, zero = 0;

    give(v, 106, T_INT64, 1, &dims);
    give(v, 100, T_DATA, 1, &type);
    give(v, 101, T_MODE, 1, &mode);
    give(v, 105, T_INT64, 2, two);
    give(v, 104, T_INT64, 2, two);
    give(v, 103, T_INT64, 2, two);
    give(v, 102, T_INT64, 2, two);
    finished(v);
    op[0] = backend(10);
    give(op[0], 700, T_FLOAT, 1, &one);
    give(op[0], 701, T_FLOAT, 1, &zero);
    give(op[0], 702, T_DESCRIPTOR, 1, &v);
    give(op[0], 703, T_DESCRIPTOR, 1, &w);
    give(op[0], 704, T_DESCRIPTOR, 1, &x);
    give(op[0], 705, T_DESCRIPTOR, 1, &raw);
    finished(op[0]);
    op[1] = pointwise(0, raw, b, sum);
    op[2] = pointwise(100, sum, NULL, y);
    give(graph, 800, T_HANDLE, 1, &handle);
    give(graph, 801, T_DESCRIPTOR, 3, op);
    if (cudnnBackendGetAttribute(graph, 802, T_INT64, 1, &found, &dims) !=
        NOT_FINALIZED)
        return failed("not finalized", 0, NOT_FINALIZED);
    finished(graph);
    heuristics = backend(4);
    mode = 0;
    give(heuristics, 201, T_DESCRIPTOR, 1, &graph);
    give(heuristics, 200, T_HEURISTIC, 1, &mode);
    finished(heuristics);
    cudnnBackendGetAttribute(heuristics, 202, T_DESCRIPTOR, 0, &found, NULL);
    if (found != 2) /* with and without rounding */
        return failed("configurations", (double)found, 2);
    cudnnBackendGetAttribute(heuristics, 202, T_DESCRIPTOR, 2, &found, config);
    cudnnBackendGetAttribute(config[0], 300, T_DESCRIPTOR, 1, &found, &engine);
    cudnnBackendGetAttribute(engine, 1303, T_NOTE, 1, &found, &note);
    if (found != 1 || note != 0)
        return failed("a note of tensor instructions", note, 0);

    for (int i = 0; i < 2; i++) {
        plan = backend(5);
        give(plan, 401, T_DESCRIPTOR, 1, &config[i]);
        finished(plan);
        cudnnBackendGetAttribute(plan, 402, T_INT64, 1, &found, &bytes);
        cudaMalloc(&work, (size_t)bytes + 1);
        if (i == 0) { /* a plan lives without what it was made of */
            void *const gone[] = {v, op[0], op[1], op[2], graph, heuristics, x,
                                  w, raw,   sum,   b,     y,     engine};

            for (size_t g = 0; g < sizeof gone / sizeof gone[0]; g++)
                cudnnBackendDestroyDescriptor(gone[g]);
            pointers[0] = s.x.device;
            pointers[1] = s.w.device;
            pointers[2] = bias.device;
            pointers[3] = s.y.device;
            define(&shape, 0, &s.x, &s.w, &s.y, s.y.x);
            for (int e = 0; e < s.y.all; e++)
                s.y.x[e] = fmax(0, s.y.x[e] + bias.x[e / pixels % 32]);
        } else {
            cudnnBackendDestroyDescriptor(pack);
            pack = backend(16);
        }
        give(pack, 1000, T_INT64, 4, ids);
        give(pack, 1001, T_POINTER, 4, pointers);
        give(pack, 1003, T_POINTER, 1, &work);
        finished(pack);
        status = cudnnBackendExecute(handle, plan, pack);
        if (status != 0)
            return failed("a plan", status, 0);
        if (compare(i == 0 ? "a graph, rounded" : "a graph", &s.y,
                    exactness(FLOAT, i == 0)))
            return 1;
        cudaFree(work);
        cudnnBackendDestroyDescriptor(plan);
    }
    cudnnBackendDestroyDescriptor(pack);
    cudnnBackendDestroyDescriptor(config[0]);
    cudnnBackendDestroyDescriptor(config[1]);
    unmake(&s);
    drop(&bias);
    return 0;
}

/* ---- layers --------------------------------------------------------------------------------- */

static int layers_of(int type, int format)
{
    const int size[] = {3, 40, 7, 5};
    struct tensor x = tensor(type, format, 4, size);
    struct tensor y = tensor(type, format, 4, size);
    struct tensor g = tensor(type, format, 4, size);
    struct tensor b = tensor(type, format, 4, (const int[]){1, 40, 1, 1});
    const double doubles[] = {1, 0, 2};
    const float floats[] = {1, 0, 2};
    const void *scale[3];
    double exact = exactness(type, 0);
    void *a;
    int wrong = 0;

    for (int i = 0; i < 3; i++)
        scale[i] = type == DOUBLE ? (const void *)&doubles[i]
                                  : (const void *)&floats[i];
    describe(&x);
    describe(&y);
    describe(&g);
    describe(&b);
    cudnnCreateActivationDescriptor(&a);
    for (int mode = 0; mode < 7; mode++) {
        static const char *const names[] = {
            "sigmoid", "relu", "tanh", "clipped", "elu", "same", "swish"};

        cudnnSetActivationDescriptor(a, mode, 0, 0.5);
        for (int i = 0; i < x.all; i++) {
            double v = x.x[i], s = 1 / (1 + exp(-v));
            const double is[] = {s,
                                 fmax(v, 0),
                                 tanh(v),
                                 fmin(fmax(v, 0), 0.5),
                                 v > 0 ? v : 0.5 * (exp(v) - 1),
                                 v,
                                 v * s};

            y.x[i] = is[mode];
        }
        if (cudnnActivationForward(handle, a, scale[0], x.is, x.device,
                                   scale[1], y.is, y.device) != 0)
            return failed(names[mode], 1, 0);
        wrong |= compare(names[mode], &y, exact);
        for (int i = 0; i < x.all; i++) {
            double v = x.x[i], s = 1 / (1 + exp(-v)), t = tanh(v);
            const double is[] = {
                s * (1 - s), v > 0,
                1 - t * t,   v > 0 && v<0.5, v> 0 ? 1 : 0.5 * exp(v),
                1,           s + v * s * (1 - s)};

            y.x[i] = 2 * is[mode] * g.x[i];
        }
        /* In the gradient's place: of the result, y; of what it was of, x. */
        {
            struct tensor out = tensor(type, format, 4, size);

            describe(&out);
            memcpy(out.x, y.x, (size_t)y.all * sizeof *y.x);
            cudnnActivationBackward(handle, a, scale[2], y.is, y.device, g.is,
                                    g.device, x.is, x.device, scale[1], out.is,
                                    out.device);
            wrong |= compare(names[mode], &out, exact * 4);
            drop(&out);
        }
    }

    for (int i = 0; i < y.all; i++)
        y.x[i] = drawn(1);
    send(&y);
    for (int i = 0; i < y.all; i++)
        y.x[i] = 2 * b.x[i / 35 % 40] + y.x[i];
    cudnnAddTensor(handle, scale[2], b.is, b.device, scale[0], y.is, y.device);
    wrong |= compare("a bias added", &y, exact);
    for (int i = 0; i < y.all; i++)
        y.x[i] *= 2;
    cudnnScaleTensor(handle, y.is, y.device, scale[2]);
    wrong |= compare("scaled", &y, exact * 2);

    memset(b.x, 0, (size_t)b.all * sizeof *b.x);
    for (int i = 0; i < g.all; i++)
        b.x[i / 35 % 40] += g.x[i];
    cudnnConvolutionBackwardBias(handle, scale[0], g.is, g.device, scale[1],
                                 b.is, b.device);
    wrong |= compare("a bias' gradient", &b, exact);

    for (int mode = 0; mode < 2; mode++)
        for (int algorithm = 1; algorithm < 3; algorithm++) {
            int along = mode == 0 ? 40 * 35 : 40, apart = mode == 0 ? 1 : 35;
            int rows = x.all / along;

            for (int r = 0; r < rows; r++) {
                int first = mode == 0 ? r * along : r / 35 * 1400 + r % 35;
                double sum = 0;

                for (int i = 0; i < along; i++)
                    sum += exp(x.x[first + i * apart]);
                for (int i = 0; i < along; i++) {
                    double v = exp(x.x[first + i * apart]) / sum;

                    y.x[first + i * apart] = algorithm == 2 ? log(v) : v;
                }
            }
            cudnnSoftmaxForward(handle, algorithm, mode, scale[0], x.is,
                                x.device, scale[1], y.is, y.device);
            wrong |= compare("softmax", &y, exact * 4);
            send(&y);
            {
                struct tensor out = tensor(type, format, 4, size);

                describe(&out);
                for (int r = 0; r < rows; r++) {
                    int first = mode == 0 ? r * along : r / 35 * 1400 + r % 35;
                    double sum = 0;

                    for (int i = 0; i < along; i++) {
                        int at = first + i * apart;

                        sum += g.x[at] * (algorithm == 2 ? 1 : y.x[at]);
                    }
                    for (int i = 0; i < along; i++) {
                        int at = first + i * apart;

                        out.x[at] = algorithm == 2
                                        ? g.x[at] - exp(y.x[at]) * sum
                                        : y.x[at] * (g.x[at] - sum);
                    }
                }
                cudnnSoftmaxBackward(handle, algorithm, mode, scale[0], y.is,
                                     y.device, g.is, g.device, scale[1], out.is,
                                     out.device);
                wrong |= compare("softmax, backward", &out, exact * 4);
                drop(&out);
            }
        }
    drop(&x);
    drop(&y);
    drop(&g);
    drop(&b);
    return wrong;
}

static int layers(void)
{
    int wrong = 0;

    wrong |= layers_of(FLOAT, NCHW);
    wrong |= layers_of(DOUBLE, NHWC);
    wrong |= layers_of(HALF, NHWC);
    wrong |= layers_of(BFLOAT16, NCHW);
    return wrong;
}

static int pools_of(int type, int format, int mode)
{
    const int size[] = {2, 6, 11, 8};
    struct tensor x = tensor(type, format, 4, size), y, g, out;
    const float one = 1, zero = 0;
    int y_size[4], wrong;
    void *p;

    describe(&x);
    cudnnCreatePoolingDescriptor(&p);
    cudnnSetPooling2dDescriptor(p, mode, 0, 3, 2, 1, 0, 2, 3);
    cudnnGetPooling2dForwardOutputDim(p, x.is, &y_size[0], &y_size[1],
                                      &y_size[2], &y_size[3]);
    if (y_size[2] != 6 || y_size[3] != 3)
        return failed("a pool's size", y_size[2], 6);
    y = tensor(type, format, 4, y_size);
    g = tensor(type, format, 4, y_size);
    out = tensor(type, format, 4, size);
    describe(&y);
    describe(&g);
    describe(&out);
    memset(out.x, 0, (size_t)out.all * sizeof *out.x);
    for (int i = 0; i < y.all; i++) {
        int image = i / 18, h = i / 3 % 6, w = i % 3, best = -1, there = 0;
        double sum = 0;

        for (int k = 0; k < 6; k++) {
            int r = h * 2 - 1 + k / 2, c = w * 3 + k % 2;
            int at = image * 88 + r * 8 + c;

            if (r < 0 || r >= 11)
                continue;
            there++;
            sum += x.x[at];
            if (best < 0 || x.x[at] > x.x[best])
                best = at;
        }
        y.x[i] = mode == 0 ? x.x[best] : sum / (mode == 1 ? 6 : there);
        for (int k = 0; k < 6; k++) {
            int r = h * 2 - 1 + k / 2, c = w * 3 + k % 2;
            int at = image * 88 + r * 8 + c;

            if (r >= 0 && r < 11 && (mode != 0 || at == best))
                out.x[at] +=
                    mode == 0 ? g.x[i] : g.x[i] / (mode == 1 ? 6 : there);
        }
    }
    wrong = cudnnPoolingForward(handle, p, &one, x.is, x.device, &zero, y.is,
                                y.device) != 0;
    wrong |= compare("a pool", &y, exactness(type, 0));
    wrong |=
        cudnnPoolingBackward(handle, p, &one, y.is, y.device, g.is, g.device,
                             x.is, x.device, &zero, out.is, out.device) != 0;
    wrong |= compare("a pool, backward", &out, exactness(type, 0));
    drop(&x);
    drop(&y);
    drop(&g);
    drop(&out);
    return wrong;
}

static int pools(void)
{
    int wrong = 0;

    for (int mode = 0; mode < 3; mode++) {
        wrong |= pools_of(FLOAT, NCHW, mode);
        wrong |= pools_of(HALF, NHWC, mode);
    }
    return wrong;
}

/* ---- batch normalization ------------------------------------------------------------------------ */

static int norm_of(int type, int format)
{
    enum {
        N = 4,
        C = 37,
        H = 9,
        W = 11,
        PIXELS = H * W,
        ALL = N * PIXELS
    };
    const int size[] = {N, C, H, W}, one_size[] = {1, C, 1, 1};
    const int of = type == DOUBLE ? DOUBLE : FLOAT;
    struct tensor x = tensor(type, format, 4, size);
    struct tensor y = tensor(type, format, 4, size);
    struct tensor g = tensor(type, format, 4, size);
    struct tensor out = tensor(type, format, 4, size);
    struct tensor p[8]; /* scale, bias, running, saved, gradients: two each */
    const double doubles[] = {1, 0};
    const float floats[] = {1, 0};
    const void *one =
        type == DOUBLE ? (const void *)doubles : (const void *)floats;
    const void *zero = type == DOUBLE ? (const void *)(doubles + 1)
                                      : (const void *)(floats + 1);
    double exact = exactness(type, 0) * 4, epsilon = 1e-3;
    void *parameters;
    int wrong;

    for (int i = 0; i < x.all; i++)
        x.x[i] += 5; /* a mean that is not small beside the deviation */
    send(&x);
    for (int i = 0; i < 8; i++)
        p[i] = tensor(of, NCHW, 4, one_size);
    for (int i = 0; i < C; i++)
        p[3].x[i] = 1 + p[3].x[i] / 2; /* a variance */
    send(&p[3]);
    describe(&x);
    describe(&y);
    describe(&g);
    describe(&out);
    cudnnCreateTensorDescriptor(&parameters);
    cudnnDeriveBNTensorDescriptor(parameters, x.is, 1);

    /* By the running mean and variance. */
    for (int i = 0; i < x.all; i++) {
        int c = i / PIXELS % C;

        y.x[i] = (x.x[i] - p[2].x[c]) / sqrt(p[3].x[c] + epsilon) * p[0].x[c] +
                 p[1].x[c];
    }
    wrong =
        cudnnBatchNormalizationForwardInference(
            handle, 1, one, zero, x.is, x.device, y.is, y.device, parameters,
            p[0].device, p[1].device, p[2].device, p[3].device, epsilon) != 0;
    wrong |= compare("normalized", &y, exact);

    /* By its own, and the gradients. */
    for (int c = 0; c < C; c++) {
        double sum = 0, square = 0, first = 0, second = 0, mean, inverse;

        for (int i = 0; i < x.all; i++)
            sum += i / PIXELS % C == c ? x.x[i] : 0;
        mean = sum / ALL;
        for (int i = 0; i < x.all; i++)
            square +=
                i / PIXELS % C == c ? (x.x[i] - mean) * (x.x[i] - mean) : 0;
        inverse = 1 / sqrt(square / ALL + epsilon);
        p[2].x[c] = 0.75 * p[2].x[c] + 0.25 * mean;
        p[3].x[c] = 0.75 * p[3].x[c] + 0.25 * square / (ALL - 1);
        p[4].x[c] = mean;
        p[5].x[c] = inverse;
        for (int i = 0; i < x.all; i++) {
            if (i / PIXELS % C != c)
                continue;
            first += g.x[i];
            second += g.x[i] * (x.x[i] - mean) * inverse;
            y.x[i] = (x.x[i] - mean) * inverse * p[0].x[c] + p[1].x[c];
        }
        p[6].x[c] = second;
        p[7].x[c] = first;
        for (int i = 0; i < x.all; i++)
            if (i / PIXELS % C == c)
                out.x[i] = p[0].x[c] * inverse *
                           (g.x[i] - first / ALL -
                            (x.x[i] - mean) * inverse * second / ALL);
    }
    wrong |= cudnnBatchNormalizationForwardTraining(
                 handle, 1, one, zero, x.is, x.device, y.is, y.device,
                 parameters, p[0].device, p[1].device, 0.25, p[2].device,
                 p[3].device, epsilon, p[4].device, p[5].device) != 0;
    wrong |= compare("normalized by its own", &y, exact);
    wrong |=
        cudnnBatchNormalizationBackward(
            handle, 1, one, zero, one, zero, x.is, x.device, g.is, g.device,
            out.is, out.device, parameters, p[0].device, p[6].device,
            p[7].device, epsilon, p[4].device, p[5].device) != 0;
    wrong |= compare("normalized, backward", &out, exact);
    for (int i = 2; i < 8; i++) {
        static const char *const names[] = {
            "running mean", "running variance",   "mean",
            "deviation",    "a scale's gradient", "a bias' gradient"};

        wrong |= compare(names[i - 2], &p[i], exactness(of, 0) * 10);
    }
    wrong |=
        cudnnBatchNormalizationForwardTraining(
            handle, 1, one, zero, x.is, x.device, x.is, x.device, parameters,
            p[0].device, p[1].device, 0, NULL, NULL, epsilon, NULL, NULL) != 0;
    memcpy(x.x, y.x, (size_t)x.all * sizeof *x.x);
    wrong |= compare("normalized in place", &x, exact);
    drop(&x);
    drop(&y);
    drop(&g);
    drop(&out);
    for (int i = 0; i < 8; i++)
        drop(&p[i]);
    return wrong;
}

static int norms(void)
{
    int wrong = 0;

    wrong |= norm_of(FLOAT, NCHW);
    wrong |= norm_of(FLOAT, NHWC);
    wrong |= norm_of(HALF, NHWC);
    wrong |= norm_of(BFLOAT16, NCHW);
    wrong |= norm_of(DOUBLE, NCHW);
    return wrong;
}

/* ---- refusals -------------------------------------------------------------------------------------- */

static int refusals(void)
{
    static const struct shape shape = {FLOAT,  NCHW,   2,       2,      16,
                                       32,     1,      {10, 9}, {3, 3}, {1, 1},
                                       {1, 1}, {1, 1}, 1,       0};
    static const int pad[] = {1, 1}, none[] = {0, 0};
    const float one = 1, zero = 0;
    struct set s = make(&shape);
    void *other, *graph = backend(15), *op = backend(18), *y;
    size_t bytes = 0;
    int wrong = 0, minor = 0;

    wrong |= refused("rnn", cudnnCTCLoss(handle), NOT_SUPPORTED);
    wrong |= refused(
        "no stride",
        cudnnSetConvolutionNdDescriptor(s.v, 2, pad, none, pad, 1, FLOAT),
        BAD_PARAM);
    wrong |= refused("no work area",
                     cudnnConvolutionForward(handle, &one, s.x.is, s.x.device,
                                             s.w.is, s.w.device, s.v, 1, NULL,
                                             0, &zero, s.y.is, s.y.device),
                     TOO_SMALL);
    cudnnCreateTensorDescriptor(&other);
    cudnnSetTensor4dDescriptor(other, NCHW, 3, 2, 16, 10, 9);
    wrong |= refused("bytes",
                     cudnnGetConvolutionForwardWorkspaceSize(
                         handle, other, s.w.is, s.v, s.y.is, 1, &bytes),
                     NOT_SUPPORTED_TYPE);
    cudnnSetTensor4dDescriptor(other, NCHW, FLOAT, 2, 15, 10, 9);
    wrong |= refused("channels",
                     cudnnGetConvolutionForwardWorkspaceSize(
                         handle, other, s.w.is, s.v, s.y.is, 1, &bytes),
                     BAD_PARAM);
    give(graph, 801, T_DESCRIPTOR, 1, &op);
    wrong |= refused("a product", cudnnBackendFinalize(graph),
                     NOT_SUPPORTED_PATTERN);
    wrong |= refused("no descriptor", cudnnBackendCreateDescriptor(100, &y),
                     BAD_PARAM);
    if (strcmp(cudnnGetErrorString(3000), "CUDNN_STATUS_NOT_SUPPORTED") != 0 ||
        cudnnGetVersion() != 92105 || cudnnGetProperty(1, &minor) != 0 ||
        minor != 21)
        return failed("what is said", minor, 21);
    unmake(&s);
    return wrong;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*test)(void);
    } tests[] = {
        {"hopper", hopper}, {"shapes", all_shapes}, {"some", some_shapes},
        {"fused", fused},   {"graph", graph},       {"layers", layers},
        {"pools", pools},   {"norms", norms},       {"refusals", refusals},
    };
    int status = 2;

    if (argc < 2 || cudnnCreate(&handle) != 0)
        return 1;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(argv[1], tests[i].name) == 0)
            status = tests[i].test();
    }
    if (cudaDeviceSynchronize() != 0)
        status = 1;
    cudnnDestroy(handle);
    return status;
}
