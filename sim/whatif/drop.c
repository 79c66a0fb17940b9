/*
 * Instructions that a what-if leaves out.  Who reads what one of these would
 * have written waits for the writer before it.
 */
#include "sim/whatif/stream_change.h"

#include <string.h>

#include "isa/inst/sleep.h"

static int starts_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

int stream_drop_spills(const struct teg_program *program, uint32_t index)
{
    return program->inst[index].space == SPACE_LOCAL;
}

/* With what the compiler puts behind a fence: the error barrier, and L1's lines
 * made invalid. */
int stream_drop_fences(const struct teg_program *program, uint32_t index)
{
    const struct teg_inst *inst = &program->inst[index];
    const char *text = teg_program_text(program, inst);

    return inst->fence != FENCE_NONE || starts_with(text, "ERRBAR") ||
           starts_with(text, "CCTL.IVALL");
}

int stream_drop_sleep(const struct teg_program *program, uint32_t index)
{
    return teg_sleep_is_timed(teg_program_text(program, &program->inst[index]));
}

int stream_drop_conversions(const struct teg_program *program, uint32_t index)
{
    const char *text = teg_program_text(program, &program->inst[index]);

    if (text[0] == '@')
        text += strcspn(text, " ") + 1;
    return starts_with(text, "F2F") && strstr(text, "F32") != NULL &&
           strstr(text, "F64") != NULL;
}

/* ---- mathematical functions ----------------------------------------------- */

static int is_special(const struct teg_program *program, uint32_t index)
{
    const char *text = teg_program_text(program, &program->inst[index]);

    if (text[0] == '@')
        text += strcspn(text, " ") + 1;
    return starts_with(text, "MUFU");
}

static int of_one_line(const struct teg_inst *a, const struct teg_inst *b)
{
    return a->line == b->line && a->file == b->file && a->call == b->call;
}

/* What reduces the argument, refines the result and looks for exceptions
 * stands in the line of the special function. */
int stream_drop_functions(const struct teg_program *program, uint32_t index)
{
    const struct teg_inst *inst = &program->inst[index];
    enum teg_op_class c = inst->op_class;
    int around = c == CLASS_FADD || c == CLASS_FMUL || c == CLASS_FMAD ||
                 c == CLASS_FCMP || c == CLASS_SFU;

    if (!around || inst->line == 0 || is_special(program, index))
        return 0;
    for (uint32_t i = 0; i < program->count; i++) {
        if (of_one_line(&program->inst[i], inst) && is_special(program, i))
            return 1;
    }
    return 0;
}
