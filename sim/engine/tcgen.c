#include "sim/engine/tcgen.h"

#include "config/tensor.h"
#include "sim/engine/lsu.h"
#include "sim/engine/sm.h"
#include "sim/engine/values.h"

void sim_tcgen_issue(struct sim_sm *sm, const struct sim_op *op,
                     const struct sim_values *v, uint64_t start,
                     struct sim_times *t)
{
    const struct teg_product p = teg_product_of(sim_value_first(v, 0));
    const struct tensor_product_times times =
        tensor_product_times(sm->chip->gpu, &p, op->interval);
    uint64_t from = teg_max(start, sm->tensor_free_from);

    sm->tensor_free_from = from + times.interval;
    *t = (struct sim_times){
        .start = start,
        .busy = op->interval,
        .done = from + teg_max(times.latency + op->latency, 1),
        .same_warp = op->same_warp,
        .works_from = from,
        .works = times.interval,
        .operations = teg_product_operations(&p),
        .others = p.pair,
    };
}
