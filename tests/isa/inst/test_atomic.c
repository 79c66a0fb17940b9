/* What an atomic's text says of its time. */
#include "isa/inst/atomic.h"

#include "tests/help_launch.h"
#include "tests/help_suite.h"

static const struct {
    const char *text;
    enum teg_atomic is;
} cases[] = {
    {"RED.E.ADD.STRONG.GPU [R2.64], R5", ATOMIC_INTEGER},
    {"ATOMG.E.ADD.F32.FTZ.RN.STRONG.GPU PT, R0, [R2.64], R5", ATOMIC_FLOAT},
    {"ATOM.E.ADD.F16x2.RN.STRONG.GPU PT, R0, [R2], R5", ATOMIC_FLOAT},
    {"RED.E.ADD.BF16_V2.RN.STRONG.GPU [R2.64], R5", ATOMIC_FLOAT},
    {"@!P0 RED.E.ADD.F64.RN.STRONG.GPU [R2.64], R4", ATOMIC_DOUBLE},
    {"REDG.E.ADD.F32x2.FTZ.RN.STRONG.GPU [R2.64], R10", ATOMIC_FLOAT},
    {"ATOMS.POPC.INC.32 RZ, [R4]", ATOMIC_COUNT},
    {"ATOMS.CAST.SPIN R4, [R3], R4, R5", ATOMIC_INTEGER},
    {"ATOMG.E.MAX.S32.STRONG.GPU PT, R0, [R2.F32], R5", ATOMIC_INTEGER},
    {"", ATOMIC_INTEGER},
    {"RED.", ATOMIC_INTEGER},
};

START_TEST(the_modifiers_say_what_it_computes)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        ck_assert_msg(teg_atomic_of(cases[i].text) == cases[i].is, "%s",
                      cases[i].text);
}
END_TEST

/* Also where a file of traces does not say. */
START_TEST(a_program_knows_it_of_its_atomics)
{
    struct teg_program p = {0};
    struct teg_inst inst = {.flags = INST_ATOMIC};
    struct teg_diag d;
    uint32_t index;

    ck_assert(teg_program_add(&p, &inst, "RED.E.ADD.F32", &index, &d) ==
              TEG_OK);
    ck_assert_uint_eq(p.inst[index].atomic, ATOMIC_FLOAT);
    inst.atomic = ATOMIC_COUNT;
    ck_assert(teg_program_add(&p, &inst, "RED.E.ADD.F32", &index, &d) ==
              TEG_OK);
    ck_assert_uint_eq(p.inst[index].atomic, ATOMIC_COUNT);
    inst = (struct teg_inst){.flags = INST_LOAD};
    ck_assert(teg_program_add(&p, &inst, "LDG.E.F32", &index, &d) == TEG_OK);
    ck_assert_uint_eq(p.inst[index].atomic, ATOMIC_UNKNOWN);
    teg_program_release(&p);
}
END_TEST

HELP_MAIN("isa/inst/atomic", 4, {the_modifiers_say_what_it_computes, 0},
          {a_program_knows_it_of_its_atomics, 0})
