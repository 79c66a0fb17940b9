/* What is touched is counted within 2 %, however often and in whatever order;
 * the word of most atomics is found. */
#include "traces/study/footprint.h"

#include <check.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tests/help_suite.h"

static struct teg_footprint f;

static void touched(uint64_t sectors, double within)
{
    double bytes = teg_footprint_bytes(&f);

    ck_assert_double_le(fabs(bytes - (double)sectors * TEG_FOOTPRINT_SECTOR),
                        within * (double)sectors * TEG_FOOTPRINT_SECTOR);
}

/* Neighbors, rows of 4 KB and everything between: 4 standard errors. */
START_TEST(distinct_sectors_are_counted)
{
    static const uint64_t strides[] = {32, 128, 4096, 4128, 1 << 20};
    static const uint64_t counts[] = {1, 100, 5000, 100000, 1000000, 5000000};

    for (size_t s = 0; s < sizeof strides / sizeof strides[0]; s++) {
        for (size_t n = 0; n < sizeof counts / sizeof counts[0]; n++) {
            memset(&f, 0, sizeof f);
            for (uint64_t i = 0; i < counts[n]; i++)
                teg_footprint_touch(&f, 0x7f0000000000 + i * strides[s], 4);
            touched(counts[n], 0.016);
        }
    }
}
END_TEST

START_TEST(nothing_is_no_bytes)
{
    memset(&f, 0, sizeof f);
    ck_assert_double_eq(teg_footprint_bytes(&f), 0);
    ck_assert_uint_eq(teg_footprint_hottest(&f), 0);
}
END_TEST

START_TEST(again_is_no_more)
{
    double once;

    memset(&f, 0, sizeof f);
    for (uint64_t i = 0; i < 3000; i++)
        teg_footprint_touch(&f, 64 * i, 4);
    once = teg_footprint_bytes(&f);
    for (uint64_t i = 3000; i-- > 0;)
        teg_footprint_touch(&f, 64 * i + 16, 16);
    ck_assert_double_eq(teg_footprint_bytes(&f), once);
}
END_TEST

/* 16 bytes at 24 lie in two sectors, at 16 in one. */
START_TEST(what_lies_across_two_sectors_touches_both)
{
    memset(&f, 0, sizeof f);
    for (uint64_t i = 0; i < 1000; i++)
        teg_footprint_touch(&f, 4096 * i + 16, 16);
    touched(1000, 0.016);
    for (uint64_t i = 0; i < 1000; i++)
        teg_footprint_touch(&f, 4096 * i + 24, 16);
    touched(2000, 0.016);
}
END_TEST

START_TEST(the_hottest_word_is_found_among_many)
{
    memset(&f, 0, sizeof f);
    for (uint64_t i = 0; i < 500000; i++) {
        teg_footprint_atomic(&f, 4 * i);
        if (i % 10 == 0)
            teg_footprint_atomic(&f, 0x1000001); /* a byte of the word */
    }
    ck_assert_uint_ge(teg_footprint_hottest(&f), 50000);
    ck_assert_uint_le(teg_footprint_hottest(&f), 50100);
}
END_TEST

HELP_MAIN("footprint", 30, {distinct_sectors_are_counted, 0},
          {nothing_is_no_bytes, 0}, {again_is_no_more, 0},
          {what_lies_across_two_sectors_touches_both, 0},
          {the_hottest_word_is_found_among_many, 0})
