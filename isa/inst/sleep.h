/*
 * Instructions that have their warp sleep: NANOSLEEP.
 */
#ifndef TEG_ISA_INST_SLEEP_H
#define TEG_ISA_INST_SLEEP_H

#include <stdint.h>

enum {
    TEG_SLEEP_MAX = 1000000, /* nanoseconds (PTX ISA, nanosleep) */
};

/* Whether an instruction of this text has its warp sleep for a time.  With .SYNCS
 * the warp sleeps until the mbarrier that it has asked about may be through, and
 * the time is only how long at most: it asks again behind it, and waits there. */
int teg_sleep_is_timed(const char *text);

/* Whether the text says for how many nanoseconds ("NANOSLEEP 0x1c2"), and not a
 * register (VALUES_SLEEP); `*ns` is then that number, at most TEG_SLEEP_MAX, and
 * else 0. */
int teg_sleep_told(const char *text, uint32_t *ns);

#endif
