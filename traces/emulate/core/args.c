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

static teg_status parse_one(struct emu_args *args, uint32_t i,
                            const struct teg_cubin_param *p,
                            struct emu_device *device, const char *text,
                            struct teg_diag *d)
{
    struct emu_argument a;
    uint64_t bytes;

    if (emu_is_map_argument(text))
        return parse_map(args, i, p, device, text, d);
    TRY(emu_argument_parse(&a, text, d));
    bytes = a.bytes;
    if (a.fill != NULL) {
        TRY(make_buffer(&args->buffer[i], device, &a, d));
        memcpy(a.value, &args->buffer[i].address, sizeof a.value);
        bytes = sizeof args->buffer[i].address;
    }
    if (p->size != bytes || p->offset > args->param_bytes ||
        args->param_bytes - p->offset < bytes)
        return teg_fail(d, TEG_LIMIT, "",
                        "expected %u bytes for argument %u, found %u in '%s'",
                        p->size, i, (unsigned)bytes, text);
    memcpy(args->params + p->offset, a.value, (size_t)bytes);
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
