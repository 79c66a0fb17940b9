/*
 * Names and quoted bytes from files, as a terminal may see them.
 *
 * A file can hold anything where a name is expected: an escape sequence that
 * sets the terminal's title, a line break that forges a second message, a
 * mark that turns what follows around, bytes that are not UTF-8 and so
 * cannot stand in JSON.  Each such byte becomes four characters, `\x1b`; all
 * other text, UTF-8 included, stays as it is.
 *
 * Readers clean a name where it comes in, and messages and notes are cleaned
 * where they are made, so nobody behind them has to think of it.
 */
#ifndef TEG_ISA_BASE_PRINTABLE_H
#define TEG_ISA_BASE_PRINTABLE_H

#include <stddef.h>

/* True if nothing in `text` needs an escape. */
int teg_is_printable(const char *text);

/* Writes `text` with escapes into `out` of `size` > 0 bytes; what does not
 * fit is cut, never inside a character or an escape.  Returns `out`. */
char *teg_printable(char *out, size_t size, const char *text);
/* The same of at most `length` bytes, up to a NUL. */
char *teg_printable_of(char *out, size_t size, const char *text, size_t length);

/* True if `printable` is how those `length` bytes come out. */
int teg_printable_is(const char *printable, const char *text, size_t length);

/* The same, whole, in memory that the caller frees; NULL without memory. */
char *teg_printable_copy(const char *text);
char *teg_printable_copy_of(const char *text, size_t length);

#endif
