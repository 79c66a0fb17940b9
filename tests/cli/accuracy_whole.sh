# Whole programs beside measured times: what is missing is said and is no
# failure, and the tool's own arithmetic. (The comparison itself is hours.)
. tests/cli/lib.sh

# What a description says of its times stands in the table of all GPUs.
sed -n 's/^compared = "\([0-9]*\) [^:]*: \([0-9.]*\) % off.*/\1 \2/p' config/*.cfg \
    >"$work/compared"
check 'descriptions say so' test "$(wc -l <"$work/compared")" -ge 8
while read -r points mean; do
    check "$points points, $mean %" grep -qE \
        "^\\|.*\\| $points \\| ${mean}(\\.0)? % \\|" docs/accuracy.md
done <"$work/compared"

if ! command -v python3 >/dev/null 2>&1; then
    echo "skipped: whole programs: python3 is not installed"
    finish
fi
whole() { python3 -S tools/accuracy/whole/whole.py "$@"; }

expect 0 python3 -S tests/cli/accuracy_whole.py
cat "$work/out"
# neither times, nor a compiler, nor sources
expect 0 whole --measured "$work"
out "skipped: rtx2070super, gtx1080ti: n"
for gpu in rtx2080ti rtx3090 "a6000, a4000, a100" h100pcie v100; do
    out "skipped: $gpu: n"
done
no_err
# a file of each that has no rows, and a compiler
mkdir "$work/bin" "$work/measured"
printf '#!/bin/sh\n' >"$work/bin/nvcc"
chmod +x "$work/bin/nvcc"
(cd "$work/measured" && touch polybench-times.csv h100-pcie-programs.csv \
    h100-pcie-times.csv && gzip -c /dev/null >polybench-times-2.csv.gz)
compiled() { PATH=$work/bin:$PATH whole --measured "$work/measured" "$@"; }
expect 0 compiled
out "no --sources DIR with KLARAPTOR (https://github.com/orcca-uwo/KLARAPTOR)"
expect 0 compiled --sources "$work"
out "no $work/GPU_Benchmarks (git clone https://github.com/EnzeXu/GPU_Bench"
mkdir "$work/KLARAPTOR"
expect 0 compiled --sources "$work" --list
out "skipped: rtx2080ti: no .*rtx2080ti-pnpoly.csv"
out "^0 replays"
expect 2 whole --shape
expect 2 whole --half C
finish
