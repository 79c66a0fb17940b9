/*
 * Code before Volta: words of 8 bytes, of which every fourth (Maxwell, Pascal)
 * or eighth (Kepler) is no instruction but tells the scheduler about those
 * behind it.  The control words are read; the instructions stay words.
 *
 * Sources: the wiki of maxas ("Control Codes", S. Gray) for Maxwell and Pascal;
 * envytools ("Notes about scheduling data and dual-issue on GK104+") and the
 * assembler KeplerAs (Zhang et al., PPoPP 2017) for Kepler.  Where the words
 * stand was held against NVIDIA's disassembler of CUDA 12.3 (docs/disasm.md).
 */
#ifndef TEG_ISA_SASS_OLDER_H
#define TEG_ISA_SASS_OLDER_H

#include <stdint.h>

#include "isa/inst/inst.h"

enum {
    TEG_OLDER_BYTES = 8, /* of a word */
    TEG_OLDER_TEXT = 48,
};

struct teg_older {
    uint64_t pc, word;
    int is_control; /* the word is no instruction */
    /* Of an instruction: */
    int has_control; /* else its generation has none, or the word that should
                        tell is none */
    int dual;        /* issued together with the next one */
    struct teg_control control; /* Maxwell, Pascal; of Kepler the stall alone */
    uint8_t reuse;  /* Maxwell, Pascal: operands 1 to 4 kept for the next one */
    uint8_t kepler; /* the byte of a Kepler */
};

/* True for the generations of which it is known where control words stand:
 * sm_20 and 21 (none), 30 to 37, 50 to 62. */
int teg_older_supports(uint32_t cc);

/* The word of `code` at `pc`, a multiple of 8; up to it the code is there. */
void teg_older_decode(struct teg_older *o, const uint8_t *code, uint64_t pc,
                      uint32_t cc);

/* How many words of `size` bytes of code are instructions. */
uint64_t teg_older_instructions(const uint8_t *code, uint64_t size,
                                uint32_t cc);

/* The control codes in a column as teg_control_text has it, and a D for dual
 * issue:
 *     Maxwell, Pascal  "B0----- R- W1 Y S04 - 1-3-", the last four reused operands
 *     Kepler           "28 S08 - --", the byte, cycles, dual issue, G (wait for
 *                      global memory) and T (textures), as KeplerAs names them
 *     "?" where nothing tells. */
void teg_older_control_text(const struct teg_older *o, uint32_t cc,
                            char out[TEG_OLDER_TEXT]);

#endif
