/* Any bytes as a listing: its cubins' code decodes and prints, or it is
 * refused. */
#include <stdint.h>

#include "isa/binary/listing.h"
#include "isa/sass/sass.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void print(const struct teg_listing *l, uint32_t cubin, uint32_t kernel)
{
    const struct teg_cubin *c = &l->cubin[cubin];
    const struct teg_cubin_bytes *code = &c->kernel[kernel].code;
    struct teg_sass s;
    char text[TEG_SASS_TEXT];

    for (uint64_t pc = 0; pc + TEG_SASS_BYTES <= code->size;
         pc += TEG_SASS_BYTES) {
        if (!teg_sass_decode(&s, code->data + pc, pc, c->sm))
            teg_listing_unread_at(l, cubin, kernel, pc);
        teg_sass_text(&s, text);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct teg_listing l;
    struct teg_diag d;

    teg_listing_recognise(data, size);
    if (teg_listing_open_memory(&l, "fuzz", data, size, &d) != TEG_OK)
        return 0;
    for (uint32_t i = 0; i < l.count; i++) {
        for (uint32_t k = 0; k < l.cubin[i].kernel_count; k++)
            print(&l, i, k);
    }
    teg_listing_release(&l);
    return 0;
}
