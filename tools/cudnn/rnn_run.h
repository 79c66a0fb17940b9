/*
 * A call of a recurrent layer that is under way: where its numbers lie, and the
 * launches of which both ways consist.  The first that fails ends it: what is
 * asked of it then does nothing.
 *
 * Buffers of both directions lie one behind the other.
 */
#ifndef TEG_TOOLS_CUDNN_RNN_RUN_H
#define TEG_TOOLS_CUDNN_RNN_RUN_H

#include "tools/cudnn/kernels/rnn.h"
#include "tools/cudnn/rnn.h"

/* What training keeps of a layer, in the program's reserve. */
struct rnn_kept {
    void *gates;    /* [way][token][gate][hidden] */
    void *c_before; /* [way][token][hidden]; LSTM's */
    void *inner;    /* [way][token][hidden]; GRU's */
    void *h_before; /* [way][token][state] */
    void *out;      /* [way][token][hidden]; projected */
    void *y;        /* [token][way][state]; but of the last layer */
    void *mask;     /* of dropout, of the same */
    /* Gradients, which the way back leaves for the weights'. */
    void *d_gates;          /* [way][token][gate][hidden] */
    void *d_gates_of_state; /* GRU's; others': the same */
    void *d_state;          /* [way][token][state]; projected */
};

/* What a call needs meanwhile, in the program's work area. */
struct rnn_work {
    void *sums;      /* [way][row][gate][hidden] */
    void *h, *c;     /* [way][row][state], [hidden] */
    void *gates;     /* as kept ones, if nothing is kept */
    void *out;       /* [way][row][hidden] */
    void *y[2];      /* of a layer and the next */
    void *dh;        /* [way][row][state] */
    void *dc;        /* [way][row][hidden] */
    void *d_out;     /* [way][row][hidden] */
    void *dy[2];     /* of a layer and the one before */
    void *tables;    /* the data's */
    void *x, *all_y; /* data as tokens */
};

struct rnn_run {
    struct dnn *d;
    const struct dnn_rnn *rnn;
    const struct dnn_rnn_data *data;
    int trains, drops;
    const char *weights;
    struct rnn_work work;
    struct rnn_kept *kept; /* [layer]; owned */
    enum dnn_status status;
};

/* Bytes of both areas for so many tokens and sequences. */
void rnn_room(const struct dnn_rnn *r, int trains, long long tokens, int batch,
              size_t *work, size_t *reserve);

/* The areas have the room; `reserve` NULL: nothing is kept. */
void rnn_run_init(struct rnn_run *r, void *work, void *reserve);
/* Returns how it went. */
enum dnn_status rnn_run_end(struct rnn_run *r);

/* Elements, and sums of them. */
void *rnn_at(const struct rnn_run *r, const void *p, long long elements);
void *rnn_sum_at(const struct rnn_run *r, const void *p, long long sums);
/* A pseudo-layer's; NULL: there are none. */
const void *rnn_weight(const struct rnn_run *r, long long at);

/* D = op(A) op(B) + beta D, of columns side by side, for `count` ways. */
struct rnn_product {
    int turned_a, turned_b; /* op: transposed */
    long long m, n, k;
    const void *a, *b;
    void *d;
    long long lda, ldb, ldd, by_a, by_b, by_d; /* elements; way to way */
    int count;
    int adds; /* beta: 1 */
    int wide; /* D is of sums */
};
void rnn_multiply(struct rnn_run *r, const struct rnn_product *p);

enum rnn_moves {
    RNN_MOVE,
    RNN_WIDEN,  /* elements to sums */
    RNN_NARROW, /* and back */
};
void rnn_do_move(struct rnn_run *r, enum rnn_moves what, struct rnn_move *m,
                 int width, int ways);

/* Data as tokens: as they lie or, copied, in `room`. */
const void *rnn_tokens_of(struct rnn_run *r, const void *data, void *room,
                          int width);
/* And back, where they were not in place.  What is behind a sequence's end
 * becomes `fill`. */
void rnn_put_tokens(struct rnn_run *r, const void *tokens, void *data,
                    int width, unsigned long long fill);

/* States of a layer, both ways: from the program's, or 0, and to them. */
void rnn_get_states(struct rnn_run *r, int layer, const void *from,
                    enum rnn_moves what, void *to, int width);
void rnn_put_states(struct rnn_run *r, int layer, const void *from,
                    enum rnn_moves what, void *to, int width);

void rnn_launch(struct rnn_run *r, const char *what, long long threads,
                int ways, void *args);

/* Steps of a layer, of one way after the other. */
struct rnn_step {
    int way;
    int rows;  /* sequences that are that long */
    int first; /* token */
};
int rnn_steps(const struct rnn_run *r);
struct rnn_step rnn_step_of(const struct rnn_run *r, int i, int backward);

enum dnn_status rnn_forward(struct rnn_run *r, const void *x, void *y,
                            const void *hx, void *hy, const void *cx, void *cy,
                            unsigned long long fill);
enum dnn_status rnn_backward_data(struct rnn_run *r, const void *dy, void *dx,
                                  const void *dhy, void *dhx, const void *dcy,
                                  void *dcx);
enum dnn_status rnn_backward_weights(struct rnn_run *r, const void *x,
                                     void *d_weights, int adds);

#endif
