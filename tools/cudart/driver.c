/*
 * Entry points of the driver, for programs that load their kernels themselves
 * (libcuda.so.1).  Most are calls of the runtime under another name; error
 * numbers are the same.  There is one device and one context, a name only.
 */
#define _GNU_SOURCE /* RTLD_DEFAULT */
#include "tools/cudart/launch.h"
#include "tools/cudart/memory.h"
#include "tools/cudart/registry.h"
#include "tools/cudart/say.h"
#include "tools/cudart/stream.h"

#include <dlfcn.h>
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/buffer.h"

enum {
    ARGUMENTS_MAX = 4096, /* of a kernel: 32764 bytes of 8 */
    SYMBOL_BYTES = 128,
    PARAM_END = 0, /* of `extra` in cuLaunchKernel */
    PARAM_BUFFER = 1,
    PARAM_SIZE = 2,
};

static char context; /* what a context's handle points to */

/* ---- the runtime's, under another name ------------------------------------ */

/* `name`, which returns what `runtime` does with these arguments. */
#define FORWARD(name, runtime, declaration, parameters, arguments) \
    int runtime declaration;                                       \
    CALL(name, EXPAND parameters)                                  \
    {                                                              \
        return runtime arguments;                                  \
    }
#define EXPAND(...) __VA_ARGS__
#define SAME(name, runtime, parameters, arguments) \
    FORWARD(name, runtime, parameters, parameters, arguments)

SAME(cuDriverGetVersion, cudaDriverGetVersion, (int *version), (version))
SAME(cuDeviceGetCount, cudaGetDeviceCount, (int *count), (count))
SAME(cuDeviceGetAttribute, cudaDeviceGetAttribute,
     (int *value, int number, int device), (value, number, device))
SAME(cuCtxGetDevice, cudaGetDevice, (int *device), (device))
SAME(cuCtxGetLimit, cudaDeviceGetLimit, (size_t * value, int limit),
     (value, limit))
SAME(cuCtxSetLimit, cudaDeviceSetLimit, (int limit, size_t value),
     (limit, value))

SAME(cuMemAlloc_v2, cudaMalloc, (void **address, size_t bytes),
     (address, bytes))
SAME(cuMemFree_v2, cudaFree, (void *address), (address))
SAME(cuMemAllocHost_v2, cudaMallocHost, (void **address, size_t bytes),
     (address, bytes))
SAME(cuMemFreeHost, cudaFreeHost, (void *address), (address))
SAME(cuMemHostAlloc, cudaHostAlloc,
     (void **address, size_t bytes, unsigned flags), (address, bytes, flags))
SAME(cuMemHostGetDevicePointer_v2, cudaHostGetDevicePointer,
     (void **device, void *host, unsigned flags), (device, host, flags))
SAME(cuMemHostRegister_v2, cudaHostRegister,
     (void *address, size_t bytes, unsigned flags), (address, bytes, flags))
SAME(cuMemHostUnregister, cudaHostUnregister, (void *address), (address))
SAME(cuMemAllocManaged, cudaMallocManaged,
     (void **address, size_t bytes, unsigned flags), (address, bytes, flags))
SAME(cuMemGetInfo_v2, cudaMemGetInfo, (size_t * left, size_t *total),
     (left, total))

#define MEMCPY (void *to, const void *from, size_t bytes, int kind)
#define MEMCPY_ASYNC \
    (void *to, const void *from, size_t bytes, int kind, void *stream)
#define COPY(name, kind)                                \
    FORWARD(name, cudaMemcpy, MEMCPY,                   \
            (void *to, const void *from, size_t bytes), \
            (to, from, bytes, kind))
#define COPY_ASYNC(name, kind)                                        \
    FORWARD(name, cudaMemcpyAsync, MEMCPY_ASYNC,                      \
            (void *to, const void *from, size_t bytes, void *stream), \
            (to, from, bytes, kind, stream))
COPY(cuMemcpy, COPY_DEFAULT)
COPY(cuMemcpyHtoD_v2, COPY_HOST_TO_DEVICE)
COPY(cuMemcpyDtoH_v2, COPY_DEVICE_TO_HOST)
COPY(cuMemcpyDtoD_v2, COPY_DEVICE_TO_DEVICE)
COPY_ASYNC(cuMemcpyAsync, COPY_DEFAULT)
COPY_ASYNC(cuMemcpyHtoDAsync_v2, COPY_HOST_TO_DEVICE)
COPY_ASYNC(cuMemcpyDtoHAsync_v2, COPY_DEVICE_TO_HOST)
COPY_ASYNC(cuMemcpyDtoDAsync_v2, COPY_DEVICE_TO_DEVICE)

SAME(cuStreamCreate, cudaStreamCreateWithFlags, (void **stream, unsigned flags),
     (stream, flags))
SAME(cuStreamDestroy_v2, cudaStreamDestroy, (void *stream), (stream))
SAME(cuStreamSynchronize, cudaStreamSynchronize, (void *stream), (stream))
SAME(cuStreamQuery, cudaStreamQuery, (void *stream), (stream))
SAME(cuStreamWaitEvent, cudaStreamWaitEvent,
     (void *stream, void *event, unsigned flags), (stream, event, flags))
SAME(cuEventCreate, cudaEventCreateWithFlags, (void **event, unsigned flags),
     (event, flags))
SAME(cuEventDestroy_v2, cudaEventDestroy, (void *event), (event))
SAME(cuEventRecord, cudaEventRecord, (void *event, void *stream),
     (event, stream))
SAME(cuEventQuery, cudaEventQuery, (void *event), (event))
SAME(cuEventSynchronize, cudaEventSynchronize, (void *event), (event))
SAME(cuEventElapsedTime, cudaEventElapsedTime,
     (float *ms, void *begin, void *end), (ms, begin, end))
SAME(cuEventElapsedTime_v2, cudaEventElapsedTime,
     (float *ms, void *begin, void *end), (ms, begin, end))

SAME(cuFuncSetAttribute, cudaFuncSetAttribute,
     (const void *function, int number, int value), (function, number, value))
SAME(cuFuncSetCacheConfig, cudaFuncSetCacheConfig,
     (const void *function, int preference), (function, preference))
SAME(cuOccupancyMaxActiveBlocksPerMultiprocessor,
     cudaOccupancyMaxActiveBlocksPerMultiprocessor,
     (int *blocks, const void *function, int threads, size_t shared),
     (blocks, function, threads, shared))

/* ---- device and context --------------------------------------------------------- */

CALL(cuInit, unsigned flags)
{
    BEGIN(r);
    return runtime_end(r, flags == 0 ? cudaSuccess : cudaErrorInvalidValue);
}

CALL(cuDeviceGet, int *device, int number)
{
    BEGIN(r);
    if (device == NULL || number != 0)
        return runtime_end(r, cudaErrorInvalidDevice);
    *device = 0;
    return runtime_end(r, cudaSuccess);
}

CALL(cuDeviceGetName, char *name, int bytes, int device)
{
    BEGIN(r);
    if (name == NULL || bytes <= 0 || device != 0)
        return runtime_end(r, cudaErrorInvalidValue);
    snprintf(name, (size_t)bytes, "%s (teg)", r->gpu->title);
    return runtime_end(r, cudaSuccess);
}

CALL(cuDeviceTotalMem_v2, size_t *bytes, int device)
{
    BEGIN(r);
    size_t left;

    if (bytes == NULL || device != 0)
        return runtime_end(r, cudaErrorInvalidValue);
    memory_left(r, &left, bytes);
    return runtime_end(r, cudaSuccess);
}

CALL(cuDeviceComputeCapability, int *major, int *minor, int device)
{
    BEGIN(r);
    if (major == NULL || minor == NULL || device != 0)
        return runtime_end(r, cudaErrorInvalidValue);
    *major = (int)r->gpu->chip.compute_capability / 10;
    *minor = (int)r->gpu->chip.compute_capability % 10;
    return runtime_end(r, cudaSuccess);
}

static int give_context(void **handle)
{
    BEGIN(r);
    if (handle != NULL)
        *handle = &context;
    return runtime_end(r, handle != NULL ? cudaSuccess : cudaErrorInvalidValue);
}

CALL(cuCtxCreate_v2, void **handle, unsigned flags, int device)
{
    (void)flags, (void)device;
    return give_context(handle);
}

/* `how`: affinities of version 3, parameters of version 4. */
CALL(cuCtxCreate_v4, void **handle, void *how, unsigned flags, int device)
{
    (void)how, (void)flags, (void)device;
    return give_context(handle);
}

CALL(cuDevicePrimaryCtxRetain, void **handle, int device)
{
    (void)device;
    return give_context(handle);
}

CALL(cuCtxGetCurrent, void **handle)
{
    return give_context(handle);
}

CALL(cuCtxPopCurrent_v2, void **handle)
{
    return give_context(handle);
}

static int keep_context(void)
{
    BEGIN(r);
    return runtime_end(r, cudaSuccess);
}

CALL(cuCtxSetCurrent, void *handle)
{
    (void)handle;
    return keep_context();
}
ALSO(cuCtxSetCurrent, cuCtxPushCurrent_v2);
ALSO(cuCtxSetCurrent, cuCtxDestroy_v2);

CALL(cuDevicePrimaryCtxRelease_v2, int device)
{
    (void)device;
    return keep_context();
}

/* Nothing is ever under way. */
CALL(cuCtxSynchronize, void)
{
    return keep_context();
}

/* ---- errors ----------------------------------------------------------------------- */

const char *cudaGetErrorString(int error);
const char *cudaGetErrorName(int error);

CALL(cuGetErrorString, int error, const char **text)
{
    if (text == NULL)
        return cudaErrorInvalidValue;
    *text = cudaGetErrorString(error);
    return cudaSuccess;
}

CALL(cuGetErrorName, int error, const char **text)
{
    if (text == NULL)
        return cudaErrorInvalidValue;
    *text = cudaGetErrorName(error);
    return cudaSuccess;
}

/* ---- modules ---------------------------------------------------------------------- */

/* Bytes of the ELF file at `image`, which comes without a length: up to the end
 * of its headers and of what they describe. */
static size_t elf_size(const uint8_t *image)
{
    Elf64_Ehdr e;
    uint64_t end;

    memcpy(&e, image, sizeof e);
    end = e.e_shoff + (uint64_t)e.e_shnum * e.e_shentsize;
    if (end < e.e_phoff + (uint64_t)e.e_phnum * e.e_phentsize)
        end = e.e_phoff + (uint64_t)e.e_phnum * e.e_phentsize;
    for (uint32_t i = 0; i < e.e_shnum; i++) {
        Elf64_Shdr s;

        memcpy(&s, image + e.e_shoff + (uint64_t)i * e.e_shentsize, sizeof s);
        if (s.sh_type != SHT_NOBITS && end < s.sh_offset + s.sh_size)
            end = s.sh_offset + s.sh_size;
    }
    return end;
}

static int open_cubin(struct runtime *r, struct module *m, const char *path,
                      const uint8_t *image, size_t bytes)
{
    struct teg_diag d;

    m->opened = 1;
    if (teg_cubin_open_memory(&m->cubin, path, image, bytes, &d) != TEG_OK ||
        emu_module_init(&m->placed, &m->cubin, r->device, &d) != TEG_OK) {
        runtime_say_fault(&d);
        return m->error = cudaErrorInvalidKernelImage;
    }
    return cudaSuccess;
}

/* `image` is a cubin, or a fatbin with or without the wrapper nvcc puts around
 * it; `bytes` 0: as long as its header says. */
static int load(struct runtime *r, const char *path, const uint8_t *image,
                size_t bytes, void **handle)
{
    struct module *m = calloc(1, sizeof *m);
    int error;

    if (m == NULL)
        return cudaErrorMemoryAllocation;
    m->next = r->modules;
    r->modules = m;
    *handle = m;
    if (memcmp(image, ELFMAG, SELFMAG) == 0)
        return open_cubin(r, m, path, image,
                          bytes != 0 ? bytes : elf_size(image));
    m->fatbin = fatbin_of(image, bytes != 0 ? bytes : SIZE_MAX);
    if (m->fatbin != NULL)
        return module_open(r, m);
    runtime_say(path, "neither a cubin nor a fatbin; PTX is not compiled here");
    m->opened = 1;
    error = m->error = cudaErrorInvalidKernelImage;
    return error;
}

CALL(cuModuleLoadData, void **module, const void *image)
{
    BEGIN(r);
    if (module == NULL || image == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    return runtime_end(r, load(r, "module", image, 0, module));
}
ALSO(cuModuleLoadData, cuModuleLoadFatBinary);

CALL(cuModuleLoadDataEx, void **module, const void *image, unsigned count,
     int *option, void **value)
{
    (void)count, (void)option, (void)value;
    return cuModuleLoadData(module, image);
}

CALL(cuModuleLoad, void **module, const char *path)
{
    BEGIN(r);
    struct teg_buffer file = {0};
    struct teg_diag d;
    int error;

    if (module == NULL || path == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    if (teg_buffer_file(&file, path, &d) != TEG_OK || file.size < SELFMAG) {
        teg_buffer_release(&file);
        return runtime_end(r, cudaErrorFileNotFound);
    }
    error = load(r, path, file.data, file.size, module);
    teg_buffer_release(&file);
    return runtime_end(r, error);
}

/* The module's variables and kernels stay until the program ends. */
CALL(cuModuleUnload, void *module)
{
    BEGIN(r);
    return runtime_end(r, module != NULL ? cudaSuccess
                                         : cudaErrorInvalidResourceHandle);
}

static struct function *find_or_add(struct runtime *r, struct module *m,
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

CALL(cuModuleGetFunction, void **function, struct module *module,
     const char *name)
{
    BEGIN(r);
    const struct teg_cubin_kernel *kernel;

    if (function == NULL || module == NULL || name == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    if (module->error != cudaSuccess)
        return runtime_end(r, module->error);
    kernel = teg_cubin_find(&module->cubin, name);
    if (kernel == NULL)
        return runtime_end(r, cudaErrorSymbolNotFound);
    *function = find_or_add(r, module, kernel);
    return runtime_end(r, *function != NULL ? cudaSuccess
                                            : cudaErrorMemoryAllocation);
}

CALL(cuModuleGetGlobal_v2, uint64_t *address, size_t *bytes,
     struct module *module, const char *name)
{
    BEGIN(r);
    uint64_t size = 0, found = 0;

    if (module == NULL || name == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    if (module->error == cudaSuccess)
        found = emu_module_variable(&module->placed, name, &size);
    if (address != NULL)
        *address = found;
    if (bytes != NULL)
        *bytes = size;
    return runtime_end(r, found != 0 ? cudaSuccess : cudaErrorSymbolNotFound);
}

/* ---- launches --------------------------------------------------------------------- */

/* Arguments in one buffer become pointers to each. */
static int unpack(const struct teg_cubin_kernel *k, void **extra,
                  void *args[ARGUMENTS_MAX])
{
    uint8_t *buffer = NULL;
    size_t bytes = 0;

    for (; (uintptr_t)extra[0] != PARAM_END; extra += 2) {
        if ((uintptr_t)extra[0] == PARAM_BUFFER)
            buffer = extra[1];
        else if ((uintptr_t)extra[0] == PARAM_SIZE)
            bytes = *(size_t *)extra[1];
        else
            return cudaErrorInvalidValue;
    }
    for (uint32_t i = 0; i < k->param_count; i++) {
        const struct teg_cubin_param *p = &k->param[i];

        if (buffer == NULL || p->ordinal >= ARGUMENTS_MAX ||
            p->offset > bytes || bytes - p->offset < p->size)
            return cudaErrorInvalidValue;
        args[p->ordinal] = buffer + p->offset;
    }
    return cudaSuccess;
}

static int launch(struct runtime *r, struct function *f,
                  const struct launch_shape *shape, void **args, void **extra,
                  void *stream)
{
    void *unpacked[ARGUMENTS_MAX];
    int error = cudaSuccess;

    if (f == NULL)
        return cudaErrorInvalidResourceHandle;
    if (args == NULL && extra != NULL) {
        error = unpack(f->kernel, extra, unpacked);
        args = unpacked;
    }
    return error == cudaSuccess ? launch_submit(r, f, shape, args, stream)
                                : error;
}

CALL(cuLaunchKernel, struct function *f, unsigned gx, unsigned gy, unsigned gz,
     unsigned bx, unsigned by, unsigned bz, unsigned shared, void *stream,
     void **args, void **extra)
{
    BEGIN(r);
    struct launch_shape shape = {
        .grid = {gx, gy, gz}, .block = {bx, by, bz}, .shared = shared};

    return runtime_end(r, launch(r, f, &shape, args, extra, stream));
}

CALL(cuLaunchCooperativeKernel, struct function *f, unsigned gx, unsigned gy,
     unsigned gz, unsigned bx, unsigned by, unsigned bz, unsigned shared,
     void *stream, void **args)
{
    BEGIN(r);
    struct launch_shape shape = {.grid = {gx, gy, gz},
                                 .block = {bx, by, bz},
                                 .shared = shared,
                                 .cooperative = 1};

    return runtime_end(r, launch(r, f, &shape, args, NULL, stream));
}

CALL(cuLaunchKernelEx, const struct cu_launch_config *c, struct function *f,
     void **args, void **extra)
{
    BEGIN(r);
    struct launch_shape shape;

    if (c == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    shape = (struct launch_shape){
        .grid = c->grid, .block = c->block, .shared = c->shared};
    launch_read_attributes(&shape, c->attribute, c->attributes);
    return runtime_end(r, launch(r, f, &shape, args, extra, c->stream));
}

int cudaFuncGetAttributes(struct cuda_function_attributes *a, const void *what);

/* Numbers of enum CUfunction_attribute. */
CALL(cuFuncGetAttribute, int *value, int number, const void *function)
{
    struct cuda_function_attributes a;
    int error = cudaFuncGetAttributes(&a, function);
    const size_t known[] = {(size_t)a.max_threads,
                            a.shared_bytes,
                            a.const_bytes,
                            a.local_bytes,
                            (size_t)a.registers,
                            (size_t)a.ptx_version,
                            (size_t)a.binary_version,
                            0,
                            (size_t)a.max_dynamic_shared};

    if (error != cudaSuccess)
        return error;
    if (value == NULL || number < 0 ||
        (size_t)number >= sizeof known / sizeof known[0])
        return cudaErrorInvalidValue;
    *value = (int)known[number];
    return cudaSuccess;
}

/* ---- filling memory ----------------------------------------------------------------- */

#define FILL(name, type)                                                      \
    CALL(name, void *to, type value, size_t count)                            \
    {                                                                         \
        BEGIN(r);                                                             \
        return runtime_end(r, memory_set(r, to, value, sizeof value, count)); \
    }                                                                         \
    struct expects_a_semicolon
#define FILL_ASYNC(name, type)                                              \
    CALL(name, void *to, type value, size_t count, void *stream)            \
    {                                                                       \
        BEGIN(r);                                                           \
        SUBMIT(r, stream,                                                   \
               operation_set(to, count * sizeof value, value, sizeof value, \
                             count, 1));                                    \
    }                                                                       \
    struct expects_a_semicolon
FILL(cuMemsetD8_v2, uint8_t);
FILL(cuMemsetD16_v2, uint16_t);
FILL(cuMemsetD32_v2, uint32_t);
FILL_ASYNC(cuMemsetD8Async, uint8_t);
FILL_ASYNC(cuMemsetD16Async, uint16_t);
FILL_ASYNC(cuMemsetD32Async, uint32_t);

/* ---- looking entry points up ---------------------------------------------------------- */

/* The newest variant of the name that a program for `version` knows. */
static void *find_entry(const char *name, int version)
{
    static const char *const variants[] = {"_v4", "_v2", ""};
    char symbol[SYMBOL_BYTES];
    void *found = NULL;

    for (size_t i = version < 13000; i < 3 && found == NULL; i++) {
        snprintf(symbol, sizeof symbol, "%s%s", name, variants[i]);
        found = dlsym(RTLD_DEFAULT, symbol);
    }
    return found;
}

enum {
    FOUND = 0,
    NOT_FOUND = 1,
};

static int give_entry(const char *name, int version, void **entry, int *status)
{
    if (name == NULL || entry == NULL)
        return cudaErrorInvalidValue;
    *entry = find_entry(name, version);
    if (status != NULL)
        *status = *entry != NULL ? FOUND : NOT_FOUND;
    if (*entry == NULL)
        runtime_say("", "%s is not implemented", name);
    return *entry != NULL || status != NULL ? cudaSuccess
                                            : cudaErrorSymbolNotFound;
}

CALL(cuGetProcAddress_v2, const char *name, void **entry, int version,
     uint64_t flags, int *status)
{
    (void)flags;
    return give_entry(name, version, entry, status);
}

CALL(cudaGetDriverEntryPointByVersion, const char *name, void **entry,
     unsigned version, uint64_t flags, int *status)
{
    BEGIN(r);
    (void)flags;
    return runtime_end(r, give_entry(name, (int)version, entry, status));
}
ALSO(cudaGetDriverEntryPointByVersion, cudaGetDriverEntryPointByVersion_ptsz);

/* The older call, of the runtime's own version. */
CALL(cudaGetDriverEntryPoint, const char *name, void **entry, uint64_t flags,
     int *status)
{
    return cudaGetDriverEntryPointByVersion(name, entry, 13000, flags, status);
}
ALSO(cudaGetDriverEntryPoint, cudaGetDriverEntryPoint_ptsz);
