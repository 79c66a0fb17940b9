#include "sim/sample/listen.h"

#include <stdlib.h>
#include <string.h>

struct sim_listener *sample_listen(struct teg_simulation_options *options,
                                   const struct sim_listener *own,
                                   uint32_t count)
{
    uint32_t all = count + options->listener_count;
    struct sim_listener *list = calloc(all, sizeof *list);

    if (list == NULL)
        return NULL;
    memcpy(list, own, count * sizeof *list);
    if (options->listener_count != 0)
        memcpy(list + count, options->listener,
               options->listener_count * sizeof *list);
    options->cycles_only = 0;
    options->listener = list;
    options->listener_count = all;
    return list;
}
