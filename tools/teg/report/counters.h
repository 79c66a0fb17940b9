/*
 * The counters of sim/collect/counters.def that have a name, as members of a
 * JSON object in the table's order.  What is worked out from them stands
 * behind the counter that it belongs to:
 *
 *     struct counter_rows rows = {.s = s, .kind = COUNTER_MEMORY};
 *
 *     put_counters(o, &rows, "transactions");
 *     json_object_set_new(o, "transactions_per_request", ...);
 *     put_counters(o, &rows, NULL);
 */
#ifndef TEG_TOOLS_TEG_REPORT_COUNTERS_H
#define TEG_TOOLS_TEG_REPORT_COUNTERS_H

#include "sim/collect/counters.h"

#include <jansson.h>

struct counter_rows {
    const struct teg_statistics *s; /* borrowed */
    enum teg_counter_kind kind;
    uint32_t item; /* class, reason or unit */
    uint32_t next; /* row of the table */
};

/* Puts the kind's next counters into `o`, up to and with the one that is
 * called `last`; NULL: all that are left. */
void put_counters(json_t *o, struct counter_rows *rows, const char *last);

#endif
