/*
 * Arrays that grow by one thing at a time.
 */
#ifndef TEG_ISA_BASE_ARRAY_H
#define TEG_ISA_BASE_ARRAY_H

#include <stdlib.h>

/* Returns `array` with room for one more than `count` things of `size` bytes,
 * `*room` being how many it holds (0: it is NULL); NULL out of memory, and
 * then `array` is still the caller's. */
static inline void *teg_array_room(void *array, size_t count, size_t *room,
                                   size_t size)
{
    size_t wanted = *room != 0 ? 2 * *room : 64;

    if (count < *room)
        return array;
    array = realloc(array, wanted * size);
    if (array != NULL)
        *room = wanted;
    return array;
}

#endif
