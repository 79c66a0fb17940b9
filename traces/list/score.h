/*
 * The score of a program: what it asked for, in the order in which it asked.
 *
 * A call of the host is an entry: a launch, a copy, a set, a record of an
 * event or a wait for one, a launch of a graph, a synchronisation.  Entries
 * belong to streams; which of them may overlap follows from streams, events
 * and graphs (sim/program).  docs/trace-format.md has the form in a file.
 */
#ifndef TEG_TRACES_LIST_SCORE_H
#define TEG_TRACES_LIST_SCORE_H

#include <stddef.h>
#include <stdint.h>

#include "isa/base/status.h"

enum teg_score_kind {
#define KIND(NAME, word) TEG_SCORE_##NAME,
#include "traces/list/score.def"
#undef KIND
    TEG_SCORE_KINDS
};

#define TEG_SCORE_NONE UINT32_MAX /* no event, no graph */

enum {
    TEG_SCORE_ENTRIES_MAX = 1 << 24,
    TEG_SCORE_STREAMS_MAX = 4096,
};

/* What it is that a node of a graph, or an entry of the order, does. */
struct teg_score_entry {
    uint8_t kind;      /* enum teg_score_kind */
    uint8_t async;     /* the host does not wait for it */
    uint8_t pinned;    /* host memory that cannot be paged out */
    uint8_t dependent; /* programmatic: may start as the one before ends */
    uint8_t part;      /* of the copy or set before it: more rows */
    uint8_t untimed;   /* of a record: no time can be read from the event */
    uint32_t stream;   /* index into the score's streams */
    uint32_t number;   /* of the kernel, event or graph; or TEG_SCORE_NONE */
    uint32_t times;    /* so many alike, one after the other; at least 1 */
    uint32_t host;     /* thread that calls */
    uint64_t address, bytes;
    double host_us; /* that the host has been busy with something else before */
    double us;      /* measured of the operation; < 0: not known */
    double start_us; /* likewise, since the program's first; < 0: not known */
    uint32_t after;  /* of a node: first of its edges */
    uint32_t afters; /* and how many: nodes it comes after */
    uint32_t place;  /* in the list's array, for messages */
};

struct teg_score_graph {
    struct teg_score_entry *node; /* owned, [nodes] */
    uint32_t nodes;
    uint32_t *edge; /* owned: nodes, from 0 */
    uint8_t *early; /* owned, of each edge: the node, a launch, may come when
                       that one lets it; NULL: none may */
};

struct teg_score_stream {
    int64_t name;        /* number the list has for it */
    uint32_t host;       /* that names it so */
    int32_t priority;    /* lower is sooner */
    uint8_t nonblocking; /* does not wait for the default stream */
};

struct teg_score {
    struct teg_score_entry *entry; /* owned, [entries] */
    size_t entries, entry_capacity;
    struct teg_score_graph *graph; /* owned, [graphs] */
    uint32_t graphs;
    struct teg_score_stream *stream; /* owned, [streams]; 0 is the default */
    uint32_t streams;
    uint64_t untraced; /* launches that nothing is known of */
};

/* "launch", "host-to-device", ... */
const char *teg_score_word(enum teg_score_kind kind);
teg_status teg_score_add(struct teg_score *score, struct teg_score_entry entry,
                         struct teg_diag *d);
/* The stream of that name, a new one if there is none yet. */
teg_status teg_score_stream(struct teg_score *score, uint32_t host,
                            int64_t name, uint32_t *stream, struct teg_diag *d);
void teg_score_release(struct teg_score *score);

#endif
