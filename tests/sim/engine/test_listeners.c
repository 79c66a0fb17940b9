/* Who listens hears, however many there are. */
#include "sim/teg.h"

#include "tests/help_suite.h"

enum {
    LISTENERS = 40,
    INSTRUCTIONS = 7
};

static void count(void *self, const struct sim_issue *e)
{
    uint32_t *heard = self;

    ck_assert_uint_eq(e->inst, *heard);
    (*heard)++;
}

START_TEST(every_listener_hears_every_instruction)
{
    static const char text[] =
        "sketch 1\nisa gt200\ngrid 1\nblock 32\n"
        "FADD R1, R2, R3\nFADD R1, R2, R3\nFADD R1, R2, R3\n"
        "FADD R1, R2, R3\nFADD R1, R2, R3\nFADD R1, R2, R3\nEXIT\n";
    static struct teg_statistics statistics;
    uint32_t heard[LISTENERS] = {0};
    struct sim_listener listener[LISTENERS];
    struct teg_simulation_options options = {.listener = listener,
                                             .listener_count = LISTENERS};
    struct teg_trace *trace;
    struct teg_launch launch;
    struct teg_gpu *gpu;
    struct teg_diag d;

    for (int i = 0; i < LISTENERS; i++)
        listener[i] =
            (struct sim_listener){.self = &heard[i], .on_issue = count};
    ck_assert_msg(teg_gpu_load("config/gtx280.cfg", &gpu, &d) == TEG_OK, "%s",
                  d.what);
    ck_assert_msg(teg_trace_open_memory("body.sketch", (const uint8_t *)text,
                                        sizeof text - 1, NULL, &trace,
                                        &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    ck_assert_int_eq(teg_trace_launch(trace, 0, &launch, &d), TEG_OK);
    ck_assert_msg(teg_simulate(&launch, gpu, &options, &statistics, &d) ==
                      TEG_OK,
                  "%s", d.what);
    for (int i = 0; i < LISTENERS; i++)
        ck_assert_uint_eq(heard[i], INSTRUCTIONS);
    ck_assert_uint_eq(statistics.warp_instructions, INSTRUCTIONS);
    launch.close(launch.self);
    teg_trace_close(trace);
    teg_gpu_free(gpu);
}
END_TEST

HELP_MAIN("sim/engine listeners", 30,
          {every_listener_hears_every_instruction, 0})
