/*
 * kernels: runs the fixture kernels on a GPU, from the very cubins that teg
 * emulates, and prints what they took and what they computed.
 *
 *   cc -O2 -D_POSIX_C_SOURCE=200809L -I. tools/measure/kernels.c \
 *       traces/emulate/core/argument.c isa/base/status.c \
 *       isa/base/printable.c -ldl -o kernels
 *   ./kernels >kernels.json
 *   tools/measure/compare_kernels.py kernels.json -g a100
 *
 * Needs the driver only, neither toolkit nor compiler for the GPU: the
 * functions of libcuda.so.1 are looked up when it runs.  docs/measuring.md
 * describes the output.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "traces/emulate/core/argument.h"

enum {
    WORDS_MAX = 24, /* of a line of the table */
    REPEATS_MAX = 1000,
    LINE_BYTES = 1024,
    NAME_BYTES = 128,
    /* of the driver's interface */
    COMPUTE_MAJOR = 75,
    COMPUTE_MINOR = 76,
    MULTIPROCESSORS = 16,
    L2_BYTES = 38,
    FILE_NOT_FOUND = 301,
};

/* ---- the driver ---------------------------------------------------------- */

/* What is used of the driver, with the versions whose arguments these are. */
#define DRIVER(X)                                                              \
    X(init, "cuInit", (unsigned))                                              \
    X(driver_version, "cuDriverGetVersion", (int *))                           \
    X(device_get, "cuDeviceGet", (int *, int))                                 \
    X(device_name, "cuDeviceGetName", (char *, int, int))                      \
    X(device_attribute, "cuDeviceGetAttribute", (int *, int, int))             \
    X(context_retain, "cuDevicePrimaryCtxRetain", (void **, int))              \
    X(context_set, "cuCtxSetCurrent", (void *))                                \
    X(module_load, "cuModuleLoad", (void **, const char *))                    \
    X(module_unload, "cuModuleUnload", (void *))                               \
    X(module_function, "cuModuleGetFunction", (void **, void *, const char *)) \
    X(allocate, "cuMemAlloc_v2", (uint64_t *, size_t))                         \
    X(release, "cuMemFree_v2", (uint64_t))                                     \
    X(to_device, "cuMemcpyHtoD_v2", (uint64_t, const void *, size_t))          \
    X(to_host, "cuMemcpyDtoH_v2", (void *, uint64_t, size_t))                  \
    X(launch, "cuLaunchKernel",                                                \
      (void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,     \
       unsigned, void *, void **, void **))                                    \
    X(event_create, "cuEventCreate", (void **, unsigned))                      \
    X(event_record, "cuEventRecord", (void *, void *))                         \
    X(event_destroy, "cuEventDestroy_v2", (void *))                            \
    X(event_wait, "cuEventSynchronize", (void *))                              \
    X(event_time, "cuEventElapsedTime", (float *, void *, void *))             \
    X(error_text, "cuGetErrorString", (int, const char **))

#define MEMBER(name, symbol, arguments) int(*name) arguments;
struct driver {
    DRIVER(MEMBER)
};

static int complain(const char *where, const char *what)
{
    fprintf(stderr, "kernels: %s: %s\n", where, what);
    return 0;
}

/* Returns 0 after a complaint. */
static int look_up(void *library, const char *symbol, void *member)
{
    void *found = dlsym(library, symbol);

    if (found == NULL)
        return complain(symbol, "the driver does not have this function");
    memcpy(member, &found, sizeof found);
    return 1;
}

static int load_driver(struct driver *cu)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);

    if (library == NULL)
        return complain("libcuda.so.1", "cannot load the driver's library; is "
                                        "there a GPU with its driver?");
#define LOOK_UP(name, symbol, arguments)        \
    if (!look_up(library, symbol, &(cu)->name)) \
        return 0;
    DRIVER(LOOK_UP)
    return 1;
}

struct gpu {
    struct driver cu;
    char name[NAME_BYTES];
    int version, major, minor, sms, l2_bytes;
    double clock_mhz; /* under load */
    void *begin, *end;
    void *clock, *sweep; /* the module of clock.cu, its kernel */
    uint64_t scratch;    /* twice the L2 cache */
};

/* Returns whether the driver's call went well, and complains if not. */
static int went_well(const struct gpu *g, int error, const char *where)
{
    const char *text = NULL;

    if (error == 0)
        return 1;
    if (g->cu.error_text(error, &text) != 0 || text == NULL)
        text = "unknown error of the driver";
    return complain(where, text);
}

/* Returns 0 from the enclosing function, naming the call, if it fails. */
#define CALL(g, call)                           \
    do {                                        \
        if (!went_well(g, (g)->cu.call, #call)) \
            return 0;                           \
    } while (0)

static int open_gpu(struct gpu *g, int number)
{
    void *context;
    int device;

    if (!load_driver(&g->cu))
        return 0;
    CALL(g, init(0));
    CALL(g, driver_version(&g->version));
    CALL(g, device_get(&device, number));
    CALL(g, device_name(g->name, sizeof g->name, device));
    CALL(g, device_attribute(&g->major, COMPUTE_MAJOR, device));
    CALL(g, device_attribute(&g->minor, COMPUTE_MINOR, device));
    CALL(g, device_attribute(&g->sms, MULTIPROCESSORS, device));
    CALL(g, device_attribute(&g->l2_bytes, L2_BYTES, device));
    CALL(g, context_retain(&context, device));
    CALL(g, context_set(context));
    CALL(g, event_create(&g->begin, 0));
    CALL(g, event_create(&g->end, 0));
    return 1;
}

/* What there is of it; a failure leaves some of it out. */
static void close_gpu(const struct gpu *g)
{
    if (g->scratch != 0)
        g->cu.release(g->scratch);
    if (g->clock != NULL)
        g->cu.module_unload(g->clock);
    if (g->begin != NULL)
        g->cu.event_destroy(g->begin);
    if (g->end != NULL)
        g->cu.event_destroy(g->end);
}

/* ---- a line of the table ------------------------------------------------- */

struct row {
    char text[LINE_BYTES];
    char *word[WORDS_MAX];
    int words; /* file kernel grid block shared argument... */
    unsigned grid[3], block[3], shared;
};

enum {
    FIRST_ARGUMENT = 5
};

static int read_shape(const char *text, unsigned shape[3])
{
    int used = 0, n;

    shape[1] = shape[2] = 1;
    n = sscanf(text, "%u%n,%u%n,%u%n", &shape[0], &used, &shape[1], &used,
               &shape[2], &used);
    return n >= 1 && text[used] == '\0' && shape[0] != 0 && shape[1] != 0 &&
           shape[2] != 0;
}

/* Returns 1 with a row, 0 for a line that has none, -1 after a complaint. */
static int read_row(struct row *r, char *line, const char *path, int number)
{
    char where[LINE_BYTES], *hash = strchr(line, '#');

    if (hash != NULL)
        *hash = '\0';
    snprintf(r->text, sizeof r->text, "%s", line);
    r->words = 0;
    for (char *w = strtok(r->text, " \t\n"); w != NULL && r->words < WORDS_MAX;
         w = strtok(NULL, " \t\n"))
        r->word[r->words++] = w;
    if (r->words == 0)
        return 0;
    snprintf(where, sizeof where, "%s:%d", path, number);
    if (r->words < FIRST_ARGUMENT || !read_shape(r->word[2], r->grid) ||
        !read_shape(r->word[3], r->block) ||
        sscanf(r->word[4], "%u", &r->shared) != 1) {
        complain(where, "expected file, kernel, grid, block, shared bytes and "
                        "arguments");
        return -1;
    }
    return 1;
}

/* ---- cubins -------------------------------------------------------------- */

/* The file for the chip, or for the nearest older one of its generation, which
 * it runs too. */
static int load_cubin(const struct gpu *g, const char *folder, const char *name,
                      void **module, int *sm)
{
    char path[LINE_BYTES];
    int error = FILE_NOT_FOUND;

    for (int minor = g->minor; minor >= 0 && error == FILE_NOT_FOUND; minor--) {
        *sm = 10 * g->major + minor;
        snprintf(path, sizeof path, "%s/%s.sm_%d.cubin", folder, name, *sm);
        error = g->cu.module_load(module, path);
    }
    if (error != FILE_NOT_FOUND)
        return went_well(g, error, path);
    snprintf(path, sizeof path, "%s/%s.sm_%d%d.cubin", folder, name, g->major,
             g->minor);
    return complain(path, "no such file, nor one for an older chip of this "
                          "generation");
}

/* ---- one kernel ---------------------------------------------------------- */

struct run {
    const struct row *row;
    void *function;
    int arguments;
    struct emu_argument argument[WORDS_MAX];
    uint64_t address[WORDS_MAX]; /* of buffers; 0: none */
    uint8_t *host[WORDS_MAX];    /* owned: their contents before */
    void *pointer[WORDS_MAX];    /* to the values, as a launch takes them */
};

/* What POSIX' cksum prints of these bytes. */
static uint32_t cksum(const uint8_t *bytes, uint64_t count)
{
    uint32_t crc = 0;

    for (uint64_t i = 0, rest = count; i < count || rest != 0; i++) {
        uint8_t byte = i < count ? bytes[i] : (uint8_t)rest;

        if (i >= count)
            rest >>= 8;
        crc ^= (uint32_t)byte << 24;
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 0x80000000u ? crc << 1 ^ 0x04c11db7u : crc << 1;
    }
    return ~crc;
}

static int make_arguments(const struct gpu *g, struct run *r)
{
    struct teg_diag d;

    for (int i = 0; i < r->row->words - FIRST_ARGUMENT; i++) {
        struct emu_argument *a = &r->argument[i];

        r->arguments = i + 1;
        if (emu_argument_parse(a, r->row->word[FIRST_ARGUMENT + i], &d) !=
            TEG_OK)
            return complain(r->row->word[1], d.what);
        r->pointer[i] = a->value;
        if (a->fill == NULL)
            continue;
        r->host[i] = calloc(1, (size_t)a->bytes);
        if (r->host[i] == NULL)
            return complain(r->row->word[1], "out of memory");
        if (emu_argument_fill(a, r->host[i], &d) != TEG_OK)
            return complain(r->row->word[1], d.what);
        CALL(g, allocate(&r->address[i], (size_t)a->bytes));
        r->pointer[i] = &r->address[i];
    }
    return 1;
}

static void release_arguments(const struct gpu *g, struct run *r)
{
    for (int i = 0; i < r->arguments; i++) {
        if (r->address[i] != 0)
            g->cu.release(r->address[i]);
        free(r->host[i]);
    }
}

static int reset_buffers(const struct gpu *g, const struct run *r)
{
    for (int i = 0; i < r->arguments; i++) {
        if (r->address[i] != 0)
            CALL(g, to_device(r->address[i], r->host[i],
                              (size_t)r->argument[i].bytes));
    }
    return 1;
}

/* `us` may be NULL. */
static int launch(const struct gpu *g, struct run *r, double *us)
{
    const struct row *w = r->row;
    float ms = 0;

    CALL(g, event_record(g->begin, NULL));
    CALL(g,
         launch(r->function, w->grid[0], w->grid[1], w->grid[2], w->block[0],
                w->block[1], w->block[2], w->shared, NULL, r->pointer, NULL));
    CALL(g, event_record(g->end, NULL));
    CALL(g, event_wait(g->end));
    CALL(g, event_time(&ms, g->begin, g->end));
    if (us != NULL)
        *us = 1000 * (double)ms;
    return 1;
}

/* What one launch on fresh buffers leaves in them. */
static int print_buffers(const struct gpu *g, struct run *r)
{
    const char *comma = "";

    if (!reset_buffers(g, r) || !launch(g, r, NULL))
        return 0;
    printf(", \"buffers\": [");
    for (int i = 0; i < r->arguments; i++) {
        size_t bytes = (size_t)r->argument[i].bytes;
        uint8_t *after;

        if (r->address[i] == 0)
            continue;
        after = malloc(bytes);
        if (after == NULL)
            return complain(r->row->word[1], "out of memory");
        if (!went_well(g, g->cu.to_host(after, r->address[i], bytes),
                       "cuMemcpyDtoH")) {
            free(after);
            return 0;
        }
        printf("%s{\"index\": %d, \"bytes\": %zu, \"cksum\": %u}", comma, i,
               bytes, cksum(after, bytes));
        comma = ", ";
        free(after);
    }
    printf("]");
    return 1;
}

static int ascending(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Makes the L2 cache forget the buffers. */
static int sweep_cache(const struct gpu *g)
{
    static const struct row row = {.grid = {1024, 1, 1}, .block = {256, 1, 1}};
    unsigned count = 2 * (unsigned)g->l2_bytes / 4;
    uint64_t scratch = g->scratch;
    struct run r = {.row = &row,
                    .function = g->sweep,
                    .pointer = {&scratch, &count, &scratch}};

    return launch(g, &r, NULL);
}

/* Each launch finds the caches cold, as the simulator's does. */
static int print_times(const struct gpu *g, struct run *r, int repeats)
{
    double us[REPEATS_MAX];

    if (!reset_buffers(g, r) || !launch(g, r, NULL))
        return 0;
    for (int i = 0; i < repeats; i++) {
        if (!sweep_cache(g) || !launch(g, r, &us[i]))
            return 0;
    }
    qsort(us, (size_t)repeats, sizeof *us, ascending);
    printf(", \"us\": {\"median\": %.3f, \"min\": %.3f, \"max\": %.3f, "
           "\"samples\": %d}",
           us[repeats / 2], us[0], us[repeats - 1], repeats);
    return 1;
}

static void print_row(const struct row *w, int sm, const char *comma)
{
    printf("%s\n  {\"file\": \"%s\", \"sm\": %d, \"kernel\": \"%s\", "
           "\"grid\": [%u, %u, %u], \"block\": [%u, %u, %u], \"shared\": %u, "
           "\"arguments\": [",
           comma, w->word[0], sm, w->word[1], w->grid[0], w->grid[1],
           w->grid[2], w->block[0], w->block[1], w->block[2], w->shared);
    for (int i = FIRST_ARGUMENT; i < w->words; i++)
        printf("%s\"%s\"", i > FIRST_ARGUMENT ? ", " : "", w->word[i]);
    printf("]");
}

static int run_row(const struct gpu *g, const struct row *row, void *module,
                   int repeats)
{
    struct run r = {.row = row};
    int good;

    CALL(g, module_function(&r.function, module, row->word[1]));
    good = make_arguments(g, &r) && print_buffers(g, &r) &&
           print_times(g, &r, repeats);
    release_arguments(g, &r);
    return good;
}

/* ---- the SM's clock ------------------------------------------------------ */

static int prepare_sweep(struct gpu *g, const char *folder)
{
    int sm;

    if (!load_cubin(g, folder, "clock", &g->clock, &sm))
        return 0;
    CALL(g, module_function(&g->sweep, g->clock, "sweep"));
    CALL(g, allocate(&g->scratch, 2 * (size_t)g->l2_bytes + 4));
    return 1;
}

static int measure_clock(struct gpu *g, uint64_t cycles)
{
    const struct row row = {.grid = {(unsigned)g->sms, 1, 1},
                            .block = {128, 1, 1}};
    uint64_t out = 0, result[2] = {0, 0};
    struct run r = {.row = &row, .pointer = {&cycles, &out}};

    CALL(g, module_function(&r.function, g->clock, "ticks"));
    CALL(g, allocate(&out, sizeof result));
    for (int i = 0; i < 5; i++) { /* the first bring the clock up */
        if (!launch(g, &r, NULL))
            return 0;
    }
    CALL(g, to_host(result, out, sizeof result));
    CALL(g, release(out));
    g->clock_mhz =
        result[1] > 0 ? 1000 * (double)result[0] / (double)result[1] : 0;
    return 1;
}

/* ---- all of them --------------------------------------------------------- */

struct options {
    const char *table, *cubins, *only;
    int device, repeats;
    uint64_t spin; /* cycles */
};

static void print_head(const struct gpu *g)
{
    printf("{\"schema\": \"teg-kernel-times\", \"version\": 1,\n"
           " \"device\": {\"name\": \"%s\", \"compute_capability\": %d, "
           "\"sms\": %d, \"sm_clock_mhz\": %.1f},\n"
           " \"driver_version\": \"%d.%d\",\n \"kernels\": [",
           g->name, 10 * g->major + g->minor, g->sms, g->clock_mhz,
           g->version / 1000, g->version % 1000 / 10);
}

static int run_row_of(struct gpu *g, const struct options *o,
                      const struct row *row, const char *comma)
{
    void *module;
    int sm, good;

    if (!load_cubin(g, o->cubins, row->word[0], &module, &sm))
        return 0;
    fprintf(stderr, "kernels: %s\n", row->word[1]);
    print_row(row, sm, comma);
    good = run_row(g, row, module, o->repeats);
    printf("}");
    return good && went_well(g, g->cu.module_unload(module), "cuModuleUnload");
}

static int run_table(struct gpu *g, const struct options *o)
{
    FILE *f = fopen(o->table, "r");
    const char *comma = "";
    char line[LINE_BYTES];
    struct row row;
    int good = 1;

    if (f == NULL)
        return complain(o->table, "cannot open");
    print_head(g);
    for (int n = 1; good && fgets(line, sizeof line, f) != NULL; n++) {
        int found = read_row(&row, line, o->table, n);

        if (found < 0)
            good = 0;
        if (found <= 0 ||
            (o->only != NULL && strcmp(o->only, row.word[1]) != 0))
            continue;
        good = run_row_of(g, o, &row, comma);
        comma = ",";
    }
    fclose(f);
    printf("\n ]}\n");
    return good;
}

static int usage(FILE *f, int status)
{
    fprintf(f, "Usage: kernels [OPTION]...\n\n"
               "Times the fixture kernels on a GPU and prints one JSON "
               "object.\n\n"
               "  --table FILE    what to run (tools/measure/kernels.txt)\n"
               "  --cubins DIR    where the cubins are (tests/fixtures)\n"
               "  --only KERNEL   that kernel only\n"
               "  --repeats N     timed launches of each, 1 to 1000 (20)\n"
               "  --spin CYCLES   to measure the clock over (20000000)\n"
               "  --device N      which GPU (0)\n");
    return status;
}

/* Returns -1 to go on, or an exit status. */
static int parse(int argc, char **argv, struct options *o)
{
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i], *value = i + 1 < argc ? argv[++i] : NULL;

        if (strcmp(word, "--help") == 0)
            return usage(stdout, 0);
        if (value == NULL)
            return usage(stderr, 2);
        if (strcmp(word, "--table") == 0)
            o->table = value;
        else if (strcmp(word, "--cubins") == 0)
            o->cubins = value;
        else if (strcmp(word, "--only") == 0)
            o->only = value;
        else if (strcmp(word, "--repeats") == 0)
            o->repeats = atoi(value);
        else if (strcmp(word, "--spin") == 0)
            o->spin = strtoull(value, NULL, 10);
        else if (strcmp(word, "--device") == 0)
            o->device = atoi(value);
        else
            return usage(stderr, 2);
    }
    return o->repeats < 1 || o->repeats > REPEATS_MAX || o->device < 0
               ? usage(stderr, 2)
               : -1;
}

int main(int argc, char **argv)
{
    struct options o = {.table = "tools/measure/kernels.txt",
                        .cubins = "tests/fixtures",
                        .repeats = 20,
                        .spin = 20000000};
    struct gpu g = {.clock_mhz = 0};
    int status = parse(argc, argv, &o);

    if (status >= 0)
        return status;
    status = !open_gpu(&g, o.device) || !prepare_sweep(&g, o.cubins) ||
             !measure_clock(&g, o.spin) || !run_table(&g, &o) ||
             fflush(stdout) != 0;
    close_gpu(&g);
    return status;
}
