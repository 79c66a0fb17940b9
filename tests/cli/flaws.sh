# What is said to change first is the flaw that a kernel is known to have, and
# gains what the kernel without it does: the fast ones of tests/kernels/flaws
# (`make flaws`: all of them).
. tests/cli/lib.sh

expect 0 sh tests/kernels/flaws/run.sh strided histogram branch launch barrier walk \
    widen kept
out '^strided .*bank conflicts .* ok$'
check 'eight of them' [ "$(grep -c ' ok$' "$work/out")" = 8 ]
# Of two parts of the chip that are full, twice as many of one gain little: they
# bind all the same.
expect 0 "$teg" trace tests/kernels/flaws/fresh.fatbin --kernel kept_flaw \
    --grid 64 --block 256 -a buf:f32:16384:zeros -a f32:0.5 -o "$work/kept.tegt"
expect 0 "$teg" run "$work/kept.tegt" -g a100 --set chip.sms=8 --why -f json
out '"unit lsu: 9[0-9] % busy.*; unit sfu is [89][0-9] % busy, too"'
# What latency costs, and what of it loads in flight would bring.
expect 0 "$teg" trace tests/kernels/flaws/held.fatbin --kernel serial_flaw \
    $(sed -n 's/^serial;.*; \(--grid[^;]*\)$/\1/p' tests/kernels/flaws/held.list) \
    -o "$work/serial.tegt"
expect 0 "$teg" run "$work/serial.tegt" -g a100 --why -f json
out 'without it [0-9.]*x, with four times the loads in flight [0-9.]*x'

# Inlined code says where it was called.
expect 0 "$teg" trace tests/kernels/flaws/flaws.fatbin --kernel histogram_flaw \
    --grid 8 --block 256 -a buf:f32:2048:random -a buf:i32:8192:zeros -o "$work/h.tegt"
expect 0 "$teg" run "$work/h.tegt" -g a100 --set chip.sms=8 --why -f json
out 'ATOMS.ADD .* at device_atomic_functions.hpp:[0-9]*, inlined at flaws.cu:71'

# The headline, the list and JSON say the same.
expect 0 "$teg" trace tests/kernels/flaws/flaws.fatbin --kernel strided_flaw \
    --grid 16 --block 256 -a buf:f32:4096:random -a buf:f32:4096:zeros \
    -o "$work/flaw.tegt"
expect 0 "$teg" run "$work/flaw.tegt" -g a100 --set chip.sms=8 --why
out '^  bound by   bank conflicts: LDS[.0-9]* R[0-9]*, .* at flaws.cu:[0-9]*, '
gain=$(sed -n 's/^  1 bank conflicts  *no-bank-conflicts  *\([0-9.]*x\)$/\1/p' "$work/out")
check 'the headline has the gain of the list' grep -q "without them $gain" "$work/out"
check 'at most 80 columns wide' [ "$(wc -L <"$work/out")" -le 80 ]
base=$(sed -n 's/^  cycles  *\([0-9,]*\) .*/\1/p' "$work/out" | tr -d ,)
expect 0 "$teg" run "$work/flaw.tegt" -g a100 --set chip.sms=8 \
    --what-if no-bank-conflicts
without=$(sed -n 's/^  cycles  *\([0-9,]*\) .*/\1/p' "$work/out" | tr -d ,)
check 'which is that of the what-if alone' [ "$gain" = \
    "$(awk -v a="$base" -v b="$without" 'BEGIN {printf("%.2fx", a / b)}')" ]
# Without measured gains the cause is named all the same.
expect 0 "$teg" run "$work/flaw.tegt" -g a100 --set chip.sms=8
out '^  bound by   bank conflicts: shared memory takes 4.5 passes'
# A part of a long launch tells the same.
cat >"$work/long.sketch" <<'EOT'
sketch 1
isa sm_70
grid 5120
block 32
registers 16
shared 4352
LDG.E R4, [R2 : 0x10000000 + 4*gtid]
loop i 6
STS [R6 : 128*lane], R4
LDS R5, [R6 : 128*lane]
FFMA R4, R4, R5, R6
end
STG.E [R2 : 0x20000000 + 4*gtid], R4
EXIT
EOT
expect 0 "$teg" run "$work/long.sketch" --sms 8 -g v100 --why --by-pc --exact
cp "$work/out" "$work/exact"
expect 0 "$teg" run "$work/long.sketch" --sms 8 -g v100 --why --by-pc --sample
out '^  SAMPLED: 64[0-9] of 5,120 blocks'
# told FILE: the first cause and each instruction and how often it issued, whichever
# stalled more
told() {
    sed -n 's/^  \(1 [a-z ]*[a-z]\)   *\([a-z-]*\) .*x$/\1: \2/p
        s/^  \(0x0.0 [A-Z]*\).* \([0-9]\{4,\}\)  *[0-9.]*M\{0,1\}  *[0-9.]* % .*/\1 \2/p' "$1" |
        sort
}
check 'the cause and six instructions' [ "$(told "$work/out" | wc -l)" = 7 ]
check 'by a sample as by all' \
    [ "$(told "$work/out")" = "$(told "$work/exact")" ]
# gain FILE: of the first cause
gain() {
    sed -n 's/^  1 .* \([0-9.]*\)x$/\1/p' "$1"
}
check 'and it gains as much within 3 %' awk -v a="$(gain "$work/out")" \
    -v b="$(gain "$work/exact")" \
    'BEGIN {exit !(b > 2 && a / b > 0.97 && a / b < 1.03)}'
# So is a launch without its tail: the part is of whole waves.
no_tail() {
    expect 0 "$teg" run "$work/long.sketch" --sms 8 -g v100 --what-if no-tail "$1"
    cycles=$(sed -n 's/^  cycles  *\([0-9,]*\) .*/\1/p' "$work/out" | tr -d ,)
}
no_tail --exact
exact=$cycles
no_tail --sample
out '^  SAMPLED: '
check 'and takes as long within 3 %' awk -v a="$cycles" -v b="$exact" \
    'BEGIN {exit !(a / b > 0.97 && a / b < 1.03)}'

# Equal blocks that wait rather than compute come in waves, each as long as one: the
# three of the second leave five SMs idle for half of the time.  Where some of them
# compute more than others, they are uneven.
for more in 0 40; do
    cat >"$work/waves.sketch" <<EOT
sketch 1
isa sm_70
grid 67
block 256
registers 16
loop i 8
LDG.E R4, [R4 : 0x10000000 + 4*gtid]
end
loop i ctaid < 64 ? 1 : 1 + $more
FFMA R5, R5, R4, R4
LDG.E R4, [R4 : 0x10000000 + 4*gtid]
end
EXIT
EOT
    expect 0 "$teg" run "$work/waves.sketch" -g v100 --set chip.sms=8 --why
    out "^  1 $([ $more = 0 ] && echo 'tail  *no-tail' || echo imbalance) "
done

finish
