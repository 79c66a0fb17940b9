/* Any text as the journal of a sweep, merged as `teg merge` does. */
#include "tests/fuzz/common.h"
#include "tools/teg/sweep/sweep.h"

static void merge(const char *path)
{
    struct sweep_journal j;

    if (sweep_journal_open(&j, NULL, NULL, 0) != EXIT_DONE)
        return;
    sweep_journal_merge(&j, path);
    sweep_journal_release(&j);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    struct fuzz_voices voices = fuzz_hush();

    merge(path);
    fuzz_unhush(voices);
    return 0;
}
