#!/usr/bin/env python3
"""Whole programs, compiled here, beside their published times.

    programs.py [--points] [--set KEY=VALUE]... [--triton PYTHON]...
                [--ladder FOLDER] [--attention FOLDER] [--fast FOLDER]
                [--fa3 FOLDER] [--sm120 FOLDER] [SECTION ...]

Compiles Triton kernels (no GPU needed) with the release that a time was
measured with and with the newest that is there; a release is a Python that has
it: the one that runs this, and those of --triton, virtual environments.  With
--ladder it compiles the FP32 kernels of a copy of siboehm/SGEMM_CUDA, with
--attention those of sonnyli/flash_attention_from_scratch, with --fast those of
pranjalssh/fast.cu, with --fa3 FlashAttention-3 of Dao-AILab/flash-attention
(nvcc; minutes for each head size), with --sm120 02c_matmul_sm120 of
gau-nernst/learn-cuda.  Traces them on the emulator, replays the
traces (launch.py says how large launches are) and compares with published
times.  Says `skipped:` for what is not there.  Prints for each section mean, median
and maximum error of the time; --points prints every point.
build/accuracy/programs.json holds all of them; build/programs (or $KEPT) keeps
cubins and traces (remove it after a change of the emulator).
"""
import dataclasses
import os
import sys
import typing

import attention
import checks
import fa3
import flash
import geforce
import gemm
import hopper
import kernels
import ladder
import regression
from launch import options
from bench import Failed, in_parallel, summary, write_json  # launch says where

NEWEST = "newest"


@dataclasses.dataclass
class Section:
    points: typing.Callable  # of a release, or of nothing
    release: str = ""        # of Triton that the times are of; none: no Triton
    times: bool = False      # needs the measured times


SECTIONS = {
    "results": Section(checks.checks, NEWEST),
    "ladder-a6000": Section(ladder.ladder),
    "flash-a100": Section(lambda: flash.flash("a100")),
    "flash-rtx3090": Section(lambda: flash.flash("rtx3090")),
    "ladder-h100": Section(lambda: hopper.ladder(hopper.TENSOR_MHZ)),
    "ladder-h200": Section(hopper.profiled),
    "ladder-h100-boost": Section(lambda: hopper.ladder(None)),
    "fa3-h100": Section(fa3.fa3),
    "ladder-rtx5090": Section(geforce.ladder),
    "profiled-rtx5090": Section(geforce.profiled, "3.5.0"),
    "add": Section(regression.adds, NEWEST, times=True),
    # the test names no release: it calls operators as 2.0 has them (2.1 wants
    # to know whether attention is causal) and a timer newer than 2.0
    "matmul-a100-float16": Section(
        lambda r: regression.matmuls(r, "float16"), "2.0.0", times=True),
    "matmul-v100-float16": Section(
        lambda r: regression.matmuls(r, "float16", "v100"), "2.0.0",
        times=True),
    # not timed any more by that test, so of 2.0 or before
    "matmul-a100-float32": Section(
        lambda r: regression.matmuls(r, "float32"), "2.0.0", times=True),
    "matmul-a100-int8": Section(
        lambda r: regression.matmuls(r, "int8"), "2.0.0", times=True),
    "attention-a100-regression": Section(
        regression.attention_regression, "2.0.0", times=True),
    # July 2023: that pull request's kernel is the operator of 2.1
    "attention-a100": Section(attention.attention_a100, "2.1.0"),
    # September 2023, between 2.1 (no GMMA yet) and 2.2
    "matmul-h100": Section(gemm.matmul_h100, "2.2.0"),
    "matmul-h100-cublas": Section(gemm.cublas_h100, NEWEST),
    # July 2025
    "attention-h100pcie": Section(attention.attention_pcie, "3.3.1"),
    # 2025, a branch ahead of 3.4
    "attention-h100": Section(attention.attention_h100, NEWEST),
}


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


def releases_of(name, section):
    """The releases to run a section with, [None] if it is not Triton's; says
    what is skipped."""
    if not section.release:
        return [None]
    try:
        import numpy
        del numpy
    except ImportError:
        print(f"skipped: {name}: numpy is not installed")
        return []
    if section.times and not os.path.exists(regression.MEASURED):
        print(f"skipped: {name}: ../shared/measured is missing")
        return []
    newest = kernels.newest()
    found = [] if newest is None else [newest]
    if section.release in (NEWEST, newest):
        if newest is None:
            print(f"skipped: {name}: triton is not installed")
        return found
    if section.release in kernels.releases():
        return [section.release, *found]
    print(f"skipped: {name} as measured: no Python with triton=="
          f"{section.release} (--triton PYTHON)")
    return found


def refuse(what):
    print(f"programs.py: {what}", file=sys.stderr)
    sys.exit(2)


def parse(argv):
    chosen, words = [], iter(argv)
    lists = {"--set": "settings", "--triton": "triton"}
    for word in words:
        if word in (*lists, "--ladder", "--attention", "--fast", "--fa3",
                    "--sm120"):
            value = next(words, None)
            if value is None:
                refuse(f"option '{word}' wants a value")
            if word in lists:
                options[lists[word]] += (value,)
            else:
                options[word[2:]] = value
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


def compare(title, points):
    points = in_parallel(run, points)
    for p in points if options["points"] else []:
        show(p)
    print(f"{title}: {summary([p['error'] for p in points if 'error' in p])}",
          flush=True)
    return points


def main(argv):
    everything = {}
    try:
        chosen = parse(argv)
        kernels.releases()
    except Failed as e:
        refuse(e)
    for name in chosen:
        section = SECTIONS[name]
        for release in releases_of(name, section):
            title = name + (f", Triton {release}" if release else "")
            try:
                points = section.points(*[release] if release else [])
            except Failed as e:
                print(f"skipped: {title}: {e}")
                continue
            if points:
                everything[title] = compare(title, points)
    if everything:
        write_json("programs.json", everything)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
