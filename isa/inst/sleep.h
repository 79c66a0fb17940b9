/*
 * Instructions that have their warp sleep: NANOSLEEP.
 */
#ifndef TEG_ISA_INST_SLEEP_H
#define TEG_ISA_INST_SLEEP_H

#include <stdint.h>

enum {
    TEG_SLEEP_MAX = 1000000, /* nanoseconds (PTX ISA, nanosleep) */
};

/* For how many nanoseconds an instruction of this text does ("NANOSLEEP
 * 0x1c2"), at most TEG_SLEEP_MAX; 0: it is no such instruction, a register
 * has the number (VALUES_SLEEP), or an mbarrier wakes it (NANOSLEEP.SYNCS),
 * which the test before it has waited for. */
uint32_t teg_sleep_of(const char *text);

#endif
