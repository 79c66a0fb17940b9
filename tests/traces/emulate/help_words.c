#include "tests/traces/emulate/help_words.h"

#include <string.h>

const uint32_t help_generations[HELP_DECODED] = {70, 72, 75, 80,  86,
                                                 87, 89, 90, 100, 120};

static void add_field(struct help_field *f, const char *name, size_t length,
                      const char *bits, int is_modifier)
{
    f->table = sass_kind_find(name, length);
    f->bits = bits;
    f->is_modifier = is_modifier;
}

unsigned help_fields(const struct sass_row *row,
                     struct help_field field[HELP_FIELDS])
{
    const char *at = row->modifiers;
    struct sass_token token;
    unsigned n = 0;

    while (sass_token_next(&at, &token)) {
        if (token.bits != NULL)
            add_field(&field[n++], token.text, token.length, token.bits, 1);
    }
    for (at = row->operands; *at != '\0'; at++) {
        size_t length = strcspn(at + 1, "@'");

        if (*at == '\'')
            at += length + 1; /* a text */
        else if (*at == '{' || *at == '<')
            add_field(&field[n++], at + 1, length, at + length + 2, 0);
    }
    return n;
}

void help_set(uint64_t word[2], const struct help_field *f, uint32_t value)
{
    const char *bits = f->bits;

    sass_put_bits(word, &bits, value);
}

unsigned help_field_values(const struct help_field *f)
{
    return 1u << sass_bits_count(f->bits);
}

void help_word_bytes(const uint64_t word[2], uint8_t out[TEG_SASS_BYTES])
{
    for (unsigned i = 0; i < TEG_SASS_BYTES; i++)
        out[i] = (uint8_t)(word[i / 8] >> 8 * (i % 8));
}

/* Registers in their slots; the middle one's place is an immediate's too. */
static void put_registers(const struct sass_row *row, unsigned form,
                          uint64_t word[2])
{
    static const unsigned reg[] = {HELP_A, HELP_B, HELP_C, HELP_D, HELP_E};
    const char *bank = "58:54", *sign = "53";
    int immediate = (form < 16) && (1u << form & FORMS_IMMEDIATE) != 0;
    int constant = (form < 16) && (1u << form & FORMS_CONSTANT) != 0;
    int exact = strpbrk(row->operands, "#$kKnt") != NULL;

    for (int i = 0; i < 5; i++) {
        const char *list = sass_slots[i].reg;

        if (i == 1 && (immediate || constant))
            continue;
        if (i == 4 && (exact || immediate || constant || form != 0))
            continue;
        sass_put_bits(word, &list, reg[i]);
    }
    if (constant) {
        sass_put_bits(word, &bank, 0);
        sass_put_bits(word, &sign, 0);
    }
}

void help_word(const struct sass_row *row, unsigned form, uint32_t cc,
               const uint64_t fill[2], uint64_t word[2])
{
    uint64_t base[2], fixed[2] = {0xffff, ~UINT64_C(0) << 41 | 1u << 27};
    uint64_t full[2] = {fill[0], fill[1]};
    struct help_field field[HELP_FIELDS];
    unsigned fields = help_fields(row, field);
    uint8_t bytes[TEG_SASS_BYTES];
    struct teg_sass s;

    sass_row_word(row, form, base);
    base[0] |= 0x7000; /* no guard */
    sass_row_add_conditions(row, fixed);
    for (unsigned i = 0; i < fields; i++) {
        const char *bits = field[i].bits;

        sass_add_bits(fixed, &bits);
    }
    put_registers(row, form, full);
    help_word_bytes(base, bytes);
    teg_sass_decode(&s, bytes, 0, cc);
    for (int i = 0; i < 2; i++)
        word[i] = base[i] | (full[i] & s.named[i] & ~fixed[i]);
}
