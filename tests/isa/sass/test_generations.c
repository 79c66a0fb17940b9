/*
 * Words belong to generations: what one does not have is UNKNOWN there, never
 * another operation.  generations.def holds what NVIDIA's disassembler says.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "isa/sass/sass.h"
#include "tests/help_suite.h"

static const uint32_t generations[] = {75,  80,  86,  89,  90,
                                       100, 103, 110, 120, 121};

enum {
    GENERATIONS = sizeof generations / sizeof generations[0]
};

static const struct {
    uint64_t upper, lower;
    unsigned known;
} words[] = {
#define GENERATION_WORD(upper, lower, known) {upper, lower, known},
#include "tests/isa/sass/generations.def"
#undef GENERATION_WORD
};

static struct teg_sass decoded(uint64_t upper, uint64_t lower, uint32_t cc)
{
    uint8_t bytes[TEG_SASS_BYTES];
    struct teg_sass s;

    for (unsigned i = 0; i < 8; i++) {
        bytes[i] = (uint8_t)(lower >> 8 * i);
        bytes[8 + i] = (uint8_t)(upper >> 8 * i);
    }
    teg_sass_decode(&s, bytes, 0, cc);
    return s;
}

START_TEST(a_word_is_known_to_the_generations_that_have_it_alone)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        for (unsigned n = 0; n < GENERATIONS; n++) {
            struct teg_sass s =
                decoded(words[i].upper, words[i].lower, generations[n]);
            int known = (words[i].known >> n & 1) != 0;

            ck_assert_msg((s.name != NULL) == known,
                          "0x%016" PRIx64 "%016" PRIx64 " on sm_%u: %s",
                          words[i].upper, words[i].lower, generations[n],
                          s.name != NULL ? s.name : "unknown");
        }
    }
}
END_TEST

/* One word, three meanings: a product of halves up to Hopper, nothing on the
 * chips of sm_100, an addition of 64 bits on those of sm_120. */
START_TEST(one_word_is_what_its_generation_makes_of_it)
{
    static const struct {
        uint32_t cc;
        const char *text;
    } expected[] = {
        {75, "UNKNOWN 0x040fe400078e02000000100002087835 ;"},
        {90, "HFMA2.MMA R8, |R2|.reuse, 0, 0.00048828125, |R0| ;"},
        {100, "UNKNOWN 0x040fe400078e02000000100002087835 ;"},
        {110, "UNKNOWN 0x040fe400078e02000000100002087835 ;"},
        {120, "IADD.64 R8, R2.reuse, 0x1000 ;"},
        {121, "IADD.64 R8, R2.reuse, 0x1000 ;"},
    };

    for (size_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        struct teg_sass s =
            decoded(0x040fe400078e0200, 0x0000100002087835, expected[i].cc);
        char text[TEG_SASS_TEXT];

        teg_sass_text(&s, text);
        ck_assert_str_eq(text, expected[i].text);
    }
}
END_TEST

START_TEST(the_list_of_generations_is_what_is_supported)
{
    char list[TEG_SASS_TEXT], number[16];

    teg_sass_generations(list);
    for (unsigned n = 0; n < GENERATIONS; n++) {
        snprintf(number, sizeof number, "%u", generations[n]);
        ck_assert(teg_sass_supports(generations[n]));
        ck_assert_ptr_nonnull(strstr(list, number));
    }
    ck_assert(!teg_sass_supports(101));
    ck_assert(!teg_sass_supports(130));
    ck_assert(!teg_sass_supports(100 + 256));
}
END_TEST

HELP_MAIN("generations", 60,
          {a_word_is_known_to_the_generations_that_have_it_alone, 0},
          {one_word_is_what_its_generation_makes_of_it, 0},
          {the_list_of_generations_is_what_is_supported, 0})
