#!/bin/sh
# Do the kernels of the measuring kit hold the instructions they claim to time?
#
#   tools/measure/check_sass.sh PROGRAM [FILE...]
#
# PROGRAM is the built kit, which knows what it expects. Each FILE (PROGRAM
# itself if there is none) is a program or cubin built from the kit, for any
# architecture; its code is listed with cuobjdump, or nvdisasm for a cubin,
# and given to PROGRAM --check-sass. $CUOBJDUMP names another cuobjdump.
# Needs no GPU. Exit status: 0 as expected or skipped, 1 not, 2 usage.
[ $# -ge 1 ] || {
    echo "usage: check_sass.sh PROGRAM [FILE...]" >&2
    exit 2
}
program=$1
shift
[ $# -gt 0 ] || set -- "$program"
case $program in
*/*) ;;
*) program=./$program ;;
esac
cuobjdump=${CUOBJDUMP:-cuobjdump}
command -v "$cuobjdump" >/dev/null || cuobjdump=/usr/local/cuda/bin/cuobjdump
if ! command -v "$cuobjdump" >/dev/null; then
    echo "skipped: no cuobjdump here (CUDA toolkit, package cuda-cuobjdump)"
    exit 0
fi
status=0
listing=$(mktemp) || exit 2
trap 'rm -f "$listing"' EXIT
for file in "$@"; do
    if ! "$cuobjdump" -sass "$file" >"$listing"; then
        status=1
        continue
    fi
    "$program" --check-sass "$listing" || status=1
done
exit $status
