/* Any text as a kernelslist; the files it names are not there. */
#include "tests/fuzz/common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_walk(data, size, 1u << TRACE_LIST);
    return 0;
}
