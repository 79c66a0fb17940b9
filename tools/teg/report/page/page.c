#include "tools/teg/report/page/page.h"

#include <inttypes.h>

#include "tools/teg/report/page/frame.h"
#include "tools/teg/report/page/sections.h"

static void print_foot(FILE *f, const struct page *p)
{
    char a[28], trace[TEG_NAME_MAX];

    fputs("<hr><p class=\"dim\">teg " TEG_VERSION " · trace ", f);
    html_text(f, path_title(p->trace, trace));
    fprintf(f, ", %s bytes, CRC-32 %08" PRIx32 ", kernel %u · GPU ",
            with_commas(p->trace_bytes, a), p->crc, p->result->number);
    html_text(f, p->result->replay->gpu->name);
    fputs(" · cycles are simulated, not measured</p>\n", f);
}

static void print_data(FILE *f, const struct chart chart[PAGE_CHARTS])
{
    fputs("<script type=\"application/json\" id=\"data\">{\"charts\":[\n", f);
    for (int i = 0; i < PAGE_CHARTS; i++) {
        fputs(i > 0 ? ",\n" : "", f);
        chart_json(f, &chart[i]);
    }
    fputs("]}</script>\n", f);
}

static int print_body(FILE *f, const struct page *p,
                      const struct chart chart[PAGE_CHARTS])
{
    const struct result *r = p->result;
    int status;

    page_summary(f, p);
    fputs("<div class=\"two\">\n", f);
    page_stalls(f, r->replay->s);
    page_used(f, r);
    page_memory(f, r);
    page_memory_chart(f, r);
    fputs("</div>\n", f);
    if (p->ranking != NULL)
        page_ranking(f, p->ranking);
    status = page_source(f, p);
    page_charts(f, p, chart);
    if (status == EXIT_DONE)
        status = page_instructions(f, p);
    if (p->critical != NULL)
        page_critical(f, p->critical);
    page_occupancy(f, r);
    page_roofline(f, r);
    page_models(f, r);
    page_units(f, r);
    page_kernel_facts(f, p);
    page_gpu_facts(f, r->replay->gpu);
    page_remarks(f, r);
    print_foot(f, p);
    return status;
}

int page_write(FILE *f, const struct page *p)
{
    struct chart chart[PAGE_CHARTS] = {{0}};
    char name[TEG_NAME_MAX];
    int status = page_charts_init(chart, p) ? EXIT_DONE : say_memory();

    if (status == EXIT_DONE) {
        html_frame_open(f, kernel_title(p->result->replay->s->name, name),
                        p->result->replay->gpu->name, p->style);
        status = print_body(f, p, chart);
        print_data(f, chart);
        html_frame_close(f, p->script);
    }
    for (int i = 0; i < PAGE_CHARTS; i++)
        chart_release(&chart[i]);
    return status;
}
