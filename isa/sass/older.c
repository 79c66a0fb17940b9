#include "isa/sass/older.h"

#include <stdio.h>
#include <string.h>

#include "isa/sass/sass.h"

/* Where a generation has its control words: the first of so many words, its
 * fields from bit `first` on, `bits` for each instruction; `mark` are the bits
 * of `marked` that tell one. */
static const struct layout {
    uint8_t from, to; /* generations */
    uint8_t words, first, bits;
    uint64_t marked, mark;
} layouts[] = {
    {20, 21, 0, 0, 0, 0, 0},
    {30, 30, 8, 4, 8, UINT64_C(0xf000000000000007),
     UINT64_C(0x2000000000000007)},
    {32, 37, 8, 2, 8, UINT64_C(0xfc00000000000003),
     UINT64_C(0x0800000000000000)},
    {50, 62, 4, 0, 21, 0, 0},
};

static const uint8_t known[] = {20, 21, 30, 32, 35, 37, 50, 52, 53, 60, 61, 62};

static const struct layout *layout_of(uint32_t cc)
{
    const struct layout *l = layouts;

    while (cc > l->to)
        l++;
    return l;
}

static int is_kepler(uint32_t cc)
{
    return cc >= 30 && cc < 50;
}

int teg_older_supports(uint32_t cc)
{
    return cc < 256 && memchr(known, (int)cc, sizeof known) != NULL;
}

static uint64_t word_at(const uint8_t *code, uint64_t pc)
{
    uint64_t word = 0;

    for (unsigned i = 0; i < TEG_OLDER_BYTES; i++)
        word |= (uint64_t)code[pc + i] << 8 * i;
    return word;
}

/* The word that the one at `pc` would be told by: the first of its group. */
static uint64_t start_of(const struct layout *l, uint64_t pc)
{
    return pc / TEG_OLDER_BYTES / l->words * l->words * TEG_OLDER_BYTES;
}

/* What fills the end of a Kepler's code has none. */
static int is_control_at(const struct layout *l, const uint8_t *code,
                         uint64_t pc)
{
    return l->words != 0 && start_of(l, pc) == pc &&
           (word_at(code, pc) & l->marked) == l->mark;
}

/* Stall count, yield (0: yes), barriers of the result and the operands, those
 * waited for, reuse, from the lowest bit on; no stall is dual issue. */
static void set_maxwell(struct teg_older *o, uint32_t field)
{
    o->control = (struct teg_control){
        .known = 1,
        .stall = field & 15,
        .yield = !(field >> 4 & 1),
        .write_barrier = field >> 5 & 7,
        .read_barrier = field >> 8 & 7,
        .wait_mask = field >> 11 & 63,
    };
    o->reuse = field >> 17 & 15;
    o->dual = o->control.stall == 0;
}

/* 0x04 is dual issue, 0x20 + n a stall of n, 0 nothing, for which a warp waits
 * 32 cycles. */
static void set_kepler(struct teg_older *o, uint32_t field)
{
    o->kepler = (uint8_t)field;
    o->dual = field == 4;
    o->control.stall = field == 0 ? 32 : field == 4 ? 0 : field & 31;
}

void teg_older_decode(struct teg_older *o, const uint8_t *code, uint64_t pc,
                      uint32_t cc)
{
    const struct layout *l = layout_of(cc);
    uint64_t start, place;
    uint32_t field;

    *o = (struct teg_older){.pc = pc, .word = word_at(code, pc)};
    if (l->words == 0)
        return;
    start = start_of(l, pc);
    if (!is_control_at(l, code, start))
        return;
    o->is_control = start == pc;
    if (o->is_control)
        return;
    o->has_control = 1;
    place = (pc - start) / TEG_OLDER_BYTES - 1;
    field = (uint32_t)(word_at(code, start) >> (l->first + l->bits * place)) &
            ((1u << l->bits) - 1);
    if (is_kepler(cc))
        set_kepler(o, field);
    else
        set_maxwell(o, field);
}

uint64_t teg_older_instructions(const uint8_t *code, uint64_t size, uint32_t cc)
{
    const struct layout *l = layout_of(cc);
    uint64_t count = 0;

    for (uint64_t pc = 0; pc + TEG_OLDER_BYTES <= size; pc += TEG_OLDER_BYTES)
        count += !is_control_at(l, code, pc);
    return count;
}

void teg_older_control_text(const struct teg_older *o, uint32_t cc,
                            char out[TEG_OLDER_TEXT])
{
    char control[32], reuse[5] = "----";

    if (!o->has_control) {
        snprintf(out, TEG_OLDER_TEXT, "?");
        return;
    }
    if (is_kepler(cc)) {
        snprintf(out, TEG_OLDER_TEXT, "%02x S%02u %c %c%c", o->kepler,
                 o->control.stall, o->dual ? 'D' : '-',
                 o->kepler >> 6 & 1 ? 'G' : '-',
                 o->kepler >> 7 & 1 ? 'T' : '-');
        return;
    }
    for (unsigned i = 0; i < 4; i++)
        reuse[i] = (char)(o->reuse >> i & 1 ? '1' + (int)i : '-');
    teg_control_text(&o->control, control);
    snprintf(out, TEG_OLDER_TEXT, "%s %c %s", control, o->dual ? 'D' : '-',
             reuse);
}
