#include "traces/emulate/core/map_argument.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char prefix[] = "map:";

int emu_is_map_argument(const char *text)
{
    return strncmp(text, prefix, sizeof prefix - 1) == 0;
}

static teg_status malformed(const char *text, struct teg_diag *d)
{
    return teg_fail(d, TEG_UNKNOWN, "",
                    "expected map:TYPE:SIZES:BOX[:OPTION...]:FILL, found '%s'",
                    text);
}

/* Reads "256x64:" into `out`, at most five; returns what is behind, or NULL. */
static const char *read_list(const char *text, uint64_t out[EMU_MAP_RANKS],
                             uint32_t *count)
{
    for (*count = 0; *count < EMU_MAP_RANKS; text++) {
        char *end;

        if (*text < '0' || *text > '9')
            return NULL;
        out[(*count)++] = strtoull(text, &end, 10);
        text = end;
        if (*text == ':')
            return text + 1;
        if (*text != 'x')
            return NULL;
    }
    return NULL;
}

static const char *after(const char *text, const char *word)
{
    size_t length = strlen(word);

    return strncmp(text, word, length) == 0 ? text + length : NULL;
}

/* Reads the option at `text`; returns what is behind it, `text` if there is
 * none, NULL if it is wrong. */
static const char *read_option(struct emu_tensor_map *m, const char *text)
{
    static const char *const swizzles[] = {
        "swizzle=32:",     "swizzle=64:",       "swizzle=128:",
        "swizzle=128.32:", "swizzle=128.32f8:", "swizzle=128.64:"};
    uint64_t list[EMU_MAP_RANKS];
    uint32_t count;
    const char *next;

    for (uint32_t i = 0; i < sizeof swizzles / sizeof swizzles[0]; i++) {
        if ((next = after(text, swizzles[i])) != NULL) {
            m->swizzle = i + 1;
            return next;
        }
    }
    if ((next = after(text, "nan:")) != NULL) {
        m->fills_nan = 1;
        return next;
    }
    if ((next = after(text, "stride=")) != NULL) {
        next = read_list(next, list, &count);
        for (uint32_t i = 1; next != NULL && i < m->rank; i++)
            m->stride[i] = list[i - 1];
        return next != NULL && count == m->rank - 1 ? next : NULL;
    }
    if ((next = after(text, "step=")) != NULL) {
        next = read_list(next, list, &count);
        for (uint32_t i = 0; next != NULL && i < m->rank; i++)
            m->step[i] = list[i] < UINT32_MAX ? (uint32_t)list[i] : UINT32_MAX;
        return next != NULL && count == m->rank ? next : NULL;
    }
    return strchr(text, ':') != NULL && after(text, "file=") == NULL ? NULL
                                                                     : text;
}

/* TYPE:SIZES:BOX: */
static const char *read_head(struct emu_tensor_map *m, const char *text)
{
    uint64_t box[EMU_MAP_RANKS];
    uint32_t boxes;

    text += sizeof prefix - 1;
    m->type = emu_map_type_find(text, strcspn(text, ":"));
    text = strchr(text, ':');
    if (text == NULL || m->type == EMU_MAP_TYPES)
        return NULL;
    text = read_list(text + 1, m->size, &m->rank);
    text = text != NULL ? read_list(text, box, &boxes) : NULL;
    if (text == NULL || boxes != m->rank)
        return NULL;
    for (uint32_t i = 0; i < m->rank; i++) {
        m->box[i] = box[i] < UINT32_MAX ? (uint32_t)box[i] : UINT32_MAX;
        m->step[i] = 1;
    }
    return text;
}

/* One element behind another, unless the text has strides. */
static void set_dense(struct emu_tensor_map *m)
{
    m->stride[0] = emu_map_element(m);
    for (uint32_t i = 1; i < m->rank; i++)
        m->stride[i] =
            m->stride[i - 1] * m->size[i - 1] / (i == 1 ? emu_map_unit(m) : 1);
}

/* From the first byte to behind the last. */
static uint64_t bytes_of(const struct emu_tensor_map *m)
{
    uint64_t bytes = m->size[0] / emu_map_unit(m) * m->stride[0];

    for (uint32_t i = 1; i < m->rank; i++)
        bytes += (m->size[i] - 1) * m->stride[i];
    return bytes;
}

/* The tensor's own memory: a buffer of elements of the type that is called the
 * same there. */
static teg_status read_fill(struct emu_map_argument *a, const char *text,
                            struct teg_diag *d)
{
    const char *type = emu_map_type_name(a->map.type);
    const char *number = after(text, "arg=");
    char head[64], *end;

    a->has_own = number == NULL;
    if (number != NULL) {
        a->argument = (uint32_t)strtoul(number, &end, 10);
        return end != number && *end == '\0' ? TEG_OK : malformed(text, d);
    }
    snprintf(head, sizeof head, "buf:%c%.7s:1:zeros",
             *type == 's' ? 'i' : *type, type + 1);
    TRY(emu_argument_parse(&a->buffer, head, d));
    a->buffer.bytes = a->bytes;
    a->buffer.fill = text;
    return TEG_OK;
}

teg_status emu_map_argument_parse(struct emu_map_argument *a, const char *text,
                                  struct teg_diag *d)
{
    const char *at, *next;

    *a = (struct emu_map_argument){0};
    at = read_head(&a->map, text);
    if (at == NULL)
        return malformed(text, d);
    set_dense(&a->map);
    while ((next = read_option(&a->map, at)) != at) {
        if (next == NULL)
            return malformed(text, d);
        at = next;
    }
    TRY(emu_map_check(&a->map, d));
    a->bytes = bytes_of(&a->map);
    if (a->bytes > UINT64_C(1) << 36)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected a tensor of at most 2^36 bytes, found %llu",
                        (unsigned long long)a->bytes);
    return read_fill(a, at, d);
}
