/*
 * Atomics and loads whose result decides how long a loop goes on, because it
 * depends on what other warps do meanwhile.
 *
 * The emulator runs a warp after the other.  So one that is asked again until it
 * has succeeded (a lock, a word that compare-and-swap updates) succeeds at once in
 * its traces, unless they run beside each other: blocks whose code hands out work,
 * polls or swaps words of global memory do (core/share.h), and the trace has a load
 * that polls and a swap as often as the emulator ran it.  Who waits for a lock does
 * not: its holder may be a lane of the same warp.  How often hardware asks, and
 * who gets what there, no trace of it has.
 *
 * Models: a backward branch encloses the instruction, and what it returns gets to a
 * branch that leaves the loop or goes round again: through registers and
 * predicates in the order of the code, once around, and through shared memory,
 * the cluster's too.
 * Leaves out: what goes through other memory; operations besides those below.
 */
#ifndef TEG_TRACES_STUDY_CONTEST_H
#define TEG_TRACES_STUDY_CONTEST_H

#include "isa/inst/inst.h"

enum teg_contest {
    CONTEST_NONE,
    CONTEST_RETRY, /* compares and swaps, or exchanges: a lock */
    CONTEST_SWAP, /* the same with what it was given last: of all who try at once
                      one succeeds */
    CONTEST_WORK, /* adds, on global memory */
    CONTEST_POLL, /* a load past L1 of what stays the same address */
};

/* What instruction `at` is; none where texts have no operands, as NVBit's
 * tracers write them. */
enum teg_contest teg_contest_of(const struct teg_program *p, uint32_t at);

#endif
