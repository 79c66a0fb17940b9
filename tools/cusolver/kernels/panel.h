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

struct pivot_args {
    const int *narrow;
    long long *wide;
    int n;
};

#endif
