/*
 * The table of a sweep: which of its rows, in which order (order.c), and how
 * they are written (table.c).
 */
#ifndef TEG_TOOLS_TEG_SWEEP_TABLE_H
#define TEG_TOOLS_TEG_SWEEP_TABLE_H

#include "tools/teg/sweep/sweep.h"

/* A column to order by: "cycles" or "ipc:max". */
struct sweep_goal {
    char key[128];
    double sign; /* 1: less is better */
};

struct sweep_entry {
    uint64_t point;
    bool ok;
    double value[2];
};

struct sweep_table {
    const struct sweep_choice *choice;   /* borrowed */
    const struct sweep_journal *journal; /* borrowed */
    struct sweep_goal goal[2];
    uint32_t goals;
    struct sweep_entry *entry; /* owned, [count] */
    uint64_t count;
};

/* Reads which rows there are; says what is wrong and returns an exit status.
 */
int sweep_table_init(struct sweep_table *t, const struct sweep_choice *choice,
                     const struct sweep_journal *j);
void sweep_table_release(struct sweep_table *t);

#endif
