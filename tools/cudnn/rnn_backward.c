/* Recurrent layers, backward: step by step what the cells' sums get, and the
 * state before by a product; then the inputs and, of all tokens, the weights. */
#include "tools/cudnn/rnn_run.h"

static const char *const kernels[RNN_CELLS] = {
    [RNN_RELU] = "rnn_plain_back",
    [RNN_TANH] = "rnn_plain_back",
    [RNN_LSTM] = "rnn_lstm_back",
    [RNN_GRU] = "rnn_gru_back",
};

/* A layer that is being done. */
struct layer {
    struct rnn_run *r;
    int number;
    const void *dy; /* [token][way][state]; NULL: 0 */
    const struct rnn_kept *kept;
};

static long long gates_of(const struct rnn_run *r)
{
    return (long long)rnn_gates(r->rnn) * r->rnn->hidden;
}

/* ---- steps ------------------------------------------------------------------------ */

/* What the state gets, and by its projection what the cells gave out. */
static void project_back(const struct layer *l, const struct rnn_step *s,
                         struct rnn_backward *b)
{
    struct rnn_run *r = l->r;
    const struct dnn_rnn *n = r->rnn;
    const long long token = (long long)s->way * r->data->tokens + s->first;
    const struct rnn_weights w =
        rnn_weights_of(n, l->number * n->ways + s->way);
    struct rnn_move sum = {
        .from = b->dy,
        .add = b->dh,
        .to = rnn_at(r, l->kept->d_state, token * n->state),
        .rows = s->rows,
        .from_line = b->y_line,
        .to_line = n->state,
    };

    rnn_do_move(r, RNN_MOVE, &sum, n->state, 1);
    b->dy = NULL;
    b->dh = rnn_sum_at(r, r->work.d_out,
                       (long long)s->way * r->data->batch * n->hidden);
    rnn_multiply(r, &(struct rnn_product){
                        .m = n->hidden,
                        .n = s->rows,
                        .k = n->state,
                        .a = rnn_weight(r, w.projection),
                        .lda = n->hidden,
                        .b = sum.to,
                        .ldb = n->state,
                        .d = b->dh,
                        .ldd = n->hidden,
                        .count = 1,
                        .wide = 1,
                    });
}

static struct rnn_backward cells_of(const struct layer *l,
                                    const struct rnn_step *s)
{
    const struct rnn_run *r = l->r;
    const struct dnn_rnn *n = r->rnn;
    const struct rnn_kept *k = l->kept;
    const long long token = (long long)s->way * r->data->tokens + s->first;
    const long long row = (long long)s->way * r->data->batch;
    const long long y = ((long long)s->first * n->ways + s->way) * n->state;

    return (struct rnn_backward){
        .hidden = divisor_of(n->hidden),
        .rows = s->rows,
        .state = n->state,
        .relu = n->cell == RNN_RELU,
        .y_line = (long long)n->ways * n->state,
        .kept = rnn_sum_at(r, k->gates, token * gates_of(r)),
        .h_before = rnn_at(r, k->h_before, token * n->state),
        .c_before = k->c_before != NULL
                        ? rnn_sum_at(r, k->c_before, token * n->hidden)
                        : NULL,
        .inner = k->inner != NULL ? rnn_sum_at(r, k->inner, token * n->hidden)
                                  : NULL,
        .dy = l->dy != NULL ? rnn_at(r, l->dy, y) : NULL,
        .dh = rnn_sum_at(r, r->work.dh, row * n->state),
        .dc = rnn_sum_at(r, r->work.dc, row * n->hidden),
        .gates = rnn_at(r, k->d_gates, token * gates_of(r)),
        .gates_of_state = rnn_at(r, k->d_gates_of_state, token * gates_of(r)),
    };
}

static void multiply_states(const struct layer *l, const struct rnn_step *s,
                            const struct rnn_backward *b)
{
    struct rnn_run *r = l->r;
    const struct dnn_rnn *n = r->rnn;
    const struct rnn_weights w =
        rnn_weights_of(n, l->number * n->ways + s->way);

    rnn_multiply(
        r, &(struct rnn_product){
               .m = n->state,
               .n = s->rows,
               .k = gates_of(r),
               .a = rnn_weight(r, w.state),
               .lda = n->state,
               .b = b->gates_of_state,
               .ldb = gates_of(r),
               .d = rnn_sum_at(r, r->work.dh,
                               (long long)s->way * r->data->batch * n->state),
               .ldd = n->state,
               .count = 1,
               .adds = n->cell == RNN_GRU,
               .wide = 1,
           });
}

static void do_step(const struct layer *l, const struct rnn_step *s)
{
    const struct dnn_rnn *n = l->r->rnn;
    struct rnn_backward b = cells_of(l, s);

    if (n->state < n->hidden)
        project_back(l, s, &b);
    rnn_launch(l->r, kernels[n->cell], (long long)s->rows * n->hidden, 1, &b);
    multiply_states(l, s, &b);
}

/* ---- inputs ------------------------------------------------------------------------ */

static void do_inputs(const struct layer *l, void *dx)
{
    struct rnn_run *r = l->r;
    const struct dnn_rnn *n = r->rnn;
    const int columns = rnn_columns(n, l->number);
    const long long gates = gates_of(r), tokens = r->data->tokens;

    if (columns == 0) {
        struct rnn_skip skip = {
            .gates = {l->kept->d_gates,
                      n->ways > 1 ? rnn_at(r, l->kept->d_gates, tokens * gates)
                                  : NULL},
            .dx = dx,
            .hidden = divisor_of(n->hidden),
            .count = rnn_gates(n),
            .all = (unsigned)(tokens * n->hidden),
        };

        rnn_launch(r, "rnn_skip", tokens * n->hidden, 1, &skip);
        return;
    }
    for (int way = 0; way < n->ways; way++) {
        const struct rnn_weights w =
            rnn_weights_of(n, l->number * n->ways + way);

        rnn_multiply(r,
                     &(struct rnn_product){
                         .m = columns,
                         .n = tokens,
                         .k = gates,
                         .a = rnn_weight(r, w.input),
                         .lda = columns,
                         .b = rnn_at(r, l->kept->d_gates, way * tokens * gates),
                         .ldb = gates,
                         .d = dx,
                         .ldd = columns,
                         .count = 1,
                         .adds = way > 0,
                     });
    }
}

enum dnn_status rnn_backward_data(struct rnn_run *r, const void *dy, void *dx,
                                  const void *dhy, void *dhx, const void *dcy,
                                  void *dcx)
{
    const struct dnn_rnn *n = r->rnn;
    const int state = n->ways * n->state, is_lstm = n->cell == RNN_LSTM;
    void *all_dx = r->data->is_direct ? dx : r->work.x;

    dy = rnn_tokens_of(r, dy, r->work.all_y, state);
    for (int i = n->layers - 1; i >= 0 && r->status == DNN_SUCCESS; i--) {
        const struct layer l = {
            .r = r, .number = i, .dy = dy, .kept = &r->kept[i]};
        void *to = i > 0 ? r->work.dy[i % 2] : all_dx;

        rnn_get_states(r, i, dhy, RNN_WIDEN, r->work.dh, n->state);
        if (is_lstm)
            rnn_get_states(r, i, dcy, RNN_WIDEN, r->work.dc, n->hidden);
        for (int at = 0; at < rnn_steps(r); at++) {
            const struct rnn_step s = rnn_step_of(r, at, 1);

            do_step(&l, &s);
        }
        rnn_put_states(r, i, r->work.dh, RNN_NARROW, dhx, n->state);
        if (is_lstm)
            rnn_put_states(r, i, r->work.dc, RNN_NARROW, dcx, n->hidden);
        if (to != NULL)
            do_inputs(&l, to);
        if (i > 0 && r->drops && r->status == DNN_SUCCESS)
            r->status = dropout_backward(r->d, n->dropout, n->type, to, to,
                                         r->kept[i - 1].mask,
                                         (long long)r->data->tokens * state);
        dy = to;
    }
    if (dx != NULL)
        rnn_put_tokens(r, all_dx, dx, n->input, 0);
    return r->status;
}

/* ---- weights ------------------------------------------------------------------------ */

/* A matrix by rows, of what it was multiplied by and what its rows got. */
static void do_matrix(struct rnn_run *r, const struct rnn_product *p)
{
    struct rnn_product full = *p;

    full.turned_b = 1;
    full.k = r->data->tokens;
    full.lda = full.ldd = p->m;
    full.ldb = p->n;
    full.by_b = full.k * p->n;
    full.count = r->rnn->ways;
    rnn_multiply(r, &full);
}

static void do_bias(struct rnn_run *r, const void *gates, void *bias, int way,
                    int adds)
{
    const long long columns = gates_of(r), tokens = r->data->tokens;
    struct rnn_bias b = {
        .gates = rnn_at(r, gates, way * tokens * columns),
        .bias = bias,
        .tokens = (int)tokens,
        .columns = (int)columns,
        .adds = adds,
    };

    rnn_launch(r, "rnn_bias", (columns + 31) / 32 * RNN_THREADS, 1, &b);
}

enum dnn_status rnn_backward_weights(struct rnn_run *r, const void *x,
                                     void *d_weights, int adds)
{
    const struct dnn_rnn *n = r->rnn;
    const long long gates = gates_of(r), tokens = r->data->tokens;

    x = rnn_tokens_of(r, x, r->work.x, n->input);
    for (int i = 0; i < n->layers && r->status == DNN_SUCCESS; i++) {
        const struct rnn_kept *k = &r->kept[i];
        const struct rnn_weights w = rnn_weights_of(n, i * n->ways);
        const long long stride = rnn_way_stride(n, i);

        if (w.input >= 0)
            do_matrix(r,
                      &(struct rnn_product){.m = rnn_columns(n, i),
                                            .n = gates,
                                            .a = x,
                                            .b = k->d_gates,
                                            .d = rnn_at(r, d_weights, w.input),
                                            .by_d = stride,
                                            .adds = adds});
        do_matrix(r, &(struct rnn_product){.m = n->state,
                                           .n = gates,
                                           .a = k->h_before,
                                           .by_a = tokens * n->state,
                                           .b = k->d_gates_of_state,
                                           .d = rnn_at(r, d_weights, w.state),
                                           .by_d = stride,
                                           .adds = adds});
        if (w.projection >= 0)
            do_matrix(r, &(struct rnn_product){
                             .m = n->hidden,
                             .n = n->state,
                             .a = k->out,
                             .by_a = tokens * n->hidden,
                             .b = k->d_state,
                             .d = rnn_at(r, d_weights, w.projection),
                             .by_d = stride,
                             .adds = adds});
        for (int way = 0; way < n->ways; way++) {
            const struct rnn_weights of = rnn_weights_of(n, i * n->ways + way);

            if (of.bias >= 0)
                do_bias(r, k->d_gates, rnn_at(r, d_weights, of.bias), way,
                        adds);
            if (of.bias_of_state >= 0)
                do_bias(r, k->d_gates_of_state,
                        rnn_at(r, d_weights, of.bias_of_state), way, adds);
        }
        x = k->y;
    }
    return r->status;
}
