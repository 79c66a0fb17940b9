/* Texts of numbers, as the printer writes them, read back: each returns what
 * stands behind it, NULL if the text is none. */
#ifndef TEG_ISA_SASS_TEXT_H
#define TEG_ISA_SASS_TEXT_H

#include <stdint.h>

/* Text behind `prefix`, or NULL. */
const char *sass_after(const char *text, const char *prefix);
/* "0x1f", "-0x4" */
const char *sass_read_hex(const char *text, uint64_t *v);
/* An immediate of that format (sass.h); `second`: the other reading of it. */
const char *sass_read_immediate(const char *text, char format, int second,
                                uint64_t *v);

#endif
