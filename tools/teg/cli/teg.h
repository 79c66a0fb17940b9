/*
 * What the sub-commands of `teg` share: exit statuses, how they speak, and
 * the table of commands (commands.def).
 *
 * Results go to standard output, everything else to standard error as
 * "teg: where: what".  A helper that can fail says so itself and returns the
 * exit status, EXIT_DONE to go on.
 */
#ifndef TEG_TOOLS_TEG_CLI_TEG_H
#define TEG_TOOLS_TEG_CLI_TEG_H

#include "isa/base/nearest.h"
#include "sim/teg.h"

#include <stdbool.h>

enum {
    EXIT_DONE = 0,
    EXIT_FAULT = 1,         /* input or simulation error */
    EXIT_USAGE = 2,         /* unknown command, option or name */
    EXIT_INTERRUPTED = 130, /* as the shell counts a SIGINT */
    EXIT_NO_READER = 141,   /* a SIGPIPE: `| head` has seen enough */
};

struct command {
    const char *group; /* what it is for, as a heading */
    const char *name, *operands, *help;
    int (*run)(int argc, char **argv);
};

/* All commands, `*count` of them. */
const struct command *commands(size_t *count);

#define COMMAND(name, operands, help) int cmd_##name(int argc, char **argv);
#include "tools/teg/cli/commands.def"

/* "teg: where: what"; `where` may be "". */
void say(const char *where, const char *format, ...) TEG_PRINTF(2, 3);
/* Says what a library call reported; returns the exit status for it. */
int say_fault(const struct teg_diag *d);
/* A misuse of `command` ("" for teg itself), with a pointer to its --help;
 * returns EXIT_USAGE. */
int say_usage(const char *command, const char *format, ...) TEG_PRINTF(2, 3);
int say_memory(void);

/* "; did you mean '<prefix>run'?" in `out`, or "" if nothing known is like
 * it. */
const char *did_you_mean(const struct teg_nearest *n, const char *prefix,
                         char out[96]);

/* True once the user pressed Ctrl-C; only after catch_interrupt. */
bool interrupted(void);
void catch_interrupt(void);

#endif
