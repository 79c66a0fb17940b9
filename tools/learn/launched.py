"""Launches of HeCBench's programs (github.com/zjin-lcf/HeCBench) for the bundled
forest's table: kernels by many hands, where the project's own are few.

Each program that tests/clients/hecbench.py knows is built by its own makefile and
run on the emulator with the arguments given there, for so many seconds.  Of each
kernel the first launch of a grid and block counts, and of three at most.
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/clients"))
import hecbench  # pylint: disable=wrong-import-position

SECONDS = 30  # for a program on the emulator, of one core
LAUNCHES = 400  # of all kernels, that are traced
SHAPES = 3  # launches of a kernel


def names():
    "Of all programs, and their arguments: {name: [argument]}"
    lines = (line.split() for line in hecbench.PROGRAMS.strip().splitlines())
    return {name: arguments for name, *arguments in lines}


def traced(teg, sources, work, name, arguments):
    """[(kernel, "grid/block", trace)] of a program; empty if it does not build or
    launches nothing.  Building is for sm_80.  Traces lie in WORK/NAME.teg."""
    out = work / (name + ".teg")
    shutil.rmtree(out, ignore_errors=True)
    program, why = hecbench.build(sources / "src" / (name + "-cuda"), work)
    if why:
        return []
    subprocess.run(
        ["timeout", "-s", "INT", "-k", "5", str(SECONDS), teg, "exec", "-g", "a100",
         "-j", "1", "--launches", "0:%d" % LAUNCHES, "-o", str(out),
         *hecbench.OPTIONS.get(name, []), "--", "./" + program.name, *arguments],
        cwd=program.parent, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, check=False)
    return chosen(out)


def chosen(out):
    """[(kernel, "grid/block", trace)] of the launches in a folder that count."""
    try:
        with open(out / "kernels.json", encoding="utf-8") as f:
            launches = json.load(f)["kernels"]
    except OSError:
        return []
    shapes = {}
    for k in launches:
        if "trace" in k:
            shape = "%s/%s" % tuple(",".join(map(str, k[x])) for x in ("grid", "block"))
            shapes.setdefault(k["name"], {}).setdefault(shape, str(out / k["trace"]))
    return [(kernel, shape, each[shape]) for kernel, each in shapes.items()
            for shape in spread(list(each))]


def spread(shapes):
    "The first, the last and what lies evenly between, SHAPES at most."
    if len(shapes) <= SHAPES:
        return shapes
    return [shapes[i * (len(shapes) - 1) // (SHAPES - 1)] for i in range(SHAPES)]
