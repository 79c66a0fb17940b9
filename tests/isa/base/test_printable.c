/* Names from files as a terminal may see them; which bytes are UTF-8 follows
 * Unicode 15, Table 3-7. */
#include "isa/base/printable.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/notes.h"
#include "isa/base/status.h"
#include "tests/help_suite.h"

static const struct {
    const char *text, *shown; /* NULL: as it is */
} rows[] = {
    {"_Z4axpyPf", NULL},
    {"", NULL},
    {"na\xc3\xafve \xe2\x82\xac \xf0\x9f\x98\x80", NULL},
    {"\x1b]0;title\x07", "\\x1b]0;title\\x07"},
    {"a\nteg: forged", "a\\x0ateg: forged"},
    {"tab\there\r", "tab\\x09here\\x0d"},
    {"\x7f", "\\x7f"},
    {"\xc2\x9b"
     "2J",
     "\\xc2\\x9b2J"},   /* CSI as a C1 control */
    {"\xc2\xa0", NULL}, /* the first one behind */
    {"\xe2\x80\xae"
     "cba",
     "\\xe2\\x80\\xaecba"},                       /* right to left */
    {"\xff\xfe", "\\xff\\xfe"},                   /* no UTF-8 at all */
    {"\xc0\xaf", "\\xc0\\xaf"},                   /* overlong */
    {"\xe0\x80\x80", "\\xe0\\x80\\x80"},          /* overlong */
    {"\xed\xa0\x80", "\\xed\\xa0\\x80"},          /* surrogate */
    {"\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80"}, /* beyond U+10FFFF */
    {"\xe2\x82", "\\xe2\\x82"},                   /* cut */
    {"\xe2x", "\\xe2x"},                          /* broken off */
};

START_TEST(what_moves_a_terminal_or_is_no_utf8_becomes_escapes)
{
    const char *text = rows[_i].text;
    const char *shown = rows[_i].shown != NULL ? rows[_i].shown : text;
    char out[64], *copy = teg_printable_copy(text);

    ck_assert_str_eq(teg_printable(out, sizeof out, text), shown);
    ck_assert_int_eq(teg_is_printable(text), rows[_i].shown == NULL);
    ck_assert_ptr_nonnull(copy);
    ck_assert_str_eq(copy, shown);
    ck_assert(teg_is_printable(shown));
    ck_assert(teg_printable_is(shown, text, strlen(text)));
    ck_assert(!teg_printable_is(shown, "other", 5));
    ck_assert(!teg_printable_is("other", text, strlen(text)));
    free(copy);
}
END_TEST

START_TEST(every_byte_by_itself_is_ascii_or_an_escape)
{
    char out[8], text[2] = {0, 0};

    for (int byte = 1; byte < 256; byte++) {
        text[0] = (char)byte;
        teg_printable(out, sizeof out, text);
        if (byte >= ' ' && byte < 0x7f)
            ck_assert_str_eq(out, text);
        else
            ck_assert_int_eq((int)strtol(out + 2, NULL, 16), byte);
    }
}
END_TEST

/* "a", the euro sign, an escape: 1 + 3 + 4 bytes. */
START_TEST(what_does_not_fit_is_cut_between_characters)
{
    static const char *const whole = "a\xe2\x82\xac\x1b";
    static const char *const cut[] = {
        "",
        "a",
        "a",
        "a",
        "a\xe2\x82\xac",
        "a\xe2\x82\xac",
        "a\xe2\x82\xac",
        "a\xe2\x82\xac",
        "a\xe2\x82\xac\\x1b",
    };
    char out[16];

    for (size_t room = 0; room < sizeof cut / sizeof cut[0]; room++) {
        memset(out, '#', sizeof out);
        ck_assert_str_eq(teg_printable(out, room + 1, whole), cut[room]);
    }
}
END_TEST

START_TEST(only_the_given_bytes_are_read)
{
    char out[16];
    char *copy = teg_printable_copy_of("\xe2\x82\xac", 2);

    ck_assert_str_eq(teg_printable_of(out, sizeof out, "\xe2\x82\xac", 1),
                     "\\xe2");
    ck_assert_str_eq(copy, "\\xe2\\x82");
    free(copy);
}
END_TEST

START_TEST(messages_and_notes_are_a_line_of_text)
{
    struct teg_notes notes = {0};
    struct teg_diag d;

    (void)teg_fail_line(&d, TEG_FORMAT, "a\x1b.tegt", 3, "found '%s'",
                        "\nteg: x");
    ck_assert_str_eq(d.where, "a\\x1b.tegt:3");
    ck_assert_str_eq(d.what, "found '\\x0ateg: x'");
    (void)teg_fail_byte(&d, TEG_FORMAT, "\x07", 16, "%s", "");
    ck_assert_str_eq(d.where, "\\x07+0x10");
    teg_notes_add(&notes, "k", "\x1b[2J", "%s", "\xff");
    ck_assert_str_eq(notes.note[0].where, "\\x1b[2J");
    ck_assert_str_eq(notes.note[0].what, "\\xff");
    teg_notes_release(&notes);
}
END_TEST

HELP_MAIN("printable", 10,
          {what_moves_a_terminal_or_is_no_utf8_becomes_escapes,
           sizeof rows / sizeof rows[0]},
          {every_byte_by_itself_is_ascii_or_an_escape, 0},
          {what_does_not_fit_is_cut_between_characters, 0},
          {only_the_given_bytes_are_read, 0},
          {messages_and_notes_are_a_line_of_text, 0})
