/* Sparse products and products of 8-bit floats as nvcc compiles them (k51):
 * sm_80 to sm_90, of which sm_90 makes products of halves of those of 8-bit
 * floats, and of 8-bit numbers of those of 4-bit ones, with metadata put
 * together anew.  Operands are small integers, so every sum is exact. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "tests/help_kernel.h"
#include "tests/help_suite.h"
#include "tests/traces/emulate/help_product.h"
#include "traces/emulate/core/half.h"

enum {
    GENERATIONS = 5,
    KERNELS_LEAST = 18 /* of each */
};

static const unsigned generation[GENERATIONS] = {80, 86, 89, 90, 120};

static void raise_letters(char *c)
{
    for (; *c != '\0'; c++)
        *c = (char)toupper((unsigned char)*c);
}

/* "sp_16x8x32_s32_s8_u8_sat_1": the product whose SASS is called
 * "IMMA.SP.16832.S8.U8.SAT". */
static int product_of_kernel(const char *name, struct product *p)
{
    char d[8], a[8], b[8], types[40], opcode[64];
    int k, is_sparse = strncmp(name, "sp", 2) == 0;

    if (sscanf(name, "%*2s_16x8x%d_%7[a-z0-9]_%7[a-z0-9]_%7[a-z0-9]", &k, d, a,
               b) != 4)
        return 0;
    raise_letters(d);
    raise_letters(a);
    raise_letters(b);
    if (strcmp(d, "S32") == 0)
        snprintf(types, sizeof types, "%s.%s", a, b);
    else if (a[0] == 'E')
        snprintf(types, sizeof types, "%s.%s.%s", d, a, b);
    else
        snprintf(types, sizeof types, "%s.%s", d, a);
    snprintf(opcode, sizeof opcode, "%cMMA%s.168%d.%s%s",
             d[0] == 'S'   ? 'I'
             : a[0] == 'E' ? 'Q'
                           : 'H',
             is_sparse ? ".SP" : "", k, types,
             strstr(name, "_sat") != NULL ? ".SAT" : "");
    ck_assert_msg(product_of(opcode, p), "%s: %s", name, opcode);
    p->selector = is_sparse ? name[strlen(name) - 1] - '0' : 0;
    return 1;
}

/* Small integers of the type, as many as a register holds. */
static uint32_t small(const struct product *p, char operand)
{
    static const uint8_t e4m3[] = {0, 0x38, 0x40, 0x44, 0xb8, 0xc0, 0xc4, 0x48};
    static const uint8_t e5m2[] = {0, 0x3c, 0x40, 0x42, 0xbc, 0xc0, 0xc2, 0x44};
    const char *type = operand == 'a' ? p->a : operand == 'b' ? p->b : p->d;
    float v[2] = {(float)(help_draw() % 9) - 4, (float)(help_draw() % 9) - 4};
    uint32_t word = 0, draw = help_draw();

    if (strcmp(type, "F16") == 0)
        return half_bits((double)v[0]) | half_bits((double)v[1]) << 16;
    if (strcmp(type, "BF16") == 0)
        return bf16_bits((double)v[0]) | bf16_bits((double)v[1]) << 16;
    if (strcmp(type, "TF32") == 0 || strcmp(type, "F32") == 0)
        return float_bits(v[0]);
    if (type[0] != 'E')
        return operand == 'c' && draw % 2 ? 0x7ffffff0 + draw % 16 : draw;
    for (unsigned i = 0; i < 4; i++)
        word |= (uint32_t)(strcmp(type, "E4M3") == 0 ? e4m3
                                                     : e5m2)[draw >> 8 * i & 7]
                << 8 * i;
    return word;
}

static uint32_t *fill(const struct product *p, char operand, uint32_t *to,
                      uint32_t row[][PRODUCT_LANES])
{
    unsigned words = product_registers(p, operand);

    for (unsigned i = 0; i < words * PRODUCT_LANES; i++)
        to[i] = row[i / PRODUCT_LANES][i % PRODUCT_LANES] = small(p, operand);
    return to + words * PRODUCT_LANES;
}

static void check_kernel(unsigned sm, const char *name, const struct product *p)
{
    static struct product_operands in;
    uint32_t want[PRODUCT_WORDS][PRODUCT_LANES], *out, *at;
    struct help_kernel k;

    help_kernel_open(&k, sm, "k51_sparse", name);
    out = help_buffer(&k, 4 * 32 * PRODUCT_WORDS);
    at = help_buffer(&k, 4 * 32 * 4 * PRODUCT_WORDS);
    at = fill(p, 'a', at, in.a);
    at = fill(p, 'b', at, in.b);
    at = fill(p, 'c', at, in.c);
    for (unsigned l = 0; l < PRODUCT_LANES && p->is_sparse; l++)
        at[l] = in.e[l] =
            product_metadata(p, (uint64_t)help_draw() << 32 | help_draw());
    help_run_kernel(&k, 1, 1, 32, 1);
    product_result(p, &in, want);
    for (unsigned i = 0; i < product_registers(p, 'd') * PRODUCT_LANES; i++)
        ck_assert_msg(out[i] == want[i / 32][i % 32],
                      "sm_%u %s: register %u of lane %u is 0x%08x, "
                      "expected 0x%08x",
                      sm, name, i / 32, i % 32, out[i], want[i / 32][i % 32]);
    help_kernel_close(&k);
}

START_TEST(sparse_products_are_those_of_ptx)
{
    struct help_kernel k;
    unsigned sm = generation[_i], kernels = 0;

    help_kernel_open(&k, sm, "k51_sparse", "sp_16x8x16_f16_f16_f16_2");
    for (uint32_t i = 0; i < k.cubin.kernel_count; i++) {
        struct product p;

        if (!product_of_kernel(k.cubin.kernel[i].name, &p))
            continue;
        check_kernel(sm, k.cubin.kernel[i].name, &p);
        kernels++;
    }
    help_kernel_close(&k);
    ck_assert_uint_ge(kernels, KERNELS_LEAST + (sm >= 89 ? 10 : 0));
}
END_TEST

/* Two numbers that the metadata put into one column: PTX leaves it open. */
START_TEST(metadata_that_name_a_column_twice_are_a_fault)
{
    struct help_kernel k;
    uint32_t *p;

    help_kernel_open(&k, 80, "k51_sparse", "sp_16x8x16_f32_f16_f16_0");
    help_buffer(&k, 512);
    p = help_buffer(&k, 4096);
    k.facts.block[0] = 32;
    p[8 * 32] = 0x55554444; /* row 8: column 1 of a chunk twice */
    ck_assert_int_eq(help_try_kernel(&k), TEG_OK); /* nothing but zeros */
    p[32] = 0x3c003c00; /* row 8, both of the first chunk */
    ck_assert_int_ne(help_try_kernel(&k), TEG_OK);
    ck_assert_ptr_nonnull(strstr(k.d.what, "metadata of row 8"));
    help_kernel_close(&k);
}
END_TEST

HELP_MAIN("traces/kernels_sparse", 60,
          {sparse_products_are_those_of_ptx, GENERATIONS},
          {metadata_that_name_a_column_twice_are_a_fault, 0})
