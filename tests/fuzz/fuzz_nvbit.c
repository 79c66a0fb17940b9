/* Any bytes as NVBit text, grouped or raw, plain or compressed: every block is
 * walked, or it ends with a diagnostic. */
#include "tests/fuzz/common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_walk(data, size, 1u << TRACE_NVBIT_TEXT | 1u << TRACE_NVBIT_RAW);
    return 0;
}
