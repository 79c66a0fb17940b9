/*
 * JSON (docs/json.md): the values as one indented tree, complete or not at
 * all; or a line for each part.
 */
#include "tools/teg/formats/writer.h"

#include "tools/teg/cli/teg.h"

static bool takes(const struct view *v)
{
    return v->values != NULL || v->line != NULL;
}

static int begin(struct writer *w)
{
    w->parts = json_array();
    return w->parts != NULL ? EXIT_DONE : say_memory();
}

static int part(struct writer *w, const void *one)
{
    if (w->view->line != NULL) {
        fprintf(w->out.file, "%s\n", w->view->line(one));
        return EXIT_DONE;
    }
    return json_array_append_new(w->parts, w->view->values(one)) == 0
               ? EXIT_DONE
               : say_memory();
}

static int end(struct writer *w)
{
    const size_t digits = w->view->full_digits ? 0 : JSON_REAL_PRECISION(10);
    json_t *all;
    int status;

    if (w->view->line != NULL)
        return EXIT_DONE;
    all = w->view->whole != NULL ? w->view->whole(w->self, w->parts)
                                 : json_incref(json_array_get(w->parts, 0));
    if (all == NULL)
        return say_memory();
    status = print_json(w->out.file, all, digits);
    json_decref(all);
    return status;
}

const struct format json_format = {"json", takes, begin, part, end};
