#include "traces/sketch/lex.h"

#include <stdlib.h>
#include <string.h>

struct lexer {
    const char *name, *text;
    uint32_t at, size, line;
    uint32_t last_end; /* where the token before ended */
    struct sketch_tokens *out;
    struct teg_diag *d;
};

static const char TWO_CHARACTER_SIGNS[][3] = {
    "<<", ">>", "&&", "||", "<=", ">=", "==", "!=", "..",
};

static int is_digit(int c)
{
    return c >= '0' && c <= '9';
}

static int starts_word(int c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '$';
}

static int is_word(int c)
{
    return starts_word(c) || is_digit(c);
}

/* The character `ahead` of the current one; NUL past the end. */
static int peek(const struct lexer *l, uint32_t ahead)
{
    return ahead < l->size - l->at ? (unsigned char)l->text[l->at + ahead]
                                   : '\0';
}

static teg_status add(struct lexer *l, struct sketch_token token)
{
    struct sketch_tokens *t = l->out;

    if (t->count == t->capacity) {
        uint32_t capacity = t->capacity != 0 ? 2 * t->capacity : 256;
        struct sketch_token *grown =
            realloc(t->token, capacity * sizeof *grown);

        if (grown == NULL)
            return teg_fail_memory(l->d);
        t->token = grown;
        t->capacity = capacity;
    }
    token.line = l->line;
    token.glued = token.at == l->last_end && token.at != 0;
    l->last_end = token.at + token.length;
    t->token[t->count++] = token;
    return TEG_OK;
}

/* Ends the line, unless it was empty. */
static teg_status add_line(struct lexer *l)
{
    const struct sketch_tokens *t = l->out;

    if (t->count == 0 || t->token[t->count - 1].kind == TOKEN_LINE)
        return TEG_OK;
    return add(l, (struct sketch_token){.kind = TOKEN_LINE, .at = l->at});
}

/* Skips what is no token; leaves `at` at a token, a newline or the end. */
static teg_status skip(struct lexer *l)
{
    for (;;) {
        int c = peek(l, 0);

        if (c == ' ' || c == '\t' || c == '\r') {
            l->at++;
        } else if (c == '\\' && peek(l, 1) == '\n') {
            l->at += 2;
            l->line++;
        } else if (c == '#' || (c == '/' && peek(l, 1) == '/')) {
            while (l->at < l->size && peek(l, 0) != '\n')
                l->at++;
        } else if (c == '/' && peek(l, 1) == '*') {
            uint32_t opened = l->line;

            for (l->at += 2; peek(l, 0) != '*' || peek(l, 1) != '/'; l->at++) {
                if (l->at >= l->size)
                    return teg_fail_line(l->d, TEG_FORMAT, l->name, opened,
                                         "expected */ to end the comment, "
                                         "found the end of the file");
                l->line += peek(l, 0) == '\n';
            }
            l->at += 2;
        } else {
            return TEG_OK;
        }
    }
}

static uint32_t word_length(const struct lexer *l, uint32_t from)
{
    uint32_t n = from;

    while (is_word(peek(l, n)) ||
           (peek(l, n) == '.' && is_word(peek(l, n + 1))))
        n++;
    return n;
}

static teg_status add_word(struct lexer *l)
{
    uint32_t length = word_length(l, 1);

    if (length > SKETCH_WORD_MAX)
        return teg_fail_line(l->d, TEG_LIMIT, l->name, l->line,
                             "expected a word of at most %d characters, found "
                             "'%.24s...'",
                             SKETCH_WORD_MAX, l->text + l->at);
    TRY(add(l, (struct sketch_token){
                   .kind = TOKEN_WORD, .at = l->at, .length = length}));
    l->at += length;
    return TEG_OK;
}

/* Length of a real number ("1.5", "2.", "1e-3"), 0 if it is none. */
static uint32_t real_length(const struct lexer *l)
{
    uint32_t n = 0;
    int real = 0;

    while (is_digit(peek(l, n)))
        n++;
    if (peek(l, n) == '.' && peek(l, n + 1) != '.') {
        for (n++; is_digit(peek(l, n)); n++)
            continue;
        real = 1;
    }
    if (peek(l, n) == 'e' || peek(l, n) == 'E') {
        uint32_t digits =
            n + 1 + (peek(l, n + 1) == '-' || peek(l, n + 1) == '+');

        if (is_digit(peek(l, digits))) {
            for (n = digits; is_digit(peek(l, n)); n++)
                continue;
            real = 1;
        }
    }
    return real ? n : 0;
}

static int digit_value(int c)
{
    if (is_digit(c))
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 99;
}

/* Reads the digits of [from, length); returns 0 if one is wrong or the value
 * does not fit 64 bits. */
static int read_integer(const struct lexer *l, uint32_t from, uint32_t length,
                        uint32_t base, uint64_t *value)
{
    *value = 0;
    for (uint32_t i = from; i < length; i++) {
        uint32_t digit = (uint32_t)digit_value(peek(l, i));

        if (digit >= base || *value > (UINT64_MAX - digit) / base)
            return 0;
        *value = *value * base + digit;
    }
    return length > from;
}

static teg_status add_number(struct lexer *l)
{
    int prefix = peek(l, 0) == '0' ? peek(l, 1) : 0;
    uint32_t base = prefix == 'x' || prefix == 'X'   ? 16
                    : prefix == 'b' || prefix == 'B' ? 2
                                                     : 10;
    uint32_t length = base == 10 ? real_length(l) : 0;
    struct sketch_token token = {.kind = TOKEN_REAL, .at = l->at};

    if (length == 0) {
        uint64_t value;

        token.kind = TOKEN_NUMBER;
        while (is_word(peek(l, length)))
            length++;
        if (!read_integer(l, base == 10 ? 0 : 2, length, base, &value) ||
            (base == 10 && value > INT64_MAX))
            return teg_fail_line(l->d, TEG_FORMAT, l->name, l->line,
                                 "expected a number of at most 64 bits, found "
                                 "'%.*s'",
                                 (int)(length < 40 ? length : 40),
                                 l->text + l->at);
        token.number = (int64_t)value;
    }
    token.length = length;
    TRY(add(l, token));
    l->at += length;
    return TEG_OK;
}

static teg_status add_string(struct lexer *l)
{
    uint32_t length = 1;

    while (peek(l, length) != '"') {
        if (peek(l, length) == '\0' || peek(l, length) == '\n')
            return teg_fail_line(l->d, TEG_FORMAT, l->name, l->line,
                                 "expected \" to end the string, found the end "
                                 "of the line");
        length++;
    }
    length++;
    TRY(add(l, (struct sketch_token){
                   .kind = TOKEN_STRING, .at = l->at, .length = length}));
    l->at += length;
    return TEG_OK;
}

static teg_status add_sign(struct lexer *l)
{
    struct sketch_token token = {
        .kind = TOKEN_SIGN,
        .at = l->at,
        .length = 1,
        .sign = (uint16_t)peek(l, 0),
    };

    if ((token.sign == '\0' ||
         strchr("+-*/%<>&|^~!?:()[]{},;=@`", token.sign) == NULL) &&
        !(token.sign == '.' && peek(l, 1) == '.'))
        return teg_fail_line(l->d, TEG_FORMAT, l->name, l->line,
                             token.sign > ' ' && token.sign < 127
                                 ? "expected a word, number or operator, found "
                                   "'%c'"
                                 : "expected a word, number or operator, found "
                                   "the byte 0x%02x",
                             token.sign);
    for (size_t i = 0; i < sizeof TWO_CHARACTER_SIGNS / 3; i++)
        if (peek(l, 0) == TWO_CHARACTER_SIGNS[i][0] &&
            peek(l, 1) == TWO_CHARACTER_SIGNS[i][1]) {
            token.sign = (uint16_t)SKETCH_SIGN(peek(l, 0), peek(l, 1));
            token.length = 2;
        }
    TRY(add(l, token));
    l->at += token.length;
    return TEG_OK;
}

static teg_status add_token(struct lexer *l)
{
    int c = peek(l, 0);

    if (starts_word(c) || (c == '.' && starts_word(peek(l, 1))))
        return add_word(l);
    if (is_digit(c))
        return add_number(l);
    return c == '"' ? add_string(l) : add_sign(l);
}

static teg_status lex(struct lexer *l)
{
    for (;;) {
        TRY(skip(l));
        if (l->at >= l->size)
            break;
        if (peek(l, 0) == '\n') {
            TRY(add_line(l));
            l->at++;
            l->line++;
        } else {
            TRY(add_token(l));
        }
    }
    TRY(add_line(l));
    return add(l, (struct sketch_token){.kind = TOKEN_END, .at = l->at});
}

teg_status sketch_tokens_init(struct sketch_tokens *t, const char *name,
                              const char *text, size_t size, struct teg_diag *d)
{
    struct lexer l = {.name = name, .text = text, .line = 1, .out = t, .d = d};
    teg_status status;

    *t = (struct sketch_tokens){0};
    if (size > SKETCH_TEXT_MAX)
        return teg_fail(d, TEG_LIMIT, name,
                        "expected a sketch of at most %d bytes, found %zu",
                        SKETCH_TEXT_MAX, size);
    l.size = (uint32_t)size;
    status = lex(&l);
    if (status != TEG_OK)
        sketch_tokens_release(t);
    return status;
}

void sketch_tokens_release(struct sketch_tokens *t)
{
    free(t->token);
    *t = (struct sketch_tokens){0};
}
