/*
 * teg info: what is in a trace, counted by walking it.
 *
 *     kernel.tegt: .tegt container, 12,345 bytes, 1 kernel, 1.23 bytes per
 *     warp instruction
 *
 *     1  matmul
 *        grid 64x64x1, block 16x16x1, 32 registers, 2,048 bytes shared, sm_70
 *        4,096 blocks, 32,768 warps, 2,345,678 warp instructions, 31.9 lanes
 *        123 static instructions
 *        fmad      45.0 %   ldg     12.3 %   ...
 */
#include "tools/teg/cli/device_code.h"
#include "tools/teg/commands/info_cubin.h"
#include "tools/teg/report/report.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/stat.h>

struct kernel_info {
    uint64_t blocks, warps, warp_instructions, thread_instructions;
    uint64_t unknown;               /* warp instructions of no known opcode */
    uint64_t of_class[TEG_CLASSES]; /* warp instructions */
};

static void count_stream(struct kernel_info *info,
                         const struct teg_program *program,
                         struct teg_block *block, uint32_t stream)
{
    struct teg_cursor c;

    teg_cursor_init(&c, block, stream);
    while (teg_cursor_next(&c)) {
        const struct teg_inst *inst = &program->inst[c.inst];

        info->warp_instructions++;
        info->thread_instructions += (uint64_t)__builtin_popcount(c.mask);
        info->unknown += (inst->flags & INST_UNKNOWN) != 0;
        info->of_class[inst->op_class]++;
    }
}

static int count_launch(struct kernel_info *info, struct teg_launch *launch)
{
    struct teg_block *block;
    struct teg_diag d;

    while (!interrupted()) {
        if (launch->next(launch->self, &block, &d) != TEG_OK)
            return say_fault(&d);
        if (block == NULL)
            return EXIT_DONE;
        info->blocks++;
        for (uint32_t i = 0; i < teg_block_warps(block); i++) {
            info->warps++;
            count_stream(info, &launch->kernel->program, block, i);
        }
        teg_block_free(block);
    }
    return EXIT_INTERRUPTED;
}

/* Class numbers, the most frequent first. */
static uint32_t rank_classes(const struct kernel_info *info,
                             uint32_t rank[TEG_CLASSES])
{
    uint32_t count = 0;

    for (uint32_t c = 0; c < TEG_CLASSES; c++) {
        uint32_t at = count;

        if (info->of_class[c] == 0)
            continue;
        for (; at > 0 && info->of_class[rank[at - 1]] < info->of_class[c]; at--)
            rank[at] = rank[at - 1];
        rank[at] = c;
        count++;
    }
    return count;
}

static void print_mix(FILE *f, const struct kernel_info *info)
{
    uint32_t rank[TEG_CLASSES];
    uint32_t count = rank_classes(info, rank);

    for (uint32_t i = 0; i < count; i++) {
        double share =
            (double)info->of_class[rank[i]] / (double)info->warp_instructions;

        fprintf(f, "   %-9s %5.1f %%%s", teg_op_class_facts(rank[i])->key,
                100 * share, i % 4 == 3 || i + 1 == count ? "\n" : "");
    }
}

/* A kernel of the trace, counted. */
struct counted {
    const struct teg_kernel *kernel; /* borrowed */
    uint32_t number;
    struct kernel_info info;
};

static int text(FILE *f, const void *part)
{
    const struct counted *counted = part;
    const struct teg_kernel *k = counted->kernel;
    const struct kernel_info *info = &counted->info;
    char a[28], b[28], c[28], name[TEG_NAME_MAX];
    double all = (double)info->warp_instructions;

    fprintf(f, "\n%u  %s\n", counted->number,
            k->name[0] != '\0' ? teg_name_readable(k->name, NAME_FULL, name)
                               : "(unnamed)");
    if (teg_name_is_mangled(k->name))
        fprintf(f, "   %s\n", k->name);
    fprintf(f,
            "   grid %ux%ux%u, block %ux%ux%u, %u registers, %s bytes shared",
            k->grid[0], k->grid[1], k->grid[2], k->block[0], k->block[1],
            k->block[2], k->registers, with_commas(k->shared_bytes, a));
    if (teg_kernel_cluster(k) > 1)
        fprintf(f, ", clusters of %ux%ux%u", k->cluster[0], k->cluster[1],
                k->cluster[2]);
    if (k->carveout != 0)
        fprintf(f, ", %u %% of an SM's preferred for it", k->carveout - 1);
    if (k->isa != 0)
        fprintf(f, ", sm_%u", k->isa);
    fprintf(f, "\n   %s blocks, %s warps, %s warp instructions",
            with_commas(info->blocks, a), with_commas(info->warps, b),
            with_commas(info->warp_instructions, c));
    if (all > 0)
        fprintf(f, ", %.1f lanes active",
                (double)info->thread_instructions / all);
    fprintf(f, "\n   %u static instructions\n", k->program.count);
    print_mix(f, info);
    if (info->unknown > 0)
        fprintf(f, "   %.2g %% of warp instructions have an unknown opcode\n",
                100 * (double)info->unknown / all);
    for (size_t i = 0; i < k->notes.count; i++)
        fprintf(f, "   note: %s: %s\n", k->notes.note[i].where,
                k->notes.note[i].what);
    return EXIT_DONE;
}

static json_t *mix_json(const struct kernel_info *info)
{
    json_t *mix = json_object();

    for (uint32_t i = 0; i < TEG_CLASSES; i++) {
        if (info->of_class[i] > 0)
            json_object_set_new(mix, teg_op_class_facts(i)->key,
                                json_integer((json_int_t)info->of_class[i]));
    }
    return mix;
}

static json_t *values(const void *part)
{
    const struct counted *counted = part;
    const struct teg_kernel *k = counted->kernel;
    const struct kernel_info *info = &counted->info;

    return json_pack(
        "{s:s, s:o, s:i, s:[i,i,i], s:[i,i,i], s:i, s:i, s:i, s:I, s:I, s:I, "
        "s:I, "
        "s:i, s:I, s:o}",
        "name", k->name, "demangled", demangled_json(k->name), "number",
        (int)counted->number, "grid", (int)k->grid[0], (int)k->grid[1],
        (int)k->grid[2], "block", (int)k->block[0], (int)k->block[1],
        (int)k->block[2], "registers", (int)k->registers, "shared_bytes",
        (int)k->shared_bytes, "isa", (int)k->isa, "blocks",
        (json_int_t)info->blocks, "warps", (json_int_t)info->warps,
        "warp_instructions", (json_int_t)info->warp_instructions,
        "thread_instructions", (json_int_t)info->thread_instructions,
        "static_instructions", (int)k->program.count, "unknown_instructions",
        (json_int_t)info->unknown, "classes", mix_json(info));
}

struct info {
    struct job job;
    uint64_t bytes;             /* of the file */
    uint64_t warp_instructions; /* of all kernels shown */
};

static int count_kernel(struct info *self, struct writer *w, uint32_t kernel)
{
    struct counted counted = {.number = kernel + 1};
    struct teg_launch launch;
    struct teg_diag d;
    int status;

    if (teg_trace_launch(self->job.trace, kernel, &launch, &d) != TEG_OK)
        return say_fault(&d);
    counted.kernel = launch.kernel;
    status = count_launch(&counted.info, &launch);
    if (status == EXIT_DONE)
        status = writer_add(w, &counted);
    self->warp_instructions += counted.info.warp_instructions;
    if (launch.close != NULL)
        launch.close(launch.self);
    return status;
}

static int head(FILE *f, const void *part)
{
    const struct info *self = part;
    uint32_t kernels = teg_trace_kernels(self->job.trace);
    char bytes[28], path[TEG_NAME_MAX];

    fprintf(f, "%s: %s, %s bytes, %u kernel%s\n",
            path_title(self->job.path, path),
            teg_trace_format_name(teg_trace_format(self->job.trace)),
            with_commas(self->bytes, bytes), kernels, kernels == 1 ? "" : "s");
    return EXIT_DONE;
}

static uint64_t file_bytes(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* A list's size is not its kernels'; a choice is not the whole file. */
static bool bytes_are_of_kernels(const struct job *job)
{
    return !teg_trace_is_list(job->trace) &&
           job->kernel_count == teg_trace_kernels(job->trace);
}

static int foot(FILE *f, const void *part)
{
    const struct info *self = part;

    if (bytes_are_of_kernels(&self->job) && self->warp_instructions > 0)
        fprintf(f, "\n%.3f bytes per warp instruction\n",
                (double)self->bytes / (double)self->warp_instructions);
    return EXIT_DONE;
}

static json_t *whole(const void *part, json_t *kernels)
{
    const struct info *self = part;
    enum teg_trace_format format = teg_trace_format(self->job.trace);

    return json_pack(
        "{s:o, s:o, s:s, s:I, s:o, s:O}", "teg", teg_json(), "file",
        json_text(self->job.path), "format", teg_trace_format_name(format),
        "bytes", (json_int_t)self->bytes, "bytes_per_warp_instruction",
        bytes_are_of_kernels(&self->job)
            ? json_ratio((double)self->bytes, (double)self->warp_instructions)
            : json_null(),
        "kernels", kernels);
}

/* A column for each class, so that the rows of a list are alike. */
static json_t *rows(const void *part)
{
    json_t *kernel = values(part), *all = json_object();
    json_t *mix = json_object_get(kernel, "classes");

    for (uint32_t c = 0; c < TEG_CLASSES; c++) {
        const char *key = teg_op_class_facts(c)->key;
        json_t *count = json_object_get(mix, key);

        json_object_set_new(
            all, key, count != NULL ? json_incref(count) : json_integer(0));
    }
    json_object_set_new(kernel, "classes", all);
    return json_pack("[o]", kernel);
}

static int info(struct info *self)
{
    static const struct view view = {
        .head = head,
        .text = text,
        .foot = foot,
        .values = values,
        .whole = whole,
        .rows = rows,
        .columns = "name,number",
    };
    struct writer w;
    int status;

    self->bytes = file_bytes(teg_trace_path(self->job.trace));
    status = writer_open(&w, &view, self, self->job.format, NULL);
    if (status != EXIT_DONE)
        return status;
    for (uint32_t i = 0; status == EXIT_DONE && i < self->job.kernel_count; i++)
        status = count_kernel(self, &w, self->job.kernel[i]);
    return writer_end(&w, status);
}

/* A cubin has no launches: its kernels' resources are what there is to say,
 * and with -g how many blocks an SM holds. */
static int cubin(struct job *job, const char *path, uint32_t threads)
{
    int status = EXIT_DONE;

    if (job->gpu_name != NULL)
        status = job_open_gpu(job);
    if (status == EXIT_DONE)
        status =
            info_cubin(path, job->gpu, threads, file_bytes(path), job->format);
    return status;
}

int cmd_info(int argc, char **argv)
{
    struct info self = {0};
    uint32_t threads = 256;
    const struct opt options[] = {
        {"gpu", 'g', OPT_TEXT, &self.job.gpu_name, "GPU",
         "of a cubin: show the occupancy on this GPU", NULL},
        {"config-dir", 0, OPT_TEXT, &self.job.config_dir, "DIR",
         "look for GPU descriptions here first", NULL},
        {"threads", 't', OPT_COUNT, &threads, "N",
         "of a cubin: threads of a block for the occupancy (default 256)",
         NULL},
        JOB_TRACE_OPTIONS(self.job),
        JOB_FORMAT_OPTION(self.job),
        {0}};
    const struct usage usage = {
        .command = "info",
        .operands = "FILE",
        .summary = "Says what is in a trace: format, kernels, launch shapes, "
                   "instruction counts and mix; or in a cubin, a program or a "
                   "listing: kernels, their resources and parameters.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  teg info kernel.tegt\n"
                    "  teg info kernel.cubin -g rtx3070\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    catch_interrupt();
    if (device_code_recognise(operands.item[0]) != CODE_NONE) {
        status = cubin(&self.job, operands.item[0], threads);
        job_release(&self.job);
        return status;
    }
    status = job_open_trace(&self.job, operands.item[0]);
    if (status == EXIT_DONE)
        status = info(&self);
    job_release(&self.job);
    return status;
}
