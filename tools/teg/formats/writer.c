#include "tools/teg/formats/writer.h"

#include "tools/teg/cli/teg.h"

#include <assert.h>
#include <string.h>

#define FORMAT(name, words, lines) extern const struct format name##_format;
#include "tools/teg/formats/formats.def"
#undef FORMAT

static const struct format *const formats[] = {
#define FORMAT(name, words, lines) &name##_format,
#include "tools/teg/formats/formats.def"
#undef FORMAT
};

const char *const format_names[] = {
#define FORMAT(name, words, lines) #name,
#include "tools/teg/formats/formats.def"
#undef FORMAT
    NULL};

const char format_help[] =
#define FORMAT(name, words, lines) words
#include "tools/teg/formats/formats.def"
#undef FORMAT
    ;

const char format_lines_help[] =
#define FORMAT(name, words, lines) words lines
#include "tools/teg/formats/formats.def"
#undef FORMAT
    ;

/* Of a result that is over, one way or the other. */
static void let_go(struct writer *w)
{
    json_decref(w->parts);
    json_decref(w->columns);
    w->parts = w->columns = NULL;
}

int writer_open(struct writer *w, const struct view *view, const void *self,
                uint32_t format, const char *path)
{
    int status;

    assert(formats[format]->takes(view));
    *w = (struct writer){.view = view, .format = formats[format], .self = self};
    status = output_open(&w->out, path);
    if (status != EXIT_DONE)
        return status;
    status = w->format->begin(w);
    return status == EXIT_DONE ? EXIT_DONE : writer_end(w, status);
}

int writer_add(struct writer *w, const void *part)
{
    int status = w->format->part(w, part);

    w->count++;
    if (status == EXIT_DONE)
        status = check_json();
    /* No more parts for a full disk or a reader that went away. */
    if (status == EXIT_DONE && output_failed(&w->out))
        return w->out.out.file != NULL ? output_close(&w->out) : EXIT_FAULT;
    return status;
}

int writer_end(struct writer *w, int status)
{
    if (status == EXIT_DONE)
        status = check_json();
    if (status == EXIT_DONE)
        status = w->format->end(w);
    if (status == EXIT_DONE)
        status = check_json();
    let_go(w);
    if (status == EXIT_DONE)
        return output_close(&w->out);
    output_abandon(&w->out);
    return status;
}

int view_write(const struct view *view, const void *part, uint32_t format,
               const char *path)
{
    struct writer w;
    int status = writer_open(&w, view, part, format, path);

    if (status != EXIT_DONE)
        return status;
    return writer_end(&w, writer_add(&w, part));
}

/* ---- the option ------------------------------------------------------------ */

uint32_t format_index(const char *name)
{
    uint32_t i = 0;

    while (strcmp(format_names[i], name) != 0)
        i++;
    return i;
}

void format_choose(struct format_choice *c, const struct view *view,
                   const char *first)
{
    size_t used;
    uint32_t count = 0;

    c->name[count++] = first;
    for (uint32_t i = 0; i < FORMATS; i++) {
        if (formats[i]->takes(view) && strcmp(format_names[i], first) != 0)
            c->name[count++] = format_names[i];
    }
    c->name[count] = NULL;
    used =
        (size_t)snprintf(c->help, sizeof c->help, "%s (default)", c->name[0]);
    for (uint32_t i = 1; i < count && used < sizeof c->help; i++)
        used += (size_t)snprintf(c->help + used, sizeof c->help - used, "%s%s",
                                 i + 1 < count ? ", " : " or ", c->name[i]);
}
