/*
 * What kernels of recurrent layers are given, by the host and on the device.
 *
 * A token is a step of a sequence; tokens lie step after step, of each step
 * those of the sequences that are that long, the longest first.  A row is a
 * sequence's place among them.  Gates of a token lie side by side, each as many
 * numbers as the cell has: in the order that the library's weights have.
 * Sums, gates and cells are floats (doubles where elements are).
 */
#ifndef TEG_TOOLS_CUDNN_KERNELS_RNN_H
#define TEG_TOOLS_CUDNN_KERNELS_RNN_H

#include "divide.h"

enum {
    RNN_WAYS = 2, /* directions */
    RNN_THREADS = 128,
};

/* A direction's tokens of one step, after both its products. */
struct rnn_forward {
    struct divisor hidden;
    int rows, state;
    int relu; /* of a plain cell: else the hyperbolic tangent */
    long long y_line;
    const void *gates; /* [row][gate][hidden] sums of the input; NULL: ... */
    const void
        *input;       /* ... it is added to each gate as it is: [row][hidden] */
    const void *sums; /* [row][gate][hidden] of the state before */
    const void *bias, *bias_of_state; /* [gate][hidden]; NULL: none */
    void *h;                          /* [row][state]; before, and after it */
    void *c;                          /* [row][hidden]; LSTM's */
    void *y;   /* [row], `y_line` apart; NULL: a projection follows */
    void *out; /* that which is projected: [row][hidden] */
    /* What is kept for the way back; NULL: nothing is. */
    void *kept;     /* [row][gate][hidden], what became of the gates */
    void *h_before; /* [row][state] */
    void *c_before; /* [row][hidden] */
    void *inner;    /* GRU's: what the reset gate was multiplied by */
};

/* The same on the way back. */
struct rnn_backward {
    struct divisor hidden;
    int rows, state;
    int relu;
    long long y_line;
    const void *kept, *h_before, *c_before, *inner;
    const void *dy; /* [row], `y_line` apart; NULL: all is in dh */
    void *dh;       /* [row][hidden] of the state after; GRU's direct part of
                       that before */
    void *dc;       /* [row][hidden] after, and before */
    void *gates;    /* [row][gate][hidden] elements: what the gates' sums get */
    void *gates_of_state; /* GRU's: those of the state, which differ */
};

/* Rows that are moved, `width` elements each, for groups of them. */
struct rnn_move {
    const void *from; /* NULL: `fill` */
    const void *add;  /* sums [row][width] that are added; NULL: none */
    void *to;
    const int *from_row, *to_row; /* of a row's number; NULL: the same */
    struct divisor width;
    int rows;
    long long from_line, to_line, from_group, to_group; /* elements */
    unsigned long long fill; /* its first bytes are an element */
};

/* Sums of columns of the gates' gradients, of all tokens. */
struct rnn_bias {
    const void *gates; /* [token][column] */
    void *bias;
    int tokens, columns;
    int adds; /* to what is there */
};

/* What an input that is added to each gate gets. */
struct rnn_skip {
    const void *gates[RNN_WAYS]; /* [token][gate][hidden]; NULL: no such way */
    void *dx;                    /* [token][hidden] */
    struct divisor hidden;
    int count;    /* of gates */
    unsigned all; /* elements of dx */
};

#endif
