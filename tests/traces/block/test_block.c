/* The compact block: what goes in comes out, and damage never gets past
 * teg_block_open. */
#include "traces/block/block.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"

enum {
    STEPS_MAX = 400,
    ROUNDS = HELP_ROUNDS(40), /* random blocks a test */
    WARPS = 5
};

struct step {
    uint32_t inst, mask;
    uint64_t lane[TEG_LANES];
    uint64_t value[TEG_VALUES_MAX][TEG_LANES];
};

static struct teg_program program;
static uint32_t alu, load, store, async, bulk;

static uint32_t with_values(enum teg_op_class class_, enum teg_space space,
                            enum teg_values values)
{
    struct teg_inst inst = {.op_class = (uint8_t)class_,
                            .space = (uint8_t)space,
                            .values = (uint8_t)values};
    struct teg_diag d;
    uint32_t index;

    ck_assert(teg_program_add(&program, &inst, "", &index, &d) == TEG_OK);
    return index;
}

static void setup(void)
{
    program = (struct teg_program){0};
    alu = help_arith(&program, CLASS_FADD, 1, 2, 3, 255);
    for (int i = 0; i < 3; i++)
        help_arith(&program, CLASS_IADD, 1, 2, 3, 255);
    load = help_memory(&program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4, 4, 5);
    store = help_memory(&program, CLASS_STG, SPACE_GLOBAL, INST_STORE, 4, 4, 5);
    async = with_values(CLASS_LDGSTS, SPACE_GLOBAL, VALUES_SHARED);
    bulk = with_values(CLASS_BULK, SPACE_NONE, VALUES_BULK);
    help_exit(&program);
}

static void teardown(void)
{
    teg_program_release(&program);
}

/* Addresses of all kinds: lines, tiles, scatter, one address for all. */
static void random_addresses(uint64_t *state, uint64_t lane[TEG_LANES])
{
    uint64_t base = help_random(state) >> help_below(state, 64);
    int64_t stride = (int64_t)help_below(state, 600) - 300;
    int64_t pitch = (int64_t)help_below(state, 5000) - 2500;
    uint32_t kind = help_below(state, 5);
    uint32_t group = 2u << help_below(state, 4);

    for (uint32_t l = 0; l < TEG_LANES; l++) {
        if (kind == 0)
            lane[l] = base;
        else if (kind == 1)
            lane[l] = base + (uint64_t)(stride * l);
        else if (kind == 2)
            lane[l] = base + (uint64_t)(stride * (l % group)) +
                      (uint64_t)(pitch * (l / group));
        else if (kind == 3)
            lane[l] = help_random(state);
        else
            lane[l] = base + help_below(state, 4096);
    }
}

static uint32_t random_mask(uint64_t *state)
{
    switch (help_below(state, 5)) {
    case 0:
        return 0;
    case 1:
        return (uint32_t)help_random(state);
    case 2:
        return 1u << help_below(state, 32);
    default:
        return UINT32_MAX;
    }
}

static uint32_t random_stream(uint64_t *state, struct step *step)
{
    uint32_t n = help_below(state, STEPS_MAX);

    for (uint32_t i = 0; i < n; i++) {
        step[i].inst = i != 0 && help_below(state, 4) != 0
                           ? (step[i - 1].inst + 1) % program.count
                           : help_below(state, program.count);
        step[i].mask = random_mask(state);
        random_addresses(state, step[i].lane);
        for (uint32_t v = 0; v < TEG_VALUES_MAX; v++)
            random_addresses(state, step[i].value[v]);
    }
    return n;
}

static void put_step(struct teg_block_builder *b, const struct step *s)
{
    uint32_t values = teg_inst_values(&program.inst[s->inst]);

    teg_block_builder_inst(b, s->inst, s->mask, s->lane);
    for (uint32_t v = 0; s->mask != 0 && v < values; v++)
        teg_block_builder_value(b, s->value[v]);
}

static void check_lanes(const struct teg_access *a, uint32_t mask,
                        const uint64_t *lane)
{
    for (uint32_t l = 0; l < TEG_LANES; l++) {
        if (mask >> l & 1)
            ck_assert_uint_eq(teg_access_lane(a, l), lane[l]);
    }
}

static void check_stream(struct teg_block *block, uint32_t stream,
                         const struct step *step, uint32_t n, int skip)
{
    struct teg_cursor c;
    struct teg_access a;

    teg_cursor_init(&c, block, stream);
    ck_assert_uint_eq(teg_block_warp_insts(block, stream), n);
    for (uint32_t i = 0; i < n; i++) {
        int has;
        uint32_t values;

        ck_assert(teg_cursor_next(&c));
        ck_assert_uint_eq(c.inst, step[i].inst);
        ck_assert_uint_eq(c.mask, step[i].mask);
        if (skip && i % 3 == 0)
            continue;
        has = step[i].mask != 0 &&
              (step[i].inst == load || step[i].inst == store ||
               step[i].inst == async);
        if (!skip || i % 3 != 1) {
            ck_assert_int_eq(teg_cursor_access(&c, &a), has);
            if (has)
                check_lanes(&a, step[i].mask, step[i].lane);
        }
        values = step[i].mask == 0       ? 0
                 : step[i].inst == async ? 1
                 : step[i].inst == bulk  ? 4
                                         : 0;
        for (uint32_t v = 0; v < values; v++) {
            ck_assert(teg_cursor_value(&c, &a));
            check_lanes(&a, step[i].mask, step[i].value[v]);
        }
        ck_assert(!teg_cursor_value(&c, &a));
        ck_assert(!teg_cursor_access(&c, &a));
    }
    ck_assert(!teg_cursor_next(&c));
}

START_TEST(what_goes_in_comes_out)
{
    static struct step step[WARPS][STEPS_MAX];
    uint64_t state = 1 + (uint64_t)_i;
    struct teg_block_builder *b;
    struct teg_block *block;
    struct teg_diag d;
    const uint8_t *bytes;
    size_t size;
    uint32_t n[WARPS];

    ck_assert(teg_block_builder_new(&program, &b, &d) == TEG_OK);
    for (int round = 0; round < 3; round++) {
        teg_block_builder_begin(b, (uint32_t[]){1, 2, 3});
        for (uint32_t w = 0; w < WARPS; w++) {
            teg_block_builder_warp(b, 10 + w);
            n[w] = random_stream(&state, step[w]);
            for (uint32_t i = 0; i < n[w]; i++)
                put_step(b, &step[w][i]);
        }
        ck_assert(teg_block_builder_end(b, &bytes, &size, &d) == TEG_OK);
        ck_assert_msg(
            teg_block_open(&program, bytes, size, "t", 0, &block, &d) == TEG_OK,
            "%s: %s", d.where, d.what);
        ck_assert_uint_eq(teg_block_warps(block), WARPS);
        ck_assert_uint_eq(teg_block_position(block)[2], 3);
        for (uint32_t w = 0; w < WARPS; w++) {
            ck_assert_uint_eq(teg_block_warp_id(block, w), 10 + w);
            check_stream(block, w, step[w], n[w], round == 1);
            check_stream(block, w, step[w], n[w], 0);
        }
        teg_block_free(block);
    }
    teg_block_builder_free(b);
}
END_TEST

/* Few accesses, a step now and then as before and now and then another: what a
 * stream, an execution and a change of pace teach comes in every order. */
static void check_order(uint64_t state)
{
    static struct step step[WARPS][STEPS_MAX];
    struct teg_block_builder *b;
    struct teg_block *block;
    struct teg_diag d;
    uint32_t n[WARPS];

    ck_assert(teg_block_builder_new(&program, &b, &d) == TEG_OK);
    teg_block_builder_begin(b, (uint32_t[]){0, 0, 0});
    for (uint32_t w = 0; w < WARPS; w++) {
        uint64_t at = 0x1000 + 0x100 * help_below(&state, 3) * w;

        teg_block_builder_warp(b, w);
        n[w] = help_below(&state, 5);
        for (uint32_t i = 0; i < n[w]; i++) {
            step[w][i].inst = load;
            step[w][i].mask = UINT32_MAX;
            for (uint32_t l = 0; l < TEG_LANES; l++)
                step[w][i].lane[l] = at + 4 * l;
            teg_block_builder_inst(b, load, UINT32_MAX, step[w][i].lane);
            at += 0x80 * help_below(&state, 3);
        }
    }
    ck_assert(teg_block_builder_open(b, "t", &block, &d) == TEG_OK);
    for (uint32_t w = 0; w < WARPS; w++)
        check_stream(block, w, step[w], n[w], 0);
    teg_block_free(block);
    teg_block_builder_free(b);
}

START_TEST(whatever_the_order_of_what_is_learnt_addresses_come_back)
{
    for (uint64_t i = 0; i < ROUNDS; i++)
        check_order(1000 + (uint64_t)_i * ROUNDS + i);
}
END_TEST

/* An access that is not where the stream's first was expected, before how the
 * next ones follow is known. */
START_TEST(a_first_distance_holds_whatever_is_learnt_later)
{
    static const uint64_t at[3][2] = {{1000}, {1100}, {1150, 1160}};
    static struct step step[2];
    struct teg_block_builder *b;
    struct teg_block *block;
    struct teg_diag d;

    ck_assert(teg_block_builder_new(&program, &b, &d) == TEG_OK);
    teg_block_builder_begin(b, (uint32_t[]){0, 0, 0});
    for (uint32_t w = 0; w < 3; w++) {
        teg_block_builder_warp(b, w);
        for (uint32_t i = 0; i <= w / 2; i++)
            teg_block_builder_line(b, load, at[w][i], 4);
    }
    ck_assert(teg_block_builder_open(b, "t", &block, &d) == TEG_OK);
    for (uint32_t w = 0; w < 3; w++) {
        for (uint32_t i = 0; i <= w / 2; i++) {
            step[i].inst = load;
            step[i].mask = UINT32_MAX;
            for (uint32_t l = 0; l < TEG_LANES; l++)
                step[i].lane[l] = at[w][i] + 4 * l;
        }
        check_stream(block, w, step, w / 2 + 1, 0);
    }
    teg_block_free(block);
    teg_block_builder_free(b);
}
END_TEST

/* The stride of a step that all lanes execute on addresses in a line; 0: it is
 * none. */
static int32_t line_of(const struct step *s)
{
    int64_t stride = (int64_t)(s->lane[1] - s->lane[0]);

    if (s->mask != UINT32_MAX || (s->inst != load && s->inst != store) ||
        stride > 300 || stride < -300)
        return 0;
    for (uint32_t l = 0; l < TEG_LANES; l++) {
        if (s->lane[l] != s->lane[0] + (uint64_t)(stride * l))
            return 0;
    }
    return (int32_t)stride;
}

/* Told as a line or lane by lane, a block is the same bytes. */
START_TEST(a_line_is_what_its_addresses_are)
{
    static struct step step[STEPS_MAX];
    uint64_t state = 100 + (uint64_t)_i;
    struct teg_block_builder *b[2];
    struct teg_block *block[2];
    const uint8_t *bytes[2];
    size_t size[2];
    struct teg_diag d;
    struct teg_program other = {0};
    uint32_t lines = 0;

    for (int k = 0; k < 2; k++) {
        ck_assert(teg_block_builder_new(&program, &b[k], &d) == TEG_OK);
        teg_block_builder_begin(b[k], (uint32_t[]){1, 2, 3});
    }
    for (uint32_t w = 0; w < WARPS; w++) {
        uint32_t n = random_stream(&state, step);

        for (int k = 0; k < 2; k++) {
            teg_block_builder_warp(b[k], w);
            for (uint32_t i = 0; i < n; i++) {
                int32_t stride = k == 1 ? line_of(&step[i]) : 0;

                lines += stride != 0;
                if (stride != 0)
                    teg_block_builder_line(b[k], step[i].inst, step[i].lane[0],
                                           stride);
                else
                    put_step(b[k], &step[i]);
            }
        }
    }
    for (int k = 0; k < 2; k++) {
        ck_assert(teg_block_builder_open(b[k], "t", &block[k], &d) == TEG_OK);
        ck_assert_ptr_null(teg_block_built(block[k], &other, &size[k]));
        bytes[k] = teg_block_built(block[k], &program, &size[k]);
        ck_assert_ptr_nonnull(bytes[k]);
    }
    ck_assert_uint_gt(lines, 0);
    ck_assert_uint_eq(size[0], size[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], size[0]);
    for (int k = 0; k < 2; k++) {
        teg_block_free(block[k]);
        teg_block_builder_free(b[k]);
    }
}
END_TEST

/* In whatever turns its streams grow, a block is the same bytes. */
START_TEST(turns_change_nothing)
{
    static struct step step[WARPS][STEPS_MAX];
    uint64_t state = 500 + (uint64_t)_i;
    uint32_t n[WARPS], done[WARPS] = {0}, left = 0;
    struct teg_block_builder *b[2];
    const uint8_t *bytes[2];
    size_t size[2];
    struct teg_diag d;

    for (int k = 0; k < 2; k++) {
        ck_assert(teg_block_builder_new(&program, &b[k], &d) == TEG_OK);
        teg_block_builder_begin(b[k], (uint32_t[]){1, 2, 3});
    }
    for (uint32_t w = 0; w < WARPS; w++) {
        n[w] = random_stream(&state, step[w]);
        left += n[w];
        teg_block_builder_warp(b[0], w);
        for (uint32_t i = 0; i < n[w]; i++)
            put_step(b[0], &step[w][i]);
    }
    for (uint32_t w = 0; w < WARPS; w++)
        teg_block_builder_warp(b[1], w);
    while (left != 0) {
        uint32_t w = help_below(&state, WARPS), turn = help_below(&state, 9);

        teg_block_builder_turn(b[1], w);
        for (; turn != 0 && done[w] < n[w]; turn--, left--)
            put_step(b[1], &step[w][done[w]++]);
    }
    for (int k = 0; k < 2; k++)
        ck_assert(teg_block_builder_end(b[k], &bytes[k], &size[k], &d) ==
                  TEG_OK);
    ck_assert_uint_eq(size[0], size[1]);
    ck_assert_mem_eq(bytes[0], bytes[1], size[0]);
    for (int k = 0; k < 2; k++)
        teg_block_builder_free(b[k]);
}
END_TEST

/* Passing varints is reading them, where all is well; where it is not the walk stays. */
START_TEST(varints_are_passed_as_they_are_read)
{
    uint64_t state = 900 + (uint64_t)_i;
    struct teg_buffer b = {0};
    struct teg_walk walk, read;
    struct teg_diag d;
    uint64_t v;
    uint32_t n = 1 + help_below(&state, 31), bad = help_below(&state, n);

    for (uint32_t i = 0; i < n; i++)
        teg_buffer_varint(&b, help_random(&state) >> help_below(&state, 64));
    teg_walk_init(&walk, b.data, b.size, "t", 0);
    ck_assert_int_eq(teg_walk_pass_varints(&walk, n), b.size >= 10 * n);
    for (uint32_t i = 0; i < 10 * n; i++)
        teg_buffer_u8(&b, 1);
    teg_walk_init(&walk, b.data, b.size, "t", 0);
    read = walk;
    ck_assert_int_eq(teg_walk_pass_varints(&walk, n), 1);
    for (uint32_t i = 0; i < n; i++)
        ck_assert(teg_walk_varint(&read, &v, &d) == TEG_OK);
    ck_assert_ptr_eq(walk.at, read.at);
    /* eleven bytes where number `bad` begins */
    teg_walk_init(&walk, b.data, b.size, "t", 0);
    for (uint32_t i = 0; i < bad; i++)
        ck_assert(teg_walk_varint(&walk, &v, &d) == TEG_OK);
    memset(b.data + (walk.at - walk.start), 0x80, 10);
    teg_walk_init(&walk, b.data, b.size, "t", 0);
    ck_assert_int_eq(teg_walk_pass_varints(&walk, n), 0);
    ck_assert_ptr_eq(walk.at, walk.start);
    teg_buffer_release(&b);
}
END_TEST

/* 8 warps x 1000 iterations of a coalesced load and an add: the second to
 * eighth warps share the path, every address is as expected. */
START_TEST(regular_loops_take_about_a_byte_per_access)
{
    struct teg_block_builder *b;
    struct teg_diag d;
    const uint8_t *bytes;
    size_t size;

    ck_assert(teg_block_builder_new(&program, &b, &d) == TEG_OK);
    teg_block_builder_begin(b, (uint32_t[]){0, 0, 0});
    for (uint32_t w = 0; w < 8; w++) {
        teg_block_builder_warp(b, w);
        for (uint32_t i = 0; i < 1000; i++) {
            uint64_t lane[TEG_LANES];

            for (uint32_t l = 0; l < TEG_LANES; l++)
                lane[l] = 0x10000 + 4 * l + 128 * w + 1024 * i;
            teg_block_builder_inst(b, load, UINT32_MAX, lane);
            teg_block_builder_inst(b, alu, UINT32_MAX, NULL);
        }
    }
    ck_assert(teg_block_builder_end(b, &bytes, &size, &d) == TEG_OK);
    ck_assert_uint_eq(teg_block_builder_insts(b), 16000);
    /* 8000 control bytes, one path of 2000 runs of at most 4 bytes */
    ck_assert_uint_lt(size, 8000 + 8000 + 100);
    teg_block_builder_free(b);
}
END_TEST

/* The same of bulk copies, all of whose values go on as they began. */
START_TEST(regular_values_take_about_a_byte_each)
{
    struct teg_block_builder *b;
    struct teg_diag d;
    const uint8_t *bytes;
    size_t size;

    ck_assert(teg_block_builder_new(&program, &b, &d) == TEG_OK);
    teg_block_builder_begin(b, (uint32_t[]){0, 0, 0});
    teg_block_builder_warp(b, 0);
    for (uint32_t i = 0; i < 1000; i++) {
        const uint64_t value[4] = {0x400 + 128 * i, 0x10000 + 4096 * i, 4096,
                                   0x8000};

        teg_block_builder_inst(b, bulk, 1, NULL);
        for (int v = 0; v < 4; v++) {
            uint64_t lane[TEG_LANES] = {value[v]};

            teg_block_builder_value(b, lane);
        }
    }
    ck_assert(teg_block_builder_end(b, &bytes, &size, &d) == TEG_OK);
    /* 4000 control bytes, a path of 1000 runs of 3 bytes, slots of 12 */
    ck_assert_uint_lt(size, 4000 + 3000 + 100);
    teg_block_builder_free(b);
}
END_TEST

/* A slot more than the instruction has records. */
START_TEST(a_slot_too_many_is_refused)
{
    struct teg_block *block;
    struct teg_diag d;
    /* position, no paths, two slots of `load`: inst first base step delta
     * LINE stride; no streams */
    uint8_t bytes[] = {0, 0, 0, 0, 2, 0, 0, 0, 0, 0,
                       0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

    bytes[5] = bytes[12] = (uint8_t)load;
    ck_assert(teg_block_open(&program, bytes, sizeof bytes, "t", 0, &block,
                             &d) == TEG_FORMAT);
    ck_assert_ptr_nonnull(strstr(d.what, "at most 1 slots"));
    bytes[5] = bytes[12] = (uint8_t)bulk;
    ck_assert_msg(teg_block_open(&program, bytes, sizeof bytes, "t", 0, &block,
                                 &d) == TEG_OK,
                  "%s", d.what);
    teg_block_free(block);
}
END_TEST

/* Every byte changed in every bit, and every shorter length: either refused,
 * or a block whose cursors end. */
START_TEST(damage_is_refused_or_harmless)
{
    uint64_t state = 99;
    struct teg_block_builder *b;
    struct teg_block *block;
    struct teg_diag d;
    const uint8_t *bytes;
    uint8_t *copy;
    size_t size;
    static struct step step[STEPS_MAX];

    ck_assert(teg_block_builder_new(&program, &b, &d) == TEG_OK);
    teg_block_builder_begin(b, (uint32_t[]){0, 0, 0});
    for (uint32_t w = 0; w < 2; w++) {
        teg_block_builder_warp(b, w);
        random_stream(&state, step);
        for (uint32_t i = 0; i < 12; i++) {
            step[i].inst = i % program.count;
            put_step(b, &step[i]);
        }
    }
    ck_assert(teg_block_builder_end(b, &bytes, &size, &d) == TEG_OK);
    for (size_t cut = 0; cut < size; cut++) {
        d = (struct teg_diag){0};
        ck_assert(teg_block_open(&program, bytes, cut, "t", 0, &block, &d) ==
                  TEG_FORMAT);
        ck_assert(d.what[0] != '\0');
    }
    copy = malloc(size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        memcpy(copy, bytes, size);
        copy[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        if (teg_block_open(&program, copy, size, "t", 0, &block, &d) != TEG_OK)
            continue;
        for (uint32_t s = 0; s < teg_block_warps(block); s++) {
            struct teg_cursor c;
            struct teg_access a;

            teg_cursor_init(&c, block, s);
            while (teg_cursor_next(&c)) {
                teg_cursor_access(&c, &a);
                while (teg_cursor_value(&c, &a))
                    ;
            }
        }
        teg_block_free(block);
    }
    free(copy);
    teg_block_builder_free(b);
}
END_TEST

/* The last byte of a block of one access is its record's control. */
START_TEST(a_record_of_no_shape_is_refused)
{
    struct teg_block_builder *b;
    struct teg_block *block;
    struct teg_diag d;
    const uint8_t *bytes;
    uint8_t copy[256];
    size_t size;

    ck_assert(teg_block_builder_new(&program, &b, &d) == TEG_OK);
    teg_block_builder_begin(b, (uint32_t[]){0, 0, 0});
    teg_block_builder_warp(b, 0);
    teg_block_builder_line(b, load, 0x1000, 4);
    ck_assert(teg_block_builder_end(b, &bytes, &size, &d) == TEG_OK);
    ck_assert_uint_lt(size, sizeof copy);
    ck_assert_uint_eq(bytes[size - 1], 0);
    memcpy(copy, bytes, size);
    for (int control = 8; control < 256; control++) {
        copy[size - 1] = (uint8_t)control;
        ck_assert(teg_block_open(&program, copy, size, "t", 0, &block, &d) ==
                  TEG_FORMAT);
        if (control % 2 == 0)
            ck_assert_msg(strstr(d.what, "expected an address record") != NULL,
                          "%d: %s", control, d.what);
    }
    teg_block_builder_free(b);
}
END_TEST

/* One path of one run, which begins at instruction 1: as long as the rest of
 * the program, and one longer. */
START_TEST(a_run_ends_with_the_program)
{
    uint8_t bytes[] = {0, 0, 0, 1, 1, 2, 0, 1 /* full */, 0, 1, 0, 0, 0};
    struct teg_block *block;
    struct teg_diag d;

    program.count = 4; /* none of them of memory */
    bytes[6] = 3;
    ck_assert(teg_block_open(&program, bytes, sizeof bytes, "t", 0, &block,
                             &d) == TEG_OK);
    teg_block_free(block);
    bytes[6] = 4;
    ck_assert(teg_block_open(&program, bytes, sizeof bytes, "t", 0, &block,
                             &d) == TEG_FORMAT);
    ck_assert_ptr_nonnull(strstr(d.what, "a run inside the program"));
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traces/block");
    TCase *tcase = tcase_create("block");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_checked_fixture(tcase, setup, teardown);
    tcase_add_loop_test(tcase, what_goes_in_comes_out, 0, HELP_ROUNDS(40));
    tcase_add_loop_test(tcase, a_line_is_what_its_addresses_are, 0,
                        HELP_ROUNDS(40));
    tcase_add_loop_test(
        tcase, whatever_the_order_of_what_is_learnt_addresses_come_back, 0,
        HELP_ROUNDS(400) / ROUNDS);
    tcase_add_loop_test(tcase, turns_change_nothing, 0, HELP_ROUNDS(40));
    tcase_add_loop_test(tcase, varints_are_passed_as_they_are_read, 0,
                        HELP_ROUNDS(40));
    tcase_add_test(tcase, a_first_distance_holds_whatever_is_learnt_later);
    tcase_add_test(tcase, regular_loops_take_about_a_byte_per_access);
    tcase_add_test(tcase, regular_values_take_about_a_byte_each);
    tcase_add_test(tcase, a_slot_too_many_is_refused);
    tcase_add_test(tcase, damage_is_refused_or_harmless);
    tcase_add_test(tcase, a_record_of_no_shape_is_refused);
    tcase_add_test(tcase, a_run_ends_with_the_program);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
