#define _XOPEN_SOURCE 700 /* realpath */
#include "tools/teg/cli/gpu_path.h"

#include "tools/teg/cli/inputs.h"
#include "tools/teg/cli/pipes.h"
#include "tools/teg/cli/teg.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    PATH_SIZE = TEG_GPU_PATH_SIZE
};

/* What is done in each directory; not EXIT_DONE ends the search. */
typedef int visit_fn(void *self, const char *directory);

static int visit_search_path(visit_fn *visit, void *self, const char *text)
{
    char directory[PATH_SIZE];
    int status = EXIT_DONE;

    while (status == EXIT_DONE && text != NULL &&
           teg_gpu_path_next(&text, directory))
        status = visit(self, directory);
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
                  char path[TEG_GPU_PATH_SIZE])
{
    struct file_search search = {file, path};

    path[0] = '\0';
    visit_all(look_for_file, &search, config_dir);
    if (path[0] != '\0')
        return EXIT_DONE;
    say(file, "not found beside the GPU descriptions");
    return EXIT_FAULT;
}

static int add_directory(void *self, const char *directory)
{
    struct teg_gpu_list *list = self;
    struct teg_diag d;

    return teg_gpu_list_add(list, directory, &d) == TEG_OK ? EXIT_DONE
                                                           : say_fault(&d);
}

int gpu_list_find_all(struct teg_gpu_list *list, const char *config_dir)
{
    int status;

    *list = (struct teg_gpu_list){0};
    status = visit_all(add_directory, list, config_dir);
    if (status != EXIT_DONE)
        teg_gpu_list_release(list);
    return status;
}

/* "gtx280, gtx580, v100" */
static const char *list_names(const struct teg_gpu_list *list, char *out,
                              size_t size)
{
    snprintf(out, size, "none found");
    for (size_t i = 0, used = 0; i < list->count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 i == 0 ? "" : ", ", list->entry[i].name);
    return out;
}

static int say_unknown(const char *name, const struct teg_gpu_list *list)
{
    struct teg_nearest nearest;
    char hint[96], known[1024];

    teg_nearest_init(&nearest, name);
    for (size_t i = 0; i < list->count; i++)
        teg_nearest_offer(&nearest, list->entry[i].name);
    say("", "unknown GPU '%s'%s; known: %s", name,
        did_you_mean(&nearest, "", hint),
        list_names(list, known, sizeof known));
    return EXIT_USAGE;
}

static int load(const char *path, struct teg_gpu **gpu)
{
    struct teg_diag d;

    if (teg_gpu_load(path, gpu, &d) != TEG_OK)
        return say_fault(&d);
    return inputs_add(path);
}

/* What came through a pipe has no family beside it: that of the descriptions
 * that are searched first. */
static int load_piped(const char *path, const char *config_dir,
                      struct teg_gpu **gpu)
{
    char families[PATH_SIZE];
    struct file_search search = {"family", families};
    struct teg_diag d;

    families[0] = '\0';
    visit_all(look_for_file, &search, config_dir);
    if (families[0] != '\0')
        *strrchr(families, '/') = '\0';
    if (teg_gpu_load_beside(path, families[0] != '\0' ? families : ".", gpu,
                            &d) != TEG_OK)
        return say_fault(&d);
    return EXIT_DONE;
}

static bool is_by_path(const char *name)
{
    return strcmp(name, "-") == 0 || teg_gpu_is_path(name);
}

int gpu_open(const char *name, const char *config_dir, struct teg_gpu **gpu)
{
    const struct teg_gpu_entry *entry;
    struct teg_gpu_list list;
    char *path = (char *)name;
    int status;

    if (is_by_path(name)) {
        status = pipe_copy(&path);
        if (status != EXIT_DONE)
            return status;
        return pipe_is_copy(path) ? load_piped(path, config_dir, gpu)
                                  : load(path, gpu);
    }
    status = gpu_list_find_all(&list, config_dir);
    if (status != EXIT_DONE)
        return status;
    entry = teg_gpu_list_find(&list, name);
    status = entry != NULL ? load(entry->path, gpu) : say_unknown(name, &list);
    teg_gpu_list_release(&list);
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
    const struct teg_gpu_entry *entry;
    struct teg_gpu_list list;
    int status;

    *path = NULL;
    if (strcmp(name, "-") == 0) {
        say("-g", "expected a name or a file here, found standard input: the "
                  "program that is run reads the description again");
        return EXIT_USAGE;
    }
    if (teg_gpu_is_path(name))
        return absolute(name, path);
    status = gpu_list_find_all(&list, config_dir);
    if (status != EXIT_DONE)
        return status;
    entry = teg_gpu_list_find(&list, name);
    status =
        entry != NULL ? absolute(entry->path, path) : say_unknown(name, &list);
    teg_gpu_list_release(&list);
    return status;
}

static int say_no_default(uint32_t isa, const struct teg_gpu_list *list)
{
    char known[1024];

    list_names(list, known, sizeof known);
    if (isa == 0)
        say("",
            "the trace does not say its architecture: choose a GPU with "
            "-g; known: %s",
            known);
    else
        say("", "no GPU stands for sm_%u: choose one with -g; known: %s", isa,
            known);
    return EXIT_USAGE;
}

/* Sets `*gpu` to the one that stands for `isa`, NULL if none does. */
static int load_default(const struct teg_gpu_list *list, uint32_t isa,
                        struct teg_gpu **gpu)
{
    const struct teg_gpu_entry *rival;
    const struct teg_gpu_entry *found = teg_gpu_list_default(list, isa, &rival);

    *gpu = NULL;
    if (rival != NULL) {
        say(rival->path,
            "default_for: sm_%u has %s already: choose a GPU with -g", isa,
            found->path);
        return EXIT_FAULT;
    }
    return found != NULL ? load(found->path, gpu) : EXIT_DONE;
}

int gpu_open_for(uint32_t isa, const char *config_dir, struct teg_gpu **gpu)
{
    struct teg_gpu_list list;
    int status = gpu_list_find_all(&list, config_dir);

    if (status != EXIT_DONE)
        return status;
    status = load_default(&list, isa, gpu);
    if (status == EXIT_DONE && *gpu == NULL)
        status = say_no_default(isa, &list);
    teg_gpu_list_release(&list);
    return status;
}

int gpu_open_default(uint32_t isa, const char *config_dir, struct teg_gpu **gpu)
{
    int status = gpu_open_for(isa, config_dir, gpu);

    if (status == EXIT_DONE)
        say("", "sm_%u: simulating %s; -g chooses another GPU", isa,
            (*gpu)->name);
    return status;
}

static int change(struct teg_gpu *gpu, const char *text)
{
    struct teg_diag d;

    if (strchr(text, '\n') != NULL)
        say("--set", "expected KEY=VALUE, found a line's end");
    else if (teg_gpu_set_pair(gpu, text, &d) != TEG_OK)
        say("--set", "%s", d.what);
    else
        return EXIT_DONE;
    return EXIT_USAGE;
}

int gpu_change(struct teg_gpu *gpu, const char *clock,
               const struct opt_list *set)
{
    struct teg_diag d;
    int status = EXIT_DONE;

    if (clock == NULL && set->count == 0)
        return EXIT_DONE;
    if (clock != NULL && teg_gpu_set_clock(gpu, clock, &d) != TEG_OK) {
        say("--clock", "%s", d.what);
        return EXIT_USAGE;
    }
    for (uint32_t i = 0; status == EXIT_DONE && i < set->count; i++)
        status = change(gpu, set->item[i]);
    if (status == EXIT_DONE && teg_gpu_check(gpu, &d) != TEG_OK)
        status = say_fault(&d);
    return status;
}
