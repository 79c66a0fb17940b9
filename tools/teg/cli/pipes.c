#include "tools/teg/cli/pipes.h"

#include "tools/teg/cli/teg.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    PIPES_MAX = 16
};

/* Of the one command that this process runs; its end closes them. */
static struct {
    char path[32];  /* of the copy */
    char title[64]; /* of the pipe */
} pipes[PIPES_MAX];
static uint32_t pipe_count;

const char *pipe_title(const char *path, char *out, int size)
{
    for (uint32_t i = 0; i < pipe_count; i++) {
        const size_t length = strlen(pipes[i].path);

        if (strncmp(path, pipes[i].path, length) == 0 &&
            (path[length] < '0' || path[length] > '9')) {
            snprintf(out, (size_t)size, "%s%s", pipes[i].title, path + length);
            return out;
        }
    }
    return path;
}

bool pipe_is_copy(const char *path)
{
    for (uint32_t i = 0; i < pipe_count; i++) {
        if (strcmp(path, pipes[i].path) == 0)
            return true;
    }
    return false;
}

static bool write_all(int fd, const char *data, size_t left)
{
    while (left > 0) {
        const ssize_t n = write(fd, data, left);

        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            data += n;
            left -= (size_t)n;
        }
    }
    return true;
}

/* Returns false with errno set. */
static bool copy(int from, int to)
{
    static char block[1 << 16];
    ssize_t n;

    while ((n = read(from, block, sizeof block)) != 0) {
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0 && !write_all(to, block, (size_t)n))
            return false;
    }
    return true;
}

static bool is_pipe(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && S_ISFIFO(st.st_mode);
}

int pipe_copy(char **path)
{
    const bool standard = strcmp(*path, "-") == 0;
    const char *title = standard ? "standard input" : *path;
    int from = STDIN_FILENO, to = -1;
    FILE *f;

    if (!standard && !is_pipe(*path))
        return EXIT_DONE;
    if (pipe_count == PIPES_MAX) {
        say(title, "more than %d pipes", PIPES_MAX);
        return EXIT_USAGE;
    }
    if (!standard)
        from = open(*path, O_RDONLY | O_CLOEXEC);
    f = tmpfile();
    if (f != NULL)
        to = dup(fileno(f));
    if (f != NULL)
        fclose(f);
    if (from < 0 || to < 0 || !copy(from, to)) {
        say(title, "cannot copy to a temporary file: %s", strerror(errno));
        return EXIT_FAULT;
    }
    if (!standard)
        close(from);
    snprintf(pipes[pipe_count].path, sizeof pipes->path, "/dev/fd/%d", to);
    snprintf(pipes[pipe_count].title, sizeof pipes->title, "%.60s", title);
    *path = pipes[pipe_count++].path;
    return EXIT_DONE;
}
