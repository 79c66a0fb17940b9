/* Atomic operations on memory, lane after lane. */
#include <math.h>
#include <string.h>

#include "traces/emulate/core/reduce.h"
#include "traces/emulate/ops/mbarrier.h"
#include "traces/emulate/ops/memory.h"

enum {
    TYPE_U32,
    TYPE_S32,
    TYPE_U64,
    TYPE_F32,
    TYPE_F16X2,
    TYPE_S64,
    TYPE_F64,
    TYPE_BF16X2,
    TYPE_F32_FTZ,
    TYPE_B128, /* compared or exchanged, not an element */
    TYPE_UNKNOWN
};

/* The type of an element that is combined at once. */
static const uint8_t element_of[TYPE_UNKNOWN] = {
    [TYPE_U32] = MAP_U32,         [TYPE_S32] = MAP_S32,
    [TYPE_U64] = MAP_U64,         [TYPE_F32] = MAP_F32,
    [TYPE_S64] = MAP_S64,         [TYPE_F64] = MAP_F64,
    [TYPE_F16X2] = MAP_F16,       [TYPE_BF16X2] = MAP_BF16,
    [TYPE_F32_FTZ] = MAP_F32_FTZ,
};

enum {
    OPERATION_EXCHANGE = EMU_REDUCTIONS,
};

/* Sums of two halves or bfloat16, each rounded. */
static uint64_t packed_sum(unsigned type, uint64_t a, uint64_t b)
{
    uint64_t sum = 0;

    for (int i = 0; i < 2; i++)
        sum |= emu_reduced(REDUCE_ADD, element_of[type], a >> 16 * i & 0xffff,
                           b >> 16 * i & 0xffff)
               << 16 * i;
    return sum;
}

/* Operations are reductions, then EXCH.  SAFEADD, the last, is none of PTX. */
static int is_operation(unsigned operation, unsigned type)
{
    if (operation >= EMU_REDUCTIONS)
        return operation == OPERATION_EXCHANGE;
    if (type == TYPE_B128)
        return 0;
    if (type == TYPE_F16X2 || type == TYPE_BF16X2)
        return operation == REDUCE_ADD;
    return emu_reduces((enum emu_reduction)operation, element_of[type]);
}

static uint64_t combined(unsigned operation, unsigned type, uint64_t old,
                         uint64_t v)
{
    if (operation >= EMU_REDUCTIONS)
        return v;
    if (type == TYPE_F16X2 || type == TYPE_BF16X2)
        return packed_sum(type, old, v);
    return emu_reduced((enum emu_reduction)operation, element_of[type], old, v);
}

struct atomic {
    enum emu_space space;
    unsigned operation, type;
    unsigned words; /* added side by side, each of `type`; 0: one value */
    int increments; /* adds 1, there is no B */
    int compare;    /* CAS: B is expected, C is new; 2: returns success */
};

static int is_packed(const struct atomic *k)
{
    return !k->compare && (k->type == TYPE_F16X2 || k->type == TYPE_BF16X2);
}

/* CAST.SPIN from sm_100 on. */
static int says_by_predicate(const struct emu_op *op)
{
    return emu_bits(op, 11, 0) == 0x58d;
}

/* Lane after lane, in order: one of the orders the hardware may choose.  A
 * packed one does nothing to shared memory, which its predicate tells. */
static void run_atomic(struct emu_warp *w, const struct emu_op *op,
                       uint32_t mask, const struct atomic *k)
{
    unsigned words =
        k->type == TYPE_U64 || k->type == TYPE_S64 || k->type == TYPE_F64 ? 2
                                                                          : 1;
    uint64_t at[EMU_LANES], b[EMU_LANES], c[EMU_LANES], out[EMU_LANES] = {0};
    uint32_t done = EMU_ALL;

    emu_lanes_at(w, op, op->m, k->space, at);
    emu_int64(w, op->b, 0, b);
    emu_int64(w, op->c, 0, c);
    if (k->increments)
        LANES b[l] = 1;
    for (int l = 0; l < EMU_LANES; l++) {
        uint64_t old = 0, v;
        void *to;

        if ((mask >> l & 1) == 0)
            continue;
        if (is_packed(k) && k->space == EMU_GENERIC &&
            emu_in_shared_window(op, at[l])) {
            done &= ~(1u << l);
            continue;
        }
        to = emu_access_at(w, op, l, k->space, at[l], 4 * words, EMU_UPDATE);
        if (to == NULL)
            return;
        memcpy(&old, to, 4 * words);
        if (words == 1) {
            b[l] = (uint32_t)b[l];
            c[l] = (uint32_t)c[l];
        }
        if (k->compare)
            v = old == b[l] ? c[l] : old;
        else
            v = combined(k->operation, k->type, old, b[l]);
        out[l] = k->compare == 2 ? old == b[l] : old;
        if (says_by_predicate(op) && out[l] == 0)
            done &= ~(1u << l);
        memcpy(to, &v, 4 * words);
    }
    if (words == 1) {
        uint32_t low[EMU_LANES];

        for (int l = 0; l < EMU_LANES; l++)
            low[l] = (uint32_t)out[l];
        emu_write(w, op->d, 0, mask, low);
    } else {
        emu_write64(w, op->d, mask, out);
    }
    emu_write_predicate(w, op->u, mask, done);
}

/* 128 bits, exchanged or compared and exchanged. */
static void run_wide(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                     const struct atomic *k)
{
    enum {
        WORDS = 4
    };
    uint32_t out[WORDS][EMU_LANES] = {0}, done = EMU_ALL;
    uint64_t at[EMU_LANES];

    emu_lanes_at(w, op, op->m, k->space, at);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest), same = 1;
        uint32_t *to =
            emu_access_at(w, op, l, k->space, at[l], 4 * WORDS, EMU_UPDATE);
        const struct emu_operand *from = k->compare ? op->c : op->b;

        if (to == NULL)
            return;
        for (unsigned i = 0; i < WORDS; i++) {
            out[i][l] = to[i];
            same &= !k->compare || to[i] == emu_row(w, op->b, i)[l];
        }
        for (unsigned i = 0; i < WORDS && same; i++)
            to[i] = emu_row(w, from, i)[l];
        if (says_by_predicate(op) && !same)
            done &= ~(1u << l);
    }
    for (unsigned i = 0; i < WORDS; i++)
        emu_write(w, op->d, i, mask, out[i]);
    emu_write_predicate(w, op->u, mask, done);
}

/* An arrival at an mbarrier of sm_80: 31 bits of the upper word count up to the
 * phase's end, where bit 63 turns over and they begin anew with what the lower
 * word has, whose 30 bits are the arrivals expected, negative; leaving adds 1
 * there.  What it was before is the answer.  (As code for sm_80 makes such
 * barriers, reads their phase and counts who is still to come) */
static uint64_t arrived(uint64_t old)
{
    uint32_t high = (uint32_t)(old >> 32) + 1, low = (uint32_t)old;

    if ((high & 0x7fffffff) == 0)
        high |= (low + 0x40000000) & 0x7fffffff;
    return (uint64_t)high << 32 | low;
}

static void run_arrive(struct emu_warp *w, const struct emu_op *op,
                       uint32_t mask, enum emu_space space)
{
    uint64_t at[EMU_LANES], out[EMU_LANES] = {0};

    emu_lanes_at(w, op, op->m, space, at);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint64_t *to =
            emu_access_at(w, op, l, space, at[l], sizeof *to, EMU_UPDATE);

        if (to == NULL)
            return;
        out[l] = *to;
        *to = arrived(*to);
        w->block->gang->progress++;
    }
    emu_write64(w, op->d, mask, out);
    emu_write_predicate(w, op->u, mask, EMU_ALL);
}

/* Each lane's words are added one after the other: together they are not
 * atomic on hardware either. */
static void run_vector(struct emu_warp *w, const struct emu_op *op,
                       uint32_t mask, const struct atomic *k)
{
    uint32_t out[4][EMU_LANES] = {0};
    uint64_t at[EMU_LANES];

    emu_lanes_at(w, op, op->m, k->space, at);
    for (int l = 0; l < EMU_LANES; l++) {
        uint32_t word[4];
        void *to;

        if ((mask >> l & 1) == 0)
            continue;
        to = emu_access_at(w, op, l, k->space, at[l], 4 * k->words, EMU_UPDATE);
        if (to == NULL)
            return;
        memcpy(word, to, 4 * k->words);
        for (unsigned i = 0; i < k->words; i++) {
            out[i][l] = word[i];
            word[i] = (uint32_t)combined(0, k->type, word[i],
                                         emu_row(w, op->b, i)[l]);
        }
        memcpy(to, word, 4 * k->words);
    }
    for (unsigned i = 0; i < k->words; i++)
        emu_write(w, op->d, i, mask, out[i]);
    emu_write_predicate(w, op->u, mask, EMU_ALL);
}

static int is_float_form(const struct emu_op *op)
{
    unsigned code = emu_bits(op, 11, 0);

    return op->cc >= 90 && (code == 0x3a2 || code == 0x9a2 || code == 0x3a3 ||
                            code == 0x9a3 || code == 0x9a6);
}

/* sm_90's own float atomics by their type: what is added, and how many words
 * of it if it is a vector. */
static const struct float_form {
    unsigned type, words;
} float_forms[16] = {
    {TYPE_F16X2, 0},   {TYPE_F16X2, 2},   {TYPE_F16X2, 4},   {TYPE_BF16X2, 0},
    {TYPE_BF16X2, 2},  {TYPE_BF16X2, 4},  {TYPE_UNKNOWN, 0}, {TYPE_UNKNOWN, 0},
    {TYPE_UNKNOWN, 0}, {TYPE_F32_FTZ, 0}, {TYPE_F32_FTZ, 2}, {TYPE_F32_FTZ, 4},
    {TYPE_F32, 0},     {TYPE_F32, 2},     {TYPE_F32, 4},     {TYPE_F64, 0},
};

static struct float_form float_form_of(const struct emu_op *op)
{
    static const struct float_form unknown = {TYPE_UNKNOWN, 0};

    return emu_bit(op, 87) ? unknown : float_forms[emu_bits(op, 76, 73)];
}

static unsigned type_of(const struct emu_op *op)
{
    static const uint8_t before[8] = {TYPE_U32,     TYPE_S32,   TYPE_U64,
                                      TYPE_F32_FTZ, TYPE_F16X2, TYPE_S64,
                                      TYPE_F64,     TYPE_BF16X2};
    static const uint8_t hopper[8] = {TYPE_U32,     TYPE_S32,    TYPE_U64,
                                      TYPE_S64,     TYPE_B128,   TYPE_UNKNOWN,
                                      TYPE_UNKNOWN, TYPE_UNKNOWN};

    return (op->cc >= 90 ? hopper : before)[emu_bits(op, 75, 73)];
}

/* 88:87 of CAS.  CAST.SPIN says whether it succeeded; what CAST alone says, or
 * CAST.SPIN of 128 bits, is not known. */
static int compare_of(const struct emu_op *op)
{
    unsigned code = emu_bits(op, 11, 0), how = emu_bits(op, 88, 87);

    if (code == 0x38d || code == 0x58d)
        return how == 3 ? 2 : 1;
    return code == 0x38b || code == 0x3a9;
}

static int is_cast(const struct emu_op *op)
{
    unsigned code = emu_bits(op, 11, 0), how = emu_bits(op, 88, 87);

    return code == 0x38d || code == 0x58d ? how == 1
                                          : compare_of(op) && how & 1;
}

static void run(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                const struct atomic *k)
{
    if (k->type == TYPE_UNKNOWN || is_cast(op) ||
        (k->type == TYPE_B128 && k->compare == 2) ||
        (!k->compare && !is_operation(k->operation, k->type)) ||
        (k->words != 0 && k->operation != REDUCE_ADD)) {
        emu_refuse(w, op);
        return;
    }
    if (k->type == TYPE_B128)
        run_wide(w, op, mask, k);
    else if (k->words != 0)
        run_vector(w, op, mask, k);
    else
        run_atomic(w, op, mask, k);
}

/* Forms without a source: .ARRIVE (90:87 is 9) at a barrier of sm_80, .POPC.INC,
 * which adds one for each lane. */
static void run_alone(struct emu_warp *w, const struct emu_op *op,
                      uint32_t mask, enum emu_space space)
{
    static const struct atomic one = {.type = TYPE_U32, .increments = 1};
    struct atomic k = one;

    k.space = space;
    if (emu_bits(op, 90, 87) != 9)
        run(w, op, mask, &k);
    else if (op->cc < 90)
        run_arrive(w, op, mask, space);
    else
        emu_refuse(w, op);
}

static void global_atomic(struct emu_warp *w, const struct emu_op *op,
                          uint32_t mask, enum emu_space space)
{
    struct atomic k = {.space = space, .type = type_of(op)};

    if (emu_bits(op, 11, 0) == 0xf8a) {
        run_alone(w, op, mask, space);
        return;
    }
    k.compare = compare_of(op);
    if (is_float_form(op)) {
        struct float_form form = float_form_of(op);

        k.type = form.type;
        k.words = form.words;
        k.operation = emu_bits(op, 89, 88);
    } else if (emu_bits(op, 11, 0) == 0x98e) {
        k.operation = emu_bits(op, 89, 87);
    } else {
        k.operation = emu_bits(op, 90, 87);
    }
    run(w, op, mask, &k);
}

EXEC(atomg)
{
    global_atomic(w, op, mask, EMU_GLOBAL);
}

EXEC(atom)
{
    global_atomic(w, op, mask, EMU_GENERIC);
}

EXEC(atoms)
{
    struct atomic k = {
        .space = EMU_SHARED,
        .operation = emu_bits(op, 90, 87),
        .type = type_of(op),
        .compare = compare_of(op),
    };

    if (emu_bits(op, 11, 0) == 0xf8c)
        run_alone(w, op, mask, EMU_SHARED);
    else
        run(w, op, mask, &k);
}

/* Asynchronous copies are done when they are begun, so whoever waits for them
 * arrives at once. */
EXEC(arrives)
{
    if (op->cc < 90)
        run_arrive(w, op, mask, EMU_SHARED);
    else
        emu_arrive_copies(w, op, mask);
}

const struct emu_row_of EMU_TABLE(atomic)[] = {
    {"ATOMG", atomg},
    {"ATOM", atom},
    {"RED", atomg},
    {"REDG", atomg},
    {"ATOMS", atoms},
    {"ARRIVES", arrives},
    {0},
};
