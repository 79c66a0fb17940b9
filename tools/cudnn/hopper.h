/*
 * Convolutions by groups of warps and tensor maps (kernels/hopper.cu): which ones
 * they can do, by which tiles, and the launch.
 *
 *   conv    images pixel by pixel (NHWC), what taps find by im2col
 *   point   filters of one tap, images channel by channel (NCHW)
 */
#ifndef TEG_TOOLS_CUDNN_HOPPER_H
#define TEG_TOOLS_CUDNN_HOPPER_H

#include "tools/cudnn/dnn.h"
#include "tools/cudnn/kernels/conv.h"

/* What is asked of one, and what it gets. */
struct hopper {
    int type; /* enum product_type */
    int images, groups;
    int channels, filters; /* of a group; result's of a group */
    int pixel;             /* elements from a pixel to the next */
    int image[CONV_DIMS], result[CONV_DIMS], taps[CONV_DIMS];
    /* A tap's place in the image: pixel * step + add + tap * each. */
    int step[CONV_DIMS], add[CONV_DIMS], each[CONV_DIMS];
    int point, back; /* back: filters lie as those of the other direction */
    int turned;      /* the result lies channel by channel */
    /* Found by hopper_takes. */
    int chunk; /* channels that are moved together */
    int filters_of_tile, stages, slices;
};

/* Whether the device and the kernels can do it, and how. */
int hopper_takes(struct hopper *h);

/* `g`: scales, c, d, bias, finish. */
enum dnn_status hopper_launch(const struct dnn *d, const struct hopper *h,
                              const void *image, const void *filters,
                              const struct product_args *g);

#endif
