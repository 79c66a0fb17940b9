#define _XOPEN_SOURCE 700 /* realpath */
#include "tools/teg/cli/gpu_path.h"

#include "tools/teg/cli/teg.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATH_SIZE = GPU_PATH_SIZE
};

static bool ends_with(const char *text, const char *tail)
{
    size_t length = strlen(text), tail_length = strlen(tail);

    return length > tail_length &&
           strcmp(text + length - tail_length, tail) == 0;
}

const struct gpu_entry *gpu_list_find(const struct gpu_list *list,
                                      const char *name)
{
    for (size_t i = 0; i < list->count; i++) {
        if (strcmp(list->entry[i].name, name) == 0)
            return &list->entry[i];
    }
    return NULL;
}

static int add_file(struct gpu_list *list, const char *directory,
                    const char *file)
{
    size_t path_size = strlen(directory) + strlen(file) + 2;
    struct gpu_entry entry = {strndup(file, strlen(file) - strlen(".cfg")),
                              malloc(path_size), list->directories};
    struct gpu_entry *grown;

    if (entry.name != NULL && gpu_list_find(list, entry.name) != NULL) {
        free(entry.name);
        free(entry.path);
        return EXIT_DONE;
    }
    grown = realloc(list->entry, (list->count + 1) * sizeof *grown);
    if (grown != NULL)
        list->entry = grown;
    if (entry.name == NULL || entry.path == NULL || grown == NULL) {
        free(entry.name);
        free(entry.path);
        return say_memory();
    }
    snprintf(entry.path, path_size, "%s/%s", directory, file);
    list->entry[list->count++] = entry;
    return EXIT_DONE;
}

/* A directory that is not there holds nothing. */
static int add_directory(void *self, const char *directory)
{
    struct gpu_list *list = self;
    DIR *d = opendir(directory);
    const struct dirent *e;
    int status = EXIT_DONE;

    if (d == NULL)
        return EXIT_DONE;
    while (status == EXIT_DONE && (e = readdir(d)) != NULL) {
        if (e->d_name[0] != '.' && ends_with(e->d_name, ".cfg"))
            status = add_file(list, directory, e->d_name);
    }
    closedir(d);
    list->directories++;
    return status;
}

/* What is done in each directory; not EXIT_DONE ends the search. */
typedef int visit_fn(void *self, const char *directory);

static int visit_search_path(visit_fn *visit, void *self, const char *text)
{
    char directory[PATH_SIZE];
    int status = EXIT_DONE;

    while (text != NULL && status == EXIT_DONE) {
        size_t length = strcspn(text, ":");

        if (length > 0 && length < sizeof directory) {
            memcpy(directory, text, length);
            directory[length] = '\0';
            status = visit(self, directory);
        }
        text = text[length] == ':' ? text + length + 1 : NULL;
    }
    return status;
}

static int visit_beside_executable(visit_fn *visit, void *self)
{
    /* build/release/teg of the source tree; bin/teg of an installation */
    static const char *const relative[] = {"../../config",
                                           "../share/teg/config"};
    char exe[PATH_SIZE], directory[PATH_SIZE + 32];
    ssize_t length = readlink("/proc/self/exe", exe, sizeof exe - 1);
    char *slash;
    int status = EXIT_DONE;

    exe[length > 0 ? length : 0] = '\0';
    slash = strrchr(exe, '/');
    if (slash == NULL)
        return EXIT_DONE;
    *slash = '\0';
    for (size_t i = 0; i < 2 && status == EXIT_DONE; i++) {
        snprintf(directory, sizeof directory, "%s/%s", exe, relative[i]);
        status = visit(self, directory);
    }
    return status;
}

/* Every directory in the order of the search. */
static int visit_all(visit_fn *visit, void *self, const char *config_dir)
{
    int status = config_dir != NULL ? visit(self, config_dir) : EXIT_DONE;

    if (status == EXIT_DONE)
        status = visit_search_path(visit, self, getenv("TEG_CONFIG_PATH"));
    if (status == EXIT_DONE)
        status = visit_beside_executable(visit, self);
    return status;
}

struct file_search {
    const char *file;
    char *path; /* [PATH_SIZE]; "" until found */
};

/* Not EXIT_DONE once it is found. */
static int look_for_file(void *self, const char *directory)
{
    struct file_search *search = self;

    if ((size_t)snprintf(search->path, PATH_SIZE, "%s/%s", directory,
                         search->file) < PATH_SIZE &&
        access(search->path, R_OK) == 0)
        return EXIT_FAULT;
    search->path[0] = '\0';
    return EXIT_DONE;
}

int gpu_path_find(const char *file, const char *config_dir,
                  char path[GPU_PATH_SIZE])
{
    struct file_search search = {file, path};

    path[0] = '\0';
    visit_all(look_for_file, &search, config_dir);
    if (path[0] != '\0')
        return EXIT_DONE;
    say(file, "not found beside the GPU descriptions");
    return EXIT_FAULT;
}

static int by_name(const void *a, const void *b)
{
    const struct gpu_entry *x = a, *y = b;

    return strcmp(x->name, y->name);
}

int gpu_list_init(struct gpu_list *list, const char *config_dir)
{
    int status;

    *list = (struct gpu_list){0};
    status = visit_all(add_directory, list, config_dir);
    if (list->count > 0)
        qsort(list->entry, list->count, sizeof *list->entry, by_name);
    if (status != EXIT_DONE)
        gpu_list_release(list);
    return status;
}

void gpu_list_release(struct gpu_list *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->entry[i].name);
        free(list->entry[i].path);
    }
    free(list->entry);
    *list = (struct gpu_list){0};
}

/* "gtx280, gtx580, v100" */
static const char *list_names(const struct gpu_list *list, char *out,
                              size_t size)
{
    snprintf(out, size, "none found");
    for (size_t i = 0, used = 0; i < list->count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 i == 0 ? "" : ", ", list->entry[i].name);
    return out;
}

static int say_unknown(const char *name, const struct gpu_list *list)
{
    struct teg_nearest nearest;
    char hint[96], known[1024];

    teg_nearest_init(&nearest, name);
    for (size_t i = 0; i < list->count; i++)
        teg_nearest_offer(&nearest, list->entry[i].name);
    say("", "unknown GPU '%s'%s", name, did_you_mean(&nearest, "", hint));
    say("", "known: %s", list_names(list, known, sizeof known));
    return EXIT_USAGE;
}

static int load(const char *path, struct teg_gpu **gpu)
{
    struct teg_diag d;

    if (teg_gpu_load(path, gpu, &d) != TEG_OK)
        return say_fault(&d);
    return EXIT_DONE;
}

int gpu_open(const char *name, const char *config_dir, struct teg_gpu **gpu)
{
    const struct gpu_entry *entry;
    struct gpu_list list;
    int status;

    if (strchr(name, '/') != NULL || ends_with(name, ".cfg"))
        return load(name, gpu);
    status = gpu_list_init(&list, config_dir);
    if (status != EXIT_DONE)
        return status;
    entry = gpu_list_find(&list, name);
    status = entry != NULL ? load(entry->path, gpu) : say_unknown(name, &list);
    gpu_list_release(&list);
    return status;
}

static int absolute(const char *path, char **found)
{
    *found = realpath(path, NULL);
    if (*found != NULL)
        return EXIT_DONE;
    say(path, "cannot open: %s", strerror(errno));
    return EXIT_FAULT;
}

int gpu_find(const char *name, const char *config_dir, char **path)
{
    const struct gpu_entry *entry;
    struct gpu_list list;
    int status;

    *path = NULL;
    if (strchr(name, '/') != NULL || ends_with(name, ".cfg"))
        return absolute(name, path);
    status = gpu_list_init(&list, config_dir);
    if (status != EXIT_DONE)
        return status;
    entry = gpu_list_find(&list, name);
    status =
        entry != NULL ? absolute(entry->path, path) : say_unknown(name, &list);
    gpu_list_release(&list);
    return status;
}

static int say_no_default(uint32_t isa, const struct gpu_list *list)
{
    char known[1024];

    list_names(list, known, sizeof known);
    if (isa == 0)
        say("", "the trace does not say its architecture: choose a GPU with "
                "-g");
    else
        say("", "no GPU stands for sm_%u: choose one with -g", isa);
    say("", "known: %s", known);
    return EXIT_USAGE;
}

/* A description that does not load stands for nothing; naming it with -g says
 * what is wrong with it. */
static struct teg_gpu *load_if_default(const char *path, uint32_t isa)
{
    struct teg_gpu *gpu = NULL;
    struct teg_diag d;

    if (teg_gpu_load(path, &gpu, &d) != TEG_OK)
        return NULL;
    if (gpu->default_for == isa)
        return gpu;
    teg_gpu_free(gpu);
    return NULL;
}

/* Goes through one directory; sets `*gpu` to the description in it that stands
 * for `isa`, NULL if none does. */
static int find_default(const struct gpu_list *list, unsigned directory,
                        uint32_t isa, struct teg_gpu **gpu)
{
    const struct gpu_entry *found = NULL;

    *gpu = NULL;
    for (size_t i = 0; i < list->count; i++) {
        const struct gpu_entry *entry = &list->entry[i];
        struct teg_gpu *other;

        if (entry->directory != directory)
            continue;
        other = load_if_default(entry->path, isa);
        if (other != NULL && found != NULL) {
            say(entry->path,
                "default_for: sm_%u has %s already: choose a GPU with -g", isa,
                found->path);
            teg_gpu_free(other);
            teg_gpu_free(*gpu);
            *gpu = NULL;
            return EXIT_FAULT;
        }
        if (other != NULL) {
            found = entry;
            *gpu = other;
        }
    }
    return EXIT_DONE;
}

int gpu_open_default(uint32_t isa, const char *config_dir, struct teg_gpu **gpu)
{
    struct gpu_list list;
    int status = gpu_list_init(&list, config_dir);

    if (status != EXIT_DONE)
        return status;
    *gpu = NULL;
    for (unsigned d = 0; isa != 0 && *gpu == NULL && d < list.directories &&
                         status == EXIT_DONE;
         d++)
        status = find_default(&list, d, isa, gpu);
    if (status == EXIT_DONE && *gpu == NULL)
        status = say_no_default(isa, &list);
    else if (status == EXIT_DONE)
        say("", "sm_%u: simulating %s; -g chooses another GPU", isa,
            (*gpu)->name);
    gpu_list_release(&list);
    return status;
}
