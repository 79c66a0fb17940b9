#!/usr/bin/env python3
"""Two launches beside each other: what teg program makes of each alone, and the
engine of both at once.

    tools/accuracy/beside.py [TEG] [GPU]

Two launches whose blocks take the same of an SM are one whose first blocks do
what the one does and the rest what the other does: teg run of that is what teg
program has to say.  Prints a row of Markdown for each pair: times in
microseconds of each alone, of both as one launch, as teg program says of both
simulated together and of its estimate, each with the difference.  Then rows of
several streams of launches: one after the other, together, estimated, with the
caches as they are left.
"""
import collections
import json
import os
import subprocess
import sys
import tempfile

TEG = sys.argv[1] if len(sys.argv) > 1 else "build/release/teg"
GPU = sys.argv[2] if len(sys.argv) > 2 else "a100"
NO_GAPS = ["--set", "launch.host_us=0", "--set", "launch.latency_us=0",
           "--set", "launch.gap_us=0"]
HEAD = """sketch 1
kernel "%s"
isa sm_80
grid %d
block 256
registers 32
let a = 0x7f0000000000
"""
# What a block does: rounds, and lines with the block's number.
BODIES = {
    "arithmetic": (400, """  FFMA R4, R4, R4, R4
  FFMA R5, R5, R5, R5
  FFMA R6, R6, R6, R6
  FFMA R7, R7, R7, R7
"""),
    "dram": (24, """  LDG.E.128 R8, [R2 : a + 16*tid + 4096*CTA + 0x4000000*k]
  LDG.E.128 R12, [R2 : a + 0x2000000000 + 16*tid + 4096*CTA + 0x4000000*k]
  FADD R16, R8, R12
"""),
    "latency": (120, """  LDG.E R2, [R2 : a + 0x5000000000 + 4*tid + 1024*(CTA % 64) + 65536*(k % 16)]
"""),
    "l2": (24, """  LDG.E.128 R8, [R2 : a + 0x6000000000 + 16*((tid + 256*CTA + 12345*k) % 262144)]
  LDG.E.128 R12, [R2 : a + 0x6000000000 + 16*((tid + 256*CTA + 54321*k + 777) % 262144)]
  FADD R16, R8, R12
"""),
}
PAIRS = [
    ("arithmetic", 54, "arithmetic", 54),
    ("arithmetic", 432, "arithmetic", 432),
    ("arithmetic", 216, "dram", 216),
    ("dram", 216, "arithmetic", 216),
    ("dram", 216, "dram", 216),
    ("dram", 432, "dram", 432),
    ("latency", 432, "arithmetic", 216),
    ("latency", 864, "dram", 432),
    ("dram", 108, "latency", 108),
    ("l2", 432, "dram", 432),
    ("l2", 432, "arithmetic", 432),
    ("dram", 1000, "arithmetic", 400),
    ("arithmetic", 1000, "dram", 400),
    ("arithmetic", 1100, "latency", 300),
]
# Streams of launches.
PROGRAMS = [
    [[("arithmetic", 54)] * 4, [("dram", 54)] * 2],
    [[("dram", 108), ("arithmetic", 216)]] * 3,
    [[("l2", 108)] * 3, [("latency", 216)] * 3, [("arithmetic", 216)] * 3],
    [[(kind, 27)] * 3 for kind in BODIES] * 2,
    [[("arithmetic", 300), ("dram", 100), ("latency", 300)],
     [("dram", 150), ("l2", 150)]],
    [[("latency", 20)] * 5 for _ in range(8)],
]
SECOND = 100000  # its blocks are numbered from here: other addresses


def part(kind, rounds, cta):
    return f"loop k {rounds}\n{BODIES[kind][1].replace('CTA', cta)}end\n"


def alone(kind, blocks, first):
    return (HEAD % (kind, blocks) +
            part(kind, BODIES[kind][0], f"(ctaid + {first})") + "EXIT\n")


def both(one, many, other, more):
    return (HEAD % ("both", many + more) +
            part(one, f"(ctaid < {many}) * {BODIES[one][0]}", "ctaid") +
            part(other, f"(ctaid >= {many}) * {BODIES[other][0]}",
                 f"(ctaid - {many} + {SECOND})") + "EXIT\n")


def teg(command, path, *options, caches="cold"):
    got = subprocess.run(
        [TEG, command, path, "-g", GPU, "-f", "json", "--caches", caches,
         *options], capture_output=True, text=True, check=False)
    if got.returncode != 0:
        sys.exit(got.stderr)
    return json.loads(got.stdout)["time_us"]


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="ascii") as f:
        f.write(text)
    return path


def compare(folder, one, many, other, more):
    first = teg("run", write(folder, "a.sketch", alone(one, many, 0)))
    second = teg("run", write(folder, "b.sketch", alone(other, more, SECOND)))
    exact = teg("run", write(folder, "c.sketch", both(one, many, other, more)))
    score = {"teg": {"schema": 3},
             "kernels": [{"trace": "a.sketch"}, {"trace": "b.sketch"}],
             "order": [{"kernel": 0, "stream": 1}, {"kernel": 1, "stream": 2}]}
    path = write(folder, "list.json", json.dumps(score))
    together, estimate = (teg("program", path, "--no-ranking", how, *NO_GAPS)
                          for how in ("--exact", "--estimate"))
    error = 100 * (together / exact - 1), 100 * (estimate / exact - 1)
    print(f"| {one}, {many} | {other}, {more} | {first:.1f} | {second:.1f} | "
          f"{exact:.1f} | {together:.1f} ({error[0]:+.2f} %) | "
          f"{estimate:.1f} ({error[1]:+.0f} %) |", flush=True)
    return abs(error[0]), abs(error[1])


def row_of(streams):
    """'2 x (4 arithmetic of 54)': alike ones together."""
    def stream(launches):
        parts = [f"{n} {kind} of {blocks}" for (kind, blocks), n in
                 collections.Counter(launches).items()]
        return ", ".join(parts)
    return "; ".join(f"{n} x ({text})" if n > 1 else text for text, n in
                     collections.Counter(map(stream, streams)).items())


def several(folder, streams):
    kernels, order = [], []
    for number, launches in enumerate(streams):
        for kind, blocks in launches:
            first = SECOND * len(kernels)
            name = f"{len(kernels)}.sketch"
            write(folder, name, alone(kind, blocks, first))
            order.append({"kernel": len(kernels), "stream": number + 1})
            kernels.append({"trace": name})
    path = write(folder, "list.json", json.dumps(
        {"teg": {"schema": 3}, "kernels": kernels, "order": order}))
    together, estimate, serial = (
        teg("program", path, "--no-ranking", how, *NO_GAPS, caches="carry")
        for how in ("--exact", "--estimate", "--serial"))
    error = 100 * (estimate / together - 1)
    print(f"| {row_of(streams)} | {serial:.1f} | {together:.1f} | "
          f"{estimate:.1f} ({error:+.0f} %) |", flush=True)
    return abs(error)


def main():
    with tempfile.TemporaryDirectory() as folder:
        errors = [compare(folder, *pair) for pair in PAIRS]
    for name, error in zip(("together", "estimate"), zip(*errors)):
        print(f"{name}: mean {sum(error) / len(error):.2f} %, "
              f"most {max(error):.2f} %")
    with tempfile.TemporaryDirectory() as folder:
        errors = [several(folder, program) for program in PROGRAMS]
    print(f"estimate: mean {sum(errors) / len(errors):.1f} %, "
          f"most {max(errors):.1f} %")


main()
