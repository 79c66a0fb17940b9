/*
 * What the kernels of eigenvalues and singular values are given, by the host and
 * on the device.
 */
#ifndef TEG_TOOLS_CUSOLVER_KERNELS_EIGEN_H
#define TEG_TOOLS_CUSOLVER_KERNELS_EIGEN_H

#include "panel.h"

enum {
    ROTATE_ROWS = 128,  /* of eigenvectors that a block turns, a thread each; */
    ROTATE_NUMBERS = 6, /* of each row, that its other warp has */
    TURN_THREADS = 128, /* of a block that turns a pair of columns */
};

/* What a Jacobi method has done. */
struct jacobi_report {
    double residual; /* what is left beside the diagonal, or of right angles */
    int sweeps;
    int turns; /* pairs that have been turned in the last sweep */
};

/* Of symmetric matrices, both triangles of which are there; or of matrices whose
 * columns are turned until they stand at right angles.  A block for each, or, for
 * a round of a sweep, for each pair of columns. */
struct jacobi_args {
    struct dense a, v; /* v: what is turned like a; at NULL: nothing */
    double tolerance;
    int m, n;
    int sweeps;                   /* at most */
    int round;                    /* of a sweep */
    int staged;                   /* a and v fit FACTOR_SHARED */
    struct jacobi_report *report; /* one of each matrix */
    int *info; /* one of each matrix: n + 1 if there were not enough sweeps */
    const double *square; /* the sum of all squares */
};

/* A column of a matrix becomes tridiagonal, and what that leaves to be done to
 * those behind it is written down: A - V W' - W V'. */
struct tridiagonal_args {
    struct dense a, v, w; /* v, w: PANEL columns */
    void *d, *e, *tau;
    void *product; /* A v of the column before */
    void *dots;    /* its W' v, and V' v, PANEL behind it */
    int n;
    int first, column; /* of the panel; the one within */
    int columns; /* of the panel: when there are no more the last is finished */
};

/* Eigenvalues of a tridiagonal matrix by rotations, which rows of Z get. */
struct rotate_args {
    const void *d, *e;
    void *values;
    void *room; /* ROTATE_NUMBERS times n numbers for each block */
    struct dense z;
    int n, rows; /* rows of z; 0: none are wanted */
    int *info;   /* how many values have not been found */
    int staged;  /* the numbers fit FACTOR_SHARED: the room is not needed */
};

/* Values in order, and the columns that belong to them: a warp for each. */
struct order_args {
    struct dense values, out; /* of each matrix a column */
    struct dense from, to;
    int n, m; /* values; rows of columns, 0: there are none */
    int down; /* the largest first */
    int keep; /* they stay in the order they have */
    int kept; /* how many of them there are room for */
};

/* Columns become as long as 1: a warp for each. */
struct norm_args {
    struct dense a, norms;
    double least; /* shorter ones become 0: of the root of `square` */
    const double *square;
    int m, n;
};

/* The sum of all squares, of each matrix. */
struct square_args {
    struct dense a;
    double *square;
    int m, n;
};

/* Columns of Q change their signs as the diagonal of R has them. */
struct sign_args {
    struct dense r, q;
    int m, n;
};

/* The norm of A - U S V', of each matrix. */
struct rest_args {
    struct dense a, u, s, v;
    double *norm;
    int m, n, rank;
};

#endif
