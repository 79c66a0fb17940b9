/*
 * Iterative programs for `teg exec`, whose launches drift from one to the
 * next: lists for tools/clusters.sh.  A CUDA program without nvcc, as
 * tests/cli/program.c; the kernels are in tests/fixtures/iterate.cu.
 *
 *   iterate WHAT SIZE SEED
 *     gauss       elimination of SIZE equations
 *     bfs         breadth-first search of a random graph of SIZE nodes
 *     path        cheapest path through 24 rows of SIZE columns
 *     jacobi      24 sweeps over SIZE x SIZE points, to and fro
 *     decode      24 tokens after a context of SIZE
 *     spmv        12 products, each with another random matrix of SIZE rows
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the runtime, as a program declares it --------------------------------- */

struct dim3 {
    uint32_t x, y, z;
};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *name,
                            const char *name2, int limit, void *a, void *b,
                            void *c, void *d, int *e);
int cudaLaunchKernel(const void *host, struct dim3 grid, struct dim3 block,
                     void **args, size_t shared, void *stream);
int cudaMalloc(void **address, size_t bytes);
int cudaMemcpy(void *to, const void *from, size_t bytes, int kind);

enum {
    TO_DEVICE = 1,
    TO_HOST = 2,
};

__asm__(".pushsection .nv_fatbin, \"a\"\n"
        ".balign 8\n"
        "iterate_fatbin: .incbin \"tests/fixtures/iterate.fatbin\"\n"
        ".popsection\n");
extern const char iterate_fatbin[] __attribute__((visibility("hidden")));

static struct {
    uint32_t magic, version;
    const void *fatbin;
    void *rest;
} wrapper __attribute__((section(".nvFatBinSegment"))) = {0x466243B1, 1,
                                                          iterate_fatbin, NULL};

/* A kernel's host side: its address is the kernel's name to the runtime. */
#define KERNELS(K) \
    K(multipliers) \
    K(eliminate) K(expand) K(step) K(relax) K(attend) K(multiply)
#define HOST_SIDE(name) static const char name[] = #name;
KERNELS(HOST_SIDE)

static void register_kernels(void)
{
    void **handle = __cudaRegisterFatBinary(&wrapper);

#define REGISTER(name)                                                         \
    __cudaRegisterFunction(handle, name, (char *)#name, #name, -1, NULL, NULL, \
                           NULL, NULL, NULL);
    KERNELS(REGISTER)
    __cudaRegisterFatBinaryEnd(handle);
}

/* ---- helpers --------------------------------------------------------------- */

static void must(int error, const char *what)
{
    if (error == 0)
        return;
    fprintf(stderr, "iterate: %s: error %d\n", what, error);
    exit(1);
}

static uint32_t state;

/* xorshift (Marsaglia 2003) */
static uint32_t draw(uint32_t below)
{
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state % below;
}

static void *host(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL)
        must(-1, "memory");
    return memory;
}

/* A copy on the device; zeros of `bytes` if `from` is NULL. */
static void *device(const void *from, size_t bytes)
{
    void *at, *zeros = from == NULL ? host(bytes, 1) : NULL;

    must(cudaMalloc(&at, bytes), "cudaMalloc");
    must(cudaMemcpy(at, from != NULL ? from : zeros, bytes, TO_DEVICE),
         "cudaMemcpy");
    free(zeros);
    return at;
}

static float *random_floats(size_t count)
{
    float *v = host(count, sizeof *v);

    for (size_t i = 0; i < count; i++)
        v[i] = 1 + (float)draw(1000) / 1000;
    return v;
}

static uint32_t groups(uint32_t of, uint32_t in)
{
    return (of + in - 1) / in;
}

static void launch(const char *kernel, struct dim3 grid, struct dim3 block,
                   void **args)
{
    must(cudaLaunchKernel(kernel, grid, block, args, 0, NULL), kernel);
}

/* Rows of 1 to 2 * mean - 1 entries in columns below `count`. */
static int *random_rows(int count, uint32_t mean, int **column, int *entries)
{
    int *first = host((size_t)count + 1, sizeof *first);

    for (int i = 0; i < count; i++)
        first[i + 1] = first[i] + 1 + (int)draw(2 * mean - 1);
    *entries = first[count];
    *column = host((size_t)*entries, sizeof **column);
    for (int e = 0; e < *entries; e++)
        (*column)[e] = (int)draw((uint32_t)count);
    return first;
}

/* ---- the programs ---------------------------------------------------------- */

static void gauss(int n)
{
    size_t cells = (size_t)n * (size_t)n;
    float *values = random_floats(cells);
    void *a, *b, *m;

    for (int i = 0; i < n; i++)
        values[i * n + i] += 2 * (float)n;
    a = device(values, cells * sizeof *values);
    b = device(values, (size_t)n * sizeof *values);
    m = device(NULL, cells * sizeof *values);
    for (int t = 0; t + 1 < n; t++) {
        uint32_t rows = (uint32_t)(n - t - 1);

        launch(multipliers, (struct dim3){groups(rows, 64), 1, 1},
               (struct dim3){64, 1, 1}, (void *[]){&m, &a, &n, &t});
        launch(eliminate,
               (struct dim3){groups(rows + 1, 32), groups(rows, 8), 1},
               (struct dim3){32, 8, 1}, (void *[]){&a, &b, &m, &n, &t});
    }
    free(values);
}

static void bfs(int nodes)
{
    int *edge, edges, *first = random_rows(nodes, 3, &edge, &edges);
    size_t count = (size_t)nodes;
    uint8_t *front = host(count, 1);
    int *levels = host(count, sizeof *levels), any = 1;
    void *device_first = device(first, (count + 1) * sizeof *first);
    void *device_edge = device(edge, (size_t)edges * sizeof *edge);
    void *frontier, *next, *level;

    memset(levels, 0xff, count * sizeof *levels);
    levels[0] = 0;
    front[0] = 1;
    level = device(levels, count * sizeof *levels);
    frontier = device(front, count);
    next = device(NULL, count);
    for (int depth = 1; any; depth++) {
        void *swap = frontier;

        launch(expand, (struct dim3){groups((uint32_t)nodes, 128), 1, 1},
               (struct dim3){128, 1, 1},
               (void *[]){&device_first, &device_edge, &frontier, &next, &level,
                          &depth, &nodes});
        must(cudaMemcpy(front, next, count, TO_HOST), "cudaMemcpy");
        any = memchr(front, 1, count) != NULL;
        frontier = next;
        next = swap;
        memset(front, 0, count);
        must(cudaMemcpy(next, front, count, TO_DEVICE), "cudaMemcpy");
    }
    free(first);
    free(edge);
    free(front);
    free(levels);
}

static void path(int columns)
{
    enum {
        ROWS = 24
    };
    size_t cells = (size_t)columns * ROWS;
    int *costs = host(cells, sizeof *costs);
    void *cost, *from, *to;

    for (size_t i = 0; i < cells; i++)
        costs[i] = (int)draw(10);
    cost = device(costs, cells * sizeof *costs);
    from = device(costs, (size_t)columns * sizeof *costs);
    to = device(NULL, (size_t)columns * sizeof *costs);
    for (int row = 1; row < ROWS; row++) {
        void *swap = from;

        launch(step, (struct dim3){groups((uint32_t)columns, 256), 1, 1},
               (struct dim3){256, 1, 1},
               (void *[]){&cost, &from, &to, &columns, &row});
        from = to;
        to = swap;
    }
    free(costs);
}

static void jacobi(int side)
{
    size_t cells = (size_t)side * (size_t)side;
    float *values = random_floats(cells);
    void *from = device(values, cells * sizeof *values);
    void *to = device(values, cells * sizeof *values);

    for (int i = 0; i < 24; i++) {
        uint32_t blocks = groups((uint32_t)side, 32);
        void *swap = from;

        launch(relax, (struct dim3){blocks, groups((uint32_t)side, 8), 1},
               (struct dim3){32, 8, 1}, (void *[]){&from, &to, &side, &side});
        from = to;
        to = swap;
    }
    free(values);
}

static void decode(int context)
{
    int width = 128;
    size_t count = ((size_t)context + 24) * (size_t)width;
    float *values = random_floats(count);
    void *keys = device(values, count * sizeof *values);
    void *query = device(values, (size_t)width * sizeof *values);
    void *score = device(NULL, ((size_t)context + 24) * sizeof *values);

    for (int length = context; length < context + 24; length++)
        launch(attend, (struct dim3){32, 1, 1}, (struct dim3){128, 1, 1},
               (void *[]){&keys, &query, &score, &width, &length});
    free(values);
}

static void spmv(int rows)
{
    size_t count = (size_t)rows;
    float *values = random_floats(count * 32);
    void *x = device(values, count * sizeof *values);
    void *y = device(NULL, count * sizeof *values);

    for (int i = 0; i < 12; i++) {
        int *column, entries, *first = random_rows(rows, 8, &column, &entries);
        void *device_first = device(first, (count + 1) * sizeof *first);
        void *device_column = device(column, (size_t)entries * sizeof *column);
        void *value = device(values, (size_t)entries * sizeof *values);

        launch(
            multiply, (struct dim3){groups((uint32_t)rows, 128), 1, 1},
            (struct dim3){128, 1, 1},
            (void *[]){&device_first, &device_column, &value, &x, &y, &rows});
        free(first);
        free(column);
    }
    free(values);
}

static const struct program {
    const char *name;
    void (*run)(int size);
} programs[] = {
    {"gauss", gauss},   {"bfs", bfs},       {"path", path},
    {"jacobi", jacobi}, {"decode", decode}, {"spmv", spmv},
};

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 4 && i < sizeof programs / sizeof *programs;
         i++) {
        if (strcmp(argv[1], programs[i].name) != 0)
            continue;
        state = 2 * (uint32_t)atoi(argv[3]) + 1;
        register_kernels();
        programs[i].run(atoi(argv[2]));
        return 0;
    }
    fprintf(stderr, "usage: iterate "
                    "gauss|bfs|path|jacobi|decode|spmv SIZE SEED\n");
    return 2;
}
