/*
 * A program that calls cuDNN's recurrent layers and dropout, as cudnn.c does
 * the rest of it (tests/cli/cudnn_rnn.sh).  Argument: which test; the exit
 * status is 0 if it holds.  What a layer gives is compared with its definition,
 * in doubles; gradients with what the definition's results do when its inputs
 * move a little.
 */
#include <stdlib.h>

#include "tests/cli/cudnn.h"

int cudnnCreateTensorDescriptor(void **t);
int cudnnDestroyTensorDescriptor(void *t);
int cudnnSetTensorNdDescriptor(void *t, int type, int rank, const int *size,
                               const int *stride);
int cudnnGetTensorNdDescriptor(void *t, int most, int *type, int *rank,
                               int *size, int *stride);
int cudnnCreateDropoutDescriptor(void **p);
int cudnnDestroyDropoutDescriptor(void *p);
int cudnnDropoutGetStatesSize(void *handle, size_t *bytes);
int cudnnDropoutGetReserveSpaceSize(void *x, size_t *bytes);
int cudnnSetDropoutDescriptor(void *p, void *handle, float share, void *states,
                              size_t bytes, unsigned long long seed);
int cudnnRestoreDropoutDescriptor(void *p, void *handle, float share,
                                  void *states, size_t bytes,
                                  unsigned long long seed);
int cudnnDropoutForward(void *handle, void *p, void *x_is, const void *x,
                        void *y_is, void *y, void *reserve, size_t bytes);
int cudnnDropoutBackward(void *handle, void *p, void *y_is, const void *y,
                         void *x_is, void *x, void *reserve, size_t bytes);
int cudnnCreateRNNDescriptor(void **r);
int cudnnDestroyRNNDescriptor(void *r);
int cudnnSetRNNDescriptor_v8(void *r, int algorithm, int cell, int bias,
                             int both, int skips, int type, int precision,
                             int math, int input, int hidden, int state,
                             int layers, void *dropout, unsigned flags);
int cudnnGetRNNDescriptor_v8(void *r, int *algorithm, int *cell, int *bias,
                             int *both, int *skips, int *type, int *precision,
                             int *math, int *input, int *hidden, int *state,
                             int *layers, void **dropout, unsigned *flags);
int cudnnRNNSetClip_v9(void *r, int mode, double from, double to);
int cudnnBuildRNNDynamic(void *handle, void *r, int batch);
int cudnnCreateRNNDataDescriptor(void **t);
int cudnnDestroyRNNDataDescriptor(void *t);
int cudnnSetRNNDataDescriptor(void *t, int type, int layout, int longest,
                              int batch, int vector, const int *length,
                              void *fill);
int cudnnGetRNNDataDescriptor(void *t, int *type, int *layout, int *longest,
                              int *batch, int *vector, int most, int *length,
                              void *fill);
int cudnnGetRNNWeightSpaceSize(void *handle, void *r, size_t *bytes);
int cudnnGetRNNTempSpaceSizes(void *handle, void *r, int trains, void *x,
                              size_t *work, size_t *reserve);
int cudnnGetRNNWeightParams(void *handle, void *r, int pseudo, size_t bytes,
                            const void *weights, int id, void *matrix,
                            void **matrix_at, void *bias, void **bias_at);
int cudnnRNNForward(void *handle, void *r, int trains, const int *lengths,
                    void *x_is, const void *x, void *y_is, void *y, void *h_is,
                    const void *hx, void *hy, void *c_is, const void *cx,
                    void *cy, size_t weight_bytes, const void *weights,
                    size_t work_bytes, void *work, size_t reserve_bytes,
                    void *reserve);
int cudnnRNNBackwardData_v8(void *handle, void *r, const int *lengths,
                            void *y_is, const void *y, const void *dy,
                            void *x_is, void *dx, void *h_is, const void *hx,
                            const void *dhy, void *dhx, void *c_is,
                            const void *cx, const void *dcy, void *dcx,
                            size_t weight_bytes, const void *weights,
                            size_t work_bytes, void *work, size_t reserve_bytes,
                            void *reserve);
int cudnnRNNBackwardWeights_v8(void *handle, void *r, int sets,
                               const int *lengths, void *x_is, const void *x,
                               void *h_is, const void *hx, void *y_is,
                               const void *y, size_t weight_bytes,
                               void *d_weights, size_t work_bytes, void *work,
                               size_t reserve_bytes, void *reserve);
int cudnnCreateCTCLossDescriptor(void **l);

enum {
    RELU,
    TANH,
    LSTM,
    GRU,
    NO_BIAS = 0,
    BIAS_OF_INPUT,
    BIAS_OF_BOTH,
    BIAS_OF_STATE,
    BY_STEP = 0,
    PACKED,
    BY_SEQUENCE,
    BATCH_MAX = 5,
    PSEUDO_MAX = 6,
    GATES_MAX = 4,
    IDS = 2 * GATES_MAX + 1,
    FILL = 3,  /* what a step behind a sequence's end becomes */
    TRIES = 2, /* directions in which a gradient is looked at */
};

static void *handle;

/* ---- arrays ------------------------------------------------------------------------ */

/* Numbers on the device and, in doubles, here. */
struct array {
    int type, all;
    double *x;
    void *device;
};

static void send(struct array *a)
{
    const size_t bytes = bytes_of(a->type);
    char *copy = malloc((size_t)a->all * bytes + 1);

    for (int i = 0; i < a->all; i++) {
        put(a->type, copy + (size_t)i * bytes, a->x[i]);
        a->x[i] = get(a->type, copy + (size_t)i * bytes);
    }
    cudaMemcpy(a->device, copy, (size_t)a->all * bytes, TO_DEVICE);
    free(copy);
}

static void receive(struct array *a)
{
    const size_t bytes = bytes_of(a->type);
    char *copy = malloc((size_t)a->all * bytes + 1);

    cudaMemcpy(copy, a->device, (size_t)a->all * bytes, TO_HOST);
    for (int i = 0; i < a->all; i++)
        a->x[i] = get(a->type, copy + (size_t)i * bytes);
    free(copy);
}

static struct array array(int type, int all, double most)
{
    struct array a = {.type = type, .all = all};

    a.x = malloc((size_t)(all + 1) * sizeof *a.x);
    cudaMalloc(&a.device, (size_t)(all + 1) * bytes_of(type));
    for (int i = 0; i < all; i++)
        a.x[i] = drawn(most);
    send(&a);
    return a;
}

static void drop(struct array *a)
{
    cudaFree(a->device);
    free(a->x);
}

/* ---- the definition ------------------------------------------------------------------ */

/* A layer and its data. */
struct layer {
    int cell, bias, both, skips, input, hidden, state, layers;
    int layout, longest, batch, length[BATCH_MAX];
    int type, math;
    /* Where weights begin, in elements, as the library says; -1: nowhere. */
    long long matrix[PSEUDO_MAX][IDS], biases[PSEUDO_MAX][IDS];
};

static int gates_of(const struct layer *l)
{
    return l->cell == LSTM ? 4 : l->cell == GRU ? 3 : 1;
}

static int rows_of(const struct layer *l)
{
    int all = 0;

    for (int b = 0; l->layout == PACKED && b < l->batch; b++)
        all += l->length[b];
    return l->layout == PACKED ? all : l->longest * l->batch;
}

/* Of the data, a sequence's step. */
static int row_of(const struct layer *l, int b, int t)
{
    int row = 0;

    if (l->layout == BY_STEP)
        return t * l->batch + b;
    if (l->layout == BY_SEQUENCE)
        return b * l->longest + t;
    for (int i = 0; i < l->batch; i++)
        row += l->length[i] < t ? l->length[i] : t;
    return row + b;
}

static double sigmoid(double x)
{
    return 1 / (1 + exp(-x));
}

/* Of an input and a state, what matrix `id` makes of it, with its bias. */
static double sum_of(const struct layer *l, const double *w, int pseudo, int id,
                     int row, const double *x, int columns)
{
    const long long m = l->matrix[pseudo][id], b = l->biases[pseudo][id];
    double sum = b >= 0 ? w[b + row] : 0;

    if (m < 0)
        return sum + x[row];
    for (int i = 0; i < columns; i++)
        sum += w[m + row * columns + i] * x[i];
    return sum;
}

/* A cell's step: h and c become those after it. */
static void step(const struct layer *l, const double *w, int pseudo,
                 const double *x, int columns, double *h, double *c)
{
    const int gates = gates_of(l);
    double in[GATES_MAX], of[GATES_MAX], out[64], next[64];

    for (int j = 0; j < l->hidden; j++) {
        for (int g = 0; g < gates; g++) {
            in[g] = sum_of(l, w, pseudo, g, j, x, columns);
            of[g] = sum_of(l, w, pseudo, gates + g, j, h, l->state);
        }
        if (l->cell == LSTM) {
            c[j] = sigmoid(in[1] + of[1]) * c[j] +
                   sigmoid(in[0] + of[0]) * tanh(in[2] + of[2]);
            out[j] = sigmoid(in[3] + of[3]) * tanh(c[j]);
        } else if (l->cell == GRU) {
            const double z = sigmoid(in[1] + of[1]);

            out[j] = (1 - z) * tanh(in[2] + sigmoid(in[0] + of[0]) * of[2]) +
                     z * h[j];
        } else {
            out[j] =
                l->cell == TANH ? tanh(in[0] + of[0]) : fmax(in[0] + of[0], 0);
        }
    }
    for (int j = 0; j < l->state; j++)
        next[j] = l->state == l->hidden
                      ? out[j]
                      : sum_of(l, w, pseudo, 8, j, out, l->hidden);
    memcpy(h, next, (size_t)l->state * sizeof *h);
}

struct values {
    double *x, *hx, *cx, *w, *y, *hy, *cy;
};

static void define(const struct layer *l, const struct values *v)
{
    const int ways = l->both + 1, line = ways * l->state;
    const size_t bytes = (size_t)(rows_of(l) * line) * sizeof(double);
    double *in = malloc(bytes), *out = malloc(bytes);

    for (int pseudo = 0; pseudo < l->layers * ways; pseudo++) {
        const int layer = pseudo / ways, way = pseudo % ways;
        const int columns = layer == 0 ? l->input : line;

        if (way == 0 && layer > 0)
            memcpy(in, out, bytes);
        for (int b = 0; b < l->batch; b++) {
            double *h = v->hy + (pseudo * l->batch + b) * l->state;
            double *c = v->cy + (pseudo * l->batch + b) * l->hidden;

            memcpy(h, v->hx + (h - v->hy), (size_t)l->state * sizeof *h);
            memcpy(c, v->cx + (c - v->cy), (size_t)l->hidden * sizeof *c);
            for (int t = 0; t < l->length[b]; t++) {
                const int at =
                    row_of(l, b, way == 0 ? t : l->length[b] - 1 - t);

                step(l, v->w, pseudo,
                     (layer == 0 ? v->x : in) + (long long)at * columns,
                     columns, h, c);
                memcpy(out + at * line + way * l->state, h,
                       (size_t)l->state * sizeof *h);
            }
        }
    }
    memcpy(v->y, out, bytes);
    free(in);
    free(out);
}

/* ---- the library's -------------------------------------------------------------------- */

struct made {
    void *rnn, *dropout, *x_is, *y_is, *h_is, *c_is, *work, *reserve;
    size_t weight_bytes, work_bytes, reserve_bytes;
    int weights;
};

static void find_weights(struct layer *l, const struct made *m,
                         const struct array *w)
{
    int size[3], stride[3], type, rank;
    void *matrix_is, *bias_is, *matrix, *bias;

    cudnnCreateTensorDescriptor(&matrix_is);
    cudnnCreateTensorDescriptor(&bias_is);
    for (int p = 0; p < l->layers * (l->both + 1); p++) {
        for (int id = 0; id < 2 * gates_of(l) + (l->cell == LSTM); id++) {
            cudnnGetRNNWeightParams(handle, m->rnn, p, m->weight_bytes,
                                    w->device, id, matrix_is, &matrix, bias_is,
                                    &bias);
            l->matrix[p][id] = matrix == NULL
                                   ? -1
                                   : ((char *)matrix - (char *)w->device) /
                                         (long long)bytes_of(l->type);
            l->biases[p][id] = bias == NULL
                                   ? -1
                                   : ((char *)bias - (char *)w->device) /
                                         (long long)bytes_of(l->type);
            cudnnGetTensorNdDescriptor(matrix_is, 3, &type, &rank, size,
                                       stride);
            if ((matrix == NULL
                     ? rank != 0
                     : rank != 3 || size[0] != 1 ||
                           size[1] != (id == 8 ? l->state : l->hidden)))
                failed("the rows of a matrix", size[1], l->hidden);
        }
    }
    cudnnDestroyTensorDescriptor(matrix_is);
    cudnnDestroyTensorDescriptor(bias_is);
}

static int make(const struct layer *l, struct made *m)
{
    const int ways = l->both + 1;
    const int size[] = {l->layers * ways, l->batch, l->state};
    const int stride[] = {l->batch * l->state, l->state, 1};
    char fill[8];
    size_t bytes;

    put(l->type, fill, FILL);
    return cudnnCreateRNNDescriptor(&m->rnn) ||
           cudnnCreateDropoutDescriptor(&m->dropout) ||
           cudnnSetDropoutDescriptor(m->dropout, handle, 0, NULL, 0, 0) ||
           cudnnSetRNNDescriptor_v8(
               m->rnn, 0, l->cell, l->bias, l->both, l->skips, l->type,
               l->type == DOUBLE ? DOUBLE : FLOAT, l->math, l->input, l->hidden,
               l->state, l->layers, m->dropout, 1) ||
           cudnnBuildRNNDynamic(handle, m->rnn, l->batch) ||
           cudnnCreateRNNDataDescriptor(&m->x_is) ||
           cudnnCreateRNNDataDescriptor(&m->y_is) ||
           cudnnSetRNNDataDescriptor(m->x_is, l->type, l->layout, l->longest,
                                     l->batch, l->input, l->length, NULL) ||
           cudnnSetRNNDataDescriptor(m->y_is, l->type, l->layout, l->longest,
                                     l->batch, ways * l->state, l->length,
                                     fill) ||
           cudnnCreateTensorDescriptor(&m->h_is) ||
           cudnnSetTensorNdDescriptor(m->h_is, l->type, 3, size, stride) ||
           cudnnGetRNNWeightSpaceSize(handle, m->rnn, &m->weight_bytes) ||
           cudnnGetRNNTempSpaceSizes(handle, m->rnn, 0, m->x_is, &m->work_bytes,
                                     NULL) ||
           cudnnGetRNNTempSpaceSizes(handle, m->rnn, 1, m->x_is, &bytes,
                                     &m->reserve_bytes) ||
           cudaMalloc(&m->work, m->work_bytes += bytes) ||
           cudaMalloc(&m->reserve, m->reserve_bytes);
}

static void unmake(struct made *m)
{
    cudnnDestroyRNNDescriptor(m->rnn);
    cudnnDestroyDropoutDescriptor(m->dropout);
    cudnnDestroyRNNDataDescriptor(m->x_is);
    cudnnDestroyRNNDataDescriptor(m->y_is);
    cudnnDestroyTensorDescriptor(m->h_is);
    cudaFree(m->work);
    cudaFree(m->reserve);
}

/* ---- comparisons ------------------------------------------------------------------------ */

static double exactness(const struct layer *l)
{
    switch (l->type) {
    case DOUBLE:
        return 1e-13;
    case FLOAT:
        return l->math == FMA ? 2e-6 : 3e-3;
    case HALF:
        return 4e-3;
    default:
        return 4e-2;
    }
}

static int is_near(const struct layer *l, const char *what,
                   const struct array *got, const double *want)
{
    for (int i = 0; i < got->all; i++) {
        if (!(fabs(got->x[i] - want[i]) <= exactness(l)))
            return failed(what, got->x[i], want[i]);
    }
    return 0;
}

/* In y, steps behind a sequence's end. */
static void put_fill(const struct layer *l, double *y)
{
    const int line = (l->both + 1) * l->state;

    for (int b = 0; b < l->batch && l->layout != PACKED; b++) {
        for (int t = l->length[b]; t < l->longest; t++) {
            for (int i = 0; i < line; i++)
                y[row_of(l, b, t) * line + i] = FILL;
        }
    }
}

static double *copy_of(const struct array *a)
{
    double *x = malloc((size_t)(a->all + 1) * sizeof *x);

    memcpy(x, a->x, (size_t)a->all * sizeof *x);
    return x;
}

static double product(const double *x, const struct array *a)
{
    double sum = 0;

    for (int i = 0; i < a->all; i++)
        sum += x[i] * a->x[i];
    return sum;
}

/* All that a call takes and gives. */
struct call {
    struct layer *l;
    struct made m;
    struct array x, hx, cx, w, y, hy, cy;
    struct array dx, dhx, dcx, dw, dy, dhy, dcy;
    struct values v;
};

/* What dy, dhy and dcy make of the definition's results. */
static double loss(const struct call *c)
{
    define(c->l, &c->v);
    put_fill(c->l, c->v.y);
    return product(c->v.y, &c->dy) + product(c->v.hy, &c->dhy) +
           (c->l->cell == LSTM ? product(c->v.cy, &c->dcy) : 0);
}

/* The gradient of an input, along drawn directions. */
static int has_slope(const struct call *c, const char *what, double *at,
                     const struct array *gradient)
{
    const double little = 1e-5;
    double *old = malloc((size_t)gradient->all * sizeof *old);
    double *along = malloc((size_t)gradient->all * sizeof *along);
    int status = 0;

    memcpy(old, at, (size_t)gradient->all * sizeof *old);
    for (int i = 0; i < TRIES && status == 0; i++) {
        double got = 0, want = 0, size = 0;

        for (int j = 0; j < gradient->all; j++) {
            along[j] = drawn(1);
            got += gradient->x[j] * along[j];
            size += fabs(gradient->x[j] * along[j]);
        }
        for (int sign = -1; sign <= 1; sign += 2) {
            for (int j = 0; j < gradient->all; j++)
                at[j] = old[j] + sign * little * along[j];
            want += sign * loss(c) / (2 * little);
        }
        if (!(fabs(got - want) <= (exactness(c->l) + 1e-8) * (size + 1)))
            status = failed(what, got, want);
    }
    memcpy(at, old, (size_t)gradient->all * sizeof *old);
    free(old);
    free(along);
    return status;
}

static int forward(struct call *c, int trains)
{
    const struct made *m = &c->m;
    const int is_lstm = c->l->cell == LSTM;

    int status = cudnnRNNForward(
        handle, m->rnn, trains, NULL, m->x_is, c->x.device, m->y_is,
        c->y.device, m->h_is, c->hx.device, c->hy.device, m->h_is,
        is_lstm ? c->cx.device : NULL, is_lstm ? c->cy.device : NULL,
        m->weight_bytes, c->w.device, m->work_bytes, m->work,
        trains ? m->reserve_bytes : 0, trains ? m->reserve : NULL);

    if (status != 0)
        return failed("forward's status", status, 0);
    receive(&c->y);
    receive(&c->hy);
    receive(&c->cy);
    define(c->l, &c->v);
    put_fill(c->l, c->v.y);
    return is_near(c->l, "y", &c->y, c->v.y) ||
           is_near(c->l, "hy", &c->hy, c->v.hy) ||
           (is_lstm && is_near(c->l, "cy", &c->cy, c->v.cy));
}

static int backward(struct call *c, int sets)
{
    const struct made *m = &c->m;
    const int is_lstm = c->l->cell == LSTM;

    int status = cudnnRNNBackwardData_v8(
        handle, m->rnn, NULL, m->y_is, c->y.device, c->dy.device, m->x_is,
        c->dx.device, m->h_is, c->hx.device, c->dhy.device, c->dhx.device,
        m->h_is, is_lstm ? c->cx.device : NULL, is_lstm ? c->dcy.device : NULL,
        is_lstm ? c->dcx.device : NULL, m->weight_bytes, c->w.device,
        m->work_bytes, m->work, m->reserve_bytes, m->reserve);

    if (status != 0)
        return failed("backward's status", status, 0);
    for (int i = 0; i < c->dw.all; i++)
        c->dw.x[i] = 1;
    send(&c->dw);
    status = cudnnRNNBackwardWeights_v8(
        handle, m->rnn, sets, NULL, m->x_is, c->x.device, m->h_is, c->hx.device,
        m->y_is, c->y.device, m->weight_bytes, c->dw.device, m->work_bytes,
        m->work, m->reserve_bytes, m->reserve);
    if (status != 0)
        return failed("the weights' status", status, 0);
    receive(&c->dx);
    receive(&c->dhx);
    receive(&c->dcx);
    receive(&c->dw);
    for (int i = 0; i < c->dw.all && !sets; i++)
        c->dw.x[i] -= 1;
    return has_slope(c, "dx", c->v.x, &c->dx) ||
           has_slope(c, "dhx", c->v.hx, &c->dhx) ||
           (is_lstm && has_slope(c, "dcx", c->v.cx, &c->dcx)) ||
           has_slope(c, "dw", c->v.w, &c->dw);
}

static int check(struct layer *l, int sets)
{
    struct call c = {.l = l};
    const int type = l->type, rows = rows_of(l), ways = l->both + 1;
    const int states = l->layers * ways * l->batch;
    struct array *all[] = {&c.x,  &c.hx,  &c.cx,  &c.w,  &c.y,  &c.hy,  &c.cy,
                           &c.dx, &c.dhx, &c.dcx, &c.dw, &c.dy, &c.dhy, &c.dcy};
    int status;

    if (make(l, &c.m) != 0)
        return failed("a descriptor's status", 1, 0);
    c.x = array(type, rows * l->input, 1);
    c.y = array(type, rows * ways * l->state, 1);
    c.hx = array(type, states * l->state, 1);
    c.cx = array(type, states * l->hidden, 1);
    c.w = array(type, (int)(c.m.weight_bytes / bytes_of(type)), 0.5);
    c.hy = array(type, c.hx.all, 1), c.cy = array(type, c.cx.all, 1);
    c.dx = array(type, c.x.all, 1), c.dy = array(type, c.y.all, 1);
    c.dhx = array(type, c.hx.all, 1), c.dhy = array(type, c.hx.all, 1);
    c.dcx = array(type, c.cx.all, 1), c.dcy = array(type, c.cx.all, 1);
    c.dw = array(type, c.w.all, 1);
    c.v = (struct values){copy_of(&c.x), copy_of(&c.hx), copy_of(&c.cx),
                          copy_of(&c.w), copy_of(&c.y),  copy_of(&c.hy),
                          copy_of(&c.cy)};
    find_weights(l, &c.m, &c.w);
    status = forward(&c, 0) || forward(&c, 1) || backward(&c, sets);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        drop(all[i]);
    free(c.v.x), free(c.v.hx), free(c.v.cx), free(c.v.w), free(c.v.y);
    free(c.v.hy), free(c.v.cy);
    unmake(&c.m);
    return status;
}

/* ---- tests ----------------------------------------------------------------------------- */

#define EVEN(n) \
    n, 3,       \
    {           \
        n, n, n \
    }
/* cell, bias, both ways, skips, input, hidden, state, layers, layout, longest,
 * batch, lengths, type */
static struct layer shapes[] = {
    {LSTM, BIAS_OF_BOTH, 1, 0, 5, 6, 6, 2, BY_STEP, EVEN(4), DOUBLE},
    {GRU, BIAS_OF_BOTH, 1, 0, 5, 6, 6, 3, BY_STEP, EVEN(3), DOUBLE},
    {TANH, BIAS_OF_BOTH, 1, 0, 5, 4, 4, 2, BY_STEP, EVEN(4), DOUBLE},
    {RELU, BIAS_OF_INPUT, 0, 0, 5, 4, 4, 1, BY_STEP, EVEN(4), DOUBLE},
    {LSTM, NO_BIAS, 1, 0, 5, 7, 3, 2, BY_STEP, EVEN(4), DOUBLE},
    {LSTM, BIAS_OF_STATE, 0, 1, 5, 5, 5, 2, BY_STEP, EVEN(3), DOUBLE},
    {GRU, BIAS_OF_STATE, 1, 1, 5, 5, 5, 1, BY_STEP, EVEN(3), DOUBLE},
    {LSTM, BIAS_OF_BOTH, 1, 0, 3, 4, 4, 2, PACKED, 5, 4, {5, 3, 3, 1}, DOUBLE},
    {GRU, BIAS_OF_BOTH, 1, 0, 3, 4, 4, 2, BY_STEP, 5, 4, {1, 4, 2, 4}, DOUBLE},
    {LSTM,
     BIAS_OF_BOTH,
     1,
     0,
     3,
     6,
     2,
     1,
     BY_SEQUENCE,
     5,
     4,
     {3, 4, 0, 2},
     DOUBLE},
    {TANH, NO_BIAS, 0, 0, 3, 4, 4, 2, BY_SEQUENCE, EVEN(4), DOUBLE},
};
static struct layer types[] = {
    {LSTM, BIAS_OF_BOTH, 0, 0, 16, 32, 32, 1, BY_STEP, EVEN(4), FLOAT},
    {LSTM, BIAS_OF_BOTH, 0, 0, 16, 32, 32, 1, BY_STEP, EVEN(4), FLOAT, FMA},
    {GRU, BIAS_OF_BOTH, 1, 0, 16, 32, 32, 2, BY_STEP, 4, 3, {4, 2, 3}, HALF},
    {LSTM, BIAS_OF_BOTH, 1, 0, 16, 32, 16, 1, BY_STEP, EVEN(4), HALF},
    {LSTM, BIAS_OF_BOTH, 0, 0, 16, 32, 32, 1, BY_STEP, EVEN(4), BFLOAT16},
    {TANH, BIAS_OF_BOTH, 0, 0, 16, 32, 32, 1, BY_STEP, EVEN(4), HALF},
};

static int all_shapes(void)
{
    int status = 0;

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        if (check(&shapes[i], i % 2 != 0) != 0) {
            fprintf(stderr, "of shape %zu\n", i);
            status = 1;
        }
    }
    return status;
}

static int all_types(void)
{
    int status = 0;

    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
        if (check(&types[i], 0) != 0) {
            fprintf(stderr, "of type %zu\n", i);
            status = 1;
        }
    }
    return status;
}

/* Of other generations. */
static int some(void)
{
    return check(&types[3], 0);
}

/* A share of elements becomes 0, and the same of a gradient; the rest grows. */
static int dropout(void)
{
    const int all = 4003, stride = 1;
    const float share = 0.25f;
    struct array x = array(FLOAT, all, 1), y[3], back = array(FLOAT, all, 1);
    void *p, *again, *is, *states, *reserve;
    size_t state_bytes, bytes;
    int kept = 0, status = 0;

    cudnnCreateDropoutDescriptor(&p);
    cudnnCreateDropoutDescriptor(&again);
    cudnnCreateTensorDescriptor(&is);
    if (cudnnSetTensorNdDescriptor(is, FLOAT, 1, &all, &stride) != 0 ||
        cudnnDropoutGetStatesSize(handle, &state_bytes) != 0 ||
        cudnnDropoutGetReserveSpaceSize(is, &bytes) != 0 ||
        cudaMalloc(&states, state_bytes) != 0 ||
        cudaMalloc(&reserve, bytes) != 0 ||
        cudnnSetDropoutDescriptor(p, handle, share, states, state_bytes, 7) !=
            0)
        return failed("a descriptor's status", 1, 0);
    for (int i = 0; i < 3; i++) {
        y[i] = array(FLOAT, all, 1);
        /* The third is as the first: its states begin anew. */
        if (i == 1)
            status = cudnnRestoreDropoutDescriptor(again, handle, share, states,
                                                   state_bytes, 0);
        if (i == 2)
            status = cudnnSetDropoutDescriptor(again, handle, share, states,
                                               state_bytes, 7);
        if (status != 0 ||
            cudnnDropoutForward(handle, i == 0 ? p : again, is, x.device, is,
                                y[i].device, reserve, bytes) != 0)
            return failed("forward's status", status, 0);
        receive(&y[i]);
    }
    if (cudnnDropoutBackward(handle, p, is, x.device, is, back.device, reserve,
                             bytes) != 0)
        return failed("backward's status", 1, 0);
    receive(&back);
    for (int i = 0; i < all; i++) {
        const double grown = (double)(float)(x.x[i] / 0.75);

        kept += y[0].x[i] != 0;
        if (y[0].x[i] != 0 && fabs(y[0].x[i] - grown) > 1e-6)
            return failed("an element that is kept", y[0].x[i], grown);
        if (y[2].x[i] != y[0].x[i] || back.x[i] != y[2].x[i])
            return failed("an element again", back.x[i], y[0].x[i]);
        status |= y[1].x[i] != y[0].x[i];
    }
    if (fabs(kept - all * 0.75) > 100)
        return failed("elements that are kept", kept, all * 0.75);
    if (cudnnDropoutForward(handle, p, is, x.device, is, y[0].device, reserve,
                            bytes - 1) != TOO_SMALL)
        return failed("a small reserve's status", 0, TOO_SMALL);
    return status == 0 ? failed("a second call's elements", 0, 1) : 0;
}

static int refusals(void)
{
    const int lengths[] = {2, 3};
    struct layer l = {LSTM, 2, 0, 0, 4, 4, 4, 1, BY_STEP, EVEN(3), FLOAT};
    struct array w = array(FLOAT, 1000, 1);
    struct made m;
    void *r, *t;
    int set, n = 0, status = make(&l, &m), found[2];
    size_t less = m.work_bytes / 8;

    cudnnCreateRNNDescriptor(&r);
    cudnnCreateRNNDataDescriptor(&t);
#define IS(want, ...)                                   \
    do {                                                \
        n++;                                            \
        set = __VA_ARGS__;                              \
        if (set != (want)) {                            \
            fprintf(stderr, "refusal %d\n", n);         \
            status = failed("its status", set, (want)); \
        }                                               \
    } while (0)
    IS(NOT_SUPPORTED, cudnnSetRNNDescriptor_v8(r, 0, LSTM, 2, 0, 0, 3, FLOAT, 0,
                                               4, 4, 4, 1, NULL, 0));
    IS(NOT_SUPPORTED, cudnnSetRNNDescriptor_v8(r, 0, LSTM, 2, 0, 0, FLOAT,
                                               DOUBLE, 0, 4, 4, 4, 1, NULL, 0));
    IS(BAD_PARAM, cudnnSetRNNDescriptor_v8(r, 0, GRU, 2, 0, 0, FLOAT, FLOAT, 0,
                                           4, 4, 2, 1, NULL, 0));
    IS(BAD_PARAM, cudnnSetRNNDescriptor_v8(r, 0, GRU, 2, 0, 1, FLOAT, FLOAT, 0,
                                           5, 4, 4, 1, NULL, 0));
    IS(BAD_PARAM,
       cudnnGetRNNDescriptor_v8(r, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                NULL, NULL, NULL, NULL, NULL, NULL, NULL));
    IS(NOT_SUPPORTED, cudnnRNNSetClip_v9(m.rnn, 1, -1, 1));
    IS(0, cudnnRNNSetClip_v9(m.rnn, 0, 0, 0));
    IS(BAD_PARAM,
       cudnnSetRNNDataDescriptor(t, FLOAT, PACKED, 3, 2, 4, lengths, NULL));
    IS(0, cudnnSetRNNDataDescriptor(t, FLOAT, BY_STEP, 3, 2, 4, lengths, NULL));
    IS(0, cudnnGetRNNDataDescriptor(t, NULL, NULL, NULL, NULL, NULL, 2, found,
                                    NULL));
    IS(3, found[1]);
    IS(0, cudnnGetRNNDescriptor_v8(m.rnn, NULL, &found[0], NULL, &found[1],
                                   NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                                   NULL, NULL, NULL));
    IS(LSTM, found[0]);
    IS(BAD_PARAM, cudnnGetRNNWeightParams(handle, m.rnn, 1, m.weight_bytes,
                                          w.device, 0, NULL, NULL, NULL, NULL));
    IS(TOO_SMALL,
       cudnnRNNForward(handle, m.rnn, 0, NULL, m.x_is, w.device, m.y_is,
                       w.device, m.h_is, NULL, NULL, m.h_is, NULL, NULL,
                       m.weight_bytes, w.device, less, m.work, 0, NULL));
    IS(BAD_PARAM, cudnnRNNForward(handle, m.rnn, 1, NULL, m.x_is, w.device,
                                  m.y_is, w.device, m.h_is, NULL, NULL, m.h_is,
                                  NULL, NULL, m.weight_bytes, w.device,
                                  m.work_bytes, m.work, 0, NULL));
    IS(NOT_SUPPORTED, cudnnCreateCTCLossDescriptor(&t));
#undef IS
    return status;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int (*test)(void);
    } tests[] = {
        {"shapes", all_shapes}, {"types", all_types},   {"some", some},
        {"dropout", dropout},   {"refusals", refusals},
    };
    int status = 2;

    if (argc < 2 || cudnnCreate(&handle) != 0)
        return 1;
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        if (strcmp(argv[1], tests[i].name) == 0)
            status = tests[i].test();
    }
    if (cudaDeviceSynchronize() != 0)
        status = 1;
    cudnnDestroy(handle);
    return status;
}
