#include "traces/block/shape.h"

static uint32_t first_lane(uint32_t mask)
{
    return (uint32_t)__builtin_ctz(mask);
}

/* Whether all 32 lanes are as the shape says. */
static int all_lanes_fit(const struct teg_access *a, const uint64_t *lane)
{
    uint32_t group = a->shape == SHAPE_GRID ? 1u << a->group_log2 : TEG_LANES;
    uint64_t row = a->base, wrong = 0;

    for (uint32_t l = 0; l < TEG_LANES; row += (uint64_t)(int64_t)a->pitch) {
        uint64_t expected = row;

        for (uint32_t end = l + group; l < end; l++) {
            wrong |= lane[l] ^ expected;
            expected += (uint64_t)(int64_t)a->stride;
        }
    }
    return wrong == 0;
}

/* Sets the base so that the first active lane fits, and tells whether all
 * others then do. */
static int shape_fits(struct teg_access *a, const uint64_t *lane)
{
    uint32_t first = first_lane(a->mask);

    a->base = 0;
    a->base = lane[first] - teg_access_lane(a, first);
    if (a->mask == UINT32_MAX)
        return all_lanes_fit(a, lane);
    for (uint32_t rest = a->mask & (a->mask - 1); rest != 0; rest &= rest - 1) {
        uint32_t l = first_lane(rest);

        if (teg_access_lane(a, l) != lane[l])
            return 0;
    }
    return 1;
}

/* Returns 1 and `*step` if `to - from` is `lanes` equal 32-bit steps. */
static int even_step(uint64_t from, uint64_t to, uint32_t lanes, int32_t *step)
{
    int64_t distance = (int64_t)(to - from);
    int64_t one = distance / (int64_t)lanes;

    if (one * (int64_t)lanes != distance || one < INT32_MIN || one > INT32_MAX)
        return 0;
    *step = (int32_t)one;
    return 1;
}

static int fit_line(struct teg_access *a, const uint64_t *lane)
{
    uint32_t first = first_lane(a->mask), rest = a->mask & (a->mask - 1);

    a->shape = SHAPE_LINE;
    a->stride = a->pitch = 0;
    a->group_log2 = 0;
    if (rest != 0 && !even_step(lane[first], lane[first_lane(rest)],
                                first_lane(rest) - first, &a->stride))
        return 0;
    return shape_fits(a, lane);
}

/* A tile's rows: `1 << group_log2` lanes in a row, rows `pitch` apart. */
static int fit_grid(struct teg_access *a, const uint64_t *lane,
                    uint32_t group_log2)
{
    uint32_t group = 1u << group_log2;
    uint32_t first = first_lane(a->mask);
    uint32_t row = first >> group_log2;
    uint32_t same_row, other_row, second, third;
    uint64_t start;

    same_row = a->mask &
               (((group == 32 ? 0 : 1u << group) - 1) << (row << group_log2));
    other_row = a->mask & ~same_row;
    same_row &= same_row - 1;
    if (same_row == 0 || other_row == 0)
        return 0;
    a->shape = SHAPE_GRID;
    a->group_log2 = group_log2;
    second = first_lane(same_row);
    third = first_lane(other_row);
    if (!even_step(lane[first], lane[second], second - first, &a->stride))
        return 0;
    start =
        lane[first] - (uint64_t)((int64_t)a->stride * (first & (group - 1)));
    start += (uint64_t)((int64_t)a->stride * (third & (group - 1)));
    if (!even_step(start, lane[third], (third >> group_log2) - row, &a->pitch))
        return 0;
    return shape_fits(a, lane);
}

void block_shape_fit(struct teg_access *a, const uint64_t lane[TEG_LANES],
                     const struct teg_predictor *before)
{
    if (before != NULL && before->shape != SHAPE_LIST) {
        a->shape = before->shape;
        a->stride = before->stride;
        a->pitch = before->pitch;
        a->group_log2 = before->group_log2;
        if (shape_fits(a, lane))
            return;
    }
    if (fit_line(a, lane))
        return;
    for (uint32_t group_log2 = GROUP_LOG2_MAX; group_log2 >= 1; group_log2--) {
        if (fit_grid(a, lane, group_log2))
            return;
    }
    a->shape = SHAPE_LIST;
    a->stride = a->pitch = 0;
    a->group_log2 = 0;
    a->base = lane[first_lane(a->mask)];
}

/* A line is not taken for another one if it has two lanes, but perhaps for a row of a
 * grid. */
int block_shape_is_found(const struct teg_access *a,
                         const struct teg_predictor *before)
{
    if (before != NULL && teg_predictor_has_shape(before, a))
        return 1;
    return a->shape == SHAPE_LINE && (a->mask & (a->mask - 1)) != 0 &&
           a->pitch == 0 && a->group_log2 == 0 &&
           (before == NULL || before->shape != SHAPE_GRID);
}

void block_shape_put(struct teg_buffer *b, const struct teg_access *a,
                     const uint64_t lane[TEG_LANES])
{
    uint32_t rest = a->mask & (a->mask - 1);
    uint64_t before = a->base;

    switch (a->shape) {
    case SHAPE_LINE:
        teg_buffer_zigzag(b, a->stride);
        break;
    case SHAPE_GRID:
        teg_buffer_u8(b, (uint8_t)a->group_log2);
        teg_buffer_zigzag(b, a->stride);
        teg_buffer_zigzag(b, a->pitch);
        break;
    case SHAPE_LIST:
        teg_buffer_u8(b, (uint8_t)__builtin_popcount(rest));
        for (; rest != 0; rest &= rest - 1) {
            uint64_t next = lane[first_lane(rest)];

            teg_buffer_zigzag(b, (int64_t)(next - before));
            before = next;
        }
        break;
    }
}
