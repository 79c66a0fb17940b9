/* GPU descriptions: the sections of the power model. */
#include "tests/config/description.h"

START_TEST(power_sections_are_read)
{
    struct teg_gpu *gpu = load(write_changed(
        APPENDED, "power: { idle_watts = (20.5, " SOURCE ");\n"
                  "core_scaling = (\"log\", " SOURCE "); };\n"
                  "power_unit: { fp = (1.5, \"log 0.2 0.9\", " SOURCE ");\n"
                  "l2 = (12, \"table 0:0 0.5:0.75 1:1\", " SOURCE "); };\n"
                  "power_use: { vote = (\"fds\", " SOURCE "); };"));

    ck_assert_double_eq(gpu->power.idle_watts, 20.5);
    ck_assert_uint_eq(gpu->power.core_scaling, CORE_SCALING_LOG);
    ck_assert_double_eq(gpu->power_unit[POWER_FP].max_watts, 1.5);
    ck_assert_double_eq(gpu->power_unit[POWER_FP].curve.a, 0.2);
    ck_assert_double_eq(gpu->power_unit[POWER_FP].curve.b, 0.9);
    ck_assert_int_eq(gpu->power_unit[POWER_L2].curve.kind, CURVE_TABLE);
    ck_assert_uint_eq(gpu->power_unit[POWER_L2].curve.points, 3);
    ck_assert_double_eq(gpu->power_unit[POWER_L2].curve.y[1], 0.75);
    ck_assert_int_eq(gpu->power_unit[POWER_INT].given, 0);
    ck_assert_uint_eq(gpu->power_use[CLASS_VOTE], 1u << POWER_FDS);
    ck_assert_uint_eq(gpu->power_use[CLASS_IADD], 0);
    ck_assert_str_eq(fact_of(gpu, "power_unit.fp")->value, "1.5 log 0.2 0.9");
    ck_assert_str_eq(fact_of(gpu, "power_use.vote")->value, "fds");
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(faulty_power_sections_are_refused)
{
    static const char *const curves[] = {
        "",
        "linear",
        "log 0.1",
        "log 0 1",
        "log 1 2 3",
        "log x y",
        "table",
        "table 0:1",
        "table 0:1 0:2",
        "table 0:1 1:0.5",
        "table -1:0 1:1",
        "table 0-0 1:1",
        "identity 2",
        "table 0:0 1:1 2:1 3:1 4:1 5:1 6:1 7:1 8:1",
        "log nan 1"};
    struct teg_power_curve curve = {.a = 42};

    refuse(APPENDED, "power_unit: { fpu = (1, \"log\", " SOURCE "); };",
           APPENDED, "did you mean 'fp'?");
    refuse(APPENDED, "power_unit: { fp = (-1, \"log\", " SOURCE "); };",
           APPENDED, "expected watts, 0 to 10000, found -1");
    refuse(APPENDED, "power_unit: { fp = (1, \"cubic\", " SOURCE "); };",
           APPENDED, "found \"cubic\"");
    refuse(APPENDED, "power_unit: { fp = (1, " SOURCE "); };", APPENDED,
           "access function");
    refuse(APPENDED, "power_unit: { fp = (1, \"log\", \"none\"); };", APPENDED,
           "class of evidence");
    refuse(APPENDED, "power_use: { vote = (\"fdx\", " SOURCE "); };", APPENDED,
           "found \"fdx\"");
    refuse(APPENDED, "power_use: { votes = (\"fds\", " SOURCE "); };", APPENDED,
           "did you mean 'vote'?");
    refuse(APPENDED, "power: { idle_wats = (1, " SOURCE "); };", APPENDED,
           "did you mean 'idle_watts'?");
    for (size_t i = 0; i < sizeof curves / sizeof curves[0]; i++)
        ck_assert_msg(!teg_power_curve_parse(curves[i], &curve), "accepted: %s",
                      curves[i]);
    ck_assert_double_eq(curve.a, 42);
}
END_TEST

int main(void)
{
    const struct help_test tests[] = {
        {power_sections_are_read, 0},
        {faulty_power_sections_are_refused, 0},
    };

    return run_in_folder("gpu power", tests, sizeof tests / sizeof *tests);
}
