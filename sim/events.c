#include "sim/events.h"

#include <assert.h>

static const struct teg_stall_facts stalls[TEG_STALLS] = {
#define STALL(name, kind, letter, label, help) \
    [STALL_##name] = {STALL_KIND_##kind, letter, label, help},
#include "sim/stalls.def"
#undef STALL
};

/* The order that sim/stalls.def promises and others count on. */
#define STALL(name, kind, letter, label, help)                                \
    _Static_assert((STALL_KIND_##kind <= STALL_KIND_LATE) ==                  \
                       ((int)STALL_##name < TEG_STALL_WAITS),                 \
                   "refusals stand below all waits");                         \
    _Static_assert(                                                           \
        (STALL_KIND_##kind == STALL_KIND_RESULT) ==                           \
            ((int)STALL_##name >= TEG_STALL_RESULT_FIRST &&                   \
             (int)STALL_##name < TEG_STALL_RESULT_FIRST + TEG_STALL_RESULTS), \
        "waits for results stand together");                                  \
    _Static_assert((STALL_KIND_##kind == STALL_KIND_REST) ==                  \
                       (STALL_##name == TEG_STALLS - 1),                      \
                   "one reason is what is left, the last");
#include "sim/stalls.def"
#undef STALL

const struct teg_stall_facts *teg_stall_facts(enum teg_stall s)
{
    assert(s < TEG_STALLS);
    return &stalls[s];
}

const char *teg_stall_label(enum teg_stall s)
{
    return teg_stall_facts(s)->label;
}

const char *teg_stall_help(enum teg_stall s)
{
    return teg_stall_facts(s)->help;
}
