/* Launches beside each other: what becomes of each, and of the chip. */
#include "sim/together.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "traces/trace.h"

enum {
    LAUNCHES = 2,
};

static struct teg_gpu *gpu;
static struct teg_trace *trace[LAUNCHES];
static struct teg_launch launch[LAUNCHES];
static struct teg_statistics *s;
static uint64_t begun[LAUNCHES], ended[LAUNCHES];
static struct teg_diag d;
/* Of the chip: all launches' instructions, and for how long warps were there. */
static uint64_t issued, resident;

static void on_begun(void *self, uint32_t number, uint64_t cycle)
{
    (void)self;
    begun[number] = cycle;
}

static void on_ended(void *self, uint32_t number, uint64_t cycle)
{
    (void)self;
    ended[number] = cycle;
}

static void on_issue(void *self, const struct sim_issue *e)
{
    (void)self;
    issued++;
    resident += e->cycle - e->arrived + 1;
}

static const char arithmetic[] = "sketch 1\nkernel \"arithmetic\"\nisa sm_80\n"
                                 "grid 216\nblock 256\nregisters 32\n"
                                 "loop k 40\n  FFMA R4, R4, R4, R4\nend\n"
                                 "EXIT\n";
static const char dram[] =
    "sketch 1\nkernel \"dram\"\nisa sm_80\ngrid 216\nblock 256\n"
    "registers 32\nlet a = 0x7f0000000000\nloop k 4\n"
    "  LDG.E.128 R8, [R2 : a + 16*tid + 4096*ctaid + 0x4000000*k]\n"
    "  LDG.E.128 R12, [R2 : a + 16*tid + 4096*ctaid + 0x4000000*k + "
    "0x2000000]\n"
    "  FADD R16, R8, R12\nend\nEXIT\n";

static void setup(void)
{
    memset(begun, 0, sizeof begun);
    memset(ended, 0, sizeof ended);
    issued = resident = 0;
    ck_assert(teg_gpu_load("config/a100.cfg", &gpu, &d) == TEG_OK);
    s = calloc(LAUNCHES + 1, sizeof *s);
}

static void teardown(void)
{
    for (int i = 0; i < LAUNCHES; i++) {
        if (launch[i].close != NULL)
            launch[i].close(launch[i].self);
        launch[i] = (struct teg_launch){0};
        teg_trace_close(trace[i]);
        trace[i] = NULL;
    }
    teg_gpu_free(gpu);
    free(s);
}

static void open_launch(int i, const char *sketch)
{
    ck_assert_msg(teg_trace_open_memory("body.sketch", (const uint8_t *)sketch,
                                        strlen(sketch), NULL, &trace[i],
                                        &d) == TEG_OK,
                  "%s", d.what);
    ck_assert(teg_trace_launch(trace[i], 0, &launch[i], &d) == TEG_OK);
}

/* Both from cycle `from` of the second on; `copies` have that share of the
 * DRAM.  Returns the cycle in which all was over. */
static uint64_t run(int launches, uint64_t from, uint32_t threads,
                    double copies)
{
    struct sim_listener ear = {.on_issue = on_issue};
    struct teg_together_setup setup = {
        .gpu = gpu,
        .l1_bytes = UINT32_MAX,
        .threads = threads,
        .news = {NULL, on_begun, on_ended},
    };
    struct sim_engine_outcome outcome = {0};
    struct teg_together *t;
    uint64_t now = 0;

    for (int i = 0; i < launches; i++)
        ck_assert(teg_together_room(launch[i].kernel, gpu, &setup.l1_bytes,
                                    &d) == TEG_OK);
    ck_assert(teg_together_new(&setup, &t, &d) == TEG_OK);
    teg_together_copies(t, copies);
    for (int i = 0; i < launches; i++) {
        const struct teg_together_launch how = {
            .launch = &launch[i],
            .code = (uint32_t)i,
            .from = i == 0 ? 0 : from,
            .primary = SIM_NO_LAUNCH,
            .statistics = &s[i],
            .listener = threads == 0 ? &ear : NULL,
        };

        ck_assert(teg_together_add(t, &how, &d) == TEG_OK);
    }
    while (now != UINT64_MAX)
        ck_assert_msg(teg_together_advance(t, UINT64_MAX, &now, &d) == TEG_OK,
                      "%s", d.what);
    teg_together_finish(t, &outcome);
    teg_together_free(t);
    return outcome.cycles;
}

static uint64_t stalled(const struct teg_statistics *of)
{
    uint64_t sum = 0;

    for (int r = 0; r < TEG_STALLS; r++)
        sum += of->stall[r];
    return sum;
}

START_TEST(one_alone_is_what_teg_simulate_says)
{
    struct teg_statistics *alone = &s[1];

    open_launch(0, dram);
    run(1, 0, 1, 0);
    launch[0].close(launch[0].self);
    ck_assert(teg_trace_launch(trace[0], 0, &launch[0], &d) == TEG_OK);
    ck_assert(teg_simulate(&launch[0], gpu, NULL, alone, &d) == TEG_OK);
    /* These are the chip's. */
    s[0].channel_bytes_max = alone->channel_bytes_max;
    s[0].channel_bytes_sum = alone->channel_bytes_sum;
    s[0].units_felt = alone->units_felt;
    s[0].reading_cycles = alone->reading_cycles;
    ck_assert_mem_eq(&s[0], alone, sizeof s[0]);
    ck_assert_uint_eq(ended[0], alone->cycles);
}
END_TEST

START_TEST(cycles_are_conserved_for_each_and_for_the_chip)
{
    open_launch(0, arithmetic);
    open_launch(1, dram);
    run(2, 500, 0, 0);
    for (int i = 0; i < LAUNCHES; i++) {
        ck_assert_uint_ne(s[i].warp_instructions, 0);
        ck_assert_uint_eq(s[i].warp_instructions + stalled(&s[i]),
                          s[i].resident_warp_cycles);
        ck_assert_uint_eq(s[i].cycles, ended[i] - begun[i]);
        ck_assert_uint_eq(s[i].blocks, 216);
    }
    ck_assert_uint_ge(begun[1], 500);
    ck_assert_uint_lt(begun[1], ended[0]);
    ck_assert_uint_eq(s[0].warp_instructions + s[1].warp_instructions, issued);
    ck_assert_uint_eq(s[0].resident_warp_cycles + s[1].resident_warp_cycles,
                      resident);
}
END_TEST

START_TEST(threads_change_nothing)
{
    struct teg_statistics *one = calloc(LAUNCHES, sizeof *one);

    for (uint32_t threads = 1; threads <= 3; threads += 2) {
        open_launch(0, arithmetic);
        open_launch(1, dram);
        run(2, 100, threads, 0);
        if (threads == 1) {
            memcpy(one, s, LAUNCHES * sizeof *one);
            for (int i = 0; i < LAUNCHES; i++) {
                launch[i].close(launch[i].self);
                teg_trace_close(trace[i]);
            }
        }
    }
    ck_assert_mem_eq(one, s, LAUNCHES * sizeof *one);
    free(one);
}
END_TEST

START_TEST(copies_take_their_share_of_the_dram)
{
    /* Bytes, and what the DRAM moves in a cycle. */
    double bytes = 216 * 4096 * 8.0, gbs = gpu->dram.reached_gbs > 0
                                               ? gpu->dram.reached_gbs
                                               : gpu->dram.bandwidth_gbs;
    double cycles = bytes / (gbs * 1e3 / gpu->chip.sm_clock_mhz), more;
    uint64_t whole, half;

    open_launch(0, dram);
    whole = run(1, 0, 1, 0);
    launch[0].close(launch[0].self);
    ck_assert(teg_trace_launch(trace[0], 0, &launch[0], &d) == TEG_OK);
    half = run(1, 0, 1, 0.5);
    /* What they take twice as long for; latencies stay. */
    more = (double)half - (double)whole;
    ck_assert_msg(more > 0.8 * cycles && more < 1.2 * cycles,
                  "%g cycles more, expected %g", more, cycles);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("sim/together");
    TCase *tcase = tcase_create("all");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_test(tcase, one_alone_is_what_teg_simulate_says);
    tcase_add_test(tcase, cycles_are_conserved_for_each_and_for_the_chip);
    tcase_add_test(tcase, threads_change_nothing);
    tcase_add_test(tcase, copies_take_their_share_of_the_dram);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
