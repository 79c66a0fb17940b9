#include "traces/sketch/plan.h"

#include "traces/sketch/parse.h"

#include <stdlib.h>

teg_status sketch_plan_init(struct sketch_plan *plan, const char *name,
                            const char *text, size_t size,
                            const struct teg_sketch_options *options,
                            struct teg_diag *d)
{
    struct sketch_parser p = {
        .name = name, .text = text, .plan = plan, .options = options, .d = d};
    teg_status status;

    *plan = (struct sketch_plan){0};
    TRY(sketch_tokens_init(&p.tokens, name, text, size, d));
    status = sketch_parse_all(&p);
    sketch_tokens_release(&p.tokens);
    free(p.names);
    if (status != TEG_OK)
        sketch_plan_release(plan);
    return status;
}

void sketch_plan_release(struct sketch_plan *plan)
{
    teg_kernel_release(&plan->kernel);
    sketch_exprs_release(&plan->exprs);
    free(plan->step);
    free(plan->param);
    *plan = (struct sketch_plan){0};
}
