#include "isa/inst/constant.h"

#include <stdlib.h>
#include <string.h>

/* The number behind "[0x" at `at`, closed by ']'; `*end` is what follows it.
 * Returns 0 if there is none. */
static int number(const char *at, uint32_t *value, const char **end)
{
    char *behind;
    unsigned long n;

    if (strncmp(at, "[0x", 3) != 0)
        return 0;
    n = strtoul(at + 1, &behind, 16);
    if (*behind != ']' || n > UINT32_MAX)
        return 0;
    *value = (uint32_t)n;
    *end = behind + 1;
    return 1;
}

int teg_text_constant(const char *text, uint64_t *address)
{
    uint32_t bank, byte;

    for (const char *at = strchr(text, 'c'); at != NULL;
         at = strchr(at + 1, 'c')) {
        const char *end;

        if (number(at + 1, &bank, &end) && number(end, &byte, &end)) {
            *address = (uint64_t)bank << 32 | byte;
            return 1;
        }
    }
    return 0;
}
