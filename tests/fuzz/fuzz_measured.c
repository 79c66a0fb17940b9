/* Any text as measurements of a GPU, from which a description is drafted. */
#include "tests/fuzz/common.h"
#include "tools/teg/gpu_draft/draft.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    struct fuzz_voices voices = fuzz_hush();

    draft_write(path, "config", NULL);
    fuzz_unhush(voices);
    return 0;
}
