/* Waits for groups of asynchronous work, instruction after instruction. */
#include "traces/study/waits.h"

#include <check.h>

#include "tests/help_suite.h"

enum {
    NONE = WAIT_FAULT_NONE,
    OPEN = WAIT_FAULT_UNCOMMITTED,
    NOTHING = WAIT_FAULT_NOTHING,
    ANY = 7, /* no dependence barrier */
};

static struct teg_waits waits;

/* Of an instruction whose control codes, if known, set a barrier. */
static int step(const char *text, int known, uint8_t sets)
{
    struct teg_inst inst = {.group = teg_group_of(text)};

    inst.control.known = known != 0;
    inst.control.write_barrier = sets;
    inst.control.read_barrier = ANY;
    return (int)teg_waits_step(&waits, &inst);
}

static void begin(void)
{
    waits = (struct teg_waits){0};
}

START_TEST(copies_are_waited_for_by_their_groups)
{
    for (int known = 0; known < 2; known++) {
        begin();
        ck_assert_int_eq(step("LDGSTS.E [R1], [R2.64]", known, ANY), NONE);
        ck_assert_int_eq(step("DEPBAR.LE SB0, 0x0", known, ANY), OPEN);
        ck_assert_int_eq(step("LDGDEPBAR", known, 0), NONE);
        ck_assert_int_eq(step("DEPBAR.LE SB0, 0x0", known, ANY), NONE);
    }
}
END_TEST

START_TEST(a_group_of_nothing_is_one)
{
    begin();
    step("LDGDEPBAR", 1, 0);
    ck_assert_int_eq(step("DEPBAR.LE SB0, 0x0", 1, ANY), NONE);
}
END_TEST

START_TEST(without_a_group_there_is_nothing_to_wait_for)
{
    begin();
    ck_assert_int_eq(step("DEPBAR.LE SB0, 0x0", 1, ANY), NOTHING);
    /* A barrier that a load has set, and another one. */
    step("LDG.E R4, [R2.64]", 1, 2);
    ck_assert_int_eq(step("DEPBAR.LE SB2, 0x1", 1, ANY), NONE);
    ck_assert_int_eq(step("DEPBAR.LE SB1, 0x1", 1, ANY), NOTHING);
    /* Who sets which is not known without control codes. */
    begin();
    ck_assert_int_eq(step("DEPBAR.LE SB0, 0x0", 0, ANY), NONE);
}
END_TEST

START_TEST(products_commit_themselves)
{
    begin();
    ck_assert_int_eq(step("WARPGROUP.DEPBAR.LE gsb0, 0x0", 1, ANY), NOTHING);
    step("HGMMA.64x64x16.F32 R24, gdesc[UR4], R24", 1, ANY);
    ck_assert_int_eq(step("WARPGROUP.DEPBAR.LE gsb0, 0x0", 1, ANY), OPEN);
    step("HGMMA.64x64x16.F32 R24, gdesc[UR4], R24, gsb0", 1, ANY);
    ck_assert_int_eq(step("WARPGROUP.DEPBAR.LE gsb0, 0x0", 1, ANY), NONE);
    /* Copies are others. */
    ck_assert_int_eq(step("DEPBAR.LE SB0, 0x0", 1, ANY), NOTHING);
    begin();
    ck_assert_int_eq(step("WARPGROUP.DEPBAR.LE", 0, ANY), NONE);
}
END_TEST

START_TEST(stores_by_tensor_map_are_copies_too)
{
    begin();
    step("UTMASTG.2D [UR8], [UR4]", 1, ANY);
    ck_assert_int_eq(step("DEPBAR.LE SB0, 0x0", 1, ANY), OPEN);
    step("UTMACMDFLUSH", 1, ANY);
    ck_assert_int_eq(step("DEPBAR.LE SB0, 0x0", 1, ANY), NONE);
}
END_TEST

HELP_MAIN("traces/study/waits", 10, {copies_are_waited_for_by_their_groups, 0},
          {a_group_of_nothing_is_one, 0},
          {without_a_group_there_is_nothing_to_wait_for, 0},
          {products_commit_themselves, 0},
          {stores_by_tensor_map_are_copies_too, 0})
