/*
 * teg exec: runs a CUDA program with our runtime library in place of the
 * vendor's (tools/cudart), and lists the traces it wrote in kernels.json.
 *
 * Between the two: settings as environment variables (tools/cudart/runtime.h),
 * results as lines of DIR/.launches, which become kernels.json when the program
 * has ended.
 */
#define _XOPEN_SOURCE 700 /* realpath */
#include "config/gpu.h"
#include "sim/teg.h"
#include "tools/teg/cli/emulator.h"
#include "tools/teg/cli/gpu_path.h"
#include "tools/teg/cli/options.h"
#include "tools/teg/cli/output.h"
#include "tools/teg/cli/program.h"
#include "tools/teg/cli/teg.h"
#include "tools/teg/pool/pool.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define RUNTIME    "libcudart.so.13"
#define RUNTIME_12 "libcudart.so.12"

enum {
    OPERANDS_MAX = INT_MAX,
    STATUS_SIGNAL = 128, /* plus its number, as the shell counts */
    STATUS_CANNOT_RUN = 126,
    KERNELSJSON_SCHEMA = 3, /* traces/list/kernelsjson.h */
};

struct exec {
    /* As given; borrowed. */
    const char *gpu_name, *config_dir, *clock, *out, *kernel, *launches;
    const char *blocks;
    const char *interleave, *limit;
    struct opt_list set, what_ifs;
    bool no_trace, loose, strict, time, host_time, timing;
    uint32_t jobs;  /* 0: one per core */
    uint32_t first; /* 0: all launches that are wanted */
    char **argv;    /* the program and its arguments */

    struct program program;
    char *gpu_path;             /* owned */
    char library[PATH_MAX];     /* directory of our runtime */
    char default_out[PATH_MAX]; /* used where no -o is given */
    char *directory;            /* owned; absolute; NULL: no traces */
    char spent[PATH_MAX];       /* file of spent.h; empty: none */
};

/* ---- before ------------------------------------------------------------------- */

/* "N", "A:B", "A:", ":B" as "A:B" for the runtime. */
static int check_range(const char *option, const char *text, char *out,
                       size_t size)
{
    const char *colon = text != NULL ? strchr(text, ':') : NULL;
    uint64_t from, to;

    if (size > 0)
        out[0] = '\0';
    if (text == NULL)
        return EXIT_DONE;
    if (strspn(text, "0123456789:") == strlen(text) && strlen(text) < 40 &&
        strcmp(text, ":") != 0 && text[0] != '\0' &&
        (colon == NULL || strchr(colon + 1, ':') == NULL)) {
        from = strtoull(text, NULL, 10);
        to = colon == NULL ? from + 1 : UINT64_MAX;
        if (colon != NULL && colon[1] != '\0')
            to = strtoull(colon + 1, NULL, 10);
        snprintf(out, size, "%" PRIu64 ":%" PRIu64, from, to);
        if (from < to)
            return EXIT_DONE;
    }
    return say_usage("exec",
                     "--%s: expected N or A:B, from A up to, not including, B; "
                     "found '%s'",
                     option, text);
}

static int check_program(const struct program *p)
{
    if (p->runtime[0] != '\0' && strcmp(p->runtime, RUNTIME) != 0 &&
        strcmp(p->runtime, RUNTIME_12) != 0) {
        say(p->path, "is linked with %s; teg has the runtime of CUDA 12 and 13",
            p->runtime);
        return EXIT_FAULT;
    }
    if (p->inside != 0 && p->inside < 12) {
        say(p->path, "carries the runtime of CUDA 11 or older; teg has that of "
                     "12 and 13");
        return EXIT_FAULT;
    }
    if (p->has_code && !p->has_loader) {
        say(p->path, "is linked with -static, so nothing can be put in place "
                     "of its CUDA runtime: link it without");
        return EXIT_FAULT;
    }
    if (p->has_code && p->runtime[0] == '\0' && !p->has_symbols &&
        !p->has_driver) {
        say(p->path, "is stripped, so the CUDA runtime inside cannot be found: "
                     "keep its symbols or link it with nvcc -cudart shared");
        return EXIT_FAULT;
    }
    return EXIT_DONE;
}

/* Code that runs here, or that can be made of PTX. */
static int check_code(const struct program *p)
{
    char found[256] = "none";
    size_t used = 0;

    /* What uses the driver alone brings its code from elsewhere. */
    if (!p->has_code || p->newest_ptx != 0 ||
        (p->inside == 0 && p->runtime[0] == '\0') ||
        program_nearest(p, UINT32_MAX) != 0)
        return EXIT_DONE;
    for (uint32_t i = 0; i < p->cubins && used < sizeof found; i++)
        used += (size_t)snprintf(found + used, sizeof found - used, "%ssm_%u",
                                 used > 0 ? ", " : "", p->cubin_sm[i]);
    say(p->path,
        "expected code for sm_70 or newer, which is emulated, found %s: "
        "compile with -gencode arch=compute_80,code=sm_80",
        found);
    return EXIT_FAULT;
}

/* A program without code for the GPU asked for finds one that fits its code;
 * its traces can be replayed on any. */
static int fit_code(struct exec *e, struct teg_gpu **gpu)
{
    const struct program *p = &e->program;
    uint32_t cc = (*gpu)->chip.compute_capability, nearest;
    struct teg_gpu *fits = NULL;
    int status;

    /* What uses the driver alone brings its code from elsewhere. */
    if (!p->has_code || program_runs_on(p, cc) ||
        (p->inside == 0 && p->runtime[0] == '\0'))
        return EXIT_DONE;
    nearest = program_nearest(p, cc);
    if (nearest == 0)
        return EXIT_DONE; /* PTX, which is compiled when it is needed */
    status = gpu_open_for(nearest, e->config_dir, &fits);
    if (status != EXIT_DONE)
        return status;
    say(p->path,
        "no code for sm_%u (%s): the program finds %s (sm_%u); teg run -g %s "
        "chooses the chip of its traces",
        cc, (*gpu)->name, fits->name, nearest, e->gpu_name);
    teg_gpu_free(*gpu);
    *gpu = fits;
    return EXIT_DONE;
}

/* Caches are as the program leaves them, and not all its kernels have a line. */
static int check_what_if(const char *name, size_t length,
                         const struct teg_gpu *gpu)
{
    struct teg_gpu *scratch = NULL;
    struct teg_launch none = {0};
    struct teg_diag d;
    char text[TEG_WHATIF_NAME_SIZE];

    snprintf(text, sizeof text, "%.*s", (int)length, name);
    if (strchr(text, '@') != NULL || teg_whatif_warms(text)) {
        say("--what-if", "%s is for a launch by itself: use teg run", text);
        return EXIT_USAGE;
    }
    if (teg_whatif_known(name, length, gpu))
        return EXIT_DONE;
    /* says which is nearest, before it looks at the launch */
    if (teg_gpu_copy(gpu, &scratch, &d) != TEG_OK)
        return say_fault(&d);
    teg_whatif_apply(text, scratch, &none, &d);
    teg_gpu_free(scratch);
    say("--what-if", "%s", d.what);
    return EXIT_USAGE;
}

static int check_what_ifs(const struct exec *e, const struct teg_gpu *gpu)
{
    int status = EXIT_DONE;

    for (uint32_t i = 0; i < e->what_ifs.count; i++) {
        const char *names = e->what_ifs.item[i], *name;
        size_t length;

        while (status == EXIT_DONE &&
               (name = teg_whatif_next(&names, &length)) != NULL)
            status = check_what_if(name, length, gpu);
    }
    return status;
}

/* The GPU asked for, or the one that stands for the program's newest code. */
static int choose_gpu(struct exec *e)
{
    struct teg_gpu *gpu = NULL;
    const char *name = e->gpu_name;
    uint32_t newest = e->program.newest;
    int status;

    if (e->gpu_name == NULL && newest == 0) {
        say(e->program.path, "carries no compiled device code that would tell "
                             "the GPU: choose one with -g");
        return EXIT_USAGE;
    }
    status = e->gpu_name != NULL
                 ? gpu_open(e->gpu_name, e->config_dir, &gpu)
                 : gpu_open_default(newest, e->config_dir, &gpu);
    if (status == EXIT_DONE) {
        struct teg_gpu *asked = gpu;

        status = fit_code(e, &gpu);
        if (name == NULL || gpu != asked)
            name = gpu->name;
    }
    if (status == EXIT_DONE)
        status = gpu_find(name, e->config_dir, &e->gpu_path);
    if (status == EXIT_DONE)
        status = gpu_change(gpu, e->clock, &e->set);
    if (status == EXIT_DONE)
        status = check_what_ifs(e, gpu);
    teg_gpu_free(gpu);
    return status;
}

static int find_library(struct exec *e)
{
    /* build/release/cudart of the source tree; lib/teg beside bin */
    static const char *const relative[] = {"cudart", "../lib/teg"};
    char exe[PATH_MAX - 64], path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    char *slash;

    exe[length > 0 ? length : 0] = '\0';
    slash = strrchr(exe, '/');
    if (slash != NULL)
        *slash = '\0';
    for (size_t i = 0; i < sizeof relative / sizeof relative[0]; i++) {
        snprintf(e->library, sizeof e->library, "%s/%s", exe, relative[i]);
        snprintf(path, sizeof path, "%.4000s/" RUNTIME, e->library);
        if (access(path, R_OK) == 0)
            return EXIT_DONE;
    }
    say(RUNTIME, "cannot be found in %s/cudart nor %s/../lib/teg", exe, exe);
    return EXIT_FAULT;
}

/* "PATTERN" in the directory, removed.  What memory lacked for is tried once
 * more: results stand beside it, and a list that is complete. */
static void remove_files(const char *directory, const char *pattern)
{
    char path[PATH_MAX];
    glob_t found;
    int how;

    snprintf(path, sizeof path, "%s/%s", directory, pattern);
    how = glob(path, GLOB_ERR, NULL, &found);
    if (how == GLOB_NOSPACE || how == GLOB_ABORTED) {
        globfree(&found);
        how = glob(path, 0, NULL, &found);
    }
    if (how != 0)
        return;
    for (size_t i = 0; i < found.gl_pathc; i++)
        unlink(found.gl_pathv[i]);
    globfree(&found);
}

/* Nobody else's program writes there until this process ends. */
static int lock_directory(const struct exec *e)
{
    int file = open(e->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (file < 0 || flock(file, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
        return EXIT_DONE;
    close(file);
    say(e->out, "another teg exec is writing there; -o names another folder");
    return EXIT_FAULT;
}

static int make_directory(struct exec *e)
{
    int status;

    if (e->no_trace)
        return EXIT_DONE;
    snprintf(e->default_out, sizeof e->default_out, "%s.teg",
             base_name(e->program.path));
    if (e->out == NULL)
        e->out = e->default_out;
    status = output_directory(e->out, "traces");
    if (status != EXIT_DONE)
        return status;
    e->directory = realpath(e->out, NULL);
    if (e->directory == NULL)
        return say_memory();
    status = lock_directory(e);
    if (status != EXIT_DONE)
        return status;
    remove_files(e->directory, ".process-*");
    remove_files(e->directory, ".launches");
    remove_files(e->directory, ".enough");
    remove_files(e->directory, ".lost");
    return EXIT_DONE;
}

/* The file in which the program's processes note what they spend. */
static int make_spent(struct exec *e)
{
    const char *temporary = getenv("TMPDIR");
    struct teg_diag d;
    int file;

    if (!e->timing)
        return EXIT_DONE;
    snprintf(e->spent, sizeof e->spent, "%s/teg-timing-XXXXXX",
             temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
    file = mkstemp(e->spent);
    if (file >= 0) {
        close(file);
        return EXIT_DONE;
    }
    teg_fail_errno(&d, e->spent, "create");
    e->spent[0] = '\0';
    return say_fault(&d);
}

/* "timing: 12.4 s of processor time: 87 % emulation (...)", by the lines of
 * that file (tools/cudart/spent.h). */
static void print_timing(const struct exec *e)
{
    FILE *f = fopen(e->spent, "r");
    double all, emulation = 0, replays = 0, instructions = 0;
    uint64_t us, insts, launches = 0;
    struct rusage usage;
    char what[16];

    while (f != NULL &&
           fscanf(f, "%15s %" SCNu64 " %" SCNu64, what, &us, &insts) == 3) {
        bool emulates = strcmp(what, "emulation") == 0;

        launches += emulates;
        instructions += 1e-6 * (double)insts;
        *(emulates ? &emulation : &replays) += 1e-6 * (double)us;
    }
    if (f != NULL)
        fclose(f);
    getrusage(RUSAGE_CHILDREN, &usage);
    all = (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) +
          1e-6 * (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec);
    fprintf(stderr,
            "timing: %.3f s of processor time: %.1f %% emulation (%" PRIu64
            " launch%s, %.1f M thread instructions, %.1f M/s), %.1f %% "
            "replays\n",
            all, all > 0 ? 100 * emulation / all : 0, launches,
            launches == 1 ? "" : "es", instructions,
            emulation > 0 ? instructions / emulation : 0,
            all > 0 ? 100 * replays / all : 0);
}

/* These return whether there was no memory for it. */
static bool set(const char *name, const char *value)
{
    return setenv(name, value != NULL ? value : "", 1) != 0;
}

/* The items one behind the other. */
static bool set_list(const char *name, const struct opt_list *list,
                     char between)
{
    size_t size = 1, used = 0;
    char *text;
    bool failed;

    for (uint32_t i = 0; i < list->count; i++)
        size += strlen(list->item[i]) + 1;
    text = calloc(1, size);
    if (text == NULL)
        return true;
    for (uint32_t i = 0; i < list->count; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%c",
                                 list->item[i], between);
    if (used > 0)
        text[used - 1] = '\0';
    failed = set(name, text);
    free(text);
    return failed;
}

/* "OURS/file:what was there". */
static bool set_before(const char *name, const struct exec *e, const char *file)
{
    const char *old = getenv(name);
    char text[2 * PATH_MAX];

    snprintf(text, sizeof text, "%s%s%s%.4000s", e->library, file,
             old != NULL && old[0] != '\0' ? ":" : "", old != NULL ? old : "");
    return set(name, text);
}

/* The loader finds our library wherever one is looked for, and in place of one
 * that is linked into a program (tools/cudart/loader). */
static bool set_loader(const struct exec *e)
{
    const char *asan = getenv("ASAN_OPTIONS");
    char text[PATH_MAX];

    /* The address sanitizer wants to be the first library; it need not. */
    snprintf(text, sizeof text, "%.4000s:verify_asan_link_order=0",
             asan != NULL ? asan : "");
    return set("ASAN_OPTIONS", text) || set_before("LD_LIBRARY_PATH", e, "") ||
           set_before("LD_AUDIT", e, "/libteg_redirect.so") ||
           set_before("LD_PRELOAD", e, "/libteg_patch.so") ||
           (e->time && set_before("LD_PRELOAD", e, "/libteg_time.so"));
}

/* On Hopper and some of Blackwell PyTorch takes cuDNN's attention first, and
 * what that lacks here would be an error.  By this variable of its own, unless
 * the user has set it, PyTorch takes its own kernels first, as elsewhere. */
static bool set_attention(void)
{
    return setenv("TORCH_CUDNN_SDPA_DEPRIORITIZED", "1", 0) != 0;
}

static int set_environment(const struct exec *e)
{
    char launches[64], blocks[64], first[16] = "", jobs[16];
    int status =
        check_range("launches", e->launches, launches, sizeof launches);

    if (status == EXIT_DONE)
        status = check_range("blocks", e->blocks, blocks, sizeof blocks);
    if (status != EXIT_DONE)
        return status;
    snprintf(jobs, sizeof jobs, "%" PRIu32,
             e->jobs != 0 ? e->jobs : pool_cores_here());
    if (e->first != 0)
        snprintf(first, sizeof first, "%" PRIu32, e->first);
    if (set("TEG_EXEC_LAUNCHES", launches) || set("TEG_EXEC_BLOCKS", blocks) ||
        set("TEG_EXEC_FIRST", first) || set("TEG_EXEC_GPU", e->gpu_path) ||
        set("TEG_EXEC_CLOCK", e->clock) ||
        set_list("TEG_EXEC_SET", &e->set, '\n') ||
        set_list("TEG_EXEC_WHAT_IF", &e->what_ifs, ',') ||
        set("TEG_EXEC_DIR", e->directory) ||
        set("TEG_EXEC_KERNEL", e->kernel) ||
        set("TEG_EXEC_LOOSE", e->loose ? "1" : "") ||
        set("TEG_EXEC_STRICT", e->strict ? "1" : "") ||
        set("TEG_EXEC_INTERLEAVE", e->interleave) ||
        set("TEG_EXEC_TIME", e->time ? "1" : "") ||
        set("TEG_EXEC_HOST_TIME", e->host_time ? "1" : "") ||
        set("TEG_EXEC_TIMING", e->spent) || set("TEG_EXEC_JOBS", jobs) ||
        set("TEG_EXEC_LIMIT", e->limit) || set_loader(e) || set_attention())
        return say_memory();
    return EXIT_DONE;
}

/* ---- the program ------------------------------------------------------------------ */

/* What ends a command that nobody sits at: the program is told, and what it ran
 * until then is listed. */
static const int passed_on[] = {SIGTERM, SIGHUP};

static volatile sig_atomic_t running; /* the program's process */

static void pass_on(int signal)
{
    if (running > 0)
        kill((pid_t)running, signal);
}

/* Starts the program; signals that are passed on wait until it is there.
 * Returns its process, or -1; `before`: what they did. */
static pid_t start_program(const struct exec *e, struct sigaction before[2])
{
    struct sigaction pass = {.sa_handler = pass_on,
                             .sa_flags = (int)SA_RESTART};
    sigset_t waiting, mask;
    pid_t child;

    sigemptyset(&pass.sa_mask);
    sigemptyset(&waiting);
    for (int i = 0; i < 2; i++)
        sigaddset(&waiting, passed_on[i]);
    sigprocmask(SIG_BLOCK, &waiting, &mask);
    for (int i = 0; i < 2; i++) {
        sigaction(passed_on[i], NULL, &before[i]);
        if (before[i].sa_handler != SIG_IGN) /* as nohup leaves it */
            sigaction(passed_on[i], &pass, NULL);
    }
    signal(SIGINT, SIG_IGN);
    signal(SIGQUIT, SIG_IGN);
    child = fork();
    if (child == 0) {
        for (int i = 0; i < 2; i++)
            sigaction(passed_on[i], &before[i], NULL);
        signal(SIGINT, SIG_DFL);
        signal(SIGQUIT, SIG_DFL);
        signal(SIGPIPE, SIG_DFL);
        sigprocmask(SIG_SETMASK, &mask, NULL);
        execv(e->program.path, e->argv);
        say(e->program.path, "cannot run: %s", strerror(errno));
        _exit(STATUS_CANNOT_RUN);
    }
    running = (sig_atomic_t)child;
    sigprocmask(SIG_SETMASK, &mask, NULL);
    return child;
}

/* Whether it was ended because what was asked for had run. */
static bool had_enough(const struct exec *e)
{
    char path[PATH_MAX];

    if (e->first == 0)
        return false;
    snprintf(path, sizeof path, "%s/.enough", e->directory);
    return access(path, F_OK) == 0;
}

/* Returns its exit status.  Ctrl-C is the program's. */
static int run_program(const struct exec *e)
{
    struct sigaction before[2];
    int how;
    pid_t child;

    fflush(NULL);
    child = start_program(e, before);
    while (child > 0 && waitpid(child, &how, 0) < 0) {
        if (errno != EINTR)
            child = -1;
    }
    for (int i = 0; i < 2; i++)
        sigaction(passed_on[i], &before[i], NULL);
    if (child < 0) {
        say(e->program.path, "cannot run: %s", strerror(errno));
        return EXIT_FAULT;
    }
    if (had_enough(e)) {
        say(e->program.path,
            "ended with launch %" PRIu32 " that --first asks "
            "for",
            e->first);
        return EXIT_DONE;
    }
    if (WIFSIGNALED(how)) {
        say(e->program.path, "ended by signal %d (%s)", WTERMSIG(how),
            strsignal(WTERMSIG(how)));
        return STATUS_SIGNAL + WTERMSIG(how);
    }
    return WEXITSTATUS(how);
}

/* ---- after -------------------------------------------------------------------------- */

struct list {
    json_t *kernels;      /* owned */
    json_t *order;        /* owned; what happened, as the list has it */
    json_t *streams;      /* owned; those that are not as others are */
    json_t *graphs;       /* owned; each that was launched, once */
    json_t *known;        /* owned; trace: its number in `kernels` */
    json_t *likenesses;   /* owned; each: the number of the first that has it */
    json_t *known_graphs; /* owned; text of its nodes: its number */
    json_t *open; /* owned; process: graph that it is launching, its "nodes" */
    uint64_t launches;
    bool torn; /* a line is not whole */
};

static void list_init(struct list *l)
{
    *l = (struct list){.kernels = json_array(),
                       .order = json_array(),
                       .streams = json_array(),
                       .graphs = json_array(),
                       .known = json_object(),
                       .likenesses = json_object(),
                       .known_graphs = json_object(),
                       .open = json_object()};
}

static void list_release(struct list *l)
{
    json_decref(l->kernels);
    json_decref(l->order);
    json_decref(l->streams);
    json_decref(l->graphs);
    json_decref(l->known);
    json_decref(l->likenesses);
    json_decref(l->known_graphs);
    json_decref(l->open);
}

static void count_one_more(json_t *object)
{
    json_object_set_new(
        object, "launches",
        json_integer(json_integer_value(json_object_get(object, "launches")) +
                     1));
}

/* Members of a launch's line that are of the order, not of its kernel. */
static const char *const of_order[] = {
    "stream", "dependent", "process", "host_us", "after", "dependent_on", NULL};

static json_t *step_of(json_t *line, json_int_t kernel)
{
    json_t *step = json_pack("{s:I, s:i}", "kernel", kernel, "launches", 1);

    for (int i = 0; of_order[i] != NULL; i++) {
        json_t *value = json_object_get(line, of_order[i]);

        if (value == NULL || (strcmp(of_order[i], "process") == 0 &&
                              json_integer_value(value) == 0))
            continue;
        json_object_set(step, of_order[i], value);
        if (strcmp(of_order[i], "process") != 0)
            json_object_del(line, of_order[i]);
    }
    return step;
}

/* Whether `step` differs from the last one in how often at most, and nothing
 * has been measured of either. */
static bool continues(json_t *last, json_t *step)
{
    const json_t *before = json_object_get(last, "launches");
    json_t *one = json_copy(last);
    bool same;

    json_object_set_new(one, "launches", json_integer(1));
    same = before != NULL && json_object_get(step, "host_us") == NULL &&
           json_equal(one, step);
    json_decref(one);
    return same;
}

/* The process's graph that is being launched, or NULL. */
static json_t *open_nodes(const struct list *l, const json_t *line,
                          char process[24])
{
    snprintf(process, 24, "%" JSON_INTEGER_FORMAT,
             json_integer_value(json_object_get(line, "process")));
    return json_object_get(json_object_get(l->open, process), "nodes");
}

/* Launches of one trace that follow on each other are one step.  Takes
 * `step`. */
static void add_step(struct list *l, const json_t *line, json_t *step)
{
    json_t *last = json_array_get(l->order, json_array_size(l->order) - 1);
    char process[24];
    json_t *nodes = open_nodes(l, line, process);

    if (nodes != NULL) {
        json_object_del(step, "process");
        json_array_append_new(nodes, step);
    } else if (continues(last, step)) {
        count_one_more(last);
        json_decref(step);
    } else {
        json_array_append_new(l->order, step);
    }
}

/* Graphs with the same nodes are one. */
static void end_graph(struct list *l, const char *process)
{
    json_t *graph = json_object_get(l->open, process);
    json_t *nodes = json_object_get(graph, "nodes"), *number;
    char *text = json_dumps(nodes, JSON_COMPACT | JSON_SORT_KEYS);

    if (text == NULL)
        return;
    number = json_object_get(l->known_graphs, text);
    if (number == NULL) {
        number = json_integer((json_int_t)json_array_size(l->graphs));
        json_object_set_new(l->known_graphs, text, number);
        json_array_append_new(l->graphs, json_pack("{s:O}", "nodes", nodes));
    }
    free_json_text(text);
    json_object_set(graph, "graph", number);
    json_object_del(graph, "nodes");
    json_array_append(l->order, graph);
    json_object_del(l->open, process);
}

/* What is no launch is a step, or a node, of its own. */
static void add_other(struct list *l, json_t *line)
{
    const char *what = json_string_value(json_object_get(line, "what"));
    char process[24];
    json_t *nodes = open_nodes(l, line, process);

    if (json_object_del(line, "made") == 0) {
        json_array_append(l->streams, line);
    } else if (what != NULL && strcmp(what, "graph-begin") == 0) {
        json_object_set_new(line, "what", json_string("graph"));
        json_object_set_new(line, "nodes", json_array());
        json_object_set(l->open, process, line);
    } else if (what != NULL && strcmp(what, "graph-end") == 0) {
        end_graph(l, process);
    } else if (nodes != NULL && what != NULL) {
        json_object_del(line, "process");
        json_array_append(nodes, line);
    } else {
        json_array_append(l->order, line);
    }
}

/* A kernel `index` of the list that differs from an earlier one in nothing but where its
 * buffers are says so. */
static void add_alike(struct list *l, json_t *line, json_t *index)
{
    const char *likeness = json_string_value(json_object_get(line, "likeness"));
    json_t *first =
        likeness != NULL ? json_object_get(l->likenesses, likeness) : NULL;

    if (first != NULL)
        json_object_set(line, "alike", first);
    else if (likeness != NULL)
        json_object_set(l->likenesses, likeness, index);
    json_object_del(line, "likeness");
}

/* A launch with the trace of an earlier one is counted there. */
static void add_line(struct list *l, json_t *line)
{
    const char *trace = json_string_value(json_object_get(line, "trace"));
    json_t *index = trace != NULL ? json_object_get(l->known, trace) : NULL;
    json_t *step;

    if (trace == NULL) {
        add_other(l, line);
        return;
    }
    l->launches++;
    step =
        step_of(line, index != NULL ? json_integer_value(index)
                                    : (json_int_t)json_array_size(l->kernels));
    if (index == NULL) {
        index = json_integer((json_int_t)json_array_size(l->kernels));
        json_object_set_new(line, "launches", json_integer(0));
        add_alike(l, line, index);
        json_array_append(l->kernels, line);
        json_object_set_new(l->known, trace, index);
    }
    count_one_more(
        json_array_get(l->kernels, (size_t)json_integer_value(index)));
    add_step(l, line, step);
}

/* A program that has ended within a graph has launched some of it. */
static void end_graphs(struct list *l)
{
    const char *process;
    json_t *graph;
    void *next;

    json_object_foreach_safe(l->open, next, process, graph)
        end_graph(l, process);
}

static int read_launches(const struct exec *e, struct list *l)
{
    char path[PATH_MAX], *line = NULL;
    size_t size = 0;
    int status = EXIT_DONE;
    FILE *f;

    snprintf(path, sizeof path, "%s/.launches", e->directory);
    f = fopen(path, "r");
    if (f == NULL && errno != ENOENT) {
        struct teg_diag d;

        teg_fail_errno(&d, path, "read");
        return say_fault(&d);
    }
    if (f == NULL)
        return EXIT_DONE;
    while (getline(&line, &size, f) > 0) {
        json_t *read = json_loads(line, 0, NULL);

        if (read != NULL)
            add_line(l, read);
        else
            l->torn = true;
        json_decref(read);
    }
    if (!feof(f))
        status = say_memory();
    free(line);
    fclose(f);
    return status;
}

/* The runtime could not write all that the program did (tracer.c), or the disk
 * has half a line: says so, if it has not. */
static int check_loss(const struct exec *e, const struct list *l)
{
    struct stat lost = {0};
    char path[PATH_MAX];
    bool found;

    snprintf(path, sizeof path, "%s/.lost", e->directory);
    found = stat(path, &lost) == 0;
    if (!found && !l->torn)
        return EXIT_DONE;
    if (lost.st_size == 0)
        say(e->out, "kernels.json has not all that the program did: there was "
                    "no memory for it, or no room on the disk");
    return EXIT_FAULT;
}

static int write_list(const struct exec *e)
{
    struct list l;
    char path[PATH_MAX];
    int status;

    list_init(&l);
    status = read_launches(e, &l);
    end_graphs(&l);

    snprintf(path, sizeof path, "%s/kernels.json", e->directory);
    if (status == EXIT_DONE)
        status = output_json(
            path, json_pack("{s:{s:i}, s:O, s:O, s:O, s:O}", "teg", "schema",
                            KERNELSJSON_SCHEMA, "kernels", l.kernels, "streams",
                            l.streams, "graphs", l.graphs, "order", l.order));
    if (status == EXIT_DONE)
        status = check_loss(e, &l);
    if (status == EXIT_DONE && l.launches == 0)
        say(e->program.path, "no kernel launch was traced");
    else if (status == EXIT_DONE)
        say("", "%" PRIu64 " launch%s, %zu trace%s: %s/kernels.json",
            l.launches, l.launches == 1 ? "" : "es", json_array_size(l.kernels),
            json_array_size(l.kernels) == 1 ? "" : "s", e->out);
    list_release(&l);
    remove_files(e->directory, ".process-*");
    remove_files(e->directory, ".launches");
    remove_files(e->directory, ".lost");
    remove_files(e->directory, ".enough");
    remove_files(e->directory, "*.tegt.??????");
    return status;
}

static int run(struct exec *e)
{
    int status = program_open(&e->program, e->argv[0]), listed = EXIT_DONE;
    bool ran = false;

    if (status == EXIT_DONE)
        status = check_program(&e->program);
    if (status == EXIT_DONE)
        status = check_code(&e->program);
    if (status == EXIT_DONE)
        status = choose_gpu(e);
    if (status == EXIT_DONE)
        status = find_library(e);
    if (status == EXIT_DONE)
        status = make_directory(e);
    if (status == EXIT_DONE)
        status = make_spent(e);
    if (status == EXIT_DONE)
        status = set_environment(e);
    if (status == EXIT_DONE) {
        status = run_program(e);
        ran = true;
    }
    if (e->spent[0] != '\0') {
        if (ran)
            print_timing(e);
        unlink(e->spent);
    }
    if (!ran)
        return status;
    if (e->directory != NULL)
        listed = write_list(e);
    return status != EXIT_DONE ? status : listed;
}

int cmd_exec(int argc, char **argv)
{
    struct exec e = {0};
    const struct opt options[] = {
        {"gpu", 'g', OPT_TEXT, &e.gpu_name, "GPU",
         "the GPU the program finds, a name that `teg gpus` lists or a .cfg "
         "file; default: the one that stands for its newest code",
         NULL},
        {"config-dir", 0, OPT_TEXT, &e.config_dir, "DIR",
         "look for GPU descriptions here first", NULL},
        {"clock", 0, OPT_TEXT, &e.clock, "MHZ",
         "the SMs' clock, where it is not the description's: what the program "
         "is told, and --time takes",
         NULL},
        {"set", 0, OPT_LIST, &e.set, "KEY=VALUE",
         "change a value of the GPU description (`teg gpus --keys`): what the "
         "program finds, and --time takes",
         NULL},
        {"what-if", 0, OPT_LIST, &e.what_ifs, "NAME[,NAME]",
         "with --time: as if this bottleneck were gone (`teg explain` lists "
         "them)",
         NULL},
        {"output", 'o', OPT_TEXT, &e.out, "DIR",
         "write the traces and kernels.json there; default: PROGRAM.teg", NULL},
        {"no-trace", 0, OPT_FLAG, &e.no_trace, NULL,
         "just run the program; write nothing", NULL},
        {"kernel", 'k', OPT_TEXT, &e.kernel, "PATTERN",
         "trace only kernels whose name, as the source or the symbol has it, "
         "matches this shell pattern",
         NULL},
        {"launches", 0, OPT_TEXT, &e.launches, "A:B",
         "trace only launches A to B-1, counted from 0 over all kernels; or "
         "one, N",
         NULL},
        {"first", 0, OPT_COUNT, &e.first, "N",
         "trace only the first N launches, of those that -k and --launches "
         "leave, and end the program (SIGTERM) after them",
         NULL},
        {"blocks", 0, OPT_TEXT, &e.blocks, "A:B",
         "record only blocks A to B-1 of each launch, in the order of the "
         "grid; all of them run",
         NULL},
        {"time", 0, OPT_FLAG, &e.time, NULL,
         "replay each traced launch as it happens, so that the program's "
         "events and clocks measure what the simulator says; without it "
         "events measure nominal times",
         NULL},
        {"host-time", 0, OPT_FLAG, &e.host_time, NULL,
         "note in kernels.json how long this machine's host computes between "
         "its calls, for `teg program` and --time; without it that is no time",
         NULL},
        {"jobs", 'j', OPT_COUNT, &e.jobs, "N",
         "host threads that run the blocks of a launch (default: one per "
         "core); what the program computes does not depend on it",
         NULL},
        LIMIT_OPTION(e.limit),
        {"loose", 0, OPT_FLAG, &e.loose, NULL,
         "let accesses up to 1 MB before or behind a buffer go unnoticed, as a "
         "GPU does within its pages of memory, and what blocks of a cluster "
         "leave in shared memory be touched until the cluster ends",
         NULL},
        {"timing", 0, OPT_FLAG, &e.timing, NULL,
         "say on standard error how much of the processor time went into "
         "emulation, and how fast that was",
         NULL},
        STRICT_OPTION(e.strict),
        INTERLEAVE_OPTION(e.interleave),
        {0}};
    const struct usage usage = {
        .command = "exec",
        .operands = "-- PROGRAM [ARG]...",
        .summary =
            "Runs PROGRAM, a CUDA program as nvcc builds it, on the "
            "functional emulator instead of a GPU.  Each kernel launch becomes "
            "a trace; kernels.json lists them, for `teg run`.  The exit status "
            "is the program's.",
        .options = options,
        .operands_min = 1,
        .operands_max = OPERANDS_MAX,
        .runs = true,
        .examples =
            "  nvcc -arch=sm_80 -o saxpy saxpy.cu\n"
            "  teg exec -- ./saxpy 1000\n"
            "  teg run saxpy.teg -g a100\n"
            "  teg exec -k 'gemm*' --first 3 -o traces -- ./saxpy 1000\n"};
    struct operands operands;
    struct emu_order order;
    struct emu_limit limit;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    if (e.time && (e.no_trace || e.blocks != NULL))
        return say_usage("exec",
                         "--time replays the whole traces of launches: "
                         "leave out %s",
                         e.no_trace ? "--no-trace" : "--blocks");
    if (e.what_ifs.count != 0 && !e.time)
        return say_usage("exec", "--what-if changes what --time replays: add "
                                 "--time, or use teg run on the traces");
    if (e.no_trace && e.first != 0)
        return say_usage("exec", "--first is about traces: leave out "
                                 "--no-trace");
    if (e.loose && e.strict)
        return say_usage("exec", "--loose and --strict-memory exclude each "
                                 "other");
    status = interleave_parse("exec", e.interleave, &order);
    if (status == EXIT_DONE)
        status = limit_parse("exec", e.limit, &limit);
    if (status != EXIT_DONE)
        return status;
    e.argv = operands.item;
    status = run(&e);
    program_release(&e.program);
    free(e.gpu_path);
    free(e.directory);
    return status;
}
