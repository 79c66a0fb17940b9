/* Options of the emulator, for commands that run kernels. */
#ifndef TEG_TOOLS_TEG_CLI_EMULATOR_H
#define TEG_TOOLS_TEG_CLI_EMULATOR_H

#include "traces/emulate/core/emulate.h"

#define STRICT_OPTION(flag)                                                   \
    {                                                                         \
        "strict-memory", 0, OPT_FLAG, &(flag), NULL,                          \
            "let a buffer end with its last byte; without it what reads the " \
            "rest of its last 256 bytes goes well, as on a GPU, which "       \
            "allocates so, and finds 0",                                      \
            NULL                                                              \
    }

#define INTERLEAVE_OPTION(text)                                              \
    {                                                                        \
        "interleave", 0, OPT_TEXT, &(text), "HOW",                           \
            "how the warps of a block take turns: steps, an instruction "    \
            "each, as if side by side; grid, the same with all blocks of a " \
            "launch side by side; blocks, from barrier to barrier and one "  \
            "block after the other; or a number, from which it is drawn "    \
            "how many each; default: blocks, but those that share what a "   \
            "counter deals out, poll for what others write or swap words "   \
            "of global memory until they succeed run beside each other. "    \
            "What races gets another of its results",                        \
            NULL                                                             \
    }

#define LIMIT_OPTION(text)                                                  \
    {                                                                       \
        "limit", 0, OPT_TEXT, &(text), "LIMIT",                             \
            "what a launch gets, or it is taken to run for ever and ends "  \
            "with where its warps are: so many million instructions of a "  \
            "warp (100 is the default), seconds on this machine (30s), or " \
            "both (500,30s)",                                               \
            NULL                                                            \
    }

/* What --limit of `command` says; NULL: nothing. Returns as the next one. */
int limit_parse(const char *command, const char *text, struct emu_limit *limit);

/* What --interleave of `command` says; NULL: nothing. Returns EXIT_DONE, or
 * EXIT_USAGE after saying what is wrong. */
int interleave_parse(const char *command, const char *text,
                     struct emu_order *order);

#endif
