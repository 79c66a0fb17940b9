/*
 * teg disasm: the instructions of a cubin, of the cubins in a program, or of a
 * listing.
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
 *
 * Code before Volta is shown as words, with what its control words say.
 *
 * With --lines, a comment goes before the code of each source line.
 *
 *         // axpy.cu:7, inlined at axpy.cu:15
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/name.h"
#include "isa/sass/older.h"
#include "isa/sass/sass.h"
#include "tools/teg/cli/device_code.h"
#include "tools/teg/cli/options.h"
#include "tools/teg/cli/teg.h"

struct disasm {
    const char *kernel, *arch;
    uint32_t sm; /* of --arch, 0: all */
    bool control, words, lines;
    uint32_t shown; /* kernels */
    struct teg_nearest nearest;
    char best[TEG_NAME_MAX]; /* of `nearest` */
    uint64_t instructions, unknown, uncertain;
    const struct teg_listing *listing; /* read from; NULL: a binary */
    uint32_t piece, number;            /* now printed: cubin, kernel */
};

/* As decoded, or as the listing has what nobody could read. */
static void print_text(const struct disasm *self, const struct teg_sass *s)
{
    const struct teg_listing_unread *unread = NULL;
    char text[TEG_SASS_TEXT];

    if (s->name == NULL && self->listing != NULL)
        unread = teg_listing_unread_at(self->listing, self->piece, self->number,
                                       s->pc);
    teg_sass_text(s, text);
    printf("  %s%s\n", unread != NULL ? unread->text : text,
           unread != NULL ? ";" : "");
}

static bool is_same_position(const struct teg_line *a, const struct teg_line *b)
{
    return a == b || (a != NULL && b != NULL && a->file == b->file &&
                      a->line == b->line && a->call == b->call);
}

/* Where the code from here on comes from, with the calls that were inlined. */
static void print_position(const struct teg_lines *l, const struct teg_line *at)
{
    uint32_t call;

    if (at == NULL) {
        printf("    // no source line\n");
        return;
    }
    printf("    // %s:%" PRIu32, l->file[at->file], at->line);
    for (call = at->call; call != 0; call = l->call[call - 1].outer)
        printf(", inlined at %s:%" PRIu32, l->file[l->call[call - 1].file],
               l->call[call - 1].line);
    putchar('\n');
}

static void print_instruction(struct disasm *self, const struct teg_sass *s)
{
    char control[32];

    printf("    %04" PRIx64, s->pc);
    if (self->words)
        printf("  %016" PRIx64 "%016" PRIx64, s->word[1], s->word[0]);
    if (self->control) {
        teg_control_text(&s->control, control);
        printf("  %s", control);
    }
    print_text(self, s);
    self->instructions++;
    self->unknown += s->name == NULL;
    self->uncertain += s->uncertain;
}

/* Instructions before Volta, which stay words, without the control words. */
static void print_older(const struct disasm *self, const struct teg_cubin *c,
                        const struct teg_cubin_kernel *k)
{
    for (uint64_t pc = 0; pc + TEG_OLDER_BYTES <= k->code.size;
         pc += TEG_OLDER_BYTES) {
        char control[TEG_OLDER_TEXT];
        struct teg_older o;

        teg_older_decode(&o, k->code.data, pc, c->sm);
        if (o.is_control && !self->words)
            continue;
        printf("    %04" PRIx64, pc);
        if (self->control && !o.is_control) {
            teg_older_control_text(&o, c->sm, control);
            printf("  %s", control);
        }
        printf("  0x%016" PRIx64 "%s\n", o.word,
               o.is_control ? "  // control" : " ;");
    }
}

static void print_kernel(struct disasm *self, const struct teg_cubin *c,
                         const struct teg_cubin_kernel *k)
{
    const struct teg_line *at = NULL;
    char name[TEG_NAME_MAX];

    printf("%s (sm_%u", teg_name_readable(k->name, NAME_FULL, name), c->sm);
    if (k->registers > 0 || c->origin == CUBIN_FROM_ELF)
        printf(", %u registers", k->registers);
    printf("%s)\n", k->is_entry ? "" : ", device function");
    if (teg_name_is_mangled(k->name))
        printf("    // %s\n", k->name);
    if (k->code.data == NULL)
        return;
    if (teg_older_supports(c->sm)) {
        print_older(self, c, k);
        return;
    }
    for (uint64_t pc = 0; pc + TEG_SASS_BYTES <= k->code.size;
         pc += TEG_SASS_BYTES) {
        const struct teg_line *now = teg_lines_at(&c->lines, self->number, pc);
        struct teg_sass s;

        if (self->lines && !is_same_position(now, at))
            print_position(&c->lines, now);
        at = now;
        teg_sass_decode(&s, k->code.data + pc, pc, c->sm);
        print_instruction(self, &s);
    }
}

static void offer(struct disasm *self, const char *symbol)
{
    char name[TEG_NAME_MAX];

    teg_nearest_offer(&self->nearest,
                      teg_name_readable(symbol, NAME_SHORT, name));
    if (self->nearest.best != name)
        return;
    snprintf(self->best, sizeof self->best, "%s", name);
    self->nearest.best = self->best;
}

static int disasm_cubin(struct disasm *self, const struct teg_cubin *c)
{
    if (teg_older_supports(c->sm)) {
        say(c->path,
            "of sm_%u control codes are read and instructions shown as words",
            c->sm);
    } else if (!teg_sass_supports(c->sm)) {
        char known[TEG_SASS_TEXT];

        teg_sass_generations(known);
        say(c->path, "sm_%u cannot be decoded; %s can", c->sm, known);
        return EXIT_FAULT;
    }
    if (c->origin == CUBIN_FROM_TEXT && (self->control || self->words)) {
        say(c->path, "a listing without encodings tells no %s",
            self->control ? "control codes" : "instruction words");
        return EXIT_FAULT;
    }
    if (self->lines && c->lines.row_count == 0)
        say(c->path,
            "there are no source lines for sm_%u: compile with "
            "-lineinfo",
            c->sm);
    for (uint32_t i = 0; i < c->kernel_count && !interrupted(); i++) {
        const struct teg_cubin_kernel *k = &c->kernel[i];

        offer(self, k->name);
        if (self->kernel != NULL && !teg_name_matches(k->name, self->kernel))
            continue;
        if (self->shown++ > 0)
            printf("\n");
        self->number = i;
        print_kernel(self, c, k);
    }
    return interrupted() ? EXIT_INTERRUPTED : EXIT_DONE;
}

static int disasm_piece(struct disasm *self, struct device_code *code,
                        uint32_t i)
{
    struct teg_cubin c;
    int status;

    if (!device_code_is_cubin(code, i, self->sm))
        return EXIT_DONE;
    status = device_code_cubin(code, i, &c);
    if (status != EXIT_DONE)
        return status;
    self->piece = i;
    status = disasm_cubin(self, &c);
    teg_cubin_release(&c);
    return status;
}

/* Why nothing was printed. */
static int nothing(const struct disasm *self, const struct device_code *code,
                   uint32_t cubins)
{
    char hint[96];

    if (cubins == 0 && self->sm != 0)
        say(code->path, "no cubin for %s; teg info lists what there is",
            self->arch);
    else if (cubins == 0)
        say(code->path, "only PTX, which ptxas has to compile first");
    else if (self->kernel != NULL)
        say(code->path, "no kernel '%s'%s", self->kernel,
            did_you_mean(&self->nearest, "", hint));
    else
        return EXIT_DONE;
    return self->kernel != NULL && cubins > 0 ? EXIT_USAGE : EXIT_FAULT;
}

/* What could not be read, with the first of a listing. */
static void say_unknown(const struct disasm *self,
                        const struct device_code *code)
{
    const struct teg_listing_unread *first = code->listing.unread;
    char where[512];

    if (code->listing.unread_count > 0) {
        snprintf(where, sizeof where, "%.400s:%" PRIu64, code->path,
                 first->line);
        say(where, "'%.80s' is no instruction that is known", first->text);
    }
    if (self->unknown > 0 || self->uncertain > 0)
        say(code->path,
            "%" PRIu64 " of %" PRIu64 " instructions are unknown, %" PRIu64
            " have an unknown modifier",
            self->unknown, self->instructions, self->uncertain);
}

static int disasm(struct disasm *self, struct device_code *code)
{
    int status = EXIT_DONE;
    uint32_t cubins = 0;

    teg_nearest_init(&self->nearest, self->kernel != NULL ? self->kernel : "");
    self->listing = code->kind == CODE_LISTING ? &code->listing : NULL;
    for (uint32_t i = 0; status == EXIT_DONE && i < code->count; i++) {
        cubins += device_code_is_cubin(code, i, self->sm);
        status = disasm_piece(self, code, i);
    }
    if (status == EXIT_DONE && self->shown == 0)
        status = nothing(self, code, cubins);
    say_unknown(self, code);
    return status;
}

int cmd_disasm(int argc, char **argv)
{
    struct disasm self = {0};
    const struct opt options[] = {
        {"kernel", 'k', OPT_TEXT, &self.kernel, "NAME",
         "only this kernel: its symbol, or its name with or without "
         "namespaces, "
         "template arguments and parameters",
         NULL},
        {"arch", 'a', OPT_TEXT, &self.arch, "sm_XX",
         "only the code for this architecture", NULL},
        {"control", 'c', OPT_FLAG, &self.control, NULL,
         "show control codes: barriers waited for, set after reading (R) and "
         "writing (W), yield, stall cycles",
         NULL},
        {"lines", 'l', OPT_FLAG, &self.lines, NULL,
         "show the source lines the code comes from, of code compiled with "
         "-lineinfo or -G",
         NULL},
        {"words", 'w', OPT_FLAG, &self.words, NULL,
         "show the instruction words", NULL},
        {0}};
    const struct usage usage = {
        .command = "disasm",
        .operands = "FILE",
        .summary = "Lists the instructions of a cubin, a fatbin, a program "
                   "with device code or a listing of cuobjdump or nvdisasm "
                   "(sm_70 to sm_121) as NVIDIA's disassembler prints them; of "
                   "older code (sm_20 to 62) words and control codes.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  nvcc -cubin -arch=sm_86 saxpy.cu\n"
                    "  teg disasm saxpy.cubin --control\n"
                    "  teg disasm ./program --arch sm_80\n"};
    struct operands operands;
    struct device_code code;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    if (self.arch != NULL && !device_code_read_arch(self.arch, &self.sm))
        return say_usage("disasm", "--arch: expected sm_XX, found '%s'",
                         self.arch);
    catch_interrupt();
    status = device_code_open(&code, operands.item[0]);
    if (status == EXIT_DONE)
        status = disasm(&self, &code);
    device_code_release(&code);
    return status;
}
