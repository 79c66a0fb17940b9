#include "isa/sass/row.h"

#include <string.h>

#define RRR       FORM_RRR
#define RRI       FORM_RRI
#define RRC       FORM_RRC
#define RIR       FORM_RIR
#define RCR       FORM_RCR
#define UUU       FORM_UUU
#define UUI       FORM_UUI
#define UIU       FORM_UIU
#define RUR       FORM_RUR
#define RRU       FORM_RRU
#define MID       (RRR | RIR | RCR | RUR)
#define ALL       (MID | RRI | RRC | RRU)
#define TWO       (RRI | RRC | RRU)
#define UNI       (UUU | UIU)
#define ANY(code) (1 << ((code) >> 9))
#define NOW       255

static const struct sass_row rows[] = {
#define SASS(base, forms, first, last, name, modifiers, operands) \
    {(base)&0x1ff, forms, first, last, name, modifiers, operands},
#define WORD(code, first, last, name, modifiers, operands) \
    SASS(code, ANY(code), first, last, name, modifiers, operands)
#include "isa/sass/rows.def"
#undef WORD
#undef SASS
};

static const struct sass_kind kinds[] = {
#define KIND(name, values) {#name, sizeof #name - 1, values},
#include "isa/sass/kinds.def"
#undef KIND
};

const struct sass_slot sass_slots[] = {
    {"31:24", "29:24", "72", "73", "122", "72", "73", "75:74"},
    {"39:32", "37:32", "63", "62", "123", "63", "62", "61:60"},
    {"71:64", "69:64", "75", "74", "124", "84", "83", "82:81"},
    {"23:16", "21:16", "72", "73", NULL, "72", "73", "75:74"},
    {"47:40", "45:40", "72", "73", "50", "72", "73", "75:74"},
    {"55:48", "53:48", "72", "73", NULL, "72", "73", "75:74"},
    {"59:52", "59:52", "72", "73", "51", "72", "73", "75:74"},
    {NULL, "77:73,62:60", NULL, NULL, NULL, NULL, NULL, NULL},
    {"71:64", "69:64", NULL, NULL, "123", NULL, NULL, NULL},
};

unsigned sass_slot_of(char letter, int *is_written)
{
    *is_written = letter == 'd' || letter == 'o' || letter == 'w';
    return letter == 'o'   ? SLOT_C
           : letter == 'w' ? SLOT_A
           : letter == 't' ? SLOT_D
                           : (unsigned)(letter - 'a');
}

const uint8_t sass_shifts[4] = {0, 2, 3, 4};

enum {
    ROWS = sizeof rows / sizeof rows[0],
    KINDS = sizeof kinds / sizeof kinds[0],
};

const struct sass_row *sass_rows(size_t *count)
{
    *count = ROWS;
    return rows;
}

const struct sass_kind *sass_kinds(size_t *count)
{
    *count = KINDS;
    return kinds;
}

uint8_t sass_kind_find(const char *name, size_t length)
{
    for (size_t i = 1; i < KINDS; i++) {
        if (kinds[i].length == length &&
            memcmp(kinds[i].name, name, length) == 0)
            return (uint8_t)i;
    }
    return 0;
}

const char *sass_kind_text(uint8_t table, uint32_t v, size_t *length)
{
    const char *at = kinds[table].values;

    if (at[0] == '*') {
        *length = 0;
        return at;
    }
    for (; v > 0 && at != NULL; v--) {
        at = strchr(at, '|');
        at = at != NULL ? at + 1 : NULL;
    }
    *length = at != NULL ? strcspn(at, "|") : 0;
    return at != NULL && strncmp(at, "?", 1) != 0 ? at : NULL;
}

const char *sass_named_text(uint8_t table, uint32_t v, uint32_t cc,
                            size_t *length)
{
    static const struct {
        uint32_t value, since;
        const char *text;
    } changed[] = {
        {134, 100, NULL},
        {135, 100, NULL},
        {138, 100, "SR_CgaSize"},
        {141, 100, "SR_TMemSz"},
        {142, 120, "SR_CONTEXT_SAVE_ADDR_LO"},
        {143, 120, "SR_CONTEXT_SAVE_ADDR_HI"},
    };
    int is_special = strcmp(kinds[table].name, "sr") == 0;

    for (size_t i = 0; is_special && i < sizeof changed / sizeof *changed;
         i++) {
        if (changed[i].value == v && cc >= changed[i].since) {
            *length = changed[i].text != NULL ? strlen(changed[i].text) : 0;
            return changed[i].text;
        }
    }
    return sass_kind_text(table, v, length);
}

const char *sass_descriptor(char part, uint8_t *count)
{
    static const struct {
        char part;
        uint8_t count;
        const char *text;
    } row[] = {
        {'g', 4, "gdesc"}, {'G', 2, "gdesc"}, {'h', 2, "desc"},
        {'T', 1, "tmem"},  {'i', 1, "idesc"},
    };

    for (size_t i = 0; i < sizeof row / sizeof row[0]; i++) {
        if (row[i].part == part) {
            *count = row[i].count;
            return row[i].text;
        }
    }
    return NULL;
}

const char *sass_offset_bits(char how)
{
    return how == 'C' ? "53:37" : "53:38";
}

unsigned sass_marks(const char **at)
{
    static const char letters[] = "-|~%^=/";
    unsigned found = 0;

    for (const char *m; **at != '\0' && (m = strchr(letters, **at)) != NULL;
         ++*at)
        found |= 1u << (m - letters);
    return found;
}

const char *sass_reuse_bit(char letter)
{
    switch (letter) {
    case 'a':
        return "122";
    case 'b':
        return "123";
    case 'c':
    case 's':
        return "124";
    default:
        return NULL;
    }
}

const struct sass_predicate *sass_predicate_of(char letter)
{
    static const struct sass_predicate row[] = {
        {'u', "83:81", NULL}, {'v', "86:84", NULL}, {'p', "89:87", "90"},
        {'q', "79:77", "80"}, {'r', "70:68", "71"}, {'x', "66:64", "67"},
        {'y', "89:87", "90"}, {'z', "26:24", "27"},
    };
    size_t i = 0;

    while (row[i].letter != letter)
        i++;
    return &row[i];
}

const char *sass_uniform_bits(const char *list, uint32_t cc)
{
    static const char *const wide[][2] = {
        {"21:16", "23:16"}, {"29:24", "31:24"}, {"37:32", "39:32"},
        {"45:40", "47:40"}, {"53:48", "55:48"}, {"69:64", "71:64"},
    };

    for (size_t i = 0; cc >= 100 && i < sizeof wide / sizeof wide[0]; i++) {
        if (strncmp(list, wide[i][0], strlen(wide[i][0])) == 0)
            return wide[i][1];
    }
    return list;
}

/* On sm_90 the low eight bits of the long ones moved into the destination's
 * place. */
const char *sass_target_bits(char how, uint32_t cc)
{
    if (how == 'm')
        return "81:24";
    if (how == 's')
        return "63:34";
    return cc >= 90 ? "81:34,23:16" : "81:34";
}

static unsigned number(const char **at)
{
    unsigned n = 0;

    for (; **at >= '0' && **at <= '9'; ++*at)
        n = n * 10 + (unsigned)(**at - '0');
    return n;
}

/* Reads "78:75" or "75"; returns the number of bits and the lowest. */
static unsigned range(const char **at, unsigned *low)
{
    unsigned high = number(at);

    *low = high;
    if (**at == ':') {
        ++*at;
        *low = number(at);
    }
    return high - *low + 1;
}

static uint64_t field(const uint64_t word[2], unsigned low, unsigned count)
{
    uint64_t v = low >= 64 ? word[1] >> (low - 64) : word[0] >> low;

    if (low < 64 && low + count > 64)
        v |= word[1] << (64 - low);
    return count < 64 ? v & ((UINT64_C(1) << count) - 1) : v;
}

uint64_t sass_bits(const uint64_t word[2], const char **at)
{
    uint64_t v = 0;

    for (;;) {
        unsigned low, count = range(at, &low);

        v = (count < 64 ? v << count : 0) | field(word, low, count);
        if ((*at)[0] != ',' || (*at)[1] < '0' || (*at)[1] > '9')
            return v;
        ++*at;
    }
}

static void put_field(uint64_t word[2], unsigned low, unsigned count,
                      uint64_t v)
{
    for (unsigned i = low; i < low + count; i++, v >>= 1) {
        uint64_t one = UINT64_C(1) << (i % 64);

        word[i / 64] = v & 1 ? word[i / 64] | one : word[i / 64] & ~one;
    }
}

void sass_put_bits(uint64_t word[2], const char **at, uint64_t v)
{
    unsigned left = sass_bits_count(*at);

    for (;;) {
        unsigned low, count = range(at, &low);

        left -= count;
        put_field(word, low, count, v >> left);
        if (left == 0)
            return;
        ++*at;
    }
}

void sass_add_bits(uint64_t word[2], const char **at)
{
    for (;;) {
        unsigned low, count = range(at, &low);

        put_field(word, low, count, UINT64_MAX);
        if ((*at)[0] != ',' || (*at)[1] < '0' || (*at)[1] > '9')
            return;
        ++*at;
    }
}

unsigned sass_bits_count(const char *at)
{
    unsigned n = 0;

    for (;;) {
        unsigned low;

        n += range(&at, &low);
        if (at[0] != ',' || at[1] < '0' || at[1] > '9')
            return n;
        at++;
    }
}

/* Checks one condition, "80=1" or "75:72!15". */
static int holds(const uint64_t word[2], const char *at)
{
    uint64_t v = sass_bits(word, &at);
    int equal = *at == '=';

    at++;
    return (v == number(&at)) == equal;
}

/* From sm_100 on nothing but loads of constants reads them. */
unsigned sass_forms_of(const struct sass_row *row, uint32_t cc)
{
    int varies = (row->forms & (row->forms - 1)) != 0;

    return cc >= 100 && varies ? row->forms & ~(unsigned)FORMS_CONSTANT
                               : row->forms;
}

int sass_row_fits(const struct sass_row *row, const uint64_t word[2],
                  uint32_t cc)
{
    unsigned form = (unsigned)(word[0] >> 9 & 7) | (unsigned)(word[1] >> 27 & 1)
                                                       << 3;

    if (row->base != (word[0] & 0x1ff) || cc < row->first || cc > row->last ||
        !(sass_forms_of(row, cc) >> form & 1))
        return 0;
    for (const char *at = row->modifiers; *at != '\0';) {
        if (*at >= '0' && *at <= '9' && !holds(word, at))
            return 0;
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return 1;
}

void sass_row_word(const struct sass_row *row, unsigned form, uint64_t word[2])
{
    word[0] = row->base | (uint64_t)(form & 7) << 9;
    word[1] = (uint64_t)(form >> 3) << 27;
    for (const char *at = row->modifiers; *at != '\0';) {
        const char *list = at, *value = at + strcspn(at, "=! ");

        if (*at >= '0' && *at <= '9' && *value == '=') {
            value++;
            sass_put_bits(word, &list, number(&value));
        }
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
}

void sass_row_add_conditions(const struct sass_row *row, uint64_t word[2])
{
    for (const char *at = row->modifiers; *at != '\0';) {
        const char *list = at;

        if (*at >= '0' && *at <= '9')
            sass_add_bits(word, &list);
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
}

int sass_token_next(const char **at, struct sass_token *token)
{
    for (;;) {
        const char *text = *at + strspn(*at, " ");
        size_t length = strcspn(text, " ");

        *at = text + length;
        if (length == 0)
            return 0;
        if (*text >= '0' && *text <= '9')
            continue;
        token->text = text;
        token->length = length;
        token->bits = NULL;
        if (*text != '.') {
            token->length = strcspn(text, "@");
            token->bits = text + token->length + 1;
        }
        return 1;
    }
}
