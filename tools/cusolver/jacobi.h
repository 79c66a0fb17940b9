/* What programs ask of Jacobi's methods: syevjInfo_t and gesvdjInfo_t. */
#ifndef TEG_TOOLS_CUSOLVER_JACOBI_H
#define TEG_TOOLS_CUSOLVER_JACOBI_H

#include "tools/cusolver/kernels/eigen.h"
#include "tools/cusolver/solver.h"

struct jacobi_info {
    double tolerance; /* 0: what rounding leaves */
    int sweeps;       /* at most */
    int sort;
    struct jacobi_report *report; /* own, on the device: of the last call */
};

/* What is left beside the diagonal, or by how much columns may be off right
 * angles, of products of `m` numbers: the program's, but no less than rounding. */
double jacobi_tolerance(const struct jacobi_info *info, int type, int64_t m);

#endif
