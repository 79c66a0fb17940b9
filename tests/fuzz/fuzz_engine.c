/* The fast engine against the naive one, on the chip, the kernel and the kernels
 * beside each other of a seed. */
#include "tests/fuzz/of_seed.h"

#include "tests/sim/engine/test_engine_naive.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t seed = fuzz_seed(data, size);

    run_all(seed);
    run_several(seed);
    return 0;
}
