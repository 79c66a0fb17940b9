/* Entry points of cuFFT. */
#include <pthread.h>
#include <stdlib.h>

#include "tools/cudart/say.h"
#include "tools/cufft/plan.h"

enum {
    PLANS_MOST = 65536,
    /* cudaDataType */
    DATA_32F = 0,
    DATA_64F = 1,
    DATA_C_32F = 4,
    DATA_C_64F = 5,
};

/* In place of every entry point that teg does not have. */
int teg_cufft_lacks(const char *name);
__attribute__((visibility("default"))) int teg_cufft_lacks(const char *name)
{
    runtime_say("", "%s is not implemented", name);
    return FFT_NOT_IMPLEMENTED;
}

/* ---- versions ----------------------------------------------------------------------- */

static const int *version(void)
{
    static const int of_12[] = {11, 4, 1}, of_13[] = {12, 0, 0};

    return vendor_version("libcufft.so.11", of_12, of_13);
}

CALL(cufftGetVersion, int *out)
{
    if (out == NULL)
        return FFT_INVALID_VALUE;
    *out = version()[0] * 1000 + version()[1] * 100 + version()[2];
    return FFT_SUCCESS;
}

CALL(cufftGetProperty, int which, int *out)
{
    if (out == NULL || which < 0 || which >= VENDOR_PARTS)
        return FFT_INVALID_VALUE;
    *out = version()[which];
    return FFT_SUCCESS;
}

/* ---- handles ------------------------------------------------------------------------ */

/* Handles are numbers, which are given again. */
static struct {
    pthread_mutex_t lock;
    struct plan *plan[PLANS_MOST];
} handles = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* `take`: the handle is nobody's any more. */
static struct plan *find(int handle, int take)
{
    struct plan *p = NULL;

    if (handle <= 0 || handle >= PLANS_MOST)
        return NULL;
    pthread_mutex_lock(&handles.lock);
    p = handles.plan[handle];
    if (take)
        handles.plan[handle] = NULL;
    pthread_mutex_unlock(&handles.lock);
    return p;
}

static struct plan *plan_of(int handle)
{
    return find(handle, 0);
}

CALL(cufftCreate, int *out)
{
    struct plan *p;
    int handle = 1;

    if (out == NULL)
        return FFT_INVALID_VALUE;
    if (vendor_device()->sms == 0)
        return FFT_SETUP_FAILED;
    p = calloc(1, sizeof *p);
    if (p == NULL)
        return FFT_ALLOC_FAILED;
    pthread_mutex_lock(&handles.lock);
    while (handle < PLANS_MOST && handles.plan[handle] != NULL)
        handle++;
    if (handle < PLANS_MOST)
        handles.plan[handle] = p;
    pthread_mutex_unlock(&handles.lock);
    if (handle == PLANS_MOST) {
        free(p);
        return FFT_ALLOC_FAILED;
    }
    *out = handle;
    return FFT_SUCCESS;
}

CALL(cufftDestroy, int handle)
{
    struct plan *p = find(handle, 1);

    if (p == NULL)
        return FFT_INVALID_PLAN;
    plan_clear(p);
    free(p);
    return FFT_SUCCESS;
}

CALL(cufftSetStream, int handle, void *stream)
{
    struct plan *p = plan_of(handle);

    if (p == NULL)
        return FFT_INVALID_PLAN;
    p->stream = stream;
    return FFT_SUCCESS;
}

CALL(cufftSetAutoAllocation, int handle, int on)
{
    struct plan *p = plan_of(handle);

    if (p == NULL || p->shape.rank != 0)
        return FFT_INVALID_PLAN;
    p->no_allocation = !on;
    return FFT_SUCCESS;
}

CALL(cufftSetWorkArea, int handle, void *work)
{
    struct plan *p = plan_of(handle);

    if (p == NULL)
        return FFT_INVALID_PLAN;
    p->work = work;
    return FFT_SUCCESS;
}

CALL(cufftGetSize, int handle, size_t *bytes)
{
    struct plan *p = plan_of(handle);

    if (p == NULL || p->shape.rank == 0 || bytes == NULL)
        return p == NULL || bytes != NULL ? FFT_INVALID_PLAN
                                          : FFT_INVALID_VALUE;
    *bytes = plan_work_bytes(p);
    return FFT_SUCCESS;
}

/* What is set changes how the vendor compiles and not what is computed. */
CALL(cufftSetPlanPropertyInt64, int handle, int property, long long value)
{
    (void)property, (void)value;
    return plan_of(handle) != NULL ? FFT_SUCCESS : FFT_INVALID_PLAN;
}

/* ---- plans --------------------------------------------------------------------------- */

static int is_type(int type)
{
    type &= ~FFT_DOUBLE;
    return type == FFT_C2C || type == FFT_R2C || type == FFT_C2R;
}

static int make(int handle, const struct fft_shape *shape, size_t *bytes)
{
    struct plan *p = plan_of(handle);
    enum fft_status status;

    if (p == NULL)
        return FFT_INVALID_PLAN;
    if (!is_type(shape->type)) {
        runtime_say("", "cuFFT: type 0x%x is not one of floats or doubles",
                    (unsigned)shape->type);
        return FFT_INVALID_TYPE;
    }
    status = plan_make(p, shape);
    if (bytes != NULL)
        *bytes = status == FFT_SUCCESS ? plan_work_bytes(p) : 0;
    return (int)status;
}

static int dense(int handle, int rank, const int *n, int type, int batch,
                 size_t *bytes)
{
    struct fft_shape shape = {.type = type, .rank = rank, .batch = batch};

    for (int i = 0; i < rank; i++)
        shape.n[i] = n[i];
    return make(handle, &shape, bytes);
}

CALL(cufftMakePlan1d, int handle, int n, int type, int batch, size_t *bytes)
{
    return dense(handle, 1, &n, type, batch, bytes);
}

CALL(cufftMakePlan2d, int handle, int nx, int ny, int type, size_t *bytes)
{
    return dense(handle, 2, (int[]){nx, ny}, type, 1, bytes);
}

CALL(cufftMakePlan3d, int handle, int nx, int ny, int nz, int type,
     size_t *bytes)
{
    return dense(handle, 3, (int[]){nx, ny, nz}, type, 1, bytes);
}

static void layout(struct fft_layout *o, const long long *across, int rank,
                   long long stride, long long batch)
{
    o->stride = stride;
    o->batch = batch;
    for (int i = 0; i < rank; i++)
        o->across[i] = across[i];
}

CALL(cufftMakePlanMany64, int handle, int rank, long long *n,
     long long *in_across, long long in_stride, long long in_batch,
     long long *out_across, long long out_stride, long long out_batch, int type,
     long long batch, size_t *bytes)
{
    struct fft_shape shape = {.type = type, .rank = rank, .batch = batch};

    if (rank < 1 || rank > FFT_RANKS || n == NULL)
        return FFT_INVALID_VALUE;
    for (int i = 0; i < rank; i++)
        shape.n[i] = n[i];
    /* one that is not there makes the other no matter */
    if (in_across != NULL && out_across != NULL) {
        shape.has_layout = 1;
        layout(&shape.in, in_across, rank, in_stride, in_batch);
        layout(&shape.out, out_across, rank, out_stride, out_batch);
    }
    return make(handle, &shape, bytes);
}

CALL(cufftMakePlanMany, int handle, int rank, int *n, int *in_across,
     int in_stride, int in_batch, int *out_across, int out_stride,
     int out_batch, int type, int batch, size_t *bytes)
{
    long long wide[3][FFT_RANKS];

    if (rank < 1 || rank > FFT_RANKS || n == NULL)
        return FFT_INVALID_VALUE;
    for (int i = 0; i < rank; i++) {
        wide[0][i] = n[i];
        wide[1][i] = in_across != NULL ? in_across[i] : 0;
        wide[2][i] = out_across != NULL ? out_across[i] : 0;
    }
    return cufftMakePlanMany64(handle, rank, wide[0],
                               in_across != NULL ? wide[1] : NULL, in_stride,
                               in_batch, out_across != NULL ? wide[2] : NULL,
                               out_stride, out_batch, type, batch, bytes);
}

/* cufftType of data types of in and out; 0: there is none. */
static int type_of(int in, int out, int execution)
{
    static const int types[][4] = {
        {DATA_C_32F, DATA_C_32F, DATA_C_32F, FFT_C2C},
        {DATA_32F, DATA_C_32F, DATA_C_32F, FFT_R2C},
        {DATA_C_32F, DATA_32F, DATA_C_32F, FFT_C2R},
        {DATA_C_64F, DATA_C_64F, DATA_C_64F, FFT_C2C | FFT_DOUBLE},
        {DATA_64F, DATA_C_64F, DATA_C_64F, FFT_R2C | FFT_DOUBLE},
        {DATA_C_64F, DATA_64F, DATA_C_64F, FFT_C2R | FFT_DOUBLE},
    };

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (types[i][0] == in && types[i][1] == out && types[i][2] == execution)
            return types[i][3];
    }
    return 0;
}

CALL(cufftXtMakePlanMany, int handle, int rank, long long *n,
     long long *in_across, long long in_stride, long long in_batch, int in_type,
     long long *out_across, long long out_stride, long long out_batch,
     int out_type, long long batch, size_t *bytes, int execution)
{
    int type = type_of(in_type, out_type, execution);

    if (type == 0) {
        runtime_say("",
                    "cufftXtMakePlanMany: data types %d to %d, computed in %d, "
                    "are not floats or doubles",
                    in_type, out_type, execution);
        return FFT_NOT_SUPPORTED;
    }
    return cufftMakePlanMany64(handle, rank, n, in_across, in_stride, in_batch,
                               out_across, out_stride, out_batch, type, batch,
                               bytes);
}

/* Both at once: a handle, and its plan. */
#define PLAN(call)                  \
    int status = cufftCreate(plan); \
                                    \
    if (status == FFT_SUCCESS) {    \
        status = call;              \
        if (status != FFT_SUCCESS)  \
            cufftDestroy(*plan);    \
    }                               \
    return status

CALL(cufftPlan1d, int *plan, int n, int type, int batch)
{
    PLAN(cufftMakePlan1d(*plan, n, type, batch, NULL));
}

CALL(cufftPlan2d, int *plan, int nx, int ny, int type)
{
    PLAN(cufftMakePlan2d(*plan, nx, ny, type, NULL));
}

CALL(cufftPlan3d, int *plan, int nx, int ny, int nz, int type)
{
    PLAN(cufftMakePlan3d(*plan, nx, ny, nz, type, NULL));
}

CALL(cufftPlanMany, int *plan, int rank, int *n, int *in_across, int in_stride,
     int in_batch, int *out_across, int out_stride, int out_batch, int type,
     int batch)
{
    PLAN(cufftMakePlanMany(*plan, rank, n, in_across, in_stride, in_batch,
                           out_across, out_stride, out_batch, type, batch,
                           NULL));
}

/* What a plan would take of memory: made, looked at and forgotten. */
#define SIZE(call)                       \
    int plan = 0, status = FFT_SUCCESS;  \
                                         \
    status = cufftCreate(&plan);         \
    if (status == FFT_SUCCESS) {         \
        cufftSetAutoAllocation(plan, 0); \
        status = call;                   \
        cufftDestroy(plan);              \
    }                                    \
    return status

CALL(cufftEstimate1d, int n, int type, int batch, size_t *bytes)
{
    SIZE(cufftMakePlan1d(plan, n, type, batch, bytes));
}

CALL(cufftEstimate2d, int nx, int ny, int type, size_t *bytes)
{
    SIZE(cufftMakePlan2d(plan, nx, ny, type, bytes));
}

CALL(cufftEstimate3d, int nx, int ny, int nz, int type, size_t *bytes)
{
    SIZE(cufftMakePlan3d(plan, nx, ny, nz, type, bytes));
}

CALL(cufftEstimateMany, int rank, int *n, int *in_across, int in_stride,
     int in_batch, int *out_across, int out_stride, int out_batch, int type,
     int batch, size_t *bytes)
{
    SIZE(cufftMakePlanMany(plan, rank, n, in_across, in_stride, in_batch,
                           out_across, out_stride, out_batch, type, batch,
                           bytes));
}

CALL(cufftGetSize1d, int handle, int n, int type, int batch, size_t *bytes)
{
    (void)handle;
    return cufftEstimate1d(n, type, batch, bytes);
}

CALL(cufftGetSize2d, int handle, int nx, int ny, int type, size_t *bytes)
{
    (void)handle;
    return cufftEstimate2d(nx, ny, type, bytes);
}

CALL(cufftGetSize3d, int handle, int nx, int ny, int nz, int type,
     size_t *bytes)
{
    (void)handle;
    return cufftEstimate3d(nx, ny, nz, type, bytes);
}

CALL(cufftGetSizeMany, int handle, int rank, int *n, int *in_across,
     int in_stride, int in_batch, int *out_across, int out_stride,
     int out_batch, int type, int batch, size_t *bytes)
{
    (void)handle;
    return cufftEstimateMany(rank, n, in_across, in_stride, in_batch,
                             out_across, out_stride, out_batch, type, batch,
                             bytes);
}

CALL(cufftGetSizeMany64, int handle, int rank, long long *n,
     long long *in_across, long long in_stride, long long in_batch,
     long long *out_across, long long out_stride, long long out_batch, int type,
     long long batch, size_t *bytes)
{
    (void)handle;
    SIZE(cufftMakePlanMany64(plan, rank, n, in_across, in_stride, in_batch,
                             out_across, out_stride, out_batch, type, batch,
                             bytes));
}

CALL(cufftXtGetSizeMany, int handle, int rank, long long *n,
     long long *in_across, long long in_stride, long long in_batch, int in_type,
     long long *out_across, long long out_stride, long long out_batch,
     int out_type, long long batch, size_t *bytes, int execution)
{
    (void)handle;
    SIZE(cufftXtMakePlanMany(plan, rank, n, in_across, in_stride, in_batch,
                             in_type, out_across, out_stride, out_batch,
                             out_type, batch, bytes, execution));
}

/* ---- transforms ---------------------------------------------------------------------- */

static int run(int handle, int type, const void *in, void *out, int direction)
{
    const struct plan *p = plan_of(handle);

    if (p == NULL || p->shape.rank == 0)
        return FFT_INVALID_PLAN;
    if (type != 0 && type != p->shape.type)
        return FFT_INVALID_TYPE;
    if (direction != FFT_FORWARD && direction != FFT_BACKWARD)
        return FFT_INVALID_VALUE;
    return (int)plan_run(p, in, out, direction);
}

CALL(cufftExecC2C, int plan, void *in, void *out, int direction)
{
    return run(plan, FFT_C2C, in, out, direction);
}

CALL(cufftExecZ2Z, int plan, void *in, void *out, int direction)
{
    return run(plan, FFT_C2C | FFT_DOUBLE, in, out, direction);
}

CALL(cufftExecR2C, int plan, void *in, void *out)
{
    return run(plan, FFT_R2C, in, out, FFT_FORWARD);
}

CALL(cufftExecD2Z, int plan, void *in, void *out)
{
    return run(plan, FFT_R2C | FFT_DOUBLE, in, out, FFT_FORWARD);
}

CALL(cufftExecC2R, int plan, void *in, void *out)
{
    return run(plan, FFT_C2R, in, out, FFT_BACKWARD);
}

CALL(cufftExecZ2D, int plan, void *in, void *out)
{
    return run(plan, FFT_C2R | FFT_DOUBLE, in, out, FFT_BACKWARD);
}

/* Of numbers that are real on a side there is one direction. */
CALL(cufftXtExec, int plan, void *in, void *out, int direction)
{
    const struct plan *p = plan_of(plan);
    int type = p != NULL ? p->shape.type & ~FFT_DOUBLE : 0;

    if (type == FFT_R2C || type == FFT_C2R)
        direction = type == FFT_R2C ? FFT_FORWARD : FFT_BACKWARD;
    return run(plan, 0, in, out, direction);
}
