#include "tools/teg/report/series.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/teg/cli/output.h"

enum {
    POINTS_MAX = 2 << 20
};

bool range_parse(const char *text, const char *end, uint64_t *first,
                 uint64_t *last)
{
    char *after;

    if (text == end || *text < '0' || *text > '9')
        return false;
    *first = *last = strtoull(text, &after, 10);
    if (after < end && *after == '-') {
        text = after + 1;
        if (text == end || *text < '0' || *text > '9')
            return false;
        *last = strtoull(text, &after, 10);
    }
    return after == end && *first <= *last;
}

int pc_choice_parse(const char *text, struct pc_trace_choice *choice)
{
    uint64_t warp_first = 0, warp_last = UINT32_MAX;
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    const char *warps = colon != NULL ? colon + 1 : text;

    *choice = (struct pc_trace_choice){.points_max = POINTS_MAX};
    if ((colon != NULL && !range_parse(text, colon, &choice->block_first,
                                       &choice->block_last)) ||
        (warps != NULL &&
         !range_parse(warps, warps + strlen(warps), &warp_first, &warp_last)) ||
        warp_last > UINT32_MAX) {
        say("pc-warps",
            "expected WARP or BLOCK:WARP, each a number or a range like 0-7, "
            "found '%s'",
            text);
        return EXIT_USAGE;
    }
    choice->warp_first = (uint32_t)warp_first;
    choice->warp_last = (uint32_t)warp_last;
    return EXIT_DONE;
}

static int parse_sm(struct window *w, const struct teg_gpu *gpu)
{
    const char *text = w->sm_text;
    uint64_t first = 0, last = 0;

    if (text != NULL &&
        (!range_parse(text, text + strlen(text), &first, &last) ||
         first != last || first >= gpu->chip.sms)) {
        say("--sm", "expected an SM from 0 to %u, found '%s'",
            gpu->chip.sms - 1, text);
        return EXIT_USAGE;
    }
    w->sm = (uint32_t)first;
    return EXIT_DONE;
}

static int parse_warps(struct window *w, const struct teg_gpu *gpu,
                       uint32_t warps)
{
    const char *text = w->warp_text;
    uint64_t first = 0, last = warps - 1;

    if (text != NULL &&
        (!range_parse(text, text + strlen(text), &first, &last) ||
         first >= gpu->sm.warps_max)) {
        say("--warp", "expected warp slots like 2 or 0-3, up to %u, found '%s'",
            gpu->sm.warps_max - 1, text);
        return EXIT_USAGE;
    }
    if (last >= gpu->sm.warps_max)
        last = gpu->sm.warps_max - 1;
    w->warp_first = (uint32_t)first;
    w->warp_last = (uint32_t)last;
    return EXIT_DONE;
}

static int parse_cycles(struct window *w)
{
    const char *text = w->cycles_text;
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    uint64_t from = 0, to = 0, again;

    w->from = 0;
    w->to = UINT64_MAX;
    if (text == NULL)
        return EXIT_DONE;
    if (colon == NULL || !range_parse(text, colon, &from, &again) ||
        from != again ||
        !range_parse(colon + 1, text + strlen(text), &to, &again) ||
        to != again || from >= to) {
        say("--cycles", "expected A:B, two cycles with A before B, found '%s'",
            text);
        return EXIT_USAGE;
    }
    w->from = from;
    w->to = to;
    return EXIT_DONE;
}

int window_parse(struct window *w, const struct teg_gpu *gpu, uint32_t warps)
{
    int status = parse_cycles(w);

    if (status == EXIT_DONE)
        status = parse_sm(w, gpu);
    if (status == EXIT_DONE)
        status = parse_warps(w, gpu, warps);
    return status;
}

struct pc_trace_choice window_choice(const struct window *w, size_t points_max)
{
    return (struct pc_trace_choice){.by_slot = 1,
                                    .sm = w->sm,
                                    .warp_first = w->warp_first,
                                    .warp_last = w->warp_last,
                                    .cycle_first = w->from,
                                    .cycle_last = w->to - 1,
                                    .points_max = points_max};
}

static void print_point(FILE *f, const struct pc_trace *t,
                        const struct pc_point *p)
{
    const struct teg_inst *inst = &t->program->inst[p->inst];

    fprintf(f, "%" PRIu64 ",%" PRIu32 ",%" PRIu64 ",%" PRIu32 ",0x%" PRIx64 ",",
            p->cycle, p->sm, p->block, p->warp, p->pc);
    print_csv_text(f, teg_program_text(t->program, inst));
    fprintf(f, ",%d,%" PRIu64 ",%" PRIu32 ",%s\n", __builtin_popcount(p->mask),
            p->done, p->stalled,
            p->reason < TEG_STALLS ? teg_stall_label(p->reason) : "");
}

int write_pc_trace(const char *path, const struct pc_trace *t)
{
    struct output o;
    int status = t->failed ? say_memory() : output_open(&o, path);

    if (status != EXIT_DONE)
        return status;
    fputs("cycle,sm,block,warp,pc,instruction,active_lanes,done,stalled,"
          "reason\n",
          o.file);
    for (size_t i = 0; i < t->points; i++)
        print_point(o.file, t, &t->point[i]);
    if (t->dropped != 0)
        say("pc-trace",
            "holds the first %zu instructions; %" PRIu64
            " more were left out: choose fewer warps with --pc-warps",
            t->points, t->dropped);
    return output_close(&o);
}

static void print_bin(FILE *f, const struct replay *r, uint64_t bin)
{
    const struct teg_statistics *s = r->s;
    uint64_t from = bin * s->timeline_bin_cycles;
    uint64_t width = s->timeline_bin_cycles;

    /* The last bin reaches beyond the end. */
    if (from + width > s->cycles)
        width = s->cycles - from;
    fprintf(f, "%" PRIu64, from);
    for (uint32_t u = 0; u < s->unit_count; u++) {
        const struct teg_unit_statistics *unit = &s->unit[u];
        double cycles = (double)width;

        fprintf(f, ",%.3f,%.3f",
                100.0 * (double)unit->busy_bin[bin] /
                    (cycles * (double)unit->instances),
                (double)unit->load_bin[bin] /
                    (cycles * (double)(s->active_sms ? s->active_sms : 1)));
    }
    putc('\n', f);
}

int write_timeline(const char *path, const struct replay *r)
{
    const struct teg_statistics *s = r->s;
    struct output o;
    int status = output_open(&o, path);

    if (status != EXIT_DONE)
        return status;
    fputs("cycle", o.file);
    for (uint32_t u = 0; u < s->unit_count; u++)
        fprintf(o.file, ",%s_active_percent,%s_load", r->gpu->unit[u].name,
                r->gpu->unit[u].name);
    putc('\n', o.file);
    for (uint64_t bin = 0; bin * s->timeline_bin_cycles < s->cycles; bin++)
        print_bin(o.file, r, bin);
    return output_close(&o);
}
