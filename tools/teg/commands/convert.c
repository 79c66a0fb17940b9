/* teg convert: any readable trace to a .tegt container, or one kernel of it
 * to NVBit text. */
#include "tools/teg/cli/inputs.h"
#include "tools/teg/cli/output.h"
#include "tools/teg/replay/job.h"
#include "tools/teg/report/traceg.h"

#include "traces/tegt/tegt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum target {
    TO_TEGT,
    TO_TRACEG,
    TO_BY_NAME,
};

static const char *const target_names[] = {"tegt", "traceg", NULL};

struct convert {
    struct job job;
    uint32_t to; /* enum target */
};

/* Hands on blocks until Ctrl-C, so that a conversion of many gigabytes can be
 * stopped without leaving half a file. */
struct stoppable {
    struct teg_launch from;
};

static teg_status stoppable_next(void *self, struct teg_block **block,
                                 struct teg_diag *d)
{
    struct stoppable *s = self;

    if (interrupted())
        return teg_fail(d, TEG_INTERRUPTED, "", "interrupted");
    return s->from.next(s->from.self, block, d);
}

static int to_tegt_kernel(const struct convert *c, uint32_t kernel,
                          const char *out, struct teg_tegt_writer *w)
{
    struct stoppable s;
    struct teg_launch launch;
    struct teg_diag d;
    int status = EXIT_DONE;

    if (teg_trace_launch(c->job.trace, kernel, &s.from, &d) != TEG_OK)
        return say_fault(&d);
    launch = (struct teg_launch){s.from.kernel, &s, stoppable_next, NULL};
    errno = 0;
    if (teg_tegt_writer_launch(w, &launch, &d) != TEG_OK)
        status = output_fault(out, &d);
    if (s.from.close != NULL)
        s.from.close(s.from.self);
    return status;
}

static int to_tegt(const struct convert *c, const char *out)
{
    struct teg_tegt_writer *w;
    struct teg_diag d;
    int status = EXIT_DONE;

    if (teg_tegt_writer_new(out, &w, &d) != TEG_OK)
        return say_fault(&d);
    for (uint32_t i = 0; status == EXIT_DONE && i < c->job.kernel_count; i++)
        status = to_tegt_kernel(c, c->job.kernel[i], out, w);
    if (status != EXIT_DONE) {
        teg_tegt_writer_abandon(w);
        return status;
    }
    return teg_tegt_writer_finish(w, &d) == TEG_OK ? EXIT_DONE
                                                   : output_fault(out, &d);
}

static int write_traceg(const struct convert *c, FILE *f)
{
    struct stoppable s;
    struct teg_launch launch;
    struct teg_diag d;
    int status = EXIT_DONE;

    if (teg_trace_launch(c->job.trace, c->job.kernel[0], &s.from, &d) != TEG_OK)
        return say_fault(&d);
    launch = (struct teg_launch){s.from.kernel, &s, stoppable_next, NULL};
    if (traceg_write(f, &launch, &d) != TEG_OK)
        status = say_fault(&d);
    if (s.from.close != NULL)
        s.from.close(s.from.self);
    return status;
}

static int to_traceg(const struct convert *c, const char *path)
{
    struct output out;
    int status;

    if (c->job.kernel_count > 1)
        return say_usage("convert",
                         "%s holds %u kernels and a .traceg only one: choose "
                         "it with --kernel",
                         c->job.path, c->job.kernel_count);
    status = output_open(&out, path);
    if (status != EXIT_DONE)
        return status;
    status = write_traceg(c, out.file);
    if (status == EXIT_DONE)
        return output_close(&out);
    output_abandon(&out);
    return status;
}

static bool ends_with(const char *text, const char *tail)
{
    size_t length = strlen(text), tail_length = strlen(tail);

    return length >= tail_length &&
           strcmp(text + length - tail_length, tail) == 0;
}

int cmd_convert(int argc, char **argv)
{
    struct convert c = {.to = TO_BY_NAME};
    const struct opt options[] = {
        {"to", 0, OPT_CHOICE, &c.to, "FORMAT",
         "tegt, or traceg: NVBit text of one kernel; default: traceg if OUT "
         "ends so, else tegt",
         target_names},
        JOB_TRACE_OPTIONS(c.job),
        {0}};
    const struct usage usage = {
        .command = "convert",
        .operands = "IN OUT",
        .summary = "Writes the kernels of any readable trace (or a sketch's "
                   "expansion) as a .tegt container. OUT is replaced once "
                   "it is complete.",
        .options = options,
        .operands_min = 2,
        .operands_max = 2,
        .writes_last = true,
        .examples = "  teg convert kernel-1.traceg.xz kernel.tegt\n"
                    "  teg convert kernelslist.g app.tegt --kernel 1-10\n"
                    "  teg convert matmul.sketch matmul.tegt\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    catch_interrupt();
    if (c.to == TO_BY_NAME)
        c.to = ends_with(operands.item[1], ".traceg") ? TO_TRACEG : TO_TEGT;
    status = job_open_trace(&c.job, operands.item[0]);
    if (status == EXIT_DONE)
        status = inputs_spare(operands.item[1]);
    if (status == EXIT_DONE)
        status = c.to == TO_TRACEG ? to_traceg(&c, operands.item[1])
                                   : to_tegt(&c, operands.item[1]);
    job_release(&c.job);
    return status;
}
