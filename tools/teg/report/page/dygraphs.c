#include "tools/teg/report/page/dygraphs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/teg/cli/teg.h"

/* The whole file as a string, NULL if it cannot be read: `*starved` if that is
 * for want of memory. */
static char *read_text(const char *directory, const char *name, bool *starved)
{
    char path[512], *text = NULL;
    long size = -1;
    FILE *f;

    snprintf(path, sizeof path, "%s/%s", directory, name);
    f = fopen(path, "rb");
    *starved |= f == NULL && errno == ENOMEM;
    if (f == NULL)
        return NULL;
    if (fseek(f, 0, SEEK_END) == 0)
        size = ftell(f);
    rewind(f);
    if (size >= 0 && size < 4 << 20) {
        text = malloc((size_t)size + 1);
        *starved |= text == NULL;
    }
    if (text != NULL) {
        size_t got = fread(text, 1, (size_t)size, f);

        text[got] = '\0';
    }
    fclose(f);
    return text;
}

/* A comment that makes browsers ask for a file that is not in the page. */
static void cut_source_map(char *text)
{
    char *map = text != NULL ? strstr(text, "//# sourceMappingURL=") : NULL;

    if (map != NULL)
        *map = '\0';
    map = text != NULL ? strstr(text, "/*# sourceMappingURL=") : NULL;
    if (map != NULL)
        *map = '\0';
}

int dygraphs_find(struct dygraphs *d)
{
    const char *directory = d->directory != NULL ? d->directory : DYGRAPHS;
    bool starved = false;

    if (d->looked)
        return EXIT_DONE;
    d->looked = true;
    d->script = read_text(directory, "dygraph.min.js", &starved);
    d->style = read_text(directory, "dygraph.min.css", &starved);
    if (starved)
        return say_memory();
    cut_source_map(d->script);
    cut_source_map(d->style);
    if (d->script != NULL && d->style != NULL &&
        strstr(d->script, "</script") == NULL)
        return EXIT_DONE;
    free(d->script);
    free(d->style);
    d->script = d->style = NULL;
    if (d->directory != NULL)
        say("report",
            "no dygraphs in %s: the charts zoom by the page's own script",
            directory);
    return EXIT_DONE;
}

void dygraphs_release(struct dygraphs *d)
{
    free(d->script);
    free(d->style);
    *d = (struct dygraphs){0};
}
