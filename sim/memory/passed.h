/* What requests that pass without a clock ask of L2 and of translations, and what
 * moves between L2 and DRAM for them. */
#ifndef TEG_SIM_MEMORY_PASSED_H
#define TEG_SIM_MEMORY_PASSED_H

#include <stdint.h>

struct sim_passed {
    uint64_t asked, read, written; /* sectors */
    uint64_t far;     /* sectors that come from the other half of L2 */
    uint64_t pages;   /* that an SM had not looked up of late */
    uint64_t regions; /* that nobody had touched before */
    uint32_t sms;     /* that have a block, one after the other */
};

#endif
