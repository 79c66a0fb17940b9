/*
 * A program's score played while the program still runs: what it calls is put
 * in as it calls, and the device is then as far as it would be.
 *
 * As sim_program_play has the whole score, to the last digit, launches beside
 * each other being estimated (floor.h): time stands still where the host's next
 * call is to come, and goes on with it, until the host waits for nothing.
 * Leaves out: launches simulated together; more than one host.
 */
#ifndef TEG_SIM_PROGRAM_LIVE_H
#define TEG_SIM_PROGRAM_LIVE_H

#include "sim/program/program.h"

struct sim_live;

/* `gpu` is borrowed and outlives it. */
teg_status sim_live_new(const struct teg_gpu *gpu, struct sim_live **live,
                        struct teg_diag *d);
void sim_live_free(struct sim_live *live); /* NULL: nothing */
/* Its streams, and graphs while an entry that launches one is added.  Entries
 * are not kept. */
struct teg_score *sim_live_score(struct sim_live *live);
/* Launches of that number are such: a new number. */
teg_status sim_live_kernel(struct sim_live *live,
                           const struct sim_program_kernel *kernel,
                           uint32_t *number, struct teg_diag *d);
/* The host calls, all calls being of one host, and goes on when it may. */
teg_status sim_live_add(struct sim_live *live,
                        const struct teg_score_entry *entry,
                        struct teg_diag *d);
/* Where the host is, in microseconds. */
double sim_live_host(const struct sim_live *live);
/* Whether the latest record of the event is over, and when it was.  An event
 * that was never recorded is over, at -1. */
int sim_live_event(const struct sim_live *live, uint32_t event, double *us);
/* Whether all that was put into the stream, or TEG_SCORE_NONE, into any, is
 * over. */
int sim_live_idle(const struct sim_live *live, uint32_t stream);
/* Launches that others were beside, or would have been if there had been room,
 * so that what they took is an estimate. */
uint64_t sim_live_beside(const struct sim_live *live);

#endif
