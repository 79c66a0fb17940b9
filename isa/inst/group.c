#include "isa/inst/group.h"

#include <stdlib.h>
#include <string.h>

#include "isa/inst/inst.h"

static const struct {
    const char *mnemonic; /* with what modifiers it must begin */
    uint8_t kind, does;
} rows[] = {
    {"LDGSTS", GROUP_COPIES, GROUP_JOINS},
    {"LDGDEPBAR", GROUP_COPIES, GROUP_COMMITS},
    {"DEPBAR.LE", GROUP_COPIES, GROUP_WAITS},
    {"DEPBAR", GROUP_COPIES, 0}, /* of a list only */
    {"ARRIVES.LDGSTSBAR", GROUP_COPIES, GROUP_FOLLOWS},
    {"UBLKCP.G.S", GROUP_BULK, GROUP_JOINS},
    {"UBLKRED.G.S", GROUP_BULK, GROUP_JOINS},
    {"UTMASTG", GROUP_BULK, GROUP_JOINS},
    {"UTMAREDG", GROUP_BULK, GROUP_JOINS},
    {"UTMACMDFLUSH", GROUP_BULK, GROUP_COMMITS},
    {"UTCHMMA", GROUP_TENSOR, GROUP_JOINS},
    {"UTCIMMA", GROUP_TENSOR, GROUP_JOINS},
    {"UTCQMMA", GROUP_TENSOR, GROUP_JOINS},
    {"UTCOMMA", GROUP_TENSOR, GROUP_JOINS},
    {"UTCCP", GROUP_TENSOR, GROUP_JOINS},
    {"UTCSHIFT", GROUP_TENSOR, GROUP_JOINS},
    {"UTCBAR", GROUP_TENSOR, GROUP_FOLLOWS},
    {"HGMMA", GROUP_PRODUCTS, GROUP_JOINS},
    {"IGMMA", GROUP_PRODUCTS, GROUP_JOINS},
    {"QGMMA", GROUP_PRODUCTS, GROUP_JOINS},
    {"BGMMA", GROUP_PRODUCTS, GROUP_JOINS},
    {"WARPGROUP.DEPBAR", GROUP_PRODUCTS, GROUP_WAITS},
    {"WARPGROUP.ARRIVE", GROUP_PRODUCTS, GROUP_MEETS},
    {"WARPGROUP", GROUP_PRODUCTS, 0},
};

enum {
    ROWS = sizeof rows / sizeof rows[0]
};

/* "SB3" or "gsb3"; TEG_GROUP_ANY if the operands name none. */
static uint8_t number_of(const char *operands, const char *prefix)
{
    const char *at = strstr(operands, prefix);
    unsigned digit;

    if (at == NULL)
        return TEG_GROUP_ANY;
    digit = (unsigned)(at[strlen(prefix)] - '0');
    return digit < TEG_GROUP_NUMBERS ? (uint8_t)digit : TEG_GROUP_ANY;
}

/* The first operand that is a number. */
static uint8_t open_of(const char *operands)
{
    const char *at = operands;

    while (*at != '\0' && *at != '{') {
        unsigned long n;

        at += strspn(at, " ,");
        if (*at >= '0' && *at <= '9') {
            n = strtoul(at, NULL, 0);
            return n < TEG_GROUP_OPEN_MAX ? (uint8_t)n : TEG_GROUP_OPEN_MAX;
        }
        at += strcspn(at, ",{");
    }
    return TEG_GROUP_OPEN_UNSAID;
}

/* "{5,2}" */
static uint8_t barriers_of(const char *operands)
{
    uint8_t mask = 0;
    const char *at = strchr(operands, '{');

    for (; at != NULL && *at != '\0' && *at != '}'; at++) {
        if (*at >= '0' && *at <= '7')
            mask |= (uint8_t)(1u << (*at - '0'));
    }
    return mask;
}

struct teg_group teg_group_of(const char *text)
{
    size_t length;
    const char *operands = teg_text_mnemonic(text, &length) + length;
    struct teg_group g = {0};
    size_t i = 0;

    while (i < ROWS && !teg_text_is(text, rows[i].mnemonic))
        i++;
    if (i == ROWS)
        return g;
    g = (struct teg_group){.does = rows[i].does, .kind = rows[i].kind};
    g.number = number_of(operands, g.kind == GROUP_PRODUCTS ? "gsb" : "SB");
    if (g.kind == GROUP_PRODUCTS && g.does == GROUP_JOINS &&
        g.number != TEG_GROUP_ANY)
        g.does |= GROUP_COMMITS;
    if ((g.does & GROUP_WAITS) != 0)
        g.open = open_of(operands);
    if (g.kind == GROUP_COPIES)
        g.barriers = barriers_of(operands);
    return g;
}
