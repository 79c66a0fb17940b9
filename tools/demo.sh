#!/bin/sh
# Expands a bundled kernel sketch to a trace and replays it: tools/demo.sh TEG
set -eu
cd "$(dirname "$0")/.."
teg=${1:-build/release/teg}
sketch=tests/kernels/sm70/matmul.sketch
trace=build/demo.tegt
mkdir -p build
echo "\$ teg convert $sketch $trace"
"$teg" convert "$sketch" "$trace"
echo "\$ teg run $trace -g v100"
"$teg" run "$trace" -g v100
