/* Whose writes loads past L1 have seen. */
#include "traces/emulate/core/told.h"

#include "isa/inst/values.h"
#include "tests/help_suite.h"

enum {
    BLOCKS = 3,
    AT = 0x1000
};

static struct emu_told told;
static struct emu_gang gang;
static struct emu_block block[BLOCKS];
static struct emu_warp warp[BLOCKS];
static const struct emu_op writes = {.tells = 1}, reads = {.awaits = 1};

static void setup(void)
{
    told = (struct emu_told){0};
    gang = (struct emu_gang){.told = &told};
    for (uint32_t b = 0; b < BLOCKS; b++) {
        block[b] = (struct emu_block){.gang = &gang,
                                      .grid = {BLOCKS, 1, 1},
                                      .position = {b, 0, 0}};
        warp[b].block = &block[b];
        warp[b].number = 5;
        warp[b].tells = 0;
        warp[b].stride = 0;
    }
}

static void write(uint32_t b, uint64_t at)
{
    warp[b].address[7] = at;
    emu_told_note(&warp[b], &writes, 1u << 7);
}

static uint64_t read(uint32_t b, uint64_t at)
{
    warp[b].address[3] = at;
    emu_told_note(&warp[b], &reads, 1u << 3);
    return warp[b].value[0][3];
}

/* A barrier's word: the last of those who have come opens it. */
START_TEST(the_last_of_several_blocks)
{
    setup();
    ck_assert_uint_eq(read(0, AT), 0);
    for (uint32_t round = 1; round < 4; round++) {
        for (uint32_t b = 0; b < BLOCKS; b++)
            write(b, AT);
        ck_assert_uint_eq(read(0, AT), teg_awaited(2, 5, round));
        ck_assert_uint_eq(read(2, AT), 0); /* its own */
        ck_assert_uint_eq(read(0, AT + 4), 0);
    }
    emu_told_release(&told);
}
END_TEST

/* A tile's word of a scan: first its own sum, then that of all before, too. */
START_TEST(the_first_of_a_block_in_a_row)
{
    setup();
    write(1, AT + 64);
    write(1, AT);
    write(1, AT);
    ck_assert_uint_eq(read(2, AT), teg_awaited(1, 5, 2));
    write(0, AT);
    write(1, AT);
    ck_assert_uint_eq(read(2, AT), teg_awaited(1, 5, 4));
    emu_told_release(&told);
}
END_TEST

/* Of words that lanes read, each written by another, the one written last. */
START_TEST(the_last_of_several_words)
{
    setup();
    write(1, AT + 4);
    write(0, AT);
    warp[2].address[0] = AT;
    warp[2].stride = 4;
    emu_told_note(&warp[2], &reads, EMU_ALL);
    for (int l = 0; l < EMU_LANES; l++)
        ck_assert_uint_eq(warp[2].value[0][l], teg_awaited(0, 5, 1));
    /* Shared memory is each block's own. */
    write(0, EMU_SHARED_WINDOW);
    ck_assert_uint_eq(read(1, EMU_SHARED_WINDOW), 0);
    emu_told_release(&told);
}
END_TEST

HELP_MAIN("traces/emulate/told", 10, {the_last_of_several_blocks, 0},
          {the_first_of_a_block_in_a_row, 0}, {the_last_of_several_words, 0})
