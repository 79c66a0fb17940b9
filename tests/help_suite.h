/* The main() every test program has: one suite, one case, an exit status. */
#ifndef TEG_TESTS_HELP_SUITE_H
#define TEG_TESTS_HELP_SUITE_H

#include <check.h>

/* gcc says by a macro that a sanitizer looks on, clang by a feature. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HELP_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HELP_SANITIZED 1
#endif
#endif

/* Of `n` random rounds those that are run: a twentieth under the sanitizers,
 * which take ten times as long to look at the same code. */
#ifdef HELP_SANITIZED
#define HELP_ROUNDS(n) (((n) + 19) / 20)
#else
#define HELP_ROUNDS(n) (n)
#endif

struct help_test {
    const TTest *test;
    int loops; /* _i runs from 0 to loops - 1; 0 means once */
};

/* Runs the tests in their order, `seconds` each at most. */
int help_run(const char *suite, const struct help_test *tests, int count,
             double seconds);

#define HELP_MAIN(name, seconds, ...)                                       \
    int main(void)                                                          \
    {                                                                       \
        const struct help_test tests[] = {__VA_ARGS__};                     \
                                                                            \
        return help_run(name, tests, (int)(sizeof tests / sizeof tests[0]), \
                        seconds);                                           \
    }

#endif
