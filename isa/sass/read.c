/*
 * The text of an instruction read back: an assembler over the decoder's rows.
 *
 * A row is tried by putting what the text says into the bits where the row has
 * it, then by decoding and printing the word: only what prints as the text
 * does has been read.  So text and word can never mean different things, and
 * everything that follows from a word (registers, widths, classes) is the
 * decoder's.
 *
 * Where the text is ambiguous (a modifier or operand that may be left out, an
 * immediate of two formats) the alternatives are tried in turn.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/row.h"

struct reader {
    const struct sass_row *row;
    unsigned form; /* FORM_* bit tried */
    uint64_t pc;
    uint32_t cc;
    uint64_t word[2];
    char want[TEG_SASS_TEXT];    /* the whole text, squeezed */
    char opcode[TEG_SASS_TEXT];  /* with its modifiers */
    char operand[TEG_SASS_TEXT]; /* all of them, squeezed */
    struct teg_sass *s;
};

static void put(struct reader *r, const char *list, uint64_t v)
{
    sass_put_bits(r->word, &list, v);
}

/* Text behind `prefix`, or NULL. */
static const char *after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

/* Copies `text` up to `end` without the blanks that part no words: "R4 0x10"
 * keeps its own.  0 if it does not fit. */
static int squeeze(char out[TEG_SASS_TEXT], const char *text, const char *end)
{
    size_t used = 0;
    int blank = 0;

    for (; text < end; text++) {
        if (*text == ' ' || *text == '\t') {
            blank = 1;
            continue;
        }
        if (used + 2 >= TEG_SASS_TEXT)
            return 0;
        if (blank && used > 0 && isalnum((unsigned char)out[used - 1]) &&
            isalnum((unsigned char)*text))
            out[used++] = ' ';
        out[used++] = *text;
        blank = 0;
    }
    out[used] = '\0';
    return 1;
}

/* ---- numbers ---------------------------------------------------------- */

/* "0x1f", "-0x4" */
static const char *hex(const char *text, uint64_t *v)
{
    int negative = *text == '-';
    char *end;

    text += negative;
    if (text[0] != '0' || text[1] != 'x' || !isxdigit((unsigned char)text[2]))
        return NULL;
    *v = strtoull(text, &end, 16);
    if (negative)
        *v = 0 - *v;
    return end;
}

/* "+QNAN", of which the text keeps sign and kind. */
static const char *not_a_number(const char *text, unsigned exponent_bits,
                                unsigned fraction_bits, uint64_t *raw)
{
    uint64_t exponent = (UINT64_C(1) << exponent_bits) - 1;

    if ((text[0] != '+' && text[0] != '-') ||
        (text[1] != 'Q' && text[1] != 'S') || strncmp(text + 2, "NAN", 3) != 0)
        return NULL;
    *raw = (uint64_t)(text[0] == '-') << (exponent_bits + fraction_bits) |
           exponent << fraction_bits |
           (text[1] == 'Q' ? UINT64_C(1) << (fraction_bits - 1) : 1);
    return text + 5;
}

static const char *decimal(const char *text, double *v)
{
    char *end;

    if (text[0] != '+' && text[0] != '-' && !isdigit((unsigned char)text[0]))
        return NULL;
    *v = strtod(text, &end);
    return end != text ? end : NULL;
}

static const char *single(const char *text, uint32_t *raw)
{
    uint64_t bits;
    double v;
    float f;
    const char *end = not_a_number(text, 8, 23, &bits);

    if (end != NULL) {
        *raw = (uint32_t)bits;
        return end;
    }
    end = decimal(text, &v);
    f = end != NULL ? strtof(text, NULL) : 0;
    memcpy(raw, &f, sizeof f);
    return end;
}

/* The upper word of a double, which is all that an immediate keeps. */
static const char *double_high(const char *text, uint32_t *raw)
{
    uint64_t bits = 0;
    double v;
    const char *end = not_a_number(text, 11, 52, &bits);

    if (end == NULL) {
        end = decimal(text, &v);
        if (end != NULL)
            memcpy(&bits, &v, sizeof v);
    }
    *raw = (uint32_t)(bits >> 32);
    return end;
}

/* Texts of halves are exact, so nothing is rounded. */
static uint32_t half_of(double v)
{
    uint32_t sign = signbit(v) ? 0x8000 : 0;
    double size = fabs(v), fraction;
    int exponent;

    if (size == 0)
        return sign;
    if (!(size < 65536))
        return sign | 0x7c00;
    fraction = frexp(size, &exponent);
    if (exponent < -13)
        return sign | (uint32_t)ldexp(size, 24);
    return sign | (uint32_t)(exponent + 14) << 10 |
           ((uint32_t)ldexp(fraction, 11) & 0x3ff);
}

static const char *half(const char *text, uint32_t *raw)
{
    uint64_t bits;
    double v = 0;
    const char *end = not_a_number(text, 5, 10, &bits);

    if (end != NULL) {
        *raw = (uint32_t)bits;
        return end;
    }
    end = decimal(text, &v);
    *raw = half_of(v);
    return end;
}

/* "1,0.5": the high one first; of 16-bit brain floats the upper half. */
static const char *halves(const char *text, int brain, uint32_t *raw)
{
    uint32_t high, low;

    text = brain ? single(text, &high) : half(text, &high);
    if (text == NULL || *text != ',')
        return NULL;
    text = brain ? single(text + 1, &low) : half(text + 1, &low);
    if (brain)
        *raw = (high & 0xffff0000) | low >> 16;
    else
        *raw = high << 16 | low;
    return text;
}

/* "PPPNNPZP" of FSWZADD */
static const char *signs(const char *text, uint32_t *raw)
{
    static const char pair[4][3] = {"PP", "PN", "NP", "ZP"};

    *raw = 0;
    for (int i = 0; i < 4; i++, text += 2) {
        uint32_t v = 0;

        while (v < 4 && strncmp(text, pair[v], 2) != 0)
            v++;
        if (v == 4)
            return NULL;
        *raw = *raw << 2 | v;
    }
    return text;
}

/* "{5,2,1}" */
static const char *scoreboards(const char *text, uint32_t *raw)
{
    *raw = 0;
    if (*text != '{')
        return NULL;
    do {
        text++;
        if (*text < '0' || *text > '5')
            return NULL;
        *raw |= 1u << (*text - '0');
        text++;
    } while (*text == ',');
    return *text == '}' ? text + 1 : NULL;
}

/* An immediate of that format (sass.h); `second`: the other reading of it. */
static const char *immediate(const char *text, char format, int second,
                             uint64_t *v)
{
    uint32_t raw = 0;

    switch (format) {
    case 'f':
        text = single(text, &raw);
        break;
    case 'd':
        text = double_high(text, &raw);
        break;
    case 'm':
        text = second ? double_high(text, &raw) : single(text, &raw);
        break;
    case 'h':
        text = halves(text, second, &raw);
        break;
    case 'z':
        text = signs(text, &raw);
        break;
    case 'b':
        text = scoreboards(text, &raw);
        break;
    default:
        return hex(text, v);
    }
    *v = raw;
    return text;
}

/* ---- operands ---------------------------------------------------------- */

/* An item of a row's operand list, up to the comma or blank behind it. */
struct item {
    const char *at, *end;
    unsigned marks;
    char format; /* behind a ':' that is not inside a list of bits */
    int is_optional, is_blank;
};

/* A comma before a digit belongs to a list of bits, a blank between brackets
 * to an address. */
static struct item item_at(const char *spec)
{
    struct item i = {.at = spec, .format = 'x'};
    int depth = 0;

    i.marks = sass_marks(&i.at);
    for (spec = i.at; *spec != '\0'; spec++) {
        int digit = isdigit((unsigned char)spec[1]);

        depth += (*spec == '[') - (*spec == ']');
        if (depth == 0 && (*spec == ' ' || (*spec == ',' && !digit)))
            break;
        if (*spec == ':' && !digit)
            i.format = spec[1];
        i.is_optional |= *spec == '?';
    }
    i.end = spec;
    i.is_blank = *spec == ' ';
    return i;
}

/* "R12", "URZ"; `zero`: number of the one that ends in Z. */
static const char *register_number(const char *text, const char *file,
                                   unsigned zero, unsigned *reg)
{
    char *end;

    text = after(text, file);
    if (text == NULL)
        return NULL;
    *reg = zero;
    if (*text == 'Z')
        return text + 1;
    if (!isdigit((unsigned char)*text))
        return NULL;
    *reg = (unsigned)strtoul(text, &end, 10);
    return end - text <= 3 && *reg < zero ? end : NULL;
}

static const char *plain_register(const char *text, unsigned *reg)
{
    return register_number(text, "R", TEG_SASS_RZ, reg);
}

static const char *uniform_register(const char *text, unsigned *reg)
{
    return register_number(text, "UR", TEG_SASS_URZ, reg);
}

/* "c[0x3][", the bank put where all have it. */
static const char *constant_bank(struct reader *r, const char *text)
{
    uint64_t bank;

    text = after(text, "c[");
    if (text == NULL || (text = hex(text, &bank)) == NULL || bank > 31)
        return NULL;
    put(r, "58:54", bank);
    return after(text, "][");
}

static const char *constant(struct reader *r, const char *text)
{
    uint64_t v;

    text = constant_bank(r, text);
    if (text == NULL || (text = hex(text, &v)) == NULL)
        return NULL;
    put(r, "53:40", v / 4);
    return after(text, "]");
}

enum core {
    CORE_REGISTER,
    CORE_UNIFORM,
    CORE_CONSTANT,
};

static const char *core(struct reader *r, const char *text, enum core what,
                        const struct sass_slot *slot)
{
    unsigned reg;

    if (what == CORE_CONSTANT)
        return constant(r, text);
    text = what == CORE_UNIFORM ? uniform_register(text, &reg)
                                : plain_register(text, &reg);
    if (text != NULL)
        put(r, what == CORE_UNIFORM ? slot->ureg : slot->reg, reg);
    return text;
}

/* The signs before a value. */
static const char *prefixes(struct reader *r, const char *text,
                            const struct sass_slot *slot, unsigned mark)
{
    int half = (mark & (MARK_HALF | MARK_HALF_BITS)) != 0;

    for (;; text++) {
        if (*text == '-' && mark & MARK_NEGATE)
            put(r, half ? slot->half_negate : slot->negate, 1);
        else if (*text == '~' && mark & MARK_INVERT)
            put(r, slot->negate, 1);
        else if (*text == '|' && mark & MARK_ABSOLUTE)
            put(r, half ? slot->half_absolute : slot->absolute, 1);
        else if (*text != '~' || !(mark & MARK_INVERTED))
            return text;
    }
}

/* What stands behind it; `reuse` NULL: no hint. */
static const char *suffixes(struct reader *r, const char *text,
                            const struct sass_slot *slot, unsigned mark,
                            const char *reuse)
{
    static const char *const parts[] = {"", ".F32", ".H0_H0", ".H1_H1"};

    for (;;) {
        const char *next = NULL;

        if (*text == '|' && mark & MARK_ABSOLUTE)
            next = text + 1;
        else if (reuse != NULL && (next = after(text, ".reuse")) != NULL)
            put(r, reuse, 1);
        for (unsigned i = 1; next == NULL && mark & MARK_HALF && i < 4; i++) {
            next = after(text, parts[i]);
            if (next != NULL)
                put(r, slot->select, i);
        }
        if (next == NULL)
            return text;
        text = next;
    }
}

static const char *value(struct reader *r, const char *text, enum core what,
                         const struct sass_slot *slot, unsigned mark,
                         const char *reuse)
{
    text = prefixes(r, text, slot, mark);
    text = core(r, text, what, slot);
    if (what != CORE_REGISTER || mark & MARK_NO_REUSE)
        reuse = NULL;
    return text != NULL ? suffixes(r, text, slot, mark, reuse) : NULL;
}

/* The operand in bits 63:32. */
static const char *middle(struct reader *r, const char *text,
                          const struct item *i, char letter, int second)
{
    enum core what = r->form & FORMS_CONSTANT               ? CORE_CONSTANT
                     : r->form & (FORMS_UR | FORMS_UNIFORM) ? CORE_UNIFORM
                                                            : CORE_REGISTER;
    uint64_t v;

    if (!(r->form & FORMS_IMMEDIATE))
        return value(r, text, what, &sass_slots[SLOT_B], i->marks,
                     sass_reuse_bit(letter));
    text = immediate(text, i->format, second, &v);
    if (text != NULL)
        put(r, "63:32", v);
    return text;
}

static const char *by_form(struct reader *r, const char *text,
                           const struct item *i, int second)
{
    char letter = *i->at;
    int third_in_middle = (r->form & FORMS_C) != 0;
    enum core what = r->row->name[0] == 'U' ? CORE_UNIFORM : CORE_REGISTER;
    int slot = letter == 'a' ? SLOT_A : letter == 'd' ? SLOT_D : SLOT_C;

    if (letter == 's' ||
        (strchr("bc", letter) != NULL && (letter == 'b') != third_in_middle))
        return middle(r, text, i, letter, second);
    return value(r, text, what, &sass_slots[slot], letter == 'd' ? 0 : i->marks,
                 sass_reuse_bit(letter));
}

static int place_of(const struct item *i)
{
    return i->at[1] == 'o' ? SLOT_C : i->at[1] - 'a';
}

static const char *by_place(struct reader *r, const char *text,
                            const struct item *i)
{
    int slot = place_of(i);

    return value(r, text, *i->at == 'U' ? CORE_UNIFORM : CORE_REGISTER,
                 &sass_slots[slot], slot == SLOT_D ? 0 : i->marks,
                 sass_slots[slot].reuse);
}

/* Two of the predicates are kept inverted, so that 0 means none. */
static unsigned kept(char letter, unsigned reg)
{
    return letter == 'x' || letter == 'y' ? reg ^ TEG_SASS_PT : reg;
}

static const char *predicate(struct reader *r, const char *text,
                             const struct item *i)
{
    const struct sass_predicate *p = sass_predicate_place(i->at[1]);
    unsigned reg = TEG_SASS_PT;

    if (*text == '!') {
        if (p->negate == NULL)
            return NULL;
        put(r, p->negate, 1);
        text++;
    }
    text = after(text, *i->at == 'P' ? "P" : "UP");
    if (text == NULL || (*text != 'T' && (*text < '0' || *text > '6')))
        return NULL;
    if (*text != 'T')
        reg = (unsigned)(*text - '0');
    put(r, p->reg, kept(i->at[1], reg));
    return text + 1;
}

static const char *number(struct reader *r, const char *text,
                          const struct item *i)
{
    char format = *i->at == '!' ? 'b' : i->format;
    uint64_t v;

    text = immediate(text, format, 0, &v);
    if (text != NULL)
        put(r, i->at + 1, v);
    return text;
}

/* The longest of a table's texts that `text` begins with; -1: none. */
static int longest(uint8_t table, const char *text, size_t *length)
{
    size_t count;
    int found = -1;
    uint32_t values = 1;

    for (const char *at = sass_kinds(&count)[table].values; *at != '\0'; at++)
        values += *at == '|';
    *length = 0;
    for (uint32_t v = 0; v < values; v++) {
        size_t n;
        const char *name = sass_kind_text(table, v, &n);

        if (name != NULL && strncmp(name, text, n) == 0 &&
            (found < 0 || n > *length)) {
            *length = n;
            found = (int)v;
        }
    }
    return found;
}

/* {table@bits}; a special register without a name is SR and its number. */
static const char *named(struct reader *r, const char *text,
                         const struct item *i)
{
    size_t length = strcspn(i->at + 1, "@"), used;
    int v = longest(sass_kind_find(i->at + 1, length), text, &used);
    char *end;

    if (v >= 0) {
        put(r, i->at + length + 2, (uint64_t)v);
        return text + used;
    }
    text = after(text, "SR");
    if (text == NULL || !isdigit((unsigned char)*text))
        return NULL;
    put(r, i->at + length + 2, strtoul(text, &end, 10));
    return end;
}

static const char *literal(const char *text, const struct item *i)
{
    size_t length = strcspn(i->at + 1, "'");

    return strncmp(text, i->at + 1, length) == 0 ? text + length : NULL;
}

static const char *target(struct reader *r, const char *text,
                          const struct item *i)
{
    const char *list = sass_target_bits(i->at[1], r->cc);
    uint64_t v;

    text = hex(text, &v);
    if (text == NULL)
        return NULL;
    if (i->at[1] != 'r' && i->at[1] != 'a')
        v -= r->pc + TEG_SASS_BYTES;
    if (i->at[1] != 'm')
        v = (uint64_t)((int64_t)v / 4);
    put(r, list, v);
    return text;
}

/* n: c[bank][offset], k and K: with a register in the second bracket */
static const char *indexed(struct reader *r, const char *text,
                           const struct item *i)
{
    int uniform = *i->at == 'K';
    unsigned reg = uniform ? TEG_SASS_URZ : TEG_SASS_RZ;
    uint64_t v = 0;
    const char *next;

    text = constant_bank(r, text);
    if (text == NULL)
        return NULL;
    next = *i->at == 'n' ? NULL
           : uniform     ? uniform_register(text, &reg)
                         : plain_register(text, &reg);
    if (next == NULL)
        text = hex(text, &v);
    else
        text = *next == '+' ? hex(next + 1, &v) : next;
    put(r, "53:38", v);
    if (*i->at != 'n')
        put(r, uniform ? "29:24" : "31:24", reg);
    return text != NULL ? after(text, "]") : NULL;
}

/* ---- addresses ----------------------------------------------------------- */

/* "desc[UR4][R2.reuse.X4.64+UR6+0x10]", "gdesc[UR4]" taken apart. */
struct address {
    int has_descriptor, has_reg, has_ureg, reuse;
    int wide; /* 64 bits, as all global addresses but those of ".U32" are */
    unsigned descriptor, reg, ureg, scale; /* scale: 1, 4, 8, 16 */
    uint64_t value;
};

static const char *address_register(struct address *a, const char *text)
{
    const char *next;
    char *end;

    a->has_reg = 1;
    a->wide = 0;
    if ((next = after(text, ".reuse")) != NULL) {
        a->reuse = 1;
        text = next;
    }
    if ((next = after(text, ".X")) != NULL) {
        a->scale = (unsigned)strtoul(next, &end, 10);
        text = end;
    }
    if ((next = after(text, ".64")) != NULL)
        a->wide = 1;
    else
        next = after(text, ".U32");
    return next != NULL ? next : text;
}

static const char *address_parts(struct address *a, const char *text)
{
    for (;; text++) {
        const char *next = plain_register(text, &a->reg);

        if (next != NULL && !a->has_reg)
            text = address_register(a, next);
        else if ((next = uniform_register(text, &a->ureg)) != NULL) {
            a->has_ureg = 1;
            text = next;
        } else
            text = hex(text, &a->value);
        if (text == NULL)
            return NULL;
        if (*text != '+')
            return after(text, "]");
    }
}

static const char *take_apart(struct address *a, const char *text)
{
    const char *next = after(text, "desc["), *tiles = after(text, "gdesc[");

    *a = (struct address){.reg = TEG_SASS_RZ,
                          .ureg = TEG_SASS_URZ,
                          .descriptor = TEG_SASS_URZ,
                          .scale = 1,
                          .wide = 1};
    if (tiles != NULL) {
        text = uniform_register(tiles, &a->descriptor);
        return text != NULL ? after(text, "]") : NULL;
    }
    if (next != NULL) {
        a->has_descriptor = 1;
        text = uniform_register(next, &a->descriptor);
        text = text != NULL ? after(text, "]") : NULL;
    }
    text = text != NULL ? after(text, "[") : NULL;
    return text != NULL ? address_parts(a, text) : NULL;
}

static unsigned shift_value(unsigned scale)
{
    unsigned v = 0;

    while (v < 3 && 1u << sass_shifts[v] != scale)
        v++;
    return v;
}

/* Puts one part; 0: the row has no place for what the text says.  A uniform
 * register that does not stand in the address is that of a descriptor, which
 * sm_80 to sm_89 do not print. */
static void put_part(struct reader *r, const struct address *a, char part,
                     const char *list, int hides)
{
    switch (part) {
    case 'a':
        put(r, "31:24", a->reg);
        put(r, "122", a->reuse != 0);
        break;
    case 'd':
        put(r, "23:16", a->reg);
        break;
    case 's':
        put(r, "79:78", shift_value(a->scale));
        break;
    case 'u':
    case 'v':
        put(r, list, hides ? a->descriptor : a->ureg);
        break;
    case 'V': /* follows from the other address's */
        if (a->has_descriptor)
            put(r, list, a->descriptor - 1);
        break;
    case 'U':
        put(r, list, a->ureg);
        break;
    case 'g':
        put(r, list, a->descriptor);
        break;
    case 'o':
        put(r, list, a->value);
        break;
    case 'w':
        put(r, list, a->wide != 0);
        break;
    default: /* x */
        put(r, list, hides != 0);
        if (a->has_descriptor && r->cc < 90)
            put(r, "101", 1);
    }
}

static const char *address(struct reader *r, const char *text,
                           const struct item *i)
{
    struct address a;
    int hides = 0;

    text = take_apart(&a, text);
    if (text == NULL)
        return NULL;
    for (const char *at = i->at; *at != ']'; at++)
        hides |= *at == 'x' && !a.has_ureg;
    for (const char *at = i->at + 1; *at != ']';) {
        char part = *at++;

        put_part(r, &a, part, at, hides);
        at += strcspn(at, " ]");
        at += *at == ' ';
    }
    return text;
}

/* ---- a row ----------------------------------------------------------------- */

/* <table@bits> behind the operand; may be without text. */
static const char *behind(struct reader *r, const char *text,
                          const struct item *i)
{
    const char *at = memchr(i->at, '<', (size_t)(i->end - i->at));
    size_t length, used;
    uint8_t table;
    int v;

    if (text == NULL || at == NULL)
        return text;
    at++;
    length = strcspn(at, "@");
    table = sass_kind_find(at, length);
    v = *text == '.' ? longest(table, text + 1, &used) : -1;
    if (v >= 0 && used > 0) {
        text += used + 1;
    } else {
        v = longest(table, "", &used);
        if (v < 0)
            return NULL;
    }
    put(r, at + length + 1, (uint64_t)v);
    return text;
}

static const char *operand(struct reader *r, const char *text,
                           const struct item *i, int second)
{
    switch (*i->at) {
    case 'R':
    case 'U':
        return by_place(r, text, i);
    case 'P':
    case 'Q':
        return predicate(r, text, i);
    case '#':
    case '$':
    case '!':
        return number(r, text, i);
    case '{':
        return named(r, text, i);
    case '[':
        return address(r, text, i);
    case 'n':
    case 'k':
    case 'K':
        return indexed(r, text, i);
    case 't':
        return target(r, text, i);
    case '\'':
        return literal(text, i);
    default:
        return by_form(r, text, i, second);
    }
}

/* An operand that is not printed says nothing. */
static void put_nothing(struct reader *r, const struct item *i)
{
    const struct sass_predicate *p;

    switch (*i->at) {
    case 'P':
    case 'Q':
        p = sass_predicate_place(i->at[1]);
        put(r, p->reg, kept(i->at[1], TEG_SASS_PT));
        break;
    case 'R':
        put(r, sass_slots[place_of(i)].reg, TEG_SASS_RZ);
        break;
    case 'U':
        put(r, sass_slots[place_of(i)].ureg, TEG_SASS_URZ);
        break;
    default: /* numbers, which are 0 */
        break;
    }
}

/* Decodes and prints the word: is it the text? */
static int is_read(struct reader *r)
{
    uint8_t bytes[TEG_SASS_BYTES];
    char text[TEG_SASS_TEXT], mine[TEG_SASS_TEXT];

    for (unsigned i = 0; i < TEG_SASS_BYTES; i++)
        bytes[i] = (uint8_t)(r->word[i / 8] >> (8 * (i % 8)));
    if (!teg_sass_decode(r->s, bytes, r->pc, r->cc))
        return 0;
    teg_sass_text(r->s, text);
    return squeeze(mine, text, strrchr(text, ';')) &&
           strcmp(mine, r->want) == 0;
}

/* Those of `spec` from `text`, after a comma unless it is the first. */
static int read_operands(struct reader *r, const char *spec, const char *text,
                         const char *between)
{
    const uint64_t before[2] = {r->word[0], r->word[1]};
    struct item i;
    const char *start, *next;

    if (*spec == '\0')
        return *text == '\0' && is_read(r);
    i = item_at(spec);
    spec = i.end + (*i.end != '\0');
    start = after(text, between);
    if (start != NULL && *between == '\0')
        start += *start == ' ';
    for (int second = 0; start != NULL && second < 2; second++) {
        next = behind(r, operand(r, start, &i, second), &i);
        if (next != NULL && read_operands(r, spec, next, i.is_blank ? "" : ","))
            return 1;
        memcpy(r->word, before, sizeof before);
        if (i.format != 'h' && i.format != 'm')
            break;
    }
    if (!i.is_optional)
        return 0;
    put_nothing(r, &i);
    if (read_operands(r, spec, text, between))
        return 1;
    memcpy(r->word, before, sizeof before);
    return 0;
}

/* Behind a part of the mnemonic another one begins, or nothing follows. */
static const char *after_part(const char *text, const char *part, size_t length)
{
    if (strncmp(text, part, length) != 0 ||
        (text[length] != '.' && text[length] != '\0'))
        return NULL;
    return text + length;
}

static int read_modifiers(struct reader *r, const char *spec, const char *text)
{
    const uint64_t before[2] = {r->word[0], r->word[1]};
    struct sass_token token;
    uint8_t table;

    if (!sass_token_next(&spec, &token))
        return *text == '\0' &&
               read_operands(r, r->row->operands, r->operand, "");
    if (token.bits == NULL) {
        text = after_part(text, token.text, token.length);
        return text != NULL && read_modifiers(r, spec, text);
    }
    table = sass_kind_find(token.text, token.length);
    for (uint32_t v = 0; v < 1u << sass_bits_count(token.bits); v++) {
        size_t length;
        const char *name = sass_kind_text(table, v, &length);
        const char *next = name == NULL   ? NULL
                           : length == 0  ? text
                           : *text == '.' ? after_part(text + 1, name, length)
                                          : NULL;

        if (next == NULL)
            continue;
        put(r, token.bits, v);
        if (read_modifiers(r, spec, next))
            return 1;
        memcpy(r->word, before, sizeof before);
    }
    return 0;
}

/* IMAD's names for what it is used for follow from its operands. */
static int read_mnemonic(struct reader *r, const char *text)
{
    static const char *const uses[] = {".MOV", ".IADD", ".SHL"};

    if (read_modifiers(r, r->row->modifiers, text))
        return 1;
    for (unsigned i = 0; i < 3 && strcmp(r->row->name, "IMAD") == 0; i++) {
        const char *next = after_part(text, uses[i], strlen(uses[i]));

        if (next != NULL && read_modifiers(r, r->row->modifiers, next))
            return 1;
    }
    return 0;
}

static int read_row(struct reader *r, uint64_t guard)
{
    const char *text =
        after_part(r->opcode, r->row->name, strlen(r->row->name));

    if (text == NULL || r->cc < r->row->first || r->cc > r->row->last)
        return 0;
    for (unsigned form = 0; form < 16; form++) {
        if (!(r->row->forms >> form & 1))
            continue;
        r->form = 1u << form;
        sass_row_word(r->row, form, r->word);
        put(r, "15:12", guard);
        if (read_mnemonic(r, text))
            return 1;
    }
    return 0;
}

/* "@!P0 ", "@UP1 "; whether it is uniform, the row knows. */
static const char *read_guard(const char *text, uint64_t *guard)
{
    const char *at = text + 1;

    *guard = TEG_SASS_PT;
    if (*text != '@')
        return text;
    *guard = *at == '!' ? 8 : 0;
    at += *at == '!';
    at += *at == 'U';
    if (at[0] != 'P' || (at[1] != 'T' && (at[1] < '0' || at[1] > '6')))
        return NULL;
    *guard |= at[1] == 'T' ? TEG_SASS_PT : (uint64_t)(at[1] - '0');
    return at + 2 + strspn(at + 2, " \t");
}

static unsigned registers(const struct teg_sass *s)
{
    unsigned n = 0;

    for (unsigned i = 0; i < s->operand_count; i++)
        n += s->operand[i].count;
    return n;
}

int teg_sass_read(struct teg_sass *s, const char *text, uint64_t pc,
                  uint32_t cc)
{
    struct teg_sass found;
    struct reader r = {.pc = pc, .cc = cc, .s = &found};
    const char *end, *at;
    uint64_t guard;
    size_t count;
    const struct sass_row *row = sass_rows(&count);

    *s = (struct teg_sass){.pc = pc, .cc = (uint8_t)cc, .guard = TEG_SASS_PT};
    text += strspn(text, " \t");
    end = text + strcspn(text, ";");
    at = read_guard(text, &guard);
    if (at == NULL || !squeeze(r.want, text, end) ||
        !squeeze(r.opcode, at, at + strcspn(at, " \t;")) ||
        !squeeze(r.operand, at + strcspn(at, " \t;"), end))
        return 0;
    /* Conversions of 64-bit types have rows of their own, but print as the
     * others would: the row with the wider registers is meant. */
    for (size_t i = 0; i < count; i++) {
        r.row = &row[i];
        if (read_row(&r, guard) &&
            (s->name == NULL || registers(&found) > registers(s)))
            *s = found;
    }
    s->control.known = 0;
    return s->name != NULL;
}
