/*
 * What `teg check` finds: everything about a launch that makes its numbers
 * less trustworthy than they look, from a trace of any format.
 *
 * A finding is a note (isa/base/notes.h): a stable kind, the first place, one
 * sentence, how often.  The kind decides how bad it is.
 */
#ifndef TEG_TRACES_STUDY_LINT_H
#define TEG_TRACES_STUDY_LINT_H

#include "traces/block/cursor.h"

enum teg_severity {
    SEVERITY_INFO,    /* worth knowing */
    SEVERITY_WARNING, /* results may be off */
    SEVERITY_ERROR,   /* cannot be what ran */
};

const char *teg_severity_name(enum teg_severity severity);
/* Of a finding or of any reader's note; a kind in no table is a warning. */
enum teg_severity teg_lint_severity(const char *kind);
/* The i-th kind of them all, NULL behind the last. */
const char *teg_lint_kind(size_t i);
/* One sentence that says what a kind means, "" for one in no table. */
const char *teg_lint_help(const char *kind);

/*
 * Walks all blocks of `launch`, which it leaves open and at its end, and adds
 * the findings and the reader's own notes to `out`.  `gpu_cc` is ten times
 * the compute capability it is to run on, 0 if that is open.  When a block
 * cannot be read, what was found before is in `out` too.
 */
teg_status teg_lint_launch(struct teg_launch *launch, uint32_t gpu_cc,
                           struct teg_notes *out, struct teg_diag *d);

#endif
