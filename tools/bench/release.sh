#!/bin/sh
# This build beside an earlier one: tools/bench/release.sh TEG COMMIT
#
# Builds COMMIT's teg in build/bench/COMMIT, a work tree of its own, and prints
# of small forms of the bench kernels on a V100, one thread:
#   host instructions that each takes for a warp instruction, by callgrind where
#   valgrind is installed: the same on every machine, whatever else runs there;
#   processor seconds, the least of five runs each, in turns, and their ratio;
#   what teg whatif and teg report take, in processor seconds and in runs;
# and what commands take for a kernel of 7,000 instructions, of which making the
# chip and saying what came of it are most.
set -eu
cd "$(dirname "$0")/../.."
. tools/bench/turns.sh
new=$1 commit=$2
old=$(tools/bench/earlier.sh "$commit") || exit 0
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# A kernel and what makes it short.
kernels="compute:ITER=6 matmul:K=64 stream:BLOCKS=4096 uncoalesced:BLOCKS=320,ITER=4"

each() { awk -v i="$1" -v n="$2" 'BEGIN {printf "%.0f", i / n}'; }
multiple() {
    case $1$2 in
        *n/a*) echo n/a ;;
        *) awk -v a="$1" -v b="$2" 'BEGIN {print (b > 0 ? sprintf("%.2fx", a / b) : "n/a")}' ;;
    esac
}
over() { awk -v a="$1" -v b="$2" 'BEGIN {print (b > 0 ? sprintf("%.2f", a / b) : "n/a")}'; }

echo "beside $commit, $(git log -1 --format=%cs "$commit"), on a V100, one thread"
printf '%-12s %11s %24s %7s %6s %10s %7s %6s %13s %13s\n' kernel 'warp instr' \
    'host instr each: before' now times 's before' now times 'whatif, runs' \
    'report, runs'
for entry in $kernels; do
    k=${entry%%:*}
    params=
    for p in $(echo "${entry#*:}" | tr , ' '); do params="$params --param $p"; done
    # shellcheck disable=SC2086
    "$new" convert "tests/kernels/sm70/$k.sketch" "$work/$k.tegt" $params
    set -- run "$work/$k.tegt" -g v100 -j 1 --exact
    count=$("$new" "$@" --timing 2>&1 >/dev/null |
        sed -n 's/^timing: .* s, \([0-9]*\) warp.*/\1/p')
    i_was=n/a i_now=n/a
    if command -v valgrind >/dev/null 2>&1; then
        i_was=$(each "$(instructions "$old" "$@")" "$count")
        i_now=$(each "$(instructions "$new" "$@")" "$count")
    fi
    in_turns "$@"
    run=$now
    whatif=$(over "$(seconds "$new" whatif "$work/$k.tegt" -g v100 -j 1 --exact)" "$run")
    report=$(over "$(seconds "$new" report "$work/$k.tegt" -g v100 -j 1 -o "$work/page")" "$run")
    printf '%-12s %11s %24s %7s %6s %10s %7s %6s %13s %13s\n' "$k" "$count" \
        "$i_was" "$i_now" "$(multiple "$i_was" "$i_now")" "$was" "$run" \
        "$(multiple "$was" "$run")" "$whatif" "$report"
done

command -v valgrind >/dev/null 2>&1 || exit 0
small=$work/small.tegt
"$new" convert tests/kernels/sm70/reduction.sketch "$small" --param BLOCKS=14
echo
printf '%-24s %24s %12s %6s\n' 'small kernel' 'host instr: before' now times
for command in run whatif report; do
    set -- "$command" "$small" -g v100 -j 1
    [ $command = report ] && set -- "$@" -o "$work/page"
    i_was=$(instructions "$old" "$@")
    i_now=$(instructions "$new" "$@")
    printf '%-24s %24s %12s %6s\n' "teg $command" "$i_was" "$i_now" \
        "$(multiple "$i_was" "$i_now")"
done
