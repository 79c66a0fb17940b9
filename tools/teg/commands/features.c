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

struct features {
    struct job job;  /* the options; each trace opens a copy */
    uint32_t format; /* place in the choice of formats */
    bool all;
    struct writer writer;
};

/* One launch. */
struct row {
    const struct features *self; /* borrowed */
    char path[TEG_NAME_MAX];     /* as people call it */
    uint32_t number;
    const struct teg_kernel *kernel; /* borrowed */
    struct teg_features features;
};

/* A feature's column is there. */
static bool is_shown(const struct features *self, enum teg_feature f)
{
    return self->all || !teg_feature_facts(f)->is_detail;
}

/* 17 digits give the same double back; counts are printed as integers. */
static json_t *rows(const void *part)
{
    const struct row *r = part;
    json_t *row = json_object();

    json_object_set_new(row, "trace", json_text(r->path));
    json_object_set_new(row, "number", json_integer(r->number));
    json_object_set_new(row, "kernel", json_text(r->kernel->name));
    json_object_set_new(row, "isa", json_integer(r->kernel->isa));
    for (uint32_t i = 0; i < TEG_FEATURES; i++) {
        if (is_shown(r->self, i))
            json_object_set_new(
                row, teg_feature_facts(i)->name,
                r->features.known[i]
                    ? json_sprintf("%.17g", r->features.value[i])
                    : json_null());
    }
    return json_pack("[o]", row);
}

static json_t *feature_json(double value)
{
    return value == (double)(json_int_t)value ? json_integer((json_int_t)value)
                                              : json_real(value);
}

static json_t *values(const void *part)
{
    const struct row *r = part;
    const struct teg_features *features = &r->features;
    json_t *list = json_object();

    for (uint32_t i = 0; i < TEG_FEATURES; i++) {
        if (is_shown(r->self, i))
            json_object_set_new(list, teg_feature_facts(i)->name,
                                features->known[i]
                                    ? feature_json(features->value[i])
                                    : json_null());
    }
    return json_pack(
        "{s:o, s:i, s:s, s:i, s:I, s:o}", "trace", json_text(r->path), "number",
        (int)r->number, "kernel", r->kernel->name, "isa", (int)r->kernel->isa,
        "blocks_traced", (json_int_t)features->blocks_traced, "features", list);
}

static json_t *whole(const void *self, json_t *launches)
{
    (void)self;
    return json_pack("{s:o, s:O}", "teg", teg_json(), "launches", launches);
}

static const struct view view = {
    .values = values,
    .whole = whole,
    .full_digits = true,
    .rows = rows,
    .streamed = true,
    .row_end = "\n",
};

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
    if (f->bulk > 0)
        say(path, "%s: %" PRIu64 " bulk copies count no bytes", k->name,
            f->bulk);
}

static int one_launch(struct features *self, struct job *job, uint32_t kernel)
{
    struct row row = {.self = self, .number = kernel + 1};
    struct teg_launch launch;
    struct teg_diag d;
    int status;

    path_title(job->path, row.path);
    if (teg_trace_launch(job->trace, kernel, &launch, &d) != TEG_OK)
        return say_fault(&d);
    row.kernel = launch.kernel;
    if (teg_features_collect(&launch, &row.features, &d) == TEG_OK) {
        remark(job->path, launch.kernel, &row.features);
        status = writer_add(&self->writer, &row);
    } else {
        status = say_fault(&d);
    }
    if (launch.close != NULL)
        launch.close(launch.self);
    return status;
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

/* The names of a list that stands for the directory it lies in. */
static bool is_list(const char *name)
{
    return strcmp(name, "kernelslist.g") == 0 ||
           strcmp(name, "kernels.json") == 0;
}

/* A list stands for the directory it lies in; otherwise every file, by name,
 * and what cannot be read does not keep the others back. */
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
        if (is_list(entry[i]->d_name))
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
    int status, worst = EXIT_DONE;

    status = writer_open(&self->writer, &view, self, self->job.format,
                         self->job.out);
    if (status != EXIT_DONE)
        return status;
    for (int i = 0; i < operands->count && worst != EXIT_INTERRUPTED; i++) {
        char *path = operands->item[i];

        status =
            is_directory(path) ? directory(self, path) : one_trace(self, path);
        worst = status != EXIT_DONE ? status : worst;
    }
    if (self->writer.count == 0 && worst != EXIT_DONE)
        return writer_end(&self->writer, worst);
    status = writer_end(&self->writer, EXIT_DONE);
    return worst != EXIT_DONE ? worst : status;
}

int cmd_features(int argc, char **argv)
{
    struct features self = {0};
    struct format_choice choice;
    const struct opt options[] = {
        {"all", 'a', OPT_FLAG, &self.all, NULL,
         "more columns: bytes read and written apart, moves, exchanges, "
         "barriers, constants, fetches",
         NULL},
        JOB_TRACE_OPTIONS(self.job),
        {"format", 'f', OPT_CHOICE, &self.format, "FORMAT", choice.help,
         choice.name},
        JOB_OUTPUT_OPTIONS(self.job),
        {0}};
    const struct usage usage = {
        .command = "features",
        .operands = "TRACE|DIR...",
        .summary =
            "Prints what each launch does, independent of the chip: "
            "instructions by group, bytes by memory space, launch "
            "shape, arithmetic per byte. Of a directory, every trace "
            "in it by name, or its list (kernelslist.g, kernels.json) alone.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1 << 20,
        .examples = "  teg features kernel.tegt\n"
                    "  teg features traces/ -o features.csv\n"};
    struct operands operands;
    int status;

    format_choose(&choice, &view, "csv");
    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    self.job.format = format_index(choice.name[self.format]);
    catch_interrupt();
    return features(&self, &operands);
}
