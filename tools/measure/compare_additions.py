#!/usr/bin/env python3
"""The kit's global additions on the simulator, beside what a GPU did.

    compare_additions.py KIT.json -g GPU --arch sm_90a [--set KEY=VALUE]...

KIT.json is what tools/measure printed of its section atomics_types.  The same
kernels, compiled by nvcc, are emulated (`teg trace`) and replayed (`teg run`)
with 16 and 48 additions of a thread, the difference of which is compared: lane
operations a cycle of the whole chip.  Additions of one half are left to four
blocks by the kit, where they fight, and to as many here.
"""
import argparse
import concurrent.futures
import json
import math
import os
import re
import shutil
import statistics
import subprocess
import tempfile

from compare_kernels import fail, teg

HERE = os.path.dirname(os.path.abspath(__file__))
SPREADS = ("one_address", "address_per_warp", "address_per_lane",
           "address_per_thread")
# A one of the type, as `teg trace` takes it.
ONES = {
    "f16": "u16:15360", "bf16": "u16:16256", "f16_result": "u16:15360",
    "f16x2": "u32:1006648320", "bf16x2": "u32:1065369472",
    "f16x2_v4": "u32:1006648320", "f16x2_result": "u32:1006648320",
    "f32": "f32:1", "f32_v4": "f32:1", "f32_result": "f32:1", "u32": "u32:1",
    "u64": "u64:1", "f64": "u64:4607182418800017408",
}
LESS, MORE, THREADS = 16, 48, 256


def cycles(row, a, cubin, folder, steps):
    trace = os.path.join(folder, f"{row['name']}.{steps}.tegt")
    kind, spread = row["kind"], SPREADS.index(row["spread"])
    teg("trace", cubin, "--kernel", f"add_{kind}", "--grid", row["blocks"],
        "--block", THREADS, "-a", "buf:u32:4194304:zeros", "-a", ONES[kind],
        "-a", f"u32:{spread}", "-a", f"u32:{steps}", "-o", trace)
    report = json.loads(teg("run", "-g", a.gpu, "--exact", "-f", "json", trace,
                            *(f"--set={s}" for s in a.set)))
    os.remove(trace)
    return report["cycles"]


def simulated(row, a, cubin, folder):
    less, more = (cycles(row, a, cubin, folder, n) for n in (LESS, MORE))
    return row["blocks"] * THREADS * (MORE - LESS) / (more - less)


def row_of(result):
    found = re.fullmatch(rf"(\w+?)_({'|'.join(SPREADS)})", result["name"])
    if not found or found[1] not in ONES:
        fail(f"an addition that is not known: {result['name']}")
    return {"name": result["name"], "kind": found[1], "spread": found[2],
            "blocks": int(result["at"]["blocks"]),
            "measured": result["median"]}


def rows_of(path):
    try:
        with open(path, encoding="utf-8") as f:
            return [row_of(r) for r in json.load(f)["results"]
                    if r["section"] == "atomics_types"
                    and r["quantity"] == "throughput"]
    except (OSError, ValueError, KeyError, TypeError) as fault:
        return fail(f"{path}: not what measure prints: {fault}")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("kit")
    parser.add_argument("-g", "--gpu", required=True)
    parser.add_argument("--arch", required=True)
    parser.add_argument("--set", action="append", default=[])
    a = parser.parse_args()
    if shutil.which("nvcc") is None:
        print("skipped: no nvcc here to compile the kit's kernels")
        return
    rows = rows_of(a.kit)
    if not rows:
        fail(f"{a.kit}: no results of atomics_types")
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "measure.cubin")
        subprocess.run(["nvcc", "-O3", "-std=c++17", f"-arch={a.arch}",
                        "-cubin", "-o", cubin,
                        os.path.join(HERE, "measure.cu")], check=True)
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            here = pool.map(lambda r: simulated(r, a, cubin, folder), rows)
            errors = []
            print(f"{'additions':32} {'measured':>10} {'here':>10}")
            for row, got in zip(rows, here):
                ratio = got / row["measured"]
                errors.append(abs(math.log(ratio)))
                print(f"{row['name']:32} {row['measured']:10.4f} {got:10.4f} "
                      f"{ratio:5.2f}", flush=True)
    print(f"{len(errors)} of them: a factor of "
          f"{math.exp(statistics.mean(errors)):.2f} in the mean, "
          f"{math.exp(max(errors)):.2f} at most")


if __name__ == "__main__":
    main()
