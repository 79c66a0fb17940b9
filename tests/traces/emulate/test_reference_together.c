/*
 * What the lanes of a warp give together (shuffles, votes, matches, REDUX), in
 * all forms, on random and equal words, with some of the lanes off, against the
 * PTX ISA's descriptions; as test_reference.c does what each gives alone.
 */
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "tests/traces/emulate/help_trial.h"

/* What a warp's lanes give together, by the PTX ISA. */
struct together {
    uint32_t d[EMU_LANES], matters; /* lanes of which `d` is said */
    uint32_t p;                     /* lanes whose predicate holds */
};

static uint32_t lane_word(const struct trial *t, char role, unsigned word,
                          unsigned l)
{
    return trial_word(t, teg_sass_operand(&t->h->op.sass, role), word, l);
}

static int has_text(const struct trial *t, const char *table, const char *text)
{
    struct reference_in in = {.s = &t->h->op.sass};

    return reference_is(&in, table, text);
}

/* The lane and the bound are registers B and C or numbers, by the form. */
static void shfl(const struct trial *t, uint32_t mask, struct together *out)
{
    struct reference_in in = {.s = &t->h->op.sass};
    int b_given = teg_sass_operand(in.s, 'b') == NULL;
    int c_given = teg_sass_operand(in.s, 'c') == NULL;

    out->matters = 0;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t b = b_given ? (uint32_t)reference_number(&in, 0)
                             : lane_word(t, 'b', 0, l);
        uint32_t c = c_given ? (uint32_t)reference_number(&in, b_given)
                             : lane_word(t, 'c', 0, l);
        uint32_t segment = c >> 8 & 31, bound = c & 31;
        int least = (int)(l & segment);
        int most = least | (int)(bound & ~segment), lane = (int)l, j, ok;

        b &= 31;
        if (has_text(t, "shfl", "UP"))
            j = lane - (int)b, ok = j >= most;
        else if (has_text(t, "shfl", "DOWN"))
            j = lane + (int)b, ok = j <= most;
        else if (has_text(t, "shfl", "BFLY"))
            j = lane ^ (int)b, ok = j <= most;
        else
            j = least | (int)(b & ~segment), ok = j <= most;
        j = ok ? j : lane;
        out->d[l] = lane_word(t, 'a', 0, (unsigned)j & 31);
        out->matters |= (mask >> j & 1) << l; /* else it is undefined */
        out->p |= (uint32_t)ok << l;
    }
}

static void vote(const struct trial *t, uint32_t mask, struct together *out)
{
    uint32_t ballot = 0;
    int yes;

    for (unsigned l = 0; l < EMU_LANES; l++)
        ballot |= (mask >> l & 1 && trial_predicate(t, 'p', l) ? 1u : 0) << l;
    yes = has_text(t, "vote", "ALL")   ? ballot == mask
          : has_text(t, "vote", "ANY") ? ballot != 0
                                       : ballot == mask || ballot == 0;
    for (unsigned l = 0; l < EMU_LANES; l++)
        out->d[l] = ballot;
    out->p = yes ? EMU_ALL : 0;
}

static void match(const struct trial *t, uint32_t mask, struct together *out)
{
    const struct teg_sass *s = &t->h->op.sass;
    unsigned words = teg_sass_operand(s, 'a')->count;
    struct reference_in in = {.s = s};
    int all = reference_says(&in, ".ALL");
    uint32_t first = (uint32_t)__builtin_ctz(mask), same[EMU_LANES] = {0};

    for (unsigned l = 0; l < EMU_LANES; l++) {
        for (unsigned m = 0; m < EMU_LANES; m++) {
            int equal = 1;

            for (unsigned w = 0; w < words; w++)
                equal &= lane_word(t, 'a', w, l) == lane_word(t, 'a', w, m);
            same[l] |= (mask >> m & 1 && equal ? 1u : 0) << m;
        }
    }
    out->p = same[first] == mask ? EMU_ALL : 0;
    for (unsigned l = 0; l < EMU_LANES; l++)
        out->d[l] = all ? out->p & mask : same[l];
}

static void redux(const struct trial *t, uint32_t mask, struct together *out)
{
    int has_sign = has_text(t, "s32", "S32"), first = 1;
    int64_t total = 0;

    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t word = lane_word(t, 'a', 0, l);
        int64_t v = has_sign ? (int64_t)(int32_t)word : (int64_t)word;

        if (!(mask >> l & 1))
            continue;
        if (first)
            total = v;
        else if (has_text(t, "redux", "OR"))
            total |= v;
        else if (has_text(t, "redux", "XOR"))
            total ^= v;
        else if (has_text(t, "redux", "SUM"))
            total += v;
        else if (has_text(t, "redux", "MIN"))
            total = v < total ? v : total;
        else if (has_text(t, "redux", "MAX"))
            total = v > total ? v : total;
        else
            total &= v;
        first = 0;
    }
    for (unsigned l = 0; l < EMU_LANES; l++)
        out->d[l] = (uint32_t)total;
}

/* The least or greatest: of integers, or of floats, where a zero is less than
 * another by its sign and NaN are left out, or with .NAN win. */
static void credux(const struct trial *t, uint32_t mask, struct together *out)
{
    int floats = has_text(t, "ctype", "F32"),
        has_sign = has_text(t, "ctype", "S32");
    int least = has_text(t, "credux", "MIN") || has_text(t, "credux", "MINABS");
    int absolute =
        has_text(t, "credux", "MAXABS") || has_text(t, "credux", "MINABS");
    int some = 0, nan = 0;
    int64_t best = 0;
    uint32_t total = 0x7fffffff;

    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t word = lane_word(t, 'a', 0, l);
        int64_t v;

        if (absolute)
            word &= 0x7fffffff;
        if (!(mask >> l & 1))
            continue;
        if (floats && (word & 0x7fffffff) > 0x7f800000) {
            nan = 1;
            continue;
        }
        v = floats     ? (word >> 31 ? -1 - (int64_t)(word & 0x7fffffff)
                                     : (int64_t)word)
            : has_sign ? (int64_t)(int32_t)word
                       : (int64_t)word;
        if (!some || (least ? v < best : v > best)) {
            best = v;
            total = word;
        }
        some = 1;
    }
    for (unsigned l = 0; l < EMU_LANES; l++)
        out->d[l] = nan && has_text(t, "nan", "NAN") ? 0x7fffffff : total;
}

static const struct {
    const char *name;
    void (*of)(const struct trial *t, uint32_t mask, struct together *out);
} together[] = {
    {"SHFL", shfl},   {"VOTE", vote},   {"VOTEU", vote},
    {"MATCH", match}, {"REDUX", redux}, {"CREDUX", credux},
};

/* PTX has .abs and .NaN of floats alone, and no type 3. */
static int is_of_floats(const struct trial *t)
{
    return strcmp(t->h->op.sass.name, "CREDUX") == 0 &&
           !has_text(t, "ctype", "F32") &&
           (has_text(t, "nan", "NAN") || has_text(t, "credux", "MAXABS") ||
            has_text(t, "credux", "MINABS"));
}

static void check_together(struct trial *t, uint32_t mask,
                           const struct together *want)
{
    const struct teg_sass_operand *d = trial_target(t, 'd');
    unsigned row = d == NULL                 ? 0
                   : d->kind == SASS_UNIFORM ? EMU_UNIFORM_ROW + d->reg
                                             : d->reg;

    for (unsigned l = 0; l < EMU_LANES; l++) {
        struct reference_in in = trial_inputs(t, l);

        if (!(mask >> l & 1))
            continue;
        if (d != NULL && want->matters >> l & 1 &&
            t->h->warp.r[row][l] != want->d[l])
            trial_complain(t, &in, "D", t->h->warp.r[row][l], want->d[l]);
        if (trial_target(t, 'u') != NULL)
            trial_check_predicate(t, &in, 'u', (int)(want->p >> l & 1), l);
    }
}

static void try_together(struct trial *t, unsigned which, unsigned g)
{
    static const uint32_t masks[] = {EMU_ALL, 0x5a0ff0c1, 0x00010000};

    for (unsigned i = 0; i < 2 * 3; i++) {
        struct together want = {.matters = EMU_ALL};
        struct tally *tally;

        if (!help_single_prepare(t->h, t->word, t->cc, i % 2 != 0))
            return;
        tally = trial_tally(t->h->op.sass.name);
        teg_sass_text(&t->h->op.sass, t->text);
        trial_restore(t);
        if (help_single_run(t->h, masks[i / 2]) != TEG_OK) {
            if (is_of_floats(t))
                return;
            ck_abort_msg("sm_%u %s is refused", t->cc, t->text);
        }
        together[which].of(t, masks[i / 2], &want);
        check_together(t, masks[i / 2], &want);
        tally->of[g].checked += (unsigned long)__builtin_popcount(masks[i / 2]);
        tally->of[g].forms++;
    }
}

/* A few lanes have the same word, so that some match. */
static void repeat_words(struct trial *t)
{
    for (unsigned w = 0; w < 2; w++) {
        for (unsigned l = 1; l < EMU_LANES; l++) {
            uint32_t *row = t->before[HELP_A + w];

            if (help_random(&t->random) % 3 != 0)
                row[l] = row[help_below(&t->random, l)];
        }
    }
}

static void try_warp_row(struct trial *t, const struct sass_row *row,
                         unsigned form, unsigned which, unsigned g)
{
    for (unsigned n = 0; n < trial_count(); n++) {
        trial_draw(t, row, form);
        trial_fill(t);
        repeat_words(t);
        try_together(t, which, g);
    }
}

START_TEST(lanes_together_give_what_the_reference_does)
{
    static struct trial t;
    size_t count;
    const struct sass_row *row = sass_rows(&count);

    trial_open(&t, help_generations[_i],
               0x9e3779b97f4a7c15u ^ help_generations[_i]);
    for (size_t r = 0; r < count; r++) {
        for (unsigned w = 0; w < sizeof together / sizeof together[0]; w++) {
            for (unsigned form = 0; form < 16; form++) {
                if ((row[r].forms >> form & 1) && t.cc >= row[r].first &&
                    t.cc <= row[r].last &&
                    strcmp(row[r].name, together[w].name) == 0)
                    try_warp_row(&t, &row[r], form, w, (unsigned)_i);
            }
        }
    }
    trial_close(&t);
    trial_report(t.cc, (unsigned)_i);
    ck_assert_uint_eq(t.wrong, 0);
}
END_TEST

HELP_MAIN("emulate reference together", 1800,
          {lanes_together_give_what_the_reference_does, HELP_DECODED})
