/*
 * A what-if that is said to change nothing, of what a run has shown (idle) or of a
 * look at its blocks (alike), changes nothing: each is simulated all the same, on
 * random chips and on real ones.  And each rule is heard of: a kernel that has what
 * a what-if takes away keeps it from being idle.
 */
#include "config/load.h"
#include "sim/teg.h"
#include "tests/help_gpu.h"
#include "tests/help_suite.h"
#include "traces/trace.h"

#include <check.h>
#include <stdio.h>
#include <string.h>

enum {
    ROUNDS = 60,
    TRIALS_MAX = 64,
};

#define HEAD(shape) "sketch 1\nkernel \"k\"\nisa sm_70\n" shape
#define TEN_BLOCKS  "grid 10\nblock 64\nregisters 32\n"

static const struct {
    const char *has; /* what-ifs that change something, between commas */
    const char *text;
} kernels[] = {
    {",double:fp32,more-blocks,",
     HEAD(TEN_BLOCKS) "repeat 20\nFADD R4, R4, R1\nend\nEXIT\n"},
    {",even-warps,more-blocks,",
     HEAD(TEN_BLOCKS) "repeat 4\nFADD R4, R4, R1\nend\nif tid < 32\n"
                      "repeat 40\nFADD R4, R4, R1\nend\nend\nEXIT\n"},
    {",no-memory-latency,more-blocks,",
     HEAD(TEN_BLOCKS) "repeat 3\nLDG.E.SYS R4, [R2 : 4096 + 4*gtid]\n"
                      "FADD R5, R4, R5\nend\nEXIT\n"},
    {",no-bank-conflicts,more-blocks,",
     HEAD(TEN_BLOCKS "shared 8192\n") "repeat 4\n"
                                      "LDS.U R4, [R2 : 128*(lane % 32)]\n"
                                      "FADD R5, R4, R5\nend\nEXIT\n"},
    {",no-bank-conflicts,no-atomic-conflicts,free-atomics,block-atomics,"
     "more-blocks,",
     HEAD(TEN_BLOCKS) "repeat 4\nRED.E.ADD.STRONG.GPU [R2 : 4096], R4\nend\n"
                      "EXIT\n"},
    {",no-constant-misses,more-blocks,",
     HEAD(TEN_BLOCKS) "repeat 3\nFADD R4, R4, c[0x3][0x100]\nend\nEXIT\n"},
    {",no-fences,more-blocks,",
     HEAD(TEN_BLOCKS) "STG.E.SYS [R2 : 4096 + 4*gtid], R4\n"
                      "MEMBAR.SC.GPU\nFADD R4, R4, R5\nEXIT\n"},
    {",no-sleep,more-blocks,",
     HEAD(TEN_BLOCKS) "repeat 3\nFADD R4, R4, R1\nNANOSLEEP 0x1c2\nend\n"
                      "EXIT\n"},
    {",no-spills,more-blocks,",
     HEAD(TEN_BLOCKS) "STL [R2 : 4*tid], R4\n"
                      "LDL R4, [R2 : 4*tid]\nFADD R5, R4, R5\n"
                      "EXIT\n"},
    {",no-tail,",
     HEAD("grid 161\nblock 1024\nregisters 64\n") "repeat 4\n"
                                                  "FADD R4, R4, R1\nend\n"
                                                  "EXIT\n"},
    {",no-divergence,regrouped,more-blocks,",
     HEAD(TEN_BLOCKS) "repeat 8\n"
                      "@P0 {lane % 2} FADD R4, R4, R1\n"
                      "end\nEXIT\n"},
    {",no-register-conflicts,no-same-warp-gap,more-blocks,",
     HEAD(TEN_BLOCKS) "repeat 8\nFFMA R4, R6, R8, R10 {stall=2}\n"
                      "end\nEXIT\n"},
};

enum {
    KERNELS = sizeof kernels / sizeof *kernels,
    EASY = 3, /* the first ones', which others may have as well */
};

static uint64_t state;

static struct teg_trace *open_kernel(int k)
{
    struct teg_trace *trace;
    struct teg_diag d;

    ck_assert_msg(teg_trace_open_memory("k", (const uint8_t *)kernels[k].text,
                                        strlen(kernels[k].text), NULL, &trace,
                                        &d) == TEG_OK,
                  "%d: %s: %s", k, d.where, d.what);
    return trace;
}

/* Simulates with what-ifs `names`, or none, and closes `launch` if asked to;
 * returns 0 if the chip cannot run it. */
static int simulate(struct teg_trace *trace, const struct teg_gpu *gpu,
                    const char *names, struct teg_launch *launch,
                    struct teg_statistics *s)
{
    const struct teg_simulation_options options = {.sms = 2};
    static struct teg_gpu changed;
    struct teg_diag d;
    teg_status status;

    changed = *gpu;
    ck_assert_int_eq(teg_trace_launch(trace, 0, launch, &d), TEG_OK);
    if (names != NULL)
        ck_assert_int_eq(teg_whatif_apply(names, &changed, launch, &d), TEG_OK);
    status = teg_simulate(launch, &changed, &options, s, &d);
    ck_assert_msg(status == TEG_OK || status == TEG_LIMIT, "%s", d.what);
    return status == TEG_OK;
}

static void close_launch(struct teg_launch *launch)
{
    if (launch->close != NULL)
        launch->close(launch->self);
}

static int is_alike(struct teg_trace *trace, const struct teg_gpu *gpu,
                    const char *name)
{
    struct teg_launch launch;
    struct teg_diag d;
    int alike;

    ck_assert_int_eq(teg_trace_launch(trace, 0, &launch, &d), TEG_OK);
    ck_assert_int_eq(teg_whatif_is_alike(name, gpu, &launch, &alike, &d),
                     TEG_OK);
    close_launch(&launch);
    return alike;
}

/* Whether trial `name` is idle or alike; simulates it if so. */
static int try_one(struct teg_trace *trace, const struct teg_gpu *gpu,
                   const char *name, const struct teg_kernel *kernel,
                   const struct teg_statistics *as_is)
{
    static struct teg_statistics s;
    struct teg_launch launch;

    if (!teg_whatif_is_idle(name, gpu, kernel, as_is) &&
        !is_alike(trace, gpu, name))
        return 0;
    ck_assert(simulate(trace, gpu, name, &launch, &s));
    close_launch(&launch);
    ck_assert_msg(s.cycles == as_is->cycles,
                  "%s: %llu cycles, as it is %llu, though it is idle", name,
                  (unsigned long long)s.cycles,
                  (unsigned long long)as_is->cycles);
    ck_assert_uint_eq(s.warp_instructions, as_is->warp_instructions);
    return 1;
}

/* Fills the names of the trials that are idle, between commas. */
static void try_all(int k, const struct teg_gpu *gpu, char idle[4096])
{
    static struct teg_statistics as_is;
    struct teg_trace *trace = open_kernel(k);
    struct teg_launch launch;

    strcpy(idle, ",");
    if (simulate(trace, gpu, NULL, &launch, &as_is)) {
        for (uint32_t i = 0; i < teg_whatif_trials(gpu); i++) {
            char name[TEG_WHATIF_NAME_SIZE];
            size_t used = strlen(idle);

            teg_whatif_trial(gpu, i, name);
            if (try_one(trace, gpu, name, launch.kernel, &as_is))
                snprintf(idle + used, 4096 - used, "%s,", name);
        }
    }
    close_launch(&launch);
    teg_trace_close(trace);
}

START_TEST(idle_changes_nothing_on_a_random_chip)
{
    static struct teg_gpu gpu;
    char idle[4096];

    state = (uint64_t)_i + 1;
    help_gpu_random(&gpu, &state);
    try_all(_i % KERNELS, &gpu, idle);
}
END_TEST

static int has_name(const char *list, const char *name, size_t length)
{
    char between[TEG_WHATIF_NAME_SIZE + 2];

    snprintf(between, sizeof between, ",%.*s,", (int)length, name);
    return strstr(list, between) != NULL;
}

START_TEST(on_a_v100_just_what_a_kernel_lacks_is_idle)
{
    struct teg_gpu *gpu;
    struct teg_diag d;
    const char *has = kernels[_i].has, *name;
    size_t length;
    char idle[4096];

    ck_assert_msg(teg_gpu_load("config/v100.cfg", &gpu, &d) == TEG_OK, "%s",
                  d.what);
    try_all(_i, gpu, idle);
    while ((name = teg_whatif_next(&has, &length)) != NULL)
        ck_assert_msg(!has_name(idle, name, length), "%.*s of %d is idle: %s",
                      (int)length, name, _i, idle);
    /* None of them has a double: of these nothing is asked. */
    ck_assert_msg(has_name(idle, "double:fp64", strlen("double:fp64")), "%s",
                  idle);
    /* What one kernel has, those that do not have it lack. */
    for (int k = EASY; k < KERNELS; k++) {
        has = kernels[k].has;
        while ((name = teg_whatif_next(&has, &length)) != NULL)
            ck_assert_msg(has_name(idle, name, length) !=
                              has_name(kernels[_i].has, name, length),
                          "%.*s in %d: idle are %s", (int)length, name, _i,
                          idle);
    }
    teg_gpu_free(gpu);
}
END_TEST

START_TEST(warps_of_as_many_instructions_are_even)
{
    struct teg_gpu *gpu;
    struct teg_diag d;
    char idle[4096];

    ck_assert(teg_gpu_load("config/v100.cfg", &gpu, &d) == TEG_OK);
    try_all(0, gpu, idle);
    ck_assert_msg(has_name(idle, "even-warps", strlen("even-warps")), "%s",
                  idle);
    teg_gpu_free(gpu);
}
END_TEST

HELP_MAIN("sim/whatif/idle", 60, {warps_of_as_many_instructions_are_even, 0},
          {idle_changes_nothing_on_a_random_chip, ROUNDS},
          {on_a_v100_just_what_a_kernel_lacks_is_idle, KERNELS})
