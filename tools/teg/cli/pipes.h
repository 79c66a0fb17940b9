/*
 * Pipes as inputs: `zcat k.tegt.gz | teg run -`, `teg diff a.json <(...)`.
 *
 * Readers want files that they can go back in, so what comes through a pipe is
 * copied to a temporary file that has no name and is gone with the process.
 */
#ifndef TEG_TOOLS_TEG_CLI_PIPES_H
#define TEG_TOOLS_TEG_CLI_PIPES_H

#include <stdbool.h>

/* Puts the path of such a copy into `*path` if that is "-", which is standard
 * input, or a pipe.  Says what is wrong and returns an exit status. */
int pipe_copy(char **path);
/* It is the path of such a copy. */
bool pipe_is_copy(const char *path);
/* What a path is called before people: `path` itself, or "standard input" and
 * what follows the path of a copy, in `out`. */
const char *pipe_title(const char *path, char *out, int size);

#endif
