/*
 * SASS of Volta to Blackwell (sm_70 .. sm_121): from a 128-bit word to a decoded
 * instruction, its text as NVIDIA's disassembler prints it, and the static
 * instruction the timing model replays.
 *
 * What a word means is data: sass_rows.def has a row per operation and form,
 * sass_kinds.def the values of every modifier.  A word that fits no row is an
 * unknown instruction, never an error.
 */
#ifndef TEG_ISA_SASS_SASS_H
#define TEG_ISA_SASS_SASS_H

#include "isa/inst/inst.h"

enum {
    TEG_SASS_BYTES = 16, /* of an instruction */
    TEG_SASS_OPERANDS = 12,
    TEG_SASS_MODIFIERS = 10,
    TEG_SASS_TEXT = 192, /* room for any text, NUL included */
    TEG_SASS_RZ = 255,
    TEG_SASS_URZ = 255, /* whatever the generation's words have for it */
    TEG_SASS_PT = 7,
    TEG_SASS_NONE = 0xff, /* no such register in an address */
};

enum teg_sass_kind {
    SASS_REGISTER,  /* R: `reg`, `count` of them */
    SASS_UNIFORM,   /* UR */
    SASS_PREDICATE, /* P */
    SASS_UPREDICATE,
    SASS_IMMEDIATE, /* `value` */
    SASS_CONSTANT,  /* c[bank][value + index]; `reg` is the index register */
    SASS_ADDRESS,   /* [(reg << scale) + ureg + value] */
    SASS_TARGET,    /* branch target: `value` bytes from the kernel's start */
    SASS_NAMED,     /* special register, barrier, ...: `value` in a table */
    SASS_LITERAL,   /* text only */
};

enum teg_sass_flag {
    SASS_DST = 1 << 0,
    SASS_NEGATE = 1 << 1, /* -x; !p of a predicate */
    SASS_ABSOLUTE = 1 << 2,
    SASS_INVERT = 1 << 3,        /* ~x */
    SASS_REUSE = 1 << 4,         /* operand cache hint */
    SASS_HALF = 1 << 5,          /* two halves, chosen by `select` */
    SASS_WIDE = 1 << 6,          /* address: reg is a pair; printed ".64" */
    SASS_DESCRIPTOR = 1 << 7,    /* address: ureg describes memory and is not
                                 added */
    SASS_UNIFORM_INDEX = 1 << 8, /* constant: `reg` is a uniform register */
    SASS_OPTIONAL = 1 << 9,      /* not printed: says nothing */
    SASS_UR_FORM = 1 << 10,      /* address: form with a uniform register */
    SASS_INDEXED = 1 << 11,      /* constant with an index register */
    SASS_BLANK = 1 << 12,        /* a blank, not a comma, follows in print */
};

struct teg_sass_operand {
    uint8_t kind; /* enum teg_sass_kind */
    char role;    /* a, b, c, d: sources and destination by slot; u, v:
                     predicates written; p, q, r: read; m: address; 0: other */
    uint8_t reg, count;
    uint16_t flags; /* enum teg_sass_flag */
    uint8_t select; /* of halves: 0 both, 1 as float, 2 low, 3 high twice */
    uint8_t ureg;   /* of an address, TEG_SASS_NONE: none */
    uint8_t scale;  /* of an address's register: shift */
    uint8_t bank;   /* constant bank */
    char format;    /* immediate: x hex, s signed, u 64 bits, f float, d double,
                           h halves, m of MUFU, z signs of FSWZADD,
                           b set of scoreboards */
    uint8_t suffix; /* modifier table of `suffix_value`, 0: none */
    uint8_t suffix_value;
    uint8_t table;    /* SASS_NAMED: modifier table */
    const char *text; /* SASS_LITERAL; static, ends at '; what stands before
                         the brackets of an address without a register */
    int64_t value;
};

/* One modifier as the row's list has it. */
struct teg_sass_modifier {
    uint8_t table; /* row of sass_kinds.def */
    uint16_t value;
};

struct teg_sass {
    uint64_t pc; /* bytes from the kernel's start */
    uint64_t word[2];
    uint64_t named[2];     /* bits of `word` to which the row gives a meaning */
    const char *name;      /* "IMAD.WIDE" without modifiers; NULL: unknown */
    const char *modifiers; /* the row's list; static */
    uint8_t guard;         /* predicate, TEG_SASS_PT: always */
    uint8_t guard_negated, guard_uniform;
    uint8_t uncertain; /* a field holds a value no table names */
    uint8_t cc;        /* generation it was decoded for: 70 .. 121 */
    uint8_t operand_count, modifier_count;
    struct teg_sass_operand operand[TEG_SASS_OPERANDS];
    struct teg_sass_modifier modifier[TEG_SASS_MODIFIERS];
    struct teg_control control;
};

/* True for a generation whose words are decoded: 70, 72, 75, 80, 86, 87, 88,
 * 89, 90, 100, 103, 110, 120, 121. */
int teg_sass_supports(uint32_t cc);
/* All of them for people: "sm_70, 72 ... and 121". */
void teg_sass_generations(char out[TEG_SASS_TEXT]);

/* Decodes the 16 bytes at `bytes`.  Returns 1, or 0 if no row fits: then only
 * pc, word, guard and control are valid and `name` is NULL. */
int teg_sass_decode(struct teg_sass *s, const uint8_t *bytes, uint64_t pc,
                    uint32_t cc);

/* Reads the text of one instruction as teg_sass_text and NVIDIA's disassembler
 * print it, up to its ';' (blanks do not count).  Returns 1, or 0 if no row
 * prints so: then `name` is NULL.  The word holds what the text says; the rest
 * is 0: control codes, which are not known then, and descriptors and bits of
 * not-a-numbers that are not printed. */
int teg_sass_read(struct teg_sass *s, const char *text, uint64_t pc,
                  uint32_t cc);

/* True if all of the word is understood: no field holds a value that nobody has
 * named, and bits without a meaning are 0 or what an operand that is not there
 * leaves: RZ, URZ, PT, !PT. */
int teg_sass_is_understood(const struct teg_sass *s);

/* Puts `address` into a call's word as its target. */
void teg_sass_set_target(uint8_t bytes[TEG_SASS_BYTES], uint64_t address,
                         uint32_t cc);

/* The operand of that role, NULL if the operation has none. */
const struct teg_sass_operand *teg_sass_operand(const struct teg_sass *s,
                                                char role);
/* Value of the modifier of that table ("rnd"), or -1. */
int teg_sass_modifier(const struct teg_sass *s, const char *table);

/* Mnemonic with its modifiers, "IMAD.WIDE.U32". */
void teg_sass_opcode(const struct teg_sass *s, char out[TEG_SASS_TEXT]);
/* The whole instruction, "@!P0 IMAD.WIDE.U32 R2, R5.reuse, R4, R2 ;". */
void teg_sass_text(const struct teg_sass *s, char out[TEG_SASS_TEXT]);
/* Control codes in a readable column, "B0----- R- W2 Y S04": waits for,
 * releases after reading, after writing, yields, stalls. */
void teg_control_text(const struct teg_control *c, char out[32]);

/* The static instruction for timing: class, space, width and flags from the
 * table of all generations (opcode.def), registers as the word names them. */
void teg_sass_inst(const struct teg_sass *s, struct teg_inst *inst);

#endif
