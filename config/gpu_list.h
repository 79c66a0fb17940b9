/*
 * GPU descriptions by name: the .cfg files of directories that are looked into
 * one after the other.  The first found of a name hides later ones, and the
 * first directory with a description that stands for an architecture decides
 * which one does.
 */
#ifndef TEG_CONFIG_GPU_LIST_H
#define TEG_CONFIG_GPU_LIST_H

#include "config/gpu.h"

enum {
    TEG_GPU_PATH_SIZE = 4096
};

struct teg_gpu_entry {
    char *name, *path;  /* owned: "v100", "/usr/share/teg/config/v100.cfg" */
    unsigned directory; /* its number among those that were there, from 0 */
};

struct teg_gpu_list {
    struct teg_gpu_entry *entry; /* owned, [count], sorted by name */
    size_t count, room;
    unsigned directories; /* that were there */
};

/* Whether a GPU is given by its file: a '/' in it, or ".cfg" at its end. */
int teg_gpu_is_path(const char *name);

/* The next directory of `*text`, which colons join; moves `*text` behind it.
 * Returns 0 after the last; empty and overlong ones are none. */
int teg_gpu_path_next(const char **text, char directory[TEG_GPU_PATH_SIZE]);

/* Adds what a directory has; one that is not there has nothing.  Fails out of
 * memory. */
teg_status teg_gpu_list_add(struct teg_gpu_list *list, const char *directory,
                            struct teg_diag *d);
void teg_gpu_list_release(struct teg_gpu_list *list);

/* NULL if there is none. */
const struct teg_gpu_entry *teg_gpu_list_find(const struct teg_gpu_list *list,
                                              const char *name);
/* The description that stands for `isa`, or for the nearest older one of the same
 * major generation (sm_121: sm_120), NULL if none does.  `*rival` is
 * another one in the same directory that claims to, which is a fault of who
 * wrote them; else NULL. */
const struct teg_gpu_entry *teg_gpu_list_default(
    const struct teg_gpu_list *list, uint32_t isa,
    const struct teg_gpu_entry **rival);

#endif
