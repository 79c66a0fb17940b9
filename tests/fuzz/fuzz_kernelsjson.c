/* libFuzzer target of kernels.json. */
#include "traces/list/kernelsjson.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct teg_source source = {.path = "fuzz", .bytes = data, .size = size};
    struct teg_kernelslist list;
    struct teg_diag d;

    (void)teg_kernelsjson_recognise(data, size);
    if (data != NULL && teg_kernelsjson_read(&source, &list, &d) == TEG_OK)
        teg_kernelslist_release(&list);
    return 0;
}
