/*
 * What kernels of convolutions are given, by the host and on the device.
 *
 * Images lie pixel by pixel, with the channels side by side (NHWC), and so do
 * filters (KRSC) and their sums, so a convolution is a product:
 *
 *   forward    D[filter][pixel] = sum over taps and channels: a filter's
 *              weights by what its taps find around the pixel
 *   by data    the same, of the result's gradient, with other filters; pixels
 *              that other taps reach, for a stride, are parts of their own
 *   by filter  D[tap, channel][filter] = sum over pixels
 */
#ifndef TEG_TOOLS_CUDNN_KERNELS_CONV_H
#define TEG_TOOLS_CUDNN_KERNELS_CONV_H

#include "../../vendor/kernels/product.h"
#include "divide.h"

enum {
    CONV_DIMS = 3,         /* depth, height, width */
    CONV_PARTS = 16,       /* of a launch */
    CONV_COPY_TILE = 4096, /* elements of a tile, at most */
    CONV_TAPS = 31, /* of all three dimensions added up: bits of a mask */
};

/* Pixels of a result that the same taps make. */
struct conv_part {
    const void *filters;
    long long ld, group;            /* elements: filter to filter, group */
    int n, k;                       /* pixels; taps times channels */
    struct divisor grid[CONV_DIMS]; /* what a pixel's number counts */
    int taps[CONV_DIMS];
    /* A tap's place in the image: pixel * step + add + tap * each. */
    int add[CONV_DIMS], each[CONV_DIMS];
    struct divisor reach[CONV_DIMS]; /* by the magnitude of `each` */
    /* Elements on, beside `each`, as one dimension's taps are over. */
    int jump[CONV_DIMS];
    int first[CONV_DIMS]; /* a pixel's place in the result, times `apart` */
};

struct conv_args {
    struct product_args g;
    int image[CONV_DIMS]; /* that the taps read */
    int pixel;            /* elements from one to the next */
    int channels;         /* that a group reads */
    int step[CONV_DIMS];
    int apart[CONV_DIMS];
    int result[CONV_DIMS]; /* its size, where parts are of it */
    int parts;             /* 0: one, and the result's pixels are in order */
    struct conv_part part[CONV_PARTS];
};

/* ---- forward, by tensor maps (Hopper) ------------------------------------------- */

/* Results lie as images do, or, `turned`, channel by channel (NCHW): then rows of
 * D are an image's pixels, columns are filters, and the batch is one of images and
 * their groups.  Slices of k are a cluster's blocks. */
struct conv_mapped {
    struct product_map image, filters;
    struct product_args g; /* k: of the chunks of channels of all taps */
    int turned;
    int stages;                     /* tiles on their way */
    int rank;                       /* of the image's map: 3 to 5 */
    int groups, channels, count;    /* channels and filters of a group */
    int chunks;                     /* of a tap */
    int outside;                    /* a channel that no image has */
    struct divisor grid[CONV_DIMS]; /* of the result's pixels */
    /* Where the first tap is: pixel * step + add; how far on a tap is: base + tap
     * * each, which is not negative. */
    int taps[CONV_DIMS], step[CONV_DIMS], add[CONV_DIMS];
    int base[CONV_DIMS], each[CONV_DIMS];
};

enum {
    CONV_MAPPED_PIXELS = 128, /* of a tile */
};

/* ---- other kernels ----------------------------------------------------------------- */

/* Elements that an index of five dimensions has: image (or filter), channel,
 * depth, height, width. */
struct conv_view {
    void *data;
    long long stride[2 + CONV_DIMS];
};

/* By the definition, of whatever strides: a thread adds up an element of a
 * result, or a block one of a filter's. */
struct conv_plain {
    struct conv_view x, w, y;
    struct divisor by[2 + CONV_DIMS]; /* sides of the result, 32 bits of which
                                         number its elements */
    int n, c, k; /* images; channels and filters of a group */
    int groups;
    int x_size[CONV_DIMS], w_size[CONV_DIMS], y_size[CONV_DIMS];
    int stride[CONV_DIMS], pad[CONV_DIMS], dilation[CONV_DIMS];
    double alpha, beta;
    const void *bias; /* of y; NULL: none */
    int relu;
};

/* Copies, and puts zeros where `from` has no channels any more. */
struct conv_copy_part {
    struct conv_view from, to;
    long long from_group, to_group; /* elements from one to the next */
    int size[CONV_DIMS];
    struct divisor by[2]; /* by height, by width */
};
struct conv_copy {
    struct conv_copy_part part[CONV_PARTS]; /* blockIdx.y's */
    int n, c, c_from;
    int by_width; /* of `from`: width is what lies side by side */
    struct divisor tile_channels, tile_pixels; /* of a block */
    struct divisor tile_pieces; /* of 16 bytes, of its channels */
    int across;                 /* tiles of channels */
};

#endif
