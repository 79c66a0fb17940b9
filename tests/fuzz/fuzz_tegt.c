/* Any bytes as a .tegt, and as what lies below its compression: a kernel, whose
 * length the first two bytes give, and a block of it.  Fuzz builds take chunks
 * whatever their checksum. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/common.h"
#include "traces/block/block.h"
#include "traces/tegt/kernel.h"
#include "traces/tegt/layout.h"

/* A block owns its bytes. */
static void open_block(const struct teg_program *program, const uint8_t *data,
                       size_t size)
{
    uint8_t *bytes = malloc(size + 1);
    struct teg_block *block;
    struct teg_diag d;

    if (bytes == NULL)
        return;
    memcpy(bytes, data, size);
    if (teg_block_open(program, bytes, size, "fuzz", 0, &block, &d) == TEG_OK) {
        fuzz_walk_block(block);
        teg_block_free(block);
    }
    free(bytes);
}

static void open_kernel(const uint8_t *data, size_t size)
{
    struct teg_kernel kernel = {0};
    struct teg_walk w;
    struct teg_diag d;
    size_t first;

    if (size < 2)
        return;
    first = (size_t)(data[0] | data[1] << 8) % (size - 1);
    teg_walk_init(&w, data + 2, first < size - 2 ? first : size - 2, "fuzz", 0);
    if (tegt_walk_kernel(&w, TEGT_VERSION, &kernel, &d) == TEG_OK)
        open_block(&kernel.program, data + 2 + first,
                   size - 2 > first ? size - 2 - first : 0);
    teg_kernel_release(&kernel);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_walk(data, size, 1u << TRACE_TEGT);
    open_kernel(data, size);
    return 0;
}
