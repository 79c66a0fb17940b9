#include "tests/sim/engine/help_naive_copy.h"

uint64_t naive_copied_bytes(const uint64_t *value, enum teg_values kind)
{
    int is_box = kind != VALUES_BULK;
    uint64_t bytes = is_box ? value[4] : value[2];

    if (value[1] == UINT64_MAX)
        return 0;
    for (int i = 5; is_box && i < 9; i++)
        bytes *= value[i] >> 48;
    return bytes;
}

uint64_t naive_copied(const uint64_t *value, enum teg_values kind, uint64_t n)
{
    uint64_t at = value[1], rows;

    if (kind == VALUES_BULK)
        return at + n;
    at += n % value[4];
    rows = n / value[4];
    for (int i = 5; i < 9; i++) {
        at += rows % (value[i] >> 48) * (value[i] << 16 >> 16);
        rows /= value[i] >> 48;
    }
    return at;
}
