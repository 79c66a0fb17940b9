/* teg trace: runs a kernel of a cubin on the emulator and writes its trace. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "isa/base/name.h"
#include "tools/teg/cli/device_code.h"
#include "tools/teg/cli/emulator.h"
#include "tools/teg/cli/options.h"
#include "tools/teg/cli/output.h"
#include "tools/teg/cli/teg.h"
#include "tools/teg/replay/job.h"
#include "traces/emulate/core/args.h"
#include "traces/emulate/core/emulate.h"
#include "traces/tegt/tegt.h"

struct trace {
    const char *kernel_name, *grid, *block, *cluster, *out, *arch, *blocks;
    uint32_t shared, jobs;
    const char *interleave, *limit;
    bool timing, cooperative, strict;
    struct opt_list arg, dump;
    struct teg_cubin cubin;
    const struct teg_cubin_kernel *kernel;
    struct emu_device *device; /* owned */
    struct emu_args args;
    struct emu_launch_facts facts;
    uint64_t insts, lanes, undefined[EMU_UNDEFINED];
};

/* "X", "X,Y" or "X,Y,Z" */
static int parse_shape(const char *what, const char *text, uint32_t shape[3])
{
    char *end;

    shape[0] = shape[1] = shape[2] = 1;
    for (int i = 0; text != NULL && i < 3; i++) {
        unsigned long v = strtoul(text, &end, 10);

        if (end == text || v == 0 || v > INT32_MAX)
            break;
        shape[i] = (uint32_t)v;
        if (*end == '\0')
            return EXIT_DONE;
        if (*end != ',' && *end != 'x')
            break;
        text = end + 1;
    }
    say(what, "expected X, X,Y or X,Y,Z, each at least 1%s",
        text == NULL ? "; it must be given" : "");
    return EXIT_USAGE;
}

/* "N", "A:B", "A:" or ":B": blocks A to B - 1. */
static int parse_blocks(struct trace *t)
{
    const char *text = t->blocks, *colon = strchr(text, ':');
    uint64_t from, to = UINT64_MAX;

    if (text[0] != '\0' && strspn(text, "0123456789:") == strlen(text) &&
        strcmp(text, ":") != 0 && strlen(text) < 40 &&
        (colon == NULL || strchr(colon + 1, ':') == NULL)) {
        from = strtoull(text, NULL, 10);
        if (colon == NULL)
            to = from + 1;
        else if (colon[1] != '\0')
            to = strtoull(colon + 1, NULL, 10);
        t->facts.from = from;
        t->facts.to = to;
        if (from < to)
            return EXIT_DONE;
    }
    return say_usage(
        "trace",
        "--blocks: expected N or A:B, from A up to, not including, "
        "B; found '%s'",
        text);
}

/* By symbol, or by a name that only one kernel has; NULL: none, or `*found` of
 * that name. */
static const struct teg_cubin_kernel *find_kernel(const struct teg_cubin *c,
                                                  const char *name,
                                                  uint32_t *found)
{
    const struct teg_cubin_kernel *k = teg_cubin_find(c, name);

    for (uint32_t i = 0; k == NULL && i < c->kernel_count; i++)
        *found += teg_name_matches(c->kernel[i].name, name) != 0;
    for (uint32_t i = 0; k == NULL && *found == 1 && i < c->kernel_count; i++) {
        if (teg_name_matches(c->kernel[i].name, name))
            k = &c->kernel[i];
    }
    return k;
}

/* Of several cubins those that have the kernel that was asked for: a program
 * of several sources has one of each. */
static int narrow_by_kernel(const struct trace *t, struct device_code *code,
                            uint32_t sm, uint32_t *which, uint32_t *found)
{
    int status = EXIT_DONE;

    *found = 0;
    for (uint32_t i = 0; status == EXIT_DONE && i < code->count; i++) {
        struct teg_cubin cubin;
        uint32_t several = 0;

        if (!device_code_is_cubin(code, i, sm))
            continue;
        status = device_code_cubin(code, i, &cubin);
        if (status != EXIT_DONE)
            return status;
        if (find_kernel(&cubin, t->kernel_name, &several) != NULL ||
            several != 0) {
            *which = i;
            ++*found;
        }
        teg_cubin_release(&cubin);
    }
    return status;
}

/* The cubin, or the one for --arch of those that a fatbin or program holds. */
static int open_cubin(struct trace *t, const char *path)
{
    struct device_code code;
    uint32_t sm = 0, found = 0, which = 0, with_kernel = 0;
    int status;

    if (t->arch != NULL && !device_code_read_arch(t->arch, &sm))
        return say_usage("trace", "--arch: expected sm_XX, found '%s'",
                         t->arch);
    status = device_code_open(&code, path);
    for (uint32_t i = 0; status == EXIT_DONE && i < code.count; i++) {
        if (device_code_is_cubin(&code, i, sm)) {
            which = i;
            found++;
        }
    }
    if (status == EXIT_DONE && code.kind == CODE_LISTING) {
        say(path, "expected a cubin, found a listing, which lacks what running "
                  "needs: parameters, shared memory, constants");
        status = EXIT_FAULT;
    }
    if (status == EXIT_DONE && found > 1 && t->kernel_name != NULL)
        status = narrow_by_kernel(t, &code, sm, &which, &with_kernel);
    if (status == EXIT_DONE && found != 1 && with_kernel != 1) {
        say(path,
            found == 0 ? "there is no cubin%s%s"
            : sm != 0  ? "there are several cubins%s%s: expected --kernel, a "
                         "name that one of them has (`teg info`)"
                       : "there are several cubins%s%s: expected --arch sm_XX "
                         "of `teg info`",
            sm != 0 ? " for " : "", sm != 0 ? t->arch : "");
        status = EXIT_FAULT;
    }
    if (status == EXIT_DONE)
        status = device_code_cubin(&code, which, &t->cubin);
    device_code_release(&code);
    return status;
}

/* "scale, add"; those that may be called `wanted`, NULL: all. */
static const char *list_kernels(const struct teg_cubin *c, const char *wanted,
                                char *out, size_t size)
{
    size_t used = 0;

    out[0] = '\0';
    for (uint32_t i = 0; i < c->kernel_count && used < size; i++) {
        char name[TEG_NAME_MAX];

        if (wanted == NULL || teg_name_matches(c->kernel[i].name, wanted))
            used += (size_t)snprintf(
                out + used, size - used, "%s%s", used > 0 ? ", " : "",
                teg_name_readable(c->kernel[i].name, NAME_FULL, name));
    }
    return out;
}

static int choose_kernel(struct trace *t)
{
    const struct teg_cubin *c = &t->cubin;
    char known[2048];
    uint32_t found = 0;

    if (t->kernel_name != NULL)
        t->kernel = find_kernel(c, t->kernel_name, &found);
    else if (c->kernel_count == 1)
        t->kernel = &c->kernel[0];
    if (t->kernel != NULL)
        return EXIT_DONE;
    if (t->kernel_name != NULL && found == 0)
        say(c->path, "there is no kernel '%s'; there are: %s", t->kernel_name,
            list_kernels(c, NULL, known, sizeof known));
    else if (t->kernel_name != NULL)
        say(c->path, "several kernels are called '%s': %s", t->kernel_name,
            list_kernels(c, t->kernel_name, known, sizeof known));
    else
        say(c->path, "expected --kernel, for there are %" PRIu32 ": %s",
            c->kernel_count, list_kernels(c, NULL, known, sizeof known));
    return EXIT_FAULT;
}

/* Processor time used so far, in seconds. */
static double seconds(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void print_timing(const struct trace *t, double took)
{
    fprintf(stderr,
            "timing: %.3f s of processor time, %" PRIu64
            " warp instructions, %.1f M thread "
            "instructions/s\n",
            took, t->insts, took > 0 ? (double)t->lanes / took / 1e6 : 0);
}

/* Runs every block and, if asked, writes each. */
static teg_status run_blocks(struct trace *t, struct teg_launch *launch,
                             struct teg_diag *d)
{
    return t->out != NULL ? teg_tegt_write(t->out, launch, NULL, d)
                          : teg_launch_walk(launch, NULL, NULL, d);
}

/* "INDEX=FILE": the buffer of that argument, raw. */
static int dump_buffer(const struct trace *t, const char *text)
{
    char *end;
    unsigned long index = strtoul(text, &end, 10);
    struct output o;
    int status;

    if (end == text || *end != '=' || index >= t->args.count ||
        t->args.buffer[index].bytes == 0) {
        say("dump",
            "expected INDEX=FILE with the index of a buffer, found "
            "'%s'",
            text);
        return EXIT_USAGE;
    }
    status = output_open(&o, output_path(end + 1));
    if (status != EXIT_DONE)
        return status;
    fwrite(emu_device_at(t->device, t->args.buffer[index].address,
                         t->args.buffer[index].bytes),
           1, (size_t)t->args.buffer[index].bytes, o.file);
    return output_close(&o);
}

static void print_text(void *self, const char *text, size_t length)
{
    fwrite(text, 1, length, self);
}

static int run(struct trace *t)
{
    struct teg_launch launch;
    struct teg_diag d = {0};
    teg_status status;
    int result = EXIT_DONE, error;
    double begin;

    if (emu_device_new(&t->device, &d) != TEG_OK ||
        emu_args_parse(&t->args, t->kernel, t->device, t->arg.item,
                       t->arg.count, &d) != TEG_OK)
        return say_fault(&d);
    if (t->strict)
        emu_device_make_strict(t->device);
    t->facts.params = t->args.params;
    t->facts.param_bytes = t->args.param_bytes;
    t->facts.dynamic_shared = t->shared;
    t->facts.jobs = t->jobs;
    t->facts.clock = job_clock;
    if (t->out == NULL)
        t->facts.from = UINT64_MAX;
    t->facts.warp_insts = &t->insts;
    t->facts.thread_insts = &t->lanes;
    t->facts.undefined = t->undefined;
    t->facts.outlet = (struct emu_outlet){
        print_text, output_is_standard(t->out) ? stderr : stdout};
    if (emu_launch(&t->cubin, t->kernel, t->device, &t->facts, &launch, &d) !=
        TEG_OK)
        return say_fault(&d);
    begin = seconds();
    status = run_blocks(t, &launch, &d);
    error = status == TEG_IO ? errno : 0;
    if (t->timing && status == TEG_OK)
        print_timing(t, seconds() - begin);
    launch.close(launch.self);
    errno = error;
    if (status != TEG_OK)
        return output_fault(t->out, &d);
    for (int i = 0; i < EMU_UNDEFINED; i++) {
        if (t->undefined[i] != 0)
            say(t->kernel->name, "%s (%" PRIu64 " times)",
                emu_undefined_says[i], t->undefined[i]);
    }
    for (uint32_t i = 0; result == EXIT_DONE && i < t->dump.count; i++)
        result = dump_buffer(t, t->dump.item[i]);
    return result;
}

int cmd_trace(int argc, char **argv)
{
    struct trace t = {0};
    const struct opt options[] = {
        {"kernel", 'k', OPT_TEXT, &t.kernel_name, "NAME",
         "the kernel, as `teg info` names it; needed if there are several",
         NULL},
        {"grid", 0, OPT_TEXT, &t.grid, "X[,Y[,Z]]", "blocks", NULL},
        {"block", 0, OPT_TEXT, &t.block, "X[,Y[,Z]]", "threads of a block",
         NULL},
        {"cluster", 0, OPT_TEXT, &t.cluster, "X[,Y[,Z]]",
         "blocks of a cluster, on sm_90; default: as the kernel was compiled",
         NULL},
        {"cooperative", 0, OPT_FLAG, &t.cooperative, NULL,
         "run all blocks at once, so that they may wait for each other", NULL},
        {"arg", 'a', OPT_LIST, &t.arg, "ARG",
         "the next argument: i32:N u32:N i64:N u64:N f32:X f64:X, a buffer "
         "buf:TYPE:COUNT:FILL with FILL zeros, iota, random[,seed=N], "
         "file=PATH, or a tensor map map:TYPE:SIZES:BOX[:OPTION...]:FILL "
         "(docs/emulator.md); +ARG: the next member of a struct",
         NULL},
        {"shared", 0, OPT_BYTES, &t.shared, "BYTES", "dynamic shared memory",
         NULL},
        {"dump", 0, OPT_WRITES, &t.dump, "INDEX=FILE",
         "write the buffer of that -a (the first is 0) after the run, raw "
         "little endian",
         NULL},
        {"output", 'o', OPT_OUTPUT, &t.out, "FILE.tegt",
         "write the trace there; without it the kernel just runs", NULL},
        {"arch", 0, OPT_TEXT, &t.arch, "sm_XX",
         "which cubin of a fatbin or program; needed if there are several",
         NULL},
        {"blocks", 0, OPT_TEXT, &t.blocks, "A:B",
         "record only blocks A to B-1, in the order of the grid, or one, N; "
         "all of them run",
         NULL},
        {"jobs", 'j', OPT_COUNT, &t.jobs, "N",
         "threads that run blocks; what comes out is the same for any number",
         NULL},
        STRICT_OPTION(t.strict),
        INTERLEAVE_OPTION(t.interleave),
        LIMIT_OPTION(t.limit),
        {"timing", 0, OPT_FLAG, &t.timing, NULL,
         "say on standard error how long it took and how many instructions "
         "that is per second",
         NULL},
        {0}};
    const struct usage usage = {
        .command = "trace",
        .operands = "FILE",
        .summary = "Runs a kernel of FILE (a cubin, a fatbin or a "
                   "program that holds one) on the functional emulator and "
                   "writes its warp instruction trace.  Accesses out of bounds "
                   "or misaligned, barriers some threads never reach and "
                   "endless loops end with the place.",
        .options = options,
        .may_write = true,
        .operands_min = 1,
        .operands_max = 1,
        .examples =
            "  nvcc -cubin -arch=sm_80 saxpy.cu\n"
            "  teg trace saxpy.cubin --grid 64 --block 256 -a i32:16384 \\\n"
            "      -a f32:2 -a buf:f32:16384:iota -a buf:f32:16384:random \\\n"
            "      --dump 3=y.raw -o saxpy.tegt\n"
            "  teg run saxpy.tegt -g a100\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    status = parse_shape("grid", t.grid, t.facts.grid);
    if (status == EXIT_DONE)
        status = parse_shape("block", t.block, t.facts.block);
    if (status == EXIT_DONE && t.cluster != NULL)
        status = parse_shape("cluster", t.cluster, t.facts.cluster);
    if (status != EXIT_DONE)
        return status;
    t.facts.cooperative = t.cooperative;
    status = interleave_parse("trace", t.interleave, &t.facts.order);
    if (status == EXIT_DONE)
        status = limit_parse("trace", t.limit, &t.facts.limit);
    if (status == EXIT_DONE && t.blocks != NULL)
        status = parse_blocks(&t);
    if (status == EXIT_DONE)
        status = open_cubin(&t, operands.item[0]);
    if (status != EXIT_DONE)
        return status;
    status = choose_kernel(&t);
    if (status == EXIT_DONE)
        status = run(&t);
    emu_args_release(&t.args);
    emu_device_free(t.device);
    teg_cubin_release(&t.cubin);
    return status;
}
