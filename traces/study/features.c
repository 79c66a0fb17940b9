#include "traces/study/features.h"

#include <stdlib.h>
#include <string.h>

#include "isa/base/minmax.h"
#include "isa/inst/atomic.h"
#include "isa/inst/opcode.h"
#include "traces/study/accesses.h"
#include "traces/study/footprint.h"
#include "traces/study/nominal.h"

enum {
    WINDOW_BYTES = 16 << 20, /* of generic addresses; traces/base/kernel.h */
    PARAMETER_WORDS = 8192,  /* of 4 bytes: 32764 bytes (CUDA 12.1) */
    UNIFORM_CC = 75,         /* opcodes without their U are looked up here */
};

static const struct teg_feature_facts facts[TEG_FEATURES] = {
#define MODEL                          0
#define DETAIL                         1
#define FEATURE(name, use, unit, help) {#name, unit, help, use},
#include "traces/study/features.def"
#undef FEATURE
#undef MODEL
#undef DETAIL
};

const struct teg_feature_facts *teg_feature_facts(enum teg_feature f)
{
    return &facts[f];
}

enum teg_feature teg_feature_find(const char *name)
{
    uint32_t f = 0;

    while (f < TEG_FEATURES && strcmp(facts[f].name, name) != 0)
        f++;
    return f;
}

/* ---- what a static instruction counts as --------------------------------- */

enum group {
    GROUP_ARITHMETIC,
    GROUP_SPECIAL,
    GROUP_LOGIC,
    GROUP_CONTROL,
    GROUP_EXCHANGE,
    GROUP_MEMORY,
    GROUP_MOVE, /* the compiler's, not the program's: not in `instructions` */
    GROUP_NONE, /* marks and hints of one generation */
    GROUPS,
};

static const uint8_t group_of_class[TEG_CLASSES] = {
    [CLASS_IADD] = GROUP_ARITHMETIC,
    [CLASS_MOV] = GROUP_MOVE,
    [CLASS_LOGIC] = GROUP_LOGIC,
    [CLASS_SHIFT] = GROUP_LOGIC,
    [CLASS_SELECT] = GROUP_ARITHMETIC,
    [CLASS_ISETP] = GROUP_ARITHMETIC,
    [CLASS_LEA] = GROUP_ARITHMETIC,
    [CLASS_IMUL16] = GROUP_ARITHMETIC,
    [CLASS_IMAD16] = GROUP_ARITHMETIC,
    [CLASS_IMUL] = GROUP_ARITHMETIC,
    [CLASS_IMAD] = GROUP_ARITHMETIC,
    [CLASS_IMAD_WIDE] = GROUP_ARITHMETIC,
    [CLASS_IMAD_HIGH] = GROUP_ARITHMETIC,
    [CLASS_FADD] = GROUP_ARITHMETIC,
    [CLASS_FMUL] = GROUP_ARITHMETIC,
    [CLASS_FMAD] = GROUP_ARITHMETIC,
    [CLASS_FCMP] = GROUP_ARITHMETIC,
    [CLASS_DADD] = GROUP_ARITHMETIC,
    [CLASS_DMUL] = GROUP_ARITHMETIC,
    [CLASS_DFMA] = GROUP_ARITHMETIC,
    [CLASS_DCMP] = GROUP_ARITHMETIC,
    [CLASS_HALF] = GROUP_ARITHMETIC,
    [CLASS_PACK] = GROUP_ARITHMETIC,
    [CLASS_SFU] = GROUP_SPECIAL,
    [CLASS_SFU_TRIG] = GROUP_SPECIAL,
    [CLASS_BITCOUNT] = GROUP_ARITHMETIC,
    [CLASS_CONVERT] = GROUP_ARITHMETIC,
    [CLASS_CONVERT64] = GROUP_ARITHMETIC,
    [CLASS_HMMA] = GROUP_ARITHMETIC,
    [CLASS_IMMA] = GROUP_ARITHMETIC,
    [CLASS_DMMA] = GROUP_ARITHMETIC,
    [CLASS_GMMA] = GROUP_ARITHMETIC,
    [CLASS_TCMMA] = GROUP_ARITHMETIC,
    [CLASS_UNIFORM] = GROUP_MOVE, /* those that have no twin without the U */
    [CLASS_S2R] = GROUP_MOVE,
    [CLASS_VOTE] = GROUP_EXCHANGE,
    [CLASS_LDS] = GROUP_MEMORY,
    [CLASS_LDTM] = GROUP_MEMORY,
    [CLASS_SHUFFLE] = GROUP_EXCHANGE,
    [CLASS_BRANCH] = GROUP_CONTROL,
    [CLASS_CONVERGE] = GROUP_CONTROL,
    [CLASS_EXIT] = GROUP_CONTROL,
    [CLASS_BARRIER] = GROUP_CONTROL,
    [CLASS_NOP] = GROUP_NONE,
    [CLASS_MEMBAR] = GROUP_NONE,
    [CLASS_STS] = GROUP_MEMORY,
    [CLASS_ATOMS] = GROUP_MEMORY,
    [CLASS_PHASE] = GROUP_MEMORY,
    [CLASS_LDSM] = GROUP_MEMORY,
    [CLASS_LDC] = GROUP_MEMORY,
    [CLASS_LDG] = GROUP_MEMORY,
    [CLASS_STG] = GROUP_MEMORY,
    [CLASS_ATOMG] = GROUP_MEMORY,
    [CLASS_RED] = GROUP_MEMORY,
    [CLASS_LDGSTS] = GROUP_MEMORY,
    [CLASS_BULK] = GROUP_MEMORY,
    [CLASS_LDL] = GROUP_MEMORY,
    [CLASS_STL] = GROUP_MEMORY,
    [CLASS_LD] = GROUP_MEMORY,
    [CLASS_ST] = GROUP_MEMORY,
    [CLASS_TEX] = GROUP_MEMORY,
    [CLASS_SURFACE] = GROUP_MEMORY,
};

/* Mnemonics whose class says which unit they use, not what they do.  The
 * first row whose text the instruction begins with decides. */
static const struct exception {
    const char *begin;
    enum group group;
} exceptions[] = {
    {"IMAD.MOV", GROUP_MOVE},      {"IMAD.SHL", GROUP_LOGIC},
    {"PLOP3", GROUP_LOGIC},        {"BSYNC", GROUP_NONE},
    {"BREAK", GROUP_NONE},         {"WARPSYNC", GROUP_NONE},
    {"ENDCOLLECTIVE", GROUP_NONE},
};

/* What one execution by one thread adds. */
struct meaning {
    uint8_t group;
    uint8_t space; /* enum teg_space, SPACE_NONE: no bytes */
    uint8_t is_barrier, is_unknown;
    uint16_t width;
    uint16_t parameter;       /* first word of the parameters it reads ... */
    uint16_t parameter_words; /* ... and how many; 0: none */
};

/* Where parameters begin in constant bank 0, by ten times the compute
 * capability up to which it holds (as cubins of these generations say in
 * their .nv.info sections; CUDA 12). */
static const struct {
    uint32_t up_to, base;
} parameter_bases[] = {
    {13, 0x10},  {21, 0x20},  {62, 0x140},
    {89, 0x160}, {90, 0x210}, {UINT32_MAX, 0x380},
};

static uint32_t parameter_base(uint32_t isa)
{
    uint32_t i = 0;

    if (isa == 0)
        return 0;
    while (isa > parameter_bases[i].up_to)
        i++;
    return parameter_bases[i].base;
}

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

/* Bytes of the constant operand that ends at `after`: two words for the
 * addend of a wide product and for doubles, else one. */
static uint32_t operand_bytes(const struct teg_inst *inst, const char *text,
                              const char *after)
{
    const char *dot = strchr(text, '.');

    if (inst->space == SPACE_CONST && inst->width != 0)
        return inst->width;
    if (begins(text, "D") && inst->op_class >= CLASS_DADD &&
        inst->op_class <= CLASS_DCMP)
        return 8;
    if ((begins(text, "IMAD.WIDE") || begins(text, "UIMAD.WIDE")) &&
        *after != ',')
        return 8;
    return dot != NULL && begins(text, "MOV.64") ? 8 : 4;
}

/* "c[0x0][0x168]" in the text: the words of the parameters it names. */
static void find_parameter(struct meaning *m, const struct teg_inst *inst,
                           const char *text, uint32_t base)
{
    const char *at = strstr(text, "c[0x0][0x");
    unsigned long offset;
    uint32_t words;
    char *end;

    if (at == NULL || base == 0)
        return;
    offset = strtoul(at + 7, &end, 16);
    if (*end != ']' || offset < base ||
        (offset - base) / 4 >= PARAMETER_WORDS - 4)
        return;
    words = operand_bytes(inst, text, end + 1);
    m->parameter = (uint16_t)((offset - base) / 4);
    m->parameter_words = (uint16_t)((words + 3) / 4);
    if (m->parameter_words > 4)
        m->parameter_words = 4;
}

/* A uniform instruction is the one without its U, if there is such. */
static enum group uniform_group(const char *mnemonic, size_t length)
{
    struct teg_operands none = {0};
    struct teg_inst twin;
    char name[48];

    if (begins(mnemonic, "VOTEU"))
        return GROUP_EXCHANGE;
    if (length < 2 || length >= sizeof name || mnemonic[0] != 'U')
        return GROUP_MOVE;
    memcpy(name, mnemonic + 1, length - 1);
    name[length - 1] = '\0';
    teg_inst_from_opcode(&twin, name, UNIFORM_CC, &none);
    return (twin.flags & INST_UNKNOWN) != 0 ? GROUP_MOVE
                                            : group_of_class[twin.op_class];
}

static enum group group_of(const struct teg_inst *inst, const char *text,
                           size_t length)
{
    for (size_t i = 0; i < sizeof exceptions / sizeof exceptions[0]; i++) {
        if (begins(text, exceptions[i].begin))
            return exceptions[i].group;
    }
    /* The compiler's way to load 0 through another unit. */
    if (inst->op_class == CLASS_HALF && strstr(text, ", -RZ, RZ") != NULL)
        return GROUP_MOVE;
    if (inst->space == SPACE_CONST && strstr(text, "c[0x0]") != NULL)
        return GROUP_MOVE;
    if (inst->op_class == CLASS_UNIFORM)
        return uniform_group(text, length);
    if (teg_op_class_is_branch(inst->op_class) && !(inst->flags & INST_BRANCH))
        return GROUP_NONE;
    return group_of_class[inst->op_class];
}

static struct meaning meaning_of(const struct teg_kernel *k,
                                 const struct teg_inst *inst)
{
    struct meaning m = {0};
    size_t length;
    const char *text =
        teg_text_mnemonic(teg_program_text(&k->program, inst), &length);

    m.group = (uint8_t)group_of(inst, text, length);
    m.space = m.group == GROUP_MEMORY || (inst->flags & INST_OPERAND) != 0
                  ? inst->space
                  : SPACE_NONE;
    m.width = inst->width;
    m.is_barrier = (inst->flags & INST_BARRIER) != 0;
    m.is_unknown = (inst->flags & INST_UNKNOWN) != 0;
    find_parameter(&m, inst, text, parameter_base(k->isa));
    return m;
}

/* ---- one warp -------------------------------------------------------------- */

/* What the threads of the launch did at one static instruction. */
struct usage {
    uint64_t warps; /* that executed it */
    uint64_t executed;
    uint64_t in_shared, in_local; /* of a generic access; the rest is global */
};

struct collector {
    const struct teg_kernel *kernel; /* borrowed */
    struct meaning *meaning;         /* owned, by instruction */
    struct usage *usage;             /* owned, likewise */
    uint32_t count;
    uint64_t blocks;
    struct teg_accesses accesses;
    struct teg_nominal nominal;
    struct teg_footprint *footprint; /* owned */
    uint64_t parameter_words;        /* read by threads */
    int operands_known;              /* the trace prints constant operands */
    uint32_t *loaded; /* owned, [PARAMETER_WORDS]: lanes of this warp that
                         have read the word */
    uint32_t loaded_end;
};

static void read_parameter(struct collector *c, const struct meaning *m,
                           uint32_t mask)
{
    uint32_t end = (uint32_t)m->parameter + m->parameter_words;

    for (uint32_t w = m->parameter; w < end; w++) {
        c->parameter_words += __builtin_popcount(mask & ~c->loaded[w]);
        c->loaded[w] |= mask;
    }
    c->loaded_end = end > c->loaded_end ? end : c->loaded_end;
}

static int in_window(uint64_t address, uint64_t base)
{
    return base != 0 && address - base < WINDOW_BYTES;
}

/* A lane's bytes of global memory.  Returns where it finds them; an atomic
 * always goes there. */
static enum teg_nominal_source touch(struct collector *c,
                                     const struct teg_inst *inst,
                                     uint64_t address)
{
    int is_atomic = (inst->flags & INST_ATOMIC) != 0;

    if (inst->width == 0)
        return NOMINAL_MEMORY;
    teg_footprint_touch(c->footprint, address, inst->width);
    if (is_atomic)
        teg_footprint_atomic(c->footprint, address);
    return teg_nominal_has(&c->nominal, address) && !is_atomic ? NOMINAL_CACHE
                                                               : NOMINAL_MEMORY;
}

/* Takes in a lane's bytes: the source is the farthest of all; lanes whose line is
 * the one before's share a pass. */
static void add_lane(struct collector *c, const struct teg_inst *inst,
                     uint64_t address, uint64_t *line,
                     struct teg_nominal_access *all)
{
    enum teg_nominal_source source = touch(c, inst, address);

    all->source = source > all->source ? source : all->source;
    all->passes += address / TEG_NOMINAL_LINE != *line;
    *line = address / TEG_NOMINAL_LINE;
}

static struct teg_nominal_access split_generic(struct collector *c,
                                               struct usage *u,
                                               const struct teg_inst *inst,
                                               struct teg_cursor *cursor)
{
    struct teg_nominal_access all = {NOMINAL_SM, 0};
    struct teg_access access;
    uint64_t line = UINT64_MAX;

    if (!teg_cursor_access(cursor, &access))
        return (struct teg_nominal_access){NOMINAL_MEMORY, 1};
    for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1) {
        uint64_t at = teg_access_lane(&access, __builtin_ctz(rest));
        int in_shared = teg_kernel_in_shared(c->kernel, at) != UINT64_MAX;
        int in_local = in_window(at, c->kernel->local_base);

        u->in_shared += in_shared;
        u->in_local += in_local;
        if (in_local && all.source == NOMINAL_SM)
            all.source = NOMINAL_CACHE;
        if (!in_shared && !in_local)
            add_lane(c, inst, at, &line, &all);
    }
    all.passes += all.passes == 0;
    return all;
}

static struct teg_nominal_access count_shared(struct collector *c,
                                              const struct meaning *m,
                                              const struct teg_inst *inst,
                                              const struct teg_access *access)
{
    uint64_t passes = c->accesses.passes, turns = c->accesses.atomic_turns;

    teg_accesses_shared(&c->accesses, access, m->width);
    if (inst->atomic == ATOMIC_COUNT && access->mask != 0)
        c->accesses.atomic_turns++;
    else if (inst->flags & INST_ATOMIC)
        teg_accesses_atomic(&c->accesses, access);
    passes = c->accesses.passes - passes;
    turns = c->accesses.atomic_turns - turns;
    return (struct teg_nominal_access){NOMINAL_SM,
                                       (uint32_t)teg_max(passes, turns)};
}

/* Rows of matrices are no lanes' words. */
static struct teg_nominal_access count_access(struct collector *c,
                                              const struct meaning *m,
                                              const struct teg_inst *inst,
                                              struct teg_cursor *cursor)
{
    struct teg_nominal_access all = {NOMINAL_SM, 0};
    struct teg_access access;
    uint64_t line = UINT64_MAX;

    if (inst->op_class == CLASS_LDSM || !teg_cursor_access(cursor, &access))
        return (struct teg_nominal_access){NOMINAL_MEMORY, 1};
    if (m->space == SPACE_SHARED)
        return count_shared(c, m, inst, &access);
    teg_accesses_global(&c->accesses, &access, m->width);
    for (uint32_t rest = access.mask; rest != 0; rest &= rest - 1)
        add_lane(c, inst, teg_access_lane(&access, __builtin_ctz(rest)), &line,
                 &all);
    return all;
}

/* What the instruction does in memory. */
static struct teg_nominal_access look_at_memory(struct collector *c,
                                                const struct meaning *m,
                                                struct usage *u,
                                                const struct teg_inst *inst,
                                                struct teg_cursor *cursor)
{
    switch ((enum teg_space)m->space) {
    case SPACE_GENERIC:
        return split_generic(c, u, inst, cursor);
    case SPACE_SHARED:
    case SPACE_GLOBAL:
        return count_access(c, m, inst, cursor);
    case SPACE_LOCAL:
    case SPACE_CONST:
        return (struct teg_nominal_access){NOMINAL_CACHE, 1};
    case SPACE_TEXTURE:
        return (struct teg_nominal_access){NOMINAL_MEMORY, 1};
    case SPACE_NONE:
        break;
    }
    return (struct teg_nominal_access){NOMINAL_MEMORY, 0};
}

static void walk_warp(struct collector *c, struct teg_block *block,
                      uint32_t stream)
{
    struct teg_cursor cursor;

    teg_cursor_init(&cursor, block, stream);
    teg_nominal_begin(&c->nominal);
    while (teg_cursor_next(&cursor)) {
        const struct teg_inst *inst = &c->kernel->program.inst[cursor.inst];
        const struct meaning *m = &c->meaning[cursor.inst];
        struct usage *u = &c->usage[cursor.inst];

        u->warps++;
        u->executed += __builtin_popcount(cursor.mask);
        if (m->parameter_words != 0)
            read_parameter(c, m, cursor.mask);
        teg_nominal_step(&c->nominal, inst,
                         look_at_memory(c, m, u, inst, &cursor));
    }
    teg_nominal_end(&c->nominal);
    memset(c->loaded, 0, c->loaded_end * sizeof *c->loaded);
    c->loaded_end = 0;
}

/* Makes the tables as long as the program, which grows with the blocks. */
static teg_status grow(struct collector *c, struct teg_diag *d)
{
    const struct teg_program *p = &c->kernel->program;
    struct meaning *meaning;
    struct usage *usage;

    if (p->count <= c->count)
        return TEG_OK;
    meaning = realloc(c->meaning, p->count * sizeof *meaning);
    if (meaning == NULL)
        return teg_fail_memory(d);
    c->meaning = meaning;
    usage = realloc(c->usage, p->count * sizeof *usage);
    if (usage == NULL)
        return teg_fail_memory(d);
    c->usage = usage;
    memset(usage + c->count, 0, (p->count - c->count) * sizeof *usage);
    for (; c->count < p->count; c->count++) {
        size_t length;
        const char *text =
            teg_text_mnemonic(teg_program_text(p, &p->inst[c->count]), &length);

        meaning[c->count] = meaning_of(c->kernel, &p->inst[c->count]);
        c->operands_known |= strstr(text + length, "c[0x0][") != NULL;
    }
    return TEG_OK;
}

static teg_status walk_block(void *self, struct teg_block *block,
                             struct teg_diag *d)
{
    struct collector *c = self;

    TRY(grow(c, d));
    for (uint32_t i = 0; i < teg_block_warps(block); i++)
        walk_warp(c, block, i);
    c->blocks++;
    return TEG_OK;
}

/* ---- the whole launch ------------------------------------------------------- */

/* Where the bytes of a space go: all, and as loads, stores, atomics. */
static const struct volume {
    enum teg_feature all, read, written, atomic;
} volumes[] = {
    [SPACE_GLOBAL] = {FEATURE_global_bytes, FEATURE_global_read,
                      FEATURE_global_written, FEATURE_global_atomic},
    [SPACE_SHARED] = {FEATURE_shared_bytes, FEATURE_shared_read,
                      FEATURE_shared_written, FEATURE_shared_atomic},
    [SPACE_LOCAL] = {FEATURE_local_bytes, FEATURE_local_read,
                     FEATURE_local_written, FEATURE_local_written},
};

static void add_volume(double value[TEG_FEATURES], enum teg_space space,
                       uint16_t flags, double bytes)
{
    const struct volume *v = &volumes[space];

    value[v->all] += bytes;
    if (flags & INST_ATOMIC)
        value[v->atomic] += bytes;
    else if (flags & INST_STORE)
        value[v->written] += bytes;
    else
        value[v->read] += bytes;
}

static void add_memory(struct teg_features *f, const struct teg_inst *inst,
                       const struct meaning *m, const struct usage *u)
{
    double *value = f->value, width = m->width;
    double executed = (double)u->executed;
    double shared = (double)u->in_shared, local = (double)u->in_local;

    if (m->width == 0)
        f->without_bytes += u->executed;
    switch ((enum teg_space)m->space) {
    case SPACE_NONE:
        break;
    case SPACE_GLOBAL:
    case SPACE_SHARED:
    case SPACE_LOCAL:
        add_volume(value, m->space, inst->flags, executed * width);
        break;
    case SPACE_GENERIC:
        add_volume(value, SPACE_SHARED, inst->flags, shared * width);
        add_volume(value, SPACE_LOCAL, inst->flags, local * width);
        add_volume(value, SPACE_GLOBAL, inst->flags,
                   (executed - shared - local) * width);
        break;
    case SPACE_CONST:
        value[FEATURE_constant_bytes] += executed * width;
        break;
    case SPACE_TEXTURE:
        value[FEATURE_fetches] += executed;
        break;
    }
    if (inst->op_class == CLASS_LDGSTS) /* the other half of the copy */
        add_volume(value, SPACE_SHARED, INST_STORE, executed * width);
}

static int is_double(enum teg_op_class c)
{
    return (c >= CLASS_DADD && c <= CLASS_DCMP) || c == CLASS_CONVERT64 ||
           c == CLASS_DMMA;
}

static void add_inst(struct teg_features *f, const struct teg_inst *inst,
                     const struct meaning *m, const struct usage *u)
{
    static const uint8_t feature[GROUPS] = {
        [GROUP_ARITHMETIC] = FEATURE_arithmetic,
        [GROUP_SPECIAL] = FEATURE_special,
        [GROUP_LOGIC] = FEATURE_logic,
        [GROUP_CONTROL] = FEATURE_control,
        [GROUP_EXCHANGE] = FEATURE_exchange,
        [GROUP_MEMORY] = FEATURE_memory,
        [GROUP_MOVE] = FEATURE_moves,
    };
    double executed = (double)u->executed;

    f->value[FEATURE_warp_instructions] += (double)u->warps;
    if (m->is_unknown)
        f->unknown += u->executed;
    if (inst->op_class == CLASS_BULK)
        f->bulk += u->executed;
    if (m->group == GROUP_NONE)
        return;
    f->value[feature[m->group]] += executed;
    if (m->group != GROUP_MOVE)
        f->value[FEATURE_instructions] += executed;
    if (m->is_barrier)
        f->value[FEATURE_barriers] += executed;
    if (is_double(inst->op_class))
        f->value[FEATURE_doubles] += executed;
    if (teg_op_class_is_tensor(inst->op_class))
        f->value[FEATURE_tensor] += executed;
    if (m->space != SPACE_NONE)
        add_memory(f, inst, m, u);
}

static void finish(const struct collector *c, struct teg_features *f)
{
    const struct teg_kernel *k = c->kernel;
    double *value = f->value, bytes, threads;

    for (uint32_t i = 0; i < c->count; i++)
        add_inst(f, &k->program.inst[i], &c->meaning[i], &c->usage[i]);
    bytes = value[FEATURE_global_bytes] + value[FEATURE_local_bytes];
    value[FEATURE_intensity] =
        value[FEATURE_arithmetic] / (bytes > 0 ? bytes : 1);
    value[FEATURE_parameter_bytes] = 4 * (double)c->parameter_words;
    value[FEATURE_blocks] = (double)teg_kernel_blocks(k);
    value[FEATURE_threads_per_block] = teg_kernel_threads_per_block(k);
    value[FEATURE_shared_allocation] = k->shared_bytes;
    value[FEATURE_block_width] = k->block[0];
    threads = (double)c->blocks * value[FEATURE_threads_per_block];
    value[FEATURE_instructions_per_thread] =
        value[FEATURE_instructions] / (threads > 0 ? threads : 1);
    value[FEATURE_conflict_degree] = teg_accesses_conflict_degree(&c->accesses);
    value[FEATURE_sector_degree] = teg_accesses_sector_degree(&c->accesses);
    value[FEATURE_touched_bytes] = teg_footprint_bytes(c->footprint);
    value[FEATURE_hottest_word] = (double)teg_footprint_hottest(c->footprint);
    value[FEATURE_atomic_turns] = (double)c->accesses.atomic_turns;
    value[FEATURE_warp_cycles] = teg_nominal_mean(&c->nominal);
    value[FEATURE_longest_warp] = (double)c->nominal.longest;
    if (c->blocks != 0) {
        value[FEATURE_block_issues] =
            value[FEATURE_warp_instructions] / (double)c->blocks;
        value[FEATURE_block_passes] =
            (double)c->nominal.passes / (double)c->blocks;
    }
    f->blocks_traced = c->blocks;
    memset(f->known, 1, sizeof f->known);
    f->known[FEATURE_parameter_bytes] = c->operands_known && k->isa != 0;
}

teg_status teg_features_collect(struct teg_launch *launch,
                                struct teg_features *features,
                                struct teg_diag *d)
{
    struct collector c = {.kernel = launch->kernel};
    teg_status status;

    *features = (struct teg_features){0};
    c.loaded = calloc(PARAMETER_WORDS, sizeof *c.loaded);
    c.footprint = calloc(1, sizeof *c.footprint);
    status = c.loaded != NULL && c.footprint != NULL
                 ? teg_launch_walk(launch, walk_block, &c, d)
                 : teg_fail_memory(d);
    if (status == TEG_OK)
        finish(&c, features);
    free(c.footprint);
    free(c.loaded);
    free(c.meaning);
    free(c.usage);
    return status;
}
