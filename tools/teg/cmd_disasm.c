/*
 * teg disasm: the instructions of a cubin, or of the cubins in a program.
 *
 *     axpy (sm_86, 12 registers)
 *         0000  IMAD.MOV.U32 R1, RZ, RZ, c[0x0][0x28] ;
 *         0010  S2R R4, SR_CTAID.X ;
 *
 * With --control, a column before the text says what the compiler tells the
 * scheduler: which barriers to wait for, which to set after reading operands
 * and after the result, whether to yield, and the cycles to stall.
 *
 *         0010  B0----- R- W1 - S01  S2R R4, SR_CTAID.X ;
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/fatbin.h"
#include "isa/sass.h"
#include "tools/teg/options.h"
#include "tools/teg/teg.h"

struct disasm {
    const char *kernel, *arch;
    uint32_t sm; /* of --arch, 0: all */
    bool control, words;
    uint32_t shown; /* kernels */
    struct teg_nearest nearest;
    char best[256]; /* of `nearest`, which outlives the cubin */
    uint64_t instructions, unknown, uncertain;
};

static void print_instruction(struct disasm *self, const struct teg_sass *s)
{
    char text[TEG_SASS_TEXT], control[32];

    printf("    %04" PRIx64, s->pc);
    if (self->words)
        printf("  %016" PRIx64 "%016" PRIx64, s->word[1], s->word[0]);
    if (self->control) {
        teg_control_text(&s->control, control);
        printf("  %s", control);
    }
    teg_sass_text(s, text);
    printf("  %s\n", text);
    self->instructions++;
    self->unknown += s->name == NULL;
    self->uncertain += s->uncertain;
}

static void print_kernel(struct disasm *self, const struct teg_cubin *c,
                         const struct teg_cubin_kernel *k)
{
    printf("%s (sm_%u, %u registers%s)\n", k->name, c->sm, k->registers,
           k->is_entry ? "" : ", device function");
    if (k->code.data == NULL)
        return;
    for (uint64_t pc = 0; pc + TEG_SASS_BYTES <= k->code.size;
         pc += TEG_SASS_BYTES) {
        struct teg_sass s;

        teg_sass_decode(&s, k->code.data + pc, pc, c->sm);
        print_instruction(self, &s);
    }
}

static int disasm_cubin(struct disasm *self, const struct teg_cubin *c)
{
    if (!teg_sass_supports(c->sm)) {
        say(c->path, "sm_%u cannot be decoded; sm_70 to sm_90 can", c->sm);
        return EXIT_FAULT;
    }
    for (uint32_t i = 0; i < c->kernel_count && !interrupted(); i++) {
        const struct teg_cubin_kernel *k = &c->kernel[i];

        teg_nearest_offer(&self->nearest, k->name);
        if (self->kernel != NULL && strcmp(self->kernel, k->name) != 0)
            continue;
        if (self->shown++ > 0)
            printf("\n");
        print_kernel(self, c, k);
    }
    return interrupted() ? EXIT_INTERRUPTED : EXIT_DONE;
}

static void keep_nearest(struct disasm *self)
{
    if (self->nearest.best == NULL || self->nearest.best == self->best)
        return;
    snprintf(self->best, sizeof self->best, "%s", self->nearest.best);
    self->nearest.best = self->best;
}

static int disasm_entry(struct disasm *self, const struct teg_fatbin *f,
                        uint32_t i)
{
    struct teg_cubin c;
    struct teg_diag d;
    int status;

    if (f->entry[i].is_ptx || (self->sm != 0 && f->entry[i].sm != self->sm))
        return EXIT_DONE;
    if (teg_fatbin_cubin(f, i, &c, &d) != TEG_OK)
        return say_fault(&d);
    status = disasm_cubin(self, &c);
    keep_nearest(self);
    teg_cubin_release(&c);
    return status;
}

/* Why nothing was printed. */
static int nothing(const struct disasm *self, const struct teg_fatbin *f)
{
    uint32_t cubins = 0;
    char hint[96];

    for (uint32_t i = 0; i < f->count; i++)
        cubins += !f->entry[i].is_ptx &&
                  (self->sm == 0 || f->entry[i].sm == self->sm);
    if (cubins == 0 && self->sm != 0)
        say(f->path, "no cubin for %s; teg info lists what there is",
            self->arch);
    else if (cubins == 0)
        say(f->path, "only PTX, which ptxas has to compile first");
    else if (self->kernel != NULL)
        say(f->path, "no kernel '%s'%s", self->kernel,
            did_you_mean(&self->nearest, "", hint));
    else
        return EXIT_DONE;
    return self->kernel != NULL && cubins > 0 ? EXIT_USAGE : EXIT_FAULT;
}

static int disasm(struct disasm *self, const struct teg_fatbin *f)
{
    int status = EXIT_DONE;

    teg_nearest_init(&self->nearest, self->kernel != NULL ? self->kernel : "");
    for (uint32_t i = 0; status == EXIT_DONE && i < f->count; i++)
        status = disasm_entry(self, f, i);
    if (status == EXIT_DONE && self->shown == 0)
        status = nothing(self, f);
    if (self->unknown > 0 || self->uncertain > 0)
        say(f->path,
            "%" PRIu64 " of %" PRIu64 " instructions are unknown, %" PRIu64
            " have an unknown modifier",
            self->unknown, self->instructions, self->uncertain);
    return status;
}

/* "sm_86" or "86". */
static bool read_arch(const char *text, uint32_t *sm)
{
    char *end;
    unsigned long v;

    if (strncmp(text, "sm_", 3) == 0)
        text += 3;
    v = strtoul(text, &end, 10);
    *sm = (uint32_t)v;
    return end != text && *end == '\0' && v > 0 && v < 1000;
}

int cmd_disasm(int argc, char **argv)
{
    struct disasm self = {0};
    const struct opt options[] = {
        {"kernel", 'k', OPT_TEXT, &self.kernel, "NAME", "only this kernel",
         NULL},
        {"arch", 'a', OPT_TEXT, &self.arch, "sm_XX",
         "only the code for this architecture", NULL},
        {"control", 'c', OPT_FLAG, &self.control, NULL,
         "show control codes: barriers waited for, set after reading (R) and "
         "writing (W), yield, stall cycles",
         NULL},
        {"words", 'w', OPT_FLAG, &self.words, NULL,
         "show the instruction words", NULL},
        {0}};
    const struct usage usage = {
        .command = "disasm",
        .operands = "FILE",
        .summary = "Lists the instructions of a cubin, a fatbin or a program "
                   "with device code (sm_70 to sm_90) as NVIDIA's "
                   "disassembler prints them.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  nvcc -cubin -arch=sm_86 saxpy.cu\n"
                    "  teg disasm saxpy.cubin --control\n"
                    "  teg disasm ./program --arch sm_80\n"};
    struct operands operands;
    struct teg_fatbin f;
    struct teg_diag d;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    if (self.arch != NULL && !read_arch(self.arch, &self.sm))
        return say_usage("disasm", "--arch: expected sm_XX, found '%s'",
                         self.arch);
    catch_interrupt();
    if (teg_fatbin_open(&f, operands.item[0], &d) != TEG_OK)
        return say_fault(&d);
    status = disasm(&self, &f);
    teg_fatbin_release(&f);
    return status;
}
