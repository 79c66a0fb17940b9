#!/bin/sh
# Compiles teg's kernels in place of a vendor's library's (cuBLAS and so on) for
# the generations they are for.  Needs nvcc (CUDA 13.0 made the committed files).
# sm_80's also run on 86, 89.
#
#   tools/make_kernels.sh           makes the files anew
#   tools/make_kernels.sh --check   makes them elsewhere and compares; status 1
#                                   and their names if any differ
cd "$(dirname "$0")" || exit 2
command -v nvcc >/dev/null || {
    echo "make_kernels.sh: nvcc is not on the PATH" >&2
    exit 1
}
made= differs=0
if [ "${1:-}" = --check ]; then
    made=$(mktemp -d)
    trap 'rm -rf "$made"' EXIT
fi
for source in cu*/kernels/*.cu; do
    name=${source%.cu}
    case $name in
    */hopper) made_for=90a ;;
    *) made_for="75 80 90 100 120" ;;
    esac
    all=
    for sm in $made_for; do
        all="$all -gencode arch=compute_$sm,code=sm_$sm"
    done
    to=${made:-$PWD/$(dirname $name)}/$(basename $name).fatbin
    # shellcheck disable=SC2086
    (cd "$(dirname $name)" && nvcc -std=c++17 -fatbin --compress-mode=size \
        $all -o "$to" "$(basename $name).cu") || exit 1
    [ -z "$made" ] || cmp -s "$to" $name.fatbin || {
        echo "$name.fatbin differs"
        differs=1
    }
done
exit $differs
