/* What a thread's other stores write beside a store, by their texts. */
#include "isa/inst/nearby.h"

#include "tests/help_suite.h"

enum {
    BEGIN = TEG_NEARBY_BYTES
};

static struct teg_program program;

static void begin(void)
{
    teg_program_release(&program);
    program = (struct teg_program){0};
}

static void add(struct teg_inst inst, const char *text)
{
    struct teg_diag d;
    uint32_t index;

    inst.pc = 16 * (uint64_t)program.count;
    ck_assert(teg_program_add(&program, &inst, text, &index, &d) == TEG_OK);
}

static void store(uint16_t width, const char *text)
{
    add((struct teg_inst){.op_class = CLASS_STG,
                          .space = SPACE_GLOBAL,
                          .flags = INST_STORE,
                          .width = width},
        text);
}

static void write_register(uint16_t first)
{
    add((struct teg_inst){.op_class = CLASS_MOV,
                          .dst_count = 1,
                          .dst = {{first, 1}}},
        "MOV");
}

static uint64_t nearby(uint32_t index)
{
    teg_program_find_nearby(&program);
    return program.inst[index].nearby;
}

/* `count` bytes from `from` behind the store's own first on. */
static uint64_t bytes(int from, unsigned count)
{
    return ((1ull << count) - 1) << (BEGIN + from);
}

START_TEST(stores_through_one_register_are_beside_each_other)
{
    begin();
    store(16, "STG.E.128 desc[UR4][R2.64], R20");
    write_register(TEG_REG_R + 4);
    write_register(TEG_REG_UR + 4); /* the descriptor's */
    store(16, "STG.E.128 desc[UR6][R2.64+0x10], R24");
    store(4, "STG.E desc[UR4][R2.64+-0x8], R24");
    ck_assert_uint_eq(nearby(0), bytes(16, 16) | bytes(-8, 4));
    ck_assert_uint_eq(nearby(3), bytes(-16, 16) | bytes(-24, 4));
    ck_assert_uint_eq(nearby(4), bytes(8, 16) | bytes(24, 8));
    begin();
}
END_TEST

START_TEST(far_ones_are_not)
{
    begin();
    store(4, "STG.E [R2.64], R20");
    store(4, "STG.E [R2.64+0x20], R20");
    store(4, "STG.E [R2.64+-0x24], R20");
    store(4, "STG.E [R4.64+0x4], R20");
    store(4, "@P0 STG.E [R2.64+0x4], R20");
    store(4, "STS [R2+0x4], R20");
    program.inst[5].space = SPACE_SHARED;
    ck_assert_uint_eq(nearby(0), 0);
    ck_assert_uint_eq(nearby(3), 0);
    ck_assert_uint_eq(nearby(4), 0);
    ck_assert_uint_eq(nearby(5), 0);
    begin();
}
END_TEST

/* To shared memory they go another way. */
START_TEST(others_between_part_them)
{
    static const struct {
        uint8_t space;
        uint16_t flags;
        uint64_t nearby;
    } between[] = {{SPACE_GLOBAL, INST_STORE, 0},
                   {SPACE_LOCAL, INST_STORE, 0},
                   {SPACE_GLOBAL, INST_ATOMIC, 0},
                   {SPACE_SHARED, INST_STORE, 1},
                   {SPACE_GLOBAL, INST_LOAD, 1}};

    begin();
    store(4, "STG.E [R2.64], R20");
    store(4, "STG.E [R8.64], R20");
    program.inst[1].space = between[_i].space;
    program.inst[1].flags = between[_i].flags;
    store(4, "STG.E [R2.64+0x4], R20");
    ck_assert_uint_eq(nearby(0), between[_i].nearby ? bytes(4, 4) : 0);
    begin();
}
END_TEST

/* A register of the address, the upper half of one, the guard. */
START_TEST(a_place_that_moves_is_another)
{
    static const uint16_t of[] = {TEG_REG_R + 2, TEG_REG_R + 3, TEG_REG_UR + 8,
                                  TEG_REG_P};

    begin();
    store(4, "@P0 STG.E [R2.64+UR8], R20");
    write_register(of[_i]);
    program.inst[1].flags = of[_i] == TEG_REG_P ? INST_SETS_P : 0;
    store(4, "@P0 STG.E [R2.64+UR8+0x4], R20");
    ck_assert_uint_eq(nearby(0), 0);
    ck_assert_uint_eq(nearby(2), 0);
    begin();
}
END_TEST

START_TEST(a_run_ends)
{
    static const uint16_t flags[] = {INST_BRANCH, INST_BARRIER, INST_EXIT, 0};

    begin();
    store(4, "STG.E [R2.64], R20");
    add((struct teg_inst){.op_class = CLASS_BRANCH, .flags = flags[_i]}, "X");
    store(4, "STG.E [R2.64+0x4], R20");
    program.inst[2].pc += flags[_i] == 0 ? 16 : 0; /* not what follows */
    ck_assert_uint_eq(nearby(0), 0);
    ck_assert_uint_eq(nearby(2), 0);
    begin();
}
END_TEST

START_TEST(what_is_long_after_is_not_joined)
{
    begin();
    store(4, "STG.E [R2.64], R20");
    for (int i = 0; i < 63 + _i; i++)
        write_register(TEG_REG_R + 8);
    store(4, "STG.E [R2.64+0x4], R20");
    ck_assert_uint_eq(nearby(0), _i == 0 ? bytes(4, 4) : 0);
    begin();
}
END_TEST

START_TEST(odd_texts_have_none)
{
    static const char *const text[] = {"",
                                       "STG",
                                       "STG.E",
                                       "STG.E R2",
                                       "STG.E R2, R3",
                                       "STG.E [",
                                       "STG.E ],",
                                       "@P0",

                                       "STG.E [R], R1",
                                       "STG.E [U, R1"};

    begin();
    for (size_t i = 0; i < sizeof text / sizeof text[0]; i++) {
        store(4, text[i]);
        store(4, "STG.E [R2.64+0x4], R20");
    }
    for (uint32_t i = 0; i < program.count; i += 2)
        ck_assert_msg(nearby(i) == 0, "%s", text[i / 2]);
    begin();
}
END_TEST

HELP_MAIN("isa/inst/nearby", 4,
          {stores_through_one_register_are_beside_each_other, 0},
          {far_ones_are_not, 0}, {others_between_part_them, 5},
          {a_place_that_moves_is_another, 4}, {a_run_ends, 4},
          {what_is_long_after_is_not_joined, 2}, {odd_texts_have_none, 0})
