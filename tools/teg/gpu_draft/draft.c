#include "tools/teg/gpu_draft/draft.h"

#include "tools/teg/cli/gpu_path.h"
#include "tools/teg/cli/output.h"
#include "tools/teg/cli/teg.h"
#include "tools/teg/gpu_draft/values.h"

#include <ctype.h>
#include <libconfig.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* ---- the most similar chip ------------------------------------------------ */

/* Smaller is more similar: the same compute capability, else an older one,
 * else a newer one; the one that stands for its capability before others. */
static double difference(const struct teg_gpu *gpu, uint32_t capability)
{
    double step = (double)gpu->chip.compute_capability - (double)capability;
    double other = gpu->default_for == gpu->chip.compute_capability ? 0 : 0.5;

    return (step > 0 ? 1000 + step : -step) + other;
}

static int find_like(struct draft *a, const struct teg_gpu_list *list)
{
    const struct teg_gpu_entry *entry = NULL;
    double best = HUGE_VAL;
    const char *slash;

    for (size_t i = 0; i < list->count; i++) {
        struct teg_gpu *gpu = NULL;
        struct teg_diag d;

        if (teg_gpu_load(list->entry[i].path, &gpu, &d) != TEG_OK)
            return say_fault(&d);
        if (difference(gpu, a->m.capability) < best) {
            struct teg_gpu *worse = a->like;

            best = difference(gpu, a->m.capability);
            entry = &list->entry[i];
            a->like = gpu;
            gpu = worse;
        }
        teg_gpu_free(gpu);
    }
    if (entry == NULL) {
        say("", "no GPU description to inherit from; set TEG_CONFIG_PATH");
        return EXIT_FAULT;
    }
    slash = strrchr(entry->path, '/');
    snprintf(a->like_file, sizeof a->like_file, "%.120s",
             slash != NULL ? slash + 1 : entry->path);
    snprintf(a->like_directory, sizeof a->like_directory, "%.*s",
             slash != NULL ? (int)(slash - entry->path) : 1,
             slash != NULL ? entry->path : ".");
    if (a->like->chip.compute_capability != a->m.capability)
        say("", "no description of compute capability %u: inheriting from %s",
            a->m.capability, a->like->name);
    return EXIT_DONE;
}

static int open_like(struct draft *a, const char *config_dir)
{
    struct teg_gpu_list list;
    const char *family;
    config_t config;
    char path[PATH_MAX + 160];
    int status = gpu_list_find_all(&list, config_dir);

    if (status != EXIT_DONE)
        return status;
    status = find_like(a, &list);
    teg_gpu_list_release(&list);
    if (status != EXIT_DONE)
        return status;
    snprintf(path, sizeof path, "%s/%s", a->like_directory, a->like_file);
    config_init(&config);
    config_set_include_dir(&config, a->like_directory);
    if (!config_read_file(&config, path)) {
        say(path, "cannot read its family");
        status = EXIT_FAULT;
    } else if (config_lookup_string(&config, "family", &family))
        snprintf(a->family, sizeof a->family, "%s", family);
    config_destroy(&config);
    return status;
}

/* ---- writing -------------------------------------------------------------- */

/* A string of libconfig: names of devices are not ours. */
static void put_string(FILE *f, const char *text)
{
    fputc('"', f);
    for (; *text != '\0'; text++) {
        if (*text == '"' || *text == '\\')
            fputc('\\', f);
        fputc(iscntrl((unsigned char)*text) ? ' ' : *text, f);
    }
    fputc('"', f);
}

static void put_params(struct draft *a)
{
    uint32_t count;
    const struct param *p = params(&count);
    const char *group = "";

    for (uint32_t i = 0; i < count; i++) {
        const struct given *g = &a->param[i];

        if (!g->set)
            continue;
        if (strcmp(group, p[i].group) != 0) {
            fprintf(a->f, "%s\n%s: {\n", group[0] != '\0' ? "};\n" : "",
                    p[i].group);
            group = p[i].group;
        }
        fprintf(a->f, "    %-16s = ( ", p[i].field);
        if (p[i].kind == PARAM_CHOICE)
            put_string(a->f, p[i].choice[(uint32_t)g->value]);
        else
            fprintf(a->f, p[i].kind == PARAM_WHOLE ? "%.0f" : "%.5g", g->value);
        fprintf(a->f, ", ");
        put_string(a->f, g->source);
        fprintf(a->f, " );\n");
    }
    fprintf(a->f, "%s", group[0] != '\0' ? "};\n" : "");
}

static void put_inherited_source(struct draft *a, const struct teg_fact *f)
{
    char source[DRAFT_SOURCE_SIZE];

    snprintf(source, sizeof source, "I as %s: %.140s", a->like->name,
             f->source);
    put_string(a->f, source);
}

static const struct teg_fact *fact_of(const struct teg_gpu *gpu,
                                      const char *group, const char *name)
{
    char key[64];

    snprintf(key, sizeof key, "%s.%.40s", group, name);
    for (uint32_t i = 0; i < gpu->fact_count; i++) {
        if (strcmp(gpu->fact[i].key, key) == 0)
            return &gpu->fact[i];
    }
    return NULL;
}

static void put_units(struct draft *a)
{
    const char *before = "\nunits = (\n";

    for (uint32_t i = 0; i < a->like->unit_count; i++) {
        const struct teg_unit *u = &a->like->unit[i];
        const struct teg_fact *f = fact_of(a->like, "unit", u->name);

        if (f == NULL || !draft_is_own(a, f))
            continue;
        fprintf(a->f,
                "%s    { name = \"%s\"; scope = \"%s\"; count = %u; capacity = "
                "%u; source = ",
                before, u->name, u->scope == UNIT_SCOPE_SM ? "sm" : "scheduler",
                u->count, u->capacity);
        put_inherited_source(a, f);
        fprintf(a->f, "; }");
        before = ",\n";
    }
    if (before[0] == ',')
        fprintf(a->f, "\n);\n");
}

static double rounded(const json_t *result)
{
    return floor(measured_median(result) + 0.5);
}

/* Replaces what was measured in the similar chip's timing and says so;
 * returns false if nothing was. */
static bool measure_timing(const struct draft *a, enum teg_op_class c,
                           struct teg_timing *t, char source[DRAFT_SOURCE_SIZE])
{
    const struct teg_op_class_facts *facts = teg_op_class_facts(c);
    const json_t *latency = measured_of_class(&a->m, facts->key, "latency");
    const json_t *rate = measured_of_class(&a->m, facts->key, "throughput");
    const json_t *same = measured_of_class(&a->m, facts->key, "same_warp");
    char by[DRAFT_SOURCE_SIZE];
    size_t used;

    /* Global memory's latencies are those of the caches, a barrier's is
     * sm.barrier_latency. */
    if (facts->kind == RESULT_LONG || c == CLASS_BARRIER ||
        (latency == NULL && rate == NULL && same == NULL))
        return false;
    snprintf(source, DRAFT_SOURCE_SIZE, "%.150s:", draft_source(a, by));
    if (latency != NULL) {
        t->latency = (uint32_t)rounded(latency);
        used = strlen(source);
        snprintf(source + used, DRAFT_SOURCE_SIZE - used, " %.16s %.4g cycles",
                 measured_name(latency), measured_median(latency));
    }
    if (rate != NULL) {
        t->interval = (uint32_t)fmax(
            1, floor(draft_instances(a, t) / measured_median(rate) + 0.5));
        used = strlen(source);
        snprintf(source + used, DRAFT_SOURCE_SIZE - used, "%s %.4g/cycle/SM",
                 latency != NULL ? "," : "", measured_median(rate));
    }
    if (latency == NULL || rate == NULL) {
        used = strlen(source);
        snprintf(source + used, DRAFT_SOURCE_SIZE - used, "; %s as %s",
                 latency == NULL ? "latency" : "interval", a->like->name);
    }
    /* Independent instructions of one warp wait for the longer of both. */
    if (same != NULL && rounded(same) > t->interval)
        t->same_warp = (uint32_t)rounded(same);
    return true;
}

static void put_timing_row(struct draft *a, enum teg_op_class c,
                           const struct teg_timing *t)
{
    char units[40];

    snprintf(units, sizeof units, "\"%s%s%s\"", a->like->unit[t->unit[0]].name,
             t->unit_count > 1 ? " " : "",
             t->unit_count > 1 ? a->like->unit[t->unit[1]].name : "");
    fprintf(a->f, "    %-9s = ( %-10s %3u, %3u, %u, ",
            teg_op_class_facts(c)->key, strcat(units, ","), t->latency,
            t->interval, t->same_warp);
}

static void put_timing(struct draft *a)
{
    fprintf(a->f, "\n/* class    units       EL   ML  SL  source */\ntiming: "
                  "{\n");
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        const struct teg_fact *f =
            fact_of(a->like, "timing", teg_op_class_facts(c)->key);
        struct teg_timing t = a->like->timing[c];
        char source[DRAFT_SOURCE_SIZE];

        a->timing[c] = measure_timing(a, c, &t, source);
        if (a->timing[c]) {
            put_timing_row(a, c, &t);
            put_string(a->f, source);
        } else if (f != NULL && draft_is_own(a, f)) {
            a->timing[c] = true;
            put_timing_row(a, c, &t);
            put_inherited_source(a, f);
        } else {
            continue;
        }
        fprintf(a->f, " );\n");
    }
    fprintf(a->f, "};\n");
}

/* Comments: what the family says and nobody measured. */
static void put_family(struct draft *a)
{
    fprintf(a->f, "\n# Inherited from %s, not measured:\n", a->family);
    for (uint32_t i = 0; i < a->like->fact_count; i++) {
        const struct teg_fact *f = &a->like->fact[i];
        const struct param *p = param_find(f->key);

        if (f->where[0] == '\0' || draft_is_own(a, f) ||
            (p != NULL && a->param[p - params(&(uint32_t){0})].set))
            continue;
        if (strncmp(f->key, "timing.", 7) == 0 &&
            a->timing[teg_op_class_find(f->key + 7)])
            continue;
        fprintf(a->f, "#   %s = %s: %s (%s)\n", f->key, f->value, f->source,
                f->where);
    }
}

/* "NVIDIA A100-SXM4-40GB" -> "a100-sxm4-40gb"; "dir/mychip.cfg" ->
 * "mychip" */
static void make_name(const struct draft *a, const char *out, char name[32])
{
    static const char *const brands[] = {"nvidia ", "geforce ", "tesla "};
    const char *slash = out != NULL ? strrchr(out, '/') : NULL;
    char text[256];
    size_t length = 0;
    const char *from = text;

    snprintf(text, sizeof text, "%s",
             out == NULL     ? a->m.name
             : slash != NULL ? slash + 1
                             : out);
    if (out != NULL && strstr(text, ".cfg") != NULL)
        *strstr(text, ".cfg") = '\0';
    for (char *c = text; *c != '\0'; c++)
        *c = (char)tolower((unsigned char)*c);
    for (size_t i = 0; i < sizeof brands / sizeof brands[0]; i++) {
        if (strncmp(from, brands[i], strlen(brands[i])) == 0)
            from += strlen(brands[i]);
    }
    for (; *from != '\0' && length < 31; from++) {
        if (isalnum((unsigned char)*from) || strchr("_-", *from) != NULL)
            name[length++] = *from;
        else if (length > 0 && name[length - 1] != '-')
            name[length++] = '-';
    }
    name[length] = '\0';
    if (length == 0)
        snprintf(name, 32, "measured");
}

/* The family beside `out` if it is there, else where it was found. */
static void find_family(const struct draft *a, const char *out,
                        char path[PATH_MAX])
{
    const char *slash = out != NULL ? strrchr(out, '/') : NULL;
    char found[3 * PATH_MAX];
    size_t used;
    FILE *f;

    snprintf(path, PATH_MAX, "%s", a->family);
    if (out == NULL || a->family[0] == '/')
        return;
    snprintf(found, sizeof found, "%.*s%s",
             slash != NULL ? (int)(slash + 1 - out) : 0, out, a->family);
    f = fopen(found, "r");
    if (f != NULL) {
        fclose(f);
        return;
    }
    if (a->like_directory[0] != '/' && getcwd(found, PATH_MAX) == NULL)
        return;
    used = a->like_directory[0] != '/' ? strlen(found) : 0;
    snprintf(found + used, sizeof found - used, "%s%s/%s", used > 0 ? "/" : "",
             a->like_directory, a->family);
    if (strlen(found) < PATH_MAX)
        snprintf(path, PATH_MAX, "%.*s", PATH_MAX - 1, found);
}

static void put_head(struct draft *a, const char *out)
{
    char name[32], family[PATH_MAX], title[96];

    make_name(a, out, name);
    find_family(a, out, family);
    snprintf(title, sizeof title, "%.70s%s", a->m.name,
             a->m.synthetic ? " (synthetic)" : "");
    fprintf(a->f,
            "# A draft by `teg gpus --from-measurements`: read it before you "
            "trust it.\n"
            "# M was measured, V the driver reports, D follows from others; I "
            "is taken\n"
            "# over from %s and stands to be measured.\n"
            "name   = \"%s\";\ntitle  = ",
            a->like->name, name);
    put_string(a->f, title);
    fprintf(a->f, ";\n");
    if (a->family[0] != '\0') {
        fprintf(a->f, "family = ");
        put_string(a->f, family);
        fprintf(a->f, ";\n");
    }
}

/* ---- the whole ------------------------------------------------------------ */

static int put_all(struct draft *a, const char *out)
{
    struct output o;
    int status = output_open(&o, out);

    if (status != EXIT_DONE)
        return status;
    a->f = o.file;
    put_head(a, out);
    put_params(a);
    put_units(a);
    put_timing(a);
    put_family(a);
    return output_close(&o);
}

static void warn(const struct draft *a, const char *measurements)
{
    if (a->m.synthetic)
        say(measurements,
            "these measurements are synthetic: the draft describes no GPU");
    for (size_t i = 0; i < json_array_size(a->m.results); i++) {
        const json_t *r = json_array_get(a->m.results, i);

        if (measured_is_doubtful(r))
            say(measurements,
                "%s: not used, its kernel holds other instructions",
                measured_name(r));
    }
}

/* Does what was written load? */
static int try_load(const char *out)
{
    struct teg_gpu *gpu = NULL;
    struct teg_diag d;

    if (out == NULL)
        return EXIT_DONE;
    if (teg_gpu_load(out, &gpu, &d) != TEG_OK)
        return say_fault(&d);
    teg_gpu_free(gpu);
    return EXIT_DONE;
}

int draft_write(const char *measurements, const char *config_dir,
                const char *out)
{
    struct draft *a = calloc(1, sizeof *a);
    struct teg_diag d;
    int status;

    if (a == NULL)
        return say_memory();
    if (measured_read(measurements, &a->m, &d) != TEG_OK) {
        free(a);
        return say_fault(&d);
    }
    warn(a, measurements);
    status = open_like(a, config_dir);
    if (status == EXIT_DONE) {
        draft_gather(a);
        status = put_all(a, out);
    }
    if (status == EXIT_DONE)
        status = try_load(out);
    teg_gpu_free(a->like);
    measured_release(&a->m);
    free(a);
    return status;
}
