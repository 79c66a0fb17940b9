/* What a program registers before main: fatbins, kernels, variables; and how
 * they are found again. */
#define _GNU_SOURCE /* program_invocation_short_name */
#include "tools/cudart/registry.h"
#include "tools/cudart/memory.h"
#include "tools/cudart/ptx.h"
#include "tools/cudart/say.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/binary/fatbin.h"
#include "isa/sass/sass.h"

#define WRAPPER_MAGIC 0x466243B1u
#define FATBIN_MAGIC  0xBA55ED50u

enum {
    FATBIN_HEADER = 16,
    KNOWN_MAX = 256, /* characters of "sm_75, sm_80" */
};

/* What __cudaRegisterFatBinary is given. */
struct wrapper {
    uint32_t magic, version;
    const uint8_t *fatbin;
    const void *rest;
};

/* ---- opening ---------------------------------------------------------------- */

static size_t fatbin_size(const uint8_t *bytes)
{
    uint16_t header;
    uint64_t rest;

    memcpy(&header, bytes + 6, sizeof header);
    memcpy(&rest, bytes + 8, sizeof rest);
    return header + rest;
}

const void *fatbin_of(const void *image, size_t bytes)
{
    struct wrapper w;

    memcpy(&w.magic, image, sizeof w.magic);
    if (w.magic == FATBIN_MAGIC)
        return bytes < FATBIN_HEADER || fatbin_size(image) > bytes ? NULL
                                                                   : image;
    if (w.magic != WRAPPER_MAGIC || bytes < sizeof w)
        return NULL;
    memcpy(&w, image, sizeof w);
    return w.fatbin;
}

/* The cubin that runs on `cc`: of the same major generation, the newest that
 * is not newer; -1 if there is none. */
static int choose(const struct teg_fatbin *f, uint32_t cc)
{
    int best = -1;

    for (uint32_t i = 0; i < f->count; i++) {
        const struct teg_fatbin_entry *e = &f->entry[i];

        if (e->is_ptx || e->sm / 10 != cc / 10 || e->sm > cc)
            continue;
        if (best < 0 || e->sm > f->entry[best].sm)
            best = (int)i;
    }
    return best;
}

/* Programs of several sources have an entry of each for an architecture. */
static bool stands_before(const struct teg_fatbin *f, uint32_t entry)
{
    for (uint32_t i = 0; i < entry; i++) {
        if (f->entry[i].sm == f->entry[entry].sm &&
            f->entry[i].is_ptx == f->entry[entry].is_ptx)
            return true;
    }
    return false;
}

static void say_no_image(const struct runtime *r, const struct teg_fatbin *f)
{
    uint32_t cc = r->gpu->chip.compute_capability;
    char found[KNOWN_MAX] = "";
    size_t used = 0;

    for (uint32_t i = 0; i < f->count && used < sizeof found; i++) {
        if (!stands_before(f, i))
            used += (size_t)snprintf(
                found + used, sizeof found - used, "%s%s_%u",
                used > 0 ? ", " : "",
                f->entry[i].is_ptx ? "PTX of compute" : "sm", f->entry[i].sm);
    }
    if (!emu_supports(cc))
        runtime_say("",
                    "%s is sm_%u, whose code is not emulated: choose "
                    "another GPU with -g",
                    r->gpu->name, cc);
    else
        runtime_say("",
                    "no code for sm_%u (%s) in the program, found %s: "
                    "compile with -gencode arch=compute_%u,code=sm_%u",
                    cc, r->gpu->name, used > 0 ? found : "none", cc, cc);
}

/* The PTX text that can be compiled for `cc`, the newest; -1 if there is none. */
static int choose_ptx(const struct teg_fatbin *f, uint32_t cc)
{
    int best = -1;

    for (uint32_t i = 0; i < f->count; i++) {
        const struct teg_fatbin_entry *e = &f->entry[i];

        if (e->is_ptx && e->sm <= cc && (best < 0 || e->sm > f->entry[best].sm))
            best = (int)i;
    }
    return best;
}

static int open_ptx(struct runtime *r, struct module *m,
                    const struct teg_fatbin *f)
{
    int i = choose_ptx(f, r->gpu->chip.compute_capability);
    struct teg_buffer text = {0}, cubin = {0};
    struct teg_diag d;
    int error = cudaSuccess;

    if (i < 0 || !emu_supports(r->gpu->chip.compute_capability)) {
        say_no_image(r, f);
        return cudaErrorNoKernelImageForDevice;
    }
    if (teg_fatbin_unpack(f, (uint32_t)i, &text, &d) != TEG_OK) {
        runtime_say_fault(&d);
        return cudaErrorInvalidKernelImage;
    }
    error = ptx_compile(r, (const char *)text.data, text.size, &cubin);
    if (error == cudaSuccess &&
        (teg_cubin_open_memory(&m->cubin, "PTX", cubin.data, cubin.size, &d) !=
             TEG_OK ||
         emu_module_init(&m->placed, &m->cubin, r->device, &d) != TEG_OK)) {
        runtime_say_fault(&d);
        error = cudaErrorInvalidKernelImage;
    }
    teg_buffer_release(&text);
    teg_buffer_release(&cubin);
    return error;
}

static int open_fatbin(struct runtime *r, struct module *m,
                       const struct teg_fatbin *f)
{
    int i = choose(f, r->gpu->chip.compute_capability);
    struct teg_diag d;

    if (i < 0)
        return open_ptx(r, m, f);
    if (teg_fatbin_cubin(f, (uint32_t)i, &m->cubin, &d) != TEG_OK ||
        emu_module_init(&m->placed, &m->cubin, r->device, &d) != TEG_OK) {
        runtime_say_fault(&d);
        return cudaErrorInvalidKernelImage;
    }
    return cudaSuccess;
}

int module_open(struct runtime *r, struct module *m)
{
    struct teg_fatbin f;
    struct teg_diag d;

    if (m->opened)
        return m->error;
    m->opened = 1;
    if (teg_fatbin_open_memory(&f, program_invocation_short_name, m->fatbin,
                               fatbin_size(m->fatbin), &d) != TEG_OK) {
        runtime_say_fault(&d);
        return m->error = cudaErrorInvalidKernelImage;
    }
    m->error = open_fatbin(r, m, &f);
    teg_fatbin_release(&f);
    return m->error;
}

/* ---- finding ----------------------------------------------------------------- */

struct function *function_find(struct runtime *r, const void *what, int *error)
{
    for (struct function *f = r->functions; f != NULL; f = f->next) {
        if (f->host != what && (const void *)f != what)
            continue;
        *error = module_open(r, f->module);
        if (*error == cudaSuccess && f->kernel == NULL)
            f->kernel = teg_cubin_find(&f->module->cubin, f->name);
        if (*error == cudaSuccess && f->kernel == NULL)
            *error = cudaErrorInvalidDeviceFunction;
        return *error == cudaSuccess ? f : NULL;
    }
    *error = cudaErrorInvalidDeviceFunction;
    return NULL;
}

struct function *function_of(struct runtime *r, struct module *m,
                             const struct teg_cubin_kernel *kernel)
{
    struct function *f = r->functions;

    while (f != NULL && (f->module != m || f->kernel != kernel))
        f = f->next;
    if (f == NULL && (f = calloc(1, sizeof *f)) != NULL) {
        *f = (struct function){.name = kernel->name,
                               .module = m,
                               .kernel = kernel,
                               .next = r->functions};
        r->functions = f;
    }
    return f;
}

uint64_t variable_find(struct runtime *r, const void *host, size_t *bytes,
                       int *error)
{
    for (struct variable *v = r->variables; v != NULL; v = v->next) {
        uint64_t size = 0, address;

        if (v->host != host)
            continue;
        *error = module_open(r, v->module);
        if (*error != cudaSuccess)
            return 0;
        address = emu_module_variable(&v->module->placed, v->name, &size);
        *bytes = size != 0 ? size : v->bytes;
        if (address != 0)
            return address;
    }
    *error = cudaErrorInvalidSymbol;
    return 0;
}

/* ---- registering --------------------------------------------------------------- */

static void *make(size_t bytes)
{
    void *made = calloc(1, bytes);

    if (made == NULL) {
        runtime_say("", "out of memory");
        _exit(EXIT_FAILURE);
    }
    return made;
}

ENTRY(void **, __cudaRegisterFatBinary, void *fatbin)
{
    struct runtime *r = runtime_lock();
    struct module *m = make(sizeof *m);

    m->fatbin = fatbin_of(fatbin, SIZE_MAX);
    m->next = r->modules;
    r->modules = m;
    if (m->fatbin == NULL) {
        runtime_say("", "the program registers device code of a kind that is "
                        "not known");
        m->opened = 1;
        m->error = cudaErrorInvalidKernelImage;
    }
    runtime_unlock(r, 0);
    return (void **)m;
}

ENTRY(void, __cudaRegisterFatBinaryEnd, void **handle)
{
    (void)handle;
}

/* The program ends; its memory goes with it. */
ENTRY(void, __cudaUnregisterFatBinary, void **handle)
{
    (void)handle;
}

ENTRY(void, __cudaRegisterFunction, void **handle, const char *host,
      char *device_name, const char *name, int thread_limit, void *thread,
      void *block, void *block_dim, void *grid_dim, int *warp_size)
{
    struct runtime *r = runtime_lock();
    struct function *f = make(sizeof *f);

    (void)device_name, (void)thread_limit, (void)thread, (void)block;
    (void)block_dim, (void)grid_dim, (void)warp_size;
    f->host = host;
    f->name = name;
    f->module = (struct module *)handle;
    f->next = r->functions;
    r->functions = f;
    runtime_unlock(r, 0);
}

static void add_variable(void **handle, void *host, const char *name,
                         size_t bytes, int managed)
{
    struct runtime *r = runtime_lock();
    struct variable *v = make(sizeof *v);

    v->host = host;
    v->name = name;
    v->module = (struct module *)handle;
    v->bytes = bytes;
    v->managed = managed;
    v->next = r->variables;
    r->variables = v;
    runtime_unlock(r, 0);
}

ENTRY(void, __cudaRegisterVar, void **handle, char *host, char *address,
      const char *name, int external, size_t bytes, int constant, int global)
{
    (void)address, (void)external, (void)constant, (void)global;
    add_variable(handle, host, name, bytes, 0);
}

ENTRY(void, __cudaRegisterManagedVar, void **handle, void **host, char *address,
      const char *name, int external, size_t bytes, int constant, int global)
{
    (void)address, (void)external, (void)constant, (void)global;
    add_variable(handle, (void *)host, name, bytes, 1);
}

ENTRY(void, __cudaRegisterHostVar, void **handle, const char *name, char *host,
      size_t bytes)
{
    (void)handle, (void)name, (void)host, (void)bytes;
}

/* The host sees a __managed__ variable where the device's bytes lie, and the
 * device sees it there too. */
static int open_managed(struct runtime *r, struct variable *v)
{
    size_t bytes = 0;
    int error = cudaSuccess;
    uint64_t address = variable_find(r, v->host, &bytes, &error);
    void *data;
    struct teg_diag d;

    if (address == 0)
        return error;
    data = device_bytes(r, (void *)address, bytes);
    emu_device_open(r->device, address);
    *(void **)v->host = data;
    if (emu_device_map(r->device, (uint64_t)data, data, bytes, &d) != TEG_OK)
        return cudaErrorMemoryAllocation;
    return cudaSuccess;
}

/* Called before a program's first use of its __managed__ variables. */
ENTRY(char, __cudaInitModule, void **handle)
{
    struct runtime *r = runtime_begin();
    int error = r->error;

    for (struct variable *v = r->variables; v != NULL && error == cudaSuccess;
         v = v->next) {
        if (!v->managed || v->module != (struct module *)handle)
            continue;
        v->managed = 0;
        error = open_managed(r, v);
    }
    return (char)(runtime_end(r, error) == cudaSuccess);
}
