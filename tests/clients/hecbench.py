#!/usr/bin/env python3
"""HeCBench's CUDA programs under `teg exec`.

    hecbench.py SOURCES [NAME ...]

SOURCES is a checkout of github.com/zjin-lcf/HeCBench.  Each program of PROGRAMS
is built by its own makefile (nvcc needed; for sm_80) and run with small
arguments and without a trace, at most --seconds of processor time: those of
`make run` take a GPU seconds and have a hundred repeats.  NAME: these alone, as
often as one asks; others only once.

What ended how goes to OUT/hecbench.csv as it comes.  A program passed if it
ended with 0 and says nowhere that it failed: most compare with the host.
"""
import argparse
import pathlib
import re
import shutil

from programs import Table, add_options, compile_by, run, unheard

# Folder without `-cuda`, arguments.
PROGRAMS = """
accuracy 128 100 10 1
adam 1000 20 2
adamw 1000 1
addBiasQKV
adjacent 10000 1
adv 7 15 16 1
affine ../affine-cuda/data/CT-MONO2-16-brain.raw result.raw 1
aidw 1 1 1
aligned-types
all-pairs-distance 1
aobench 1
aop -runs 1
asmooth 64 20 9 1
atan2 10000 1
atomicAggregate 1
atomicCAS 1
atomicIntrinsics 10 1
atomicPerf 1
atomicReduction 65536 1
atomicSystemWide 1
attention 1024 64 3 1
attention-paged 1 4 128 128 128 1
attentionMergeState 8 4 128 1
attentionMultiHead 2
axpby 1
babelstream -s 65536 -n 2
background-subtract 128 64 1 6
backprop 1024
bezier-surface -n 256
bgmv --op bgmv_shrink --tokens 1 --hidden 256 --rank 16 --loras 2 --repeat 1
bh 256 1
bilateral 64 48 0.5 0.5 1
bincount 10000 1
bitonic-sort 10 2
blockAccess 64 64 1
blockScan 256 1
boxfilter ../boxfilter-sycl/data/lenaRGB.ppm 1
bscan 1
bsearch 8192 1
btree 1024 1024
burger 64 64 2
bwt 10000
cbsfil 64 64 1
cc ../mis-cuda/internet.egr 1
ccsd-trpdrv 8 16 1
chacha20 1
channelShuffle 2 16 16 1
channelSum 16 16 1
chi2 40 400 20 20 64 1
clock
cmembench 1
cobahh 1000 2
collision 1
colorwheel 10 64 1
complex 1000 1
compute-score -p=1
concurrentKernels 4
contract 8 1
conversion 65536 1
convolution1D 10000 1
convolution3D 2 6 16 14 14 5 1
convolutionSeparable 512 512 1
cooling 1000 2
coordinates 10000 1
crc64 1 5 33554432
cross 10000 1
crs 1 1
d3q19-bgk 1
damage 10000 1
dct8x8 64 64 1
debayer 64 64 1
depixel 64 64 1
dispatch
distort 64 64 0.001 1
divergence input.txt 1
doh 32 64 1
dp4a 65536 1
dropout 65536 1
dwconv 2 16 24 24 1
dxtc2 ../dxtc2-sycl/data/lena_std.ppm ../dxtc2-sycl/data/lena_ref.dds 1
ecdh 1000 1
eigenvalue 64 2
eikonal -s 16
entropy 64 64 1
epistasis 16 64 1
expdist 256 1
extend2 1
f16atomic 4096 1
f8cast 65536 1
fdtd3d --dimx=96 --dimy=96 --dimz=96 --timesteps=1
fft 0 1
fhd 100 1024 1
filter 100000 256 1
flame 1
flip 3 8 1
floydwarshall 32 1 16
fluidSim 1
fpc 16 1
fwt 1
ga 1000 100 11 1
gabor 64 64 1
gamma-correction 64 64 16 1
gaussian -q -s 64
gc ../mis-cuda/internet.egr 1
gelu 2 64 512 1
gemv -s 512 -i 1 -x 32 -y 2
glu 1 64 1
gpp test
groupnorm 2 32 8 8 32 1
gru 64 64 1
haccmk 1
hadamard 1024 1
hausdorff 200 200 1
heat 64 2
heat2d 64 64 2
histogram --i=1
hwt1d 8192 1
interleave 1
intrinsics-cast 1000 1
intrinsics-simd 1000 1
inversek2j ../inversek2j-sycl/coord_in.txt 1
iso2dfd 64 64 2
jaccard 64 64 1
jenkins-hash 256 1000 1
kalman 2 2 3 1
keogh 16 2000 1
kernelLaunch 10
kiss 1
kurtosis 10000 1
langevin 4096 2
laplace3d 32 32 32 1 1
lavaMD -boxes1d 2
layernorm 2 16 768 1
layout 1
lebesgue 1000 1
libor 1
lif 100 32 300
logprob 4 8 512 1
lombscargle 1
lud -s 256
lulesh -i 1 -s 8 -r 11 -b 1 -c 1
mallocFree 1048576
mandelbrot 1
mask 16 16 16 1
matrix-rotate 64 1
matrixT 128 128 1
maxpool3d 64 64 4 1
md 1 1
memcpy 1
merge 1000 1
mergeVS 1
metropolis -l 32 2 -t 4.7 0.1 -a 1 1 2 1 -h 1.0 -z 7919
michalewicz 10000 1
minimod --niters 1 --grid 32 --nsteps 1
minisweep --niterations 1 --ncell_x 4 --ncell_y 4 --ncell_z 4 --ne 4 --na 8 --nblock_z 4
minmax 1000 1
mis internet.egr 1
mixbench 128 1
mlp 1 8 64 64 10 0 0 1
moe 64 384 2 1
moe-sum 4 256 1
morphology 3 3 64 64 1
mrc 1000 1
multinomial 64 256 1
murmurhash3 1000 1
mxfp4 65536 1
nbnxm 1
nbody 256 3
ne 64 64 1
nlll 2048 1000 1
nms detections.txt output.txt 1
nonzero 64 64 1
nosync 65536 1
nqueen 8 3 1
ntt 1
nw 128 10 1
overlap
p4 1
pad -n 64 -a 0.1
page-rank -n 256 -i 1
particle-diffusion 10 1
particlefilter -x 16 -y 16 -z 2 -np 256
particles 1
pathfinder 1000 10 5
pcc 128 16
permute 8 1
perplexity 100 5 1
phmm 1
pns 22 100 100
pointerchase
pointwise 1 1 64 8 1
pool 2 4 16 16 4 4 1
popcount 65536 1
present 10 1
projectile 1
pso 30 10
qem 1
qrg 1
quantAQLM
quantBnB 65536 1
quantVLLM 16 512 1
quicksort 1 256 256
radixsort 1
radixsort2 -keysonly -n=16384
rainflow 100 1
rayleighBenardConvection 1
reaction 1
relu 1000 1
remap 10000 1
reshapeKVCache 8 8 128 1
resize 64 64 32 32 1 1
reverse 2
reverse2D 64 64 1
rfs 1 1000
ring 1 1024 1
rmsnorm 2 1024 1
rodrigues 10000 1
romberg 128 64 1
rotary 1
rowwiseMoments 4 8 8 8 4 1
rushlarsen 1 10
s3d -q -n 1 -s 1
s8n 13 64 1
sampling 1
sc -n 64 -a 0.1
scan 4096 1
scan2 1 65536 256
scan3 1 65536
scatter 1000 1
scatterAdd 1000 32 8 1
scatterThrust 10000 1
scel 64 128 1
secp256k1 1
segment-reduce 64 1
silu 1 2 16 16 1
simplemoc -s 100 -e 8 -n 1
simpleMultiDevice 1
simpleSpmv 1024 128 1
sobol 1000 4 1
softmax 100 784 0 1
softmax-fused 1 2 64 64 1
sort 1 1
sortKV 20000 1
split 65536 1
spm 16 1
srad 1 0.5 502 458
stddev 64 64 1
stencil1d 4096 1
stencil3d 32 1
streamcluster 2 4 16 256 256 10 none output.txt 1
streamCreateCopyDestroy
streamUM 4 64 1
su3 -i 1 -l 4 -t 128 -v 3 -w 1
surfel 64 64 48 1
tensorAccessor 64 64 1
thomas 64 64 64 1
threadfence 1 100000
tissue 2 1
triad --passes 1
tridiagonal -num_systems=128
tsa 64 64 1
tsp d493.tsp 2 1
unfold 1000 1
upsample 1 4 8 8 1
vadd 256 256 1
vanGenuchten 16 16 16 1
vote 1
warpsort 1
wedford 16 16 64 1
winograd
wmma 0 32 32 64 1 1
wyllie 10000 1 1
xsbench -s small -m event -l 100
zeropoint 10000 1
zmddft 1
zoom 1 3 32 64 1
"""
# Stores behind their buffers, which a GPU does not notice; a warp that executes
# 226 million instructions.
OPTIONS = {"histogram": ["--loose"], "quantAQLM": ["--loose"],
           "concurrentKernels": ["--limit=1000"]}
FAILED = r"\bFAIL(ED|URE)?\b|INCORRECT|\bmismatch"


def build(source, work):
    """(program, why not); the tree beside it is the sources' own, for what
    programs include and read of each other."""
    at = work / "src" / source.name
    if at.is_symlink():
        at.unlink()
    if not at.exists():
        shutil.copytree(source, at, symlinks=True)
    for other in source.parent.iterdir():
        link = at.parent / other.name
        if not link.exists():
            link.symlink_to(other)
    makefile = (at / "Makefile").read_text()
    name = re.search(r"^program\s*=\s*(\S+)", makefile, re.M)
    program = at / (name.group(1) if name else "main")
    if program.exists():
        return program, ""
    why = compile_by([["make", "-C", str(at), "ARCH=sm_80",
                       "EXTRA_CFLAGS=-w"]], 300)
    return program, why


def main():
    p = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    add_options(p, "hecbench", 60)
    p.add_argument("--gpu", default="a100")
    a = p.parse_intermixed_args()
    root, work = a.sources.resolve(), a.out.resolve()
    (work / "src").mkdir(parents=True, exist_ok=True)
    teg = str(pathlib.Path(a.teg).resolve())
    table = Table(work / "hecbench.csv", a.names)
    for line in PROGRAMS.strip().splitlines():
        name, *arguments = line.split()
        if name in table or (a.names and name not in a.names):
            continue
        program, why = build(root / "src" / f"{name}-cuda", work)
        if why:
            table.add(name, "not compiled", 0, why)
            continue
        outcome, spent, said, printed = run(
            teg, a.gpu, [f"./{program.name}", *arguments], program.parent,
            a.seconds, ["--no-trace", *OPTIONS.get(name, [])])
        outcome = unheard(outcome, said)
        if outcome == "passed" and re.search(FAILED, printed):
            outcome = "failed"
        table.add(name, outcome, spent, said)
    table.summary()


if __name__ == "__main__":
    main()
