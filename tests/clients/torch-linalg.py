# packages: torch==2.15.0 torchvision==0.29.2 numpy
"""PyTorch's linear algebra by cuSOLVER and cuBLAS, for which teg's kernels stand:
factors, systems, eigenvalues and singular values, against PyTorch's CPU code or
by definitions where signs may differ."""
import torch
from client import refused, run, same, step

torch.manual_seed(1)
linalg = torch.linalg
# How far a result of each type may be off.
TYPES = {torch.float32: 1e-4, torch.float64: 1e-11}
# Rows and columns, and of what batch.
SIZES = (((), 1), ((), 6), ((), 90), ((3,), 5), ((2, 2), 20))


def near(got, want, off):
    want = want.double()
    same(got.detach().cpu().double(), want.detach(), off,
         off * max(1, want.abs().max().item() if want.numel() else 0))


def upright(q, off):
    "Columns at right angles to each other, of length 1."
    near(q.mT @ q, torch.eye(q.shape[-1]).expand(*q.shape[:-2], -1, -1), off)


def matrices():
    for type_, off in TYPES.items():
        for batch, n in SIZES:
            yield torch.randn(*batch, n, n).to(type_), off


def positive(a):
    return a @ a.mT + a.shape[-1] * torch.eye(a.shape[-1], dtype=a.dtype)


@step
def cholesky():
    for a, off in matrices():
        s, b = positive(a), a[..., :1]
        for upper in (False, True):
            near(linalg.cholesky(s.cuda(), upper=upper),
                 linalg.cholesky(s.double(), upper=upper), off)
        factor = linalg.cholesky(s.cuda())
        near(s.double() @ torch.cholesky_solve(b.cuda(), factor).cpu().double(), b, off)
        near(torch.cholesky_inverse(factor), linalg.inv(s.double()), off)


@step
def not_positive():
    s = positive(torch.randn(70, 70))
    s[40, 40] = -1
    near(linalg.cholesky_ex(s.cuda()).info, linalg.cholesky_ex(s).info, 0)
    refused(lambda: linalg.cholesky(s.cuda()), "positive-definite")
    s = positive(torch.randn(3, 4, 4))
    s[1, 2, 2] = -1
    near(linalg.cholesky_ex(s.cuda()).info, torch.tensor([0, 3, 0]), 0)


@step
def lu():
    for a, off in matrices():
        p, l, u = linalg.lu(a.cuda())
        near(p @ l @ u, a, off)
        near(p, linalg.lu(a).P, 0)
        factor, pivots = linalg.lu_factor(a.cuda())
        for adjoint in (False, True):
            x = linalg.lu_solve(factor, pivots, a[..., :1].cuda(), adjoint=adjoint)
            near((a.mT if adjoint else a).double() @ x.cpu().double(), a[..., :1],
                 100 * off)
    a = torch.randn(40, 70, dtype=torch.double)
    for m in (a, a.mT):
        p, l, u = linalg.lu(m.cuda())
        near(p @ l @ u, m, 1e-12)


@step
def systems():
    for a, off in matrices():
        s = positive(a)
        near(linalg.solve(s.cuda(), a.cuda()), linalg.solve(s.double(), a.double()), off)
        near(linalg.inv(s.cuda()), linalg.inv(s.double()), off)
        near(linalg.slogdet(s.cuda())[1], linalg.slogdet(s.double())[1], off)
        near(linalg.det(s[..., :3, :3].cuda()), linalg.det(s[..., :3, :3].double()), off)
        for upper in (False, True):
            t = (torch.triu if upper else torch.tril)(s)
            for left in (False, True):
                near(linalg.solve_triangular(t.cuda(), a.cuda(), upper=upper, left=left),
                     linalg.solve_triangular(t.double(), a.double(), upper=upper,
                                             left=left), off)


@step
def singular_systems():
    a = torch.randn(50, 50, dtype=torch.double)
    a[:, 45] = 0
    near(linalg.lu_factor_ex(a.cuda()).info, linalg.lu_factor_ex(a).info, 0)
    refused(lambda: linalg.inv(a.cuda()), "singular")
    b = torch.randn(2, 4, 4)
    b[1] = 0
    near(linalg.inv_ex(b.cuda()).info, torch.tensor([0, 1]), 0)


@step
def symmetric_systems():
    for a, off in matrices():
        s = a + a.mT
        s.diagonal(dim1=-2, dim2=-1)[..., 1:] *= 1e-3
        factor, pivots = linalg.ldl_factor(s.cuda())
        near(pivots, linalg.ldl_factor(s).pivots, 0)
        x = linalg.ldl_solve(factor, pivots, a[..., :1].cuda())
        near(s.double() @ x.cpu().double(), a[..., :1], 100 * off)


@step
def qr():
    for a, off in matrices():
        n = a.shape[-1]
        for m in (a, a[..., :(n + 1) // 2], a[..., :(n + 1) // 2, :]):
            for mode in ("reduced", "complete"):
                q, r = linalg.qr(m.cuda(), mode=mode)
                near(q @ r, m, off)
                near(torch.triu(r), r.cpu(), 0)
                upright(q, off)
        # reflections by themselves
        packed, tau = torch.geqrf(a.cuda())
        q = linalg.householder_product(packed, tau)
        for left in (False, True):
            for transpose in (False, True):
                want = q.mT if transpose else q
                want = want @ a.cuda() if left else a.cuda() @ want
                near(torch.ormqr(packed, tau, a.cuda(), left=left, transpose=transpose),
                     want.cpu(), off)


@step
def least_squares():
    for type_, off in TYPES.items():
        for batch, m, n in (((), 60, 40), ((4,), 20, 7), ((), 5, 5)):
            a = torch.randn(*batch, m, n).to(type_)
            b = torch.randn(*batch, m, 3).to(type_)
            near(linalg.lstsq(a.cuda(), b.cuda()).solution,
                 linalg.lstsq(a.double(), b.double()).solution, 10 * off)
            near(linalg.pinv(a.cuda()), linalg.pinv(a.double()), 10 * off)


@step
def eigenvalues():
    for a, off in matrices():
        s = a + a.mT
        want = linalg.eigvalsh(s.double())
        for triangle in "LU":
            near(linalg.eigvalsh(s.cuda(), UPLO=triangle), want, off)
            values, vectors = linalg.eigh(s.cuda(), UPLO=triangle)
            near(values, want, off)
            upright(vectors, off)
            near(s.cuda() @ vectors, (vectors * values[..., None, :]).cpu(), off)


@step
def singular_values():
    for a, off in matrices():
        n = a.shape[-1]
        for m in (a, a[..., :(n + 1) // 2], a[..., :(n + 1) // 2, :]):
            if n > 50 and m.shape[-1] == n:
                continue  # seconds each
            values = linalg.svdvals(m.double())
            near(linalg.svdvals(m.cuda()), values, off)
            k = values.shape[-1]
            for full in (False, True):
                u, s, v = linalg.svd(m.cuda(), full_matrices=full)
                near(s, values, off)
                upright(u, off)
                upright(v.mT, off)
                near((u[..., :k] * s[..., None, :]) @ v[..., :k, :], m, off)


@step
def drivers():
    for type_, off in TYPES.items():
        for batch in ((), (3,)):
            a = torch.randn(*batch, 14, 9).to(type_)
            for driver in ("gesvd", "gesvdj", "gesvda"):
                u, s, v = linalg.svd(a.cuda(), full_matrices=False, driver=driver)
                near(s, linalg.svdvals(a.double()), off)
                near((u * s[..., None, :]) @ v, a, off)


@step
def ranks():
    "What is made of singular values."
    a = torch.randn(12, 5, dtype=torch.double) @ torch.randn(5, 9, dtype=torch.double)
    near(linalg.matrix_rank(a.cuda()), linalg.matrix_rank(a), 0)
    near(linalg.pinv(a.cuda()), linalg.pinv(a), 1e-11)
    near(linalg.cond(a[:5, :5].cuda()), linalg.cond(a[:5, :5]), 1e-9)
    near(linalg.matrix_norm(a.cuda(), 2), linalg.matrix_norm(a, 2), 1e-12)
    near(linalg.matrix_norm(a.cuda(), "nuc"), linalg.matrix_norm(a, "nuc"), 1e-12)


@step
def gradients():
    a = torch.randn(2, 6, 6, dtype=torch.double)
    for function in (linalg.inv, lambda x: linalg.cholesky(x @ x.mT + 6 * torch.eye(6).to(x)),
                     lambda x: linalg.eigvalsh(x + x.mT), linalg.svdvals,
                     lambda x: linalg.solve(x, x.mT), lambda x: linalg.slogdet(x)[1]):
        x, y = a.cuda().requires_grad_(), a.clone().requires_grad_()
        (function(x) ** 2).sum().backward()
        (function(y) ** 2).sum().backward()
        near(x.grad, y.grad, 1e-9)


@step
def nothing():
    "Matrices of no rows and batches of no matrices."
    for a in (torch.empty(0, 0), torch.empty(0, 4, 4), torch.empty(3, 0, 0)):
        s = a.cuda()
        for function in (linalg.cholesky, linalg.inv, linalg.eigvalsh, linalg.svdvals,
                         linalg.det):
            near(function(s), function(a), 0)


@step
def what_is_refused():
    refused(lambda: linalg.cholesky(torch.eye(3, dtype=torch.cfloat).cuda()),
            "cusolverDnXpotrf")
    refused(lambda: linalg.eigvals(torch.randn(4, 4).cuda()), "cusolverDnXgeev")


run()
