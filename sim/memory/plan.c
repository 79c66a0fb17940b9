#include "sim/memory/plan.h"

#include "isa/inst/atomic.h"
#include "sim/memory/atomic.h"
#include "sim/memory/coalesce.h"
#include "sim/memory/l1_banks.h"
#include "sim/memory/lanes.h"
#include "sim/memory/line.h"
#include "sim/memory/remote.h"
#include "sim/memory/shared.h"

enum teg_space sim_resolve_space(const struct teg_inst *inst,
                                 const struct teg_access *a,
                                 const struct sim_windows *windows)
{
    uint64_t address;

    if (inst->space != SPACE_GENERIC)
        return inst->space;
    address = teg_access_lane(a, sim_first_lane(a->mask));
    if (windows->shared_base != 0 &&
        address - windows->shared_base < sim_shared_window(windows))
        return SPACE_SHARED;
    if (windows->local_base != 0 &&
        address - windows->local_base < TEG_WINDOW_BYTES)
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
static uint32_t distinct_addresses(const struct teg_access *a,
                                   uint64_t seen[TEG_LANES])
{
    int all_differ = a->shape == SHAPE_LINE && a->stride != 0;
    int all_alike = a->shape == SHAPE_LINE && a->stride == 0;
    uint32_t n = 0;

    for (uint32_t rest = a->mask; rest != 0; rest &= rest - 1) {
        uint64_t address = teg_access_lane(a, sim_first_lane(rest));
        uint32_t i = all_differ ? n : 0;

        while (i < n && seen[i] != address)
            i++;
        seen[i] = address;
        n += i == n;
        if (all_alike)
            break;
    }
    return n;
}

void sim_plan_make_as_known(struct sim_plan *plan, const struct teg_gpu *gpu,
                            const struct teg_inst *inst,
                            const struct teg_access *a,
                            const struct sim_windows *windows,
                            struct sim_known *known)
{
    enum teg_space space = sim_resolve_space(inst, a, windows);

    plan->count = plan->groups = plan->remotes = 0;
    plan->request = (struct sim_request){
        .space = (uint8_t)space,
        .is_store = (inst->flags & INST_STORE) != 0,
        .is_atomic = (inst->flags & INST_ATOMIC) != 0,
        .active = (uint16_t)sim_count_lanes(a->mask),
    };
    plan->request.is_float =
        inst->atomic == ATOMIC_FLOAT || inst->atomic == ATOMIC_DOUBLE;
    if (plan->request.is_atomic)
        sim_atomic_places(plan, inst, a);
    if (space == SPACE_SHARED) {
        if (inst->space == SPACE_GENERIC && windows->blocks > 1)
            sim_remote_split(plan, gpu, inst, a, windows);
        else
            sim_shared_passes(plan, gpu, inst, a, known);
        return;
    }
    if (space == SPACE_CONST) {
        plan->request.groups = 1;
        plan->request.passes = distinct_addresses(a, plan->places.address);
        plan->places.count = plan->request.passes;
        return;
    }
    sim_coalesce(plan, gpu, inst, a, known);
    if (plan->request.is_atomic)
        sim_atomic_steps(plan, gpu, inst);
    if (reads_l1(gpu, inst, &plan->request))
        sim_l1_banks(plan, gpu, inst, a, known);
}

/* The part of the line that `at` is in, up to `end`. */
static struct sim_transaction line_of(uint64_t at, uint64_t end)
{
    uint64_t line = at - at % TEG_LINE_BYTES;
    uint64_t to = end - line < TEG_LINE_BYTES ? end - line : TEG_LINE_BYTES;
    uint32_t sectors = sim_line_sectors(at - line, to, 0);

    return (struct sim_transaction){
        .address = line,
        .bytes = (uint16_t)sim_sectors_bytes(sectors),
        .sectors = (uint8_t)sectors,
        .partial = (uint8_t)(sectors & ~sim_line_sectors(at - line, to, 1))};
}

int sim_plan_bulk(struct sim_plan *plan, const struct teg_gpu *gpu,
                  uint32_t inst_flags, struct sim_box *box)
{
    struct sim_request *r = &plan->request;

    *r = (struct sim_request){.space = SPACE_GLOBAL,
                              .is_store = (inst_flags & INST_STORE) != 0,
                              .is_atomic = (inst_flags & INST_ATOMIC) != 0,
                              .is_float = box->is_float != 0,
                              .is_copy = 1,
                              .is_bulk = 1,
                              .active = 1,
                              .coalesced = 1};
    plan->groups = 1;
    plan->remotes = 0;
    for (plan->count = 0; plan->count < SIM_LINES_MAX && sim_box_left(box);
         plan->count++) {
        uint64_t to, from = sim_box_take(box, &to);

        plan->transaction[plan->count] = line_of(from, to);
        r->bytes += plan->transaction[plan->count].bytes;
        if (r->is_atomic)
            sim_atomic_line_steps(plan, gpu, plan->count, from, to,
                                  box->element);
        r->useful_bytes += (uint32_t)(to - from);
    }
    r->transactions = plan->count;
    if (r->is_atomic)
        r->active = (uint16_t)(r->useful_bytes / teg_max(box->element, 1));
    return sim_box_left(box);
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
