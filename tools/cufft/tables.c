#include "tools/cufft/tables.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tools/cufft/length.h"

enum {
    TO_DEVICE = 1, /* cudaMemcpyKind */
};

static const double pi = 3.14159265358979323846;

struct tables {
    struct tables *next;
    enum fft_table kind;
    unsigned n;
    int is_double;
    void *device;
};

struct number {
    double x, y;
};

/* exp(-2 pi i part / whole). */
static struct number root(unsigned long long part, unsigned long long whole)
{
    double angle = -2 * pi * (double)(part % whole) / (double)whole;

    return (struct number){cos(angle), sin(angle)};
}

static struct number times(struct number a, struct number b)
{
    return (struct number){a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x};
}

/* In place, n a power of two. */
static void transform(struct number *x, unsigned n)
{
    for (unsigned i = 1, j = 0; i < n; i++) {
        unsigned bit = n >> 1;

        for (; (j & bit) != 0; bit >>= 1)
            j ^= bit;
        j ^= bit;
        if (i < j) {
            struct number swap = x[i];

            x[i] = x[j];
            x[j] = swap;
        }
    }
    for (unsigned half = 1; half < n; half *= 2) {
        for (unsigned k = 0; k < half; k++) {
            struct number w = root(k, 2 * (unsigned long long)half);

            for (unsigned i = k; i < n; i += 2 * half) {
                struct number odd = times(x[i + half], w);

                x[i + half] = (struct number){x[i].x - odd.x, x[i].y - odd.y};
                x[i] = (struct number){x[i].x + odd.x, x[i].y + odd.y};
            }
        }
    }
}

static struct number chirp(unsigned k, unsigned n)
{
    return root((unsigned long long)k * k, 2 * (unsigned long long)n);
}

/* Returns how many numbers there are. */
static unsigned fill(struct number *x, enum fft_table kind, unsigned n)
{
    unsigned around = length_around(n);

    switch (kind) {
    case TABLE_ROOTS:
    case TABLE_HALVES:
        for (unsigned k = 0; k < n; k++)
            x[k] = root(k, n * (kind == TABLE_ROOTS ? 1ull : 2ull));
        return n;
    case TABLE_CHIRP:
        for (unsigned k = 0; k < n; k++)
            x[k] = chirp(k, n);
        return n;
    default:
        for (unsigned k = 0; k < around; k++) {
            unsigned i = k < n ? k : around - k;
            struct number c = i < n ? chirp(i, n) : (struct number){0, 0};

            x[k] = (struct number){c.x / around, -c.y / around};
        }
        transform(x, around);
        return around;
    }
}

static void *device_copy(struct number *x, unsigned count, int is_double)
{
    size_t bytes = count * (is_double ? sizeof *x : sizeof *x / 2);
    void *device = NULL;

    for (unsigned i = 0; i < count && !is_double; i++) {
        float z[2] = {(float)x[i].x, (float)x[i].y};

        memcpy((char *)x + i * sizeof z, z, sizeof z);
    }
    if (cudaMalloc(&device, bytes) != 0)
        return NULL;
    if (cudaMemcpy(device, x, bytes, TO_DEVICE) != 0) {
        cudaFree(device);
        return NULL;
    }
    return device;
}

static struct tables *make(enum fft_table kind, unsigned n, int is_double)
{
    size_t most = kind == TABLE_SPECTRUM ? length_around(n) : n;
    struct number *x = calloc(most, sizeof *x);
    struct tables *t = calloc(1, sizeof *t);

    if (x != NULL && t != NULL) {
        *t = (struct tables){.kind = kind, .n = n, .is_double = is_double};
        t->device = device_copy(x, fill(x, kind, n), is_double);
    }
    free(x);
    if (t == NULL || t->device != NULL)
        return t;
    free(t);
    return NULL;
}

const void *tables_get(struct tables **all, enum fft_table kind, unsigned n,
                       int is_double)
{
    struct tables *t;

    for (t = *all; t != NULL; t = t->next) {
        if (t->kind == kind && t->n == n && t->is_double == is_double)
            return t->device;
    }
    t = make(kind, n, is_double);
    if (t == NULL)
        return NULL;
    t->next = *all;
    *all = t;
    return t->device;
}

void tables_free(struct tables *t)
{
    while (t != NULL) {
        struct tables *next = t->next;

        cudaFree(t->device);
        free(t);
        t = next;
    }
}
