/* Numbers by numbers: an open table that only grows. */
#ifndef TEG_ISA_BASE_NUMBER_MAP_H
#define TEG_ISA_BASE_NUMBER_MAP_H

#include <stddef.h>
#include <stdint.h>

/* Zeroed is empty. */
struct teg_number_map {
    struct teg_number_entry {
        uint64_t key; /* 0: free */
        uint64_t value;
    } * entry;    /* owned, [room] */
    size_t count; /* taken */
    size_t room;  /* power of two, or 0 */
};

void teg_number_map_release(struct teg_number_map *map);

/* The value of `key`, which is not 0; NULL if there is none. */
const uint64_t *teg_number_map_find(const struct teg_number_map *map,
                                    uint64_t key);

/* Gives `key`, which is not 0, this value.  Returns 0 out of memory. */
int teg_number_map_put(struct teg_number_map *map, uint64_t key,
                       uint64_t value);

#endif
