#include "sim/sample/past.h"

/* Each happening is in the sum times this to the count of later ones. */
#define BASE UINT64_C(0x9e3779b97f4a7c15)

void teg_past_add(struct teg_past *p, enum teg_happening what, uint64_t a,
                  uint64_t b)
{
    uint64_t mixed = (((uint64_t)what * BASE) ^ a) * BASE ^ b;

    mixed = (mixed ^ mixed >> 29) * BASE;
    p->sum = p->sum * BASE + (mixed ^ mixed >> 32);
    p->count++;
}

struct teg_past teg_past_since(struct teg_past now, struct teg_past then)
{
    uint64_t count = now.count - then.count, power = 1, square = BASE;

    for (uint64_t n = count; n != 0; n >>= 1) {
        power *= n & 1 ? square : 1;
        square *= square;
    }
    return (struct teg_past){now.sum - then.sum * power, count};
}

int teg_past_compare(struct teg_past a, struct teg_past b)
{
    if (a.count != b.count)
        return a.count < b.count ? -1 : 1;
    return a.sum == b.sum ? 0 : a.sum < b.sum ? -1 : 1;
}
