/* For how long NANOSLEEP sleeps: what the trace has of it, by the text and,
 * where that has a register, by a value. */
#include <string.h>

#include "isa/inst/values.h"
#include "tests/help_kernel.h"
#include "tests/help_suite.h"

enum {
    BY_TEXT = 100,
    BY_VALUE = 250,
};

START_TEST(a_trace_says_how_long)
{
    struct help_kernel k;
    struct teg_launch launch;
    struct teg_block *block;
    struct teg_cursor c;
    int by_text = 0, by_value = 0;

    help_kernel_open(&k, help_generation[_i], "k27_barrier", "misc_ctl");
    help_buffer(&k, 32 * sizeof(int));
    help_int(&k, BY_VALUE);
    k.facts.from = 0;
    k.facts.grid[0] = 1;
    k.facts.block[0] = 32;
    ck_assert(emu_launch(&k.cubin, k.code, k.device, &k.facts, &launch, &k.d) ==
              TEG_OK);
    ck_assert(launch.next(launch.self, &block, &k.d) == TEG_OK);
    teg_cursor_init(&c, block, 0);
    while (teg_cursor_next(&c)) {
        const struct teg_program *p = &launch.kernel->program;
        const struct teg_inst *inst = &p->inst[c.inst];
        struct teg_access a;

        if (!teg_text_is(teg_program_text(p, inst), "NANOSLEEP"))
            continue;
        if (inst->values == VALUES_NONE) {
            by_text += inst->sleep_ns == BY_TEXT;
            continue;
        }
        ck_assert_uint_eq(inst->values, VALUES_SLEEP);
        ck_assert_uint_eq(inst->sleep_ns, 0);
        ck_assert(teg_cursor_value(&c, &a));
        for (uint32_t l = 0; l < TEG_LANES; l++)
            ck_assert_uint_eq(teg_access_lane(&a, l), BY_VALUE);
        by_value++;
    }
    ck_assert_int_eq(by_text, 1);
    ck_assert_int_eq(by_value, 1);
    teg_block_free(block);
    launch.close(launch.self);
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("emulate/sleep", 60, {a_trace_says_how_long, HELP_GENERATIONS})
