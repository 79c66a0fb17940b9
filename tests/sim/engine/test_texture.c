/* What fetches from textures cost: quads, wide texels, the way to the caches. */
#include "tests/sim/engine/runs.h"

enum {
    BUFFERS = 4,
    BASE = 0x10000,
};

static uint64_t value[BUFFERS][TEG_LANES * (1 + TEG_VALUES_MAX)];

static void setup_textures(void)
{
    setup();
    gpu.texture.quad_interval = 1;
    gpu.texture.texel_bytes = 8;
    gpu.texture.wide_filter = 4;
    gpu.memory.transaction_interval = 0.25;
    gpu.l1.bytes = 4096;
    gpu.l1.latency = 30;
    gpu.l2.bytes = 65536;
    gpu.l2.latency = 200;
    gpu.dram.latency = 500;
    set_timing(CLASS_TEX, 80, 1, 1);
}

static uint32_t fetch(uint16_t flags)
{
    struct teg_inst inst = {.op_class = CLASS_TEX,
                            .space = SPACE_TEXTURE,
                            .flags = flags,
                            .values = VALUES_TEXELS,
                            .dst_count = 1,
                            .dst = {{4, 1}}};

    return help_inst(&launch.kernel.program, inst, "TEX R4, R2, 2D");
}

/* Lane after lane `texels` of so many bytes from BASE on. */
static struct help_step touches(uint32_t inst, uint32_t buffer, uint32_t mask,
                                uint64_t bytes, int is_filtered, int texels)
{
    for (uint32_t l = 0; l < TEG_LANES; l++) {
        uint64_t *of = &value[buffer][TEG_LANES + l];

        of[0] = bytes + (is_filtered ? 256 : 0);
        for (int i = 0; i < TEG_TEXELS_MAX; i++)
            of[TEG_LANES * (i + 1)] =
                i < texels ? BASE + bytes * (l + (uint64_t)i) : UINT64_MAX;
    }
    return (struct help_step){inst, mask, 0, 0, value[buffer]};
}

/* Cycles for which a fetch keeps its unit from the next warp's. */
static uint64_t held(uint32_t mask, uint64_t bytes, int is_filtered, int texels)
{
    uint32_t inst = fetch(INST_LOAD);
    const struct help_step step =
        touches(inst, 0, mask, bytes, is_filtered, texels);

    run_steps(&step, 1, 2);
    ck_assert_uint_eq(heard.issues, 2);
    ck_assert_uint_eq(heard.issue[1].stall[STALL_TEX_THROTTLE],
                      heard.issue[1].cycle - 1);
    setup_textures();
    return heard.issue[1].cycle;
}

START_TEST(a_unit_takes_quads_one_after_the_other)
{
    setup_textures();
    ck_assert_uint_eq(held(UINT32_MAX, 4, 0, 1), 8);
    ck_assert_uint_eq(held(0xf0, 4, 0, 1), 1);
    /* one lane of each of three quads */
    ck_assert_uint_eq(held(0x1008001, 4, 0, 1), 3);
    ck_assert_uint_eq(held(UINT32_MAX, 4, 1, 4), 8);
    ck_assert_uint_eq(held(UINT32_MAX, 4, 1, 8), 16);
}
END_TEST

START_TEST(wide_texels_take_longer)
{
    setup_textures();
    ck_assert_uint_eq(held(UINT32_MAX, 8, 1, 4), 8);
    ck_assert_uint_eq(held(UINT32_MAX, 16, 0, 1), 16);
    ck_assert_uint_eq(held(UINT32_MAX, 16, 1, 4), 32);
}
END_TEST

/* When the second of two equal fetches, long after the first, has its texels. */
static uint64_t latency(uint32_t round)
{
    struct help_step step[3];
    uint32_t inst = fetch(INST_LOAD);

    step[0] = step[2] = touches(inst, 0, UINT32_MAX, 4, 0, 1);
    step[1] = (struct help_step){
        help_arith(&launch.kernel.program, CLASS_FADD, 5, 4, 255, 255),
        UINT32_MAX, 0, 0, NULL};
    run_steps(step, 3, 1);
    ck_assert_uint_eq(heard.issues, 3);
    return heard.issue[round].done - heard.issue[round].cycle;
}

/* A hit takes what the class does; what comes from farther away, as much more
 * than a load as a hit takes more than a load's. */
START_TEST(misses_pass_through_the_unit_besides)
{
    setup_textures();
    ck_assert_uint_eq(latency(0), 500 + 80 - 30);
    setup_textures();
    ck_assert_uint_eq(latency(2), 80);
    ck_assert_uint_eq(heard.l1_hits, 4);
}
END_TEST

START_TEST(a_cache_of_their_own_has_the_latency_of_the_class)
{
    setup_textures();
    gpu.texture.l1_bytes = 4096;
    ck_assert_uint_eq(latency(0), 500);
    setup_textures();
    gpu.texture.l1_bytes = 4096;
    gpu.l1.bytes = 0;
    ck_assert_uint_eq(latency(2), 80);
}
END_TEST

/* A load's line is none of theirs there. */
START_TEST(textures_of_their_own_do_not_find_what_loads_brought)
{
    for (uint32_t own = 0; own < 2; own++) {
        struct help_step step[3];
        uint32_t load;

        setup_textures();
        gpu.texture.l1_bytes = 4096 * own;
        load = help_memory(&launch.kernel.program, CLASS_LDG, SPACE_GLOBAL,
                           INST_LOAD, 4, 4, 255);
        step[0] = (struct help_step){load, UINT32_MAX, BASE, 4, NULL};
        step[1] = (struct help_step){
            help_arith(&launch.kernel.program, CLASS_FADD, 5, 4, 255, 255),
            UINT32_MAX, 0, 0, NULL};
        step[2] = touches(fetch(INST_LOAD), 0, UINT32_MAX, 4, 0, 1);
        run_steps(step, 3, 1);
        ck_assert_uint_eq(heard.issue[2].done - heard.issue[2].cycle,
                          own ? 200 : 80);
    }
}
END_TEST

HELP_MAIN("sim/engine/texture", 60, {a_unit_takes_quads_one_after_the_other, 1},
          {wide_texels_take_longer, 1},
          {misses_pass_through_the_unit_besides, 1},
          {a_cache_of_their_own_has_the_latency_of_the_class, 1},
          {textures_of_their_own_do_not_find_what_loads_brought, 1})
