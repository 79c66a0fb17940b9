#!/bin/sh
# How far sampled cycles are from the full simulation's: tools/sampling.sh
#
# For each case: waves, cycles of the full simulation and of the sample, error,
# the bound that the sample states, and the share of the warp instructions that
# was simulated. Exit status 1 if an error is beyond its bound. A quarter of an hour.
#
# The method was made on the first 24 cases, the part of the bound for followers
# in step on these and the next 25; the last 22 check both.
#
# With nvcc there are also kernels of tools/sampling/compiled.cu, on four GPUs each.
#
# With FILTER, an extended regular expression, only those cases whose line it
# matches: tools/sampling.sh build/release/teg 'stream|rtx2080ti'
set -eu
cd "$(dirname "$0")/.."
teg=${1:-build/release/teg}
filter=${2:-.}
shared=../shared/traces

# kernel GPU options
cases() {
    cat <<'END'
sm70/compute v100 -p BLOCKS=13000 -p ITER=2
sm70/compute gtx1080ti -p BLOCKS=8000 -p ITER=2
sm70/uncoalesced v100 -p BLOCKS=13000
sm70/stream v100 -p BLOCKS=16384
sm70/stream v100 -p BLOCKS=30000
sm70/stream v100 -p BLOCKS=65536
sm70/stream rtx2080ti -p BLOCKS=12000
sm70/stream rtx3070 -p BLOCKS=16000
sm70/stream a100 -p BLOCKS=30000
sm70/reduction v100 -p BLOCKS=16000
sm70/matmul v100 -p BLOCKS=12000 -p K=32
sampling/gather v100 -p BYTES=2097152
sampling/gather v100 -p BYTES=67108864
sampling/gather rtx2080ti -p BYTES=4194304
sampling/irregular v100 -p BLOCKS=40000
sampling/irregular rtx2080ti -p BLOCKS=16384
sampling/irregular t4 -p ROUNDS=200 -p BLOCKS=12000
sampling/ramp v100 -p BLOCKS=16384 -p ROUNDS=16
sampling/ramp t4 -p BLOCKS=8192 -p ROUNDS=16
sampling/tail t4 -p BLOCKS=12000
sampling/tail v100 -p BLOCKS=24000 -p LAST=200
sampling/stencil v100 -p ROWS=2048
sampling/stencil t4 -p ROWS=1024
END
    [ ! -d $shared ] || echo \
        "$(find $shared/sm_75 -name 'vectoradd-4096x256*' | head -1) t4"
    cat <<'END'
sm70/matmul a100 -p BLOCKS=15000 -p K=64
sm70/matmul rtx3070 -p BLOCKS=6000 -p K=48
sm70/matmul v100 -p BLOCKS=12000 -p K=128
sm70/matmul t4 -p BLOCKS=4000 -p K=64
sm70/reduction t4 -p BLOCKS=6000
sm70/reduction h100 -p BLOCKS=22000
sampling/stencil a100 -p ROWS=2048
sampling/stencil rtx2080ti -p ROWS=1024
sm70/uncoalesced rtx3070 -p BLOCKS=6000
sm70/compute h100 -p BLOCKS=24000 -p ITER=1
sm70/compute rtx4090 -p BLOCKS=16000 -p ITER=1
sampling/gather a100 -p BYTES=33554432 -p BLOCKS=20000
sampling/gather h100pcie -p BYTES=8388608 -p BLOCKS=20000
sampling/gather t4 -p BYTES=2097152 -p BLOCKS=8000
sampling/irregular rtx3070 -p BLOCKS=12000
sampling/irregular a100 -p BLOCKS=24000 -p ROUNDS=60
sampling/ramp a100 -p BLOCKS=20000 -p ROUNDS=12
sampling/tail rtx3070 -p BLOCKS=10000
sampling/tail a100 -p BLOCKS=24000 -p EVERY=11
sm70/stream h100pcie -p BLOCKS=24000
sm70/stream gtx1080ti -p BLOCKS=6000
sm70/stream p100 -p BLOCKS=12000
sm70/stream titanxp -p BLOCKS=8000
sm70/stream gtx680 -p BLOCKS=3000
sm70/stream k20 -p BLOCKS=4000
sm70/matmul h100 -p BLOCKS=20000 -p K=48
sm70/matmul rtx2080ti -p BLOCKS=9000 -p K=80
sm70/matmul a40 -p BLOCKS=10500 -p K=32
sm70/reduction rtx2070super -p BLOCKS=5000
sm70/reduction a6000 -p BLOCKS=12000
sampling/stencil rtx4090 -p ROWS=3000
sampling/stencil p100 -p ROWS=1500
sm70/uncoalesced t4 -p BLOCKS=4000
sm70/compute rtx2070super -p BLOCKS=5000 -p ITER=1
sampling/gather v100 -p BYTES=8388608
sampling/gather rtx3070 -p BYTES=4194304 -p BLOCKS=8000
sampling/gather rtx2070super -p BYTES=4194304 -p BLOCKS=6000
sampling/irregular rtx2070super -p BLOCKS=12000
sampling/irregular h100 -p BLOCKS=40000
sampling/ramp rtx3070 -p BLOCKS=10000 -p ROUNDS=20
sampling/ramp h100pcie -p BLOCKS=20000 -p ROUNDS=10
sampling/tail rtx2080ti -p BLOCKS=12000 -p EVERY=5
sampling/tail v100 -p BLOCKS=20000 -p EVERY=100 -p LONG=30
sm70/stream t4 -p BLOCKS=6000
sm70/stream a40 -p BLOCKS=15000
sm70/stream rtx2070super -p BLOCKS=5000
sm70/stream h200 -p BLOCKS=30000
END
}

# Traces kernel $1 with teg trace's other arguments.
trace() {
    kernel=$1
    shift
    "$teg" trace "$work/compiled.cubin" --kernel "$kernel" "$@" \
        -o "$work/$kernel.tegt" >"$work/said" 2>&1 || {
        cat "$work/said" >&2
        exit 1
    }
    for gpu in rtx2070super v100 a100 rtx3070; do
        echo "$work/$kernel.tegt $gpu"
    done
}

# Of sides of 2048 elements.
compiled() {
    command -v nvcc >/dev/null || return 0
    nvcc -cubin -arch=sm_75 -o "$work/compiled.cubin" tools/sampling/compiled.cu
    n=4194304
    trace convolve --grid 64,512 --block 32,4 -a buf:f32:$n:iota \
        -a buf:f32:$n:zeros -a i32:2048
    trace multiply --grid 128,128 --block 16,16 -a buf:f32:262144:iota \
        -a buf:f32:262144:iota -a buf:f32:$n:zeros -a i32:2048 -a i32:128
    trace transpose --grid 64,256 --block 32,8 -a buf:f32:$n:iota \
        -a buf:f32:$n:zeros -a i32:2048
    trace histogram --grid 16384 --block 256 -a buf:i32:$n:random \
        -a buf:i32:1024:zeros -a i32:$n
}

cycles() {
    sed -n 's/^.*"cycles":\([0-9]*\),"time_us.*/\1/p' "$1"
}

member() {
    sed -n "s/^.*\"$1\":\([0-9.]*\).*/\1/p" "$2"
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0 worst=0
printf '%-44s %6s %12s %12s %8s %7s %9s\n' 'kernel, GPU' waves \
    'full, cycles' sampled error bound simulated
{ cases && compiled; } >"$work/all"
grep -E "$filter" "$work/all" >"$work/cases"
while read -r kernel gpu options; do
    case $kernel in
    /* | ../*) path=$kernel ;;
    sampling/*) path=tools/$kernel.sketch ;;
    *) path=tests/kernels/$kernel.sketch ;;
    esac
    "$teg" sweep "$path" -g "$gpu" $options --exact -j 1 -f json >"$work/full"
    "$teg" sweep "$path" -g "$gpu" $options --sample -j 1 -f json \
        >"$work/part"
    full=$(cycles "$work/full") part=$(cycles "$work/part")
    bound=$(member error_bound_percent "$work/part")
    name=$(basename "$kernel" | sed 's/\..*//')
    name="$name $gpu $(echo "$options" | sed 's/-p //g')"
    if [ -z "$bound" ]; then
        printf '%-44s %6s %12s %12s\n' "$name" '' "$full" 'in full'
        continue
    fi
    awk -v name="$name" -v w="$(member waves "$work/part")" -v f="$full" \
        -v p="$part" -v b="$bound" \
        -v s="$(member simulated_percent "$work/part")" 'BEGIN {
        e = 100 * (p / f - 1)
        out = e > b || -e > b
        printf "%-44s %6.1f %12d %12d %+7.2f%% %6.2f%% %8.1f%%%s\n", name, w, f,
            p, e, b, s, out ? "  BEYOND" : ""
        exit out}' || status=1
done <"$work/cases"
exit $status
