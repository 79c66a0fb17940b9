"""Ladders of matrix products that others wrote, compiled from their sources."""

import functools
import os
import shutil

from climb import Failed, Plan, Skipped, Waved, code_of, launch
import ladder as boehm  # of tools/accuracy/modern/programs
import hopper


def needs(repository, folder):
    """Says what is missing to compile what `folder` should hold."""
    if not os.path.isdir(folder):
        raise Skipped(f"needs a copy of github.com/{repository} as {folder} "
                      "(--sources DIR, make: SOURCES=DIR)")
    if shutil.which("nvcc") is None:
        raise Skipped("needs nvcc")


class Boehm(Waved):
    name = "sgemm"
    title = "SGEMM of 4096 in ten kernels, RTX A6000"
    source = ('S. Boehm, "How to Optimize a CUDA Matmul Kernel", 2022: the README '
              "of siboehm/SGEMM_CUDA, whose kernels nvcc compiles")
    unit, chip, more, sources = "GFLOP/s", "a6000", True, "SGEMM_CUDA"
    FULL, SHORT = boehm.LADDER_N, boehm.LADDER_SHORT
    # What the README and the article say of the next kernel: 2 lets lanes read
    # side by side; 3 to 5 have a thread compute more from what it reads of
    # shared memory, so that it asks less of the load/store unit; 6 reads four
    # words at once; 7 and 8 store so that no two lanes want a bank; 9 are other
    # sizes; 10 orders a warp's part so that its lanes ask for less.
    NEXT = ("uncoalesced accesses", "unit lsu", "unit lsu", "unit lsu",
            "unit lsu", "bank conflicts", "bank conflicts", None, "unit lsu",
            None)
    TITLES = ("naive", "coalesced", "tiles in shared memory",
              "column of 8 a thread", "8 x 8 a thread", "vector loads",
              "conflicts: linearized", "conflicts: extra column", "autotuned",
              "warp tiles")

    def steps(self, on):
        needs("siboehm/SGEMM_CUDA", launch.options["ladder"])
        gpu = on or self.chip
        if code_of(gpu) < 75:
            raise Failed(f"{gpu}: nvcc 13 compiles for sm_75 and later")
        cubin = boehm.ladder_cubin(f"sm_{code_of(gpu)}")
        return [Plan(title, row[-1], next_,
                     (cubin, row[1], row[4], row[5], row[6], row[7]), gpu)
                for row, title, next_ in zip(boehm.LADDER, self.TITLES,
                                             self.NEXT)]

    def launch(self, plan, on):
        return boehm.ladder_launch(*plan.kernel)

    def value(self, us, size, plan):
        return 2e-3 * size * boehm.LADDER_N ** 2 / us


class Hopper(Waved):
    """Its programs are run, not its kernels launched: two K whole, extended."""
    name = "gemm-h100"
    title = "Product of bfloat16 of 4096 in ten kernels, H100 at 1830 MHz"
    source = ('P. Shankhdhar, "Outperforming cuBLAS on H100", 2024; kernels of '
              "pranjalssh/fast.cu, compiled by nvcc")
    unit, chip, more, sources = "TFLOP/s", hopper.GPU, True, "fast.cu"
    FULL = hopper.N
    settings = (f"chip.sm_clock_mhz={hopper.TENSOR_MHZ}",)

    def steps(self, on):
        needs("pranjalssh/fast.cu", launch.options["fast"])
        if on:
            raise Skipped(f"its kernels are for sm_90a only, so not for {on}"
                          if code_of(on) != 90 else
                          "is as published only: its programs are run for h100")
        return [Plan(title, rate, None, number, self.chip)
                for number, (title, rate) in hopper.KERNELS.items()]

    def measure(self, plan, on, small):
        try:
            low = self.SHORT[0] if small else hopper.SHORT[0]
            cycles = (launch.replay(self.chip, hopper.trace(plan.kernel, low),
                                    self.settings)["cycles"] if small else
                      hopper.cycles(plan.gpu, plan.kernel, self.settings))
            run = launch.replay(self.chip, hopper.trace(plan.kernel, low),
                                self.settings)
        except launch.Failed as why:
            raise Failed(str(why)) from None
        return (self.value(cycles / hopper.TENSOR_MHZ,
                           low if small else hopper.N, plan), run["findings"])

    def value(self, us, size, plan):
        return 2e-6 * size * hopper.N ** 2 / us
