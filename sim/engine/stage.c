#include "sim/engine/stage.h"

#include "sim/engine/sm.h"

uint32_t sim_stage_instance(const struct sim_sm *sm, uint32_t scheduler)
{
    const struct sim_chip *chip = sm->chip;
    const struct sim_unit *unit =
        &chip->unit[chip->gpu->timing[CLASS_LDS].unit[0]];

    return unit->first + scheduler * unit->step;
}

uint64_t sim_stage_take(struct sim_sm *sm, uint32_t instance, uint64_t start,
                        uint64_t parts)
{
    const struct sim_chip *chip = sm->chip;
    struct sim_stage *stage = &sm->stage;
    uint64_t *free_from = &sm->units.free_from[instance];
    uint64_t from = teg_max(*free_from, start), lines;

    stage->copies -=
        teg_min(stage->copies, (from - *free_from) * chip->copies_alone);
    lines = teg_min(stage->copies, parts * chip->copies_beside / SIM_FRACTION);
    stage->copies -= lines;
    parts += lines + stage->rest;
    stage->rest = (uint32_t)(parts % SIM_FRACTION);
    *free_from = from + parts / SIM_FRACTION;
    return *free_from;
}

void sim_stage_copy(struct sim_sm *sm, uint64_t bytes)
{
    const struct sim_chip *chip = sm->chip;
    uint64_t row = chip->gpu->shared.banks * chip->gpu->shared.bank_bytes;

    sm->stage.copies += bytes * chip->shared[0].interval / row;
}
