/* A result in a file is complete or not there, in a directory of its own. */
#include "isa/base/outfile.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/help_suite.h"

static char directory[] = "/tmp/teg-outfile-XXXXXX";

static void enter(void)
{
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(chdir(directory), 0);
}

static void leave(void)
{
    DIR *d = opendir(".");
    struct dirent *e;

    while ((e = readdir(d)) != NULL)
        unlink(e->d_name);
    closedir(d);
    ck_assert_int_eq(rmdir(directory), 0);
}

/* Names in the directory. */
static int names(void)
{
    DIR *d = opendir(".");
    int count = 0;

    while (readdir(d) != NULL)
        count++;
    closedir(d);
    return count - 2; /* . and .. */
}

static void put(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    ck_assert_ptr_nonnull(f);
    fputs(text, f);
    fclose(f);
}

static void expect(const char *path, const char *text)
{
    char found[64] = "";
    FILE *f = fopen(path, "r");

    ck_assert_ptr_nonnull(f);
    found[fread(found, 1, sizeof found - 1, f)] = '\0';
    fclose(f);
    ck_assert_str_eq(found, text);
}

static void write_new(const char *path)
{
    struct teg_outfile o;
    struct teg_diag d;

    ck_assert_int_eq(teg_outfile_open(&o, path, &d), TEG_OK);
    fputs("new", o.file);
    ck_assert_int_eq(teg_outfile_finish(&o, &d), TEG_OK);
}

START_TEST(what_was_there_stays_until_the_end)
{
    struct teg_outfile o;
    struct teg_diag d;

    enter();
    put("a", "old");
    ck_assert_int_eq(teg_outfile_open(&o, "a", &d), TEG_OK);
    fputs("new", o.file);
    fflush(o.file);
    expect("a", "old");
    teg_outfile_abandon(&o);
    expect("a", "old");
    ck_assert_int_eq(names(), 1);
    write_new("a");
    expect("a", "new");
    ck_assert_int_eq(names(), 1);
    leave();
}
END_TEST

START_TEST(a_new_file_has_the_permissions_of_the_umask_an_old_one_its_own)
{
    struct stat st;

    enter();
    umask(027);
    write_new("a");
    ck_assert_int_eq(stat("a", &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0640);
    chmod("a", 0604);
    write_new("a");
    ck_assert_int_eq(stat("a", &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0604);
    leave();
}
END_TEST

START_TEST(a_link_is_written_through)
{
    struct stat st;

    enter();
    put("target", "old");
    ck_assert_int_eq(symlink("target", "one"), 0);
    ck_assert_int_eq(symlink("one", "two"), 0);
    ck_assert_int_eq(symlink("absent", "three"), 0);
    write_new("two");
    write_new("three");
    expect("target", "new");
    expect("absent", "new");
    ck_assert(lstat("two", &st) == 0 && S_ISLNK(st.st_mode));
    ck_assert(lstat("three", &st) == 0 && S_ISLNK(st.st_mode));
    leave();
}
END_TEST

START_TEST(links_in_a_circle_end)
{
    struct teg_outfile o;
    struct teg_diag d;

    enter();
    ck_assert_int_eq(symlink("b", "a"), 0);
    ck_assert_int_eq(symlink("a", "b"), 0);
    ck_assert_int_eq(teg_outfile_open(&o, "a", &d), TEG_IO);
    ck_assert_str_eq(d.where, "a");
    ck_assert_str_eq(d.what, "cannot write: Too many levels of symbolic links");
    leave();
}
END_TEST

START_TEST(a_device_is_written_into)
{
    struct teg_outfile o;
    struct teg_diag d;
    struct stat st;

    ck_assert_int_eq(teg_outfile_open(&o, "/dev/null", &d), TEG_OK);
    fputs("new", o.file);
    ck_assert_int_eq(teg_outfile_finish(&o, &d), TEG_OK);
    ck_assert(stat("/dev/null", &st) == 0 && S_ISCHR(st.st_mode));
    ck_assert_int_eq(teg_outfile_open(&o, "/dev/full", &d), TEG_OK);
    fputs("new", o.file);
    ck_assert_int_eq(teg_outfile_finish(&o, &d), TEG_IO);
    ck_assert_str_eq(d.what, "cannot write: No space left on device");
}
END_TEST

START_TEST(a_place_that_is_none_is_one_line)
{
    struct teg_outfile o;
    struct teg_diag d;

    enter();
    ck_assert_int_eq(teg_outfile_open(&o, "absent/a", &d), TEG_IO);
    ck_assert_str_eq(d.where, "absent/a");
    ck_assert_str_eq(d.what, "cannot write: No such file or directory");
    ck_assert_int_eq(teg_outfile_open(&o, ".", &d), TEG_IO);
    ck_assert_str_eq(d.what, "cannot write: Is a directory");
    ck_assert_int_eq(names(), 0);
    leave();
}
END_TEST

/* Where the file system has no files without a name, one stays; /tmp has. */
START_TEST(a_process_that_is_killed_leaves_nothing)
{
    int has, fd;
    pid_t child;

    enter();
    put("a", "old");
    fd = open(".", 020000000 /* __O_TMPFILE */ | O_DIRECTORY | O_WRONLY, 0600);
    has = fd >= 0;
    close(fd);
    child = fork();
    if (child == 0) {
        struct teg_outfile o;

        if (teg_outfile_open(&o, "a", NULL) == TEG_OK) {
            fputs("new", o.file);
            fflush(o.file);
        }
        raise(SIGKILL);
    }
    ck_assert_int_eq(waitpid(child, NULL, 0), child);
    expect("a", "old");
    if (has)
        ck_assert_int_eq(names(), 1);
    leave();
}
END_TEST

HELP_MAIN("outfile", 10, {what_was_there_stays_until_the_end, 0},
          {a_new_file_has_the_permissions_of_the_umask_an_old_one_its_own, 0},
          {a_link_is_written_through, 0}, {links_in_a_circle_end, 0},
          {a_device_is_written_into, 0}, {a_place_that_is_none_is_one_line, 0},
          {a_process_that_is_killed_leaves_nothing, 0})
