/* What kernels of dropout are given, by the host and on the device. */
#ifndef TEG_TOOLS_CUDNN_KERNELS_DROPOUT_H
#define TEG_TOOLS_CUDNN_KERNELS_DROPOUT_H

enum {
    DROPOUT_THREADS = 128,
    DROPOUT_EACH = 4, /* elements of a thread: as many as it gets numbers */
};

/* What a program's states hold: as many calls have had numbers of the seed. */
struct dropout_states {
    unsigned long long seed, calls;
};

struct dropout {
    const void *x;
    void *y;
    unsigned char *kept; /* whether an element is: a byte each */
    struct dropout_states *states;
    unsigned long long seed;
    long long count;
    double share; /* of elements that are dropped */
};

#endif
