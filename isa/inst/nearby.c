#include "isa/inst/nearby.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum {
    APART = 64, /* instructions from one store to another, at most */
    INST_BYTES_MAX = 16,
};

/* Where a store goes, by its text: "@P0 STG.E.64 desc[UR4][R2.64+0x10], R6". */
struct place {
    const char *guard, *address; /* "@P0 "; "[R2.64" */
    size_t guard_length, address_length;
    int64_t offset;
};

static int writes_memory(const struct teg_inst *inst)
{
    return (inst->flags & (INST_STORE | INST_ATOMIC)) != 0 &&
           inst->space != SPACE_SHARED;
}

static int is_store(const struct teg_inst *inst)
{
    return (inst->flags & INST_STORE) != 0 &&
           (inst->flags & (INST_ATOMIC | INST_LOAD)) == 0 &&
           (inst->space == SPACE_GLOBAL || inst->space == SPACE_GENERIC) &&
           inst->width != 0 && inst->width <= TEG_NEARBY_BYTES;
}

/* "+0x10" or "+-0x10" in front of `end`, the address' last bracket; 0 if there is
 * none. */
static int64_t offset_of(const char *address, const char **end)
{
    const char *at = *end;

    while (at > address && *at != '+' && *at != '[')
        at--;
    if (*at != '+' ||
        (strncmp(at, "+0x", 3) != 0 && strncmp(at, "+-0x", 4) != 0))
        return 0;
    *end = at;
    return at[1] == '-' ? -strtoll(at + 2, NULL, 16)
                        : strtoll(at + 1, NULL, 16);
}

/* The address is what stands in the last brackets of the first operand; a
 * descriptor in front of it is of how it is accessed. */
static int place_of(const char *text, struct place *p)
{
    size_t length;
    const char *end, *mnemonic = teg_text_mnemonic(text, &length);

    p->guard = text;
    p->guard_length = (size_t)(mnemonic - text);
    text = mnemonic + length;
    end = strchr(text, ',');
    while (end != NULL && end > text && *end != ']')
        end--;
    if (end == NULL || end == text)
        return 0;
    p->address = end;
    while (p->address > text && *p->address != '[')
        p->address--;
    p->offset = offset_of(p->address, &end);
    p->address_length = (size_t)(end - p->address);
    return 1;
}

static int same_place(const struct place *a, const struct place *b)
{
    return a->guard_length == b->guard_length &&
           a->address_length == b->address_length &&
           memcmp(a->guard, b->guard, a->guard_length) == 0 &&
           memcmp(a->address, b->address, a->address_length) == 0;
}

static int writes(const struct teg_inst *inst, uint32_t first, uint32_t count)
{
    for (uint32_t i = 0; i < inst->dst_count; i++) {
        if (inst->dst[i].first < first + count &&
            inst->dst[i].first + inst->dst[i].count > first)
            return 1;
    }
    return 0;
}

/* Whether behind `inst` the same text may mean another place: a register of it,
 * 64 bits wide, or its guard is written. */
static int moves(const struct teg_inst *inst, const struct place *p)
{
    const char *end = p->address + p->address_length;

    if (p->guard_length != 0 && (inst->flags & INST_SETS_P) != 0)
        return 1;
    for (const char *at = p->address; at < end; at++) {
        uint32_t base = *at == 'U' ? TEG_REG_UR : TEG_REG_R;

        at += *at == 'U';
        if (at[0] == 'R' && isdigit((unsigned char)at[1]) &&
            writes(inst, base + (uint32_t)strtoul(at + 1, NULL, 10), 2))
            return 1;
    }
    return 0;
}

/* Nobody knows who comes past it; or what follows is elsewhere. */
static int ends_run(const struct teg_program *p, uint32_t i)
{
    return (p->inst[i].flags & (INST_BRANCH | INST_BARRIER | INST_EXIT)) != 0 ||
           i + 1 == p->count ||
           p->inst[i + 1].pc - p->inst[i].pc > INST_BYTES_MAX;
}

static void note(struct teg_inst *inst, int64_t from, uint32_t width)
{
    for (int64_t at = from; at < from + width; at++) {
        if (at >= -TEG_NEARBY_BYTES && at < TEG_NEARBY_BYTES)
            inst->nearby |= 1ull << (at + TEG_NEARBY_BYTES);
    }
}

void teg_program_find_nearby(struct teg_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        struct teg_inst *one = &p->inst[i];
        struct place at, other_at;

        if (!is_store(one) || !place_of(teg_program_text(p, one), &at))
            continue;
        for (uint32_t j = i; j < i + APART && !ends_run(p, j);) {
            struct teg_inst *other = &p->inst[++j];

            if (writes_memory(other)) {
                if (!is_store(other) ||
                    !place_of(teg_program_text(p, other), &other_at) ||
                    !same_place(&at, &other_at))
                    break;
                note(one, other_at.offset - at.offset, other->width);
                note(other, at.offset - other_at.offset, one->width);
            }
            if (moves(other, &at))
                break;
        }
    }
}
