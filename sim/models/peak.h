/*
 * What a GPU description allows at most: rates of operation classes and of
 * memories.  Shared by the models.
 */
#ifndef TEG_SIM_MODELS_PEAK_H
#define TEG_SIM_MODELS_PEAK_H

#include "config/gpu.h"
#include "sim/collect/statistics.h"

/* Warp instructions that one SM can issue per cycle. */
double peak_issue(const struct teg_gpu *gpu);
/* Instances of a unit in one SM. */
double peak_instances(const struct teg_gpu *gpu, uint32_t unit);
/* Warp instructions of class `c` that one SM takes per cycle, all its units
 * together, without regard to issue. */
double peak_units(const struct teg_gpu *gpu, enum teg_op_class c);
/* The same, at most what can be issued. */
double peak_class(const struct teg_gpu *gpu, enum teg_op_class c);
/* Cycles that a unit is taken by an instruction of class `c`: of a tensor
 * product, the mean over the shapes in `s`. */
double mean_interval(const struct teg_statistics *s, const struct teg_gpu *gpu,
                     enum teg_op_class c);
/* peak_class of the shapes in `s`. */
double peak_class_of(const struct teg_statistics *s, const struct teg_gpu *gpu,
                     enum teg_op_class c);
/* Floating-point operations of one lane: 1, 2 for multiply-adds, 0 for what
 * is none; tensor products count by their shape instead. */
double peak_flops(enum teg_op_class c);
/* Executed operations, active lanes only; two a multiply-add of tensor
 * products, those of integers, too. */
double count_flops(const struct teg_statistics *s);
/* The multiply-add of the kernel's precision, that of most operations: of
 * lanes, or a class of tensor products. */
enum teg_op_class peak_multiply_add(const struct teg_statistics *s);
/* Operations of that class that can be issued in a cycle of an SM; of tensor
 * products, in the shapes and types of `s`. */
double peak_operations(const struct teg_statistics *s,
                       const struct teg_gpu *gpu, enum teg_op_class c);
/* The same as the chip's stated peak counts them: in single precision some
 * count units that no program keeps busy together (sm.peak_flops). */
double peak_stated(const struct teg_statistics *s, const struct teg_gpu *gpu,
                   enum teg_op_class c);
/* Multiply-adds of single precision a cycle of an SM by that count. */
double peak_stated_lanes(const struct teg_gpu *gpu);
/* Classes whose instructions are floating-point arithmetic. */
int is_floating(enum teg_op_class c);
int is_tensor(enum teg_op_class c);

/* Bytes of one cycle of the SM clock; infinite where there is no limit. */
double peak_dram_bytes(const struct teg_gpu *gpu);
double peak_l2_bytes(const struct teg_gpu *gpu);
/* Of one cluster's link to L2 and DRAM, by whoever gets most of it. */
double peak_cluster_bytes(const struct teg_gpu *gpu);
/* Of one SM: its share of the link to L2 and DRAM, and its shared memory. */
double peak_link_bytes(const struct teg_gpu *gpu);
double peak_shared_bytes(const struct teg_gpu *gpu);

/* SMs that ran blocks or would; at least 1. */
double busy_sms(const struct teg_statistics *s, const struct teg_gpu *gpu);
/* Resident warps of an SM, no more than the grid gives it. */
double resident_warps(const struct teg_statistics *s,
                      const struct teg_gpu *gpu);
/* Bytes that came from or went to DRAM: simulated, or without a replay what
 * the transactions move, as if no cache hit. */
double dram_traffic(const struct teg_statistics *s);
/* Bytes that L2's slices gave or took for their full time: a sector asked for
 * again just before costs less (l2.repeat_interval) and is left out. */
double l2_traffic(const struct teg_statistics *s);
/* The same, with what takes time of a second slice: half of all stores belong to
 * the other half (l2.far_passes_near). */
double l2_work(const struct teg_statistics *s, const struct teg_gpu *gpu);

/* Cycles that global atomics take at least: of the slice of L2 that they held
 * longest, or without a replay their steps, spread evenly. */
double peak_atomic_cycles(const struct teg_statistics *s,
                          const struct teg_gpu *gpu);

#endif
