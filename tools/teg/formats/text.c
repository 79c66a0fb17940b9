/* For people: what a view prints by hand. */
#include "tools/teg/formats/writer.h"

#include "tools/teg/cli/teg.h"

static bool takes(const struct view *v)
{
    return v->text != NULL;
}

static int begin(struct writer *w)
{
    return w->view->head != NULL ? w->view->head(w->out.file, w->self)
                                 : EXIT_DONE;
}

static int part(struct writer *w, const void *one)
{
    if (w->view->spaced && w->count > 0)
        fputc('\n', w->out.file);
    return w->view->text(w->out.file, one);
}

static int end(struct writer *w)
{
    return w->view->foot != NULL ? w->view->foot(w->out.file, w->self)
                                 : EXIT_DONE;
}

const struct format text_format = {"text", takes, begin, part, end};
