/*
 * What moves words between lanes, predicates and uniform registers (MOVM, P2R,
 * R2P, UP2UR, UR2UP, R2UR, ELECT), says what an address is of (QSPC), names a
 * lane (S2R of lane masks, CS2R of zero), and what only comes near (MUFU), in all
 * forms against the PTX ISA: movmatrix, elect.sync, isspacep, %lanemask_*, and
 * the greatest errors that it tells of rcp.approx, ex2.approx ...
 */
#include <math.h>
#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"
#include "tests/traces/emulate/help_trial.h"

/* Results of one instruction, by lane. */
struct moved {
    uint32_t d[2][EMU_LANES];
    uint32_t u;     /* lanes whose predicate is set */
    uint32_t p[7];  /* all predicates, if they are written at once */
    uint8_t up[7];  /* likewise the uniform ones */
    unsigned words; /* of D that are compared */
    int has_u, has_all, has_all_uniform;
};

/* Returns 0 if there is nothing to compare with. */
typedef int (*mover)(struct trial *t, uint32_t mask, struct moved *out);

static const struct teg_sass *sass_of(const struct trial *t)
{
    return &t->h->op.sass;
}

static uint32_t word_of(const struct trial *t, char role, unsigned l)
{
    return trial_word(t, teg_sass_operand(sass_of(t), role), 0, l);
}

static int has_text(const struct trial *t, const char *table, const char *text)
{
    struct reference_in in = {.s = sass_of(t)};

    return reference_is(&in, table, text);
}

/* The immediate that has no role of its own. */
static uint32_t number_of(const struct trial *t)
{
    struct reference_in in = {.s = sass_of(t)};

    return (uint32_t)reference_number(&in, 0);
}

/* ---- predicates as bits -------------------------------------------------------- */

/* Of P2R a modifier, of R2P behind the register. */
static unsigned byte_of(const struct trial *t)
{
    return has_text(t, "pbyte", "B1")   ? 1
           : has_text(t, "pbyte", "B2") ? 2
           : has_text(t, "pbyte", "B3")
               ? 3
               : teg_sass_operand(sass_of(t), 'a')->suffix_value;
}

static int p2r(struct trial *t, uint32_t mask, struct moved *out)
{
    uint32_t which = number_of(t);
    int uniform = sass_of(t)->name[0] == 'U';

    (void)mask;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t v = word_of(t, 'a', l);

        for (unsigned i = 0; i < 7; i++) {
            uint32_t bit = UINT32_C(1) << (8 * byte_of(t) + i);
            int set = uniform ? t->up[i] : (int)(t->p[i] >> l & 1);

            if (which >> i & 1)
                v = set ? v | bit : v & ~bit;
        }
        out->d[0][l] = v;
    }
    out->words = 1;
    return 1;
}

/* Which of them are written: not printed, all. */
static uint32_t written(const struct trial *t)
{
    const struct teg_sass *s = sass_of(t);
    uint32_t which = 0xff;

    for (unsigned i = 0; i < s->operand_count; i++) {
        if (s->operand[i].kind == SASS_IMMEDIATE)
            which = (uint32_t)s->operand[i].value;
    }
    return which;
}

static int r2p(struct trial *t, uint32_t mask, struct moved *out)
{
    uint32_t which = written(t);

    memcpy(out->p, t->p, sizeof out->p);
    for (unsigned i = 0; i < 7; i++) {
        for (unsigned l = 0; l < EMU_LANES; l++) {
            uint32_t bit = word_of(t, 'a', l) >> (8 * byte_of(t) + i) & 1;

            if ((which >> i & 1) && (mask >> l & 1))
                out->p[i] = (out->p[i] & ~(UINT32_C(1) << l)) | bit << l;
        }
    }
    out->has_all = 1;
    return 1;
}

static int ur2up(struct trial *t, uint32_t mask, struct moved *out)
{
    (void)mask;
    memcpy(out->up, t->up, sizeof out->up);
    for (unsigned i = 0; i < 7; i++) {
        if (written(t) >> i & 1)
            out->up[i] = word_of(t, 'a', 0) >> (8 * byte_of(t) + i) & 1;
    }
    out->has_all_uniform = 1;
    return 1;
}

/* ---- between lanes -------------------------------------------------------------- */

/* movmatrix.sync.aligned.m8n8.trans.b16: lane l has the elements 2 (l mod 4) and
 * the next of row l / 4. */
static int movm(struct trial *t, uint32_t mask, struct moved *out)
{
    if (mask != EMU_ALL)
        return 0;                        /* all threads take part */
    if (has_text(t, "movmt", "U4TO8")) { /* rows of 32 numbers of 4 bits */
        for (unsigned l = 0; l < EMU_LANES; l++) {
            for (unsigned i = 0; i < 8; i++) {
                unsigned column = l % 4 * 4 + i % 4 + (i < 4 ? 0 : 16);
                uint32_t from = word_of(t, 'a', l / 4 * 4 + column / 8);

                out->d[i / 4][l] |= (from >> column % 8 * 4 & 15) << i % 4 * 8;
            }
        }
        out->words = 2;
        return 1;
    }
    for (unsigned l = 0; l < EMU_LANES; l++) {
        for (unsigned i = 0; i < 2; i++) {
            unsigned row = l / 4, column = 2 * (l % 4) + i;
            uint32_t from = word_of(t, 'a', 4 * column + row / 2);

            out->d[0][l] |= (from >> row % 2 * 16 & 0xffff) << i * 16;
        }
    }
    out->words = 1;
    return 1;
}

/* The first lane's word; the predicate: lanes that have another. */
static int r2ur(struct trial *t, uint32_t mask, struct moved *out)
{
    const struct teg_sass_operand *u = trial_target(t, 'u');
    uint32_t first = word_of(t, 'a', (unsigned)__builtin_ctz(mask));
    struct reference_in in = {.s = sass_of(t)};

    for (unsigned l = 0; l < EMU_LANES; l++) {
        out->d[0][l] = first;
        if (word_of(t, 'a', l) != first)
            out->u |= UINT32_C(1) << l;
    }
    if (u != NULL && reference_says(&in, ".OR"))
        out->u |= t->p[u->reg];
    out->words = 1;
    out->has_u = 1;
    return 1;
}

/* elect.sync: one of the lanes, here the lowest, and its number. */
static int elect(struct trial *t, uint32_t mask, struct moved *out)
{
    uint32_t lanes = 0, first = 0;

    for (unsigned l = 0; l < EMU_LANES; l++)
        lanes |= (mask >> l & 1 && trial_predicate(t, 'p', l) ? 1u : 0) << l;
    if (lanes == 0)
        return 0;
    while (!(lanes >> first & 1))
        first++;
    for (unsigned l = 0; l < EMU_LANES; l++)
        out->d[0][l] = first;
    out->u = UINT32_C(1) << first;
    out->words = 1;
    out->has_u = 1;
    return 1;
}

/* ---- special registers ----------------------------------------------------------- */

/* %laneid, %lanemask_eq, _lt, _le, _gt, _ge; SRZ. */
static int s2r(struct trial *t, uint32_t mask, struct moved *out)
{
    int known = 1;

    (void)mask;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t *d = &out->d[0][l];

        *d = 0;
        for (unsigned i = 0; i < EMU_LANES; i++) {
            int is = strstr(t->text, "SR_EQMASK") != NULL   ? i == l
                     : strstr(t->text, "SR_LTMASK") != NULL ? i < l
                     : strstr(t->text, "SR_LEMASK") != NULL ? i <= l
                     : strstr(t->text, "SR_GTMASK") != NULL ? i > l
                     : strstr(t->text, "SR_GEMASK") != NULL ? i >= l
                                                            : 2;

            known &= is != 2;
            *d |= (uint32_t)(is & 1) << i;
        }
        if (strstr(t->text, "SR_LANEID") != NULL)
            *d = l;
        else if (strstr(t->text, "SRZ") != NULL)
            *d = 0;
        else if (!known)
            return 0;
    }
    out->words = trial_target(t, 'd') == NULL ? 0 : trial_target(t, 'd')->count;
    /* a uniform register has one lane's */
    return out->words == 0 || trial_target(t, 'd')->kind != SASS_UNIFORM ||
           strstr(t->text, "SRZ") != NULL;
}

/* A 64-bit address for each lane, by the register, or, where that has 32 bits,
 * by the uniform one; 0: it is of 32 bits. */
static uint64_t place_at(struct trial *t, const struct teg_sass_operand *m,
                         unsigned which, unsigned l)
{
    static const uint64_t base[4] = {UINT64_C(0x7f0000001000), EMU_LOCAL_WINDOW,
                                     EMU_SHARED_WINDOW, EMU_SHARED_WINDOW};
    uint64_t at = base[which] + 16 * l, v = at - (uint64_t)m->value;
    uint32_t *low = &t->before[m->reg][l], *high = &t->before[m->reg + 1][l];

    if (m->ureg >= EMU_NO_UNIFORM && m->count < 2)
        return 0;
    if (m->ureg < EMU_NO_UNIFORM) {
        uint32_t(*u)[EMU_LANES] = &t->before[EMU_UNIFORM_ROW + m->ureg];

        if (m->count < 2) {
            v -= 16 * l;
            for (unsigned k = 0; k < EMU_LANES; k++) {
                u[0][k] = (uint32_t)v;
                u[1][k] = (uint32_t)(v >> 32);
            }
            v = 16 * l;
        } else {
            v -= (uint64_t)u[1][0] << 32 | u[0][0];
        }
    }
    *low = (uint32_t)v;
    if (m->count >= 2)
        *high = (uint32_t)(v >> 32);
    return at;
}

/* isspacep: places of all spaces; what is shared is the block's own and the
 * cluster's, which is of one block. */
static int qspc(struct trial *t, uint32_t mask, struct moved *out)
{
    const struct teg_sass_operand *m = teg_sass_operand(sass_of(t), 'm');
    unsigned first = help_below(&t->random, 4);

    (void)mask;
    if (m->reg + 2 > TRIAL_ROWS)
        return 0;
    for (unsigned l = 0; l < EMU_LANES; l++) {
        unsigned which = m->count < 2 ? first : (l + first) % 4;
        char space = place_at(t, m, which, l) == 0 ? 'G' : "GLSD"[which];
        const char *name = space == 'G' ? "G" : "L";

        if (has_text(t, "qspc", "D") || has_text(t, "qspc", "S"))
            out->u |= (uint32_t)(space == 'S' || space == 'D') << l;
        else if (space == 'G' || space == 'L')
            out->u |= (uint32_t)has_text(t, "qspc", name) << l;
    }
    out->has_u = 1;
    return 1;
}

/* ---- near the value ------------------------------------------------------------ */

static float float_of_bits(uint32_t bits)
{
    float f;

    memcpy(&f, &bits, sizeof f);
    return f;
}

static int is_small(float f)
{
    return fabsf(f) < 0x1p-126f;
}

/* Whether `got` is what the PTX ISA allows of f(x); denormals read and given by
 * the .ftz forms are zeros of their sign. */
static int is_near(const char *name, float x, float got)
{
    double d = is_small(x) ? copysign(0, (double)x) : (double)x, v, most;

    if (strcmp(name, "RCP") == 0) {
        v = 1 / d, most = 0x1p-23 * fabs(v);
    } else if (strcmp(name, "RSQ") == 0) {
        v = 1 / sqrt(d), most = 0x1p-22 * fabs(v);
    } else if (strcmp(name, "SQRT") == 0) {
        v = sqrt(d), most = 0x1p-22 * fabs(v);
    } else if (strcmp(name, "LG2") == 0) {
        v = log2(d), most = fmax(0x1p-22, 0x1p-22 * fabs(v));
    } else if (strcmp(name, "EX2") == 0) {
        v = exp2((double)x), most = 0x1p-22 * v;
    } else if (strcmp(name, "TANH") == 0) {
        v = tanh((double)x), most = 0x1p-11 * fabs(v);
    } else { /* of turns: sin.approx multiplies by 1 / (2 pi) before */
        double turns = remainder((double)x, 1) * 6.283185307179586476925;

        v = strcmp(name, "SIN") == 0 ? sin(turns) : cos(turns);
        most = 0x1p-20;
        if (x == 0 && v == 0) /* sin.approx: +0 of +0, -0 of -0 */
            most = 0;
    }
    if (isnan(v))
        return isnan(got);
    if (fabs(v) < 0x1p-126 && strcmp(name, "TANH") != 0 && most < 0x1p-21)
        return fabs((double)got) <= 0x1p-126 && !signbit(got) == !signbit(v);
    if (isinf(v) || fabs(v) > (double)0x1.fffffep127f)
        return isinf(got) && !signbit(got) == !signbit(v);
    if (v == 0 && most == 0)
        return got == 0 && !signbit(got) == !signbit(v);
    return fabs((double)got - v) <= most;
}

static const char *mufu_name(const struct trial *t)
{
    static const char *const names[] = {"COS", "SIN", "EX2",  "LG2",
                                        "RCP", "RSQ", "SQRT", "TANH"};

    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (has_text(t, "mufu", names[i]))
            return names[i];
    }
    return NULL;
}

/* The upper words of doubles: rcp.approx.ftz.f64 and rsqrt, of 20 bits. */
static int is_near_upper(int is_root, uint32_t x, uint32_t got)
{
    uint64_t bits = (uint64_t)x << 32, found = (uint64_t)got << 32;
    double d, g, v;

    memcpy(&d, &bits, sizeof d);
    memcpy(&g, &found, sizeof g);
    v = is_root ? 1 / sqrt(d) : 1 / d;
    if (isnan(v))
        return isnan(g);
    if (isinf(v) || v == 0)
        return g == v && !signbit(g) == !signbit(v);
    if (!isnormal(d) || !isnormal(v))
        return 1; /* by the code around it */
    return fabs(g - v) <= 0x1p-19 * fabs(v);
}

/* A half or a bfloat16. */
static double half_of(uint32_t v, int bf16)
{
    int fraction = bf16 ? 7 : 10, most = bf16 ? 255 : 31;
    int e = (int)(v >> fraction) & most;
    uint32_t low = v & ((1u << fraction) - 1);
    double size = e == most ? (low != 0 ? (double)NAN : (double)INFINITY)
                  : e == 0
                      ? ldexp(low, 1 - most / 2 - fraction)
                      : ldexp(low + (1u << fraction), e - most / 2 - fraction);

    return v >> 15 & 1 ? -size : size;
}

/* ex2.approx: relative errors of 2^-9.9 and 2^-7; tanh.approx: 2^-10.987 and 2^-8,
 * absolute. */
static int is_near_half(int is_tanh, int bf16, uint32_t x, uint32_t got)
{
    double d = half_of(x, bf16), g = half_of(got & 0xffff, bf16);
    double v = is_tanh ? tanh(d) : exp2(d);
    double least = bf16 ? 0x1p-126 : 0x1p-24;
    double most = bf16 ? 0x1.ffp127 : 65520;

    if (isnan(v))
        return isnan(g);
    if (is_tanh)
        return fabs(g - v) <= (bf16 ? 0x1p-8 : 0x1p-10);
    if (v >= most)
        return isinf(g) && g > 0;
    if (v < least)
        return g <= least;
    return fabs(g - v) <= (bf16 ? 0x1p-7 : 0x1p-9) * v + (bf16 ? 0 : 0x1p-25);
}

static int mufu_of_half(struct trial *t, struct moved *out)
{
    const struct teg_sass_operand *b = teg_sass_operand(sass_of(t), 'b');
    const struct teg_sass_operand *d = trial_target(t, 'd');
    int is_tanh = has_text(t, "mufu", "TANH");
    char opcode[TEG_SASS_TEXT];

    teg_sass_opcode(sass_of(t), opcode);
    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t x = trial_word(t, b, 0, l), got = t->h->warp.r[d->reg][l];

        x = x >> (b->suffix_value ? 16 : 0) & 0xffff;
        if (b->flags & SASS_ABSOLUTE)
            x &= 0x7fff;
        if (b->flags & SASS_NEGATE)
            x ^= 0x8000;
        out->d[0][l] =
            is_near_half(is_tanh, strstr(opcode, ".BF16") != NULL, x, got)
                ? got
                : ~got;
    }
    out->words = 1;
    return 1;
}

/* Compares; what is there is what is expected then. */
static int mufu(struct trial *t, uint32_t mask, struct moved *out)
{
    const struct teg_sass_operand *b = teg_sass_operand(sass_of(t), 'b');
    const struct teg_sass_operand *d = trial_target(t, 'd');
    const char *name = mufu_name(t);
    char opcode[TEG_SASS_TEXT];

    (void)mask;
    if (d == NULL)
        return 0;
    teg_sass_opcode(sass_of(t), opcode);
    if (strstr(opcode, "F16") != NULL)
        return mufu_of_half(t, out);
    for (unsigned l = 0; l < EMU_LANES; l++) {
        uint32_t x = trial_word(t, b, 0, l), got = t->h->warp.r[d->reg][l];
        int ok;

        if (b->flags & SASS_ABSOLUTE)
            x &= 0x7fffffff;
        if (b->flags & SASS_NEGATE)
            x ^= 0x80000000;
        ok = name != NULL
                 ? is_near(name, float_of_bits(x), float_of_bits(got))
                 : is_near_upper(has_text(t, "mufu", "RSQ64H"), x, got);
        out->d[0][l] = ok ? got : ~got;
    }
    out->words = 1;
    return 1;
}

/* ---- trials ----------------------------------------------------------------------- */

static const struct {
    const char *name;
    mover of;
    int whole, after; /* all lanes; looks at what is there */
} movers[] = {
    {"P2R", p2r, 0, 0},     {"R2P", r2p, 0, 0},   {"UP2UR", p2r, 1, 0},
    {"UR2UP", ur2up, 1, 0}, {"MOVM", movm, 1, 0}, {"R2UR", r2ur, 1, 0},
    {"ELECT", elect, 0, 0}, {"S2R", s2r, 0, 0},   {"S2UR", s2r, 0, 0},
    {"CS2R", s2r, 0, 0},    {"CS2UR", s2r, 0, 0}, {"QSPC", qspc, 0, 0},
    {"MUFU", mufu, 0, 1},
};

static void check_moved(struct trial *t, uint32_t mask,
                        const struct moved *want)
{
    const struct teg_sass_operand *d = trial_target(t, 'd');
    unsigned row = d == NULL                 ? 0
                   : d->kind == SASS_UNIFORM ? EMU_UNIFORM_ROW + d->reg
                                             : d->reg;

    for (unsigned l = 0; l < EMU_LANES; l++) {
        struct reference_in in = trial_inputs(t, l);

        if (!(mask >> l & 1)) {
            trial_check_lane_off(t, l);
            continue;
        }
        for (unsigned i = 0; d != NULL && i < want->words; i++) {
            if (t->h->warp.r[row + i][l] != want->d[i][l])
                trial_complain(t, &in, "D", t->h->warp.r[row + i][l],
                               want->d[i][l]);
        }
        if (want->has_u && trial_target(t, 'u') != NULL)
            trial_check_predicate(t, &in, 'u', (int)(want->u >> l & 1), l);
        for (unsigned i = 0; want->has_all && i < 7; i++) {
            if ((t->h->warp.p[i] ^ want->p[i]) >> l & 1)
                trial_complain(t, &in, "a predicate", t->h->warp.p[i],
                               want->p[i]);
        }
        for (unsigned i = 0; want->has_all_uniform && i < 7; i++) {
            if (t->h->warp.up[i] != want->up[i])
                trial_complain(t, &in, "a uniform predicate", t->h->warp.up[i],
                               want->up[i]);
        }
    }
}

/* Predicates that there are, no other result of QSPC: the rest is refused. */
static void suit_word(struct trial *t, const char *name)
{
    const char *number = "63:32", *d = "23:16";

    if (help_below(&t->random, 8) == 0)
        return;
    if (strcmp(name, "QSPC") == 0)
        sass_put_bits(t->word, &d, TEG_SASS_RZ);
    else if (strcmp(name, "P2R") == 0 || strcmp(name, "UP2UR") == 0 ||
             ((strcmp(name, "R2P") == 0 || strcmp(name, "UR2UP") == 0) &&
              t->word[0] >> 32 != 0xff))
        sass_put_bits(t->word, &number, help_below(&t->random, 0x80));
}

static void try_word(struct trial *t, unsigned which, unsigned g)
{
    static const uint32_t masks[] = {EMU_ALL, 0x5a0ff0c1, 0x00010000};

    for (unsigned i = 0; i < 2 * 3; i++) {
        uint32_t mask = movers[which].whole ? EMU_ALL : masks[i / 2];
        struct moved want = {0};
        struct tally *tally;
        int is_known;

        if (!help_single_prepare(t->h, t->word, t->cc, i % 2 != 0))
            return;
        tally = trial_tally(sass_of(t)->name);
        teg_sass_text(sass_of(t), t->text);
        is_known = movers[which].after || movers[which].of(t, mask, &want);
        trial_restore(t);
        if (help_single_run(t->h, mask) != TEG_OK) {
            tally->of[g].refused++;
            return;
        }
        if (movers[which].after)
            is_known = movers[which].of(t, mask, &want);
        tally->of[g].forms++;
        if (!is_known) {
            tally->of[g].without++;
            continue;
        }
        check_moved(t, mask, &want);
        tally->of[g].checked += (unsigned long)__builtin_popcount(mask);
    }
}

START_TEST(words_are_moved_as_the_reference_says)
{
    static struct trial t;
    size_t count;
    const struct sass_row *row = sass_rows(&count);

    trial_open(&t, help_generations[_i],
               0xd1342543de82ef95u ^ help_generations[_i]);
    for (size_t r = 0; r < count; r++) {
        for (unsigned w = 0; w < sizeof movers / sizeof movers[0]; w++) {
            for (unsigned form = 0; form < 16; form++) {
                if (!(row[r].forms >> form & 1) || t.cc < row[r].first ||
                    t.cc > row[r].last || strcmp(row[r].name, movers[w].name))
                    continue;
                for (unsigned n = 0; n < HELP_ROUNDS(4 * trial_count()); n++) {
                    trial_draw(&t, &row[r], form);
                    suit_word(&t, row[r].name);
                    if (!sass_row_fits(&row[r], t.word, t.cc))
                        continue;
                    trial_fill(&t);
                    try_word(&t, w, (unsigned)_i);
                }
            }
        }
    }
    trial_close(&t);
    trial_report(t.cc, (unsigned)_i);
    ck_assert_uint_eq(t.wrong, 0);
}
END_TEST

HELP_MAIN("emulate reference moves", 1800,
          {words_are_moved_as_the_reference_says, HELP_DECODED})
