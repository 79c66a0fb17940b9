#include "sim/sample/schedule.h"

#include <stdlib.h>

/* Puts `end` in the place of the earliest, on top of the heap. */
static void replace_first(double *heap, uint64_t count, double end)
{
    uint64_t i = 0;

    for (uint64_t child = 1; child < count; child = 2 * i + 1) {
        if (child + 1 < count && heap[child + 1] < heap[child])
            child++;
        if (heap[child] >= end)
            break;
        heap[i] = heap[child];
        i = child;
    }
    heap[i] = end;
}

teg_status sample_schedule_idle(const double *length, uint64_t count,
                                uint64_t places, double *idle,
                                struct teg_diag *d)
{
    double *free_from = calloc(places, sizeof *free_from);
    double last = 0, sum = 0;

    *idle = 0;
    if (free_from == NULL)
        return teg_fail_memory(d);
    for (uint64_t i = 0; i < count; i++) {
        double end = free_from[0] + length[i];

        replace_first(free_from, places, end);
        last = end > last ? end : last;
        sum += length[i];
    }
    free(free_from);
    *idle = last - sum / (double)places;
    return TEG_OK;
}
