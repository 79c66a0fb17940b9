#include "traces/emulate/core/tensor_map.h"

#include <string.h>

#include "isa/base/minmax.h"

static const struct type {
    const char *name;
    uint8_t unit, bytes, shared, is_float, code;
} types[] = {
#define MAP_TYPE(NAME, name, unit, bytes, shared, is_float, code) \
    {name, unit, bytes, shared, is_float, code},
#include "traces/emulate/core/tensor_map.def"
#undef MAP_TYPE
};

static const struct swizzle {
    uint8_t bytes; /* that the pattern is in */
    uint8_t shift; /* from an address's bits that tell lines of 128 bytes */
    uint8_t to;    /* to those that tell the pieces of a line */
    uint8_t flips; /* the bit by which halves are swapped, or 0 */
} swizzles[EMU_SWIZZLES] = {
    {0, 0, 0, 0},      {32, 3, 0x10, 0},  {64, 3, 0x30, 0},
    {128, 3, 0x70, 0}, {128, 2, 0x60, 0}, {128, 2, 0x60, 0x80},
    {128, 1, 0x40, 0},
};

/* The object, by words of four bytes. */
enum {
    AT_ADDRESS = 0,      /* two */
    AT_HOW = 2,          /* RANK_BIT and so on */
    AT_STRIDE = 3,       /* in 16 bytes, bits 31:0 */
    AT_STRIDES_HIGH = 7, /* bits 35:32, four a stride */
    AT_SIZE = 8,         /* less 1 */
    AT_STEPS = 13,       /* less 1, three bits each; the innermost box above */
    AT_BOXES = 14,       /* less 1, a byte each, from the second on */
    AT_REST = 15,
    AT_PIXELS = 15, /* of im2col; then three lower corners, three upper ones */
    AT_CORNERS = 16,
    AT_NOTHING = AT_CORNERS + 2 * EMU_MAP_SPACES,
    BOX_BIT = 24,
    RANK_BIT = 4, /* less 1 */
    TYPE_BIT = 7,
    INTERLEAVE_BIT = 11,
    SWIZZLE_BIT = 13,
    NAN_BIT = 15,
    TF32_BIT = 16,
    ATOM_BIT = 19, /* of a swizzle of 128 bytes: pieces larger than 16 */
    WORDS = EMU_MAP_BYTES / 4,
};

#define HOW_BITS 0x39fff0u /* all of AT_HOW that has a meaning */

/* ---- rules ----------------------------------------------------------------- */

enum {
    ALIGNMENT = 16,   /* of addresses, strides, a box's row */
    PADDED_BOX = 128, /* elements of a row, of types with room left free */
    BOX_MAX = 256,
    STEP_MAX = 8,
};

#define SIZE_MAX_OF_MAP   (UINT64_C(1) << 32)
#define STRIDE_END_OF_MAP (UINT64_C(1) << 40)

uint32_t emu_map_element(const struct emu_tensor_map *m)
{
    return types[m->type].bytes;
}

uint32_t emu_map_unit(const struct emu_tensor_map *m)
{
    return types[m->type].unit;
}

uint32_t emu_map_shared(const struct emu_tensor_map *m)
{
    return types[m->type].shared;
}

void emu_map_count_units(struct emu_tensor_map *m)
{
    m->size[0] /= types[m->type].unit;
    m->box[0] /= types[m->type].unit;
}

uint32_t emu_map_type_find(const char *name, size_t length)
{
    uint32_t i = 0;

    while (i < EMU_MAP_TYPES && (strncmp(types[i].name, name, length) != 0 ||
                                 types[i].name[length] != '\0'))
        i++;
    return i;
}

const char *emu_map_type_name(uint32_t type)
{
    return types[type].name;
}

int emu_map_is_float(uint32_t type)
{
    return types[type].is_float;
}

uint32_t emu_map_swizzle_bytes(const struct emu_tensor_map *m)
{
    return swizzles[m->swizzle].bytes;
}

uint64_t emu_map_swizzled(const struct emu_tensor_map *m, uint64_t at)
{
    const struct swizzle *s = &swizzles[m->swizzle];

    return at ^ (at >> s->shift & s->to);
}

int emu_map_flips(const struct emu_tensor_map *m, uint64_t at)
{
    return (at & swizzles[m->swizzle].flips) != 0;
}

#define EXPECT(holds, ...) \
    if (!(holds))          \
    return teg_fail(d, TEG_LIMIT, "tensor map", __VA_ARGS__)

static teg_status check_kind(const struct emu_tensor_map *m, struct teg_diag *d)
{
    EXPECT(m->type < EMU_MAP_TYPES, "expected a type below %d, found %u",
           EMU_MAP_TYPES, m->type);
    EXPECT(m->rank >= 1 && m->rank <= EMU_MAP_RANKS,
           "expected 1 to 5 dimensions, found %u", m->rank);
    EXPECT(m->interleave < EMU_INTERLEAVES,
           "expected an interleave below %d, found %u", EMU_INTERLEAVES,
           m->interleave);
    EXPECT(m->swizzle < EMU_SWIZZLES, "expected a swizzle below %d, found %u",
           EMU_SWIZZLES, m->swizzle);
    EXPECT(m->interleave == 0 || m->rank >= 3,
           "expected 3 dimensions or more of an interleaved tensor, found %u",
           m->rank);
    EXPECT(m->interleave != 2 || m->swizzle == 1,
           "expected a swizzle of 32 bytes with an interleave of 32");
    EXPECT(m->fills_nan == 0 || (m->fills_nan == 1 && types[m->type].is_float),
           "expected floats to be filled with NaN, found %s",
           types[m->type].name);
    return TEG_OK;
}

/* Types whose units have room behind them in shared memory. */
static int is_padded(const struct emu_tensor_map *m)
{
    return types[m->type].shared > types[m->type].bytes;
}

static uint32_t alignment_of(const struct emu_tensor_map *m)
{
    return m->interleave == 2 || is_padded(m) ? 2 * ALIGNMENT : ALIGNMENT;
}

/* Elements of less than a byte come in units. */
static teg_status check_units(const struct emu_tensor_map *m,
                              struct teg_diag *d)
{
    uint32_t whole = is_padded(m) ? PADDED_BOX : types[m->type].unit;

    EXPECT(m->size[0] % whole == 0,
           "expected a multiple of %u elements of %s, found %llu", whole,
           types[m->type].name, (unsigned long long)m->size[0]);
    EXPECT(is_padded(m) ? m->box[0] == whole : m->box[0] % whole == 0,
           "expected a box of %s%u elements of %s, found %u",
           is_padded(m) ? "" : "a multiple of ", whole, types[m->type].name,
           m->box[0]);
    EXPECT(m->step[0] == 1, "expected every element of %s, found every %u.",
           types[m->type].name, m->step[0]);
    EXPECT(!is_padded(m) ||
               (m->interleave == 0 &&
                (m->swizzle == 0 || m->swizzle == 3 || m->swizzle == 4)),
           "expected no interleave, and no swizzle or one of 128 bytes, of %s",
           types[m->type].name);
    return TEG_OK;
}

/* Corners have fewer bits the more of them there are. */
static teg_status check_pixels(const struct emu_tensor_map *m,
                               struct teg_diag *d)
{
    int32_t most = m->rank == 3 ? 1 << 15 : m->rank == 4 ? 1 << 7 : 1 << 4;

    EXPECT(m->rank >= 3, "expected 3 dimensions or more of im2col, found %u",
           m->rank);
    EXPECT(m->pixels <= EMU_MAP_PIXELS,
           "expected at most %d pixels a column, found %u", EMU_MAP_PIXELS,
           m->pixels);
    for (uint32_t i = 0; i + 2 < m->rank; i++)
        EXPECT(m->lower[i] >= -most && m->lower[i] < most &&
                   m->upper[i] >= -most && m->upper[i] < most,
               "expected corners from %d to %d, found %d and %d", -most,
               most - 1, m->lower[i], m->upper[i]);
    return TEG_OK;
}

static teg_status check_dimension(const struct emu_tensor_map *m, uint32_t i,
                                  struct teg_diag *d)
{
    uint64_t alignment = alignment_of(m);

    EXPECT(m->size[i] >= 1 && m->size[i] <= SIZE_MAX_OF_MAP,
           "expected a size of 1 to 2^32 in dimension %u, found %llu", i,
           (unsigned long long)m->size[i]);
    EXPECT(m->box[i] >= 1 && m->box[i] <= BOX_MAX,
           "expected a box of 1 to %d in dimension %u, found %u", BOX_MAX, i,
           m->box[i]);
    EXPECT(m->step[i] >= 1 && m->step[i] <= STEP_MAX,
           "expected an element stride of 1 to %d in dimension %u, found %u",
           STEP_MAX, i, m->step[i]);
    EXPECT(i == 0 || (m->stride[i] % alignment == 0 &&
                      m->stride[i] < STRIDE_END_OF_MAP),
           "expected a stride below 2^40 that is a multiple of %llu in "
           "dimension %u, found %llu",
           (unsigned long long)alignment, i, (unsigned long long)m->stride[i]);
    return TEG_OK;
}

teg_status emu_map_check(const struct emu_tensor_map *m, struct teg_diag *d)
{
    uint32_t alignment, row, span;

    TRY(check_kind(m, d));
    if (m->pixels != 0)
        TRY(check_pixels(m, d));
    alignment = alignment_of(m);
    EXPECT(m->address % alignment == 0,
           "expected an address that is a multiple of %u, found 0x%llx",
           alignment, (unsigned long long)m->address);
    for (uint32_t i = 0; i < m->rank; i++)
        TRY(check_dimension(m, i, d));
    if (types[m->type].unit != 1)
        TRY(check_units(m, d));
    row = m->box[0] / types[m->type].unit * types[m->type].shared;
    span = emu_map_swizzle_bytes(m);
    EXPECT(m->interleave != 0 || row % ALIGNMENT == 0,
           "expected a box's row to be a multiple of %d bytes, found %u",
           ALIGNMENT, row);
    EXPECT(m->interleave != 0 || span == 0 || row <= span,
           "expected a box's row of at most the swizzle's %u bytes, found %u",
           span, row);
    return TEG_OK;
}

/* ---- the object ------------------------------------------------------------ */

void emu_map_write(const struct emu_tensor_map *m,
                   uint8_t object[EMU_MAP_BYTES])
{
    uint32_t word[WORDS] = {(uint32_t)m->address, (uint32_t)(m->address >> 32)};
    uint32_t code = types[m->type].code;
    uint32_t mode = (uint32_t)teg_min(m->swizzle, EMU_SWIZZLE_WHOLE);

    word[AT_HOW] = (m->rank - 1) << RANK_BIT | (code & 15) << TYPE_BIT |
                   m->interleave << INTERLEAVE_BIT | mode << SWIZZLE_BIT |
                   (m->swizzle - mode) << ATOM_BIT | m->fills_nan << NAN_BIT |
                   (code >> 4) << TF32_BIT;
    for (uint32_t i = 0; i < m->rank; i++) {
        uint64_t stride = m->stride[i] / ALIGNMENT;

        word[AT_SIZE + i] = (uint32_t)(m->size[i] - 1);
        word[AT_STEPS] |= (m->step[i] - 1) << 3 * i;
        if (i == 0) {
            word[AT_STEPS] |= (m->box[i] - 1) << BOX_BIT;
            continue;
        }
        word[AT_BOXES] |= (m->box[i] - 1) << 8 * (i - 1);
        word[AT_STRIDE + i - 1] = (uint32_t)stride;
        word[AT_STRIDES_HIGH] |= (uint32_t)(stride >> 32) << 4 * (i - 1);
    }
    word[AT_PIXELS] = m->pixels;
    for (uint32_t i = 0; m->pixels != 0 && i + 2 < m->rank; i++) {
        word[AT_CORNERS + i] = (uint32_t)m->lower[i];
        word[AT_CORNERS + EMU_MAP_SPACES + i] = (uint32_t)m->upper[i];
    }
    memcpy(object, word, EMU_MAP_BYTES);
}

static uint32_t type_of(uint32_t how)
{
    uint32_t code = (how >> TYPE_BIT & 15) | (how >> TF32_BIT & 1) << 4;
    uint32_t i = 0;

    while (i < EMU_MAP_TYPES && types[i].code != code)
        i++;
    return i;
}

static int has_rest(const uint32_t word[WORDS])
{
    uint32_t rest = word[AT_HOW] & ~HOW_BITS;

    for (unsigned i = word[AT_PIXELS] != 0 ? AT_NOTHING : AT_REST; i < WORDS;
         i++)
        rest |= word[i];
    return rest != 0;
}

teg_status emu_map_read(struct emu_tensor_map *m,
                        const uint8_t object[EMU_MAP_BYTES], struct teg_diag *d)
{
    uint32_t word[WORDS], how;

    memcpy(word, object, EMU_MAP_BYTES);
    how = word[AT_HOW];
    *m = (struct emu_tensor_map){
        .address = (uint64_t)word[1] << 32 | word[0],
        .rank = (how >> RANK_BIT & 7) + 1,
        .type = type_of(how),
        .interleave = how >> INTERLEAVE_BIT & 3,
        .swizzle = (how >> SWIZZLE_BIT & 3) + (how >> ATOM_BIT & 7),
        .fills_nan = how >> NAN_BIT & 1,
        .pixels = word[AT_PIXELS],
    };
    EXPECT(!has_rest(word) && ((how >> ATOM_BIT & 7) == 0 ||
                               (how >> SWIZZLE_BIT & 3) == EMU_SWIZZLE_WHOLE),
           "the 128 bytes are no tensor map");
    for (uint32_t i = 0; i < EMU_MAP_RANKS && i < m->rank; i++) {
        uint64_t high = i == 0 ? 0 : word[AT_STRIDES_HIGH] >> 4 * (i - 1) & 15;

        m->size[i] = (uint64_t)word[AT_SIZE + i] + 1;
        m->step[i] = (word[AT_STEPS] >> 3 * i & 7) + 1;
        m->box[i] = i == 0 ? (word[AT_STEPS] >> BOX_BIT) + 1
                           : (word[AT_BOXES] >> 8 * (i - 1) & 0xff) + 1;
        if (i != 0)
            m->stride[i] = (high << 32 | word[AT_STRIDE + i - 1]) * ALIGNMENT;
    }
    for (uint32_t i = 0;
         m->pixels != 0 && i + 2 < m->rank && i < EMU_MAP_SPACES; i++) {
        m->lower[i] = (int32_t)word[AT_CORNERS + i];
        m->upper[i] = (int32_t)word[AT_CORNERS + EMU_MAP_SPACES + i];
    }
    TRY(emu_map_check(m, d));
    m->stride[0] = types[m->type].bytes;
    return TEG_OK;
}
