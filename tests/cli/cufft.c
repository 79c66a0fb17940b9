/*
 * A program that calls cuFFT, linked with a library of its name whose functions
 * all fail: what it computes is teg's (tests/cli/cufft.sh).  Argument: which
 * test; the exit status is 0 if it holds.
 */
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/cli/vendor.h"

/* The API's, of which only what is needed. */
int cufftCreate(int *plan);
int cufftDestroy(int plan);
int cufftGetVersion(int *version);
int cufftSetStream(int plan, void *stream);
int cufftSetAutoAllocation(int plan, int on);
int cufftSetWorkArea(int plan, void *work);
int cufftGetSize(int plan, size_t *bytes);
int cufftPlan1d(int *plan, int n, int type, int batch);
int cufftPlan2d(int *plan, int nx, int ny, int type);
int cufftPlan3d(int *plan, int nx, int ny, int nz, int type);
int cufftPlanMany(int *plan, int rank, int *n, int *inembed, int istride,
                  int idist, int *onembed, int ostride, int odist, int type,
                  int batch);
int cufftMakePlan1d(int plan, int n, int type, int batch, size_t *bytes);
int cufftEstimate1d(int n, int type, int batch, size_t *bytes);
int cufftXtMakePlanMany(int plan, int rank, long long *n, long long *inembed,
                        long long istride, long long idist, int itype,
                        long long *onembed, long long ostride, long long odist,
                        int otype, long long batch, size_t *bytes, int etype);
int cufftXtExec(int plan, void *in, void *out, int direction);
int cufftXtSetCallback(int plan, void **callback, int type, void **info);
int cufftExecC2C(int plan, void *in, void *out, int direction);
int cufftExecZ2Z(int plan, void *in, void *out, int direction);
int cufftExecR2C(int plan, void *in, void *out);
int cufftExecD2Z(int plan, void *in, void *out);
int cufftExecC2R(int plan, void *in, void *out);
int cufftExecZ2D(int plan, void *in, void *out);

enum {
    C2C = 0x29,
    R2C = 0x2a,
    C2R = 0x2c,
    OF_DOUBLES = 0x40,
    FORWARD = -1,
    BACKWARD = 1,
    RANKS = 3,
    INVALID_PLAN = 1,
    INVALID_TYPE = 3,
    INVALID_VALUE = 4,
    INVALID_SIZE = 8,
    NOT_IMPLEMENTED = 14,
    NOT_SUPPORTED = 16,
};

/* ---- by definition ------------------------------------------------------------------ */

/* Of a long line every so many elements are looked at. */
static int looked_at(const int *n, int rank)
{
    return rank == 1 && n[0] > 3000 ? 61 : 1;
}

/* Along a line of n elements, `stride` apart. */
static void line(double complex *x, int n, long long stride, int direction,
                 int every)
{
    double complex *copy = malloc((size_t)n * sizeof *copy);
    double complex *root = malloc((size_t)n * sizeof *root);

    for (int i = 0; i < n; i++) {
        copy[i] = x[i * stride];
        root[i] = cexp(direction * 2 * 3.14159265358979323846 * I * i / n);
    }
    for (int k = 0; k < n; k += every) {
        double complex sum = 0;

        for (int i = 0, at = 0; i < n; i++) {
            sum += copy[i] * root[at];
            at += k;
            at -= at >= n ? n : 0;
        }
        x[k * stride] = sum;
    }
    free(copy);
    free(root);
}

static void transform(double complex *x, const int *n, int rank, int direction)
{
    long long all = 1, stride = 1;

    for (int d = 0; d < rank; d++)
        all *= n[d];
    for (int d = rank - 1; d >= 0; d--) {
        for (long long i = 0; i < all; i++) {
            if (i / stride % n[d] == 0)
                line(x + i, n[d], stride, direction, looked_at(n, rank));
        }
        stride *= n[d];
    }
}

/* ---- cases ---------------------------------------------------------------------------- */

struct side {
    int across[RANKS];
    int stride, batch;
};

struct test {
    int type, rank, n[RANKS], batch, direction, in_place;
    int has_layout;
    struct side in, out;
};

/* Elements of an array whose rows have `last`. */
static long long elements(const struct test *t, int last)
{
    long long all = 1;

    for (int d = 0; d < t->rank; d++)
        all *= d == t->rank - 1 ? last : t->n[d];
    return all;
}

/* The place of element i of a batch whose rows have `last` elements. */
static long long place(const struct test *t, const struct side *s, int last,
                       long long i, int b)
{
    long long at = 0, across = 1;

    for (int d = t->rank - 1; d >= 0; d--) {
        int n = d == t->rank - 1 ? last : t->n[d];

        at += i % n * across;
        i /= n;
        across *= s->across[d];
    }
    return at * s->stride + (long long)b * s->batch;
}

static struct side dense(const struct test *t, int last)
{
    struct side s = {.stride = 1, .batch = (int)elements(t, last)};

    for (int d = 0; d < t->rank; d++)
        s.across[d] = d == t->rank - 1 ? last : t->n[d];
    return s;
}

static double get(const void *x, int is_double, long long i)
{
    return is_double ? ((const double *)x)[i] : (double)((const float *)x)[i];
}

static void put(void *x, int is_double, long long i, double v)
{
    if (is_double)
        ((double *)x)[i] = v;
    else
        ((float *)x)[i] = (float)v;
}

static int plan_of(const struct test *t, int *plan)
{
    int n[RANKS], in[RANKS], out[RANKS];

    memcpy(n, t->n, sizeof n);
    memcpy(in, t->in.across, sizeof in);
    memcpy(out, t->out.across, sizeof out);
    if (t->has_layout)
        return cufftPlanMany(plan, t->rank, n, in, t->in.stride, t->in.batch,
                             out, t->out.stride, t->out.batch, t->type,
                             t->batch);
    if (t->rank == 1)
        return cufftPlan1d(plan, n[0], t->type, t->batch);
    if (t->batch > 1)
        return cufftPlanMany(plan, t->rank, n, NULL, 1, 0, NULL, 1, 0, t->type,
                             t->batch);
    return t->rank == 2 ? cufftPlan2d(plan, n[0], n[1], t->type)
                        : cufftPlan3d(plan, n[0], n[1], n[2], t->type);
}

static int execute(const struct test *t, int plan, void *in, void *out)
{
    switch (t->type) {
    case C2C:
        return cufftExecC2C(plan, in, out, t->direction);
    case C2C | OF_DOUBLES:
        return cufftExecZ2Z(plan, in, out, t->direction);
    case R2C:
        return cufftExecR2C(plan, in, out);
    case R2C | OF_DOUBLES:
        return cufftExecD2Z(plan, in, out);
    case C2R:
        return cufftExecC2R(plan, in, out);
    default:
        return cufftExecZ2D(plan, in, out);
    }
}

static int check(struct test t)
{
    int is_double = (t.type & OF_DOUBLES) != 0, type = t.type & ~OF_DOUBLES;
    int last = t.n[t.rank - 1], half = last / 2 + 1, plan = 0, status;
    int real_in = type == R2C, real_out = type == C2R;
    int last_in = type == C2R ? half : last,
        last_out = type == R2C ? half : last;
    long long all = elements(&t, last), in_elements, out_elements;
    size_t size = is_double ? 8 : 4, bytes;
    double complex *x = malloc((size_t)(all * t.batch) * sizeof *x);
    double worst = 0, scale = 0, looked = 0;
    void *in, *out, *device_in = NULL, *device_out = NULL;
    char what[160];

    snprintf(what, sizeof what, "type %x, %d x %d x %d, batch %d, %s%s%s",
             (unsigned)t.type, t.n[0], t.rank > 1 ? t.n[1] : 1,
             t.rank > 2 ? t.n[2] : 1, t.batch,
             t.direction == BACKWARD ? "backward" : "forward",
             t.in_place ? ", in place" : "", t.has_layout ? ", a layout" : "");
    if (!t.has_layout) {
        t.in = dense(&t, real_in && t.in_place ? 2 * half : last_in);
        t.out = dense(&t, real_out && t.in_place ? 2 * half : last_out);
    }
    /* what is transformed, of lines that mirror themselves where they must */
    for (long long i = 0; i < all * t.batch; i++)
        x[i] = drawn(8) + (type == C2C ? I * drawn(8) : 0);
    for (int b = 0; b < t.batch && type == C2R; b++) {
        if (t.rank > 1)
            transform(x + b * all, t.n, t.rank, FORWARD);
        for (int i = 1; i < half && t.rank == 1; i++) {
            x[b * all + i] += I * (2 * i == last ? 0 : drawn(8));
            x[b * all + last - i] = conj(x[b * all + i]);
        }
    }
    in_elements =
        place(&t, &t.in, last_in, elements(&t, last_in) - 1, t.batch - 1) + 1;
    out_elements =
        place(&t, &t.out, last_out, elements(&t, last_out) - 1, t.batch - 1) +
        1;
    bytes = (size_t)(in_elements > out_elements ? in_elements : out_elements) *
            2 * size;
    in = calloc(1, bytes);
    out = calloc(1, bytes);
    for (int b = 0; b < t.batch; b++) {
        for (long long i = 0; i < elements(&t, last_in); i++) {
            long long at = place(&t, &t.in, last_in, i, b);
            double complex v = x[b * all + i / last_in * last + i % last_in];

            if (real_in) {
                put(in, is_double, at, creal(v));
            } else {
                put(in, is_double, 2 * at, creal(v));
                put(in, is_double, 2 * at + 1, cimag(v));
            }
        }
        transform(x + b * all, t.n, t.rank,
                  real_in    ? FORWARD
                  : real_out ? BACKWARD
                             : t.direction);
    }
    if (cudaMalloc(&device_in, bytes) != 0 ||
        (t.in_place ? (device_out = device_in, 0)
                    : cudaMalloc(&device_out, bytes)) != 0 ||
        cudaMemcpy(device_out, out, bytes, TO_DEVICE) != 0 ||
        cudaMemcpy(device_in, in, bytes, TO_DEVICE) != 0)
        exit(99);
    status = plan_of(&t, &plan);
    if (status != 0)
        return failed(what, status, 0);
    status = execute(&t, plan, device_in, device_out);
    if (status != 0)
        return failed(what, status, 0);
    if (cudaMemcpy(out, device_out, bytes, TO_HOST) != 0)
        exit(99);
    for (int b = 0; b < t.batch; b++) {
        for (long long i = 0; i < elements(&t, last_out); i++) {
            long long at = place(&t, &t.out, last_out, i, b);
            double complex v = x[b * all + i / last_out * last + i % last_out];
            double re = get(out, is_double, real_out ? at : 2 * at);
            double im = real_out ? 0 : get(out, is_double, 2 * at + 1);
            double far = hypot(re - creal(v), im - (real_out ? 0 : cimag(v)));

            if (i % looked_at(t.n, t.rank) != 0)
                continue;
            looked++;
            worst = far > worst || isnan(far) ? far : worst;
            scale += creal(v) * creal(v) + cimag(v) * cimag(v);
        }
    }
    scale = sqrt(scale / looked);
    if (!(worst <= (is_double ? 1e-13 : 3e-6) * scale))
        return failed(what, worst / scale, is_double ? 1e-13 : 3e-6);
    if (cufftDestroy(plan) != 0)
        return failed("destroyed", 1, 0);
    cudaFree(device_in);
    if (!t.in_place)
        cudaFree(device_out);
    free(in);
    free(out);
    free(x);
    return 0;
}

/* Every type both ways. */
static int all_types(struct test t)
{
    static const int types[] = {C2C, R2C, C2R};

    for (int i = 0; i < 12; i++) {
        t.type = types[i % 3] | (i < 6 ? 0 : OF_DOUBLES);
        t.direction = i / 3 % 2 == 0 ? FORWARD : BACKWARD;
        t.in_place = i / 3 % 2;
        if (check(t))
            return 1;
    }
    return 0;
}

/* Each radix, lengths of several passes' radices, and others. */
static int test_lengths(void)
{
    static const int n[] = {1,   2,   3,   4,   5,    6,    7,   8,   9,   10,
                            11,  12,  13,  16,  17,   30,   32,  49,  64,  77,
                            97,  100, 121, 128, 143,  169,  210, 221, 254, 256,
                            262, 343, 509, 512, 1001, 1024, 1536};

    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        if (all_types((struct test){
                .rank = 1, .n = {n[i]}, .batch = n[i] < 100 ? 21 : 3}))
            return 1;
    }
    return 0;
}

static int test_dimensions(void)
{
    static const int n[][3] = {
        {4, 6, 0}, {7, 5, 0}, {32, 64, 0}, {19, 10, 0}, {1, 12, 0},  {9, 1, 0},
        {4, 6, 8}, {5, 7, 3}, {17, 4, 6},  {3, 19, 11}, {8, 16, 34}, {1, 1, 7}};

    for (size_t i = 0; i < sizeof n / sizeof n[0]; i++) {
        struct test t = {.rank = n[i][2] != 0 ? 3 : 2, .batch = 1};

        memcpy(t.n, n[i], sizeof t.n);
        if (all_types(t))
            return 1;
        t.batch = 3;
        if (all_types(t))
            return 1;
    }
    return 0;
}

/* What takes several launches: a product of radices, and twice a prime. */
static int test_long(void)
{
    static const struct test tests[] = {
        {.type = C2C, .rank = 1, .n = {10000}, .direction = FORWARD},
        {.type = R2C, .rank = 1, .n = {20000}},
        {.type = C2R, .rank = 1, .n = {20000}, .in_place = 1},
        {.type = R2C | OF_DOUBLES, .rank = 1, .n = {15625}, .in_place = 1},
        {.type = C2R | OF_DOUBLES, .rank = 1, .n = {9375}},
        {.type = C2C,
         .rank = 1,
         .n = {4099},
         .batch = 2,
         .direction = BACKWARD,
         .in_place = 1},
        {.type = C2C | OF_DOUBLES,
         .rank = 1,
         .n = {8198},
         .direction = BACKWARD},
        {.type = R2C, .rank = 1, .n = {8198}, .in_place = 1},
        {.type = C2R | OF_DOUBLES, .rank = 1, .n = {8198}},
        {.type = R2C, .rank = 1, .n = {8199}},
        {.type = C2R, .rank = 1, .n = {4099}, .in_place = 1},
        {.type = R2C, .rank = 1, .n = {46189}},
        {.type = C2R, .rank = 2, .n = {6, 38}},
        {.type = C2C | OF_DOUBLES,
         .rank = 1,
         .n = {2 * 127 * 37},
         .direction = FORWARD},
        {.type = C2C, .rank = 2, .n = {1536, 5}, .direction = FORWARD},
        {.type = R2C, .rank = 2, .n = {2048, 6}},
    };

    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        struct test t = tests[i];

        t.batch = t.batch == 0 ? 1 : t.batch;
        if (check(t))
            return 1;
    }
    return 0;
}

/* Rows and batches with gaps, elements of batches side by side. */
static int test_layouts(void)
{
    struct test rows = {.rank = 2,
                        .n = {6, 10},
                        .batch = 3,
                        .has_layout = 1,
                        .in = {{8, 14}, 2, 300},
                        .out = {{7, 12}, 3, 400}};
    struct test aside = {.rank = 1,
                         .n = {48},
                         .batch = 37,
                         .has_layout = 1,
                         .in = {{48}, 37, 1},
                         .out = {{48}, 40, 1}};
    struct test odd = {.rank = 1,
                       .n = {24},
                       .batch = 5,
                       .has_layout = 1,
                       .in = {{25}, 1, 25},
                       .out = {{25}, 1, 27}};

    for (int type = C2C; type <= C2R; type++) {
        rows.type = aside.type = odd.type = type;
        rows.direction = aside.direction = odd.direction = BACKWARD;
        if (type != 0x2b && (check(rows) || check(aside) || check(odd)))
            return 1;
    }
    return 0;
}

/* Three steps; back again is what was there. */
static int test_million(void)
{
    enum {
        N = 1 << 21
    };
    float *x = malloc(N * 2 * sizeof *x), *y = malloc(N * 2 * sizeof *y);
    void *device = NULL;
    double far = 0;
    int plan = 0;

    for (int i = 0; i < 2 * N; i++)
        x[i] = (float)drawn(8);
    if (cudaMalloc(&device, N * 8) != 0 ||
        cudaMemcpy(device, x, N * 8, TO_DEVICE) != 0 ||
        cufftPlan1d(&plan, N, C2C, 1) != 0 ||
        cufftExecC2C(plan, device, device, FORWARD) != 0)
        return failed("run", 1, 0);
    cudaMemcpy(y, device, N * 8, TO_HOST);
    /* one of its elements by definition */
    for (int k = 1; k < N; k = k * 127 + 11) {
        double complex sum = 0;

        for (int i = 0; i < N; i++)
            sum += (x[2 * i] + I * x[2 * i + 1]) *
                   cexp(-2 * 3.14159265358979323846 * I *
                        (double)((long long)i * k % N) / N);
        if (cabs(sum - y[2 * k] - I * y[2 * k + 1]) > 3e-6 * 6.5 * sqrt(N))
            return failed("an element", y[2 * k], creal(sum));
    }
    if (cufftExecC2C(plan, device, device, BACKWARD) != 0)
        return failed("back", 1, 0);
    cudaMemcpy(y, device, N * 8, TO_HOST);
    for (int i = 0; i < 2 * N; i++)
        far = fmax(far, fabs((double)y[i] / N - (double)x[i]));
    free(x);
    free(y);
    return far < 2e-5 ? 0 : failed("back again", far, 2e-5);
}

/* A plan by data types, a work area of the program's, a stream's graph. */
static int test_plans(void)
{
    long long n = 4099;
    float one[2 * 4099] = {1}, found[2 * 4099];
    void *device = NULL, *work = NULL, *stream = NULL, *graph = NULL,
         *exec = NULL;
    size_t bytes = 0, estimated = 0, held = 0;
    int plan = 0, version = 0;

    if (cudaMalloc(&device, sizeof one) != 0 ||
        cudaMemcpy(device, one, sizeof one, TO_DEVICE) != 0)
        exit(99);
    if (cufftGetVersion(&version) != 0 || version < 11000)
        return failed("version", version, 12000);
    if (cufftCreate(&plan) != 0 || cufftSetAutoAllocation(plan, 0) != 0)
        return failed("created", 1, 0);
    if (cufftExecC2C(plan, device, device, FORWARD) != INVALID_PLAN)
        return failed("a plan that is not made", 0, INVALID_PLAN);
    if (cufftXtMakePlanMany(plan, 1, &n, NULL, 1, 1, 4, NULL, 1, 1, 4, 1,
                            &bytes, 4) != 0 ||
        cufftEstimate1d((int)n, C2C, 1, &estimated) != 0 ||
        cufftGetSize(plan, &held) != 0 || bytes == 0 || bytes != estimated ||
        bytes != held)
        return failed("work", (double)bytes, (double)estimated);
    /* radices that no three steps have room for */
    if (cufftEstimate1d(37 * 37 * 37 * 37, C2C, 1, &estimated) != 0 ||
        estimated < 2 * (37 * 37 * 37 * 37 - 1) * 8)
        return failed("37^4", (double)estimated, 1 << 26);
    if (cufftExecC2C(plan, device, device, FORWARD) != INVALID_VALUE)
        return failed("no work area", 0, INVALID_VALUE);
    if (cudaMalloc(&work, bytes) != 0 || cufftSetWorkArea(plan, work) != 0 ||
        cudaStreamCreate(&stream) != 0 || cufftSetStream(plan, stream) != 0 ||
        cudaStreamBeginCapture(stream, 0) != 0 ||
        cufftXtExec(plan, device, device, FORWARD) != 0 ||
        cudaStreamEndCapture(stream, &graph) != 0 ||
        cudaGraphInstantiate(&exec, graph, 0) != 0)
        return failed("captured", 1, 0);
    cudaMemcpy(found, device, sizeof found, TO_HOST);
    if (found[2] != 0)
        return failed("nothing ran", (double)found[2], 0);
    if (cudaGraphLaunch(exec, stream) != 0 || cudaDeviceSynchronize() != 0)
        return failed("launched", 1, 0);
    cudaMemcpy(found, device, sizeof found, TO_HOST);
    for (int i = 0; i < 4099; i++) {
        if (fabsf(found[2 * i] - 1) > 1e-5f || fabsf(found[2 * i + 1]) > 1e-5f)
            return failed("flat", (double)found[2 * i], 1);
    }
    return cufftDestroy(plan) || cudaGraphExecDestroy(exec) ||
           cudaGraphDestroy(graph) || cudaStreamDestroy(stream);
}

static int test_refusals(void)
{
    long long n = 16;
    int plan = 0, other = 0;

    if (cufftPlan1d(&plan, 0, C2C, 1) != INVALID_SIZE)
        return failed("no elements", 0, INVALID_SIZE);
    if (cufftPlan1d(&plan, 8, 0x2b, 1) != INVALID_TYPE)
        return failed("another type", 0, INVALID_TYPE);
    if (cufftExecC2C(77, NULL, NULL, FORWARD) != INVALID_PLAN)
        return failed("no plan", 0, INVALID_PLAN);
    if (cufftPlan1d(&plan, 8, C2C, 1) != 0 ||
        cufftMakePlan1d(plan, 8, C2C, 1, NULL) != INVALID_PLAN)
        return failed("made twice", 0, INVALID_PLAN);
    if (cufftExecR2C(plan, &plan, &plan) != INVALID_TYPE)
        return failed("of another type", 0, INVALID_TYPE);
    if (cufftExecC2C(plan, &plan, &plan, 0) != INVALID_VALUE)
        return failed("no direction", 0, INVALID_VALUE);
    if (cufftExecC2C(plan, NULL, NULL, FORWARD) != INVALID_VALUE)
        return failed("no memory", 0, INVALID_VALUE);
    if (cufftCreate(&other) != 0 || other == plan ||
        cufftXtMakePlanMany(other, 1, &n, NULL, 1, 1, 6, NULL, 1, 1, 6, 1, NULL,
                            6) != NOT_SUPPORTED)
        return failed("halves", 0, NOT_SUPPORTED);
    if (cufftXtSetCallback(plan, NULL, 0, NULL) != NOT_IMPLEMENTED)
        return failed("a callback", 0, NOT_IMPLEMENTED);
    return cufftDestroy(plan) != 0 || cufftDestroy(plan) != INVALID_PLAN;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*run)(void);
    } tests[] = {
        {"lengths", test_lengths},   {"dimensions", test_dimensions},
        {"long", test_long},         {"layouts", test_layouts},
        {"million", test_million},   {"plans", test_plans},
        {"refusals", test_refusals},
    };

    for (size_t i = 0; argc > 1 && i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(argv[1], tests[i].name) == 0)
            return tests[i].run();
    }
    return 98;
}
