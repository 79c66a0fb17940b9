/* Registers as a row names them. */
#include <ctype.h>
#include <stdlib.h>

#include "isa/sass/reader.h"
#include "isa/sass/text.h"

/* "R12", "URZ"; `zero`: number of the one that ends in Z. */
static const char *register_number(const char *text, const char *file,
                                   unsigned zero, unsigned *reg)
{
    char *end;

    text = sass_after(text, file);
    if (text == NULL)
        return NULL;
    *reg = zero;
    if (*text == 'Z')
        return text + 1;
    if (!isdigit((unsigned char)*text))
        return NULL;
    *reg = (unsigned)strtoul(text, &end, 10);
    return end - text <= 3 && *reg < zero ? end : NULL;
}

const char *sass_read_register(const char *text, unsigned *reg)
{
    return register_number(text, "R", TEG_SASS_RZ, reg);
}

const char *sass_read_uniform(const char *text, unsigned *reg)
{
    return register_number(text, "UR", TEG_SASS_URZ, reg);
}
