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
# Some figures into a file that has the others: nothing else changes.
cp docs/seeds.md "$work/seeds.md"
expect 0 figures --only lai/lattice --write "$work/seeds.md" "$work/figures"
check 'the rest stays' cmp docs/seeds.md "$work/seeds.md"
grep -v '(`lai/sgemm`)' docs/seeds.md >"$work/seeds.md"
expect 1 figures --only lai/lattice --write "$work/seeds.md" "$work/figures"
err 'has no lai/sgemm: make all$'
# The list of items: each once, none held by what does not exist.
check 'items' python3 - <<'EOF'
import os, sys
sys.path.insert(0, 'tools/figures')
import figures, items
every = items.load()
labels = {f'{name}/{figure.__name__}' for name, text in figures.TEXTS.items()
          for figure in text.FIGURES}
assert [i.number for i in every] == list(range(1, 153))
for item in every:
    assert item.text in figures.TEXTS and item.state in items.STATES, item
    assert bool(item.note) == (item.state != 'yes'), item
    for name, _ in items.places(item):
        assert name in labels or os.path.exists(name), (item.number, name)
    assert item.by or item.state != 'yes', item
EOF
# Counts of benchmarks as they are printed; two chosen lines of an item.
expect 0 figures --only isca/table_ --only zhang/fig_9 "$work/figures"
out '^  SVM: computation: 10871; published 10871  +0.0 %$'
out '^  Mb7: computation: 59; published 59  +0.0 %$'
out '^  final time: 50728; published 50738  -0.0 %$'
out '^  4 additions, %: 80; published 80  +0.0 %$'
# Table 12 and Fig. 45 of Hong; the temperatures are printed rounded.
expect 0 figures --only hong/table_12 --only hong/suggestions --only hong/fig_45 \
    "$work/figures"
out '^  10-11-12-13: TPCs: 4; published 4 '
out '^  pairs of sets that differ in TPCs: fewer drew less: all; published all$'
out '^  N = 32: SMs, rounded up: 10; published 10 '
out '^  all 16 SMs: N: 18; published 18 '
out '^  INT: degrees after 600 s: 69[.0-9]*; published 68 '
out '^  SVM: degrees after 600 s: 7[4-9][.0-9]*; published 78 '
check 'cells' python3 - <<'EOF'
import sys
sys.path.insert(0, 'tools/figures')
import items, kit
item = items.Item(1, 'lai', 'x', 'yes', '-', 'lai/a:B,tests/none', '')
lines = [kit.Line(w, '2', '3', '+50.0 %', 50.0) for w in ('A', 'B1', 'B2')]
assert items.cells(item, {'lai/a': lines}) == ('2; 2', '3 (+50.0 %); 3 (+50.0 %)')
assert items.cells(item, {'lai/a': 4 * lines})[1] == \
    'mean 50.0 %, at most 50.0 % off'
EOF
teg=/nosuch/teg
expect 1 figures --only lai/lattice "$work/figures"
err '^figures: /nosuch/teg: '
finish
