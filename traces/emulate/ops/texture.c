/* Textures and surfaces: how instructions name coordinates and handles; what a
 * handle stands for is in texture.h.  No lane shares anything with another. */
#include "traces/emulate/core/texture.h"

#include "traces/emulate/core/operand.h"
#include "traces/emulate/core/values.h"
#include "traces/emulate/core/view.h"

/* ---- handles ------------------------------------------------------------------ */

/* 4 bytes of a constant bank, 0 beyond its end. */
static uint32_t constant(const struct emu_warp *w, unsigned bank,
                         uint64_t offset)
{
    uint32_t value = 0;

    if (bank < EMU_BANKS && w->block->bank[bank].data != NULL &&
        offset + sizeof value <= w->block->bank[bank].size)
        memcpy(&value, w->block->bank[bank].data + offset, sizeof value);
    return value;
}

/* A handle in a uniform register or in constant memory, by the form. */
static uint32_t bound_handle(const struct emu_warp *w, const struct emu_op *op)
{
    unsigned number = emu_uniform_bits(op, 45, 40);

    if (!emu_bit(op, 91))
        return constant(w, emu_bits(op, 58, 54), 4 * emu_bits(op, 53, 40));
    return number < EMU_NO_UNIFORM ? w->r[EMU_UNIFORM_ROW + number][0] : 0;
}

static uint32_t lane_register(const struct emu_warp *w, unsigned number,
                              int lane)
{
    return number < TEG_SASS_RZ ? w->r[number][lane] : 0;
}

static const struct emu_texture *object(struct emu_warp *w,
                                        const struct emu_op *op, int lane,
                                        uint32_t handle, const char *what)
{
    const struct emu_texture *t = emu_textures_at(w->block->textures, handle);

    if (t == NULL)
        emu_fault(w, op, lane, TEG_LIMIT, "0x%x is no %s object", handle, what);
    return t;
}

struct reader {
    struct emu_warp *w;
    const struct emu_op *op;
    int lane;
    unsigned touched; /* texels of that lane */
};

static const void *read_global(void *self, uint64_t address, unsigned bytes)
{
    struct reader *r = self;

    return emu_global(r->w, r->op, r->lane, address, bytes, EMU_READ);
}

/* ---- what a trace has of them -------------------------------------------------- */

enum { /* values of a lane */
    FORMAT,
    TEXEL, /* and the next ones: where each texel is */
};

/* The texels that a lane has not touched. */
static void note_untouched(struct emu_warp *w, int lane, unsigned touched)
{
    while (touched < TEG_TEXELS_MAX)
        emu_value(w, TEXEL + touched++, lane, UINT64_MAX);
}

static void touch_global(void *self, uint64_t address)
{
    struct reader *r = self;

    /* Eight corners of two levels are more than a trace has room for. */
    if (r->touched < TEG_TEXELS_MAX)
        emu_value(r->w, TEXEL + r->touched++, r->lane, address);
}

static void note_format(struct emu_warp *w, int lane, unsigned bytes,
                        int is_filtered)
{
    emu_value(w, FORMAT, lane,
              bytes | (unsigned)is_filtered << TEG_TEXEL_FILTER_BIT);
}

/* ---- textures ----------------------------------------------------------------- */

/* What bits 63:61 say. */
static const struct shape {
    uint8_t dimensions; /* coordinates; 0: not known */
    uint8_t is_array, is_cube;
} shapes[8] = {{1, 0, 0}, {2, 0, 0}, {3, 0, 0}, {3, 0, 1},
               {1, 1, 0}, {2, 1, 0}, {0},       {3, 1, 1}};

/* What an instruction says of the level of detail. */
enum detail {
    DETAIL_NONE,    /* the base level, as PTX has it where no level is given */
    DETAIL_BASE,    /* .LZ */
    DETAIL_SHIFTED, /* .LB */
    DETAIL_GIVEN,   /* .LL */
    DETAIL_SLOPES,  /* TXD */
    DETAIL_OTHER,
};

/* A texture instruction's operands: layer, coordinates, handle if it is in a
 * register, level of detail; the first half in Ra and the next registers, the
 * second in Rb's with .SCR, else all before the handle in Ra's.  TXD has the
 * handle first, and slopes in Rb's. */
struct call {
    struct shape shape;
    int is_bindless, handle_first;
    unsigned in_a; /* operands in Ra's registers */
    enum detail detail;
};

static struct call call_of(const struct emu_op *op, enum detail detail,
                           int handle_first)
{
    struct call c = {.shape = shapes[emu_bits(op, 63, 61)],
                     .is_bindless = emu_bits(op, 11, 8) == 3,
                     .handle_first = handle_first,
                     .detail = detail};
    int has_level = detail == DETAIL_SHIFTED || detail == DETAIL_GIVEN;
    unsigned places = c.shape.dimensions + (unsigned)c.shape.is_array;

    c.in_a = places + (unsigned)(c.is_bindless && handle_first);
    if (!handle_first && emu_bit(op, 60))
        c.in_a =
            (places + (unsigned)c.is_bindless + (unsigned)has_level + 1) / 2;
    return c;
}

static uint32_t argument(const struct emu_warp *w, const struct emu_op *op,
                         const struct call *c, unsigned number, int lane)
{
    unsigned a = emu_bits(op, 31, 24), b = emu_bits(op, 39, 32);

    return number < c->in_a ? lane_register(w, a + number, lane)
                            : lane_register(w, b + number - c->in_a, lane);
}

/* What one lane asks for. */
struct request {
    const struct emu_texture *texture;
    uint32_t layer, word[3];
    uint32_t level; /* of detail, as it stands in a register */
    float at[3];
};

/* 0 after a fault. */
static int request_of(struct emu_warp *w, const struct emu_op *op,
                      const struct call *c, int lane, struct request *r)
{
    unsigned next = c->is_bindless && c->handle_first;
    uint32_t handle;

    *r = (struct request){0};
    if (c->shape.is_array)
        r->layer = argument(w, op, c, next++, lane);
    for (unsigned i = 0; i < c->shape.dimensions; i++) {
        r->word[i] = argument(w, op, c, next++, lane);
        memcpy(&r->at[i], &r->word[i], sizeof r->at[i]);
    }
    handle = !c->is_bindless   ? bound_handle(w, op)
             : c->handle_first ? argument(w, op, c, 0, lane)
                               : argument(w, op, c, next, lane);
    next += (unsigned)(c->is_bindless && !c->handle_first);
    if (c->detail == DETAIL_GIVEN)
        r->level = argument(w, op, c, next, lane);
    r->texture = object(w, op, lane, handle, "texture");
    return r->texture != NULL;
}

/* Puts the channels of 75:72 side by side: the first two into Rd's registers,
 * the others into those at 71:64. */
static void put_texel(struct emu_warp *w, const struct emu_op *op, int lane,
                      const uint32_t texel[4])
{
    unsigned wanted = emu_bits(op, 75, 72), n = 0;

    for (unsigned i = 0; i < 4; i++) {
        unsigned first = n < 2 ? emu_bits(op, 23, 16) : emu_bits(op, 71, 64);

        if ((wanted >> i & 1) == 0)
            continue;
        if (first < TEG_SASS_RZ)
            w->r[first + n % 2][lane] = texel[i];
        n++;
    }
}

typedef int reading(const struct emu_op *op, const struct call *c,
                    const struct request *r, const struct emu_texels *from,
                    uint32_t texel[4]);

static int sample(const struct emu_op *op, const struct call *c,
                  const struct request *r, const struct emu_texels *from,
                  uint32_t texel[4])
{
    float lod = 0;

    (void)op;
    memcpy(&lod, &r->level, sizeof lod);
    if (c->shape.is_cube)
        return emu_texture_cube(r->texture, from, r->at, r->layer, lod, texel);
    return emu_texture_sample(r->texture, from, r->at, c->shape.dimensions,
                              r->layer, lod, texel);
}

static int fetch(const struct emu_op *op, const struct call *c,
                 const struct request *r, const struct emu_texels *from,
                 uint32_t texel[4])
{
    int32_t at[3];

    (void)op, (void)c;
    memcpy(at, r->word, sizeof at);
    return emu_texture_fetch(r->texture, from, at, r->layer, r->level, texel);
}

static int gather(const struct emu_op *op, const struct call *c,
                  const struct request *r, const struct emu_texels *from,
                  uint32_t texel[4])
{
    (void)c;
    return emu_texture_gather(r->texture, from, r->at, r->layer,
                              emu_bits(op, 88, 87), texel);
}

/* Before sm_100 compilers give the base level as .LL of 0: what gives none there
 * is for neighbors' differences, which are not emulated. */
static int knows_level(const struct emu_warp *w, const struct call *c)
{
    return c->detail == DETAIL_BASE || c->detail == DETAIL_GIVEN ||
           c->detail == DETAIL_SLOPES ||
           (c->detail == DETAIL_NONE && w->block->cc >= 100);
}

/* TXD's slopes along x and y of each coordinate, in Rb's registers. */
static uint32_t level_of_slopes(const struct emu_warp *w,
                                const struct emu_op *op, const struct call *c,
                                const struct request *r, int lane)
{
    unsigned b = emu_bits(op, 39, 32);
    float slopes[3][2], lod;
    uint32_t level;

    for (unsigned i = 0; i < 2u * c->shape.dimensions; i++) {
        uint32_t word = lane_register(w, b == TEG_SASS_RZ ? b : b + i, lane);

        memcpy(&slopes[i / 2][i % 2], &word, sizeof word);
    }
    lod = emu_texture_lod(r->texture, c->shape.dimensions,
                          (const float(*)[2])slopes);
    memcpy(&level, &lod, sizeof level);
    return level;
}

static void read_texture(struct emu_warp *w, const struct emu_op *op,
                         uint32_t mask, const struct call *c, int is_known,
                         reading *read)
{
    if (c->shape.dimensions == 0 || !is_known) {
        emu_refuse(w, op);
        return;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        struct reader reader = {w, op, l, 0};
        const struct emu_texels from = {read_global, touch_global, &reader};
        struct request r;
        uint32_t texel[4];

        if (!request_of(w, op, c, l, &r))
            return;
        if (r.texture->levels != 0 && !knows_level(w, c)) {
            emu_refuse(w, op);
            return;
        }
        if (c->detail == DETAIL_SLOPES)
            r.level = level_of_slopes(w, op, c, &r, l);
        if (!read(op, c, &r, &from, texel))
            return;
        note_format(w, l, emu_texel_bytes(r.texture),
                    read == sample && emu_texture_filters(r.texture));
        note_untouched(w, l, reader.touched);
        put_texel(w, op, l, texel);
    }
    emu_write_predicate(w, op->u, mask, EMU_ALL); /* all of it is resident */
}

/* In bits 89:87, of sm_100 with bit 59 behind them. */
static enum detail detail_of(const struct emu_warp *w, const struct emu_op *op)
{
    unsigned how = emu_bits(op, 89, 87);

    if (w->block->cc >= 100)
        how = how << 1 | emu_bit(op, 59);
    return how <= DETAIL_GIVEN ? (enum detail)how : DETAIL_OTHER;
}

/* Of a fetch: .LZ and .LL, of sm_100 in bits of their own. */
static enum detail detail_of_fetch(const struct emu_warp *w,
                                   const struct emu_op *op)
{
    static const uint8_t details[4] = {DETAIL_BASE, DETAIL_GIVEN, DETAIL_OTHER,
                                       DETAIL_OTHER};

    return w->block->cc >= 100 ? (enum detail)details[emu_bits(op, 88, 87)]
                               : detail_of(w, op);
}

/* Not known: offsets (of sm_100 in bits of their own), neighbors' differences,
 * depth comparison, samples, results as halves. */
static int is_plain(const struct emu_warp *w, const struct emu_op *op)
{
    return !emu_bit(op, 78) && !emu_bits(op, 80, 79) &&
           (w->block->cc < 100 || !emu_bits(op, 57, 56));
}

EXEC(tex)
{
    struct call c = call_of(op, detail_of(w, op), 0);

    read_texture(w, op, mask, &c, is_plain(w, op) && !emu_bit(op, 76), sample);
}

EXEC(tld)
{
    struct call c = call_of(op, detail_of_fetch(w, op), 0);
    /* .CL and .MS have other bits since. */
    int other = w->block->cc < 100 ? emu_bit(op, 76) : emu_bit(op, 77);

    read_texture(w, op, mask, &c, is_plain(w, op) && !other, fetch);
}

EXEC(tld4)
{
    struct call c = call_of(op, DETAIL_BASE, 0);

    read_texture(w, op, mask, &c,
                 c.shape.dimensions == 2 && !emu_bits(op, 80, 76), gather);
}

EXEC(txd)
{
    struct call c = call_of(op, DETAIL_SLOPES, 1);

    read_texture(w, op, mask, &c,
                 !c.shape.is_array && !c.shape.is_cube && !emu_bit(op, 76) &&
                     !emu_bits(op, 80, 79),
                 sample);
}

/* The size of a level, whose number is in Ra's register, behind the handle if
 * that is in one.  Not known: what else a texture may be asked. */
EXEC(txq)
{
    int is_bindless = emu_bits(op, 11, 8) == 3;
    unsigned a = emu_bits(op, 31, 24);

    if (emu_bits(op, 63, 61) != 0) {
        emu_refuse(w, op);
        return;
    }
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint32_t handle =
            is_bindless ? lane_register(w, a, l) : bound_handle(w, op);
        unsigned level = a == TEG_SASS_RZ ? a : a + (unsigned)is_bindless;
        const struct emu_texture *t = object(w, op, l, handle, "texture");
        uint32_t size[4];

        if (t == NULL)
            return;
        emu_texture_size(t, lane_register(w, level, l), size);
        put_texel(w, op, l, size);
    }
}

/* ---- surfaces ----------------------------------------------------------------- */

enum beyond {
    BEYOND_IGNORED, /* read as 0, not written */
    BEYOND_CLAMPED,
    BEYOND_TRAPS,
};

/* Device address of a lane's element, whose first coordinate counts bytes, and
 * for the trace where it is in the hardware's layout.  Returns 0 where there is
 * none: outside, or after a fault. */
static uint64_t surface_at(struct emu_warp *w, const struct emu_op *op,
                           int lane, unsigned bytes, uint32_t handle)
{
    static const struct shape surface_shapes[8] = {
        {1, 0, 0}, {1, 0, 0}, {1, 1, 0}, {2, 0, 0},
        {2, 1, 0}, {3, 0, 0}, {0},       {0}};
    const struct shape *shape = &surface_shapes[emu_bits(op, 63, 61)];
    const struct emu_texture *s = object(w, op, lane, handle, "surface");
    unsigned a = emu_bits(op, 31, 24), how = emu_bits(op, 60, 59);
    int64_t at[3] = {0}, limit[3];

    note_format(w, lane, bytes, 0);
    note_untouched(w, lane, 0);
    if (s == NULL)
        return 0;
    limit[0] = (int64_t)s->size[0] * s->channels * (s->bits / 8) - bytes;
    limit[1] = (int64_t)s->size[1] - 1;
    limit[2] = (int64_t)s->size[2] - 1;
    for (unsigned i = 0; i < shape->dimensions; i++)
        at[i] = (int32_t)lane_register(w, a + i, lane);
    if (shape->is_array) {
        at[2] = (int32_t)lane_register(w, a + shape->dimensions, lane);
        limit[2] = (int64_t)s->layers - 1;
    }
    if (at[0] % bytes != 0) {
        emu_fault(w, op, lane, TEG_LIMIT,
                  "expected an address that is a multiple of %u, found %lld "
                  "bytes into a row of a surface",
                  bytes, (long long)at[0]);
        return 0;
    }
    for (unsigned i = 0; i < 3; i++) {
        if (at[i] >= 0 && at[i] <= limit[i])
            continue;
        if (how == BEYOND_TRAPS)
            emu_fault(w, op, lane, TEG_LIMIT,
                      "%u bytes at %lld,%lld,%lld of a surface of %lld bytes x "
                      "%lld x %lld are out of bounds",
                      bytes, (long long)at[0], (long long)at[1],
                      (long long)at[2], (long long)limit[0] + bytes,
                      (long long)limit[1] + 1, (long long)limit[2] + 1);
        if (how != BEYOND_CLAMPED)
            return 0;
        at[i] = at[i] < 0 ? 0 : limit[i];
    }
    emu_value(w, TEXEL, lane,
              emu_texture_place(s, (uint64_t)at[0], (uint64_t)at[1],
                                (uint64_t)at[2]));
    return s->address + (uint64_t)at[0] + (uint64_t)at[1] * s->pitch +
           (uint64_t)at[2] * s->slice;
}

static unsigned surface_bytes(const struct emu_op *op)
{
    static const unsigned bytes[8] = {1, 1, 2, 2, 4, 8, 16, 0};

    return bytes[emu_bits(op, 75, 73)];
}

/* In a register (of that number) or bound. */
static uint32_t surface_handle(const struct emu_warp *w,
                               const struct emu_op *op, int lane)
{
    return emu_bits(op, 11, 8) == 9
               ? lane_register(w, emu_bits(op, 71, 64), lane)
               : bound_handle(w, op);
}

/* Only bytes (.D): formatted ones and those without .BA are another form. */
static int is_known_surface(struct emu_warp *w, const struct emu_op *op)
{
    unsigned code = emu_bits(op, 11, 0), shape = emu_bits(op, 63, 61);

    if (surface_bytes(op) != 0 && shape < 6 && code != 0x99c && code != 0xb9b &&
        code != 0xf9b && emu_bit(op, 72))
        return 1;
    emu_refuse(w, op);
    return 0;
}

EXEC(suld)
{
    unsigned bytes = surface_bytes(op), size = emu_bits(op, 75, 73);
    unsigned d = emu_bits(op, 23, 16);

    if (!is_known_surface(w, op))
        return;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint64_t at = surface_at(w, op, l, bytes, surface_handle(w, op, l));
        uint32_t word[4] = {0};
        const void *from;

        if (w->block->status != TEG_OK)
            return;
        if (at != 0) {
            from = emu_global(w, op, l, at, bytes, EMU_READ);
            if (from == NULL)
                return;
            memcpy(word, from, bytes);
        }
        if (size == 1)
            word[0] = (uint32_t)(int32_t)(int8_t)word[0];
        if (size == 3)
            word[0] = (uint32_t)(int32_t)(int16_t)word[0];
        for (unsigned i = 0; i < (bytes + 3) / 4 && d < TEG_SASS_RZ; i++)
            w->r[d + i][l] = word[i];
    }
    emu_write_predicate(w, op->u, mask, EMU_ALL);
}

EXEC(sust)
{
    unsigned bytes = surface_bytes(op), b = emu_bits(op, 39, 32);

    if (!is_known_surface(w, op))
        return;
    for (uint32_t rest = mask; rest != 0; rest &= rest - 1) {
        int l = __builtin_ctz(rest);
        uint64_t at = surface_at(w, op, l, bytes, surface_handle(w, op, l));
        uint32_t word[4] = {0};
        void *to;

        if (w->block->status != TEG_OK)
            return;
        if (at == 0)
            continue;
        for (unsigned i = 0; i < (bytes + 3) / 4; i++)
            word[i] = lane_register(w, b == TEG_SASS_RZ ? b : b + i, l);
        to = emu_global(w, op, l, at, bytes, EMU_WRITE);
        if (to == NULL)
            return;
        memcpy(to, word, bytes);
    }
}

const struct emu_row_of EMU_TABLE(texture)[] = {
    {"TEX", tex},   {"TLD", tld},   {"TLD4", tld4}, {"TXD", txd},
    {"SULD", suld}, {"SUST", sust}, {"TXQ", txq},   {0},
};
