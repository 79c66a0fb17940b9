#include "tools/teg/report/page/sections.h"

#include <inttypes.h>

void page_kernel_facts(FILE *f, const struct page *p)
{
    const struct teg_statistics *s = p->result->replay->s;
    const struct teg_gpu *gpu = p->result->replay->gpu;
    char a[28], name[TEG_NAME_MAX];

    html_heading(f, "Kernel");
    fputs("<details><summary>the launch, its warps and what they take"
          "</summary><table>\n",
          f);
    html_fact(f, "name", "%s", teg_name_readable(s->name, NAME_FULL, name));
    if (teg_name_is_mangled(s->name))
        html_fact(f, "symbol", "%s", s->name);
    html_fact(f, "grid", "%u x %u x %u blocks", s->grid[0], s->grid[1],
              s->grid[2]);
    html_fact(f, "block", "%u x %u x %u threads", s->block[0], s->block[1],
              s->block[2]);
    if (s->registers != 0)
        html_fact(f, "registers", "%u a thread", s->registers);
    html_fact(f, "shared memory", "%s bytes a block",
              with_commas(s->shared_bytes, a));
    if (s->isa != 0)
        html_fact(f, "architecture", "sm_%u", s->isa);
    html_fact(f, "blocks", "%s", with_commas(s->blocks, a));
    html_fact(f, "warps", "%s", with_commas(s->warps, a));
    html_fact(f, "warp instructions", "%s",
              with_commas(s->warp_instructions, a));
    if (s->warp_instructions != 0)
        html_fact(f, "active lanes", "%.1f of 32",
                  (double)s->thread_instructions /
                      (double)s->warp_instructions);
    html_fact(f, "occupancy", "%u warps in %u block%s an SM, limited by %s",
              s->occupancy.warps_per_sm, s->occupancy.blocks_per_sm,
              s->occupancy.blocks_per_sm == 1 ? "" : "s",
              teg_occupancy_limit_name(s->occupancy.limit));
    if (gpu->l1.unified_bytes != 0)
        html_fact(f, "carve-out", "%.4g KB for shared memory, L1 has %.4g",
                  s->occupancy.carveout_bytes / 1024.0,
                  s->occupancy.l1_bytes / 1024.0);
    fputs("</table></details>\n", f);
}

void page_gpu_facts(FILE *f, const struct teg_gpu *gpu)
{
    html_heading(f, "GPU");
    fputs("<details><summary>", f);
    html_text(f, gpu->title);
    fprintf(f,
            ": %u values and their sources</summary>\n<div "
            "class=\"scroll\"><table class=\"sort\"><thead><tr>"
            "<th>key<th>value<th>unit<th>source</tr></thead><tbody>\n",
            gpu->fact_count);
    for (uint32_t i = 0; i < gpu->fact_count; i++) {
        fputs("<tr>", f);
        html_text_cell(f, gpu->fact[i].key);
        html_text_cell(f, gpu->fact[i].value);
        html_text_cell(f, gpu->fact[i].unit);
        html_text_cell(f, gpu->fact[i].source);
        fputs("</tr>\n", f);
    }
    fputs("</tbody></table></div></details>\n", f);
}

static void print_notes(FILE *f, const char *kind,
                        const struct teg_notes *notes)
{
    for (size_t i = 0; notes != NULL && i < notes->count; i++) {
        fputs("<li>", f);
        html_text(f, kind);
        html_text(f, notes->note[i].where);
        fputs(notes->note[i].where[0] != '\0' ? ": " : "", f);
        html_text(f, notes->note[i].what);
        if (notes->note[i].count > 1)
            fprintf(f, " (%" PRIu64 " times)", notes->note[i].count);
        fputs("</li>\n", f);
    }
}

static void print_remark(FILE *f, const char *text)
{
    fputs("<li>", f);
    html_text(f, text);
    fputs("</li>\n", f);
}

void page_remarks(FILE *f, const struct result *r)
{
    uint32_t count;
    const struct result_remark *remark = result_remarks(&count);
    char text[256];

    fputs("<ul>\n", f);
    for (uint32_t i = 0; i < count; i++) {
        if (remark[i].say(r, text, sizeof text))
            print_remark(f, text);
    }
    print_notes(f, "", &r->replay->launch.kernel->notes);
    print_notes(f, "", r->trace_notes);
    for (uint32_t i = 0; r->what_ifs != NULL && i < r->what_ifs->count; i++) {
        fputs("<li>simulated as if: ", f);
        html_text(f, r->what_ifs->item[i]);
        fputs("</li>\n", f);
    }
    fputs("</ul>\n", f);
}
