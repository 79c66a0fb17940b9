/*
 * Numbers as text, by the ten thousand: a page's charts are made of them.
 *
 * The same characters as printf's, by doubles instead of by long arithmetic.
 */
#ifndef TEG_ISA_BASE_DECIMAL_H
#define TEG_ISA_BASE_DECIMAL_H

#include <stddef.h>

enum {
    TEG_DECIMAL_SIZE = 330 /* of any double by "%.1f" */
};

/* "%.1f" of `value`; returns the length. */
size_t teg_decimal_tenths(char out[TEG_DECIMAL_SIZE], double value);
/* "%.4g" of it. */
size_t teg_decimal_short(char out[TEG_DECIMAL_SIZE], double value);

#endif
