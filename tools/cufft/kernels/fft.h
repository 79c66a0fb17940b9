/*
 * What a pass of a transform is given, by the host (tools/cufft/passes.c) and on
 * the device (fft.cu): in each of many lines of n complex elements it finds
 *
 *     X[k] = sum over i of x[i] w^(i k), w = exp(-2 pi sqrt(-1) / n).
 *
 * A line lies anywhere at regular distances; its element i may be element
 * i * in.index + ... of a longer line, whose transform takes several passes.
 */
#ifndef TEG_TOOLS_CUFFT_KERNELS_FFT_H
#define TEG_TOOLS_CUFFT_KERNELS_FFT_H

enum {
    FFT_LOOPS = 6,
    FFT_RADICES = 14,
    FFT_THREADS = 512, /* of a block, at most */
    FFT_THREADS_COMPLEX_32 = 1024,
};

/* How an element of the line comes from memory, and goes there. */
enum fft_form {
    FFT_COMPLEX,
    FFT_REAL,    /* a number without another part */
    FFT_PAIRS,   /* two numbers, one behind the other, are an element */
    FFT_HERMITE, /* of n complex ones the first n / 2 + 1: the others mirror
                    them */
    FFT_HALF,    /* n + 1 of the 2 n of a real line's transform, of which the
                    line has even ones as real, odd ones as other parts */
};

enum fft_flag {
    FFT_INVERSE = 1,     /* parts are swapped on the way in and out */
    FFT_LOAD_TABLE = 2,  /* elements are multiplied by the table's, and are 0
                            from in.kept on */
    FFT_STORE_TABLE = 4, /* the same on the way out, where those from out.kept
                            on are left out */
    FFT_CONJUGATE = 8,   /* by what mirrors the table's elements */
    FFT_TWIDDLE = 16,    /* X[k] is multiplied by w^(k * loops' twiddle), w of
                            `whole` elements */
    FFT_ALIGNED = 32,    /* pairs are at addresses of pairs */
    FFT_IN_ACROSS = 64,  /* threads side by side load from lines side by side */
    FFT_OUT_ACROSS = 128,
};

/* Lines: a loop's index times these is added up. */
struct fft_loop {
    unsigned count;
    unsigned in_index, out_index; /* to the element's index */
    unsigned twiddle;
    long long in, out; /* to its place */
};

struct fft_side {
    enum fft_form form;
    unsigned index; /* of an element times this, to its index */
    unsigned whole; /* elements of the longer line */
    unsigned kept;
    long long stride; /* complex elements, or real ones */
    long long second; /* pairs: to the second of them */
};

struct fft_pass {
    const void *from;
    void *to;
    const void *roots;  /* w^k of n */
    const void *halves; /* w^k of 2 n, first half: forms FFT_HALF */
    const void *load_table, *store_table;
    struct fft_side in, out;
    struct fft_loop loop[FFT_LOOPS]; /* the first one's lines share a block */
    unsigned n, whole;
    unsigned tile_bits; /* 2^this lines a block */
    unsigned pitch;     /* from line to line in shared memory */
    int tiles; /* there: 1, where no thread has more works; else 2, for what is read
                  and what is written */
    int flags;
    int radices;
    struct {
        unsigned radix;
        unsigned before;      /* product of the radices before it */
        unsigned before_part; /* 2^32 / before, rounded up */
        unsigned rest;        /* n / radix */
        unsigned rest_part;
        unsigned step; /* n / (before * radix) */
    } at[FFT_RADICES];
};

enum {
    FFT_RADIX_HELD = 13, /* the largest whose elements a thread holds */
};

/* Works of a radix that a thread does between two barriers. */
#define FFT_WORKS(radix) ((radix) == 4 ? 2 : 1)

/* Where element i of a tile lies: what a radix of 8 writes is not in one bank. */
#define FFT_PADDED(i, bits) ((i) + ((i) >> (bits)))
enum {
    FFT_PAD_BITS_32 = 4, /* 16 floats' elements are as wide as the banks */
    FFT_PAD_BITS_64 = 3,
};

#endif
