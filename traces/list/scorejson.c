#include "traces/list/scorejson.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
    const char *path;
    struct teg_score *score;
    int64_t schema;
    uint32_t kernels;
    const char *array; /* that the entry is in: "order", "graphs[0].nodes" */
    size_t place;
    struct teg_diag *d;
};

static teg_status fail(const struct reader *r, const char *what)
{
    char where[448];

    snprintf(where, sizeof where, "%.320s: %.60s[%zu]", r->path, r->array,
             r->place);
    return teg_fail(r->d, TEG_FORMAT, where, "%s", what);
}

/* ---- members -------------------------------------------------------------- */

/* A whole number of the entry's, `*value` as it is if there is none. */
static teg_status get_number(const struct reader *r, const json_t *o,
                             const char *name, int64_t least, int64_t most,
                             int64_t *value)
{
    const json_t *v = json_object_get(o, name);
    char what[160];

    if (v == NULL)
        return TEG_OK;
    if (json_is_integer(v) && json_integer_value(v) >= least &&
        json_integer_value(v) <= most) {
        *value = json_integer_value(v);
        return TEG_OK;
    }
    snprintf(what, sizeof what, "expected \"%s\" from %" PRId64 " to %" PRId64,
             name, least, most);
    return fail(r, what);
}

static teg_status get_flag(const struct reader *r, const json_t *o,
                           const char *name, uint8_t *flag)
{
    const json_t *v = json_object_get(o, name);
    char what[80];

    if (v == NULL || json_is_boolean(v)) {
        *flag = json_is_true(v);
        return TEG_OK;
    }
    snprintf(what, sizeof what, "expected true or false for \"%s\"", name);
    return fail(r, what);
}

/* Microseconds. */
static teg_status get_time(const struct reader *r, const json_t *o,
                           const char *name, double *us)
{
    static const double most = 1e12;
    const json_t *v = json_object_get(o, name);
    char what[80];

    if (v == NULL)
        return TEG_OK;
    *us = json_number_value(v);
    if (json_is_number(v) && isfinite(*us) && *us >= 0 && *us <= most)
        return TEG_OK;
    snprintf(what, sizeof what, "expected \"%s\" in microseconds, from 0",
             name);
    return fail(r, what);
}

static teg_status get_launches(const struct reader *r, const json_t *o,
                               int needed, uint32_t *times)
{
    const json_t *v = json_object_get(o, "launches");

    if (v == NULL && !needed)
        return TEG_OK;
    if (json_integer_value(v) < 1 || json_integer_value(v) > UINT32_MAX)
        return fail(r, "expected \"launches\" from 1 to 4294967295");
    *times = (uint32_t)json_integer_value(v);
    return TEG_OK;
}

static teg_status get_kernel(const struct reader *r, const json_t *o,
                             struct teg_score_entry *e)
{
    const json_t *v = json_object_get(o, "kernel");

    if (!json_is_integer(v) || json_integer_value(v) < 0 ||
        json_integer_value(v) >= r->kernels)
        return fail(r, "expected the place of an entry of \"kernels\", from "
                       "0, for \"kernel\"");
    e->number = (uint32_t)json_integer_value(v);
    e->kind = TEG_SCORE_LAUNCH;
    e->async = 1;
    return TEG_OK;
}

static teg_status get_range(const struct reader *r, const json_t *o,
                            struct teg_score_entry *e)
{
    const char *address = json_string_value(json_object_get(o, "address"));
    json_int_t bytes = json_integer_value(json_object_get(o, "bytes"));
    char *end = NULL;

    if (address != NULL && strncmp(address, "0x", 2) == 0)
        e->address = strtoull(address, &end, 16);
    if (end == NULL || end == address + 2 || *end != '\0')
        return fail(r, "expected \"address\" as a string \"0x...\"");
    if (bytes < 1 || (uint64_t)bytes > UINT64_MAX - e->address)
        return fail(r, "expected \"bytes\" of at least 1, up to the end of "
                       "the address space");
    e->bytes = (uint64_t)bytes;
    return TEG_OK;
}

/* `needed`, or, of a synchronisation, one that may be left out. */
static teg_status get_event(const struct reader *r, const json_t *o, int needed,
                            struct teg_score_entry *e)
{
    int64_t number = -1;

    TRY(get_number(r, o, "event", 0, TEG_SCORE_NONE - 1, &number));
    if (number < 0 && needed)
        return fail(r, "expected \"event\", a number from 0");
    e->number = number >= 0 ? (uint32_t)number : TEG_SCORE_NONE;
    return TEG_OK;
}

static teg_status get_graph(const struct reader *r, const json_t *o,
                            struct teg_score_entry *e)
{
    int64_t number = -1;
    char what[96];

    TRY(get_number(r, o, "graph", 0, UINT32_MAX, &number));
    if (number < 0 || number >= r->score->graphs) {
        snprintf(what, sizeof what,
                 "expected \"graph\", the place of one of %" PRIu32
                 " \"graphs\"",
                 r->score->graphs);
        return fail(r, what);
    }
    e->number = (uint32_t)number;
    e->async = 1;
    return get_launches(r, o, 0, &e->times);
}

/* Where a list says less than streams, a synchronisation is of all there is. */
static teg_status get_place(const struct reader *r, const json_t *o,
                            struct teg_score_entry *e)
{
    int64_t host = 0, stream = 0;

    TRY(get_number(r, o, "process", 0, 9999, &host));
    TRY(get_number(r, o, "stream", 0, INT64_MAX, &stream));
    e->host = (uint32_t)host;
    return teg_score_stream(r->score, e->host, stream, &e->stream, r->d);
}

/* ---- an entry ------------------------------------------------------------- */

static int find_word(const char *word)
{
    for (int i = 0; word != NULL && i < TEG_SCORE_KINDS; i++) {
        if (strcmp(word, teg_score_word(i)) == 0)
            return i;
    }
    return -1;
}

static teg_status fail_word(const struct reader *r)
{
    char what[320] = "expected \"kernel\", \"untraced\" or one of these for "
                     "\"what\":";

    for (int i = TEG_SCORE_LAUNCH + 1; i < TEG_SCORE_KINDS; i++) {
        size_t used = strlen(what);

        snprintf(what + used, sizeof what - used, " %s", teg_score_word(i));
    }
    return fail(r, what);
}

/* What is of its kind alone. */
static teg_status get_kind(const struct reader *r, const json_t *o,
                           struct teg_score_entry *e)
{
    switch ((enum teg_score_kind)e->kind) {
    case TEG_SCORE_COPY_TO_DEVICE:
    case TEG_SCORE_COPY_FROM_DEVICE:
    case TEG_SCORE_COPY_ON_DEVICE:
    case TEG_SCORE_COPY_PEER:
    case TEG_SCORE_SET:
    case TEG_SCORE_PAGES_TO_DEVICE:
    case TEG_SCORE_PREFETCH_TO_DEVICE:
    case TEG_SCORE_PREFETCH_TO_HOST:
    case TEG_SCORE_ALLOCATE:
    case TEG_SCORE_FREE:
        return get_range(r, o, e);
    case TEG_SCORE_RECORD:
    case TEG_SCORE_WAIT:
        return get_event(r, o, 1, e);
    case TEG_SCORE_SYNCHRONIZE:
        return get_event(r, o, 0, e);
    case TEG_SCORE_GRAPH:
        return get_graph(r, o, e);
    case TEG_SCORE_LAUNCH:
    case TEG_SCORE_HOST:
    case TEG_SCORE_NOTHING:
    case TEG_SCORE_KINDS:
        break;
    }
    return TEG_OK;
}

/* What may be more rows of the one before. */
static int has_rows(enum teg_score_kind kind)
{
    return kind == TEG_SCORE_COPY_TO_DEVICE ||
           kind == TEG_SCORE_COPY_FROM_DEVICE ||
           kind == TEG_SCORE_COPY_ON_DEVICE || kind == TEG_SCORE_COPY_PEER ||
           kind == TEG_SCORE_SET;
}

/* Whether a launch is synchronised with that of its stream, of its event or
 * of all. */
static int of_stream(const json_t *o)
{
    return json_object_get(o, "stream") != NULL;
}

/* `*known` is 0 for what an older list may have and nobody knows. */
static teg_status read_entry(const struct reader *r, const json_t *o,
                             struct teg_score_entry *e, int *known)
{
    int word = find_word(json_string_value(json_object_get(o, "what")));

    *known = 1;
    *e = (struct teg_score_entry){.kind = TEG_SCORE_NOTHING,
                                  .number = TEG_SCORE_NONE,
                                  .times = 1,
                                  .us = -1,
                                  .start_us = -1,
                                  .place = (uint32_t)r->place};
    if (!json_is_object(o))
        return fail(r, "expected an object");
    TRY(get_place(r, o, e));
    TRY(get_flag(r, o, "async", &e->async));
    TRY(get_flag(r, o, "pinned", &e->pinned));
    TRY(get_flag(r, o, "dependent", &e->dependent));
    TRY(get_flag(r, o, "part", &e->part));
    TRY(get_flag(r, o, "untimed", &e->untimed));
    TRY(get_time(r, o, "host_us", &e->host_us));
    TRY(get_time(r, o, "us", &e->us));
    TRY(get_time(r, o, "start_us", &e->start_us));
    if (e->part &&
        (json_object_get(o, "kernel") != NULL || word < 0 || !has_rows(word)))
        return fail(r, "expected \"part\" of a copy or a set only");
    if (json_object_get(o, "kernel") != NULL) {
        TRY(get_kernel(r, o, e));
        return get_launches(r, o, r->schema < TEG_SCORE_SCHEMA, &e->times);
    }
    if (word > TEG_SCORE_LAUNCH) {
        e->kind = (uint8_t)word;
        TRY(get_kind(r, o, e));
        if (e->kind == TEG_SCORE_SYNCHRONIZE && !of_stream(o))
            e->stream = TEG_SCORE_NONE;
        return TEG_OK;
    }
    *known = json_object_get(o, "untraced") != NULL;
    return *known || r->schema < TEG_SCORE_SCHEMA ? TEG_OK : fail_word(r);
}

/* ---- graphs --------------------------------------------------------------- */

/* Those of the edges that let a launch come before what it comes after has
 * ended: "dependent_on" names them once more. */
static teg_status read_early(const struct reader *r, const json_t *o,
                             struct teg_score_graph *g, uint32_t edges,
                             struct teg_score_entry *e)
{
    const json_t *lets = json_object_get(o, "dependent_on"), *v;
    uint8_t *more;
    size_t i;

    more = realloc(g->early, edges + 1);
    if (more == NULL)
        return teg_fail_memory(r->d);
    g->early = more;
    memset(&more[e->after], 0, edges - e->after);
    if (lets != NULL && (!json_is_array(lets) || e->kind != TEG_SCORE_LAUNCH))
        return fail(r, "expected an array of nodes for \"dependent_on\", of a "
                       "launch");
    json_array_foreach(lets, i, v)
    {
        uint32_t at = e->after;

        while (at < edges &&
               (!json_is_integer(v) || json_integer_value(v) != g->edge[at]))
            at++;
        if (at == edges)
            return fail(r, "expected nodes of \"after\" in \"dependent_on\"");
        more[at] = 1;
        e->dependent = 1;
    }
    return TEG_OK;
}

static teg_status read_after(const struct reader *r, const json_t *o,
                             struct teg_score_graph *g, uint32_t *edges,
                             struct teg_score_entry *e)
{
    const json_t *after = json_object_get(o, "after");
    size_t count = json_array_size(after);
    uint32_t *more;
    char what[96];

    if (after != NULL && !json_is_array(after))
        return fail(r, "expected an array of nodes for \"after\"");
    e->after = *edges;
    e->afters = (uint32_t)count;
    more = realloc(g->edge, (*edges + count + 1) * sizeof *more);
    if (more == NULL)
        return teg_fail_memory(r->d);
    g->edge = more;
    for (size_t i = 0; i < count; i++) {
        const json_t *v = json_array_get(after, i);

        if (!json_is_integer(v) || json_integer_value(v) < 0 ||
            json_integer_value(v) >= g->nodes ||
            (size_t)json_integer_value(v) == r->place) {
            snprintf(what, sizeof what,
                     "expected other nodes, from 0 to %" PRIu32
                     ", in \"after\"",
                     g->nodes - 1);
            return fail(r, what);
        }
        g->edge[(*edges)++] = (uint32_t)json_integer_value(v);
    }
    return read_early(r, o, g, *edges, e);
}

/* More rows of the node before come after that, and after nothing else. */
static teg_status read_part(const struct reader *r, const json_t *o,
                            struct teg_score_graph *g, uint32_t *edges,
                            struct teg_score_entry *e)
{
    uint32_t *more;

    if (e == g->node || e[-1].kind != e->kind ||
        json_object_get(o, "after") != NULL)
        return fail(r, "expected \"part\" right behind the copy or set that "
                       "it is more rows of, and without \"after\"");
    more = realloc(g->edge, (*edges + 1) * sizeof *more);
    if (more == NULL)
        return teg_fail_memory(r->d);
    g->edge = more;
    e->after = *edges;
    e->afters = 1;
    g->edge[(*edges)++] = (uint32_t)r->place - 1;
    return read_early(r, o, g, *edges, e);
}

/* How far a walk along the edges has come with each node. */
enum state {
    UNSEEN,
    OPEN,
    DONE,
};

struct walk {
    uint8_t *state;             /* enum state */
    uint32_t *stack, *followed; /* open nodes; edges of each that have been */
    uint32_t depth;
};

/* Goes on from the last open node; 1 if that closes a circle. */
static int follow(struct walk *w, const struct teg_score_graph *g)
{
    uint32_t n = w->stack[w->depth - 1], to;

    if (w->followed[n] == g->node[n].afters) {
        w->state[n] = DONE;
        w->depth--;
        return 0;
    }
    to = g->edge[g->node[n].after + w->followed[n]++];
    if (w->state[to] == UNSEEN) {
        w->state[to] = OPEN;
        w->stack[w->depth++] = to;
    }
    return w->state[to] == OPEN && to != w->stack[w->depth - 1];
}

static int has_circle(struct walk *w, const struct teg_score_graph *g,
                      size_t *place)
{
    for (*place = 0; *place < g->nodes; ++*place) {
        if (w->state[*place] != UNSEEN)
            continue;
        w->state[*place] = OPEN;
        w->stack[w->depth++] = (uint32_t)*place;
        while (w->depth != 0) {
            if (follow(w, g)) {
                *place = w->stack[w->depth - 1];
                return 1;
            }
        }
    }
    return 0;
}

static teg_status check_circle(struct reader *r,
                               const struct teg_score_graph *g)
{
    struct walk w = {
        .state = calloc(g->nodes + 1, 1),
        .stack = malloc((g->nodes + 1) * sizeof *w.stack),
        .followed = calloc(g->nodes + 1, sizeof *w.followed),
    };
    int room = w.state != NULL && w.stack != NULL && w.followed != NULL;
    int found = room && has_circle(&w, g, &r->place);

    free(w.state);
    free(w.stack);
    free(w.followed);
    if (!room)
        return teg_fail_memory(r->d);
    return found ? fail(r, "the node comes after itself: edges of \"after\" "
                           "form a circle")
                 : TEG_OK;
}

static int may_be_node(enum teg_score_kind kind)
{
    return kind != TEG_SCORE_GRAPH && kind != TEG_SCORE_SYNCHRONIZE &&
           kind != TEG_SCORE_WAIT;
}

static teg_status read_nodes(struct reader *r, const json_t *nodes,
                             struct teg_score_graph *g)
{
    uint32_t edges = 0;
    int known;

    for (r->place = 0; r->place < g->nodes; r->place++) {
        const json_t *o = json_array_get(nodes, r->place);
        struct teg_score_entry *e = &g->node[r->place];

        TRY(read_entry(r, o, e, &known));
        if (!may_be_node(e->kind))
            return fail(r, "expected a launch, a copy, a set or another "
                           "operation of the device in a graph");
        TRY(e->part ? read_part(r, o, g, &edges, e)
                    : read_after(r, o, g, &edges, e));
    }
    return check_circle(r, g);
}

static teg_status read_graphs(struct reader *r, const json_t *root)
{
    const json_t *graphs = json_object_get(root, "graphs");
    size_t count = json_array_size(graphs);

    r->array = "graphs";
    if (graphs != NULL && !json_is_array(graphs))
        return teg_fail(r->d, TEG_FORMAT, r->path,
                        "expected an array for \"graphs\"");
    r->score->graph = calloc(count + 1, sizeof *r->score->graph);
    if (r->score->graph == NULL)
        return teg_fail_memory(r->d);
    for (size_t i = 0; i < count; i++) {
        struct teg_score_graph *g = &r->score->graph[i];
        const json_t *nodes =
            json_object_get(json_array_get(graphs, i), "nodes");
        char array[48];

        r->place = i;
        if (!json_is_array(nodes))
            return fail(r, "expected an object with an array \"nodes\"");
        r->score->graphs = (uint32_t)i + 1;
        g->nodes = (uint32_t)json_array_size(nodes);
        g->node = calloc(g->nodes + 1, sizeof *g->node);
        if (g->node == NULL)
            return teg_fail_memory(r->d);
        snprintf(array, sizeof array, "graphs[%zu].nodes", i);
        r->array = array;
        TRY(read_nodes(r, nodes, g));
        r->array = "graphs";
    }
    return TEG_OK;
}

/* ---- streams -------------------------------------------------------------- */

static teg_status read_stream(const struct reader *r, const json_t *o)
{
    struct teg_score_stream *s;
    struct teg_score_entry e = {0};
    int64_t priority = 0;
    uint8_t nonblocking;

    if (!json_is_object(o) || json_object_get(o, "stream") == NULL)
        return fail(r, "expected an object with \"stream\", a number from 0");
    TRY(get_place(r, o, &e));
    TRY(get_number(r, o, "priority", INT32_MIN, INT32_MAX, &priority));
    TRY(get_flag(r, o, "nonblocking", &nonblocking));
    s = &r->score->stream[e.stream];
    s->priority = (int32_t)priority;
    s->nonblocking = nonblocking;
    return TEG_OK;
}

static teg_status read_streams(struct reader *r, const json_t *root)
{
    const json_t *streams = json_object_get(root, "streams"), *o;
    uint32_t standard;

    r->array = "streams";
    TRY(teg_score_stream(r->score, 0, 0, &standard, r->d));
    if (streams != NULL && !json_is_array(streams))
        return teg_fail(r->d, TEG_FORMAT, r->path,
                        "expected an array for \"streams\"");
    json_array_foreach(streams, r->place, o) TRY(read_stream(r, o));
    return TEG_OK;
}

/* ---- what entries say of each other --------------------------------------- */

/* Buffers that are allocated so far, by address. */
struct buffers {
    struct buffer {
        uint64_t address, bytes;
        uint32_t place;
    } * at; /* owned */
    size_t count, capacity;
};

/* The first that begins behind `address`. */
static size_t behind(const struct buffers *b, uint64_t address)
{
    size_t low = 0, high = b->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (b->at[middle].address <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static teg_status allocate(const struct reader *r, struct buffers *b,
                           const struct teg_score_entry *e)
{
    size_t at = behind(b, e->address);

    if (b->count == b->capacity) {
        size_t capacity = 2 * b->capacity + 64;
        struct buffer *more = realloc(b->at, capacity * sizeof *more);

        if (more == NULL)
            return teg_fail_memory(r->d);
        b->at = more;
        b->capacity = capacity;
    }
    memmove(&b->at[at + 1], &b->at[at], (b->count - at) * sizeof *b->at);
    b->at[at] = (struct buffer){e->address, e->bytes, e->place};
    b->count++;
    return TEG_OK;
}

static void release(struct buffers *b, uint64_t address)
{
    size_t at = behind(b, address);

    if (at == 0 || b->at[at - 1].address != address)
        return;
    memmove(&b->at[at - 1], &b->at[at], (b->count - at) * sizeof *b->at);
    b->count--;
}

static int touches(enum teg_score_kind kind)
{
    return kind == TEG_SCORE_COPY_TO_DEVICE ||
           kind == TEG_SCORE_COPY_FROM_DEVICE ||
           kind == TEG_SCORE_COPY_ON_DEVICE || kind == TEG_SCORE_SET;
}

/* In a buffer that is known it ends there at the latest. */
static teg_status check_range(const struct reader *r, const struct buffers *b,
                              const struct teg_score_entry *e)
{
    size_t at = behind(b, e->address);
    const struct buffer *in = at != 0 ? &b->at[at - 1] : NULL;
    uint64_t offset = in != NULL ? e->address - in->address : 0;
    char what[192];

    if (in == NULL || offset >= in->bytes || e->bytes <= in->bytes - offset)
        return TEG_OK;
    snprintf(what, sizeof what,
             "expected a range within the buffer of %" PRIu64
             " bytes of order[%" PRIu32 "], found %" PRIu64
             " bytes from its byte %" PRIu64,
             in->bytes, in->place, e->bytes, offset);
    return fail(r, what);
}

static teg_status check_one(const struct reader *r, struct buffers *b,
                            const struct teg_score_entry *e)
{
    if (e->kind == TEG_SCORE_ALLOCATE)
        return allocate(r, b, e);
    if (e->kind == TEG_SCORE_FREE)
        release(b, e->address);
    return touches(e->kind) ? check_range(r, b, e) : TEG_OK;
}

/* Nodes of a graph are held against what is allocated when it is launched
 * first. */
static teg_status check_ranges(struct reader *r, struct buffers *b)
{
    const struct teg_score *s = r->score;
    uint8_t *seen = calloc(s->graphs + 1, 1);
    teg_status status = seen != NULL ? TEG_OK : teg_fail_memory(r->d);

    for (size_t i = 0; status == TEG_OK && i < s->entries; i++) {
        const struct teg_score_entry *e = &s->entry[i];

        r->place = e->place;
        status = check_one(r, b, e);
        if (e->kind != TEG_SCORE_GRAPH || seen[e->number])
            continue;
        seen[e->number] = 1;
        for (uint32_t n = 0; status == TEG_OK && n < s->graph[e->number].nodes;
             n++)
            status = check_one(r, b, &s->graph[e->number].node[n]);
    }
    free(seen);
    return status;
}

static int compare_events(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static teg_status find_unrecorded(struct reader *r, const uint32_t *recorded,
                                  size_t count)
{
    char what[96];

    for (size_t i = 0; i < r->score->entries; i++) {
        const struct teg_score_entry *e = &r->score->entry[i];

        if ((e->kind != TEG_SCORE_WAIT && e->kind != TEG_SCORE_SYNCHRONIZE) ||
            e->number == TEG_SCORE_NONE ||
            bsearch(&e->number, recorded, count, sizeof *recorded,
                    compare_events) != NULL)
            continue;
        r->place = e->place;
        snprintf(what, sizeof what,
                 "waits for event %" PRIu32 ", which nothing records",
                 e->number);
        return fail(r, what);
    }
    return TEG_OK;
}

/* Adds the events that `entries` record to `recorded`, and those of graphs
 * that are launched there for the first time. */
static void note_recorded(const struct teg_score *s,
                          const struct teg_score_entry *entry, size_t entries,
                          uint8_t *launched, uint32_t *recorded, size_t *count)
{
    for (size_t i = 0; i < entries; i++) {
        const struct teg_score_entry *e = &entry[i];

        if (e->kind == TEG_SCORE_RECORD)
            recorded[(*count)++] = e->number;
        if (e->kind != TEG_SCORE_GRAPH || launched[e->number])
            continue;
        launched[e->number] = 1;
        note_recorded(s, s->graph[e->number].node, s->graph[e->number].nodes,
                      launched, recorded, count);
    }
}

static teg_status check_events(struct reader *r)
{
    const struct teg_score *s = r->score;
    size_t count = 0, most = s->entries;
    uint8_t *launched = calloc(s->graphs + 1, 1);
    uint32_t *recorded;
    teg_status status = TEG_OK;

    for (uint32_t g = 0; g < s->graphs; g++)
        most += s->graph[g].nodes;
    recorded = malloc((most + 1) * sizeof *recorded);
    if (launched == NULL || recorded == NULL)
        status = teg_fail_memory(r->d);
    if (status == TEG_OK) {
        note_recorded(s, s->entry, s->entries, launched, recorded, &count);
        qsort(recorded, count, sizeof *recorded, compare_events);
        status = find_unrecorded(r, recorded, count);
    }
    free(launched);
    free(recorded);
    return status;
}

/* ---- all of it ------------------------------------------------------------ */

static teg_status read_order(struct reader *r, const json_t *root)
{
    const json_t *order = json_object_get(root, "order"), *o;
    struct teg_score_entry e;
    int64_t untraced;
    int known;

    r->array = "order";
    if (order != NULL && !json_is_array(order))
        return teg_fail(r->d, TEG_FORMAT, r->path,
                        "expected an array for \"order\", found %s",
                        json_is_string(order)   ? "a string"
                        : json_is_object(order) ? "an object"
                                                : "something else");
    if (json_array_size(order) > TEG_SCORE_ENTRIES_MAX)
        return teg_fail(r->d, TEG_LIMIT, r->path,
                        "expected at most %d entries of \"order\", found %zu",
                        TEG_SCORE_ENTRIES_MAX, json_array_size(order));
    json_array_foreach(order, r->place, o)
    {
        TRY(read_entry(r, o, &e, &known));
        if (!known)
            continue;
        untraced = 0;
        TRY(get_number(r, o, "untraced", 0, UINT32_MAX, &untraced));
        if (e.kind == TEG_SCORE_NOTHING)
            r->score->untraced += (uint64_t)untraced;
        TRY(teg_score_add(r->score, e, r->d));
    }
    return TEG_OK;
}

teg_status teg_scorejson_read(const char *path, const json_t *root,
                              int64_t schema, uint32_t kernels,
                              struct teg_score *score, struct teg_diag *d)
{
    struct reader r = {.path = path,
                       .score = score,
                       .schema = schema,
                       .kernels = kernels,
                       .d = d};
    struct buffers buffers = {0};
    teg_status status;

    *score = (struct teg_score){0};
    TRY(read_streams(&r, root));
    TRY(read_graphs(&r, root));
    TRY(read_order(&r, root));
    TRY(check_events(&r));
    status = check_ranges(&r, &buffers);
    free(buffers.at);
    return status;
}

/* ---- entries one by one --------------------------------------------------- */

static struct reader reader_alone(struct teg_score *score, const char *array,
                                  size_t place, struct teg_diag *d)
{
    return (struct reader){.path = "",
                           .score = score,
                           .schema = TEG_SCORE_SCHEMA,
                           .kernels = UINT32_MAX,
                           .array = array,
                           .place = place,
                           .d = d};
}

teg_status teg_scorejson_entry(const json_t *entry, struct teg_score *score,
                               struct teg_score_entry *read, struct teg_diag *d)
{
    const struct reader r = reader_alone(score, "order", 0, d);
    int known;

    return read_entry(&r, entry, read, &known);
}

teg_status teg_scorejson_node(const json_t *node, struct teg_score *score,
                              struct teg_score_graph *g, uint32_t *edges,
                              struct teg_diag *d)
{
    const struct reader r = reader_alone(score, "nodes", g->nodes, d);
    struct teg_score_entry *more =
                               realloc(g->node, (g->nodes + 1) * sizeof *more),
                           *e;
    int known;

    if (more == NULL)
        return teg_fail_memory(d);
    g->node = more;
    e = &more[g->nodes];
    TRY(read_entry(&r, node, e, &known));
    TRY(e->part ? read_part(&r, node, g, edges, e)
                : read_after(&r, node, g, edges, e));
    g->nodes++;
    return TEG_OK;
}
