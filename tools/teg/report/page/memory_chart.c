/*
 * Who gives what to whom: warps, the SM's memories, L2, DRAM.  A box has its
 * hits, a link its bytes and, where the description limits it, the share of
 * that which was used; the thicker the more.
 */
#include "tools/teg/report/page/sections.h"

enum {
    BOX_WIDTH = 130,
    BOX_HEIGHT = 44
};

static void print_box(FILE *f, double x, double y, const char *name,
                      const char *what)
{
    fprintf(f,
            "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" rx=\"3\" "
            "fill=\"var(--box)\" stroke=\"var(--line)\"/><text class=\"name\" "
            "x=\"%.0f\" y=\"%.0f\">%s</text><text x=\"%.0f\" y=\"%.0f\">%s"
            "</text>\n",
            x, y, BOX_WIDTH, BOX_HEIGHT, x + 8, y + 17, name, x + 8, y + 34,
            what);
}

/* "3.54 MB" */
static const char *bytes_text(double bytes, char out[24])
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    uint32_t i = 0;

    while (bytes >= 1000 && i + 1 < sizeof units / sizeof units[0]) {
        bytes /= 1000;
        i++;
    }
    snprintf(out, 24, "%.3g %s", bytes, units[i]);
    return out;
}

/* From one box's right to the next one's left; `used` < 0: nobody limits. */
static void print_link(FILE *f, double x0, double y0, double x1, double y1,
                       const char *text, double used)
{
    const double share = used < 0 ? 0 : used > 1 ? 1 : used;
    /* Beside a slope, above a level. */
    const double dx = y1 < y0 || y1 > y0 ? -26 : 0;
    const double dy = y1 < y0 ? -14 : y1 > y0 ? 24 : -8;

    fprintf(f,
            "<line x1=\"%.0f\" y1=\"%.0f\" x2=\"%.0f\" y2=\"%.0f\" "
            "stroke=\"%s\" stroke-width=\"%.1f\"/><text x=\"%.0f\" "
            "y=\"%.0f\" text-anchor=\"middle\">%s</text>",
            x0, y0, x1, y1, share > 0.6 ? "#d55e00" : "var(--accent)",
            1 + 7 * share, (x0 + x1) / 2 + dx, (y0 + y1) / 2 + dy, text);
    if (used >= 0)
        fprintf(f,
                "<text x=\"%.0f\" y=\"%.0f\" text-anchor=\"middle\">%.1f %%"
                "</text>",
                (x0 + x1) / 2, (y0 + y1) / 2 + 16, 100 * used);
    fputc('\n', f);
}

static const char *hits_text(uint64_t hits, uint64_t looked_up, char out[40])
{
    if (looked_up == 0)
        snprintf(out, 40, "not used");
    else
        snprintf(out, 40, "%.1f %% hits",
                 100 * (double)hits / (double)looked_up);
    return out;
}

void page_memory_chart(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    const struct teg_memory_statistics *m = &s->memory;
    const struct teg_gpu *gpu = r->replay->gpu;
    const double l2 = (double)m->l2_sectors * TEG_SECTOR_BYTES;
    char text[40], bytes[24], a[28];

    if (m->global_requests + m->shared_requests + m->constant_lookups == 0)
        return;
    fputs("<div>", f);
    html_heading(f, "Memory chart");
    fputs("<figure><figcaption>Bytes between the memories; percent are of the "
          "bandwidth there</figcaption><svg viewBox=\"0 0 800 190\" "
          "id=\"memory\">\n",
          f);
    snprintf(text, sizeof text, "%s instructions",
             with_commas(s->warp_instructions, a));
    print_box(f, 4, 73, "warps", text);
    snprintf(text, sizeof text, "conflict degree %.2f",
             m->shared_groups != 0
                 ? (double)m->shared_passes / (double)m->shared_groups
                 : 1.0);
    print_box(f, 234, 8, "shared memory",
              m->shared_requests != 0 ? text : "not used");
    print_box(f, 234, 73, "L1",
              gpu->l1.bytes != 0 ? hits_text(m->l1_hits, m->l1_sectors, text)
                                 : "none");
    print_box(f, 234, 138, "constant cache",
              hits_text(m->constant_l1_hits + m->constant_l15_hits,
                        m->constant_lookups, text));
    print_box(f, 450, 73, "L2",
              gpu->l2.bytes != 0 ? hits_text(m->l2_hits, m->l2_sectors, text)
                                 : "none");
    snprintf(text, sizeof text, "%.4g GB/s", dram_gbs(s, gpu));
    print_box(f, 666, 73, "DRAM", text);

    snprintf(text, sizeof text, "%s requests",
             with_commas(m->shared_requests, a));
    print_link(f, 134, 88, 234, 30, m->shared_requests != 0 ? text : "", -1);
    print_link(f, 134, 95, 234, 95, bytes_text((double)m->bytes, bytes), -1);
    snprintf(text, sizeof text, "%s lookups",
             with_commas(m->constant_lookups, a));
    print_link(f, 134, 102, 234, 160, m->constant_lookups != 0 ? text : "", -1);
    print_link(f, 364, 95, 450, 95, bytes_text(l2, bytes),
               gpu->l2.bytes_per_cycle > 0 && s->cycles > 0
                   ? l2 / ((double)s->cycles * gpu->l2.bytes_per_cycle)
                   : -1);
    print_link(f, 580, 95, 666, 95, bytes_text((double)m->dram_bytes, bytes),
               gpu->dram.bandwidth_gbs > 0
                   ? dram_gbs(s, gpu) / gpu->dram.bandwidth_gbs
                   : -1);
    fputs("</svg></figure></div>\n", f);
}
