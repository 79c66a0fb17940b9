/*
 * The text of a decoded instruction, as NVIDIA's disassembler prints it.
 */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/sass/row.h"

/* Text that is cut, never overrun. */
struct line {
    char *out;
    size_t size, used;
};

static void put(struct line *l, const char *format, ...) TEG_PRINTF(2, 3);

static void put(struct line *l, const char *format, ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(l->out + l->used, l->size - l->used, format, args);
    va_end(args);
    l->used += n > 0 ? (size_t)n : 0;
    if (l->used >= l->size)
        l->used = l->size - 1;
}

/* ".RM", or "" for a value without text. */
static void put_value(struct line *l, uint8_t table, uint32_t value)
{
    size_t length;
    const char *text = sass_kind_text(table, value, &length);

    if (text == NULL)
        put(l, ".INVALID%" PRIu32, value);
    else if (length > 0)
        put(l, ".%.*s", (int)length, text);
}

static void put_modifiers(struct line *l, const struct teg_sass *s)
{
    const char *at = s->modifiers;
    struct sass_token token;
    unsigned next = 0;

    while (sass_token_next(&at, &token)) {
        const struct teg_sass_modifier *m;

        if (token.bits == NULL) {
            put(l, "%.*s", (int)token.length, token.text);
            continue;
        }
        m = &s->modifier[next++];
        if (token.text[0] != '_')
            put_value(l, m->table, m->value);
    }
}

/* Nine digits at most without an exponent; what has no digits has a blank
 * behind it. */
static void put_float(struct line *l, double v)
{
    if (isinf(v))
        put(l, "%cINF ", v < 0 ? '-' : '+');
    else if (v == 0 && signbit(v))
        put(l, "-0.0 ");
    else if (fabs(v) >= 1e9)
        put(l, "%.20e", v);
    else
        put(l, "%.20g", v);
}

/* A not-a-number is named by its bits: conversions would quiet it. */
static int put_nan(struct line *l, uint64_t raw, unsigned exponent_bits,
                   unsigned fraction_bits)
{
    uint64_t exponent = raw >> fraction_bits & ((1u << exponent_bits) - 1);
    uint64_t fraction = raw & ((UINT64_C(1) << fraction_bits) - 1);

    if (exponent != (1u << exponent_bits) - 1 || fraction == 0)
        return 0;
    put(l, "%c%cNAN ", raw >> (exponent_bits + fraction_bits) ? '-' : '+',
        fraction >> (fraction_bits - 1) ? 'Q' : 'S');
    return 1;
}

static void put_single(struct line *l, uint32_t raw)
{
    float v;

    memcpy(&v, &raw, sizeof v);
    if (!put_nan(l, raw, 8, 23))
        put_float(l, (double)v);
}

/* The immediate is the upper word of the double. */
static void put_double(struct line *l, uint32_t high)
{
    uint64_t raw = (uint64_t)high << 32;
    double v;

    memcpy(&v, &raw, sizeof v);
    if (!put_nan(l, raw, 11, 52))
        put_float(l, v);
}

static void put_half(struct line *l, uint32_t raw)
{
    uint32_t exponent = raw >> 10 & 31, fraction = raw & 0x3ff;
    double v = exponent == 31  ? (double)INFINITY
               : exponent == 0 ? ldexp(fraction, -24)
                               : ldexp(fraction + 1024, (int)exponent - 25);

    if (!put_nan(l, raw, 5, 10))
        put_float(l, raw >> 15 ? -v : v);
}

static void put_hex(struct line *l, int64_t v)
{
    if (v < 0)
        put(l, "-0x%" PRIx64, (uint64_t)0 - (uint64_t)v);
    else
        put(l, "0x%" PRIx64, (uint64_t)v);
}

/* FSWZADD: two signs of a lane pair per letter pair, first lane on top. */
static void put_signs(struct line *l, uint32_t v)
{
    static const char pair[4][3] = {"PP", "PN", "NP", "ZP"};

    for (int i = 0; i < 4; i++)
        put(l, "%s", pair[v >> (2 * (3 - i)) & 3]);
}

static void put_halves(struct line *l, uint32_t v, int brain)
{
    if (brain) {
        put_single(l, v & 0xffff0000);
        put(l, ", ");
        put_single(l, v << 16);
    } else {
        put_half(l, v >> 16);
        put(l, ", ");
        put_half(l, v & 0xffff);
    }
}

/* "{5,2,1}", or just the number of a single one. */
static void put_set(struct line *l, uint32_t v)
{
    const char *between = "{";

    for (int i = 5; i >= 0; i--) {
        if (v >> i & 1) {
            put(l, "%s%d", between, i);
            between = ",";
        }
    }
    put(l, "}");
}

static void put_immediate(struct line *l, const struct teg_sass *s,
                          const struct teg_sass_operand *o)
{
    uint32_t word = (uint32_t)o->value;

    switch (o->format) {
    case 'f':
        put_single(l, word);
        break;
    case 'd':
        put_double(l, word);
        break;
    case 'm': /* MUFU: of a double for the 64H functions */
        if ((teg_sass_modifier(s, "mufu") & 14) == 6)
            put_double(l, word);
        else
            put_single(l, word);
        break;
    case 'h':
        put_halves(l, word, teg_sass_modifier(s, "bf16v2") == 1);
        break;
    case 'u':
        put(l, "0x%" PRIx64, (uint64_t)o->value);
        break;
    case 'z':
        put_signs(l, word);
        break;
    case 'b':
        put_set(l, word);
        break;
    default:
        put_hex(l, o->value);
    }
}

static const char *register_name(uint8_t reg, int uniform, char out[8])
{
    int zero = uniform ? TEG_SASS_URZ : TEG_SASS_RZ;

    if (reg == zero)
        snprintf(out, 8, "%sZ", uniform ? "UR" : "R");
    else
        snprintf(out, 8, "%s%u", uniform ? "UR" : "R", reg);
    return out;
}

static void put_offset(struct line *l, int64_t v)
{
    put(l, "+");
    put_hex(l, v);
}

static void put_address(struct line *l, const struct teg_sass *s,
                        const struct teg_sass_operand *o)
{
    int hide = o->flags & SASS_DESCRIPTOR;
    int has_ur = o->flags & SASS_UR_FORM && !hide;
    int first = 1;
    char name[8];

    if (hide && o->text != NULL) {
        put(l, "%s[%s", o->text, register_name(o->ureg, 1, name));
        if (o->value != 0)
            put_offset(l, o->value);
        put(l, "]");
        return;
    }
    /* sm_80 to sm_89 leave the descriptor out unless bit 101 asks for it. */
    if (hide && (s->cc >= 90 || s->word[1] >> 37 & 1))
        put(l, "desc[%s]", register_name(o->ureg, 1, name));
    put(l, "[");
    if (o->reg != TEG_SASS_RZ || (!has_ur && o->value == 0) ||
        (has_ur && (o->scale != 0 || (o->select && s->cc >= 90)))) {
        put(l, "%s", register_name(o->reg, 0, name));
        if (o->flags & SASS_REUSE)
            put(l, ".reuse");
        if (o->scale != 0)
            put(l, ".X%u", 1u << o->scale);
        if (o->flags & SASS_WIDE)
            put(l, ".64");
        else if (o->select)
            put(l, ".U32");
        first = 0;
    }
    if (has_ur) {
        put(l, "%s%s", first ? "" : "+", register_name(o->ureg, 1, name));
        first = 0;
    }
    /* An absolute address is not negative. */
    if (first)
        put_hex(l, o->value & 0xffffff);
    else if (o->value != 0)
        put_offset(l, o->value);
    put(l, "]");
}

static void put_constant(struct line *l, const struct teg_sass_operand *o)
{
    char name[8];

    put(l, "c[0x%x]%s[", o->bank, o->flags & SASS_HALF ? " " : "");
    if (!(o->flags & SASS_INDEXED)) {
        put_hex(l, o->value);
    } else {
        put(l, "%s",
            register_name(o->reg, (o->flags & SASS_UNIFORM_INDEX) != 0, name));
        if (o->value != 0)
            put_offset(l, o->value);
    }
    put(l, "]");
}

static void put_predicate(struct line *l, const struct teg_sass_operand *o)
{
    put(l, "%s%sP", o->flags & SASS_NEGATE ? "!" : "",
        o->kind == SASS_UPREDICATE ? "U" : "");
    if (o->reg == TEG_SASS_PT)
        put(l, "T");
    else
        put(l, "%u", o->reg);
}

/* A register or constant with what stands around it. */
static void put_value_operand(struct line *l, const struct teg_sass_operand *o)
{
    static const char *const halves[] = {"", ".F32", ".H0_H0", ".H1_H1"};
    const char *half = o->flags & SASS_HALF ? halves[o->select & 3] : "";
    const char *reuse = o->flags & SASS_REUSE ? ".reuse" : "";
    char name[8];

    if (o->flags & SASS_NEGATE)
        put(l, "-");
    if (o->flags & SASS_INVERT)
        put(l, "~");
    if (o->flags & SASS_ABSOLUTE)
        put(l, "|");
    if (o->kind == SASS_CONSTANT)
        put_constant(l, o);
    else
        put(l, "%s", register_name(o->reg, o->kind == SASS_UNIFORM, name));
    if (o->flags & SASS_ABSOLUTE && o->kind == SASS_REGISTER)
        put(l, "|%s%s", reuse, half);
    else if (o->flags & SASS_ABSOLUTE)
        put(l, "%s|", half);
    else
        put(l, "%s%s", reuse, half);
}

static const char *kinds_name(uint8_t table)
{
    size_t count;

    return sass_kinds(&count)[table].name;
}

static void put_named(struct line *l, const struct teg_sass *s,
                      const struct teg_sass_operand *o)
{
    size_t length;
    const char *text =
        sass_named_text(o->table, (uint32_t)o->value, s->cc, &length);

    if (text != NULL)
        put(l, "%.*s", (int)length, text);
    else if (strcmp(kinds_name(o->table), "sr") == 0)
        put(l, "SR%" PRId64, o->value);
    else
        put(l, "INVALID%" PRId64, o->value);
}

static void put_operand(struct line *l, const struct teg_sass *s,
                        const struct teg_sass_operand *o)
{
    switch ((enum teg_sass_kind)o->kind) {
    case SASS_REGISTER:
    case SASS_UNIFORM:
    case SASS_CONSTANT:
        put_value_operand(l, o);
        break;
    case SASS_PREDICATE:
    case SASS_UPREDICATE:
        put_predicate(l, o);
        break;
    case SASS_IMMEDIATE:
        put_immediate(l, s, o);
        break;
    case SASS_ADDRESS:
        put_address(l, s, o);
        break;
    case SASS_TARGET:
        put_hex(l, o->value);
        break;
    case SASS_NAMED:
        put_named(l, s, o);
        break;
    case SASS_LITERAL:
        put(l, "%.*s", (int)strcspn(o->text, "'"), o->text);
        break;
    }
    if (o->suffix != 0)
        put_value(l, o->suffix, o->suffix_value);
}

static void put_guard(struct line *l, const struct teg_sass *s)
{
    if (s->guard == TEG_SASS_PT && !s->guard_negated)
        return;
    put(l, "@%s%sP", s->guard_negated ? "!" : "", s->guard_uniform ? "U" : "");
    if (s->guard == TEG_SASS_PT)
        put(l, "T ");
    else
        put(l, "%u ", s->guard);
}

static int is_zero(const struct teg_sass_operand *o)
{
    return o->kind == SASS_REGISTER    ? o->reg == TEG_SASS_RZ
           : o->kind == SASS_IMMEDIATE ? o->value == 0
                                       : 0;
}

/*
 * IMAD has names for what it is used for: a move (the product is nothing, or
 * a register as it is), an addition (times 1) and a shift (times a power of
 * two, nothing added).
 */
static const char *imad_alias(const struct teg_sass *s)
{
    const struct teg_sass_operand *a = teg_sass_operand(s, 'a');
    const struct teg_sass_operand *b = teg_sass_operand(s, 'b');
    const struct teg_sass_operand *c = teg_sass_operand(s, 'c');
    int64_t factor = b->kind == SASS_IMMEDIATE ? b->value : 0;

    if (b->kind == SASS_UNIFORM || c->kind == SASS_UNIFORM)
        return "";
    if (is_zero(a) || is_zero(b) || (factor == 1 && is_zero(c)))
        return ".MOV";
    if (factor == 1)
        return ".IADD";
    if (is_zero(c) && factor > 0 && factor != 0x10000 &&
        (factor & (factor - 1)) == 0)
        return ".SHL";
    return "";
}

static void put_opcode(struct line *l, const struct teg_sass *s)
{
    if (s->name == NULL) {
        put(l, "?");
        return;
    }
    put(l, "%s", s->name);
    if (strcmp(s->name, "IMAD") == 0 && teg_sass_operand(s, 'p') == NULL)
        put(l, "%s", imad_alias(s));
    put_modifiers(l, s);
}

void teg_sass_opcode(const struct teg_sass *s, char out[TEG_SASS_TEXT])
{
    struct line l = {out, TEG_SASS_TEXT, 0};

    put_opcode(&l, s);
}

void teg_sass_text(const struct teg_sass *s, char out[TEG_SASS_TEXT])
{
    struct line l = {out, TEG_SASS_TEXT, 0};
    const char *between = " ";

    if (s->name == NULL) {
        put(&l, "UNKNOWN 0x%016" PRIx64 "%016" PRIx64 " ;", s->word[1],
            s->word[0]);
        return;
    }
    put_guard(&l, s);
    put_opcode(&l, s);
    for (unsigned i = 0; i < s->operand_count; i++) {
        if (s->operand[i].flags & SASS_OPTIONAL)
            continue;
        put(&l, "%s", between);
        put_operand(&l, s, &s->operand[i]);
        between = s->operand[i].flags & SASS_BLANK ? " " : ", ";
    }
    put(&l, " ;");
}

void teg_control_text(const struct teg_control *c, char out[32])
{
    char wait[7];

    for (int i = 0; i < 6; i++)
        wait[i] = (char)(c->wait_mask >> i & 1 ? '0' + i : '-');
    wait[6] = '\0';
    snprintf(out, 32, "B%s R%c W%c %c S%02u", wait,
             c->read_barrier < 6 ? '0' + c->read_barrier : '-',
             c->write_barrier < 6 ? '0' + c->write_barrier : '-',
             c->yield ? 'Y' : '-', c->stall & 15u);
}
