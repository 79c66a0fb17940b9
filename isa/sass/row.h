/*
 * Inside the SASS decoder: the rows of sass_rows.def and sass_kinds.def, and
 * walks over their little languages.  sass_rows.def explains both.
 */
#ifndef TEG_ISA_SASS_ROW_H
#define TEG_ISA_SASS_ROW_H

#include "isa/sass/sass.h"

/* Operand forms: bits 11:9 of the word, bit 91 on top. */
enum {
    FORM_RRR = 1 << 1,
    FORM_RRI = 1 << 2,
    FORM_RRC = 1 << 3,
    FORM_RIR = 1 << 4,
    FORM_RCR = 1 << 5,
    FORM_UUU = 1 << 9,
    FORM_UUI = 1 << 10,
    FORM_UIU = 1 << 12,
    FORM_RUR = 1 << 14,
    FORM_RRU = 1 << 15,
};

/* What the form says of the operands. */
enum {
    FORMS_C = FORM_RRI | FORM_RRC | FORM_RRU | FORM_UUI, /* third in 63:32 */
    FORMS_IMMEDIATE = FORM_RRI | FORM_RIR | FORM_UUI | FORM_UIU,
    FORMS_CONSTANT = FORM_RRC | FORM_RCR,
    FORMS_UR = FORM_RUR | FORM_RRU,
    FORMS_UNIFORM = FORM_UUU | FORM_UUI | FORM_UIU,
};

/* Where a register's modifiers stand: they belong to the slot of the word,
 * not to the operand's letter. */
struct sass_slot {
    const char *reg, *ureg, *negate, *absolute, *reuse;
    const char *half_negate, *half_absolute, *select;
};

enum {
    SLOT_A,
    SLOT_B,
    SLOT_C,
    SLOT_D,
    SLOT_E, /* metadata of sparse matrices, handles of textures */
    SLOT_F, /* further handles, scales of matrices */
    SLOT_G,
    SLOT_H,
};

extern const struct sass_slot sass_slots[];

/* The slot of a letter in a row's list ("abcdefgh", o, t, w), and whether an
 * operand there is written. */
unsigned sass_slot_of(char letter, int *is_written);

/* Signs before an operand in a row's list. */
enum {
    MARK_NEGATE = 1,
    MARK_ABSOLUTE = 2,
    MARK_INVERT = 4,
    MARK_HALF = 8,
    MARK_HALF_BITS = 16, /* bits as for halves, whole register */
    MARK_INVERTED = 32,  /* by the form */
    MARK_NO_REUSE = 64,  /* the bit of the hint means something else */
};

/* The marks at `*at`, which moves behind them. */
unsigned sass_marks(const char **at);
/* Bit of the operand cache's hint for an operand by form; NULL: it has none. */
const char *sass_reuse_bit(char letter);

/* Bits of the predicate with that letter; `negate` NULL: it is written. */
struct sass_predicate {
    char letter;
    const char *reg, *negate;
};
const struct sass_predicate *sass_predicate_of(char letter);

/* The bits of a uniform register for those a row lists, six of them up to
 * sm_90: two more on top follow from sm_100 on. */
const char *sass_uniform_bits(const char *list, uint32_t cc);

/* Bits of a branch target by the letter behind its 't': words of 4 bytes from
 * the next instruction, bytes for 'm'. */
const char *sass_target_bits(char how, uint32_t cc);

/* What an address that is a descriptor alone is printed as, by the letter of
 * its part: "gdesc", its uniform registers in `*count`; NULL: another part. */
const char *sass_descriptor(char part, uint8_t *count);

/* Bits of the offset of an indexed constant by its letter: n, k, K, C. */
const char *sass_offset_bits(char how);

/* Unit of the offsets that a row lists as 'O', bytes. */
enum {
    SASS_FAR = 32,
};

/* Shift of an address's register by the value of its field. */
extern const uint8_t sass_shifts[4];

struct sass_row {
    uint16_t base;  /* bits 8:0 of the word */
    uint16_t forms; /* FORM_* that exist */
    uint8_t first, last;
    const char *name, *modifiers, *operands;
};

struct sass_kind {
    const char *name;
    size_t length;      /* of the name */
    const char *values; /* "RN|RM|RP": text of value 0, 1, ... */
};

const struct sass_row *sass_rows(size_t *count);
const struct sass_kind *sass_kinds(size_t *count);
/* Index of the table of that name; there must be one. */
uint8_t sass_kind_find(const char *name, size_t length);
/* Text of value `v` of a table, its length in `*length`; NULL: none. */
const char *sass_kind_text(uint8_t table, uint32_t v, size_t *length);
/* The same of a named operand: some special registers depend on the
 * generation. */
const char *sass_named_text(uint8_t table, uint32_t v, uint32_t cc,
                            size_t *length);

/* The bits named at `*at` ("78:75", "86:85,75"; high ones first) of the word;
 * moves `*at` behind them. */
uint64_t sass_bits(const uint64_t word[2], const char **at);
/* Puts the low bits of `v` into the bits named at `*at`. */
void sass_put_bits(uint64_t word[2], const char **at, uint64_t v);
/* Sets all bits named at `*at`. */
void sass_add_bits(uint64_t word[2], const char **at);
/* How many bits the list at `at` names. */
unsigned sass_bits_count(const char *at);

/* FORM_* of the row that a generation has. */
unsigned sass_forms_of(const struct sass_row *row, uint32_t cc);

/* True if `row` has the word's form and conditions and holds for `cc`. */
int sass_row_fits(const struct sass_row *row, const uint64_t word[2],
                  uint32_t cc);

/* A word of that row and form: its base, the form, the values its conditions
 * demand; all other bits 0. */
void sass_row_word(const struct sass_row *row, unsigned form, uint64_t word[2]);

/* Sets all bits that the row's conditions are about. */
void sass_row_add_conditions(const struct sass_row *row, uint64_t word[2]);

/* Steps through a row's modifier list: conditions ("80=1") are passed over.
 * Returns 0 at its end. */
struct sass_token {
    const char *text; /* ".HI", or the table's name */
    size_t length;
    const char *bits; /* NULL for a literal */
};
int sass_token_next(const char **at, struct sass_token *token);

#endif
