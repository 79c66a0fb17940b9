#include "sim/memory/plan.h"

#include "isa/inst/atomic.h"
#include "sim/memory/atomic.h"
#include "sim/memory/coalesce.h"
#include "sim/memory/l1_banks.h"
#include "sim/memory/lanes.h"
#include "sim/memory/shared.h"

enum {
    WINDOW_BYTES = 1 << 24, /* of shared and local memory in generic space */
};

enum teg_space sim_resolve_space(const struct teg_inst *inst,
                                 const struct teg_access *a,
                                 const struct sim_windows *windows)
{
    uint64_t address;

    if (inst->space != SPACE_GENERIC)
        return inst->space;
    address = teg_access_lane(a, sim_first_lane(a->mask));
    if (windows->shared_base != 0 &&
        address - windows->shared_base < WINDOW_BYTES)
        return SPACE_SHARED;
    if (windows->local_base != 0 &&
        address - windows->local_base < WINDOW_BYTES)
        return SPACE_LOCAL;
    return SPACE_GLOBAL;
}

/* Whether the request is one that L1 answers. */
static int reads_l1(const struct teg_gpu *gpu, const struct teg_inst *inst,
                    const struct sim_request *r)
{
    return gpu->l1.bytes != 0 && r->space == SPACE_GLOBAL && !r->is_store &&
           !r->is_atomic && (inst->flags & INST_BYPASS_L1) == 0 &&
           gpu->memory.coalescing != COALESCING_IDEAL;
}

/* A constant load goes to the lanes of one address at a time.  (CUDA C++
 * programming guide: constant memory) */
static uint32_t distinct_addresses(const struct teg_access *a)
{
    uint64_t seen[TEG_LANES];
    uint32_t n = 0;

    if (a->shape == SHAPE_LINE)
        return a->stride == 0 ? 1 : sim_count_lanes(a->mask);
    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        uint64_t address = teg_access_lane(a, sim_first_lane(rest));
        uint32_t i = 0;

        while (i < n && seen[i] != address)
            i++;
        seen[i] = address;
        n += i == n;
    }
    return n;
}

void sim_plan_make(struct sim_plan *plan, const struct teg_gpu *gpu,
                   const struct teg_inst *inst, const struct teg_access *a,
                   const struct sim_windows *windows)
{
    enum teg_space space = sim_resolve_space(inst, a, windows);

    plan->count = plan->groups = 0;
    plan->request = (struct sim_request){
        .space = (uint8_t)space,
        .is_store = (inst->flags & INST_STORE) != 0,
        .is_atomic = (inst->flags & INST_ATOMIC) != 0,
        .active = (uint16_t)sim_count_lanes(a->mask),
    };
    plan->request.is_float = inst->atomic == ATOMIC_FLOAT;
    if (plan->request.is_atomic)
        sim_atomic_places(plan, inst, a);
    if (space == SPACE_SHARED) {
        sim_shared_passes(plan, gpu, inst, a);
        return;
    }
    if (space == SPACE_CONST) {
        plan->request.groups = 1;
        plan->request.passes = distinct_addresses(a);
        return;
    }
    sim_coalesce(plan, gpu, inst, a);
    if (plan->request.is_atomic)
        sim_atomic_steps(plan, gpu, inst);
    if (reads_l1(gpu, inst, &plan->request))
        sim_l1_banks(plan, gpu, inst, a);
}

void sim_plan_place(struct sim_plan *plan, uint32_t sm, uint32_t place)
{
    enum {
        PLACES = 32,          /* blocks of an SM, at most */
        PLACE_BYTES = 1 << 20 /* more than most blocks have */
    };
    uint64_t base = ((uint64_t)sm * PLACES + place % PLACES) * PLACE_BYTES;

    if (plan->request.space != SPACE_LOCAL)
        return;
    for (uint32_t i = 0; i < plan->count; i++)
        plan->transaction[i].address += base;
}
