#include "traces/list/kernelslist.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "isa/base/array.h"

static const char copy_start[] = "Memcpy";
static const char kernel_start[] = "kernel-";

enum {
    NAME_MAX_BYTES = 4096,
    PATH_BYTES = 4096, /* no system call takes a longer one */
};

/* Returns the line's length without what surrounds its words. */
static size_t trim(const char **line, size_t length)
{
    while (length != 0 && (**line == ' ' || **line == '\t')) {
        ++*line;
        length--;
    }
    while (length != 0 && strchr(" \t\r\n", (*line)[length - 1]) != NULL)
        length--;
    return length;
}

/* Bytes of the list's path in front of `name`. */
static size_t front_of(const char *list, const char *name)
{
    const char *slash = strrchr(list, '/');

    return slash != NULL && name[0] != '/' ? (size_t)(slash + 1 - list) : 0;
}

/* Writes `name` as seen from where the list lies. */
static void join(char *path, const char *list, const char *name, size_t length)
{
    size_t front = front_of(list, name);

    memcpy(path, list, front);
    memcpy(path + front, name, length);
    path[front + length] = '\0';
}

/* The same in memory that the caller frees. */
static char *beside(const char *list, const char *name, size_t length)
{
    char *path = malloc(front_of(list, name) + length + 1);

    if (path != NULL)
        join(path, list, name, length);
    return path;
}

/* On the stack: out of memory a file that is there would be none. */
int teg_kernelslist_is_file(const char *list, const char *name, size_t length)
{
    char path[PATH_BYTES];
    struct stat facts;

    if (front_of(list, name) + length >= sizeof path)
        return 0; /* longer than any the system opens */
    join(path, list, name, length);
    return stat(path, &facts) == 0 && S_ISREG(facts.st_mode);
}

static int starts_with(const char *line, size_t length, const char *with)
{
    size_t n = strlen(with);

    return length >= n && memcmp(line, with, n) == 0;
}

static int is_copy(const char *line, size_t length)
{
    return starts_with(line, length, copy_start) &&
           memchr(line, ',', length) != NULL;
}

/* A name the tracer gives, or whatever else is a file beside the list. */
static int is_kernel(const char *list, const char *line, size_t length)
{
    if (length == 0 || length > NAME_MAX_BYTES || line[0] == '#' ||
        memchr(line, '\0', length) != NULL)
        return 0;
    if (starts_with(line, length, kernel_start) &&
        memchr(line, ' ', length) == NULL)
        return 1;
    return teg_kernelslist_is_file(list, line, length);
}

int teg_kernelslist_recognise(const char *path, const uint8_t *bytes,
                              size_t size)
{
    enum {
        LINES_TRIED = 64
    };
    const char *at = (const char *)bytes, *end = at + size;

    for (int i = 0; i < LINES_TRIED && at < end; i++) {
        const char *eol = memchr(at, '\n', (size_t)(end - at));
        const char *line = at;
        size_t length = trim(&line, (size_t)((eol != NULL ? eol : end) - at));

        if (is_copy(line, length) || is_kernel(path, line, length))
            return 1;
        at = eol != NULL ? eol + 1 : end;
    }
    return 0;
}

static teg_status grow(struct teg_kernelslist *l, struct teg_diag *d)
{
    uint32_t capacity = l->capacity * 2 + 64, *numbers;
    char **more = realloc(l->name, capacity * sizeof *more);

    if (more == NULL)
        return teg_fail_memory(d);
    l->name = more;
    more = realloc(l->path, capacity * sizeof *more);
    if (more == NULL)
        return teg_fail_memory(d);
    l->path = more;
    numbers = realloc(l->launches, capacity * sizeof *numbers);
    if (numbers == NULL)
        return teg_fail_memory(d);
    l->launches = numbers;
    numbers = realloc(l->alike, capacity * sizeof *numbers);
    if (numbers == NULL)
        return teg_fail_memory(d);
    l->alike = numbers;
    l->capacity = capacity;
    return TEG_OK;
}

teg_status teg_kernelslist_add(struct teg_kernelslist *l, const char *list,
                               const char *name, size_t length,
                               uint32_t launches, struct teg_diag *d)
{
    if (l->count == TEG_LIST_KERNELS_MAX)
        return teg_fail(d, TEG_LIMIT, list,
                        "expected at most %d kernels, found more",
                        TEG_LIST_KERNELS_MAX);
    if (l->count == l->capacity)
        TRY(grow(l, d));
    l->name[l->count] = strndup(name, length);
    l->path[l->count] = beside(list, name, length);
    l->launches[l->count] = launches;
    l->alike[l->count] = l->count;
    l->count++;
    return l->name[l->count - 1] != NULL && l->path[l->count - 1] != NULL
               ? TEG_OK
               : teg_fail_memory(d);
}

teg_status teg_kernelslist_step(struct teg_kernelslist *l, struct teg_step step,
                                struct teg_diag *d)
{
    struct teg_step *room =
        teg_array_room(l->step, l->steps, &l->step_capacity, sizeof *room);

    if (room == NULL)
        return teg_fail_memory(d);
    l->step = room;
    l->step[l->steps++] = step;
    return TEG_OK;
}

/* One to the host, or without a range that can be, is counted, and writes
 * nothing. */
static teg_status add_copy(struct teg_kernelslist *l, const char *line,
                           struct teg_diag *d)
{
    const char *first = strchr(line, ','), *comma = strrchr(line, ',');
    struct teg_step step = {0};
    uint64_t bytes = 0;

    l->copies++;
    if (comma != NULL && comma[1] >= '0' && comma[1] <= '9')
        bytes = strtoull(comma + 1, NULL, 10);
    l->copied_bytes += bytes;
    if (first == comma || first[1] != '0' || strstr(line, "DtoH") != NULL)
        return TEG_OK;
    step.address = strtoull(first + 1, NULL, 16);
    step.bytes = bytes;
    if (bytes == 0 || bytes > UINT64_MAX - step.address)
        return TEG_OK;
    return teg_kernelslist_step(l, step, d);
}

static void note_missing(struct teg_notes *notes, const char *list,
                         uint64_t line, const char *name, size_t length)
{
    char where[256];

    snprintf(where, sizeof where, "%.200s:%" PRIu64, list, line);
    teg_notes_add(notes, "kernel-missing", where,
                  "expected the file '%.*s' beside the list, found none",
                  (int)(length < 200 ? length : 200), name);
}

static teg_status read_lines(struct teg_input *in, const char *path,
                             struct teg_kernelslist *list,
                             struct teg_notes *notes, struct teg_diag *d)
{
    char *text;
    size_t length;

    for (;;) {
        const char *line;

        TRY(teg_input_line(in, &text, &length, d));
        if (text == NULL)
            return TEG_OK;
        line = text;
        length = trim(&line, length);
        if (is_copy(line, length)) {
            TRY(add_copy(list, line, d));
        } else if (is_kernel(path, line, length)) {
            const struct teg_step step = {.kernel = list->count, .launches = 1};

            TRY(teg_kernelslist_add(list, path, line, length, 1, d));
            TRY(teg_kernelslist_step(list, step, d));
            if (!teg_kernelslist_is_file(path, line, length))
                note_missing(notes, path, teg_input_line_number(in), line,
                             length);
        }
    }
}

teg_status teg_kernelslist_read(const struct teg_source *source,
                                struct teg_kernelslist *list,
                                struct teg_notes *notes, struct teg_diag *d)
{
    struct teg_input *in;
    teg_status status;

    *list = (struct teg_kernelslist){0};
    TRY(teg_input_open(source, &in, d));
    status = read_lines(in, source->path, list, notes, d);
    teg_input_close(in);
    if (status == TEG_OK && list->count == 0)
        status = teg_fail(d, TEG_FORMAT, source->path,
                          "expected the name of at least one kernel's file, "
                          "found none");
    if (status != TEG_OK)
        teg_kernelslist_release(list);
    return status;
}

void teg_kernelslist_release(struct teg_kernelslist *list)
{
    for (uint32_t i = 0; i < list->count; i++) {
        free(list->name[i]);
        free(list->path[i]);
    }
    free(list->name);
    free(list->path);
    free(list->launches);
    free(list->alike);
    free(list->step);
    teg_score_release(&list->score);
    *list = (struct teg_kernelslist){0};
}
