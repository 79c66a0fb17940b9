/* Words that atomics update, counted in little memory: against the sets and
 * sums that they stand for. */
#include "sim/engine/hot_words.h"

#include <string.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"

static struct sim_hot_words hot, other;

static void add(struct sim_hot_words *h, uint64_t word, uint8_t lanes)
{
    const struct sim_places p = {
        .count = 1, .lanes = {lanes}, .address = {4 * word}};

    sim_hot_words_add(h, &p);
}

static void expect(uint64_t words, uint64_t most)
{
    uint64_t w, m;

    sim_hot_words_count(&hot, &w, &m);
    ck_assert_uint_eq(w, words);
    ck_assert_uint_eq(m, most);
}

static void reset(void)
{
    memset(&hot, 0, sizeof hot);
    memset(&other, 0, sizeof other);
}

START_TEST(words_in_rows_are_told_apart)
{
    static const uint32_t apart[] = {1, 2, 3, 32, 33, 1024, 4096, 65536};

    for (size_t i = 0; i < sizeof apart / sizeof apart[0]; i++) {
        reset();
        expect(0, 0);
        for (uint64_t w = 0; w < 256; w++) {
            add(&hot, 0x1fc000000000 + w * apart[i], 2);
            add(&hot, 0x1fc000000000 + w * apart[i], 1);
        }
        expect(256, 3);
    }
}
END_TEST

START_TEST(the_busiest_word_is_one_word)
{
    reset();
    add(&hot, 7, 5);
    add(&hot, 8, 32);
    add(&hot, 7, 20);
    expect(2, 32);
    add(&hot, 7, 20);
    expect(2, 45);
    /* Another word in the bucket of 8: two there, of which nothing is known. */
    add(&hot, 8 + 1021 * 77, 32);
    expect(3, 45);
    add(&hot, 8, 32);
    expect(3, 45);
}
END_TEST

START_TEST(sums_do_not_depend_on_their_order)
{
    uint64_t state = 1, words[2], most[2];

    reset();
    for (int i = 0; i < 4000; i++) {
        uint64_t word = help_below(&state, 3000);
        uint8_t lanes = (uint8_t)(1 + help_below(&state, 32));

        add(help_below(&state, 2) ? &hot : &other, word, lanes);
    }
    for (int way = 0; way < 2; way++) {
        struct sim_hot_words sum = way ? hot : other;

        sim_hot_words_join(&sum, way ? &other : &hot);
        sim_hot_words_count(&sum, &words[way], &most[way]);
    }
    ck_assert_uint_eq(words[0], words[1]);
    ck_assert_uint_eq(most[0], most[1]);
    ck_assert_uint_le(words[0], 3000);
}
END_TEST

HELP_MAIN("sim/engine/hot_words", 4, {words_in_rows_are_told_apart, 0},
          {the_busiest_word_is_one_word, 0},
          {sums_do_not_depend_on_their_order, 0})
