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
