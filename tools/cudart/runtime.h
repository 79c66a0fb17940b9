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
 * name only.  As on a GPU the first call that waits for the device learns of a
 * kernel's fault, what was put into streams until then is not done, and every
 * later call returns the error.
 *
 * Settings come from the environment, put there by `teg exec`:
 *   TEG_EXEC_GPU       path of the GPU description
 *   TEG_EXEC_CLOCK     MHz; empty: the description's
 *   TEG_EXEC_SET       KEY=VALUE a line: other values of the description
 *   TEG_EXEC_WHAT_IF   what-ifs of TEG_EXEC_TIME's replays, joined by commas
 *   TEG_EXEC_DIR       where traces go; empty: none are written
 *   TEG_EXEC_KERNEL    only kernels whose name matches this pattern
 *   TEG_EXEC_LAUNCHES  A:B, only launches A to B-1 of the process
 *   TEG_EXEC_BLOCKS    A:B, only these blocks of each launch
 *   TEG_EXEC_FIRST     only so many launches, after which the process ends
 *   TEG_EXEC_LOOSE     not empty: buffers have room around them, and
 *                      shared memory of blocks of a cluster outlives them
 *   TEG_EXEC_STRICT    not empty: buffers end with their last byte
 *   TEG_EXEC_INTERLEAVE  how warps take turns, if not from barrier to barrier
 *   TEG_EXEC_TIME      not empty: launches take what the simulator says
 *   TEG_EXEC_HOST_TIME  not empty: the host's time between calls is noted
 *   TEG_EXEC_JOBS      threads that run the blocks of a launch
 *   TEG_EXEC_LIMIT     what a launch gets, as emu_limit_parse reads it
 *   TEG_EXEC_TIMING    file for what launches take of the processors (spent.h)
 */
#ifndef TEG_TOOLS_CUDART_RUNTIME_H
#define TEG_TOOLS_CUDART_RUNTIME_H

#include "config/gpu.h"
#include "tools/cudart/abi.h"
#include "tools/cudart/tracer.h"
#include "traces/emulate/core/emulate.h"

#include <pthread.h>

/* What a program may set of every launch to come; (enum cudaLimit) */
enum {
    LIMIT_STACK,
    LIMIT_PRINTF,
    LIMIT_HEAP,
    LIMITS = 16,
};

struct runtime {
    pthread_mutex_t lock;
    int ready;
    int error; /* sticky, 0 as long as all is well */
    int fault; /* a kernel's, 0: none; `error` once the program waits for it */
    int blocking; /* each launch is waited for (CUDA_LAUNCH_BLOCKING=1) */
    int context;  /* a call has needed the primary one, which is there since */
    struct teg_gpu *gpu;
    struct emu_device *device;
    uint64_t allocated;   /* bytes of device memory */
    uint64_t margin;      /* bytes before and behind each buffer */
    uint64_t next_shared; /* address of the next shared_memory of ours */
    double nominal_us;    /* see docs/exec.md */
    int undefined_said[EMU_UNDEFINED]; /* what kernels did, once */
    uint64_t launches;
    struct emu_order order;
    unsigned jobs; /* threads that run the blocks of a launch */
    struct emu_limit launch_limit;
    struct repeats *repeats;  /* launches that were run: repeat.h */
    uint64_t setting_changes; /* of textures and limits */
    size_t limit[LIMITS];
    int cache;            /* of kernels that say nothing: limits.h */
    int times_said;       /* what elapsed times are, once */
    int host_memory_said; /* that a launch uses it */
    int beside_said; /* that those of launches beside each other are estimates */
    struct module *modules; /* and what else is registered: registry.h */
    struct function *functions;
    struct variable *variables;
    struct shared_memory *shared; /* memory.c */
    struct pooled *pooled;        /* pool.c */
    struct array *arrays;         /* array.h */
    struct mip_map *mip_maps;     /* likewise */
    struct capture *captures;     /* under way: capture.h */
    struct condition *conditions; /* condition.c */
    struct emu_textures textures;
    struct tracer tracer;
    int spent; /* file of spent.h; -1: none */
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

/* The call waits for the device, and learns of a fault there.  Returns it. */
int runtime_wait(struct runtime *r);

/* BEGIN, of a call that waits for the device. */
#define BEGIN_WAITING(r)                 \
    struct runtime *r = runtime_begin(); \
    if (runtime_wait(r) != cudaSuccess)  \
    return runtime_end(r, r->error)

/* Of an entry point that only says its name. */
int runtime_unsupported(const char *name);

/* The thread's last error; `forget` makes it cudaSuccess. */
int runtime_last_error(int forget);

#endif
