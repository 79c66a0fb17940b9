#!/bin/sh
# The emulator of this build beside that of an earlier one:
# tools/bench/emulator.sh TEG COMMIT
#
# For kernels of the fixtures, on one thread, without and with a trace: the
# host instructions of a warp instruction by callgrind, where valgrind is
# installed (the same on every machine, whatever else runs there), and processor
# seconds, the least of five runs each, in turns; ratios below 1: this build is
# faster.
set -eu
cd "$(dirname "$0")/../.."
. tools/bench/turns.sh
new=$1 commit=$2
old=$(tools/bench/earlier.sh "$commit") || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The kernel, its cubin or fatbin, how large for callgrind and for the clock
# (# in the arguments), and the arguments.
kernels() {
    cat <<'END'
fma_chains bench.sm_80.cubin 40 4000 --grid 64 --block 256 -a buf:f32:16384:zeros -a f32:0.5 -a f32:1 -a i32:#
triad bench.sm_80.cubin 40000 4194304 --grid 64 --block 256 -a buf:f32:#:iota -a buf:f32:#:iota -a buf:f32:#:zeros -a f32:2 -a i32:#
products bench.sm_80.cubin 2 100 --grid 64 --block 256 -a buf:u32:192:zeros -a buf:f32:16384:zeros -a i32:#
matmul_tiled kernels/k04_matmul_tiled.fatbin 64 512 --grid 32,32 --block 16,16 -a buf:f32:262144:random -a buf:f32:262144:random -a buf:f32:262144:zeros -a i32:# -a i32:# -a i32:#
reduce_i kernels/k06_reduce.fatbin 524288 8388608 --grid 128 --block 256 -a buf:i32:#:iota -a buf:i32:256:zeros -a i32:#
bitonic_block kernels/k14_bitonic.fatbin 32 1000 --grid # --block 256 --shared 2048 -a buf:u32:512:random -a i32:512
END
}

over() { awk -v a="$1" -v b="$2" -v f="$3" 'BEGIN {printf(b > 0 ? f : "n/a", b > 0 ? a / b : 0)}'; }

echo "the emulator beside $commit, $(git log -1 --format=%cs "$commit"), one thread"
printf '%-20s %10s %28s %6s %20s %6s\n' kernel 'warp instr' \
    'host instr each: was, now' ratio 's: was, now' ratio
kernels | while read -r name file small large arguments; do
    for trace in '' "-o $work/k.tegt"; do
        # shellcheck disable=SC2086
        set -- trace "tests/fixtures/$file" --arch sm_80 --kernel "$name" -j 1 $trace
        # shellcheck disable=SC2046
        set -- "$@" $(echo "$arguments" | sed "s/#/$small/g")
        count=$("$new" "$@" --timing 2>&1 >/dev/null |
            sed -n 's/^timing: .* \([0-9]*\) warp instructions.*/\1/p')
        i_was=$(instructions "$old" "$@") i_now=$(instructions "$new" "$@")
        # shellcheck disable=SC2086
        set -- trace "tests/fixtures/$file" --arch sm_80 --kernel "$name" -j 1 $trace
        # shellcheck disable=SC2046
        set -- "$@" $(echo "$arguments" | sed "s/#/$large/g")
        in_turns "$@"
        printf '%-20s %10s %14s %13s %6s %10s %9s %6s\n' \
            "$name${trace:+, traced}" "$count" \
            "$(over "${i_was:-0}" "$count" %.1f)" \
            "$(over "${i_now:-0}" "$count" %.1f)" \
            "$(over "${i_now:-0}" "${i_was:-0}" %.2f)" "$was" "$now" \
            "$(over "$now" "$was" %.2f)"
    done
done
