/* What a program registers before main: fatbins, kernels, variables. */
#ifndef TEG_TOOLS_CUDART_REGISTRY_H
#define TEG_TOOLS_CUDART_REGISTRY_H

#include "tools/cudart/runtime.h"

/* A fatbin the program registered; its cubin for our GPU once it is needed. */
struct module {
    const void *fatbin; /* borrowed from the program */
    int opened;         /* tried */
    int error;          /* of opening it */
    struct teg_cubin cubin;
    struct emu_module placed;
    struct module *next;
};

struct function {
    const void *host; /* what the program knows it by */
    const char *name; /* borrowed from the program */
    struct module *module;
    const struct teg_cubin_kernel *kernel; /* NULL: module not opened yet */
    uint32_t dynamic_shared; /* most that it may ask for; 0: the default */
    uint32_t carveout;       /* as of a struct teg_kernel */
    int cache;          /* what it prefers of L1 and shared memory: limits.h */
    int large_clusters; /* may have more blocks than every GPU allows */
    struct function *next;
};

struct variable {
    void *host;
    const char *name; /* borrowed from the program */
    struct module *module;
    size_t bytes;
    int managed; /* `host` is where its address goes */
    struct variable *next;
};

/* The fatbin at `image`, at most `bytes` long, which may be in the wrapper nvcc
 * puts around it; NULL if it is neither. */
const void *fatbin_of(const void *image, size_t bytes);
/* Opens the cubin for our GPU, places its variables. */
int module_open(struct runtime *r, struct module *m);
/* By host function or handle; its module opened.  NULL and `*error`. */
struct function *function_find(struct runtime *r, const void *what, int *error);
/* That of a module's kernel; NULL: no memory. */
struct function *function_of(struct runtime *r, struct module *m,
                             const struct teg_cubin_kernel *kernel);
/* Device address of a variable known by `host`; 0 and `*error`. */
uint64_t variable_find(struct runtime *r, const void *host, size_t *bytes,
                       int *error);

#endif
