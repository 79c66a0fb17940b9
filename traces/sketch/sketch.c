#include "traces/sketch/sketch.h"

#include "traces/sketch/expand.h"
#include "traces/sketch/lex.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct teg_sketch {
    char *name; /* owned */
    char *text; /* owned, [size] */
    size_t size;
    char **set; /* owned strings, [options.set_count] */
    struct teg_sketch_options options;
    struct sketch_plan plan; /* what is told about the sketch */
};

/* True if the bytes from `at` on begin with `word`. */
static int begins(const uint8_t *bytes, size_t size, size_t at,
                  const char *word)
{
    size_t length = strlen(word);

    return size - at >= length && memcmp(bytes + at, word, length) == 0;
}

/* Returns where the text goes on behind the comment at `at`, or `at` if there
 * is none. */
static size_t skip_comment(const uint8_t *bytes, size_t size, size_t at)
{
    if (begins(bytes, size, at, "/*")) {
        for (at += 2; at < size && !begins(bytes, size, at, "*/"); at++)
            continue;
        return at < size ? at + 2 : size;
    }
    if (begins(bytes, size, at, "#") || begins(bytes, size, at, "//"))
        while (at < size && bytes[at] != '\n')
            at++;
    return at;
}

int teg_sketch_recognise(const uint8_t *bytes, size_t size)
{
    size_t at = 0, from;

    do {
        from = at;
        while (at < size && memchr(" \t\r\n", bytes[at], 4) != NULL)
            at++;
        at = skip_comment(bytes, size, at);
    } while (at != from);
    return begins(bytes, size, at, "sketch ") ||
           begins(bytes, size, at, "sketch\t");
}

static teg_status copy_options(struct teg_sketch *s,
                               const struct teg_sketch_options *options,
                               struct teg_diag *d)
{
    if (options == NULL)
        return TEG_OK;
    s->options.steps_max = options->steps_max;
    s->set = calloc((size_t)options->set_count + 1, sizeof *s->set);
    if (s->set == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < options->set_count; i++) {
        s->set[i] = strdup(options->set[i]);
        if (s->set[i] == NULL)
            return teg_fail_memory(d);
        s->options.set_count++;
    }
    s->options.set = (const char *const *)s->set;
    return TEG_OK;
}

/* Takes over `text`. */
static teg_status init(struct teg_sketch *s, const char *name, char *text,
                       size_t size, const struct teg_sketch_options *options,
                       struct teg_diag *d)
{
    s->text = text;
    s->size = size;
    s->name = strdup(name);
    if (s->name == NULL || s->text == NULL)
        return teg_fail_memory(d);
    TRY(copy_options(s, options, d));
    return sketch_plan_init(&s->plan, s->name, s->text, size, &s->options, d);
}

static teg_status sketch_new(const char *name, char *text, size_t size,
                             const struct teg_sketch_options *options,
                             struct teg_sketch **s, struct teg_diag *d)
{
    teg_status status;

    *s = calloc(1, sizeof **s);
    if (*s == NULL) {
        free(text);
        return teg_fail_memory(d);
    }
    status = init(*s, name, text, size, options, d);
    if (status != TEG_OK) {
        teg_sketch_close(*s);
        *s = NULL;
    }
    return status;
}

teg_status teg_sketch_parse(const char *name, const char *text, size_t size,
                            const struct teg_sketch_options *options,
                            struct teg_sketch **s, struct teg_diag *d)
{
    char *copy = malloc(size + 1);

    if (copy != NULL) {
        memcpy(copy, text, size);
        copy[size] = '\0';
    }
    return sketch_new(name, copy, size, options, s, d);
}

/* Reads at most SKETCH_TEXT_MAX + 1 bytes, which the lexer then refuses. */
static teg_status read_all(const char *path, char **text, size_t *size,
                           struct teg_diag *d)
{
    FILE *file = fopen(path, "rb");
    int failed;

    if (file == NULL)
        return teg_fail_errno(d, path, "open");
    *text = malloc(SKETCH_TEXT_MAX + 1);
    if (*text == NULL) {
        fclose(file);
        return teg_fail_memory(d);
    }
    errno = 0;
    *size = fread(*text, 1, SKETCH_TEXT_MAX + 1, file);
    failed = ferror(file);
    fclose(file);
    if (!failed)
        return TEG_OK;
    free(*text);
    return teg_fail_errno(d, path, "read");
}

teg_status teg_sketch_open(const char *path,
                           const struct teg_sketch_options *options,
                           struct teg_sketch **s, struct teg_diag *d)
{
    char *text = NULL;
    size_t size = 0;

    *s = NULL;
    TRY(read_all(path, &text, &size, d));
    return sketch_new(path, text, size, options, s, d);
}

void teg_sketch_close(struct teg_sketch *s)
{
    if (s == NULL)
        return;
    for (uint32_t i = 0; i < s->options.set_count; i++)
        free(s->set[i]);
    free(s->set);
    free(s->name);
    free(s->text);
    sketch_plan_release(&s->plan);
    free(s);
}

const struct teg_kernel *teg_sketch_kernel(const struct teg_sketch *s)
{
    return &s->plan.kernel;
}

const struct teg_sketch_param *teg_sketch_params(const struct teg_sketch *s,
                                                 uint32_t *count)
{
    *count = s->plan.params;
    return s->plan.param;
}

static teg_status next(void *self, struct teg_block **block, struct teg_diag *d)
{
    return sketch_expander_next(self, block, d);
}

static void close_launch(void *self)
{
    sketch_expander_free(self);
}

teg_status teg_sketch_launch(const struct teg_sketch *s,
                             struct teg_launch *launch, struct teg_diag *d)
{
    struct sketch_expander *x;

    TRY(sketch_expander_new(s->name, s->text, s->size, &s->options, &x, d));
    *launch = (struct teg_launch){
        .kernel = sketch_expander_kernel(x),
        .self = x,
        .next = next,
        .close = close_launch,
    };
    return TEG_OK;
}
