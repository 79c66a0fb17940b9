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

finish
