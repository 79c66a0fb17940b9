#!/bin/sh
# The ladders on small problems, their files, and what is said of mistakes.
# `make ladders` climbs them as published (docs/ladders.md).
. tests/cli/lib.sh
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3"
    finish
fi
ladders() {
    TEG=$teg tools/ladders/ladders.py "$@"
}
expect 0 ladders --small --only reduction --only transpose "$work/ladders"
check 'every step of both' [ "$(grep -c '^  ' "$work/out")" = 19 ]
# The order of each is that of the published numbers.
check 'the reduction gets faster with each step but the last' awk -F, '
    NR > 2 && NR < 8 && $4 >= before {exit 1} {before = $4}' "$work/ladders/reduction.csv"
check 'the naive transpose is the slowest, the copy the fastest' awk -F, '
    NR > 1 {v[$1] = $4}
    END {for (i in v) if (v[i] > v[1] || v[i] < v[3]) exit 1}' \
    "$work/ladders/transpose.csv"
out '^  coalesced .* bank conflicts *bank conflicts 1\.[0-9]*x (1\.)$'
out '^  naive transpose .* uncoalesced accesses *uncoalesced accesses [0-9.]*x (1\.)$'
expect 0 ladders --small --only reduction --gpu a100 "$work/ladders"
out '^reduction .*, on a100: ms$'
expect 0 ladders --small --only stream --gpu k20 "$work/ladders"
out '^  k20: dot '
check 'the five kernels, and no step that follows' \
    [ "$(grep -c '^  k20: [a-z]* *[0-9.]*  *[a-z]* *$' "$work/out")" = 5 ]
expect 1 ladders --small --only reduction --gpu k20 "$work/ladders"
err '^ladders.py: k20 is sm_35; .* has code for sm_75, sm_80, sm_90$'
expect 1 ladders --small --only reduction --gpu nosuch "$work/ladders"
err '^ladders.py: nosuch: no such chip (teg gpus)$'
expect 2 ladders --only nosuch
err 'no such ladder: nosuch (there are reduction, transpose, stream)$'
expect 2 ladders --small --write "$work/file"
err 'takes all ladders'
teg=/nosuch/teg
expect 1 ladders --small "$work/ladders"
err '^ladders.py: /nosuch/teg: '
finish
