#define _GNU_SOURCE /* O_TMPFILE */
#include "isa/base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LINKS_MAX = 40, /* that follow each other, as in Linux */
    NAME_TRIES = 100,
};

static const char tail[] = ".XXXXXX";

/* ---- where it goes -------------------------------------------------------- */

/* `name`, from the directory of `path` unless it is absolute. */
static char *beside(const char *path, const char *name)
{
    const char *slash = name[0] != '/' ? strrchr(path, '/') : NULL;
    size_t front = slash != NULL ? (size_t)(slash + 1 - path) : 0;
    char *out = malloc(front + strlen(name) + 1);

    if (out != NULL) {
        memcpy(out, path, front);
        memcpy(out + front, name, strlen(name) + 1);
    }
    return out;
}

/* Where the link at `path` points to. */
static char *target(const char *path)
{
    char name[4096];
    ssize_t length = readlink(path, name, sizeof name - 1);

    if (length < 0 || length == sizeof name - 1) {
        errno = length < 0 ? errno : ENAMETOOLONG;
        return NULL;
    }
    name[length] = '\0';
    return beside(path, name);
}

/* A link whose target is not there yet is followed, too. */
static char *follow_links(const char *path)
{
    char *at = strdup(path);
    struct stat st;

    for (int i = 0; at != NULL && lstat(at, &st) == 0 && S_ISLNK(st.st_mode);
         i++) {
        char *next = i < LINKS_MAX ? target(at) : NULL;

        if (i == LINKS_MAX)
            errno = ELOOP;
        free(at);
        at = next;
    }
    return at;
}

static char *directory_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL)
        return strdup(".");
    return strndup(path, slash > path ? (size_t)(slash - path) : 1);
}

/* ---- opening -------------------------------------------------------------- */

/* Without a name; -1 where a file system cannot, or there is no way from the
 * descriptor to a name. */
static int open_nameless(const char *path)
{
    char *directory = directory_of(path);
    int fd = -1;

    if (directory != NULL && access("/proc/self/fd", X_OK) == 0)
        fd = open(directory, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0666);
    free(directory);
    return fd;
}

static int open_named(char *temporary, const char *path)
{
    mode_t mask = umask(0);
    int fd;

    umask(mask);
    strcpy(temporary, path);
    strcat(temporary, tail);
    fd = mkstemp(temporary);
    if (fd >= 0)
        fchmod(fd, 0666 & ~mask);
    return fd;
}

/* `old`: what it will replace, NULL if nothing. */
static int open_beside(struct teg_outfile *o, const struct stat *old)
{
    int fd;

    if (old != NULL && access(o->path, W_OK) != 0)
        return -1;
    o->temporary = calloc(1, strlen(o->path) + sizeof tail);
    if (o->temporary == NULL)
        return -1;
    fd = open_nameless(o->path);
    if (fd < 0)
        fd = open_named(o->temporary, o->path);
    if (fd >= 0 && old != NULL)
        fchmod(fd, old->st_mode & 0777);
    return fd;
}

static int open_place(struct teg_outfile *o, const char *path)
{
    struct stat st;
    int there;

    /* Not followed: it may be a file that others write to as well. */
    if (strcmp(path, "/dev/stdout") == 0) {
        o->path = strdup(path);
        return o->path != NULL ? dup(STDOUT_FILENO) : -1;
    }
    o->path = follow_links(path);
    if (o->path == NULL)
        return -1;
    there = stat(o->path, &st) == 0;
    return there && !S_ISREG(st.st_mode) ? open(o->path, O_WRONLY | O_CLOEXEC)
                                         : open_beside(o, there ? &st : NULL);
}

teg_status teg_outfile_open(struct teg_outfile *o, const char *path,
                            struct teg_diag *d)
{
    teg_status status;
    int fd;

    *o = (struct teg_outfile){0};
    fd = open_place(o, path);
    if (fd >= 0)
        o->file = fdopen(fd, "w");
    if (o->file != NULL)
        return TEG_OK;
    status =
        errno == ENOMEM ? teg_fail_memory(d) : teg_fail_errno(d, path, "write");
    if (fd >= 0) {
        close(fd);
    } else { /* nothing of ours has that name */
        free(o->temporary);
        o->temporary = NULL;
    }
    teg_outfile_abandon(o);
    return status;
}

/* ---- the end -------------------------------------------------------------- */

/* Six letters that nobody else has at the moment. */
static void vary(char *end, int try)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    unsigned long seed = (unsigned long)getpid() * NAME_TRIES + (unsigned)try;

    for (size_t i = 1; i < sizeof tail - 1; i++) {
        end[i] = letters[seed % (sizeof letters - 1)];
        seed /= sizeof letters - 1;
    }
}

/* Gives a nameless file its name.  No call puts one in place of another: if
 * the place is taken, it gets a name beside it first. */
static int give_name(struct teg_outfile *o, int *is_placed)
{
    char self[32];
    size_t length = strlen(o->path);

    snprintf(self, sizeof self, "/proc/self/fd/%d", fileno(o->file));
    *is_placed =
        linkat(AT_FDCWD, self, AT_FDCWD, o->path, AT_SYMLINK_FOLLOW) == 0;
    if (*is_placed || errno != EEXIST)
        return *is_placed;
    strcpy(o->temporary, o->path);
    strcat(o->temporary, tail);
    for (int i = 0; i < NAME_TRIES; i++) {
        vary(o->temporary + length, i);
        if (linkat(AT_FDCWD, self, AT_FDCWD, o->temporary, AT_SYMLINK_FOLLOW) ==
            0)
            return 1;
        if (errno != EEXIST)
            break;
    }
    o->temporary[0] = '\0';
    return 0;
}

/* What is on the disk has its name only once it is whole there. */
static int is_stored(FILE *f)
{
    return fflush(f) == 0 && !ferror(f) &&
           (fsync(fileno(f)) == 0 || errno == EINVAL || errno == EROFS);
}

static int finish(struct teg_outfile *o)
{
    int is_placed = o->temporary == NULL, done = is_stored(o->file);

    if (done && !is_placed && o->temporary[0] == '\0')
        done = give_name(o, &is_placed);
    if (fclose(o->file) != 0)
        done = 0;
    o->file = NULL;
    if (done && !is_placed)
        done = rename(o->temporary, o->path) == 0;
    if (done && o->temporary != NULL)
        o->temporary[0] = '\0';
    return done;
}

teg_status teg_outfile_finish(struct teg_outfile *o, struct teg_diag *d)
{
    teg_status status = TEG_OK;

    errno = 0;
    if (!finish(o)) {
        errno = errno != 0 ? errno : EIO;
        status = teg_fail_errno(d, o->path, "write");
    }
    teg_outfile_abandon(o);
    return status;
}

void teg_outfile_abandon(struct teg_outfile *o)
{
    int error = errno;

    if (o->file != NULL)
        fclose(o->file);
    if (o->temporary != NULL && o->temporary[0] != '\0')
        unlink(o->temporary);
    free(o->temporary);
    free(o->path);
    *o = (struct teg_outfile){0};
    errno = error;
}
