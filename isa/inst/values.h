/* What cannot be timed where a trace lacks values (values.def). */
#ifndef TEG_ISA_INST_VALUES_H
#define TEG_ISA_INST_VALUES_H

#include "isa/base/notes.h"
#include "isa/inst/inst.h"

/* Notes what is left out if executions of the instruction of that text should
 * have values and have none. */
void teg_values_note(struct teg_notes *notes, const struct teg_inst *inst,
                     const char *text, const char *where);

#endif
