#include "tools/teg/cli/option_table.h"

#include <stdio.h>
#include <string.h>

/*
 * What may stand for a value.  The first row whose option and placeholder fit
 * decides, NULL fits any; OPT_CHOICE needs none.
 */
static const struct value_row {
    const char *option, *argument;
    const char *values;
} value_rows[] = {
    {NULL, "GPU", "@gpu"},
    {NULL, "GPU[,GPU]", "@gpu,"},
    {NULL, "DIR", "@directory"},
    {NULL, "FILE", "@file"},
    {NULL, "FILE.tegt", "@file"},
    {NULL, "FILE.json[.gz]", "@file"},
    {"what-if", NULL, "@what-if,"},
    {"model", "NAME", "@model"},
    {"cycles", "SOURCE", "simulated @model"},
    {"sweep", "SOURCE", "simulated off auto @model"},
    {"set", NULL, "@key="},
    {"vary", NULL, "@key="},
    {"operands", "[NAME]", "@gpu"},
    {"operands", "[TERM]...", "@term"},
    {"operands", "-- PROGRAM [ARG]...", "@program"},
    {"operands", "sgemm | lattice-qcd | FILE.flow | TRACE",
     "sgemm lattice-qcd @file"},
    {"operands", NULL, "@file"},
};

static const char *values_of(const char *option, const char *argument)
{
    for (size_t i = 0; i < sizeof value_rows / sizeof value_rows[0]; i++) {
        const struct value_row *row = &value_rows[i];

        if ((row->option == NULL || strcmp(row->option, option) == 0) &&
            (row->argument == NULL || strcmp(row->argument, argument) == 0))
            return row->values;
    }
    return "-";
}

bool option_table_asked(int argc, char **argv)
{
    return argc == 2 && strcmp(argv[1], "--_options") == 0;
}

static void print_values(const struct opt *row)
{
    if (row->kind != OPT_CHOICE) {
        fputs(row->argument != NULL ? values_of(row->name, row->argument) : "-",
              stdout);
        return;
    }
    for (uint32_t i = 0; row->choices[i] != NULL; i++)
        printf("%s%s", i == 0 ? "" : " ", row->choices[i]);
}

void option_table_print(const struct usage *usage, const struct opt *const *row,
                        int count)
{
    printf("operands\t-\t%s\t%s\t-\t-\n", usage->operands,
           values_of("operands", usage->operands));
    for (int i = 0; i < count; i++) {
        const char letter[] = {'-', row[i]->letter, '\0'};

        printf("--%s\t%s\t%s\t", row[i]->name, letter,
               row[i]->argument != NULL ? row[i]->argument : "-");
        print_values(row[i]);
        printf("\t%s\t%s\n",
               row[i]->kind == OPT_LIST || row[i]->kind == OPT_WRITES ? "many"
                                                                      : "one",
               row[i]->help);
    }
}
