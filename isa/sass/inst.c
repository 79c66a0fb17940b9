/*
 * From a decoded word to the static instruction the timing model replays.
 *
 * Class, space, width and flags come from the table that serves traces and
 * listings too (opcode.def), so that an instruction is timed alike wherever it
 * was read; registers come from the word, which names all of them.
 */
#include <string.h>

#include "isa/inst/opcode.h"
#include "isa/sass/sass.h"

struct ranges {
    struct teg_regs *list;
    uint8_t *count;
    unsigned max;
};

static int covers(const struct teg_regs *r, uint16_t first, uint16_t count)
{
    return r->first <= first && first + count <= r->first + r->count;
}

static void add(const struct ranges *r, uint16_t first, uint16_t count)
{
    unsigned n = *r->count;

    for (unsigned i = 0; i < n; i++) {
        if (covers(&r->list[i], first, count))
            return;
    }
    if (n < r->max) {
        r->list[n] = (struct teg_regs){first, count};
        *r->count = (uint8_t)(n + 1);
    }
}

/* `count` registers of a file that ends before its zero register. */
static void add_file(const struct ranges *r, unsigned base, unsigned zero,
                     unsigned reg, unsigned count)
{
    if (reg >= zero || count == 0)
        return;
    if (reg + count > zero)
        count = zero - reg;
    add(r, (uint16_t)(base + reg), (uint16_t)count);
}

static void add_predicate(const struct ranges *r, int uniform, unsigned reg)
{
    add_file(r, uniform ? TEG_REG_UP : TEG_REG_P, TEG_SASS_PT, reg, 1);
}

static void add_address(const struct ranges *r,
                        const struct teg_sass_operand *o)
{
    if (o->reg != TEG_SASS_NONE)
        add_file(r, TEG_REG_R, TEG_SASS_RZ, o->reg, o->count);
    if (o->ureg != TEG_SASS_NONE)
        add_file(r, TEG_REG_UR, TEG_SASS_URZ, o->ureg,
                 o->flags & SASS_DESCRIPTOR && o->text != NULL ? o->count
                 : o->flags & (SASS_WIDE | SASS_DESCRIPTOR)    ? 2
                                                               : 1);
}

static void add_constant(const struct ranges *r,
                         const struct teg_sass_operand *o)
{
    if (!(o->flags & SASS_INDEXED))
        return;
    if (o->flags & SASS_UNIFORM_INDEX)
        add_file(r, TEG_REG_UR, TEG_SASS_URZ, o->reg, 1);
    else
        add_file(r, TEG_REG_R, TEG_SASS_RZ, o->reg, 1);
}

/* "PR", "UPR": all predicates. */
static void add_all_predicates(const struct ranges *r,
                               const struct teg_sass_operand *o)
{
    add(r, o->text[0] == 'U' ? TEG_REG_UP : TEG_REG_P, TEG_SASS_PT);
}

static int is_all_predicates(const struct teg_sass_operand *o)
{
    return strncmp(o->text, "PR'", 3) == 0 || strncmp(o->text, "UPR'", 4) == 0;
}

static void add_operand(const struct ranges *r,
                        const struct teg_sass_operand *o)
{
    switch ((enum teg_sass_kind)o->kind) {
    case SASS_REGISTER:
        add_file(r, TEG_REG_R, TEG_SASS_RZ, o->reg, o->count);
        break;
    case SASS_UNIFORM:
        add_file(r, TEG_REG_UR, TEG_SASS_URZ, o->reg, o->count);
        break;
    case SASS_PREDICATE:
    case SASS_UPREDICATE:
        add_predicate(r, o->kind == SASS_UPREDICATE, o->reg);
        break;
    case SASS_ADDRESS:
        add_address(r, o);
        break;
    case SASS_CONSTANT:
        add_constant(r, o);
        break;
    case SASS_LITERAL:
        if (is_all_predicates(o))
            add_all_predicates(r, o);
        break;
    case SASS_IMMEDIATE:
    case SASS_TARGET:
    case SASS_NAMED:
        break;
    }
}

/* R2P writes its first operand, which is the file of predicates. */
static int is_written(const struct teg_sass *s, unsigned i)
{
    return s->operand[i].flags & SASS_DST ||
           (i == 0 && s->operand[i].kind == SASS_LITERAL);
}

static int is_predicate(const struct teg_sass_operand *o)
{
    return o->kind == SASS_PREDICATE || o->kind == SASS_UPREDICATE;
}

/* What the word says of predicates outweighs the table's guess. */
static void set_predicate_flags(const struct teg_sass *s, struct teg_inst *inst)
{
    inst->flags &= (uint16_t) ~(INST_SETS_P | INST_READS_P);
    for (unsigned i = 0; i < s->operand_count; i++) {
        const struct teg_sass_operand *o = &s->operand[i];

        if (o->kind == SASS_LITERAL && is_all_predicates(o))
            inst->flags |= is_written(s, i) ? INST_SETS_P : INST_READS_P;
        else if (is_predicate(o) && o->reg != TEG_SASS_PT)
            inst->flags |= is_written(s, i) ? INST_SETS_P : INST_READS_P;
    }
}

void teg_sass_inst(const struct teg_sass *s, struct teg_inst *inst)
{
    static const struct teg_operands none;
    struct ranges dst = {inst->dst, &inst->dst_count, TEG_INST_DST_MAX};
    struct ranges src = {inst->src, &inst->src_count, TEG_INST_SRC_MAX};
    char opcode[TEG_SASS_TEXT];

    *inst = (struct teg_inst){.pc = s->pc};
    teg_sass_opcode(s, opcode);
    teg_inst_from_opcode(inst, opcode, s->cc, &none);
    inst->pc = s->pc;
    inst->control = s->control;
    inst->dst_count = inst->src_count = 0;
    memset(inst->dst, 0, sizeof inst->dst);
    memset(inst->src, 0, sizeof inst->src);
    for (unsigned i = 0; i < s->operand_count; i++)
        add_operand(is_written(s, i) ? &dst : &src, &s->operand[i]);
    add_predicate(&src, s->guard_uniform, s->guard);
    set_predicate_flags(s, inst);
}
