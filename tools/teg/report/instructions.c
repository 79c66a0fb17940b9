#include "tools/teg/report/instructions.h"

#include "tools/teg/cli/output.h"
#include "tools/teg/cli/teg.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    ROWS_MAX = 30,
    TEXT_WIDTH = 28,
    POSITION_WIDTH = 16,
};

const char *source_position(const struct teg_program *p,
                            const struct teg_inst *inst, char out[24])
{
    const char *name = base_name(teg_program_file(p, inst));

    out[0] = '\0';
    if (inst->line == 0)
        return out;
    if (p->file_count == 1 ||
        snprintf(out, 24, "%s:%" PRIu32, name, inst->line) > POSITION_WIDTH)
        snprintf(out, 24, ":%" PRIu32, inst->line);
    return out;
}

const char *source_column(const struct teg_program *p, char out[24])
{
    if (p->file_count == 1)
        snprintf(out, 24, "%.15s:line", base_name(p->text + p->file[0]));
    else
        out[0] = '\0';
    return out;
}

bool has_lines(const struct teg_program *p)
{
    for (uint32_t i = 0; i < p->count; i++) {
        if (p->inst[i].line != 0)
            return true;
    }
    return false;
}

const char *short_count(uint64_t v, char out[24])
{
    static const char names[] = "kMGTP";
    double left = (double)v;
    int i = -1;

    if (v < 100000) {
        snprintf(out, 24, "%" PRIu64, v);
        return out;
    }
    for (; left >= 999.5 && i < 4; i++)
        left /= 1000;
    snprintf(out, 24, "%.3g%c", left, names[i < 0 ? 0 : i]);
    return out;
}

static const char *percent(uint64_t part, uint64_t whole, char out[24])
{
    if (whole == 0)
        snprintf(out, 24, "n/a");
    else
        snprintf(out, 24, "%.1f %%", 100 * (double)part / (double)whole);
    return out;
}

static int longest_stall(const struct by_pc_row *row)
{
    int longest = 0;

    for (int r = 1; r < TEG_STALLS; r++) {
        if (row->stall[r] > row->stall[longest])
            longest = r;
    }
    return longest;
}

void instruction_title(const struct teg_program *p, const struct teg_inst *inst,
                       char *out, size_t size)
{
    const char *text = teg_program_text(p, inst);
    /* As the source has it: without the end of a statement. */
    size_t length = strcspn(text, ";");

    while (length > 0 && text[length - 1] == ' ')
        length--;
    snprintf(out, size, "%.*s", length < 80 ? (int)length : 80, text);
    length = strlen(out);
    if (inst->line != 0 && length < size)
        length +=
            (size_t)snprintf(out + length, size - length, " at %.100s:%" PRIu32,
                             base_name(teg_program_file(p, inst)), inst->line);
    if (inst->call != 0 && length < size)
        snprintf(out + length, size - length, ", inlined at %.100s",
                 teg_program_call(p, inst));
}

void most_waiting(const struct by_pc *b, uint64_t resident, char *out,
                  size_t size)
{
    uint32_t most = by_pc_most_stalled(b);
    char name[300];

    out[0] = '\0';
    if (most == b->count || resident == 0)
        return;
    instruction_title(b->program, &b->program->inst[most], name, sizeof name);
    snprintf(out, size, "%s, %.0f %% of the warps' time", name,
             100 * (double)by_pc_stalled(&b->row[most]) / (double)resident);
}

/* ---- text ----------------------------------------------------------------- */

/* What its memory accesses looked like, if one was not enough. */
static void print_access(FILE *f, const struct by_pc_row *row)
{
    if (row->transactions > row->requests)
        fprintf(f, "%9s%.2f transactions a request\n", "",
                (double)row->transactions / (double)row->requests);
    if (row->passes > row->groups)
        fprintf(f, "%9sconflict degree %.2f\n", "",
                (double)row->passes / (double)row->groups);
}

/* The part of `text` that stands in `width` columns, broken between words. */
static size_t fitting(const char *text, size_t width)
{
    size_t length = strlen(text);

    if (length <= width)
        return length;
    for (length = width; length > 0 && text[length] != ' '; length--)
        ;
    return length > 0 ? length : width;
}

static void print_row(FILE *f, const struct by_pc *b, uint32_t index,
                      uint64_t resident)
{
    const struct by_pc_row *row = &b->row[index];
    const struct teg_inst *inst = &b->program->inst[index];
    struct by_pc_producer producer = by_pc_longest(row);
    uint64_t stalled = by_pc_stalled(row);
    char issued[24], cycles[24], share[24], text[256], first[64];
    char from[24] = "", position[24];
    size_t length, room = TEXT_WIDTH - 1;

    if (*source_position(b->program, inst, position) != '\0')
        room -= strlen(position) + 1;
    snprintf(text, sizeof text, "0x%03" PRIx64 " %s", inst->pc,
             teg_program_text(b->program, inst));
    length = strlen(text);
    if (length > 2 && strcmp(text + length - 2, " ;") == 0)
        text[length - 2] = '\0';
    if (producer.cycles != 0)
        snprintf(from, sizeof from, " 0x%03" PRIx64,
                 b->program->inst[producer.inst].pc);
    length = fitting(text, room);
    snprintf(first, sizeof first, "%.*s%s%s", (int)length, text,
             *position != '\0' ? " " : "", position);
    fprintf(f, "  %-*s%7s %7s %7s %-18s%s\n", TEXT_WIDTH, first,
            short_count(row->issued, issued), short_count(stalled, cycles),
            percent(stalled, resident, share),
            stalled != 0 ? teg_stall_label(longest_stall(row)) : "-", from);
    if (text[length] != '\0')
        fprintf(f, "%9s%s\n", "", text + length + (text[length] == ' '));
    print_access(f, row);
}

static void print_others(FILE *f, const struct by_pc *b,
                         const struct by_pc_rank *order, uint32_t shown,
                         uint32_t count, uint64_t resident)
{
    uint64_t issued = 0, stalled = 0;
    char text[64], a[24], c[24], share[24];

    for (uint32_t i = shown; i < count; i++) {
        issued += b->row[order[i].index].issued;
        stalled += by_pc_stalled(&b->row[order[i].index]);
    }
    snprintf(text, sizeof text, "%u others (csv has all)", count - shown);
    fprintf(f, "  %-*.*s%7s %7s %7s\n", TEXT_WIDTH, TEXT_WIDTH, text,
            short_count(issued, a), short_count(stalled, c),
            percent(stalled, resident, share));
}

int print_instructions(FILE *f, const struct by_pc *b, uint64_t resident)
{
    struct by_pc_rank *order = calloc(b->count + 1u, sizeof *order);
    uint32_t count, shown;
    char source[24];

    if (order == NULL)
        return say_memory();
    count = by_pc_rank(b, order);
    shown = count > ROWS_MAX ? ROWS_MAX : count;
    fprintf(f, "\n  instruction %-*s%7s %7s %7s %-18s %s\n",
            TEXT_WIDTH - (int)strlen("instruction "),
            source_column(b->program, source), "issued", "stalled", "of time",
            "most of it", "for");
    for (uint32_t i = 0; i < shown; i++)
        print_row(f, b, order[i].index, resident);
    if (shown < count)
        print_others(f, b, order, shown, count, resident);
    if (!has_lines(b->program))
        fputs("  the code does not say from which lines it comes: compile with "
              "-lineinfo\n",
              f);
    free(order);
    return EXIT_DONE;
}

/* ---- JSON ----------------------------------------------------------------- */

static json_t *count_json(uint64_t v)
{
    return json_integer((json_int_t)v);
}

static json_t *pc_json(uint64_t pc)
{
    return count_json(pc);
}

static json_t *stalls_json(const struct by_pc_row *row)
{
    json_t *o = json_object();

    for (int r = 0; r < TEG_STALLS; r++) {
        if (row->stall[r] != 0)
            json_object_set_new(o, teg_stall_label(r),
                                count_json(row->stall[r]));
    }
    return o;
}

static json_t *producer_json(const struct by_pc *b, const struct by_pc_row *row)
{
    struct by_pc_producer p = by_pc_longest(row);

    if (p.cycles == 0)
        return json_null();
    return json_pack("{s:o, s:o}", "pc", pc_json(b->program->inst[p.inst].pc),
                     "warp_cycles", count_json(p.cycles));
}

json_t *line_json(const struct teg_inst *inst)
{
    return inst->line != 0 ? count_json(inst->line) : json_null();
}

json_t *file_json(const struct teg_program *p, const struct teg_inst *inst)
{
    const char *name = teg_program_file(p, inst);

    return *name != '\0' ? json_text(name) : json_null();
}

static json_t *row_json(const struct by_pc *b, uint32_t index)
{
    const struct by_pc_row *row = &b->row[index];
    const struct teg_inst *inst = &b->program->inst[index];

    return json_pack(
        "{s:o, s:s, s:o, s:o, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, "
        "s:o, s:o, s:o, s:o, s:o, s:o}",
        "pc", pc_json(inst->pc), "text", teg_program_text(b->program, inst),
        "line", line_json(inst), "file", file_json(b->program, inst), "class",
        teg_op_class_facts(inst->op_class)->key, "issued",
        count_json(row->issued), "lanes", count_json(row->lanes), "stalled",
        count_json(by_pc_stalled(row)), "stalls", stalls_json(row), "waits_for",
        producer_json(b, row), "requests", count_json(row->requests),
        "transactions", count_json(row->transactions),
        "transactions_per_request",
        json_ratio((double)row->transactions, (double)row->requests), "bytes",
        count_json(row->bytes), "dram_bytes", count_json(row->dram_bytes),
        "shared_requests", count_json(row->shared_requests),
        "shared_conflict_degree",
        json_ratio((double)row->passes, (double)row->groups),
        "constant_requests", count_json(row->constant_requests),
        "constant_addresses", count_json(row->constant_addresses));
}

json_t *instructions_json(const struct by_pc *b)
{
    json_t *array = json_array();

    for (uint32_t i = 0; i < b->count; i++)
        json_array_append_new(array, row_json(b, i));
    return array;
}

/* ---- rows ----------------------------------------------------------------- */

static void put(json_t *o, const char *name, uint64_t v)
{
    json_object_set_new(o, name, count_json(v));
}

static void put_pc(json_t *o, const char *name, uint64_t pc)
{
    json_object_set_new(o, name, json_sprintf("0x%" PRIx64, pc));
}

static void put_producer(json_t *o, const struct by_pc *b,
                         const struct by_pc_row *row)
{
    struct by_pc_producer p = by_pc_longest(row);

    if (p.cycles != 0) {
        put_pc(o, "waits_for", b->program->inst[p.inst].pc);
        put(o, "waits_for_cycles", p.cycles);
    } else {
        json_object_set_new(o, "waits_for", json_null());
        json_object_set_new(o, "waits_for_cycles", json_null());
    }
}

static json_t *table_row(const struct by_pc *b, uint32_t index, uint32_t kernel)
{
    const struct by_pc_row *row = &b->row[index];
    const struct teg_inst *inst = &b->program->inst[index];
    json_t *o = json_object();

    put(o, "kernel", kernel);
    put_pc(o, "pc", inst->pc);
    json_object_set_new(o, "line", line_json(inst));
    json_object_set_new(o, "file",
                        json_text(teg_program_file(b->program, inst)));
    json_object_set_new(o, "class",
                        json_text(teg_op_class_facts(inst->op_class)->key));
    json_object_set_new(o, "instruction",
                        json_text(teg_program_text(b->program, inst)));
    put(o, "issued", row->issued);
    put(o, "lanes", row->lanes);
    put(o, "stalled", by_pc_stalled(row));
    for (int r = 0; r < TEG_STALLS; r++)
        put(o, teg_stall_label(r), row->stall[r]);
    put_producer(o, b, row);
    put(o, "requests", row->requests);
    put(o, "transactions", row->transactions);
    json_object_set_new(
        o, "transactions_per_request",
        json_ratio((double)row->transactions, (double)row->requests));
    put(o, "bytes", row->bytes);
    put(o, "dram_bytes", row->dram_bytes);
    put(o, "shared_requests", row->shared_requests);
    json_object_set_new(o, "shared_conflict_degree",
                        json_ratio((double)row->passes, (double)row->groups));
    put(o, "constant_requests", row->constant_requests);
    put(o, "constant_addresses", row->constant_addresses);
    return o;
}

json_t *instructions_rows(const struct by_pc *b, uint32_t kernel)
{
    json_t *rows = json_array();

    for (uint32_t i = 0; i < b->count; i++)
        json_array_append_new(rows, table_row(b, i, kernel));
    return rows;
}
