#include "sim/engine/units.h"

#include <stdlib.h>

int sim_units_init(struct sim_units *u, const struct sim_chip *chip)
{
    *u = (struct sim_units){
        .chip = chip,
        .free_from = calloc(chip->unit_instances + 1u, sizeof *u->free_from),
        .done = calloc(chip->unit_entries + 1u, sizeof *u->done),
    };
    return u->free_from != NULL && u->done != NULL;
}

void sim_units_release(struct sim_units *u)
{
    free(u->free_from);
    free(u->done);
    *u = (struct sim_units){0};
}

uint32_t sim_units_entry(const struct sim_units *u, uint8_t unit,
                         uint32_t instance)
{
    uint32_t capacity = u->chip->gpu->unit[unit].capacity;
    uint32_t first = u->chip->unit_entry[unit] +
                     (instance - u->chip->unit_first[unit]) * capacity;
    uint32_t entry = first;

    for (uint32_t e = first; e < first + capacity; e++) {
        if (u->done[e] < u->done[entry])
            entry = e;
    }
    return entry;
}

void sim_units_take(struct sim_units *u, const struct sim_ports *p,
                    const struct sim_unit_choice *choice, uint32_t s,
                    uint64_t free_from, uint64_t done)
{
    u->free_from[choice->instance] = free_from;
    if (u->chip->gpu->unit[choice->unit].capacity != 0)
        u->done[sim_units_entry(u, choice->unit, choice->instance)] = done;
    if (p->operand_unit != TEG_NO_UNIT)
        u->free_from[sim_units_instance(u, p->operand_unit, s).instance] =
            free_from;
}
