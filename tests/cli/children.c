/*
 * A program whose kernels launch kernels and set conditions of graphs, without
 * nvcc: the driver loads tests/fixtures/children.sm_80.cubin.
 *
 *   children WHAT   runs one of the tests below; 0: its results are right
 */
#include "tests/cli/program.h"

#include <stdlib.h>
#include <string.h>

struct kernel_node {
    void *function;
    struct dim3 grid, block;
    unsigned shared;
    void **args, **extra;
};

/* struct cudaGraphNodeParams */
struct node {
    int type, reserved[3];
    union {
        int64_t room[29];
        struct kernel_node kernel;
        struct {
            uint64_t handle;
            int kind;
            unsigned bodies;
            void **body;
        } condition;
    };
    int64_t more;
};

enum {
    NODE_KERNEL = 0,
    NODE_CONDITION = 13,
    IF = 0,
    WHILE = 1,
    SWITCH = 2,
    ASSIGN = 1,
    LAUNCH_FAILURE = 719,
};

int cudaGraphCreate(void **graph, unsigned flags);
int cudaGraphDestroy(void *graph);
int cudaGraphAddNode(void **node, void *graph, void **from, const void *how,
                     size_t froms, struct node *p);
int cudaGraphConditionalHandleCreate(uint64_t *handle, void *graph,
                                     unsigned initial, unsigned flags);
int cudaGraphInstantiate(void **executable, void *graph, uint64_t flags);
int cudaGraphExecDestroy(void *executable);
int cudaGraphLaunch(void *executable, void *stream);
int cudaStreamBeginCaptureToGraph(void *stream, void *graph, void **from,
                                  const void *edges, size_t froms, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cuInit(unsigned flags);

int failures;

static void *module;

static void *load(const char *name)
{
    void *function = NULL;

    if (module == NULL) {
        CHECK(cuInit(0) == 0);
        CHECK(cuModuleLoad(&module, "tests/fixtures/children.sm_80.cubin") ==
              0);
    }
    CHECK(cuModuleGetFunction(&function, module, name) == 0);
    return function;
}

static void go(const char *name, unsigned blocks, unsigned threads, void **args)
{
    CHECK(cuLaunchKernel(load(name), blocks, 1, 1, threads, 1, 1, 0, NULL, args,
                         NULL) == 0);
}

/* ---- kernels that launch kernels ---------------------------------------------- */

/* What the kernels have noted: a count, then numbers. */
static int *new_log(void)
{
    int *log = NULL;

    CHECK(cudaMalloc((void **)&log, 400) == 0 && cudaMemset(log, 0, 400) == 0);
    return log;
}

static void check_log(const int *log, const int *expected, int count)
{
    int found[100];

    CHECK(cudaMemcpy(found, log, sizeof found, TO_HOST) == 0);
    CHECK(found[0] == count);
    for (int i = 0; i < count; i++) {
        if (found[1 + i] != expected[i])
            printf("%d: %d, not %d\n", i, found[1 + i], expected[i]);
        failures += found[1 + i] != expected[i];
    }
}

static void test_tree(void)
{
    static const int expected[] = {1, 2, 4,  8,  9, 5,  10, 11,
                                   3, 6, 12, 13, 7, 14, 15};
    int *log = new_log(), who = 1, depth = 3;

    go("tree", 1, 1, (void *[]){&log, &who, &depth});
    check_log(log, expected, 15);
}

static void test_streams(void)
{
    static const int expected[] = {101, 102, 103, 104, 105, 201,
                                   202, 203, 204, 205, 100, 200};
    int *log = new_log();

    go("streams", 2, 32, (void *[]){&log});
    check_log(log, expected, 12);
}

static void test_copies(void)
{
    int *to = new_log(), *from = new_log(), found[3];

    go("copies", 1, 1, (void *[]){&to, &from});
    CHECK(cudaMemcpy(found, to, sizeof found, TO_HOST) == 0);
    CHECK(found[0] == 42 && found[1] == 0x11111111 && found[2] == 0);
}

static void test_by_hand(void)
{
    int *log = new_log();

    go("by_hand", 1, 1, (void *[]){&log});
    check_log(log, (const int[]){0, 0, 1, 2}, 4);
}

static void test_too_few(void)
{
    int *log = new_log();

    go("too_few", 1, 1, (void *[]){&log});
    CHECK(cudaDeviceSynchronize() == LAUNCH_FAILURE);
}

/* One device of 108 SMs, each of which holds 2048 threads; invalid device,
 * invalid value, out of memory. */
static void test_ask(void)
{
    static const int expected[] = {0, 1, 108, 101, 8, 1, 1, 0, 2};
    int *log = new_log(), threads = 256;

    go("ask", 1, 1, (void *[]){&log, &threads});
    check_log(log, expected, 9);
}

static void test_too_large(void)
{
    int *log = new_log();

    go("too_large", 1, 1, (void *[]){&log});
    CHECK(cudaDeviceSynchronize() == LAUNCH_FAILURE);
}

/* ---- conditions --------------------------------------------------------------- */

static struct node kernel_node(const char *name, void **args)
{
    return (struct node){
        .type = NODE_KERNEL,
        .kernel = {load(name), {1, 1, 1}, {1, 1, 1}, 0, args, NULL}};
}

/* Adds a kernel behind `from`, if there is one; returns the node. */
static void *add_kernel(void *graph, void *from, const char *name, void **args)
{
    struct node n = kernel_node(name, args);
    void *made = NULL;

    CHECK(cudaGraphAddNode(&made, graph, &from, NULL, from != NULL, &n) == 0);
    return made;
}

static void **add_condition(void *graph, void *from, uint64_t handle, int kind,
                            unsigned bodies, void **made)
{
    struct node n = {.type = NODE_CONDITION,
                     .condition = {handle, kind, bodies, NULL}};

    CHECK(cudaGraphAddNode(made, graph, &from, NULL, from != NULL, &n) == 0);
    return n.condition.body;
}

static int get(const int *at)
{
    int value = -1;

    CHECK(cudaMemcpy(&value, at, sizeof value, TO_HOST) == 0);
    return value;
}

static void set(int *at, int value)
{
    CHECK(cudaMemcpy(at, &value, sizeof value, TO_DEVICE) == 0);
}

/* Launches it with that value; what its kernels have added up. */
static int run(void *executable, int *value, int given, int *sum)
{
    set(value, given);
    set(sum, 0);
    CHECK(cudaGraphLaunch(executable, NULL) == 0);
    CHECK(cudaDeviceSynchronize() == 0);
    return get(sum);
}

/* value -> if [+1 | +10], switch [+100, +200], behind both + 1000 */
static void test_choices(void)
{
    int *log = new_log(), *value = log, *sum = log + 1;
    int amount[] = {1, 10, 100, 200, 1000};
    void *graph, *executable, *chosen, *choice[2], **bodies;
    uint64_t handle[2];
    void *after[2];
    struct node last = kernel_node("add", (void *[]){&sum, &amount[4]});

    CHECK(cudaGraphCreate(&graph, 0) == 0);
    for (int i = 0; i < 2; i++) {
        CHECK(cudaGraphConditionalHandleCreate(&handle[i], graph, 0, 0) == 0);
        chosen =
            add_kernel(graph, NULL, "choose", (void *[]){&value, &handle[i]});
        bodies = add_condition(graph, chosen, handle[i], i == 0 ? IF : SWITCH,
                               2, &choice[i]);
        for (int k = 0; k < 2; k++)
            add_kernel(bodies[k], NULL, "add",
                       (void *[]){&sum, &amount[2 * i + k]});
        after[i] = choice[i];
    }
    CHECK(cudaGraphAddNode(&chosen, graph, after, NULL, 2, &last) == 0);
    CHECK(cudaGraphInstantiate(&executable, graph, 0) == 0);
    CHECK(cudaGraphDestroy(graph) == 0);
    CHECK(run(executable, value, 0, sum) == 1000 + 10 + 100);
    CHECK(run(executable, value, 1, sum) == 1000 + 1 + 200);
    CHECK(run(executable, value, 2, sum) == 1000 + 1);
    CHECK(cudaGraphExecDestroy(executable) == 0);
}

/* A kernel of a graph that launches others, and one that comes behind it. */
static void test_node(void)
{
    int *log = new_log(), who = 1, depth = 1, one = 1;
    int *last = log + 50;
    void *graph, *executable, *tree;

    CHECK(cudaGraphCreate(&graph, 0) == 0);
    tree = add_kernel(graph, NULL, "tree", (void *[]){&log, &who, &depth});
    add_kernel(graph, tree, "add", (void *[]){&last, &one});
    CHECK(cudaGraphInstantiate(&executable, graph, 0) == 0);
    CHECK(cudaGraphLaunch(executable, NULL) == 0);
    check_log(log, (const int[]){1, 2, 3}, 3);
    CHECK(get(last) == 1);
}

/* A loop whose body is captured; each launch begins with the default. */
static void test_loop(void)
{
    int *log = new_log(), *value = log, *sum = log + 1, one = 1;
    void *graph, *executable, *made, *stream, **body;
    uint64_t handle;

    CHECK(cudaGraphCreate(&graph, 0) == 0);
    CHECK(cudaGraphConditionalHandleCreate(&handle, graph, 1, ASSIGN) == 0);
    body = add_condition(graph, NULL, handle, WHILE, 1, &made);
    CHECK(cudaStreamCreate(&stream) == 0);
    CHECK(cudaStreamBeginCaptureToGraph(stream, body[0], NULL, NULL, 0, 0) ==
          0);
    CHECK(cuLaunchKernel(load("add"), 1, 1, 1, 1, 1, 1, 0, stream,
                         (void *[]){&sum, &one}, NULL) == 0);
    CHECK(cuLaunchKernel(load("count_down"), 1, 1, 1, 1, 1, 1, 0, stream,
                         (void *[]){&value, &handle}, NULL) == 0);
    CHECK(cudaStreamEndCapture(stream, NULL) == 0);
    CHECK(cudaGraphInstantiate(&executable, graph, 0) == 0);
    CHECK(run(executable, value, 4, sum) == 4);
    CHECK(run(executable, value, 0, sum) == 1);
    CHECK(cudaGraphExecDestroy(executable) == 0);
    CHECK(cudaGraphDestroy(graph) == 0);
}

static void test_wrong(void)
{
    int *log = new_log();
    uint64_t none = 77;
    void *graph, *made;
    struct node n = {.type = NODE_CONDITION,
                     .condition = {none, WHILE, 2, NULL}};

    CHECK(cudaGraphCreate(&graph, 0) == 0);
    CHECK(cudaGraphAddNode(&made, graph, NULL, NULL, 0, &n) == 1);
    go("choose", 1, 1, (void *[]){&log, &none});
    CHECK(cudaDeviceSynchronize() == LAUNCH_FAILURE);
}

static const struct {
    const char *name;
    void (*run)(void);
} tests[] = {
    {"tree", test_tree},       {"streams", test_streams},
    {"copies", test_copies},   {"too-large", test_too_large},
    {"by-hand", test_by_hand}, {"too-few", test_too_few},
    {"ask", test_ask},         {"choices", test_choices},
    {"loop", test_loop},       {"wrong", test_wrong},
    {"node", test_node},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc > 1 && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(tests[i].name, argv[1]) == 0) {
            tests[i].run();
            return failures != 0;
        }
    }
    return 99;
}
