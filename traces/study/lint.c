#include "traces/study/lint.h"

#include "traces/block/seen.h"
#include "traces/study/waits.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SPIN_RATIO = 16,    /* of iteration counts between warps */
    SPIN_REPEATS = 64,  /* accesses to an unchanged address: may be polling */
    SPIN_POLLS = 1000,  /* likewise: is polling */
    UNEVEN_COUNT = 256, /* iterations from which an uneven loop is reported */
    UNKNOWN_MAX = 256,  /* different unknown opcodes told apart */
    NAMES_SHOWN = 6,    /* unknown opcodes named in the finding */
    WHERE_BYTES = 96,
};

/* ---- kinds ------------------------------------------------------------------ */

/* lint: found here, so a reader's note of the kind is not taken over. */
static const struct kind {
    const char *kind;
    enum teg_severity severity;
    int lint;
    const char *help;
} kinds[] = {
    {"after-exit", SEVERITY_WARNING, 1,
     "lanes execute instructions after their EXIT"},
    {"barrier-count", SEVERITY_WARNING, 1,
     "warps of one block pass different numbers of barriers"},
    {"beyond-registers", SEVERITY_ERROR, 1, "more registers than the chip has"},
    {"beyond-shared", SEVERITY_ERROR, 1,
     "more shared memory than a block can have"},
    {"beyond-threads", SEVERITY_ERROR, 1, "more threads than a block can have"},
    {"block-outside-grid", SEVERITY_ERROR, 1,
     "a block's position is not in the grid"},
    {"block-repeated", SEVERITY_ERROR, 1, "a block occurs more than once"},
    {"empty-block", SEVERITY_WARNING, 0,
     "a block without instructions is left out"},
    {"empty-warp", SEVERITY_INFO, 0, "a warp without instructions is left out"},
    {"end-missing", SEVERITY_WARNING, 0, "a block's end mark is missing"},
    {"generation", SEVERITY_WARNING, 1,
     "the code was compiled for another generation than the GPU's"},
    {"header-block", SEVERITY_WARNING, 0, "the block's shape is unknown"},
    {"header-grid", SEVERITY_WARNING, 0, "the grid's shape is unknown"},
    {"header-isa", SEVERITY_WARNING, 0, "the code's generation is unknown"},
    {"header-local-base", SEVERITY_INFO, 0,
     "where local memory begins is unknown"},
    {"header-registers", SEVERITY_WARNING, 0,
     "the number of registers is unknown"},
    {"header-shared", SEVERITY_WARNING, 0,
     "the size of shared memory is unknown"},
    {"header-shared-base", SEVERITY_INFO, 0,
     "where shared memory begins is unknown"},
    {"insts-count", SEVERITY_WARNING, 0,
     "a declared number of instructions disagrees with the lines"},
    {"insts-missing", SEVERITY_INFO, 0,
     "a warp does not declare its number of instructions"},
    {"kernel-missing", SEVERITY_ERROR, 0, "a kernel of the list has no file"},
    {"ldgsts-twice", SEVERITY_INFO, 0,
     "LDGSTS is recorded once for each of its addresses"},
    {"list-many-kernels", SEVERITY_WARNING, 0,
     "a listed file holds more than one kernel"},
    {"memory-copies", SEVERITY_INFO, 0, "copies to the device are not timed"},
    {"memory-width-0", SEVERITY_WARNING, 0,
     "a memory instruction is recorded without a width"},
    {"memory-without-addresses", SEVERITY_WARNING, 0,
     "a memory instruction is recorded without addresses"},
    {"no-exit", SEVERITY_WARNING, 1, "a warp ends before its lanes exit"},
    {"partial-block", SEVERITY_WARNING, 0,
     "a block has fewer warps than declared"},
    {"partial-grid", SEVERITY_WARNING, 1,
     "the trace has another number of blocks than the grid"},
    {"spin-loop", SEVERITY_WARNING, 1,
     "a loop polls memory: its iterations depend on the traced run's timing"},
    {"uncommitted", SEVERITY_WARNING, 1,
     "a warp waits while what it has started is in no group"},
    {"uneven-loop", SEVERITY_INFO, 1,
     "iteration counts differ wildly: a spin loop, or data that do"},
    {"unknown-opcode", SEVERITY_WARNING, 1,
     "opcodes in no table are timed as their first letters suggest"},
    {"wait-for-nothing", SEVERITY_WARNING, 1,
     "a warp waits for a group and has committed none"},
    {"warp-outside-block", SEVERITY_ERROR, 1,
     "a warp's number is too large for the block"},
    {"warp-repeated", SEVERITY_ERROR, 1,
     "a warp occurs more than once in its block"},
    {"zero-address", SEVERITY_WARNING, 1,
     "global accesses go to address 0: the tracer missed the real one"},
};

static const struct kind *find_kind(const char *kind)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(kinds[i].kind, kind) == 0)
            return &kinds[i];
    }
    return NULL;
}

const char *teg_severity_name(enum teg_severity severity)
{
    static const char *const names[] = {
        [SEVERITY_INFO] = "info",
        [SEVERITY_WARNING] = "warning",
        [SEVERITY_ERROR] = "error",
    };

    return names[severity];
}

const char *teg_lint_kind(size_t i)
{
    return i < sizeof kinds / sizeof kinds[0] ? kinds[i].kind : NULL;
}

enum teg_severity teg_lint_severity(const char *kind)
{
    const struct kind *k = find_kind(kind);

    return k != NULL ? k->severity : SEVERITY_WARNING;
}

const char *teg_lint_help(const char *kind)
{
    const struct kind *k = find_kind(kind);

    return k != NULL ? k->help : "";
}

/* ---- findings ---------------------------------------------------------------- */

/* What a static instruction did, in the warp being walked and in all. */
struct usage {
    uint64_t executed; /* in all warps */
    uint32_t count;    /* in this one, here and below */
    uint32_t repeats;  /* accesses where the one before was */
    uint64_t address;  /* of the last access, if `mask` is not 0 */
    uint32_t mask;
    uint32_t count_min, count_max; /* over the warps that executed it */
    uint32_t repeats_max;
    uint32_t max_block[3], max_warp; /* where count_max was */
};

struct lint {
    const struct teg_kernel *kernel; /* borrowed */
    struct teg_notes *out;           /* borrowed */
    struct usage *usage;             /* owned, by instruction */
    uint32_t usages;
    uint32_t *touched; /* owned, [usages]: executed by this warp */
    uint32_t touches;
    uint64_t blocks;
    struct teg_seen seen;

    const uint32_t *position; /* of the block being walked */
    uint32_t warp;
};

static struct teg_note *find_note(struct teg_notes *notes, const char *kind)
{
    for (size_t i = 0; i < notes->count; i++) {
        if (strcmp(notes->note[i].kind, kind) == 0)
            return &notes->note[i];
    }
    return NULL;
}

/* Counts `times` occurrences of `kind`; the first gives the text.  `where` is
 * NULL for the kernel as a whole. */
static void finding(struct lint *l, const char *kind, const char *where,
                    uint64_t times, const char *format, ...) TEG_PRINTF(5, 6);

static void finding(struct lint *l, const char *kind, const char *where,
                    uint64_t times, const char *format, ...)
{
    struct teg_note *note = find_note(l->out, kind);
    char what[sizeof note->what];
    va_list arguments;

    if (note == NULL) {
        va_start(arguments, format);
        vsnprintf(what, sizeof what, format, arguments);
        va_end(arguments);
        teg_notes_add(l->out, kind, where != NULL ? where : l->kernel->name,
                      "%s", what);
        note = find_note(l->out, kind);
        times--;
    }
    if (note != NULL)
        note->count += times;
}

/* True for the first occurrence of `kind`, with the current warp in `where`;
 * counts the others. */
static int first(struct lint *l, const char *kind, char where[WHERE_BYTES])
{
    struct teg_note *note = find_note(l->out, kind);

    if (note != NULL) {
        note->count++;
        return 0;
    }
    snprintf(where, WHERE_BYTES, "block (%u,%u,%u) warp %u", l->position[0],
             l->position[1], l->position[2], l->warp);
    return 1;
}

/* ---- one instruction ----------------------------------------------------------- */

static int is_polled(const struct teg_inst *inst)
{
    return (inst->space == SPACE_GLOBAL || inst->space == SPACE_GENERIC) &&
           (inst->flags & (INST_LOAD | INST_ATOMIC)) != 0;
}

static uint64_t first_address(const struct teg_access *access)
{
    return teg_access_lane(access, (uint32_t)__builtin_ctz(access->mask));
}

static void check_zero(struct lint *l, const struct teg_inst *inst,
                       const struct teg_access *access)
{
    char where[WHERE_BYTES];

    for (uint32_t rest = access->mask; rest != 0; rest &= rest - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(rest);

        if (teg_access_lane(access, lane) != 0)
            continue;
        if (first(l, "zero-address", where))
            teg_notes_add(
                l->out, "zero-address", where,
                "lane %u of the %s at pc 0x%" PRIx64 " goes to address 0", lane,
                teg_program_text(&l->kernel->program, inst), inst->pc);
        return;
    }
}

static void use(struct lint *l, uint32_t number)
{
    struct usage *u = &l->usage[number];

    if (u->count++ == 0)
        l->touched[l->touches++] = number;
    u->executed++;
}

static void use_address(struct lint *l, uint32_t number,
                        const struct teg_access *access)
{
    const struct teg_inst *inst = &l->kernel->program.inst[number];
    struct usage *u = &l->usage[number];
    uint64_t address = first_address(access);

    if (inst->space == SPACE_GLOBAL || inst->space == SPACE_GENERIC)
        check_zero(l, inst, access);
    if (!is_polled(inst))
        return;
    if (u->mask == access->mask && u->address == address)
        u->repeats++;
    u->address = address;
    u->mask = access->mask;
}

/* ---- one warp --------------------------------------------------------------------- */

/* Takes the warp's counts into those of all warps and clears them. */
static void end_usage(struct lint *l)
{
    for (uint32_t i = 0; i < l->touches; i++) {
        struct usage *u = &l->usage[l->touched[i]];

        if (u->count_max == 0 || u->count < u->count_min)
            u->count_min = u->count;
        if (u->count > u->count_max) {
            u->count_max = u->count;
            memcpy(u->max_block, l->position, sizeof u->max_block);
            u->max_warp = l->warp;
        }
        if (u->repeats > u->repeats_max)
            u->repeats_max = u->repeats;
        u->count = u->repeats = 0;
        u->mask = 0;
    }
    l->touches = 0;
}

static void check_end(struct lint *l, uint32_t active, uint32_t exited)
{
    char where[WHERE_BYTES];

    if ((active & ~exited) != 0 && first(l, "no-exit", where))
        teg_notes_add(l->out, "no-exit", where,
                      "expected an EXIT of all lanes at the end, found lanes "
                      "0x%08x still running",
                      active & ~exited);
}

static void check_exited(struct lint *l, const struct teg_inst *inst)
{
    char where[WHERE_BYTES];

    if (first(l, "after-exit", where))
        teg_notes_add(l->out, "after-exit", where,
                      "expected nothing after the EXIT of a lane, found %s at "
                      "pc 0x%" PRIx64,
                      teg_program_text(&l->kernel->program, inst), inst->pc);
}

/* A wait that returns at once, or before what it is for. */
static void check_wait(struct lint *l, const struct teg_inst *inst,
                       enum teg_wait_fault fault)
{
    int nothing = fault == WAIT_FAULT_NOTHING;
    const char *kind = nothing ? "wait-for-nothing" : "uncommitted";
    char where[WHERE_BYTES];

    if (fault != WAIT_FAULT_NONE && first(l, kind, where))
        teg_notes_add(l->out, kind, where,
                      "%s at pc 0x%" PRIx64 " waits for a group, %s",
                      teg_program_text(&l->kernel->program, inst), inst->pc,
                      nothing ? "but none was committed before"
                              : "but what was started before is in none");
}

/* Returns how many barriers the warp waited at. */
static uint64_t walk_warp(struct lint *l, struct teg_block *block,
                          uint32_t stream)
{
    struct teg_cursor c;
    struct teg_access access;
    struct teg_waits waits = {0};
    uint32_t active = 0, exited = 0;
    uint64_t barriers = 0;

    teg_cursor_init(&c, block, stream);
    while (teg_cursor_next(&c)) {
        const struct teg_inst *inst = &l->kernel->program.inst[c.inst];

        use(l, c.inst);
        if (c.mask & exited)
            check_exited(l, inst);
        active |= c.mask;
        if (inst->flags & INST_EXIT)
            exited |= c.mask;
        if (inst->flags & INST_BARRIER)
            barriers++;
        if (c.mask != 0)
            check_wait(l, inst, teg_waits_step(&waits, inst));
        if (teg_cursor_access(&c, &access))
            use_address(l, c.inst, &access);
    }
    end_usage(l);
    check_end(l, active, exited);
    return barriers;
}

/* ---- one block ---------------------------------------------------------------------- */

static void check_position(struct lint *l)
{
    const uint32_t *grid = l->kernel->grid, *at = l->position;
    char where[WHERE_BYTES];

    if (at[0] >= grid[0] || at[1] >= grid[1] || at[2] >= grid[2]) {
        if (first(l, "block-outside-grid", where))
            teg_notes_add(l->out, "block-outside-grid", where,
                          "expected a block of the grid (%u,%u,%u)", grid[0],
                          grid[1], grid[2]);
        return;
    }
    if (teg_seen_again(&l->seen, at) && first(l, "block-repeated", where))
        teg_notes_add(l->out, "block-repeated", where,
                      "expected each block once, found it again");
}

static void check_warp(struct lint *l, uint32_t seen[], uint32_t streams)
{
    uint32_t warps = teg_kernel_warps_per_block(l->kernel);
    char where[WHERE_BYTES];

    if (warps != 0 && l->warp >= warps && first(l, "warp-outside-block", where))
        teg_notes_add(l->out, "warp-outside-block", where,
                      "expected a warp number below %u", warps);
    for (uint32_t i = 0; i < streams; i++) {
        if (seen[i] == l->warp && first(l, "warp-repeated", where))
            teg_notes_add(l->out, "warp-repeated", where,
                          "expected each warp once, found it again");
    }
}

/* Warps that have exited are not waited for, so a difference is no proof. */
static void check_barriers(struct lint *l, uint64_t least, uint64_t most)
{
    char where[WHERE_BYTES];

    if (least != most && first(l, "barrier-count", where))
        teg_notes_add(l->out, "barrier-count", where,
                      "expected as many barriers in every warp of the block, "
                      "found %" PRIu64 " to %" PRIu64,
                      least, most);
}

/* Makes the tables as long as the program, which grows with the blocks. */
static teg_status grow_usage(struct lint *l, struct teg_diag *d)
{
    uint32_t count = l->kernel->program.count;
    struct usage *usage;
    uint32_t *touched;

    if (count <= l->usages)
        return TEG_OK;
    usage = realloc(l->usage, count * sizeof *usage);
    if (usage == NULL)
        return teg_fail_memory(d);
    l->usage = usage;
    touched = realloc(l->touched, count * sizeof *touched);
    if (touched == NULL)
        return teg_fail_memory(d);
    l->touched = touched;
    memset(usage + l->usages, 0, (count - l->usages) * sizeof *usage);
    l->usages = count;
    return TEG_OK;
}

static teg_status walk_block(void *self, struct teg_block *block,
                             struct teg_diag *d)
{
    struct lint *l = self;
    uint32_t streams = teg_block_warps(block);
    uint64_t least = UINT64_MAX, most = 0;
    uint32_t *seen;

    TRY(grow_usage(l, d));
    l->blocks++;
    l->position = teg_block_position(block);
    l->warp = 0;
    check_position(l);
    seen = malloc(((size_t)streams + 1) * sizeof *seen);
    if (seen == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < streams; i++) {
        uint64_t barriers;

        l->warp = teg_block_warp_id(block, i);
        check_warp(l, seen, i);
        seen[i] = l->warp;
        barriers = walk_warp(l, block, i);
        least = barriers < least ? barriers : least;
        most = barriers > most ? barriers : most;
    }
    free(seen);
    if (streams != 0)
        check_barriers(l, least, most);
    else
        finding(l, "empty-block", NULL, 1, "block (%u,%u,%u) has no warps",
                l->position[0], l->position[1], l->position[2]);
    return TEG_OK;
}

/* ---- the whole launch ------------------------------------------------------------------ */

/* What a block may have.  CUDA C++ Programming Guide, "Technical
 * Specifications per Compute Capability"; up_to: ten times the last compute
 * capability of the row. */
static const struct limits {
    uint32_t up_to;
    uint32_t threads, registers, block_registers, shared_bytes;
} limits[] = {
    {11, 512, 124, 8192, 16384},
    {13, 512, 124, 16384, 16384},
    {21, 1024, 63, 32768, 49152},
    {30, 1024, 63, 65536, 49152},
    {62, 1024, 255, 65536, 49152},
    {72, 1024, 255, 65536, 98304},
    {75, 1024, 255, 65536, 65536},
    {80, 1024, 255, 65536, 166912},
    {86, 1024, 255, 65536, 101376},
    {87, 1024, 255, 65536, 166912},
    {89, 1024, 255, 65536, 101376},
    {109, 1024, 255, 65536, 232448},
    {UINT32_MAX, 1024, 255, 65536, 101376},
};

static void check_resources(struct lint *l, uint32_t cc)
{
    const struct teg_kernel *k = l->kernel;
    uint32_t threads = teg_kernel_threads_per_block(k);
    const struct limits *row = limits;

    while (cc > row->up_to)
        row++;
    if (threads > row->threads)
        finding(l, "beyond-threads", NULL, 1,
                "expected at most %u threads in a block, found %u",
                row->threads, threads);
    if (k->shared_bytes > row->shared_bytes)
        finding(l, "beyond-shared", NULL, 1,
                "expected at most %u bytes of shared memory, found %u",
                row->shared_bytes, k->shared_bytes);
    if (k->registers > row->registers)
        finding(l, "beyond-registers", NULL, 1,
                "expected at most %u registers per thread, found %u",
                row->registers, k->registers);
    else if ((uint64_t)k->registers * threads > row->block_registers)
        finding(l, "beyond-registers", NULL, 1,
                "expected at most %u registers in a block, found %u x %u",
                row->block_registers, k->registers, threads);
}

/* Code runs on chips of its major generation, from its minor one on. */
static void check_generation(struct lint *l, uint32_t gpu_cc)
{
    uint32_t isa = l->kernel->isa;

    if (gpu_cc == 0 || isa == 0 || (isa / 10 == gpu_cc / 10 && isa <= gpu_cc))
        return;
    finding(l, "generation", NULL, 1,
            "expected code that a GPU of compute capability %u.%u runs, found "
            "code for %u.%u",
            gpu_cc / 10, gpu_cc % 10, isa / 10, isa % 10);
}

struct unknown {
    const char *text; /* borrowed; begins with the opcode */
    size_t length;
    uint64_t times;
};

/* Counts an opcode; returns how many different ones there are. */
static uint32_t count_unknown(struct unknown list[UNKNOWN_MAX], uint32_t count,
                              const char *text, uint64_t times)
{
    size_t length = strcspn(text, " ");
    uint32_t i = 0;

    while (i < count && (list[i].length != length ||
                         memcmp(list[i].text, text, length) != 0))
        i++;
    if (i == UNKNOWN_MAX)
        return count;
    if (i == count)
        list[count++] = (struct unknown){.text = text, .length = length};
    list[i].times += times;
    return count;
}

/* Which and how often: "FOO.X 12 times, BAR 3 times". */
static void check_unknown(struct lint *l)
{
    const struct teg_program *p = &l->kernel->program;
    struct unknown list[UNKNOWN_MAX];
    char names[240] = "";
    uint64_t times = 0;
    uint32_t count = 0;

    for (uint32_t i = 0; i < l->usages; i++) {
        if (!(p->inst[i].flags & INST_UNKNOWN) || l->usage[i].executed == 0)
            continue;
        times += l->usage[i].executed;
        count = count_unknown(list, count, teg_program_text(p, &p->inst[i]),
                              l->usage[i].executed);
    }
    for (uint32_t i = 0; i < count && i < NAMES_SHOWN; i++) {
        size_t used = strlen(names);

        snprintf(names + used, sizeof names - used, "%s%.*s %" PRIu64 " times",
                 i != 0 ? ", " : "",
                 (int)(list[i].length < 30 ? list[i].length : 30), list[i].text,
                 list[i].times);
    }
    if (times != 0)
        finding(l, "unknown-opcode", NULL, times,
                "%u opcodes are in no table: %s%s", count, names,
                count > NAMES_SHOWN ? ", ..." : "");
}

static void check_loop(struct lint *l, uint32_t i)
{
    const struct teg_inst *inst = &l->kernel->program.inst[i];
    const struct usage *u = &l->usage[i];
    int uneven = u->count_max >= SPIN_RATIO * (uint64_t)u->count_min;
    char where[WHERE_BYTES];

    snprintf(where, sizeof where, "block (%u,%u,%u) warp %u", u->max_block[0],
             u->max_block[1], u->max_block[2], u->max_warp);
    if (u->repeats_max >= SPIN_POLLS ||
        (uneven && u->repeats_max >= SPIN_REPEATS))
        finding(l, "spin-loop", where, 1,
                "%s at pc 0x%" PRIx64 " polls: executed %u to %u times by a "
                "warp, up to %u times at an unchanged address",
                teg_program_text(&l->kernel->program, inst), inst->pc,
                u->count_min, u->count_max, u->repeats_max);
    else if (uneven && u->count_max >= UNEVEN_COUNT &&
             (inst->flags & INST_BRANCH) != 0)
        finding(l, "uneven-loop", where, 1,
                "%s at pc 0x%" PRIx64 " is executed %u to %u times by a warp",
                teg_program_text(&l->kernel->program, inst), inst->pc,
                u->count_min, u->count_max);
}

static void check_grid(struct lint *l)
{
    uint64_t declared = teg_kernel_blocks(l->kernel);

    if (l->blocks != declared)
        finding(l, "partial-grid", NULL, 1,
                "expected the %" PRIu64 " blocks of the grid, found %" PRIu64,
                declared, l->blocks);
}

static void take_over_notes(struct lint *l)
{
    const struct teg_notes *notes = &l->kernel->notes;

    for (size_t i = 0; i < notes->count; i++) {
        const struct teg_note *note = &notes->note[i];
        const struct kind *kind = find_kind(note->kind);

        if (kind == NULL || !kind->lint)
            finding(l, note->kind, note->where, note->count, "%s", note->what);
    }
}

teg_status teg_lint_launch(struct teg_launch *launch, uint32_t gpu_cc,
                           struct teg_notes *out, struct teg_diag *d)
{
    struct lint l = {.kernel = launch->kernel, .out = out};
    teg_status status = teg_seen_init(&l.seen, launch->kernel->grid, d);

    if (status == TEG_OK)
        status = teg_launch_walk(launch, walk_block, &l, d);
    if (status == TEG_OK)
        check_grid(&l);
    check_generation(&l, gpu_cc);
    if (gpu_cc != 0 || l.kernel->isa != 0)
        check_resources(&l, gpu_cc != 0 ? gpu_cc : l.kernel->isa);
    check_unknown(&l);
    for (uint32_t i = 0; i < l.usages; i++)
        check_loop(&l, i);
    take_over_notes(&l);
    free(l.usage);
    free(l.touched);
    teg_seen_release(&l.seen);
    return status;
}
