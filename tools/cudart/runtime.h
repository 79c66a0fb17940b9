/*
 * The state behind the runtime's entry points: one process, one device, one
 * lock.  Every entry point goes
 *
 *     CALL(cudaFree, void *address)
 *     {
 *         BEGIN(r);
 *         return runtime_end(r, release(r, address));
 *     }
 *
 * The program's calls are carried out at once and in order, so a stream is a
 * name only.  An error of a kernel stays: every later call returns it, as
 * after a fault on a GPU.
 *
 * Settings come from the environment, put there by `teg exec`:
 *   TEG_EXEC_GPU       path of the GPU description
 *   TEG_EXEC_DIR       where traces go; empty: none are written
 *   TEG_EXEC_KERNEL    only kernels whose name matches this pattern
 *   TEG_EXEC_LAUNCHES  A:B, only launches A to B-1 of the process
 *   TEG_EXEC_BLOCKS    A:B, only these blocks of each launch
 *   TEG_EXEC_LOOSE     not empty: buffers have room around them
 */
#ifndef TEG_TOOLS_CUDART_RUNTIME_H
#define TEG_TOOLS_CUDART_RUNTIME_H

#include "config/gpu.h"
#include "tools/cudart/abi.h"
#include "traces/emulate/core/emulate.h"

#include <pthread.h>

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
    int large_clusters;      /* may have more blocks than every GPU allows */
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

/* Host memory that the device sees at the same address. */
struct shared_memory {
    void *data;
    size_t bytes;
    enum cuda_memory kind;
    int ours; /* to be unmapped when freed */
    struct shared_memory *next;
};

/* What a texture or surface looks into (array.c). */
struct array {
    struct cuda_channel channel;
    struct cuda_extent extent; /* as the program gave it */
    unsigned flags;
    struct emu_texture shape; /* where it is, and how large */
    struct array *next;
};

struct range {
    uint64_t from, to; /* to: behind the last; UINT64_MAX: no end */
};

struct tracer {
    const char *directory; /* NULL: no traces */
    const char *kernel;    /* pattern, NULL: all */
    struct range launches, blocks;
    uint32_t process; /* number of this process among those of the run */
    struct written *written;
};

struct runtime {
    pthread_mutex_t lock;
    int ready;
    int error; /* sticky, 0 as long as all is well */
    struct teg_gpu *gpu;
    struct emu_device *device;
    uint64_t allocated;   /* bytes of device memory */
    uint64_t margin;      /* bytes before and behind each buffer */
    uint64_t next_shared; /* address of the next shared_memory of ours */
    double nominal_us;    /* see docs/exec.md */
    uint64_t launches;
    struct module *modules;
    struct function *functions;
    struct variable *variables;
    struct shared_memory *shared;
    struct array *arrays;
    struct emu_textures textures;
    struct tracer tracer;
};

/* Locks; makes everything ready on first use. */
struct runtime *runtime_begin(void);
/* Locks without making anything ready: for registrations before main. */
struct runtime *runtime_lock(void);
/* Notes `error` as the thread's last, unlocks, returns what the program gets:
 * a sticky error before `error`. */
int runtime_end(struct runtime *r, int error);
/* Unlocks and returns `error`, which is not noted as the last. */
int runtime_unlock(struct runtime *r, int error);

#define BEGIN(r)                         \
    struct runtime *r = runtime_begin(); \
    if (r->error != cudaSuccess)         \
    return runtime_end(r, r->error)

/* The thread's last error; `forget` makes it cudaSuccess. */
int runtime_last_error(int forget);

/* One line on standard error: "teg: where: what". */
void runtime_say(const char *where, const char *format, ...) TEG_PRINTF(2, 3);
void runtime_say_fault(const struct teg_diag *d);

/* ---- registered things (registry.c) ---------------------------------------- */

/* The fatbin at `image`, at most `bytes` long, which may be in the wrapper nvcc
 * puts around it; NULL if it is neither. */
const void *fatbin_of(const void *image, size_t bytes);
/* Opens the cubin for our GPU, places its variables. */
int module_open(struct runtime *r, struct module *m);
/* By host function or handle; its module opened.  NULL and `*error`. */
struct function *function_find(struct runtime *r, const void *what, int *error);
/* Device address of a variable known by `host`; 0 and `*error`. */
uint64_t variable_find(struct runtime *r, const void *host, size_t *bytes,
                       int *error);

/* ---- memory (memory.c) --------------------------------------------------------- */

/* Host pointer of device memory; NULL if it is none. */
void *device_bytes(struct runtime *r, const void *address, size_t bytes);
int memory_copy(struct runtime *r, void *to, const void *from, size_t bytes,
                int kind);
int memory_allocate(struct runtime *r, void **address, size_t bytes);
int memory_free(struct runtime *r, void *address);
int memory_set(struct runtime *r, void *to, int value, size_t bytes);
/* Planes of rows; a pitch is bytes from row to row. */
struct copy_box {
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, to_plane, from_plane;
    size_t width, height, depth;
};
int memory_copy_box(struct runtime *r, const struct copy_box *b, int kind);
/* What the device could still allocate, and all of it. */
void memory_left(struct runtime *r, size_t *left, size_t *total);

/* ---- arrays (array.c) ------------------------------------------------------------ */

/* Channels and bits of the format into `t`; an error if there is no such. */
int channel_check(const struct cuda_channel *c, struct emu_texture *t);
/* NULL if the handle is no array. */
struct array *array_find(struct runtime *r, const void *handle);

/* ---- launches (launch.c) --------------------------------------------------------- */

struct launch_shape {
    struct cuda_dim3 grid, block;
    size_t shared;
    struct cuda_dim3 cluster; /* blocks; 0: as the kernel says, else none */
    int cooperative;
};

/* Reads the attributes of a launch into its shape; one that is not known
 * changes nothing. */
void launch_read_attributes(struct launch_shape *shape,
                            const struct cuda_launch_attribute *attribute,
                            uint32_t count);

/* Checks, runs, traces.  `args[i]` points to the value of parameter i. */
int function_launch(struct runtime *r, struct function *f,
                    const struct launch_shape *shape, void **args);

/* ---- traces (tracer.c) -------------------------------------------------------------- */

int tracer_init(struct tracer *t);
/* True if launch `number` of a kernel of that name is to be traced. */
int tracer_wants(const struct tracer *t, const char *name, uint64_t number);
/* Runs the launch to its end, writing its trace and a line about it. */
teg_status tracer_write(struct tracer *t, struct teg_launch *launch,
                        uint64_t number, struct teg_diag *d);

/* ---- the device (properties.c) -------------------------------------------------------- */

/* Bytes of shared memory that a block gets without and with asking. */
uint32_t shared_default(const struct teg_gpu *gpu);
uint32_t shared_most(const struct teg_gpu *gpu);
/* Blocks of `threads` that an SM holds; 0 if none fits. */
uint32_t blocks_per_sm(const struct runtime *r, const struct function *f,
                       uint32_t threads, size_t dynamic);
/* Blocks that a cluster of the kernel may have at most; 0: the GPU has none. */
uint32_t cluster_most(const struct runtime *r, const struct function *f);
/* Value of a device attribute; 0 if the number is unknown. */
int device_attribute(struct runtime *r, int number, int *value);

#endif
