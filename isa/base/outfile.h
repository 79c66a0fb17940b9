/*
 * A result in a file: complete, or not there.
 *
 * It is written beside its place and put there in one step at the end, so
 * nobody reads half a result and what stood there before stays until then.
 * Where the file system can (O_TMPFILE), it has no name until that step: a
 * process that is killed leaves nothing.  Elsewhere a kill leaves a file
 * PATH.XXXXXX.
 *
 * A symbolic link is written through, as a shell does it.  What replaces a
 * file has its permissions; other names of that file (hard links) keep the
 * old content.  A device, a pipe or /dev/stdout is written into.
 */
#ifndef TEG_ISA_BASE_OUTFILE_H
#define TEG_ISA_BASE_OUTFILE_H

#include <stdio.h>

#include "isa/base/status.h"

struct teg_outfile {
    FILE *file;
    char *path;      /* owned: its place, links followed */
    char *temporary; /* owned; "": has no name yet; NULL: written in place */
};

/* Opens the place of `path`; "/dev/stdout" is the standard output that is open.
 * After a failure there is nothing to abandon. */
teg_status teg_outfile_open(struct teg_outfile *o, const char *path,
                            struct teg_diag *d);
/* Completes the result; a full disk or a closed pipe is found here.  Whatever
 * comes back, it is over. */
teg_status teg_outfile_finish(struct teg_outfile *o, struct teg_diag *d);
/* Throws away what was written.  Harmless when it is over. */
void teg_outfile_abandon(struct teg_outfile *o);

#endif
