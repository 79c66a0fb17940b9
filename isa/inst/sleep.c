#include "isa/inst/sleep.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/minmax.h"
#include "isa/inst/inst.h"

int teg_sleep_is_timed(const char *text)
{
    return teg_text_is(text, "NANOSLEEP") && strstr(text, ".SYNCS") == NULL;
}

int teg_sleep_told(const char *text, uint32_t *ns)
{
    const char *operand, *comma;
    size_t length;
    char *end;

    *ns = 0;
    if (!teg_sleep_is_timed(text))
        return 0;
    operand = teg_text_mnemonic(text, &length) + length;
    comma = strrchr(operand, ','); /* behind a predicate */
    operand = comma != NULL ? comma + 1 : operand;
    *ns = (uint32_t)teg_min(strtoull(operand, &end, 0), TEG_SLEEP_MAX);
    return end != operand;
}
