/* teg merge: joins the rows of a sweep that ran in parts. */
#include "tools/teg/sweep/sweep.h"

#include <inttypes.h>

struct merge {
    struct sweep_choice choice;
    struct sweep_journal journal;
};

/* Ranges of points that no file has: "3, 7-9". */
static int say_missing(const struct sweep_journal *j)
{
    enum {
        SHOWN = 10
    };
    char list[SHOWN * 48] = "";
    size_t used = 0;
    uint32_t shown = 0;

    if (j->done == j->points)
        return EXIT_DONE;
    for (uint64_t i = 0; i < j->points && shown <= SHOWN; i++) {
        uint64_t last = i;

        if (j->row[i].size != 0)
            continue;
        while (last + 1 < j->points && j->row[last + 1].size == 0)
            last++;
        if (shown++ == SHOWN)
            used += (size_t)snprintf(list + used, sizeof list - used, " ...");
        else if (last > i)
            used += (size_t)snprintf(list + used, sizeof list - used,
                                     "%s%" PRIu64 "-%" PRIu64,
                                     used > 0 ? ", " : "", i, last);
        else
            used += (size_t)snprintf(list + used, sizeof list - used,
                                     "%s%" PRIu64, used > 0 ? ", " : "", i);
        i = last;
    }
    say("", "%" PRIu64 " of %" PRIu64 " points are in no file: %s",
        j->points - j->done, j->points, list);
    return EXIT_FAULT;
}

static json_t *first_ok(const struct sweep_journal *j)
{
    for (uint64_t i = 0; i < j->points; i++) {
        json_t *row = sweep_journal_json(j, i);

        if (json_object_get(row, "cycles") != NULL)
            return row;
        json_decref(row);
    }
    return NULL;
}

static int merge(struct merge *m, const struct operands *files)
{
    int status = sweep_journal_open(&m->journal, NULL, NULL, 0);
    json_t *row;

    for (int i = 0; status == EXIT_DONE && i < files->count; i++)
        status = sweep_journal_merge(&m->journal, files->item[i]);
    if (status == EXIT_DONE && m->journal.points == 0) {
        say(files->item[0], "expected rows of `teg sweep -f json`, found none");
        status = EXIT_FAULT;
    }
    if (status != EXIT_DONE)
        return status;
    row = first_ok(&m->journal);
    status = sweep_choice_check(&m->choice, row);
    json_decref(row);
    if (status == EXIT_DONE)
        status = sweep_table_write(&m->choice, &m->journal);
    return status == EXIT_DONE ? say_missing(&m->journal) : status;
}

int cmd_merge(int argc, char **argv)
{
    struct merge m = {.journal.fd = -1};
    const struct opt options[] = {
        SWEEP_CHOICE_OPTIONS(m.choice), SWEEP_OUTPUT_OPTIONS(m.choice), {0}};
    const struct usage usage = {
        .command = "merge",
        .operands = "FILE...",
        .summary = "Joins the rows that parts of one sweep wrote as JSON lines "
                   "(`teg sweep --shard I/N -f json`), or the journals of "
                   "interrupted ones, in the order of the points.",
        .options = options,
        .operands_min = 1,
        .operands_max = 1 << 20,
        .examples = "  teg merge part*.json -f csv -o all.csv\n"};
    struct operands operands;
    int status;

    if (!options_parse(&usage, argc, argv, &operands, &status))
        return status;
    status = merge(&m, &operands);
    sweep_journal_release(&m.journal);
    return status;
}
