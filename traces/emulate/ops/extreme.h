/*
 * The least or greatest of several numbers, as reductions over lanes (CREDUX)
 * and over columns of tensor memory (LDTM.STAT) have it: unsigned or signed
 * integers or floats, or absolute values of floats.  Of floats those that are
 * NaN do not count, so that the result is NaN only if all are, or with .NAN it
 * is as soon as one is; a zero with a sign is less than one without.  (PTX ISA,
 * redux.sync)
 */
#ifndef TEG_TRACES_EMULATE_OPS_EXTREME_H
#define TEG_TRACES_EMULATE_OPS_EXTREME_H

#include <stddef.h>
#include <stdint.h>

enum emu_extreme_type {
    EMU_EXTREME_UNSIGNED,
    EMU_EXTREME_SIGNED,
    EMU_EXTREME_FLOAT,
    EMU_EXTREME_NONE,
};

struct emu_extreme {
    enum emu_extreme_type type;
    int least, absolute, nan; /* the last two: floats alone */
};

/* Whether PTX has it. */
static inline int emu_extreme_is(const struct emu_extreme *e)
{
    return e->type == EMU_EXTREME_FLOAT ||
           (e->type != EMU_EXTREME_NONE && !e->absolute && !e->nan);
}

/* A number in the order of unsigned ones. */
static inline uint32_t emu_extreme_rank(uint32_t v, enum emu_extreme_type type)
{
    return type == EMU_EXTREME_UNSIGNED           ? v
           : type == EMU_EXTREME_FLOAT && v >> 31 ? ~v
                                                  : v ^ 0x80000000;
}

static inline uint32_t emu_extreme_of(const struct emu_extreme *e,
                                      const uint32_t *value, size_t count)
{
    uint32_t best = 0x7fffffff; /* the NaN that the hardware makes */
    int some = 0;

    for (size_t i = 0; i < count; i++) {
        uint32_t v = e->absolute ? value[i] & 0x7fffffff : value[i], x, y;

        if (e->type == EMU_EXTREME_FLOAT && (v & 0x7fffffff) > 0x7f800000) {
            if (e->nan)
                return 0x7fffffff;
            continue;
        }
        x = emu_extreme_rank(v, e->type);
        y = emu_extreme_rank(best, e->type);
        if (!some || (e->least ? x < y : x > y))
            best = v;
        some = 1;
    }
    return best;
}

#endif
