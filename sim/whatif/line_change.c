#include "sim/whatif/line_change.h"

#include <stdlib.h>
#include <string.h>

enum {
    LINE_BYTES = 128,
    SECTOR_BYTES = 32,
    WORD_BYTES = 4,
    WIDEST = 16, /* bytes of a lane */
};

static int ends_with_path(const char *path, const char *end)
{
    size_t all = strlen(path), own = strlen(end);

    return own <= all && strcmp(path + all - own, end) == 0 &&
           (own == all || path[all - own - 1] == '/');
}

/* Whether "b.cu:9" is one of "a.cu:5 < b.cu:9". */
static int is_called_from(const char *calls, const struct line_place *p)
{
    const char *slash = strrchr(p->file, '/');
    const char *name = slash != NULL ? slash + 1 : p->file;
    size_t length = strlen(name);

    while (calls[0] != '\0') {
        if (strncmp(calls, name, length) == 0 && calls[length] == ':' &&
            strtoul(calls + length + 1, NULL, 10) == p->line)
            return 1;
        calls += strcspn(calls, "<");
        calls += strspn(calls, "< ");
    }
    return 0;
}

int line_place_has(const struct line_place *p,
                   const struct teg_program *program,
                   const struct teg_inst *inst)
{
    if (p->line == 0)
        return 1;
    return (inst->line == p->line &&
            ends_with_path(teg_program_file(program, inst), p->file)) ||
           is_called_from(teg_program_call(program, inst), p);
}

/* ---- changes -------------------------------------------------------------- */

static uint32_t width_of(const struct teg_inst *inst)
{
    uint32_t width = inst->width != 0 ? inst->width : WORD_BYTES;

    return width < WIDEST ? width : WIDEST;
}

static int is_shared(const struct teg_kernel *k, const struct teg_inst *inst,
                     uint64_t address)
{
    return inst->space == SPACE_SHARED ||
           (inst->space == SPACE_GENERIC &&
            teg_kernel_in_shared(k, address) != UINT64_MAX);
}

static uint32_t first_lane(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

/* Lanes whose sector none before them wants. */
static uint32_t sectors(uint32_t mask, const uint64_t lane[TEG_LANES])
{
    uint32_t count = 0;

    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        uint64_t own = lane[first_lane(rest)] / SECTOR_BYTES;
        uint32_t before = mask & ~rest;

        while (before != 0 && lane[first_lane(before)] / SECTOR_BYTES != own)
            before &= before - 1;
        count += before == 0;
    }
    return count;
}

/* Active lanes side by side from `base` on. */
static void pack(uint32_t mask, uint64_t base, uint32_t width,
                 uint64_t lane[TEG_LANES])
{
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        lane[first_lane(rest)] = base;
        base += width;
    }
}

int line_change_without(const struct teg_kernel *k, const struct teg_inst *inst,
                        uint32_t *mask, uint64_t lane[TEG_LANES])
{
    (void)k, (void)mask, (void)lane;
    return teg_inst_meets_others(inst) || (inst->flags & INST_EXIT) != 0;
}

/* The lane whose line they are packed into goes by where in its line the first
 * lane's element is, as sim/memory/coalesce.c has it: accesses that walk along
 * rows still read all of them. */
int line_change_coalesced(const struct teg_kernel *k,
                          const struct teg_inst *inst, uint32_t *mask,
                          uint64_t lane[TEG_LANES])
{
    uint32_t width = width_of(inst), rest = *mask, element;
    uint32_t lanes = (uint32_t)__builtin_popcount(*mask);
    uint64_t base;

    if (*mask == 0 || inst->space == SPACE_CONST ||
        is_shared(k, inst, lane[first_lane(*mask)]) ||
        (lanes * width + SECTOR_BYTES - 1) / SECTOR_BYTES >=
            sectors(*mask, lane))
        return 1;
    element = (uint32_t)(lane[first_lane(*mask)] % LINE_BYTES) / width;
    for (element %= lanes; element > 0; element--)
        rest &= rest - 1;
    base = lane[first_lane(rest)];
    base -= base % (lanes * width > SECTOR_BYTES ? LINE_BYTES : SECTOR_BYTES);
    pack(*mask, base, width, lane);
    return 1;
}

int line_change_no_bank_conflicts(const struct teg_kernel *k,
                                  const struct teg_inst *inst, uint32_t *mask,
                                  uint64_t lane[TEG_LANES])
{
    uint32_t width = width_of(inst);
    uint64_t base;

    if (*mask == 0 || !is_shared(k, inst, lane[first_lane(*mask)]) ||
        (inst->flags & INST_ATOMIC) != 0)
        return 1;
    base = lane[first_lane(*mask)];
    base -= base % ((uint64_t)width * TEG_LANES);
    for (uint32_t rest = *mask; rest != 0; rest &= rest - 1)
        lane[first_lane(rest)] = base + (uint64_t)width * first_lane(rest);
    return 1;
}

int line_change_no_atomic_conflicts(const struct teg_kernel *k,
                                    const struct teg_inst *inst, uint32_t *mask,
                                    uint64_t lane[TEG_LANES])
{
    uint32_t kept = 0;

    (void)k;
    for (uint32_t rest = *mask; rest != 0; rest &= rest - 1) {
        uint64_t word = lane[first_lane(rest)] / WORD_BYTES;
        uint32_t before = kept;

        while (before != 0 && lane[first_lane(before)] / WORD_BYTES != word)
            before &= before - 1;
        if (before == 0)
            kept |= 1u << first_lane(rest);
    }
    if ((inst->flags & INST_ATOMIC) != 0)
        *mask = kept;
    return 1;
}

/* ---- a block -------------------------------------------------------------- */

/* Executions with values besides addresses (copies, cluster accesses) stay. */
static void change_one(line_change *change, const struct teg_kernel *k,
                       struct teg_cursor *c, struct teg_block_builder *b)
{
    const struct teg_inst *inst = &k->program.inst[c->inst];
    uint64_t lane[TEG_LANES] = {0};
    struct teg_access a;
    uint32_t mask = 0;

    if (inst->values != 0 || !teg_inst_has_addresses(inst) || c->mask == 0) {
        if (change(k, inst, &mask, lane))
            teg_block_builder_copy(b, c->inst, c);
        return;
    }
    teg_cursor_access(c, &a);
    mask = c->mask;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1)
        lane[first_lane(rest)] = teg_access_lane(&a, first_lane(rest));
    if (change(k, inst, &mask, lane))
        teg_block_builder_inst(b, c->inst, mask, lane);
}

void line_change_block(line_change *change, const struct line_place *place,
                       const struct teg_kernel *k, struct teg_block *from,
                       struct teg_block_builder *b)
{
    for (uint32_t i = 0; i < teg_block_warps(from); i++) {
        struct teg_cursor c;

        teg_block_builder_warp(b, teg_block_warp_id(from, i));
        teg_cursor_init(&c, from, i);
        while (teg_cursor_next(&c)) {
            if (line_place_has(place, &k->program, &k->program.inst[c.inst]))
                change_one(change, k, &c, b);
            else
                teg_block_builder_copy(b, c.inst, &c);
        }
    }
}
