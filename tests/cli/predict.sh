# teg predict: what a forest says of a trace, and what it was trained on.
. tests/cli/lib.sh

small_trace "$work/k.traceg"
# Two GPUs, trained on made-up points with features a trace has.
forest=tests/golden/small.forest
expect 0 "$teg" predict "$work/k.traceg" -m $forest
out '^saxpy (kernel 1): 2 blocks of 64 threads, 640 instructions'
out '^  here  *time .* us '
out '^  there  *power .* W '
out 'outside the training data: .*blocks 2 (10 \.\. 1000)'
out 'the trace does not say parameter_bytes: taken as 100'
out 'made-up points'
no_err
expect 0 "$teg" predict "$work/k.traceg" -m $forest -g there
out '^  there'
check 'only the chosen GPU' sh -c "! grep -q '^  here' '$work/out'"
expect 0 "$teg" predict "$work/k.traceg" -m $forest -f json
out '"trained_on": "made-up points"'
out '"feature": "blocks"'
out '"at_edge": false'
out '"unknown": \['
expect 0 "$teg" predict "$work/k.traceg" -m $forest -f csv
out '^number,kernel,gpu,target,unit,value,low,high,outside$'
out '^1,saxpy,here,time,us,[0-9.]*,[0-9.]*,[0-9.]*,blocks'
expect 0 "$teg" predict "$work/k.traceg" -m $forest --timing
err 'timing: features in .* ms, a prediction in .* ms'

# One warp of one addition and an exit: less than every training sample.
printf 'sketch 1\nkernel "tiny"\nisa sm_70\ngrid 1\nblock 32\n\nFADD R1, R2, R3\nEXIT\n' \
    >"$work/tiny.sketch"
expect 0 "$teg" predict "$work/tiny.sketch" -m $forest
out 'at the edge of the training data: here time (4 \.\. 1e+04 us), there power'
expect 0 "$teg" predict "$work/tiny.sketch" -m $forest -f json
out '"at_edge": true'

expect 2 "$teg" predict "$work/k.traceg" -m $forest -g hare
err "has no GPU 'hare'; did you mean 'here'"
expect 1 "$teg" predict "$work/none.tegt" -m $forest
no_out
expect 1 "$teg" predict "$work/k.traceg" -m "$work/none.forest"
err 'none.forest: cannot open'
expect 1 "$teg" predict "$work/k.traceg" -m "$work/k.traceg"
err 'expected a forest'
expect 1 "$teg" predict "$work/k.traceg" -m tests/golden/sklearn.forest
err "trained on 'warmth', which is no feature"
head -c 300 $forest >"$work/cut.forest"
expect 1 "$teg" predict "$work/k.traceg" -m "$work/cut.forest"
err 'expected [0-9]* bytes to follow'
{
    head -c 100 $forest
    printf 'x'
    tail -c +102 $forest
} >"$work/altered.forest"
expect 1 "$teg" predict "$work/k.traceg" -m "$work/altered.forest"
err 'the file was altered'
no_out

# The bundled forest: says what it was trained on; its values depend on the
# simulator it was trained with, so only their presence is looked at.
if [ -f config/portable.forest ]; then
    expect 0 "$teg" predict "$work/k.traceg"
    out 'simulated'
    out '^  [a-z0-9]*  *time '
    check 'the bundled forest is small' \
        [ "$(wc -c <config/portable.forest)" -lt 2500000 ]
    expect 0 "$teg" predict "$work/k.traceg" -g k20
    out '^  k20  *time '
fi
# The bundled forest has conflicts and sectors among its features: of two variants the
# one with conflicts takes longer. Of a forest that lacks them it is said what no number of it knows.
for k in transpose_flaw transpose_fixed; do
    expect 0 "$teg" trace tests/kernels/flaws/flaws.fatbin --kernel $k --grid 128 \
        --block 256 -a buf:f32:131072:random -a buf:f32:131072:zeros -o "$work/$k.tegt"
    expect 0 "$teg" predict "$work/$k.tegt" -g a100 -f csv
    cp "$work/out" "$work/$k.csv"
done
check 'conflicts take longer' [ "$(cut -d, -f6 "$work"/transpose_f*.csv | grep '^[0-9]' |
    awk '{v[NR] = $1} END {print (v[2] > 1.2 * v[1])}')" = 1 ]
expect 0 "$teg" predict "$work/transpose_flaw.tegt" -m $forest
out '^  accesses to shared memory take 16.5 times the passes that they need$'
out 'takes longer than is said'
expect 0 "$teg" predict "$work/transpose_flaw.tegt" -m $forest -f json
out '"conflict_degree"'
expect 0 "$teg" predict "$work/transpose_fixed.tegt" -m $forest
check 'of the other there is nothing to say' \
    sh -c "! grep -q 'longer than is said' '$work/out'"
expect 0 "$teg" trace tests/kernels/flaws/flaws.fatbin --kernel structure_flaw --grid 8 \
    --block 256 -a buf:f32:131072:zeros -a buf:f32:16384:zeros -o "$work/s.tegt"
expect 0 "$teg" predict "$work/s.tegt" -m $forest
out '^  accesses to global memory move [2-9].* times the sectors that their bytes fill$'

finish
