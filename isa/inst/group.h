/*
 * Groups of asynchronous work: what a warp starts and does not wait for joins
 * the group that is open, something commits the group, and the warp later waits
 * until at most some groups are still under way.
 *
 *   copies     LDGSTS joins, LDGDEPBAR commits (and sets a dependence barrier),
 *              DEPBAR.LE SBn, N waits.  (PTX ISA: cp.async, its commit_group
 *              and wait_group)  ARRIVES.LDGSTSBAR has an mbarrier hear when
 *              all copies before it are done.  (cp.async.mbarrier.arrive)
 *   bulk       UTMASTG, UTMAREDG and UBLKCP and UBLKRED to global memory join,
 *              UTMACMDFLUSH commits (and sets a dependence barrier, as one
 *              that reads), the same DEPBAR.LE waits.  (PTX ISA:
 *              cp.async.bulk.commit_group and wait_group)
 *   tensor     products and copies of tensor memory join, UTCBAR has an mbarrier
 *              hear when all before it are done.  (PTX ISA: tcgen05.commit)
 *   products   HGMMA and its kin join, one that names a gsb commits,
 *              WARPGROUP.DEPBAR.LE gsbn, N waits; before them the warps of a
 *              warp group meet at WARPGROUP.ARRIVE.  (PTX ISA: wgmma)
 *
 * An instruction's text says all of it, in every format of traces.
 */
#ifndef TEG_ISA_INST_GROUP_H
#define TEG_ISA_INST_GROUP_H

#include <stdint.h>

enum teg_group_kind {
    GROUP_COPIES,
    GROUP_PRODUCTS,
    GROUP_BULK,
    GROUP_TENSOR,
    TEG_GROUP_KINDS
};

/* What an instruction does with a group; or-ed. */
enum teg_group_part {
    GROUP_JOINS = 1,
    GROUP_COMMITS = 2,
    GROUP_WAITS = 4,
    GROUP_FOLLOWS = 8, /* arrives when all that has joined so far is done */
    GROUP_MEETS = 16,  /* waits for the other warps of its warp group */
};

enum {
    TEG_GROUP_OPEN_MAX = 63,    /* what DEPBAR can say */
    TEG_GROUP_OPEN_UNSAID = 64, /* a trace does not tell */
    TEG_GROUP_NUMBERS = 8,      /* SB0 .. SB5, gsb0 .. gsb7 */
    TEG_GROUP_ANY = TEG_GROUP_NUMBERS,
};

struct teg_group {
    uint8_t does;     /* enum teg_group_part; 0: none of it */
    uint8_t kind;     /* enum teg_group_kind */
    uint8_t number;   /* counter that is waited for or counted up, or
                       TEG_GROUP_ANY */
    uint8_t open;     /* groups that may stay open, of one that waits */
    uint8_t barriers; /* bit i: DEPBAR's list has dependence barrier i */
};

/* What an instruction of this text does. */
struct teg_group teg_group_of(const char *text);

#endif
