#include "traces/nvbit/line.h"

#include "isa/inst/opcode.h"
#include "isa/inst/values.h"
#include "traces/nvbit/note.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE UINT32_MAX

enum {
    OPERANDS_MAX = 16,
    OPCODE_MAX = 127,
    LISTED_MAX = 640, /* opcode and operands as text */
    MASK_DIGITS = 8,
    FIRST_BUCKET_BITS = 10,
    ISA_ASSUMED = 70,  /* for look-ups when the header gives none */
    UNIFORM_ZERO = 63, /* UR63 is URZ before Blackwell */
    ISA_BLACKWELL = 100,
};

/* An instruction as the file writes it. */
struct nvbit_static {
    uint64_t pc;
    size_t text;
    uint32_t length;
    uint32_t next;   /* entry of the same bucket, 1 + index; 0 = none */
    uint32_t after;  /* entry that followed it last */
    uint32_t plain;  /* index in the program of the instruction without
                        addresses; NONE until one is met */
    uint32_t access; /* with addresses; NONE if it cannot have any */
    int has_width;   /* mem_width is not 0: addresses may follow */
};

/* ---- characters ---------------------------------------------------------- */

/* One more than the digit's value; 0 for everything else. */
static const uint8_t hex_digit[256] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,
    ['6'] = 7,  ['7'] = 8,  ['8'] = 9,  ['9'] = 10, ['a'] = 11, ['b'] = 12,
    ['c'] = 13, ['d'] = 14, ['e'] = 15, ['f'] = 16, ['A'] = 11, ['B'] = 12,
    ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
};

static int is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static int is_end(char c)
{
    return c == '\0' || c == '\n' || c == '\r';
}

static const char *skip_blanks(const char *p)
{
    while (is_blank(*p))
        p++;
    return p;
}

/* Each of these reads one number and the blanks after it, moves `*p` behind
 * and returns 1; returns 0 if there is none or it is too large. */

static int take_decimal(const char **p, uint64_t max, uint64_t *v)
{
    const char *at = *p;
    uint64_t n = 0;

    if ((unsigned)(*at - '0') > 9)
        return 0;
    for (; (unsigned)(*at - '0') <= 9; at++) {
        n = n * 10 + (uint64_t)(*at - '0');
        if (n > max)
            return 0;
    }
    if (!is_blank(*at) && !is_end(*at))
        return 0;
    *v = n;
    *p = skip_blanks(at);
    return 1;
}

static int take_signed(const char **p, int64_t *v)
{
    const char *at = *p;
    int negative = *at == '-';
    uint64_t n;

    at += negative;
    if (!take_decimal(&at, INT64_MAX, &n))
        return 0;
    *v = negative ? -(int64_t)n : (int64_t)n;
    *p = at;
    return 1;
}

static int take_hex(const char **p, uint64_t *v)
{
    const char *at = *p, *first;
    uint64_t n = 0;

    if (at[0] == '0' && at[1] == 'x')
        at += 2;
    first = at;
    for (; hex_digit[(uint8_t)*at] != 0; at++)
        n = n << 4 | (hex_digit[(uint8_t)*at] - 1u);
    if (at == first || at - first > 16 || (!is_blank(*at) && !is_end(*at)))
        return 0;
    *v = n;
    *p = skip_blanks(at);
    return 1;
}

/* The mask: eight hexadecimal digits, always. */
static int take_mask(const char **p, uint32_t *mask)
{
    const char *at = *p;
    uint32_t n = 0;

    for (int i = 0; i < MASK_DIGITS; i++, at++) {
        uint8_t digit = hex_digit[(uint8_t)*at];

        if (digit == 0)
            return 0;
        n = n << 4 | (digit - 1u);
    }
    if (!is_blank(*at))
        return 0;
    *mask = n;
    *p = skip_blanks(at);
    return 1;
}

/* ---- the static table ------------------------------------------------------ */

void nvbit_lines_init(struct nvbit_lines *l, struct teg_kernel *kernel,
                      const char *path)
{
    *l = (struct nvbit_lines){.kernel = kernel, .path = path, .last = NONE};
}

void nvbit_lines_release(struct nvbit_lines *l)
{
    free(l->entry);
    free(l->bucket);
    free(l->text);
    *l = (struct nvbit_lines){0};
}

static uint32_t bucket_of(const struct nvbit_lines *l, uint64_t pc)
{
    return (uint32_t)(pc * 0x9e3779b97f4a7c15u >> (64 - l->bucket_bits));
}

static int entry_matches(const struct nvbit_lines *l,
                         const struct nvbit_static *e, uint64_t pc,
                         const char *text)
{
    /* strncmp, not memcmp: the line may be shorter than the entry. */
    return e->pc == pc && strncmp(text, l->text + e->text, e->length) == 0 &&
           (is_blank(text[e->length]) || is_end(text[e->length]));
}

/* Finds the entry of a line; NONE if it is new. */
static uint32_t find_entry(struct nvbit_lines *l, uint64_t pc, const char *text)
{
    uint32_t i;

    if (l->entries == 0)
        return NONE;
    if (l->last != NONE) {
        i = l->entry[l->last].after;
        if (i != NONE && entry_matches(l, &l->entry[i], pc, text))
            return i;
    }
    for (i = l->bucket[bucket_of(l, pc)]; i != 0; i = l->entry[i - 1].next) {
        if (entry_matches(l, &l->entry[i - 1], pc, text))
            return i - 1;
    }
    return NONE;
}

static void link_entry(struct nvbit_lines *l, uint32_t i)
{
    uint32_t *bucket = &l->bucket[bucket_of(l, l->entry[i].pc)];

    l->entry[i].next = *bucket;
    *bucket = i + 1;
}

/* Makes room for one more entry, with at least as many buckets as entries. */
static teg_status reserve_entry(struct nvbit_lines *l, size_t text,
                                struct teg_diag *d)
{
    if (l->entries == NVBIT_STATIC_MAX)
        return teg_fail_line(d, TEG_LIMIT, l->path, l->line,
                             "expected at most %d different instructions, "
                             "found more",
                             NVBIT_STATIC_MAX);
    if (l->entries == l->entry_capacity) {
        uint32_t bits =
            l->bucket_bits == 0 ? FIRST_BUCKET_BITS : l->bucket_bits + 1;
        uint32_t *bucket = calloc((size_t)1 << bits, sizeof *bucket);
        struct nvbit_static *entry =
            realloc(l->entry, ((size_t)1 << bits) * sizeof *entry);

        if (entry != NULL)
            l->entry = entry;
        if (entry == NULL || bucket == NULL) {
            free(bucket);
            return teg_fail_memory(d);
        }
        free(l->bucket);
        l->bucket = bucket;
        l->bucket_bits = bits;
        l->entry_capacity = 1u << bits;
        for (uint32_t i = 0; i < l->entries; i++)
            link_entry(l, i);
    }
    if (l->text_capacity - l->text_size < text) {
        size_t capacity = 2 * l->text_capacity + text + 4096;
        char *pool = realloc(l->text, capacity);

        if (pool == NULL)
            return teg_fail_memory(d);
        l->text = pool;
        l->text_capacity = capacity;
    }
    return TEG_OK;
}

/* ---- a line not met before -------------------------------------------------- */

/* The text from `ndst` to `width`, taken apart. */
struct listed {
    char opcode[OPCODE_MAX + 1];
    struct teg_operands operands;
    char text[LISTED_MAX]; /* "LDG.E R4, R2" */
    uint64_t width;
    const char *end; /* behind the width's digits */
};

static teg_status expected(struct nvbit_lines *l, const char *what,
                           const char *found, struct teg_diag *d)
{
    size_t length = strcspn(found, " \t\r\n");

    if (length == 0)
        return teg_fail_line(d, TEG_FORMAT, l->path, l->line,
                             "expected %s, found the end of the line", what);
    return teg_fail_line(d, TEG_FORMAT, l->path, l->line,
                         "expected %s, found '%.*s'", what,
                         (int)(length < 40 ? length : 40), found);
}

static teg_status take_registers(struct nvbit_lines *l, const char **p,
                                 const char *count_name, uint16_t list[],
                                 uint8_t *count, struct listed *out,
                                 struct teg_diag *d)
{
    uint64_t n;

    if (!take_decimal(p, OPERANDS_MAX, &n))
        return expected(l, count_name, *p, d);
    *count = 0;
    for (uint64_t i = 0; i < n; i++) {
        size_t length = strcspn(*p, " \t\r\n"), used = strlen(out->text);
        int number = teg_register_parse(*p, length);

        if (number == -2)
            return expected(l, "a register", *p, d);
        snprintf(out->text + used, sizeof out->text - used, "%s%.*s",
                 used != 0 ? ", " : "", (int)(length < 8 ? length : 8), *p);
        if (number == TEG_REG_UR + UNIFORM_ZERO &&
            l->kernel->isa < ISA_BLACKWELL)
            number = -1;
        list[(*count)++] = number >= 0 ? (uint16_t)number : TEG_OPERAND_ZERO;
        *p = skip_blanks(*p + length);
    }
    return TEG_OK;
}

static teg_status take_opcode(struct nvbit_lines *l, const char **p,
                              struct listed *out, struct teg_diag *d)
{
    size_t length = strcspn(*p, " \t\r\n");

    if (length == 0 || length > OPCODE_MAX || **p < 'A' || **p > 'Z')
        return expected(l, "an opcode", *p, d);
    memcpy(out->opcode, *p, length);
    out->opcode[length] = '\0';
    *p = skip_blanks(*p + length);
    return TEG_OK;
}

/* The number behind the width of an instruction without addresses is its last
 * immediate: of one that waits for groups, how many may stay open. */
static void say_immediate(struct listed *out)
{
    struct teg_group group = teg_group_of(out->text);
    const char *p = skip_blanks(out->end), *at = p;
    size_t used = strlen(out->text);
    uint64_t n;

    if ((group.does & GROUP_WAITS) == 0)
        return;
    if (strncmp(at, "0x", 2) == 0 ? take_hex(&at, &n)
                                  : take_decimal(&at, UINT32_MAX, &n))
        snprintf(out->text + used, sizeof out->text - used, "%s 0x%x",
                 group.kind == GROUP_PRODUCTS ? " gsb0," : "", (unsigned)n);
    else if (group.kind == GROUP_PRODUCTS)
        snprintf(out->text + used, sizeof out->text - used, " gsb0");
}

static teg_status take_listed(struct nvbit_lines *l, const char *p,
                              struct listed *out, struct teg_diag *d)
{
    char operands[LISTED_MAX];
    const char *width;

    out->text[0] = '\0';
    TRY(take_registers(l, &p, "the number of destination registers",
                       out->operands.dst, &out->operands.dst_count, out, d));
    TRY(take_opcode(l, &p, out, d));
    TRY(take_registers(l, &p, "the number of source registers",
                       out->operands.src, &out->operands.src_count, out, d));
    width = p;
    if (!take_decimal(&p, UINT32_MAX, &out->width))
        return expected(l, "the memory width", width, d);
    out->end = width + strcspn(width, " \t\r\n");
    memcpy(operands, out->text, sizeof operands);
    snprintf(out->text, sizeof out->text, "%s%s%.500s", out->opcode,
             operands[0] != '\0' ? " " : "", operands);
    say_immediate(out);
    return TEG_OK;
}

/* Adds the instruction to the program: with addresses where its opcode has
 * any, else or when `plain` without. */
static teg_status add_inst(struct nvbit_lines *l, uint64_t pc, uint32_t line,
                           const struct listed *listed, int plain,
                           uint32_t *index, int *has_addresses,
                           struct teg_diag *d)
{
    struct teg_inst inst = {0};
    uint32_t isa = l->kernel->isa != 0 ? l->kernel->isa : ISA_ASSUMED;

    teg_inst_from_opcode(&inst, listed->opcode, isa, &listed->operands);
    inst.pc = pc;
    inst.line = line;
    teg_values_note(&l->kernel->notes, &inst, listed->text, l->path);
    *has_addresses = teg_inst_has_addresses(&inst);
    if (*has_addresses && plain) {
        inst.space = SPACE_NONE;
        inst.width = 0;
    }
    return teg_program_add(&l->kernel->program, &inst, listed->text, index, d);
}

static teg_status new_entry(struct nvbit_lines *l, uint64_t pc, uint32_t line,
                            const char *text, uint32_t *index,
                            struct teg_diag *d)
{
    struct listed listed;
    struct nvbit_static e = {
        .pc = pc, .after = NONE, .plain = NONE, .access = NONE};
    uint32_t number;
    int has_addresses;

    TRY(take_listed(l, text, &listed, d));
    e.has_width = listed.width != 0;
    e.length = (uint32_t)(listed.end - text);
    e.text = l->text_size;
    TRY(reserve_entry(l, e.length + 1, d));
    TRY(add_inst(l, pc, line, &listed, !e.has_width, &number, &has_addresses,
                 d));
    if (has_addresses && e.has_width)
        e.access = number;
    else
        e.plain = number;
    if (has_addresses && !e.has_width)
        nvbit_note(l->kernel, "memory-width-0", l->path, l->line,
                   "expected a memory width for %.100s, found 0: its accesses "
                   "are not timed by address",
                   listed.opcode);
    memcpy(l->text + l->text_size, text, e.length);
    l->text[l->text_size + e.length] = '\0';
    l->text_size += e.length + 1;
    *index = l->entries;
    l->entry[l->entries++] = e;
    link_entry(l, *index);
    return TEG_OK;
}

/* The variant without addresses of an entry that has them. */
static teg_status plain_variant(struct nvbit_lines *l, uint32_t entry,
                                uint32_t line, struct teg_diag *d)
{
    struct nvbit_static *e = &l->entry[entry];
    struct listed listed;
    int ignored;

    TRY(take_listed(l, l->text + e->text, &listed, d));
    nvbit_note(l->kernel, "memory-without-addresses", l->path, l->line,
               "expected addresses for %.100s, found none: such accesses are "
               "not timed by address",
               listed.opcode);
    return add_inst(l, e->pc, line, &listed, 1, &e->plain, &ignored, d);
}

/* ---- addresses --------------------------------------------------------------- */

static uint32_t first_lane(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

/* Each of these reads the addresses of `out->mask`, which is not 0, from
 * behind the mode; returns what was expected where it failed, else NULL. */

static const char *take_list(const char **p, struct nvbit_inst *out)
{
    for (uint32_t rest = out->mask; rest != 0; rest &= rest - 1) {
        if (!take_hex(p, &out->lane[first_lane(rest)]))
            return "an address for each active lane";
    }
    return NULL;
}

/* The tracer writes this mode only where the active lanes lie side by side;
 * elsewhere "the next active lane" is what its step can mean. */
static const char *take_base_stride(const char **p, struct nvbit_inst *out)
{
    uint64_t address;
    int64_t stride;

    if (!take_hex(p, &address))
        return "a base address";
    if (!take_signed(p, &stride))
        return "a stride";
    for (uint32_t rest = out->mask; rest != 0; rest &= rest - 1) {
        out->lane[first_lane(rest)] = address;
        address += (uint64_t)stride;
    }
    return NULL;
}

static const char *take_base_differences(const char **p, struct nvbit_inst *out)
{
    uint64_t address;
    int64_t difference;
    uint32_t rest = out->mask;

    if (!take_hex(p, &address))
        return "a base address";
    for (;;) {
        out->lane[first_lane(rest)] = address;
        rest &= rest - 1;
        if (rest == 0)
            return NULL;
        if (!take_signed(p, &difference))
            return "a difference for each active lane but the first";
        address += (uint64_t)difference;
    }
}

/* The lists of asynchronous copies count for themselves: lanes beyond the
 * list repeat its last address, addresses beyond the lanes are left out. */
static const char *take_counted_list(const char **p, struct nvbit_inst *out)
{
    uint32_t rest = out->mask;
    uint64_t count, address = 0;

    if (!take_decimal(p, UINT32_MAX, &count) || count == 0)
        return "a number of addresses";
    while (rest != 0) {
        if (count != 0) {
            if (!take_hex(p, &address))
                return "as many addresses as counted";
            count--;
        }
        out->lane[first_lane(rest)] = address;
        rest &= rest - 1;
    }
    return NULL;
}

static const char *take_counted_differences(const char **p,
                                            struct nvbit_inst *out)
{
    uint64_t address, count;
    int64_t difference;

    if (!take_hex(p, &address))
        return "a base address";
    if (!take_decimal(p, UINT32_MAX, &count))
        return "a number of differences";
    for (uint32_t rest = out->mask; rest != 0; rest &= rest - 1) {
        out->lane[first_lane(rest)] = address;
        /* One fewer than addresses, or as many: the last may be missing. */
        if (count != 0 && (rest & (rest - 1)) != 0) {
            if (!take_signed(p, &difference)) {
                if (count > 1)
                    return "as many differences as counted";
                difference = 0;
            }
            address += (uint64_t)difference;
            count--;
        }
    }
    return NULL;
}

static const char *(*const modes[])(const char **, struct nvbit_inst *) = {
    take_list,         take_base_stride,         take_base_differences,
    take_counted_list, take_counted_differences,
};

enum {
    MODES = sizeof modes / sizeof modes[0]
};

static teg_status take_addresses(struct nvbit_lines *l, const char *p,
                                 struct nvbit_inst *out, struct teg_diag *d)
{
    const char *start = p, *wanted;
    uint64_t mode;

    if (!take_decimal(&p, MODES - 1, &mode))
        return expected(l, "an address mode of 0 to 4", start, d);
    wanted = modes[mode](&p, out);
    if (wanted != NULL)
        return expected(l, wanted, p, d);
    out->addresses = 1;
    return TEG_OK;
}

/* ---- a line -------------------------------------------------------------------- */

int nvbit_line_shape(const char *text, uint32_t *leads)
{
    const char *p = skip_blanks(text);

    for (uint32_t field = 0; field <= NVBIT_LEAD_MAX; field++) {
        const char *at = p;
        uint64_t ignored;
        uint32_t mask;

        if (take_hex(&at, &ignored) && take_mask(&at, &mask) &&
            take_decimal(&at, OPERANDS_MAX, &ignored)) {
            *leads = field;
            return 1;
        }
        if (!take_decimal(&p, UINT32_MAX, &ignored))
            return 0;
    }
    return 0;
}

/* Reads the fields before the pc, the pc and the mask, as many fields as the
 * line before had. */
static int take_front(const struct nvbit_lines *l, const char **p,
                      struct nvbit_inst *out, uint64_t *pc)
{
    uint64_t v;

    for (uint32_t i = 0; i < l->lead; i++) {
        if (!take_decimal(p, UINT32_MAX, &v))
            return 0;
        out->lead[i] = (uint32_t)v;
    }
    out->leads = l->lead;
    return take_hex(p, pc) && take_mask(p, &out->mask);
}

/* Source line, where the tracer wrote one: the last field before the pc. */
static uint32_t source_line(const struct nvbit_inst *inst)
{
    static const uint8_t has_line[NVBIT_LEAD_MAX + 1] = {
        [1] = 1, [5] = 1, [12] = 1};

    return has_line[inst->leads] ? inst->lead[inst->leads - 1] : 0;
}

static teg_status find_front(struct nvbit_lines *l, const char **p,
                             struct nvbit_inst *out, uint64_t *pc,
                             struct teg_diag *d)
{
    const char *start = skip_blanks(*p), *at = start;

    if (take_front(l, &at, out, pc)) {
        *p = at;
        return TEG_OK;
    }
    at = start;
    if (!nvbit_line_shape(start, &l->lead) || !take_front(l, &at, out, pc))
        return teg_fail_line(d, TEG_FORMAT, l->path, l->line,
                             "expected an instruction 'pc mask ...', found "
                             "'%.60s'",
                             start);
    *p = at;
    return TEG_OK;
}

teg_status nvbit_lines_parse(struct nvbit_lines *l, const char *text,
                             struct nvbit_inst *out, struct teg_diag *d)
{
    uint32_t entry;
    uint64_t pc;
    struct nvbit_static *e;

    TRY(find_front(l, &text, out, &pc, d));
    entry = find_entry(l, pc, text);
    if (entry == NONE)
        TRY(new_entry(l, pc, source_line(out), text, &entry, d));
    if (l->last != NONE)
        l->entry[l->last].after = entry;
    l->last = entry;
    e = &l->entry[entry];
    out->addresses = 0;
    out->inst = e->access;
    if (e->access == NONE) {
        out->inst = e->plain;
        return TEG_OK;
    }
    if (out->mask == 0)
        return TEG_OK;
    text = skip_blanks(text + e->length);
    if (!is_end(*text))
        return take_addresses(l, text, out, d);
    if (e->plain == NONE)
        TRY(plain_variant(l, entry, source_line(out), d));
    out->inst = l->entry[entry].plain;
    return TEG_OK;
}
