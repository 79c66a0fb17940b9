#define _GNU_SOURCE /* fopencookie */
#include "tools/teg/report/viewers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "tools/teg/cli/output.h"
#include "tools/teg/report/chart.h"

/* ---- text in memory ----------------------------------------------------------------- */

/* open_memstream does not tell when there was no room for what was printed. */
struct text {
    char *bytes; /* owned */
    size_t size, room;
    bool failed;
};

static ssize_t text_take(void *self, const char *from, size_t n)
{
    struct text *t = self;

    if (!t->failed && t->size + n > t->room) {
        size_t room = 2 * t->room + n;
        char *more = realloc(t->bytes, room);

        t->failed = more == NULL;
        if (!t->failed) {
            t->bytes = more;
            t->room = room;
        }
    }
    if (t->failed)
        return 0;
    memcpy(t->bytes + t->size, from, n);
    t->size += n;
    return (ssize_t)n;
}

/* NULL: out of memory. */
static FILE *text_open(struct text *t)
{
    *t = (struct text){0};
    return fopencookie(t, "w", (cookie_io_functions_t){.write = text_take});
}

/* Whether all that was printed is there. */
static bool text_close(struct text *t, FILE *f)
{
    return fclose(f) == 0 && !t->failed;
}

/* ---- files, compressed by name ---------------------------------------------------- */

static bool ends_in_gz(const char *path)
{
    size_t length = strlen(path);

    return length > 3 && strcmp(path + length - 3, ".gz") == 0;
}

/* Writes `text` as a gzip member. */
static int put_compressed(FILE *f, char *text, size_t size)
{
    enum {
        GZIP = 16
    };
    unsigned char buffer[1 << 14];
    z_stream z = {0};
    int status;

    if (deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, MAX_WBITS + GZIP, 8,
                     Z_DEFAULT_STRATEGY) != Z_OK)
        return say_memory();
    z.next_in = (unsigned char *)text;
    do {
        /* avail_in counts in 32 bits */
        if (z.avail_in == 0 && size > 0) {
            z.avail_in = size > 1u << 30 ? 1u << 30 : (uInt)size;
            size -= z.avail_in;
        }
        z.next_out = buffer;
        z.avail_out = sizeof buffer;
        status = deflate(&z, size == 0 ? Z_FINISH : Z_NO_FLUSH);
        fwrite(buffer, 1, sizeof buffer - z.avail_out, f);
    } while (status != Z_STREAM_END);
    deflateEnd(&z);
    return EXIT_DONE;
}

static int put_file(const char *path, const struct text *t)
{
    struct output o;
    int status = output_open(&o, path);

    if (status != EXIT_DONE)
        return status;
    if (ends_in_gz(path))
        status = put_compressed(o.file, t->bytes, t->size);
    else
        fwrite(t->bytes, 1, t->size, o.file);
    if (status == EXIT_DONE)
        return output_close(&o);
    output_abandon(&o);
    return status;
}

static void say_dropped(const char *viewer, const struct pc_trace *t)
{
    if (t->dropped != 0)
        say(viewer,
            "holds the first %zu instructions of the warps; %" PRIu64
            " more were left out: choose with --cycles and --warp",
            t->points, t->dropped);
}

/* ---- Perfetto --------------------------------------------------------------------- */

enum {
    CHIP = 1, /* process numbers of the tracks */
    ONE_SM = 2,
    ALL_SMS = 3,
};

static void print_name(FILE *f, const char *what, int pid, int tid,
                       const char *name)
{
    fprintf(f,
            "{\"ph\":\"M\",\"name\":\"%s\",\"pid\":%d,\"tid\":%d,\"args\":"
            "{\"name\":",
            what, pid, tid);
    html_json_string(f, name);
    fputs("}},\n", f);
}

static void print_counter(FILE *f, const struct timeline *t, int pid,
                          const char *kind, const char *name,
                          const uint64_t *bin, double each)
{
    double last = -1;
    char label[64];

    snprintf(label, sizeof label, "%s %s", kind, name);
    for (uint32_t i = 0; i < timeline_bins(t); i++) {
        double v = (double)bin[i] / ((double)timeline_width(t, i) * each);

        if (v <= last && v >= last)
            continue; /* a counter holds its value */
        fprintf(f, "{\"ph\":\"C\",\"pid\":%d,\"ts\":%" PRIu64 ",\"name\":", pid,
                t->choice.from + i * t->bin_cycles);
        html_json_string(f, label);
        fprintf(f, ",\"args\":{\"%s\":%.4g}},\n", kind, v);
        last = v;
    }
}

static void print_counters(FILE *f, const struct timeline *t, int pid,
                           const struct teg_gpu *gpu)
{
    for (uint32_t u = 0; u < t->unit_count; u++)
        print_counter(f, t, pid, "busy %", gpu->unit[u].name, t->busy[u],
                      t->instances[u] / 100.0);
    print_counter(f, t, pid, "warps", "issued", t->issued, 1);
    for (int r = 0; r < TEG_STALLS; r++)
        print_counter(f, t, pid, "warps", teg_stall_label(r), t->stall[r], 1);
}

/* How much of its issue slots each SM used. */
static void print_sms(FILE *f, const struct sm_load *l,
                      const struct teg_gpu *gpu)
{
    double slots = (double)gpu->sm.schedulers / gpu->sm.issue_period;

    for (uint32_t sm = 0; sm < l->sms; sm++) {
        double last = -1;

        for (uint32_t i = 0; i < sm_load_bins(l); i++) {
            double v = 100 * (double)sm_load_at(l, sm, i) /
                       ((double)sm_load_width(l, i) * slots);

            if (v <= last && v >= last)
                continue;
            fprintf(f,
                    "{\"ph\":\"C\",\"pid\":%d,\"ts\":%" PRIu64
                    ",\"name\":\"SM %" PRIu32
                    "\",\"args\":{\"issue %%\":%.4g}},\n",
                    ALL_SMS, i * l->bin_cycles, sm, v);
            last = v;
        }
    }
}

static void print_slices(FILE *f, const struct pc_trace *t,
                         const struct pc_point *p)
{
    uint64_t at = p->cycle - p->stalled;

    for (int r = 0; r < TEG_STALLS; r++) {
        if (p->stall[r] != 0)
            fprintf(f,
                    "{\"ph\":\"X\",\"pid\":%d,\"tid\":%" PRIu32
                    ",\"ts\":%" PRIu64 ",\"dur\":%" PRIu32
                    ",\"name\":\"%s\"},\n",
                    ONE_SM, p->slot, at, p->stall[r], teg_stall_label(r));
        at += p->stall[r];
    }
    fprintf(f,
            "{\"ph\":\"X\",\"pid\":%d,\"tid\":%" PRIu32 ",\"ts\":%" PRIu64
            ",\"dur\":1,\"name\":",
            ONE_SM, p->slot, p->cycle);
    html_json_string(f,
                     teg_program_text(t->program, &t->program->inst[p->inst]));
    fprintf(f,
            ",\"args\":{\"pc\":\"0x%" PRIx64 "\",\"block\":%" PRIu64
            ",\"warp\":%" PRIu32 ",\"lanes\":%d,\"done\":%" PRIu64 "}},\n",
            p->pc, p->block, p->warp, __builtin_popcount(p->mask), p->done);
}

static void print_events(FILE *f, const struct replay *r,
                         const struct timeline *chip,
                         const struct timeline *one, const struct sm_load *sms,
                         const struct pc_trace *t)
{
    uint64_t named = 0;
    char name[64], kernel[TEG_NAME_MAX];

    fputs("{\"otherData\":{\"made_by\":\"teg " TEG_VERSION
          "\",\"unit\":\"1 us is 1 cycle\",\"kernel\":",
          f);
    html_json_string(f, kernel_title(r->s->name, kernel));
    fputs("},\n\"traceEvents\":[\n", f);
    print_name(f, "process_name", CHIP, 0, "chip");
    snprintf(name, sizeof name, "SM %u", t->choice.sm);
    print_name(f, "process_name", ONE_SM, 0, name);
    print_counters(f, chip, CHIP, r->gpu);
    print_counters(f, one, ONE_SM, r->gpu);
    print_name(f, "process_name", ALL_SMS, 0, "issue slots of each SM");
    print_sms(f, sms, r->gpu);
    for (size_t i = 0; i < t->points; i++) {
        const struct pc_point *p = &t->point[i];

        if ((named >> p->slot & 1) == 0) {
            snprintf(name, sizeof name, "warp slot %" PRIu32, p->slot);
            print_name(f, "thread_name", ONE_SM, (int)p->slot, name);
            named |= 1ull << p->slot;
        }
        print_slices(f, t, p);
    }
    /* A last event without a comma. */
    fprintf(f,
            "{\"ph\":\"I\",\"pid\":%d,\"tid\":0,\"ts\":%" PRIu64
            ",\"s\":\"g\",\"name\":\"end\"}\n]}\n",
            CHIP, r->s->cycles);
}

int write_perfetto(const char *path, const struct replay *r,
                   const struct timeline *chip, const struct timeline *one,
                   const struct sm_load *sms, const struct pc_trace *points)
{
    struct text text;
    FILE *f = points->failed || sms->failed ? NULL : text_open(&text);
    int status;

    if (f == NULL)
        return say_memory();
    print_events(f, r, chip, one, sms, points);
    status = text_close(&text, f) ? put_file(path, &text) : say_memory();
    free(text.bytes);
    if (status == EXIT_DONE)
        say_dropped("perfetto", points);
    return status;
}

/* ---- Konata ----------------------------------------------------------------------- */

enum stage {
    STAGE_WAIT,
    STAGE_ISSUE,
    STAGE_RUN,
    STAGE_END,
};

struct mark {
    uint64_t cycle;
    size_t point;
    enum stage stage;
};

static int by_time(const void *a, const void *b)
{
    const struct mark *x = a, *y = b;

    if (x->cycle != y->cycle)
        return x->cycle < y->cycle ? -1 : 1;
    if (x->point != y->point)
        return x->point < y->point ? -1 : 1;
    return (x->stage > y->stage) - (x->stage < y->stage);
}

static void print_first(FILE *f, const struct pc_trace *t, size_t id)
{
    const struct pc_point *p = &t->point[id];

    fprintf(f, "I\t%zu\t%zu\t%" PRIu32 "\n", id, id, p->slot);
    fprintf(f, "L\t%zu\t0\t%" PRIu32 " %04" PRIx64 ": %s\n", id, p->slot, p->pc,
            teg_program_text(t->program, &t->program->inst[p->inst]));
    fprintf(f,
            "L\t%zu\t1\tblock %" PRIu64 ", warp %" PRIu32
            ", %d lanes, stalled %" PRIu32 " %s\n",
            id, p->block, p->warp, __builtin_popcount(p->mask), p->stalled,
            p->reason < TEG_STALLS ? teg_stall_label(p->reason) : "");
}

static void print_mark(FILE *f, const struct pc_trace *t, const struct mark *m)
{
    static const char *const names[] = {"W", "I", "X"};

    if (m->stage == STAGE_WAIT)
        print_first(f, t, m->point);
    if (m->stage == STAGE_END)
        fprintf(f, "R\t%zu\t%zu\t0\n", m->point, m->point);
    else
        fprintf(f, "S\t%zu\t0\t%s\n", m->point, names[m->stage]);
}

static void print_konata(FILE *f, const struct pc_trace *t,
                         const struct mark *mark, size_t marks)
{
    uint64_t now = marks > 0 ? mark[0].cycle : 0;

    fprintf(f, "Kanata\t0004\nC=\t%" PRIu64 "\n", now);
    for (size_t i = 0; i < marks; i++) {
        if (mark[i].cycle != now)
            fprintf(f, "C\t%" PRIu64 "\n", mark[i].cycle - now);
        now = mark[i].cycle;
        print_mark(f, t, &mark[i]);
    }
}

int write_konata(const char *path, const struct pc_trace *t)
{
    struct mark *mark = calloc(4 * t->points + 1, sizeof *mark);
    struct text text;
    size_t marks = 0;
    FILE *f = text_open(&text);
    int status = EXIT_DONE;

    if (mark == NULL || f == NULL || t->failed)
        status = say_memory();
    for (size_t i = 0; status == EXIT_DONE && i < t->points; i++) {
        const struct pc_point *p = &t->point[i];

        mark[marks++] = (struct mark){p->cycle - p->stalled, i, STAGE_WAIT};
        mark[marks++] = (struct mark){p->cycle, i, STAGE_ISSUE};
        if (p->done > p->cycle + 1)
            mark[marks++] = (struct mark){p->cycle + 1, i, STAGE_RUN};
        mark[marks++] = (struct mark){p->done, i, STAGE_END};
    }
    if (status == EXIT_DONE) {
        qsort(mark, marks, sizeof *mark, by_time);
        print_konata(f, t, mark, marks);
    }
    if (f != NULL && !text_close(&text, f) && status == EXIT_DONE)
        status = say_memory();
    if (status == EXIT_DONE)
        status = put_file(path, &text);
    free(text.bytes);
    free(mark);
    if (status == EXIT_DONE)
        say_dropped("konata", t);
    return status;
}
