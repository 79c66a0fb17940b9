/*
 * What each source line cost, the costliest first, with the text of the line
 * where its file is at hand and, folded, the instructions that it became.
 */
#include "tools/teg/report/page/sections.h"

#include "tools/teg/report/instructions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum {
    LINES_MAX = 50,
    FILES_MAX = 8, /* whose text is shown */
    FILE_BYTES_MAX = 4 << 20
};

/* Of all instructions that come from it. */
struct line {
    const char *file; /* borrowed from the program, "" if not known */
    const char *call; /* the same: the calls it was inlined for */
    uint32_t number;
    uint32_t first, count; /* its instructions in source.order */
    uint64_t cycles;       /* of warps: before them and at them */
    uint64_t issued, bytes, passes, groups;
};

/* Where an instruction comes from. */
struct place {
    const char *file, *call; /* borrowed from the program */
    uint32_t line, inst;
};

struct source {
    const struct by_pc *b; /* borrowed */
    struct place *order;   /* owned, [b->count]: instructions by line */
    struct line *line;     /* owned, [lines] */
    uint32_t lines;
    struct {
        const char *path; /* borrowed */
        char *text;       /* owned; NULL: not at hand */
    } file[FILES_MAX];
    uint32_t files;
};

/* ---- lines ------------------------------------------------------------------- */

static int by_place(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    const int file = strcmp(x->file, y->file);

    if (file != 0)
        return file;
    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (strcmp(x->call, y->call) != 0)
        return strcmp(x->call, y->call);
    return x->inst < y->inst ? -1 : x->inst > y->inst;
}

static int by_cycles(const void *a, const void *b)
{
    const struct line *x = a, *y = b;

    if (x->cycles != y->cycles)
        return x->cycles > y->cycles ? -1 : 1;
    return x->first < y->first ? -1 : x->first > y->first;
}

static void add_row(struct line *l, const struct by_pc_row *row)
{
    l->cycles += by_pc_stalled(row) + row->issued;
    l->issued += row->issued;
    l->bytes += row->bytes;
    l->passes += row->passes;
    l->groups += row->groups;
    l->count++;
}

static void gather(struct source *s)
{
    const struct teg_program *p = s->b->program;

    for (uint32_t i = 0; i < s->b->count; i++)
        s->order[i] = (struct place){teg_program_file(p, &p->inst[i]),
                                     teg_program_call(p, &p->inst[i]),
                                     p->inst[i].line, i};
    qsort(s->order, s->b->count, sizeof *s->order, by_place);
    for (uint32_t i = 0; i < s->b->count; i++) {
        const struct place *at = &s->order[i];

        if (i == 0 || at->line != at[-1].line ||
            strcmp(at->file, at[-1].file) != 0 ||
            strcmp(at->call, at[-1].call) != 0)
            s->line[s->lines++] = (struct line){.file = at->file,
                                                .call = at->call,
                                                .number = at->line,
                                                .first = i};
        add_row(&s->line[s->lines - 1], &s->b->row[at->inst]);
    }
    qsort(s->line, s->lines, sizeof *s->line, by_cycles);
}

/* ---- texts ------------------------------------------------------------------- */

/* A trace names any file it likes; only sources get into a page. */
static bool is_source(const char *path)
{
    static const char *const ends[] = {".cu",  ".cuh", ".h",  ".hpp",
                                       ".hxx", ".c",   ".cc", ".cpp",
                                       ".inl", ".py",  ".ptx"};
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot != NULL && i < sizeof ends / sizeof ends[0]; i++) {
        if (strcmp(dot, ends[i]) == 0)
            return true;
    }
    return false;
}

static char *read_source(const char *path)
{
    struct stat st;
    char *text = NULL;
    FILE *f;

    if (!is_source(path) || stat(path, &st) != 0 || !S_ISREG(st.st_mode) ||
        st.st_size > FILE_BYTES_MAX || (f = fopen(path, "rb")) == NULL)
        return NULL;
    text = malloc((size_t)st.st_size + 1);
    if (text != NULL)
        text[fread(text, 1, (size_t)st.st_size, f)] = '\0';
    fclose(f);
    return text;
}

/* The line's text in `out`, cut; false if it is not at hand. */
static bool line_text(struct source *s, const struct line *l,
                      char out[PAGE_TEXT_MAX + 1])
{
    uint32_t i = 0;
    const char *at;

    while (i < s->files && strcmp(s->file[i].path, l->file) != 0)
        i++;
    if (i == FILES_MAX || l->number == 0)
        return false;
    if (i == s->files) {
        s->file[i].path = l->file;
        s->file[i].text = read_source(l->file);
        s->files++;
    }
    at = s->file[i].text;
    for (uint32_t n = 1; at != NULL && n < l->number; n++) {
        at = strchr(at, '\n');
        at += at != NULL;
    }
    if (at == NULL)
        return false;
    at += strspn(at, " \t");
    snprintf(out, PAGE_TEXT_MAX + 1, "%.*s", (int)strcspn(at, "\r\n"), at);
    return out[0] != '\0';
}

/* ---- the table ---------------------------------------------------------------- */

static void print_sass(FILE *f, const struct source *s, const struct line *l,
                       double all)
{
    enum {
        SASS_MAX = 60
    };

    fputs("<pre>", f);
    for (uint32_t i = 0; i < l->count && i < SASS_MAX; i++) {
        const uint32_t at = s->order[l->first + i].inst;
        const struct teg_inst *inst = &s->b->program->inst[at];
        const struct by_pc_row *row = &s->b->row[at];
        char text[PAGE_TEXT_MAX + 1];

        snprintf(text, sizeof text, "%s",
                 teg_program_text(s->b->program, inst));
        fprintf(f, "%5.1f %%  %04" PRIx64 "  ",
                100 * (double)(by_pc_stalled(row) + row->issued) / all,
                inst->pc);
        html_text(f, text);
        fputc('\n', f);
    }
    if (l->count > SASS_MAX)
        fprintf(f, "and %u more\n", l->count - SASS_MAX);
    fputs("</pre>", f);
}

static void print_line(FILE *f, struct source *s, const struct line *l,
                       double all)
{
    const struct teg_program *p = s->b->program;
    char text[PAGE_TEXT_MAX + 1];

    fputs("<tr>", f);
    html_position_cell(f, p, &p->inst[s->order[l->first].inst]);
    fputs("<td class=\"mono\"><details><summary>", f);
    if (line_text(s, l, text))
        html_text(f, text);
    else
        fprintf(f, "<span class=\"dim\">%u instruction%s</span>", l->count,
                l->count == 1 ? "" : "s");
    if (l->call[0] != '\0') {
        fputs(" <span class=\"dim\">inlined at ", f);
        html_text(f, l->call);
        fputs("</span>", f);
    }
    fputs("</summary>", f);
    print_sass(f, s, l, all);
    fputs("</details></td>", f);
    html_percent_cell(f, (double)l->cycles, all);
    html_bar_cell(f, (double)l->cycles / all);
    html_count_cell(f, l->issued);
    html_count_cell(f, l->bytes);
    html_ratio_cell(f, (double)l->passes, (double)l->groups);
    fputs("</tr>\n", f);
}

static void print_table(FILE *f, struct source *s, double all)
{
    uint32_t shown = 0;

    fputs("<div class=\"scroll box\"><table class=\"sort\" id=\"source\">"
          "<thead><tr><th class=\"n\">line<th>source, and its instructions"
          "<th class=\"n\" aria-sort=\"descending\">of time<th><th "
          "class=\"n\">issued<th class=\"n\">bytes<th class=\"n\">conflict"
          "</tr></thead><tbody>\n",
          f);
    for (; shown < s->lines && shown < LINES_MAX && s->line[shown].cycles != 0;
         shown++)
        print_line(f, s, &s->line[shown], all);
    fputs("</tbody></table></div>\n<p class=\"dim\">of time: warps' cycles "
          "before the line's instructions and at them.",
          f);
    if (shown < s->lines && s->line[shown].cycles != 0)
        fprintf(f, " The %u costliest lines.", shown);
    fputs("</p>\n", f);
}

int page_source(FILE *f, const struct page *p)
{
    const struct result *r = p->result;
    struct source s = {.b = r->by_pc};
    const double all = (double)r->replay->s->resident_warp_cycles;
    int status = EXIT_DONE;

    html_heading(f, "Source lines");
    if (!has_lines(s.b->program) || all <= 0) {
        fputs("<p class=\"dim\">The code does not say which lines it comes "
              "from: compile with -lineinfo.</p>\n",
              f);
        return EXIT_DONE;
    }
    s.order = calloc(s.b->count, sizeof *s.order);
    s.line = calloc(s.b->count, sizeof *s.line);
    if (s.order == NULL || s.line == NULL) {
        status = say_memory();
    } else {
        gather(&s);
        print_table(f, &s, all);
    }
    for (uint32_t i = 0; i < s.files; i++)
        free(s.file[i].text);
    free(s.order);
    free(s.line);
    return status;
}
