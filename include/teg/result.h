/*
 * What a replay found out.
 *
 * A result does not change: any number of threads may read it.  Texts are
 * valid until it is freed.  Numbers beyond an end give 0, texts NULL.
 */
#ifndef TEG_PUBLIC_RESULT_H
#define TEG_PUBLIC_RESULT_H

#include "status.h"

TEG_BEGIN

struct teg_result;

TEG_API void teg_result_free(struct teg_result *result); /* or NULL */

/* ---- the launch ------------------------------------------------------------ */

/* SM cycles of the whole launch on the whole chip; 0: only walked. */
TEG_API uint64_t teg_result_cycles(const struct teg_result *result);
/* The same in microseconds. */
TEG_API double teg_result_time_us(const struct teg_result *result);
/* Executed, predicated-off ones included. */
TEG_API uint64_t teg_result_warp_instructions(const struct teg_result *result);
TEG_API uint32_t teg_result_blocks_per_sm(const struct teg_result *result);
TEG_API uint32_t teg_result_warps_per_sm(const struct teg_result *result);
/* What allows no further block: "registers", "shared memory"...; static. */
TEG_API const char *teg_result_limiter(const struct teg_result *result);
/* Whether the simulation was interrupted. */
TEG_API int teg_result_incomplete(const struct teg_result *result);

/* Whether a part stood for the whole, how far off its cycles may be (0.02: two
 * percent; 0 if it was not so) and the share of warp instructions simulated. */
TEG_API int teg_result_sampled(const struct teg_result *result);
TEG_API double teg_result_error_bound(const struct teg_result *result);
TEG_API double teg_result_simulated_share(const struct teg_result *result);

/* ---- counters -------------------------------------------------------------- */

/* Counters by names that stay: those of the JSON where it has them.
 * [0, teg_counter_count); static texts. */
TEG_API uint32_t teg_counter_count(void);
TEG_API const char *teg_counter_name(uint32_t i);
TEG_API const char *teg_counter_unit(uint32_t i); /* "bytes"; "" for a ratio */
TEG_API const char *teg_counter_help(uint32_t i);
/* NAN: not modelled, or the ratio of nothing. */
TEG_API double teg_result_counter(const struct teg_result *result, uint32_t i);
/* By name; TEG_UNKNOWN with the nearest. */
TEG_API teg_status teg_result_value(const struct teg_result *result,
                                    const char *name, double *value,
                                    struct teg_diag *d);

/* ---- units and stalls ------------------------------------------------------ */

/* The GPU's functional units, [0, teg_result_units). */
TEG_API uint32_t teg_result_units(const struct teg_result *result);
TEG_API const char *teg_result_unit_name(const struct teg_result *result,
                                         uint32_t i);
/* Warp instructions. */
TEG_API uint64_t teg_result_unit_issued(const struct teg_result *result,
                                        uint32_t i);
/* Instance-cycles inside an initiation interval; */
TEG_API uint64_t teg_result_unit_busy_cycles(const struct teg_result *result,
                                             uint32_t i);
/* the same as a share of the launch, 0 to 1; NAN if only walked. */
TEG_API double teg_result_unit_active(const struct teg_result *result,
                                      uint32_t i);
/* Instructions in flight in an SM, on average; NAN if only walked. */
TEG_API double teg_result_unit_mean_load(const struct teg_result *result,
                                         uint32_t i);

/* Reasons why a resident warp did not issue, [0, teg_result_stalls): with the
 * issues their warp-cycles sum to "resident_warp_cycles". */
TEG_API uint32_t teg_result_stalls(const struct teg_result *result);
TEG_API const char *teg_result_stall_name(const struct teg_result *result,
                                          uint32_t i);
TEG_API const char *teg_result_stall_help(const struct teg_result *result,
                                          uint32_t i);
TEG_API uint64_t teg_result_stall_warp_cycles(const struct teg_result *result,
                                              uint32_t i);

TEG_END

#endif
