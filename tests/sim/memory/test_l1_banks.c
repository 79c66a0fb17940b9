/* Banks of L1's data and tags: counted by hand, and against counters of an
 * A40. */
#include "sim/memory/l1_banks.h"

#include "tests/help_gpu.h"
#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct teg_access line(uint64_t base, int32_t stride)
{
    return (struct teg_access){.shape = SHAPE_LINE,
                               .mask = UINT32_MAX,
                               .base = base,
                               .stride = stride};
}

static struct teg_inst global(uint16_t width)
{
    return (struct teg_inst){
        .space = SPACE_GLOBAL, .width = width, .flags = INST_LOAD};
}

/* A GPU whose L1 has so many banks of data. */
static void with_banks(struct teg_gpu *gpu, uint32_t banks)
{
    help_gpu_plain(gpu);
    gpu->l1.bytes = 4096;
    gpu->l1.banks = banks;
}

static uint32_t passes(const struct teg_gpu *gpu, struct teg_inst inst,
                       struct teg_access a)
{
    static const struct sim_windows none = {0};
    struct sim_plan p;

    sim_plan_make(&p, gpu, &inst, &a, &none);
    return p.request.l1_passes;
}

/* Cycles a warp's load of floats takes an A40's L1 at some strides (floats;
 * gpu-benches), which is the busiest bank of 32, word by word. */
START_TEST(l1_conflicts_over_32_banks)
{
    static const struct {
        int32_t stride;
        uint32_t passes;
    } rows[] = {{0, 1}, {1, 1},   {2, 2},  {3, 1},   {4, 4},   {8, 8},
                {9, 1}, {16, 16}, {24, 8}, {32, 32}, {48, 16}, {64, 32}};
    static const struct sim_windows none = {0};
    struct teg_inst load = global(4), wide = global(8);
    struct teg_gpu gpu;
    struct sim_plan p;

    help_gpu_plain(&gpu);
    gpu.l1.bytes = 4096;
    gpu.l1.banks = 32;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct teg_access a = line(0x1000, 4 * rows[i].stride);

        for (int listed = 0; listed < 2; listed++) {
            sim_plan_make(&p, &gpu, &load, &a, &none);
            ck_assert_uint_eq(p.request.l1_passes, rows[i].passes);
            for (uint32_t l = 0; l < TEG_LANES; l++)
                a.lane[l] = 0x1000 + 4ull * (uint32_t)rows[i].stride * l;
            a.shape = SHAPE_LIST;
        }
    }
    /* 256 bytes side by side are two rows of banks */
    for (int32_t stride = 8; stride <= 16; stride += 8) {
        struct teg_access a = line(0x1000, stride);

        sim_plan_make(&p, &gpu, &wide, &a, &none);
        ck_assert_uint_eq(p.request.l1_passes, (uint32_t)stride / 4);
    }
    /* what does not read L1 has none */
    load.flags |= INST_BYPASS_L1;
    sim_plan_make(&p, &gpu, &load, &(struct teg_access){.mask = 1}, &none);
    ck_assert_uint_eq(p.request.l1_passes, 0);
}
END_TEST

/* The busiest of four banks of tags: l1tex's wavefronts of tags on an A40 for
 * strides in floats (gpu-benches), which are means over eight places. */
START_TEST(l1_looks_up_a_line_per_bank)
{
    static const struct {
        int32_t stride;
        double measured;
    } rows[] = {{4, 1.89}, {8, 2.83}, {12, 3.57}, {16, 4.67}, {20, 5.3},
                {24, 6.2}, {32, 8.3}, {36, 8.9},  {48, 10.4}, {64, 8.0}};
    static const struct sim_windows none = {0};
    struct teg_inst load = global(4);
    struct teg_gpu gpu;

    help_gpu_plain(&gpu);
    gpu.l1.bytes = 4096;
    gpu.l1.tag_banks = 4;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double sum = 0;

        for (uint64_t place = 0; place < 16; place++) {
            uint64_t warp = place / 8 * 32 * (uint64_t)rows[i].stride;
            struct teg_access a =
                line(4 * (warp + place % 8 * 4), 4 * rows[i].stride);
            struct sim_plan p;

            sim_plan_make(&p, &gpu, &load, &a, &none);
            sum += p.request.l1_lines;
        }
        ck_assert_double_eq_tol(sum / 16 / rows[i].measured, 1, 0.06);
    }
}
END_TEST

/* 128-bit loads: all lanes' quads in as few rows of banks as their stride
 * leaves, however the addresses are written down. */
START_TEST(l1_passes_of_128_bits_are_rows_of_banks)
{
    static const struct {
        int32_t stride;
        uint32_t passes;
    } rows[] = {{0, 1}, {16, 4}, {32, 8}, {48, 4}, {64, 16}, {128, 32}};
    struct teg_inst load = global(16);
    struct teg_gpu gpu;

    with_banks(&gpu, 32);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct teg_access a = line(0x1000, rows[i].stride);

        ck_assert_uint_eq(passes(&gpu, load, a), rows[i].passes);
        for (uint32_t l = 0; l < TEG_LANES; l++)
            a.lane[l] = 0x1000 + l * (uint64_t)rows[i].stride;
        a.shape = SHAPE_LIST;
        ck_assert_uint_eq(passes(&gpu, load, a), rows[i].passes);
    }
}
END_TEST

/* Where 16 bytes begin at no multiple of 16 they are four words from there,
 * five if they begin within one: a second lane's word in the bank of the third
 * or fifth is one pass more. */
START_TEST(l1_words_are_those_the_bytes_lie_in)
{
    struct teg_access a = {.shape = SHAPE_LIST, .mask = 3};
    struct teg_inst load = global(16);
    struct teg_gpu gpu;

    with_banks(&gpu, 32);
    a.lane[1] = 4 * (32 + 3);
    ck_assert_uint_eq(passes(&gpu, load, a), 2);
    a.lane[1] = 4 * (32 + 4);
    ck_assert_uint_eq(passes(&gpu, load, a), 1);
    a.lane[0] = 2;
    ck_assert_uint_eq(passes(&gpu, load, a), 2);
    a.lane[1] = 4 * (32 + 5);
    ck_assert_uint_eq(passes(&gpu, load, a), 1);
}
END_TEST

/* Counts the different words of each bank, one by one. */
static uint32_t slow_passes(const struct teg_access *a, uint32_t width,
                            uint32_t banks)
{
    uint64_t seen[TEG_LANES * 5];
    uint32_t n = 0, most = 0, count[64] = {0};

    for (uint32_t l = 0; l < TEG_LANES; l++) {
        uint64_t from = teg_access_lane(a, l);

        for (uint64_t byte = from; byte < from + width; byte++) {
            uint32_t i = 0;

            if ((a->mask >> l & 1) == 0)
                break;
            while (i < n && seen[i] != byte / 4)
                i++;
            if (i < n)
                continue;
            seen[n++] = byte / 4;
            if (++count[byte / 4 % banks] > most)
                most = count[byte / 4 % banks];
        }
    }
    return most;
}

START_TEST(l1_passes_are_the_busiest_banks_words)
{
    uint64_t state = 3;

    for (int round = 0; round < 5000; round++) {
        struct teg_access a = line(4096 + help_below(&state, 64),
                                   (int32_t)help_below(&state, 40) - 8);
        uint32_t width = 1u << help_below(&state, 5);
        uint32_t banks = 16u << help_below(&state, 3);
        struct teg_gpu gpu;

        with_banks(&gpu, banks);
        if (help_below(&state, 2))
            a.base = 4096;
        if (help_below(&state, 2))
            a.stride *= (int32_t)width;
        if (help_below(&state, 2))
            a.mask = (uint32_t)help_random(&state) | 1;
        ck_assert_uint_eq(passes(&gpu, global((uint16_t)width), a),
                          slow_passes(&a, width, banks));
    }
}
END_TEST

/* Line 0 is in bank 0; a second line in the same bank waits for it.  The bank
 * is the exclusive or of the digits, by hand: 5 is 11 to the base of 4. */
START_TEST(l1_tag_banks_fold_the_line_number)
{
    static const struct {
        uint32_t banks;
        uint64_t line;
        uint32_t lookups;
    } rows[] = {
        {1, 1, 2},   {1, 2, 2},   {2, 1, 1},    {2, 2, 1},   {2, 3, 2},
        {2, 7, 1},   {2, 128, 1}, {2, 129, 2},  {2, 256, 2}, {4, 1, 1},
        {4, 4, 1},   {4, 5, 2},   {4, 6, 1},    {4, 16, 1},  {4, 17, 2},
        {4, 21, 1},  {4, 64, 1},  {4, 65, 2},   {4, 80, 2},  {4, 256, 2},
        {8, 8, 1},   {8, 9, 2},   {8, 10, 1},   {8, 64, 1},  {8, 65, 2},
        {8, 72, 2},  {8, 256, 1}, {8, 260, 2},  {8, 512, 2}, {16, 16, 1},
        {16, 17, 2}, {16, 33, 1}, {16, 256, 2}, {32, 32, 1}, {32, 33, 2},
    };
    static const struct sim_windows none = {0};
    struct teg_inst load = global(4);
    struct teg_gpu gpu;

    with_banks(&gpu, 0);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct teg_access a = {.shape = SHAPE_LIST, .mask = 3};
        struct sim_plan p;

        a.lane[1] = 128 * rows[i].line;
        gpu.l1.tag_banks = rows[i].banks;
        sim_plan_make(&p, &gpu, &load, &a, &none);
        ck_assert_uint_eq(p.request.l1_lines, rows[i].lookups);
    }
}
END_TEST

/* Only a global load that L1 may answer has passes and look-ups there. */
START_TEST(what_does_not_read_l1_has_no_passes)
{
    static const struct {
        uint16_t flags;
        uint32_t bytes;
        uint8_t space, rule;
        int reads;
    } rows[] = {
        {INST_LOAD, 4096, SPACE_GLOBAL, COALESCING_SECTORS, 1},
        {INST_LOAD | INST_BYPASS_L1, 4096, SPACE_GLOBAL, COALESCING_SECTORS, 0},
        {INST_STORE, 4096, SPACE_GLOBAL, COALESCING_SECTORS, 0},
        {INST_LOAD | INST_STORE | INST_ATOMIC, 4096, SPACE_GLOBAL,
         COALESCING_SECTORS, 0},
        {INST_LOAD | INST_ATOMIC, 4096, SPACE_GLOBAL, COALESCING_SECTORS, 0},
        {INST_LOAD, 4096, SPACE_LOCAL, COALESCING_SECTORS, 0},
        {INST_LOAD, 0, SPACE_GLOBAL, COALESCING_SECTORS, 0},
        {INST_LOAD, 4096, SPACE_GLOBAL, COALESCING_IDEAL, 0},
    };
    static const struct sim_windows none = {0};
    struct teg_gpu gpu;

    with_banks(&gpu, 32);
    gpu.l1.tag_banks = 4;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct teg_access a = line(0x1000, 4);
        struct teg_inst inst = global(4);
        struct sim_plan p;

        inst.flags = rows[i].flags;
        inst.space = rows[i].space;
        gpu.l1.bytes = rows[i].bytes;
        gpu.memory.coalescing = rows[i].rule;
        sim_plan_make(&p, &gpu, &inst, &a, &none);
        ck_assert_uint_eq(p.request.l1_passes, (uint32_t)rows[i].reads);
        ck_assert_uint_eq(p.request.l1_lines, (uint32_t)rows[i].reads);
    }
}
END_TEST

HELP_MAIN("sim/memory/l1_banks", 30, {l1_conflicts_over_32_banks, 0},
          {l1_looks_up_a_line_per_bank, 0},
          {l1_passes_of_128_bits_are_rows_of_banks, 0},
          {l1_words_are_those_the_bytes_lie_in, 0},
          {l1_passes_are_the_busiest_banks_words, 0},
          {l1_tag_banks_fold_the_line_number, 0},
          {what_does_not_read_l1_has_no_passes, 0})
