/* Remarks that did not stop the work: "3 unknown opcodes", "a listed file is
 * missing".  One entry per kind, with the first occurrence. */
#ifndef TEG_PUBLIC_NOTE_H
#define TEG_PUBLIC_NOTE_H

#include "api.h"

TEG_BEGIN

struct teg_trace;
struct teg_result;
struct teg_note;

/* Remark `i`, from 0, about a trace as a whole, or about what was read for a
 * replay; NULL beyond the last.  Valid as long as what it was asked of. */
TEG_API const struct teg_note *teg_trace_note(const struct teg_trace *trace,
                                              uint32_t i);
TEG_API const struct teg_note *teg_result_note(const struct teg_result *result,
                                               uint32_t i);

/* A key that stays, "insts-count". */
TEG_API const char *teg_note_kind(const struct teg_note *note);
/* Place and text of the first occurrence; how many there were. */
TEG_API const char *teg_note_where(const struct teg_note *note);
TEG_API const char *teg_note_what(const struct teg_note *note);
TEG_API uint64_t teg_note_count(const struct teg_note *note);

TEG_END

#endif
