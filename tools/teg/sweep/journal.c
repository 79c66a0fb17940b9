/*
 *     {"teg_sweep":1,"sweep":"91c4...","points":96}
 *     {"sweep":"91c4...","point":3,"points":96, ...}
 *     {"sweep":"91c4...","point":0,"points":96, ...}
 *     {"sweep":"91c4...","po
 *
 * The last line was being written when the machine stopped; it is cut off.
 */
#include "tools/teg/sweep/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define SYNC_SECONDS 0.25

static const char *name_of(const struct sweep_journal *j)
{
    return j->path != NULL ? j->path : "temporary file";
}

static int fault(const struct sweep_journal *j, const char *verb)
{
    struct teg_diag d;

    teg_fail_errno(&d, name_of(j), verb);
    return say_fault(&d);
}

static int append(struct sweep_journal *j, const void *bytes, size_t size)
{
    uint64_t before = j->size;

    for (const char *at = bytes; size > 0;) {
        ssize_t n = pwrite(j->fd, at, size, (off_t)j->size);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            int status = fault(j, "write");

            j->size = before;
            return status;
        }
        at += n;
        size -= (size_t)n;
        j->size += (uint64_t)n;
    }
    j->dirty = true;
    return EXIT_DONE;
}

int sweep_journal_sync(struct sweep_journal *j, bool now)
{
    double clock = job_clock();

    if (!j->dirty || (!now && clock < j->synced_at + SYNC_SECONDS))
        return EXIT_DONE;
    j->dirty = false;
    j->synced_at = clock;
    /* A temporary file is no use after a crash; a pipe cannot be synced. */
    if (j->path != NULL && fdatasync(j->fd) != 0 && errno != EINVAL)
        return fault(j, "write");
    return EXIT_DONE;
}

static int refuse(const char *path, uint64_t line, const char *text)
{
    say(path,
        "line %" PRIu64 ": expected a row of `teg sweep -f json`, found "
        "'%.40s'",
        line, text);
    return EXIT_FAULT;
}

/* Reads "sweep", "points" and, in a row, "point". */
static bool read_head(json_t *line, const char **digest, uint64_t *points,
                      uint64_t *point, bool *is_row)
{
    json_t *n = json_object_get(line, "points"),
           *p = json_object_get(line, "point");

    *digest = json_string_value(json_object_get(line, "sweep"));
    if (*digest == NULL || **digest == '\0' || !json_is_integer(n) ||
        json_integer_value(n) < 1 || json_integer_value(n) > SWEEP_POINTS_MAX)
        return false;
    *points = (uint64_t)json_integer_value(n);
    *is_row = json_is_integer(p);
    if (!*is_row)
        return json_object_get(line, "teg_sweep") != NULL;
    *point = (uint64_t)json_integer_value(p);
    return json_integer_value(p) >= 0 && *point < *points;
}

/* The first line of a merge says which sweep it is. */
static int adopt(struct sweep_journal *j, const char *digest, uint64_t points)
{
    if (j->digest[0] != '\0')
        return EXIT_DONE;
    snprintf(j->digest, sizeof j->digest, "%s", digest);
    j->points = points;
    j->row = calloc(points, sizeof *j->row);
    return j->row != NULL ? EXIT_DONE : say_memory();
}

static int other_sweep(const struct sweep_journal *j, const char *path,
                       const char *digest)
{
    say(path,
        "expected rows of sweep %s, found those of another, %.16s; other "
        "options, GPUs or traces make another sweep%s",
        j->digest, digest,
        j->path != NULL ? ": remove the file or name another" : "");
    return EXIT_FAULT;
}

static bool is_ok(json_t *row)
{
    const char *status = json_string_value(json_object_get(row, "status"));

    return status != NULL && strcmp(status, "ok") == 0;
}

/* A row from another file: a point that failed in one and not in the other
 * succeeded; two results must be the same. */
static int merge_row(struct sweep_journal *j, const char *path, uint64_t point,
                     json_t *row, const char *text)
{
    char *known;
    int status = EXIT_DONE;

    if (j->row[point].size == 0)
        return sweep_journal_add(j, point, (const uint8_t *)text, strlen(text));
    known = sweep_journal_text(j, point);
    if (known == NULL)
        return say_memory();
    if (strncmp(known, text, j->row[point].size) != 0 ||
        strlen(text) != j->row[point].size + 1u) {
        json_t *other = json_loads(known, 0, NULL);

        if (is_ok(row) && is_ok(other)) {
            say(path,
                "point %" PRIu64 " differs from the one in an earlier "
                "file",
                point);
            status = EXIT_FAULT;
        } else if (is_ok(row)) {
            j->done--;
            status = sweep_journal_add(j, point, (const uint8_t *)text,
                                       strlen(text));
        }
        json_decref(other);
    }
    free(known);
    return status;
}

/* Takes one line; `at` is its place in the journal's own file, or -1. */
static int take_line(struct sweep_journal *j, const char *path, uint64_t line,
                     const char *text, off_t at)
{
    json_t *row = json_loads(text, 0, NULL);
    uint64_t points, point = 0;
    const char *digest;
    bool is_row;
    int status;

    if (row == NULL || !read_head(row, &digest, &points, &point, &is_row)) {
        json_decref(row);
        return refuse(path, line, text);
    }
    status = adopt(j, digest, points);
    if (status == EXIT_DONE &&
        (strcmp(j->digest, digest) != 0 || points != j->points))
        status = other_sweep(j, path, digest);
    if (status == EXIT_DONE && is_row && at >= 0) {
        j->done += j->row[point].size == 0;
        j->row[point] =
            (struct sweep_row){(uint64_t)at, (uint32_t)strlen(text) - 1};
    } else if (status == EXIT_DONE && is_row) {
        status = merge_row(j, path, point, row, text);
    }
    json_decref(row);
    return status;
}

/* Every complete line; `*end` is where an incomplete last one begins. */
static int read_lines(struct sweep_journal *j, const char *path, FILE *f,
                      bool own, off_t *end)
{
    char *text = NULL;
    size_t capacity = 0;
    uint64_t line = 0;
    ssize_t length;
    int status = EXIT_DONE;

    *end = 0;
    while (status == EXIT_DONE && (length = getline(&text, &capacity, f)) > 0 &&
           text[length - 1] == '\n') {
        status = take_line(j, path, ++line, text, own ? *end : -1);
        *end += length;
    }
    free(text);
    return status;
}

int sweep_journal_merge(struct sweep_journal *j, const char *path)
{
    FILE *f = fopen(path, "r");
    struct teg_diag d;
    off_t end;
    int status;

    if (f == NULL) {
        teg_fail_errno(&d, path, "read");
        return say_fault(&d);
    }
    status = read_lines(j, path, f, false, &end);
    fclose(f);
    return status;
}

/* Two sweeps must not write into the same file. */
static int lock(struct sweep_journal *j)
{
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

    if (fcntl(j->fd, F_SETLK, &whole) == 0 ||
        (errno != EACCES && errno != EAGAIN))
        return EXIT_DONE;
    say(name_of(j), "another teg sweep is writing it");
    return EXIT_FAULT;
}

static int read_own(struct sweep_journal *j)
{
    int fd = dup(j->fd);
    FILE *f = fd >= 0 ? fdopen(fd, "r") : NULL;
    off_t end = 0;
    int status;

    if (f == NULL)
        return fault(j, "read");
    status = read_lines(j, name_of(j), f, true, &end);
    fclose(f);
    if (status != EXIT_DONE)
        return status;
    j->size = (uint64_t)end;
    if (ftruncate(j->fd, end) != 0 && errno != EINVAL)
        return fault(j, "write");
    return EXIT_DONE;
}

static int open_file(struct sweep_journal *j)
{
    char pattern[512];
    const char *dir = getenv("TMPDIR");

    if (j->path != NULL) {
        j->fd = open(j->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        return j->fd >= 0 ? EXIT_DONE : fault(j, "write");
    }
    snprintf(pattern, sizeof pattern, "%.400s/teg-sweep-XXXXXX",
             dir != NULL && dir[0] != '\0' ? dir : "/tmp");
    j->fd = mkstemp(pattern);
    if (j->fd < 0)
        return fault(j, "make");
    unlink(pattern);
    return EXIT_DONE;
}

static int write_head(struct sweep_journal *j)
{
    char head[128];

    if (j->size != 0 || j->digest[0] == '\0')
        return EXIT_DONE;
    snprintf(head, sizeof head,
             "{\"teg_sweep\":1,\"sweep\":\"%s\",\"points\":%" PRIu64 "}\n",
             j->digest, j->points);
    return append(j, head, strlen(head));
}

static int lock_and_read(struct sweep_journal *j)
{
    struct stat st;
    int status = EXIT_DONE;

    if (j->path != NULL && fstat(j->fd, &st) == 0 && S_ISREG(st.st_mode)) {
        status = lock(j);
        if (status == EXIT_DONE)
            status = read_own(j);
        /* Closing the reader's copy of the file gave the lock back. */
        if (status == EXIT_DONE)
            status = lock(j);
    }
    return status == EXIT_DONE ? write_head(j) : status;
}

int sweep_journal_open(struct sweep_journal *j, const char *path,
                       const char *digest, uint64_t points)
{
    int status;

    *j = (struct sweep_journal){.path = path, .fd = -1};
    status = digest != NULL ? adopt(j, digest, points) : EXIT_DONE;
    if (status == EXIT_DONE)
        status = open_file(j);
    if (status == EXIT_DONE)
        status = lock_and_read(j);
    if (status != EXIT_DONE)
        sweep_journal_release(j);
    return status;
}

void sweep_journal_release(struct sweep_journal *j)
{
    if (j->fd >= 0)
        close(j->fd);
    free(j->row);
    *j = (struct sweep_journal){.fd = -1};
}

int sweep_journal_add(struct sweep_journal *j, uint64_t point,
                      const uint8_t *row, size_t size)
{
    uint64_t at = j->size;
    int status = append(j, row, size);

    if (status != EXIT_DONE)
        return status;
    j->row[point] = (struct sweep_row){at, (uint32_t)size - 1};
    j->done++;
    return sweep_journal_sync(j, false);
}

char *sweep_journal_text(const struct sweep_journal *j, uint64_t point)
{
    size_t size = j->row[point].size, got = 0;
    char *text = malloc(size + 1);

    while (text != NULL && got < size) {
        ssize_t n = pread(j->fd, text + got, size - got,
                          (off_t)(j->row[point].at + got));

        if (n <= 0 && !(n < 0 && errno == EINTR)) {
            free(text);
            return NULL;
        }
        got += n > 0 ? (size_t)n : 0;
    }
    if (text != NULL)
        text[size] = '\0';
    return text;
}

json_t *sweep_journal_json(const struct sweep_journal *j, uint64_t point)
{
    char *text = j->row[point].size != 0 ? sweep_journal_text(j, point) : NULL;
    json_t *row = text != NULL ? json_loads(text, 0, NULL) : NULL;

    free(text);
    return row;
}
