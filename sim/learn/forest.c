#include "sim/learn/forest.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "isa/base/buffer.h"

enum {
    VERSION = 2, /* and those before; an estimate came with 2 */
    HEAD_BYTES = 32,
    CHECKED_FROM = 16,    /* the checksum is of what follows */
    INFLATION_MAX = 1032, /* what a zlib stream can expand to at most */
    MODELS_MAX = 1024,
    TREES_MAX = 1 << 20,
    TREE_NODES_MAX = 1 << 22, /* a link has 24 bits for a slot, and lines
                                 may be half empty */
    LEAVES_MAX = 1 << 24,     /* a float counts exactly so far */
    TEXT_MAX = 4096,
    NODE_BYTES_MIN = 2, /* in the file: a leaf */
    TOGETHER = 128,     /* trees descended at once */
    STEPS = 4,          /* between looks at which of them are at a leaf */
    LINE_NODES = 8,     /* of a cache line: 64 bytes */
    LINE_PAIRS = LINE_NODES / 2,
    PAGE_NODES = 512, /* 4096 bytes */
    LEAF = 255,       /* feature of a leaf; its value is always -INF */
    TERMS_MAX = 64,   /* of an estimate */
    FACTORS_MAX = 4,
};

static const char magic[8] = {'t', 'e', 'g', 't', 'r', 'e', 'e', 's'};

/*
 * link: distance << 8 | feature.  A step goes so many nodes on if the feature
 * is not above the threshold, else one more.  A leaf's feature is -INF and its
 * distance 0, so that a step from it stays; its threshold is the number of its
 * value.
 */
struct node {
    float threshold;
    uint32_t link;
};

/* Of an estimate: its coefficient times the features. */
struct term {
    double coefficient;
    uint32_t factors;
    uint8_t feature[FACTORS_MAX];
};

struct model {
    struct teg_forest_model facts;
    struct term *term; /* owned, [terms] */
    uint32_t terms;
    double *least, *greatest; /* owned, [features] */
    double *leaf;             /* owned, [leaves] */
    uint32_t leaves;
    uint64_t *root;    /* owned, [facts.trees]: slots */
    struct node *node; /* owned, [slots], lines of LINE_NODES */
    uint64_t slots, capacity;
};

struct teg_forest {
    char trained_on[TEXT_MAX];
    uint32_t features;
    char name[TEG_FOREST_FEATURES_MAX][64];
    double usual[TEG_FOREST_FEATURES_MAX];
    struct model *model; /* owned, [models] */
    uint32_t models;
};

/* ---- reading: one tree ------------------------------------------------------ */

/* A node in the order of the file: parent, left subtree, right subtree. */
struct raw_node {
    uint32_t feature; /* LEAF: a leaf */
    float threshold;  /* of a leaf: the number of its value */
    uint32_t right;   /* index; the left child stands behind its parent */
};

/* Room for one tree while it is read. */
struct scratch {
    struct raw_node *raw; /* owned, [capacity], as are the next three */
    uint32_t *open;       /* splits whose right child is still to come; once
                             all have come: splits that begin a page */
    uint32_t *queue;      /* splits that begin a line */
    uint32_t *at;         /* slot of each node */
    uint32_t capacity;
};

static void scratch_release(struct scratch *s)
{
    free(s->raw);
    free(s->open);
    free(s->queue);
    free(s->at);
}

static teg_status scratch_reserve(struct scratch *s, uint32_t count,
                                  struct teg_diag *d)
{
    if (count <= s->capacity)
        return TEG_OK;
    scratch_release(s);
    *s = (struct scratch){
        .raw = malloc(count * sizeof *s->raw),
        .open = malloc(count * sizeof *s->open),
        .queue = malloc(count * sizeof *s->queue),
        .at = malloc(count * sizeof *s->at),
        .capacity = count,
    };
    if (s->raw == NULL || s->open == NULL || s->queue == NULL || s->at == NULL)
        return teg_fail_memory(d);
    return TEG_OK;
}

static teg_status fail(const struct teg_walk *w, struct teg_diag *d,
                       const char *expected, uint64_t found)
{
    return teg_fail_byte(d, TEG_FORMAT, w->path, teg_walk_position(w),
                         "expected %s, found %" PRIu64, expected, found);
}

static teg_status read_node(struct teg_walk *w, uint32_t features,
                            uint32_t leaves, struct raw_node *n,
                            struct teg_diag *d)
{
    uint8_t kind;
    uint32_t bits;
    uint64_t v;

    TRY(teg_walk_u8(w, &kind, d));
    if (kind == 0) {
        n->feature = LEAF;
        TRY(teg_walk_bounded(w, leaves - 1, "number of a leaf's value", &v, d));
        n->threshold = (float)v;
        return TEG_OK;
    }
    if (kind > features)
        return fail(w, d, "a feature of the list", kind - 1u);
    n->feature = kind - 1u;
    TRY(teg_walk_u32(w, &bits, d));
    memcpy(&n->threshold, &bits, sizeof bits);
    if (!isfinite(n->threshold))
        return fail(w, d, "a finite threshold", bits);
    return TEG_OK;
}

/* Reads `count` nodes that must be exactly one tree. */
static teg_status read_nodes(struct teg_walk *w, uint32_t features,
                             uint32_t leaves, struct scratch *s, uint32_t count,
                             struct teg_diag *d)
{
    uint32_t open = 0;

    for (uint32_t i = 0; i < count; i++) {
        TRY(read_node(w, features, leaves, &s->raw[i], d));
        if (s->raw[i].feature != LEAF) {
            s->open[open++] = i;
            continue;
        }
        if (open == 0 && i + 1 != count)
            return fail(w, d, "the tree's last node to be its last leaf",
                        count - i - 1);
        if (open == 0)
            return TEG_OK;
        open--;
        s->raw[s->open[open]].right = i + 1;
    }
    return fail(w, d, "a tree whose splits have two children, missing ones",
                open + 1u);
}

/* The nodes whose children share a line with those of `top`, breadth first:
 * at most LINE_PAIRS, into `group`. */
static uint32_t gather(const struct scratch *s, uint32_t top,
                       uint32_t group[LINE_PAIRS])
{
    uint32_t count = 1;

    group[0] = top;
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t child[2] = {group[i] + 1, s->raw[group[i]].right};

        for (int k = 0; k < 2 && count < LINE_PAIRS; k++) {
            if (s->raw[child[k]].feature != LEAF)
                group[count++] = child[k];
        }
    }
    return count;
}

/* Queues the children of `parent` that split and are not in the group. */
static uint32_t queue_below(struct scratch *s, const uint32_t *group,
                            uint32_t pairs, uint32_t parent, uint32_t queued)
{
    const uint32_t child[2] = {parent + 1, s->raw[parent].right};

    for (int k = 0; k < 2; k++) {
        int inside = s->raw[child[k]].feature == LEAF;

        for (uint32_t i = 0; i < pairs; i++)
            inside |= group[i] == child[k];
        if (!inside)
            s->queue[queued++] = child[k];
    }
    return queued;
}

static void put(struct node *out, struct scratch *s, uint32_t raw, uint32_t at)
{
    const struct raw_node *n = &s->raw[raw];

    s->at[raw] = at;
    out[at] = (struct node){n->threshold, n->feature};
}

/* Siblings side by side, and by cache lines: the children of `top`, theirs,
 * and as many more as a line has room for, so that a descent meets a new line
 * every second or third step.  Queues what begins the next lines.  Returns
 * the slot behind them. */
static uint32_t lay_out_line(struct scratch *s, struct node *out, uint32_t top,
                             uint32_t slot, uint32_t *queued)
{
    uint32_t group[LINE_PAIRS];
    uint32_t pairs = gather(s, top, group);

    for (; slot % LINE_NODES + 2 * pairs > LINE_NODES && slot % LINE_NODES;
         slot++)
        out[slot] = (struct node){0, 0};
    for (uint32_t k = 0; k < pairs; k++, slot += 2) {
        uint32_t parent = s->at[group[k]];

        out[parent].link |= (slot - parent) << 8;
        put(out, s, group[k] + 1, slot);
        put(out, s, s->raw[group[k]].right, slot + 1);
    }
    for (uint32_t k = 0; k < pairs; k++)
        *queued = queue_below(s, group, pairs, group[k], *queued);
    return slot;
}

/* Lines in breadth-first order as far as a page has room; what hangs below it
 * begins other pages, or shares them if it is little.  So a descent meets a
 * new page every seventh step or so, and pages count: the translation of
 * their addresses is cached for fewer than a large forest has.  Returns the
 * slots used, a whole number of lines. */
static uint32_t lay_out(struct scratch *s, struct node *out)
{
    uint32_t *page = s->open, pages = 0, slot = 2;

    out[1] = (struct node){0, 0}; /* beside the root: nothing */
    put(out, s, 0, 0);
    if (s->raw[0].feature != LEAF)
        page[pages++] = 0;
    for (uint32_t p = 0; p < pages; p++) {
        uint32_t begin = slot, queued = 1, i;

        s->queue[0] = page[p];
        for (i = 0; i < queued && slot - begin < PAGE_NODES; i++)
            slot = lay_out_line(s, out, s->queue[i], slot, &queued);
        for (; i < queued; i++)
            page[pages++] = s->queue[i];
    }
    for (; slot % LINE_NODES; slot++)
        out[slot] = (struct node){0, 0};
    return slot;
}

/* ---- reading: a model ---------------------------------------------------------- */

static teg_status read_double(struct teg_walk *w, double *v, struct teg_diag *d)
{
    uint64_t bits;

    TRY(teg_walk_u64(w, &bits, d));
    memcpy(v, &bits, sizeof bits);
    return TEG_OK;
}

static teg_status read_finite(struct teg_walk *w, double *v, struct teg_diag *d)
{
    uint64_t bits;

    TRY(read_double(w, v, d));
    memcpy(&bits, v, sizeof bits);
    return isfinite(*v) ? TEG_OK : fail(w, d, "a finite number", bits);
}

/* A count whose items take at least `bytes_each` of what is left. */
static teg_status read_count(struct teg_walk *w, uint64_t max,
                             size_t bytes_each, const char *what, uint32_t *v,
                             struct teg_diag *d)
{
    uint64_t count, room = teg_walk_left(w) / bytes_each;

    TRY(teg_walk_bounded(w, max < room ? max : room, what, &count, d));
    if (count == 0)
        return teg_fail_byte(d, TEG_FORMAT, w->path, teg_walk_position(w),
                             "expected at least one in the %s", what);
    *v = (uint32_t)count;
    return TEG_OK;
}

static teg_status read_ranges(struct teg_walk *w, struct model *m,
                              uint32_t features, struct teg_diag *d)
{
    m->least = malloc(features * sizeof *m->least);
    m->greatest = malloc(features * sizeof *m->greatest);
    if (m->least == NULL || m->greatest == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < features; i++) {
        TRY(read_finite(w, &m->least[i], d));
        TRY(read_finite(w, &m->greatest[i], d));
    }
    return TEG_OK;
}

static teg_status read_term(struct teg_walk *w, uint32_t features,
                            struct term *t, struct teg_diag *d)
{
    uint64_t v;

    TRY(read_finite(w, &t->coefficient, d));
    TRY(teg_walk_bounded(w, FACTORS_MAX, "number of a product's features", &v,
                         d));
    t->factors = (uint32_t)v;
    for (uint32_t i = 0; i < t->factors && i < FACTORS_MAX; i++) {
        TRY(teg_walk_bounded(w, features - 1, "number of a feature", &v, d));
        t->feature[i] = (uint8_t)v;
    }
    return TEG_OK;
}

static teg_status read_estimate(struct teg_walk *w, struct model *m,
                                uint32_t features, struct teg_diag *d)
{
    if (!m->facts.is_over)
        return TEG_OK;
    TRY(read_count(w, TERMS_MAX, 8 + 1, "number of an estimate's terms",
                   &m->terms, d));
    m->term = calloc(m->terms, sizeof *m->term);
    if (m->term == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < m->terms; i++)
        TRY(read_term(w, features, &m->term[i], d));
    return TEG_OK;
}

static teg_status read_facts(struct teg_walk *w, uint32_t version,
                             struct teg_forest_model *f, struct teg_diag *d)
{
    uint8_t scale;

    TRY(teg_walk_string(w, f->gpu, sizeof f->gpu, d));
    TRY(teg_walk_string(w, f->target, sizeof f->target, d));
    TRY(teg_walk_string(w, f->unit, sizeof f->unit, d));
    TRY(teg_walk_u8(w, &scale, d));
    if (scale > version)
        return fail(w, d,
                    version == 1 ? "0 or 1 for the scale"
                                 : "0, 1 or 2 for the scale",
                    scale);
    f->is_log = scale > 0;
    f->is_over = scale == 2;
    TRY(teg_walk_varint(w, &f->samples, d));
    TRY(read_finite(w, &f->target_min, d));
    TRY(read_finite(w, &f->target_max, d));
    TRY(read_double(w, &f->sample_out_percent, d));
    return read_double(w, &f->kernel_out_percent, d);
}

static teg_status read_leaves(struct teg_walk *w, struct model *m,
                              struct teg_diag *d)
{
    TRY(read_count(w, LEAVES_MAX, 8, "number of leaf values", &m->leaves, d));
    m->leaf = malloc(m->leaves * sizeof *m->leaf);
    if (m->leaf == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < m->leaves; i++)
        TRY(read_finite(w, &m->leaf[i], d));
    return TEG_OK;
}

/* Room for the slots of one more tree.  Two groups with a gap between them
 * fill more than one line, so at most half of the slots are gaps. */
static teg_status reserve_slots(struct model *m, uint32_t count,
                                struct teg_diag *d)
{
    uint64_t need = m->slots + 2 * (uint64_t)count + 2 * LINE_NODES;
    uint64_t capacity = 2 * m->capacity > need ? 2 * m->capacity : need;
    struct node *grown;

    if (need <= m->capacity)
        return TEG_OK;
    grown = realloc(m->node, (size_t)capacity * sizeof *grown);
    if (grown == NULL)
        return teg_fail_memory(d);
    m->node = grown;
    m->capacity = capacity;
    return TEG_OK;
}

static teg_status read_trees(struct teg_walk *w, struct model *m,
                             uint32_t features, struct scratch *s,
                             struct teg_diag *d)
{
    TRY(read_count(w, TREES_MAX, 1 + NODE_BYTES_MIN, "number of trees",
                   &m->facts.trees, d));
    m->root = malloc(m->facts.trees * sizeof *m->root);
    if (m->root == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < m->facts.trees; i++) {
        uint32_t count;

        TRY(read_count(w, TREE_NODES_MAX - 1, NODE_BYTES_MIN, "number of nodes",
                       &count, d));
        TRY(scratch_reserve(s, count, d));
        TRY(read_nodes(w, features, m->leaves, s, count, d));
        TRY(reserve_slots(m, count, d));
        m->root[i] = m->slots;
        m->slots += lay_out(s, m->node + m->slots);
        m->facts.nodes += count;
    }
    return TEG_OK;
}

/* To where cache lines begin. */
static teg_status align_nodes(struct model *m, struct teg_diag *d)
{
    size_t bytes = (size_t)m->slots * sizeof *m->node;
    struct node *aligned = aligned_alloc(LINE_NODES * sizeof *aligned, bytes);

    if (aligned == NULL)
        return teg_fail_memory(d);
    memcpy(aligned, m->node, bytes);
    free(m->node);
    m->node = aligned;
    return TEG_OK;
}

static teg_status read_model(struct teg_walk *w, uint32_t version,
                             struct model *m, uint32_t features,
                             struct scratch *s, struct teg_diag *d)
{
    TRY(read_facts(w, version, &m->facts, d));
    TRY(read_ranges(w, m, features, d));
    TRY(read_estimate(w, m, features, d));
    TRY(read_leaves(w, m, d));
    TRY(read_trees(w, m, features, s, d));
    return align_nodes(m, d);
}

/* ---- reading: the file ------------------------------------------------------------ */

static teg_status read_features(struct teg_walk *w, struct teg_forest *f,
                                struct teg_diag *d)
{
    TRY(read_count(w, TEG_FOREST_FEATURES_MAX, 1 + 8, "number of features",
                   &f->features, d));
    for (uint32_t i = 0; i < f->features; i++) {
        TRY(teg_walk_string(w, f->name[i], sizeof f->name[i], d));
        TRY(read_finite(w, &f->usual[i], d));
    }
    return TEG_OK;
}

static teg_status read_payload(struct teg_walk *w, uint32_t version,
                               struct teg_forest *f, struct teg_diag *d)
{
    struct scratch s = {0};
    teg_status status = TEG_OK;
    uint32_t models;

    TRY(teg_walk_string(w, f->trained_on, sizeof f->trained_on, d));
    TRY(read_features(w, f, d));
    TRY(read_count(w, MODELS_MAX, 1, "number of models", &models, d));
    f->model = calloc(models, sizeof *f->model);
    if (f->model == NULL)
        return teg_fail_memory(d);
    f->models = models;
    for (uint32_t i = 0; status == TEG_OK && i < models; i++)
        status = read_model(w, version, &f->model[i], f->features, &s, d);
    scratch_release(&s);
    if (status == TEG_OK && teg_walk_left(w) != 0)
        return fail(w, d, "the end, bytes left", teg_walk_left(w));
    return status;
}

struct head {
    uint32_t version;
    uint64_t packed, unpacked;
};

static teg_status read_head(struct teg_walk *w, const uint8_t *bytes,
                            size_t size, struct head *h, struct teg_diag *d)
{
    const uint8_t *begin;
    uint32_t checksum, found;

    if (size < sizeof magic || memcmp(bytes, magic, sizeof magic) != 0)
        return teg_fail_byte(d, TEG_FORMAT, w->path, 0,
                             "expected a forest, found no \"%.8s\"", magic);
    TRY(teg_walk_bytes(w, sizeof magic, &begin, d));
    TRY(teg_walk_u32(w, &h->version, d));
    if (h->version < 1 || h->version > VERSION)
        return teg_fail_byte(
            d, TEG_FORMAT, w->path, sizeof magic,
            "expected version 1 to %d of the format, found %" PRIu32, VERSION,
            h->version);
    TRY(teg_walk_u32(w, &checksum, d));
    TRY(teg_walk_u64(w, &h->packed, d));
    TRY(teg_walk_u64(w, &h->unpacked, d));
    if (teg_walk_left(w) != h->packed)
        return teg_fail_byte(d, TEG_FORMAT, w->path, HEAD_BYTES,
                             "expected %" PRIu64 " bytes to follow, found %zu",
                             h->packed, teg_walk_left(w));
    found = (uint32_t)crc32_z(0, bytes + CHECKED_FROM, size - CHECKED_FROM);
    if (found != checksum)
        return teg_fail_byte(d, TEG_FORMAT, w->path, sizeof magic + 4,
                             "expected checksum %08" PRIx32 ", found %08" PRIx32
                             ": the file was altered",
                             checksum, found);
    if (h->unpacked / INFLATION_MAX > h->packed || h->unpacked > SIZE_MAX / 8)
        return teg_fail_byte(d, TEG_FORMAT, w->path, HEAD_BYTES - 8,
                             "expected at most %d times the bytes that follow, "
                             "found %" PRIu64,
                             INFLATION_MAX, h->unpacked);
    return TEG_OK;
}

/* `*out` is the caller's to free. */
static teg_status inflate_payload(struct teg_walk *w, const struct head *h,
                                  uint8_t **out, struct teg_diag *d)
{
    const uint8_t *packed;
    uLongf size = (uLongf)h->unpacked;

    TRY(teg_walk_bytes(w, (size_t)h->packed, &packed, d));
    *out = malloc((size_t)h->unpacked + 1);
    if (*out == NULL)
        return teg_fail_memory(d);
    if (uncompress(*out, &size, packed, (uLong)h->packed) == Z_OK &&
        size == h->unpacked)
        return TEG_OK;
    free(*out);
    return teg_fail_byte(d, TEG_FORMAT, w->path, HEAD_BYTES,
                         "expected a zlib stream of %" PRIu64 " bytes",
                         h->unpacked);
}

teg_status teg_forest_open_memory(const char *name, const uint8_t *bytes,
                                  size_t size, struct teg_forest **forest,
                                  struct teg_diag *d)
{
    struct teg_walk file, payload;
    struct head head;
    struct teg_forest *f;
    teg_status status;
    uint8_t *data;

    teg_walk_init(&file, bytes, size, name, 0);
    TRY(read_head(&file, bytes, size, &head, d));
    TRY(inflate_payload(&file, &head, &data, d));
    f = calloc(1, sizeof *f);
    if (f == NULL) {
        free(data);
        return teg_fail_memory(d);
    }
    teg_walk_init(&payload, data, (size_t)head.unpacked, name, 0);
    status = read_payload(&payload, head.version, f, d);
    free(data);
    if (status == TEG_OK)
        *forest = f;
    else
        teg_forest_free(f);
    return status;
}

teg_status teg_forest_open(const char *path, struct teg_forest **forest,
                           struct teg_diag *d)
{
    struct teg_buffer file = {0};
    teg_status status;

    TRY(teg_buffer_file(&file, path, d));
    status = teg_forest_open_memory(path, file.data, file.size, forest, d);
    teg_buffer_release(&file);
    return status;
}

void teg_forest_free(struct teg_forest *forest)
{
    if (forest == NULL)
        return;
    for (uint32_t i = 0; i < forest->models; i++) {
        struct model *m = &forest->model[i];

        free(m->term);
        free(m->least);
        free(m->greatest);
        free(m->leaf);
        free(m->root);
        free(m->node);
    }
    free(forest->model);
    free(forest);
}

/* ---- what is in it ---------------------------------------------------------------- */

const char *teg_forest_trained_on(const struct teg_forest *forest)
{
    return forest->trained_on;
}

uint32_t teg_forest_features(const struct teg_forest *forest)
{
    return forest->features;
}

const char *teg_forest_feature(const struct teg_forest *forest, uint32_t i)
{
    return forest->name[i];
}

double teg_forest_usual(const struct teg_forest *forest, uint32_t i)
{
    return forest->usual[i];
}

uint32_t teg_forest_models(const struct teg_forest *forest)
{
    return forest->models;
}

const struct teg_forest_model *teg_forest_model(const struct teg_forest *forest,
                                                uint32_t model)
{
    return &forest->model[model].facts;
}

void teg_forest_range(const struct teg_forest *forest, uint32_t model,
                      uint32_t i, double *least, double *greatest)
{
    *least = forest->model[model].least[i];
    *greatest = forest->model[model].greatest[i];
}

/* ---- evaluation -------------------------------------------------------------------- */

/* Trees on their way down, at most TOGETHER of them. */
struct descent {
    const struct node *at[TOGETHER]; /* where the trees still on the way are */
    uint8_t tree[TOGETHER];          /* which those are */
    const struct node *leaf[TOGETHER]; /* where each tree arrived */
    uint32_t open;                     /* how many are on the way */
};

/* One step for each tree.  The next node of a tree is asked for here and read
 * when the others have made their step: their cache misses overlap. */
static void step_all(struct descent *d, const float x[LEAF + 1])
{
    for (uint32_t i = 0; i < d->open; i++) {
        const struct node *n = d->at[i];

        n += (n->link >> 8) + (x[n->link & 0xff] > n->threshold);
        __builtin_prefetch(n);
        d->at[i] = n;
    }
}

/* Keeps the trees that are not at a leaf.  Without a branch: which they are
 * cannot be foreseen. */
static void drop_arrived(struct descent *d)
{
    uint32_t open = 0;

    for (uint32_t i = 0; i < d->open; i++) {
        const struct node *n = d->at[i];

        d->leaf[d->tree[i]] = n;
        d->at[open] = n;
        d->tree[open] = d->tree[i];
        open += (n->link & 0xff) != LEAF;
    }
    d->open = open;
}

/* Descends trees `from` .. `from + count - 1` at once; `value` gets their
 * leaves' values. */
static void descend(const struct model *m, const float x[LEAF + 1],
                    uint32_t from, uint32_t count, double value[TOGETHER])
{
    struct descent d = {.open = count};

    for (uint32_t k = 0; k < count; k++) {
        d.at[k] = m->node + m->root[from + k];
        d.tree[k] = (uint8_t)k;
    }
    while (d.open > 0) {
        for (int i = 0; i < STEPS; i++)
            step_all(&d, x);
        drop_arrived(&d);
    }
    for (uint32_t k = 0; k < count; k++)
        value[k] = m->leaf[(uint32_t)d.leaf[k]->threshold];
}

/* Features far beyond the training data may multiply to more than a double
 * holds: no value is above the largest. */
static double bounded(double v)
{
    return v < DBL_MAX ? v : DBL_MAX;
}

/* The sum of the terms, and never less than the least target. */
static double estimate(const struct model *m, const float *x)
{
    double sum = 0;

    if (!m->facts.is_over)
        return 1;
    for (uint32_t i = 0; i < m->terms; i++) {
        double product = m->term[i].coefficient;

        for (uint32_t k = 0; k < m->term[i].factors; k++)
            product *= (double)x[m->term[i].feature[k]];
        sum += product;
    }
    return sum > m->facts.target_min ? bounded(sum) : m->facts.target_min;
}

static double unscaled(const struct teg_forest_model *facts, double v,
                       double over)
{
    return facts->is_log ? bounded(exp(v) * over) : v;
}

void teg_forest_evaluate(const struct teg_forest *forest, uint32_t model,
                         const float *x, struct teg_forest_estimate *e)
{
    const struct model *m = &forest->model[model];
    const uint32_t trees = m->facts.trees;
    double value[TOGETHER], sum = 0, squares = 0, first = 0, variance;
    float padded[LEAF + 1] = {0};

    memcpy(padded, x, forest->features * sizeof *x);
    padded[LEAF] = -INFINITY;
    for (uint32_t from = 0; from < trees; from += TOGETHER) {
        uint32_t count = trees - from < TOGETHER ? trees - from : TOGETHER;

        descend(m, padded, from, count, value);
        if (from == 0)
            first = value[0];
        for (uint32_t k = 0; k < count; k++) {
            double off = value[k] - first;

            sum += value[k];
            squares += off * off;
        }
    }
    e->mean = sum / trees;
    variance = squares / trees - (e->mean - first) * (e->mean - first);
    e->spread = variance > 0 ? sqrt(variance) : 0;
    e->over = estimate(m, x);
    e->value = unscaled(&m->facts, e->mean, e->over);
    e->low = unscaled(&m->facts, e->mean - e->spread, e->over);
    e->high = unscaled(&m->facts, e->mean + e->spread, e->over);
}
