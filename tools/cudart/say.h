/* What the runtime says on standard error: a line "teg: where: what". */
#ifndef TEG_TOOLS_CUDART_SAY_H
#define TEG_TOOLS_CUDART_SAY_H

#include "isa/base/status.h"

void runtime_say(const char *where, const char *format, ...) TEG_PRINTF(2, 3);
void runtime_say_fault(const struct teg_diag *d);

#endif
