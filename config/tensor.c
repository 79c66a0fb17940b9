#include "config/tensor.h"

#include <math.h>

double tensor_rate(const struct teg_gpu *gpu, enum teg_tensor_type type)
{
    const double rates[] = {
#define TENSOR(NAME, key, bits, help) gpu->tensor.key,
#include "isa/inst/tensor_type.def"
#undef TENSOR
    };

    return rates[type];
}

int tensor_is_timed(const struct teg_gpu *gpu, const struct teg_inst *inst)
{
    return inst->tensor.m != 0 && tensor_rate(gpu, inst->tensor.type) > 0;
}

static int is_sparse(const struct teg_tensor *t)
{
    return (t->flags & TENSOR_SPARSE) != 0;
}

static double most(double a, double b)
{
    return a > b ? a : b;
}

/* Bits of both factors, a sparse A's without its zeros. */
static double bits_of_a(const struct teg_tensor *t)
{
    return (double)t->m * t->k * teg_tensor_bits(t->type) /
           (is_sparse(t) ? 2 : 1);
}

static double bits_of_b(const struct teg_tensor *t)
{
    return (double)t->n * t->k * teg_tensor_bits(t->type);
}

/* At least as long as factors come from shared memory. */
static double group_cycles(const struct teg_gpu *gpu,
                           const struct teg_tensor *t)
{
    double bits =
        bits_of_b(t) + (t->flags & TENSOR_REGISTERS ? 0 : bits_of_a(t));

    return bits / 8 / gpu->shared.banks / gpu->shared.bank_bytes *
           gpu->shared.pass_interval;
}

/* At least as long as factors are read from registers of 32 lanes. */
static double warp_cycles(const struct teg_gpu *gpu, const struct teg_tensor *t)
{
    double register_bits = 32 * TEG_LANES;
    double cycles = (ceil(bits_of_a(t) / register_bits) +
                     ceil(bits_of_b(t) / register_bits)) *
                    gpu->tensor.factor_interval;

    cycles = most(cycles, gpu->tensor.interval_min);
    return is_sparse(t) ? most(cycles, gpu->tensor.sparse_interval_min)
                        : cycles;
}

static uint32_t interval_of(const struct teg_gpu *gpu,
                            const struct teg_tensor *t)
{
    double cycles = (double)teg_tensor_multiply_adds(t) /
                    (is_sparse(t) ? 2 : 1) / tensor_rate(gpu, t->type);

    cycles = most(cycles, t->flags & TENSOR_GROUP ? group_cycles(gpu, t)
                                                  : warp_cycles(gpu, t));
    return (uint32_t)most(ceil(cycles), 1);
}

/* More than 256 bits along k go through one after the other. */
static uint32_t latency_of(const struct teg_gpu *gpu,
                           const struct teg_tensor *t, uint32_t of_class,
                           uint32_t interval)
{
    uint32_t bits = t->k * teg_tensor_bits(t->type) / (is_sparse(t) ? 2 : 1);
    uint32_t given =
        bits <= 128 ? gpu->tensor.latency_128 : gpu->tensor.latency_256;
    uint32_t latency = of_class;

    if ((t->flags & TENSOR_GROUP) != 0)
        return latency > interval ? latency : interval;
    if (given != 0 && t->type != TENSOR_F64)
        latency = given;
    if (bits > 256)
        latency += interval - interval / (bits / 256);
    return latency > interval ? latency : interval;
}

struct teg_timing tensor_timing(const struct teg_gpu *gpu,
                                const struct teg_inst *inst)
{
    struct teg_timing timing = gpu->timing[inst->op_class];
    const struct teg_tensor *t = &inst->tensor;

    if (!tensor_is_timed(gpu, inst))
        return timing;
    timing.interval = interval_of(gpu, t);
    timing.latency = latency_of(gpu, t, timing.latency, timing.interval);
    return timing;
}
