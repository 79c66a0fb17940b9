#!/bin/sh
# Compiles the measuring kit for every architecture the compiler knows from
# sm_70 to sm_90, and checks the code of each where cuobjdump is there.
#
#   tools/measure/build.sh DIRECTORY
#
# Leaves DIRECTORY/measure (for all of them, run it on any of these GPUs) and
# one cubin each. Without nvcc it says so and succeeds.
[ $# = 1 ] || {
    echo "usage: build.sh DIRECTORY" >&2
    exit 2
}
nvcc=${NVCC:-nvcc}
here=$(dirname "$0")
if ! command -v "$nvcc" >/dev/null; then
    echo "skipped: no nvcc here; the measuring kit was not built"
    exit 0
fi
mkdir -p "$1" || exit 1
known=$("$nvcc" --list-gpu-code)
codes='' cubins=''
# Only code for sm_90a has the tensor products of warp groups.
hopper=90
echo "$known" | grep -qx sm_90a && hopper=90a
for arch in 70 75 80 86 89 $hopper; do
    echo "$known" | grep -qx "sm_$arch" || continue
    codes="$codes -gencode arch=compute_$arch,code=sm_$arch"
    echo "measure: sm_$arch"
    "$nvcc" -O3 -std=c++17 -arch=sm_$arch -cubin "$here/measure.cu" \
        -o "$1/measure.sm_$arch.cubin" || exit 1
    cubins="$cubins $1/measure.sm_$arch.cubin"
done
# shellcheck disable=SC2086 # lists of words
"$nvcc" -O3 -std=c++17 $codes "$here/measure.cu" -o "$1/measure" || exit 1
# shellcheck disable=SC2086
"$here/check_sass.sh" "$1/measure" $cubins
