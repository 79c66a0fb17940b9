#include "isa/inst/sleep.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/minmax.h"
#include "isa/inst/inst.h"

uint32_t teg_sleep_of(const char *text)
{
    static const char syncs[] = ".SYNCS";
    const char *operand, *comma;
    unsigned long long ns;
    size_t length;

    if (!teg_text_is(text, "NANOSLEEP"))
        return 0;
    operand = teg_text_mnemonic(text, &length) + length;
    if (length > sizeof syncs &&
        memcmp(operand - (sizeof syncs - 1), syncs, sizeof syncs - 1) == 0)
        return 0;
    comma = strrchr(operand, ','); /* behind a predicate */
    ns = strtoull(comma != NULL ? comma + 1 : operand, NULL, 0);
    return (uint32_t)teg_min(ns, TEG_SLEEP_MAX);
}
