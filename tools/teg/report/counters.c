#include "tools/teg/report/counters.h"

#include <string.h>

void put_counters(json_t *o, struct counter_rows *rows, const char *last)
{
    uint32_t count;
    const struct teg_counter *c = teg_counters(&count);

    while (rows->next < count) {
        const struct teg_counter *row = &c[rows->next++];

        if (row->kind != rows->kind || row->json[0] == '\0')
            continue;
        json_object_set_new(o, row->json,
                            json_integer((json_int_t)teg_counter_get(
                                row, rows->s, rows->item, 0)));
        if (last != NULL && strcmp(row->json, last) == 0)
            return;
    }
}
