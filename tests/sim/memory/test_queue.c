/* The arithmetic of reservations: ticks, rates, waiting. */
#include "sim/memory/queue.h"

#include "tests/help_suite.h"

/* 1024 ticks a cycle, to the nearest. */
START_TEST(cycles_become_the_nearest_tick)
{
    ck_assert_uint_eq(sim_ticks_of(0), 0);
    ck_assert_uint_eq(sim_ticks_of(2), 2048);
    ck_assert_uint_eq(sim_ticks_of(1.0 / 3), 341); /* 341.33 */
    ck_assert_uint_eq(sim_ticks_of(2.0 / 3), 683); /* 682.67 */
}
END_TEST

START_TEST(a_tick_of_a_cycle_ends_in_the_next)
{
    ck_assert_uint_eq(sim_cycles_up(0), 0);
    ck_assert_uint_eq(sim_cycles_up(1), 1);
    ck_assert_uint_eq(sim_cycles_up(1024), 1);
    ck_assert_uint_eq(sim_cycles_up(1025), 2);
}
END_TEST

/* 2^26 / 3 = 22369621.33 and 2^26 / 6 = 11184810.67 ticks a byte, times 2^16. */
START_TEST(rates_are_to_the_nearest_fraction_of_a_tick)
{
    ck_assert_uint_eq(sim_rate_of(3), 22369621);
    ck_assert_uint_eq(sim_rate_of(6), 11184811);
    ck_assert_uint_eq(sim_bytes_ticks(sim_rate_of(32), 128), 4096);
    /* 128 bytes at 13.67 a cycle are 9.36 cycles: 9588.3 ticks */
    ck_assert_uint_eq(sim_bytes_ticks(sim_rate_of(13.67), 128), 9588);
    /* nothing given is no limit */
    ck_assert_uint_eq(sim_bytes_ticks(sim_rate_of(0), 1 << 20), 0);
}
END_TEST

START_TEST(a_queue_is_taken_in_the_order_of_asking)
{
    struct sim_queue q = {0};

    ck_assert_uint_eq(sim_queue_wait(&q, 100, 10), 0);
    ck_assert_uint_eq(sim_queue_wait(&q, 100, 10), 10);
    ck_assert_uint_eq(sim_queue_wait(&q, 119, 10), 1);
    ck_assert_uint_eq(sim_queue_wait(&q, 130, 10), 0);
    ck_assert_uint_eq(sim_queue_wait(&q, 50, 0), 90);
}
END_TEST

HELP_MAIN("sim/memory/queue", 30, {cycles_become_the_nearest_tick, 0},
          {a_tick_of_a_cycle_ends_in_the_next, 0},
          {rates_are_to_the_nearest_fraction_of_a_tick, 0},
          {a_queue_is_taken_in_the_order_of_asking, 0})
