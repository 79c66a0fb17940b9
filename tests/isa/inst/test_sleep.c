/* How long instructions have their warp sleep, by their texts. */
#include "isa/inst/sleep.h"

#include "tests/help_suite.h"

START_TEST(a_number_in_the_text_is_nanoseconds)
{
    static const struct {
        const char *text;
        uint32_t ns;
    } list[] = {
        {"NANOSLEEP 0x1c2", 450},
        {"NANOSLEEP 350", 350},
        {"@!P0 NANOSLEEP 0x14", 20},
        {"NANOSLEEP P1, 0x64", 100},
        {"NANOSLEEP.WARP 0x40", 64},
        {"NANOSLEEP 0xf4240", TEG_SLEEP_MAX},
        {"NANOSLEEP 0xf4241", TEG_SLEEP_MAX},
        {"NANOSLEEP 0xffffffff", TEG_SLEEP_MAX},
        {"NANOSLEEP 0x0", 0},
    };
    uint32_t ns;

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        ck_assert(teg_sleep_is_timed(list[i].text) &&
                  teg_sleep_told(list[i].text, &ns));
        ck_assert_uint_eq(ns, list[i].ns);
    }
}
END_TEST

START_TEST(what_has_none_does_not_sleep)
{
    static const char *const list[] = {
        "",
        "NANOSLEEP",
        "NANOSLEEP R4",
        "NANOSLEEP P0, R4",
        "YIELD",
        "NOP 0x10",
        "NANOSLEEPS 0x10",
        "MOV R1, 0x10",
        "@!P0 NANOSLEEP.SYNCS 0x989680",
        "NANOSLEEP.WARP.SYNCS 0x989680",
    };
    uint32_t ns = 1;

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        ck_assert(!teg_sleep_told(list[i], &ns));
    ck_assert_uint_eq(ns, 0);
}
END_TEST

HELP_MAIN("isa/inst/sleep", 4, {a_number_in_the_text_is_nanoseconds, 0},
          {what_has_none_does_not_sleep, 0})
