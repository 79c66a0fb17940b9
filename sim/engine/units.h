/*
 * The functional units of one SM.
 *
 * Models: an instance of a unit takes one warp instruction, refuses the next
 * while it is busy with it, and one with a capacity while that many are in
 * flight.  A class may go to either of two units, and take a second one for a
 * shared operand (Lai 2013, 3.2.2.1), a global access one for its lines.  In
 * front of a unit with a queue a scheduler may have that many instructions
 * waiting: it issues on, and the unit takes them in the order of issue.
 * Leaves out: write-back ports.
 */
#ifndef TEG_SIM_ENGINE_UNITS_H
#define TEG_SIM_ENGINE_UNITS_H

#include "sim/engine/chip.h"

struct sim_units {
    const struct sim_chip *chip; /* borrowed */
    /* Owned: of each instance, [chip->unit_instances]; behind them of each queue
     * [chip->queues], its next place. */
    uint64_t *free_from;
    uint64_t *done; /* owned, [chip->unit_entries]: when what holds an entry
                       of an instance with a capacity is done */
    /* Of each instance's queues, one for each scheduler: when the unit takes
     * those issued last, and which of them was issued first. */
    uint64_t *taken;     /* owned, [chip->queue_places] */
    uint32_t *next_free; /* owned, [chip->queues] */
};

/* Returns 0 out of memory; releasing is then harmless. */
int sim_units_init(struct sim_units *u, const struct sim_chip *chip);
void sim_units_release(struct sim_units *u);

struct sim_unit_choice {
    uint64_t ready; /* cycle it, or its queue, takes the instruction */
    uint32_t instance;
    uint8_t unit;
};

/* The entry of an instance with a capacity that is free first. */
uint32_t sim_units_entry(const struct sim_units *u, uint8_t unit,
                         uint32_t instance);

/* The queue of scheduler `s` in front of an instance. */
static inline uint32_t sim_units_queue(const struct sim_unit *facts,
                                       uint32_t instance, uint32_t s)
{
    return facts->first_queue + (instance - facts->first) * facts->queues + s;
}

/* When the instance, or that queue, takes an instruction. */
static inline uint64_t sim_units_opens(const struct sim_units *u,
                                       const struct sim_unit *facts,
                                       uint32_t instance, uint32_t s)
{
    return u
        ->free_from[facts->queue != 0 ? u->chip->unit_instances +
                                            sim_units_queue(facts, instance, s)
                                      : instance];
}

/* What is issued to queue `q` is taken in cycle `start`: the place behind its
 * own is the next. */
static inline void sim_units_line_up(struct sim_units *u,
                                     const struct sim_unit *facts, uint32_t q,
                                     uint64_t start)
{
    uint64_t *place =
        &u->taken[facts->first_place + (q - facts->first_queue) * facts->queue];
    uint32_t *next = &u->next_free[q];

    place[*next] = start;
    *next = *next + 1 < facts->queue ? *next + 1 : 0;
    u->free_from[u->chip->unit_instances + q] = place[*next];
}

/* The instance of `unit` open to scheduler `s` that is free first.  Asked for
 * every kind of instruction a scheduler has ready, so it is inline. */
static inline struct sim_unit_choice sim_units_instance(
    const struct sim_units *u, uint8_t unit, uint32_t s)
{
    const struct sim_unit *facts = &u->chip->unit[unit];
    uint32_t first = facts->first + s * facts->step;
    struct sim_unit_choice best = {SIM_NEVER, first, unit};

    if (facts->count == 1 && facts->capacity == 0)
        return (struct sim_unit_choice){sim_units_opens(u, facts, first, s),
                                        first, unit};
    for (uint32_t i = first; i < first + facts->count; i++) {
        uint64_t ready = sim_units_opens(u, facts, i, s);

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
    if (p->second != TEG_NO_UNIT)
        best.ready =
            teg_max(best.ready, sim_units_instance(u, p->second, s).ready);
    return best;
}

/* Likewise, of kind `ports` of ports. */
static inline struct sim_unit_choice sim_units_of_ports(
    const struct sim_units *u, uint32_t ports, uint32_t s, uint64_t now)
{
    const struct sim_door *door = &u->chip->door[ports];
    const struct sim_ports *p = &u->chip->ports.at[ports];

    return door->first != SIM_NO_DOOR
               ? (struct sim_unit_choice){u->free_from[door->first +
                                                       s * door->step],
                                          door->instance +
                                              s * door->instance_step,
                                          p->unit[0]}
               : sim_units_choose(u, p, s, now);
}

/* The cycle in which the chosen instance begins with an instruction that is
 * issued in cycle `now`. */
static inline uint64_t sim_units_start(const struct sim_units *u,
                                       const struct sim_unit_choice *choice,
                                       uint64_t now)
{
    return teg_max(now, u->free_from[choice->instance]);
}

/* Gives the chosen instance the instruction, which it begins in cycle `start`:
 * it is taken until `free_from`, and an entry until it is `done`. */
static inline void sim_units_take(struct sim_units *u,
                                  const struct sim_unit_choice *choice,
                                  uint32_t s, uint64_t start,
                                  uint64_t free_from, uint64_t done)
{
    const struct sim_unit *facts = &u->chip->unit[choice->unit];

    u->free_from[choice->instance] = free_from;
    if (facts->queue != 0)
        sim_units_line_up(u, facts, sim_units_queue(facts, choice->instance, s),
                          start);
    if (facts->capacity != 0)
        u->done[sim_units_entry(u, choice->unit, choice->instance)] = done;
}

/* Takes the unit beside it, if the instruction needs one. */
static inline void sim_units_take_second(struct sim_units *u,
                                         const struct sim_ports *p, uint32_t s,
                                         uint64_t free_from)
{
    if (p->second != TEG_NO_UNIT)
        u->free_from[sim_units_instance(u, p->second, s).instance] = free_from;
}

#endif
