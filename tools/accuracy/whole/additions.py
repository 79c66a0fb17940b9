"""The addition of halves of Triton's regression test on a V100 and an A100 at
1350 MHz: 1024 to a block of 128 threads, 16 bytes to an access.

The test writes 256 MB before each launch, so that nothing is in L2, and leaves
it full of lines to be written back.  The kernel is written anew in CUDA.
"""
from replay import Build, Run
from suites import Job, Time, rows

SOURCES = {}
FILES = ("triton-v100-a100.csv",)
GPUS = ("v100", "a100")

MHZ = 1350
BUS = {"v100": 898.0, "a100": 1555.2}  # GB/s at 877 and 1215 MHz

HOST = """#include <cstdlib>
#include <cuda_fp16.h>

__global__ void add(const uint4 *x, const uint4 *y, uint4 *sum)
{
    int i = blockIdx.x * 128 + threadIdx.x;
    uint4 a = x[i], b = y[i], c;

    for (int k = 0; k < 4; k++)
        ((__half2 *)&c)[k] = __hadd2(((__half2 *)&a)[k], ((__half2 *)&b)[k]);
    sum[i] = c;
}

int main(int argc, char **argv)
{
    size_t n = atol(argv[1]);
    uint4 *at[4];

    for (int i = 0; i < 4; i++) {
        size_t bytes = i < 3 ? 2 * n : 256 << 20;

        if (cudaMalloc((void **)&at[i], bytes) != cudaSuccess)
            return 1;
        cudaMemset(at[i], 0, bytes);
    }
    add<<<n / 1024, 128>>>(at[0], at[1], at[2]);
    return cudaDeviceSynchronize() != cudaSuccess;
}
"""


def how(gpu, n):
    arch = {"v100": 75, "a100": 80}[gpu]
    build = Build(f"additions-{arch}", "", (), ("host.cu",), arch,
                  added=(("host.cu", HOST),))
    return (Run(build, "a100", (str(n),)) if gpu == "a100" else
            Run(build, "t4", (str(n),), sms=80))


def jobs(sources, measured, gpus):
    del sources
    for r in rows(measured, FILES[0]):
        n = int(r["n"] or 0)
        # that of 64 K says what a launch holds (suites.TRITON)
        if r["kernel"] != "add" or n == 65536 or r["gpu"] not in gpus:
            continue
        us = 6 * n / float(r["utilization"]) / BUS[r["gpu"]] / 1e3
        yield Job(r["gpu"], "additions", f"{n // 1024} K", f"n={n}", "triton",
                  how(r["gpu"], n), (Time("additions", (us,), "add"),),
                  n * 2e-7 + 0.5, ("--set", f"chip.sm_clock_mhz={MHZ}"))
