#include "tools/teg/report/page/sections.h"

#include <math.h>

#include "sim/models/peak.h"

/* Logarithmic axes: x is warp instructions per byte of DRAM traffic, y warp
 * instructions a second.  (An instruction roofline, after Ding and Williams
 * 2019, with bytes for their transactions.) */
struct roof {
    double x0, x1, y0, y1; /* decades */
};

static double roof_x(const struct roof *r, double x)
{
    return 50 + 650 * (log10(x) - r->x0) / (r->x1 - r->x0);
}

static double roof_y(const struct roof *r, double y)
{
    return 10 + 190 * (1 - (log10(y) - r->y0) / (r->y1 - r->y0));
}

static void print_roof_axes(FILE *f, const struct roof *r)
{
    for (double d = r->x0; d <= r->x1; d++) {
        double x = roof_x(r, pow(10, d));

        fprintf(f,
                "<line class=\"grid\" x1=\"%.1f\" x2=\"%.1f\" y1=\"10\" "
                "y2=\"200\"/><text x=\"%.1f\" y=\"214\" "
                "text-anchor=\"middle\">%g</text>\n",
                x, x, x, pow(10, d));
    }
    for (double d = r->y0; d <= r->y1; d++) {
        double y = roof_y(r, pow(10, d));

        fprintf(f,
                "<line class=\"grid\" x1=\"50\" x2=\"700\" y1=\"%.1f\" "
                "y2=\"%.1f\"/><text x=\"46\" y=\"%.1f\" "
                "text-anchor=\"end\">%g</text>\n",
                y, y, y + 4, pow(10, d));
    }
}

/* A level of memory: what it may move and what the kernel had it move. */
struct level {
    const char *name;
    double gbs, bytes;
};

/* The slope of a level and, on the kernel's height, where it stands. */
static void print_level(FILE *f, const struct roof *roof, const struct level *l,
                        double peak, double instructions, double y,
                        uint32_t index)
{
    const double ridge = peak / l->gbs, low = pow(10, roof->x0);

    fprintf(f,
            "<polyline fill=\"none\" stroke=\"%s\" stroke-width=\"2\" "
            "points=\"%.1f,%.1f %.1f,%.1f\"><title>%s: %.4g GB/s</title>"
            "</polyline>",
            chart_color(index), roof_x(roof, low), roof_y(roof, low * l->gbs),
            roof_x(roof, ridge), roof_y(roof, peak), l->name, l->gbs);
    /* Where levels moved as much, one dot lies in the other. */
    if (l->bytes > 0)
        fprintf(f,
                "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%.1f\" fill=\"%s\"><title>"
                "%s: %.3g instructions a byte, %.4g x 10^9 a second</title>"
                "</circle>\n",
                roof_x(roof, instructions / l->bytes), roof_y(roof, y),
                7 - 1.5 * index, chart_color(index), l->name,
                instructions / l->bytes, y);
}

enum {
    LEVELS_MAX = 3,
    UNIFIED_FROM = 70, /* compute capability since which L1 is what shared
                          memory is in, with its width */
};

/* Below DRAM's: L2, which a description may not limit, and L1. */
static uint32_t find_levels(struct level level[LEVELS_MAX],
                            const struct teg_statistics *s,
                            const struct teg_gpu *gpu)
{
    uint32_t count = 0;

    level[count++] = (struct level){"DRAM", gpu->dram.bandwidth_gbs,
                                    (double)s->memory.dram_bytes};
    if (gpu->l2.bytes_per_cycle > 0)
        level[count++] = (struct level){
            "L2", gpu->l2.bytes_per_cycle * gpu->chip.sm_clock_mhz * 1e-3,
            (double)s->memory.l2_sectors * TEG_SECTOR_BYTES};
    if (gpu->l1.bytes > 0 && s->memory.l1_sectors > 0 &&
        gpu->chip.compute_capability >= UNIFIED_FROM)
        level[count++] =
            (struct level){"L1",
                           peak_shared_bytes(gpu) * gpu->chip.sms *
                               gpu->chip.sm_clock_mhz * 1e-3,
                           (double)s->memory.l1_sectors * TEG_SECTOR_BYTES};
    return count;
}

/* Names of the horizontal lines, at their right ends. */
struct labels {
    struct label {
        double y;
        char text[40];
    } label[4];
    uint32_t count;
};

static void add_label(struct labels *l, double y, const char *name, double rate)
{
    struct label *label = &l->label[l->count++];

    label->y = y;
    snprintf(label->text, sizeof label->text, "%s: %.4g", name, rate);
}

/* The boxes of texts of this size: what overlaps moves left. */
enum {
    LABEL_RIGHT = 696,
    LABEL_WIDTH = 100,
    LABEL_HEIGHT = 12,
    DOT = 8,
};

static bool is_taken(const struct labels *l, const double at[], uint32_t before,
                     double x, double y, double dot[][2], uint32_t dots)
{
    for (uint32_t i = 0; i < before; i++) {
        if (fabs(at[i] - x) < LABEL_WIDTH &&
            fabs(l->label[i].y - y) < LABEL_HEIGHT)
            return true;
    }
    for (uint32_t i = 0; i < dots; i++) {
        if (dot[i][0] > x - LABEL_WIDTH - DOT && dot[i][0] < x + DOT &&
            dot[i][1] > y - LABEL_HEIGHT - DOT && dot[i][1] < y + DOT)
            return true;
    }
    return false;
}

/* Above their lines, clear of each other and of the kernel's dots. */
static void print_labels(FILE *f, const struct labels *l, double dot[][2],
                         uint32_t dots)
{
    double at[sizeof l->label / sizeof *l->label];

    for (uint32_t i = 0; i < l->count; i++) {
        const struct label *label = &l->label[i];

        at[i] = LABEL_RIGHT;
        while (at[i] > 3 * LABEL_WIDTH &&
               is_taken(l, at, i, at[i], label->y, dot, dots))
            at[i] -= LABEL_WIDTH;
        fprintf(f, "<text x=\"%.0f\" y=\"%.1f\" text-anchor=\"end\">%s</text>",
                at[i], label->y - 3, label->text);
    }
}

/* Multiply-adds of each precision: what the chip takes of them a second at
 * most.  A product of the tensor cores is that of the kernel's shapes. */
static void print_ceilings(FILE *f, const struct roof *roof,
                           const struct teg_statistics *s,
                           const struct teg_gpu *gpu, double issue,
                           struct labels *labels)
{
    static const struct {
        const char *name;
        enum teg_op_class op;
    } ceilings[] = {
        {"FP32", CLASS_FMAD}, {"FP64", CLASS_DFMA}, {"tensor", CLASS_HMMA}};

    for (size_t i = 0; i < sizeof ceilings / sizeof ceilings[0]; i++) {
        double rate = peak_class_of(s, gpu, ceilings[i].op) * gpu->chip.sms *
                      gpu->chip.sm_clock_mhz * 1e-3;
        double y = rate > 0 ? roof_y(roof, rate) : -1;

        /* Where it is the issue slots' own line there is nothing to show. */
        if (!(rate > 0 && rate < 0.99 * issue) || y > 200 ||
            gpu->timing[ceilings[i].op].unit_count == 0)
            continue;
        fprintf(f,
                "<line x1=\"50\" x2=\"700\" y1=\"%.1f\" y2=\"%.1f\" "
                "stroke=\"var(--dim)\" stroke-dasharray=\"5 4\"><title>%s "
                "multiply-adds: %.4g x 10^9 warp instructions a second"
                "</title></line>\n",
                y, y, ceilings[i].name, rate);
        add_label(labels, y, ceilings[i].name, rate);
    }
}

void page_roofline(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    const struct teg_gpu *gpu = r->replay->gpu;
    double seconds = (double)s->cycles / (gpu->chip.sm_clock_mhz * 1e6);
    double peak = (double)gpu->chip.sms * gpu->sm.schedulers /
                  gpu->sm.issue_period * gpu->chip.sm_clock_mhz * 1e-3;
    double bandwidth = gpu->dram.bandwidth_gbs, x, y, ridge;
    struct level level[LEVELS_MAX];
    uint32_t levels = find_levels(level, s, gpu);
    double dot[LEVELS_MAX][2];
    struct labels labels = {0};
    uint32_t dots = 0;
    struct roof roof;

    if (s->memory.dram_bytes == 0 || bandwidth <= 0 || seconds <= 0 ||
        s->warp_instructions == 0)
        return;
    x = (double)s->warp_instructions / (double)s->memory.dram_bytes;
    y = (double)s->warp_instructions / seconds * 1e-9;
    ridge = peak / bandwidth;
    roof = (struct roof){
        floor(log10(fmin(x, ridge)) - 0.5), ceil(log10(fmax(x, ridge)) + 0.5),
        floor(log10(fmin(y, peak)) - 0.3), ceil(log10(peak) + 0.1)};
    for (uint32_t i = 1; i < levels; i++) {
        if (level[i].bytes > 0)
            roof.x0 = fmin(roof.x0, floor(log10((double)s->warp_instructions /
                                                level[i].bytes)));
    }
    html_heading(f, "Roofline");
    fputs("<figure><figcaption>10<sup>9</sup> warp instructions a second, by "
          "warp instructions per byte of traffic</figcaption>",
          f);
    for (uint32_t i = 0; i < levels; i++)
        fprintf(f,
                "<span class=\"key\"><i style=\"background:%s\"></i>%s, "
                "%.0f GB/s</span> ",
                chart_color(i), level[i].name, level[i].gbs);
    fputs("<svg viewBox=\"0 0 720 220\" id=\"roofline\">\n", f);
    print_roof_axes(f, &roof);
    fputs("<clipPath id=\"plot\"><rect x=\"50\" y=\"10\" width=\"650\" "
          "height=\"190\"/></clipPath><g clip-path=\"url(#plot)\">",
          f);
    fprintf(f,
            "<line x1=\"50\" x2=\"700\" y1=\"%.1f\" y2=\"%.1f\" "
            "stroke=\"var(--dim)\" stroke-width=\"2\"/>\n",
            roof_y(&roof, peak), roof_y(&roof, peak));
    add_label(&labels, roof_y(&roof, peak), "issue", peak);
    print_ceilings(f, &roof, s, gpu, peak, &labels);
    for (uint32_t i = 0; i < levels; i++)
        print_level(f, &roof, &level[i], peak, (double)s->warp_instructions, y,
                    i);
    for (uint32_t i = 0; i < levels; i++) {
        if (level[i].bytes <= 0)
            continue;
        dot[dots][0] =
            roof_x(&roof, (double)s->warp_instructions / level[i].bytes);
        dot[dots++][1] = roof_y(&roof, y);
    }
    fputs("</g>\n", f);
    print_labels(f, &labels, dot, dots);
    fprintf(
        f,
        "</svg><p class=\"dim\">The dots are this kernel, by bytes of DRAM, "
        "L2 and L1: %.3g instructions a byte of DRAM, %.4g x 10<sup>9"
        "</sup> a second; DRAM's roof at that point is %.4g.</p></figure>"
        "\n",
        x, y, fmin(peak, x * bandwidth));
}
