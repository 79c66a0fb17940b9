/* Any bytes as the line table of a cubin.  The first four are where addresses
 * of its one kernel stand in the rest. */
#include "isa/binary/dwarf.h"

#include "tests/fuzz/common.h"

enum {
    ANCHORS = 4,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "fuzz.cubin", name[] = "fuzz";
    struct teg_cubin_kernel kernel = {.name = name, .code = {NULL, 4096}};
    struct teg_cubin_symbol symbol = {
        .name = name, .region = CUBIN_CODE, .is_defined = 1};
    struct teg_cubin_reloc reloc[ANCHORS];
    struct teg_cubin c = {.path = path,
                          .sm = 80,
                          .kernel = &kernel,
                          .kernel_count = 1,
                          .symbol = &symbol,
                          .symbol_count = 1,
                          .reloc = reloc,
                          .reloc_count = ANCHORS};
    struct teg_diag d;

    if (size < ANCHORS)
        return 0;
    for (uint32_t i = 0; i < ANCHORS; i++)
        reloc[i] = (struct teg_cubin_reloc){
            .region = CUBIN_LINES, .offset = data[i], .type = 2};
    c.file = (uint8_t *)data;
    c.file_size = size;
    c.lines_table.data = data + ANCHORS;
    c.lines_table.size = size - ANCHORS;
    if (teg_dwarf_lines(&c.lines, &c, &d) == TEG_OK)
        for (uint64_t pc = 0; pc < 4096; pc += 16)
            teg_lines_at(&c.lines, 0, pc);
    teg_lines_release(&c.lines);
    return 0;
}
