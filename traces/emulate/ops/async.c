/*
 * Hopper's barriers in shared memory and the bulk copies and reductions that
 * report to them.
 *
 * Copies are carried out at once.
 */
#include "traces/emulate/core/reduce.h"
#include "traces/emulate/core/values.h"
#include "traces/emulate/ops/mbarrier.h"

/* .EXCH: the uniform register's 64 bits for what stands there. */
static void exchange(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    unsigned number = emu_uniform_bits(op, 29, 24);
    uint64_t at = (uint64_t)(op->m != NULL ? op->m->value : 0);
    uint64_t old[EMU_LANES], *barrier;

    at += number < EMU_NO_UNIFORM ? w->r[EMU_UNIFORM_ROW + number][0] : 0;
    barrier = emu_mbarrier_at(w, op, __builtin_ctz(mask), at, 0);
    if (barrier == NULL)
        return;
    LANES old[l] = *barrier;
    *barrier =
        (uint64_t)emu_row(w, op->b, 1)[0] << 32 | emu_row(w, op->b, 0)[0];
    w->block->gang->progress++;
    emu_value_all(w, 0, emu_shared_offset(at));
    emu_value_all(w, 1,
                  (0 - emu_field(*barrier, 1, MBARRIER_COUNT_BITS)) &
                      ((1u << MBARRIER_COUNT_BITS) - 1));
    emu_write64(w, op->d, mask, old);
}

enum {
    MODE_COPY = 2, /* of .ARRIVE (86:84): A0T1 */
};

/* One thread's .ARRIVE with `count` in its register: how many arrivals and
 * bytes that is (86:84); .OPTOUT (75): it comes in no later phase either. */
static void arrive(struct emu_warp *w, uint64_t *barrier,
                   const struct emu_op *op, int lane, uint32_t count)
{
    static const struct {
        int8_t arrivals, bytes; /* 1: so many, of the register if `from` */
        int8_t from;
        int8_t more; /* to come, besides */
    } modes[8] = {
        [0] = {1, 1, 0, 0},  /* expects bytes, and arrives */
        [1] = {1, 0, 0, 0},  /* A1T0 */
        [2] = {0, 0, 0, 1},  /* A0T1: a copy that ARRIVES will count */
        [3] = {0, 1, 0, 0},  /* A0TR */
        [4] = {0, -1, 0, 0}, /* A0TX: they have come */
        [5] = {1, 0, 1, 0},  /* ART0 */
    };
    unsigned mode = emu_bits(op, 86, 84);
    int64_t arrivals =
        modes[mode].from ? (int64_t)count : (int64_t)modes[mode].arrivals;
    int64_t bytes = modes[mode].bytes * (int64_t)count + modes[mode].more;

    emu_value(w, 1, lane,
              (uint32_t)arrivals |
                  (emu_bit(op, 75) ? (uint64_t)arrivals << 32 : 0));
    emu_value(w, 2, lane, (uint64_t)bytes);
    if (emu_bit(op, 75))
        emu_set_field(barrier, 1, MBARRIER_COUNT_BITS,
                      emu_field(*barrier, 1, MBARRIER_COUNT_BITS) +
                          (uint64_t)arrivals);
    emu_mbarrier_note(w, barrier, (unsigned)arrivals, bytes);
}

/* Whether the phase that the lane's `state` tells has ended, as a mask. */
static uint32_t check(struct emu_warp *w, int lane, const uint64_t *barrier,
                      uint32_t state)
{
    uint32_t parity = state >> 31,
             ended = *barrier >> MBARRIER_PHASE_AT != parity;

    if (!ended)
        w->awaits = barrier;
    emu_value(w, 1, lane, ended ? parity : 2);
    return ended << lane;
}

EXEC(syncs)
{
    uint64_t at[EMU_LANES], state[EMU_LANES] = {0};
    const uint32_t *b = emu_row(w, op->b, 0);
    unsigned code = emu_bits(op, 11, 0);
    int checks = code == 0x5a7;
    uint32_t ended = 0;

    if (op->m == NULL) /* .CCTL.IVALL: no mbarrier is used any more */
        return;
    if (code == 0x5b2) {
        exchange(w, op, mask);
        return;
    }
    /* .TMASK, of arrivals that may not end a phase, takes an operand that no
     * text shows. */
    if (code == 0x9a7 && emu_bit(op, 73)) {
        emu_refuse(w, op);
        return;
    }
    emu_addresses(w, op->m, at);
    if (checks)
        w->awaits = NULL;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        /* .RED (74): the barrier may be another block's, but for a copy of
         * the block's own. */
        int anywhere = code == 0x9a7 && emu_bit(op, 74) &&
                       emu_bits(op, 86, 84) != MODE_COPY;
        uint64_t *barrier = emu_mbarrier_at(w, op, l, at[l], anywhere);

        if (barrier == NULL)
            return;
        state[l] = *barrier;
        emu_value(w, 0, l,
                  anywhere ? emu_cluster_offset(w->block, at[l])
                           : emu_shared_offset(at[l]));
        if (checks)
            ended |= check(w, l, barrier, b[l]);
        else if (code == 0x9a7)
            arrive(w, barrier, op, l, b[l]);
    }
    if (checks)
        emu_write_predicate(w, op->u, mask, ended);
    else
        emu_write64(w, op->d, mask, state);
}

/* ---- copies ------------------------------------------------------------------ */

enum {
    PIECE = 16,         /* bytes */
    ALL_BYTES = 0xffff, /* of a piece */
};

/* The bytes of a piece that the mask has; the others may lie where there is no
 * memory.  0 after a fault. */
static int put_bytes(struct emu_warp *w, const struct emu_op *op, int lane,
                     uint64_t to, const uint8_t piece[PIECE], uint32_t bytes)
{
    for (uint32_t rest = bytes; rest != 0; rest &= rest - 1) {
        unsigned i = (unsigned)__builtin_ctz(rest);
        uint8_t *t = emu_generic(w, op, lane, to + i, 1, EMU_WRITE);

        if (t == NULL)
            return 0;
        *t = piece[i];
    }
    return 1;
}

/* Generic address `from` to `to`, of each piece the bytes that the mask has; 0
 * after a fault. */
static int copy_pieces(struct emu_warp *w, const struct emu_op *op, int lane,
                       uint64_t to, uint64_t from, uint32_t pieces,
                       uint32_t bytes)
{
    for (uint32_t i = 0; i < pieces; i++) {
        uint8_t piece[PIECE];
        const void *f =
            emu_generic(w, op, lane, from + PIECE * i, PIECE, EMU_READ);
        void *t;

        if (f == NULL)
            return 0;
        memcpy(piece, f, PIECE);
        if (bytes != ALL_BYTES) {
            if (!put_bytes(w, op, lane, to + PIECE * i, piece, bytes))
                return 0;
            continue;
        }
        t = emu_generic(w, op, lane, to + PIECE * i, PIECE, EMU_WRITE);
        if (t == NULL)
            return 0;
        memcpy(t, piece, PIECE);
    }
    return 1;
}

/* The copy into one block's shared memory and what its barrier hears of it. */
static int copy_in(struct emu_warp *w, const struct emu_op *op, int lane,
                   uint64_t to, uint64_t from, uint32_t pieces,
                   uint64_t barrier)
{
    uint64_t *b = emu_mbarrier_at(w, op, lane, barrier, 1);

    if (b == NULL || !copy_pieces(w, op, lane, emu_shared_generic(w, to, 1),
                                  from, pieces, ALL_BYTES))
        return 0;
    emu_mbarrier_note(w, b, 0, -(int64_t)pieces * PIECE);
    return 1;
}

/* For the trace: where shared memory is read (form 2) or written, from or to
 * where, and who hears of it. */
static void note_copy(struct emu_warp *w, unsigned form, uint64_t shared,
                      uint64_t global, uint32_t count, uint64_t barrier)
{
    const struct emu_block *b = w->block;

    emu_value_all(w, 0,
                  form == 1 || form == 3 ? emu_cluster_offset(b, shared)
                                         : emu_shared_offset(shared));
    emu_value_all(w, 1, global);
    emu_value_all(w, 2, (uint64_t)(count & 0xffff) * PIECE);
    emu_value_all(w, 3,
                  form == 2 ? ~UINT64_C(0)
                            : emu_mbarrier_value(b, barrier,
                                                 form == 5 ? count >> 16 : 0));
}

/* [to, barrier], [from], 16-byte pieces in the lower half, and for .MULTICAST
 * the blocks of the cluster in the upper one, for .DST_G_BYTE_MASK (84) the bytes
 * of each piece: by one thread, carried out at once.  75:73 tells which side is
 * shared memory. */
EXEC(ublkcp)
{
    unsigned to = emu_uniform_bits(op, 37, 32);
    unsigned from = emu_uniform_bits(op, 29, 24);
    unsigned form = emu_bits(op, 75, 73);
    uint32_t count = emu_row(w, op->c, 0)[0], pieces = count & 0xffff;
    uint64_t target = emu_uniform_at(w, to),
             barrier = emu_uniform_at(w, to + 1);
    int lane = __builtin_ctz(mask),
        is_masked = op->cc >= 100 && emu_bit(op, 84);

    if (is_masked && form != 2) { /* no PTX has it */
        emu_refuse(w, op);
        return;
    }
    note_copy(w, form, form == 2 ? emu_uniform_at(w, from) : target,
              form == 3   ? ~UINT64_C(0)
              : form == 2 ? emu_uniform_pair(w, to)
                          : emu_uniform_pair(w, from),
              count, barrier);
    if (form == 2) { /* .G.S: whoever waits for the group finds it done */
        copy_pieces(w, op, lane, emu_uniform_pair(w, to),
                    emu_shared_generic(w, emu_uniform_at(w, from), 0), pieces,
                    is_masked ? count >> 16 : ALL_BYTES);
        return;
    }
    if (form == 3) { /* .S.S */
        copy_in(w, op, lane, target,
                emu_shared_generic(w, emu_uniform_at(w, from), 0), pieces,
                barrier);
        return;
    }
    if (form == 1) {
        copy_in(w, op, lane, target, emu_uniform_pair(w, from), pieces,
                barrier);
        return;
    }
    for (uint32_t rest = count >> 16; rest != 0; rest &= rest - 1) {
        unsigned rank = (unsigned)__builtin_ctz(rest);

        if (!copy_in(w, op, lane, emu_with_rank(target, rank),
                     emu_uniform_pair(w, from), pieces,
                     emu_with_rank(barrier, rank)))
            return;
    }
}

/* ---- reductions ---------------------------------------------------------------- */

/* Of the instruction's field (84:81); EMU_MAP_TYPES: none. */
static uint32_t reduced_type(unsigned field)
{
    static const uint8_t types[] = {MAP_U32,       MAP_S32, MAP_U64,
                                    MAP_S64,       MAP_F16, MAP_F32,
                                    EMU_MAP_TYPES, MAP_F64, MAP_BF16};

    return field < sizeof types ? types[field] : EMU_MAP_TYPES;
}

static int reduce_element(void *to, const void *from, enum emu_reduction r,
                          uint32_t type, uint32_t bytes)
{
    uint64_t old = 0, v = 0;

    if (to == NULL || from == NULL)
        return 0;
    memcpy(&old, to, bytes);
    memcpy(&v, from, bytes);
    v = emu_reduced(r, type, old, v);
    memcpy(to, &v, bytes);
    return 1;
}

/* Elements at generic address `from` into those at `to`, which is a global
 * address or a generic one; 0 after a fault. */
static int reduce_range(struct emu_warp *w, const struct emu_op *op, int lane,
                        uint64_t to, int is_global, uint64_t from,
                        uint32_t bytes, uint32_t type)
{
    enum emu_reduction r = (enum emu_reduction)emu_bits(op, 89, 87);
    const struct emu_tensor_map kind = {.type = type};
    uint32_t n = emu_map_element(&kind);

    for (uint32_t i = 0; i < bytes; i += n) {
        const void *f = emu_generic(w, op, lane, from + i, n, EMU_READ);
        void *t;

        if (f == NULL)
            return 0;
        t = is_global ? emu_global(w, op, lane, to + i, n, EMU_UPDATE)
                      : emu_generic(w, op, lane, to + i, n, EMU_UPDATE);
        if (!reduce_element(t, f, r, type, n))
            return 0;
    }
    return 1;
}

/* For the trace: a row of a box of one. */
static void note_reduction(struct emu_warp *w, uint64_t shared, uint64_t global,
                           uint32_t bytes, uint32_t type)
{
    enum {
        ROW = 4,
        ROWS,
        ELEMENT = 9
    };
    const struct emu_tensor_map kind = {.type = type};

    emu_value_all(w, 0, emu_shared_offset(shared));
    emu_value_all(w, 1, bytes != 0 ? global : UINT64_MAX);
    emu_value_all(w, 2, bytes);
    emu_value_all(w, 3, UINT64_MAX);
    emu_value_all(w, ROW, bytes);
    for (unsigned i = ROWS; i < ELEMENT; i++)
        emu_value_all(w, i, bytes != 0 ? UINT64_C(1) << 48 : 0);
    emu_value_all(w, ELEMENT,
                  emu_map_element(&kind) | (uint64_t)emu_map_is_float(type)
                                               << TEG_REDUCED_FLOAT_BIT);
}

/* Operands as UBLKCP's; the operation at 89:87, the type at 84:81. */
EXEC(ublkred)
{
    unsigned to = emu_uniform_bits(op, 37, 32);
    unsigned from = emu_uniform_bits(op, 29, 24);
    unsigned form = emu_bits(op, 75, 73);
    uint32_t type = reduced_type(emu_bits(op, 84, 81));
    uint32_t count = emu_row(w, op->c, 0)[0] & 0xffff, bytes = count * PIECE;
    uint64_t source = emu_uniform_at(w, from);
    uint64_t target = emu_uniform_at(w, to), barrier;
    int lane = __builtin_ctz(mask);

    if (type == EMU_MAP_TYPES ||
        !emu_reduces((enum emu_reduction)emu_bits(op, 89, 87), type)) {
        emu_fault(w, op, lane, TEG_LIMIT, "this form is not emulated");
        return;
    }
    source = emu_shared_generic(w, source, 0);
    if (form == 2) { /* .G.S */
        target = emu_uniform_pair(w, to);
        note_reduction(w, emu_uniform_at(w, from), target, bytes, type);
        reduce_range(w, op, lane, target, 1, source, bytes, type);
        return;
    }
    barrier = emu_uniform_at(w, to + 1);
    note_copy(w, form, target, ~UINT64_C(0), count, barrier);
    if (reduce_range(w, op, lane, emu_shared_generic(w, target, 1), 0, source,
                     bytes, type)) {
        uint64_t *b = emu_mbarrier_at(w, op, lane, barrier, 1);

        if (b != NULL)
            emu_mbarrier_note(w, b, 0, -(int64_t)bytes);
    }
}

/* A register into an element of the cluster's shared memory, as STAS stores
 * one; the type at 75:73. */
EXEC(redas)
{
    static const uint8_t types[8] = {
        MAP_U32,       MAP_S32,       MAP_U64,       EMU_MAP_TYPES,
        EMU_MAP_TYPES, EMU_MAP_TYPES, EMU_MAP_TYPES, EMU_MAP_TYPES};
    enum emu_reduction r = (enum emu_reduction)emu_bits(op, 89, 87);
    uint32_t type = types[emu_bits(op, 75, 73)];
    unsigned reg = op->m->reg, bytes = type == MAP_U64 ? 8 : 4;

    if (type == EMU_MAP_TYPES || !emu_reduces(r, type)) {
        emu_fault(w, op, -1, TEG_LIMIT, "this form is not emulated");
        return;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint64_t at = w->r[reg][l] + (uint64_t)op->m->value, *barrier;
        const uint32_t value[2] = {emu_row(w, op->b, 0)[l],
                                   bytes == 8 ? emu_row(w, op->b, 1)[l] : 0};

        if (!reduce_element(emu_generic(w, op, l, emu_shared_generic(w, at, 1),
                                        bytes, EMU_UPDATE),
                            value, r, type, bytes))
            return;
        emu_value(w, 0, l, emu_cluster_offset(w->block, at));
        emu_value(w, 1, l, bytes);
        emu_value(w, 2, l, emu_cluster_offset(w->block, w->r[reg + 1][l]));
        barrier = emu_mbarrier_at(w, op, l, w->r[reg + 1][l], 1);
        if (barrier == NULL)
            return;
        emu_mbarrier_note(w, barrier, 0, -(int64_t)bytes);
    }
}

/* Stores into the cluster's shared memory and tells a barrier there: a register
 * pair of where and which barrier. */
EXEC(stas)
{
    static const unsigned words_of[8] = {[4] = 1, [5] = 2, [6] = 4};
    unsigned words = words_of[emu_bits(op, 75, 73)], reg = op->m->reg;

    if (words == 0) {
        emu_refuse(w, op);
        return;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint64_t at = w->r[reg][l] + (uint64_t)op->m->value, *barrier;
        uint32_t value[4];
        void *to = emu_generic(w, op, l, emu_shared_generic(w, at, 1),
                               4 * words, EMU_WRITE);

        if (to == NULL)
            return;
        emu_value(w, 0, l, emu_cluster_offset(w->block, at));
        emu_value(w, 1, l, 4 * words);
        emu_value(w, 2, l, emu_cluster_offset(w->block, w->r[reg + 1][l]));
        for (unsigned i = 0; i < words; i++)
            value[i] = emu_row(w, op->b, i)[l];
        memcpy(to, value, 4 * (size_t)words);
        barrier = emu_mbarrier_at(w, op, l, w->r[reg + 1][l], 1);
        if (barrier == NULL)
            return;
        emu_mbarrier_note(w, barrier, 0, -(int64_t)(4 * words));
    }
}

/* Asks that a block which has not begun be called off, so that this one does its
 * work.  Here all of them run, as on a GPU that has room for the grid: the answer
 * is 16 bytes of 0, "none", in each block of the cluster with .BROADCAST. */
EXEC(ugetnextworkid)
{
    const struct emu_block *b = w->block;
    unsigned from = emu_uniform_bits(op, 29, 24);
    uint64_t at = emu_uniform_at(w, from),
             barrier = emu_uniform_at(w, from + 1);
    uint32_t ranks =
        emu_bit(op, 72) ? (1u << b->cluster_blocks) - 1 : 1u << b->rank;
    int lane = __builtin_ctz(mask);

    emu_value_all(w, 0, emu_shared_offset(at));
    emu_value_all(w, 1, ~UINT64_C(0));
    emu_value_all(w, 2, PIECE);
    emu_value_all(w, 3,
                  emu_mbarrier_value(b, emu_with_rank(barrier, b->rank),
                                     emu_bit(op, 72) ? ranks : 0));
    for (; ranks != 0; ranks &= ranks - 1) {
        unsigned rank = (unsigned)__builtin_ctz(ranks);
        void *to = emu_generic(
            w, op, lane, emu_shared_generic(w, emu_with_rank(at, rank), 1),
            PIECE, EMU_WRITE);
        uint64_t *hears =
            emu_mbarrier_at(w, op, lane, emu_with_rank(barrier, rank), 1);

        if (to == NULL || hears == NULL)
            return;
        memset(to, 0, PIECE);
        emu_mbarrier_note(w, hears, 0, -(int64_t)PIECE);
    }
}

/* st.bulk: zeros in shared memory, so many words of 8 bytes. */
EXEC(umemsets)
{
    unsigned from = emu_uniform_bits(op, 29, 24);
    uint64_t to = emu_shared_generic(w, emu_uniform_at(w, from), 0);
    uint32_t words = emu_row(w, op->c, 0)[0];

    if (emu_row(w, op->b, 0)[0] != 0) { /* no PTX has it */
        emu_refuse(w, op);
        return;
    }
    for (uint32_t i = 0; i < words; i++) {
        void *word =
            emu_generic(w, op, __builtin_ctz(mask), to + sizeof(uint64_t) * i,
                        sizeof(uint64_t), EMU_WRITE);

        if (word == NULL)
            return;
        memset(word, 0, sizeof(uint64_t));
    }
}

EXEC(nothing)
{
    (void)w, (void)op, (void)mask;
}

const struct emu_row_of EMU_TABLE(async)[] = {
    {"SYNCS", syncs},
    {"UBLKCP", ublkcp},
    {"UBLKRED", ublkred},
    {"STAS", stas},
    {"REDAS", redas},
    {"UGETNEXTWORKID", ugetnextworkid},
    {"UMEMSETS", umemsets},
    {"UBLKPF", nothing}, /* into the L2 cache */
    {0},
};
