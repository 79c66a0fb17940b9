/* The fast memory against the naive one, on the chip and requests of a seed. */
#include "tests/fuzz/of_seed.h"

#include "tests/sim/memory/test_memory_naive.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run_one(fuzz_seed(data, size));
    return 0;
}
