/*
 * Committed containers: one of a sketch, two of emulated kernels, with
 * changing paces, tiles, scattered addresses, masks, shared paths and values.
 *
 * They are read back as the text beside them, which tests/golden/read_tegt.py
 * printed: a reader written from docs/trace-format.md alone. And the same input
 * makes the same bytes again. Bytes are compared as they were before deflate,
 * whose output is zlib's affair.
 */
#include "traces/tegt/tegt.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "isa/base/buffer.h"
#include "tests/help_dump.h"
#include "tests/help_suite.h"
#include "traces/emulate/core/args.h"
#include "traces/emulate/core/emulate.h"
#include "traces/tegt/layout.h"
#include "traces/trace.h"

static const char *const golden[] = {"paces", "histogram", "ring2"};

enum {
    GOLDEN = 3,
    OF_VERSION_1 = 2, /* the first of them */
    CHUNK_MAX = 1 << 16,
    CHUNKS_MAX = 16
};

static char *slurp(const char *path, size_t *size)
{
    struct teg_buffer b = {0};
    struct teg_diag d;

    ck_assert_msg(teg_buffer_file(&b, path, &d) == TEG_OK, "%s", d.what);
    *size = b.size;
    teg_buffer_u8(&b, 0);
    return (char *)b.data;
}

static void golden_path(char path[64], int i, const char *ending)
{
    snprintf(path, 64, "tests/golden/%s.%s", golden[i], ending);
}

static void temporary(char path[64])
{
    snprintf(path, 64, "/tmp/teg-golden-%d.tegt", (int)getpid());
}

static void reads_as_text(const char *path, int i)
{
    char text[64], *expected, *dump;
    struct teg_trace *trace;
    struct teg_launch launch;
    struct teg_diag d;
    teg_status status;
    size_t size;

    ck_assert_msg(teg_trace_open(path, NULL, &trace, &d) == TEG_OK, "%s",
                  d.what);
    ck_assert(teg_trace_launch(trace, 0, &launch, &d) == TEG_OK);
    ck_assert_str_eq(launch.kernel->name, golden[i]);
    dump = help_dump_launch(&launch, &status, &d);
    ck_assert_msg(dump != NULL, "%s", d.what);
    golden_path(text, i, "txt");
    expected = slurp(text, &size);
    ck_assert_str_eq(dump, expected);
    launch.close(launch.self);
    teg_trace_close(trace);
    free(dump);
    free(expected);
}

START_TEST(a_container_reads_as_the_text_beside_it)
{
    char path[64];

    golden_path(path, _i, "tegt");
    reads_as_text(path, _i);
}
END_TEST

START_TEST(the_first_version_still_reads)
{
    char path[64];

    golden_path(path, _i, "v1.tegt");
    reads_as_text(path, _i);
}
END_TEST

/* ---- the bytes of blocks and kernel ----------------------------------------- */

struct chunks {
    struct {
        uint8_t tag, *data;
        size_t size;
    } chunk[CHUNKS_MAX];
    int count;
};

static uint64_t varint(const uint8_t **at)
{
    uint64_t v = 0;
    unsigned shift = 0;

    do
        v |= (uint64_t)(**at & 0x7f) << shift;
    while (shift += 7, *(*at)++ & 0x80);
    return v;
}

/* Unpacks a chunk; those of blocks after the first with that as dictionary. */
static void unpack(struct chunks *c, const uint8_t **at)
{
    uint8_t tag = *(*at)++, *raw = malloc(CHUNK_MAX);
    size_t size = (size_t)varint(at), packed = (size_t)varint(at);
    z_stream z = {.next_in = (Bytef *)(uintptr_t)(*at + 4),
                  .avail_in = (uInt)packed,
                  .next_out = raw,
                  .avail_out = CHUNK_MAX};

    ck_assert(c->count < CHUNKS_MAX && size <= CHUNK_MAX);
    ck_assert_int_eq(inflateInit2(&z, -15), Z_OK);
    if (tag == 'B' && c->count != 0)
        inflateSetDictionary(&z, c->chunk[0].data, (uInt)c->chunk[0].size);
    ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
    ck_assert_uint_eq(z.total_out, size);
    inflateEnd(&z);
    c->chunk[c->count].tag = tag;
    c->chunk[c->count].data = raw;
    c->chunk[c->count++].size = size;
    *at += 4 + packed;
}

static void read_chunks(struct chunks *c, const char *path)
{
    size_t size;
    char *file = slurp(path, &size);
    const uint8_t *at = (const uint8_t *)file + TEGT_HEADER_SIZE;

    *c = (struct chunks){0};
    while (at < (const uint8_t *)file + size - TEGT_TRAILER_SIZE)
        unpack(c, &at);
    free(file);
}

/* Index and directory hold offsets of packed chunks: those may differ. */
static void same_chunks(const char *path, int i)
{
    char expected[64];
    struct chunks a, b;

    golden_path(expected, i, "tegt");
    read_chunks(&a, expected);
    read_chunks(&b, path);
    ck_assert_int_eq(a.count, b.count);
    ck_assert_int_ge(a.count, 2 + 1 + 1 + 1);
    for (int n = 0; n < a.count; n++) {
        int is_content = a.chunk[n].tag == 'B' || a.chunk[n].tag == 'K';

        ck_assert_int_eq(a.chunk[n].tag, b.chunk[n].tag);
        if (is_content) {
            ck_assert_uint_eq(a.chunk[n].size, b.chunk[n].size);
            ck_assert_mem_eq(a.chunk[n].data, b.chunk[n].data, a.chunk[n].size);
        }
        free(a.chunk[n].data);
        free(b.chunk[n].data);
    }
}

static void write_trace(const char *from, int i)
{
    char path[64];
    struct teg_trace *trace;
    struct teg_launch launch;
    struct teg_diag d;

    temporary(path);
    ck_assert_msg(teg_trace_open(from, NULL, &trace, &d) == TEG_OK, "%s",
                  d.what);
    ck_assert(teg_trace_launch(trace, 0, &launch, &d) == TEG_OK);
    ck_assert_msg(teg_tegt_write(path, &launch, NULL, &d) == TEG_OK, "%s",
                  d.what);
    launch.close(launch.self);
    teg_trace_close(trace);
    same_chunks(path, i);
    unlink(path);
}

/* Files of version 1 know no class of their own for a wide product or for lanes
 * that meet. */
START_TEST(an_old_file_has_classes_of_today)
{
    struct teg_trace *trace;
    struct teg_launch launch;
    struct teg_diag d;
    int wide = 0, meets = 0;

    ck_assert_msg(teg_trace_open("tests/golden/histogram.v1.tegt", NULL, &trace,
                                 &d) == TEG_OK,
                  "%s", d.what);
    ck_assert(teg_trace_launch(trace, 0, &launch, &d) == TEG_OK);
    for (uint32_t i = 0; i < launch.kernel->program.count; i++) {
        const struct teg_inst *inst = &launch.kernel->program.inst[i];

        wide += inst->op_class == CLASS_IMAD_WIDE;
        meets += inst->op_class == CLASS_CONVERGE;
    }
    ck_assert_int_eq(wide, 1);
    ck_assert_int_eq(meets, 1);
    launch.close(launch.self);
    teg_trace_close(trace);
}
END_TEST

START_TEST(what_was_read_is_written_as_it_was)
{
    char path[64];

    golden_path(path, _i, "tegt");
    write_trace(path, _i);
}
END_TEST

START_TEST(a_sketch_makes_the_same_bytes)
{
    write_trace("tests/golden/paces.sketch", 0);
}
END_TEST

/* teg trace tests/fixtures/run.sm_80.cubin -k histogram --grid 2 --block 256
 *     -a buf:u8:1024:random -a buf:i32:256:zeros -a i32:700 */
START_TEST(an_emulated_kernel_makes_the_same_bytes)
{
    static const char *const text[] = {"buf:u8:1024:random",
                                       "buf:i32:256:zeros", "i32:700"};
    struct teg_cubin cubin;
    const struct teg_cubin_kernel *kernel;
    struct emu_device *device;
    struct emu_args args = {0};
    struct emu_launch_facts facts = {.grid = {2, 1, 1}, .block = {256, 1, 1}};
    struct teg_launch launch;
    struct teg_diag d;
    char path[64];

    temporary(path);
    ck_assert(teg_cubin_open(&cubin, "tests/fixtures/run.sm_80.cubin", &d) ==
              TEG_OK);
    kernel = teg_cubin_find(&cubin, "histogram");
    ck_assert(emu_device_new(&device, &d) == TEG_OK);
    ck_assert(emu_args_parse(&args, kernel, device, text, 3, &d) == TEG_OK);
    facts.params = args.params;
    facts.param_bytes = args.param_bytes;
    ck_assert_msg(emu_launch(&cubin, kernel, device, &facts, &launch, &d) ==
                      TEG_OK,
                  "%s", d.what);
    ck_assert_msg(teg_tegt_write(path, &launch, NULL, &d) == TEG_OK, "%s",
                  d.what);
    launch.close(launch.self);
    same_chunks(path, 1);
    emu_args_release(&args);
    emu_device_free(device);
    teg_cubin_release(&cubin);
    unlink(path);
}
END_TEST

HELP_MAIN("traces/tegt golden", 60,
          {a_container_reads_as_the_text_beside_it, GOLDEN},
          {the_first_version_still_reads, OF_VERSION_1},
          {an_old_file_has_classes_of_today, 0},
          {what_was_read_is_written_as_it_was, GOLDEN},
          {a_sketch_makes_the_same_bytes, 0},
          {an_emulated_kernel_makes_the_same_bytes, 0})
