#include "sim/sample/cluster.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "sim/sample/scale.h"

/* Of the instructions, that a total may come and go by. */
static const double floor_share = 1.0 / 400;

/* ---- the comparison -------------------------------------------------------- */

/* How far apart the parts are: all of `m` lie between `least` and `most` times
 * those of `r`; least <= 1 <= most. */
struct spread {
    double least, most;
};

static void widen(struct spread *s, double m, double r)
{
    double ratio = r > 0 ? m / r : m > 0 ? HUGE_VAL : 1;

    s->least = ratio < s->least ? ratio : s->least;
    s->most = ratio > s->most ? ratio : s->most;
}

static double waves(uint64_t blocks, uint64_t places)
{
    return (double)((blocks + places - 1) / places);
}

/* Of the grid on a chip; a block that fits no SM is the simulation's fault to
 * find. */
static void widen_by_grid(struct spread *s, const struct teg_portrait *r,
                          const struct teg_portrait *m,
                          const struct teg_gpu *gpu)
{
    struct teg_occupancy o;
    uint64_t places;

    if (gpu->chip.sms == 0 || teg_occupancy(gpu, &r->asks, &o, NULL) != TEG_OK)
        return;
    places = (uint64_t)gpu->chip.sms * o.blocks_per_sm;
    widen(s, waves(m->blocks, gpu->chip.sms), waves(r->blocks, gpu->chip.sms));
    widen(s, waves(m->blocks, places), waves(r->blocks, places));
}

static void compare_parts(const struct teg_portrait *r,
                          const struct teg_portrait *m,
                          const struct teg_cluster_options *o, struct spread *s)
{
    double few = floor_share * r->part[PORTRAIT_INSTRUCTIONS];

    *s = (struct spread){1, 1};
    for (uint32_t i = 0; i < PORTRAIT_PARTS; i++) {
        double floor = teg_portrait_kind(i) == PORTRAIT_TOTAL ? few : 0;

        widen(s, m->part[i] + floor, r->part[i] + floor);
    }
    for (uint32_t i = 0; m->blocks != r->blocks && i < o->gpus; i++)
        widen_by_grid(s, r, m, o->gpu[i]);
}

/* What no part shows, of the cycles: where in memory the launch is. */
static double slack(const struct teg_portrait *p)
{
    double moved = p->part[PORTRAIT_SECTORS];
    double useful = p->part[PORTRAIT_USEFUL_SECTORS];
    double scattered = moved > useful ? 1 - useful / moved : 0;
    double longest = p->part[PORTRAIT_LONGEST_WARP];
    double lonely =
        longest > 0 ? 1 - p->part[PORTRAIT_USUAL_WARP] / longest : 0;

    return TEG_CLUSTER_SLACK + TEG_CLUSTER_SCATTERED * scattered +
           TEG_CLUSTER_LONELY * lonely;
}

int teg_cluster_compare(const struct teg_portrait *r,
                        const struct teg_portrait *m,
                        const struct teg_cluster_options *options,
                        struct teg_represented *out)
{
    struct spread s;

    *out = (struct teg_represented){.similarity = 1, .scale = 1};
    if (r->digest == m->digest) {
        out->identical = 1;
        return 1;
    }
    if (r->kernel != m->kernel ||
        (options->same_blocks && r->blocks != m->blocks))
        return 0;
    compare_parts(r, m, options, &s);
    out->similarity = s.least < 1 / s.most ? s.least : 1 / s.most;
    out->scale = s.least > 0 ? sqrt(s.least * s.most) : 0;
    out->error_bound =
        s.least > 0 ? sqrt(s.most / s.least) - 1 + slack(r) : HUGE_VAL;
    return 1;
}

/* ---- clusters -------------------------------------------------------------- */

/* The instructions alone say that most pairs are too far apart. */
static int may_be_alike(const struct teg_portrait *r,
                        const struct teg_portrait *m, double error_most)
{
    double x = r->part[PORTRAIT_INSTRUCTIONS];
    double y = m->part[PORTRAIT_INSTRUCTIONS];

    return r->digest == m->digest ||
           (error_most > TEG_CLUSTER_SLACK && r->kernel == m->kernel &&
            x <= 4 * y && y <= 4 * x);
}

static void find_leader(const struct teg_portrait *const *portrait, uint32_t i,
                        const struct teg_cluster_options *options,
                        struct teg_represented *out)
{
    out[i] = (struct teg_represented){
        .by = i, .similarity = 1, .scale = 1, .members = 1};
    for (uint32_t k = 0; portrait[i] != NULL && k < i; k++) {
        struct teg_represented r;

        if (out[k].by != k || portrait[k] == NULL ||
            !may_be_alike(portrait[k], portrait[i], options->error_most) ||
            !teg_cluster_compare(portrait[k], portrait[i], options, &r) ||
            r.error_bound > options->error_most ||
            (out[i].by != i && r.error_bound >= out[i].error_bound))
            continue;
        out[i] = r;
        out[i].by = k;
        if (r.identical)
            break;
    }
}

void teg_clusters_find(const struct teg_portrait *const *portrait,
                       uint32_t count,
                       const struct teg_cluster_options *options,
                       struct teg_represented *out)
{
    for (uint32_t i = 0; i < count; i++) {
        find_leader(portrait, i, options, out);
        if (out[i].by != i)
            out[out[i].by].members++;
    }
    for (uint32_t i = 0; i < count; i++)
        out[i].members = out[out[i].by].members;
}

/* ---- what is said of a represented launch ---------------------------------- */

void teg_cluster_statistics(const struct teg_statistics *of,
                            const struct teg_represented *r,
                            const struct teg_portrait *portrait,
                            const struct teg_kernel *kernel,
                            struct teg_statistics *s)
{
    *s = *of;
    snprintf(s->name, sizeof s->name, "%s", kernel->name);
    memcpy(s->grid, kernel->grid, sizeof s->grid);
    if (r->identical)
        return;
    sample_scale(s,
                 portrait->part[PORTRAIT_INSTRUCTIONS] /
                     (double)of->warp_instructions,
                 (uint64_t)portrait->part[PORTRAIT_INSTRUCTIONS]);
    s->cycles = (uint64_t)((double)of->cycles * r->scale + 0.5);
    s->blocks = portrait->blocks;
    s->warps = portrait->warps;
    s->thread_instructions = portrait->thread_instructions;
    for (uint32_t i = 0; i < TEG_CLASSES; i++)
        s->class_[i].issued = (uint64_t)portrait->part[PORTRAIT_CLASSES + i];
}
