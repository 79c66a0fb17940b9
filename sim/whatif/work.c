/*
 * What-ifs of a program that does less: half of its instructions, floats for
 * doubles, a multiply-add for a mathematical function.
 */
#include "sim/whatif/stream_change.h"

#include <string.h>

/* ---- half ------------------------------------------------------------------ */

/* What leaves the SM, or others wait for. */
static int must_stay(const struct teg_inst *inst)
{
    return (inst->space != SPACE_NONE && inst->space != SPACE_SHARED &&
            inst->space != SPACE_CONST) ||
           inst->values != 0 || teg_inst_meets_others(inst) ||
           (inst->flags & INST_EXIT) != 0;
}

/* The second of two of a class, so that units lose what the schedulers do. */
static void halve(struct teg_block *from, uint32_t stream,
                  const struct teg_program *program,
                  struct teg_block_builder *b)
{
    uint8_t odd[TEG_CLASSES];
    struct teg_cursor c;

    memset(odd, 0, sizeof odd);
    teg_block_builder_warp(b, teg_block_warp_id(from, stream));
    teg_cursor_init(&c, from, stream);
    while (teg_cursor_next(&c)) {
        const struct teg_inst *inst = &program->inst[c.inst];

        if (!must_stay(inst) && (odd[inst->op_class] ^= 1) == 0)
            continue;
        teg_block_builder_copy(b, c.inst, &c);
    }
}

teg_status stream_change_half_instructions(struct teg_block *from,
                                           const struct teg_program *program,
                                           struct teg_block_builder *b,
                                           struct teg_diag *d)
{
    (void)d;
    for (uint32_t i = 0; i < teg_block_warps(from); i++)
        halve(from, i, program, b);
    return TEG_OK;
}

/* ---- another memory -------------------------------------------------------- */

/* A lane's words lie in a bank of its own, as those of local memory do in a
 * line. */
void stream_change_local_in_shared(struct teg_inst *inst,
                                   const struct teg_program *program)
{
    (void)program;
    if (inst->space != SPACE_LOCAL)
        return;
    inst->space = SPACE_SHARED;
    inst->op_class = (inst->flags & INST_STORE) != 0 ? CLASS_STS : CLASS_LDS;
}

/* ---- cheaper ones --------------------------------------------------------- */

void stream_change_floats(struct teg_inst *inst,
                          const struct teg_program *program)
{
    static const struct {
        enum teg_op_class wide, narrow;
    } classes[] = {{CLASS_DADD, CLASS_FADD},
                   {CLASS_DMUL, CLASS_FMUL},
                   {CLASS_DFMA, CLASS_FMAD},
                   {CLASS_DCMP, CLASS_FCMP},
                   {CLASS_CONVERT64, CLASS_CONVERT}};

    (void)program;
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        if (inst->op_class == classes[i].wide) {
            inst->op_class = (uint8_t)classes[i].narrow;
            return;
        }
    }
}

/* A division that is not exact still takes a reciprocal. */
void stream_change_cheap_functions(struct teg_inst *inst,
                                   const struct teg_program *program)
{
    if ((inst->op_class == CLASS_SFU || inst->op_class == CLASS_SFU_TRIG) &&
        strstr(teg_program_text(program, inst), "MUFU.RCP") == NULL)
        inst->op_class = CLASS_FMAD;
}
