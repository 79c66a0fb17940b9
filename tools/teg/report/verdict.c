#include "tools/teg/report/verdict.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/models/peak.h"

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
    add(v, "", "dram", dram_gbs(s, gpu), gpu->dram.bandwidth_gbs);
    add(v, "", "l2", (double)s->memory.l2_sectors * TEG_SECTOR_BYTES,
        cycles * gpu->l2.bytes_per_cycle);
    add(v, "", "atomics", peak_atomic_cycles(s, gpu), cycles);
    qsort(v->share, v->share_count, sizeof v->share[0], by_share);
}

static enum teg_stall top_stall(const struct teg_statistics *s)
{
    enum teg_stall top = 0;

    for (uint32_t i = 1; i < TEG_STALLS; i++) {
        if (s->stall[i] > s->stall[top])
            top = i;
    }
    return top;
}

/* On few words it is one of them that takes the time. */
static void say_atomics(struct verdict *v, const struct teg_statistics *s)
{
    uint64_t words = s->memory.atomic_words;

    snprintf(v->text, sizeof v->text, "%s: L2 %.0f %% busy", v->bound,
             100 * v->share[0].share);
    if (words != 0 && words <= VERDICT_WORDS)
        snprintf(v->text, sizeof v->text,
                 "%s: L2 %.0f %% busy, on %" PRIu64 " word%s", v->bound,
                 100 * v->share[0].share, words, words == 1 ? "" : "s");
}

static void say_busy(struct verdict *v, const struct teg_statistics *s)
{
    const struct load_share *top = &v->share[0];

    memcpy(v->bound, top->name, sizeof v->bound);
    if (strcmp(v->bound, "atomics") == 0) {
        say_atomics(v, s);
        return;
    }
    snprintf(v->text, sizeof v->text, "%s: %.0f %% busy%s", v->bound,
             100 * top->share,
             s->active_sms < s->sms ? " on the SMs that have work" : "");
}

static void say_latency(struct verdict *v, const struct teg_statistics *s)
{
    enum teg_stall top = top_stall(s);

    snprintf(v->bound, sizeof v->bound, "latency");
    snprintf(v->text, sizeof v->text,
             "latency: %.0f %% of the warps' time is %s (%s)",
             100 * (double)s->stall[top] / (double)s->resident_warp_cycles,
             teg_stall_label(top), teg_stall_help(top));
}

void verdict_init(struct verdict *v, const struct teg_statistics *s,
                  const struct teg_gpu *gpu)
{
    *v = (struct verdict){.bound = "nothing", .text = "nothing was executed"};
    if (s->cycles == 0 || s->resident_warp_cycles == 0)
        return;
    collect_shares(v, s, gpu);
    if (v->share_count > 0 && v->share[0].share >= VERDICT_BUSY)
        say_busy(v, s);
    else
        say_latency(v, s);
}
