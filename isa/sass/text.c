#include "isa/sass/text.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *sass_after(const char *text, const char *prefix)
{
    size_t length = strlen(prefix);

    return strncmp(text, prefix, length) == 0 ? text + length : NULL;
}

const char *sass_read_hex(const char *text, uint64_t *v)
{
    int negative = *text == '-';
    char *end;

    text += negative;
    if (text[0] != '0' || text[1] != 'x' || !isxdigit((unsigned char)text[2]))
        return NULL;
    *v = strtoull(text, &end, 16);
    if (negative)
        *v = 0 - *v;
    return end;
}

/* "+QNAN", of which the text keeps sign and kind. */
static const char *not_a_number(const char *text, unsigned exponent_bits,
                                unsigned fraction_bits, uint64_t *raw)
{
    uint64_t exponent = (UINT64_C(1) << exponent_bits) - 1;

    if ((text[0] != '+' && text[0] != '-') ||
        (text[1] != 'Q' && text[1] != 'S') || strncmp(text + 2, "NAN", 3) != 0)
        return NULL;
    *raw = (uint64_t)(text[0] == '-') << (exponent_bits + fraction_bits) |
           exponent << fraction_bits |
           (text[1] == 'Q' ? UINT64_C(1) << (fraction_bits - 1) : 1);
    return text + 5;
}

static const char *decimal(const char *text, double *v)
{
    char *end;

    if (text[0] != '+' && text[0] != '-' && !isdigit((unsigned char)text[0]))
        return NULL;
    *v = strtod(text, &end);
    return end != text ? end : NULL;
}

static const char *single(const char *text, uint32_t *raw)
{
    uint64_t bits;
    double v;
    float f;
    const char *end = not_a_number(text, 8, 23, &bits);

    if (end != NULL) {
        *raw = (uint32_t)bits;
        return end;
    }
    end = decimal(text, &v);
    f = end != NULL ? strtof(text, NULL) : 0;
    memcpy(raw, &f, sizeof f);
    return end;
}

/* The upper word of a double, which is all that an immediate keeps. */
static const char *double_high(const char *text, uint32_t *raw)
{
    uint64_t bits = 0;
    double v;
    const char *end = not_a_number(text, 11, 52, &bits);

    if (end == NULL) {
        end = decimal(text, &v);
        if (end != NULL)
            memcpy(&bits, &v, sizeof v);
    }
    *raw = (uint32_t)(bits >> 32);
    return end;
}

/* Texts of halves are exact, so nothing is rounded. */
static uint32_t half_of(double v)
{
    uint32_t sign = signbit(v) ? 0x8000 : 0;
    double size = fabs(v), fraction;
    int exponent;

    if (size == 0)
        return sign;
    if (!(size < 65536))
        return sign | 0x7c00;
    fraction = frexp(size, &exponent);
    if (exponent < -13)
        return sign | (uint32_t)ldexp(size, 24);
    return sign | (uint32_t)(exponent + 14) << 10 |
           ((uint32_t)ldexp(fraction, 11) & 0x3ff);
}

static const char *half(const char *text, uint32_t *raw)
{
    uint64_t bits;
    double v = 0;
    const char *end = not_a_number(text, 5, 10, &bits);

    if (end != NULL) {
        *raw = (uint32_t)bits;
        return end;
    }
    end = decimal(text, &v);
    *raw = half_of(v);
    return end;
}

/* "1,0.5": the high one first; of 16-bit brain floats the upper half. */
static const char *halves(const char *text, int brain, uint32_t *raw)
{
    uint32_t high, low;

    text = brain ? single(text, &high) : half(text, &high);
    if (text == NULL || *text != ',')
        return NULL;
    text = brain ? single(text + 1, &low) : half(text + 1, &low);
    if (brain)
        *raw = (high & 0xffff0000) | low >> 16;
    else
        *raw = high << 16 | low;
    return text;
}

/* "PPPNNPZP" of FSWZADD */
static const char *signs(const char *text, uint32_t *raw)
{
    static const char pair[4][3] = {"PP", "PN", "NP", "ZP"};

    *raw = 0;
    for (int i = 0; i < 4; i++, text += 2) {
        uint32_t v = 0;

        while (v < 4 && strncmp(text, pair[v], 2) != 0)
            v++;
        if (v == 4)
            return NULL;
        *raw = *raw << 2 | v;
    }
    return text;
}

/* "{5,2,1}" */
static const char *scoreboards(const char *text, uint32_t *raw)
{
    *raw = 0;
    if (*text != '{')
        return NULL;
    do {
        text++;
        if (*text < '0' || *text > '5')
            return NULL;
        *raw |= 1u << (*text - '0');
        text++;
    } while (*text == ',');
    return *text == '}' ? text + 1 : NULL;
}

const char *sass_read_immediate(const char *text, char format, int second,
                                uint64_t *v)
{
    uint32_t raw = 0;

    switch (format) {
    case 'f':
        text = single(text, &raw);
        break;
    case 'd':
        text = double_high(text, &raw);
        break;
    case 'm':
        text = second ? double_high(text, &raw) : single(text, &raw);
        break;
    case 'h':
        text = halves(text, second, &raw);
        break;
    case 'z':
        text = signs(text, &raw);
        break;
    case 'b':
        text = scoreboards(text, &raw);
        break;
    default:
        return sass_read_hex(text, v);
    }
    *v = raw;
    return text;
}
