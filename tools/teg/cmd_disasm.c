/*
 * teg disasm: the instructions of a cubin.
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
#include <string.h>

#include "isa/cubin.h"
#include "isa/sass.h"
#include "tools/teg/options.h"
#include "tools/teg/teg.h"

struct disasm {
    const char *kernel;
    bool control, words;
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

static int unknown_kernel(const struct teg_cubin *c, const char *name)
{
    struct teg_nearest nearest;
    char hint[96];

    teg_nearest_init(&nearest, name);
    for (uint32_t i = 0; i < c->kernel_count; i++)
        teg_nearest_offer(&nearest, c->kernel[i].name);
    say(c->path, "no kernel '%s'%s", name, did_you_mean(&nearest, "", hint));
    return EXIT_USAGE;
}

static int disasm(struct disasm *self, const struct teg_cubin *c)
{
    int first = 1;

    if (!teg_sass_supports(c->sm)) {
        say(c->path, "sm_%u cannot be decoded; sm_70 to sm_90 can", c->sm);
        return EXIT_FAULT;
    }
    if (self->kernel != NULL && teg_cubin_find(c, self->kernel) == NULL)
        return unknown_kernel(c, self->kernel);
    for (uint32_t i = 0; i < c->kernel_count && !interrupted(); i++) {
        const struct teg_cubin_kernel *k = &c->kernel[i];

        if (self->kernel != NULL && strcmp(self->kernel, k->name) != 0)
            continue;
        if (!first)
            printf("\n");
        first = 0;
        print_kernel(self, c, k);
    }
    if (self->unknown > 0 || self->uncertain > 0)
        say(c->path,
            "%" PRIu64 " of %" PRIu64 " instructions are unknown, %" PRIu64
            " have an unknown modifier",
            self->unknown, self->instructions, self->uncertain);
    return interrupted() ? EXIT_INTERRUPTED : EXIT_DONE;
}

int cmd_disasm(int argc, char **argv)
{
    struct disasm self = {0};
    const struct opt options[] = {
        {"kernel", 'k', OPT_TEXT, &self.kernel, "NAME", "only this kernel",
         NULL},
        {"control", 'c', OPT_FLAG, &self.control, NULL,
         "show control codes: barriers waited for, set after reading (R) and "
         "writing (W), yield, stall cycles",
         NULL},
        {"words", 'w', OPT_FLAG, &self.words, NULL,
         "show the instruction words", NULL},
        {0}};
    const struct usage usage = {
        .command = "disasm",
        .operands = "FILE.cubin",
        .summary = "Lists the instructions of a cubin (sm_70 to sm_90) as "
                   "NVIDIA's disassembler prints them.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  nvcc -cubin -arch=sm_86 saxpy.cu\n"
                    "  teg disasm saxpy.cubin --control\n"};
    struct operands operands;
    struct teg_cubin c;
    struct teg_diag d;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    catch_interrupt();
    if (teg_cubin_open(&c, operands.item[0], &d) != TEG_OK)
        return say_fault(&d);
    status = disasm(&self, &c);
    teg_cubin_release(&c);
    return status;
}
