/* Any text as a GPU description: it loads, or it is refused; what loads can be
 * printed and set. */
#include "config/param.h"
#include "tests/fuzz/common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct teg_gpu *gpu;
    struct teg_diag d;
    char text[64];
    uint32_t n;
    const struct param *p = params(&n);

    if (teg_gpu_load(fuzz_file(data, size), &gpu, &d) != TEG_OK)
        return 0;
    for (uint32_t i = 0; i < n; i++) {
        param_format(&p[i], gpu, text);
        teg_gpu_set(gpu, p[i].key, text, &d);
    }
    teg_gpu_free(gpu);
    return 0;
}
