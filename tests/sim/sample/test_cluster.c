/* sim/sample/cluster: launches that are alike are simulated once. */
#include "tests/help_gpu.h"
#include "tests/help_suite.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/sample/cluster.h"

static struct teg_diag d;
static struct teg_gpu gpu;

/* A portrait of the sketch; its cycles too, unless NULL. */
static struct teg_portrait portrait_of(const char *text,
                                       struct teg_statistics *s)
{
    struct teg_portrait portrait;
    struct teg_trace *trace;
    struct teg_launch launch;

    ck_assert_msg(teg_trace_open_memory("test", (const uint8_t *)text,
                                        strlen(text), NULL, &trace,
                                        &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    ck_assert(teg_trace_launch(trace, 0, &launch, &d) == TEG_OK);
    ck_assert(teg_portrait_take(&launch, NULL, NULL, &portrait, &d) == TEG_OK);
    launch.close(launch.self);
    if (s != NULL) {
        ck_assert(teg_trace_launch(trace, 0, &launch, &d) == TEG_OK);
        ck_assert(teg_simulate(&launch, &gpu, NULL, s, &d) == TEG_OK);
        launch.close(launch.self);
    }
    teg_trace_close(trace);
    return portrait;
}

/* `rounds` loads, `base` where they begin. */
static const char *sketch(uint32_t grid, uint32_t rounds, uint32_t base)
{
    static char text[512];

    snprintf(text, sizeof text,
             "sketch 1\nkernel \"k\"\nisa sm_70\ngrid %u\nblock 64\n"
             "registers 16\nloop i %u\nLDG.E R4, [R2 : 0x%x + 4*gtid + "
             "0x100000*i]\nFADD R5, R5, R4\nend\nEXIT\n",
             grid, rounds, base);
    return text;
}

static struct teg_cluster_options options(double error_most)
{
    static const struct teg_gpu *const chips[] = {&gpu};

    help_gpu_plain(&gpu);
    gpu.chip.sms = 4;
    return (struct teg_cluster_options){
        .gpu = chips, .gpus = 1, .error_most = error_most};
}

START_TEST(counts_are_those_of_the_sketch)
{
    /* 3 blocks of 2 warps: 10 rounds of 2 instructions, and EXIT */
    struct teg_portrait p = portrait_of(sketch(3, 10, 0x10000000), NULL);

    ck_assert_uint_eq(p.blocks, 3);
    ck_assert_uint_eq(p.warps, 6);
    ck_assert_double_eq(p.part[PORTRAIT_INSTRUCTIONS], 6 * 21);
    ck_assert_uint_eq(p.thread_instructions, 6 * 21 * 32);
    ck_assert_double_eq(p.part[PORTRAIT_REQUESTS], 6 * 10);
    /* 32 lanes of 4 bytes are 4 sectors; a block's 256 bytes, 2 lines */
    ck_assert_double_eq(p.part[PORTRAIT_SECTORS], 6 * 10 * 4);
    ck_assert_double_eq(p.part[PORTRAIT_USEFUL_SECTORS], 6 * 10 * 4);
    ck_assert_double_eq(p.part[PORTRAIT_FIRST_LINES], 3 * 10 * 2);
    ck_assert_double_eq(p.part[PORTRAIT_WRITTEN_LINES], 0);
    ck_assert_double_eq(p.part[PORTRAIT_LONGEST_WARP], 21);
    ck_assert_double_eq(p.part[PORTRAIT_USUAL_WARP], 21);
    ck_assert_double_eq(p.part[PORTRAIT_WARP_REQUESTS], 10);
    ck_assert_double_eq(p.part[PORTRAIT_LARGEST_BLOCK], 42);
    ck_assert_double_eq(p.part[PORTRAIT_CLASSES + CLASS_LDG], 6 * 10);
}
END_TEST

/* Eight lanes to a bank: a stride of 8 words is 8 passes for each warp. */
START_TEST(passes_of_shared_memory_are_counted)
{
    struct teg_portrait p =
        portrait_of("sketch 1\nisa sm_70\ngrid 1\nblock 64\nregisters 16\n"
                    "shared 4096\nLDS R4, [R2 : 32*lane]\nEXIT\n",
                    NULL);

    ck_assert_double_eq(p.part[PORTRAIT_SHARED_PASSES], 2 * 8);
    ck_assert_double_eq(p.part[PORTRAIT_REQUESTS], 0);
}
END_TEST

START_TEST(only_the_same_launch_is_identical)
{
    struct teg_portrait p = portrait_of(sketch(3, 10, 0x10000000), NULL);
    struct teg_portrait again = portrait_of(sketch(3, 10, 0x10000000), NULL);
    struct teg_portrait moved = portrait_of(sketch(3, 10, 0x20000000), NULL);
    struct teg_portrait more = portrait_of(sketch(4, 10, 0x10000000), NULL);
    struct teg_portrait longer = portrait_of(sketch(3, 11, 0x10000000), NULL);

    ck_assert(p.digest == again.digest);
    ck_assert(p.digest != moved.digest);
    ck_assert(p.digest != more.digest);
    ck_assert(p.digest != longer.digest);
    ck_assert(p.kernel == moved.kernel);
}
END_TEST

/* The name, the registers or the code make it another kernel. */
START_TEST(another_kernel_is_never_alike)
{
    static const char *const texts[] = {
        "sketch 1\nkernel \"j\"\nisa sm_70\ngrid 1\nblock 64\nregisters 16\n"
        "FADD R5, R5, R4\nEXIT\n",
        "sketch 1\nkernel \"k\"\nisa sm_70\ngrid 1\nblock 64\nregisters 17\n"
        "FADD R5, R5, R4\nEXIT\n",
        "sketch 1\nkernel \"k\"\nisa sm_70\ngrid 1\nblock 32\nregisters 16\n"
        "FADD R5, R5, R4\nEXIT\n",
        "sketch 1\nkernel \"k\"\nisa sm_70\ngrid 1\nblock 64\nregisters 16\n"
        "FADD R6, R5, R4\nEXIT\n",
        "sketch 1\nkernel \"k\"\nisa sm_70\ngrid 1\nblock 64\nregisters 16\n"
        "FMUL R5, R5, R4\nEXIT\n",
    };
    const struct teg_cluster_options o = options(1);
    struct teg_portrait k = portrait_of(
        "sketch 1\nkernel \"k\"\nisa sm_70\ngrid 1\nblock 64\nregisters 16\n"
        "FADD R5, R5, R4\nEXIT\n",
        NULL);
    struct teg_portrait other = portrait_of(texts[_i], NULL);
    struct teg_represented r;

    ck_assert_int_eq(teg_cluster_compare(&k, &other, &o, &r), 0);
}
END_TEST

/* A tenth more of everything: between 1 and 1.1 times as long, so sqrt(1.1)
 * times is off by at most sqrt(1.1) - 1. */
START_TEST(the_bound_is_of_the_part_that_differs_most)
{
    const struct teg_cluster_options o = options(1);
    struct teg_portrait few = portrait_of(sketch(4, 1000, 0x10000000), NULL);
    struct teg_portrait more = portrait_of(sketch(4, 1100, 0x10000000), NULL);
    struct teg_represented r;

    ck_assert_int_eq(teg_cluster_compare(&few, &more, &o, &r), 1);
    ck_assert_int_eq(r.identical, 0);
    ck_assert_double_eq_tol(r.scale, sqrt(1.1), 1e-3);
    ck_assert_double_eq_tol(r.error_bound, sqrt(1.1) - 1 + TEG_CLUSTER_SLACK,
                            1e-3);
    ck_assert_double_eq_tol(r.similarity, 1 / 1.1, 1e-3);
    ck_assert_int_eq(teg_cluster_compare(&more, &few, &o, &r), 1);
    ck_assert_double_eq_tol(r.scale, sqrt(1 / 1.1), 1e-3);
}
END_TEST

/* Five blocks on four SMs take two rounds where four take one, although they
 * are but a quarter more. */
START_TEST(a_further_wave_counts_as_twice_as_much)
{
    struct teg_cluster_options o = options(1);
    struct teg_portrait four = portrait_of(sketch(4, 50, 0x10000000), NULL);
    struct teg_portrait five = portrait_of(sketch(5, 50, 0x10000000), NULL);
    struct teg_represented r;

    ck_assert_int_eq(teg_cluster_compare(&four, &five, &o, &r), 1);
    ck_assert_double_eq_tol(r.similarity, 0.5, 1e-9);
    o.same_blocks = 1;
    ck_assert_int_eq(teg_cluster_compare(&four, &five, &o, &r), 0);
}
END_TEST

START_TEST(the_closest_that_is_simulated_represents)
{
    static struct teg_portrait p[6];
    const struct teg_portrait *list[7];
    struct teg_cluster_options o = options(0.05);
    struct teg_represented r[7];
    static const uint32_t rounds[6] = {1000, 1000, 1200, 1010, 1190, 3000};

    for (int i = 0; i < 6; i++) {
        p[i] = portrait_of(sketch(4, rounds[i], 0x10000000), NULL);
        list[i] = &p[i];
    }
    list[6] = NULL; /* unreadable */
    teg_clusters_find(list, 7, &o, r);
    ck_assert_uint_eq(r[0].by, 0);
    ck_assert_uint_eq(r[1].by, 0);
    ck_assert_int_eq(r[1].identical, 1);
    ck_assert_double_eq(r[1].error_bound, 0);
    ck_assert_uint_eq(r[2].by, 2);
    ck_assert_uint_eq(r[3].by, 0);
    ck_assert_int_eq(r[3].identical, 0);
    ck_assert_uint_eq(r[4].by, 2);
    ck_assert_uint_eq(r[5].by, 5);
    ck_assert_uint_eq(r[6].by, 6);
    ck_assert_uint_eq(r[0].members, 3);
    ck_assert_uint_eq(r[3].members, 3);
    ck_assert_uint_eq(r[4].members, 2);
    ck_assert_uint_eq(r[6].members, 1);
    /* nothing but the same launch */
    o.error_most = 0;
    teg_clusters_find(list, 7, &o, r);
    ck_assert_uint_eq(r[1].by, 0);
    ck_assert_uint_eq(r[3].by, 3);
    ck_assert_uint_eq(r[4].by, 4);
}
END_TEST

START_TEST(what_is_said_of_it_is_its_own_work)
{
    static struct teg_statistics of, s;
    const struct teg_cluster_options o = options(1);
    struct teg_portrait few = portrait_of(sketch(4, 100, 0x10000000), &of);
    struct teg_portrait more = portrait_of(sketch(4, 110, 0x10000000), NULL);
    struct teg_kernel kernel = {.name = (char *)"k", .grid = {4, 1, 1}};
    struct teg_represented r;
    uint64_t reasons = 0;

    ck_assert_int_eq(teg_cluster_compare(&few, &more, &o, &r), 1);
    teg_cluster_statistics(&of, &r, &more, &kernel, &s);
    ck_assert_uint_eq(s.warp_instructions, 8 * 221);
    ck_assert_uint_eq(s.thread_instructions, 8 * 221 * 32);
    ck_assert_uint_eq(s.class_[CLASS_LDG].issued, 8 * 110);
    ck_assert_double_eq_tol((double)s.cycles, (double)of.cycles * r.scale, 1);
    for (int i = 0; i < TEG_STALLS; i++)
        reasons += s.stall[i];
    ck_assert_uint_eq(s.resident_warp_cycles, s.warp_instructions + reasons);
}
END_TEST

/* The bound holds where the launches are simulated. */
START_TEST(launches_that_drift_stay_within_their_bound)
{
    static struct teg_statistics of, s;
    const struct teg_cluster_options o = options(1);
    struct teg_portrait first = portrait_of(sketch(40, 60, 0x10000000), &of);

    for (uint32_t rounds = 50; rounds <= 70; rounds += 2) {
        struct teg_portrait p = portrait_of(sketch(40, rounds, 0x30000000), &s);
        struct teg_represented r;
        double error;

        ck_assert_int_eq(teg_cluster_compare(&first, &p, &o, &r), 1);
        error = fabs((double)of.cycles * r.scale / (double)s.cycles - 1);
        ck_assert_msg(error <= r.error_bound, "%u rounds: %g beyond %g", rounds,
                      error, r.error_bound);
    }
}
END_TEST

HELP_MAIN("sim/sample/cluster", 60, {counts_are_those_of_the_sketch, 0},
          {passes_of_shared_memory_are_counted, 0},
          {only_the_same_launch_is_identical, 0},
          {another_kernel_is_never_alike, 5},
          {the_bound_is_of_the_part_that_differs_most, 0},
          {a_further_wave_counts_as_twice_as_much, 0},
          {the_closest_that_is_simulated_represents, 0},
          {what_is_said_of_it_is_its_own_work, 0},
          {launches_that_drift_stay_within_their_bound, 0})
