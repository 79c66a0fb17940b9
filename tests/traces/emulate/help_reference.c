#include "tests/traces/emulate/help_reference.h"

#include <stddef.h>
#include <string.h>

#include "isa/sass/row.h"

int reference_nth(const struct reference_in *in, const char *table,
                  unsigned count, const char *text)
{
    uint8_t index = sass_kind_find(table, strlen(table));

    for (unsigned i = 0; i < in->s->modifier_count; i++) {
        const struct teg_sass_modifier *m = &in->s->modifier[i];
        size_t length;
        const char *found;

        if (m->table != index || count-- != 0)
            continue;
        found = sass_kind_text(m->table, m->value, &length);
        return found != NULL && strlen(text) == length &&
               memcmp(found, text, length) == 0;
    }
    return text[0] == '\0';
}

int reference_is(const struct reference_in *in, const char *table,
                 const char *text)
{
    return reference_nth(in, table, 0, text);
}

int reference_says(const struct reference_in *in, const char *text)
{
    const char *at = in->s->modifiers;
    size_t length = strlen(text);

    while ((at = strstr(at, text)) != NULL) {
        if (at[length] == ' ' || at[length] == '\0')
            return 1;
        at += length;
    }
    return 0;
}

int64_t reference_number(const struct reference_in *in, unsigned n)
{
    for (unsigned i = 0; i < in->s->operand_count; i++) {
        const struct teg_sass_operand *o = &in->s->operand[i];

        if (o->kind == SASS_IMMEDIATE && o->role == 0 && n-- == 0)
            return o->value;
    }
    return 0;
}

/* The uniform datapath computes the same. */
static const char *plain_name(const char *name)
{
    return name[0] == 'U' ? name + 1 : name;
}

int reference_result(const struct reference_in *in, struct reference_out *out)
{
    static const struct reference_row *const rooms[] = {
        reference_integers, reference_floats, reference_conversions};
    const char *name = plain_name(in->s->name);

    *out = (struct reference_out){.matters = UINT32_MAX};
    for (unsigned i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        for (const struct reference_row *row = rooms[i]; row->name != NULL;
             row++) {
            if (strcmp(row->name, name) == 0)
                return row->of(in, out);
        }
    }
    return 0;
}
