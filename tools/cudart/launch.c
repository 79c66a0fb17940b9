/* Kernel launches: configuration, checks, the run. */
#include "tools/cudart/launch.h"
#include "tools/cudart/children.h"
#include "tools/cudart/limits.h"
#include "tools/cudart/managed.h"
#include "tools/cudart/memory.h"
#include "tools/cudart/names.h"
#include "tools/cudart/progress.h"
#include "tools/cudart/repeat.h"
#include "tools/cudart/say.h"
#include "tools/cudart/spent.h"
#include "tools/cudart/stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONFIGURATIONS_MAX = 16,
    PARAMS_MAX = 32768,    /* bytes */
    ALONE_UP_TO = 4000000, /* thread instructions that one thread runs sooner
                              than others have started */
    ATTRIBUTE_COOPERATIVE = 2,
    ATTRIBUTE_CLUSTER = 4,
    ATTRIBUTE_DEPENDENT = 6, /* programmatic stream serialization */
    ATTRIBUTE_EVENT = 7,     /* that its blocks let happen */
    ATTRIBUTE_STARTED_EVENT = 12,
    ATTRIBUTE_CARVEOUT = 14, /* percent */
};

/* What <<<...>>> pushed and the kernel's stub takes. */
static _Thread_local struct {
    struct launch_shape shape[CONFIGURATIONS_MAX];
    void *stream[CONFIGURATIONS_MAX];
    int count;
} configured;

/* ---- checks ------------------------------------------------------------------ */

static int check_shape(const struct runtime *r, const struct launch_shape *s)
{
    const struct cuda_dim3 *g = &s->grid, *b = &s->block;
    uint64_t threads = (uint64_t)b->x * b->y * b->z;

    if (g->x == 0 || g->y == 0 || g->z == 0 || threads == 0 ||
        g->x > INT32_MAX || g->y > 65535 || g->z > 65535 || b->x > 1024 ||
        b->y > 1024 || b->z > 64 || threads > r->gpu->sm.threads_per_block_max)
        return cudaErrorInvalidConfiguration;
    return cudaSuccess;
}

/* The launch's clusters and the kernel's own must agree and fill the grid. */
static int check_cluster(const struct runtime *r, const struct function *f,
                         const struct launch_shape *s)
{
    const uint32_t *own = f->kernel->cluster;
    const uint32_t grid[3] = {s->grid.x, s->grid.y, s->grid.z};
    uint32_t cluster[3] = {s->cluster.x, s->cluster.y, s->cluster.z};
    uint64_t blocks = 1;

    if (cluster[0] == 0)
        memcpy(cluster, own, sizeof cluster);
    if (cluster[0] == 0)
        return cudaSuccess;
    if (own[0] != 0 && memcmp(cluster, own, sizeof cluster) != 0)
        return cudaErrorInvalidClusterSize;
    for (int i = 0; i < 3; i++) {
        if (cluster[i] == 0 || grid[i] % cluster[i] != 0)
            return cudaErrorInvalidClusterSize;
        blocks *= cluster[i];
    }
    if (cluster_most(r, f) == 0)
        return blocks > 1 ? cudaErrorNotSupported : cudaSuccess;
    return blocks > cluster_most(r, f) ? cudaErrorInvalidClusterSize
                                       : cudaSuccess;
}

static uint64_t blocks_at_once(const struct runtime *r,
                               const struct function *f,
                               const struct launch_shape *s)
{
    uint32_t threads = s->block.x * s->block.y * s->block.z;

    return (uint64_t)r->gpu->chip.sms *
           blocks_per_sm(r, f, threads, s->shared, s->carveout);
}

/* All blocks of a cooperative grid have to fit the GPU at once. */
static int check_cooperative(const struct runtime *r, const struct function *f,
                             const struct launch_shape *s)
{
    uint64_t blocks = (uint64_t)s->grid.x * s->grid.y * s->grid.z;

    if (s->cooperative && blocks > blocks_at_once(r, f, s))
        return cudaErrorCooperativeLaunchTooLarge;
    return cudaSuccess;
}

static int check_resources(const struct runtime *r, const struct function *f,
                           const struct launch_shape *s)
{
    uint32_t threads = s->block.x * s->block.y * s->block.z;

    if (s->shared > dynamic_shared_most(r, f) ||
        f->kernel->shared_bytes + s->shared > shared_most(r->gpu))
        return cudaErrorInvalidValue;
    if (threads > threads_most(r, f) ||
        blocks_per_sm(r, f, threads, s->shared, s->carveout) == 0)
        return cudaErrorLaunchOutOfResources;
    return cudaSuccess;
}

/* ---- running -------------------------------------------------------------------- */

/* The parameters as the kernel's constant bank has them. */
static int gather(const struct teg_cubin_kernel *k, void **args,
                  uint8_t params[PARAMS_MAX])
{
    if (k->param_bytes > PARAMS_MAX || (k->param_count > 0 && args == NULL))
        return cudaErrorInvalidValue;
    memset(params, 0, k->param_bytes);
    for (uint32_t i = 0; i < k->param_count; i++) {
        const struct teg_cubin_param *p = &k->param[i];

        if (p->offset > k->param_bytes || k->param_bytes - p->offset < p->size)
            return cudaErrorInvalidKernelImage;
        memcpy(params + p->offset, args[p->ordinal], p->size);
    }
    return cudaSuccess;
}

static void print_text(void *self, const char *text, size_t length)
{
    progress_hide(self);
    fwrite(text, 1, length, stdout);
}

/* Each once for a program. */
static void say_undefined(struct runtime *r, const struct function *f,
                          const uint64_t undefined[EMU_UNDEFINED])
{
    char name[PLAIN_MAX];

    for (int i = 0; i < EMU_UNDEFINED; i++) {
        if (undefined[i] != 0 && !r->undefined_said[i])
            runtime_say(plain_name(f->name, name, sizeof name),
                        "%s (%" PRIu64 " times in this launch)",
                        emu_undefined_says[i], undefined[i]);
        r->undefined_said[i] |= undefined[i] != 0;
    }
}

/* Says so once if the launch used memory of the host's, which a GPU reaches over
 * its link. */
static void say_host_memory(struct runtime *r, const struct function *f)
{
    char name[PLAIN_MAX];
    struct emu_span span;

    for (const struct shared_memory *s = r->shared;
         s != NULL && !r->host_memory_said; s = s->next) {
        if (s->kind != MEMORY_HOST ||
            !emu_device_span(r->device, (uint64_t)s->data, &span) ||
            !(span.usage->read || span.usage->written))
            continue;
        r->host_memory_said = 1;
        runtime_say(plain_name(f->name, name, sizeof name),
                    "uses %zu bytes of the host's memory, for which a GPU's "
                    "link takes far longer than its own memory does here",
                    s->bytes);
    }
}

static teg_status time_trace(struct runtime *r, struct written *trace,
                             struct timeline_launch **took, struct teg_diag *d)
{
    uint64_t before = spent_now();
    teg_status status = tracer_time(&r->tracer, trace, took, d);

    spent_add(r->spent, "replay", before, 0);
    return status;
}

/* Runs all blocks, writing the trace if it is wanted, and notes what the
 * launch did. */
static teg_status emulate(struct runtime *r, const struct launch_key *key,
                          struct emu_launch_facts *facts, uint64_t number,
                          int wanted, struct timeline_launch **took,
                          struct teg_diag *d)
{
    struct children *children = facts->requests.self;
    const struct function *f = key->function;
    struct launch_done done = {0};
    struct teg_launch launch;
    uint64_t undefined[EMU_UNDEFINED] = {0};
    uint64_t threads = 0, before = spent_now();
    char name[PLAIN_MAX];
    struct progress progress;
    int calls = 0;
    teg_status status;

    progress_begin(&progress, plain_name(f->name, name, sizeof name),
                   (uint64_t)facts->grid[0] * facts->grid[1] * facts->grid[2]);
    facts->block_done = progress_step;
    facts->block_done_self = facts->outlet.self = &progress;
    facts->thread_insts = &threads;
    facts->undefined = undefined;
    facts->calls = &calls;
    emu_device_watch(r->device);
    if (wanted)
        managed_before_launch(r);
    TRY(emu_launch(&f->module->cubin, f->kernel, r->device, facts, &launch, d));
    status = wanted ? tracer_write(&r->tracer, &launch, number, &done.trace, d)
                    : teg_launch_walk(&launch, NULL, NULL, d);
    launch.close(launch.self);
    progress_hide(&progress);
    spent_add(r->spent, "emulation", before, threads);
    facts->block_done = NULL;
    facts->block_done_self = facts->outlet.self = NULL;
    facts->thread_insts = NULL;
    facts->undefined = NULL;
    facts->calls = NULL;
    if (status == TEG_OK)
        children_open(children);
    if (status == TEG_OK && wanted) {
        managed_after_launch(r);
        status = tracer_repeat(&r->tracer, done.trace, facts->grid,
                               facts->block, number, d);
    }
    say_undefined(r, f, undefined);
    if (wanted)
        say_host_memory(r, f);
    done.warp_insts = *facts->warp_insts;
    if (status == TEG_OK && done.trace != NULL && r->tracer.clock != NULL)
        status = time_trace(r, done.trace, took, d);
    if (status == TEG_OK && !calls)
        repeats_note(r->repeats, r->device, key, &done);
    else
        emu_device_settle(r->device, NULL, 0);
    return status;
}

static teg_status run(struct runtime *r, const struct launch_key *key,
                      struct emu_launch_facts *facts,
                      struct timeline_launch **took, struct teg_diag *d)
{
    uint64_t number = r->launches++;
    uint64_t blocks =
        (uint64_t)facts->grid[0] * facts->grid[1] * facts->grid[2];
    int wanted = tracer_wants(&r->tracer, key->function->name, number);
    struct launch_done *done = repeats_find(r->repeats, r->device, key);

    r->context = 1;
    if (!wanted)
        tracer_pass(&r->tracer);
    if (done != NULL && (!wanted || done->trace != NULL)) {
        *facts->warp_insts = done->warp_insts;
        if (wanted && r->tracer.clock != NULL)
            TRY(time_trace(r, done->trace, took, d));
        return wanted ? tracer_repeat(&r->tracer, done->trace, facts->grid,
                                      facts->block, number, d)
                      : TEG_OK;
    }
    facts->from = wanted ? r->tracer.blocks.from : blocks;
    facts->to =
        wanted && r->tracer.blocks.to < blocks ? r->tracer.blocks.to : blocks;
    return emulate(r, key, facts, number, wanted, took, d);
}

/* The simulator's time or, without one, nominal time: every scheduler of the
 * chip issues in every cycle, and a launch takes a microsecond. */
static void pass_time(struct runtime *r, uint64_t insts,
                      struct timeline_launch *took)
{
    const struct teg_gpu *g = r->gpu;
    struct timeline_launch nominal = {
        .kernel.us = 1 + (double)insts / (g->chip.sms * g->sm.schedulers) /
                             g->chip.sm_clock_mhz};

    if (took == NULL)
        took = &nominal;
    r->nominal_us += took->kernel.us;
    tracer_pass_time(&r->tracer, took);
}

/* The kernel's fault as the number a GPU's would have; most are accesses. */
static int error_of(teg_status status, const struct teg_diag *d)
{
    static const struct {
        const char *what;
        int error;
    } faults[] = {
        {"assertion `", cudaErrorAssert},
        {": an endless loop?", cudaErrorLaunchTimeout},
        {"not emulated", cudaErrorIllegalInstruction},
        {" is no texture object", cudaErrorInvalidTexture},
        {" is no surface object", cudaErrorInvalidSurface},
        {"expected an address that is a multiple", cudaErrorMisalignedAddress},
        {"out of bounds", cudaErrorIllegalAddress},
    };

    if (status == TEG_IO)
        return cudaErrorOperatingSystem;
    if (status == TEG_MEMORY)
        return cudaErrorMemoryAllocation;
    if (status == TEG_DEADLOCK)
        return cudaErrorLaunchTimeout;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (strstr(d->what, faults[i].what) != NULL)
            return faults[i].error;
    }
    return cudaErrorLaunchFailure;
}

/* What to try with a program that a GPU runs all the same. */
static void say_way_on(const struct runtime *r, const struct teg_diag *d)
{
    static const struct {
        const char *found;
        int when_strict; /* about the gaps between buffers */
        const char *what;
    } ways[] = {
        {"of global memory are out of bounds", 1,
         "a GPU notices only what lies outside its pages of memory; so does "
         "--loose, up to 1 MB from a buffer"},
        {"instructions in one warp: an endless loop?", 0,
         "a kernel that only takes long may have more with `teg exec "
         "--limit=MILLIONS`"},
        {"seconds in one launch: an endless loop?", 0,
         "a kernel that only takes long may have more with `teg exec "
         "--limit=SECONDSs`"},
    };

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        if (strstr(d->what, ways[i].found) != NULL &&
            (!ways[i].when_strict || r->margin == 0))
            runtime_say("", "%s", ways[i].what);
    }
}

/* What the launch leaves to its kernel or the device, said. */
static struct launch_shape resolve(const struct runtime *r,
                                   const struct function *f,
                                   const struct launch_shape *asked)
{
    struct launch_shape s = *asked;

    if (s.carveout == 0)
        s.carveout = carveout_of(r, f);
    return s;
}

int function_launch(struct runtime *r, struct function *f,
                    const struct launch_shape *asked, void **args)
{
    const struct launch_shape shape = resolve(r, f, asked), *s = &shape;
    uint8_t params[PARAMS_MAX];
    uint64_t insts = 0;
    struct timeline_launch *took = NULL;
    struct children children = {.runtime = r, .module = f->module};
    struct teg_diag d = {0};
    teg_status status;
    struct emu_launch_facts facts = {
        .grid = {s->grid.x, s->grid.y, s->grid.z},
        .block = {s->block.x, s->block.y, s->block.z},
        .cluster = {s->cluster.x, s->cluster.y, s->cluster.z},
        .cooperative = s->cooperative,
        .dynamic_shared = (uint32_t)s->shared,
        .carveout = s->carveout,
        .params = params,
        .param_bytes = f->kernel->param_bytes,
        .module = &f->module->placed,
        .textures = &r->textures,
        .outlet = {print_text, NULL},
        .requests = children_requests(&children),
        .warp_insts = &insts,
        .jobs = r->jobs,
        .limit = r->launch_limit,
        .clock = spent_clock,
        .order = r->order,
        .alone_up_to = ALONE_UP_TO,
        .stack_bytes = r->limit[LIMIT_STACK],
        .heap_bytes = r->limit[LIMIT_HEAP],
    };
    const struct launch_key key = {
        .function = f,
        .shape = *s,
        .params = params,
        .param_bytes = f->kernel->param_bytes,
        .settings = r->setting_changes,
    };
    int error = check_shape(r, s);

    if (error == cudaSuccess)
        error = check_resources(r, f, s);
    if (error == cudaSuccess)
        error = check_cluster(r, f, s);
    if (error == cudaSuccess)
        error = check_cooperative(r, f, s);
    if (error == cudaSuccess)
        error = gather(f->kernel, args, params);
    if (error != cudaSuccess || r->fault != cudaSuccess)
        return error;
    r->tracer.at.dependent = s->dependent;
    facts.held_blocks = blocks_at_once(r, f, s);
    status = run(r, &key, &facts, &took, &d);
    pass_time(r, insts, took);
    if (status != TEG_OK) {
        runtime_say_fault(&d);
        r->fault = error_of(status, &d);
        say_way_on(r, &d);
    }
    children_run(&children);
    children_release(&children);
    tracer_end_process(&r->tracer);
    return cudaSuccess;
}

int launch_submit(struct runtime *r, struct function *f,
                  const struct launch_shape *shape, void **args, void *stream)
{
    struct operation o = {
        .kind = OPERATION_KERNEL,
        .kernel = {.function = f, .shape = *shape, .args = args}};

    int error = stream_submit(r, stream, &o);

    if (error == cudaSuccess && r->blocking)
        error = stream_wait(r, stream);
    /* An event that the launch lets, or starts, is recorded when it has ended:
     * one that waits for it may not come earlier, and need not. */
    return error == cudaSuccess && shape->event != NULL
               ? stream_record(r, stream, shape->event)
               : error;
}

static int launch(struct runtime *r, const void *what,
                  const struct launch_shape *shape, void **args, void *stream)
{
    int error = cudaSuccess;
    struct function *f = function_find(r, what, &error);

    return f != NULL ? launch_submit(r, f, shape, args, stream) : error;
}

/* As of a struct teg_kernel; what is no share says nothing. */
static uint32_t read_carveout(const struct cuda_launch_attribute *a)
{
    uint32_t percent;

    memcpy(&percent, a->value, sizeof percent);
    return percent <= 100 ? percent + 1 : 0;
}

static void write_carveout(const struct launch_shape *shape,
                           struct cuda_launch_attribute *a)
{
    uint32_t percent = shape->carveout - 1; /* -1: says nothing */

    memcpy(a->value, &percent, sizeof percent);
}

void launch_read_attributes(struct launch_shape *shape,
                            const struct cuda_launch_attribute *attribute,
                            uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct cuda_launch_attribute *a = &attribute[i];

        if (a->id == ATTRIBUTE_COOPERATIVE)
            memcpy(&shape->cooperative, a->value, sizeof shape->cooperative);
        else if (a->id == ATTRIBUTE_CLUSTER)
            memcpy(&shape->cluster, a->value, sizeof shape->cluster);
        else if (a->id == ATTRIBUTE_DEPENDENT)
            memcpy(&shape->dependent, a->value, sizeof shape->dependent);
        else if (a->id == ATTRIBUTE_CARVEOUT)
            shape->carveout = read_carveout(a);
        else if (a->id == ATTRIBUTE_EVENT || a->id == ATTRIBUTE_STARTED_EVENT)
            memcpy(&shape->event, a->value, sizeof shape->event);
    }
}

void launch_write_attribute(const struct launch_shape *shape, int id,
                            struct cuda_launch_attribute *a)
{
    *a = (struct cuda_launch_attribute){.id = id};
    if (id == ATTRIBUTE_COOPERATIVE)
        memcpy(a->value, &shape->cooperative, sizeof shape->cooperative);
    else if (id == ATTRIBUTE_CLUSTER)
        memcpy(a->value, &shape->cluster, sizeof shape->cluster);
    else if (id == ATTRIBUTE_DEPENDENT)
        memcpy(a->value, &shape->dependent, sizeof shape->dependent);
    else if (id == ATTRIBUTE_CARVEOUT)
        write_carveout(shape, a);
}

/* ---- entry points ------------------------------------------------------------------- */

ENTRY(unsigned, __cudaPushCallConfiguration, struct cuda_dim3 grid,
      struct cuda_dim3 block, size_t shared, void *stream)
{
    if (configured.count == CONFIGURATIONS_MAX)
        return cudaErrorMissingConfiguration;
    configured.shape[configured.count] =
        (struct launch_shape){.grid = grid, .block = block, .shared = shared};
    configured.stream[configured.count++] = stream;
    return 0;
}

CALL(__cudaPopCallConfiguration, struct cuda_dim3 *grid,
     struct cuda_dim3 *block, size_t *shared, void *stream)
{
    if (configured.count == 0)
        return cudaErrorMissingConfiguration;
    configured.count--;
    *grid = configured.shape[configured.count].grid;
    *block = configured.shape[configured.count].block;
    *shared = configured.shape[configured.count].shared;
    *(void **)stream = configured.stream[configured.count];
    return cudaSuccess;
}

CALL(cudaLaunchKernel, const void *what, struct cuda_dim3 grid,
     struct cuda_dim3 block, void **args, size_t shared, void *stream)
{
    BEGIN(r);
    struct launch_shape shape = {
        .grid = grid, .block = block, .shared = shared};

    return runtime_end(r, launch(r, what, &shape, args, stream));
}
ALSO(cudaLaunchKernel, cudaLaunchKernel_ptsz);
ALSO(cudaLaunchKernel, __cudaLaunchKernel);
ALSO(cudaLaunchKernel, __cudaLaunchKernel_ptsz);

CALL(cudaLaunchCooperativeKernel, const void *what, struct cuda_dim3 grid,
     struct cuda_dim3 block, void **args, size_t shared, void *stream)
{
    BEGIN(r);
    struct launch_shape shape = {
        .grid = grid, .block = block, .shared = shared, .cooperative = 1};

    return runtime_end(r, launch(r, what, &shape, args, stream));
}
ALSO(cudaLaunchCooperativeKernel, cudaLaunchCooperativeKernel_ptsz);

CALL(cudaLaunchKernelExC, const struct cuda_launch_config *c, const void *what,
     void **args)
{
    BEGIN(r);
    struct launch_shape shape;

    if (c == NULL)
        return runtime_end(r, cudaErrorInvalidValue);
    shape = (struct launch_shape){
        .grid = c->grid, .block = c->block, .shared = c->shared};
    launch_read_attributes(&shape, c->attribute, c->attributes);
    return runtime_end(r, launch(r, what, &shape, args, c->stream));
}
ALSO(cudaLaunchKernelExC, cudaLaunchKernelExC_ptsz);

/* A handle that every call takes in place of the host function. */
static int get_kernel(void **kernel, const void *host)
{
    BEGIN(r);
    int error = cudaSuccess;
    struct function *f = function_find(r, host, &error);

    if (kernel != NULL)
        *kernel = f;
    return runtime_end(r, error);
}

CALL(__cudaGetKernel, void **kernel, const void *host)
{
    return get_kernel(kernel, host);
}

CALL(cudaGetKernel, void **kernel, const void *host)
{
    return get_kernel(kernel, host);
}

CALL(cudaGetFuncBySymbol, void **kernel, const void *host)
{
    return get_kernel(kernel, host);
}
