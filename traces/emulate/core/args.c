#include "traces/emulate/core/args.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/emulate/core/argument.h"

static teg_status make_buffer(struct emu_buffer *b, struct emu_device *device,
                              const struct emu_argument *a, struct teg_diag *d)
{
    b->bytes = a->bytes;
    TRY(emu_device_alloc(device, b->bytes, &b->address, d));
    return emu_argument_fill(a, emu_device_at(device, b->address, b->bytes), d);
}

static teg_status parse_one(struct emu_args *args, uint32_t i,
                            const struct teg_cubin_param *p,
                            struct emu_device *device, const char *text,
                            struct teg_diag *d)
{
    struct emu_argument a;
    uint64_t bytes;

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
