/*
 * Blocks of reflections, as QR leaves them below a diagonal: H = I - V T V', the
 * product of PANEL of them and less.
 */
#ifndef TEG_TOOLS_CUSOLVER_REFLECT_H
#define TEG_TOOLS_CUSOLVER_REFLECT_H

#include "tools/cusolver/kernels/panel.h"
#include "tools/cusolver/solver.h"

struct reflector {
    int type;
    int64_t rows, count; /* of V */
    struct mat v, t;     /* V with its ones and zeros */
    struct mat products; /* V' V, and what products need besides */
    struct mat first, second;
};

/* Its room, for V of so many rows and for matrices with so many columns (rows,
 * if it stands right of them). */
void reflector_room(struct reflector *h, int type, int64_t rows,
                    int64_t columns, struct room *r);

/* The `count` reflections that begin at `a`'s diagonal. */
int reflector_make(const struct solver *s, struct reflector *h, int64_t rows,
                   int64_t count, struct mat a, const void *tau);

/* C = H C (or of OP_T H' C), C H of RIGHT; `others` are C's columns (rows). */
int reflector_apply(const struct solver *s, const struct reflector *h, int side,
                    int op, int64_t others, struct mat c);

/* The same of all `k` reflections of A: op(Q) C or C op(Q); C is m x n. */
int reflect_all(const struct solver *s, struct reflector *h, int side, int op,
                int64_t m, int64_t n, int64_t k, struct mat a, const void *tau,
                struct mat c);

/* QR of A, m x n, in its place; `h` has room for m rows and n columns. */
int reflect_factor(const struct solver *s, struct reflector *h, int64_t m,
                   int64_t n, struct mat a, void *tau);

/* The first n columns of A's k reflections' product, into C, which is not A. */
int reflect_form(const struct solver *s, struct reflector *h, int64_t m,
                 int64_t n, int64_t k, struct mat a, const void *tau,
                 struct mat c);

#endif
