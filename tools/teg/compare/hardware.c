#include "tools/teg/compare/hardware.h"

#include "tools/teg/cli/teg.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* What a column is, by its head.  Any other is a metric. */
enum role {
    ROLE_METRIC,
    ROLE_KERNEL,
    ROLE_ID,
    ROLE_NAME,  /* of the row's metric */
    ROLE_UNIT,  /* of it */
    ROLE_VALUE, /* of it */
    ROLE_COUNT, /* of launches that the row is the mean of */
    ROLE_OTHER,
};

static const struct {
    const char *head;
    enum role role;
} roles[] = {
    {"Kernel Name", ROLE_KERNEL},
    {"Kernel", ROLE_KERNEL},
    {"Name", ROLE_KERNEL},
    {"ID", ROLE_ID},
    {"Launch", ROLE_ID},
    {"Metric Name", ROLE_NAME},
    {"Metric Unit", ROLE_UNIT},
    {"Metric Value", ROLE_VALUE},
    {"Average", ROLE_VALUE},
    {"Instances", ROLE_COUNT},
    {"Invocations", ROLE_COUNT},
    {"Process ID", ROLE_OTHER},
    {"Process Name", ROLE_OTHER},
    {"Host Name", ROLE_OTHER},
    {"Kernel Time", ROLE_OTHER},
    {"Context", ROLE_OTHER},
    {"Stream", ROLE_OTHER},
    {"Block Size", ROLE_OTHER},
    {"Grid Size", ROLE_OTHER},
    {"Device", ROLE_OTHER},
    {"CC", ROLE_OTHER},
    {"Section Name", ROLE_OTHER},
    {"Rule Name", ROLE_OTHER},
    {"Rule Type", ROLE_OTHER},
    {"Time (%)", ROLE_OTHER},
    {"Total Time (ns)", ROLE_OTHER},
    {"Start (ns)", ROLE_OTHER},
    {"CorrId", ROLE_OTHER},
    {"Ctx", ROLE_OTHER},
    {"GreenCtx", ROLE_OTHER},
    {"Strm", ROLE_OTHER},
    {"GrdX", ROLE_OTHER},
    {"GrdY", ROLE_OTHER},
    {"GrdZ", ROLE_OTHER},
    {"BlkX", ROLE_OTHER},
    {"BlkY", ROLE_OTHER},
    {"BlkZ", ROLE_OTHER},
    {"Med (ns)", ROLE_OTHER},
    {"Min (ns)", ROLE_OTHER},
    {"Max (ns)", ROLE_OTHER},
    {"StdDev (ns)", ROLE_OTHER},
    {"Minimum", ROLE_OTHER},
    {"Maximum", ROLE_OTHER},
    {"Bytes (MB)", ROLE_OTHER},
    {"Throughput (MB/s)", ROLE_OTHER},
    {"SrcMemKd", ROLE_OTHER},
    {"DstMemKd", ROLE_OTHER},
    {"StcSMem (MB)", ROLE_OTHER},
    {"DymSMem (MB)", ROLE_OTHER},
};

static enum role role_of(const char *head)
{
    for (size_t i = 0; i < sizeof roles / sizeof roles[0]; i++) {
        if (strcasecmp(roles[i].head, head) == 0)
            return roles[i].role;
    }
    return ROLE_METRIC;
}

/* The columns of a head by what they are; UINT32_MAX: there is none. */
struct columns {
    const struct csv_row *head, *units; /* units NULL: none below the head */
    uint32_t of[ROLE_OTHER + 1];        /* ROLE_METRIC: the first */
};

static bool is_head(const struct csv_row *row, struct columns *c)
{
    *c = (struct columns){.head = row};
    for (uint32_t r = 0; r <= ROLE_OTHER; r++)
        c->of[r] = UINT32_MAX;
    for (uint32_t i = 0; i < row->cell_count; i++) {
        enum role role = role_of(row->cell[i]);

        if (c->of[role] == UINT32_MAX && row->cell[i][0] != '\0')
            c->of[role] = i;
    }
    if (c->of[ROLE_KERNEL] == UINT32_MAX)
        return false;
    return c->of[ROLE_NAME] != UINT32_MAX ? c->of[ROLE_VALUE] != UINT32_MAX
                                          : c->of[ROLE_METRIC] != UINT32_MAX;
}

static const char *cell_of(const struct columns *c, const struct csv_row *row,
                           enum role role)
{
    return csv_cell(row, c->of[role]);
}

/* Copies and sets of memory stand among nsys's kernels. */
static bool is_kernel(const char *name)
{
    return name[0] != '\0' && strncmp(name, "[CUDA ", 6) != 0;
}

/* A number with thousands separators or without; false: none. */
static bool parse_number(const char *text, double *v)
{
    char digits[64], *to = digits, *end;

    for (; *text != '\0' && to < digits + sizeof digits - 1; text++) {
        if (*text != ',')
            *to++ = *text;
    }
    *to = '\0';
    *v = strtod(digits, &end);
    return *text == '\0' && end != digits && *end == '\0' && isfinite(*v);
}

/* Launches of a kernel are told apart by their ID; rows without one are a
 * launch each. */
static uint32_t find_launch(struct hardware *m, const struct csv_row *row,
                            const struct columns *c)
{
    const char *kernel = cell_of(c, row, ROLE_KERNEL);
    const char *id = cell_of(c, row, ROLE_ID);
    const bool mean = c->of[ROLE_COUNT] != UINT32_MAX;
    uint32_t number = 1;

    for (uint32_t i = m->launches; i > 0; i--) {
        const struct measured_launch *l = &m->launch[i - 1];

        if (strcmp(l->kernel, kernel) != 0)
            continue;
        if (mean || (c->of[ROLE_ID] != UINT32_MAX && strcmp(l->id, id) == 0))
            return i - 1;
        number = l->number + 1;
        break;
    }
    m->launch[m->launches] = (struct measured_launch){.kernel = kernel,
                                                      .id = id,
                                                      .number = number,
                                                      .line = row->line,
                                                      .mean = mean};
    return m->launches++;
}

static void put(struct hardware *m, uint32_t launch, char *name, char *unit,
                const char *text)
{
    struct measured_value *v = &m->value[m->values];

    *v = (struct measured_value){.launch = launch, .name = name, .unit = unit};
    if (parse_number(text, &v->value))
        m->values++;
    else
        m->not_numbers += text[0] != '\0';
}

/* The unit that a head has in parentheses, which are cut off. */
static char *unit_of_head(char *head)
{
    static char none[1];
    size_t length = strlen(head);
    char *open = strrchr(head, '(');

    if (open == NULL || open == head || open[-1] != ' ' ||
        head[length - 1] != ')')
        return none;
    head[length - 1] = '\0';
    open[-1] = '\0';
    return open + 1;
}

static void take_row(struct hardware *m, const struct csv_row *row,
                     const struct columns *c, char **unit)
{
    const uint32_t launch = find_launch(m, row, c);

    if (c->of[ROLE_NAME] != UINT32_MAX) {
        static char none[1];
        char *own = c->of[ROLE_UNIT] < row->cell_count
                        ? row->cell[c->of[ROLE_UNIT]]
                        : none;

        if (cell_of(c, row, ROLE_NAME)[0] != '\0')
            put(m, launch, row->cell[c->of[ROLE_NAME]], own,
                cell_of(c, row, ROLE_VALUE));
        return;
    }
    for (uint32_t i = 0; i < c->head->cell_count && i < row->cell_count; i++) {
        if (role_of(c->head->cell[i]) == ROLE_METRIC &&
            c->head->cell[i][0] != '\0')
            put(m, launch, c->head->cell[i], unit[i], row->cell[i]);
    }
}

/* Units stand in the head or in the row below it, which names no kernel. */
static void take_units(const struct columns *c, char **unit)
{
    for (uint32_t i = 0; i < c->head->cell_count; i++) {
        unit[i] = role_of(c->head->cell[i]) == ROLE_METRIC
                      ? unit_of_head(c->head->cell[i])
                      : c->head->cell[i];
        if (c->units != NULL && i < c->units->cell_count)
            unit[i] = c->units->cell[i];
    }
}

/* Who writes such a head. */
static enum measured_by tool_of(const struct csv_row *head)
{
    static const struct {
        const char *head;
        enum measured_by by;
    } marks[] = {{"Process ID", MEASURED_NCU},
                 {"CorrId", MEASURED_NSYS},
                 {"Time (%)", MEASURED_NSYS}};

    for (uint32_t i = 0; i < head->cell_count; i++) {
        for (size_t k = 0; k < sizeof marks / sizeof marks[0]; k++) {
            if (strcmp(head->cell[i], marks[k].head) == 0)
                return marks[k].by;
        }
    }
    return MEASURED_PLAIN;
}

static int take_table(struct hardware *m, const char *path)
{
    const struct csv_table *t = &m->table;
    struct columns c = {0};
    uint32_t at = 0;
    size_t cells = 0;
    char **unit;

    while (at < t->row_count && !is_head(&t->row[at], &c))
        at++;
    if (at == t->row_count) {
        say(path, "expected a table in CSV with a column of kernels (Kernel "
                  "Name, Name, kernel) and one of a metric, found none");
        return EXIT_FAULT;
    }
    if (at + 1 < t->row_count &&
        cell_of(&c, &t->row[at + 1], ROLE_KERNEL)[0] == '\0')
        c.units = &t->row[++at];
    for (uint32_t i = at + 1; i < t->row_count; i++)
        cells += t->row[i].cell_count;
    m->launch = calloc(t->row_count + 1, sizeof *m->launch);
    m->value = calloc(cells + 1, sizeof *m->value);
    unit = calloc(c.head->cell_count, sizeof *unit);
    if (m->launch == NULL || m->value == NULL || unit == NULL) {
        free(unit);
        return say_memory();
    }
    m->by = tool_of(c.head);
    take_units(&c, unit);
    for (uint32_t i = at + 1; i < t->row_count; i++) {
        if (is_kernel(cell_of(&c, &t->row[i], ROLE_KERNEL)))
            take_row(m, &t->row[i], &c, unit);
    }
    free(unit);
    if (m->launches != 0)
        return EXIT_DONE;
    say(path,
        "line %u: a table of measurements begins here, but no launch of "
        "a kernel follows",
        c.head->line);
    return EXIT_FAULT;
}

int hardware_read(struct hardware *m, const char *path)
{
    int status;

    *m = (struct hardware){0};
    status = csv_table_read(&m->table, path);
    if (status != EXIT_DONE)
        return status;
    status = take_table(m, path);
    if (status != EXIT_DONE)
        hardware_release(m);
    return status;
}

void hardware_release(struct hardware *m)
{
    csv_table_release(&m->table);
    free(m->launch);
    free(m->value);
    *m = (struct hardware){0};
}
