#include <string.h>

#include "traces/emulate/warp.h"

static const uint32_t zeros[EMU_LANES];

static void fill(uint32_t room[EMU_LANES], uint32_t value)
{
    for (int l = 0; l < EMU_LANES; l++)
        room[l] = value;
}

/* 4 bytes of a constant bank; beyond its end reads as 0, as on hardware. */
static uint32_t constant(struct emu_warp *w, uint32_t bank, uint64_t offset)
{
    uint32_t value = 0;

    if (bank < EMU_BANKS && w->block->bank[bank].data != NULL &&
        offset + 4 <= w->block->bank[bank].size)
        memcpy(&value, w->block->bank[bank].data + offset, 4);
    return value;
}

static uint32_t uniform(const struct emu_warp *w, unsigned number)
{
    return number >= TEG_SASS_URZ ? 0 : w->ur[number];
}

const uint32_t *emu_row(struct emu_warp *w, const struct emu_op *op,
                        const struct teg_sass_operand *o, unsigned word,
                        uint32_t room[EMU_LANES])
{
    (void)op;
    if (o == NULL)
        return zeros;
    switch (o->kind) {
    case SASS_REGISTER:
        return o->reg == TEG_SASS_RZ ? zeros : w->r[(o->reg + word) & 255];
    case SASS_UNIFORM:
        fill(room, o->reg == TEG_SASS_URZ ? 0 : uniform(w, o->reg + word));
        return room;
    case SASS_CONSTANT:
        fill(room, constant(w, o->bank, (uint64_t)o->value + 4 * word));
        return room;
    default:
        fill(room, word == 0 ? (uint32_t)o->value : 0);
        return room;
    }
}

uint32_t emu_scalar(struct emu_warp *w, const struct emu_op *op,
                    const struct teg_sass_operand *o)
{
    uint32_t room[EMU_LANES];

    return emu_row(w, op, o, 0,
                   room)[w->active != 0 ? __builtin_ctz(w->active) : 0];
}

const uint32_t *emu_int(struct emu_warp *w, const struct emu_op *op,
                        const struct teg_sass_operand *o,
                        uint32_t room[EMU_LANES])
{
    const uint32_t *row = emu_row(w, op, o, 0, room);

    if (o == NULL || (o->flags & (SASS_NEGATE | SASS_INVERT)) == 0)
        return row;
    for (int l = 0; l < EMU_LANES; l++)
        room[l] = ~row[l] + ((o->flags & SASS_NEGATE) != 0);
    return room;
}

const float *emu_float(struct emu_warp *w, const struct emu_op *op,
                       const struct teg_sass_operand *o, float room[EMU_LANES])
{
    uint32_t bits[EMU_LANES], keep = EMU_ALL, flip = 0;
    const uint32_t *row = emu_row(w, op, o, 0, bits);

    if (o != NULL && (o->flags & SASS_ABSOLUTE))
        keep = 0x7fffffff;
    if (o != NULL && (o->flags & SASS_NEGATE))
        flip = 0x80000000;
    for (int l = 0; l < EMU_LANES; l++)
        bits[l] = (row[l] & keep) ^ flip;
    memcpy(room, bits, sizeof bits);
    return room;
}

/* An immediate is the upper half of a double. */
void emu_double(struct emu_warp *w, const struct emu_op *op,
                const struct teg_sass_operand *o, double room[EMU_LANES])
{
    uint32_t low_room[EMU_LANES], high_room[EMU_LANES];
    const uint32_t *low = emu_row(w, op, o, 0, low_room);
    const uint32_t *high = emu_row(w, op, o, 1, high_room);
    uint64_t bits[EMU_LANES], keep = UINT64_MAX, flip = 0;

    if (o != NULL && o->kind == SASS_IMMEDIATE) {
        high = low;
        low = zeros;
    }
    if (o != NULL && (o->flags & SASS_ABSOLUTE))
        keep = UINT64_MAX >> 1;
    if (o != NULL && (o->flags & SASS_NEGATE))
        flip = UINT64_C(1) << 63;
    for (int l = 0; l < EMU_LANES; l++)
        bits[l] = (((uint64_t)high[l] << 32 | low[l]) & keep) ^ flip;
    memcpy(room, bits, sizeof bits);
}

void emu_int64(struct emu_warp *w, const struct emu_op *op,
               const struct teg_sass_operand *o, int is_signed,
               uint64_t room[EMU_LANES])
{
    uint32_t low_room[EMU_LANES], high_room[EMU_LANES];
    const uint32_t *low = emu_row(w, op, o, 0, low_room);
    const uint32_t *high = emu_row(w, op, o, 1, high_room);
    int extend = o != NULL && o->kind == SASS_IMMEDIATE && is_signed;

    for (int l = 0; l < EMU_LANES; l++)
        room[l] = extend ? (uint64_t)(int64_t)(int32_t)low[l]
                         : (uint64_t)high[l] << 32 | low[l];
}

uint32_t emu_predicate(const struct emu_warp *w,
                       const struct teg_sass_operand *o)
{
    uint32_t value;

    if (o == NULL)
        return EMU_ALL;
    if (o->kind == SASS_UPREDICATE)
        value = o->reg == TEG_SASS_PT || w->up[o->reg & 7] ? EMU_ALL : 0;
    else
        value = o->reg == TEG_SASS_PT ? EMU_ALL : w->p[o->reg & 7];
    return o->flags & SASS_NEGATE ? ~value : value;
}

void emu_write(struct emu_warp *w, const struct teg_sass_operand *o,
               unsigned word, uint32_t mask, const uint32_t value[EMU_LANES])
{
    uint32_t *row;

    if (o == NULL || mask == 0)
        return;
    if (o->kind == SASS_UNIFORM) {
        if (o->reg + word < TEG_SASS_URZ)
            w->ur[o->reg + word] = value[__builtin_ctz(mask)];
        return;
    }
    if (o->reg == TEG_SASS_RZ)
        return;
    row = w->r[(o->reg + word) & 255];
    if (mask == EMU_ALL) {
        memmove(row, value, sizeof w->r[0]);
        return;
    }
    for (int l = 0; l < EMU_LANES; l++)
        row[l] = mask >> l & 1 ? value[l] : row[l];
}

void emu_write64(struct emu_warp *w, const struct teg_sass_operand *o,
                 uint32_t mask, const uint64_t value[EMU_LANES])
{
    uint32_t low[EMU_LANES], high[EMU_LANES];

    for (int l = 0; l < EMU_LANES; l++) {
        low[l] = (uint32_t)value[l];
        high[l] = (uint32_t)(value[l] >> 32);
    }
    emu_write(w, o, 0, mask, low);
    emu_write(w, o, 1, mask, high);
}

void emu_write_predicate(struct emu_warp *w, const struct teg_sass_operand *o,
                         uint32_t mask, uint32_t value)
{
    if (o == NULL || o->reg == TEG_SASS_PT || mask == 0)
        return;
    if (o->kind == SASS_UPREDICATE)
        w->up[o->reg & 7] = value >> __builtin_ctz(mask) & 1;
    else
        w->p[o->reg & 7] = (w->p[o->reg & 7] & ~mask) | (value & mask);
}
