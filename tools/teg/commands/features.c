/*
 * teg features: the portable feature vector of each launch, a row each.
 *
 *     trace,number,kernel,isa,instructions,arithmetic,special,...
 *     saxpy.tegt,1,saxpy,80,1900,900,0,...
 */
#include "tools/teg/report/report.h"

#include "traces/study/features.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const row_formats[] = {"csv", "json", NULL};

enum {
    ROWS_CSV,
    ROWS_JSON,
};

struct features {
    struct job job; /* the options; each trace opens a copy */
    uint32_t format;
    bool all;
    struct output out;
    json_t *rows; /* owned */
    uint32_t row_count;
};

/* A feature's column is there. */
static bool is_shown(const struct features *self, enum teg_feature f)
{
    return self->all || !teg_feature_facts(f)->is_detail;
}

static void print_head(const struct features *self)
{
    fprintf(self->out.file, "trace,number,kernel,isa");
    for (uint32_t f = 0; f < TEG_FEATURES; f++) {
        if (is_shown(self, f))
            fprintf(self->out.file, ",%s", teg_feature_facts(f)->name);
    }
    fputc('\n', self->out.file);
}

/* 17 digits give the same double back; counts are printed as integers. */
static void print_row(const struct features *self, const char *path,
                      uint32_t number, const struct teg_kernel *k,
                      const struct teg_features *features)
{
    FILE *f = self->out.file;

    print_csv_text(f, path);
    fprintf(f, ",%" PRIu32 ",", number);
    print_csv_text(f, k->name);
    fprintf(f, ",%" PRIu32, k->isa);
    for (uint32_t i = 0; i < TEG_FEATURES; i++) {
        if (!is_shown(self, i))
            continue;
        fputc(',', f);
        if (features->known[i])
            fprintf(f, "%.17g", features->value[i]);
    }
    fputc('\n', f);
}

static json_t *feature_json(double value)
{
    return value == (double)(json_int_t)value ? json_integer((json_int_t)value)
                                              : json_real(value);
}

static json_t *row_json(const struct features *self, const char *path,
                        uint32_t number, const struct teg_kernel *k,
                        const struct teg_features *features)
{
    json_t *values = json_object();

    for (uint32_t i = 0; i < TEG_FEATURES; i++) {
        if (is_shown(self, i))
            json_object_set_new(values, teg_feature_facts(i)->name,
                                features->known[i]
                                    ? feature_json(features->value[i])
                                    : json_null());
    }
    return json_pack("{s:s, s:i, s:s, s:i, s:I, s:o}", "trace", path, "number",
                     (int)number, "kernel", k->name, "isa", (int)k->isa,
                     "blocks_traced", (json_int_t)features->blocks_traced,
                     "features", values);
}

/* What makes the vector less than the launch. */
static void remark(const char *path, const struct teg_kernel *k,
                   const struct teg_features *f)
{
    if (f->blocks_traced != teg_kernel_blocks(k))
        say(path,
            "%s: the trace has %" PRIu64 " of the grid's %" PRIu64
            " blocks; instructions and bytes are of those",
            k->name, f->blocks_traced, teg_kernel_blocks(k));
    if (f->unknown > 0)
        say(path,
            "%s: %" PRIu64 " thread instructions of unknown opcodes, counted "
            "as their first letters suggest",
            k->name, f->unknown);
    if (f->without_bytes > 0)
        say(path,
            "%s: %" PRIu64 " accesses of threads have no known width and "
            "count no bytes",
            k->name, f->without_bytes);
}

static int one_launch(struct features *self, struct job *job, uint32_t kernel)
{
    struct teg_features features;
    struct teg_launch launch;
    struct teg_diag d;
    teg_status status;

    if (teg_trace_launch(job->trace, kernel, &launch, &d) != TEG_OK)
        return say_fault(&d);
    status = teg_features_collect(&launch, &features, &d);
    if (status == TEG_OK) {
        if (self->row_count++ == 0 && self->format == ROWS_CSV)
            print_head(self);
        remark(job->path, launch.kernel, &features);
        if (self->format == ROWS_JSON)
            json_array_append_new(self->rows,
                                  row_json(self, job->path, kernel + 1,
                                           launch.kernel, &features));
        else
            print_row(self, job->path, kernel + 1, launch.kernel, &features);
    }
    if (launch.close != NULL)
        launch.close(launch.self);
    return status == TEG_OK ? EXIT_DONE : say_fault(&d);
}

static int one_trace(struct features *self, const char *path)
{
    struct job job = self->job;
    int status = job_open_trace(&job, path);

    for (uint32_t i = 0; status == EXIT_DONE && i < job.kernel_count; i++)
        status = interrupted() ? EXIT_INTERRUPTED
                               : one_launch(self, &job, job.kernel[i]);
    job_release(&job);
    return status;
}

static int is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISREG(st.st_mode);
}

/* One file of a directory; those that are no traces are said and passed over,
 * unless the fault comes after a trace has begun. */
static int one_file(struct features *self, const char *directory,
                    const char *name)
{
    char path[4096];

    if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, name) >=
        sizeof path) {
        say(directory, "the name of '%s' is too long", name);
        return EXIT_FAULT;
    }
    if (name[0] == '.' || !is_file(path))
        return EXIT_DONE;
    return one_trace(self, path);
}

/* A kernelslist.g stands for the directory it lies in; otherwise every file,
 * by name, and what cannot be read does not keep the others back. */
static int directory(struct features *self, const char *path)
{
    struct dirent **entry;
    int count = scandir(path, &entry, NULL, alphasort);
    int list = -1, status = EXIT_DONE;

    if (count < 0) {
        say(path, "cannot read: %s", strerror(errno));
        return EXIT_FAULT;
    }
    for (int i = 0; i < count; i++) {
        if (strcmp(entry[i]->d_name, "kernelslist.g") == 0)
            list = i;
    }
    for (int i = 0; i < count && status != EXIT_INTERRUPTED; i++) {
        int each = list < 0 || list == i
                       ? one_file(self, path, entry[i]->d_name)
                       : EXIT_DONE;

        status = each != EXIT_DONE ? each : status;
    }
    for (int i = 0; i < count; i++)
        free(entry[i]);
    free(entry);
    return status;
}

static int is_directory(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int features(struct features *self, const struct operands *operands)
{
    int status = output_open(&self->out, self->job.out), worst = EXIT_DONE;

    if (status != EXIT_DONE)
        return status;
    for (int i = 0; i < operands->count && worst != EXIT_INTERRUPTED; i++) {
        char *path = operands->item[i];

        status =
            is_directory(path) ? directory(self, path) : one_trace(self, path);
        worst = status != EXIT_DONE ? status : worst;
    }
    if (self->row_count == 0 && worst != EXIT_DONE) {
        output_abandon(&self->out);
        return worst;
    }
    if (self->format == ROWS_JSON) {
        json_t *all =
            json_pack("{s:o, s:O}", "teg", teg_json(), "launches", self->rows);

        json_dumpf(all, self->out.file, JSON_INDENT(2));
        fputc('\n', self->out.file);
        json_decref(all);
    }
    status = output_close(&self->out);
    return worst != EXIT_DONE ? worst : status;
}

int cmd_features(int argc, char **argv)
{
    struct features self = {.rows = json_array()};
    const struct opt options[] = {
        {"all", 'a', OPT_FLAG, &self.all, NULL,
         "more columns: bytes read and written apart, moves, exchanges, "
         "barriers, constants, fetches",
         NULL},
        JOB_TRACE_OPTIONS(self.job),
        {"format", 'f', OPT_CHOICE, &self.format, "FORMAT",
         "csv (default) or json", row_formats},
        JOB_OUTPUT_OPTIONS(self.job),
        {0}};
    const struct usage usage = {
        .command = "features",
        .operands = "TRACE|DIR...",
        .summary = "Prints what each launch does, independent of the chip: "
                   "instructions by group, bytes by memory space, launch "
                   "shape, arithmetic per byte. Of a directory, every trace "
                   "in it by name, or its kernelslist.g alone.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1 << 20,
        .examples = "  teg features kernel.tegt\n"
                    "  teg features traces/ -o features.csv\n"};
    struct operands operands;
    int status;

    if (options_parse(&usage, argc, argv, &operands, &status)) {
        catch_interrupt();
        status = features(&self, &operands);
    }
    json_decref(self.rows);
    return status;
}
