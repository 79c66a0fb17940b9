#include "traces/trace.h"

#include "traces/input.h"
#include "traces/nvbit.h"
#include "traces/tegt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is known of a file whose format is to be found. */
struct probe {
    const uint8_t *bytes; /* the first ones, decompressed */
    size_t size;
};

struct teg_trace {
    char *path; /* owned */
    struct teg_source source;
    struct teg_trace_options options;
    char *spill; /* owned copy of options.spill_directory, or NULL */
    const struct format *format;
    uint32_t kernels;
    struct teg_tegt *tegt; /* owned, TRACE_TEGT */
    struct teg_notes notes;
};

/* One format.  `open` may be NULL where a launch opens the file itself;
 * `packed` says that the format may be compressed as a whole. */
struct format {
    const char *name;
    int packed;
    int (*recognise)(const struct probe *probe);
    teg_status (*open)(struct teg_trace *t, struct teg_diag *d);
    teg_status (*launch)(struct teg_trace *t, uint32_t i,
                         struct teg_launch *launch, struct teg_diag *d);
    const char *(*label)(const struct teg_trace *t, uint32_t i);
};

/* ---- .tegt ----------------------------------------------------------------- */

static int tegt_recognise(const struct probe *p)
{
    return teg_tegt_recognise(p->bytes, p->size);
}

static teg_status tegt_open(struct teg_trace *t, struct teg_diag *d)
{
    TRY(teg_tegt_open(t->path, &t->tegt, d));
    t->kernels = teg_tegt_kernels(t->tegt);
    return TEG_OK;
}

static teg_status tegt_launch(struct teg_trace *t, uint32_t i,
                              struct teg_launch *launch, struct teg_diag *d)
{
    return teg_tegt_launch(t->tegt, i, launch, d);
}

static const char *tegt_label(const struct teg_trace *t, uint32_t i)
{
    return teg_tegt_kernel_name(t->tegt, i);
}

/* ---- NVBit text ------------------------------------------------------------- */

static int text_recognise(const struct probe *p)
{
    return nvbit_recognise(p->bytes, p->size) == NVBIT_GROUPED;
}

static teg_status text_launch(struct teg_trace *t, uint32_t i,
                              struct teg_launch *launch, struct teg_diag *d)
{
    (void)i;
    return nvbit_launch(&t->source, &t->options, launch, d);
}

/* ---- the table ---------------------------------------------------------------- */

/* In the order in which they are tried. */
static const struct format formats[] = {
    [TRACE_TEGT] = {"tegt", 0, tegt_recognise, tegt_open, tegt_launch,
                    tegt_label},
    [TRACE_NVBIT_TEXT] = {"nvbit", 1, text_recognise, NULL, text_launch, NULL},
};

enum {
    FORMATS = sizeof formats / sizeof formats[0]
};

const char *teg_trace_format_name(enum teg_trace_format format)
{
    return formats[format].name;
}

static teg_status unrecognised(const char *path, const struct probe *probe,
                               struct teg_diag *d)
{
    char start[3 * 16 + 1] = "";

    if (probe->size == 0)
        return teg_fail(d, TEG_FORMAT, path,
                        "expected a trace, found an empty file");
    for (size_t i = 0; i < 16 && i < probe->size; i++)
        snprintf(start + 3 * i, 4, " %02x", probe->bytes[i]);
    return teg_fail(d, TEG_FORMAT, path,
                    "expected a .tegt, an NVBit trace (.traceg, .trace or "
                    ".tracez), a kernelslist or a kernel sketch, found a file "
                    "that begins with the bytes%s",
                    start);
}

static teg_status recognise(struct teg_trace *t, struct teg_diag *d)
{
    struct teg_input *in;
    struct probe probe;
    enum teg_packing packing;
    teg_status status;

    TRY(teg_input_open(&t->source, &in, d));
    packing = teg_input_packing(in);
    status = teg_input_peek(in, &probe.bytes, &probe.size, d);
    for (size_t i = 0; i < FORMATS && status == TEG_OK && !t->format; i++) {
        if (formats[i].recognise != NULL && formats[i].recognise(&probe))
            t->format = &formats[i];
    }
    if (status == TEG_OK && t->format == NULL)
        status = unrecognised(t->path, &probe, d);
    if (status == TEG_OK && packing != PACKING_NONE && !t->format->packed)
        status = teg_fail(d, TEG_FORMAT, t->path,
                          "expected a %s file as it is, found one compressed "
                          "with %s: decompress it first",
                          t->format->name, teg_packing_name(packing));
    teg_input_close(in);
    return status;
}

static teg_status open_trace(struct teg_trace *t, const char *path,
                             const struct teg_trace_options *options,
                             struct teg_diag *d)
{
    t->path = strdup(path);
    if (t->path == NULL)
        return teg_fail_memory(d);
    t->source = (struct teg_source){.path = t->path};
    t->kernels = 1;
    if (options != NULL)
        t->options = *options;
    if (t->options.spill_directory != NULL) {
        t->spill = strdup(t->options.spill_directory);
        if (t->spill == NULL)
            return teg_fail_memory(d);
        t->options.spill_directory = t->spill;
    }
    TRY(recognise(t, d));
    return t->format->open != NULL ? t->format->open(t, d) : TEG_OK;
}

teg_status teg_trace_open(const char *path,
                          const struct teg_trace_options *options,
                          struct teg_trace **trace, struct teg_diag *d)
{
    struct teg_trace *t = calloc(1, sizeof *t);
    teg_status status;

    *trace = NULL;
    if (t == NULL)
        return teg_fail_memory(d);
    status = open_trace(t, path, options, d);
    if (status != TEG_OK) {
        teg_trace_close(t);
        return status;
    }
    *trace = t;
    return TEG_OK;
}

void teg_trace_close(struct teg_trace *trace)
{
    if (trace == NULL)
        return;
    teg_tegt_close(trace->tegt);
    teg_notes_release(&trace->notes);
    free(trace->spill);
    free(trace->path);
    free(trace);
}

enum teg_trace_format teg_trace_format(const struct teg_trace *trace)
{
    return (enum teg_trace_format)(trace->format - formats);
}

uint32_t teg_trace_kernels(const struct teg_trace *trace)
{
    return trace->kernels;
}

const char *teg_trace_kernel_label(const struct teg_trace *trace, uint32_t i)
{
    return trace->format->label != NULL ? trace->format->label(trace, i) : "";
}

const struct teg_notes *teg_trace_notes(const struct teg_trace *trace)
{
    return &trace->notes;
}

teg_status teg_trace_launch(struct teg_trace *trace, uint32_t i,
                            struct teg_launch *launch, struct teg_diag *d)
{
    if (i >= trace->kernels)
        return teg_fail(d, TEG_UNKNOWN, trace->path,
                        "expected a kernel number below %u, found %u",
                        trace->kernels, i);
    return trace->format->launch(trace, i, launch, d);
}
