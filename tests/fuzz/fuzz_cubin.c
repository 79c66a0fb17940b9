/* Any bytes as a cubin: it opens and its code decodes and prints, or it is
 * refused. */
#include <stdint.h>

#include "isa/binary/cubin.h"
#include "isa/sass/sass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct teg_cubin c;
    struct teg_sass s;
    struct teg_diag d;
    char text[TEG_SASS_TEXT];

    if (teg_cubin_open_memory(&c, "fuzz", data, size, &d) != TEG_OK)
        return 0;
    for (uint32_t k = 0; k < c.kernel_count; k++) {
        const struct teg_cubin_bytes *code = &c.kernel[k].code;

        for (uint64_t at = 0; code->data != NULL && at + 16 <= code->size;
             at += 16) {
            teg_sass_decode(&s, code->data + at, at, c.sm);
            teg_sass_text(&s, text);
        }
    }
    teg_cubin_release(&c);
    return 0;
}
