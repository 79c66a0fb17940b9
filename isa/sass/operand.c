/* One operand of a row: its text put into the word's bits. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "isa/sass/reader.h"
#include "isa/sass/text.h"

/* A comma before a digit belongs to a list of bits, a blank between brackets
 * to an address. */
struct sass_item sass_item_at(const char *spec)
{
    struct sass_item i = {.at = spec, .format = 'x'};
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

/* "c[0x3][", the bank put where all have it. */
static const char *constant_bank(struct sass_reader *r, const char *text)
{
    uint64_t bank;

    text = sass_after(text, "c[");
    if (text == NULL || (text = sass_read_hex(text, &bank)) == NULL ||
        bank > 31)
        return NULL;
    sass_put(r, "58:54", bank);
    return sass_after(text, "][");
}

static const char *constant(struct sass_reader *r, const char *text)
{
    uint64_t v;

    text = constant_bank(r, text);
    if (text == NULL || (text = sass_read_hex(text, &v)) == NULL)
        return NULL;
    sass_put(r, "53:40", v / 4);
    return sass_after(text, "]");
}

enum core {
    CORE_REGISTER,
    CORE_UNIFORM,
    CORE_CONSTANT,
};

static const char *core(struct sass_reader *r, const char *text, enum core what,
                        const struct sass_slot *slot)
{
    unsigned reg;

    if (what == CORE_CONSTANT)
        return constant(r, text);
    text = what == CORE_UNIFORM ? sass_read_uniform(text, &reg)
                                : sass_read_register(text, &reg);
    if (text != NULL)
        sass_put(r,
                 what == CORE_UNIFORM ? sass_uniform_bits(slot->ureg, r->cc)
                                      : slot->reg,
                 reg);
    return text;
}

/* The signs before a value. */
static const char *prefixes(struct sass_reader *r, const char *text,
                            const struct sass_slot *slot, unsigned mark)
{
    int half = (mark & (MARK_HALF | MARK_HALF_BITS)) != 0;

    for (;; text++) {
        if (*text == '-' && mark & MARK_NEGATE)
            sass_put(r, half ? slot->half_negate : slot->negate, 1);
        else if (*text == '~' && mark & MARK_INVERT)
            sass_put(r, slot->negate, 1);
        else if (*text == '|' && mark & MARK_ABSOLUTE)
            sass_put(r, half ? slot->half_absolute : slot->absolute, 1);
        else if (*text != '~' || !(mark & MARK_INVERTED))
            return text;
    }
}

/* What stands behind it; `reuse` NULL: no hint. */
static const char *suffixes(struct sass_reader *r, const char *text,
                            const struct sass_slot *slot, unsigned mark,
                            const char *reuse)
{
    static const char *const parts[] = {"", ".F32", ".H0_H0", ".H1_H1"};

    for (;;) {
        const char *next = NULL;

        if (*text == '|' && mark & MARK_ABSOLUTE)
            next = text + 1;
        else if (reuse != NULL && (next = sass_after(text, ".reuse")) != NULL)
            sass_put(r, reuse, 1);
        for (unsigned i = 1; next == NULL && mark & MARK_HALF && i < 4; i++) {
            next = sass_after(text, parts[i]);
            if (next != NULL)
                sass_put(r, slot->select, i);
        }
        if (next == NULL)
            return text;
        text = next;
    }
}

static const char *value(struct sass_reader *r, const char *text,
                         enum core what, const struct sass_slot *slot,
                         unsigned mark, const char *reuse)
{
    text = prefixes(r, text, slot, mark);
    text = core(r, text, what, slot);
    if (what != CORE_REGISTER || mark & MARK_NO_REUSE)
        reuse = NULL;
    return text != NULL ? suffixes(r, text, slot, mark, reuse) : NULL;
}

/* The operand in bits 63:32. */
static const char *middle(struct sass_reader *r, const char *text,
                          const struct sass_item *i, char letter, int second)
{
    enum core what = r->form & FORMS_CONSTANT               ? CORE_CONSTANT
                     : r->form & (FORMS_UR | FORMS_UNIFORM) ? CORE_UNIFORM
                                                            : CORE_REGISTER;
    uint64_t v;

    if (!(r->form & FORMS_IMMEDIATE))
        return value(r, text, what, &sass_slots[SLOT_B], i->marks,
                     sass_reuse_bit(letter));
    text = sass_read_immediate(text, i->format, second, &v);
    if (text != NULL)
        sass_put(r, "63:32", v);
    return text;
}

static const char *by_form(struct sass_reader *r, const char *text,
                           const struct sass_item *i, int second)
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

static unsigned slot_of(const struct sass_item *i)
{
    int is_written;

    return sass_slot_of(i->at[1], &is_written);
}

static const char *by_slot(struct sass_reader *r, const char *text,
                           const struct sass_item *i)
{
    unsigned slot = slot_of(i);

    return value(r, text, *i->at == 'U' ? CORE_UNIFORM : CORE_REGISTER,
                 &sass_slots[slot], slot == SLOT_D ? 0 : i->marks,
                 sass_slots[slot].reuse);
}

/* Two of the predicates are kept inverted, so that 0 means none. */
static unsigned kept(char letter, unsigned reg)
{
    return letter == 'x' || letter == 'y' ? reg ^ TEG_SASS_PT : reg;
}

static const char *predicate(struct sass_reader *r, const char *text,
                             const struct sass_item *i)
{
    const struct sass_predicate *p = sass_predicate_of(i->at[1]);
    unsigned reg = TEG_SASS_PT;

    if (*text == '!') {
        if (p->negate == NULL)
            return NULL;
        sass_put(r, p->negate, 1);
        text++;
    }
    text = sass_after(text, *i->at == 'P' ? "P" : "UP");
    if (text == NULL || (*text != 'T' && (*text < '0' || *text > '6')))
        return NULL;
    if (*text != 'T')
        reg = (unsigned)(*text - '0');
    sass_put(r, p->reg, kept(i->at[1], reg));
    return text + 1;
}

static const char *number(struct sass_reader *r, const char *text,
                          const struct sass_item *i)
{
    char format = *i->at == '!' ? 'b' : i->format;
    uint64_t v;

    text = sass_read_immediate(text, format, 0, &v);
    if (text != NULL)
        sass_put(r, i->at + 1, v);
    return text;
}

/* The longest of a table's texts that `text` begins with; -1: none. */
static int longest(uint8_t table, uint32_t cc, const char *text, size_t *length)
{
    size_t count;
    int found = -1;
    uint32_t values = 1;

    for (const char *at = sass_kinds(&count)[table].values; *at != '\0'; at++)
        values += *at == '|';
    *length = 0;
    for (uint32_t v = 0; v < values; v++) {
        size_t n;
        const char *name = sass_named_text(table, v, cc, &n);

        if (name != NULL && strncmp(name, text, n) == 0 &&
            (found < 0 || n > *length)) {
            *length = n;
            found = (int)v;
        }
    }
    return found;
}

/* {table@bits}; a special register without a name is SR and its number. */
static const char *named(struct sass_reader *r, const char *text,
                         const struct sass_item *i)
{
    size_t length = strcspn(i->at + 1, "@"), used;
    int v = longest(sass_kind_find(i->at + 1, length), r->cc, text, &used);
    char *end;

    if (v >= 0) {
        sass_put(r, i->at + length + 2, (uint64_t)v);
        return text + used;
    }
    text = sass_after(text, "SR");
    if (text == NULL || !isdigit((unsigned char)*text))
        return NULL;
    sass_put(r, i->at + length + 2, strtoul(text, &end, 10));
    return end;
}

static const char *literal(const char *text, const struct sass_item *i)
{
    size_t length = strcspn(i->at + 1, "'");

    return strncmp(text, i->at + 1, length) == 0 ? text + length : NULL;
}

static const char *target(struct sass_reader *r, const char *text,
                          const struct sass_item *i)
{
    const char *list = sass_target_bits(i->at[1], r->cc);
    uint64_t v;

    text = sass_read_hex(text, &v);
    if (text == NULL)
        return NULL;
    if (i->at[1] != 'r' && i->at[1] != 'a')
        v -= r->pc + TEG_SASS_BYTES;
    if (i->at[1] != 'm')
        v = (uint64_t)((int64_t)v / 4);
    sass_put(r, list, v);
    return text;
}

/* n: c[bank][offset], k and K: with a register in the second bracket */
static const char *indexed(struct sass_reader *r, const char *text,
                           const struct sass_item *i)
{
    int uniform = *i->at == 'K' || *i->at == 'C';
    unsigned reg = uniform ? TEG_SASS_URZ : TEG_SASS_RZ;
    uint64_t v = 0;
    const char *next;

    text = constant_bank(r, text);
    if (text == NULL)
        return NULL;
    next = *i->at == 'n' ? NULL
           : uniform     ? sass_read_uniform(text, &reg)
                         : sass_read_register(text, &reg);
    if (next == NULL)
        text = sass_read_hex(text, &v);
    else
        text = *next == '+' ? sass_read_hex(next + 1, &v) : next;
    sass_put(r, sass_offset_bits(*i->at), v);
    if (*i->at != 'n')
        sass_put(r, uniform ? sass_uniform_bits("29:24", r->cc) : "31:24", reg);
    return text != NULL ? sass_after(text, "]") : NULL;
}

/* <table@bits> behind the operand; may be without text. */
static const char *behind(struct sass_reader *r, const char *text,
                          const struct sass_item *i)
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
    v = *text == '.' ? longest(table, r->cc, text + 1, &used) : -1;
    if (v >= 0 && used > 0) {
        text += used + 1;
    } else {
        v = longest(table, r->cc, "", &used);
        if (v < 0)
            return NULL;
    }
    sass_put(r, at + length + 1, (uint64_t)v);
    return text;
}

static const char *by_kind(struct sass_reader *r, const char *text,
                           const struct sass_item *i, int second)
{
    switch (*i->at) {
    case 'R':
    case 'U':
        return by_slot(r, text, i);
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
        return sass_read_address(r, text, i);
    case 'n':
    case 'k':
    case 'K':
    case 'C':
        return indexed(r, text, i);
    case 't':
        return target(r, text, i);
    case '\'':
        return literal(text, i);
    default:
        return by_form(r, text, i, second);
    }
}

const char *sass_read_operand(struct sass_reader *r, const char *text,
                              const struct sass_item *i, int second)
{
    return behind(r, by_kind(r, text, i, second), i);
}

void sass_put_nothing(struct sass_reader *r, const struct sass_item *i)
{
    const struct sass_predicate *p;

    switch (*i->at) {
    case 'P':
    case 'Q':
        p = sass_predicate_of(i->at[1]);
        sass_put(r, p->reg, kept(i->at[1], TEG_SASS_PT));
        break;
    case 'R':
        sass_put(r, sass_slots[slot_of(i)].reg, TEG_SASS_RZ);
        break;
    case 'U':
        sass_put(r, sass_uniform_bits(sass_slots[slot_of(i)].ureg, r->cc),
                 TEG_SASS_URZ);
        break;
    default: /* numbers, which are 0 */
        break;
    }
}
