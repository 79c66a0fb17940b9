/*
 * A command's options for programs: what the manual pages and the completion
 * of shells are made from (tools/man.sh, tools/completion.sh).
 *
 *     $ teg convert --_options
 *     operands  -   IN OUT   @file              -    -
 *     --to      -   FORMAT   tegt traceg        one  tegt, or traceg: NVBit ...
 *     --kernel  -k  WHICH    -                  one  only these kernels: a ...
 *     --param   -p  NAME=VALUE  -               many a parameter of a kernel ...
 *
 * Columns stand apart by a tab, "-" is none: the name, the letter, the
 * placeholder of the value, what the value may be, how often, help.  A value is
 * one of the words listed; of them @gpu, @what-if, @model and @term are any
 * that teg knows, @key one of a GPU description, @file, @directory and
 * @program what the word says.  Behind a word, "," allows a list and "=" wants
 * a value after it.
 */
#ifndef TEG_TOOLS_TEG_CLI_OPTION_TABLE_H
#define TEG_TOOLS_TEG_CLI_OPTION_TABLE_H

#include "tools/teg/cli/options.h"

#include <stdbool.h>

/* True if the arguments ask for the table instead of the command. */
bool option_table_asked(int argc, char **argv);
/* Prints the operands' row and those of `row`, [count]. */
void option_table_print(const struct usage *usage, const struct opt *const *row,
                        int count);

#endif
