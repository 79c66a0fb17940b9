#include "tools/teg/cli/options.h"

#include "tools/teg/cli/color.h"
#include "tools/teg/cli/inputs.h"
#include "tools/teg/cli/option_table.h"
#include "tools/teg/cli/output.h"
#include "tools/teg/cli/pipes.h"
#include "tools/teg/cli/teg.h"

#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MAX = 48,
    HELP_COLUMN = 26
};

/* What getopt_long returns for row i of the table, out of letters' way. */
enum {
    ROW_CODE = 1000
};

static const struct opt common_rows[] = {
    {"color", 0, OPT_CHOICE, &color_when, "WHEN",
     "auto (default: on a terminal, unless NO_COLOR is set), always or never",
     color_names},
    {"help", 'h', OPT_FLAG, NULL, NULL, "print this help and exit", NULL},
    {"version", 'V', OPT_FLAG, NULL, NULL, "print the version and exit", NULL},
};

enum {
    ROW_COLOR,
    ROW_HELP,
    ROW_VERSION,
    COMMON_ROWS
};

/* The common rows first, then the command's, in both of getopt's forms. */
struct rows {
    const struct opt *row[ROWS_MAX];
    struct option longs[ROWS_MAX + 1];
    char letters[3 * ROWS_MAX];
    int count;
};

static void rows_add(struct rows *rows, const struct opt *row)
{
    size_t at = strlen(rows->letters);
    int has_argument = row->kind != OPT_FLAG;

    if (rows->count == ROWS_MAX)
        return;
    if (row->letter != '\0')
        snprintf(rows->letters + at, sizeof rows->letters - at, "%c%s",
                 row->letter, has_argument ? ":" : "");
    rows->longs[rows->count] = (struct option){
        row->name, has_argument ? required_argument : no_argument, NULL,
        ROW_CODE + rows->count};
    rows->row[rows->count++] = row;
}

static void rows_init(struct rows *rows, const struct usage *usage)
{
    *rows = (struct rows){.letters = ":"};
    for (int i = 0; i < COMMON_ROWS; i++)
        rows_add(rows, &common_rows[i]);
    for (const struct opt *row = usage->options; row->name != NULL; row++)
        rows_add(rows, row);
}

static void print_row(const struct opt *row)
{
    char left[64];
    int used;

    used =
        row->letter != '\0'
            ? snprintf(left, sizeof left, "  -%c, --%s", row->letter, row->name)
            : snprintf(left, sizeof left, "      --%s", row->name);
    if (row->argument != NULL && used < (int)sizeof left)
        snprintf(left + used, sizeof left - (size_t)used, "=%s", row->argument);
    used = printf("%s", left);
    if (used > HELP_COLUMN - 2) {
        putchar('\n');
        used = 0;
    }
    printf("%*s", HELP_COLUMN - used, "");
    print_wrapped(stdout, row->help, HELP_COLUMN, HELP_COLUMN);
}

/* The command's own rows first. */
static void print_table(const struct usage *usage, const struct rows *rows)
{
    const struct opt *row[ROWS_MAX];
    int count = 0;

    for (int i = COMMON_ROWS; i < rows->count; i++)
        row[count++] = rows->row[i];
    for (int i = 0; i < COMMON_ROWS; i++)
        row[count++] = rows->row[i];
    option_table_print(usage, row, count);
}

static void print_help(const struct usage *usage, const struct rows *rows)
{
    printf("Usage: teg %s [OPTION]... %s\n\n", usage->command, usage->operands);
    print_wrapped(stdout, usage->summary, 0, 0);
    printf("\nOptions:\n");
    for (int i = COMMON_ROWS; i < rows->count; i++)
        print_row(rows->row[i]);
    for (int i = 0; i < COMMON_ROWS; i++)
        print_row(rows->row[i]);
    if (usage->examples != NULL)
        printf("\nExamples:\n%s", usage->examples);
}

static int take_count(const struct usage *usage, const struct opt *row,
                      const char *text)
{
    const unsigned long least = row->kind == OPT_COUNT;
    char *end;
    unsigned long v;

    errno = 0;
    v = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)text[0]) || *end != '\0' || errno != 0 ||
        v < least || v > UINT32_MAX)
        return say_usage(usage->command,
                         "--%s: expected a number from %lu, found '%s'",
                         row->name, least, text);
    *(uint32_t *)row->value = (uint32_t)v;
    return EXIT_DONE;
}

static int take_choice(const struct usage *usage, const struct opt *row,
                       const char *text)
{
    char hint[96], known[128] = "";
    struct teg_nearest nearest;

    teg_nearest_init(&nearest, text);
    for (uint32_t i = 0; row->choices[i] != NULL; i++) {
        size_t used = strlen(known);

        if (strcmp(row->choices[i], text) == 0) {
            *(uint32_t *)row->value = i;
            return EXIT_DONE;
        }
        teg_nearest_offer(&nearest, row->choices[i]);
        snprintf(known + used, sizeof known - used, "%s%s", i == 0 ? "" : ", ",
                 row->choices[i]);
    }
    return say_usage(usage->command, "--%s: expected one of %s, found '%s'%s",
                     row->name, known, text, did_you_mean(&nearest, "", hint));
}

static int take_list(const struct usage *usage, const struct opt *row,
                     const char *text)
{
    struct opt_list *list = row->value;

    if (list->count == OPT_LIST_MAX)
        return say_usage(usage->command, "--%s: given more than %d times",
                         row->name, OPT_LIST_MAX);
    list->item[list->count++] = text;
    return EXIT_DONE;
}

/* "FILE", or "KEY=FILE". */
static int take_input(const char *text)
{
    const char *equals = strrchr(text, '=');
    int status = inputs_add(text);

    return status == EXIT_DONE && equals != NULL ? inputs_add(equals + 1)
                                                 : status;
}

static int take(const struct usage *usage, const struct opt *row,
                const char *text)
{
    int status = row->kind == OPT_TEXT || row->kind == OPT_LIST
                     ? take_input(text)
                     : EXIT_DONE;

    if (status != EXIT_DONE)
        return status;
    switch (row->kind) {
    case OPT_FLAG:
        *(bool *)row->value = true;
        return EXIT_DONE;
    case OPT_OUTPUT:
        if (strcmp(text, "-") != 0 || usage->may_write ||
            strcmp(row->name, "output") != 0)
            *(const char **)row->value = output_path(text);
        return EXIT_DONE;
    case OPT_TEXT:
        *(const char **)row->value = text;
        return EXIT_DONE;
    case OPT_COUNT:
    case OPT_BYTES:
        return take_count(usage, row, text);
    case OPT_CHOICE:
        return take_choice(usage, row, text);
    case OPT_LIST:
    case OPT_WRITES:
        return take_list(usage, row, text);
    }
    return EXIT_USAGE;
}

static const struct opt *row_of(const struct rows *rows, int code)
{
    if (code >= ROW_CODE)
        return rows->row[code - ROW_CODE];
    for (int i = 0; i < rows->count; i++) {
        if (rows->row[i]->letter == code)
            return rows->row[i];
    }
    return NULL;
}

/* getopt names what it could not place in optopt (a letter, or a long
 * option's code), or leaves it 0 and the word just behind optind. */
static int refuse(const struct usage *usage, const struct rows *rows,
                  int result, char **argv)
{
    const struct opt *row = optopt != 0 ? row_of(rows, optopt) : NULL;
    const char *word = argv[optind - 1];
    struct teg_nearest nearest;
    char hint[96], name[64];

    if (result == ':' && row != NULL)
        return say_usage(usage->command, "option '--%s' needs %s", row->name,
                         row->argument);
    if (row != NULL)
        return say_usage(usage->command, "option '--%s' takes no value",
                         row->name);
    if (optopt != 0)
        return say_usage(usage->command, "unknown option '-%c'", optopt);
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    teg_nearest_init(&nearest, name + strspn(name, "-"));
    for (int i = 0; i < rows->count; i++)
        teg_nearest_offer(&nearest, rows->row[i]->name);
    return say_usage(usage->command, "unknown option '%s'%s", name,
                     did_you_mean(&nearest, "--", hint));
}

static int check_operands(const struct usage *usage, int count)
{
    if (count < usage->operands_min)
        return say_usage(usage->command, "expected %s, found %s",
                         usage->operands,
                         count == 0 ? "nothing" : "too few arguments");
    if (count > usage->operands_max)
        return say_usage(usage->command, "expected %s, found %d arguments",
                         usage->operands[0] != '\0' ? usage->operands
                                                    : "no arguments",
                         count);
    return EXIT_DONE;
}

/* Pipes among the inputs become files. */
static int copy_pipes(const struct usage *usage, struct operands *operands)
{
    int inputs = operands->count - usage->writes_last, status = EXIT_DONE;

    for (int i = 0; status == EXIT_DONE && i < inputs && !usage->runs; i++)
        status = pipe_copy(&operands->item[i]);
    return status;
}

/* `--what-if help`: the names that there are. */
static bool asked_for_what_ifs(const struct opt *row, const char *text)
{
    uint32_t count;
    const struct teg_whatif *w = teg_whatifs(&count);

    if (row->kind != OPT_LIST || strcmp(row->name, "what-if") != 0 ||
        strcmp(text, "help") != 0)
        return false;
    for (uint32_t i = 0; i < count; i++)
        printf("%-22s %s\n", w[i].name, w[i].help);
    printf("%-22s twice as many of that unit\n", "double:<unit>");
    printf("\nOf the instructions of a source line, NAME@FILE:LINE:\n");
    w = teg_whatifs_at_line(&count);
    for (uint32_t i = 0; i < count; i++)
        printf("%-22s %s\n", w[i].name, w[i].help);
    return true;
}

/* KEY=FILE of each; one without is found where it is used. */
static int check_list(const struct opt_list *list)
{
    int status = EXIT_DONE;

    for (uint32_t i = 0; status == EXIT_DONE && i < list->count; i++) {
        const char *equals = strchr(list->item[i], '=');

        if (equals != NULL)
            status = inputs_spare(equals + 1);
        if (status == EXIT_DONE && equals != NULL)
            status = outputs_add(equals + 1);
    }
    return status;
}

/* Once all inputs are known. */
static int check_outputs(const struct usage *usage, struct operands *operands)
{
    int inputs = operands->count - usage->writes_last, status = EXIT_DONE;

    for (int i = 0; status == EXIT_DONE && i < inputs; i++)
        status = take_input(operands->item[i]);
    for (const struct opt *row = usage->options;
         status == EXIT_DONE && row->name != NULL; row++) {
        if (row->kind == OPT_WRITES)
            status = check_list(row->value);
        if (row->kind != OPT_OUTPUT)
            continue;
        status = inputs_spare(*(const char **)row->value);
        if (status == EXIT_DONE)
            status = outputs_add(*(const char **)row->value);
    }
    if (usage->writes_last)
        operands->item[inputs] = (char *)output_path(operands->item[inputs]);
    if (status == EXIT_DONE && usage->writes_last)
        status = inputs_spare(operands->item[inputs]);
    return status;
}

bool options_parse(const struct usage *usage, int argc, char **argv,
                   struct operands *operands, int *status)
{
    struct rows rows;
    int code;

    rows_init(&rows, usage);
    *status = EXIT_DONE;
    if (option_table_asked(argc, argv)) {
        print_table(usage, &rows);
        return false;
    }
    opterr = 0;
    optind = 1;
    while ((code = getopt_long(argc, argv, rows.letters, rows.longs, NULL)) !=
           -1) {
        const struct opt *row;

        if (code == '?' || code == ':') {
            *status = refuse(usage, &rows, code, argv);
            return false;
        }
        row = row_of(&rows, code);
        if (row == &common_rows[ROW_HELP]) {
            print_help(usage, &rows);
            return false;
        }
        if (row == &common_rows[ROW_VERSION]) {
            printf("teg %s\n", TEG_VERSION);
            return false;
        }
        if (asked_for_what_ifs(row, optarg))
            return false;
        *status = take(usage, row, optarg);
        if (*status != EXIT_DONE)
            return false;
    }
    *operands = (struct operands){argv + optind, argc - optind};
    *status = check_operands(usage, operands->count);
    if (*status == EXIT_DONE)
        *status = copy_pipes(usage, operands);
    if (*status == EXIT_DONE)
        *status = check_outputs(usage, operands);
    return *status == EXIT_DONE;
}
