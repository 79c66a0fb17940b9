/*
 * Tokens of a kernel sketch (docs/sketch.md).
 *
 * Left out of the stream: blanks, comments (# and // to the end of the line,
 * the address comments of listings between slash and star) and a newline
 * behind a backslash.  Words hold dots ("tid.x", "LDG.E.64", ".L_1"), but
 * never two in a row: "0..N" is three tokens.
 */
#ifndef TEG_TRACES_SKETCH_LEX_H
#define TEG_TRACES_SKETCH_LEX_H

#include "isa/base/status.h"

enum {
    SKETCH_TEXT_MAX = 4 << 20, /* bytes of a sketch */
    SKETCH_WORD_MAX = 63,      /* characters of a word */
};

enum sketch_token_kind {
    TOKEN_END,  /* of the text */
    TOKEN_LINE, /* end of a line that held a token */
    TOKEN_WORD,
    TOKEN_NUMBER, /* integer, in `number` */
    TOKEN_REAL,   /* 1.5, 1e-3: only an immediate can be one */
    TOKEN_STRING, /* with its quotes */
    TOKEN_SIGN,   /* operator or bracket, in `sign` */
};

/* A sign of two characters as one number. */
#define SKETCH_SIGN(first, second) ((first) << 8 | (second))

struct sketch_token {
    uint8_t kind;  /* enum sketch_token_kind */
    uint8_t glued; /* follows the token before without a blank */
    uint16_t sign; /* character, or SKETCH_SIGN of two */
    uint32_t at;   /* offset in the text */
    uint32_t length;
    uint32_t line;
    int64_t number;
};

/* Always ends with TOKEN_LINE, TOKEN_END. */
struct sketch_tokens {
    struct sketch_token *token; /* owned, [count] */
    uint32_t count, capacity;
};

/* `name` stands for the file in diagnostics. */
teg_status sketch_tokens_init(struct sketch_tokens *t, const char *name,
                              const char *text, size_t size,
                              struct teg_diag *d);
void sketch_tokens_release(struct sketch_tokens *t);

#endif
