#include "isa/binary/lines.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"
#include "isa/base/printable.h"

enum {
    LOOK_BACK = 16, /* for a file of the same name */
};

teg_status teg_lines_file(struct teg_lines *l, const char *name,
                          uint32_t *index, struct teg_diag *d)
{
    char **more;

    for (size_t back = 1; back <= LOOK_BACK && back <= l->file_count; back++) {
        if (teg_printable_is(l->file[l->file_count - back], name,
                             strlen(name))) {
            *index = (uint32_t)(l->file_count - back);
            return TEG_OK;
        }
    }
    more = teg_array_room(l->file, l->file_count, &l->file_room, sizeof *more);
    if (more == NULL)
        return teg_fail_memory(d);
    l->file = more;
    more[l->file_count] = teg_printable_copy(name);
    if (more[l->file_count] == NULL)
        return teg_fail_memory(d);
    *index = (uint32_t)l->file_count++;
    return TEG_OK;
}

teg_status teg_lines_call(struct teg_lines *l, const struct teg_line_call *call,
                          uint32_t *number, struct teg_diag *d)
{
    const struct teg_line_call *last =
        l->call_count > 0 ? &l->call[l->call_count - 1] : NULL;
    struct teg_line_call *more;

    if (last == NULL || last->file != call->file || last->line != call->line ||
        last->outer != call->outer) {
        more =
            teg_array_room(l->call, l->call_count, &l->call_room, sizeof *more);
        if (more == NULL)
            return teg_fail_memory(d);
        l->call = more;
        more[l->call_count++] = *call;
    }
    *number = (uint32_t)l->call_count;
    return TEG_OK;
}

teg_status teg_lines_add(struct teg_lines *l, const struct teg_line *row,
                         struct teg_diag *d)
{
    struct teg_line *more =
        teg_array_room(l->row, l->row_count, &l->row_room, sizeof *more);

    if (more == NULL)
        return teg_fail_memory(d);
    l->row = more;
    more[l->row_count] = *row;
    more[l->row_count].order = l->row_count;
    l->row_count++;
    return TEG_OK;
}

static int by_pc(const void *a, const void *b)
{
    const struct teg_line *x = a, *y = b;

    if (x->kernel != y->kernel)
        return x->kernel < y->kernel ? -1 : 1;
    if (x->pc != y->pc)
        return x->pc < y->pc ? -1 : 1;
    if (x->ends != y->ends)
        return x->ends ? -1 : 1;
    return (x->order > y->order) - (x->order < y->order);
}

void teg_lines_sort(struct teg_lines *l)
{
    if (l->row_count > 0)
        qsort(l->row, l->row_count, sizeof *l->row, by_pc);
}

const struct teg_line *teg_lines_at(const struct teg_lines *l, uint32_t kernel,
                                    uint64_t pc)
{
    size_t from = 0, to = l->row_count;
    const struct teg_line *row;

    /* The first row beyond the place. */
    while (from < to) {
        size_t middle = from + (to - from) / 2;

        row = &l->row[middle];
        if (row->kernel < kernel || (row->kernel == kernel && row->pc <= pc))
            from = middle + 1;
        else
            to = middle;
    }
    if (from == 0)
        return NULL;
    row = &l->row[from - 1];
    return row->kernel == kernel && !row->ends && row->line != 0 ? row : NULL;
}

void teg_lines_release(struct teg_lines *l)
{
    for (size_t i = 0; i < l->file_count; i++)
        free(l->file[i]);
    free(l->file);
    free(l->row);
    free(l->call);
    *l = (struct teg_lines){0};
}
