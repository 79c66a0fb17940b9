#include "tools/teg/formats/writer.h"

json_t *view_rows(const struct view *view, const void *part)
{
    json_t *values, *table, *rows;

    if (view->rows != NULL)
        return view->rows(part);
    values = view->values(part);
    table =
        view->table[0] != '\0' ? json_object_get(values, view->table) : values;
    rows = json_is_array(table) ? json_incref(table) : json_pack("[O]", table);
    json_decref(values);
    return rows;
}
