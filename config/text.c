#include "config/text.h"

#include "isa/base/buffer.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum {
    SIZE_LIMIT = 1 << 20, /* bytes of one file */
    DEPTH_LIMIT = 8,      /* of @include; libconfig allows ten */
    NEST_LIMIT = 64,      /* of brackets */
    PATH_LIMIT = 4096,
};

/* Where the scan is among the brackets; @include goes on in it. */
struct place {
    char before; /* the last character of the token before; '"' a string */
    char open[NEST_LIMIT];
    unsigned opens;
};

/* Where the scan is in one file. */
struct scan {
    const char *path, *directory;
    uint64_t line;
    const char *at;
    unsigned depth;
    struct place *place; /* borrowed */
};

static teg_status read_file(const char *path, struct teg_buffer *text,
                            struct teg_diag *d)
{
    FILE *f = fopen(path, "rb");
    uint8_t *place;
    size_t n;

    if (f == NULL)
        return teg_fail_errno(d, path, "open");
    place = teg_buffer_grow(text, SIZE_LIMIT + 1);
    if (place == NULL) {
        fclose(f);
        return teg_fail_memory(d);
    }
    errno = 0;
    n = fread(place, 1, SIZE_LIMIT, f);
    if (ferror(f)) {
        fclose(f);
        return teg_fail_errno(d, path, "read");
    }
    fclose(f);
    if (n == SIZE_LIMIT)
        return teg_fail(d, TEG_CONFIG, path,
                        "expected a GPU description, found more than %d bytes",
                        SIZE_LIMIT);
    place[n] = '\0';
    if (memchr(place, '\0', n) != NULL)
        return teg_fail(d, TEG_CONFIG, path,
                        "expected text, found a byte of zero");
    return TEG_OK;
}

static int is_word(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
           (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
}

/* A word that begins with a digit. */
static teg_status check_number(struct scan *s, const char *word, size_t length,
                               struct teg_diag *d)
{
    int hex = length > 1 && (word[1] == 'x' || word[1] == 'X');
    uint64_t value = 0;

    if (hex)
        return length <= 2 + 7
                   ? TEG_OK
                   : teg_fail_line(d, TEG_CONFIG, s->path, s->line,
                                   "expected a number below 2^28, found %.*s",
                                   (int)(length < 40 ? length : 40), word);
    for (size_t i = 0; i < length; i++) {
        if (word[i] < '0' || word[i] > '9')
            return TEG_OK; /* a float, or no number: libconfig's to judge */
        value =
            value > INT32_MAX ? value : value * 10 + (uint64_t)(word[i] - '0');
    }
    if (value <= INT32_MAX)
        return TEG_OK;
    return teg_fail_line(d, TEG_CONFIG, s->path, s->line,
                         "expected a whole number below 2^31, found %.*s",
                         (int)(length < 40 ? length : 40), word);
}

static void skip_to(struct scan *s, const char *end)
{
    const char *stop = strstr(s->at, end);

    stop = stop != NULL ? stop + strlen(end) : s->at + strlen(s->at);
    for (; s->at < stop; s->at++)
        s->line += *s->at == '\n';
}

static void skip_line(struct scan *s)
{
    s->at += strcspn(s->at, "\n");
}

/* libconfig's scanner leaks a string that its grammar has no place for. */
static int takes_string(const struct place *p)
{
    const char *values = "=:\"", *elements = "([,\"";
    const int in_list = p->opens > 0 && p->open[p->opens - 1] != '{';

    return p->before != '\0' &&
           strchr(in_list ? elements : values, p->before) != NULL;
}

static teg_status skip_string(struct scan *s, struct teg_diag *d)
{
    uint64_t line = s->line;

    if (!takes_string(s->place))
        return teg_fail_line(d, TEG_CONFIG, s->path, line,
                             "expected a setting, found a string");
    s->place->before = '"';
    for (s->at++; *s->at != '\0' && *s->at != '"'; s->at++) {
        if (*s->at == '\\' && s->at[1] != '\0')
            s->at++;
        s->line += *s->at == '\n';
    }
    if (*s->at == '\0')
        return teg_fail_line(d, TEG_CONFIG, s->path, line,
                             "expected a closing quote, found the end");
    s->at++;
    return TEG_OK;
}

static teg_status take_bracket(struct scan *s, struct teg_diag *d)
{
    struct place *p = s->place;

    if (strchr("([{", *s->at) != NULL) {
        if (p->opens == NEST_LIMIT)
            return teg_fail_line(d, TEG_CONFIG, s->path, s->line,
                                 "expected at most %d nested brackets",
                                 NEST_LIMIT);
        p->open[p->opens++] = *s->at;
    } else if (strchr(")]}", *s->at) != NULL && p->opens > 0) {
        p->opens--; /* one that does not fit is libconfig's to judge */
    }
    return TEG_OK;
}

static teg_status check_file(const char *path, const char *directory,
                             unsigned depth, struct place *place,
                             struct teg_diag *d);

static teg_status check_include(struct scan *s, struct teg_diag *d)
{
    const char *name = s->at + strcspn(s->at, "\"\n");
    char path[PATH_LIMIT];
    size_t length;

    skip_line(s);
    length = *name == '"' ? strcspn(name + 1, "\"\n") : 0;
    if (length == 0 || name[1 + length] != '"') /* libconfig reads on */
        return teg_fail_line(d, TEG_CONFIG, s->path, s->line,
                             "expected @include \"FILE\"");
    if (name[1] == '/')
        return teg_fail_line(d, TEG_CONFIG, s->path, s->line,
                             "@include: expected a path from the directory of "
                             "this file, found an absolute one");
    if (s->depth + 1 > DEPTH_LIMIT)
        return teg_fail_line(d, TEG_CONFIG, s->path, s->line,
                             "expected at most %d nested @include",
                             DEPTH_LIMIT);
    if (strlen(s->directory) + length + 2 > sizeof path)
        return teg_fail_line(d, TEG_CONFIG, s->path, s->line,
                             "the path of @include is too long");
    snprintf(path, sizeof path, "%s/%.*s", s->directory, (int)length, name + 1);
    return check_file(path, s->directory, s->depth + 1, s->place, d);
}

static teg_status check_text(struct scan *s, struct teg_diag *d)
{
    while (*s->at != '\0') {
        const char *word = s->at;

        if (*word == '#' || strncmp(word, "//", 2) == 0) {
            skip_line(s);
        } else if (strncmp(word, "/*", 2) == 0) {
            skip_to(s, "*/");
        } else if (*word == '"') {
            TRY(skip_string(s, d));
        } else if (strncmp(word, "@include", 8) == 0) {
            TRY(check_include(s, d));
        } else if (is_word(*word)) {
            while (is_word(*s->at))
                s->at++;
            s->place->before = 'a';
            if (*word >= '0' && *word <= '9')
                TRY(check_number(s, word, (size_t)(s->at - word), d));
        } else {
            TRY(take_bracket(s, d));
            if (strchr(" \t\r\n", *word) == NULL)
                s->place->before = *word;
            s->line += *word == '\n';
            s->at++;
        }
    }
    return TEG_OK;
}

static teg_status check_file(const char *path, const char *directory,
                             unsigned depth, struct place *place,
                             struct teg_diag *d)
{
    struct teg_buffer text = {0};
    teg_status status = read_file(path, &text, d);

    if (status == TEG_OK) {
        struct scan s = {path,  directory, 1, (const char *)text.data,
                         depth, place};

        status = check_text(&s, d);
    }
    teg_buffer_release(&text);
    return status;
}

teg_status config_text_check(const char *path, const char *directory,
                             struct teg_diag *d)
{
    struct place place = {0};

    return check_file(path, directory, 0, &place, d);
}
