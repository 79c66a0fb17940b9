#include "sim/models/peak.h"

#include <math.h>

/* Operations of a lane. */
static const struct {
    uint8_t flops, floating, tensor, is_double;
} facts[TEG_CLASSES] = {
    [CLASS_FADD] = {1, 1, 0, 0},
    [CLASS_FMUL] = {1, 1, 0, 0},
    [CLASS_FMAD] = {2, 1, 0, 0},
    [CLASS_FCMP] = {0, 1, 0, 0},
    [CLASS_DADD] = {1, 1, 0, 1},
    [CLASS_DMUL] = {1, 1, 0, 1},
    [CLASS_DFMA] = {2, 1, 0, 1},
    [CLASS_DCMP] = {0, 1, 0, 1},
    /* Two packed numbers; whether multiplied and added is not recorded. */
    [CLASS_HALF] = {2, 1, 0, 0},
    [CLASS_SFU] = {1, 1, 0, 0},
    [CLASS_SFU_TRIG] = {1, 1, 0, 0},
    [CLASS_HMMA] = {0, 1, 1, 0},
    [CLASS_IMMA] = {0, 0, 1, 0},
    [CLASS_DMMA] = {0, 1, 1, 1},
    [CLASS_GMMA] = {0, 1, 1, 0},
    [CLASS_TCMMA] = {0, 1, 1, 0},
};

double peak_issue(const struct teg_gpu *gpu)
{
    return (double)gpu->sm.schedulers / gpu->sm.issue_period;
}

double peak_instances(const struct teg_gpu *gpu, uint32_t unit)
{
    const struct teg_unit *u = &gpu->unit[unit];

    return (double)u->count *
           (u->scope == UNIT_SCOPE_SM ? 1 : gpu->sm.schedulers);
}

/* Warp instructions of class `c` a cycle, each of that interval. */
static double units_at(const struct teg_gpu *gpu, enum teg_op_class c,
                       double interval)
{
    const struct teg_timing *t = &gpu->timing[c];
    double instances = 0;

    for (uint8_t i = 0; i < t->unit_count; i++)
        instances += peak_instances(gpu, t->unit[i]);
    return interval > 0 ? instances / interval : HUGE_VAL;
}

double peak_units(const struct teg_gpu *gpu, enum teg_op_class c)
{
    return units_at(gpu, c, gpu->timing[c].interval);
}

double peak_class(const struct teg_gpu *gpu, enum teg_op_class c)
{
    return fmin(peak_units(gpu, c), peak_issue(gpu));
}

double mean_interval(const struct teg_statistics *s, const struct teg_gpu *gpu,
                     enum teg_op_class c)
{
    const struct teg_class_statistics *k = &s->class_[c];

    return facts[c].tensor && k->issued > 0 && k->unit_cycles > 0
               ? (double)k->unit_cycles / (double)k->issued
               : gpu->timing[c].interval;
}

double peak_class_of(const struct teg_statistics *s, const struct teg_gpu *gpu,
                     enum teg_op_class c)
{
    return fmin(units_at(gpu, c, mean_interval(s, gpu, c)), peak_issue(gpu));
}

double peak_flops(enum teg_op_class c)
{
    return facts[c].flops;
}

static double count_of(const struct teg_statistics *s, enum teg_op_class c)
{
    const struct teg_class_statistics *k = &s->class_[c];

    return (double)k->lanes * facts[c].flops + (double)k->operations;
}

double count_flops(const struct teg_statistics *s)
{
    double sum = 0;

    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++)
        sum += count_of(s, c);
    return sum;
}

/* Lanes' doubles, or else their single precision, unless a class of tensor
 * products makes more. */
enum teg_op_class peak_multiply_add(const struct teg_statistics *s)
{
    double lanes = 0, doubles = 0, most;
    enum teg_op_class best;

    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        lanes += facts[c].tensor ? 0 : count_of(s, c);
        if (facts[c].is_double && !facts[c].tensor)
            doubles += count_of(s, c);
    }
    best = doubles > lanes / 2 ? CLASS_DFMA : CLASS_FMAD;
    most = lanes;
    for (enum teg_op_class c = 0; c < TEG_CLASSES; c++) {
        if (facts[c].tensor && count_of(s, c) > most) {
            best = c;
            most = count_of(s, c);
        }
    }
    return best;
}

double peak_operations(const struct teg_statistics *s,
                       const struct teg_gpu *gpu, enum teg_op_class c)
{
    const struct teg_class_statistics *k = &s->class_[c];

    if (!facts[c].tensor)
        return TEG_LANES * facts[c].flops * peak_class(gpu, c);
    return k->issued > 0 ? (double)k->operations / (double)k->issued *
                               peak_class_of(s, gpu, c)
                         : 0;
}

double peak_stated_lanes(const struct teg_gpu *gpu)
{
    return gpu->sm.peak_flops > 0 ? gpu->sm.peak_flops / 2.0
                                  : TEG_LANES * peak_units(gpu, CLASS_FMAD);
}

double peak_stated(const struct teg_statistics *s, const struct teg_gpu *gpu,
                   enum teg_op_class c)
{
    return c == CLASS_FMAD ? 2 * peak_stated_lanes(gpu)
                           : peak_operations(s, gpu, c);
}

int is_floating(enum teg_op_class c)
{
    return facts[c].floating;
}

int is_tensor(enum teg_op_class c)
{
    return facts[c].tensor;
}

static double limit(double value)
{
    return value > 0 ? value : HUGE_VAL;
}

double peak_dram_bytes(const struct teg_gpu *gpu)
{
    return limit(gpu->dram.bandwidth_gbs * 1000 / gpu->chip.sm_clock_mhz);
}

double peak_l2_bytes(const struct teg_gpu *gpu)
{
    return limit(gpu->l2.bytes > 0 ? gpu->l2.bytes_per_cycle : 0);
}

double peak_cluster_bytes(const struct teg_gpu *gpu)
{
    double all = limit(gpu->memory.cluster_bytes_per_cycle);

    return fmax(all, fmax(gpu->memory.warp_bytes_per_cycle,
                          gpu->memory.copy_out_bytes_per_cycle));
}

double peak_link_bytes(const struct teg_gpu *gpu)
{
    return peak_cluster_bytes(gpu) / fmax(gpu->chip.sms_per_cluster, 1);
}

/* A pass serves one group of lanes with one word of each. */
double peak_shared_bytes(const struct teg_gpu *gpu)
{
    double pass = fmin(gpu->shared.banks, gpu->shared.group) *
                  (double)gpu->shared.bank_bytes;

    return gpu->shared.pass_interval > 0 ? pass / gpu->shared.pass_interval
                                         : HUGE_VAL;
}

double busy_sms(const struct teg_statistics *s, const struct teg_gpu *gpu)
{
    double sms = s->sms != 0 ? s->sms : gpu->chip.sms;

    return fmax(fmin((double)s->blocks, sms), 1);
}

double resident_warps(const struct teg_statistics *s, const struct teg_gpu *gpu)
{
    double of_block = s->blocks > 0 ? (double)s->warps / (double)s->blocks : 0;
    double blocks = ceil((double)s->blocks / busy_sms(s, gpu));

    return of_block * fmin(s->occupancy.blocks_per_sm, blocks);
}

double dram_traffic(const struct teg_statistics *s)
{
    return (double)(s->simulated ? s->memory.dram_bytes : s->memory.bytes);
}

double l2_traffic(const struct teg_statistics *s)
{
    const struct teg_memory_statistics *m = &s->memory;

    return m->l2_sectors < m->l2_repeated
               ? 0
               : (double)(m->l2_sectors - m->l2_repeated) * TEG_SECTOR_BYTES;
}

double l2_work(const struct teg_statistics *s, const struct teg_gpu *gpu)
{
    double all = l2_traffic(s);

    if (gpu->l2.far_latency == 0 || !gpu->l2.far_passes_near)
        return all;
    return all + fmin((double)s->memory.store_bytes, all) / 2;
}

double peak_atomic_cycles(const struct teg_statistics *s,
                          const struct teg_gpu *gpu)
{
    const struct teg_memory_statistics *m = &s->memory;
    double floats = (double)m->atomic_float_steps;
    double integers = (double)m->atomic_steps - floats;
    double each = teg_gpu_atomic_interval(gpu, STEPS_INTEGERS);
    double of_float = teg_gpu_atomic_interval(gpu, STEPS_FLOATS);

    if (s->simulated)
        return (double)m->atomic_slice_cycles;
    return (integers * each + floats * of_float) / gpu->l2.slices;
}
