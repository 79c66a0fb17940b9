/*
 * What a tensor product costs, by its shape and types.
 *
 * Models: the unit's interval is the product's multiply-adds over the chip's
 * rate for these types, a sparse A's at twice the rate (NVIDIA's whitepapers
 * since GA100).  A warp's product is no faster than its factors are read from
 * registers, and a warp group's than they come from shared memory, once for
 * its four warps.  The latency of a warp's product follows from the bits it
 * multiplies along k, whatever their type (Sun 2022, Tables 3 and 6), and is
 * no shorter than the interval; a warp group's is its interval and the class's.
 * Leaves out: the power limit, under which random factors lower the clock
 * (Luo 2024).
 */
#ifndef TEG_CONFIG_TENSOR_H
#define TEG_CONFIG_TENSOR_H

#include "config/gpu.h"
#include "isa/inst/inst.h"
#include "isa/inst/product.h"

/* Multiply-adds of those types that an instance of the unit makes in a cycle;
 * 0: the description does not say. */
double tensor_rate(const struct teg_gpu *gpu, enum teg_tensor_type type);

/* Does the description say what the shape of this product costs? */
int tensor_is_timed(const struct teg_gpu *gpu, const struct teg_inst *inst);

/* The three latencies of an instruction: its class's, of a tensor product
 * that is timed by shape those of its shape. */
struct teg_timing tensor_timing(const struct teg_gpu *gpu,
                                const struct teg_inst *inst);

/* Cycles that shared memory's port takes for a warp's part, a quarter, of the
 * factors of a warp group's product; 0: none come from there. */
double tensor_factor_cycles(const struct teg_gpu *gpu,
                            const struct teg_inst *inst);

/* Cycles of a product of tensor memory: that it holds the tensor cores of an SM,
 * and from its begin until its last sum is there, less what every one takes
 * (timing.tcmma).  `interval` stands in where its type has no rate. */
struct tensor_product_times {
    uint32_t interval, latency;
};

struct tensor_product_times tensor_product_times(const struct teg_gpu *gpu,
                                                 const struct teg_product *p,
                                                 uint32_t interval);

#endif
