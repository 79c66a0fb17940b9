/*
 * teg whatif: replays a trace once as it is and once with each bottleneck
 * gone, and ranks them by what they cost.
 *
 *     what if                          cycles   speedup
 *     (as it is)                      123,456
 *     all                              12,345    10.00x
 *     no-memory-latency                61,728     2.00x
 *     no-bank-conflicts               123,456     no change
 *
 * Several kernels count together: their cycles are summed.
 */
#include "tools/teg/whatif.h"

#include "tools/teg/report.h"

#include <stdlib.h>
#include <string.h>

/* Each what-if there is, every unit doubled, and the fixed ones together. */
static int list_toggles(struct whatif *w)
{
    uint32_t fixed;
    const struct teg_whatif *known = teg_whatifs(&fixed);
    const struct teg_gpu *gpu = w->job.gpu;
    struct toggle *all;

    w->toggle = calloc(fixed + gpu->unit_count + 1, sizeof *w->toggle);
    if (w->toggle == NULL)
        return say_memory();
    all = &w->toggle[w->count++];
    snprintf(all->name, sizeof all->name, "all");
    for (uint32_t i = 0; i < fixed; i++) {
        struct toggle *t = &w->toggle[w->count++];
        size_t used = strlen(all->names);

        snprintf(t->name, sizeof t->name, "%s", known[i].name);
        snprintf(t->names, sizeof t->names, "%s", known[i].name);
        snprintf(all->names + used, sizeof all->names - used, "%s%s",
                 used > 0 ? "," : "", known[i].name);
    }
    for (uint32_t i = 0; i < gpu->unit_count; i++) {
        struct toggle *t = &w->toggle[w->count++];

        snprintf(t->name, sizeof t->name, "double:%s", gpu->unit[i].name);
        snprintf(t->names, sizeof t->names, "%s", t->name);
    }
    return EXIT_DONE;
}

/* Cycles of all chosen kernels; `names` may be NULL. */
static int total_cycles(const struct whatif *w, const char *label,
                        const char *names, uint64_t *cycles)
{
    const struct opt_list list = {.item = {names}, .count = names != NULL};
    const struct replay_options options = {
        .sms = w->sms,
        .warps_per_sm = w->warps_per_sm,
        .what_ifs = &list,
        .label = label,
    };

    *cycles = 0;
    for (uint32_t i = 0; i < w->job.kernel_count; i++) {
        struct replay replay;
        int status = replay_init(&replay, &w->job, w->job.kernel[i], &options);

        if (status == EXIT_DONE)
            *cycles += replay.s->cycles;
        if (status == EXIT_DONE || status == EXIT_INTERRUPTED)
            replay_release(&replay);
        if (status != EXIT_DONE)
            return status;
    }
    return EXIT_DONE;
}

/* Fastest first; ties in the order of the table. */
static int by_gain(const void *a, const void *b)
{
    const struct toggle *x = a, *y = b;

    if (x->cycles != y->cycles)
        return (x->cycles > y->cycles) - (x->cycles < y->cycles);
    return (x > y) - (x < y);
}

int whatif_measure(struct whatif *w)
{
    int status = list_toggles(w);

    if (status == EXIT_DONE)
        status = total_cycles(w, "as it is", NULL, &w->baseline_cycles);
    for (uint32_t i = 0; status == EXIT_DONE && i < w->count; i++) {
        struct toggle *t = &w->toggle[i];

        status = total_cycles(w, t->name, t->names, &t->cycles);
        w->done += status == EXIT_DONE;
    }
    w->incomplete = status == EXIT_INTERRUPTED;
    qsort(w->toggle, w->done, sizeof *w->toggle, by_gain);
    return status;
}

static json_t *whatif_json(const struct whatif *w)
{
    json_t *toggles = json_array();

    for (uint32_t i = 0; i < w->done; i++) {
        const struct toggle *t = &w->toggle[i];

        json_array_append_new(
            toggles,
            json_pack("{s:s, s:I, s:o, s:b}", "name", t->name, "cycles",
                      (json_int_t)t->cycles, "speedup",
                      json_ratio((double)w->baseline_cycles, (double)t->cycles),
                      "changed", t->cycles != w->baseline_cycles));
    }
    return json_pack("{s:o, s:o, s:i, s:b, s:o, s:o}", "teg", teg_json(), "gpu",
                     gpu_json(w->job.gpu), "kernels", (int)w->job.kernel_count,
                     "incomplete", w->incomplete, "baseline_cycles",
                     w->baseline_cycles > 0
                         ? json_integer((json_int_t)w->baseline_cycles)
                         : json_null(),
                     "toggles", toggles);
}

static void print_toggle(FILE *f, const struct whatif *w,
                         const struct toggle *t)
{
    char cycles[28], speedup[32] = "no change";

    if (t->cycles != w->baseline_cycles && t->cycles > 0)
        snprintf(speedup, sizeof speedup, "%.2fx",
                 (double)w->baseline_cycles / (double)t->cycles);
    fprintf(f, "%-28s %16s %11s\n", t->name, with_commas(t->cycles, cycles),
            speedup);
}

static int print_table(const struct whatif *w)
{
    struct output out;
    char cycles[28];
    int status = output_open(&out, w->job.out);

    if (status != EXIT_DONE)
        return status;
    fprintf(out.file, "%-28s %16s %11s\n%-28s %16s\n", "what if", "cycles",
            "speedup", "(as it is)",
            w->baseline_cycles > 0 ? with_commas(w->baseline_cycles, cycles)
                                   : "n/a");
    for (uint32_t i = 0; i < w->done; i++)
        print_toggle(out.file, w, &w->toggle[i]);
    if (w->incomplete)
        fprintf(out.file, "INCOMPLETE: interrupted after %u of %u\n", w->done,
                w->count);
    return output_close(&out);
}

static int whatif(struct whatif *w)
{
    int status = whatif_measure(w);
    int printed;

    if (status != EXIT_DONE && status != EXIT_INTERRUPTED)
        return status;
    printed = w->job.format == FORMAT_JSON
                  ? output_json(w->job.out, whatif_json(w))
                  : print_table(w);
    return printed != EXIT_DONE ? printed : status;
}

int cmd_whatif(int argc, char **argv)
{
    struct whatif w = {0};
    const struct opt options[] = {
        JOB_GPU_OPTIONS(w.job),
        JOB_TRACE_OPTIONS(w.job),
        {"sms", 0, OPT_COUNT, &w.sms, "N",
         "simulate only N SMs, which then run the whole grid", NULL},
        {"warps", 0, OPT_COUNT, &w.warps_per_sm, "N",
         "at most N resident warps per SM", NULL},
        JOB_FORMAT_JSON_OPTION(w.job),
        JOB_OUTPUT_OPTIONS(w.job),
        {0}};
    const struct usage usage = {
        .command = "whatif",
        .operands = "TRACE",
        .summary = "Replays TRACE as it is, then with each bottleneck gone, "
                   "with twice as many of each unit, and with all bottlenecks "
                   "gone together, and ranks them by the cycles they cost.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  teg whatif kernel.tegt -g v100\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    catch_interrupt();
    status = job_open_trace(&w.job, operands.item[0]);
    if (status == EXIT_DONE)
        status = job_open_gpu(&w.job);
    if (status == EXIT_DONE)
        status = whatif(&w);
    free(w.toggle);
    job_release(&w.job);
    return status;
}
