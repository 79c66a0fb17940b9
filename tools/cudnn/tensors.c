/* Entry points of cuDNN: descriptors of tensors and filters. */
#include <stdlib.h>

#include "tools/cudnn/dnn.h"

void dnn_pack(struct dnn_tensor *t, int format)
{
    long long stride = 1;

    if (format == DNN_NHWC) {
        t->stride[1] = 1;
        stride = t->size[1];
    }
    for (int i = t->rank - 1; i >= 0; i--) {
        if (format == DNN_NHWC && i == 1)
            continue;
        t->stride[i] = stride;
        stride *= t->size[i];
    }
}

int dnn_is_like(const struct dnn_tensor *a, const struct dnn_tensor *b)
{
    if (a->rank != b->rank || a->type != b->type)
        return 0;
    for (int i = 0; i < a->rank; i++) {
        if (a->size[i] != b->size[i] ||
            (a->size[i] > 1 && a->stride[i] != b->stride[i]))
            return 0;
    }
    return 1;
}

static int create(struct dnn_tensor **out)
{
    if (out == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    *out = calloc(1, sizeof **out);
    return *out != NULL ? DNN_SUCCESS
                        : DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

/* `stride` NULL: as the format has them. */
static int set(struct dnn_tensor *t, int format, int type, int rank,
               const int *size, const int *stride)
{
    if (t == NULL || size == NULL || rank < 1 || rank > DNN_RANK_MAX ||
        (format != DNN_NCHW && format != DNN_NHWC))
        return DNN_BAD_PARAM;
    *t = (struct dnn_tensor){.type = type, .rank = rank, .format = format};
    for (int i = 0; i < rank; i++) {
        if (size[i] < 1)
            return DNN_BAD_PARAM;
        t->size[i] = size[i];
    }
    if (rank > 1)
        dnn_pack(t, format);
    else
        t->stride[0] = 1;
    for (int i = 0; stride != NULL && i < rank; i++)
        t->stride[i] = stride[i];
    return DNN_SUCCESS;
}

static int get(const struct dnn_tensor *t, int most, int *rank, int *size,
               int *stride)
{
    if (t == NULL)
        return DNN_BAD_PARAM;
    if (rank != NULL)
        *rank = t->rank;
    for (int i = 0; i < most && i < t->rank; i++) {
        if (size != NULL)
            size[i] = t->size[i];
        if (stride != NULL)
            stride[i] = (int)t->stride[i];
    }
    return DNN_SUCCESS;
}

static int bytes_of(const struct dnn_tensor *t, size_t *bytes)
{
    long long last = 0;

    if (t == NULL || bytes == NULL)
        return DNN_BAD_PARAM;
    for (int i = 0; i < t->rank; i++)
        last += (t->size[i] - 1) * t->stride[i];
    *bytes = t->rank > 0 ? (size_t)(last + 1) * dnn_bytes(t->type) : 0;
    return DNN_SUCCESS;
}

/* ---- tensors ------------------------------------------------------------------------- */

CALL(cudnnCreateTensorDescriptor, struct dnn_tensor **out)
{
    return create(out);
}

CALL(cudnnDestroyTensorDescriptor, struct dnn_tensor *t)
{
    free(t);
    return DNN_SUCCESS;
}

CALL(cudnnSetTensor4dDescriptor, struct dnn_tensor *t, int format, int type,
     int n, int c, int h, int w)
{
    const int size[] = {n, c, h, w};

    return set(t, format, type, 4, size, NULL);
}

CALL(cudnnSetTensor4dDescriptorEx, struct dnn_tensor *t, int type, int n, int c,
     int h, int w, int by_n, int by_c, int by_h, int by_w)
{
    const int size[] = {n, c, h, w}, stride[] = {by_n, by_c, by_h, by_w};

    return set(t, DNN_NCHW, type, 4, size, stride);
}

CALL(cudnnGetTensor4dDescriptor, const struct dnn_tensor *t, int *type, int *n,
     int *c, int *h, int *w, int *by_n, int *by_c, int *by_h, int *by_w)
{
    int size[4] = {0}, stride[4] = {0};
    int *const out[] = {n, c, h, w, by_n, by_c, by_h, by_w};

    if (t == NULL || t->rank != 4)
        return DNN_BAD_PARAM;
    get(t, 4, NULL, size, stride);
    if (type != NULL)
        *type = t->type;
    for (int i = 0; i < 8; i++) {
        if (out[i] != NULL)
            *out[i] = i < 4 ? size[i] : stride[i - 4];
    }
    return DNN_SUCCESS;
}

CALL(cudnnSetTensorNdDescriptor, struct dnn_tensor *t, int type, int rank,
     const int *size, const int *stride)
{
    return stride == NULL ? DNN_BAD_PARAM
                          : set(t, DNN_NCHW, type, rank, size, stride);
}

CALL(cudnnSetTensorNdDescriptorEx, struct dnn_tensor *t, int format, int type,
     int rank, const int *size)
{
    return set(t, format, type, rank, size, NULL);
}

CALL(cudnnGetTensorNdDescriptor, const struct dnn_tensor *t, int most,
     int *type, int *rank, int *size, int *stride)
{
    int status = get(t, most, rank, size, stride);

    if (status == DNN_SUCCESS && type != NULL)
        *type = t->type;
    return status;
}

CALL(cudnnGetTensorSizeInBytes, const struct dnn_tensor *t, size_t *bytes)
{
    return bytes_of(t, bytes);
}

/* ---- filters -------------------------------------------------------------------------- */

CALL(cudnnCreateFilterDescriptor, struct dnn_tensor **out)
{
    return create(out);
}

CALL(cudnnDestroyFilterDescriptor, struct dnn_tensor *t)
{
    free(t);
    return DNN_SUCCESS;
}

CALL(cudnnSetFilter4dDescriptor, struct dnn_tensor *t, int type, int format,
     int k, int c, int h, int w)
{
    const int size[] = {k, c, h, w};

    return set(t, format, type, 4, size, NULL);
}

CALL(cudnnGetFilter4dDescriptor, const struct dnn_tensor *t, int *type,
     int *format, int *k, int *c, int *h, int *w)
{
    int *const out[] = {k, c, h, w};

    if (t == NULL || t->rank != 4)
        return DNN_BAD_PARAM;
    if (type != NULL)
        *type = t->type;
    if (format != NULL)
        *format = t->format;
    for (int i = 0; i < 4; i++) {
        if (out[i] != NULL)
            *out[i] = t->size[i];
    }
    return DNN_SUCCESS;
}

CALL(cudnnSetFilterNdDescriptor, struct dnn_tensor *t, int type, int format,
     int rank, const int *size)
{
    return set(t, format, type, rank, size, NULL);
}

CALL(cudnnGetFilterNdDescriptor, const struct dnn_tensor *t, int most,
     int *type, int *format, int *rank, int *size)
{
    int status = get(t, most, rank, size, NULL);

    if (status == DNN_SUCCESS && type != NULL)
        *type = t->type;
    if (status == DNN_SUCCESS && format != NULL)
        *format = t->format;
    return status;
}

CALL(cudnnGetFilterSizeInBytes, const struct dnn_tensor *t, size_t *bytes)
{
    return bytes_of(t, bytes);
}
