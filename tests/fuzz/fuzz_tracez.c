/* Any bytes as a .tracez, whose blocks are walked. */
#include "tests/fuzz/common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_walk(data, size, 1u << TRACE_TRACEZ);
    return 0;
}
