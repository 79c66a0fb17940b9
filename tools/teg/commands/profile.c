/*
 * teg profile: from a program to what takes its time, in one step.  Runs it as
 * `teg exec` does, replays its launches as `teg run` does, and makes a page as
 * `teg report` does of each kernel that takes most.
 */
#include "tools/teg/profile/profile.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tools/teg/cli/emulator.h"
#include "tools/teg/cli/pipes.h"
#include "tools/teg/report/page/make.h"

enum {
    TOP = 3,
    OPERANDS_MAX = INT_MAX,
    EXEC_OPTIONS_MAX = 24,
};

struct command_line {
    struct profile profile;
    const char *out, *pattern, *launches; /* as given, or NULL */
    const char *interleave, *limit;
    uint32_t first; /* 0: all launches that are wanted */
    bool loose, strict;
    struct operands operands;
    char directory[PATH_MAX], list[PATH_MAX], title[1024];
    int program_status; /* of the program; EXIT_DONE for a trace */
};

static bool is_folder(const char *path)
{
    struct stat s;

    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* A file that cannot be run is a trace, and so is a folder. */
static bool is_trace(const struct operands *operands)
{
    const char *path = operands->item[0];
    struct stat s;

    return operands->count == 1 &&
           (is_folder(path) || (stat(path, &s) == 0 && S_ISREG(s.st_mode) &&
                                access(path, X_OK) != 0));
}

/* Where traces and pages go: beside a program's list, else NAME.teg here. */
static void choose_directory(struct command_line *c, bool trace)
{
    const char *path = c->operands.item[0], *name = base_name(path);

    if (c->out != NULL)
        snprintf(c->directory, sizeof c->directory, "%.4000s", c->out);
    else if (trace && is_folder(path))
        snprintf(c->directory, sizeof c->directory, "%.4000s", path);
    else if (trace && strcmp(name, "kernels.json") == 0 && name != path)
        snprintf(c->directory, sizeof c->directory, "%.*s",
                 (int)(name - path) - 1, path);
    else if (trace && strcmp(name, "kernels.json") == 0)
        snprintf(c->directory, sizeof c->directory, ".");
    else
        snprintf(c->directory, sizeof c->directory, "%.200s.teg",
                 pipe_is_copy(path) ? "profile" : name);
}

static void make_title(struct command_line *c)
{
    size_t used = 0;

    for (int i = 0; i < c->operands.count && used < sizeof c->title - 1; i++)
        used += (size_t)snprintf(c->title + used, sizeof c->title - used,
                                 "%s%s", i > 0 ? " " : "", c->operands.item[i]);
    c->profile.title = c->title;
}

static void add_option(char **argv, int *argc, const char *name,
                       const char *value)
{
    if (value == NULL)
        return;
    argv[(*argc)++] = (char *)name;
    argv[(*argc)++] = (char *)value;
}

/* Also of a program that failed later.  That there are none has been said. */
static bool has_launches(const char *list)
{
    json_t *read = json_load_file(list, 0, NULL);
    bool has = json_array_size(json_object_get(read, "kernels")) > 0;

    json_decref(read);
    return has;
}

/* The program's traces into the directory. */
static int trace_program(struct command_line *c)
{
    const struct job *job = &c->profile.job;
    char exec[] = "exec", loose[] = "--loose", strict[] = "--strict-memory",
         end[] = "--", first[16];
    char **argv =
        calloc((size_t)c->operands.count + EXEC_OPTIONS_MAX, sizeof *argv);
    int argc = 0;

    if (argv == NULL)
        return say_memory();
    argv[argc++] = exec;
    add_option(argv, &argc, "--gpu", job->gpu_name);
    add_option(argv, &argc, "--config-dir", job->config_dir);
    add_option(argv, &argc, "--output", c->directory);
    add_option(argv, &argc, "--kernel", c->pattern);
    add_option(argv, &argc, "--launches", c->launches);
    snprintf(first, sizeof first, "%" PRIu32, c->first);
    add_option(argv, &argc, "--first", c->first != 0 ? first : NULL);
    add_option(argv, &argc, "--interleave", c->interleave);
    add_option(argv, &argc, "--limit", c->limit);
    if (c->loose)
        argv[argc++] = loose;
    if (c->strict)
        argv[argc++] = strict;
    argv[argc++] = end;
    for (int i = 0; i < c->operands.count; i++)
        argv[argc++] = c->operands.item[i];
    unlink(c->list);
    c->program_status = cmd_exec(argc, argv);
    free(argv);
    return has_launches(c->list) ? EXIT_DONE : EXIT_FAULT;
}

/* Of a trace nothing is run: what is about that would have no effect. */
static int check_options(const struct command_line *c)
{
    const char *name = c->pattern != NULL      ? "kernel"
                       : c->launches != NULL   ? "launches"
                       : c->first != 0         ? "first"
                       : c->interleave != NULL ? "interleave"
                       : c->limit != NULL      ? "limit"
                       : c->loose              ? "loose"
                       : c->strict             ? "strict-memory"
                                               : NULL;

    return name == NULL ? EXIT_DONE
                        : say_usage("profile",
                                    "--%s is of a program that is run; %s is a "
                                    "trace",
                                    name, c->operands.item[0]);
}

static int prepare(struct command_line *c)
{
    bool trace = is_trace(&c->operands);
    const char *path = c->operands.item[0];
    int status = trace ? check_options(c) : EXIT_DONE;

    if (status != EXIT_DONE)
        return status;

    choose_directory(c, trace);
    make_title(c);
    c->profile.directory = c->directory;
    if (!trace) {
        snprintf(c->list, sizeof c->list, "%.4000s/kernels.json", c->directory);
        path = c->list;
        status = trace_program(c);
    } else {
        status = output_directory(c->directory, "pages");
    }
    if (status != EXIT_DONE)
        return status;
    catch_interrupt();
    c->profile.job.recalls = !c->profile.exact;
    status = job_open_trace(&c->profile.job, path);
    if (status == EXIT_DONE)
        status = job_open_gpu(&c->profile.job);
    return status;
}

/* An interrupted profile still says what there is. */
static int measure_and_write(struct profile *p)
{
    int status = profile_measure(p), written;

    if (status == EXIT_DONE)
        status = profile_explain(p);
    if (status != EXIT_DONE && status != EXIT_INTERRUPTED)
        return status;
    written = profile_write_page(p);
    if (written == EXIT_DONE)
        written = profile_write(p, p->job.format, NULL);
    return written != EXIT_DONE ? written : status;
}

static int run(struct command_line *c)
{
    int status = prepare(c);

    if (status == EXIT_DONE)
        status = measure_and_write(&c->profile);
    profile_release(&c->profile);
    dygraphs_release(&c->profile.library);
    job_release(&c->profile.job);
    return c->program_status != EXIT_DONE ? c->program_status : status;
}

int cmd_profile(int argc, char **argv)
{
    struct command_line c = {
        .profile = {.job.caches = CACHES_CARRY, .top = TOP}};
    const struct opt options[] = {
        JOB_GPU_OPTIONS(c.profile.job),
        {"kernel", 'k', OPT_TEXT, &c.pattern, "PATTERN",
         "of a program trace only kernels whose name, as the source or the "
         "symbol has it, matches this shell pattern",
         NULL},
        {"launches", 0, OPT_TEXT, &c.launches, "A:B",
         "of a program trace only launches A to B-1, counted from 0 over all "
         "kernels; or one, N",
         NULL},
        {"first", 0, OPT_COUNT, &c.first, "N",
         "of a program trace only the first N launches, of those that -k and "
         "--launches leave, and end it (SIGTERM) after them",
         NULL},
        {"loose", 0, OPT_FLAG, &c.loose, NULL,
         "as in `teg exec`: let accesses up to 1 MB before or behind a buffer "
         "go unnoticed",
         NULL},
        STRICT_OPTION(c.strict),
        INTERLEAVE_OPTION(c.interleave),
        LIMIT_OPTION(c.limit),
        {"top", 0, OPT_COUNT, &c.profile.top, "N",
         "kernels that get a page and what-ifs: those that take most (default: "
         "3)",
         NULL},
        {"caches", 0, OPT_CHOICE, &c.profile.job.caches, "HOW",
         "what a launch finds in L2 and TLBs: carry (default), what the "
         "launches and copies before it have left; cold; or warm, as if it had "
         "just run once",
         caches_names},
        {"exact", 0, OPT_FLAG, &c.profile.exact, NULL,
         "simulate long kernels (20 million warp instructions or more) in "
         "full, and explain them, too, and each of the launches that differ in "
         "nothing but where their buffers are",
         NULL},
        {"jobs", 'j', OPT_COUNT, &c.profile.jobs, "N",
         "host threads and workers (default: one per core)", NULL},
        {"dygraphs", 0, OPT_TEXT, &c.profile.library.directory, "DIR",
         "where dygraph.min.js and .css are (default: " DYGRAPHS ")", NULL},
        JOB_FORMAT_OPTION(c.profile.job),
        {"output", 'o', OPT_TEXT, &c.out, "DIR",
         "write traces and pages there; default: PROGRAM.teg, where a "
         "kernels.json lies, or profile.teg for standard input",
         NULL},
        {0}};
    const struct usage usage = {
        .command = "profile",
        .operands = "-- PROGRAM [ARG]... | TRACE",
        .summary =
            "Runs PROGRAM on the functional emulator, replays its launches on "
            "a GPU and says what takes its time and why: the kernels by their "
            "share, and of those that take most what bounds them and what "
            "would help, with a page each. Of a TRACE (a file that cannot be "
            "run, or a folder) the same without running anything. The exit "
            "status is the program's if that is not 0.",
        .options = options,
        .operands_min = 1,
        .operands_max = OPERANDS_MAX,
        .runs = true,
        .examples = "  teg profile -g a100 -- ./saxpy 1000\n"
                    "  teg profile -g h100 saxpy.teg\n"};
    int status;

    if (!options_parse(&usage, argc, argv, &c.operands, &status))
        return status;
    if (c.operands.count == 1)
        status = pipe_copy(&c.operands.item[0]);
    return status == EXIT_DONE ? run(&c) : status;
}
