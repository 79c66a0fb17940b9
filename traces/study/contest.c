#include "traces/study/contest.h"

#include <stdlib.h>
#include <string.h>

/* What has come from the instruction asked about. */
struct traced {
    uint8_t has[TEG_REG_COUNT];
    int shared; /* something in shared memory */
};

/* The instructions of a loop, from `first` to the branch back. */
struct loop {
    uint32_t first, last;
    uint64_t begin, end; /* their pcs */
};

/* By a part of the mnemonic ("ATOMG.E.CAS.STRONG.GPU").  CAST is what shared
 * memory has for CAS of less than it can. */
static const struct {
    const char *part;
    enum teg_contest contest;
} contests[] = {
    {"CAS", CONTEST_RETRY}, {"CAST", CONTEST_RETRY}, {"EXCH", CONTEST_RETRY},
    {"ADD", CONTEST_WORK},  {"INC", CONTEST_WORK},
};

static enum teg_contest contest_of(const char *part, size_t length)
{
    for (size_t i = 0; i < sizeof contests / sizeof *contests; i++) {
        if (strlen(contests[i].part) == length &&
            memcmp(contests[i].part, part, length) == 0)
            return contests[i].contest;
    }
    return CONTEST_NONE;
}

static enum teg_contest atomic_kind(const struct teg_program *p,
                                    const struct teg_inst *inst)
{
    enum teg_contest found = CONTEST_NONE;
    size_t length;
    const char *part = teg_text_mnemonic(teg_program_text(p, inst), &length);
    const char *end = part + length;

    while (found == CONTEST_NONE && part < end) {
        size_t n = strcspn(part, ". ");

        n = n < (size_t)(end - part) ? n : (size_t)(end - part);
        found = contest_of(part, n);
        part += n + 1;
    }
    if (found == CONTEST_WORK && inst->space == SPACE_SHARED)
        return CONTEST_NONE;
    return found;
}

/* By its operation alone. */
static enum teg_contest kind_of(const struct teg_program *p,
                                const struct teg_inst *inst)
{
    if (inst->flags & INST_ATOMIC)
        return atomic_kind(p, inst);
    return inst->flags & INST_LOAD && inst->flags & INST_BYPASS_L1 &&
                   inst->space != SPACE_SHARED
               ? CONTEST_POLL
               : CONTEST_NONE;
}

/* Where a branch of a known target goes; returns 0 if it is none. */
static int target_of(const struct teg_program *p, const struct teg_inst *inst,
                     uint64_t *pc)
{
    const char *text = teg_program_text(p, inst), *at;
    char *end;

    if (!teg_text_is(text, "BRA"))
        return 0;
    at = strstr(text, "0x");
    if (at == NULL)
        return 0;
    *pc = strtoull(at, &end, 16);
    return end != at;
}

/* The innermost loop around instruction `at`: up to the first branch behind it
 * that goes to it or before it.  Returns 0 if there is none. */
static int loop_around(const struct teg_program *p, uint32_t at,
                       struct loop *loop)
{
    uint32_t i = at + 1;

    while (i < p->count && !(target_of(p, &p->inst[i], &loop->begin) &&
                             loop->begin <= p->inst[at].pc))
        i++;
    if (i == p->count)
        return 0;
    loop->last = i;
    loop->end = p->inst[i].pc;
    loop->first = at;
    while (loop->first > 0 && p->inst[loop->first - 1].pc >= loop->begin &&
           p->inst[loop->first - 1].pc < p->inst[loop->first].pc)
        loop->first--;
    return 1;
}

static int reads(const struct traced *t, const struct teg_inst *inst)
{
    if (t->shared && inst->space == SPACE_SHARED && inst->flags & INST_LOAD)
        return 1;
    for (uint32_t s = 0; s < inst->src_count; s++)
        for (uint32_t r = 0; r < inst->src[s].count; r++)
            if (t->has[inst->src[s].first + r])
                return 1;
    return 0;
}

static void write(struct traced *t, const struct teg_inst *inst, int has)
{
    for (uint32_t d = 0; d < inst->dst_count; d++)
        for (uint32_t r = 0; r < inst->dst[d].count; r++)
            t->has[inst->dst[d].first + r] = (uint8_t)has;
    /* A generic address may be that of a block of the cluster. */
    t->shared |= has && inst->flags & INST_STORE &&
                 (inst->space == SPACE_SHARED || inst->space == SPACE_GENERIC);
}

/* Does the instruction leave the loop, or go round again? */
static int decides(const struct teg_program *p, const struct teg_inst *inst,
                   const struct loop *loop)
{
    uint64_t to;

    if (inst->flags & INST_EXIT)
        return 1;
    if (!target_of(p, inst, &to))
        return teg_text_is(teg_program_text(p, inst), "BREAK");
    return to < loop->begin || to > loop->end || inst->pc == loop->end;
}

/* Does the loop give the instruction at `at` other operands, an address, than
 * it had? */
static int moves_on(const struct teg_program *p, const struct loop *loop,
                    uint32_t at)
{
    struct traced changed = {.shared = 0};

    for (uint32_t i = loop->first; i <= loop->last; i++)
        write(&changed, &p->inst[i], 1);
    return reads(&changed, &p->inst[at]);
}

/* Follows what has come from the instruction through instructions [from, to). */
static int gets_to_branch(const struct teg_program *p, struct traced *t,
                          const struct loop *loop, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        int has = reads(t, &p->inst[i]);

        if (has && decides(p, &p->inst[i], loop))
            return 1;
        write(t, &p->inst[i], has);
    }
    return 0;
}

enum teg_contest teg_contest_of(const struct teg_program *p, uint32_t at)
{
    enum teg_contest kind = kind_of(p, &p->inst[at]);
    struct traced t = {.shared = 0};
    struct loop loop = {0};

    if (kind == CONTEST_NONE || !loop_around(p, at, &loop) ||
        (kind == CONTEST_POLL && moves_on(p, &loop, at)))
        return CONTEST_NONE;
    write(&t, &p->inst[at], 1);
    if (gets_to_branch(p, &t, &loop, at + 1, loop.last + 1) ||
        gets_to_branch(p, &t, &loop, loop.first, at))
        return kind;
    return CONTEST_NONE;
}
