#include "traces/emulate/args.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (UINT64_C(1) << 36)

enum {
    VALUE_MAX = 8
};

/* Writes one value of the type, from text or from a number. */
struct type {
    const char *name;
    unsigned bytes;
    char kind; /* i, u, f */
};

static const struct type types[] = {
    {"i8", 1, 'i'},  {"u8", 1, 'u'},  {"i16", 2, 'i'}, {"u16", 2, 'u'},
    {"i32", 4, 'i'}, {"u32", 4, 'u'}, {"i64", 8, 'i'}, {"u64", 8, 'u'},
    {"f32", 4, 'f'}, {"f64", 8, 'f'},
};

static const struct type *find_type(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (strlen(types[i].name) == length &&
            strncmp(types[i].name, text, length) == 0)
            return &types[i];
    }
    return NULL;
}

static void put_float(const struct type *t, double v, uint8_t *out)
{
    float f = (float)v;

    if (t->bytes == 4)
        memcpy(out, &f, 4);
    else
        memcpy(out, &v, 8);
}

/* The low bytes of an integer: this machine is little endian like the GPU. */
static void put_integer(const struct type *t, uint64_t v, uint8_t *out)
{
    memcpy(out, &v, t->bytes);
}

static teg_status put_text(const struct type *t, const char *text, uint8_t *out,
                           struct teg_diag *d)
{
    char *end;

    errno = 0;
    if (t->kind == 'f')
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

static teg_status fill(uint8_t *data, const struct type *t, uint64_t count,
                       const char *how, struct teg_diag *d)
{
    uint64_t state = 1;

    if (strcmp(how, "zeros") == 0)
        return TEG_OK;
    if (strncmp(how, "file=", 5) == 0)
        return fill_from_file(data, count * t->bytes, how + 5, d);
    if (strcmp(how, "iota") == 0) {
        for (uint64_t i = 0; i < count; i++) {
            if (t->kind == 'f')
                put_float(t, (double)i, data + i * t->bytes);
            else
                put_integer(t, i, data + i * t->bytes);
        }
        return TEG_OK;
    }
    if (strncmp(how, "random,seed=", 12) == 0)
        state = strtoull(how + 12, NULL, 0) * 2 + 1;
    else if (strcmp(how, "random") != 0)
        return teg_fail(d, TEG_UNKNOWN, "",
                        "expected zeros, iota, random[,seed=N] or file=PATH, "
                        "found '%s'",
                        how);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t v = next_random(&state);

        if (t->kind == 'f')
            put_float(t, (double)(v >> 40) / (double)(1 << 24),
                      data + i * t->bytes);
        else
            put_integer(t, v, data + i * t->bytes);
    }
    return TEG_OK;
}

/* "TYPE:COUNT:FILL" */
static teg_status parse_buffer(struct emu_buffer *b, struct emu_device *device,
                               const char *text, struct teg_diag *d)
{
    const char *colon = strchr(text, ':');
    const struct type *t =
        colon != NULL ? find_type(text, (size_t)(colon - text)) : NULL;
    unsigned long long count = 0;
    char *end = NULL;

    if (t != NULL)
        count = strtoull(colon + 1, &end, 0);
    if (t == NULL || end == colon + 1 || *end != ':' || count == 0 ||
        count > BYTES_MAX / t->bytes)
        return teg_fail(d, TEG_UNKNOWN, "",
                        "expected buf:TYPE:COUNT:FILL, found 'buf:%s'", text);
    b->bytes = count * t->bytes;
    TRY(emu_device_alloc(device, b->bytes, &b->address, d));
    return fill(emu_device_at(device, b->address, b->bytes), t, count, end + 1,
                d);
}

static teg_status parse_one(struct emu_args *args, uint32_t i,
                            const struct teg_cubin_param *p,
                            struct emu_device *device, const char *text,
                            struct teg_diag *d)
{
    const char *colon = strchr(text, ':');
    const struct type *t;
    uint8_t value[VALUE_MAX] = {0};
    unsigned bytes = 8;

    if (strncmp(text, "buf:", 4) == 0) {
        TRY(parse_buffer(&args->buffer[i], device, text + 4, d));
        memcpy(value, &args->buffer[i].address, 8);
    } else {
        t = colon != NULL ? find_type(text, (size_t)(colon - text)) : NULL;
        if (t == NULL)
            return teg_fail(d, TEG_UNKNOWN, "",
                            "expected TYPE:VALUE or buf:TYPE:COUNT:FILL, found "
                            "'%s'",
                            text);
        TRY(put_text(t, colon + 1, value, d));
        bytes = t->bytes;
    }
    if (p->size != bytes || p->offset > args->param_bytes ||
        args->param_bytes - p->offset < bytes)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected %u bytes for argument %u, found %u in '%s'",
                        p->size, i, bytes, text);
    memcpy(args->params + p->offset, value, bytes);
    return TEG_OK;
}

teg_status emu_args_parse(struct emu_args *args,
                          const struct teg_cubin_kernel *kernel,
                          struct emu_device *device, const char *const *text,
                          uint32_t count, struct teg_diag *d)
{
    if (!kernel->has_params && count != 0)
        return teg_fail(d, TEG_LIMIT, kernel->name,
                        "the file does not describe this kernel's parameters");
    if (count != kernel->param_count)
        return teg_fail(d, TEG_LIMIT, kernel->name,
                        "expected %u arguments, found %u", kernel->param_count,
                        count);
    args->param_bytes = kernel->param_bytes;
    args->params = calloc(1, args->param_bytes + 1);
    args->buffer = calloc((size_t)count + 1, sizeof *args->buffer);
    args->count = count;
    if (args->params == NULL || args->buffer == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < count; i++) {
        teg_status status =
            parse_one(args, i, &kernel->param[i], device, text[i], d);

        if (status != TEG_OK && d != NULL && d->where[0] == '\0')
            snprintf(d->where, sizeof d->where, "%.200s argument %u",
                     kernel->name, i);
        if (status != TEG_OK)
            return status;
    }
    return TEG_OK;
}

void emu_args_release(struct emu_args *args)
{
    free(args->params);
    free(args->buffer);
    *args = (struct emu_args){0};
}
