/* How often banks are read for operands: Lai 2013, Table 4.1, for Kepler, and
 * the two banks of Huerta 2025 with the compiler's marks. */
#include "sim/engine/operands.h"

#include <string.h>

#include "tests/help_gpu.h"
#include "tests/help_suite.h"

static struct teg_gpu gpu;

static struct teg_inst arith(enum teg_op_class c, uint16_t a, uint16_t b,
                             uint16_t third)
{
    struct teg_inst inst = {.op_class = (uint8_t)c,
                            .src_count = 3,
                            .control = {.known = 1},
                            .src = {{a, 1}, {b, 1}, {third, 1}}};

    return inst;
}

/* Reads of the busiest bank. */
static uint8_t most(const struct teg_inst *inst, const char *text,
                    const struct sim_kept *before)
{
    uint8_t reads[SIM_BANKS_MAX], busiest = 0;

    sim_operand_reads(&gpu, inst, text, before, reads);
    for (int b = 0; b < SIM_BANKS_MAX; b++)
        busiest = reads[b] > busiest ? reads[b] : busiest;
    return busiest;
}

static uint8_t cycles(uint16_t a, uint16_t b, uint16_t third)
{
    struct teg_inst inst = arith(CLASS_FMAD, a, b, third);

    return most(&inst, "FFMA R0, R1, R2, R3", &sim_kept_none);
}

START_TEST(kepler_has_four_banks)
{
    help_gpu_plain(&gpu);
    gpu.sm.register_banks = REGISTER_BANKS_KEPLER;
    /* 132, 132 (accumulating), 66.2 and 44.2 of 132 a cycle */
    ck_assert_uint_eq(cycles(1, 4, 5), 1);
    ck_assert_uint_eq(cycles(1, 4, 0), 1);
    ck_assert_uint_eq(cycles(1, 3, 5), 2);
    ck_assert_uint_eq(cycles(1, 3, 9), 3);
    /* one register, read once for all who want it */
    ck_assert_uint_eq(cycles(1, 1, 1), 1);
    gpu.sm.register_banks = REGISTER_BANKS_NONE;
    ck_assert_uint_eq(cycles(1, 3, 9), 0);
}
END_TEST

START_TEST(parity_is_two_banks)
{
    help_gpu_plain(&gpu);
    gpu.sm.register_banks = REGISTER_BANKS_PARITY;
    ck_assert_uint_eq(cycles(1, 2, 2), 1);
    ck_assert_uint_eq(cycles(1, 3, 2), 2);
    ck_assert_uint_eq(cycles(1, 3, 5), 3);
}
END_TEST

START_TEST(a_pair_of_registers_takes_a_read_of_each_bank)
{
    struct teg_inst inst = arith(CLASS_DFMA, 2, 4, 6);

    help_gpu_plain(&gpu);
    gpu.sm.register_banks = REGISTER_BANKS_PARITY;
    for (int i = 0; i < 3; i++)
        inst.src[i].count = 2;
    ck_assert_uint_eq(most(&inst, "DFMA R0, R2, R4, R6", &sim_kept_none), 3);
}
END_TEST

/* Factors and sums are read in each pass through the multiplier, and how many
 * passes a product takes the chip says by its interval. */
START_TEST(who_goes_through_twice_reads_twice)
{
    static const enum teg_op_class classes[] = {CLASS_IMAD, CLASS_IMAD_WIDE,
                                                CLASS_IMAD_HIGH};

    help_gpu_plain(&gpu);
    gpu.sm.register_banks = REGISTER_BANKS_PARITY;
    gpu.timing[CLASS_IMAD].interval = 2;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        struct teg_inst inst = arith(classes[i], 3, 4, 6);

        inst.src[2].count = 2;
        gpu.timing[classes[i]].interval = 2;
        ck_assert_uint_eq(most(&inst, "X R0, R3, R4, R6", &sim_kept_none), 2);
        if (classes[i] == CLASS_IMAD)
            continue;
        gpu.timing[classes[i]].interval = 4;
        ck_assert_uint_eq(most(&inst, "X R0, R3, R4, R6", &sim_kept_none), 4);
    }
}
END_TEST

/* A high half has the way to the multiplier for both of its passes, a whole
 * product until the second begins, whatever there is to read. */
START_TEST(who_goes_through_twice_keeps_the_way)
{
    static const struct {
        enum teg_op_class op_class;
        uint32_t interval, slots;
    } rows[] = {{CLASS_IMAD, 2, 1},       {CLASS_IMAD_WIDE, 2, 1},
                {CLASS_IMAD_WIDE, 4, 3},  {CLASS_IMAD_HIGH, 4, 4},
                {CLASS_IMAD_WIDE, 6, 5},  {CLASS_IMAD_HIGH, 6, 6},
                {CLASS_IMAD_HIGH, 99, 8}, {CLASS_IMAD_HIGH, 3, 1}};

    help_gpu_plain(&gpu);
    gpu.sm.register_banks = REGISTER_BANKS_PARITY;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct teg_inst inst = arith(rows[i].op_class, 3, 4, 3);
        uint8_t reads[SIM_BANKS_MAX];

        inst.src_count = 1;
        gpu.timing[rows[i].op_class].interval = rows[i].interval;
        gpu.timing[CLASS_IMAD].interval = 2;
        sim_operand_reads(&gpu, &inst, "X R0, R3, 0x7, RZ", &sim_kept_none,
                          reads);
        ck_assert_msg(reads[1] == rows[i].slots, "row %zu: %u", i, reads[1]);
        ck_assert_uint_eq(reads[0], rows[i].slots == 1 ? 0 : rows[i].slots);
    }
}
END_TEST

START_TEST(what_stands_by_is_not_read)
{
    struct teg_inst inst = arith(CLASS_FMAD, 4, 6, 8);
    static const struct {
        const char *before, *text;
        uint8_t reads;
    } rows[] = {
        {"FFMA R0, R4, R6, R8", "FFMA R1, R4, R6, R8", 3},
        {"FFMA R0, R4.reuse, R5, R7", "FFMA R1, R4, R6, R8", 2},
        {"@!P0 FFMA R0, R4.reuse, R6.reuse, R7 ;", "FFMA R1, R4, -R6, R8 ;", 1},
        /* in another place, or not marked */
        {"FFMA R0, R5, R4.reuse, R7", "FFMA R1, R4, R6, R8", 3},
        {"FFMA R0, R4, R5.reuse, R7", "FFMA R1, R4, R6, R8", 3},
        {"IADD3 R0, -R4.reuse, |R6|.reuse, RZ", "FFMA R1, R4, |R6|, R8", 1},
        {"", "FFMA R1, R4, R6, R8", 3},
        {"FFMA R0, R4.reuse", "FFMA", 3},
    };

    help_gpu_plain(&gpu);
    gpu.sm.register_banks = REGISTER_BANKS_PARITY;
    gpu.sm.register_reuse = 1;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sim_kept kept = sim_kept_after(rows[i].before);

        ck_assert_msg(most(&inst, rows[i].text, &kept) == rows[i].reads,
                      "row %zu", i);
    }
    /* without control codes nobody knows what stood by */
    inst.control.known = 0;
    ck_assert_uint_eq(most(&inst, rows[0].text, &sim_kept_none), 0);
}
END_TEST

/* A factor of two registers, sums of two: one of each bank each. */
START_TEST(products_read_at_the_banks_where_the_chip_says_so)
{
    static const enum teg_op_class classes[] = {CLASS_HMMA, CLASS_IMMA,
                                                CLASS_DMMA, CLASS_GMMA};

    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        struct teg_inst inst = arith(classes[i], 4, 6, 8);

        inst.control.known = 1;
        for (int k = 0; k < 3; k++)
            inst.src[k].count = 2;
        help_gpu_plain(&gpu);
        gpu.sm.register_banks = REGISTER_BANKS_PARITY;
        gpu.sm.register_reuse = 1;
        gpu.sm.register_products = 1;
        ck_assert_uint_eq(most(&inst, "X R0, R4, R6, R8", &sim_kept_none),
                          classes[i] == CLASS_GMMA ? 0 : 3);
        gpu.sm.register_products = 0;
        ck_assert_uint_eq(most(&inst, "X R0, R4, R6, R8", &sim_kept_none), 0);
    }
}
END_TEST

START_TEST(queues_and_tensor_products_read_at_their_own_pace)
{
    static const enum teg_op_class classes[] = {
        CLASS_HMMA, CLASS_IMMA, CLASS_DMMA, CLASS_GMMA,
        CLASS_SFU,  CLASS_LDG,  CLASS_LDS};

    help_gpu_plain(&gpu);
    gpu.sm.register_banks = REGISTER_BANKS_PARITY;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        struct teg_inst inst = arith(classes[i], 4, 6, 8);

        ck_assert_uint_eq(most(&inst, "X R0, R4, R6", &sim_kept_none), 0);
    }
}
END_TEST

HELP_MAIN("sim/engine/operands", 10, {kepler_has_four_banks, 0},
          {parity_is_two_banks, 0},
          {a_pair_of_registers_takes_a_read_of_each_bank, 0},
          {who_goes_through_twice_reads_twice, 0},
          {who_goes_through_twice_keeps_the_way, 0},
          {what_stands_by_is_not_read, 0},
          {products_read_at_the_banks_where_the_chip_says_so, 0},
          {queues_and_tensor_products_read_at_their_own_pace, 0})
