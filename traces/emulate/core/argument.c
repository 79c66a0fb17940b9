#include "traces/emulate/core/argument.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/emulate/core/half.h"

#define BYTES_MAX (UINT64_C(1) << 36)

struct emu_value_type {
    const char *name;
    unsigned bytes;
    char kind; /* i, u, f, h for halves, b for bfloat16 */
};

static const struct emu_value_type types[] = {
    {"i8", 1, 'i'},  {"u8", 1, 'u'},  {"i16", 2, 'i'}, {"u16", 2, 'u'},
    {"i32", 4, 'i'}, {"u32", 4, 'u'}, {"i64", 8, 'i'}, {"u64", 8, 'u'},
    {"f32", 4, 'f'}, {"f64", 8, 'f'}, {"f16", 2, 'h'}, {"bf16", 2, 'b'},
};

static const struct emu_value_type *find_type(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strlen(types[i].name) == length &&
            strncmp(types[i].name, text, length) == 0)
            return &types[i];
    }
    return NULL;
}

static void put_float(const struct emu_value_type *t, double v, uint8_t *out)
{
    float f = (float)v;
    uint32_t half = t->kind == 'h' ? half_bits(v) : bf16_bits(v);

    if (t->kind != 'f')
        memcpy(out, &half, 2);
    else if (t->bytes == 4)
        memcpy(out, &f, 4);
    else
        memcpy(out, &v, 8);
}

static int is_float(const struct emu_value_type *t)
{
    return strchr("fhb", t->kind) != NULL;
}

/* The low bytes of an integer: this machine is little endian like the GPU. */
static void put_integer(const struct emu_value_type *t, uint64_t v,
                        uint8_t *out)
{
    memcpy(out, &v, t->bytes);
}

static teg_status put_text(const struct emu_value_type *t, const char *text,
                           uint8_t *out, struct teg_diag *d)
{
    char *end;

    errno = 0;
    if (is_float(t))
        put_float(t, strtod(text, &end), out);
    else if (t->kind == 'i' || *text == '-')
        put_integer(t, (uint64_t)strtoll(text, &end, 0), out);
    else
        put_integer(t, strtoull(text, &end, 0), out);
    if (end == text || *end != '\0' || errno != 0)
        return teg_fail(d, TEG_UNKNOWN, "",
                        "expected a value of type %s, found '%s'", t->name,
                        text);
    return TEG_OK;
}

static uint64_t next_random(uint64_t *state)
{
    uint64_t x = *state;

    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * 2685821657736338717u;
}

/* "random" or "random,seed=N" */
static int read_seed(const char *how, uint64_t *state)
{
    static const char prefix[] = "random,seed=";
    char *end;

    *state = 1;
    if (strcmp(how, "random") == 0)
        return 1;
    if (strncmp(how, prefix, sizeof prefix - 1) != 0)
        return 0;
    how += sizeof prefix - 1;
    *state = strtoull(how, &end, 0) * 2 + 1;
    return end != how && *end == '\0';
}

static teg_status fill_from_file(uint8_t *data, uint64_t bytes,
                                 const char *path, struct teg_diag *d)
{
    FILE *f = fopen(path, "rb");
    size_t got;

    if (f == NULL)
        return teg_fail_errno(d, path, "open");
    got = fread(data, 1, (size_t)bytes, f);
    fclose(f);
    if (got != bytes)
        return teg_fail(d, TEG_FORMAT, path,
                        "expected %llu bytes for the buffer, found %zu",
                        (unsigned long long)bytes, got);
    return TEG_OK;
}

teg_status emu_argument_fill(const struct emu_argument *a, uint8_t *data,
                             struct teg_diag *d)
{
    const struct emu_value_type *t = a->type;
    uint64_t count = a->bytes / t->bytes, state;
    const char *how = a->fill;

    if (strcmp(how, "zeros") == 0)
        return TEG_OK;
    if (strncmp(how, "file=", 5) == 0)
        return fill_from_file(data, a->bytes, how + 5, d);
    if (strcmp(how, "iota") == 0) {
        for (uint64_t i = 0; i < count; i++) {
            if (is_float(t))
                put_float(t, (double)i, data + i * t->bytes);
            else
                put_integer(t, i, data + i * t->bytes);
        }
        return TEG_OK;
    }
    if (!read_seed(how, &state))
        return teg_fail(d, TEG_UNKNOWN, "",
                        "expected zeros, iota, random[,seed=N] or file=PATH, "
                        "found '%s'",
                        how);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t v = next_random(&state);

        if (is_float(t))
            put_float(t, (double)(v >> 40) / (double)(1 << 24),
                      data + i * t->bytes);
        else
            put_integer(t, v, data + i * t->bytes);
    }
    return TEG_OK;
}

/* "TYPE:COUNT:FILL" */
static teg_status parse_buffer(struct emu_argument *a, const char *text,
                               struct teg_diag *d)
{
    const char *colon = strchr(text, ':');
    unsigned long long count = 0;
    char *end = NULL;

    a->type = colon != NULL ? find_type(text, (size_t)(colon - text)) : NULL;
    if (a->type != NULL)
        count = strtoull(colon + 1, &end, 0);
    if (a->type == NULL || end == colon + 1 || *end != ':' || count == 0 ||
        count > BYTES_MAX / a->type->bytes)
        return teg_fail(d, TEG_UNKNOWN, "",
                        "expected buf:TYPE:COUNT:FILL, found 'buf:%s'", text);
    a->bytes = count * a->type->bytes;
    a->fill = end + 1;
    return TEG_OK;
}

teg_status emu_argument_parse(struct emu_argument *a, const char *text,
                              struct teg_diag *d)
{
    const char *colon = strchr(text, ':');

    *a = (struct emu_argument){0};
    if (strncmp(text, "buf:", 4) == 0)
        return parse_buffer(a, text + 4, d);
    a->type = colon != NULL ? find_type(text, (size_t)(colon - text)) : NULL;
    if (a->type == NULL)
        return teg_fail(d, TEG_UNKNOWN, "",
                        "expected TYPE:VALUE or buf:TYPE:COUNT:FILL, found "
                        "'%s'",
                        text);
    a->bytes = a->type->bytes;
    return put_text(a->type, colon + 1, a->value, d);
}
