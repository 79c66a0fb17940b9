/* The fast engine against the naive one, on the chip and kernel of a seed. */
#include "tests/fuzz/of_seed.h"

#include "tests/sim/engine/test_engine_naive.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run_all(fuzz_seed(data, size));
    return 0;
}
