#!/usr/bin/env python3
"""Published micro-benchmarks of chips since Fermi beside the simulator.

    micro.py [--check] [--markdown] [GPU ...]

Reads micro.csv (what was published, where) and prints for each GPU: item,
expected, ours, error, source; then `v100: mean M % median ... max X % over N
points`.  --check runs only quick rows with a bound and fails if one is passed.
build/accuracy/micro.json holds the same.  JOBS=2 runs two at a time.
"""
import csv
import os
import sys

from bench import (Failed, cycles, fact, in_parallel, slope, summary,
                   write_json)

OPS = ("iadd3 lop3 shf imad fadd fmul ffma fmnmx dadd dmul dfma hfma2 mufu "
       "popc flo i2f f2i shfl hmma dmma imma ldc mov sel brev uiadd3 isetp "
       "s2r lea").split()
# What tests/kernels/micro/tensor.sketch numbers: multiply-adds, of a sparse
# factor's zeros, too.
TENSOR = {
    "hmma884": 256, "hmma884_f16": 512, "hmma1688": 1024,
    "hmma1688_f16": 1024, "hmma16816": 2048, "hmma16816_f16": 2048,
    "tf32_1684": 512, "tf32_1688": 1024, "s8_8816": 1024, "s8_16816": 2048,
    "s8_16832": 4096, "s4_16864": 8192, "b1_168256": 32768,
    "sp16816": 2048, "sp16832": 4096, "sp16816_f16": 2048,
    "sp16832_f16": 4096, "tf32_sp1688": 1024, "tf32_sp16816": 2048,
    "s8_sp16832": 4096, "s8_sp16864": 8192, "dmma884": 256,
    "f8_16832": 4096, "f8_16832_f16": 4096,
}
GMMA = {"ss": 0, "rs": 1, "sp_ss": 2, "sp_rs": 3, "f8": 4, "s8": 5}
MB = 1 << 20


def latency(gpu, op):
    return slope(gpu, "latency", "N", 32, 96, OP=OPS.index(op))


def throughput(gpu, op, warps=32):
    """Thread instructions per cycle and SM; also an occupancy ramp's point."""
    warps = int(warps)
    return 32 * warps * 8 / slope(gpu, "throughput", "N", 8, 24, sms=1,
                                  OP=OPS.index(op), WARPS=warps)


def tensor(gpu, shape, warps=1, ilp=1):
    """Cycles of a round in which each warp has ilp independent products."""
    return slope(gpu, "tensor", "N", 8, 24, sms=1, WARPS=int(warps),
                 ILP=int(ilp), OP=list(TENSOR).index(shape))


def tensor_rate(gpu, shape, warps=8, ilp=4):
    """Multiply-adds per cycle and SM."""
    return (int(warps) * int(ilp) * TENSOR[shape] /
            tensor(gpu, shape, warps, ilp))


def gmma(gpu, columns, form="ss"):
    """Cycles of a warp group's product, each waiting for the one before."""
    return slope(gpu, "gmma", "N", 8, 24, sms=1, COLUMNS=int(columns),
                 FORM=GMMA[form])


def _gmma_rate(gpu, columns):
    return 64 * int(columns) * 16 / gmma(gpu, columns)


def gmma_share(gpu, columns):
    """Of the rate at 256 columns."""
    return _gmma_rate(gpu, columns) / _gmma_rate(gpu, 256)


def tensor_share(gpu, shape):
    """A warp's products' rate over that of a group's of 16 bits."""
    return tensor_rate(gpu, shape) / _gmma_rate(gpu, 256)


def banks(gpu, a, b, c=255):
    """Thread instructions per cycle of FADD a, b or FFMA a, b, c."""
    return 32 * 32 * 8 / slope(gpu, "banks", "N", 8, 24, sms=1, A=int(a),
                               B=int(b), C=int(c))


def lds(gpu, degree=1):
    return slope(gpu, "shared_chase", "N", 32, 96, DEGREE=int(degree))


def constant(gpu, addresses=1):
    """A load of constants by index, of so many different addresses."""
    return slope(gpu, "constant", "N", 32, 96, DEGREE=int(addresses))


def constant_chase(gpu, kilobytes):
    """A load of constants, line after line of a footprint, time and again."""
    lines = int(kilobytes) * 1024 // 64
    return slope(gpu, "constant", "N", 2 * lines, 4 * lines, STRIDE=64,
                 BYTES=64 * lines)


def constant_step(gpu, kilobytes):
    """What a load takes longer than one that the first cache answers."""
    return constant_chase(gpu, kilobytes) - constant_chase(gpu, 1)


def lds_step(gpu, degree):
    """Cycles each further way of a conflict adds."""
    return (lds(gpu, degree) - lds(gpu, 1)) / (int(degree) - 1)


def remote(gpu):
    """A load from another block of the cluster."""
    return slope(gpu, "remote_chase", "N", 32, 96)


def remote_bytes(gpu, blocks=2, idle=0):
    """Bytes per cycle of an SM that reads the next block's shared memory, as
    all do, or beside idle ones."""
    return 128 * 16 * 8 / slope(gpu, "remote_bandwidth", "N", 8, 24,
                                BLOCKS=int(blocks), IDLE=int(idle))


def lds_rate(gpu, width):
    return 512 * 8 / slope(gpu, "shared_bandwidth", "N", 8, 24, sms=1,
                           WIDTH=int(width))


def lds_bytes(gpu, width):
    return int(width) * lds_rate(gpu, width)


def mix(gpu, ratio, width):
    return 1024 * (int(ratio) + 1) / slope(gpu, "mix", "N", 16, 48, sms=1,
                                           RATIO=int(ratio), WIDTH=int(width))


def chase(gpu, kilobytes):
    """Second pass over the footprint, or the first where no cache can hold
    it."""
    size = int(kilobytes) * 1024
    count = size // 128
    if size > 1.5 * fact(gpu, "l2.bytes") and count > 4096:
        return slope(gpu, "chase", "N", 512, 4096, BYTES=size)
    first = cycles(gpu, "chase", BYTES=size, N=count)
    return (cycles(gpu, "chase", BYTES=size, N=2 * count) - first) / count


def l1_bytes(gpu, width):
    """Bytes per cycle of one SM whose blocks go over what L1 holds."""
    width = int(width)
    blocks, threads = (2 if fact(gpu, "sm.threads_max") >= 2048 else 1), 1024
    while 8 * threads * width * blocks > 0.75 * fact(gpu, "l1.bytes"):
        threads //= 2
    size = 8 * threads * width
    return blocks * size / slope(gpu, "read", "PASSES", 8, 24, sms=1,
                                 WIDTH=width, BYTES=size, BLOCKS=blocks,
                                 THREADS=threads)


def full_blocks(gpu):
    """Blocks of 1024 threads that the chip holds at once."""
    return int(fact(gpu, "chip.sms") * (fact(gpu, "sm.threads_max") // 1024))


def l2_bytes(gpu, megabytes):
    """Bytes per cycle of all SMs reading the same footprint."""
    size = int(float(megabytes) * MB)
    blocks = full_blocks(gpu)
    return blocks * size / slope(gpu, "read", "PASSES", 1, 2, BYTES=size,
                                 BLOCKS=blocks, SHARE=1)


def l2_sweep(gpu, kilobytes):
    """Bytes per cycle of all SMs reading the same footprint together, past
    L1."""
    size = int(kilobytes) << 10
    blocks = full_blocks(gpu)
    each = slope(gpu, "sweep", "STEPS", 16, 32, BYTES=size, BLOCKS=blocks)
    return blocks * 8 * 16384 / each


def l2_gbs(gpu, megabytes):
    return l2_bytes(gpu, megabytes) * fact(gpu, "chip.sm_clock_mhz") / 1e3


def _stream(gpu, sketch, moved, **params):
    blocks = full_blocks(gpu)
    low = 128 << 10
    # the caches hold what is written last: enough must come before
    while sketch == "write" and low * blocks < 1.2 * fact(gpu, "l2.bytes"):
        low *= 2
    each = slope(gpu, sketch, "BYTES", low, 2 * low, BLOCKS=blocks, **params)
    return moved * blocks / each * fact(gpu, "chip.sm_clock_mhz") / 1e3


def dram_read(gpu):
    return _stream(gpu, "read", 1)


def dram_write(gpu):
    return _stream(gpu, "write", 1)


def dram_copy(gpu):
    return _stream(gpu, "write", 2, COPY=1)


def atomic(gpu, lanes=1, words=32, kind=""):
    """A warp's global atomics, each waiting for the one before."""
    return slope(gpu, "atomic", "N", 16, 48, LANES=int(lanes),
                 WORDS=int(words), FLOAT=int(kind == "float"))


def atomic_step(gpu, kind=""):
    """Cycles each further lane at one word adds to it."""
    return (atomic(gpu, 32, 1, kind) - atomic(gpu, 1, 1, kind)) / 31


def atomic_plateau(gpu, words, kind=""):
    """So many words in a line take, over 32 of them."""
    return atomic(gpu, 32, words, kind) / atomic(gpu, 32, 32, kind)


def atomic_clk(gpu, width=4):
    """Lanes of reductions a cycle, of all SMs, each at a word of its own."""
    blocks = 4 * int(fact(gpu, "chip.sms"))
    each = slope(gpu, "atomic_words", "N", 32, 96, BLOCKS=blocks, LINES=2048,
                 WIDTH=int(width))
    return 256 * blocks / each


def atomic_gops(gpu):
    return atomic_clk(gpu) * fact(gpu, "chip.sm_clock_mhz") / 1e3


def atomic_wide(gpu):
    """The rate of 64 bits over that of 32."""
    return atomic_clk(gpu, 8) / atomic_clk(gpu)


def atomic_one_clk(gpu):
    """Warps' reductions a cycle, a lane of each and all at one word."""
    blocks = int(fact(gpu, "chip.sms"))
    each = slope(gpu, "atomic_words", "N", 32, 96, BLOCKS=blocks, LANES=1,
                 WORDS=1)
    return 8 * blocks / each


def atomic_one_gops(gpu):
    """The same of threads, where the compiler has a lane add for its warp."""
    return 32 * atomic_one_clk(gpu) * fact(gpu, "chip.sm_clock_mhz") / 1e3


def atoms_step(gpu):
    """Cycles each further lane at one word adds to a shared atomic."""
    return (slope(gpu, "shared_atomic", "N", 32, 96, SAME=32) -
            slope(gpu, "shared_atomic", "N", 32, 96)) / 31


def barrier(gpu, warps):
    return slope(gpu, "barrier", "N", 16, 48, WARPS=int(warps))


def proxy_fence(gpu, stores):
    """What a fence for copies and products takes behind so many stores."""
    without, with_it = (slope(gpu, "proxy_fence", "N", 8, 24, FENCE=fence,
                              STORES=int(stores)) for fence in (0, 1))
    return with_it - without


def dispatch(gpu, threads):
    """Cycles between two blocks of an empty kernel."""
    return slope(gpu, "empty", "BLOCKS", 16384, 32768, THREADS=int(threads))


def loop(gpu):
    """An iteration of 128 dependent FFMA and four other instructions."""
    return slope(gpu, "ffma_loop", "ITERS", 10, 40)


def icache(gpu, lines):
    """Cycles per FFMA of one warp in a loop of so many lines of 128 bytes."""
    return slope(gpu, "icache", "ROUNDS", 2, 3, LINES=int(lines)) / (
        8 * int(lines))


def icache_share(gpu, kilobytes, warps):
    """The same of warps of an SM, as a share of one FFMA a cycle and
    scheduler."""
    lines, blocks = 8 * int(kilobytes), int(warps) // 4
    each = slope(gpu, "icache", "ROUNDS", 3, 5, sms=1, LINES=lines,
                 BLOCKS=blocks, THREADS=128)
    return 8 * lines * blocks / each


RECIPES = {f.__name__: f for f in (
    latency, throughput, tensor, tensor_rate, gmma, gmma_share, tensor_share,
    banks, constant, constant_chase, constant_step, remote, remote_bytes, lds,
    lds_step, lds_rate, lds_bytes, mix, chase,
    l1_bytes, l2_bytes, l2_gbs, l2_sweep, dram_read, dram_write, dram_copy, atomic,
    atomic_step, atomic_plateau, atomic_clk, atomic_gops, atomic_wide,
    atomic_one_clk, atomic_one_gops, atoms_step, barrier, proxy_fence, dispatch,
    loop, icache, icache_share)}


def measure(row):
    name, *args = row["item"].split(":")
    try:
        row["ours"] = RECIPES[name](row["gpu"], *args)
        row["error"] = 100 * (row["ours"] / float(row["expected"]) - 1)
    except Failed as e:
        row["failed"] = str(e)
    return row


def is_quick(item):
    """Whether a row takes less than some tenths of a second."""
    name, _, rest = item.partition(":")
    slow = ("dram", "l2", "dispatch", "atomic_clk", "atomic_gops",
            "atomic_wide", "atomic_one")
    return not name.startswith(slow) and not (
        name == "chase" and int(rest) > 1024)


def read_rows(gpus, check):
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "micro.csv")
    with open(path, encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(line for line in f
                                   if not line.startswith("#")))
    return [r for r in rows if (not gpus or r["gpu"] in gpus) and
            (not check or (r["bound"] and is_quick(r["item"])))]


def passes(row):
    return "error" in row and (not row["bound"] or
                               abs(row["error"]) <= float(row["bound"]))


def line_of(row, markdown):
    ours = f"{row['ours']:.4g}" if "ours" in row else "failed"
    error = f"{row['error']:+.1f} %" if "error" in row else row["failed"]
    cells = (row["item"], row["expected"], ours, row["unit"], error,
             row["source"])
    if markdown:
        return "| " + " | ".join(cells) + " |"
    return "  {:<16} {:>8} {:>9} {:<12} {:>9}  {}".format(*cells)


def main(argv):
    check, markdown = "--check" in argv, "--markdown" in argv
    gpus = [a for a in argv if not a.startswith("--")]
    rows = in_parallel(measure, read_rows(gpus, check))
    names = list(dict.fromkeys(r["gpu"] for r in rows))
    summaries = {}

    for gpu in names:
        mine = [r for r in rows if r["gpu"] == gpu]
        if not check:
            print(f"\n### {gpu}\n\n| item | expected | ours | unit | error | "
                  "source |\n| --- | --- | --- | --- | --- | --- |"
                  if markdown else f"\n{gpu}")
            for r in mine:
                print(line_of(r, markdown))
        anchors = [r["error"] for r in mine
                   if "error" in r and r["source"][0] in "MVD"]
        summaries[gpu] = summary(anchors)
        if not check:
            print(("\n" if markdown else "") +
                  f"{gpu}: {summaries[gpu]} (measured or vendor's; all "
                  f"{summary([r['error'] for r in mine if 'error' in r])})")
    bad = [r for r in rows if not passes(r)]
    for r in bad:
        print(f"beyond the bound of {r['bound']} %: {r['gpu']} "
              f"{line_of(r, False).strip()}")
    if check:
        print(f"modern micro-benchmarks: Checks: {len(rows)}, Failures: "
              f"{len(bad)}, Errors: 0")
    else:
        write_json("micro.json", {"rows": rows, "summary": summaries})
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
