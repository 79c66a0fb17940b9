/*
 * Whether a word says more than the decoder reads.
 *
 * A bit that no field of its row has is a modifier nobody has found yet: what
 * the text says is then not all that the instruction does.  Operands that an
 * operation has not, though, leave something in their place: compilers fill it
 * with the register or predicate that means none.
 */
#include "isa/sass/row.h"

/* Bits that every instruction has: operation and form, guard, control codes and
 * hints of the operand cache. */
static const uint64_t always[2] = {0xffff, ~UINT64_C(0) << 41 | 1u << 27};

/* What stands where an operand could: the wider places first. */
static const struct {
    uint8_t low, count, value;
} none[] = {
    {16, 8, 255}, {24, 8, 255}, {32, 8, 255}, {64, 8, 255}, {16, 6, 63},
    {24, 6, 63},  {32, 6, 63},  {64, 6, 63},  {64, 4, 15},  {68, 4, 15},
    {77, 4, 15},  {87, 4, 15},  {64, 3, 7},   {68, 3, 7},   {77, 3, 7},
    {81, 3, 7},   {84, 3, 7},   {87, 3, 7},
};

/* None of these places is in both words of an instruction. */
static uint64_t place(unsigned n)
{
    return ((UINT64_C(1) << none[n].count) - 1) << none[n].low % 64;
}

int teg_sass_is_understood(const struct teg_sass *s)
{
    uint64_t left[2];

    if (s->name == NULL || s->uncertain)
        return 0;
    for (int i = 0; i < 2; i++)
        left[i] = s->word[i] & ~(s->named[i] | always[i]);
    for (unsigned n = 0; n < sizeof none / sizeof none[0]; n++) {
        unsigned i = none[n].low / 64;
        uint64_t value = (uint64_t)none[n].value << none[n].low % 64;

        if ((left[i] & place(n)) == value)
            left[i] &= ~place(n);
    }
    return (left[0] | left[1]) == 0;
}
