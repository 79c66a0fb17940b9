/*
 * Where GPU descriptions are looked for, in this order: --config-dir,
 * $TEG_CONFIG_PATH (separated by colons), config/ of the source tree the
 * executable was built in, share/teg/config beside its bin.
 */
#ifndef TEG_TOOLS_TEG_CLI_GPU_PATH_H
#define TEG_TOOLS_TEG_CLI_GPU_PATH_H

#include "config/gpu_list.h"
#include "tools/teg/cli/options.h"

/* Finds another file that lies beside the descriptions (a trained forest);
 * says so if there is none. */
int gpu_path_find(const char *file, const char *config_dir,
                  char path[TEG_GPU_PATH_SIZE]);

/* Lists every description; `list` is to be released.  `config_dir` may be
 * NULL. */
int gpu_list_find_all(struct teg_gpu_list *list, const char *config_dir);

/* Loads a GPU by name, by file ('/' in it or ending in ".cfg") or, "-", from
 * standard input; says what is wrong, with the nearest name, and returns an
 * exit status. */
int gpu_open(const char *name, const char *config_dir, struct teg_gpu **gpu);
/* Loads the description that stands for `isa`.  The directory that is searched
 * first wins; two in one directory are a fault. */
int gpu_open_for(uint32_t isa, const char *config_dir, struct teg_gpu **gpu);
/* The same, named on standard error. */
int gpu_open_default(uint32_t isa, const char *config_dir,
                     struct teg_gpu **gpu);
/* Applies --clock (or NULL) and each --set to a description, and checks it if there
 * is any. */
int gpu_change(struct teg_gpu *gpu, const char *clock,
               const struct opt_list *set);
/* Where the description is that gpu_open would load, absolute; owned by the
 * caller. */
int gpu_find(const char *name, const char *config_dir, char **path);

#endif
