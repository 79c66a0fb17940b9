#include "tools/cusolver/reflect.h"

void reflector_room(struct reflector *h, int type, int64_t rows,
                    int64_t columns, struct room *r)
{
    const size_t bytes = solver_bytes(type) * PANEL;

    h->type = type;
    h->v =
        (struct mat){room_part(r, bytes * (size_t)rows), rows > 1 ? rows : 1};
    h->t = (struct mat){room_part(r, bytes * PANEL), PANEL};
    h->products = (struct mat){room_part(r, bytes * PANEL), PANEL};
    h->first = (struct mat){room_part(r, bytes * (size_t)columns), 0};
    h->second = (struct mat){room_part(r, bytes * (size_t)columns), 0};
}

int reflector_make(const struct solver *s, struct reflector *h, int64_t rows,
                   int64_t count, struct mat a, const void *tau)
{
    h->rows = rows;
    h->count = count;
    NEED(solver_shape(s, h->type, rows, count, a, h->v, SHAPE_ZERO, SHAPE_ONE,
                      SHAPE_COPY));
    NEED(solver_multiply(s, h->type, OP_T, OP_N, count, count, rows, 1, h->v,
                         h->v, 0, h->products));
    return solver_launch(s, KERNELS_FACTOR, "larft", h->type, 1, 1, PANEL, 0,
                         &(struct larft_args){.products = h->products.at,
                                              .tau = tau,
                                              .t = h->t.at,
                                              .k = (int)count});
}

int reflector_apply(const struct solver *s, const struct reflector *h, int side,
                    int op, int64_t others, struct mat c)
{
    const int64_t k = h->count;
    struct mat x = h->first, y = h->second;

    if (side == LEFT) {
        x.ld = y.ld = PANEL;
        NEED(solver_multiply(s, h->type, OP_T, OP_N, k, others, h->rows, 1,
                             h->v, c, 0, x));
        NEED(solver_multiply(s, h->type, op, OP_N, k, others, k, 1, h->t, x, 0,
                             y));
        return solver_multiply(s, h->type, OP_N, OP_N, h->rows, others, k, -1,
                               h->v, y, 1, c);
    }
    x.ld = y.ld = others > 1 ? others : 1;
    NEED(solver_multiply(s, h->type, OP_N, OP_N, others, k, h->rows, 1, c, h->v,
                         0, x));
    NEED(solver_multiply(s, h->type, OP_N, op, others, k, k, 1, x, h->t, 0, y));
    return solver_multiply(s, h->type, OP_N, OP_T, others, h->rows, k, -1, y,
                           h->v, 1, c);
}

/* Q = H1 H2 ...: what stands next to C is first. */
int reflect_all(const struct solver *s, struct reflector *h, int side, int op,
                int64_t m, int64_t n, int64_t k, struct mat a, const void *tau,
                struct mat c)
{
    const int is_forward = (side == LEFT) == (op != OP_N);
    const int64_t rows = side == LEFT ? m : n, others = side == LEFT ? n : m;
    const int64_t blocks = (k + PANEL - 1) / PANEL;

    for (int64_t i = 0; i < blocks; i++) {
        const int64_t at = (is_forward ? i : blocks - 1 - i) * PANEL;

        NEED(reflector_make(s, h, rows - at, k - at < PANEL ? k - at : PANEL,
                            solver_part(h->type, a, at, at),
                            solver_at(h->type, tau, at)));
        NEED(reflector_apply(s, h, side, op, others,
                             side == LEFT ? solver_part(h->type, c, at, 0)
                                          : solver_part(h->type, c, 0, at)));
    }
    return SOLVER_SUCCESS;
}

int reflect_factor(const struct solver *s, struct reflector *h, int64_t m,
                   int64_t n, struct mat a, void *tau)
{
    const int64_t least = m < n ? m : n;

    for (int64_t k = 0; k < least; k += PANEL) {
        const int64_t width = least - k < PANEL ? least - k : PANEL;
        const int64_t end = k + width;
        const struct mat panel = solver_part(h->type, a, k, k);
        void *scales = solver_at(h->type, tau, k);

        NEED(
            solver_factor(s, "geqr2", h->type, 1, PANEL_THREADS,
                          &(struct factor_args){.a = solver_dense(panel),
                                                .tau = {.at = scales, .row = 1},
                                                .m = (int)(m - k),
                                                .n = (int)width}));
        if (end == n)
            break;
        NEED(reflector_make(s, h, m - k, width, panel, scales));
        NEED(reflector_apply(s, h, LEFT, OP_T, n - end,
                             solver_part(h->type, a, k, end)));
    }
    return SOLVER_SUCCESS;
}

/* Of each block only columns from its own on are other than the identity's. */
int reflect_form(const struct solver *s, struct reflector *h, int64_t m,
                 int64_t n, int64_t k, struct mat a, const void *tau,
                 struct mat c)
{
    const int64_t blocks = (k + PANEL - 1) / PANEL;

    NEED(solver_shape(s, h->type, m, n, c, c, SHAPE_ZERO, SHAPE_ONE,
                      SHAPE_ZERO));
    for (int64_t i = blocks - 1; i >= 0; i--) {
        const int64_t at = i * PANEL;

        NEED(reflector_make(s, h, m - at, k - at < PANEL ? k - at : PANEL,
                            solver_part(h->type, a, at, at),
                            solver_at(h->type, tau, at)));
        NEED(reflector_apply(s, h, LEFT, OP_N, n - at,
                             solver_part(h->type, c, at, at)));
    }
    return SOLVER_SUCCESS;
}
