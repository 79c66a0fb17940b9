/* Faults of the code that is emulated: whose, where, what. */
#include "traces/emulate/core/warp.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/base/name.h"

/* " (saxpy.cu:7)", if the code tells where it comes from. */
static const char *source_of(const struct teg_kernel *k,
                             const struct emu_op *op, char out[128])
{
    const struct teg_program *p = &k->program;
    const char *path, *slash;

    out[0] = '\0';
    if (op->inst >= p->count || p->inst[op->inst].file == 0)
        return out;
    path = teg_program_file(p, &p->inst[op->inst]);
    slash = strrchr(path, '/');
    snprintf(out, 128, " (%.100s:%" PRIu32 ")",
             slash != NULL ? slash + 1 : path, p->inst[op->inst].line);
    return out;
}

void emu_fault(struct emu_warp *w, const struct emu_op *op, int lane,
               teg_status status, const char *format, ...)
{
    struct emu_block *b = w->block;
    char what[256], who[24] = "", text[TEG_SASS_TEXT], name[TEG_NAME_MAX];
    char source[128];
    va_list arguments;

    if (b->status != TEG_OK)
        return;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    if (lane >= 0)
        snprintf(who, sizeof who, " lane %d", lane);
    teg_sass_text(&op->sass, text);
    b->status = status;
    if (b->d == NULL)
        return;
    snprintf(b->d->where, sizeof b->d->where,
             "kernel %.128s block %u,%u,%u warp %u%s pc 0x%llx%s",
             teg_name_readable(b->kernel->name, NAME_PLAIN, name),
             b->position[0], b->position[1], b->position[2], w->number, who,
             (unsigned long long)op->pc, source_of(b->kernel, op, source));
    b->d->status = status;
    snprintf(b->d->what, sizeof b->d->what, "%.140s: %s", text, what);
}

void emu_refuse(struct emu_warp *w, const struct emu_op *op)
{
    if (op->exec != NULL)
        emu_fault(w, op, -1, TEG_LIMIT, "this form is not emulated");
    else if (op->sass.name == NULL || teg_sass_is_understood(&op->sass))
        emu_fault(w, op, -1, TEG_LIMIT, "this instruction is not emulated");
    else
        emu_fault(w, op, -1, TEG_LIMIT,
                  "a field has a value that is not known: 0x%016llx%016llx",
                  (unsigned long long)op->word[1],
                  (unsigned long long)op->word[0]);
}
