#include "sim/events.h"

#include <assert.h>

static const struct {
    const char *label, *help;
} stalls[TEG_STALLS] = {
#define STALL(name, label, help) [STALL_##name] = {label, help},
#include "sim/stalls.def"
#undef STALL
};

const char *teg_stall_label(enum teg_stall s)
{
    assert(s < TEG_STALLS);
    return stalls[s].label;
}

const char *teg_stall_help(enum teg_stall s)
{
    assert(s < TEG_STALLS);
    return stalls[s].help;
}
