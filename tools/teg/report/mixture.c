#include "tools/teg/report/mixture.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/teg/cli/output.h"
#include "tools/teg/report/findings.h"

enum {
    PILES_MAX = 256, /* opcodes or lines looked at; a kernel has some tens */
};

#define UNIT "unit "

/* What an instruction has of the work; `unit` is an index or UINT32_MAX. */
typedef double work(const struct by_pc *b, const struct teg_gpu *gpu,
                    uint32_t unit, uint32_t i);

static double issued(const struct by_pc *b, const struct teg_gpu *gpu,
                     uint32_t unit, uint32_t i)
{
    (void)gpu, (void)unit;
    return (double)b->row[i].issued;
}

static double at_unit(const struct by_pc *b, const struct teg_gpu *gpu,
                      uint32_t unit, uint32_t i)
{
    const struct teg_timing *t = &gpu->timing[b->program->inst[i].op_class];

    for (uint32_t k = 0; k < t->unit_count; k++) {
        if (t->unit[k] == unit)
            return (double)b->row[i].issued;
    }
    return 0;
}

/* Products read there what others load. */
static double at_stage(const struct by_pc *b, const struct teg_gpu *gpu,
                       uint32_t unit, uint32_t i)
{
    return b->program->inst[i].op_class == CLASS_GMMA
               ? (double)b->row[i].issued
               : at_unit(b, gpu, unit, i);
}

static double bytes(const struct by_pc *b, const struct teg_gpu *gpu,
                    uint32_t unit, uint32_t i)
{
    (void)gpu, (void)unit;
    return (double)b->row[i].bytes;
}

static const struct kind {
    const char *part; /* how its name begins */
    work *work;
    const char *text; /* behind the share, before the opcode */
} kinds[] = {
    {UNIT, at_unit, "% of its instructions are"},
    {FINDING_STAGE, at_stage, "% of what takes it are"},
    {"issue", issued, "% of the instructions are"},
    {"dram", bytes, "% of the bytes are moved by"},
    {"l2", bytes, "% of the bytes are moved by"},
};

static const struct kind *kind_of(const char *part)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strncmp(part, kinds[i].part, strlen(kinds[i].part)) == 0)
            return &kinds[i];
    }
    return NULL;
}

static uint32_t unit_of(const struct teg_gpu *gpu, const char *part)
{
    if (strcmp(part, FINDING_STAGE) == 0)
        return gpu->timing[CLASS_LDS].unit[0];
    for (uint32_t i = 0; i < gpu->unit_count; i++) {
        if (strcmp(part + strcspn(part, " ") + (strchr(part, ' ') != NULL),
                   gpu->unit[i].name) == 0)
            return i;
    }
    return UINT32_MAX;
}

/* What instructions have together that are alike in opcode or line. */
struct pile {
    const char *name; /* borrowed from the program, `length` bytes */
    size_t length;
    uint32_t line;
    double work;
    uint32_t most; /* the instruction that has most of it */
};

struct piles {
    struct pile pile[PILES_MAX];
    uint32_t count;
    double all;
};

/* "LDG.E" of "@P0 LDG.E R2, [R4]". */
static struct pile by_opcode(const struct teg_program *p, uint32_t i)
{
    struct pile pile = {0};

    pile.name =
        teg_text_mnemonic(teg_program_text(p, &p->inst[i]), &pile.length);
    return pile;
}

static struct pile by_line(const struct teg_program *p, uint32_t i)
{
    const char *file = base_name(teg_program_file(p, &p->inst[i]));

    return (struct pile){file, strlen(file), p->inst[i].line, 0, 0};
}

static bool is_alike(const struct pile *a, const struct pile *b)
{
    return a->line == b->line && a->length == b->length &&
           memcmp(a->name, b->name, a->length) == 0;
}

/* Adds an instruction's work to its pile; what comes after PILES_MAX others
 * counts in all alone. */
static void pile_up(struct piles *p, struct pile of, uint32_t i, double own)
{
    uint32_t k = 0;

    p->all += own;
    while (k < p->count && !is_alike(&p->pile[k], &of))
        k++;
    if (k == PILES_MAX)
        return;
    if (k == p->count) {
        of.most = i;
        p->pile[p->count++] = of;
    }
    p->pile[k].work += own;
}

/* The first of the largest; NULL if there is none. */
static const struct pile *largest(const struct piles *p)
{
    const struct pile *most = p->count != 0 ? &p->pile[0] : NULL;

    for (uint32_t i = 1; i < p->count; i++)
        most = p->pile[i].work > most->work ? &p->pile[i] : most;
    return most;
}

uint32_t mixture_find(const struct by_pc *b, const struct teg_gpu *gpu,
                      const char *part, char *out, size_t size)
{
    const struct kind *kind = kind_of(part);
    struct piles opcodes = {.count = 0}, lines = {.count = 0};
    const struct pile *opcode, *line;
    uint32_t unit = unit_of(gpu, part);
    int length;

    out[0] = '\0';
    for (uint32_t i = 0; kind != NULL && i < b->count; i++) {
        double own = kind->work(b, gpu, unit, i);

        if (own > 0)
            pile_up(&opcodes, by_opcode(b->program, i), i, own);
    }
    opcode = largest(&opcodes);
    if (opcode == NULL || opcode->length == 0)
        return UINT32_MAX;
    for (uint32_t i = 0; i < b->count; i++) {
        struct pile own = by_opcode(b->program, i);

        if (is_alike(&own, opcode))
            pile_up(&lines, by_line(b->program, i), i,
                    kind->work(b, gpu, unit, i));
    }
    line = largest(&lines);
    length =
        snprintf(out, size, "%.0f %s %.*s", 100 * opcode->work / opcodes.all,
                 kind->text, (int)opcode->length, opcode->name);
    if (line->line != 0)
        length += snprintf(out + length, size - (size_t)length,
                           ", most at %.*s:%" PRIu32,
                           line->length < 100 ? (int)line->length : 100,
                           line->name, line->line);
    if (b->program->inst[line->most].call != 0)
        snprintf(out + length, size - (size_t)length, ", inlined at %.100s",
                 teg_program_call(b->program, &b->program->inst[line->most]));
    return line->most;
}
