/* Entry points of cuDNN: recurrent layers. */
#include "tools/cudnn/rnn_run.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cudart/say.h"

/* ---- layers ------------------------------------------------------------------------ */

CALL(cudnnCreateRNNDescriptor, struct dnn_rnn **out)
{
    if (out == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    *out = calloc(1, sizeof **out);
    return *out != NULL ? DNN_SUCCESS
                        : DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

CALL(cudnnDestroyRNNDescriptor, struct dnn_rnn *r)
{
    free(r);
    return DNN_SUCCESS;
}

CALL(cudnnSetRNNDescriptor_v8, struct dnn_rnn *r, int algorithm, int cell,
     int bias, int both_ways, int skips, int type, int precision, int math,
     int input, int hidden, int state, int layers,
     const struct dnn_dropout *dropout, unsigned flags)
{
    const int sums = type == DNN_DOUBLE ? DNN_DOUBLE : DNN_FLOAT;

    if (r == NULL || cell < 0 || cell >= RNN_CELLS || bias < 0 ||
        bias >= RNN_BIAS_MODES || both_ways < 0 || both_ways > 1 || skips < 0 ||
        skips > 1 || input < 1 || hidden < 1 || state < 1 || state > hidden ||
        layers < 1 || (state < hidden && cell != RNN_LSTM) ||
        (skips && input != hidden))
        return DNN_BAD_PARAM;
    if (dnn_bytes(type) == 0 ||
        (precision != sums && (type != DNN_HALF || precision != DNN_HALF))) {
        runtime_say("",
                    "cudnnSetRNNDescriptor_v8: recurrent layers of %s, by %s, "
                    "are not implemented",
                    dnn_type_name(type), dnn_type_name(precision));
        return DNN_NOT_SUPPORTED;
    }
    *r = (struct dnn_rnn){algorithm, cell,      bias,    both_ways + 1, skips,
                          type,      precision, math,    input,         hidden,
                          state,     layers,    dropout, flags};
    return DNN_SUCCESS;
}

CALL(cudnnGetRNNDescriptor_v8, const struct dnn_rnn *r, int *algorithm,
     int *cell, int *bias, int *both_ways, int *skips, int *type,
     int *precision, int *math, int *input, int *hidden, int *state,
     int *layers, const struct dnn_dropout **dropout, unsigned *flags)
{
    if (r == NULL || r->layers == 0)
        return DNN_BAD_PARAM;
    const struct {
        int *to, value;
    } all[] = {
        {algorithm, r->algorithm}, {cell, r->cell},   {bias, r->bias},
        {both_ways, r->ways - 1},  {skips, r->skips}, {type, r->type},
        {precision, r->precision}, {math, r->math},   {input, r->input},
        {hidden, r->hidden},       {state, r->state}, {layers, r->layers},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].to != NULL)
            *all[i].to = all[i].value;
    }
    if (dropout != NULL)
        *dropout = r->dropout;
    if (flags != NULL)
        *flags = r->flags;
    return DNN_SUCCESS;
}

/* Cells that are clipped. */
static int clip(const struct dnn_rnn *r, int mode)
{
    if (r == NULL)
        return DNN_BAD_PARAM;
    if (mode == 0)
        return DNN_SUCCESS;
    runtime_say("", "cudnnRNNSetClip: cells that are clipped are not "
                    "implemented");
    return DNN_NOT_SUPPORTED;
}

CALL(cudnnRNNSetClip_v8, struct dnn_rnn *r, int mode, int nan, double from,
     double to)
{
    (void)nan, (void)from, (void)to;
    return clip(r, mode);
}

CALL(cudnnRNNSetClip_v9, struct dnn_rnn *r, int mode, double from, double to)
{
    (void)from, (void)to;
    return clip(r, mode);
}

/* A plan for a batch's size, of which there is nothing to make. */
CALL(cudnnBuildRNNDynamic, struct dnn *d, struct dnn_rnn *r, int batch)
{
    return d == NULL || r == NULL || batch < 1 ? DNN_BAD_PARAM : DNN_SUCCESS;
}

/* ---- weights ------------------------------------------------------------------------- */

CALL(cudnnGetRNNWeightSpaceSize, struct dnn *d, const struct dnn_rnn *r,
     size_t *bytes)
{
    if (d == NULL || r == NULL || r->layers == 0 || bytes == NULL)
        return DNN_BAD_PARAM;
    *bytes = (size_t)rnn_weight_count(r) * dnn_bytes(r->type);
    return DNN_SUCCESS;
}

/* A matrix of the weights, or nothing: `at` -1. */
static void describe(struct dnn_tensor *t, void **address,
                     const struct dnn_rnn *r, const void *weights, long long at,
                     int rows, int columns)
{
    if (t != NULL) {
        *t = (struct dnn_tensor){.type = r->type, .rank = at < 0 ? 0 : 3};
        if (at >= 0) {
            t->size[0] = 1, t->size[1] = rows, t->size[2] = columns;
            dnn_pack(t, DNN_NCHW);
        }
    }
    if (address != NULL)
        *address = at < 0 || weights == NULL
                       ? NULL
                       : (char *)weights + at * (long long)dnn_bytes(r->type);
}

/* `id`: of the gates' matrices of the input, those of the state, then the
 * projection. */
CALL(cudnnGetRNNWeightParams, struct dnn *d, const struct dnn_rnn *r,
     int pseudo, size_t bytes, const void *weights, int id,
     struct dnn_tensor *matrix, void **matrix_at, struct dnn_tensor *bias,
     void **bias_at)
{
    struct rnn_weights w;
    long long at, of_bias = -1, gate;
    int gates, columns, rows;

    if (d == NULL || r == NULL || r->layers == 0 || pseudo < 0 ||
        pseudo >= r->layers * r->ways || id < 0)
        return DNN_BAD_PARAM;
    gates = rnn_gates(r);
    if (id > gates * 2 || (id == gates * 2 && r->cell != RNN_LSTM))
        return DNN_BAD_PARAM;
    if (bytes < (size_t)rnn_weight_count(r) * dnn_bytes(r->type))
        return DNN_BAD_PARAM_SIZE_INSUFFICIENT;
    w = rnn_weights_of(r, pseudo);
    rows = r->hidden;
    gate = (long long)(id % gates) * rows;
    if (id == gates * 2) {
        rows = r->state;
        columns = r->hidden;
        at = w.projection;
    } else {
        const int of_input = id < gates;
        const long long bias_at_ = of_input ? w.bias : w.bias_of_state;

        columns = of_input ? rnn_columns(r, pseudo / r->ways) : r->state;
        at = of_input ? w.input : w.state;
        at = at < 0 ? at : at + gate * columns;
        of_bias = bias_at_ < 0 ? bias_at_ : bias_at_ + gate;
    }
    describe(matrix, matrix_at, r, weights, at, rows, columns);
    describe(bias, bias_at, r, weights, of_bias, rows, 1);
    return DNN_SUCCESS;
}

/* ---- data ---------------------------------------------------------------------------- */

static void clear(struct dnn_rnn_data *t)
{
    free(t->length);
    free(t->rows);
    free(t->tables);
    *t = (struct dnn_rnn_data){0};
}

CALL(cudnnCreateRNNDataDescriptor, struct dnn_rnn_data **out)
{
    if (out == NULL)
        return DNN_BAD_PARAM_NULL_POINTER;
    *out = calloc(1, sizeof **out);
    return *out != NULL ? DNN_SUCCESS
                        : DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
}

CALL(cudnnDestroyRNNDataDescriptor, struct dnn_rnn_data *t)
{
    if (t != NULL)
        clear(t);
    free(t);
    return DNN_SUCCESS;
}

/* Sequences by their lengths, the longest first, else as they are. */
static void sort(const struct dnn_rnn_data *t)
{
    int *order = t->tables, n = 0;

    for (int length = t->longest; length >= 0 && n < t->batch; length--) {
        for (int i = 0; i < t->batch; i++) {
            if (t->length[i] == length)
                order[n++] = i;
        }
    }
}

static int row_of(const struct dnn_rnn_data *t, int step, int row, int token)
{
    const int sequence = t->tables[row];

    switch (t->layout) {
    case RNN_PACKED:
        return token;
    case RNN_BY_STEP:
        return step * t->batch + sequence;
    default:
        return sequence * t->longest + step;
    }
}

static void find_tokens(struct dnn_rnn_data *t)
{
    int *row = t->tables + t->batch, token = 0;

    sort(t);
    t->is_sorted = t->is_direct = 1;
    for (int i = 0; i < t->batch; i++)
        t->is_sorted &= t->tables[i] == i;
    for (int step = 0; step < t->steps; step++) {
        for (int i = 0; i < t->batch && t->length[t->tables[i]] > step; i++) {
            t->rows[step]++;
            row[token] = row_of(t, step, i, token);
            t->is_direct &= row[token] == token;
            token++;
        }
    }
    t->is_direct &= t->is_sorted &&
                    (t->layout == RNN_PACKED || token == t->longest * t->batch);
}

CALL(cudnnSetRNNDataDescriptor, struct dnn_rnn_data *t, int type, int layout,
     int longest, int batch, int vector, const int *length, const void *fill)
{
    long long tokens = 0;
    int steps = 0;

    if (t == NULL || layout < 0 || layout >= RNN_LAYOUTS || longest < 1 ||
        batch < 1 || vector < 1 || length == NULL)
        return DNN_BAD_PARAM;
    for (int i = 0; i < batch; i++) {
        if (length[i] < 0 || length[i] > longest ||
            (layout == RNN_PACKED && i > 0 && length[i] > length[i - 1]))
            return DNN_BAD_PARAM;
        tokens += length[i];
        steps = length[i] > steps ? length[i] : steps;
    }
    if (dnn_bytes(type) == 0 || (long long)longest * batch > INT_MAX) {
        runtime_say("",
                    "cudnnSetRNNDataDescriptor: %d x %d vectors of %s are not "
                    "implemented",
                    longest, batch, dnn_type_name(type));
        return DNN_NOT_SUPPORTED;
    }
    clear(t);
    *t = (struct dnn_rnn_data){
        .type = type,
        .layout = layout,
        .longest = longest,
        .batch = batch,
        .vector = vector,
        .length = malloc((size_t)batch * sizeof(int)),
        .rows = calloc((size_t)longest, sizeof(int)),
        .tables = malloc((size_t)(batch + tokens) * sizeof(int)),
        .steps = steps,
        .tokens = (int)tokens,
    };
    if (t->length == NULL || t->rows == NULL || t->tables == NULL) {
        clear(t);
        return DNN_INTERNAL_ERROR_HOST_ALLOCATION_FAILED;
    }
    memcpy(t->length, length, (size_t)batch * sizeof(int));
    if (fill != NULL)
        memcpy(&t->fill, fill, dnn_bytes(type));
    find_tokens(t);
    return DNN_SUCCESS;
}

CALL(cudnnGetRNNDataDescriptor, const struct dnn_rnn_data *t, int *type,
     int *layout, int *longest, int *batch, int *vector, int most, int *length,
     void *fill)
{
    if (t == NULL || t->batch == 0)
        return DNN_BAD_PARAM;
    const struct {
        int *to, value;
    } all[] = {{type, t->type},
               {layout, t->layout},
               {longest, t->longest},
               {batch, t->batch},
               {vector, t->vector}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (all[i].to != NULL)
            *all[i].to = all[i].value;
    }
    for (int i = 0; length != NULL && i < most && i < t->batch; i++)
        length[i] = t->length[i];
    if (fill != NULL)
        memcpy(fill, &t->fill, dnn_bytes(t->type));
    return DNN_SUCCESS;
}

/* ---- calls --------------------------------------------------------------------------- */

/* For all sequences as long as the longest may be: lengths do not matter. */
CALL(cudnnGetRNNTempSpaceSizes, struct dnn *d, const struct dnn_rnn *r,
     int trains, const struct dnn_rnn_data *x, size_t *work, size_t *reserve)
{
    size_t other;

    if (d == NULL || r == NULL || r->layers == 0 || x == NULL || x->batch == 0)
        return DNN_BAD_PARAM;
    rnn_room(r, trains, (long long)x->longest * x->batch, x->batch,
             work != NULL ? work : &other, reserve != NULL ? reserve : &other);
    return DNN_SUCCESS;
}

static int are_alike(const struct dnn_rnn_data *x, const struct dnn_rnn_data *y)
{
    return x->type == y->type && x->layout == y->layout &&
           x->longest == y->longest && x->batch == y->batch &&
           memcmp(x->length, y->length, (size_t)x->batch * sizeof(int)) == 0;
}

/* What a call is given of its areas. */
struct areas {
    const void *weights;
    size_t weight_bytes;
    void *work;
    size_t work_bytes;
    void *reserve; /* NULL: nothing is kept */
    size_t reserve_bytes;
};

static enum dnn_status begin(struct rnn_run *run, struct dnn *d,
                             const struct dnn_rnn *r,
                             const struct dnn_rnn_data *x,
                             const struct dnn_rnn_data *y,
                             const struct areas *a)
{
    size_t work, reserve;

    if (d == NULL || r == NULL || r->layers == 0 || x == NULL || y == NULL ||
        x->batch == 0 || y->batch == 0 || a->weights == NULL ||
        a->work == NULL || x->type != r->type)
        return DNN_BAD_PARAM;
    if (!are_alike(x, y) || x->vector != r->input ||
        y->vector != r->ways * r->state)
        return DNN_BAD_PARAM_SHAPE_MISMATCH;
    rnn_room(r, a->reserve != NULL, x->tokens, x->batch, &work, &reserve);
    if (a->work_bytes < work ||
        (a->reserve != NULL && a->reserve_bytes < reserve) ||
        a->weight_bytes < (size_t)rnn_weight_count(r) * dnn_bytes(r->type))
        return DNN_BAD_PARAM_SIZE_INSUFFICIENT;
    *run = (struct rnn_run){.d = d, .rnn = r, .data = x, .weights = a->weights};
    rnn_run_init(run, a->work, a->reserve);
    return DNN_SUCCESS;
}

CALL(cudnnRNNForward, struct dnn *d, const struct dnn_rnn *r, int trains,
     const int *lengths, const struct dnn_rnn_data *x_is, const void *x,
     const struct dnn_rnn_data *y_is, void *y, const struct dnn_tensor *h_is,
     const void *hx, void *hy, const struct dnn_tensor *c_is, const void *cx,
     void *cy, size_t weight_bytes, const void *weights, size_t work_bytes,
     void *work, size_t reserve_bytes, void *reserve)
{
    const struct areas a = {
        weights,      weight_bytes, work, work_bytes, trains ? reserve : NULL,
        reserve_bytes};
    struct rnn_run run;
    enum dnn_status status;

    (void)lengths, (void)h_is, (void)c_is;
    if (trains && reserve == NULL)
        return DNN_BAD_PARAM;
    status = begin(&run, d, r, x_is, y_is, &a);
    if (status != DNN_SUCCESS)
        return (int)status;
    rnn_forward(&run, x, y, hx, hy, cx, cy, y_is->fill);
    return (int)rnn_run_end(&run);
}

CALL(cudnnRNNBackwardData_v8, struct dnn *d, const struct dnn_rnn *r,
     const int *lengths, const struct dnn_rnn_data *y_is, const void *y,
     const void *dy, const struct dnn_rnn_data *x_is, void *dx,
     const struct dnn_tensor *h_is, const void *hx, const void *dhy, void *dhx,
     const struct dnn_tensor *c_is, const void *cx, const void *dcy, void *dcx,
     size_t weight_bytes, const void *weights, size_t work_bytes, void *work,
     size_t reserve_bytes, void *reserve)
{
    const struct areas a = {weights,    weight_bytes, work,
                            work_bytes, reserve,      reserve_bytes};
    struct rnn_run run;
    enum dnn_status status;

    (void)lengths, (void)y, (void)h_is, (void)hx, (void)c_is, (void)cx;
    if (reserve == NULL)
        return DNN_BAD_PARAM;
    status = begin(&run, d, r, x_is, y_is, &a);
    if (status != DNN_SUCCESS)
        return (int)status;
    rnn_backward_data(&run, dy, dx, dhy, dhx, dcy, dcx);
    return (int)rnn_run_end(&run);
}

CALL(cudnnRNNBackwardWeights_v8, struct dnn *d, const struct dnn_rnn *r,
     int sets, const int *lengths, const struct dnn_rnn_data *x_is,
     const void *x, const struct dnn_tensor *h_is, const void *hx,
     const struct dnn_rnn_data *y_is, const void *y, size_t weight_bytes,
     void *d_weights, size_t work_bytes, void *work, size_t reserve_bytes,
     void *reserve)
{
    const struct areas a = {d_weights,  weight_bytes, work,
                            work_bytes, reserve,      reserve_bytes};
    struct rnn_run run;
    enum dnn_status status;

    (void)lengths, (void)h_is, (void)hx, (void)y;
    if (reserve == NULL)
        return DNN_BAD_PARAM;
    status = begin(&run, d, r, x_is, y_is, &a);
    if (status != DNN_SUCCESS)
        return (int)status;
    rnn_backward_weights(&run, x, d_weights, !sets);
    return (int)rnn_run_end(&run);
}
