#!/bin/sh
# Figures of the texts: the quick ones, and what is said of names that no figure
# has.  `make figures` makes all (docs/seeds.md).
. tests/cli/lib.sh
if ! command -v python3 >/dev/null; then
    echo "skipped: no python3"
    finish
fi
figures() {
    TEG=$teg tools/figures/figures.py "$@"
}
expect 0 figures --only lai/lattice --only lai/table_1_1 "$work/figures"
out '^  cell : Gflop/s with P2 P3 P4 P5 (text: P2 P3 P4 P5): 35.2; published 35.2  +0.0 %$'
out '^  gtx280: Gflop/s, single precision: 933.1; published 933  +0.0 %$'
check 'a table' grep -q '^gtx280,P1,75.6,75.98' "$work/figures/lai/lattice.csv"
expect 1 figures --only nosuch "$work/figures"
err "^figures: no figure has nosuch in its name$"
expect 2 figures --only lai/ --write "$work/file" "$work/figures"
err 'takes all figures'
teg=/nosuch/teg
expect 1 figures --only lai/lattice "$work/figures"
err '^figures: /nosuch/teg: '
finish
