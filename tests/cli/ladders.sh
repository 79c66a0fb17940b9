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
# Measured, to be without bank conflicts gains nothing there.
out '^  coalesced .* bank conflicts: not found$'
out '^  naive transpose .* uncoalesced accesses *uncoalesced accesses [0-9.]*x (1\.)$'
expect 0 ladders --small --only reduction --on a100 "$work/ladders"
out '^reduction .*, on a100: ms$'
expect 0 ladders --small --only stream --on k20 "$work/ladders"
out '^  k20: dot '
check 'the five kernels, and no step that follows' \
    [ "$(grep -c '^  k20: [a-z]* *[0-9.]*  *[a-z]* *$' "$work/out")" = 5 ]
expect 1 ladders --small --only reduction --on k20 "$work/ladders"
err '^ladders.py: k20 is sm_35; the compiled steps are for sm_75, sm_80, sm_90$'
expect 1 ladders --small --only reduction --on nosuch "$work/ladders"
err '^ladders.py: nosuch: no such chip (teg gpus)$'
# Waves of blocks, extended; traces are kept where KEPT says.
export KEPT="$work/kept"
expect 0 ladders --small --only lai-gtx680 --only unrolled "$work/ladders"
check 'registers on banks of their own, and unrolled loops, are faster' awk -F, '
    FNR > 1 {v[FILENAME, $1] = $4}
    END {exit !(v[ARGV[1], 4] > v[ARGV[1], 3] &&
         v[ARGV[2], 3] > v[ARGV[2], 2] && v[ARGV[2], 2] > v[ARGV[2], 1])}' \
    "$work/ladders/lai-gtx680.csv" "$work/ladders/unrolled.csv"
expect 0 ladders --small --only unrolled --on gtx280 "$work/ladders"
out '^unrolled .*, on gtx280: '
# What is not there is said; the others are climbed.
expect 0 ladders --small --only sgemm --only gemm-h100 --sources "$work/none"
out '^skipped: sgemm: needs a copy of github.com/siboehm/SGEMM_CUDA as .*/none/SGEMM_CUDA '
out '^skipped: gemm-h100: needs a copy of github.com/pranjalssh/fast.cu as '
mkdir -p "$work/bin"
ln -sf "$(python3 -c 'import sys; print(sys.executable)')" "$work/bin/python3"
expect 0 env PATH="$work/bin" TEG="$teg" tools/ladders/ladders.py --only cub
out '^skipped: cub: needs nvcc$'
expect 2 ladders --only nosuch
err 'no such ladder: nosuch (there are reduction, transpose, '
expect 2 ladders --small --write "$work/file"
err 'takes ladders as published'
# A table goes between its marks, and what it adds up to into the first one.
cat >"$work/page.md" <<'END'
<!-- all -->
| [stream](#s) | 33 | 5.0 % | 14.0 % | 0 | 0 | 0 | 0 | 0 | 0 |
<!-- /all -->
<!-- reduction -->
old
<!-- /reduction -->
behind
END
cat >"$work/write.py" <<'END'
import sys
sys.path.insert(0, "tools/ladders")
import ladders
from climb import Plan
by_name = {ladder.name: ladder for ladder in ladders.LADDERS}
reduction, stream = by_name["reduction"], by_name["stream"]
step = ladders.Step(Plan("slow", 4.0, "divergence", 1, "8800gtx"), 4.0, 5.0,
                    [{"name": "divergence", "speedup": 2.5, "at_most": False}])
fast = ladders.Step(Plan("fast", 2.0, None, 2, "8800gtx"), 2.0, 2.0, [])
text = open(sys.argv[1]).read().replace("(#s)", f"(#{stream.anchor()})")
open(sys.argv[1], "w").write(text)
ladders.write(sys.argv[1], sys.argv[2], [(reduction, [step, fast])])
END
expect 0 python3 "$work/write.py" "$work/page.md" "$work/ladders"
check 'the section is new' sh -c '! grep -q "^old" "$1" && grep -q "^behind" "$1" &&
    grep -q "^| slow | 4 | 5 | +25.0 % | 2.00 | 2.50 | divergence | divergence 2.50x (1.)" "$1"' \
    - "$work/page.md"
check 'its counts' grep -q '^| \[reduction\](#[^)]*) | 2 | 12.5 % | 25.0 % | 1 | 1 | 0 | 1 | 1 | 0 |$' \
    "$work/page.md"
check 'and its sums' grep -q '^| all | 35 | 5.4 % | 25.0 % | 1 | 1 | 0 | 1 | 1 | 0 |$' \
    "$work/page.md"
echo >"$work/empty.md"
expect 1 python3 "$work/write.py" "$work/empty.md" "$work/ladders"
err 'no marks of reduction in the file to write to'
teg=/nosuch/teg
expect 1 ladders --small "$work/ladders"
err '^ladders.py: /nosuch/teg: '
finish
