/*
 * GPU descriptions: which chip a launch is replayed on.
 *
 *     struct teg_gpu *gpu;
 *
 *     if (teg_gpu_open("v100", NULL, &gpu, &d) == TEG_OK &&
 *         teg_gpu_set(gpu, "sm.schedulers", "2", &d) == TEG_OK &&
 *         teg_gpu_check(gpu, &d) == TEG_OK)
 *         ...
 *     teg_gpu_free(gpu);
 *
 * A description is read by any number of threads at once as long as none sets
 * a value.  Numbers in files and settings are written with a point: keep
 * LC_NUMERIC at "C".
 */
#ifndef TEG_PUBLIC_GPU_H
#define TEG_PUBLIC_GPU_H

#include "status.h"

TEG_BEGIN

struct teg_gpu;

/*
 * Reads and validates one description.  `path` is the .cfg file; @include is
 * looked up beside it.  Fails with file and line for a missing, unknown
 * (nearest known name offered), mistyped or impossible value.
 */
TEG_API teg_status teg_gpu_load(const char *path, struct teg_gpu **gpu,
                                struct teg_diag *d);
/*
 * The same by name ("v100"), or by path where `name` has a '/' in it or ends
 * in ".cfg".  Names are looked up in the directories of `search_path`, joined
 * by colons; NULL: in share/teg/config beside the library's lib, then beside
 * the program's bin.  TEG_UNKNOWN, with the
 * nearest name, if there is none such.
 */
TEG_API teg_status teg_gpu_open(const char *name, const char *search_path,
                                struct teg_gpu **gpu, struct teg_diag *d);
/* The one that stands for code of an architecture, 70 for sm_70, in the first
 * directory that has one.  TEG_UNKNOWN if none does, TEG_CONFIG if two of a
 * directory do. */
TEG_API teg_status teg_gpu_open_for(uint32_t isa, const char *search_path,
                                    struct teg_gpu **gpu, struct teg_diag *d);
TEG_API teg_status teg_gpu_copy(const struct teg_gpu *from, struct teg_gpu **to,
                                struct teg_diag *d);
TEG_API void teg_gpu_free(struct teg_gpu *gpu); /* NULL is harmless */

/* "v100" and "Tesla V100 ..."; valid until the description is freed. */
TEG_API const char *teg_gpu_name(const struct teg_gpu *gpu);
TEG_API const char *teg_gpu_title(const struct teg_gpu *gpu);

/* Sets "sm.warps_max" and the like from text, with the loader's range check.
 * `teg gpus --keys` lists the keys; of units and classes of operations:
 * "timing.fadd.latency", "timing.fadd.interval", "timing.fadd.same_warp",
 * "unit.sp.count", "unit.sp.capacity", "m_factor.fadd",
 * "power_unit.fp.watts", "power_unit.fp.access", "power_use.lds".
 * TEG_UNKNOWN with the nearest key, or TEG_CONFIG with the range; the
 * description is then as it was. */
TEG_API teg_status teg_gpu_set(struct teg_gpu *gpu, const char *key,
                               const char *value, struct teg_diag *d);
/* Contradictions between values, once all are set.  Replays look for them
 * too. */
TEG_API teg_status teg_gpu_check(const struct teg_gpu *gpu, struct teg_diag *d);
/* Writes the value of a key as teg_gpu_set takes it, cut to `size` bytes with
 * the NUL (64 are always enough).  All keys of teg_gpu_set but
 * "power_unit.*.access", those of power where the description gives them, and
 * the keys of the facts below.  TEG_UNKNOWN with the nearest key. */
TEG_API teg_status teg_gpu_get(const struct teg_gpu *gpu, const char *key,
                               char *value, size_t size, struct teg_diag *d);
/* The same of a key whose value is a number; TEG_CONFIG if it is none. */
TEG_API teg_status teg_gpu_number(const struct teg_gpu *gpu, const char *key,
                                  double *value, struct teg_diag *d);

/* What the description says, value by value with its source, as
 * `teg gpus NAME` shows it: [0, teg_gpu_facts).  Texts are "" where there is
 * none, or for a number that is too large; valid until the description is
 * freed or set. */
TEG_API uint32_t teg_gpu_facts(const struct teg_gpu *gpu);
TEG_API const char *teg_gpu_fact_key(const struct teg_gpu *gpu, uint32_t i);
TEG_API const char *teg_gpu_fact_value(const struct teg_gpu *gpu, uint32_t i);
TEG_API const char *teg_gpu_fact_unit(const struct teg_gpu *gpu, uint32_t i);
TEG_API const char *teg_gpu_fact_source(const struct teg_gpu *gpu, uint32_t i);

/* The descriptions of a search path, sorted by name; the first found of a name
 * hides later ones. */
struct teg_gpu_list;

TEG_API teg_status teg_gpu_list_new(const char *search_path,
                                    struct teg_gpu_list **list,
                                    struct teg_diag *d);
TEG_API void teg_gpu_list_free(struct teg_gpu_list *list);
TEG_API uint32_t teg_gpu_list_count(const struct teg_gpu_list *list);
/* "v100" and its file; valid until the list is freed.  NULL beyond the end. */
TEG_API const char *teg_gpu_list_name(const struct teg_gpu_list *list,
                                      uint32_t i);
TEG_API const char *teg_gpu_list_path(const struct teg_gpu_list *list,
                                      uint32_t i);

TEG_END

#endif
