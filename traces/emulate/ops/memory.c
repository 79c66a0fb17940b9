/* Loads, stores, atomics: every lane's address is checked before it is used. */
#include <math.h>
#include <string.h>

#include "traces/emulate/core/half.h"
#include "traces/emulate/core/operand.h"
#include "traces/emulate/core/view.h"

enum space {
    GLOBAL,
    SHARED,
    LOCAL,
    GENERIC,
};

/* Bytes of size code 75:73. */
static unsigned bytes_of(unsigned size)
{
    static const unsigned bytes[] = {1, 1, 2, 2, 4, 8, 16, 16};

    return bytes[size & 7];
}

static uint32_t thread_of(const struct emu_warp *w, int lane)
{
    return w->number * EMU_LANES + (uint32_t)lane;
}

/* Where the timing model sees local memory: words of a warp's lanes side by
 * side, as the hardware lays them out.  Lanes that reach for several words each
 * take as many lines, here one behind the other: which word is in which makes
 * no difference.  (KTT's Coulomb sums on an RTX 2080 Ti move as many sectors
 * with STL.64 as with twice as many STL) */
static uint64_t local_trace_address(const struct emu_warp *w, int lane,
                                    uint64_t offset, unsigned bytes)
{
    uint64_t wide = bytes > 4 ? bytes : 4;

    return EMU_LOCAL_WINDOW +
           (uint64_t)w->number * EMU_LANES * w->block->local_bytes +
           offset / wide * (wide * EMU_LANES) + wide * (uint64_t)lane +
           offset % wide;
}

static uint8_t *within(uint8_t *data, uint64_t size, uint64_t offset,
                       uint64_t bytes)
{
    return offset <= size && size - offset >= bytes ? data + offset : NULL;
}

/* Host pointer of `bytes` of global memory, NULL if they are in no buffer. */
static uint8_t *global_at(struct emu_block *b, const struct emu_op *op,
                          uint64_t at, uint64_t bytes, enum emu_use use)
{
    struct emu_span *s = &b->near[op->inst % EMU_NEAR];

    if (b->view != NULL)
        return emu_view_at(b->view, at, bytes, use);

    if (at - s->address >= s->bytes && !emu_device_span(b->device, at, s))
        return NULL;
    at -= s->address;
    return s->bytes - at >= bytes ? s->data + at : NULL;
}

/* ---- shared memory ---------------------------------------------------------
 *
 * An address of sm_90 has the rank of a block of the cluster above its offset.
 * Generic instructions reach every block of the cluster, those for shared
 * memory their own, and there code may leave its rank out.
 */

static int in_shared_window(const struct emu_op *op, uint64_t at)
{
    return at - EMU_SHARED_WINDOW <
           (op->cc < 90 ? EMU_WINDOW_BYTES : EMU_CLUSTER_BYTES);
}

static uint64_t offset_of(uint64_t at)
{
    return at & (EMU_WINDOW_BYTES - 1);
}

static int is_own(const struct emu_block *b, uint64_t at)
{
    uint64_t rank = (uint32_t)at >> EMU_RANK_BIT;

    return rank == 0 || rank == b->rank;
}

/* `bytes` of another block of the cluster; a fault and NULL if there are none.
 * Where an end comes first depends on the order, so touching an ended block is
 * an error, as on the hardware. */
static void *place_in_cluster(struct emu_warp *w, const struct emu_op *op,
                              int lane, uint64_t at, unsigned bytes)
{
    uint32_t rank = (uint32_t)at >> EMU_RANK_BIT;
    struct emu_block *b = w->block;
    void *found;

    if (rank >= b->cluster_blocks) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "0x%llx of shared memory is out of bounds: there is no block "
                  "%u in a cluster of %u",
                  (unsigned long long)(uint32_t)at, rank, b->cluster_blocks);
        return NULL;
    }
    b = b->cluster + rank;
    if (b->alive == 0) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "%u bytes at 0x%llx of shared memory are out of bounds: "
                  "block %u of the cluster has ended",
                  bytes, (unsigned long long)(uint32_t)at, rank);
        return NULL;
    }
    found = within(b->shared, b->shared_bytes, offset_of(at), bytes);
    if (found == NULL)
        emu_fault(w, op, lane, TEG_LIMIT,
                  "%u bytes at 0x%llx of shared memory of block %u of the "
                  "cluster are out of bounds",
                  bytes, (unsigned long long)offset_of(at), rank);
    return found;
}

/* Host pointer of a lane's access; a fault and NULL if there is none. */
static void *place(struct emu_warp *w, const struct emu_op *op, int lane,
                   enum space space, uint64_t at, unsigned bytes,
                   enum emu_use use)
{
    struct emu_block *b = w->block;
    void *found;

    if (space == GENERIC) {
        space = GLOBAL;
        if (in_shared_window(op, at)) {
            space = SHARED;
            at -= EMU_SHARED_WINDOW;
            if (at % bytes == 0 && at >> EMU_RANK_BIT != b->rank)
                return place_in_cluster(w, op, lane, at, bytes);
        } else if (at - EMU_LOCAL_WINDOW < EMU_WINDOW_BYTES) {
            space = LOCAL;
            at -= EMU_LOCAL_WINDOW;
        }
    }
    if (at % bytes != 0) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "expected an address that is a multiple of %u, found 0x%llx",
                  bytes, (unsigned long long)at);
        return NULL;
    }
    if (space == SHARED) {
        found = is_own(b, at)
                    ? within(b->shared, b->shared_bytes, offset_of(at), bytes)
                    : NULL;
        if (is_own(b, at))
            at = offset_of(at);
    } else if (space == LOCAL) {
        found = within(b->local + thread_of(w, lane) * b->local_bytes,
                       b->local_bytes, at, bytes);
    } else {
        found = global_at(b, op, at, bytes, use);
    }
    if (found == NULL) {
        static const char *const names[] = {"global", "shared", "local"};

        emu_fault(w, op, lane, TEG_LIMIT,
                  "%u bytes at 0x%llx of %s memory are out of bounds", bytes,
                  (unsigned long long)at, names[space]);
    }
    return found;
}

#ifndef EMU_VECTOR
void *emu_generic(struct emu_warp *w, const struct emu_op *op, int lane,
                  uint64_t at, unsigned bytes)
{
    return place(w, op, lane, GENERIC, at, bytes, EMU_UPDATE);
}

void *emu_global(struct emu_warp *w, const struct emu_op *op, int lane,
                 uint64_t at, unsigned bytes, enum emu_use use)
{
    return place(w, op, lane, GLOBAL, at, bytes, use);
}
#endif

/* What the trace sees of the addresses: shared memory of other blocks of the
 * cluster is the block's own. */
static void note_addresses(struct emu_warp *w, const struct emu_op *op,
                           enum space space, const uint64_t at[EMU_LANES],
                           unsigned bytes)
{
    if (w->trace == NULL)
        return;
    w->stride = 0;
    if (space == LOCAL)
        LANES w->address[l] = local_trace_address(w, l, at[l], bytes);
    else if (space == GENERIC && w->block->cluster_blocks > 1)
        LANES w->address[l] = in_shared_window(op, at[l])
                                  ? EMU_SHARED_WINDOW + offset_of(at[l])
                                  : at[l];
    else
        memcpy(w->address, at, sizeof w->address);
}

/* Addresses of the lanes, not of local memory, noted for the trace. */
static void lanes_at(struct emu_warp *w, const struct emu_op *op,
                     const struct emu_operand *m, enum space space,
                     uint64_t at[EMU_LANES])
{
    emu_addresses(w, m, at);
    note_addresses(w, op, space, at, 0);
}

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
        at[l] += (uint64_t)thread_of(w, l) * w->block->local_bytes;
    }
    return !bad;
}

/* The piece of memory that `bytes` at `at` lie in, NULL if it is none. */
static uint8_t *piece_at(struct emu_block *b, const struct emu_op *op,
                         enum space space, uint64_t at, uint64_t bytes,
                         enum emu_use use)
{
    if (space == SHARED)
        return is_own(b, at)
                   ? within(b->shared, b->shared_bytes, offset_of(at), bytes)
                   : NULL;
    return space == LOCAL ? b->local + at : global_at(b, op, at, bytes, use);
}

/* Whether all lanes reach one behind the other; fills `r` if so. */
static int reach_side_by_side(struct emu_warp *w, const struct emu_op *op,
                              enum space space, const uint64_t at[EMU_LANES],
                              unsigned bytes, struct reach *r, enum emu_use use)
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
                 enum space space, const uint64_t lane_at[EMU_LANES],
                 unsigned bytes, struct reach *r, enum emu_use use)
{
    struct emu_block *b = w->block;
    uint64_t at[EMU_LANES], first = lane_at[__builtin_ctz(mask)], far = 0;
    uint32_t active[EMU_LANES], least, odd = 0;
    int32_t delta[EMU_LANES], low = 0, high = 0;

    if (mask == EMU_ALL && space != LOCAL &&
        reach_side_by_side(w, op, space, lane_at, bytes, r, use))
        return 1;
    note_addresses(w, op, space, lane_at, bytes);
    /* What lies between is not written, and a view must know what is. */
    if (b->view != NULL && use != EMU_READ && space != SHARED && space != LOCAL)
        return 0;
    memcpy(at, lane_at, sizeof at);
    if (mask != EMU_ALL) {
        emu_spread(mask, active);
        LANES at[l] = active[l] ? at[l] : first;
    }
    if (space == LOCAL) {
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

/* One lane after the other, so that a fault names the first that fails. */
static int load_each(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                     enum space space, const uint64_t at[EMU_LANES],
                     unsigned bytes, uint32_t value[4][EMU_LANES])
{
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint32_t word[4] = {0};
        const void *from = place(w, op, l, space, at[l], bytes, EMU_READ);

        if (from == NULL)
            return 0;
        memcpy(word, from, bytes);
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

static void load_together(const struct reach *r, unsigned bytes,
                          uint32_t value[4][EMU_LANES])
{
    if (bytes == 4 && r->side_by_side)
        memcpy(value[0], r->base, 4 * EMU_LANES);
    else if (bytes == 4)
        COPY_LANES(uint32_t, 1)
    else if (bytes == 8)
        COPY_LANES(uint32_t, 2)
    else if (bytes == 16)
        COPY_LANES(uint32_t, 4)
    else if (bytes == 2)
        COPY_LANES(uint16_t, 1)
    else
        COPY_LANES(uint8_t, 1)
}

static void load_from(struct emu_warp *w, const struct emu_op *op,
                      uint32_t mask, enum space space)
{
    unsigned size = emu_bits(op, 75, 73), bytes = bytes_of(size);
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

/* The register that is stored: B, or C where the form has it there. */
static const struct emu_operand *stored(const struct emu_op *op)
{
    return op->b != NULL ? op->b : op->c;
}

static void store_to(struct emu_warp *w, const struct emu_op *op, uint32_t mask,
                     enum space space)
{
    unsigned bytes = bytes_of(emu_bits(op, 75, 73)), words = (bytes + 3) / 4;
    uint64_t at[EMU_LANES];
    const uint32_t *value[4];
    struct reach r;
    int together;

    emu_addresses(w, op->m, at);
    for (unsigned i = 0; i < words; i++)
        value[i] = emu_row(w, stored(op), i);
    together = reach(w, op, mask, space, at, bytes, &r, EMU_WRITE);
    if (together && r.side_by_side && bytes == 4) {
        memcpy(r.base, value[0], 4 * EMU_LANES);
        return;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint32_t word[4] = {0};
        void *to = together ? r.base + r.offset[l]
                            : place(w, op, l, space, at[l], bytes, EMU_WRITE);

        if (to == NULL)
            return;
        for (unsigned i = 0; i < words; i++)
            word[i] = value[i][l];
        memcpy(to, word, bytes);
    }
}

EXEC(ldg)
{
    load_from(w, op, mask, GLOBAL);
}

EXEC(stg)
{
    store_to(w, op, mask, GLOBAL);
}

EXEC(ld)
{
    load_from(w, op, mask, GENERIC);
}

EXEC(st)
{
    store_to(w, op, mask, GENERIC);
}

EXEC(lds)
{
    load_from(w, op, mask, SHARED);
}

EXEC(sts)
{
    store_to(w, op, mask, SHARED);
}

EXEC(ldl)
{
    load_from(w, op, mask, LOCAL);
}

EXEC(stl)
{
    store_to(w, op, mask, LOCAL);
}

/* c[bank][offset + register] */
EXEC(ldc)
{
    const struct emu_operand *o = NULL;
    const struct teg_cubin_const *bank;
    unsigned size = emu_bits(op, 75, 73), bytes = bytes_of(size);
    const uint32_t *index = emu_zeros[0];
    uint32_t value[4][EMU_LANES] = {0};

    for (uint8_t i = 0; i < op->operand_count; i++) {
        if (op->operand[i].kind == SASS_CONSTANT)
            o = &op->operand[i];
    }
    if (o == NULL || o->bank >= EMU_BANKS)
        return;
    bank = &w->block->bank[o->bank];
    if (o->reg != TEG_SASS_NONE && (o->flags & SASS_UNIFORM_INDEX))
        index = o->reg < TEG_SASS_URZ ? w->r[EMU_UNIFORM_ROW + o->reg] : index;
    else if (o->reg != TEG_SASS_NONE && o->reg != TEG_SASS_RZ)
        index = w->r[o->reg];
    LANES
    {
        uint64_t at = (uint32_t)((uint64_t)o->value + index[l]);
        uint32_t word[4] = {0};

        if (bank->data != NULL && at + bytes <= bank->size)
            memcpy(word, bank->data + at, bytes);
        word[0] = extended(word[0], size);
        for (int i = 0; i < 4; i++)
            value[i][l] = word[i];
    }
    for (unsigned i = 0; i < (bytes + 3) / 4; i++)
        emu_write(w, op->d, i, mask, value[i]);
}

/* ---- atomics ------------------------------------------------------------------ */

enum {
    TYPE_U32,
    TYPE_S32,
    TYPE_U64,
    TYPE_F32,
    TYPE_F16X2,
    TYPE_S64,
    TYPE_F64,
    TYPE_BF16X2,
    TYPE_UNKNOWN
};

static uint64_t float_sum(unsigned type, uint64_t a, uint64_t b)
{
    return type == TYPE_F32
               ? bits_of(float_of((uint32_t)a) + float_of((uint32_t)b))
               : bits_of_double(double_of(a) + double_of(b));
}

/* Sums of two halves or bfloat16, each rounded. */
static uint64_t packed_sum(unsigned type, uint64_t a, uint64_t b)
{
    uint64_t sum = 0;

    for (int i = 0; i < 2; i++) {
        uint32_t x = (uint32_t)(a >> 16 * i) & 0xffff;
        uint32_t y = (uint32_t)(b >> 16 * i) & 0xffff;

        sum |= (uint64_t)(type == TYPE_F16X2 ? half_bits((double)half_value(x) +
                                                         (double)half_value(y))
                                             : bf16_bits((double)bf16_value(x) +
                                                         (double)bf16_value(y)))
               << 16 * i;
    }
    return sum;
}

static int less(unsigned type, uint64_t a, uint64_t b)
{
    switch (type) {
    case TYPE_S32:
        return (int32_t)a < (int32_t)b;
    case TYPE_S64:
        return (int64_t)a < (int64_t)b;
    case TYPE_F32:
        return float_of((uint32_t)a) < float_of((uint32_t)b);
    case TYPE_F64:
        return double_of(a) < double_of(b);
    default:
        return a < b;
    }
}

/* Operations 0 ADD, 1 MIN, 2 MAX, 3 INC, 4 DEC, 5 AND, 6 OR, 7 XOR, 8 EXCH. */
static uint64_t combined(unsigned operation, unsigned type, uint64_t old,
                         uint64_t v)
{
    switch (operation) {
    case 0:
        if (type == TYPE_F16X2 || type == TYPE_BF16X2)
            return packed_sum(type, old, v);
        return type == TYPE_F32 || type == TYPE_F64 ? float_sum(type, old, v)
                                                    : old + v;
    case 1:
        return less(type, v, old) ? v : old;
    case 2:
        return less(type, old, v) ? v : old;
    case 3:
        return old >= v ? 0 : old + 1;
    case 4:
        return old == 0 || old > v ? v : old - 1;
    case 5:
        return old & v;
    case 6:
        return old | v;
    case 7:
        return old ^ v;
    default:
        return v;
    }
}

struct atomic {
    enum space space;
    unsigned operation, type;
    int increments; /* adds 1, there is no B */
    int compare;    /* CAS: B is expected, C is new; 2: returns success */
};

static int is_packed(const struct atomic *k)
{
    return !k->compare && (k->type == TYPE_F16X2 || k->type == TYPE_BF16X2);
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

    if (k->type == TYPE_UNKNOWN || (is_packed(k) && k->operation != 0)) {
        emu_fault(w, op, -1, TEG_LIMIT, "this type is not emulated");
        return;
    }
    lanes_at(w, op, op->m, k->space, at);
    emu_int64(w, op->b, 0, b);
    emu_int64(w, op->c, 0, c);
    if (k->increments)
        LANES b[l] = 1;
    for (int l = 0; l < EMU_LANES; l++) {
        uint64_t old = 0, v;
        void *to;

        if ((mask >> l & 1) == 0)
            continue;
        if (is_packed(k) && k->space == GENERIC &&
            in_shared_window(op, at[l])) {
            done &= ~(1u << l);
            continue;
        }
        to = place(w, op, l, k->space, at[l], 4 * words, EMU_UPDATE);
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

static int is_float_form(const struct emu_op *op)
{
    unsigned code = emu_bits(op, 11, 0);

    return op->cc >= 90 && (code == 0x3a2 || code == 0x9a2 || code == 0x3a3 ||
                            code == 0x9a3 || code == 0x9a6);
}

/* Types of sm_90's own float atomics: 9 single, 15 double. */
static unsigned type_of(const struct emu_op *op)
{
    if (is_float_form(op)) {
        switch (emu_bits(op, 76, 73) | (uint32_t)emu_bit(op, 87) << 4) {
        case 0:
            return TYPE_F16X2;
        case 3:
            return TYPE_BF16X2;
        case 9:
        case 12:
            return TYPE_F32;
        case 15:
            return TYPE_F64;
        default:
            return TYPE_UNKNOWN;
        }
    }
    if (op->cc >= 90)
        return emu_bits(op, 75, 73) == 3 ? TYPE_S64 : emu_bits(op, 75, 73);
    return emu_bits(op, 75, 73);
}

static int is_cas(const struct emu_op *op)
{
    unsigned code = emu_bits(op, 11, 0);

    return code == 0x38b || code == 0x3a9 || code == 0x38d;
}

static void global_atomic(struct emu_warp *w, const struct emu_op *op,
                          uint32_t mask, enum space space)
{
    struct atomic k = {.space = space, .type = type_of(op)};

    if (is_cas(op)) {
        k.compare = 1;
        k.type = emu_bits(op, 75, 73) == 2 ? TYPE_U64 : TYPE_U32;
    } else if (is_float_form(op)) {
        k.operation = emu_bits(op, 89, 88);
    } else if (emu_bits(op, 11, 0) == 0x98e) {
        k.operation = emu_bits(op, 89, 87);
    } else {
        k.operation = emu_bits(op, 90, 87);
    }
    run_atomic(w, op, mask, &k);
}

EXEC(atomg)
{
    global_atomic(w, op, mask, GLOBAL);
}

EXEC(atom)
{
    global_atomic(w, op, mask, GENERIC);
}

/* CAST.SPIN (88:87 = 3) says whether it succeeded. */
EXEC(atoms)
{
    struct atomic k = {.space = SHARED, .operation = emu_bits(op, 90, 87)};

    k.type = emu_bits(op, 74, 73) == 1   ? TYPE_S32
             : emu_bits(op, 74, 73) == 2 ? TYPE_U64
                                         : TYPE_U32;
    if (is_cas(op))
        k.compare = emu_bits(op, 88, 87) == 3 ? 2 : 1;
    if (emu_bits(op, 11, 0) == 0xf8c) {
        /* POPC.INC: adds one for each lane */
        k.operation = 0;
        k.increments = 1;
    }
    run_atomic(w, op, mask, &k);
}

/* Asynchronous copy, carried out at once.  The trace has the global side. */
EXEC(ldgsts)
{
    unsigned bytes = bytes_of(emu_bits(op, 75, 73));
    uint32_t wanted = mask & emu_predicate(w, op->p);
    uint64_t to[EMU_LANES], from[EMU_LANES];

    if (op->m2 == NULL)
        return;
    emu_addresses(w, op->m, to);
    lanes_at(w, op, op->m2, GLOBAL, from);
    for (int l = 0; l < EMU_LANES; l++) {
        uint8_t data[16] = {0};
        const void *source;
        void *target;

        if ((mask >> l & 1) == 0 ||
            ((wanted >> l & 1) == 0 && !emu_bit(op, 82)))
            continue;
        if (wanted >> l & 1) {
            source = place(w, op, l, GLOBAL, from[l], bytes, EMU_READ);
            if (source == NULL)
                return;
            memcpy(data, source, bytes);
        }
        target = place(w, op, l, SHARED, to[l], bytes, EMU_WRITE);
        if (target == NULL)
            return;
        memcpy(target, data, bytes);
    }
}

/* 8x8 matrices of 16-bit elements: lanes 8m .. 8m+7 point at the rows of
 * matrix m; a lane gets two elements of each. */
EXEC(ldsm)
{
    unsigned count = 1u << emu_bits(op, 73, 72);
    int transposed = emu_bit(op, 78);
    uint64_t at[EMU_LANES];

    lanes_at(w, op, op->m, SHARED, at);
    for (unsigned m = 0; m < count; m++) {
        uint16_t element[8][8];
        uint32_t out[EMU_LANES];

        for (unsigned row = 0; row < 8; row++) {
            const void *from = place(w, op, (int)(8 * m + row), SHARED,
                                     at[8 * m + row], 16, EMU_UPDATE);

            if (from == NULL)
                return;
            memcpy(element[row], from, 16);
        }
        for (unsigned l = 0; l < EMU_LANES; l++) {
            unsigned x = l / 4, y = 2 * (l % 4);
            uint32_t low = transposed ? element[y][x] : element[x][y];
            uint32_t high = transposed ? element[y + 1][x] : element[x][y + 1];

            out[l] = high << 16 | low;
        }
        emu_write(w, op->d, m, mask, out);
    }
}

/* The reverse of LDSM. */
EXEC(stsm)
{
    unsigned count = 1u << emu_bits(op, 73, 72);
    int transposed = emu_bit(op, 78);
    uint64_t at[EMU_LANES];

    lanes_at(w, op, op->m, SHARED, at);
    for (unsigned m = 0; m < count; m++) {
        const uint32_t *value = emu_row(w, stored(op), m);
        uint16_t element[8][8];

        for (unsigned l = 0; l < EMU_LANES; l++) {
            unsigned x = l / 4, y = 2 * (l % 4);

            for (unsigned i = 0; i < 2; i++)
                *(transposed ? &element[y + i][x] : &element[x][y + i]) =
                    (uint16_t)(value[l] >> 16 * i);
        }
        for (unsigned row = 0; row < 8; row++) {
            void *to = place(w, op, (int)(8 * m + row), SHARED, at[8 * m + row],
                             16, EMU_UPDATE);

            if (to == NULL)
                return;
            memcpy(to, element[row], 16);
        }
    }
    (void)mask;
}

const struct emu_row_of EMU_TABLE(memory)[] = {
    {"LDG", ldg},
    {"STG", stg},
    {"LD", ld},
    {"ST", st},
    {"LDS", lds},
    {"STS", sts},
    {"LDL", ldl},
    {"STL", stl},
    {"LDC", ldc},
    {"ULDC", ldc},
    {"ATOMG", atomg},
    {"ATOM", atom},
    {"RED", atomg},
    {"REDG", atomg},
    {"ATOMS", atoms},
    {"LDGSTS", ldgsts},
    {"LDSM", ldsm},
    {"STSM", stsm},
    {0},
};
