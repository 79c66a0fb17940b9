/* Any text as a kernel sketch, whose expansion is walked. */
#include "tests/fuzz/common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_walk(data, size, 1u << TRACE_SKETCH);
    return 0;
}
