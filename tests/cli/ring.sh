# Warps that wait for each other by mbarriers and bulk copies, from the cubin
# to the report: more stages are faster, what is copied is what is counted, and
# every cycle of every warp has a reason.
. tests/cli/lib.sh
cubin=tests/fixtures/ring.sm_90.cubin

field() { sed -n "s/^.*\"$1\": \([0-9]*\).*/\1/p" "$work/out" | head -1; }

before=
for stages in 1 2 4; do
    expect 0 "$teg" trace $cubin -k ring$stages --grid 4 --block 160 \
        -a buf:f32:65536:random -a buf:f32:512:zeros -a i32:16 \
        --dump 1="$work/sums.$stages" -o "$work/ring$stages.tegt"
    check "$stages stages: the same sums" \
        cmp -s "$work/sums.1" "$work/sums.$stages"
    # Whoever asks has his phase: polls that failed are in no trace.
    expect 0 "$teg" run "$work/ring$stages.tegt" -g h100 -f json --jobs 1
    cycles=$(field cycles)
    check "$stages stages: $cycles cycles, fewer than before" \
        [ "$cycles" -lt "${before:-1000000}" ]
    before=$cycles
    # 4 blocks, 16 tiles of 4096 bytes; 512 sums of 4 bytes.
    check "$stages stages: the bytes of all tiles" \
        [ "$(field useful_bytes)" = $((4 * 16 * 4096 + 512 * 4)) ]
    cp "$work/out" "$work/one"
    expect 0 "$teg" run "$work/ring$stages.tegt" -g h100 -f json --jobs 3
    check "$stages stages: the same on three threads" \
        cmp -s "$work/one" "$work/out"
    # A listener of single instructions keeps SMs from running ahead.
    expect 0 "$teg" run "$work/ring$stages.tegt" -g h100 -f json \
        --pc-trace "$work/pcs"
    check "$stages stages: the same where no SM runs ahead" \
        [ "$(field cycles)" = "$cycles" ]
done

# issued + stalls = resident, of all warps together
expect 0 "$teg" run "$work/ring4.tegt" -g h100
out '^  long_scoreboard'
expect 0 "$teg" check "$work/ring4.tegt"
# An empty ring waits in vain: nothing of the producer's is left.
expect 0 "$teg" convert "$work/ring2.tegt" "$work/again.tegt"
check 'a converter keeps all values' \
    cmp -s "$work/ring2.tegt" "$work/again.tegt"

# NVBit's text has no place for values, and what it lacks is said.
expect 0 "$teg" convert --to traceg "$work/ring2.tegt" "$work/ring2.traceg"
expect 0 "$teg" run "$work/ring2.traceg" -g h100
out 'what bulk copies move is not known'
out 'which mbarriers SYNCS uses is not known'

# Bytes that are copied back.
expect 0 "$teg" trace $cubin -k back --grid 1 --block 128 \
    -a buf:f32:2048:iota -a buf:f32:2048:zeros --dump 1="$work/back" \
    -o "$work/back.tegt"
# 2 x 3 = 6 = 0x40c00000
check 'a copy back' \
    [ "$(od -An -tx4 -j12 -N4 "$work/back" | tr -d ' ')" = 40c00000 ]
expect 0 "$teg" run "$work/back.tegt" -g h100 -f json
check 'both ways' [ "$(field useful_bytes)" = 16384 ]
expect 0 "$teg" run "$work/back.tegt" -g h100 --by-pc
out 'DEPBAR.LE SB0, 0x[01] .* long_scoreboard'

# Who waits for a phase looks before the next one ends, in any order of warps.
for order in '' '--interleave steps' '--interleave 7'; do
    # shellcheck disable=SC2086
    expect 0 "$teg" trace $cubin -k paced --grid 1 --block 64 \
        -a buf:f32:64:zeros -a i32:40 --dump 0="$work/paced" $order
    # 0 + 1 + ... + 39 = 780 = 0x44430000
    check "phases that follow each other, $order" \
        [ "$(od -An -tx4 -j128 -N4 "$work/paced" | tr -d ' ')" = 44430000 ]
done

# Named barriers, the number of one from a register.
expect 0 "$teg" trace $cubin -k named --grid 1 --block 128 \
    -a buf:f32:128:iota -a i32:2 -o "$work/named.tegt"
expect 0 "$teg" run "$work/named.tegt" -g h100
out '^  barrier '

# each_takes KERNEL: into $each the cycles of one of what the kernels of that name
# and a number do so often
each_takes() {
    took=0
    for times in 8 16; do
        expect 0 "$teg" trace tests/fixtures/phases.sm_90.cubin \
            -k "$1$times" --grid 1 --block 32 -o "$work/phases.tegt"
        expect 0 "$teg" run "$work/phases.tegt" -g h200 -f json
        fewer=$took took=$(field cycles)
    done
    each=$(((took - fewer) / 8))
}

# A round of an arrival that ends the phase and the wait for it: 71 cycles on an
# H200 (FlashGPU-Sim's calibration report, median).
each_takes rounds
check "$each cycles a round at an mbarrier" [ "$each" -ge 66 -a "$each" -le 74 ]

# A wait for a phase that is over: 36 for the answer, 5 for the branch, and 12 for
# the two instructions that make its parity.
each_takes waits
check "$each cycles a wait for what is over" [ "$each" = 53 ]

# A copy is there later than a load would be, each of 16 that are waited for.
expect 0 "$teg" run "$work/ring1.tegt" -g h100 -f json
late=$(field cycles)
expect 0 "$teg" run "$work/ring1.tegt" -g h100 --set memory.copy_latency=0 \
    -f json
late=$((late - $(field cycles)))
check "$late cycles for 16 copies" \
    [ "$late" -ge $((15 * 57)) -a "$late" -le $((17 * 57)) ]

finish
