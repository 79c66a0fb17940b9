#include "sim/engine/chip.h"

#include <stdlib.h>

static uint64_t fraction_of(double cycles)
{
    return (uint64_t)(cycles * SIM_FRACTION + 0.5);
}

static uint64_t lane_byte_interval(const struct teg_gpu *gpu)
{
    double rate = gpu->memory.lane_bytes_per_cycle;

    return rate > 0 ? (uint64_t)(65536 / rate + 0.5) : 0;
}

/* What copies take of the data stage while their lines come: as much as L2 has
 * for one SM of all that ask; half, where no rate is known. */
static double copies_share(const struct teg_gpu *gpu)
{
    double row = gpu->shared.banks * gpu->shared.bank_bytes;
    double rate = gpu->l2.bytes_per_cycle / gpu->chip.sms;
    double share = rate * gpu->shared.pass_interval / row;

    return share > 0 && share < 0.5 ? share : 0.5;
}

/* A pass of an atomic takes its time whoever waits for it. */
static struct sim_pass_times atomic_pass_times(const struct teg_gpu *gpu)
{
    uint64_t interval = fraction_of(gpu->shared.atomic_interval);

    if (gpu->shared.atomic_interval > 0)
        return (struct sim_pass_times){interval, interval};
    return (struct sim_pass_times){fraction_of(gpu->shared.pass_interval),
                                   fraction_of(gpu->shared.conflict_latency)};
}

static void number_units(struct sim_chip *chip, const struct teg_gpu *gpu)
{
    for (uint32_t u = 0; u < gpu->unit_count; u++) {
        const struct teg_unit *unit = &gpu->unit[u];
        uint32_t n = unit->count *
                     (unit->scope == UNIT_SCOPE_SM ? 1 : gpu->sm.schedulers);

        chip->unit[u] = (struct sim_unit){
            .first = chip->unit_instances,
            .step = unit->scope == UNIT_SCOPE_SM ? 0 : unit->count,
            .count = unit->count,
            .capacity = unit->capacity,
            .first_entry = chip->unit_entries,
            .queue = unit->queue,
            .queues = unit->queue != 0 ? gpu->sm.schedulers : 0,
            .first_queue = chip->queues,
            .first_place = chip->queue_places,
        };
        chip->unit_instances += n;
        chip->unit_entries += n * unit->capacity;
        chip->queues += n * chip->unit[u].queues;
        chip->queue_places += n * chip->unit[u].queues * unit->queue;
    }
}

void sim_chip_init(struct sim_chip *chip, const struct teg_gpu *gpu)
{
    double share = copies_share(gpu);

    *chip = (struct sim_chip){
        .gpu = gpu,
        .period = gpu->sm.issue_period,
        .window =
            (uint64_t)(gpu->sm.register_window - 1) * gpu->sm.issue_period,
        .policy = sim_policy_of(gpu->sm.policy),
        .takes_turns = sim_policy_takes_turns(gpu->sm.policy),
        .may_refuse = gpu->memory.in_flight_bytes != 0,
        .each_slot = gpu->memory.in_flight_bytes != 0 ||
                     sim_policy_takes_turns(gpu->sm.policy),
        .shared = {{fraction_of(gpu->shared.pass_interval),
                    fraction_of(gpu->shared.conflict_latency)},
                   atomic_pass_times(gpu)},
        .transaction_interval = fraction_of(gpu->memory.transaction_interval),
        .l1_bank_interval = fraction_of(gpu->l1.bank_interval),
        .l1_lane_interval = fraction_of(gpu->l1.lane_interval),
        .distinct_interval = fraction_of(gpu->constant.distinct_interval),
        .quad_interval = fraction_of(gpu->texture.quad_interval),
        .copies_alone = fraction_of(share),
        .copies_beside = fraction_of(share / (1 - share)),
        .lane_byte_interval = lane_byte_interval(gpu),
    };
    for (int of = 0; of < ATOMIC_STEPS; of++)
        chip->atomic_step[of] = fraction_of(
            teg_gpu_atomic_interval(gpu, (enum teg_atomic_steps)of));
    for (int is_float = 0; is_float < 2; is_float++)
        chip->atomic_update[is_float] =
            fraction_of(teg_gpu_atomic_update(gpu, is_float));
    number_units(chip, gpu);
}

static struct sim_door door_of(const struct sim_chip *chip,
                               const struct sim_ports *ports)
{
    const struct sim_unit *unit = &chip->unit[ports->unit[0]];
    struct sim_door door = {unit->first, unit->step, unit->first, unit->step};

    if (ports->unit_count > 1 || ports->second != TEG_NO_UNIT ||
        unit->count != 1 || unit->capacity != 0)
        return (struct sim_door){.first = SIM_NO_DOOR};
    if (unit->queue != 0) {
        door.first = chip->unit_instances + unit->first_queue;
        door.step = unit->step * unit->queues + 1;
    }
    return door;
}

teg_status sim_chip_expect(struct sim_chip *chip, const struct sim_ops *ops,
                           uint32_t sms, struct teg_diag *d)
{
    for (; chip->doors < chip->ports.count; chip->doors++)
        chip->door[chip->doors] = door_of(chip, &chip->ports.at[chip->doors]);
    if (!ops->has_atomics || chip->hot != NULL)
        return TEG_OK;
    chip->hot = calloc(sms, sizeof *chip->hot);
    return chip->hot != NULL ? TEG_OK : teg_fail_memory(d);
}
