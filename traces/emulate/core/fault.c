/* Faults of the code that is emulated: whose, where, what. */
#include "traces/emulate/core/warp.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "isa/base/name.h"
#include "traces/emulate/core/lanes.h"

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
    char what[352], who[24] = "", text[TEG_SASS_TEXT], name[TEG_NAME_MAX];
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

const struct emu_op *emu_last_op(const struct emu_warp *w)
{
    const struct emu_block *b = w->block;
    uint64_t pc = w->pc[__builtin_ctz(emu_living(w))], number;

    if (pc >= EMU_FUNCTIONS)
        pc += b->own_ops * (uint64_t)TEG_SASS_BYTES - EMU_FUNCTIONS;
    number = pc / TEG_SASS_BYTES - (pc != 0);
    /* It may be about to jump to where there is nothing. */
    return &b->op[number < b->ops ? number : 0];
}

/* ---- who waits where ------------------------------------------------------- */

enum standing {
    STANDS_RUNNING,
    STANDS_AT_BARRIER,
    STANDS_APART, /* lanes wait for each other */
    STANDS_BEFORE,
    STANDS_ENDED,
    STANDINGS
};

static enum standing standing_of(const struct emu_warp *w)
{
    if (emu_living(w) == 0)
        return STANDS_ENDED;
    if (w->issued == 0)
        return STANDS_BEFORE;
    return w->in[LANE_RUNS] != 0         ? STANDS_RUNNING
           : w->in[LANE_AT_BARRIER] != 0 ? STANDS_AT_BARRIER
                                         : STANDS_APART;
}

void emu_fault_waiting(struct emu_warp *w, const struct emu_op *op, int lane,
                       teg_status status, const char *what)
{
    static const char *const says[STANDINGS] = {
        "on the way", "at a barrier", "with lanes that wait for each other",
        "not begun", "ended"};
    const struct emu_gang *g = w->block->gang;
    struct {
        uint64_t warps, from, to; /* pc */
    } at[STANDINGS] = {{0}};
    char others[200] = "";
    size_t used = 0;

    for (uint32_t k = 0; k < g->blocks; k++) {
        for (uint32_t i = 0; i < g->block[k].warps; i++) {
            const struct emu_warp *other = &g->block[k].warp[i];
            enum standing s = standing_of(other);
            uint64_t pc = s < STANDS_BEFORE ? emu_last_op(other)->pc : 0;

            if (other == w)
                continue;
            if (at[s].warps++ == 0 || pc < at[s].from)
                at[s].from = pc;
            if (pc > at[s].to)
                at[s].to = pc;
        }
    }
    for (int s = 0; s < STANDINGS && used < sizeof others; s++) {
        if (at[s].warps == 0)
            continue;
        used +=
            (size_t)snprintf(others + used, sizeof others - used, "%s%llu %s",
                             used == 0 ? "; other warps: " : ", ",
                             (unsigned long long)at[s].warps, says[s]);
        if (s >= STANDS_BEFORE || used >= sizeof others)
            continue;
        used += (size_t)snprintf(others + used, sizeof others - used,
                                 " (pc 0x%llx", (unsigned long long)at[s].from);
        if (at[s].to != at[s].from && used < sizeof others)
            used +=
                (size_t)snprintf(others + used, sizeof others - used,
                                 " to 0x%llx", (unsigned long long)at[s].to);
        if (used < sizeof others)
            used += (size_t)snprintf(others + used, sizeof others - used, ")");
    }
    emu_fault(w, op, lane, status, "%s%s", what, others);
}
