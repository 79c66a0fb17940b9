/*
 * How far simulations are from published measurements.
 *
 *     accuracy [--json=FILE] [--limit=MEAN] [--worst=MAX] GPU.csv
 *
 * GPU.csv (its head describes the columns) names a GPU of config/, published
 * numbers, and for each the kernel sketch that stands for what was measured.
 * Prints a table for each published table, what removing a bottleneck was
 * predicted to gain, and
 *
 *     gtx280: mean 4.2 % max 9.6 % over 21 points
 *
 * Errors are relative to the measured value.  With --limit or --worst only that
 * line is printed, and the exit status is 1 if the mean is above MEAN percent
 * or one point off by more than MAX.  Run it from the root of the tree.
 */
#include "sim/teg.h"

#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    POINTS_MAX = 256,
    COLUMNS = 10,
    LINE_MAX_BYTES = 512,
    PARAMETERS_MAX = 8,
    FIRST_GAP = 2, /* clock() is two instructions: not of the chain */
    ACTIVE_CYCLES = 4,
};

enum column {
    COL_TABLE,
    COL_LABEL,
    COL_QUANTITY,
    COL_WARPS,
    COL_MEASURED,
    COL_PREDICTED,
    COL_USE,
    COL_SKETCH,
    COL_PARAMETERS,
    COL_WHAT_IF
};

struct point {
    char line[LINE_MAX_BYTES]; /* holds the columns */
    char *column[COLUMNS];
    double measured, predicted; /* predicted: NAN for none */
    double simulated;
};

struct points {
    struct point point[POINTS_MAX];
    uint32_t count;
};

struct spread {
    double mean, max; /* percent */
    uint32_t count;
};

static _Noreturn void die(const struct teg_diag *d)
{
    fprintf(stderr, "accuracy: %s%s%s\n", d->where, d->where[0] ? ": " : "",
            d->what);
    exit(1);
}

/* ---- the published numbers ----------------------------------------------- */

static double number_of(const char *text)
{
    return strcmp(text, "-") == 0 ? (double)NAN : strtod(text, NULL);
}

static int split(struct point *p)
{
    char *at = p->line;

    for (int c = 0; c < COLUMNS; c++) {
        char *end = at + strcspn(at, c == COLUMNS - 1 ? "\r\n" : ",\r\n");

        p->column[c] = at;
        if (c < COLUMNS - 1 && *end != ',')
            return 0;
        *end = '\0';
        at = end + 1;
    }
    p->measured = number_of(p->column[COL_MEASURED]);
    p->predicted = number_of(p->column[COL_PREDICTED]);
    return 1;
}

static void read_points(const char *path, struct points *points)
{
    struct teg_diag d = {0};
    FILE *f = fopen(path, "r");
    uint64_t line = 0;

    if (f == NULL) {
        (void)teg_fail_errno(&d, path, "open");
        die(&d);
    }
    for (;;) {
        struct point *p = &points->point[points->count];

        if (fgets(p->line, sizeof p->line, f) == NULL)
            break;
        line++;
        if (p->line[0] == '#' || p->line[0] == '\n')
            continue;
        if (!split(p) || points->count == POINTS_MAX - 1) {
            (void)teg_fail_line(&d, TEG_FORMAT, path, line,
                                "expected %d columns in at most %d rows",
                                COLUMNS, POINTS_MAX - 1);
            die(&d);
        }
        points->count++;
    }
    fclose(f);
}

/* ---- simulating one point ------------------------------------------------ */

/* Issues that are no part of clock(), and clock()'s own. */
struct gap {
    uint64_t first, last;
    uint32_t issues;
    uint64_t clock_first, clock_last; /* cycles of the first, the last S2R */
    uint32_t clocks;
};

static void on_issue(void *self, const struct sim_issue *e)
{
    struct gap *gap = self;

    if (e->op_class == CLASS_S2R) {
        if (gap->clocks++ == 0)
            gap->clock_first = e->cycle;
        gap->clock_last = e->cycle;
    }
    if (e->op_class == CLASS_S2R || e->op_class == CLASS_SHIFT)
        return;
    if (gap->issues++ == 0)
        gap->first = e->cycle;
    gap->last = e->cycle;
}

static double cycles_of(const struct teg_statistics *s, const struct gap *gap,
                        const struct teg_gpu *gpu)
{
    (void)gap, (void)gpu;
    return (double)s->cycles;
}

static double gap_of(const struct teg_statistics *s, const struct gap *gap,
                     const struct teg_gpu *gpu)
{
    (void)s, (void)gpu;
    if (gap->issues < FIRST_GAP)
        return 0;
    return (double)(gap->last - gap->first) / (gap->issues - 1);
}

/* What clock() shows of one warp.  (Lai 2013, Listing 3.3) */
static double clock_of(const struct teg_statistics *s, const struct gap *gap,
                       const struct teg_gpu *gpu)
{
    (void)s, (void)gpu;
    return (double)(gap->clock_last - gap->clock_first);
}

/* Percent of the bytes moved that nobody asked for.  (Lai 2013, 3.2.3.4) */
static double wasted_of(const struct teg_statistics *s, const struct gap *gap,
                        const struct teg_gpu *gpu)
{
    (void)gap, (void)gpu;
    return s->memory.bytes == 0 ? 0
                                : 100 * (1 - (double)s->memory.useful_bytes /
                                                 (double)s->memory.bytes);
}

/* Of one SM: an instruction keeps the SP active for 4 cycles.  (Lai 2013,
 * 3.5) */
static double sp_active_of(const struct teg_statistics *s,
                           const struct gap *gap, const struct teg_gpu *gpu)
{
    (void)gap;
    for (uint32_t u = 0; u < s->unit_count; u++) {
        if (strcmp(gpu->unit[u].name, "sp") == 0)
            return 100 * ACTIVE_CYCLES * (double)s->unit[u].issued /
                   ((double)s->active_sms * (double)s->cycles);
    }
    return 0;
}

static const struct {
    const char *name;
    double (*of)(const struct teg_statistics *s, const struct gap *gap,
                 const struct teg_gpu *gpu);
} quantities[] = {
    {"cycles", cycles_of},       {"gap", gap_of},
    {"clock", clock_of},         {"wasted", wasted_of},
    {"sp_active", sp_active_of},
};

static void open_launch(const struct point *p, struct teg_trace **trace,
                        struct teg_launch *launch)
{
    static char path[256], parameters[LINE_MAX_BYTES];
    static const char *set[PARAMETERS_MAX];
    struct teg_trace_options options = {.set = set};
    struct teg_diag d;

    snprintf(path, sizeof path, "tests/kernels/gt200/%s.sketch",
             p->column[COL_SKETCH]);
    snprintf(parameters, sizeof parameters, "%s", p->column[COL_PARAMETERS]);
    for (char *word = strtok(parameters, " ");
         word != NULL && options.set_count < PARAMETERS_MAX;
         word = strtok(NULL, " "))
        set[options.set_count++] = word;
    if (teg_trace_open(path, &options, trace, &d) != TEG_OK ||
        teg_trace_launch(*trace, 0, launch, &d) != TEG_OK)
        die(&d);
}

static void simulate(struct point *p, const struct teg_gpu *described)
{
    const char *what_if = p->column[COL_WHAT_IF];
    struct gap gap = {0};
    struct sim_listener listener = {.self = &gap, .on_issue = on_issue};
    struct teg_simulation_options options = {.listener = &listener,
                                             .listener_count = 1};
    struct teg_statistics *s = calloc(1, sizeof *s);
    struct teg_launch launch;
    struct teg_trace *trace;
    struct teg_gpu *gpu;
    struct teg_diag d = {.what = "out of memory"};

    open_launch(p, &trace, &launch);
    if (s == NULL || teg_gpu_copy(described, &gpu, &d) != TEG_OK ||
        (strcmp(what_if, "-") != 0 &&
         teg_whatif_apply(what_if, gpu, &launch, &d) != TEG_OK) ||
        teg_simulate(&launch, gpu, &options, s, &d) != TEG_OK)
        die(&d);
    p->simulated = (double)NAN;
    for (size_t q = 0; q < sizeof quantities / sizeof quantities[0]; q++) {
        if (strcmp(quantities[q].name, p->column[COL_QUANTITY]) == 0)
            p->simulated = quantities[q].of(s, &gap, gpu);
    }
    launch.close(launch.self);
    teg_trace_close(trace);
    teg_gpu_free(gpu);
    free(s);
}

/* ---- errors -------------------------------------------------------------- */

static double percent_off(double value, double measured)
{
    return 100 * (value - measured) / measured;
}

/* Of all points with that use; NULL: of those that count at all. */
static struct spread spread_of(const struct points *points, const char *use,
                               int of_prediction)
{
    struct spread s = {0};

    for (uint32_t i = 0; i < points->count; i++) {
        const struct point *p = &points->point[i];
        double off = fabs(percent_off(
            of_prediction ? p->predicted : p->simulated, p->measured));

        if (strcmp(p->column[COL_USE], "shown") == 0 ||
            (use != NULL && strcmp(p->column[COL_USE], use) != 0))
            continue;
        s.mean += off;
        s.max = off > s.max ? off : s.max;
        s.count++;
    }
    if (s.count != 0)
        s.mean /= s.count;
    return s;
}

/* ---- text ---------------------------------------------------------------- */

static void print_percent(double percent)
{
    if (isnan(percent))
        printf(" %8s", "n/a");
    else
        printf(" %+7.1f%%", percent);
}

static void print_value(double value)
{
    if (isnan(value))
        printf(" %10s", "n/a");
    else
        printf(" %10.*f", value == floor(value) ? 0 : 1, value);
}

static void print_points(const struct points *points)
{
    const char *table = "";

    for (uint32_t i = 0; i < points->count; i++) {
        const struct point *p = &points->point[i];

        if (strcmp(table, p->column[COL_TABLE]) != 0) {
            table = p->column[COL_TABLE];
            printf("\n%-6s %-40s %5s %10s %10s %10s %8s %8s\n", "table", "",
                   "warps", "measured", "TEG", "ours", "TEG off", "ours off");
        }
        printf("%-6s %-40s %5s", table, p->column[COL_LABEL],
               p->column[COL_WARPS]);
        print_value(p->measured);
        print_value(p->predicted);
        print_value(p->simulated);
        print_percent(percent_off(p->predicted, p->measured));
        print_percent(percent_off(p->simulated, p->measured));
        printf("  %s\n", p->column[COL_USE]);
    }
}

static void print_spread(const char *name, struct spread s)
{
    printf("%s: mean %.2f %% max %.2f %% over %u points\n", name, s.mean, s.max,
           s.count);
}

/* ---- what a bottleneck costs --------------------------------------------- */

/* The slow code's table, and the one in which its what-if is simulated and the
 * fast code's time is the measured one.  (Lai 2013, 3.4.1, 3.4.2) */
static const struct {
    const char *what_if, *slow, *fast;
} gains[] = {
    {"no-bank-conflicts", "3.2", "3.3"},
    {"coalesced", "3.4", "3.4c"},
};

static const struct point *find(const struct points *points, const char *table,
                                const char *warps)
{
    for (uint32_t i = 0; i < points->count; i++) {
        const struct point *p = &points->point[i];

        if (strcmp(p->column[COL_TABLE], table) == 0 &&
            strcmp(p->column[COL_WARPS], warps) == 0)
            return p;
    }
    return NULL;
}

static json_t *gain_row(const char *what_if, const struct point *slow,
                        const struct point *fast)
{
    double measured = slow->measured / fast->measured;
    double simulated = slow->simulated / fast->simulated;
    double predicted = slow->predicted / fast->predicted;
    json_t *o = json_pack("{s:s, s:s, s:f, s:f}", "what_if", what_if, "warps",
                          slow->column[COL_WARPS], "measured", measured,
                          "simulated", simulated);

    if (!isnan(predicted))
        json_object_set_new(o, "predicted", json_real(predicted));
    return o;
}

static json_t *find_gains(const struct points *points)
{
    json_t *rows = json_array();

    for (size_t g = 0; g < sizeof gains / sizeof gains[0]; g++) {
        for (uint32_t i = 0; i < points->count; i++) {
            const struct point *slow = &points->point[i], *fast;

            if (strcmp(slow->column[COL_TABLE], gains[g].slow) != 0)
                continue;
            fast = find(points, gains[g].fast, slow->column[COL_WARPS]);
            if (fast != NULL)
                json_array_append_new(rows,
                                      gain_row(gains[g].what_if, slow, fast));
        }
    }
    return rows;
}

static void print_gains(json_t *rows)
{
    size_t i;
    json_t *o;

    printf("\n%-47s %5s %10s %10s %10s\n", "speedup by a what-if", "warps",
           "measured", "TEG", "ours");
    json_array_foreach(rows, i, o)
    {
        json_t *predicted = json_object_get(o, "predicted");

        printf("%-47s %5s %10.2f",
               json_string_value(json_object_get(o, "what_if")),
               json_string_value(json_object_get(o, "warps")),
               json_number_value(json_object_get(o, "measured")));
        if (predicted != NULL)
            printf(" %10.2f", json_number_value(predicted));
        else
            printf(" %10s", "n/a");
        printf(" %10.2f\n", json_number_value(json_object_get(o, "simulated")));
    }
}

/* ---- JSON ---------------------------------------------------------------- */

static json_t *spread_json(struct spread s)
{
    return json_pack("{s:f, s:f, s:i}", "mean_percent", s.mean, "max_percent",
                     s.max, "points", (int)s.count);
}

static json_t *point_json(const struct point *p)
{
    json_t *o = json_pack(
        "{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:f, s:f, s:f}", "table",
        p->column[COL_TABLE], "label", p->column[COL_LABEL], "quantity",
        p->column[COL_QUANTITY], "warps", p->column[COL_WARPS], "use",
        p->column[COL_USE], "sketch", p->column[COL_SKETCH], "parameters",
        p->column[COL_PARAMETERS], "measured", p->measured, "simulated",
        p->simulated, "error_percent", percent_off(p->simulated, p->measured));

    if (!isnan(p->predicted)) {
        json_object_set_new(o, "predicted", json_real(p->predicted));
        json_object_set_new(o, "predicted_error_percent",
                            json_real(percent_off(p->predicted, p->measured)));
    }
    return o;
}

static int write_json(const char *path, const char *gpu,
                      const struct points *points, json_t *rows)
{
    json_t *list = json_array(), *root;
    int failed;

    for (uint32_t i = 0; i < points->count; i++)
        json_array_append_new(list, point_json(&points->point[i]));
    root = json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:O}", "teg", TEG_VERSION,
                     "gpu", gpu, "all", spread_json(spread_of(points, NULL, 0)),
                     "fit", spread_json(spread_of(points, "fit", 0)), "unseen",
                     spread_json(spread_of(points, "unseen", 0)), "points",
                     list, "gains", rows);
    failed = root == NULL || json_dump_file(root, path, JSON_INDENT(1)) != 0;
    if (failed)
        fprintf(stderr, "accuracy: %s: cannot write\n", path);
    json_decref(root);
    return failed;
}

/* ---- all of it ----------------------------------------------------------- */

static struct teg_gpu *load_gpu(const char *csv, char *name, size_t size)
{
    const char *slash = strrchr(csv, '/');
    char path[256];
    struct teg_gpu *gpu;
    struct teg_diag d;

    snprintf(name, size, "%s", slash != NULL ? slash + 1 : csv);
    name[strcspn(name, ".")] = '\0';
    snprintf(path, sizeof path, "config/%s.cfg", name);
    if (teg_gpu_load(path, &gpu, &d) != TEG_OK)
        die(&d);
    return gpu;
}

static void print_all(const struct points *points, const char *name,
                      json_t *rows)
{
    print_points(points);
    print_gains(rows);
    printf("\n");
    print_spread("TEG, same points", spread_of(points, NULL, 1));
    print_spread("fit points", spread_of(points, "fit", 0));
    print_spread("unseen points", spread_of(points, "unseen", 0));
    print_spread(name, spread_of(points, NULL, 0));
}

/* Says so and returns 1 if `percent` is above `limit`; NAN: no limit. */
static int above(const char *what, double percent, double limit)
{
    if (isnan(limit) || percent <= limit)
        return 0;
    fprintf(stderr,
            "accuracy: expected a %s of at most %.2f %%, found "
            "%.2f %%\n",
            what, limit, percent);
    return 1;
}

int main(int argc, char **argv)
{
    static const struct option known[] = {
        {"json", required_argument, NULL, 'j'},
        {"limit", required_argument, NULL, 'l'},
        {"worst", required_argument, NULL, 'w'},
        {0},
    };
    static struct points points;
    const char *json = NULL;
    double limit = (double)NAN, worst = (double)NAN;
    char name[64];
    struct teg_gpu *gpu;
    struct spread all;
    json_t *rows;
    int option, failed = 0;

    while ((option = getopt_long(argc, argv, "", known, NULL)) != -1) {
        if (option == 'j')
            json = optarg;
        else if (option == 'l')
            limit = strtod(optarg, NULL);
        else if (option == 'w')
            worst = strtod(optarg, NULL);
        else
            return 2;
    }
    if (optind != argc - 1) {
        fprintf(stderr,
                "Usage: accuracy [--json=FILE] [--limit=MEAN] [--worst=MAX] "
                "GPU.csv\n");
        return 2;
    }
    gpu = load_gpu(argv[optind], name, sizeof name);
    read_points(argv[optind], &points);
    for (uint32_t i = 0; i < points.count; i++)
        simulate(&points.point[i], gpu);
    all = spread_of(&points, NULL, 0);
    rows = find_gains(&points);
    if (isnan(limit) && isnan(worst))
        print_all(&points, name, rows);
    else
        print_spread(name, all);
    if (json != NULL)
        failed = write_json(json, name, &points, rows);
    failed |= above("mean", all.mean, limit) | above("max", all.max, worst);
    json_decref(rows);
    teg_gpu_free(gpu);
    return failed;
}
