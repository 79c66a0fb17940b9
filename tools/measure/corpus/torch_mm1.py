import torch, sys
torch.manual_seed(1)
shapes = [(4096, 4096, 4096), (2048, 2048, 2048), (1024, 1024, 1024), (8192, 8192, 1024), (4096, 128, 4096), (16, 4096, 4096), (1, 4096, 4096), (512, 512, 512)]
for t, flag in ((torch.float16, 0), (torch.bfloat16, 0), (torch.float32, 0), (torch.float32, 1)):
    torch.backends.cuda.matmul.allow_tf32 = bool(flag)
    for m, n, k in shapes:
        if t == torch.bfloat16 and m != 4096: continue
        a = torch.randn(m, k, device="cuda", dtype=t); b = torch.randn(k, n, device="cuda", dtype=t)
        c = a @ b; torch.cuda.synchronize()
