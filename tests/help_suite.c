#include "tests/help_suite.h"

int help_run(const char *name, const struct help_test *tests, int count,
             double seconds)
{
    Suite *suite = suite_create(name);
    TCase *tcase = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, seconds);
    for (int i = 0; i < count; i++)
        tcase_add_loop_test(tcase, tests[i].test, 0,
                            tests[i].loops != 0 ? tests[i].loops : 1);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
