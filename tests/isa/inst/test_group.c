/* What an instruction's text says of groups of asynchronous work. */
#include "isa/inst/group.h"

#include <check.h>
#include <string.h>

#include "tests/help_suite.h"

/* As NVIDIA's disassembler prints them, and as the NVBit readers do. */
START_TEST(texts_say_who_joins_commits_and_waits)
{
    static const struct {
        const char *text;
        struct teg_group group;
    } rows[] = {
        {"LDGSTS.E.BYPASS.128 [R13], [R10.64] ;",
         {GROUP_JOINS, GROUP_COPIES, TEG_GROUP_ANY, 0, 0}},
        {"@P0 LDGSTS.E [R13+0x2000], [R6.64+-0x800] ;",
         {GROUP_JOINS, GROUP_COPIES, TEG_GROUP_ANY, 0, 0}},
        {"LDGDEPBAR ;", {GROUP_COMMITS, GROUP_COPIES, TEG_GROUP_ANY, 0, 0}},
        {"DEPBAR.LE SB0, 0x2 ;", {GROUP_WAITS, GROUP_COPIES, 0, 2, 0}},
        {"DEPBAR.LE SB5, 0x3f, {4,3} ;",
         {GROUP_WAITS, GROUP_COPIES, 5, 63, 0x18}},
        {"DEPBAR.LE 0x1", {GROUP_WAITS, GROUP_COPIES, TEG_GROUP_ANY, 1, 0}},
        {"DEPBAR.LE",
         {GROUP_WAITS, GROUP_COPIES, TEG_GROUP_ANY, TEG_GROUP_OPEN_UNSAID, 0}},
        {"DEPBAR.LE SB1, {0}",
         {GROUP_WAITS, GROUP_COPIES, 1, TEG_GROUP_OPEN_UNSAID, 1}},
        {"DEPBAR.LE SB1, 1000",
         {GROUP_WAITS, GROUP_COPIES, 1, TEG_GROUP_OPEN_MAX, 0}},
        {"DEPBAR {5,2,1} ;", {0, GROUP_COPIES, TEG_GROUP_ANY, 0, 0x26}},
        {"UTMASTG.2D [UR8], [UR4], desc[UR14] ;",
         {GROUP_JOINS, GROUP_BULK, TEG_GROUP_ANY, 0, 0}},
        {"@UP0 UTMAREDG.2D.ADD [UR8], [UR4] ;",
         {GROUP_JOINS, GROUP_BULK, TEG_GROUP_ANY, 0, 0}},
        {"UBLKCP.G.S [UR4], [UR8], UR6 ;",
         {GROUP_JOINS, GROUP_BULK, TEG_GROUP_ANY, 0, 0}},
        {"UBLKRED.G.S.ADD.U32 [UR4], [UR8], UR6 ;",
         {GROUP_JOINS, GROUP_BULK, TEG_GROUP_ANY, 0, 0}},
        {"UTMACMDFLUSH ;", {GROUP_COMMITS, GROUP_BULK, TEG_GROUP_ANY, 0, 0}},
        {"UBLKCP.S.G [UR4], [UR8], UR6 ;", {0}}, /* an mbarrier hears of it */
        {"UTMALDG.2D [UR4], [UR8] ;", {0}},
        {"HGMMA.64x8x16.F32 R24, gdesc[UR4], RZ, !UPT ;",
         {GROUP_JOINS, GROUP_PRODUCTS, TEG_GROUP_ANY, 0, 0}},
        {"QGMMA.64x8x32.F32.E5M2.E4M3 R24, gdesc[UR8], R24, gsb3 ;",
         {GROUP_JOINS | GROUP_COMMITS, GROUP_PRODUCTS, 3, 0, 0}},
        {"WARPGROUP.DEPBAR.LE gsb0, 0x3 ;",
         {GROUP_WAITS, GROUP_PRODUCTS, 0, 3, 0}},
        {"WARPGROUP.ARRIVE ;",
         {GROUP_MEETS, GROUP_PRODUCTS, TEG_GROUP_ANY, 0, 0}},
        {"LDGX R1", {0}},
        {"DEPBARX.LE SB0, 0x1", {0}},
        {"BAR.SYNC {1}", {0}},
        {"", {0}},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct teg_group g = teg_group_of(rows[i].text);

        ck_assert_msg(memcmp(&g, &rows[i].group, sizeof g) == 0,
                      "'%s': %u %u %u %u %x", rows[i].text, g.does, g.kind,
                      g.number, g.open, g.barriers);
    }
}
END_TEST

HELP_MAIN("isa/inst group", 10, {texts_say_who_joins_commits_and_waits, 0})
