/*
 * Convolutions: which kernels one gets, and their launches.  Chooses among
 *   products   of images with the channels side by side (kernels/conv.cu); what
 *              is not so is copied before and after
 *   hopper     of the same, and of results channel by channel (kernels/hopper.cu)
 *   plain      by the definition (kernels/plain.cu), for the rest
 */
#ifndef TEG_TOOLS_CUDNN_CONVOLUTION_H
#define TEG_TOOLS_CUDNN_CONVOLUTION_H

#include "tools/cudnn/dnn.h"
#include "tools/cudnn/kernels/conv.h"

enum conv_what {
    CONV_FPROP, /* y from x and w */
    CONV_DGRAD, /* x from y and w */
    CONV_WGRAD, /* w from x and y */
};

struct convolution {
    const char *name; /* of the call */
    enum conv_what what;
    struct dnn_tensor x, w, y; /* two to five dimensions: images or filters,
                                  channels, then space */
    int dims;                  /* of space */
    int pad[CONV_DIMS], stride[CONV_DIMS], dilation[CONV_DIMS];
    int groups;
    int mode;         /* enum dnn_mode */
    int tensor_cores; /* floats may be rounded to TF32 */
    double alpha, beta;
    int has_bias, relu; /* of fprop, after the rest */
};

/* On the device. */
struct conv_data {
    const void *x, *w, *y;
    const void *z; /* what beta is the scale of; NULL: the result */
    const void *bias;
    void *work;
    size_t work_bytes;
};

/* DNN_BAD_PARAM...: sizes do not fit; DNN_NOT_SUPPORTED..., which a line says. */
enum dnn_status conv_check(const struct convolution *c);
/* Bytes of work area that it needs; the same statuses, for which they are 0. */
enum dnn_status conv_work_bytes(const struct convolution *c, size_t *bytes);
enum dnn_status conv_launch(const struct dnn *d, const struct convolution *c,
                            const struct conv_data *data);

#endif
