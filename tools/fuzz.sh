#!/bin/sh
# Runs libFuzzer programs, JOBS at once (default: one): tools/fuzz.sh SECONDS
# PROGRAM... or, with `replay` for SECONDS, each once over its committed corpus.
# Each begins with tests/fuzz/corpus/NAME and files of the tests that it can
# read; words that such files are made of are in tests/fuzz/NAME.dict. What it
# finds grows in build/fuzz/corpus. ONLY='trace|tegt' chooses some, SEED=1 what is
# tried. Status 1 if one failed.
cd "$(dirname "$0")/.." || exit 2

# One program: SECONDS PROGRAM.
fuzz() {
    seconds=$1 program=$2
    name=$(basename "$program")
    mkdir -p "build/fuzz/corpus/$name"
    patience=20
    [ "$name" != fuzz_engine ] || patience=300 # the naive one looks at each cycle
    set --
    [ -d "tests/fuzz/corpus/$name" ] && set -- "tests/fuzz/corpus/$name"
    case $name in
    fuzz_cubin) set -- "$@" tests/fixtures ;;
    fuzz_fatbin) set -- "$@" tests/fixtures/kernels ;;
    fuzz_sketch | fuzz_trace) set -- "$@" tests/kernels/sm70 ;;
    fuzz_cfg) set -- "$@" config ;;
    fuzz_flow) set -- "$@" docs/examples ;;
    esac
    if [ "$seconds" = replay ]; then
        set -- -runs=0 "$@"
    else
        [ -f "tests/fuzz/${name#fuzz_}.dict" ] &&
            set -- "-dict=tests/fuzz/${name#fuzz_}.dict" "$@"
        set -- ${SEED:+-seed="$SEED"} -max_total_time="$seconds" "build/fuzz/corpus/$name" "$@"
    fi
    if "$program" -max_len=65536 -timeout=$patience -rss_limit_mb=4096 \
        -artifact_prefix="build/fuzz/$name-" "$@" \
        >"build/fuzz/$name.log" 2>&1; then
        echo "$name: $(grep '^Done' "build/fuzz/$name.log")"
    else
        echo "$name: failed, see build/fuzz/$name.log, which ends:"
        tail -n 12 "build/fuzz/$name.log"
        return 1
    fi
}

if [ "$1" = --one ]; then
    fuzz "$2" "$3"
    exit
fi
seconds=$1
shift
for program in "$@"; do
    name=$(basename "$program")
    ! echo "${name#fuzz_}" | grep -qxE -e "${ONLY:-.*}" || echo "$program"
done | {
    chosen=$(cat)
    if [ -z "$chosen" ]; then
        echo "no fuzz program's name matches '$ONLY'"
        exit 1
    fi
    echo "$chosen" |
        xargs -P "${JOBS:-1}" -L 1 tools/fuzz.sh --one "$seconds" || exit 1
}
