/*
 * The functions that rows of findings.def name: share_<name> is the share of
 * the launch's time that the row's flaw may cost, 0 to 1 and 0 where there is
 * none, figure_<name> the number that is told.
 */
#ifndef TEG_TOOLS_TEG_REPORT_FINDINGS_RULES_H
#define TEG_TOOLS_TEG_REPORT_FINDINGS_RULES_H

#include "tools/teg/report/findings.h"

typedef double rule(const struct evidence *e);

#define FINDING(name, tier, what_if, share, figure, text, cure, advice) \
    rule share_##share, figure_##figure;
#include "tools/teg/report/findings.def"

#endif
