# tools/figures.sh: figures by gnuplot, where it is installed.
. tests/cli/lib.sh

command -v gnuplot >/dev/null 2>&1 || {
    echo 'skipped: figures for papers (needs gnuplot)'
    finish
}
expect 0 sh tools/figures.sh -t "$teg" "$work/figures" \
    tests/kernels/sm70/matmul.sketch -p BLOCKS=20 -g v100
no_err
for figure in warps units stalls; do
    out "^$work/figures/$figure.svg$"
    check "$figure.svg is a figure" grep -q '<path' "$work/figures/$figure.svg"
done
check 'every state of the warps has its place' \
    grep -q 'long_scoreboard' "$work/figures/warps.svg"
expect 1 sh tools/figures.sh -t "$teg" "$work/figures" "$work/none" -g v100
expect 2 sh tools/figures.sh

finish
