#include "isa/base/name.h"

#include <libiberty/demangle.h>
#include <limits.h>
#include <setjmp.h>
#include <stdio.h>
#include <string.h>

#include "isa/base/printable.h"

enum {
    LETTERS_MAX = 1 << 20, /* of a name in full */
};

/* What libiberty has printed so far, template arguments deeper than `deepest` left
 * out.  A name of a few letters can stand for one of gigabytes, and only a jump
 * stops it; it holds no memory then. */
struct printed {
    char *out;
    size_t used, seen;
    int depth, deepest;
    char last;
    jmp_buf stop;
};

enum outcome {
    PRINTED,
    NO_NAME,
    TOO_LONG,
};

static void put(struct printed *p, const char *text, size_t length)
{
    if (length >= TEG_NAME_MAX - p->used)
        longjmp(p->stop, TOO_LONG);
    memcpy(p->out + p->used, text, length);
    p->used += length;
    p->out[p->used] = '\0';
}

static void put_letter(struct printed *p, char letter)
{
    if (letter == '>' && p->last != '-' && p->depth > 0)
        p->depth--;
    if (p->depth <= p->deepest)
        put(p, &letter, 1);
    if (letter == '<' && ++p->depth == p->deepest + 1)
        put(p, "...", 3);
    p->last = letter;
}

static void print(const char *text, size_t length, void *self)
{
    struct printed *p = self;

    p->seen += length;
    if (p->seen > LETTERS_MAX)
        longjmp(p->stop, NO_NAME);
    if (p->deepest == INT_MAX) {
        put(p, text, length);
        return;
    }
    for (size_t i = 0; i < length; i++)
        put_letter(p, text[i]);
}

static enum outcome demangle_to(const char *symbol, int options, int deepest,
                                char out[TEG_NAME_MAX])
{
    struct printed p = {.out = out, .deepest = deepest};
    int stopped = setjmp(p.stop);

    out[0] = '\0';
    if (stopped != 0)
        return (enum outcome)stopped;
    /* Its limit is half the symbols that CUTLASS has; ours are short enough for
     * the stack. */
    return cplus_demangle_v3_callback(symbol,
                                      DMGL_ANSI | DMGL_RET_DROP |
                                          DMGL_NO_RECURSE_LIMIT | options,
                                      print, &p)
               ? PRINTED
               : NO_NAME;
}

/* 0: no C++ name, or one too long even without its template arguments, of which
 * the deepest are left out first. */
static int demangle(const char *symbol, int options, char out[TEG_NAME_MAX])
{
    static const int deepest[] = {INT_MAX, 8, 4, 3, 2, 1, 0};
    enum outcome outcome = TOO_LONG;

    out[0] = '\0';
    if (strncmp(symbol, "_Z", 2) != 0 || strlen(symbol) >= TEG_NAME_MAX)
        return 0;
    for (size_t i = 0;
         i < sizeof deepest / sizeof *deepest && outcome == TOO_LONG; i++)
        outcome = demangle_to(symbol, options, deepest[i], out);
    return outcome == PRINTED;
}

/* Without tags that are longer than a version: numba's compiler writes how it
 * was called into one.  "matmul[abi:v1][abi:cw51cXTLSUwv1sDUaKtho...]" */
static void drop_tags(char *name)
{
    static const char tag[] = "[abi:";
    enum {
        VERSION_MAX = 16
    };

    for (char *at = name; (at = strstr(at, tag)) != NULL;) {
        char *end = strchr(at, ']');

        if (end == NULL)
            return;
        if (end - at > VERSION_MAX)
            memmove(at, end + 1, strlen(end));
        else
            at = end;
    }
}

/* The last name of "a::b<c::d>::f<e>", with its template arguments. */
static const char *last_name(const char *name)
{
    const char *last = name;
    int depth = 0;

    for (const char *at = name; *at != '\0'; at++) {
        depth += strchr("<({", *at) != NULL;
        depth -= strchr(">)}", *at) != NULL;
        if (depth == 0 && at[0] == ':' && at[1] == ':')
            last = at + 2;
    }
    return last;
}

const char *teg_name_readable(const char *symbol, enum teg_name_form form,
                              char out[TEG_NAME_MAX])
{
    const char *last;

    if (!demangle(symbol, form == NAME_FULL ? DMGL_PARAMS : 0, out)) {
        teg_printable(out, TEG_NAME_MAX, symbol);
        return out;
    }
    if (form != NAME_FULL)
        drop_tags(out);
    if (form == NAME_LAST || form == NAME_SHORT) {
        last = last_name(out);
        memmove(out, last, strlen(last) + 1);
    }
    if (form == NAME_SHORT)
        out[strcspn(out, "<[")] = '\0';
    return out;
}

int teg_name_is_mangled(const char *symbol)
{
    char name[TEG_NAME_MAX];

    return demangle(symbol, 0, name);
}

/* Blanks aside, `name` is `wanted`; its last template arguments, and tags, may
 * be left out. */
static int is_called(const char *name, const char *wanted)
{
    for (;; name++, wanted++) {
        name += strspn(name, " ");
        wanted += strspn(wanted, " ");
        if (*name != *wanted || *name == '\0')
            break;
    }
    return *wanted == '\0' && (*name == '\0' || *name == '[' ||
                               (*name == '<' && last_name(name) == name));
}

int teg_name_matches(const char *symbol, const char *wanted)
{
    char name[TEG_NAME_MAX];

    if (strcmp(symbol, wanted) == 0)
        return 1;
    if (demangle(symbol, DMGL_PARAMS, name) && is_called(name, wanted))
        return 1;
    if (!demangle(symbol, 0, name))
        return 0;
    if (is_called(name, wanted) || is_called(last_name(name), wanted))
        return 1;
    drop_tags(name);
    return is_called(name, wanted) || is_called(last_name(name), wanted);
}
