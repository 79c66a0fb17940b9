/* The table of counters: parts are joined as a list written without it says. */
#include "sim/collect/counters.h"

#include <string.h>

#include "tests/help_counters.h"
#include "tests/help_suite.h"

static struct teg_statistics to, part, before;

static uint64_t joined(char how, uint64_t a, uint64_t b)
{
    if (how == '+')
        return a + b;
    return how == '>' && b > a ? b : a;
}

/* Puts into `before` what the join must make of it. */
static void join_by_the_list(uint32_t units)
{
    const struct help_counter *c;
    size_t count = help_counters(&c);

    for (size_t n = 0; n < count; n++) {
        int per_unit = strncmp(c[n].name, "unit", 4) == 0 ||
                       strstr(c[n].name, "_bin") != NULL;

        for (size_t item = 0; item < (per_unit ? units : c[n].items); item++) {
            for (size_t i = 0; i < c[n].count; i++) {
                uint64_t a = help_counter_get(&c[n], &before, item, i);
                uint64_t b = help_counter_get(&c[n], &part, item, i);

                help_counter_set(&c[n], &before, item, i,
                                 joined(c[n].join, a, b));
            }
        }
    }
}

static void compare(void)
{
    const struct help_counter *c;
    size_t count = help_counters(&c);

    for (size_t n = 0; n < count; n++) {
        for (size_t item = 0; item < c[n].items; item++) {
            for (size_t i = 0; i < c[n].count; i++)
                ck_assert_msg(help_counter_get(&c[n], &before, item, i) ==
                                  help_counter_get(&c[n], &to, item, i),
                              "%s of item %zu, %zu", c[n].name, item, i);
        }
    }
    /* and nothing else has changed */
    ck_assert_mem_eq(&to, &before, sizeof to);
}

/* Of neighbours, one is larger in the whole and one in the part. */
START_TEST(parts_join_as_each_counter_must)
{
    help_counters_fill(&to, 101, 53);
    help_counters_fill(&part, 59, 211);
    strcpy(to.name, "whole");
    strcpy(part.name, "part");
    to.channels = 8;
    part.registers = 16;
    before = to;
    join_by_the_list(TEG_MAX_UNITS);
    teg_statistics_join(&to, &part);
    compare();
}
END_TEST

START_TEST(units_that_are_not_there_are_left_alone)
{
    help_counters_fill(&to, 101, 53);
    help_counters_fill(&part, 59, 211);
    to.unit_count = part.unit_count = 3;
    before = to;
    join_by_the_list(3);
    teg_statistics_join(&to, &part);
    compare();
}
END_TEST

/* A row that the list has not: joined as it says itself. */
START_TEST(every_row_is_joined_as_it_says)
{
    uint32_t count;
    const struct teg_counter *c = teg_counters(&count);

    for (uint32_t n = 0; n < count; n++) {
        uint32_t item = c[n].items - 1, i = c[n].count - 1;
        uint64_t sum = c[n].join == COUNTER_JOIN_SUM ? 12 : 7;

        memset(&to, 0, sizeof to);
        memset(&part, 0, sizeof part);
        to.unit_count = TEG_MAX_UNITS;
        teg_counter_set(&c[n], &to, item, i, 7);
        teg_counter_set(&c[n], &part, item, i, 5);
        teg_statistics_join(&to, &part);
        ck_assert_msg(teg_counter_get(&c[n], &to, item, i) == sum, "%s",
                      c[n].name);
        teg_counter_set(&c[n], &to, item, i, 0);
        to.unit_count = 0;
        memset(&part, 0, sizeof part);
        ck_assert_msg(memcmp(&to, &part, sizeof to) == 0,
                      "%s is not the only one that changed", c[n].name);
    }
}
END_TEST

/* The list is complete: each row is at the place of a member of it. */
START_TEST(every_member_of_the_list_is_a_row)
{
    uint32_t count;
    const struct teg_counter *c = teg_counters(&count);
    const struct help_counter *list;
    size_t listed = help_counters(&list);

    for (size_t n = 0; n < listed; n++) {
        uint32_t rows = 0;

        memset(&to, 0, sizeof to);
        help_counter_set(&list[n], &to, list[n].items - 1, list[n].count - 1,
                         9);
        to.unit_count = TEG_MAX_UNITS;
        for (uint32_t r = 0; r < count; r++)
            rows += teg_counter_get(&c[r], &to, c[r].items - 1,
                                    c[r].count - 1) == 9;
        ck_assert_msg(rows == 1, "%s is in %u rows", list[n].name, rows);
    }
}
END_TEST

HELP_MAIN("sim/collect/counters", 30, {parts_join_as_each_counter_must, 0},
          {units_that_are_not_there_are_left_alone, 0},
          {every_row_is_joined_as_it_says, 0},
          {every_member_of_the_list_is_a_row, 0})
