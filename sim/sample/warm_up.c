#include "sim/sample/warm_up.h"

static teg_status simulate_whole(teg_sample_open *open, void *self,
                                 const struct teg_gpu *gpu,
                                 const struct teg_simulation_options *options,
                                 struct teg_statistics *s, struct teg_diag *d)
{
    struct teg_launch launch;
    teg_status status;

    TRY(open(self, &launch, d));
    status = teg_simulate(&launch, gpu, options, s, d);
    if (launch.close != NULL)
        launch.close(launch.self);
    return status;
}

teg_status teg_warm_up(teg_sample_open *open, void *self,
                       const struct teg_gpu *gpu,
                       const struct teg_simulation_options *options,
                       uint64_t instructions_min,
                       struct teg_sample_facts **facts,
                       struct teg_statistics *s, struct sim_memory **after,
                       struct teg_diag *d)
{
    struct teg_simulation_options own = *options;
    struct teg_sample sample = {0};

    own.listener = NULL;
    own.listener_count = 0;
    own.cycles_only = 1;
    own.after = after;
    if (instructions_min != TEG_SAMPLE_NEVER)
        TRY(teg_sample_simulate(open, self, gpu, &own, instructions_min, facts,
                                s, &sample, d));
    return sample.used ? TEG_OK : simulate_whole(open, self, gpu, &own, s, d);
}
