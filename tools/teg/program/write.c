/* What is said of a program in time, in every format. */
#include "tools/teg/program/program.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/teg/cli/color.h"
#include "tools/teg/report/report.h"

enum {
    LINE_WIDTH = 64,  /* characters of the time line */
    STREAMS_MAX = 12, /* of it */
    KERNELS_MAX = 12,
    NAME_WIDTH = 30,
    LEGEND_WIDTH = 40,
};

bool timed_has_tasks(const struct timed *p, uint32_t stream)
{
    for (uint32_t i = 0; i < p->tasks.tasks; i++) {
        if (p->tasks.task[i].stream == stream &&
            p->tasks.task[i].kind != SIM_TASK_MARK)
            return true;
    }
    return false;
}

const char *timed_task_title(const struct timed *p, uint32_t task,
                             char out[TEG_NAME_MAX])
{
    const struct sim_program_task *t = &p->tasks.task[task];

    if (t->kind != SIM_TASK_LAUNCH)
        snprintf(out, TEG_NAME_MAX, "%s", sim_task_word(t));
    else
        kernel_title(p->kernel[t->kernel].name, out);
    return out;
}

/* ---- text ----------------------------------------------------------------- */

static const char *caches_of(const struct timed *p)
{
    return p->measured ? "as measured" : caches_names[p->job.caches];
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "es";
}

static double percent_of(const struct timed *p, double us)
{
    return p->result.us > 0 ? 100 * us / p->result.us : 0;
}

struct counts {
    uint64_t launches, copies;
};

static struct counts counts_of(const struct timed *p)
{
    struct counts c = {0};

    for (uint32_t i = 0; i < p->tasks.tasks; i++) {
        enum sim_task_kind kind = p->tasks.task[i].kind;

        c.launches += kind == SIM_TASK_LAUNCH;
        c.copies += kind != SIM_TASK_LAUNCH && kind != SIM_TASK_MARK &&
                    kind != SIM_TASK_HOST;
    }
    return c;
}

static void print_head(FILE *f, const struct timed *p)
{
    const struct counts c = counts_of(p);
    char title[TEG_NAME_MAX], text[400];

    fprintf(f, "%s%s%s on %s\n", tint(f, TINT_STRONG),
            path_title(p->title, title), tint(f, TINT_OFF), p->job.gpu->name);
    snprintf(text, sizeof text,
             "%.4g us from the first call to the last end (%s%s%s%s): %" PRIu64
             " launch%s, %.4g us; %" PRIu64
             " copies and sets, %.4g us; something runs %.0f %% of the time",
             p->result.us,
             p->measured ? "each as measured" : "simulated; caches ",
             p->measured ? "" : caches_names[p->job.caches],
             p->together ? "; launches beside each other together" : "",
             p->serial ? "; --serial" : "", c.launches, plural(c.launches),
             p->result.launch_us, c.copies, p->result.copy_us,
             percent_of(p, p->result.busy_us));
    print_wrapped(f, text, 0, 0);
    snprintf(text, sizeof text,
             "one after the other %.4g us; if nothing waited for SMs or the "
             "link %.4g us",
             p->serial_us, p->least_us);
    print_wrapped(f, text, 0, 0);
    replay_recalled_text(p->recalled, c.launches, text, sizeof text);
    if (text[0] != '\0')
        print_wrapped(f, text, 0, 0);
    if (p->measured_us > 0) {
        snprintf(text, sizeof text, "the run itself took %.4g us",
                 p->measured_us);
        print_wrapped(f, text, 0, 0);
    }
    if (p->score->untraced != 0) {
        snprintf(text, sizeof text,
                 "%" PRIu64 " launches are in no trace and take no time here",
                 p->score->untraced);
        print_wrapped(f, text, 0, 0);
    }
}

/* A character of the line for each kernel, a lower-case letter by its place. */
static char mark_of(const struct sim_program_task *t)
{
    static const char kinds[SIM_TASK_KINDS] = {
        [SIM_TASK_TO_DEVICE] = '>', [SIM_TASK_FROM_DEVICE] = '<',
        [SIM_TASK_ON_DEVICE] = '=', [SIM_TASK_PEER] = '~',
        [SIM_TASK_SET] = '=',       [SIM_TASK_HOST] = '!'};

    if (t->kind == SIM_TASK_LAUNCH)
        return (char)('a' + t->kernel / 2 % 26);
    return kinds[t->kind];
}

/* In each character what of the stream takes most of its time. */
static void draw_stream(const struct timed *p, uint32_t stream,
                        char line[LINE_WIDTH + 1])
{
    double best[LINE_WIDTH] = {0}, width = p->result.us / LINE_WIDTH;

    memset(line, '.', LINE_WIDTH);
    line[LINE_WIDTH] = '\0';
    for (uint32_t i = 0; i < p->tasks.tasks; i++) {
        const struct sim_program_task *t = &p->tasks.task[i];
        int from, to;

        if (t->stream != stream || t->kind == SIM_TASK_MARK)
            continue;
        from = (int)(t->start / width);
        to = (int)(t->end / width);
        for (int c = from; c <= to && c < LINE_WIDTH; c++) {
            double part =
                fmin(t->end, (c + 1) * width) - fmax(t->start, c * width);

            if (part > best[c]) {
                best[c] = part;
                line[c] = mark_of(t);
            }
        }
    }
}

static void print_line(FILE *f, const struct timed *p)
{
    char line[LINE_WIDTH + 1], title[TEG_NAME_MAX];
    uint32_t shown = 0;

    if (p->result.us <= 0)
        return;
    fprintf(f, "\n%sstream%s  0%*.4g us\n", tint(f, TINT_STRONG),
            tint(f, TINT_OFF), LINE_WIDTH - 4, p->result.us);
    for (uint32_t i = 0; i < p->score->streams && shown < STREAMS_MAX; i++) {
        if (!timed_has_tasks(p, i))
            continue;
        shown++;
        draw_stream(p, i, line);
        fprintf(f, "%6" PRId64 "  %s\n", p->score->stream[i].name, line);
    }
    fputs("        > < = copies to, from, on the device and sets", f);
    for (uint32_t i = 0; i < p->kernels && i / 2 < 26; i += 2) {
        if (p->kernel[i].name != NULL)
            fprintf(f, "%s %c %s", i == 0 ? ";" : ",", 'a' + (char)(i / 2),
                    kernel_title_in(p->kernel[i].name, LEGEND_WIDTH, title));
    }
    fputc('\n', f);
}

static void print_part(FILE *f, const struct timed *p, const char *name,
                       double us, double without_us)
{
    fprintf(f, "%10.4g %6.1f %%  %-*.*s", us, percent_of(p, us), NAME_WIDTH,
            NAME_WIDTH, name);
    if (without_us >= 0)
        fprintf(f, " %10.4g", without_us);
    fputc('\n', f);
}

/* The kernel with most time on the path of those that come behind `last`, by
 * time and then as they are listed; NULL: no more. */
static const struct timed_kernel *next_on_path(const struct timed *p,
                                               const struct timed_kernel *last)
{
    const struct timed_kernel *most = NULL;

    for (uint32_t i = 0; i < p->kernels; i++) {
        const struct timed_kernel *k = &p->kernel[i];
        int is_behind = last == NULL || k->path_us < last->path_us ||
                        (k->path_us == last->path_us && k > last);

        if (is_behind && k->path_us > 0 &&
            (most == NULL || k->path_us > most->path_us))
            most = k;
    }
    return most;
}

static void print_path(FILE *f, const struct timed *p)
{
    const struct timed_kernel *k = NULL;
    char name[TEG_NAME_MAX], text[TEG_NAME_MAX + 16];

    fprintf(f, "\n%s%10s %8s  %-*s %10s%s\n", tint(f, TINT_STRONG), "us",
            "share", NAME_WIDTH, "on the critical path", "total without",
            tint(f, TINT_OFF));
    for (int n = 0; n < KERNELS_MAX && (k = next_on_path(p, k)) != NULL; n++) {
        const char *later = k->later ? " (later)" : "";

        snprintf(text, sizeof text, "%s%s",
                 kernel_title_in(k->name, NAME_WIDTH - strlen(later), name),
                 later);
        print_part(f, p, text, k->path_us, p->no_ranking ? -1 : k->without_us);
    }
    for (int i = 0; i < TIMED_PARTS; i++) {
        if (p->part_us[i] > 0)
            print_part(f, p, timed_part_name(i), p->part_us[i],
                       i == PART_COPIES && !p->no_ranking ? p->copies_without_us
                                                          : -1);
    }
}

static void print_whatifs(FILE *f, const struct timed *p)
{
    if (p->whatifs == 0)
        return;
    fprintf(f, "\n%s%-*s %10s %8s%s\n", tint(f, TINT_STRONG), NAME_WIDTH + 20,
            "what if", "us", "speedup", tint(f, TINT_OFF));
    for (uint32_t i = 0; i < p->whatifs; i++)
        fprintf(f, "%-*s %10.4g %8.2f\n", NAME_WIDTH + 20, p->whatif[i].name,
                p->whatif[i].us,
                p->whatif[i].us > 0 ? p->result.us / p->whatif[i].us : 1);
}

static void print_tasks(FILE *f, const struct timed *p)
{
    uint32_t told = 0, more = 0;
    char name[TEG_NAME_MAX];

    fprintf(f, "\n%s%10s %10s %6s  %-*s %s%s\n", tint(f, TINT_STRONG), "start",
            "us", "stream", NAME_WIDTH, "in order", "waited for",
            tint(f, TINT_OFF));
    for (uint32_t i = 0; i < p->tasks.tasks; i++) {
        const struct sim_program_task *t = &p->tasks.task[i];

        if (t->kind == SIM_TASK_MARK)
            continue;
        if (told == p->rows) {
            more++;
            continue;
        }
        told++;
        fprintf(
            f, "%10.4g %10.4g %6" PRId64 "  %-*s %s\n", t->start,
            t->end - t->start, p->score->stream[t->stream].name, NAME_WIDTH,
            t->kind == SIM_TASK_LAUNCH
                ? kernel_title_in(p->kernel[t->kernel].name, NAME_WIDTH, name)
                : sim_task_word(t),
            sim_wait_name(t->why));
    }
    if (more != 0)
        fprintf(f, "... and %" PRIu32 " more: --rows, or -f csv\n", more);
}

static int print_program(FILE *f, const void *part)
{
    const struct timed *p = part;

    print_head(f, p);
    print_line(f, p);
    print_path(f, p);
    print_whatifs(f, p);
    print_tasks(f, p);
    return EXIT_DONE;
}

/* ---- values --------------------------------------------------------------- */

static json_t *or_null(double us)
{
    return us >= 0 ? json_real(us) : json_null();
}

static json_t *shape_json(const uint32_t shape[3])
{
    return json_pack("[i, i, i]", (int)shape[0], (int)shape[1], (int)shape[2]);
}

static json_t *timed_kernels_json(const struct timed *p)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < p->kernels; i++) {
        const struct timed_kernel *k = &p->kernel[i];

        if (k->launches == 0)
            continue;
        json_array_append_new(
            array,
            json_pack("{s:o, s:o, s:i, s:b, s:o, s:o, s:I, s:f, s:f, s:f, s:f, "
                      "s:o, s:o}",
                      "name", json_text(k->name), "demangled",
                      demangled_json(k->name), "number", (int)i / 2 + 1,
                      "later", k->later, "grid", shape_json(k->grid), "block",
                      shape_json(k->block), "launches", (json_int_t)k->launches,
                      "cycles_alone", k->cycles, "time_alone_us",
                      p->alone[i].us, "time_us", k->us, "path_us", k->path_us,
                      "total_without_us",
                      or_null(p->no_ranking ? -1 : k->without_us),
                      "error_bound_percent",
                      k->error_bound > 0 ? json_real(100 * k->error_bound)
                                         : json_null()));
    }
    return array;
}

static json_t *path_json(const struct timed *p)
{
    json_t *path = json_object();
    double kernels = 0;

    for (uint32_t i = 0; i < p->kernels; i++)
        kernels += p->kernel[i].path_us;
    json_object_set_new(path, "kernels_us", json_real(kernels));
    json_object_set_new(path, "copies_us", json_real(p->part_us[PART_COPIES]));
    json_object_set_new(path, "gaps_us", json_real(p->part_us[PART_GAPS]));
    json_object_set_new(path, "latency_us",
                        json_real(p->part_us[PART_LATENCY]));
    json_object_set_new(path, "host_us", json_real(p->part_us[PART_HOST]));
    json_object_set_new(path, "synchronisation_us",
                        json_real(p->part_us[PART_SYNC]));
    json_object_set_new(path, "total_without_copies_us",
                        or_null(p->no_ranking ? -1 : p->copies_without_us));
    return path;
}

static json_t *whatifs_json(const struct timed *p)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < p->whatifs; i++)
        json_array_append_new(array, json_pack("{s:o, s:f}", "name",
                                               json_text(p->whatif[i].name),
                                               "time_us", p->whatif[i].us));
    return array;
}

static json_t *task_json(const struct timed *p, uint32_t i)
{
    const struct sim_program_task *t = &p->tasks.task[i];
    char name[TEG_NAME_MAX];

    return json_pack(
        "{s:i, s:o, s:s, s:o, s:I, s:f, s:f, s:f, s:s, s:o}", "entry",
        (int)t->entry, "node",
        t->node != TEG_SCORE_NONE ? json_integer((json_int_t)t->node)
                                  : json_null(),
        "what", sim_task_word(t), "name",
        t->kind == SIM_TASK_LAUNCH ? json_text(timed_task_title(p, i, name))
                                   : json_null(),
        "stream", (json_int_t)p->score->stream[t->stream].name, "start_us",
        t->start, "end_us", t->end, "bytes", t->bytes, "waited_for",
        sim_wait_name(t->why), "waited_entry",
        t->because != TEG_SCORE_NONE
            ? json_integer((json_int_t)p->tasks.task[t->because].entry)
            : json_null());
}

static json_t *tasks_json(const struct timed *p)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < p->tasks.tasks; i++) {
        if (p->tasks.task[i].kind != SIM_TASK_MARK)
            json_array_append_new(array, task_json(p, i));
    }
    return array;
}

/* Records of events: what cudaEventElapsedTime tells the difference of. */
static json_t *events_json(const struct timed *p)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < p->tasks.tasks; i++) {
        const struct sim_program_task *t = &p->tasks.task[i];

        if (t->kind == SIM_TASK_MARK && t->records)
            json_array_append_new(
                array, json_pack("{s:I, s:i, s:I, s:f}", "event",
                                 (json_int_t)t->kernel, "entry", (int)t->entry,
                                 "stream",
                                 (json_int_t)p->score->stream[t->stream].name,
                                 "us", t->end));
    }
    return array;
}

static json_t *values(const void *part)
{
    const struct timed *p = part;
    const struct counts c = counts_of(p);

    return json_pack(
        "{s:o, s:o, s:o, s:s, s:b, s:b, s:o, s:f, s:f, s:f, s:I, s:I, s:f, "
        "s:I, "
        "s:f, s:f, s:I, s:o, s:o, s:o, s:o, s:o}",
        "teg", teg_json(), "gpu", gpu_json(p->job.gpu), "program",
        json_text(p->title), "caches", caches_of(p), "serial", p->serial,
        "together", p->together, "measured_us",
        p->measured_us > 0 ? json_real(p->measured_us) : json_null(), "time_us",
        p->result.us, "serial_us", p->serial_us, "without_waiting_us",
        p->least_us, "launches", (json_int_t)c.launches, "recalled",
        (json_int_t)p->recalled, "launches_us", p->result.launch_us, "copies",
        (json_int_t)c.copies, "copies_us", p->result.copy_us, "busy_us",
        p->result.busy_us, "untraced", (json_int_t)p->score->untraced, "path",
        path_json(p), "kernels", timed_kernels_json(p), "what_ifs",
        whatifs_json(p), "tasks", tasks_json(p), "events", events_json(p));
}

int timed_write(const struct timed *p)
{
    static const struct view view = {
        .text = print_program,
        .values = values,
        .table = "tasks",
        .columns = "entry,what,name",
    };

    return view_write(&view, p, p->job.format, p->job.out);
}
