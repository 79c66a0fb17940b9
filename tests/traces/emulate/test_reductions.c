/*
 * Reductions by one thread or by registers into memory that others have, and
 * copies that arrive at an mbarrier: kernels of k39_reductions.cu against the
 * PTX ISA's rules in plain C.  (cp.reduce.async.bulk, red.async,
 * cp.async.mbarrier.arrive)
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"
#include "tests/traces/emulate/numbers.h"

#define FILE_OF_KERNELS "k39_reductions"

enum {
    BLOCKS = 3,
    PIECES = 13, /* of 16 bytes */
    BYTES = 16 * PIECES,
    THREADS = 32,
    PLACES = 8,
};

/* The order of emu_reduction. */
enum {
    ADD,
    MIN,
    MAX,
    INC,
    DEC,
    AND,
    OR,
    XOR
};

static const struct reduction {
    const char *kernel;
    uint32_t type;
    int r;
} reductions[] = {
    {"and_b32", MAP_U32, AND},   {"and_b64", MAP_U64, AND},
    {"or_b32", MAP_U32, OR},     {"or_b64", MAP_U64, OR},
    {"xor_b32", MAP_U32, XOR},   {"xor_b64", MAP_U64, XOR},
    {"inc_u32", MAP_U32, INC},   {"dec_u32", MAP_U32, DEC},
    {"add_u32", MAP_U32, ADD},   {"add_s32", MAP_S32, ADD},
    {"add_u64", MAP_U64, ADD},   {"add_f32", MAP_F32, ADD},
    {"add_f64", MAP_F64, ADD},   {"add_f16", MAP_F16, ADD},
    {"add_bf16", MAP_BF16, ADD}, {"min_u32", MAP_U32, MIN},
    {"min_s32", MAP_S32, MIN},   {"min_u64", MAP_U64, MIN},
    {"min_s64", MAP_S64, MIN},   {"min_f16", MAP_F16, MIN},
    {"min_bf16", MAP_BF16, MIN}, {"max_u32", MAP_U32, MAX},
    {"max_s32", MAP_S32, MAX},   {"max_u64", MAP_U64, MAX},
    {"max_s64", MAP_S64, MAX},   {"max_f16", MAP_F16, MAX},
    {"max_bf16", MAP_BF16, MAX},
};

/* Those that shared memory has, too. */
static const struct reduction of_shared[] = {
    {"and_b32", MAP_U32, AND}, {"or_b32", MAP_U32, OR},
    {"xor_b32", MAP_U32, XOR}, {"inc_u32", MAP_U32, INC},
    {"dec_u32", MAP_U32, DEC}, {"add_u32", MAP_U32, ADD},
    {"add_s32", MAP_S32, ADD}, {"add_u64", MAP_U64, ADD},
    {"min_u32", MAP_U32, MIN}, {"min_s32", MAP_S32, MIN},
    {"max_u32", MAP_U32, MAX}, {"max_s32", MAP_S32, MAX},
};

enum {
    REDUCTIONS = sizeof reductions / sizeof reductions[0],
    OF_SHARED = sizeof of_shared / sizeof of_shared[0],
};

static uint32_t bytes_of(uint32_t type)
{
    const struct emu_tensor_map m = {.type = type};

    return emu_map_element(&m);
}

/* Below 0 where the type has such; small, so that sums are exact. */
static int draw_number(uint32_t type)
{
    int v = (int)(help_draw() >> 8) % 17;

    return type != MAP_U32 && type != MAP_U64 && help_draw() >> 31 ? -v : v;
}

static void draw_numbers(uint32_t type, int *number, uint8_t *data, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t bits;

        number[i] = draw_number(type);
        bits = bits_of_number(type, number[i]);
        memcpy(data + (size_t)i * bytes_of(type), &bits, bytes_of(type));
    }
}

static void expect_numbers(uint32_t type, const int *number,
                           const uint8_t *data, int count)
{
    for (int i = 0; i < count; i++) {
        uint64_t want = bits_of_number(type, number[i]), found = 0;

        memcpy(&found, data + (size_t)i * bytes_of(type), bytes_of(type));
        ck_assert_uint_eq(found, want);
    }
}

static int reduced(const struct reduction *r, int old, int v)
{
    return reduce_numbers(r->r, old, v);
}

/* Each block's numbers into the same range, block after block. */
START_TEST(ranges_into_global_memory)
{
    const struct reduction *r = &reductions[HELP_CASE];
    int count = BYTES / (int)bytes_of(r->type);
    int number[BYTES * BLOCKS], want[BYTES];
    struct help_kernel k;
    uint8_t *out, *in;

    help_draw_seed((uint32_t)HELP_CASE + 1);
    help_kernel_open(&k, HELP_CLUSTERED, FILE_OF_KERNELS, r->kernel);
    out = help_buffer(&k, BYTES);
    in = help_buffer(&k, BYTES * BLOCKS);
    help_int(&k, BYTES);
    draw_numbers(r->type, want, out, count);
    draw_numbers(r->type, number, in, count * BLOCKS);
    for (int i = 0; i < count * BLOCKS; i++)
        want[i % count] = reduced(r, want[i % count], number[i]);
    help_run_kernel(&k, BLOCKS, 1, 64, 1);
    expect_numbers(r->type, want, out, count);
    help_kernel_close(&k);
}
END_TEST

static void open_shared(struct help_kernel *k, unsigned sm, const char *prefix,
                        const struct reduction *r)
{
    char name[40];

    snprintf(name, sizeof name, "%s_%s", prefix, r->kernel);
    help_kernel_open(k, sm, FILE_OF_KERNELS, name);
}

/* Each of two blocks' numbers into the other's range. */
START_TEST(ranges_into_the_others_shared_memory)
{
    const struct reduction *r = &of_shared[HELP_CASE];
    int count = BYTES / (int)bytes_of(r->type);
    int number[2 * BYTES], want[2 * BYTES];
    struct help_kernel k;
    uint8_t *out, *in;

    help_draw_seed((uint32_t)HELP_CASE + 100);
    open_shared(&k, HELP_CLUSTERED, "shared", r);
    out = help_buffer(&k, 2 * BYTES);
    in = help_buffer(&k, 2 * BYTES);
    help_int(&k, BYTES);
    draw_numbers(r->type, want, out, 2 * count);
    draw_numbers(r->type, number, in, 2 * count);
    for (int i = 0; i < 2 * count; i++)
        want[i] = reduced(r, want[i], number[(i + count) % (2 * count)]);
    help_run_kernel(&k, 2, 1, 64, 1);
    expect_numbers(r->type, want, out, 2 * count);
    help_kernel_close(&k);
}
END_TEST

/* Registers of each of two blocks into eight elements of the other one, lane
 * after lane. */
START_TEST(registers_into_the_others_shared_memory)
{
    const struct reduction *r = &of_shared[HELP_CASE];
    int number[2 * THREADS], want[2 * PLACES];
    struct help_kernel k;
    uint8_t *out, *in;

    help_draw_seed((uint32_t)HELP_CASE + 200);
    open_shared(&k, HELP_CLUSTERED, "sent", r);
    out = help_buffer(&k, 2 * PLACES * bytes_of(r->type));
    in = help_buffer(&k, 2 * THREADS * bytes_of(r->type));
    draw_numbers(r->type, want, out, 2 * PLACES);
    draw_numbers(r->type, number, in, 2 * THREADS);
    for (int i = 0; i < 2 * THREADS; i++) {
        int *to = &want[(1 - i / THREADS) * PLACES + i % PLACES];

        *to = reduced(r, *to, number[i]);
    }
    help_run_kernel(&k, 2, 1, THREADS, 1);
    expect_numbers(r->type, want, out, 2 * PLACES);
    help_kernel_close(&k);
}
END_TEST

/* Rounds of copies whose arrival the block waits for, by threads that are
 * awaited anyway and by ones that come on top. */
START_TEST(copies_that_arrive)
{
    enum {
        ROUNDS = 5,
        COPIERS = 128,
        WORDS = 4
    };
    struct help_kernel k;
    int32_t *out, *in;

    help_draw_seed((uint32_t)HELP_CASE + 300);
    help_kernel_open(&k, HELP_CLUSTERED, FILE_OF_KERNELS,
                     HELP_CASE == 0 ? "arrives" : "arrives_noinc");
    out = help_buffer(&k, COPIERS * 16);
    in = help_buffer(&k, ROUNDS * COPIERS * 16);
    help_int(&k, ROUNDS);
    for (int i = 0; i < ROUNDS * COPIERS * WORDS; i++)
        in[i] = (int32_t)(help_draw() >> 4);
    help_run_kernel(&k, 1, 1, COPIERS, 1);
    for (int t = 0; t < COPIERS; t++) {
        for (int w = 0; w < WORDS; w++) {
            int32_t sum = 0;

            for (int round = 0; round < ROUNDS; round++)
                sum += in[(round * COPIERS + (t ^ 33)) * WORDS + w];
            ck_assert_int_eq(out[t * WORDS + w], sum);
        }
    }
    help_kernel_close(&k);
}
END_TEST

/* A trace has the range, and of what its elements are. */
START_TEST(a_trace_has_what_is_reduced)
{
    const struct reduction *r = &reductions[HELP_CASE];
    int is_float = strchr(r->kernel, 'f') != NULL;
    uint64_t value[TEG_VALUES_MAX] = {0};
    struct help_kernel k;
    struct teg_launch launch;
    struct teg_block *block;
    struct teg_cursor c;
    unsigned found = 0;

    help_kernel_open(&k, HELP_CLUSTERED, FILE_OF_KERNELS, r->kernel);
    help_buffer(&k, BYTES);
    help_buffer(&k, BYTES);
    help_int(&k, BYTES);
    k.facts.from = 0;
    k.facts.grid[0] = 1;
    k.facts.block[0] = 64;
    ck_assert(emu_launch(&k.cubin, k.code, k.device, &k.facts, &launch, &k.d) ==
              TEG_OK);
    ck_assert(launch.next(launch.self, &block, &k.d) == TEG_OK);
    teg_cursor_init(&c, block, 0);
    while (teg_cursor_next(&c)) {
        const struct teg_inst *inst = &launch.kernel->program.inst[c.inst];
        struct teg_access a;

        if (inst->values != VALUES_REDUCED || c.mask == 0)
            continue;
        ck_assert_int_eq(inst->flags & (INST_STORE | INST_ATOMIC), INST_ATOMIC);
        for (uint32_t v = 0; teg_cursor_value(&c, &a); v++)
            value[v] = teg_access_lane(&a, (uint32_t)__builtin_ctz(c.mask));
        found++;
    }
    ck_assert_uint_eq(found, 1);
    ck_assert_uint_eq(value[1], k.buffer[0].address);
    ck_assert_uint_eq(value[2], BYTES);
    ck_assert_uint_eq(value[3], UINT64_MAX);
    ck_assert_uint_eq(value[4], BYTES);
    for (int i = 5; i < 9; i++)
        ck_assert_uint_eq(value[i], UINT64_C(1) << 48);
    ck_assert_uint_eq(value[9], bytes_of(r->type) + (is_float ? 256 : 0));
    teg_block_free(block);
    launch.close(launch.self);
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/reductions", 60, {ranges_into_global_memory, 2 * REDUCTIONS},
          {ranges_into_the_others_shared_memory, 2 * OF_SHARED},
          {registers_into_the_others_shared_memory, 2 * OF_SHARED},
          {copies_that_arrive, 4},
          {a_trace_has_what_is_reduced, 2 * REDUCTIONS})
