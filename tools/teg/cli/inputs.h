/*
 * The files that a command reads, so that it writes over none of them, and
 * those that it writes, so that none is written twice.
 *
 *     teg: k.tegt: this command reads it and would write its result over it
 *
 * The command line names most of them; a trace of many files and a description
 * with its family name the others as they are opened.  Files are compared by
 * device and inode: another path, a link and a hard link are the same file.
 */
#ifndef TEG_TOOLS_TEG_CLI_INPUTS_H
#define TEG_TOOLS_TEG_CLI_INPUTS_H

/* Remembers the regular file at `path`, if there is one.  Returns an exit
 * status: there may be no memory. */
int inputs_add(const char *path);
/* Refuses, with a line, to write to `path` if it is one of them.  NULL is
 * standard output. */
int inputs_spare(const char *path);
/* Of the files that a command writes, the second at the same place is refused
 * with a line.  NULL is standard output. */
int outputs_add(const char *path);

#endif
