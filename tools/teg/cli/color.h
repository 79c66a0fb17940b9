/*
 * Colors of text reports: on a terminal only, unless --color says otherwise.
 *
 *     fprintf(f, "%s%s%s\n", tint(f, TINT_STRONG), name, tint(f, TINT_OFF));
 *
 * NO_COLOR (no-color.org) and TERM=dumb turn them off; --color=always wins.
 */
#ifndef TEG_TOOLS_TEG_CLI_COLOR_H
#define TEG_TOOLS_TEG_CLI_COLOR_H

#include <stdint.h>
#include <stdio.h>

enum tint {
    TINT_OFF,    /* back to normal */
    TINT_STRONG, /* names, headings, the number that was asked for */
    TINT_DIM,    /* remarks */
    TINT_GOOD,   /* a gain */
    TINT_BAD,    /* a loss, an error, half a result */
    TINT_NOTICE, /* what limits, a warning */
};

/* Of --color, an index into color_names; set by options_parse. */
extern uint32_t color_when;
extern const char *const color_names[]; /* auto, always, never */

/* The escape sequence, "" where `f` shows no colors. */
const char *tint(FILE *f, enum tint t);

#endif
