/* Any text as the journal of a sweep, merged as `teg merge` does. */
#include <fcntl.h>
#include <unistd.h>

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

/* What it says is not for whoever watches the fuzzer. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *path = fuzz_file(data, size);
    int before = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);

    dup2(nowhere, STDERR_FILENO);
    merge(path);
    dup2(before, STDERR_FILENO);
    close(nowhere);
    close(before);
    return 0;
}
