#!/bin/sh
# What `make pgo` learns from: tools/bench/train.sh TEG
#
# The bundled kernels that are no bench kernel, on chips of every generation, so
# that what the bench says of the result it says of kernels never seen.
set -eu
cd "$(dirname "$0")/../.."
teg=$1
for gpu in v100 a100 h100 rtx2070super gtx1080ti gtx580; do
    for k in mix strides cache write banks barrier constant ffma_loop; do
        "$teg" run tests/kernels/micro/$k.sketch -g $gpu -j 1 --exact >/dev/null 2>&1
    done
done
for k in coalesce scatter fadd_shared skew matmul_abt; do
    "$teg" run tests/kernels/gt200/$k.sketch -g gtx280 -j 1 --exact >/dev/null 2>&1
done
for k in reduction ffma_chain vecadd_demo; do
    "$teg" whatif tests/kernels/sm70/$k.sketch -g v100 -j 1 >/dev/null 2>&1
done
