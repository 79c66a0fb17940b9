#include "tools/cusparse/sort.h"

enum {
    SCAN_TILE = SPARSE_THREADS * SPARSE_SCAN_ITEMS,
    SORT_TILE = SPARSE_THREADS * SPARSE_SORT_ITEMS,
};

static int64_t tiles(int64_t n, int64_t tile)
{
    return (n + tile - 1) / tile;
}

size_t scan_bytes(int64_t n)
{
    return (size_t)tiles(n, SCAN_TILE) * sizeof(int64_t);
}

int scan(const struct sparse *s, void *items, int64_t n, int wide, void *sums)
{
    struct sparse_scan args = {items, sums, n};
    struct sparse_grid grid = {.items = tiles(n, SCAN_TILE) * SPARSE_THREADS};

    NEED(sparse_launch(s, KERNELS_MOVE,
                       wide ? "teg_cusparse_scan_sums_64"
                            : "teg_cusparse_scan_sums_32",
                       0, &grid, &args));
    return sparse_launch(s, KERNELS_MOVE,
                         wide ? "teg_cusparse_scan_64" : "teg_cusparse_scan_32",
                         0, &grid, &args);
}

void sorter_init(struct sorter *o, int64_t n, struct sparse_room *room)
{
    int64_t counts = tiles(n, SORT_TILE) * SPARSE_DIGITS;

    *o = (struct sorter){.n = n};
    for (int i = 0; i < 2; i++) {
        o->keys[i] = sparse_part(room, (uint64_t)n * sizeof *o->keys[i]);
        o->order[i] = sparse_part(room, (uint64_t)n * sizeof *o->order[i]);
    }
    o->counts = sparse_part(room, (uint64_t)counts * sizeof *o->counts);
    o->sums = sparse_part(room, scan_bytes(counts));
}

int sorter_sort(const struct sparse *s, struct sorter *o, const void *keys,
                uint64_t most, int again)
{
    struct sparse_grid grid = {.items =
                                   tiles(o->n, SORT_TILE) * SPARSE_THREADS};
    struct sparse_sort args = {.counts = o->counts, .n = (unsigned)o->n};
    int shift = 0;

    do {
        args.keys = keys != NULL ? keys : o->keys[o->at];
        args.order = again ? o->order[o->at] : NULL;
        args.to_keys = o->keys[!o->at];
        args.to_order = o->order[!o->at];
        args.shift = shift;
        NEED(sparse_launch(s, KERNELS_MOVE, "teg_cusparse_sort_count", 0, &grid,
                           &args));
        NEED(scan(s, o->counts, tiles(o->n, SORT_TILE) * SPARSE_DIGITS, 0,
                  o->sums));
        NEED(sparse_launch(s, KERNELS_MOVE, "teg_cusparse_sort", 0, &grid,
                           &args));
        o->at = !o->at;
        keys = NULL;
        again = 1;
        shift += SPARSE_SORT_BITS;
    } while (shift < 32 && most >> shift != 0);
    return SPARSE_SUCCESS;
}

int sorter_take(const struct sparse *s, struct sorter *o, const void *indices,
                int wide, int64_t base)
{
    struct sparse_grid grid = sparse_each(o->n);
    struct sparse_move args = {
        .a = {.minor = indices, .wide = wide, .base = base},
        .order = o->order[o->at],
        .minor = o->keys[o->at],
        .n = o->n,
    };

    return sparse_launch(s, KERNELS_MOVE, "teg_cusparse_keys", 0, &grid, &args);
}
