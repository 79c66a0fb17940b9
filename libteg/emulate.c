#include "include/teg/emulate.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"
#include "isa/base/name.h"
#include "isa/binary/cubin.h"
#include "traces/emulate/core/args.h"
#include "traces/emulate/core/emulate.h"
#include "traces/tegt/tegt.h"

struct teg_emulation {
    struct teg_cubin cubin;
    const struct teg_cubin_kernel *kernel; /* of `cubin` */
    struct emu_launch_facts facts;
    char **argument; /* owned, and so is each, [arguments] */
    uint32_t arguments;
    size_t room;
};

static teg_status choose_kernel(struct teg_emulation *e, const char *name,
                                struct teg_diag *d)
{
    const struct teg_cubin *c = &e->cubin;
    uint32_t found = 0;

    e->kernel = name != NULL ? teg_cubin_find(c, name) : NULL;
    for (uint32_t i = 0; e->kernel == NULL && i < c->kernel_count; i++)
        found += name == NULL || teg_name_matches(c->kernel[i].name, name);
    for (uint32_t i = 0; found == 1 && i < c->kernel_count; i++) {
        if (name == NULL || teg_name_matches(c->kernel[i].name, name))
            e->kernel = &c->kernel[i];
    }
    if (e->kernel != NULL)
        return TEG_OK;
    if (name == NULL)
        return teg_fail(d, TEG_UNKNOWN, c->path,
                        "expected the name of a kernel, for there are %u",
                        c->kernel_count);
    return teg_fail(d, TEG_UNKNOWN, c->path,
                    found == 0 ? "there is no kernel '%.200s'"
                               : "several kernels are called '%.200s'",
                    name);
}

teg_status teg_emulation_new(const char *cubin, const char *kernel,
                             struct teg_emulation **emulation,
                             struct teg_diag *d)
{
    struct teg_emulation *e = calloc(1, sizeof *e);
    teg_status status;

    *emulation = NULL;
    if (e == NULL)
        return teg_fail_memory(d);
    status = teg_cubin_open(&e->cubin, cubin, d);
    if (status == TEG_OK)
        status = choose_kernel(e, kernel, d);
    if (status != TEG_OK) {
        teg_emulation_free(e);
        return status;
    }
    teg_emulation_set_grid(e, 1, 1, 1);
    teg_emulation_set_block(e, 1, 1, 1);
    *emulation = e;
    return TEG_OK;
}

void teg_emulation_free(struct teg_emulation *emulation)
{
    if (emulation == NULL)
        return;
    for (uint32_t i = 0; i < emulation->arguments; i++)
        free(emulation->argument[i]);
    free(emulation->argument);
    teg_cubin_release(&emulation->cubin);
    free(emulation);
}

void teg_emulation_set_grid(struct teg_emulation *emulation, uint32_t x,
                            uint32_t y, uint32_t z)
{
    const uint32_t grid[3] = {x, y, z};

    memcpy(emulation->facts.grid, grid, sizeof grid);
}

void teg_emulation_set_block(struct teg_emulation *emulation, uint32_t x,
                             uint32_t y, uint32_t z)
{
    const uint32_t block[3] = {x, y, z};

    memcpy(emulation->facts.block, block, sizeof block);
}

void teg_emulation_set_shared(struct teg_emulation *emulation, uint32_t bytes)
{
    emulation->facts.dynamic_shared = bytes;
}

void teg_emulation_set_threads(struct teg_emulation *emulation,
                               uint32_t threads)
{
    emulation->facts.jobs = threads;
}

teg_status teg_emulation_add_argument(struct teg_emulation *e, const char *text,
                                      struct teg_diag *d)
{
    char *copy = strdup(text);
    char **grown = copy != NULL ? teg_array_room(e->argument, e->arguments,
                                                 &e->room, sizeof *e->argument)
                                : NULL;

    if (grown == NULL) {
        free(copy);
        return teg_fail_memory(d);
    }
    e->argument = grown;
    e->argument[e->arguments++] = copy;
    return TEG_OK;
}

static teg_status run(struct teg_emulation *e, struct emu_device *device,
                      struct emu_args *args, const char *path,
                      struct teg_diag *d)
{
    struct emu_launch_facts facts = e->facts;
    struct teg_launch launch;
    teg_status status;

    TRY(emu_args_parse(args, e->kernel, device,
                       (const char *const *)e->argument, e->arguments, d));
    facts.params = args->params;
    facts.param_bytes = args->param_bytes;
    TRY(emu_launch(&e->cubin, e->kernel, device, &facts, &launch, d));
    status = teg_tegt_write(path, &launch, NULL, d);
    launch.close(launch.self);
    return status;
}

teg_status teg_emulation_write(struct teg_emulation *emulation,
                               const char *path, struct teg_diag *d)
{
    struct emu_device *device;
    struct emu_args args = {0};
    teg_status status;

    TRY(emu_device_new(&device, d));
    status = run(emulation, device, &args, path, d);
    emu_args_release(&args);
    emu_device_free(device);
    return status;
}
