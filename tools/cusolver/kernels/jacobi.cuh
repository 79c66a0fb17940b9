/* What Jacobi's methods of eigenvalues and of singular values share. */
#ifndef TEG_TOOLS_CUSOLVER_KERNELS_JACOBI_CUH
#define TEG_TOOLS_CUSOLVER_KERNELS_JACOBI_CUH

#include "../../vendor/kernels/factor.cuh"
#include "eigen.h"

/* A rotation by which a pair becomes diagonal. */
template <class T> struct Turn {
    T c, s, t;

    __device__ Turn(T pp, T qq, T pq)
    {
        const T z = (qq - pp) / (2 * pq);

        t = copysign(1 / (fabs(z) + sqrt(1 + z * z)), z);
        c = 1 / sqrt(1 + t * t);
        s = t * c;
    }
    __device__ void operator()(T &p, T &q) const
    {
        const T x = p;

        p = c * x - s * q;
        q = s * x + c * q;
    }
};

/* Round after round each of n meets each other once; of a round all pairs at the
 * same time. */
struct Pairs {
    const int n, even;

    __device__ Pairs(int n) : n(n), even(n + n % 2)
    {
    }
    __device__ int rounds() const
    {
        return even - 1;
    }
    __device__ int count() const
    {
        return even / 2;
    }
    /* False: one of them has no other in this round. */
    __device__ bool find(int round, int i, int &p, int &q) const
    {
        const int a = i == 0 ? even - 1 : (round + i) % (even - 1);
        const int b = (round + even - 1 - i) % (even - 1);

        p = min(a, b);
        q = max(a, b);
        return q < n;
    }
};

#endif
