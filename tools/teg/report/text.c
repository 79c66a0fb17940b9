/*
 * The text report: one screen of 80 columns.
 *
 *     matmul on v100
 *       Tesla V100 SXM2 (GV100), 80 SMs, 1380 MHz
 *       grid 64x64x1, block 16x16x1, 32 registers, 2,048 bytes shared, sm_70
 *       4,096 blocks, 32,768 warps, 2,345,678 warp instructions
 *
 *       cycles        123,456  = 89.46 us
 *       ipc             19.00  of 320 issue slots a cycle (5.9 %)
 *       occupancy          64  warps per SM in 8 blocks, limited by registers
 *       bound by   latency: 45 % of the warps' time is long_scoreboard ...
 *
 *       unit                issued   active  mean load  peak load
 *       fp32             1,234,567   45.2 %       12.3         34
 *
 *       warp cycles                          share
 *       issued           1,234,567           12.0 %
 *       long_scoreboard  1,234,567           45.2 %
 *
 *       memory    global  1,234 requests, 4.00 transactions each, 12.3 MB
 *       ...
 *       model           cycles     ratio  limiter
 *       mwp-cwp        120,000      0.97  memory bandwidth
 */
#include "tools/teg/report/report.h"

#include "tools/teg/cli/color.h"
#include "tools/teg/report/instructions.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum {
    TOP_STALLS = 6,
    TOP_GAINS = 3,
    NAME_WIDTH = 64 /* of 80 columns; JSON has all of a long name */
};

static const char *bytes_text(double bytes, char out[24])
{
    static const char *const names[] = {"B", "kB", "MB", "GB", "TB"};
    size_t i = 0;

    for (; bytes >= 999.5 && i < 4; i++)
        bytes /= 1000;
    snprintf(out, 24, i == 0 ? "%.0f %s" : "%.3g %s", bytes, names[i]);
    return out;
}

/* "n/a" where `whole` is 0: not modelled is never 0. */
static const char *ratio_text(double part, double whole, char out[24])
{
    if (whole > 0)
        snprintf(out, 24, "%.2f", part / whole);
    else
        snprintf(out, 24, "n/a");
    return out;
}

static const char *percent_text(uint64_t part, uint64_t whole, char out[24])
{
    if (whole > 0)
        snprintf(out, 24, "%.1f %%", 100 * (double)part / (double)whole);
    else
        snprintf(out, 24, "n/a");
    return out;
}

static void print_what_ifs(FILE *f, const struct opt_list *list)
{
    for (uint32_t i = 0; list != NULL && i < list->count; i++)
        fprintf(f, "  what if    %s\n", list->item[i]);
}

static void print_name(FILE *f, const struct teg_statistics *s)
{
    char name[TEG_NAME_MAX];

    fprintf(f, "%s%s%s", tint(f, TINT_STRONG),
            kernel_title_in(s->name, NAME_WIDTH, name), tint(f, TINT_OFF));
}

/* What is about the first finding, where the list does not say it. */
static void print_cure(FILE *f, const struct result *r)
{
    if (r->findings->count == 0 || r->ranking != NULL)
        return;
    fputs("  to change  ", f);
    print_wrapped(f, r->findings->item[0].advice, 13, 13);
    fputs("             --why says where, and what it gains\n", f);
}

/* How far the chip's times were from measured ones. */
static void print_compared(FILE *f, const struct teg_gpu *gpu)
{
    char text[sizeof gpu->compared + 64];

    compared_text(gpu, text, sizeof text);
    fprintf(f, "%s  compared   ", tint(f, TINT_DIM));
    print_wrapped(f, text, 13, 13);
    fputs(tint(f, TINT_OFF), f);
}

/* The head of a table. */
static void print_head(FILE *f, const char *format, ...) TEG_PRINTF(2, 3);

static void print_head(FILE *f, const char *format, ...)
{
    va_list arguments;

    fprintf(f, "\n%s", tint(f, TINT_STRONG));
    va_start(arguments, format);
    vfprintf(f, format, arguments);
    va_end(arguments);
    fprintf(f, "%s\n", tint(f, TINT_OFF));
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

void text_head(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    const struct teg_gpu *gpu = r->replay->gpu;
    char a[28], b[28], c[28];

    print_name(f, s);
    fprintf(f, " on %s\n  %s, %u SMs, %.0f MHz\n", gpu->name, gpu->title,
            gpu->chip.sms, gpu->chip.sm_clock_mhz);
    fprintf(f, "  grid %ux%ux%u, block %ux%ux%u, ", s->grid[0], s->grid[1],
            s->grid[2], s->block[0], s->block[1], s->block[2]);
    if (s->registers != 0)
        fprintf(f, "%u registers, ", s->registers);
    fprintf(f, "%s bytes shared", with_commas(s->shared_bytes, a));
    if (s->isa != 0)
        fprintf(f, ", sm_%u", s->isa);
    fprintf(f, "\n  %s block%s, %s warp%s, %s warp instructions\n",
            with_commas(s->blocks, a), plural(s->blocks),
            with_commas(s->warps, b), plural(s->warps),
            with_commas(s->warp_instructions, c));
    if (replay_launches(r->replay) > 1)
        fprintf(f, "  launched %s times; what follows is of one\n",
                with_commas(replay_launches(r->replay), a));
    print_what_ifs(f, r->what_ifs);
}

static void print_represented(FILE *f, const struct replay_represented *r)
{
    if (!r->used)
        return;
    fprintf(f, "\n  %sREPRESENTED%s by kernel %u", tint(f, TINT_NOTICE),
            tint(f, TINT_OFF), r->kernel);
    if (r->identical)
        fputs(", which is the same to the instruction; cycles are exact.\n", f);
    else
        fprintf(f,
                ", which is like it to %.1f %%: cycles to within\n"
                "  %.1f %%. --exact simulates every kernel.\n",
                100 * r->similarity, 100 * r->error_bound);
}

static void print_sampled(FILE *f, const struct teg_sample *s)
{
    char a[28], b[28];

    if (!s->used)
        return;
    fprintf(f,
            "\n  %sSAMPLED%s: %s of %s blocks (%.1f %% of the instructions) "
            "were simulated, as\n  %u waves on %u SMs; what follows stands for "
            "the whole launch, cycles to\n  within %.1f %%. --exact simulates "
            "all of it.\n",
            tint(f, TINT_NOTICE), tint(f, TINT_OFF),
            with_commas(s->blocks_simulated, a), with_commas(s->blocks, b),
            100 * (double)s->instructions_simulated / (double)s->instructions,
            s->waves_simulated, s->sms_simulated, 100 * s->error_bound);
}

static void print_time(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    const struct teg_gpu *gpu = r->replay->gpu;
    double ipc =
        s->cycles > 0 ? (double)s->warp_instructions / (double)s->cycles : 0;
    double slots = issue_slots(s, gpu);
    char text[28];

    if (r->replay->incomplete)
        fprintf(f,
                "\n  %sINCOMPLETE%s: interrupted; what follows is the part "
                "that was simulated\n",
                tint(f, TINT_BAD), tint(f, TINT_OFF));
    print_sampled(f, &r->replay->sample);
    print_represented(f, &r->replay->represented);
    fprintf(f, "\n  cycles     %s%14s%s  = %.4g us\n", tint(f, TINT_STRONG),
            with_commas(s->cycles, text), tint(f, TINT_OFF),
            (double)s->cycles / gpu->chip.sm_clock_mhz);
    if (r->replay->measured_by != TEG_MEASURED_BY_NOBODY)
        fprintf(f,
                "  as measured %13.4g  us, %.4g of it the start of a launch\n",
                replay_as_measured_us(r->replay), r->replay->start_us);
    fprintf(f, "  ipc        %14.2f  of %.0f issue slots a cycle (%.1f %%)\n",
            ipc, slots, slots > 0 ? 100 * ipc / slots : 0);
    fprintf(f,
            "  occupancy  %14u  of %u warps per SM, %u block%s, limited by "
            "%s\n",
            s->occupancy.warps_per_sm, gpu->sm.warps_max,
            s->occupancy.blocks_per_sm, plural(s->occupancy.blocks_per_sm),
            teg_occupancy_limit_name(s->occupancy.limit));
    if (gpu->l1.unified_bytes != 0)
        fprintf(f,
                "  carve-out  %14.4g  KB of %.4g for shared memory, L1 has "
                "%.4g\n",
                s->occupancy.carveout_bytes / 1024.0,
                gpu->l1.unified_bytes / 1024.0, s->occupancy.l1_bytes / 1024.0);
    if (s->active_sms < gpu->chip.sms)
        fprintf(f, "  SMs        %14u  of %u had work\n", s->active_sms,
                gpu->chip.sms);
    fprintf(f, "  bound by   %s", tint(f, TINT_NOTICE));
    print_wrapped(f, r->verdict.text, 13, 13);
    fputs(tint(f, TINT_OFF), f);
    print_cure(f, r);
    print_compared(f, gpu);
}

static void print_units(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    char count[28], share[24];

    print_head(f, "  %-18s %16s %9s %10s %10s", "unit", "issued", "active",
               "mean load", "peak load");
    for (uint32_t i = 0; i < s->unit_count; i++) {
        const struct teg_unit_statistics *u = &s->unit[i];

        if (u->issued == 0)
            continue;
        fprintf(f, "  %-18s %16s %9s %10.2f %10u\n",
                r->replay->gpu->unit[i].name, with_commas(u->issued, count),
                percent_text(u->busy_cycles, s->cycles * u->instances, share),
                (double)u->load_cycles / (double)(s->cycles * s->sms),
                u->peak_load);
    }
}

struct stall_row {
    const char *label;
    uint64_t cycles;
};

static int by_cycles(const void *a, const void *b)
{
    const struct stall_row *x = a, *y = b;

    return (x->cycles < y->cycles) - (x->cycles > y->cycles);
}

static void print_stall(FILE *f, const char *label, uint64_t cycles,
                        uint64_t whole)
{
    char count[28], share[24];

    fprintf(f, "  %-18s %16s %9s\n", label, with_commas(cycles, count),
            percent_text(cycles, whole, share));
}

static void print_stalls(FILE *f, const struct teg_statistics *s)
{
    struct stall_row row[TEG_STALLS];
    uint64_t issued = s->resident_warp_cycles, others = 0;

    for (uint32_t i = 0; i < TEG_STALLS; i++) {
        row[i] = (struct stall_row){teg_stall_label(i), s->stall[i]};
        issued -= s->stall[i];
    }
    qsort(row, TEG_STALLS, sizeof row[0], by_cycles);
    print_head(f, "  %-18s %16s %9s", "warps' time", "warp cycles", "share");
    print_stall(f, "issued", issued, s->resident_warp_cycles);
    for (uint32_t i = 0; i < TEG_STALLS; i++) {
        if (i >= TOP_STALLS)
            others += row[i].cycles;
        else if (row[i].cycles > 0)
            print_stall(f, row[i].label, row[i].cycles,
                        s->resident_warp_cycles);
    }
    if (others > 0)
        print_stall(f, "other reasons", others, s->resident_warp_cycles);
}

static void print_cache(FILE *f, const char *name, uint32_t bytes,
                        uint64_t hits, uint64_t sectors)
{
    char share[24];

    if (bytes == 0)
        fprintf(f, "    %-8s n/a\n", name);
    else if (sectors == 0)
        fprintf(f, "    %-8s not used\n", name);
    else
        fprintf(f, "    %-8s %s hits\n", name,
                percent_text(hits, sectors, share));
}

static void print_shared(FILE *f, const struct teg_memory_statistics *m)
{
    char count[28], degree[24], conflicts[28];

    if (m->shared_requests > 0)
        fprintf(f, "    %-8s %s requests, conflict degree %s\n", "shared",
                with_commas(m->shared_requests, count),
                ratio_text((double)m->shared_passes, (double)m->shared_groups,
                           degree));
    if (m->shared_atomics > 0)
        fprintf(f,
                "    %-8s %s atomics, %s passes each, %s lanes wait for "
                "another\n",
                "", with_commas(m->shared_atomics, count),
                ratio_text((double)m->shared_atomic_passes,
                           (double)m->shared_atomics, degree),
                with_commas(m->shared_atomic_conflicts, conflicts));
}

static void print_remote(FILE *f, const struct teg_memory_statistics *m)
{
    char count[28], bytes[24];

    if (m->remote_requests > 0)
        fprintf(f,
                "    %-8s %s requests to other blocks of the cluster, %s "
                "between SMs\n",
                "", with_commas(m->remote_requests, count),
                bytes_text((double)m->remote_bytes, bytes));
}

static void print_constant(FILE *f, const struct teg_memory_statistics *m)
{
    char count[28], each[24], hits[28], l15[28];

    if (m->constant_requests > 0)
        fprintf(f, "    %-8s %s requests, %s addresses each\n", "constant",
                with_commas(m->constant_requests, count),
                ratio_text((double)m->constant_addresses,
                           (double)m->constant_requests, each));
    if (m->constant_lookups > 0)
        fprintf(f, "    %-8s %s lines looked up, %s in L1, %s in L1.5\n",
                m->constant_requests > 0 ? "" : "constant",
                with_commas(m->constant_lookups, count),
                with_commas(m->constant_l1_hits, hits),
                with_commas(m->constant_l15_hits, l15));
}

static void print_global(FILE *f, const struct teg_memory_statistics *m)
{
    char count[28], each[24], bytes[24], useful[24];

    fprintf(
        f, "    %-8s %s requests, %s transactions each\n", "global",
        with_commas(m->global_requests, count),
        ratio_text((double)m->transactions, (double)m->global_requests, each));
    fprintf(f, "    %-8s %s moved, %s of it asked for\n", "",
            bytes_text((double)m->bytes, bytes),
            percent_text(m->useful_bytes, m->bytes, useful));
}

static void print_textures(FILE *f, const struct teg_memory_statistics *m)
{
    char count[28], sectors[28], share[24];

    if (m->texture_requests == 0)
        return;
    fprintf(f, "    %-8s %s of them, %s sectors looked up, %s hits\n",
            "textures", with_commas(m->texture_requests, count),
            with_commas(m->texture_sectors, sectors),
            percent_text(m->texture_hits, m->texture_sectors, share));
}

static void print_atomics(FILE *f, const struct teg_memory_statistics *m)
{
    char lanes[28], conflicts[28], words[28], most[28];

    if (m->global_atomics == 0)
        return;
    fprintf(f, "    %-8s %s lanes, %s wait for another of their warp\n",
            "atomics", with_commas(m->atomic_lanes, lanes),
            with_commas(m->atomic_conflicts, conflicts));
    if (m->atomic_words > VERDICT_WORDS)
        fprintf(f, "    %-8s at least %s words\n", "",
                with_commas(m->atomic_words, words));
    else if (m->atomic_words != 0)
        fprintf(f, "    %-8s %s word%s, %s of the lanes at one\n", "",
                with_commas(m->atomic_words, words),
                m->atomic_words == 1 ? "" : "s",
                with_commas(m->atomic_word_most, most));
}

static void print_dram(FILE *f, const struct teg_statistics *s,
                       const struct teg_gpu *gpu)
{
    double gbs = dram_gbs(s, gpu);
    char bytes[24], skew[24];

    fprintf(f, "    %-8s %s, %.4g GB/s", "DRAM",
            bytes_text((double)s->memory.dram_bytes, bytes), gbs);
    if (gpu->dram.bandwidth_gbs > 0)
        fprintf(f, " of %.4g (%.1f %%)", gpu->dram.bandwidth_gbs,
                100 * gbs / gpu->dram.bandwidth_gbs);
    fprintf(f, ", channel skew %s\n",
            ratio_text((double)s->channel_bytes_max * s->channels,
                       (double)s->channel_bytes_sum, skew));
}

static void print_memory(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    const struct teg_memory_statistics *m = &s->memory;
    const struct teg_gpu *gpu = r->replay->gpu;

    if (m->global_requests + m->shared_requests + m->constant_requests +
            m->constant_lookups ==
        0)
        return;
    print_head(f, "  memory");
    print_shared(f, m);
    print_remote(f, m);
    print_constant(f, m);
    if (m->global_requests == 0)
        return;
    print_global(f, m);
    print_textures(f, m);
    print_atomics(f, m);
    print_cache(f, "L1", gpu->l1.bytes, m->l1_hits, m->l1_sectors);
    print_cache(f, "L2", gpu->l2.bytes, m->l2_hits, m->l2_sectors);
    print_dram(f, s, gpu);
}

static void print_models(FILE *f, const struct result *r)
{
    char cycles[28], ratio[24];

    if (r->estimate_count > 0)
        print_head(f, "  %-18s %16s %9s  %s", "model", "cycles", "ratio",
                   "limited by");
    for (uint32_t i = 0; i < r->estimate_count; i++) {
        const struct teg_estimate *e = &r->estimate[i];

        if (!e->applicable || isnan(e->cycles))
            fprintf(f, "  %-18s %16s %9s  ", e->model, "n/a", "");
        else
            fprintf(f, "  %-18s %16s %9s  ", e->model,
                    with_commas((uint64_t)(e->cycles + 0.5), cycles),
                    ratio_text(e->cycles, (double)r->replay->s->cycles, ratio));
        print_wrapped(f, e->applicable ? e->limiter : e->why, 49, 49);
    }
}

static void print_finding(FILE *f, const struct finding *finding,
                          uint32_t number)
{
    char gain[24] = "";

    if (finding->speedup > 0)
        snprintf(gain, sizeof gain, "%s%.2fx", finding->at_most ? "~" : "",
                 finding->speedup);
    fprintf(f, "  %" PRIu32 " %-22s %22s %s%9s%s\n    ", number, finding->name,
            finding->what_if, tint(f, TINT_GOOD), gain, tint(f, TINT_OFF));
    print_wrapped(f, finding->text, 4, 4);
    fprintf(f, "    %s", tint(f, TINT_DIM));
    print_wrapped(f, finding->advice, 4, 4);
    fputs(tint(f, TINT_OFF), f);
}

/* What is under SAMPLED already goes for what-ifs, too. */
static void print_ranking_note(FILE *f, const struct result *r)
{
    const struct whatif *w = r->ranking;

    if (w->incomplete)
        fprintf(f, "    interrupted after %u of %u replays\n", w->done,
                w->count);
    if (w->error_bound > 0 && !r->replay->sample.used)
        fprintf(
            f,
            "    what-ifs were simulated in part, cycles to within %.1f %%; "
            "--exact: in full\n",
            100 * w->error_bound);
}

static void print_findings(FILE *f, const struct result *r)
{
    uint32_t count = findings_told(r->findings);

    print_head(f, "  %-24s %22s %9s", "what to change", "what if", "speedup");
    for (uint32_t i = 0; i < count; i++)
        print_finding(f, &r->findings->item[i], i + 1);
    print_ranking_note(f, r);
}

/* Who wants all of them asks `teg whatif`. */
static void print_ranking(FILE *f, const struct result *r)
{
    const struct whatif *w = r->ranking;
    const struct toggle *best[TOP_GAINS];
    uint32_t count = whatif_best(w, TOP_GAINS, best);
    char cycles[28];

    print_head(f, "  %-18s %16s %9s", "would help most", "cycles", "speedup");
    for (uint32_t i = 0; i < count; i++)
        fprintf(f, "  %-18s %16s %s%8.2fx%s\n", best[i]->name,
                with_commas(best[i]->cycles, cycles), tint(f, TINT_GOOD),
                (double)w->baseline_cycles / (double)best[i]->cycles,
                tint(f, TINT_OFF));
    if (!w->incomplete && count == 0)
        fputs("  nothing that teg knows of gains a cycle\n", f);
    print_ranking_note(f, r);
}

static void print_note_list(FILE *f, const struct teg_notes *notes)
{
    for (size_t i = 0; notes != NULL && i < notes->count; i++) {
        const struct teg_note *n = &notes->note[i];

        fprintf(f, "  %snote: %s%s%s", tint(f, TINT_DIM), n->where,
                n->where[0] != '\0' ? ": " : "", n->what);
        if (n->count > 1)
            fprintf(f, " (%" PRIu64 " times)", n->count);
        fprintf(f, "%s\n", tint(f, TINT_OFF));
    }
}

static void print_notice(FILE *f, const char *text)
{
    fprintf(f, "  %snote: ", tint(f, TINT_NOTICE));
    print_wrapped(f, text, 8, 8);
    fputs(tint(f, TINT_OFF), f);
}

static void print_notes(FILE *f, const struct result *r)
{
    const struct teg_notes *own = &r->replay->launch.kernel->notes;
    uint32_t count;
    const struct result_remark *remark = result_remarks(&count);
    bool begun =
        own->count > 0 || (r->trace_notes != NULL && r->trace_notes->count > 0);
    char text[256];

    if (begun)
        fputc('\n', f);
    for (uint32_t i = 0; i < count; i++) {
        if (!remark[i].say(r, text, sizeof text))
            continue;
        if (!begun)
            fputc('\n', f);
        begun = true;
        print_notice(f, text);
    }
    print_note_list(f, own);
    print_note_list(f, r->trace_notes);
}

int text_result(FILE *f, const struct result *r)
{
    const struct teg_statistics *s = r->replay->s;
    int status = EXIT_DONE;

    text_head(f, r);
    print_time(f, r);
    if (s->cycles > 0) {
        print_units(f, r);
        print_stalls(f, s);
        print_memory(f, r);
        if (r->modeled)
            print_models(f, r);
    }
    if (r->ranking != NULL)
        print_findings(f, r);
    if (r->ranked && r->ranking != NULL)
        print_ranking(f, r);
    if (r->by_pc != NULL)
        status = print_instructions(f, r->by_pc, s->resident_warp_cycles);
    print_notes(f, r);
    return status;
}

void text_totals(FILE *f, const struct totals *t)
{
    char a[28], b[28], launches[48] = "";

    if (t->launches > t->kernels)
        snprintf(launches, sizeof launches, ", launched %s times",
                 with_commas(t->launches, a));
    if (t->launches > 1)
        fprintf(f,
                "\ntotal of %u kernel%s%s: %s cycles = %.4g us, %s warp "
                "instructions\n",
                t->kernels, plural(t->kernels), launches,
                with_commas(t->cycles, a), t->time_us,
                with_commas(t->warp_instructions, b));
    if (t->as_measured_us > 0)
        fprintf(f, "as measured, with the starts of launches: %.4g us\n",
                t->as_measured_us);
    if (t->represented_kernels > 0)
        fprintf(f,
                "%u simulated (%.3g %% of the instructions), %u represented; "
                "the total to\nwithin %.2g %%\n",
                t->kernels - t->represented_kernels,
                100 * (double)t->simulated_instructions /
                    (double)t->warp_instructions,
                t->represented_kernels,
                100 * t->error_cycles / (double)t->cycles);
}
