#!/usr/bin/env python3
"""PolyBench and Rodinia as they are, under `teg exec`.

    suites.py polybench|rodinia SOURCES [NAME ...]

SOURCES is a checkout of github.com/cavazos-lab/PolyBench-ACC or of
github.com/yuhc/gpu-rodinia.  Each program is built by its own makefile in a
copy of its folder, for --arch in place of generations that nvcc no longer
compiles for and with cudaThreadSynchronize, which CUDA 13 no longer has, as
another name of cudaDeviceSynchronize, and run without a trace with the arguments of the suite's
own `run` file, at most --seconds of processor time; one that does not end, or fails, then
with the smaller ones of the table below.  PolyBench's are built with
-DRUN_ON_CPU, so that they compare with the CPU, and where they do not end then
with -DMINI_DATASET.  Rodinia's input files are not in its repository: those
that are numbers in a row are made here, the others are missing.

What ended how goes to OUT/SUITE.csv as it comes: what stands there is not built
or run again.
"""
import argparse
import os
import pathlib
import random
import re
import shutil

from programs import Table, add_options, compile_by, run, unheard

GENERATIONS = (r"-arch[= ]*sm_\d+|--gpu-name sm_\d+|"
               r"--gpu-architecture=compute_\d+ --gpu-code=compute_\d+")
RENAMED = "-DcudaThreadSynchronize=cudaDeviceSynchronize"


def numbers(path, count, low, high, form="{}"):
    rng = random.Random(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        for _ in range(count):
            f.write(form.format(rng.uniform(low, high)) + "\n")


def graph(path, nodes):
    "As bfs reads one: nodes with their first edge and how many, a source, edges."
    rng = random.Random(1)
    edges = [[rng.randrange(nodes) for _ in range(rng.randint(2, 8))]
             for _ in range(nodes)]
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{nodes}\n")
        first = 0
        for e in edges:
            f.write(f"{first} {len(e)}\n")
            first += len(e)
        f.write(f"\n0\n\n{first}\n")
        for e in edges:
            f.writelines(f"{to} 1\n" for to in e)


def tree(folder):
    rng = random.Random(1)
    folder.mkdir(parents=True, exist_ok=True)
    keys = list(range(20000))
    rng.shuffle(keys)
    (folder / "mil.txt").write_text("20000\n" + "\n".join(map(str, keys)) + "\n")
    (folder / "command.txt").write_text("j 600 300\n\nk 1000\n")


def points(path, count, features):
    rng = random.Random(1)
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        for i in range(count):
            f.write(" ".join([str(i)] + [f"{rng.random():.4f}"
                                         for _ in range(features)]) + "\n")


def make_data(data):
    graph(data / "bfs/graph65536.txt", 65536)
    graph(data / "bfs/graph4096.txt", 4096)
    for side in (128, 512):
        numbers(data / f"hotspot/temp_{side}", side * side, 320, 340)
        numbers(data / f"hotspot/power_{side}", side * side, 0, 0.01)
    for side in (64, 512):
        numbers(data / f"hotspot3D/temp_{side}x8", side * side * 8, 320, 340)
        numbers(data / f"hotspot3D/power_{side}x8", side * side * 8, 0, 0.01)
    tree(data / "b+tree")
    points(data / "kmeans/kdd_cup", 8192, 34)


# name, folder below cuda/, program, arguments of `run`, smaller ones
RODINIA = [
    ("b+tree", "b+tree", "b+tree.out", "file ../../data/b+tree/mil.txt "
     "command ../../data/b+tree/command.txt", None),
    ("backprop", "backprop", "backprop", "2097152", "65536"),
    ("bfs", "bfs", "bfs.out", "../../data/bfs/graph65536.txt",
     "../../data/bfs/graph4096.txt"),
    ("cfd", "cfd", "euler3d", "../../data/cfd/fvcorr.domn.097K", None),
    ("dwt2d", "dwt2d", "dwt2d", "192.bmp -d 192x192 -f -5 -l 3", None),
    ("gaussian", "gaussian", "gaussian", "-s 16", None),
    ("heartwall", "heartwall", "heartwall", "../../data/heartwall/test.avi 20",
     None),
    ("hotspot", "hotspot", "hotspot", "512 2 2 ../../data/hotspot/temp_512 "
     "../../data/hotspot/power_512 output.out", None),
    ("hotspot3D", "hotspot3D", "3D", "512 8 100 "
     "../../data/hotspot3D/power_512x8 ../../data/hotspot3D/temp_512x8 "
     "output.out", "64 8 10 ../../data/hotspot3D/power_64x8 "
     "../../data/hotspot3D/temp_64x8 output.out"),
    ("huffman", "huffman", "pavle",
     "../../data/huffman/test1024_H2.206587175259.in", None),
    ("hybridsort", "hybridsort", "hybridsort", "r", None),
    ("kmeans", "kmeans", "kmeans", "-o -i ../../data/kmeans/kdd_cup", None),
    ("lavaMD", "lavaMD", "lavaMD", "-boxes1d 10", "-boxes1d 2"),
    ("leukocyte", "leukocyte", "CUDA/leukocyte",
     "../../data/leukocyte/testfile.avi 5", None),
    ("lud", "lud", "cuda/lud_cuda", "-s 256 -v", None),
    ("mummergpu", "mummergpu", "bin/mummergpu",
     "../../data/mummergpu/NC_003997.fna "
     "../../data/mummergpu/NC_003997_q100bp.fna", None),
    ("myocyte", "myocyte", "myocyte.out", "100 1 0", "1 1 0"),
    ("nn", "nn", "nn", "filelist_4 -r 5 -lat 30 -lng 90", None),
    ("nw", "nw", "needle", "2048 10", "256 10"),
    ("particlefilter naive", "particlefilter", "particlefilter_naive",
     "-x 128 -y 128 -z 10 -np 1000", "-x 64 -y 64 -z 5 -np 256"),
    ("particlefilter float", "particlefilter", "particlefilter_float",
     "-x 128 -y 128 -z 10 -np 1000", "-x 64 -y 64 -z 5 -np 256"),
    ("pathfinder", "pathfinder", "pathfinder", "100000 100 20", "5000 50 10"),
    ("srad_v1", "srad/srad_v1", "srad", "100 0.5 502 458", "4 0.5 128 128"),
    ("srad_v2", "srad/srad_v2", "srad", "2048 2048 0 127 0 127 0.5 2",
     "128 128 0 31 0 31 0.5 2"),
    ("streamcluster", "streamcluster", "sc_gpu",
     "10 20 256 65536 65536 1000 none output.txt 1",
     "10 20 16 512 512 100 none output.txt 1"),
]


def modernise(folder):
    """Without generations that nvcc 13 does not know, and with the library that C
    needs to link C++; sources stay as they are."""
    for path in folder.rglob("*akefile*"):
        if path.is_file():
            text = path.read_text(errors="replace")
            text = re.sub(GENERATIONS, "", text)
            path.write_text(text.replace("-lcudart", "-lcudart -lstdc++"))


def rodinia(a, out, wanted):
    for shared in ("common", "cuda/util"):
        if not (out / shared).exists():
            shutil.copytree(a.sources / shared, out / shared)
    if not (out / "data").exists():
        make_data(out / "data")
    for name, folder, program, args, less in RODINIA:
        if not wanted(name):
            continue
        at = out / "cuda" / folder
        top = out / "cuda" / folder.split("/")[0]
        if not top.exists():
            shutil.copytree(a.sources / "cuda" / folder.split("/")[0], top)
            modernise(top)
        (at / program).unlink(missing_ok=True)  # one came with the sources
        why = compile_by([["make", "-B", "-C", at, "CUDA_DIR=/usr/local/cuda"]], 600)
        if not (at / program).exists():
            yield name, ("not built", 0, why or "makes no program")
            continue
        outcome = run(a.teg, a.gpu, [f"./{program}", *args.split()], at,
                      a.seconds)
        used = args
        if outcome[0] in ("not ended", "failed") and less:
            used = less
            outcome = run(a.teg, a.gpu, [f"./{program}", *less.split()], at,
                          a.seconds)
        yield name, (unheard(outcome[0], outcome[2]), outcome[1],
                     f"{used}: {outcome[2]}")


def polybench(a, out, wanted):
    for source in sorted(a.sources.glob("CUDA/**/*.cu")):
        name = source.stem
        if not wanted(name):
            continue
        for size in ([], ["-DMINI_DATASET"]):
            program = out / name
            why = compile_by([[
                "nvcc", "-O3", "-DRUN_ON_CPU", *size,
                f"-I{a.sources}/CUDA/utilities", f"-I{a.sources}/common",
                "-o", str(program), str(source)]], 300)
            if why:
                yield name, ("not built", 0, why)
                break
            outcome, spent, said, printed = run(a.teg, a.gpu, [str(program)],
                                                out, a.seconds)
            if outcome == "not ended" and not size:
                continue
            differ = re.search(r"Non-Matching.*: *(\d+)", printed)
            if outcome == "passed" and differ and differ.group(1) != "0":
                outcome = "failed"
            said = differ.group(0) if differ else said
            yield name, (outcome, spent, " ".join([*size, said]))
            break


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    p.add_argument("suite", choices=("polybench", "rodinia"))
    add_options(p, "suites", 60)
    p.add_argument("--gpu", default="a100")
    p.add_argument("--arch", default="80")
    a = p.parse_args()
    a.sources, out = a.sources.resolve(), a.out.resolve() / a.suite
    a.teg = str(pathlib.Path(a.teg).resolve())
    out.mkdir(parents=True, exist_ok=True)
    # which nvcc reads, whatever calls it
    os.environ["NVCC_PREPEND_FLAGS"] = f"-arch=sm_{a.arch} {RENAMED} -w"
    table = Table(out.with_suffix(".csv"), a.names)

    def wanted(name):
        return name not in table and (not a.names or name in a.names)
    programs = polybench if a.suite == "polybench" else rodinia
    for name, (outcome, seconds, said) in programs(a, out, wanted):
        table.add(name, outcome, seconds, said)
    table.summary()


if __name__ == "__main__":
    main()
