#!/bin/sh
# Whether two builds of teg say the same: runs some 300 commands with both and
# compares standard output, files written and exit status byte by byte.
#
#     tools/same.sh OLD/teg NEW/teg
#
# For changes that may change no result.  Each command's OUT is a file to be
# written.  Standard error is not compared.  Each program reads the descriptions
# beside it; a sweep's digest stands for them and is left out.  SAME_FILTER, a
# sed script, may leave out more on both sides.
old=$1 new=$2
[ -x "$old" ] && [ -x "$new" ] || { echo "usage: $0 OLD/teg NEW/teg" >&2; exit 2; }
cd "$(dirname "$0")/.." || exit 2
work=$(mktemp -d) || exit 2
trap 'rm -rf "$work"' EXIT
compared=0 differ=0

both() {
    for side in old new; do
        eval "teg=\$$side"
        rm -f "$work/out" "$work/OUT"
        # shellcheck disable=SC2086
        (set -f; "$teg" $(echo "$*" | sed "s|OUT|$work/OUT|g") ) \
            >"$work/stdout" 2>/dev/null </dev/null
        echo "status $?" >>"$work/stdout"
        [ -f "$work/OUT" ] && cat "$work/OUT" >>"$work/stdout"
        sed -E 's/^[0-9a-f]{16},/DIGEST,/; s/"sweep":"[0-9a-f]{16}"/DIGEST/
            '"$SAME_FILTER" "$work/stdout" >"$work/$side"
    done
    compared=$((compared + 1))
    cmp -s "$work/old" "$work/new" || {
        differ=$((differ + 1))
        echo "differs: teg $*"
        cmp "$work/old" "$work/new" | head -1
    }
}

small="tests/kernels/micro/barrier.sketch tests/kernels/micro/chase.sketch \
    tests/kernels/micro/banks.sketch tests/kernels/micro/strides.sketch \
    tests/kernels/micro/atomic.sketch tests/kernels/micro/write.sketch \
    tests/kernels/micro/cache.sketch tests/kernels/micro/mix.sketch \
    tests/kernels/sm70/ffma_chain.sketch tests/kernels/sm70/reduction.sketch"
old_chips="tests/kernels/gt200/coalesce.sketch tests/kernels/gt200/scatter.sketch \
    tests/kernels/gt200/fadd_shared.sketch tests/kernels/gt200/skew.sketch \
    tests/kernels/gt200/matmul_abt.sketch"
chips="v100 a100 h100 rtx2070super rtx3070 gtx1080ti gtx680 gtx580"
matmul="tests/kernels/sm70/matmul.sketch"

for k in $small; do
    for g in $chips; do
        both run "$k" -g $g -f json
    done
    both run "$k" -g v100
    both run "$k" -g a100 -f csv
    both run "$k" -g v100 --by-pc
    both run "$k" -g v100 --by-pc -f json
    both run "$k" -g v100 -j 2 -f json
    both run "$k" -g v100 --timeline - -f csv
    both model "$k" -g v100 -f json
    both check "$k" -g v100
    both info "$k"
    both features "$k"
    both predict "$k" -g v100
done
for k in $old_chips; do
    for f in text json csv; do
        both run "$k" -g gtx280 -f $f
    done
    both power "$k" -g gtx280
    both power "$k" -g gtx280 -f json
    both model "$k" -g gtx280
    both timeline "$k" -g gtx280
done
for k in tests/kernels/sm70/reduction.sketch tests/kernels/micro/strides.sketch \
    tests/kernels/gt200/coalesce.sketch; do
    g=v100
    case $k in *gt200*) g=gtx280 ;; esac
    for f in text json csv; do
        both whatif "$k" -g $g -f $f
        both timeline "$k" -g $g -f $f
        both bound "$k" -g $g -f $f
    done
    both report "$k" -g $g -o OUT
    both report "$k" -g $g -o "$work/page.html" --perfetto OUT
    both run "$k" -g $g --pc-trace OUT
    both convert "$k" OUT
    both timeline "$k" -g $g --critical
done
both run $matmul -g v100 -f json
both run tests/kernels/sm70/stream.sketch -g a100 -f json
both run tests/kernels/sm70/uncoalesced.sketch -g v100 -f json
both run tests/kernels/sm70/compute.sketch -g h100 -f json

# Twelve sweeps.
chain=tests/kernels/sm70/ffma_chain.sketch
reduction=tests/kernels/sm70/reduction.sketch
both sweep $chain -g v100,a100 --vary sm.warps_max=16,32 --what-if no-dependences -p N=64,128 -f json -j 1
both sweep $chain -g v100,h100,gtx680 -p N=32,64,256 -f csv -j 2
both sweep $reduction -g v100 --vary dram.latency=300,900 --active-warps 8,16 -f csv -j 1
both sweep $reduction -g a100 --vary l1.bytes=16384,65536 --vary l2.slices=16,40 -f json -j 1
both sweep $reduction -g v100,t4 --what-if no-bank-conflicts --what-if coalesced -f csv -j 2
both sweep tests/kernels/micro/strides.sketch -g a40 -p STRIDE=1,2,3,8,17,32 -f csv -j 1
both sweep tests/kernels/micro/chase.sketch -g v100 -p BYTES=16384,262144 --vary tlb.entries=0,16 -f csv -j 1
both sweep tests/kernels/micro/atomic.sketch -g h100 -p SPREAD=0,1 --vary l2.atomic_interval=1,4 -f json -j 1
both sweep tests/kernels/micro/barrier.sketch -g v100 -p WARPS=1,8,32 --vary sm.barrier_latency=0,30 -f csv -j 1
both sweep tests/kernels/gt200/coalesce.sketch -g gtx280 --vary memory.coalescing=cc10,cc12,lines -f csv -j 1
both sweep tests/kernels/gt200/skew.sketch -g gtx280 --vary dram.channels=4,8 --vary dram.hash=0,1 -f json -j 1
both sweep tests/kernels/micro/cache.sketch -g h100,a100 -p BYTES=32768,131072 -f text -j 1

for c in tests/fixtures/vector.sm_80.cubin tests/fixtures/flow.sm_90.cubin \
    tests/fixtures/block.fatbin tests/fixtures/lines.sm_75.cubin; do
    both info "$c"
    both info "$c" -f json
    both disasm "$c"
done
both gpus
both gpus -f json
both gpus v100 -f csv
both explain
both bound sgemm -g gtx580
both bound docs/examples/matmul.flow -g v100
both bound lattice-qcd
for f in text json csv; do
    both diff tests/kernels/micro/banks.sketch tests/kernels/micro/strides.sketch -g v100 -f $f
done
echo "$compared commands compared, $differ differ"
[ $differ = 0 ]
