#include "traces/sketch/plan.h"

#include <stdlib.h>

teg_status sketch_plan_add(struct sketch_plan *plan,
                           const struct sketch_step *step, uint32_t *index,
                           struct teg_diag *d)
{
    if (plan->steps == plan->capacity) {
        uint32_t capacity = plan->capacity != 0 ? 2 * plan->capacity : 64;
        struct sketch_step *grown =
            realloc(plan->step, capacity * sizeof *grown);

        if (grown == NULL)
            return teg_fail_memory(d);
        plan->step = grown;
        plan->capacity = capacity;
    }
    *index = plan->steps;
    plan->step[plan->steps++] = *step;
    return TEG_OK;
}

void sketch_plan_release(struct sketch_plan *plan)
{
    teg_kernel_release(&plan->kernel);
    sketch_exprs_release(&plan->exprs);
    free(plan->step);
    free(plan->param);
    *plan = (struct sketch_plan){0};
}
