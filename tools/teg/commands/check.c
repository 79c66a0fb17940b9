/*
 * teg check: what makes a trace's numbers less trustworthy than they look.
 *
 *     warning  insts-count  kernel-1.traceg:40: expected 12 instructions, ...
 *     kernel-1.traceg: 0 errors, 1 warning
 */
#include "tools/teg/cli/color.h"
#include "tools/teg/report/report.h"

#include "traces/study/lint.h"

#include <inttypes.h>
#include <stdlib.h>

struct lint {
    struct job job;
    struct teg_notes findings;
    uint32_t of_severity[SEVERITY_ERROR + 1];
};

/* Remarks on the trace as a whole come first, so every kind is new. */
static void begin_with(struct teg_notes *findings,
                       const struct teg_notes *notes)
{
    for (size_t i = 0; i < notes->count; i++) {
        const struct teg_note *n = &notes->note[i];

        teg_notes_add(findings, n->kind, n->where, "%s", n->what);
        if (findings->count == i + 1)
            findings->note[i].count = n->count;
    }
}

/* A trace that cannot be read to its end is the gravest finding: the fault is
 * said after what was found before it. */
static int lint_kernel(struct lint *lint, uint32_t kernel)
{
    uint32_t cc =
        lint->job.gpu != NULL ? lint->job.gpu->chip.compute_capability : 0;
    struct teg_launch launch;
    struct teg_diag d;
    teg_status status;

    if (teg_trace_launch(lint->job.trace, kernel, &launch, &d) != TEG_OK)
        return say_fault(&d);
    status = teg_lint_launch(&launch, cc, &lint->findings, &d);
    if (launch.close != NULL)
        launch.close(launch.self);
    return status == TEG_OK ? EXIT_DONE : say_fault(&d);
}

static void count_severities(struct lint *lint)
{
    for (size_t i = 0; i < lint->findings.count; i++)
        lint->of_severity[teg_lint_severity(lint->findings.note[i].kind)]++;
}

static void print_finding(FILE *f, const struct teg_note *n)
{
    static const enum tint tints[] = {[SEVERITY_INFO] = TINT_DIM,
                                      [SEVERITY_WARNING] = TINT_NOTICE,
                                      [SEVERITY_ERROR] = TINT_BAD};
    enum teg_severity severity = teg_lint_severity(n->kind);

    fprintf(f, "%s%-8s%s %s%s%s", tint(f, tints[severity]),
            teg_severity_name(severity), tint(f, TINT_OFF), n->where,
            n->where[0] != '\0' ? ": " : "", n->what);
    if (n->count > 1)
        fprintf(f, " (%" PRIu64 " times)", n->count);
    fprintf(f, " [%s]\n", n->kind);
}

static int print_text(FILE *f, const void *part)
{
    const struct lint *lint = part;
    uint32_t errors = lint->of_severity[SEVERITY_ERROR];
    uint32_t warnings = lint->of_severity[SEVERITY_WARNING];
    char path[TEG_NAME_MAX];

    for (int s = SEVERITY_ERROR; s >= SEVERITY_INFO; s--) {
        for (size_t i = 0; i < lint->findings.count; i++) {
            const struct teg_note *n = &lint->findings.note[i];

            if ((int)teg_lint_severity(n->kind) == s)
                print_finding(f, n);
        }
    }
    fprintf(f, "%s: %u kernel%s, %u error%s, %u warning%s\n",
            path_title(lint->job.path, path), lint->job.kernel_count,
            lint->job.kernel_count == 1 ? "" : "s", errors,
            errors == 1 ? "" : "s", warnings, warnings == 1 ? "" : "s");
    return EXIT_DONE;
}

static json_t *finding_json(const struct teg_note *n)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:I}", "severity",
                     teg_severity_name(teg_lint_severity(n->kind)), "kind",
                     n->kind, "where", n->where, "what", n->what, "help",
                     teg_lint_help(n->kind), "count", (json_int_t)n->count);
}

static json_t *lint_json(const struct lint *lint)
{
    json_t *findings = json_array();

    for (size_t i = 0; i < lint->findings.count; i++)
        json_array_append_new(findings, finding_json(&lint->findings.note[i]));
    return findings;
}

static json_t *values(const void *part)
{
    const struct lint *lint = part;

    return json_pack("{s:o, s:o, s:i, s:i, s:i, s:o}", "teg", teg_json(),
                     "file", json_text(lint->job.path), "kernels",
                     (int)lint->job.kernel_count, "errors",
                     (int)lint->of_severity[SEVERITY_ERROR], "warnings",
                     (int)lint->of_severity[SEVERITY_WARNING], "findings",
                     lint_json(lint));
}

static int check(struct lint *lint)
{
    static const struct view view = {
        .text = print_text,
        .values = values,
        .table = "findings",
        .columns = "severity,kind,where,what,help,count",
    };
    int written, status = EXIT_DONE;

    begin_with(&lint->findings, teg_trace_notes(lint->job.trace));
    for (uint32_t i = 0; status == EXIT_DONE && i < lint->job.kernel_count; i++)
        status = lint_kernel(lint, lint->job.kernel[i]);
    if (status != EXIT_DONE && lint->findings.count == 0)
        return status;
    count_severities(lint);
    written = view_write(&view, lint, lint->job.format, NULL);
    if (written != EXIT_DONE)
        return written;
    return status == EXIT_DONE && lint->of_severity[SEVERITY_ERROR] > 0
               ? EXIT_FAULT
               : status;
}

int cmd_check(int argc, char **argv)
{
    struct lint lint = {0};
    const struct opt options[] = {JOB_GPU_OPTIONS(lint.job),
                                  JOB_TRACE_OPTIONS(lint.job),
                                  JOB_FORMAT_OPTION(lint.job),
                                  {0}};
    const struct usage usage = {
        .command = "check",
        .operands = "TRACE",
        .summary = "Lints a trace before its numbers are trusted; with -g "
                   "also whether the code is of that GPU's generation. Exit "
                   "status 0 if no finding is an error.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1,
        .examples = "  teg check kernelslist.g -g v100\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    status = job_open_trace(&lint.job, operands.item[0]);
    if (status == EXIT_DONE && lint.job.gpu_name != NULL)
        status = job_open_gpu(&lint.job);
    if (status == EXIT_DONE)
        status = check(&lint);
    teg_notes_release(&lint.findings);
    job_release(&lint.job);
    return status;
}
