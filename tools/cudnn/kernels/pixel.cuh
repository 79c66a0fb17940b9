/* A pixel's place by its number. */
#ifndef TEG_TOOLS_CUDNN_KERNELS_PIXEL_CUH
#define TEG_TOOLS_CUDNN_KERNELS_PIXEL_CUH

#include "conv.h"

/* Where a pixel's number is in a grid of images. */
struct Pixel {
    int image, at[CONV_DIMS];

    __device__ Pixel(const divisor (&grid)[CONV_DIMS], unsigned number)
    {
#pragma unroll
        for (int i = CONV_DIMS - 1; i >= 0; i--) {
            unsigned more = over(number, grid[i]);

            at[i] = (int)(number - more * grid[i].by);
            number = more;
        }
        image = (int)number;
    }
};

#endif
