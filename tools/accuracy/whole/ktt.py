"""Three kernels of HiPerCoRe/KTT on an RTX 2080 Ti: tuning variants with
Nsight Compute's durations and counters, which also give the clock.

They are the sets of tools/accuracy/modern/policies.py: some and three times as
many waves of blocks on one or two SMs, extended linearly; of pnpoly with a
third of the vertices.
"""
import os
import sys

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(
    __file__))), "modern"))
import policies  # noqa: E402
from replay import Grids  # noqa: E402
from suites import Job, Time  # noqa: E402

SOURCES = {"KTT": "https://github.com/HiPerCoRe/KTT"}
FILES = ("rtx2080ti-pnpoly.csv", "rtx2080ti-coulomb.csv",
         "rtx2080ti-convolution.csv.gz")
GPUS = ("rtx2080ti",)
PROGRAMS = {"pnpoly": 2.5, "coulomb": 12.0, "convolution": 12.0}  # seconds
MOST = 60  # variants of each, whose names hash lowest


def jobs(sources, measured, gpus):
    del gpus
    for name, cost in PROGRAMS.items():
        for v in policies.SETS[name](sources, measured, MOST):
            how = Grids(name, v["text"], 75, tuple(v["flags"]), v["kernel"],
                        tuple(v["block"]), tuple(v["arguments"]),
                        tuple(tuple(g) for g in v["grids"]), v["blocks"],
                        v["sms"] / policies.SMS, v["instructions"],
                        name == "pnpoly")
            yield Job("rtx2080ti", name, v["name"], "all", "cupti", how,
                      (Time(name, (v["measured_us"],)),), cost,
                      ("--sms", str(v["sms"]), "--exact", "--set",
                       f"chip.sm_clock_mhz={v['clock']}"))
