#include "isa/sass/sass.h"

#include <stdio.h>
#include <string.h>

#include "isa/sass/row.h"

/* What an operand's text is resolved against. */
struct decode {
    struct teg_sass *s;
    const struct sass_row *row;
    unsigned form; /* FORM_* bit of the word */
    int uniform;   /* the row is of the uniform datapath */
    const char *at;
};

/* The bits of a field, which have a meaning now. */
static uint64_t bits_at(struct teg_sass *s, const char **at)
{
    const char *list = *at;

    sass_add_bits(s->named, &list);
    return sass_bits(s->word, at);
}

static uint64_t bits(struct teg_sass *s, const char *list)
{
    return bits_at(s, &list);
}

/* A uniform register; the zero register is the last one of the field. */
static uint8_t uniform_at(struct teg_sass *s, const char *list)
{
    uint64_t reg = bits(s, sass_uniform_bits(list, s->cc));

    return s->cc < 100 && reg == 63 ? TEG_SASS_URZ : (uint8_t)reg;
}

/* The same of bits that another field is of, or none. */
static uint64_t peek(const struct teg_sass *s, const char *list)
{
    return sass_bits(s->word, &list);
}

static int64_t sign_extended(uint64_t v, unsigned count)
{
    uint64_t sign = UINT64_C(1) << (count - 1);

    return (int64_t)((v ^ sign) - sign);
}

static const uint8_t known[] = {70, 72, 75,  80,  86,  87,  88,
                                89, 90, 100, 103, 110, 120, 121};

int teg_sass_supports(uint32_t cc)
{
    return cc < 256 && memchr(known, (int)cc, sizeof known) != NULL;
}

void teg_sass_generations(char out[TEG_SASS_TEXT])
{
    size_t used = 0;

    for (size_t i = 0; i < sizeof known; i++) {
        const char *between = i == 0                 ? "sm_"
                              : i + 1 < sizeof known ? ", "
                                                     : " and ";

        used += (size_t)snprintf(out + used, TEG_SASS_TEXT - used, "%s%u",
                                 between, known[i]);
    }
}

static void set_marks(struct teg_sass *s, struct teg_sass_operand *o,
                      const struct sass_slot *slot, unsigned mark)
{
    int half = (mark & (MARK_HALF | MARK_HALF_BITS)) != 0;
    const char *negate = half ? slot->half_negate : slot->negate;
    const char *absolute = half ? slot->half_absolute : slot->absolute;

    if (mark & MARK_NEGATE && bits(s, negate))
        o->flags |= SASS_NEGATE;
    if (mark & MARK_INVERTED || (mark & MARK_INVERT && bits(s, negate)))
        o->flags |= SASS_INVERT;
    if (mark & MARK_ABSOLUTE && bits(s, absolute))
        o->flags |= SASS_ABSOLUTE;
    if (mark & MARK_HALF) {
        o->flags |= SASS_HALF;
        o->select = (uint8_t)bits(s, slot->select);
    }
}

static void set_register(struct teg_sass *s, struct teg_sass_operand *o,
                         const struct sass_slot *slot, int uniform)
{
    o->kind = uniform ? SASS_UNIFORM : SASS_REGISTER;
    o->reg = uniform ? uniform_at(s, slot->ureg) : (uint8_t)bits(s, slot->reg);
    o->count = 1;
    if (!uniform && slot->reuse != NULL && bits(s, slot->reuse))
        o->flags |= SASS_REUSE;
}

static void set_constant(struct teg_sass *s, struct teg_sass_operand *o)
{
    o->kind = SASS_CONSTANT;
    o->count = 1;
    o->bank = (uint8_t)bits(s, "58:54");
    o->value = 4 * (int64_t)bits(s, "53:40");
    o->reg = TEG_SASS_NONE;
}

static void set_immediate(struct teg_sass *s, struct teg_sass_operand *o)
{
    o->kind = SASS_IMMEDIATE;
    o->format = 'x';
    o->value = (int64_t)bits(s, "63:32");
}

/* The operand in bits 63:32, whose nature the form tells. */
static void set_middle(struct decode *d, struct teg_sass_operand *o,
                       unsigned mark)
{
    struct teg_sass *s = d->s;

    if (d->form & FORMS_IMMEDIATE) {
        set_immediate(s, o);
        return;
    }
    if (d->form & FORMS_CONSTANT)
        set_constant(s, o);
    else
        set_register(s, o, &sass_slots[SLOT_B],
                     (d->form & (FORMS_UR | FORMS_UNIFORM)) != 0);
    set_marks(s, o, &sass_slots[SLOT_B], mark);
}

static void set_slot(struct decode *d, struct teg_sass_operand *o,
                     unsigned slot, int uniform, unsigned mark)
{
    set_register(d->s, o, &sass_slots[slot], uniform);
    set_marks(d->s, o, &sass_slots[slot], mark);
}

/* The hints go by the operand's letter, wherever the form puts it. */
static void set_reuse(struct teg_sass *s, struct teg_sass_operand *o,
                      char letter)
{
    const char *hint = sass_reuse_bit(letter);

    o->flags &= (uint16_t)~SASS_REUSE;
    if (o->kind == SASS_REGISTER && hint != NULL && bits(s, hint))
        o->flags |= SASS_REUSE;
}

/* a, b, c, d, s: by the row's form. */
static void set_by_form(struct decode *d, struct teg_sass_operand *o,
                        char letter, unsigned mark)
{
    int third_in_middle = (d->form & FORMS_C) != 0;

    if (letter == 'a')
        set_slot(d, o, SLOT_A, d->uniform, mark);
    else if (letter == 'd')
        set_slot(d, o, SLOT_D, d->uniform, 0);
    else if (letter == 's' || (letter == 'b') != third_in_middle)
        set_middle(d, o, mark);
    else
        set_slot(d, o, SLOT_C, d->uniform, mark);
    o->role = letter == 's' ? 'b' : letter;
    set_reuse(d->s, o, letter);
    if (letter == 'd')
        o->flags |= SASS_DST;
}

/* Ra, Ub, ...: by slot. */
static void set_by_slot(struct decode *d, struct teg_sass_operand *o,
                        unsigned mark)
{
    int is_written;
    unsigned slot = sass_slot_of(d->at[1], &is_written);

    set_slot(d, o, slot, d->at[0] == 'U', slot == SLOT_D ? 0 : mark);
    o->role = d->at[1];
    if (is_written)
        o->flags = SASS_DST;
    d->at += 2;
}

/* Pu, Pv written; Pp, Pq, Pr read; Q: uniform ones. */
static void set_predicate(struct decode *d, struct teg_sass_operand *o)
{
    const struct sass_predicate *where = sass_predicate_of(d->at[1]);

    o->kind = d->at[0] == 'P' ? SASS_PREDICATE : SASS_UPREDICATE;
    o->role = d->at[1];
    o->count = 1;
    o->reg = (uint8_t)bits(d->s, where->reg);
    if (where->negate == NULL)
        o->flags |= SASS_DST;
    else if (bits(d->s, where->negate))
        o->flags |= SASS_NEGATE;
    /* Some keep their predicate inverted, so that 0 means none. */
    if (o->role == 'x' || o->role == 'y')
        o->reg ^= 7;
    d->at += 2;
}

static void set_number(struct decode *d, struct teg_sass_operand *o)
{
    int is_signed = *d->at == '$';
    unsigned count;

    d->at++;
    count = sass_bits_count(d->at);
    o->kind = SASS_IMMEDIATE;
    o->format = is_signed ? 's' : 'x';
    o->value = (int64_t)bits_at(d->s, &d->at);
    if (is_signed)
        o->value = sign_extended((uint64_t)o->value, count);
}

static void set_target(struct decode *d, struct teg_sass_operand *o)
{
    struct teg_sass *s = d->s;
    char how = d->at[1];
    const char *list = sass_target_bits(how, s->cc);
    int64_t words = sign_extended(bits(s, list), sass_bits_count(list));

    if (how == 'm')
        words /= 4;
    o->role = 't';
    if (how == 'r' || how == 'a') {
        o->kind = SASS_IMMEDIATE;
        o->format = how == 'r' ? 's' : 'x';
        o->value = words * 4;
    } else {
        o->kind = SASS_TARGET;
        o->value = (int64_t)(s->pc + TEG_SASS_BYTES + 4 * (uint64_t)words);
    }
    d->at += 2;
}

/* {table@bits} */
static void set_named(struct decode *d, struct teg_sass_operand *o)
{
    size_t length = strcspn(d->at + 1, "@");
    size_t text;

    o->kind = SASS_NAMED;
    o->table = sass_kind_find(d->at + 1, length);
    d->at += length + 2;
    o->value = (int64_t)bits_at(d->s, &d->at);
    if (sass_named_text(o->table, (uint32_t)o->value, d->s->cc, &text) == NULL)
        d->s->uncertain = 1;
    d->at++;
}

static uint8_t words_of_size(uint64_t size)
{
    return size == 5 ? 2 : size == 6 ? 4 : 1;
}

/*
 * Registers of a matrix fragment: bits of the whole matrix over the 32 lanes
 * of 32-bit registers (NVIDIA's PTX ISA, matrix fragments for mma).
 */
static uint8_t count_of_matrix(struct teg_sass *s, char letter)
{
    uint64_t hmma = peek(s, "78,75"), imma = peek(s, "86:85,75");
    uint64_t bmma = peek(s, "76:75"), qmma = bmma;
    int is_4_bit = peek(s, "83") != 0;
    int tf32 = peek(s, "83:82") == 2;
    int f32 = peek(s, "76") != 0;
    uint8_t a16 = hmma == 1 || hmma == 3 || (hmma == 0 && tf32) ? 4 : 2;

    switch (letter) {
    case 'A':
        return a16;
    case 'B':
        return a16 / 2;
    case 'D':
        return f32 ? 4 : 2;
    case 'S': /* sparse: half of A's columns, as many registers of B */
        return hmma == 3 || (hmma == 1 && tf32) ? 4 : 2;
    case 'T': /* the same of integers */
        return imma == 7 || (imma == 6 && !is_4_bit) ? 4 : 2;
    case 'E': /* accumulator of QMMA */
        return peek(s, "77") ? 4 : 2;
    case 'U':
        return qmma == 0 ? 2 : 4;
    case 'V':
        return qmma == 0 ? 1 : 2;
    case 'I':
        return imma < 4 ? 1 : imma == 4 || (imma == 5 && is_4_bit) ? 2 : 4;
    case 'J':
        return imma == 6 || (imma == 5 && !is_4_bit) ? 2 : 1;
    case 'K':
        return imma < 4 ? 2 : 4;
    case 'L':
        return bmma == 0 ? 1 : bmma == 1 ? 2 : 4;
    case 'M':
        return bmma == 2 ? 2 : 1;
    default: /* N: accumulator of BMMA */
        return bmma == 0 ? 2 : 4;
    }
}

/*
 * Accumulator of a warp group's 64 x N: words, or halves two in one.  N of
 * integers and bits has a code of its own: 8 to 32 in steps of 8, then of 16, of
 * integers three codes apart.
 */
static uint8_t count_of_group(struct teg_sass *s)
{
    uint64_t type = peek(s, "3:0");
    uint64_t step = peek(s, "58:53") / (type == 1 ? 3 : 1);

    if (type == 1 || type == 2)
        return (uint8_t)(step < 4 ? 4 * (step + 1) : 8 * (step - 1));
    return (uint8_t)((peek(s, "57:53") + 1) * (peek(s, "75") ? 4 : 2));
}

/* Where none is wanted, RZ stands. */
static uint8_t count_of_words(uint64_t mask)
{
    return mask != 0 ? (uint8_t)__builtin_popcountll(mask) : 1;
}

/* Registers of an operand by the letter behind its '*'. */
static uint8_t count_of(struct teg_sass *s, char letter)
{
    uint64_t type = peek(s, "75:73");

    switch (letter) {
    case 'w': /* size of an access */
        return words_of_size(type);
    case 'e': /* 64-bit address */
        return peek(s, "72") ? 2 : 1;
    case 'z': /* type of an atomic: U64, S64, F64 */
        return type == 2 || type == 5 || type == 6 ? 2 : 1;
    case 'y': /* type of an sm_90 float atomic: vectors, F64 */
        return "\1\2\4\1\2\4\1\1\1\1\2\4\1\2\4\2"[peek(s, "76:73")];
    case 'm': /* matrices of LDSM */
        return (uint8_t)(1u << peek(s, "73:72"));
    case 'c': /* type of an sm_90 CAS or EXCH: 64, S64, 128 bits */
        return type == 4 ? 4 : type >= 2 ? 2 : 1;
    case 'x': /* type of an sm_90 integer atomic: U64, S64 */
        return peek(s, "74:73") >= 2 ? 2 : 1;
    case 't': /* the first two of the channels asked for */
        return __builtin_popcountll(peek(s, "75:72")) > 1 ? 2 : 1;
    case 'u': /* the others */
        return __builtin_popcountll(peek(s, "75:72")) > 3 ? 2 : 1;
    case 'G': /* accumulator of 64 x N */
        return count_of_group(s);
    case 'h': /* matrices of LDSM, of which 16 x 16 are two registers */
        return (uint8_t)((1u << peek(s, "73:72")) << (peek(s, "80:78") == 4));
    case 'q': /* columns of LDTM and STTM */
        return (uint8_t)((1u << peek(s, "85:83"))
                         << (peek(s, "87,82:81") < 2 ? peek(s, "81") + 1 : 0));
    case 'i': /* words of 256 bits that are wanted, of the first four */
        return count_of_words(peek(s, "60:57"));
    case 'j': /* and the last four */
        return count_of_words(peek(s, "72,63:61"));
    case 'f': /* the same of a store */
        return count_of_words(peek(s, "62:59"));
    case 'g':
        return count_of_words(peek(s, "90:88,63"));
    case 's': /* type of a surface's atomic */
        return type == 2 || type == 5 || type == 7 ? 2 : 1;
    case 'o': /* result of QMMA, then its factors */
        return peek(s, "77") ? 4 : 2;
    case 'p':
        return peek(s, "75") ? 4 : 2;
    case 'r':
        return peek(s, "75") ? 2 : 1;
    case 'l': /* 64-bit destination of a conversion */
        return peek(s, "76:75") == 3 ? 2 : 1;
    case 'k': /* 64-bit source of a conversion */
        return peek(s, "85:84") == 3 ? 2 : 1;
    default:
        return letter >= 'A' ? count_of_matrix(s, letter)
                             : (uint8_t)(letter - '0');
    }
}

/* The parts of an address between its brackets; sass_rows.def lists them. */
static void set_address(struct decode *d, struct teg_sass_operand *o)
{
    struct teg_sass *s = d->s;

    o->kind = SASS_ADDRESS;
    o->role = 'm';
    o->reg = o->ureg = TEG_SASS_NONE;
    d->at++;
    while (*d->at != ']') {
        char part = *d->at++;
        const char *list = d->at;

        if (part == 'a' || part == 'd') {
            o->reg = (uint8_t)bits(s, part == 'a' ? "31:24" : "23:16");
            o->count = count_of(s, *d->at++);
            if (part == 'a' && bits(s, "122"))
                o->flags |= SASS_REUSE;
        } else if (part == 's') {
            o->scale = sass_shifts[bits(s, "79:78")];
        } else if (part == 'u' || part == 'v' || part == 'V') {
            o->ureg = uniform_at(s, list);
            sass_bits(s->word, &d->at);
            if (part == 'V') {
                o->ureg++;
                continue;
            }
            if (part == 'u' || o->ureg != TEG_SASS_URZ)
                o->flags |= SASS_UR_FORM;
        } else if (part == 'U' || part == 'N') {
            o->flags |= SASS_UR_FORM;
            o->reg = TEG_SASS_RZ;
            o->ureg = (uint8_t)(uniform_at(s, list) + (part == 'N'));
            sass_bits(s->word, &d->at);
        } else if (part == 'o' || part == 'O') {
            unsigned count = sass_bits_count(list);

            o->value = sign_extended(bits_at(s, &d->at), count) *
                       (part == 'O' ? SASS_FAR : 1);
        } else if (part == 'w') {
            if (bits_at(s, &d->at))
                o->flags |= SASS_WIDE;
            else
                o->count = o->select = 1;
        } else if (part == 'x') {
            bits(s, "101"); /* says so too */
            if (bits_at(s, &d->at))
                o->flags |= SASS_DESCRIPTOR;
        } else if ((o->text = sass_descriptor(part, &o->count)) != NULL) {
            o->flags |= SASS_DESCRIPTOR;
            o->ureg = (uint8_t)(uniform_at(s, list) + (part == 'i'));
            sass_bits(s->word, &d->at);
        }
        d->at += *d->at == ' ';
    }
    d->at++;
}

/* n: c[bank][offset] in bytes, k: with Ra added, K: with URa added */
static void set_indexed(struct decode *d, struct teg_sass_operand *o)
{
    char how = *d->at++;
    int uniform = how == 'K' || how == 'C';
    const char *list = sass_offset_bits(how);
    uint8_t reg =
        uniform ? uniform_at(d->s, "29:24") : (uint8_t)bits(d->s, "31:24");

    set_constant(d->s, o);
    o->role = 'b';
    o->value = (int64_t)bits(d->s, list);
    if (how == 'n')
        return;
    if (o->value != 0 && reg == (uniform ? TEG_SASS_URZ : TEG_SASS_RZ))
        return;
    o->reg = reg;
    o->flags |= SASS_INDEXED | (uniform ? SASS_UNIFORM_INDEX : 0);
    o->value = sign_extended((uint64_t)o->value, sass_bits_count(list));
}

static void set_scoreboards(struct decode *d, struct teg_sass_operand *o)
{
    d->at++;
    o->kind = SASS_IMMEDIATE;
    o->format = 'b';
    o->value = (int64_t)bits_at(d->s, &d->at);
}

static void set_core(struct decode *d, struct teg_sass_operand *o,
                     unsigned mark)
{
    char c = *d->at;

    if (c == 'R' || c == 'U')
        set_by_slot(d, o, mark);
    else if (c == 'P' || c == 'Q')
        set_predicate(d, o);
    else if (c == '#' || c == '$')
        set_number(d, o);
    else if (c == '{')
        set_named(d, o);
    else if (c == '[')
        set_address(d, o);
    else if (c == 'n' || c == 'k' || c == 'K' || c == 'C')
        set_indexed(d, o);
    else if (c == '!')
        set_scoreboards(d, o);
    else if (c == 't')
        set_target(d, o);
    else if (c == '\'') {
        o->kind = SASS_LITERAL;
        o->text = d->at + 1;
        d->at += strcspn(d->at + 1, "'") + 2;
    } else {
        d->at++;
        set_by_form(d, o, c, mark);
    }
}

/* <table@bits>: text behind the operand. */
static void set_suffix(struct decode *d, struct teg_sass_operand *o)
{
    size_t length = strcspn(d->at + 1, "@"), text;

    o->suffix = sass_kind_find(d->at + 1, length);
    d->at += length + 2;
    o->suffix_value = (uint8_t)bits_at(d->s, &d->at);
    if (sass_kind_text(o->suffix, o->suffix_value, &text) == NULL)
        d->s->uncertain = 1;
    d->at++;
}

static int says_nothing(const struct teg_sass_operand *o)
{
    switch (o->kind) {
    case SASS_PREDICATE:
    case SASS_UPREDICATE:
        return o->reg == TEG_SASS_PT && !(o->flags & SASS_NEGATE);
    case SASS_REGISTER:
        return o->reg == TEG_SASS_RZ;
    case SASS_UNIFORM:
        return o->reg == TEG_SASS_URZ;
    default:
        return o->value == 0;
    }
}

/* What follows the core: *count, :format, <suffix>, ? and !value. */
static void set_rest(struct decode *d, struct teg_sass_operand *o)
{
    for (;; d->at++) {
        if (*d->at == '*') {
            uint8_t count = count_of(d->s, *++d->at);

            if (o->kind == SASS_REGISTER || o->kind == SASS_UNIFORM ||
                o->kind == SASS_CONSTANT)
                o->count = count;
        } else if (*d->at == ':') {
            char format = *++d->at;

            if (o->kind != SASS_IMMEDIATE)
                continue;
            o->format = format;
            if (format == 's')
                o->value = (int32_t)(uint32_t)o->value;
        } else if (*d->at == '<') {
            set_suffix(d, o);
            d->at--;
        } else if (*d->at == '?') {
            if (says_nothing(o))
                o->flags |= SASS_OPTIONAL;
        } else {
            return;
        }
    }
}

static void decode_operands(struct decode *d)
{
    d->at = d->row->operands;
    while (*d->at != '\0') {
        struct teg_sass_operand *o = &d->s->operand[d->s->operand_count++];
        unsigned mark;

        *o = (struct teg_sass_operand){0};
        mark = sass_marks(&d->at);
        set_core(d, o, mark);
        if (mark & MARK_NO_REUSE)
            o->flags &= (uint16_t)~SASS_REUSE;
        set_rest(d, o);
        if (*d->at == ' ')
            o->flags |= SASS_BLANK;
        d->at += *d->at == ',' || *d->at == ' ';
    }
}

static void decode_modifiers(struct teg_sass *s)
{
    const char *at = s->modifiers;
    struct sass_token token;

    while (sass_token_next(&at, &token)) {
        struct teg_sass_modifier *m;
        size_t length;

        if (token.bits == NULL)
            continue;
        m = &s->modifier[s->modifier_count++];
        m->table = sass_kind_find(token.text, token.length);
        m->value = (uint16_t)bits_at(s, &token.bits);
        if (sass_kind_text(m->table, m->value, &length) == NULL)
            s->uncertain = 1;
    }
}

static struct teg_control control_of(struct teg_sass *s)
{
    return (struct teg_control){
        .known = 1,
        .stall = (uint8_t)bits(s, "108:105"),
        .yield = !bits(s, "109"),
        .write_barrier = (uint8_t)bits(s, "112:110"),
        .read_barrier = (uint8_t)bits(s, "115:113"),
        .wait_mask = (uint8_t)bits(s, "121:116"),
    };
}

static uint64_t little(const uint8_t *bytes)
{
    uint64_t v = 0;

    for (int i = 7; i >= 0; i--)
        v = v << 8 | bytes[i];
    return v;
}

static const struct sass_row *find(const uint64_t word[2], uint32_t cc)
{
    size_t count;
    const struct sass_row *row = sass_rows(&count);

    for (size_t i = 0; i < count; i++) {
        if (row[i].base == (word[0] & 0x1ff) &&
            sass_row_fits(&row[i], word, cc))
            return &row[i];
    }
    return NULL;
}

/* Whether the guard is a uniform predicate: that of the uniform datapath's
 * instructions, whose names begin with U but for a few.  SYNCS.EXCH has
 * uniform operands alone; ptxas votes its guard into a uniform predicate of
 * that number first. */
static int has_uniform_guard(const struct teg_sass *s)
{
    enum {
        SYNCS_EXCH = 0x5b2
    };

    return s->name[0] == 'U' || strcmp(s->name, "S2UR") == 0 ||
           strcmp(s->name, "LDCU") == 0 || strcmp(s->name, "CS2UR") == 0 ||
           (strcmp(s->name, "SYNCS") == 0 &&
            (s->word[0] & 0xfff) == SYNCS_EXCH);
}

int teg_sass_decode(struct teg_sass *s, const uint8_t *bytes, uint64_t pc,
                    uint32_t cc)
{
    struct decode d = {.s = s};

    *s = (struct teg_sass){.pc = pc, .cc = (uint8_t)cc};
    s->word[0] = little(bytes);
    s->word[1] = little(bytes + 8);
    s->guard = (uint8_t)bits(s, "14:12");
    s->guard_negated = (uint8_t)bits(s, "15");
    s->control = control_of(s);
    d.row = find(s->word, cc);
    if (d.row == NULL)
        return 0;
    d.form = 1u << (bits(s, "91,11:9"));
    s->name = d.row->name;
    s->modifiers = d.row->modifiers;
    d.uniform = s->name[0] == 'U';
    s->guard_uniform = (uint8_t)has_uniform_guard(s);
    sass_row_add_conditions(d.row, s->named);
    decode_modifiers(s);
    decode_operands(&d);
    return 1;
}

void teg_sass_set_target(uint8_t bytes[TEG_SASS_BYTES], uint64_t address,
                         uint32_t cc)
{
    const char *list = sass_target_bits('a', cc);
    uint64_t word[2] = {little(bytes), little(bytes + 8)};

    sass_put_bits(word, &list, address / 4);
    for (int i = 0; i < TEG_SASS_BYTES; i++)
        bytes[i] = (uint8_t)(word[i / 8] >> 8 * (i % 8));
}

const struct teg_sass_operand *teg_sass_operand(const struct teg_sass *s,
                                                char role)
{
    for (unsigned i = 0; i < s->operand_count; i++) {
        if (s->operand[i].role == role)
            return &s->operand[i];
    }
    return NULL;
}

int teg_sass_modifier(const struct teg_sass *s, const char *table)
{
    uint8_t index = sass_kind_find(table, strlen(table));

    for (unsigned i = 0; i < s->modifier_count; i++) {
        if (s->modifier[i].table == index)
            return s->modifier[i].value;
    }
    return -1;
}
