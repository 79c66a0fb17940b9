/* Entry points of cuDNN: dropout. */
#include "tools/cudnn/dropout.h"
#include "tools/cudnn/kernels/dropout.h"

#include <limits.h>
#include <stdlib.h>

#include "tools/cudart/say.h"

/* ---- descriptors ---------------------------------------------------------------- */

CALL(cudnnCreateDropoutDescriptor, struct dnn_dropout **out)
{
    if (out == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    *out = calloc(1, sizeof **out);
    return *out != NULL ? DNN_SUCCESS
                        : DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

CALL(cudnnDestroyDropoutDescriptor, struct dnn_dropout *p)
{
    free(p);
    return DNN_SUCCESS;
}

CALL(cudnnDropoutGetStatesSize, struct dnn *d, size_t *bytes)
{
    if (d == NULL || bytes == NULL)
        return DNN_BAD_PARAM;
    *bytes = sizeof(struct dropout_states);
    return DNN_SUCCESS;
}

/* As it is after cudnnSetDropoutDescriptor, whose states are not begun anew. */
CALL(cudnnRestoreDropoutDescriptor, struct dnn_dropout *p, struct dnn *d,
     float share, void *states, size_t bytes, unsigned long long seed)
{
    if (p == NULL || d == NULL || !(share >= 0 && share <= 1))
        return DNN_BAD_PARAM;
    if (states != NULL && bytes < sizeof(struct dropout_states))
        return DNN_BAD_PARAM_SIZE_INSUFFICIENT;
    *p = (struct dnn_dropout){share, states, seed};
    return DNN_SUCCESS;
}

CALL(cudnnSetDropoutDescriptor, struct dnn_dropout *p, struct dnn *d,
     float share, void *states, size_t bytes, unsigned long long seed)
{
    const struct vendor_grid one = {.x = 1, .y = 1, .z = 1, .threads = 1};
    struct dropout args = {.states = states, .seed = seed};
    int status =
        cudnnRestoreDropoutDescriptor(p, d, share, states, bytes, seed);

    if (status != DNN_SUCCESS || states == NULL)
        return status;
    return (int)dnn_launch(d, DNN_DROPOUT, "dropout_begin", &one, &args);
}

CALL(cudnnGetDropoutDescriptor, const struct dnn_dropout *p, struct dnn *d,
     float *share, void **states, unsigned long long *seed)
{
    if (p == NULL || d == NULL)
        return DNN_BAD_PARAM;
    if (share != NULL)
        *share = p->share;
    if (states != NULL)
        *states = p->states;
    if (seed != NULL)
        *seed = p->seed;
    return DNN_SUCCESS;
}

/* ---- both ways ------------------------------------------------------------------- */

static enum dnn_status launch(const struct dnn *d, const char *what, int type,
                              struct dropout *args)
{
    const long long each = DROPOUT_THREADS * DROPOUT_EACH;
    const struct vendor_grid grid = {
        .x = (unsigned)((args->count + each - 1) / each),
        .y = 1,
        .z = 1,
        .threads = DROPOUT_THREADS};

    if ((args->count + each - 1) / each > INT_MAX)
        return DNN_NOT_SUPPORTED_SHAPE;
    return dnn_launch_of(d, DNN_DROPOUT, what, type, &grid, args);
}

enum dnn_status dropout_forward(const struct dnn *d,
                                const struct dnn_dropout *p, int type,
                                const void *x, void *y, void *kept,
                                long long count)
{
    const struct vendor_grid one = {.x = 1, .y = 1, .z = 1, .threads = 1};
    struct dropout args = {.x = x,
                           .y = y,
                           .kept = kept,
                           .states = p->states,
                           .count = count,
                           .share = (double)p->share};
    enum dnn_status status = launch(d, "dropout_forward", type, &args);

    return status == DNN_SUCCESS
               ? dnn_launch(d, DNN_DROPOUT, "dropout_next", &one, &args)
               : status;
}

enum dnn_status dropout_backward(const struct dnn *d,
                                 const struct dnn_dropout *p, int type,
                                 const void *dy, void *dx, void *kept,
                                 long long count)
{
    struct dropout args = {.x = dy,
                           .y = dx,
                           .kept = kept,
                           .count = count,
                           .share = (double)p->share};

    return launch(d, "dropout_backward", type, &args);
}

/* ---- calls ------------------------------------------------------------------------ */

static long long elements(const struct dnn_tensor *t)
{
    long long all = 1;

    for (int i = 0; i < t->rank; i++)
        all *= t->size[i];
    return all;
}

/* Whether both have the same elements at the same places, side by side. */
static int are_alike(const struct dnn_tensor *x, const struct dnn_tensor *y)
{
    long long last = 0;

    if (x->rank != y->rank || x->type != y->type)
        return 0;
    for (int i = 0; i < x->rank; i++) {
        if (x->size[i] != y->size[i] || x->stride[i] != y->stride[i])
            return 0;
        last += (x->size[i] - 1) * x->stride[i];
    }
    return last + 1 == elements(x);
}

CALL(cudnnDropoutGetReserveSpaceSize, const struct dnn_tensor *x, size_t *bytes)
{
    if (x == NULL || bytes == NULL)
        return DNN_BAD_PARAM;
    *bytes = (size_t)elements(x);
    return DNN_SUCCESS;
}

static enum dnn_status check(const char *name, const struct dnn *d,
                             const struct dnn_dropout *p,
                             const struct dnn_tensor *x,
                             const struct dnn_tensor *y, const void *kept,
                             size_t bytes)
{
    if (d == NULL || p == NULL || x == NULL || y == NULL || kept == NULL)
        return DNN_BAD_PARAM;
    if (!are_alike(x, y)) {
        runtime_say("",
                    "%s: tensors that do not lie alike, element by "
                    "element, are not implemented",
                    name);
        return DNN_NOT_SUPPORTED;
    }
    return bytes < (size_t)elements(x) ? DNN_BAD_PARAM_SIZE_INSUFFICIENT
                                       : DNN_SUCCESS;
}

CALL(cudnnDropoutForward, struct dnn *d, const struct dnn_dropout *p,
     const struct dnn_tensor *x_is, const void *x,
     const struct dnn_tensor *y_is, void *y, void *kept, size_t bytes)
{
    enum dnn_status status =
        check("cudnnDropoutForward", d, p, x_is, y_is, kept, bytes);

    if (status != DNN_SUCCESS)
        return (int)status;
    if (p->states == NULL)
        return DNN_BAD_PARAM;
    return (int)dropout_forward(d, p, x_is->type, x, y, kept, elements(x_is));
}

CALL(cudnnDropoutBackward, struct dnn *d, const struct dnn_dropout *p,
     const struct dnn_tensor *dy_is, const void *dy,
     const struct dnn_tensor *dx_is, void *dx, void *kept, size_t bytes)
{
    enum dnn_status status =
        check("cudnnDropoutBackward", d, p, dy_is, dx_is, kept, bytes);

    if (status != DNN_SUCCESS)
        return (int)status;
    return (int)dropout_backward(d, p, dy_is->type, dy, dx, kept,
                                 elements(dy_is));
}
