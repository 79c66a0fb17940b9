#!/usr/bin/env python3
"""What programs print of their own speed, under `teg exec --time` and on the
GPU.

    printed.py SOURCES [PROGRAM ...] [--gpu NAME] [--work DIR] [--limit S]

SOURCES holds a checkout of NVIDIA/cuda-samples.  Each program is compiled by
nvcc as it is for the chip's generation and run in its folder, from start to
end; what it prints is compared with what it printed on hardware (printed.csv,
which names the sources).  Says `skipped:` where nvcc, a program or a number is
missing.  What was printed is kept in DIR (default build/accuracy/printed),
for each teg and program; the whole takes an hour.  Nothing is fitted to these
numbers, the clocks of the boards are not known.
"""
import argparse
import csv
import glob
import os
import re
import shutil
import statistics
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                ".."))
# pylint: disable=wrong-import-position
from common import ROOT, TEG, Refused, command, digest, keep

HERE = os.path.dirname(os.path.abspath(__file__))
# Capability of the description, and where another has its name.
SM = {"gtx1650super": "75", "t4": "75", "a100_80": "80"}


def rows():
    with open(os.path.join(HERE, "printed.csv"), encoding="utf-8") as f:
        return list(csv.DictReader(s for s in f if not s.startswith("#")))


def find(samples, program):
    found = glob.glob(os.path.join(samples, "Samples", "*", program))
    if not found:
        raise Refused(f"no {program} in {samples}")
    return found[0]


def as_of(version, samples, program, work):
    """The samples with this program as it was in that version."""
    if not version:
        return samples

    def make(path):
        os.mkdir(path)
        folder = os.path.relpath(find(samples, program), samples)
        names = command("git", "-C", samples, "ls-tree", "-r", "--name-only",
                        version, "Common/", folder + "/").splitlines()
        names = [s for s in names if re.search(r"\.(h|cuh|cu|cpp)$", s)]
        command("git", "-C", samples, "archive", "-o", path + ".tar", version,
                *names)
        command("tar", "-C", path, "-xf", path + ".tar")
        os.unlink(path + ".tar")

    return keep(work, f"{program}-{version}-sources", make)


def build(samples, program, name, sm, work):
    """Path of the program, compiled for sm_`sm`."""
    folder = find(samples, program)
    sources = [s for end in ("cu", "cpp")
               for s in sorted(glob.glob(os.path.join(folder, "*." + end)))]

    def make(path):
        command("nvcc", "-O3", "-std=c++17", f"-arch=sm_{sm}",
                "-I", os.path.join(samples, "Common"), "-I", folder,
                "-I", os.path.join(folder, "inc"), "-o", path, *sources)

    return keep(work, f"{name}-sm_{sm}", make)


refused = {}


def output(row, options):
    """What the row's program prints on its chip; it is tried once."""
    key = row["gpu"], row["program"]
    if key in refused:
        raise Refused(refused[key])
    try:
        return run(row, options)
    except Refused as e:
        refused[key] = str(e)
        raise


def run(row, options):
    program, gpu, version = row["program"], row["gpu"], row["version"]
    name = program + ("-" + version) * bool(version)
    samples = as_of(version, options.samples, program, options.work)
    path = build(samples, program, name, SM[gpu],
                 options.work)
    size = os.path.getsize(path), os.stat(TEG).st_mtime_ns

    def make(out):
        traces = out + ".teg"
        try:
            text = command(TEG, "exec", "-g", gpu, "--time", "-o", traces,
                           "--", path, cwd=find(samples, program),
                           limit=options.limit)
        finally:
            shutil.rmtree(traces, ignore_errors=True)
        with open(out, "w", encoding="utf-8") as f:
            f.write(text)

    kept = keep(options.work, f"{name}-{gpu}-{digest(size)}.txt", make)
    with open(kept, encoding="utf-8") as f:
        return f.read()


def number(text, row):
    found = re.search(row["pattern"], text, re.DOTALL)
    if not found:
        raise Refused(f"{row['program']} did not print {row['what'] or 'it'}")
    value = float(found.group(1))
    if value == 0:
        raise Refused(f"{row['program']} printed 0")
    return value


def error_of(row, here):
    """Of the time, relative."""
    published = float(row["published"])
    if "/" in row["unit"]:
        return published / here - 1
    return here / published - 1


def compare(row, options):
    try:
        here = number(output(row, options), row)
    except Refused as e:
        print(f"skipped: {row['gpu']}, {row['program']} {row['what']}: {e}")
        return None
    error = error_of(row, here)
    print(f"{row['gpu']:13} {row['program']:22} {row['what']:27} "
          f"{float(row['published']):>10.5g} {here:>10.5g} {row['unit']:9}"
          f"{100 * error:+7.1f} %", flush=True)
    return row["program"], error


def say(title, errors):
    size = sorted(abs(e) for e in errors)
    print(f"{title}: {len(size)} numbers, mean {100 * statistics.fmean(size):.1f} %, "
          f"median {100 * statistics.median(size):.1f} %, worst {100 * size[-1]:.1f} %, "
          f"bias {100 * statistics.fmean(errors):+.1f} %")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("sources")
    parser.add_argument("program", nargs="*", default=[])
    parser.add_argument("--gpu")
    parser.add_argument("--work", default=os.path.join(
        ROOT, "build", "accuracy", "printed"))
    parser.add_argument("--limit", type=float, default=900)
    options = parser.parse_args()
    options.samples = os.path.join(options.sources, "cuda-samples")
    options.work = os.path.abspath(options.work)
    if not shutil.which("nvcc"):
        print("skipped: nvcc compiles the programs")
        return 0
    if not os.path.isdir(options.samples):
        print(f"skipped: needs a checkout of NVIDIA/cuda-samples in "
              f"{options.samples}")
        return 0
    chosen = [r for r in rows()
              if (not options.program or r["program"] in options.program) and
              (options.gpu in (None, r["gpu"]))]
    print("error is that of the time")
    compared = [(r["gpu"], c) for r in chosen
                if (c := compare(r, options)) is not None]
    for gpu in dict.fromkeys(g for g, _ in compared):
        errors = [c for g, c in compared if g == gpu]
        say(gpu, [e for _, e in errors])
        if len({p for p, _ in errors}) > 1:
            say(f"{gpu}, a program one number",
                [statistics.fmean(e for q, e in errors if q == p)
                 for p in dict.fromkeys(p for p, _ in errors)])
    return 0


if __name__ == "__main__":
    sys.exit(main())
