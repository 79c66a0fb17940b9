#include "isa/inst/atomic.h"

#include <string.h>

#include "isa/inst/inst.h"

/* Beginnings of a modifier: F16x2 and BF16_V2 are like F16 and BF16. */
static const struct {
    const char *text;
    enum teg_atomic is;
} modifiers[] = {
    {"F16", ATOMIC_FLOAT},  {"F32", ATOMIC_FLOAT},  {"F64", ATOMIC_DOUBLE},
    {"BF16", ATOMIC_FLOAT}, {"POPC", ATOMIC_COUNT},
};

static int begins(const char *text, const char *end, const char *with)
{
    size_t length = strlen(with);

    return (size_t)(end - text) >= length && memcmp(text, with, length) == 0;
}

enum teg_atomic teg_atomic_of(const char *text)
{
    size_t length;
    const char *at = teg_text_mnemonic(text, &length), *end = at + length;

    while ((at = memchr(at, '.', (size_t)(end - at))) != NULL) {
        at++;
        for (size_t i = 0; i < sizeof modifiers / sizeof modifiers[0]; i++) {
            if (begins(at, end, modifiers[i].text))
                return modifiers[i].is;
        }
    }
    return ATOMIC_INTEGER;
}
