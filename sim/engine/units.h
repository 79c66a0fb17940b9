/*
 * The functional units of one SM.
 *
 * Models: an instance of a unit takes one warp instruction, refuses the next
 * while it is busy with it, and one with a capacity while that many are in
 * flight.  A class may go to either of two units, and take a second one for a
 * shared operand.  (Lai 2013, 3.2.2.1)
 * Leaves out: write-back ports.
 */
#ifndef TEG_SIM_ENGINE_UNITS_H
#define TEG_SIM_ENGINE_UNITS_H

#include "sim/engine/chip.h"

struct sim_units {
    const struct sim_chip *chip; /* borrowed */
    uint64_t *free_from;         /* owned, [chip->unit_instances] */
    uint64_t *done; /* owned, [chip->unit_entries]: when what holds an entry
                       of an instance with a capacity is done */
};

/* Returns 0 out of memory; releasing is then harmless. */
int sim_units_init(struct sim_units *u, const struct sim_chip *chip);
void sim_units_release(struct sim_units *u);

struct sim_unit_choice {
    uint64_t ready; /* cycle it takes the instruction */
    uint32_t instance;
    uint8_t unit;
};

/* The entry of an instance with a capacity that is free first. */
uint32_t sim_units_entry(const struct sim_units *u, uint8_t unit,
                         uint32_t instance);

/* The instance of `unit` open to scheduler `s` that is free first.  Asked for
 * every kind of instruction a scheduler has ready, so it is inline. */
static inline struct sim_unit_choice sim_units_instance(
    const struct sim_units *u, uint8_t unit, uint32_t s)
{
    const struct sim_unit *facts = &u->chip->unit[unit];
    uint32_t first = facts->first + s * facts->step;
    struct sim_unit_choice best = {SIM_NEVER, first, unit};

    if (facts->count == 1 && facts->capacity == 0)
        return (struct sim_unit_choice){u->free_from[first], first, unit};
    for (uint32_t i = first; i < first + facts->count; i++) {
        uint64_t ready = u->free_from[i];

        if (facts->capacity != 0)
            ready = teg_max(ready, u->done[sim_units_entry(u, unit, i)]);
        if (ready < best.ready)
            best = (struct sim_unit_choice){ready, i, unit};
    }
    return best;
}

/* The first unit in the class's order that is free by `now`, else the one
 * that is free first.  (Lai 2013, 3.2.2.1: float multiply goes to SP or SFU) */
static inline struct sim_unit_choice sim_units_choose(const struct sim_units *u,
                                                      const struct sim_ports *p,
                                                      uint32_t s, uint64_t now)
{
    struct sim_unit_choice best = sim_units_instance(u, p->unit[0], s);

    if (p->unit_count > 1 && best.ready > now) {
        struct sim_unit_choice other = sim_units_instance(u, p->unit[1], s);

        if (other.ready < best.ready)
            best = other;
    }
    if (p->operand_unit != TEG_NO_UNIT)
        best.ready = teg_max(best.ready,
                             sim_units_instance(u, p->operand_unit, s).ready);
    return best;
}

/* Gives the chosen instance, and the operands' unit, the instruction: they are
 * taken until `free_from`, and an entry until it is `done`. */
static inline void sim_units_take(struct sim_units *u,
                                  const struct sim_ports *p,
                                  const struct sim_unit_choice *choice,
                                  uint32_t s, uint64_t free_from, uint64_t done)
{
    u->free_from[choice->instance] = free_from;
    if (u->chip->unit[choice->unit].capacity != 0)
        u->done[sim_units_entry(u, choice->unit, choice->instance)] = done;
    if (p->operand_unit != TEG_NO_UNIT)
        u->free_from[sim_units_instance(u, p->operand_unit, s).instance] =
            free_from;
}

#endif
