#include "tools/teg/report/scene.h"

#include "tools/teg/cli/color.h"
#include "tools/teg/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    COLUMNS = 48,
    LABEL = 30,
    ROWS_MAX = 200
};

/* ---- columns --------------------------------------------------------------- */

static double column_cycles(const struct scene *v)
{
    return (double)(v->window.to - v->window.from) / COLUMNS;
}

/* Cycles of [from, to) in the column. */
static double part_in(const struct scene *v, int column, double from, double to)
{
    double width = column_cycles(v);
    double left = (double)v->window.from + column * width;
    double right = left + width;

    from = from > left ? from : left;
    to = to < right ? to : right;
    return to > from ? to - from : 0;
}

static int column_of(const struct scene *v, uint64_t cycle)
{
    double c =
        ((double)cycle - (double)v->window.from) / column_cycles(v) + 1e-9;

    return c < 0 ? 0 : c >= COLUMNS ? COLUMNS - 1 : (int)c;
}

/* Adds to each column its share of what the bins hold. */
static void resample(const struct scene *v, const struct timeline *t,
                     const uint64_t *bin, double column[COLUMNS])
{
    for (uint32_t i = 0; i < timeline_bins(t); i++) {
        double from = (double)(t->choice.from + i * t->bin_cycles);
        double width = (double)timeline_width(t, i);
        int c = column_of(v, t->choice.from + i * t->bin_cycles);

        for (; c < COLUMNS; c++) {
            double part = part_in(v, c, from, from + width);

            if (part <= 0)
                break;
            column[c] += (double)bin[i] * part / width;
        }
    }
}

static char share_char(double part, double whole)
{
    int tenths = whole > 0 ? (int)(10 * part / whole + 0.5) : 0;

    if (part <= 0 || whole <= 0)
        return ' ';
    return tenths == 0 ? '.' : tenths > 9 ? '@' : (char)('0' + tenths);
}

/* ---- text ------------------------------------------------------------------ */

static void print_row(FILE *f, const char *label, const char *row, int length)
{
    while (length > 0 && row[length - 1] == ' ')
        length--;
    fprintf(f, "%-*.*s|%.*s\n", LABEL, LABEL, label, length, row);
}

/* An issue is good; waiting for memory, and for other warps, is what one
 * looks for. */
static enum tint tint_of(char state)
{
    switch (state) {
    case '#':
    case '=':
    case 'E':
        return TINT_GOOD;
    case 'L':
    case 'g':
        return TINT_BAD;
    case 'b':
    case 'S':
    case 'm':
    case 'u':
        return TINT_NOTICE;
    default:
        return TINT_DIM;
    }
}

/* A row of letters, each in the color of its state. */
static void print_letters(FILE *f, const char *label, const char row[COLUMNS])
{
    int length = COLUMNS;

    while (length > 0 && row[length - 1] == ' ')
        length--;
    fprintf(f, "%-*.*s|", LABEL, LABEL, label);
    for (int c = 0; c < length; c++) {
        if (c == 0 || row[c] != row[c - 1])
            fprintf(f, "%s%s", tint(f, TINT_OFF), tint(f, tint_of(row[c])));
        fputc(row[c], f);
    }
    fprintf(f, "%s\n", tint(f, TINT_OFF));
}

static void print_heading(FILE *f, const char *text)
{
    fprintf(f, "\n%s", tint(f, TINT_STRONG));
    print_row(f, text, "", 0);
    fputs(tint(f, TINT_OFF), f);
}

static void print_series(FILE *f, const struct scene *v,
                         const struct timeline *t, const char *label,
                         const uint64_t *bin, const double whole[COLUMNS])
{
    double part[COLUMNS] = {0};
    char row[COLUMNS];

    resample(v, t, bin, part);
    for (int c = 0; c < COLUMNS; c++)
        row[c] = share_char(part[c], whole[c]);
    print_row(f, label, row, COLUMNS);
}

static bool any(const uint64_t *bin)
{
    for (int i = 0; i < TEG_TIMELINE_BINS; i++) {
        if (bin[i] != 0)
            return true;
    }
    return false;
}

static void print_states(FILE *f, const struct scene *v,
                         const struct timeline *t, const char *heading)
{
    double whole[COLUMNS] = {0};
    char label[64];

    resample(v, t, t->issued, whole);
    for (int r = 0; r < TEG_STALLS; r++)
        resample(v, t, t->stall[r], whole);
    print_heading(f, heading);
    print_series(f, v, t, " # issued", t->issued, whole);
    for (int r = 0; r < TEG_STALLS; r++) {
        snprintf(label, sizeof label, " %c %s", teg_stall_facts(r)->letter,
                 teg_stall_label(r));
        if (any(t->stall[r]))
            print_series(f, v, t, label, t->stall[r], whole);
    }
}

static void print_units(FILE *f, const struct scene *v,
                        const struct timeline *t, const char *heading)
{
    double whole[COLUMNS];
    char label[64];

    print_heading(f, heading);
    for (uint32_t u = 0; u < t->unit_count; u++) {
        if (!any(t->busy[u]))
            continue;
        for (int c = 0; c < COLUMNS; c++)
            whole[c] = column_cycles(v) * t->instances[u];
        snprintf(label, sizeof label, "   %.24s", v->gpu->unit[u].name);
        print_series(f, v, t, label, t->busy[u], whole);
    }
}

/* Of one scheduler there is nothing to tell apart. */
static void print_sub_cores(FILE *f, const struct scene *v)
{
    double whole[COLUMNS];
    char label[64];

    if (v->sub_cores == 1)
        return;
    for (int c = 0; c < COLUMNS; c++)
        whole[c] = column_cycles(v) / v->gpu->sm.issue_period;
    print_heading(f, "tenths of issue slots used");
    for (uint32_t i = 0; i < v->sub_cores; i++) {
        snprintf(label, sizeof label, "   sub-core %" PRIu32, i);
        print_series(f, v, &v->sub[i], label, v->sub[i].issued, whole);
    }
}

/* What each column of one warp slot was spent on; index TEG_STALLS: issues. */
struct lane_state {
    double cycles[COLUMNS][TEG_STALLS + 1];
};

static void add_state(const struct scene *v, struct lane_state *s, int state,
                      uint64_t from, uint64_t to)
{
    if (to <= v->window.from || from >= v->window.to)
        return;
    for (int c = column_of(v, from); c < COLUMNS; c++) {
        double part = part_in(v, c, (double)from, (double)to);

        if (part <= 0)
            break;
        s->cycles[c][state] += part;
    }
}

static void add_point(const struct scene *v, struct lane_state *s,
                      const struct pc_point *p)
{
    uint64_t at = p->cycle - p->stalled;

    for (int r = 0; r < TEG_STALLS; r++) {
        add_state(v, s, r, at, at + p->stall[r]);
        at += p->stall[r];
    }
    add_state(v, s, TEG_STALLS, p->cycle, p->cycle + 1);
}

static char state_char(const double cycles[TEG_STALLS + 1])
{
    int most = TEG_STALLS;

    for (int r = 0; r < TEG_STALLS; r++) {
        if (cycles[r] > cycles[most])
            most = r;
    }
    if (cycles[most] <= 0)
        return ' ';
    return most == TEG_STALLS ? '#' : teg_stall_facts(most)->letter;
}

static int print_warps(FILE *f, const struct scene *v)
{
    struct lane_state *s = malloc(sizeof *s);

    if (s == NULL)
        return say_memory();
    print_heading(f, "warp slots");
    for (uint32_t w = v->window.warp_first; w <= v->window.warp_last; w++) {
        char row[COLUMNS], label[32];

        memset(s, 0, sizeof *s);
        for (size_t i = 0; i < v->points.points; i++) {
            if (v->points.point[i].slot == w)
                add_point(v, s, &v->points.point[i]);
        }
        for (int c = 0; c < COLUMNS; c++)
            row[c] = state_char(s->cycles[c]);
        snprintf(label, sizeof label, " %2" PRIu32, w);
        print_letters(f, label, row);
    }
    free(s);
    return EXIT_DONE;
}

static void paint(const struct scene *v, char row[COLUMNS], uint64_t from,
                  uint64_t to, char c)
{
    if (from >= to || to <= v->window.from || from >= v->window.to)
        return;
    for (int i = column_of(v, from); i <= column_of(v, to - 1); i++)
        row[i] = c;
}

/* Later marks cover earlier ones where several cycles share a column. */
static void print_instruction(FILE *f, const struct scene *v,
                              const struct pc_point *p)
{
    const struct teg_program *program = v->points.program;
    uint64_t at = p->cycle - p->stalled;
    char row[COLUMNS], label[64];

    memset(row, ' ', sizeof row);
    for (int r = 0; r < TEG_STALLS; r++) {
        paint(v, row, at, at + p->stall[r], teg_stall_facts(r)->letter);
        at += p->stall[r];
    }
    paint(v, row, p->cycle + 1, p->done, '=');
    paint(v, row, p->done, p->done + 1, 'E');
    paint(v, row, p->cycle, p->cycle + 1, '#');
    snprintf(label, sizeof label, "%2" PRIu32 " %04" PRIx64 " %s", p->slot,
             p->pc, teg_program_text(program, &program->inst[p->inst]));
    print_letters(f, label, row);
}

static void print_instructions_of(FILE *f, const struct scene *v)
{
    size_t shown = 0, count = v->points.points;

    print_heading(f, "slot pc instruction");
    for (uint32_t w = v->window.warp_first; w <= v->window.warp_last; w++) {
        for (size_t i = 0; i < count && shown < ROWS_MAX; i++) {
            if (v->points.point[i].slot == w) {
                print_instruction(f, v, &v->points.point[i]);
                shown++;
            }
        }
    }
    fprintf(f, "\nletters: what it waits for; # issues, = is under way, E its "
               "result is usable\n");
    if (shown < count)
        fprintf(f, "%zu more are left out: choose fewer cycles or warps\n",
                count - shown);
}

static int print_text(FILE *f, const void *part)
{
    const struct scene *v = part;
    const struct replay *r = v->replay;
    char a[28], b[28], name[TEG_NAME_MAX];
    int status;

    fprintf(f, "%.40s on %s, SM %u, cycles %s to %s: a column is %.4g\n",
            kernel_title(r->s->name, name), r->gpu->name, v->window.sm,
            with_commas(v->window.from, a), with_commas(v->window.to, b),
            column_cycles(v));
    status = print_warps(f, v);
    if (status != EXIT_DONE)
        return status;
    print_states(f, v, v->near,
                 v->near == v->one ? "tenths of the SM's warps"
                                   : "tenths of the sub-core's warps");
    print_sub_cores(f, v);
    print_units(f, v, v->near,
                v->near == v->one ? "tenths busy, units of the SM"
                                  : "tenths busy, by the sub-core");
    print_units(f, v, v->chip, "tenths busy, units of the chip");
    if (v->window.cycles_text != NULL)
        print_instructions_of(f, v);
    if (v->points.dropped != 0)
        fprintf(f,
                "%" PRIu64 " later instructions of the warps were left out: "
                "choose fewer cycles or warps\n",
                v->points.dropped);
    return EXIT_DONE;
}

/* ---- values ------------------------------------------------------------------ */

static json_t *bins_json(const struct timeline *t, const uint64_t *bin)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < timeline_bins(t); i++)
        json_array_append_new(array, json_integer((json_int_t)bin[i]));
    return array;
}

static json_t *timeline_json(const struct timeline *t,
                             const struct teg_gpu *gpu)
{
    json_t *stalls = json_object(), *units = json_array();

    for (int r = 0; r < TEG_STALLS; r++)
        json_object_set_new(stalls, teg_stall_label(r),
                            bins_json(t, t->stall[r]));
    for (uint32_t u = 0; u < t->unit_count; u++)
        json_array_append_new(
            units, json_pack("{s:s, s:i, s:o, s:o}", "name", gpu->unit[u].name,
                             "instances", (int)t->instances[u], "busy_cycles",
                             bins_json(t, t->busy[u]), "load_cycles",
                             bins_json(t, t->load[u])));
    return json_pack("{s:I, s:I, s:o, s:o, s:o}", "first_cycle",
                     (json_int_t)t->choice.from, "bin_cycles",
                     (json_int_t)t->bin_cycles, "issued",
                     bins_json(t, t->issued), "stalls", stalls, "units", units);
}

static json_t *point_json(const struct pc_trace *t, const struct pc_point *p)
{
    return json_pack(
        "{s:I, s:I, s:i, s:i, s:I, s:s, s:i, s:I, s:i, s:s?}", "cycle",
        (json_int_t)p->cycle, "block", (json_int_t)p->block, "warp",
        (int)p->warp, "slot", (int)p->slot, "pc", (json_int_t)p->pc, "text",
        teg_program_text(t->program, &t->program->inst[p->inst]),
        "active_lanes", __builtin_popcount(p->mask), "done",
        (json_int_t)p->done, "stalled", (int)p->stalled, "reason",
        p->reason < TEG_STALLS ? teg_stall_label(p->reason) : NULL);
}

static json_t *values(const void *part)
{
    const struct scene *v = part;
    const struct replay *r = v->replay;
    json_t *points = json_array(), *sub = json_array();

    for (uint32_t i = 0; i < v->sub_cores; i++)
        json_array_append_new(sub, timeline_json(&v->sub[i], r->gpu));
    for (size_t i = 0; v->window.cycles_text != NULL && i < v->points.points;
         i++)
        json_array_append_new(points,
                              point_json(&v->points, &v->points.point[i]));
    return json_pack(
        "{s:o, s:o, s:s, s:i, s:b, s:[I, I], s:o, s:o, s:o, s:o}", "teg",
        teg_json(), "gpu", gpu_json(r->gpu), "kernel", r->s->name, "sm",
        (int)v->window.sm, "incomplete", r->incomplete, "cycles",
        (json_int_t)v->window.from, (json_int_t)v->window.to, "on_sm",
        timeline_json(v->one, r->gpu), "on_sub_cores", sub, "on_chip",
        timeline_json(v->chip, r->gpu), "instructions", points);
}

static void put_mean(json_t *row, const char *place, const char *what,
                     const char *tail, double v)
{
    char name[96];

    snprintf(name, sizeof name, "%s_%s%s", place, what, tail);
    json_object_set_new(row, name, json_sprintf("%.4f", v));
}

/* Mean warps in each state, and busy shares of units. */
static void put_bin(json_t *row, const struct scene *v, const char *place,
                    const struct timeline *t, uint32_t bin)
{
    double width = (double)timeline_width(t, bin);

    put_mean(row, place, "issued", "", (double)t->issued[bin] / width);
    for (int r = 0; r < TEG_STALLS; r++)
        put_mean(row, place, teg_stall_label(r), "",
                 (double)t->stall[r][bin] / width);
    for (uint32_t u = 0; u < t->unit_count; u++)
        put_mean(row, place, v->gpu->unit[u].name, "_busy",
                 (double)t->busy[u][bin] / width / t->instances[u]);
}

/* A row is a bin. */
static json_t *rows(const void *part)
{
    const struct scene *v = part;
    const struct timeline *t = v->one;
    json_t *array = json_array();

    for (uint32_t i = 0; i < timeline_bins(t); i++) {
        uint64_t cycle = t->choice.from + i * t->bin_cycles;
        json_t *row = json_pack("{s:I}", "cycle", (json_int_t)cycle);

        put_bin(row, v, "sm", v->one, i);
        put_bin(row, v, "chip", v->chip, i);
        for (uint32_t k = 0; k < v->sub_cores; k++) {
            char place[24];

            snprintf(place, sizeof place, "sub%" PRIu32, k);
            put_bin(row, v, place, &v->sub[k], i);
        }
        json_array_append_new(array, row);
    }
    return array;
}

int scene_write(const struct scene *v, uint32_t format, const char *path)
{
    static const struct view view = {
        .text = print_text,
        .values = values,
        .rows = rows,
    };

    return view_write(&view, v, format, path);
}
