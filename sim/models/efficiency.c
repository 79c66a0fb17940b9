#include "sim/models/efficiency.h"

#include <math.h>

static const struct teg_parameter split_rows[] = {
#define SPLIT(field, rule, fallback, unit, help) \
    MODEL_ROW(field, rule, fallback, unit, help, \
              offsetof(struct efficiency_split, field)),
#include "sim/models/efficiency.def"
};
static const struct teg_parameter mix_rows[] = {
#define MIX(field, rule, fallback, unit, help)   \
    MODEL_ROW(field, rule, fallback, unit, help, \
              offsetof(struct efficiency_mix, field)),
#include "sim/models/efficiency.def"
};

#define LENGTH(array) (uint32_t)(sizeof(array) / sizeof(array)[0])

const struct teg_parameter *efficiency_split_inputs(uint32_t *count)
{
    *count = LENGTH(split_rows);
    return split_rows;
}

const struct teg_parameter *efficiency_mix_inputs(uint32_t *count)
{
    *count = LENGTH(mix_rows);
    return mix_rows;
}

/*
 * [T] 110 wants the longer time short, so both shall end together:
 *     share x t_c = (1 - share) x (t_g + t_x) + fixed.
 * The source prints no equation for the share.
 */
teg_status efficiency_split(const struct efficiency_split *in,
                            struct efficiency_split_result *r,
                            struct teg_diag *d)
{
    double cpu, gpu;

    TRY(model_inputs_check(in, split_rows, LENGTH(split_rows), d));
    if (in->bytes_gb > 0 && !(in->link_gbs > 0))
        return teg_fail(d, TEG_LIMIT, "link_gbs",
                        "expected a number above 0 for a transfer of %g GB, "
                        "found %g",
                        in->bytes_gb, in->link_gbs);
    cpu = in->work_gflop / in->perf_cpu_gflops;
    gpu = in->work_gflop / in->perf_gpu_gflops;
    if (in->bytes_gb > 0)
        gpu += in->bytes_gb / in->link_gbs;
    r->cpu_share = fmin((gpu + in->fixed_s) / (cpu + gpu), 1);
    r->t_cpu_s = r->cpu_share * cpu;
    r->t_gpu_s = r->cpu_share < 1 ? (1 - r->cpu_share) * gpu + in->fixed_s : 0;
    r->t_total_s = fmax(r->t_cpu_s, r->t_gpu_s);
    r->speedup_vs_cpu_only = cpu / r->t_total_s;
    return TEG_OK;
}

/* [T] 104 */
static double device_time(double share, double c, double zeta, double f,
                          double phi)
{
    return share * phi / (c * zeta * f);
}

/* The dynamic part of [T] 107 */
static double device_power(double c, double f, double lambda)
{
    return c * f * f * f * lambda;
}

teg_status efficiency_mix(const struct efficiency_mix *in, int idle_draws,
                          struct efficiency_mix_result *r, struct teg_diag *d)
{
    double time_o, power_o, cpu_share = 1 - in->gpu_share;

    TRY(model_inputs_check(in, mix_rows, LENGTH(mix_rows), d));
    time_o = device_time(1, in->c_o, in->zeta_o, in->f_o, in->phi_o);
    power_o = device_power(in->c_o, in->f_o, in->lambda_o) + in->b_o;
    r->t_cpu = device_time(cpu_share, in->c_c, in->zeta_c, in->f_c, in->phi_c);
    r->t_gpu =
        device_time(in->gpu_share, in->c_g, in->zeta_g, in->f_g, in->phi_g);
    r->t_total = fmax(r->t_cpu, r->t_gpu);
    r->power = in->b_o;
    if (cpu_share > 0 || idle_draws)
        r->power += device_power(in->c_c, in->f_c, in->lambda_c);
    if (in->gpu_share > 0 || idle_draws)
        r->power += device_power(in->c_g, in->f_g, in->lambda_g);
    if (!(r->power > 0))
        return teg_fail(d, TEG_LIMIT, "b_o",
                        "expected idle or dynamic power above 0, found none");
    r->speedup_s = time_o / r->t_total;
    r->energy_efficiency_e = power_o / r->power * r->speedup_s;
    return TEG_OK;
}
