#include "traces/emulate/core/prepared.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/inst/nearby.h"
#include "isa/inst/values.h"
#include "traces/emulate/core/control.h"
#include "traces/emulate/core/tensor_memory.h"
#include "traces/emulate/core/told.h"
#include "traces/emulate/core/values.h"
#include "traces/study/contest.h"

/* Rows of registers the instruction names, a wide operand's too. */
static void count_rows(struct emu_prepared *p, uint32_t cc,
                       const struct emu_op *op)
{
    enum {
        WIDEST = 8
    };
    uint32_t uniforms = cc < 100 ? EMU_UNIFORMS / 2 : EMU_UNIFORMS;

    for (uint8_t i = 0; i < op->operand_count; i++) {
        const struct emu_operand *o = &op->operand[i];
        uint32_t wide = o->count > WIDEST ? o->count : WIDEST;
        uint32_t end = o->reg + wide;

        if (o->kind == SASS_REGISTER || o->kind == SASS_ADDRESS ||
            o->kind == SASS_CONSTANT)
            p->registers =
                o->reg < TEG_SASS_RZ && end > p->registers ? end : p->registers;
        if (o->kind == SASS_UNIFORM)
            p->uniforms = end > p->uniforms ? end : p->uniforms;
    }
    p->registers = p->registers > EMU_REGISTERS ? EMU_REGISTERS : p->registers;
    p->uniforms = p->uniforms > uniforms ? uniforms : p->uniforms;
}

/* The calls that it was inlined for, the nearest first: "a.cu:5 < b.cu:9". */
static void call_chain(const struct teg_lines *l, uint32_t call, char *out,
                       size_t size)
{
    size_t length = 0;

    out[0] = '\0';
    while (call != 0 && length < size) {
        const struct teg_line_call *c = &l->call[call - 1];
        const char *slash = strrchr(l->file[c->file], '/');

        length += (size_t)snprintf(out + length, size - length, "%s%s:%" PRIu32,
                                   length > 0 ? " < " : "",
                                   slash != NULL ? slash + 1 : l->file[c->file],
                                   c->line);
        call = c->outer < call ? c->outer : 0;
    }
}

/* With the line it comes from, if the cubin tells. */
static teg_status add_inst(struct teg_program *p, const struct emu_module *m,
                           uint32_t section, struct teg_inst *inst,
                           const char *text, uint32_t *index,
                           struct teg_diag *d)
{
    const struct teg_cubin *cubin = m->cubin;
    uint64_t section_at = emu_module_function(m, section);
    const struct teg_line *line =
        teg_lines_at(&cubin->lines, section, inst->pc - section_at);
    char calls[400];

    if (line == NULL)
        return teg_program_add(p, inst, text, index, d);
    inst->line = line->line;
    TRY(teg_program_add(p, inst, text, index, d));
    TRY(teg_program_set_file(p, *index, cubin->lines.file[line->file], d));
    call_chain(&cubin->lines, line->call, calls, sizeof calls);
    return teg_program_set_call(p, *index, calls, d);
}

/* Whether it is a constant load of which the lanes' addresses are recorded:
 * LDC whose operand has a register.  ULDC has one address for all. */
static int is_indexed_load(const struct teg_sass *s,
                           const struct teg_inst *inst)
{
    for (unsigned i = 0; i < s->operand_count && inst->op_class == CLASS_LDC;
         i++) {
        const struct teg_sass_operand *o = &s->operand[i];
        unsigned none =
            o->flags & SASS_UNIFORM_INDEX ? TEG_SASS_URZ : TEG_SASS_RZ;

        if (o->kind == SASS_CONSTANT && (o->flags & SASS_INDEXED) != 0)
            return o->reg != none;
    }
    return 0;
}

/* Instruction `i`, and what a trace says of it. */
static void prepare_op(struct emu_prepared *p, uint32_t i, uint32_t sm,
                       struct teg_inst *inst)
{
    struct emu_op *op = &p->op[i];

    emu_op_prepare(op, p->linked.bytes + (size_t)i * TEG_SASS_BYTES,
                   p->linked.pc[i], sm, p->plain);
    if (teg_sass_is_understood(&op->sass))
        op->control = emu_control_of(op->sass.name);
    count_rows(p, sm, op);
    p->has_tensor_memory |=
        op->sass.name != NULL && emu_tensor_names(op->sass.name);
    teg_sass_inst(&op->sass, inst);
    if (is_indexed_load(&op->sass, inst))
        inst->flags |= INST_INDEXED;
    emu_values_set(op, inst);
}

static teg_status add_insts(struct emu_prepared *p, const struct emu_module *m,
                            struct teg_inst *inst, struct teg_diag *d)
{
    for (uint32_t i = 0; i < p->linked.insts; i++) {
        struct emu_op *op = &p->op[i];
        char text[TEG_SASS_TEXT];

        teg_sass_text(&op->sass, text);
        op->access = teg_inst_has_addresses(&inst[i]) != 0;
        op->values = (uint8_t)teg_inst_values(&inst[i]);
        teg_values_note(&p->notes, &inst[i], text, m->cubin->path);
        TRY(add_inst(&p->program, m, p->linked.section[i], &inst[i], text,
                     &op->inst, d));
    }
    return TEG_OK;
}

static int is_shared(const struct emu_prepared *p, uint32_t i)
{
    return p->program.inst[p->op[i].inst].space == SPACE_SHARED;
}

/* What an instruction is where blocks meet. */
static uint8_t meets(const struct emu_prepared *p, uint32_t i)
{
    static const uint8_t controls[] = {
        [CONTEST_RETRY] = CONTROL_ASK,
        [CONTEST_SWAP] = CONTROL_SWAP,
        [CONTEST_WORK] = CONTROL_FETCH,
        [CONTEST_POLL] = CONTROL_LOOK,
    };
    uint8_t control;

    if (p->op[i].control != CONTROL_NONE)
        return CONTROL_NONE;
    control = controls[teg_contest_of(&p->program, p->op[i].inst)];
    return control == CONTROL_SWAP && is_shared(p, i) ? CONTROL_ASK : control;
}

/* Marks what takes work from a counter, what tries again to swap, what polls and, if
 * it does, what may be polled for. */
static void find_meetings(struct emu_prepared *p)
{
    for (uint32_t i = 0; i < p->linked.insts; i++) {
        p->op[i].meets = meets(p, i);
        p->fetches |= p->op[i].meets == CONTROL_FETCH;
        p->polls |= p->op[i].meets == CONTROL_LOOK;
        p->swaps |= p->op[i].meets == CONTROL_SWAP;
        p->retries |= p->op[i].meets == CONTROL_ASK && is_shared(p, i);
    }
    for (uint32_t i = 0; i < p->linked.insts && p->polls; i++) {
        if (p->op[i].control != CONTROL_NONE)
            continue;
        if (p->op[i].tells)
            p->op[i].meets = CONTROL_FETCH;
        else if (p->op[i].awaits) /* it may be the first look of a loop */
            p->op[i].meets = CONTROL_LOOK;
    }
}

static teg_status prepare(struct emu_prepared *p, const struct emu_module *m,
                          uint32_t kernel, struct teg_diag *d)
{
    struct teg_inst *inst;
    teg_status status;

    TRY(emu_code_init(&p->linked, m, kernel, d));
    p->op = calloc((size_t)p->linked.insts + 1, sizeof *p->op);
    inst = calloc((size_t)p->linked.insts + 1, sizeof *inst);
    if (p->op == NULL || inst == NULL) {
        free(inst);
        return teg_fail_memory(d);
    }
    for (uint32_t i = 0; i < p->linked.insts; i++)
        prepare_op(p, i, m->cubin->sm, inst + i);
    p->awaits = emu_told_find(p->op, inst, p->linked.insts);
    status = add_insts(p, m, inst, d);
    teg_program_find_nearby(&p->program);
    if (status == TEG_OK)
        find_meetings(p);
    free(inst);
    p->is_whole = status == TEG_OK;
    return status;
}

/* Where the module keeps it between launches; NULL: nowhere. */
static struct emu_prepared *place(const struct emu_module *m, uint32_t kernel)
{
    return m->prepared != NULL ? &m->prepared[kernel] : NULL;
}

teg_status emu_prepared_take(struct emu_prepared *p, const struct emu_module *m,
                             uint32_t kernel, int plain, struct teg_diag *d)
{
    struct emu_prepared *kept = place(m, kernel);

    if (kept != NULL && kept->is_whole && kept->plain == plain) {
        emu_device_forget(m->device, kept->linked.insts);
        *p = *kept;
        *kept = (struct emu_prepared){0};
        return TEG_OK;
    }
    *p = (struct emu_prepared){.plain = plain};
    return prepare(p, m, kernel, d);
}

void emu_prepared_give(struct emu_prepared *p, const struct emu_module *m,
                       uint32_t kernel)
{
    struct emu_prepared *kept = place(m, kernel);

    if (kept == NULL || !p->is_whole || kept->is_whole ||
        !emu_device_keep(m->device, p->linked.insts)) {
        emu_prepared_release(p);
        return;
    }
    *kept = *p;
    *p = (struct emu_prepared){0};
}

void emu_prepared_forget(struct emu_module *m)
{
    for (uint32_t i = 0; m->prepared != NULL && i < m->cubin->kernel_count;
         i++) {
        if (m->prepared[i].is_whole)
            emu_device_forget(m->device, m->prepared[i].linked.insts);
        emu_prepared_release(&m->prepared[i]);
    }
    free(m->prepared);
    m->prepared = NULL;
}

void emu_prepared_release(struct emu_prepared *p)
{
    emu_code_release(&p->linked);
    free(p->op);
    teg_program_release(&p->program);
    teg_notes_release(&p->notes);
    *p = (struct emu_prepared){0};
}
