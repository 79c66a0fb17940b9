#include "tools/teg/cli/output.h"

#include "tools/teg/cli/teg.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int fault(const char *path, const char *verb)
{
    struct teg_diag d;

    teg_fail_errno(&d, path, verb);
    return say_fault(&d);
}

/* A device, a pipe or /dev/stdout cannot be replaced: write into it. */
static bool in_place(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int open_in_place(struct output *o, const char *path)
{
    o->file = fopen(path, "w");
    return o->file != NULL ? EXIT_DONE : fault(path, "write");
}

static int open_temporary(struct output *o, const char *path)
{
    static const char tail[] = ".XXXXXX";
    size_t size = strlen(path) + sizeof tail;
    mode_t mask = umask(0);
    int fd;

    umask(mask);
    o->temporary = malloc(size);
    if (o->temporary == NULL)
        return say_memory();
    snprintf(o->temporary, size, "%s%s", path, tail);
    fd = mkstemp(o->temporary);
    if (fd < 0) {
        free(o->temporary);
        o->temporary = NULL;
        return fault(path, "write");
    }
    fchmod(fd, 0666 & ~mask);
    o->file = fdopen(fd, "w");
    if (o->file == NULL) {
        close(fd);
        output_abandon(o);
        return say_memory();
    }
    return EXIT_DONE;
}

int output_open(struct output *o, const char *path)
{
    *o = (struct output){.file = stdout, .path = path};
    if (path == NULL)
        return EXIT_DONE;
    return in_place(path) ? open_in_place(o, path) : open_temporary(o, path);
}

/* Returns 0, or the errno of what went wrong. */
static int finish(struct output *o)
{
    int written = ferror(o->file) == 0;

    errno = 0;
    if (fclose(o->file) != 0)
        written = 0;
    o->file = NULL;
    if (written && o->temporary != NULL)
        written = rename(o->temporary, o->path) == 0;
    if (written)
        return 0;
    return errno != 0 ? errno : EIO;
}

int output_close(struct output *o)
{
    int error, status;

    /* Standard output is flushed and checked once, at the end of main. */
    if (o->path == NULL)
        return EXIT_DONE;
    error = finish(o);
    if (error == 0) {
        free(o->temporary);
        *o = (struct output){0};
        return EXIT_DONE;
    }
    errno = error;
    status = fault(o->path, "write");
    output_abandon(o);
    return status;
}

void output_abandon(struct output *o)
{
    if (o->path != NULL && o->file != NULL)
        fclose(o->file);
    if (o->temporary != NULL)
        unlink(o->temporary);
    free(o->temporary);
    *o = (struct output){0};
}

int output_json(const char *path, json_t *value)
{
    struct output o = {0};
    int status = value != NULL ? output_open(&o, path) : say_memory();

    if (status == EXIT_DONE) {
        json_dumpf(value, o.file, JSON_INDENT(2) | JSON_REAL_PRECISION(10));
        fputc('\n', o.file);
        status = output_close(&o);
    }
    json_decref(value);
    return status;
}

void print_csv_text(FILE *f, const char *text)
{
    if (strpbrk(text, ",\"\r\n") == NULL) {
        fputs(text, f);
        return;
    }
    fputc('"', f);
    for (; *text != '\0'; text++) {
        if (*text == '"')
            fputc('"', f);
        fputc(*text, f);
    }
    fputc('"', f);
}

const char *kernel_title(const char *name, char out[TEG_NAME_MAX])
{
    return teg_name_readable(name[0] != '\0' ? name : "(unnamed kernel)",
                             NAME_PLAIN, out);
}

json_t *demangled_json(const char *name)
{
    char text[TEG_NAME_MAX];

    return teg_name_is_mangled(name)
               ? json_string(teg_name_readable(name, NAME_FULL, text))
               : json_null();
}

json_t *json_cell(const char *text)
{
    return json_string_nocheck(text);
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
