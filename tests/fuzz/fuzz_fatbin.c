/* Any bytes as a fatbin or a program that carries one. */
#include <stdint.h>

#include "isa/binary/fatbin.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct teg_fatbin f;
    struct teg_diag d;

    if (teg_fatbin_open_memory(&f, "fuzz", data, size, &d) != TEG_OK)
        return 0;
    for (uint32_t i = 0; i < f.count; i++) {
        struct teg_cubin c;

        if (!f.entry[i].is_ptx && teg_fatbin_cubin(&f, i, &c, &d) == TEG_OK)
            teg_cubin_release(&c);
    }
    teg_fatbin_release(&f);
    return 0;
}
