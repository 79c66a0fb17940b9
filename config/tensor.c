#include "config/tensor.h"

#include <math.h>

enum {
    GROUP_WARPS = 4,
};

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
        return latency + interval;
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

double tensor_factor_cycles(const struct teg_gpu *gpu,
                            const struct teg_inst *inst)
{
    const struct teg_tensor *t = &inst->tensor;

    return tensor_is_timed(gpu, inst) && (t->flags & TENSOR_GROUP) != 0
               ? group_cycles(gpu, t) / GROUP_WARPS
               : 0;
}

/* ---- tensor memory ------------------------------------------------------- */

enum {
    TENSOR_LANES = 128, /* of tensor memory, a row of sums each */
    PAIR_FOLDED = 64,   /* rows of each block of a pair whose columns lie in two
                           halves one below the other */
};

static uint32_t shared_cycles(const struct teg_gpu *gpu, double bits)
{
    return (uint32_t)ceil(bits / 8 / gpu->shared.banks /
                          gpu->shared.bank_bytes * gpu->shared.pass_interval);
}

struct tensor_product_times tensor_product_times(const struct teg_gpu *gpu,
                                                 const struct teg_product *p,
                                                 uint32_t interval)
{
    double rate = p->type < TEG_TENSOR_TYPES
                      ? tensor_rate(gpu, (enum teg_tensor_type)p->type) *
                            gpu->sm.schedulers
                      : 0;
    unsigned columns =
        p->pair && p->rows == PAIR_FOLDED ? p->columns / 2 : p->columns;
    double bits = p->type < TEG_TENSOR_TYPES
                      ? teg_tensor_bits((enum teg_tensor_type)p->type)
                      : 0;
    double a = p->a_in_tensor_memory ? 0 : bits * p->rows * p->depth;
    double b = bits * p->columns * p->depth / (p->pair ? 2 : 1);
    uint32_t multiplies =
        rate > 0
            ? (uint32_t)ceil((double)TENSOR_LANES * columns * p->depth / rate)
            : interval;
    uint32_t reads = shared_cycles(gpu, a + b);

    return (struct tensor_product_times){
        .interval = multiplies > reads ? multiplies : reads,
        .latency = shared_cycles(gpu, a) + multiplies +
                   (p->pair ? gpu->tensor.pair_latency : 0),
    };
}
