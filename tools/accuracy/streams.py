#!/usr/bin/env python3
"""What streams reach with few and many warps, beside what gpu-benches measured
(docs/accuracy-modern.md).

    streams.py --sources FOLDER [--ptxas PTXAS] [--threads N] [--points] [GPU[/KERNEL] ...]

FOLDER has a checkout of github.com/RRZE-HPC/gpu-benches, whose gpu-stream/main.cu has
six kernels, an element of 8 bytes a thread, and beside it what chips reached with one
or two blocks an SM of 16 to 1,024 threads: as many as the shared memory that a kernel
prefers (5 %) and asks for lets be there.  Here nvcc compiles the kernels, a program of
ours launches them as that one does, on parts of large buffers that nobody has touched,
and `teg exec --time` says when.  A launch of one block is taken off, as their 2 GB hide
it.  --ptxas: one of CUDA 12, which a V100 needs; --threads: no more an SM.
"""
import argparse
import os
import re
import shutil
import sys
import tempfile

import common

# Of the file's columns; how many arrays a kernel moves.
KERNELS = {"init": 1, "read": 1, "scale": 2, "triad": 4, "3pt": 2, "5pt": 2}
# What something was read off: the start of a block, the turn of a channel of DRAM and
# how much it gathers before it writes; of some chips what a read of DRAM waits for by
# chance.
FIT = ("init", "scale")
FIT_CHANCE = ("read", "triad"), ("v100", "a100_80", "a40")
# File, architecture, blocks and threads of each; what cannot be compared.
CHIPS = {
    "v100": ("v100", 70, ((1, 32), (2, 128), (2, 256), (2, 512), (2, 1024)), ()),
    "a100_80": ("a100_80", 80, ((1, 32), (2, 128), (2, 256), (2, 512), (2, 1024)), ()),
    "a40": ("a40", 86, ((1, 32), (2, 128), (2, 256), (2, 512), (2, 768)), ()),
    "l40": ("l40", 89, ((1, 32), (2, 64), (2, 128), (2, 256)), ()),
    "gh200": ("gh200", 90, ((1, 32), (2, 128), (2, 256), (2, 512), (2, 1024)), ()),
    # of an older program: always two blocks, and another triad
    "h100pcie": ("h100_pcie", 90, ((2, 32), (2, 128), (2, 256), (2, 512), (2, 1024)),
                 ("triad",)),
}
PROGRAM = r"""
#include <cuda.h>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#define OK(x) do { if (x) { printf("error in line %d\n", __LINE__); exit(1); } } while (0)

/* CUBIN FUNCTION PER_SM THREADS L2: ms of a launch of one block and of one of many, and
 * how many elements the second has more */
int main(int argc, char **argv)
{
    int per = atoi(argv[3]), threads = atoi(argv[4]), sms, most, spoiler = 1024;
    int64_t at_once, n, from = 16, room;
    size_t left, total;
    CUdevice d; CUcontext c; CUmodule m; CUfunction f; CUevent a, b;
    CUdeviceptr p[4]; float ms[2];

    OK(cuInit(0)); OK(cuDeviceGet(&d, 0)); OK(cuDevicePrimaryCtxRetain(&c, d));
    OK(cuCtxSetCurrent(c)); OK(cuModuleLoad(&m, argv[1]));
    OK(cuModuleGetFunction(&f, m, argv[2]));
    OK(cuMemGetInfo(&left, &total));
    OK(cuDeviceGetAttribute(&sms, CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT, d));
    at_once = (int64_t)sms * threads * per;
    n = at_once > 150000 ? 48000000 : 100 * at_once;
    if (n < 2000000) n = 2000000;
    if (per > 1 && n < atoll(argv[5]) / 2) n = atoll(argv[5]) / 2;
    room = n + 4096;
    for (int i = 0; i < 4; i++) OK(cuMemAlloc(&p[i], room * 8));
    OK(cuFuncSetAttribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 5));
    do {
        OK(cuOccupancyMaxActiveBlocksPerMultiprocessor(&most, f, 32, spoiler));
    } while (most > per && (spoiler += 256));
    OK(cuEventCreate(&a, 0)); OK(cuEventCreate(&b, 0));
    for (int w = 0; w < 2; w++) {
        uint64_t count = w == 0 ? threads : n / threads * threads;
        CUdeviceptr q[4]; bool no = false;
        void *args[] = {&q[0], &q[1], &q[2], &q[3], &count, &no};

        for (int j = 0; j < 4; j++) q[j] = p[j] + from * 8;
        OK(cuEventRecord(a, 0));
        OK(cuLaunchKernel(f, count / threads, 1, 1, threads, 1, 1, spoiler, 0, args, 0));
        OK(cuEventRecord(b, 0)); OK(cuEventSynchronize(b));
        OK(cuEventElapsedTime(&ms[w], a, b));
        from += threads;
    }
    printf("%.6f %.6f %lld\n", ms[0], ms[1], (long long)(n / threads * threads - threads));
}
"""


def put(path, text):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)


def build_program(work):
    nvcc = shutil.which("nvcc")
    if nvcc is None:
        raise common.Refused("no nvcc on $PATH")
    path = os.path.join(work, "streams")
    put(path + ".cc", PROGRAM)
    toolkit = os.path.dirname(os.path.dirname(nvcc))
    common.command("g++", "-O2", "-I", os.path.join(toolkit, "include"), path + ".cc", "-o",
                   path, "-L", os.path.join(toolkit, "lib64", "stubs"), "-lcuda")
    return path


def build_kernels(sources, work, arch, ptxas):
    """A cubin; one that nvcc does not know any more, from its oldest PTX."""
    main = os.path.join(sources, "gpu-benches", "gpu-stream", "main.cu")
    path = os.path.join(work, f"streams{arch}.cubin")
    if arch >= 75:
        common.command("nvcc", "-std=c++20", "-O3", f"-arch=sm_{arch}", "-cubin", "-o",
                       path, main)
        return path
    if ptxas is None:
        raise common.Refused(f"sm_{arch}: needs --ptxas, of CUDA 12")
    ptx = os.path.join(work, f"streams{arch}.ptx")
    common.command("nvcc", "-std=c++20", "-O3", "-arch=compute_75", "-ptx", "-o", ptx, main)
    with open(ptx, encoding="utf-8") as f:
        text = f.read()
    text = re.sub(r"^\.version.*$", ".version 8.0", text, flags=re.M)
    put(ptx, re.sub(r"^\.target.*$", f".target sm_{arch}", text, flags=re.M))
    common.command(ptxas, f"-arch=sm_{arch}", "-O3", "-o", path, ptx)
    return path


def functions(cubin):
    """Symbols by the name of the column."""
    said = common.command(common.TEG, "info", cubin, "-f", "json")
    found = {}
    for kernel in KERNELS:
        what = f"stencil1d{kernel}" if kernel.endswith("pt") else kernel
        found[kernel] = re.search(rf'"(_Z\d+{what}_kernelIdE\w+)"', said).group(1)
    return found


def published(sources, name):
    """GB/s by threads of a block, those of all SMs and kernel: the first row of each."""
    path = os.path.join(sources, "gpu-benches", "gpu-stream", name + ".txt")
    rows = {}
    with open(path, encoding="utf-8") as f:
        for line in f:
            left, _, right = line.partition("GB/s:")
            numbers = re.findall(r"\d+", left)
            if right and numbers:
                rows[int(numbers[0]), int(numbers[1])] = dict(
                    zip(KERNELS, map(float, right.split())))
    return rows


def row_of(rows, gpu, blocks, threads):
    """The file counts the threads of all SMs; the older one those of one block."""
    sms = int(common.facts(gpu)["chip.sms"])
    return rows.get((threads, sms * blocks * threads)) or rows[threads, sms * threads]


def simulate(program, cubin, function, gpu, blocks, threads):
    with tempfile.TemporaryDirectory() as out:
        said = common.command(common.TEG, "exec", "--time", "-g", gpu, "-o", out, "--",
                              program, cubin, function, str(blocks), str(threads),
                              common.facts(gpu)["l2.bytes"], limit=1800)
    one, many, count = map(float, said.split()[-3:])
    return count * 8 / (many - one) / 1e6


def is_fit(gpu, kernel):
    kernels, gpus = FIT_CHANCE
    return kernel in FIT or (kernel in kernels and gpu in gpus)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sources", required=True)
    parser.add_argument("--ptxas")
    parser.add_argument("--threads", type=int, default=2048)
    parser.add_argument("--points", action="store_true")
    parser.add_argument("what", nargs="*")
    options = parser.parse_args()
    work = os.path.join(common.ROOT, "build", "streams")
    os.makedirs(work, exist_ok=True)
    errors = []
    try:
        program = build_program(work)
    except common.Refused as e:
        print(f"skipped: {e}")
        return 0
    for gpu, (name, arch, shapes, without) in CHIPS.items():
        kernels = [k for k in KERNELS if k not in without and
                   (not options.what or gpu in options.what or
                    f"{gpu}/{k}" in options.what)]
        if not kernels:
            continue
        try:
            rows = published(options.sources, name)
            cubin = build_kernels(options.sources, work, arch, options.ptxas)
        except (common.Refused, OSError) as e:
            print(f"skipped: {gpu}: {e}")
            continue
        symbol = functions(cubin)
        for blocks, threads in shapes:
            if blocks * threads > options.threads:
                continue
            for kernel in kernels:
                measured = row_of(rows, gpu, blocks, threads)[kernel]
                here = simulate(program, cubin, symbol[kernel], gpu, blocks,
                                threads) * KERNELS[kernel]
                errors.append((gpu, kernel, here / measured - 1))
                if options.points:
                    print(f"| {gpu} | {blocks} x {threads} | {kernel} | {measured:.0f} "
                          f"| {here:.0f} | {100 * (here / measured - 1):+.1f} % |",
                          flush=True)
    print("\n| | points | mean | median | bias |\n| --- | ---: | ---: | ---: | ---: |")
    groups = [(g, [e for c, _, e in errors if c == g]) for g in CHIPS]
    groups += [(k, [e for _, c, e in errors if c == k]) for k in KERNELS]
    groups += [("read off", [e for g, k, e in errors if is_fit(g, k)]),
               ("not read off", [e for g, k, e in errors if not is_fit(g, k)]),
               ("all", [e for _, _, e in errors])]
    for what, found in groups:
        if found:
            size = sorted(map(abs, found))
            print(f"| {what} | {len(found)} | {100 * sum(size) / len(size):.1f} % | "
                  f"{100 * size[len(size) // 2]:.1f} % | "
                  f"{100 * sum(found) / len(found):+.1f} % |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
