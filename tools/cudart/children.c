#include "tools/cudart/children.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"
#include "isa/base/number_map.h"
#include "tools/cudart/condition.h"
#include "tools/cudart/limits.h"
#include "tools/cudart/names.h"
#include "tools/cudart/operation.h"
#include "tools/cudart/properties.h"
#include "tools/cudart/say.h"

const char *cudaGetErrorString(int error);

struct child {
    struct emu_child what;
    uint8_t *params; /* owned */
    json_t *ends;    /* owned: numbers of its nodes that others come after */
    int is_followed; /* others do */
};

/* ---- noting ------------------------------------------------------------------- */

static int add_child(void *self, const struct emu_child *what)
{
    struct children *c = self;
    size_t bytes = what->kernel != NULL ? what->kernel->param_bytes : 0;
    struct child *more =
        teg_array_room(c->child, c->count, &c->capacity, sizeof *c->child);
    uint8_t *params = malloc(bytes + 1);

    if (more != NULL)
        c->child = more;
    if (more == NULL || params == NULL) {
        free(params);
        return 0;
    }
    if (bytes != 0)
        memcpy(params, what->params, bytes);
    c->child[c->count] = (struct child){.what = *what, .params = params};
    c->child[c->count].what.params = NULL;
    c->count++;
    return 1;
}

static int set_condition(void *self, uint64_t handle, uint32_t value)
{
    return condition_set(((struct children *)self)->runtime, handle, value);
}

static int attribute(void *self, int number, int *value)
{
    return device_attribute(((struct children *)self)->runtime, number, value);
}

static int occupancy(void *self, const struct teg_cubin_kernel *kernel,
                     uint32_t threads, uint64_t dynamic, int *blocks)
{
    struct children *c = self;
    const struct function *f = function_of(c->runtime, c->module, kernel);

    if (f == NULL || threads == 0)
        return 0;
    *blocks = (int)blocks_per_sm(c->runtime, f, threads, dynamic, 0);
    return 1;
}

struct emu_requests children_requests(struct children *c)
{
    return (struct emu_requests){.add_child = add_child,
                                 .set_condition = set_condition,
                                 .attribute = attribute,
                                 .occupancy = occupancy,
                                 .self = c};
}

void children_release(struct children *c)
{
    for (size_t i = 0; i < c->count; i++) {
        free(c->child[i].params);
        json_decref(c->child[i].ends);
    }
    free(c->child);
    json_decref(c->nothing);
    c->child = NULL;
    c->nothing = NULL;
    c->count = c->capacity = 0;
}

/* ---- running ------------------------------------------------------------------ */

static int launch_child(struct children *c, const struct child *child)
{
    const struct emu_child *w = &child->what;
    const struct teg_cubin_kernel *k = w->kernel;
    struct function *f = function_of(c->runtime, c->module, k);
    struct operation o = {
        .kind = OPERATION_KERNEL,
        .kernel = {.function = f,
                   .shape = {.grid = {w->grid[0], w->grid[1], w->grid[2]},
                             .block = {w->block[0], w->block[1], w->block[2]},
                             .shared = w->shared},
                   .args = calloc(k->param_count + (size_t)1, sizeof(void *))}};
    int error = cudaSuccess;

    if (f == NULL || o.kernel.args == NULL)
        error = cudaErrorMemoryAllocation;
    for (uint32_t i = 0; i < k->param_count && error == cudaSuccess; i++) {
        const struct teg_cubin_param *p = &k->param[i];

        if (p->ordinal >= k->param_count || p->offset > k->param_bytes)
            error = cudaErrorInvalidKernelImage;
        else
            o.kernel.args[p->ordinal] = child->params + p->offset;
    }
    if (error == cudaSuccess)
        error = operation_run(c->runtime, &o);
    free(o.kernel.args);
    return error;
}

static int do_child(struct children *c, const struct child *child)
{
    const struct emu_child *w = &child->what;
    struct operation o;

    if (w->kernel != NULL)
        return launch_child(c, child);
    o = w->from != 0
            ? operation_copy((void *)w->to, (const void *)w->from, w->bytes,
                             COPY_DEFAULT)
            : operation_set((void *)w->to, w->bytes, w->value, 1, w->bytes, 1);
    return operation_run(c->runtime, &o);
}

/* Ends that nothing comes behind yet, which from here on something does. */
static void bring(struct children *c, json_t *to)
{
    for (size_t i = 0; i < c->count; i++) {
        if (!c->child[i].is_followed)
            json_array_extend(to, c->child[i].ends);
        c->child[i].is_followed |= c->child[i].ends != NULL;
    }
}

/* On a GPU the thread that asked would hear of it. */
static void refuse(struct children *c, const struct child *child, int error)
{
    const struct teg_cubin_kernel *k = child->what.kernel;
    char name[PLAIN_MAX];

    runtime_say(k != NULL ? plain_name(k->name, name, sizeof name) : "",
                "%s by a kernel is refused: %s",
                k != NULL ? "a launch" : "a copy or set",
                cudaGetErrorString(error));
    c->runtime->fault = cudaErrorLaunchFailure;
}

/* A stream of the device's, for a map: 0 is the thread's block's. */
static uint64_t key_of(const struct emu_child *w)
{
    return w->stream == EMU_STREAM_OF_BLOCK ? (w->parent + 1) << 1
                                            : w->stream << 1 | 1;
}

/* What the child comes behind: of the tail all that the launch has brought so
 * far, else what is before it in its stream; at first the launch. */
static json_t *after_of(struct children *c, const struct child *child,
                        const struct teg_number_map *last, json_t *launch)
{
    const struct emu_child *w = &child->what;
    const uint64_t *before = teg_number_map_find(last, key_of(w));
    json_t *after = json_array();

    if (w->stream == EMU_STREAM_TAIL) {
        bring(c, after);
    } else if (w->stream != EMU_STREAM_ALONE && before != NULL) {
        json_array_extend(after, c->child[*before].ends);
        c->child[*before].is_followed = 1;
    }
    if (json_array_size(after) == 0)
        json_array_extend(after, launch);
    return after;
}

static int run_child(struct children *c, struct child *child, json_t *after)
{
    struct tracer *t = &c->runtime->tracer;
    json_t *ends = json_array();
    uint64_t number;
    int error;

    t->graph.brought = ends;
    tracer_node_begin(t, after, NULL);
    error = do_child(c, child);
    number = tracer_node_end(t);
    if (json_array_size(ends) == 0)
        json_array_append_new(ends, json_integer((json_int_t)number));
    child->ends = ends;
    json_decref(after);
    return error;
}

static void run_all(struct children *c, json_t *launch, int tail)
{
    struct teg_number_map last = {0};

    for (size_t i = 0; i < c->count && c->runtime->fault == cudaSuccess; i++) {
        struct child *child = &c->child[i];
        int error;

        if ((child->what.stream == EMU_STREAM_TAIL) != tail)
            continue;
        error = run_child(c, child, after_of(c, child, &last, launch));
        if (error != cudaSuccess)
            refuse(c, child, error);
        else if (!teg_number_map_put(&last, key_of(&child->what), i))
            c->runtime->fault = cudaErrorMemoryAllocation;
    }
    teg_number_map_release(&last);
}

void children_open(struct children *c)
{
    struct tracer *t = &c->runtime->tracer;

    if (c->count == 0 || t->graph.depth > 0)
        return;
    c->nothing = json_array();
    c->opened = 1;
    tracer_graph_begin(t);
    tracer_node_begin(t, c->nothing, NULL);
}

void children_run(struct children *c)
{
    struct tracer *t = &c->runtime->tracer;
    json_t *outer = t->graph.brought, *launch;
    uint64_t number;

    if (c->count == 0)
        return;
    number = tracer_node_end(t);
    launch = json_pack("[I]", (json_int_t)number);
    run_all(c, launch, 0);
    run_all(c, launch, 1);
    json_decref(launch);
    bring(c, outer);
    t->graph.brought = outer;
    t->graph.node = number;
    if (c->opened)
        tracer_graph_end(t);
}
