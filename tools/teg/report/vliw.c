/*
 *     matmul (kernel 1) on a five-slot VLIW core
 *       packing        62.4 %  of the slots of 12,345 bundles in 1,234 clauses
 *       slots filled   1: 12.3 %  2: ...
 *       t              8.1 %  of the bundles use it
 *       power          3.20    ALUs' worth in a bundle; t counts as 2
 *       time           0.15 us at least, of the bundles on 20 SIMD engines ...
 *       stores         fast path 4,096 bytes, complete path 0 bytes
 */
#include "tools/teg/report/vliw.h"

#include "tools/teg/report/report.h"
#include "traces/study/vliw.h"

#include <inttypes.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* What --set may change. */
struct given {
    struct teg_vliw_power power;
    struct teg_vliw_machine machine;
};

static const struct {
    const char *key;
    size_t offset;
} keys[] = {
    {"base_watts", offsetof(struct given, power.base_watts)},
    {"slot_watts", offsetof(struct given, power.slot_watts)},
    {"t_ratio", offsetof(struct given, power.t_ratio)},
    {"simds", offsetof(struct given, machine.simds)},
    {"processors", offsetof(struct given, machine.processors)},
    {"clock_mhz", offsetof(struct given, machine.clock_mhz)},
    {"fast_gbs", offsetof(struct given, machine.fast_gbs)},
    {"complete_gbs", offsetof(struct given, machine.complete_gbs)},
};

enum {
    KEYS = sizeof keys / sizeof keys[0]
};

/* "t_ratio=3" up to a comma or the end. */
static int take(const char *text, size_t length, struct given *p)
{
    struct teg_nearest nearest;
    char word[64], hint[96], *equals, *end;
    double value;

    snprintf(word, sizeof word, "%.*s", (int)length, text);
    equals = strchr(word, '=');
    if (equals == NULL)
        return say_usage("model", "--set: expected KEY=VALUE, found '%s'",
                         word);
    *equals = '\0';
    value = strtod(equals + 1, &end);
    if (end == equals + 1 || *end != '\0' || !(value >= 0))
        return say_usage("model",
                         "%s: expected a number of at least 0, found "
                         "'%s'",
                         word, equals + 1);
    teg_nearest_init(&nearest, word);
    for (size_t i = 0; i < KEYS; i++) {
        if (strcmp(keys[i].key, word) == 0) {
            memcpy((char *)p + keys[i].offset, &value, sizeof value);
            return EXIT_DONE;
        }
        teg_nearest_offer(&nearest, keys[i].key);
    }
    return say_usage("model", "unknown parameter '%s' of --vliw%s", word,
                     did_you_mean(&nearest, "", hint));
}

static int take_all(const struct opt_list *set, struct given *p)
{
    for (uint32_t i = 0; i < set->count; i++) {
        const char *text = set->item[i];

        for (;;) {
            size_t length = strcspn(text, ",");
            int status = take(text, length, p);

            if (status != EXIT_DONE)
                return status;
            if (text[length] == '\0')
                break;
            text += length + 1;
        }
    }
    return EXIT_DONE;
}

/* Power in units of one busy ALU, without the base. */
static double slot_units(const struct teg_vliw *v,
                         const struct teg_vliw_power *p)
{
    const struct teg_vliw_power unit = {0, 1, p->t_ratio};

    return teg_vliw_watts(v, &unit);
}

static double percent(uint64_t part, uint64_t whole)
{
    return whole > 0 ? 100 * (double)part / (double)whole : 0;
}

struct vliw_kernel {
    const struct teg_kernel *kernel; /* borrowed */
    uint32_t number;
    struct teg_vliw v;
    const struct given *given; /* borrowed */
};

static int text(FILE *f, const void *part)
{
    const struct vliw_kernel *k = part;
    const struct teg_vliw *v = &k->v;
    const struct teg_vliw_power *p = &k->given->power;
    const struct teg_vliw_machine *m = &k->given->machine;
    char a[28], b[28], name[TEG_NAME_MAX];

    fprintf(f, "%s (kernel %" PRIu32 ") on a five-slot VLIW core\n",
            kernel_title(k->kernel->name, name), k->number);
    fprintf(f,
            "  packing    %7.1f %%  of the slots of %s bundles, %s clauses\n",
            100 * teg_vliw_packing(v), with_commas(v->bundles, a),
            with_commas(v->clauses, b));
    fprintf(f, "  filled   ");
    for (int i = 1; i <= VLIW_SLOTS; i++)
        fprintf(f, " %d: %.1f %% ", i, percent(v->filled[i], v->bundles));
    fprintf(f, "\n  t          %7.1f %%  of the bundles use it\n",
            percent(v->t_slots, v->bundles));
    fprintf(f, "  power      %7.2f    ALUs' worth in a bundle, t counting %g\n",
            slot_units(v, p), p->t_ratio);
    if (p->slot_watts > 0)
        fprintf(f, "             %7.1f W  = %g base + %g an ALU\n",
                teg_vliw_watts(v, p), p->base_watts, p->slot_watts);
    fprintf(f,
            "  time       %7.2f us at least, of the bundles on %g SIMD engines "
            "of %g at %g MHz\n",
            teg_vliw_bundles_us(v, m), m->simds, m->processors, m->clock_mhz);
    fprintf(f,
            "  stores     %s bytes by the fast path, %s by the complete "
            "path\n",
            with_commas(v->fast_bytes, a), with_commas(v->complete_bytes, b));
    if (v->writes > 0 && isfinite(teg_vliw_stores_us(v, m)))
        fprintf(f, "             %7.2f us by both\n", teg_vliw_stores_us(v, m));
    fprintf(f, "  the code was compiled for another machine: what packs here "
               "is its dependences\n\n");
    return EXIT_DONE;
}

static json_t *values(const void *part)
{
    const struct vliw_kernel *k = part;
    const struct teg_vliw *v = &k->v;
    const struct teg_vliw_power *p = &k->given->power;
    const struct teg_vliw_machine *m = &k->given->machine;
    json_t *filled = json_array();

    for (int i = 0; i <= VLIW_SLOTS; i++)
        json_array_append_new(filled, json_integer((json_int_t)v->filled[i]));
    return json_pack(
        "{s:s, s:i, s:I, s:I, s:I, s:o, s:I, s:I, s:o, s:I, s:I, s:I, s:I, "
        "s:f, s:f, s:o, s:o, s:o}",
        "name", k->kernel->name, "number", (int)k->number, "operations",
        (json_int_t)v->operations, "bundles", (json_int_t)v->bundles, "clauses",
        (json_int_t)v->clauses, "packing_percent",
        json_ratio(100 * (double)(v->alu_slots + v->t_slots),
                   (double)v->bundles * VLIW_SLOTS),
        "alu_slots", (json_int_t)v->alu_slots, "t_slots",
        (json_int_t)v->t_slots, "bundles_by_slots", filled, "fetches",
        (json_int_t)v->fetches, "writes", (json_int_t)v->writes, "fast_bytes",
        (json_int_t)v->fast_bytes, "complete_bytes",
        (json_int_t)v->complete_bytes, "t_ratio", p->t_ratio, "slot_units",
        slot_units(v, p), "watts",
        p->slot_watts > 0 ? json_real(teg_vliw_watts(v, p)) : json_null(),
        "bundles_us", number_json(teg_vliw_bundles_us(v, m)), "stores_us",
        number_json(teg_vliw_stores_us(v, m)));
}

static json_t *whole(const void *self, json_t *kernels)
{
    (void)self;
    return json_pack("{s:o, s:O}", "teg", teg_json(), "kernels", kernels);
}

static json_t *rows(const void *part)
{
    const struct vliw_kernel *k = part;
    const struct teg_vliw *v = &k->v;

    return json_pack(
        "[{s:i, s:o, s:I, s:I, s:I, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:o}]",
        "number", (int)k->number, "kernel", json_text(k->kernel->name),
        "operations", (json_int_t)v->operations, "bundles",
        (json_int_t)v->bundles, "clauses", (json_int_t)v->clauses,
        "packing_percent", json_sprintf("%.9g", 100 * teg_vliw_packing(v)),
        "alu_slots", (json_int_t)v->alu_slots, "t_slots",
        (json_int_t)v->t_slots, "fetches", (json_int_t)v->fetches, "writes",
        (json_int_t)v->writes, "fast_bytes", (json_int_t)v->fast_bytes,
        "complete_bytes", (json_int_t)v->complete_bytes, "slot_units",
        json_sprintf("%.9g", slot_units(v, &k->given->power)));
}

static int one_kernel(const struct job *job, uint32_t kernel,
                      const struct given *given, struct writer *w)
{
    struct vliw_kernel k = {.number = kernel + 1, .given = given};
    struct teg_launch launch;
    struct teg_diag d;
    int status;

    if (teg_trace_launch(job->trace, kernel, &launch, &d) != TEG_OK)
        return say_fault(&d);
    k.kernel = launch.kernel;
    status = teg_vliw_collect(&launch, &k.v, &d) == TEG_OK ? writer_add(w, &k)
                                                           : say_fault(&d);
    if (launch.close != NULL)
        launch.close(launch.self);
    return status;
}

static int all_kernels(const struct job *job, const struct given *given)
{
    static const struct view view = {
        .text = text,
        .values = values,
        .whole = whole,
        .full_digits = true,
        .rows = rows,
        .columns = "number,kernel,operations,bundles,clauses,packing_percent,"
                   "alu_slots,t_slots,fetches,writes,fast_bytes,"
                   "complete_bytes,slot_units",
        .streamed = true,
        .row_end = "\n",
    };
    struct writer w;
    int status = writer_open(&w, &view, NULL, job->format, job->out);

    if (status != EXIT_DONE)
        return status;
    for (uint32_t i = 0; status == EXIT_DONE && i < job->kernel_count; i++)
        status = one_kernel(job, job->kernel[i], given, &w);
    return writer_end(&w, status);
}

int vliw_report(struct job *job, const char *path, const struct opt_list *set)
{
    struct given given = {.power = {.t_ratio = 2}, .machine = teg_vliw_hd5870};
    const struct teg_vliw_machine *m = &given.machine;
    int status = take_all(set, &given);

    if (status == EXIT_DONE && !(m->simds * m->processors * m->clock_mhz > 0))
        return say_usage("model", "--set: simds, processors and clock_mhz: "
                                  "expected numbers above 0");
    if (status == EXIT_DONE)
        status = job_open_trace(job, path);
    return status == EXIT_DONE ? all_kernels(job, &given) : status;
}
