#include "isa/base/nearest.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

/* Longer names are compared by their beginning: a row of the table below has
 * this many places. */
enum {
    COMPARED = 63
};

static int fold(char c)
{
    return c == '-' ? '_' : tolower((unsigned char)c);
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t compared_length(const char *s)
{
    return least(strlen(s), COMPARED);
}

/* Optimal string alignment: a table of which three rows are kept, row i
 * holding the distances from the first i characters of `a`. */
static size_t distance(const char *a, const char *b)
{
    size_t row[3][COMPARED + 1];
    size_t *two_up = row[0], *up = row[1], *here = row[2];
    size_t a_length = compared_length(a), b_length = compared_length(b);

    for (size_t j = 0; j <= b_length; j++)
        here[j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *spare = two_up;

        two_up = up;
        up = here;
        here = spare;
        here[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            int same = fold(a[i - 1]) == fold(b[j - 1]);

            here[j] = least(least(up[j], here[j - 1]) + 1, up[j - 1] + !same);
            if (i > 1 && j > 1 && fold(a[i - 1]) == fold(b[j - 2]) &&
                fold(a[i - 2]) == fold(b[j - 1]))
                here[j] = least(here[j], two_up[j - 2] + 1);
        }
    }
    return here[b_length];
}

static int begins_with(const char *text, const char *start)
{
    for (; *start != '\0'; start++, text++) {
        if (fold(*text) != fold(*start))
            return 0;
    }
    return 1;
}

static int contains(const char *text, const char *part)
{
    for (; *text != '\0'; text++) {
        if (begins_with(text, part))
            return 1;
    }
    return 0;
}

void teg_nearest_init(struct teg_nearest *n, const char *typed)
{
    *n = (struct teg_nearest){.typed = typed, .distance = SIZE_MAX};
}

void teg_nearest_offer(struct teg_nearest *n, const char *known)
{
    size_t d = distance(n->typed, known);

    if (d > 2 && n->typed[0] != '\0' && contains(known, n->typed))
        d = 2;
    if (d > 1 && n->typed[0] != '\0' && begins_with(known, n->typed))
        d = 1;
    if (d < n->distance) {
        n->distance = d;
        n->best = known;
    }
}
