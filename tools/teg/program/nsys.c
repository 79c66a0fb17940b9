/*
 * The score of a real run, of what nsys exports of it:
 *
 *     nsys stats -f csv -r cuda_gpu_trace report.nsys-rep
 *
 * Each row is a launch, a copy or a set, with when it began and what it took.
 * What came before what is known of streams only: an operation that began later
 * than what is before it in its stream explains was called then, so that the
 * host's gaps, and waits for other streams, stay where they were.
 */
#include "tools/teg/program/measured.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/teg/compare/csv_table.h"

enum column {
    START,
    DURATION,
    GRID,      /* and the two behind it */
    BLOCK = 5, /* likewise */
    REGISTERS = 8,
    STATIC,
    DYNAMIC,
    BYTES,
    STREAM,
    NAME,
    COLUMNS
};

/* Of a header cell: how it begins, and what a number of it is multiplied by
 * for each unit that it may have in parentheses. */
static const struct {
    const char *begins;
    enum {
        PLAIN,
        TIME, /* us */
        SIZE, /* bytes */
    } unit;
    uint32_t least, most; /* of whole numbers: CUDA's own limits */
} columns[COLUMNS] = {
    [START] = {"Start", TIME, 0, 0},
    [DURATION] = {"Duration", TIME, 0, 0},
    [GRID] = {"GrdX", PLAIN, 1, INT32_MAX},
    [GRID + 1] = {"GrdY", PLAIN, 1, UINT16_MAX},
    [GRID + 2] = {"GrdZ", PLAIN, 1, UINT16_MAX},
    [BLOCK] = {"BlkX", PLAIN, 1, 1024},
    [BLOCK + 1] = {"BlkY", PLAIN, 1, 1024},
    [BLOCK + 2] = {"BlkZ", PLAIN, 1, 64},
    [REGISTERS] = {"Reg/Trd", PLAIN, 0, 255},
    [STATIC] = {"StcSMem", SIZE, 0, 0},
    [DYNAMIC] = {"DymSMem", SIZE, 0, 0},
    [BYTES] = {"Bytes", SIZE, 0, 0},
    [STREAM] = {"Strm", PLAIN, 0, UINT32_MAX},
    [NAME] = {"Name", PLAIN, 0, 0},
};

static const struct {
    const char *word;
    double times;
} units[] = {{"(ns)", 1e-3}, {"(us)", 1},   {"(ms)", 1e3}, {"(s)", 1e6},
             {"(B)", 1},     {"(KB)", 1e3}, {"(MB)", 1e6}, {"(GB)", 1e9}};

struct import {
    struct timed *p;
    const char *path;
    struct csv_table table;
    uint32_t at[COLUMNS]; /* column of the table, from 1; 0: none */
    double scale[COLUMNS];
    double first; /* us, when the first began */
    double host;  /* us, the host's own time after the last call */
    double *end;  /* owned, [streams]: of the last operation of each */
    uint32_t streams;
    double before; /* when the row before began */
};

/* ---- the table ------------------------------------------------------------ */

static bool is_head(struct import *m, const struct csv_row *row)
{
    memset(m->at, 0, sizeof m->at);
    for (uint32_t c = 0; c < row->cell_count; c++) {
        const char *cell = csv_cell(row, c);

        for (int i = 0; i < COLUMNS; i++) {
            if (m->at[i] != 0 || strncmp(cell, columns[i].begins,
                                         strlen(columns[i].begins)) != 0)
                continue;
            m->at[i] = c + 1;
            m->scale[i] = columns[i].unit == TIME ? 1e-3 : 1;
            for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
                if (strstr(cell, units[u].word) != NULL)
                    m->scale[i] = units[u].times;
            }
        }
    }
    return m->at[START] != 0 && m->at[DURATION] != 0 && m->at[NAME] != 0 &&
           m->at[STREAM] != 0 && m->at[GRID] != 0;
}

static const char *text_of(const struct import *m, const struct csv_row *row,
                           enum column c)
{
    return m->at[c] != 0 ? csv_cell(row, m->at[c] - 1) : "";
}

static int fail(const struct import *m, const struct csv_row *row,
                const char *what)
{
    char where[400];

    snprintf(where, sizeof where, "%.300s:%" PRIu32, m->path, row->line);
    say(where, "%s", what);
    return EXIT_FAULT;
}

/* An empty cell is 0. */
static int get(const struct import *m, const struct csv_row *row, enum column c,
               double *value)
{
    const char *text = text_of(m, row, c);
    char *end, what[160];

    *value = 0;
    if (text[0] == '\0')
        return EXIT_DONE;
    *value = strtod(text, &end) * m->scale[c];
    if (*end == '\0' && isfinite(*value) && *value >= 0 && *value < 1e15)
        return EXIT_DONE;
    snprintf(what, sizeof what, "expected a number for '%s', found '%.60s'",
             columns[c].begins, text);
    return fail(m, row, what);
}

/* A whole one. */
static int get_count(const struct import *m, const struct csv_row *row,
                     enum column c, uint32_t *count)
{
    char what[160];
    double value;
    int status = get(m, row, c, &value);

    if (status != EXIT_DONE)
        return status;
    if (value >= columns[c].least && value <= columns[c].most &&
        floor(value) >= value) {
        *count = (uint32_t)value;
        return EXIT_DONE;
    }
    snprintf(what, sizeof what,
             "expected a whole number from %" PRIu32 " to %" PRIu32
             " for '%s', found '%.60s'",
             columns[c].least, columns[c].most, columns[c].begins,
             text_of(m, row, c));
    return fail(m, row, what);
}

/* ---- kernels -------------------------------------------------------------- */

/* What a row says of its kernel. */
static int describe(const struct import *m, const struct csv_row *row,
                    struct measured_facts *f)
{
    uint32_t *const to[] = {&f->grid[0],  &f->grid[1],  &f->grid[2],
                            &f->block[0], &f->block[1], &f->block[2],
                            &f->registers};
    double value, shared = 0;
    int status = EXIT_DONE;

    f->name = text_of(m, row, NAME);
    for (int c = GRID; c <= REGISTERS && status == EXIT_DONE; c++)
        status = get_count(m, row, (enum column)c, to[c - GRID]);
    for (int c = STATIC; c <= DYNAMIC && status == EXIT_DONE; c++) {
        status = get(m, row, (enum column)c, &value);
        shared += value;
    }
    f->shared_bytes = (uint32_t)fmin(shared, 4e9);
    return status;
}

static int find_kernel(struct import *m, const struct csv_row *row,
                       uint32_t *number)
{
    struct measured_facts f;
    bool fits = true;
    int status = describe(m, row, &f);

    if (status == EXIT_DONE)
        status = measured_kernel(m->p, &f, number, &fits);
    return fits ? status
                : fail(m, row,
                       "the block of this launch fits no SM of the GPU "
                       "that -g names");
}

/* ---- rows ----------------------------------------------------------------- */

/* nsys's words for copies, of several versions. */
static const struct {
    const char *word;
    enum teg_score_kind kind;
} words[] = {
    {"[CUDA memcpy HtoD]", TEG_SCORE_COPY_TO_DEVICE},
    {"[CUDA memcpy Host-to-Device]", TEG_SCORE_COPY_TO_DEVICE},
    {"[CUDA memcpy DtoH]", TEG_SCORE_COPY_FROM_DEVICE},
    {"[CUDA memcpy Device-to-Host]", TEG_SCORE_COPY_FROM_DEVICE},
    {"[CUDA memcpy DtoD]", TEG_SCORE_COPY_ON_DEVICE},
    {"[CUDA memcpy Device-to-Device]", TEG_SCORE_COPY_ON_DEVICE},
    {"[CUDA memcpy PtoP]", TEG_SCORE_COPY_PEER},
    {"[CUDA memcpy Peer-to-Peer]", TEG_SCORE_COPY_PEER},
    {"[CUDA memset]", TEG_SCORE_SET},
};

static int find_kind(struct import *m, const struct csv_row *row,
                     struct teg_score_entry *e)
{
    const char *name = text_of(m, row, NAME);

    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(name, words[i].word) == 0) {
            e->kind = (uint8_t)words[i].kind;
            return EXIT_DONE;
        }
    }
    if (strncmp(name, "[CUDA ", 6) == 0)
        return fail(m, row, "this operation is not known");
    e->kind = TEG_SCORE_LAUNCH;
    return find_kernel(m, row, &e->number);
}

/* When the host called at the latest: so that the operation begins when it did
 * if its stream does not explain that. */
static void call(struct import *m, struct teg_score_entry *e, double start)
{
    const struct teg_gpu *gpu = m->p->job.gpu;
    uint32_t streams = m->p->own.streams;
    double late, at;

    while (m->streams < streams)
        m->end[m->streams++] = -HUGE_VAL;
    late = start - m->end[e->stream];
    at = start - gpu->launch.latency_us - m->host;
    if (late > 2 * gpu->launch.gap_us && at > 0) {
        e->host_us = at;
        m->host += at;
    }
    m->host += gpu->launch.host_us;
    m->end[e->stream] = start + e->us;
}

static int add_row(struct import *m, const struct csv_row *row)
{
    struct teg_score_entry e = {.async = 1,
                                .pinned = 1,
                                .number = TEG_SCORE_NONE,
                                .times = 1,
                                .place = row->line};
    double start, bytes;
    uint32_t stream;
    struct teg_diag d;
    int status = get(m, row, START, &start);

    if (status == EXIT_DONE)
        status = get(m, row, DURATION, &e.us);
    if (status == EXIT_DONE)
        status = get_count(m, row, STREAM, &stream);
    if (status == EXIT_DONE)
        status = get(m, row, BYTES, &bytes);
    if (status == EXIT_DONE)
        status = find_kind(m, row, &e);
    if (status != EXIT_DONE)
        return status;
    e.bytes = (uint64_t)bytes;
    if (m->first < 0)
        m->first = start - m->p->job.gpu->launch.latency_us;
    if (start < m->before)
        return fail(m, row, "expected rows in the order of their start");
    m->before = start;
    if (teg_score_stream(&m->p->own, 0, stream, &e.stream, &d) != TEG_OK)
        return say_fault(&d);
    /* What the default stream waits for is in the times. */
    m->p->own.stream[e.stream].nonblocking = 1;
    call(m, &e, start - m->first);
    return teg_score_add(&m->p->own, e, &d) == TEG_OK ? EXIT_DONE
                                                      : say_fault(&d);
}

static int add_rows(struct import *m)
{
    uint32_t first = 0;
    int status = EXIT_DONE;

    while (first < m->table.row_count && !is_head(m, &m->table.row[first]))
        first++;
    if (first + 1 >= m->table.row_count) {
        say(m->path, "expected rows of `nsys stats -f csv -r cuda_gpu_trace`, "
                     "under a head with Start, Duration, GrdX, Strm and Name; "
                     "found none");
        return EXIT_FAULT;
    }
    for (uint32_t i = first + 1; i < m->table.row_count && status == EXIT_DONE;
         i++)
        status = add_row(m, &m->table.row[i]);
    return status;
}

int timed_import_csv(struct timed *p, const char *path)
{
    struct import m = {.p = p, .path = path, .first = -1};
    struct teg_diag d;
    uint32_t standard;
    int status = csv_table_read(&m.table, path);

    if (status != EXIT_DONE)
        return status;
    m.end = malloc((TEG_SCORE_STREAMS_MAX + 1) * sizeof *m.end);
    if (m.end == NULL)
        status = say_memory();
    else if (teg_score_stream(&p->own, 0, 0, &standard, &d) != TEG_OK)
        status = say_fault(&d);
    if (status == EXIT_DONE)
        status = add_rows(&m);
    if (status == EXIT_DONE)
        measured_means(p);
    free(m.end);
    csv_table_release(&m.table);
    return status;
}
