#include "config/gpu_list.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/base/array.h"

static int ends_with(const char *text, const char *tail)
{
    size_t length = strlen(text), tail_length = strlen(tail);

    return length > tail_length &&
           strcmp(text + length - tail_length, tail) == 0;
}

int teg_gpu_is_path(const char *name)
{
    return strchr(name, '/') != NULL || ends_with(name, ".cfg");
}

int teg_gpu_path_next(const char **text, char directory[TEG_GPU_PATH_SIZE])
{
    while (**text != '\0') {
        const char *from = *text;
        size_t length = strcspn(from, ":");

        *text = from + length + (from[length] == ':');
        if (length > 0 && length < TEG_GPU_PATH_SIZE) {
            memcpy(directory, from, length);
            directory[length] = '\0';
            return 1;
        }
    }
    return 0;
}

/* ---- the list ------------------------------------------------------------- */

const struct teg_gpu_entry *teg_gpu_list_find(const struct teg_gpu_list *list,
                                              const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->entry[i].name, name) == 0)
            return &list->entry[i];
    }
    return NULL;
}

static void release_entry(struct teg_gpu_entry *e)
{
    free(e->name);
    free(e->path);
}

static teg_status add_file(struct teg_gpu_list *list, const char *directory,
                           const char *file, struct teg_diag *d)
{
    size_t path_size = strlen(directory) + strlen(file) + 2;
    struct teg_gpu_entry *grown = teg_array_room(
        list->entry, list->count, &list->room, sizeof *list->entry);
    struct teg_gpu_entry e = {.directory = list->directories};

    if (grown == NULL)
        return teg_fail_memory(d);
    list->entry = grown;
    e.name = strndup(file, strlen(file) - strlen(".cfg"));
    e.path = malloc(path_size);
    if (e.name == NULL || e.path == NULL) {
        release_entry(&e);
        return teg_fail_memory(d);
    }
    if (teg_gpu_list_find(list, e.name) != NULL) {
        release_entry(&e);
        return TEG_OK;
    }
    snprintf(e.path, path_size, "%s/%s", directory, file);
    list->entry[list->count++] = e;
    return TEG_OK;
}

static int by_name(const void *a, const void *b)
{
    const struct teg_gpu_entry *x = a, *y = b;

    return strcmp(x->name, y->name);
}

teg_status teg_gpu_list_add(struct teg_gpu_list *list, const char *directory,
                            struct teg_diag *d)
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
    if (list->count > 0)
        qsort(list->entry, list->count, sizeof *list->entry, by_name);
    return status;
}

void teg_gpu_list_release(struct teg_gpu_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        release_entry(&list->entry[i]);
    free(list->entry);
    *list = (struct teg_gpu_list){0};
}

/* ---- which stands for an architecture ------------------------------------- */

/* Whether the description at `path` stands for `isa`; one that does not load
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

static const struct teg_gpu_entry *find_default(
    const struct teg_gpu_list *list, unsigned directory, uint32_t isa,
    const struct teg_gpu_entry **rival)
{
    const struct teg_gpu_entry *found = NULL;

    for (size_t i = 0; i < list->count && *rival == NULL; i++) {
        const struct teg_gpu_entry *e = &list->entry[i];

        if (e->directory != directory || !stands_for(e->path, isa))
            continue;
        if (found != NULL)
            *rival = e;
        else
            found = e;
    }
    return found;
}

const struct teg_gpu_entry *teg_gpu_list_default(
    const struct teg_gpu_list *list, uint32_t isa,
    const struct teg_gpu_entry **rival)
{
    const struct teg_gpu_entry *found = NULL;

    *rival = NULL;
    for (uint32_t at = isa;
         at != 0 && at / 10 == isa / 10 && found == NULL && *rival == NULL;
         at--) {
        for (unsigned i = 0; found == NULL && i < list->directories; i++)
            found = find_default(list, i, at, rival);
    }
    return found;
}
