#include "tests/sim/engine/help_naive_tensor.h"

#include "tests/help_launch.h"

static double rate_of(const struct teg_gpu *gpu, const struct teg_tensor *t)
{
    switch (t->type) {
    case TENSOR_F16:
        return gpu->tensor.f16;
    case TENSOR_F16_F32:
        return gpu->tensor.f16_f32;
    case TENSOR_TF32:
        return gpu->tensor.tf32;
    case TENSOR_F8:
        return gpu->tensor.f8;
    case TENSOR_F8_F32:
        return gpu->tensor.f8_f32;
    case TENSOR_F6:
        return gpu->tensor.f6;
    case TENSOR_F8_SCALED:
        return gpu->tensor.f8_scaled;
    case TENSOR_F4_SCALED:
        return gpu->tensor.f4_scaled;
    case TENSOR_F64:
        return gpu->tensor.f64;
    case TENSOR_S8:
        return gpu->tensor.s8;
    case TENSOR_S4:
        return gpu->tensor.s4;
    default:
        return gpu->tensor.b1;
    }
}

static uint64_t factor_bits(const struct teg_tensor *t)
{
    static const uint8_t bits[] = {
        [TENSOR_F16] = 16, [TENSOR_F16_F32] = 16,  [TENSOR_TF32] = 32,
        [TENSOR_F8] = 8,   [TENSOR_F8_F32] = 8,    [TENSOR_F64] = 64,
        [TENSOR_S8] = 8,   [TENSOR_S4] = 4,        [TENSOR_B1] = 1,
        [TENSOR_F6] = 8,   [TENSOR_F8_SCALED] = 8, [TENSOR_F4_SCALED] = 4,
    };

    return bits[t->type];
}

/* 32-bit registers of 32 lanes, the last perhaps not full. */
static uint32_t registers(uint64_t bits)
{
    uint32_t n = 0;

    for (uint64_t held = 0; held < bits; held += 1024)
        n++;
    return n;
}

double naive_shared_factor_bits(const struct teg_gpu *gpu,
                                const struct teg_tensor *t)
{
    uint64_t kept = t->flags & TENSOR_SPARSE ? t->k / 2u : t->k;
    uint64_t a = t->flags & TENSOR_REGISTERS ? 0 : t->m * kept;

    if (t->m == 0 || rate_of(gpu, t) == 0 || !(t->flags & TENSOR_GROUP))
        return 0;
    return (double)((a + (uint64_t)t->k * t->n) * factor_bits(t));
}

/* Has all that the product needs happened in so many cycles? */
static int suffices(const struct teg_gpu *gpu, const struct teg_tensor *t,
                    double cycles)
{
    int sparse = (t->flags & TENSOR_SPARSE) != 0;
    int group = (t->flags & TENSOR_GROUP) != 0;
    uint64_t kept = sparse ? t->k / 2u : t->k; /* of each row of A */
    uint64_t a = t->m * kept * factor_bits(t);
    uint64_t b = (uint64_t)t->k * t->n * factor_bits(t);
    double warps = group ? 4 : 1;

    if (cycles * rate_of(gpu, t) * warps * t->steps <
        (double)(t->m * kept * t->n * t->products))
        return 0;
    if (group)
        return cycles * gpu->shared.banks * gpu->shared.bank_bytes * 8 >=
               gpu->shared.pass_interval *
                   (double)(b + (t->flags & TENSOR_REGISTERS ? 0 : a));
    return cycles >= gpu->tensor.interval_min &&
           (!sparse || cycles >= gpu->tensor.sparse_interval_min) &&
           cycles >=
               gpu->tensor.factor_interval * (registers(a) + registers(b));
}

struct teg_timing naive_timing(const struct teg_gpu *gpu,
                               const struct teg_inst *inst)
{
    const struct teg_tensor *t = &inst->tensor;
    struct teg_timing timing = gpu->timing[inst->op_class];
    uint64_t bits = t->k * factor_bits(t);

    if (t->m == 0 || rate_of(gpu, t) == 0)
        return timing;
    if (t->flags & TENSOR_SPARSE)
        bits /= 2;
    timing.interval = 1;
    while (!suffices(gpu, t, timing.interval))
        timing.interval++;
    if (!(t->flags & TENSOR_GROUP) && t->type != TENSOR_F64) {
        if (bits > 128 && gpu->tensor.latency_256 != 0)
            timing.latency = gpu->tensor.latency_256;
        if (bits <= 128 && gpu->tensor.latency_128 != 0)
            timing.latency = gpu->tensor.latency_128;
    }
    /* All but the last 256 bits have their turn before it. */
    if (!(t->flags & TENSOR_GROUP) && bits > 256)
        timing.latency +=
            timing.interval - timing.interval / (uint32_t)(bits / 256);
    if (t->flags & TENSOR_GROUP)
        timing.latency += timing.interval; /* which its group waits for */
    if (timing.latency < timing.interval)
        timing.latency = timing.interval;
    return timing;
}

struct teg_tensor help_tensor_random(uint64_t *state)
{
    struct teg_tensor t = {
        .m = help_below(state, 2) ? 16 : 8,
        .n = 8,
        .k = (uint16_t)(4u << help_below(state, 7)),
        .type = (uint8_t)help_below(state, TEG_TENSOR_TYPES),
        .flags = help_below(state, 3) == 0 ? TENSOR_SPARSE : 0,
        .products = 1,
        .steps = 1,
    };

    if (help_below(state, 8) == 0) {
        t.products = 4;
        t.steps = help_below(state, 2) ? 2 : 4;
    } else if (help_below(state, 3) == 0) {
        t.m = 64;
        t.n = (uint16_t)(8 * (1 + help_below(state, 32)));
        t.k = (uint16_t)(8u << help_below(state, 3));
        t.flags |= TENSOR_GROUP;
        t.flags |= help_below(state, 2) ? TENSOR_REGISTERS : 0;
    }
    return t;
}

void help_tensor_rates_random(struct teg_gpu *gpu, uint64_t *state)
{
    double *rates[] = {
        &gpu->tensor.f16, &gpu->tensor.f16_f32,   &gpu->tensor.tf32,
        &gpu->tensor.f8,  &gpu->tensor.f8_f32,    &gpu->tensor.f64,
        &gpu->tensor.s8,  &gpu->tensor.s4,        &gpu->tensor.b1,
        &gpu->tensor.f6,  &gpu->tensor.f8_scaled, &gpu->tensor.f4_scaled,
    };

    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++)
        *rates[i] =
            help_below(state, 4) == 0 ? 0 : 64 + 4 * help_below(state, 1024);
    gpu->tensor.latency_128 = help_below(state, 3) * 9;
    gpu->tensor.latency_256 = help_below(state, 3) * 13;
    gpu->tensor.interval_min = help_below(state, 3) * 2;
    gpu->tensor.sparse_interval_min = help_below(state, 3) * 4;
    gpu->tensor.factor_interval = help_below(state, 4) / 2.0;
}

/* Whether `bits` have come from shared memory in so many cycles. */
static int has_come(const struct teg_gpu *gpu, double bits, uint64_t cycles)
{
    return (double)cycles * gpu->shared.banks * gpu->shared.bank_bytes * 8 >=
           bits * gpu->shared.pass_interval;
}

uint64_t naive_product_done(const struct teg_gpu *gpu,
                            const struct teg_timing *t, uint64_t value,
                            uint64_t begin, uint64_t *free)
{
    struct teg_tensor shape = {.m = (uint16_t)value,
                               .n = (uint16_t)(value >> 16),
                               .k = (uint16_t)(value >> 32),
                               .type = (uint8_t)(value >> 48)};
    int pair = value >> 56 & 1, a_is_near = value >> 57 & 1;
    double width = (double)factor_bits(&shape);
    double bits_a = a_is_near ? 0 : width * shape.m * shape.k;
    double bits_b = width * shape.n * shape.k / (pair ? 2 : 1);
    double all = 128.0 * shape.n * shape.k / (pair && shape.m == 64 ? 2 : 1);
    double rate = rate_of(gpu, &shape) * gpu->sm.schedulers;
    uint64_t multiplies = rate > 0 ? 0 : t->interval, first = 0, reads = 0;

    while (rate > 0 && (double)multiplies * rate < all)
        multiplies++;
    while (!has_come(gpu, bits_a, first))
        first++;
    while (!has_come(gpu, bits_a + bits_b, reads))
        reads++;
    begin = begin > *free ? begin : *free;
    *free = begin + (multiplies > reads ? multiplies : reads);
    return begin + first + multiplies + t->latency +
           (pair ? gpu->tensor.pair_latency : 0);
}
