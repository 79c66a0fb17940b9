#include "tools/teg/report/ranking.h"

#include <string.h>

#include "isa/base/minmax.h"
#include "tools/teg/cli/color.h"
#include "tools/teg/report/report.h"

enum {
    NAMES = 28, /* characters that the column of names has at least */
};

static json_t *toggles_json(const struct whatif *w)
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
    return toggles;
}

json_t *ranking_json(const struct whatif *w)
{
    return json_pack(
        "{s:b, s:o, s:o, s:o}", "incomplete", w->incomplete, "baseline_cycles",
        w->baseline_cycles > 0 ? json_integer((json_int_t)w->baseline_cycles)
                               : json_null(),
        "error_bound_percent",
        w->error_bound > 0 ? json_real(100 * w->error_bound) : json_null(), "toggles",
        toggles_json(w));
}

static json_t *values(const void *part)
{
    const struct whatif *w = part;
    json_t *o =
        json_pack("{s:o, s:o, s:i}", "teg", teg_json(), "gpu",
                  gpu_json(w->job.gpu), "kernels", (int)w->job.kernel_count);
    json_t *ranking = ranking_json(w);

    json_object_update(o, ranking);
    json_decref(ranking);
    return o;
}

/* Half a percent is no gain to point at. */
static const char *tint_of(FILE *f, const struct whatif *w,
                           const struct toggle *t)
{
    double gain = (double)w->baseline_cycles - (double)t->cycles;
    double least = 0.005 * (double)w->baseline_cycles;

    return gain > least    ? tint(f, TINT_GOOD)
           : gain < -least ? tint(f, TINT_BAD)
                           : "";
}

static void print_toggle(FILE *f, const struct whatif *w,
                         const struct toggle *t, int width)
{
    char cycles[28], speedup[32] = "no change";

    if (t->cycles != w->baseline_cycles && t->cycles > 0)
        snprintf(speedup, sizeof speedup, "%.2fx",
                 (double)w->baseline_cycles / (double)t->cycles);
    fprintf(f, "%-*s %16s %s%11s%s\n", width, t->name,
            with_commas(t->cycles, cycles), tint_of(f, w, t), speedup,
            tint(f, TINT_OFF));
}

static int print_table(FILE *f, const void *part)
{
    const struct whatif *w = part;
    int width = NAMES;
    char cycles[28];

    for (uint32_t i = 0; i < w->done; i++)
        width = (int)teg_max((uint64_t)width, strlen(w->toggle[i].name));
    fprintf(f, "%s%-*s %16s %11s%s\n%-*s %16s\n", tint(f, TINT_STRONG), width,
            "what if", "cycles", "speedup", tint(f, TINT_OFF), width,
            "(as it is)",
            w->baseline_cycles > 0 ? with_commas(w->baseline_cycles, cycles)
                                   : "n/a");
    for (uint32_t i = 0; i < w->done; i++)
        print_toggle(f, w, &w->toggle[i], width);
    if (w->incomplete)
        fprintf(f, "%sINCOMPLETE%s: interrupted after %u of %u\n",
                tint(f, TINT_BAD), tint(f, TINT_OFF), w->done, w->count);
    if (w->error_bound > 0)
        fprintf(f,
                "%sSAMPLED%s: a part of each long kernel was simulated; cycles "
                "to within %.1f %%.\n--exact simulates all of it.\n",
                tint(f, TINT_BAD), tint(f, TINT_OFF), 100 * w->error_bound);
    return EXIT_DONE;
}

int ranking_write(const struct whatif *w)
{
    static const struct view view = {
        .text = print_table,
        .values = values,
        .table = "toggles",
        .columns = "name,cycles,speedup,changed",
    };

    return view_write(&view, w, w->job.format, w->job.out);
}
