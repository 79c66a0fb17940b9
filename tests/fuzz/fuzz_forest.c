/*
 * libFuzzer target of the forest reader.  The input is tried as a file and,
 * because a checksum stops nearly every changed file, as the payload of a file
 * whose head and checksum are right.  What opens is evaluated.
 */
#include "sim/learn/forest.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "isa/base/buffer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(const uint8_t *bytes, size_t size)
{
    struct teg_forest *forest;
    struct teg_forest_estimate e;
    struct teg_diag d;
    float x[TEG_FOREST_FEATURES_MAX] = {0};

    if (teg_forest_open_memory("fuzz", bytes, size, &forest, &d) != TEG_OK)
        return;
    for (uint32_t m = 0; m < teg_forest_models(forest); m++) {
        for (uint32_t f = 0; f < teg_forest_features(forest); f++) {
            double least, greatest;

            teg_forest_range(forest, m, f, &least, &greatest);
            x[f] = (float)greatest;
        }
        teg_forest_evaluate(forest, m, x, &e);
    }
    teg_forest_free(forest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct teg_buffer file = {0}, body = {0};
    uLongf packed = compressBound((uLong)size);

    use(data, size);
    teg_buffer_u64(&body, 0);
    teg_buffer_u64(&body, size);
    teg_buffer_grow(&body, packed);
    compress2(body.data + 16, &packed, data, (uLong)size, 0);
    body.size = 16 + packed;
    for (int i = 0; i < 8; i++)
        body.data[i] = (uint8_t)((uint64_t)packed >> 8 * i);
    teg_buffer_bytes(&file, "tegtrees", 8);
    teg_buffer_u32(&file, 2);
    teg_buffer_u32(&file, (uint32_t)crc32_z(0, body.data, body.size));
    teg_buffer_bytes(&file, body.data, body.size);
    use(file.data, file.size);
    teg_buffer_release(&file);
    teg_buffer_release(&body);
    return 0;
}
