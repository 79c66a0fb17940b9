import torch, torch.nn.functional as F
torch.manual_seed(1)
d = "cuda"
x = torch.randn(2048, 2048, device=d)
y = torch.randn(2048, 2048, device=d)
h = x.half(); g = y.half(); b = x.bfloat16()
ids = torch.randint(0, 2048, (8192,), device=d)
perm = torch.randint(0, 2048, (2048, 2048), device=d)
img = torch.randn(16, 32, 56, 56, device=d)
p = torch.zeros(4000000, device=d); gr = torch.ones(4000000, device=d)
ops = {
 "add": lambda: x + y, "add_half": lambda: h + g, "mul_scalar": lambda: x * 2,
 "exp": lambda: torch.exp(x), "gelu": lambda: F.gelu(x), "gelu_bf16": lambda: F.gelu(b),
 "sigmoid": lambda: torch.sigmoid(x), "silu_half": lambda: F.silu(h), "pow3": lambda: x ** 3.0,
 "sin": lambda: torch.sin(x), "where": lambda: torch.where(x > 0, x, y),
 "sum": lambda: x.sum(), "sum0": lambda: x.sum(0), "sum1": lambda: x.sum(1), "mean_half": lambda: h.mean(1),
 "max": lambda: x.max(), "argmax": lambda: x.argmax(1), "var": lambda: x.var(-1), "norm": lambda: x.norm(),
 "softmax": lambda: F.softmax(x, -1), "softmax_half": lambda: F.softmax(h, -1), "log_softmax": lambda: F.log_softmax(x, -1),
 "layer_norm": lambda: F.layer_norm(x, (2048,)), "layer_norm_half": lambda: F.layer_norm(h, (2048,)),
 "rms_norm": lambda: F.rms_norm(x, (2048,)),
 "group_norm": lambda: F.group_norm(img, 8),
 "cumsum": lambda: x.cumsum(1), "cumsum0": lambda: x.cumsum(0), "cumsum_flat": lambda: x.flatten().cumsum(0),
 "transpose": lambda: x.t().contiguous(), "permute": lambda: img.permute(0, 2, 3, 1).contiguous(),
 "cat": lambda: torch.cat([x, y], 1), "flip": lambda: x.flip(0),
 "index_select": lambda: x[ids], "gather": lambda: x.gather(1, perm),
 "scatter_add": lambda: torch.zeros_like(x).scatter_add(1, perm, y),
 "index_add": lambda: torch.zeros_like(x).index_add(0, ids[:2048], y),
 "embedding": lambda: F.embedding(ids, x), "masked": lambda: x[x > 1], "nonzero": lambda: (x > 1).nonzero(),
 "sort_flat": lambda: x.flatten()[:1000000].sort(), "sort_rows": lambda: x.sort(1), "topk": lambda: x.topk(10, 1),
 "max_pool": lambda: F.max_pool2d(img, 2), "avg_pool": lambda: F.avg_pool2d(img, 2),
 "upsample": lambda: F.interpolate(img, scale_factor=2, mode="bilinear"),
 "cross_entropy": lambda: F.cross_entropy(x, ids[:2048]),
 "dropout": lambda: F.dropout(x, 0.5), "rand": lambda: torch.rand(4000000, device=d),
 "histc": lambda: torch.histc(x, 100), "bincount": lambda: torch.bincount(ids, minlength=2048),
 "tril": lambda: x.tril(), "addcmul": lambda: torch.addcmul(x, x, y), "to_half": lambda: x.half(),
 "batch_norm": lambda: F.batch_norm(img, None, None, training=True),
 "adamw": lambda: torch._fused_adamw_([p], [gr], [p.clone()], [p.clone()], [], [torch.ones((), device=d)], lr=1e-3, beta1=.9, beta2=.999, weight_decay=.01, eps=1e-8, amsgrad=False, maximize=False),
 "unique": lambda: torch.unique(ids),
 "depthwise": lambda: F.conv2d(img, torch.ones(32, 1, 3, 3, device=d), padding=1, groups=32),
 "roll": lambda: x.roll(3, 1), "sdpa_flash": lambda: F.scaled_dot_product_attention(*[h.view(2, 16, 1024, 128)[:, :, :, :64]] * 3),
}
import sys, os
torch.backends.cudnn.enabled = False
only = sys.argv[1:]
torch.cuda.synchronize()
sdp = torch.nn.attention.sdpa_kernel(torch.nn.attention.SDPBackend.FLASH_ATTENTION)
with sdp:
    for name, op in ops.items():
        if only and name not in only:
            continue
        try:
            print("==", name, flush=True)
            op()
            torch.cuda.synchronize()
        except Exception as e:
            print("!!", name, str(e).splitlines()[0], flush=True)
