/* Loads and stores: every lane's address is checked before it is used. */
#include "traces/emulate/ops/memory.h"

#include "traces/emulate/core/values.h"

/* ---- all lanes at once ------------------------------------------------------ */

/* Where the lanes' accesses lie behind one host pointer. */
struct reach {
    uint8_t *base;
    uint32_t offset[EMU_LANES]; /* inactive lanes: of an active one */
    int side_by_side;           /* all active, one behind the other */
};

/* Local memory as offsets into the block's; returns 0 unless all fit. */
static int local_offsets(const struct emu_warp *w, unsigned bytes,
                         uint64_t at[EMU_LANES])
{
    uint64_t most = w->block->local_bytes - bytes, bad = 0;

    LANES
    {
        bad |= at[l] > most;
        at[l] += (uint64_t)emu_thread_of(w, l) * w->block->local_bytes;
    }
    return !bad;
}

/* The piece of memory that `bytes` at `at` lie in, NULL if it is none. */
static uint8_t *piece_at(struct emu_block *b, const struct emu_op *op,
                         enum emu_space space, uint64_t at, uint64_t bytes,
                         enum emu_use use)
{
    if (space == EMU_SHARED)
        return emu_is_own(b, at) ? emu_within(b->shared, emu_shared_end(b, use),
                                              emu_shared_offset(at), bytes)
                                 : NULL;
    return space == EMU_LOCAL ? b->local + at
                              : emu_global_at(b, op, at, bytes, use);
}

/* Whether all lanes reach one behind the other; fills `r` if so. */
static int reach_side_by_side(struct emu_warp *w, const struct emu_op *op,
                              enum emu_space space,
                              const uint64_t at[EMU_LANES], unsigned bytes,
                              struct reach *r, enum emu_use use)
{
    uint64_t apart = at[0] & (bytes - 1);

    for (unsigned l = 0; l < EMU_LANES; l++) {
        apart |= (at[l] - at[0]) ^ (uint64_t)(l * bytes);
        r->offset[l] = l * bytes;
    }
    if (apart != 0)
        return 0;
    r->base = piece_at(w->block, op, space, at[0], EMU_LANES * bytes, use);
    r->side_by_side = 1;
    if (r->base == NULL)
        return 0;
    w->address[0] = at[0];
    w->stride = (int32_t)bytes;
    return 1;
}

/* Fills `r` if every lane of `mask` reaches `bytes` of one piece of memory and
 * all are aligned; else returns 0, and the lanes go one by one.  Notes the
 * addresses for the trace. */
static int reach(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                 enum emu_space space, const uint64_t lane_at[EMU_LANES],
                 unsigned bytes, struct reach *r, enum emu_use use)
{
    struct emu_block *b = w->block;
    uint64_t at[EMU_LANES], first = lane_at[__builtin_ctz(mask)], far = 0;
    uint32_t active[EMU_LANES], least, odd = 0;
    int32_t delta[EMU_LANES], low = 0, high = 0;

    if (mask == EMU_ALL && space != EMU_LOCAL &&
        reach_side_by_side(w, op, space, lane_at, bytes, r, use))
        return 1;
    emu_note_addresses(w, op, space, lane_at, bytes);
    /* What lies between is not written, and a view must know what is. */
    if (b->view != NULL && use != EMU_READ && space != EMU_SHARED &&
        space != EMU_LOCAL)
        return 0;
    memcpy(at, lane_at, sizeof at);
    if (mask != EMU_ALL) {
        emu_spread(mask, active);
        LANES at[l] = active[l] ? at[l] : first;
    }
    if (space == EMU_LOCAL) {
        if (!local_offsets(w, bytes, at))
            return 0;
        first = at[__builtin_ctz(mask)];
        if (mask != EMU_ALL)
            LANES at[l] = active[l] ? at[l] : first;
    }
    LANES
    {
        delta[l] = (int32_t)(at[l] - first);
        far |= (at[l] - first + 0x80000000u) >> 32;
    }
    if (far)
        return 0;
    LANES
    {
        low = delta[l] < low ? delta[l] : low;
        high = delta[l] > high ? delta[l] : high;
        odd |= (uint32_t)delta[l];
    }
    odd |= (uint32_t)first;
    if (odd & (bytes - 1))
        return 0;
    first += (uint64_t)(int64_t)low;
    least = (uint32_t)low;
    r->base = piece_at(b, op, space, first,
                       (uint64_t)((int64_t)high - low) + bytes, use);
    r->side_by_side = 0;
    LANES r->offset[l] = (uint32_t)delta[l] - least;
    return r->base != NULL;
}

static uint32_t extended(uint32_t v, unsigned size)
{
    return size == 1   ? (uint32_t)(int32_t)(int8_t)v
           : size == 3 ? (uint32_t)(int32_t)(int16_t)v
                       : v;
}

/* A copy of constant size is an instruction, one of any size a call. */
static inline void copy_width(void *to, const void *from, unsigned bytes)
{
    if (bytes == 4)
        memcpy(to, from, 4);
    else if (bytes == 8)
        memcpy(to, from, 8);
    else if (bytes == 16)
        memcpy(to, from, 16);
    else
        memcpy(to, from, bytes);
}

/* One lane after the other, so that a fault names the first that fails. */
static int load_each(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                     enum emu_space space, const uint64_t at[EMU_LANES],
                     unsigned bytes, uint32_t value[4][EMU_LANES])
{
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint32_t word[4] = {0};
        const void *from =
            emu_access_at(w, op, l, space, at[l], bytes, EMU_READ);

        if (from == NULL)
            return 0;
        copy_width(word, from, bytes);
        for (int i = 0; i < 4; i++)
            value[i][l] = word[i];
    }
    return 1;
}

/* The compiler makes one load of a copy of constant size. */
#define COPY_LANES(type, n)                                \
    LANES                                                  \
    {                                                      \
        type word[n];                                      \
                                                           \
        memcpy(word, r->base + r->offset[l], sizeof word); \
        for (int i = 0; i < (n); i++)                      \
            value[i][l] = word[i];                         \
    }

/* `each`, such as COPY_LANES, by code of its own for what a lane accesses. */
#define BY_WIDTH(each, bytes) \
    switch (bytes) {          \
    case 4:                   \
        each(uint32_t, 1);    \
        break;                \
    case 8:                   \
        each(uint32_t, 2);    \
        break;                \
    case 16:                  \
        each(uint32_t, 4);    \
        break;                \
    case 2:                   \
        each(uint16_t, 1);    \
        break;                \
    default:                  \
        each(uint8_t, 1);     \
    }

static void load_together(const struct reach *r, unsigned bytes,
                          uint32_t value[4][EMU_LANES])
{
    if (bytes == 4 && r->side_by_side)
        memcpy(value[0], r->base, 4 * EMU_LANES);
    else
        BY_WIDTH(COPY_LANES, bytes)
}

static void load_from(struct emu_warp *w, const struct emu_op *op,
                      uint32_t mask, enum emu_space space)
{
    unsigned size = emu_bits(op, 75, 73), bytes = emu_access_bytes(size);
    uint64_t at[EMU_LANES];
    uint32_t value[4][EMU_LANES];
    struct reach r;

    emu_addresses(w, op->m, at);
    if (reach(w, op, mask, space, at, bytes, &r, EMU_READ))
        load_together(&r, bytes, value);
    else if (!load_each(w, op, mask, space, at, bytes, value))
        return;
    if (size == 1 || size == 3)
        LANES value[0][l] = extended(value[0][l], size);
    for (unsigned i = 0; i < (bytes + 3) / 4; i++)
        emu_write(w, op->d, i, mask, value[i]);
}

/* Whether each lane's place lies behind that of the lane before, as is usual:
 * then no two are one. */
static int rises(const uint64_t at[EMU_LANES], unsigned bytes)
{
    int falls = 0;

    for (int l = 1; l < EMU_LANES; l++)
        falls |= (int64_t)(at[l] - at[l - 1]) < (int64_t)bytes;
    return !falls;
}

/* The same as COPY_LANES, to memory. */
#define STORE_LANES(type, n)                                  \
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) { \
        int l = __builtin_ctz(rest);                          \
        type word[n];                                         \
                                                              \
        for (int i = 0; i < (n); i++)                         \
            word[i] = (type)value[i][l];                      \
        memcpy(r->base + r->offset[l], word, sizeof word);    \
    }

static void store_together(const struct reach *r, uint32_t mask, unsigned bytes,
                           const uint32_t *const value[4])
{
    BY_WIDTH(STORE_LANES, bytes)
}

/* What the lanes' places hold that is not what each has just stored there. */
#define CLASH_LANES(type, n)                                   \
    LANES                                                      \
    {                                                          \
        type word[n];                                          \
                                                               \
        memcpy(word, r->base + r->offset[l], sizeof word);     \
        for (int i = 0; i < (n); i++)                          \
            bits |= (word[i] ^ (type)value[i][l]) & stored[l]; \
    }

static int clash_together(const struct reach *r, const uint32_t *stored,
                          unsigned bytes, const uint32_t *const value[4])
{
    uint32_t bits = 0;

    BY_WIDTH(CLASH_LANES, bytes)
    return bits != 0;
}

/* As load_each; `place` gets where the lanes' values lie. */
static int store_each(struct emu_warp *w, const struct emu_op *op,
                      uint32_t mask, enum emu_space space,
                      const uint64_t at[EMU_LANES], unsigned bytes,
                      const uint32_t *const value[4], void *place[EMU_LANES])
{
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint32_t word[4] = {0};

        place[l] = emu_access_at(w, op, l, space, at[l], bytes, EMU_WRITE);
        if (place[l] == NULL)
            return 0;
        for (unsigned i = 0; i < (bytes + 3) / 4; i++)
            word[i] = value[i][l];
        copy_width(place[l], word, bytes);
    }
    return 1;
}

static int clash_each(void *const place[EMU_LANES], uint32_t mask,
                      unsigned bytes, const uint32_t *const value[4])
{
    uint32_t wanted = bytes < 4 ? (1u << 8 * bytes) - 1 : UINT32_MAX, bits = 0;

    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint32_t word[4] = {0};

        copy_width(word, place[l], bytes);
        for (unsigned i = 0; i < (bytes + 3) / 4; i++)
            bits |= (word[i] ^ value[i][l]) & wanted;
    }
    return bits != 0;
}

static void store_to(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                     enum emu_space space)
{
    unsigned bytes = emu_access_bytes(emu_bits(op, 75, 73));
    uint64_t at[EMU_LANES];
    const uint32_t *value[4];
    uint32_t stored[EMU_LANES];
    void *place[EMU_LANES];
    struct reach r;
    int together, clash;

    emu_addresses(w, op->m, at);
    for (unsigned i = 0; i < (bytes + 3) / 4; i++)
        value[i] = emu_row(w, emu_stored(op), i);
    together = reach(w, op, mask, space, at, bytes, &r, EMU_WRITE);
    if (together && r.side_by_side && bytes == 4) {
        memcpy(r.base, value[0], 4 * EMU_LANES);
        return;
    }
    if (together)
        store_together(&r, mask, bytes, value);
    else if (!store_each(w, op, mask, space, at, bytes, value, place))
        return;
    clash = space != EMU_LOCAL && !rises(at, bytes);
    if (clash && together) {
        emu_spread(mask, stored);
        clash = clash_together(&r, stored, bytes, value);
    } else if (clash) {
        clash = clash_each(place, mask, bytes, value);
    }
    w->undefined[EMU_CLASHING_STORES] += (uint64_t)clash;
}

/* Loads and stores of 256 bits, from sm_100 on, have a word of their own. */
enum {
    LDG_256 = 0x17e, /* bits 8:0 */
    STG_256 = 0x17f,
    BYTES_256 = 32,
};

/* Words that the mask wants are in registers one after the other, of a load the
 * first four's from 23:16 on, the others' from 71:64 on. */
static void load_256(struct emu_warp *w, const struct emu_op *op, uint32_t mask)
{
    unsigned wanted = emu_bits(op, 63, 57) | emu_bit(op, 72) << 7;
    uint64_t at[EMU_LANES];

    emu_addresses(w, op->m, at);
    emu_note_addresses(w, op, EMU_GLOBAL, at, BYTES_256);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        unsigned reg[2] = {emu_bits(op, 23, 16), emu_bits(op, 71, 64)};
        const uint8_t *from =
            emu_access_at(w, op, l, EMU_GLOBAL, at[l], BYTES_256, EMU_READ);

        if (from == NULL)
            return;
        for (unsigned i = 0; i < BYTES_256 / 4; i++) {
            uint32_t word;

            if ((wanted >> i & 1) == 0 || reg[i / 4] >= TEG_SASS_RZ)
                continue;
            memcpy(&word, from + 4 * i, 4);
            w->r[reg[i / 4]++][l] = word;
        }
    }
}

static void store_256(struct emu_warp *w, const struct emu_op *op,
                      uint32_t mask)
{
    unsigned wanted = emu_bits(op, 63, 59) | emu_bits(op, 90, 88) << 5;
    uint64_t at[EMU_LANES];

    emu_addresses(w, op->m, at);
    emu_note_addresses(w, op, EMU_GLOBAL, at, BYTES_256);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        unsigned reg[2] = {emu_bits(op, 39, 32), emu_bits(op, 23, 16)};
        uint8_t *to =
            emu_access_at(w, op, l, EMU_GLOBAL, at[l], BYTES_256, EMU_WRITE);

        if (to == NULL)
            return;
        for (unsigned i = 0; i < BYTES_256 / 4; i++) {
            uint32_t word = 0;

            if ((wanted >> i & 1) == 0)
                continue;
            if (reg[i / 4] < TEG_SASS_RZ)
                word = w->r[reg[i / 4]++][l];
            memcpy(to + 4 * i, &word, 4);
        }
    }
}

EXEC(ldg)
{
    if (emu_bits(op, 8, 0) == LDG_256)
        load_256(w, op, mask);
    else
        load_from(w, op, mask, EMU_GLOBAL);
}

EXEC(stg)
{
    if (emu_bits(op, 8, 0) == STG_256)
        store_256(w, op, mask);
    else
        store_to(w, op, mask, EMU_GLOBAL);
}

EXEC(ld)
{
    load_from(w, op, mask, EMU_GENERIC);
}

EXEC(st)
{
    store_to(w, op, mask, EMU_GENERIC);
}

EXEC(lds)
{
    load_from(w, op, mask, EMU_SHARED);
}

EXEC(sts)
{
    store_to(w, op, mask, EMU_SHARED);
}

EXEC(ldl)
{
    load_from(w, op, mask, EMU_LOCAL);
}

EXEC(stl)
{
    store_to(w, op, mask, EMU_LOCAL);
}

/* What the trace sees: banks are far from each other. */
static void note_constant(struct emu_warp *w, uint32_t bank,
                          const struct emu_operand *o, const uint32_t *index)
{
    if (w->trace == NULL)
        return;
    w->stride = 0;
    LANES w->address[l] =
        (uint64_t)bank << 32 | (uint32_t)((uint64_t)o->value + index[l]);
}

/* What a lane finds at `at` of a bank. */
static void constant_at(const struct teg_cubin_const *bank, uint32_t at,
                        unsigned size, uint32_t word[4])
{
    unsigned bytes = emu_access_bytes(size);

    memset(word, 0, 4 * sizeof *word);
    if (bank->data != NULL && (uint64_t)at + bytes <= bank->size)
        memcpy(word, bank->data + at, bytes);
    word[0] = extended(word[0], size);
}

/* c[bank][offset + register] */
EXEC(ldc)
{
    const struct emu_operand *o = NULL;
    const struct teg_cubin_const *bank;
    unsigned size = emu_bits(op, 75, 73);
    unsigned words = (emu_access_bytes(size) + 3) / 4;
    const uint32_t *index = emu_zeros[0];
    uint32_t value[4][EMU_LANES], word[4];
    int is_same = 1; /* of all lanes */

    for (uint8_t i = 0; i < op->operand_count; i++) {
        if (op->operand[i].kind == SASS_CONSTANT)
            o = &op->operand[i];
    }
    /* .IL, .IS and .ISL (79:78) take the bank from the register. */
    if (o == NULL || o->bank >= EMU_BANKS ||
        (emu_bits(op, 11, 0) == 0xb82 && emu_bits(op, 79, 78) != 0)) {
        emu_refuse(w, op);
        return;
    }
    bank = &w->block->bank[o->bank];
    if (o->reg != TEG_SASS_NONE && (o->flags & SASS_UNIFORM_INDEX)) {
        index =
            o->reg < EMU_NO_UNIFORM ? w->r[EMU_UNIFORM_ROW + o->reg] : index;
    } else if (o->reg != TEG_SASS_NONE && o->reg != TEG_SASS_RZ) {
        index = w->r[o->reg];
        is_same = 0;
    }
    note_constant(w, o->bank, o, index);
    if (is_same) {
        constant_at(bank, (uint32_t)((uint64_t)o->value + index[0]), size,
                    word);
        for (unsigned i = 0; i < words; i++)
            LANES value[i][l] = word[i];
    } else {
        LANES
        {
            constant_at(bank, (uint32_t)((uint64_t)o->value + index[l]), size,
                        word);
            for (unsigned i = 0; i < words; i++)
                value[i][l] = word[i];
        }
    }
    for (unsigned i = 0; i < words; i++)
        emu_write(w, op->d, i, mask, value[i]);
}

/* `bytes` of a source at a multiple of 16, as few as they are. */
static const void *copied_from(struct emu_warp *w, const struct emu_op *op,
                               int l, uint64_t from, unsigned bytes)
{
    const void *source = emu_access_at(w, op, l, EMU_GLOBAL, from, 1, EMU_READ);

    return source != NULL &&
                   emu_access_at(w, op, l, EMU_GLOBAL, from + bytes - 1, 1,
                                 EMU_READ) != NULL
               ? source
               : NULL;
}

/* Asynchronous copy, carried out at once.  The trace has the global side.  A
 * lane whose predicate does not hold reads nothing and writes zeros: in the trace
 * it is where one is that reads, so that it moves nothing more.  With
 * .ZFILL the last bytes of the others are zeros, too: as many as the address is
 * behind a multiple of the width, where the copy begins.  (As ptxas has
 * cp.async with a size of the source that is all, nothing or anything) */
EXEC(ldgsts)
{
    unsigned bytes = op->cc >= 100 ? 4u << emu_bits(op, 75, 74)
                                   : emu_access_bytes(emu_bits(op, 75, 73));
    uint32_t wanted = mask & emu_predicate(w, op->p);
    uint64_t to[EMU_LANES], from[EMU_LANES], zeros[EMU_LANES];

    if (op->m2 == NULL)
        return;
    emu_addresses(w, op->m, to);
    emu_addresses(w, op->m2, from);
    LANES
    {
        zeros[l] = emu_bit(op, 82) ? from[l] & (bytes - 1) : 0;
        from[l] -= zeros[l];
        emu_value(w, 0, l, emu_shared_offset(to[l]));
    }
    for (uint32_t rest = wanted != 0 ? mask & ~wanted : 0; rest != 0;
         rest &= rest - 1)
        from[__builtin_ctz(rest)] = from[__builtin_ctz(wanted)];
    emu_note_addresses(w, op, EMU_GLOBAL, from, bytes);
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint8_t data[16] = {0};
        const void *source;
        void *target;

        if (wanted >> l & 1) {
            source = zeros[l] != 0 ? copied_from(w, op, l, from[l],
                                                 bytes - (unsigned)zeros[l])
                                   : emu_access_at(w, op, l, EMU_GLOBAL,
                                                   from[l], bytes, EMU_READ);
            if (source == NULL)
                return;
            memcpy(data, source, bytes - zeros[l]);
        }
        target = emu_access_at(w, op, l, EMU_SHARED, to[l], bytes, EMU_WRITE);
        if (target == NULL)
            return;
        memcpy(target, data, bytes);
    }
}

const struct emu_row_of EMU_TABLE(memory)[] = {
    {"LDG", ldg}, {"STG", stg},  {"LD", ld},         {"ST", st},
    {"LDS", lds}, {"STS", sts},  {"LDL", ldl},       {"STL", stl},
    {"LDC", ldc}, {"ULDC", ldc}, {"LDGSTS", ldgsts}, {"LDCU", ldc},
    {0},
};
