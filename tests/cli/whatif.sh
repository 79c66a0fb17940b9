# Removing a bottleneck does not slow a kernel, but for the scheduling anomalies
# of docs/whatif.md, which cost these kernels less than 3 %.
. tests/cli/lib.sh

# none_slower SKETCH GPU: fails if a what-if does, and prints which
none_slower() {
    expect 0 "$teg" whatif "$1" -g "$2"
    awk '
        {gsub(/,/, "")}
        /^\(as it is\)/ {base = $4; next}
        base && $2 > 1.03 * base {print; bad = 1}
        base && NF > 2 {rows++}
        END {exit !(base > 0 && rows > 10 && !bad)}' "$work/out"
}

for kernel in reduction vecadd_demo ffma_chain; do
    check "$kernel on v100" none_slower tests/kernels/sm70/$kernel.sketch v100
done
for kernel in gld_stream double_gld_stream skew matmul_abt fadd_shared; do
    check "$kernel on gtx280" none_slower tests/kernels/gt200/$kernel.sketch gtx280
done

# The ranking in the report of a run is that of `teg whatif`, its best three.
expect 0 "$teg" whatif tests/kernels/sm70/matmul.sketch -p BLOCKS=8 -g v100 -f csv
check 'CSV has a row for each' grep -q '^no-dependences,[0-9]*,[0-9.]*,1' "$work/out"
sed 1d "$work/out" | grep -v '^all,' | head -3 | cut -d, -f1 >"$work/best"
expect 0 "$teg" run tests/kernels/sm70/matmul.sketch -p BLOCKS=8 -g v100 --ranking
out '^  would help most  *cycles  *speedup$'
sed -n '/would help most/,$p' "$work/out" | sed -n 's/^  \([a-z0-9:-]*\)  *[0-9,]*  *[0-9.]*x$/\1/p' \
    >"$work/shown"
check 'the three that gain most' cmp -s "$work/best" "$work/shown"
check 'at most 80 columns wide' [ "$(wc -L <"$work/out")" -le 80 ]
# On top of a what-if that is applied already, that one gains nothing more.
expect 0 "$teg" run tests/kernels/sm70/matmul.sketch -p BLOCKS=8 -g v100 \
    --ranking --what-if no-dependences
check 'what is gone already gains nothing' \
    [ "$(grep -c '^  no-dependences' "$work/out")" = 0 ]

finish
