/*
 * Traces of launches.  Each is written to a file of its own; one that equals
 * an earlier one of the same kernel is removed again and counted there.  For
 * every launch, and for what copies, sets and frees device memory between them,
 * a line of JSON goes to DIR/.launches, of which `teg exec` makes
 * kernels.json when the program has ended, however it ended.
 */
#include "tools/cudart/tracer.h"
#include "tools/cudart/abi.h"
#include "tools/cudart/names.h"
#include "tools/cudart/say.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "isa/base/buffer.h"
#include "traces/tegt/tegt.h"

enum {
    PROCESSES_MAX = 10000,
};

/* A trace that is kept. */
struct written {
    char *file; /* owned; in the directory */
    char *kernel;
    uint32_t crc;
    size_t bytes;
    uint64_t likeness;
    uint32_t timed; /* its number among those that are; UINT32_MAX: none yet */
    struct written *next;
};

/* ---- settings ------------------------------------------------------------- */

/* "A:B", "A:" or ":B". */
static struct range get_range(const char *name)
{
    const char *text = getenv(name);
    struct range range = {0, UINT64_MAX};
    char *end;

    if (text == NULL || text[0] == '\0')
        return range;
    range.from = strtoull(text, &end, 10);
    if (*end == ':' && end[1] != '\0')
        range.to = strtoull(end + 1, NULL, 10);
    return range;
}

static uint64_t get_count(const char *name)
{
    const char *text = getenv(name);

    return text != NULL && text[0] != '\0' ? strtoull(text, NULL, 10)
                                           : UINT64_MAX;
}

static const char *get_text(const char *name)
{
    const char *text = getenv(name);

    return text != NULL && text[0] != '\0' ? text : NULL;
}

/* Takes the first number that no process of the run has yet. */
static int claim_number(struct tracer *t)
{
    char path[PATH_MAX];

    for (t->process = 0; t->process < PROCESSES_MAX; t->process++) {
        int file;

        snprintf(path, sizeof path, "%s/.process-%" PRIu32, t->directory,
                 t->process);
        file = open(path, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (file >= 0) {
            close(file);
            return cudaSuccess;
        }
        if (errno != EEXIST)
            break;
    }
    runtime_say(path, "cannot create: %s", strerror(errno));
    return cudaErrorOperatingSystem;
}

int tracer_init(struct tracer *t)
{
    t->directory = get_text("TEG_EXEC_DIR");
    t->kernel = get_text("TEG_EXEC_KERNEL");
    t->times_host = get_text("TEG_EXEC_HOST_TIME") != NULL;
    t->launches = get_range("TEG_EXEC_LAUNCHES");
    t->blocks = get_range("TEG_EXEC_BLOCKS");
    t->left = get_count("TEG_EXEC_FIRST");
    return t->directory != NULL ? claim_number(t) : cudaSuccess;
}

int tracer_wants(const struct tracer *t, const char *name, uint64_t number)
{
    return t->directory != NULL && t->left > 0 && number >= t->launches.from &&
           number < t->launches.to &&
           (t->kernel == NULL || name_matches(t->kernel, name));
}

/* ---- equal traces ------------------------------------------------------------ */

static teg_status read_trace(const struct tracer *t, const char *file,
                             struct teg_buffer *b, struct teg_diag *d)
{
    char path[PATH_MAX];

    snprintf(path, sizeof path, "%s/%s", t->directory, file);
    return teg_buffer_file(b, path, d);
}

static teg_status compare(const struct tracer *t, const struct written *w,
                          const struct teg_buffer *bytes, int *equal,
                          struct teg_diag *d)
{
    struct teg_buffer other = {0};

    teg_status status = read_trace(t, w->file, &other, d);

    *equal = status == TEG_OK && other.size == bytes->size &&
             memcmp(other.data, bytes->data, bytes->size) == 0;
    teg_buffer_release(&other);
    return status;
}

/* The kept trace of the kernel that has these bytes; NULL: none. */
static teg_status find_equal(const struct tracer *t,
                             const struct teg_buffer *bytes, const char *kernel,
                             uint32_t crc, struct written **found,
                             struct teg_diag *d)
{
    int equal = 0;

    *found = NULL;
    for (struct written *w = t->written; w != NULL && !equal; w = w->next) {
        if (w->crc != crc || w->bytes != bytes->size ||
            strcmp(w->kernel, kernel) != 0)
            continue;
        TRY(compare(t, w, bytes, &equal, d));
        if (equal)
            *found = w;
    }
    return TEG_OK;
}

/* NULL: no memory. */
static struct written *note_written(struct tracer *t, const char *file,
                                    const char *kernel, uint32_t crc,
                                    size_t bytes, uint64_t likeness)
{
    struct written *w = calloc(1, sizeof *w);

    if (w == NULL)
        return NULL;
    *w = (struct written){.file = strdup(file),
                          .kernel = strdup(kernel),
                          .crc = crc,
                          .bytes = bytes,
                          .likeness = likeness,
                          .timed = UINT32_MAX,
                          .next = t->written};
    if (w->file == NULL || w->kernel == NULL) {
        free(w->file);
        free(w->kernel);
        free(w);
        return NULL;
    }
    t->written = w;
    return w;
}

/* The kept trace that the new one at `file` is: an earlier equal one, or
 * itself. */
static teg_status keep(struct tracer *t, const char *file, const char *kernel,
                       uint64_t likeness, struct written **kept,
                       struct teg_diag *d)
{
    struct teg_buffer bytes = {0};
    struct written *w;
    uint32_t crc;
    teg_status status;

    TRY(read_trace(t, file, &bytes, d));
    crc = (uint32_t)crc32_z(0, bytes.data, bytes.size);
    status = find_equal(t, &bytes, kernel, crc, &w, d);
    if (status == TEG_OK && w == NULL) {
        w = note_written(t, file, kernel, crc, bytes.size, likeness);
        status = w != NULL ? TEG_OK : teg_fail_memory(d);
    }
    teg_buffer_release(&bytes);
    *kept = w;
    return status;
}

/* ---- writing -------------------------------------------------------------------- */

/* "0003-saxpy.tegt", "p1-0003-saxpy.tegt" in the second process. */
static void name_file(const struct tracer *t, const char *kernel,
                      uint64_t number, char *out, size_t size)
{
    char plain[PLAIN_MAX], process[24] = "";

    plain_name(kernel, plain, sizeof plain);
    for (char *c = plain; *c != '\0'; c++) {
        if (strchr("/ \\\"<>*?|:", *c) != NULL)
            *c = '_';
    }
    if (t->process > 0)
        snprintf(process, sizeof process, "p%" PRIu32 "-", t->process);
    snprintf(out, size, "%s%04" PRIu64 "-%s.tegt", process, number, plain);
}

static json_t *shape_json(const uint32_t shape[3])
{
    return json_pack("[I,I,I]", (json_int_t)shape[0], (json_int_t)shape[1],
                     (json_int_t)shape[2]);
}

/* NULL: no memory.  (What json_dumps of Jansson 2.14 has no room for it leaves
 * out without a word) */
static char *text_of(const json_t *line)
{
    char *text = NULL;
    size_t size;
    FILE *f = line != NULL ? open_memstream(&text, &size) : NULL;
    int good;

    if (f == NULL)
        return NULL;
    good = json_dumpf(line, f, JSON_COMPACT) == 0 && fputc('\n', f) != EOF &&
           ferror(f) == 0;
    if (fclose(f) == 0 && good)
        return text;
    free(text);
    errno = ENOMEM;
    return NULL;
}

/* Takes `value`; 0: no memory, and without it the line is not what was. */
static int put(json_t *line, const char *key, json_t *value)
{
    if (json_object_set_new(line, key, value) == 0)
        return 1;
    errno = ENOMEM;
    return 0;
}

/* A line of DIR/.launches.  Takes `line`. */
static int write_line(const struct tracer *t, json_t *line)
{
    char path[PATH_MAX];
    char *text = text_of(line);
    FILE *f;
    int good;

    json_decref(line);
    snprintf(path, sizeof path, "%s/.launches", t->directory);
    f = text != NULL ? fopen(path, "a") : NULL;
    good = f != NULL && fputs(text, f) >= 0;
    good = f != NULL && fclose(f) == 0 && good;
    free(text);
    return good;
}

/* The first line of a node says what it comes after. */
static int add_edges(struct tracer *t, json_t *line)
{
    int good = 1;

    if (t->graph.after != NULL) {
        good = put(line, "after", json_incref(t->graph.after)) &&
               (json_array_size(t->graph.lets) == 0 ||
                put(line, "dependent_on", json_incref(t->graph.lets)));
        t->graph.node = t->graph.lines;
        t->graph.after = NULL;
    }
    t->graph.lines++;
    return good;
}

static int add_place(const struct tracer *t, json_t *line)
{
    const struct tracer_place *at = &t->at;

    return (at->stream == 0 || t->graph.depth != 0 ||
            put(line, "stream", json_integer((json_int_t)at->stream))) &&
           (!at->dependent || t->graph.depth != 0 ||
            put(line, "dependent", json_true())) &&
           (t->process == 0 ||
            put(line, "process", json_integer((json_int_t)t->process))) &&
           (t->host_us <= 0 || put(line, "host_us", json_real(t->host_us)));
}

/* A line of the program's score, with what it belongs to.  Takes `line`. */
static int write_entry(struct tracer *t, json_t *line)
{
    int good = line != NULL;

    t->host_us += timeline_take_host_us(t->timeline);
    if (good && t->graph.depth > 0)
        good = add_edges(t, line);
    good = good && add_place(t, line);
    t->host_us = 0;
    if (good)
        timeline_line(t->timeline, line);
    if (good)
        return write_line(t, line);
    json_decref(line);
    return 0;
}

static int flush_event(struct tracer *t)
{
    struct touched e = t->event;
    char address[24];
    json_t *line;
    int good;

    t->event = (struct touched){0};
    if (e.what == NULL)
        return 1;
    snprintf(address, sizeof address, "0x%" PRIx64, e.address);
    line = json_pack("{s:s, s:s, s:I}", "what", e.what, "address", address,
                     "bytes", (json_int_t)e.bytes);
    good = line != NULL && (!e.pinned || put(line, "pinned", json_true())) &&
           (!e.part || put(line, "part", json_true())) &&
           (!t->at.async || put(line, "async", json_true()));
    if (good)
        return write_entry(t, line);
    json_decref(line);
    return 0;
}

static int flush_passed(struct tracer *t)
{
    uint64_t count = t->untraced;

    t->untraced = 0;
    return count == 0 ||
           write_line(t, json_pack("{s:I}", "untraced", (json_int_t)count));
}

/* A file that is there, or has a byte, to say something. */
static void mark(const struct tracer *t, const char *name, int byte)
{
    char path[PATH_MAX];
    int file;

    snprintf(path, sizeof path, "%s/%s", t->directory, name);
    file = open(path, O_CREAT | O_WRONLY, 0666);
    if (file < 0)
        return;
    if (byte && ftruncate(file, 1) != 0)
        unlink(path);
    close(file);
}

/* DIR/.lost: not all is in .launches; a byte in it: which has been said. */
static void mark_loss(const struct tracer *t, int said)
{
    mark(t, ".lost", said);
}

/* A line that cannot be written is said with the next launch, or by `teg exec`
 * at the end. */
static void note_loss(struct tracer *t, int good)
{
    if (good || t->lost != 0)
        return;
    t->lost = errno != 0 ? errno : EIO;
    mark_loss(t, 0);
}

static int is_write(const char *what)
{
    return strcmp(what, "host-to-device") == 0 ||
           strcmp(what, "device-to-device") == 0 || strcmp(what, "set") == 0;
}

void tracer_event(struct tracer *t, const char *what, const void *address,
                  size_t bytes, int pinned)
{
    struct touched *e = &t->event;
    int part;

    if (t->directory == NULL || bytes == 0)
        return;
    if (t->clock != NULL && is_write(what))
        simulated_write(t->clock, (uint64_t)address, bytes);
    if (e->what == what && e->address + e->bytes == (uint64_t)address) {
        e->bytes += bytes;
        return;
    }
    note_loss(t, flush_event(t) && flush_passed(t));
    part = t->at.touched == what;
    t->at.touched = what;
    *e = (struct touched){what, (uint64_t)address, bytes, pinned, part};
}

void tracer_in(struct tracer *t, uint64_t stream, int async)
{
    t->at = (struct tracer_place){.stream = stream, .async = async};
}

void tracer_end(struct tracer *t)
{
    note_loss(t, flush_event(t));
    t->at = (struct tracer_place){0};
}

/* What was noted before comes before. */
static void say(struct tracer *t, json_t *line)
{
    note_loss(t, flush_event(t) && flush_passed(t));
    note_loss(t, write_entry(t, line));
}

void tracer_stream(struct tracer *t, uint64_t stream, int priority,
                   int nonblocking)
{
    json_t *line;
    int good;

    if (t->directory == NULL || (priority == 0 && !nonblocking))
        return;
    timeline_stream(t->timeline, t->process, stream, priority, nonblocking);
    line = json_pack("{s:b, s:I, s:i, s:b}", "made", 1, "stream",
                     (json_int_t)stream, "priority", priority, "nonblocking",
                     nonblocking);
    good = line != NULL &&
           (t->process == 0 ||
            put(line, "process", json_integer((json_int_t)t->process)));
    if (good)
        good = write_line(t, line);
    else
        json_decref(line);
    note_loss(t, good);
}

/* The host waits for the device. */
static void rest(struct tracer *t)
{
    if (t->clock != NULL)
        simulated_rest(t->clock);
}

/* A line of that word; NULL if there is no room. */
static json_t *word(const char *what, uint64_t event)
{
    json_t *line = json_pack("{s:s}", "what", what);

    if (line != NULL && event != 0 &&
        !put(line, "event", json_integer((json_int_t)event))) {
        json_decref(line);
        line = NULL;
    }
    return line;
}

void tracer_say(struct tracer *t, const char *what, uint64_t event)
{
    if (t->directory == NULL)
        return;
    if (strcmp(what, "synchronize") == 0)
        rest(t);
    say(t, word(what, event));
}

void tracer_record(struct tracer *t, uint64_t event, int untimed)
{
    json_t *line;

    if (t->directory == NULL)
        return;
    line = word("record", event);
    if (line != NULL && untimed && !put(line, "untimed", json_true())) {
        json_decref(line);
        line = NULL;
    }
    say(t, line);
}

void tracer_say_stream(struct tracer *t, uint64_t stream)
{
    if (t->directory == NULL)
        return;
    rest(t);
    say(t, json_pack("{s:s, s:I}", "what", "synchronize", "stream",
                     (json_int_t)stream));
}

/* What the program has asked about is as good as waited for: nothing tells it
 * that it has not happened. */
void tracer_ask(struct tracer *t, uint64_t event)
{
    if (!timeline_event_over(t->timeline, event))
        tracer_say(t, "synchronize", event);
}

void tracer_ask_stream(struct tracer *t, uint64_t stream)
{
    if (!timeline_stream_over(t->timeline, t->process, stream))
        tracer_say_stream(t, stream);
}

void tracer_graph_begin(struct tracer *t)
{
    if (t->graph.depth == 0)
        tracer_say(t, "graph-begin", 0);
    if (t->graph.depth++ == 0)
        t->graph.lines = 0;
}

void tracer_node_begin(struct tracer *t, json_t *after, json_t *lets)
{
    note_loss(t, flush_event(t));
    t->at.touched = NULL;
    t->at.dependent = 0;
    t->graph.after = after;
    t->graph.lets = lets;
}

/* One that has done nothing that is noted still has others after it. */
uint64_t tracer_node_end(struct tracer *t)
{
    note_loss(t, flush_event(t));
    if (t->graph.after != NULL && t->directory != NULL)
        note_loss(t, write_entry(t, json_pack("{s:s}", "what", "nothing")));
    return t->graph.node;
}

void tracer_graph_end(struct tracer *t)
{
    note_loss(t, flush_event(t));
    t->graph.after = NULL;
    if (--t->graph.depth == 0 && t->directory != NULL)
        say(t, json_pack("{s:s}", "what", "graph-end"));
}

void tracer_pass(struct tracer *t)
{
    note_loss(t, flush_event(t));
    t->untraced++;
}

teg_status tracer_repeat(struct tracer *t, const struct written *kept,
                         const uint32_t grid[3], const uint32_t block[3],
                         uint64_t number, struct teg_diag *d)
{
    char likeness[24];
    json_t *line;

    snprintf(likeness, sizeof likeness, "%016" PRIx64, kept->likeness);
    line = json_pack("{s:s, s:s, s:I, s:o, s:o, s:I, s:s}", "trace", kept->file,
                     "name", kept->kernel, "launch", (json_int_t)number, "grid",
                     shape_json(grid), "block", shape_json(block), "process",
                     (json_int_t)t->process, "likeness", likeness);
    say(t, line);
    if (t->left != UINT64_MAX)
        t->left--;
    t->launch_has_line = 1;
    if (t->lost == 0)
        return TEG_OK;
    mark_loss(t, 1);
    errno = t->lost;
    return teg_fail_errno(d, t->directory, "write .launches");
}

teg_status tracer_write(struct tracer *t, struct teg_launch *launch,
                        uint64_t number, struct written **kept,
                        struct teg_diag *d)
{
    char file[256], path[PATH_MAX];
    const struct teg_kernel *k = launch->kernel;
    uint64_t likeness;
    teg_status status;

    name_file(t, launch->kernel->name, number, file, sizeof file);
    snprintf(path, sizeof path, "%s/%s", t->directory, file);
    TRY(teg_tegt_write(path, launch, &likeness, d));
    status = keep(t, file, k->name, likeness, kept, d);
    if (status != TEG_OK || strcmp((*kept)->file, file) != 0)
        unlink(path);
    return status;
}

teg_status tracer_time(struct tracer *t, struct written *kept,
                       struct timeline_launch **launch, struct teg_diag *d)
{
    char path[PATH_MAX];

    if (kept->timed == UINT32_MAX) {
        snprintf(path, sizeof path, "%s/%s", t->directory, kept->file);
        kept->timed = simulated_trace(t->clock, path, kept->likeness);
    }
    return kept->timed != UINT32_MAX
               ? simulated_launch(t->clock, kept->timed, launch, d)
               : teg_fail_memory(d);
}

void tracer_pass_time(struct tracer *t, struct timeline_launch *launch)
{
    note_loss(t, flush_event(t));
    timeline_run(t->timeline, launch, t->launch_has_line, t->process,
                 t->at.stream);
    t->launch_has_line = 0;
}

void tracer_end_process(const struct tracer *t)
{
    if (t->directory == NULL || t->left > 0)
        return;
    mark(t, ".enough", 0);
    fflush(stdout); /* what the program has said; all streams may be in use */
    kill(getpid(), SIGTERM);
}
