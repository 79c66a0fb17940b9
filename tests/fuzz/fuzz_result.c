/* Any JSON as two results that are compared, in every format. */
#include <stdio.h>

#include "tests/fuzz/common.h"
#include "tools/teg/cli/teg.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char formats[4][12] = {"text", "json", "csv", "markdown"};
    char name[] = "diff", option[] = "-f", path[64];
    char *argv[] = {name, path, path, option, formats[size % 4], NULL};
    struct fuzz_voices voices;

    snprintf(path, sizeof path, "%s", fuzz_file(data, size));
    voices = fuzz_hush();
    cmd_diff(5, argv);
    fuzz_unhush(voices);
    return 0;
}
