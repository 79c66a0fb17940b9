/*
 * The kernels of ops.def: dependent latency, same-warp interval and throughput
 * of one instruction at a time.
 *
 * Every kernel times ROUNDS passes over straight-line code between two reads
 * of the SM's clock, all warps of the block starting together.  The first
 * pass fills the instruction cache and is not used.
 */
#pragma once
#include <cstdint>

enum {
    ROUNDS = 6,
    WARPS_MAX = 32,
    CHAINS = 8, /* of an ind kernel */
};

struct frag4 {
    float d[4];
};
struct frag2 {
    uint32_t d[2];
};
struct frag4i {
    uint32_t d[4];
};
struct frag2d {
    double d[2];
};

/* What the compiler must not know. */
struct op_input {
    uint32_t integer[4]; /* [3]: 0 */
    float single[2];
    double wide[2];
};

/* [ROUNDS][WARPS_MAX]; then something that depends on every result */
struct op_output {
    uint32_t begin[ROUNDS][WARPS_MAX];
    uint32_t end[ROUNDS][WARPS_MAX];
    uint32_t sink[WARPS_MAX * 32];
};

__constant__ uint32_t constant_words[64];

static __device__ __forceinline__ uint32_t read_clock()
{
    uint32_t t;

    asm volatile("mov.u32 %0, %%clock;" : "=r"(t)::"memory");
    return t;
}

static __device__ __forceinline__ uint32_t shared_address(const void *p)
{
    return (uint32_t)__cvta_generic_to_shared(p);
}

template <typename T>
static __device__ __forceinline__ void start(T &x, const op_input &in, int k)
{
    uint32_t *word = (uint32_t *)&x;

    for (unsigned i = 0; i < sizeof x / 4; i++)
        word[i] = in.integer[i % 2] + threadIdx.x * 4 + k;
}

static __device__ __forceinline__ void start(float &x, const op_input &in,
                                             int k)
{
    x = in.single[0] + (float)k;
}

static __device__ __forceinline__ void start(double &x, const op_input &in,
                                             int k)
{
    x = in.wide[0] + (double)k;
}

template <typename T>
static __device__ __forceinline__ uint32_t digest(const T &x)
{
    const uint32_t *word = (const uint32_t *)&x;
    uint32_t sum = 0;

    for (unsigned i = 0; i < sizeof x / 4; i++)
        sum ^= word[i];
    return sum;
}

/* Start of the chained value and content of shared memory; see the column
 * `init` of ops.def. */
enum op_init {
    VALUE,
    CONST,
    SELF,
    SELF64,
    SELF128,
    SAME
};

template <op_init INIT>
static __device__ __forceinline__ uint32_t fill(const uint32_t *words,
                                                uint32_t i)
{
    if (INIT == SELF || INIT == SELF64 || INIT == SELF128)
        return shared_address(&words[i]);
    return INIT == SAME ? shared_address(words) : 0;
}

template <op_init INIT, typename T>
static __device__ __forceinline__ void init(T &x, const uint32_t *words,
                                            const op_input &in, int k)
{
    uint32_t lane = threadIdx.x % 32;

    if constexpr (INIT == VALUE)
        start(x, in, k);
    else if constexpr (INIT == CONST)
        x = in.integer[3] + 4 * k;
    else
        x = shared_address(&words[INIT == SELF      ? lane
                                  : INIT == SELF64  ? 2 * lane
                                  : INIT == SELF128 ? 4 * lane
                                                    : 0]);
}

#ifdef __CUDA_ARCH__
#define ARCH (__CUDA_ARCH__ / 10)
#else
#define ARCH 0
#endif

/* The operands a step may use besides x. */
struct op_const {
    uint32_t ia, ib, zero, ax[4], bx[2];
    float fa, fb;
    double da, db;
    uint64_t la;
};

#define OP(name, class, min_sm, opcode, steps, what, value_type, init_kind, \
           code)                                                            \
    struct op_##name {                                                      \
        typedef value_type type;                                            \
        static constexpr int MIN_SM = min_sm;                               \
        static constexpr op_init INIT = init_kind;                          \
        static __device__ __forceinline__ void step(type &x,                \
                                                    const op_const &c)      \
        {                                                                   \
            code;                                                           \
        }                                                                   \
    };
#include "ops.def"
#undef OP

template <typename Op, int LENGTH, int COUNT>
static __device__ __forceinline__ void time_op(const op_input *in,
                                               op_output *out)
{
    __shared__ __align__(128) uint32_t words[256];
    op_const c = {in->integer[0], in->integer[1], in->integer[3]};
    uint32_t warp = threadIdx.x / 32, sum = 0;
    typename Op::type v[COUNT];

    for (int i = 0; i < 4; i++)
        c.ax[i] = in->integer[i % 2];
    for (int i = 0; i < 2; i++)
        c.bx[i] = in->integer[1 - i];
    c.fa = in->single[0], c.fb = in->single[1];
    c.la = (uint64_t)c.ia << 32 | c.ib;
    c.da = in->wide[0], c.db = in->wide[1];
    for (uint32_t i = threadIdx.x; i < 256; i += blockDim.x)
        words[i] = fill<Op::INIT>(words, i);
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        init<Op::INIT>(v[k], words, *in, k);
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        uint32_t t0, t1;

        __syncthreads();
        t0 = read_clock();
#pragma unroll
        for (int i = 0; i < LENGTH; i++)
            Op::step(v[i % COUNT], c);
        t1 = read_clock();
        out->begin[r][warp] = t0;
        out->end[r][warp] = t1;
    }
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        sum ^= digest(v[k]);
    out->sink[threadIdx.x] = sum;
}

template <typename Op, int LENGTH, int COUNT>
static __device__ __forceinline__ void time_op_if_known(const op_input *in,
                                                        op_output *out)
{
    if constexpr (ARCH >= Op::MIN_SM)
        time_op<Op, LENGTH, COUNT>(in, out);
}

#define OP_KERNEL(kernel, name, length, count)               \
    extern "C" __global__ void __launch_bounds__(1024)       \
        kernel##_##name(const op_input *in, op_output *out)  \
    {                                                        \
        time_op_if_known<op_##name, length, count>(in, out); \
    }
#define OP(name, class, min_sm, opcode, steps, what, type, init, code) \
    OP_KERNEL(lat32, name, 32, 1)                                      \
    OP_KERNEL(lat160, name, 160, 1)                                    \
    OP_KERNEL(ind64, name, 64, CHAINS)                                 \
    OP_KERNEL(ind192, name, 192, CHAINS)
#include "ops.def"
#undef OP
