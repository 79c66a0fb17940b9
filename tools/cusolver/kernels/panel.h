/* What the kernels of panels are given, besides what they share with cuBLAS's. */
#ifndef TEG_TOOLS_CUSOLVER_KERNELS_PANEL_H
#define TEG_TOOLS_CUSOLVER_KERNELS_PANEL_H

#include "../../vendor/kernels/factor.h"

enum {
    PANEL = 32, /* columns of one, of LU and of QR */
};

/* Both matrices have PANEL rows. */
struct larft_args {
    const void *products, *tau;
    void *t;
    int k;
};

/* Of a symmetric matrix, of which the lower triangle is there: L D L', with
 * blocks of one or two rows in D.  One that is seen from its end has its pivots
 * from there, too. */
struct symmetric_args {
    struct dense a, b; /* b: what is solved, a warp for each column */
    void *pivots;      /* NULL: rows stay where they are */
    int *info;
    int n, columns;
    int wide;      /* pivots have 64 bits */
    int backwards; /* seen from its end */
};

struct pivot_args {
    const int *narrow;
    long long *wide;
    int n;
};

#endif
