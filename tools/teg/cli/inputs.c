#define _XOPEN_SOURCE 700 /* realpath */
#include "tools/teg/cli/inputs.h"

#include "tools/teg/cli/teg.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct input {
    dev_t device;
    ino_t inode;
};

/* Of the one command that this process runs; its end releases them. */
static struct {
    struct input *file; /* owned, [count] */
    size_t count, room;
} inputs;

static bool is_file(const char *path, struct stat *st)
{
    return stat(path, st) == 0 && S_ISREG(st->st_mode);
}

static bool is_known(const struct stat *st)
{
    for (size_t i = 0; i < inputs.count; i++) {
        if (inputs.file[i].device == st->st_dev &&
            inputs.file[i].inode == st->st_ino)
            return true;
    }
    return false;
}

int inputs_add(const char *path)
{
    struct stat st;

    if (!is_file(path, &st))
        return EXIT_DONE;
    if (inputs.count == inputs.room) {
        size_t room = inputs.room * 2 + 8;
        struct input *more = realloc(inputs.file, room * sizeof *more);

        if (more == NULL)
            return say_memory();
        inputs.file = more;
        inputs.room = room;
    }
    inputs.file[inputs.count++] = (struct input){st.st_dev, st.st_ino};
    return EXIT_DONE;
}

int inputs_spare(const char *path)
{
    struct stat st;

    if (path == NULL || !is_file(path, &st) || !is_known(&st))
        return EXIT_DONE;
    say(path, "this command reads it and would write its result over it");
    return EXIT_USAGE;
}

/* ---- outputs ---------------------------------------------------------------- */

enum {
    OUTPUTS_MAX = 80, /* more than a command has options */
};

/* Where a file will be, whether or not it is there now. */
static struct {
    char *at[OUTPUTS_MAX]; /* owned, [count] */
    size_t count;
} outputs;

/* The absolute path without links, NULL if its directory is not there: opening
 * it says so. */
static char *place_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    char *whole = realpath(path, NULL), *directory, *place = NULL;
    char front[PATH_MAX];
    int length;

    if (whole != NULL)
        return whole;
    length = slash != NULL ? (int)(slash - path) + 1 : 0;
    if (snprintf(front, sizeof front, "%.*s.", length, path) >=
        (int)sizeof front)
        return NULL;
    directory = realpath(front, NULL);
    if (directory != NULL) {
        size_t size = strlen(directory) + strlen(path + length) + 2;

        place = malloc(size);
        if (place != NULL)
            snprintf(place, size, "%s/%s", directory, path + length);
    }
    free(directory);
    return place;
}

/* Devices and pipes take what comes, twice too. */
static bool is_replaced(const char *path)
{
    struct stat st;

    return stat(path, &st) != 0 || S_ISREG(st.st_mode);
}

int outputs_add(const char *path)
{
    char *place = path != NULL && is_replaced(path) ? place_of(path) : NULL;

    if (place == NULL)
        return EXIT_DONE;
    for (size_t i = 0; i < outputs.count; i++) {
        if (strcmp(outputs.at[i], place) == 0) {
            free(place);
            say(path, "this command would write two results there");
            return EXIT_USAGE;
        }
    }
    if (outputs.count < OUTPUTS_MAX)
        outputs.at[outputs.count++] = place;
    else
        free(place);
    return EXIT_DONE;
}
