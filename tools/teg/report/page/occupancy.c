/*
 * How many warps an SM would hold with other registers, shared memory or
 * threads in a block, the others as they are; the dot is this launch.
 */
#include "tools/teg/report/page/sections.h"

enum {
    LEFT = 30,
    WIDTH = 240,
    TOP = 8,
    HEIGHT = 90
};

/* What is varied, from `step` to `most` in steps. */
struct axis {
    const char *title;
    uint32_t now, step, most;
    uint32_t *value; /* of the launch, that teg_occupancy is asked with */
};

/* Warps by resources, whatever the grid; 0 where no block fits. */
static uint32_t warps_at(const struct teg_gpu *gpu,
                         const struct teg_block_asks *shape)
{
    struct teg_occupancy o;
    struct teg_diag d;

    if (teg_occupancy(gpu, shape, &o, &d) != TEG_OK)
        return 0;
    return o.places * ((shape->threads + 31) / 32);
}

static double x_of(const struct axis *a, uint32_t v)
{
    return LEFT + (double)WIDTH * v / a->most;
}

static double y_of(const struct teg_gpu *gpu, uint32_t warps)
{
    return TOP + HEIGHT * (1 - (double)warps / gpu->sm.warps_max);
}

static void print_axis(FILE *f, const struct teg_gpu *gpu,
                       struct teg_block_asks *shape, const struct axis *a)
{
    uint32_t now;

    fprintf(f,
            "<svg viewBox=\"0 0 %d %d\" role=\"img\"><title>%s</title>"
            "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>"
            "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%d\" y2=\"%d\"/>"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%u</text>"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">0</text><polyline "
            "fill=\"none\" stroke=\"#0072b2\" stroke-width=\"1.5\" points=\"",
            LEFT + WIDTH + 10, TOP + HEIGHT + 30, a->title, LEFT, LEFT + WIDTH,
            TOP, TOP, LEFT, LEFT + WIDTH, TOP + HEIGHT, TOP + HEIGHT, LEFT - 4,
            TOP + 4, gpu->sm.warps_max, LEFT - 4, TOP + HEIGHT);
    for (uint32_t v = a->step; v <= a->most; v += a->step) {
        *a->value = v;
        fprintf(f, "%.1f,%.1f ", x_of(a, v), y_of(gpu, warps_at(gpu, shape)));
    }
    *a->value = a->now;
    now = warps_at(gpu, shape);
    fprintf(f,
            "\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"4\" fill=\"#d55e00\">"
            "<title>%u: %u warps</title></circle><text x=\"%d\" y=\"%d\">0"
            "</text><text x=\"%d\" y=\"%d\" text-anchor=\"end\">%u</text>"
            "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">%s: %u</text>"
            "</svg>\n",
            x_of(a, a->now), y_of(gpu, now), a->now, now, LEFT,
            TOP + HEIGHT + 12, LEFT + WIDTH, TOP + HEIGHT + 12, a->most,
            LEFT + WIDTH / 2, TOP + HEIGHT + 25, a->title, a->now);
}

void page_occupancy(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    const struct teg_gpu *gpu = r->replay->gpu;
    struct teg_block_asks shape = teg_statistics_asks(s);
    const uint32_t shared_most = s->shared_bytes > gpu->sm.shared_bytes
                                     ? s->shared_bytes
                                     : gpu->sm.shared_bytes;
    const struct axis axes[] = {
        {"registers a thread", shape.registers, 1, 255, &shape.registers},
        {"bytes of shared memory a block", shape.shared_bytes, 1024,
         shared_most, &shape.shared_bytes},
        {"threads a block", shape.threads, 32, 1024, &shape.threads}};

    if (warps_at(gpu, &shape) == 0)
        return;
    html_heading(f, "Occupancy");
    fputs("<figure><figcaption>Warps that fit an SM, with other registers, "
          "shared memory or blocks; the dot is this launch</figcaption><div "
          "class=\"three\" id=\"occupancy\">\n",
          f);
    for (size_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
        if (axes[i].most != 0 && (axes[i].now != 0 || i == 1))
            print_axis(f, gpu, &shape, &axes[i]);
    }
    fputs("</div></figure>\n", f);
}
