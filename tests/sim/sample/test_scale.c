/* A sample's counters as those of the whole, against a list written without
 * sim/collect/counters.def. */
#include "sim/sample/scale.h"

#include "tests/help_counters.h"
#include "tests/help_suite.h"

static struct teg_statistics s, before;

/* To five halves, halves up. */
START_TEST(what_is_work_is_scaled_and_the_rest_stays)
{
    const struct help_counter *c;
    size_t count = help_counters(&c);
    uint64_t reasons = 0;

    help_counters_fill(&before, 101, 53);
    s = before;
    sample_scale(&s, 2.5, 1234567);
    for (size_t n = 0; n < count; n++) {
        for (size_t item = 0; item < c[n].items; item++) {
            for (size_t i = 0; i < c[n].count; i++) {
                uint64_t v = help_counter_get(&c[n], &before, item, i);
                uint64_t found = help_counter_get(&c[n], &s, item, i);

                if (c[n].sample != '!')
                    ck_assert_msg(
                        found == (c[n].sample == '*' ? (5 * v + 1) / 2 : v),
                        "%s of item %zu", c[n].name, item);
            }
        }
    }
    for (uint32_t i = 0; i < TEG_STALLS; i++)
        reasons += s.stall[i];
    ck_assert_uint_eq(s.warp_instructions, 1234567);
    ck_assert_uint_eq(s.resident_warp_cycles, 1234567 + reasons);
}
END_TEST

HELP_MAIN("sim/sample/scale", 30,
          {what_is_work_is_scaled_and_the_rest_stays, 0})
