#include "isa/inst/tensor.h"

#include <string.h>

static const struct {
    uint32_t bits;
    const char *help;
} types[] = {
#define TENSOR(NAME, key, bits, help) {bits, help},
#include "isa/inst/tensor_type.def"
#undef TENSOR
};

uint32_t teg_tensor_bits(enum teg_tensor_type type)
{
    return types[type].bits;
}

const char *teg_tensor_help(enum teg_tensor_type type)
{
    return types[type].help;
}

/* ---- words of an opcode --------------------------------------------------- */

/* What a modifier says of the numbers. */
enum word {
    WORD_F16 = 1 << 0,
    WORD_F32 = 1 << 1,
    WORD_TF32 = 1 << 2,
    WORD_F8 = 1 << 3,
    WORD_I8 = 1 << 4,
    WORD_I4 = 1 << 5,
    WORD_SPARSE = 1 << 6,
    WORD_F6 = 1 << 7, /* 6 or 4 bits */
    WORD_SCALED = 1 << 8,
};

static const struct {
    const char *text;
    uint32_t word;
} words[] = {
    {"F16", WORD_F16},   {"F32", WORD_F32},   {"TF32", WORD_TF32},
    {"E4M3", WORD_F8},   {"E5M2", WORD_F8},   {"S8", WORD_I8},
    {"U8", WORD_I8},     {"S4", WORD_I4},     {"U4", WORD_I4},
    {"SP", WORD_SPARSE}, {"E2M1", WORD_F6},   {"E2M3", WORD_F6},
    {"E3M2", WORD_F6},   {"SF", WORD_SCALED},
};

/* The mnemonics; type: by the first rule all of whose words are there. */
static const struct rule {
    const char *mnemonic;
    uint32_t words;
    uint8_t type, group;
} rules[] = {
    {"HMMA", WORD_TF32, TENSOR_TF32, 0},
    {"HMMA", WORD_F32, TENSOR_F16_F32, 0},
    {"HMMA", WORD_F16, TENSOR_F16, 0},
    {"OMMA", WORD_SCALED, TENSOR_F4_SCALED, 0},
    {"QMMA", WORD_F8 | WORD_SCALED, TENSOR_F8_SCALED, 0},
    {"QMMA", WORD_F6, TENSOR_F6, 0},
    {"QMMA", WORD_F8 | WORD_F32, TENSOR_F8_F32, 0},
    {"QMMA", WORD_F8 | WORD_F16, TENSOR_F8, 0},
    {"IMMA", WORD_I8, TENSOR_S8, 0},
    {"IMMA", WORD_I4, TENSOR_S4, 0},
    {"BMMA", 0, TENSOR_B1, 0},
    {"DMMA", 0, TENSOR_F64, 0},
    {"HGMMA", WORD_TF32, TENSOR_TF32, 1},
    {"HGMMA", WORD_F32, TENSOR_F16_F32, 1},
    {"HGMMA", WORD_F16, TENSOR_F16, 1},
    {"QGMMA", WORD_F8 | WORD_F32, TENSOR_F8_F32, 1},
    {"QGMMA", WORD_F8 | WORD_F16, TENSOR_F8, 1},
    {"IGMMA", WORD_I8, TENSOR_S8, 1},
    {"BGMMA", 0, TENSOR_B1, 1},
};

static int is(const char *text, size_t length, const char *name)
{
    return strlen(name) == length && strncmp(text, name, length) == 0;
}

static uint32_t word_of(const char *text, size_t length)
{
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (is(text, length, words[i].text))
            return words[i].word;
    }
    return 0;
}

/* Reads decimal digits up to `end`; 0: there are none, or other characters. */
static uint16_t number(const char *text, const char *end)
{
    uint32_t n = 0;

    if (end - text > 4)
        return 0;
    for (; text < end; text++) {
        if (*text < '0' || *text > '9')
            return 0;
        n = n * 10 + (uint32_t)(*text - '0');
    }
    return (uint16_t)n;
}

/* "64x128x16" */
static int read_crossed(const char *text, size_t length, struct teg_tensor *t)
{
    const char *end = text + length;
    const char *a = memchr(text, 'x', length);
    const char *b = a != NULL ? memchr(a + 1, 'x', (size_t)(end - a - 1)) : a;

    if (b == NULL)
        return 0;
    t->m = number(text, a);
    t->n = number(a + 1, b);
    t->k = number(b + 1, end);
    return 1;
}

/* "16816", "8832": m is 8 or 16, n is 8. */
static void read_joined(const char *text, size_t length, struct teg_tensor *t)
{
    size_t m = length > 2 && strncmp(text, "16", 2) == 0 ? 2 : 1;

    if (length < m + 2 || (m == 1 && text[0] != '8') || text[m] != '8')
        return;
    t->k = number(text + m + 1, text + length);
    t->m = m == 2 ? 16 : 8;
    t->n = 8;
}

static void read_shape(const char *text, size_t length, struct teg_tensor *t)
{
    if (t->m != 0 || text[0] < '0' || text[0] > '9')
        return;
    if (!read_crossed(text, length, t))
        read_joined(text, length, t);
}

static const struct rule *find(const char *opcode, size_t length,
                               uint32_t found)
{
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        if (is(opcode, length, rules[i].mnemonic) &&
            (found & rules[i].words) == rules[i].words)
            return &rules[i];
    }
    return NULL;
}

/* Volta's HMMA.884 are four products, of each quad pair one, in four steps or,
 * summed in 16 bits, in two.  (Raihan 2019, 3; PTX ISA, mma.m8n8k4) */
static void split(struct teg_tensor *t)
{
    if (t->m != 8 || t->k != 4 || t->type == TENSOR_F64)
        return;
    t->products = 4;
    t->steps = t->type == TENSOR_F16 ? 2 : 4;
}

struct teg_tensor teg_tensor_parse(const char *opcode, size_t length)
{
    const char *end = opcode + length, *dot = memchr(opcode, '.', length);
    struct teg_tensor t = {.products = 1, .steps = 1};
    const struct rule *rule;
    uint32_t found = 0;

    for (const char *at = dot; at != NULL;) {
        const char *next = memchr(at + 1, '.', (size_t)(end - at - 1));
        size_t size = (size_t)((next != NULL ? next : end) - at - 1);

        found |= word_of(at + 1, size);
        if (size != 0)
            read_shape(at + 1, size, &t);
        at = next;
    }
    rule = find(opcode, dot != NULL ? (size_t)(dot - opcode) : length, found);
    if (rule == NULL || t.n == 0 || t.k == 0 ||
        (rule->group ? t.m != 64 : t.m > 16))
        return (struct teg_tensor){0};
    t.type = rule->type;
    t.flags = (uint8_t)((found & WORD_SPARSE ? TENSOR_SPARSE : 0) |
                        (rule->group ? TENSOR_GROUP : 0));
    split(&t);
    return t;
}

uint64_t teg_tensor_multiply_adds(const struct teg_tensor *t)
{
    uint64_t all = (uint64_t)t->m * t->n * t->k * t->products;

    if (t->m == 0)
        return 0;
    return all / t->steps / (t->flags & TENSOR_GROUP ? 4 : 1);
}
