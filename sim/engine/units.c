#include "sim/engine/units.h"

#include <stdlib.h>

int sim_units_init(struct sim_units *u, const struct sim_chip *chip)
{
    *u = (struct sim_units){
        .chip = chip,
        .free_from = calloc(chip->unit_instances + chip->queues + 1u,
                            sizeof *u->free_from),
        .done = calloc(chip->unit_entries + 1u, sizeof *u->done),
        .taken = calloc(chip->queue_places + 1u, sizeof *u->taken),
        .next_free = calloc(chip->queues + 1u, sizeof *u->next_free),
    };
    return u->free_from != NULL && u->done != NULL && u->taken != NULL &&
           u->next_free != NULL;
}

void sim_units_release(struct sim_units *u)
{
    free(u->free_from);
    free(u->done);
    free(u->taken);
    free(u->next_free);
    *u = (struct sim_units){0};
}

uint32_t sim_units_entry(const struct sim_units *u, uint8_t unit,
                         uint32_t instance)
{
    const struct sim_unit *facts = &u->chip->unit[unit];
    uint32_t first =
        facts->first_entry + (instance - facts->first) * facts->capacity;
    uint32_t entry = first;

    for (uint32_t e = first; e < first + facts->capacity; e++) {
        if (u->done[e] < u->done[entry])
            entry = e;
    }
    return entry;
}
