#!/usr/bin/env python3
"""The fixture kernels on the simulator, beside what a GPU took.

    compare_kernels.py kernels.json -g GPU [--only KERNEL]
    compare_kernels.py --sm 80 -g GPU [--only KERNEL]

The first takes what tools/measure/kernels.c printed on a GPU; the second only
what tools/measure/kernels.txt asks for.  Each kernel is emulated (`teg trace`)
from the same cubin with the same arguments and replayed (`teg run`).  Prints
the measured time, the same less an empty launch, the simulated one, and whether
emulator and GPU leave the same bytes in every buffer; then mean, median and
maximum of the errors.  Exit status 1 if a buffer differs.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
TEG = os.environ.get("TEG", os.path.join(ROOT, "build", "release", "teg"))
SCHEMA = "teg-kernel-times"


def fail(what):
    sys.exit(f"{os.path.basename(sys.argv[0])}: {what}")


def shape(text):
    return (list(map(int, text.split(","))) + [1, 1])[:3]


def from_table(path, sm):
    """The rows of the table, as kernels.c prints them, without times."""
    rows = []
    with open(path, encoding="utf-8") as table:
        for line in table:
            words = line.split("#")[0].split()
            if words:
                rows.append({"file": words[0], "sm": sm, "kernel": words[1],
                             "grid": shape(words[2]), "block": shape(words[3]),
                             "shared": int(words[4]), "arguments": words[5:]})
    return {"kernels": rows}


def from_json(path):
    try:
        with open(path, encoding="utf-8") as f:
            measured = json.load(f)
        if measured["schema"] != SCHEMA or measured["version"] != 1:
            fail(f"{path}: expected schema {SCHEMA}, version 1")
        for row in measured["kernels"]:
            float(row["us"]["median"])
    except (OSError, ValueError, KeyError, TypeError) as fault:
        fail(f"{path}: not what kernels prints: {fault}")
    return measured


def teg(*args):
    done = subprocess.run([TEG, *map(str, args)], capture_output=True,
                          text=True, check=False)
    if done.returncode != 0:
        fail(done.stderr.strip() or f"teg ends with {done.returncode}")
    return done.stdout


def cksum(path):
    done = subprocess.run(["cksum", path], capture_output=True, text=True,
                          check=True)
    return int(done.stdout.split()[0])


def simulate(row, gpu, folder):
    """(microseconds, {index of a buffer: cksum})"""
    trace = os.path.join(folder, "kernel.tegt")
    cubin = os.path.join(ROOT, "tests", "fixtures",
                         f"{row['file']}.sm_{row['sm']}.cubin")
    buffers = [i for i, a in enumerate(row["arguments"])
               if a.startswith("buf:")]
    options = ["--kernel", row["kernel"], "-o", trace,
               "--grid", ",".join(map(str, row["grid"])),
               "--block", ",".join(map(str, row["block"]))]
    if row["shared"] != 0:
        options += ["--shared", row["shared"]]
    for text in row["arguments"]:
        options += ["--arg", text]
    for i in buffers:
        options += ["--dump", f"{i}={os.path.join(folder, str(i))}"]
    teg("trace", cubin, *options)
    report = json.loads(teg("run", trace, "-g", gpu, "-f", "json"))
    return report["time_us"], {i: cksum(os.path.join(folder, str(i)))
                               for i in buffers}


def cell(value, form):
    return format(value, form) if value is not None else "-"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("measured", nargs="?", metavar="kernels.json")
    parser.add_argument("-g", "--gpu", required=True)
    parser.add_argument("--sm", type=int, help="75, 80, 86 or 90")
    parser.add_argument("--only", metavar="KERNEL")
    parser.add_argument("--table", default=os.path.join(
        ROOT, "tools", "measure", "kernels.txt"))
    o = parser.parse_args()
    if (o.measured is None) == (o.sm is None):
        parser.error("either a file or --sm")
    data = from_json(o.measured) if o.sm is None else from_table(o.table, o.sm)
    launch = None  # an empty kernel of one block
    errors, different = [], 0
    if "device" in data:
        d = data["device"]
        print(f"{d['name']}, {d['sms']} SMs, {d['sm_clock_mhz']} MHz, driver "
              f"{data['driver_version']}; simulated: {o.gpu}")
        if d["name"].endswith("(teg)"):
            print("compare_kernels.py: these times are nominal, made by `teg "
                  "exec`, not measured", file=sys.stderr)
    print(f"{'kernel':12} {'grid':>10} {'measured':>10} {'less empty':>10} "
          f"{'simulated':>10} {'off, %':>8}  buffers")
    for row in data["kernels"]:
        us = row["us"]["median"] if "us" in row else None
        if row["kernel"] == "nothing" and launch is None:
            launch = us
        if o.only not in (None, row["kernel"]):
            continue
        with tempfile.TemporaryDirectory() as folder:
            simulated, sums = simulate(row, o.gpu, folder)
        own = us - launch if None not in (us, launch) else us
        off = None
        if own and row["kernel"] != "nothing":
            off = 100 * (simulated - own) / own
            errors.append(abs(off))
        same = [sums.get(b["index"]) == b["cksum"]
                for b in row.get("buffers", [])]
        different += not all(same)
        print(f"{row['kernel']:12} {'x'.join(map(str, row['grid'])):>10} "
              f"{cell(us, '.2f'):>10} {cell(own, '.2f'):>10} "
              f"{simulated:>10.2f} {cell(off, '+.1f'):>8}  "
              f"{'-' if not same else 'same' if all(same) else 'DIFFERENT'}",
              flush=True)
    if errors:
        print(f"{o.gpu}: mean {statistics.mean(errors):.1f} % median "
              f"{statistics.median(errors):.1f} % max {max(errors):.1f} % "
              f"over {len(errors)} kernels")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
