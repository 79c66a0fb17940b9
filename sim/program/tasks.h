/*
 * From entries of a score to tasks, one entry at a time: what comes after what.
 */
#ifndef TEG_SIM_PROGRAM_TASKS_H
#define TEG_SIM_PROGRAM_TASKS_H

#include "sim/program/program.h"

struct sim_tasks;

/* Tasks go to `program`, which is empty.  All are borrowed; the score may get
 * streams and graphs while entries are added. */
teg_status sim_tasks_new(struct sim_program *program,
                         const struct teg_score *score,
                         const struct teg_gpu *gpu,
                         const struct sim_program_options *options,
                         struct sim_tasks **tasks, struct teg_diag *d);
/* A call of the host, with what it puts in.  A wait for an event that no entry
 * before has recorded waits for nothing. */
teg_status sim_tasks_add(struct sim_tasks *tasks,
                         const struct teg_score_entry *entry,
                         struct teg_diag *d);
/* The latest record of the event; TEG_SCORE_NONE: there is none. */
uint32_t sim_tasks_event(const struct sim_tasks *tasks, uint32_t number);
void sim_tasks_free(struct sim_tasks *tasks); /* NULL: nothing */

#endif
