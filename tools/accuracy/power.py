#!/usr/bin/python3
"""Fits the power of a V100 to what others measured, and says how far it is off.

    tools/accuracy/power.py [COUNTERS.csv]   (../shared/measured/v100-kernels.csv)

Power of a Quadro GV100 at 1417 MHz, mean of five runs, from AccelWattch's
validation (Kandiah et al., MICRO 2021; accel-sim/accel-sim-framework,
util/accelwattch/accelwattch_hw_profiler/hw_power_validation_volta.csv); the
counters of the same kernels on that board are its hw_perf.csv.  Four numbers: what
is drawn by a chip that works, by an SM that works, by a warp instruction, by a byte
of DRAM; least squares of relative errors, none below 0.  Every other kernel, in
the order of names, is left out of the fit and compared.  config/v100.cfg has the
fit to all.  Needs python3-scipy.
"""
import csv
import os
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLOCK_HZ, SMS = 1.417e9, 80
# The kernel as the counters name it, as the measurement does, watts.
MEASURED = (
    ("b+tree", "findK", "btree_k1", 172.6988),
    ("cudaTensorCoreGemm", "", "cudaTensorCoreGemm_k1", 181.992),
    ("cutlass_perf_test_k1", "", "cutlass_k1", 101.92142),
    ("cutlass_perf_test_k2", "", "cutlass_k2", 121.6066),
    ("dct8x8", "kernel1DCT", "dct8x8_k1", 111.86036),
    ("dct8x8", "kernel2DCT", "dct8x8_k2", 130.0522),
    ("hotspot", "", "hotspot_k1", 229.5534),
    ("kmeans", "kmeansPoint", "kmeans_k1", 151.8626),
    ("mergeSort", "", "mergeSort_k1", 172.8844),
    ("sobolQRNG", "", "sobolQRNG_k1", 200.444))


def events(row):
    """1, busy SMs, warp instructions a cycle, DRAM sectors a cycle."""
    cycles = float(row["Elapsed_Cycles"])
    return (1.0, SMS - float(row["Num_Idle_SMs"]),
            SMS * float(row["Pipeline_Duty"]),
            (float(row["DRAM_Rd"]) + float(row["DRAM_Wr"])) / cycles)


def main():
    try:
        import numpy as np
        from scipy.optimize import nnls
    except ImportError as why:
        sys.exit(f"power.py: {why}: install python3-scipy")
    path = sys.argv[1] if len(sys.argv) > 1 else os.path.join(
        ROOT, "../shared/measured/v100-kernels.csv")
    try:
        with open(path, encoding="utf-8") as f:
            rows = [r for r in csv.DictReader(f) if r["board"] == "Quadro GV100"]
    except OSError as why:
        sys.exit(f"power.py: {path}: {why.strerror}")
    x = np.array([events(next(r for r in rows if r["Benchmark"].startswith(b)
                              and k in r["Kernel"])) for b, k, _, _ in MEASURED])
    y = np.array([watts for *_, watts in MEASURED])

    def fit(these):
        return nnls(x[these] / y[these, None], np.ones(these.sum()))[0]

    everything = np.ones(len(y), dtype=bool)
    w = fit(everything)
    off = 100 * (x @ w / y - 1)
    print(f"chip {w[0]:.1f} W, SM {w[1]:.3f} W, instruction "
          f"{1e12 * w[2] / CLOCK_HZ:.0f} pJ, DRAM "
          f"{1e12 * w[3] / CLOCK_HZ / 32:.1f} pJ/B: "
          f"mean {abs(off).mean():.1f} %, at most {abs(off).max():.1f} %")
    odd = np.arange(len(y)) % 2 == 1
    left = np.concatenate([100 * (x[~t] @ fit(t) / y[~t] - 1) for t in (odd, ~odd)])
    for name, here in zip(MEASURED, off):
        print(f"  {name[2]:24} {name[3]:6.1f} W {here:+6.1f} %")
    print(f"half left out, each half by the other: mean {abs(left).mean():.1f} %, "
          f"at most {abs(left).max():.1f} %")


if __name__ == "__main__":
    main()
