#include "isa/inst/sleep.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/minmax.h"
#include "isa/inst/inst.h"

uint32_t teg_sleep_of(const char *text)
{
    const char *operand, *comma;
    unsigned long long ns;
    size_t length;

    if (!teg_text_is(text, "NANOSLEEP"))
        return 0;
    operand = teg_text_mnemonic(text, &length) + length;
    comma = strrchr(operand, ','); /* behind a predicate */
    ns = strtoull(comma != NULL ? comma + 1 : operand, NULL, 0);
    return (uint32_t)teg_min(ns, TEG_SLEEP_MAX);
}
