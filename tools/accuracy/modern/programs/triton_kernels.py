"""Kernels in Triton, compiled for a chip that is not here: compile_triton.py.

The kernels are the usual ones: what is added, normalized or multiplied is cut
into blocks, and Triton chooses layouts, copies and matrix instructions.
"""
import triton
import triton.language as tl


@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = at < n
    both = tl.load(x + at, mask=inside) + tl.load(y + at, mask=inside)
    tl.store(out + at, both, mask=inside)


@triton.jit
def softmax(x, out, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    v = tl.load(x + row * stride + at, mask=at < columns,
                other=-float("inf")).to(tl.float32)
    e = tl.exp(v - tl.max(v, 0))
    tl.store(out + row * stride + at, e / tl.sum(e, 0), mask=at < columns)


@triton.jit
def layer_norm(x, weight, bias, out, stride, columns, eps,
               BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    inside = at < columns
    v = tl.load(x + row * stride + at, mask=inside, other=0).to(tl.float32)
    mean = tl.sum(v, 0) / columns
    off = tl.where(inside, v - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(off * off, 0) / columns + eps)
    w = tl.load(weight + at, mask=inside).to(tl.float32)
    b = tl.load(bias + at, mask=inside).to(tl.float32)
    tl.store(out + row * stride + at, off * scale * w + b, mask=inside)


@triton.jit
def matmul(a, b, c, M, N, K, stride_a, stride_b, stride_c,
           BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr,
           GROUP: tl.constexpr, SPLIT: tl.constexpr, B_BY_COLUMN: tl.constexpr,
           ACC: tl.constexpr):
    """c = a b; M, N and K are multiples of their blocks.  B_BY_COLUMN: b is
    stored column after column.  SPLIT blocks share a tile of c and add."""
    pid = tl.program_id(0)
    part = tl.program_id(1)
    rows = tl.cdiv(M, BM)
    columns = tl.cdiv(N, BN)
    first = pid // (GROUP * columns) * GROUP
    high = min(rows - first, GROUP)
    row = first + pid % (GROUP * columns) % high
    column = pid % (GROUP * columns) // high

    at_m = row * BM + tl.arange(0, BM)
    at_n = column * BN + tl.arange(0, BN)
    at_k = part * BK + tl.arange(0, BK)
    from_m = tl.max_contiguous(tl.multiple_of(at_m % M, BM), BM)
    from_n = tl.max_contiguous(tl.multiple_of(at_n % N, BN), BN)
    pa = a + from_m[:, None] * stride_a + at_k[None, :]
    if B_BY_COLUMN:
        pb = b + from_n[None, :] * stride_b + at_k[:, None]
    else:
        pb = b + at_k[:, None] * stride_b + from_n[None, :]
    acc = tl.zeros((BM, BN), dtype=ACC)
    for _ in range(0, tl.cdiv(K, BK * SPLIT)):
        acc = tl.dot(tl.load(pa), tl.load(pb), acc, out_dtype=ACC)
        pa += BK * SPLIT
        if B_BY_COLUMN:
            pb += BK * SPLIT
        else:
            pb += BK * SPLIT * stride_b
    pc = c + at_m[:, None] * stride_c + at_n[None, :]
    inside = (at_m[:, None] < M) & (at_n[None, :] < N)
    if SPLIT == 1:
        tl.store(pc, acc.to(c.dtype.element_ty), mask=inside)
    else:
        tl.atomic_add(pc, acc.to(c.dtype.element_ty), mask=inside)


@triton.jit
def matmul_tiles(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                 BK: tl.constexpr, GROUP: tl.constexpr):
    """The same through block pointers; b is stored column after column."""
    pid = tl.program_id(0)
    columns = tl.cdiv(N, BN)
    first = pid // (GROUP * columns) * GROUP
    high = min(tl.cdiv(M, BM) - first, GROUP)
    at_m = (first + pid % high) * BM
    at_n = pid % (GROUP * columns) // high * BN
    tile_a = tl.make_block_ptr(a, (M, K), (K, 1), (at_m, 0), (BM, BK), (1, 0))
    tile_b = tl.make_block_ptr(b, (K, N), (1, K), (0, at_n), (BK, BN), (0, 1))
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for _ in range(0, K, BK):
        acc += tl.dot(tl.load(tile_a), tl.load(tile_b))
        tile_a = tl.advance(tile_a, (0, BK))
        tile_b = tl.advance(tile_b, (BK, 0))
    tl.store(tl.make_block_ptr(c, (M, N), (N, 1), (at_m, at_n), (BM, BN),
                               (1, 0)), acc)


@triton.jit
def matmul_maps(a, b, c, M, N, K, BM: tl.constexpr, BN: tl.constexpr,
                BK: tl.constexpr, GROUP: tl.constexpr):
    """The same through tensor maps that the kernel makes, sums of 32 bits
    stored as c is; b is stored column after column."""
    pid = tl.program_id(0)
    columns = tl.cdiv(N, BN)
    first = pid // (GROUP * columns) * GROUP
    high = min(tl.cdiv(M, BM) - first, GROUP)
    at_m = (first + pid % high) * BM
    at_n = pid % (GROUP * columns) // high * BN
    map_a = tl.make_tensor_descriptor(a, shape=[M, K], strides=[K, 1],
                                      block_shape=[BM, BK])
    map_b = tl.make_tensor_descriptor(b, shape=[N, K], strides=[K, 1],
                                      block_shape=[BN, BK])
    map_c = tl.make_tensor_descriptor(c, shape=[M, N], strides=[N, 1],
                                      block_shape=[BM, BN])
    acc = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(tl.cdiv(K, BK)):
        acc = tl.dot(map_a.load([at_m, k * BK]),
                     map_b.load([at_n, k * BK]).T, acc)
    map_c.store([at_m, at_n], acc.to(c.dtype.element_ty))


@triton.jit
def attention_tiles(acc, total, top, q, k, v, scale, at_m, begin, end,
                    D: tl.constexpr, BN: tl.constexpr, MASKED: tl.constexpr):
    """Keys `begin` to `end`, with the running maximum and sum of each row."""
    at_n = tl.arange(0, BN)
    at_d = tl.arange(0, D)
    for start in range(begin, end, BN):
        start = tl.multiple_of(start, BN)
        rows = start + at_n
        keys = tl.load(k + rows[None, :] * D + at_d[:, None])
        s = tl.dot(q, keys)
        if MASKED:
            s = s * scale + tl.where(at_m[:, None] >= rows[None, :], 0, -1.0e6)
            now = tl.maximum(top, tl.max(s, 1))
            s -= now[:, None]
        else:
            now = tl.maximum(top, tl.max(s, 1) * scale)
            s = s * scale - now[:, None]
        p = tl.math.exp2(s)
        keep = tl.math.exp2(top - now)
        total = total * keep + tl.sum(p, 1)
        acc = acc * keep[:, None]
        values = tl.load(v + rows[:, None] * D + at_d[None, :])
        acc = tl.dot(p.to(values.dtype), values, acc)
        top = now
    return acc, total, top


@triton.jit
def attention(q, k, v, out, scale, N, D: tl.constexpr, BM: tl.constexpr,
              BN: tl.constexpr, CAUSAL: tl.constexpr):
    """One head after the other, each N rows of D; scale holds 1 / ln 2."""
    tile = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * N * D
    at_m = tile * BM + tl.arange(0, BM)
    at_d = tl.arange(0, D)
    mine = head + at_m[:, None] * D + at_d[None, :]
    rows = tl.load(q + mine)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    top = tl.full((BM,), -float("inf"), dtype=tl.float32)
    whole = tile * BM if CAUSAL else N
    acc, total, top = attention_tiles(acc, total, top, rows, k + head,
                                      v + head, scale, at_m, 0, whole, D, BN,
                                      False)
    if CAUSAL:
        acc, total, top = attention_tiles(acc, total, top, rows, k + head,
                                          v + head, scale, at_m, whole,
                                          whole + BM, D, BN, True)
    tl.store(out + mine, (acc / total[:, None]).to(out.dtype.element_ty))


@triton.jit
def attention_maps(q, k, v, out, scale, N: tl.constexpr, D: tl.constexpr,
                   BM: tl.constexpr, BN: tl.constexpr, CAUSAL: tl.constexpr):
    """The same through tensor maps that the kernel makes, in one loop whose
    tiles are all masked if CAUSAL; scale does not hold 1 / ln 2."""
    tile = tl.program_id(0)
    head = tl.program_id(1).to(tl.int64) * N * D
    map_q = tl.make_tensor_descriptor(q + head, shape=[N, D], strides=[D, 1],
                                      block_shape=[BM, D])
    map_k = tl.make_tensor_descriptor(k + head, shape=[N, D], strides=[D, 1],
                                      block_shape=[BN, D])
    map_v = tl.make_tensor_descriptor(v + head, shape=[N, D], strides=[D, 1],
                                      block_shape=[BN, D])
    none = float("-inf")
    top = tl.full((BM,), none, dtype=tl.float32)
    total = tl.zeros((BM,), dtype=tl.float32)
    acc = tl.zeros((BM, D), dtype=tl.float32)
    rows = map_q.load([tile * BM, 0])
    at_m = tile * BM + tl.arange(0, BM)
    at_n = tl.arange(0, BN)
    end = tl.minimum((tile + 1) * BM, N) if CAUSAL else N
    for start in range(0, end, BN):
        s = tl.dot(rows, tl.trans(map_k.load([start, 0]))) * scale
        if CAUSAL:
            s = tl.where(at_m[:, None] >= start + at_n[None, :], s, none)
        now = tl.maximum(top, tl.max(s, 1))
        s = tl.where(now[:, None] == none, none, s - now[:, None])
        p = tl.math.exp(s)
        keep = tl.math.exp(top - now)
        acc *= keep[:, None]
        values = map_v.load([start, 0])
        acc = tl.dot(p.to(values.dtype), values, acc)
        total = total * keep + tl.sum(p, 1)
        top = now
    map_out = tl.make_tensor_descriptor(out + head, shape=[N, D],
                                        strides=[D, 1], block_shape=[BM, D])
    map_out.store([tile * BM, 0],
                  (acc / total[:, None]).to(out.dtype.element_ty))


KERNELS = {f.__name__: f for f in (add, softmax, layer_norm, matmul,
                                   matmul_tiles, matmul_maps, attention,
                                   attention_maps)}
