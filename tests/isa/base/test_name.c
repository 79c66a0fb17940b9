/* C++ names; expected ones are those of c++filt (binutils 2.40). */
#include "isa/base/name.h"

#include <stdio.h>
#include <string.h>

#include "tests/help_suite.h"

static const struct {
    const char *symbol, *full, *plain, *last, *brief;
} names[] = {
    {"_ZN5shape7lengthsIfEEvPKT_S3_PS1_i",
     "shape::lengths<float>(float const*, float const*, float*, int)",
     "shape::lengths<float>", "lengths<float>", "lengths"},
    {"_Z4sumsPKiPii", "sums(int const*, int*, int)", "sums", "sums", "sums"},
    {"_ZN12_GLOBAL__N_13fooEv", "(anonymous namespace)::foo()",
     "(anonymous namespace)::foo", "foo", "foo"},
    {"_Z1fIiLi3EEvT_", "f<int, 3>(int)", "f<int, 3>", "f<int, 3>", "f"},
    {"_ZN1aILi2EE1bINS_1cIiEEEEvv", "a<2>::b<a::c<int> >()",
     "a<2>::b<a::c<int> >", "b<a::c<int> >", "b"},
    /* as numba names its kernels */
    {"_ZN3app4fillB2v1B12abcdefghijklEf",
     "app::fill[abi:v1][abi:abcdefghijkl](float)", "app::fill[abi:v1]",
     "fill[abi:v1]", "fill"},
    {"axpy", "axpy", "axpy", "axpy", "axpy"},
    {"", "", "", "", ""},
    {"_Z", "_Z", "_Z", "_Z", "_Z"},
    {"_ZN5shape", "_ZN5shape", "_ZN5shape", "_ZN5shape", "_ZN5shape"},
};

START_TEST(a_symbol_has_a_name_of_each_form)
{
    char out[TEG_NAME_MAX];

    ck_assert_str_eq(teg_name_readable(names[_i].symbol, NAME_FULL, out),
                     names[_i].full);
    ck_assert_str_eq(teg_name_readable(names[_i].symbol, NAME_PLAIN, out),
                     names[_i].plain);
    ck_assert_str_eq(teg_name_readable(names[_i].symbol, NAME_LAST, out),
                     names[_i].last);
    ck_assert_str_eq(teg_name_readable(names[_i].symbol, NAME_SHORT, out),
                     names[_i].brief);
    ck_assert_int_eq(teg_name_is_mangled(names[_i].symbol),
                     strcmp(names[_i].symbol, names[_i].full) != 0);
}
END_TEST

START_TEST(a_kernel_is_called_by_any_of_its_names)
{
    static const char *const good[] = {
        "_ZN5shape7lengthsIfEEvPKT_S3_PS1_i",
        "shape::lengths<float>(float const*,float const*, float*,int)",
        "shape::lengths<float>",
        "shape::lengths",
        "lengths<float>",
        "lengths < float >",
        "lengths",
    };
    static const char *const bad[] = {
        "",         "length",       "lengthsx", "shape",
        "shape::",  "lengths<int>", "lengths<", "lengths<float>(float)",
        "::lengths"};
    const char *symbol = names[0].symbol;

    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        ck_assert_msg(teg_name_matches(symbol, good[i]), "%s", good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        ck_assert_msg(!teg_name_matches(symbol, bad[i]), "%s", bad[i]);
    ck_assert(teg_name_matches("axpy", "axpy"));
    ck_assert(!teg_name_matches("axpy", "axp"));
    ck_assert(teg_name_matches(names[4].symbol, "a<2>::b"));
    ck_assert(teg_name_matches(names[4].symbol, "b<a::c<int>>"));
    ck_assert(!teg_name_matches(names[4].symbol, "a"));
}
END_TEST

/* Every argument is twice as long as the one before: 2^30 letters. */
START_TEST(a_name_without_end_stays_a_symbol)
{
    static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    char symbol[TEG_NAME_MAX] = "_Z1fI1aIiiE", out[TEG_NAME_MAX];

    /* Substitutions that name the one before twice. */
    for (int i = 0; i < 30; i++) {
        char next[16];

        snprintf(next, sizeof next, "S_IS%c_S%c_E", digits[i], digits[i]);
        strcat(symbol, next);
    }
    strcat(symbol, "EvT_");
    ck_assert_str_eq(teg_name_readable(symbol, NAME_FULL, out), symbol);
    memset(symbol, '_', sizeof symbol - 1);
    symbol[sizeof symbol - 1] = '\0';
    ck_assert_str_eq(teg_name_readable(symbol, NAME_PLAIN, out), symbol);
}
END_TEST

/* f<a<b<..., ...>, ...> >, each with two arguments, of ever longer names: as long
 * as CUTLASS's, whose symbols have 1,500 letters and names of 20,000. */
START_TEST(a_long_name_loses_its_deepest_arguments)
{
    char symbol[TEG_NAME_MAX] = "_Z1fI", out[TEG_NAME_MAX];
    char letters[200] = "";

    memset(letters, 'x', sizeof letters - 1);
    for (int i = 0; i < 12; i++)
        snprintf(symbol + strlen(symbol), sizeof symbol - strlen(symbol),
                 "199%sI", letters);
    strcat(symbol, "i");
    for (int i = 0; i < 12; i++)
        strcat(symbol, "S_E"); /* the longest so far, once more */
    strcat(symbol, "EvT_");
    ck_assert_uint_gt(strlen(symbol), 2048);
    teg_name_readable(symbol, NAME_PLAIN, out);
    ck_assert_msg(strncmp(out, "f<xxx", 5) == 0, "%s", out);
    ck_assert_uint_lt(strlen(out), TEG_NAME_MAX);
    ck_assert_str_eq(teg_name_readable(symbol, NAME_SHORT, out), "f");
    ck_assert(teg_name_matches(symbol, "f"));
    /* 20 arguments of 199 letters and 20 of one more level */
    strcpy(symbol, "_ZN3app1fI1aI");
    for (int i = 0; i < 18; i++)
        snprintf(symbol + strlen(symbol), sizeof symbol - strlen(symbol),
                 "199%.199s", letters);
    strcat(symbol, "E1bIiES0_IS2_ES0_IS3_EEEvT_");
    teg_name_readable(symbol, NAME_FULL, out);
    ck_assert_msg(strncmp(out, "app::f<a<...>, ", 15) == 0, "%.60s", out);
    ck_assert_str_eq(teg_name_readable(symbol, NAME_SHORT, out), "f");
}
END_TEST

HELP_MAIN("name", 20,
          {a_symbol_has_a_name_of_each_form, sizeof names / sizeof names[0]},
          {a_kernel_is_called_by_any_of_its_names, 0},
          {a_name_without_end_stays_a_symbol, 0},
          {a_long_name_loses_its_deepest_arguments, 0})
