#include "tools/teg/report/page/pieces.h"

#include <inttypes.h>
#include <stdarg.h>
#include <string.h>

#include "tools/teg/cli/output.h"
#include "tools/teg/report/chart.h"

void html_heading(FILE *f, const char *text)
{
    fputs("<h2>", f);
    html_text(f, text);
    fputs("</h2>\n", f);
}

void html_text_cell(FILE *f, const char *text)
{
    fputs("<td>", f);
    html_text(f, text);
    fputs("</td>", f);
}

void html_number_cell(FILE *f, double value, const char *text)
{
    fprintf(f, "<td class=\"n\" data-v=\"%.10g\">%s</td>", value, text);
}

void html_count_cell(FILE *f, uint64_t v)
{
    char text[28];

    html_number_cell(f, (double)v, with_commas(v, text));
}

void html_percent_cell(FILE *f, double part, double whole)
{
    char text[32] = "n/a";

    if (whole > 0)
        snprintf(text, sizeof text, "%.1f %%", 100 * part / whole);
    html_number_cell(f, whole > 0 ? part / whole : -1, text);
}

void html_ratio_cell(FILE *f, double part, double whole)
{
    char text[32] = "";

    if (whole > 0)
        snprintf(text, sizeof text, "%.2f", part / whole);
    html_number_cell(f, whole > 0 ? part / whole : -1, text);
}

void html_bar_cell(FILE *f, double share)
{
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    fprintf(f,
            "<td class=\"barcell\"><span class=\"bar\" "
            "style=\"width:%.1f%%\"></span></td>",
            100 * share);
}

void html_fact(FILE *f, const char *name, const char *format, ...)
{
    char text[512];
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    fputs("<tr>", f);
    html_text_cell(f, name);
    html_text_cell(f, text);
    fputs("</tr>\n", f);
}

void html_tile(FILE *f, const char *name, const char *value, const char *remark)
{
    fputs("<div>", f);
    html_text(f, name);
    fprintf(f, "<b>%s</b><span class=\"dim\">", value);
    html_text(f, remark);
    fputs("</span></div>\n", f);
}

void html_position(FILE *f, const struct teg_program *p,
                   const struct teg_inst *inst)
{
    const char *path = teg_program_file(p, inst);

    if (*path == '\0') {
        fprintf(f, "line %" PRIu32, inst->line);
        return;
    }
    fputs("<span title=\"", f);
    html_text(f, path);
    fputs("\">", f);
    html_text(f, base_name(path));
    fprintf(f, ":%" PRIu32 "</span>", inst->line);
}

void html_position_cell(FILE *f, const struct teg_program *p,
                        const struct teg_inst *inst)
{
    if (inst->line == 0) {
        html_number_cell(f, -1, "");
        return;
    }
    fprintf(f, "<td class=\"n\" data-v=\"%" PRIu32 "\">", inst->line);
    if (*teg_program_file(p, inst) != '\0')
        html_position(f, p, inst);
    else
        fprintf(f, "%" PRIu32, inst->line);
    fputs("</td>", f);
}

static void print_finding(FILE *f, const struct finding *finding)
{
    fputs("<li><b>", f);
    html_text(f, finding->name);
    fputs("</b>: ", f);
    html_text(f, finding->text);
    fputs("<br><span class=\"dim\">", f);
    html_text(f, finding->advice);
    fputs("</span></li>\n", f);
}

enum {
    UNFOLDED = 3 /* findings that one sees at first */
};

void html_findings(FILE *f, const struct findings *findings, uint32_t most)
{
    uint32_t told = findings_told(findings), count = told < most ? told : most;

    if (count == 0) {
        fputs("<p>Nothing that was tried would help.</p>\n", f);
        return;
    }
    fputs("<p>Would help most:</p><ol>\n", f);
    for (uint32_t i = 0; i < count; i++) {
        if (i == UNFOLDED)
            fprintf(f,
                    "</ol><details><summary>%u more</summary><ol start=\"%u\">",
                    count - i, i + 1);
        print_finding(f, &findings->item[i]);
    }
    fputs(count > UNFOLDED ? "</ol></details>\n" : "</ol>\n", f);
}
