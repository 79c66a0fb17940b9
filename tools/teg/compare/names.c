#include "tools/teg/compare/names.h"

#include "isa/base/name.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static bool begins(const char *text, const char *what)
{
    return strncmp(text, what, strlen(what)) == 0;
}

/* Without return type and parameters, blanks and casts of template arguments:
 * "ns::scale<float,4>". */
static void plain(char out[TEG_NAME_MAX], const char *printed)
{
    static const char anonymous[] = "(anonymous namespace)";
    char *to = out;
    int depth = 0;

    for (const char *p = printed; *p != '\0' && to < out + TEG_NAME_MAX - 1;
         p++) {
        if (begins(p, anonymous)) {
            p += sizeof anonymous - 2;
            continue;
        }
        if (depth == 0 && *p == '(')
            break;
        if (depth == 0 && *p == ' ') {
            to = out;
            continue;
        }
        depth += (*p == '<') - (*p == '>');
        if (depth > 0 && *p == '(' && (p[-1] == '<' || p[-1] == ' ')) {
            p += strcspn(p, ")");
            if (*p == '\0')
                break;
            continue;
        }
        if (!isspace((unsigned char)*p))
            *to++ = *p;
    }
    *to = '\0';
}

/* Of a plain name, without namespaces and template arguments. */
static const char *shorten(char *name)
{
    const char *last = name;

    name[strcspn(name, "<")] = '\0';
    for (const char *p = name; (p = strstr(p, "::")) != NULL; p += 2)
        last = p + 2;
    return last;
}

int name_likeness(const char *symbol, const char *printed)
{
    char readable[TEG_NAME_MAX], ours[TEG_NAME_MAX], theirs[TEG_NAME_MAX];

    if (strcmp(symbol, printed) == 0 || teg_name_matches(symbol, printed))
        return 3;
    plain(ours, teg_name_readable(symbol, NAME_FULL, readable));
    plain(theirs, printed);
    if (ours[0] == '\0')
        return 0;
    if (strcmp(ours, theirs) == 0)
        return 2;
    return strcmp(shorten(ours), shorten(theirs)) == 0;
}
