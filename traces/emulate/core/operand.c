#include "traces/emulate/core/operand.h"

#include <stdlib.h>

const uint32_t emu_zeros[8][EMU_LANES];

/* ---- functions by name ------------------------------------------------------- */

/* Whether this machine runs the functions compiled for vectors. */
static int has_vectors(void)
{
#ifdef TEG_EMULATE_VECTOR
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
#else
    return 0;
#endif
}

static emu_exec find_exec(const char *name, int plain)
{
    static const struct emu_row_of *const rooms[][2] = {
#ifdef TEG_EMULATE_VECTOR
#define ROOM(room) {emu_##room##_ops, emu_##room##_ops_vector}
#else
#define ROOM(room)                         \
    {                                      \
        emu_##room##_ops, emu_##room##_ops \
    }
#endif
        ROOM(int),    ROOM(float),   ROOM(half),   ROOM(convert),
        ROOM(matrix), ROOM(async),   ROOM(memory), ROOM(atomic),
        ROOM(logic),  ROOM(texture), ROOM(gmma),   ROOM(tensor),
        ROOM(warp),   ROOM(tiles),   ROOM(tcgen),  ROOM(tcgen_mma),
    };
    int which = !plain && has_vectors();

    for (size_t r = 0; r < sizeof rooms / sizeof rooms[0]; r++) {
        for (const struct emu_row_of *row = rooms[r][which]; row->name != NULL;
             row++) {
            if (strcmp(row->name, name) == 0)
                return row->exec;
        }
    }
    return NULL;
}

int emu_has_function(const char *name)
{
    return find_exec(name, 1) != NULL;
}

/* ---- operands ------------------------------------------------------------------ */

static void set_operand(struct emu_operand *o, const struct teg_sass_operand *s)
{
    *o = (struct emu_operand){
        .value = s->value,
        .flags = s->flags,
        .kind = s->kind,
        .reg = s->reg,
        .count = s->count,
        .select = s->select,
        .ureg = s->ureg,
        .scale = s->scale,
        .bank = s->bank,
        .suffix_value = s->suffix_value,
    };
    if (s->kind == SASS_REGISTER && s->reg == TEG_SASS_RZ)
        o->fixed = emu_zeros[0];
    else if (s->kind == SASS_UNIFORM && s->reg >= EMU_NO_UNIFORM)
        o->fixed = emu_zeros[0];
    else if (s->kind == SASS_REGISTER)
        o->row = s->reg;
    else if (s->kind == SASS_UNIFORM)
        o->row = (uint16_t)(EMU_UNIFORM_ROW + s->reg);
    else
        o->fixed = emu_zeros[0]; /* until emu_fixed_init */
}

static const struct emu_operand *find(const struct emu_op *op, char role)
{
    const struct teg_sass_operand *s = teg_sass_operand(&op->sass, role);

    return s != NULL ? &op->operand[s - op->sass.operand] : NULL;
}

/* A destination, or NULL where what is written is lost. */
static const struct emu_operand *find_target(const struct emu_op *op, char role)
{
    const struct emu_operand *o = find(op, role);

    if (o == NULL)
        return NULL;
    if (o->kind == SASS_PREDICATE || o->kind == SASS_UPREDICATE)
        return o->reg == TEG_SASS_PT ? NULL : o;
    return (o->kind == SASS_REGISTER || o->kind == SASS_UNIFORM) &&
                   o->fixed == NULL
               ? o
               : NULL;
}

static const struct emu_operand *second_address(const struct emu_op *op)
{
    int seen = 0;

    for (uint8_t i = 0; i < op->sass.operand_count; i++) {
        if (op->sass.operand[i].kind == SASS_ADDRESS && seen++ == 1)
            return &op->operand[i];
    }
    return NULL;
}

static void refuse(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    (void)mask;
    emu_refuse(w, op);
}

/* LD and LDG may read a predicate, those of 256 bits another, and write one;
 * nothing published says for what. */
static int loads_with_predicate(const struct teg_sass *s)
{
    const struct teg_sass_operand *x = teg_sass_operand(s, 'x');
    const struct teg_sass_operand *u = teg_sass_operand(s, 'u');

    if (x == NULL && strcmp(s->name, "LDG") == 0)
        x = teg_sass_operand(s, 'y');
    return x != NULL &&
           (x->reg != TEG_SASS_PT || (x->flags & SASS_NEGATE) != 0 ||
            (u != NULL && u->reg != TEG_SASS_PT));
}

/* The immediate of a move or a choice, which has no slot. */
static void name_immediate(struct emu_op *op)
{
    const struct teg_sass *s = &op->sass;
    int moves = strcmp(s->name, "UMOV") == 0 || strcmp(s->name, "MOV") == 0 ||
                strcmp(s->name, "SEL") == 0 || strcmp(s->name, "USEL") == 0;

    for (uint8_t i = 0; i < s->operand_count && moves && op->b == NULL; i++) {
        if (s->operand[i].kind == SASS_IMMEDIATE)
            op->b = &op->operand[i];
    }
}

/* Whether it names a uniform register that no row is kept of. */
static int names_too_many(const struct teg_sass *s)
{
    for (uint8_t i = 0; i < s->operand_count; i++) {
        const struct teg_sass_operand *o = &s->operand[i];
        int indexed =
            o->kind == SASS_CONSTANT && (o->flags & SASS_UNIFORM_INDEX) != 0;
        unsigned number = o->kind == SASS_ADDRESS              ? o->ureg
                          : o->kind == SASS_UNIFORM || indexed ? o->reg
                                                               : TEG_SASS_URZ;

        if (number >= EMU_NO_UNIFORM && number != TEG_SASS_URZ)
            return 1;
    }
    return 0;
}

void emu_op_prepare(struct emu_op *op, const uint8_t *bytes, uint64_t pc,
                    uint32_t cc, int plain)
{
    const struct teg_sass *s = &op->sass;
    int decoded;

    memset(op, 0, sizeof *op);
    decoded = teg_sass_decode(&op->sass, bytes, pc, cc);
    op->pc = pc;
    op->cc = s->cc;
    memcpy(op->word, s->word, sizeof op->word);
    op->guard = s->guard;
    op->guard_negated = s->guard_negated;
    op->guard_uniform = s->guard_uniform;
    if (!decoded)
        return;
    if (teg_sass_is_understood(s) && !names_too_many(s))
        op->exec = find_exec(s->name, plain);
    if (op->exec != NULL && loads_with_predicate(s))
        op->exec = refuse;
    op->operand_count = s->operand_count;
    for (uint8_t i = 0; i < s->operand_count; i++)
        set_operand(&op->operand[i], &s->operand[i]);
    op->a = find(op, 'a');
    op->b = find(op, 'b');
    op->c = find(op, 'c');
    op->d = find_target(op, 'd');
    op->u = find_target(op, 'u');
    op->v = find_target(op, 'v');
    op->p = find(op, 'p');
    op->q = find(op, 'q');
    op->r = find(op, 'r');
    op->z = find(op, 'z');
    op->m = find(op, 'm');
    op->t = find(op, 't');
    op->m2 = second_address(op);
    name_immediate(op);
}

/* ---- immediates and constants ------------------------------------------------------ */

/* Words an instruction may ask of one: a double's or a 64-bit integer's. */
enum {
    FIXED_WORDS = 2
};

/* The second word of an immediate: of those of 64 bits, which have no slot. */
static uint32_t upper_word(const struct emu_op *op, const struct emu_operand *o)
{
    return o == op->b && op->d != NULL && op->d->count == 2 &&
                   op->sass.operand[o - op->operand].role == 0
               ? (uint32_t)((uint64_t)o->value >> 32)
               : 0;
}

static int is_fixed(const struct emu_operand *o)
{
    return o->kind == SASS_IMMEDIATE ||
           (o->kind == SASS_CONSTANT && (o->flags & SASS_INDEXED) == 0);
}

/* 4 bytes of a constant bank; beyond its end reads as 0, as on hardware. */
static uint32_t constant(const struct emu_block *b, uint32_t bank,
                         uint64_t offset)
{
    uint32_t value = 0;

    if (bank < EMU_BANKS && b->bank[bank].data != NULL &&
        offset + 4 <= b->bank[bank].size)
        memcpy(&value, b->bank[bank].data + offset, 4);
    return value;
}

teg_status emu_fixed_init(struct emu_fixed *f, struct emu_op *op, uint32_t ops,
                          const struct emu_block *b, struct teg_diag *d)
{
    size_t count = 0;

    for (uint32_t i = 0; i < ops; i++) {
        for (uint8_t k = 0; k < op[i].operand_count; k++)
            count += (size_t)is_fixed(&op[i].operand[k]);
    }
    f->row = calloc(FIXED_WORDS * count + 1, sizeof *f->row);
    if (f->row == NULL)
        return teg_fail_memory(d);
    for (uint32_t i = 0; i < ops; i++) {
        for (uint8_t k = 0; k < op[i].operand_count; k++) {
            struct emu_operand *o = &op[i].operand[k];
            uint32_t word[FIXED_WORDS] = {(uint32_t)o->value,
                                          upper_word(&op[i], o)};

            if (!is_fixed(o))
                continue;
            for (unsigned n = 0; n < FIXED_WORDS && o->kind == SASS_CONSTANT;
                 n++)
                word[n] = constant(b, o->bank, (uint64_t)o->value + 4 * n);
            o->fixed = f->row[f->rows];
            for (unsigned n = 0; n < FIXED_WORDS; n++, f->rows++)
                LANES f->row[f->rows][l] = word[n];
        }
    }
    return TEG_OK;
}

void emu_fixed_release(struct emu_fixed *f)
{
    free(f->row);
    *f = (struct emu_fixed){0};
}
