/* Recurrent layers, forward: one product of all tokens' inputs, then, step by
 * step, one of the states and what a cell makes of both. */
#include "tools/cudnn/rnn_run.h"

static const char *const kernels[RNN_CELLS] = {
    [RNN_RELU] = "rnn_plain",
    [RNN_TANH] = "rnn_plain",
    [RNN_LSTM] = "rnn_lstm",
    [RNN_GRU] = "rnn_gru",
};

/* A layer that is being done. */
struct layer {
    struct rnn_run *r;
    int number;
    const void *x;               /* [token][columns] */
    void *y;                     /* [token][way][state] */
    void *gates;                 /* sums of the input */
    const struct rnn_kept *kept; /* NULL: nothing is */
};

static void multiply_inputs(const struct layer *l)
{
    struct rnn_run *r = l->r;
    const struct dnn_rnn *n = r->rnn;
    const long long gates = (long long)rnn_gates(n) * n->hidden;
    const int columns = rnn_columns(n, l->number);
    const struct rnn_weights w = rnn_weights_of(n, l->number * n->ways);

    rnn_multiply(r, &(struct rnn_product){
                        .turned_a = 1,
                        .m = gates,
                        .n = r->data->tokens,
                        .k = columns,
                        .a = rnn_weight(r, w.input),
                        .lda = columns,
                        .by_a = rnn_way_stride(n, l->number),
                        .b = l->x,
                        .ldb = columns,
                        .d = l->gates,
                        .ldd = gates,
                        .by_d = gates * r->data->tokens,
                        .count = n->ways,
                        .wide = 1,
                    });
}

static void multiply_states(const struct layer *l, const struct rnn_step *s)
{
    struct rnn_run *r = l->r;
    const struct dnn_rnn *n = r->rnn;
    const long long gates = (long long)rnn_gates(n) * n->hidden;
    const long long row = (long long)s->way * r->data->batch;
    const struct rnn_weights w =
        rnn_weights_of(n, l->number * n->ways + s->way);

    rnn_multiply(r, &(struct rnn_product){
                        .turned_a = 1,
                        .m = gates,
                        .n = s->rows,
                        .k = n->state,
                        .a = rnn_weight(r, w.state),
                        .lda = n->state,
                        .b = rnn_at(r, r->work.h, row * n->state),
                        .ldb = n->state,
                        .d = rnn_sum_at(r, r->work.sums, row * gates),
                        .ldd = gates,
                        .count = 1,
                        .wide = 1,
                    });
}

/* Where a way's step begins among a buffer's tokens, or NULL. */
static void *sums_of(const struct rnn_run *r, const void *all, long long token,
                     long long width)
{
    return all != NULL ? rnn_sum_at(r, all, token * width) : NULL;
}
static void *elements_of(const struct rnn_run *r, const void *all,
                         long long token, long long width)
{
    return all != NULL ? rnn_at(r, all, token * width) : NULL;
}

static void *y_of(const struct layer *l, const struct rnn_step *s)
{
    const struct dnn_rnn *n = l->r->rnn;

    return rnn_at(l->r, l->y,
                  ((long long)s->first * n->ways + s->way) * n->state);
}

static struct rnn_forward cells_of(const struct layer *l,
                                   const struct rnn_step *s)
{
    const struct rnn_run *r = l->r;
    const struct dnn_rnn *n = r->rnn;
    const long long gates = (long long)rnn_gates(n) * n->hidden;
    const long long token = (long long)s->way * r->data->tokens + s->first;
    const long long row = (long long)s->way * r->data->batch;
    const int is_projected = n->state < n->hidden;
    const struct rnn_weights w =
        rnn_weights_of(n, l->number * n->ways + s->way);
    struct rnn_forward f = {
        .hidden = divisor_of(n->hidden),
        .rows = s->rows,
        .state = n->state,
        .relu = n->cell == RNN_RELU,
        .y_line = (long long)n->ways * n->state,
        .sums = rnn_sum_at(r, r->work.sums, row * gates),
        .bias = rnn_weight(r, w.bias),
        .bias_of_state = rnn_weight(r, w.bias_of_state),
        .h = rnn_at(r, r->work.h, row * n->state),
        .c = rnn_sum_at(r, r->work.c, row * n->hidden),
    };

    if (rnn_columns(n, l->number) > 0)
        f.gates = sums_of(r, l->gates, token, gates);
    else
        f.input = rnn_at(r, l->x, (long long)s->first * n->hidden);
    if (!is_projected)
        f.y = y_of(l, s);
    else if (l->kept == NULL)
        f.out = rnn_at(r, r->work.out, row * n->hidden);
    if (l->kept != NULL) {
        f.kept = sums_of(r, l->kept->gates, token, gates);
        f.h_before = elements_of(r, l->kept->h_before, token, n->state);
        f.c_before = sums_of(r, l->kept->c_before, token, n->hidden);
        f.inner = sums_of(r, l->kept->inner, token, n->hidden);
        if (is_projected)
            f.out = elements_of(r, l->kept->out, token, n->hidden);
    }
    return f;
}

static void project(const struct layer *l, const struct rnn_step *s,
                    const struct rnn_forward *f)
{
    struct rnn_run *r = l->r;
    const struct dnn_rnn *n = r->rnn;
    const struct rnn_weights w =
        rnn_weights_of(n, l->number * n->ways + s->way);
    struct rnn_move to_y = {
        .from = f->h,
        .to = y_of(l, s),
        .rows = s->rows,
        .from_line = n->state,
        .to_line = f->y_line,
    };

    rnn_multiply(r, &(struct rnn_product){
                        .turned_a = 1,
                        .m = n->state,
                        .n = s->rows,
                        .k = n->hidden,
                        .a = rnn_weight(r, w.projection),
                        .lda = n->hidden,
                        .b = f->out,
                        .ldb = n->hidden,
                        .d = f->h,
                        .ldd = n->state,
                        .count = 1,
                    });
    rnn_do_move(r, RNN_MOVE, &to_y, n->state, 1);
}

static void do_step(const struct layer *l, const struct rnn_step *s)
{
    const struct dnn_rnn *n = l->r->rnn;
    struct rnn_forward f = cells_of(l, s);

    multiply_states(l, s);
    rnn_launch(l->r, kernels[n->cell], (long long)s->rows * n->hidden, 1, &f);
    if (n->state < n->hidden)
        project(l, s, &f);
}

enum dnn_status rnn_forward(struct rnn_run *r, const void *x, void *y,
                            const void *hx, void *hy, const void *cx, void *cy,
                            unsigned long long fill)
{
    const struct dnn_rnn *n = r->rnn;
    const int state = n->ways * n->state, is_lstm = n->cell == RNN_LSTM;
    void *all_y = r->data->is_direct ? y : r->work.all_y;

    x = rnn_tokens_of(r, x, r->work.x, n->input);
    for (int i = 0; i < n->layers && r->status == DNN_SUCCESS; i++) {
        const int is_last = i + 1 == n->layers;
        struct layer l = {
            .r = r,
            .number = i,
            .x = x,
            .kept = r->trains ? &r->kept[i] : NULL,
            .gates = r->trains ? r->kept[i].gates : r->work.gates,
            .y = is_last     ? all_y
                 : r->trains ? r->kept[i].y
                             : r->work.y[i % 2],
        };

        rnn_get_states(r, i, hx, RNN_MOVE, r->work.h, n->state);
        if (is_lstm)
            rnn_get_states(r, i, cx, RNN_WIDEN, r->work.c, n->hidden);
        if (rnn_columns(n, i) > 0)
            multiply_inputs(&l);
        for (int at = 0; at < rnn_steps(r); at++) {
            const struct rnn_step s = rnn_step_of(r, at, 0);

            do_step(&l, &s);
        }
        rnn_put_states(r, i, r->work.h, RNN_MOVE, hy, n->state);
        if (is_lstm)
            rnn_put_states(r, i, r->work.c, RNN_NARROW, cy, n->hidden);
        if (r->drops && !is_last && r->status == DNN_SUCCESS)
            r->status = dropout_forward(r->d, n->dropout, n->type, l.y, l.y,
                                        l.kept->mask,
                                        (long long)r->data->tokens * state);
        x = l.y;
    }
    rnn_put_tokens(r, all_y, y, state, fill);
    return r->status;
}
