/* Descriptions of directories, by name and by architecture. */
#include "config/gpu_list.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/help_suite.h"

static struct teg_gpu_list list;
static struct teg_diag d;
static char first[64], second[64]; /* directories */

static void begin(void)
{
    list = (struct teg_gpu_list){0};
    strcpy(first, "/tmp/test_gpu_list.XXXXXX");
    strcpy(second, first);
    ck_assert_ptr_nonnull(mkdtemp(first));
    ck_assert_ptr_nonnull(mkdtemp(second));
}

static void end(void)
{
    char command[256];

    teg_gpu_list_release(&list);
    snprintf(command, sizeof command, "rm -r %s %s", first, second);
    ck_assert_int_eq(system(command), 0);
}

/* v100.cfg, which stands for sm_70, under another name. */
static void describe(const char *directory, const char *file)
{
    char command[256];

    snprintf(command, sizeof command,
             "sed \"s,family = \\\"family,family = \\\"$PWD/config/family,\" "
             "config/v100.cfg > %s/%s",
             directory, file);
    ck_assert_int_eq(system(command), 0);
}

static void add(const char *directory)
{
    ck_assert_int_eq(teg_gpu_list_add(&list, directory, &d), TEG_OK);
}

START_TEST(the_first_of_a_name_hides_later_ones)
{
    const struct teg_gpu_entry *e;

    begin();
    describe(first, "b.cfg");
    describe(first, ".hidden.cfg");
    describe(first, "c.txt");
    describe(second, "b.cfg");
    describe(second, "a.cfg");
    add("/nowhere");
    add(first);
    add(second);
    ck_assert_uint_eq(list.directories, 2);
    ck_assert_uint_eq(list.count, 2);
    ck_assert_str_eq(list.entry[0].name, "a");
    ck_assert_uint_eq(list.entry[0].directory, 1);
    e = teg_gpu_list_find(&list, "b");
    ck_assert_ptr_eq(e, &list.entry[1]);
    ck_assert_ptr_nonnull(strstr(e->path, first));
    ck_assert_ptr_null(teg_gpu_list_find(&list, "c"));
    end();
}
END_TEST

START_TEST(the_first_directory_that_has_one_decides)
{
    const struct teg_gpu_entry *rival;

    begin();
    describe(first, "z.cfg");
    describe(second, "a.cfg");
    describe(second, "b.cfg");
    add(first);
    add(second);
    ck_assert_str_eq(teg_gpu_list_default(&list, 70, &rival)->name, "z");
    ck_assert_ptr_null(rival);
    ck_assert_ptr_null(teg_gpu_list_default(&list, 80, &rival));
    ck_assert_ptr_null(teg_gpu_list_default(&list, 0, &rival));
    end();
}
END_TEST

START_TEST(two_of_a_directory_are_rivals)
{
    const struct teg_gpu_entry *rival;

    begin();
    describe(first, "b.cfg");
    describe(first, "a.cfg");
    add(first);
    ck_assert_str_eq(teg_gpu_list_default(&list, 70, &rival)->name, "a");
    ck_assert_str_eq(rival->name, "b");
    end();
}
END_TEST

/* A description may stand for none. */
START_TEST(none_stands_for_an_unknown_architecture)
{
    const struct teg_gpu_entry *rival;
    char command[256];

    begin();
    describe(first, "a.cfg");
    snprintf(command, sizeof command, "sed -i /default_for/d %s/a.cfg", first);
    ck_assert_int_eq(system(command), 0);
    add(first);
    ck_assert_ptr_null(teg_gpu_list_default(&list, 0, &rival));
    ck_assert_ptr_null(teg_gpu_list_default(&list, 70, &rival));
    end();
}
END_TEST

START_TEST(colons_join_directories)
{
    char text[TEG_GPU_PATH_SIZE + 16], directory[TEG_GPU_PATH_SIZE];
    const char *at = ":one::two:";

    ck_assert(teg_gpu_path_next(&at, directory));
    ck_assert_str_eq(directory, "one");
    ck_assert(teg_gpu_path_next(&at, directory));
    ck_assert_str_eq(directory, "two");
    ck_assert(!teg_gpu_path_next(&at, directory));
    memset(text, 'x', TEG_GPU_PATH_SIZE);
    strcpy(text + TEG_GPU_PATH_SIZE, ":short");
    at = text;
    ck_assert(teg_gpu_path_next(&at, directory));
    ck_assert_str_eq(directory, "short");
    at = text + 1;
    ck_assert(teg_gpu_path_next(&at, directory));
    ck_assert_uint_eq(strlen(directory), TEG_GPU_PATH_SIZE - 1);
}
END_TEST

START_TEST(a_slash_or_an_ending_makes_a_path)
{
    ck_assert(teg_gpu_is_path("a/b"));
    ck_assert(teg_gpu_is_path("b.cfg"));
    ck_assert(!teg_gpu_is_path(".cfg"));
    ck_assert(!teg_gpu_is_path("v100"));
}
END_TEST

HELP_MAIN("gpu list", 30, {the_first_of_a_name_hides_later_ones, 0},
          {the_first_directory_that_has_one_decides, 0},
          {two_of_a_directory_are_rivals, 0},
          {none_stands_for_an_unknown_architecture, 0},
          {colons_join_directories, 0}, {a_slash_or_an_ending_makes_a_path, 0})
