# Tensor maps: those a program makes through the driver, those of an argument,
# what of their copies is in a trace.
. tests/cli/lib.sh
maps=${BUILD:-build/release}/tests/cli/maps
kernels=tests/fixtures/kernels/k37_tensor_map.fatbin

expect 0 "$teg" exec -g h100 -o "$work/maps" -- "$maps"
out '^0 failures$'
err 'tensor map: expected 1 to 5 dimensions, found 6'
err '2 launches, '
expect 0 "$teg" exec -g a100 --no-trace -- "$maps"
out '^no tensor maps$'
err 'there are none before sm_90'

# load MAP [OPTION...]: 24 columns and 16 rows from column 16, row 48 on.
load() {
    map=$1
    shift
    expect "${want_status:-0}" "$teg" trace $kernels -k load2 --grid 1 \
        --block 128 --shared 16384 -a "$map" -a buf:u32:1024:zeros \
        -a i32:1024 -a i32:1536 -a i32:0 -a i32:16 -a i32:48 -a i32:0 \
        -a i32:0 -a i32:0 "$@"
}
word() { od -An -tf4 -j$((4 * $2)) -N4 "$1" | tr -d ' '; }

load map:f32:64x60:24x16:iota --dump 1="$work/box" -o "$work/load.tegt"
check 'its first element' [ "$(word "$work/box" 0)" = $((48 * 64 + 16)) ]
check 'its second row' [ "$(word "$work/box" 24)" = $((49 * 64 + 16)) ]
check 'nothing from row 60 on' [ "$(word "$work/box" $((24 * 12)))" = 0 ]
load map:f32:64x60:24x16:swizzle=128:iota --dump 1="$work/box"
# Rows of 96 bytes stand 128 apart; in the second, pieces change places.
check 'the second row, swizzled' \
    [ "$(word "$work/box" $((32 + 4)))" = $((49 * 64 + 16)) ]
load map:f32:64x60:24x16:nan:iota --dump 1="$work/box"
check 'or NaN' [ "$(word "$work/box" $((24 * 12)))" = nan ]

# What the trace has of it, and another file's reader.
expect 0 "$teg" check "$work/load.tegt"
out '0 errors, 0 warnings'
expect 0 "$teg" convert "$work/load.tegt" "$work/again.tegt"
check 'a converter keeps the values' cmp -s "$work/load.tegt" "$work/again.tegt"
expect 0 "$teg" convert --to traceg "$work/load.tegt" "$work/load.traceg"
expect 0 "$teg" run "$work/load.traceg" -g h100
out 'what tensor copies move is not known'
expect 0 "$teg" disasm $kernels
out 'UTMALDG.2D \[UR'

# Half precision, two maps of one buffer.
load map:f16:64x60:48x16:random --dump 0="$work/halves"
check 'a tensor of halves' [ "$(wc -c <"$work/halves")" = 7680 ]

# A product of matrices whose tiles come through tensor maps, and the same by
# asynchronous copies: the same bytes are asked for, by fewer instructions and
# in fewer cycles; on any number of threads, where SMs run ahead or not.
field() { sed -n "s/^.*\"$1\": \([0-9]*\).*/\1/p" "$work/out" | head -1; }
gemm=tests/fixtures/kernels/k38_gemm_tensor_map.fatbin
tail='--grid 2,2 --block 128 --shared 66560 -a buf:f32:16384:zeros -a i32:128 -a i32:512'
# shellcheck disable=SC2086
expect 0 "$teg" trace $gemm -k gemm_map \
    -a map:f16:512x128:64x64:swizzle=128:random \
    -a map:f16:512x128:64x64:swizzle=128:random,seed=7 $tail \
    --dump 2="$work/c.map" -o "$work/map.tegt"
# shellcheck disable=SC2086
expect 0 "$teg" trace $gemm -k gemm_async -a buf:f16:65536:random \
    -a buf:f16:65536:random,seed=7 $tail --dump 2="$work/c.async" \
    -o "$work/async.tegt"
check 'the same product' cmp -s "$work/c.map" "$work/c.async"
for how in async map; do
    expect 0 "$teg" run "$work/$how.tegt" -g h100 -f json --jobs 1
    eval "${how}_cycles=$(field cycles) ${how}_bytes=$(field useful_bytes)"
    cp "$work/out" "$work/one"
    expect 0 "$teg" run "$work/$how.tegt" -g h100 -f json --jobs 3
    check "$how: the same on three threads" cmp -s "$work/one" "$work/out"
    expect 0 "$teg" run "$work/$how.tegt" -g h100 -f json --pc-trace "$work/pcs"
    check "$how: the same where no SM runs ahead" \
        [ "$(field cycles)" = "$(sed -n 's/^.*"cycles": \([0-9]*\).*/\1/p' "$work/one" | head -1)" ]
done
check "the same bytes: $async_bytes, $map_bytes" [ "$async_bytes" = "$map_bytes" ]
# 4 blocks, 8 rounds of two tiles of 8192 bytes; 128 x 128 sums of 4.
check 'of all tiles' [ "$map_bytes" = $((4 * 8 * 2 * 8192 + 128 * 128 * 4)) ]
check "fewer cycles: $async_cycles, $map_cycles" \
    [ "$map_cycles" -lt "$async_cycles" ]

expect 0 "$teg" whatif "$work/map.tegt" -g h100
# Rows of a box: 16 of 96 bytes, 12 in the tensor; nothing else is read.
expect 0 "$teg" run "$work/load.tegt" -g h100 -f json
check 'what lies in the tensor' [ "$(field useful_bytes)" = $((12 * 96 + 4096)) ]

# A store is waited for by its group, 24 columns and 16 rows from 16, 48 on.
expect 0 "$teg" trace $kernels -k store2 --grid 1 --block 128 --shared 16384 \
    -a map:f32:64x60:24x16:zeros -a buf:u32:1024:iota -a i32:1024 -a i32:0 \
    -a i32:16 -a i32:48 -a i32:0 -a i32:0 -a i32:0 --dump 0="$work/tensor" \
    -o "$work/store.tegt"
check 'its first element' \
    [ "$(od -An -tu4 -j$((4 * (48 * 64 + 16))) -N8 "$work/tensor" | tr -s ' ')" = ' 0 1' ]
check 'its second row' \
    [ "$(od -An -tu4 -j$((4 * (49 * 64 + 16))) -N4 "$work/tensor" | tr -d ' ')" = 24 ]
expect 0 "$teg" run "$work/store.tegt" -g h100 --by-pc
out 'DEPBAR.LE SB0, 0x0 .* long_scoreboard'
expect 0 "$teg" run "$work/store.tegt" -g h100 -f json
check 'what lies in the tensor' [ "$(field useful_bytes)" = $((12 * 96 + 4096)) ]

# A reduction is an atomic of what lies in the tensor: 12 rows of 24 elements,
# each of 16 and 8 in two lines, of which a slice takes eight at a time.
expect 0 "$teg" trace $kernels -k reduce_xor2 --grid 1 --block 128 \
    --shared 16384 -a map:u32:64x60:24x16:zeros -a buf:u32:1024:iota \
    -a i32:1024 -a i32:0 -a i32:16 -a i32:48 -a i32:0 -a i32:0 -a i32:0 \
    -o "$work/reduce.tegt"
expect 0 "$teg" run "$work/reduce.tegt" -g h100 -f json
check 'no note of it' sh -c "! grep -q bulk-reductions '$work/out'"
check 'a lane for each element' [ "$(field atomic_lanes)" = $((12 * 24)) ]
check 'steps of eight words' [ "$(field atomic_steps)" = $((12 * (2 + 1))) ]

# Mistakes, one line each.
want_status=1
load map:f32:64x60:24x16:arg=1
err 'expected a buffer before argument 0, found arg=1'
load map:f32:64x60:24x257:zeros
err 'tensor map: expected a box of 1 to 256 in dimension 1, found 257'
load map:f32:64x60:24:zeros
err 'expected map:TYPE:SIZES:BOX\[:OPTION...\]:FILL, found'
load map:f32:64x60x2:24x16x1:zeros
err 'block 0,0,0 warp 0 lane 0 pc 0x[0-9a-f]*: UTMALDG.2D .*: expected a tensor map of 2 dimensions, found 3'
finish
