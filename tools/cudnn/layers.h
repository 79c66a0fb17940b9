/* Layers beside convolutions: what their descriptors hold. */
#ifndef TEG_TOOLS_CUDNN_LAYERS_H
#define TEG_TOOLS_CUDNN_LAYERS_H

#include "tools/cudnn/dnn.h"
#include "tools/cudnn/kernels/layers.h"

/* cudnnActivationMode_t */
enum dnn_activation_mode {
    DNN_SIGMOID,
    DNN_RELU,
    DNN_TANH,
    DNN_CLIPPED_RELU,
    DNN_ELU,
    DNN_IDENTITY,
    DNN_SWISH,
};

/* cudnnActivationDescriptor_t */
struct dnn_activation {
    int mode, nan;
    double coefficient; /* a clipped one's most, alpha of ELU */
    double beta;        /* of SWISH */
};

/* A tensor of at most five dimensions as kernels have it; `size` may be NULL. */
enum dnn_status layer_view_of(const struct dnn_tensor *t, const void *data,
                              struct layer_view *v, int *size);
/* A thread for each element of a result, and what finds it by its number; too
 * many are DNN_NOT_SUPPORTED_SHAPE. */
enum dnn_status layer_grid(const int *size, struct divisor *by,
                           struct vendor_grid *grid);
/* A kernel of kernels/layers.cu for elements of a type, which a line says if
 * there is none. */
enum dnn_status layer_launch(const struct dnn *d, const char *what, int type,
                             const struct vendor_grid *grid, void *args);

#endif
