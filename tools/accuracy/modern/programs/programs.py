#!/usr/bin/env python3
"""Whole programs, compiled here, beside their published times.

    programs.py [--points] [--set KEY=VALUE]... [--ladder FOLDER] [SECTION ...]

Compiles Triton kernels (triton_kernels.py; needs the `triton` package, no GPU)
and, with --ladder, the FP32 kernels of a copy of siboehm/SGEMM_CUDA (nvcc),
traces them on the emulator, replays the traces (launch.py says how large
launches are) and compares with published times.  Says `skipped:` for what is
not there.  Prints for each section mean, median and maximum error of the time;
--points prints every point.  build/accuracy/programs.json holds all of them;
build/programs (or $KEPT) keeps cubins and traces (remove it after a change of
the emulator).
"""
import os
import sys

import attention
import checks
import gemm
import ladder
import regression
from launch import options
from bench import Failed, in_parallel, summary, write_json  # launch says where


SECTIONS = {
    "results": checks.checks,
    "ladder-a6000": ladder.ladder,
    "add": regression.adds,
    "matmul-a100-float16": lambda: regression.matmuls("float16"),
    "matmul-a100-float32": lambda: regression.matmuls("float32"),
    "matmul-a100-int8": lambda: regression.matmuls("int8"),
    "attention-a100-regression":
        regression.attention_regression,
    "attention-a100": attention.attention_a100,
    "matmul-h100": gemm.matmul_h100,
    "attention-h100": attention.attention_h100,
}
ALONE = ("ladder-a6000",)  # needs neither Triton nor the measured times


def run(p):
    ours = p.pop("run")
    try:
        found = ours()
        p["ours"], p["remark"] = (found if isinstance(found, tuple)
                                  else (found, ""))
        p["error"] = 100 * (p["ours"] / p["measured"] - 1)
    except Failed as e:
        p["failed"] = str(e)
    return p


def available(name):
    if name in ALONE:
        return True
    try:
        import numpy
        import triton
        del numpy, triton
    except ImportError as e:
        print(f"skipped: {name}: {e.name} is not installed")
        return False
    if not os.path.exists(regression.MEASURED):
        print(f"skipped: {name}: ../shared/measured is missing")
        return False
    return True


def refuse(what):
    print(f"programs.py: {what}", file=sys.stderr)
    sys.exit(2)


def parse(argv):
    chosen, words = [], iter(argv)
    for word in words:
        if word in ("--ladder", "--set"):
            value = next(words, None)
            if value is None:
                refuse(f"option '{word}' wants a value")
            if word == "--set":
                options["settings"] += (value,)
            else:
                options["ladder"] = value
        elif word == "--points":
            options["points"] = True
        elif word.startswith("-"):
            refuse(f"no option '{word}'")
        elif word not in SECTIONS:
            refuse(f"no section '{word}'")
        else:
            chosen.append(word)
    return chosen or list(SECTIONS)


def show(p):
    if "ours" not in p:
        print(f"  {p['what']:<34} {p['failed']}")
        return
    print(f"  {p['what']:<34} {p['measured']:>11.1f} {p['ours']:>11.1f} "
          f"{p['unit']} {p['error']:+7.1f} %  {p['remark']}")


def main(argv):
    everything = {}
    for name in parse(argv):
        try:
            points = SECTIONS[name]() if available(name) else []
        except Failed as e:
            print(f"{name}: {e}")
            continue
        if not points:
            continue
        points = in_parallel(run, points)
        everything[name] = points
        for p in points if options["points"] else []:
            show(p)
        errors = [p["error"] for p in points if "error" in p]
        print(f"{name}: {summary(errors)}", flush=True)
    if everything:
        write_json("programs.json", everything)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
