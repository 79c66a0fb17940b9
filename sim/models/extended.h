/*
 * The extended MWP-CWP model: computation and memory time less what overlaps.
 *
 * J. Sim et al., PPoPP 2012.  T_exec, the parts of T_comp and the range of
 * T_overlap are as told by J. Lai, PhD thesis, 2013, 1.3.2; the formulas of
 * the parts are recalled from the paper, not checked against it, and the
 * serial work is that of this tree's own statistics (docs/models.md).
 */
#ifndef TEG_SIM_MODELS_EXTENDED_H
#define TEG_SIM_MODELS_EXTENDED_H

#include "sim/models/model.h"

struct extended_inputs {
#define INPUT(field, rule, fallback, unit, help) double field;
#include "sim/models/extended.def"
};

struct extended_result {
#define RESULT(field, symbol, unit, equation, help) double field;
#include "sim/models/extended.def"
};

enum {
#define RESULT(field, symbol, unit, equation, help) EXTENDED_TERM_##field,
#include "sim/models/extended.def"
    EXTENDED_TERMS
};

/* Equation 1.3 alone; `overlap` is kept between 0 and `mem`. */
double extended_exec(double comp, double mem, double overlap);
teg_status extended(const struct extended_inputs *in, struct extended_result *r,
                    struct teg_diag *d);
#endif
