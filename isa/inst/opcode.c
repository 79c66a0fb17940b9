#include "isa/inst/opcode.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANY = 999, /* compute capability of a row that still holds */
    CC_FERMI = 20,
};

/* Flags of a row beyond enum teg_inst_flag; see opcode.def. */
enum {
    OP_P_FIRST = 1 << 16,
    OP_P_IF_NO_DST = 1 << 17,
    OP_CARRY = 1 << 18,
    OP_UNIFORM_OUT = 1 << 19,
    OP_UNIFORM_IN = 1 << 20,
    OP_CONVERT = 1 << 21,
    OP_UNALIGNED = 1 << 22,
    INST_FLAGS = 0xffff,
};

struct row {
    const char *name;
    uint8_t op_class, space;
    uint16_t first, last;
    uint32_t flags;
    const char *regs;
};

/* Sorted by name, then by `first`. */
static const struct row rows[] = {
#define OP(name, class, space, regs, first, last, flags) \
    {name, CLASS_##class, SPACE_##space, first, last, flags, regs},
#include "isa/inst/opcode.def"
#undef OP
};

enum {
    ROWS = sizeof rows / sizeof rows[0]
};

/*
 * What an unknown mnemonic is taken for: the first row whose text begins the
 * mnemonic or, after a '*', occurs in it.
 */
static const struct row guesses[] = {
    {"*GMMA", CLASS_GMMA, SPACE_NONE, 0, ANY, OP_UNALIGNED, "N:N"},
    {"*MMA", CLASS_HMMA, SPACE_NONE, 0, ANY, OP_UNALIGNED, "4:424"},
    {"LDS", CLASS_LDS, SPACE_SHARED, 0, ANY, INST_LOAD, "w:1"},
    {"LDL", CLASS_LDL, SPACE_LOCAL, 0, ANY, INST_LOAD, "w:1"},
    {"LDC", CLASS_LDC, SPACE_CONST, 0, ANY, INST_LOAD, "w:1"},
    {"LDG", CLASS_LDG, SPACE_GENERIC, 0, ANY, INST_LOAD, "w:a"},
    {"LD", CLASS_LD, SPACE_GENERIC, 0, ANY, INST_LOAD, "w:a"},
    {"GLD", CLASS_LDG, SPACE_GLOBAL, 0, ANY, INST_LOAD, "w:1"},
    {"STS", CLASS_STS, SPACE_SHARED, 0, ANY, INST_STORE, "1:1w"},
    {"STL", CLASS_STL, SPACE_LOCAL, 0, ANY, INST_STORE, "1:1w"},
    {"STG", CLASS_STG, SPACE_GENERIC, 0, ANY, INST_STORE, "1:aw"},
    {"ST", CLASS_ST, SPACE_GENERIC, 0, ANY, INST_STORE, "1:aw"},
    {"GST", CLASS_STG, SPACE_GLOBAL, 0, ANY, INST_STORE, "1:1w"},
    {"ATOMS", CLASS_ATOMS, SPACE_SHARED, 0, ANY, INST_ATOMIC, "w:1ww"},
    {"ATOM", CLASS_ATOMG, SPACE_GENERIC, 0, ANY,
     INST_ATOMIC | INST_BYPASS_L1 | OP_P_FIRST, "w:aww"},
    {"RED", CLASS_RED, SPACE_GENERIC, 0, ANY, INST_ATOMIC | INST_BYPASS_L1,
     "1:aw"},
    {"BAR", CLASS_BARRIER, SPACE_NONE, 0, ANY, INST_BARRIER, ""},
    {"*BAR", CLASS_MEMBAR, SPACE_NONE, 0, ANY, 0, ""},
    {"TEX", CLASS_TEX, SPACE_TEXTURE, 0, ANY, INST_LOAD, ""},
    {"TLD", CLASS_TEX, SPACE_TEXTURE, 0, ANY, INST_LOAD, ""},
    {"TX", CLASS_TEX, SPACE_TEXTURE, 0, ANY, INST_LOAD, ""},
    {"SULD", CLASS_SURFACE, SPACE_TEXTURE, 0, ANY, INST_LOAD, ""},
    {"SUST", CLASS_SURFACE, SPACE_TEXTURE, 0, ANY, INST_STORE, ""},
    {"BR", CLASS_BRANCH, SPACE_NONE, 0, ANY, INST_BRANCH, ""},
    {"JM", CLASS_BRANCH, SPACE_NONE, 0, ANY, INST_BRANCH, ""},
    {"CAL", CLASS_BRANCH, SPACE_NONE, 0, ANY, INST_BRANCH, ""},
    {"RET", CLASS_BRANCH, SPACE_NONE, 0, ANY, INST_BRANCH, ""},
    {"EXIT", CLASS_EXIT, SPACE_NONE, 0, ANY, INST_EXIT, ""},
    {"MUFU", CLASS_SFU, SPACE_NONE, 0, ANY, 0, ""},
    {"VOTE", CLASS_VOTE, SPACE_NONE, 0, ANY, 0, ""},
    {"F2", CLASS_CONVERT, SPACE_NONE, 0, ANY, OP_CONVERT, "L:F"},
    {"I2", CLASS_CONVERT, SPACE_NONE, 0, ANY, OP_CONVERT, "F:L"},
    {"U", CLASS_UNIFORM, SPACE_NONE, 0, ANY, OP_UNIFORM_OUT | OP_UNIFORM_IN,
     ""},
    {"F", CLASS_FADD, SPACE_NONE, 0, ANY, 0, ""},
    {"D", CLASS_DADD, SPACE_NONE, 0, ANY, 0, "2:222"},
    {"H", CLASS_HALF, SPACE_NONE, 0, ANY, 0, ""},
    {"", CLASS_IADD, SPACE_NONE, 0, ANY, 0, ""},
};

/* What a modifier can mean besides a width. */
enum {
    MOD_INTEGER = 1 << 0, /* a number type */
    MOD_FLOAT = 1 << 1,   /* a number type */
    MOD_E = 1 << 2,       /* 64-bit address */
    MOD_X = 1 << 3,       /* adds a carry */
    MOD_EX = 1 << 4,      /* combines with the comparison of low words */
    MOD_32 = 1 << 5,
    MOD_STRONG = 1 << 6,
    MOD_SCOPE = 1 << 7,    /* wider than the SM */
    MOD_BYPASS = 1 << 8,   /* past L1 whatever the scope */
    MOD_MATRICES = 1 << 9, /* the value counts matrices */
};

static const struct modifier {
    const char *text;
    uint16_t flags;
    uint16_t value; /* bytes of an access; matrices */
} modifier_table[] = {
    {"U8", MOD_INTEGER, 1},
    {"S8", MOD_INTEGER, 1},
    {"U16", MOD_INTEGER, 2},
    {"S16", MOD_INTEGER, 2},
    {"U32", MOD_INTEGER, 4},
    {"S32", MOD_INTEGER, 4},
    {"U64", MOD_INTEGER, 8},
    {"S64", MOD_INTEGER, 8},
    {"U128", MOD_INTEGER, 16},
    {"S128", MOD_INTEGER, 16},
    {"F16", MOD_FLOAT, 2},
    {"BF16", MOD_FLOAT, 2},
    {"F32", MOD_FLOAT, 4},
    {"F64", MOD_FLOAT, 8},
    {"BF16_V2", 0, 4},
    {"F16x2", 0, 4},
    {"F16x4", 0, 8},
    {"F16x8", 0, 16},
    {"BF16x2", 0, 4},
    {"BF16x4", 0, 8},
    {"BF16x8", 0, 16},
    {"F32x2", MOD_FLOAT, 8},
    {"F32x4", MOD_FLOAT, 16},
    {"32", MOD_32, 4},
    {"64", 0, 8},
    {"128", 0, 16},
    {"256", 0, 32},
    {"B32", 0, 4},
    {"B64", 0, 8},
    {"B128", 0, 16},
    {"E", MOD_E, 0},
    {"X", MOD_X, 0},
    {"EX", MOD_EX, 0},
    {"STRONG", MOD_STRONG, 0},
    {"GPU", MOD_SCOPE, 0},
    {"SYS", MOD_SCOPE, 0},
    {"MMIO", MOD_BYPASS, 0},
    {"CG", MOD_BYPASS, 0},
    {"CV", MOD_BYPASS, 0},
    {"BYPASS", MOD_BYPASS, 0},
    {"1", MOD_MATRICES, 1},
    {"2", MOD_MATRICES, 2},
    {"4", MOD_MATRICES, 4},
};

enum {
    MODIFIERS = sizeof modifier_table / sizeof modifier_table[0]
};

/* What all modifiers of an opcode say together. */
struct modifiers {
    uint32_t flags;    /* MOD_* of all of them */
    uint32_t width;    /* bytes, 0: none names one */
    uint32_t matrices; /* of LDSM, 0: none */
    uint32_t columns;  /* N of .64xNxK, 0: none */
    uint32_t types;    /* number types named so far */
    uint8_t f64[2];    /* whether the first, the second is F64 */
    uint8_t any_f64, any_i64, first_f16;
};

/* Compares the first `length` characters of `text` with all of `name`. */
static int compare(const char *text, size_t length, const char *name)
{
    int order = strncmp(text, name, length);

    return order != 0 || name[length] == '\0' ? order : -1;
}

/* Returns the first row of that name, or NULL. */
static const struct row *find_name(const char *text, size_t length)
{
    size_t low = 0, high = ROWS;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (compare(text, length, rows[middle].name) > 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low < ROWS && compare(text, length, rows[low].name) == 0)
        return &rows[low];
    return NULL;
}

static size_t shorten(const char *opcode, size_t length)
{
    while (length > 0 && opcode[length - 1] != '.')
        length--;
    return length > 0 ? length - 1 : 0;
}

/*
 * The longest name that holds for `cc`, else the longest name at all: a
 * header can lie about the generation, the mnemonic cannot.
 */
static const struct row *find(const char *opcode, uint32_t cc)
{
    const struct row *other = NULL;

    for (size_t n = strlen(opcode); n > 0; n = shorten(opcode, n)) {
        const struct row *row = find_name(opcode, n);

        if (row == NULL)
            continue;
        if (other == NULL)
            other = row;
        for (; row < rows + ROWS && compare(opcode, n, row->name) == 0; row++)
            if (row->first <= cc && cc <= row->last)
                return row;
    }
    return other;
}

static const struct row *guess(const char *opcode)
{
    const struct row *row = guesses;

    for (;; row++) {
        const char *name = row->name;

        if (name[0] == '*' ? strstr(opcode, name + 1) != NULL
                           : strncmp(opcode, name, strlen(name)) == 0)
            return row;
    }
}

static void add_type(struct modifiers *m, const struct modifier *t)
{
    int is_float = (t->flags & MOD_FLOAT) != 0;

    if (m->types == 0)
        m->first_f16 = is_float && t->value == 2;
    if (m->types < 2)
        m->f64[m->types] = is_float && t->value == 8;
    m->types++;
    m->any_f64 |= is_float && t->value == 8;
    m->any_i64 |= !is_float && t->value == 8;
}

static void add_modifier(struct modifiers *m, const struct modifier *t)
{
    m->flags |= t->flags;
    if (t->flags & (MOD_INTEGER | MOD_FLOAT))
        add_type(m, t);
    if (t->flags & MOD_MATRICES)
        m->matrices = t->value;
    else if (m->width == 0)
        m->width = t->value;
}

/* Reads N of "64xNxK". */
static uint32_t columns_of(const char *text, size_t length)
{
    uint32_t n = 0;

    if (length < 4 || strncmp(text, "64x", 3) != 0)
        return 0;
    for (size_t i = 3; i < length && text[i] >= '0' && text[i] <= '9'; i++)
        n = n < 1000 ? n * 10 + (uint32_t)(text[i] - '0') : n;
    return n;
}

static struct modifiers read_modifiers(const char *opcode)
{
    struct modifiers m = {0};
    const char *at = strchr(opcode, '.');

    while (at != NULL) {
        const char *text = at + 1;
        size_t length;

        at = strchr(text, '.');
        length = at != NULL ? (size_t)(at - text) : strlen(text);
        for (size_t i = 0; i < MODIFIERS; i++) {
            if (compare(text, length, modifier_table[i].text) == 0)
                add_modifier(&m, &modifier_table[i]);
        }
        if (m.columns == 0)
            m.columns = columns_of(text, length);
    }
    return m;
}

static uint16_t width_of(const struct row *row, const struct modifiers *m)
{
    if (row->space == SPACE_NONE)
        return 0;
    /* A lane gets one 32-bit register of each matrix. */
    if (row->op_class == CLASS_LDSM)
        return (uint16_t)(m->matrices != 0 ? 4 * m->matrices : 4);
    return (uint16_t)(m->width != 0 ? m->width : 4);
}

/* Everything the register rules look at. */
struct look_up {
    const struct row *row;
    struct modifiers m;
    uint32_t cc;
    uint16_t width;
};

/* Registers of an operand by its letter in opcode.def. */
static uint32_t registers_of(const struct look_up *l, char rule)
{
    const struct modifiers *m = &l->m;

    switch (rule) {
    case 'w':
        return l->width > 4 ? l->width / 4u : 1;
    case 'a':
        return m->flags & MOD_E && l->cc >= CC_FERMI ? 2 : 1;
    case 'C':
        return m->flags & MOD_32 ? 1 : 2;
    case 'F':
        return m->any_f64 ? 2 : 1;
    case 'L':
        return m->any_i64 ? 2 : 1;
    case 'T':
        return m->f64[0] ? 2 : 1;
    case 'S':
        return m->f64[1] ? 2 : 1;
    case 'G':
        return 16;
    case 'N': /* 64 x N accumulators over 128 threads */
        return m->columns >= 8 ? m->columns / (m->first_f16 ? 4 : 2) : 1;
    default:
        return rule >= '1' && rule <= '8' ? (uint32_t)(rule - '0') : 1;
    }
}

static int is_vector(uint16_t r)
{
    return r < TEG_REG_P;
}

static int is_uniform(uint16_t r)
{
    return (r >= TEG_REG_UR && r < TEG_REG_UP) || r == TEG_REG_ANY_UR;
}

static int is_predicate(uint16_t r)
{
    return (r >= TEG_REG_P && r < TEG_REG_UR) ||
           (r >= TEG_REG_UP && r < TEG_REG_A) || r == TEG_REG_ANY_P;
}

static int is_carry(uint16_t r)
{
    return is_predicate(r) || (r >= TEG_REG_C && r < TEG_REG_ANY_P);
}

/* Whether `r` takes a place of the rule string: predicates do not. */
static int has_place(uint16_t r)
{
    return is_vector(r) || is_uniform(r);
}

/* Number of registers `r` stands for if its operand has `count` of them. */
static uint16_t widened(const struct look_up *l, uint16_t r, uint32_t count)
{
    uint32_t index = is_vector(r) ? r : (uint32_t)r - TEG_REG_UR;

    if (!has_place(r) || index + count > 255)
        return 1;
    if (!(l->row->flags & OP_UNALIGNED) && index % (count < 4 ? count : 4) != 0)
        return 1;
    return (uint16_t)count;
}

/* Adds `count` registers from `first` unless they are there; what does not
 * fit into `max` ranges is left out. */
static void add(struct teg_regs *list, uint8_t *n, unsigned max, uint16_t first,
                uint16_t count)
{
    if (first == TEG_OPERAND_ZERO)
        return;
    for (unsigned i = 0; i < *n; i++) {
        if (list[i].first <= first &&
            first + count <= list[i].first + list[i].count)
            return;
    }
    if (*n > 0 && list[*n - 1].first + list[*n - 1].count == first)
        list[*n - 1].count = (uint16_t)(list[*n - 1].count + count);
    else if (*n < max)
        list[(*n)++] = (struct teg_regs){first, count};
}

static void add_dst(struct teg_inst *inst, uint16_t first, uint16_t count)
{
    add(inst->dst, &inst->dst_count, TEG_INST_DST_MAX, first, count);
}

static void add_src(struct teg_inst *inst, uint16_t first, uint16_t count)
{
    add(inst->src, &inst->src_count, TEG_INST_SRC_MAX, first, count);
}

static unsigned places(const uint16_t *list, unsigned count)
{
    unsigned n = 0;

    for (unsigned i = 0; i < count; i++)
        n += has_place(list[i]) != 0;
    return n;
}

static void fill_dst(struct teg_inst *inst, const struct look_up *l,
                     const struct teg_operands *o)
{
    uint32_t count = registers_of(l, l->row->regs[0]);

    /* A trace that lists several lists all of them. */
    if (places(o->dst, o->dst_count) > 1)
        count = 1;
    for (unsigned i = 0; i < o->dst_count; i++)
        add_dst(inst, o->dst[i], widened(l, o->dst[i], count));
}

static void fill_src(struct teg_inst *inst, const struct look_up *l,
                     const struct teg_operands *o)
{
    const char *rule = strchr(l->row->regs, ':');

    rule = rule != NULL ? rule + 1 : "";
    if (places(o->src, o->src_count) > strlen(rule))
        rule = "";
    for (unsigned i = 0; i < o->src_count; i++) {
        uint32_t count = 1;

        if (has_place(o->src[i]) && *rule != '\0')
            count = registers_of(l, *rule++);
        add_src(inst, o->src[i], widened(l, o->src[i], count));
    }
}

/* "SHFL.DOWN 0 destinations, 3 sources": the tracer takes a register for a
 * destination only if it is the first operand printed, and here a predicate
 * is. */
static void move_destination(struct teg_operands *o)
{
    if (o->dst_count != 0 || o->src_count == 0)
        return;
    o->dst[0] = o->src[0];
    o->dst_count = 1;
    o->src_count--;
    memmove(o->src, o->src + 1, o->src_count * sizeof o->src[0]);
}

static int any(const struct teg_regs *list, unsigned count,
               int (*is)(uint16_t r))
{
    for (unsigned i = 0; i < count; i++) {
        if (is(list[i].first))
            return 1;
    }
    return 0;
}

static int is_uniform_any(uint16_t r)
{
    return is_uniform(r) || (r >= TEG_REG_UP && r < TEG_REG_A);
}

static void add_stand_ins(struct teg_inst *inst, const struct look_up *l)
{
    uint32_t flags = l->row->flags;
    int sets_p = (inst->flags & INST_SETS_P) != 0;
    int reads_p = (inst->flags & INST_READS_P) != 0;

    if (reads_p && !any(inst->src, inst->src_count, is_predicate))
        add_src(inst, TEG_REG_ANY_P, 1);
    if (flags & OP_UNIFORM_IN && inst->src_count == 0)
        add_src(inst, TEG_REG_ANY_UR, 1);
    if (l->m.flags & MOD_X && !(flags & OP_UNIFORM_OUT) &&
        !any(inst->src, inst->src_count, is_carry))
        add_src(inst, TEG_REG_C, 1);
    if (sets_p && !any(inst->dst, inst->dst_count, is_predicate))
        add_dst(inst, TEG_REG_ANY_P, 1);
    if (flags & OP_UNIFORM_OUT &&
        !any(inst->dst, inst->dst_count, is_uniform_any))
        add_dst(inst, TEG_REG_ANY_UR, 1);
    if (flags & OP_CARRY && !any(inst->dst, inst->dst_count, is_carry))
        add_dst(inst, TEG_REG_C, 1);
}

/* ".STRONG.GPU" looks at a common point of all SMs; ".SYS" alone, on Volta and
 * Turing, says nothing. */
static int is_past_l1(const struct modifiers *m)
{
    return m->flags & MOD_BYPASS ||
           (m->flags & MOD_STRONG && m->flags & MOD_SCOPE);
}

static uint16_t flags_of(const struct look_up *l, int known,
                         const struct teg_operands *listed)
{
    uint32_t flags = l->row->flags & INST_FLAGS;

    if (!known)
        flags |= INST_UNKNOWN;
    if (is_past_l1(&l->m) && l->row->space != SPACE_NONE)
        flags |= INST_BYPASS_L1;
    if (l->m.flags & MOD_EX)
        flags |= INST_READS_P;
    if (l->row->flags & OP_P_IF_NO_DST && listed->dst_count == 0)
        flags |= INST_SETS_P;
    return (uint16_t)flags;
}

void teg_inst_from_opcode(struct teg_inst *inst, const char *opcode,
                          uint32_t cc, const struct teg_operands *operands)
{
    struct teg_operands o = *operands;
    const struct row *known = find(opcode, cc);
    struct look_up l = {
        .row = known != NULL ? known : guess(opcode),
        .m = read_modifiers(opcode),
        .cc = cc,
    };

    l.width = width_of(l.row, &l.m);
    inst->op_class = l.row->op_class;
    if (l.row->flags & OP_CONVERT && (l.m.any_f64 || l.m.any_i64))
        inst->op_class = CLASS_CONVERT64;
    inst->space = l.row->space;
    inst->width = l.width;
    inst->flags = flags_of(&l, known != NULL, &o);
    inst->dst_count = inst->src_count = 0;
    if (l.row->flags & OP_P_FIRST)
        move_destination(&o);
    fill_dst(inst, &l, &o);
    fill_src(inst, &l, &o);
    /* Listings of GT200 name every register they use. */
    if (cc >= CC_FERMI)
        add_stand_ins(inst, &l);
}

enum teg_op_class teg_text_class(const char *text, uint32_t cc)
{
    char opcode[64];
    size_t length;
    const char *at = teg_text_mnemonic(text, &length);
    const struct row *row;

    if (length >= sizeof opcode)
        return TEG_CLASSES;
    memcpy(opcode, at, length);
    opcode[length] = '\0';
    row = find(opcode, cc);
    return row != NULL ? (enum teg_op_class)row->op_class : TEG_CLASSES;
}

/* Register files: longest prefix first. */
static const struct {
    const char *prefix;
    int base;
    int last; /* largest index that carries a dependence */
    int zero; /* index of the constant register, -1: none */
} files[] = {
    {"UR", TEG_REG_UR, 254, 255}, {"UP", TEG_REG_UP, 6, 7},
    {"R", TEG_REG_R, 254, 255},   {"P", TEG_REG_P, 6, 7},
    {"A", TEG_REG_A, 4, 0},       {"C", TEG_REG_C, 3, -1},
};

enum {
    FILES = sizeof files / sizeof files[0]
};

static const char *const constants[] = {"RZ", "PT", "URZ", "UPT"};

static int parse_index(const char *text, size_t length)
{
    int n = 0;

    if (length == 0 || length > 3)
        return -1;
    for (size_t i = 0; i < length; i++) {
        if (text[i] < '0' || text[i] > '9')
            return -1;
        n = n * 10 + (text[i] - '0');
    }
    return n;
}

int teg_register_parse(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof constants / sizeof constants[0]; i++) {
        if (compare(text, length, constants[i]) == 0)
            return -1;
    }
    for (size_t i = 0; i < FILES; i++) {
        size_t skip = strlen(files[i].prefix);
        size_t digits = length;
        int index;

        if (length <= skip || strncmp(text, files[i].prefix, skip) != 0)
            continue;
        /* GT200 names halves of a register R0L and R0H. */
        if (files[i].base == TEG_REG_R &&
            (text[length - 1] == 'L' || text[length - 1] == 'H'))
            digits--;
        index = parse_index(text + skip, digits - skip);
        if (index < 0)
            return -2;
        if (index == files[i].zero)
            return -1;
        return index <= files[i].last ? files[i].base + index : -2;
    }
    return -2;
}

const char *teg_register_name(uint16_t number, char out[8])
{
    if (number == TEG_REG_ANY_P || number == TEG_REG_ANY_UR) {
        snprintf(out, 8, "%s", number == TEG_REG_ANY_P ? "P?" : "UR?");
        return out;
    }
    for (size_t i = 0; i < FILES; i++) {
        if (number >= files[i].base &&
            number <= files[i].base + files[i].last) {
            snprintf(out, 8, "%s%u", files[i].prefix,
                     (unsigned)(number - files[i].base) % 1000);
            return out;
        }
    }
    snprintf(out, 8, "?%u", number % 1000u);
    return out;
}
