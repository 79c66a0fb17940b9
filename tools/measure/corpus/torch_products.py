"""Times products of PyTorch by events: one at a time (min_us, median_us: with
what the host takes to launch) and many in a row (streamed_us, each)."""
import statistics

import torch

SHAPES = [(4096, 4096, 4096), (2048, 2048, 2048), (1024, 1024, 1024),
          (8192, 8192, 1024), (4096, 128, 4096), (16, 4096, 4096),
          (1, 4096, 4096), (512, 512, 512)]
TYPES = [(torch.float16, 0), (torch.bfloat16, 0), (torch.float32, 0),
         (torch.float32, 1)]
ROUNDS = 20


def event():
    return torch.cuda.Event(enable_timing=True)


def took(function, times):
    "Microseconds of each of so many calls."
    first, last = event(), event()
    first.record()
    for _ in range(times):
        function()
    last.record()
    torch.cuda.synchronize()
    return 1e3 * first.elapsed_time(last) / times


def main():
    torch.manual_seed(1)
    for kind, tf32 in TYPES:
        torch.backends.cuda.matmul.allow_tf32 = bool(tf32)
        for m, n, k in SHAPES:
            # as many shapes as the launches under the profiler (torch_mm1.py)
            if kind == torch.bfloat16 and m != 4096:
                continue
            a = torch.randn(m, k, device="cuda", dtype=kind)
            b = torch.randn(k, n, device="cuda", dtype=kind)
            took(lambda: a @ b, 3)
            each = [took(lambda: a @ b, 1) for _ in range(ROUNDS)]
            print(f"mm {str(kind)[6:]} tf32={tf32} {m} {n} {k} "
                  f"min_us {min(each):.2f} "
                  f"median_us {statistics.median(each):.2f} "
                  f"streamed_us {took(lambda: a @ b, ROUNDS):.2f}")


main()
