#include "traces/emulate/core/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/emulate/core/argument.h"
#include "traces/emulate/core/map_argument.h"

static teg_status make_buffer(struct emu_buffer *b, struct emu_device *device,
                              const struct emu_argument *a, struct teg_diag *d)
{
    b->bytes = a->bytes;
    TRY(emu_device_alloc(device, b->bytes, &b->address, d));
    return emu_argument_fill(a, emu_device_at(device, b->address, b->bytes), d);
}

/* The buffer of an argument before `i`. */
static teg_status find_buffer(const struct emu_args *args, uint32_t i,
                              uint32_t wanted, struct emu_buffer *b,
                              struct teg_diag *d)
{
    if (wanted >= i || args->buffer[wanted].bytes == 0)
        return teg_fail(d, TEG_UNKNOWN, "",
                        "expected a buffer before argument %u, found arg=%u", i,
                        wanted);
    *b = args->buffer[wanted];
    return TEG_OK;
}

/* The map itself, or a pointer to one in memory, as the parameter's size has
 * it. */
static teg_status put_map(struct emu_args *args,
                          const struct teg_cubin_param *p,
                          struct emu_device *device,
                          const struct emu_tensor_map *m, struct teg_diag *d)
{
    uint8_t object[EMU_MAP_BYTES];
    uint64_t address;

    if ((p->size != EMU_MAP_BYTES && p->size != sizeof address) ||
        p->offset > args->param_bytes ||
        args->param_bytes - p->offset < p->size)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected a parameter of %d bytes for a tensor map, or "
                        "of 8 for its address, found %u",
                        EMU_MAP_BYTES, p->size);
    emu_map_write(m, object);
    if (p->size == EMU_MAP_BYTES) {
        memcpy(args->params + p->offset, object, EMU_MAP_BYTES);
        return TEG_OK;
    }
    TRY(emu_device_alloc(device, EMU_MAP_BYTES, &address, d));
    memcpy(emu_device_at(device, address, EMU_MAP_BYTES), object,
           EMU_MAP_BYTES);
    memcpy(args->params + p->offset, &address, sizeof address);
    return TEG_OK;
}

static teg_status parse_map(struct emu_args *args, uint32_t i,
                            const struct teg_cubin_param *p,
                            struct emu_device *device, const char *text,
                            struct teg_diag *d)
{
    struct emu_map_argument a;

    TRY(emu_map_argument_parse(&a, text, d));
    if (a.has_own)
        TRY(make_buffer(&args->buffer[i], device, &a.buffer, d));
    else
        TRY(find_buffer(args, i, a.argument, &args->buffer[i], d));
    if (args->buffer[i].bytes < a.bytes)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected a buffer of %llu bytes for the tensor, found "
                        "%llu",
                        (unsigned long long)a.bytes,
                        (unsigned long long)args->buffer[i].bytes);
    a.map.address = args->buffer[i].address;
    return put_map(args, p, device, &a.map, d);
}

/* The bytes that `text`, a value or a buffer, makes of a parameter: a buffer
 * is made, and its address is the value. */
static teg_status parse_value(struct emu_args *args, uint32_t i,
                              struct emu_device *device, const char *text,
                              struct emu_argument *a, struct teg_diag *d)
{
    TRY(emu_argument_parse(a, text, d));
    if (a->fill != NULL) {
        TRY(make_buffer(&args->buffer[i], device, a, d));
        memcpy(a->value, &args->buffer[i].address, sizeof a->value);
        a->bytes = sizeof args->buffer[i].address;
    }
    return TEG_OK;
}

static teg_status parse_one(struct emu_args *args, uint32_t i,
                            const struct teg_cubin_param *p,
                            struct emu_device *device, const char *text,
                            struct teg_diag *d)
{
    struct emu_argument a;

    if (emu_is_map_argument(text))
        return parse_map(args, i, p, device, text, d);
    TRY(parse_value(args, i, device, text, &a, d));
    if (p->size != a.bytes || p->offset > args->param_bytes ||
        args->param_bytes - p->offset < a.bytes)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected %u bytes for argument %u, found %u in '%s'",
                        p->size, i, (unsigned)a.bytes, text);
    memcpy(args->params + p->offset, a.value, (size_t)a.bytes);
    return TEG_OK;
}

static uint64_t round_up(uint64_t v, uint64_t unit)
{
    return (v + unit - 1) / unit * unit;
}

/* `members` texts from `first` on, laid out as C does: each at a multiple of
 * its size, the whole a multiple of the largest. */
static teg_status parse_struct(struct emu_args *args, uint32_t first,
                               uint32_t members,
                               const struct teg_cubin_param *p,
                               struct emu_device *device,
                               const char *const *text, struct teg_diag *d)
{
    uint64_t at = 0, unit = 1;

    if (p->offset > args->param_bytes ||
        args->param_bytes - p->offset < p->size)
        return teg_fail(d, TEG_LIMIT, "", "a parameter of %u bytes at %u",
                        p->size, p->offset);
    for (uint32_t i = first; i < first + members; i++) {
        const char *own = text[i] + (i > first);
        struct emu_argument a;

        if (emu_is_map_argument(own))
            return teg_fail(d, TEG_UNKNOWN, "",
                            "a tensor map inside a struct: '%s'", own);
        TRY(parse_value(args, i, device, own, &a, d));
        at = round_up(at, a.bytes);
        if (at + a.bytes > p->size)
            return teg_fail(d, TEG_LIMIT, "",
                            "expected a struct of %u bytes, found more with "
                            "'%s' at byte %u",
                            p->size, own, (unsigned)at);
        memcpy(args->params + p->offset + at, a.value, (size_t)a.bytes);
        at += a.bytes;
        unit = a.bytes > unit ? a.bytes : unit;
    }
    if (round_up(at, unit) != p->size)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected a struct of %u bytes, found members of %u",
                        p->size, (unsigned)round_up(at, unit));
    return TEG_OK;
}

/* Texts that fill the parameter of text `first`: it and all behind it that
 * begin with a plus. */
static uint32_t members_from(const char *const *text, uint32_t first,
                             uint32_t count)
{
    uint32_t end = first + 1;

    while (end < count && text[end][0] == '+')
        end++;
    return end - first;
}

static uint32_t params_of(const char *const *text, uint32_t count)
{
    uint32_t params = 0;

    for (uint32_t i = 0; i < count; i += members_from(text, i, count))
        params++;
    return params;
}

teg_status emu_args_parse(struct emu_args *args,
                          const struct teg_cubin_kernel *kernel,
                          struct emu_device *device, const char *const *text,
                          uint32_t count, struct teg_diag *d)
{
    uint32_t params = params_of(text, count), members;

    if (!kernel->has_params && count != 0)
        return teg_fail(d, TEG_LIMIT, kernel->name,
                        "the file does not describe this kernel's parameters");
    if (params != kernel->param_count)
        return teg_fail(d, TEG_LIMIT, kernel->name,
                        "expected %u arguments, found %u", kernel->param_count,
                        params);
    args->param_bytes = kernel->param_bytes;
    args->params = calloc(1, args->param_bytes + 1);
    args->buffer = calloc((size_t)count + 1, sizeof *args->buffer);
    args->count = count;
    if (args->params == NULL || args->buffer == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0, k = 0; i < count; i += members, k++) {
        const struct teg_cubin_param *p = &kernel->param[k];
        teg_status status;

        members = members_from(text, i, count);
        status = members == 1
                     ? parse_one(args, i, p, device, text[i], d)
                     : parse_struct(args, i, members, p, device, text, d);
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
