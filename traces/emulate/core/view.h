/*
 * Device memory as one block sees it that runs ahead of its turn.
 *
 * Pages are copied when they are first touched; the block reads and writes the
 * copies.  When its turn comes, every byte it read is compared with what memory
 * holds by then: if all are the same, the block did what it would have done in
 * its turn, and what it wrote is written; otherwise nothing happened, and it
 * has to run again.
 */
#ifndef TEG_TRACES_EMULATE_CORE_VIEW_H
#define TEG_TRACES_EMULATE_CORE_VIEW_H

#include <pthread.h>

#include "traces/emulate/core/device.h"

enum emu_use {
    EMU_READ,
    EMU_WRITE,
    EMU_UPDATE /* both */
};

enum {
    /* Thread instructions for each page of memory that is touched, below which
     * copying the page, comparing it and writing it back take longer than
     * those.  (Copies by 16 bytes a lane have 200, tables that each lane asks
     * elsewhere 20.) */
    EMU_PAGE_INSTS = 100,
    /* Pages by which that is seen. */
    EMU_PAGES_MANY = 2048
};

struct emu_view;

/* `memory` is held for reading while a page is copied; whoever writes device
 * memory holds it for writing.  `insts` says how many thread instructions the
 * block has executed: one that has many pages and few of these need not go on.
 * All borrowed. */
teg_status emu_view_new(struct emu_view **v, const struct emu_device *device,
                        pthread_rwlock_t *memory,
                        uint64_t (*insts)(const void *self), const void *self,
                        struct teg_diag *d);
void emu_view_free(struct emu_view *v);

/* Forgets everything. */
void emu_view_begin(struct emu_view *v);
/* Says, from another thread, that the block need not go on. */
void emu_view_cancel(struct emu_view *v);
/* Says, from another thread, that all blocks before have had their turn: at
 * its next access the block looks whether it may go on. */
void emu_view_turn(struct emu_view *v);

/* Says that what the block does next has to be done in its turn. */
void emu_view_give_up(struct emu_view *v);

/* `bytes` at `address` for that use; NULL if they lie in no buffer or not in
 * one page, or the block need not go on. */
void *emu_view_at(struct emu_view *v, uint64_t address, uint64_t bytes,
                  enum emu_use use);

/* Pages touched since emu_view_begin. */
size_t emu_view_pages(const struct emu_view *v);

/* Writes what the block wrote and returns 1, or returns 0 if it read what has
 * changed since. */
int emu_view_commit(struct emu_view *v);

#endif
