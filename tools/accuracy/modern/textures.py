#!/usr/bin/env python3
"""Rates of texture fetches beside published ones.

    textures.py [GPU ...]

Compiles a program that reads small textures of floats (nvcc), runs it on the
emulator and replays its launches on one SM: cycles of a warp's fetch, by the
slope between two lengths, and how many times those of a load of 4 bytes that
is.  Beside it stands what sebbbi/perftest published (README.md, "linear"),
whose times are of loads and samples of textures that fit L1; its times are
made ratios in the same way, for clocks are not given.  Says `skipped:` without
nvcc.
"""
import os
import shutil
import subprocess
import sys
import tempfile

from bench import TEG, Failed, report
from common import command

# Milliseconds, as perftest's README.md has them; of loads and samples without
# filter those of R32F, RG32F and RGBA32F.
PUBLISHED = {
    "gtx1080ti": ("GTX 1070 Ti", {
        "load4": 28.955, "load8": 29.056, "load16": 57.653}),
    "v100": ("Titan V", {
        "load4": 15.615, "load8": 16.651, "load16": 29.970}),
    "rtx2080ti": ("RTX 2080 Ti", {
        "load4": 16.403, "load8": 15.439, "load16": 31.525}),
    "rtx3070": ("RTX 3090", {
        "load4": 9.774, "load8": 17.484, "load16": 25.574,
        "nearest4": 13.069, "nearest8": 12.524, "nearest16": 26.258,
        "bilinear4": 12.516, "bilinear8": 12.526, "bilinear16": 49.592}),
}
LENGTHS = (32, 64)
SOURCE = r"""
#include <cstdio>
static __device__ float sum(float v) { return v; }
static __device__ float sum(float2 v) { return v.x + v.y; }
static __device__ float sum(float4 v) { return v.x + v.y + v.z + v.w; }

template <typename T, int loads, int n>
__global__ void __launch_bounds__(1024) fetch(cudaTextureObject_t t, float* out)
{
    float s = 0.0f, x = threadIdx.x % 32 + 0.25f, y = threadIdx.x / 32 % 32;
#pragma unroll
    for (int i = 0; i < n; i++)
        s += sum(loads ? tex1Dfetch<T>(t, (threadIdx.x + i) % 1024)
                       : tex2D<T>(t, x, y + 0.5f * i));
    out[threadIdx.x] = s;
}

template <typename T> void run(int channels, float* out)
{
    cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
    cudaResourceDesc r = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t t;
    cudaArray_t a;
    void* linear;

    cudaMallocArray(&a, &format, 32, 32);
    cudaMalloc(&linear, 1024 * sizeof(T));
    cudaMemset(linear, 0, 1024 * sizeof(T));
    r.resType = cudaResourceTypeLinear;
    r.res.linear.devPtr = linear;
    r.res.linear.desc = format;
    r.res.linear.sizeInBytes = 1024 * sizeof(T);
    cudaCreateTextureObject(&t, &r, &how, nullptr);
    fetch<T, 1, LOW><<<1, 1024>>>(t, out);
    fetch<T, 1, HIGH><<<1, 1024>>>(t, out);
    r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    for (int filter = 0; filter < 2; filter++) {
        how.filterMode = (cudaTextureFilterMode)filter;
        how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
        cudaCreateTextureObject(&t, &r, &how, nullptr);
        fetch<T, 0, LOW><<<1, 1024>>>(t, out);
        fetch<T, 0, HIGH><<<1, 1024>>>(t, out);
    }
}

int main()
{
    float* out;

    cudaMalloc(&out, 4096);
    run<float>(1, out), run<float2>(2, out), run<float4>(4, out);
    return cudaDeviceSynchronize();
}
"""
# The launches in their order, two of each.
CASES = [f"{how}{size}" for size in (4, 8, 16)
         for how in ("load", "nearest", "bilinear")]


def traces(folder):
    """The launches' traces, in their order."""
    source = os.path.join(folder, "textures.cu")
    with open(source, "w", encoding="utf-8") as f:
        f.write(SOURCE)
    program = os.path.join(folder, "textures")
    command("nvcc", "-cudart", "shared", "-arch=sm_75", f"-DLOW={LENGTHS[0]}",
            f"-DHIGH={LENGTHS[1]}", "-o", program, source)
    out = os.path.join(folder, "out")
    command(TEG, "exec", "-g", "rtx2080ti", "-o", out, "--", program)
    return [os.path.join(out, name) for name in sorted(os.listdir(out))
            if name.endswith(".tegt")]


def rates(gpu, files):
    """Cycles of a fetch of a warp, of 32 warps on an SM, by case."""
    found = {}
    for i, case in enumerate(CASES):
        low, high = (report(gpu, f, sms=1)["cycles"]
                     for f in files[2 * i:2 * i + 2])
        found[case] = (high - low) / (LENGTHS[1] - LENGTHS[0]) / 32
    return found


def main(gpus):
    if shutil.which("nvcc") is None:
        print("skipped: nvcc is not installed")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        files = traces(folder)
        print("| GPU | fetch | cycles a warp | times a load of 4 bytes | "
              "published |")
        print("| --- | --- | ---: | ---: | ---: |")
        for gpu in gpus or PUBLISHED:
            chip, published = PUBLISHED[gpu]
            ours = rates(gpu, files)
            base = "nearest4" if "nearest4" in published else "load4"
            for case, ms in published.items():
                print(f"| {gpu} ({chip}) | {case} | {ours[case]:.2f} | "
                      f"{ours[case] / ours[base]:.2f} | "
                      f"{ms / published[base]:.2f} |")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except (Failed, subprocess.SubprocessError, KeyError) as fault:
        sys.exit(f"textures.py: {fault}")
