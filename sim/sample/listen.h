/*
 * Who hears a sample: those who look for what the whole is estimated from, and
 * behind them those who were there before.
 */
#ifndef TEG_SIM_SAMPLE_LISTEN_H
#define TEG_SIM_SAMPLE_LISTEN_H

#include "sim/teg.h"

/* Puts the `count` of `own` before the listeners of `options`.  Returns the new
 * list, the caller's to free after the simulation, or NULL out of memory. */
struct sim_listener *sample_listen(struct teg_simulation_options *options,
                                   const struct sim_listener *own,
                                   uint32_t count);

#endif
