/* Groups of asynchronous work in NVBit traces: what the tracer writes of them,
 * and what is taken for granted where it does not. */
#include "traces/nvbit/grouped.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_dump.h"
#include "tests/help_suite.h"

#define HEADER                                                       \
    "-kernel name = k\n-grid dim = (1,1,1)\n-block dim = (32,1,1)\n" \
    "-shmem = 128\n-nregs = 24\n-binary version = 90\n"              \
    "-accelsim tracer version = 5\n\n"                               \
    "#BEGIN_TB\n\nthread block = 0,0,0\n\nwarp = 0\ninsts = 99\n"
#define END "0900 ffffffff 0 EXIT 0 0 \n\n#END_TB\n\n"

#define COMMIT(pc)       pc " ffffffff 0 LDGDEPBAR 0 0 0\n"
#define WAIT(pc, n)      pc " ffffffff 0 DEPBAR.LE 0 0 " n "\n"
#define PRODUCT(pc, reg) pc " ffffffff 1 " reg " HGMMA.64x8x16.F32 0 0 0\n"
#define GROUP(pc, what)  pc " ffffffff 0 WARPGROUP." what "\n"

static struct teg_notes notes;

/* The lines of a dump that have `wanted` in them. */
static void expect(const char *text, const char *const *wanted)
{
    teg_status status;
    struct teg_diag d = {0};
    char *dump, *at;

    teg_notes_release(&notes);
    dump = help_dump_memory("t", text, strlen(text), NULL, &notes, &status, &d);
    ck_assert_msg(dump != NULL, "%s: %s", d.where, d.what);
    at = dump;
    for (; *wanted != NULL; wanted++) {
        char *found = strstr(at, *wanted);

        ck_assert_msg(found != NULL, "no %s in:\n%s", *wanted, dump);
        at = found + strlen(*wanted);
        ck_assert_msg(*at == '\n', "more than %s in:\n%s", *wanted, dump);
    }
    free(dump);
}

/* Decimal or hexadecimal; of DEPBAR alone. */
START_TEST(the_immediate_is_kept)
{
    static const char *const wanted[] = {"0010 ffffffff DEPBAR.LE 0x1",
                                         "0020 ffffffff DEPBAR.LE 0x12",
                                         "0030 ffffffff IADD3 R1",
                                         "0040 ffffffff WARPGROUP.DEPBAR.LE "
                                         "gsb0, 0x3",
                                         NULL};

    expect(HEADER WAIT("0010", "1")
               WAIT("0020", "0x12") "0030 ffffffff 1 R1 IADD3 0 0 7\n" GROUP(
                   "0040", "DEPBAR.LE 0 0 3") END,
           wanted);
    ck_assert_uint_eq(teg_notes_count(&notes, "depbar-count"), 0);
    ck_assert_uint_eq(teg_notes_count(&notes, "gmma-groups"), 0);
}
END_TEST

/* A pipeline of three stages: two groups in front of the loop, one in each of
 * its turns, and what is left behind it. */
START_TEST(without_it_a_depbar_waits_for_the_oldest_group)
{
    static const char *const wanted[] = {
        "0030 ffffffff DEPBAR.LE 0x1", "0050 ffffffff DEPBAR.LE 0x1",
        "0050 ffffffff DEPBAR.LE 0x1", "0060 ffffffff DEPBAR.LE 0x0", NULL};

    expect(HEADER COMMIT("0010") COMMIT("0020") WAIT("0030", "") COMMIT("0040")
               WAIT("0050", "") COMMIT("0040") WAIT("0050", "") WAIT("0060", "")
                   END,
           wanted);
    /* Each once, wherever it is executed again. */
    ck_assert_uint_eq(teg_notes_count(&notes, "depbar-count"), 3);
}
END_TEST

/* What others have waited for, with or without an immediate, is over. */
START_TEST(groups_that_were_waited_for_do_not_count)
{
    static const char *const wanted[] = {"0030 ffffffff DEPBAR.LE 0x0",
                                         "0060 ffffffff DEPBAR.LE 0x1", NULL};

    expect(HEADER COMMIT("0010") COMMIT("0020") WAIT("0030", "0") COMMIT("0040")
               COMMIT("0050") WAIT("0060", "") END,
           wanted);
    ck_assert_uint_eq(teg_notes_count(&notes, "depbar-count"), 1);
}
END_TEST

/* A warp knows nothing of the one before it. */
START_TEST(each_warp_counts_for_itself)
{
    static const char *const wanted[] = {"0010 ffffffff LDGDEPBAR",
                                         "0030 ffffffff DEPBAR.LE 0x0", NULL};

    expect(HEADER COMMIT("0010")
               COMMIT("0010") "warp = 1\ninsts = 9\n" COMMIT("0020")
                   WAIT("0030", "") END,
           wanted);
}
END_TEST

START_TEST(the_last_product_before_an_arrive_or_depbar_commits)
{
    static const char *const wanted[] = {
        "0020 ffffffff HGMMA.64x8x16.F32 R24",
        "0030 ffffffff HGMMA.64x8x16.F32 R24, gsb0",
        "0050 ffffffff HGMMA.64x8x16.F32 R32, gsb0",
        "0060 ffffffff WARPGROUP.DEPBAR.LE gsb0, 0x1", NULL};

    expect(HEADER GROUP("0010", "ARRIVE 0 0 0") PRODUCT("0020", "R24")
               PRODUCT("0030", "R24") GROUP("0040", "ARRIVE 0 0 0")
                   PRODUCT("0050", "R32") GROUP("0060", "DEPBAR.LE 0 0 1") END,
           wanted);
    ck_assert_uint_eq(teg_notes_count(&notes, "gmma-groups"), 2);
    teg_notes_release(&notes);
}
END_TEST

HELP_MAIN("traces/nvbit groups", 10, {the_immediate_is_kept, 0},
          {without_it_a_depbar_waits_for_the_oldest_group, 0},
          {groups_that_were_waited_for_do_not_count, 0},
          {each_warp_counts_for_itself, 0},
          {the_last_product_before_an_arrive_or_depbar_commits, 0})
