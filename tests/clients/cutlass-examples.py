#!/usr/bin/env python3
"""CUTLASS's examples under `teg exec`.

    cutlass-examples.py SOURCES [NAME ...]

SOURCES is a checkout of github.com/NVIDIA/cutlass.  Each file of examples/ that
has a main and is for sm_75 to sm_120a (by its folder's name) is compiled by nvcc
alone and run without a trace, at first as it is, at most --seconds of processor
time; one that does not end then again with small sizes for those options that
its source or a header beside it reads (SMALL).  NAME: folder/file or a part of it.

What ended how goes to OUT/examples.csv as it comes: what stands there is not
compiled or run again.  An example passed if it ended with 0 and says nowhere
that it failed: that is its own verification, where it has one.
"""
import argparse
import pathlib
import re

from programs import Table, add_options, compile_by, run, unheard

# What the folder's and the file's name say; the GPU that it runs on.
CHIPS = [("sm75", "75", "t4"), ("blackwell_geforce", "120a", "rtx5090"),
         ("blackwell", "100a", "b200"), ("fp4_gemv", "100a", "b200"),
         ("hopper", "90a", "h100"), ("ada", "89", "rtx4090"),
         ("ampere", "80", "a100"), ("turing", "75", "t4"),
         ("", "80", "a100")]
# Volta's products are for sm_70, which nvcc 13 does not compile for.
NOT_HERE = "sm103|distributed|volta"
SMALL = {"m": 256, "n": 256, "k": 256, "l": 1, "iterations": 1, "groups": 2,
         "batch": 1, "batch_size": 1, "batch_count": 1}
# Convolutions read other letters.
SMALL_CONVOLUTION = {"n": 1, "h": 16, "w": 16, "c": 64, "k": 64, "r": 3, "s": 3,
                     "d": 4, "t": 3, "iterations": 1}
# Attention: batches, heads, lengths.
SMALL_ATTENTION = {"b": 1, "h": 2, "q": 256, "k": 256, "iterations": 1,
                   "warmup_iterations": 0}
# What their makefiles define.
DEFINED = {"77_blackwell_mla": ["-DFP16"]}
# Those that only say how they are used without arguments, whose own sizes they do
# not take, or that divide sizes.
GIVEN = {
    "51_hopper_gett": ["--modeC=m,n,l", "--modeA=m,k,l", "--modeB=k,n,l",
                       "--extents=m:256,n:256,k:256,l:2"],
    "53_hopper_gemm_permute": ["--m=512", "--n=512", "--k=512",
                               "--batch_size=8", "--iterations=1"],
    "112_blackwell_ssd": ["--G=1", "--B=1", "--H=1", "--iterations=1"]}
# Whose four warps free one piece of tensor memory, each by itself: it goes well
# if they do so at once.
EXEC = {"112_blackwell_ssd": ["--interleave=steps"]}
OPTION = (r'(?:get_cmd_line_argument|check_cmd_line_flag|get_int_ranges<int>)'
          r'\((?:cmd,)?\s*"(\w+)"')


def options_of(source, text):
    "Small sizes of what the source reads."
    read = set(re.findall(OPTION, text))
    small = (SMALL_CONVOLUTION if {"h", "w", "c"} <= read else
             SMALL_ATTENTION if {"b", "k"} <= read else SMALL)
    if '"input' in text and "conv" in source.name:
        return ["--n=1", "--h=16", "--w=16", "--c=64", "--k=64"]
    return [f"--{name}={value}" for name, value in small.items()
            if name in read]


def chip_of(name):
    return next((sm, gpu) for word, sm, gpu in CHIPS if word in name)


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add_options(p, "cutlass", 120)
    p.add_argument("--compile-seconds", type=int, default=900)
    a = p.parse_intermixed_args()
    root, out = a.sources.resolve(), a.out.resolve()
    out.mkdir(parents=True, exist_ok=True)
    teg = str(pathlib.Path(a.teg).resolve())
    table = Table(out / "examples.csv")
    for source in sorted(root.glob("examples/[0-9]*/*.cu")):
        text = source.read_text(errors="replace")
        folder = source.parent.name
        for header in source.parent.glob("*.h*"):
            if f'"{header.name}"' in text:
                text += header.read_text(errors="replace")
        name = f"{folder}/{source.stem}"
        if re.search(NOT_HERE, folder) or not re.search(r"\bmain\(", text):
            continue
        if (not any(n in name for n in a.names) if a.names
                else name in table):
            continue
        sm, gpu = chip_of(name)
        program = out / name.replace("/", "-")
        others = [str(f) for f in source.parent.glob("*.cpp")]
        why = compile_by([[
            "nvcc", "-std=c++17", "-w",
            # no PTX: -arch=sm_90a makes some of compute_90, which has less
            "-gencode", f"arch=compute_{sm},code=sm_{sm}",
            "--expt-relaxed-constexpr", "--expt-extended-lambda",
            f"-I{root}/include", f"-I{root}/tools/util/include",
            f"-I{root}/examples/common", f"-I{source.parent}",
            *DEFINED.get(source.stem, []),
            "-o", str(program), str(source), *others, "-lcuda"]],
            a.compile_seconds)
        if why:
            table.add(name, "not compiled", 0, why)
            continue
        checks = (["--verify"] if 'check_cmd_line_flag("verify")' in text
                  else [])
        how = GIVEN.get(folder, []) + checks
        options = ["--no-trace", *EXEC.get(folder, [])]
        outcome, spent, said, printed = run(teg, gpu, [str(program), *how],
                                            out, a.seconds, options)
        if outcome == "not ended" and (how := options_of(source, text)):
            how += checks
            outcome, spent, said, printed = run(
                teg, gpu, [str(program), *how], out, a.seconds, options)
        outcome = unheard(outcome, said)
        if outcome == "passed" and re.search(r"must be (run|compiled)|requires|"
                                             r"isn't supported", printed + said):
            outcome = "waived"
        elif outcome == "passed" and re.search(
                r"\b(failed|incorrect|not equal)", printed, re.I):
            outcome = "failed"
        table.add(name, outcome, spent, " ".join([*how, said]))
        if outcome == "passed":
            program.unlink()
    table.summary()


if __name__ == "__main__":
    main()
