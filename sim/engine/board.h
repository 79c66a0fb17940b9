/*
 * What blocks of a launch tell each other through memory.
 *
 * Models: a load past L1 that sees what another block has written
 * (VALUES_AWAITED of isa/inst/values.def) holds its warp until that store or
 * atomic of this replay is seen: when it is done, and not before a way to L2 is
 * over.  A warp that has ended has told all.  (PTX ISA, memory consistency
 * model; that a poll comes back just then is inferred)
 * Leaves out: what polling holds of memory while it lasts.
 *
 * SMs that run ahead write down what they tell; it is put up between windows: no
 * window is longer than the way to L2.  Who waits for what nobody tells any more
 * (its block is not replayed) goes on when nothing else does.
 */
#ifndef TEG_SIM_ENGINE_BOARD_H
#define TEG_SIM_ENGINE_BOARD_H

#include <stddef.h>
#include <stdint.h>

#include "isa/base/number_map.h"

struct sim_grid;
struct sim_sm;
struct sim_times;
struct sim_values;
struct sim_warp;

/* Of one launch; zeroed is empty. */
struct sim_board {
    struct teg_number_map at; /* by name: the cycle from which it is seen */
};

/* What an SM has told in this window. */
struct sim_tellings {
    struct sim_telling {
        struct sim_grid *grid; /* borrowed */
        uint64_t name;
        uint64_t done;  /* cycle; SIM_OPEN and more: the pending entry tells */
        uint64_t floor; /* and not before this cycle */
    } * at; /* owned, [count] */
    size_t count, capacity;
};

/* The warp has issued one of its stores and atomics past L1, for some lanes or
 * none. */
void sim_board_tell(struct sim_sm *sm, struct sim_warp *w, uint32_t lanes,
                    const struct sim_times *t);
/* The warp has ended. */
void sim_board_leave(struct sim_sm *sm, const struct sim_warp *w, uint64_t now);

/* The warp has issued a load with these values and stands in front of its next
 * instruction: returns 0 if what it sees is not up, and parks the warp until it
 * is; else enters until when it waits. */
int sim_board_ask(struct sim_sm *sm, struct sim_warp *w,
                  const struct sim_values *v);

/* Enters what pending entries, all ended, have to tell. */
void sim_board_close(struct sim_sm *sm);
/* Between windows: puts up what was told, and lets those go on who wait for it.
 * Returns 0 out of memory. */
int sim_board_put_up(struct sim_sm *sm, uint32_t sms);
/* Lets everybody go on who waits, from cycle `now` on; returns how many. */
uint32_t sim_board_give_up(struct sim_sm *sm, uint32_t sms, uint64_t now);

#endif
