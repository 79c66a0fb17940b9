/* Constants in the texts of instructions. */
#include "isa/inst/constant.h"

#include "tests/help_suite.h"

START_TEST(a_place_that_the_text_says_is_found)
{
    static const struct {
        const char *text;
        uint64_t address;
    } list[] = {
        {"MOV R1, c[0x0][0x28]", 0x28},
        {"@!P0 FADD R1, -R2, |c[0x3][0x14c]|", 3ull << 32 | 0x14c},
        {"FFMA R1, R2, c[0x2][0x8], R4", 2ull << 32 | 8},
        {"ULDC.64 UR4, c[0x0][0x118]", 0x118},
        {"LDC R1, c[0x3][0x0]", 3ull << 32},
    };
    uint64_t address;

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        ck_assert(teg_text_constant(list[i].text, &address));
        ck_assert_uint_eq(address, list[i].address);
    }
}
END_TEST

START_TEST(one_that_a_register_says_is_not)
{
    static const char *const list[] = {
        "",
        "MOV",
        "LDC R1, c[0x3][R4]",
        "LDC R1, c[0x3][R4+0x10]",
        "FADD R1, R2, cx[UR4][0x10]",
        "LDG.E R2, desc[UR4][R2.64]",
        "HGMMA.64x64x16.F32 R24, gdesc[UR8], R24",
        "FADD R1, R2, c[0x3][0x10",
        "FADD R1, R2, c[0x3",
        "FADD R1, R2, c[0x123456789][0x10]",
    };
    uint64_t address;

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        ck_assert_msg(!teg_text_constant(list[i], &address), "%s", list[i]);
}
END_TEST

HELP_MAIN("isa/inst/constant", 30, {a_place_that_the_text_says_is_found, 0},
          {one_that_a_register_says_is_not, 0})
