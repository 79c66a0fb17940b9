/* Sums of all before, and sorts, in memory that a program brings. */
#ifndef TEG_TOOLS_CUSPARSE_SORT_H
#define TEG_TOOLS_CUSPARSE_SORT_H

#include "tools/cusparse/sparse.h"

/* Items of 32 bits become the sums of all before them, `wide` ones of 64;
 * `sums`: scan_bytes of memory. */
size_t scan_bytes(int64_t n);
int scan(const struct sparse *s, void *items, int64_t n, int wide, void *sums);

/* Keys of 32 bits, and which item each was. */
struct sorter {
    unsigned *keys[2], *order[2];
    unsigned *counts;
    void *sums;
    int64_t n;
    int at; /* in which the result is */
};

void sorter_init(struct sorter *o, int64_t n, struct sparse_room *room);
/* By `keys`, or those in keys[at], none above `most`; items that are equal keep
 * their order: that of before, if `again`. */
int sorter_sort(const struct sparse *s, struct sorter *o, const void *keys,
                uint64_t most, int again);
/* Keys of the items as they are in order now, `base` less. */
int sorter_take(const struct sparse *s, struct sorter *o, const void *indices,
                int wide, int64_t base);

#endif
