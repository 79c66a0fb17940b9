#include "tools/teg/cli/output.h"

#include "isa/base/printable.h"
#include "tools/teg/cli/inputs.h"
#include "tools/teg/cli/pipes.h"
#include "tools/teg/cli/teg.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

const char *output_path(const char *text)
{
    return strcmp(text, "-") == 0 ? "/dev/stdout" : text;
}

bool output_is_standard(const char *path)
{
    return path != NULL && strcmp(path, "/dev/stdout") == 0;
}

int output_fault(const char *path, const struct teg_diag *d)
{
    return output_is_standard(path) && errno == EPIPE ? EXIT_NO_READER
                                                      : say_fault(d);
}

int output_open(struct output *o, const char *path)
{
    struct teg_diag d;
    int status = inputs_spare(path);

    *o = (struct output){.file = stdout};
    if (path == NULL || output_is_standard(path) || status != EXIT_DONE)
        return status;
    if (teg_outfile_open(&o->out, path, &d) != TEG_OK)
        return say_fault(&d);
    o->file = o->out.file;
    return EXIT_DONE;
}

int output_close(struct output *o)
{
    teg_status status = TEG_OK;
    struct teg_diag d;

    /* Standard output is flushed and checked once, at the end of main. */
    errno = 0;
    if (o->out.file != NULL)
        status = teg_outfile_finish(&o->out, &d);
    o->file = NULL;
    if (status == TEG_OK)
        return EXIT_DONE;
    return errno == EPIPE ? EXIT_NO_READER : say_fault(&d);
}

void output_abandon(struct output *o)
{
    teg_outfile_abandon(&o->out);
    o->file = NULL;
}

bool output_failed(const struct output *o)
{
    return ferror(o->file) != 0;
}

static bool json_failed;

/* What jansson gets when there is no more memory, so that it comes to an end:
 * reading, it goes on with what is half copied, and asserts (2.13). */
static struct {
    size_t used;
    _Alignas(max_align_t) char bytes[1 << 16];
} reserve;

static void *from_reserve(size_t size)
{
    size_t at = reserve.used;

    size = (size + sizeof(max_align_t) - 1) & ~(sizeof(max_align_t) - 1);
    if (size > sizeof reserve.bytes - at)
        return NULL;
    reserve.used += size;
    return reserve.bytes + at;
}

static void *json_memory(size_t size)
{
    void *p = malloc(size);

    if (p != NULL)
        return p;
    json_failed = true;
    return from_reserve(size);
}

static void json_free(void *p)
{
    uintptr_t at = (uintptr_t)p, first = (uintptr_t)reserve.bytes;

    if (at < first || at >= first + sizeof reserve.bytes)
        free(p);
}

void free_json_text(char *text)
{
    json_free(text);
}

void watch_json(void)
{
    json_set_alloc_funcs(json_memory, json_free);
}

bool json_ran_out(void)
{
    return json_failed;
}

int check_json(void)
{
    return json_failed ? say_memory() : EXIT_DONE;
}

int print_json(FILE *f, const json_t *value, size_t flags)
{
    /* A full disk is found at the end, as everywhere. */
    if (json_dumpf(value, f, JSON_INDENT(2) | flags) != 0 && !ferror(f))
        return say_memory();
    fputc('\n', f);
    return EXIT_DONE;
}

int output_json(const char *path, json_t *value)
{
    struct output o = {0};
    int status =
        value != NULL && !json_failed ? output_open(&o, path) : say_memory();

    if (status == EXIT_DONE) {
        status = print_json(o.file, value, JSON_REAL_PRECISION(10));
        if (status == EXIT_DONE)
            status = output_close(&o);
        else
            output_abandon(&o);
    }
    json_decref(value);
    return status;
}

/* Spreadsheets run a cell that begins so, "@P0 BRA" among them. */
static bool is_formula(const char *text)
{
    return strchr("=+-@", text[0]) != NULL && text[0] != '\0' &&
           text[1] != '\0';
}

void print_csv_text(FILE *f, const char *text)
{
    const bool quoted = strpbrk(text, ",\"\r\n") != NULL;

    if (quoted)
        fputc('"', f);
    if (is_formula(text))
        fputc('\'', f);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text, f);
    }
    if (quoted)
        fputc('"', f);
}

const char *kernel_title(const char *name, char out[TEG_NAME_MAX])
{
    return teg_name_readable(name[0] != '\0' ? name : "(unnamed kernel)",
                             NAME_PLAIN, out);
}

const char *kernel_title_in(const char *name, size_t width,
                            char out[TEG_NAME_MAX])
{
    static const char cut[] = "...";

    if (strlen(kernel_title(name, out)) > width)
        teg_name_readable(name, NAME_LAST, out);
    if (strlen(out) > width && width >= sizeof cut)
        memcpy(out + width - strlen(cut), cut, sizeof cut);
    return out;
}

/* With the folders it lies in. */
static int make_path(const char *path)
{
    char part[PATH_MAX];
    int made = 0;

    if (snprintf(part, sizeof part, "%s", path) >= (int)sizeof part) {
        errno = ENAMETOOLONG;
        return -1;
    }
    for (char *slash = part; made == 0 && slash != NULL;) {
        slash = strchr(slash + 1, '/');
        if (slash != NULL)
            *slash = '\0';
        if (mkdir(part, 0777) != 0 && errno != EEXIST)
            made = -1;
        if (slash != NULL)
            *slash = '/';
    }
    return made;
}

int output_directory(const char *path, const char *what)
{
    struct stat s;

    if (make_path(path) == 0 && stat(path, &s) == 0) {
        if (!S_ISDIR(s.st_mode))
            errno = ENOTDIR;
        else if (access(path, W_OK | X_OK) == 0)
            return EXIT_DONE;
    }
    say(path, "cannot write %s there: %s", what, strerror(errno));
    return EXIT_FAULT;
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

const char *path_title(const char *path, char out[TEG_NAME_MAX])
{
    char title[TEG_NAME_MAX];

    return teg_printable(out, TEG_NAME_MAX,
                         pipe_title(path, title, sizeof title));
}

json_t *demangled_json(const char *name)
{
    char text[TEG_NAME_MAX];

    return teg_name_is_mangled(name)
               ? json_text(teg_name_readable(name, NAME_FULL, text))
               : json_null();
}

json_t *json_text(const char *text)
{
    char *copy;
    json_t *value;

    if (teg_is_printable(text))
        return json_string(text);
    copy = teg_printable_copy(text);
    value = copy != NULL ? json_string(copy) : NULL;
    free(copy);
    return value;
}

json_t *json_ratio(double part, double whole)
{
    return whole > 0 || whole < 0 ? json_real(part / whole) : json_null();
}

const char *with_commas(uint64_t v, char out[28])
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, v);
    char *to = out;

    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *to++ = ',';
        *to++ = digits[i];
    }
    *to = '\0';
    return out;
}

void print_wrapped(FILE *f, const char *text, int column, int indent)
{
    enum {
        WIDTH = 79
    };

    while (*text != '\0') {
        int length = (int)strcspn(text, " \n");

        if (column > indent && column + 1 + length > WIDTH) {
            fprintf(f, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', f);
            column++;
        }
        fprintf(f, "%.*s", length, text);
        column += length;
        text += length;
        text += strspn(text, " \n");
    }
    fputc('\n', f);
}
