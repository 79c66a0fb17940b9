#include "tools/teg/cli/inputs.h"

#include "tools/teg/cli/teg.h"

#include <stdlib.h>
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
