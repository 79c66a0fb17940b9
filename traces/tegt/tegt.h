/* The .tegt container: see docs/trace-format.md. */
#ifndef TEG_TRACES_TEGT_TEGT_H
#define TEG_TRACES_TEGT_TEGT_H

#include "traces/block/cursor.h"

struct teg_tegt_writer;

/* Writes to a temporary file beside `path`, which replaces `path` in
 * teg_tegt_writer_finish: a reader never sees half a file. */
teg_status teg_tegt_writer_new(const char *path, struct teg_tegt_writer **w,
                               struct teg_diag *d);
/* Writes all blocks of a launch; may be called once per kernel. */
teg_status teg_tegt_writer_launch(struct teg_tegt_writer *w,
                                  struct teg_launch *launch,
                                  struct teg_diag *d);
/* Completes and renames; frees `w` in every case. */
teg_status teg_tegt_writer_finish(struct teg_tegt_writer *w,
                                  struct teg_diag *d);
/* Gives up: removes the temporary file, frees `w`. */
void teg_tegt_writer_abandon(struct teg_tegt_writer *w);
/* All of that for a file of one launch.  `*likeness` (or NULL) is equal for launches
 * that differ in nothing but where their buffers are (traces/block/likeness.h). */
teg_status teg_tegt_write(const char *path, struct teg_launch *launch,
                          uint64_t *likeness, struct teg_diag *d);

struct teg_tegt;

/* True if the first bytes are a .tegt's. */
int teg_tegt_recognise(const uint8_t *bytes, size_t size);
teg_status teg_tegt_open(const char *path, struct teg_tegt **t,
                         struct teg_diag *d);
void teg_tegt_close(struct teg_tegt *t);
uint32_t teg_tegt_kernels(const struct teg_tegt *t);
/* The kernel's name, borrowed. */
const char *teg_tegt_kernel_name(const struct teg_tegt *t, uint32_t i);
teg_status teg_tegt_launch(struct teg_tegt *t, uint32_t i,
                           struct teg_launch *launch, struct teg_diag *d);

#endif
