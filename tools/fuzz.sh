#!/bin/sh
# Runs libFuzzer programs one after the other: tools/fuzz.sh SECONDS PROGRAM...
# Each begins with tests/fuzz/corpus/NAME and, for readers of device code, the
# fixtures; what it finds grows in build/fuzz/corpus. Status 1 if one failed.
cd "$(dirname "$0")/.." || exit 2
seconds=$1
shift
failed=0
for program in "$@"; do
    name=$(basename "$program")
    mkdir -p "build/fuzz/corpus/$name"
    set -- "build/fuzz/corpus/$name"
    [ -d "tests/fuzz/corpus/$name" ] && set -- "$@" "tests/fuzz/corpus/$name"
    case $name in
    fuzz_cubin) set -- "$@" tests/fixtures ;;
    fuzz_fatbin) set -- "$@" tests/fixtures/kernels ;;
    esac
    if "$program" -max_total_time="$seconds" -max_len=65536 -timeout=10 \
        -rss_limit_mb=4096 -artifact_prefix="build/fuzz/$name-" "$@" \
        >"build/fuzz/$name.log" 2>&1; then
        echo "$name: $(grep '^Done' "build/fuzz/$name.log")"
    else
        echo "$name: failed, see build/fuzz/$name.log"
        failed=1
    fi
done
exit $failed
