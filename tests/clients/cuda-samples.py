#!/usr/bin/env python3
"""NVIDIA's CUDA samples as their own build makes them, under `teg exec`.

    cuda-samples.py SOURCES [NAME ...]

SOURCES is a checkout of github.com/NVIDIA/cuda-samples.  Each sample that has
a CMakeLists.txt is built by it (nvcc and cmake needed; for one architecture,
--arch, instead of nine) and run without arguments and without a trace, at most
--seconds of processor time, so that other work on the machine changes nothing.
What ended how goes to OUT/samples.csv as it comes: a sample that stands there
is not built or run again.  At the end counts and names by outcome are printed.

A sample passed if it ended with 0, `waived` is the samples' own 2; of the
others the line that teg or they said says why.
"""
import argparse
import pathlib
import re
import shutil

from programs import Table, add_options, compile_by, run


def build(sample, root, work, arch):
    """The folder of the built program, or (None, why not)."""
    at = work / "tree" / sample.relative_to(root)
    if not at.exists():
        shutil.copytree(sample, at, symlinks=True)
    lists = at / "CMakeLists.txt"
    text = re.sub(r"set\(CMAKE_CUDA_ARCHITECTURES [^)]*\)",
                  f"set(CMAKE_CUDA_ARCHITECTURES {arch})", lists.read_text())
    lists.write_text(text)
    out = at / "build"
    why = compile_by([["cmake", "-S", at, "-B", out], ["cmake", "--build", out]])
    return (None, why) if why else (out, "")


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add_options(p, "cuda-samples", 120)
    p.add_argument("--gpu", default="a100")
    p.add_argument("--arch", default="80")
    a = p.parse_args()
    root = a.sources.resolve()
    teg = str(pathlib.Path(a.teg).resolve())
    work = a.out.resolve()
    (work / "tree").mkdir(parents=True, exist_ok=True)
    for shared in ("Common", "cmake", "bin"):
        link = work / "tree" / shared
        if (root / shared).exists() and not link.exists():
            link.symlink_to(root / shared)
    table = Table(work / "samples.csv", a.names)
    samples = sorted(p.parent for p in root.glob("Samples/*/*/CMakeLists.txt"))
    for sample in samples:
        name = sample.name
        if name in table or (a.names and name not in a.names):
            continue
        at, why = build(sample, root, work, a.arch)
        program = at and at / name
        if at is None:
            table.add(name, "not built", 0, why)
        elif not program.is_file():
            table.add(name, "not built", 0,
                      "its build makes no program of its name")
        else:
            table.add(name, *run(teg, a.gpu, [f"./{name}"], at, a.seconds)[:3])
    table.summary()


if __name__ == "__main__":
    main()
