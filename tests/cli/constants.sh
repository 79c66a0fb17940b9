# Constant loads by index: the trace has the lanes' addresses, those of a load
# are served one after the other, and what has no addresses is remarked.
. tests/cli/lib.sh

# out[i] = table[idx[i] & 63]: 4 warps of one load each
look_up() {
    expect 0 "$teg" trace tests/fixtures/kernels/k09_stencil.fatbin \
        --arch "sm_$1" -k const_lookup --grid 2 --block 64 \
        -a "buf:i32:128:$2" -a buf:i32:128:zeros -a i32:128 -o "$work/$2.tegt"
}
cycles() {
    "$teg" run "$1" -g v100 --set constant.distinct_interval="$2" |
        awk '$1 == "cycles" { gsub(",", "", $2); print $2; exit }'
}

for sm in 75 90; do
    look_up $sm iota
    look_up $sm zeros
    expect 0 "$teg" run "$work/iota.tegt" -g v100
    out '^    constant 4 requests, 32.00 addresses each$'
    expect 0 "$teg" run "$work/zeros.tegt" -g v100
    out '^    constant 4 requests, 1.00 addresses each$'
done

# Two warps of an SM come to their loads of 32 addresses at once: the second
# waits for the first, 64 turns in all, less one that is in the latency.
check "63 turns of 2 cycles more" \
    [ "$(($(cycles "$work/iota.tegt" 4) - $(cycles "$work/iota.tegt" 2)))" = 126 ]
check "one address costs nothing" \
    [ "$(cycles "$work/zeros.tegt" 0)" = "$(cycles "$work/zeros.tegt" 1)" ]
no_note() {
    ! grep -q 'without addresses' "$work/out"
}
check "no remark of what has them" no_note

# NVBit's tracers record no addresses of constants.
expect 0 "$teg" convert --to traceg "$work/iota.tegt" "$work/iota.traceg"
expect 0 grep -c ' LDC 1 R[0-9]* 0 0$' "$work/iota.traceg"
out '^4$'
expect 0 "$teg" run "$work/iota.traceg" -g v100
out 'note: 4 constant loads by index without addresses'
expect 0 "$teg" run "$work/iota.traceg" -g v100 --format json
out '"unaddressed-constants"'

# A sketch gives them behind a colon, in their bank, or leaves them out.
cat >"$work/k.sketch" <<'EOF_SKETCH'
sketch 1
isa sm_70
block 32
LDC R2, c[0x3][R2 : 4 * (lane / 4)]
LDC R3, c[0x0][0x160]
EXIT
EOF_SKETCH
expect 0 "$teg" run "$work/k.sketch" -g v100 --format json --by-pc
out '"constant_requests": 1'
out '"constant_addresses": 8'
expect 1 sh -c "sed 's/R2 :/R2 : R3 +/' '$work/k.sketch' >'$work/b.sketch'; \
    '$teg' run '$work/b.sketch' -g v100"
expect 0 "$teg" whatif "$work/k.sketch" -g v100
out 'no-constant-conflicts'

# A chase through constants that fit the first cache, the one behind it (46 KB
# on a T4: sets of four lines of 256 bytes), and neither: there each line of
# the cache behind brings four of the first.
chase() {
    "$teg" run tests/kernels/micro/constant.sketch -g t4 --sms 1 \
        -p BYTES=$(($1 * 1024)) -p N="$2" --format json |
        awk '/"cycles":/ && !n++ { gsub(",", "", $2); print $2 }'
}
each() {
    echo $((($(chase "$1" $(($1 * 64))) - $(chase "$1" $(($1 * 32)))) / ($1 * 32)))
}
check "2 KB: a hit of 27 cycles" [ "$(each 2)" = 27 ]
check "8 KB: 85 from the cache behind" [ "$(each 8)" = 85 ]
check "64 KB: (235 + 3 x 85) / 4 where all of a set's lines go round" \
    [ "$(each 64)" = 122 ]

# What names its constants waits for them; what names nothing says so.
printf 'sketch 1\nisa sm_70\nblock 32\nMOV R1, c[0x3][0x0]\nEXIT\n' \
    >"$work/o.sketch"
expect 0 "$teg" run "$work/o.sketch" -g v100
out 'imc_miss  *245'
expect 0 "$teg" run "$work/o.sketch" -g v100 --what-if no-constant-misses
expect 1 grep -q imc_miss "$work/out"
expect 0 "$teg" run "$work/iota.traceg" -g v100
out 'note: the trace does not name constants that are operands'

# Where a trace has no texels (tests/cli/exec.sh has some), their traffic is not
# there, and that is said; who only asks about one makes none.
printf 'sketch 1\nisa sm_70\nblock 64\nTEX R4, R0, R2\nSUST.B R2, R4\n%b' \
    'TXQ R4, R0\nEXIT\n' >"$work/t.sketch"
expect 0 "$teg" run "$work/t.sketch" -g v100
out 'note: 4 accesses to textures or surfaces without addresses: timed as hits'
expect 1 grep -q 'does not name constants' "$work/out"
finish
