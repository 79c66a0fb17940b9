/*
 * Control words before Volta.  Words are those of ptxas 12.9 (sm_52) and 11.8
 * (sm_35); what is expected was worked out by hand from the fields as the
 * sources of older.h have them, and agrees with the marks .reuse and the braces
 * around pairs of NVIDIA's disassembler (CUDA 12.3).
 */
#include "isa/sass/older.h"

#include <string.h>

#include "isa/sass/sass.h"
#include "tests/help_suite.h"

enum {
    WORDS = 8
};

static void put(uint8_t *code, const uint64_t *word, unsigned count)
{
    for (unsigned i = 0; i < 8 * count; i++)
        code[i] = (uint8_t)(word[i / 8] >> 8 * (i % 8));
}

static void says(const uint64_t *word, unsigned count, unsigned at, uint32_t cc,
                 const char *text)
{
    uint8_t code[8 * WORDS];
    char out[TEG_OLDER_TEXT];
    struct teg_older o;

    put(code, word, count);
    teg_older_decode(&o, code, 8 * (uint64_t)at, cc);
    ck_assert(!o.is_control);
    ck_assert_uint_eq(o.word, word[at]);
    teg_older_control_text(&o, cc, out);
    ck_assert_str_eq(out, text);
}

START_TEST(a_word_of_maxwell_tells_of_three)
{
    /* the second: MOV R7, RZ and S2R R3, SR_TID.X, a pair */
    static const uint64_t words[] = {0x001fc000e2a007f0, 0x4c98078005870005,
                                     0xf0c8000002570004, 0x5c9807800ff70007,
                                     0x081fd800fca207f1, 0x3848000000270004,
                                     0x3829000001e70000, 0x4c10800005070402};

    says(words, 8, 1, 52, "B------ R- W- - S00 D ----");
    says(words, 8, 2, 52, "B------ R- W0 - S05 - ----");
    says(words, 8, 3, 61, "B------ R- W- - S00 D ----");
    says(words, 8, 5, 52, "B------ R- W- - S01 - 1---");
    says(words, 8, 6, 52, "B------ R- W- Y S05 - ----");
    says(words, 8, 7, 60, "B------ R- W- - S06 - 1---");
}
END_TEST

/* 0x28: eight cycles; 0x04 with the next; 0x2f; 0xc0 two flags; 0: 32. */
START_TEST(a_word_of_kepler_tells_of_seven)
{
    static const uint64_t bytes[] = {0x28, 0x04, 0x2f, 0xe3, 0x00, 0x3f, 0x20};
    static const char *const texts[] = {
        "28 S08 - --", "04 S00 D --", "2f S15 - --", "e3 S03 - GT",
        "00 S32 - --", "3f S31 - --", "20 S00 - --"};
    uint64_t gk110[WORDS] = {UINT64_C(0x0800000000000000)},
             gk104[WORDS] = {UINT64_C(0x2000000000000007)};

    for (unsigned i = 0; i < 7; i++) {
        gk110[0] |= bytes[i] << (2 + 8 * i);
        gk104[0] |= bytes[i] << (4 + 8 * i);
        gk110[1 + i] = gk104[1 + i] = 0x1000 + i;
    }
    for (unsigned i = 0; i < 7; i++) {
        says(gk110, 8, 1 + i, 35, texts[i]);
        says(gk104, 8, 1 + i, 30, texts[i]);
        says(gk104, 8, 1 + i, 35, "?"); /* not marked as theirs */
    }
}
END_TEST

START_TEST(control_words_are_no_instructions)
{
    static const uint64_t words[WORDS] = {UINT64_C(0x0800000000000000)};
    uint8_t code[8 * WORDS];
    struct teg_older o;

    put(code, words, WORDS);
    for (unsigned i = 0; i < WORDS; i++) {
        teg_older_decode(&o, code, 8 * i, 61);
        ck_assert_int_eq(o.is_control, i % 4 == 0);
        teg_older_decode(&o, code, 8 * i, 37);
        ck_assert_int_eq(o.is_control, i == 0);
        teg_older_decode(&o, code, 8 * i, 30); /* has another mark */
        ck_assert_int_eq(o.is_control || o.has_control, 0);
        teg_older_decode(&o, code, 8 * i, 21);
        ck_assert_int_eq(o.is_control || o.has_control, 0);
    }
    ck_assert_uint_eq(teg_older_instructions(code, 64, 50), 6);
    ck_assert_uint_eq(teg_older_instructions(code, 64, 35), 7);
    ck_assert_uint_eq(teg_older_instructions(code, 63, 35), 6);
    ck_assert_uint_eq(teg_older_instructions(code, 64, 20), 8);
}
END_TEST

/* No generation is both, and none of Tesla's: its words are of 4 and 8 bytes. */
START_TEST(generations_are_older_or_decoded)
{
    unsigned older = 0;

    for (uint32_t cc = 0; cc < 300; cc++) {
        ck_assert(!teg_older_supports(cc) || !teg_sass_supports(cc));
        older += (unsigned)teg_older_supports(cc);
    }
    ck_assert_uint_eq(older, 12);
    ck_assert(!teg_older_supports(13));
    ck_assert(teg_older_supports(62));
}
END_TEST

HELP_MAIN("sass_older", 20, {a_word_of_maxwell_tells_of_three, 0},
          {a_word_of_kepler_tells_of_seven, 0},
          {control_words_are_no_instructions, 0},
          {generations_are_older_or_decoded, 0})
