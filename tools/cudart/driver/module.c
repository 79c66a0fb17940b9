/* Entry points of the driver: modules, libraries and their kernels. */
#include "tools/cudart/ptx.h"
#include "tools/cudart/registry.h"
#include "tools/cudart/say.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/buffer.h"

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

static int open_ptx(struct runtime *r, struct module *m, const char *path,
                    const uint8_t *image, size_t bytes)
{
    struct teg_buffer cubin = {0};

    m->opened = 1;
    m->error =
        ptx_compile(r, (const char *)image,
                    bytes != 0 ? bytes : strlen((const char *)image), &cubin);
    if (m->error == cudaSuccess)
        m->error = open_cubin(r, m, path, cubin.data, cubin.size);
    teg_buffer_release(&cubin);
    return m->error;
}

/* `image` is a cubin, a fatbin with or without the wrapper nvcc puts around
 * it, or PTX; `bytes` 0: as long as its header says. */
static int load(struct runtime *r, const char *path, const uint8_t *image,
                size_t bytes, void **handle)
{
    struct module *m = calloc(1, sizeof *m);

    if (m == NULL)
        return cudaErrorMemoryAllocation;
    m->next = r->modules;
    r->modules = m;
    *handle = m;
    if (memcmp(image, ELFMAG, SELFMAG) == 0)
        return open_cubin(r, m, path, image,
                          bytes != 0 ? bytes : elf_size(image));
    if (ptx_recognise(image, bytes != 0 ? bytes : strlen((const char *)image)))
        return open_ptx(r, m, path, image, bytes);
    m->fatbin = fatbin_of(image, bytes != 0 ? bytes : SIZE_MAX);
    if (m->fatbin != NULL)
        return module_open(r, m);
    runtime_say(path, "neither a cubin, a fatbin nor PTX");
    m->opened = 1;
    return m->error = cudaErrorInvalidKernelImage;
}

/* enum CUjit_option: the program learns how much of its buffers was used. */
enum {
    INFO_BUFFER_BYTES = 4,
    ERROR_BUFFER_BYTES = 6,
};

static void no_logs(unsigned count, const int *option, void **value)
{
    for (unsigned i = 0; i < count && option != NULL && value != NULL; i++) {
        if (option[i] == INFO_BUFFER_BYTES || option[i] == ERROR_BUFFER_BYTES)
            value[i] = NULL;
    }
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
    no_logs(count, option, value);
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
    BEGIN_WAITING(r);
    return runtime_end(r, module != NULL ? cudaSuccess
                                         : cudaErrorInvalidResourceHandle);
}

ALSO(cuModuleUnload, cuLibraryUnload);
ALSO(cuModuleUnload, cudaLibraryUnload);

/* ---- kernels and variables ---------------------------------------------------- */

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
    *function = function_of(r, module, kernel);
    return runtime_end(r, *function != NULL ? cudaSuccess
                                            : cudaErrorMemoryAllocation);
}

ALSO(cuModuleGetFunction, cuLibraryGetKernel);
ALSO(cuModuleGetFunction, cudaLibraryGetKernel);

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
ALSO(cuModuleGetGlobal_v2, cuLibraryGetGlobal);
ALSO(cuModuleGetGlobal_v2, cudaLibraryGetGlobal);

static int count_kernels(unsigned *count, const struct module *m)
{
    BEGIN(r);
    if (count == NULL || m == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *count = m->cubin.kernel_count;
    return runtime_end(r, m->error);
}

CALL(cuModuleGetFunctionCount, unsigned *count, const struct module *m)
{
    return count_kernels(count, m);
}
ALSO(cuModuleGetFunctionCount, cuLibraryGetKernelCount);
ALSO(cuModuleGetFunctionCount, cudaLibraryGetKernelCount);

CALL(cuModuleEnumerateFunctions, struct function **out, unsigned count,
     struct module *m)
{
    BEGIN(r);
    if (out == NULL || m == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    for (uint32_t i = 0; i < m->cubin.kernel_count && i < count; i++)
        out[i] = function_of(r, m, &m->cubin.kernel[i]);
    return runtime_end(r, m->error);
}
ALSO(cuModuleEnumerateFunctions, cuLibraryEnumerateKernels);
ALSO(cuModuleEnumerateFunctions, cudaLibraryEnumerateKernels);

/* enum CUmoduleLoadingMode: everything is there at once. */
CALL(cuModuleGetLoadingMode, int *mode)
{
    if (mode == NULL)
        return cudaErrorInvalidValue;
    *mode = 1;
    return cudaSuccess;
}

/* ---- libraries: modules of every context, of which there is one ------------------ */

CALL(cuLibraryLoadData, void **library, const void *image, const int *option,
     void **value, unsigned count, const int *library_option,
     void **library_value, unsigned library_count)
{
    (void)library_option, (void)library_value, (void)library_count;
    no_logs(count, option, value);
    return cuModuleLoadData(library, image);
}
ALSO(cuLibraryLoadData, cudaLibraryLoadData);

CALL(cuLibraryLoadFromFile, void **library, const char *path, const int *option,
     void **value, unsigned count, const int *library_option,
     void **library_value, unsigned library_count)
{
    (void)library_option, (void)library_value, (void)library_count;
    no_logs(count, option, value);
    return cuModuleLoad(library, path);
}
ALSO(cuLibraryLoadFromFile, cudaLibraryLoadFromFile);

/* A handle stands for all of it: library and module, kernel and function. */
static int same_handle(void **to, void *from)
{
    BEGIN(r);
    if (to == NULL || from == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    *to = from;
    return runtime_end(r, cudaSuccess);
}

CALL(cuLibraryGetModule, void **module, void *library)
{
    return same_handle(module, library);
}

CALL(cuKernelGetFunction, void **function, void *kernel)
{
    return same_handle(function, kernel);
}

CALL(cuFuncGetModule, void **module, const struct function *f)
{
    return f != NULL ? same_handle(module, f->module)
                     : cudaErrorInvalidResourceHandle;
}
ALSO(cuFuncGetModule, cuKernelGetLibrary);

CALL(cuFuncLoad, const struct function *f)
{
    return f != NULL ? cudaSuccess : cudaErrorInvalidResourceHandle;
}

CALL(cuFuncIsLoaded, int *state, const struct function *f)
{
    if (state == NULL || f == NULL)
        return cudaErrorInvalidValue;
    *state = 1;
    return cudaSuccess;
}

/* ---- linking ------------------------------------------------------------------ */

/* enum CUjitInputType */
enum {
    INPUT_CUBIN = 0,
    INPUT_PTX = 1,
    INPUT_LIBRARY = 4,
};

struct link {
    struct teg_buffer cubin;
    int inputs;
};

CALL(cuLinkCreate_v2, unsigned count, int *option, void **value,
     struct link **made)
{
    BEGIN(r);
    if (made == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    no_logs(count, option, value);
    *made = calloc(1, sizeof **made);
    return runtime_end(r,
                       *made != NULL ? cudaSuccess : cudaErrorMemoryAllocation);
}

/* A library can only help where something is missing, which ptxas says. */
CALL(cuLinkAddData_v2, struct link *l, int type, const void *data, size_t bytes,
     const char *name, unsigned count, int *option, void **value)
{
    BEGIN(r);
    (void)name, (void)count, (void)option, (void)value;
    if (l == NULL || data == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    if (type == INPUT_LIBRARY)
        return runtime_end(r, cudaSuccess);
    if (l->inputs++ > 0 || (type != INPUT_CUBIN && type != INPUT_PTX)) {
        runtime_say("", "cuLink of %s is not implemented",
                    l->inputs > 1 ? "several pieces of code"
                                  : "what is neither a cubin nor PTX");
        return runtime_end(r, cudaErrorNotSupported);
    }
    if (type == INPUT_PTX)
        return runtime_end(r, ptx_compile(r, data, bytes, &l->cubin));
    teg_buffer_bytes(&l->cubin, data, bytes);
    return runtime_end(r, l->cubin.failed ? cudaErrorMemoryAllocation
                                          : cudaSuccess);
}

CALL(cuLinkAddFile_v2, struct link *l, int type, const char *path,
     unsigned count, int *option, void **value)
{
    struct teg_buffer file = {0};
    int error;

    if (path == NULL || teg_buffer_file(&file, path, NULL) != TEG_OK)
        return cudaErrorFileNotFound;
    error = cuLinkAddData_v2(l, type, file.data, file.size, path, count, option,
                             value);
    teg_buffer_release(&file);
    return error;
}

CALL(cuLinkComplete, struct link *l, void **cubin, size_t *bytes)
{
    BEGIN(r);
    if (l == NULL || cubin == NULL || l->cubin.size == 0)
        return runtime_end(r, cudaErrorInvalidValue);
    *cubin = l->cubin.data;
    if (bytes != NULL)
        *bytes = l->cubin.size;
    return runtime_end(r, cudaSuccess);
}

CALL(cuLinkDestroy, struct link *l)
{
    BEGIN(r);
    if (l == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    teg_buffer_release(&l->cubin);
    free(l);
    return runtime_end(r, cudaSuccess);
}
