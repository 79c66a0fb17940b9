/* Section "atomics_types": what global additions cost by type and address. */
#pragma once
#include "section_memory.cuh"

enum {
    TYPES_UNROLL = 16,
    TYPES_FEW = 32, /* additions of a thread */
    TYPES_MANY = 160,
};

/* Name, least sm, bytes of a lane, additions of a lane, a one of the type,
 * opcode, instruction, constraint and type of its operand.  In a vector all
 * words are the same.  One addition of 16 bits is a loop around a
 * compare-and-swap of the word they lie in. */
#define ADD_TYPES(ADD)                                                         \
    ADD(f16, 70, 2, 1, 0x3c00, "RED|REDG|ATOM|ATOMG",                          \
        "red.global.add.noftz.f16 [%0], %1;", "h", uint16_t)                   \
    ADD(f16x2, 60, 4, 2, 0x3c003c00, "RED|REDG",                               \
        "red.global.add.noftz.f16x2 [%0], %1;", "r", uint32_t)                 \
    ADD(bf16, 90, 2, 1, 0x3f80, "RED|REDG|ATOM|ATOMG",                         \
        "red.global.add.noftz.bf16 [%0], %1;", "h", uint16_t)                  \
    ADD(bf16x2, 90, 4, 2, 0x3f803f80, "RED|REDG",                              \
        "red.global.add.noftz.bf16x2 [%0], %1;", "r", uint32_t)                \
    ADD(f32, 30, 4, 1, 0x3f800000, "RED|REDG", "red.global.add.f32 [%0], %1;", \
        "r", uint32_t)                                                         \
    ADD(u32, 30, 4, 1, 1, "RED|REDG", "red.global.add.u32 [%0], %1;", "r",     \
        uint32_t)                                                              \
    ADD(u64, 30, 8, 1, 1, "RED|REDG", "red.global.add.u64 [%0], %1;", "l",     \
        uint64_t)                                                              \
    ADD(f64, 60, 8, 1, 0x3ff0000000000000, "RED|REDG",                         \
        "red.global.add.f64 [%0], %1;", "l", uint64_t)                         \
    ADD(f32_v4, 90, 16, 4, 0x3f800000, "RED|REDG",                             \
        "red.global.add.v4.f32 [%0], {%1, %1, %1, %1};", "r", uint32_t)        \
    ADD(f16x2_v4, 90, 16, 8, 0x3c003c00, "RED|REDG",                           \
        "red.global.add.noftz.v4.f16x2 [%0], {%1, %1, %1, %1};", "r",          \
        uint32_t)                                                              \
    ADD(f16_result, 70, 2, 1, 0x3c00, "ATOM|ATOMG",                            \
        "{.reg .b16 x; atom.global.add.noftz.f16 x, [%0], %1; "                \
        "st.volatile.shared.b16 [%2], x;}",                                    \
        "h", uint16_t)                                                         \
    ADD(f16x2_result, 60, 4, 2, 0x3c003c00, "ATOM|ATOMG",                      \
        "{.reg .b32 x; atom.global.add.noftz.f16x2 x, [%0], %1; "              \
        "st.volatile.shared.b32 [%2], x;}",                                    \
        "r", uint32_t)                                                         \
    ADD(f32_result, 30, 4, 1, 0x3f800000, "ATOM|ATOMG",                        \
        "{.reg .b32 x; atom.global.add.f32 x, [%0], %1; "                      \
        "st.volatile.shared.b32 [%2], x;}",                                    \
        "r", uint32_t)

/* spread 0: all of the chip at one place; 1: a place per warp, a line apart;
 * 2: a place per lane, the same for all warps; 3: a place per thread */
#define ADD_KERNEL(name, min_sm, bytes, additions, one, opcode, instruction, \
                   constraint, type)                                         \
    extern "C" __global__ void __launch_bounds__(256)                        \
        add_##name(char *p, type value, uint32_t spread, uint32_t steps)     \
    {                                                                        \
        ADD_IF_##min_sm(bytes, instruction, constraint)                      \
    }
/* The result of an addition goes to shared memory, or it would be none.  Of 16
 * bits, half of the threads subtract: once a sum no longer changes, every swap
 * succeeds. */
#define ADD_BODY(bytes, instruction, constraint)                               \
    __shared__ uint32_t results[256];                                          \
    uint32_t result = shared_address(&results[threadIdx.x]);                   \
    uint32_t thread = blockIdx.x * blockDim.x + threadIdx.x;                   \
                                                                               \
    if (bytes == 2)                                                            \
        value ^= (thread ^ thread >> 5) << 15;                                 \
    p += spread == 0   ? 0                                                     \
         : spread == 1 ? thread / 32 * LINE                                    \
         : spread == 2 ? thread % 32 * bytes                                   \
                       : thread * bytes;                                       \
    _Pragma("unroll 1") for (uint32_t i = 0; i < steps; i += TYPES_UNROLL)     \
    {                                                                          \
        _Pragma("unroll") for (int j = 0; j < TYPES_UNROLL; j++) asm volatile( \
            instruction ::"l"(p), constraint(value), "r"(result) : "memory");  \
    }
#define ADD_IF_30(bytes, instruction, constraint) \
    ADD_BODY(bytes, instruction, constraint)
#define ADD_IF_60 ADD_IF_30
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
#define ADD_IF_70 ADD_IF_30
#else
#define ADD_IF_70(bytes, instruction, constraint)
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define ADD_IF_90 ADD_IF_30
#else
#define ADD_IF_90(bytes, instruction, constraint)
#endif
ADD_TYPES(ADD_KERNEL)

static const struct add_row {
    const char *name, *opcode;
    int min_sm, bytes, additions;
    uint64_t one;
    const void *kernel;
} add_rows[] = {
#define ADD_ROW(name, min_sm, bytes, additions, one, opcode, instruction, \
                constraint, type)                                         \
    {#name, opcode, min_sm, bytes, additions, one, (const void *)add_##name},
    ADD_TYPES(ADD_ROW)};

static bool measure_add(kit *k, memory *m, const add_row &row, uint32_t spread)
{
    static const char *const spreads[] = {"one_address", "address_per_warp",
                                          "address_per_lane",
                                          "address_per_thread"};
    /* Of all swaps at a word one succeeds: all of the chip would take
     * minutes. */
    bool fights = row.bytes == 2 && spread % 2 == 0;
    unsigned blocks =
        4 * (fights ? 1 : (unsigned)k->device.multiProcessorCount);
    uint32_t less = fights ? TYPES_UNROLL : TYPES_FEW;
    uint32_t more = fights ? 3 * TYPES_UNROLL : TYPES_MANY;
    double threads = 256.0 * blocks;
    std::string name = std::string(row.name) + "_" + spreads[spread];
    std::string kernel = std::string("add_") + row.name;
    samples few, many, ms;

    CALL(k, cudaMemset(m->base, 0, m->bytes));
    if (!run_events(k, row.kernel, blocks, 256, 5, &few, m->base, row.one,
                    spread, less) ||
        !run_events(k, row.kernel, blocks, 256, 5, &many, m->base, row.one,
                    spread, more))
        return false;
    for (size_t i = 0; i < std::min(few.size(), many.size()); i++)
        ms.push_back((many[i] - few[i]) / (more - less));
    conditions at = {{"bytes", (double)row.bytes},
                     {"additions", (double)row.additions},
                     {"blocks", (double)blocks}};
    kit_add(k, name.c_str(), "rate", "lane operations/us",
            rates(threads / 1e3, ms), at, "", kernel);
    if (k->clock_mhz > 0)
        kit_add(k, name.c_str(), "throughput", "lane operations/cycle",
                rates(threads / 1e3 / k->clock_mhz, ms), at, "", kernel);
    return true;
}

static bool measure_adds(kit *k, memory *m)
{
    for (const add_row &row : add_rows) {
        for (uint32_t spread = 0; spread < 4; spread++) {
            if (kit_late(k) || k->code < row.min_sm)
                continue;
            if (!measure_add(k, m, row, spread))
                return false;
        }
    }
    return true;
}

static bool section_atomics_types(kit *k, bench *)
{
    memory m;
    bool done;

    if (!memory_init(k, &m, (uint64_t)64 << 20))
        return false;
    done = measure_adds(k, &m);
    memory_release(&m);
    return done;
}

static void expect_atomics_types(std::vector<expectation> *all)
{
    for (const add_row &row : add_rows)
        all->push_back({std::string("add_") + row.name, row.opcode, row.min_sm,
                        TYPES_UNROLL, true});
}
