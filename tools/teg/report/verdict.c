#include "tools/teg/report/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/models/peak.h"
#include "tools/teg/cli/teg.h"

double dram_gbs(const struct teg_statistics *s, const struct teg_gpu *gpu)
{
    double seconds = (double)s->cycles / (gpu->chip.sm_clock_mhz * 1e6);

    return seconds > 0 ? (double)s->memory.dram_bytes / seconds * 1e-9 : 0;
}

double issue_slots(const struct teg_statistics *s, const struct teg_gpu *gpu)
{
    return (double)s->sms * gpu->sm.schedulers / gpu->sm.issue_period;
}

static void add(struct verdict *v, const char *prefix, const char *name,
                double used, double available)
{
    struct load_share *share = &v->share[v->share_count];

    if (available <= 0 || v->share_count == LOAD_SHARES_MAX)
        return;
    snprintf(share->name, sizeof share->name, "%s%s", prefix, name);
    share->share = used / available;
    v->share_count++;
}

static int by_share(const void *a, const void *b)
{
    const struct load_share *x = a, *y = b;

    return (x->share < y->share) - (x->share > y->share);
}

/* Loads and stores of shared memory take it as their unit, products of warp
 * groups with theirs.  Without such it is that unit. */
static void add_stage(struct verdict *v, const struct teg_statistics *s,
                      const struct teg_gpu *gpu, double cycles)
{
    const struct teg_timing *lds = &gpu->timing[CLASS_LDS];
    const struct teg_unit_statistics *u = &s->unit[lds->unit[0]];

    if (s->factor_parts != 0 && lds->unit_count != 0)
        add(v, "", FINDING_STAGE,
            (double)u->busy_cycles + (double)s->factor_parts / 256,
            cycles * u->instances);
}

/* Bytes between SMs and L2, those that a neighbor's copy brings along, too. */
static double port_traffic(const struct teg_statistics *s)
{
    return (double)(s->memory.l2_sectors + s->memory.l2_joined) *
           TEG_SECTOR_BYTES;
}

/* What an SM has of its own is used by the SMs that had work; the last wave's
 * idle SMs must not hide that the others were full. */
static void collect_shares(struct verdict *v, const struct teg_statistics *s,
                           const struct teg_gpu *gpu)
{
    double cycles = (double)s->cycles;
    double active = s->sms > 0 ? (double)s->active_sms / s->sms : 0;

    add(v, "", "issue", (double)s->warp_instructions,
        cycles * issue_slots(s, gpu) * active);
    for (uint32_t i = 0; i < s->unit_count; i++)
        add(v, "unit ", gpu->unit[i].name, (double)s->unit[i].busy_cycles,
            cycles * s->unit[i].instances * active);
    add_stage(v, s, gpu, cycles * active);
    add(v, "", "dram", dram_gbs(s, gpu), gpu->dram.bandwidth_gbs);
    add(v, "", "l2 port", port_traffic(s),
        cycles * gpu->memory.cluster_bytes_per_cycle * teg_gpu_clusters(gpu) *
            active);
    if (gpu->memory.store_interval > 0)
        add(v, "", "way out",
            (double)s->memory.lines_out * gpu->memory.store_interval,
            cycles * teg_gpu_clusters(gpu) * active);
    add(v, "", "l2", l2_work(s, gpu), cycles * gpu->l2.bytes_per_cycle);
    add(v, "", "atomics", peak_atomic_cycles(s, gpu), cycles);
    qsort(v->share, v->share_count, sizeof v->share[0], by_share);
}

/* On few words it is one of them that takes the time. */
static void atomics_text(double share, const struct teg_statistics *s,
                         char *out, size_t size)
{
    uint64_t words = s->memory.atomic_words;

    if (words != 0 && words <= VERDICT_WORDS)
        snprintf(out, size, "L2 %.0f %% busy, on %" PRIu64 " word%s",
                 100 * share, words, words == 1 ? "" : "s");
    else
        snprintf(out, size, "L2 %.0f %% busy", 100 * share);
}

void verdict_share_text(const struct load_share *share,
                        const struct teg_statistics *s, char *out, size_t size)
{
    if (strcmp(share->name, "atomics") == 0)
        atomics_text(share->share, s, out, size);
    else
        snprintf(out, size, "%.0f %% busy%s", 100 * share->share,
                 s->active_sms < s->sms ? " on the SMs that have work" : "");
}

static void say_first(struct verdict *v, const struct finding *f)
{
    snprintf(v->bound, sizeof v->bound, "%s",
             f->tier == TIER_WAIT ? "latency" : f->name);
    snprintf(v->text, sizeof v->text, "%s: %s", f->name, f->text);
}

int verdict_init(struct verdict *v, struct findings *f,
                 const struct evidence *e)
{
    int status;

    *v = (struct verdict){.bound = "nothing", .text = "nothing was executed"};
    f->count = 0;
    if (e->s->cycles == 0 || e->s->resident_warp_cycles == 0)
        return EXIT_DONE;
    collect_shares(v, e->s, e->gpu);
    status = findings_find(f, e, v);
    if (f->count > 0)
        say_first(v, &f->item[0]);
    else
        snprintf(v->text, sizeof v->text, "nothing that teg knows of");
    return status;
}

void compared_text(const struct teg_gpu *gpu, char *out, size_t size)
{
    snprintf(out, size, "%s%s",
             gpu->compared[0] != '\0' ? "with hardware: " : "",
             gpu->compared[0] != '\0'
                 ? gpu->compared
                 : "never with hardware: no times of programs are known");
}

int verdict_trials(const struct evidence *e, struct trials *t)
{
    struct findings *f = malloc(sizeof *f);
    struct verdict v;
    int status;

    t->count = 0;
    if (f == NULL)
        return say_memory();
    status = verdict_init(&v, f, e);
    if (status == EXIT_DONE)
        findings_trials(f, t);
    free(f);
    return status;
}
