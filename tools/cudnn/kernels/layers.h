/* What kernels of layers beside convolutions are given. */
#ifndef TEG_TOOLS_CUDNN_KERNELS_LAYERS_H
#define TEG_TOOLS_CUDNN_KERNELS_LAYERS_H

#include "divide.h"

enum {
    LAYER_SIDES = 5, /* image, channel, depth, height, width */
    LAYER_SPACE = 3,
    LAYER_THREADS = 256,
    NORM_CHANNELS = 32, /* of a block, where they lie side by side */
};

/* What is done with elements one by one. */
enum layer_point {
    POINT_COPY,
    POINT_SET, /* to alpha */
    POINT_ADD,
    POINT_MULTIPLY,
    POINT_LEAST,
    POINT_MOST,
    POINT_ROOT,
    POINT_NOT, /* 1 - a */
    POINT_FORWARD,  /* an activation */
    POINT_BACKWARD, /* of a: the result, b: its gradient, c: what it was of */
};

/* Activations, as the API numbers them. */
enum layer_activation {
    LAYER_SIGMOID,
    LAYER_RELU,
    LAYER_TANH,
    LAYER_CLIPPED_RELU,
    LAYER_ELU,
    LAYER_IDENTITY,
    LAYER_SWISH,
};

enum layer_pool {
    POOL_MOST,
    POOL_MEAN_ALL,  /* what is beside the image counts */
    POOL_MEAN_THERE,
};

/* Elements that an index has; a stride of 0 repeats them. */
struct layer_view {
    void *data;
    long long stride[LAYER_SIDES];
};

/* y = alpha f(a, b, c) + beta y */
struct layer_points {
    struct layer_view a, b, c, y;
    struct divisor size[LAYER_SIDES];
    int point, activation;
    double alpha, alpha_b, beta;
    double coefficient, swish;
};

struct layer_pools {
    struct layer_view x, y, x_gradient, y_gradient;
    struct divisor size[LAYER_SIDES]; /* of the result: y, or x's gradient */
    int x_size[LAYER_SPACE], y_size[LAYER_SPACE];
    int window[LAYER_SPACE], pad[LAYER_SPACE], step[LAYER_SPACE];
    int pool;
    double alpha, beta;
};

/* Over `along` elements of each of `rows`: rows are images, or pixels too. */
struct layer_softmax {
    struct layer_view y, gradient, out; /* of the first pass: `y` is x */
    int size[LAYER_SIDES];
    int by_pixel; /* over channels; else over all of an image */
    int logarithm, keep; /* `keep`: no maximum is taken off */
    double alpha, beta;
};

/* Batch normalization, of a channel over images and pixels. */
struct layer_norm {
    struct layer_view x, y, out; /* backward: y is its gradient, out is x's */
    int size[LAYER_SIDES];
    struct divisor by[LAYER_SIDES]; /* likewise */
    int even;        /* pixels follow each other evenly, in all three */
    int slices;      /* blocks of a channel */
    void *sums;      /* two of each slice and channel */
    const void *scale, *bias, *mean, *inverse; /* inverse: of the deviation */
    void *mean_out, *inverse_out, *running_mean, *running_variance;
    void *scale_gradient, *bias_gradient;
    double epsilon, factor; /* of the running ones */
    double alpha, beta;
    double alpha_of, beta_of; /* of parameters' gradients */
    int has_variance; /* `inverse` is a variance */
    int backward;
};

#endif
