/* The byte stream: lines of any kind, three ways to compress, bad files. */
#include "traces/base/input.h"

#include <check.h>
#include <lzma.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

enum {
    PACKED_MAX = 1 << 20
};

static struct teg_input *open_bytes(const void *bytes, size_t size)
{
    struct teg_source source = {"memory", bytes, size};
    struct teg_input *in;
    struct teg_diag d;

    ck_assert_int_eq(teg_input_open(&source, &in, &d), TEG_OK);
    return in;
}

/* Takes the next line, which must be `expected`. */
static void expect_line(struct teg_input *in, const char *expected)
{
    char *line;
    size_t length;

    ck_assert_int_eq(teg_input_line(in, &line, &length, NULL), TEG_OK);
    ck_assert_ptr_nonnull(line);
    ck_assert_str_eq(line, expected);
    ck_assert_uint_eq(length, strlen(expected));
}

static void expect_end(struct teg_input *in)
{
    char *line;
    size_t length;

    for (int i = 0; i < 2; i++) {
        ck_assert_int_eq(teg_input_line(in, &line, &length, NULL), TEG_OK);
        ck_assert_ptr_null(line);
    }
}

static size_t pack_gzip(const void *bytes, size_t size, uint8_t *out)
{
    z_stream z = {0};

    ck_assert_int_eq(
        deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_in = (Bytef *)bytes;
    z.avail_in = (uInt)size;
    z.next_out = out;
    z.avail_out = PACKED_MAX;
    ck_assert_int_eq(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return PACKED_MAX - z.avail_out;
}

static size_t pack_xz(const void *bytes, size_t size, uint8_t *out)
{
    size_t made = 0;

    ck_assert_int_eq(lzma_easy_buffer_encode(1, LZMA_CHECK_CRC32, NULL, bytes,
                                             size, out, &made, PACKED_MAX),
                     LZMA_OK);
    return made;
}

static size_t pack_zstd(const void *bytes, size_t size, uint8_t *out)
{
    size_t made = ZSTD_compress(out, PACKED_MAX, bytes, size, 3);

    ck_assert(!ZSTD_isError(made));
    return made;
}

static const struct {
    enum teg_packing packing;
    size_t (*pack)(const void *bytes, size_t size, uint8_t *out);
} packers[] = {
    {PACKING_GZIP, pack_gzip},
    {PACKING_XZ, pack_xz},
    {PACKING_ZSTD, pack_zstd},
};

/* Lines "0", "1", ... that fill more than one buffer. */
static char *many_lines(uint32_t lines, size_t *size)
{
    char *text = malloc((size_t)lines * 12), *at = text;

    ck_assert_ptr_nonnull(text);
    for (uint32_t i = 0; i < lines; i++)
        at += sprintf(at, "%u\n", i * 7919);
    *size = (size_t)(at - text);
    return text;
}

START_TEST(lines_end_with_newline_or_the_stream)
{
    static const char text[] = "one\n\ntwo\r\nthree\rx\r\nlast";
    struct teg_input *in = open_bytes(text, strlen(text));

    expect_line(in, "one");
    expect_line(in, "");
    ck_assert_uint_eq(teg_input_line_number(in), 2);
    expect_line(in, "two");
    expect_line(in, "three\rx");
    ck_assert(!teg_input_line_cut(in));
    expect_line(in, "last");
    ck_assert(teg_input_line_cut(in));
    ck_assert_uint_eq(teg_input_line_number(in), 5);
    expect_end(in);
    teg_input_close(in);
}
END_TEST

START_TEST(a_nul_is_a_byte_like_any_other)
{
    static const char text[] = "a\0b\nc\n";
    struct teg_input *in = open_bytes(text, sizeof text - 1);
    char *line;
    size_t length;

    ck_assert_int_eq(teg_input_line(in, &line, &length, NULL), TEG_OK);
    ck_assert_uint_eq(length, 3);
    ck_assert_mem_eq(line, "a\0b", 4);
    expect_line(in, "c");
    expect_end(in);
    teg_input_close(in);
}
END_TEST

START_TEST(nothing_holds_no_line)
{
    struct teg_input *in = open_bytes("", 0);
    const uint8_t *bytes;
    size_t size;

    ck_assert_int_eq(teg_input_peek(in, &bytes, &size, NULL), TEG_OK);
    ck_assert_uint_eq(size, 0);
    expect_end(in);
    teg_input_close(in);
}
END_TEST

START_TEST(the_longest_line_passes_and_a_longer_one_fails)
{
    size_t size = TEG_INPUT_LINE_MAX + 2;
    char *text = malloc(size), *line;
    struct teg_input *in;
    struct teg_diag d;
    size_t length;

    ck_assert_ptr_nonnull(text);
    memset(text, 'x', size);
    text[TEG_INPUT_LINE_MAX] = '\n';
    in = open_bytes(text, size);
    ck_assert_int_eq(teg_input_line(in, &line, &length, &d), TEG_OK);
    ck_assert_uint_eq(length, TEG_INPUT_LINE_MAX);
    expect_line(in, "x");
    teg_input_close(in);

    text[TEG_INPUT_LINE_MAX] = 'x';
    in = open_bytes(text, size);
    ck_assert_int_eq(teg_input_line(in, &line, &length, &d), TEG_FORMAT);
    ck_assert_str_eq(d.where, "memory:1");
    teg_input_close(in);
    free(text);
}
END_TEST

START_TEST(compressed_lines_are_the_lines)
{
    size_t size, packed_size;
    char *text = many_lines(60000, &size), number[16];
    uint8_t *packed = malloc(PACKED_MAX);
    struct teg_input *in;

    ck_assert_ptr_nonnull(packed);
    packed_size = packers[_i].pack(text, size, packed);
    in = open_bytes(packed, packed_size);
    ck_assert_int_eq(teg_input_packing(in), packers[_i].packing);
    for (uint32_t i = 0; i < 60000; i++) {
        snprintf(number, sizeof number, "%u", i * 7919);
        expect_line(in, number);
    }
    expect_end(in);
    teg_input_close(in);
    free(packed);
    free(text);
}
END_TEST

/* `cat a.gz b.gz` is a valid file, and so for the others. */
START_TEST(compressed_members_follow_each_other)
{
    uint8_t *packed = malloc(2 * (size_t)PACKED_MAX);
    size_t n;
    struct teg_input *in;

    ck_assert_ptr_nonnull(packed);
    n = packers[_i].pack("one\ntw", 6, packed);
    n += packers[_i].pack("o\nthree\n", 8, packed + n);
    in = open_bytes(packed, n);
    expect_line(in, "one");
    expect_line(in, "two");
    expect_line(in, "three");
    expect_end(in);
    teg_input_close(in);
    free(packed);
}
END_TEST

/* Reads all lines; returns how that ended. */
static teg_status drain(const uint8_t *bytes, size_t size, struct teg_diag *d)
{
    struct teg_source source = {"memory", bytes, size};
    struct teg_input *in;
    char *line;
    size_t length;
    teg_status status = teg_input_open(&source, &in, d);

    if (status != TEG_OK)
        return status;
    do
        status = teg_input_line(in, &line, &length, d);
    while (status == TEG_OK && line != NULL);
    teg_input_close(in);
    return status;
}

START_TEST(a_cut_compressed_file_is_an_error)
{
    size_t size, n;
    char *text = many_lines(300, &size);
    uint8_t *packed = malloc(PACKED_MAX);

    ck_assert_ptr_nonnull(packed);
    n = packers[_i].pack(text, size, packed);
    ck_assert_int_eq(drain(packed, n, NULL), TEG_OK);
    for (size_t cut = 6; cut < n; cut++) {
        struct teg_diag d = {0};

        ck_assert_int_eq(drain(packed, cut, &d), TEG_FORMAT);
        ck_assert_ptr_nonnull(strstr(d.what, "expected"));
    }
    free(packed);
    free(text);
}
END_TEST

START_TEST(damage_in_a_compressed_file_ends)
{
    size_t size, n;
    char *text = many_lines(300, &size);
    uint8_t *packed = malloc(PACKED_MAX);

    ck_assert_ptr_nonnull(packed);
    n = packers[_i].pack(text, size, packed);
    for (size_t i = 0; i < n; i++) {
        packed[i] ^= (uint8_t)(1u << i % 8);
        drain(packed, n, NULL);
        packed[i] ^= (uint8_t)(1u << i % 8);
    }
    free(packed);
    free(text);
}
END_TEST

START_TEST(a_peek_takes_nothing)
{
    size_t size;
    char *text = many_lines(100000, &size);
    struct teg_input *in = open_bytes(text, size);
    const uint8_t *bytes;
    size_t seen;

    ck_assert_int_eq(teg_input_peek(in, &bytes, &seen, NULL), TEG_OK);
    ck_assert_uint_eq(seen, TEG_INPUT_PEEK_MAX);
    ck_assert_mem_eq(bytes, text, seen);
    expect_line(in, "0");
    expect_line(in, "7919");
    ck_assert_int_eq(teg_input_peek(in, &bytes, &seen, NULL), TEG_OK);
    ck_assert_mem_eq(bytes, text + 7, seen);
    expect_line(in, "15838");
    teg_input_close(in);
    free(text);
}
END_TEST

START_TEST(only_regular_files_are_opened)
{
    char pipe_path[] = "/tmp/teg-test-XXXXXX";
    static const struct {
        const char *path;
        const char *what;
    } bad[] = {
        {"/dev/zero", "device"},
        {"/", "directory"},
        {"/no/such/file", "No such file"},
    };
    struct teg_input *in;
    struct teg_diag d;

    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct teg_source source = {.path = bad[i].path};

        ck_assert_int_eq(teg_input_open(&source, &in, &d), TEG_IO);
        ck_assert_str_eq(d.where, bad[i].path);
        ck_assert_ptr_nonnull(strstr(d.what, bad[i].what));
    }
    ck_assert_ptr_nonnull(mkdtemp(pipe_path));
    rmdir(pipe_path);
    ck_assert_int_eq(mkfifo(pipe_path, 0600), 0);
    ck_assert_int_eq(
        teg_input_open(&(struct teg_source){.path = pipe_path}, &in, &d),
        TEG_IO);
    ck_assert_ptr_nonnull(strstr(d.what, "pipe"));
    unlink(pipe_path);
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("traces/input");
    TCase *tcase = tcase_create("input");
    SRunner *runner = srunner_create(suite);
    int failed;

    tcase_set_timeout(tcase, 60);
    tcase_add_test(tcase, lines_end_with_newline_or_the_stream);
    tcase_add_test(tcase, a_nul_is_a_byte_like_any_other);
    tcase_add_test(tcase, nothing_holds_no_line);
    tcase_add_test(tcase, the_longest_line_passes_and_a_longer_one_fails);
    tcase_add_loop_test(tcase, compressed_lines_are_the_lines, 0, 3);
    tcase_add_loop_test(tcase, compressed_members_follow_each_other, 0, 3);
    tcase_add_loop_test(tcase, a_cut_compressed_file_is_an_error, 0, 3);
    tcase_add_loop_test(tcase, damage_in_a_compressed_file_ends, 0, 3);
    tcase_add_test(tcase, a_peek_takes_nothing);
    tcase_add_test(tcase, only_regular_files_are_opened);
    suite_add_tcase(suite, tcase);
    srunner_run_all(runner, CK_NORMAL);
    failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? 1 : 0;
}
