#include "traces/study/contest.h"

#include <stdlib.h>
#include <string.h>

/* What has come from the instruction asked about. */
struct traced {
    uint8_t has[TEG_REG_COUNT];
    int shared; /* something in shared memory */
    /* A branch counts, too: what is executed or not by it, up to `until`. */
    int by_branches;
    uint64_t until;
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

/* A loop around instruction `at`: up to the first branch from `i` on, behind it,
 * that goes to it or before it; from at + 1 on the innermost.  Returns 0 if there
 * is none. */
static int loop_around(const struct teg_program *p, uint32_t at, uint32_t i,
                       struct loop *loop)
{
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

static int is_guarded(const struct teg_program *p, const struct teg_inst *inst)
{
    return teg_program_text(p, inst)[0] == '@';
}

static void write(struct traced *t, const struct teg_program *p,
                  const struct teg_inst *inst, int has)
{
    int keeps = !has && is_guarded(p, inst);

    for (uint32_t d = 0; d < inst->dst_count && !keeps; d++)
        for (uint32_t r = 0; r < inst->dst[d].count; r++)
            t->has[inst->dst[d].first + r] = (uint8_t)has;
    /* A generic address may be that of a block of the cluster. */
    t->shared |= has && inst->flags & INST_STORE &&
                 (inst->space == SPACE_SHARED || inst->space == SPACE_GENERIC);
}

/* Follows what has come from the instruction through instructions [from, to),
 * whatever branches do. */
static void follow(const struct teg_program *p, struct traced *t, uint32_t from,
                   uint32_t to)
{
    for (uint32_t i = from; i < to; i++)
        write(t, p, &p->inst[i], reads(t, &p->inst[i]));
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

/* Does the loop give the instruction at `at` another address each round: one of
 * what a round leaves to the next?  What begins anew in each, as an inner loop does,
 * is the same. */
static int moves_on(const struct teg_program *p, const struct loop *loop,
                    uint32_t at)
{
    struct traced left = {.shared = 0};

    for (uint32_t i = loop->first; i <= loop->last; i++)
        write(&left, p, &p->inst[i], 1);
    follow(p, &left, loop->first, at);
    return reads(&left, &p->inst[at]);
}

/* What a branch decides on: instructions up to where it goes, or, back, those of
 * the loop whose rounds it counts. */
static void follow_branch(const struct teg_program *p, struct traced *t,
                          uint32_t at)
{
    uint64_t to;

    if (!t->by_branches || !target_of(p, &p->inst[at], &to))
        return;
    if (to > p->inst[at].pc && to > t->until)
        t->until = to;
    for (uint32_t i = at; i > 0 && p->inst[i].pc > to; i--)
        write(t, p, &p->inst[i - 1], 1);
}

/* The same up to a branch that decides on it; returns whether there is one. */
static int gets_to_branch(const struct teg_program *p, struct traced *t,
                          const struct loop *loop, uint32_t from, uint32_t to)
{
    for (uint32_t i = from; i < to; i++) {
        int has = reads(t, &p->inst[i]) || p->inst[i].pc < t->until;

        if (has && decides(p, &p->inst[i], loop))
            return 1;
        if (has)
            follow_branch(p, t, i);
        write(t, p, &p->inst[i], has);
    }
    t->until = 0;
    return 0;
}

static int decides_loop(const struct teg_program *p, uint32_t at,
                        const struct loop *loop, int by_branches)
{
    struct traced t = {.by_branches = by_branches};

    write(&t, p, &p->inst[at], 1);
    return gets_to_branch(p, &t, loop, at + 1, loop->last + 1) ||
           gets_to_branch(p, &t, loop, loop->first, at);
}

/* Whether it is asked for again, by any loop around, until others have written
 * what was wanted. */
static int polls(const struct teg_program *p, uint32_t at)
{
    struct loop loop = {.last = at};

    while (loop_around(p, at, loop.last + 1, &loop)) {
        if (!moves_on(p, &loop, at) && decides_loop(p, at, &loop, 1))
            return 1;
    }
    return 0;
}

/* The register that the text's address begins with; -1: none. */
static int address_register(const char *text)
{
    const char *at = strstr(text, "[R");

    return at != NULL ? TEG_REG_R + (int)strtol(at + 2, NULL, 10) : -1;
}

/* Does a swap have from what it was given a round before what it compares with, or
 * what it brings? */
static int swaps_what_it_was_given(const struct teg_program *p, uint32_t at,
                                   const struct loop *loop)
{
    const struct teg_inst *inst = &p->inst[at];
    int address = address_register(teg_program_text(p, inst));
    struct traced t = {.shared = 0};

    write(&t, p, inst, 1);
    follow(p, &t, at + 1, loop->last + 1);
    follow(p, &t, loop->first, at);
    for (uint32_t s = 0; s < inst->src_count; s++) {
        const struct teg_regs *r = &inst->src[s];
        int is_value = (int)r->first != address && r->first < TEG_REG_P;

        for (uint32_t i = 0; is_value && i < r->count; i++) {
            if (t.has[r->first + i])
                return 1;
        }
    }
    return 0;
}

enum teg_contest teg_contest_of(const struct teg_program *p, uint32_t at)
{
    enum teg_contest kind = kind_of(p, &p->inst[at]);
    struct loop loop = {0};

    if (kind == CONTEST_POLL)
        return polls(p, at) ? kind : CONTEST_NONE;
    if (kind == CONTEST_NONE || !loop_around(p, at, at + 1, &loop) ||
        !decides_loop(p, at, &loop, 0))
        return CONTEST_NONE;
    return kind == CONTEST_RETRY && swaps_what_it_was_given(p, at, &loop)
               ? CONTEST_SWAP
               : kind;
}
