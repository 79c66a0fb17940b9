/*
 * "Did you mean": the known name closest to a mistyped one.
 *
 *     struct teg_nearest n;
 *
 *     teg_nearest_init(&n, typed);
 *     for each row of the table
 *         teg_nearest_offer(&n, row->name);
 *     ... n.best ...
 *
 * Distance is the number of characters to insert, delete, replace or swap
 * with their neighbour, letters of either case and '-' and '_' being equal;
 * a name that begins with the typed one counts as one change, one that
 * contains it as two.  Ties go to the name offered first.
 */
#ifndef TEG_ISA_BASE_NEAREST_H
#define TEG_ISA_BASE_NEAREST_H

#include <stddef.h>

struct teg_nearest {
    const char *typed; /* borrowed */
    const char *best;  /* borrowed; NULL while nothing was offered */
    size_t distance;   /* of `best` */
};

void teg_nearest_init(struct teg_nearest *n, const char *typed);
void teg_nearest_offer(struct teg_nearest *n, const char *known);

#endif
