/* The container: round trips, damage, and never half a file. */
#include "traces/tegt/tegt.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/help_launch.h"
#include "tests/help_suite.h"

enum {
    BLOCKS = 5,
    WARPS = 3,
    STEPS = 20
};

static struct help_step step[STEPS];
static struct help_warp warp[BLOCKS * WARPS];
static char path[64];

/* Where and how much a bulk copy moves. */
static const uint64_t copied[TEG_LANES + 4] = {
    [TEG_LANES] = 0x400, 0x7f12345600, 4096, 0x8};

/* A little of everything: arithmetic, loads, stores, masks, notes. */
static void make(struct help_launch *h, const char *name)
{
    uint64_t state = 3;

    *h = (struct help_launch){
        .warp = warp, .blocks = BLOCKS, .warps_per_block = WARPS};
    h->kernel.name = strdup(name);
    memcpy(h->kernel.grid, (uint32_t[]){BLOCKS, 1, 1}, 12);
    memcpy(h->kernel.block, (uint32_t[]){32 * WARPS, 1, 1}, 12);
    h->kernel.registers = 17;
    h->kernel.shared_bytes = 4096;
    h->kernel.carveout = 25 + 1;
    h->kernel.isa = 70;
    h->kernel.shared_base = 0x7f0000000000;
    memcpy(h->kernel.cluster, (uint32_t[]){5, 1, 1}, 12);
    help_arith(&h->kernel.program, CLASS_FADD, 1, 2, 3, 255);
    help_memory(&h->kernel.program, CLASS_LDG, SPACE_GLOBAL, INST_LOAD, 4, 1,
                5);
    help_memory(&h->kernel.program, CLASS_STG, SPACE_GLOBAL, INST_STORE, 8, 1,
                5);
    help_exit(&h->kernel.program);
    help_values(&h->kernel.program, CLASS_BULK, SPACE_NONE, INST_LOAD,
                VALUES_BULK);
    h->kernel.program.inst[0].control =
        (struct teg_control){1, 4, 1, 2, 7, 0x21};
    h->kernel.program.inst[1].line = 42;
    ck_assert_int_eq(
        teg_program_set_file(&h->kernel.program, 1, "a/axpy.cu", NULL), TEG_OK);
    ck_assert_int_eq(
        teg_program_set_file(&h->kernel.program, 2, "b/axpy.h", NULL), TEG_OK);
    ck_assert_int_eq(
        teg_program_set_file(&h->kernel.program, 3, "a/axpy.cu", NULL), TEG_OK);
    teg_notes_add(&h->kernel.notes, "header-registers", "x:1", "odd");
    for (int i = 0; i < STEPS; i++)
        step[i] =
            (struct help_step){i == STEPS - 1 ? 3u : (uint32_t)i % 3,
                               i % 5 == 4 ? 0xffu : UINT32_MAX,
                               help_random(&state) >> 20, 4 * (i % 3), NULL};
    for (int i = 3; i < STEPS - 1; i += 7)
        step[i] = (struct help_step){4, 1, 0, 0, copied};
    for (int i = 0; i < BLOCKS * WARPS; i++)
        warp[i] = (struct help_warp){step, (uint32_t)(STEPS - i % 2)};
}

static void write_file(int kernels)
{
    struct teg_tegt_writer *w;
    struct teg_diag d;

    snprintf(path, sizeof path, "/tmp/teg-test-%d.tegt", (int)getpid());
    ck_assert_msg(teg_tegt_writer_new(path, &w, &d) == TEG_OK, "%s", d.what);
    for (int k = 0; k < kernels; k++) {
        struct help_launch h;
        struct teg_launch launch;

        make(&h, k == 0 ? "first" : "second");
        help_launch_open(&h, &launch);
        ck_assert(teg_tegt_writer_launch(w, &launch, &d) == TEG_OK);
        help_launch_release(&h);
    }
    ck_assert_msg(teg_tegt_writer_finish(w, &d) == TEG_OK, "%s", d.what);
}

static void same_kernel(const struct teg_kernel *a, const struct teg_kernel *b)
{
    ck_assert_str_eq(a->name, b->name);
    ck_assert_mem_eq(a->grid, b->grid, sizeof a->grid);
    ck_assert_mem_eq(a->block, b->block, sizeof a->block);
    ck_assert_mem_eq(a->cluster, b->cluster, sizeof a->cluster);
    ck_assert_uint_eq(a->registers, b->registers);
    ck_assert_uint_eq(a->shared_bytes, b->shared_bytes);
    ck_assert_uint_eq(a->carveout, b->carveout);
    ck_assert_uint_eq(a->isa, b->isa);
    ck_assert_uint_eq(a->shared_base, b->shared_base);
    ck_assert_uint_eq(a->program.count, b->program.count);
    ck_assert_uint_eq(teg_notes_count(&a->notes, "header-registers"), 1);
    for (uint32_t i = 0; i < a->program.count; i++) {
        struct teg_inst x = a->program.inst[i], y = b->program.inst[i];

        ck_assert_str_eq(teg_program_text(&a->program, &x),
                         teg_program_text(&b->program, &y));
        ck_assert_str_eq(teg_program_file(&a->program, &x),
                         teg_program_file(&b->program, &y));
        /* There is a gap behind the bytes. */
        ck_assert_mem_eq(&x, &y, offsetof(struct teg_inst, fence) + 1);
        ck_assert_uint_eq(x.line, y.line);
        ck_assert_uint_eq(x.record_index, y.record_index);
    }
}

static void same_lanes(uint32_t mask, const struct teg_access *p,
                       const struct teg_access *q)
{
    for (uint32_t l = 0; l < 32; l++) {
        if (mask >> l & 1)
            ck_assert_uint_eq(teg_access_lane(p, l), teg_access_lane(q, l));
    }
}

static void same_blocks(struct teg_launch *a, struct teg_launch *b)
{
    for (;;) {
        struct teg_block *x, *y;
        struct teg_diag d;

        ck_assert(a->next(a->self, &x, &d) == TEG_OK);
        ck_assert_msg(b->next(b->self, &y, &d) == TEG_OK, "%s", d.what);
        ck_assert_int_eq(x == NULL, y == NULL);
        if (x == NULL)
            return;
        ck_assert_mem_eq(teg_block_position(x), teg_block_position(y), 12);
        ck_assert_uint_eq(teg_block_warps(x), teg_block_warps(y));
        for (uint32_t s = 0; s < teg_block_warps(x); s++) {
            struct teg_cursor c, e;
            struct teg_access p, q;

            teg_cursor_init(&c, x, s);
            teg_cursor_init(&e, y, s);
            while (teg_cursor_next(&c)) {
                ck_assert(teg_cursor_next(&e));
                ck_assert_uint_eq(c.inst, e.inst);
                ck_assert_uint_eq(c.mask, e.mask);
                ck_assert_int_eq(teg_cursor_access(&c, &p),
                                 teg_cursor_access(&e, &q));
                if (teg_inst_has_addresses(&a->kernel->program.inst[c.inst]))
                    same_lanes(c.mask, &p, &q);
                while (teg_cursor_value(&c, &p)) {
                    ck_assert(teg_cursor_value(&e, &q));
                    same_lanes(c.mask, &p, &q);
                }
            }
            ck_assert(!teg_cursor_next(&e));
        }
        teg_block_free(x);
        teg_block_free(y);
    }
}

START_TEST(a_container_gives_back_what_it_was_given)
{
    struct teg_tegt *t;
    struct teg_diag d;

    write_file(2);
    ck_assert_msg(teg_tegt_open(path, &t, &d) == TEG_OK, "%s", d.what);
    ck_assert_uint_eq(teg_tegt_kernels(t), 2);
    ck_assert_str_eq(teg_tegt_kernel_name(t, 1), "second");
    for (uint32_t k = 0; k < 2; k++) {
        struct help_launch h;
        struct teg_launch a, b;

        make(&h, k == 0 ? "first" : "second");
        help_launch_open(&h, &a);
        ck_assert_msg(teg_tegt_launch(t, k, &b, &d) == TEG_OK, "%s", d.what);
        same_kernel(&h.kernel, b.kernel);
        same_blocks(&a, &b);
        b.close(b.self);
        help_launch_release(&h);
    }
    teg_tegt_close(t);
    unlink(path);
}
END_TEST

/* Reads everything; returns the first failure. */
static teg_status read_all(const char *name)
{
    struct teg_tegt *t;
    struct teg_diag d = {0};
    teg_status status = teg_tegt_open(name, &t, &d);

    for (uint32_t k = 0; status == TEG_OK && k < teg_tegt_kernels(t); k++) {
        struct teg_launch l;
        struct teg_block *block = NULL;

        status = teg_tegt_launch(t, k, &l, &d);
        if (status != TEG_OK)
            break;
        do {
            teg_block_free(block);
            status = l.next(l.self, &block, &d);
        } while (status == TEG_OK && block != NULL);
        l.close(l.self);
    }
    teg_tegt_close(t);
    if (status != TEG_OK) {
        ck_assert_str_ne(d.what, "");
        ck_assert_ptr_nonnull(strstr(d.where, name));
    }
    return status;
}

static uint8_t *slurp(size_t *size)
{
    FILE *f = fopen(path, "rb");
    uint8_t *bytes = malloc(1 << 20);

    *size = fread(bytes, 1, 1 << 20, f);
    fclose(f);
    return bytes;
}

static void spill(const uint8_t *bytes, size_t size)
{
    FILE *f = fopen(path, "wb");

    fwrite(bytes, 1, size, f);
    fclose(f);
}

START_TEST(every_cut_is_noticed)
{
    size_t size;
    uint8_t *bytes;

    write_file(1);
    bytes = slurp(&size);
    for (size_t cut = 0; cut < size; cut++) {
        spill(bytes, cut);
        ck_assert_int_eq(read_all(path), TEG_FORMAT);
    }
    free(bytes);
    unlink(path);
}
END_TEST

START_TEST(every_flipped_bit_is_noticed)
{
    size_t size, unnoticed = 0;
    uint8_t *bytes;

    write_file(1);
    bytes = slurp(&size);
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
        spill(bytes, size);
        unnoticed += read_all(path) == TEG_OK;
        bytes[bit / 8] ^= (uint8_t)(1u << (bit % 8));
    }
    ck_assert_uint_eq(unnoticed, 0);
    free(bytes);
    unlink(path);
}
END_TEST

START_TEST(an_abandoned_file_leaves_the_old_one)
{
    struct teg_tegt_writer *w;
    struct teg_diag d;
    struct help_launch h;
    struct teg_launch launch;
    char command[128];

    write_file(1);
    ck_assert(teg_tegt_writer_new(path, &w, &d) == TEG_OK);
    make(&h, "new");
    help_launch_open(&h, &launch);
    ck_assert(teg_tegt_writer_launch(w, &launch, &d) == TEG_OK);
    teg_tegt_writer_abandon(w);
    help_launch_release(&h);
    ck_assert_int_eq(read_all(path), TEG_OK);
    /* no temporary file is left beside it */
    snprintf(command, sizeof command, "ls %s.* >/dev/null 2>&1", path);
    ck_assert_int_ne(system(command), 0);
    unlink(path);
}
END_TEST

START_TEST(a_place_that_cannot_be_written_is_named)
{
    struct teg_tegt_writer *w;
    struct teg_diag d;

    ck_assert_int_eq(teg_tegt_writer_new("/nonexistent/x.tegt", &w, &d),
                     TEG_IO);
    ck_assert_ptr_nonnull(strstr(d.where, "/nonexistent/x.tegt"));
}
END_TEST

HELP_MAIN("traces/tegt", 120, {a_container_gives_back_what_it_was_given, 0},
          {every_cut_is_noticed, 0}, {every_flipped_bit_is_noticed, 0},
          {an_abandoned_file_leaves_the_old_one, 0},
          {a_place_that_cannot_be_written_is_named, 0})
