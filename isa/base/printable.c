#include "isa/base/printable.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    ESCAPE = 4, /* characters of "\x1b" */
};

/* Bytes of the UTF-8 character at `at`, of `left` > 0, and its code point; 0
 * if there is none (Unicode 15, Table 3-7: no overlong forms, no surrogates).
 */
static size_t character(const unsigned char *at, size_t left, uint32_t *code)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length;

    *code = at[0];
    if (at[0] < 0x80)
        return 1;
    length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc0 || at[0] > 0xf7 || length > left)
        return 0;
    *code = at[0] & (0x7fU >> length);
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        *code = *code << 6 | (at[i] & 0x3f);
    }
    if (*code < least[length] || *code > 0x10ffff ||
        (*code >= 0xd800 && *code <= 0xdfff))
        return 0;
    return length;
}

/* Controls (C0, DEL, C1), and what moves or turns the text around it. */
static int is_plain(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x00, 0x1f},     {0x7f, 0x9f},     {0x200e, 0x200f},
        {0x2028, 0x202e}, {0x2066, 0x2069}, {0xfeff, 0xfeff},
    };

    for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
        if (code >= ranges[i].first && code <= ranges[i].last)
            return 0;
    }
    return 1;
}

/* Bytes of what stands at `text`, of `left` > 0; `*plain`: it stays as it is.
 */
static size_t next(const char *text, size_t left, int *plain)
{
    uint32_t code = 0;
    size_t length = character((const unsigned char *)text, left, &code);

    *plain = length != 0 && is_plain(code);
    return length != 0 ? length : 1;
}

int teg_is_printable(const char *text)
{
    size_t left = strlen(text);
    int plain = 1;

    while (left > 0 && plain) {
        size_t length = next(text, left, &plain);

        text += length;
        left -= length;
    }
    return plain;
}

static void put_escape(char *to, char byte)
{
    static const char digits[] = "0123456789abcdef";
    const unsigned char b = (unsigned char)byte;

    to[0] = '\\';
    to[1] = 'x';
    to[2] = digits[b >> 4];
    to[3] = digits[b & 15];
}

char *teg_printable_of(char *out, size_t size, const char *text, size_t length)
{
    size_t left = strnlen(text, length), room = size - 1;
    char *to = out;

    while (left > 0) {
        int plain;
        size_t taken = next(text, left, &plain);
        size_t put = plain ? taken : taken * ESCAPE;

        if (put > room)
            break;
        if (plain)
            memcpy(to, text, taken);
        for (size_t i = 0; !plain && i < taken; i++)
            put_escape(to + i * ESCAPE, text[i]);
        to += put;
        room -= put;
        text += taken;
        left -= taken;
    }
    *to = '\0';
    return out;
}

char *teg_printable(char *out, size_t size, const char *text)
{
    return teg_printable_of(out, size, text, strlen(text));
}

int teg_printable_is(const char *printable, const char *text, size_t length)
{
    int plain;

    while (length > 0 && *printable != '\0') {
        size_t taken = next(text, length, &plain);
        char shown[4 * ESCAPE + 1];

        teg_printable_of(shown, sizeof shown, text, taken);
        if (strncmp(printable, shown, strlen(shown)) != 0)
            return 0;
        printable += strlen(shown);
        text += taken;
        length -= taken;
    }
    return length == 0 && *printable == '\0';
}

char *teg_printable_copy_of(const char *text, size_t length)
{
    size_t size = strnlen(text, length) * ESCAPE + 1;
    char *copy = malloc(size), *fitting;

    if (copy == NULL)
        return NULL;
    teg_printable_of(copy, size, text, length);
    fitting = realloc(copy, strlen(copy) + 1);
    return fitting != NULL ? fitting : copy;
}

char *teg_printable_copy(const char *text)
{
    return teg_printable_copy_of(text, strlen(text));
}
