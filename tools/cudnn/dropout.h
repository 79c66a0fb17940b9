/* Dropout: what its descriptor holds, and both its ways for rows of elements. */
#ifndef TEG_TOOLS_CUDNN_DROPOUT_H
#define TEG_TOOLS_CUDNN_DROPOUT_H

#include "tools/cudnn/dnn.h"

/* cudnnDropoutDescriptor_t */
struct dnn_dropout {
    float share;  /* of elements that are dropped */
    void *states; /* the program's, on the device; NULL: nothing is dropped */
    unsigned long long seed;
};

/* Of `count` elements that lie side by side; `kept` has a byte for each.  y may
 * be x. */
enum dnn_status dropout_forward(const struct dnn *d,
                                const struct dnn_dropout *p, int type,
                                const void *x, void *y, void *kept,
                                long long count);
enum dnn_status dropout_backward(const struct dnn *d,
                                 const struct dnn_dropout *p, int type,
                                 const void *dy, void *dx, void *kept,
                                 long long count);

#endif
