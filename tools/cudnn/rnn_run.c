#include "tools/cudnn/rnn_run.h"

#include <limits.h>
#include <stdlib.h>

#include "tools/cudart/say.h"

enum {
    ROOM_ALIGNMENT = 256,
    BLAS_NOT_SUPPORTED = 15,
    BLAS_32F = 68, /* cublasComputeType_t */
    BLAS_64F = 70,
    BLAS_32F_TF32 = 77,
};

int cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind,
                    void *stream);
int cublasCreate_v2(void **);
int cublasSetStream_v2(void *, void *stream);
int cublasGemmStridedBatchedEx(void *, int op_a, int op_b, int m, int n, int k,
                               const void *alpha, const void *a, int type_a,
                               int lda, long long by_a, const void *b,
                               int type_b, int ldb, long long by_b,
                               const void *beta, void *c, int type_c, int ldc,
                               long long by_c, int count, int compute,
                               int algorithm);

/* ---- where numbers lie ----------------------------------------------------------- */

/* The next of an area that has been given to `at`. */
static void *take(uintptr_t *at, int wanted, size_t bytes, long long count)
{
    void *p = (void *)*at;

    if (!wanted)
        return NULL;
    *at += (bytes * (size_t)count + ROOM_ALIGNMENT - 1) / ROOM_ALIGNMENT *
           ROOM_ALIGNMENT;
    return p;
}

static size_t sum_bytes(const struct dnn_rnn *r)
{
    return r->type == DNN_DOUBLE ? sizeof(double) : sizeof(float);
}

static uintptr_t begin(const void *area)
{
    return ((uintptr_t)area + ROOM_ALIGNMENT - 1) / ROOM_ALIGNMENT *
           ROOM_ALIGNMENT;
}

static void lay_out_kept(struct rnn_kept *kept, uintptr_t *at,
                         const struct dnn_rnn *r, long long tokens, int layer)
{
    const size_t one = dnn_bytes(r->type), sum = sum_bytes(r);
    const long long all = tokens * r->ways;
    const int gates = rnn_gates(r) * r->hidden;
    const int is_inner = layer + 1 < r->layers;
    const int is_projected = r->state < r->hidden;
    const int is_gru = r->cell == RNN_GRU;

    kept->gates = take(at, 1, sum, all * gates);
    kept->c_before = take(at, r->cell == RNN_LSTM, sum, all * r->hidden);
    kept->inner = take(at, is_gru, sum, all * r->hidden);
    kept->h_before = take(at, 1, one, all * r->state);
    kept->out = take(at, is_projected, one, all * r->hidden);
    kept->y = take(at, is_inner, one, all * r->state);
    kept->mask = take(at, is_inner, 1, all * r->state);
    kept->d_gates = take(at, 1, one, all * gates);
    kept->d_gates_of_state = take(at, is_gru, one, all * gates);
    if (!is_gru)
        kept->d_gates_of_state = kept->d_gates;
    kept->d_state = take(at, is_projected, one, all * r->state);
}

static void lay_out_work(struct rnn_work *w, uintptr_t *at,
                         const struct dnn_rnn *r, int trains, long long tokens,
                         int batch)
{
    const size_t one = dnn_bytes(r->type), sum = sum_bytes(r);
    const long long all = tokens * r->ways, rows = (long long)batch * r->ways;
    const int gates = rnn_gates(r) * r->hidden;
    const int is_deep = r->layers > 1;

    w->sums = take(at, 1, sum, rows * gates);
    w->h = take(at, 1, one, rows * r->state);
    w->c = take(at, 1, sum, rows * r->hidden);
    w->gates = take(at, !trains, sum, all * gates);
    w->out = take(at, !trains, one, rows * r->hidden);
    w->dh = take(at, trains, sum, rows * r->state);
    w->dc = take(at, trains, sum, rows * r->hidden);
    w->d_out = take(at, trains, sum, rows * r->hidden);
    for (int i = 0; i < 2; i++) {
        w->y[i] = take(at, !trains && is_deep, one, all * r->state);
        w->dy[i] = take(at, trains && is_deep, one, all * r->state);
    }
    w->tables = take(at, 1, sizeof(int), batch + tokens);
    w->x = take(at, 1, one, tokens * r->input);
    w->all_y = take(at, 1, one, all * r->state);
}

void rnn_room(const struct dnn_rnn *r, int trains, long long tokens, int batch,
              size_t *work, size_t *reserve)
{
    uintptr_t at = 0;
    struct rnn_work w;
    struct rnn_kept kept;

    lay_out_work(&w, &at, r, trains, tokens, batch);
    *work = at + ROOM_ALIGNMENT;
    at = 0;
    for (int layer = 0; trains && layer < r->layers; layer++)
        lay_out_kept(&kept, &at, r, tokens, layer);
    *reserve = trains ? at + ROOM_ALIGNMENT : 0;
}

/* ---- begin and end ---------------------------------------------------------------- */

static enum dnn_status of_blas(int status)
{
    if (status == 0)
        return DNN_SUCCESS;
    return status == BLAS_NOT_SUPPORTED ? DNN_NOT_SUPPORTED
                                        : DNN_EXECUTION_FAILED;
}

/* Kernels count elements by 31 bits. */
static int is_small(const struct rnn_run *r)
{
    const struct dnn_rnn *n = r->rnn;
    const long long state = (long long)n->ways * n->state;
    const long long most = state > n->input ? state : n->input;

    return (long long)r->data->longest * r->data->batch * most <= INT_MAX &&
           (long long)r->data->batch * n->hidden <= INT_MAX;
}

void rnn_run_init(struct rnn_run *r, void *work, void *reserve)
{
    const struct dnn_rnn_data *data = r->data;
    uintptr_t at = begin(work);

    r->status = DNN_SUCCESS;
    r->kept = NULL;
    r->trains = reserve != NULL;
    r->drops = r->trains && r->rnn->dropout != NULL &&
               r->rnn->dropout->states != NULL && r->rnn->dropout->share > 0;
    if (!is_small(r)) {
        runtime_say("", "cuDNN: a recurrent layer of more than 2^31 elements "
                        "is not implemented");
        r->status = DNN_NOT_SUPPORTED_SHAPE;
        return;
    }
    lay_out_work(&r->work, &at, r->rnn, r->trains, data->tokens, data->batch);
    if (r->trains) {
        r->kept = calloc((size_t)r->rnn->layers, sizeof *r->kept);
        if (r->kept == NULL) {
            r->status = DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
            return;
        }
        at = begin(reserve);
        for (int layer = 0; layer < r->rnn->layers; layer++)
            lay_out_kept(&r->kept[layer], &at, r->rnn, data->tokens, layer);
    }
    if (r->d->blas == NULL)
        r->status = of_blas(cublasCreate_v2(&r->d->blas));
    if (r->status == DNN_SUCCESS)
        r->status = of_blas(cublasSetStream_v2(r->d->blas, r->d->stream));
    if (r->status == DNN_SUCCESS && !data->is_direct &&
        cudaMemcpyAsync(r->work.tables, data->tables,
                        sizeof(int) * (size_t)(data->batch + data->tokens),
                        COPY_HOST_TO_DEVICE, r->d->stream) != 0)
        r->status = DNN_EXECUTION_FAILED;
}

enum dnn_status rnn_run_end(struct rnn_run *r)
{
    free(r->kept);
    r->kept = NULL;
    return r->status;
}

void *rnn_at(const struct rnn_run *r, const void *p, long long elements)
{
    return (char *)p + elements * (long long)dnn_bytes(r->rnn->type);
}

void *rnn_sum_at(const struct rnn_run *r, const void *p, long long sums)
{
    return (char *)p + sums * (long long)sum_bytes(r->rnn);
}

const void *rnn_weight(const struct rnn_run *r, long long at)
{
    return at < 0 ? NULL : rnn_at(r, r->weights, at);
}

/* ---- launches ---------------------------------------------------------------------- */

void rnn_launch(struct rnn_run *r, const char *what, long long threads,
                int ways, void *args)
{
    const struct vendor_grid grid = {
        .x = (unsigned)((threads + RNN_THREADS - 1) / RNN_THREADS),
        .y = (unsigned)ways,
        .z = 1,
        .threads = RNN_THREADS,
    };

    if (r->status == DNN_SUCCESS && threads > 0)
        r->status =
            dnn_launch_of(r->d, DNN_RNN, what, r->rnn->type, &grid, args);
}

void rnn_multiply(struct rnn_run *r, const struct rnn_product *p)
{
    /* cudaDataType of elements and sums, and how they are multiplied. */
    static const struct {
        int type, data, sums, compute, rounded;
    } kinds[] = {
        {DNN_FLOAT, 0, 0, BLAS_32F, BLAS_32F_TF32},
        {DNN_DOUBLE, 1, 1, BLAS_64F, BLAS_64F},
        {DNN_HALF, 2, 0, BLAS_32F, BLAS_32F},
        {DNN_BFLOAT16, 14, 0, BLAS_32F, BLAS_32F},
    };
    static const float floats[] = {0, 1};
    static const double doubles[] = {0, 1};
    const int is_double = r->rnn->type == DNN_DOUBLE;
    const void *zero = is_double ? (const void *)doubles : floats;
    const void *one = is_double ? (const void *)&doubles[1] : &floats[1];
    size_t i = 0;

    if (r->status != DNN_SUCCESS || p->n == 0)
        return;
    while (kinds[i].type != r->rnn->type)
        i++;
    r->status = of_blas(cublasGemmStridedBatchedEx(
        r->d->blas, p->turned_a, p->turned_b, (int)p->m, (int)p->n, (int)p->k,
        one, p->a, kinds[i].data, (int)p->lda, p->by_a, p->b, kinds[i].data,
        (int)p->ldb, p->by_b, p->adds ? one : zero, p->d,
        p->wide ? kinds[i].sums : kinds[i].data, (int)p->ldd, p->by_d, p->count,
        r->rnn->math == DNN_MATH_FMA ? kinds[i].compute : kinds[i].rounded,
        -1));
}

void rnn_do_move(struct rnn_run *r, enum rnn_moves what, struct rnn_move *m,
                 int width, int ways)
{
    static const char *const names[] = {
        [RNN_MOVE] = "rnn_move",
        [RNN_WIDEN] = "rnn_widen",
        [RNN_NARROW] = "rnn_narrow",
    };

    m->width = divisor_of(width);
    rnn_launch(r, names[what], (long long)m->rows * width, ways, m);
}

/* ---- data and states ---------------------------------------------------------------- */

static const int *rows_of_tokens(const struct rnn_run *r)
{
    return (const int *)r->work.tables + r->data->batch;
}

const void *rnn_tokens_of(struct rnn_run *r, const void *data, void *room,
                          int width)
{
    struct rnn_move m = {
        .from = data,
        .to = room,
        .from_row = rows_of_tokens(r),
        .rows = r->data->tokens,
        .from_line = width,
        .to_line = width,
    };

    if (r->data->is_direct || data == NULL)
        return data;
    rnn_do_move(r, RNN_MOVE, &m, width, 1);
    return room;
}

void rnn_put_tokens(struct rnn_run *r, const void *tokens, void *data,
                    int width, unsigned long long fill)
{
    struct rnn_move all = {
        .to = data,
        .rows = r->data->longest * r->data->batch,
        .to_line = width,
        .fill = fill,
    };
    struct rnn_move m = {
        .from = tokens,
        .to = data,
        .to_row = rows_of_tokens(r),
        .rows = r->data->tokens,
        .from_line = width,
        .to_line = width,
    };

    if (r->data->is_direct)
        return;
    if (r->data->tokens < all.rows)
        rnn_do_move(r, RNN_MOVE, &all, width, 1);
    rnn_do_move(r, RNN_MOVE, &m, width, 1);
}

static const int *sequence_of_rows(const struct rnn_run *r)
{
    return r->data->is_sorted ? NULL : (const int *)r->work.tables;
}

/* Of all the program's, which are elements, a layer's. */
static void *states_of(const struct rnn_run *r, int layer, const void *all,
                       int width)
{
    return rnn_at(r, all,
                  (long long)layer * r->rnn->ways * r->data->batch * width);
}

void rnn_get_states(struct rnn_run *r, int layer, const void *from,
                    enum rnn_moves what, void *to, int width)
{
    const long long group = (long long)r->data->batch * width;
    struct rnn_move m = {
        .from = from != NULL ? states_of(r, layer, from, width) : NULL,
        .to = to,
        .from_row = sequence_of_rows(r),
        .rows = r->data->batch,
        .from_line = width,
        .to_line = width,
        .from_group = group,
        .to_group = group,
    };

    rnn_do_move(r, what, &m, width, r->rnn->ways);
}

void rnn_put_states(struct rnn_run *r, int layer, const void *from,
                    enum rnn_moves what, void *to, int width)
{
    const long long group = (long long)r->data->batch * width;
    struct rnn_move m = {
        .from = from,
        .to = to != NULL ? states_of(r, layer, to, width) : NULL,
        .to_row = sequence_of_rows(r),
        .rows = r->data->batch,
        .from_line = width,
        .to_line = width,
        .from_group = group,
        .to_group = group,
    };

    if (to != NULL)
        rnn_do_move(r, what, &m, width, r->rnn->ways);
}

/* ---- steps -------------------------------------------------------------------------- */

int rnn_steps(const struct rnn_run *r)
{
    return r->data->steps * r->rnn->ways;
}

/* The first token of a step. */
static int first_of(const struct dnn_rnn_data *data, int step)
{
    int first = 0;

    for (int i = 0; i < step; i++)
        first += data->rows[i];
    return first;
}

struct rnn_step rnn_step_of(const struct rnn_run *r, int i, int backward)
{
    const int steps = r->data->steps, way = i / steps;
    const int at =
        (way != 0) != (backward != 0) ? steps - 1 - i % steps : i % steps;

    return (struct rnn_step){way, r->data->rows[at], first_of(r->data, at)};
}
