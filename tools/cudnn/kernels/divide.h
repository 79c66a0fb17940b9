/* Division by a number that the host knows, of numbers below 2^31. */
#ifndef TEG_TOOLS_CUDNN_KERNELS_DIVIDE_H
#define TEG_TOOLS_CUDNN_KERNELS_DIVIDE_H

struct divisor {
    unsigned by, times, shift; /* times 0: by 1 */
};

#ifdef __CUDACC__
__device__ inline unsigned over(unsigned x, const divisor &d)
{
    return d.times == 0 ? x : __umulhi(x, d.times) >> d.shift;
}
#else
/* x / by = x * times / 2^(31 + log), where 2^log is not less than `by`: times is
 * rounded up by less than 2^log / by, and so the quotient by less than x / 2^31. */
static inline struct divisor divisor_of(int by)
{
    struct divisor d = {.by = (unsigned)by};
    unsigned log = 0;

    while ((1ULL << log) < (unsigned)by)
        log++;
    if (log > 0) {
        d.times = (unsigned)(((1ULL << (31 + log)) + (unsigned)by - 1) /
                             (unsigned)by);
        d.shift = log - 1;
    }
    return d;
}
#endif

#endif
