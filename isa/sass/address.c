/* The address of a memory instruction: its text put into the word's bits. */
#include <stdlib.h>
#include <string.h>

#include "isa/sass/reader.h"
#include "isa/sass/text.h"

/* "desc[UR4][R2.reuse.X4.64+UR6+0x10]" taken apart. */
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
    if ((next = sass_after(text, ".reuse")) != NULL) {
        a->reuse = 1;
        text = next;
    }
    if ((next = sass_after(text, ".X")) != NULL) {
        a->scale = (unsigned)strtoul(next, &end, 10);
        text = end;
    }
    if ((next = sass_after(text, ".64")) != NULL)
        a->wide = 1;
    else
        next = sass_after(text, ".U32");
    return next != NULL ? next : text;
}

static const char *address_parts(struct address *a, const char *text)
{
    for (;; text++) {
        const char *next = sass_read_register(text, &a->reg);

        if (next != NULL && !a->has_reg)
            text = address_register(a, next);
        else if ((next = sass_read_uniform(text, &a->ureg)) != NULL) {
            a->has_ureg = 1;
            text = next;
        } else
            text = sass_read_hex(text, &a->value);
        if (text == NULL)
            return NULL;
        if (*text != '+')
            return sass_after(text, "]");
    }
}

/* "gdesc[UR4]", "tmem[UR4+0x10]", by the part that the row has */
static const char *descriptor(struct address *a, const char *text,
                              const char *name)
{
    text = sass_after(text, name);
    text = text != NULL ? sass_after(text, "[") : NULL;
    text = text != NULL ? sass_read_uniform(text, &a->descriptor) : NULL;
    if (text != NULL && *text == '+')
        text = sass_read_hex(text + 1, &a->value);
    return text != NULL ? sass_after(text, "]") : NULL;
}

static const char *take_apart(struct address *a, const char *text, char part)
{
    uint8_t count;
    const char *next = sass_after(text, "desc["),
               *name = sass_descriptor(part, &count);

    *a = (struct address){.reg = TEG_SASS_RZ,
                          .ureg = TEG_SASS_URZ,
                          .descriptor = TEG_SASS_URZ,
                          .scale = 1,
                          .wide = 1};
    if (name != NULL)
        return descriptor(a, text, name);
    if (next != NULL) {
        a->has_descriptor = 1;
        text = sass_read_uniform(next, &a->descriptor);
        text = text != NULL ? sass_after(text, "]") : NULL;
    }
    text = text != NULL ? sass_after(text, "[") : NULL;
    return text != NULL ? address_parts(a, text) : NULL;
}

static unsigned shift_value(unsigned scale)
{
    unsigned v = 0;

    while (v < 3 && 1u << sass_shifts[v] != scale)
        v++;
    return v;
}

/* Puts one part; 0: the row has no bits for what the text says.  A uniform
 * register that does not stand in the address is that of a descriptor, which
 * sm_80 to sm_89 do not print. */
static void put_part(struct sass_reader *r, const struct address *a, char part,
                     const char *list, int hides)
{
    const char *uniform = sass_uniform_bits(list, r->cc);

    switch (part) {
    case 'a':
        sass_put(r, "31:24", a->reg);
        sass_put(r, "122", a->reuse != 0);
        break;
    case 'd':
        sass_put(r, "23:16", a->reg);
        break;
    case 's':
        sass_put(r, "79:78", shift_value(a->scale));
        break;
    case 'u':
    case 'v':
        sass_put(r, uniform, hides ? a->descriptor : a->ureg);
        break;
    case 'V': /* follows from the other address's */
        if (a->has_descriptor)
            sass_put(r, uniform, a->descriptor - 1);
        break;
    case 'U':
        sass_put(r, uniform, a->ureg);
        break;
    case 'N': /* follows the register of the address before */
        sass_put(r, uniform, a->ureg - 1);
        break;
    case 'i': /* follows the register of another operand */
        sass_put(r, uniform, a->descriptor - 1);
        break;
    case 'g':
    case 'G':
    case 'h':
    case 'T':
        sass_put(r, uniform, a->descriptor);
        break;
    case 'o':
        sass_put(r, list, a->value);
        break;
    case 'O':
        sass_put(r, list, (uint64_t)((int64_t)a->value / SASS_FAR));
        break;
    case 'w':
        sass_put(r, list, a->wide != 0);
        break;
    default: /* x */
        sass_put(r, list, hides != 0);
        if (a->has_descriptor && r->cc < 90)
            sass_put(r, "101", 1);
    }
}

const char *sass_read_address(struct sass_reader *r, const char *text,
                              const struct sass_item *i)
{
    struct address a;
    int hides = 0;

    text = take_apart(&a, text, i->at[1]);
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
