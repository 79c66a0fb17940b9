/*
 * A test's random rounds as a fuzz program: the first bytes are the seed.
 * Include it, the test's .c, and define LLVMFuzzerTestOneInput.
 */
#ifndef TEG_TESTS_FUZZ_OF_SEED_H
#define TEG_TESTS_FUZZ_OF_SEED_H

#include "tests/fuzz/common.h"
#include "tests/help_suite.h"

/* The test's main() becomes a function nobody calls. */
#undef HELP_MAIN
#define HELP_MAIN(name, seconds, ...)                   \
    size_t fuzz_tests(void);                            \
    size_t fuzz_tests(void)                             \
    {                                                   \
        const struct help_test tests[] = {__VA_ARGS__}; \
                                                        \
        return sizeof tests / sizeof tests[0];          \
    }

static inline uint64_t fuzz_seed(const uint8_t *data, size_t size)
{
    uint64_t seed = 0;

    for (size_t i = 0; i < size && i < sizeof seed; i++)
        seed |= (uint64_t)data[i] << 8 * i;
    return seed;
}

#endif
