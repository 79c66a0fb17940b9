#!/bin/sh
# Simulated warp instructions per second and peak memory: tools/bench.sh TEG
#
# For each kernel sketch: its expansion as .tegt at once and ten times as long
# (peak memory is that of the blocks resident at once: it only grows where the
# short kernel does not fill the chip), the same from NVBit text, and how many
# bytes a warp instruction takes in a .tegt and in the text compressed by xz.
# Then the report page of each: seconds to make it, and its size.
# Then thread instructions the emulator runs per second of one core, with and
# without writing the trace; of clients that were run, the share of their time
# that is emulation; and points per second of a 1,000-point sweep, by
# number of workers.
set -eu
cd "$(dirname "$0")/.."
teg=${1:-build/release/teg}
gpu=${2:-v100}
# A kernel and the number of blocks that makes it ten times as long.
kernels="compute:1600 stream:163840 matmul:3600 uncoalesced:20480"
out=build/bench
mkdir -p $out

cores=$(getconf _NPROCESSORS_ONLN)

# Replays a trace on $2 threads; prints "instructions k/s MB" from --timing.
replay() {
    "$teg" run "$1" -g "$gpu" -j "$2" --exact --timing -f csv -o /dev/null 2>$out/timing
    sed -n 's/^timing: .* s, \([0-9]*\) warp instructions, \([0-9.]*\) k.s, \([0-9.]*\) MB peak$/\1 \2 \3/p' \
        $out/timing
}

bytes_each() {
    awk -v b="$(wc -c <"$1")" -v n="$2" 'BEGIN {printf "%.3f", b / n}'
}

echo "replay on $gpu, one thread, and the long kernel on all $cores cores"
printf '%-12s %12s %10s %8s %14s %8s %8s %8s %10s %8s %8s %8s\n' kernel \
    'warp instr' 'k/s .tegt' MB '10x: instr' k/s 'k/s all' MB 'k/s text' MB \
    'B .tegt' 'B .xz'
for entry in $kernels; do
    k=${entry%:*}
    sketch=tests/kernels/sm70/$k.sketch
    "$teg" convert $sketch $out/$k.tegt
    set -- $(replay $out/$k.tegt 1)
    instructions=$1 rate=$2 peak=$3
    "$teg" convert $sketch $out/long.tegt --param "BLOCKS=${entry#*:}"
    set -- $(replay $out/long.tegt 1)
    long=$1 long_rate=$2 long_peak=$3
    set -- $(replay $out/long.tegt "$cores")
    all_rate=$2
    "$teg" convert $out/$k.tegt $out/$k.traceg
    set -- $(replay $out/$k.traceg 1)
    text_rate=$2 text_peak=$3
    xz_bytes=n/a
    if command -v xz >/dev/null 2>&1; then
        xz -6 -k -f $out/$k.traceg
        xz_bytes=$(bytes_each $out/$k.traceg.xz "$instructions")
    fi
    printf '%-12s %12s %10s %8s %14s %8s %8s %8s %10s %8s %8s %8s\n' $k \
        "$instructions" "$rate" "$peak" "$long" "$long_rate" "$all_rate" \
        "$long_peak" "$text_rate" "$text_peak" "$(bytes_each $out/$k.tegt "$instructions")" "$xz_bytes"
    rm -f $out/long.tegt $out/$k.traceg $out/$k.traceg.xz
done

echo
echo "report page on $gpu"
printf '%-12s %8s %10s\n' kernel seconds bytes
for entry in $kernels; do
    k=${entry%:*}
    start=$(date +%s%N)
    "$teg" report $out/$k.tegt -g "$gpu" -o $out/$k.html 2>/dev/null
    awk -v k=$k -v t=$((($(date +%s%N) - start) / 1000)) \
        -v b="$(wc -c <$out/$k.html)" \
        'BEGIN {printf "%-12s %8.2f %10d\n", k, t / 1e6, b}'
    rm -f $out/$k.html
done

# Kernels of tests/fixtures/bench.cu, whose arguments follow the name.
emulate() {
    kernel=$1
    shift
    "$teg" trace tests/fixtures/bench.sm_80.cubin --kernel "$kernel" \
        --grid 64 --block 256 -j 1 --timing "$@" 2>$out/timing
    sed -n 's/^timing: .* \([0-9.]*\) M thread.*$/\1/p' $out/timing
}
bench_kernel() {
    alone=$(emulate "$@")
    traced=$(emulate "$@" -o $out/emulated.tegt)
    printf '%-12s %20s %20s\n' "$1" "$alone" "$traced"
    rm -f $out/emulated.tegt
}
echo
echo "emulation, one core: million thread instructions per second"
printf '%-12s %20s %20s\n' kernel 'results only' 'with trace'
bench_kernel fma_chains -a buf:f32:16384:zeros -a f32:0.5 -a f32:1 -a i32:4000
bench_kernel triad -a buf:f32:4194304:iota -a buf:f32:4194304:iota \
    -a buf:f32:4194304:zeros -a f32:2 -a i32:4194304
bench_kernel products -a buf:u32:192:zeros -a buf:f32:16384:zeros -a i32:200

echo
echo "clients (make check-clients): processor seconds under teg exec, % of them emulation"
for log in "${CLIENTS:-build/clients}"/*.txt; do
    [ -e "$log" ] || { echo 'no client was run'; break; }
    sed -n "s|^timing: \\([0-9.]*\\) s of processor time: \\([0-9.]*\\) % emulation.*|$(basename "$log" .txt) \\1 \\2|p" "$log"
done | awk '{if (NF == 3) printf "%-16s %10.1f %8.1f\n", $1, $2, $3; else print}'

# A sweep of a small kernel, start-up, journal and result included.
points="$out/points.json"
sweep() {
    rm -f "$points.partial"
    start=$(date +%s%N)
    "$teg" sweep "$1" -g "$gpu" --vary dram.latency=500:1499:1 --jobs "$2" \
        -f json -o "$points"
    echo $((($(date +%s%N) - start) / 1000))
}
echo
echo "sweep of 1,000 points on $gpu"
printf '%-12s %8s %12s %10s\n' kernel workers points/s scaling
for k in ffma_chain reduction; do
    sketch=tests/kernels/sm70/$k.sketch
    alone=
    jobs=1
    while :; do
        took=$(sweep $sketch $jobs)
        alone=${alone:-$took}
        awk -v k=$k -v j=$jobs -v t="$took" -v a="$alone" 'BEGIN {
            printf "%-12s %8d %12.0f %9.2fx\n", k, j, 1e9 / t, a / t}'
        [ "$jobs" -lt "$cores" ] || break
        jobs=$((2 * jobs < cores ? 2 * jobs : cores))
    done
done
rm -f "$points"
