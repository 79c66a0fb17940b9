# Tensor products: shapes decide time and operations; what no shape decides
# is said.
. tests/cli/lib.sh

micro=tests/kernels/micro

# A chain of 16 on an A100: 25 cycles each of 256 bits along k, 18 of 128.
cycles_of() {
    "$teg" run "$@" -f json | sed -n 's/.*"cycles": \([0-9]*\),.*/\1/p' |
        head -1
}
chain() {
    a=$(cycles_of $micro/tensor.sketch -g a100 -p "OP=$1" -p N=16)
    b=$(cycles_of $micro/tensor.sketch -g a100 -p "OP=$1" -p N=48)
    [ $((b - a)) = $((32 * $2)) ]
}
check 'm16n8k16 takes 25 cycles' chain 4 25
check 'm16n8k8 takes 18 cycles' chain 2 18

# A warp group's: four warps make 2 x 64 x 256 x 16 together.
expect 0 "$teg" run $micro/gmma.sketch -g h100 -p N=10 -f json
out '"tensor_operations": 5242880'
expect 0 "$teg" bound $micro/gmma.sketch -g h100 -p N=10
out '^  at least  *1,280  by unit tensor'
expect 0 "$teg" model $micro/gmma.sketch -g h100 -p N=10 -m roofline
out '^    Flops  *5242880  flop'
out '^    P_peak  *1070530.*Gflop/s' # 4096 x 132 SMs x 1.98 GHz
expect 0 "$teg" run $micro/gmma.sketch -g h100
check 'a shape that is timed is not remarked on' \
    sh -c "! grep -q 'timed by class' '$work/out'"

# Factors in shared memory fill the data stage, whose load is a finding of its
# own: of N = 8 with A there 2,304 bytes of 128 a cycle, 18 cycles a product, of
# which the tensor cores need 4.
expect 0 "$teg" run $micro/gmma.sketch -g h100 --set chip.sms=1 -p COLUMNS=8 -p N=512 --why
out '^  bound by *data stage: [89][0-9] % busy; 100 % of what takes it are$'
out '^  1 data stage  *a-in-registers  *[34]\.[0-9]*x'
expect 0 "$teg" run $micro/gmma.sketch -g h100 --set chip.sms=1 -p COLUMNS=8 -p FORM=1 \
    -p N=512 --why
check 'not so with A in registers' sh -c "! grep -q 'bound by *data stage' '$work/out'"

# The vendor's peaks are not at the highest clock, but for doubles.
out 'note: tensor products: .* h100 are at 1830 MHz, not at'
expect 0 "$teg" run $micro/gmma.sketch -g h100 --set chip.sm_clock_mhz=1830
check 'no note at that clock' sh -c "! grep -q 'tensor products:' '$work/out'"
expect 0 "$teg" run $micro/tensor.sketch -g h100 -p OP=21
check 'no note of doubles' sh -c "! grep -q 'tensor products:' '$work/out'"

# Real code: N = 8 with A in registers takes each of the four units 4 cycles, in
# shared memory (2048 + 256) / 128.
for k in from_registers:16 half_sums:72; do
    expect 0 "$teg" trace tests/fixtures/kernels/k35_gmma.fatbin \
        -k "${k%:*}" --grid 1 --block 128 -a buf:f32:2048:zeros \
        -a buf:f32:2048:zeros -a buf:f32:2048:zeros -o "$work/gmma.tegt"
    expect 0 "$teg" run "$work/gmma.tegt" -g h100 -f json
    out "\"busy_cycles\": ${k#*:},"
    out '"tensor_operations": 16384'
done

# INT4 has no rate on Hopper, and neither have scaled blocks.
expect 0 "$teg" run $micro/tensor.sketch -g h100 -p OP=11
out 'note: .*tensor products timed by class, not by'
expect 0 "$teg" run $micro/tensor.sketch -g h100 -p OP=11 -f json
out '"kind": "tensor-class"'
cat >"$work/scaled.sketch" <<'END'
sketch 1
kernel "scaled"
isa sm_120
block 32
QMMA.SF.16832.F32.E4M3.E4M3.E8 R4, R8, R12, R4
EXIT
END
expect 0 "$teg" run "$work/scaled.sketch" -g h100 -f json
out '"kind": "tensor-class"'
expect 0 "$teg" run "$work/scaled.sketch" -g rtx5090 -f json
out '"tensor_operations": 8192'
! grep -q tensor-class "$work/out" || fail "a note that rates are missing"
sed 's/QMMA.SF.16832.F32.E4M3.E4M3.E8/OMMA.16864.F32.E2M1.E2M1/' \
    "$work/scaled.sketch" >"$work/unscaled.sketch"
mv "$work/unscaled.sketch" "$work/scaled.sketch"
expect 0 "$teg" run "$work/scaled.sketch" -g h100
out 'not known and their operations not counted'
expect 0 "$teg" run "$work/scaled.sketch" -g h100 -f json
out 'their shape or types are not known and their operations not counted'
out '"tensor_operations": 0'
expect 0 "$teg" model "$work/scaled.sketch" -g h100 -m roofline
out 'does not say their shape'

# Descriptions that contradict themselves.
expect 1 "$teg" run $micro/gmma.sketch -g h100 --set tensor.latency_128=99
err 'tensor.latency_128: expected 0 if'
expect 0 "$teg" run $micro/gmma.sketch -g h100 --set tensor.f16_f32=256
expect 2 "$teg" run $micro/gmma.sketch -g h100 --set tensor.f16f32=256
err "nearest is tensor.f16_f32"

finish
