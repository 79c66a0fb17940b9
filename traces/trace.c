#include "traces/trace.h"

#include "traces/base/input.h"
#include "traces/block/seen.h"
#include "traces/list/kernelsjson.h"
#include "traces/list/kernelslist.h"
#include "traces/nvbit/grouped.h"
#include "traces/nvbit/raw.h"
#include "traces/nvbit/tracez.h"
#include "traces/sketch/sketch.h"
#include "traces/tegt/tegt.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* What is known of a file whose format is to be found. */
struct probe {
    const char *path;
    const uint8_t *bytes; /* the first ones, decompressed */
    size_t size;
};

struct teg_trace {
    char *path; /* owned */
    struct teg_source source;
    struct teg_trace_options options;
    char *spill; /* owned copy of options.spill_directory, or NULL */
    char **set;  /* owned copies of options.set, [options.set_count] */
    const struct format *format;
    int is_listed; /* a list named the file */
    uint32_t kernels;
    struct teg_tegt *tegt;       /* owned, TRACE_TEGT */
    struct teg_kernelslist list; /* TRACE_LIST, TRACE_JSON */
    struct teg_sketch *sketch;   /* owned, TRACE_SKETCH */
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
    int may_repeat; /* a file can hold a block twice */
};

/* ---- .tegt --------------------------------------------------------------- */

static int tegt_recognise(const struct probe *p)
{
    return teg_tegt_recognise(p->bytes, p->size);
}

static teg_status tegt_open(struct teg_trace *t, struct teg_diag *d)
{
    if (t->source.bytes != NULL)
        return teg_fail(d, TEG_FORMAT, t->path,
                        "expected a .tegt in a file, found one in memory");
    TRY(teg_tegt_open(t->path, &t->tegt, d));
    t->kernels = teg_tegt_kernels(t->tegt);
    return TEG_OK;
}

/* What the user says of a kernel outweighs what the file does. */
static void override(const struct teg_trace *t, struct teg_kernel *kernel)
{
    if (t->options.isa != 0)
        kernel->isa = t->options.isa;
    if (t->options.registers != 0)
        kernel->registers = t->options.registers;
}

static teg_status tegt_launch(struct teg_trace *t, uint32_t i,
                              struct teg_launch *launch, struct teg_diag *d)
{
    TRY(teg_tegt_launch(t->tegt, i, launch, d));
    override(t, launch->kernel);
    return TEG_OK;
}

static const char *tegt_label(const struct teg_trace *t, uint32_t i)
{
    return teg_tegt_kernel_name(t->tegt, i);
}

/* ---- NVBit text, .tracez -------------------------------------------------- */

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

static int raw_recognise(const struct probe *p)
{
    return nvbit_recognise(p->bytes, p->size) == NVBIT_RAW;
}

static teg_status raw_launch(struct teg_trace *t, uint32_t i,
                             struct teg_launch *launch, struct teg_diag *d)
{
    (void)i;
    return nvbit_raw_launch(&t->source, &t->options, NVBIT_RAW_BUDGET, launch,
                            d);
}

static int binary_recognise(const struct probe *p)
{
    return tracez_recognise(p->bytes, p->size);
}

static teg_status binary_launch(struct teg_trace *t, uint32_t i,
                                struct teg_launch *launch, struct teg_diag *d)
{
    (void)i;
    return tracez_launch(&t->source, &t->options, launch, d);
}

/* ---- kernelslist.g -------------------------------------------------------- */

static int list_recognise(const struct probe *p)
{
    return teg_kernelslist_recognise(p->path, p->bytes, p->size);
}

static teg_status list_open(struct teg_trace *t, struct teg_diag *d)
{
    TRY(teg_kernelslist_read(&t->source, &t->list, &t->notes, d));
    t->kernels = t->list.count;
    if (t->list.copies != 0)
        teg_notes_add(&t->notes, "memory-copies", t->path,
                      "%" PRIu64 " copies to the device, %" PRIu64
                      " bytes, take no time",
                      t->list.copies, t->list.copied_bytes);
    return TEG_OK;
}

/* ---- kernels.json --------------------------------------------------------- */

static int json_recognise(const struct probe *p)
{
    return teg_kernelsjson_recognise(p->bytes, p->size);
}

static teg_status json_open(struct teg_trace *t, struct teg_diag *d)
{
    TRY(teg_kernelsjson_read(&t->source, &t->list, d));
    t->kernels = t->list.count;
    return TEG_OK;
}

/* A launch of a list keeps the kernel's own trace open as long. */
struct list_launch {
    struct teg_trace *trace;  /* owned */
    struct teg_launch launch; /* of `trace` */
};

static teg_status list_next(void *self, struct teg_block **block,
                            struct teg_diag *d)
{
    struct list_launch *l = self;

    return l->launch.next(l->launch.self, block, d);
}

static void list_close(void *self)
{
    struct list_launch *l = self;

    if (l->launch.close != NULL)
        l->launch.close(l->launch.self);
    teg_trace_close(l->trace);
    free(l);
}

static teg_status fail_nested(const char *path, struct teg_diag *d)
{
    return teg_fail(d, TEG_FORMAT, path,
                    "expected a kernel's trace, found another list");
}

static teg_status open_source(const struct teg_source *source, int is_listed,
                              const struct teg_trace_options *options,
                              struct teg_trace **trace, struct teg_diag *d);

static teg_status open_listed(struct teg_trace *t, uint32_t i,
                              struct list_launch *l, struct teg_diag *d)
{
    TRY(open_source(&(struct teg_source){.path = t->list.path[i]}, 1,
                    &t->options, &l->trace, d));
    if (teg_trace_is_list(l->trace))
        return fail_nested(t->list.path[i], d);
    TRY(teg_trace_launch(l->trace, 0, &l->launch, d));
    if (l->trace->kernels > 1)
        teg_notes_add(&l->launch.kernel->notes, "list-many-kernels",
                      t->list.path[i],
                      "expected one kernel per listed file, found %u: only "
                      "the first counts",
                      l->trace->kernels);
    return TEG_OK;
}

static teg_status list_launch(struct teg_trace *t, uint32_t i,
                              struct teg_launch *launch, struct teg_diag *d)
{
    struct list_launch *l = calloc(1, sizeof *l);
    teg_status status;

    if (l == NULL)
        return teg_fail_memory(d);
    status = open_listed(t, i, l, d);
    if (status != TEG_OK) {
        list_close(l);
        return status;
    }
    *launch = (struct teg_launch){
        .kernel = l->launch.kernel,
        .self = l,
        .next = list_next,
        .close = list_close,
    };
    return TEG_OK;
}

static const char *list_label(const struct teg_trace *t, uint32_t i)
{
    return t->list.name[i];
}

/* ---- kernel sketches ------------------------------------------------------ */

static int sketch_recognise(const struct probe *p)
{
    return teg_sketch_recognise(p->bytes, p->size);
}

static teg_status sketch_open(struct teg_trace *t, struct teg_diag *d)
{
    struct teg_sketch_options options = {.set = t->options.set,
                                         .set_count = t->options.set_count};

    if (t->source.bytes != NULL)
        return teg_sketch_parse(t->path, (const char *)t->source.bytes,
                                t->source.size, &options, &t->sketch, d);
    return teg_sketch_open(t->path, &options, &t->sketch, d);
}

static teg_status sketch_launch(struct teg_trace *t, uint32_t i,
                                struct teg_launch *launch, struct teg_diag *d)
{
    (void)i;
    TRY(teg_sketch_launch(t->sketch, launch, d));
    override(t, launch->kernel);
    return TEG_OK;
}

static const char *sketch_label(const struct teg_trace *t, uint32_t i)
{
    (void)i;
    return teg_sketch_kernel(t->sketch)->name;
}

/* ---- the table ------------------------------------------------------------ */

static const struct format formats[] = {
    [TRACE_TEGT] = {"tegt", 0, tegt_recognise, tegt_open, tegt_launch,
                    tegt_label, 1},
    [TRACE_NVBIT_TEXT] = {"nvbit", 1, text_recognise, NULL, text_launch, NULL,
                          1},
    [TRACE_NVBIT_RAW] = {"nvbit-raw", 1, raw_recognise, NULL, raw_launch, NULL,
                         1},
    [TRACE_TRACEZ] = {"tracez", 0, binary_recognise, NULL, binary_launch, NULL,
                      1},
    [TRACE_SKETCH] = {"sketch", 0, sketch_recognise, sketch_open, sketch_launch,
                      sketch_label, 0},
    [TRACE_LIST] = {"kernelslist", 1, list_recognise, list_open, list_launch,
                    list_label, 0},
    [TRACE_JSON] = {"kernels.json", 0, json_recognise, json_open, list_launch,
                    list_label, 0},
};

/* The first that recognises the file has it.  A .tracez begins like a text; a
 * list is whatever names files. */
static const enum teg_trace_format order[] = {
    TRACE_TEGT,      TRACE_SKETCH, TRACE_TRACEZ, TRACE_NVBIT_TEXT,
    TRACE_NVBIT_RAW, TRACE_JSON,   TRACE_LIST,
};

#define ORDER (sizeof order / sizeof order[0])

const char *teg_trace_format_name(enum teg_trace_format format)
{
    return formats[format].name;
}

/* ---- opening -------------------------------------------------------------- */

/* Of a file that the user named, the first bytes; of one that a list named,
 * nothing: who wrote the list may not read what its reader may. */
static teg_status unrecognised(const struct teg_trace *t,
                               const struct probe *probe, struct teg_diag *d)
{
    enum {
        SHOWN = 16
    };
    char start[3 * SHOWN + 1] = "";

    if (probe->size == 0)
        return teg_fail(d, TEG_FORMAT, t->path,
                        "expected a trace, found an empty file");
    if (t->is_listed)
        return teg_fail(d, TEG_FORMAT, t->path,
                        "expected a kernel's trace, as the list has it, found "
                        "a file that is none");
    for (size_t i = 0; i < SHOWN && i < probe->size; i++)
        snprintf(start + 3 * i, 4, " %02x", probe->bytes[i]);
    return teg_fail(d, TEG_FORMAT, t->path,
                    "expected a .tegt, an NVBit trace (.traceg, .trace or "
                    ".tracez), a kernelslist, a kernels.json or a kernel "
                    "sketch, found a file "
                    "that begins with the bytes%s",
                    start);
}

static teg_status recognise(struct teg_trace *t, struct teg_diag *d)
{
    struct teg_input *in;
    struct probe probe = {.path = t->path};
    enum teg_packing packing;
    teg_status status;

    TRY(teg_input_open(&t->source, &in, d));
    packing = teg_input_packing(in);
    status = teg_input_peek(in, &probe.bytes, &probe.size, d);
    for (size_t i = 0; i < ORDER && status == TEG_OK && !t->format; i++) {
        if (formats[order[i]].recognise(&probe))
            t->format = &formats[order[i]];
    }
    if (status == TEG_OK && t->format == NULL)
        status = unrecognised(t, &probe, d);
    if (status == TEG_OK && packing != PACKING_NONE && !t->format->packed)
        status = teg_fail(d, TEG_FORMAT, t->path,
                          "expected a %s file as it is, found one compressed "
                          "with %s: decompress it first",
                          t->format->name, teg_packing_name(packing));
    teg_input_close(in);
    return status;
}

/* Parameters are for sketches, alone or in a list. */
static teg_status check_set(const struct teg_trace *t, struct teg_diag *d)
{
    if (t->options.set_count == 0 || t->format == &formats[TRACE_SKETCH] ||
        teg_trace_is_list(t))
        return TEG_OK;
    return teg_fail(d, TEG_FORMAT, t->path,
                    "expected a kernel sketch for the parameter '%s', found a "
                    "%s file",
                    t->options.set[0], t->format->name);
}

static teg_status copy_options(struct teg_trace *t,
                               const struct teg_trace_options *options,
                               struct teg_diag *d)
{
    t->options = *options;
    t->options.set_count = 0;
    t->set = calloc(options->set_count + 1, sizeof *t->set);
    if (t->set == NULL)
        return teg_fail_memory(d);
    t->options.set = (const char *const *)t->set;
    for (uint32_t i = 0; i < options->set_count; i++) {
        t->set[i] = strdup(options->set[i]);
        if (t->set[i] == NULL)
            return teg_fail_memory(d);
        t->options.set_count++;
    }
    if (options->spill_directory == NULL)
        return TEG_OK;
    t->spill = strdup(options->spill_directory);
    t->options.spill_directory = t->spill;
    return t->spill != NULL ? TEG_OK : teg_fail_memory(d);
}

/* A folder stands for the list in it, as `teg exec` and NVBit's tool name
 * theirs.  NULL: there was no memory. */
static char *path_of(const struct teg_source *source)
{
    static const char *const lists[] = {"kernels.json", "kernelslist.g",
                                        "kernelslist"};
    size_t size = strlen(source->path) + sizeof "/kernelslist.g";
    struct stat facts;
    char *path;

    if (source->bytes != NULL || stat(source->path, &facts) != 0 ||
        !S_ISDIR(facts.st_mode))
        return strdup(source->path);
    path = malloc(size);
    for (size_t i = 0; path != NULL && i < sizeof lists / sizeof lists[0];
         i++) {
        snprintf(path, size, "%s/%s", source->path, lists[i]);
        if (access(path, F_OK) == 0)
            return path;
    }
    if (path != NULL) /* which says what it is */
        snprintf(path, size, "%s", source->path);
    return path;
}

static teg_status open_trace(struct teg_trace *t,
                             const struct teg_source *source,
                             const struct teg_trace_options *options,
                             struct teg_diag *d)
{
    t->path = path_of(source);
    if (t->path == NULL)
        return teg_fail_memory(d);
    t->source = *source;
    t->source.path = t->path;
    t->kernels = 1;
    if (options != NULL)
        TRY(copy_options(t, options, d));
    TRY(recognise(t, d));
    TRY(check_set(t, d));
    if (t->format->open != NULL)
        TRY(t->format->open(t, d));
    return t->notes.failed ? teg_fail_memory(d) : TEG_OK;
}

static teg_status open_source(const struct teg_source *source, int is_listed,
                              const struct teg_trace_options *options,
                              struct teg_trace **trace, struct teg_diag *d)
{
    struct teg_trace *t = calloc(1, sizeof *t);
    teg_status status;

    *trace = NULL;
    if (t == NULL)
        return teg_fail_memory(d);
    t->is_listed = is_listed;
    status = open_trace(t, source, options, d);
    if (status != TEG_OK) {
        teg_trace_close(t);
        return status;
    }
    *trace = t;
    return TEG_OK;
}

teg_status teg_trace_open(const char *path,
                          const struct teg_trace_options *options,
                          struct teg_trace **trace, struct teg_diag *d)
{
    return open_source(&(struct teg_source){.path = path}, 0, options, trace,
                       d);
}

teg_status teg_trace_open_memory(const char *name, const uint8_t *bytes,
                                 size_t size,
                                 const struct teg_trace_options *options,
                                 struct teg_trace **trace, struct teg_diag *d)
{
    return open_source(&(struct teg_source){name, bytes, size}, 0, options,
                       trace, d);
}

void teg_trace_close(struct teg_trace *trace)
{
    if (trace == NULL)
        return;
    teg_tegt_close(trace->tegt);
    teg_sketch_close(trace->sketch);
    teg_kernelslist_release(&trace->list);
    teg_notes_release(&trace->notes);
    for (uint32_t i = 0; i < trace->options.set_count; i++)
        free(trace->set[i]);
    free(trace->set);
    free(trace->spill);
    free(trace->path);
    free(trace);
}

enum teg_trace_format teg_trace_format(const struct teg_trace *trace)
{
    return (enum teg_trace_format)(trace->format - formats);
}

const char *teg_trace_path(const struct teg_trace *trace)
{
    return trace->path;
}

uint32_t teg_trace_kernels(const struct teg_trace *trace)
{
    return trace->kernels;
}

const char *teg_trace_kernel_label(const struct teg_trace *trace, uint32_t i)
{
    return trace->format->label != NULL ? trace->format->label(trace, i) : "";
}

const char *teg_trace_kernel_path(const struct teg_trace *trace, uint32_t i)
{
    return i < trace->list.count ? trace->list.path[i] : trace->path;
}

uint32_t teg_trace_kernel_launches(const struct teg_trace *trace, uint32_t i)
{
    return i < trace->list.count ? trace->list.launches[i] : 1;
}

uint32_t teg_trace_kernel_alike(const struct teg_trace *trace, uint32_t i)
{
    return i < trace->list.count ? trace->list.alike[i] : i;
}

const struct teg_step *teg_trace_steps(const struct teg_trace *trace,
                                       size_t *count)
{
    *count = trace->list.steps;
    return trace->list.step;
}

const struct teg_score *teg_trace_score(const struct teg_trace *trace)
{
    return trace->list.score.entries != 0 ? &trace->list.score : NULL;
}

int teg_trace_is_list(const struct teg_trace *trace)
{
    return teg_trace_format(trace) == TRACE_LIST ||
           teg_trace_format(trace) == TRACE_JSON;
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
    TRY(trace->format->launch(trace, i, launch, d));
    return trace->format->may_repeat ? teg_watch_blocks(launch, d) : TEG_OK;
}

teg_status teg_trace_reopen(const struct teg_trace *trace, uint32_t i,
                            struct teg_trace **again, uint32_t *number,
                            struct teg_diag *d)
{
    *again = NULL;
    *number = teg_trace_is_list(trace) ? 0 : i;
    if (i >= trace->kernels)
        return teg_fail(d, TEG_UNKNOWN, trace->path,
                        "expected a kernel number below %u, found %u",
                        trace->kernels, i);
    if (!teg_trace_is_list(trace))
        return open_source(&trace->source, trace->is_listed, &trace->options,
                           again, d);
    TRY(open_source(&(struct teg_source){.path = trace->list.path[i]}, 1,
                    &trace->options, again, d));
    if (!teg_trace_is_list(*again))
        return TEG_OK;
    teg_trace_close(*again);
    *again = NULL;
    return fail_nested(trace->list.path[i], d);
}
