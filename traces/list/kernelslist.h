/*
 * kernelslist.g: one command a line.  "MemcpyHtoD,0x<address>,<bytes>" and a
 * kernel's file name (relative to the list) are kept, everything else is
 * ignored.
 */
#ifndef TEG_TRACES_LIST_KERNELSLIST_H
#define TEG_TRACES_LIST_KERNELSLIST_H

#include "isa/base/notes.h"
#include "traces/base/input.h"
#include "traces/list/score.h"
#include "traces/list/step.h"

enum {
    TEG_LIST_KERNELS_MAX = 1 << 20
};

struct teg_kernelslist {
    char **name;        /* owned, [count]; as the list writes it */
    char **path;        /* owned, [count]; from the working directory */
    uint32_t *launches; /* owned, [count]; identical ones, at least 1 */
    uint32_t *alike;    /* owned, [count]; the first that differs from it in
                           nothing but where its buffers are; itself */
    uint32_t count, capacity;
    uint64_t copies, copied_bytes; /* memory copies to the device */
    struct teg_step *step;         /* owned, [steps]: in their order */
    size_t steps, step_capacity;
    struct teg_score score; /* owned; without entries: nothing is said */
};

/* True if the first bytes hold a line that names a copy or a kernel's file.
 * `path` is the list's own. */
int teg_kernelslist_recognise(const char *path, const uint8_t *bytes,
                              size_t size);

/* A list without a kernel is an error; a kernel whose file is missing is a
 * note. */
teg_status teg_kernelslist_read(const struct teg_source *source,
                                struct teg_kernelslist *list,
                                struct teg_notes *notes, struct teg_diag *d);
/* Adds the file `name`, as the list at `path` writes it; no step. */
teg_status teg_kernelslist_add(struct teg_kernelslist *list, const char *path,
                               const char *name, size_t length,
                               uint32_t launches, struct teg_diag *d);
/* Adds a step behind the last one. */
teg_status teg_kernelslist_step(struct teg_kernelslist *list,
                                struct teg_step step, struct teg_diag *d);
/* Whether there is such a file, seen from where the list lies. */
int teg_kernelslist_is_file(const char *path, const char *name, size_t length);
void teg_kernelslist_release(struct teg_kernelslist *list);

#endif
