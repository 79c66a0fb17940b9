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

# What a sample knows of the blocks serves what-ifs that leave them as they are,
# and no others: each says what a replay of its own says.
long="tests/kernels/sm70/compute.sketch -g gtx1650 -p BLOCKS=1300 -p ITER=8"
expect 0 "$teg" whatif $long -f csv
cp "$work/out" "$work/ranked"
for name in double:fp32 half-instructions; do
    expect 0 "$teg" run $long --sample --what-if $name -f json
    out '"represented_blocks": 1300,'
    check "$name of a sample" grep -q "^$name,$(
        sed -n 's/^  "cycles": \([0-9]*\),$/\1/p' "$work/out")," "$work/ranked"
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

# What-ifs of one line: where all that there is of it is in that line, they gain
# what those of the whole kernel do, which change the chip and not the trace.
# alike KERNEL LIST LINE WHAT_IF OPTIONS...
alike() {
    kernel=$1 list=$2 line=$3 name=$4
    shift 4
    expect 0 "$teg" trace "tests/kernels/flaws/$list.fatbin" --kernel "$kernel" "$@" \
        -o "$work/line.tegt"
    expect 0 "$teg" whatif "$work/line.tegt" -g a100 --set chip.sms=8 -f csv
    whole=$(sed -n "s/^$name,\([0-9]*\),.*/\1/p" "$work/out")
    expect 0 "$teg" whatif "$work/line.tegt" -g a100 --set chip.sms=8 -f csv --at "$list.cu:$line"
    part=$(sed -n "s/^$name@$list.cu:$line,\([0-9]*\),.*,1.*/\1/p" "$work/out")
    off=$((100 * part - 100 * whole))
    check "$name of a line of $kernel: $part cycles, of all $whole" \
        [ "${off#-}" -le $((2 * whole)) ]
}
alike strided_flaw flaws 41 no-bank-conflicts --grid 8 --block 256 \
    -a buf:f32:2048:random -a buf:f32:2048:zeros
alike walk_flaw held 196 coalesced --grid 16 --block 256 -a buf:f32:262144:zeros \
    -a buf:f32:4096:zeros
alike histogram_flaw flaws 71 no-atomic-conflicts --grid 8 --block 256 \
    -a buf:f32:2048:random -a buf:i32:8192:zeros
check 'without the line it is faster' grep -q '^without@.*,1' "$work/out"
alike barrier_flaw flaws 472 no-barriers --grid 8 --block 256 -a buf:f32:2048:zeros -a f32:0.5
expect 1 "$teg" whatif "$work/line.tegt" --at flaws.cu:9
err 'expected a line that has instructions, found flaws.cu:9'
for at in held.cu held.cu: :3 held.cu:x held.cu:0; do
    expect 2 "$teg" whatif "$work/line.tegt" --at "$at"
    err "expected FILE:LINE, found '$at'"
done
expect 2 "$teg" run "$work/line.tegt" --what-if perfect-cache@flaws.cu:472
err "unknown name 'perfect-cache@flaws.cu:472'"

# On a terminal each is shown when it is known, and taken away for the table.
if command -v script >/dev/null 2>&1; then
    script -qec "$teg whatif tests/kernels/sm70/vecadd_demo.sketch -g v100" \
        /dev/null </dev/null >"$work/tty"
    sed '/what if/,$d' "$work/tty" | tr '\r' '\n' >"$work/before"
    check 'all of them before the table' \
        [ "$(grep -c '^[a-z0-9:-]*  *[0-9,]*  *[0-9.]*x' "$work/before")" = \
        "$("$teg" whatif tests/kernels/sm70/vecadd_demo.sketch -g v100 |
            sed 1,2d | wc -l)" ]
else
    echo 'skipped: what-ifs on a terminal (needs script)'
fi

finish
