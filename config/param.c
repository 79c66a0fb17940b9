#include "config/param.h"

#include <stdio.h>
#include <string.h>

static const char *const policies[] = {
    [POLICY_LRR] = "lrr",       [POLICY_STRICT] = "strict",
    [POLICY_GTO] = "gto",       [POLICY_GTY] = "gty",
    [POLICY_OLDEST] = "oldest", [POLICY_LRI] = "lri",
    [POLICY_GLRI] = "glri",     [POLICY_BLRI] = "blri",
    [POLICY_GBLRI] = "gblri",
};
static const char *const dependences[] = {
    [DEPENDENCES_SCOREBOARD] = "scoreboard",
    [DEPENDENCES_CONTROL] = "control",
};
static const char *const register_scopes[] = {
    [REGISTER_SCOPE_WARP] = "warp",
    [REGISTER_SCOPE_BLOCK] = "block",
};
static const char *const register_bank_rules[] = {
    [REGISTER_BANKS_NONE] = "none",
    [REGISTER_BANKS_PARITY] = "parity",
    [REGISTER_BANKS_KEPLER] = "kepler",
};
static const char *const broadcasts[] = {
    [BROADCAST_ANY] = "any",
    [BROADCAST_ONE] = "one",
    [BROADCAST_IDEAL] = "ideal",
};
static const char *const coalescings[] = {
    [COALESCING_CC10] = "cc10",   [COALESCING_CC12] = "cc12",
    [COALESCING_LINES] = "lines", [COALESCING_SECTORS] = "sectors",
    [COALESCING_IDEAL] = "ideal",
};

static const char *const core_scalings[] = {
    [CORE_SCALING_LINEAR] = "linear",
    [CORE_SCALING_LOG] = "log",
};
static const char *const table7s[] = {
    [TABLE7_RESOLVED] = "resolved",
    [TABLE7_PRINTED] = "printed",
};
static const char *const cluster_numberings[] = {
    [CLUSTER_NUMBERING_ADJACENT] = "adjacent",
    [CLUSTER_NUMBERING_STRIDED] = "strided",
};

#define COUNT(array) (sizeof(array) / sizeof(array)[0])
#define REQUIRED     -1

static const struct param table[] = {
#define GROUP(group)
#define END(group)
#define NUMBER(group_, field_, type, min_, max_, fallback_, unit_, help_) \
    {.group = #group_,                                                    \
     .field = #field_,                                                    \
     .key = #group_ "." #field_,                                          \
     .kind = _Generic((type)0, uint32_t                                   \
                      : PARAM_WHOLE, double                               \
                      : PARAM_REAL),                                      \
     .offset = offsetof(struct teg_gpu, group_.field_),                   \
     .min = (min_),                                                       \
     .max = (max_),                                                       \
     .fallback = (fallback_),                                             \
     .unit = (unit_),                                                     \
     .help = (help_)},
#define CHOICE(group_, field_, choice_, fallback_, help_) \
    {.group = #group_,                                    \
     .field = #field_,                                    \
     .key = #group_ "." #field_,                          \
     .kind = PARAM_CHOICE,                                \
     .offset = offsetof(struct teg_gpu, group_.field_),   \
     .min = 0,                                            \
     .max = COUNT(choice_) - 1,                           \
     .fallback = (fallback_),                             \
     .unit = "",                                          \
     .help = (help_),                                     \
     .choice = (choice_),                                 \
     .choice_count = COUNT(choice_)},
#include "config/params.def"
#undef GROUP
#undef END
#undef NUMBER
#undef CHOICE
};

const struct param *params(uint32_t *count)
{
    *count = COUNT(table);
    return table;
}

const struct param *param_find(const char *key)
{
    for (size_t i = 0; i < COUNT(table); i++) {
        if (strcmp(table[i].key, key) == 0)
            return &table[i];
    }
    return NULL;
}

int param_choice(const struct param *p, const char *name)
{
    for (uint32_t i = 0; i < p->choice_count; i++) {
        if (strcmp(p->choice[i], name) == 0)
            return (int)i;
    }
    return -1;
}

double param_get(const struct param *p, const struct teg_gpu *gpu)
{
    const char *at = (const char *)gpu + p->offset;
    uint32_t whole;
    double real;

    if (p->kind == PARAM_REAL) {
        memcpy(&real, at, sizeof real);
        return real;
    }
    memcpy(&whole, at, sizeof whole);
    return whole;
}

void param_put(const struct param *p, struct teg_gpu *gpu, double value)
{
    char *at = (char *)gpu + p->offset;
    uint32_t whole;

    if (p->kind == PARAM_REAL) {
        memcpy(at, &value, sizeof value);
        return;
    }
    whole = (uint32_t)value;
    memcpy(at, &whole, sizeof whole);
}

const char *param_format(const struct param *p, const struct teg_gpu *gpu,
                         char out[64])
{
    double value = param_get(p, gpu);

    if (p->kind == PARAM_CHOICE)
        snprintf(out, 64, "%s", p->choice[(uint32_t)value]);
    else
        snprintf(out, 64, "%.10g", value);
    return out;
}

const char *param_expected(const struct param *p, char out[256])
{
    int used;

    if (p->kind != PARAM_CHOICE) {
        snprintf(out, 256, "expected %s%.10g to %.10g%s%s",
                 p->kind == PARAM_WHOLE ? "a whole number, " : "", p->min,
                 p->max, p->unit[0] != '\0' ? " " : "", p->unit);
        return out;
    }
    used = snprintf(out, 256, "expected one of");
    for (uint32_t i = 0; i < p->choice_count && used < 256; i++)
        used += snprintf(out + used, 256 - (size_t)used, "%s \"%s\"",
                         i == 0 ? "" : ",", p->choice[i]);
    return out;
}
