#include "sim/memory/returns.h"

#include <stdlib.h>

int sim_returns_init(struct sim_returns *returns, const struct teg_gpu *gpu,
                     uint32_t sms)
{
    *returns = (struct sim_returns){0};
    if (!gpu->l1.in_order)
        return 1;
    returns->last = calloc(sms, sizeof *returns->last);
    returns->open = calloc(sms, sizeof *returns->open);
    return returns->last != NULL && returns->open != NULL;
}

void sim_returns_release(struct sim_returns *returns)
{
    free(returns->last);
    free(returns->open);
    *returns = (struct sim_returns){0};
}
