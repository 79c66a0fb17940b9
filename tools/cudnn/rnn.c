#include "tools/cudnn/rnn.h"

int rnn_gates(const struct dnn_rnn *r)
{
    static const int gates[RNN_CELLS] = {
        [RNN_RELU] = 1, [RNN_TANH] = 1, [RNN_LSTM] = 4, [RNN_GRU] = 3};

    return gates[r->cell];
}

int rnn_columns(const struct dnn_rnn *r, int layer)
{
    if (layer > 0)
        return r->ways * r->state;
    return r->skips ? 0 : r->input;
}

static long long rows_of(const struct dnn_rnn *r)
{
    return (long long)rnn_gates(r) * r->hidden;
}

long long rnn_way_stride(const struct dnn_rnn *r, int layer)
{
    long long all = rows_of(r) * (rnn_columns(r, layer) + r->state);

    if (r->state < r->hidden)
        all += (long long)r->state * r->hidden;
    return all;
}

long long rnn_bias_stride(const struct dnn_rnn *r)
{
    static const int biases[RNN_BIAS_MODES] = {0, 1, 2, 1};

    return rows_of(r) * biases[r->bias];
}

/* Of the matrices before a layer's. */
static long long matrices_before(const struct dnn_rnn *r, int layer)
{
    if (layer == 0)
        return 0;
    return r->ways *
           (rnn_way_stride(r, 0) + (layer - 1) * rnn_way_stride(r, 1));
}

long long rnn_weight_count(const struct dnn_rnn *r)
{
    return matrices_before(r, r->layers) +
           r->layers * r->ways * rnn_bias_stride(r);
}

struct rnn_weights rnn_weights_of(const struct dnn_rnn *r, int pseudo)
{
    const int layer = pseudo / r->ways, columns = rnn_columns(r, layer);
    const long long first =
        matrices_before(r, layer) + pseudo % r->ways * rnn_way_stride(r, layer);
    const long long bias =
        matrices_before(r, r->layers) + pseudo * rnn_bias_stride(r);
    struct rnn_weights w = {
        .input = columns > 0 ? first : -1,
        .state = first + rows_of(r) * columns,
        .projection = -1,
        .bias = -1,
        .bias_of_state = -1,
    };

    if (r->state < r->hidden)
        w.projection = w.state + rows_of(r) * r->state;
    if (r->bias == RNN_BIAS_OF_INPUT || r->bias == RNN_BIAS_OF_BOTH)
        w.bias = bias;
    if (r->bias == RNN_BIAS_OF_STATE)
        w.bias_of_state = bias;
    if (r->bias == RNN_BIAS_OF_BOTH)
        w.bias_of_state = bias + rows_of(r);
    return w;
}
