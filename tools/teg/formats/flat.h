/*
 * A tree of values as one row of cells: scalars under their names, joined by
 * dots; lists are indexed by their items' names ("units.sp.active_percent")
 * or places ("kernel.grid.0").
 */
#ifndef TEG_TOOLS_TEG_FORMATS_FLAT_H
#define TEG_TOOLS_TEG_FORMATS_FLAT_H

#include <jansson.h>

/* What stands in a row for member `key` of `object`: a new reference; NULL:
 * nothing, it is left out. */
typedef json_t *flat_member(json_t *object, const char *key, json_t *value);

/* The cells by their columns, a new object; NULL out of memory.  Without
 * `member` everything is taken. */
json_t *flat_row(json_t *tree, flat_member *member);

#endif
