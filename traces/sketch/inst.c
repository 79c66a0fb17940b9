/*
 * Instruction lines of a kernel sketch:
 *
 *   [@guard] OPCODE [operand, ...] [;] [{control}]
 *
 * Which operands are results follows from their place, as in a disassembly
 * listing: none for stores, branches and barriers, else the first register
 * and the predicates beside it.
 */
#include "traces/sketch/parse.h"

#include "isa/inst/opcode.h"

#include <stdio.h>
#include <string.h>

enum {
    OPERANDS_MAX = 16,
    NO_REGISTER = -2, /* as teg_register_parse says */
    ISA_LONG = 70,    /* instructions of 16 bytes from here on */
};

enum operand_kind {
    OPERAND_REGISTER,
    OPERAND_PREDICATE,
    OPERAND_BIT_BUCKET, /* o[0x7f]: a result that goes nowhere */
    OPERAND_OTHER,      /* immediate, special register, label */
    OPERAND_SHARED,     /* g[...] */
    OPERAND_MEMORY,
};

struct operand {
    uint8_t kind;      /* enum operand_kind */
    int number;        /* register, -1 for one without dependences */
    uint32_t from, to; /* its registers in brackets, of `source` */
};

struct line {
    uint32_t number; /* of the line */
    struct teg_inst inst;
    char opcode[SKETCH_WORD_MAX + 1];
    struct operand operand[OPERANDS_MAX];
    uint32_t operands;
    uint16_t source[OPERANDS_MAX]; /* the guard's, those inside brackets */
    uint32_t sources;
    uint32_t guards; /* 1 if the guard has a register, source[0] */
    struct teg_operands registers;
    uint32_t guard, address;
};

/* --- registers --- */

/* The register a word names: "R2.reuse" and "R2.64" are R2.  NO_REGISTER if
 * it names none. */
static int register_number(const char *word)
{
    return teg_register_parse(word, strcspn(word, "."));
}

/* True for "R300" or "P9": meant as a register, but none. */
static int looks_like_register(const char *word)
{
    static const char *const KINDS[] = {"R", "P", "UR", "UP", "A", "C"};

    for (size_t i = 0; i < sizeof KINDS / sizeof *KINDS; i++) {
        size_t n = strlen(KINDS[i]);

        if (strncmp(word, KINDS[i], n) == 0 && word[n] >= '0' && word[n] <= '9')
            return 1;
    }
    return 0;
}

static int is_predicate(const char *word)
{
    return word[0] == 'P' || (word[0] == 'U' && word[1] == 'P');
}

/* Consumes R{expression}; `word` becomes the register's name. */
static teg_status parse_computed(struct sketch_parser *p, char *word)
{
    int keeping = p->keeping;
    int64_t number;
    size_t length;

    if (keeping && !sketch_peek(p)->glued)
        sketch_keep(p, " ", 1);
    p->keeping = 0;
    sketch_advance(p);
    sketch_advance(p);
    TRY(sketch_parse_const(p, "a register's number", 0, 254, &number));
    TRY(sketch_expect_sign(p, '}', "} behind the register's number"));
    p->keeping = keeping;
    length = strlen(word);
    snprintf(word + length, SKETCH_WORD_MAX + 1 - length, "%d", (int)number);
    if (keeping)
        sketch_keep(p, word, strlen(word));
    return TEG_OK;
}

/* Consumes a word, or a computed register, into `word`. */
static teg_status parse_word(struct sketch_parser *p,
                             char word[SKETCH_WORD_MAX + 1])
{
    const struct sketch_token *next = sketch_peek_next(p);

    sketch_word(p, sketch_peek(p), word);
    if (sketch_is_sign(next, '{') && next->glued)
        return parse_computed(p, word);
    sketch_advance(p);
    return TEG_OK;
}

static teg_status bad_register(const struct sketch_parser *p,
                               const struct line *l, const char *word)
{
    return sketch_fail(p, l->number,
                       "expected a register that exists (R0..R254, P0..P6, "
                       "UR0..UR254, UP0..UP6, A1..A4, C0..C3), found '%s'",
                       word);
}

static teg_status add_source(struct sketch_parser *p, struct line *l,
                             int number)
{
    if (l->sources == OPERANDS_MAX)
        return sketch_fail(p, l->number,
                           "expected at most %d registers in brackets",
                           OPERANDS_MAX);
    l->source[l->sources++] = number < 0 ? TEG_OPERAND_ZERO : (uint16_t)number;
    return TEG_OK;
}

/* --- memory operands --- */

/* Names that stand before a bracket. */
static const struct bracket_name {
    const char *text;
    uint8_t kind;      /* of the operand */
    uint8_t addressed; /* its bracket may hold an address expression */
} BRACKET_NAMES[] = {
    {"", OPERAND_MEMORY, 1},       {"g", OPERAND_SHARED, 1},
    {"global", OPERAND_MEMORY, 1}, {"local", OPERAND_MEMORY, 1},
    {"shared", OPERAND_MEMORY, 1}, {"desc", OPERAND_MEMORY, 0},
    {"c", OPERAND_OTHER, 0},       {"cx", OPERAND_OTHER, 0},
    {"const", OPERAND_OTHER, 0},   {"o", OPERAND_BIT_BUCKET, 0},
    {"gdesc", OPERAND_OTHER, 0},
};

/* GT200 listings number their windows: "global14" is "global". */
static const struct bracket_name *find_bracket(const char *word)
{
    size_t length = strlen(word);

    while (length > 1 && word[length - 1] >= '0' && word[length - 1] <= '9')
        length--;
    for (size_t i = 0; i < sizeof BRACKET_NAMES / sizeof *BRACKET_NAMES; i++)
        if (strlen(BRACKET_NAMES[i].text) == length &&
            strncmp(BRACKET_NAMES[i].text, word, length) == 0)
            return &BRACKET_NAMES[i];
    return NULL;
}

/* True if the next token is a register; `number` is which. */
static int next_is_register(const struct sketch_parser *p, int *number)
{
    char word[SKETCH_WORD_MAX + 1];
    const struct sketch_token *next = sketch_peek_next(p);

    *number = NO_REGISTER;
    if (sketch_peek(p)->kind != TOKEN_WORD)
        return 0;
    sketch_word(p, sketch_peek(p), word);
    if (sketch_is_sign(next, '{') && next->glued)
        return 1;
    *number = register_number(word);
    return *number != NO_REGISTER || looks_like_register(word);
}

/* R2.64+UR4+0x10: the registers an address is made of. */
static teg_status parse_address_registers(struct sketch_parser *p,
                                          struct line *l)
{
    char word[SKETCH_WORD_MAX + 1];
    int number;

    do {
        while (sketch_take_sign(p, '-') || sketch_take_sign(p, '+'))
            continue;
        if (sketch_peek(p)->kind == TOKEN_NUMBER) {
            sketch_advance(p);
            continue;
        }
        if (!next_is_register(p, &number))
            return sketch_expected(p, "a register or a number");
        TRY(parse_word(p, word));
        number = register_number(word);
        if (number == NO_REGISTER)
            return bad_register(p, l, word);
        TRY(add_source(p, l, number));
    } while (sketch_take_sign(p, '+') || sketch_is_sign(sketch_peek(p), '-'));
    return TEG_OK;
}

static teg_status parse_address(struct sketch_parser *p, struct line *l)
{
    if (l->address != SKETCH_NONE)
        return sketch_expected(p, "at most one address in an instruction");
    return sketch_parse_expr(p, &l->address);
}

/* [R2 : expression], [expression], [R2] */
static teg_status parse_bracket(struct sketch_parser *p, struct line *l,
                                int addressed)
{
    int number, registers;

    TRY(sketch_expect_sign(p, '[', "["));
    registers = next_is_register(p, &number);
    if (registers || !addressed)
        TRY(parse_address_registers(p, l));
    if (addressed ? !registers || sketch_take_sign(p, ':')
                  : l->inst.op_class == CLASS_LDC && sketch_take_sign(p, ':'))
        TRY(parse_address(p, l));
    return sketch_expect_sign(p, ']',
                              registers && addressed
                                  ? "] or : before the address expression"
                                  : "] behind the address");
}

/* Traces keep constant banks 4 GB apart. */
static teg_status add_bank(struct sketch_parser *p, struct line *l, int bank)
{
    struct sketch_exprs *e = &p->plan->exprs;
    uint32_t base;

    TRY(sketch_exprs_const(e, bank * (1ll << 32), &base, p->d));
    return sketch_exprs_binary(e, (struct sketch_origin){p->name, l->number},
                               OP_ADD, l->address, base, &l->address, p->d);
}

static teg_status parse_memory(struct sketch_parser *p, struct line *l,
                               const struct bracket_name *name)
{
    struct operand *o = &l->operand[l->operands - 1];
    int bank = (int)sketch_peek_next(p)->number & 31;

    o->kind = name->kind;
    o->from = l->sources;
    TRY(parse_bracket(p, l, name->addressed));
    /* c[bank][offset] and desc[UR4][R2 : expression] have two. */
    if (sketch_is_sign(sketch_peek(p), '['))
        TRY(parse_bracket(p, l, o->kind == OPERAND_MEMORY));
    o->to = l->sources;
    if (o->kind == OPERAND_OTHER && l->address != SKETCH_NONE)
        return add_bank(p, l, bank);
    return TEG_OK;
}

/* --- other operands --- */

static int takes_labels(const struct teg_inst *inst)
{
    return (inst->flags & INST_BRANCH) != 0 ||
           teg_op_class_is_branch(inst->op_class);
}

/* Words that are neither registers nor names: special registers, convergence
 * and dependence barriers, infinities, the comparisons of GT200. */
static int is_other_word(const char *word)
{
    static const char *const PREFIXES[] = {
        "SR", "SB", "INF", "QNAN", "NAN", "PR", "UPR",
        ".",  "LT", "LE",  "GT",   "GE",  "EQ", "NE",
    };

    for (size_t i = 0; i < sizeof PREFIXES / sizeof *PREFIXES; i++)
        if (strncmp(word, PREFIXES[i], strlen(PREFIXES[i])) == 0)
            return 1;
    return (word[0] == 'B' || word[0] == 'b') && word[1] >= '0' &&
           word[1] <= '9';
}

static teg_status parse_word_operand(struct sketch_parser *p, struct line *l)
{
    struct operand *o = &l->operand[l->operands - 1];
    const struct sketch_token *t = sketch_peek(p);
    int known = sketch_is_known(p, t) || takes_labels(&l->inst);
    const struct bracket_name *bracket;
    char word[SKETCH_WORD_MAX + 1];

    if (sketch_is_sign(sketch_peek_next(p), '[')) {
        bracket = find_bracket(sketch_word(p, t, word));
        if (bracket == NULL)
            return sketch_expected(p, "g, c, global, local, shared, desc, "
                                      "gdesc or o before [");
        sketch_advance(p);
        return parse_memory(p, l, bracket);
    }
    TRY(parse_word(p, word));
    o->number = register_number(word);
    if (o->number != NO_REGISTER) {
        o->kind = is_predicate(word) ? OPERAND_PREDICATE : OPERAND_REGISTER;
        if (o->number < 0 && o->kind == OPERAND_REGISTER)
            o->number = TEG_OPERAND_ZERO; /* keeps its place */
        return TEG_OK;
    }
    if (looks_like_register(word))
        return bad_register(p, l, word);
    if (!known && !is_other_word(word))
        return sketch_fail(p, l->number,
                           "expected an operand (register, number, [address], "
                           "g[address] or c[bank][offset]), found '%s'",
                           word);
    return TEG_OK;
}

static teg_status parse_operand(struct sketch_parser *p, struct line *l)
{
    const struct sketch_token *t;

    if (l->operands == OPERANDS_MAX)
        return sketch_fail(p, l->number, "expected at most %d operands",
                           OPERANDS_MAX);
    l->operand[l->operands++] =
        (struct operand){.kind = OPERAND_OTHER, .number = NO_REGISTER};
    while (sketch_take_sign(p, '-') || sketch_take_sign(p, '+') ||
           sketch_take_sign(p, '~') || sketch_take_sign(p, '!') ||
           sketch_take_sign(p, '|'))
        continue;
    t = sketch_peek(p);
    if (t->kind == TOKEN_NUMBER || t->kind == TOKEN_REAL) {
        sketch_advance(p);
    } else if (sketch_is_sign(t, '[')) {
        TRY(parse_memory(p, l, find_bracket("")));
    } else if (sketch_take_sign(p, '`')) { /* `(.L_1) */
        TRY(sketch_expect_sign(p, '(', "( before the label"));
        sketch_advance(p);
        TRY(sketch_expect_sign(p, ')', ") behind the label"));
    } else if (t->kind == TOKEN_WORD) {
        TRY(parse_word_operand(p, l));
    } else {
        return sketch_expected(p, "an operand");
    }
    sketch_take_sign(p, '|');
    return TEG_OK;
}

static int ends_operands(const struct sketch_parser *p)
{
    const struct sketch_token *t = sketch_peek(p);

    return t->kind == TOKEN_LINE || t->kind == TOKEN_END ||
           sketch_is_sign(t, ';') || sketch_is_sign(t, '{');
}

static teg_status parse_operands(struct sketch_parser *p, struct line *l)
{
    if (ends_operands(p))
        return TEG_OK;
    do
        TRY(parse_operand(p, l));
    while (sketch_take_sign(p, ','));
    if (!ends_operands(p))
        return sketch_expected(p, "a comma or the end of the line");
    return TEG_OK;
}

/* --- guard and control codes --- */

/* @P0, @!P0, @P0 {expression}, @{expression}, @expression */
static teg_status parse_guard(struct sketch_parser *p, struct line *l)
{
    int number, braces;

    if (!sketch_take_sign(p, '@'))
        return TEG_OK;
    if (sketch_is_sign(sketch_peek(p), '!')) {
        p->at++;
        if (!next_is_register(p, &number))
            p->at--;
    }
    if (next_is_register(p, &number)) {
        char word[SKETCH_WORD_MAX + 1];

        TRY(parse_word(p, word));
        number = register_number(word);
        if (number == NO_REGISTER)
            return bad_register(p, l, word);
        TRY(add_source(p, l, number));
        l->guards = 1;
        if (!sketch_is_sign(sketch_peek(p), '{'))
            return TEG_OK;
    }
    braces = sketch_take_sign(p, '{');
    TRY(sketch_parse_expr(p, &l->guard));
    return braces ? sketch_expect_sign(p, '}', "} behind the guard") : TEG_OK;
}

static teg_status parse_small(struct sketch_parser *p, uint8_t max,
                              const char *what, uint8_t *value)
{
    int64_t number;

    TRY(sketch_expect_sign(p, '=', "="));
    TRY(sketch_parse_const(p, what, 0, max, &number));
    *value = (uint8_t)number;
    return TEG_OK;
}

static teg_status parse_control_entry(struct sketch_parser *p,
                                      struct teg_control *c)
{
    uint8_t bit;

    if (sketch_take_word(p, "stall"))
        return parse_small(p, 15, "stall", &c->stall);
    if (sketch_take_word(p, "wr"))
        return parse_small(p, 5, "a dependence barrier", &c->write_barrier);
    if (sketch_take_word(p, "rd"))
        return parse_small(p, 5, "a dependence barrier", &c->read_barrier);
    if (sketch_take_word(p, "yield")) {
        c->yield = 1;
        return TEG_OK;
    }
    if (!sketch_is_word(p, sketch_peek(p), "wait"))
        return sketch_expected(p, "stall, wait, wr, rd, yield or }");
    do { /* the word first, then the commas */
        sketch_advance(p);
        if (sketch_is_sign(sketch_peek(p), '=')) {
            TRY(parse_small(p, 5, "a dependence barrier", &bit));
        } else {
            int64_t number;

            TRY(sketch_parse_const(p, "a dependence barrier", 0, 5, &number));
            bit = (uint8_t)number;
        }
        c->wait_mask |= (uint8_t)(1u << bit);
    } while (sketch_is_sign(sketch_peek(p), ','));
    return TEG_OK;
}

/* {stall=4 wait=0,1 wr=0 rd=1 yield} */
static teg_status parse_control(struct sketch_parser *p, struct line *l)
{
    if (!sketch_take_sign(p, '{'))
        return TEG_OK;
    l->inst.control =
        (struct teg_control){.known = 1, .write_barrier = 7, .read_barrier = 7};
    while (!sketch_take_sign(p, '}'))
        TRY(parse_control_entry(p, &l->inst.control));
    return TEG_OK;
}

/* --- from operands to an instruction --- */

static int starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Comparisons and the like: predicates are their only results. */
static int only_sets_predicates(const char *opcode)
{
    static const char *const OPCODES[] = {"PLOP3", "UPLOP3", "FCHK", "R2P"};
    size_t length = strcspn(opcode, ".");

    for (size_t i = 0; i < sizeof OPCODES / sizeof *OPCODES; i++)
        if (starts_with(opcode, OPCODES[i]))
            return 1;
    return length > 4 && starts_with(opcode + length - 4, "SETP");
}

static int has_no_result(const struct line *l)
{
    static const uint8_t CLASSES[TEG_CLASSES] = {
        [CLASS_BRANCH] = 1,  [CLASS_CONVERGE] = 1, [CLASS_EXIT] = 1,
        [CLASS_BARRIER] = 1, [CLASS_NOP] = 1,      [CLASS_MEMBAR] = 1};

    return CLASSES[l->inst.op_class] ||
           ((l->inst.flags & INST_STORE) != 0 &&
            (l->inst.flags & (INST_ATOMIC | INST_LOAD)) == 0) ||
           l->operands == 0 || l->operand[0].kind >= OPERAND_OTHER;
}

static uint32_t skip_predicates(const struct line *l, uint32_t from,
                                uint32_t most)
{
    uint32_t n = from;

    while (n < l->operands && n < from + most &&
           l->operand[n].kind == OPERAND_PREDICATE)
        n++;
    return n;
}

/* How many of the operands, from the first on, are results. */
static uint32_t count_results(const struct line *l)
{
    uint32_t n;

    if (has_no_result(l))
        return 0;
    if (l->operand[0].kind != OPERAND_PREDICATE)
        return skip_predicates(l, 1, starts_with(l->opcode, "VOTE") ? 1 : 2);
    n = skip_predicates(l, 0, 2);
    if (only_sets_predicates(l->opcode))
        return n;
    return n + (n < l->operands && l->operand[n].kind == OPERAND_REGISTER);
}

static teg_status add_register(struct sketch_parser *p, const struct line *l,
                               uint16_t list[16], uint8_t *count, int number)
{
    if (number < 0)
        return TEG_OK;
    if (*count == 16)
        return sketch_fail(p, l->number, "expected at most 16 registers");
    list[(*count)++] = (uint16_t)number;
    return TEG_OK;
}

/* ".C0": GT200 writes a condition code beside the result. */
static int condition_code(const char *opcode)
{
    for (const char *dot = strchr(opcode, '.'); dot != NULL;
         dot = strchr(dot + 1, '.'))
        if (dot[1] == 'C' && dot[2] >= '0' && dot[2] <= '3' &&
            (dot[3] == '\0' || dot[3] == '.'))
            return TEG_REG_C + dot[2] - '0';
    return NO_REGISTER;
}

/* The register an address begins with: the first vector register of the
 * brackets, else their first one.  `from` < `to`. */
static uint32_t first_of_address(const struct line *l, const struct operand *o)
{
    for (uint32_t i = o->from; i < o->to; i++)
        if (l->source[i] < TEG_REG_P)
            return i;
    return o->from;
}

/* Sorts the registers into results and sources.  Of the registers in brackets
 * only the first has a place among the operands, from which its width follows;
 * the rest is added by add_other_sources. */
static teg_status sort_registers(struct sketch_parser *p, struct line *l)
{
    struct teg_operands *r = &l->registers;
    uint32_t results = count_results(l);

    TRY(add_register(p, l, r->dst, &r->dst_count, condition_code(l->opcode)));
    for (uint32_t i = 0; i < l->operands; i++) {
        const struct operand *o = &l->operand[i];

        if (i < results)
            TRY(add_register(p, l, r->dst, &r->dst_count, o->number));
        else if (o->from == o->to)
            TRY(add_register(p, l, r->src, &r->src_count, o->number));
        else
            TRY(add_register(p, l, r->src, &r->src_count,
                             l->source[first_of_address(l, o)]));
    }
    if (l->guards != 0)
        TRY(add_register(p, l, r->src, &r->src_count, l->source[0]));
    return TEG_OK;
}

static int is_source(const struct teg_inst *inst, uint16_t number)
{
    for (uint32_t i = 0; i < inst->src_count; i++)
        if (number >= inst->src[i].first &&
            number < inst->src[i].first + inst->src[i].count)
            return 1;
    return 0;
}

static teg_status add_other_sources(struct sketch_parser *p, struct line *l)
{
    struct teg_inst *inst = &l->inst;

    for (uint32_t i = l->guards; i < l->sources; i++) {
        if (l->source[i] == TEG_OPERAND_ZERO || is_source(inst, l->source[i]))
            continue;
        if (inst->src_count == TEG_INST_SRC_MAX)
            return sketch_fail(p, l->number, "expected at most %d sources",
                               TEG_INST_SRC_MAX);
        inst->src[inst->src_count++] = (struct teg_regs){l->source[i], 1};
    }
    return TEG_OK;
}

static int has_modifier(const char *opcode, const char *modifier)
{
    const char *found = strstr(opcode, modifier);

    return found != NULL &&
           (found[strlen(modifier)] == '\0' || found[strlen(modifier)] == '.');
}

/* GT200 arithmetic reads one operand from shared memory: g[...]. */
static void set_shared_operand(struct line *l)
{
    struct teg_inst *inst = &l->inst;
    int wide = inst->op_class == CLASS_DADD || inst->op_class == CLASS_DMUL ||
               inst->op_class == CLASS_DFMA || has_modifier(l->opcode, ".64") ||
               has_modifier(l->opcode, ".F64");

    inst->space = SPACE_SHARED;
    inst->width = wide ? 8 : 4;
    inst->flags |=
        l->operand[0].kind == OPERAND_SHARED ? INST_STORE : INST_OPERAND;
}

/* Settles what memory the instruction touches: its opcode says, or g[...]. */
static teg_status set_memory(struct sketch_parser *p, struct line *l)
{
    struct teg_inst *inst = &l->inst;
    int addressed = l->address != SKETCH_NONE;

    for (uint32_t i = 0; i < l->operands; i++)
        if (l->operand[i].kind == OPERAND_SHARED && inst->space == SPACE_NONE)
            set_shared_operand(l);
    if (addressed && inst->space == SPACE_NONE &&
        (inst->flags & INST_UNKNOWN) != 0) {
        inst->space = SPACE_GLOBAL;
        inst->width = 4;
        inst->flags |= has_no_result(l) ? INST_STORE : INST_LOAD;
    }
    if (addressed && inst->op_class == CLASS_LDC)
        inst->flags |= INST_INDEXED;
    if (teg_inst_has_addresses(inst) && !addressed)
        return sketch_fail(p, l->number,
                           "expected an address for %s ([expression] or "
                           "[register : expression]), found none",
                           l->opcode);
    if (!teg_inst_has_addresses(inst) && addressed)
        return sketch_fail(p, l->number,
                           "expected no address expression for %s, which "
                           "accesses no addressed memory",
                           l->opcode);
    return TEG_OK;
}

static teg_status parse_opcode(struct sketch_parser *p, struct line *l)
{
    const struct sketch_token *t = sketch_peek(p);

    if (t->kind != TOKEN_WORD || p->text[t->at] < 'A' || p->text[t->at] > 'Z')
        return sketch_expected(p, "an opcode in capitals");
    sketch_word(p, t, l->opcode);
    p->keeping = 1;
    p->kept_size = 0;
    sketch_advance(p);
    teg_inst_from_opcode(&l->inst, l->opcode, p->plan->kernel.isa,
                         &l->registers);
    return TEG_OK;
}

static teg_status add_inst(struct sketch_parser *p, struct line *l)
{
    struct teg_program *program = &p->plan->kernel.program;
    uint32_t size = p->plan->kernel.isa < ISA_LONG ? 8 : 16;
    struct sketch_step step = {.kind = STEP_INST,
                               .line = l->number,
                               .guard = l->guard,
                               .address = l->address};
    uint32_t index;

    if (p->dry)
        return TEG_OK;
    l->inst.pc = (uint64_t)program->count * size;
    l->inst.line = l->number;
    TRY(teg_program_add(program, &l->inst, p->kept, &step.inst, p->d));
    return sketch_plan_add(p->plan, &step, &index, p->d);
}

teg_status sketch_parse_inst(struct sketch_parser *p)
{
    struct line l = {.number = sketch_peek(p)->line,
                     .guard = SKETCH_NONE,
                     .address = SKETCH_NONE};
    struct teg_control control;

    TRY(parse_guard(p, &l));
    TRY(parse_opcode(p, &l));
    TRY(parse_operands(p, &l));
    p->keeping = 0;
    sketch_take_sign(p, ';');
    TRY(parse_control(p, &l));
    TRY(sort_registers(p, &l));
    control = l.inst.control;
    l.inst = (struct teg_inst){0};
    teg_inst_from_opcode(&l.inst, l.opcode, p->plan->kernel.isa, &l.registers);
    l.inst.control = control;
    TRY(add_other_sources(p, &l));
    TRY(set_memory(p, &l));
    TRY(add_inst(p, &l));
    return sketch_expect_line(p);
}
