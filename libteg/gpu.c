/*
 * GPU descriptions as users of the library see them: found by name, told
 * value by value.
 */
#define _GNU_SOURCE /* dladdr */
#include "config/gpu.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config/gpu_list.h"
#include "include/teg/version.h"
#include "isa/base/nearest.h"

enum {
    PATH_SIZE = TEG_GPU_PATH_SIZE
};

/* ---- the list ------------------------------------------------------------- */

static teg_status add_search_path(struct teg_gpu_list *list, const char *text,
                                  struct teg_diag *d)
{
    char directory[PATH_SIZE];

    while (teg_gpu_path_next(&text, directory))
        TRY(teg_gpu_list_add(list, directory, d));
    return TEG_OK;
}

/* share/teg/config of where lib/libteg.so, lib/x86_64-linux-gnu/libteg.so or
 * bin/program is. */
static teg_status add_beside(struct teg_gpu_list *list, const char *file,
                             struct teg_diag *d)
{
    static const char *const relative[] = {"../share/teg/config",
                                           "../../share/teg/config"};
    const char *slash = strrchr(file, '/');
    char directory[PATH_SIZE];

    for (size_t i = 0; slash != NULL && i < 2; i++) {
        if ((size_t)snprintf(directory, sizeof directory, "%.*s%s",
                             (int)(slash + 1 - file), file,
                             relative[i]) < sizeof directory)
            TRY(teg_gpu_list_add(list, directory, d));
    }
    return TEG_OK;
}

/* A static program's dladdr knows nothing. */
static teg_status add_default(struct teg_gpu_list *list, struct teg_diag *d)
{
    /* Of a function: POSIX has the two kinds of pointer convert. */
    union {
        const char *(*function)(void);
        const void *object;
    } here = {.function = teg_version};
    char program[PATH_SIZE];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    Dl_info info;

    if (dladdr(here.object, &info) != 0 && info.dli_fname != NULL)
        TRY(add_beside(list, info.dli_fname, d));
    program[length > 0 ? length : 0] = '\0';
    return add_beside(list, program, d);
}

teg_status teg_gpu_list_new(const char *search_path, struct teg_gpu_list **list,
                            struct teg_diag *d)
{
    struct teg_gpu_list *l = calloc(1, sizeof *l);
    teg_status status;

    *list = NULL;
    if (l == NULL)
        return teg_fail_memory(d);
    status = search_path != NULL ? add_search_path(l, search_path, d)
                                 : add_default(l, d);
    if (status != TEG_OK) {
        teg_gpu_list_free(l);
        return status;
    }
    *list = l;
    return TEG_OK;
}

void teg_gpu_list_free(struct teg_gpu_list *list)
{
    if (list == NULL)
        return;
    teg_gpu_list_release(list);
    free(list);
}

uint32_t teg_gpu_list_count(const struct teg_gpu_list *list)
{
    return (uint32_t)list->count;
}

const char *teg_gpu_list_name(const struct teg_gpu_list *list, uint32_t i)
{
    return i < list->count ? list->entry[i].name : NULL;
}

const char *teg_gpu_list_path(const struct teg_gpu_list *list, uint32_t i)
{
    return i < list->count ? list->entry[i].path : NULL;
}

/* ---- opening -------------------------------------------------------------- */

static teg_status unknown(const char *name, const char *search_path,
                          const struct teg_gpu_list *list, struct teg_diag *d)
{
    struct teg_nearest nearest;

    if (list->count == 0)
        return teg_fail(d, TEG_UNKNOWN, name, "no GPU descriptions in '%.300s'",
                        search_path != NULL ? search_path : "share/teg/config");
    teg_nearest_init(&nearest, name);
    for (size_t i = 0; i < list->count; i++)
        teg_nearest_offer(&nearest, list->entry[i].name);
    return teg_fail(d, TEG_UNKNOWN, "",
                    "unknown GPU '%.200s'; did you mean '%.200s'?", name,
                    nearest.best);
}

teg_status teg_gpu_open(const char *name, const char *search_path,
                        struct teg_gpu **gpu, struct teg_diag *d)
{
    struct teg_gpu_list *list;
    const struct teg_gpu_entry *e;
    teg_status status;

    *gpu = NULL;
    if (teg_gpu_is_path(name))
        return teg_gpu_load(name, gpu, d);
    TRY(teg_gpu_list_new(search_path, &list, d));
    e = teg_gpu_list_find(list, name);
    status = e != NULL ? teg_gpu_load(e->path, gpu, d)
                       : unknown(name, search_path, list, d);
    teg_gpu_list_free(list);
    return status;
}

static teg_status open_default(const struct teg_gpu_list *list, uint32_t isa,
                               struct teg_gpu **gpu, struct teg_diag *d)
{
    const struct teg_gpu_entry *rival;
    const struct teg_gpu_entry *found = teg_gpu_list_default(list, isa, &rival);

    if (rival != NULL)
        return teg_fail(d, TEG_CONFIG, rival->path,
                        "default_for: sm_%u has %.300s already", isa,
                        found->path);
    if (found == NULL)
        return teg_fail(d, TEG_UNKNOWN, "", "no GPU stands for sm_%u", isa);
    return teg_gpu_load(found->path, gpu, d);
}

teg_status teg_gpu_open_for(uint32_t isa, const char *search_path,
                            struct teg_gpu **gpu, struct teg_diag *d)
{
    struct teg_gpu_list *list;
    teg_status status;

    *gpu = NULL;
    TRY(teg_gpu_list_new(search_path, &list, d));
    status = open_default(list, isa, gpu, d);
    teg_gpu_list_free(list);
    return status;
}

/* ---- telling -------------------------------------------------------------- */

const char *teg_gpu_name(const struct teg_gpu *gpu)
{
    return gpu->name;
}

const char *teg_gpu_title(const struct teg_gpu *gpu)
{
    return gpu->title;
}

uint32_t teg_gpu_facts(const struct teg_gpu *gpu)
{
    return gpu->fact_count;
}

static const struct teg_fact *fact(const struct teg_gpu *gpu, uint32_t i)
{
    static const struct teg_fact none = {.key = ""};

    return i < gpu->fact_count ? &gpu->fact[i] : &none;
}

const char *teg_gpu_fact_key(const struct teg_gpu *gpu, uint32_t i)
{
    return fact(gpu, i)->key;
}

const char *teg_gpu_fact_value(const struct teg_gpu *gpu, uint32_t i)
{
    return fact(gpu, i)->value;
}

const char *teg_gpu_fact_unit(const struct teg_gpu *gpu, uint32_t i)
{
    return fact(gpu, i)->unit;
}

const char *teg_gpu_fact_source(const struct teg_gpu *gpu, uint32_t i)
{
    return fact(gpu, i)->source;
}
