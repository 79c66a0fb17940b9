/*
 * Entry points of cuSOLVER: singular values, all by one-sided Jacobi on A or, if
 * it has more columns than rows, on its transpose: M >= N are the longer and the
 * shorter side.  A block has a matrix of a batch; of a large matrix a launch
 * turns N / 2 pairs of columns, and the host looks once a sweep whether there
 * are any left to turn.  Left vectors are the columns that have been turned; QR
 * makes them whole where they are short of it: those of values that are 0, and
 * those beyond N.
 */
#include "tools/cusolver/jacobi.h"
#include "tools/cusolver/reflect.h"

enum {
    ONE_BLOCK_MOST = 64,    /* columns of a matrix that one block turns, */
    BATCH_BLOCK_MOST = 256, /* and of one of a batch */
    SHORT_COLUMN = 512,     /* rows for which a pair has but a warp */
    QR_BLOCK_MOST = 128,    /* rows whose QR is one block's */
    BATCHED_MOST = 32,      /* rows and columns that gesvdjBatched takes */
    SWEEPS_DEFAULT = 100,
};

/* What all calls come to. */
struct singular {
    int type;
    int64_t m, n, batch;
    struct dense a; /* stays as it is */
    struct dense values, u, v;
    int64_t kept, u_columns, v_columns; /* 0: none are wanted */
    int *info;                          /* one of each matrix */
    const struct jacobi_info *how;      /* NULL: as well as can be */
};

/* The same, seen from the longer side. */
struct sides {
    int64_t m, n;
    struct dense a, long_vectors, short_vectors;
    int64_t long_columns, short_columns;
};

static struct sides sides_of(const struct singular *g)
{
    struct dense turned = g->a;

    turned.row = g->a.column;
    turned.column = g->a.row;
    return g->m >= g->n ? (struct sides){g->m, g->n,         g->a,        g->u,
                                         g->v, g->u_columns, g->v_columns}
                        : (struct sides){g->n, g->m,         turned,      g->v,
                                         g->u, g->v_columns, g->u_columns};
}

/* ---- room --------------------------------------------------------------------------- */

struct parts {
    void *columns, *in_order, *turns, *norms, *tau;
    double *square;
    struct jacobi_report *report;
    struct reflector h;
};

static int by_one_block(const struct singular *g, const struct sides *s)
{
    return s->n <= (g->batch > 1 ? BATCH_BLOCK_MOST : ONE_BLOCK_MOST);
}

static int has_panels(const struct singular *g, const struct sides *s)
{
    return g->batch == 1 && s->m > QR_BLOCK_MOST;
}

static void lay_out(const struct singular *g, const struct sides *s,
                    struct room *r, struct parts *p)
{
    const size_t bytes = solver_bytes(g->type) * (size_t)g->batch;
    const size_t m = (size_t)s->m, n = (size_t)s->n;

    p->columns = room_part(r, bytes * m * n);
    p->in_order = room_part(r, s->long_columns > 0 ? bytes * m * n : 0);
    p->turns = room_part(r, s->short_columns > 0 ? bytes * n * n : 0);
    p->norms = room_part(r, bytes * n);
    p->tau = room_part(r, bytes * n);
    p->square = room_part(r, sizeof *p->square * (size_t)g->batch);
    p->report = room_part(r, sizeof *p->report * (size_t)g->batch);
    if (has_panels(g, s))
        reflector_room(&p->h, g->type, s->m, s->m, r);
}

static struct room singular_room(const struct singular *g)
{
    const struct sides s = sides_of(g);
    struct room r = {0};
    struct parts p;

    lay_out(g, &s, &r, &p);
    return r;
}

/* ---- turning --------------------------------------------------------------------------- */

static struct dense block_of(void *at, int64_t rows, int64_t columns)
{
    return (struct dense){
        .at = at, .row = 1, .column = rows, .batch = rows * columns};
}

/* Sweep by sweep, a launch for each round of one. */
static int turn_by_rounds(const struct solver *s, const struct singular *g,
                          struct jacobi_args *args)
{
    const int64_t pairs = (args->n + 1) / 2, rounds = 2 * pairs - 1;
    const unsigned threads = args->m > SHORT_COLUMN ? TURN_THREADS : 32;
    struct jacobi_report report = {.turns = 1};
    int failed = args->n + 1;

    NEED(solver_clear(s, args->report, sizeof *args->report));
    while (report.turns != 0 && report.sweeps < args->sweeps) {
        for (args->round = 0; args->round < rounds; args->round++)
            NEED(solver_launch(s, KERNELS_SINGULAR, "gesvj_round", g->type,
                               pairs, 1, threads, 0, args));
        NEED(solver_fetch(s, &report.turns, &args->report->turns,
                          sizeof report.turns));
        report.sweeps++;
        NEED(solver_clear(s, &args->report->turns, sizeof report.turns));
    }
    if (cudaMemcpyAsync(args->report, &report, sizeof report,
                        COPY_HOST_TO_DEVICE, s->stream) != 0 ||
        (report.turns != 0 &&
         cudaMemcpyAsync(args->info, &failed, sizeof failed,
                         COPY_HOST_TO_DEVICE, s->stream) != 0))
        return SOLVER_EXECUTION_FAILED;
    return SOLVER_SUCCESS;
}

static int turn(const struct solver *s, const struct singular *g,
                const struct sides *d, const struct parts *p)
{
    struct jacobi_args args = {
        .a = block_of(p->columns, d->m, d->n),
        .v = block_of(d->short_columns > 0 ? p->turns : NULL, d->n, d->n),
        .tolerance = jacobi_tolerance(g->how, g->type, d->m),
        .m = (int)d->m,
        .n = (int)d->n,
        .sweeps = g->how != NULL ? g->how->sweeps : SWEEPS_DEFAULT,
        .report = g->how != NULL && g->batch == 1 ? g->how->report : p->report,
        .info = g->info,
        .square = p->square,
    };
    const struct dense all = args.a, turns = args.v;

    if (by_one_block(g, d))
        return solver_launch(s, KERNELS_SINGULAR, "gesvj", g->type, g->batch, 1,
                             FACTOR_THREADS, 0, &args);
    for (int64_t i = 0; i < g->batch; i++) {
        args.a.at = solver_at(g->type, all.at, i * all.batch);
        if (turns.at != NULL)
            args.v.at = solver_at(g->type, turns.at, i * turns.batch);
        args.info = g->info + i;
        args.square = p->square + i;
        NEED(turn_by_rounds(s, g, &args));
    }
    return SOLVER_SUCCESS;
}

/* ---- vectors ---------------------------------------------------------------------------- */

static int by_columns(const struct solver *s, enum solver_kernels file,
                      const char *what, const struct singular *g, int64_t n,
                      void *args)
{
    const int64_t warps = FACTOR_THREADS / 32;

    return solver_launch(s, file, what, g->type, g->batch,
                         (n + warps - 1) / warps, FACTOR_THREADS, 0, args);
}

/* The longer side's, from columns in order: whole, by QR of them. */
static int make_whole(const struct solver *s, const struct singular *g,
                      const struct sides *d, struct parts *p)
{
    const struct dense r = block_of(p->in_order, d->m, d->n);
    const struct dense tau = {.at = p->tau, .row = 1, .batch = d->n};
    const int64_t columns = d->long_columns;
    const struct mat in = {p->in_order, d->m};
    const struct mat out = {d->long_vectors.at, d->long_vectors.column};

    if (has_panels(g, d)) {
        NEED(reflect_factor(s, &p->h, d->m, d->n, in, p->tau));
        NEED(reflect_form(s, &p->h, d->m, columns,
                          columns < d->n ? columns : d->n, in, p->tau, out));
    } else {
        NEED(solver_factor(
            s, "geqr2", g->type, g->batch, PANEL_THREADS,
            &(struct factor_args){
                .a = r, .tau = tau, .m = (int)d->m, .n = (int)d->n}));
        NEED(solver_launch_each(s, "shape", g->type, g->batch, d->m * columns,
                                &(struct shape_args){.from = d->long_vectors,
                                                     .to = d->long_vectors,
                                                     .m = (int)d->m,
                                                     .n = (int)columns,
                                                     .above = SHAPE_ZERO,
                                                     .diagonal = SHAPE_ONE,
                                                     .below = SHAPE_ZERO}));
        NEED(by_columns(s, KERNELS_FACTOR, "orm2r", g, columns,
                        &(struct reflect_args){.a = r,
                                               .tau = tau,
                                               .b = d->long_vectors,
                                               .m = (int)d->m,
                                               .columns = (int)columns,
                                               .k = (int)d->n,
                                               .backwards = 1}));
    }
    return by_columns(
        s, KERNELS_SINGULAR, "signs", g, columns < d->n ? columns : d->n,
        &(struct sign_args){.r = r,
                            .q = d->long_vectors,
                            .m = (int)d->m,
                            .n = (int)(columns < d->n ? columns : d->n)});
}

static int solve_in(const struct solver *s, const struct singular *g,
                    struct room *r)
{
    const struct sides d = sides_of(g);
    struct parts p;
    struct norm_args norms;
    struct order_args order;

    lay_out(g, &d, r, &p);
    NEED(solver_launch_each(
        s, "shape", g->type, g->batch, d.m * d.n,
        &(struct shape_args){.from = d.a,
                             .to = block_of(p.columns, d.m, d.n),
                             .m = (int)d.m,
                             .n = (int)d.n,
                             .above = SHAPE_COPY,
                             .diagonal = SHAPE_COPY,
                             .below = SHAPE_COPY}));
    if (d.short_columns > 0)
        NEED(solver_launch_each(
            s, "shape", g->type, g->batch, d.n * d.n,
            &(struct shape_args){.from = block_of(p.turns, d.n, d.n),
                                 .to = block_of(p.turns, d.n, d.n),
                                 .m = (int)d.n,
                                 .n = (int)d.n,
                                 .above = SHAPE_ZERO,
                                 .diagonal = SHAPE_ONE,
                                 .below = SHAPE_ZERO}));
    NEED(solver_launch(s, KERNELS_SINGULAR, "square", g->type, g->batch, 1,
                       FACTOR_THREADS, 0,
                       &(struct square_args){.a = block_of(p.columns, d.m, d.n),
                                             .square = p.square,
                                             .m = (int)d.m,
                                             .n = (int)d.n}));
    NEED(turn(s, g, &d, &p));
    norms = (struct norm_args){
        .a = block_of(p.columns, d.m, d.n),
        .norms = {.at = p.norms, .row = 1, .batch = d.n},
        .least = jacobi_tolerance(NULL, g->type, d.m),
        .square = p.square,
        .m = (int)d.m,
        .n = (int)d.n,
    };
    NEED(by_columns(s, KERNELS_SINGULAR, "norms", g, d.n, &norms));
    order = (struct order_args){
        .values = norms.norms,
        .out = g->values,
        .from = norms.a,
        .to = block_of(p.in_order, d.m, d.n),
        .n = (int)d.n,
        .m = d.long_columns > 0 ? (int)d.m : 0,
        .down = 1,
        .kept = (int)d.n,
    };
    NEED(by_columns(s, KERNELS_EIGEN, "order", g, d.n, &order));
    if (d.long_columns > 0)
        NEED(make_whole(s, g, &d, &p));
    if (d.short_columns == 0)
        return SOLVER_SUCCESS;
    order.out.at = NULL;
    order.from = block_of(p.turns, d.n, d.n);
    order.to = d.short_vectors;
    order.m = (int)d.n;
    order.kept = (int)d.short_columns;
    return by_columns(s, KERNELS_EIGEN, "order", g, d.n, &order);
}

static int check(const struct solver *s, const struct singular *g)
{
    if (s == NULL)
        return SOLVER_NOT_INITIALIZED;
    return g->batch >= 0 && g->batch <= INT32_MAX &&
                   is_matrix(g->m, g->n, g->a.column) &&
                   (g->u_columns == 0 || g->u.column >= (g->m > 1 ? g->m : 1))
               ? SOLVER_SUCCESS
               : SOLVER_INVALID_VALUE;
}

static int solve(const struct solver *s, const struct singular *g, void *work,
                 size_t bytes)
{
    const struct room counted = singular_room(g);

    NEED(check(s, g));
    if (g->info == NULL || !room_holds(&counted, work, bytes))
        return SOLVER_INVALID_VALUE;
    NEED(solver_clear(s, g->info, sizeof *g->info * (size_t)g->batch));
    if (g->m == 0 || g->n == 0 || g->batch == 0)
        return SOLVER_SUCCESS;
    return solve_in(s, g, &(struct room){.at = work});
}

/* ---- gesvdj ------------------------------------------------------------------------------- */

static struct dense batch_of(const void *at, int64_t ld, int64_t stride)
{
    return (struct dense){
        .at = (void *)at, .row = 1, .column = ld, .batch = stride};
}

static int64_t smaller(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static struct singular gesvdj(int type, int vectors, int economy, int64_t m,
                              int64_t n, const void *a, int64_t lda,
                              const void *values, const void *u, int64_t ldu,
                              const void *v, int64_t ldv, int *info,
                              const struct jacobi_info *how, int64_t batch)
{
    const int64_t least = smaller(m, n);

    return (struct singular){
        .type = type,
        .m = m,
        .n = n,
        .batch = batch,
        .a = batch_of(a, lda, lda * n),
        .values = batch_of(values, least, least),
        .u = batch_of(u, ldu, ldu * m),
        .v = batch_of(v, ldv, ldv * n),
        .kept = least,
        .u_columns = !vectors  ? 0
                     : economy ? least
                               : m,
        .v_columns = !vectors  ? 0
                     : economy ? least
                               : n,
        .info = info,
        .how = how,
    };
}

static int gesvdj_check(const struct solver *s, const struct singular *g,
                        int vectors, int is_batched)
{
    NEED(check(s, g));
    return (vectors == 0 || vectors == 1) && g->how != NULL &&
                   (!vectors || g->v.column >= (g->n > 1 ? g->n : 1)) &&
                   (!is_batched ||
                    (g->m <= BATCHED_MOST && g->n <= BATCHED_MOST))
               ? SOLVER_SUCCESS
               : SOLVER_INVALID_VALUE;
}

static int count_elements(const struct singular *g, int *elements)
{
    const struct room r = singular_room(g);

    if (elements == NULL)
        return SOLVER_INVALID_VALUE;
    return room_elements(&r, g->type, elements);
}

/* ---- gesvd --------------------------------------------------------------------------------- */

/* Of a side's vectors: all, as many as there are values, these in A's place, none;
 * -1: another. */
static int64_t columns_of(int job, int64_t all, int64_t least)
{
    return job == 'A'                 ? all
           : job == 'S' || job == 'O' ? least
           : job == 'N'               ? 0
                                      : -1;
}

/* V's rows are its transpose's columns. */
static struct singular gesvd(int type, int job_u, int job_v, int64_t m,
                             int64_t n, const void *a, int64_t lda,
                             const void *values, const void *u, int64_t ldu,
                             const void *v, int64_t ldv, int *info)
{
    return (struct singular){
        .type = type,
        .m = m,
        .n = n,
        .batch = 1,
        .a = batch_of(a, lda, 0),
        .values = batch_of(values, n, 0),
        .u = job_u == 'O' ? batch_of(a, lda, 0) : batch_of(u, ldu, 0),
        .v = {.at = (void *)(job_v == 'O' ? a : v),
              .row = job_v == 'O' ? lda : ldv,
              .column = 1},
        .kept = n,
        .u_columns = columns_of(job_u, m, n),
        .v_columns = columns_of(job_v, n, n),
        .info = info,
    };
}

static int gesvd_solve(const struct solver *s, const struct singular *g,
                       void *work, size_t bytes)
{
    if (g->m < g->n)
        return SOLVER_INVALID_VALUE; /* as the library */
    if (g->u_columns < 0 || g->v_columns < 0 ||
        (g->u_columns > 0 && g->v_columns > 0 && g->u.at == g->v.at))
        return SOLVER_INVALID_VALUE; /* as LAPACK: one can be where A is */
    if (g->v_columns > 0 && g->v.row < (g->n > 1 ? g->n : 1))
        return SOLVER_INVALID_VALUE;
    return solve(s, g, work, bytes);
}

/* Whatever vectors will be asked for. */
static struct singular gesvd_most(int type, int64_t m, int64_t n)
{
    return gesvd(type, 'A', 'A', m, n, NULL, m > 1 ? m : 1, NULL, NULL,
                 m > 1 ? m : 1, NULL, n > 1 ? n : 1, NULL);
}

/* ---- gesvda: of batches, the first `rank` values --------------------------------------------- */

static struct singular gesvda(int type, int vectors, int rank, int64_t m,
                              int64_t n, struct dense a, struct dense values,
                              struct dense u, struct dense v, int *info,
                              int64_t batch)
{
    return (struct singular){
        .type = type,
        .m = m,
        .n = n,
        .batch = batch,
        .a = a,
        .values = values,
        .u = u,
        .v = v,
        .kept = rank,
        .u_columns = vectors ? rank : 0,
        .v_columns = vectors ? rank : 0,
        .info = info,
    };
}

/* Behind it, values before they are as many as are wanted, and how far off the
 * results are. */
struct behind {
    void *values;
    double *norms;
};

static struct behind gesvda_room(const struct singular *g, struct room *r)
{
    const int64_t least = smaller(g->m, g->n);

    return (struct behind){
        .values =
            room_part(r, (size_t)(least * g->batch) * solver_bytes(g->type)),
        .norms = room_part(r, sizeof(double) * (size_t)g->batch),
    };
}

static int gesvda_check(const struct solver *s, const struct singular *g)
{
    NEED(check(s, g));
    return g->kept >= 0 && g->kept <= smaller(g->m, g->n)
               ? SOLVER_SUCCESS
               : SOLVER_INVALID_VALUE;
}

static int gesvda_elements(const struct solver *s, const struct singular *g,
                           int *elements)
{
    struct room r;

    NEED(gesvda_check(s, g));
    r = singular_room(g);
    gesvda_room(g, &r);
    return elements != NULL ? room_elements(&r, g->type, elements)
                            : SOLVER_INVALID_VALUE;
}

static int gesvda_solve(const struct solver *s, struct singular *g, void *work,
                        size_t bytes, double *host_norms)
{
    const int64_t least = smaller(g->m, g->n);
    const struct dense wanted = g->values;
    struct room r, counted;
    struct behind behind;

    NEED(gesvda_check(s, g));
    r = counted = singular_room(g);
    gesvda_room(g, &counted);
    if (!room_holds(&counted, work, bytes))
        return SOLVER_INVALID_VALUE;
    r.at = work;
    behind = gesvda_room(g, &r);
    g->values = batch_of(behind.values, least, least);
    NEED(solve(s, g, work, bytes));
    NEED(solver_launch_each(s, "shape", g->type, g->batch, g->kept,
                            &(struct shape_args){.from = g->values,
                                                 .to = wanted,
                                                 .m = (int)g->kept,
                                                 .n = 1,
                                                 .above = SHAPE_COPY,
                                                 .diagonal = SHAPE_COPY,
                                                 .below = SHAPE_COPY}));
    if (host_norms == NULL || g->u_columns == 0 || g->batch == 0)
        return SOLVER_SUCCESS;
    NEED(solver_launch(s, KERNELS_SINGULAR, "rest", g->type, g->batch, 1,
                       FACTOR_THREADS, 0,
                       &(struct rest_args){.a = g->a,
                                           .u = g->u,
                                           .s = g->values,
                                           .v = g->v,
                                           .norm = behind.norms,
                                           .m = (int)g->m,
                                           .n = (int)g->n,
                                           .rank = (int)g->kept}));
    return solver_fetch(s, host_norms, behind.norms,
                        sizeof *host_norms * (size_t)g->batch);
}

/* ---- entry points ----------------------------------------------------------------------------- */

#define CALLS(letter, type)                                                    \
    CALL(cusolverDn##letter##gesvdj_bufferSize, const struct solver *s,        \
         int vectors, int economy, int m, int n, const void *a, int lda,       \
         const void *w, const void *u, int ldu, const void *v, int ldv,        \
         int *elements, const struct jacobi_info *how)                         \
    {                                                                          \
        const struct singular g = gesvdj(type, vectors, economy, m, n, a, lda, \
                                         w, u, ldu, v, ldv, NULL, how, 1);     \
                                                                               \
        NEED(gesvdj_check(s, &g, vectors, 0));                                 \
        return count_elements(&g, elements);                                   \
    }                                                                          \
    CALL(cusolverDn##letter##gesvdj, const struct solver *s, int vectors,      \
         int economy, int m, int n, void *a, int lda, void *w, void *u,        \
         int ldu, void *v, int ldv, void *work, int elements, int *info,       \
         const struct jacobi_info *how)                                        \
    {                                                                          \
        const struct singular g = gesvdj(type, vectors, economy, m, n, a, lda, \
                                         w, u, ldu, v, ldv, info, how, 1);     \
                                                                               \
        NEED(gesvdj_check(s, &g, vectors, 0));                                 \
        return solve(s, &g, work, (size_t)elements * solver_bytes(type));      \
    }                                                                          \
    CALL(cusolverDn##letter##gesvdjBatched_bufferSize, const struct solver *s, \
         int vectors, int m, int n, const void *a, int lda, const void *w,     \
         const void *u, int ldu, const void *v, int ldv, int *elements,        \
         const struct jacobi_info *how, int batch)                             \
    {                                                                          \
        const struct singular g = gesvdj(type, vectors, 0, m, n, a, lda, w, u, \
                                         ldu, v, ldv, NULL, how, batch);       \
                                                                               \
        NEED(gesvdj_check(s, &g, vectors, 1));                                 \
        return count_elements(&g, elements);                                   \
    }                                                                          \
    CALL(cusolverDn##letter##gesvdjBatched, const struct solver *s,            \
         int vectors, int m, int n, void *a, int lda, void *w, void *u,        \
         int ldu, void *v, int ldv, void *work, int elements, int *info,       \
         const struct jacobi_info *how, int batch)                             \
    {                                                                          \
        const struct singular g = gesvdj(type, vectors, 0, m, n, a, lda, w, u, \
                                         ldu, v, ldv, info, how, batch);       \
                                                                               \
        NEED(gesvdj_check(s, &g, vectors, 1));                                 \
        return solve(s, &g, work, (size_t)elements * solver_bytes(type));      \
    }                                                                          \
    CALL(cusolverDn##letter##gesvd_bufferSize, const struct solver *s, int m,  \
         int n, int *elements)                                                 \
    {                                                                          \
        const struct singular g = gesvd_most(type, m, n);                      \
                                                                               \
        NEED(check(s, &g));                                                    \
        return m >= n ? count_elements(&g, elements) : SOLVER_INVALID_VALUE;   \
    }                                                                          \
    CALL(cusolverDn##letter##gesvd, const struct solver *s, signed char job_u, \
         signed char job_v, int m, int n, void *a, int lda, void *w, void *u,  \
         int ldu, void *v, int ldv, void *work, int elements, void *real_work, \
         int *info)                                                            \
    {                                                                          \
        const struct singular g =                                              \
            gesvd(type, job_u, job_v, m, n, a, lda, w, u, ldu, v, ldv, info);  \
                                                                               \
        (void)real_work;                                                       \
        NEED(check(s, &g));                                                    \
        return gesvd_solve(s, &g, work,                                        \
                           (size_t)elements * solver_bytes(type));             \
    }                                                                          \
    CALL(cusolverDn##letter##gesvdaStridedBatched_bufferSize,                  \
         const struct solver *s, int vectors, int rank, int m, int n,          \
         const void *a, int lda, long long by_a, const void *w,                \
         long long by_w, const void *u, int ldu, long long by_u,               \
         const void *v, int ldv, long long by_v, int *elements, int batch)     \
    {                                                                          \
        const struct singular g =                                              \
            gesvda(type, vectors, rank, m, n, batch_of(a, lda, by_a),          \
                   batch_of(w, rank, by_w), batch_of(u, ldu, by_u),            \
                   batch_of(v, ldv, by_v), NULL, batch);                       \
                                                                               \
        return gesvda_elements(s, &g, elements);                               \
    }                                                                          \
    CALL(cusolverDn##letter##gesvdaStridedBatched, const struct solver *s,     \
         int vectors, int rank, int m, int n, const void *a, int lda,          \
         long long by_a, void *w, long long by_w, void *u, int ldu,            \
         long long by_u, void *v, int ldv, long long by_v, void *work,         \
         int elements, int *info, double *norms, int batch)                    \
    {                                                                          \
        struct singular g =                                                    \
            gesvda(type, vectors, rank, m, n, batch_of(a, lda, by_a),          \
                   batch_of(w, rank, by_w), batch_of(u, ldu, by_u),            \
                   batch_of(v, ldv, by_v), info, batch);                       \
                                                                               \
        return gesvda_solve(s, &g, work,                                       \
                            (size_t)elements * solver_bytes(type), norms);     \
    }
CALLS(S, DATA_32F)
CALLS(D, DATA_64F)

CALL(cusolverDnXgesvd_bufferSize, const struct solver *s, const void *params,
     signed char job_u, signed char job_v, int64_t m, int64_t n, int type,
     const void *a, int64_t lda, int type_w, const void *w, int type_u,
     const void *u, int64_t ldu, int type_v, const void *v, int64_t ldv,
     int compute, size_t *device, size_t *host)
{
    struct singular g;
    struct room r;

    (void)params, (void)job_u, (void)job_v, (void)a, (void)lda, (void)w;
    (void)u, (void)ldu, (void)v, (void)ldv, (void)compute;
    if (!type_is_known("cusolverDnXgesvd", type) || type_w != type ||
        type_u != type || type_v != type)
        return SOLVER_NOT_SUPPORTED;
    g = gesvd_most(type, m, n);
    NEED(check(s, &g));
    r = singular_room(&g);
    return m >= n ? room_bytes(&r, device, host) : SOLVER_INVALID_VALUE;
}

CALL(cusolverDnXgesvd, const struct solver *s, const void *params,
     signed char job_u, signed char job_v, int64_t m, int64_t n, int type,
     void *a, int64_t lda, int type_w, void *w, int type_u, void *u,
     int64_t ldu, int type_v, void *v, int64_t ldv, int compute,
     void *on_device, size_t device, void *on_host, size_t host, int *info)
{
    struct singular g;

    (void)params, (void)compute, (void)on_host, (void)host;
    if (!type_is_known("cusolverDnXgesvd", type) || type_w != type ||
        type_u != type || type_v != type)
        return SOLVER_NOT_SUPPORTED;
    g = gesvd(type, job_u, job_v, m, n, a, lda, w, u, ldu, v, ldv, info);
    NEED(check(s, &g));
    return gesvd_solve(s, &g, on_device, device);
}
