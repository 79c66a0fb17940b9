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
import csv
import pathlib
import re
import resource
import shutil
import subprocess

WAIVED = 2
COLUMNS = ["sample", "outcome", "seconds", "said"]


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
    log = ""
    for command in (["cmake", "-S", at, "-B", out],
                    ["cmake", "--build", out]):
        r = subprocess.run(command, text=True, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, errors="replace")
        log += r.stdout
        if r.returncode:
            wrong = [line for line in log.splitlines()
                     if re.search(r"error|fatal|not found|No rule", line)]
            return None, (wrong or log.splitlines()[-1:])[0].strip()
    return out, ""


def run(teg, gpu, program, seconds):
    """(outcome, processor seconds, last line worth a look)."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    try:
        r = subprocess.run(
            [teg, "exec", "-g", gpu, "--no-trace", "--", f"./{program.name}"],
            cwd=program.parent, text=True, errors="replace",
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_CPU, (seconds, seconds + 5)),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, timeout=20 * seconds)
        code, said, out = r.returncode, r.stderr, r.stdout
    except subprocess.TimeoutExpired as e:
        code, said, out = None, "", (e.stdout or b"").decode(errors="replace")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = (after.ru_utime + after.ru_stime
             - before.ru_utime - before.ru_stime)
    words = [s for s in said.splitlines() if s.strip()]
    lines = [s for s in out.splitlines() if s.strip()]
    tegs = [s for s in words if s.startswith("teg: ")]
    last = (tegs or words or lines or [""])[-1]
    if code is None or "CPU time limit" in said:
        return "not ended", spent, last
    if code == 0:
        return "passed", spent, last
    if code == WAIVED and not last.startswith("teg: "):
        return "waived", spent, (lines or [""])[-1]
    return "failed", spent, last


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("sources", type=pathlib.Path)
    p.add_argument("names", nargs="*")
    p.add_argument("--teg", default="build/release/teg")
    p.add_argument("--gpu", default="a100")
    p.add_argument("--arch", default="80")
    p.add_argument("--out", type=pathlib.Path,
                   default=pathlib.Path("build/clients/cuda-samples"))
    p.add_argument("--seconds", type=int, default=120)
    a = p.parse_args()
    root = a.sources.resolve()
    teg = str(pathlib.Path(a.teg).resolve())
    work = a.out.resolve()
    (work / "tree").mkdir(parents=True, exist_ok=True)
    for shared in ("Common", "cmake", "bin"):
        link = work / "tree" / shared
        if (root / shared).exists() and not link.exists():
            link.symlink_to(root / shared)
    table = work / "samples.csv"
    rows = []
    if table.exists():
        with open(table, newline="", encoding="utf-8") as f:
            rows = [r for r in csv.DictReader(f) if r["sample"] not in a.names]
    known = {r["sample"] for r in rows}
    samples = sorted(p.parent for p in root.glob("Samples/*/*/CMakeLists.txt"))
    for sample in samples:
        name = sample.name
        if name in known or (a.names and name not in a.names):
            continue
        at, why = build(sample, root, work, a.arch)
        program = at and at / name
        if at is None:
            row = ("not built", 0, why)
        elif not program.is_file():
            row = ("not built", 0, "its build makes no program of its name")
        else:
            row = run(teg, a.gpu, program, a.seconds)
        rows.append(dict(zip(COLUMNS, (name, row[0], f"{row[1]:.1f}",
                                       row[2][:160]))))
        with open(table, "w", newline="", encoding="utf-8") as f:
            w = csv.DictWriter(f, COLUMNS)
            w.writeheader()
            w.writerows(rows)
        print(f"{name}: {row[0]}, {row[1]:.1f} s: {row[2][:100]}", flush=True)
    for outcome in sorted({r["outcome"] for r in rows}):
        names = sorted(r["sample"] for r in rows if r["outcome"] == outcome)
        print(f"{outcome}, {len(names)}: {', '.join(names)}")


if __name__ == "__main__":
    main()
