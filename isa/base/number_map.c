#include "isa/base/number_map.h"

#include <stdlib.h>

enum {
    FIRST = 64 /* entries; a power of two */
};

void teg_number_map_release(struct teg_number_map *map)
{
    free(map->entry);
    *map = (struct teg_number_map){0};
}

/* Where the key is, or belongs; there is a free entry. */
static struct teg_number_entry *entry_of(const struct teg_number_map *map,
                                         uint64_t key)
{
    /* (Knuth, The Art of Computer Programming 3, 6.4: multiplicative) */
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 20) & (map->room - 1);

    while (map->entry[at].key != 0 && map->entry[at].key != key)
        at = (at + 1) & (map->room - 1);
    return &map->entry[at];
}

const uint64_t *teg_number_map_find(const struct teg_number_map *map,
                                    uint64_t key)
{
    const struct teg_number_entry *entry;

    if (map->count == 0)
        return NULL;
    entry = entry_of(map, key);
    return entry->key != 0 ? &entry->value : NULL;
}

static int grow(struct teg_number_map *map)
{
    struct teg_number_map wider = {.room = map->room != 0 ? 2 * map->room
                                                          : FIRST};

    wider.entry = calloc(wider.room, sizeof *wider.entry);
    if (wider.entry == NULL)
        return 0;
    for (size_t i = 0; i < map->room; i++) {
        if (map->entry[i].key != 0)
            *entry_of(&wider, map->entry[i].key) = map->entry[i];
    }
    wider.count = map->count;
    free(map->entry);
    *map = wider;
    return 1;
}

int teg_number_map_put(struct teg_number_map *map, uint64_t key,
                       uint64_t value)
{
    struct teg_number_entry *entry;

    if (2 * (map->count + 1) > map->room && !grow(map))
        return 0;
    entry = entry_of(map, key);
    map->count += entry->key == 0;
    *entry = (struct teg_number_entry){key, value};
    return 1;
}
