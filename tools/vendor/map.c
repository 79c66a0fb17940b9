#include "tools/vendor/map.h"

enum {
    MAP_16F = 6, /* CUtensorMapDataType */
    MAP_16BF = 9,
    SWIZZLE_NONE = 0, /* CUtensorMapSwizzle, by bytes */
    SWIZZLE_32,
    SWIZZLE_64,
    SWIZZLE_128,
};

/* The driver's, which is teg's. */
int cuTensorMapEncodeTiled(void *map, int type, unsigned rank, void *address,
                           const uint64_t *size, const uint64_t *stride,
                           const unsigned *box, const unsigned *step,
                           int interleave, int swizzle, int promotion,
                           int fill);
int cuTensorMapEncodeIm2col(void *map, int type, unsigned rank, void *address,
                            const uint64_t *size, const uint64_t *stride,
                            const int *lower, const int *upper,
                            unsigned channels, unsigned pixels,
                            const unsigned *step, int interleave, int swizzle,
                            int promotion, int fill);

static int type_of(const struct vendor_tensor *t)
{
    return t->type == PRODUCT_F16 ? MAP_16F : MAP_16BF;
}

static int swizzle_of(const struct vendor_tensor *t)
{
    return t->box[0] == 64   ? SWIZZLE_128
           : t->box[0] == 32 ? SWIZZLE_64
           : t->box[0] == 16 ? SWIZZLE_32
                             : SWIZZLE_NONE;
}

int vendor_map_boxes(struct product_map *map, const struct vendor_tensor *t)
{
    const unsigned step[] = {1, 1, 1, 1, 1};

    return cuTensorMapEncodeTiled(map, type_of(t), (unsigned)t->rank,
                                  (void *)t->data, t->size, t->stride, t->box,
                                  step, 0, swizzle_of(t), 0, 0) == 0;
}

int vendor_map_pixels(struct product_map *map, const struct vendor_tensor *t,
                      int count, const int *lower, const int *upper,
                      const int *step)
{
    unsigned steps[VENDOR_MAP_RANK] = {1, 1, 1, 1, 1};

    for (int i = 0; i + 2 < t->rank; i++)
        steps[1 + i] = (unsigned)step[i];
    return cuTensorMapEncodeIm2col(map, type_of(t), (unsigned)t->rank,
                                   (void *)t->data, t->size, t->stride, lower,
                                   upper, t->box[0], (unsigned)count, steps, 0,
                                   swizzle_of(t), 0, 0) == 0;
}
