/*
 * Whole waves: a launch whose last wave does not fill the SMs takes the share
 * of the others' time that its blocks have, and counts all of them.
 */
#include "sim/sample/whole_waves.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/teg.h"
#include "tests/help_gpu.h"
#include "tests/help_suite.h"
#include "traces/trace.h"

static struct teg_gpu gpu;
static struct teg_statistics s;
static struct teg_diag d;

START_TEST(waves_are_of_all_places_or_of_all_sms)
{
    /* 3 SMs with 2 places: 6 a wave */
    ck_assert_uint_eq(whole_waves_blocks(13, 3, 2, 1), 12);
    ck_assert_uint_eq(whole_waves_blocks(12, 3, 2, 1), 12);
    ck_assert_uint_eq(whole_waves_blocks(11, 3, 2, 1), 6);
    ck_assert_uint_eq(whole_waves_blocks(5, 3, 2, 1), 3);
    ck_assert_uint_eq(whole_waves_blocks(3, 3, 2, 1), 3);
    ck_assert_uint_eq(whole_waves_blocks(2, 3, 2, 1), 2);
    ck_assert_uint_eq(whole_waves_blocks(0, 3, 2, 1), 0);
    /* a cluster of 4 stays together */
    ck_assert_uint_eq(whole_waves_blocks(13, 3, 2, 4), 12);
    ck_assert_uint_eq(whole_waves_blocks(8, 5, 1, 4), 4);
}
END_TEST

/* Blocks of one warp on 4 SMs of two places each. */
static void simulate(uint32_t blocks, uint32_t whole_waves)
{
    char text[400];
    struct teg_trace *trace;
    struct teg_launch launch;

    help_gpu_plain(&gpu);
    gpu.chip.sms = 4;
    gpu.sm.blocks_max = 2;
    gpu.chip.whole_waves = whole_waves;
    snprintf(text, sizeof text,
             "sketch 1\nisa sm_70\ngrid %u\nblock 32\nregisters 16\n"
             "loop i 40\nFFMA R4, R4, R5, R6\nend\nEXIT\n",
             blocks);
    ck_assert_msg(teg_trace_open_memory("test", (const uint8_t *)text,
                                        strlen(text), NULL, &trace,
                                        &d) == TEG_OK &&
                      teg_trace_launch(trace, 0, &launch, &d) == TEG_OK &&
                      teg_simulate(&launch, &gpu, NULL, &s, &d) == TEG_OK,
                  "%s: %s", d.where, d.what);
    if (launch.close != NULL)
        launch.close(launch.self);
    teg_trace_close(trace);
}

START_TEST(the_last_wave_takes_its_share)
{
    uint64_t wave, insts;

    simulate(8, 0);
    wave = s.cycles;
    simulate(9, 0);
    ck_assert_uint_gt(s.cycles, wave + wave / 2);
    insts = s.warp_instructions;
    simulate(9, 1);
    ck_assert_uint_eq(s.cycles, (uint64_t)((double)wave * 9 / 8 + 0.5));
    ck_assert_uint_eq(s.blocks, 9);
    ck_assert_uint_eq(s.warps, 9);
    ck_assert_uint_eq(s.warp_instructions, insts);
    ck_assert_uint_eq(s.occupancy.blocks_per_sm, 2);
}
END_TEST

START_TEST(whole_waves_stay_as_they_are)
{
    for (uint32_t blocks = 1; blocks <= 24; blocks += 7) { /* 1, 8, 15, 22 */
        uint64_t cycles;

        simulate(blocks, 0);
        cycles = s.cycles;
        simulate(blocks, 1);
        if (blocks < 4 || blocks % 8 == 0)
            ck_assert_uint_eq(s.cycles, cycles);
        else
            ck_assert_uint_lt(s.cycles, cycles);
    }
}
END_TEST

HELP_MAIN("sim/sample/whole_waves", 20,
          {waves_are_of_all_places_or_of_all_sms, 0},
          {the_last_wave_takes_its_share, 0}, {whole_waves_stay_as_they_are, 0})
