/* GPU descriptions: values set and varied, copies. */
#include "tests/config/description.h"

START_TEST(set_changes_one_value)
{
    struct teg_gpu *gpu = load(write_changed(0, ""));
    struct teg_diag d;

    ck_assert_int_eq(teg_gpu_set(gpu, "sm.warps_max", "48", &d), TEG_OK);
    ck_assert_uint_eq(gpu->sm.warps_max, 48);
    ck_assert_str_eq(fact_of(gpu, "sm.warps_max")->value, "48");
    ck_assert_int_eq(teg_gpu_set(gpu, "chip.sm_clock_mhz", "1.5e3", &d),
                     TEG_OK);
    ck_assert_double_eq(gpu->chip.sm_clock_mhz, 1500);
    ck_assert_int_eq(teg_gpu_set(gpu, "sm.policy", "gto", &d), TEG_OK);
    ck_assert_uint_eq(gpu->sm.policy, POLICY_GTO);
    ck_assert_int_eq(teg_gpu_set(gpu, "timing.fadd.latency", "6", &d), TEG_OK);
    ck_assert_uint_eq(gpu->timing[CLASS_FADD].latency, 6);
    ck_assert_str_eq(fact_of(gpu, "timing.fadd")->value, "u 6 2 1");
    ck_assert_int_eq(teg_gpu_set(gpu, "timing.fadd.interval", "3", &d), TEG_OK);
    ck_assert_uint_eq(gpu->timing[CLASS_FADD].interval, 3);
    ck_assert_int_eq(teg_gpu_set(gpu, "timing.fadd.same_warp", "5", &d),
                     TEG_OK);
    ck_assert_uint_eq(gpu->timing[CLASS_FADD].same_warp, 5);
    ck_assert_int_eq(teg_gpu_set(gpu, "unit.u.count", "2", &d), TEG_OK);
    ck_assert_uint_eq(gpu->unit[0].count, 2);
    ck_assert_int_eq(teg_gpu_set(gpu, "unit.u.queue", "3", &d), TEG_OK);
    ck_assert_uint_eq(gpu->unit[0].queue, 3);
    ck_assert_int_eq(teg_gpu_set(gpu, "m_factor.imul", "4.3", &d), TEG_OK);
    ck_assert_double_eq(gpu->m_factor[CLASS_IMUL], 4.3);
    ck_assert_int_eq(teg_gpu_set(gpu, "power_unit.fp.watts", "1.25", &d),
                     TEG_OK);
    ck_assert_int_eq(teg_gpu_set(gpu, "power_unit.fp.access", "log 1 2", &d),
                     TEG_OK);
    ck_assert_int_eq(gpu->power_unit[POWER_FP].given, 1);
    ck_assert_double_eq(gpu->power_unit[POWER_FP].max_watts, 1.25);
    ck_assert_double_eq(gpu->power_unit[POWER_FP].curve.b, 2);
    ck_assert_int_eq(teg_gpu_set(gpu, "power_use.lds", "shm fds", &d), TEG_OK);
    ck_assert_uint_eq(gpu->power_use[CLASS_LDS],
                      1u << POWER_SHM | 1u << POWER_FDS);
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(set_refuses_what_the_loader_refuses)
{
    static const struct {
        const char *key, *value;
        teg_status status;
        const char *what;
    } list[] = {
        {"sm.warps_max", "65", TEG_CONFIG, "1 to 64 warps"},
        {"sm.warps_max", "", TEG_CONFIG, "found ''"},
        {"sm.warps_max", "3.5", TEG_CONFIG, "whole number"},
        {"sm.warps_max", "32x", TEG_CONFIG, "found '32x'"},
        {"sm.warps_max", "nan", TEG_CONFIG, "found 'nan'"},
        {"dram.latency", "-1", TEG_CONFIG, "found '-1'"},
        {"chip.sm_clock_mhz", "inf", TEG_CONFIG, "found 'inf'"},
        {"sm.policy", "fifo", TEG_CONFIG, "expected one of"},
        {"timing.fadd.same_warp", "0", TEG_CONFIG, "1 to 10000"},
        {"timing.fadd.latency", "-2", TEG_CONFIG, "found '-2'"},
        {"m_factor.imul", "-1", TEG_CONFIG, "factor"},
        {"unit.u.count", "0", TEG_CONFIG, "1 to 64"},
        {"unit.u.queue", "65", TEG_CONFIG, "0 to 64"},
        {"sm.warp_max", "32", TEG_UNKNOWN, "sm.warps_max"},
        {"timing.fad.latency", "3", TEG_UNKNOWN, "fadd"},
        {"timing.fadd.latenci", "3", TEG_UNKNOWN, "latency"},
        {"timing.fadd", "3", TEG_UNKNOWN, "expected a key"},
        {"unit.w.count", "3", TEG_UNKNOWN, "u"},
        {"", "3", TEG_UNKNOWN, "expected a key"},
        {"power_unit.fp.watts", "-1", TEG_CONFIG, "watts, 0 to 10000"},
        {"power_unit.fp.watts", "nan", TEG_CONFIG, "found 'nan'"},
        {"power_unit.fp.access", "steep", TEG_CONFIG, "identity"},
        {"power_unit.fp.watt", "1", TEG_UNKNOWN, "watts"},
        {"power_unit.fpu.watts", "1", TEG_UNKNOWN, "fp"},
        {"power_use.lds", "shm fdx", TEG_CONFIG, "components"},
        {"power_use.ldx", "shm", TEG_UNKNOWN, "lds"},
        {"power.idle_watts", "-3", TEG_CONFIG, "0 to 10000"},
    };
    struct teg_gpu *gpu = load(write_changed(0, ""));

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        struct teg_diag d = {0};

        ck_assert_msg(teg_gpu_set(gpu, list[i].key, list[i].value, &d) ==
                          list[i].status,
                      "%s %s", list[i].key, list[i].value);
        ck_assert_msg(strstr(d.what, list[i].what) != NULL, "%s", d.what);
        ck_assert_str_eq(d.where, list[i].key);
    }
    ck_assert_uint_eq(gpu->sm.warps_max, 32);
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(copy_is_independent)
{
    struct teg_gpu *gpu = load(write_changed(0, "")), *copy;
    struct teg_diag d;

    ck_assert_int_eq(teg_gpu_copy(gpu, &copy, &d), TEG_OK);
    ck_assert_int_eq(teg_gpu_set(copy, "sm.warps_max", "48", &d), TEG_OK);
    ck_assert_uint_eq(gpu->sm.warps_max, 32);
    ck_assert_str_eq(fact_of(gpu, "sm.warps_max")->value, "32");
    teg_gpu_free(gpu);
    ck_assert_str_eq(fact_of(copy, "sm.warps_max")->value, "48");
    teg_gpu_free(copy);
    teg_gpu_free(NULL);
}
END_TEST

/* A chip of fewer warps has room for no more threads than theirs. */
START_TEST(vary_takes_threads_along_with_warps)
{
    struct teg_gpu *gpu = load(write_changed(0, ""));
    struct teg_diag d;

    ck_assert_int_eq(teg_gpu_vary(gpu, "sm.warps_max", "20", &d), TEG_OK);
    ck_assert_uint_eq(gpu->sm.warps_max, 20);
    ck_assert_uint_eq(gpu->sm.threads_max, 640);
    ck_assert_uint_eq(gpu->sm.threads_per_block_max, 512);
    ck_assert_int_eq(teg_gpu_vary(gpu, "sm.warps_max", "8", &d), TEG_OK);
    ck_assert_uint_eq(gpu->sm.threads_max, 256);
    ck_assert_uint_eq(gpu->sm.threads_per_block_max, 256);
    ck_assert_int_eq(teg_gpu_vary(gpu, "sm.warps_max", "32", &d), TEG_OK);
    ck_assert_uint_eq(gpu->sm.threads_max, 256);
    ck_assert_int_eq(teg_gpu_vary(gpu, "sm.blocks_max", "2", &d), TEG_OK);
    ck_assert_uint_eq(gpu->sm.blocks_max, 2);
    ck_assert_int_eq(teg_gpu_vary(gpu, "sm.warps_max", "65", &d), TEG_CONFIG);
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(vary_of_something_else_leaves_threads_alone)
{
    struct teg_gpu *gpu = load(write_changed(0, ""));
    struct teg_diag d;

    gpu->sm.warps_max = 4; /* a contradiction that it is not asked to heal */
    ck_assert_int_eq(teg_gpu_vary(gpu, "sm.blocks_max", "2", &d), TEG_OK);
    ck_assert_uint_eq(gpu->sm.threads_max, 1024);
    teg_gpu_free(gpu);
}
END_TEST

/* Half the clock: DRAM is half as many cycles behind L2, which stays where it is. */
START_TEST(a_clock_leaves_dram_its_time)
{
    struct teg_gpu *gpu = load(write_changed(0, ""));
    struct teg_diag d;

    gpu->chip.sm_clock_mhz = 1000;
    gpu->dram.latency = 501;
    gpu->dram.turnaround = 30;
    gpu->l2.bytes = 0;
    ck_assert_int_eq(teg_gpu_set_clock(gpu, "2000", &d), TEG_OK);
    ck_assert_double_eq(gpu->chip.sm_clock_mhz, 2000);
    ck_assert_uint_eq(gpu->dram.latency, 1002);
    ck_assert_double_eq(gpu->dram.turnaround, 60);
    gpu->l2.bytes = 1 << 20;
    gpu->l2.latency = 200;
    ck_assert_int_eq(teg_gpu_set_clock(gpu, "1000", &d), TEG_OK);
    ck_assert_uint_eq(gpu->dram.latency, 200 + 401);
    ck_assert_uint_eq(gpu->l2.latency, 200);
    ck_assert_int_eq(teg_gpu_set_clock(gpu, "0", &d), TEG_CONFIG);
    ck_assert_double_eq(gpu->chip.sm_clock_mhz, 1000);
    ck_assert_int_eq(teg_gpu_set_clock(gpu, "fast", &d), TEG_CONFIG);
    teg_gpu_free(gpu);
}
END_TEST

int main(void)
{
    const struct help_test tests[] = {
        {set_changes_one_value, 0},
        {set_refuses_what_the_loader_refuses, 0},
        {copy_is_independent, 0},
        {vary_takes_threads_along_with_warps, 0},
        {vary_of_something_else_leaves_threads_alone, 0},
        {a_clock_leaves_dram_its_time, 0},
    };

    return run_in_folder("gpu set", tests, sizeof tests / sizeof *tests);
}
