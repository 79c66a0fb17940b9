/*
 * Analytical models: estimates from the counts of a replay, with their terms.
 * docs/models.md says what each computes.
 */
#ifndef TEG_PUBLIC_MODEL_H
#define TEG_PUBLIC_MODEL_H

#include "result.h"

TEG_BEGIN

/* The models, [0, teg_model_count); static texts, NULL beyond the end. */
TEG_API uint32_t teg_model_count(void);
TEG_API const char *teg_model_name(uint32_t i);  /* "mwp-cwp" */
TEG_API const char *teg_model_title(uint32_t i); /* what it models */

struct teg_estimate;

/* What a model says of a launch on the GPU it was replayed on.  A walk
 * (teg_replay_walk) is enough for most.  TEG_UNKNOWN with the nearest name. */
TEG_API teg_status teg_result_estimate(const struct teg_result *result,
                                       const char *model,
                                       struct teg_estimate **estimate,
                                       struct teg_diag *d);
TEG_API void teg_estimate_free(struct teg_estimate *estimate); /* or NULL */

/* 0: it says nothing of this launch, and teg_estimate_why says why. */
TEG_API int teg_estimate_applies(const struct teg_estimate *estimate);
TEG_API const char *teg_estimate_why(const struct teg_estimate *estimate);
/* SM cycles of the whole kernel; NAN: it predicts none. */
TEG_API double teg_estimate_cycles(const struct teg_estimate *estimate);
/* What bounds the kernel, in plain words, and one line of advice; may be "". */
TEG_API const char *teg_estimate_limiter(const struct teg_estimate *estimate);
TEG_API const char *teg_estimate_advice(const struct teg_estimate *estimate);
/* Its intermediates; `teg explain NAME` tells what they mean. */
TEG_API uint32_t teg_estimate_terms(const struct teg_estimate *estimate);
TEG_API const char *teg_estimate_term_name(const struct teg_estimate *estimate,
                                           uint32_t i);
TEG_API const char *teg_estimate_term_unit(const struct teg_estimate *estimate,
                                           uint32_t i);
TEG_API double teg_estimate_term_value(const struct teg_estimate *estimate,
                                       uint32_t i);

TEG_END

#endif
