/*
 * GPU descriptions as users of the library see them: found by name, told
 * value by value.
 */
#define _GNU_SOURCE /* dladdr */
#include "config/gpu.h"

#include <dirent.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "include/teg/version.h"
#include "isa/base/array.h"
#include "isa/base/nearest.h"

enum {
    PATH_SIZE = 4096
};

struct entry {
    char *name, *path;  /* owned: "v100", "/usr/share/teg/config/v100.cfg" */
    unsigned directory; /* which of the search path it is in, from 0 */
};

struct teg_gpu_list {
    struct entry *entry; /* owned, [count], sorted by name */
    size_t count, room;
    unsigned directories; /* that were there */
};

static int ends_with(const char *text, const char *tail)
{
    size_t length = strlen(text), tail_length = strlen(tail);

    return length > tail_length &&
           strcmp(text + length - tail_length, tail) == 0;
}

/* ---- the list ------------------------------------------------------------- */

static const struct entry *find(const struct teg_gpu_list *list,
                                const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->entry[i].name, name) == 0)
            return &list->entry[i];
    }
    return NULL;
}

static teg_status add_file(struct teg_gpu_list *list, const char *directory,
                           const char *file, struct teg_diag *d)
{
    size_t path_size = strlen(directory) + strlen(file) + 2;
    struct entry *grown = teg_array_room(list->entry, list->count, &list->room,
                                         sizeof *list->entry);
    struct entry e = {.directory = list->directories};

    if (grown == NULL)
        return teg_fail_memory(d);
    list->entry = grown;
    e.name = strndup(file, strlen(file) - strlen(".cfg"));
    e.path = malloc(path_size);
    if (e.name != NULL && e.path != NULL && find(list, e.name) == NULL) {
        snprintf(e.path, path_size, "%s/%s", directory, file);
        list->entry[list->count++] = e;
        return TEG_OK;
    }
    path_size = e.name != NULL && e.path != NULL;
    free(e.name);
    free(e.path);
    return path_size != 0 ? TEG_OK : teg_fail_memory(d);
}

/* A directory that is not there holds nothing. */
static teg_status add_directory(struct teg_gpu_list *list,
                                const char *directory, struct teg_diag *d)
{
    DIR *open = opendir(directory);
    teg_status status = TEG_OK;
    const struct dirent *e;

    if (open == NULL)
        return TEG_OK;
    while (status == TEG_OK && (e = readdir(open)) != NULL) {
        if (e->d_name[0] != '.' && ends_with(e->d_name, ".cfg"))
            status = add_file(list, directory, e->d_name, d);
    }
    closedir(open);
    list->directories++;
    return status;
}

static teg_status add_search_path(struct teg_gpu_list *list, const char *text,
                                  struct teg_diag *d)
{
    char directory[PATH_SIZE];

    while (*text != '\0') {
        size_t length = strcspn(text, ":");

        if (length > 0 && length < sizeof directory) {
            memcpy(directory, text, length);
            directory[length] = '\0';
            TRY(add_directory(list, directory, d));
        }
        text += length;
        text += *text == ':';
    }
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
            TRY(add_directory(list, directory, d));
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

static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    return strcmp(x->name, y->name);
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
    if (l->count > 0)
        qsort(l->entry, l->count, sizeof *l->entry, by_name);
    *list = l;
    return TEG_OK;
}

void teg_gpu_list_free(struct teg_gpu_list *list)
{
    if (list == NULL)
        return;
    for (size_t i = 0; i < list->count; i++) {
        free(list->entry[i].name);
        free(list->entry[i].path);
    }
    free(list->entry);
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
    const struct entry *e;
    teg_status status;

    *gpu = NULL;
    if (strchr(name, '/') != NULL || ends_with(name, ".cfg"))
        return teg_gpu_load(name, gpu, d);
    TRY(teg_gpu_list_new(search_path, &list, d));
    e = find(list, name);
    status = e != NULL ? teg_gpu_load(e->path, gpu, d)
                       : unknown(name, search_path, list, d);
    teg_gpu_list_free(list);
    return status;
}

/* Whether the description of that path stands for `isa`; one that does not load
 * stands for nothing, and opening it by name says what is wrong with it. */
static int stands_for(const char *path, uint32_t isa)
{
    struct teg_gpu *gpu;
    int stands;

    if (teg_gpu_load(path, &gpu, NULL) != TEG_OK)
        return 0;
    stands = gpu->default_for == isa;
    teg_gpu_free(gpu);
    return stands;
}

/* The one of a directory that stands for `isa`, NULL if none does. */
static teg_status find_default(const struct teg_gpu_list *list,
                               unsigned directory, uint32_t isa,
                               const struct entry **found, struct teg_diag *d)
{
    *found = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct entry *e = &list->entry[i];

        if (e->directory != directory || !stands_for(e->path, isa))
            continue;
        if (*found != NULL)
            return teg_fail(d, TEG_CONFIG, e->path,
                            "default_for: sm_%u has %.300s already", isa,
                            (*found)->path);
        *found = e;
    }
    return TEG_OK;
}

teg_status teg_gpu_open_for(uint32_t isa, const char *search_path,
                            struct teg_gpu **gpu, struct teg_diag *d)
{
    const struct entry *found = NULL;
    teg_status status = TEG_OK;
    struct teg_gpu_list *list;

    *gpu = NULL;
    TRY(teg_gpu_list_new(search_path, &list, d));
    for (unsigned i = 0;
         isa != 0 && found == NULL && i < list->directories && status == TEG_OK;
         i++)
        status = find_default(list, i, isa, &found, d);
    if (status == TEG_OK)
        status = found != NULL ? teg_gpu_load(found->path, gpu, d)
                               : teg_fail(d, TEG_UNKNOWN, "",
                                          "no GPU stands for sm_%u", isa);
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
