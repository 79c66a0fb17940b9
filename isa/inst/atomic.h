/*
 * What an atomic does to its word, as far as its time depends on it.
 */
#ifndef TEG_ISA_INST_ATOMIC_H
#define TEG_ISA_INST_ATOMIC_H

enum teg_atomic {
    ATOMIC_UNKNOWN, /* not looked at: as ATOMIC_INTEGER */
    ATOMIC_INTEGER, /* adds, compares, exchanges, combines bits */
    ATOMIC_FLOAT,   /* adds or compares numbers of a floating type but: */
    ATOMIC_DOUBLE,  /* of 64 bits; vectors of smaller ones are as wide */
    ATOMIC_COUNT,   /* adds how many lanes want the word: all of them at once */
};

/* Of an atomic's text, "RED.E.ADD.F32.FTZ.RN.STRONG.GPU [R2], R5". */
enum teg_atomic teg_atomic_of(const char *text);

#endif
