/*
 * Section "wgmma": the tensor products of warp groups, both operands or the
 * second one in shared memory.
 */
#pragma once
#include "hopper.cuh"

/* ---- the instructions --------------------------------------------------- */

/* "%10,%11,..,%19" of D10(1), "%0,..,%9" of D10() */
#define D10(t)                                                       \
    "%" #t "0,%" #t "1,%" #t "2,%" #t "3,%" #t "4,%" #t "5,%" #t "6" \
    ",%" #t "7,%" #t "8,%" #t "9"
#define LIST4  "%0,%1,%2,%3"
#define LIST8  "%0,%1,%2,%3,%4,%5,%6,%7"
#define LIST16 D10() ",%10,%11,%12,%13,%14,%15"
#define LIST32 D10() "," D10(1) "," D10(2) ",%30,%31"
#define LIST64 \
    D10()      \
    "," D10(1) "," D10(2) "," D10(3) "," D10(4) "," D10(5) ",%60,%61,%62,%63"
#define LIST96                                                                 \
    D10()                                                                      \
    "," D10(1) "," D10(2) "," D10(3) "," D10(4) "," D10(5) "," D10(6) "," D10( \
        7) "," D10(8) ",%90,%91,%92,%93,%94,%95"
#define LIST128                                                                \
    D10()                                                                      \
    "," D10(1) "," D10(2) "," D10(3) "," D10(4) "," D10(5) "," D10(6) "," D10( \
        7) "," D10(8) "," D10(9) "," D10(10) "," D10(11) ",%120,%121,%122,%"   \
                                                         "123,%124,%125,%126," \
                                                         "%127"
#define IO4(c, i)   c(d[i]), c(d[i + 1]), c(d[i + 2]), c(d[i + 3])
#define IO8(c, i)   IO4(c, i), IO4(c, i + 4)
#define IO16(c, i)  IO8(c, i), IO8(c, i + 8)
#define IO32(c, i)  IO16(c, i), IO16(c, i + 16)
#define IO64(c, i)  IO32(c, i), IO32(c, i + 32)
#define IO96(c, i)  IO64(c, i), IO32(c, i + 64)
#define IO128(c, i) IO64(c, i), IO64(c, i + 64)

/* Operands: two tiles in shared memory, or a fragment and a tile. */
struct wgmma_in {
    uint64_t a, b; /* descriptors */
    uint32_t r[4]; /* or the first operand itself */
};

/* Accumulates; `factors` are the operands behind the accumulator, of which the
 * inputs are the last arguments, `tail` what follows the predicate, `constraint`
 * that of a register of the accumulator. */
#define SHAPE(name, type_, count, constraint, fragments, op, factors, tail,  \
              ...)                                                           \
    struct wgmma_##name {                                                    \
        typedef type_ type;                                                  \
        static constexpr int COUNT = count, FRAGMENTS = fragments;           \
        static __device__ __forceinline__ void step(type (&d)[count],        \
                                                    const wgmma_in &in)      \
        {                                                                    \
            asm volatile("{.reg .pred p; setp.ne.b32 p, 1, 0; "              \
                         "wgmma.mma_async.sync.aligned." op " {" LIST##count \
                         "}, " factors ", p" tail ";}"                       \
                         : IO##count(constraint, 0)                          \
                         : __VA_ARGS__);                                     \
        }                                                                    \
    };
/* Both from shared memory; the first from registers. */
#define SHAPE_SS(name, type_, count, constraint, op, d_a, d_b, tail) \
    SHAPE(name, type_, count, constraint, 0, op, d_a ", " d_b, tail, \
          "l"(in.a), "l"(in.b))
#define SHAPE_RS(name, type_, count, constraint, op, a, d_b, tail)      \
    SHAPE(name, type_, count, constraint, 1, op, "{" a "}, " d_b, tail, \
          "r"(in.r[0]), "r"(in.r[1]), "r"(in.r[2]), "r"(in.r[3]), "l"(in.b))

#if SM90A_CODE
SHAPE_SS(f16_n8, float, 4, "+f", "m64n8k16.f32.f16.f16", "%4", "%5",
         ", 1, 1, 0, 0")
SHAPE_SS(f16_n16, float, 8, "+f", "m64n16k16.f32.f16.f16", "%8", "%9",
         ", 1, 1, 0, 0")
SHAPE_SS(f16_n32, float, 16, "+f", "m64n32k16.f32.f16.f16", "%16", "%17",
         ", 1, 1, 0, 0")
SHAPE_SS(f16_n64, float, 32, "+f", "m64n64k16.f32.f16.f16", "%32", "%33",
         ", 1, 1, 0, 0")
SHAPE_SS(f16_n128, float, 64, "+f", "m64n128k16.f32.f16.f16", "%64", "%65",
         ", 1, 1, 0, 0")
SHAPE_SS(f16_n192, float, 96, "+f", "m64n192k16.f32.f16.f16", "%96", "%97",
         ", 1, 1, 0, 0")
SHAPE_SS(f16_n256, float, 128, "+f", "m64n256k16.f32.f16.f16", "%128", "%129",
         ", 1, 1, 0, 0")
SHAPE_SS(bf16_n256, float, 128, "+f", "m64n256k16.f32.bf16.bf16", "%128",
         "%129", ", 1, 1, 0, 0")
SHAPE_SS(e4m3_n256, float, 128, "+f", "m64n256k32.f32.e4m3.e4m3", "%128",
         "%129", ", 1, 1")
SHAPE_SS(tf32_n256, float, 128, "+f", "m64n256k8.f32.tf32.tf32", "%128", "%129",
         ", 1, 1")
SHAPE_SS(s8_n256, uint32_t, 128, "+r", "m64n256k32.s32.s8.s8", "%128", "%129",
         "")
SHAPE_SS(f16acc_n256, uint32_t, 64, "+r", "m64n256k16.f16.f16.f16", "%64",
         "%65", ", 1, 1, 0, 0")
SHAPE_RS(f16_rs_n64, float, 32, "+f", "m64n64k16.f32.f16.f16",
         "%32,%33,%34,%35", "%36", ", 1, 1, 0")
SHAPE_RS(f16_rs_n128, float, 64, "+f", "m64n128k16.f32.f16.f16",
         "%64,%65,%66,%67", "%68", ", 1, 1, 0")
SHAPE_RS(f16_rs_n256, float, 128, "+f", "m64n256k16.f32.f16.f16",
         "%128,%129,%130,%131", "%132", ", 1, 1, 0")

static __device__ __forceinline__ void wgmma_fence()
{
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

static __device__ __forceinline__ void wgmma_wait()
{
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

/* A tile of rows of 128 bytes, swizzled by 128 bytes: groups of eight rows
 * are 1024 bytes apart. */
static __device__ __forceinline__ uint64_t wgmma_descriptor(const void *tile)
{
    return (uint64_t)1 << 62 | (uint64_t)(1024 >> 4) << 32 | (uint64_t)1 << 16 |
           (shared_address(tile) & 0x3ffff) >> 4;
}
#endif

/* ---- the kernels -------------------------------------------------------- */

enum {
    WGMMA_A = 64 * 128, /* bytes of the tiles in shared memory */
    WGMMA_B = 256 * 128,
};

/* Every warp group issues LENGTH products onto the same accumulator; if WAIT,
 * it waits for each, else for all of them together. */
template <typename Shape, int LENGTH, bool WAIT>
static __device__ __forceinline__ void time_wgmma(const op_input *in,
                                                  op_output *out)
{
#if SM90A_CODE
    __shared__ __align__(1024) uint32_t tiles[(WGMMA_A + WGMMA_B) / 4];
    uint32_t warp = threadIdx.x / 32, sum = 0;
    typename Shape::type d[Shape::COUNT];
    wgmma_in operands[Shape::FRAGMENTS ? LENGTH : 1];

    for (uint32_t i = threadIdx.x; i < sizeof tiles / 4; i += blockDim.x)
        tiles[i] = in->integer[1];
    __syncthreads();
    operands[0].a = wgmma_descriptor(tiles);
    operands[0].b = wgmma_descriptor(tiles + WGMMA_A / 4);
    /* The assembler gives every product in flight its own registers, and
     * would fill them between the clock reads if the values were the same. */
#pragma unroll
    for (int i = 0; i < Shape::FRAGMENTS * LENGTH; i++) {
        operands[i].b = operands[0].b;
#pragma unroll
        for (int j = 0; j < 4; j++)
            asm volatile("ld.volatile.shared.u32 %0, [%1];"
                         : "=r"(operands[i].r[j])
                         : "r"(shared_address(&tiles[4 * i + j])));
    }
#pragma unroll
    for (int i = 0; i < Shape::COUNT; i++)
        d[i] = 0;
    /* The products read what the threads wrote. */
    asm volatile("fence.proxy.async;" ::: "memory");
#pragma unroll 1
    for (int r = 0; r < ROUNDS; r++) {
        uint32_t t0, t1;

        __syncthreads();
        t0 = read_clock();
        if (!WAIT)
            wgmma_fence();
#pragma unroll
        for (int i = 0; i < LENGTH; i++) {
            if (WAIT)
                wgmma_fence();
            Shape::step(d, operands[Shape::FRAGMENTS ? i : 0]);
            if (WAIT)
                wgmma_wait();
        }
        if (!WAIT)
            wgmma_wait();
        t1 = read_clock();
        out->begin[r][warp] = t0;
        out->end[r][warp] = t1;
    }
#pragma unroll
    for (int i = 0; i < Shape::COUNT; i++)
        sum ^= digest(d[i]);
    out->sink[threadIdx.x] = sum;
#endif
}

/* name, most warp groups, N, K, opcode, A in registers.  256 columns of 32
 * bits leave no registers for a fourth warp group. */
#define WGMMA_SHAPES(ROW)                  \
    ROW(f16_n8, 4, 8, 16, HGMMA, 0)        \
    ROW(f16_n16, 4, 16, 16, HGMMA, 0)      \
    ROW(f16_n32, 4, 32, 16, HGMMA, 0)      \
    ROW(f16_n64, 4, 64, 16, HGMMA, 0)      \
    ROW(f16_n128, 4, 128, 16, HGMMA, 0)    \
    ROW(f16_n192, 4, 192, 16, HGMMA, 0)    \
    ROW(f16_n256, 3, 256, 16, HGMMA, 0)    \
    ROW(bf16_n256, 3, 256, 16, HGMMA, 0)   \
    ROW(e4m3_n256, 3, 256, 32, QGMMA, 0)   \
    ROW(tf32_n256, 3, 256, 8, HGMMA, 0)    \
    ROW(s8_n256, 3, 256, 32, IGMMA, 0)     \
    ROW(f16acc_n256, 4, 256, 16, HGMMA, 0) \
    ROW(f16_rs_n64, 3, 64, 16, HGMMA, 1)   \
    ROW(f16_rs_n128, 2, 128, 16, HGMMA, 1) \
    ROW(f16_rs_n256, 2, 256, 16, HGMMA, 1)

#if SM90A_CODE
#define WGMMA_TIME(name, length, wait) \
    time_wgmma<wgmma_##name, length, wait>(in, out)
#else
#define WGMMA_TIME(name, length, wait)
#endif
#define WGMMA_KERNEL(kernel, name, groups, length, wait)       \
    extern "C" __global__ void __launch_bounds__(128 * groups) \
        kernel##_##name(const op_input *in, op_output *out)    \
    {                                                          \
        WGMMA_TIME(name, length, wait);                        \
    }
#define WGMMA_KERNELS(name, groups, n, k_, opcode, registers) \
    WGMMA_KERNEL(wg_lat4, name, groups, 4, true)              \
    WGMMA_KERNEL(wg_lat12, name, groups, 12, true)            \
    WGMMA_KERNEL(wg_ind8, name, groups, 8, false)             \
    WGMMA_KERNEL(wg_ind24, name, groups, 24, false)
WGMMA_SHAPES(WGMMA_KERNELS)

static const struct wgmma_row {
    const char *name, *opcode;
    int groups, n, k, registers;
    const void *lat4, *lat12, *ind8, *ind24;
} wgmma_rows[] = {
#define WGMMA_ROW(name, groups, n, k_, opcode, registers) \
    {#name,                                               \
     #opcode,                                             \
     groups,                                              \
     n,                                                   \
     k_,                                                  \
     registers,                                           \
     (const void *)wg_lat4_##name,                        \
     (const void *)wg_lat12_##name,                       \
     (const void *)wg_ind8_##name,                        \
     (const void *)wg_ind24_##name},
    WGMMA_SHAPES(WGMMA_ROW)};

static bool measure_wgmma(kit *k, bench *b, const wgmma_row &row)
{
    std::string name = row.name;
    conditions at = {{"n", (double)row.n},
                     {"k", (double)row.k},
                     {"a_in_registers", (double)row.registers}};
    samples latency, best;
    int best_groups = 0;

    if (!run_difference(k, b, row.lat4, row.lat12, 4, 8, &latency))
        return false;
    kit_add(k, row.name, "latency", "cycles", latency, at, "",
            "wg_lat12_" + name);
    for (int groups = 1; groups <= row.groups; groups++) {
        conditions where = at;
        samples cycles;

        if (!run_difference(k, b, row.ind8, row.ind24, 4 * groups, 16, &cycles))
            return false;
        where.push_back({"warp_groups", (double)groups});
        for (double &v : cycles)
            v /= groups;
        kit_add(k, row.name, "interval", "cycles/instruction/SM", cycles, where,
                "", "wg_ind24_" + name);
        if (best.empty() || median_of(cycles) < median_of(best)) {
            best = cycles;
            best_groups = groups;
        }
    }
    at.push_back({"warp_groups", (double)best_groups});
    kit_add(k, row.name, "throughput", "multiply-adds/cycle/SM",
            rates(64.0 * row.n * row.k, best), at, "", "wg_ind24_" + name);
    return true;
}

static bool section_wgmma(kit *k, bench *b)
{
    if (!sm90a_there(k, b))
        return !k->broken;
    for (const wgmma_row &row : wgmma_rows) {
        if (kit_late(k))
            break;
        if (!measure_wgmma(k, b, row))
            return false;
    }
    return true;
}

static void expect_wgmma(std::vector<expectation> *all)
{
    static const struct {
        const char *prefix;
        int length;
    } kernels[] = {
        {"wg_lat4_", 4}, {"wg_lat12_", 12}, {"wg_ind8_", 8}, {"wg_ind24_", 24}};

    for (const wgmma_row &row : wgmma_rows) {
        for (const auto &kernel : kernels)
            all->push_back({std::string(kernel.prefix) + row.name, row.opcode,
                            90, kernel.length, false, true});
    }
}
