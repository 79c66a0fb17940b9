#!/usr/bin/env python3
"""How far PyTorch's operators on an H200 are from published times (docs/accuracy.md).

    torch_ops.py --torch PYTHON [--teg build/release/teg] [--half A|B] [--points]
                 [--set KEY=VALUE]... [--out FOLDER] [WORD ...]

The times are those of TileOPs' nightly benchmark (github.com/tile-ai/TileOPs, branch
nightly-bench, a4551ab7, 22 August 2026: PyTorch 2.13 of CUDA 13.2 on an H200 whose
clock is locked at 1500 MHz): CUPTI's, of one call, the median of up to 200, each
behind a set of twice L2's bytes and a wait of the host.  Shapes, operands and what
is called are in its manifests; BENCH has them in a line each.

PYTHON's PyTorch (another than was timed, unless it is 2.13) makes the same calls
under `teg exec`, the set and the wait in between; `teg run` replays all launches,
caches carried, and what a call launches is added up.  Numbers are random; those of
divisors, powers and logarithms are between 0.5 and 1.5, as there.  Half A is of the
lines whose SHA-1 is even.  WORD: only lines that have it.
"""
import hashlib
import json
import os
import subprocess
import sys
import tempfile

import common

CLOCK_MHZ = 1500
# us | operands | call.  r: normal numbers, p: between 0.5 and 1.5, i and l: integers of
# 32 and 64 bits, o: truth values; of that shape, halves unless t says otherwise.
BENCH = """
17.952 | x=r(16777216) | x.abs()
18.208 | x=r(16777216) | x.exp()
34.112 | x=r(16777216,t=f) | x.exp()
27.136 | x=p(16777216) | x.log()
34.272 | x=p(16777216,t=f) | x.log()
18.208 | x=p(16777216) | x.rsqrt()
26.176 | x=r(16777216) | x.sin()
26.4 | x=r(16777216) | x.erf()
25.264 | x=r(16777216) | x.expm1()
34.001 | x=i(16777216) | ~x
12.992 | x=o(16777216) | x.logical_not()
15.36 | x=r(16777216) | x.isnan()
23.456 | x=r(16777216,t=f) | x.isnan()
23.04 | x=r(16777216) | x.sigmoid()
20.768 | x=r(16777216) | x.tanh()
34.112 | x=r(16777216,t=f) | x.tanh()
20.288 | x=r(16777216) | x.clamp(-0.5,0.5)
19.392 | x=r(16777216);m=o(16777216);v=r() | x.masked_fill(m,v)
30.752 | m=o(16777216);x=r(16777216);y=r(16777216) | torch.where(m,x,y)
34.913 | x=r(16777216);y=r(16777216);z2=r(16777216) | torch.clamp(x,y,z2)
26.592 | x=r(16777216);y=r(16777216) | torch.clamp(x,y)
34.848 | x=r(16777216);y=r(16777216);w=r(16777216) | torch.lerp(x,y,w)
10.784 | x=r(2048,4096) | F.relu(x)
1.4075 | x=r(1,4096,t=b) | F.relu(x)
47.808 | x=r(2048,14336) | F.gelu(x)
37.952 | x=r(2048,14336) | F.silu(x)
1.984 | x=r(1,14336,t=b) | F.silu(x)
11.616 | x=r(32,96,56,56) | F.hardswish(x)
1.728 | x=r(32,240,1,1) | F.hardsigmoid(x)
1.504 | x=r(32,960,1,1) | F.hardsigmoid(x)
63.456 | x=r(16,256,80,80) | F.mish(x)
33.408 | x=r(16,512,40,40) | F.mish(x)
17.952 | x=r(2048,4096) | F.selu(x)
10.4 | x=r(16,512,32,32) | F.leaky_relu(x,0.01)
23.841 | x=r(2048,4096) | F.softplus(x)
47.136 | x=r(16,256,56,56);w=r(256) | F.prelu(x,w)
8.512 | x=r(1024,4096);y=r(1024,4096) | x.sub(y)
17.728 | x=r(1024,10240);y=r(1024,10240) | x.sub(y)
18.496 | x=p(1024,10240);y=p(1024,10240) | x.div(y)
10.656 | x=p(1024,4096);y=p(1024,4096) | x.remainder(y)
20.16 | x=p(1024,4096);y=p(1024,4096) | x.pow(y)
26.431 | x=p(1024,4096);y=p(1024,4096) | x.floor_divide(y)
18.176 | x=r(1024,10240);y=r(1024,10240) | x.maximum(y)
7.84 | x=r(1024,4096);y=r(1024,4096) | x.eq(y)
16.0 | x=r(1024,10240);y=r(1024,10240) | x.eq(y)
14.848 | x=r(2048,4096);y=r(2048,4096) | x+y
26.496 | x=r(2048,4096,t=f);y=r(2048,4096,t=f) | x+y
26.496 | x=r(2048,4096,t=f);y=p(2048,4096,t=f) | x/y
27.168 | x=r(2048,4096,t=f);y=p(2048,4096,t=f) | x.remainder(y)
37.216 | x=p(2048,4096,t=f);y=p(2048,4096,t=f) | x.pow(y)
47.553 | x=r(2048,4096,t=f);y=p(2048,4096,t=f) | x.floor_divide(y)
22.368 | x=r(2048,4096,t=f);y=r(2048,4096,t=f) | x.gt(y)
10.112 | x=o(2048,4096);y=o(2048,4096) | x.logical_and(y)
49.825 | x=l(2048,4096);y=l(2048,4096) | x&y
14.912 | x=r(1024,4096);y=r(1,4096) | x.sub(y)
33.152 | x=r(1024,10240);y=r(1,10240) | x.sub(y)
16.319 | x=p(1024,4096);y=p(1,4096) | x.div(y)
45.76 | x=r(16,256,56,56);y=r(256,1,1) | x+y
49.312 | x=r(16,256,56,56,t=f);y=r(256,1,1,t=f) | x+y
50.752 | x=p(16,256,56,56);y=p(256,1,1) | x/y
62.273 | x=p(16,256,56,56);y=p(256,1,1) | x.remainder(y)
94.112 | x=p(16,256,56,56);y=p(256,1,1) | x.pow(y)
47.617 | x=r(16,256,56,56);y=r(256,1,1) | x.eq(y)
45.184 | x=o(16,256,56,56);y=o(256,1,1) | x.logical_and(y)
58.272 | x=l(16,256,56,56);y=l(256,1,1) | x&y
189.344 | x=r(2048,28672) | F.silu(x[...,:14336])*x[...,14336:]
31.552 | x=r(1024,8192) | F.silu(x[...,:4096])*x[...,4096:]
11.68 | x=r(1024,4096) | F.dropout(x,0.5)
14.88 | x=r(1024,4096,t=f) | F.dropout(x,0.5)
19.776 | x=r(32,32,4096) | x.softmax(-1)
20.224 | x=r(32,32,4096,t=f) | x.softmax(-1)
32.928 | x=r(4,102400) | x.softmax(-1)
39.424 | x=r(4,102400,t=f) | x.softmax(-1)
17.184 | x=r(32,32,4096) | x.log_softmax(-1)
18.497 | x=r(32,32,4096,t=f) | x.log_softmax(-1)
22.113 | x=r(4,102400) | x.log_softmax(-1)
35.168 | x=r(4,102400,t=f) | x.log_softmax(-1)
19.2 | x=r(2048,4096) | x.amax(-1)
11.264 | x=r(64,32768,t=b) | x.amax(-1)
12.897 | x=r(4,128,4096) | x.amax((0,2))
49.456 | x=r(2048,4096) | x.float().sum(-1).half()
44.993 | x=r(2048,4096,t=b) | x.float().sum(0).bfloat16()
67.52 | x=r(2048,4096) | x.float().var(-1).half()
49.312 | x=r(2048,4096) | torch.linalg.vector_norm(x.float(),2,-1).half()
35.296 | x=r(4,102400) | x.argmax(-1)
24.608 | x=r(2048,4096) | x.argmax(-1)
11.2 | x=r(4,128,4096) | x.argmax(0)
17.728 | x=o(32,4096) | x.any(-1)
10.496 | x=o(32,32768) | x.any(-1)
63.713 | x=r(2048,4096) | torch.count_nonzero(x,-1)
15.296 | x=r(32,32768) | torch.count_nonzero(x,-1)
145.793 | x=r(2048,4096) | x.float().cumsum(-1).half()
21.184 | x=r(2048,4096);w=r(4096);v=r(4096) | F.layer_norm(x,(4096,),w,v)
40.128 | x=r(2048,8192);w=r(8192);v=r(8192) | F.layer_norm(x,(8192,),w,v)
73.568 | x=r(2048,16384);w=r(16384);v=r(16384) | F.layer_norm(x,(16384,),w,v)
13.184 | x=r(8,128,32,32) | F.group_norm(x,32)
14.16 | x=r(4,256,28,28) | F.group_norm(x,32)
15.296 | x=r(8,128,32,32);w=r(128);v=r(128) | F.group_norm(x,32,w,v)
15.328 | x=r(4,128,4096) | F.avg_pool1d(x,3,2,1)
59.361 | x=r(2,256,32000) | F.avg_pool1d(x,5,4,2)
9.088 | x=r(2,64,112,112) | F.avg_pool2d(x,3,2,1)
9.856 | x=r(2,128,56,56) | F.avg_pool2d(x,5,2,2)
9.92 | x=r(1,32,16,56,56) | F.avg_pool3d(x,2,2)
139.233 | x=r(32,64,112,112) | F.max_pool2d(x,3,2,1)
134.592 | x=r(32,64,112,112,t=f) | F.max_pool2d(x,3,2,1)
27.744 | x=r(16,128,56,56) | F.max_pool2d(x,2,2)
34.72 | x=r(32,64,55,55) | F.max_pool2d(x,3,2,0,ceil_mode=True)
50.528 | x=r(32,80,4096) | F.max_pool1d(x,3,3)
93.937 | x=r(4,128,16,56,56) | F.max_pool3d(x,2,2)
7.36 | x=r(8,2048,7,7) | F.adaptive_avg_pool2d(x,1)
10.624 | x=r(2,128,56,56) | F.adaptive_avg_pool2d(x,6)
44.928 | x=r(8,2048,7,7) | F.adaptive_max_pool2d(x,1)
14.24 | x=r(2,128,56,56) | F.adaptive_max_pool2d(x,6)
"""
CALL = """
import ctypes, sys, torch
runtime = ctypes.CDLL(None)
F = torch.nn.functional
h, b, f = torch.float16, torch.bfloat16, torch.float32
flush = torch.empty(2 * 60 << 20, dtype=torch.int8, device="cuda")

def put(bytes):
    assert runtime.cudaMemset(ctypes.c_void_p(flush.data_ptr()), 0,
                              ctypes.c_size_t(bytes)) == 0

def r(*shape, t=h): return torch.randn(shape).to(t).cuda()
def p(*shape, t=h): return (torch.rand(shape) + 0.5).to(t).cuda()
def i(*shape): return torch.randint(0, 1000, shape, dtype=torch.int32).cuda()
def l(*shape): return torch.randint(0, 1000, shape).cuda()
def o(*shape): return (torch.rand(shape) > 0.5).cuda()

with torch.no_grad():
    for number, line in enumerate(open(sys.argv[1])):
        names = dict(globals())
        _, operands, call = line.split("|")
        exec(operands.strip(), names)
        torch.cuda.synchronize()
        put(MARK + number)
        put(flush.numel())
        torch.cuda.synchronize()
        result = eval(call.strip(), names)
        torch.cuda.synchronize()
"""
MARK = 4096  # a set of so many bytes says whose launches follow


def arguments():
    p = common.call_parser(__doc__)
    p.add_argument("--torch", metavar="PYTHON", required=True)
    p.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    p.add_argument("--out", metavar="FOLDER", help="keep the traces there")
    return p.parse_args()


def half_of(line):
    call = line.split("|", 1)[1].strip()
    return "AB"[hashlib.sha1(call.encode()).digest()[0] & 1]


def lines_of(a):
    return [x for x in BENCH.strip().split("\n")
            if (a.half is None or half_of(x) == a.half) and
            (not a.words or any(w in x for w in a.words))]


def launches_of(folder):
    """Of each kernel of the list, in its order, the line that called it."""
    with open(os.path.join(folder, "kernels.json")) as f:
        order = json.load(f)["order"]
    line, lines = None, []
    for x in order:
        if x.get("what") == "set" and MARK <= x["bytes"] < 2 * MARK:
            line = x["bytes"] - MARK
        if "kernel" in x:
            lines.append((x["kernel"], line))
    return lines


def simulate(a, lines, folder):
    """What each call takes, us, and how many launches it is."""
    script, bench = (os.path.join(folder, x) for x in ("call.py", "bench"))
    with open(script, "w") as f:
        f.write(CALL.replace("MARK", str(MARK)))
    with open(bench, "w") as f:
        f.write("\n".join(lines) + "\n")
    traces = os.path.join(folder, "traces")
    subprocess.run([a.teg, "exec", "-g", "h200", "--clock", str(CLOCK_MHZ), "-o", traces,
                    "--", a.torch, script, bench], stderr=subprocess.PIPE, check=True)
    said = subprocess.run(
        [a.teg, "run", "-g", "h200", "--clock", str(CLOCK_MHZ), "--as-measured", "nsys",
         *(x for s in a.set for x in ("--set", s)),
         "-f", "json", os.path.join(traces, "kernels.json")],
        stdout=subprocess.PIPE, check=True, text=True).stdout
    kernels = json.loads(said)["kernels"]
    took = [[0, 0] for _ in lines]
    for kernel, line in launches_of(traces):
        took[line][0] += kernels[kernel]["as_measured_us"]
        took[line][1] += 1
    return took


def main():
    a = arguments()
    lines = lines_of(a)
    errors = []
    with tempfile.TemporaryDirectory() as work:
        if a.out:
            os.makedirs(a.out, exist_ok=True)
        took = simulate(a, lines, a.out or work)
    if a.points:
        print("| operands | call | half | launches | published, us | here, us | error |")
        print("| --- | --- | --- | ---: | ---: | ---: | ---: |")
    for line, (us, launches) in zip(lines, took):
        published, operands, call = (x.strip() for x in line.split("|"))
        errors.append(us / float(published) - 1)
        if a.points:
            print(f"| `{operands}` | `{call}` | {half_of(line)} | {launches} | "
                  f"{float(published):.2f} | {us:.2f} | {errors[-1]:+.1%} |"
                  .replace("%", " %"))
    common.print_mean(errors, "calls")
    return 0 if errors else 1


if __name__ == "__main__":
    sys.exit(main())
