/* The bundled sketches are the kernels they say. */
#include <stdio.h>

#include "tests/help_suite.h"
#include "traces/sketch/sketch.h"

/* The dependent-addition benchmark, against the listing it comes from. */
START_TEST(the_fadd_chain_is_listing_3_3)
{
    struct teg_sketch *s;
    const struct teg_program *p;
    struct teg_diag d;

    ck_assert_int_eq(
        teg_sketch_open("tests/kernels/gt200/fadd_chain.sketch", NULL, &s, &d),
        TEG_OK);
    p = &teg_sketch_kernel(s)->program;
    ck_assert_uint_eq(p->count, 2 + 21 + 2);
    ck_assert_str_eq(teg_program_text(p, &p->inst[0]), "S2R R3, SR1");
    ck_assert_str_eq(teg_program_text(p, &p->inst[1]), "SHL R3, R3, 0x1");
    for (uint32_t i = 2; i < 23; i++)
        ck_assert_str_eq(teg_program_text(p, &p->inst[i]), "FADD32 R4, R4, R2");
    ck_assert_str_eq(teg_program_text(p, &p->inst[23]), "S2R R4, SR1");
    ck_assert_str_eq(teg_program_text(p, &p->inst[24]), "SHL R4, R4, 0x1");
    teg_sketch_close(s);
}
END_TEST

/* Warp instructions of the whole grid, from the comment or by counting. */
static const struct {
    const char *file;
    uint64_t insts;
} KERNELS[] = {
    {"gt200/fadd_chain", 25},
    {"gt200/fadd_shared", 25},
    {"gt200/fmad_stream", 512},
    {"gt200/fadd_stream", 512},
    {"gt200/fmul_stream", 512},
    {"gt200/dadd_stream", 512},
    {"gt200/gld_stream", 64},
    {"gt200/double_gld_stream", 30 * 16 * 32},
    {"gt200/scatter", 30 * 4 * 16},
    {"gt200/latency", 25},
    {"gt200/throughput", 256},
    {"gt200/coalesce", 16},
    {"gt200/skew", 30 * 8 * 32},
    {"gt200/hong_bandwidth", 30 * 16 * 240 * 5},
    /* with 7 + 2*24 + 2*18 + 12 + 72 + 24 of each of four directions */
    {"gt200/hopping", 4 * (31 + 4 * 199 + 53)},
    {"gt200/blackscholes", 120 * (10 + 16 * 77 + 1)},
    {"gt200/matmul_abt", 8 * (50 + 10 * (10 + 32 + 2) + 20)},
    /* 3125 warps are full, the three that are left exit at line 6 */
    {"sm70/vecadd_demo", 3125 * 15 + 3 * 6},
    {"sm70/stream", 16384 * 8 * 16},
    {"sm70/uncoalesced", 2048 * 8 * 132},
    {"sm70/compute", 160 * 8 * 1623},
    {"sm70/matmul", 360 * 8 * 763},
    {"sm70/ffma_chain", 260},
};

static uint64_t count_insts(const struct teg_sketch *s)
{
    struct teg_launch launch;
    struct teg_block *block;
    struct teg_diag d;
    uint64_t insts = 0;

    ck_assert_int_eq(teg_sketch_launch(s, &launch, &d), TEG_OK);
    for (;;) {
        ck_assert_msg(launch.next(launch.self, &block, &d) == TEG_OK, "%s: %s",
                      d.where, d.what);
        if (block == NULL)
            break;
        for (uint32_t i = 0; i < teg_block_warps(block); i++)
            insts += teg_block_warp_insts(block, i);
        teg_block_free(block);
    }
    ck_assert_uint_eq(launch.kernel->notes.count, 0);
    launch.close(launch.self);
    return insts;
}

START_TEST(bundled_kernels_have_the_instructions_they_say)
{
    char path[100];
    struct teg_sketch *s;
    struct teg_diag d;
    const struct teg_program *p;

    snprintf(path, sizeof path, "tests/kernels/%s.sketch", KERNELS[_i].file);
    ck_assert_msg(teg_sketch_open(path, NULL, &s, &d) == TEG_OK, "%s: %s",
                  d.where, d.what);
    p = &teg_sketch_kernel(s)->program;
    for (uint32_t i = 0; i < p->count; i++)
        ck_assert_msg((p->inst[i].flags & INST_UNKNOWN) == 0, "%s",
                      teg_program_text(p, &p->inst[i]));
    ck_assert_uint_eq(count_insts(s), KERNELS[_i].insts);
    teg_sketch_close(s);
}
END_TEST

/* By the conflict rule of 16 banks: the most distinct words of one bank that a
 * half-warp touches. */
static uint32_t conflict_degree(const struct teg_access *a)
{
    uint32_t degree = 0;

    for (uint32_t bank = 0; bank < 16; bank++) {
        uint32_t hits = 0;

        for (uint32_t l = 0; l < 16; l++)
            hits += teg_access_lane(a, l) / 4 % 16 == bank;
        degree = hits > degree ? hits : degree;
    }
    return degree;
}

START_TEST(fadd_shared_has_the_conflict_degree_asked_for)
{
    uint32_t ways = 1 + (uint32_t)_i;
    char set[20];
    const char *option = set;
    struct teg_sketch_options options = {.set = &option, .set_count = 1};
    struct teg_sketch *s;
    struct teg_launch launch;
    struct teg_block *block;
    struct teg_cursor c;
    struct teg_access access;
    struct teg_diag d;

    snprintf(set, sizeof set, "WAYS=%u", ways);
    ck_assert_int_eq(teg_sketch_open("tests/kernels/gt200/fadd_shared.sketch",
                                     &options, &s, &d),
                     TEG_OK);
    ck_assert_int_eq(teg_sketch_launch(s, &launch, &d), TEG_OK);
    ck_assert_int_eq(launch.next(launch.self, &block, &d), TEG_OK);
    teg_cursor_init(&c, block, 0);
    while (teg_cursor_next(&c))
        if (teg_cursor_access(&c, &access))
            ck_assert_uint_eq(conflict_degree(&access), ways);
    teg_block_free(block);
    launch.close(launch.self);
    teg_sketch_close(s);
}
END_TEST

HELP_MAIN("sketch_bundled", 60, {the_fadd_chain_is_listing_3_3, 0},
          {bundled_kernels_have_the_instructions_they_say,
           sizeof KERNELS / sizeof *KERNELS},
          {fadd_shared_has_the_conflict_degree_asked_for, 16})
