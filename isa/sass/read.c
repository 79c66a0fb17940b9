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
#include <stdlib.h>
#include <string.h>

#include "isa/sass/reader.h"
#include "isa/sass/text.h"

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

/* Decodes and prints the word: is it the text? */
static int is_read(struct sass_reader *r)
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
static int read_operands(struct sass_reader *r, const char *spec,
                         const char *text, const char *between)
{
    const uint64_t before[2] = {r->word[0], r->word[1]};
    struct sass_item i;
    const char *start, *next;

    if (*spec == '\0')
        return *text == '\0' && is_read(r);
    i = sass_item_at(spec);
    spec = i.end + (*i.end != '\0');
    start = sass_after(text, between);
    if (start != NULL && *between == '\0')
        start += *start == ' ';
    for (int second = 0; start != NULL && second < 2; second++) {
        next = sass_read_operand(r, start, &i, second);
        if (next != NULL && read_operands(r, spec, next, i.is_blank ? "" : ","))
            return 1;
        memcpy(r->word, before, sizeof before);
        if (i.format != 'h' && i.format != 'm')
            break;
    }
    if (!i.is_optional)
        return 0;
    sass_put_nothing(r, &i);
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

static int read_modifiers(struct sass_reader *r, const char *spec,
                          const char *text)
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
        sass_put(r, token.bits, v);
        if (read_modifiers(r, spec, next))
            return 1;
        memcpy(r->word, before, sizeof before);
    }
    return 0;
}

/* IMAD's names for what it is used for follow from its operands. */
static int read_mnemonic(struct sass_reader *r, const char *text)
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

static int read_row(struct sass_reader *r, uint64_t guard)
{
    const char *text =
        after_part(r->opcode, r->row->name, strlen(r->row->name));

    if (text == NULL || r->cc < r->row->first || r->cc > r->row->last)
        return 0;
    for (unsigned form = 0; form < 16; form++) {
        if (!(sass_forms_of(r->row, r->cc) >> form & 1))
            continue;
        r->form = 1u << form;
        sass_row_word(r->row, form, r->word);
        sass_put(r, "15:12", guard);
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
    struct sass_reader r = {.pc = pc, .cc = cc, .s = &found};
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
