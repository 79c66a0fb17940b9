/*
 * Copies by tensor map: kernels of tests/fixtures/kernels/k37_tensor_map.cu on
 * random maps against a reference that goes element by element.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"
#include "tests/traces/emulate/help_map.h"
#include "tests/traces/emulate/numbers.h"
#include "traces/emulate/core/reduce.h"
#include "traces/emulate/core/tensor_map.h"

#define FILE_OF_KERNELS "k37_tensor_map"

enum {
    BOX_BYTES = 24576,
    UNTOUCHED = 0x5a,
    RANKS = EMU_MAP_RANKS,
};

static uint32_t draw_to(uint32_t below)
{
    return help_draw() % below;
}

/* ---- a random map -------------------------------------------------------------- */

struct scene {
    struct emu_tensor_map map;
    int at[RANKS];
    uint32_t count[RANKS]; /* elements of the box */
    uint32_t elements, pitch, place, box_bytes;
    uint64_t bytes; /* of the tensor */
    uint8_t *tensor;
    uint64_t tensor_address;
};

static uint32_t pattern_of(const struct emu_tensor_map *m)
{
    static const uint32_t bytes[] = {0, 32, 64, 128, 128, 128, 128};

    return bytes[m->swizzle];
}

/* Sizes of a box that is small enough. */
static int draw_box(struct scene *s)
{
    struct emu_tensor_map *m = &s->map;
    uint32_t element = emu_map_element(m), row;

    s->elements = 1;
    for (uint32_t i = 0; i < m->rank; i++) {
        m->step[i] = draw_to(3) == 0 ? 1 + draw_to(8) : 1;
        m->box[i] = i == 0 ? (1 + draw_to(16)) * 16 / element : 1 + draw_to(20);
        s->count[i] = 0;
        for (uint32_t e = 0; e < m->box[i]; e += i == 0 ? 1 : m->step[i])
            s->count[i]++;
        s->elements *= s->count[i];
        s->at[i] = (int)draw_to(60) - 20;
        m->size[i] = 1 + draw_to(i < 3 ? 40 : 5);
    }
    row = m->box[0] * element;
    s->pitch = row < pattern_of(m) ? pattern_of(m) : row;
    s->box_bytes = s->elements * element;
    s->place = draw_to(4) * 128;
    return (m->swizzle == 0 || row <= pattern_of(m)) && m->box[0] <= 256 &&
           s->elements / s->count[0] * s->pitch + s->place <= BOX_BYTES;
}

static void draw_scene(struct scene *s, uint32_t rank)
{
    struct emu_tensor_map *m = &s->map;

    memset(s, 0, sizeof *s);
    m->rank = rank;
    m->type = draw_to(MAP_U4_16);
    m->swizzle = draw_to(4);
    m->fills_nan = emu_map_is_float(m->type) && draw_to(2) == 0;
    while (!draw_box(s))
        ;
    m->stride[0] = emu_map_element(m);
    s->bytes = m->size[0] * m->stride[0];
    for (uint32_t i = 1; i < rank; i++) {
        m->stride[i] = (s->bytes + 15) / 16 * 16 + 16 * draw_to(3);
        s->bytes = m->stride[i] * m->size[i];
    }
}

/* Where the box's element `e` stands in shared memory, counted from a multiple
 * of 1024: pieces of 16 bytes change places by the number of their 128 bytes. */
static uint32_t place_of(const struct scene *s, uint32_t e)
{
    uint32_t element = emu_map_element(&s->map);
    uint32_t at =
        s->place + e / s->count[0] * s->pitch + e % s->count[0] * element;
    uint32_t piece = at % 128 / 16, line = at / 128;

    piece ^= line % (1u << s->map.swizzle);
    return line * 128 + piece * 16 + at % 16;
}

/* Which byte of the tensor it is of, or -1. */
static int64_t source_of(const struct scene *s, uint32_t e)
{
    int64_t byte = 0;

    for (uint32_t i = 0; i < s->map.rank; i++) {
        int64_t c = (int64_t)(e % s->count[i]) *
                        (i == 0 ? 1 : (int64_t)s->map.step[i]) +
                    s->at[i];

        e /= s->count[i];
        if (c < 0 || c >= (int64_t)s->map.size[i])
            return -1;
        byte += c * (int64_t)s->map.stride[i];
    }
    return byte;
}

/* ---- launching ----------------------------------------------------------------- */

/* The tensor's memory, which no argument names but the map. */
static void make_tensor(struct help_kernel *k, struct scene *s)
{
    ck_assert(emu_device_alloc(k->device, s->bytes, &s->tensor_address,
                               &k->d) == TEG_OK);
    s->tensor = emu_device_at(k->device, s->tensor_address, s->bytes);
    for (uint64_t i = 0; i < s->bytes; i++)
        s->tensor[i] = (uint8_t)(help_draw() >> 24);
    s->map.address = s->tensor_address;
}

static void give_map(struct help_kernel *k, const struct emu_tensor_map *m)
{
    uint8_t object[EMU_MAP_BYTES];

    emu_map_write(m, object);
    help_value(k, object, sizeof object);
}

static void give_place(struct help_kernel *k, const struct scene *s)
{
    help_int(k, (int)s->place);
    for (int i = 0; i < RANKS; i++)
        help_int(k, s->at[i]);
    k->facts.dynamic_shared = BOX_BYTES;
}

static void open_of_rank(struct help_kernel *k, const char *name, uint32_t rank)
{
    char kernel[32];

    snprintf(kernel, sizeof kernel, "%s%u", name, rank);
    help_kernel_open(k, 90, FILE_OF_KERNELS, kernel);
}

/* For the table of `make emulator-check`. */
static void say_compared(const char *name, const struct scene *s)
{
    printf("sm_90 %s %u values, 1 forms, 0 without, 0 refused\n", name,
           s->elements);
}

/* ---- loads and stores ---------------------------------------------------------- */

static void expect_loaded(const struct scene *s, const uint8_t *out)
{
    uint32_t n = emu_map_element(&s->map);
    uint8_t *want = malloc(BOX_BYTES), outside[8];

    memset(want, UNTOUCHED, BOX_BYTES);
    memset(outside, s->map.fills_nan ? 0xff : 0, 8);
    if (s->map.fills_nan)
        outside[n - 1] = 0x7f;
    for (uint32_t e = 0; e < s->elements; e++) {
        int64_t from = source_of(s, e);

        memcpy(want + place_of(s, e), from < 0 ? outside : s->tensor + from, n);
    }
    ck_assert_mem_eq(out, want, BOX_BYTES);
    free(want);
}

START_TEST(loads_of_random_maps)
{
    const uint32_t rank = (uint32_t)_i % RANKS + 1;
    struct help_kernel k;
    struct scene s;
    uint8_t *out;

    open_of_rank(&k, "load", rank);
    help_draw_seed((uint32_t)_i);
    draw_scene(&s, rank);
    make_tensor(&k, &s);
    give_map(&k, &s.map);
    out = help_buffer(&k, BOX_BYTES);
    help_int(&k, BOX_BYTES / 4);
    help_int(&k, (int)s.box_bytes);
    give_place(&k, &s);
    help_run_kernel(&k, 1, 1, 64, 1);
    expect_loaded(&s, out);
    say_compared("UTMALDG", &s);
    help_kernel_close(&k);
}
END_TEST

START_TEST(stores_of_random_maps)
{
    const uint32_t rank = (uint32_t)_i % RANKS + 1;
    struct help_kernel k;
    struct scene s;
    uint8_t *in, *want;

    open_of_rank(&k, "store", rank);
    help_draw_seed((uint32_t)_i + 1000);
    draw_scene(&s, rank);
    make_tensor(&k, &s);
    want = malloc(s.bytes);
    memcpy(want, s.tensor, s.bytes);
    give_map(&k, &s.map);
    in = help_buffer(&k, BOX_BYTES);
    for (uint32_t i = 0; i < BOX_BYTES; i++)
        in[i] = (uint8_t)(help_draw() >> 24);
    help_int(&k, BOX_BYTES / 4);
    give_place(&k, &s);
    for (uint32_t e = 0; e < s.elements; e++) {
        int64_t to = source_of(&s, e);

        if (to >= 0)
            memcpy(want + to, in + place_of(&s, e), emu_map_element(&s.map));
    }
    help_run_kernel(&k, 1, 1, 64, 1);
    ck_assert_mem_eq(s.tensor, want, s.bytes);
    say_compared("UTMASTG", &s);
    free(want);
    help_kernel_close(&k);
}
END_TEST

/* ---- numbers of less than a byte ----------------------------------------------- */

/* 16 numbers are `bytes` in the tensor and `shared` in shared memory. */
static const struct {
    uint32_t type, bytes, shared, swizzle;
    uint32_t size, box; /* of a row, in pieces of 16 */
    int at;
} packed[] = {
    {MAP_U4_16, 8, 8, 0, 14, 4, 0},      {MAP_U4_16, 8, 8, 1, 14, 4, 12},
    {MAP_U4_16, 8, 8, 3, 20, 16, -3},    {MAP_U4_16_8, 8, 16, 3, 24, 8, 4},
    {MAP_U4_16_8, 8, 16, 0, 24, 8, 20},  {MAP_U6_16_4, 12, 16, 3, 24, 8, -4},
    {MAP_U6_16_4, 12, 16, 0, 24, 8, 16}, {MAP_U6_16_4, 12, 16, 4, 24, 8, 2},
    {MAP_U4_16, 8, 8, 4, 20, 16, 2},     {MAP_U4_16, 8, 8, 5, 20, 16, -1},
    {MAP_U4_16, 8, 8, 6, 20, 16, 0},     {MAP_U4_16, 8, 8, 5, 20, 8, 7},
};

enum {
    PACKED = sizeof packed / sizeof packed[0],
    PACKED_ROWS = 6,
    PACKED_BOX = 4, /* rows */
};

/* By which bits of its place a byte of that line of 128 moves. */
static uint32_t moved_by(uint32_t swizzle, uint32_t line)
{
    switch (swizzle) {
    case 4:
        return line % 4 * 32;
    case 5:
        return line % 4 * 32 + line % 2 * 8;
    case 6:
        return line % 2 * 64;
    default:
        return line % (1u << swizzle) * 16;
    }
}

START_TEST(numbers_of_less_than_a_byte)
{
    uint32_t bytes = packed[_i].bytes, shared = packed[_i].shared;
    uint32_t row = packed[_i].box * shared, pitch;
    struct help_kernel k;
    struct scene s = {.at = {16 * packed[_i].at, 1}};
    uint8_t *out, *want = malloc(BOX_BYTES);

    open_of_rank(&k, "load", 2);
    s.map.rank = 2;
    s.map.type = packed[_i].type;
    s.map.swizzle = packed[_i].swizzle;
    s.map.size[0] = 16 * packed[_i].size;
    s.map.size[1] = PACKED_ROWS;
    s.map.box[0] = 16 * packed[_i].box;
    s.map.box[1] = PACKED_BOX;
    s.map.step[0] = s.map.step[1] = 1;
    s.map.stride[1] = (packed[_i].size * bytes + 31) / 32 * 32;
    s.bytes = s.map.stride[1] * PACKED_ROWS;
    pitch = row < pattern_of(&s.map) ? pattern_of(&s.map) : row;
    s.box_bytes = row * PACKED_BOX;
    make_tensor(&k, &s);
    give_map(&k, &s.map);
    out = help_buffer(&k, BOX_BYTES);
    help_int(&k, BOX_BYTES / 4);
    help_int(&k, (int)(packed[_i].box * bytes * PACKED_BOX));
    give_place(&k, &s);
    help_run_kernel(&k, 1, 1, 64, 1);

    memset(want, UNTOUCHED, BOX_BYTES);
    for (uint32_t b = 0; b < s.box_bytes; b++) {
        uint32_t line = b / row, piece = b % row / shared, in = b % shared;
        int64_t x = packed[_i].at + (int64_t)piece;
        uint32_t at = line * pitch + b % row;
        uint8_t value = 0;

        at ^= moved_by(s.map.swizzle, at / 128);
        if (x >= 0 && x < packed[_i].size && line + 1 < PACKED_ROWS &&
            in < bytes)
            value = s.tensor[(line + 1) * s.map.stride[1] +
                             (uint64_t)x * bytes + in];
        want[at] = value;
    }
    ck_assert_mem_eq(out, want, BOX_BYTES);
    free(want);
    help_kernel_close(&k);
}
END_TEST

/* ---- what a trace has of a copy ---------------------------------------------------- */

/* The values of the one copy by tensor map of the kernel's first block. */
static void trace_copy(struct help_kernel *k, uint64_t value[TEG_VALUES_MAX])
{
    struct teg_launch launch;
    struct teg_block *block;
    struct teg_cursor c;
    unsigned found = 0;

    k->facts.from = 0;
    ck_assert(emu_launch(&k->cubin, k->code, k->device, &k->facts, &launch,
                         &k->d) == TEG_OK);
    ck_assert_msg(launch.next(launch.self, &block, &k->d) == TEG_OK, "%s: %s",
                  k->d.where, k->d.what);
    teg_cursor_init(&c, block, 0);
    while (teg_cursor_next(&c)) {
        const struct teg_inst *inst = &launch.kernel->program.inst[c.inst];
        struct teg_access a;

        if (inst->values != VALUES_TENSOR || c.mask == 0)
            continue;
        ck_assert(!(inst->flags & INST_LOAD) != !(inst->flags & INST_STORE));
        for (uint32_t v = 0; teg_cursor_value(&c, &a); v++)
            value[v] = teg_access_lane(&a, (uint32_t)__builtin_ctz(c.mask));
        found++;
    }
    ck_assert_uint_eq(found, 1);
    teg_block_free(block);
    launch.close(launch.self);
}

/* Counts each byte that the values cover. */
static void count_bytes(const uint64_t value[TEG_VALUES_MAX], uint64_t address,
                        uint8_t *times)
{
    const uint64_t stride = (UINT64_C(1) << 48) - 1;
    uint64_t rows = 1;

    for (int i = 5; i < 9; i++)
        rows *= value[i] >> 48;
    for (uint64_t r = 0; value[4] != 0 && r < rows; r++) {
        uint64_t at = value[1] - address, rest = r;

        for (int i = 5; i < 9; i++) {
            at += rest % (value[i] >> 48) * (value[i] & stride);
            rest /= value[i] >> 48;
        }
        for (uint64_t b = 0; b < value[4]; b++)
            times[at + b]++;
    }
}

START_TEST(a_trace_has_what_a_box_covers)
{
    const uint32_t rank = (uint32_t)_i % RANKS + 1;
    const int loads = _i % 2;
    struct help_kernel k;
    struct scene s;
    uint64_t value[TEG_VALUES_MAX];
    uint8_t *times, *want;

    open_of_rank(&k, loads ? "load" : "store", rank);
    help_draw_seed((uint32_t)_i + 2000);
    draw_scene(&s, rank);
    make_tensor(&k, &s);
    give_map(&k, &s.map);
    help_buffer(&k, BOX_BYTES);
    help_int(&k, BOX_BYTES / 4);
    if (loads)
        help_int(&k, (int)s.box_bytes);
    give_place(&k, &s);
    k.facts.block[0] = 32;
    trace_copy(&k, value);
    ck_assert_uint_eq(value[0] % 1024, s.place);
    ck_assert_uint_eq(value[2], s.box_bytes);
    ck_assert_int_eq(value[3] == UINT64_MAX, !loads);
    times = calloc(2, s.bytes);
    want = times + s.bytes;
    for (uint32_t e = 0; e < s.elements; e++) {
        int64_t at = source_of(&s, e);

        for (uint32_t b = 0; at >= 0 && b < emu_map_element(&s.map); b++)
            want[at + b] = 1;
    }
    count_bytes(value, s.tensor_address, times);
    ck_assert_mem_eq(times, want, s.bytes);
    ck_assert_int_eq(value[1] == UINT64_MAX, memchr(want, 1, s.bytes) == NULL);
    free(times);
    help_kernel_close(&k);
}
END_TEST

/* ---- reductions ---------------------------------------------------------------- */

static const char *const reductions[] = {"add", "min", "max", "inc",
                                         "dec", "and", "or",  "xor"};

/* Numbers below 0 where the type has them, and the reduction. */
static int draw_number(uint32_t type)
{
    int v = (int)draw_to(32);

    return type != MAP_U32 && type != MAP_U64 && draw_to(2) == 0 ? -v : v;
}

static void reduce(uint32_t type, int r)
{
    enum {
        SIDE = 16
    };
    char name[32];
    struct help_kernel k;
    struct scene s = {.map = {.rank = 2,
                              .type = type,
                              .size = {SIDE, 10},
                              .box = {SIDE, 8},
                              .step = {1, 1},
                              .swizzle = 1},
                      .at = {3, 5},
                      .count = {SIDE, 8},
                      .elements = SIDE * 8};
    uint32_t n = emu_map_element(&s.map);
    uint8_t *in, *want;

    s.map.swizzle = SIDE * n <= 32 ? 1 : SIDE * n <= 64 ? 2 : 3;
    s.pitch = SIDE * n;
    s.map.stride[0] = n;
    s.map.stride[1] = SIDE * n;
    s.bytes = SIDE * n * 10;
    snprintf(name, sizeof name, "reduce_%s2", reductions[r]);
    help_kernel_open(&k, 90, FILE_OF_KERNELS, name);
    help_draw_seed(type * 8 + (uint32_t)r);
    make_tensor(&k, &s);
    give_map(&k, &s.map);
    in = help_buffer(&k, BOX_BYTES);
    want = malloc(s.bytes);
    for (uint32_t i = 0; i < s.bytes / n; i++) {
        uint64_t bits = bits_of_number(type, draw_number(type));

        memcpy(s.tensor + i * n, &bits, n);
        memcpy(want + i * n, &bits, n);
    }
    for (uint32_t e = 0; e < s.elements; e++) {
        int64_t to = source_of(&s, e);
        int old = 0, v = draw_number(type);
        uint64_t bits = bits_of_number(type, v);

        memcpy(in + place_of(&s, e), &bits, n);
        for (old = -64; to >= 0 && old <= 64; old++) {
            bits = bits_of_number(type, old);
            if (memcmp(&bits, s.tensor + to, n) == 0)
                break;
        }
        bits = bits_of_number(type, reduce_numbers(r, old, v));
        if (to >= 0)
            memcpy(want + to, &bits, n);
    }
    help_int(&k, BOX_BYTES / 4);
    give_place(&k, &s);
    k.facts.grid[0] = 1;
    k.facts.block[0] = 32;
    if (emu_reduces((enum emu_reduction)r, type)) {
        ck_assert_msg(help_try_kernel(&k) == TEG_OK, "%s: %s", k.d.where,
                      k.d.what);
        ck_assert_mem_eq(s.tensor, want, s.bytes);
        say_compared("UTMAREDG", &s);
    } else {
        ck_assert(help_try_kernel(&k) != TEG_OK);
        ck_assert(strstr(k.d.what, "cannot be reduced so") != NULL);
    }
    free(want);
    help_kernel_close(&k);
}

/* All of a type's; which types have which is the PTX ISA's table. */
START_TEST(reductions_of_every_type)
{
    static const struct {
        uint32_t type;
        const char *has;
    } table[] = {
        {MAP_U8, ""},        {MAP_U16, ""},       {MAP_U32, "01234567"},
        {MAP_S32, "012567"}, {MAP_U64, "012567"}, {MAP_S64, "012567"},
        {MAP_F16, "012"},    {MAP_F32, "0"},      {MAP_F64, "0"},
        {MAP_BF16, "012"},   {MAP_F32_FTZ, "0"},  {MAP_TF32, ""},
        {MAP_TF32_FTZ, ""},
    };

    for (int r = 0; r < EMU_REDUCTIONS; r++) {
        uint32_t type = table[_i].type;

        ck_assert_int_eq(emu_reduces((enum emu_reduction)r, type),
                         strchr(table[_i].has, '0' + r) != NULL);
        reduce(type, r);
    }
}
END_TEST

/* ---- maps from elsewhere --------------------------------------------------------- */

START_TEST(a_map_in_global_memory)
{
    struct help_kernel k;
    struct scene s;
    struct emu_tensor_map *m = &s.map;
    uint8_t *object, *out;

    help_kernel_open(&k, 90, FILE_OF_KERNELS, "pointed");
    draw_scene(&s, 2);
    s.place = 0;
    make_tensor(&k, &s);
    object = help_buffer(&k, EMU_MAP_BYTES);
    emu_map_write(m, object);
    out = help_buffer(&k, BOX_BYTES);
    help_int(&k, BOX_BYTES / 4);
    help_int(&k, (int)s.box_bytes);
    help_int(&k, s.at[0]);
    help_int(&k, s.at[1]);
    k.facts.dynamic_shared = BOX_BYTES;
    help_run_kernel(&k, 1, 1, 32, 1);
    for (uint32_t e = 0; e < s.elements; e++) {
        int64_t from = source_of(&s, e);

        if (from >= 0)
            ck_assert_mem_eq(out + place_of(&s, e), s.tensor + from,
                             emu_map_element(m));
    }
    help_kernel_close(&k);
}
END_TEST

/* As the compiler lays out what tensormap.replace writes. */
START_TEST(a_map_that_the_kernel_makes)
{
    enum {
        COLUMNS = 24,
        ROWS = 20
    };
    struct help_kernel k;
    struct scene s = {.map = {.rank = 2,
                              .type = MAP_F32,
                              .size = {COLUMNS, ROWS},
                              .stride = {4, 4 * COLUMNS},
                              .box = {16, 12},
                              .step = {1, 1},
                              .swizzle = 2},
                      .at = {10, -3},
                      .count = {16, 12},
                      .pitch = 64,
                      .elements = 16 * 12};
    uint8_t *object, *out, same[EMU_MAP_BYTES];
    uint32_t *from;

    help_kernel_open(&k, 90, FILE_OF_KERNELS, "made");
    object = help_buffer(&k, EMU_MAP_BYTES);
    from = help_buffer(&k, COLUMNS * ROWS * 4);
    out = help_buffer(&k, 16 * 12 * 4);
    for (uint32_t i = 0; i < COLUMNS * ROWS; i++)
        from[i] = help_draw();
    for (int i = 0; i < 2; i++)
        help_int(&k, (int)s.map.size[i]);
    for (int i = 0; i < 2; i++)
        help_int(&k, (int)s.map.box[i]);
    for (int i = 0; i < 2; i++)
        help_int(&k, s.at[i]);
    k.facts.dynamic_shared = BOX_BYTES;
    help_run_kernel(&k, 1, 1, 32, 1);
    s.map.address = k.buffer[1].address;
    emu_map_write(&s.map, same);
    ck_assert_mem_eq(object, same, EMU_MAP_BYTES);
    for (uint32_t e = 0; e < s.elements; e++) {
        int64_t at = source_of(&s, e);
        uint32_t want = at < 0 ? 0 : from[at / 4];

        ck_assert_mem_eq(out + place_of(&s, e), &want, 4);
    }
    help_kernel_close(&k);
}
END_TEST

START_TEST(a_box_for_blocks_of_a_cluster)
{
    enum {
        BLOCKS = 4,
        WORDS = 32 * 8
    };
    const int blocks = 0xb; /* all but one */
    struct help_kernel k;
    struct scene s = {.map = {.rank = 2,
                              .type = MAP_U32,
                              .size = {40, 9},
                              .stride = {4, 160},
                              .box = {32, 8},
                              .step = {1, 1}},
                      .bytes = 160 * 9};
    uint32_t *out;

    help_kernel_open(&k, 90, FILE_OF_KERNELS, "multicast");
    make_tensor(&k, &s);
    give_map(&k, &s.map);
    out = help_buffer(&k, BLOCKS * WORDS * 4);
    help_int(&k, WORDS);
    help_int(&k, WORDS * 4);
    help_int(&k, blocks);
    help_int(&k, 4);
    help_int(&k, 1);
    k.facts.dynamic_shared = BOX_BYTES;
    k.facts.cluster[0] = BLOCKS;
    k.facts.cluster[1] = k.facts.cluster[2] = 1;
    help_run_kernel(&k, BLOCKS, 1, 32, 1);
    for (int b = 0; b < BLOCKS; b++) {
        for (int i = 0; i < WORDS; i++) {
            uint32_t want = 0;

            if (blocks >> b & 1)
                memcpy(&want, s.tensor + (i / 32 + 1) * 160 + (i % 32 + 4) * 4,
                       4);
            ck_assert_uint_eq(out[b * WORDS + i], want);
        }
    }
    help_kernel_close(&k);
}
END_TEST

/* ---- mistakes -------------------------------------------------------------------- */

/* What a load of two dimensions says of such an object and place. */
static void expect_fault(const uint8_t object[EMU_MAP_BYTES], int place,
                         uint64_t bytes, const char *what)
{
    struct help_kernel k;
    uint64_t address;

    help_kernel_open(&k, 90, FILE_OF_KERNELS, "load2");
    ck_assert(emu_device_alloc(k.device, bytes, &address, &k.d) == TEG_OK);
    ck_assert_uint_eq(address, help_map.address);
    help_value(&k, object, EMU_MAP_BYTES);
    help_buffer(&k, BOX_BYTES);
    help_int(&k, BOX_BYTES / 4);
    help_int(&k, 1024);
    help_int(&k, place);
    for (int i = 0; i < RANKS; i++)
        help_int(&k, 0);
    k.facts.dynamic_shared = BOX_BYTES;
    k.facts.block[0] = 32;
    if (what == NULL) {
        ck_assert_msg(help_try_kernel(&k) == TEG_OK, "%s", k.d.what);
    } else {
        ck_assert(help_try_kernel(&k) != TEG_OK);
        ck_assert_msg(strstr(k.d.what, what) != NULL, "%s", k.d.what);
        ck_assert_msg(strstr(k.d.where, "block 0,0,0 warp 0 lane 0 pc 0x") !=
                          NULL,
                      "%s", k.d.where);
    }
    help_kernel_close(&k);
}

START_TEST(what_is_no_map_or_no_place_is_a_fault)
{
    uint8_t object[EMU_MAP_BYTES], none[EMU_MAP_BYTES] = {0};
    struct emu_tensor_map m = help_map;

    emu_map_write(&m, object);
    expect_fault(object, 0, 8192, NULL);
    expect_fault(none, 0, 8192, "a box's row to be a multiple of 16 bytes");
    object[127] = 1;
    expect_fault(object, 0, 8192, "the 128 bytes are no tensor map");
    emu_map_write(&m, object);
    expect_fault(object, 64, 8192, "shared memory at a multiple of 128");
    expect_fault(object, BOX_BYTES - 896, 8192, "are out of bounds");
    expect_fault(object, 0, 512, "of global memory are out of bounds");
    m.rank = 3;
    m.size[2] = m.box[2] = m.step[2] = 1;
    m.stride[2] = 8192;
    emu_map_write(&m, object);
    expect_fault(object, 0, 8192, "of 2 dimensions, found 3");
    m.rank = 2;
    emu_map_write(&m, object);
    object[9] |= 8; /* 16 bytes interleaved */
    expect_fault(object, 0, 8192, "3 dimensions or more of an interleaved");
}
END_TEST

HELP_MAIN("traces/tensor copies", 60, {loads_of_random_maps, HELP_ROUNDS(60)},
          {stores_of_random_maps, HELP_ROUNDS(60)},
          {numbers_of_less_than_a_byte, PACKED},
          {a_trace_has_what_a_box_covers, HELP_ROUNDS(100)},
          {reductions_of_every_type, MAP_U4_16}, {a_map_in_global_memory, 0},
          {a_map_that_the_kernel_makes, 0}, {a_box_for_blocks_of_a_cluster, 0},
          {what_is_no_map_or_no_place_is_a_fault, 0})
