/*
 * Options of a sub-command as a table, from which parsing, error messages and
 * --help follow.
 *
 *     const struct opt options[] = {
 *         {"gpu", 'g', OPT_TEXT, &gpu, "NAME", "GPU to replay on"},
 *         {"strict", 0, OPT_FLAG, &strict, NULL, "unknown opcodes are errors"},
 *         {0}};
 *     const struct usage usage = {"run", "TRACE", "Replays ...", options,
 *                                 .operands_min = 1, .operands_max = 1};
 *
 *     if (!options_parse(&usage, argc, argv, &operands, &status))
 *         return status;
 *
 * --color, --help, --version and the letters -h and -V of the last two come on
 * top by themselves.
 */
#ifndef TEG_TOOLS_TEG_CLI_OPTIONS_H
#define TEG_TOOLS_TEG_CLI_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

enum opt_kind {
    OPT_FLAG,   /* bool, set to true */
    OPT_TEXT,   /* const char *, borrowed from argv */
    OPT_OUTPUT, /* likewise: a file that the command writes */
    OPT_COUNT,  /* uint32_t, at least 1 */
    OPT_BYTES,  /* uint32_t, 0 among them */
    OPT_CHOICE, /* uint32_t, index into `choices` */
    OPT_LIST,   /* struct opt_list; the option may be repeated */
    OPT_WRITES, /* likewise, of KEY=FILE that the command writes */
};

enum {
    OPT_LIST_MAX = 64
};

struct opt_list {
    const char *item[OPT_LIST_MAX]; /* borrowed from argv */
    uint32_t count;
};

struct opt {
    const char *name; /* NULL ends the table */
    char letter;      /* 0: none */
    enum opt_kind kind;
    void *value;          /* as `kind` says */
    const char *argument; /* its placeholder in --help; NULL for a flag */
    const char *help;
    const char *const *choices; /* OPT_CHOICE: NULL-terminated */
};

struct usage {
    const char *command, *operands;
    const char *summary; /* a paragraph */
    const struct opt *options;
    int operands_min, operands_max;
    bool writes_last; /* the last operand is a file that the command writes */
    bool runs;        /* operands are a program with its arguments */
    bool may_write;   /* without --output nothing is written */
    const char *examples; /* lines for the end of --help, or NULL */
};

struct operands {
    char **item; /* borrowed from argv */
    int count;
};

/*
 * Parses argv[1..].  Files among the arguments are the command's inputs, which
 * none of its outputs may be (inputs.h).  Returns true to go on; false if the command is over
 * (help was printed, or a usage error said), with its exit status in
 * `*status`.
 */
bool options_parse(const struct usage *usage, int argc, char **argv,
                   struct operands *operands, int *status);

#endif
