/*
 * Recurrent layers: what their descriptors hold, and how weights lie.
 *
 * A layer of one direction is a pseudo-layer: layer * ways + way.  Its weights
 * are matrices by rows, one for each gate, of the input and then of the state,
 * and the projection's; behind those of all pseudo-layers come biases, in the
 * same order.
 */
#ifndef TEG_TOOLS_CUDNN_RNN_H
#define TEG_TOOLS_CUDNN_RNN_H

#include "tools/cudnn/dropout.h"

/* cudnnRNNMode_t */
enum rnn_cell {
    RNN_RELU,
    RNN_TANH,
    RNN_LSTM,
    RNN_GRU,
    RNN_CELLS,
};

/* cudnnRNNBiasMode_t */
enum rnn_bias_mode {
    RNN_NO_BIAS,
    RNN_BIAS_OF_INPUT,
    RNN_BIAS_OF_BOTH,
    RNN_BIAS_OF_STATE,
    RNN_BIAS_MODES,
};

/* cudnnRNNDataLayout_t: rows of vectors, */
enum rnn_layout {
    RNN_BY_STEP, /* step after step, all sequences in each */
    RNN_PACKED,  /* step after step, those that are that long: the longest
                    first */
    RNN_BY_SEQUENCE,
    RNN_LAYOUTS,
};

/* cudnnRNNDescriptor_t */
struct dnn_rnn {
    int algorithm; /* all are the same here */
    int cell;      /* enum rnn_cell */
    int bias;      /* enum rnn_bias_mode */
    int ways;      /* 1, or both directions */
    int skips;     /* the input is added to each gate as it is */
    int type, precision, math;
    int input, hidden, state, layers; /* state: less than hidden if projected */
    const struct dnn_dropout *dropout;
    unsigned flags;
};

/* cudnnRNNDataDescriptor_t.  Tokens are in the order of kernels/rnn.h. */
struct dnn_rnn_data {
    int type, layout, longest, batch, vector;
    unsigned long long fill; /* an element: of results behind an end */
    int *length;             /* of each sequence; owned */
    int *rows;     /* of each step: sequences that are that long; owned */
    int *tables;   /* of each row, its sequence; of each token, the data's row;
                    owned */
    int steps;     /* of the longest sequence */
    int tokens;    /* of all */
    int is_sorted; /* rows are sequences */
    int is_direct; /* and tokens are rows of the data */
};

int rnn_gates(const struct dnn_rnn *r);
/* What a layer gets: elements of a token; 0 if the gates get it as it is. */
int rnn_columns(const struct dnn_rnn *r, int layer);

/* Elements from the weights' first to a pseudo-layer's; -1: there is none. */
struct rnn_weights {
    long long input, state, projection, bias, bias_of_state;
};
struct rnn_weights rnn_weights_of(const struct dnn_rnn *r, int pseudo);
/* From one way's to the other's, of matrices and of biases. */
long long rnn_way_stride(const struct dnn_rnn *r, int layer);
long long rnn_bias_stride(const struct dnn_rnn *r);
long long rnn_weight_count(const struct dnn_rnn *r);

#endif
