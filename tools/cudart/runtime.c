#include "tools/cudart/runtime.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tools/cudart/repeat.h"
#include "tools/cudart/say.h"
#include "tools/cudart/spent.h"

/* Device memory lies where the program's own never does. */
#define DEVICE_ADDRESS UINT64_C(0x200000000000)
#define SHARED_ADDRESS UINT64_C(0x300000000000)
/* A GPU allocates whole pages of 2 MB. */
#define LOOSE_MARGIN UINT64_C(0x100000)
/* What a GPU keeps for printf unless told. */
#define PRINTF_BYTES 0x100000u

static struct runtime state;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static _Thread_local int last_error;
static _Thread_local double called_last; /* when the thread's last call ended */

static double now_us(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

/* The program may come back from a callback while it holds the lock. */
static void init_lock(void)
{
    pthread_mutexattr_t a;

    pthread_mutexattr_init(&a);
    pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&state.lock, &a);
    pthread_mutexattr_destroy(&a);
}

static teg_status set_clock(struct teg_gpu *gpu, const char *mhz,
                            struct teg_diag *d)
{
    return mhz != NULL && mhz[0] != '\0' ? teg_gpu_set_clock(gpu, mhz, d)
                                         : TEG_OK;
}

/* "KEY=VALUE" lines. */
static teg_status set_values(struct teg_gpu *gpu, const char *lines,
                             struct teg_diag *d)
{
    while (lines != NULL && *lines != '\0') {
        TRY(teg_gpu_set_pair(gpu, lines, d));
        lines += strcspn(lines, "\n");
        lines += *lines != '\0';
    }
    return TEG_OK;
}

static const char *what_ifs(void)
{
    const char *names = getenv("TEG_EXEC_WHAT_IF");

    return names != NULL && names[0] != '\0' ? names : NULL;
}

static int open_gpu(struct runtime *r)
{
    const char *path = getenv("TEG_EXEC_GPU");
    struct teg_diag d;
    int error;

    if (path == NULL || path[0] == '\0') {
        runtime_say("", "no GPU chosen: run the program with `teg exec -- "
                        "PROGRAM`");
        return cudaErrorNoDevice;
    }
    if (teg_gpu_load(path, &r->gpu, &d) != TEG_OK ||
        set_clock(r->gpu, getenv("TEG_EXEC_CLOCK"), &d) != TEG_OK ||
        set_values(r->gpu, getenv("TEG_EXEC_SET"), &d) != TEG_OK ||
        emu_device_new(&r->device, &d) != TEG_OK) {
        runtime_say_fault(&d);
        return cudaErrorInitializationError;
    }
    emu_device_begin(r->device, DEVICE_ADDRESS);
    r->next_shared = SHARED_ADDRESS;
    path = getenv("TEG_EXEC_LOOSE");
    if (path != NULL && path[0] != '\0') {
        r->margin = LOOSE_MARGIN;
        emu_device_loosen(r->device);
    }
    path = getenv("TEG_EXEC_STRICT");
    if (path != NULL && path[0] != '\0')
        emu_device_make_strict(r->device);
    path = getenv("TEG_EXEC_INTERLEAVE");
    if (path == NULL || !emu_order_parse(&r->order, path))
        r->order = (struct emu_order){0};
    path = getenv("CUDA_LAUNCH_BLOCKING");
    r->blocking = path != NULL && strcmp(path, "1") == 0;
    path = getenv("TEG_EXEC_JOBS");
    r->jobs = path != NULL ? (unsigned)strtoul(path, NULL, 10) : 1;
    path = getenv("TEG_EXEC_LIMIT");
    if (path == NULL || !emu_limit_parse(&r->launch_limit, path))
        r->launch_limit = (struct emu_limit){0};
    r->repeats = repeats_new();
    r->limit[LIMIT_STACK] = EMU_STACK_BYTES;
    r->limit[LIMIT_PRINTF] = PRINTF_BYTES;
    r->limit[LIMIT_HEAP] = EMU_HEAP_BYTES;
    r->spent = spent_open(getenv("TEG_EXEC_TIMING"));
    path = getenv("TEG_EXEC_TIME");
    if (path != NULL && path[0] != '\0') {
        r->tracer.clock = simulated_new(r->gpu, what_ifs(), r->jobs);
        r->tracer.timeline = timeline_new(r->gpu);
        timeline_enter(r->tracer.timeline);
    }
    error = tracer_init(&r->tracer);
    if (r->tracer.times_host)
        timeline_count_host(r->tracer.timeline);
    return error;
}

struct runtime *runtime_lock(void)
{
    pthread_once(&once, init_lock);
    pthread_mutex_lock(&state.lock);
    timeline_enter(state.tracer.timeline);
    return &state;
}

struct runtime *runtime_begin(void)
{
    struct runtime *r = runtime_lock();

    if (!r->ready) {
        r->ready = 1;
        r->error = open_gpu(r);
    }
    if (r->tracer.times_host && r->tracer.timeline == NULL && called_last > 0)
        r->tracer.host_us += now_us() - called_last;
    called_last = 0;
    return r;
}

int runtime_unlock(struct runtime *r, int error)
{
    timeline_leave(r->tracer.timeline);
    pthread_mutex_unlock(&r->lock);
    return error;
}

int runtime_end(struct runtime *r, int error)
{
    if (r->ready)
        tracer_end(&r->tracer);
    if (r->tracer.times_host)
        called_last = now_us();
    if (r->error != cudaSuccess)
        error = r->error;
    if (error != cudaSuccess)
        last_error = error;
    return runtime_unlock(r, error);
}

int runtime_wait(struct runtime *r)
{
    r->context = 1;
    if (r->error == cudaSuccess)
        r->error = r->fault;
    return r->error;
}

int runtime_last_error(int forget)
{
    int error = last_error;

    if (forget)
        last_error = cudaSuccess;
    return error;
}
