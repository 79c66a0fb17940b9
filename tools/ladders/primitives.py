"""Sums, scans, sorts and histograms of CUB, as its authors publish its speed."""

import json
import os
import shutil
import tempfile

from climb import (KERNELS, Failed, Ladder, Plan, Skipped, code_of, digest_of,
                   launch, result)
from common import command

NUMBERS = 1 << 28


class Cub(Ladder):
    """A program of our own around the toolkit's CUB, whose events `teg exec
    --time` tells what the simulator says.  Two problems are run whose arrays
    do not fit into L2, and extended linearly; no step follows from another."""
    name = "cub"
    title = "Sums, scans, sorts and histograms of 2^28 numbers with CUB"
    source = ("CUB's authors in its repository (below); "
              "`tests/kernels/ladders/cub.cu`, with the CUB of nvcc's toolkit")
    unit = "10^9 numbers/s"
    more, climbs = True, False
    SMALL = 1 << 12
    # chip, what is called, of what, microseconds published, log2 of the
    # smaller problem
    ROWS = (("a6000", "least", "float", 1740, 21),
            ("a6000", "least", "double", 3384, 20),
            ("rtx5090", "larger_of_two", "float", 2055, 25),
            ("rtx5090", "doubled", "int8_t", 352.9, 26),
            ("b200", "larger_of_two", "float", 454.6, 25),
            ("h200", "sum", "int32_t", 249.3, 24),
            ("a100", "scan", "int8_t", 912.6, 25),
            ("h100pcie", "scan_larger", "int8_t", 729.8, 25),
            ("h100pcie", "scan_larger", "int16_t", 952.5, 24),
            ("rtx3090", "sort", "int8_t", 3351, 22),
            ("rtx3090", "sort", "int16_t", 7076, 22),
            ("b200", "histogram", "uint8_t", 127.3, 25))
    ANYWHERE = (("sum", "int32_t"), ("larger_of_two", "float"),
                ("scan", "int8_t"), ("scan", "int32_t"),
                ("sort", "int16_t"), ("histogram", "uint8_t"))

    def steps(self, on):
        if shutil.which("nvcc") is None:
            raise Skipped("needs nvcc")
        rows = ([(on, *row, None, 22) for row in self.ANYWHERE] if on else
                self.ROWS)
        for chip in {row[0] for row in rows}:
            if code_of(chip) < 75:
                raise Failed(f"{chip}: nvcc 13 compiles for sm_75 and later")
        return [Plan(f"{chip}: {what.replace('_', ' of the ')}, {kind}",
                     us and NUMBERS / us / 1000, None,
                     (f"{what}<{kind}>", 1 << size), chip)
                for chip, what, kind, us, size in rows]

    def measure(self, plan, on, small):
        call, low = plan.kernel
        arch = f"sm_{code_of(plan.gpu)}"
        try:
            program = launch.keep(
                "cub", "run", (digest_of("cub.cu"), arch, call),
                lambda to: command("nvcc", "-O3", "-std=c++17",
                                   f"-arch={arch}", f"-DRUN={call}", "-o", to,
                                   os.path.join(launch.ROOT, KERNELS,
                                                "cub.cu")))
            if small:
                us, slowest = self.time(plan.gpu, program, self.SMALL)
                return self.SMALL / us / 1000, slowest["findings"]
            us, slowest = self.time(plan.gpu, program, low)
            more = self.time(plan.gpu, program, 2 * low)[0] - us
        except launch.Failed as why:
            raise Failed(str(why)) from None
        us += more * (NUMBERS - low) / low
        return NUMBERS / us / 1000, slowest["findings"]

    @staticmethod
    def time(gpu, program, numbers):
        """Microseconds, and the report of the launch with the largest trace."""
        with tempfile.TemporaryDirectory() as folder:
            traces = os.path.join(folder, "traces")
            us = float(command(launch.TEG, "exec", "-g", gpu, "--time", "-o",
                               traces, "--", program, str(numbers)))
            path = os.path.join(traces, "kernels.json")
            with open(path, encoding="utf-8") as f:
                largest = max(json.load(f)["kernels"], key=lambda k: os.path
                              .getsize(os.path.join(traces, k["trace"])))
            return us, result("run", os.path.join(traces, largest["trace"]),
                              "-g", gpu)
