/* Tensor maps that teg's kernels are given. */
#ifndef TEG_TOOLS_VENDOR_MAP_H
#define TEG_TOOLS_VENDOR_MAP_H

#include <stdint.h>

#include "tools/vendor/kernels/product.h"

enum {
    VENDOR_MAP_RANK = 5,
};

/* A tensor of halves or bfloat16 (enum product_type), whose elements lie side by
 * side along the first dimension: its sizes, and the bytes from one to the next of
 * each other.  Boxes of it are swizzled by their first size: 64, 32, 16
 * or, not at all, 8. */
struct vendor_tensor {
    int type, rank;
    const void *data;
    uint64_t size[VENDOR_MAP_RANK], stride[VENDOR_MAP_RANK - 1];
    unsigned box[VENDOR_MAP_RANK];
};

/* 0: it cannot be. */
int vendor_map_boxes(struct product_map *map, const struct vendor_tensor *t);

/* What convolutions read (im2col): `count` pixels, every `step`-th of those from
 * `lower` on up to the size and `upper`.  Dimensions are channels (as many as a box
 * has), one to three of space and images.  0: it cannot be. */
int vendor_map_pixels(struct product_map *map, const struct vendor_tensor *t,
                      int count, const int *lower, const int *upper,
                      const int *step);

#endif
