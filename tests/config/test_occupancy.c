/* Resident blocks, against the vendor's occupancy calculator worked by hand and
 * against the toolkit's own arithmetic (make_occupancy.c). */
#include "config/occupancy.h"

#include <string.h>

#include "tests/help_csv.h"
#include "tests/help_gpu.h"
#include "tests/help_suite.h"

/* Compute capability 1.3 and 7.0, from the calculator's table. */
static void cc13(struct teg_gpu *gpu)
{
    help_gpu_plain(gpu);
    gpu->sm.warps_max = 32;
    gpu->sm.threads_max = 1024;
    gpu->sm.blocks_max = 8;
    gpu->sm.threads_per_block_max = 512;
    gpu->sm.registers = 16384;
    gpu->sm.registers_per_thread_max = 124;
    gpu->sm.register_scope = REGISTER_SCOPE_BLOCK;
    gpu->sm.register_unit = 512;
    gpu->sm.warp_unit = 2;
    gpu->sm.shared_bytes = 16384;
    gpu->sm.shared_unit = 512;
}

static void cc70(struct teg_gpu *gpu)
{
    help_gpu_plain(gpu);
    gpu->sm.schedulers = 4;
    gpu->sm.register_scope = REGISTER_SCOPE_WARP;
    gpu->sm.warp_unit = 4;
    gpu->sm.shared_bytes = 98304;
}

struct row {
    uint32_t threads, registers, shared, blocks;
    enum teg_occupancy_limit limit;
};

static teg_status ask(const struct teg_gpu *gpu, uint32_t threads,
                      uint32_t registers, uint32_t shared,
                      struct teg_occupancy *o, struct teg_diag *d)
{
    return teg_occupancy(gpu,
                         &(struct teg_block_asks){.threads = threads,
                                                  .registers = registers,
                                                  .shared_bytes = shared},
                         o, d);
}

static void expect(const struct teg_gpu *gpu, const struct row *row, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct teg_occupancy o;
        struct teg_diag d;

        ck_assert_msg(ask(gpu, row[i].threads, row[i].registers, row[i].shared,
                          &o, &d) == TEG_OK,
                      "row %zu: %s", i, d.what);
        ck_assert_msg(o.blocks_per_sm == row[i].blocks &&
                          o.limit == row[i].limit,
                      "row %zu: %u blocks, limited by %s", i, o.blocks_per_sm,
                      teg_occupancy_limit_name(o.limit));
        ck_assert_uint_eq(o.warps_per_sm,
                          row[i].blocks * ((row[i].threads + 31) / 32));
    }
}

START_TEST(compute_capability_1_rounds_registers_per_block)
{
    static const struct row rows[] = {
        {256, 10, 0, 4, OCCUPANCY_WARPS},
        /* 8 warps x 32 x 18 = 4608 registers: 3 blocks in 16384 */
        {256, 18, 0, 3, OCCUPANCY_REGISTERS},
        /* 3 warps are held as 4: 4 x 32 x 40 = 5120: 3 blocks */
        {96, 40, 0, 3, OCCUPANCY_REGISTERS},
        /* 4097 bytes take 4608: 3 blocks */
        {64, 8, 4097, 3, OCCUPANCY_SHARED},
        {32, 8, 16, 8, OCCUPANCY_BLOCKS},
    };
    struct teg_gpu gpu;

    cc13(&gpu);
    expect(&gpu, rows, sizeof rows / sizeof rows[0]);
}
END_TEST

START_TEST(volta_rounds_registers_per_warp_over_four_parts)
{
    static const struct row rows[] = {
        {256, 32, 0, 8, OCCUPANCY_WARPS},
        {1024, 32, 0, 2, OCCUPANCY_WARPS},
        /* 128 x 32 = 4096 a warp: 4 warps a part, 16 an SM */
        {256, 128, 0, 2, OCCUPANCY_REGISTERS},
        /* 90 -> 2880 -> 3072: 5 warps a part, 20 an SM: one block of 16 */
        {512, 90, 0, 1, OCCUPANCY_REGISTERS},
        {64, 0, 49152, 2, OCCUPANCY_SHARED},
        {32, 16, 0, 32, OCCUPANCY_BLOCKS},
        /* 160 -> 5120: 3 warps a part, 12 an SM, however they spread */
        {32, 160, 0, 12, OCCUPANCY_REGISTERS},
        {160, 160, 0, 2, OCCUPANCY_REGISTERS},
    };
    struct teg_gpu gpu;

    cc70(&gpu);
    expect(&gpu, rows, sizeof rows / sizeof rows[0]);
}
END_TEST

static struct teg_gpu *load(const char *name)
{
    char path[64];
    struct teg_gpu *gpu;
    struct teg_diag d;

    snprintf(path, sizeof path, "config/%s.cfg", name);
    ck_assert_msg(teg_gpu_load(path, &gpu, &d) == TEG_OK, "%s", d.what);
    return gpu;
}

START_TEST(the_toolkits_arithmetic_says_the_same)
{
    struct help_csv csv;
    struct teg_gpu *gpu = NULL;
    char loaded[32] = "";
    int rows = 0;

    help_csv_open(&csv, "tests/config/occupancy.csv");
    for (; help_csv_next(&csv); rows++) {
        struct teg_occupancy o = {0};
        struct teg_diag d;
        struct teg_block_asks asks = {
            .threads = (uint32_t)help_csv_number(&csv, "threads"),
            .registers = (uint32_t)help_csv_number(&csv, "registers"),
            .shared_bytes = (uint32_t)help_csv_number(&csv, "shared"),
        };
        uint32_t blocks = (uint32_t)help_csv_number(&csv, "blocks");

        if (strcmp(loaded, help_csv(&csv, "gpu")) != 0) {
            teg_gpu_free(gpu);
            snprintf(loaded, sizeof loaded, "%s", help_csv(&csv, "gpu"));
            gpu = load(loaded);
        }
        asks.carveout = (uint32_t)(help_csv_number(&csv, "carveout") + 1);
        if (teg_occupancy(gpu, &asks, &o, &d) != TEG_OK)
            o.blocks_per_sm = 0;
        ck_assert_msg(o.blocks_per_sm == blocks,
                      "%s, %u threads, %u registers, %u bytes, carve-out %d: "
                      "%u blocks, the toolkit says %u",
                      loaded, asks.threads, asks.registers, asks.shared_bytes,
                      (int)asks.carveout - 1, o.blocks_per_sm, blocks);
    }
    teg_gpu_free(gpu);
    ck_assert_int_eq(rows, 1125);
}
END_TEST

/* 128 KB for both, as on Volta; CUDA programming guide, compute capability
 * 7.x: the driver takes what keeps the most blocks resident. */
static void unified(struct teg_gpu *gpu)
{
    static const uint32_t kilobytes[] = {0, 8, 16, 32, 64, 96};

    cc70(gpu);
    gpu->l1.bytes = 122880;
    gpu->l1.unified_bytes = 131072;
    gpu->l1.carveout_preferred = 1;
    gpu->carveout_count = 6;
    for (int i = 0; i < 6; i++)
        gpu->carveout[i] = kilobytes[i] * 1024;
}

START_TEST(shared_memory_takes_from_l1)
{
    static const struct {
        uint32_t shared, reserved, set, blocks, carveout, l1, preferred;
    } rows[] = {
        {0, 0, 0, 8, 0, 122880, 0},
        /* 8 blocks of 1 KB need 8 KB: 120 of 128 KB are left */
        {1024, 0, 0, 8, 8192, 122880, 0},
        {1025, 0, 0, 8, 16384, 114688, 0},
        /* 8 of 12 KB are 96 */
        {12288, 0, 0, 8, 98304, 32768, 0},
        /* 3 of 32 KB are 96, too */
        {32768, 0, 0, 3, 98304, 32768, 0},
        /* a kilobyte a block for the system: 8 KB */
        {0, 1024, 0, 8, 8192, 122880, 0},
        /* the user sets 32 KB aside: 2 blocks of 16 */
        {16384, 0, 32768, 2, 32768, 98304, 0},
        {0, 0, 65536, 8, 65536, 65536, 0},
        /* the launch prefers half of 96 KB: 64, of which 3 blocks of 20 */
        {20480, 0, 0, 3, 65536, 65536, 50 + 1},
        /* none at all: what one block needs, 32 KB */
        {20480, 0, 0, 1, 32768, 98304, 0 + 1},
        {0, 0, 0, 8, 0, 122880, 0 + 1},
        {0, 0, 0, 8, 98304, 32768, 100 + 1},
        /* the user's word counts more */
        {16384, 0, 32768, 2, 32768, 98304, 100 + 1},
    };

    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct teg_occupancy o;
        struct teg_gpu gpu;
        struct teg_diag d;

        unified(&gpu);
        gpu.sm.shared_reserved = rows[i].reserved;
        gpu.l1.carveout_bytes = rows[i].set;
        ck_assert(teg_occupancy(&gpu,
                                &(struct teg_block_asks){
                                    256, 32, rows[i].shared, rows[i].preferred},
                                &o, &d) == TEG_OK);
        ck_assert_uint_eq(o.blocks_per_sm, rows[i].blocks);
        ck_assert_uint_eq(o.carveout_bytes, rows[i].carveout);
        ck_assert_uint_eq(o.l1_bytes, rows[i].l1);
    }
}
END_TEST

START_TEST(what_a_launch_prefers_can_be_ignored)
{
    const struct teg_block_asks asks = {256, 32, 20480, 0 + 1};
    struct teg_occupancy o;
    struct teg_gpu gpu;
    struct teg_diag d;

    unified(&gpu);
    gpu.l1.carveout_preferred = 0;
    ck_assert(teg_occupancy(&gpu, &asks, &o, &d) == TEG_OK);
    ck_assert_uint_eq(o.blocks_per_sm, 4);
    ck_assert_uint_eq(o.carveout_bytes, 98304);
}
END_TEST

START_TEST(what_fits_no_sm_is_refused)
{
    struct teg_gpu gpu;
    struct teg_occupancy o;
    struct teg_diag d;

    cc70(&gpu);
    ck_assert(ask(&gpu, 1025, 16, 0, &o, &d) == TEG_LIMIT);
    ck_assert(ask(&gpu, 0, 16, 0, &o, &d) == TEG_LIMIT);
    ck_assert(ask(&gpu, 1024, 256, 0, &o, &d) == TEG_LIMIT);
    ck_assert(ask(&gpu, 1024, 128, 0, &o, &d) == TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(d.what, "registers"));
    ck_assert(ask(&gpu, 32, 16, 98305, &o, &d) == TEG_LIMIT);
    ck_assert_ptr_nonnull(strstr(d.what, "shared memory"));
}
END_TEST

HELP_MAIN("config/occupancy", 10,
          {compute_capability_1_rounds_registers_per_block, 0},
          {volta_rounds_registers_per_warp_over_four_parts, 0},
          {the_toolkits_arithmetic_says_the_same, 0},
          {shared_memory_takes_from_l1, 0},
          {what_a_launch_prefers_can_be_ignored, 0},
          {what_fits_no_sm_is_refused, 0})
