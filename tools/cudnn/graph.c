/*
 * Entry points of cuDNN: graphs of operations (the "backend").  A graph is one
 * convolution, and what may follow it: another tensor added, a bias, ReLU.  It
 * has two engines: one that may use tensor instructions, one that multiplies
 * and adds as the type says.
 */
#include <stdlib.h>
#include <string.h>

#include "tools/cudart/say.h"
#include "tools/cudnn/convolution.h"
#include "tools/cudnn/descriptor.h"

/* cudnnBackendAttributeName_t */
enum {
    POINTWISE_MODE = 0,
    POINTWISE_LOWER_CLIP = 3,
    POINTWISE_UPPER_CLIP = 4,
    POINTWISE_LOWER_SLOPE = 5,
    CONVOLUTION_MODE = 101,
    CONVOLUTION_DILATIONS = 102,
    CONVOLUTION_STRIDES = 103,
    CONVOLUTION_PRE_PADDINGS = 105,
    CONVOLUTION_DIMS = 106,
    HEURISTICS_GRAPH = 201,
    HEURISTICS_RESULTS = 202,
    CONFIG_ENGINE = 300,
    CONFIG_INTERMEDIATE = 301,
    CONFIG_KNOBS = 302,
    PLAN_CONFIG = 401,
    PLAN_WORK = 402,
    PLAN_COMPUTED = 403,
    PLAN_RUN_ONLY = 404,
    FPROP_FIRST = 700, /* alpha, beta, convolution, then three tensors */
    DGRAD_FIRST = 706,
    WGRAD_FIRST = 712,
    OP_POINTWISE = 750,
    OP_POINTWISE_X = 751,
    OP_POINTWISE_B = 752,
    OP_POINTWISE_Y = 753,
    OP_POINTWISE_ALPHA_1 = 754,
    OP_POINTWISE_ALPHA_2 = 755,
    OPERATIONS = 801,
    OPERATIONS_ENGINES = 802,
    TENSOR_TYPE = 901,
    TENSOR_SIZE = 902,
    TENSOR_STRIDE = 903,
    TENSOR_ID = 906,
    PACK_IDS = 1000,
    PACK_POINTERS = 1001,
    PACK_WORK = 1003,
    ENGINE_GRAPH = 1300,
    ENGINE_INDEX = 1301,
    ENGINE_KNOBS = 1302,
    ENGINE_NOTES = 1303,
    ENGINE_LAYOUTS = 1304,
    ENGINE_BEHAVIOR = 1305,
};

enum {
    ENGINE_TENSORS, /* in the order of heuristics */
    ENGINE_PLAIN,
    ENGINES,
    NOTE_TENSOR_CORE = 0,
    POINTWISE_ADD = 0,
    POINTWISE_RELU = 100,
};

/* What a plan does: tensors by the numbers that a program gave them; 0: none. */
struct graph_plan {
    struct convolution c;
    int64_t x, w, y, z, bias;
};

/* ---- what a graph is -------------------------------------------------------------------- */

static int ints_of(const struct descriptor *d, int name, int *out, int count)
{
    int type;
    int64_t there;
    const int64_t *values =
        d != NULL ? descriptor_get(d, name, &type, &there) : NULL;

    if (values == NULL || type != GRAPH_TYPE_INT64 || there != count)
        return 0;
    for (int i = 0; i < count; i++)
        out[i] = (int)values[i];
    return 1;
}

static int tensor_of(const struct descriptor *d, struct dnn_tensor *t,
                     int64_t *id)
{
    int type;
    int64_t rank = 0, strides = 0;
    const int64_t *size, *stride;

    if (d == NULL || descriptor_type(d) != GRAPH_TENSOR)
        return 0;
    size = descriptor_get(d, TENSOR_SIZE, &type, &rank);
    stride = descriptor_get(d, TENSOR_STRIDE, &type, &strides);
    if (size == NULL || stride == NULL || rank != strides || rank < 1 ||
        rank > DNN_RANK_MAX)
        return 0;
    *t = (struct dnn_tensor){.rank = (int)rank,
                             .type = descriptor_int(d, TENSOR_TYPE, -1)};
    for (int64_t i = 0; i < rank; i++) {
        t->size[i] = (int)size[i];
        t->stride[i] = stride[i];
    }
    *id = descriptor_int64(d, TENSOR_ID, 0);
    return 1;
}

/* The first operation.  Where its three tensors are among its attributes. */
static const struct {
    int type, first, what, x, w, y;
} convolutions[] = {
    {GRAPH_OP_FPROP, FPROP_FIRST, CONV_FPROP, 4, 3, 5},
    {GRAPH_OP_DGRAD, DGRAD_FIRST, CONV_DGRAD, 4, 3, 5},
    {GRAPH_OP_WGRAD, WGRAD_FIRST, CONV_WGRAD, 4, 3, 5},
};

static int read_convolution(const struct descriptor *op, struct graph_plan *p)
{
    const struct descriptor *v;
    struct convolution *c = &p->c;

    for (size_t i = 0; i < sizeof convolutions / sizeof convolutions[0]; i++) {
        int first = convolutions[i].first;

        if (descriptor_type(op) != convolutions[i].type)
            continue;
        v = descriptor_of(op, first + 2);
        *c = (struct convolution){
            .name = "cuDNN's graph",
            .what = convolutions[i].what,
            .dims = (int)descriptor_int64(v, CONVOLUTION_DIMS, 0),
            .mode = descriptor_int(v, CONVOLUTION_MODE, DNN_CROSS_CORRELATION),
            .alpha = descriptor_number(op, first, 1),
            .beta = descriptor_number(op, first + 1, 0),
        };
        if (v == NULL || c->dims < 1 || c->dims > CONV_DIMS ||
            !ints_of(v, CONVOLUTION_PRE_PADDINGS, c->pad, c->dims) ||
            !ints_of(v, CONVOLUTION_STRIDES, c->stride, c->dims) ||
            !ints_of(v, CONVOLUTION_DILATIONS, c->dilation, c->dims) ||
            !tensor_of(descriptor_of(op, first + convolutions[i].x), &c->x,
                       &p->x) ||
            !tensor_of(descriptor_of(op, first + convolutions[i].w), &c->w,
                       &p->w) ||
            !tensor_of(descriptor_of(op, first + convolutions[i].y), &c->y,
                       &p->y) ||
            c->w.size[1] < 1)
            return 0;
        c->groups = c->x.size[1] / c->w.size[1];
        return 1;
    }
    return 0;
}

static int is_bias(const struct dnn_tensor *t, const struct dnn_tensor *y)
{
    for (int i = 0; i < t->rank; i++) {
        if (t->size[i] != (i == 1 ? y->size[1] : 1))
            return 0;
    }
    return t->rank == y->rank && t->stride[1] == 1;
}

/* An operation of the result until now: what kernels can finish a sum with, in
 * their order. */
static int read_pointwise(const struct descriptor *op, struct graph_plan *p)
{
    const struct descriptor *how = descriptor_of(op, OP_POINTWISE);
    struct convolution *c = &p->c;
    struct dnn_tensor x, other, y;
    int64_t x_id, other_id, y_id;

    if (descriptor_type(op) != GRAPH_OP_POINTWISE || how == NULL ||
        c->what != CONV_FPROP || c->relu ||
        !tensor_of(descriptor_of(op, OP_POINTWISE_X), &x, &x_id) ||
        !tensor_of(descriptor_of(op, OP_POINTWISE_Y), &y, &y_id) ||
        descriptor_number(op, OP_POINTWISE_ALPHA_1, 1) != 1)
        return 0;
    switch (descriptor_int(how, POINTWISE_MODE, -1)) {
    case POINTWISE_RELU:
        if (x_id != p->y ||
            descriptor_number(how, POINTWISE_LOWER_CLIP, 0) != 0 ||
            descriptor_number(how, POINTWISE_LOWER_SLOPE, 0) != 0 ||
            descriptor_number(how, POINTWISE_UPPER_CLIP, 1e30) < 1e30)
            return 0;
        c->relu = 1;
        break;
    case POINTWISE_ADD:
        if (!tensor_of(descriptor_of(op, OP_POINTWISE_B), &other, &other_id))
            return 0;
        if (x_id != p->y) { /* either may be the result until now */
            const struct dnn_tensor t = x;
            int64_t id = x_id;

            x = other, x_id = other_id;
            other = t, other_id = id;
        }
        if (x_id != p->y || c->has_bias || other.type != c->x.type)
            return 0;
        if (is_bias(&other, &c->y) &&
            descriptor_number(op, OP_POINTWISE_ALPHA_2, 1) == 1) {
            c->has_bias = 1;
            p->bias = other_id;
        } else if (c->beta == 0 && p->z == 0 && dnn_is_like(&other, &y)) {
            c->beta = descriptor_number(op, OP_POINTWISE_ALPHA_2, 1);
            p->z = other_id;
        } else {
            return 0;
        }
        break;
    default:
        return 0;
    }
    c->y = y;
    p->y = y_id;
    return 1;
}

static enum dnn_status read_graph(const struct descriptor *graph,
                                  struct graph_plan *p)
{
    int type;
    int64_t count = 0;
    struct descriptor *const *op =
        graph != NULL ? descriptor_get(graph, OPERATIONS, &type, &count) : NULL;

    *p = (struct graph_plan){0};
    if (op == NULL || count < 1)
        return DNN_BAD_PARAM;
    for (int64_t i = 0; i < count; i++) {
        int known =
            i == 0 ? read_convolution(op[0], p) : read_pointwise(op[i], p);

        if (!known) {
            runtime_say("",
                        "cuDNN: a graph whose operation %d is a descriptor of "
                        "type %d (cudnnBackendDescriptorType_t) is not "
                        "implemented",
                        (int)i, descriptor_type(op[i]));
            return DNN_NOT_SUPPORTED_GRAPH_PATTERN;
        }
    }
    return conv_check(&p->c);
}

/* Whether an engine makes a difference, or any, for a graph. */
static int has_engine(const struct graph_plan *p, int64_t engine)
{
    int generation = vendor_device()->generation;

    switch (p->c.x.type) {
    case DNN_HALF:
        return engine == ENGINE_TENSORS;
    case DNN_BFLOAT16:
        return engine == (generation >= 80 ? ENGINE_TENSORS : ENGINE_PLAIN);
    case DNN_FLOAT:
        return engine == ENGINE_PLAIN || generation >= 80;
    default:
        return engine == ENGINE_PLAIN;
    }
}

/* ---- finalizing ------------------------------------------------------------------------- */

static enum dnn_status finish_plan(struct descriptor *d)
{
    const struct descriptor *config = descriptor_of(d, PLAN_CONFIG);
    const struct descriptor *engine = descriptor_of(config, CONFIG_ENGINE);
    int64_t index = descriptor_int64(engine, ENGINE_INDEX, -1), bytes;
    struct graph_plan *p = calloc(1, sizeof *p);
    enum dnn_status status;
    size_t work;

    if (p == NULL)
        return DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    status = engine == NULL
                 ? DNN_BAD_PARAM
                 : read_graph(descriptor_of(engine, ENGINE_GRAPH), p);
    if (status == DNN_SUCCESS && !has_engine(p, index))
        status = DNN_NOT_SUPPORTED;
    if (status != DNN_SUCCESS) {
        free(p);
        return status;
    }
    p->c.tensor_cores = index == ENGINE_TENSORS;
    conv_work_bytes(&p->c, &work); /* read_graph() checked it */
    bytes = (int64_t)work;
    descriptor_set(d, PLAN_WORK, GRAPH_TYPE_INT64, 1, &bytes);
    descriptor_finish(d, p);
    return DNN_SUCCESS;
}

static enum dnn_status finish_engine(struct descriptor *d)
{
    static const int note = NOTE_TENSOR_CORE;
    const int64_t index = descriptor_int64(d, ENGINE_INDEX, -1);
    struct graph_plan p;
    enum dnn_status status = read_graph(descriptor_of(d, ENGINE_GRAPH), &p);

    if (status != DNN_SUCCESS)
        return status;
    if (!has_engine(&p, index))
        return DNN_NOT_SUPPORTED;
    descriptor_set(d, ENGINE_NOTES, GRAPH_TYPE_NOTE, index == ENGINE_TENSORS,
                   &note);
    descriptor_finish(d, NULL);
    return DNN_SUCCESS;
}

static enum dnn_status finish_graph(struct descriptor *d)
{
    static const int64_t engines = ENGINES;
    struct graph_plan p;
    enum dnn_status status = read_graph(d, &p);

    if (status != DNN_SUCCESS)
        return status;
    descriptor_set(d, OPERATIONS_ENGINES, GRAPH_TYPE_INT64, 1, &engines);
    descriptor_finish(d, NULL);
    return DNN_SUCCESS;
}

/* Configurations of the engines that a graph has, the faster first. */
static enum dnn_status finish_heuristics(struct descriptor *d)
{
    struct descriptor *graph = descriptor_of(d, HEURISTICS_GRAPH);
    struct descriptor *found[ENGINES];
    int64_t count = 0;
    struct graph_plan p;
    enum dnn_status status = read_graph(graph, &p);

    for (int64_t i = 0; i < ENGINES && status == DNN_SUCCESS; i++) {
        struct descriptor *engine, *config;

        if (!has_engine(&p, i))
            continue;
        engine = descriptor_new(GRAPH_ENGINE);
        config = descriptor_new(GRAPH_CONFIG);
        if (engine != NULL && config != NULL) {
            descriptor_set(engine, ENGINE_GRAPH, GRAPH_TYPE_DESCRIPTOR, 1,
                           &graph);
            descriptor_set(engine, ENGINE_INDEX, GRAPH_TYPE_INT64, 1, &i);
            status = finish_engine(engine);
            descriptor_set(config, CONFIG_ENGINE, GRAPH_TYPE_DESCRIPTOR, 1,
                           &engine);
            descriptor_finish(config, NULL);
            found[count++] = config;
        } else {
            descriptor_drop(config);
            status = DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
        }
        descriptor_drop(engine); /* the configuration holds it */
    }
    if (status == DNN_SUCCESS)
        status = descriptor_set(d, HEURISTICS_RESULTS, GRAPH_TYPE_DESCRIPTOR,
                                count, found);
    while (count > 0)
        descriptor_drop(found[--count]);
    if (status == DNN_SUCCESS)
        descriptor_finish(d, NULL);
    return status;
}

/* Those that are more than what was set. */
static const struct {
    int type;
    enum dnn_status (*finish)(struct descriptor *);
} finishes[] = {
    {GRAPH_OPERATIONS, finish_graph},
    {GRAPH_ENGINE, finish_engine},
    {GRAPH_HEURISTICS, finish_heuristics},
    {GRAPH_PLAN, finish_plan},
};

/* Attributes that are there and empty: an engine has no knobs. */
static int is_empty(int name)
{
    static const int names[] = {
        CONFIG_INTERMEDIATE, CONFIG_KNOBS,   PLAN_COMPUTED,   PLAN_RUN_ONLY,
        ENGINE_KNOBS,        ENGINE_LAYOUTS, ENGINE_BEHAVIOR, ENGINE_NOTES};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (names[i] == name)
            return 1;
    }
    return 0;
}

/* ---- entry points -------------------------------------------------------------------------- */

CALL(cudnnBackendCreateDescriptor, int type, struct descriptor **out)
{
    if (out == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    if (type < 0 || type >= GRAPH_DESCRIPTORS)
        return DNN_BAD_PARAM;
    *out = descriptor_new(type);
    return *out != NULL ? DNN_SUCCESS
                        : DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

CALL(cudnnBackendDestroyDescriptor, struct descriptor *d)
{
    descriptor_drop(d);
    return DNN_SUCCESS;
}

CALL(cudnnBackendInitialize, struct descriptor *d)
{
    return d != NULL ? DNN_SUCCESS : DNN_BAD_PARAM;
}

CALL(cudnnBackendSetAttribute, struct descriptor *d, int name, int type,
     int64_t count, const void *values)
{
    if (d == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    return descriptor_is_final(d)
               ? DNN_BAD_PARAM
               : (int)descriptor_set(d, name, type, count, values);
}

CALL(cudnnBackendFinalize, struct descriptor *d)
{
    if (d == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    for (size_t i = 0; i < sizeof finishes / sizeof finishes[0]; i++) {
        if (finishes[i].type == descriptor_type(d))
            return (int)finishes[i].finish(d);
    }
    descriptor_finish(d, NULL);
    return DNN_SUCCESS;
}

/* Descriptors are copied into those that the program made for them. */
CALL(cudnnBackendGetAttribute, struct descriptor *d, int name, int type,
     int64_t wanted, int64_t *found, void *values)
{
    int own = type;
    int64_t count = 0;
    const void *from;
    enum dnn_status status = DNN_SUCCESS;

    if (d == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    if (!descriptor_is_final(d))
        return DNN_BAD_PARAM_NOT_FINALIZED;
    from = descriptor_get(d, name, &own, &count);
    if (from == NULL && !is_empty(name))
        return DNN_NOT_SUPPORTED;
    if (own != type)
        return DNN_BAD_PARAM_ATTRIBUTE_TYPE;
    if (found != NULL)
        *found = count;
    if (values == NULL)
        return DNN_SUCCESS;
    if (count > wanted)
        count = wanted;
    if (type == GRAPH_TYPE_DESCRIPTOR) {
        struct descriptor *const *held = from;
        struct descriptor **into = values;

        for (int64_t i = 0; i < count && status == DNN_SUCCESS; i++)
            status = into[i] == NULL ? DNN_BAD_PARAM_NULL_POINTER
                                     : descriptor_copy(into[i], held[i]);
        if (found != NULL)
            *found = count;
    } else if (count > 0) {
        memcpy(values, from, graph_type_bytes(type) * (size_t)count);
    }
    return (int)status;
}

/* Where a tensor of the plan is; NULL: nowhere. */
static const void *pointer_of(const struct descriptor *pack, int64_t id)
{
    int type;
    int64_t ids = 0, pointers = 0;
    const int64_t *number = descriptor_get(pack, PACK_IDS, &type, &ids);
    const void *const *pointer =
        descriptor_get(pack, PACK_POINTERS, &type, &pointers);

    for (int64_t i = 0;
         number != NULL && pointer != NULL && i < ids && i < pointers; i++) {
        if (number[i] == id)
            return pointer[i];
    }
    return NULL;
}

CALL(cudnnBackendExecute, struct dnn *handle, struct descriptor *plan,
     struct descriptor *pack)
{
    const struct graph_plan *p;
    struct conv_data data;
    int type;
    int64_t count;
    void *const *work;

    if (handle == NULL || plan == NULL || pack == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    p = descriptor_made(plan);
    if (p == NULL || descriptor_type(pack) != GRAPH_VARIANT_PACK)
        return DNN_BAD_PARAM;
    work = descriptor_get(pack, PACK_WORK, &type, &count);
    data = (struct conv_data){
        .x = pointer_of(pack, p->x),
        .w = pointer_of(pack, p->w),
        .y = pointer_of(pack, p->y),
        .z = p->z != 0 ? pointer_of(pack, p->z) : NULL,
        .bias = p->c.has_bias ? pointer_of(pack, p->bias) : NULL,
        .work = work != NULL && count > 0 ? *work : NULL,
        .work_bytes = SIZE_MAX, /* as large as the plan said */
    };
    if (data.x == NULL || data.w == NULL || data.y == NULL ||
        (p->z != 0 && data.z == NULL) || (p->c.has_bias && data.bias == NULL))
        return DNN_BAD_PARAM_NULL_POINTER;
    return (int)conv_launch(handle, &p->c, &data);
}
