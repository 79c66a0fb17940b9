/* The fast memory against the naive one, on the chip and requests of a seed. */
#include "tests/help_suite.h"

/* The test's chips and requests; its main() becomes a function nobody calls. */
#undef HELP_MAIN
#define HELP_MAIN(name, seconds, ...)                   \
    size_t fuzz_tests(void);                            \
    size_t fuzz_tests(void)                             \
    {                                                   \
        const struct help_test tests[] = {__VA_ARGS__}; \
                                                        \
        return sizeof tests / sizeof tests[0];          \
    }

#include "tests/sim/memory/test_memory_naive.c"

#include "tests/fuzz/common.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint64_t seed = 0;

    for (size_t i = 0; i < size && i < sizeof seed; i++)
        seed |= (uint64_t)data[i] << 8 * i;
    run_one(seed);
    return 0;
}
