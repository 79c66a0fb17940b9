#include "sim/whatif/launch_change.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/nearest.h"

static const struct key {
    const char *name;
    uint32_t min, max;
} keys[LAUNCH_KEYS] = {
    [LAUNCH_REGISTERS] = {"launch.registers", 1, 1024},
    [LAUNCH_SHARED] = {"launch.shared_bytes", 0, 1 << 20},
    [LAUNCH_CARVEOUT] = {"launch.carveout", 0, 100},
    [LAUNCH_WARPS] = {"launch.warps", 1, 64},
    [LAUNCH_SMS] = {"launch.sms", 1, 1024},
};

const char *launch_change_key(uint32_t i)
{
    return keys[i].name;
}

static teg_status parse(const struct key *key, const char *text, uint32_t *v,
                        struct teg_diag *d)
{
    unsigned long number;
    char *end;

    errno = 0;
    number = strtoul(text, &end, 10);
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 ||
        number < key->min || number > key->max)
        return teg_fail(d, TEG_CONFIG, key->name,
                        "expected a whole number, %u to %u, found '%s'",
                        key->min, key->max, text);
    *v = (uint32_t)number;
    return TEG_OK;
}

teg_status launch_change_set(struct launch_change *c, const char *key,
                             const char *text, struct teg_diag *d)
{
    struct teg_nearest nearest;

    teg_nearest_init(&nearest, key);
    for (uint32_t i = 0; i < LAUNCH_KEYS; i++) {
        if (strcmp(keys[i].name, key) == 0) {
            TRY(parse(&keys[i], text, &c->value[i], d));
            c->given[i] = 1;
            return TEG_OK;
        }
        teg_nearest_offer(&nearest, keys[i].name);
    }
    return teg_fail(d, TEG_UNKNOWN, key, "unknown key; did you mean '%s'?",
                    nearest.best);
}

void launch_change_apply(const struct launch_change *c,
                         struct teg_launch *launch)
{
    if (c->given[LAUNCH_REGISTERS])
        launch->kernel->registers = c->value[LAUNCH_REGISTERS];
    if (c->given[LAUNCH_SHARED])
        launch->kernel->shared_bytes = c->value[LAUNCH_SHARED];
    if (c->given[LAUNCH_CARVEOUT])
        launch->kernel->carveout = c->value[LAUNCH_CARVEOUT] + 1;
}

void launch_change_limit(const struct launch_change *c,
                         struct teg_simulation_options *options)
{
    if (c->given[LAUNCH_WARPS])
        options->warps_per_sm = c->value[LAUNCH_WARPS];
    if (c->given[LAUNCH_SMS])
        options->sms = c->value[LAUNCH_SMS];
}
