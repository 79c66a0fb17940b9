/* Sections "ops" (ops.def), "shared" (conflicts) and "wait" (instructions
 * that cannot feed themselves). */
#pragma once
#include "bench.cuh"
#include "sass.cuh"

enum op_what {
    CHAIN,
    RATE
};

struct op_row {
    const char *name, *op_class;
    int min_sm;
    const char *opcode;
    int steps; /* instructions in a step */
    op_what what;
    const void *lat32, *lat160, *ind64, *ind192;
};

static const op_row op_rows[] = {
#define OP(name, class, min_sm, opcode, steps, what, type, init, code) \
    {#name,                                                            \
     class,                                                            \
     min_sm,                                                           \
     opcode,                                                           \
     steps,                                                            \
     what,                                                             \
     (const void *)lat32_##name,                                       \
     (const void *)lat160_##name,                                      \
     (const void *)ind64_##name,                                       \
     (const void *)ind192_##name},
#include "ops.def"
#undef OP
};

static void expect_ops(std::vector<expectation> *all)
{
    static const struct {
        const char *prefix;
        int length;
        bool chain;
    } kernels[] = {{"lat32_", 32, true},
                   {"lat160_", 160, true},
                   {"ind64_", 64, false},
                   {"ind192_", 192, false}};

    for (const op_row &op : op_rows) {
        for (const auto &kernel : kernels) {
            if (!kernel.chain || op.what == CHAIN)
                all->push_back({std::string(kernel.prefix) + op.name, op.opcode,
                                op.min_sm, kernel.length * op.steps, false});
        }
    }
}

static const int warp_counts[] = {1, 2, 4, 8, 12, 16, 24, 32};

static bool measure_op(kit *k, bench *b, const op_row &op)
{
    samples best;
    int best_warps = 0;
    std::string name = op.name;

    if (op.what == CHAIN) {
        samples cycles;

        if (!run_difference(k, b, op.lat32, op.lat160, 1, 128 * op.steps,
                            &cycles))
            return false;
        kit_add(k, op.name, "latency", "cycles", cycles, {}, op.op_class,
                "lat160_" + name);
    }
    for (int warps : warp_counts) {
        samples cycles, rate;

        if (!run_difference(k, b, op.ind64, op.ind192, warps, 128 * op.steps,
                            &cycles))
            return false;
        if (warps == 1)
            kit_add(k, op.name, "same_warp", "cycles", cycles, {}, op.op_class,
                    "ind192_" + name);
        rate = rates(warps, cycles);
        kit_add(k, op.name, "rate", "warp instructions/cycle/SM", rate,
                {{"warps", (double)warps}}, "", "ind192_" + name);
        if (median_of(rate) > median_of(best)) {
            best = rate;
            best_warps = warps;
        }
    }
    kit_add(k, op.name, "throughput", "warp instructions/cycle/SM", best,
            {{"warps", (double)best_warps}}, op.op_class, "ind192_" + name);
    return true;
}

static bool section_ops(kit *k, bench *b)
{
    for (const op_row &op : op_rows) {
        if (kit_late(k))
            break;
        if (k->code < op.min_sm)
            kit_note(k, "%s: not on this chip", op.name);
        else if (!measure_op(k, b, op))
            return false;
    }
    return true;
}

/* ---- shared memory: conflicts ------------------------------------------- */

enum {
    ROWS = 32,
    BANKS = 32
};

/* The word lane `lane` works on.  Conflict of degree d: the first d lanes want
 * different rows of bank 0, the others a bank each.  Sharing by d: groups of d
 * neighbours want the same word, the groups different banks. */
static __device__ __forceinline__ uint32_t conflict_word(uint32_t lane,
                                                         uint32_t sharing,
                                                         uint32_t degree)
{
    if (sharing)
        return lane / degree;
    return lane < degree ? lane * BANKS : lane;
}

template <typename Op, int LENGTH, int COUNT>
static __device__ __forceinline__ void time_conflict(const op_input *in,
                                                     op_output *out,
                                                     uint32_t sharing,
                                                     uint32_t degree)
{
    __shared__ uint32_t words[ROWS * BANKS];
    op_const c = {in->integer[0], in->integer[1], in->integer[3]};
    uint32_t warp = threadIdx.x / 32, sum = 0;
    uint32_t v[COUNT];

    for (uint32_t i = threadIdx.x; i < ROWS * BANKS; i += blockDim.x)
        words[i] = shared_address(&words[i]);
#pragma unroll
    for (int k = 0; k < COUNT; k++)
        v[k] = shared_address(
            &words[conflict_word(threadIdx.x % 32, sharing, degree)]);
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
        sum ^= v[k];
    out->sink[threadIdx.x] = sum;
}

#define CONFLICT_KERNEL(kernel, name, length, count)                           \
    extern "C" __global__ void __launch_bounds__(1024) kernel##_##name(        \
        const op_input *in, op_output *out, uint32_t sharing, uint32_t degree) \
    {                                                                          \
        time_conflict<op_##name, length, count>(in, out, sharing, degree);     \
    }
CONFLICT_KERNEL(conflict32, lds, 32, 1)
CONFLICT_KERNEL(conflict160, lds, 160, 1)
CONFLICT_KERNEL(conflict64i, lds, 64, CHAINS)
CONFLICT_KERNEL(conflict192i, lds, 192, CHAINS)
CONFLICT_KERNEL(conflict64i, sts, 64, CHAINS)
CONFLICT_KERNEL(conflict192i, sts, 192, CHAINS)
CONFLICT_KERNEL(conflict32, atoms_add, 32, 1)
CONFLICT_KERNEL(conflict160, atoms_add, 160, 1)
CONFLICT_KERNEL(conflict64i, atoms_add, 64, CHAINS)
CONFLICT_KERNEL(conflict192i, atoms_add, 192, CHAINS)

static const struct conflict_row {
    const char *name, *opcode;
    uint32_t sharing;
    const void *lat32, *lat160, *ind64, *ind192;
} conflict_rows[] = {
    {"lds_conflict", "LDS", 0, (const void *)conflict32_lds,
     (const void *)conflict160_lds, (const void *)conflict64i_lds,
     (const void *)conflict192i_lds},
    {"sts_conflict", "STS", 0, nullptr, nullptr, (const void *)conflict64i_sts,
     (const void *)conflict192i_sts},
    {"atoms_conflict", "ATOMS", 0, (const void *)conflict32_atoms_add,
     (const void *)conflict160_atoms_add, (const void *)conflict64i_atoms_add,
     (const void *)conflict192i_atoms_add},
    {"atoms_same_address", "ATOMS", 1, (const void *)conflict32_atoms_add,
     (const void *)conflict160_atoms_add, (const void *)conflict64i_atoms_add,
     (const void *)conflict192i_atoms_add},
};

static void expect_conflicts(std::vector<expectation> *all)
{
    static const char *const names[][2] = {
        {"lds", "LDS"}, {"sts", "STS"}, {"atoms_add", "ATOMS"}};

    for (const auto &n : names) {
        std::string name = n[0];

        if (name != "sts") {
            all->push_back({"conflict32_" + name, n[1], 30, 32, false});
            all->push_back({"conflict160_" + name, n[1], 30, 160, false});
        }
        all->push_back({"conflict64i_" + name, n[1], 30, 64, false});
        all->push_back({"conflict192i_" + name, n[1], 30, 192, false});
    }
}

static bool section_shared(kit *k, bench *b)
{
    const int warps = 8;

    for (const conflict_row &row : conflict_rows) {
        for (uint32_t degree = 1; degree <= 32; degree++) {
            conditions at = {
                {row.sharing ? "lanes" : "degree", (double)degree}};
            samples latency, interval;

            /* 1..32 for loads, the corners for the rest */
            if (&row != conflict_rows && (degree & (degree - 1)) != 0)
                continue;
            if (kit_late(k))
                return true;
            if (row.lat32 != nullptr &&
                !run_difference(k, b, row.lat32, row.lat160, 1, 128, &latency,
                                row.sharing, degree))
                return false;
            if (!run_difference(k, b, row.ind64, row.ind192, warps, 128 * warps,
                                &interval, row.sharing, degree))
                return false;
            if (row.lat32 != nullptr)
                kit_add(k, row.name, "latency", "cycles", latency, at);
            kit_add(k, row.name, "interval", "cycles/warp instruction",
                    interval, at);
        }
    }
    return true;
}

/* ---- waiting for one result --------------------------------------------- */

/* begin: before; end: after a store to shared memory that must wait for the
 * result.  What the same takes without the instruction is subtracted. */
#define WAIT_KERNEL(name, code)                                                \
    extern "C" __global__ void wait_##name(const op_input *in, op_output *out) \
    {                                                                          \
        __shared__ uint32_t word[32];                                          \
        uint32_t at = shared_address(&word[threadIdx.x]);                      \
        uint32_t x = in->integer[0];                                           \
                                                                               \
        _Pragma("unroll 1") for (int r = 0; r < ROUNDS; r++)                   \
        {                                                                      \
            uint32_t t0, t1;                                                   \
                                                                               \
            __syncthreads();                                                   \
            t0 = read_clock();                                                 \
            code;                                                              \
            asm volatile("st.volatile.shared.u32 [%0], %1;" ::"r"(at), "r"(x)  \
                         : "memory");                                          \
            t1 = read_clock();                                                 \
            out->begin[r][0] = t0;                                             \
            out->end[r][0] = t1;                                               \
        }                                                                      \
    }
WAIT_KERNEL(nothing, )
WAIT_KERNEL(s2r, asm volatile("mov.u32 %0, %%warpid;" : "=r"(x)))
WAIT_KERNEL(vote, asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; "
                               "vote.sync.ballot.b32 %0, p, 0xffffffff;}"
                               : "=r"(x)
                               : "r"(in->integer[1])))

extern "C" __global__ void clock_pair(const op_input *in, op_output *out)
{
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        uint32_t t0, t1;

        __syncthreads();
        t0 = read_clock();
        t1 = read_clock();
        out->begin[r][0] = t0;
        out->end[r][0] = t1;
    }
}

static const struct wait_row {
    const char *name, *op_class, *opcode;
    const void *kernel;
} wait_rows[] = {
    {"s2r", "s2r", "S2R", (const void *)wait_s2r},
    {"vote", "vote", "VOTE", (const void *)wait_vote},
};

static void expect_waits(std::vector<expectation> *all)
{
    for (const wait_row &row : wait_rows)
        all->push_back(
            {std::string("wait_") + row.name, row.opcode, 30, 1, false});
    all->push_back({"wait_nothing", "STS", 30, 1, false});
}

static bool section_wait(kit *k, bench *b)
{
    samples base, pair;

    for (int i = 0; i < LAUNCHES; i++) {
        if (!run_rounds(k, b, (const void *)wait_nothing, 1, &base) ||
            !run_rounds(k, b, (const void *)clock_pair, 1, &pair))
            return false;
    }
    kit_add(k, "clock", "interval", "cycles", pair);
    for (const wait_row &row : wait_rows) {
        samples all;

        for (int i = 0; i < LAUNCHES; i++) {
            if (!run_rounds(k, b, row.kernel, 1, &all))
                return false;
        }
        for (double &v : all)
            v -= median_of(base);
        kit_add(k, row.name, "latency", "cycles", all, {}, row.op_class,
                std::string("wait_") + row.name);
    }
    return true;
}
