/*
 * Names of kernels for people: what a C++ symbol stands for.
 *
 *   _ZN5shape7lengthsIfEEvPKT_S3_PS1_i
 *     NAME_FULL   shape::lengths<float>(float const*, float const*, float*, int)
 *     NAME_PLAIN  shape::lengths<float>
 *     NAME_LAST   lengths<float>
 *     NAME_SHORT  lengths
 *
 * Long tags ("[abi:...]") stand in the full name alone.  Of one that is too long the
 * deepest template arguments are left out ("f<a<...>, b>").  Any other name,
 * `extern "C"` ones among them, stays as it is.
 */
#ifndef TEG_ISA_BASE_NAME_H
#define TEG_ISA_BASE_NAME_H

enum {
    TEG_NAME_MAX = 4096, /* bytes, NUL included, of any name */
};

enum teg_name_form {
    NAME_FULL,
    NAME_PLAIN, /* without parameters */
    NAME_LAST,  /* without parameters and namespaces */
    NAME_SHORT, /* without template arguments too */
};

/* Writes the symbol's name of that form into `out`; returns `out`. */
const char *teg_name_readable(const char *symbol, enum teg_name_form form,
                              char out[TEG_NAME_MAX]);
/* True if it stands for a C++ function. */
int teg_name_is_mangled(const char *symbol);
/* True if a person may call the symbol so: as it is, or by its name of any
 * form, with or without template arguments; blanks do not count. */
int teg_name_matches(const char *symbol, const char *wanted);

#endif
