#!/bin/sh
# Runs a bundled compiled kernel on the emulator, which writes its trace, and
# replays that: tools/demo.sh TEG
set -eu
cd "$(dirname "$0")/.."
teg=${1:-build/release/teg}
trace=build/demo.tegt
n=256
mkdir -p build
set -- trace tests/fixtures/run.sm_80.cubin --kernel matmul \
    --grid 32,32 --block 8,8 \
    -a buf:f32:65536:random -a buf:f32:65536:random,seed=2 \
    -a buf:f32:65536:zeros -a i32:$n -a i32:$n -a i32:$n -o "$trace"
echo "\$ teg $*"
"$teg" "$@"
echo "\$ teg run $trace -g a100"
"$teg" run "$trace" -g a100
